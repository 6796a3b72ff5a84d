"""The paired tests by name, and corrections for many comparisons.

The interval of a test at level 1 - α holds the differences that the same test, with the
same draws, does not reject at α, so 0 lies outside exactly if p ≤ α.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from sklearn_irmetrics._statistics.batches import batches
from sklearn_irmetrics._statistics.classifiers import five_by_two, mcnemar
from sklearn_irmetrics._statistics.draws import spread_of
from sklearn_irmetrics._statistics.pairs import (
    Found,
    PairedScores,
    ends_around,
    rank_of_level,
)
from sklearn_irmetrics._statistics.planning import smallest_detectable_effect
from sklearn_irmetrics._statistics.ranks import sign, wilcoxon
from sklearn_irmetrics._statistics.sequential import anytime
from sklearn_irmetrics._statistics.studentised import (
    bootstrap,
    corrected_ttest,
    max_t,
    ttest,
)
from sklearn_irmetrics._statistics.units import ROUNDING, weigh

# Replaces p-values too small for floating point: no test is ever certain.
_LEAST = np.finfo(np.float64).tiny
MEAN = "mean difference"
CORRECTIONS = {
    "maxt": "max-T",
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "fdr_bh": "Benjamini-Hochberg",
    None: "no",
}


def permutation(pairs):
    """Flip signs of differences at random, by unit (Fisher's randomisation test)."""
    flips = pairs.flips
    n_pairs = len(flips.mean)

    def p_value(pair):
        low, high = flips.reaches(pair)
        return (np.count_nonzero((low <= 0) & (high >= 0)) + 1) / flips.total

    def ends(alpha):
        found = np.tile([-np.inf, np.inf], (n_pairs, 1))
        k = rank_of_level(alpha, flips.total)
        for pair in range(n_pairs if k > 0 else 0):
            low, high = flips.reaches(pair)
            low, high = np.partition(low, k - 1)[k - 1], np.partition(high, -k)[-k]
            mean = pairs.mean[pair]  # differs from that of the flips by rounding
            found[pair] = min(low, mean), max(high, mean)
        return found

    return Found(np.array([p_value(pair) for pair in range(n_pairs)]), ends)


def tukey(pairs):
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
    scores = weigh(pairs.scores, pairs.weights)
    ranges = []
    for part in batches(pairs.n_resamples, scores.size):
        drawn = np.broadcast_to(scores, (part.stop - part.start, *scores.shape))
        exchanged = pairs.rng.permuted(drawn, axis=2)
        ranges.append(np.ptp(exchanged.mean(axis=1), axis=1))
    ranges = np.concatenate(ranges)
    total = len(ranges) + 1
    n_units, n_systems = scores.shape
    least = (n_systems * (n_systems - 1.0)) ** (1 - n_units)
    # Means of the same numbers in another order can differ in the last digit.
    sizes = np.abs(pairs.mean) - ROUNDING * np.abs(scores).max()
    p_value = ((ranges >= sizes[:, np.newaxis]).sum(axis=1) + 1) / total

    def ends(alpha):
        k = rank_of_level(alpha, total)
        reach = np.partition(ranges, -k)[-k] if k > 0 and least <= alpha else np.inf
        return ends_around(pairs.mean, np.full(len(sizes), reach), p_value, alpha)

    return Found(p_value, ends)


@dataclass(frozen=True)
class PairedTest:
    """The facts about one paired test.

    Attributes
    ----------
    label : str
        Its name in tables.
    find : callable
        From `PairedScores` to `Found`.
    max_t : callable or None
        The same for all pairs at once, if it has a max-T correction.
    unit : {"query", "row", "split", "half"}
        The unit of the test; a half is one of two folds.
    interval_of : str
        What its intervals estimate.
    counts_signs : bool
        Whether only the number of units that differ limits how small p can be.
    takes_weights : bool
        Whether units may have weights.
    adjusts : bool
        Whether its p-values already hold for all pairs at once.
    """

    label: str
    find: Callable[[PairedScores], Found]
    max_t: Callable[[PairedScores], Found] | None = None
    unit: str = "query"
    interval_of: str = MEAN
    counts_signs: bool = False
    takes_weights: bool = True
    adjusts: bool = False


TESTS = {
    "permutation": PairedTest(
        "paired permutation test", permutation, max_t, counts_signs=True
    ),
    "ttest": PairedTest("paired t-test", ttest, max_t),
    "wilcoxon": PairedTest(
        "Wilcoxon signed-rank test",
        wilcoxon,
        interval_of="pseudo-median",
        counts_signs=True,
        takes_weights=False,
    ),
    "sign": PairedTest(
        "sign test",
        sign,
        interval_of="share of wins",
        counts_signs=True,
        takes_weights=False,
    ),
    "bootstrap": PairedTest("paired bootstrap test", bootstrap, max_t),
    "tukey": PairedTest("randomised Tukey HSD test", tukey, adjusts=True),
    "corrected_ttest": PairedTest(
        "corrected resampled t-test", corrected_ttest, unit="split"
    ),
    "anytime": PairedTest("anytime-valid test", anytime, takes_weights=False),
    "mcnemar": PairedTest(
        "exact McNemar test",
        mcnemar,
        unit="row",
        counts_signs=True,
        takes_weights=False,
    ),
    "5x2cv": PairedTest(
        "combined 5 x 2 cv F test", five_by_two, unit="half", takes_weights=False
    ),
}


def correction_of(test, correction, n_pairs):
    """Return the correction to make: none for tests that already adjust.

    Tests without max-T are corrected by Holm's method instead.
    """
    if test.adjusts or n_pairs == 1 or correction == "none":
        return None
    return "holm" if correction == "maxt" and test.max_t is None else correction


def n_sharing(test, correction, n_pairs):
    """Return how many comparisons share the error under a correction."""
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
    """Return how many random draws p-values are based on, 0 if they are exact."""
    is_exact = len(pairs.scores) - 1 <= np.log2(pairs.n_resamples + 1)
    draws = test.find in (bootstrap, tukey) or test.find is permutation and not is_exact
    return pairs.n_resamples if draws or correction == "maxt" else 0


def find_slices(test, slices, correction):
    """Return what `find_pairs` does for each slice, corrected for all slices.

    With "holm" and "fdr_bh", the p-values of all slices are corrected together. Others
    are corrected inside their slice, then for the number of slices by Bonferroni's
    method, as are their intervals.
    """
    n, n_pairs = len(slices), len(slices[0].pairs)
    made = correction_of(test, correction, n * n_pairs)
    together = n > 1 and made in ("holm", "fdr_bh")
    alone = None if together else correction_of(test, correction, n_pairs)
    found = [find_pairs(test, pairs, alone) for pairs in slices]
    if together:
        p_values = correct(np.concatenate([p_value for p_value, _ in found]), made)
        return [
            (p_value, replace(one, p_value=part))
            for (p_value, one), part in zip(found, np.split(p_values, n), strict=True)
        ]
    if made is None and not test.adjusts:
        n = 1

    def share(one):
        p_value = np.minimum(n * one.p_value, 1.0)
        return Found(p_value, lambda alpha: one.ends(alpha / n), one.center)

    return [(p_value, share(one)) for p_value, one in found]


def find_pairs(test, pairs, correction):
    """Return the result of a test, for each pair alone and for all pairs.

    Parameters
    ----------
    test : PairedTest
        The test.
    pairs : PairedScores
        The scores to compare.
    correction : {"maxt", "bonferroni", "holm", "fdr_bh"} or None
        The result of `correction_of`.

    Returns
    -------
    p_value : ndarray of shape (n_pairs,)
        Of each pair alone.
    corrected : Found
        With adjusted p-values and matching intervals. For "holm" and "fdr_bh", which
        have none, the intervals are those of each pair alone.
    """
    found = test.find(pairs)
    if pairs.strata is not None and test.find is permutation:
        found = _widest(found, ttest(pairs))  # t accounts for small strata
    p_value = found.p_value.clip(_LEAST, 1.0)
    if correction == "maxt":
        both = _widest(found, test.max_t(pairs))
        return p_value, replace(both, p_value=both.p_value.clip(_LEAST, 1.0))
    share = len(p_value) if correction == "bonferroni" else 1
    corrected = correct(p_value, correction)
    return p_value, Found(corrected, lambda a: found.ends(a / share), found.center)


def _widest(alone, together):
    """Return the larger p-values, and intervals that hold those of both.

    Both intervals hold the mean, so 0 is outside the result exactly if it is outside
    both.
    """

    def ends(alpha):
        first, second = alone.ends(alpha), together.ends(alpha)
        low = np.minimum(first[:, 0], second[:, 0])
        return np.column_stack([low, np.maximum(first[:, 1], second[:, 1])])

    return Found(np.maximum(alone.p_value, together.p_value), ends, alone.center)


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
    std = spread_of(pairs.parts) / np.sqrt(n - 1)
    if pairs.test_share is not None:
        std = std * np.sqrt(1 + n * pairs.test_share)
    return smallest_detectable_effect(std, n, 0.8, 1 - alpha)


def count_concentrated(pairs):
    """Return how many pairs owe four fifths of their spread to a tenth of the units."""
    squares = np.sort((pairs.parts - pairs.mean) ** 2, axis=0)
    most = squares[-max(1, round(len(squares) / 10)) :].sum(axis=0)
    is_most = most > 0.8 * squares.sum(axis=0)
    return int((is_most & (spread_of(pairs.parts) > 0)).sum())


def effect_size(pairs):
    """Return mean differences in units of their standard deviation over units."""
    n, spread = len(pairs.parts), spread_of(pairs.parts)
    size = np.where(pairs.mean == 0, 0.0, np.copysign(np.inf, pairs.mean))
    np.divide(pairs.mean * np.sqrt(n - 1), spread, out=size, where=spread > 0)
    return size
