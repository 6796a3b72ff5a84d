"""Measures of data sets that a library evaluates after every boosting round."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sklearn_irmetrics._core.aggregate import check_replacement, quietly
from sklearn_irmetrics._core.inputs import check_batch
from sklearn_irmetrics._core.parameters import TIES, check_option
from sklearn_irmetrics._core.queries import group_rows
from sklearn_irmetrics._measures.evaluator import RankingEvaluator
from sklearn_irmetrics._measures.measure import as_averaged
from sklearn_irmetrics._measures.scorable import check_scorable
from sklearn_irmetrics._typing import Ids

_KEPT = 16  # data sets whose judgments are kept ready

Data = Sequence[tuple[Any, Ids]]


class BoostingMetric:
    """Measures of the data sets of one training run.

    Libraries pass the same grades in every round. They are grouped, checked and copied
    in the first round; in later rounds they are compared with the copy, which is cheap
    and cannot confuse data sets.

    Attributes
    ----------
    measures : dict of str to Measure
        By the name shown in logs.
    greater_is_better : bool
        The direction of the first measure.
    """

    parameter = "metrics"  # what the measures were given as

    def __init__(self, metrics, data, ties, replace_undefined_by):
        self.measures = check_measures(self.parameter, metrics)
        self.ties = check_option("ties", ties, TIES)
        self.replace_undefined_by = check_replacement(replace_undefined_by)
        self._data = _check_data(data)
        self._ready = []

    @property
    def greater_is_better(self):
        """Whether larger values of the first measure are better."""
        return next(iter(self.measures.values())).metric.greater_is_better

    def values(self, y_true, y_score, *, sizes=None, weights=None):
        """Return the mean of each measure.

        Parameters
        ----------
        y_true, y_score : ndarray of shape (n_rows,)
            Grades and scores of a data set.
        sizes : ndarray of shape (n_queries,) or None
            How many rows each query has, one after the other; None: look the grades
            up in `data`.
        weights : ndarray of shape (n_rows,), (n_queries,) or None
            Weights.

        Returns
        -------
        dict of str to float
        """
        given = [
            None if part is None else np.asarray(part)
            for part in (y_true, sizes, weights)
        ]
        for kept, evaluator in self._ready:
            if all(map(_equal, kept, given)):
                with quietly():  # the first round warned of undefined queries
                    return evaluator(y_score)
        kept = [None if part is None else part.copy() for part in given]
        evaluator = self._prepare(*kept)
        self._ready = [*self._ready[1 - _KEPT :], (kept, evaluator)]
        return evaluator(y_score)

    def _prepare(self, y_true, sizes, weights):
        if sizes is None:
            y_true, qid = self._look_up(y_true)
        else:
            qid = np.repeat(np.arange(len(sizes)), sizes)
        if weights is not None and sizes is not None and len(weights) == len(sizes):
            weights = np.repeat(weights, sizes)
        return RankingEvaluator(
            y_true,
            self.measures,
            qid=qid,
            sample_weight=weights,
            ties=self.ties,
            replace_undefined_by=self.replace_undefined_by,
        )

    def _look_up(self, y_true):
        """Return grades as given in `data`, and the ids of their queries."""
        for grades, qid in self._data:
            if _equal(as_stored(grades), as_stored(y_true)):
                return grades, qid
        raise ValueError(
            f"data must hold (y_true, qid) of the data set of {len(y_true)} rows that "
            f"is evaluated, in the order of its rows; it holds {len(self._data)} "
            f"of {[len(grades) for grades, _ in self._data]} rows. The library does "
            "not pass query ids to metrics here."
        )

    def __getstate__(self):
        """Leave out data that the next training run recreates."""
        return {**vars(self), "_ready": []}


def _equal(a, b):
    if a is None or b is None:
        return a is b
    return a.shape == b.shape and bool((a == b).all())


def as_stored(grades):
    """Return grades in the form that the libraries store."""
    return np.asarray(grades, dtype=np.float32)


def check_measures(parameter, metrics):
    """Return measures that rank by scores alone, by their names in logs."""
    measures = as_averaged(parameter, metrics)
    for label, measure in measures.items():
        metric = measure.metric
        needed = ["y_true by subtopic"] if metric.subtopics else list(metric.marks)
        if metric.judges_predictions or needed:
            raise ValueError(
                f"{parameter} must rank documents by their scores alone; {label!r} "
                f"needs {', '.join(needed) or 'predicted sets or labels'}."
            )
        try:
            check_scorable(measure)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{parameter}: {error}") from None
    return measures


def _check_data(data):
    if data is None:
        return []
    if not isinstance(data, list | tuple) or not all(
        isinstance(pair, list | tuple) and len(pair) == 2 for pair in data
    ):
        raise TypeError(
            "data must be a list of pairs (y_true, qid), one for each data set that "
            f"is evaluated; got {type(data).__name__}."
        )
    checked = []
    for i, (y_true, qid) in enumerate(data):
        try:
            grades = check_batch(y_true, np.zeros(np.shape(y_true))).grades.ravel()
            codes = group_rows(qid, len(grades)).codes()
        except (TypeError, ValueError) as error:
            raise type(error)(f"data[{i}]: {error}") from None
        for j, (others, other_codes) in enumerate(checked):
            same = _equal(as_stored(others), as_stored(grades))
            if same and not _equal(other_codes, codes):
                raise ValueError(
                    f"data[{j}] and data[{i}] have the same grades but different "
                    "queries, so they cannot be told apart."
                )
        checked.append((grades, codes))
    return checked
