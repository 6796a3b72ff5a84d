"""How far a judge is followed: its weight, and labels that it saves."""

import numpy as np
import pytest

from oracles.judged import make_judged, row_of
from sklearn_irmetrics import score_queries
from sklearn_irmetrics.judging import score_judged


def test_estimate_and_judge_weight_are_those_of_ppi():
    found = row_of(score_judged(*make_judged(), "ndcg@10"), "ndcg@10")
    # What ppi_py.ppi_mean_pointestimate (ppi-python 0.2.3) says of these queries, with
    # the same weight. There it is of the queries without labels, a smaller share.
    assert found.estimate == pytest.approx(0.7858512195922986, abs=1e-14)
    # And its own choice of weight, where those labelled and the others vary alike; its
    # variance of all 1,020 is divided by 1,019.
    y_true, y_judge, y_score = make_judged(n_queries=20)
    n = 50  # that many copies of the labelled queries, unlabelled
    y_true = np.concatenate([y_true, *[np.full_like(y_true, np.nan)] * n])
    y_judge, y_score = (np.tile(a, (n + 1, 1)) for a in (y_judge, y_score))
    found = row_of(score_judged(y_true, y_judge, y_score, "ndcg@10"), "ndcg@10")
    theirs = found.judge_weight * n / (n + 1) * 1019 / 1020
    assert theirs == pytest.approx(0.2944284, abs=1e-6)


def test_judge_that_says_nothing_is_not_followed():
    y_true, y_judge, y_score = make_judged()
    for useless in (np.ones_like(y_judge), 3 - y_judge):
        result = score_judged(y_true, useless, y_score, "ndcg@10")
        found = row_of(result, "ndcg@10")
        assert found.judge_weight == 0
        assert found.effective_labels <= 20
        assert (
            "The judge is no help for ndcg@10: people's labels alone are used."
            in repr(result)
        )


def test_judge_alone_is_its_mean_even_where_it_says_one_thing_of_all_labelled():
    y_true, y_judge, y_score = make_judged(n_labelled=60)
    h = score_queries(y_judge, y_score, "success@2", replace_undefined_by=0.0)
    h = h.scores["success@2"]
    y_true[h != 1] = np.nan
    found = row_of(score_judged(y_true, y_judge, y_score, "success@2"), "success@2")
    assert found.judge == pytest.approx(h.mean()) != 1
    assert found.bias == pytest.approx(h.mean() - found.estimate)
    assert found.bias_interval.low <= found.bias <= found.bias_interval.high


def test_good_judge_is_worth_many_labels():
    data = make_judged(noise=0.3)
    found = row_of(score_judged(*data, "ndcg@10"), "ndcg@10")
    assert found.judge_weight > 0.8
    assert found.effective_labels > 40
