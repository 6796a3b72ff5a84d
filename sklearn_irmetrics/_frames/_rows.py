"""Rows of a frame, and how batches of them become whole queries."""

from dataclasses import dataclass

import numpy as np

from sklearn_irmetrics._core.queries import as_ids, group_rows


@dataclass(frozen=True)
class Rows:
    """Some rows of a frame.

    Attributes
    ----------
    ids : ndarray of shape (n_rows,) or (n_runs,)
        Query ids, one per row, or one per run of rows with the same id.
    lengths : int array of shape (n_runs,) or None
        How many rows each run has; None: `ids` has one per row.
    y_true, y_score : array-like of shape (n_rows,)
        Grades and scores.
    sample_weight : array-like of shape (n_rows,) or None
        Weights of queries.
    """

    ids: np.ndarray
    lengths: np.ndarray | None
    y_true: object
    y_score: object
    sample_weight: object = None

    def __len__(self):
        """Return the number of rows."""
        return len(self.y_score)

    def by_run(self):
        """Return the same with one id per run."""
        if self.lengths is not None:
            return self
        ids = as_ids(self.ids)
        starts = np.concatenate(([0], np.flatnonzero(ids[1:] != ids[:-1]) + 1))
        lengths = np.diff(starts, append=len(ids))
        return Rows(ids[starts], lengths, self.y_true, self.y_score, self.sample_weight)

    def numbered(self):
        """Return an id for each row, and what these ids number, or None."""
        if self.lengths is None:
            return self.ids, None
        queries = group_rows(self.ids, len(self.ids))
        return np.repeat(queries.codes(), self.lengths), queries.ids


def check_columns(columns, there):
    """Refuse names that are not those of one column each.

    Parameters
    ----------
    columns : dict of str to str
        Names of columns by parameter.
    there : iterable of str
        The columns of the frame.

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
                f"among the columns {', '.join(map(repr, there)) or '(none)'}."
            )
    return list(dict.fromkeys(columns.values()))


def refuse_null_ids(name, n_nulls):
    """Refuse query ids that are missing."""
    if n_nulls:
        raise ValueError(
            f"qid must not contain missing values; column {name!r} has {n_nulls}."
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
            complete, last = _cut_last_query(_join(held))
            if len(complete):
                yield complete
            held, n_held = [last], len(last)
            enough = max(batch_size, 2 * n_held)
        if len(batch):
            held.append(batch)
            n_held += len(batch)
    if held:
        yield _join(held)


def _join(held):
    if len(held) == 1:
        return held[0]
    held = [rows.by_run() for rows in held]
    weighted = held[0].sample_weight is not None
    names = ["ids", "lengths", "y_true", "y_score", *["sample_weight"] * weighted]
    return Rows(
        **{
            name: np.concatenate([getattr(rows, name) for rows in held])
            for name in names
        }
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
    weights = rows.sample_weight
    return Rows(
        rows.ids[runs],
        rows.lengths[runs],
        rows.y_true[documents],
        rows.y_score[documents],
        None if weights is None else weights[documents],
    )
