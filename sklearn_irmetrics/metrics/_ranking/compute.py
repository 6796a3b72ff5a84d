"""Run formulas over the blocks of a checked batch, ordering each block once."""

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from operator import attrgetter

import numpy as np

from sklearn_irmetrics._checks import TIES, check_n_jobs, check_option
from sklearn_irmetrics._warnings import suppress_warnings, warn_of_data
from sklearn_irmetrics.exceptions import FractionalGradesWarning, LowPrecisionWarning
from sklearn_irmetrics.metrics._ranking.averages import (
    NOTHING_RELEVANT,
    aggregate,
    aggregate_rows,
)
from sklearn_irmetrics.metrics._ranking.batch import check_batch
from sklearn_irmetrics.metrics._ranking.blocks import (
    are_few,
    iter_blocks,
    iter_chunks,
    pack,
)
from sklearn_irmetrics.metrics._ranking.parameters import check_parameters
from sklearn_irmetrics.metrics._ranking.ranking import Ranking

# Overflow raises an error and underflow never does, whatever NumPy settings the caller
# has.
_ERRORS = {"over": "raise", "under": "ignore"}
_VALUES_AT_ONCE = 1 << 22  # of queries at cutoffs


class FailedQuery(Exception):
    """That a formula cannot score one query: its number in the batch, and why."""

    def __init__(self, query, reason):
        super().__init__(query, reason)
        self.query, self.reason = query, reason


@dataclass(frozen=True)
class Task:
    """A formula with its checked parameters.

    `depth` is the number of ranks that it needs, None for all. `with_counts` keeps the
    two counts whose ratio the value is, if the formula returns them.
    """

    formula: object
    parameters: dict
    judged_only: bool = False
    depth: int | None = None
    with_counts: bool = True


def make_task(formula, parameters, batch, average="micro"):
    """Check a measure's parameters against the batch that it will score.

    `average` is how its values will be averaged.
    """
    parameters = check_parameters(formula, parameters, batch)
    if only_compares_grades(parameters):
        warn_of_fractions(batch.least)
    judged_only = parameters.pop("judged_only", False)
    without_counts = average is None or (
        isinstance(average, str) and average in ("macro", "geometric")
    )
    return Task(
        formula,
        parameters,
        judged_only,
        depth=parameters.get("k"),
        with_counts=not without_counts,
    )


def only_compares_grades(parameters):
    """Whether a measure only compares grades, so that fractions are doubtful."""
    of_values = "gain" in parameters or "persistence" in parameters
    return not of_values and parameters.get("relevance_threshold", 0.0) is None


def warn_of_fractions(least):
    """Warn where grades look like scores; see `RankingBatch.least`."""
    if least % 1 > 0:
        what = "all above 0, so every document is relevant"
        if least < 0:
            what = f"some of them negative (the least is {least:g})"
        warn_of_data(
            f"y_true holds fractions, {what}. "
            "Grades come before scores: (y_true, y_score). If these are grades, set "
            "relevance_threshold.",
            FractionalGradesWarning,
        )


def run_tasks(tasks, batch, ties, n_jobs=None):
    """Return for each task its values per query.

    A formula returns one value per query (NaN: undefined), or three: the value and the
    two counts whose ratio it is; the results have shape ``(n_queries,)`` or
    ``(3, n_queries)``. `n_jobs` threads share the blocks.
    """
    check_option("ties", ties, TIES)
    depth = _depth(tasks)
    run = partial(_run_chunk, tasks, ties, depth, batch)
    n_threads = _count_threads(n_jobs, batch)
    if n_threads == 1:
        chunks = iter_chunks(batch, few_ranks=depth is not None)
        blocks = list(chain.from_iterable(map(run, chunks)))
    else:
        with ThreadPoolExecutor(n_threads) as threads:
            done = threads.map(run, iter_chunks(batch, in_threads=True))
            blocks = list(chain.from_iterable(done))
    if batch.low_precision is not None:
        warn_of_low_precision_scores(batch)
    *columns, queries = zip(*blocks, strict=True)
    del blocks
    queries = queries[0] if len(queries) == 1 else np.concatenate(queries)
    results = []
    while columns:  # popped, so that what is joined does not stay in memory twice
        results.append(_join(columns.pop(), queries))
    return results[::-1]


