"""Systems that are compared: their names, measures, and whether they are comparable."""

import numpy as np

from sklearn_irmetrics._arrays.numbers import to_numpy
from sklearn_irmetrics._checks import refuse_names_alike
from sklearn_irmetrics._results.tabular import Evaluated
from sklearn_irmetrics.metrics._measure import Measure, as_measure, say_unequal
from sklearn_irmetrics.reports.query_scores import QueryScores


def named_systems(results, fewest=2):
    """Return at least `fewest` systems by name.

    If one is enough, it may come without a name.
    """
    if fewest == 1 and is_system(results):
        results = [results]
    if hasattr(results, "items"):
        systems = dict(results.items())
    elif isinstance(results, list | tuple):
        systems = {f"system {i}": system for i, system in enumerate(results, start=1)}
    else:
        raise TypeError(
            "results must be a dict or a list of systems; got "
            f"{type(results).__name__}."
        )
    refuse_names_alike("results", systems)
    if len(systems) < fewest:
        many = "two systems" if fewest == 2 else "one system"
        raise ValueError(f"results must hold at least {many}; got {len(systems)}.")
    return systems


def is_system(results):
    """Whether results are those of one system, with their measures."""
    return isinstance(results, Evaluated | QueryScores)


def _measures(system):
    """Return the measures that a system was scored by; none for bare arrays."""
    if isinstance(system, Evaluated):
        return list(system.estimate)
    return list(system.scores) if isinstance(system, QueryScores) else []


def the_metric(systems, metric):
    """Return the measure to compare by: the requested one, or the only one."""
    names, _ = the_metrics(systems, metric)
    if len(names) > 1:
        raise ValueError(f"metric must name one of {names}; got {metric!r}.")
    return names[0]


def the_metrics(systems, metric):
    """Return the measures to compare by, and whether that is a list of them."""
    known = {name: _measures(system) for name, system in systems.items()}
    known = {name: measures for name, measures in known.items() if measures}
    is_list = isinstance(metric, list | tuple)
    if metric is None:
        names = _common_measures(known)
    else:
        names = [
            _name_in_results(systems, name)
            for name in (metric if is_list else [metric])
        ]
        _check_names(names, known, metric, is_list)
    for name in names:
        _refuse_other_measures(systems, name)
    return names, is_list or len(names) > 1


def _common_measures(known):
    """Return the measures that all systems were scored by; none for bare arrays."""
    first, names = next(iter(known.items()), (None, [None]))
    for system, measures in known.items():
        if set(measures) != set(names):
            shared = [name for name in names if name in measures]
            advice = f" Pass what they share: metric={shared!r}." if shared else ""
            raise ValueError(
                f"results must be scored by the same measures; {first!r} has {names}, "
                f"{system!r} has {measures}.{advice}"
            )
    return names


def _check_names(names, known, metric, is_list):
    """Refuse measures that are no names, repeated, or not known of every system."""
    different = {name for name in names if isinstance(name, str)}
    if not names or len(different) < len(names):
        raise (ValueError if is_list else TypeError)(
            "metric must be the name of one measure, or a list of different names; "
            f"got {metric!r}."
        )
    for system, measures in known.items():
        for name in names:
            if name not in measures:
                raise ValueError(
                    "metric must be one that every system was scored by; "
                    f"{system!r} has {measures}; got {name!r}."
                )


def _measures_by_system(systems, name):
    """Return the measure behind a name, for each system that knows its measures.

    It is None for functions of other packages, because a label alone is not enough.
    """
    return {
        key: system.metrics.get(name)
        for key, system in systems.items()
        if is_system(system) and system.metrics is not None
    }


def _recognise(measure):
    """Return a measure, or what a text names, or None."""
    if isinstance(measure, Measure):
        return measure
    for name in (measure, str(measure).partition("(")[0]):  # with arguments of sklearn
        try:
            return as_measure("metric", name)
        except (TypeError, ValueError):
            pass
    return None


def _name_in_results(systems, metric):
    """Return the name of a measure in the results; leave names unchanged."""
    if not isinstance(metric, Measure):
        return metric
    for name in dict.fromkeys(
        label for system in systems.values() for label in _measures(system)
    ):
        if metric in _measures_by_system(systems, name).values():
            return name
    return metric.label


def _refuse_other_measures(systems, name):
    """Refuse results that have different measures behind one name."""
    measures = {
        key: measure
        for key, measure in _measures_by_system(systems, name).items()
        if measure
    }
    for key, measure in measures.items():
        first = next(iter(measures))
        if measure != measures[first]:
            first_text, other_text, why = say_unequal(measures[first], measure)
            raise ValueError(
                f"results must be scored by the same measures; {name!r} is "
                f"{first_text} in {first!r} and {other_text} in {key!r}.{why}"
            )


def _common_measure(systems, name):
    """Return the measure behind a name, None if it is unknown."""
    measures = _measures_by_system(systems, name)
    if None in measures.values():
        return None
    return _recognise(next(iter(measures.values()), name))


def difference_bounds(systems, metric, values):
    """Return the smallest and the largest difference that a measure allows, or None.

    They follow from the range of the metric, unless a value lies outside it.
    """
    known = _common_measure(systems, metric)
    if known is None:
        return None
    low, high = known.range
    if not (np.isfinite([low, high]).all() and _inside(known, values).all()):
        return None
    return low - high, high - low


