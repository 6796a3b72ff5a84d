"""Columns of every type in `score_frame`: exactly what they hold, or refused by name.

Oracle: `score_queries` of the same rows with the integers 0, 1, 2 as ids or scores.
"""

import datetime
import re
from decimal import Decimal

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from oracles.frames import COLUMNS
from sklearn_irmetrics import score_queries
from sklearn_irmetrics.frames import score_frame

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
ds = pytest.importorskip("pyarrow.dataset")
pc = pytest.importorskip("pyarrow.compute")
pq = pytest.importorskip("pyarrow.parquet")

WHICH = np.array([0, 0, 1, 2, 1, 2, 0, 2])
GRADES = np.array([0, 1, 1, 0, 0, 0, 0, 1])
SCORES = np.array([3, 2, 3, 3, 2, 2, 1, 1])
RECIPROCAL_RANKS = [1 / 2, 1, 1 / 3]
BIG = 2**62
LIBRARIES = {"arrow": pa.table, "polars": pl.DataFrame, "pandas": pd.DataFrame}


def table_of(library, query=WHICH, grade=GRADES, score=SCORES, **others):
    columns = {"query": query, "grade": grade, "score": score, **others}
    return LIBRARIES[library](columns)


def forms(table):
    """A table in memory, and a stream of it."""
    streams = [one for one in ("to_reader", "lazy") if hasattr(table, one)]
    return [table, *(getattr(table, one)() for one in streams)]


def score(frame, metrics="rr", **options):
    return score_frame(frame, metrics, **COLUMNS, **options)


def assert_three_queries(got, ids=None):
    want = score_queries(GRADES, SCORES, "rr", qid=WHICH)
    assert want.scores["rr"].tolist() == RECIPROCAL_RANKS
    assert got.scores["rr"].tolist() == RECIPROCAL_RANKS
    if ids is not None:
        assert got.query_ids.tolist() == ids


def take(three, which):
    """Rows of three values, however a type refuses to be taken from."""
    if isinstance(three, pl.Series):
        return three.gather(which)
    if isinstance(three, pd.Series):
        return three.take(which).reset_index(drop=True)
    pieces = [three.slice(i, 1) for i in which]
    try:
        return pa.concat_arrays(pieces)
    except (pa.ArrowInvalid, NotImplementedError):
        return pa.chunked_array(pieces)


def columns_of(**by_library):
    """Every column of tables by library, as parameters of a test."""
    cases = [
        pytest.param(library, column, id=f"{library}-{name}")
        for library, columns in by_library.items()
        for name, column in (
            columns.items() if isinstance(columns, dict) else enumerate(columns)
        )
    ]
    return pytest.mark.parametrize(("library", "column"), cases)


def view(type_, integers=(1, 2, 3)):
    """Three values of a type that shares its memory with integers."""
    stored = np.array(integers, f"i{type_.bit_width // 8}")
    return pa.Array.from_buffers(type_, 3, [None, pa.py_buffer(stored)])


def extension(type_, storage):
    return pa.ExtensionArray.from_storage(type_, storage)


class OwnType(pa.ExtensionType):
    def __init__(self):
        super().__init__(pa.int64(), "tests.own")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type, serialized):
        return cls()


def stored(dtype):
    return pl.Series([1, 2, 10**9 + 1], dtype=pl.Int64).cast(dtype)


def objects(values):
    """A column of Python's objects, as they are."""
    return pd.Series([*values], dtype=object)


def with_cents(whole):
    return [Decimal(f"{whole}.{i:02}") for i in range(3)]


def encoded(values):
    return pa.DictionaryArray.from_arrays([1, 0, 2], values)


TEXTS = ["é", "e\u0301", "e\u0301\0"]
BYTES = [b"\x01", b"\x01\0", b""]
DECIMALS = [Decimal("1.10"), Decimal("1.11"), Decimal("-1.10")]
DAYS = [datetime.date(1, 1, 1), datetime.date(2024, 2, 29), datetime.date(2024, 3, 1)]
TIMES = np.array([0, 1, 10**15])
OF_UUIDS = pa.array([bytes(16), b"\1" * 16, b"\2" * 16], pa.uuid())
CENTS = [Decimal(0), Decimal("0.01"), Decimal("0.02")]
LARGEST = [0, 2**53 - 2, 2**53 - 1]

