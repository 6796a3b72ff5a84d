"""Searches and `evaluate` on random queries: what loops give."""

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin

from oracles import reference as ref
from oracles.cases import queries_at_once, scorable_cases
from oracles.adversarial import harden
from oracles.intervals import naive_interval
from sklearn_irmetrics.model_selection import evaluate

pd = pytest.importorskip("pandas")
pytestmark = [
    pytest.mark.filterwarnings("ignore:y_true holds fractions"),
    pytest.mark.filterwarnings("ignore:.*documents have the grade -1"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning"),
    pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite"),
]
METHODS = ["splits", "kfold", "holdout", "subsampling", "loocv", "bootstrap"]
COLUMNS = ["a", "b", "c"]


class BestColumn(RegressorMixin, BaseEstimator):
    """Predict a column, by default that which fits the training rows best.

    The last column holds the number of the row: `seen` tells what came in which order.
    """

    def __init__(self, column=None):
        self.column = column

    def fit(self, X, y):
        table = np.asarray(X)[:, : len(COLUMNS)].astype(float)
        ranks = stats.rankdata(table, axis=0)
        fits = np.nan_to_num(y) @ ranks / ranks.sum(axis=0)
        self.column_ = int(fits.argmax()) if self.column is None else self.column
        seen.append(("fit", numbers_of(X)))
        return self

    def predict(self, X):
        seen.append(("predict", numbers_of(X)))
        return np.asarray(X)[:, self.column_].astype(float)


seen = []


def numbers_of(X):
    return np.asarray(X)[:, -1].astype(int)


class Task:
    """Queries whose columns are scores: close, tied, infinite, of any magnitude."""

    def __init__(self, rng):
        lengths = rng.integers(1, rng.choice([3, 7]), rng.integers(6, 20))
        drawn = queries_at_once(rng, lengths, n_levels=(2, 12))
        self.y = np.where(drawn.y_true < 0, 0, drawn.y_true)
        qid, n = drawn.qid, len(drawn.qid)
        ids = rng.permutation(len(lengths) * 3)[: len(lengths)] - 4
        self.qid = ids[qid]
        columns = drawn.y_score, rng.integers(0, 5, n) * 1.0, rng.permutation(n) * 1.0
        hard = columns[0], harden(rng, columns[1], qid), columns[2]
        self.X = np.column_stack([*hard, self.qid, np.arange(n)])

    def frame(self):
        """Return a table in which ids are text."""
        frame = pd.DataFrame(self.X, columns=[*COLUMNS, "query", "row"])
        frame["query"] = [f"q{i}" for i in self.qid]
        return frame

    def splits(self, rng, units):
        """Draw up to four splits of whole units; rows come in any order."""
        names = np.unique(units)
        for _ in range(int(rng.integers(1, 5))):
            tested = rng.random(len(names)) < rng.uniform(0.2, 0.8)
            tested[rng.permutation(len(names))[:2]] = True, False
            is_test = np.isin(units, names[tested])
            yield tuple(map(rng.permutation, map(np.flatnonzero, (~is_test, is_test))))

    def values(self, case, column, rows, ties):
        """Return the value of each query that has rows, by id."""
        y, qid = case.grades(self.y[rows]), self.qid[rows].tolist()
        reference = ref.MEASURES[case.name].reference
        scores = self.X[rows, column]
        values = ref.per_query(reference, y, scores, qid, ties=ties, **case.params)
        return dict(zip(dict.fromkeys(qid), values, strict=True))

    def column_for(self, train):
        """Return what the model picks, of the rows of a training side."""
        seen.clear()
        return BestColumn().fit(self.X[train], self.y[train]).column_


def recorded():
    """Return the splits of the fits and predictions that were seen, in order."""
    sides = [rows for _, rows in seen]
    assert [what for what, _ in seen] == ["fit", "predict"] * (len(seen) // 2)
    return list(zip(sides[::2], sides[1::2], strict=True))


def check_splits(method, splits, units, n_splits):
    """Check that units are whole, and tested as often as a method says."""
    n_units = len(np.unique(units))
    tested = []
    for train, test in splits:
        apart = np.unique(units[train]), np.unique(units[test])
        assert not np.intersect1d(*apart).size
        tested += apart[1].tolist()
        times = np.bincount(test, minlength=len(units))
        assert set(times[np.isin(units, apart[1])]) == {1}
        times = np.bincount(train, minlength=len(units))
        for unit in apart[0]:  # drawn as a whole, however often
            assert len(set(times[units == unit])) == 1
        if method == "bootstrap":
            drawn = sum(times[units == unit][0] for unit in apart[0])
            assert drawn == n_units
        else:
            assert times.max() == 1
        assert len(apart[0]) + len(apart[1]) == n_units or method == "splits"
    if method in ("kfold", "loocv"):
        assert sorted(tested) == np.unique(units).tolist()
    expected = {"loocv": n_units, "holdout": 1, "splits": n_splits}
    assert len(splits) == expected.get(method, n_splits)


def corrected_interval(scores, share, level):
    """Nadeau and Bengio's t, of the splits that have a score."""
    scores = np.array([score for score in scores if ref.is_judged(score)])
    n = len(scores)
    if n < 2 or np.ptp(scores) <= 1e-12 * abs(scores).max():
        return np.array([np.nan, np.nan])
    error = np.sqrt((1 / n + share) * scores.var(ddof=1))
    return (
        scores.mean() + stats.t.ppf([(1 - level) / 2, (1 + level) / 2], n - 1) * error
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("grouped", [False, True])
def test_evaluate_and_loops(method, grouped, seed, tally):
    rng = np.random.default_rng([seed, grouped, *map(ord, method)])
    task = Task(rng)
    cases = {str(case.measure): case for case in scorable_cases(rng, 6)}
    n_splits = int(rng.integers(2, 5))
    groups = None
    if grouped:
        names = np.unique(task.qid)
        numbers = rng.permutation(np.arange(len(names)) % max(5, len(names) // 2))
        groups = numbers[np.searchsorted(names, task.qid)]
    units = task.qid if groups is None else groups
    options = {"method": method, "random_state": int(rng.integers(99))}
    if method == "splits":
        options["method"] = list(task.splits(rng, units))
        n_splits = len(options["method"])
    elif method in ("kfold", "subsampling", "bootstrap"):
        options["n_splits"] = n_splits
    level = float(rng.choice([0.5, 0.9, 0.99]))
    aggregate = str(rng.choice(["per_query", "per_split"]))
    over_splits = method == "subsampling" and aggregate == "per_split"
    if over_splits:
        options["interval"] = "corrected_t"
    seen.clear()
    result = evaluate(
        BestColumn(),
        task.X,
        task.y,
        scoring=[case.measure for case in cases.values()],
        qid=task.qid if rng.integers(2) else 3,
        groups=groups,
        aggregate=aggregate,
        confidence_level=level,
        **options,
    )
    splits = recorded()
    check_splits(method, splits, units, n_splits)
    columns = [task.column_for(train) for train, _ in splits]
    for name, case in cases.items():
        by_split, by_query = [], {}
        for (_, test), column in zip(splits, columns, strict=True):
            values = task.values(case, column, test, "average")
            by_split.append(ref.aggregate([*values.values()]))
            for query, value in values.items():
                by_query.setdefault(query, []).append(value)
        means = {query: ref.aggregate(values) for query, values in by_query.items()}
        found = result.query_scores.mean_of_splits(name)[:2]
        compared = [(result.split_scores[name], by_split)]
        compared.append((found[1], [means[query] for query in found[0].tolist()]))
        summed = [*means.values()] if aggregate == "per_query" else by_split
        compared.append((result.estimate[name], ref.aggregate(summed)))
        low, high = case.measure.range
        low, high = min([low, *by_split]), max([high, *by_split])
        if over_splits:
            share = np.mean([len(test) / len(train) for train, test in splits])
            ends = corrected_interval(by_split, share, level).clip(low, high)
            compared.append((result.confidence_interval[name], ends))
        of_queries = aggregate == "per_query" and method != "bootstrap"
        if of_queries and np.isfinite([low, high]).all():
            defined = {q: v for q, v in means.items() if ref.is_judged(v)}
            values, weights = np.array([*defined.values()]), None
            if grouped and len(defined):
                of_query = [units[task.qid == query][0] for query in defined]
                codes = np.unique(of_query, return_inverse=True)[1]
                weights = np.bincount(codes) * 1.0
                values = np.bincount(codes, values) / weights
            ends = (np.nan, np.nan)
            if len(values) > 2:
                ends = min(low, min(values)), max(high, max(values))  # negative gains
                ends = naive_interval(values, weights, ends, level)
            compared.append((result.confidence_interval[name], ends))
        for value, expected in compared:
            off = np.nan_to_num(np.subtract(value, expected))
            tally("evaluate and loops", np.size(off), abs(off).max())
            np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-10)
