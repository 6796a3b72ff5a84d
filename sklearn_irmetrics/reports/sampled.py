"""Corrected measures of a relevant item among sampled negatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sklearn_irmetrics._checks import check_confidence_level, check_count, check_real
from sklearn_irmetrics._results.tables import (
    Column,
    Interval,
    Number,
    count,
    decimals,
    interval_column,
)
from sklearn_irmetrics._results.tabular import Tabular
from sklearn_irmetrics._typing import Ids, Rankings
from sklearn_irmetrics.metrics._measure import Measures, as_averaged
from sklearn_irmetrics.metrics._per_query import check_rankings
from sklearn_irmetrics.metrics._ranking.blocks import iter_blocks
from sklearn_irmetrics.metrics._ranking.judgments import Judgments
from sklearn_irmetrics.reports.query_scores import (
    score_queries,
    score_rankings,
    warn_of_undefined_queries,
)

if TYPE_CHECKING:
    from sklearn_irmetrics._statistics.intervals import ConfidenceInterval

_MOST_CANDIDATES = 10**6
_RANKS_AT_ONCE = 2**14


@dataclass(frozen=True, eq=False, repr=False)
class SampledScores(Tabular):
    """Measures among all candidates, estimated from samples of the negatives.

    Attributes
    ----------
    estimate : dict of str to float
        The estimated mean over queries of each measure.
    standard_error, confidence_interval : dict of str to float or ConfidenceInterval
        Over queries and the samples drawn for them; they do not include the bias of the
        correction. NaN for a single query.
    confidence_level : float
        Of the intervals.
    sampled : dict of str to float
        The mean of each measure among the sampled candidates, uncorrected.
    n_queries : int
        Number of queries.
    """

    estimate: dict[str, float]
    standard_error: dict[str, float]
    confidence_interval: dict[str, ConfidenceInterval]
    confidence_level: float
    sampled: dict[str, float]
    n_queries: int

    def _columns(self):
        errors, ends = self.standard_error, self.confidence_interval
        forms = [f".{decimals(error)}f" for error in errors.values()]
        return [
            Column("measure", [*self.estimate], in_index=True),
            Column("sampled", [*self.sampled.values()], ".3f"),
            Column(
                "estimate",
                [*self.estimate.values()],
                as_shown=[*map(Number, self.estimate.values(), forms)],
                align=">",
            ),
            Column("standard_error", [*errors.values()], shown=False),
            interval_column([*ends.values()], self.confidence_level)._replace(
                as_shown=[
                    Interval(*both, form)
                    for both, form in zip(ends.values(), forms, strict=True)
                ]
            ),
        ]

    def _title(self):
        return [f"{count(self.n_queries, 'query')}, with a sample of the negatives"]

    def _notes(self):
        notes = [
            "sampled: the mean among sampled candidates. estimate: among all of them."
        ]
        if np.isnan([*self.confidence_interval.values()]).all():
            notes.append("No interval: a single query does not show how queries vary.")
        return notes


def score_sampled(
    y_true: Rankings,
    y_score: Rankings,
    metrics: Measures,
    *,
    n_candidates: int,
    qid: Ids | None = None,
    candidates: Rankings | None = None,
    gamma: float = 0.01,
    confidence_level: float = 0.95,
) -> SampledScores:
    r"""Estimate measures among all candidates from sampled negatives.

    Use it if a relevant item was ranked among a random sample of the others, such as
    100 of them: measures of such samples are far too high, and can put systems in the
    wrong order. It is better to rank all candidates, which needs no correction.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        1 for the one relevant document of each query, 0 for its negatives, which must
        be drawn at random, each at most once.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher. If only some cells of a matrix were scored, mark
        them in `candidates`.
    metrics : str or Measure, list of them, or dict of str to them
        Names such as ``"hit_rate@10"``; a dict sets their labels in the results.
    n_candidates : int
        Number of documents that the negatives were drawn from, including the relevant
        one, at most 1,000,000.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input. None: all rows are one ranking.
    candidates : array-like of the shape of `y_score`, or CSR, default=None
        Whether each document may be ranked. All others, such as items that a user has
        seen, are ignored. Entries that CSR does not store are False. None: all may.
    gamma : float, default=0.01
        The trade-off, between 0 (little bias) and 1 (little variance), exclusive.
    confidence_level : float, default=0.95
        Of the intervals, which are Student's t over queries. They do not cover the bias
        of the estimate.

    Returns
    -------
    SampledScores
        With `estimate`, `standard_error`, `confidence_interval` and the values in the
        sample, by measure. Estimates may lie outside the range of the measure.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above, or a query does not have exactly one
        relevant document; the message names it.

    See Also
    --------
    score_queries : The measures among all candidates.

    Notes
    -----
    Let :math:`M(R)` be the measure at rank :math:`R` of all :math:`n` candidates and
    :math:`P(r \mid R)` the hypergeometric probability of rank :math:`r` in the sample.
    If all :math:`R` are equally likely beforehand, the value of rank :math:`r` solves
    :math:`((1 - \gamma) A^T A + \gamma D) x = A^T b`, with :math:`A = P / \sqrt{n}`,
    :math:`b = M / \sqrt{n}` and :math:`D` the diagonal of the probabilities of each
    :math:`r`: "bias-variance trade-off" in the paper, which draws with replacement.
    The estimate is biased towards what equally likely ranks would give, the more the
    larger :math:`\gamma` and the smaller the sample. Intervals show how it varies over
    queries and samples, not how far its expectation is from the measure: with many
    queries they are narrow and need not hold the measure among all candidates.
    Ties count as the mean over the orders of tied documents. The time for measures
    without a cutoff grows with the square of `n_candidates`.

    References
    ----------
    W. Krichene and S. Rendle, "On Sampled Metrics for Item Recommendation", KDD 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_irmetrics.reports import score_sampled
    >>> rng = np.random.default_rng(0)
    >>> y_true, y_score = np.zeros((500, 101)), rng.normal(size=(500, 101))
    >>> y_true[:, 0], y_score[:, 0] = 1, rng.normal(1, size=500)
    >>> score_sampled(y_true, y_score, "hit_rate@10", n_candidates=5000)
    500 queries, with a sample of the negatives
    <BLANKLINE>
    measure      sampled  estimate   95 % interval
    hit_rate@10    0.346     0.032  [0.006, 0.058]
    <BLANKLINE>
    sampled: the mean among sampled candidates. estimate: among all of them.
    """
    from sklearn_irmetrics._statistics.intervals import interval_of_mean

    level = check_confidence_level(confidence_level)
    measures = as_averaged("metrics", metrics)
    for label, measure in measures.items():
        metric = measure.metric
        ranks = metric.kind == "ranking" and not (metric.subtopics or metric.marks)
        if not ranks or measure.average != "macro":
            raise ValueError(
                "metrics must be means of measures that rank documents by score alone; "
                f"got {label!r}."
            )
    n_all = check_count("n_candidates", n_candidates)
    gamma = check_real("gamma", gamma, 0, 1, "a number between 0 and 1")
    judgments = Judgments(y_true, qid, candidates=candidates)
    raw, batch = check_rankings(measures, judgments, y_score)
    better, tied, sizes = _ranks(batch)
    if n_all > _MOST_CANDIDATES:
        raise ValueError(
            f"n_candidates must be at most {_MOST_CANDIDATES:,}; got {n_all}."
        )
    if sizes.max() > n_all:
        raise ValueError(
            "n_candidates must be at least the number of documents of each query, "
            f"{sizes.max()}; got {n_all}."
        )
    by_rank = np.column_stack(
        [_by_rank(measure, n_all) for measure in measures.values()]
    )
    values = np.empty((len(sizes), len(measures)))
    for size in np.unique(sizes):
        corrected = _corrected(by_rank, int(size), gamma)
        summed = np.vstack([np.zeros(len(measures)), np.cumsum(corrected, axis=0)])
        own = sizes == size
        first, n_tied = better[own], tied[own]
        values[own] = (summed[first + n_tied] - summed[first]) / n_tied[:, np.newaxis]
    errors, intervals = {}, {}
    for label, of_queries in zip(measures, values.T, strict=True):
        errors[label], intervals[label], _ = interval_of_mean(
            of_queries, confidence_level=level, rng=0
        )
    sampled = score_rankings(measures, raw, batch)
    warn_of_undefined_queries(sampled)
    return SampledScores(
        estimate=dict(zip(measures, values.mean(axis=0).tolist(), strict=True)),
        standard_error=errors,
        confidence_interval=intervals,
        confidence_level=level,
        sampled=sampled.mean,
        n_queries=len(values),
    )


def _ranks(batch):
    """Count documents above the relevant one, those with its score, and all."""
    ranks = np.empty((3, batch.n_queries), dtype=np.intp)
    for block in iter_blocks(batch):
        relevant = block.grades == 1
        drawn = (relevant | (block.grades == 0)) & (block.scores > -np.inf)
        own = np.where(relevant, block.scores, -np.inf).max(axis=1, keepdims=True)
        broken = relevant.sum(axis=1) != 1
        broken |= drawn.sum(axis=1) != block.n_documents
        if broken.any():
            raise ValueError(
                "y_true must hold a single 1 and zeros for each query, and y_score a "
                "finite score of each document; got other values for query "
                f"{batch.query_ids[block.queries[broken]].tolist()[0]!r}. Make each "
                "relevant document a query of its own, and mark the documents of a "
                "matrix that were drawn in candidates=."
            )
        before, beside = block.scores > own, block.scores == own
        sums = before.sum(axis=1), beside.sum(axis=1), block.n_documents
        ranks[:, block.queries] = sums
    return ranks


def _by_rank(measure, n_all):
    """Return a measure by the rank of the only relevant document among `n_all`."""
    from scipy.sparse import eye_array

    k = measure.arguments.get("k")
    n_ranks = n_all if k is None else min(k + 1, n_all)
    falling = np.broadcast_to(-np.arange(n_all, dtype=np.float64), (n_ranks, n_all))
    relevant = eye_array(n_ranks, n_all, format="csr")
    values = score_queries(relevant, falling, {"": measure}).scores[""]
    return np.append(values, np.full(n_all - n_ranks, values[-1]))


def _corrected(by_rank, n_sampled, gamma):
    """Return the value of each rank in a sample: Krichene and Rendle, section 6."""
    n_all, drawn = len(by_rank), np.arange(n_sampled)
    matrix, right = np.zeros((n_sampled, n_sampled)), 0.0
    for first in range(0, n_all, _RANKS_AT_ONCE):
        part = by_rank[first : first + _RANKS_AT_ONCE]
        better = first + np.arange(len(part))[:, np.newaxis]
        # Hypergeometric probabilities; SciPy's take two hundred times as long.
        ways = _log_choose(better, drawn)
        ways = ways + _log_choose(n_all - 1 - better, n_sampled - 1 - drawn)
        likely = np.exp(ways - _log_choose(n_all - 1, n_sampled - 1))
        matrix += (1 - gamma) * likely.T @ likely
        matrix += gamma * np.diag(likely.sum(axis=0))
        right = right + likely.T @ part
    return np.linalg.solve(matrix, right)


def _log_choose(n, k):
    """Return the logarithm of the number of ways to choose k of n, -inf for none."""
    from scipy.special import gammaln

    n, k = np.broadcast_arrays(n, k)
    possible = (k >= 0) & (k <= n)
    k = np.where(possible, k, 0)
    ways = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return np.where(possible, ways, -np.inf)
