"""Ids are one where Python says so; every way to number them gives the same queries."""

import datetime
import itertools
from collections import deque
from decimal import Decimal
from functools import cache
from importlib.util import find_spec
from uuid import UUID

import numpy as np
import pytest

import sklearn_irmetrics as irm
from sklearn_irmetrics.comparison import compare
from sklearn_irmetrics.model_selection import HoldoutSplit

NAN = float("nan")
NOON = datetime.datetime(2020, 1, 1, 12, tzinfo=datetime.UTC)
EASTERN = datetime.timezone(datetime.timedelta(hours=2))


def numbered(ids):
    """Number ids by first appearance, as a dict does."""
    place = {}
    return [place.setdefault(id_, len(place)) for id_ in ids]


def group(ids, n_rows):
    """Return the ids of the queries."""
    return irm.score_queries(np.ones(n_rows), np.ones(n_rows), "p@1", qid=ids).query_ids


def check(ids, expected):
    """Check which rows each query holds, by sums of their grades; return the ids."""
    grades = np.random.default_rng(0).random(len(expected))
    found = irm.score_queries(grades, grades + 1.0, "cg", qid=ids)
    np.testing.assert_allclose(found.scores["cg"], np.bincount(expected, grades))
    return found.query_ids


# What is one id -----------------------------------------------------------------------

ALIKE = [
    ["a", "a\0", "a"],
    [b"\x01", b"\x01\0", b"\x01"],
    [5, 2**63 + 1, 2**63 + 2],
    [-1, 2**63, 2**63 + 1],
    [1, 2**64, 2**64 + 1],
    [2**53, 2**53 + 1, 0.5],
    [1, "1", b"1"],
    [(1,), (1, 2), 1],
    ["é", "e\u0301", "E"],
    [np.str_("a"), np.str_("a\0"), np.str_("a")],
    [np.uint64(2**63 + 1), np.int64(5), np.uint64(2**63 + 2)],
    [Decimal("0.1"), 0.1, Decimal("0.10")],
    [1, True, 1.0],
    [0.0, -0.0, False],
    [NOON, NOON.astimezone(EASTERN), NOON.replace(tzinfo=None)],
    [UUID(int=1), UUID(int=1), UUID(int=2)],
    [frozenset([1]), frozenset([1]), frozenset()],
]


@pytest.mark.parametrize("ids", ALIKE, ids=repr)
@pytest.mark.parametrize("form", [list, tuple, deque, "objects"])
def test_ids_are_one_where_python_says_so(ids, form):
    expected = numbered(ids)
    if form == "objects":
        given = np.empty(3, dtype=object)
        given[:] = ids
    else:
        given = form(ids)
    ids_of = check(given, expected)
    assert [expected[ids.index(id_)] for id_ in ids_of] == list(range(len(ids_of)))


@pytest.mark.parametrize("ids", ALIKE[:7], ids=repr)
def test_ids_from_elsewhere_keep_apart_too(ids):
    expected = numbered(ids)
    for split in HoldoutSplit(random_state=0).split(np.zeros(3), groups=ids):
        train, test = ({expected[row] for row in rows} for rows in split)
        assert not train & test


def test_ids_in_other_libraries_keep_apart():
    pa, pd, pl = map(pytest.importorskip, ("pyarrow", "pandas", "polars"))
    texts, numbers = ["a", "a\0", "a"], [2**53, 2**53 + 1, 2**53]
    texts_as_array = np.array(texts, dtype=np.dtypes.StringDType())
    for library in (pa.array, pd.Series, pl.Series):
        for ids in (texts, numbers):
            check(library(ids), [0, 1, 0])
    check(texts_as_array, [0, 1, 0])
    check(pd.Series(numbers, dtype="Int64", index=[3, 3, 1]), [0, 1, 0])
    # Texts that end in NUL are one category in older versions of pandas.
    check(pd.Series([b"a", b"a\0", b"a"], dtype="category"), [0, 1, 0])
    check(pa.chunked_array([texts[:1], texts[1:]]), [0, 1, 0])
    check(pa.array(texts).dictionary_encode(), [0, 1, 0])
    check(pa.chunked_array([texts[:1], texts[1:]]).dictionary_encode(), [0, 1, 0])
    stamps = pd.Series([NOON, NOON.astimezone(EASTERN), NOON.replace(hour=1)])
    check(stamps, [0, 0, 1])


