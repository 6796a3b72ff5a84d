"""How often the tests of `compare` reject when there is nothing to find.

Run ``python docs/evidence/test_level.py [n_simulations] [--part PART]``. Each part
prints a table of its own:

level
    Two systems with the same mean, at the 5 % level: each test should reject 5 % ± 1 %
    of the time where its assumptions hold. Tests that count signs reach certain levels
    only; with few queries the largest of them may lie well below 5 %.
family
    Six systems with the same mean in all pairs (and a seventh that is far worse):
    corrections should let anything be found at most 5 % of the time.
baseline
    Skewed differences of twenty systems to a baseline, and of eight systems to each
    other: how often max-T finds anything where there is nothing.
splits
    The corrected t-test of learners of the same quality, over random subsamples.
variants
    Topics with ten variants each, or one to twenty, of which systems gain or lose
    alike: how often equal systems differ, by groups and by queries.
strata
    Data sets of unequal sizes, in which a system gains and loses as much: how often the
    mean of their means is called different from 0.
effects
    Intervals of effect sizes: how often they cover the true one, nominally 95 %.
margin
    Differences whose true mean is a loss of exactly the margin, which should be called
    "not worse" at most 5 % of the time, by the verdict of `compare` and by t.
agreement
    Random experiments with ties and zeros, of 2 to 60 queries, with weights, groups and
    strata: how often 0 lies inside
    the interval though p ≤ 0.05, or outside though it is larger. Never, where `compare`
    promises it.
"""

import argparse
import itertools
import warnings
from dataclasses import replace

import numpy as np
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge

from sklearn_irmetrics import compare, evaluate
from sklearn_irmetrics._statistics.dirichlet import dirichlet_limits
from sklearn_irmetrics._statistics.paired_tests import TESTS, correction_of, find_pairs
from sklearn_irmetrics._statistics.pairs import PairedScores
from sklearn_irmetrics._statistics.units import units_of
from sklearn_irmetrics.estimators import QueryRanker

N_UNITS = [5, 10, 25, 50, 200]
N_DRAWS = 199
QUERY_TESTS = ["permutation", "ttest", "wilcoxon", "sign", "bootstrap", "tukey"]
ALPHA = 0.05


def smooth(rng, n, n_systems):
    """Return scores of equally noisy systems, as nDCG has them."""
    base = rng.beta(2, 2, (n, 1))
    noise = rng.gamma(2, 0.05, (n, 1)) * rng.normal(size=(n, n_systems))
    return np.clip(base + noise, 0, 1)


def tied(rng, n, n_systems):
    """Return reciprocal ranks, half of them those of all systems."""
    ranks = rng.geometric(0.4, (n, n_systems))
    same = rng.random((n, n_systems)) < 0.3
    return 1 / np.where(same, ranks[:, :1], ranks)


def zero_or_one(rng, n, n_systems):
    """Return successes of systems that agree on most queries."""
    chance = rng.beta(0.4, 0.4, (n, 1))
    return (rng.random((n, n_systems)) < chance).astype(float)


def skewed(rng, n, n_systems):
    """Return scores of which the first loses little often and wins much seldom."""
    scores = smooth(rng, n, n_systems)
    wins = rng.random(n) < 0.2
    scores[:, 0] = scores[:, 1] + np.where(wins, 0.2, -0.05) + rng.normal(0, 0.02, n)
    return scores


def grouped(rng, n, n_systems):
    """Return scores of `n` groups of 1 to 12 queries, with their weights.

    What a system gains or loses is alike inside a group (intraclass correlation .3).
    """
    groups = np.repeat(np.arange(n), rng.integers(1, 13, n))
    shared = rng.normal(0, np.sqrt(0.3), (n, n_systems))[groups]
    own = rng.normal(0, np.sqrt(0.7), (len(groups), n_systems))
    return units_of(shared + own, None, groups)[:2]


