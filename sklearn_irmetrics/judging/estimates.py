"""`score_judged` and `compare_judged`."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.labels import check_row_order
from sklearn_irmetrics._checks import (
    check_confidence_level,
    check_option,
    check_real,
    refuse_names_alike,
)
from sklearn_irmetrics._typing import Ids
from sklearn_irmetrics.judging.designs import make_design
from sklearn_irmetrics.judging.results import JudgedComparison, JudgedScores
from sklearn_irmetrics.metrics._measure import Measure, Measures, as_averaged


def score_judged(
    y_true: ArrayLike,
    y_judge: ArrayLike,
    y_score: ArrayLike,
    metrics: Measures,
    *,
    qid: Ids | None = None,
    inclusion: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    groups: Ids | None = None,
    confidence_level: float = 0.95,
    replace_undefined_by: float = 0.0,
) -> JudgedScores:
    """Score rankings by a judge's grades, corrected by what people labelled.

    What people labelled must be a **random sample**: whole queries drawn at random, or
    documents drawn with known probabilities; not the easy ones, nor those that looked
    wrong. Otherwise the estimates may be wrong by any amount, and the interval does not
    show it. As a check, the judge's grades of the sample are compared with those of the
    rest (`random_p_value`), and the table has a note if a random sample would seldom
    differ as much.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        Labels by people; NaN where there is none. Without `inclusion`, people must have
        labelled all documents of a query that the judge graded, or none.
    y_judge : array-like of the shape of `y_true`
        The judge's grades, of all queries, none negative. NaN: unjudged, such as
        documents that nobody would label.
    y_score : array-like of the shape of `y_true`
        Scores; larger ranks higher, -inf: not retrieved.
    metrics : str or Measure, list of them, or dict of str to them
        Plain means over queries of any measure, such as ``"ndcg@10"``.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input.
    inclusion : array-like of the shape of `y_true`, default=None
        The probability with which each document was selected for labelling, as
        `sample_judgments` returns it, if single documents were sampled. Use it for sums
        over documents (P@k, CG, DCG, RBP, success@1). Other measures need whole
        queries: from sampled documents they stay biased however many are labelled, and
        have no interval. Labels of documents with an inclusion of 0 are not used. None:
        whole queries were labelled.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
    groups : array-like, default=None
        Groups of queries that resemble each other, such as those of one user, per row
        with 1-D input. They are the units, and labelled wholly or not at all.
    confidence_level : float, default=0.95
        Of the intervals.
    replace_undefined_by : float, default=0.0
        Value of an undefined query, in the range of the measures. Such queries cannot
        be left out, because it is unknown in which of the unlabelled queries people
        would find nothing relevant.

    Returns
    -------
    JudgedScores
        With `estimate`, `standard_error` and `confidence_interval` by measure, the
        judge's value and its bias, `to_frame()` and `plot()`.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    compare_judged : Differences between systems.

    Notes
    -----
    The estimate is that of prediction-powered inference, which is the regression
    estimator of two-phase sampling: the mean of ``f - weight * (h - mean of all h)``
    over the labelled queries, with values `f` by people and `h` by the judge. The
    weight of the judge is the slope of `f` on `h`, kept in [0, 1]. It is 0 for a
    useless judge, which then does no harm. The judge may be biased; only what does
    *not* vary with people's values makes the interval wider.

    The interval is about queries like these. It is t, of the corrected values and one
    more towards each end of the range of the measure, half a spread away and of half
    the weight. In simulations of ten judges and four measures it covered the truth in
    at least 94 % of samples from 10 labelled queries on. Where most of people's values
    lie at one end of the range, the added values are whole ones at its ends, and the
    judge has no weight while fewer than five values lie elsewhere; this also covered
    the truth in at least 94 % of samples. If all queries are labelled, the interval is
    that of `QueryScores.interval`. It does not hold for a judge that is exact but for
    rare lapses, which few labelled queries do not show: with lapses in 5 % of the
    queries, the interval covered the truth in 68 to 80 % of samples of 10 to 30
    queries.

    With `inclusion`, people's labels are regressed on the judge's grade and the mean
    grade of its query, and what the regression misses in the sample is added with the
    weight ``1 / inclusion`` (the difference estimator). The regression is of the same
    labels, so the estimate is nearly unbiased only with many of them, and the interval,
    t over the queries, is too narrow with few: label 100 documents or more. In
    simulations of 60 queries it covered the truth in 93 to 95 % of samples of 100
    documents, and in 87 to 95 % of samples of 20. If fewer than five labels differ from
    the judge's grades, or from the most frequent label, one more value is added at each
    end of the range, with the weight of a labelled query.

    References
    ----------
    A. N. Angelopoulos, J. C. Duchi and T. Zrnic, "PPI++: Efficient Prediction-Powered
    Inference", arXiv 2311.01453 (2023).

    W. G. Cochran, "Sampling Techniques", 3rd edition, Wiley 1977, chapter 12.

    C.-E. Särndal, B. Swensson and J. Wretman, "Model Assisted Survey Sampling",
    Springer 1992, chapter 6.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_irmetrics.judging import score_judged
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 4, size=(200, 20))  # nobody has seen most of it
    >>> y_score = truth + rng.normal(scale=2, size=truth.shape)
    >>> y_judge = np.clip(truth + rng.integers(0, 2, truth.shape), 0, 3)
    >>> y_true = np.where(np.arange(200)[:, None] < 30, truth, np.nan)
    >>> result = score_judged(y_true, y_judge, y_score, "ndcg@10")
    >>> round(result.judge["ndcg@10"], 3), round(result.estimate["ndcg@10"], 3)
    (0.846, 0.804)
    >>> print(*(round(end, 3) for end in result.confidence_interval["ndcg@10"]))
    0.778 0.827
    """
    level = check_confidence_level(confidence_level)
    measures, replacement = check_measures("metrics", metrics, replace_undefined_by)
    check_row_order(
        y_true=y_true,
        y_judge=y_judge,
        y_score=y_score,
        qid=qid,
        inclusion=inclusion,
        sample_weight=sample_weight,
        groups=groups,
    )
    design = make_design(
        y_true,
        y_judge,
        qid=qid,
        inclusion=inclusion,
        sample_weight=sample_weight,
        groups=groups,
        replacement=replacement,
    )
    parts = design.parts(y_score, measures)
    estimates = {
        label: design.estimate(parts[label], measure, level)
        for label, measure in measures.items()
    }

    def by_measure(name):
        return {label: getattr(estimate, name) for label, estimate in estimates.items()}

    return JudgedScores(
        estimate=by_measure("estimate"),
        standard_error=by_measure("standard_error"),
        confidence_interval=by_measure("confidence_interval"),
        confidence_level=level,
        judge=by_measure("judge"),
        bias=by_measure("bias"),
        bias_interval=by_measure("bias_interval"),
        judge_weight=by_measure("judge_weight"),
        effective_labels=by_measure("effective_labels"),
        random_p_value=by_measure("random_p_value"),
        n_labelled=design.n_labelled,
        n_units=design.n_units,
        unit=design.unit,
    )


def compare_judged(
    y_true: ArrayLike,
    y_judge: ArrayLike,
    y_scores: Mapping[str, ArrayLike],
    metric: str | Measure,
    *,
    qid: Ids | None = None,
    inclusion: ArrayLike | None = None,
    baseline: str | None = None,
    correction: Literal["bonferroni", "none"] = "bonferroni",
    sample_weight: ArrayLike | None = None,
    groups: Ids | None = None,
    confidence_level: float = 0.95,
    replace_undefined_by: float = 0.0,
) -> JudgedComparison:
    """Compare systems by a judge's grades, corrected by what people labelled.

    Differences are corrected as differences, because a judge that is fair to one system
    need not be to another: language models favour rankers like themselves. As for
    `score_judged`, what people labelled must be a random sample.

    Parameters
    ----------
    y_true, y_judge : array-like
        As for `score_judged`.
    y_scores : dict of str to array-like of the shape of `y_true`
        Scores of two systems or more, by name.
    metric : str or Measure
        One measure, such as ``"ndcg@10"``.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input.
    inclusion : array-like of the shape of `y_true`, default=None
        The probability with which each document was selected, for all systems at once;
        see `score_judged`. None: whole queries were labelled.
    baseline : str or None, default=None
        Name of the system to compare all others with. None: all pairs.
    correction : {"bonferroni", "none"}, default="bonferroni"
        Whether p-values and intervals are for all pairs at once.
    sample_weight, groups : array-like, default=None
        As for `score_judged`.
    confidence_level : float, default=0.95
        Of the intervals.
    replace_undefined_by : float, default=0.0
        As for `score_judged`.

    Returns
    -------
    JudgedComparison
        With `estimate`, `confidence_interval` and `p_value` of each pair. Its `bias` is
        the interaction of system and judge: by how much the judge favours the first
        system, with `bias_interval` and `bias_p_value`.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    Notes
    -----
    Intervals are made as for `score_judged`, and 0 is treated like an end of the range,
    because few labelled queries may all miss the rare ones in which systems differ. If
    half of the labelled differences are 0, or fewer than five are not, whole values are
    added at the ends of the range of differences; with fewer than five, the judge has
    no weight. If people found no difference, the interval is the whole range, NaN for
    measures without one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_irmetrics.judging import compare_judged
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 4, size=(200, 20))  # nobody has seen most of it
    >>> y_scores = {
    ...     name: truth + rng.normal(scale=noise, size=truth.shape)
    ...     for name, noise in [("new", 2.0), ("old", 2.5)]
    ... }
    >>> y_judge = np.clip(truth + (y_scores["new"] > 4), 0, 3)  # it likes the new one
    >>> y_true = np.where(np.arange(200)[:, None] < 40, truth, np.nan)
    >>> result = compare_judged(y_true, y_judge, y_scores, "ndcg@10")
    >>> print(result.judge.round(3), result.estimate.round(3))
    [0.079] [0.022]
    """
    level = check_confidence_level(confidence_level)
    check_option("correction", correction, ("bonferroni", "none"))
    pairs = _check_pairs(y_scores, baseline)
    measures, replacement = check_measures("metric", [metric], replace_undefined_by)
    ((label, measure),) = measures.items()
    scores = {f"y_scores[{name!r}]": scores for name, scores in y_scores.items()}
    check_row_order(
        y_true=y_true,
        y_judge=y_judge,
        **scores,
        qid=qid,
        inclusion=inclusion,
        sample_weight=sample_weight,
        groups=groups,
    )
    design = make_design(
        y_true,
        y_judge,
        qid=qid,
        inclusion=inclusion,
        sample_weight=sample_weight,
        groups=groups,
        replacement=replacement,
    )
    parts = {name: design.parts(y, measures)[label] for name, y in y_scores.items()}
    n_tests = len(pairs) if correction == "bonferroni" else 1
    level_of_each = 1 - (1 - level) / n_tests
    estimates = [
        design.estimate(
            parts[first] - parts[second], measure, level_of_each, is_difference=True
        )
        for first, second in pairs
    ]

    def by_pair(name):
        return np.array([getattr(estimate, name) for estimate in estimates])

    return JudgedComparison(
        system=tuple(first for first, _ in pairs),
        versus=tuple(second for _, second in pairs),
        estimate=by_pair("estimate"),
        standard_error=by_pair("standard_error"),
        confidence_interval=tuple(
            estimate.confidence_interval for estimate in estimates
        ),
        confidence_level=level,
        p_value=np.minimum(1.0, n_tests * by_pair("p_value")),
        judge=by_pair("judge"),
        bias=by_pair("bias"),
        bias_interval=tuple(estimate.bias_interval for estimate in estimates),
        bias_p_value=np.minimum(1.0, n_tests * by_pair("bias_p_value")),
        judge_weight=by_pair("judge_weight"),
        effective_labels=by_pair("effective_labels"),
        random_p_value=by_pair("random_p_value"),
        n_labelled=design.n_labelled,
        n_units=design.n_units,
        unit=design.unit,
        metric=label,
        correction=correction,
        greater_is_better=measure.metric.greater_is_better,
    )


def _check_pairs(y_scores, baseline):
    """Return the pairs of systems to compare, by name."""
    if not isinstance(y_scores, Mapping) or len(y_scores) < 2:
        raise ValueError("y_scores must be a dict of two systems or more.")
    refuse_names_alike("y_scores", y_scores)
    if baseline is None:
        return [*combinations(y_scores, 2)]
    if baseline not in [*y_scores]:
        raise ValueError(f"baseline must be one of {[*y_scores]}; got {baseline!r}.")
    return [(name, baseline) for name in y_scores if name != baseline]


def check_measures(name, metrics, replace_undefined_by):
    """Return measures that have a mean over queries, and the checked replacement."""
    replacement = check_real("replace_undefined_by", replace_undefined_by)
    measures = as_averaged(name, metrics)
    for label, measure in measures.items():
        if measure.average != "macro":
            raise ValueError(
                f"{name} must be plain means over queries; {label!r} has "
                f"average={measure.average!r}."
            )
        if measure.metric.name == "silence":
            raise ValueError(
                f"{name} must not hold {label!r}, which is a mean over the queries "
                "without relevant documents only: it is unknown which of the "
                "unlabelled queries these are."
            )
        low, high = measure.range
        if not low <= replacement <= high:
            raise ValueError(
                "replace_undefined_by must lie in the range of every measure, because "
                f"undefined queries count here; {label!r} is from {low:g} to {high:g}; "
                f"got {replacement:g}."
            )
    return measures, replacement
