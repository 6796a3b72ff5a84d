"""Two intervals after a bootstrap, beside the truth.

Run ``python docs/evidence/bootstrap_intervals.py [n_simulations]``. Data sets are drawn
again and again: rows with two classes (accuracy, ROC AUC of a linear model; accuracy of
a nearest neighbour, which makes no error on the data of its fit) and queries of eight
documents (nDCG@5 of a ridge). `evaluate` estimates each by a bootstrap. Printed are
the bias of the estimates, and the coverage and mean width of two intervals of what such
training is worth on new data: the corrected t over replicates, centred on the estimate,
and the delta method after the bootstrap (Efron & Tibshirani 1997, section 5).
"""

import argparse
import warnings
from functools import partial

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier

from sklearn_irmetrics import evaluate, ndcg_score
from sklearn_irmetrics._statistics.bootstrap632 import point632_plus
from sklearn_irmetrics._statistics.intervals import interval_of_influences

METHODS = ["bootstrap", "bootstrap632+"]
N_FEATURES = 5
N_REPLICATES = 50


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


# The data, how well classes are apart, the estimator, the measure, and the units.
TASKS = {
    "linear": (rows, 0.4, LinearClassifier(), "accuracy", (40, 150, 600)),
    "linear, noise": (rows, 0.0, LinearClassifier(), "accuracy", (40,)),
    "nearest": (rows, 0.4, KNeighborsClassifier(1), "accuracy", (60,)),
    "linear, ranked": (rows, 0.4, LinearClassifier(), "roc_auc", (60,)),
    "queries": (queries, 0.5, Linear(), "ndcg@5", (10, 30)),
    "queries, noise": (queries, 0.0, Linear(), "ndcg@5", (10,)),
}


def delta_method(result, measure, model, X, y, qid):
    """Return the ends of the delta method after the bootstrap.

    A unit has an effect when it is tested, and an effect on the fit when it is drawn.
    The second is how scores of replicates vary with the number of times the unit was
    drawn, after subtracting how easy the tested units are. With few replicates, it is
    mostly noise, so its variance counts only as far as it exceeds that of noise, and at
    most as much as the first.
    """
    units, n = np.arange(len(y)) if qid is None else qid, result.n_units
    sizes = np.bincount(units)
    sides = list(result.cv.split(X, y, None if qid is None else qid))
    drawn, tested = (
        np.stack([np.bincount(units[one[side]], minlength=n) / sizes for one in sides])
        for side in (0, 1)
    )
    replicates, out = result.split_scores[measure], result.predictions
    defined = ~np.isnan(replicates)
    if measure == "roc_auc":
        parts = [out.split == i for i in np.flatnonzero(defined)[:10]]
        moved = [
            placed(
                y[out.row[at]], out.responses["decision_function"][at], out.row[at], n
            )
            for at in parts
        ]
        oob, moved = np.nanmean(replicates), np.mean(moved, axis=0)
    elif measure == "accuracy":
        right = out.responses["predict"] == out.y_true
        times = np.bincount(out.row, minlength=n)
        values = np.bincount(out.row, right, minlength=n)[times > 0] / times[times > 0]
        oob, moved = values.mean(), np.zeros(n)
        moved[times > 0] = (values - oob) / len(values)
    else:
        ids, values, _ = result.query_scores.mean_of_splits(measure)
        oob, moved = np.nanmean(values), np.zeros(n)
        moved[ids] = np.nan_to_num(values - oob) / np.count_nonzero(values == values)
    fitted, slopes = np.zeros(n), (1.0, 0.0)
    if result.method == "bootstrap632+":
        apparent, model = result.apparent_score[measure], model.fit(X, y)
        if measure == "roc_auc":
            fitted = placed(y, model.decision_function(X), np.arange(n), n)
        elif measure == "accuracy":
            fitted = ((model.predict(X) == y) - apparent) / n
        else:
            values = result.apparent_queries.scores[measure]
            fitted = np.nan_to_num(values - apparent) / np.count_nonzero(
                values == values
            )
        correct = partial(point632_plus, chance=result.chance_score[measure])
        slopes = (
            (correct(oob + 1e-6, apparent) - correct(oob - 1e-6, apparent)) / 2e-6,
            (correct(oob, apparent + 1e-6) - correct(oob, apparent - 1e-6)) / 2e-6,
        )
    drawn, tested = drawn[defined], tested[defined]
    fits = replicates[defined] - tested @ moved / tested.mean(axis=1)
    drawn, fits = drawn - drawn.mean(axis=0), fits - fits.mean()
    by_fits = drawn.T @ fits / (len(fits) - 1)
    noise = (drawn**2).sum() * (fits**2).sum() / (len(fits) - 1) ** 2 / len(fits)
    squares = (by_fits**2).sum()
    beyond = min(max(squares - noise, 0.0), (moved**2).sum())
    by_fits *= np.sqrt(beyond / squares) if squares else 0.0
    tested_effect = (1 + 1 / (n - 1)) * moved + by_fits
    _, ends, _ = interval_of_influences(
        result.estimate[measure],
        slopes[0] * tested_effect + slopes[1] * fitted,
        n_units=n,
        bounds=(0.0, 1.0),
        confidence_level=0.95,
        units="units",
        how="",
    )
    return ends


def placed(y, scores, rows, n):
    """Return how far each row moves the area under the ROC curve."""
    won = scores[y == 1][:, np.newaxis] - scores[y == 0]
    won = np.where(won == 0, 0.5, won > 0)
    moved = np.zeros(n)
    for label, axis in ((1, 1), (0, 0)):
        values = won.mean(axis=axis)
        moved[rows[y == label]] = (values - won.mean()) / len(values)
    return moved


def simulate(task, n, seed):
    """Return estimates and both intervals by method, and the truth of this training."""
    draw, signal, estimator, measure, _ = TASKS[task]
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
                scoring=measure,
                method=method,
                n_splits=N_REPLICATES,
                random_state=seed,
                error_score=np.nan,
            )
            delta = delta_method(result, measure, estimator, X, y, qid)
            ends = result.confidence_interval[measure]
            found.append([result.estimate[measure], *ends, *delta])
    estimator.fit(X, y)
    X, y, qid = draw(rng, 1000, signal)
    if qid is not None:
        return found, ndcg_score(y, estimator.predict(X), k=5, qid=qid)
    if measure == "roc_auc":
        return found, roc_auc_score(y, estimator.decision_function(X))
    return found, np.mean(estimator.predict(X) == y)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_simulations", type=int, nargs="?", default=1000)
    parser.add_argument("--n-jobs", type=int, default=-1)
    options = parser.parse_args()
    parallel = Parallel(n_jobs=options.n_jobs)
    print(
        f"{'task':<16} units {'method':<14} {'measure':<9} truth    bias"
        "  corrected t: held, width  delta method: held, width"
    )
    for task, (*_, measure, sizes) in TASKS.items():
        for n in sizes:
            done = parallel(
                delayed(simulate)(task, n, i) for i in range(options.n_simulations)
            )
            found = np.array([one for one, _ in done])
            truth = np.mean([own for _, own in done])
            for i, method in enumerate(METHODS):
                estimate, *ends = found[:, i].T
                cells = [
                    f"{np.mean((low <= truth) & (truth <= high)):>12.3f}"
                    f" {np.mean(high - low):>9.3f}"
                    for low, high in zip(ends[::2], ends[1::2], strict=True)
                ]
                print(
                    f"{task:<16} {n:>5} {method:<14} {measure:<9} {truth:.3f}  "
                    f"{estimate.mean() - truth:+.3f} {'    '.join(cells)}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