# What is missing ----------------------------------------------------------------------

MISSING = {
    "None": ["a", None, None],
    "NaN": [1.0, NAN, NAN],
    "NaN beside all else": ["a", NAN, b"a", 1, True],
    "NaN beside text": ["a", NAN],
    "complex NaN": [1j, complex(0, NAN)],
    "Decimal": [Decimal(1), Decimal("nan")],
    "NaT": np.array(["2020", "NaT"], "M8[D]"),
    "no time": np.array([1, "NaT"], "m8[s]"),
    "NaT as an object": np.array([1, np.datetime64("NaT", "ns")], object),
    "part of a tuple": [(1, 2), (1, NAN)],
    "part of a record": np.array([(1, 2), (1, NAN)], [("a", int), ("b", float)]),
    "float16": np.array([1, NAN], "f2"),
    "longdouble": np.array([1, NAN], np.longdouble),
    "swapped": np.array([1, NAN], ">f4"),
    "text": np.array(["a", None], np.dtypes.StringDType(na_object=None)),
    "text with NaN": np.array(["a", NAN], np.dtypes.StringDType(na_object=NAN)),
}


@pytest.mark.parametrize("case", MISSING)
def test_missing_ids_are_refused(case):
    message = "qid must not contain missing values; got one in row 1"
    with pytest.raises(ValueError, match=message):
        group(MISSING[case], len(MISSING[case]))


def test_missing_ids_of_other_libraries_are_refused():
    pa, pd, pl = map(pytest.importorskip, ("pyarrow", "pandas", "polars"))
    missing = [
        pd.Series([1, None], dtype="Int64"),
        pd.Series([2**60, None], dtype="Int64"),
        pd.Series(["a", None], dtype="string"),
        pd.Series(["a", None], dtype="category"),
        pd.Series([NOON, None]),
        [1, pd.NA],
        [(1, 1), (1, pd.NA)],
        [pd.Timestamp(0), pd.NaT],
        pl.Series([1, None]),
        pl.Series(["a", None]),
        pa.array([1, None]),
        pa.array(["a", None]).dictionary_encode(null_encoding="encode"),
        pa.chunked_array([["a", None]]).dictionary_encode(),
        pa.chunked_array([[1, None]]).dictionary_encode(),
    ]
    for ids in missing:
        with pytest.raises(ValueError, match="missing values; got one in row 1"):
            group(ids, 2)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (np.ma.array([1, 1], mask=[0, 1]), "qid must not be a masked array"),
        ([1, np.ma.masked], "qid must hold hashable ids"),
        ([Decimal(1), Decimal("sNaN")], "qid must hold hashable ids.*signaling NaN"),
        ([[1], "a"], "qid must hold hashable ids.*unhashable type: 'list'"),
        (np.array([np.zeros(2), None], object), "hashable ids.*'numpy.ndarray'"),
        ((id_ for id_ in [1, 2]), "must be an array or a sequence; got a generator"),
        ({1, 2}, "qid must be an array or a sequence; got a set"),
    ],
    ids=["masked", "mask", "sNaN", "list", "array", "generator", "set"],
)
def test_what_is_no_id_is_refused(ids, message):
    with pytest.raises(TypeError, match=message):
        group(ids, 2)


def test_tensors_of_ids():
    torch = pytest.importorskip("torch")
    grades = torch.tensor([1.0, 2.0, 4.0])

    def sums(*ids):
        found = irm.score_queries(grades, grades, "cg", qid=torch.tensor(ids))
        return found.scores["cg"].tolist()

    assert sums(0.0, -0.0, 1.0) == [3, 4]
    assert sums(2**62, 2**62 + 1, 2**62) == [5, 2]
    with pytest.raises(ValueError, match="missing values; got one in row 2"):
        sums(1.0, 2.0, NAN)
    assert sums(1j, 2j, 1j) == [5, 2]


