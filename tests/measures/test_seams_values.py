"""Predictions passed as scores, functions as gains, and undefined micro averages."""

import itertools
import tracemalloc
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

import sklearn_irmetrics as irm
from oracles.cases import call_of
from oracles.measures import MARKS, METRICS
from sklearn_irmetrics import Measure, RankingEvaluator, score_queries
from sklearn_irmetrics.metrics._ranking import compute as score

SETS = sorted(name for name, row in METRICS.items() if row.kind == "set")
COUNTED = ["p@2", "p", "recall@2", "recall", "f1@2", "f1", "f(beta=2)@3"]
RANKERS = sorted(name for name, row in METRICS.items() if row.ranks and row.exact_ties)


def both_doors(y_true, y_score, metrics, **options):
    """Yield functions that score a ranking in either door."""
    yield lambda: score_queries(y_true, y_score, metrics, **options).mean
    yield lambda: RankingEvaluator(y_true, metrics, **options)(y_score)


# Scores that are predictions ----------------------------------------------------------


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("numbers", [0, 1, 0.0, 1.0, [0, 1, 1, 0, 1, 0]])
def test_scores_of_0_and_1_are_predictions(name, numbers):
    y_score = np.broadcast_to(numbers, 6)
    y_true, qid = [1, 0, 1, 1, 0, 0], [1, 1, 1, 2, 2, 2]
    for score_it in both_doors(y_true, y_score, name, qid=qid):
        with pytest.raises(ValueError, match="only zeros and ones.*as y_pred, or as b"):
            score_it()


@pytest.mark.parametrize(
    ("y_score", "retrieved"),
    [
        ([2, 2, 2], [1, 1, 1]),
        ([0.5, 0.5, 0.5], [1, 1, 1]),
        ([0, 1, 2], [1, 1, 1]),
        ([0, -np.inf, 0], [1, 0, 1]),
        ([1, 1, -np.inf], [1, 1, 0]),
        ([-np.inf] * 3, [0, 0, 0]),
        ([True] * 3, [1, 1, 1]),
        ([False] * 3, [0, 0, 0]),
        ([True, False, True], [1, 0, 1]),
    ],
)
def test_what_tells_itself_from_predictions_is_a_ranking(y_score, retrieved):
    y_true, names = [1, 0, 1], ["set_recall", "set_accuracy", "set_f1"]
    expected = {
        name: Measure(name)(y_true, retrieved, replace_undefined_by=-1)
        for name in names
    }
    doors = both_doors(y_true, np.array(y_score), names, replace_undefined_by=-1)
    for score_it in doors:
        assert score_it() == expected
    given = score_queries(
        y_true, [0, 0, 0], names, y_pred=retrieved, replace_undefined_by=-1
    )
    assert given.mean == expected


def test_one_query_that_is_ranked_tells_for_all():
    y_true, qid = [1, 0, 1, 0], [1, 1, 2, 2]
    for score_it in both_doors(y_true, [0, 0, 0.3, 0.2], "set_p", qid=qid):
        assert score_it() == {"set_p": 0.5}


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
    measure = Measure(name, **options, replace_undefined_by=0.0)
    found = [
        measure(y_true, np.full(len(y_score), number), qid=qid, **marks)
        for number in (0, 1, 1.0, False, 0.3, -7)
    ]
    for number in (0, 1, True, 0.3):
        equal = np.full(len(y_score), number)
        for score_it in both_doors(y_true, equal, {"m": measure}, qid=qid, marks=marks):
            found.append(score_it()["m"])
    assert_allclose(found, found[0], rtol=0, atol=1e-14)


# Functions as gains and discounts -----------------------------------------------------

RNG = np.random.default_rng(7)
LENGTHS = RNG.integers(1, 30, 40)
QID = np.repeat(np.arange(40), LENGTHS)
GRADES = RNG.choice([1.0, 2.0, 4.0, np.nan], len(QID))
SCORES = RNG.choice([-np.inf, 1.0, 2.0, 3.0, 4.0, 5.0], len(QID))


def relative(grades):
    """Return a gain that depends on all the grades that it is called with."""
    return grades / grades.max()


def test_functions_are_called_once_with_what_occurs():
    seen = []

    def gain(grades):
        seen.append(grades.tolist())
        grades += 1  # a copy of its own
        return grades

    def discount(ranks):
        seen.append(ranks.tolist())
        return 1 / ranks

    y_true = np.array([4, 1, np.nan, 2, 2, -1])
    options = {"qid": [1, 1, 1, 1, 2, 3], "gain": gain, "discount": discount}
    irm.dcg_score(y_true, [3, 2, 1, 0, 5, 5], **options)
    assert sorted(seen) == [[-1.0, 1.0, 2.0, 4.0], [1.0, 2.0, 3.0, 4.0]]
    seen.clear()
    irm.ndcg_score(y_true, range(6), k=2, negative_grades="clip", **options)
    assert sorted(seen) == [[0.0, 1.0, 2.0, 4.0], [1.0, 2.0]]
    seen.clear()
    irm.expected_reciprocal_rank_score([1, 2], [2, 1], gain=gain, max_grade=3)
    assert seen == [[1.0, 2.0, 3.0]]
    seen.clear()
    irm.dcg_score([np.nan, np.nan], [2, 1], gain=gain)
    assert not seen
    irm.dcg_score([1, 0], [[0.4, 0.6], [0.7, 0.3]], labels=[0, 1], gain=gain)
    assert seen == [[0.0, 1.0]]


def test_the_grades_of_the_issue():
    found = irm.dcg_score([1, 2, 4], [3, 2, 1], qid=[1, 1, 2], gain=np.log2)
    assert found == pytest.approx((1 / np.log2(3) + 2) / 2)
    scorer = irm.get_scorer("dcg", gain=np.log2)  # tries no grade that need not occur
    assert "log2" in repr(scorer)


