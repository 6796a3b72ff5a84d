"""The results of `evaluate`, for one estimator and for several."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from sklearn_irmetrics._arrays.labels import check_row_order
from sklearn_irmetrics._arrays.numbers import as_array, to_dense
from sklearn_irmetrics._arrays.query_ids import as_ids, group_rows
from sklearn_irmetrics._results.portable import Portable
from sklearn_irmetrics._results.sentences import (
    capitalise,
    interval_details,
    interval_notes,
    join_names,
)
from sklearn_irmetrics._results.tables import (
    PLURAL,
    Column,
    Interval,
    Number,
    about_each,
    count,
    decimals,
    import_pandas,
    interval_column,
    mark_best,
    name_measure,
    share,
    without_repeats,
)
from sklearn_irmetrics._results.tabular import Drawable, Evaluated, Rows, Several
from sklearn_irmetrics._statistics.intervals import ConfidenceInterval
from sklearn_irmetrics._typing import ArrayLike, Ids
from sklearn_irmetrics.metrics._measure import Measure, picklable
from sklearn_irmetrics.model_selection._plan import BOOTSTRAPS, TEST_SET

if TYPE_CHECKING:
    from sklearn_irmetrics.comparison import ComparisonResult, ComparisonResults
    from sklearn_irmetrics.reports import ClassReport

_GIVEN = "given splits"
_TESTED_ON_TRAINING = "test rows are also training rows, as given"
UNUSED = "not used: "  # begins the note of arguments that were ignored
UNWEIGHTED = "not weighted: "  # begins the note of measures without the weights
# What intervals are about, by `EvaluationResult.interval_about`.
_ABOUT = {
    "the models trained here": "the {value} of these trained models on new {units} "
    "like these",
    "models trained this way on new data": "the {value} of models trained this way, "
    "with new training and test {units}",
    "the model as it is": "the {value} of this model on new {units} like these",
}
# How scores are averaged, by `EvaluationResult.aggregate`.
_AGGREGATES = {
    "per_split": "mean of the scores of {}.",
    "pooled": "one score of the predictions of {}.",
    "per_query": "mean over queries, each with its mean over splits that tested it.",
}


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
    ) -> ClassReport:
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
        return [f"{self.estimator_name}: {self._design_text()}"]

    def _notes(self):
        return [*self._about_intervals(), *self._warnings()]

    def _about_intervals(self):
        """Return the sentences that say what the intervals are about."""
        units = PLURAL[self.unit]
        value = "mean" if self._heading == "mean" else "score"
        known = [
            name
            for name, ends in self.confidence_interval.items()
            if not np.isnan(ends).all()
        ]
        sentences = []
        for about in dict.fromkeys(self.interval_about[name] for name in known):
            names = [name for name in known if self.interval_about[name] == about]
            subject = "" if len(names) == len(known) else f" of {join_names(names)}"
            text = _ABOUT[about].format(value=value, units=units)
            sentences.append(f"Interval{subject}: {text}.")
        return sentences

    def _warnings(self):
        """Return the sentences about what may mislead."""
        sentences = interval_notes(self.interval_method)
        if _TESTED_ON_TRAINING in self.note:
            sentences.append(
                "The splits that you passed test on training rows: means are too high "
                "unless the model leaves out what is scored."
            )
        sentences += [
            f"{capitalise(note)}."
            for note in self.note.split("; ")
            if note.startswith((UNWEIGHTED, UNUSED))
        ]
        n, predicted = len(self.fit_time), set(self.predictions.split.tolist())
        for lost, what in (
            ([i for i in self.failures if i not in predicted], "Training failed"),
            ([i for i in self.failures if i in predicted], "Measures failed"),
        ):
            if lost:
                splits = ", ".join(map(str, lost))
                sentences.append(
                    f"{what} in {len(lost)} of {n} splits ({splits}): see .failures."
                )
        return sentences

    def _details(self):
        by_aggregate: dict[str, list[str]] = {}
        for name, aggregate in self.aggregate.items():
            by_aggregate.setdefault(aggregate, []).append(name)
        sentences = []
        for aggregate, names in by_aggregate.items():
            subject = "" if len(by_aggregate) == 1 else f"{join_names(names)}: "
            text = _AGGREGATES[aggregate].format(count(len(self.fit_time), "split"))
            sentences.append(f"{subject}{text if subject else capitalise(text)}")
        notes = [
            note
            for note in self.note.split("; ")
            if note and not note.startswith((_TESTED_ON_TRAINING, UNWEIGHTED, UNUSED))
        ]
        return [
            *sentences,
            *interval_details(self.interval_method),
            *(f"{capitalise(note)}." for note in notes),
        ]

    @property
    def is_trained(self) -> bool:
        """Whether a model was trained in each split; if not, there is one test set."""
        return self.method != TEST_SET

    @property
    def n_defined(self) -> dict[str, int]:
        """Number of tested queries that each estimate counts, by measure.

        A query is not counted if it is undefined in every split that tested it.
        Measures without scores of queries count all units.
        """
        return {name: n for name, (n, _) in self._counts().items()}

    def _counts(self):
        """Return the number of units that count, and of all, by measure."""
        n_units = self.n_units
        if self.unit == "row":
            n_units = len(np.unique(self.predictions.row))
        counts = dict.fromkeys(self.estimate, (n_units, n_units))
        if self.query_scores is None:
            return counts
        for name in self.query_scores.scores:
            if name in counts:
                _, scores, weights = self.query_scores.mean_of_splits(name)
                has_weight = (
                    np.ones(len(scores), bool) if weights is None else weights > 0
                )
                counted = has_weight & ~np.isnan(scores)
                counts[name] = int(counted.sum()), int(has_weight.sum())
        return counts

    @property
    def _units(self):
        """What the counts are of."""
        if self.unit == "group" and self.query_scores is not None:
            return "queries"
        return PLURAL[self.unit]

    @property
    def _heading(self):
        """What the estimates are called."""
        if self.apparent_score is not None:
            return "estimate"
        is_one_score = {*self.aggregate.values()} == {"pooled"}
        return "score" if is_one_score else "mean"

    def _design_text(self):
        """Return the design and the number of units in words."""
        units, n_splits = count(self.n_units, self.unit), len(self.fit_time)
        if not self.is_trained:
            return f"not trained, scored on {units}"
        by_unit = "" if self.unit == "row" else f" by {self.unit}"
        if self.method == "holdout" and self.unit == "row":
            n_train, n_test = self.n_train.sum(), self.n_test.sum()
            return f"holdout, {n_train} training and {n_test} test rows"
        if self.method == "loocv":
            whole = "one" if self.unit == "row" else f"one-{self.unit}"
            return f"leave-{whole}-out, {units}"
        cv = self._cv_text()
        n_repeats = re.search(r"n_repeats=(\d+)", cv)
        n_repeats = 1 if n_repeats is None else int(n_repeats[1])
        folds = f"{n_splits // n_repeats}-fold cross-validation{by_unit}"
        if n_repeats > 1:
            folds += f" {n_repeats} times"
        replicates = count(n_splits, "replicate")
        names = {
            "holdout": f"holdout{by_unit}",
            "subsampling": f"{count(n_splits, 'random holdout')}{by_unit}",
            "kfold": folds,
            "stratified": f"stratified {folds}",
            "bootstrap": f"bootstrap{by_unit} (out-of-bag), {replicates}",
            "bootstrap632": f"bootstrap{by_unit} (.632), {replicates}",
            "bootstrap632+": f"bootstrap{by_unit} (.632+), {replicates}",
        }
        other = f"{count(n_splits, 'split')} of {cv}"
        if cv == _GIVEN:
            other = f"{count(n_splits, 'split')} that you passed"
        return f"{names.get(self.method, other)}, {units}"

    def _columns(self):
        counts = self._counts()
        errors = self.standard_error
        forms = {name: f".{decimals(error)}f" for name, error in errors.items()}
        intervals = self.confidence_interval
        return [
            Column(
                "measure",
                [*self.estimate],
                in_index=True,
                as_shown=[
                    name_measure(*pair) for pair in self.greater_is_better.items()
                ],
            ),
            Column(
                "estimate",
                [*self.estimate.values()],
                heading=self._heading,
                as_shown=[
                    Number(value, forms[name]) for name, value in self.estimate.items()
                ],
                align=">",
            ),
            Column("standard_error", [*errors.values()], shown=False),
            interval_column([*intervals.values()], self.confidence_level)._replace(
                as_shown=[
                    Interval(*ends, forms[name]) for name, ends in intervals.items()
                ]
            ),
            Column(
                None,
                [share(*counts[name]) for name in self.estimate],
                heading=self._units,
                align=">",
            ),
            Column("aggregate", [*self.aggregate.values()], shown=False),
            Column("interval", [*self.interval_method.values()], shown=False),
            Column("about", [*self.interval_about.values()], shown=False),
        ]


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

    @overload
    def compare(
        self, *, metric: str | Measure, by: None = None, **kwargs: Any
    ) -> ComparisonResult: ...
    @overload
    def compare(
        self, *, metric: list[Any] | tuple[Any, ...], **kwargs: Any
    ) -> ComparisonResults: ...
    @overload  # results of one measure, or of several
    def compare(self, **kwargs: Any) -> ComparisonResult | Any: ...
    def compare(self, **kwargs: Any) -> ComparisonResult | ComparisonResults:
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
        first, *_ = self.values()
        row_of = {name: row for row, name in enumerate(dict.fromkeys(measures.values))}
        rows = sorted(
            range(len(measures.values)), key=lambda i: row_of[measures.values[i]]
        )
        estimators = estimators._replace(in_index=True, heading="model")
        measures, *others = (column.take(rows) for column in (measures, *others))
        places = {}
        for i, name in enumerate(measures.values):
            places.setdefault(name, []).append(i)
        columns = []
        for column in others:
            if column.name in ("estimate", ("low", "high")):
                shown = []
                for name, rows_of_measure in places.items():
                    cells = _level([column.as_shown[i] for i in rows_of_measure])
                    shown += mark_best(cells, first.greater_is_better[name])
                column = column._replace(as_shown=shown)
            columns.append(column)
        shown = without_repeats(measures.as_shown)
        return [measures._replace(as_shown=shown), estimators.take(rows), *columns]

    def _title(self):
        designs = {name: result._design_text() for name, result in self.items()}
        models = count(len(self), "model")
        if len({*designs.values()}) == 1:
            return [f"{models}: {next(iter(designs.values()))}"]
        return [models, *about_each({name: [text] for name, text in designs.items()})]

    def _notes(self):
        about = about_each(
            {name: result._about_intervals() for name, result in self.items()}
        )
        tests = "Intervals may overlap although models differ: test it with .compare()."
        return [
            *about,
            *[tests] * (len(self) > 1 and bool(about)),
            *about_each({name: result._warnings() for name, result in self.items()}),
        ]


def _level(cells):
    """Return cells of one measure with as many digits as any of them has."""
    form = max(cell.form for cell in cells)
    return [cell._replace(form=form) for cell in cells]
