"""Processor time of QueryRanker.fit beside the bare fit, on rows sorted by query.

Run ``python benchmarks/query_ranker_overhead.py [n_rows]``. Both fit the same model in
turn, several times; the median of each and their ratio are printed. The first line, of
a learner that learns nothing, is what QueryRanker itself takes.
"""

import argparse
import importlib.util
from statistics import median
from time import process_time

import numpy as np
from sklearn.base import BaseEstimator, clone

from sklearn_irmetrics.estimators import QueryRanker

N_FEATURES = 50
N_TREES = 30


class Nothing(BaseEstimator):
    """Takes queries as XGBRanker does, and learns nothing."""

    def fit(self, X, y, qid=None, sample_weight=None):
        """Return at once."""
        self.fitted_ = True
        return self


def rankers():
    """Yield a small model of each installed library and its own arguments of fit."""
    yield Nothing(), lambda qid, sizes: {"qid": qid}
    if importlib.util.find_spec("lightgbm"):
        from lightgbm import LGBMRanker

        model = LGBMRanker(n_estimators=N_TREES, n_jobs=1, verbose=-1)
        yield model, lambda qid, sizes: {"group": sizes}
    if importlib.util.find_spec("xgboost"):
        from xgboost import XGBRanker

        yield XGBRanker(n_estimators=N_TREES, n_jobs=1), lambda qid, sizes: {"qid": qid}
    if importlib.util.find_spec("catboost"):
        from catboost import CatBoostRanker

        model = CatBoostRanker(
            iterations=N_TREES, thread_count=1, verbose=0, allow_writing_files=False
        )
        yield model, lambda qid, sizes: {"group_id": qid}


def seconds(fit, *args, **kwargs):
    """Return the processor time of one fit; the models run on one thread."""
    start = process_time()
    fit(*args, **kwargs)
    return process_time() - start


def main():
    """Print a line for each library."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n_rows", type=int, nargs="?", default=100_000)
    parser.add_argument("--n-times", type=int, default=5)
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    qid = np.sort(rng.integers(0, arguments.n_rows // 100, arguments.n_rows))
    sizes = np.unique(qid, return_counts=True)[1]
    X = rng.normal(size=(arguments.n_rows, N_FEATURES))
    y = np.clip(np.rint(X[:, 0] + rng.normal(size=arguments.n_rows)), 0, 4)
    print(f"{arguments.n_rows} rows, {len(sizes)} queries, {N_FEATURES} features")
    for model, own in rankers():
        bare, wrapped = [], []
        for _ in range(arguments.n_times):
            bare.append(seconds(clone(model).fit, X, y, **own(qid, sizes)))
            wrapped.append(seconds(QueryRanker(model).fit, X, y, qid=qid))
        alone, inside = median(bare), median(wrapped)
        share = "" if isinstance(model, Nothing) else f"   {inside / alone - 1:+.1%}"
        print(
            f"{type(model).__name__:15s} bare {alone:8.4f} s   QueryRanker "
            f"{inside:8.4f} s   {inside - alone:+.4f} s{share}"
        )


if __name__ == "__main__":
    main()
