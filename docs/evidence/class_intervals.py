"""Coverage and width of intervals of scores of rows that are no means over rows.

Run ``python docs/evidence/class_intervals.py [n_simulations]``. Macro F1, macro
precision, Matthews' correlation and Cohen's kappa are computed from tables of true and
predicted classes of one test set, average precision and the area under the ROC curve
from normal scores, the Brier score from a sharp classifier, median errors from normal
ones, and likelihood ratios from rates. Printed are the share of 95 % intervals that
cover the truth, and their median width as a multiple of 3.92 standard deviations of the
estimate, which is the width of an interval that knows them. The intervals of the first
data set of each cell must be those of `evaluate`.
"""

import argparse
import warnings

import numpy as np
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.metrics import make_scorer

from sklearn_irmetrics import evaluate
from sklearn_irmetrics._statistics.classes import (
    ClassRatios,
    ClassTable,
    LikelihoodRatios,
    interval_of_class_ratios,
    interval_of_class_table,
    interval_of_likelihood_ratio,
)
from sklearn_irmetrics._statistics.extremes import Errors, interval_of_median
from sklearn_irmetrics._statistics.intervals import interval_of_mean
from sklearn_irmetrics._statistics.rankings import (
    AveragePrecisions,
    RocAreas,
    interval_of_areas,
    interval_of_average_precision,
)
from sklearn_irmetrics._statistics.tables import chance_corrected, matthews
from sklearn_irmetrics.scorers._row_values import class_terms

LEVEL = {"confidence_level": 0.95, "units": "rows"}


def joint(shares, right):
    """Return the probability of each true and predicted class; errors follow shares."""
    shares = np.array(shares) / np.sum(shares)
    right = np.broadcast_to(right, len(shares))
    others = np.tile(shares, (len(shares), 1))
    np.fill_diagonal(others, 0.0)
    others /= others.sum(axis=1, keepdims=True)
    table = (shares * (1 - right))[:, np.newaxis] * others
    return table + np.diag(shares * right)


TINY = [0.4, 0.3, 0.225] + [0.015] * 5
SHAPES = {
    "two even classes, 90 % right": (joint([1, 1], 0.9), (20, 50, 200)),
    "10 % of rows": (joint([0.9, 0.1], [0.95, 0.7]), (30, 50, 100, 300)),
    "5 % of rows": (joint([0.95, 0.05], [0.98, 0.6]), (60, 200, 1000)),
    "3 % of rows": (joint([0.97, 0.03], [0.99, 0.8]), (100, 300, 1000)),
    "1 % of rows": (joint([0.99, 0.01], [0.999, 0.7]), (300, 1000)),
    "nearly perfect": (joint([0.8, 0.2], [0.995, 0.98]), (30, 100, 300)),
    "useless": (np.outer([0.7, 0.3], [0.7, 0.3]), (20, 50, 200)),
    "90, 7 and 3 %": (joint([0.9, 0.07, 0.03], [0.95, 0.7, 0.6]), (40, 178, 500)),
    "three even classes": (joint([1] * 3, 0.8), (40, 178, 500)),
    "six even classes": (joint([1] * 6, 0.8), (40, 178, 500)),
    "six classes, 90 to 1 %": (
        joint([90, 3, 3, 2, 1, 1], [0.95, 0.7, 0.7, 0.6, 0.6, 0.6]),
        (40, 178, 500),
    ),
    "five classes, 4 to 50 %": (joint([50, 25, 13, 8, 4], 0.8), (30, 60, 200)),
    "ten even classes": (joint([1] * 10, 0.7), (25, 50, 150)),
    "eight classes, five of 1.5 %": (
        joint(TINY, [0.95] * 3 + [0.6] * 5),
        (60, 130, 400),
    ),
}


class Told:
    """Predicts what the columns of X say."""

    _estimator_type = "classifier"

    def __init__(self, n_classes):
        self.classes_ = np.arange(n_classes)

    def predict(self, X):
        """Return the first column."""
        return X[:, 0].astype(int)


def one_split(n):
    """Return splits and units of rows that are all tested once, in one split."""
    return {"splits": np.zeros(n, dtype=int), "units": np.arange(n)}


