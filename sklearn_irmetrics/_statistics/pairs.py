"""Scores of systems paired on the same units, the input of all tests of differences."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sklearn_irmetrics._statistics.draws import (
    SignFlips,
    draw_ratios,
    draw_sign_flips,
    ratio_batches,
)
from sklearn_irmetrics._statistics.units import ROUNDING, freedom_of, weigh


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
    """

    scores: np.ndarray
    pairs: np.ndarray
    weights: np.ndarray | None
    bounds: tuple | None
    n_resamples: int
    rng: np.random.Generator
    test_share: float | None = None
    strata: np.ndarray | None = None

    @cached_property
    def differences(self):
        """Differences by unit and pair."""
        return paired_differences(*self.scores[:, self.pairs.T].swapaxes(0, 1))

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
        """The mean difference of each pair."""
        return self.parts.mean(axis=0)

    @cached_property
    def flips(self) -> SignFlips:
        """Sign flips of the differences, shared by all tests and corrections."""
        given = self.differences, self.weights
        if self.strata is not None:
            given = self.parts, None
        return draw_sign_flips(*given, n_resamples=self.n_resamples, rng=self.rng)

    @cached_property
    def bootstrap_ratios(self):
        """The result of `draw_ratios` for the parts, shared by all tests."""
        return draw_ratios(self.parts, n_resamples=self.n_resamples, rng=self.rng)

    def ratio_batches(self):
        """Yield `bootstrap_ratios` in parts, or draw them without keeping them."""
        if "bootstrap_ratios" in vars(self):
            yield self.bootstrap_ratios
            return
        given = {"n_resamples": self.n_resamples, "rng": self.rng}
        for _, ratios in ratio_batches(self.parts, **given):
            yield ratios


@dataclass(frozen=True, eq=False)
class Found:
    """The result of a test.

    Attributes
    ----------
    p_value : ndarray of shape (n_pairs,)
        Two-sided, never 0.
    ends : callable
        From α to the ends of the intervals, an array of shape (n_pairs, 2): the
        differences that the same test, with the same draws, does not reject at α. Ends
        are infinite if it cannot reject anything.
    center : ndarray of shape (n_pairs,) or None
        The estimates that the intervals belong to; None: the mean differences.
    """

    p_value: np.ndarray
    ends: Callable[[float], np.ndarray]
    center: np.ndarray | None = None


def paired_differences(first, second):
    """Return differences, 0 where scores differ only by rounding."""
    differences = first - second
    rounding = ROUNDING * np.maximum(np.abs(first), np.abs(second))
    differences[np.abs(differences) <= rounding] = 0.0
    return differences


def rank_of_level(alpha, n):
    """Return how many of `n` equally likely cases may be as extreme at level α."""
    return min(int(np.floor(alpha * n + 1e-9)), n - 1)  # not all, as α is below 1


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
