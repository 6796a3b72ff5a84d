"""Probabilities of grades: calibrated ones, and expected measures under them."""

from itertools import product

import numpy as np
import pytest

from oracles.judged import LLMJUDGE, make_judged, read_llmjudge
from sklearn_irmetrics import score_queries
from sklearn_irmetrics.judging import calibrate_grades, expected_scores, score_judged

EXACT = ["p@3", "cg@2", "dcg(gain='exponential')", "rbp(persistence=0.6)@4", "rr"]
EXACT += ["rr(relevance_threshold=2)@3", "success(relevance_threshold=2)@3", "ap"]
EXACT += ["err@4", "err(gain='linear', max_grade=3)", "recall@3", "ndcg", "ndcg@3"]
EXACT += ["ap(relevance_threshold=3)@2", "success@1", "ndcg@6"]
EXACT += [
    "ndcg(gain='exponential', log_base=4)@4",
    "ndcg(gain={0: 0, 1: 2, 2: 1, 3: 2}, discount='jarvelin_kekalainen')@3",
]
DRAWN = ["ap(denominator='retrieved')", "bpref", "q@3", "recall(capped=True)@2"]
DRAWN += ["p", "p(adaptive=True)@5"]


def draw(seed, n_retrieved=6, n_documents=6):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(4, 0.5), n_documents)
    y_score = rng.normal(size=n_documents)
    y_score[rng.permutation(n_documents)[n_retrieved:]] = -np.inf
    return p, y_score


def by_enumeration(p, y_score, metrics, value=0.0):
    """Return the mean over all gradings, by their probabilities."""
    unjudged = np.isnan(p[:, 0])
    p = np.where(unjudged[:, np.newaxis], [1.0, 0, 0, 0], p)
    grades = np.array([*product(range(p.shape[1]), repeat=len(p))], float)
    share = p[np.arange(len(p)), grades.astype(int)].prod(axis=1)
    grades, share = grades[share > 0], share[share > 0]
    grades[:, unjudged] = np.nan
    y_score = np.broadcast_to(y_score, grades.shape)
    found = score_queries(grades, y_score, metrics, replace_undefined_by=value)
    return {name: share @ values for name, values in found.scores.items()}


@pytest.mark.parametrize("seed, n_retrieved", [(0, 6), (1, 6), (2, 4), (3, 1), (4, 0)])
@pytest.mark.parametrize("value", [0.0, 0.3])
def test_equals_enumeration(seed, n_retrieved, value):
    p, y_score = draw(seed, n_retrieved)
    found = expected_scores(p, y_score, EXACT, qid=[0] * 6, replace_undefined_by=value)
    expected = by_enumeration(p, y_score, EXACT, value)
    assert found.mean == pytest.approx(expected, abs=1e-14)
    assert found.standard_error == dict.fromkeys(EXACT, 0.0)


@pytest.mark.parametrize("tied", [False, True])
def test_certain_grades_give_the_measure_itself(tied):
    grades, _, y_score = make_judged(n_labelled=60)
    y_score = y_score.round() if tied else y_score
    qid = np.arange(60).repeat(12)
    p = np.eye(4)[grades.ravel().astype(int)]
    found = expected_scores(p, y_score.ravel(), EXACT, qid=qid, n_draws=2)
    expected = score_queries(grades, y_score, EXACT, replace_undefined_by=0.0)
    for name in EXACT:
        assert found.scores[name] == pytest.approx(expected.scores[name], abs=1e-12)
    if tied:
        p = 0.7 * p + 0.075
        result = expected_scores(p, y_score.ravel(), ["p@3", "ap"], qid=qid)
        assert result.standard_error["ap"] > 0 == result.standard_error["p@3"]


def test_what_is_not_exact_is_drawn_with_its_error():
    p, y_score = draw(0)
    options = {"qid": [0] * 6, "n_draws": 500, "random_state": 0}
    found = expected_scores(p, y_score, [*DRAWN, "ap"], **options)
    expected = by_enumeration(p, y_score, DRAWN)
    for name in DRAWN:
        error = found.standard_error[name]
        assert 0 < error < 0.04
        assert abs(found.mean[name] - expected[name]) < 4 * error
    assert found.standard_error["ap"] == 0
    again = expected_scores(p, y_score, DRAWN, **options)
    assert again.mean == {name: found.mean[name] for name in DRAWN}


