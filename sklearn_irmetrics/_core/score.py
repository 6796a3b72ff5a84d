"""Run kernels over the blocks of checked judgments: one ordering for all of them."""

from dataclasses import dataclass

import numpy as np

from sklearn_irmetrics._core.aggregate import EPSILON, aggregate, aggregate_rows
from sklearn_irmetrics._core.blocks import iter_blocks
from sklearn_irmetrics._core.inputs import check_judgments
from sklearn_irmetrics._core.parameters import TIES, check_option, check_parameters
from sklearn_irmetrics._core.ranking import Ranking


@dataclass(frozen=True)
class Task:
    """A kernel with its checked parameters.

    `depth` is the number of ranks it looks at, None for all.
    """

    kernel: object
    parameters: dict
    judged_only: bool = False
    depth: int | None = None


def make_task(kernel, parameters, judgments):
    """Check a measure's parameters against the judgments it will see."""
    parameters = check_parameters(parameters, judgments)
    judged_only = parameters.pop("judged_only", False)
    return Task(kernel, parameters, judged_only, parameters.get("k"))


def run_tasks(tasks, judgments, ties):
    """Return for each task its values per query.

    A kernel returns one value per query (NaN: undefined), or three: the value and the
    two counts whose ratio it is; the results have shape ``(n_queries,)`` or
    ``(3, n_queries)``.
    """
    check_option("ties", ties, TIES)
    depths = [task.depth for task in tasks]
    depth = None if None in depths else max(depths, default=None)
    results = [None] * len(tasks)
    for block in iter_blocks(judgments):
        rankings = {}
        for i, task in enumerate(tasks):
            if task.judged_only not in rankings:
                documents = block.condensed() if task.judged_only else block
                rankings[task.judged_only] = Ranking(documents, ties=ties, depth=depth)
            values = task.kernel(rankings[task.judged_only], **task.parameters)
            rows = values if isinstance(values, tuple) else (values,)
            if results[i] is None:
                shape = np.broadcast_shapes(*map(np.shape, rows))[:-1]
                results[i] = np.empty((len(rows), *shape, judgments.n_queries))
            for result, row in zip(results[i], rows, strict=True):
                result[..., block.queries] = row
    return [values[0] if len(values) == 1 else values for values in results]


def run_at_cutoffs(kernel, parameters, cutoffs, judgments, ties):
    """Return a kernel's values per query at many cutoffs, from one ordering.

    Returns
    -------
    ndarray of shape (n_cutoffs, n_queries) or (n_cutoffs, 3, n_queries)
    """
    deepest = int(max(cutoffs))
    task = make_task(kernel, {**parameters, "k": deepest}, judgments)
    task.parameters["k"] = np.array(cutoffs, dtype=np.float64)[:, np.newaxis]
    (values,) = run_tasks([task], judgments, ties)
    return np.moveaxis(values, -2, 0)


def score_ranking(
    name,
    kernel,
    y_true,
    y_score,
    parameters,
    *,
    qid,
    labels,
    sample_weight,
    ties,
    average,
    replace_undefined_by,
    marks=None,
    epsilon=EPSILON,
):
    """Do what every ranking measure does, with its kernel."""
    per_query, judgments = _run_kernel(
        kernel,
        y_true,
        y_score,
        parameters,
        ties,
        qid=qid,
        labels=labels,
        sample_weight=sample_weight,
        marks=marks,
    )
    return aggregate(
        per_query,
        judgments.weights,
        name=name,
        average=average,
        replace_undefined_by=replace_undefined_by,
        epsilon=epsilon,
    )


def score_curve(
    name,
    kernel,
    y_true,
    y_score,
    parameters,
    *,
    qid,
    labels,
    sample_weight,
    ties,
    average,
    replace_undefined_by,
):
    """Do what every averaged curve does, with its kernel of several rows."""
    rows, judgments = _run_kernel(
        kernel,
        y_true,
        y_score,
        parameters,
        ties,
        qid=qid,
        labels=labels,
        sample_weight=sample_weight,
    )
    return aggregate_rows(
        rows,
        judgments.weights,
        name=name,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _run_kernel(kernel, y_true, y_score, parameters, ties, **inputs):
    """Return one kernel's values per query, and the judgments."""
    judgments = check_judgments(y_true, y_score, **inputs)
    task = make_task(kernel, parameters, judgments)
    return run_tasks([task], judgments, ties)[0], judgments
