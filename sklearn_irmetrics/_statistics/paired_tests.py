"""The paired tests by name, corrections, and the order that follows from them."""

from typing import ClassVar

import numpy as np
from scipy import stats

from sklearn_irmetrics._statistics.anytime import AnytimeTest
from sklearn_irmetrics._statistics.draws import are_alike, batches, spread_of
from sklearn_irmetrics._statistics.pairs import (
    PairedTest,
    ends_around,
    of_constant,
    rank_of_level,
    reach_of_constant,
)
from sklearn_irmetrics._statistics.power import smallest_detectable_effect
from sklearn_irmetrics._statistics.rank_tests import SignTest, WilcoxonTest
from sklearn_irmetrics._statistics.units import ROUNDING, weigh


class _TestOfRatios(PairedTest):
    """Compare squared ratios of mean and spread with drawn ones.

    Attributes
    ----------
    drawn : ndarray of shape (n_pairs, n_draws) or (1, n_draws)
        Ratios of the draws: of each pair, or the largest of all pairs.
    """

    draws = True
    needs_t_in_strata = True

    def _set_p_value(self, drawn, n_reached):
        """Set the p-values: how many draws reached the ratio of the data."""
        n, mean = len(self.pairs.parts), self.pairs.mean
        self.drawn, self._spread = drawn, spread_of(self.pairs.parts)
        p_value = (n_reached + 1) / (drawn.shape[1] + 1)
        least = np.maximum(p_value, of_constant(mean, n))
        self.p_value = np.where(self._spread == 0, least, p_value)

    def interval(self, alpha):
        """Return the ends of the intervals; see `PairedTest`."""
        pairs, drawn, n = self.pairs, self.drawn, len(self.pairs.parts)
        k = rank_of_level(alpha, drawn.shape[1] + 1)
        if k == 0:
            return np.tile([-np.inf, np.inf], (len(pairs.mean), 1))
        limit = np.partition(drawn, -k, axis=1)[:, -k]
        limit = np.broadcast_to(limit, pairs.mean.shape)
        factor = np.full(len(pairs.mean), np.inf)
        np.divide(limit, 1 - limit, out=factor, where=limit < 1 - ROUNDING)
        is_known = (self._spread > 0) | np.isinf(factor)
        limit = np.where(is_known, factor / n, reach_of_constant(n, alpha))
        return _ends(pairs, limit, self.p_value, alpha)


class MaxTTest(_TestOfRatios):
    """Like `BootstrapTest`, with the same draws, for all pairs at once, step by step.

    A pair is compared with the largest ratio of each draw among all pairs that differ
    no more clearly than it does. Intervals use the largest ratio of all pairs; where
    the steps reject more, they end at 0.

    References
    ----------
    P. H. Westfall and S. S. Young, "Resampling-Based Multiple Testing", Wiley, 1993.
    """

    def __init__(self, pairs):
        super().__init__(pairs)
        observed = _observed_ratios(pairs)
        order = np.argsort(observed, kind="stable")
        n_reached, largest = np.zeros(len(order), dtype=int), []
        for ratios in pairs.ratio_batches():
            running = np.zeros(ratios.shape[1])
            for pair in order:
                np.maximum(running, ratios[pair], out=running)
                reached = running >= observed[pair] * (1 - pairs.rounding[pair])
                n_reached[pair] += np.count_nonzero(reached)
            largest.append(running)
        down = order[::-1]  # no pair before one that differs more clearly
        n_reached[down] = np.maximum.accumulate(n_reached[down])
        self._set_p_value(np.concatenate(largest)[np.newaxis], n_reached)


class BootstrapTest(_TestOfRatios):
    """Resample units, with differences shifted to mean 0, and compare t."""

    label = "paired bootstrap test"
    max_t = MaxTTest

    def __init__(self, pairs):
        super().__init__(pairs)
        drawn = pairs.bootstrap_ratios
        observed = (_observed_ratios(pairs) * (1 - pairs.rounding))[:, np.newaxis]
        self._set_p_value(drawn, (drawn >= observed).sum(axis=1))


