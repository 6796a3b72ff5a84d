"""Shapes for which no rule repairs the interval, as the guide cites them.

Run ``python docs/evidence/hard_intervals.py [n_simulations]``. Printed are the shares
of 95 % intervals that cover the truth: of mean squared errors with long tails, of means
over the queries of users of whom few have many and harder queries, and of one ranking
without query ids; how often a deep tree seems to differ from chance on random labels;
and the mean R² of small folds beside that of pooled predictions.
"""

import argparse
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

from sklearn_irmetrics._statistics.intervals import interval_of_mean
from sklearn_irmetrics.model_selection import evaluate

LEVEL = {"confidence_level": 0.95, "rng": 0}


def covers(values, truth, **options):
    """Return whether the default interval of a mean covers the truth."""
    low, high = interval_of_mean(values, **LEVEL, **options)[1]
    return low <= truth <= high


def print_errors(n_simulations, rng):
    """Print squared errors with long tails."""
    errors = {
        "t with 3 degrees of freedom": (lambda n: rng.standard_t(3, n), 3.0),
        "lognormal": (lambda n: rng.lognormal(size=n), np.exp(2)),
    }
    for name, (draw, truth) in errors.items():
        shares = [
            np.mean(
                [
                    covers(draw(n) ** 2, truth, bounds=(0.0, np.inf))
                    for _ in range(n_simulations)
                ]
            )
            for n in (30, 100, 1000)
        ]
        print(f"squared errors, {name}, 30 / 100 / 1000 rows:", np.round(shares, 3))


def draw_users(n, sizes_of, rng):
    """Return the values of the queries of users, and their user."""
    sizes, means = sizes_of(n)
    user = np.repeat(np.arange(n), sizes)
    return np.clip(rng.normal(means[user], 0.2), 0, 1), user


def print_users(n_simulations, rng):
    """Print users with few and with many queries, which are harder."""

    def two_kinds(n):
        is_large = rng.random(n) < 0.05
        return np.where(is_large, 95, 5), np.where(is_large, 0.4, 0.7)

    def zipf(n):
        sizes = np.minimum(rng.zipf(2.0, n), 1000)
        return sizes, 0.8 - 0.08 * np.log2(sizes)

    for name, sizes_of in (("5 % have half", two_kinds), ("Zipf sizes", zipf)):
        truth = draw_users(100_000, sizes_of, rng)[0].mean()
        shares = []
        for n in (10, 20, 50):
            covered = []
            for _ in range(n_simulations):
                values, user = draw_users(n, sizes_of, rng)
                options = {"groups": user, "bounds": (0.0, 1.0)}
                covered.append(covers(values, truth, **options))
            shares.append(np.mean(covered))
        print(f"users, {name}, 10 / 20 / 50 users:", np.round(shares, 3))


class Told(ClassifierMixin, BaseEstimator):
    """Scores by its only feature."""

    def fit(self, X, y):
        """Do nothing."""
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X):
        """Return the feature."""
        return X[:, 0]


def print_rankings(n_simulations, rng):
    """Print one ranking without query ids."""
    names = ["p@10", "ndcg@10", "ap@10"]
    for n_relevant, n, shift in ((30, 200, 1.0), (30, 200, 2.0), (100, 400, 1.0)):
        y, found = (np.arange(n) < n_relevant).astype(int), []
        for _ in range(n_simulations):
            x = rng.normal(size=n) + shift * y
            result = evaluate(
                Told(),
                x[:, np.newaxis],
                y,
                scoring=names,
                qid=None,
                method=[(np.arange(n),) * 2],
                random_state=0,
            )
            ends = result.confidence_interval
            found.append([(result.estimate[one], *ends[one]) for one in names])
        for name, each in zip(names, np.transpose(found, (1, 2, 0)), strict=True):
            values, low, high = each
            has = ~np.isnan(low)
            covered = (low <= values.mean()) & (values.mean() <= high)
            text = (
                f"{covered[has].mean():.3f} of {has.mean():.0%}" if has.any() else "–"
            )
            print(f"one ranking, {n_relevant} of {n}, shift {shift}, {name}: {text}")


def print_trees(n_simulations, rng):
    """Print how often a deep tree differs from chance on random labels."""
    excluded = []
    for i in range(n_simulations):
        X, y = rng.normal(size=(40, 5)), np.arange(40) % 2
        result = evaluate(
            DecisionTreeClassifier(random_state=0),
            X,
            rng.permutation(y),
            scoring="accuracy",
            random_state=i,
        )
        low, high = result.confidence_interval["accuracy"]
        excluded.append(not low <= 0.5 <= high)
    print(f"deep tree, random labels, 40 rows: excludes chance {np.mean(excluded):.3f}")


def print_folds(n_simulations, rng):
    """Print R² of folds of ten rows, and of pooled predictions."""
    found = []
    for i in range(n_simulations):
        X = rng.normal(size=(100, 5))
        y = X[:, :3].sum(axis=1) * 0.55 + rng.normal(size=100)
        options = {"scoring": "r2", "n_splits": 10, "random_state": i}
        found.append(
            [
                evaluate(LinearRegression(), X, y, aggregate=how, **options).estimate[
                    "r2"
                ]
                for how in ("per_split", "pooled")
            ]
        )
    print("R² of folds of ten rows, and pooled:", np.round(np.mean(found, axis=0), 3))


def main():
    """Simulate, and print a line for each shape."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_simulations", type=int, nargs="?", default=1000)
    n_simulations = parser.parse_args().n_simulations
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    for part in (print_errors, print_users, print_trees, print_folds, print_rankings):
        slow = part in (print_trees, print_folds, print_rankings)
        part(max(n_simulations // 5, 10) if slow else n_simulations, rng)


if __name__ == "__main__":
    main()
