"""What people should label, and how much of it."""

import numpy as np
import pytest

from oracles.judged import make_judged, row_of
from sklearn_irmetrics import score_queries
from sklearn_irmetrics.judging import (
    compare_judged,
    plan_judgments,
    sample_judgments,
    score_judged,
)

SHAPE = (30, 12)


def two_systems(seed=0, shape=SHAPE):
    rng = np.random.default_rng(seed)
    first = rng.normal(size=shape)
    return {"a": first, "b": first + rng.normal(size=shape)}


@pytest.mark.parametrize("method", ["systematic", "poisson"])
@pytest.mark.parametrize("options", [{}, {"n_queries": 12}, {"several": True}])
def test_documents_are_selected_as_often_as_inclusion_says(method, options):
    options = dict(options)
    y_scores = two_systems()
    if not options.pop("several", False):
        y_scores = y_scores["a"]
    rng = np.random.default_rng(2)
    ratios = []
    for _ in range(400):
        sample = sample_judgments(
            y_scores, 60, metric="dcg@5", method=method, random_state=rng, **options
        )
        counts = sample.inclusion > 0
        assert not sample.selected[~counts].any()
        ratios.append(sample.selected[counts] / sample.inclusion[counts])
        if method == "systematic":
            assert sample.selected.sum() == 60
    ratios = np.array(ratios)
    error = ratios.std(axis=0, ddof=1) / np.sqrt(len(ratios))
    off = np.abs(ratios.mean(axis=0) - 1) / np.maximum(error, 1e-12)
    assert (off < 5).all()
    assert abs(ratios.mean() - 1) < 0.02


def test_inclusion_follows_the_weights_of_ranks():
    y_score = two_systems()["a"]
    found = sample_judgments(y_score, 40, metric="dcg@5").inclusion
    rank = np.argsort(np.argsort(-y_score, axis=1), axis=1)
    w = np.where(rank < 5, 1 / np.log2(rank + 2), 0)
    assert found == pytest.approx(w / w.sum() * 40)
    # None is above 1, and what is left goes to the others.
    found = sample_judgments(y_score, 120, metric="dcg@5").inclusion
    assert found.sum() == pytest.approx(120)
    assert found.max() == 1
    below = (found > 0) & (found < 1)
    assert np.ptp(found[below] / w[below]) < 1e-9


def test_differences_come_from_a_fifth_of_the_queries():
    sample = sample_judgments(two_systems(), 20, metric="dcg@5", random_state=0)
    assert sample.selected.any(axis=1).sum() <= 6
    both = list(two_systems().values())
    weights = [np.argsort(np.argsort(-s, axis=1), axis=1) < 5 for s in both]
    same = sample_judgments(two_systems(), 20, metric="p@5", random_state=0)
    assert not same.inclusion[weights[0] == weights[1]].any()
    assert (same.inclusion[weights[0] != weights[1]] > 0).all()


def test_whole_queries():
    for options in ({"metric": "ndcg@5"}, {"metric": "p@5", "design": "queries"}):
        found = []
        for seed in range(200):
            sample = sample_judgments(two_systems(), 6, random_state=seed, **options)
            assert sample.inclusion is None
            each = sample.selected.mean(axis=1)
            assert sorted(each) == [0] * 24 + [1] * 6
            found.append(each)
        assert np.abs(np.mean(found, axis=0) - 0.2).max() < 0.12
    assert repr(sample) == "<JudgmentSample: 72 labels, whole queries>"


def test_rows_in_any_order_and_seeds():
    y_score = two_systems()["a"].ravel()
    qid = np.arange(30).repeat(12)
    options = {"metric": "dcg@5", "random_state": 3}
    found = sample_judgments(y_score, 50, qid=qid, **options)
    assert found.selected.sum() == 50
    again = sample_judgments(y_score, 50, qid=qid, **options)
    assert (found.selected == again.selected).all()
    matrix = sample_judgments(y_score.reshape(SHAPE), 50, **options)
    assert (matrix.selected.ravel() == found.selected).all()
    order = np.random.default_rng(0).permutation(360)
    mixed = sample_judgments(y_score[order], 50, qid=qid[order], **options)
    assert mixed.inclusion == pytest.approx(found.inclusion[order])
    assert mixed.selected.sum() == 50


@pytest.mark.parametrize(
    "change, message",
    [
        ({"metric": "ap", "design": "documents"}, "must be a sum over documents"),
        ({"metric": "ap", "n_queries": 3}, "whole queries are drawn here"),
        ({"metric": "ap", "method": "poisson"}, "whole queries are drawn here"),
        ({"n": 31, "design": "queries"}, "n must be at most 30, the queries"),
        ({"y_scores": np.full(SHAPE, -np.inf)}, "y_scores must rank documents"),
        ({"y_scores": dict.fromkeys("ab", np.eye(9))}, "y_scores must rank documents"),
    ],
)
def test_mistakes(change, message):
    options = {"y_scores": two_systems()["a"], "n": 5, "metric": "p@5"} | change
    with pytest.raises(ValueError, match=message):
        sample_judgments(**options)


