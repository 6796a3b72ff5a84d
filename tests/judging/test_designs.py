"""Estimates from documents that were labelled with known probabilities."""

import numpy as np
import pytest

from oracles.judged import SUMS, make_judged, row_of, sampled
from sklearn_irmetrics import score_queries
from sklearn_irmetrics.judging import compare_judged, sample_judgments, score_judged


@pytest.mark.parametrize("judge", ["good", "useless", "shifted", "partial"])
def test_mean_over_many_samples_is_that_by_people(judge):
    truth, _, y_judge, y_score, inclusion = sampled(n_queries=40)
    rng = np.random.default_rng(5)
    if judge == "useless":
        y_judge = rng.integers(0, 4, truth.shape)
    elif judge == "shifted":
        y_judge = y_judge + 1
    elif judge == "partial":
        y_judge[rng.random(truth.shape) < 0.3] = np.nan
    expected = score_queries(truth, y_score, "dcg@5").mean["dcg@5"]
    found = []
    for _ in range(150):
        y_true = np.where(rng.random(truth.shape) < inclusion, truth, np.nan)
        one = score_judged(y_true, y_judge, y_score, "dcg@5", inclusion=inclusion)
        found.append(row_of(one, "dcg@5").estimate)
    assert abs(np.mean(found) - expected) < 3.5 * np.std(found) / np.sqrt(150)
    of_judge = score_queries(y_judge, y_score, "dcg@5").mean["dcg@5"]
    assert row_of(one, "dcg@5").judge == pytest.approx(of_judge)


def naive(y, y_judge, w, taken, inclusion):
    """Return values by query of the difference estimator, written out."""
    levels = np.unique(y_judge)
    of_query = np.broadcast_to(y_judge.mean(axis=1, keepdims=True), y.shape)
    x = np.stack([y_judge == level for level in levels] + [of_query - of_query.mean()])
    x = x.reshape(len(x), -1).T.astype(float)
    chosen = taken.ravel()
    weight = (1 / inclusion.ravel())[chosen]
    weight /= weight.mean()
    # One more row for each column: the judge's own grade.
    rows = np.vstack([x[chosen] * np.sqrt(weight)[:, None], np.eye(x.shape[1])])
    target = np.concatenate([y.ravel()[chosen] * np.sqrt(weight), levels, [0]])
    guess = (x @ np.linalg.lstsq(rows, target, rcond=None)[0]).reshape(y.shape)
    missed = np.where(taken, (y - guess) / inclusion, 0)
    return (w * (guess + missed)).sum(axis=1)


def test_agrees_with_the_formula():
    truth, y_true, y_judge, y_score, inclusion = sampled()
    found = score_judged(y_true, y_judge, y_score, "dcg@5", inclusion=inclusion)
    one = row_of(found, "dcg@5")
    assert (found.n_labelled, found.unit) == (np.sum(~np.isnan(y_true)), "document")
    rank = np.argsort(np.argsort(-y_score, axis=1), axis=1)
    w = np.where(rank < 5, 1 / np.log2(rank + 2), 0)
    taken = ~np.isnan(y_true)
    v = naive(truth, y_judge, w, taken, inclusion)
    assert one.estimate == pytest.approx(v.mean())
    error = v.std(ddof=1) / np.sqrt(len(v))
    assert one.standard_error == pytest.approx(error)
    assert one.confidence_interval.high - one.estimate == pytest.approx(
        1.9659 * error, rel=1e-4
    )
    h = (w * y_judge).sum(axis=1)
    assert one.judge == pytest.approx(h.mean())
    assert one.bias == pytest.approx(h.mean() - v.mean())
    error = (h - v).std(ddof=1) / np.sqrt(len(v))
    assert one.bias_interval.high - one.bias == pytest.approx(1.9659 * error, rel=1e-4)
    truth_mean = score_queries(truth, y_score, "dcg@5").mean["dcg@5"]
    assert one.confidence_interval.low < truth_mean < one.confidence_interval.high
    assert one.effective_labels > found.n_labelled / 12  # some of them are below rank 5


def test_all_documents_labelled_is_the_mean_by_people():
    truth, _, y_judge, y_score, _ = sampled(n_queries=30)
    inclusion = np.ones_like(truth)
    found = score_judged(truth, y_judge, y_score, SUMS, inclusion=inclusion)
    for name in SUMS:
        expected = score_queries(truth, y_score, name, replace_undefined_by=0)
        assert found.estimate[name] == pytest.approx(expected.mean[name])


