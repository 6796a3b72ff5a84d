"""The tests of pairs of systems, which comparisons and leaderboards are views of."""

from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from sklearn_irmetrics._checks import add_note_to_errors, check_positive, check_real
from sklearn_irmetrics._results.tables import count
from sklearn_irmetrics._statistics.anytime import check_bound
from sklearn_irmetrics._statistics.dirichlet import dirichlet_ends
from sklearn_irmetrics._statistics.draws import check_generator
from sklearn_irmetrics._statistics.intervals import (
    FEW_IN_STRATUM,
    ConfidenceInterval,
)
from sklearn_irmetrics._statistics.paired_tests import (
    TESTS,
    Corrected,
    correction_of,
    count_draws,
    enough_draws,
    find_concentrated,
    find_constant,
    find_slices,
    n_sharing,
)
from sklearn_irmetrics._statistics.pairs import PairedScores
from sklearn_irmetrics._statistics.power import fewest_for_margin
from sklearn_irmetrics.comparison._alignment import SystemScores
from sklearn_irmetrics.comparison._systems import (
    difference_bounds,
    refuse_mixed_scales,
)
from sklearn_irmetrics.metrics._intervals import narrow_range

_LARGEST = 1e150


@dataclass(frozen=True, eq=False)
class TestedPairs:
    """Pairs of systems that were tested by one measure, in one slice of the units.

    Attributes
    ----------
    scores : SystemScores
        The aligned scores of all systems.
    pairs : PairedScores
        The units that are defined, and the pairs.
    n_undefined : int
        Number of units without scores.
    test : str
        The test of each pair.
    correction : str or None
        The correction for all pairs of all slices.
    correction_within : str or None
        The correction for the pairs of this slice.
    n_sharing : int
        Number of comparisons that share the error.
    alpha : float
        1 minus the confidence level.
    p_value : ndarray of shape (n_pairs,)
        Of each pair alone.
    corrected : Corrected
        p-values and intervals after the correction.
    """

    scores: SystemScores
    pairs: PairedScores
    n_undefined: int
    test: str
    correction: str | None
    correction_within: str | None
    n_sharing: int
    alpha: float
    p_value: np.ndarray
    corrected: Corrected

    @property
    def means(self):
        """The mean of each system."""
        return np.average(self.pairs.scores, axis=0, weights=self.pairs.weights)

    @property
    def n_units(self):
        """Number of units that were compared."""
        return len(self.pairs.scores)

    @property
    def n_draws(self):
        """Number of random draws behind the p-values; 0 if they are exact."""
        return count_draws(TESTS[self.test], self.correction_within, self.pairs)

    def decide(self, margin, sign):
        """Return limits and verdicts about a margin, and how many units it needs.

        The number is None if the test has limits of its own.
        """
        test, alpha = TESTS[self.test], self.alpha / self.n_sharing
        limits = margin_limits(self.pairs, self.corrected, test, alpha)
        verdicts = tuple(verdict_of(interval, sign, margin) for interval in limits)
        if test.decides_margins:
            return limits, verdicts, None
        return limits, verdicts, fewest_for_margin(margin, self.pairs.bounds[1], alpha)

    @cached_property
    def ends(self):
        """The ends of the interval of each pair, after the correction."""
        return self.corrected.interval(self.alpha)

    @property
    def is_constant(self):
        """Whether an interval excludes 0 although no variation was seen, by pair.

        Those of tests that hold however few units differ show the variation of others.
        """
        is_constant = find_constant(self.pairs)
        if TESTS[self.test].covers_few or not is_constant.any():
            return np.zeros_like(is_constant)
        low, high = self.ends.T
        return is_constant & ((low > 0) | (high < 0))

    @property
    def is_concentrated(self):
        """Whether few units cause most of the variation, if means are tested, by pair.

        Splits are no units of their own.
        """
        if self.scores.unit == "split" or not TESTS[self.test].compares_means:
            return np.zeros(len(self.p_value), dtype=bool)
        return find_concentrated(self.pairs)

    @property
    def n_in_stratum(self):
        """Number of units in the smallest stratum; None without strata."""
        strata = self.pairs.strata
        return None if strata is None else int(np.bincount(strata).min())


