"""Fit a model on each split, score it, and keep what it predicts as arrays."""

import time
import traceback
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from numbers import Real
from operator import attrgetter

import numpy as np
from sklearn.utils import Tags, TargetTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed

from sklearn_irmetrics._arrays.numbers import issparse, to_numpy
from sklearn_irmetrics._compat import (
    check_response_method,
    get_response,
    num_samples,
    safe_indexing,
    warn_caller,
)
from sklearn_irmetrics._warnings import suppress_warnings
from sklearn_irmetrics.exceptions import UndefinedScoreError
from sklearn_irmetrics.metrics._per_query import (
    average_of,
    check_rankings,
    values_per_query,
)
from sklearn_irmetrics.metrics._ranking.judgments import Judgments
from sklearn_irmetrics.metrics._ranking.marks import MARKS
from sklearn_irmetrics.model_selection._plan import (
    PREDICTION_METHODS,
    FitPlan,
    as_scored,
    slice_metadata,
)
from sklearn_irmetrics.scorers._responses import flat, is_classifier
from sklearn_irmetrics.scorers.scorer import Predictions


@dataclass(eq=False)
class CachedPredictions:
    """Predictions of a fitted model for some rows; each method is called only once.

    Attributes
    ----------
    responses : dict of str to array
        The results of the methods called.
    """

    responses: dict = field(default_factory=dict)

    def __call__(self, model, method, X, pos_label=None):
        """Return the result of a method; for two classes, that of `pos_label`."""
        scores_classes = method != "predict" and is_classifier(model)
        if method not in self.responses:
            output = check_response_method(model, method)(X)
            self.responses[method] = _as_response(output, scores_classes, method, X)
        if not scores_classes:
            return self.responses[method]
        precomputed = PrecomputedEstimator(self.responses, model.classes_)
        return get_response(precomputed, method, X, pos_label)


def _as_response(output, scores_classes, method, X):
    """Return the result of a prediction method as an array with an entry per row.

    Lists hold rows, or arrays: one for each output of a multilabel classifier.
    `scores_classes` says whether it has a score for each class of a classifier.
    """
    if isinstance(output, list) and np.ndim(output[:1]) >= 3:
        return output
    if type(output) is not np.ndarray and not issparse(output):
        output = np.asarray(to_numpy(output))
    if X is not None and np.shape(output)[:1] != (num_samples(X),):
        raise ValueError(
            f"{method} must return one entry per row, {num_samples(X)} here; got shape "
            f"{np.shape(output)}."
        )
    if scores_classes:
        return output
    if method == "predict_proba" and np.shape(output)[1:] not in ((), (1,)):
        raise ValueError(
            f"predict_proba returned {output.shape[1]} columns, but the estimator does "
            "not name their classes: set classes_, in fit if it has one."
        )
    return flat(output)


