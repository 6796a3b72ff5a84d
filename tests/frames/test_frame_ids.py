"""Columns of every type in `score_frame`: exactly what they hold, or refused by name.

Oracle: `score_queries` of the same rows with the integers 0, 1, 2 as ids or scores.
"""

import datetime
import re
from decimal import Decimal
from uuid import UUID

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_irmetrics import score_frame, score_queries

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
ds = pytest.importorskip("pyarrow.dataset")
pc = pytest.importorskip("pyarrow.compute")
pq = pytest.importorskip("pyarrow.parquet")

COLUMNS = {"qid": "query", "y_true": "grade", "y_score": "score"}
WHICH = np.array([0, 0, 1, 2, 1, 2, 0, 2])
GRADES = np.array([0, 1, 1, 0, 0, 0, 0, 1])
SCORES = np.array([3, 2, 3, 3, 2, 2, 1, 1])
RECIPROCAL_RANKS = [1 / 2, 1, 1 / 3]
BIG = 2**62


def score(frame):
    return score_frame(frame, "rr", **COLUMNS)


def assert_three_queries(got, ids=None):
    want = score_queries(GRADES, SCORES, "rr", qid=WHICH)
    assert want.scores["rr"].tolist() == RECIPROCAL_RANKS
    assert got.scores["rr"].tolist() == RECIPROCAL_RANKS
    if ids is not None:
        assert got.query_ids.tolist() == ids


def arrow(query, grade=GRADES, score=SCORES):
    return pa.table({"query": query, "grade": grade, "score": score})


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


TEXTS = ["é", "e\u0301", "e\u0301\0"]
BYTES = [b"\x01", b"\x01\0", b""]
DECIMALS = [Decimal("1.10"), Decimal("1.11"), Decimal("-1.10")]
DAYS = [datetime.date(1, 1, 1), datetime.date(2024, 2, 29), datetime.date(2024, 3, 1)]
TIMES = np.array([0, 1, 10**15])
UUIDS = [UUID(int=2**127), UUID(int=1), UUID(int=2)]

# Three distinct ids of every type; those that look most alike.
IDS = {
    **{
        f"int{bits}": pa.array([0, 1, -(2 ** (bits - 1))], f"int{bits}")
        for bits in (8, 32)
    },
    **{f"uint{bits}": pa.array([0, 1, 2**bits - 1], f"uint{bits}") for bits in (8, 32)},
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
    "decimal128": pa.array(
        [Decimal(f"{10**35}.{i:02}") for i in range(3)], pa.decimal128(38, 2)
    ),
    "decimal256": pa.array(
        [Decimal(f"{10**60}.{i:02}") for i in range(3)], pa.decimal256(70, 2)
    ),
    "date32": pa.array(DAYS, pa.date32()),
    "date64": pa.array(DAYS, pa.date64()),
    **{
        f"{name} {unit}": view(type_(unit))
        for name, type_ in {
            "time": pa.timestamp,
            "zone": lambda unit: pa.timestamp(unit, "Europe/Berlin"),
            "duration": pa.duration,
        }.items()
        for unit in ("s", "ns")
    },
    "uuid": pa.array([u.bytes for u in UUIDS], pa.uuid()),
    "dictionary": pa.DictionaryArray.from_arrays([2, 0, 3], ["b", "a", "a\0", "c"]),
    "dictionary of numbers": pa.DictionaryArray.from_arrays([1, 0, 2], [BIG, 7, 8]),
    "dictionary of views": pa.DictionaryArray.from_arrays(
        [1, 0, 2], pa.array(["b", "a", "c"], pa.string_view())
    ),
    "dictionary of uuid": pa.DictionaryArray.from_arrays(
        [1, 0, 2], pa.array([u.bytes for u in UUIDS], pa.uuid())
    ),
    "run ends": pc.run_end_encode(pa.array(TEXTS)),
    "run ends of a dictionary": pa.RunEndEncodedArray.from_arrays(
        pa.array([1, 2, 3], pa.int16()), pa.array(TEXTS).dictionary_encode()
    ),
}
REFUSED = {
    "null": pa.nulls(3),
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
    "dictionary of lists": pa.DictionaryArray.from_arrays([0, 1, 2], [[1], [2], []]),
}


