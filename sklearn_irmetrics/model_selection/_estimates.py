"""Turn the outcomes of all splits into the result."""

from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter

import numpy as np

from sklearn_irmetrics._results.tables import PLURAL
from sklearn_irmetrics._statistics.bootstrap632 import (
    influences_on_bootstrap,
    point632,
    point632_plus,
    slopes,
)
from sklearn_irmetrics._statistics.intervals import (
    interval_of_class_means,
    interval_of_geometric_mean,
    interval_of_influences,
    interval_of_mean,
    no_interval,
    split_interval,
)
from sklearn_irmetrics.metrics._intervals import stated_range
from sklearn_irmetrics.metrics._ranking.averages import EPSILON
from sklearn_irmetrics.model_selection._intervals import (
    block_influences,
    chance_score,
    choose_blocks,
    pool_interval,
    rows_of_mean,
)
from sklearn_irmetrics.model_selection._predictions import (
    Pool,
    by_appearance,
    make_pool,
    make_query_table,
    mean_defined,
    query_estimate,
    report_failures,
    warn_of_queries,
)
from sklearn_irmetrics.model_selection._scoring import NamedScorer
from sklearn_irmetrics.model_selection.results import EvaluationResult, QueryTable

# What an interval may describe.
MODELS = "the models trained here"
TRAINING = "such training on new data"
UNTRAINED = "the model as it is"
# Intervals from scores of splits.
_OVER_SPLITS = ("corrected_t",)
# Of queries, influences are known without further calls of the scorer.
_MOST_BLOCKS = 1000
# Of others, each block is a call of it for the pool, or for each of these replicates.
_N_BLOCKS = 100
_N_JACKKNIFED = 10


