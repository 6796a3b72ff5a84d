"""Agreement of two orders of the same systems."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_irmetrics import QueryScores, rank_biased_overlap_score
from sklearn_irmetrics.comparison import order_agreement


def draw(seed=0, n_queries=40, means=(0.2, 0.3, 0.5, 0.55), spread=0.1):
    rng = np.random.default_rng(seed)
    return {
        f"s{i}": rng.normal(mean, spread, n_queries) for i, mean in enumerate(means)
    }


def test_correlations_are_those_of_the_means():
    a, b = draw(0), draw(1, means=(0.3, 0.2, 0.6, 0.5))
    found = order_agreement(a, b, persistence=0.7, random_state=0)
    means_a = [a[name].mean() for name in found.system]
    means_b = [b[name].mean() for name in found.system]
    assert means_a == sorted(means_a, reverse=True)
    assert_allclose(found.mean_a, means_a)
    assert_allclose(found.mean_b, means_b)
    assert_allclose(found.tau, stats.kendalltau(means_a, means_b).statistic)
    # Yilmaz et al. (2008): how much stands above each system that should.
    by_b = np.argsort(-np.array(means_b))
    shares = [np.mean(by_b[:i] < by_b[i]) for i in range(1, len(by_b))]
    assert_allclose(found.tau_ap, 2 * np.mean(shares) - 1)
    overlap = rank_biased_overlap_score(means_a, means_b, persistence=0.7)
    assert_allclose(found.rbo, overlap)


def test_the_interval_counts_pairs_that_both_tell_apart():
    a = draw(0, means=(0.1, 0.4, 0.7, 0.701))
    b = draw(1, means=(0.4, 0.1, 0.7, 0.702))
    found = order_agreement(a, b, random_state=0)
    assert found.opposite == (("s1", "s0"),)
    assert found.n_same == 4  # s2 and s3 above s0 and s1; of s2 and s3 nobody knows
    assert_allclose(found.tau_interval, [2 * 4 / 6 - 1, 1 - 2 / 6])
    low, high = found.tau_interval
    assert low <= found.tau <= high
    assert "better by a, worse by b: s1 than s0" in repr(found)


def test_few_queries_show_nothing():
    a = draw(n_queries=4, means=(0.1, 0.5, 0.9), spread=0.01)
    found = order_agreement(a, a, random_state=0)
    assert found.tau == 1.0
    assert found.tau_interval == (-1.0, 1.0)


def test_no_order_agrees_with_none():
    alike = dict.fromkeys(("s0", "s1", "s2", "s3"), [0.5, 0.25, 0.75])
    found = order_agreement(alike, {k: [*v] for k, v in draw(n_queries=3).items()})
    assert np.isnan(found.tau)
    assert found.tau_interval == (-1.0, 1.0)


def test_losses_are_best_when_small():
    a, b = draw(0), draw(1)
    negative = [{k: -v for k, v in scores.items()} for scores in (a, b)]
    found = order_agreement(a, b, random_state=0)
    other = order_agreement(*negative, random_state=0)
    assert found.system == other.system[::-1]
    assert_allclose(found.tau, other.tau)
    assert found.n_same == other.n_same


@pytest.mark.parametrize("seed", range(4))
def test_it_holds_the_true_order(seed):
    rng = np.random.default_rng(seed)
    means = rng.uniform(0.2, 0.8, (2, 6))
    a, b = (draw([seed, i], means=one) for i, one in enumerate(means))
    found = order_agreement(a, b, random_state=seed)
    truth = stats.kendalltau(*means).statistic
    low, high = found.tau_interval
    assert low <= truth <= high
    names = dict(zip(a, means.T, strict=True))
    for one, two in found.opposite:
        (a1, b1), (a2, b2) = names[one], names[two]
        assert a1 > a2
        assert b1 < b2


def by_measure(values, name="set_miss_rate"):
    return QueryScores(np.arange(len(values)), {name: values}, {name: values.mean()})


def test_a_table():
    found = order_agreement(draw(0), draw(1), random_state=0)
    frame = found.to_frame()
    assert frame.correlation.tolist() == ["Kendall's τ", "τ_AP", "RBO"]
    assert (frame.low[0], frame.high[0]) == found.tau_interval
    assert np.isnan(frame.low[1])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"b": draw(means=(0.1, 0.2))}, ValueError, "must hold the same systems"),
        (
            {"b": {name: by_measure(abs(one)) for name, one in draw().items()}},
            ValueError,
            "same measure, .* got 'score' and 'set_miss_rate'",
        ),
        ({"b": {0: [1, 2], "s0": [1, 2]}}, ValueError, "a and b must hold the same"),
        ({"b": {"s0": [1, 2]}}, (TypeError, ValueError), "systems"),
    ],
)
def test_wrong_arguments(change, error, message):
    with pytest.raises(error, match=message):
        order_agreement(**{"a": draw(), "b": draw(), **change})
