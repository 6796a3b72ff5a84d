"""Map documents of a run to the ids of the judgments."""

from dataclasses import replace

import numpy as np

from sklearn_irmetrics._core.parameters import check_option
from sklearn_irmetrics.runs._columns import as_text, check_columns
from sklearn_irmetrics.runs._ids import TextIds, number_ids

MERGES = "max", "first", "sum"


def check_mapping(docno, merge):
    """Refuse a `docno` that is not a function, and `merge` without `docno`."""
    if docno is not None and not callable(docno):
        raise TypeError(f"docno must be a function of an id, or None; got {docno!r}.")
    if merge is not None:
        check_option("merge", merge, MERGES)
        if docno is None:
            raise ValueError(f"merge must be None without docno; got {merge!r}.")


def map_documents(found, docno, merge):
    """Return the columns of a run with mapped document ids; merge equal ones.

    Parameters
    ----------
    found : Columns
        The run, checked.
    docno, merge : callable or None, str or None
        As for `score_run`.
    """
    if docno is None:
        return found
    old = found.docno.text()
    ids, _ = as_text(list(map(docno, old)), "docno", "document")
    ids, (_, number) = np.array(ids, dtype=object), number_ids(ids)
    pair = found.query * (len(ids) + 1) + number
    _, first, group = np.unique(pair, return_index=True, return_inverse=True)
    if len(first) == len(ids):
        return replace(found, docno=TextIds(ids))
    if merge is None:
        again = int(np.flatnonzero(first[group] != np.arange(len(ids)))[0])
        before = first[group[again]]
        raise ValueError(
            "docno must map the documents of a query to different ids unless merge "
            f"combines them; got {ids[again]!r} for {old[before]!r} and "
            f"{old[again]!r} of query {found.qid[again]!r}. Pass merge='max' to use "
            "the best of their scores."
        )
    value = found.value[first]
    if merge != "first":
        join, start = {"max": (np.maximum, -np.inf), "sum": (np.add, 0.0)}[merge]
        value = np.full(len(first), start)
        # Add in score order, so the same scores always have the same sum.
        order = np.argsort(found.value)
        with np.errstate(over="ignore", invalid="ignore"):
            join.at(value, group[order], found.value[order])
    merged = replace(
        found, query=found.query[first], docno=TextIds(ids[first]), value=value
    )
    return check_columns(merged, "run", "score")