@dataclass(frozen=True, eq=False)
class MeasuredSplits:
    """All scores, from which the estimate of each measure is made.

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
    apparent_pool : Pool or None
        Its predictions.
    trains : bool
        Whether anything was trained.
    """

    design: object
    pool: Pool
    queries: QueryTable | None
    splits: dict
    apparent: object
    inputs: object
    apparent_pool: Pool | None
    trains: bool

    def estimate(self, measure, confidence_level):
        """Return fields of the result for a measure, whatever others there are."""
        rng = np.random.default_rng([self.inputs.seed, 0])
        value, interval, about = self._mean(measure, rng)
        apparent = chance = None
        if self.design.is_bootstrap:
            correct, out_of_bag = _uncorrected, value
            if self.design.correction is not None:
                correct = point632
                if self.design.aggregate[measure.name] == "per_query":
                    table = self._apparent_queries(measure)
                    apparent, *_ = query_estimate(table, measure.name)
                else:
                    apparent = self.apparent.scores[measure.name]
            if self.design.correction == "632+":
                chance = chance_score(self.apparent_pool, measure, rng)
                correct = partial(point632_plus, chance=chance)
            value = correct(out_of_bag, apparent)
            interval = partial(
                self._after_bootstrap, measure, out_of_bag, apparent, correct, rng
            )
            about = TRAINING
        error, ends, how = interval(confidence_level=confidence_level)
        return {
            "estimate": value,
            "standard_error": error,
            "confidence_interval": ends,
            "interval_method": how,
            "interval_about": about if self.trains else UNTRAINED,
            "apparent_score": apparent,
            "chance_score": chance,
        }

    def _mean(self, measure, rng):
        """Return the aggregated score, what makes its interval, and what of."""
        name, design = measure.name, self.design
        by = design.aggregate[name]
        kind = {} if design.interval in _OVER_SPLITS else {"method": design.interval}
        scores = self.splits[name]
        if by == "per_query":
            value, values, weights, groups = query_estimate(self.queries, name)
            options = {"weights": weights, "groups": groups, "bounds": measure.bounds}
            stated_range(measure.stated, name, None, values)
            # The seed itself, with which other doors draw for the same values alike.
            options["rng"] = self.inputs.seed
            interval = partial(interval_of_mean, values, **options, **kind)
            about = MODELS
        elif by == "pooled" or len(design.splits) == 1:
            value, about = self.pool.score(measure), MODELS
            interval = self._interval_of_geometric_mean(measure) or partial(
                pool_interval, self.pool, measure, value, rng=rng, **kind
            )
            if measure.ranks_rows and len(design.splits) > 1:
                interval = partial(no_interval, "different models are ranked together")
        else:
            value, interval, about = mean_defined(scores), None, TRAINING
            if measure.is_mean:
                warn_of_queries(self.queries.mean_of_splits(name)[1], name)
        rows, split, told = None, self.pool.predictions.split, scores
        if by == "pooled":
            split, told = np.zeros_like(split), np.array([value])
        if by != "per_query":
            stated_range(measure.stated, name, None, told[~np.isnan(told)])
        if by != "per_query" and not design.is_bootstrap:
            rows = rows_of_mean(self.pool, measure, split, told)
        if rows is not None and design.interval not in _OVER_SPLITS:
            values, weights, classes = rows
            stated_range(measure.stated, name, None, values)
            options = {"weights": weights, "units": PLURAL[self.inputs.unit]}
            if classes is not None and design.interval in ("auto", "t"):
                interval = partial(
                    interval_of_class_means, values, classes=classes, **options, **kind
                )
            else:
                options |= {"bounds": measure.bounds, "rng": self.inputs.seed}
                interval = partial(interval_of_mean, values, **options, **kind)
            about = MODELS
        if design.interval == "corrected_t" or interval is None:
            shares, about = design.n_test / design.n_train, TRAINING
            interval = partial(split_interval, scores, shares, bounds=measure.bounds)
        return value, interval, about

    def _after_bootstrap(
        self, measure, out_of_bag, apparent, correct, rng, *, confidence_level
    ):
        """Return standard error, interval and its name of a bootstrap's estimate."""
        units, name = self.inputs.units, measure.name
        n = units.n_units
        by = self.design.aggregate[name]
        n_blocks = _MOST_BLOCKS if by == "per_query" else _N_BLOCKS
        block = choose_blocks(n, rng, n_blocks)
        splits = self.design.splits
        drawn = np.stack([_count_units(units, one.train, block) for one in splits])
        seen = np.stack([_count_units(units, one.test, block) for one in splits])
        seen /= np.bincount(block)
        replicates = self.splits[name]
        if by == "per_split":
            some = np.flatnonzero(~np.isnan(replicates))[:_N_JACKKNIFED]
            parts = [self.pool.of_split(split) for split in some]
            tested = [self._influences(measure, block, None, part) for part in parts]
            tested = np.nanmean(tested, axis=0) if parts else np.zeros(len(drawn.T))
        else:
            tested = self._influences(measure, block, self.queries, self.pool)
        fitted, weights = np.zeros(len(tested)), (1.0, 0.0)
        if apparent is not None:
            weights = slopes(correct, out_of_bag, apparent)
            table = self._apparent_queries(measure)
            fitted = self._influences(measure, block, table, self.apparent_pool)
        influences = influences_on_bootstrap(
            drawn, seen, replicates, tested, fitted, weights
        )
        kind = PLURAL[self.inputs.unit]
        return interval_of_influences(
            correct(out_of_bag, apparent),
            influences,
            n_units=n,
            bounds=measure.bounds,
            confidence_level=confidence_level,
            units=kind if len(influences) == n else "blocks",
            how="delta-method ",
            method=self.design.interval,
        )

    def _influences(self, measure, block, queries, pool):
        """Return how far each block of units moves the score of queries or a pool."""
        if self.design.aggregate[measure.name] != "per_query":
            units = pool.units_of_rows
            with measure.quietly():
                whole = pool.score(measure) if len(units) else np.nan
                found = block_influences(pool, measure, whole, units, block)
            return np.nan_to_num(found)
        _, values, weights = queries.mean_of_splits(measure.name)
        weights = np.ones(len(values)) if weights is None else weights
        weights = np.where(np.isnan(values), 0.0, weights)
        shares = weights / (weights.sum() or 1.0)  # 0 where no query is defined
        values = np.nan_to_num(values)
        moved = shares * (values - (shares * values).sum())
        blocks = block[queries.unit_of_queries]
        return np.bincount(blocks, moved, minlength=block.max() + 1)

    def _interval_of_geometric_mean(self, measure):
        """Return what makes it of values of queries, if each was tested once."""
        if measure.metric is None:
            return None
        rows, given = self.pool.predictions.row, measure.scorer.arguments
        is_mean = given.get("average") == "geometric" and measure.scorer.sign > 0
        is_of_queries = measure.ranks == "queries" and self.inputs.unit == "query"
        if not (is_mean and is_of_queries) or len(np.unique(rows)) < len(rows):
            return None
        queries = by_appearance(self.inputs.queries.codes[rows])
        with measure.quietly():
            values = self.pool.score(measure, average=None)
        if len(values) > len(queries):  # some were split
            return None
        counted, weights = ~np.isnan(values), None
        if "sample_weight" in measure.metadata & self.inputs.metadata.keys():
            weights = self.inputs.query_facts(of_rows=False)[1][queries]
            counted &= weights > 0
            weights = weights[counted]
        return partial(
            interval_of_geometric_mean,
            values[counted],
            floor=given.get("epsilon", EPSILON),
            weights=weights,
            bounds=measure.bounds,
            rng=self.inputs.seed,
        )

    def _apparent_queries(self, measure):
        return make_query_table(self.inputs, [measure], [self.apparent], np.nan)