class PrecomputedEstimator:
    """An estimator whose predictions, of some rows, are known already.

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

    @available_if(lambda self: "predict" in self.responses)
    def predict(self, X):
        """Return the predictions."""
        return self.responses["predict"]

    @available_if(lambda self: "predict_proba" in self.responses)
    def predict_proba(self, X):
        """Return the class probabilities."""
        return self.responses["predict_proba"]

    @available_if(lambda self: "decision_function" in self.responses)
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


@dataclass(eq=False)
class Side:
    """The test or the training data of a split, and their scores.

    Attributes
    ----------
    rows : ndarray
        Its rows.
    scores : dict of str to float or dict
        By scorer.
    query_values : dict of str to ndarray
        One value per query by scorer, in the order in which queries first appear in
        `rows`. `make_query_table` puts them beside the ids in this order.
    to_rank : dict of str to Predictions
        Predictions that `rank_queries` ranks with those of other splits, by ordering.
    """

    rows: np.ndarray
    scores: dict = field(default_factory=dict)
    query_values: dict = field(default_factory=dict)
    to_rank: dict = field(default_factory=dict)


@dataclass(eq=False)
class Outcome:
    """The outcome of one split.

    Attributes
    ----------
    number : int
        Of the split.
    test : Side
        The test data.
    train : Side or None
        The training data, if they are scored.
    responses : dict of str to array
        Predictions of the test data by method.
    classes : ndarray or None
        Classes of the fitted estimator.
    fit_time, score_time : float
        Seconds.
    error : str or None
        Traceback, if the fit failed, so that there are no scores.
    failed : dict of str to str
        Tracebacks of the measures that failed, by name; the others have scores.
    """

    number: int
    test: Side
    train: Side | None = None
    responses: dict = field(default_factory=dict)
    classes: object = None
    fit_time: float = np.nan
    score_time: float = np.nan
    error: str | None = None
    failed: dict = field(default_factory=dict)

    @cached_property
    def sides(self):
        """The sides that are scored."""
        return [self.test] if self.train is None else [self.test, self.train]

    def lacks(self, name):
        """Whether the fit, or the measure of this name, failed."""
        return self.error is not None or name in self.failed


@dataclass(frozen=True)
class Job:
    """What to do with each split.

    Attributes
    ----------
    plan : FitPlan
        How to fit the estimator.
    splits : list of Split
        Those of its design.
    scorers : list of ModelScorer
        What to score.
    aggregate : dict of str to str
        How scores are aggregated, by scorer. "pooled": the predictions of all splits
        are scored, rather than those of each.
    metadata : dict of str to object
        Metadata of all rows, for scorers, as given.
    train_score : bool
        Whether to score the training data as well.
    error_score : "raise" or float
        Whether failures are raised.
    replicates : bool
        Whether pooled scorers also score each split, if possible.
    name : str or None
        Name of the estimator among several.
    orderings : dict of str to list of ModelScorer
        The scorers of predictions that share arrays and an ordering, by the ordering.
    ranked_together : list of str
        The orderings by which the queries of all splits are ranked at once.
    callables : list of ModelScorer
        Callables ``(estimator, X, y)``, which score models.
    """

    plan: FitPlan
    splits: list
    scorers: list
    aggregate: dict
    metadata: dict
    train_score: bool
    error_score: object
    replicates: bool = False
    name: str | None = None
    orderings: dict = field(init=False, default_factory=dict)
    ranked_together: list = field(init=False, default_factory=list)
    callables: list = field(init=False, default_factory=list)

    def __post_init__(self):
        for scorer in self.scorers:
            ordering = scorer.ordering
            if ordering is None:
                self.callables.append(scorer)
            elif ordering in self.orderings:
                self.orderings[ordering].append(scorer)
            else:
                self.orderings[ordering] = [scorer]
                ranks_queries = scorer.ranking is not None and scorer.ranks == "queries"
                if ranks_queries and "candidates" not in self.metadata:
                    self.ranked_together.append(ordering)

    def evaluate_split(self, X, y, train, test, number):
        """Return the outcome of a split: its predictions and scores."""
        train_side = Side(train) if self.train_score else None
        outcome = Outcome(number, Side(test), train_side)
        try:
            self.run(X, y, train, outcome)
        except Exception as error:
            self.record_or_raise(error, outcome)
        return outcome

    def record_or_raise(self, error, outcome, scorers=()):
        """Record an error as `record` does, or raise it with a note of the split."""
        if self.error_score != "raise":
            self.record(outcome, scorers)
            return
        label = f"{outcome.number}"
        if self.name is not None:
            label = f"{label} of {self.name!r}"
        error.add_note(
            f"This happened in split {label}. Set error_score=np.nan to leave out "
            "splits that fail."
        )
        raise error

    def record(self, outcome, scorers=()):
        """Record the error being handled as that of some scorers, or of the fit.

        It is raised on if `error_score` is "raise".
        """
        if self.error_score == "raise":
            raise
        message = traceback.format_exc()
        if self.name is not None:
            message = f"estimator {self.name!r}:\n{message}"
        if scorers:
            outcome.failed |= {scorer.name: message for scorer in scorers}
        else:
            outcome.error = message

    def run(self, X, y, train, outcome):
        """Fit, predict and score, and write the results to the outcome."""
        started = time.perf_counter()
        fitted = self.plan.fit(X, y, train, outcome.number)
        outcome.fit_time = time.perf_counter() - started
        model, started = as_scored(fitted, y), time.perf_counter()
        for side in outcome.sides:
            side_X = self.plan.take_rows(X, side.rows, train)
            side_y = safe_indexing(y, side.rows)
            metadata = slice_metadata(self.metadata, side.rows, y.shape[0])
            cache = CachedPredictions()
            for ordering, scorers in self.orderings.items():
                try:
                    predictions = scorers[0].predictions(
                        model, side_X, side_y, metadata, cache
                    )
                except Exception:
                    self.record(outcome, scorers)
                    continue
                if ordering in self.ranked_together:
                    side.to_rank[ordering] = predictions
                else:
                    self._score_predictions(
                        scorers, predictions, metadata, side, outcome
                    )
            if side is outcome.test:
                outcome.classes = getattr(model, "classes_", None)
                # Callables may want any of them, with a list of labels as it is.
                source = fitted if isinstance(outcome.classes, list) else model
                for method in PREDICTION_METHODS:
                    is_wanted = self.callables or not cache.responses
                    if is_wanted and hasattr(source, method):
                        cache(source, method, side_X)
                outcome.responses = cache.responses
            for scorer in self.callables:
                if scorer.name not in outcome.failed:
                    score = partial(scorer.score_model, fitted, side_X, side_y)
                    try:
                        self._keep_score(side, outcome, scorer, score)
                    except Exception:
                        self.record(outcome, [scorer])
        outcome.score_time = time.perf_counter() - started

    def _score_predictions(self, scorers, predictions, metadata, side, outcome):
        """Score predictions by scorers of one ordering that have not failed.

        If that fails, each scorer scores alone, so that only what fails is lost.
        """
        scorers = [scorer for scorer in scorers if scorer.name not in outcome.failed]
        if len(scorers) > 1:
            with suppress(Exception):
                self._keep_scores(scorers, predictions, metadata, side, outcome)
                return
        for scorer in scorers:
            try:
                self._keep_scores([scorer], predictions, metadata, side, outcome)
            except Exception:
                self.record(outcome, [scorer])

    def _keep_scores(self, scorers, predictions, metadata, side, outcome):
        """Keep the scores of predictions by scorers of one ordering."""
        if scorers[0].ranking is not None:
            with suppress_warnings():  # undefined queries are counted at the end
                values, weights = _order_once(scorers, predictions, metadata)
                for scorer in scorers:
                    self.keep_rankings(
                        scorer, values[scorer.name], weights, side, outcome
                    )
            return
        (scorer,) = scorers
        if scorer.is_mean:
            with suppress_warnings():
                values = scorer.score(predictions, metadata, average=None)
                side.query_values[scorer.name] = values
        score = partial(scorer.score, predictions, metadata)
        self._keep_score(side, outcome, scorer, score)

    def keep_rankings(self, scorer, values, weights, side, outcome):
        """Keep the values of the rankings of a side, and their mean."""
        averaged = average_of(scorer.ranking, values, weights, np.nan)
        side.query_values[scorer.name] = averaged.values
        if self.replicates or not self._is_pooled(side, outcome, scorer):
            side.scores[scorer.name] = averaged.mean

    def _is_pooled(self, side, outcome, scorer):
        """Whether a side is scored together with those of other splits."""
        return side is outcome.test and self.aggregate[scorer.name] == "pooled"

    def _keep_score(self, side, outcome, scorer, score):
        """Keep the score of a side, which the function `score` returns.

        Test sides have scores of pooled scorers only as replicates of a bootstrap; a
        replicate that is not defined, for want of a class, is left out.
        """
        if self._is_pooled(side, outcome, scorer):
            if self.replicates:
                with scorer.suppress_warnings(), suppress(ValueError):
                    side.scores[scorer.name] = check_score(scorer, score())
            return
        value = side.scores[scorer.name] = check_score(scorer, score())
        # If a number takes its place, an undefined score is a failure.
        has_number = self.error_score != "raise" and not np.isnan(self.error_score)
        is_test = side is outcome.test and scorer.needs_both_classes
        if is_test and has_number and np.isnan(value):
            raise UndefinedScoreError(
                f"{scorer.name} is not defined on the test data of this split, "
                "usually because a class is missing."
            )


def _order_once(scorers, predictions, metadata):
    """Return the values of rankings by scorer, from one ordering, and weights.

    Rankings are in the order in which their queries first appear.
    """
    first = scorers[0]
    requested = frozenset().union(*map(attrgetter("requested"), scorers))
    measures = {scorer.name: scorer.ranking for scorer in scorers}
    judgments = Judgments(
        predictions.y_true,
        predictions.qid,
        metadata.get("sample_weight") if "sample_weight" in first.requested else None,
        {name: metadata[name] for name in requested & MARKS.keys() & metadata.keys()},
        metadata.get("candidates"),
    )
    raw, batch = check_rankings(measures, judgments, predictions.y_score)
    ties = first.arguments.get("ties", "average")
    return values_per_query(measures, raw, batch, ties=ties), batch.weights


def rank_queries(job, outcomes, inputs):
    """Score the queries of all splits, by measures that share an ordering at once.

    If that fails, each scorer scores each split alone, so that only what fails is lost.

    Parameters
    ----------
    job : Job
        What was done with each split.
    outcomes : list of Outcome
        Of the splits.
    inputs : Inputs
        The data.
    """
    for ordering in job.ranked_together:
        scorers = job.orderings[ordering]
        predicted = [
            outcome for outcome in outcomes if not outcome.lacks(scorers[0].name)
        ]
        for batch in _batch_splits(predicted):
            if len(batch) > 1 or len(scorers) > 1:
                with suppress(Exception):
                    _rank_together(job, ordering, scorers, batch, inputs)
                    continue
            for outcome in batch:
                for scorer in scorers:
                    try:
                        _rank_together(job, ordering, [scorer], [outcome], inputs)
                    except Exception as error:
                        job.record_or_raise(error, outcome, [scorer])


# Predictions that are ranked at once.
_MOST_RANKED = 4_000_000


def _batch_splits(outcomes):
    """Generate lists of splits with not too many predictions together."""
    batch, n_rows = [], 0
    for outcome in outcomes:
        batch.append(outcome)
        for side in outcome.sides:
            n_rows += len(side.rows)
        if n_rows > _MOST_RANKED:
            yield batch
            batch, n_rows = [], 0
    if batch:
        yield batch


def _rank_together(job, ordering, scorers, outcomes, inputs):
    """Rank the queries of some splits at once, and score each side by them."""
    started = time.perf_counter()
    codes = inputs.queries.codes
    sides, rows, parts, numbers = [], [], [], []
    for outcome in outcomes:
        for side in outcome.sides:
            rows.append(side.rows)
            # A query in two splits is two rankings.
            numbers.append(len(sides) * inputs.queries.n_units + codes[side.rows])
            parts.append(side.to_rank[ordering])
            sides.append((side, outcome))
    y_true, y_score, _, _ = zip(*parts, strict=True)
    predictions = Predictions(
        np.concatenate(y_true), np.concatenate(y_score), qid=np.concatenate(numbers)
    )
    rows = np.concatenate(rows)
    metadata = slice_metadata(job.metadata, rows, len(inputs.target))
    start = 0
    with suppress_warnings():  # undefined queries are counted at the end
        values, weights = _order_once(scorers, predictions, metadata)
        for (side, outcome), queries in zip(sides, numbers, strict=True):
            end = start + len(np.unique(queries))
            side_weights = None if weights is None else weights[start:end]
            for scorer in scorers:
                side_values = values[scorer.name][start:end]
                job.keep_rankings(scorer, side_values, side_weights, side, outcome)
            start = end
    seconds = (time.perf_counter() - started) / len(rows)
    for side, outcome in sides:
        outcome.score_time += seconds * len(side.rows)


def check_score(scorer, score):
    """Return a score as a float, or a dict of floats; refuse anything else."""
    scores = score if isinstance(score, dict) else {scorer.name: score}
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
    raise ValueError(f"scoring must return numbers; {scorer.name} returned {got}.")


_MANY_FITS = 1000  # from here on, a user is told before they start


def run_splits(jobs, inputs, *, n_jobs, progress):
    """Return the outcomes of all splits, in their order, for each job.

    Parameters
    ----------
    jobs : list of Job
        What to do with each split.
    inputs : Inputs
        The data.
    n_jobs : int or None
        For joblib.
    progress : bool
        Whether to show a bar.

    Returns
    -------
    list of list of Outcome
    """
    X, y = inputs.X, inputs.y
    tasks, n_fits = [], 0
    for job in jobs:
        n_fits += len(job.splits) if job.plan.trains else 0
        for i, split in enumerate(job.splits):
            task = delayed(job.evaluate_split)(X, y, split.train, split.test, i)
            tasks.append(task)
    # A model that is not trained may hold a lock, which cannot be sent elsewhere.
    require = None if n_fits == len(tasks) else "sharedmem"
    if n_fits > _MANY_FITS and not progress:
        warn_caller(
            f"{n_fits:,} models will be fitted, one for each split. Set progress=True "
            "to see a bar, or use a method with fewer splits, such as 'kfold'.",
            UserWarning,
        )
    try:
        parallel = Parallel(n_jobs, return_as="generator", require=require)
    except (TypeError, ValueError):  # a backend, or a joblib, that returns lists only
        parallel = Parallel(n_jobs, require=require)
    outcomes = parallel(tasks)
    if progress:
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise ImportError("progress=True needs tqdm: pip install tqdm.") from error
        outcomes = tqdm(outcomes, total=len(tasks), desc="evaluate", unit="split")
    outcomes = iter(list(outcomes))
    outcomes_of_jobs = []
    for job in jobs:
        outcomes_of_jobs.append(list(islice(outcomes, len(job.splits))))
        rank_queries(job, outcomes_of_jobs[-1], inputs)
    return outcomes_of_jobs
