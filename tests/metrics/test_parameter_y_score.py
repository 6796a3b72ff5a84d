"""Predictions passed as scores, and rankings that only look like predictions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.metrics import f1_score

import sklearn_irmetrics as irm
from oracles.cases import call_of
from oracles.measures import MARKS, METRICS
from sklearn_irmetrics import Measure, score_queries
from sklearn_irmetrics.metrics import set_f1_score
from sklearn_irmetrics.reports import RankingEvaluator

SETS = sorted(name for name, row in METRICS.items() if row.kind == "set")
RANKERS = sorted(name for name, row in METRICS.items() if row.ranks and row.exact_ties)


def both_doors(y_true, y_score, metrics, **options):
    """Yield functions that score a ranking in either door."""
    yield lambda: score_queries(y_true, y_score, metrics, **options).mean
    yield lambda: RankingEvaluator(y_true, metrics, **options)(y_score)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    "numbers", [0.0, 1.0, 2, 0.3, [0.0, 1, 1, 0, 1, 0], [0, 1, 2, 0, 0, 1]]
)
def test_scores_of_all_documents_do_not_say_what_was_retrieved(name, numbers):
    y_score = np.broadcast_to(numbers, 6)
    y_true, qid = [1, 0, 1, 1, 0, 0], [1, 1, 1, 2, 2, 2]
    for score_it in both_doors(y_true, y_score, name, qid=qid):
        with pytest.raises(
            ValueError, match="y_score must say what was retrieved.*0.5"
        ):
            score_it()


@pytest.mark.parametrize(
    ("y_score", "retrieved"),
    [
        ([0, -np.inf, 0], [1, 0, 1]),
        ([1, 1, -np.inf], [1, 1, 0]),
        ([-np.inf] * 3, [0, 0, 0]),
        ([True] * 3, [1, 1, 1]),
        ([False] * 3, [0, 0, 0]),
        ([True, False, True], [1, 0, 1]),
        ([1, 0, 1], [1, 0, 1]),
        ([0, 0, 0], [0, 0, 0]),
        (np.array([1, 0, 1], np.uint8), [1, 0, 1]),
    ],
)
def test_input_that_says_what_was_retrieved_is_a_set(y_score, retrieved):
    y_true, names = [1, 0, 1], ["set_recall", "set_accuracy", "set_f1", "set_e"]
    expected = {
        name: Measure(name)(y_true, retrieved, replace_undefined_by=-1)
        for name in names
    }
    doors = both_doors(y_true, np.array(y_score), names, replace_undefined_by=-1)
    for score_it in doors:
        assert score_it() == expected


def test_one_query_that_leaves_documents_out_speaks_for_all():
    y_true, qid = [1, 0, 1, 0], [1, 1, 2, 2]
    for score_it in both_doors(y_true, [0, 0, 0.3, -np.inf], "set_p", qid=qid):
        assert score_it() == {"set_p": 0.75}


def test_a_sparse_ranking_lists_what_it_retrieved():
    y_true, y_score = csr_array([[1, 0, 1]]), csr_array([[1, 1, 0]])
    for score_it in both_doors(y_true, y_score, ["set_recall", "set_p"]):
        assert score_it() == {"set_recall": 0.5, "set_p": 0.5}


def test_runs_list_what_they_retrieved_whatever_its_scores():
    found = irm.score_run({"a": {"x": 1, "y": 1}}, {"a": {"x": 0, "z": 0}}, "set_f1")
    assert found.mean == {"set_f1": 0.5}


@pytest.mark.parametrize("name", RANKERS)
def test_equal_scores_are_one_tie_whatever_the_number(name):
    (y_true, y_score), options = call_of(name, 200, 20)
    options.pop("average", None)
    qid = options.pop("qid")
    marks = {mark: options.pop(mark) for mark in MARKS if mark in options}
    measure = Measure(name, **options, replace_undefined_by=1.0)
    found = [
        measure(y_true, np.full(len(y_score), number), qid=qid, **marks)
        for number in (0, 1, 1.0, False, 0.3, -7)
    ]
    for number in (0, 1, True, 0.3):
        equal = np.full(len(y_score), number)
        for score_it in both_doors(y_true, equal, {"m": measure}, qid=qid, marks=marks):
            found.append(score_it()["m"])
    assert_allclose(found, found[0], rtol=0, atol=1e-14)


def test_predicted_classes_lead_to_their_measures():
    y_true, y_pred = [0, 1, 2, 1], [0, 1, 2, 2]
    with pytest.raises(ValueError, match=r"class_report.*set_f1\(pos_label=2\)"):
        score_queries(y_true, y_pred, ["set_f1(average='macro')"])
    one = score_queries(y_true, y_pred, ["set_f1(pos_label=2)"])
    assert one.mean["set_f1(pos_label=2)"] == pytest.approx(2 / 3)
    labels = np.unique(y_true)
    macro = set_f1_score(y_true, y_pred, labels=labels, average="macro")
    assert macro == pytest.approx(f1_score(y_true, y_pred, average="macro"))
    for measure in ("set_e", "set_f1"):
        of_set = score_queries([0, 1, 1, 0], [0, 1, 0, 1], measure)
        assert of_set.mean[measure] == 0.5
