"""Systems paired on the same units: what every test of their differences is given."""

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
    """Scores of systems on the same units, and which of them are compared.

    Attributes
    ----------
    scores : ndarray of shape (n_units, n_systems)
        Scores on the same queries, groups of queries (their means) or splits.
    pairs : ndarray of shape (n_pairs, 2)
        Columns of the systems; the second is taken off the first.
    weights : ndarray of shape (n_units,) or None
        Positive weights of the units; None: all the same.
    bounds : tuple of float or None
        Least and largest possible difference, None where unknown.
    n_resamples : int
        How much tests draw that do.
    rng : numpy.random.Generator
        What draws.
    test_share : float or None
        Test data divided by training data, where units are splits.
    strata : int array of shape (n_units,) or None
        Strata of the units, whose means are averaged; weights are theirs then.
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
        """The differences with their weights taken in, which have the same mean."""
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
        """Sign flips of the differences, the same for all that asks for them."""
        given = self.differences, self.weights
        if self.strata is not None:
            given = self.parts, None
        return draw_sign_flips(*given, n_resamples=self.n_resamples, rng=self.rng)

    @cached_property
    def bootstrap_ratios(self):
        """What `draw_ratios` draws of the parts, the same for all that asks."""
        return draw_ratios(self.parts, n_resamples=self.n_resamples, rng=self.rng)

    def ratio_batches(self):
        """Yield `bootstrap_ratios` in parts, drawn anew where nobody has asked yet."""
        if "bootstrap_ratios" in vars(self):
            yield self.bootstrap_ratios
            return
        given = {"n_resamples": self.n_resamples, "rng": self.rng}
        for _, ratios in ratio_batches(self.parts, **given):
            yield ratios


@dataclass(frozen=True, eq=False)
class Found:
    """What a test found.

    Attributes
    ----------
    p_value : ndarray of shape (n_pairs,)
        Two-sided, never 0.
    ends : callable
        From α to the ends of the intervals, an array of shape (n_pairs, 2): what the
        same test, with the same draws, does not reject at α. They are infinite where it
        could reject nothing.
    center : ndarray of shape (n_pairs,) or None
        What the intervals are about; None: the mean differences.
    """

    p_value: np.ndarray
    ends: Callable[[float], np.ndarray]
    center: np.ndarray | None = None


def paired_differences(first, second):
    """Return differences, 0 where scores differ by rounding only."""
    differences = first - second
    rounding = ROUNDING * np.maximum(np.abs(first), np.abs(second))
    differences[np.abs(differences) <= rounding] = 0.0
    return differences


def rank_of_level(alpha, n):
    """Return how many of `n` equally likely cases may be as extreme at level α."""
    return min(int(np.floor(alpha * n + 1e-9)), n - 1)  # not all, as α is below 1


def of_constant(mean, n):
    """Return p-values of differences that are all the same: those of their signs."""
    return np.where(mean == 0, 1.0, 2.0 ** (1 - n))


def reach_of_constant(n, alpha):
    """Return how far from such differences others are that their signs allow."""
    return np.inf if 2.0 ** (1 - n) > alpha else 0.0


def ends_around(mean, reach, p_value, alpha):
    """Return the intervals mean ± reach, made to hold 0 exactly where p > α."""
    size = np.abs(mean)
    is_inside = p_value > alpha
    inner = np.nextafter(size, 0)
    reach = np.where(is_inside, np.maximum(reach, size), np.minimum(reach, inner))
    return np.column_stack([mean - reach, mean + reach])
