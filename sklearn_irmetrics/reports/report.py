"""A table of everything worth knowing about a set of rankings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.numbers import as_array, issparse
from sklearn_irmetrics._checks import check_flag, refuse_names_alike
from sklearn_irmetrics._typing import (
    Ids,
    PerQuery,
    Rankings,
    RankingsOrRun,
    Systems,
)
from sklearn_irmetrics._warnings import suppress_warnings
from sklearn_irmetrics.metrics._measure import Measures, as_averaged
from sklearn_irmetrics.metrics._names import DEFAULT_METRICS
from sklearn_irmetrics.metrics._per_query import check_rankings, only_compare_grades
from sklearn_irmetrics.metrics._ranking.averages import aggregate
from sklearn_irmetrics.metrics._ranking.blocks import iter_blocks
from sklearn_irmetrics.metrics._ranking.compute import warn_of_fractions
from sklearn_irmetrics.metrics._ranking.gains import Judged, Relevant
from sklearn_irmetrics.metrics._ranking.judgments import Judgments
from sklearn_irmetrics.metrics._ranking.parameters import check_relevance
from sklearn_irmetrics.metrics._ranking.ranking import Ranking
from sklearn_irmetrics.metrics._ranking.sets import grades_of_class
from sklearn_irmetrics.metrics._registry import METRICS
from sklearn_irmetrics.reports.aligned import AlignedRun, judge
from sklearn_irmetrics.reports.query_scores import (
    QueryScores,
    score_rankings,
    warn_of_undefined_queries,
)
from sklearn_irmetrics.reports.results import (
    Inference,
    RankingReport,
    RankingReports,
    join_reports,
    report_scores,
)


def by_system(y_true, y_score):
    """Return grades and scores by name of the system, None if it has no name.

    Several systems are a dict of scores, or of `AlignedRun`s.
    """
    if isinstance(y_score, Mapping):
        systems = {name: (y_true, scores) for name, scores in y_score.items()}
    elif isinstance(y_true, Mapping):
        systems = {name: (run, y_score) for name, run in y_true.items()}
    else:
        return {None: (y_true, y_score)}
    if not systems:
        raise ValueError("y_true and y_score must hold at least one system; got none.")
    refuse_names_alike("y_true and y_score", systems)
    return systems


class _Options(TypedDict, total=False):
    """Arguments of `ranking_report` that do not decide the type of its result."""

    qid: Ids | None
    metrics: Measures
    pos_label: Any
    sample_weight: ArrayLike | None
    by: PerQuery
    marks: Mapping[str, Any] | None
    candidates: Rankings | None
    chance: bool
    confidence_level: float


@overload  # several systems, by name
def ranking_report(
    y_true: Mapping[str, AlignedRun | QueryScores],
    y_score: None = None,
    **options: Unpack[_Options],
) -> RankingReports: ...
@overload
def ranking_report(
    y_true: Rankings, y_score: Mapping[str, Any], **options: Unpack[_Options]
) -> RankingReports: ...
@overload
def ranking_report(
    y_true: AlignedRun | QueryScores,
    y_score: None = None,
    **options: Unpack[_Options],
) -> RankingReport: ...
@overload
def ranking_report(
    y_true: Rankings, y_score: Rankings, **options: Unpack[_Options]
) -> RankingReport: ...
def ranking_report(
    y_true: RankingsOrRun,
    y_score: Systems = None,
    *,
    qid: Ids | None = None,
    metrics: Measures = DEFAULT_METRICS,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
    by: PerQuery = None,
    marks: Mapping[str, Any] | None = None,
    candidates: Rankings | None = None,
    chance: bool = True,
    confidence_level: float = 0.95,
) -> RankingReport | RankingReports:
    """Report means, intervals, chance levels, ties and counts of rankings.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better, NaN: unjudged. For measures of subtopics, of shape
        (n_documents, n_subtopics), as `score_queries` takes it. Or an `AlignedRun`,
        which also holds the scores and query ids. Or a `QueryScores`, whose report has
        no chance levels, ties and counts of documents; `metrics` and the arguments
        about rows must then be left out.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved. None with an `AlignedRun`.
        Or a dict of these by system, which the report shows side by side.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input. None: all rows are one ranking.
    metrics : str or Measure, list of them, or dict of str to them, \
            default=("ndcg@10", "map", "mrr", "p@10", "rprec", "recall@10")
        Names such as ``"ndcg@10"``; a dict sets their labels in the results.
    pos_label : str, int, float or bool, default=None
        The class whose documents are relevant, if `y_true` holds classes, also for
        measures of grades. None: `y_true` holds grades.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
    by : dict by query id, or array-like, default=None
        The slice of each query, such as a country or type of question, in order of
        first appearance of each id, or per row. The report then has a row per measure
        and slice after that of all queries, ``"all"``, and the intervals of slices hold
        for all slices of a measure at once (Bonferroni).
    marks : dict of str to array-like of the shape of `y_true`, default=None
        Arrays that some measures need, as for `score_queries`.
    candidates : array-like of the shape of `y_score`, or CSR, default=None
        Whether each document may be ranked. All others, such as items that a user has
        seen, are ignored. Entries that CSR does not store are False. None: all may.
    chance : bool, default=True
        Whether to compute the expected score of a random ranking of all documents. It
        takes about as long as scoring; with CSR input of many columns, much longer.
    confidence_level : float, default=0.95
        Confidence level of the intervals, between 0 and 1.

    Returns
    -------
    RankingReport, or RankingReports by system
        With `estimate`, `standard_error`, `confidence_interval`, `chance` and others,
        by measure; ``print`` shows the table, and `to_frame()`, `to_csv()`,
        `to_markdown()` and `to_latex()` return it.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    class_report : The report of predicted classes.
    score_queries : The scores of single queries. Their ``report()`` also takes
        `groups`, for queries that are not independent, `strata`, for means of data
        sets, and other kinds of intervals.
    chance_level : The chance level of a measure.

    Notes
    -----
    Intervals treat the queries as a sample from many similar queries. By default, they
    are t intervals of the values and two imaginary ones, one at each end of the range
    of the measure, as Agresti and Coull add successes and failures to proportions. The
    two stand for values that a small sample may miss. Each weighs ``z**2 / 4`` times as
    much as a typical query, z the normal quantile of the level (0.96 times at 95 %),
    and Kish's effective number of queries gives the degrees of freedom. If this more
    than doubles the width, or there are fewer than seven queries, ``interval`` says
    that the range decides the width. Measures without a range have plain t intervals,
    and fewer than three queries have none.
    `evaluate`, displays and the command line use the same rule. Intervals of geometric
    means are computed from logarithms; micro averages have none.

    Chance levels are exact. Measures without an exact expectation under ties have none
    here, but `chance_level` draws random orders for them: EE-L, EE-D and AWRF, and
    interpolated precision and measures based on it. The latter treat a tie group as one
    step, so their mean is that of the pessimistic order. Sets and rank correlations
    have no chance level and no values for the best and worst order of ties.

    References
    ----------
    A. Agresti and B. Coull, "Approximate Is Better than 'Exact' for Interval Estimation
    of Binomial Proportions", The American Statistician 52 (1998).

    I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by
    betting", JRSS B 86 (2024).

    E. Learned-Miller and P. Thomas, "A new confidence interval for the mean of a
    bounded random variable", arXiv:1905.06208 (2019).

    Examples
    --------
    >>> from sklearn_irmetrics import ranking_report
    >>> from sklearn_irmetrics.datasets import load_digits_ranking
    >>> X, y, qid = load_digits_ranking(n_queries=50, return_X_y_qid=True)
    >>> cosine = X[:, -1].round(2)
    >>> ranking_report(y, cosine, qid=qid, metrics=["ndcg@10", "p@10"])
    50 queries, 2500 documents (2500 judged, 246 relevant, 0 not retrieved)
    <BLANKLINE>
    measure   mean   95 % interval  queries  random  worst, best ties
    ndcg@10  0.747  [0.661, 0.814]       50   0.149    [0.737, 0.759]
    p@10     0.375  [0.316, 0.444]       50   0.098    [0.372, 0.380]
    <BLANKLINE>
    Interval: the mean on new queries like these. random: mean of a random order.
    73 % of scores are tied; depending on their order, ndcg@10 is 0.737 to 0.759.
    """
    check_flag("chance", chance)
    _refuse_predicted_classes(y_true, y_score, qid)
    inference = Inference(by=by, confidence_level=confidence_level)
    reports = {}
    for name, (grades, scores) in by_system(y_true, y_score).items():
        try:
            if isinstance(grades, QueryScores):
                _refuse_given(
                    y_score=scores,
                    qid=qid,
                    metrics=None if metrics is DEFAULT_METRICS else metrics,
                    pos_label=pos_label,
                    sample_weight=sample_weight,
                    marks=marks,
                    candidates=candidates,
                )
                reports[name] = grades.report(by=by, confidence_level=confidence_level)
            else:
                if pos_label is not None and isinstance(grades, AlignedRun):
                    raise TypeError(
                        "pos_label must be left out if y_true is an AlignedRun, which "
                        f"holds grades; got {pos_label!r}."
                    )
                if pos_label is not None:
                    grades = grades_of_class(grades, pos_label)
                judgments, scores = judge(
                    Judgments(grades, qid, sample_weight, marks, candidates), scores
                )
                reports[name] = report_rankings(
                    judgments, scores, metrics, inference, chance=chance
                )
        except Exception as error:
            if name is not None:
                error.add_note(f"This concerns {name!r}.")
            raise
    return reports[None] if None in reports else join_reports(reports)


def _refuse_predicted_classes(y_true, y_score, qid):
    """Refuse predicted classes, which rank nothing, where scores should be."""
    if qid is not None or isinstance(y_score, Mapping) or issparse(y_score):
        return
    classes = as_array("y_score", y_score)
    if classes.ndim != 1 or not len(classes):
        return
    if classes.dtype.kind in "US" or all(isinstance(label, str) for label in classes):
        what = f"the label {classes.tolist()[0]!r}"
    elif classes.dtype.kind in "biu" and np.shape(y_true) == classes.shape:
        truth, distinct = as_array("y_true", y_true), {*classes.tolist()}
        if len(distinct) == len(classes) or not distinct <= {*truth.tolist()}:
            return
        if classes.dtype == bool and truth.dtype != bool:  # what was retrieved
            return
        what = "whole numbers that tie and are all in y_true, as predicted classes are"
    else:
        return
    raise TypeError(
        f"y_score must hold scores that rank the rows; got {what}. Report predicted "
        "classes with sklearn_irmetrics.reports.class_report(y_true, y_pred); to rank "
        "by them all the same, pass floats."
    )


def _refuse_given(**options):
    """Refuse arguments about rows for scores of queries."""
    for parameter, value in options.items():
        if value is not None:
            raise TypeError(
                f"{parameter} must be left out if y_true is a QueryScores, which has "
                f"been scored already; got a {type(value).__name__}."
            )


def report_rankings(judgments, y_score, metrics, inference, *, chance, warn=False):
    """Return the `RankingReport` of rankings; see `ranking_report`.

    With `warn`, undefined queries raise a warning, for callers that show only means.
    """
    measures = as_averaged("metrics", metrics)
    raw, batch = check_rankings(measures, judgments, y_score)
    if not warn and only_compare_grades(measures):
        warn_of_fractions(batch.least)  # the table does not show them
    with nullcontext() if warn else suppress_warnings():
        scored = score_rankings(measures, raw, batch)
        warn_of_undefined_queries(scored)
    counts, judged = _count(batch, measures)
    worst = best = scored
    with suppress_warnings():
        if counts["tied"]:
            worst, best = _score_extremes(measures, raw, batch)
        levels = _score_chance(measures, raw, batch) if chance else None
    return report_scores(
        scored,
        measures,
        inference,
        counts=counts,
        qid=judgments.qid,
        beside={
            "chance": levels,
            "pessimistic": worst,
            "optimistic": best,
            "judged": judged,
        },
    )


def _score_extremes(measures, raw, batch):
    """Return scores with ties in the worst and in the best order, where known."""
    known = {
        label: measure
        for label, measure in measures.items()
        if measure.metric.extremes
        and measure.arguments.get("denominator") != "retrieved"
    }
    return (
        score_rankings(known, raw, batch, ties=ties)
        for ties in ("pessimistic", "optimistic")
    )


def _score_chance(measures, raw, batch):
    """Return the expected scores of a random ranking, where they are exact."""
    exact = {
        label: measure
        for label, measure in measures.items()
        if measure.metric.ranks and measure.metric.exact_ties
    }
    tied = batch.with_scores(equal_scores(batch.scores), low_precision=None)
    return score_rankings(exact, raw, tied)


def equal_scores(y_score):
    """Return one score for all documents, retrieved or not."""
    return np.broadcast_to(np.float32(0), np.shape(y_score))


def _count(batch, measures):
    """Count queries, and documents of each kind.

    Also return the `QueryScores` of the judged share of the top k, by the labels of the
    measures that rank unjudged documents.
    """
    relevant = _relevant_of(batch, measures)
    cutoffs = _cutoffs_of_unjudged(measures)
    judged = {k: np.empty(batch.n_queries) for k in cutoffs.values()}
    kinds = Counter()
    for block in iter_blocks(batch):
        ranking = Ranking.of(block)
        for k, values in judged.items():
            values[block.queries] = METRICS["judged"].formula(ranking, k=k)
        kinds.update(_kinds_of_documents(ranking, relevant))
    name = METRICS["judged"].function.__name__
    means = {k: aggregate(judged[k], batch.weights, name=name) for k in judged}
    return {"queries": batch.n_queries, **kinds}, QueryScores(
        batch.query_ids,
        {label: judged[k] for label, k in cutoffs.items()},
        {label: means[k] for label, k in cutoffs.items()},
    )


def _relevant_of(batch, measures):
    """Return the relevant class: that of the first measure that names one."""
    named = (
        measure.arguments.get("pos_label")
        for measure in measures.values()
        if measure.metric.kind == "ranking"
    )
    label = next((label for label in named if label is not None), None)
    return Relevant(check_relevance(None, label, batch))


def _cutoffs_of_unjudged(measures):
    """Return the cutoffs, by label, of the measures that rank unjudged documents."""
    return {
        label: measure.arguments.get("k")
        for label, measure in measures.items()
        if measure.metric.kind == "ranking"
        and "judged_only" in measure.metric.parameters
        and not measure.arguments.get("judged_only")
    }


def _kinds_of_documents(ranking, relevant):
    """Count the documents of each kind in a block."""
    n_documents = int(ranking.block.n_documents.sum())
    return {
        "documents": n_documents,
        "judged": int(ranking.total(Judged()).sum()),
        "relevant": int(ranking.total(relevant).sum()),
        "unretrieved": n_documents - int(ranking.n_retrieved.sum()),
        "tied": int(np.count_nonzero(ranking.group_size > 1)) if ranking.tied else 0,
    }
