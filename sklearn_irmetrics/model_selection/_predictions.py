"""Fit and predict every split, keep the predictions, and pool them."""

import time
import traceback
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from numbers import Real
from operator import attrgetter

import numpy as np
from scipy.sparse import vstack
from sklearn.exceptions import FitFailedWarning
from sklearn.utils import Tags, TargetTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed

from sklearn_irmetrics._arrays.foreign import issparse, to_dense
from sklearn_irmetrics._compat import check_response_method, get_response, safe_indexing
from sklearn_irmetrics._warnings import quietly, warn_of_data, warn_of_undefined
from sklearn_irmetrics.metrics._per_query import (
    average_of,
    check_rankings,
    values_per_query,
)
from sklearn_irmetrics.metrics._ranking.judgments import Judgments
from sklearn_irmetrics.metrics._ranking.marks import MARKS
from sklearn_irmetrics.model_selection._fitting import (
    PREDICTION_METHODS,
    as_response,
    as_scored,
    slice_metadata,
    take_rows,
)
from sklearn_irmetrics.model_selection.results import (
    OutOfFold,
    QueryTable,
    take_responses,
)
from sklearn_irmetrics.scorers._responses import is_classifier


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


@dataclass(eq=False)
class Outcome:
    """The outcome of one split.

    Attributes
    ----------
    rows : ndarray
        Rows of the test side.
    scores, train_scores : dict of str to float or dict
        By measure.
    query_values : dict of str to ndarray
        One value per query of the test side, in order of first appearance.
    responses : dict of str to array
        Predictions of the test side by method.
    classes : ndarray or None
        Classes of the fitted estimator.
    fit_time, score_time : float
        Seconds.
    error : str or None
        Traceback, if something failed.
    number : int
        Of the split.
    """

    rows: np.ndarray
    scores: dict = field(default_factory=dict)
    train_scores: dict = field(default_factory=dict)
    query_values: dict = field(default_factory=dict)
    responses: dict = field(default_factory=dict)
    classes: object = None
    fit_time: float = np.nan
    score_time: float = np.nan
    error: str | None = None
    number: int = 0


@dataclass(frozen=True)
class Job:
    """What to do with each split.

    Attributes
    ----------
    plan : FitPlan
        How to fit the estimator.
    measures : list of NamedScorer
        What to score.
    pooled : frozenset of str
        Measures scored on the predictions of all splits rather than of each.
    metadata : dict of str to object
        Metadata of all rows, for scorers.
    train_score : bool
        Whether to score the training side, too.
    error_score : "raise" or float
        Whether failures are raised.
    replicates : bool
        Whether pooled measures are also scored on each split, if possible.
    name : str or None
        Name of the estimator among several.
    """

    plan: object
    measures: list
    pooled: frozenset
    metadata: dict
    train_score: bool
    error_score: object
    replicates: bool = False
    name: str | None = None

    @cached_property
    def alike(self):
        """Its means over rankings, in lists that share one ordering."""
        by_source = {}
        for measure in self.measures:
            if measure.is_mean:
                by_source.setdefault(_source(measure), []).append(measure)
        return list(by_source.values())

    def __call__(self, X, y, train, test, number):
        """Return the outcome of a split."""
        outcome = Outcome(test, number=number)
        try:
            self.run(X, y, train, outcome)
        except Exception as error:
            if self.error_score == "raise":
                error.add_note(
                    f"This happened in split {self.label(number)}. With "
                    "error_score=np.nan the others count."
                )
                raise
            outcome.error = traceback.format_exc()
            if self.name is not None:
                outcome.error = f"estimator {self.name!r}:\n{outcome.error}"
        return outcome

    def run(self, X, y, train, outcome):
        """Fit and score, and write the results to the outcome."""
        started = time.perf_counter()
        fitted = self.plan.fit(X, y, train, outcome.number)
        outcome.fit_time = time.perf_counter() - started
        models = fitted, as_scored(fitted, y)
        side = *models, X, y, outcome.rows, train
        outcome.scores, outcome.query_values, ask = self._side(*side, self.pooled)
        # A callable may ask for any response when it scores all predictions at once.
        record_all = None in map(attrgetter("function"), self.measures)
        for method in PREDICTION_METHODS:
            if hasattr(models[1], method) and (record_all or not ask.responses):
                ask(models[1], method, take_rows(fitted, X, outcome.rows, train))
        outcome.responses = ask.responses
        outcome.classes = getattr(models[1], "classes_", None)
        if self.train_score:
            outcome.train_scores, *_ = self._side(*models, X, y, train, train)
        outcome.score_time = time.perf_counter() - started - outcome.fit_time

    def label(self, split):
        """Return the name of a split in messages."""
        return f"{split}" if self.name is None else f"{split} of {self.name!r}"

    def _side(self, fitted, asked, X, y, rows, train, pooled=frozenset()):
        """Return scores and values of queries on some rows, and the predictions.

        Scorers of predictions get the model in the form that they know; callables of
        the user get the model itself.
        """
        X, ask = take_rows(fitted, X, rows, train), Answers()
        metadata = slice_metadata(self.metadata, rows, y.shape[0])
        data = X, safe_indexing(y, rows), metadata, ask
        scores, values = score_means(self.alike, asked, *data)
        for measure in self.measures:
            is_pooled = measure.name in pooled
            if measure.is_mean:
                if is_pooled and not self.replicates:
                    del scores[measure.name]
                continue
            side = asked if measure.is_scorer else fitted, *data
            if not is_pooled:
                scores[measure.name] = check_score(measure, measure.score(*side))
            elif self.replicates:
                with measure.quietly(), suppress(ValueError):  # a side of one class
                    scores[measure.name] = check_score(measure, measure.score(*side))
            elif measure.is_scorer:
                measure.predictions(*side)  # to be scored with all others
        return scores, values, ask


