"""Measures of sampled negatives, corrected as Krichene and Rendle do."""

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csr_array
from scipy.stats import hypergeom

from sklearn_irmetrics import Measure, score_queries
from sklearn_irmetrics.reports import score_sampled

NAMES = ["hit_rate@3", "ndcg@5", "mrr", "ap@4", "roc_auc"]


def samples(rng, ranks, n_all, n_sampled):
    """Draw negatives, and return matrices with the relevant document in column 0."""
    ahead = rng.hypergeometric(ranks - 1, n_all - ranks, n_sampled - 1)
    scores = np.where(np.arange(1, n_sampled) <= ahead[:, np.newaxis], 2.0, 0.0)
    y_true = np.zeros((len(ranks), n_sampled))
    y_true[:, 0] = 1
    return y_true, np.column_stack([np.ones(len(ranks)), scores])


def of_rank(rank, n_all):
    """The measures by hand."""
    return {
        "hit_rate@3": float(rank <= 3),
        "ndcg@5": (rank <= 5) / np.log2(rank + 1),
        "mrr": 1 / rank,
        "ap@4": (rank <= 4) / rank,
        "roc_auc": (n_all - rank) / (n_all - 1),
    }


@pytest.mark.parametrize(
    ("n_all", "n_sampled", "gamma"), [(40, 9, 0.01), (25, 12, 0.4)]
)
def test_the_system_of_the_paper(n_all, n_sampled, gamma):
    ranks = np.random.default_rng(0).integers(1, n_all + 1, 30)
    y_true, scores = samples(np.random.default_rng(1), ranks, n_all, n_sampled)
    found = score_sampled(y_true, scores, NAMES, n_candidates=n_all, gamma=gamma)
    likely = np.array(
        [
            [hypergeom.pmf(r, n_all - 1, rank, n_sampled - 1) for r in range(n_sampled)]
            for rank in range(n_all)
        ]
    )
    sampled_rank = (scores > 1).sum(axis=1)
    for name in NAMES:
        by_rank = [of_rank(rank, n_all)[name] for rank in range(1, n_all + 1)]
        # The same as weighted least squares with a penalty of the variance.
        rows = np.vstack(
            [
                np.sqrt(1 - gamma) * likely,
                np.sqrt(gamma) * np.diag(np.sqrt(likely.sum(axis=0))),
            ]
        )
        right = likely.T @ by_rank
        table = np.linalg.solve(rows.T @ rows, right)
        values = table[sampled_rank]
        assert found.estimate[name] == pytest.approx(values.mean(), abs=1e-9)
        error = values.std(ddof=1) / np.sqrt(30)
        assert found.standard_error[name] == pytest.approx(error, abs=1e-9)
        ends = stats.t.interval(0.95, 29, values.mean(), error)
        assert found.confidence_interval[name] == pytest.approx(ends, abs=1e-9)
        expected = score_queries(y_true, scores, name).mean[name]
        assert found.sampled[name] == expected


def test_all_candidates_need_no_correction():
    rng = np.random.default_rng(2)
    scores = rng.random((20, 30)).round(1)  # with ties
    y_true = np.zeros((20, 30))
    y_true[np.arange(20), rng.integers(0, 30, 20)] = 1
    found = score_sampled(y_true, scores, NAMES, n_candidates=30)
    assert found.estimate == pytest.approx(found.sampled, abs=1e-9)


def test_forms_of_input():
    rng = np.random.default_rng(3)
    y_true, scores = samples(rng, rng.integers(1, 200, 15), 200, 10)
    names = {"hits": Measure("hit_rate@10"), "gain": "ndcg@10"}
    expected = score_sampled(y_true, scores, names, n_candidates=200)
    assert list(expected.estimate) == ["hits", "gain"]
    qid = np.repeat(np.arange(15), 10)
    for given, options in (
        ((y_true.ravel(), scores.ravel()), {"qid": qid}),
        ((csr_array(y_true), scores), {}),
        ((csr_array(y_true), csr_array(scores + 1)), {}),
    ):
        found = score_sampled(*given, names, n_candidates=200, **options)
        for name in ("estimate", "standard_error", "sampled"):
            assert getattr(found, name) == pytest.approx(getattr(expected, name))
    # Samples of several sizes, out of a matrix of all.
    chosen = np.ones((15, 10), dtype=bool)
    chosen[:7, 8:] = False
    found = score_sampled(y_true, scores, names, n_candidates=200, candidates=chosen)
    parts = [
        score_sampled(y_true[s, :n], scores[s, :n], names, n_candidates=200).estimate[
            "gain"
        ]
        for s, n in ((slice(7), 8), (slice(7, 15), 10))
    ]
    assert found.estimate["gain"] == pytest.approx(np.average(parts, weights=[7, 8]))
    # Samples out of a sparse matrix of all.
    stored = csr_array(chosen)
    cells = csr_array(y_true) * stored, csr_array(scores + 1) * stored
    found = score_sampled(*cells, names, n_candidates=200, candidates=stored)
    assert found.estimate["gain"] == pytest.approx(np.average(parts, weights=[7, 8]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y_true": [[1, 1, 0]]}, "single 1.*query 0.*each relevant document"),
        ({"y_true": [[0, 0, 0]]}, "single 1"),
        ({"y_true": [[2, 0, 0]]}, "single 1"),
        ({"y_true": [[1, 0, -1]]}, "single 1 and zeros"),
        ({"y_true": [[1, 0, np.nan]]}, "single 1 and zeros"),
        ({"y_score": [[-np.inf, 1, 2]]}, "finite score"),
        ({"y_score": [[1, 2, -np.inf]]}, "finite score of each document.*candidates="),
        ({"y_score": csr_array([[1.0, 2.0, 0.0]])}, "candidates="),
        ({"n_candidates": 2}, "n_candidates must be at least.*3; got 2"),
        ({"n_candidates": 0}, "n_candidates must be an integer >= 1"),
        ({"gamma": 1.0}, "gamma must be a number between 0 and 1"),
        ({"metrics": "set_f1"}, "rank documents by score alone; got 'set_f1'"),
        ({"metrics": "subtopic_recall@2"}, "by score alone"),
    ],
)
def test_what_is_refused(change, message):
    given = {"y_true": [[1, 0, 0]], "y_score": [[1, 2, 3]], "metrics": "mrr"}
    with pytest.raises(ValueError, match=message):
        score_sampled(**{**given, "n_candidates": 9, **change})


def test_one_query_has_no_error():
    found = score_sampled([1, 0], [1, 2], "mrr", n_candidates=2)
    assert found.estimate["mrr"] == pytest.approx(0.5)
    assert np.isnan(found.standard_error["mrr"])
    assert np.isnan(found.confidence_interval["mrr"]).all()
