"""Ranking metrics for torchmetrics, exact in several processes too.

Importing this module needs torch and torchmetrics.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sklearn_irmetrics._arrays.query_ids import as_ids, group_rows
from sklearn_irmetrics._checks import check_count
from sklearn_irmetrics._typing import Ids, Ties
from sklearn_irmetrics.metrics._measure import Measures, as_averaged, say_unequal
from sklearn_irmetrics.streaming.evaluator import StreamingEvaluator

try:
    import torch
    from torch import distributed
    from torchmetrics import Metric
except ImportError as error:
    raise ModuleNotFoundError(
        "sklearn_irmetrics.torch needs torch and torchmetrics: pip install torch "
        "torchmetrics."
    ) from error

__all__ = ["QueryMetrics", "WholeQueries"]

_UNNUMBERED = -1


class QueryMetrics(Metric):
    """Measures of rankings as a metric of torchmetrics.

    It accepts batches of documents, which may cut queries, and scores whole queries in
    `compute`. If several processes share the data, each row is sent to the process to
    which its query is assigned, so no process holds all rows. Rows that a
    `DistributedSampler` repeats count once, by their numbers.

    Parameters
    ----------
    metrics : str or Measure, list of them, or dict of str to them
        Names such as ``"ndcg@10"``; a dict sets their labels in the results.
    n_rows : int or None, default=None
        Number of rows in the data set. A different number then raises an error, for
        example if a loader drops the last rows. None: any number.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        How to rank tied documents; see `StreamingEvaluator`. The order of the rows is
        that of their numbers.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean.
    **options
        Passed to `torchmetrics.Metric`.

    See Also
    --------
    WholeQueries : Batches of whole queries, for the cheaper `StreamingEvaluator`.
    StreamingEvaluator : The same without torchmetrics, for batches of whole queries.

    Examples
    --------
    >>> import torch
    >>> from sklearn_irmetrics.torch import QueryMetrics
    >>> metric = QueryMetrics(["ndcg@10", "mrr"])
    >>> preds, target = torch.tensor([0.9, 0.1, 0.7, 0.8]), torch.tensor([1, 0, 0, 2])
    >>> queries = torch.tensor([5, 5, 6, 6])
    >>> metric.update(preds[:3], target[:3], queries[:3])  # cuts the second query
    >>> metric.update(preds[3:], target[3:], queries[3:])
    >>> {name: float(value) for name, value in metric.compute().items()}
    {'ndcg@10': 1.0, 'mrr': 1.0}
    """

    table: list[torch.Tensor]
    full_state_update = False
    higher_is_better = None
    is_differentiable = False

    def __init__(
        self,
        metrics: Measures,
        n_rows: int | None = None,
        *,
        ties: Ties = "average",
        replace_undefined_by: float = np.nan,
        **options: Any,
    ) -> None:
        # torchmetrics must not gather: it cannot if a process has no rows.
        super().__init__(**{"sync_on_compute": False, **options})
        if n_rows is not None:
            check_count("n_rows", n_rows)
        self.metrics, self.n_rows = metrics, n_rows
        self.rules = {"ties": ties, "replace_undefined_by": replace_undefined_by}
        self._new_evaluator()  # raises an error if arguments are wrong
        self._shared = True
        self.add_state("table", default=[], dist_reduce_fx="cat")

    def update(
        self,
        preds: torch.Tensor,
        target: torch.Tensor,
        indexes: torch.Tensor,
        rows: torch.Tensor | None = None,
    ) -> None:
        """Add documents.

        Parameters
        ----------
        preds : tensor
            Scores; larger ranks higher, -inf: not retrieved.
        target : tensor of the shape of `preds`
            Grades; larger is better, NaN: unjudged.
        indexes : int tensor of the shape of `preds`
            Query ids.
        rows : int tensor of the shape of `preds`, default=None
            The number of each row in the data set, at least 0; required if several
            processes share it. Rows with the same number count once.

        Raises
        ------
        ValueError
            If shapes differ, scores are booleans or complex, ids are not integers, or
            rows are not numbered in all batches or in none.
        """
        _check_tensors(preds, target, indexes)
        rows = _check_rows(rows, indexes)
        # One table of integers, with floats as their bits, so ids stay exact.
        numbers = [
            tensor.detach().double().view(torch.int64) for tensor in (preds, target)
        ]
        columns = [*numbers, indexes.long(), rows.long()]
        self.table.append(
            torch.stack([column.reshape(-1) for column in columns], dim=1)
        )

    def compute(self) -> dict[str, torch.Tensor]:
        """Return the average of each measure over all queries, in every process.

        Returns
        -------
        dict of str to tensor
            By measure.

        Raises
        ------
        ValueError
            If there is no row, or not `n_rows` of them, or several documents have the
            same number.
        """
        empty = torch.empty((0, 4), dtype=torch.int64, device=self.device)
        table = torch.cat([empty, *self.table])
        is_shared = self._shared and _world_size() > 1
        if is_shared:
            table = _exchange(table, table[:, 2].remainder(_world_size()))
        evaluator, n_rows = self._evaluate(_drop_repetitions(table))
        if is_shared:
            evaluator, n_rows = self._gather(evaluator, n_rows)
        if self._shared and self.n_rows not in (None, n_rows):
            raise ValueError(
                f"n_rows must be the number of rows of the data set; got {self.n_rows} "
                f"and {n_rows} different rows in the updates."
            )
        means = evaluator.compute().mean
        return {
            label: torch.tensor(mean, dtype=torch.float64, device=self.device)
            for label, mean in means.items()
        }

    def _evaluate(self, table):
        """Return the evaluator of the queries of a table, and its number of rows."""
        preds, target = (
            table[:, column].contiguous().view(torch.float64).cpu().numpy()
            for column in (0, 1)
        )
        evaluator = self._new_evaluator()
        if len(table):
            evaluator.update(target, preds, qid=table[:, 2].cpu().numpy())
        return evaluator, len(table)

    def _gather(self, evaluator, n_rows):
        """Return the merged evaluator and number of rows of all processes."""
        parts: list[Any] = [None] * _world_size()
        distributed.all_gather_object(parts, (evaluator, n_rows))
        whole = self._new_evaluator()
        for part, _ in parts:
            whole.merge(part)
        return whole, sum(n for _, n in parts)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Add a batch, and return the averages over this batch in this process."""
        self._shared = False
        try:
            return super().forward(*args, **kwargs)
        finally:
            self._shared = True

    def merge_state(self, incoming_state: Any) -> None:
        """Add the documents of another metric.

        Parameters
        ----------
        incoming_state : QueryMetrics or dict
            With the same measures and rules.

        Raises
        ------
        ValueError
            If it is this metric, or has other measures or rules.
        """
        if incoming_state is self:
            raise ValueError("incoming_state must not be the metric itself.")
        if isinstance(incoming_state, QueryMetrics):
            both = self, incoming_state
            ours, theirs = (as_averaged("metrics", metrics.metrics) for metrics in both)
            rules, others = (repr((metrics.rules, metrics.n_rows)) for metrics in both)
            if [*ours.items()] != [*theirs.items()] or rules != others:
                mine, yours, why = say_unequal(ours, theirs)
                raise ValueError(
                    f"incoming_state must have the same measures; got {yours} with "
                    f"{others} instead of {mine} with {rules}.{why * (rules == others)}"
                )
        super().merge_state(incoming_state)
        self._computed = None  # torchmetrics would return its earlier result
        self._update_count += 1

    def _new_evaluator(self):
        return StreamingEvaluator(self.metrics, **self.rules)