def test_slices(
    systems,
    metric,
    slices,
    columns,
    *,
    test,
    correction,
    alpha,
    bound=None,
    n_resamples=None,
    random_state=None,
):
    """Test pairs of systems in each slice, corrected for all slices.

    Parameters
    ----------
    systems : dict of str to system
        As for `compare`.
    metric : str or None
        The measure.
    slices : dict of SystemScores
        Aligned scores by slice, the only one under None if there are no slices.
    columns : list of tuple of int
        The pairs.
    test : str
        A key of `TESTS`.
    correction : str or None
        The requested correction.
    alpha : float
        1 minus the confidence level.
    bound, n_resamples, random_state
        As for `compare`.

    Returns
    -------
    dict of TestedPairs
        By slice.
    """
    kind, n_pairs = TESTS[test], len(columns) * len(slices)
    made = correction_of(kind, correction, n_pairs)
    draws = n_resamples or enough_draws(kind, made, alpha, len(slices), columns)
    rng = check_generator(random_state)
    paired = []
    for key, scores in slices.items():
        is_whole = key is None
        with (
            nullcontext()
            if is_whole
            else add_note_to_errors(f"This happened in the slice {key!r}.")
        ):
            paired.append(
                pair_scores(
                    systems,
                    metric,
                    scores,
                    columns,
                    test=test,
                    bound=bound,
                    n_resamples=draws,
                    rng=rng,
                )
            )
    tested = find_slices(kind, [pairs for pairs, _ in paired], correction)
    return {
        key: TestedPairs(
            scores=scores,
            pairs=pairs,
            n_undefined=n_undefined,
            test=test,
            correction=made,
            correction_within=correction_of(kind, correction, len(columns)),
            n_sharing=n_sharing(kind, made, n_pairs),
            alpha=alpha,
            p_value=p_value,
            corrected=corrected,
        )
        for (key, scores), (pairs, n_undefined), (p_value, corrected) in zip(
            slices.items(), paired, tested, strict=True
        )
    }


def check_level(confidence_level):
    """Return a confidence level that `error_rate` does not round to 0 or 1."""
    least, most = 1e-12, 1 - 1e-12
    rule = "strictly between 1e-12 and 1 - 1e-12"
    return check_real("confidence_level", confidence_level, least, most, rule)


def about_strata(n_smallest, unit):
    """Yield a warning of a small stratum."""
    if n_smallest is not None and n_smallest < FEW_IN_STRATUM:
        yield (
            f"A stratum has only {count(n_smallest, unit)}. With fewer than "
            f"{FEW_IN_STRATUM}, p-values are not reliable; merge strata."
        )


def about_concentrated(n_units, units):
    """Return a warning of results that few units decide."""
    return (
        f"{max(1, round(n_units / 10))} of {n_units} {units} cause most of the "
        f"variation, so p may be too small. Look at them, or add {units}."
    )


def about_draws(n_draws, alpha):
    """Return how much p-values depend on the seed."""
    error = np.sqrt(alpha * (1 - alpha) / n_draws)
    return (
        f"p-values come from {n_draws:,} random draws; with another seed, a p of "
        f"{alpha:g} would typically differ by {error:.1g}."
    )


def pair_columns(names, baselines):
    """Return the columns to compare: all pairs, or all others with each baseline."""
    if baselines is None:
        return [(b, a) for a, b in combinations(range(len(names)), 2)]
    others = [i for i, name in enumerate(names) if name not in baselines]
    return [(i, names.index(baseline)) for i in others for baseline in baselines]


def pair_scores(systems, metric, scores, columns, *, test, bound, n_resamples, rng):
    """Return the pairs to test, and how many units are undefined."""
    values, weights, strata, n_undefined = scores.units()
    if scores.weights is not None and not TESTS[test].takes_weights:
        raise ValueError(
            f"test={test!r} does not support weights of queries; use "
            "'permutation', 'ttest', 'bootstrap' or 'tukey'."
        )
    if abs(values).max() > _LARGEST:
        raise ValueError(
            f"results must be at most {_LARGEST:g} in absolute value, so that sums of "
            f"squares are finite; got {values.flat[abs(values).argmax()]:g}."
        )
    refuse_mixed_scales(systems, metric, values)
    bounds = difference_bounds(systems, metric, values)
    if bound is not None:
        bounds = narrow_range((-bound, bound), metric, bounds)
    pairs = PairedScores(
        scores=values,
        pairs=np.array(columns),
        weights=weights,
        bounds=bounds,
        n_resamples=n_resamples,
        rng=rng,
        test_share=scores.test_share,
        strata=strata,
        resolution=scores.resolution,
    )
    if bound is not None:
        check_bound(pairs.differences, bound)
    return pairs, n_undefined


def check_margin(margin, confidence_level):
    """Return a margin, which needs limits that are surer than a coin."""
    margin = check_positive("margin", margin)
    if confidence_level <= 0.5:
        raise ValueError(
            f"margin needs a confidence_level above 0.5; got {confidence_level:g}."
        )
    return margin


def cut_intervals(ends, bounds):
    """Return intervals cut to the range of the measure."""
    if bounds is not None:
        ends = ends.clip(*bounds)
    return tuple(ConfidenceInterval(*both) for both in ends.tolist())


def margin_limits(pairs, corrected, test, alpha):
    """Return the intervals that decide about a margin, each limit with error alpha."""
    if test.decides_margins:
        return cut_intervals(corrected.interval(2 * alpha), pairs.bounds)
    if pairs.bounds is None:
        raise ValueError(
            "margin needs to know how large a difference can be: use a measure with a "
            "range, or pass bound=."
        )
    ends = dirichlet_ends(pairs.differences, pairs.weights, pairs.bounds, alpha)
    return tuple(ConfidenceInterval(*both) for both in ends.tolist())


def verdict_of(interval, sign, margin):
    """Return the verdict about a margin from one-sided limits."""
    low, high = sorted((sign * interval.low, sign * interval.high))
    if low > -margin:
        return "equivalent" if high < margin else "not worse"
    return "worse" if high < -margin else "undecided"