def spread_apart(rng, n, n_systems):
    """Return scores of systems of which the last is the noisiest, by ten times."""
    noise = rng.normal(size=(n, n_systems)) * np.r_[[0.03] * (n_systems - 1), 0.3]
    return rng.beta(0.6, 0.8, (n, 1)) + noise


def one_bad(rng, n, n_systems):
    """Return scores of systems of which a further one is far worse."""
    scores = smooth(rng, n, n_systems + 1)
    scores[:, -1] -= 0.4
    return scores


SHAPES = {
    "smooth": smooth,
    "ties": tied,
    "0 or 1": zero_or_one,
    "groups": grouped,
    "skewed": skewed,
}


def pair_up(drawn, seed):
    """Return all pairs of systems with what draws for them."""
    scores, weights = drawn if isinstance(drawn, tuple) else (drawn, None)
    pairs = np.array(list(itertools.combinations(range(scores.shape[1]), 2)))
    rng = np.random.default_rng([seed, 1])
    return PairedScores(scores, pairs, weights, None, N_DRAWS, rng, test_share=0.25)


def print_level(n_simulations):
    """Print how often tests of two equal systems reject."""
    print("two systems", *(f"{name:>11}" for name in QUERY_TESTS))
    for (name, draw), n in itertools.product(SHAPES.items(), N_UNITS):
        rejected = dict.fromkeys(QUERY_TESTS, 0)
        for seed in range(n_simulations):
            pairs = pair_up(draw(np.random.default_rng(seed), n, 2), seed)
            for test in QUERY_TESTS:
                rejected[test] += TESTS[test].find(pairs).p_value[0] <= ALPHA
        shares = [f"{count / n_simulations:11.3f}" for count in rejected.values()]
        print(f"{name:<7}{n:>4}", *shares, flush=True)


def half_lose(rng, n, n_systems):
    """Return scores of which those of one half lose 0.18 in a tenth of the queries."""
    scores = rng.normal(0, 0.01, (n, n_systems))
    half = n_systems // 2
    scores[:, :half] += np.where(rng.random((n, half)) < 0.1, -0.18, 0.02)
    return scores


def exponential(rng, n, n_systems):
    """Return scores with exponential differences to those of the first system."""
    scores = rng.exponential(0.1, (n, n_systems)) - 0.1
    scores[:, 0] = 0
    return scores


def print_baseline(n_simulations):
    """Print how often max-T finds anything, of skewed differences that mean nothing."""
    print("max-T: twenty systems against a baseline, exponential; half lose rarely;")
    print("all pairs of eight systems, half lose rarely")
    for n in (10, 25, 50, 100, 200):
        found = np.zeros(3)
        for seed in range(n_simulations):
            rng = np.random.default_rng([n, seed])
            for i, (draw, n_systems) in enumerate(
                [(exponential, 21), (half_lose, 21), (half_lose, 8)]
            ):
                pairs = pair_up(draw(rng, n, n_systems), seed)
                if i < 2:
                    pairs = replace(pairs, pairs=pairs.pairs[pairs.pairs[:, 0] == 0])
                _, corrected = find_pairs(TESTS["permutation"], pairs, "maxt")
                found[i] += (corrected.p_value <= ALPHA).any()
        print(f"{n:>4}", *(f"{share:.3f}" for share in found / n_simulations))


FAMILIES = [
    ("permutation", "maxt"),
    ("ttest", "maxt"),
    ("bootstrap", "maxt"),
    ("ttest", "bonferroni"),
    ("ttest", "holm"),
    ("wilcoxon", "holm"),
    ("tukey", None),
]