class WholeQueries(torch.utils.data.Sampler):
    """Batches of rows that hold whole queries, each query in one process.

    Give it to a `DataLoader` as `batch_sampler`. Nothing is padded: processes may have
    different numbers of batches.

    Parameters
    ----------
    qid : array-like of shape (n_rows,)
        Query ids.
    batch_size : int
        Number of rows in a batch; a longer query forms a batch alone.
    rank, num_replicas : int or None, default=None
        The number of this process, and of all processes; None: those of
        torch.distributed, or a single process.

    Examples
    --------
    >>> from sklearn_irmetrics.torch import WholeQueries
    >>> list(WholeQueries(["a", "a", "b", "a", "c"], batch_size=3))
    [[0, 1, 3], [2, 4]]
    """

    def __init__(
        self,
        qid: Ids,
        batch_size: int,
        *,
        rank: int | None = None,
        num_replicas: int | None = None,
    ) -> None:
        check_count("batch_size", batch_size)
        world = _world_size() if num_replicas is None else num_replicas
        check_count("num_replicas", world)
        rank = (
            (distributed.get_rank() if _world_size() > 1 else 0)
            if rank is None
            else rank
        )
        if rank not in range(world):
            raise ValueError(
                f"rank must be a whole number from 0 to {world - 1}; got {rank!r}."
            )
        ids = as_ids(qid)
        queries = group_rows(ids, len(ids))
        order = np.arange(len(ids)) if queries.order is None else queries.order
        self._batches: list[list[int]] = []
        for rows in np.split(order, queries.offsets[1:-1])[rank::world]:
            if not self._batches or len(self._batches[-1]) + len(rows) > batch_size:
                self._batches.append([])
            self._batches[-1] += rows.tolist()

    def __len__(self) -> int:
        return len(self._batches)

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self._batches)