def of_ratios(name):
    """Return what computes estimate and interval of a mean of ratios of classes."""

    def interval(y, predicted):
        rows, classes, *terms = class_terms(name, y, predicted, {"average": "macro"})
        at = {"splits": np.zeros(len(rows), dtype=int), "units": rows}
        classes = np.unique(classes, return_inverse=True)[1]
        ratios = ClassRatios(*terms, classes=classes, **at)
        return ratios.split_scores[0], interval_of_class_ratios(ratios, **LEVEL)[1]

    return interval


def of_table(measure):
    """Return what computes estimate and interval of a measure of a table."""

    def interval(y, predicted):
        found, codes = np.unique(np.append(y, predicted), return_inverse=True)
        if len(found) < 2:
            return 0.0, (np.nan, np.nan)
        ones = np.ones(len(y))
        at = one_split(len(y))
        table = ClassTable(measure, *np.split(codes, 2), weights=ones, **at)
        bounds = (-1.0, 1.0)
        ends = interval_of_class_table(table, bounds=bounds, **LEVEL)[1]
        return table.split_scores[0], ends

    return interval


MEASURES = {
    "f1_macro": of_ratios("f1_score"),
    "precision_macro": of_ratios("precision_score"),
    "matthews_corrcoef": of_table(matthews),
    "cohen_kappa": of_table(chance_corrected),
}


def truth_of(name, shape):
    """Return the value of a measure in the population."""
    if name in ("matthews_corrcoef", "cohen_kappa"):
        measure = matthews if name == "matthews_corrcoef" else chance_corrected
        return measure(shape[np.newaxis])[0][0]
    right, true, predicted = np.diag(shape), shape.sum(axis=1), shape.sum(axis=0)
    ratios = right / predicted
    return np.mean(2 * right / (true + predicted) if name == "f1_macro" else ratios)