def print_family(n_simulations):
    """Print how often anything is found among six equal systems."""
    columns = [f"{test} {correction or ''}".strip() for test, correction in FAMILIES]
    print("six systems     ", *(f"{name:>16}" for name in columns))
    shapes = {
        "smooth": smooth,
        "ties": tied,
        "spreads": spread_apart,
        "one bad": one_bad,
    }
    for (name, draw), n in itertools.product(shapes.items(), (10, 25, 50)):
        found = np.zeros(len(FAMILIES))
        for seed in range(n_simulations):
            pairs = pair_up(draw(np.random.default_rng(seed), n, 6), seed)
            is_equal = (pairs.pairs < 6).all(axis=1)
            for i, (test, correction) in enumerate(FAMILIES):
                _, corrected = find_pairs(TESTS[test], pairs, correction)
                found[i] += (corrected.p_value[is_equal] <= ALPHA).any()
        shares = [f"{count / n_simulations:16.3f}" for count in found]
        print(f"{name:<11}{n:>5}", *shares, flush=True)


def print_splits(n_simulations):
    """Print how often the corrected t-test tells equal learners apart.

    Each learner sees three noisy features of its own, of the same quality.
    """
    for n_queries in (25, 60):
        n_rejected = 0
        for seed in range(n_simulations):
            rng = np.random.default_rng(seed)
            qid = np.repeat(np.arange(n_queries), 20)
            grades = rng.binomial(4, 0.3, len(qid))
            options = {"qid": qid, "scoring": "ndcg@10", "method": "subsampling"}
            options |= {"n_splits": 10, "random_state": seed}
            results = []
            for _ in range(2):
                X = grades[:, np.newaxis] + 3 * rng.normal(size=(len(qid), 3))
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UndefinedMetricWarning)
                    results.append(evaluate(QueryRanker(Ridge()), X, grades, **options))
            n_rejected += compare(results, test="corrected_ttest").p_value[0] <= ALPHA
        share = n_rejected / n_simulations
        print(f"corrected_ttest, {n_queries} queries: {share:.3f}", flush=True)


def draw_experiment(rng):
    """Return scores with ties, zeros and effects of any size, of 2 to 60 queries."""
    n, n_systems = int(rng.integers(2, 61)), int(rng.integers(2, 5))
    spread = rng.choice([0.1, 1])
    scores = rng.normal(size=(n, 1)) + spread * rng.normal(size=(n, n_systems))
    scores += rng.choice([0, 0.2, 1]) * rng.normal(size=n_systems)
    scores = np.round(scores, rng.choice([0, 1, 15]))
    is_same = rng.random((n, n_systems)) < rng.choice([0, 0.3, 0.8])
    weights = rng.integers(1, 9, n).astype(float) if rng.random() < 0.3 else None
    groups = rng.integers(0, n, n) if rng.random() < 0.3 else None
    return np.where(is_same, scores[:, :1], scores), weights, groups


def make_units(rng, scores, weights, groups, has_strata):
    """Return scores of units, their weights and strata of two units or more."""
    strata = None
    if has_strata and len(scores) > 7:
        groups = np.arange(len(scores)) // 2 if groups is not None else None
        strata = np.arange(len(scores)) * int(rng.integers(1, 3)) // len(scores)
    return units_of(scores, weights, groups, strata)


def print_agreement(n_simulations):
    """Print how many experiments have a p-value that contradicts its interval."""
    print("test, correction: experiments, pairs, with 0 outside, contradictions")
    tests = [*QUERY_TESTS, "corrected_ttest"]
    for name, correction, has_strata in itertools.product(
        tests, (None, "bonferroni", "maxt"), (False, True)
    ):
        test = TESTS[name]
        if has_strata and (not test.takes_weights or test.unit == "split"):
            continue
        if correction_of(test, correction, 3) != correction:
            continue
        n_pairs = n_outside = n_contradictions = 0
        null = 0.5 if test.interval_of == "share of wins" else 0.0
        for seed in range(n_simulations):
            rng = np.random.default_rng(seed)
            scores, weights, groups = draw_experiment(rng)
            weights = weights if test.takes_weights else None
            scores, weights, strata = make_units(
                rng, scores, weights, groups, has_strata
            )
            if len(scores) < 2:
                continue
            pairs = replace(pair_up((scores, weights), seed), strata=strata)
            _, found = find_pairs(test, pairs, correction)
            low, high = found.ends(ALPHA).T
            outside = (low > null) | (high < null)
            n_pairs += len(outside)
            n_outside += outside.sum()
            n_contradictions += (outside != (found.p_value <= ALPHA)).sum()
        print(
            f"{name}, {correction}{', strata' * has_strata}: {n_simulations}, "
            f"{n_pairs}, {n_outside}, {n_contradictions}",
            flush=True,
        )


