"""Which queries or documents people should label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.labels import check_row_order
from sklearn_irmetrics._checks import check_count, check_option
from sklearn_irmetrics._statistics.draws import check_generator
from sklearn_irmetrics._typing import Ids
from sklearn_irmetrics.judging.documents import check_scores, group_documents
from sklearn_irmetrics.judging.sums import is_sum, weights_of
from sklearn_irmetrics.metrics._measure import Measure, as_measure

# Documents count as if at least so much of the mean size of all.
_LEAST_SIZE = 0.05
# From at least so many of the queries come documents for a difference.
_LEAST_SHARE = 0.2


@dataclass(frozen=True, eq=False)
class JudgmentSample:
    """What people should label; `sample_judgments` returns it.

    Attributes
    ----------
    selected : ndarray of the shape of the scores, dtype bool
        Whether people should label each document.
    inclusion : ndarray of the same shape, or None
        The probability with which each document was selected, for `score_judged`; None:
        whole queries were drawn.
    """

    selected: np.ndarray
    inclusion: np.ndarray | None

    def __repr__(self):
        what = "whole queries" if self.inclusion is None else "sampled documents"
        return f"<JudgmentSample: {np.count_nonzero(self.selected)} labels, {what}>"


def sample_judgments(
    y_scores: ArrayLike | Mapping[str, ArrayLike],
    n: int,
    *,
    metric: str | Measure,
    qid: Ids | None = None,
    design: Literal["auto", "queries", "documents"] = "auto",
    n_queries: int | None = None,
    method: Literal["systematic", "poisson"] = "systematic",
    random_state: Any = None,
) -> JudgmentSample:
    """Draw what people should label: whole queries, or documents.

    Parameters
    ----------
    y_scores : array-like of shape (n_documents,) or (n_queries, n_documents), or dict
        Scores of one system, or of several by name, to estimate their differences.
    n : int
        Number of queries or documents to label.
    metric : str or Measure
        The measure to estimate, such as ``"dcg@10"``.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D scores.
    design : {"auto", "queries", "documents"}, default="auto"
        Documents are drawn in proportion to their weights in the measure, and can be
        drawn for sums over documents only (P@k, CG, DCG, RBP, success@1). "auto" draws
        documents for these, whole queries for others, to which `n_queries` and `method`
        do not apply.
    n_queries : int or None, default=None
        Number of random queries from which documents are drawn. None: all queries for
        one system; a fifth of them for differences (more if that holds too few
        documents), because what the grades of a query have in common cancels out in a
        difference.
    method : {"systematic", "poisson"}, default="systematic"
        Draw documents at regular intervals along the queries, `n` in all, or all that
        count in the measure if they are fewer; or each independently, about `n`.
    random_state : int, Generator or None, default=None
        Seeds the draw.

    Returns
    -------
    JudgmentSample
        With `selected` and `inclusion`.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_irmetrics.judging import sample_judgments
    >>> y_scores = np.random.default_rng(0).normal(size=(100, 50))
    >>> sample_judgments(y_scores, 200, metric="dcg@10", random_state=0)
    <JudgmentSample: 200 labels, sampled documents>
    >>> sample_judgments(y_scores, 10, metric="ndcg@10", random_state=0)
    <JudgmentSample: 500 labels, whole queries>
    """
    check_option("design", design, ("auto", "queries", "documents"))
    check_option("method", method, ("systematic", "poisson"))
    n, measure = check_count("n", n), as_measure("metric", metric)
    if n_queries is not None:
        n_queries = check_count("n_queries", n_queries)
    systems, queries, shape = _check_systems(y_scores, qid)
    rng = check_generator(random_state)
    if design == "queries" or (design == "auto" and not is_sum(measure)):
        if n_queries is not None or method != "systematic":
            raise ValueError(
                "n_queries and method are for documents; whole queries are drawn here, "
                "each as likely as any other."
            )
        selected = _draw_queries(n, queries, rng)
        return JudgmentSample(selected.reshape(shape), None)
    if not is_sum(measure):
        raise ValueError(
            "metric must be a sum over documents (P@k, CG, DCG, RBP, success@1) with "
            f"design='documents'; got {measure.label!r}. Label whole queries."
        )
    query, n_all = queries.codes(), len(queries.ids)
    size = _sizes(measure, systems, query)
    if n_queries is None:
        n_queries = n_all
        if len(systems) > 1:
            share = max(_LEAST_SHARE, 1.25 * n / np.count_nonzero(size))
            n_queries = int(np.ceil(share * n_all))
    n_queries = min(n_all, n_queries)
    drawn = (rng.permutation(n_all) < n_queries)[query]
    share = n_queries / n_all
    inclusion = np.where(
        drawn, _proportional(size * drawn, n), _proportional(size, n / share)
    )
    selected = _draw_documents(np.where(drawn, inclusion, 0.0), query, method, rng)
    return JudgmentSample(selected.reshape(shape), (share * inclusion).reshape(shape))


def _check_systems(y_scores, qid):
    """Return the scores of each system, the queries, and the shape of the scores."""
    several = isinstance(y_scores, Mapping)
    by_system: Any = y_scores if several else {"": y_scores}
    names = [f"y_scores[{name!r}]" if several else "y_scores" for name in by_system]
    check_row_order(**dict(zip(names, by_system.values(), strict=True)), qid=qid)
    shape: Any = np.shape([*by_system.values()][0] if by_system else 0)
    queries = group_documents("y_scores", shape, qid)
    systems = [check_scores("y_scores", scores, shape) for scores in by_system.values()]
    return systems, queries, shape


def _draw_queries(n, queries, rng):
    """Return the documents of `n` queries, each as likely as any other."""
    n_all = len(queries.ids)
    if n > n_all:
        raise ValueError(f"n must be at most {n_all}, the queries; got {n}.")
    return (rng.permutation(n_all) < n)[queries.codes()]


def _sizes(measure, systems, query):
    """Return the weight of the label of each document, 0 if it does not matter.

    That is its weight in the measure, or, for several systems, the root mean square of
    the differences of its weights.
    """
    weights = [weights_of(measure, scores, query) for scores in systems]
    pairs = [first - second for first, second in combinations(weights, 2)] or weights
    size = np.sqrt(np.mean(np.square(pairs), axis=0))
    counts = size > 0
    if not counts.any():
        raise ValueError(
            f"y_scores must rank documents, and systems differently; {measure.label} "
            "looks at none."
        )
    return np.where(counts, np.maximum(size, _LEAST_SIZE * size[counts].mean()), 0.0)


def _proportional(size, n):
    """Return probabilities in proportion to sizes, none above 1, that sum to n."""
    full = np.zeros(len(size), dtype=bool)
    while True:
        free = ~full & (size > 0)
        left = max(n - np.count_nonzero(full), 0)
        inclusion = np.where(full, 1.0, size * left / max(size[free].sum(), 1e-300))
        if not (inclusion > 1).any():
            return inclusion
        full |= inclusion > 1


def _draw_documents(inclusion, query, method, rng):
    """Return which documents are selected, each with its probability."""
    if method == "poisson":
        return rng.random(len(inclusion)) < inclusion
    order = np.argsort(query, kind="stable")
    steps = np.floor(np.cumsum(inclusion[order]) + rng.random() + 1e-9)
    selected = np.zeros(len(inclusion), dtype=bool)
    selected[order] = np.diff(steps, prepend=0.0) > 0
    return selected