def _world_size():
    ready = distributed.is_available() and distributed.is_initialized()
    return distributed.get_world_size() if ready else 1


def _check_tensors(preds, target, indexes):
    """Refuse tensors of different shapes, and those that hold no scores or no ids."""
    tensors = {"preds": preds, "target": target, "indexes": indexes}
    shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    if len(set(shapes.values())) > 1:
        raise ValueError(
            f"preds, target and indexes must have the same shape; got {shapes}."
        )
    if preds.dtype == torch.bool or preds.is_complex():
        raise ValueError(
            f"preds must hold real scores; got {preds.dtype}. If it says what was "
            "retrieved, pass torch.where(preds, 1.0, -torch.inf)."
        )
    _check_integers("indexes", indexes)


def _check_rows(rows, indexes):
    """Return the number of each document's row, `_UNNUMBERED` if there are none."""
    if rows is None:
        if _world_size() > 1:
            raise ValueError(
                "rows must be the numbers of the rows in the data set if several "
                "processes share it, because samplers repeat some of them."
            )
        return torch.full_like(indexes, _UNNUMBERED)
    if rows.shape != indexes.shape or bool((rows < 0).any()):
        raise ValueError(
            "rows must have a number of 0 or more for each document; got "
            f"{rows.tolist()!r:.80}."
        )
    _check_integers("rows", rows)
    return rows


def _check_integers(name, ids):
    if ids.is_floating_point() or ids.is_complex():
        raise ValueError(f"{name} must hold integers; got {ids.dtype}.")


def _drop_repetitions(table):
    """Return the rows of a table, those of the same number once, ordered by it."""
    rows = table[:, 3].cpu().numpy()
    is_numbered = rows >= 0
    if not is_numbered.any():
        return table
    if not is_numbered.all():
        raise ValueError("rows must be given in all batches, or in none.")
    order = np.argsort(rows, kind="stable")
    again = np.flatnonzero(rows[order[1:]] == rows[order[:-1]]) + 1
    # Scores of a repeated row may differ in their last bits.
    documents = table[:, 1:3].cpu().numpy()
    differ = (documents[order[again]] != documents[order[again - 1]]).any(axis=1)
    if differ.any():
        raise ValueError(
            "rows must be the numbers of the rows in the data set, not in the batch; "
            f"got {rows[order[again[differ]]][0]} for different documents."
        )
    return table[torch.from_numpy(np.delete(order, again)).to(table.device)]


def _exchange(table, owner):
    """Send each row of a table to the process that owns it; return what arrives."""
    world = _world_size()
    table = table[torch.argsort(owner)]
    counts = torch.bincount(owner, minlength=world)
    arriving = torch.empty_like(counts)
    distributed.all_to_all_single(arriving, counts)
    received = table.new_empty((int(arriving.sum()), table.shape[1]))
    sizes = arriving.tolist(), counts.tolist()
    distributed.all_to_all_single(received, table, *sizes)
    return received