# Three ascending numbers of every type, the least 0.
NUMBERS = {
    **{
        f"{sign}int{bits}": pa.array([0, top - 2, top - 1], f"{sign}int{bits}")
        for bits in (8, 32, 64)
        for sign, top in (("", 2 ** (bits - 1)), ("u", 2**bits))
    },
    "float16": pa.array(np.array([0, 0.1, 0.2], np.float16)),
    "float32": pa.array([0, 0.1, 0.1 + 1e-8], pa.float32()),
    "float64": pa.array([0, 0.3, 0.1 + 0.2]),
    **{
        f"decimal{bits}": pa.array(
            [Decimal(0), Decimal("0.01"), Decimal("0.02")],
            getattr(pa, f"decimal{bits}")(6, 2),
        )
        for bits in (64, 256)
    },
    "dictionary": pa.DictionaryArray.from_arrays([1, 2, 0], [5, 0, 3]),
    "run ends": pc.run_end_encode(pa.array([0, 1, 2], pa.uint8())),
}
NO_NUMBERS = {
    name: three
    for name, three in {**IDS, **REFUSED}.items()
    if name != "null" and str(three.type) not in {str(n.type) for n in NUMBERS.values()}
    if "decimal" not in name and "of numbers" not in name
}


def take(three, which):
    """Rows of three values, however a type refuses to be taken from."""
    pieces = [three.slice(i, 1) for i in which]
    try:
        return pa.concat_arrays(pieces)
    except (pa.ArrowInvalid, NotImplementedError):
        return pa.chunked_array(pieces)