def test_absent_entries_of_sparse_input_have_grade_0():
    seen = []

    def gain(grades):
        seen.append(grades.tolist())
        return grades / grades.max()

    y_true = csr_array([[4, 0, 2], [0, 0, 1]])
    y_score = csr_array([[1, 3, 2], [0, 0, 1]])
    dense = y_true.toarray(), [[1, 3, 2], [-np.inf, -np.inf, 1]]
    expected = irm.ndcg_score(*dense, gain=relative)
    assert irm.ndcg_score(y_true, y_score, gain=gain) == expected
    assert irm.ndcg_score(y_true, dense[1], gain=gain) == expected
    measure = Measure("ndcg", gain=gain)
    assert RankingEvaluator(y_true, {"m": measure})(y_score) == {"m": expected}
    assert {tuple(grades) for grades in seen} == {(0.0, 1.0, 2.0, 4.0)}
    with (
        pytest.raises(ValueError, match="gain must return one finite number"),
        np.errstate(divide="ignore"),
    ):
        irm.ndcg_score(y_true, y_score, gain=np.log2)
    full = csr_array([[1.0, 2.0]])
    assert irm.dcg_score(full, full, gain=np.log2) == 1.0


@pytest.mark.parametrize("kind", ["dcg", "ndcg"])
def test_functions_of_ranks_at_many_cutoffs_and_in_curves(kind):
    def discount(ranks):
        return np.arange(len(ranks), 0, -1) / len(ranks)

    y_true, y_score = np.array([3, 2, 0, 1]), [4, 3, 2, 1]
    weights = {rank: (5 - rank) / 4 for rank in range(1, 5)}
    _, curve = irm.gain_curve(y_true, y_score, kind=kind, discount=discount)
    gains = [g * weights[rank] for rank, g in enumerate(y_true, 1)]
    ideal = [g * weights[rank] for rank, g in enumerate([3, 2, 1, 0], 1)]
    expected = np.cumsum(gains) / (np.cumsum(ideal) if kind == "ndcg" else 1)
    assert_allclose(curve, expected, rtol=1e-12)
    measure = Measure(kind, discount=discount)
    at = irm.metric_at_cutoffs(measure, y_true, y_score, [4, 1, 2, 3])
    assert_allclose(at, expected[[3, 0, 1, 2]], rtol=1e-12)


# Micro averages -----------------------------------------------------------------------


@pytest.mark.parametrize("name", [*COUNTED, *SETS])
def test_micro_of_one_query_is_macro(name):
    of_sets = METRICS[Measure(name).metric.name].kind == "set"
    for n in (1, 2, 3):
        sides = [0, 1] if of_sets else [-np.inf, 1.0]
        for y_true in itertools.product([0, 1], repeat=n):
            for y_score in itertools.product(sides, repeat=n):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    macro = Measure(name)(y_true, y_score)
                    micro = Measure(name, average="micro")(y_true, y_score)
                assert micro == pytest.approx(macro, nan_ok=True, abs=1e-15)
                instead = Measure(name)(
                    y_true, y_score, average="micro", replace_undefined_by=-1
                )
                assert instead == pytest.approx(-1 if np.isnan(macro) else macro)


def test_micro_is_undefined_where_all_queries_are():
    rows, qid = ([0, 0, 0, 1], [2, 1, 1, 2]), [1, 1, 2, 3]
    assert irm.fbeta_at_k_score(*rows, k=1, qid=qid, average="micro") == 0.5
    weights = [1, 1, 1, 0]  # of the only query with something to find
    with pytest.warns(UserWarning, match="undefined in 3 of 3 queries"):
        found = irm.fbeta_at_k_score(
            *rows, k=1, qid=qid, average="micro", sample_weight=weights
        )
    assert np.isnan(found)


# Curves -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "option"),
    [
        ("cg", {"discount": "log"}),
        ("cg", {"log_base": 2}),
        ("cg", {"negative_grades": "clip"}),
        ("dcg", {"negative_grades": "raise"}),
    ],
)
def test_curves_refuse_what_they_do_not_use(kind, option):
    (name,) = option
    with pytest.raises(ValueError, match=f"{name} must be None with kind='{kind}'"):
        irm.gain_curve([1, 0], [2, 1], kind=kind, **option)


@pytest.mark.parametrize("average", ["macro", "geometric"])
def test_means_at_cutoffs_come_from_some_at_a_time(average, monkeypatch):
    options = {"qid": QID, "average": average}
    grades = np.nan_to_num(GRADES) * (QID % 5 > 0)
    ks = [7, 1, 30, 2, 2]

    def both():
        with pytest.warns(UserWarning) as told:
            found = [
                irm.metric_at_cutoffs("ndcg", grades, SCORES, ks, **options),
                irm.gain_curve(grades, SCORES, **options)[1],
                irm.metric_at_cutoffs(
                    "p", grades, SCORES, ks, qid=QID, average="micro"
                ),
            ]
        return found, len(told)

    expected, n_warnings = both()
    monkeypatch.setattr(score, "_VALUES_AT_ONCE", 80)
    found, n_again = both()
    assert n_again == n_warnings
    for one, other in zip(found, expected, strict=True):
        assert_allclose(one, other, rtol=1e-13)


def test_means_at_cutoffs_do_not_hold_all_values():
    n = 20_000
    qid = np.append(np.arange(n), np.zeros(2000, int))
    y_score = np.random.default_rng(0).random(len(qid))
    y_true = np.ones(len(qid))
    tracemalloc.start()
    irm.gain_curve(y_true, y_score, qid=qid)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.9 * 8 * n * 2000  # less than one array of queries x cutoffs
