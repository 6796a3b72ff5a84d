"""How often an experiment of the planned size finds the effect it was planned for.

Run ``python docs/evidence/planned_power.py [n_simulations]``. `plan_queries` plans
paired t-tests; differences of five shapes, which all have the planned mean and standard
deviation, are drawn and tested. The share of tests that find the effect should lie
within 3 points of the planned power. The last shape is more skewed than differences of
two systems are: it shows where t has not enough queries. The lines below are of the
other tests, as `compare` makes them, of analyses of variance and of the width of
intervals.
"""

import argparse

import numpy as np
from scipy import stats

from sklearn_irmetrics import compare
from sklearn_irmetrics.comparison import plan_queries

SHAPES = {
    "normal": lambda rng, size: rng.standard_normal(size),
    "-1, 0, 1": lambda rng, size: rng.choice([-1, 0, 0, 1], size) * np.sqrt(2),
    "peaked": lambda rng, size: (
        (rng.beta(1, 4, size) - rng.beta(1, 4, size)) / np.sqrt(8 / 150)
    ),
    "long tails": lambda rng, size: rng.standard_t(5, size) / np.sqrt(5 / 3),
    "skewed": lambda rng, size: (rng.beta(1, 4, size) - 0.2) / np.sqrt(4 / 150),
}


def found(values):
    """Return the share of rows whose mean differs from 0 by the t-test."""
    n = values.shape[1]
    error = values.std(axis=1, ddof=1) / np.sqrt(n)
    critical = stats.t.ppf(0.975, n - 1)
    return (np.abs(values.mean(axis=1)) >= critical * error).mean()


def is_found(values, planned, **options):
    """Return whether `compare` finds what was planned for."""
    columns = values.T if values.ndim == 2 else [0 * values, values]
    options = {"n_resamples": 999, "random_state": 0, **options}
    found = compare(list(columns), **options)
    if planned == "margin":
        return found.verdict[0] in ("not worse", "equivalent")
    return found.p_adjusted[0] <= 0.05


# What is planned, and how it is tested.
OTHERS = [
    ({"test": "permutation", "effect": 0.3, "std": 0.2}, {}),
    ({"test": "permutation", "effect": 0.2, "std": 0.2}, {}),
    ({"test": "permutation", "effect": 0.05, "std": 0.1}, {}),
    ({"test": "margin", "margin": 0.05, "std": 0.1}, {"margin": 0.05, "bound": 1}),
    ({"test": "margin", "margin": 0.05, "std": 0.2}, {"margin": 0.05, "bound": 1}),
    ({"test": "margin", "margin": 0.02, "std": 0.05}, {"margin": 0.02, "bound": 1}),
    ({"test": "anytime", "effect": 0.05, "std": 0.15}, {"test": "anytime", "bound": 1}),
    ({"test": "anytime", "effect": 0.1, "std": 0.15}, {"test": "anytime", "bound": 1}),
    ({"test": "maxt", "effect": 0.1, "std": 0.15, "n_systems": 4}, {}),
    ({"test": "maxt", "effect": 0.1, "std": 0.15, "n_systems": 8}, {}),
]


def show_other_tests(rng, n_simulations):
    """Print planned and simulated power of `compare` for normal differences."""
    print("\nplan  queries  planned  simulated")
    for plan, options in OTHERS:
        made = plan_queries(**plan)
        found = 0
        for _ in range(n_simulations):
            found += is_found(draw_normal(rng, made), plan["test"], **options)
        print(f"{plan} {made.n_queries} {made.power:.3f} {found / n_simulations:.3f}")
    plan = {"effect": 0.05, "std": 0.1, "group_size": 8, "correlation": 0.3}
    made = plan_queries(**plan)
    size = made.n_queries, 8
    found = 0
    for _ in range(n_simulations):
        shared = np.sqrt(0.3) * rng.standard_normal((size[0], 1))
        values = 0.05 + 0.1 * (shared + np.sqrt(0.7) * rng.standard_normal(size))
        found += is_found(values.mean(axis=1), "permutation")
    print(f"{plan} {made.n_queries} {made.power:.3f} {found / n_simulations:.3f}")


def draw_normal(rng, plan):
    """Return normal differences, or scores of systems of which two differ."""
    if plan.test != "maxt":
        values = plan.effect + plan.std * rng.standard_normal(plan.n_queries)
        return values.clip(-1, 1)
    scores = rng.standard_normal((plan.n_queries, plan.n_systems)) / np.sqrt(2)
    scores *= plan.std
    scores[:, 1] += plan.effect
    return scores


def main():
    """Print planned and simulated power."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_simulations", type=int, nargs="?", default=10_000)
    n_simulations = parser.parse_args().n_simulations
    rng = np.random.default_rng(0)
    print("effect/std  queries  planned " + "".join(f"{name:>12}" for name in SHAPES))
    for effect, power in ((0.8, 0.8), (0.5, 0.8), (0.5, 0.9), (0.3, 0.8), (0.2, 0.8)):
        plan = plan_queries(effect=effect, std=1, power=power, test="ttest")
        size = (n_simulations, plan.n_queries)
        shares = [found(draw(rng, size) + effect) for draw in SHAPES.values()]
        print(
            f"{effect:>10} {plan.n_queries:>8} {plan.power:>8.3f} "
            + "".join(f"{share:>12.3f}" for share in shares)
        )
    show_other_tests(rng, max(100, n_simulations // 10))
    print("\nanova: systems  queries  planned  simulated")
    for n_systems in (2, 5, 20):
        plan = plan_queries(effect=0.5, std=1, test="anova", n_systems=n_systems)
        means = np.r_[-0.25, 0.25, np.zeros(n_systems - 2)]
        count = 0
        for _ in range(max(1, n_simulations // 500)):
            scores = rng.standard_normal((500, plan.n_queries, n_systems)) + means
            p = stats.f_oneway(*np.moveaxis(scores, 2, 0), axis=1).pvalue
            count += (p <= 0.05).mean() / max(1, n_simulations // 500)
        row = f"{n_systems:>14} {plan.n_queries:>8} {plan.power:>8.3f} {count:>10.3f}"
        print(row)
    print("\ninterval: width/std  queries  planned  simulated")
    for width in (1.0, 0.3):
        plan = plan_queries(effect=width, std=1, test="interval")
        n = plan.n_queries
        s = rng.standard_normal((n_simulations, n)).std(axis=1, ddof=1).mean()
        mean = 2 * stats.t.ppf(0.975, n - 1) * s / np.sqrt(n)
        print(f"{width:>19} {n:>8} {plan.detectable_effect:>8.4f} {mean:>10.4f}")


if __name__ == "__main__":
    main()
