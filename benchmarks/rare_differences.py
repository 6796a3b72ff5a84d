"""The level of tests where few queries differ, and of boards with a small stratum.

Run ``python benchmarks/rare_differences.py [n_simulations] [--part PART]``. Parts:

level
    The share of experiments in which a test finds a difference between systems that are
    equally good: with as many rare wins as losses, with rare losses that small gains
    make up for, and with identical scores. Also the share of intervals that contain 0,
    and of experiments with the note that few queries make most of the spread.
strata
    The share of leaderboards of eight equal systems with any false difference, for a
    small stratum beside a large one.
"""

import argparse

import numpy as np

from sklearn_irmetrics._statistics.paired_tests import (
    TESTS,
    count_concentrated,
    find_pairs,
)
from sklearn_irmetrics._statistics.pairs import PairedScores
from sklearn_irmetrics.comparison import leaderboard

ALPHA = 0.05
NUMBERS = (10, 25, 50, 100, 200, 400)
TESTED = ("permutation", "ttest")


def draw_successes(rng, n, share):
    """Return differences of successes: as many wins as losses, each of this share."""
    return rng.choice([-1.0, 0.0, 1.0], n, p=[share, 1 - 2 * share, share])


def draw_losses(rng, n, share):
    """Return differences of which a share is -0.5, and the others make up for it."""
    gain = 0.5 * share / (1 - share)
    return np.where(rng.random(n) < share, -0.5, gain)


def draw_nothing(rng, n, share):
    """Return no differences."""
    return np.zeros(n)


CASES = [
    *((f"{share:.0%} win, {share:.0%} lose", draw_successes, share)
      for share in (0.01, 0.02, 0.05)),
    *((f"{share:.0%} lose 0.5", draw_losses, share)
      for share in (0.02, 0.05, 0.1, 0.2, 0.3)),
    ("identical", draw_nothing, 0.0),
]  # fmt: skip


def print_level(n_simulations):
    """Print how often each test finds a difference that is not there."""
    for name, draw, share in CASES:
        for n in NUMBERS:
            rng = np.random.default_rng(n)
            found, held, noted = np.zeros(len(TESTED)), np.zeros(len(TESTED)), 0
            for seed in range(n_simulations):
                scores = np.column_stack([draw(rng, n, share), np.zeros(n)])
                pairs = PairedScores(
                    scores=scores,
                    pairs=np.array([(0, 1)]),
                    weights=None,
                    bounds=(-1.0, 1.0),
                    n_resamples=999,
                    rng=np.random.default_rng(seed),
                )
                for i, test in enumerate(TESTED):
                    p_value, result = find_pairs(TESTS[test], pairs, None)
                    low, high = result.ends(ALPHA)[0]
                    found[i] += p_value[0] <= ALPHA
                    held[i] += low <= 0 <= high
                noted += count_concentrated(pairs)
            columns = " ".join(
                f"{test} {rejected:.3f} (0 inside {inside:.3f})"
                for test, rejected, inside in zip(
                    TESTED, found / n_simulations, held / n_simulations, strict=True
                )
            )
            noted /= n_simulations
            print(f"{name:20} n = {n:3}: {columns}, noted {noted:.2f}", flush=True)


def print_strata(n_simulations):
    """Print how often a board of eight equal systems shows any difference."""
    for sizes, correction in (
        ((3, 1000), "maxt"),
        ((10, 300), "maxt"),
        ((10, 300), "holm"),
    ):
        strata = np.repeat(np.arange(len(sizes)), sizes)
        rng, n_wrong = np.random.default_rng(0), 0
        options = {"strata": strata, "correction": correction, "n_resamples": 999}
        for seed in range(n_simulations):
            scores = rng.beta(2, 2, (8, len(strata)))
            systems = {f"s{i}": one for i, one in enumerate(scores)}
            board = leaderboard(systems, random_state=seed, **options)
            n_wrong += board.better.any()
        share = n_wrong / n_simulations
        print(f"strata of {sizes}: {board.correction}, {share:.3f}", flush=True)


PARTS = {"level": print_level, "strata": print_strata}


def main():
    """Run one part, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("n_simulations", type=int, nargs="?", default=2000)
    parser.add_argument("--part", choices=PARTS)
    options = parser.parse_args()
    for name, part in PARTS.items():
        if options.part in (None, name):
            part(options.n_simulations)


if __name__ == "__main__":
    main()
