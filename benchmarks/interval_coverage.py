"""How often 95 % intervals over queries hold the true value.

Run ``python benchmarks/interval_coverage.py [n_simulations]``. Rankings of a noisy
ranker on queries of varied length and difficulty are simulated; the mean over a million
queries is the truth. Samples of 50, 200 and 1000 queries get the interval that
`evaluate` gives them, and the share that holds the truth is printed, which should lie
between 92 % and 97 %. The last lines go through `evaluate` itself. ``--groups`` prints
what becomes of queries that come in groups of one to seven.
"""

import argparse
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_irmetrics import score_queries
from sklearn_irmetrics._statistics.intervals import interval_of_mean
from sklearn_irmetrics.model_selection import evaluate

MEASURES = ["ndcg@10", "map", "mrr", "p@5"]
SIZES = [50, 200, 1000]
N_TRUTH = 1_000_000
BATCH = 50_000


class FirstColumn(RegressorMixin, BaseEstimator):
    """Ranks by the first feature, without learning anything."""

    def fit(self, X, y):
        """Return at once."""
        self.fitted_ = True
        return self

    def predict(self, X):
        """Return the first feature."""
        return X[:, 0]


def rankings(n_queries, rng):
    """Return grades, scores and ids of queries with 10 to 40 documents each."""
    lengths = rng.integers(10, 41, n_queries)
    qid = np.repeat(np.arange(n_queries), lengths)
    richness = rng.beta(1, 6, n_queries)[qid]
    grades = rng.binomial(4, richness)
    noise = rng.gamma(2.0, 1.0, n_queries)[qid]
    return grades, grades + noise * rng.normal(size=len(qid)), qid


def per_query(n_queries, rng):
    """Return the scores of defined queries by measure."""
    grades, scores, qid = rankings(n_queries, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        table = score_queries(grades, scores, MEASURES, qid=qid).scores
    return {name: values[~np.isnan(values)] for name, values in table.items()}


def holds(values, truth, seed):
    """Return whether the interval of a sample holds the truth."""
    _, (low, high), _ = interval_of_mean(values, rng=seed, confidence_level=0.95)
    return low <= truth <= high


def holds_by_evaluate(n_queries, truth, seed):
    """Return whether the interval of `evaluate` holds the truth, by measure."""
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


def holds_in_groups(n_groups, seed):
    """Return whether intervals over groups, and over their queries, hold the truth.

    A query is a success or none; how often, depends on its group.
    """
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), rng.integers(1, 8, n_groups))
    values = (rng.random(len(groups)) < rng.random(n_groups)[groups]) * 1.0
    options = {"bounds": (0.0, 1.0), "confidence_level": 0.95, "rng": seed}
    inside = []
    for units in (groups, None):
        _, (low, high), _ = interval_of_mean(values, groups=units, **options)
        inside.append(low <= 0.5 <= high)
    return inside


def show_groups(parallel, n_simulations):
    """Print the coverage where queries come in groups."""
    print("groups  over groups  over queries")
    for n_groups in (5, 10, 20, 50, 200):
        inside = parallel(
            delayed(holds_in_groups)(n_groups, i) for i in range(n_simulations)
        )
        grouped, single = np.mean(inside, axis=0)
        print(f"{n_groups:>6} {grouped:>12.4f} {single:>13.4f}", flush=True)


def main():
    """Print the coverage by measure and number of queries."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_simulations", type=int, nargs="?", default=2000)
    parser.add_argument("--n-jobs", type=int, default=-1)
    parser.add_argument("--groups", action="store_true")
    options = parser.parse_args()
    if options.groups:
        show_groups(Parallel(n_jobs=options.n_jobs), options.n_simulations)
        return
    rng = np.random.default_rng(0)
    parts = [per_query(BATCH, rng) for _ in range(N_TRUTH // BATCH)]
    population = {
        name: np.concatenate([part[name] for part in parts]) for name in MEASURES
    }
    truth = {name: float(values.mean()) for name, values in population.items()}
    parallel = Parallel(n_jobs=options.n_jobs)
    print("measure  queries    true  coverage  ± (2 s.e.)")

    def show(name, n_queries, inside):
        share = np.mean(inside)
        error = 2 * np.sqrt(share * (1 - share) / len(inside))
        line = f"{name:<8} {n_queries:>7} {truth[name]:>7.4f}"
        print(f"{line} {share:>9.4f} {error:>11.4f}", flush=True)

    for name in MEASURES:
        for n_queries in SIZES:
            inside = parallel(
                delayed(holds)(rng.choice(population[name], n_queries), truth[name], i)
                for i in range(options.n_simulations)
            )
            show(name, n_queries, inside)
    print("through evaluate, 5 folds:")
    for n_queries in SIZES[:2]:
        inside = parallel(
            delayed(holds_by_evaluate)(n_queries, truth, i)
            for i in range(options.n_simulations)
        )
        for name, column in zip(truth, np.transpose(inside), strict=True):
            show(name, n_queries, column)


if __name__ == "__main__":
    main()