def test_deep_ndcg_of_many_grades_is_drawn():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(7), 60)
    y_score, qid = rng.normal(size=60), [0] * 60
    options = {"qid": qid, "n_draws": 20, "random_state": 0}
    found = expected_scores(p, y_score, ["ndcg", "ndcg@5"], **options)
    assert found.standard_error["ndcg"] > 0 == found.standard_error["ndcg@5"]
    assert found.mean["ndcg"] == pytest.approx(
        expected_scores(p, y_score, "ndcg", **options).mean["ndcg"]
    )


def test_queries_and_order():
    sizes, rng = [3, 6, 1], np.random.default_rng(0)
    qid = np.repeat(["b", "a", "c"], sizes)
    p, y_score = rng.dirichlet(np.ones(3), 10), rng.normal(size=10)
    order = rng.permutation(10)
    found = expected_scores(p[order], y_score[order], EXACT, qid=qid[order])
    for name in EXACT:
        each = {
            one: expected_scores(p[qid == one], y_score[qid == one], name, qid=[0] * n)
            for one, n in zip("bac", sizes, strict=True)
        }
        values = [each[one].mean[name] for one in found.query_ids]
        assert found.scores[name] == pytest.approx(values)
        assert found.mean[name] == pytest.approx(np.mean(values))


@pytest.mark.parametrize(
    "exact, drawn",
    [
        (EXACT, ["bpref", "rr(judged_only=True)", "ndcg(judged_only=True)@3"]),
        (["p(relevance_threshold=0)@3", "cg(gain={0: 1, 1: 1, 2: 2, 3: 3})"], []),
    ],
)
def test_unjudged_documents_gain_nothing(exact, drawn):
    p, y_score = draw(0)
    p[2] = np.nan
    options = {"qid": [0] * 6, "n_draws": 500, "random_state": 0}
    found = expected_scores(p, y_score, [*exact, *drawn], **options)
    expected = by_enumeration(p, y_score, [*exact, *drawn])
    for name, value in expected.items():
        error = 4 * found.standard_error[name]
        assert found.mean[name] == pytest.approx(value, abs=max(error, 1e-12))
        assert (error > 0) == (name in drawn)


def test_drawn_measures_of_a_judge_are_the_same_every_time():
    y_true, y_judge, y_score = make_judged()
    p = 0.7 * np.eye(4)[y_judge.astype(int)] + 0.075
    first, again = (score_judged(y_true, p, y_score, "bpref") for _ in range(2))
    assert first.scores == again.scores


@pytest.mark.parametrize("metrics", [["ndcg@10", "ap"], ["dcg@5", "p@3"]])
def test_judges_may_give_probabilities(metrics):
    y_true, y_judge, y_score = make_judged()
    qid = np.arange(60).repeat(12)
    p = np.eye(4)[y_judge.astype(int)]
    inclusion = None
    if "dcg@5" in metrics:
        inclusion = np.full(y_true.shape, 0.3)
    options = {"inclusion": inclusion}
    certain = score_judged(y_true, p, y_score, metrics, **options)
    expected = score_judged(y_true, y_judge, y_score, metrics, **options)
    for name in metrics:
        one, other = certain.scores[name], expected.scores[name]
        assert one.estimate == pytest.approx(other.estimate)
        assert one.interval == pytest.approx(other.interval)
        assert one.judge == pytest.approx(other.judge)
    flat = score_judged(
        y_true.ravel(),
        p.reshape(-1, 4),
        y_score.ravel(),
        metrics,
        qid=qid,
        **{"inclusion": None if inclusion is None else inclusion.ravel()},
    )
    assert flat.scores[metrics[0]].estimate == certain.scores[metrics[0]].estimate
    spread = 0.7 * p + 0.075
    found = score_judged(y_true, spread, y_score, metrics, **options)
    if inclusion is None:
        of_judge = expected_scores(
            spread.reshape(-1, 4), y_score.ravel(), metrics, qid=qid
        )
        for name in metrics:
            assert found.scores[name].judge == pytest.approx(of_judge.mean[name])


@pytest.mark.parametrize(
    "y_judge, message",
    [
        ([0.5, 0.5], r"two grades or more, shape \(n_documents, n_grades\)"),
        ([[0.5, 0.4], [0, 1]], "probabilities that sum to 1"),
        ([[1.5, -0.5], [0, 1]], "probabilities that sum to 1"),
        ([[np.nan, 1], [0, 1]], "probabilities that sum to 1"),
        ([[0.5, 0.5]], r"one score per document, shape \(1,\)"),
    ],
)
def test_mistakes(y_judge, message):
    with pytest.raises(ValueError, match=message):
        expected_scores(y_judge, [2, 1], "ap", qid=[0, 0])


# Calibration ------------------------------------------------------------------------


