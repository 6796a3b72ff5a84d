"""How often intervals of means over splits cover the truth, by two rules.

Run ``python docs/evidence/split_intervals.py [n_simulations]``. Macro F1, macro
precision and Matthews' correlation of a naive Bayes classifier of three classes are
means over folds of scores that are no means over rows. The default of `evaluate` is
over rows; ``interval="corrected_t"`` is over the folds. Printed are the true score, the
bias of the estimate, and for both rules: the coverage of the score of the models that
were trained, that of the expected score of models trained this way, the mean width, the
share of intervals narrower than half of the median, and how many of these cover the
score of the models. Without an interval, because all folds are alike, nothing is
covered.

Counts of true and predicted classes are all that these measures need, so intervals are
computed from them, which is much faster; those of the first data set of each line must
be the ones of `evaluate`.
"""

import argparse
import itertools
import warnings

import numpy as np
from joblib import Parallel, delayed
from numpy.testing import assert_allclose
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

from sklearn_irmetrics import evaluate
from sklearn_irmetrics._statistics.classes import (
    ClassRatios,
    ClassTable,
    interval_of_class_ratios,
    interval_of_class_table,
)
from sklearn_irmetrics._statistics.intervals import split_interval
from sklearn_irmetrics._statistics.tables import matthews as matthews_of_tables
from sklearn_irmetrics.scorers._row_values import class_terms

LEVEL = 0.95
N_NEW = 5_000
SHARES = {"uneven": [0.6, 0.3, 0.1], "even": [0.4, 0.33, 0.27]}
CENTERS = np.array([[0, 0, 0], [1, 0, 0], [0.5, 1, 0]])
DISTANCES = {"good": 4.0, "mediocre": 1.6}
SIZES, FOLDS = (60, 178, 500), (5, 10)


def divide(numerators, denominators):
    """Return ratios, 0 for 0 / 0, as scikit-learn does."""
    shape = np.broadcast_shapes(numerators.shape, denominators.shape)
    return np.divide(
        numerators, denominators, out=np.zeros(shape), where=denominators > 0
    )


def margins(counts):
    """Return the right ones, the true ones and the predicted ones of each class."""
    return np.diagonal(counts, axis1=-2, axis2=-1), counts.sum(-1), counts.sum(-2)


def macro_f1(counts):
    """Return the mean F1 of the classes that occur."""
    right, true, predicted = margins(counts)
    present = (true + predicted > 0).sum(-1)
    return divide(divide(2 * right, true + predicted).sum(-1), present)


def macro_precision(counts):
    """Return the mean precision of the classes that occur."""
    right, true, predicted = margins(counts)
    return divide(divide(right, predicted).sum(-1), (true + predicted > 0).sum(-1))


def matthews(counts):
    """Return Matthews' correlation of true and predicted classes."""
    right, true, predicted = margins(counts)
    n = counts.sum((-1, -2))
    covariance = right.sum(-1) * n - (true * predicted).sum(-1)
    variances = (n**2 - (true**2).sum(-1)) * (n**2 - (predicted**2).sum(-1))
    return divide(covariance, np.sqrt(variances))


def interval_of_terms(name):
    """Return a function from the rows of splits to the interval of class ratios."""

    def interval(fold, true, predicted):
        rows, classes, *terms = class_terms(name, true, predicted, {"average": "macro"})
        ratios = ClassRatios(*terms, classes=classes, splits=fold[rows], units=rows)
        return interval_of_class_ratios(ratios, confidence_level=LEVEL, units="rows")[1]

    return interval


def interval_of_table(fold, true, predicted):
    """Return the interval of Matthews' correlation of the rows of splits."""
    units, weights = np.arange(len(fold)), np.ones(len(fold))
    table = ClassTable(
        matthews_of_tables, true, predicted, splits=fold, units=units, weights=weights
    )
    return interval_of_class_table(
        table, bounds=(-1.0, 1.0), confidence_level=LEVEL, units="rows"
    )[1]


