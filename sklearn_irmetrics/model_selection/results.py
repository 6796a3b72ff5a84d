"""The results of `evaluate`, for one estimator and for several."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sklearn_irmetrics._arrays.labels import check_row_order
from sklearn_irmetrics._arrays.numbers import as_array, to_dense
from sklearn_irmetrics._arrays.query_ids import as_ids, group_rows
from sklearn_irmetrics._results.portable import Portable
from sklearn_irmetrics._results.tables import (
    Column,
    about_each,
    count,
    import_pandas,
    interval_column,
    mark_best,
    name_measure,
)
from sklearn_irmetrics._results.tabular import Drawable, Evaluated, Rows, Several
from sklearn_irmetrics._statistics.intervals import ConfidenceInterval
from sklearn_irmetrics._typing import ArrayLike, Ids
from sklearn_irmetrics.metrics._measure import Measure, picklable
from sklearn_irmetrics.model_selection._plan import BOOTSTRAPS, TEST_SET

_GIVEN = "given splits"


@dataclass(frozen=True, eq=False, repr=False)
class QueryTable(Rows, Portable):
    """Scores of single queries, one line per query and split that tested it.

    Attributes
    ----------
    query_ids : ndarray of shape (n_lines,)
        Query ids, or row numbers if every row ranks its columns or classes.
    split : ndarray of shape (n_lines,)
        Number of the split.
    scores : dict of str to ndarray of shape (n_lines,)
        Scores by measure, NaN where undefined.
    weights : ndarray of shape (n_lines,) or None
        Weights of the queries, if a measure requested them.
    groups : ndarray of shape (n_lines,) or None
        Groups of the queries, if there are any.
    units : ndarray of shape (n_lines,)
        Numbers of the units that were split, which the queries belong to.
    """

    query_ids: np.ndarray
    split: np.ndarray
    scores: dict[str, np.ndarray]
    weights: np.ndarray | None = None
    groups: np.ndarray | None = None
    units: np.ndarray | None = None

    @property
    def group_of_queries(self):
        """The group of each query in the order of `mean_of_splits`, or None."""
        return None if self.groups is None else self.groups[self._numbered[1]]

    @property
    def unit_of_queries(self):
        """The number of the unit of each query in the order of `mean_of_splits`."""
        return self.units[self._numbered[1]]

    @cached_property
    def _numbered(self):
        """The number of each query by first appearance, and where each comes first."""
        codes = group_rows(self.query_ids, len(self.query_ids)).codes()
        return codes, np.unique(codes, return_index=True)[1]

    def take(self, at):
        """Return some of the lines."""
        weights, groups, units = (
            None if column is None else column[at]
            for column in (self.weights, self.groups, self.units)
        )
        scores = {name: values[at] for name, values in self.scores.items()}
        return QueryTable(
            self.query_ids[at], self.split[at], scores, weights, groups, units
        )

    def mean_of_splits(self, measure):
        """Return each query once, with the mean of its scores over splits.

        Parameters
        ----------
        measure : str
            The measure.

        Returns
        -------
        query_ids, scores, weights : ndarray
            In order of first appearance; `weights` may be None.
        """
        codes, first = self._numbered
        values = self.scores[measure]
        defined = ~np.isnan(values)
        n = len(first)
        count = np.bincount(codes[defined], minlength=n)
        total = np.bincount(codes[defined], weights=values[defined], minlength=n)
        scores = np.full(n, np.nan)
        np.divide(total, count, out=scores, where=count > 0)
        weights = None if self.weights is None else self.weights[first]
        return self.query_ids[first], scores, weights

    def _arrays(self):
        columns = {"query": self.query_ids, "split": self.split}
        if self.groups is not None:
            columns["group"] = self.groups
        if self.weights is not None:
            columns["weight"] = self.weights
        return columns | self.scores

    def _title(self):
        n_splits = count(len(np.unique(self.split)), "split")
        return f"{count(len(self.split), 'score')} of queries in {n_splits}"

    def to_frame(self):
        """Return the table with one line per query and split."""
        return import_pandas().DataFrame(self._arrays())


@dataclass(frozen=True, eq=False, repr=False)
class OutOfFold(Rows, Portable):
    """Predictions of the test rows of every split.

    Attributes
    ----------
    row : ndarray of shape (n_predictions,)
        Row of X. With leave-one-out and k folds, each occurs once.
    split : ndarray of shape (n_predictions,)
        Number of the split.
    y_true : ndarray
        Targets of the rows.
    query_ids : ndarray or None
        Queries of the rows.
    responses : dict of str to array
        The results of ``predict``, ``predict_proba`` and ``decision_function``, as far
        as measures needed them.
    """

    row: np.ndarray
    split: np.ndarray
    y_true: np.ndarray
    query_ids: np.ndarray | None
    responses: dict[str, np.ndarray]

    def take(self, at):
        """Return some of the predictions."""
        ids = None if self.query_ids is None else self.query_ids[at]
        responses = take_responses(self.responses, at)
        return OutOfFold(self.row[at], self.split[at], self.y_true[at], ids, responses)

    def take_from_X(self, name, values):
        """Return those of values of the rows of X that the predictions are of."""
        n_rows = self.row.max() + 1
        if values.ndim != 1 or len(values) < n_rows:
            raise ValueError(
                f"{name} must have one value per row of X, in the order of X; got "
                f"shape {tuple(values.shape)} for at least {n_rows} rows."
            )
        return values[self.row]

    def _arrays(self):
        columns = {"row": self.row, "split": self.split}
        if self.query_ids is not None:
            columns["query"] = self.query_ids
        columns |= _columns("y_true", self.y_true)
        for response, output in self.responses.items():
            columns |= _columns(response, output)
        return columns

    def _title(self):
        n_splits = count(len(np.unique(self.split)), "split")
        return f"{count(len(self.row), 'prediction')} in {n_splits}"

    def to_frame(self):
        """Return the predictions with one line each, and class scores in columns."""
        return import_pandas().DataFrame(self._arrays())


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationResult(Evaluated):
    """Estimates of how good a model is, by one or more measures, with intervals.

    `evaluate` returns it; ``print`` shows its table.

    Attributes
    ----------
    estimate : dict of str to float
        The score by measure, with the sign of the measure: losses are not negated, but
        the names of scikit-learn that begin with ``neg_`` are.
    greater_is_better : dict of str to bool
        Whether larger scores are better, by measure.
    standard_error : dict of str to float
        Its standard error.
    confidence_interval : dict of str to ConfidenceInterval
        ``(low, high)``; NaN if the data allow no interval.
    confidence_level : float
        Of all intervals.
    split_scores : dict of str to ndarray of shape (n_splits,)
        The score on the test data of each split; NaN for pooled measures, except in
        bootstraps.
    train_scores : dict of str to ndarray of shape (n_splits,) or None
        The score on the training data of each split, if requested.
    query_scores : QueryTable or None
        The score of every query in every split that tested it.
    predictions : OutOfFold
        The predictions behind the scores.
    fit_time, score_time : ndarray of shape (n_splits,)
        Seconds.
    n_train, n_test : ndarray of shape (n_splits,)
        Numbers of training and test rows in each split; a row counts once, however
        often it was drawn.
    method : str
        The estimation method.
    cv : splitter or str
        The splitter. It makes the same splits again, unless it draws without a seed. In
        a result of `from_dict`, its text.
    aggregate : dict of str to str
        How scores were averaged: "per_split", "pooled" or "per_query".
    interval_method : dict of str to str
        How each interval was computed.
    interval_about : dict of str to str
        What it describes: "the models trained here", or "models trained this way on
        new data".
    apparent_score : dict of str to float or None
        The score on the training data (.632 methods).
    chance_score : dict of str to float or None
        The score without any information, γ (.632+ method).
    failures : dict of int to str
        Tracebacks by split: of its fit, or of the measures that failed in it. In the
        second case, the other measures count, and `predictions` holds the split.
    estimator_name, unit, n_units, note : str, str, int, str
        The evaluated estimator, the unit that was split, the number of units, and a
        remark.
    apparent_queries : QueryTable or None
        The score of every query on the training data (.632 methods).
    metrics : dict of str to Measure or str, or None
        The measure behind each name, if it is known, and the name of a function of
        scikit-learn with its arguments; None: unknown.
    """

    estimate: dict[str, float]
    greater_is_better: dict[str, bool]
    standard_error: dict[str, float]
    confidence_interval: dict[str, ConfidenceInterval]
    confidence_level: float
    split_scores: dict[str, np.ndarray]
    train_scores: dict[str, np.ndarray] | None
    query_scores: QueryTable | None
    predictions: OutOfFold
    fit_time: np.ndarray
    score_time: np.ndarray
    n_train: np.ndarray
    n_test: np.ndarray
    method: str
    cv: object
    aggregate: dict[str, str]
    interval_method: dict[str, str]
    interval_about: dict[str, str]
    apparent_score: dict[str, float] | None
    chance_score: dict[str, float] | None
    failures: dict[int, str]
    estimator_name: str
    unit: str
    n_units: int
    note: str
    apparent_queries: QueryTable | None = None
    metrics: dict[str, Measure | str] | None = None

    def __getstate__(self):
        return {**vars(self), "metrics": picklable(self.metrics)}

    @property
    def is_bootstrap(self) -> bool:
        """Whether the splits are replicates of a bootstrap."""
        return self.method in BOOTSTRAPS

    def class_report(
        self,
        *,
        groups: Ids | None = None,
        sample_weight: ArrayLike | None = None,
        **kwargs: Any,
    ) -> Any:
        """Report how well each class is predicted, from the test rows of all splits.

        Parameters
        ----------
        groups : array-like of shape (n_rows,), default=None
            The group of each row of X, in the order of X, whatever its index; needed if
            the evaluation had groups. None: rows of a query are one group, and so are
            repeated tests of a row.
        sample_weight : array-like of shape (n_rows,), default=None
            The weight of each row of X, in the order of X, whatever its index.
        **kwargs
            Passed to :func:`sklearn_irmetrics.reports.class_report`, such as `labels`.

        Returns
        -------
        ClassReport

        Raises
        ------
        ValueError
            If the predictions are not those of ``predict``, or groups are missing or
            not one per row of X.
        """
        from sklearn_irmetrics.reports import class_report

        predictions = self.predictions
        if "predict" not in predictions.responses:
            raise ValueError(
                "class_report() needs predicted classes; the measures of this result "
                f"needed only {' and '.join(predictions.responses) or 'scores'}. "
                "Evaluate with a measure of classes too, such as scoring='accuracy'."
            )
        check_row_order(groups=groups, sample_weight=sample_weight)
        if sample_weight is not None:
            weights = as_array("sample_weight", sample_weight)
            sample_weight = predictions.take_from_X("sample_weight", weights)
        if groups is not None:
            groups = predictions.take_from_X("groups", as_ids(groups, "groups"))
        elif self.unit == "group":
            raise ValueError(
                "groups must be given, one per row of X, because the splits of this "
                "result keep groups together."
            )
        elif predictions.query_ids is not None:
            groups = predictions.query_ids
        elif len(np.unique(predictions.row)) < len(predictions.row):
            groups = predictions.row
        return class_report(
            predictions.y_true,
            predictions.responses["predict"],
            groups=groups,
            sample_weight=sample_weight,
            **kwargs,
        )

    def _fields(self):
        return {**super()._fields(), "cv": self._cv_text()}

    def _cv_text(self):
        is_list = isinstance(getattr(self.cv, "cv", None), list)
        # scikit-learn breaks the lines of a long one.
        return _GIVEN if is_list else " ".join(str(self.cv).split())

    def _title(self):
        how = describe_intervals(self.interval_method.values())
        head = f"{self.estimator_name}, {self._design_text()}"
        return [head, *self._remarks(), *how]

    def _remarks(self):
        lines = [self.note] if self.note else []
        level = 100 * self.confidence_level
        by_subject: dict[str, list[str]] = {}
        for name, about in self.interval_about.items():
            if np.isnan(self.confidence_interval[name]).all():
                continue
            by_subject.setdefault(about, []).append(name)
        for about, names in by_subject.items():
            subject = "" if len(by_subject) == 1 else f" of {', '.join(names)}"
            lines.append(f"{level:g} % intervals{subject} for {about}")
        return lines + self._failed() if self.failures else lines

    def _failed(self):
        """Say which splits failed, and in which only measures did."""
        lines, n = [], len(self.fit_time)
        predicted = set(self.predictions.split.tolist())
        lost = [i for i in self.failures if i not in predicted]
        if lost:
            splits = ", ".join(map(str, lost))
            lines.append(f"{len(lost)} of {n} splits failed ({splits}): see .failures")
        if partly := [i for i in self.failures if i in predicted]:
            splits = ", ".join(map(str, partly))
            lines.append(
                f"measures failed in {len(partly)} of {n} splits ({splits}): see "
                ".failures"
            )
        return lines

    @property
    def is_trained(self) -> bool:
        """Whether a model was trained in each split; if not, there is one test set."""
        return self.method != TEST_SET

    def _design_text(self):
        units = count(self.n_units, self.unit)
        if not self.is_trained:
            return f"one test set of {units}; nothing was trained"
        n_splits = len(self.fit_time)
        replicates = count(n_splits, "replicate")
        names = {
            "holdout": "holdout",
            "subsampling": count(n_splits, "random subsample"),
            "kfold": count(n_splits, "fold"),
            "stratified": count(n_splits, "stratified fold"),
            "loocv": f"leave-one-{self.unit}-out",
            "bootstrap": f"out-of-bag bootstrap, {replicates}",
            "bootstrap632": f".632 bootstrap, {replicates}",
            "bootstrap632+": f".632+ bootstrap, {replicates}",
        }
        other = f"{count(n_splits, 'split')} of {self._cv_text()}"
        if self._cv_text() == _GIVEN:
            other = count(n_splits, "given split")
        done = names.get(self.method, other)
        return f"{done} of {units}"

    def _columns(self):
        interval_methods = [*self.interval_method.values()]
        return [
            Column(
                "measure",
                [*self.estimate],
                in_index=True,
                as_shown=[
                    name_measure(*pair) for pair in self.greater_is_better.items()
                ],
            ),
            Column("estimate", [*self.estimate.values()], ".4f"),
            Column(
                "standard_error",
                [*self.standard_error.values()],
                ".4f",
                heading="std. error",
            ),
            interval_column(
                [*self.confidence_interval.values()], self.confidence_level
            ),
            Column("aggregate", [*self.aggregate.values()]),
            Column(
                "interval",
                interval_methods,
                heading="interval by",
                shown=len(set(interval_methods)) > 1,
            ),
            Column("about", [*self.interval_about.values()], shown=False),
        ]


def describe_intervals(interval_methods):
    """Return the line that says how all intervals were made, if in one way."""
    first, *others = set(interval_methods)
    if others:
        return []
    why_not = first.removeprefix("none: ")
    is_made = why_not == first
    return [f"intervals by {first}" if is_made else f"no intervals: {why_not}"]


def take_responses(responses, index):
    """Return the predictions of some rows."""
    return {
        response: [column[index] for column in output]
        if isinstance(output, list)
        else output[index]
        for response, output in responses.items()
    }


def _columns(name, output):
    if isinstance(output, list):
        parts = [_columns(f"{name}_{i}", column) for i, column in enumerate(output)]
        return {key: column for part in parts for key, column in part.items()}
    output = np.asarray(to_dense(output))
    if output.ndim == 1:
        return {name: output}
    return {f"{name}_{i}": column for i, column in enumerate(output.T)}


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationResults(Drawable, Several[EvaluationResult]):
    """How good several models are, on the same splits.

    A read-only mapping: ``results["ridge"]`` is the :class:`EvaluationResult` of the
    estimator of that name.

    Attributes
    ----------
    results : dict of str to EvaluationResult
        The result of each estimator.
    """

    results: dict[str, EvaluationResult]

    by = "estimator"

    def compare(self, **kwargs: Any) -> Any:
        """Test which estimator is better, and which differences may be chance.

        Parameters
        ----------
        **kwargs
            Passed to :func:`sklearn_irmetrics.comparison.compare`.

        Returns
        -------
        ComparisonResult or ComparisonResults
        """
        from sklearn_irmetrics.comparison import compare

        return compare(self, **kwargs)

    def _columns(self):
        """Return the columns, in which estimators follow one another by measure."""
        estimators, measures, *others = super()._columns()
        order = list(dict.fromkeys(measures.values))
        rows = sorted(
            range(len(measures.values)), key=lambda i: order.index(measures.values[i])
        )
        estimators = estimators._replace(in_index=True)
        measures, *others = (column.take(rows) for column in (measures, *others))
        return [
            measures,
            estimators.take(rows),
            *(self._across_estimators(column, measures) for column in others),
        ]

    def _across_estimators(self, column, measures):
        """Return a column in which the best estimates are marked."""
        if column.name == "interval":
            return column._replace(shown=len(set(column.values)) > 1)
        if column.name != "estimate":
            return column
        by_measure = {}
        for measure, cell in zip(measures.values, column.cells(), strict=True):
            by_measure.setdefault(measure, []).append(cell)
        first, *_ = self.values()
        cells = [
            mark_best(cells, first.greater_is_better[measure])
            for measure, cells in by_measure.items()
        ]
        return column._replace(
            as_shown=[cell for of_measure in cells for cell in of_measure]
        )

    def _title(self):
        designs = {name: result._design_text() for name, result in self.items()}
        first, *others = dict.fromkeys(designs.values())
        interval_methods = [
            how for result in self.values() for how in result.interval_method.values()
        ]
        return [
            count(len(self), "estimator") + ("" if others else f", {first}"),
            *about_each(
                {name: [text] * bool(others) for name, text in designs.items()}
            ),
            *about_each({name: result._remarks() for name, result in self.items()}),
            *describe_intervals(interval_methods),
        ]