def one_of(shares, values):
    """Return what draws values with these chances."""
    return lambda rng, n: rng.choice(values, n, p=shares)


# What draws differences, and the margin that they lose on average.
AT_MARGIN = {
    "2 % lose 0.5": (one_of([0.02, 0.98], [-0.5, 0]), 0.01),
    "5 % lose 0.4, 1 % win 0.4": (one_of([0.05, 0.01, 0.94], [-0.4, 0.4, 0]), 0.016),
    "10 % lose 0.28": (one_of([0.1, 0.9], [-0.28, 0.02]), 0.01),
    "5 % lose 0.45": (
        lambda rng, n: np.where(rng.random(n) < 0.05, -0.45, rng.normal(0, 0.02, n)),
        0.0225,
    ),
    "- exponential 0.05": (
        lambda rng, n: -rng.exponential(0.05, n).clip(max=0.5),
        0.05 * -np.expm1(-10),
    ),
    "+ or - 0.3": (one_of([0.5, 0.5], [-0.32, 0.28]), 0.02),
    "normal 0.1": (lambda rng, n: rng.normal(-0.05, 0.1, n).clip(-0.5, 0.5), 0.05),
    "all lose 0.05": (lambda rng, n: np.full(n, -0.05), 0.05),
}


def t_limit(values):
    """Return the one-sided 95 % limit of t."""
    n = len(values)
    return values.mean() - stats.t.ppf(0.95, n - 1) * values.std(ddof=1) / np.sqrt(n)


def harmless(draw, margin, n, seed):
    """Return whether a loss is called harmless by t, and by limits within 1 and 0.5."""
    values = draw(np.random.default_rng([n, seed]), n)
    weights = np.ones(n)
    found = [t_limit(values) > -margin]
    for reach in (1.0, 0.5):
        shares = (values[:, np.newaxis] / reach + 1) / 2
        limit = dirichlet_limits(shares, weights, 0.05)[0]
        found.append(reach * (2 * limit - 1) > -margin * (1 + 1e-9))
    return found


def print_margin(n_simulations):
    """Print how often a loss of the margin is called harmless; then the power."""
    sizes = (5, 10, 25, 50, 100, 200)
    print("called harmless: by t; by the limits, which know that |d| <= 1; <= 0.5")
    print(f"{'':<28}", *(f"{n:>17}" for n in sizes))
    equal = {
        f"equal, normal {std}, margin {m}": (normal_differences(std), m)
        for std, m in ((0.05, 0.02), (0.1, 0.05), (0.2, 0.05))
    }
    for name, (draw, margin) in (AT_MARGIN | equal).items():
        cells = []
        for n in sizes:
            found = [harmless(draw, margin, n, seed) for seed in range(n_simulations)]
            cells.append(" ".join(f"{share:.3f}" for share in np.mean(found, axis=0)))
        print(f"{name:<28}", *cells, flush=True)


def normal_differences(std):
    """Return what draws normal differences around 0."""
    return lambda rng, n: rng.normal(0, std, n).clip(-0.5, 0.5)


