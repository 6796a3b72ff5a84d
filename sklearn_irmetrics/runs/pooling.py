"""Choose documents for people to judge, and measure how pooling favours a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_irmetrics._checks import check_count, refuse_names_alike
from sklearn_irmetrics._results.tables import Column, count
from sklearn_irmetrics._results.tabular import Tabular
from sklearn_irmetrics._typing import AnyTable, Source
from sklearn_irmetrics._warnings import suppress_warnings
from sklearn_irmetrics.metrics._measure import Measures
from sklearn_irmetrics.reports.query_scores import QueryScores
from sklearn_irmetrics.runs._columns import check_mapping, map_documents
from sklearn_irmetrics.runs._forms import (
    Qrels,
    Run,
    check_column_names,
    list_runs,
    several_runs,
)
from sklearn_irmetrics.runs._ids import in_trec_order, ranks_in_queries
from sklearn_irmetrics.runs.files import read_columns, read_retrieved
from sklearn_irmetrics.runs.scoring import score_run, warn_of_undefined_runs

_UNJUDGED = -1.0  # the grade of documents in the pool that nobody judged


def pool(
    runs: Iterable[Any] | Mapping[str, Any],
    depth: int = 100,
    *,
    columns: Mapping[str, str] | None = None,
) -> Qrels:
    """Pool runs: list the documents that any of them ranks near the top, for judging.

    Parameters
    ----------
    runs : list of runs, or dict of str to run
        Runs in any form that `score_run` takes.
    depth : int, default=100
        Number of documents of each run and query to pool, at least 1. Documents with
        equal scores are ordered as in trec_eval, by decreasing id.
    columns : dict of str to str, default=None
        Names of columns, as for `score_run`.

    Returns
    -------
    Qrels
        Sorted by query and document, each with the grade -1: in the pool, not judged.
        Write it for the judges with `write_qrels`.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    sklearn_irmetrics.judging.sample_judgments : Fewer documents, drawn at random.

    References
    ----------
    K. Sparck Jones, C. J. van Rijsbergen, "Report on the need for and provision of an
    'ideal' information retrieval test collection", University of Cambridge, 1975.

    Examples
    --------
    >>> from sklearn_irmetrics.runs import pool
    >>> bm25 = {"q1": {"d1": 12.1, "d2": 9.3, "d3": 8.8}}
    >>> dense = {"q1": ["d3", "d1"]}
    >>> pool([bm25, dense], depth=1).docno.tolist()
    ['d1', 'd3']
    """
    check_count("depth", depth)
    _, listed = list_runs(runs)
    columns = check_column_names(columns)
    pairs = {pair for run in listed for pair in _top(run, depth, columns)}
    documents: dict[str, list] = {}
    for qid, docno in pairs:
        documents.setdefault(qid, []).append(docno)
    rows = [
        (qid, docno) for qid in sorted(documents) for docno in sorted(documents[qid])
    ]
    qid, docno = np.array(rows, dtype=object).T
    return Qrels(qid, docno, np.full(len(rows), _UNJUDGED))


def _top(run, depth, columns, docno=None, merge=None):
    """Return the pairs of query and document that a run ranks within the depth."""
    documents = read_retrieved(run, "runs", merge, columns)
    documents = map_documents(documents, docno, merge)
    order = in_trec_order(documents.query, documents.numbers, documents.docno)
    rows = order[ranks_in_queries(documents.query[order]) < depth]
    return zip(documents.qid[rows], documents.docno.text(rows), strict=True)


@dataclass(frozen=True, eq=False, repr=False)
class LeaveOneOutPool(Tabular):
    """Scores of runs with and without the documents that only they added to the pool.

    `leave_one_out_pool` returns it.

    Attributes
    ----------
    scores, without : dict of str to QueryScores
        By run: scores with all judgments, and without those of documents that only this
        run, or its group, added to the pool.
    n_unique : dict of str to int
        Number of these judgments, by run.
    """

    scores: dict[str, QueryScores]
    without: dict[str, QueryScores]
    n_unique: dict[str, int]

    def _columns(self):
        rows = [
            (name, metric, mean, self.without[name].mean[metric], self.n_unique[name])
            for name, scores in self.scores.items()
            for metric, mean in scores.mean.items()
        ]
        names, metrics, pooled, without, n_unique = zip(*rows, strict=True)
        differences = np.subtract(without, pooled)
        return [
            Column("system", names),
            Column("measure", metrics),
            Column("pooled", pooled, ".3f"),
            Column("not_pooled", without, ".3f", heading="not pooled"),
            Column(None, differences, "+.3f", heading="difference"),
            Column("n_unique", n_unique, "d", heading="unique judgments"),
        ]

    def _title(self):
        return [f"{count(len(self.scores), 'run')}, each also scored as if not pooled"]

    def _notes(self):
        return [
            "Not pooled: without the judgments that exist only because of this run."
        ]


def leave_one_out_pool(
    qrels: Qrels | Source | AnyTable,
    runs: Mapping[str, Any],
    metrics: Measures,
    *,
    depth: int = 100,
    groups: Mapping[str, Any] | None = None,
    columns: Mapping[str, str] | None = None,
    **options: Any,
) -> LeaveOneOutPool:
    """Score each run as if it had not been pooled.

    New systems retrieve documents that nobody judged. To see how much that costs them,
    each pooled system is scored again without the judgments that exist only because of
    it. If its score drops a lot, the judgments are not suitable for new systems.

    Parameters
    ----------
    qrels : dict, table, tuples, file or Qrels
        Judgments of the pool, in any form that `score_run` takes.
    runs : dict of str to run
        The runs that were pooled, at least two, by name.
    metrics : str, Measure, list or dict of them
        As for `score_run`.
    depth : int, default=100
        The rank down to which runs were pooled.
    groups : dict of str to object, default=None
        The group that each run comes from. Documents that only runs of one group added
        are left out for all its runs, since a group would not have been pooled as a
        whole. None: each run is a group.
    columns : dict of str to str, default=None
        Names of columns, as for `score_run`.
    **options
        Passed to `score_run`.

    Returns
    -------
    LeaveOneOutPool
        With `scores`, `without` and `n_unique`;
        `~sklearn_irmetrics.comparison.compare` takes a dict of two of them.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    Notes
    -----
    Documents whose judgments are left out count as unjudged. Documents that no run has
    within the depth keep their judgments. If only this run (or its group) found
    anything relevant for a query, the query becomes undefined and is left out of the
    mean, which may then be higher; ``replace_undefined_by=0`` counts it.

    References
    ----------
    J. Zobel, "How reliable are the results of large-scale information retrieval
    experiments?", SIGIR 1998.

    Examples
    --------
    >>> from sklearn_irmetrics.runs import leave_one_out_pool
    >>> qrels = {"q1": {"d1": 1, "d2": 0, "d3": 1}}
    >>> runs = {"bm25": {"q1": ["d1", "d2"]}, "dense": {"q1": ["d3", "d1"]}}
    >>> leave_one_out_pool(qrels, runs, "map", depth=2)
    2 runs, each also scored as if not pooled
    <BLANKLINE>
    system  measure  pooled  not pooled  difference  unique judgments
    bm25    map       0.500       0.500      +0.000                 1
    dense   map       1.000       0.500      -0.500                 1
    <BLANKLINE>
    Not pooled: without the judgments that exist only because of this run.
    """
    check_count("depth", depth)
    if not isinstance(runs, Mapping) or several_runs(runs) is None or len(runs) < 2:
        raise TypeError(f"runs must be a dict of at least two runs; got {runs!r:.80}.")
    refuse_names_alike("runs", runs)
    owners = dict(zip(runs, runs, strict=True)) if groups is None else groups
    if not isinstance(owners, Mapping) or owners.keys() != runs.keys():
        raise ValueError(f"groups must have a group for each run; got {groups!r}.")
    columns = check_column_names(columns)
    docno, merge = options.get("docno"), options.get("merge")
    check_mapping(docno, merge)
    judged = read_columns(qrels, "qrels", "grade", columns=columns)
    judged = Qrels(judged.qid, judged.docno.text(), judged.numbers)
    runs = dict(runs)
    for name, run in runs.items():
        if not isinstance(run, Mapping):  # it may be a stream, which is read once
            read = read_retrieved(run, "runs", merge, columns)
            runs[name] = Run(read.qid, read.docno.text(), read.numbers, read.tag)
    tops = {name: _top(run, depth, columns, docno, merge) for name, run in runs.items()}
    owners_of: dict[tuple[str, str], set] = {}
    for name, top in tops.items():
        for pair in top:
            owners_of.setdefault(pair, set()).add(owners[name])
    pairs = zip(judged.qid, judged.docno, strict=True)
    found_by = [owners_of.get(pair, set()) for pair in pairs]
    options |= {"columns": columns}
    scores = score_run(judged, runs, metrics, **options)
    without, n_unique = {}, {}
    for name, run in runs.items():
        unique = np.array([finders == {owners[name]} for finders in found_by])
        grades = np.where(unique, _UNJUDGED, judged.grade)
        left = Qrels(judged.qid, judged.docno, grades)
        with suppress_warnings():
            without[name] = score_run(
                left, run, metrics, **options | {"unmatched": "ignore"}
            )
        n_unique[name] = int((unique & (judged.grade >= 0)).sum())
    warn_of_undefined_runs(without)
    return LeaveOneOutPool(scores, without, n_unique)
