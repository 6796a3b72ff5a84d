"""Level and power of the studentised swap, by eight measures and five designs.

Run ``python docs/evidence/swap_level.py [n_simulations]``. Two classifiers of two
classes are compared by ``compare(..., test="swap")`` on the same rows. Printed for each
design and measure are

- how often p is at most .05 ("rejected"): with unequal models, the power,
- how often the 95 % interval misses the true difference of the two models, which is
  computed on many new rows ("missed"): the level,

and, where there is one, the same for another test: McNemar's (mid-p) for accuracy,
DeLong's for the area under the ROC curve, and for folds the corrected t, which is about
training procedures: its level is how often it rejects equal procedures.

``--agreement`` compares interval and p-value in 10,000 pairs of small samples, and two
identical models by each measure.
"""

import argparse
import itertools
import time
import warnings

import numpy as np
from scipy import stats
from sklearn.model_selection import KFold, LeaveOneOut

from sklearn_irmetrics.comparison import compare

OF_LABELS = [
    "accuracy",
    "balanced_accuracy",
    "f1",
    "f1_macro",
    "matthews_corrcoef",
    "cohen_kappa",
]
OF_SCORES = ["roc_auc", "average_precision"]
MEASURES = OF_LABELS + OF_SCORES
N_DRAWS = 499  # 5 % of 500 is a whole number
N_NEW = 4000  # rows that tell the true difference


# Scores of the two models are normal; both share half of their variance. The positives
# are shifted, and rows above a threshold predicted to be positive.
EQUAL = [(1.5, 0.8), (1.5, 0.8)]
UNEQUAL = [(2.0, 1.0), (1.2, 0.9)]


def draw_scores(models, n, share, rng, group_size=1):
    """Return classes and the scores of each model, less its threshold."""
    group = np.arange(n) // group_size
    y = (rng.random(n) < share).astype(int)
    common, scores = rng.normal(size=n), []
    for shift, threshold in models:
        noise = rng.normal(size=n)
        if group_size > 1:  # a model errs on whole groups
            of_groups = rng.normal(size=group.max() + 1)
            noise = np.sqrt(0.4) * noise + np.sqrt(0.6) * of_groups[group]
        scores.append(shift * y + np.sqrt(0.5) * (common + noise) - threshold)
    return y, scores, group


def responses(metric, scores):
    """Return what a measure scores: labels or scores."""
    return [one if metric in OF_SCORES else (one > 0).astype(int) for one in scores]


def measure_labels(y, scores):
    """Return accuracy, balanced accuracy, F1, macro F1, Matthews' correlation and κ."""
    predicted, n = scores > 0, len(y)
    table = np.bincount(2 * y + predicted, minlength=4).astype(float)
    right_0, false_alarms, misses, hits = table
    positives, told = misses + hits, false_alarms + hits
    f1 = 2 * hits / max(positives + told, 1)
    f1_of_0 = 2 * right_0 / max(2 * n - positives - told, 1)
    spread = np.sqrt(positives * (n - positives) * told * (n - told))
    accuracy = (hits + right_0) / n
    chance = (positives * told + (n - positives) * (n - told)) / n**2
    return np.array(
        [
            accuracy,
            (hits / max(positives, 1) + right_0 / max(n - positives, 1)) / 2,
            f1,
            (f1 + f1_of_0) / 2,
            (hits * right_0 - misses * false_alarms) / spread if spread else 0.0,
            (accuracy - chance) / (1 - chance) if chance < 1 else 0.0,
        ]
    )


def measure_scores(y, scores):
    """Return the area under the ROC curve and average precision, without ties."""
    relevant = y[np.argsort(-scores, kind="stable")] == 1
    ranks, n = np.flatnonzero(relevant) + 1, len(y)
    n_positive = len(ranks)
    pairs_lost = (ranks - np.arange(1, n_positive + 1)).sum()
    area = 1 - pairs_lost / (n_positive * (n - n_positive))
    return np.array([area, np.mean(np.arange(1, n_positive + 1) / ranks)])


def differences(y, scores):
    """Return by how much the first model scores higher, by each measure."""
    of_models = [
        np.append(measure_labels(y, one), measure_scores(y, one)) for one in scores
    ]
    return of_models[0] - of_models[1]