def print_variants(n_simulations):
    """Print how often variants of topics are taken for independent queries."""
    tests = ("ttest", "permutation", "bootstrap", "wilcoxon")
    print("topics, variants: over topics by", *tests, "; over queries by ttest")
    for n_topics, kind in itertools.product((5, 6, 8, 10, 25, 50), ("10", "1 to 20")):
        rejected = np.zeros(len(tests) + 1)
        for seed in range(n_simulations):
            rng = np.random.default_rng([n_topics, seed])
            sizes = 10 if kind == "10" else rng.integers(1, 21, n_topics)
            topics = np.repeat(np.arange(n_topics), sizes)
            shared = rng.normal(0, 0.1, (n_topics, 2))[topics]
            scores = (shared + rng.normal(0, 0.05, shared.shape)).T
            for i, test in enumerate((*tests, "ttest")):
                found = compare(
                    list(scores),
                    groups=topics if i < len(tests) else None,
                    test=test,
                    n_resamples=N_DRAWS,
                    random_state=seed,
                )
                rejected[i] += found.p_value[0] <= ALPHA
        shares = [f"{share:.3f}" for share in rejected / n_simulations]
        print(f"{n_topics:>6} {kind:<8}", *shares, flush=True)


SIZES_OF_STRATA = [
    (5, 5),
    (10, 10, 10),
    (25, 25),
    (2,) * 18,
    (5, 12, 40),
    (10, 300),
    (3, 30, 300),
    (50, 100, 150),
]


def print_strata(n_simulations):
    """Print how often data sets that differ are taken for a difference of means."""
    columns = [(t, None) for t in ("ttest", "permutation", "bootstrap")]
    columns.append(("permutation", "maxt"))  # of one system with three
    print("sizes of data sets, differences: t, permutation, bootstrap, max-T")
    for sizes, shape in itertools.product(SIZES_OF_STRATA, ("normal", "exponential")):
        strata = np.repeat(np.arange(len(sizes)), sizes)
        effects = np.linspace(-0.2, 0.2, len(sizes))[strata, np.newaxis]
        found = np.zeros(len(columns))
        for seed in range(n_simulations):
            rng = np.random.default_rng([len(strata), seed])
            noise = rng.normal(0, 0.1, (len(strata), 3))
            if shape == "exponential":
                noise = rng.exponential(0.1, noise.shape) - 0.1
            scores = np.column_stack([np.zeros(len(strata)), effects + noise])
            scores, weights, codes = units_of(scores, None, None, strata)
            drawn = pair_up((scores, weights), seed)
            for i, (test, correction) in enumerate(columns):
                columns_of = drawn.pairs[: 3 if correction else 1]
                pairs = replace(drawn, strata=codes, pairs=columns_of)
                _, corrected = find_pairs(TESTS[test], pairs, correction)
                found[i] += (corrected.p_value <= ALPHA).any()
        shares = [f"{share:.3f}" for share in found / n_simulations]
        name = "18 of 2" if len(sizes) == 18 else str(sizes)
        print(f"{name:<16} {shape:<12}", *shares, flush=True)


def print_effects(n_simulations):
    """Print how often intervals of effect sizes cover the true one."""
    print("queries, differences: effect 0, 0.5, 1")
    for n, shape in itertools.product((5, 10, 25, 100), ("normal", "exponential")):
        held = np.zeros(3)
        for seed in range(n_simulations):
            rng = np.random.default_rng([n, seed])
            noise = rng.normal(0, 1, n)
            if shape == "exponential":
                noise = rng.exponential(1, n) - 1
            for i, effect in enumerate((0.0, 0.5, 1.0)):
                found = compare([np.zeros(n), effect + noise], test="ttest")
                low, high = found.effect_size_interval[0]
                held[i] += low <= effect <= high
        shares = [f"{share:.3f}" for share in held / n_simulations]
        print(f"{n:>4} {shape:<12}", *shares, flush=True)


PARTS = {
    "effects": print_effects,
    "variants": print_variants,
    "strata": print_strata,
    "margin": print_margin,
    "level": print_level,
    "family": print_family,
    "baseline": print_baseline,
    "splits": print_splits,
    "agreement": print_agreement,
}


def main():
    """Print one part, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_simulations", type=int, nargs="?", default=4000)
    parser.add_argument("--part", choices=PARTS)
    options = parser.parse_args()
    for part in [options.part] if options.part else PARTS:
        PARTS[part](options.n_simulations)


if __name__ == "__main__":
    main()
