"""Join files of judgments by people and by a judge with runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sklearn_irmetrics._typing import Source, Table
from sklearn_irmetrics.runs import Qrels, Run
from sklearn_irmetrics.runs.files import read_columns


class JudgedRuns(NamedTuple):
    """Judgments and runs of the same documents, by query and document id.

    Attributes
    ----------
    y_true, y_judge : ndarray of shape (n_rows,)
        Grades by people and by the judge; NaN where there is none.
    y_scores : dict of str to ndarray of shape (n_rows,)
        Scores of each run; -inf for documents that it did not retrieve.
    qid, docno : ndarray of shape (n_rows,), dtype object
        Ids of query and document, as strings.
    """

    y_true: np.ndarray
    y_judge: np.ndarray
    y_scores: dict[str, np.ndarray]
    qid: np.ndarray
    docno: np.ndarray


def align_judged(
    qrels: Qrels | Source | Table,
    judge_qrels: Qrels | Source | Table,
    runs: Mapping[str, Run | Source | Table],
) -> JudgedRuns:
    """Join judgments by people and by a judge with runs, for `score_judged`.

    Parameters
    ----------
    qrels : dict, table, tuples, file or Qrels
        Judgments by people, in any form that `score_run` takes. Negative grades count
        as not judged.
    judge_qrels : dict, table, tuples, file or Qrels
        Judgments by the judge, of all queries; other queries are left out.
    runs : dict of str to dict, table, tuples, file or Run
        One run or more, by name.

    Returns
    -------
    JudgedRuns
        With a row for each document that occurs anywhere.

    Raises
    ------
    TypeError, ValueError
        If a table has none of these forms; the message names it.

    Examples
    --------
    >>> from sklearn_irmetrics.judging import align_judged
    >>> found = align_judged(
    ...     {"q1": {"a": 1, "b": 0}},
    ...     {"q1": {"a": 2, "b": 0}, "q2": {"a": 1}},
    ...     {"bm25": {"q1": {"b": 7.5}, "q2": {"a": 3.1}}},
    ... )
    >>> found.y_true
    array([ 1.,  0., nan])
    >>> found.y_scores["bm25"]
    array([-inf,  7.5,  3.1])
    """
    if not isinstance(runs, Mapping) or not runs:
        raise TypeError("runs must be a dict of one run or more, by name.")
    people = _by_pair(qrels, "qrels", "grade")
    judge = _by_pair(judge_qrels, "judge_qrels", "grade")
    for name, table in (("qrels", people), ("judge_qrels", judge)):
        if not table:
            raise ValueError(f"{name} must hold judgments; got none.")
    systems = {name: _by_pair(run, "runs", "score") for name, run in runs.items()}
    judged = {query for query, _ in judge}
    everything = set().union(people, judge, *systems.values())
    pairs = sorted(pair for pair in everything if pair[0] in judged)
    qid, docno = np.array(pairs, dtype=object).reshape(-1, 2).T

    def column(table, default):
        return np.array([table.get(pair, default) for pair in pairs], dtype=float)

    grades = (column(table, np.nan) for table in (people, judge))
    y_true, y_judge = (np.where(one < 0, np.nan, one) for one in grades)
    y_scores = {name: column(table, -np.inf) for name, table in systems.items()}
    return JudgedRuns(y_true, y_judge, y_scores, qid, docno)


def _by_pair(data, name, value):
    """Return the numbers of a table by query and document."""
    found = read_columns(data, name, value)
    pairs = zip(found.qid, found.docno.text(), strict=True)
    return dict(zip(pairs, found.value.tolist(), strict=True))