# Shortcuts at their edges -------------------------------------------------------------

INTEGERS = [np.dtype(letter) for letter in "bBhHiIlLqQ"]


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_both_ends_of_an_integer_type_are_different_ids(dtype):
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    ids = [high, low, high, low + 1, high - 1] * 40
    for repeats in (1, 5):  # scattered rows, and stretches of them
        given = np.repeat(np.array(ids, dtype), repeats)
        check(given, np.repeat(numbered(ids), repeats).tolist())


KINDS = {
    "objects": lambda ids: np.array(ids, dtype=object),
    "list": list,
    "floats": lambda ids: np.array(ids, dtype=float),
    "texts": lambda ids: [f"{i}" for i in ids],
    "fixed": lambda ids: np.array([f"{i}" for i in ids]),
    "bytes": lambda ids: np.array([f"{i}" for i in ids], "S"),
    "wide": lambda ids: np.array(ids) * 10**15,
    "tuples": lambda ids: [(i, "x") for i in ids],
    "dates": lambda ids: np.array(ids, "M8[D]"),
    "records": lambda ids: np.array([(i, 0.0) for i in ids], "i8,f4"),
    "complex": lambda ids: np.array(ids) * 1j,
    "small": lambda ids: np.array(ids, np.int8),
    "about 2**63": lambda ids: np.array([2**63 + i for i in ids], np.uint64),
}
PATTERNS = {
    "one row": [7],
    "two rows": [7, 3],
    "all equal": [5] * 12,
    "all distinct, rising": list(range(-6, 6)),
    "all distinct, falling": list(range(6, -6, -1)),
    "falling": [3, 3, 2, 1],
    "a span of most of a byte": [*range(100, -101, -1), 100],
    "adjacent": [4, 4, 4, 1, 1, 9, 9, 9, 9],
    "half as many stretches as rows": [1, 1, 2, 2, 1, 1, 3, 3],
    "one stretch more": [1, 1, 2, 2, 1, 1, 3, 4],
    "again": [1, 2, 1, 2, 3, 1],
    "rising pieces": [*range(4)] * 16,
    "more rising pieces": [*range(4)] * 17,
    **{f"a span of {span}": [span + 2, 5, 3, 9, 5] for span in (19, 20, 21)},
}


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_id_gives_the_same_queries(pattern, kind):
    ids = PATTERNS[pattern]
    check(KINDS[kind](ids), numbered(ids))


def test_zeros_with_and_without_a_sign_are_one_id():
    for dtype in (float, np.float16, np.longdouble, complex, "f4,f8"):
        ids = np.zeros(3, dtype)
        if ids.dtype.names is None:
            ids[1] = -ids[1]
        check(ids, [0, 0, 0])
    check(np.array([(0.0, 1), (-0.0, 1)], "f8,i8"), [0, 0])


def test_times_of_several_units_stay_what_they_are():
    times = [np.datetime64("2570-01-01", "D"), np.datetime64("2020-01-01", "ns")]
    # What 2570 becomes where nanoseconds overflow.
    times.append(np.datetime64("1985-06-13T00:25:26.290448384", "ns"))
    assert group(times, 3)[0] == times[0]