def _depth(tasks):
    """Return the number of ranks that tasks need, None for all."""
    depths = set(map(attrgetter("depth"), tasks))
    return None if None in depths else max(depths, default=0)


def _count_threads(n_jobs, batch):
    if n_jobs is not None:
        check_n_jobs(n_jobs)
    elif "joblib" not in sys.modules:  # only joblib can set a default
        return 1
    if are_few(batch):
        return 1
    from joblib import effective_n_jobs  # scikit-learn brings it

    return effective_n_jobs(n_jobs)


def warn_of_low_precision_scores(batch):
    """Warn of ties among scores of 16 bits."""
    InputWarnings.of(batch).warn_of_scores()


@dataclass(frozen=True)
class InputWarnings:
    """What makes the grades and scores of some queries doubtful.

    Attributes
    ----------
    least : float
        See `RankingBatch.least`.
    low_precision : str or None
        The type of the scores if it has 16 bits.
    n_tied, n_retrieved : int
        How many documents share such a score, and of how many.
    """

    least: float
    low_precision: str | None = None
    n_tied: int = 0
    n_retrieved: int = 0

    @classmethod
    def of(cls, batch):
        """Return those of a batch."""
        n_tied = n_retrieved = 0
        for block in iter_blocks(batch) if batch.low_precision else ():
            ranking = Ranking.of(block)
            n_retrieved += int(ranking.n_retrieved.sum())
            if ranking.tied:
                n_tied += int((ranking.group_size > 1).sum())
        return cls(batch.least, batch.low_precision, n_tied, n_retrieved)

    @classmethod
    def join(cls, parts):
        """Return those of all queries of several parts."""
        types = [part.low_precision for part in parts if part.low_precision]
        return cls(
            min(part.least for part in parts),
            types[0] if types else None,
            sum(part.n_tied for part in parts),
            sum(part.n_retrieved for part in parts),
        )

    def warn_of_scores(self):
        """Warn of ties among scores of 16 bits."""
        if self.n_tied:
            warn_of_data(
                f"y_score is {self.low_precision}, which makes many scores equal: "
                f"{100 * self.n_tied / self.n_retrieved:.1f} % of the retrieved "
                "documents are tied within their query. Pass the scores as float32, "
                "before they are rounded to 16 bits.",
                LowPrecisionWarning,
                subject="low precision",
            )


def prepare(tasks, batch, ties):
    """Return a batch prepared for many rankings of the same documents.

    Blocks are packed without their scores, with a cache of what the tasks compute from
    all their documents. Blocks of sparse scores depend on the scores, and are not
    prepared.
    """
    if batch.sparse:
        return batch
    packed = []
    for chunk in pack(batch):
        (block,) = chunk.blocks(batch)
        try:
            with np.errstate(**_ERRORS):
                _, rankings = _run_block(tasks, ties, _depth(tasks), block)
        except FloatingPointError:  # other rankings may not overflow
            rankings = {}
        caches = {
            judged_only: ranking.unranked.cache
            for judged_only, ranking in rankings.items()
        }
        block = replace(
            chunk.block,
            cache=caches.get(False, {}),
            cache_of_judged=caches.get(True, {}),
        )
        packed.append(replace(chunk, block=block))
    return replace(batch, packed=packed)


def _run_chunk(tasks, ties, depth, batch, chunk):
    """Return for each block the values of each task as rows, then its queries."""
    done = []
    try:
        with np.errstate(**_ERRORS):
            for block in chunk.blocks(batch):
                values, _ = _run_block(tasks, ties, depth, block)
                done.append([*values, block.queries])
    except FloatingPointError as error:
        raise ValueError(
            "y_true, or a parameter such as gain, holds numbers too large to add up: "
            f"{error}. Divide them by a constant."
        ) from error
    except FailedQuery as failed:
        query = batch.query_ids[[failed.query]].tolist()[0]
        reason = failed.reason.removesuffix(".")
        raise ValueError(f"{reason}, in query {query!r}.") from failed.__cause__
    return done


