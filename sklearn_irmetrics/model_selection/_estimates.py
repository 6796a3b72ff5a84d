"""Turn the outcomes of all splits into the result."""

from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import attrgetter

import numpy as np
from sklearn.exceptions import FitFailedWarning

from sklearn_irmetrics._results.tables import PLURAL
from sklearn_irmetrics._statistics.bootstrap632 import point632, point632_plus
from sklearn_irmetrics._warnings import warn_of_data, warn_of_undefined
from sklearn_irmetrics.model_selection._intervals import interval_of
from sklearn_irmetrics.model_selection._predictions import Pool
from sklearn_irmetrics.model_selection._scorers import ModelScorer
from sklearn_irmetrics.model_selection._scores import (
    Scores,
    chance_score,
    make_query_table,
    mean_defined,
    mean_of_queries,
    undefined_means,
)
from sklearn_irmetrics.model_selection.results import EvaluationResult, QueryTable

UNTRAINED = "the model as it is"


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What the estimates of all measures of a model are made of.

    Attributes
    ----------
    inputs : Inputs
        The data.
    design : Design
        What was done.
    outcomes : list of Outcome
        Of every split.
    pool : Pool
        Predictions of the splits that did not fail.
    filler : float
        The score of a split in which the fit or a measure failed.
    query_scores : QueryTable or None
        Scores of queries.
    apparent : Outcome or None
        Of the fit on all data, for the corrections of the bootstrap.
    apparent_query_scores : QueryTable or None
        Scores of queries in this fit.
    trains : bool
        Whether each split has a model of its own.
    confidence_level : float
        Of the intervals.
    """

    inputs: object
    design: object
    outcomes: list
    pool: Pool
    filler: float
    query_scores: QueryTable | None
    apparent: object
    apparent_query_scores: QueryTable | None
    trains: bool
    confidence_level: float


class Estimate:
    """The estimate of one measure, whatever others there are.

    Parameters
    ----------
    scorer : ModelScorer
        What scores.
    evaluation : Evaluation
        What was predicted and scored.
    """

    def __init__(self, scorer, evaluation):
        self.scorer = scorer
        self.evaluation = evaluation
        self.inputs, self.design = evaluation.inputs, evaluation.design
        self.aggregate = self.design.aggregate[scorer.name]
        self.failed = [
            i for i, one in enumerate(evaluation.outcomes) if one.lacks(scorer.name)
        ]
        self.rng = np.random.default_rng([self.inputs.seed, 0])

    @property
    def unit(self):
        """The name of the units that were split."""
        return PLURAL[self.inputs.unit]

    @cached_property
    def pool(self):
        """Predictions of the splits in which the measure did not fail, or None."""
        outcomes, name = self.evaluation.outcomes, self.scorer.name
        if not any(name in outcome.failed for outcome in outcomes):
            return self.evaluation.pool
        scored = [outcome for outcome in outcomes if not outcome.lacks(name)]
        return Pool.from_outcomes(self.inputs, scored) if scored else None

    @cached_property
    def scores(self):
        """The predictions of all splits, as the scorer sees them."""
        return Scores.from_pool(self.scorer, self.pool)

    @cached_property
    def split_scores(self):
        """The scores of splits on test data; a pool leaves failed splits out."""
        filler = np.nan if self.aggregate == "pooled" else self.evaluation.filler
        return scores_of(self.evaluation.outcomes, "test", self.scorer, filler)

    @property
    def is_of_pool(self):
        """Whether it is one score of all predictions, as sums over rows always are."""
        return self.aggregate == "pooled" or self.scorer.is_sum

    @cached_property
    def query_scores(self):
        """Scores of queries, without those of splits that the measure leaves out."""
        table = self.evaluation.query_scores
        if not self.failed or not np.isnan(self.evaluation.filler):
            return table
        return table.take(np.flatnonzero(~np.isin(table.split, self.failed)))

    @cached_property
    def query_mean(self):
        """The `QueryMean` that the score is, None for other scores."""
        if self.pool is None or self.aggregate != "per_query":
            return None
        return mean_of_queries(self.query_scores, self.scorer.name)

    @cached_property
    def out_of_sample(self):
        """The score on test data, not corrected."""
        if self.query_mean is not None:
            return self.query_mean.mean
        if self.pool is None or not self.is_of_pool:
            return mean_defined(self.split_scores)
        with self.scorer.suppress_warnings() if self.scorer.is_mean else nullcontext():
            return self.scores.score()

    @cached_property
    def apparent(self):
        """The score on the training data of the fit on all data, if it corrects."""
        if self.design.correction is None:
            return None
        if self.aggregate == "per_query":
            table = self.evaluation.apparent_query_scores
            return mean_of_queries(table, self.scorer.name).mean
        return self.evaluation.apparent.test.scores[self.scorer.name]

    @cached_property
    def chance(self):
        """The score if predictions are independent of targets, if it corrects."""
        if self.design.correction != "632+":
            return None
        pool = Pool.from_outcomes(self.inputs, [self.evaluation.apparent])
        return chance_score(self.scorer, pool, self.rng)

    @cached_property
    def value(self):
        """The score, corrected as the design says."""
        if self.design.correction is None:
            return self.out_of_sample
        if self.design.correction == "632":
            return point632(self.out_of_sample, self.apparent)
        return point632_plus(
            self.out_of_sample,
            self.apparent,
            self.chance,
            greater_is_better=self.scorer.greater_is_better,
        )

    def fields(self):
        """Return fields of the result."""
        value = self.value
        standard_error, interval, interval_method, about = interval_of(self)
        return {
            "estimate": value,
            "greater_is_better": self.scorer.greater_is_better,
            "standard_error": standard_error,
            "confidence_interval": interval,
            "interval_method": interval_method,
            "interval_about": about if self.evaluation.trains else UNTRAINED,
            "apparent_score": self.apparent,
            "chance_score": self.chance,
            "split_scores": self.split_scores,
        }

    def undefined_means(self):
        """Return what to warn of: queries that the mean leaves out.

        A query that was tested in several splits counts once.
        """
        is_of_queries = self.aggregate == "per_query" or self.scorer.is_mean
        if self.pool is None or not is_of_queries:
            return []
        return undefined_means(self.scorer, self.query_scores)


def summarise(
    inputs, job, design, outcomes, *, apparent, confidence_level, estimator_name
):
    """Return the result of an evaluation.

    Parameters
    ----------
    inputs : Inputs
        The data.
    job : Job
        What was done with each split.
    design : Design
        What was done in all.
    outcomes : list of Outcome
        Of every split.
    apparent : Outcome or None
        Of the fit on all data, for the corrections of the bootstrap.
    confidence_level : float
        Of the intervals.
    estimator_name : str
        What was evaluated.
    """
    failures = _report_failures(outcomes, [scorer.name for scorer in job.scorers])
    filler = np.nan if job.error_score == "raise" else float(job.error_score)
    note = _note(inputs, job.scorers, design)
    pool = Pool.from_outcomes(inputs, outcomes)
    all_outcomes = outcomes if apparent is None else [*outcomes, apparent]
    scorers, aggregate = _expand_dicts(
        job.scorers, design.aggregate, all_outcomes, pool
    )
    apparent_query_scores = None
    if apparent is not None:
        apparent_query_scores = make_query_table(inputs, scorers, [apparent], np.nan)
    evaluation = Evaluation(
        inputs=inputs,
        design=replace(design, aggregate=aggregate),
        outcomes=outcomes,
        pool=pool,
        filler=filler,
        query_scores=make_query_table(inputs, scorers, outcomes, filler),
        apparent=apparent,
        apparent_query_scores=apparent_query_scores,
        trains=job.plan.trains,
        confidence_level=confidence_level,
    )
    n_units = inputs.units.n_units
    if not design.trains:
        n_units = len(np.unique(inputs.units.codes[pool.predictions.row]))
    estimates = [Estimate(scorer, evaluation) for scorer in scorers]
    fields = {one.scorer.name: one.fields() for one in estimates}
    warn_of_undefined([mean for one in estimates for mean in one.undefined_means()])
    return EvaluationResult(
        **_by_field(fields),
        confidence_level=confidence_level,
        train_scores=_train_scores(job, outcomes, scorers, filler),
        query_scores=evaluation.query_scores,
        predictions=pool.predictions,
        fit_time=np.array([outcome.fit_time for outcome in outcomes]),
        score_time=np.array([outcome.score_time for outcome in outcomes]),
        n_train=design.n_train,
        n_test=design.n_test,
        method=design.method,
        cv=design.cv,
        aggregate=aggregate,
        failures=failures,
        estimator_name=estimator_name,
        unit=inputs.unit,
        n_units=n_units,
        note=note,
        apparent_queries=apparent_query_scores,
        metrics={s.name: known for s in scorers if (known := s.measure) is not None},
    )


def _errors_by_split(outcomes):
    """Return the error of each fit that failed, or of the measures that did."""
    errors = {}
    for i, outcome in enumerate(outcomes):
        if outcome.error is not None:
            errors[i] = outcome.error
        elif outcome.failed:
            errors[i] = "\n".join(
                f"measure {name!r}:\n{text}" for name, text in outcome.failed.items()
            )
    return errors


def _report_failures(outcomes, names):
    """Warn of failures, and return their text by split; raise if no fit succeeded.

    `names` are those of all scorers.
    """
    errors = _errors_by_split(outcomes)
    if not errors:
        return {}
    listed = "\n".join(f"--- split {i} ---\n{error}" for i, error in errors.items())
    n_failed, n = sum(one.error is not None for one in outcomes), len(outcomes)
    if n_failed == n:
        raise ValueError(f"all {n} splits failed:\n{listed}")
    what = f"{n_failed} of {n} splits failed"
    if n_failed < len(errors):
        failed = set().union(*(outcome.failed for outcome in outcomes))
        listed_names = ", ".join(name for name in names if name in failed)
        alone = f"{listed_names} failed in {len(errors) - n_failed} of {n} splits"
        what = f"{what}, and {alone}" if n_failed else alone
    cure = "Set error_score='raise' to stop at the first error."
    warn_of_data(f"{what}. {cure}\n{listed}", FitFailedWarning)
    return errors


def _by_field(estimates):
    """Return estimates of measures as fields with a dict of measures each, or None."""
    fields = {}
    for name in next(iter(estimates.values())):
        values = {measure: one[name] for measure, one in estimates.items()}
        is_unknown = any(value is None for value in values.values())
        fields[name] = None if is_unknown else values
    return fields


def _train_scores(job, outcomes, scorers, filler):
    """Return the scores on training data by measure, None if there are none."""
    if not job.train_score:
        return None
    return {one.name: scores_of(outcomes, "train", one, filler) for one in scorers}


def scores_of(outcomes, side, scorer, filler):
    """Return the score of one side of each split."""
    scores = np.full(len(outcomes), filler)
    for i, outcome in enumerate(outcomes):
        if not outcome.lacks(scorer.name):
            scores[i] = getattr(outcome, side).scores.get(scorer.name, np.nan)
    return scores


def _note(inputs, scorers, design):
    """Say what was ranked, where that is not the documents of queries."""
    notes = list(dict.fromkeys(_what_is_ranked(inputs, scorers, design)))
    if notes and inputs.queries is None:
        notes[0] = f"no query ids: {notes[0]}"
    if design.resampling is not None:
        notes.append(f"training data balanced by {design.resampling}-sampling")
    if any(map(attrgetter("is_same"), design.splits)):
        notes.append("test rows are also training rows, as given")
    if design.note:
        notes.append(design.note)
    return "; ".join(notes)


def _what_is_ranked(inputs, scorers, design):
    """Generate what each scorer ranks that does not rank inside queries."""
    several_labels = inputs.target.ndim == 2
    for scorer in scorers:
        if several_labels and scorer.scores_sets:
            of_labels = scorer.ranks == "fold"
            sets = "label is a set of rows" if of_labels else "row is a set of labels"
            yield f"each {sets}"
        elif scorer.ranks == "fold":
            what, how = "each fold is", "ranked as a whole"
            if not design.trains:
                what = "all rows are"
            elif scorer.name in design.pooled:
                what, how = "all predictions are", "ranked together"
            yield f"{what} {scorer.fold_is or how}"
        elif scorer.ranks == "rows":
            yield f"each row ranks {'its columns' if several_labels else 'the classes'}"


def _expand_dicts(scorers, aggregate, outcomes, pool):
    """Turn a callable that returns several scores into several scorers.

    The names of one that always failed are unknown, so it counts as one scorer.
    """
    expanded, aggregate = [], dict(aggregate)
    for scorer in scorers:
        always_failed = all(outcome.lacks(scorer.name) for outcome in outcomes)
        if scorer.scores_predictions or always_failed:
            expanded.append(scorer)
            continue
        parts = _parts_of_callable(scorer, outcomes, pool)
        aggregate |= dict.fromkeys(
            (part.name for part in parts), aggregate.pop(scorer.name)
        )
        expanded += parts
    names = [scorer.name for scorer in expanded]
    if len(set(names)) < len(names):
        raise ValueError(f"scoring must give each score a different name; got {names}.")
    return expanded, {name: aggregate[name] for name in names}


def _parts_of_callable(scorer, outcomes, pool):
    """Return a scorer for each score of a callable; sides get scores by their names.

    It must return the same names each time, or a number. Where it failed, all of them
    failed.
    """
    name = scorer.name
    sides = [side for one in outcomes if one.error is None for side in one.sides]
    first = _first_score(scorer, sides, pool)
    pick = partial(_pick, name, scorer.scorer, first)
    if not isinstance(first, dict):
        return [replace(scorer, scorer=partial(pick, None))]
    for side in sides:
        side.scores |= side.scores.pop(name, {})
    for outcome in outcomes:
        if name in outcome.failed:
            outcome.failed |= dict.fromkeys(first, outcome.failed[name])
    return [ModelScorer(key, partial(pick, key)) for key in first]


def _first_score(scorer, sides, pool):
    """Return what a callable returned first, after comparing the names in all."""
    name = scorer.name
    scores = [side.scores[name] for side in sides if name in side.scores]
    first = scores[0] if scores else Scores.from_pool(scorer, pool).score()
    for other in scores:
        _check_names(name, first, other)
    return first


def _check_names(name, first, other):
    """Refuse scores with other names than the first; a number has none."""
    names = [set(one) if isinstance(one, dict) else None for one in (first, other)]
    if names[0] != names[1]:
        raise ValueError(
            "scoring must return a number, or the same names, for all splits; "
            f"{name} returned {first} and {other}."
        )


def _pick(name, scorer, first, key, estimator, X, y):
    """Return one of the scores that a callable returns, or its only one."""
    score = scorer(estimator, X, y)
    _check_names(name, first, score)
    return score if key is None else score[key]