class TestArrow:
    @pytest.mark.parametrize("name", IDS)
    def test_ids(self, name, tmp_path):
        column = take(IDS[name], WHICH)
        ids = score(arrow(column)).query_ids
        assert len(set(ids.tolist())) == 3
        cut = pa.chunked_array(
            [column.slice(0, 3), column.slice(0, 0), column.slice(3)]
            if isinstance(column, pa.Array)
            else column.chunks
        )
        table = arrow(cut)
        frames = [
            arrow(column),
            table,
            pa.concat_tables([table.slice(5), table]).slice(3),
            table.to_reader(),
            pd.DataFrame(
                {
                    "query": pd.arrays.ArrowExtensionArray(cut),
                    "grade": GRADES,
                    "score": SCORES,
                }
            ),
        ]
        if not name.startswith(("run ends", "dictionary of v", "dictionary of uuid")):
            pq.write_table(table, tmp_path / "run.parquet")
            frames.append(tmp_path)
        for frame in frames:
            got = score(frame)
            assert_three_queries(got)
            assert_array_equal(got.query_ids, ids)
            assert got.query_ids.dtype.kind == ids.dtype.kind

    def test_booleans(self):
        got = score(arrow(pa.array(WHICH > 0)))
        assert got.query_ids.tolist() == [False, True]
        want = score_queries(GRADES, SCORES, "rr", qid=WHICH > 0)
        assert_array_equal(got.scores["rr"], want.scores["rr"])

    @pytest.mark.parametrize("name", REFUSED)
    def test_ids_of_other_types(self, name):
        column = take(REFUSED[name], WHICH)
        table = arrow(column)
        if name == "null":
            message = "qid must not contain missing values; column 'query' has 8"
            kind = ValueError
        else:
            message = f"'query' is of type {re.escape(str(column.type))}"
            kind = TypeError
        for frame in (table, table.to_reader()):
            with pytest.raises(kind, match=message):
                score(frame)

    @pytest.mark.parametrize("name", NUMBERS)
    def test_numbers(self, name):
        three = NUMBERS[name]
        got = score(arrow(WHICH, score=take(three, SCORES - 1)))
        assert_three_queries(got, [0, 1, 2])
        got = score(arrow(WHICH, grade=take(three, GRADES)))
        assert_three_queries(got, [0, 1, 2])
        weighted = arrow(WHICH).append_column("weight", take(three, WHICH))
        got = score_frame(weighted, "rr", **COLUMNS, sample_weight="weight")
        weights = [float(value) for value in three.to_pylist()]
        assert_allclose(got.mean["rr"], np.average(RECIPROCAL_RANKS, weights=weights))

    def test_booleans_as_numbers(self):
        grades = pa.array(GRADES > 0)
        assert_three_queries(score(arrow(WHICH, grade=grades)))
        missing = pa.array([None, *(GRADES > 0).tolist()[1:]])
        got = score_frame(arrow(WHICH, grade=missing), "judged@2", **COLUMNS)
        assert got.scores["judged@2"].tolist() == [0.5, 1, 1]

    @pytest.mark.parametrize("name", NO_NUMBERS)
    def test_other_types_as_numbers(self, name):
        column = take(NO_NUMBERS[name], WHICH)
        type_ = re.escape(str(column.type))
        for parameter in ("grade", "score"):
            message = f"y_(true|score) must be .*'{parameter}' is of type {type_}"
            with pytest.raises(TypeError, match=message):
                score(arrow(WHICH, **{parameter: column}))
        weighted = arrow(WHICH).append_column("weight", column)
        with pytest.raises(TypeError, match=f"'weight' is of type {type_}"):
            score_frame(weighted, "rr", **COLUMNS, sample_weight="weight")

    @pytest.mark.parametrize(
        "column",
        [
            pa.array(["a", "a", None, "b"]).dictionary_encode(null_encoding="encode"),
            pa.chunked_array(
                pa.array(ids).dictionary_encode(null_encoding="encode")
                for ids in (["a", None], ["b", None])
            ),
            pa.DictionaryArray.from_arrays(
                [0, 1, 0, 0], pa.array(["a", None], pa.string_view())
            ),
            pc.run_end_encode(pa.array(["a", "a", None, None])),
            pa.array([1, 2, None, 2]).dictionary_encode(),
            pa.array([1.0, 2.0, float("nan"), 2.0]).dictionary_encode(),
            pa.array([1, 2, -(2**63), 2]).view(pa.timestamp("us")),  # NaT of NumPy
            pa.array([None, True, False, True]),
        ],
    )
    def test_nulls_wherever_they_hide(self, column):
        table = arrow(column, [0, 0, 1, 1], [1, 2, 3, 4])
        for frame in (table, table.to_reader()):
            with pytest.raises(ValueError, match="qid must not contain missing values"):
                score(frame)

    def test_dictionary_that_names_an_id_twice(self):
        column = pa.DictionaryArray.from_arrays(
            [0, 1, 2, 3, 2, 3, 1, 4], ["a", "a", "b", "c", "c"]
        )
        assert_three_queries(score(arrow(column)), ["a", "b", "c"])

    def test_zeros_of_both_signs_are_one_id(self):
        for type_ in (pa.float32(), pa.float64()):
            zeros = pa.array([[0.0, 1.0, 2.0][i] for i in WHICH], type_)
            signed = pa.array([-0.0, *zeros.to_pylist()[1:]], type_)
            assert_three_queries(score(arrow(signed)), [0, 1, 2])

    def test_columns_that_nothing_needs_may_be_named_alike(self, tmp_path):
        table = arrow(WHICH)
        for _ in range(2):
            table = table.append_column("x", pa.nulls(8, pa.int8()))
        pq.write_table(table, tmp_path / "run.parquet")
        kinds = {
            "table": table,
            "reader": table.to_reader(),
            "folder": tmp_path,
            "file": tmp_path / "run.parquet",
            "pandas": table.to_pandas(),
        }
        for frame in kinds.values():
            assert_three_queries(score(frame), [0, 1, 2])
        twice = table.append_column("score", pa.array(SCORES))
        pq.write_table(twice, tmp_path / "run.parquet")
        for frame in (twice, tmp_path, twice.to_pandas()):
            with pytest.raises(ValueError, match="'score', which stands 2 times"):
                score(frame)