MEASURES = {
    "f1_macro": (macro_f1, (0.0, 1.0), interval_of_terms("f1_score")),
    "precision_macro": (
        macro_precision,
        (0.0, 1.0),
        interval_of_terms("precision_score"),
    ),
    "matthews_corrcoef": (matthews, (-1.0, 1.0), interval_of_table),
}


def draw(rng, n, shares, distance):
    """Return rows around the centers of their classes, at least three of each."""
    while True:
        y = rng.choice(3, size=n, p=shares)
        if np.bincount(y, minlength=3).min() >= 3:
            return rng.normal(size=(n, 3)) + distance * CENTERS[y], y


def count(y, predicted):
    """Return how many rows of each class were predicted to be of each class."""
    return np.bincount(3 * y + predicted, minlength=9).reshape(3, 3).astype(float)


def simulate(shares, distance, n, n_folds, seed):
    """Return the true score, the estimate and both intervals, by measure."""
    rng = np.random.default_rng([n, n_folds, seed])
    X, y = draw(rng, n, shares, distance)
    new_X, new_y = draw(rng, N_NEW, shares, distance)
    folds = list(KFold(n_folds, shuffle=True, random_state=seed).split(X, y))
    tested, new = [], []
    for train, test in folds:
        model = GaussianNB().fit(X[train], y[train])
        tested.append(count(y[test], model.predict(X[test])))
        new.append(count(new_y, model.predict(new_X)))
    tested, new = np.array(tested), np.array(new)
    share = np.mean([len(test) / len(train) for train, test in folds])
    found = []
    cells = tested.reshape(n_folds, 9).astype(int)
    fold, cell = np.nonzero(cells)
    times = cells[fold, cell]
    rows = [np.repeat(part, times) for part in (fold, *np.divmod(cell, 3))]
    for measure, bounds, interval in MEASURES.values():
        over_folds = split_interval(
            measure(tested), share, bounds=bounds, confidence_level=LEVEL
        )[1]
        over_rows = interval(*rows)
        means = measure(new).mean(), measure(tested).mean()
        found.append([*means, *over_rows, *over_folds])
    if seed == 0:
        for i, interval in ((2, "auto"), (4, "corrected_t")):
            options = {"scoring": list(MEASURES), "interval": interval}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = evaluate(GaussianNB(), X, y, method=folds, **options)
            for name, row in zip(MEASURES, found, strict=True):
                ends = result.confidence_interval[name]
                assert_allclose(ends, row[i : i + 2], rtol=1e-9)
    return found


def describe(truth, expected, low, high):
    """Return coverage of both truths, width, and what becomes of narrow intervals."""
    held = (low <= truth) & (truth <= high)
    widths = high - low
    narrow = widths < np.nanmedian(widths) / 2
    among = f"{held[narrow].mean():.2f}" if narrow.any() else "-"
    of_training = np.mean((low <= expected) & (expected <= high))
    coverage = f"{held.mean():.3f} {of_training:.3f} {np.nanmean(widths):.3f}"
    return f"{coverage} {narrow.mean():.2f} {among:>4}"


def main():
    """Print a line for each kind of data, number of rows and of folds, and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_simulations", type=int, nargs="?", default=400)
    parser.add_argument("--n-jobs", type=int, default=-1)
    options = parser.parse_args()
    parallel = Parallel(n_jobs=options.n_jobs)
    print("classes, classifier, rows, folds, measure: truth, bias; rows; folds")
    kinds = itertools.product(SHARES, DISTANCES, SIZES, FOLDS)
    for shape, quality, n, n_folds in kinds:
        done = parallel(
            delayed(simulate)(SHARES[shape], DISTANCES[quality], n, n_folds, i)
            for i in range(options.n_simulations)
        )
        for name, each in zip(MEASURES, np.transpose(done, (1, 2, 0)), strict=True):
            truth, estimate, *ends = each
            expected = truth.mean()
            cells = [describe(truth, expected, *ends[i : i + 2]) for i in (0, 2)]
            print(
                f"{shape:<7}{quality:<9}{n:>4}{n_folds:>3} {name:<18}{expected:.3f} "
                f"{np.mean(estimate - truth):+.3f};  {';  '.join(cells)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
