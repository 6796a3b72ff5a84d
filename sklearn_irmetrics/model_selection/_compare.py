"""Which of several systems is better, and what may be chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Literal

import numpy as np

from sklearn_irmetrics._core.parameters import (
    check_count,
    check_flag,
    check_option,
    check_positive,
    check_real,
)
from sklearn_irmetrics._measures.systems import (
    greater_is_better_of,
    named_systems,
    the_metrics,
)
from sklearn_irmetrics._statistics.draws import check_generator
from sklearn_irmetrics._statistics.planning import fewest_for_margin
from sklearn_irmetrics._statistics.significance import (
    CORRECTIONS,
    TESTS,
    correction_of,
    count_concentrated,
    count_draws,
    detectable_effect,
    effect_size,
    enough_draws,
    find_slices,
    n_sharing,
)
from sklearn_irmetrics._typing import RandomState
from sklearn_irmetrics.model_selection._comparison import (
    ComparisonResult,
    ComparisonResults,
)
from sklearn_irmetrics.model_selection._inputs import noting
from sklearn_irmetrics.model_selection._pairing import (
    align_slices,
    cut_intervals,
    has_own_limits,
    margin_limits,
    pair_columns,
    pair_scores,
    verdict_of,
)


def compare(
    results: Mapping[str, Any] | Sequence[Any],
    *,
    baseline: str | None = None,
    test: str = "permutation",
    correction: Literal["maxt", "bonferroni", "holm", "fdr_bh", "none"] | None = "maxt",
    metric: Any = None,
    groups: Any = None,
    strata: Any = None,
    by: Any = None,
    margin: float | None = None,
    bound: float | None = None,
    greater_is_better: bool | None = None,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    random_state: RandomState = None,
) -> Any:
    """Compare systems on the same queries: differences, intervals, tests.

    Each interval is that of its test, inverted from the same draws: 0 ("sign": 1/2)
    lies outside exactly where the p-value is at most 1 - `confidence_level`.

    Parameters
    ----------
    results : dict of str to system, or list of systems
        Two or more, each an
        :class:`EvaluationResult`, a :class:`~sklearn_irmetrics.QueryScores`, a pandas
        Series with query ids in its index, or an array of scores per query, in the same
        order for all. Results of `evaluate` must be by the same method on the same
        splits; means of `QueryScores` must be plain, not weighted, geometric or micro.
        A query tested in several splits counts with its mean, and one of the .632
        methods with its corrected score. Queries that `evaluate` kept together
        (`groups=`) are one unit.
    baseline : str or None, default=None
        Name of the system to compare all others with. None: all pairs.
    test : str, default="permutation"
        "permutation"
            Signs of the differences at random (Fisher's randomisation test).
        "ttest"
            Paired t.
        "wilcoxon"
            Signed ranks; queries without a difference are left out. The interval is of
            the pseudo-median of the others.
        "sign"
            Wins and losses only; queries without a difference are left out. The
            interval is of the share of wins.
        "bootstrap"
            Queries drawn with repeats, differences shifted to mean 0, t statistics.
        "tukey"
            Randomised Tukey HSD: all systems at once; adjusted in itself.
        "corrected_ttest"
            Over splits rather than queries, corrected for shared training data
            (Nadeau & Bengio); needs results of `evaluate` on the same splits.
        "anytime"
            Valid however often one looks while queries come in: betting on bounded
            differences (Waudby-Smith & Ramdas). The interval is 1.5 to 1.9 times as
            wide as that of t, more so where differences vary by less than .15. Needs a
            measure with a range, or `bound`.
        "mcnemar"
            Over rows, for classifiers without queries: which of those that only one of
            two has right are whose, exactly. Needs results of `evaluate` by "accuracy".
        "5x2cv"
            Over five repeats of two folds, by the combined F test (Alpaydin); needs
            ``evaluate(..., method="kfold", n_splits=2, n_repeats=5)``.

        Results of `evaluate` by "accuracy" without queries have a value for every row,
        0 or 1, and the tests over queries are over rows then.
    correction : {"maxt", "bonferroni", "holm", "fdr_bh", "none"}, default="maxt"
        Adjusts p-values for the number of comparisons by one measure.

        "maxt"
            Step-down max-T of Westfall and Young: each t is compared with the largest
            of all pairs that differ no more clearly, when queries are drawn with
            repeats and differences are shifted to mean 0. Intervals are for all pairs
            at once. "wilcoxon", "sign" and
            "corrected_ttest" do not have it: there it stands for "holm".
        "bonferroni"
            p-values times the number of pairs, intervals for all pairs at once.
        "holm", "fdr_bh"
            p-values step by step; the intervals are those of each pair alone, and
            agree with the p-values that are not adjusted. Benjamini-Hochberg bounds the
            share of false discoveries, all others the chance of any.
        "none" (or None)
            Every pair alone, p-values as well as intervals: with many pairs, some of
            them differ by chance.
    metric : str, Measure, list of them or None, default=None
        Which measure, or measures, each with its own family of comparisons. None: all
        there are, which must be the same for all systems.
    groups : array-like of shape (n_queries,), mapping or None, default=None
        The group of each query, such as the topic of its variants or the document that
        questions were made from: in the order of the first system, or by query id.
        Groups are one unit of tests and intervals; queries of one count as one where
        they are alike. None: those of results of `evaluate`, if they have any.
    strata : array-like of shape (n_queries,), mapping or None, default=None
        The stratum of each query, such as the data set it is from, as `groups`. What is
        compared is the mean of the means of strata then, with its stratified error:
        that strata differ is no part of it. Each needs two units; no group may lie in
        two. "wilcoxon", "sign", "anytime" and tests over splits do not have it.
    by : array-like of shape (n_queries,), mapping or None, default=None
        The slice of each query, such as a country or type of question, as `groups`. The
        comparison is made in each slice, and corrected for all of them: "maxt" and
        "tukey" within slices and Bonferroni's across them, "holm" and "fdr_bh" for all
        pairs in all slices together.
    margin : float or None, default=None
        Which difference does not matter, in the units of the measure. One-sided limits
        at `confidence_level` then tell whether the systems are "equivalent" (both lie
        inside ± margin), the first is "not worse" (above - margin; non-inferior), or
        "worse" by more than the margin; "undecided" otherwise. They are Dirichlet
        limits of the differences and one more as far off as a difference can be, so
        that a loss that few queries show is not taken for absent: even without any
        difference, "not worse" takes about ``3 * bound / margin`` queries
        (`n_decisive`). With "anytime" and "corrected_ttest" they are the test's own.
        Several comparisons share the error unless `correction` is "none" or "fdr_bh".
    bound : float or None, default=None
        How large a difference on one query can be at all, to which intervals are cut; a
        larger one is an error. None: as the range of the measure has it. "anytime" and
        `margin` need it, and are the better, the smaller it is.
    greater_is_better : bool or None, default=None
        Who wins a query. None: as the measure says; True for arrays.
    confidence_level : float, default=0.95
        Of the intervals.
    n_resamples : int or None, default=None
        Random draws of "permutation", "bootstrap", "tukey" and "maxt". With few queries
        all signs are taken instead, so that the permutation test is exact. None: 9999,
        or as many as it takes for a Monte Carlo error of a tenth of the p-value that
        just rejects, up to 200,000, and to 20 million for all pairs.
    random_state : int, Generator or None, default=None
        Seeds the draws.

    Returns
    -------
    ComparisonResult or ComparisonResults
        With `to_frame()`, `to_csv()`, `to_latex()` and `to_markdown()`. The latter for
        a list of measures, or where results have several and `metric` is None: one
        table, and one ComparisonResult by measure; with `by`, by slice.

    Raises
    ------
    TypeError, ValueError
        If systems were scored by other measures, on other queries, splits or scales or
        by other methods than the others (the message names them), or an argument breaks
        the rules above.

    Notes
    -----
    p-values are never 0: with random draws they are ``(count + 1) / (n_resamples +
    1)``. Differences that are all the same, but not 0, have the p-value of their signs,
    ``2 ** (1 - n)``, or the least that draws allow; "anytime" and, of more than 13,
    "wilcoxon" judge them as all others.

    An interval is cut to the differences that the range of the measure allows, and is
    all of them (infinite where no range is known) where no p-value can be small enough:
    five queries have only 16 ways to set signs, so p is at least 1/16.

    An adjusted p-value of "maxt" is never below the one of the pair alone, and its
    interval holds that of the pair alone; with one pair there is nothing to adjust.

    Groups and weights of queries: signs are drawn for whole groups; t, bootstrap and
    Tukey's test take the sum of each, and the intervals of t, bootstrap and "maxt" are
    Fieller's for the ratio of sums and weights; Wilcoxon's and the sign test take the
    mean of each group, and no weights.

    Strata: each difference is the mean of the means of strata and how far the unit lies
    from that of its own, scaled so that the plain standard error is the stratified one.
    t, bootstrap and max-T have Satterthwaite's degrees of freedom, and the permutation
    test rejects only where t does, too: signs do not know how few units a stratum has.
    Where all units of each stratum differ by the same, which says nothing of others,
    the error is that of the weighted differences, as without strata.

    References
    ----------
    B. Carterette, "Multiple testing in statistical analysis of systems-based
    information retrieval experiments", TOIS 30 (2012).

    M. Smucker, J. Allan, B. Carterette, "A comparison of statistical significance
    tests for information retrieval evaluation", CIKM 2007.

    C. Nadeau and Y. Bengio, "Inference for the Generalization Error", Machine Learning
    52 (2003).

    P. H. Westfall and S. S. Young, "Resampling-Based Multiple Testing", Wiley, 1993.

    I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by
    betting", JRSS B 86 (2024).

    E. Alpaydin, "Combined 5 x 2 cv F test for comparing supervised classification
    learning algorithms", Neural Computation 11 (1999).

    Q. McNemar, "Note on the sampling error of the difference between correlated
    proportions or percentages", Psychometrika 12 (1947).

    D. J. Schuirmann, "A comparison of the two one-sided tests procedure and the power
    approach for assessing the equivalence of average bioavailability", Journal of
    Pharmacokinetics and Biopharmaceutics 15 (1987).

    E. Learned-Miller and P. Thomas, "A new confidence interval for the mean of a
    bounded random variable", arXiv:1905.06208 (2019).

    Examples
    --------
    >>> from sklearn_irmetrics.model_selection import compare
    >>> old, new = [.2, .4, .1, .5, .3, .4], [.3, .6, .2, .5, .5, .8]
    >>> result = compare({"old": old, "new": new}, test="permutation")
    >>> round(float(result.difference[0]), 3), float(result.p_value[0])
    (0.167, 0.0625)
    """
    systems = named_systems(results)
    _check_options(systems, baseline, test, correction, greater_is_better)
    confidence_level = check_level(confidence_level)
    if n_resamples is not None:
        n_resamples = check_count("n_resamples", n_resamples)
    if margin is not None:
        margin = _check_margin(margin, confidence_level)
    if bound is not None:
        bound = check_positive("bound", bound)
    metrics, is_list = the_metrics(systems, metric)
    if is_list and by is not None:
        raise ValueError(f"by needs one measure: metric= must name one of {metrics}.")
    # Without the last bits of the difference, which would let p = 0.05 be above 0.05.
    alpha = round(1 - confidence_level, 12)
    kind, columns = TESTS[test], pair_columns(list(systems), baseline)
    found = {}
    for name in metrics:
        slices = align_slices(systems, name, test, groups=groups, strata=strata, by=by)
        n_pairs = len(columns) * len(slices)
        made = correction_of(kind, correction, n_pairs)
        share = n_sharing(kind, made, n_pairs)
        draws = n_resamples or enough_draws(kind, made, alpha, len(slices), columns)
        rng = check_generator(random_state)
        drawn = []
        for key, scores in slices.items():
            about = noting(f"This happened in the slice {key!r}.")
            with nullcontext() if by is None else about:
                given = systems, name, scores, columns
                drawn.append(pair_scores(*given, test, bound, draws, rng))
        tested = find_slices(kind, [pairs for pairs, _ in drawn], correction)
        is_better = greater_is_better
        if is_better is None:
            is_better = greater_is_better_of(systems, name)
        sign = 1 if is_better else -1
        is_share = kind.interval_of == "share of wins"
        for (key, scores), (pairs, n_undefined), (p_value, corrected) in zip(
            slices.items(), drawn, tested, strict=True
        ):
            center, ends = corrected.center, corrected.ends(alpha)
            inner = verdict = n_decisive = None
            if margin is not None:
                inner = margin_limits(pairs, corrected, kind, alpha / share)
                verdict = tuple(verdict_of(one, sign, margin) for one in inner)
                if not has_own_limits(kind):
                    reach = pairs.bounds[1]
                    n_decisive = fewest_for_margin(margin, reach, alpha / share)
            if is_share and sign < 0:
                center, ends = 1 - center, 1 - ends[:, ::-1]
            means = np.average(pairs.scores, axis=0, weights=pairs.weights)
            alone = correction_of(kind, correction, len(columns))
            is_few = alone == "maxt" and len(pairs.scores) < 50
            found[name if by is None else key] = ComparisonResult(
                mean=dict(zip(systems, means.tolist(), strict=True)),
                system=tuple(scores.names[i] for i, _ in pairs.pairs),
                versus=tuple(scores.names[i] for _, i in pairs.pairs),
                difference=pairs.mean,
                confidence_interval=cut_intervals(
                    ends, None if is_share else pairs.bounds
                ),
                p_value=p_value,
                p_adjusted=corrected.p_value,
                effect_size=effect_size(pairs),
                detectable_effect=detectable_effect(pairs, alpha / share),
                wins=(sign * pairs.differences > 0).sum(axis=0),
                ties=(pairs.differences == 0).sum(axis=0),
                losses=(sign * pairs.differences < 0).sum(axis=0),
                metric=name or "score",
                test=test,
                correction=made,
                greater_is_better=is_better,
                confidence_level=confidence_level,
                unit=scores.unit,
                n_units=len(pairs.scores),
                n_undefined=n_undefined,
                center=center,
                margin=margin,
                margin_interval=inner,
                n_decisive=n_decisive,
                n_concentrated=count_concentrated(pairs) if is_few else 0,
                verdict=verdict,
                n_draws=count_draws(kind, alone, pairs),
            )
    if by is not None:
        return ComparisonResults(found, by="slice")
    return ComparisonResults(found) if is_list else found[metrics[0]]


def check_level(confidence_level):
    """Return a level, the rest of which to 1 has twelve digits."""
    least, most = 1e-12, 1 - 1e-12
    rule = "strictly between 1e-12 and 1 - 1e-12"
    return check_real("confidence_level", confidence_level, least, most, rule)


def _check_options(systems, baseline, test, correction, greater_is_better):
    if baseline is not None and baseline not in list(systems):
        raise ValueError(f"baseline must be one of {list(systems)}; got {baseline!r}.")
    check_option("test", test, TESTS)
    if correction is not None:
        check_option("correction", correction, [c or "none" for c in CORRECTIONS])
    if greater_is_better is not None:
        check_flag("greater_is_better", greater_is_better)


def _check_margin(margin, confidence_level):
    margin = check_positive("margin", margin)
    if confidence_level <= 0.5:
        raise ValueError(
            f"margin={margin:g} needs a confidence_level above 0.5, since its interval "
            f"has twice the error; got {confidence_level:g}."
        )
    return margin
