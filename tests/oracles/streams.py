"""Rows of queries in parts."""

import pickle

import numpy as np
import pytest

from sklearn_irmetrics.streaming import StreamingEvaluator

MEASURES = [
    *("ndcg@10", "mrr", "gmap", "f(average='micro')@3", "dcg", "set_f1"),
    *("set_f1(average='micro')", "rprec(replace_undefined_by=0)"),
    "ap(average='geometric', epsilon=0.1)",
]
quietly = pytest.mark.filterwarnings("ignore:.* undefined in")


def make_rows(rng, n_queries, weights):
    """Rows in no order of queries of 1 to 6 documents, some without a relevant one."""
    qid = np.repeat(np.arange(n_queries), rng.integers(1, 7, n_queries))
    has_any = rng.random(n_queries) < 0.8
    y_true = rng.integers(0, 3, len(qid)) * has_any[qid]
    y_score = np.round(rng.random(len(qid)), 1)
    y_score[rng.random(len(qid)) < 0.3] = -np.inf
    y_score[0] = 0.5  # so that they are no predictions
    own = {
        "none": None,
        "small": rng.integers(0, 3, n_queries) + (np.arange(n_queries) == 0),
        "skewed": rng.lognormal(0, 1.5, n_queries),
        "tiny": rng.random(n_queries) * 1e-90 + 1e-92,
    }[weights]
    order = rng.permutation(len(qid))
    rows = {"qid": qid[order]}
    if own is not None:
        rows["sample_weight"] = own[rows["qid"]]
    return y_true[order], y_score[order], rows


def stream(rng, y_true, y_score, rows, **options):
    """Score rows in random parts, by evaluators that are merged in a random tree."""
    part = rng.integers(0, rng.integers(1, 9), rows["qid"].max() + 1)[rows["qid"]]
    evaluators = []
    for number in rng.permutation(np.unique(part)):
        own = part == number
        if not evaluators or rng.random() < 0.7:
            evaluators.append(StreamingEvaluator(MEASURES, **options))
        given_rows = {name: values[own] for name, values in rows.items()}
        evaluators[-1].update(y_true[own], y_score[own], **given_rows)
    while len(evaluators) > 1:
        other = evaluators.pop(rng.integers(len(evaluators)))
        evaluators[rng.integers(len(evaluators))].merge(
            pickle.loads(pickle.dumps(other))
        )
    return evaluators[0].compute()


def stream_of(rows, qid=(1, 1, 2, 2), metrics="map", **options):
    evaluator = StreamingEvaluator(metrics, **options)
    evaluator.update(*rows, qid=list(qid))
    return evaluator


ROWS = [1, 0, 2, 0], [0.4, 0.3, 0.2, 0.1]
