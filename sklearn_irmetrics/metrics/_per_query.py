"""Values per query of many measures from one ordering, and their averages."""

from functools import partial
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from sklearn_irmetrics._arrays.numbers import as_array, as_numbers, issparse
from sklearn_irmetrics.metrics._measure import (
    Measure,
    averaging_of,
    formula_parameters,
)
from sklearn_irmetrics.metrics._ranking.averages import average_queries
from sklearn_irmetrics.metrics._ranking.compute import (
    make_task,
    only_compares_grades,
    run_tasks,
    warn_of_fractions,
)
from sklearn_irmetrics.metrics._ranking.marks import largest_grades
from sklearn_irmetrics.metrics._ranking.parameters import check_by_rules
from sklearn_irmetrics.metrics._ranking.sets import (
    Sets,
    average_counts,
    check_sets,
    count_cells,
)


class RawInput(NamedTuple):
    """The input of a batch, for measures that do not rank."""

    y_true: object
    y_score: object
    y_pred: object = None
    qid: object = None


def have_subtopics(measures):
    """Whether any of the measures takes grades by subtopic."""
    return any(map(attrgetter("metric.subtopics"), measures.values()))


def shape_of(name, values):
    """Return the shape of an array or a list."""
    has_shape = hasattr(values, "shape")
    return tuple((values if has_shape else as_array(name, values)).shape)


def check_rankings(measures, judgments, y_score, y_pred=None):
    """Return rankings as raw input, and as a checked batch.

    Parameters
    ----------
    measures : dict of str to Measure
        By label.
    judgments : Judgments
        What is known of the documents.
    y_score : array-like or CSR
        Scores.
    y_pred : array-like or None
        Whether each document was retrieved; None: what scores say.

    Returns
    -------
    given : RawInput
    batch : RankingBatch
    """
    judgments, y_score = judgments.among_candidates(y_score)
    subtopics = have_subtopics(measures)
    batch = judgments.batch(y_score, subtopics=subtopics)
    y_true = judgments.y_true
    if subtopics:
        y_true = largest_grades(y_true)
    return RawInput(y_true, y_score, y_pred, judgments.qid), batch


def make_tasks(measures, batch):
    """Return the tasks of the measures that rank, by label, with checked parameters.

    Arguments of the other measures are checked, too.
    """
    tasks = {}
    for label, measure in measures.items():
        metric, parameters = measure.metric, formula_parameters(measure)
        if metric.kind == "ranking":
            task = make_task(metric.formula, parameters, batch, measure.average)
            tasks[label] = task
    return tasks


def only_compare_grades(measures):
    """Whether a measure of rankings only compares grades; see `warn_of_fractions`."""
    return any(
        measure.metric.kind == "ranking"
        and only_compares_grades(formula_parameters(measure))
        for measure in measures.values()
    )


def warn_of_input(input_warnings, measures):
    """Warn, as `values_per_query` does for one batch, of what all parts hold."""
    if only_compare_grades(measures):
        warn_of_fractions(input_warnings.least)
    if any(measure.metric.kind == "ranking" for measure in measures.values()):
        input_warnings.warn_of_scores()


def values_per_query(measures, given, batch, *, ties, n_jobs=None, tasks=None):
    """Return for each measure its values per query, as `run_tasks` does.

    For sets, these are the counts behind the values, and whether the input says what
    was retrieved.

    Parameters
    ----------
    measures : dict of str to Measure
        By label.
    given : RawInput
        The input of the batch.
    batch : RankingBatch
        The same input, checked.
    ties, n_jobs : str, int or None
        As for `score_queries`.
    tasks : dict of str to Task or None
        What `make_tasks` returned for this batch and other scores.
    """
    tasks = make_tasks(measures, batch) if tasks is None else tasks
    results = run_tasks(tasks.values(), batch, ties, n_jobs) if tasks else ()
    ranked = dict(zip(tasks, results, strict=True))
    values, sets = {}, {}
    for label, measure in measures.items():
        if measure.metric.kind == "ranking":
            values[label] = ranked[label]
        elif measure.metric.kind == "set":
            values[label] = _count(measure, given, batch, sets, label)
        else:
            values[label] = _judge_labels(measure, given, label)
    return values


