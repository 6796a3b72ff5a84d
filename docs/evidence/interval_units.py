"""How often 95 % intervals cover the truth where few rows count, or weights differ.

Run ``python docs/evidence/interval_units.py [n_simulations]``. Recall, precision, F1,
specificity and balanced accuracy of 3 to 50 positives among 500 rows, ROC AUC of 3 to
30 positives, means in which one weight in ten is 10 or weights are lognormal, means of
groups of 20 queries and of 2, and several slices at once. Each cell is the share of
samples whose interval covers the truth, and the mean width; for measures of some rows,
also the width of an interval whose two added values weigh as one of all rows.
"""

import argparse

import numpy as np
from scipy import stats

from sklearn_irmetrics._statistics.classes import interval_of_class_means
from sklearn_irmetrics._statistics.intervals import interval_of_mean
from sklearn_irmetrics._statistics.rankings import RocAreas, interval_of_areas

N_ROWS = 500
POSITIVES = (3, 5, 10, 20, 50)
SIZES = (10, 25, 100, 200)


def show(coverage, *widths):
    """Return a cell of a table."""
    text = f"{coverage:.3f}"
    return (
        f"{text} ({', '.join(f'{width:.2f}' for width in widths)})" if widths else text
    )


def cover(draw, truth, n_simulations, level=0.95):
    """Return coverage, mean width, and the mean width of the rule for rows."""
    held, width, of_rows = 0, 0.0, []
    for _ in range(n_simulations):
        values, weights, n_others = draw()
        if len(values) < 3:
            low, high = 0.0, 1.0
        else:
            low, high = interval_of_mean(
                values,
                weights=weights,
                bounds=(0.0, 1.0),
                confidence_level=level,
                rng=0,
            )[1]
        held += low - 1e-12 <= truth <= high + 1e-12
        width += high - low
        if n_others is not None:
            of_rows.append(rule_for_rows(values, weights, n_others, level))
    found = [held / n_simulations, width / n_simulations]
    return [*found, np.mean(of_rows)] if of_rows else found


def rule_for_rows(values, weights, n_others, level):
    """Return the width if each added value weighs as one of all rows."""
    n = len(values)
    if not n:
        return 1.0
    weights = np.ones(n) if weights is None else weights
    mean = np.average(values, weights=weights)
    share = n_others / n  # rows that the measure does not count
    pseudo = mean + weights / weights.mean() * (values - mean) * (1 + share)
    pseudo = np.concatenate([pseudo, np.full(n_others, mean), [0.0, 1.0]])
    error = pseudo.std(ddof=1) / np.sqrt(len(pseudo))
    reach = stats.t.ppf((1 + level) / 2, len(pseudo) - 1) * error
    low, high = pseudo.mean() - reach, pseudo.mean() + reach
    return max(high, mean).clip(0, 1) - min(low, mean).clip(0, 1)


def recall(rng, n_positive, rate):
    """Return what draws the positives, which are found at a rate."""

    def draw():
        found = (rng.random(n_positive) < rate) * 1.0
        return found, None, N_ROWS - n_positive

    return draw, rate


def specificity(rng, n_positive, rate):
    """Return what draws the negatives of as many positives."""

    def draw():
        kept = (rng.random(N_ROWS - n_positive) < rate) * 1.0
        return kept, None, n_positive

    return draw, rate


def precision(rng, n_positive, rate, false_alarms):
    """Return what draws the rows that are predicted to be positive."""

    def draw():
        hits = rng.binomial(n_positive, rate)
        wrong = rng.binomial(N_ROWS - n_positive, false_alarms)
        values = np.repeat([1.0, 0.0], [hits, wrong])
        return values, None, N_ROWS - len(values)

    hits = n_positive * rate
    return draw, hits / (hits + (N_ROWS - n_positive) * false_alarms)


def f1(rng, n_positive, rate, false_alarms):
    """Return what draws hits of weight 2, misses and false alarms."""

    def draw():
        hits = rng.binomial(n_positive, rate)
        wrong = rng.binomial(N_ROWS - n_positive, false_alarms)
        others = n_positive - hits + wrong
        values = np.repeat([1.0, 0.0], [hits, others])
        weights = np.repeat([2.0, 1.0], [hits, others])
        return values, weights, N_ROWS - len(values)

    hits = n_positive * rate
    errors = n_positive - hits + (N_ROWS - n_positive) * false_alarms
    return draw, 2 * hits / (2 * hits + errors)


