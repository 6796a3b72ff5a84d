"""Judged queries for tests, and plain formulas of what is estimated from them."""

import gzip
from types import SimpleNamespace

import numpy as np
from scipy import stats

from oracles.places import SHARED_DATA
from sklearn_irmetrics.judging import JudgedComparison, JudgedScores

LLMJUDGE = SHARED_DATA / "llmjudge"
# Measures that are sums over documents.
SUMS = [
    *("p@3", "p(relevance_threshold=2)@10", "cg@5", "dcg"),
    "cg(gain={0: 0, 1: 1, 2: 5, 3: 6})@5",
    "dcg(gain='exponential', discount='jarvelin_kekalainen', log_base=3)@4",
    "rbp(persistence=0.5)",
    "rbp(max_grade=3)@5",
    "success@1",
]


def make_judged(seed=0, n_queries=60, n_documents=12, n_labelled=20, noise=0.7):
    """Return y_true, y_judge and y_score of shape (n_queries, n_documents)."""
    rng = np.random.default_rng(seed)
    share = rng.beta(1, 2, n_queries)[:, None]
    truth = rng.binomial(3, share, (n_queries, n_documents)).astype(float)
    y_score = truth + rng.normal(scale=1.5, size=truth.shape)
    y_judge = (truth + rng.normal(scale=noise, size=truth.shape)).round().clip(0, 3)
    labelled = rng.permutation(n_queries) < n_labelled
    return np.where(labelled[:, None], truth, np.nan), y_judge, y_score


def sampled(seed=0, n_queries=400, share=0.3):
    """Return all labels, those of a sample, y_judge, y_score and its inclusion."""
    truth, y_judge, y_score = make_judged(
        seed, n_queries, n_documents=12, n_labelled=n_queries
    )
    rng = np.random.default_rng([seed, 1])
    inclusion = np.clip(share * rng.uniform(0.5, 2, truth.shape), 0, 1)
    taken = rng.random(truth.shape) < inclusion
    return truth, np.where(taken, truth, np.nan), y_judge, y_score, inclusion


def row_of(result, key=None):
    """Return what a result says of one measure, or of one pair of systems."""
    if isinstance(result, JudgedScores):
        at = key or next(iter(result.estimate))
    else:
        pairs = [*zip(result.system, result.versus, strict=True)]
        at = pairs.index(key) if key else 0
    names = ("estimate", "standard_error", "confidence_interval", "judge", "bias")
    names += ("bias_interval", "judge_weight", "effective_labels", "random_p_value")
    if isinstance(result, JudgedComparison):
        names += ("p_value", "bias_p_value")
    return SimpleNamespace(**{name: getattr(result, name)[at] for name in names})


def judged_interval(
    f,
    h,
    mean_all,
    n_all,
    bounds,
    level=0.95,
    judge=True,
    slope=None,
    population=None,
    is_difference=False,
):
    """Return estimate, ends and slope, step by step."""
    n = len(f)
    low, high = bounds
    tenth = 0.1 * (high - low)
    at_low = sum(one <= low + tenth for one in f)
    at_high = sum(one >= high - tenth for one in f)
    n_elsewhere = n - max(at_low, at_high)
    at_an_end = 2 * n_elsewhere < n
    n_zero = sum(one == 0 for one in f)
    if is_difference and n_zero > 0 and (2 * n_zero >= n or n - n_zero < 5):
        at_an_end, n_elsewhere = True, min(n_elsewhere, n - n_zero)
    usable = judge and np.var(h) > 0 and not (at_an_end and n_elsewhere < 5)
    if slope is None and not usable:
        slope = 0.0
    elif slope is None:
        slope = float(np.clip(np.cov(f, h)[0, 1] / np.var(h, ddof=1), 0, 1))
    e = [one - slope * (other - mean_all) for one, other in zip(f, h, strict=True)]
    spread_f, spread_e = max(f) - min(f), max(e) - min(e)
    far = 0.5 * max(1, 10 / n) * max(spread_e, spread_f / 4)
    if spread_f == 0 or at_an_end:
        far = np.inf
    a = 1.0 if at_an_end else 0.5
    first = min(min(e), max(low, min(e) - far))
    last = max(max(e), min(high, max(e) + far))
    size = n + 2 * a
    middle = (sum(e) + a * first + a * last) / size
    squares = sum((one - middle) ** 2 for one in e)
    squares += a * (first - middle) ** 2 + a * (last - middle) ** 2
    freedom, mean = size - (2 if judge else 1), float(np.mean(e))
    variance = squares / freedom / size
    # All units are a sample too, whose mean has the interval of every mean.
    of_all, (low_of_all, high_of_all) = population or (f, bounds)
    c = 1.0 if is_difference else stats.norm.ppf((1 + level) / 2) ** 2 / 4
    share = n / n_all
    c *= share * bool(np.isfinite(high - low))
    far_ends = [min(low_of_all, *of_all), max(high_of_all, *of_all)] if c else [0, 0]
    middle_of_all = (sum(of_all) + c * sum(far_ends)) / (n + 2 * c)
    squares = sum((one - middle_of_all) ** 2 for one in of_all)
    squares += sum(c**2 * (one - middle_of_all) ** 2 for one in far_ends)
    kish = (n + 2 * c) ** 2 / (n + 2 * c**2)
    variance_of_all = squares / (n + 2 * c) ** 2 * kish / (kish - 1)
    variance = (1 - share) * variance + share * variance_of_all
    freedom = (1 - share) * freedom + share * (kish - 1)
    shifts = middle - mean, middle_of_all - np.mean(of_all)
    middle = mean + (1 - share) * shifts[0] + share * shifts[1]
    reach = stats.t.ppf((1 + level) / 2, freedom) * variance**0.5
    ends = min(middle - reach, mean), max(middle + reach, mean)
    return mean, np.clip(ends, low, high), slope


def read_llmjudge(judge):
    """Return people's and a judge's grades and the query of each, pair by pair."""

    def grades(path):
        with gzip.open(path, "rt") as lines:
            rows = [line.split() for line in lines]
        return {(row[0], row[2]): float(row[3]) for row in rows}

    people = grades(LLMJUDGE / "nist.qrels.gz")
    found = grades(next(LLMJUDGE.glob(f"*{judge}.qrels.gz")))
    pairs = [*people]
    return (
        np.array([people[pair] for pair in pairs]),
        np.array([found[pair] for pair in pairs]),
        np.array([query for query, _ in pairs]),
    )
