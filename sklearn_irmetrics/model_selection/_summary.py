"""From the outcomes of all splits to the result."""

from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter

import numpy as np

from sklearn_irmetrics._statistics.intervals import (
    ConfidenceInterval,
    interval_of_geometric_mean,
    interval_of_influences,
    interval_of_mean,
    split_interval,
)
from sklearn_irmetrics._statistics.resampling632 import (
    influences_on_bootstrap,
    point632,
    point632_plus,
    slopes,
)
from sklearn_irmetrics._tables import PLURAL
from sklearn_irmetrics.model_selection._aggregate import (
    Pool,
    mean_defined,
    query_estimate,
)
from sklearn_irmetrics.model_selection._no_information import chance_score
from sklearn_irmetrics.model_selection._predictions import concatenate_responses
from sklearn_irmetrics.model_selection._results import (
    EvaluationResult,
    OutOfFold,
    QueryTable,
)
from sklearn_irmetrics.model_selection._runner import report_failures
from sklearn_irmetrics.model_selection._scoring import NamedScorer, geometric_parts
from sklearn_irmetrics.model_selection._spread import (
    block_influences,
    choose_blocks,
    pool_interval,
)

# Of queries, influences are known without further calls of the scorer.
_MOST_BLOCKS = 1000
# How many replicates tell what units do where they are tested.
_N_JACKKNIFED = 10


def summarise(
    inputs,
    measures,
    outcomes,
    design,
    *,
    apparent,
    confidence_level,
    error_score,
    estimator_name,
):
    """Return the result of an evaluation.

    Parameters
    ----------
    inputs : Inputs
        The data.
    measures : list of NamedScorer
        What was scored.
    outcomes : list of Outcome
        Of every split.
    design : Design
        What was done.
    apparent : Outcome or None
        Of the fit on all data, for the corrections of the bootstrap.
    confidence_level : float
        Of the intervals.
    error_score : "raise" or float
        What a failed split counts.
    estimator_name : str
        What was evaluated.

    Returns
    -------
    EvaluationResult
    """
    failures = report_failures(outcomes)
    filler = np.nan if error_score == "raise" else float(error_score)
    note = _note(inputs, measures, design)
    pool = _pool(inputs, outcomes)
    measures, by = _expand_dicts(measures, design.aggregate, outcomes, apparent, pool)
    scored = _MeasuredSplits(
        replace(design, aggregate=by),
        pool,
        _query_table(inputs, measures, outcomes, filler),
        {m.name: _column(outcomes, "scores", m, filler) for m in measures},
        apparent,
        inputs,
    )
    found = {
        measure.name: scored.estimate(measure, i, confidence_level)
        for i, measure in enumerate(measures)
    }
    train = {m.name: _column(outcomes, "train_scores", m, filler) for m in measures}
    return EvaluationResult(
        **_by_measure(found),
        confidence_level=confidence_level,
        split_scores=scored.splits,
        train_scores=train if any(one.train_scores for one in outcomes) else None,
        query_scores=scored.queries,
        predictions=pool.predictions,
        fit_time=np.array([outcome.fit_time for outcome in outcomes]),
        score_time=np.array([outcome.score_time for outcome in outcomes]),
        n_train=design.n_train,
        n_test=design.n_test,
        method=design.method,
        cv=design.cv,
        aggregate=by,
        failures=failures,
        estimator_name=estimator_name,
        unit=inputs.unit,
        n_units=inputs.units.n_units,
        note=note,
    )


@dataclass(frozen=True)
class _Estimate:
    """What the result says of one measure, under the names of its fields."""

    estimate: float
    standard_error: float
    confidence_interval: ConfidenceInterval
    interval_method: str
    apparent_score: float | None
    chance_score: float | None


def _by_measure(found):
    """Return the fields of all estimates, each by measure; None where none has it."""
    fields = {}
    for field in _Estimate.__dataclass_fields__:
        values = {name: getattr(one, field) for name, one in found.items()}
        fields[field] = None if None in values.values() else values
    return fields


