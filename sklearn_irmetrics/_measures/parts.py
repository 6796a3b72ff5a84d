"""Values and ids of queries that come in parts."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sklearn_irmetrics._core.aggregate import quietly
from sklearn_irmetrics._measures.measure import as_measure


@dataclass(frozen=True)
class Scored:
    """Values of some queries.

    Attributes
    ----------
    query_ids : ndarray of shape (n_queries,)
        The ids.
    values : dict of str to ndarray of shape (n_queries,) or (n_rows, n_queries)
        By label of the measure, as `values_per_query` returns them; see `count_rows`.
    weights : float64 array of shape (n_queries,) or None
        One weight per query.
    """

    query_ids: np.ndarray
    values: dict
    weights: np.ndarray | None

    def take(self, queries):
        """Return the values of some queries, by number or mask."""
        return Scored(
            self.query_ids[queries],
            {label: values[..., queries] for label, values in self.values.items()},
            None if self.weights is None else self.weights[queries],
        )


def count_rows(measure):
    """Return how many numbers a measure keeps for each query.

    Sets keep four counts, and whether their documents were ranked; micro averages keep
    the value and two counts; others keep the value.
    """
    if measure.metric.kind == "set":
        return 5
    return 3 if measure.average == "micro" else 1


def concatenate(parts, *, release=False):
    """Return the `Scored` of the queries of all parts, in order.

    With `release`, the list is emptied and parts drop what has been copied, so little
    is in memory twice.
    """
    values, weights = {}, None
    for label in list(parts[0].values):
        values[label] = np.concatenate([part.values[label] for part in parts], axis=-1)
        for part in parts if release else ():
            del part.values[label]
    if parts[0].weights is not None:
        weights = np.concatenate([part.weights for part in parts])
    ids = [part.query_ids for part in parts]
    if release:
        parts.clear()
    if {one.dtype.kind for one in ids} != {"T"}:
        return Scored(join(ids), values, weights)
    joined, start = np.empty(sum(map(len, ids)), ids[0].dtype), 0
    while ids:
        one = ids.pop(0)
        joined[start : start + len(one)] = one
        start += len(one)
    return Scored(joined, values, weights)


def join(parts):
    """Join arrays without changing any value.

    Numbers that no common NumPy type can hold become Python numbers.
    """
    if len(parts) == 1:
        return parts[0]
    joined = np.concatenate(parts)
    ends = np.cumsum([len(part) for part in parts])
    is_known = joined.dtype.kind in {part.dtype.kind for part in parts}
    if is_known and all(map(_is_same, parts, np.split(joined, ends[:-1]))):
        return joined
    if joined.dtype.kind in "mM":
        raise ValueError(
            "times must fit into one NumPy unit; got "
            f"{', '.join(sorted({str(part.dtype) for part in parts}))}."
        )
    return np.concatenate([part.astype(object) for part in parts])


def _is_same(part, joined):
    """Whether values are unchanged by a change of type."""
    if joined.dtype in (part.dtype, np.dtype("O")):
        return True
    with np.errstate(invalid="ignore"):
        again = joined.astype(part.dtype)
    return bool(np.all((again == part) | (part != part)))


def compact(ids):
    """Return ids, strings without a Python object for each."""
    if ids.dtype == object and set(map(type, ids.tolist())) == {str}:
        return ids.astype(np.dtypes.StringDType())
    return ids


def kind_of_ids(ids):
    """Return the kind of ids, to compare it: numbers, text or a type."""
    kind = ids.dtype.kind
    if kind in "iuf":
        return "numbers"
    if kind in "UT":
        return "str"
    if kind != "O":
        return ids.dtype.name.partition("[")[0]
    names = {type(one).__name__ for one in ids.tolist()}
    return " or ".join(
        sorted({"numbers" if n in ("int", "float") else n for n in names})
    )


def refuse_other_ids(ids, others):
    """Refuse ids of another kind than earlier ones."""
    first, other = kind_of_ids(ids), kind_of_ids(others)
    if first != other:
        raise TypeError(
            f"qid must be of one type in all parts; got {first} and then {other}."
        )


def repeated_id(parts):
    """Return an id that occurs several times in arrays of ids, or None.

    Ids that rise throughout do not repeat. Others are compared by hashes of 8 bytes,
    and directly if these are equal.
    """
    parts = [part for part in parts if len(part)]
    if all(map(_are_rising, parts)) and all(
        one[-1] < other[0] for one, other in pairwise(parts)
    ):
        return None
    hashes = np.empty(sum(map(len, parts)), np.int64)
    chunks = [
        part[start : start + _AT_ONCE]
        for part in parts
        for start in range(0, len(part), _AT_ONCE)
    ]
    start = 0
    for chunk in chunks:
        hashes[start : start + len(chunk)] = [*map(hash, chunk.tolist())]
        start += len(chunk)
    ordered = np.sort(hashes)
    again = ordered[1:][ordered[1:] == ordered[:-1]]
    ends, seen = np.cumsum([len(part) for part in parts]), set()
    for place in np.flatnonzero(np.isin(hashes, again)).tolist() if len(again) else ():
        part = int(np.searchsorted(ends, place, side="right"))
        one = parts[part][place - ends[part] :][:1].tolist()[0]
        if one in seen:
            return one
        seen.add(one)
    return None


_AT_ONCE = 1 << 16


def _are_rising(ids):
    return ids.dtype.kind in "biufMmTU" and bool((ids[1:] > ids[:-1]).all())


def measure_behind(scored, label):
    """Return the measure behind a label of `QueryScores`."""
    text = (scored.metrics or {}).get(label, label)
    try:
        return as_measure(text)
    except ValueError:  # an argument is a function
        return as_measure(text.partition("(")[0])


def check_part(first, part):
    """Refuse a part that cannot be joined with the first."""
    if part.metrics != first.metrics or list(part.scores) != list(first.scores):
        one, other = (found.metrics or list(found.scores) for found in (first, part))
        raise ValueError(
            f"parts must be of the same measures and rules; got {one} and {other}."
        )
    if (part.weights is None) != (first.weights is None):
        raise ValueError("parts must all have weights of queries, or none.")
    refuse_other_ids(first.query_ids, part.query_ids)
    for label in part.mean:
        check_average("parts", part, label)


def check_average(name, scored, label):
    """Refuse an average that does not follow from the scores and weights."""
    with quietly():
        again = scored._average(label)
    mean = scored.mean.get(label, again)
    if not np.isclose(again, mean, rtol=1e-6, atol=1e-12, equal_nan=True):
        raise ValueError(
            f"{name} must have the average of their scores; the {label} of one "
            f"is {mean:.4g} and its scores have {again:.4g}."
        )


def join_arrays(arrays):
    """Return the joined columns of several arrays, None if they are None."""
    if arrays[0] is None:
        return None
    return np.concatenate(arrays, axis=-1)


def join_by_label(parts):
    """Return the joined columns of several parts by label."""
    return {label: join_arrays([part[label] for part in parts]) for label in parts[0]}
