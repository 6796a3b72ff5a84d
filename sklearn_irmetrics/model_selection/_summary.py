"""From the outcomes of all splits to the result."""

from functools import partial

import numpy as np

from sklearn_irmetrics._intervals import (
    query_interval,
    replicate_interval,
    split_interval,
)
from sklearn_irmetrics.model_selection._aggregate import (
    Pool,
    mean_defined,
    point632,
    point632_plus,
    query_estimate,
)
from sklearn_irmetrics.model_selection._chance import chance_score
from sklearn_irmetrics.model_selection._predictions import concatenate_responses
from sklearn_irmetrics.model_selection._results import (
    EvaluationResult,
    OutOfFold,
    QueryTable,
)
from sklearn_irmetrics.model_selection._runner import report_failures
from sklearn_irmetrics.model_selection._scoring import Measure


def summarise(
    inputs,
    measures,
    outcomes,
    splits,
    *,
    by,
    correction,
    apparent,
    percentiles,
    confidence_level,
    error_score,
    **facts,
):
    """Return the result of an evaluation.

    Parameters
    ----------
    inputs : Inputs
        The data.
    measures : list of Measure
        What was scored.
    outcomes : list of Outcome
        Of every split.
    splits : list of Split
        All splits.
    by : dict of str to str
        Aggregation by measure.
    correction : {"632", "632+"} or None
        Which correction with the apparent score.
    apparent : Outcome or None
        Of the fit on all data, for the correction.
    percentiles : bool
        Whether intervals are percentiles of the splits, as in a bootstrap.
    confidence_level : float
        Of the intervals.
    error_score : "raise" or float
        What a failed split counts.
    **facts
        Further fields of the result.

    Returns
    -------
    EvaluationResult
    """
    failures = report_failures(outcomes)
    filler = np.nan if error_score == "raise" else float(error_score)
    predictions, classes = _predictions(inputs, outcomes)
    pool = Pool(
        inputs.X,
        inputs.y,
        inputs.coded_metadata,
        inputs.units,
        inputs.unit,
        predictions,
        classes,
    )
    measures, by = _expand_dicts(measures, by, outcomes, apparent, pool)
    scores = {m.name: _column(outcomes, "scores", m, filler) for m in measures}
    with_train = any(outcome.train_scores for outcome in outcomes)
    train = {m.name: _column(outcomes, "train_scores", m, filler) for m in measures}
    table = _query_table(inputs, measures, outcomes, filler)
    n_train = np.array([split.n_train for split in splits])
    n_test = np.array([len(split.test) for split in splits])
    estimate, spread, apparent_score, chance = {}, {}, {}, {}
    for i, measure in enumerate(measures):
        name = measure.name
        rng = np.random.default_rng([inputs.seed, i])
        if by[name] == "per_query":
            value, values, weights = query_estimate(table, name)
            spread_of = partial(query_interval, values, weights=weights, rng=rng)
        elif by[name] == "pooled" or len(splits) == 1:  # one split is one pool
            value = pool.score(measure)
            spread_of = partial(pool.interval, measure, rng=rng)
        else:
            value = mean_defined(scores[name])
            spread_of = partial(split_interval, scores[name], n_test / n_train)
        if correction is not None:
            found = _apparent(inputs, measure, by[name], apparent)
            correct = partial(point632, apparent=found)
            apparent_score[name] = found
            if correction == "632+":
                chance[name] = chance_score(
                    measure,
                    inputs.X,
                    inputs.y,
                    inputs.coded_metadata,
                    apparent.responses,
                    apparent.classes,
                    rng,
                )
                correct = partial(point632_plus, apparent=found, chance=chance[name])
            value = correct(value)
        if percentiles:
            replicates = scores[name] if correction is None else correct(scores[name])
            spread_of = partial(replicate_interval, replicates)
        estimate[name] = value
        spread[name] = spread_of(confidence_level=confidence_level)
    error, interval, interval_method = (
        {name: part[i] for name, part in spread.items()} for i in range(3)
    )
    return EvaluationResult(
        estimate=estimate,
        standard_error=error,
        confidence_interval=interval,
        confidence_level=confidence_level,
        split_scores=scores,
        train_scores=train if with_train else None,
        query_scores=table,
        predictions=predictions,
        fit_time=np.array([outcome.fit_time for outcome in outcomes]),
        score_time=np.array([outcome.score_time for outcome in outcomes]),
        n_train=n_train,
        n_test=n_test,
        aggregate=by,
        interval_method=interval_method,
        apparent_score=apparent_score or None,
        chance_score=chance or None,
        failures=failures,
        unit=inputs.unit,
        n_units=inputs.units.n_units,
        **facts,
    )


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
            expanded.append(Measure(key, _Pick(measure.scorer, key)))
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


def _predictions(inputs, outcomes):
    """Return the predictions of the splits that did not fail, and their classes."""
    done = [(i, o) for i, o in enumerate(outcomes) if o.error is None]
    responses, classes = concatenate_responses(
        [outcome.responses for _, outcome in done],
        [outcome.classes for _, outcome in done],
    )
    rows = np.concatenate([outcome.rows for _, outcome in done])
    split = np.repeat([i for i, _ in done], [len(outcome.rows) for _, outcome in done])
    ids = None if inputs.qid is None else inputs.qid[rows]
    y_true = np.asarray(inputs.y)[rows]
    return OutOfFold(rows, split, y_true, ids, responses), classes


def _query_table(inputs, measures, outcomes, filler):
    """Return the scores of queries, or None where there are none."""
    ranking = [measure for measure in measures if measure.per_query is not None]
    if not ranking:
        return None
    of_rows = ranking[0].ranks == "rows"
    ids, weights = inputs.query_facts(of_rows)
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
                    f"expected {len(queries)}, got shape {np.shape(own)}."
                )
            parts.append(own)
    tested = np.concatenate(tested)
    weighted = any("sample_weight" in measure.metadata for measure in ranking)
    return QueryTable(
        ids[tested],
        np.concatenate(split),
        {name: np.concatenate(parts) for name, parts in values.items()},
        weights[tested] if weighted and weights is not None else None,
    )


def _by_appearance(codes):
    found, first = np.unique(codes, return_index=True)
    return found[np.argsort(first)]


def _apparent(inputs, measure, aggregate, outcome):
    """Return the score on the data of the fit, averaged as the estimate is."""
    if aggregate == "per_query":
        table = _query_table(inputs, [measure], [outcome], np.nan)
        return query_estimate(table, measure.name)[0]
    return outcome.scores[measure.name]