def score_bounds(systems, metric):
    """Return the range of the scores of a measure, or None if it is unknown."""
    known = _common_measure(systems, metric)
    return None if known is None else known.range


def _inside(measure, values):
    """Return which values lie in the range of a measure."""
    low, high = measure.range
    return (low <= values) & (values <= high)


def refuse_mixed_scales(systems, metric, values):
    """Refuse bare scores if only some systems lie in the range of the measure."""
    known = _common_measure(systems, metric)
    if known is None or any(map(_measures, systems.values())):
        return
    fits = _inside(known, values).all(axis=0)
    if fits.any() and not fits.all():
        name = list(systems)[int(np.argmin(fits))]
        raise ValueError(
            f"results must be on one scale; {metric} is between {known.range[0]:g} and "
            f"{known.range[1]:g}, unlike scores of {name!r}."
        )


def check_baseline(baseline, systems):
    """Refuse a baseline that is not the name of a system."""
    if baseline is not None and (np.ndim(baseline) or baseline not in list(systems)):
        raise ValueError(
            f"baseline must be one of {list(systems)}; got {baseline!r:.80}."
        )


def greater_is_better_of(systems, metric, requested=None):
    """Return whether larger scores are better: as requested, or as far as is known."""
    if requested is not None:
        return requested
    directions = {
        name: measure.metric.greater_is_better
        for name, measure in _measures_by_system(systems, metric).items()
        if isinstance(measure, Measure)
    }
    directions |= {
        name: system.greater_is_better[metric]
        for name, system in systems.items()
        if isinstance(system, Evaluated)
    }
    if not directions:
        known = _common_measure(systems, metric)
        return known is None or known.metric.greater_is_better
    first, direction = next(iter(directions.items()))
    for name, other in directions.items():
        if other != direction:
            words = {True: "larger", False: "smaller"}
            raise ValueError(
                f"results must agree on which {metric} is better: {words[direction]} "
                f"in {first!r}, {words[other]} in {name!r}. If both are of one sign, "
                "pass greater_is_better=."
            )
    return direction


def list_ids(wanted, present):
    """List missing ids, at most five of them."""
    missing = [key for key in wanted if key not in present]
    more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
    return ", ".join(map(repr, missing[:5])) + more


def check_comparable(systems):
    """Refuse results of evaluate by different methods or on different data.

    A model that was not trained has one test set, of the rows that all splits test.
    """
    tested = {
        name: system
        for name, system in systems.items()
        if isinstance(system, Evaluated)
    }
    trained = {name: system for name, system in tested.items() if system.is_trained}
    first, reference = next(iter(trained.items()), (None, None))
    for name, system in [*trained.items()][1:]:
        different = _different_splits(reference, system)
        any_bootstrap = reference.is_bootstrap or system.is_bootstrap
        if reference.method != system.method and (different or any_bootstrap):
            raise ValueError(
                f"results must come from the same method; {first!r} used "
                f"{reference.method!r} and {name!r} {system.method!r}."
            )
        if different or len(reference.n_test) != len(system.n_test):
            raise ValueError(
                f"results must come from the same splits; {first!r} and {name!r} "
                f"differ in the rows of split {', '.join(map(str, different[:5]))}. "
                "Use the same method, n_splits and random_state."
            )
    first, reference = next(iter(tested.items()), (None, None))
    for name, system in [*tested.items()][1:]:
        if not (reference.is_trained and system.is_trained):
            rows = np.setxor1d(reference.predictions.row, system.predictions.row)
            if len(rows) and not (reference.failures or system.failures):
                raise ValueError(
                    f"results must be tested on the same rows; only one of {first!r} "
                    f"and {name!r} is tested on row {list_ids(rows, ())}. Pass both to "
                    "evaluate in one dict."
                )
        if rows := _other_targets(reference, system):
            raise ValueError(
                f"results must have the same targets; {first!r} and {name!r} differ in "
                f"y of row {list_ids(rows, ())}. Evaluate both on the same y."
            )


def _different_splits(first, second):
    """Return the splits with other test rows; those that failed do not count."""
    both = first.predictions, second.predictions
    n_rows = 1 + max(tested.row.max(initial=0) for tested in both)
    tests = [tested.split * n_rows + tested.row for tested in both]
    if np.array_equal(*tests):
        return []
    different = np.setxor1d(*tests)
    failed = [*first.failures, *second.failures]
    return np.setdiff1d(different // n_rows, failed).tolist()


def _other_targets(first, second):
    """Return the rows tested by both that have different targets."""
    tested, other_tested = first.predictions, second.predictions
    rows, here, there = tested.row, ..., ...
    if not np.array_equal(rows, other_tested.row):
        rows, here, there = np.intersect1d(rows, other_tested.row, return_indices=True)
    targets = np.asarray(to_numpy(tested.y_true))[here]
    others = np.asarray(to_numpy(other_tested.y_true))[there]
    if targets.ndim != others.ndim:  # grades by subtopic, and the largest of each row
        return []
    if targets.shape != others.shape:
        return np.unique(rows).tolist()
    if {targets.dtype.kind, others.dtype.kind} <= set("biuf"):
        differ = ~np.isclose(targets, others, rtol=1e-6, atol=0.0, equal_nan=True)
    else:
        differ = targets.astype(str) != others.astype(str)
    return np.unique(rows[differ.reshape(len(rows), -1).any(axis=1)]).tolist()