@pytest.mark.parametrize("several", [False, True])
def test_estimates_from_samples_cover_the_truth(several):
    truth, y_judge, y_score = make_judged(n_queries=300, n_labelled=300)
    rng = np.random.default_rng(0)
    systems = {"a": y_score, "b": y_score + rng.normal(size=truth.shape)}
    y_scores = systems if several else y_score
    means = [score_queries(truth, s, "dcg@5").mean["dcg@5"] for s in systems.values()]
    expected = means[0] - means[1] if several else means[0]
    found = []
    for _ in range(60):
        sample = sample_judgments(y_scores, 150, metric="dcg@5", random_state=rng)
        y_true = np.where(sample.selected, truth, np.nan)
        score = compare_judged if several else score_judged
        result = score(y_true, y_judge, y_scores, "dcg@5", inclusion=sample.inclusion)
        one = row_of(result)
        found.append(
            (
                one.estimate,
                one.confidence_interval.low < expected < one.confidence_interval.high,
            )
        )
    estimates, covered = np.transpose(found)
    assert covered.mean() > 0.88
    assert abs(estimates.mean() - expected) < 4 * estimates.std() / np.sqrt(60)


def pilot_of(truth, y_score, rng, n=100):
    first = np.argsort(np.argsort(-y_score, axis=1), axis=1) < 10
    chosen = rng.choice(np.flatnonzero(first), n, replace=False)
    y_true = np.full(truth.size, np.nan)
    y_true[chosen] = truth.ravel()[chosen]
    return y_true.reshape(truth.shape)


@pytest.mark.parametrize("metric", ["dcg@5", "ndcg@5"])
@pytest.mark.parametrize("several", [False, True])
def test_plan_reaches_its_width(metric, several):
    pytest.importorskip("pandas")
    truth, y_judge, y_score = make_judged(n_queries=300, n_labelled=300, noise=0.5)
    rng = np.random.default_rng(0)
    y_scores = y_score
    if several:
        y_scores = {"a": y_score, "b": y_score + rng.normal(size=truth.shape)}
    width = (0.6 if metric == "dcg@5" else 0.09) * (0.6 if several else 1)
    plan = plan_judgments(
        pilot_of(truth, y_score, rng),
        y_judge,
        y_scores,
        metric,
        width=width,
        random_state=0,
    )
    designs = ["queries", "documents"][: 1 + (metric == "dcg@5")]
    assert plan.design == tuple(
        f"{design}, {how}"
        for design in designs
        for how in ("people alone", "with the judge")
    )
    assert (plan.n[1::2] <= plan.n[::2]).all()
    for design, n in zip(designs, plan.n[1::2], strict=True):
        found = []
        for _ in range(20):
            sample = sample_judgments(
                y_scores, int(n), metric=metric, design=design, random_state=rng
            )
            score = compare_judged if several else score_judged
            y_true = np.where(sample.selected, truth, np.nan)
            result = score(
                y_true, y_judge, y_scores, metric, inclusion=sample.inclusion
            )
            one = row_of(result)
            found.append(np.ptp(one.confidence_interval))
        assert 0.7 < np.mean(found) / width < 1.4
    assert f"Fewest labels: {plan.best}." in repr(plan)
    assert plan.to_frame()["design"].tolist() == list(plan.design)


def test_plan_says_when_the_judge_is_not_worth_having():
    truth, _, y_score = make_judged(n_queries=200, n_labelled=200)
    rng = np.random.default_rng(0)
    useless = rng.integers(0, 4, truth.shape)
    pilot = pilot_of(truth, y_score, rng, 300)
    plan = plan_judgments(pilot, useless, y_score, "ndcg@5", width=0.1, random_state=0)
    assert "The judge saves less than 5 % of the labels" in repr(plan)
    assert "The judge saves" not in repr(
        plan_judgments(pilot, truth, y_score, "ndcg@5", width=0.1, random_state=0)
    )
    narrow = plan_judgments(pilot, truth, y_score, "ndcg@5", width=1e-4, random_state=0)
    assert np.isinf(narrow.n).all()
    assert "No design gives so narrow an interval" in repr(narrow)
    assert "Fewest labels" not in repr(narrow)


def test_judge_that_says_nothing_changes_no_plan():
    truth, _, y_score = make_judged(n_queries=60, n_labelled=60)
    pilot = pilot_of(truth, y_score, np.random.default_rng(0))
    constant = np.ones_like(truth)
    for width in (0.6, 0.7, 0.8):
        options = {"width": width, "random_state": 0}
        plan = plan_judgments(pilot, constant, y_score, "dcg@5", **options)
        assert plan.n[3] == pytest.approx(plan.n[2], rel=0.05)


@pytest.mark.parametrize(
    "y_true, message",
    [
        (np.full(SHAPE, np.nan), "labels of a pilot"),
        (np.diag(np.arange(3.0)), "labels of a pilot, of 20 .*; got 9"),
    ],
)
def test_mistakes_of_plans(y_true, message):
    scores = two_systems(shape=y_true.shape)["a"]
    with pytest.raises(ValueError, match=message):
        plan_judgments(y_true, np.ones_like(scores), scores, "p@5", width=0.1)