def test_probabilities_are_shares_of_the_other_folds():
    y_true, y_judge, _ = make_judged(n_queries=40, n_labelled=30)
    labelled = ~np.isnan(y_true).any(axis=1)
    found = calibrate_grades(y_true, y_judge, n_splits=30, random_state=0)
    assert found.shape == (*y_true.shape, 4)
    assert found.sum(axis=-1) == pytest.approx(1)
    assert found.min() >= 0
    # With as many folds as queries, each query is left out by itself. If shares rise
    # with the judge's grade, isotonic regression gives them as they are.
    for query in np.flatnonzero(labelled)[:5]:
        others = labelled & (np.arange(40) != query)
        for column in range(12):
            same = y_judge[others] == y_judge[query, column]
            above = [np.mean(y_true[others][same] >= g) for g in range(1, 4)]
            at_least = found[query, column, ::-1].cumsum()[::-1][1:]
            assert at_least == pytest.approx(above, abs=0.05)
    every = [
        np.mean(y_true[labelled][y_judge[labelled] == 3] >= g) for g in range(1, 4)
    ]
    unlabelled = found[~labelled][y_judge[~labelled] == 3][0]
    assert unlabelled[::-1].cumsum()[::-1][1:] == pytest.approx(every, abs=0.02)


def test_labels_of_a_query_do_not_count_in_it():
    y_true, y_judge, _ = make_judged(n_queries=20, n_labelled=20)
    expected = calibrate_grades(y_true, y_judge, random_state=0)
    changed = y_true.copy()
    changed[3] = 3 - changed[3]
    found = calibrate_grades(changed, y_judge, random_state=0)
    assert (found[3] == expected[3]).all()
    assert (found != expected).any()


def test_chances_rise_with_the_grade_of_the_judge():
    y_true, y_judge, _ = make_judged(noise=2.0)
    found = calibrate_grades(y_true, y_judge, random_state=0)
    unlabelled = np.isnan(y_true)
    at_least = found[unlabelled][:, ::-1].cumsum(axis=1)
    order = np.argsort(y_judge[unlabelled], kind="stable")
    assert (np.diff(at_least[order], axis=0) > -1e-12).all()


def test_forms_and_scores_of_judges():
    y_true, y_judge, _ = make_judged()
    expected = calibrate_grades(y_true, y_judge, random_state=0)
    qid = np.arange(60).repeat(12)
    flat = [y_true.ravel(), y_judge.ravel() / 7]  # scores in the same order
    found = calibrate_grades(*flat, qid=qid, random_state=0)
    assert found == pytest.approx(expected.reshape(-1, 4))


@pytest.mark.parametrize(
    "change, message",
    [
        ({"n_splits": 21}, "label at least n_splits=21 queries; got 20"),
        ({"y_judge": np.full((60, 12), np.nan)}, "y_judge must hold one grade"),
        ({"y_true": np.full((60, 12), 0.5)}, "whole grades from 0, or"),
        ({"y_true": np.full((60, 12), -1.0)}, "whole grades from 0, or"),
    ],
)
def test_mistakes_of_calibration(change, message):
    y_true, y_judge, _ = make_judged()
    with pytest.raises(ValueError, match=message):
        calibrate_grades(**{"y_true": y_true, "y_judge": y_judge} | change)


@pytest.mark.skipif(not LLMJUDGE.exists(), reason="shared/data/llmjudge is missing")
def test_calibrated_real_judge_is_less_biased():
    people, grades, qid = read_llmjudge("umbrela1")
    y_score = people + np.random.default_rng(0).normal(scale=2, size=len(people))
    p = calibrate_grades(people, grades, qid=qid, random_state=0)
    means = {
        "people": score_queries(people, y_score, "dcg@10", qid=qid).mean["dcg@10"],
        "judge": score_queries(grades, y_score, "dcg@10", qid=qid).mean["dcg@10"],
        "calibrated": expected_scores(p, y_score, "dcg@10", qid=qid).mean["dcg@10"],
    }
    off = {name: abs(mean - means["people"]) for name, mean in means.items()}
    assert off["calibrated"] < off["judge"]
    labelled = np.isin(qid, np.unique(qid)[::2])
    y_true = np.where(labelled, people, np.nan)
    p = calibrate_grades(y_true, grades, qid=qid, random_state=0)
    one = score_judged(y_true, p, y_score, "ndcg@10", qid=qid).scores["ndcg@10"]
    truth = score_queries(people, y_score, "ndcg@10", qid=qid).mean["ndcg@10"]
    assert one.interval.low < truth < one.interval.high
