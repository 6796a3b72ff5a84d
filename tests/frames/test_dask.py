"""`score_frame` on Dask, run for real on two workers of this machine."""

import itertools
import os
import re
from uuid import uuid4

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from oracles.clusters import (
    CASES,
    GRADES,
    LAZY,
    MEASURES,
    cases,
    check_doubts,
    check_lazy,
    check_sums,
    functions,
    undefined,
    with_countries,
)
from oracles.frames import COLUMNS, check_frame, check_warnings, shuffled
from sklearn_irmetrics.frames import score_frame, score_lazily

pd = pytest.importorskip("pandas")

# Their releases lag behind those of what they stand on, and say so.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]


@pytest.fixture(scope="module")
def dd():
    pytest.importorskip("pyarrow")  # which Dask's DataFrames need
    return pytest.importorskip("dask.dataframe")


def cut(frame, n_parts):
    ends = np.linspace(0, len(frame), n_parts + 1).astype(int)
    return [frame.iloc[start:end] for start, end in itertools.pairwise(ends)]


def partition(dd, *frames):
    """A Dask DataFrame of parts as they are, which Dask would make text of."""
    dask = pytest.importorskip("dask")
    with dask.config.set({"dataframe.convert-string": False}):
        parts = [dask.delayed(frame) for frame in frames]
        return dd.from_delayed(parts, meta=frames[0].head(0), verify_meta=False)


def split(dd, frame, n_partitions=4):
    return dd.from_pandas(frame, npartitions=n_partitions, sort=False)