# Three distinct ids of every type; those that look most alike.
IDS = {
    "int8": pa.array([0, 1, -128], pa.int8()),
    "uint32": pa.array([0, 1, 2**32 - 1], pa.uint32()),
    "int64": pa.array([BIG, BIG + 1, -BIG]),
    "uint64": pa.array([2**63 + 1, 2**63 + 2, 2**63], pa.uint64()),
    "float16": pa.array(np.array([0.1, 0.2, np.inf], np.float16)),
    "float32": pa.array([0.1, 0.1 + 1e-8, -np.inf], pa.float32()),
    "float64": pa.array([0.3, 0.1 + 0.2, 5e-324]),
    "string": pa.array(TEXTS),
    "string view": pa.array(TEXTS, pa.string_view()),
    "binary": pa.array(BYTES),
    "binary view": pa.array(BYTES, pa.binary_view()),
    "fixed binary": pa.array([b"\x01\0", b"\x01\x01", b"\0\0"], pa.binary(2)),
    "decimal128": pa.array(with_cents(10**35), pa.decimal128(38, 2)),
    "decimal256": pa.array(with_cents(10**60), pa.decimal256(70, 2)),
    "date32": pa.array(DAYS, pa.date32()),
    "date64": pa.array(DAYS, pa.date64()),
    "time s": view(pa.timestamp("s")),
    "time ns": view(pa.timestamp("ns")),
    "zone s": view(pa.timestamp("s", "Europe/Berlin")),
    "zone us": view(pa.timestamp("us", "Europe/Berlin"), (0, 1, 10**15)),
    "dictionary": pa.DictionaryArray.from_arrays([2, 0, 3], ["b", "a", "a\0", "c"]),
    "dictionary of numbers": encoded([BIG, 7, 8]),
    "dictionary of views": encoded(pa.array(["b", "a", "c"], pa.string_view())),
}
OTHERS = {
    "duration": view(pa.duration("s")),
    "uuid": OF_UUIDS,
    "dictionary of uuid": encoded(OF_UUIDS),
    "run ends": pc.run_end_encode(pa.array(TEXTS)),
    "bool8": extension(pa.bool8(), pa.array([0, 1, 2], pa.int8())),
    "own": extension(OwnType(), pa.array([1, 2, 3])),
    "time64": view(pa.time64("ns")),
    "month_day_nano": pa.array(
        [(1, 2, 3), (1, 2, 4), (0, 0, 0)], pa.month_day_nano_interval()
    ),
    "list": pa.array([[1], [2], []]),
    "map": pa.array([[(1, 2)], [(1, 3)], []], pa.map_(pa.int64(), pa.int64())),
    "struct": pa.array([{"a": 1}, {"a": 2}, {"a": 3}]),
    "dense union": pa.UnionArray.from_dense(
        pa.array([0, 0, 0], pa.int8()),
        pa.array([0, 1, 2], pa.int32()),
        [pa.array([1, 2, 3])],
    ),
    "dictionary of lists": encoded([[1], [2], []]),
}
# Three ascending numbers of every type, the least 0.
NUMBERS = {
    **{
        f"{sign}int{bits}": pa.array([0, top - 2, top - 1], f"{sign}int{bits}")
        for bits in (8, 32, 64)
        for sign, top in (("", 2 ** min(bits - 1, 53)), ("u", 2 ** min(bits, 53)))
    },
    "float16": pa.array(np.array([0, 0.1, 0.2], np.float16)),
    "float32": pa.array([0, 0.1, 0.1 + 1e-8], pa.float32()),
    "float64": pa.array([0, 0.3, 0.1 + 0.2]),
    "decimal64": pa.array(CENTS, pa.decimal64(6, 2)),
    "decimal256": pa.array(CENTS, pa.decimal256(6, 2)),
    "dictionary": pa.DictionaryArray.from_arrays([1, 2, 0], [5, 0, 3]),
}
NO_NUMBERS = OTHERS | {
    name: IDS[name]
    for name in IDS
    if not re.match("u?int|float|decimal|dictionary of numbers", name)
}

