"""Rows of a frame, and how batches of them become whole queries."""

from dataclasses import replace

import numpy as np

from sklearn_irmetrics._arrays.query_ids import as_ids, group_rows
from sklearn_irmetrics.metrics._ranking.marks import MARKS
from sklearn_irmetrics.reports.query_scores import join


class Rows:
    """Some rows of a frame.

    Parameters
    ----------
    ids : ndarray of shape (n_rows,) or (n_runs,)
        Query ids, one per row, or one per run of rows with the same id.
    lengths : int array of shape (n_runs,) or None
        How many rows each run has; None: `ids` has one per row.
    **values : ndarray of shape (n_rows,)
        By parameter: grades ``y_true`` (of subtopics ``y_true[0]``, ``y_true[1]``,
        ...), scores ``y_score``, and where they are given ``sample_weight``, marks,
        segments ``by`` and ids of documents ``doc``.
    """

    def __init__(self, ids, lengths, **values):
        self.ids, self.lengths, self.values = ids, lengths, values

    def __len__(self):
        """Return the number of rows."""
        return len(self.values["y_score"])

    @property
    def y_true(self):
        """The grades, of subtopics as columns."""
        if "y_true" in self.values:
            return self.values["y_true"]
        return np.column_stack(
            [grades for name, grades in self.values.items() if is_of_subtopic(name)]
        )

    @property
    def marks(self):
        """The marks of documents, by name."""
        return {name: self.values[name] for name in MARKS if name in self.values}

    def by_run(self):
        """Return the same with one id per run."""
        if self.lengths is not None:
            return self
        ids = as_ids(self.ids)
        starts = np.concatenate(([0], np.flatnonzero(ids[1:] != ids[:-1]) + 1))
        lengths = np.diff(starts, append=len(ids))
        return Rows(ids[starts], lengths, **self.values)

    def numbered(self):
        """Return an id for each row, and what these ids number, or None."""
        if self.lengths is None:
            return self.ids, None
        queries = group_rows(self.ids, len(self.ids))
        return np.repeat(queries.codes(), self.lengths), queries.ids

    def queries(self):
        """Return the rows grouped by query."""
        qid, names = self.numbered()
        queries = group_rows(qid, len(qid))
        return queries if names is None else replace(queries, ids=names)


def name_subtopics(columns):
    """Return the columns of grades of subtopics by the names of their parameters."""
    return {f"y_true[{place}]": name for place, name in enumerate(columns)}


def is_of_subtopic(parameter):
    """Whether a parameter is one that `name_subtopics` names."""
    return parameter.startswith("y_true[")


def check_columns(columns, there, place=None):
    """Refuse names that are not those of one column each.

    Parameters
    ----------
    columns : dict of str to str
        Names of columns by parameter.
    there : iterable of str
        The columns of the frame.
    place : str or None
        The file that is looked at, for messages.

    Returns
    -------
    list of str
        The names, each once.
    """
    there = list(there)
    for parameter, name in columns.items():
        n_found = there.count(name)
        if n_found != 1:
            several = f", which stands {n_found} times," if n_found else ""
            raise ValueError(
                f"{parameter} must name a column of the frame; got {name!r}{several} "
                f"among the columns {', '.join(map(repr, there)) or '(none)'}"
                f"{f' of {place}' if place else ''}."
            )
    return list(dict.fromkeys(columns.values()))


_ID_TYPES = "numbers, booleans, text, bytes, decimals, dates or timestamps"


def refuse_type(parameter, name, type_):
    """Refuse a column whose type is not for a parameter."""
    wanted = _ID_TYPES if parameter == "qid" else "real numbers"
    raise TypeError(
        f"{parameter} must be a column of {wanted}; column {name!r} is of type {type_}."
    )


def refuse_other_kind(name, first, other):
    """Refuse ids of two kinds, which no rule makes equal or different.

    Parameters
    ----------
    name : str
        The column of ids.
    first, other : tuple of str
        Kind of ids, their type and the place that holds them.
    """
    if first[0] != other[0]:
        raise TypeError(
            f"qid must be of one type throughout; column {name!r} is of type "
            f"{first[1]} in {first[2]} and of type {other[1]} in {other[2]}."
        )


def whole_queries(batches, batch_size):
    """Join batches so that no query is cut whose rows are adjacent.

    Parameters
    ----------
    batches : iterable of Rows
        In order.
    batch_size : int
        How many rows to join, at least.

    Yields
    ------
    Rows
        All of them in order, cut between queries.
    """
    held, n_held, enough = [], 0, batch_size
    for batch in batches:
        if n_held >= enough:
            complete, last = _cut_last_query(join_rows(held))
            if len(complete):
                yield complete
            held, n_held = [last], len(last)
            enough = max(batch_size, 2 * n_held)
        if len(batch):
            held.append(batch)
            n_held += len(batch)
    if held:
        yield join_rows(held)


def join_rows(held):
    """Return the rows of several, in order."""
    if len(held) == 1:
        return held[0]
    held = [rows.by_run() for rows in held]
    values = [rows.values for rows in held]
    return Rows(
        join([rows.ids for rows in held]),
        np.concatenate([rows.lengths for rows in held]),
        **{name: join([of_part[name] for of_part in values]) for name in values[0]},
    )


def _cut_last_query(rows):
    """Return the rows before those of the last query, and the rest."""
    rows = rows.by_run()
    others = np.flatnonzero(rows.ids != rows.ids[-1:])
    run = others[-1] + 1 if len(others) else 0
    row = int(rows.lengths[:run].sum())
    return (
        _slice(rows, slice(None, run), slice(None, row)),
        _slice(rows, slice(run, None), slice(row, None)),
    )


def _slice(rows, runs, documents):
    values = {name: column[documents] for name, column in rows.values.items()}
    return Rows(rows.ids[runs], rows.lengths[runs], **values)