# Ids of two queries, "5" and "6" of a kind, by type.
FIRST = datetime.datetime(2020, 1, 5)
DAYS = [FIRST, datetime.datetime(2020, 1, 6)]
STAMPS = np.array(DAYS, "M8[us]")
LENGTHS = (STAMPS - np.datetime64("2019-12-31")).astype("m8[s]")  # 5 and 6 days
TIMES = {
    **{f"M8[{unit}]": STAMPS.astype(f"M8[{unit}]") for unit in ("D", "h", "s", "ns")},
    "M8[25s]": STAMPS.astype("M8[25s]"),
    "datetimes": DAYS,
    "dates": [day.date() for day in DAYS],
    "scalars of two units": [*STAMPS[:1].astype("M8[ns]"), *STAMPS[1:]],
}
DURATIONS = {
    **{f"m8[{unit}]": LENGTHS.astype(f"m8[{unit}]") for unit in ("D", "us", "ns")},
    "timedeltas": [datetime.timedelta(days) for days in (5, 6)],
}
if find_spec("pandas"):
    import pandas as pd

    TIMES["Timestamps"] = [*map(pd.Timestamp, DAYS)]
    TIMES["Series"] = pd.Series(STAMPS.astype("M8[ns]"))
    DURATIONS["Timedeltas"] = [pd.Timedelta(days, "D") for days in (5, 6)]
OTHERS = {
    "ns as integers": STAMPS.astype("M8[ns]").astype(int),
    "us as integers": STAMPS.astype(int),
    "days as integers": [5, 6],
    "text": STAMPS.astype(str),
    "texts": ["5", "6"],
    "zone": [day.replace(tzinfo=datetime.UTC) for day in DAYS],
}
EVERY_KIND = TIMES | DURATIONS | OTHERS
KIND = dict.fromkeys(TIMES, 1) | dict.fromkeys(DURATIONS, 2)
KIND |= dict.fromkeys(list(OTHERS)[:3], 3) | dict.fromkeys(["text", "texts"], 4)


def subset(ids, which):
    return [ids[i] for i in which] if isinstance(ids, list) else ids[which]


def stream(ids, which):
    evaluator = irm.streaming.StreamingEvaluator("cg")
    which = list(which)
    evaluator.update([1.0] * len(which), which, qid=subset(ids, which))
    return evaluator


@cache
def scores_of(name, which):
    """Return scores of one or both queries of a kind of ids."""
    values = [1 + i for i in which]
    qid = subset(EVERY_KIND[name], list(which))
    return irm.score_queries(values, values, "cg", qid=qid)


@pytest.mark.parametrize(("one", "other"), [*itertools.product(EVERY_KIND, repeat=2)])
def test_one_moment_is_one_query_in_parts_of_every_type(one, other):
    ids, others = EVERY_KIND[one], EVERY_KIND[other]
    of_one_kind = KIND.get(one, one) == KIND.get(other, other)
    are_equal = of_one_kind and (KIND.get(one) != 3 or one == other)
    are_equal &= KIND.get(one) != 4 or one == other
    both = irm.score_queries([1, 2, 3, 4], [1, 2, 3, 4], "cg", qid=[*ids, *others])
    assert len(both.query_ids) == (2 if are_equal else 4)
    a, b = (scores_of(name, (0, 1)) for name in (one, other))
    found = [scores_of(one, (0,)), scores_of(other, (1,))]
    if not of_one_kind:
        evaluator = stream(ids, [0])
        with pytest.raises(TypeError, match="qid must be of one type"):
            evaluator.update([1], [1], qid=subset(others, [1]))
        with pytest.raises(TypeError, match="qid must be of one type"):
            evaluator.merge(stream(others, [1]))
        with pytest.raises(TypeError, match="qid must be of one type"):
            irm.reports.QueryScores.concat(found)
    else:
        joined = irm.reports.QueryScores.concat(found)
        assert len(joined.query_ids) == 2
        np.testing.assert_array_equal(joined.scores["cg"], [1, 2])
        evaluator = stream(ids, [0])
        evaluator.merge(stream(others, [1]))
        assert evaluator.compute().n_defined == {"cg": 2}
    if not are_equal:
        with pytest.raises(ValueError, match="results must cover the same queries"):
            compare({"a": a, "b": b})
        return
    np.testing.assert_array_equal(compare({"a": a, "b": b}).estimate, 0)
    by = dict(zip(subset(ids, [0, 1]), "xx", strict=True))
    assert [*compare({"a": a, "b": b}, by=by)] == ["x"]
    with pytest.raises(ValueError, match="parts must not share a query; "):
        irm.reports.QueryScores.concat([a, b])
    evaluator = stream(ids, [0, 1])
    with pytest.raises(ValueError, match="each query in one part"):
        evaluator.update([1], [1], qid=subset(others, [1]))
    evaluator = stream(ids, [0])
    with pytest.raises(ValueError, match="each query in one part"):
        evaluator.merge(stream(others, [0]))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.array([b"q9"]), np.array([b"q10"])),
        (np.array([b"q9"]), [b"q10"]),
        (["q9"], [np.str_("q10")]),
        ([9], [np.int64(10)]),
        ([9.5], [np.float32(10)]),
        (np.array([9j], "c8"), [10j]),
    ],
)
def test_ids_of_one_kind_join_in_arrays_of_every_type(one, other):
    given = np.array([*other, None])[:1]  # of objects
    assert given.dtype == object
    for ids in (other, given):
        parts = [irm.score_queries([1], [1], "cg", qid=qid) for qid in (one, ids)]
        joined = irm.reports.QueryScores.concat(parts)
        assert joined.query_ids.tolist() == [*one, *other]
        evaluator = stream(one, [0])
        evaluator.update([1], [1], qid=ids)
        evaluator = stream(one, [0])
        evaluator.merge(stream(ids, [0]))
        evaluator = stream(ids, [0])
        with pytest.raises(ValueError, match="each query in one part"):
            evaluator.update([1], [1], qid=given)