class TestDask:
    @pytest.mark.parametrize("n_partitions", [1, 9])
    @pytest.mark.parametrize("order", [lambda frame: frame, shuffled])
    def test_on_two_workers(self, dd, dask_client, order, n_partitions):
        assert len(set(dask_client.run(os.getpid).values()) - {os.getpid()}) == 2
        frame = order(GRADES)
        parts = split(dd, frame, n_partitions)
        check_frame(parts, frame, MEASURES, sample_weight="weight")

    def test_parquet_on_two_workers(self, dd, dask_client, tmp_path):
        frame = GRADES.astype({"query": str})
        split(dd, frame).to_parquet(tmp_path)
        check_frame(dd.read_parquet(tmp_path), frame, MEASURES)

    @pytest.mark.parametrize("ties", ["stable", "optimistic"])
    def test_rules_for_ties(self, dd, ties):
        frame = shuffled(GRADES)
        check_frame(split(dd, frame, 6), frame, MEASURES, ties=ties)

    @cases
    def test_what_frames_may_hold(self, dd, case):
        metrics, options = CASES[case]
        frame = shuffled(GRADES)
        check_frame(partition(dd, *cut(frame, 3)), frame, metrics, **options)

    @pytest.mark.parametrize(
        "ids",
        [
            lambda ids: [f"q{i}" for i in ids],
            lambda ids: pd.Categorical([f"q{i}" for i in ids]),
            lambda ids: pd.Timestamp(2024, 1, 1) + pd.to_timedelta(ids, "D"),
            lambda ids: (10**13 + ids.to_numpy()).view("M8[s]"),  # no microseconds
            lambda ids: pd.array(ids, dtype="Int32"),
            lambda ids: pd.array(["a" + "\0" * i for i in ids], dtype=object),
        ],
    )
    def test_ids_of_other_types(self, dd, ids):
        frame = shuffled(GRADES)
        frame["query"] = ids(frame["query"])
        got = check_frame(partition(dd, *cut(frame, 4)), frame, "map")
        assert set(got.query_ids.tolist()) == set(frame["query"].to_numpy().tolist())

    def test_times_of_several_units(self, dd):
        frame = shuffled(GRADES)
        days = pd.to_datetime(frame["query"], unit="D")
        halves = [
            half.assign(query=days[half.index].astype(f"datetime64[{unit}]"))
            for half, unit in zip(cut(frame, 2), ("s", "ns"), strict=True)
        ]
        check_frame(partition(dd, *halves), frame.assign(query=days), "map")

    @pytest.mark.parametrize(
        "names",
        [
            ["query number", "place of row", "ids", "place"],
            ["place", "y_true", "qid", "ids"],
        ],
    )
    def test_names_of_other_columns(self, dd, names):
        columns = {**COLUMNS, "sample_weight": "weight"}
        own = dict(zip(columns.values(), names, strict=True))
        frame = shuffled(GRADES[[*own]]).rename(columns=own)
        columns = {parameter: own[name] for parameter, name in columns.items()}
        parts = partition(dd, *cut(frame, 4))
        check_frame(parts, frame, MEASURES, ties="stable", **columns)

    def test_columns_that_nothing_needs_may_be_named_alike(self, dd):
        frame = shuffled(GRADES)
        frame = pd.concat([frame, frame[["weight"]]], axis=1)
        check_frame(partition(dd, *cut(frame, 4)), frame, "map")

    @pytest.mark.parametrize(
        ("first", "other"),
        [("int64", "uint64"), ("int8", "float32"), ("UInt64", "int64[pyarrow]")],
    )
    def test_numbers_of_types_that_are_unified_exactly(self, dd, first, other):
        large = 2**62 if "int64" in other else 0
        frame = shuffled(GRADES)
        frame["query"] += large
        frame["score"] = np.arange(len(frame)) % 100
        halves = [
            half.astype({"query": type_, "score": type_})
            for half, type_ in zip(cut(frame, 2), (first, other), strict=True)
        ]
        check_frame(partition(dd, *halves), frame, MEASURES)

    @pytest.mark.parametrize(
        ("first", "other"),
        [
            ([1, 2], ["1", "2"]),
            (["1", "2"], [b"1", b"2"]),
            ([1, 2], [True, False]),
            (["1", "2"], np.array([1, 2])),
            (
                pd.DatetimeIndex(["2024-01-01", "2024-01-02"]),
                pd.DatetimeIndex(["2024-01-01", "2024-01-02"], tz="Asia/Kolkata"),
            ),
        ],
    )
    def test_ids_of_different_types(self, dd, first, other):
        halves = [
            pd.DataFrame({"query": ids, "grade": [0, 1], "score": [1, 2]})
            for ids in (first, other)
        ]
        pa = pytest.importorskip("pyarrow")
        types = [re.escape(str(pa.array(half["query"]).type)) for half in halves]
        message = (
            f"qid must be of one type throughout; column 'query' is of type {types[0]} "
            f"in partition 0 and of type {types[1]} in partition 1"
        )
        with pytest.raises(TypeError, match=message):
            score_frame(partition(dd, *halves), "map", **COLUMNS)

    def test_empty_partitions(self, dd):
        parts, first = split(dd, GRADES), GRADES["query"].iloc[0]
        few = GRADES[GRADES["query"] == first]
        check_frame(parts[parts["query"] == first], few, "map")
        with pytest.raises(ValueError, match="frame must hold at least one row"):
            score_frame(parts[parts["query"] < 0], "map", **COLUMNS)

    def test_undefined_queries_are_warned_of_once(self, dd):
        frame = GRADES.assign(grade=GRADES["query"] % 2)
        assert check_warnings(split(dd, frame), frame, "map", UndefinedMetricWarning)

    @undefined
    def test_sums_and_lazy_scores(self, dd, dask_client):
        frame = with_countries(shuffled(GRADES))
        parts = partition(dd, *cut(frame, 9))
        check_sums(parts, frame)
        check_lazy(score_lazily(parts, MEASURES, **LAZY).compute(), frame)

    @undefined
    @functions
    def test_rows_are_made_once(self, dd, dask_client, function, tmp_path):
        def make(part):
            (tmp_path / uuid4().hex).write_text(str(len(part)))
            return part

        dask = pytest.importorskip("dask")
        parts = [dask.delayed(make)(part) for part in cut(shuffled(GRADES), 5)]
        frame = dd.from_delayed(parts, meta=GRADES.head(0), verify_meta=False)
        function(frame, "map", **COLUMNS)
        made = [int(path.read_text()) for path in tmp_path.iterdir()]
        assert sum(made) == len(GRADES)

    def test_columns_that_may_be_swapped_are_warned_of(self, dd):
        check_doubts(split(dd, GRADES.assign(grade=0.5)))

    def test_errors(self, dd):
        parts = split(dd, GRADES)
        with pytest.raises(ValueError, match="y_true must name a column"):
            score_frame(parts, "map", **COLUMNS | {"y_true": "rel"})
        with pytest.raises(ValueError, match="k must be an integer >= 1"):
            score_frame(parts, "map@0", **COLUMNS)
        varying = parts.assign(weight=parts["query"] + parts["grade"] + 10)
        with pytest.raises(ValueError, match="constant inside a query"):
            score_frame(varying, "map", **COLUMNS, sample_weight="weight")
        ids = GRADES["query"].astype(float).mask(GRADES.index == 5)
        with pytest.raises(ValueError, match="qid must not contain missing values"):
            score_frame(split(dd, GRADES.assign(query=ids)), "map", **COLUMNS)