POLARS_IDS = {
    "Int64": pl.Series([BIG, BIG + 1, -BIG], dtype=pl.Int64),
    "Float32": pl.Series([0.1, 0.1 + 1e-8, -np.inf], dtype=pl.Float32),
    "String": pl.Series(TEXTS),
    "Binary": pl.Series(BYTES),
    "Categorical": pl.Series(TEXTS, dtype=pl.Categorical),
    "Enum": pl.Series(TEXTS, dtype=pl.Enum([*TEXTS[::-1], "unused"])),
    "Datetime": stored(pl.Datetime("ns")),
    "Datetime of a zone": stored(pl.Datetime("ms", "Europe/Berlin")),
}
POLARS_OTHERS = {
    "Int128": pl.Series([2**100, 2**100 + 1, -1], dtype=pl.Int128),
    "Time": stored(pl.Time),
    "List": pl.Series([[1], [2], []]),
    "Array": pl.Series([[1], [2], [3]], dtype=pl.Array(pl.Int64, 1)),
    "Struct": pl.Series([{"a": 1}, {"a": 2}, {"a": 3}]),
    "Object": pl.Series([object(), object(), object()], dtype=pl.Object),
}
if hasattr(pl, "UInt128"):
    POLARS_OTHERS["UInt128"] = pl.Series([2**127, 2**127 + 1, 1], dtype=pl.UInt128)
if hasattr(pl, "Float16"):
    POLARS_IDS["Float16"] = pl.Series([0.1, 0.2, np.inf], dtype=pl.Float16)
if hasattr(pl, "Map"):
    POLARS_OTHERS["Map"] = pl.Series(
        [{"a": 1}, {"a": 2}, {"b": 1}], dtype=pl.Map(pl.String, pl.Int64)
    )
if hasattr(pl, "Extension"):
    POLARS_IDS["Extension"] = pl.Series([1, 2, 3]).ext.to(
        pl.Extension("tests.own", pl.Int64)
    )
POLARS_NUMBERS = {
    "Int64": pl.Series(LARGEST),
    "UInt64": pl.Series(LARGEST, dtype=pl.UInt64),
    "UInt8": pl.Series([0, 1, 2], dtype=pl.UInt8),
    "Float32": pl.Series([0, 0.1, 0.1 + 1e-8], dtype=pl.Float32),
    "Decimal": pl.Series(CENTS),
}
POLARS_NO_NUMBERS = POLARS_OTHERS | {
    name: POLARS_IDS[name]
    for name in ("String", "Binary", "Categorical", "Enum", "Datetime")
}

