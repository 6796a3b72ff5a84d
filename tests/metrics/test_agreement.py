"""Agreement and correlation, against SciPy, scikit-learn and naive references."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csr_array
from sklearn import metrics
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_irmetrics as irm
from oracles import reference as ref
from oracles.cases import CLOSE
from sklearn_irmetrics.metrics import agreement as correlation

kendall_tau_score = correlation.kendall_tau_score
spearman_rho_score = correlation.spearman_rho_score
tau_ap_score = correlation.average_precision_correlation_score
rbo_score = correlation.rank_biased_overlap_score
scott_pi_score = correlation.scott_pi_score

# SciPy --------------------------------------------------------------------------------


def test_one_wide_row():
    rng = np.random.default_rng(8)
    x = rng.integers(0, 1000, 100_000)
    y = x + rng.integers(0, 1000, 100_000)
    tau = stats.kendalltau(x, y).statistic
    assert kendall_tau_score(x, y) == pytest.approx(tau, rel=1e-12)
    rho = stats.spearmanr(x, y).statistic
    assert spearman_rho_score(x, y) == pytest.approx(rho, rel=1e-12)
    assert tau_ap_score(x, x + 0.0) == pytest.approx(
        1 - tie_loss(np.bincount(x)), rel=1e-9
    )


def tie_loss(sizes):
    """What τ_AP of two equal orders loses to ties, from the best group down."""
    n, above, lost = sizes.sum(), 0, 0.0
    for size in sizes[::-1]:
        places = np.arange(max(above + 1, 2), above + size + 1)
        lost += ((places - 1 - above) / (places - 1)).sum()
        above += size
    return lost / (n - 1)


# Worked examples and published values -------------------------------------------------


# The test data and values of ircor 1.0 (https://github.com/julian-urbano/ircor).
IRCOR = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        {"tau": 0.9111, "tau_a": 0.8889, "tau_b": 0.9398},
        {"a": 0.8519, "a tied": 0.7454, "b": 0.8333, "b tied": 0.7321},
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        {"tau": -0.6889, "tau_a": -0.6222, "tau_b": -0.6510},
        {"a": -0.6971, "a tied": -0.5558, "b": -0.668, "b tied": -0.7047},
    ),
]


@pytest.mark.parametrize(("x", "y", "tau", "tau_ap"), IRCOR)
def test_published_correlations_with_ties(x, y, tau, tau_ap):
    # The tied versions of the data are rounded to one decimal, half to even.
    tied_x, tied_y = np.round(x, 1), np.round(y, 1)
    near = {"abs": 5e-5}
    assert kendall_tau_score(x, y) == pytest.approx(tau["tau"], **near)
    assert kendall_tau_score(x, tied_y, variant="a") == pytest.approx(
        tau["tau_a"], **near
    )
    assert kendall_tau_score(tied_x, tied_y) == pytest.approx(tau["tau_b"], **near)
    assert tau_ap_score(x, y) == pytest.approx(tau_ap["a"], **near)
    assert tau_ap_score(x, tied_y) == pytest.approx(tau_ap["a tied"], **near)
    assert tau_ap_score(x, y, variant="b") == pytest.approx(tau_ap["b"], **near)
    assert tau_ap_score(tied_x, tied_y, variant="b") == pytest.approx(
        tau_ap["b tied"], **near
    )


# Rank-biased overlap ------------------------------------------------------------------


def overlap_by_contributions(x, y, persistence):
    """Add the chances of all documents to be in both tops, depth by depth."""
    n = len(x)
    top = []
    for side in (x, y):
        above = (side[:, np.newaxis] < side).sum(axis=1)
        size = (side[:, np.newaxis] == side).sum(axis=1)
        depth = np.arange(1, n + 1)[:, np.newaxis]
        top.append(np.clip((depth - above) / size, 0, 1))
    agreement = (top[0] * top[1]).sum(axis=1) / np.arange(1, n + 1)
    weights = (1 - persistence) * persistence ** np.arange(n)
    return agreement @ weights + persistence**n


@pytest.mark.parametrize("levels", [(1, 1), (1, 50), (2, 3), (7, 1000), (400, 400)])
@pytest.mark.parametrize("persistence", [0.5, 0.9, 0.999])
def test_overlap_of_long_lists_with_large_tie_groups(levels, persistence):
    rng = np.random.default_rng(9)
    x, y = (rng.integers(0, level, 400) for level in levels)
    ours = rbo_score(x, y, persistence=persistence)
    expected = overlap_by_contributions(x, y, persistence)
    assert ours == pytest.approx(expected, abs=1e-12)


def test_overlap_of_single_documents_is_full():
    ours = rbo_score([1, 2, np.nan], [3, 2, 1], qid=[1, 2, 3], average=None)
    np.testing.assert_array_equal(ours, [1.0, 1.0, np.nan])


VARIANTS = ["ext", "min", "residual"]
INF = math.inf


def test_the_example_of_corsi_and_urbano():
    """https://github.com/julian-urbano/sigir2024-rbo, p = 0.95, ties "a"."""
    items = ["red", "blue", "green", "yellow", "pink", "white", "black", "purple"]
    x = {"red": 4, "blue": 3, "green": 3, "yellow": 2, "pink": 1}
    y = {"blue": 4, "red": 4, "white": 3, "yellow": 2, "black": 2, "purple": 2}
    y["green"] = 1
    lists = [[scores.get(item, -INF) for item in items] for scores in (x, y)]
    published = {"ext": 0.6922853, "min": 0.3310519, "residual": 0.5620173}
    for variant, expected in published.items():
        for pair in (lists, lists[::-1]):
            value = rbo_score(*pair, persistence=0.95, variant=variant)
            assert value == pytest.approx(expected, abs=5e-8)