@dataclass(frozen=True, eq=False)
class _MeasuredSplits:
    """All that was scored, from which the estimate of each measure is made.

    Attributes
    ----------
    design : Design
        What was done.
    pool : Pool
        Predictions of all splits.
    queries : QueryTable or None
        Scores of queries.
    splits : dict of str to ndarray
        Scores of splits by measure.
    apparent : Outcome or None
        Of the fit on all data.
    inputs : Inputs
        The data.
    """

    design: object
    pool: Pool
    queries: QueryTable | None
    splits: dict
    apparent: object
    inputs: object

    def estimate(self, measure, number, confidence_level):
        """Return the estimate of a measure; `number` tells its draws from others."""
        rng = np.random.default_rng([self.inputs.seed, number])
        value, interval = self._mean(measure, rng)
        apparent = chance = None
        if self.design.is_bootstrap:
            correct, out_of_bag = _uncorrected, value
            if self.design.correction is not None:
                apparent = self._apparent(measure)
                correct = point632
            if self.design.correction == "632+":
                chance = self._chance(measure, rng)
                correct = partial(point632_plus, chance=chance)
            value = correct(out_of_bag, apparent)
            interval = partial(
                self._after_bootstrap, measure, out_of_bag, apparent, correct, rng
            )
        spread = interval(confidence_level=confidence_level)
        return _Estimate(value, *spread, apparent, chance)

    def _mean(self, measure, rng):
        """Return the aggregated score, and what makes its interval."""
        name, design = measure.name, self.design
        if design.aggregate[name] == "per_query":
            value, values, weights, groups = query_estimate(self.queries, name)
            options = {"weights": weights, "groups": groups, "bounds": measure.bounds}
            # The seed itself, with which other doors draw for the same values alike.
            options["rng"] = self.inputs.seed
            return value, partial(interval_of_mean, values, **options)
        if design.aggregate[name] == "pooled" or len(design.splits) == 1:
            return self.pool.score(measure), (
                self._interval_of_geometric_mean(measure)
                or partial(pool_interval, self.pool, measure, rng=rng)
            )
        scores = self.splits[name]
        shares = design.n_test / design.n_train
        return mean_defined(scores), partial(
            split_interval, scores, shares, bounds=measure.bounds
        )

    def _after_bootstrap(
        self, measure, out_of_bag, apparent, correct, rng, *, confidence_level
    ):
        """Return standard error, interval and its name of a bootstrap's estimate."""
        units, name = self.inputs.units, measure.name
        n = units.n_units
        by = self.design.aggregate[name]
        block = choose_blocks(n, rng, *([] if by != "per_query" else [_MOST_BLOCKS]))
        drawn, seen = (
            np.stack(
                [
                    _count_units(units, side(split), block)
                    for split in self.design.splits
                ]
            )
            for side in (attrgetter("train"), attrgetter("test"))
        )
        seen /= np.bincount(block)
        replicates = self.splits[name]
        if by == "per_query":
            tested = self._influences_of_queries(self.queries, name, block)
        elif by == "pooled":
            tested = self._influences(self.pool, measure, block)
        else:
            some = np.flatnonzero(~np.isnan(replicates))[:_N_JACKKNIFED]
            tested = [
                self._influences(self.pool.of_split(split), measure, block)
                for split in some
            ]
            tested = np.nanmean(tested, axis=0) if len(some) else np.zeros(len(drawn))
        fitted = np.zeros(len(tested))
        weights = (1.0, 0.0)
        if apparent is not None:
            weights = slopes(correct, out_of_bag, apparent)
            if by == "per_query":
                table = self._apparent_queries(measure)
                fitted = self._influences_of_queries(table, name, block)
            else:
                pool = _pool(self.inputs, [self.apparent])
                fitted = self._influences(pool, measure, block)
        influences = influences_on_bootstrap(
            drawn, seen, replicates, tested, fitted, weights
        )
        kind = PLURAL[self.inputs.unit]
        return interval_of_influences(
            correct(out_of_bag, apparent),
            influences,
            bounds=measure.bounds,
            confidence_level=confidence_level,
            units=kind if len(influences) == n else "blocks",
            how="delta-method ",
        )

    def _influences_of_queries(self, table, name, block):
        """Return how far each block of units moves a mean over queries."""
        _, values, weights = table.mean_of_splits(name)
        weights = np.ones(len(values)) if weights is None else weights
        weights = np.where(np.isnan(values), 0.0, weights)
        shares = weights / weights.sum()
        values = np.nan_to_num(values)
        moved = shares * (values - (shares * values).sum())
        blocks = block[table.unit_of_queries]
        return np.bincount(blocks, moved, minlength=block.max() + 1)

    def _influences(self, pool, measure, block):
        with measure.quietly():
            found = block_influences(pool, measure, pool.units_of_rows, block)
        return np.nan_to_num(found)

    def _interval_of_geometric_mean(self, measure):
        """Return what makes it of values of queries, if each was tested once."""
        parts, rows = geometric_parts(measure.scorer), self.pool.predictions.row
        is_of_queries = measure.ranks == "queries" and self.pool.unit == "query"
        if parts is None or not is_of_queries or len(np.unique(rows)) < len(rows):
            return None
        queries = _by_appearance(self.inputs.queries.codes[rows])
        with measure.quietly():
            values = self.pool.score(measure.with_scorer(parts[0]))
        if len(values) > len(queries):  # some were split
            return None
        counted = ~np.isnan(values)
        _, weights = self.inputs.query_facts(False)
        if weights is not None and "sample_weight" in measure.metadata:
            counted &= weights[queries] > 0
            weights = weights[queries][counted]
        else:
            weights = None
        return partial(
            interval_of_geometric_mean,
            values[counted],
            floor=parts[1],
            weights=weights,
            bounds=measure.bounds,
            rng=self.inputs.seed,
        )

    def _apparent(self, measure):
        """Return the score on the data of the fit, averaged as the estimate is."""
        if self.design.aggregate[measure.name] == "per_query":
            return query_estimate(self._apparent_queries(measure), measure.name)[0]
        return self.apparent.scores[measure.name]

    def _apparent_queries(self, measure):
        return _query_table(self.inputs, [measure], [self.apparent], np.nan)

    def _chance(self, measure, rng):
        inputs = self.inputs
        return chance_score(
            measure,
            inputs.X,
            inputs.y,
            inputs.coded_metadata,
            self.apparent.responses,
            self.apparent.classes,
            rng,
        )