class TestFolders:
    def write(self, folder, *columns, grade=None, **others):
        """One file for each id."""
        for i, column in enumerate(columns):
            rows = i == WHICH
            table = pa.table(
                {
                    "query": column.take(pa.array([0] * int(rows.sum()))),
                    "score": SCORES[rows],
                    **({"grade": GRADES[rows]} if i != grade else {}),
                }
            )
            pq.write_table(table, folder / f"{i}.parquet")
        return folder

    @pytest.mark.parametrize(
        "columns",
        [
            (pa.array([BIG]), pa.array([BIG + 1], pa.uint64()), pa.array([BIG + 2])),
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
        got = score_frame(tmp_path, "rr", **COLUMNS, batch_size=batch_size)
        assert_three_queries(got)
        if columns[0].type == pa.int64():
            assert got.query_ids.tolist() == [c[0].as_py() for c in columns]

    def test_times_that_fit_no_unit_of_numpy(self, tmp_path):
        self.write(
            tmp_path,
            pa.array([2**58], pa.timestamp("us")),
            pa.array([1], pa.timestamp("ns")),
        )
        with pytest.raises(ValueError, match=r"one unit of NumPy; got datetime64\[ns"):
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
        self.write(tmp_path, *map(pa.array, ([1], [2], [3])), grade=lacking)
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
        message = "'grade' is of type string .'x' in the name of a folder"
        with pytest.raises(TypeError, match=message):
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
        pq.write_table(arrow(WHICH), folder / "0.parquet")
        assert_three_queries(score(tmp_path), [0, 1, 2])
        assert_three_queries(score(folder), [0, 1, 2])

    def test_a_folder_with_a_file_of_another_kind(self, tmp_path):
        pq.write_table(arrow(WHICH), tmp_path / "0.parquet")
        (tmp_path / "1.txt").write_text("text")
        with pytest.raises(ValueError, match=r"frame must be the path .*1\.txt"):
            score(tmp_path)


def polars(query, grade=GRADES, score=SCORES):
    return pl.DataFrame({"query": query, "grade": grade, "score": score})


def stored(dtype):
    return pl.Series([1, 2, 10**9 + 1], dtype=pl.Int64).cast(dtype)


POLARS_IDS = {
    **{
        name: pl.Series([0, 1, -1 if name[0] == "I" else 2**7], dtype=getattr(pl, name))
        for name in ("Int8", "Int32", "UInt8")
    },
    "Int64": pl.Series([BIG, BIG + 1, -BIG], dtype=pl.Int64),
    "UInt64": pl.Series([2**63, 2**63 + 1, BIG], dtype=pl.UInt64),
    "Float32": pl.Series([0.1, 0.1 + 1e-8, -np.inf], dtype=pl.Float32),
    "Float64": pl.Series([0.3, 0.1 + 0.2, 5e-324]),
    "String": pl.Series(TEXTS),
    "Binary": pl.Series(BYTES),
    "Categorical": pl.Series(TEXTS, dtype=pl.Categorical),
    "Enum": pl.Series(TEXTS, dtype=pl.Enum([*TEXTS[::-1], "unused"])),
    "Decimal": pl.Series([Decimal(f"{10**30}.{i:02}") for i in range(3)]),
    "Date": pl.Series(DAYS),
    "Datetime": stored(pl.Datetime("ns")),
    "Datetime of a zone": stored(pl.Datetime("ms", "Europe/Berlin")),
    "Duration": stored(pl.Duration("us")),
}
POLARS_REFUSED = {
    "Int128": pl.Series([2**100, 2**100 + 1, -1], dtype=pl.Int128),
    "Time": stored(pl.Time),
    "List": pl.Series([[1], [2], []]),
    "Array": pl.Series([[1], [2], [3]], dtype=pl.Array(pl.Int64, 1)),
    "Struct": pl.Series([{"a": 1}, {"a": 2}, {"a": 3}]),
    "Object": pl.Series([object(), object(), object()], dtype=pl.Object),
}
if hasattr(pl, "UInt128"):
    POLARS_REFUSED["UInt128"] = pl.Series([2**127, 2**127 + 1, 1], dtype=pl.UInt128)
if hasattr(pl, "Float16"):
    POLARS_IDS["Float16"] = pl.Series([0.1, 0.2, np.inf], dtype=pl.Float16)
if hasattr(pl, "Map"):
    POLARS_REFUSED["Map"] = pl.Series(
        [{"a": 1}, {"a": 2}, {"b": 1}], dtype=pl.Map(pl.String, pl.Int64)
    )
if hasattr(pl, "Extension"):
    POLARS_IDS["Extension"] = pl.Series([1, 2, 3]).ext.to(
        pl.Extension("tests.own", pl.Int64)
    )
POLARS_NUMBERS = {
    "Int64": pl.Series([0, BIG, BIG + 1]),
    "UInt64": pl.Series([0, 2**64 - 2, 2**64 - 1], dtype=pl.UInt64),
    "UInt8": pl.Series([0, 1, 2], dtype=pl.UInt8),
    "Float32": pl.Series([0, 0.1, 0.1 + 1e-8], dtype=pl.Float32),
    "Decimal": pl.Series([Decimal("0.00"), Decimal("0.01"), Decimal("0.02")]),
}


class TestPolars:
    @pytest.mark.parametrize("name", POLARS_IDS)
    def test_ids(self, name):
        three = POLARS_IDS[name]
        column = three.gather(WHICH)
        ids = score(polars(column)).query_ids
        assert len(set(ids.tolist())) == 3
        if three.dtype.is_numeric() or three.dtype in (pl.String, pl.Binary):
            assert ids.tolist() == three.to_list()
        cut = pl.concat([column[:3], column[:0], column[3:]], rechunk=False)
        for frame in (polars(cut), polars(column).lazy()):
            got = score(frame)
            assert_three_queries(got)
            assert_array_equal(got.query_ids, ids)

    @pytest.mark.parametrize("name", POLARS_REFUSED)
    def test_ids_of_other_types(self, name):
        column = POLARS_REFUSED[name].gather(WHICH)
        with pytest.raises(TypeError, match="qid must be .*'query' is of type"):
            score(polars(column))

    @pytest.mark.parametrize(
        "column",
        [
            pl.Series([None] * 4),
            pl.Series(["a", None, "a", "b"], dtype=pl.Categorical),
            pl.Series(["a", None, "a", "b"], dtype=pl.Enum(["a", "b"])),
            pl.Series([1.0, np.nan, 1.0, 2.0]),
            pl.Series([True, None, True, False]),
        ],
    )
    def test_nulls_wherever_they_hide(self, column):
        frame = polars(column, [0, 0, 1, 1], [1, 2, 3, 4])
        for kind in (frame, frame.lazy()):
            with pytest.raises(ValueError, match="qid must not contain missing values"):
                score(kind)

    @pytest.mark.parametrize("name", POLARS_NUMBERS)
    def test_numbers(self, name):
        three = POLARS_NUMBERS[name]
        assert_three_queries(score(polars(WHICH, score=three.gather(SCORES - 1))))
        assert_three_queries(score(polars(WHICH, grade=three.gather(GRADES))))

    def test_nulls_of_grades(self):
        for grades in (
            [None, True, True, False, False, False, False, True],
            [None, 1, 1, 0, 0, 0, 0, 1],
            [None, *map(Decimal, [1, 1, 0, 0, 0, 0, 1])],
        ):
            frame = polars(WHICH, grade=pl.Series(grades))
            got = score_frame(frame, "judged@2", **COLUMNS)
            assert got.scores["judged@2"].tolist() == [0.5, 1, 1]

    @pytest.mark.parametrize(
        "name", [*POLARS_REFUSED, "String", "Binary", "Categorical", "Enum", "Datetime"]
    )
    def test_other_types_as_numbers(self, name):
        column = {**POLARS_IDS, **POLARS_REFUSED}[name].gather(WHICH)
        with pytest.raises(TypeError, match="y_true must be .*'grade' is of type"):
            score(polars(WHICH, grade=column))


def pandas(query, grade=GRADES, score=SCORES):
    return pd.DataFrame({"query": query, "grade": grade, "score": score})


def objects(values):
    """A column of Python's objects, as they are."""
    return pd.Series([*values], dtype=object)


PANDAS_IDS = {
    "int": pd.Series([BIG, BIG + 1, -BIG]),
    "uint": pd.Series([2**63, 2**63 + 1, 1], dtype="uint64"),
    "float": pd.Series([0.3, 0.1 + 0.2, 5e-324]),
    "str": pd.Series(TEXTS, dtype="str"),
    "string": pd.Series(TEXTS, dtype=pd.StringDtype("python")),
    "texts": objects(TEXTS),
    "bytes": objects(BYTES),
    "dates": objects(DAYS),
    "decimals": objects(DECIMALS),
    "uuids": objects(UUIDS),
    "Int64": pd.Series([BIG, BIG + 1, 1], dtype="Int64"),
    "UInt8": pd.Series([255, 0, 1], dtype="UInt8"),
    "Float32": pd.Series([0.1, 0.1 + 1e-8, 1], dtype="Float32"),
    "datetime": pd.Series(TIMES.view("M8[ns]")),
    "zone": pd.Series(TIMES.view("M8[us]")).dt.tz_localize("UTC"),
    "timedelta": pd.Series(TIMES.view("m8[ns]")),
    "category": pd.Series(pd.Categorical(TEXTS, [*TEXTS[::-1], "unused"])),
    "ordered": pd.Series(pd.Categorical([3, 1, 2], [3, 2, 1, 0], ordered=True)),
    "category of times": pd.Series(
        pd.Categorical(pd.DatetimeIndex(TIMES.view("M8[ns]"), tz="Asia/Kolkata"))
    ),
}
PANDAS_REFUSED = {
    "complex": pd.Series([1j, 2j, 1]),
    "long": objects([10**30, 10**30 + 1, 5]),
    "tuples": objects([(1, 2), (1, "2"), ()]),
    "mixed": objects([1, "1", b"1"]),
    "lists": objects([[1], [2], [3]]),
    "dicts": objects([{"a": 1}, {"b": 2}, {}]),
    "period": pd.Series(pd.period_range("2024-01", periods=3, freq="M")),
    "interval": pd.Series(pd.interval_range(0, 3)),
    "sparse": pd.Series([0, BIG, BIG + 1], dtype="Sparse[int64]"),
    "surrogates": objects(["\ud800", "a", "b"]),
}
PANDAS_NUMBERS = {
    "uint64": pd.Series([0, 2**64 - 2, 2**64 - 1], dtype="uint64"),
    "float16": pd.Series([0, 0.1, 0.2], dtype="float16"),
    "Int64": pd.Series([0, BIG, BIG + 1], dtype="Int64"),
    "UInt64": pd.Series([0, 2**64 - 2, 2**64 - 1], dtype="UInt64"),
    "Float32": pd.Series([0, 0.1, 0.1 + 1e-8], dtype="Float32"),
    "decimals": objects([Decimal(0), Decimal("0.1"), Decimal("0.2")]),
    "objects": objects([0, 0.5, np.int64(1)]),
    "category": pd.Series(pd.Categorical([0, 3, 5], [5, 3, 0])),
    "arrow": pd.Series([0, 1, 2], dtype=pd.ArrowDtype(pa.uint8())),
}


def need_uuids_of_python():
    try:
        pa.array(UUIDS)
    except pa.ArrowInvalid:
        pytest.skip("this pyarrow takes no UUIDs of Python")


class TestPandas:
    @pytest.mark.parametrize("name", PANDAS_IDS)
    def test_ids(self, name):
        if name == "uuids":
            need_uuids_of_python()
        column = PANDAS_IDS[name].take(WHICH).reset_index(drop=True)
        got = score(pandas(column))
        assert_three_queries(got)
        assert len(set(got.query_ids.tolist())) == 3
        if name not in ("zone", "category of times", "dates"):
            assert got.query_ids.tolist() == np.asarray(PANDAS_IDS[name]).tolist()

    @pytest.mark.parametrize("name", PANDAS_REFUSED)
    def test_ids_of_other_types(self, name):
        column = PANDAS_REFUSED[name].take(WHICH).reset_index(drop=True)
        with pytest.raises(TypeError, match="qid must be .*'query' is of type"):
            score(pandas(column))

    @pytest.mark.parametrize(
        "column",
        [
            *(
                objects(["a", missing, "b"])
                for missing in (None, np.nan, pd.NA, pd.NaT)
            ),
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
    )
    def test_nulls_wherever_they_hide(self, column):
        with pytest.raises(ValueError, match="qid must not contain missing values"):
            score(pandas(column, [0, 1, 1], [1, 2, 3]))

    @pytest.mark.parametrize("name", PANDAS_NUMBERS)
    def test_numbers(self, name):
        three = PANDAS_NUMBERS[name]
        scores = three.take(SCORES - 1).reset_index(drop=True)
        assert_three_queries(score(pandas(WHICH, score=scores)))
        grades = three.take(GRADES).reset_index(drop=True)
        assert_three_queries(score(pandas(WHICH, grade=grades)))

    @pytest.mark.parametrize(
        "type_", ["Int64", "Float32", "boolean", "object", "int8[pyarrow]", "category"]
    )
    def test_missing_grades_are_unjudged(self, type_):
        grades = pd.Series([None, *GRADES[1:].tolist()], dtype="Int64").astype(type_)
        got = score_frame(pandas(WHICH, grade=grades), "judged@2", **COLUMNS)
        assert got.scores["judged@2"].tolist() == [0.5, 1, 1]
        with pytest.raises(ValueError, match="y_score must not contain NaN"):
            score(pandas(WHICH, score=grades))

    @pytest.mark.parametrize(
        "column",
        [
            *(
                pd.Series(SCORES).astype(str).astype(type_)
                for type_ in ("str", pd.StringDtype("python"), "category", object)
            ),
            pd.Series(SCORES).astype("m8[ns]"),
            pd.Series(SCORES).astype("M8[ns]"),
            pd.Series(SCORES) * 1j,
            objects(SCORES * 1j),
            objects(DAYS).take(SCORES - 1),
        ],
    )
    def test_other_types_as_numbers(self, column):
        column = column.reset_index(drop=True)
        for parameter in ("grade", "score"):
            message = f"y_(true|score) must be .*'{parameter}' is of type"
            with pytest.raises(TypeError, match=message):
                score(pandas(WHICH, **{parameter: column}))


# What all kinds of frames return for ids of one type.
SAME_IDS = {
    "int": pa.array([3, 1, 2], pa.int32()),
    "float": pa.array([0.5, 1.5, 2.5]),
    "text": pa.array(TEXTS),
    "category": pa.array(TEXTS).dictionary_encode(),
    "bytes": pa.array(BYTES),
    "date": pa.array(DAYS[1:] + [datetime.date(1970, 1, 1)]),
    "decimal": pa.array(DECIMALS),
    "time": view(pa.timestamp("us"), TIMES),
    "zone": view(pa.timestamp("us", "Europe/Berlin"), TIMES),
    "duration": view(pa.duration("us"), TIMES),
}


def as_dask(frame):
    dask = pytest.importorskip("dask")
    dd = pytest.importorskip("dask.dataframe")
    with dask.config.set({"dataframe.convert-string": False}):
        return dd.from_pandas(frame, npartitions=2, sort=False)


class TestSameIds:
    @pytest.mark.parametrize("name", SAME_IDS)
    def test_of_every_kind_of_frame(self, name, tmp_path):
        table = arrow(take(SAME_IDS[name], WHICH))
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
            integers = SAME_IDS[name].cast(pa.int32() if name == "date" else pa.int64())
            assert want.astype("i8").tolist() == integers.to_pylist()
        for frame in kinds.values():
            got = score(frame)
            assert_three_queries(got)
            assert_array_equal(got.query_ids, want)
            assert got.query_ids.dtype.kind == want.dtype.kind

    def test_uuids_of_pandas_and_arrow(self):
        need_uuids_of_python()
        column = take(IDS["uuid"], WHICH)
        assert score(arrow(column)).query_ids.tolist() == UUIDS
        assert (
            score(pandas(objects(UUIDS[i] for i in WHICH))).query_ids.tolist() == UUIDS
        )
