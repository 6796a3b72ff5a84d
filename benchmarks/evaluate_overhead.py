"""Time of `evaluate` beside scikit-learn's `cross_validate` with the same scorers.

Run ``python benchmarks/evaluate_overhead.py``. Both do the same five folds of the same
model, in turn, a few times; the median of each and their ratio are printed, which
should be at most 1.10, intervals included.
"""

import argparse
import importlib.util
from statistics import median
from time import perf_counter

import numpy as np
from sklearn import config_context
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from sklearn_irmetrics import get_scorers
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.model_selection import evaluate

RANKING = ["ndcg@10", "map", "mrr"]
CLASSES = ["accuracy", "roc_auc", "neg_log_loss"]


def queries(n_queries=1000, n_docs=50, n_features=30):
    """Return features, grades and ids."""
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(n_queries), n_docs)
    X = rng.normal(size=(len(qid), n_features))
    y = rng.poisson(np.exp(X[:, :5].sum(axis=1) / 2 - 1)).clip(max=4)
    y[::n_docs] = np.maximum(y[::n_docs], 1)
    return X, y, qid


def rankers():
    """Yield models that rank."""
    yield make_pipeline(PolynomialFeatures(2), QueryRanker(Ridge()))
    if importlib.util.find_spec("lightgbm"):
        from lightgbm import LGBMRanker

        yield QueryRanker(LGBMRanker(n_estimators=100, n_jobs=1, verbose=-1))


def ranking_cases():
    """Yield name, evaluate and cross_validate for rankers."""
    X, y, qid = queries()
    for model in rankers():

        def ours(model=model):
            return evaluate(model, X, y, qid=qid, scoring=RANKING, random_state=0)

        def theirs(model=model):
            with config_context(enable_metadata_routing=True):
                cv = GroupKFold(5, shuffle=True, random_state=0)
                return cross_validate(
                    model,
                    X,
                    y,
                    scoring=get_scorers(RANKING),
                    cv=cv.set_split_request(groups="qid"),
                    params={"qid": qid},
                )

        yield str(model).split("(")[0], RANKING, ours, theirs


def class_cases():
    """Yield name, evaluate and cross_validate for classifiers."""
    X, y = make_classification(20_000, 20, n_informative=10, random_state=0)
    for model in (
        RandomForestClassifier(50, random_state=0),
        KNeighborsClassifier(algorithm="brute"),
    ):

        def ours(model=model):
            return evaluate(
                model, X, y, scoring=CLASSES, method="stratified", random_state=0
            )

        def theirs(model=model):
            cv = StratifiedKFold(5, shuffle=True, random_state=0)
            return cross_validate(model, X, y, scoring=CLASSES, cv=cv)

        yield type(model).__name__, CLASSES, ours, theirs


def main():
    """Print a line for each model."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_repeats", type=int, nargs="?", default=3)
    n_repeats = parser.parse_args().n_repeats
    print(f"{'model':<24} {'cross_validate':>14} {'evaluate':>9} {'ratio':>6}")
    for cases in (ranking_cases(), class_cases()):
        for name, measures, ours, theirs in cases:
            times = [[], []]
            for _ in range(n_repeats):
                for function, own in zip((theirs, ours), times, strict=True):
                    start = perf_counter()
                    found = function()
                    own.append(perf_counter() - start)
                    if function is theirs:
                        expected = found
            for measure in measures:
                same = found.split_scores[measure] == expected[f"test_{measure}"]
                assert same.all(), measure
            slow, fast = median(times[1]), median(times[0])
            print(f"{name:<24} {fast:>12.2f} s {slow:>7.2f} s {slow / fast:>6.3f}")


if __name__ == "__main__":
    main()