PANDAS_IDS = {
    "float": pd.Series([0.3, 0.1 + 0.2, 5e-324]),
    "str": pd.Series(TEXTS, dtype="str"),
    "string": pd.Series(TEXTS, dtype=pd.StringDtype("python")),
    "texts": objects(TEXTS),
    "bytes": objects(BYTES),
    "dates": objects(DAYS),
    "decimals": objects(DECIMALS),
    "Int64": pd.Series([BIG, BIG + 1, 1], dtype="Int64"),
    "UInt8": pd.Series([255, 0, 1], dtype="UInt8"),
    "Float32": pd.Series([0.1, 0.1 + 1e-8, 1], dtype="Float32"),
    "datetime": pd.Series(TIMES.view("M8[ns]")),
    "zone": pd.Series(TIMES.view("M8[us]")).dt.tz_localize("UTC"),
    "category": pd.Series(pd.Categorical(TEXTS, [*TEXTS[::-1], "unused"])),
    "ordered": pd.Series(pd.Categorical([3, 1, 2], [3, 2, 1, 0], ordered=True)),
    "category of times": pd.Series(
        pd.Categorical(pd.DatetimeIndex(TIMES.view("M8[ns]"), tz="Asia/Kolkata"))
    ),
}
PANDAS_OTHERS = {
    "complex": pd.Series([1j, 2j, 1]),
    "timedelta": pd.Series(TIMES.view("m8[ns]")),
    "long": objects([10**30, 10**30 + 1, 5]),
    "tuples": objects([(1, 2), (1, "2"), ()]),
    "mixed": objects([1, "1", b"1"]),
    "texts and bytes": objects(["a", b"a", b"b"]),
    "dates and times": objects([*DAYS[:2], datetime.datetime(2024, 1, 1)]),
    "lists": objects([[1], [2], [3]]),
    "dicts": objects([{"a": 1}, {"b": 2}, {}]),
    "period": pd.Series(pd.period_range("2024-01", periods=3, freq="M")),
    "interval": pd.Series(pd.interval_range(0, 3)),
    "sparse": pd.Series([0, BIG, BIG + 1], dtype="Sparse[int64]"),
    "surrogates": objects(["\ud800", "a", "b"]),
}
PANDAS_NUMBERS = {
    "uint64": pd.Series(LARGEST, dtype="uint64"),
    "float16": pd.Series([0, 0.1, 0.2], dtype="float16"),
    "Int64": pd.Series(LARGEST, dtype="Int64"),
    "UInt64": pd.Series(LARGEST, dtype="UInt64"),
    "Float32": pd.Series([0, 0.1, 0.1 + 1e-8], dtype="Float32"),
    "decimals": objects(CENTS),
    "objects": objects([0, 0.5, np.int64(1)]),
    "category": pd.Series(pd.Categorical([0, 3, 5], [5, 3, 0])),
    "arrow": pd.Series([0, 1, 2], dtype=pd.ArrowDtype(pa.uint8())),
}
PANDAS_NO_NUMBERS = {"objects of complex": objects(np.arange(3) * 1j)} | {
    name: (PANDAS_IDS | PANDAS_OTHERS)[name]
    for name in (
        *("str", "string", "texts", "category", "dates"),
        *("datetime", "timedelta", "complex"),
    )
}
NULLS = {
    "arrow": [
        pa.nulls(3),
        pa.array(["a", "a", None, "b"]).dictionary_encode(null_encoding="encode"),
        pa.chunked_array(
            pa.array(ids).dictionary_encode(null_encoding="encode")
            for ids in (["a", None], ["b", None])
        ),
        pa.DictionaryArray.from_arrays(
            [0, 1, 0, 0], pa.array(["a", None], pa.string_view())
        ),
        pa.array([1, 2, None, 2]).dictionary_encode(),
        pa.array([1.0, 2.0, float("nan"), 2.0]).dictionary_encode(),
        pa.array([1, 2, -(2**63), 2]).view(pa.timestamp("us")),  # NaT of NumPy
        pa.array([None, True, False, True]),
    ],
    "polars": [
        pl.Series([None] * 4),
        pl.Series(["a", None, "a", "b"], dtype=pl.Categorical),
        pl.Series(["a", None, "a", "b"], dtype=pl.Enum(["a", "b"])),
        pl.Series([1.0, np.nan, 1.0, 2.0]),
        pl.Series([True, None, True, False]),
    ],
    "pandas": [
        *(objects(["a", null, "b"]) for null in (None, np.nan, pd.NA, pd.NaT)),
        objects([Decimal(1), Decimal("nan"), Decimal(2)]),
        pd.Series(["a", None, "b"], dtype="str"),
        pd.Series(["a", None, "b"], dtype=pd.StringDtype("python")),
        pd.Series(["a", None, "b"], dtype="category"),
        pd.Series([1, None, 2], dtype="Int64"),
        pd.Series([True, None, False], dtype="boolean"),
        pd.to_datetime(pd.Series(["2024-01-01", None, "2024-01-02"])),
        pd.to_datetime(pd.Series(["2024-01-01", None, "2024-01-02"]), utc=True),
        pd.Series(pd.PeriodIndex(["2024-01", None, "2024-02"], freq="M")),
    ],
}
FIRST_IS_MISSING = [None, *GRADES[1:].tolist()]
UNJUDGED = {
    "arrow": [
        pa.array([None, *(GRADES[1:] > 0).tolist()]),
        pa.array(FIRST_IS_MISSING).dictionary_encode(),
    ],
    "polars": [
        pl.Series([None, *(GRADES[1:] > 0).tolist()]),
        pl.Series(FIRST_IS_MISSING),
        pl.Series([None, *map(Decimal, FIRST_IS_MISSING[1:])]),
    ],
    "pandas": [
        pd.Series(FIRST_IS_MISSING, dtype="Int64").astype(type_)
        for type_ in (
            *("Int64", "Float32", "boolean", "object", "int8[pyarrow]", "category"),
        )
    ],
}