def mcnemar(y, scores):
    """Return the mid-p value of McNemar's test."""
    first, second = ((one > 0) == y for one in scores)
    wins, losses = np.sum(first & ~second), np.sum(second & ~first)
    n = wins + losses
    if not n:
        return 1.0
    lower = stats.binom.cdf(min(wins, losses), n, 0.5)
    return min(2 * lower - stats.binom.pmf(min(wins, losses), n, 0.5), 1.0)


def delong(y, scores):
    """Return the estimate and the standard error of DeLong's test."""
    placements = []
    for one in scores:
        above = one[y == 1][:, np.newaxis] > one[y == 0]
        placements.append((above.mean(axis=1), above.mean(axis=0)))
    (of_first, of_first_0), (of_second, of_second_0) = placements
    estimate = np.mean(of_first - of_second)
    parts = [of_first - of_second, of_first_0 - of_second_0]
    return estimate, np.sqrt(sum(one.var(ddof=1) / len(one) for one in parts))


def swap(metric, y, scores, **options):
    """Return p-value and interval of the swap."""
    first, second = responses(metric, scores)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = compare(
            {"a": first, "b": second},
            y_true=y,
            metric=metric,
            test="swap",
            baseline="b",
            n_resamples=N_DRAWS,
            random_state=0,
            **options,
        )
    return float(result.p_value[0]), *result.confidence_interval[0]


class Report:
    """Counts of rejections and of intervals that miss the truth, by measure."""

    def __init__(self):
        self.rows = {name: [] for name in MEASURES}

    def add(self, metric, truth, tested, *others):
        """Count one comparison: of the swap, and of other tests (rejected, missed)."""
        p, low, high = tested
        self.rows[metric].append([p <= 0.05, not low <= truth <= high, *others])

    def show(self, title, started, columns):
        """Print a line for each measure."""
        print(f"{title} ({time.perf_counter() - started:.0f} s)")
        for name, rows in self.rows.items():
            if rows:
                means = np.mean(np.array(rows, dtype=float), axis=0)
                told = zip(columns, means, strict=False)
                text = ", ".join(f"{column} {mean:.3f}" for column, mean in told)
                print(f"  {name:<20}{text}", flush=True)


def print_test_set(n_simulations, rng):
    """Print given predictions of one test set, single rows and groups of five."""
    kinds = itertools.product(("equal", "unequal"), ((100, 1), (100, 5)))
    for label, (n, size) in kinds:
        models = EQUAL if label == "equal" else UNEQUAL
        y, scores, _ = draw_scores(models, 400_000, 0.3, rng)
        truths = dict(zip(MEASURES, differences(y, scores), strict=True))
        if label == "equal":
            truths = dict.fromkeys(MEASURES, 0.0)
        report, started = Report(), time.perf_counter()
        for _ in range(n_simulations):
            y, scores, group = draw_scores(models, n, 0.3, rng, size)
            if y.sum() < 2:
                continue
            groups = {"groups": group} if size > 1 else {}
            for name, truth in truths.items():
                others = ()
                if name == "accuracy":
                    others = (mcnemar(y, scores) < 0.05,)
                elif name == "roc_auc":
                    estimate, error = delong(y, scores)
                    others = (
                        abs(estimate) > 1.96 * error,
                        abs(estimate - truth) > 1.96 * error,
                    )
                report.add(name, truth, swap(name, y, scores, **groups), *others)
        title = f"test set, {n} rows, groups of {size}, {label} models"
        report.show(title, started, ["rejected", "missed", "other: rejected", "missed"])


def fit_bayes(X, y):
    """Return a function from rows to the log odds of naive Bayes."""
    parts = [X[y == 1], X[y == 0]]
    means, variances = ([f(one, axis=0) for one in parts] for f in (np.mean, np.var))
    odds = np.log(len(parts[0]) / len(parts[1]))

    def log_odds(X):
        of_classes = [
            (np.square(X - mean) / variance + np.log(variance)).sum(axis=1)
            for mean, variance in zip(means, variances, strict=True)
        ]
        return odds + (of_classes[1] - of_classes[0]) / 2

    return log_odds


def draw_rows(n, rng):
    """Return rows of two classes, at least six of each."""
    while True:
        y = (rng.random(n) < 0.35).astype(int)
        if 6 <= y.sum() <= n - 6:
            # Column 0 is shared; the first model also sees 1, the second 2 (as good)
            # or 3 (worse).
            shifts = np.array([0.5, 1.2, 1.2, 0.2])
            return rng.normal(size=(n, 4)) + shifts * y[:, np.newaxis], y


