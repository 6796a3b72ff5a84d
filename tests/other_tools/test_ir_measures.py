"""What ir_measures and PyTerrier say of a run, beside `score_run`."""

import importlib

import numpy as np
import pytest

from oracles.places import ROOT
from sklearn_irmetrics import score_run

pytest.importorskip("ir_measures")


@pytest.fixture(scope="module")
def tools():
    path = ROOT / "benchmarks"
    if not path.is_dir():
        pytest.skip("benchmarks/ is not here")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(path)
        return importlib.import_module("conformance_runs")


def theirs(tools, name, provider, qrels, run):
    try:
        return tools.ir_measures_values(name, provider, qrels, run)
    except ImportError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("place", range(31))
def test_the_values_of_ir_measures(tools, place, ties):
    name, provider, ours = tools.IR_MEASURES[place]
    if ties and provider not in tools.ALIKE_IN_TIES:
        pytest.skip("it orders tied documents in another way")
    for seed in range(3 if provider == "gdeval" else 25):
        if provider == "pyndeval":
            qrels, run = tools.draw_subtopics(seed, n_queries=4)
        else:
            qrels, run = tools.draw_collection(seed, ties=ties, n_queries=12)
        expected = theirs(tools, name, provider, qrels, run)
        found = tools.our_values(ours or name, qrels, run)
        assert found.keys() == expected.keys()
        tolerance = tools.TOLERANCE.get(provider, 1e-9)
        assert found == pytest.approx(expected, abs=tolerance)


def test_every_measure_is_compared(tools):
    assert len(tools.IR_MEASURES) == 31


def test_ties_are_read_from_float32(tools):
    qrels = {"q": {"a": 1, "b": 0}}
    run = {"q": {"a": 1.00000001, "b": 1.0}}
    expected = theirs(tools, "RR", "pytrec_eval", qrels, run)
    assert expected == tools.our_values("RR", qrels, run) == {"q": 0.5}
    assert list(score_run(qrels, run, "RR").mean.values()) == [1.0]


def test_ties_of_other_providers(tools):
    """RR@k and Judged@k put the least id first, RBP what the run lists first."""
    qrels = {"q": {"b": 1}}
    run = {"q": {"a": 0.5, "b": 0.5}}
    for name, provider, there, here in (
        ("RR@1", "msmarco", 0, 1),
        ("Judged@1", "judged", 0, 1),
        ("RBP(p=0.8,rel=1)", "cwl_eval", 0.16, 0.2),
    ):
        found = theirs(tools, name, provider, qrels, run)
        assert found == {"q": pytest.approx(there)}
        assert tools.our_values(name, qrels, run) == {"q": pytest.approx(here)}
    run = {"q": {"b": 0.5, "a": 0.5}}
    found = theirs(tools, "RBP(p=0.8,rel=1)", "cwl_eval", qrels, run)
    assert found == {"q": pytest.approx(0.2)}


def test_negative_grades_are_not_judgments_here(tools):
    qrels, run = {"q": {"a": -1, "b": 1}}, {"q": {"a": 2.0, "c": 1.0}}
    assert theirs(tools, "Judged@2", "judged", qrels, run) == {"q": 0.5}
    assert tools.our_values("Judged@2", qrels, run) == {"q": 0}


def test_beta_there_is_the_square_of_beta_here(tools):
    qrels, run = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"a": 2.0}}
    precision, recall = 1, 1 / 3
    for name, square in (("set_f(beta=2)", 4), (f"set_f(beta={2**0.5})", 2)):
        wanted = (1 + square) * precision * recall / (square * precision + recall)
        assert tools.our_values(name, qrels, run) == {"q": pytest.approx(wanted)}
    found = theirs(tools, "SetF(beta=2.0)", "pytrec_eval", qrels, run)
    assert found == {"q": pytest.approx(wanted)}


def test_means_count_queries_that_the_run_lacks(tools):
    ir_measures = pytest.importorskip("ir_measures")
    qrels, run = tools.draw_collection(0, ties=True)
    assert len(run) < len(qrels)
    measure = ir_measures.nDCG @ 10
    expected = ir_measures.calc_aggregate([measure], qrels, run)[measure]
    found = score_run(qrels, run, "nDCG@10", **tools.LIKE_TREC_EVAL).mean
    assert list(found.values()) == [pytest.approx(expected)]


@pytest.mark.parametrize("ties", [False, True])
def test_the_values_of_pyterrier(tools, ties):
    pytest.importorskip("pyterrier")
    for seed in range(3):
        topics, qrels, run = tools.as_frames(*tools.draw_collection(seed, ties=ties))
        expected = tools.pyterrier_values(tools.PYTERRIER, topics, qrels, run)
        for name in tools.PYTERRIER:
            found = tools.our_values(name, qrels, run)
            assert found
            for query, value in found.items():
                assert value == pytest.approx(expected[name, query], abs=1e-9)


def test_pyterrier_leaves_out_what_is_no_topic(tools):
    pytest.importorskip("pyterrier")
    topics, qrels, run = tools.as_frames(*tools.draw_collection(0, ties=False))
    found = tools.pyterrier_values(["map"], topics[:3], qrels, run)
    assert [query for _, query in found] == topics.qid[:3].tolist()
    kept = qrels[qrels.qid.isin(topics.qid[:3])]
    ours = tools.our_values("map", kept, run)
    np.testing.assert_allclose(list(ours.values()), list(found.values()))
