"""Turn the outcomes of all splits into the result."""

from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter

import numpy as np
from sklearn.exceptions import FitFailedWarning

from sklearn_irmetrics._statistics.bootstrap632 import point632, point632_plus
from sklearn_irmetrics._warnings import warn_of_data, warn_of_undefined
from sklearn_irmetrics.model_selection._intervals import Estimate, interval_of
from sklearn_irmetrics.model_selection._predictions import Pool
from sklearn_irmetrics.model_selection._scores import (
    Scores,
    chance_score,
    make_query_table,
    mean_defined,
    mean_of_queries,
    undefined_means,
)
from sklearn_irmetrics.model_selection._scoring import NamedScorer
from sklearn_irmetrics.model_selection.results import EvaluationResult, QueryTable

UNTRAINED = "the model as it is"


@dataclass(frozen=True, eq=False)
class MeasuredSplits:
    """All scores, from which the estimate of each measure is made.

    Attributes
    ----------
    design : Design
        What was done.
    inputs : Inputs
        The data.
    pools : dict of str to (Pool or None)
        Predictions of the splits in which a measure did not fail, by its name.
    query_scores : QueryTable or None
        Scores of queries.
    left_out : dict of str to list of int
        Splits whose queries a measure leaves out, because it failed there.
    split_scores : dict of str to ndarray
        Scores of splits by measure.
    apparent : Outcome or None
        Of the fit on all data, for the corrections of the bootstrap.
    apparent_query_scores : QueryTable or None
        Scores of queries in this fit.
    trains : bool
        Whether anything was trained.
    """

    design: object
    inputs: object
    pools: dict
    query_scores: QueryTable | None
    left_out: dict
    split_scores: dict
    apparent: object
    apparent_query_scores: QueryTable | None
    trains: bool

    def estimate(self, scorer, confidence_level):
        """Return fields of the result for a scorer, whatever others there are."""
        rng = np.random.default_rng([self.inputs.seed, 0])
        value, query_mean = self._aggregate_scores(scorer)
        apparent = chance = None
        if self.design.correction is not None:
            apparent = self._apparent_score(scorer)
            if self.design.correction == "632":
                value = point632(value, apparent)
            else:
                pool = Pool.from_outcomes(self.inputs, [self.apparent])
                chance = chance_score(scorer, pool, rng)
                value = point632_plus(value, apparent, chance)
        standard_error, interval, interval_method, about = interval_of(
            Estimate(
                scorer=scorer,
                value=value,
                aggregate=self.design.aggregate[scorer.name],
                split_scores=self.split_scores[scorer.name],
                query_mean=query_mean,
                pool=self.pools[scorer.name],
                design=self.design,
                trains=self.trains,
                rng=rng,
                confidence_level=confidence_level,
            )
        )
        return {
            "estimate": value,
            "standard_error": standard_error,
            "confidence_interval": interval,
            "interval_method": interval_method,
            "interval_about": about if self.trains else UNTRAINED,
            "apparent_score": apparent,
            "chance_score": chance,
        }

    def _aggregate_scores(self, scorer):
        """Return the score, and the `QueryMean` that it is, or None."""
        name = scorer.name
        aggregate, split_scores = self.design.aggregate[name], self.split_scores[name]
        if self.pools[name] is None:
            return mean_defined(split_scores), None
        if aggregate == "per_query":
            query_mean = mean_of_queries(self._query_scores_of(name), name)
            return query_mean.mean, query_mean
        if aggregate == "pooled" or len(self.design.splits) == 1:
            return self._score_pool(scorer), None
        return mean_defined(split_scores), None

    def _score_pool(self, scorer):
        """Return the score of all predictions at once."""
        scores = Scores.from_pool(scorer, self.pools[scorer.name])
        with scorer.suppress_warnings() if scorer.is_mean else nullcontext():
            return scores.score()

    def warn_of_undefined_queries(self, scorers):
        """Warn of queries that means leave out.

        A query that was tested in several splits counts once.
        """
        undefined = []
        for scorer in scorers:
            by_query = self.design.aggregate[scorer.name] == "per_query"
            if self.pools[scorer.name] is not None and (by_query or scorer.is_mean):
                table = self._query_scores_of(scorer.name)
                undefined += undefined_means(scorer, table)
        warn_of_undefined(undefined)

    def _query_scores_of(self, name):
        """Return the scores of queries that a measure does not leave out."""
        if not (left_out := self.left_out[name]):
            return self.query_scores
        counted = ~np.isin(self.query_scores.split, left_out)
        return self.query_scores.take(np.flatnonzero(counted))

    def _apparent_score(self, scorer):
        """Return the score on the training data of the fit on all data."""
        if self.design.aggregate[scorer.name] == "per_query":
            return mean_of_queries(self.apparent_query_scores, scorer.name).mean
        return self.apparent.test.scores[scorer.name]


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
    failures = _report_failures(outcomes)
    filler = np.nan if job.error_score == "raise" else float(job.error_score)
    note = _note(inputs, job.scorers, design, job.plan.trains)
    pool = Pool.from_outcomes(inputs, outcomes)
    all_outcomes = outcomes if apparent is None else [*outcomes, apparent]
    scorers, aggregate = _expand_dicts(
        job.scorers, design.aggregate, all_outcomes, pool
    )
    apparent_query_scores = None
    if apparent is not None:
        apparent_query_scores = make_query_table(inputs, scorers, [apparent], np.nan)
    scored = MeasuredSplits(
        design=replace(design, aggregate=aggregate),
        inputs=inputs,
        pools={one.name: _pool_of(one, inputs, outcomes, pool) for one in scorers},
        query_scores=make_query_table(inputs, scorers, outcomes, filler),
        left_out={one.name: _left_out(one, outcomes, filler) for one in scorers},
        split_scores=_test_scores(outcomes, scorers, aggregate, filler),
        apparent=apparent,
        apparent_query_scores=apparent_query_scores,
        trains=job.plan.trains,
    )
    estimates = {one.name: scored.estimate(one, confidence_level) for one in scorers}
    scored.warn_of_undefined_queries(scorers)
    return EvaluationResult(
        **_by_field(estimates),
        confidence_level=confidence_level,
        split_scores=scored.split_scores,
        train_scores=_train_scores(job, outcomes, scorers, filler),
        query_scores=scored.query_scores,
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
        n_units=inputs.units.n_units,
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


def _report_failures(outcomes):
    """Warn of failures, and return their text by split; raise if no fit succeeded."""
    errors = _errors_by_split(outcomes)
    if not errors:
        return {}
    listed = "\n".join(f"--- split {i} ---\n{error}" for i, error in errors.items())
    n_failed, n = sum(one.error is not None for one in outcomes), len(outcomes)
    if n_failed == n:
        raise ValueError(f"all {n} splits failed:\n{listed}")
    what = f"{n_failed} of {n} splits failed"
    if n_failed < len(errors):
        names = dict.fromkeys(name for one in outcomes for name in one.failed)
        alone = f"{', '.join(names)} failed in {len(errors) - n_failed} of {n} splits"
        what = f"{what}, and {alone}" if n_failed else alone
    cure = "Set error_score='raise' to stop at the first error."
    warn_of_data(f"{what}. {cure}\n{listed}", FitFailedWarning)
    return errors


def _left_out(scorer, outcomes, filler):
    """Return the splits whose queries a scorer leaves out: none with a number."""
    if not np.isnan(filler):
        return []
    return [i for i, outcome in enumerate(outcomes) if outcome.lacks(scorer.name)]


def _pool_of(scorer, inputs, outcomes, pool):
    """Return the part of a pool in which a scorer did not fail, None if it has none."""
    if not any(scorer.name in outcome.failed for outcome in outcomes):
        return pool
    scored = [outcome for outcome in outcomes if not outcome.lacks(scorer.name)]
    return Pool.from_outcomes(inputs, scored) if scored else None


def _by_field(estimates):
    """Return estimates of measures as fields with a dict of measures each, or None."""
    fields = {}
    for name in next(iter(estimates.values())):
        values = {measure: one[name] for measure, one in estimates.items()}
        fields[name] = None if None in values.values() else values
    return fields


def _test_scores(outcomes, scorers, aggregate, filler):
    """Return the scores on test data by measure; a pool leaves failed splits out."""
    fillers = {"per_split": filler, "per_query": filler, "pooled": np.nan}
    return {
        one.name: _scores_of(outcomes, "test", one, fillers[aggregate[one.name]])
        for one in scorers
    }


def _train_scores(job, outcomes, scorers, filler):
    """Return the scores on training data by measure, None if there are none."""
    if not job.train_score:
        return None
    return {one.name: _scores_of(outcomes, "train", one, filler) for one in scorers}


def _scores_of(outcomes, side, scorer, filler):
    """Return the score of one side of each split."""
    scores = np.full(len(outcomes), filler)
    for i, outcome in enumerate(outcomes):
        if not outcome.lacks(scorer.name):
            scores[i] = getattr(outcome, side).scores.get(scorer.name, np.nan)
    return scores


def _note(inputs, scorers, design, trains):
    """Say what was ranked, where that is not the documents of queries."""
    notes = list(dict.fromkeys(_what_is_ranked(inputs, scorers, design.pooled)))
    if notes and inputs.queries is None:
        notes[0] = f"no query ids: {notes[0]}"
    if design.resampling is not None:
        notes.append(f"training data balanced by {design.resampling}-sampling")
    if any(map(attrgetter("is_same"), design.splits)):
        notes.append("test rows are also training rows, as given")
    if not trains:
        notes.append("not trained: used as it is")
    return "; ".join(notes)


def _what_is_ranked(inputs, scorers, pooled):
    """Generate what each scorer ranks that does not rank inside queries."""
    for scorer in scorers:
        if scorer.ranks == "fold":
            what, how = "each fold is", "ranked as a whole"
            if scorer.name in pooled:
                what, how = "all predictions are", "ranked together"
            yield f"{what} {'one set' if scorer.judges_predictions else how}"
        elif scorer.ranks == "rows":
            many = inputs.target.ndim == 2
            yield f"each row ranks {'its columns' if many else 'the classes'}"


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
    return [NamedScorer(key, partial(pick, key)) for key in first]


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
