"""Measures of frames: rules that hold for the rows of all batches together."""

import re

import numpy as np
import pytest

from oracles.frames import (
    COLUMNS,
    as_stream,
    check_frame,
    make_frame,
    score_arrays,
)
from sklearn_irmetrics.exceptions import FractionalGradesWarning
from sklearn_irmetrics.frames import score_frame, summarize_frame

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")


def test_scores_of_all_rows_do_not_say_what_was_retrieved():
    table = {"query": [1, 1, 2, 2, 3, 3], "grade": [1, 0] * 3}
    options = {**COLUMNS, "batch_size": 2}
    frame = pd.DataFrame({**table, "score": [0.2, 0.1, 1, 1, 1, 0]})
    with pytest.raises(ValueError, match="gives every document a rank"):
        score_frame(as_stream(frame, 2), ["map", "set_p"], **options)
    for score in [[1, 0, 1, 0, 2, -np.inf]], [[1, 0, 1, 0, 1, 0]]:
        frame = pd.DataFrame({**table, "score": score[0]})
        got = score_frame(as_stream(frame, 2), ["map", "set_p"], **options)
        assert got.mean["set_p"] == (1.0 if score[0][4] == 1 else 2 / 3)


def test_columns_that_may_be_swapped_are_warned_of():
    frame = make_frame().assign(grade=0.5)
    for table in (frame, as_stream(frame)):
        with pytest.warns(FractionalGradesWarning, match="all above 0") as caught:
            assert score_frame(table, "map", **COLUMNS).mean["map"] > 0.5
        assert len(caught) == 1


def test_weights_may_be_zero_in_a_batch():
    frame = make_frame()
    frame["weight"] = (frame["query"] == frame["query"].iloc[-1]).astype(int)
    options = {"sample_weight": "weight", "batch_size": 10}
    check_frame(as_stream(frame), frame, "map", **options)


@pytest.mark.parametrize("form", [lambda frame: frame, as_stream])
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (lambda frame: 0, "not all zero"),
        (lambda frame: -1, "non-negative"),
        (lambda frame: np.arange(len(frame)), "constant inside a query"),
    ],
)
def test_wrong_weights(form, weights, message):
    table = form(make_frame().assign(weight=weights))
    options = {"sample_weight": "weight", "batch_size": 10}
    with pytest.raises(ValueError, match=f"sample_weight must be .*{message}"):
        score_frame(table, "map", **COLUMNS, **options)


@pytest.mark.parametrize(
    ("metric", "grade", "message"),
    [
        ("ndcg", -1.0, "negative grades"),
        ("err(max_grade=3)", 4.0, "max_grade must be at least"),
        ("ndcg(gain='exponential')", 1001.0, "overflows above grade 1000"),
        ("ndcg(gain={1: 1, 2: 3, 3: 5})", 4.0, "list every grade"),
    ],
)
def test_one_grade_breaks_a_rule(metric, grade, message):
    frame = make_frame()
    frame.loc[700, "grade"] = grade
    with pytest.raises(ValueError, match=message):
        score_arrays(frame, metric)
    with pytest.raises(ValueError, match=message):
        score_frame(as_stream(frame), metric, **COLUMNS, batch_size=10)


def test_largest_grade_is_not_in_every_batch():
    frame = make_frame().sort_values(["query", "grade"])
    frame["grade"] = np.minimum(frame["grade"], frame["query"] % 5)
    metrics = ["err", "err(max_grade=5)", "rbp(max_grade=9)", "q", "ndcg"]
    check_frame(as_stream(frame), frame, metrics, batch_size=10)


def test_cost_matrix_means_the_same_classes_in_every_batch():
    frame = make_frame()
    frame["grade"] = frame["query"] % 3
    frame["predicted"] = frame["grade"] * frame["retrieved"]
    metric = "set_cost(cost_matrix=[[0, 1, 2], [4, 8, 16], [32, 64, 128]])"
    options = {"y_score": "predicted", "batch_size": 10}
    check_frame(as_stream(frame), frame, [metric], **options)
    frame["grade"] += 5
    with pytest.raises(ValueError, match="labels must name every class"):
        score_frame(as_stream(frame), metric, **COLUMNS | options)


@pytest.mark.parametrize("missing", [None, np.nan])
def test_segments_are_not_missing(missing):
    frame = make_frame()
    frame["country"] = np.where(frame["query"] == 2, missing, 1.0)
    message = "by must not contain missing values .*; got one for query 2. Fill"
    with pytest.raises(ValueError, match=message):
        summarize_frame(frame, "map", **COLUMNS, by="country")


@pytest.mark.parametrize("ids", [int, str, "datetime64[ns]"])
@pytest.mark.parametrize("name", ["by", "sample_weight"])
def test_the_query_in_which_a_column_varies_is_named(ids, name):
    frame = make_frame().astype({"query": ids}).assign(rest=1)
    row = frame.index[frame["query"] == frame["query"].iloc[-1]][-1]
    frame.loc[row, "rest"] = 2
    query = frame["query"].to_numpy()[-1]
    shown = repr(query.item() if ids is int else query)
    message = f"{name} must be constant inside a query; it varies in query {shown}."
    with pytest.raises(ValueError, match=re.escape(message)):
        summarize_frame(frame, "map", **COLUMNS, **{name: "rest"})


@pytest.mark.parametrize("ids", [int, str])
def test_a_document_that_a_query_has_twice(ids):
    frame = make_frame().astype({"query": ids})
    frame["doc"] = np.arange(len(frame)).astype(str).astype(ids)
    row = frame.index[frame["query"] == frame["query"].iloc[-1]][-3:]
    frame.loc[row[2], "doc"] = frame.loc[row[0], "doc"]
    query, doc = (frame[name].tolist()[-1] for name in ("query", "doc"))
    with pytest.raises(ValueError, match=f"once; query {query!r} has {doc!r} twice"):
        score_frame(frame, "map", **COLUMNS, doc="doc")
    frame["doc"] = frame["doc"].mask(frame.index == 3)
    with pytest.raises(ValueError, match="doc must not contain missing values"):
        score_frame(frame, "map", **COLUMNS, doc="doc")
