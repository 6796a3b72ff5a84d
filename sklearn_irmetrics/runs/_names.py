"""Names of the columns of tables and tuples."""

from collections.abc import Mapping

NAMES = {
    "qid": ("qid", "query_id", "q_id", "query-id"),
    "docno": ("docno", "doc_id", "docid", "corpus-id", "corpus_id"),
    "grade": ("grade", "relevance", "rel", "label"),
    "score": ("score",),
    "subtopic": ("subtopic", "subtopic_id"),
}
# Used only if none of those above exists.
_LAST = {"grade": ("score",)}


def check_column_names(columns):
    """Return the given names of columns, by what they hold."""
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise TypeError(
            "columns must be a dict such as {'grade': 'relevance'}, or None; got "
            f"{columns!r}."
        )
    for key, name in columns.items():
        if key not in NAMES:
            raise ValueError(
                f"columns must have keys among {', '.join(map(repr, NAMES))}; got "
                f"{key!r}."
            )
        if not isinstance(name, str):
            raise TypeError(f"columns must hold names; got {name!r} for {key!r}.")
    return dict(columns)


def find_column(names, data, wanted, columns):
    """Return the name of the column that holds ids, grades, scores or subtopics.

    Parameters
    ----------
    names : list
        The names of all columns.
    data : {"qrels", "run"} or name of a file
        What errors call it.
    wanted : str
        A key of `NAMES`.
    columns : dict of str to str or None
        Names given by the caller, which take precedence if there is such a column.

    Raises
    ------
    ValueError
        If there is no such column, or there are several.
    """
    given = (columns or {}).get(wanted)
    known = (given,) if given in names else NAMES[wanted]
    found = [name for name in known if name in names]
    found = found or [name for name in _LAST.get(wanted, ()) if name in names]
    if len(found) > 1:
        raise ValueError(
            f"{data} has several columns of one kind, {found[0]!r} and {found[1]!r}; "
            f"choose one by columns={{{wanted!r}: {found[0]!r}}}."
        )
    if not found:
        raise ValueError(
            f"{data} must have a column {' or '.join(map(repr, known))}; got the "
            f"columns {list(names)}."
        )
    return found[0]
