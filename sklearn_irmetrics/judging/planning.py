"""Plan how many labels an interval of a given width needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import nnls
from scipy.special import ndtr

from sklearn_irmetrics._arrays.labels import check_row_order
from sklearn_irmetrics._checks import (
    check_confidence_level,
    check_count,
    check_positive,
    check_real,
)
from sklearn_irmetrics._results.tables import Column, Number
from sklearn_irmetrics._results.tabular import Tabular
from sklearn_irmetrics._statistics.draws import check_generator
from sklearn_irmetrics._typing import Ids, RandomState
from sklearn_irmetrics.judging.designs import make_design
from sklearn_irmetrics.judging.documents import check_documents, check_scores
from sklearn_irmetrics.judging.estimates import check_measures
from sklearn_irmetrics.judging.sampling import sample_judgments
from sklearn_irmetrics.judging.sums import is_sum
from sklearn_irmetrics.metrics._measure import Measure

# For which numbers of queries and documents labelling is tried out. With fewer,
# intervals of documents were never checked, and none are planned.
_TRIED = {"queries": (10, 30, 100), "documents": (100, 400, 1600)}
# With a smaller pilot there is no plan.
_FEWEST = 20
# A judge that saves less than this share of the labels is not worth having.
_LEAST_GAIN = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class JudgmentPlan(Tabular):
    """How many labels each design needs; `plan_judgments` returns it.

    Attributes
    ----------
    width : float
        The planned width of the interval.
    design : tuple of str
        "queries" or "documents", by people alone or with the judge.
    n : ndarray of shape (n_designs,)
        Number of queries or documents that people have to label; infinite if all of
        them do not suffice.
    n_documents : ndarray of shape (n_designs,)
        The corresponding number of documents.
    """

    width: float
    design: tuple[str, ...]
    n: np.ndarray
    n_documents: np.ndarray

    @property
    def best(self) -> str:
        """The design with the fewest labels."""
        return self.design[int(np.argmin(self.n_documents))]

    def _columns(self):
        return [
            Column("design", self.design, heading="label"),
            Column("n", self.n, _whole, heading="number"),
            Column("n_documents", self.n_documents, _whole, heading="documents in all"),
        ]

    def _title(self):
        return [f"Labels for an interval of width {self.width:g}"]

    def _notes(self):
        impossible = np.isinf(self.n)
        if impossible.all():
            return ["No design gives so narrow an interval, however many are labelled."]
        notes = [f"Fewest labels: {self.best}."]
        if impossible.any():
            notes.append("–: not even labels of all of them suffice.")
        # Designs come in pairs, without the judge and with it.
        if (self.n[1::2] > (1 - _LEAST_GAIN) * self.n[::2]).all():
            notes.append(
                f"The judge saves less than {100 * _LEAST_GAIN:g} % of the labels: do "
                "without it."
            )
        return notes


def _whole(number):
    """Return a number of labels as a cell, a dash if there are not so many."""
    return Number(number if np.isfinite(number) else np.nan, ".0f")


def plan_judgments(
    y_true: ArrayLike,
    y_judge: ArrayLike,
    y_scores: ArrayLike | Mapping[str, ArrayLike],
    metric: str | Measure,
    *,
    width: float,
    qid: Ids | None = None,
    correlation: float = 0.25,
    confidence_level: float = 0.95,
    n_runs: int = 10,
    random_state: RandomState = None,
) -> JudgmentPlan:
    """Plan what people should label, and how much, for an interval of a given width.

    The judge's grades alone do not show how wrong they are. People therefore label a
    pilot first: about a hundred documents, drawn at random from the first ranks.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        Labels by people of the pilot's documents, 20 or more, NaN elsewhere.
    y_judge : array-like of the shape of `y_true`
        The judge's grades, of all documents.
    y_scores : array-like of the shape of `y_true`, or dict of str to two of them
        Scores of the system to estimate; or of two, to estimate their difference.
    metric : str or Measure
        The measure to estimate, such as ``"dcg@10"``.
    width : float
        The largest acceptable width of the interval, from end to end.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input.
    correlation : float, default=0.25
        Correlation of people's grades within a query beyond that of the judge's.
    confidence_level : float, default=0.95
        Of the interval.
    n_runs : int, default=10
        Number of simulations of each design.
    random_state : int or None, default=None
        Seeds the draws.

    Returns
    -------
    JudgmentPlan
        With `n` and `n_documents` of each design, and `best`.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    Notes
    -----
    People's grades are drawn from their probabilities given the judge's grade, which
    the pilot gives, and every design is simulated with them. In simulations with a
    pilot of 100 documents, half of them relevant, the widths reached were 0.6 to 1.25
    times those planned, and 0.8 to 1.1 times on average. With 5 to 10 % relevant
    documents they were up to 2.7 times as wide: label a larger pilot.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_irmetrics.judging import plan_judgments
    >>> rng = np.random.default_rng(0)
    >>> y_judge = rng.integers(0, 4, size=(200, 20))
    >>> y_score = y_judge + rng.normal(size=y_judge.shape)
    >>> pilot = rng.random(y_judge.shape) < 0.025
    >>> lower = rng.integers(0, 2, y_judge.shape)  # than the judge, every other one
    >>> y_true = np.where(pilot, (y_judge - lower).clip(0), np.nan)
    >>> plan_judgments(y_true, y_judge, y_score, "p@5", width=0.05, random_state=0)
    Labels for an interval of width 0.05
    <BLANKLINE>
    label                      number  documents in all
    queries, people alone         110              2200
    queries, with the judge       103              2060
    documents, people alone       236               236
    documents, with the judge     148               148
    <BLANKLINE>
    Fewest labels: documents, with the judge.
    """
    width = check_positive("width", width)
    rule = "a number from 0 to 1"
    correlation = check_real("correlation", correlation, 0.0, 1.0, rule, "both")
    n_runs = check_count("n_runs", n_runs)
    level = check_confidence_level(confidence_level)
    measures, _ = check_measures("metric", [metric], 0.0)
    (measure,) = measures.values()
    check_row_order(y_true=y_true, y_judge=y_judge, y_scores=y_scores, qid=qid)
    documents = _check_pilot(y_true, y_judge, qid)
    systems = _check_one_or_two(y_scores, documents.shape)
    rng = check_generator(random_state)
    n_queries, n_rows = len(documents.query_ids), len(documents.query)
    # How many of each may be labelled, and how many documents one of them is.
    most: dict[Any, tuple[int, float]] = {"queries": (n_queries, n_rows / n_queries)}
    if is_sum(measure):
        every = sample_judgments(
            y_scores, n_rows, metric=measure, qid=qid, design="documents"
        )
        most["documents"] = (int(every.selected.sum()), 1.0)
    rows = []
    for design, (n_all, size) in most.items():
        tried = np.unique(np.minimum(_TRIED[design], n_all))
        squares = np.zeros((2, len(tried)))
        for _ in range(n_runs):
            grades = _draw_grades(documents, correlation, rng).reshape(documents.shape)
            for i, n in enumerate(tried):
                sample = sample_judgments(
                    y_scores,
                    n,
                    metric=measure,
                    qid=qid,
                    design=design,
                    random_state=rng,
                )
                labels = np.where(sample.selected, grades, np.nan)
                labelled = make_design(
                    labels, y_judge, qid=qid, inclusion=sample.inclusion
                )
                squares[:, i] += _squared_widths(labelled, systems, measure, level)
        for judge, row in zip(("people alone", "with the judge"), squares, strict=True):
            # Squared widths are a + b / n.
            terms = np.column_stack([np.ones(len(tried)), 1 / tried])
            (a, b), _ = nnls(terms / (row / n_runs)[:, np.newaxis], np.ones(len(tried)))
            n = np.inf
            if width**2 > a:
                n = max(np.ceil(b / (width**2 - a)), tried[0])
            n = n if n <= n_all else np.inf
            rows.append((f"{design}, {judge}", n, n * size))
    names, *numbers = zip(*rows, strict=True)
    return JudgmentPlan(width, names, *(np.array(values) for values in numbers))


def _check_pilot(y_true, y_judge, qid):
    """Return the `JudgedDocuments` of a pilot that is large enough."""
    documents = check_documents(y_true, y_judge, qid)
    n_labels = np.count_nonzero(documents.has_label)
    if n_labels < _FEWEST:
        raise ValueError(
            f"y_true must hold labels of a pilot, of {_FEWEST} documents or more; got "
            f"{n_labels} labels."
        )
    return documents


def _check_one_or_two(y_scores, shape):
    """Return the scores of one system, or of two."""
    several = isinstance(y_scores, Mapping)
    systems: Any = [*y_scores.values()] if several else [y_scores]
    if len(systems) != 1 + several:
        raise ValueError(f"y_scores must be of one system, or two; got {len(systems)}.")
    for system in systems:
        check_scores("y_scores", system, shape)
    return systems


def _squared_widths(labelled, systems, measure, level):
    """Return the squared width of the interval by people alone, and with the judge."""
    first, *others = (
        labelled.parts(scores, {"it": measure})["it"] for scores in systems
    )
    part = first - others[0] if others else first
    estimate = labelled.estimate(part, measure, level, is_difference=bool(others))
    square = np.ptp(estimate.confidence_interval) ** 2
    return square * estimate.effective_labels / labelled.n_labelled, square


def _draw_grades(documents, correlation, rng):
    """Return grades that people might give, drawn from the judge's and the pilot."""
    label, judge = documents.y_true[documents.has_label], documents.y_judge
    levels = np.unique(np.append(label, judge))
    codes = np.searchsorted(levels, judge)
    table = np.eye(len(levels))  # one own value of each grade of the judge
    np.add.at(table, (codes[documents.has_label], np.searchsorted(levels, label)), 1)
    cumulated = (table / table.sum(axis=1, keepdims=True)).cumsum(axis=1)[codes, :-1]
    of_query = rng.normal(size=len(documents.query_ids))[documents.query]
    own = rng.normal(size=len(codes))
    chance = ndtr(np.sqrt(correlation) * of_query + np.sqrt(1 - correlation) * own)
    return levels[(chance[:, np.newaxis] > cumulated).sum(axis=1)]