@pytest.mark.parametrize("name", ["by", "groups"])
@pytest.mark.parametrize(("one", "other"), [*itertools.product(TIMES, repeat=2)])
def test_one_moment_is_one_segment_and_group_of_every_type(one, other, name):
    evaluator = irm.streaming.StreamingEvaluator("cg")
    for number, labels in enumerate((TIMES[one], TIMES[other])):
        qid = [2 * number, 2 * number + 1]
        evaluator.update([1, 2], [1, 2], qid=qid, **{name: labels})
    found = evaluator.compute()
    assert len(found.state) == 2
    if name == "by":
        assert found.segments == ["2020-01-05", "2020-01-06"]


def test_ids_of_libraries_that_have_no_array_for_them():
    pl = pytest.importorskip("polars", minversion="2.0")  # others lack Int128 in NumPy
    ids = pl.Series([2**100, 1, 2**100], dtype=pl.Int128)
    assert group(ids, 3).tolist() == [2**100, 1]


def test_float16_of_other_libraries_overflows_nowhere():
    pa = pytest.importorskip("pyarrow")
    ids = pa.array(np.array([1, 2, 1], "f2"))
    assert len(group(ids, 3)) == 2


def test_tensors_of_ids_beside_arrays():
    torch = pytest.importorskip("torch")
    ids = torch.tensor([1.0, 2.0], requires_grad=True)
    assert group(ids, 2).tolist() == [1, 2]


def test_all_orders_of_few_ids_against_a_dict():
    """Falling, rising, repeated: by tables, by sorting, as text and as objects."""
    for n in (1, 2, 3, 4):
        for ids in itertools.product(range(3), repeat=n):
            expected = numbered(ids)
            ids = np.array(ids)
            for kind in (ids, ids * 1e9, 2**40 * ids, -ids, ids.astype(str)):
                check(kind, expected)
            check(ids.tolist(), expected)
            check(ids.astype(object), expected)


def test_ids_keep_their_kind():
    assert group([3, 1, 3], 3).dtype.kind == "i"
    assert group([3.5, 1.0], 2).dtype.kind == "f"
    assert group(["a", "b"], 2).tolist() == ["a", "b"]
    # Python tells these apart, one array of numbers would not.
    check([2**53, 2**53 + 1, 2.0**53], [0, 1, 0])
    check([2**53 + 1, complex(2**53), 2**53], [0, 1, 1])
    check([np.str_("1"), 1, "1"], [0, 1, 0])