def test_other_measures_are_marked_as_biased():
    truth, y_true, y_judge, y_score, inclusion = sampled(n_queries=30)
    result = score_judged(y_true, y_judge, y_score, ["p@3", "ap"], inclusion=inclusion)
    one = row_of(result, "ap")
    mixed = np.where(np.isnan(y_true), y_judge, y_true)
    expected = score_queries(mixed, y_score, "ap", replace_undefined_by=0).mean["ap"]
    assert one.estimate == pytest.approx(expected)
    assert np.isnan(one.confidence_interval).all()
    assert "ap cannot be estimated from single documents" in repr(result)
    assert "cannot be estimated" not in repr(
        score_judged(y_true, y_judge, y_score, "p@3", inclusion=inclusion)
    )


def test_success_at_1_is_no_sum_where_undefined_queries_have_a_value():
    truth, y_true, y_judge, y_score, inclusion = sampled(n_queries=30)
    y_true[0], y_judge[0] = np.where(np.isnan(y_true[0]), np.nan, 0), 0
    options = {"inclusion": inclusion, "replace_undefined_by": 1.0}
    result = score_judged(y_true, y_judge, y_score, "success@1", **options)
    assert np.isnan(row_of(result, "success@1").confidence_interval).all()
    mixed = np.where(np.isnan(y_true), y_judge, y_true)
    expected = score_queries(mixed, y_score, "success@1", replace_undefined_by=1.0)
    assert row_of(result, "success@1").estimate == expected.mean["success@1"]


def test_estimates_are_in_the_range_of_the_measure():
    for seed in (15, 17):
        rng = np.random.default_rng(seed)
        truth, y_judge = ((rng.random((20, 8)) < share) * 1.0 for share in (0.95, 0.9))
        y_score = rng.normal(size=truth.shape)
        sample = sample_judgments(y_score, 40, metric="p@5", random_state=seed)
        y_true = np.where(sample.selected, truth, np.nan)
        options = {"inclusion": sample.inclusion}
        one = row_of(score_judged(y_true, y_judge, y_score, "p@5", **options), "p@5")
        assert (
            one.confidence_interval.low
            <= one.estimate
            <= one.confidence_interval.high
            <= 1
        )
        assert one.bias == pytest.approx(one.judge - one.estimate)


def test_labels_that_all_agree_with_the_judge_are_not_certain():
    rng = np.random.default_rng(0)
    ones, y_score = np.ones((60, 5)), np.tile(-np.arange(5.0), (60, 1))
    y_true = np.where(rng.random((60, 5)) < 0.5, 1.0, np.nan)
    options = {"inclusion": np.full((60, 5), 0.5)}
    metrics = ["p@5", "dcg@5", "rbp", "success@1"]
    result = score_judged(y_true, ones, y_score, metrics, **options)
    for metric in metrics:
        one = row_of(result, metric)
        low, high = one.confidence_interval
        assert low < 0.98 * one.estimate < one.estimate <= high
        assert one.bias_interval.low < 0 < one.bias_interval.high
    # If every document is labelled, the interval is that of the queries.
    options = {"inclusion": ones}
    one = row_of(score_judged(ones, ones, y_score, "p@5", **options), "p@5")
    expected = score_queries(ones, y_score, "p@5").interval()
    assert one.confidence_interval == pytest.approx(expected)


@pytest.mark.parametrize("grade", [0.0, 1.0])
def test_three_labels_that_agree_say_next_to_nothing(grade):
    y_true = np.full((150, 2), np.nan)
    y_true[[3, 50, 90], [0, 1, 0]] = 0
    y_judge, y_score = np.full(y_true.shape, grade), np.tile([2.0, 1.0], (150, 1))
    options = {"inclusion": np.full(y_true.shape, 0.01)}
    one = row_of(score_judged(y_true, y_judge, y_score, "p@2", **options), "p@2")
    # The interval of Clopper and Pearson ends at .71.
    assert (one.estimate, one.confidence_interval.low) == (0, 0)
    assert 0.6 < one.confidence_interval.high < 0.8
    one = row_of(score_judged(y_true, y_judge, y_score, "dcg@2", **options), "dcg@2")
    if grade == 0:  # nobody has seen a document that gains
        assert np.isnan(one.confidence_interval).all()
    else:
        assert one.confidence_interval.low == 0
        assert one.confidence_interval.high > 1


def test_differences_of_sums_that_nothing_shows_are_unknown():
    y_score = np.tile([3.0, 2, 1], (60, 1))
    few = y_score.copy()
    few[:3] = [1, 2, 3]
    y_true = np.ones(y_score.shape)
    y_true[:, 2] = np.nan
    y_judge = np.ones(y_score.shape)
    inclusion = np.tile([1.0, 1, 0.5], (60, 1))
    for second, metric, least in (
        (y_score, "p@1", 1),
        (y_score, "dcg@2", np.nan),
        (few, "p@1", 0.3),
        (few, "dcg@2", 0.3),
    ):
        systems = {"a": y_score, "b": second}
        found = compare_judged(y_true, y_judge, systems, metric, inclusion=inclusion)
        one = row_of(found, ("a", "b"))
        low, high = one.confidence_interval
        assert one.p_value == 1 or low > 0 or high < 0
        if np.isnan(least):
            assert np.isnan([low, high]).all()
        else:
            assert high - low >= 2 * least