@pytest.mark.parametrize("name", IDS)
def test_ids_of_arrow(name, tmp_path):
    column = take(IDS[name], WHICH)
    ids = score(table_of("arrow", column)).query_ids
    assert len(set(ids.tolist())) == 3
    cut = pa.chunked_array([column.slice(0, 3), column.slice(0, 0), column.slice(3)])
    table = table_of("arrow", cut)
    frames = [
        *forms(table),
        pa.concat_tables([table.slice(5), table]).slice(3),
        table_of("pandas", pd.arrays.ArrowExtensionArray(cut)),
    ]
    if not name.startswith("dictionary of v"):
        pq.write_table(table, tmp_path / "run.parquet")
        frames.append(tmp_path)
    for frame in frames:
        got = score(frame)
        assert_three_queries(got)
        assert_array_equal(got.query_ids, ids)
        assert got.query_ids.dtype.kind == ids.dtype.kind


@columns_of(polars=POLARS_IDS, pandas=PANDAS_IDS)
def test_ids_of_dataframes(library, column, request):
    rows = take(column, WHICH)
    ids = score(table_of(library, rows)).query_ids
    assert len(set(ids.tolist())) == 3
    if not re.search("dates|Date|zone|category of times", request.node.name):
        kept = column.to_list() if library == "polars" else np.asarray(column).tolist()
        assert ids.tolist() == kept
    frames = forms(table_of(library, rows))
    if library == "polars":
        cut = pl.concat([rows[:3], rows[:0], rows[3:]], rechunk=False)
        frames.append(table_of(library, cut))
    for frame in frames:
        got = score(frame)
        assert_three_queries(got)
        assert_array_equal(got.query_ids, ids)


@columns_of(arrow=OTHERS, polars=POLARS_OTHERS, pandas=PANDAS_OTHERS)
def test_other_types_as_ids(library, column):
    rows = take(column, WHICH)
    type_ = re.escape(str(getattr(rows, "type", "")))
    for frame in forms(table_of(library, rows)):
        with pytest.raises(TypeError, match=f"qid must .*'query' is of type {type_}"):
            score(frame)


@columns_of(**NULLS)
def test_nulls_wherever_they_hide(library, column):
    numbers = np.arange(len(column))
    for frame in forms(table_of(library, column, numbers % 2, numbers)):
        with pytest.raises(ValueError, match="qid must not contain missing values"):
            score(frame)


@columns_of(arrow=NUMBERS, polars=POLARS_NUMBERS, pandas=PANDAS_NUMBERS)
def test_numbers(library, column):
    assert_three_queries(score(table_of(library, score=take(column, SCORES - 1))))
    assert_three_queries(score(table_of(library, grade=take(column, GRADES))))
    weighted = table_of(library, weight=take(column, WHICH))
    got = score(weighted, sample_weight="weight")
    weights = [float(getattr(one, "as_py", lambda one=one: one)()) for one in column]
    assert_allclose(got.mean["rr"], np.average(RECIPROCAL_RANKS, weights=weights))