class TTest(PairedTest):
    """Compare each mean with its standard error, by Student's t."""

    label = "paired t-test"
    max_t: ClassVar[type[PairedTest] | None] = MaxTTest

    def __init__(self, pairs):
        super().__init__(pairs)
        n = len(pairs.parts)
        error = spread_of(pairs.parts) * np.sqrt(self.variance_factor / (n - 1))
        ratio = np.full(len(pairs.mean), np.inf)
        np.divide(np.abs(pairs.mean), error, out=ratio, where=error > 0)
        p_value = 2 * stats.t.sf(ratio, pairs.freedom)
        self._error = error
        self.p_value = np.where(error == 0, of_constant(pairs.mean, n), p_value)

    @property
    def variance_factor(self):
        """The variance of the mean, in units of that of the differences."""
        return 1 / len(self.pairs.parts)

    def interval(self, alpha):
        """Return the ends of the intervals; see `PairedTest`."""
        pairs, n = self.pairs, len(self.pairs.parts)
        factor = self.variance_factor
        limit = stats.t.ppf(1 - alpha / 2, pairs.freedom) ** 2 * factor
        limit = np.where(self._error > 0, limit / (n - 1), reach_of_constant(n, alpha))
        return _ends(pairs, limit, self.p_value, alpha)


class CorrectedTTest(TTest):
    """Like `TTest`, over splits that share training data (Nadeau & Bengio)."""

    label = "corrected t-test over splits"
    unit = "split"
    max_t = None
    decides_margins = True

    @property
    def variance_factor(self):
        """The variance of the mean, in units of that of the differences."""
        return 1 / len(self.pairs.parts) + self.pairs.test_share


def _observed_ratios(pairs):
    """Return the squared ratio of mean and spread of each pair."""
    spread = spread_of(pairs.parts)
    root, ratios = np.sqrt(len(pairs.parts)), np.zeros(len(spread))
    size = np.hypot(spread, root * pairs.mean)
    np.divide(root * pairs.mean, size, out=ratios, where=size > 0)
    return ratios**2


def _ends(pairs, limit, p_value, alpha):
    """Return the interval of true means that are not rejected.

    After subtracting such a mean, the squared mean of the parts is at most `limit`
    times their sum of squares around the mean.
    """
    if pairs.weights is not None and pairs.strata is None:
        return _ends_of_ratio(pairs, limit, p_value, alpha)
    spread = spread_of(pairs.parts)
    reach = np.array(np.broadcast_to(limit, spread.shape))
    np.multiply(spread, np.sqrt(limit), out=reach, where=spread > 0)
    return ends_around(pairs.mean, reach, p_value, alpha)


def _ends_of_ratio(pairs, limit, p_value, alpha):
    """Return the same if units have different weights, as groups of several sizes do.

    Subtracting a true mean, in proportion to weight, also changes the spread.

    References
    ----------
    E. C. Fieller, "Some Problems in Interval Estimation", Journal of the Royal
    Statistical Society B 16 (1954).
    """
    size = np.abs(pairs.parts).max(axis=0)  # squares could overflow
    size = np.where(size > 0, size, 1.0)
    mean, apart = pairs.mean / size, (pairs.parts - pairs.mean) / size
    heavier = weigh(np.ones((len(apart), 1)), pairs.weights)[:, 0] - 1
    with np.errstate(invalid="ignore"):
        square = 1 - limit * (heavier @ heavier)
        middle = mean - limit * (heavier @ apart)
        rest = mean**2 - limit * (apart**2).sum(axis=0)
        root = np.sqrt(np.maximum(middle**2 - square * rest, 0))
    ends = np.tile([-np.inf, np.inf], (len(mean), 1))
    is_bounded = square > 0
    both = np.column_stack([middle - root, middle + root])
    np.divide(both, square[:, np.newaxis], out=ends, where=is_bounded[:, np.newaxis])
    low, high = ends.T * size
    is_inside, tiny = p_value > alpha, np.nextafter(0, 1)
    least = np.where(mean > 0, np.maximum(low, tiny), low)
    largest = np.where(mean < 0, np.minimum(high, -tiny), high)
    low = np.where(is_inside, np.minimum(low, 0), least)
    return np.column_stack([low, np.where(is_inside, np.maximum(high, 0), largest)])


# Replaces p-values too small for floating point: no test is ever certain.
_LEAST = np.finfo(np.float64).tiny
CORRECTIONS = {
    "maxt": "max-T",
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "fdr_bh": "Benjamini-Hochberg",
    None: "no",
}