def score_means(groups, model, X, y, metadata, ask):
    """Return means and values of measures that are means over rankings.

    Parameters
    ----------
    groups : list of list of NamedScorer
        Measures in one list share an ordering.
    model, X, y, metadata, ask
        As for `NamedScorer.score`.

    Returns
    -------
    means : dict of str to float
    values : dict of str to ndarray
        One value per ranking, NaN where undefined.
    """
    means, values = {}, {}
    for alike in groups:
        found = alike[0].predictions(model, X, y, metadata, ask)
        with quietly():  # undefined queries are counted at the end
            ranked = _rank(alike, found, metadata)
        for one, (mean, each) in zip(alike, ranked, strict=True):
            means[one.name], values[one.name] = check_score(one, mean), each
    return means, values


def _source(measure):
    """Return the key that measures sharing an ordering have in common."""
    if measure.ranking is None:
        return measure.name
    given = measure.scorer.arguments
    shared = [given.get("pos_label"), given.get("ties", "average")]
    weighted = "sample_weight" in measure.metadata
    asked = measure.scorer.response_method
    return repr([*shared, asked, measure.ranks, weighted, measure.of_largest])


def _rank(measures, found, metadata):
    """Return mean and values of each of the measures of one source."""
    first = measures[0]
    if first.ranking is None:
        score = partial(first.score_predictions, found, metadata)
        return [(score(), score(average=None))]
    taken = frozenset().union(*map(attrgetter("metadata"), measures))
    marks = taken & MARKS.keys() & metadata.keys()
    weighted = "sample_weight" in first.metadata
    weights = metadata.get("sample_weight") if weighted else None
    rankings = {one.name: one.ranking for one in measures}
    judgments = Judgments(
        found.y_true,
        found.qid,
        weights,
        {name: metadata[name] for name in marks},
        metadata.get("candidates"),
        found.labels,
    )
    given, batch = check_rankings(rankings, judgments, found.y_score)
    ties = first.scorer.arguments.get("ties", "average")
    values = values_per_query(rankings, given, batch, ties=ties)
    ranked = []
    for one in measures:
        own = one.ranking, values[one.name], batch.weights, np.nan
        mean, each = average_of(*own), average_of(*own, average=None)
        ranked.append((one.scorer.sign * mean, one.scorer.sign * each))
    return ranked


def check_score(measure, score):
    """Return a score as a float, or a dict of floats; refuse anything else."""
    scores = score if isinstance(score, dict) else {measure.name: score}
    for name, value in scores.items():
        if np.ndim(value) == 0 and isinstance(value, Real) and np.isinf(value):
            raise ValueError(
                f"scoring must return finite numbers or NaN; {name} returned {value:g}."
            )
    if isinstance(score, dict):
        return score
    with suppress(TypeError):
        if np.ndim(score) == 0 and not isinstance(score, str):
            return float(score)
    got = f"an array of shape {np.shape(score)}" if np.ndim(score) else repr(score)
    raise ValueError(f"scoring must return numbers; {measure.name} returned {got}.")


def run_splits(jobs, inputs, splits, *, n_jobs, progress):
    """Return the outcomes of all splits, in their order, for each job.

    Parameters
    ----------
    jobs : list of Job
        What to do with each split.
    inputs : Inputs
        The data.
    splits : list of Split
        All splits.
    n_jobs : int or None
        For joblib.
    progress : bool
        Whether to show a bar.

    Returns
    -------
    list of list of Outcome
    """
    X, y = inputs.X, inputs.y
    # A model that is not trained may hold a lock, which cannot be sent elsewhere.
    shared = None if all(job.plan.trains for job in jobs) else "sharedmem"
    tasks = [
        delayed(job)(X, y, split.train, split.test, i)
        for job in jobs
        for i, split in enumerate(splits)
    ]
    outcomes = _parallel(n_jobs, shared)(tasks)
    if progress:
        outcomes = _bar(outcomes, len(tasks))
    outcomes = iter(list(outcomes))
    return [[next(outcomes) for _ in splits] for _ in jobs]


def report_failures(outcomes):
    """Warn of failed splits; raise if all of them failed."""
    errors = {i: o.error for i, o in enumerate(outcomes) if o.error is not None}
    if not errors:
        return {}
    listed = "\n".join(f"--- split {i} ---\n{error}" for i, error in errors.items())
    if len(errors) == len(outcomes):
        raise ValueError(f"all {len(outcomes)} splits failed:\n{listed}")
    warn_of_data(
        f"{len(errors)} of {len(outcomes)} splits failed:\n{listed}", FitFailedWarning
    )
    return errors


def _parallel(n_jobs, require):
    try:
        return Parallel(n_jobs, return_as="generator", require=require)
    except (TypeError, ValueError):  # a backend, or a joblib, that returns lists only
        return Parallel(n_jobs, require=require)


def _bar(outcomes, total):
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError("progress=True needs tqdm: pip install tqdm.") from error
    return tqdm(outcomes, total=total, desc="evaluate", unit="split")
