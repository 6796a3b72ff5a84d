"""Documents that sparse input leaves out count all the same."""

import numpy as np
from scipy.sparse import csr_array

import sklearn_irmetrics as irm
from oracles.cases import sparse


def draw(seed):
    """Draw grades and scores with few stored cells, zeros and NaN among them."""
    rng = np.random.default_rng(seed)
    shape = 60, 9
    y_true = rng.choice([0, 0, 0, 0.5, 1, 2, 2.5, -1, np.nan], shape)
    y_true[rng.random(shape) < 0.5] = 0
    y_true[:3] = 0
    y_score = rng.integers(-2, 3, shape) * 1.0
    y_score[rng.random(shape) < 0.6] = -np.inf
    y_score[2:5] = -np.inf
    return y_true, y_score


def test_many_measures_count_absent_documents_alike():
    y_true, y_score = draw(2)
    names = ["rprec", "bpref", "roc_auc", "recall@3", "map", "rr", "infap", "11pt"]
    texts = [
        name.replace("@", "(relevance_threshold=0)@")
        if "@" in name
        else f"{name}(relevance_threshold={threshold})"
        for name in names
        for threshold in (0, -1)
    ]
    texts += ["rprec(relevance_threshold=0, judged_only=True)", "p@3"]
    found, expected = (
        irm.score_queries(*arrays, texts, replace_undefined_by=-1)
        for arrays in (
            (csr_array(y_true), sparse(y_score, -np.inf)),
            (y_true, y_score),
        )
    )
    for text in texts:
        np.testing.assert_allclose(
            found.scores[text], expected.scores[text], rtol=1e-12, err_msg=text
        )


def test_absent_documents_reached_by_the_threshold_are_to_be_found():
    matrices = csr_array([[0, 1]]), csr_array([[0, 1]])
    assert irm.recall_at_k_score(*matrices, relevance_threshold=0) == 0.5
    assert irm.r_precision_score(*matrices, relevance_threshold=0) == 0.5


def test_reports_count_absent_documents_once():
    y_true, y_score = draw(3)
    y_true = np.maximum(y_true, 0)
    y_true[0] = 1
    matrices = csr_array(y_true), sparse(y_score, -np.inf)
    found = irm.ranking_report(*matrices, metrics="map", output="dict")
    assert found["counts"]["judged"] == np.count_nonzero(~np.isnan(y_true))
    assert found["counts"]["relevant"] == np.count_nonzero(y_true > 0)
    assert found["counts"]["documents"] == y_true.size