class PermutationTest(PairedTest):
    """Flip signs of differences at random, by unit (Fisher's randomisation test)."""

    label = "paired permutation test"
    max_t = MaxTTest
    counts_signs = True
    draws = True
    can_be_exact = True
    needs_t_in_strata = True

    def __init__(self, pairs):
        super().__init__(pairs)
        flips = pairs.flips
        n_reached = np.zeros(len(flips.mean), dtype=int)
        for pair in range(len(n_reached)):
            low, high = flips.reaches(pair)
            n_reached[pair] = np.count_nonzero((low <= 0) & (high >= 0))
        self.p_value = (n_reached + 1) / flips.total

    def interval(self, alpha):
        """Return the ends of the intervals; see `PairedTest`."""
        flips = self.pairs.flips
        ends = np.tile([-np.inf, np.inf], (len(flips.mean), 1))
        k = rank_of_level(alpha, flips.total)
        for pair in range(len(ends) if k > 0 else 0):
            low, high = flips.reaches(pair)
            low, high = np.partition(low, k - 1)[k - 1], np.partition(high, -k)[-k]
            mean = self.pairs.mean[pair]  # differs from that of the flips by rounding
            ends[pair] = min(low, mean), max(high, mean)
        return ends


class TukeyTest(PairedTest):
    """Compare all systems at once by the randomised Tukey HSD test.

    Under the null hypothesis that all systems are alike, any system could have any of
    the scores of a query. Scores are therefore exchanged within queries, and each
    difference of means is compared with the largest difference that results. p-values
    and intervals hold for all pairs at once.

    References
    ----------
    B. Carterette, "Multiple testing in statistical analysis of systems-based
    information retrieval experiments", TOIS 30 (2012).
    """

    label = "randomised Tukey HSD test"
    adjusts = True
    draws = True

    def __init__(self, pairs):
        super().__init__(pairs)
        scores = weigh(pairs.scores, pairs.weights)
        ranges = []
        for part in batches(pairs.n_resamples, scores.size):
            drawn = np.broadcast_to(scores, (part.stop - part.start, *scores.shape))
            exchanged = pairs.rng.permuted(drawn, axis=2)
            ranges.append(np.ptp(exchanged.mean(axis=1), axis=1))
        self._ranges = ranges = np.concatenate(ranges)
        n_units, n_systems = scores.shape
        self._least = (n_systems * (n_systems - 1.0)) ** (1 - n_units)
        # Means of the same numbers in another order can differ in the last digit.
        rounding = max(ROUNDING * np.abs(scores).max(), pairs.resolution)
        sizes = np.abs(pairs.mean) - rounding
        n_reached = (ranges >= sizes[:, np.newaxis]).sum(axis=1)
        self.p_value = (n_reached + 1) / (len(ranges) + 1)

    def interval(self, alpha):
        """Return the ends of the intervals; see `PairedTest`."""
        mean, k = self.pairs.mean, rank_of_level(alpha, len(self._ranges) + 1)
        is_known = k > 0 and self._least <= alpha
        reach = np.partition(self._ranges, -k)[-k] if is_known else np.inf
        return ends_around(mean, np.full(len(mean), reach), self.p_value, alpha)


TESTS: dict[str, type[PairedTest]] = {
    "permutation": PermutationTest,
    "ttest": TTest,
    "wilcoxon": WilcoxonTest,
    "sign": SignTest,
    "bootstrap": BootstrapTest,
    "tukey": TukeyTest,
    "corrected_ttest": CorrectedTTest,
    "anytime": AnytimeTest,
}


def correction_of(test, correction, n_pairs):
    """Return the correction to make: none for tests that already adjust.

    Tests without max-T are corrected by Holm's method instead.
    """
    if test.adjusts or n_pairs == 1 or correction == "none":
        return None
    return "holm" if correction == "maxt" and test.max_t is None else correction


def n_sharing(test, correction, n_pairs):
    """Return the number of comparisons that share the error under a correction."""
    shares = test.adjusts or correction in ("maxt", "holm", "bonferroni")
    return n_pairs if shares else 1


