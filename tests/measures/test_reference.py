"""The naive reference by hand; other tools hold the package itself to their numbers."""

import pytest

from oracles import reference as ref

# Vectors and values of the tests of the R package ircor, by the authors of the paper
# "The treatment of ties in AP correlation" (Urbano and Marrero, ICTIR 2017).
IRCOR = [
    {
        "x": (0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992),
        "y": (0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988),
        "x_ties": (0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1),
        "y_ties": (0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1),
        "tau_ap": 0.8519,
        "tau_ap_a": 0.7454,
        "tau_ap_b": 0.8333,
        "tau_ap_b_ties": 0.7321,
    },
    {
        "x": (0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38),
        "y": (0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644),
        "x_ties": (0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4),
        "y_ties": (0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6),
        "tau_ap": 0.2504,
        "tau_ap_a": 0.2692,
        "tau_ap_b": 0.2880,
        "tau_ap_b_ties": 0.297,
    },
    {
        "x": (0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445),
        "y": (0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25),
        "x_ties": (0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4),
        "y_ties": (0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2),
        "tau_ap": -0.6971,
        "tau_ap_a": -0.5558,
        "tau_ap_b": -0.668,
        "tau_ap_b_ties": -0.7047,
    },
]


@pytest.mark.parametrize("case", IRCOR)
def test_ap_correlation_of_its_authors(case):
    x, y, x_ties, y_ties = (case[name] for name in ("x", "y", "x_ties", "y_ties"))
    close = {"abs": 5.1e-5}
    (order,) = ref.orders_by(y)
    assert ref.tau_ap(x, order) == pytest.approx(case["tau_ap"], **close)
    assert ref.tau_ap_a(x, y) == pytest.approx(case["tau_ap"], **close)
    assert ref.tau_ap_a(x, y_ties) == pytest.approx(case["tau_ap_a"], **close)
    assert ref.tau_ap_b(x, y) == pytest.approx(case["tau_ap_b"], **close)
    for pair in ((x_ties, y_ties), (y_ties, x_ties)):
        assert ref.tau_ap_b(*pair) == pytest.approx(case["tau_ap_b_ties"], **close)


def test_rank_biased_overlap_by_hand():
    # Identical lists agree fully, disjoint ones not at all, whatever their length.
    assert ref.rank_biased_overlap("abc", "abc") == pytest.approx(1)
    assert ref.rank_biased_overlap("abc", "def") == 0
    # abc, bac: overlaps 0, 2, 3 at depths 1, 2, 3.
    p = 0.9
    expected = (1 - p) / p * (p**2 + p**3) + p**3
    assert ref.rank_biased_overlap("abc", "bac") == pytest.approx(expected)
    # Tied items are in either order: the mean over all of them.
    mean = (
        ref.rank_biased_overlap("ab", "ab") + ref.rank_biased_overlap("ab", "ba")
    ) / 2
    assert ref.mean_rank_biased_overlap([2, 1], [1, 1]) == pytest.approx(mean)
    # a, ab: beyond the short list its agreement of 1 is extrapolated.
    assert ref.rank_biased_overlap("a", "ab") == pytest.approx(1)
