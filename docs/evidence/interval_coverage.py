"""How often 95 % intervals over queries cover the true value, and how wide they are.

Run ``python docs/evidence/interval_coverage.py [n_simulations]``. Values of queries are
drawn from twenty shapes: ordinary ones, adverse ones whose samples seldom show a rare
value, narrow ones, and differences of two systems. They get each interval that
`evaluate` offers over queries; the share of samples whose interval covers the true mean
is printed by number of queries, and the mean width as a multiple of t's. ``--groups``
prints what becomes of queries that come in groups of unequal sizes, ``--strata`` of
means of means of data sets, and ``--rows`` of accuracies over rows. ``--rankings``
simulates the rankings of a noisy ranker, and goes through `evaluate` itself.
"""

import argparse
import itertools
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from sklearn_irmetrics import evaluate, score_queries
from sklearn_irmetrics._statistics.intervals import (
    interval_of_mean,
    interval_of_strata,
)

SIZES = [3, 5, 10, 20, 50, 100, 200]
METHODS = ["t", "auto", "betting"]
GROUPS = [3, 5, 7, 10, 20, 50, 200]
LEVEL = 0.95
MEASURES = ["ndcg@10", "map", "mrr", "p@5"]
N_TRUTH = 1_000_000
BATCH = 50_000


def bimodal(rng, n):
    """Return 35 % zeros, 20 % ones and the rest between."""
    part = rng.random(n)
    return np.where(part < 0.35, 0.0, np.where(part > 0.8, 1.0, rng.beta(2, 2, n)))


def reciprocal_rank_mean(p):
    """Return the mean of 1 / r for geometric ranks `r`."""
    return -p * np.log(p) / (1 - p)


RANKS = 1 / np.array([20, 30, 50, 80, 120, 200])


def known_items(rng, n):
    """Return reciprocal ranks of which 3 % are 1 and the others small."""
    return np.where(rng.random(n) < 0.03, 1.0, rng.choice(RANKS, n))


def nearly_perfect(rng, n):
    """Return values of which nine of ten lie near 1 and the others near 0."""
    good = rng.random(n) < 0.9
    return np.where(good, rng.uniform(0.93, 0.99, n), rng.uniform(0, 0.02, n))


def normal(mean, spread):
    """Return what draws normal differences of two systems."""
    return lambda rng, n: rng.normal(mean, spread, n).clip(-1, 1)


def beta(a, b):
    """Return what draws values from a beta distribution, and their mean."""
    return lambda rng, n: rng.beta(a, b, n), a / (a + b)


# What draws values, and their true mean.
ORDINARY = {
    "nDCG-like": beta(1.4, 1.6),
    "AP, zeros and ones": (bimodal, 0.425),
    "reciprocal ranks": (
        lambda rng, n: 1 / rng.geometric(0.4, n),
        reciprocal_rank_mean(0.4),
    ),
    "beta(0.3, 0.3)": beta(0.3, 0.3),
    "beta(5, 2)": beta(5, 2),
    "success 0.95": (lambda rng, n: (rng.random(n) < 0.95) * 1.0, 0.95),
    "85 % zeros": (
        lambda rng, n: np.where(rng.random(n) < 0.85, 0.0, rng.beta(2, 2, n)),
        0.075,
    ),
}
ADVERSE = {
    "known items": (known_items, 0.03 + 0.97 * RANKS.mean()),
    "nearly perfect": (nearly_perfect, 0.865),
    "beta(0.05, 5)": beta(0.05, 5),
    "0.9, 5 % zero": (lambda rng, n: 0.9 * (rng.random(n) < 0.95), 0.855),
    "0.49-0.51, 2 % zero": (
        lambda rng, n: rng.uniform(0.49, 0.51, n) * (rng.random(n) < 0.98),
        0.49,
    ),
}
NARROW = {
    "uniform(0.4, 0.6)": (lambda rng, n: rng.uniform(0.4, 0.6, n), 0.5),
    "beta(0.2, 20)": beta(0.2, 20),
    "beta(0.6, 6)": beta(0.6, 6),
}
DIFFERENCES = {
    "normal 0.1": (normal(0.02, 0.1), 0.02),
    "normal 0.2": (normal(0.02, 0.2), 0.02),
    "70 % ties": (
        lambda rng, n: np.where(rng.random(n) < 0.7, 0, normal(0.02, 0.25)(rng, n)),
        0.006,
    ),
    "two betas": (lambda rng, n: rng.beta(1.4, 1.6, n) - rng.beta(1.4, 1.6, n), 0.0),
    "2 % lose 0.5": (lambda rng, n: -0.5 * (rng.random(n) < 0.02), -0.01),
}
KINDS = [(ORDINARY, 0.0), (ADVERSE, 0.0), (NARROW, 0.0), (DIFFERENCES, -1.0)]
# Queries of one group resemble each other.
GROUPED = {
    "successes": (lambda rng, g, n: rng.random(n) < rng.random(g.max() + 1)[g], 0.5),
    "success 0.9": (
        lambda rng, g, n: rng.random(n) < rng.beta(4.5, 0.5, g.max() + 1)[g],
        0.9,
    ),
    "ndcg": (
        lambda rng, g, n: (
            0.3 * rng.beta(2, 2, g.max() + 1)[g] + 0.7 * rng.beta(1.5, 1.5, n)
        ),
        0.5,
    ),
    "skewed": (
        lambda rng, g, n: rng.beta(0.6, 3, g.max() + 1)[g] * rng.random(n),
        1 / 12,
    ),
}


