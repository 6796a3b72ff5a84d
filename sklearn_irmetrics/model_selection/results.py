"""The results of `evaluate`, for one estimator and for several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_irmetrics._arrays.foreign import to_dense
from sklearn_irmetrics._arrays.query_ids import group_rows
from sklearn_irmetrics._results.portable import Portable
from sklearn_irmetrics._results.tables import (
    PLURAL,
    Interval,
    Number,
    Table,
    about_each,
    count,
    import_pandas,
    mark_best,
)
from sklearn_irmetrics._results.tabular import Drawable, Several
from sklearn_irmetrics._statistics.intervals import ConfidenceInterval
from sklearn_irmetrics.metrics._measure import Measure, picklable

if TYPE_CHECKING:
    from pandas import DataFrame

_GIVEN = "given splits"


@dataclass(frozen=True, eq=False)
class QueryTable(Portable):
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
        return None if self.groups is None else self.groups[_number(self.query_ids)[1]]

    @property
    def unit_of_queries(self):
        """The number of the unit of each query in the order of `mean_of_splits`."""
        return self.units[_number(self.query_ids)[1]]

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
        codes, first = _number(self.query_ids)
        values = self.scores[measure]
        defined = ~np.isnan(values)
        n = len(first)
        count = np.bincount(codes[defined], minlength=n)
        total = np.bincount(codes[defined], weights=values[defined], minlength=n)
        scores = np.full(n, np.nan)
        np.divide(total, count, out=scores, where=count > 0)
        weights = None if self.weights is None else self.weights[first]
        return self.query_ids[first], scores, weights

    def to_frame(self):
        """Return the table with one line per query and split."""
        columns = {"query": self.query_ids, "split": self.split}
        if self.groups is not None:
            columns["group"] = self.groups
        if self.weights is not None:
            columns["weight"] = self.weights
        return import_pandas().DataFrame(columns | self.scores)


@dataclass(frozen=True, eq=False)
class OutOfFold(Portable):
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

    def to_frame(self):
        """Return the predictions with one line each, and class scores in columns."""
        columns = {"row": self.row, "split": self.split}
        if self.query_ids is not None:
            columns["query"] = self.query_ids
        columns |= _columns("y_true", self.y_true)
        for method, output in self.responses.items():
            columns |= _columns(method, output)
        return import_pandas().DataFrame(columns)


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationResult(Drawable):
    """Estimates of how good a model is, by one or more measures, with intervals.

    `evaluate` returns it; ``print`` shows its table.

    Attributes
    ----------
    estimate : dict of str to float
        The score by measure; larger is better, as with all scorers.
    standard_error : dict of str to float
        Its standard error.
    confidence_interval : dict of str to ConfidenceInterval
        ``(low, high)``; NaN if the data allow no interval.
    confidence_level : float
        Of all intervals.
    split_scores : dict of str to ndarray of shape (n_splits,)
        The score on each test side; NaN for pooled measures, except in bootstraps.
    train_scores : dict of str to ndarray of shape (n_splits,) or None
        The score on each training side, if requested.
    query_scores : QueryTable or None
        The score of every query in every split that tested it.
    predictions : OutOfFold
        The predictions behind the scores.
    fit_time, score_time : ndarray of shape (n_splits,)
        Seconds.
    n_train, n_test : ndarray of shape (n_splits,)
        Number of rows on each side; each counts once, however often it was drawn.
    method : str
        The estimation method.
    cv : splitter or str
        The splitter. It makes the same splits again, unless it is your own splitter
        without a random state. In a result of `from_dict`, its text.
    aggregate : dict of str to str
        How scores were averaged: "per_split", "pooled" or "per_query".
    interval_method : dict of str to str
        How each interval was computed.
    interval_about : dict of str to str
        What it describes: "the models trained here", or "such training on new data".
    apparent_score : dict of str to float or None
        The score on the training data (.632 methods).
    chance_score : dict of str to float or None
        The score without any information, γ (.632+ method).
    failures : dict of int to str
        Tracebacks of failed splits.
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

    def to_frame(self) -> DataFrame:
        """Return the estimates as a table.

        Returns
        -------
        pandas.DataFrame
            One row per measure: estimate, standard error, both ends of the interval,
            and how they were made. Further tables: ``query_scores.to_frame()``,
            ``predictions.to_frame()``, ``pandas.DataFrame(result.split_scores)``.
        """
        (name, measures), *columns = self._data()
        pd = import_pandas()
        return pd.DataFrame(dict(columns), index=pd.Index(measures, name=name))

    def __getstate__(self):
        return {**vars(self), "metrics": picklable(self.metrics)}

    def _fields(self):
        return {**super()._fields(), "cv": self._cv_text()}

    def _cv_text(self):
        is_list = isinstance(getattr(self.cv, "cv", None), list)
        return _GIVEN if is_list else str(self.cv)

    def _title(self):
        lines = [f"{self.estimator_name}, {self._method_text()}"]
        if self.note:
            lines.append(self.note)
        by_subject: dict[str, list[str]] = {}
        for name, about in self.interval_about.items():
            if np.isnan(self.confidence_interval[name]).all():
                continue
            by_subject.setdefault(about, []).append(name)
        for about, names in by_subject.items():
            which = "" if len(by_subject) == 1 else f" of {', '.join(names)}"
            lines.append(f"intervals{which} are about {about}")
        if self.failures:
            splits = ", ".join(map(str, self.failures))
            lines.append(
                f"{len(self.failures)} of {len(self.fit_time)} splits failed "
                f"({splits}): see .failures"
            )
        return lines

    def _method_text(self):
        n_splits = len(self.fit_time)
        replicates = count(n_splits, "replicate")
        names = {
            "holdout": "holdout",
            "subsampling": count(n_splits, "random subsample"),
            "kfold": count(n_splits, "fold"),
            "stratified": count(n_splits, "stratified fold"),
            "loocv": f"leave-one-{self.unit}-out",
            "lpocv": f"leave-pair-out, {count(n_splits, 'pair')}",
            "bootstrap": f"out-of-bag bootstrap, {replicates}",
            "bootstrap632": f".632 bootstrap, {replicates}",
            "bootstrap632+": f".632+ bootstrap, {replicates}",
        }
        other = f"{count(n_splits, 'split')} of {self._cv_text()}"
        if self._cv_text() == _GIVEN:
            other = count(n_splits, "given split")
        done = names.get(self.method, other)
        return f"{done} of {self.n_units} {PLURAL[self.unit]}"

    def _table(self):
        return name_intervals(self._whole_table())

    def _whole_table(self):
        header = (
            "measure",
            "estimate",
            "std. error",
            f"{100 * self.confidence_level:g} % interval",
            "aggregate",
            "interval by",
        )
        rows = [
            (
                name,
                Number(self.estimate[name]),
                Number(self.standard_error[name]),
                Interval(*self.confidence_interval[name]),
                self.aggregate[name],
                self.interval_method[name],
            )
            for name in self.estimate
        ]
        return Table(self._title(), header, rows, "<>>><<")

    def _data(self):
        intervals = self.confidence_interval.values()
        return [
            ("measure", list(self.estimate)),
            ("estimate", list(self.estimate.values())),
            ("standard_error", list(self.standard_error.values())),
            ("low", [ends.low for ends in intervals]),
            ("high", [ends.high for ends in intervals]),
            ("aggregate", list(self.aggregate.values())),
            ("interval", list(self.interval_method.values())),
            ("about", list(self.interval_about.values())),
        ]


