"""Pools of runs, and what runs owe to them."""

import io

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_irmetrics import score_run
from sklearn_irmetrics.runs import (
    leave_one_out_pool,
    pool,
    read_qrels,
    write_qrels,
    write_run,
)

RUNS = {
    "a": {"q2": {"d1": 3.0, "d2": 2.0, "d9": 2.0}, "q1": ["d4", "d5"]},
    "b": {"q2": {"d3": 3.0, "d1": 2.0}},
    "c": {"q2": {"d3": 9.0, "d7": 8.0}, "q1": {"d5": 1.0, "d4": 0.0}},
}
QRELS = {"q1": {"d4": 1, "d5": 0}, "q2": {"d1": 1, "d3": 2, "d7": 0, "d8": 1, "d9": 2}}


def draw_runs(seed, n_runs=5, n_queries=6, n_documents=30):
    rng = np.random.default_rng(seed)
    qrels = {
        f"q{i}": {f"d{j}": int(rng.integers(0, 3)) for j in range(n_documents)}
        for i in range(n_queries)
    }
    runs = {
        f"run{r}": {
            qid: {
                f"d{j}": float(rng.integers(0, 9))  # with ties
                for j in rng.choice(n_documents, 12, replace=False)
            }
            for qid in qrels
        }
        for r in range(n_runs)
    }
    return qrels, runs


def naive_top(run, depth):
    """Return the documents of each query down to a rank, as trec_eval orders them."""
    return {
        qid: sorted(scores, key=lambda d: (scores[d], d.encode()), reverse=True)[:depth]
        for qid, scores in run.items()
    }


def test_a_pool_holds_the_first_documents_of_every_run():
    found = pool(RUNS, 2)
    pairs = list(zip(found.qid, found.docno, strict=True))
    # d9 comes before d2, which has the same score.
    assert pairs == [
        *(("q1", "d4"), ("q1", "d5")),
        *(("q2", "d1"), ("q2", "d3"), ("q2", "d7"), ("q2", "d9")),
    ]
    assert (found.grade == -1).all()
    as_list = pool(list(RUNS.values()), 2)
    assert as_list.docno.tolist() == found.docno.tolist()


@pytest.mark.parametrize("depth", [1, 3, 12, 1000])
def test_a_pool_is_what_sorting_by_hand_gives(depth):
    _, runs = draw_runs(depth)
    found = pool(runs, depth)
    expected = {
        (qid, docno)
        for run in runs.values()
        for qid, documents in naive_top(run, depth).items()
        for docno in documents
    }
    assert set(zip(found.qid, found.docno, strict=True)) == expected
    assert len(found) == len(expected)


def test_a_pool_is_written_and_read():
    found, file = pool(RUNS, 2), io.StringIO()
    write_qrels(found, file)
    again = read_qrels(io.StringIO(file.getvalue()))
    assert again.docno.tolist() == found.docno.tolist()
    assert (again.grade == -1).all()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("teams", [None, {"run0": 1, "run1": 1}])
