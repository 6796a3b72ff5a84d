"""Scores of systems paired on the same units, the input of all tests of differences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from sklearn_irmetrics._statistics.draws import (
    SignFlips,
    draw_ratios,
    draw_sign_flips,
    ratio_batches,
)
from sklearn_irmetrics._statistics.units import ROUNDING, freedom_of, weigh

MEAN = "mean difference"


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Scores of systems on the same units, and the pairs that are compared.

    Attributes
    ----------
    scores : ndarray of shape (n_units, n_systems)
        Scores on the same queries, groups of queries (their means) or splits.
    pairs : ndarray of shape (n_pairs, 2)
        Columns of the systems; the second is subtracted from the first.
    weights : ndarray of shape (n_units,) or None
        Positive weights of the units; None: all equal.
    bounds : tuple of float or None
        Smallest and largest possible difference, None if unknown.
    n_resamples : int
        Number of draws, for tests that draw.
    rng : numpy.random.Generator
        Generator of the draws.
    test_share : float or None
        Size of the test data divided by that of the training data, if units are splits.
    strata : int array of shape (n_units,) or None
        Strata of the units, whose means are averaged; `weights` then follow from them.
    resolution : float
        How much equal differences of scores may differ because the scores were rounded
        to less than float64.
    """

    scores: np.ndarray
    pairs: np.ndarray
    weights: np.ndarray | None
    bounds: tuple | None
    n_resamples: int
    rng: np.random.Generator
    test_share: float | None = None
    strata: np.ndarray | None = None
    resolution: float = 0.0

    @cached_property
    def differences(self):
        """Differences by unit and pair."""
        first, second = self.scores[:, self.pairs.T].swapaxes(0, 1)
        return paired_differences(first, second, self.resolution)

    @cached_property
    def rounding(self):
        """By what share the squared ratio of mean and spread may be wrong, by pair."""
        size = np.abs(self.mean)
        share = np.full(len(size), ROUNDING)
        np.divide(self.resolution, size, out=share, where=size > 0)
        return share.clip(ROUNDING, 1.0)

    @cached_property
    def parts(self):
        """The differences including their weights, with the same mean."""
        return weigh(self.differences, self.weights, self.strata)

    @cached_property
    def freedom(self):
        """The degrees of freedom of the error of each mean."""
        return freedom_of(self.parts, self.strata)

    @cached_property
    def mean(self):
        """The mean difference of each pair, 0 if it differs from that by rounding."""
        mean = self.parts.mean(axis=0)
        is_zero = np.abs(mean) <= ROUNDING * np.abs(self.parts).mean(axis=0)
        return np.where(is_zero, 0.0, mean)

    @cached_property
    def flips(self) -> SignFlips:
        """Sign flips of the differences, shared by all tests and corrections."""
        differences, weights = self.differences, self.weights
        if self.strata is not None:
            differences, weights = self.parts, None
        return draw_sign_flips(differences, weights, **self._drawing)

    @cached_property
    def bootstrap_ratios(self):
        """The result of `draw_ratios` for the parts, shared by all tests."""
        return draw_ratios(self.parts, strata=self.strata, **self._drawing)

    def ratio_batches(self):
        """Yield `bootstrap_ratios` in parts, or draw them without keeping them."""
        if "bootstrap_ratios" in vars(self):
            yield self.bootstrap_ratios
            return
        for _, ratios in ratio_batches(self.parts, strata=self.strata, **self._drawing):
            yield ratios

    @property
    def _drawing(self):
        return {
            "n_resamples": self.n_resamples,
            "rng": self.rng,
            "resolution": self.resolution,
        }