def test_intervals_of_sums_do_not_begin_below_0():
    truth = np.zeros((60, 12))
    truth[:8, 0] = 1
    y_judge, y_score = truth[::-1], np.tile(-np.arange(12.0), (60, 1))
    for seed in range(20):
        taken = np.random.default_rng(seed).random(truth.shape) < 0.5
        y_true = np.where(taken, truth, np.nan)
        options = {"inclusion": np.full(truth.shape, 0.5)}
        result = score_judged(y_true, y_judge, y_score, "dcg@5", **options)
        one = row_of(result, "dcg@5")
        assert one.confidence_interval.low >= 0
        assert one.confidence_interval.high > 0


def test_few_labels_are_refused_or_remarked_on():
    truth, y_judge, y_score = make_judged(n_labelled=60)
    for n, note in ((40, True), (60, False)):
        sample = sample_judgments(y_score, n, metric="p@3", random_state=0)
        y_true = np.where(sample.selected, truth, np.nan)
        options = {"inclusion": sample.inclusion}
        result = score_judged(y_true, y_judge, y_score, "p@3", **options)
        assert ("fewer than 50 labelled documents" in repr(result)) == note
    y_true[np.cumsum(sample.selected).reshape(truth.shape) > 2] = np.nan
    with pytest.raises(ValueError, match="label at least 3 documents; got 2"):
        score_judged(y_true, y_judge, y_score, "p@3", **options)


def test_differences_need_no_labels_where_systems_agree():
    truth, _, y_judge, y_score, _ = sampled(n_queries=200)
    other = y_score.copy()
    other[:, [0, 1]] = other[:, [1, 0]]
    systems = {"a": y_score, "b": other}
    inclusion = np.zeros_like(truth)
    inclusion[:, :2] = 0.5
    taken = np.random.default_rng(0).random(truth.shape) < inclusion
    y_true = np.where(taken, truth, np.nan)
    found = compare_judged(y_true, y_judge, systems, "dcg@5", inclusion=inclusion)
    one = row_of(found, ("a", "b"))
    means = [score_queries(truth, s, "dcg@5").mean["dcg@5"] for s in (y_score, other)]
    assert (
        one.confidence_interval.low < means[0] - means[1] < one.confidence_interval.high
    )
    assert (one.confidence_interval.low > 0 or one.confidence_interval.high < 0) == (
        one.p_value <= 0.05
    )
    with pytest.raises(ValueError, match=r"above 0 for every document that counts"):
        score_judged(y_true, y_judge, y_score, "dcg@5", inclusion=inclusion)


def test_wrong_probabilities_are_remarked_on():
    truth, y_true, y_judge, y_score, inclusion = sampled()
    result = score_judged(y_true, y_judge, y_score, "p@3", inclusion=inclusion)
    assert row_of(result, "p@3").random_p_value > 0.01
    wrong = np.clip(inclusion * np.where(y_judge > 0, 0.5, 1), 0, 0.99)
    result = score_judged(y_true, y_judge, y_score, "p@3", inclusion=wrong)
    assert "do not look like a random sample" in repr(result)


@pytest.mark.parametrize(
    "inclusion, message",
    [
        (np.full((30, 12), 1.5), "probability from 0 to 1 .* from 1.5 to 1.5"),
        (np.full((30, 12), np.nan), "probability from 0 to 1 .* from nan to nan"),
        (np.full(5, 0.5), r"shape \(30, 12\); got shape \(5,\)"),
        (np.ones((30, 12)), r"every document with an inclusion of 1; it lacks \d"),
        (np.zeros((30, 12)), "label at least 3 documents; got 0"),
    ],
)
def test_mistakes(inclusion, message):
    _, y_true, y_judge, y_score, _ = sampled(n_queries=30)
    with pytest.raises(ValueError, match=message):
        score_judged(y_true, y_judge, y_score, "p@3", inclusion=inclusion)


def test_judge_must_give_grades():
    _, y_true, y_judge, y_score, inclusion = sampled(n_queries=30)
    grades = y_judge + 10 * np.arange(y_judge.size).reshape(y_judge.shape)
    with pytest.raises(ValueError, match="at most 50 different grades"):
        score_judged(y_true, grades, y_score, "p@3", inclusion=inclusion)