def _run_block(tasks, ties, depth, block):
    """Return the values of each task as rows, and the rankings that were scored."""
    results, rankings = [], {}
    for task in tasks:
        if task.judged_only not in rankings:
            documents = block.condensed() if task.judged_only else block
            rankings[task.judged_only] = Ranking.of(documents, ties=ties, depth=depth)
        ranking = rankings[task.judged_only].down_to(task.depth)
        values = task.formula(ranking, **task.parameters)
        rows = values if isinstance(values, tuple) else (values,)
        results.append(rows if task.with_counts else rows[:1])
    return results, rankings


def _join(blocks, queries):
    """Return the rows of values of all blocks as one array, in the order of queries."""
    rows = blocks[0]
    if len(blocks) > 1:
        rows = [np.concatenate(parts, axis=-1) for parts in zip(*blocks, strict=True)]
    if len(rows) == 1 and rows[0].ndim == 1:
        joined = np.empty(len(queries))
        joined[queries] = rows[0]
        return joined
    shape = len(rows), *np.broadcast_shapes(*(row.shape for row in rows))
    joined = np.empty(shape)
    for place, row in zip(joined, rows, strict=True):
        place[..., queries] = row
    return joined[0] if len(joined) == 1 else joined


def average_at_cutoffs(
    formula, parameters, cutoffs, batch, ties, n_jobs=None, *, average, **options
):
    """Average a formula's values at many cutoffs, as `aggregate_rows` does.

    Cutoffs are averaged in chunks, so memory never holds all values.
    """
    parameters = {**parameters, "k": int(max(cutoffs))}
    task = make_task(formula, parameters, batch, average)
    parts = []
    at_once = len(cutoffs)
    if average is not None:
        at_once = max(1, _VALUES_AT_ONCE // batch.n_queries)
    for start in range(0, len(cutoffs), at_once):
        ks = np.asarray(list(cutoffs[start : start + at_once]), dtype=np.float64)
        parameters = {**task.parameters, "k": ks[:, np.newaxis]}
        chunk = replace(task, parameters=parameters, depth=int(ks.max()))
        with suppress_warnings() if start else nullcontext():
            (rows,) = run_tasks([chunk], batch, ties, n_jobs)
            rows = np.moveaxis(rows, -2, 0)
            parts.append(
                aggregate_rows(rows, batch.weights, average=average, **options)
            )
    return np.concatenate(parts, axis=-1)


def score_ranking(
    name,
    formula,
    y_true,
    y_score,
    *,
    marks=None,
    subtopics=False,
    qid=None,
    sample_weight=None,
    ties="average",
    average="macro",
    replace_undefined_by=np.nan,
    combine=aggregate,
    undefined_if=NOTHING_RELEVANT,
    **parameters,
):
    """Score rankings with a formula, as every ranking measure does.

    Parameters
    ----------
    name : str
        The public function, for warnings.
    formula : callable
        Takes a `Ranking` and the measure's own parameters by keyword.
    y_true, y_score, marks, subtopics, qid, sample_weight
        As for `check_batch`.
    ties : str
        The rule for tied documents.
    average, replace_undefined_by
        Handed to `combine`.
    combine : callable
        Turns the values of all queries into the result.
    undefined_if : str
        Why queries are undefined, for warnings.
    **parameters
        The measure's own parameters, by public name.
    """
    batch = check_batch(
        y_true,
        y_score,
        qid=qid,
        sample_weight=sample_weight,
        marks=marks,
        subtopics=subtopics,
    )
    task = make_task(formula, parameters, batch, average)
    (values,) = run_tasks([task], batch, ties)
    return combine(
        values,
        batch.weights,
        name=name,
        average=average,
        replace_undefined_by=replace_undefined_by,
        undefined_if=undefined_if,
    )
