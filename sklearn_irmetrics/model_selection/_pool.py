"""Cache predictions of models, pool them, and replay them to scorers."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import vstack
from sklearn.utils import Tags, TargetTags
from sklearn.utils.metaestimators import available_if

from sklearn_irmetrics._compat import check_response_method, get_response, safe_indexing
from sklearn_irmetrics._core.aggregate import warn_of_undefined
from sklearn_irmetrics._core.foreign import issparse, to_dense
from sklearn_irmetrics._measures.responses import is_classifier
from sklearn_irmetrics.model_selection._fitting import slice_metadata
from sklearn_irmetrics.model_selection._models import as_response
from sklearn_irmetrics.model_selection._results import (
    OutOfFold,
    QueryTable,
    take_responses,
)


class Answers:
    """Predictions of a fitted model for some rows; each method is called only once.

    Attributes
    ----------
    responses : dict of str to array
        The results of the methods called.
    """

    def __init__(self):
        self.responses = {}

    def __call__(self, model, method, X, pos_label=None):
        """Return the result of a method; for two classes, that of `pos_label`."""
        of_classes = is_classifier(model)
        if method not in self.responses:
            found = check_response_method(model, method)(X)
            self.responses[method] = as_response(found, of_classes, method, X)
        if not of_classes:
            return self.responses[method]
        replayed = Replayed(self.responses, model.classes_)
        return get_response(replayed, method, X, pos_label)


def _has(method):
    return lambda self: method in self.responses


class Replayed:
    """An estimator that replays predictions of some rows.

    Parameters
    ----------
    responses : dict of str to array
        Predictions of these rows by method.
    classes : ndarray or None
        The class of each column; None: it does not classify.
    """

    def __init__(self, responses, classes):
        self.responses = responses
        if classes is not None:
            self.classes_ = classes

    @available_if(_has("predict"))
    def predict(self, X):
        """Return the predictions."""
        return self.responses["predict"]

    @available_if(_has("predict_proba"))
    def predict_proba(self, X):
        """Return the class probabilities."""
        return self.responses["predict_proba"]

    @available_if(_has("decision_function"))
    def decision_function(self, X):
        """Return the decision values."""
        return self.responses["decision_function"]

    def fit(self, X, y=None):
        """Return the estimator unchanged, since it is fitted."""
        return self

    def __sklearn_is_fitted__(self):
        return True

    def __sklearn_tags__(self):
        kind = "classifier" if hasattr(self, "classes_") else "regressor"
        return Tags(estimator_type=kind, target_tags=TargetTags(required=True))


@dataclass(frozen=True, eq=False)
class Pool:
    """The predictions of all splits, to be scored at once.

    Attributes
    ----------
    inputs : Inputs
        All data.
    predictions : OutOfFold
        The predictions.
    classes : ndarray or None
        Columns of class scores.
    """

    inputs: object
    predictions: object
    classes: np.ndarray | None

    @property
    def units_of_rows(self):
        """The unit of each prediction."""
        return self.inputs.units.codes[self.predictions.row]

    def of_split(self, split):
        """Return the predictions of one split."""
        at = np.flatnonzero(self.predictions.split == split)
        return replace(self, predictions=self.predictions.take(at))

    def counted_by(self, measure):
        """Return the pool without predictions that have weight 0 for `measure`."""
        weights = measure.own(self.inputs.metadata).get("sample_weight")
        if weights is None:
            return self
        at = np.flatnonzero(np.asarray(weights)[self.predictions.row])
        return replace(self, predictions=self.predictions.take(at))

    def given_to(self, measure, at=slice(None), copies=None):
        """Return the input of `measure`: a model, X, y and metadata.

        If rows can have weights, a row that was predicted `m` times has weight 1/m.

        Parameters
        ----------
        measure : NamedScorer
            The measure to compute.
        at : int array, default=slice(None)
            The predictions to use.
        copies : int array, default=None
            The draw of its unit that each prediction belongs to.

        Returns
        -------
        model, X, y, metadata : object
        extra : dict of str to ndarray
            Further metadata.
        """
        inputs, n_rows = self.inputs, len(self.inputs.target)
        rows = self.predictions.row[at]
        responses = take_responses(self.predictions.responses, at)
        metadata = slice_metadata(inputs.coded_metadata, rows, n_rows)
        if measure.ranks == "queries":
            # A query in two splits, or drawn twice, is two rankings.
            marks = [metadata["qid"], self.predictions.split[at]]
            marks += [] if copies is None else [copies]
            metadata["qid"] = _joint_codes(marks)
        extra = {}
        counts = np.bincount(self.predictions.row, minlength=n_rows)[rows]
        if measure.takes_weights and counts.max() > counts.min():
            own = measure.own(metadata).get("sample_weight", 1.0)
            extra["sample_weight"] = own / counts
        X = None if measure.is_scorer else safe_indexing(inputs.X, rows)
        y = safe_indexing(inputs.y, rows)
        return (Replayed(responses, self.classes), X, y, metadata), extra

    def score(self, measure, *which, **options):
        """Return the score of predictions; see `given_to`."""
        given, extra = self.given_to(measure, *which)
        return measure.score(*given, Answers(), **extra | options)


def make_pool(inputs, outcomes):
    """Return the predictions of the splits that did not fail."""
    done = [(i, o) for i, o in enumerate(outcomes) if o.error is None]
    responses, classes = concatenate_responses(
        [outcome.responses for _, outcome in done],
        [outcome.classes for _, outcome in done],
    )
    rows = np.concatenate([outcome.rows for _, outcome in done])
    split = np.repeat([i for i, _ in done], [len(outcome.rows) for _, outcome in done])
    ids = None if inputs.qid is None else inputs.qid[rows]
    y_true = np.asarray(to_dense(inputs.y))[rows]
    return Pool(inputs, OutOfFold(rows, split, y_true, ids, responses), classes)


def make_query_table(inputs, measures, outcomes, filler):
    """Return the scores of queries, or None if there are none."""
    ranking = [measure for measure in measures if measure.is_mean]
    if not ranking:
        return None
    of_rows = ranking[0].ranks == "rows"
    ids, weights, groups, units = inputs.query_facts(of_rows)
    if not any("sample_weight" in measure.metadata for measure in ranking):
        weights = None
    split, tested, values = [], [], {measure.name: [] for measure in ranking}
    for i, outcome in enumerate(outcomes):
        if outcome.error is not None and np.isnan(filler):
            continue
        queries = outcome.rows
        if not of_rows:
            queries = by_appearance(inputs.queries.codes[queries])
        split.append(np.full(len(queries), i))
        tested.append(queries)
        for name, parts in values.items():
            own = outcome.query_values.get(name, np.full(len(queries), filler))
            if np.shape(own) != np.shape(queries):
                raise ValueError(
                    f"{name} must return one value per query with average=None: "
                    f"expected {len(queries)}; got shape {np.shape(own)}."
                )
            parts.append(own)
    tested = np.concatenate(tested)
    return QueryTable(
        ids[tested],
        np.concatenate(split),
        {name: np.concatenate(parts) for name, parts in values.items()},
        None if weights is None else weights[tested],
        None if groups is None else groups[tested],
        units[tested],
    )


def by_appearance(codes):
    found, first = np.unique(codes, return_index=True)
    return found[np.argsort(first)]


def query_estimate(table, measure):
    """Return the mean over queries of their means over splits, and its data.

    Parameters
    ----------
    table : QueryTable
        Scores of queries.
    measure : str
        The measure.

    Returns
    -------
    mean : float
    values : ndarray
        Values of the queries for which it is defined.
    weights, groups : ndarray or None
        Of these queries.
    """
    _, values, weights = table.mean_of_splits(measure)
    counted = ~warn_of_queries(values, measure)
    if weights is not None:
        counted &= weights > 0
    parts = (values, weights, table.group_of_queries)
    values, weights, groups = (None if p is None else p[counted] for p in parts)
    mean = float(np.average(values, weights=weights)) if len(values) else np.nan
    return mean, values, weights, groups


def warn_of_queries(values, measure):
    """Warn how many queries are undefined; return which."""
    undefined = np.isnan(values)
    if undefined.any():
        warn_of_undefined(measure, undefined.sum(), len(undefined))
    return undefined


def mean_defined(values):
    """Return the mean of values that are not NaN, or NaN."""
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else float("nan")


def _joint_codes(columns):
    """Return one number for each combination of values."""
    codes = 0
    for column in columns:
        _, own = np.unique(column, return_inverse=True)
        _, codes = np.unique(codes * (own.max() + 1) + own, return_inverse=True)
    return codes


def concatenate_responses(parts, classes):
    """Join predictions of several splits, by method.

    Parameters
    ----------
    parts : list of dict of str to array
        Predictions of each split.
    classes : list of (ndarray or None)
        The classes that each split's estimator knew.

    Returns
    -------
    responses : dict of str to array
    classes : ndarray or None
        All classes, in the order of the columns.

    Raises
    ------
    ValueError
        If splits saw different classes and their outputs cannot be aligned.
    """
    every = None
    if classes[0] is not None and not isinstance(classes[0], list):
        every = np.unique(np.concatenate(classes))
    joined = {}
    for method in sorted(set.intersection(*map(set, parts))):
        outputs = [part[method] for part in parts]
        if every is not None and method != "predict":
            outputs = [
                _align(output, own, every, method, i)
                for i, (output, own) in enumerate(zip(outputs, classes, strict=True))
            ]
        if isinstance(outputs[0], list):  # one array per output of a multilabel one
            columns = zip(*outputs, strict=True)
            joined[method] = [np.concatenate(column) for column in columns]
        elif issparse(outputs[0]):
            joined[method] = vstack(outputs, format="csr")
        else:
            joined[method] = np.concatenate(list(map(np.asarray, outputs)))
    return joined, every


def _align(output, own, every, method, split):
    """Give class scores a column per class; unseen ones get 0 or the least score."""
    if len(own) == len(every):
        return output
    if np.ndim(output) != 2 or np.shape(output)[1] != len(own):
        raise ValueError(
            f"the predictions of split {split} cannot be pooled: its training side has "
            f"only the classes {own.tolist()} of {every.tolist()}. Use "
            "method='stratified' or aggregate='per_split'."
        )
    fill = 0.0 if method == "predict_proba" else np.finfo(output.dtype).min
    full = np.full((len(output), len(every)), fill)
    full[:, np.searchsorted(every, own)] = output
    return full