def test_a_run_is_scored_without_the_judgments_that_only_it_brought(seed, teams):
    qrels, runs = draw_runs(seed)
    groups = None if teams is None else {name: teams.get(name, name) for name in runs}
    found = leave_one_out_pool(qrels, runs, ["map", "p@5"], depth=5, groups=groups)
    tops = {name: naive_top(run, 5) for name, run in runs.items()}
    for name, run in runs.items():
        own = groups or {one: one for one in runs}
        ours = [one for one in runs if own[one] == own[name]]
        others = [one for one in runs if own[one] != own[name]]
        left, n_unique = {}, 0
        for qid, grades in qrels.items():
            left[qid] = {}
            for docno, grade in grades.items():
                is_ours = any(docno in tops[one][qid] for one in ours)
                if is_ours and not any(docno in tops[one][qid] for one in others):
                    n_unique += 1
                else:
                    left[qid][docno] = grade
        assert found.n_unique[name] == n_unique
        for scores, judgments in ((found.scores, qrels), (found.without, left)):
            expected = score_run(judgments, run, ["map", "p@5"])
            for metric, values in expected.scores.items():
                assert_allclose(scores[name].scores[metric], values, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:.*run has no documents")
def test_a_query_that_loses_all_judgments_stays():
    found = leave_one_out_pool(
        {"q1": {"d1": 1}, "q2": {"d2": 1, "d3": 1}},
        {"a": {"q1": ["d1"], "q2": ["d2"]}, "b": {"q2": ["d3", "d2"]}},
        "p@1",
        replace_undefined_by=0.0,
    )
    assert found.scores["a"].mean["p@1"] == 1.0
    assert found.without["a"].query_ids.tolist() == ["q1", "q2"]
    assert found.without["a"].mean["p@1"] == 0.5


@pytest.mark.filterwarnings("ignore:.*run has no documents")
def test_runs_of_passages_pool_documents():
    options = {"docno": lambda passage: passage.partition("#")[0], "merge": "max"}
    runs = {"a": {"q2": ["d1", "d9"]}, "b": {"q2": ["d3", "d1", "d7"]}}
    passages = {
        name: {"q2": [f"{docno}#{i}" for docno in run["q2"] for i in range(2)]}
        for name, run in runs.items()
    }
    found = leave_one_out_pool(QRELS, passages, "map", depth=2, **options)
    expected = leave_one_out_pool(QRELS, runs, "map", depth=2)
    assert found.n_unique == expected.n_unique == {"a": 1, "b": 1}
    assert str(found) == str(expected)
    with pytest.raises(TypeError, match="docno must be a function"):
        leave_one_out_pool(QRELS, RUNS, "map", docno="#")


@pytest.mark.filterwarnings("ignore:.*run has no documents")
def test_it_is_a_table():
    pytest.importorskip("pandas")
    found = leave_one_out_pool(QRELS, RUNS, ["map", "p@1"], depth=2)
    frame = found.to_frame()
    assert list(frame.columns) == [
        *("system", "measure", "pooled", "not_pooled", "n_unique")
    ]
    assert len(frame) == 6
    row = frame[(frame.system == "c") & (frame.measure == "p@1")].iloc[0]
    assert row.pooled == found.scores["c"].mean["p@1"]
    assert "not pooled" in repr(found)
    assert "c " in found.to_markdown()


def test_a_stream_can_be_read_only_once():
    files = {}
    for name, run in RUNS.items():
        write_run(run, file := io.StringIO())
        files[name] = io.StringIO(file.getvalue())
    with pytest.warns(UserWarning, match="run has no documents"):
        expected = leave_one_out_pool(QRELS, RUNS, "map", depth=2)
    with pytest.warns(UserWarning, match="run has no documents"):
        found = leave_one_out_pool(QRELS, files, "map", depth=2)
    assert str(found) == str(expected)


def test_measures_of_subtopics_have_no_pool():
    with pytest.raises(TypeError, match="subtopic"):
        leave_one_out_pool(QRELS, RUNS, "alpha_ndcg@5")


def test_names_that_read_alike_are_refused():
    with pytest.raises(ValueError, match="runs must have names that differ as strings"):
        leave_one_out_pool(QRELS, {1: RUNS["a"], "1": RUNS["a"]}, "map")


def test_a_query_that_only_one_run_answers_is_undefined_without_it():
    qrels = {"q1": {"x": 1}, "q2": {"y": 1}}
    runs = {"a": {"q1": ["z", "x"], "q2": ["y"]}, "b": {"q1": ["z"], "q2": ["y"]}}
    options = {"metrics": "map", "unmatched": "ignore"}
    with pytest.warns(UndefinedMetricWarning, match="undefined in 1 of 2 queries"):
        found = leave_one_out_pool(qrels, runs, **options)
    assert (found.scores["a"].mean["map"], found.without["a"].mean["map"]) == (0.75, 1)
    found = leave_one_out_pool(qrels, runs, replace_undefined_by=0, **options)
    assert found.without["a"].mean["map"] == 0.5