def _count_units(units, rows, block):
    """Return how many units of each block some rows are, repeats counted."""
    codes = units.codes[rows]
    sizes = 1 / units.sizes[codes]
    return np.bincount(block[codes], sizes, minlength=block.max() + 1)


def _uncorrected(out_of_bag, apparent):
    return out_of_bag


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
    failures = report_failures(outcomes)
    measures = job.measures
    filler = np.nan if job.error_score == "raise" else float(job.error_score)
    # A pool leaves failed splits out.
    fillers = {"per_split": filler, "per_query": filler, "pooled": np.nan}
    note = _note(inputs, measures, design, job.plan.trains)
    pool = make_pool(inputs, outcomes)
    measures, by = _expand_dicts(measures, design.aggregate, outcomes, apparent, pool)
    scored = MeasuredSplits(
        replace(design, aggregate=by),
        pool,
        make_query_table(inputs, measures, outcomes, filler),
        {m.name: _column(outcomes, "scores", m, fillers[by[m.name]]) for m in measures},
        apparent,
        inputs,
        None if apparent is None else make_pool(inputs, [apparent]),
        job.plan.trains,
    )
    found = [scored.estimate(measure, confidence_level) for measure in measures]
    fields, columns = {}, zip(*(one.values() for one in found), strict=True)
    for name, values in zip(found[0], columns, strict=True):
        fields[name] = None if None in values else dict(zip(by, values, strict=True))
    train = None
    if job.train_score:
        train = {m.name: _column(outcomes, "train_scores", m, filler) for m in measures}
    return EvaluationResult(
        **fields,
        confidence_level=confidence_level,
        split_scores=scored.splits,
        train_scores=train,
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
        apparent_queries=None
        if apparent is None
        else make_query_table(inputs, measures, [apparent], np.nan),
        metrics={m.name: one for m in measures if (one := m.measure) is not None},
    )


def _note(inputs, measures, design, trains):
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
    if any(map(attrgetter("is_same"), design.splits)):
        notes.append("test sides have the rows of training sides, as given")
    if not trains:
        notes.append("not trained: used as it is")
    return "; ".join(notes)


def _expand_dicts(measures, by, outcomes, apparent, pool):
    """Turn a callable that returns several scores into several measures."""
    expanded, by = [], dict(by)
    done = [one for one in [*outcomes, apparent] if one and one.error is None]
    parts = [part for one in done for part in (one.scores, one.train_scores)]
    for measure in measures:
        name = measure.name
        found = [part[name] for part in parts if name in part]
        if not found and not measure.is_scorer:
            found = [pool.score(measure)]
        if not found or (measure.is_scorer and not isinstance(found[0], dict)):
            expanded.append(measure)
            continue
        for other in found:
            _check_names(name, found[0], other)
        pick = partial(_pick, name, measure.scorer, found[0])
        if not isinstance(found[0], dict):
            expanded.append(replace(measure, scorer=partial(pick, None)))
            continue
        expanded += [NamedScorer(key, partial(pick, key)) for key in found[0]]
        by |= dict.fromkeys(found[0], by.pop(name))
        for part in parts:
            part |= part.pop(name, {})
    names = [measure.name for measure in expanded]
    if len(set(names)) < len(names):
        raise ValueError(f"scoring must give each score a different name; got {names}.")
    return expanded, {name: by[name] for name in names}


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
    found = scorer(estimator, X, y)
    _check_names(name, first, found)
    return found if key is None else found[key]


def _column(outcomes, part, measure, filler):
    """Return a score of each split."""
    scores = np.full(len(outcomes), filler)
    for i, outcome in enumerate(outcomes):
        if outcome.error is None:
            scores[i] = getattr(outcome, part).get(measure.name, np.nan)
    return scores
