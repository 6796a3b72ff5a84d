"""Measure how far two sets of judgments agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from sklearn_irmetrics._checks import check_confidence_level, check_option
from sklearn_irmetrics._results.tables import (
    Column,
    Table,
    count,
    decimals,
    interval_column,
    write_text,
)
from sklearn_irmetrics._results.tabular import Tabular
from sklearn_irmetrics._typing import AnyTable, Source
from sklearn_irmetrics.runs._forms import Qrels, check_column_names
from sklearn_irmetrics.runs._ids import Pairs, find_pairs
from sklearn_irmetrics.runs.files import read_columns
from sklearn_irmetrics.runs.matching import renumber

if TYPE_CHECKING:
    from sklearn_irmetrics._statistics.intervals import ConfidenceInterval


_SHOWN = {
    "equal": "same grade",
    "kappa": "kappa",
    "weighted_kappa": "weighted kappa",
    "alpha": "Krippendorff's alpha",
}


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Tabular):
    """Agreement of two sets of judgments; `agreement` returns it.

    Attributes
    ----------
    estimate : dict of str to float
        ``"equal"`` (the share of equal grades), ``"kappa"``, ``"weighted_kappa"`` and
        ``"alpha"``; NaN where undefined, for example if all grades are the same.
    standard_error, confidence_interval : dict of str to float or ConfidenceInterval
        Over queries.
    by_query : dict of str to ndarray of shape (n_queries,)
        The same for each query alone.
    query_ids : ndarray of shape (n_queries,)
        The queries that both sets judge.
    grades : ndarray of shape (n_grades,)
        All grades that occur.
    table : ndarray of shape (n_grades, n_grades)
        Number of documents by grade: rows for the first set, columns for the second.
    confidence_level : float
        Of the intervals.
    interval_method : dict of str to str
        How each interval was computed, or why there is none.
    """

    estimate: dict[str, float]
    standard_error: dict[str, float]
    confidence_interval: dict[str, ConfidenceInterval]
    by_query: dict[str, np.ndarray]
    query_ids: np.ndarray
    grades: np.ndarray
    table: np.ndarray
    confidence_level: float
    interval_method: dict[str, str] = field(default_factory=dict)

    def _columns(self):
        intervals = [self.confidence_interval[name] for name in self.estimate]
        errors = [*self.standard_error.values()]
        form = f".{decimals(errors)}f"
        shown = [_SHOWN[name] for name in self.estimate]
        return [
            Column("measure", [*self.estimate], as_shown=shown),
            Column("estimate", [*self.estimate.values()], form, heading="agreement"),
            Column("standard_error", errors, ".4f", shown=False),
            interval_column(intervals, self.confidence_level, form=form),
        ]

    def _title(self):
        n_documents = count(int(self.table.sum()), "document")
        n_queries = count(len(self.query_ids), "query")
        names = [f"{grade:g}" for grade in self.grades]
        counts = [[name, *row] for name, row in zip(names, self.table, strict=True)]
        by_grade = Table((), ["", *names], counts, ">" * (1 + len(names)))
        return [
            f"{n_documents} of {n_queries} judged by both",
            "Rows: grades in the first set, columns: grades in the second",
            *write_text(by_grade).splitlines(),
        ]

    def _notes(self):
        notes = []
        names = [_SHOWN[name] for name, x in self.estimate.items() if np.isnan(x)]
        if names:
            notes.append(
                f"Undefined, because all grades are the same: {', '.join(names)}."
            )
        reasons = (
            method.removeprefix("none: ")
            for name, method in self.interval_method.items()
            if method.startswith("none") and not np.isnan(self.estimate[name])
        )
        return [*notes, *(f"No interval: {why}." for why in dict.fromkeys(reasons))]

    def _details(self):
        methods = dict.fromkeys(
            method
            for method in self.interval_method.values()
            if not method.startswith("none")
        )
        return [f"Intervals: {'; '.join(methods)}."] if methods else []


def agreement(
    qrels_a: Qrels | Source | AnyTable,
    qrels_b: Qrels | Source | AnyTable,
    *,
    weights: Literal["linear", "quadratic"] = "quadratic",
    level: Literal["nominal", "ordinal", "interval"] = "ordinal",
    columns: Mapping[str, str] | None = None,
    confidence_level: float = 0.95,
) -> Agreement:
    """Measure how far two sets of judgments agree on documents that both judge.

    Parameters
    ----------
    qrels_a, qrels_b : dict, table, tuples, file or Qrels
        Judgments in any form that `score_run` takes, such as those by people and by a
        language model. Negative grades count as not judged.
    weights : {"linear", "quadratic"}, default="quadratic"
        How weighted kappa grows with a difference of grades.
    level : {"nominal", "ordinal", "interval"}, default="ordinal"
        Whether Krippendorff's alpha treats grades as classes, an order, or numbers.
    columns : dict of str to str, default=None
        Names of columns, as for `score_run`.
    confidence_level : float, default=0.95
        Of the intervals.

    Returns
    -------
    Agreement
        With `estimate`, `confidence_interval`, `by_query` and the `table` of grades.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above, or no document is in both.

    Notes
    -----
    The kappas and alpha are ``1 - observed / expected`` disagreement. The expected
    disagreement of Cohen's kappas is that of grades drawn at random from each set; for
    Krippendorff's alpha, grades are drawn from both sets together. Intervals are
    Student's t over queries, from jackknife pseudo-values, after adding one value at
    each end of the range, like all intervals of this package.

    References
    ----------
    J. Cohen, "Weighted kappa", Psychological Bulletin 70 (1968).

    K. Krippendorff, "Computing Krippendorff's alpha-reliability", University of
    Pennsylvania (2011).

    Examples
    --------
    >>> from sklearn_irmetrics.runs import agreement
    >>> people = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 0, "b": 1, "c": 0}}
    >>> judge = {"q1": {"a": 2, "b": 1, "c": 2}, "q2": {"a": 0, "b": 1, "c": 1}}
    >>> result = agreement(people, judge)
    >>> round(result.estimate["kappa"], 3)
    0.28
    >>> result.table
    array([[1, 2, 0],
           [0, 1, 1],
           [0, 0, 1]])
    """
    from sklearn_irmetrics._statistics.intervals import interval_of_influences

    check_option("weights", weights, ("linear", "quadratic"))
    check_option("level", level, ("nominal", "ordinal", "interval"))
    confidence_level = check_confidence_level(confidence_level)
    columns = check_column_names(columns)
    first, second = (
        read_columns(judgments, name, "grade", columns=columns)
        for judgments, name in ((qrels_a, "qrels_a"), (qrels_b, "qrels_b"))
    )
    query = renumber(second, first.queries)
    row = find_pairs(Pairs(first.query, first.docno), Pairs(query, second.docno))
    # Row -1, of documents that only the second set has, takes the NaN that was added.
    grades = np.stack([np.append(first.numbers, np.nan)[row], second.numbers])
    both = (grades >= 0).all(axis=0)
    if not both.any():
        raise ValueError("qrels_a and qrels_b must judge a document in common.")
    ids, query = np.unique(second.qid[both], return_inverse=True)
    grades = grades[:, both]
    levels, places = np.unique(grades, return_inverse=True)
    tables = np.zeros((len(ids), len(levels), len(levels)), dtype=int)
    np.add.at(tables, (query, *places.reshape(grades.shape)), 1)
    total, n = tables.sum(axis=0), len(ids)
    by_query = _statistics(tables, levels, weights, level)
    without_each = _statistics(total - tables, levels, weights, level)
    statistics = _statistics(total, levels, weights, level)
    errors, intervals, methods = {}, {}, {}
    for name, value in statistics.items():
        influences = (n - 1) / n * (value - without_each[name])
        errors[name], intervals[name], methods[name] = interval_of_influences(
            float(value),
            influences,
            n_units=n,
            bounds=(0.0 if name == "equal" else -1.0, 1.0),
            units="queries",
            how="jackknife, ",
            confidence_level=confidence_level,
        )
    estimate = {name: float(value) for name, value in statistics.items()}
    return Agreement(
        estimate=estimate,
        standard_error=errors,
        confidence_interval=intervals,
        by_query=by_query,
        query_ids=ids,
        grades=levels,
        table=total,
        confidence_level=confidence_level,
        interval_method=methods,
    )


def _statistics(table, grades, weights, level):
    """Return the statistics of tables of shape (..., n_grades, n_grades)."""
    apart = np.abs(np.subtract.outer(grades, grades))
    power = 2 if weights == "quadratic" else 1
    n = table.sum((-2, -1))
    at_random = table.sum(-1)[..., :, None] * table.sum(-2)[..., None, :]
    both = table + np.swapaxes(table, -2, -1)
    counts = both.sum(-1)
    pairs = counts[..., :, None] * counts[..., None, :]
    if level == "ordinal":  # grades are apart by the number of documents in between
        middle = np.cumsum(counts, axis=-1) - counts / 2
        apart_here = middle[..., :, None] - middle[..., None, :]
    else:
        apart_here = apart if level == "interval" else apart > 0

    def one_minus(distance, observed, expected, scale):
        observed, expected = (
            (distance * pairs).sum((-2, -1)) for pairs in (observed, expected)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            value = 1 - scale * observed / expected
        return np.where(expected > 0, value, np.nan)

    return {
        "equal": np.trace(table, axis1=-2, axis2=-1) / np.where(n > 0, n, np.nan),
        "kappa": one_minus(apart > 0, table, at_random, n),
        "weighted_kappa": one_minus(apart**power, table, at_random, n),
        "alpha": one_minus(apart_here * apart_here, both, pairs, 2 * n - 1),
    }
