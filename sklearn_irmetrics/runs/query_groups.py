"""Read the group of each query, such as its type or country, from a file."""

from __future__ import annotations

from numbers import Real

from sklearn_irmetrics.runs._columns import as_text
from sklearn_irmetrics.runs._formats import (
    parse_json,
    read_cells,
    read_parquet,
    refuse_utf_16,
    tell_named_columns,
)
from sklearn_irmetrics.runs._forms import find_column, holds_ids
from sklearn_irmetrics.runs._ids import decode
from sklearn_irmetrics.runs.files import open_source, source_name


def read_query_groups(source, column=None):
    """Return the group of each query, by query id as text.

    Parameters
    ----------
    source : str, path or file object
        A table with a header, records in JSON, or Parquet, with a column of query ids;
        a dict ``{qid: group}`` in JSON; or lines of query and group.
    column : str or None, default=None
        The column of groups. None: the one beside the query ids.

    Raises
    ------
    ValueError
        If there is no such column, or a query has several groups, or none.
    """
    name = source_name(source)
    with open_source(source, name) as stream:
        data = stream.read()
    refuse_utf_16(data, name)
    table = _read_columns(data, name)
    if table is None and column is None:
        table = _read_pairs(data, name)
    names = list(table or ())
    if column is not None and column not in names:
        raise ValueError(
            f"{name} must have a column {column!r}; got {names or 'none'}."
        )
    qid = find_column(names, name, "qid", None)
    if column is None:
        column = _only_other(names, qid, name)
    return _one_group_each(table[qid], table[column], name)


def _read_columns(data, name):
    """Return the columns of a file by name, None if they have no names."""
    form = tell_named_columns(data, ids=["qid"])
    if form is None:
        return None
    if form.kind == "json":
        records, *_ = parse_json(data, name)
        if not all(isinstance(record, dict) for record in records):
            raise ValueError(
                f"{name} must hold records, or a dict from query to group."
            )
        keys = [*dict.fromkeys(key for record in records for key in record)]
        if len(records) == 1 and not holds_ids(keys, None, ["qid"]):
            return {"qid": keys, "group": list(records[0].values())}
        return {key: [record.get(key) for record in records] for key in keys}
    if form.kind == "parquet":
        table = read_parquet(data, name)
        return {column: table[column].to_pylist() for column in table.column_names}
    header, rows, _ = read_cells(data, name, form.separator)
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def _read_pairs(data, name):
    """Return the columns of lines of query and group."""
    lines = [line.strip() for line in decode(data).splitlines()]
    lines = [line for line in lines if line and line[0] != "#"]
    pairs = [line.split("\t" if "\t" in line else None) for line in lines]
    for pair in pairs:
        if len(pair) != 2:
            raise ValueError(
                f"{name} must have lines of query and group, or a header with the "
                f"column qid; got {' '.join(pair)!r}."
            )
    return {"qid": [qid for qid, _ in pairs], "group": [group for _, group in pairs]}


def _only_other(names, qid, name):
    """Return the name of the column beside query ids."""
    others = [column for column in names if column != qid]
    if len(others) != 1:
        raise ValueError(
            f"{name} must have one column beside {qid!r} unless the column of groups "
            f"is named; got {others}."
        )
    return others[0]


def _one_group_each(qids, groups, name):
    """Return the group of each query; refuse a query with several, or without one."""
    try:
        qids, _ = as_text(qids, name, "query")
    except TypeError as error:  # in a file, it is not the caller's mistake
        raise ValueError(str(error)) from error
    group_of = {}
    for qid, group in zip(qids, groups, strict=True):
        if not isinstance(group, str | Real) or group == "" or group != group:
            raise ValueError(
                f"{name} must have a group for each query, a text or a number; got "
                f"{group!r} for query {qid!r}."
            )
        if group_of.setdefault(qid, group) != group:
            raise ValueError(
                f"{name} must have one group for each query; got {group_of[qid]!r} and "
                f"{group!r} for query {qid!r}."
            )
    return group_of