def name_intervals(table):
    """State above the table how all intervals were made, if in one way."""
    first, *others = {row[-1] for row in table.rows}
    if others:
        return table
    why_not = first.removeprefix("none: ")
    how = f"intervals by {first}" if why_not == first else f"no intervals: {why_not}"
    return replace(
        table,
        title=[*table.title, how],
        header=table.header[:-1],
        rows=[row[:-1] for row in table.rows],
        sides=table.sides[:-1],
    )


def take_responses(responses, index):
    """Return the predictions of some rows."""
    return {
        method: [column[index] for column in output]
        if isinstance(output, list)
        else output[index]
        for method, output in responses.items()
    }


def _columns(name, output):
    if isinstance(output, list):
        parts = [_columns(f"{name}_{i}", column) for i, column in enumerate(output)]
        return {key: column for part in parts for key, column in part.items()}
    output = np.asarray(to_dense(output))
    if output.ndim == 1:
        return {name: output}
    return {f"{name}_{i}": column for i, column in enumerate(output.T)}


def _number(ids):
    """Return the number of each id by first appearance, and where each comes first."""
    codes = group_rows(ids, len(ids)).codes()
    return codes, np.unique(codes, return_index=True)[1]


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

    def to_frame(self) -> DataFrame:
        """Return the estimates as a table.

        Returns
        -------
        pandas.DataFrame
            One row per measure and estimator, with the columns of
            :meth:`EvaluationResult.to_frame`.
        """
        pd = import_pandas()
        return pd.DataFrame(dict(self._data())).set_index(["measure", "estimator"])

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

    def _table(self):
        tables = {name: one._whole_table() for name, one in self.items()}
        first = next(iter(tables.values()))
        cells = {}
        for name, table in tables.items():
            for measure, *rest in table.rows:
                cells.setdefault(measure, []).append([name, *rest])
        rows = []
        for measure, of_estimators in cells.items():
            best = mark_best([estimate for _, estimate, *_ in of_estimators], True)
            for (name, _, *rest), estimate in zip(of_estimators, best, strict=True):
                rows.append((measure, name, estimate, *rest))
        one = next(iter(self.values()))
        many = f"{count(len(self), 'estimator')}, {one._method_text()}"
        notes = dict.fromkeys(n for table in tables.values() for n in table.notes)
        whole = Table(
            [many, *about_each({name: one.title[1:] for name, one in tables.items()})],
            (first.header[0], "estimator", *first.header[1:]),
            rows,
            f"{first.sides[0]}<{first.sides[1:]}",
            list(notes),
        )
        return name_intervals(whole)

    def _data(self):
        columns = {name: dict(one._data()) for name, one in self.items()}
        measures = dict.fromkeys(m for own in columns.values() for m in own["measure"])
        places = [
            (own, name, own["measure"].index(measure))
            for measure in measures
            for name, own in columns.items()
            if measure in own["measure"]
        ]
        first, *others = next(iter(columns.values()))
        return [
            (first, [own[first][i] for own, _, i in places]),
            ("estimator", [name for _, name, _ in places]),
            *((key, [own[key][i] for own, _, i in places]) for key in others),
        ]