def check(name, y, predicted, ends, n_classes):
    """Compare an interval with that of `evaluate`."""
    from sklearn.metrics import cohen_kappa_score, precision_score

    scoring = {
        "cohen_kappa": make_scorer(cohen_kappa_score),
        "precision_macro": make_scorer(
            precision_score, average="macro", zero_division=0
        ),
    }.get(name, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = evaluate(
            Told(n_classes),
            predicted[:, np.newaxis],
            y,
            scoring={name: scoring},
            method=[(np.arange(len(y)),) * 2],
            random_state=0,
        )
    assert_allclose(result.confidence_interval[name], ends, atol=1e-9)


def describe(truth, draws):
    """Return coverage, relative width and the share of intervals, as text."""
    estimates, ends = np.array([one[0] for one in draws]), [one[1] for one in draws]
    low, high = np.transpose([tuple(one) for one in ends])
    defined = ~np.isnan(low)
    held = (low - 1e-9 <= truth) & (truth <= high + 1e-9)
    width = np.median((high - low)[defined]) / (3.92 * np.nanstd(estimates))
    text = f"{held[defined].mean():.3f} ({width:.2f})"
    share = defined.mean()
    return text if share > 0.995 else f"{text} of {share:.0%}"


def print_classes(n_simulations, rng):
    """Print measures of classes."""
    for label, (shape, sizes) in SHAPES.items():
        for name, interval in MEASURES.items():
            cells = []
            for n in sizes:
                draws = []
                while len(draws) < n_simulations:
                    cells_of = rng.choice(shape.size, size=n, p=shape.ravel())
                    y, predicted = np.divmod(cells_of, len(shape))
                    if len(np.unique(y)) < 2:
                        continue
                    draws.append(interval(y, predicted))
                    if len(draws) == 1:
                        check(name, y, predicted, draws[0][1], len(shape))
                cells.append(f"{n}: {describe(truth_of(name, shape), draws)}")
            print(f"{label:<30}{name:<19}", "; ".join(cells), flush=True)


def print_rankings(n_simulations, rng):
    """Print average precision and the area of normal scores."""
    for m, n, shift in (
        (3, 60, 1.5),
        (5, 80, 1.5),
        (10, 80, 1.0),
        (10, 200, 1.0),
        (10, 200, 2.5),
        (30, 200, 1.0),
        (30, 200, 2.5),
        (60, 120, 0.5),
        (5, 200, 2.5),
    ):
        relevant, precisions, areas = np.arange(n) < m, [], []
        at = one_split(n)
        for _ in range(n_simulations):
            scores = rng.normal(size=n) + shift * relevant
            found = AveragePrecisions(
                relevant, scores, weights=np.ones(n), expected=False, **at
            )
            ends = interval_of_average_precision(found, **LEVEL)[1]
            precisions.append((found.split_scores[0], ends))
            found = RocAreas(relevant, scores, weights=np.ones(n), **at)
            areas.append((found.split_scores[0], interval_of_areas(found, **LEVEL)[1]))
        area = stats.norm.cdf(shift / np.sqrt(2))
        mean = np.mean([one[0] for one in precisions])
        print(
            f"{m} of {n}, shift {shift}: average precision {describe(mean, precisions)}"
            f"; area {describe(area, areas)}",
            flush=True,
        )


def print_weighted(n_simulations, rng):
    """Print average precision of normal scores of rows that differ in weight."""
    weights_of = {
        "lognormal weights": lambda relevant: rng.lognormal(0, 0.7, len(relevant)),
        "one in ten weighs 10": lambda relevant: np.where(
            rng.random(len(relevant)) < 0.1, 10.0, 1.0
        ),
        "classes weigh the same": lambda relevant: (
            1 / np.where(relevant, relevant.sum(), (~relevant).sum())
        ),
    }
    for label, draw_weights in weights_of.items():
        for m, n, shift in (
            (10, 80, 1.0),
            (10, 200, 1.0),
            (30, 200, 1.0),
            (60, 120, 0.5),
        ):
            relevant, at, draws = np.arange(n) < m, one_split(n), []
            for _ in range(n_simulations):
                scores = rng.normal(size=n) + shift * relevant
                weights = draw_weights(relevant)
                found = AveragePrecisions(
                    relevant, scores, weights=weights, expected=False, **at
                )
                ends = interval_of_average_precision(found, **LEVEL)[1]
                draws.append((found.split_scores[0], ends))
            mean = np.mean([estimate for estimate, _ in draws])
            print(f"{label}, {m} of {n}: {describe(mean, draws)}", flush=True)


def print_errors(n_simulations, rng):
    """Print Brier scores, median errors and likelihood ratios."""
    for n in (30, 100, 300):
        draws = []
        for _ in range(n_simulations):
            wrong = rng.random(n) < 0.02
            values = np.square(np.where(wrong, 0.97, 0.03))
            ends = interval_of_mean(values, bounds=(0.0, 1.0), rng=0, **LEVEL)[1]
            draws.append((values.mean(), ends))
        truth = 0.02 * 0.97**2 + 0.98 * 0.03**2
        print(f"Brier, sharp, {n}: {describe(truth, draws)}", flush=True)
    for n, n_splits in ((10, 1), (20, 1), (40, 1), (200, 1), (40, 5), (200, 5)):
        draws, splits = [], np.arange(n) % n_splits
        for _ in range(n_simulations):
            values = np.abs(rng.normal(size=n))
            errors = Errors(values, splits=splits, units=np.arange(n))
            draws.append(
                (errors.split_scores.mean(), interval_of_median(errors, **LEVEL)[1])
            )
        truth = stats.norm.ppf(0.75)
        print(f"median, {n} in {n_splits}: {describe(truth, draws)}", flush=True)
    for n in (50, 100, 300):
        draws = []
        for _ in range(n_simulations):
            positive = rng.random(n) < 0.4
            predicted = rng.random(n) < np.where(positive, 0.8, 0.2)
            splits = np.zeros(n, dtype=int)
            found = LikelihoodRatios(
                positive, predicted, splits=splits, of_positives=True
            )
            if np.isfinite(found.split_scores[0]):
                ends = interval_of_likelihood_ratio(found, **LEVEL)[1]
                draws.append((found.split_scores[0], ends))
        print(f"likelihood ratio of 4, {n}: {describe(4.0, draws)}", flush=True)


def main():
    """Simulate, and print a line for each shape."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_simulations", type=int, nargs="?", default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    print_errors(options.n_simulations, rng)
    print_rankings(options.n_simulations, rng)
    print_weighted(options.n_simulations, np.random.default_rng(options.seed))
    print_classes(options.n_simulations, rng)


if __name__ == "__main__":
    main()
