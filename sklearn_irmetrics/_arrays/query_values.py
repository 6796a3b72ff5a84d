"""One value per query, such as its group, in each form that people hold them."""

from collections.abc import Mapping

from sklearn_irmetrics._arrays.labels import check_row_order
from sklearn_irmetrics._arrays.query_ids import as_ids, as_keys, group_rows


def align_to_queries(name, given, query_ids, qid=None):
    """Return one value per query, in the order of the queries.

    Parameters
    ----------
    name : str
        What messages call the values.
    given : dict, Series or array-like
        By query id: a dict, or a Series whose index holds all ids. Anything else (also
        a Series that is numbered from 0, or has a value per row) has one value per
        query, in order, or per row, constant inside a query.
    query_ids : ndarray of shape (n_queries,)
        The ids of the queries.
    qid : array-like of shape (n_rows,) or None, default=None
        The query of each row, if there are rows.

    Returns
    -------
    list or array-like of length n_queries

    Raises
    ------
    ValueError
        If the values fit neither the ids nor a length, or vary inside a query.
    """
    if name_queries(given, query_ids):
        return _by_id(name, given, as_keys(query_ids))
    if _is_series(given):
        keys = as_keys(query_ids)
        known = set(as_keys([*given.index])).intersection(keys)
        is_numbered = [*given.index] == [*range(len(given))]
        if not is_numbered and (known or len(given) == len(keys)):
            raise ValueError(
                f"{name} must name every query in the index of the Series, in the type "
                f"of the query ids; got {len(known)} of {len(keys)}, with "
                f"{given.index[0]!r} in the index and the query {keys[0]!r}. Pass "
                f"{name}.to_numpy() if the values are in the order of the queries."
            )
    n_queries = len(query_ids)
    n_rows = n_queries if qid is None else len(as_ids(qid))
    is_text = isinstance(given, str | bytes)  # as the name of a column
    length = None if is_text else len(as_ids(given, name))
    if length == n_queries:
        return given
    if length != n_rows:
        per_row = "" if n_rows == n_queries else f", or one per row ({n_rows})"
        raise ValueError(
            f"{name} must be a dict by query id, or have one value per query "
            f"({n_queries}){per_row}; got {repr(given) if is_text else length}."
        )
    check_row_order(**{"qid": qid, name: given})
    labels = group_rows(given, n_rows, name)
    return labels.ids[group_rows(qid, n_rows).one_each(name, labels.codes())]


def name_queries(given, query_ids):
    """Whether values are by query id: a dict, or a Series whose index holds all ids."""
    if isinstance(given, Mapping):
        return True
    return _is_series(given) and set(as_keys(query_ids)) <= {*as_keys([*given.index])}


def _is_series(values):
    """Whether values have an index, as those of pandas."""
    return hasattr(values, "items") and hasattr(values, "index")


def _by_id(name, given, keys):
    """Return the values of a dict or a Series in the order of keys."""
    entries = [*given.items()]
    named = as_keys([key for key, _ in entries])
    values = dict(zip(named, (value for _, value in entries), strict=True))
    if len(values) < len(entries):
        raise ValueError(
            f"{name} must name each query once; got {len(entries)} entries for "
            f"{len(values)} ids."
        )
    lacking = [key for key in keys if key not in values]
    if lacking:
        more = f" and {len(lacking) - 5} more" if len(lacking) > 5 else ""
        raise ValueError(
            f"{name} must name every query; got {len(values)} ids, without "
            f"{', '.join(map(repr, lacking[:5]))}{more}."
        )
    return [values[key] for key in keys]
