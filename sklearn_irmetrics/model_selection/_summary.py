"""From the outcomes of all splits to the result."""

from dataclasses import replace
from functools import partial

import numpy as np

from sklearn_irmetrics.model_selection._aggregate import make_pool, make_query_table
from sklearn_irmetrics.model_selection._estimates import MeasuredSplits
from sklearn_irmetrics.model_selection._results import EvaluationResult
from sklearn_irmetrics.model_selection._runner import report_failures
from sklearn_irmetrics.model_selection._scoring import NamedScorer


def summarise(
    inputs,
    measures,
    outcomes,
    design,
    *,
    apparent,
    pairs,
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
    pairs : list of Outcome or None
        Of the splits that leave out two folds, for the nested interval.
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
    # A pool leaves failed splits out.
    fillers = {"per_split": filler, "per_query": filler, "pooled": np.nan}
    note = _note(inputs, measures, design)
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
        None if pairs is None else make_pool(inputs, pairs),
    )
    found = [scored.estimate(measure, confidence_level) for measure in measures]
    fields = {}
    for name in found[0]:
        values = [one[name] for one in found]
        fields[name] = None if None in values else dict(zip(by, values, strict=True))
    train = {m.name: _column(outcomes, "train_scores", m, filler) for m in measures}
    return EvaluationResult(
        **fields,
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
        apparent_queries=None
        if apparent is None
        else make_query_table(inputs, measures, [apparent], np.nan),
        metrics={m.name: text for m in measures if (text := m.measure) is not None},
    )


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
            expanded.append(NamedScorer(key, partial(_pick, measure.scorer, key)))
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


def _pick(scorer, key, estimator, X, y):
    return scorer(estimator, X, y)[key]


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