def numbers_per_query(measure):
    """Return the number of values that a measure keeps for each query.

    Sets keep four counts, and whether the input said what was retrieved; micro averages
    keep the value and two counts; others keep the value.
    """
    if measure.metric.kind == "set":
        return 5
    return 3 if measure.average == "micro" else 1


def _count(measure, given, batch, known, label):
    """Return the counts of sets by query, and whether their documents are known."""
    parameters = formula_parameters(measure)
    pos_label = parameters.pop("pos_label")
    if pos_label not in known:
        sets = _sets(given, batch, pos_label, label)
        known[pos_label] = sets, sets.say_what_was_retrieved()
    sets, is_said = known[pos_label]
    _, counts = count_cells(measure.metric.formula, parameters, sets)
    return np.concatenate([counts, is_said[None]])


def _judge_labels(measure, given, label):
    """Return the values per query of a measure of labels."""
    function, y_pred = measure.metric.function, _labels(given, label)
    if measure.average == "micro":
        raise ValueError(
            "average='micro' needs the labels of all queries at once for "
            f"{label!r}; call {function.__name__} itself."
        )
    options = {**formula_parameters(measure), "average": None}
    return function(given.y_true, y_pred, qid=given.qid, **options)


def _labels(given, label):
    """Return the predicted labels; whole scores are labels."""
    if given.y_pred is not None or issparse(given.y_score):
        return given.y_score if given.y_pred is None else given.y_pred
    scores = as_numbers("y_score", as_array("y_score", given.y_score))
    if scores.dtype.kind == "f":
        broken = ~np.isfinite(scores) | (scores != np.floor(scores))
        if broken.any():
            raise ValueError(
                f"y_score must hold labels (whole numbers or booleans) for {label!r}; "
                f"got {float(scores[broken][0])}."
            )
    return given.y_score


def _sets(given, batch, pos_label, label):
    """Return the retrieved sets: those predicted, or all ranked documents."""
    if given.y_pred is not None or pos_label is not None:
        y_pred = given.y_pred if pos_label is None else _labels(given, label)
        return check_sets(given.y_true, y_pred, pos_label=pos_label, qid=given.qid)
    return Sets.of_ranking(batch)


def rules_of(measures, ties, replace_undefined_by):
    """Return measures with the rules of a call that they do not set, by label."""
    rules = {} if ties == "average" else {"ties": ties}
    if not np.isnan(replace_undefined_by):
        rules["replace_undefined_by"] = replace_undefined_by
    complete = {}
    for label, measure in measures.items():
        names = rules.keys() & measure.metric.all_parameters.keys()
        arguments = {name: rules[name] for name in names} | measure.arguments
        complete[label] = Measure(measure, **arguments) if names else measure
    return complete


def average_of(measure, values, weights, replace_undefined_by, *, average="macro"):
    """Return the `Averaged` of what `values_per_query` returned for a measure.

    What the measure says of averaging comes before the arguments, except that with
    ``average=None`` there is no mean. Nothing is warned of.
    """
    options = averaging_of(measure, average, replace_undefined_by)
    if options["average"] is not None:
        options = check_by_rules(measure.metric.formula, options)
    name = measure.metric.function.__name__
    if measure.metric.kind != "set":
        return average_queries(values, weights, name=name, **options)
    *counts, is_said = values
    if not is_said.any():  # in no query
        refuse_complete_rankings()
    parameters = formula_parameters(measure)
    for of_counting in ("relevance_threshold", "judged_only", "pos_label"):
        del parameters[of_counting]
    formula = partial(
        measure.metric.formula, **check_by_rules(measure.metric.formula, parameters)
    )
    counts = np.stack(counts)
    return average_counts(name, formula, counts, weights, **options)


def refuse_complete_rankings():
    """Refuse scores that give every document a rank, as sets of documents."""
    raise ValueError(
        "y_score must say what was retrieved, for measures of sets, but gives every "
        "document a rank. Pass booleans or the integers 0 and 1, such as y_score >= "
        "0.5, or -inf as the score of documents that were not retrieved. For predicted "
        "classes, call class_report(y_true, y_pred), or name one class in the measure, "
        "such as set_f1(pos_label=2)."
    )
