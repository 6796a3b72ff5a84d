"""What repeated looks do to tests, and what a test that allows them costs.

Run ``python docs/evidence/anytime.py [n_runs]``. Two systems that are equally good are
compared after every query up to 5000. The first table has the share of runs in which a
look, from the tenth query on, found p <= .05: t, looked at after every query, after
every tenth part, and once; and the anytime-valid test of `compare(test="anytime")`. The
second has the width of its interval divided by that of t, the third the power of both
at effects for which t has .8.
"""

import argparse

import numpy as np
from scipy import stats

from sklearn_irmetrics._statistics.anytime import STAKES, anytime_test

LAST = 5000
# Differences in [-1, 1] with mean 0.
SHAPES = {
    "normal": lambda rng, size: np.clip(rng.normal(0, 0.2, size), -1, 1),
    "-1, 0, 1": lambda rng, size: rng.choice([-1.0, 0, 0, 0, 1], size),
    "skewed": lambda rng, size: rng.beta(1, 4, size) - 0.2,
}
SPREADS = (0.03, 0.15, 0.3, 0.5)


def looks(differences):
    """Return whether t and the anytime-valid test find p <= .05, look by look.

    Both are carried on from one query to the next.
    """
    n_runs, n = differences.shape
    count = np.arange(1, n + 1)
    mean = np.cumsum(differences, axis=1) / count
    squares = np.cumsum(differences**2, axis=1) - count * mean**2
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.abs(mean) / np.sqrt(np.maximum(squares, 0) / (count - 1) / count)
        by_t = t >= stats.t.ppf(0.975, count - 1)
    by_bets = np.empty((n_runs, n), dtype=bool)
    logs = np.zeros((n_runs, len(STAKES)))
    for i in range(n):
        logs += np.log1p(differences[:, i, np.newaxis] * STAKES)
        by_bets[:, i] = np.exp(logs).mean(axis=1) >= 20
    return by_t[:, 9:], by_bets[:, 9:]


def show_errors(n_runs, rng):
    """Print how often a difference is found where there is none."""
    print("false rejections    t at every look  t at 10 looks  t once  anytime")
    for name, draw in SHAPES.items():
        by_t, by_bets = looks(draw(rng, (n_runs, LAST)))
        tenths = np.arange(1, 11) * LAST // 10 - 10
        shares = (
            by_t.any(axis=1).mean(),
            by_t[:, tenths].any(axis=1).mean(),
            by_t[:, -1].mean(),
            by_bets.any(axis=1).mean(),
        )
        print(f"{name:<19}" + "{:>16.3f}{:>15.3f}{:>8.3f}{:>9.3f}".format(*shares))


def show_widths(rng, n_runs=20):
    """Print the width of the interval beside that of t."""
    print(
        "\nwidth / width of t"
        + "".join(f"{f'sd {s:g}':>9}" for s in SPREADS)
        + "  sd 0.03, |d| <= 0.2"
    )
    cases = [(1.0, spread) for spread in SPREADS] + [(0.2, SPREADS[0])]
    for n in (100, 1000, LAST):
        ratios = []
        for bound, spread in cases:
            values = np.clip(rng.normal(0, spread, (n_runs, n)), -bound, bound)
            ends = [anytime_test(v, bound=bound, alpha=0.05)[1] for v in values]
            t = 2 * stats.t.ppf(0.975, n - 1) * values.std(axis=1, ddof=1) / np.sqrt(n)
            ratios.append(np.mean(np.ptp(ends, axis=1) / t))
        print(f"{n:>5} queries     " + "".join(f"{ratio:>9.2f}" for ratio in ratios))


def show_power(rng, n_runs=400):
    """Print the power where t has .8."""
    print("\npower where t has .8: queries  anytime, one look  anytime, any look")
    for n in (50, 200, 1000):
        effect = (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) / np.sqrt(n) * 0.2
        values = np.clip(rng.normal(effect, 0.2, (n_runs, n)), -1, 1)
        _, by_bets = looks(values)
        once, ever = by_bets[:, -1].mean(), by_bets.any(axis=1).mean()
        print(f"{n:>29}{once:>19.2f}{ever:>19.2f}")


def main():
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_runs", type=int, nargs="?", default=2000)
    n_runs = parser.parse_args().n_runs
    rng = np.random.default_rng(0)
    show_errors(n_runs, rng)
    show_widths(rng)
    show_power(rng)


if __name__ == "__main__":
    main()
