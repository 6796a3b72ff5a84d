"""Processor time that a measure adds to an iteration of boosting, beside the iteration.

Run ``python benchmarks/boosting_metric.py [n_rows]``. Each library trains on the rows
and validates on them: in turn without any metric, with nDCG@10 and with MAP@20 as this
package gives it. Printed are the medians of the time of an iteration, and of the time
inside the metric, which is told apart by a clock around it. The first call, in which
judgments are prepared, is printed by itself.
"""

import argparse
import importlib.util
from statistics import median
from time import process_time

import numpy as np

from sklearn_irmetrics.estimators import boosting

ROUNDS = 12


class Clock:
    """Keeps the time of each call of a method."""

    def __init__(self, metric):
        self.seconds = []
        self._values, metric.values = metric.values, self

    def __call__(self, *args, **kwargs):
        """Return what the method returns."""
        start = process_time()
        values = self._values(*args, **kwargs)
        self.seconds.append(process_time() - start)
        return values


def lightgbm(X, y, sizes, name, n_threads):
    """Train once; return the clock and the time of all."""
    import lightgbm

    data = lightgbm.Dataset(X, y, group=sizes).construct()
    valid = lightgbm.Dataset(X, y, group=sizes, reference=data).construct()
    params = {"objective": "lambdarank", "metric": "None", "num_threads": n_threads}
    metric = boosting.lightgbm_metric(name)
    clock = Clock(metric)
    start = process_time()
    lightgbm.train(
        {**params, "verbose": -1}, data, ROUNDS, valid_sets=[valid], feval=metric
    )
    return clock, process_time() - start


def xgboost(X, y, sizes, name, n_threads):
    """Train once; return the clock and the time of all."""
    import xgboost

    data = xgboost.QuantileDMatrix(X, y, group=sizes, nthread=n_threads)
    valid = xgboost.QuantileDMatrix(X, y, group=sizes, ref=data, nthread=n_threads)
    params = {"objective": "rank:ndcg", "disable_default_eval_metric": 1}
    metric = boosting.xgboost_metric(name)
    clock = Clock(metric)
    start = process_time()
    xgboost.train(
        {**params, "nthread": n_threads},
        data,
        ROUNDS,
        evals=[(valid, "valid")],
        custom_metric=metric,
        verbose_eval=False,
    )
    return clock, process_time() - start


def catboost(X, y, sizes, name, n_threads):
    """Train once; return the clock and the time of all."""
    import catboost

    qid = np.repeat(np.arange(len(sizes)), sizes)
    data = catboost.Pool(X, y, group_id=qid)
    made = []

    class Metric:
        """A metric that CatBoost may copy, all copies of which share a clock."""

        def evaluate(self, approxes, target, weight):
            if not made:
                metric = boosting.catboost_metric(name, [(y, qid)])
                made.extend([metric, Clock(metric)])
            return made[0].evaluate(approxes, target, weight)

        def is_max_optimal(self):
            return True

        def get_final_error(self, error, weight):
            return error

    model = catboost.CatBoostRanker(
        iterations=ROUNDS,
        thread_count=n_threads,
        verbose=0,
        allow_writing_files=False,
        eval_metric=Metric(),
    )
    start = process_time()
    model.fit(data)
    return made[1], process_time() - start


LIBRARIES = {library.__name__: library for library in (lightgbm, xgboost, catboost)}


def main():
    """Print a line for each library and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n_rows", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--n-threads", type=int, default=1)
    parser.add_argument("--n-features", type=int, default=136, help="MSLR has 136")
    parser.add_argument("--library", nargs="+", default=list(LIBRARIES))
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    n_rows = arguments.n_rows
    sizes = rng.multinomial(n_rows, rng.dirichlet(np.full(max(n_rows // 100, 1), 4.0)))
    sizes = sizes[sizes > 0]
    X = rng.standard_normal((n_rows, arguments.n_features), dtype=np.float32)
    y = np.clip(np.rint(X[:, 0] + rng.normal(size=n_rows)), 0, 4)
    print(
        f"{n_rows} rows, {arguments.n_features} features, {len(sizes)} queries of up "
        f"to {sizes.max()} rows, {arguments.n_threads} thread(s)"
    )
    for library in map(LIBRARIES.get, arguments.library):
        if not importlib.util.find_spec(library.__name__):
            continue
        for name in ("ndcg@10", "map@20"):
            clock, total = library(X, y, sizes, name, arguments.n_threads)
            first, *others = clock.seconds
            n_calls = len(clock.seconds) / ROUNDS
            rest = (total - sum(clock.seconds)) / ROUNDS
            each = median(others) * n_calls
            print(
                f"{library.__name__:8s} {name:7s} iteration {rest:7.3f} s   metric "
                f"{each:7.4f} s   {each / rest:6.1%}   first call {first:7.4f} s"
            )


if __name__ == "__main__":
    main()
