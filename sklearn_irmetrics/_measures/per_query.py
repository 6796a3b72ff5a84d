"""Values per query of measures of all kinds."""

from typing import NamedTuple

from sklearn_irmetrics._core.namespace import is_tensor, issparse, namespace
from sklearn_irmetrics._core.numbers import as_array, as_numbers
from sklearn_irmetrics._core.score import make_task, run_tasks
from sklearn_irmetrics._core.sets import Sets, check_sets, count_cells
from sklearn_irmetrics._measures.measure import kernel_parameters


class RawInput(NamedTuple):
    """What a batch was made of, for measures that do not rank."""

    y_true: object
    y_score: object
    y_pred: object = None
    qid: object = None


def make_tasks(measures, batch):
    """Return the tasks of those measures that rank, their parameters checked.

    Raises what is wrong with the arguments of other measures too.
    """
    parameters = {
        label: kernel_parameters(measure) for label, measure in measures.items()
    }
    return [
        make_task(measure.metric.kernel, parameters[label], batch, measure.average)
        for label, measure in measures.items()
        if measure.metric.kind == "ranking"
    ]


def values_per_query(measures, given, batch, *, ties, n_jobs=None, tasks=None):
    """Return for each measure its values per query, as `run_tasks` does.

    Of sets these are the counts that values are made of, and whether scores rank.

    Parameters
    ----------
    measures : dict of str to Measure
        By label.
    given : RawInput
        What the batch was made of.
    batch : RankingBatch
        The same, checked.
    ties, n_jobs : str, int or None
        As for `score_queries`.
    tasks : list of Task or None
        What `make_tasks` returned for this batch and other scores.
    """
    of_kind = {"ranking": [], "set": [], "labels": []}
    for label, measure in measures.items():
        of_kind[measure.metric.kind].append(label)
    tasks = make_tasks(measures, batch) if tasks is None else tasks
    ranked = run_tasks(tasks, batch, ties, n_jobs) if tasks else []
    values = dict(zip(of_kind["ranking"], ranked, strict=True))
    sets = {}
    for label in of_kind["set"]:
        parameters = kernel_parameters(measures[label])
        pos_label = parameters.pop("pos_label")
        if pos_label not in sets:
            found = _sets(given, batch, pos_label, label)
            sets[pos_label] = found, found.are_ranked()
        found, ranked = sets[pos_label]
        _, counts = count_cells(measures[label].metric.kernel, parameters, found)
        values[label] = namespace(counts).concatenate([counts, ranked[None]])
    for label in of_kind["labels"]:
        function = measures[label].metric.function
        if measures[label].average == "micro":
            raise ValueError(
                "average='micro' needs the labels of all queries at once for "
                f"{label!r}; call {function.__name__} itself."
            )
        values[label] = function(
            given.y_true,
            _labels(given, label),
            qid=given.qid,
            average=None,
            **kernel_parameters(measures[label]),
        )
    return {label: values[label] for label in measures}


def _labels(given, label):
    """Return the labels that were predicted, which scores are if they are whole."""
    if given.y_pred is not None or issparse(given.y_score):
        return given.y_score if given.y_pred is None else given.y_pred
    scores = given.y_score
    if not is_tensor(scores):
        scores = as_numbers("y_score", as_array("y_score", scores))
    xp = namespace(scores)
    if xp.kind(scores) == "f":
        broken = ~xp.isfinite(scores) | (scores != xp.floor(scores))
        if broken.any():
            raise ValueError(
                f"y_score must hold labels (whole numbers or booleans) for {label!r} "
                f"unless y_pred does; got {float(scores[broken][0])}."
            )
    return given.y_score


def _sets(given, batch, pos_label, label):
    """Return the sets that were retrieved: those predicted, or all that is ranked."""
    if given.y_pred is not None or pos_label is not None:
        y_pred = given.y_pred if pos_label is None else _labels(given, label)
        return check_sets(given.y_true, y_pred, pos_label=pos_label, qid=given.qid)
    return Sets.of_ranking(batch)