@columns_of(arrow=NO_NUMBERS, polars=POLARS_NO_NUMBERS, pandas=PANDAS_NO_NUMBERS)
def test_other_types_as_numbers(library, column):
    type_ = re.escape(str(getattr(column, "type", "")))
    for name, which in (("grade", GRADES), ("score", SCORES - 1), ("weight", WHICH)):
        table = table_of(library, **{name: take(column, which)})
        weight = {"sample_weight": "weight"} if name == "weight" else {}
        with pytest.raises(TypeError, match=f"real .*'{name}' is of type {type_}"):
            score(table, **weight)


@columns_of(**UNJUDGED)
def test_missing_grades_are_unjudged(library, column):
    got = score(table_of(library, grade=column), "judged@2")
    assert got.scores["judged@2"].tolist() == [0.5, 1, 1]
    with pytest.raises(ValueError, match="y_score must not contain NaN"):
        score(table_of(library, score=column))


def test_booleans():
    got = score(table_of("arrow", pa.array(WHICH > 0)))
    assert got.query_ids.tolist() == [False, True]
    want = score_queries(GRADES, SCORES, "rr", qid=WHICH > 0)
    assert_array_equal(got.scores["rr"], want.scores["rr"])
    assert_three_queries(score(table_of("arrow", grade=pa.array(GRADES > 0))))


def test_dictionary_that_names_an_id_twice():
    column = pa.DictionaryArray.from_arrays(
        [0, 1, 2, 3, 2, 3, 1, 4], ["a", "a", "b", "c", "c"]
    )
    assert_three_queries(score(table_of("arrow", column)), ["a", "b", "c"])


def test_zeros_of_both_signs_are_one_id():
    for type_ in (pa.float32(), pa.float64()):
        signed = pa.array([-0.0, *WHICH[1:].astype(float)], type_)
        assert_three_queries(score(table_of("arrow", signed)), [0, 1, 2])


def test_columns_that_nothing_needs_may_be_named_alike(tmp_path):
    table = table_of("arrow")
    for _ in range(2):
        table = table.append_column("x", pa.nulls(8, pa.int8()))
    file = tmp_path / "run.parquet"
    pq.write_table(table, file)
    for frame in (*forms(table), tmp_path, file, table.to_pandas()):
        assert_three_queries(score(frame), [0, 1, 2])
    twice = table.append_column("score", pa.array(SCORES))
    pq.write_table(twice, file)
    for frame in (twice, tmp_path, twice.to_pandas()):
        with pytest.raises(ValueError, match="'score', which stands 2 times"):
            score(frame)