class FirstColumn(RegressorMixin, BaseEstimator):
    """Ranks by the first feature, without learning anything."""

    def fit(self, X, y):
        """Return at once."""
        self.fitted_ = True
        return self

    def predict(self, X):
        """Return the first feature."""
        return X[:, 0]


def intervals_of(shape, low, n, seed):
    """Return for each method whether the truth is held, and the width."""
    draw, truth = shape
    values = draw(np.random.default_rng([n, seed]), n) * 1.0
    found = []
    for method in METHODS:
        _, ends, _ = interval_of_mean(
            values,
            bounds=(low, 1.0),
            confidence_level=LEVEL,
            rng=seed,
            method=method,
        )
        if np.isnan(ends.low):  # values all alike: an interval of one point
            ends = values[:1].repeat(2)
        found.append((ends[0] - 1e-9 <= truth <= ends[1] + 1e-9, ends[1] - ends[0]))
    return found


def show_shapes(parallel, n_simulations):
    """Print coverage, and width over t's, by shape, method and number of queries."""
    header = f"{'coverage; width / t':<20} {'method':<10}"
    print(header, *(f"{n:>12}" for n in SIZES))
    worst = np.ones((len(METHODS), len(SIZES)))
    for shapes, low in KINDS:
        for name, shape in shapes.items():
            found = [
                parallel(
                    delayed(intervals_of)(shape, low, n, i)
                    for i in range(n_simulations)
                )
                for n in SIZES
            ]
            coverage, widths = np.mean(found, axis=1).T
            ratios = np.full(widths.shape, np.inf)
            np.divide(widths, widths[0], out=ratios, where=widths[0] > 0)
            worst = np.minimum(worst, coverage)
            for method, held, ratio in zip(METHODS, coverage, ratios, strict=True):
                cells = [f"{c:.3f};{r:6.2f}" for c, r in zip(held, ratio, strict=True)]
                print(f"{name:<20} {method:<10} " + " ".join(cells), flush=True)
    for method, held in zip(METHODS, worst, strict=True):
        print(f"{'lowest':<20} {method:<10}", *(f"{c:12.3f}" for c in held))


def hold_in_groups(name, n_groups, seed):
    """Return whether intervals over groups, and over their queries, cover the truth."""
    draw, truth = GROUPED[name]
    rng = np.random.default_rng([n_groups, seed])
    if seed % 2:
        sizes = rng.integers(1, 8, n_groups)
    else:
        sizes = np.ceil(rng.lognormal(1, 1, n_groups)).astype(int)
    groups = np.repeat(np.arange(n_groups), sizes)
    values = draw(rng, groups, len(groups)) * 1.0
    options = {"bounds": (0.0, 1.0), "confidence_level": LEVEL, "rng": seed}
    inside = []
    for units in (groups, None):
        _, (low, high), _ = interval_of_mean(values, groups=units, **options)
        inside.append(low <= truth <= high)
    return inside


def show_groups(parallel, n_simulations):
    """Print the coverage where queries come in groups."""
    print(f"{'shape':<12} groups  over groups  over queries")
    for name in GROUPED:
        for n_groups in GROUPS:
            inside = parallel(
                delayed(hold_in_groups)(name, n_groups, i) for i in range(n_simulations)
            )
            grouped, single = np.mean(inside, axis=0)
            line = f"{name:<12} {n_groups:>6} {grouped:>12.3f} {single:>13.3f}"
            print(line, flush=True)


# Queries of a data set with a mean of its own.
STRATIFIED = {
    "nDCG-like": lambda rng, m, n: rng.beta(2 * m, 2 * (1 - m), n),
    "success": lambda rng, m, n: (rng.random(n) < m) * 1.0,
    "known items": lambda rng, m, n: np.where(rng.random(n) < m, 1.0, 0.02),
}
MEANS_OF_STRATA = {"nDCG-like": (3, 3), "success": (9, 1), "known items": (1, 20)}


def hold_in_strata(name, n_strata, largest_group, seed):
    """Return whether intervals cover the mean of means of data sets, and widths."""
    rng = np.random.default_rng([n_strata, seed])
    means = rng.beta(*MEANS_OF_STRATA[name], n_strata)
    sizes = np.exp(rng.uniform(np.log(10), np.log(300), n_strata)).astype(int)
    strata = np.repeat(np.arange(n_strata), sizes)
    values = np.concatenate(
        [STRATIFIED[name](rng, m, n) for m, n in zip(means, sizes, strict=True)]
    )
    truth = np.mean(0.02 + 0.98 * means if name == "known items" else means)
    groups = None
    if largest_group > 1:  # values of a group are alike
        groups = np.repeat(np.arange(len(values)), rng.integers(1, 9, len(values)))
        values, strata = values[groups], strata[groups]
    options = {"weights": None, "groups": groups, "bounds": (0.0, 1.0)}
    options |= {"confidence_level": LEVEL, "units": "queries"}
    found = []
    for method in ("auto", "t"):
        _, (low, high), _ = interval_of_strata(values, strata, method=method, **options)
        found.append((low <= truth <= high, high - low))
    return found


