"""Probabilities of people's grades, given the judge's."""

import numpy as np
import pytest

from oracles.judged import LLMJUDGE, make_judged, read_llmjudge
from sklearn_irmetrics import score_queries
from sklearn_irmetrics.judging import calibrate_grades, expected_scores, score_judged


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
        ({"y_true": np.full((60, 12), 0.5)}, "whole grades from 0 on"),
        ({"y_true": np.full((60, 12), -1.0)}, "whole grades from 0 on"),
    ],
)
def test_mistakes(change, message):
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
