"""Time this package beside pytrec_eval, scikit-learn and ranx, in one run.

Run ``python benchmarks/compare_tools.py`` from the checkout with the extra ``bench``
installed. Every tool gets the same numbers; building the dictionaries that some of them
want is timed apart. Times are the best of several warm repeats, in one process and on
one core; the ratios are what counts. A tool that is not installed is left out.
"""

import argparse
import os
import platform
import sys
import tracemalloc
import warnings
from time import perf_counter

for pool in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(pool, "1")

import numpy as np  # noqa: E402 (after the thread limits)
from sklearn.exceptions import UndefinedMetricWarning  # noqa: E402
from sklearn.metrics import ndcg_score as sklearn_ndcg_score  # noqa: E402

import sklearn_irmetrics as irm  # noqa: E402

FIVE = ["ap", "ndcg@10", "mrr", "p@10", "recall@100"]
TREC_FIVE = {"map", "ndcg_cut.10", "recip_rank", "P.10", "recall.100"}
RANX_FIVE = ["map", "ndcg@10", "mrr", "precision@10", "recall@100"]


def best_time(function, repeats):
    """Return the shortest of several warm runs, in seconds."""
    function()
    times = []
    for _ in range(repeats):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return min(times)


def timed(function):
    """Return what the function returns, and its time."""
    start = perf_counter()
    result = function()
    return result, perf_counter() - start


def peak_memory(function):
    """Return the most memory that NumPy and Python took at once, in bytes."""
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def learning_to_rank(n_queries, rng):
    """Make grades 0-4 and scores in the shape of a learning-to-rank test set."""
    lengths = np.maximum(1, rng.normal(119.6, 50.0, n_queries)).astype(int)
    qid = np.repeat(np.arange(n_queries), lengths)
    y_true = rng.choice(5, len(qid), p=[0.52, 0.32, 0.13, 0.02, 0.01])
    return y_true, rng.random(len(qid)) + 0.1 * y_true, qid


def report(title, rows, yardstick):
    """Print times as a table, each beside the yardstick's."""
    print(f"\n{title}")
    unit = dict(rows)[yardstick]
    for name, seconds in rows:
        print(f"  {name:<52}{seconds * 1e3:10.1f} ms{seconds / unit:10.2f} x")
    print(f"  (x: of {yardstick})")


def compare_learning_to_rank(n_queries, repeats):
    """Compare on many queries of about 120 documents."""
    rng = np.random.default_rng(0)
    y_true, y_score, qid = learning_to_rank(n_queries, rng)
    tied = np.round(y_score, 1)
    inputs = y_true.nbytes + y_score.nbytes + qid.nbytes
    print(f"{n_queries} queries, {len(qid)} documents, {inputs / 2**20:.0f} MiB")

    def ndcg(scores=y_score):
        return irm.ndcg_score(y_true, scores, k=10, qid=qid)

    def five(scores=y_score):
        return irm.score_queries(y_true, scores, FIVE, qid=qid)

    one = [
        ("ndcg_score(k=10)", best_time(ndcg, repeats)),
        ("ndcg_score(k=10), heavy ties", best_time(lambda: ndcg(tied), repeats)),
        ("np.argsort(y_score)", best_time(lambda: np.argsort(y_score), repeats)),
    ]
    many = [
        ("score_queries(five measures)", best_time(five, repeats)),
        ("score_queries(five), heavy ties", best_time(lambda: five(tied), repeats)),
    ]
    built = []
    for name, compare in (("pytrec_eval", with_pytrec_eval), ("ranx", with_ranx)):
        try:
            prepared, evaluate = compare(y_true, y_score, qid)
        except ImportError:
            print(f"{name} is not installed: left out", file=sys.stderr)
            continue
        built.append((f"{name}: building its dictionaries", prepared))
        one.append((f"{name} nDCG@10", best_time(lambda e=evaluate: e(False), 2)))
        many.append((f"{name} five measures", best_time(lambda e=evaluate: e(True), 2)))
    report("nDCG@10", one, "ndcg_score(k=10)")
    report("five measures", many, "score_queries(five measures)")
    if built:
        report("dictionaries, once", built, built[0][0])
    print(
        f"\nmemory beyond the inputs: nDCG@10 {peak_memory(ndcg) / inputs:.2f} x, "
        f"five measures {peak_memory(five) / inputs:.2f} x the inputs"
    )


def as_strings(y_true, y_score, qid):
    """Return the dictionaries of pytrec_eval and ranx: query -> document -> number."""
    starts = np.flatnonzero(np.diff(qid, prepend=qid[0] - 1))
    qrels, run = {}, {}
    names = [f"d{i}" for i in range(int(np.diff(starts, append=len(qid)).max()))]
    for grades, scores, query in zip(
        np.split(y_true, starts[1:]),
        np.split(y_score, starts[1:]),
        qid[starts],
        strict=True,
    ):
        qrels[str(query)] = dict(zip(names, grades.tolist(), strict=False))
        run[str(query)] = dict(zip(names, scores.tolist(), strict=False))
    return qrels, run


def with_pytrec_eval(y_true, y_score, qid):
    """Return the time to prepare pytrec_eval's input, and its evaluation."""
    import pytrec_eval

    (qrels, run), seconds = timed(lambda: as_strings(y_true, y_score, qid))
    one = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"})
    five = pytrec_eval.RelevanceEvaluator(qrels, TREC_FIVE)
    return seconds, lambda many: (five if many else one).evaluate(run)


def with_ranx(y_true, y_score, qid):
    """Return the time to prepare ranx's input, and its evaluation."""
    import ranx

    def prepare():
        qrels, run = as_strings(y_true, y_score, qid)
        return ranx.Qrels(qrels), ranx.Run(run)

    (qrels, run), seconds = timed(prepare)

    def evaluate(many):
        measures = RANX_FIVE if many else "ndcg@10"
        return ranx.evaluate(qrels, run, measures, return_mean=False, threads=1)

    return seconds, evaluate


def compare_dense(repeats):
    """Compare on a recommender's matrix: many documents for each query."""
    rng = np.random.default_rng(0)
    y_true = (rng.random((1000, 20_000)) < 0.001).astype(np.float64)
    y_score = rng.random((1000, 20_000))
    rows = [
        (
            "precision_at_k_score(k=10)",
            best_time(lambda: irm.precision_at_k_score(y_true, y_score, k=10), repeats),
        ),
        (
            "sklearn ndcg_score(k=10, ignore_ties=True)",
            best_time(
                lambda: sklearn_ndcg_score(y_true, y_score, k=10, ignore_ties=True), 2
            ),
        ),
        ("y_score.max(axis=1)", best_time(lambda: y_score.max(axis=1), repeats)),
    ]
    report("dense 1000 x 20 000", rows, "precision_at_k_score(k=10)")


def main():
    """Run all comparisons."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--queries", type=int, default=31_531)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    warnings.simplefilter("ignore", UndefinedMetricWarning)
    simd = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    print(f"{platform.machine()}, NumPy {np.__version__}, SIMD: {', '.join(simd[-3:])}")
    compare_learning_to_rank(options.queries, options.repeats)
    compare_dense(options.repeats)


if __name__ == "__main__":
    main()
