"""Weights of single documents: in sets, and in the rankings that take them."""

import numpy as np
import pytest
from sklearn import metrics as skm

from oracles.measures import METRICS
from sklearn_irmetrics import metrics as ours

APPROX = {"rel": 1e-12, "abs": 1e-12}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


WEIGHING = {
    row.function.__name__: row.kind
    for row in METRICS.values()
    if row.kind == "set" or row.weighs_documents
}
WEIGHING_RANKS = [name for name, kind in WEIGHING.items() if kind == "ranking"]


@pytest.mark.parametrize("name", ["roc_auc_score", "average_precision_score"])
@pytest.mark.parametrize("tied", [False, True])
def test_weighted_rankings_are_those_of_scikit_learn(name, tied, rng):
    score, theirs = getattr(ours, name), getattr(skm, name)
    for _ in range(20):
        n = int(rng.integers(5, 40))
        y_true, y_score = rng.random(n) < 0.4, rng.standard_normal(n)
        y_true[:2] = [True, False]
        if tied:
            y_score = np.round(y_score)
        weights = rng.integers(0, 4, n) * rng.random(n)  # some of them 0
        weights[:2] = 1.0
        for unit in (1.0, 7.5):
            value = score(y_true, y_score, sample_weight=weights * unit)
            expected = theirs(y_true, y_score, sample_weight=weights)
            assert value == pytest.approx(expected, **APPROX)


@pytest.mark.parametrize("name", WEIGHING_RANKS)
def test_weights_of_documents_that_were_not_retrieved(name, rng):
    score = getattr(ours, name)
    for _ in range(20):
        y_true, y_score = rng.choice([0, 1, np.nan], 30), rng.permutation(30) * 1.0
        y_score[rng.random(30) < 0.3] = -np.inf
        n = np.where(y_true == 1, rng.integers(1, 4, 30), 1)
        n[y_score > -np.inf] = np.where(y_true == 1, 1, n)[y_score > -np.inf]
        rows = np.repeat(np.arange(30), n)
        for options in ({}, {"judged_only": True}):
            value = score(y_true, y_score, sample_weight=n + 0.0, **options)
            expected = score(y_true[rows], y_score[rows], **options)
            assert value == pytest.approx(expected, **APPROX)
    with pytest.warns(Warning, match="undefined"):
        value = score(np.zeros(30), y_score, sample_weight=np.arange(30) + 1.0)
    assert np.isnan(value)


@pytest.mark.parametrize("name", WEIGHING)
@pytest.mark.parametrize("unit", [1.0, 10.0])
@pytest.mark.filterwarnings("ignore:.*is undefined")
def test_a_weight_of_zero_removes_a_document(name, unit, rng):
    score, ranks = getattr(ours, name), name in WEIGHING_RANKS
    options = {"normalize": True} if name == "set_cost_matrix_loss" else {}
    for _ in range(200):
        n = int(rng.integers(3, 9))
        y_true, y_score = rng.integers(0, 2, n), rng.integers(0, 3, n) * 1.0
        y_score = y_score if ranks else (y_score > 0).astype(int)
        kept = rng.random(n) < 0.7
        y_true[:2], kept[:2] = [1, 0], True
        value = score(y_true, y_score, sample_weight=kept * unit, **options)
        expected = score(y_true[kept], y_score[kept], **options)
        assert value == pytest.approx(expected, abs=1e-14, nan_ok=True)


def test_a_weight_of_zero_leaves_ties_as_they_are_without_it():
    score = ours.average_precision_score
    assert score([1, 0, 1], [0.5, 0.5, 0.1], sample_weight=[10, 10, 0]) == 0.75


@pytest.mark.parametrize("name", ["roc_auc_score", "average_precision_score"])
@pytest.mark.parametrize("ties", ["optimistic", "pessimistic", "stable"])
def test_a_weight_of_zero_leaves_every_rule_for_ties(name, ties):
    score, y_true, tied = getattr(ours, name), [1, 0, 1, 0], [1, 1, 0, 2]
    value = score(y_true, tied, sample_weight=[10, 10, 10, 0], ties=ties)
    assert value == score(y_true[:3], tied[:3], ties=ties)


@pytest.mark.parametrize("name", ["roc_auc_score", "average_precision_score"])
@pytest.mark.parametrize(
    ("y_true", "options"),
    [
        ([0, np.nan, np.nan], {"judged_only": True}),
        (["a", "b", "c"], {"pos_label": "a"}),
        (["a", None, None], {"pos_label": "a"}),
        ([2, 1, 0], {"pos_label": 2}),
    ],
)
def test_nothing_relevant_but_what_has_no_weight_is_undefined(name, y_true, options):
    options["sample_weight"] = [0, 10, 1]
    score = getattr(ours, name)
    with pytest.warns(Warning, match=f"{name} is undefined"):
        assert np.isnan(score(y_true, [1, 2, 3], **options))
    assert score(y_true, [1, 2, 3], replace_undefined_by=0.5, **options) == 0.5


def test_ties_of_weighted_documents_are_one_step():
    y_true, tied = [1, 0, 0, 1], [0, 0, 0, 0]
    score = ours.average_precision_score
    assert score(y_true, tied, sample_weight=[2] * 4) == score(y_true, tied) != 0.5
    assert score(y_true, tied, sample_weight=[1, 1, 2, 2]) == 0.5


def test_weights_of_documents_elsewhere_are_refused():
    options = {"sample_weight": [1, 2, 3]}
    with pytest.raises(ValueError, match="ties must be 'average' for roc_auc_score"):
        ours.roc_auc_score([1, 0, 1], [3, 2, 1], ties="stable", **options)
    with pytest.raises(ValueError, match="k must be None for average_precision_score"):
        ours.average_precision_score([1, 0, 1], [3, 2, 1], k=2, **options)
    with pytest.raises(ValueError, match="sets .* take one weight per doc"):
        ours.ndcg_score([1, 0, 1], [3, 2, 1], **options)
    constant = {"sample_weight": [2, 2, 2]}
    assert ours.ndcg_score([1, 0, 1], [3, 2, 1], **constant) < 1