class TestFolders:
    def write(self, folder, *columns, lacking=None):
        """One file for each id."""
        for i, column in enumerate(columns):
            rows = i == WHICH
            query = take(column, [0] * int(rows.sum()))
            table = table_of("arrow", query, GRADES[rows], SCORES[rows])
            table = table.drop_columns("grade") if i == lacking else table
            pq.write_table(table, folder / f"{i}.parquet")
        return folder

    @pytest.mark.parametrize(
        "columns",
        [
            (pa.array([BIG]), pa.array([BIG + 1], pa.uint64()), pa.array([BIG + 2])),
            (pa.array([1]), pa.array([2], pa.uint64()), pa.array([3])),
            (pa.array([2**53]), pa.array([0.5]), pa.array([2**53 + 1])),
            (pa.array([1], pa.int8()), pa.array([0.1], pa.float32()), pa.array([0.1])),
            (pa.array([-1]), pa.array([2**64 - 1], pa.uint64()), pa.array([-2])),
            (
                pa.array(["a"]),
                pa.array(["a\0"], pa.large_string()),
                pa.array(["b"]).dictionary_encode(),
            ),
            (
                pa.array([1], pa.timestamp("ms")),
                pa.array([1], pa.timestamp("us")),
                pa.array([10**6 + 1], pa.timestamp("ns")),
            ),
            (
                pa.array([Decimal("1.1")]),
                pa.array([Decimal("1.10000000000000000001")]),
                pa.array([Decimal("1.2")]),
            ),
        ],
    )
    @pytest.mark.parametrize("batch_size", [1, 100])
    def test_ids_of_types_that_are_unified_exactly(self, columns, batch_size, tmp_path):
        self.write(tmp_path, *columns)
        got = score(tmp_path, batch_size=batch_size)
        assert_three_queries(got)
        ids = [column[0].as_py() for column in columns]
        if columns[0].type == pa.int64():
            assert got.query_ids.tolist() == ids
        if all(pa.types.is_integer(column.type) for column in columns):
            assert str(got.query_ids.tolist()) == str(ids)  # 1 is not 1.0

    def test_times_that_fit_no_unit_of_numpy(self, tmp_path):
        self.write(
            tmp_path,
            pa.array([2**58], pa.timestamp("us")),
            pa.array([1], pa.timestamp("ns")),
        )
        with pytest.raises(ValueError, match=r"one NumPy unit; got datetime64\[ns"):
            score(tmp_path)

    @pytest.mark.parametrize(
        ("first", "other"),
        [
            (pa.array([1]), pa.array(["1"])),
            (pa.array(["1"]), pa.array([1])),
            (pa.array(["a"]), pa.array([b"a"])),
            (pa.array([1]), pa.array([True])),
            (pa.array([1]), pa.array([Decimal(1)])),
            (pa.array([1], pa.timestamp("us")), pa.array([1], pa.date32())),
            (
                pa.array([1], pa.timestamp("us")),
                pa.array([1], pa.timestamp("us", "Asia/Kolkata")),
            ),
        ],
    )
    def test_ids_of_other_types(self, first, other, tmp_path):
        self.write(tmp_path, first, other)
        types = [re.escape(str(ids.type)) for ids in (first, other)]
        message = (
            f"qid must be of one type throughout; column 'query' is of type {types[0]} "
            f"in .*0.parquet and of type {types[1]} in .*1.parquet"
        )
        with pytest.raises(TypeError, match=message):
            score(tmp_path)
        message = f"type {types[0]} in the dataset and of type {types[1]} in .*1.pa"
        with pytest.raises(TypeError, match=message):
            score(ds.dataset(tmp_path))
        with pytest.raises(TypeError, match=message):
            score(ds.dataset(tmp_path).filter(ds.field("score") >= 0))

    @pytest.mark.parametrize("lacking", [0, 1, 2])
    def test_a_file_without_a_column(self, lacking, tmp_path):
        self.write(tmp_path, *map(pa.array, ([1], [2], [3])), lacking=lacking)
        schema = pa.schema(
            {"query": pa.int64(), "grade": pa.int64(), "score": pa.int64()}
        )
        dataset = ds.dataset(tmp_path, schema=schema)
        message = f"got 'grade' among the columns .* of .*{lacking}.parquet"
        for frame in (
            tmp_path,
            dataset,
            ds.dataset([dataset, dataset]),
            dataset.filter(ds.field("score") > 0),
        ):
            with pytest.raises(ValueError, match=message):
                score(frame)

    def test_scores_that_a_dataset_would_round(self, tmp_path):
        for i, type_ in enumerate((pa.float32(), pa.float64())):
            table = pa.table(
                {"query": [i, i], "grade": [1, 0], "score": pa.array([0.1, 0.2], type_)}
            )
            pq.write_table(table, tmp_path / f"{i}.parquet")
        with pytest.raises(TypeError, match="'score' is of type float in the dataset"):
            score(ds.dataset(tmp_path))
        assert score(tmp_path).mean == {"rr": 0.5}

    def test_csv_is_read_as_its_dataset_says(self, tmp_path):
        (tmp_path / "0.csv").write_text("query,grade,score\n01,1,1\n")
        (tmp_path / "1.csv").write_text("query,grade,score\n1,1,1\n")
        schema = pa.schema(
            {"query": pa.string(), "grade": pa.int64(), "score": pa.int64()}
        )
        got = score(ds.dataset(tmp_path, schema=schema, format="csv"))
        assert got.query_ids.tolist() == ["01", "1"]

    def test_names_of_folders_are_ids_as_they_are_written(self, tmp_path):
        names = ["01", "1", "2"]
        for i, name in enumerate(names):
            folder = tmp_path / f"query={name}"
            folder.mkdir()
            rows = i == WHICH
            table = pa.table({"grade": GRADES[rows], "score": SCORES[rows]})
            pq.write_table(table, folder / "0.parquet")
        assert_three_queries(score(tmp_path), names)

    @pytest.mark.filterwarnings("ignore:y_true holds fractions")
    def test_names_of_folders_as_numbers(self, tmp_path):
        for name, scores in {"1": [1, 2], "-2.5": [3, 4]}.items():
            folder = tmp_path / f"query=a/grade={name}"
            folder.mkdir(parents=True)
            pq.write_table(pa.table({"score": scores}), folder / "0.parquet")
        got = score(tmp_path)
        assert got.query_ids.tolist() == ["a"]
        assert got.mean == {"rr": 1 / 3}
        (tmp_path / "query=a/grade=1").rename(tmp_path / "query=a/grade=x")
        with pytest.raises(TypeError, match="y_true .*'grade' is of type string"):
            score(tmp_path)

    def test_a_folder_without_an_id(self, tmp_path):
        folder = tmp_path / "query=__HIVE_DEFAULT_PARTITION__"
        folder.mkdir()
        pq.write_table(pa.table({"grade": [1], "score": [1]}), folder / "0.parquet")
        with pytest.raises(ValueError, match="qid must not contain missing values"):
            score(tmp_path)

    def test_a_column_that_is_named_like_a_folder(self, tmp_path):
        folder = tmp_path / "query=7" / "fold=1"
        folder.mkdir(parents=True)
        pq.write_table(table_of("arrow"), folder / "0.parquet")
        assert_three_queries(score(tmp_path), [0, 1, 2])
        assert_three_queries(score(folder), [0, 1, 2])

    def test_a_folder_with_a_file_of_another_kind(self, tmp_path):
        pq.write_table(table_of("arrow"), tmp_path / "0.parquet")
        (tmp_path / "1.txt").write_text("text")
        with pytest.raises(ValueError, match=r"frame must be the path .*1\.txt"):
            score(tmp_path)


