"""A user's function of one query as a metric function of many."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sklearn_irmetrics._arrays.rows import gather, stable_order
from sklearn_irmetrics._checks import check_real
from sklearn_irmetrics._results.portable import Portable
from sklearn_irmetrics._typing import Average, Ids, PlainTies, Rankings, Score
from sklearn_irmetrics.metrics._formulas import compute_at_cutoffs, refuse_extremes
from sklearn_irmetrics.metrics._ranking.compute import FailedQuery, score_ranking

_RULE = "a finite number, or NaN"
_ROUNDING = 1e-12  # how far outside its range a value may be


@dataclass(frozen=True)
class CustomFunction(Portable):
    """A metric function that calls a user's function for each query.

    Attributes
    ----------
    function : callable
        ``function(y_true, y_score)`` takes the grades and the scores of one query in
        the order of the ranking, and returns a number, or NaN where it is undefined.
    name : str
        The name of the metric.
    range : tuple of float
        The smallest and the largest value.
    greater_is_better : bool
        Whether larger values are better.
    """

    function: Callable[..., Any]
    name: str
    range: tuple[float, float]
    greater_is_better: bool

    @property
    def __name__(self):
        return f"{self.name}_{'score' if self.greater_is_better else 'loss'}"

    def __call__(
        self,
        y_true: Rankings,
        y_score: Rankings,
        *,
        k: int | None = None,
        qid: Ids | None = None,
        sample_weight: Any = None,
        ties: PlainTies = "average",
        average: Average = "macro",
        replace_undefined_by: float = np.nan,
    ) -> Score:
        """Return the average over queries, or one value per query."""
        return score_ranking(
            self.__name__,
            self.formula,
            y_true,
            y_score,
            k=k,
            qid=qid,
            sample_weight=sample_weight,
            ties=ties,
            average=average,
            replace_undefined_by=replace_undefined_by,
        )

    def formula(self, ranking, *, k):
        """Return the result of the function for each query.

        Tied documents are in the order of the rows. Those below rank k count as not
        retrieved.
        """
        refuse_extremes(ranking, f"for {self.name!r}")
        order = stable_order(ranking.block.scores).columns
        return compute_at_cutoffs(k, partial(self._values, ranking.block, order))

    def _values(self, block, order, k):
        values, (low, high) = np.empty(len(order)), self.range
        ends = [abs(end) for end in self.range if np.isfinite(end)]
        slack = _ROUNDING * max([1.0, *ends])
        rule = f"a finite number from {low:g} to {high:g}, or NaN" if ends else _RULE
        name = f"the result of {self.name!r}"
        check = partial(check_real, name, low=low - slack, high=high + slack, rule=rule)
        with np.errstate(over="warn"):  # an error elsewhere in formulas
            for row, documents in enumerate(_documents_of_each(block, order, k)):
                try:
                    value = self.function(*documents)
                except Exception as error:
                    reason = f"the function of {self.name!r} raised {error!r}"
                    raise FailedQuery(block.queries[row], reason) from error
                try:
                    is_float = isinstance(value, float | np.floating)
                    is_undefined = is_float and value != value
                    values[row] = np.nan if is_undefined else check(value)
                except ValueError as error:
                    raise FailedQuery(block.queries[row], str(error)) from None
        return np.clip(values, *self.range)


def _documents_of_each(block, order, k):
    """Yield grades and scores of each query in rank order, in arrays of its own."""
    grades, scores = gather(block.grades, order), gather(block.scores, order)
    scores = scores.astype(np.float64, copy=False)
    if k is not None:
        scores[:, k:] = -np.inf
    n_implicit = np.broadcast_to(block.n_implicit, len(order))
    for row, n in enumerate((block.n_documents - n_implicit).tolist()):
        y_true, y_score = grades[row, :n], scores[row, :n]
        if block.has_implicit:
            y_true = np.append(y_true, np.zeros(n_implicit[row]))
            y_score = np.append(y_score, np.full(n_implicit[row], -np.inf))
        yield y_true, y_score