def two_lists(seed, n_queries, longest=6):
    """Draw two lists of tied documents per query, of different documents."""
    rng = np.random.default_rng(seed)
    lists = rng.integers(0, 4, (2, n_queries, longest)).astype(float)
    lists[rng.random(lists.shape) < rng.random((2, n_queries, 1))] = -INF
    return lists


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("persistence", [0.5, 0.9])
def test_two_lists_of_their_own_are_averaged_over_all_orders(variant, persistence):
    params = {"variant": variant, "persistence": persistence}
    first, second = two_lists(11, 80, longest=5)
    ours = rbo_score(first, second, average=None, **params)
    expected = [
        ref.mean_rank_biased_overlap(*pair, **params)
        for pair in zip(first.tolist(), second.tolist(), strict=True)
    ]
    np.testing.assert_allclose(ours, expected, **CLOSE)
    assert np.isnan(expected).any()
    swapped = rbo_score(second, first, average=None, **params)
    np.testing.assert_allclose(swapped, ours, **CLOSE)
    flat = rbo_score(
        first.ravel(),
        second.ravel(),
        qid=np.repeat(np.arange(80), 5),
        average=None,
        **params,
    )
    np.testing.assert_allclose(flat, ours, **CLOSE)


def overlap_to_depth(first, second, persistence, depth):
    total = sum(
        persistence ** (d - 1) * len({*first[:d]} & {*second[:d]}) / d
        for d in range(1, depth + 1)
    )
    return (1 - persistence) * total


@pytest.mark.parametrize("persistence", [0.5, 0.8])
def test_bounds_are_those_of_continued_lists(persistence):
    depth = 200
    rng = np.random.default_rng(12)
    for _ in range(60):
        n, m = rng.integers(0, 6, 2)
        first, second = (rng.permutation(7)[:k].tolist() for k in (n, m))
        if n + m == 0:
            continue
        scores = np.full((2, 7), -INF)
        for row, items in zip(scores, (first, second), strict=True):
            row[items] = np.arange(len(items), 0, -1)
        options = {"persistence": persistence}
        low = rbo_score(*scores, variant="min", **options)
        span = rbo_score(*scores, variant="residual", **options)
        others = [first + [-1 - i for i in range(depth)], second]
        others[1] = second + [depth + i for i in range(depth)]
        worst = overlap_to_depth(*others, persistence, depth)
        assert low == pytest.approx(worst, abs=1e-12)
        best = [first, second]  # each goes on with what it lacks, best first
        new = [item for item in second if item not in first]
        best[0] = first + new + list(range(100, 100 + depth))
        new = [item for item in first if item not in second]
        best[1] = second + new + list(range(100, 100 + depth))
        assert low + span == pytest.approx(
            overlap_to_depth(*best, persistence, depth), abs=1e-12
        )
        value = rbo_score(*scores, **options)
        assert low - 1e-12 <= value <= low + span + 1e-12


def test_long_lists_keep_their_digits():
    n = 20_000
    scores = np.arange(n, 0.0, -1.0)
    for persistence in (0.9, 0.9999):
        options = {"persistence": persistence}
        assert rbo_score(scores, scores, **options) == pytest.approx(1.0, abs=1e-12)
        low = rbo_score(scores, scores, variant="min", **options)
        span = rbo_score(scores, scores, variant="residual", **options)
        assert low + span == pytest.approx(1.0, abs=1e-10)
        assert 0.0 <= span <= persistence**n + 1e-10