class PairedTest:
    """A test of paired differences, and the intervals that invert it.

    Each test is a class of its own. Random draws are made at once, in the order in
    which tests are made, so that a seed gives the same draws.

    Parameters
    ----------
    pairs : PairedScores
        The scores to compare.

    Attributes
    ----------
    p_value : ndarray of shape (n_pairs,)
        Two-sided, never 0.
    center : ndarray of shape (n_pairs,) or None
        The estimates that the intervals belong to; None: the mean differences.
    """

    label: ClassVar[str]  # its name in tables
    max_t: ClassVar[type[PairedTest] | None] = None  # its max-T correction, if any
    unit: ClassVar[str] = "query"  # or "split"
    interval_of: ClassVar[str] = MEAN  # what its intervals estimate
    # Whether it compares means by their spread, so that rare losses count.
    compares_means: ClassVar[bool] = True
    # Whether only the number of units that differ limits how small p can be.
    counts_signs: ClassVar[bool] = False
    takes_weights: ClassVar[bool] = True
    # Whether its p-values already hold for all pairs at once.
    adjusts: ClassVar[bool] = False
    # Whether its intervals hold however few units differ.
    covers_few: ClassVar[bool] = False
    draws: ClassVar[bool] = False  # whether its p-values come from random draws
    # Whether there is nothing to draw if units are few.
    can_be_exact: ClassVar[bool] = False
    # Whether it does not reflect how few units a stratum has, so that it may reject
    # only where the t-test does.
    needs_t_in_strata: ClassVar[bool] = False
    # Whether margins are decided by its own intervals.
    decides_margins: ClassVar[bool] = False

    p_value: np.ndarray
    center: np.ndarray | None = None

    def __init__(self, pairs: PairedScores):
        self.pairs = pairs

    def interval(self, alpha: float) -> np.ndarray:
        """Return the ends of the intervals, of shape (n_pairs, 2).

        They hold the differences that the test, with the same draws, does not reject at
        α. Ends are infinite if it cannot reject anything.
        """
        raise NotImplementedError

    @classmethod
    def fewest(cls, n_units, alpha):
        """Return the number of units that must differ to bound the mean difference.

        What fewer units show of rare differences is not enough, whatever their spread.
        A split that does not differ has many rows that may.
        """
        if cls.covers_few:
            return 0
        if cls.unit == "split":
            return 1
        least = fewest_signs(alpha)
        return least if cls.counts_signs else min(least, n_units)


def paired_differences(first, second, resolution=0.0):
    """Return differences, 0 where scores differ only by rounding.

    With a resolution, differences that are closer than it are set equal, and those
    closer to 0 are set to 0.
    """
    differences = first - second
    rounding = ROUNDING * np.maximum(np.abs(first), np.abs(second))
    differences[np.abs(differences) <= np.maximum(rounding, resolution)] = 0.0
    if resolution > 0:
        differences = np.apply_along_axis(_merge_near, 0, differences, resolution)
    return differences


def _merge_near(differences, resolution):
    """Return differences, all sizes of a cluster within the resolution made equal.

    Wider clusters are not merged: their sizes need not be equal.
    """
    sizes = np.abs(differences)
    order = np.argsort(sizes)
    ordered = sizes[order]
    is_first = np.diff(ordered, prepend=-np.inf) > resolution
    first, last = ordered[is_first], ordered[np.append(is_first[1:], True)]
    cluster = np.cumsum(is_first) - 1
    is_narrow = (last - first <= resolution)[cluster]
    sizes[order] = np.where(is_narrow, first[cluster], ordered)
    return np.copysign(sizes, differences)


def error_rate(confidence_level):
    """Return 1 - `confidence_level` without the last bits of the difference.

    With them, p = 0.05 could be above the rate of a confidence level of 0.95.
    """
    return round(1 - confidence_level, 12)


def rank_of_level(alpha, n):
    """Return the number of `n` equally likely cases that may be extreme at level α."""
    return min(int(np.floor(alpha * n + 1e-9)), n - 1)  # not all, as α is below 1


def fewest_signs(level):
    """Return the smallest number of differences with which a sign test can reject.

    All signs of n differences are alike with probability ``2 ** (1 - n)``, and no
    two-sided p-value is smaller.

    Parameters
    ----------
    level : float
        Level of the test, above 0 and below 1.

    Returns
    -------
    int
    """
    return math.ceil(1 - math.log2(level))


def of_constant(mean, n):
    """Return p-values of differences that are all equal: those of their signs."""
    return np.where(mean == 0, 1.0, 2.0 ** (1 - n))


def reach_of_constant(n, alpha):
    """Return how far from equal differences the sign test accepts others."""
    return np.inf if 2.0 ** (1 - n) > alpha else 0.0


def ends_around(mean, reach, p_value, alpha):
    """Return the intervals mean ± reach, adjusted to hold 0 exactly where p > α."""
    size = np.abs(mean)
    is_inside = p_value > alpha
    inner = np.nextafter(size, 0)
    reach = np.where(is_inside, np.maximum(reach, size), np.minimum(reach, inner))
    return np.column_stack([mean - reach, mean + reach])
