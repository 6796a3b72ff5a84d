"""Fit and score every split, on one or many machines."""

import time
import traceback
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from numbers import Real
from operator import attrgetter

import numpy as np
from sklearn.exceptions import FitFailedWarning
from sklearn.utils.parallel import Parallel, delayed

from sklearn_irmetrics._compat import safe_indexing
from sklearn_irmetrics._core.aggregate import quietly, warn_of_data
from sklearn_irmetrics._core.marks import MARKS
from sklearn_irmetrics._measures.averages import average_of
from sklearn_irmetrics._measures.per_query import check_rankings, values_per_query
from sklearn_irmetrics.model_selection._fitting import slice_metadata, take_rows
from sklearn_irmetrics.model_selection._models import PREDICTION_METHODS, as_scored
from sklearn_irmetrics.model_selection._pool import Answers


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
    given, batch = check_rankings(
        rankings,
        found.y_true,
        found.y_score,
        qid=found.qid,
        labels=found.labels,
        sample_weight=weights,
        marks={name: metadata[name] for name in marks},
        candidates=metadata.get("candidates"),
    )
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