def print_rows(n_simulations, rng):
    """Print coverage of measures that count some of the rows."""
    print(f"positives of {N_ROWS} rows:", *POSITIVES)
    kinds = [
        *((f"recall {rate}", recall, (rate,)) for rate in (0.9, 0.7, 0.5)),
        *((f"specificity {rate}", specificity, (rate,)) for rate in (0.99, 0.9)),
        *((f"precision, fp {fp}", precision, (0.9, fp)) for fp in (0.002, 0.02)),
        *((f"F1, fp {fp}", f1, (0.9, fp)) for fp in (0.002, 0.02)),
    ]
    for name, kind, arguments in kinds:
        cells = [
            cover(*kind(rng, n, *arguments), n_simulations=n_simulations)
            for n in POSITIVES
        ]
        print(f"  {name:22}", *(show(*cell) for cell in cells))
    for rates in ((0.9, 0.95), (0.7, 0.9), (0.5, 0.99), (0.98, 0.98)):
        cells = []
        for n in POSITIVES:
            sizes = np.array([n, N_ROWS - n])
            classes = np.repeat([0, 1], sizes)
            held = width = 0.0
            for _ in range(n_simulations):
                low, high = interval_of_class_means(
                    (rng.random(N_ROWS) < np.array(rates)[classes]) * 1.0,
                    weights=1.0 / sizes[classes],
                    classes=classes,
                    confidence_level=0.95,
                    units="rows",
                )[1]
                held += low - 1e-12 <= np.mean(rates) <= high + 1e-12
                width += high - low
            cells.append((held / n_simulations, width / n_simulations))
        name = f"balanced {rates[0]} {rates[1]}"
        print(f"  {name:22}", *(show(*cell) for cell in cells))


def interval_of_draw(rng, shift, m, n):
    """Return the interval of the area of normal scores of two classes."""
    areas = RocAreas(
        np.arange(m + n) < m,
        np.append(rng.normal(shift, 1, m), rng.normal(size=n)),
        weights=np.ones(m + n),
        splits=np.zeros(m + n, dtype=int),
        units=np.arange(m + n),
    )
    return interval_of_areas(areas, confidence_level=0.95, units="rows")[1]


def print_areas(n_simulations, rng):
    """Print coverage of the area under the ROC curve of normal scores."""
    shapes = ((3, 30), (3, 200), (5, 200), (10, 400), (30, 400))
    print("ROC AUC, positives and negatives:", *shapes)
    for area in (0.5, 0.7, 0.8, 0.9, 0.97):
        shift, cells = np.sqrt(2) * stats.norm.ppf(area), []
        for m, n in shapes:
            ends = np.array(
                [interval_of_draw(rng, shift, m, n) for _ in range(n_simulations)]
            )
            held = (ends[:, 0] <= area) & (area <= ends[:, 1])
            cells.append((held.mean(), np.diff(ends).mean()))
        print(f"  {area:<6}", *(show(*cell) for cell in cells))


def success(rng, n):
    """Return values of 1 in 95 % of queries."""
    return (rng.random(n) < 0.95) * 1.0


def nearly_perfect(rng, n):
    """Return 1 for nine of ten queries and anything for the others."""
    return np.where(rng.random(n) < 0.1, rng.random(n), 1.0)


def uniform(rng, n):
    """Return any value."""
    return rng.random(n)


def ten_of_ten(rng, n):
    """Return a weight of 10 for one in ten, 1 for the others."""
    return np.where(rng.random(n) < 0.1, 10.0, 1.0)


def lognormal(rng, n):
    """Return lognormal weights."""
    return rng.lognormal(0, 1.5, n)


def equal(rng, n):
    """Return no weights."""
    return None


def uneven_groups(rng, n):
    """Return the sizes of groups: 20 queries in a tenth of them, 2 in the others."""
    return np.where(np.arange(n) < max(1, n // 10), 20.0, 2.0)


VALUES = ((success, 0.95), (nearly_perfect, 0.95), (uniform, 0.5))
WEIGHTS = (equal, ten_of_ten, lognormal, uneven_groups)


def print_weights(n_simulations, rng):
    """Print coverage of weighted means, and of means of groups alike inside."""
    print("queries:", *SIZES)
    for weigh in WEIGHTS:
        for kind, truth in VALUES:
            cells = [
                cover(
                    lambda n=n, kind=kind, weigh=weigh: (
                        kind(rng, n),
                        weigh(rng, n),
                        None,
                    ),
                    truth,
                    n_simulations,
                )
                for n in SIZES
            ]
            name = f"{weigh.__name__}, {kind.__name__}"
            print(f"  {name:32}", *(show(*cell) for cell in cells))


def print_families(n_simulations, rng):
    """Print how often all slices of a family hold their truths at once."""
    print("slices at the joint level (Bonferroni), queries in each: 5 10 25")
    for n_slices in (5, 20, 50):
        level, cells = 1 - 0.05 / n_slices, []
        for n in (5, 10, 25):
            missed = 0
            n_families = max(n_simulations // n_slices, 100)
            for _ in range(n_families):
                for _ in range(n_slices):
                    low, high = interval_of_mean(
                        success(rng, n),
                        bounds=(0.0, 1.0),
                        confidence_level=level,
                        rng=0,
                    )[1]
                    if not low - 1e-12 <= 0.95 <= high + 1e-12:
                        missed += 1
                        break
            cells.append(1 - missed / n_families)
        print(f"  {n_slices:3} slices", *(show(cell) for cell in cells))


def main():
    """Simulate, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_simulations", type=int, nargs="?", default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    print_rows(options.n_simulations, rng)
    print_areas(options.n_simulations, rng)
    print_weights(options.n_simulations, rng)
    print_families(options.n_simulations, rng)


if __name__ == "__main__":
    main()