def print_trained(design, n, n_simulations, rng):
    """Print models that are trained on the same rows."""
    for label, other in (("equal", [0, 2]), ("unequal", [0, 3])):
        columns = [0, 1], other
        measures = MEASURES if design == "holdout" else OF_LABELS
        report, started = Report(), time.perf_counter()
        for _ in range(n_simulations):
            X, y = draw_rows(n, rng)
            new_X, new_y = draw_rows(N_NEW, rng)
            if design == "holdout":
                splits = [(np.arange(n // 2), np.arange(n // 2, n))]
                if min(map(len, map(np.unique, (y[: n // 2], y[n // 2 :])))) < 2:
                    continue
            else:
                folds = KFold(5) if design == "5 folds" else LeaveOneOut()
                splits = list(folds.split(X))
            tested = np.concatenate([test for _, test in splits])
            scores, truths = [np.empty(n), np.empty(n)], []
            for train, test in splits:
                fitted = [fit_bayes(X[train][:, at], y[train]) for at in columns]
                for i, model in enumerate(fitted):
                    scores[i][test] = model(X[test][:, columns[i]])
                if design != "leave-one-out" or not test[0] % 15:  # nearly alike
                    new = [
                        model(new_X[:, at])
                        for model, at in zip(fitted, columns, strict=True)
                    ]
                    truths.append(differences(new_y, new))
            by_t = {}
            if design == "5 folds":
                by_t = corrected_t(y, scores, splits)
            truths = dict(zip(MEASURES, np.mean(truths, axis=0), strict=True))
            for name in measures:
                given = [one[tested] for one in scores]
                others = by_t.get(name, ())
                tested_pair = swap(name, y[tested], given)
                report.add(name, truths[name], tested_pair, *others)
        title = f"{design}, {n} rows, {label} procedures"
        report.show(title, started, ["rejected", "missed", "corrected t: rejected"])


def corrected_t(y, scores, splits):
    """Return by measure whether the corrected t rejects equality."""
    by_fold = np.array(
        [
            measure_labels(y[test], scores[0][test])
            - measure_labels(y[test], scores[1][test])
            for _, test in splits
        ]
    )
    share = np.mean([len(test) / len(train) for train, test in splits])
    variance = by_fold.var(axis=0, ddof=1) * (1 / len(splits) + share)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(by_fold.mean(axis=0)) / np.sqrt(variance)
    reject = t > stats.t.ppf(0.975, len(splits) - 1)
    return {name: (one,) for name, one in zip(OF_LABELS, reject, strict=True)}


def print_agreement(n_pairs, rng):
    """Print in how many pairs interval and p-value disagree; identical models too."""
    n_different = 0
    for i in range(n_pairs):
        n, metric = int(rng.integers(8, 60)), MEASURES[i % len(MEASURES)]
        size = int(rng.choice([1, 1, 3]))
        models = (EQUAL, UNEQUAL)[i % 2]
        y, scores, group = draw_scores(models, n, rng.choice([0.2, 0.5]), rng, size)
        if len(np.unique(y)) < 2:
            y[:2] = 0, 1
        if rng.random() < 0.3:  # few rows differ
            scores[1] = np.where(rng.random(n) < 0.9, scores[0], scores[1])
        if i % 50 == 49:
            scores[1] = scores[0].copy()
        first, second = responses(metric, scores)
        result = compare(
            {"a": first, "b": second},
            y_true=y,
            metric=metric,
            test="swap",
            n_resamples=int(rng.choice([19, 99, 199])),
            groups=group if size > 1 else None,
            random_state=i,
        )
        low, high = result.confidence_interval[0]
        n_different += (low <= 0 <= high) != (result.p_value[0] > 0.05)
        if i % 50 == 49:
            assert result.p_value[0] == 1, (metric, n)
    print(f"interval and p-value disagree in {n_different} of {n_pairs} pairs")


def main():
    """Simulate, and print a line for each design and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_simulations", type=int, nargs="?", default=1000)
    parser.add_argument("--agreement", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    if options.agreement:
        print_agreement(10_000, rng)
        return
    print_test_set(options.n_simulations, rng)
    for design, n in (("holdout", 200), ("5 folds", 100), ("leave-one-out", 60)):
        print_trained(design, n, options.n_simulations, rng)


if __name__ == "__main__":
    main()
