"""How far estimates of small data are from the truth, by model and method.

Run ``python docs/evidence/bootstrap_bias.py [n_simulations]``. A model is trained on 40
queries of 20 documents, and its nDCG@10 on 400 others is the truth. Printed are the
mean error of each method of `evaluate`, the root of its mean square, and how often the
95 % interval covers the truth. Trees with one row per leaf make no error on their
training data; linear regression hardly fits them better than other data.
"""

import argparse
import warnings

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

from sklearn_irmetrics import evaluate, ndcg_score
from sklearn_irmetrics.datasets import make_ranking

MODELS = {
    "tree": DecisionTreeRegressor(random_state=0),
    "tree, 5 rows per leaf": DecisionTreeRegressor(min_samples_leaf=5, random_state=0),
    "ridge": Ridge(),
}
METHODS = {
    "kfold": {},
    "bootstrap": {"n_splits": 20},
    "bootstrap632": {"n_splits": 20},
    "bootstrap632+": {"n_splits": 20},
}
N_QUERIES = 40


def simulate(model, seed):
    """Return the error of each method, and whether its interval covers the truth."""
    X, y, qid = make_ranking(n_queries=440, n_docs=20, random_state=seed)
    own = qid < N_QUERIES
    model.fit(X[own], y[own])
    truth = ndcg_score(y[~own], model.predict(X[~own]), qid=qid[~own], k=10)
    found = []
    for method, options in METHODS.items():
        result = evaluate(
            model,
            X[own],
            y[own],
            qid=qid[own],
            scoring="ndcg@10",
            method=method,
            random_state=seed,
            **options,
        )
        low, high = result.confidence_interval["ndcg@10"]
        found.append((result.estimate["ndcg@10"] - truth, low <= truth <= high))
    return found


def main():
    """Print a line for each model and method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n_simulations", type=int, nargs="?", default=60)
    n_simulations = parser.parse_args().n_simulations
    warnings.filterwarnings("ignore", ".* is undefined in")
    for name, model in MODELS.items():
        found = np.array([simulate(model, seed) for seed in range(n_simulations)])
        for method, (errors, held) in zip(
            METHODS, found.transpose(1, 2, 0), strict=True
        ):
            print(
                f"{name:22s} {method:14s} mean error {errors.mean():+.3f}   root mean "
                f"square {np.sqrt((errors**2).mean()):.3f}   held {held.mean():.2f}"
            )


if __name__ == "__main__":
    main()