def enough_draws(test, correction, alpha, n_slices, columns):
    """Return the number of draws for a p-value at the limit to have an error of 10 %.

    At least 9999; above that, at most 200,000, and 20 million for all pairs together.
    """
    by_hand = correction not in ("maxt", None)
    share = n_slices * (len(columns) if by_hand else 1)
    level = alpha if correction is None and not test.adjusts else alpha / share
    most = max(9999, min(200_000, 20_000_000 // len(columns)))
    return int(np.clip(np.ceil(100 * (1 - level) / level), 9999, most))


def count_draws(test, correction, pairs):
    """Return the number of random draws behind the p-values, 0 if they are exact."""
    is_few = len(pairs.scores) - 1 <= np.log2(pairs.n_resamples + 1)
    draws = test.draws and not (test.can_be_exact and is_few)
    return pairs.n_resamples if draws or correction == "maxt" else 0


def find_slices(test, slices, correction):
    """Return the p-values of `find_pairs` by slice, corrected for all slices.

    With "holm" and "fdr_bh", the p-values of all slices are corrected together. Others
    are corrected inside their slice, then for the number of slices by Bonferroni's
    method, as are their intervals.
    """
    n, n_pairs = len(slices), len(slices[0].pairs)
    made = correction_of(test, correction, n * n_pairs)
    together = n > 1 and made in ("holm", "fdr_bh")
    alone = None if together else correction_of(test, correction, n_pairs)
    tested = [find_pairs(test, pairs, alone) for pairs in slices]
    if together:
        p_values = correct(np.concatenate([p_value for p_value, _ in tested]), made)
        return [
            (p_value, Corrected(of_slice, part))
            for (p_value, of_slice), part in zip(
                tested, np.split(p_values, n), strict=True
            )
        ]
    if made is None and not test.adjusts:
        n = 1
    return [
        (p_value, Corrected(of_slice, np.minimum(n * of_slice.p_value, 1.0), n))
        for p_value, of_slice in tested
    ]


def find_pairs(test, pairs, correction):
    """Return the result of a test, for each pair alone and for all pairs.

    Parameters
    ----------
    test : subclass of PairedTest
        The test.
    pairs : PairedScores
        The scores to compare.
    correction : {"maxt", "bonferroni", "holm", "fdr_bh"} or None
        The result of `correction_of`.

    Returns
    -------
    p_value : ndarray of shape (n_pairs,)
        Of each pair alone.
    corrected : Corrected
        With adjusted p-values and matching intervals. For "holm" and "fdr_bh", which
        have none, the intervals are those of each pair alone.
    """
    alone = test(pairs)
    if pairs.strata is not None and test.needs_t_in_strata:
        alone = _Widest(alone, TTest(pairs))
    p_value = alone.p_value.clip(_LEAST, 1.0)
    if correction == "maxt":
        both = _Widest(_OfManyUnits(test, pairs, alone), test.max_t(pairs))
        both = _OfManyUnits(test, pairs, both)
        return p_value, Corrected(both, both.p_value.clip(_LEAST, 1.0))
    share = len(p_value) if correction == "bonferroni" else 1
    alone = _OfManyUnits(test, pairs, alone)
    return p_value, Corrected(alone, correct(p_value, correction), share)


class Corrected:
    """A test of several pairs with adjusted p-values.

    Parameters
    ----------
    test : PairedTest, Corrected or another with its attributes
        The test without this correction.
    p_value : ndarray of shape (n_pairs,)
        The adjusted p-values.
    share : int, default=1
        How many comparisons share the error of an interval.
    """

    def __init__(self, test, p_value, share=1):
        self.test = test
        self.p_value, self.center = p_value, test.center
        self.share = share

    def interval(self, alpha):
        """Return the ends of the intervals; see `PairedTest`."""
        return self.test.interval(alpha / self.share)


class _OfManyUnits:
    """A test whose intervals are unbounded where hardly any unit differs.

    The spread of the others then says nothing of those that were not drawn.
    """

    def __init__(self, kind, pairs, test):
        self.test, self._kind = test, kind
        self.p_value, self.center = test.p_value, test.center
        self._n_units = len(pairs.differences)
        self._n_differ = (pairs.differences != 0).sum(axis=0)

    def interval(self, alpha):
        """Return the ends of the intervals; see `PairedTest`."""
        fewest = self._kind.fewest(self._n_units, alpha)
        is_unknown = (self._n_differ < fewest) & (self.p_value > alpha)
        unbounded = [-np.inf, np.inf]
        return np.where(is_unknown[:, np.newaxis], unbounded, self.test.interval(alpha))


class _Widest:
    """Two tests together: the larger p-values, and intervals that hold both.

    Both intervals cover the mean, so 0 is outside the result exactly if it is outside
    both.
    """

    def __init__(self, first, second):
        self.tests = first, second
        self.p_value = np.maximum(first.p_value, second.p_value)
        self.center = first.center

    def interval(self, alpha):
        """Return the ends of the intervals; see `PairedTest`."""
        first, second = (test.interval(alpha) for test in self.tests)
        low = np.minimum(first[:, 0], second[:, 0])
        return np.column_stack([low, np.maximum(first[:, 1], second[:, 1])])


def correct(p_values, correction):
    """Return p-values adjusted for multiple comparisons.

    Parameters
    ----------
    p_values : ndarray of shape (n,)
        The p-values of one family.
    correction : {"holm", "bonferroni", "fdr_bh"} or None
        The first two bound the chance of any false discovery, the third the share of
        false ones among all discoveries.

    Returns
    -------
    ndarray of shape (n,)
    """
    n = len(p_values)
    if correction is None:
        return p_values
    if correction == "bonferroni":
        return np.minimum(n * p_values, 1.0)
    if correction == "fdr_bh":
        return stats.false_discovery_control(p_values, method="bh")
    order = np.argsort(p_values, kind="stable")
    stepped = np.maximum.accumulate((n - np.arange(n)) * p_values[order])
    adjusted = np.empty(n)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def detectable_effect(pairs, alpha):
    """Return the smallest mean differences that t-tests detect with a power of 80 %.

    Over splits, their variance is that of the corrected t-test. NaN if nothing varies.
    """
    n = len(pairs.parts)
    return smallest_detectable_effect(_std(pairs), n, 0.8, 1 - alpha)


def standard_error(pairs):
    """Return the standard errors of mean differences, NaN if nothing varies.

    Over splits, they are those of the corrected t-test.
    """
    std = _std(pairs)
    return np.where(std > 0, std / np.sqrt(len(pairs.parts)), np.nan)


def _std(pairs):
    """Return the standard deviations of differences, as if splits were independent."""
    n = len(pairs.parts)
    std = spread_of(pairs.parts) / np.sqrt(n - 1)
    if pairs.test_share is not None:
        std = std * np.sqrt(1 + n * pairs.test_share)
    return std


def find_constant(pairs):
    """Return for which pairs all differences are equal, but not 0."""
    return are_alike(pairs.differences) & (pairs.mean != 0)


def find_concentrated(pairs):
    """Return whether a tenth of the units causes four fifths of the variance, by pair.

    Pairs whose differences have one size, such as those of 0/1 values, do not count: no
    small gains can make up for their losses, so tests of their means are right.
    """
    squares = np.sort((pairs.parts - pairs.mean) ** 2, axis=0)
    most = squares[-max(1, round(len(squares) / 10)) :].sum(axis=0)
    is_most = most > 0.8 * squares.sum(axis=0)
    sizes = np.abs(pairs.parts)
    is_largest = sizes >= (1 - ROUNDING) * sizes.max(axis=0)
    has_one_size = (is_largest | (sizes == 0)).all(axis=0)
    return is_most & ~has_one_size & ~are_alike(pairs.parts)


def effect_size(pairs):
    """Return mean differences in units of their standard deviation over units."""
    n, spread = len(pairs.parts), spread_of(pairs.parts)
    size = np.where(pairs.mean == 0, 0.0, np.copysign(np.inf, pairs.mean))
    np.divide(pairs.mean * np.sqrt(n - 1), spread, out=size, where=spread > 0)
    return size


def rank_intervals(better):
    """Return the first and the last rank that each system may have.

    They hold for all systems at once with the probability that no test of a pair errs:
    systems shown to be better rank above, systems shown to be worse rank below.

    Parameters
    ----------
    better : bool array of shape (n_systems, n_systems)
        Whether the system of the row is shown to be better than that of the column.

    Returns
    -------
    int array of shape (n_systems, 2)
        From 1.

    References
    ----------
    M. Mogstad, J. Romano, A. Shaikh and D. Wilhelm, "Inference for Ranks with
    Applications to Mobility across Neighbourhoods and Academic Achievement across
    Countries", The Review of Economic Studies 91 (2024).
    """
    return np.column_stack([1 + better.sum(axis=0), len(better) - better.sum(axis=1)])


def groups_alike(better):
    """Return groups of systems; two systems share a group if neither is better.

    No group holds two systems that differ. Each starts with the first two systems that
    share no group yet, and adds all systems that it can.

    Parameters
    ----------
    better : bool array of shape (n_systems, n_systems)
        As for `rank_intervals`.

    Returns
    -------
    list of list of int
        The systems of each group, in their order.
    """
    differ = better | better.T
    apart, groups = ~differ, []
    while apart.any():
        first, second = np.unravel_index(np.argmax(apart), apart.shape)
        group = np.zeros(len(differ), dtype=bool)
        group[[first, second]] = True
        for system in range(len(differ)):
            group[system] |= not differ[system, group].any()
        apart[np.ix_(group, group)] = False
        groups.append(np.flatnonzero(group).tolist())
    return sorted(groups)
