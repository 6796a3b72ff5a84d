"""How often 95 % intervals hold what a kind of training gives on new data.

Run ``python docs/evidence/training_coverage.py [n_simulations]``. As in Bates, Hastie
and Tibshirani (2024) there are few data for many features: 50 queries of two documents,
20 features, 5 folds. The truth is the mean precision at 1, on new queries, of models
that are trained on as many queries as there are. Printed are the coverage of each
interval of `evaluate`, and its mean width. ``--noise`` prints how often intervals of a
model that can learn nothing exclude what chance gives: lie below it, and above.
``--neighbours`` prints how often those of nearest neighbours do, by k folds.
"""

import argparse
import warnings

import numpy as np
from bootstrap_intervals import Linear, LinearClassifier
from joblib import Parallel, delayed
from sklearn.neighbors import KNeighborsClassifier

from sklearn_irmetrics import evaluate, precision_at_k_score, score_queries

N_QUERIES, N_FEATURES, N_FOLDS = 50, 20, 5
KINDS = {
    "auto": {},
    "t": {"interval": "t"},
    "corrected_t": {"interval": "corrected_t"},
}
METHODS = {
    "holdout": {},
    "subsampling": {},
    "kfold": {},
    "stratified": {},
    "loocv": {},
    "bootstrap": {"n_splits": 50},
    "bootstrap632": {"n_splits": 50},
    "bootstrap632+": {"n_splits": 50},
}
OF_ROWS = ["accuracy", "balanced_accuracy", "roc_auc"]
OF_QUERIES = ["p@1", "ndcg@5", "map"]


def pairs(rng, n_queries, weights):
    """Return queries of two documents, of which one is relevant."""
    X = rng.standard_normal((n_queries, 2, len(weights)))
    quality = X @ weights + rng.logistic(size=(n_queries, 2))
    y = (quality == quality.max(axis=1, keepdims=True)).astype(int)
    X -= X.mean(axis=1, keepdims=True)
    return X.reshape(-1, len(weights)), y.ravel(), np.repeat(np.arange(n_queries), 2)


def train(seed, weights):
    """Return the ends of every kind of interval, and the truth of this training."""
    rng = np.random.default_rng(seed)
    X, y, qid = pairs(rng, N_QUERIES, weights)
    options = {"qid": qid, "scoring": "p@1", "n_splits": N_FOLDS, "random_state": seed}
    ends = [
        evaluate(Linear(), X, y, **options, **kind).confidence_interval["p@1"]
        for kind in KINDS.values()
    ]
    model = Linear().fit(X, y)
    X, y, qid = pairs(rng, 2000, weights)
    return ends, precision_at_k_score(y, model.predict(X), k=1, qid=qid)


def show_training(parallel, n_simulations):
    """Print the coverage of the mean score of models trained this way."""
    weights = np.random.default_rng(0).standard_normal(N_FEATURES) / np.sqrt(N_FEATURES)
    done = parallel(delayed(train)(i, weights) for i in range(n_simulations))
    truth = np.mean([value for _, value in done])
    print(f"true precision at 1: {truth:.4f}")
    print("interval           coverage   width")
    for i, name in enumerate(KINDS):
        low, high = np.array([ends[i] for ends, _ in done]).T
        held = np.mean((low <= truth) & (truth <= high))
        print(f"{name:<18} {held:>8.3f} {np.mean(high - low):>7.3f}")


def without_signal(method, ranked, seed):
    """Return the ends by measure where nothing can be learned."""
    rng = np.random.default_rng(seed)
    options = {"method": method, "random_state": seed, **METHODS[method]}
    if ranked:
        qid = np.repeat(np.arange(30), 6)
        X, y = rng.standard_normal((180, 5)), np.tile([2, 1, 0, 0, 0, 0], 30)
        estimator, options["qid"], measures = Linear(), qid, OF_QUERIES
    else:
        X, y = rng.standard_normal((60, 5)), rng.permutation(np.arange(60) % 2)
        estimator, measures = LinearClassifier(), OF_ROWS
        if method == "loocv":
            measures = OF_ROWS[:2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = evaluate(
            estimator, X, y, scoring=measures, error_score=np.nan, **options
        )
    return result.confidence_interval


def chance(ranked):
    """Return what chance gives, by measure."""
    if not ranked:
        return dict.fromkeys(OF_ROWS, 0.5)
    rng = np.random.default_rng(0)
    y = np.tile([2, 1, 0, 0, 0, 0], (200_000, 1))
    return score_queries(y, rng.random(y.shape), OF_QUERIES).mean


def show_noise(parallel, n_simulations):
    """Print how often intervals exclude chance; "-" where there are none."""
    for ranked, measures in ((False, OF_ROWS), (True, OF_QUERIES)):
        print(f"{'method':<14} " + " ".join(f"{name:>17}" for name in measures))
        expected = chance(ranked)
        for method in METHODS:
            done = parallel(
                delayed(without_signal)(method, ranked, i) for i in range(n_simulations)
            )
            cells = []
            for name in measures:
                ends = np.array([one[name] for one in done if name in one])
                ends = ends[~np.isnan(ends).any(axis=1)] if len(ends) else ends
                if not len(ends):
                    cells.append(f"{'-':>17}")
                    continue
                low, high = ends.T
                below = np.mean(high < expected[name])
                above = np.mean(low > expected[name])
                cells.append(f"{below:>8.3f} {above:>8.3f}")
            print(f"{method:<14} " + " ".join(cells), flush=True)


def neighbours_without_signal(n_rows, n_neighbours, seed):
    """Return both kinds of interval of the accuracy on a random target."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n_rows, 5)), rng.permutation(np.arange(n_rows) % 2)
    options = {"scoring": "accuracy", "n_splits": N_FOLDS, "random_state": seed}
    model = KNeighborsClassifier(n_neighbours)
    return [
        evaluate(
            model, X, y, method="kfold", **options, **KINDS[kind]
        ).confidence_interval["accuracy"]
        for kind in ("auto", "corrected_t")
    ]


def show_neighbours(parallel, n_simulations):
    """Print how often intervals of nearest neighbours exclude chance."""
    print("rows  neighbours   auto  corrected_t")
    for n_rows in (60, 100, 200):
        for n_neighbours in (1, 5):
            done = parallel(
                delayed(neighbours_without_signal)(n_rows, n_neighbours, i)
                for i in range(n_simulations)
            )
            low, high = np.moveaxis(np.array(done), -1, 0)
            auto, corrected = np.mean((low > 0.5) | (high < 0.5), axis=0)
            print(
                f"{n_rows:>4} {n_neighbours:>11} {auto:>6.3f} {corrected:>12.3f}",
                flush=True,
            )


def main():
    """Print the coverage asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_simulations", type=int, nargs="?", default=1000)
    parser.add_argument("--n-jobs", type=int, default=-1)
    parser.add_argument("--noise", action="store_true")
    parser.add_argument("--neighbours", action="store_true")
    options = parser.parse_args()
    show = show_noise if options.noise else show_training
    if options.neighbours:
        show = show_neighbours
    show(Parallel(n_jobs=options.n_jobs), options.n_simulations)


if __name__ == "__main__":
    main()
