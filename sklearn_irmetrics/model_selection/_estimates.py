"""Turn the outcomes of all splits into the estimate of each measure."""

from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import FitFailedWarning

from sklearn_irmetrics._results.tables import PLURAL
from sklearn_irmetrics._statistics.bootstrap632 import point632, point632_plus
from sklearn_irmetrics._warnings import UndefinedMean, warn_of_data, warn_of_undefined
from sklearn_irmetrics.model_selection._inputs import by_appearance
from sklearn_irmetrics.model_selection._intervals import interval_of
from sklearn_irmetrics.model_selection._plan import slice_metadata
from sklearn_irmetrics.model_selection._pool import Pool, Scores
from sklearn_irmetrics.model_selection._scorers import ModelScorer
from sklearn_irmetrics.model_selection.results import (
    UNWEIGHTED,
    EvaluationResult,
    QueryTable,
)

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
            split
            for split, outcome in enumerate(evaluation.outcomes)
            if outcome.lacks(scorer.name)
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
        """Return a list with the `UndefinedMean`, if it leaves out queries.

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
    scorers, aggregate = _expand_dicts(job, design.aggregate, all_outcomes, pool)
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
    by_measure = {estimate.scorer.name: estimate.fields() for estimate in estimates}
    fields = {}
    for field in next(iter(by_measure.values())):
        values = {name: known[field] for name, known in by_measure.items()}
        is_unknown = any(value is None for value in values.values())
        fields[field] = None if is_unknown else values
    warn_of_undefined(sum((e.undefined_means() for e in estimates), []))
    train_scores = None
    if job.train_score:
        train_scores = {
            scorer.name: scores_of(outcomes, "train", scorer, filler)
            for scorer in scorers
        }
    return EvaluationResult(
        **fields,
        confidence_level=confidence_level,
        train_scores=train_scores,
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
    n = len(outcomes)
    n_failed = sum(outcome.error is not None for outcome in outcomes)
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
    if unweighted := _unweighted(inputs, scorers):
        pass_scorers = "pass scorers with set_score_request(sample_weight=True)"
        notes.append(f"{UNWEIGHTED}{', '.join(unweighted)} ({pass_scorers})")
    return "; ".join(notes)


def _unweighted(inputs, scorers):
    """Return the names of scorers that could take the weights, but request none."""
    weights = inputs.metadata.get("sample_weight")
    if weights is None:
        return []
    weights, may_weigh = np.asarray(weights), {"rows", "fold", None}
    if inputs.queries is not None:
        of_queries = inputs.query_facts(of_rows=False).weights[inputs.queries.codes]
        if np.array_equal(of_queries, weights):
            may_weigh.add("queries")
    return [
        scorer.name
        for scorer in scorers
        if scorer.takes_weights
        and scorer.ranks in may_weigh
        and "sample_weight" not in scorer.requested
    ]


def _what_is_ranked(inputs, scorers, design):
    """Generate what each scorer ranks that does not rank inside queries."""
    several_labels = inputs.target.ndim == 2
    for scorer in scorers:
        if several_labels and scorer.ranks in scorer.sets_of_labels:
            yield scorer.sets_of_labels[scorer.ranks]
        elif scorer.ranks == "fold":
            what, how = "each fold is", "ranked as a whole"
            if not design.trains:
                what = "all rows are"
            elif design.aggregate[scorer.name] == "pooled":
                what, how = "all predictions are", "ranked together"
            yield f"{what} {scorer.fold_is or how}"
        elif scorer.ranks == "rows":
            yield f"each row ranks {'its columns' if several_labels else 'the classes'}"


def _expand_dicts(job, aggregate, outcomes, pool):
    """Turn a callable that returns several scores into several scorers.

    The names of one that always failed are unknown, so it counts as one scorer.
    """
    expanded, aggregate = [], dict(aggregate)
    for scorer in job.scorers:
        always_failed = all(outcome.lacks(scorer.name) for outcome in outcomes)
        if scorer not in job.callables or always_failed:
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
    fitted = [outcome for outcome in outcomes if outcome.error is None]
    sides = [side for outcome in fitted for side in outcome.sides]
    scores = [side.scores[name] for side in sides if name in side.scores]
    first = scores[0] if scores else Scores.from_pool(scorer, pool).score()
    for score in scores:
        _check_names(name, first, score)
    pick = partial(_pick, name, scorer.scorer, first)
    if not isinstance(first, dict):
        return [replace(scorer, scorer=partial(pick, None))]
    for side in sides:
        side.scores |= side.scores.pop(name, {})
    for outcome in outcomes:
        if name in outcome.failed:
            outcome.failed |= dict.fromkeys(first, outcome.failed[name])
    return [ModelScorer(key, partial(pick, key)) for key in first]


def _check_names(name, first, other):
    """Refuse scores with other names than the first; a number has none."""
    is_dict = isinstance(first, dict)
    if is_dict != isinstance(other, dict) or (is_dict and first.keys() != other.keys()):
        raise ValueError(
            "scoring must return a number, or the same names, for all splits; "
            f"{name} returned {first} and {other}."
        )


def _pick(name, scorer, first, key, estimator, X, y):
    """Return one of the scores that a callable returns, or its only one."""
    score = scorer(estimator, X, y)
    _check_names(name, first, score)
    return score if key is None else score[key]


def chance_score(scorer, pool, rng):
    """Return the expected score if predictions are independent of targets.

    γ of the .632+ bootstrap: exact for ranking measures, the expectation over all
    orders. For others the score of predictions paired with targets at random: all pairs
    where there are at most a million, else as many.

    Parameters
    ----------
    scorer : ModelScorer
        What scores.
    pool : Pool
        Predictions of all rows by the estimator that was fitted on them.
    rng : numpy.random.Generator
        Generator of the pairs.

    Returns
    -------
    float
    """
    with scorer.suppress_warnings():
        scores, inputs = Scores.from_pool(scorer, pool), pool.inputs
        metadata = slice_metadata(
            scorer.take_requested(inputs.metadata), scores.row, len(inputs.target)
        )
        chance = scorer.chance(scores.predictions, metadata, rng)
        if chance is not None:
            return chance
        return Scores.from_pool(scorer, _pair_at_random(scorer, pool, rng)).score()


def _pair_at_random(scorer, pool, rng):
    """Return predictions paired with targets at random, many times over."""
    n = len(pool.predictions.row)
    n_shifts = min(n, max(1, scorer.most_pairs // n))
    shifts = rng.permutation(n)[:n_shifts]
    order = rng.permutation(n)
    rows = np.tile(np.arange(n), n_shifts)
    partners = order[(np.arange(n) + shifts[:, np.newaxis]) % n].ravel()
    # Queries of its own each time.
    return pool.paired(rows, partners, np.repeat(np.arange(n_shifts), n))


def make_query_table(inputs, scorers, outcomes, filler):
    """Return the scores of queries, None if there are none or no split has any.

    A number as `filler` is the value of every query of a split in which the fit or the
    measure failed.
    """
    mean_scorers = [scorer for scorer in scorers if scorer.is_mean]
    if np.isnan(filler):  # splits without any values are left out
        counted = {
            i: outcome
            for i, outcome in enumerate(outcomes)
            if not all(outcome.lacks(scorer.name) for scorer in mean_scorers)
        }
    else:
        counted = dict(enumerate(outcomes)) if mean_scorers else {}
    if not counted:
        return None
    of_rows = mean_scorers[0].ranks == "rows"
    tested = []  # in the order of `Side.query_values`
    for outcome in counted.values():
        rows = outcome.test.rows
        tested.append(rows if of_rows else by_appearance(inputs.queries.codes[rows]))
    sizes = list(map(len, tested))
    scores = {
        scorer.name: _values_of_queries(scorer, counted, sizes, filler)
        for scorer in mean_scorers
    }
    at = np.concatenate(tested)
    queries = inputs.query_facts(of_rows)
    is_weighted = any("sample_weight" in scorer.requested for scorer in mean_scorers)
    weights, groups = queries.weights if is_weighted else None, queries.groups
    return QueryTable(
        query_ids=queries.ids[at],
        split=np.repeat(list(counted), sizes),
        scores=scores,
        weights=None if weights is None else weights[at],
        groups=None if groups is None else groups[at],
        units=queries.units[at],
    )


def _values_of_queries(scorer, outcomes, sizes, filler):
    """Return the values of the queries that splits tested, of `sizes` each."""
    parts = []
    for outcome, n_queries in zip(outcomes.values(), sizes, strict=True):
        if outcome.lacks(scorer.name):
            parts.append(np.full(n_queries, filler))
            continue
        values = outcome.test.query_values[scorer.name]
        if np.shape(values) != (n_queries,):
            raise ValueError(
                f"{scorer.name} must return one value per query with average=None: "
                f"expected {n_queries}; got shape {np.shape(values)}."
            )
        parts.append(values)
    return np.concatenate(parts)


class QueryMean(NamedTuple):
    """A mean over queries, and the queries for which the measure is defined.

    Attributes
    ----------
    mean : float
        NaN if it is defined for no query.
    values : ndarray of shape (n_queries,)
        The score of each query, the mean of its scores over splits.
    weights, groups : ndarray of shape (n_queries,) or None
        Of these queries.
    """

    mean: float
    values: np.ndarray
    weights: np.ndarray | None
    groups: np.ndarray | None


def mean_of_queries(table, measure):
    """Return the `QueryMean` of a measure, given by its name, in a `QueryTable`."""
    _, values, weights = table.mean_of_splits(measure)
    counted = ~np.isnan(values)
    if weights is not None:
        counted &= weights > 0
    parts = (values, weights, table.group_of_queries)
    values, weights, groups = (None if p is None else p[counted] for p in parts)
    mean = float(np.average(values, weights=weights)) if len(values) else np.nan
    return QueryMean(mean, values, weights, groups)


def undefined_means(scorer, table):
    """Return a list with the `UndefinedMean` of a scorer, if it leaves out queries."""
    if not np.isnan(table.scores[scorer.name]).any():
        return []
    _, values, _ = table.mean_of_splits(scorer.name)
    n_undefined = np.count_nonzero(np.isnan(values))
    if not n_undefined:
        return []
    left_out = f"{n_undefined} of {len(values)} queries"
    return [UndefinedMean(scorer.name, scorer.undefined_if, left_out)]


def mean_defined(values):
    """Return the mean of values that are not NaN, or NaN."""
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else float("nan")