def _count_units(units, rows, block):
    """Return how many units of each block some rows are, repeats counted."""
    codes = units.codes[rows]
    sizes = 1 / units.sizes[codes]
    return np.bincount(block[codes], sizes, minlength=block.max() + 1)


def _uncorrected(out_of_bag, apparent):
    return out_of_bag


def _note(inputs, measures, design):
    """Say what was ranked, where that is not the documents of queries."""
    notes = []
    for measure in measures:
        if measure.ranks == "fold":
            pooled = measure.name in design.pooled
            what = "all predictions are" if pooled else "each fold is"
            how = "ranked together" if pooled else "ranked as a whole"
            notes.append(f"{what} {'one set' if measure.scores_sets else how}")
        elif measure.ranks == "rows":
            many = inputs.target.ndim == 2
            notes.append(f"each row ranks {'its columns' if many else 'the classes'}")
    notes = list(dict.fromkeys(notes))
    if notes and inputs.queries is None:
        notes[0] = f"no query ids: {notes[0]}"
    if design.resample is not None:
        notes.append(f"training sides balanced by {design.resample}-sampling")
    return "; ".join(notes)


def _expand_dicts(measures, by, outcomes, apparent, pool):
    """Turn a callable that returns several scores into several measures."""
    expanded = []
    by = dict(by)
    done = [o for o in outcomes if o.error is None]
    done += [] if apparent is None else [apparent]
    for measure in measures:
        example = done[0].scores.get(measure.name)
        if example is None and not measure.is_scorer:
            example = pool.score(measure)
        if not isinstance(example, dict):
            expanded.append(measure)
            continue
        for key in example:
            expanded.append(NamedScorer(key, _Pick(measure.scorer, key)))
            by[key] = by[measure.name]
        del by[measure.name]
        for outcome in done:
            outcome.scores |= outcome.scores.pop(measure.name, {})
            outcome.train_scores |= outcome.train_scores.pop(measure.name, {})
    names = [measure.name for measure in expanded]
    if len(set(names)) < len(names):
        raise ValueError(
            f"scoring must give each score a name of its own; got {names}."
        )
    return expanded, {name: by[name] for name in names}


class _Pick:
    """One of the scores that a callable returns."""

    def __init__(self, scorer, key):
        self.scorer = scorer
        self.key = key

    def __call__(self, estimator, X, y):
        return self.scorer(estimator, X, y)[self.key]


def _column(outcomes, part, measure, filler):
    return np.array(
        [
            getattr(outcome, part).get(measure.name, np.nan)
            if outcome.error is None
            else filler
            for outcome in outcomes
        ],
        dtype=np.float64,
    )


def _pool(inputs, outcomes):
    """Return the predictions of the splits that did not fail."""
    done = [(i, o) for i, o in enumerate(outcomes) if o.error is None]
    responses, classes = concatenate_responses(
        [outcome.responses for _, outcome in done],
        [outcome.classes for _, outcome in done],
    )
    rows = np.concatenate([outcome.rows for _, outcome in done])
    split = np.repeat([i for i, _ in done], [len(outcome.rows) for _, outcome in done])
    ids = None if inputs.qid is None else inputs.qid[rows]
    return Pool(
        inputs.X,
        inputs.y,
        inputs.coded_metadata,
        inputs.units,
        inputs.unit,
        OutOfFold(rows, split, np.asarray(inputs.y)[rows], ids, responses),
        classes,
    )


def _query_table(inputs, measures, outcomes, filler):
    """Return the scores of queries, or None where there are none."""
    ranking = [measure for measure in measures if measure.per_query is not None]
    if not ranking:
        return None
    of_rows = ranking[0].ranks == "rows"
    ids, weights = inputs.query_facts(of_rows)
    groups = inputs.groups_of(of_rows)
    units = inputs.units.codes
    units = units if of_rows else units[inputs.queries.first_rows]
    split, tested, values = [], [], {measure.name: [] for measure in ranking}
    for i, outcome in enumerate(outcomes):
        if outcome.error is not None and np.isnan(filler):
            continue
        queries = (
            outcome.rows
            if of_rows
            else _by_appearance(inputs.queries.codes[outcome.rows])
        )
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
    weighted = any("sample_weight" in measure.metadata for measure in ranking)
    return QueryTable(
        ids[tested],
        np.concatenate(split),
        {name: np.concatenate(parts) for name, parts in values.items()},
        weights[tested] if weighted and weights is not None else None,
        None if groups is None else groups[tested],
        units[tested],
    )


def _by_appearance(codes):
    found, first = np.unique(codes, return_index=True)
    return found[np.argsort(first)]