def show_strata(parallel, n_simulations):
    """Print coverage, and width, of the default interval and t, over strata."""
    print("shape, largest group, data sets: coverage and width, default; t")
    for name, largest, n_strata in itertools.product(STRATIFIED, (1, 8), (3, 6, 10)):
        found = parallel(
            delayed(hold_in_strata)(name, n_strata, largest, i)
            for i in range(n_simulations)
        )
        cells = [f"{c:.3f} {w:.3f}" for c, w in np.nanmean(found, axis=0)]
        print(f"{name:<12} {largest} {n_strata:>3}  ", "; ".join(cells), flush=True)


def hold_in_rows(n_rows, distance, seed):
    """Return whether the accuracy of these models is held, and the width, two ways."""
    rng = np.random.default_rng([n_rows, seed])

    def draw(n):
        y = np.arange(n) % 2
        return rng.normal(size=(n, 3)) + distance * y[:, np.newaxis], y

    (X, y), (new_X, new_y) = draw(n_rows), draw(20_000)
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    truth = np.mean(
        [GaussianNB().fit(X[a], y[a]).score(new_X, new_y) for a, _ in folds.split(X, y)]
    )
    found = []
    for interval in ("auto", "corrected_t"):
        options = {"method": folds, "interval": interval}
        result = evaluate(GaussianNB(), X, y, scoring="accuracy", **options)
        low, high = result.confidence_interval["accuracy"]
        found.append((low <= truth <= high, high - low))
    return found


def show_rows(parallel, n_simulations):
    """Print coverage and width of accuracy in five folds, over rows and over folds."""
    print("rows, distance between classes: coverage and width, over rows; over folds")
    for n_rows, distance in itertools.product((50, 100, 200), (0.7, 2.0)):
        found = parallel(
            delayed(hold_in_rows)(n_rows, distance, i) for i in range(n_simulations)
        )
        cells = [f"{c:.3f} {w:.3f}" for c, w in np.nanmean(found, axis=0)]
        print(f"{n_rows:>4} {distance}  ", "; ".join(cells), flush=True)


def rankings(n_queries, rng):
    """Return grades, scores and ids of queries with 10 to 40 documents each."""
    lengths = rng.integers(10, 41, n_queries)
    qid = np.repeat(np.arange(n_queries), lengths)
    richness = rng.beta(1, 6, n_queries)[qid]
    grades = rng.binomial(4, richness)
    noise = rng.gamma(2.0, 1.0, n_queries)[qid]
    return grades, grades + noise * rng.normal(size=len(qid)), qid


def true_means():
    """Return the mean of each measure over a million queries."""
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        parts = []
        for _ in range(N_TRUTH // BATCH):
            grades, scores, qid = rankings(BATCH, rng)
            table = score_queries(grades, scores, MEASURES, qid=qid)
            parts.append([table.mean[name] for name in MEASURES])
    return dict(zip(MEASURES, np.mean(parts, axis=0).tolist(), strict=True))


def hold_by_evaluate(n_queries, truth, seed):
    """Return whether the interval of `evaluate` covers the truth, by measure."""
    rng = np.random.default_rng(seed)
    grades, scores, qid = rankings(n_queries, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        result = evaluate(
            FirstColumn(),
            scores[:, np.newaxis],
            grades,
            qid=qid,
            scoring=list(truth),
            random_state=seed,
        )
    ends = result.confidence_interval
    return [ends[name].low <= truth[name] <= ends[name].high for name in truth]


def show_rankings(parallel, n_simulations):
    """Print the coverage of what `evaluate` says of rankings, in 5 folds."""
    truth = true_means()
    print("measure  queries    true  coverage")
    for n_queries in (10, 50, 200):
        inside = parallel(
            delayed(hold_by_evaluate)(n_queries, truth, i) for i in range(n_simulations)
        )
        for name, share in zip(truth, np.mean(inside, axis=0), strict=True):
            line = f"{name:<8} {n_queries:>7} {truth[name]:>7.4f} {share:>9.3f}"
            print(line, flush=True)


def main():
    """Print the coverage asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_simulations", type=int, nargs="?", default=2000)
    parser.add_argument("--n-jobs", type=int, default=-1)
    parser.add_argument("--groups", action="store_true")
    parser.add_argument("--rankings", action="store_true")
    parser.add_argument("--strata", action="store_true")
    parser.add_argument("--rows", action="store_true")
    options = parser.parse_args()
    show = show_groups if options.groups else show_shapes
    show = show_rankings if options.rankings else show
    show = show_strata if options.strata else show
    show = show_rows if options.rows else show
    show(Parallel(n_jobs=options.n_jobs), options.n_simulations)


if __name__ == "__main__":
    main()
