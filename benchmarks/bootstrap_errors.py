"""Standard errors and intervals of the three bootstrap methods, beside the truth.

Run ``python benchmarks/bootstrap_errors.py [n_simulations]``. Data sets of 20 and 50
units are drawn again and again: rows with two classes (accuracy, ROC AUC of a linear
model) and queries of eight documents (nDCG@5 of a ridge). `evaluate` estimates each by
every bootstrap method. Printed are the spread of the estimates, their mean standard
error, the ratio, and the share of intervals that hold the score which such training is
worth on new data. Of scores with a nearest neighbour, which makes no error on the data
of its fit, the .632 bootstrap is biased.
"""

import argparse
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.neighbors import KNeighborsClassifier

from sklearn_irmetrics import ndcg_score
from sklearn_irmetrics.model_selection import evaluate

METHODS = ["bootstrap", "bootstrap632", "bootstrap632+"]
N_FEATURES = 5
N_REPLICATES = 100


class Linear(RegressorMixin, BaseEstimator):
    """Ridge regression without checks, which take longer than such small fits."""

    def fit(self, X, y):
        """Solve the normal equations."""
        X = X - X.mean(axis=0)
        gram = X.T @ X + np.eye(X.shape[1])
        self.coef_ = np.linalg.solve(gram, X.T @ (y - y.mean()))
        self.middle_ = 0.0
        return self

    def predict(self, X):
        """Return the linear predictions."""
        return X @ self.coef_


class LinearClassifier(ClassifierMixin, BaseEstimator):
    """Regression of the class, cut in the middle of the two."""

    def fit(self, X, y):
        """Solve the normal equations."""
        self.classes_ = np.array([0, 1])
        self.model_ = Linear().fit(X, y)
        self.middle_ = X.mean(axis=0) @ self.model_.coef_ - (y.mean() - 0.5)
        return self

    def decision_function(self, X):
        """Return how far rows are from the middle."""
        return self.model_.predict(X) - self.middle_

    def predict(self, X):
        """Return the classes."""
        return (self.decision_function(X) > 0).astype(int)


def rows(rng, n, signal):
    """Return data of two classes."""
    y = np.arange(n) % 2
    return rng.standard_normal((n, N_FEATURES)) + signal * y[:, np.newaxis], y, None


def queries(rng, n, signal):
    """Return eight documents a query with grades 0 to 3."""
    X = rng.standard_normal((8 * n, N_FEATURES))
    quality = signal * X.sum(axis=1) + 2 * rng.standard_normal(8 * n)
    return X, np.digitize(quality, [0, 2, 4]), np.repeat(np.arange(n), 8)


# The data, the estimator and the measures.
TASKS = {
    "rows": (rows, 0.4, LinearClassifier(), ["accuracy", "roc_auc"]),
    "rows, noise": (rows, 0.0, LinearClassifier(), ["accuracy", "roc_auc"]),
    "nearest neighbour": (rows, 0.4, KNeighborsClassifier(1), ["accuracy"]),
    "queries": (queries, 0.5, Linear(), ["ndcg@5"]),
    "queries, noise": (queries, 0.0, Linear(), ["ndcg@5"]),
}


def simulate(task, n, seed):
    """Return estimates, standard errors and ends by method and measure, and truths."""
    draw, signal, estimator, measures = TASKS[task]
    rng = np.random.default_rng([n, seed])
    X, y, qid = draw(rng, n, signal)
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in METHODS:
            result = evaluate(
                estimator,
                X,
                y,
                qid=qid,
                scoring=measures,
                method=method,
                n_splits=N_REPLICATES,
                stratify=None if qid is not None else True,
                random_state=seed,
                error_score=np.nan,
            )
            for measure in measures:
                ends = result.confidence_interval[measure]
                found.append(
                    [result.estimate[measure], result.standard_error[measure], *ends]
                )
    estimator.fit(X, y)
    X, y, qid = draw(rng, 1000, signal)
    scores = estimator.predict(X)
    if qid is not None:
        return found, [ndcg_score(y, scores, k=5, qid=qid)]
    truths = [np.mean(scores == y)]
    if len(measures) > 1:
        scores = estimator.decision_function(X)
        truths.append(np.mean(scores[y == 1][:, np.newaxis] > scores[y == 0]))
    return found, truths


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_simulations", type=int, nargs="?", default=1000)
    parser.add_argument("--n-jobs", type=int, default=-1)
    options = parser.parse_args()
    parallel = Parallel(n_jobs=options.n_jobs)
    print(
        f"{'task':<18} units {'method':<14} {'measure':<9} truth   mean  spread  error"
        "  ratio  coverage"
    )
    for task, (*_, measures) in TASKS.items():
        for n in (20, 50):
            done = parallel(
                delayed(simulate)(task, n, i) for i in range(options.n_simulations)
            )
            found = np.array([one for one, _ in done])
            truths = np.mean([truth for _, truth in done], axis=0)
            labels = [(method, m) for method in METHODS for m in measures]
            for i, (method, measure) in enumerate(labels):
                truth = truths[measures.index(measure)]
                estimate, error, low, high = found[:, i].T
                inside = np.mean((low <= truth) & (truth <= high))
                spread, error = estimate.std(ddof=1), error.mean()
                print(
                    f"{task:<18} {n:>5} {method:<14} {measure:<9} {truth:.3f}  "
                    f"{estimate.mean():.3f}  {spread:.4f} {error:.4f}  "
                    f"{error / spread:5.2f}  {inside:8.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