# Of which all kinds of frames return the same.
SAME_IDS = {
    name: IDS[name]
    for name in (
        *("int8", "float64", "string", "dictionary", "binary", "date32", "decimal128"),
        *("time s", "time ns", "zone us"),
    )
}


def as_dask(frame):
    dask = pytest.importorskip("dask")
    dd = pytest.importorskip("dask.dataframe")
    with dask.config.set({"dataframe.convert-string": False}):
        return dd.from_pandas(frame, npartitions=2, sort=False)


class TestSameIds:
    @pytest.mark.parametrize("name", SAME_IDS)
    def test_of_every_kind_of_frame(self, name, tmp_path):
        table = table_of("arrow", take(SAME_IDS[name], WHICH))
        pq.write_table(table, tmp_path / "run.parquet")
        kinds = {
            "batch": table.combine_chunks().to_batches()[0],
            "reader": table.to_reader(),
            "dataset": ds.dataset(tmp_path),
            "path": tmp_path,
            "pandas": table.to_pandas(),
            "pandas of arrow": table.to_pandas(types_mapper=pd.ArrowDtype),
            "polars": pl.from_arrow(table),
            "lazy": pl.from_arrow(table).lazy(),
            "dask": as_dask(table.to_pandas()),
        }
        want = score(table).query_ids
        if want.dtype.kind == "M":
            integers = SAME_IDS[name].cast(pa.int32() if "date" in name else pa.int64())
            assert want.astype("i8").tolist() == integers.to_pylist()
        for frame in kinds.values():
            got = score(frame)
            assert_three_queries(got)
            assert_array_equal(got.query_ids, want)
            assert got.query_ids.dtype.kind == want.dtype.kind