def test_bad_variants():
    with pytest.raises(ValueError, match="variant must be one of 'ext', 'min', 'resid"):
        rbo_score([1], [1], variant="a")
    with pytest.raises(ValueError, match="variant must be one of 'a', 'b'; got 'ext'"):
        tau_ap_score([1, 2], [1, 2], variant="ext")
    with pytest.raises(ValueError, match="y_true must hold finite grades"):
        tau_ap_score([1, -INF], [1, 2])


# Scott's pi and Cohen's kappa ---------------------------------------------------------


def test_cohen_kappa_is_that_of_scikit_learn():
    assert irm.metrics.cohen_kappa_score is metrics.cohen_kappa_score


def test_scott_pi_of_a_single_label_is_undefined():
    reason = r"scott_pi_score is undefined .* \(all labels are equal\)"
    with pytest.warns(UndefinedMetricWarning, match=reason):
        assert math.isnan(scott_pi_score(["a", "a"], ["a", "a"]))
    with pytest.warns(UndefinedMetricWarning, match="all labels are equal"):
        irm.score_queries([1, 1], [1, 1], "scott_pi", qid=[0, 0])
    assert scott_pi_score(["a", "a"], ["b", "b"]) == -1.0


@pytest.mark.parametrize(
    ("y1", "y2", "error"),
    [
        (["a"], [1], TypeError),
        (["a"], ["a", "b"], ValueError),
        ([1.0, np.nan], [1.0, 2.0], ValueError),
        (csr_array([[1]]), [[1]], TypeError),
    ],
)
def test_bad_labels_are_refused_by_name(y1, y2, error):
    with pytest.raises(error, match="y1"):
        scott_pi_score(y1, y2)
    with pytest.raises(ValueError, match="average"):
        scott_pi_score([1, 2], [2, 1], average="micro")


# Ordered pairs ------------------------------------------------------------------------


@pytest.mark.parametrize("n_levels", [2, 3, 1000])
def test_ordered_pairs_are_somers_d_on_another_scale(n_levels):
    rng = np.random.default_rng(n_levels)
    for _ in range(20):
        n = int(rng.integers(3, 60))
        y_true = np.append(rng.integers(-2, 4, n), [0, 1])
        y_score = rng.integers(0, n_levels, n + 2)
        d = stats.somersd(y_true, y_score).statistic
        found = irm.metrics.ordered_pairs_score(y_true, y_score)
        assert found == pytest.approx((1 + d) / 2, rel=1e-12)
        binary = y_true > 0
        found = irm.metrics.ordered_pairs_score(binary, y_score)
        assert found == pytest.approx(irm.roc_auc_score(binary, y_score), rel=1e-12)


def test_ordered_pairs_of_many_documents():
    rng = np.random.default_rng(8)
    y_true = rng.integers(0, 1000, 100_000)
    y_score = y_true + rng.integers(0, 1000, 100_000)
    n_pairs = (len(y_true) ** 2 - (np.bincount(y_true) ** 2.0).sum()) / 2
    n_apart = (len(y_true) ** 2 - (np.bincount(y_score) ** 2.0).sum()) / 2
    tau = stats.kendalltau(y_true, y_score).statistic
    balance = tau * math.sqrt(n_pairs * n_apart)
    expected = (n_pairs + balance) / (2 * n_pairs)
    found = irm.metrics.ordered_pairs_score(y_true, y_score)
    assert found == pytest.approx(expected, rel=1e-12)


def test_ordered_pairs_with_documents_that_sparse_input_leaves_out():
    rng = np.random.default_rng(3)
    for _ in range(50):
        y_true = rng.integers(-1, 3, (4, 9)) * (rng.random((4, 9)) < 0.5)
        y_score = rng.integers(1, 4, (4, 9)) * (rng.random((4, 9)) < 0.5)
        dense = np.where(y_score > 0, y_score, -np.inf)
        for ties in ("average", "optimistic", "pessimistic", "stable"):
            options = {"average": None, "ties": ties, "replace_undefined_by": -1.0}
            found = irm.metrics.ordered_pairs_score(
                csr_array(y_true * 1.0), csr_array(y_score * 1.0), **options
            )
            expected = irm.metrics.ordered_pairs_score(y_true, dense, **options)
            np.testing.assert_allclose(found, expected, **CLOSE)
