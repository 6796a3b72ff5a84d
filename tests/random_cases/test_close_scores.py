"""Scores decide the order, however close they are, whatever is scored beside them.

The oracle is the same ranking by whole numbers: `adversarial.ranks_in_queries`.
"""

import numpy as np
import pytest

from oracles.cases import queries_at_once
from oracles.adversarial import LADDERS, ladder, ranks_in_queries
from sklearn_irmetrics import precision_at_k_score, score_queries

RANKS = "ranks of close scores"


def test_a_close_score_at_the_cutoff():
    near, scores = 0.1 + 0.2, [0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2, 0.1 + 0.2]
    assert precision_at_k_score([1, 0, 0, 1, 1], scores, k=2) == 1.0
    grades, scores = [0] * 10 + [1] + [0] * 9, [0.3] * 10 + [near] + [0.3] * 9
    for metrics in (["p@1"], ["p@1", "map"]):
        assert score_queries(grades, scores, metrics).mean["p@1"] == 1.0


MANY = ["p@1", "p@5", "recall@3", "f1@2", "success@2", "rprec", "mrr@3", "map", "gmap"]
MANY += ["map@2", "iprec@0.5", "11pt", "pr_auc", "roc_auc", "rbp", "rbp@3", "bpref"]
MANY += ["infap", "judged@4", "cg@3", "dcg@3", "err@3", "q", "q@2", "kendall_tau"]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("n_jobs", [None, 8])
def test_one_measure_among_many(n_jobs, rounds, hold):
    for rng in rounds(1):
        lengths = rng.choice([2, 3, 5, 9, 17, 33], 300)
        drawn = queries_at_once(rng, lengths, n_levels=[2, 3, 8, 1000])
        ranks = drawn.scored(ranks_in_queries(drawn.y_score, drawn.qid))
        alone = {
            name: score_queries(drawn.y_true, drawn.y_score, name, qid=drawn.qid)
            for name in MANY
        }
        for scored in (drawn, ranks):
            arrays = scored.y_true, scored.y_score
            options = {"qid": scored.qid, "n_jobs": n_jobs}
            together = score_queries(*arrays, MANY, **options).scores
            for name in MANY:
                hold(RANKS, together[name], alone[name].scores[name])


# Selection begins at 512 columns, rows are added up in pieces from 16 384, and 16 bits
# hold the columns of up to 65 536.
@pytest.mark.parametrize("width", [511, 512, 2047, 2049, 16_384, 65_536, 65_537])
@pytest.mark.parametrize("kind", LADDERS)
def test_close_scores_in_wide_rows(kind, width, hold):
    rng = np.random.default_rng(width)
    y_true = rng.choice([0.0, 1.0, 2.0, np.nan], (2, width))
    for n_levels in (2, 30, width):
        levels = rng.integers(0, n_levels, (2, width))
        y_score = np.stack([ladder(rng, n_levels, [kind])[row] for row in levels])
        metrics = ["p@1", "ndcg@5", "map@20", "mrr", "p@128", "ndcg@511", "roc_auc"]
        for asked in (metrics[:1], metrics[:4], metrics):
            scores = score_queries(y_true, y_score, asked).scores
            expected = score_queries(y_true, levels * 1.0, asked).scores
            for name in asked:
                hold(RANKS, scores[name], expected[name])
