"""How often the tests of `compare` reject when there is nothing to find.

Run ``python benchmarks/test_sizes.py [n_simulations]``. Systems that are equally good
by construction are compared at the 5 % level: each test should reject 5 % ± 1 % of the
time. The sign test counts wins, so that it can only reach certain levels; with few
queries the largest of them may lie well below 5 %. It is printed, for untied queries.
Then six equal systems are compared in all pairs, where Holm and the randomised Tukey
HSD should find anything at all at most 5 % of the time.
"""

import argparse
import warnings

import numpy as np
from joblib import Parallel, delayed
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge

from sklearn_irmetrics import ndcg_score
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.model_selection import compare, evaluate

QUERY_TESTS = ["permutation", "ttest", "wilcoxon", "sign", "bootstrap", "tukey"]
N_QUERIES = [50, 200, 1000]
N_DOCS = 20
N_SYSTEMS = 6


def equal_systems(n_queries, n_systems, rng):
    """Return nDCG@10 of equally noisy rankers of the same documents, by system."""
    qid = np.repeat(np.arange(n_queries), N_DOCS)
    grades = rng.binomial(4, rng.beta(1, 3, n_queries)[qid])
    grades[::N_DOCS] = np.maximum(grades[::N_DOCS], 1)
    noise = rng.gamma(2.0, 1.0, n_queries)[qid]
    return [
        ndcg_score(
            grades, grades + noise * rng.normal(size=len(qid)), k=10, qid=qid,
            average=None,
        )
        for _ in range(n_systems)
    ]  # fmt: skip


def rejects(test, n_queries, seed):
    """Return whether a test tells two equal systems apart."""
    systems = equal_systems(n_queries, 2, np.random.default_rng(seed))
    result = compare(systems, test=test, n_resamples=999, random_state=seed)
    return result.p_value[0] <= 0.05


def rejects_splits(n_queries, seed):
    """Return whether the corrected t-test tells equal learners apart, over splits.

    Each learner sees three noisy features of its own, of the same quality.
    """
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), N_DOCS)
    grades = rng.binomial(4, 0.3, len(qid))
    options = {"qid": qid, "scoring": "ndcg@10", "method": "subsampling"}
    options |= {"n_splits": 10, "random_state": seed}
    results = []
    for _ in range(2):
        X = grades[:, np.newaxis] + 3 * rng.normal(size=(len(qid), 3))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            results.append(evaluate(QueryRanker(Ridge()), X, grades, **options))
    return compare(results, test="corrected_ttest").p_value[0] <= 0.05


def finds_any(test, n_queries, seed):
    """Return whether anything is found among six equal systems."""
    systems = equal_systems(n_queries, N_SYSTEMS, np.random.default_rng(seed))
    result = compare(systems, test=test, n_resamples=999, random_state=seed)
    return result.p_adjusted.min() <= 0.05


def reachable(n_queries):
    """Return the largest level up to 5 % that the sign test can have."""
    wins = np.arange(n_queries // 2 + 1)
    levels = 2 * stats.binom.cdf(wins, n_queries, 0.5)
    return levels[levels <= 0.05].max()


def main():
    """Print the share of rejections by test and number of queries."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_simulations", type=int, nargs="?", default=4000)
    parser.add_argument("--n-jobs", type=int, default=-1)
    options = parser.parse_args()
    n_simulations = options.n_simulations
    parallel = Parallel(n_jobs=options.n_jobs)

    def show(what, n_queries, found, note=""):
        share = np.mean(found)
        error = 2 * np.sqrt(share * (1 - share) / len(found))
        line = f"{what:<16} {n_queries:>7} {share:>8.4f} {error:>11.4f}  {note}"
        print(line.rstrip(), flush=True)

    print("two systems      queries  rejects  ± (2 s.e.)")
    for n_queries in N_QUERIES:
        # What changes with so many queries is only how fine the sign test's levels are.
        for test in QUERY_TESTS if n_queries <= 200 else ["sign"]:
            found = parallel(
                delayed(rejects)(test, n_queries, i) for i in range(n_simulations)
            )
            note = f"at most {reachable(n_queries):.4f}" if test == "sign" else ""
            show(test, n_queries, found, note)
    found = parallel(delayed(rejects_splits)(60, i) for i in range(n_simulations))
    show("corrected_ttest", 60, found)
    print("six systems, all pairs: anything found")
    for test in ("ttest", "wilcoxon", "tukey"):
        found = parallel(delayed(finds_any)(test, 50, i) for i in range(n_simulations))
        show(f"{test}, Holm" if test != "tukey" else test, 50, found)


if __name__ == "__main__":
    main()
