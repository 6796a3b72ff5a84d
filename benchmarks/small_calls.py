"""What a call costs beside the work, and what a ready evaluator saves.

Run ``python benchmarks/small_calls.py``. Calls are measured in turns, round by round.
Times are CPU times, the least of all rounds; ratios, to the call that is 1, are medians
over the rounds, since processors change their pace. First one query of ten documents,
beside scikit-learn's ``ndcg_score``; then 100 000 rows in 1000 queries; last, rankings
of the size of MSLR-WEB30K, whose rows stand by query or are shuffled, beside
`score_queries`.
``--quick`` leaves out most of the last.
"""

import argparse
from time import process_time
from timeit import Timer

import numpy as np
from measuring import processor
from shapes import learning_to_rank
from sklearn.metrics import ndcg_score as sklearn_ndcg_score

from sklearn_irmetrics import ndcg_score, score_queries
from sklearn_irmetrics.reports import RankingEvaluator

SKLEARN = "scikit-learn's ndcg_score"
FOUR = ["ndcg@10", "map", "mrr", "p@10"]
LARGE = {"nDCG@10": ["ndcg@10"], "five measures": [*FOUR, "recall@100"]}


def times_in_turns(calls, *, rounds, number):
    """Return the times of each call, one per round."""
    timers = {name: Timer(call, timer=process_time) for name, call in calls.items()}
    times = {name: [] for name in calls}
    for _ in range(rounds):
        for name, timer in timers.items():
            times[name].append(timer.timeit(number) / number)
    return times


def show(title, times, unit):
    """Print the least times, and the median ratios to those of `unit`."""
    print(f"\n{title}")
    for name, (least, ratio) in summary(times, unit).items():
        print(f"  {name:<36}{1e3 * least:>12.4f} ms{ratio:>8.3f}")


def summary(times, unit):
    """Return the least times, and the median ratios to those of `unit`."""
    return {
        name: (min(seconds), float(np.median(np.divide(seconds, times[unit]))))
        for name, seconds in times.items()
    }


def one_query(rounds=300):
    """Time calls with one query of ten documents."""
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 4, (1, 10)), rng.random((1, 10))
    evaluator = RankingEvaluator(y_true, FOUR)
    calls = {
        SKLEARN: lambda: sklearn_ndcg_score(y_true, y_score),
        "ndcg_score": lambda: ndcg_score(y_true, y_score),
        "score_queries, four measures": lambda: score_queries(y_true, y_score, FOUR),
        "evaluator, four measures": lambda: evaluator(y_score),
        "evaluator.score_queries": lambda: evaluator.score_queries(y_score),
    }
    return times_in_turns(calls, rounds=rounds, number=10)


def thousand_queries(rounds=15):
    """Time calls with 1000 queries of 100 documents."""
    rng = np.random.default_rng(1)
    y_true, y_score = rng.integers(0, 4, 100_000), rng.random(100_000)
    qid = np.repeat(np.arange(1000), 100)
    evaluator = RankingEvaluator(y_true, FOUR, qid=qid)
    rows = y_true.reshape(1000, 100), y_score.reshape(1000, 100)
    calls = {
        SKLEARN: lambda: sklearn_ndcg_score(*rows, k=10),
        "ndcg_score": lambda: ndcg_score(y_true, y_score, k=10, qid=qid),
        "score_queries, four measures": lambda: score_queries(
            y_true, y_score, FOUR, qid=qid
        ),
        "evaluator, four measures": lambda: evaluator(y_score),
    }
    return times_in_turns(calls, rounds=rounds, number=2)


def many_documents(n_queries):
    """Time a ready evaluator on documents of many queries."""
    shape = learning_to_rank(n_queries, np.random.default_rng(2))
    arrays = shape.y_true, shape.y_score, shape.qid
    order = np.random.default_rng(3).permutation(len(shape.qid))
    shuffled = [array[order] for array in arrays]
    for title, metrics in LARGE.items():
        for how, rows in {"by query": arrays, "shuffled": shuffled}.items():
            where = f"{len(order)} documents of {n_queries} queries, {how}"
            show(f"{title}: {where}", ready_and_not(*rows, metrics), "score_queries")


def ready_and_not(y_true, y_score, qid, metrics):
    """Return the times of a ready evaluator and of `score_queries`."""
    options = {"qid": qid, "replace_undefined_by": 0.0}
    evaluator = RankingEvaluator(y_true, metrics, **options)
    calls = {
        "score_queries": lambda: score_queries(y_true, y_score, metrics, **options),
        "evaluator": lambda: evaluator(y_score),
    }
    assert calls["score_queries"]().mean == calls["evaluator"]()
    return times_in_turns(calls, rounds=7, number=1)


def main():
    """Print all times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    print(processor())
    show("One query of ten documents", one_query(), SKLEARN)
    show("100 000 rows in 1000 queries", thousand_queries(), SKLEARN)
    many_documents(1000 if quick else 31_531)


if __name__ == "__main__":
    main()
