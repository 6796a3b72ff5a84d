"""Many measures of one set of rankings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sklearn_irmetrics._measures.measure import as_averaged
from sklearn_irmetrics._measures.per_query import check_rankings, score_rankings
from sklearn_irmetrics._measures.query_scores import QueryScores
from sklearn_irmetrics._typing import ArrayLike, Gain, Ids, Measures, Rankings, Ties


def score_queries(
    y_true: Rankings,
    y_score: Rankings,
    metrics: Measures,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    gain: Gain | None = None,
    qid: Ids | None = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    marks: Mapping[str, Any] | None = None,
    candidates: Rankings | None = None,
    y_pred: ArrayLike | None = None,
    ties: Ties = "average",
    replace_undefined_by: float = np.nan,
    n_jobs: int | None = None,
) -> QueryScores:
    """Compute many measures from one ordering of the documents.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better, NaN: unjudged. For measures of subtopics, of shape
        (n_documents, n_subtopics); other measures in the same call use the largest
        grade of each document.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved.
    metrics : str or Measure, list of them, or dict of str to them
        Names such as ``"ndcg@10"``; a dict sets their labels in the results.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document, for all measures that have this
        parameter and do not set it themselves. None: any grade above 0.
    judged_only : bool, default=False
        Whether to drop unjudged documents, for all measures that have this parameter.
    gain : str, dict or callable, default=None
        Gain of a grade, for all measures that have this parameter.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input. None: all rows are one ranking.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels.
    sample_weight : array-like, default=None
        One weight per query; with 1-D input, one per row, constant inside a query.
    marks : dict of str to array-like of the shape of `y_true`, default=None
        Arrays that some measures need: ``"known"``, the documents that the user
        already knew; ``"pooled"``, the unjudged documents that were in the pool (for
        inferred average precision); and those of `sklearn_irmetrics.emerging`, of which
        ``"membership"`` and ``"vectors"`` have one more axis.
    candidates : array-like of the shape of `y_score`, or CSR, default=None
        Whether each document may be ranked. All others, such as items that a user has
        seen, are ignored. Entries that CSR does not store are False. None: all may.
    y_pred : array-like of the shape of `y_true`, default=None
        For measures of sets, whether each document was retrieved; for measures of
        labels, its label. None: documents with a score above -inf (or a score of True)
        were retrieved, and scores are labels. Measures of sets then raise an error if
        all scores are 0 or 1, and measures of labels if a score is not whole.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        How to rank tied documents: return the exact expectation over all their orders,
        or take the best order, the worst order, or the order of the rows.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.
    n_jobs : int, default=None
        Number of threads: None is 1 outside a :obj:`joblib.parallel_config` context, -1
        all cores. The values are the same up to rounding.

    Returns
    -------
    QueryScores
        With `query_ids`, `scores` and `mean`. `to_frame()` and `to_csv()` return the
        values per query, `to_latex()` and `to_markdown()` the means.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    Examples
    --------
    >>> from sklearn_irmetrics import score_queries
    >>> score_queries(
    ...     [1, 0, 0, 2], [.9, .1, .7, .7], ["ndcg@10", "map"], qid=[5, 5, 6, 6]
    ... )
    QueryScores of 2 queries
      ndcg@10  0.9077
      map      0.8750
    """
    measures = as_averaged(
        "metrics",
        metrics,
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
        gain=gain,
    )
    given, batch = check_rankings(
        measures,
        y_true,
        y_score,
        qid=qid,
        labels=labels,
        sample_weight=sample_weight,
        marks=marks,
        y_pred=y_pred,
        candidates=candidates,
    )
    return score_rankings(
        measures,
        given,
        batch,
        ties=ties,
        replace_undefined_by=replace_undefined_by,
        n_jobs=n_jobs,
    )
