"""The level of tests where few queries differ, and of boards with a small stratum.

Run ``python docs/evidence/rare_differences.py [n_simulations] [--part PART]``. Parts:

level
    The share of experiments in which a test finds a difference between systems that are
    equally good: with as many rare wins as losses, with rare losses that small gains
    make up for, and with identical scores. Also the share of intervals that contain 0,
    and of experiments with the note that few queries make most of the spread.
boards
    The share of comparisons of eight systems that fail equally often (0/1 values) with
    any false difference, by max-T and by Holm's correction of t-tests; and of boards
    with the note.
strata
    The share of comparisons of eight equal systems with any false difference, for a
    small stratum beside a large one; and how often a true difference is found.
"""

import argparse
import itertools
from dataclasses import replace

import numpy as np

from sklearn_irmetrics._statistics.paired_tests import (
    TESTS,
    find_concentrated,
    find_pairs,
)
from sklearn_irmetrics._statistics.pairs import PairedScores
from sklearn_irmetrics._statistics.units import weigh_strata

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
                noted += find_concentrated(pairs).sum()
            columns = " ".join(
                f"{test} {rejected:.3f} (0 inside {inside:.3f})"
                for test, rejected, inside in zip(
                    TESTED, found / n_simulations, held / n_simulations, strict=True
                )
            )
            noted /= n_simulations
            print(f"{name:20} n = {n:3}: {columns}, noted {noted:.2f}", flush=True)


def draw_failures(rng, n, share):
    """Return successes of systems that fail independently."""
    return (rng.random((n, 8)) >= share).astype(float)


def draw_failures_on_hard_queries(rng, n, share):
    """Return successes of systems that fail on the same hard queries more often."""
    hardness = rng.beta(0.1, 0.1 * (1 - share) / share, (n, 1))
    return (rng.random((n, 8)) >= hardness).astype(float)


FAILURES = [("failures", draw_failures), ("hard", draw_failures_on_hard_queries)]


def print_boards(n_simulations):
    """Print how often boards of systems that fail equally often show a difference."""
    print("any difference of eight equal systems: max-T, Holm; any note")
    columns = np.column_stack(np.triu_indices(8, 1))
    shares = (0.01, 0.02, 0.05, 0.1)
    for (name, draw), share, n in itertools.product(FAILURES, shares, NUMBERS[1:]):
        n_found, n_noted = np.zeros(2), 0
        for seed in range(n_simulations):
            pairs = PairedScores(
                scores=draw(np.random.default_rng([seed, n]), n, share),
                pairs=columns,
                weights=None,
                bounds=(-1.0, 1.0),
                n_resamples=499,
                rng=np.random.default_rng(seed),
            )
            n_different = (pairs.differences != 0).sum(axis=0)
            least = np.exp2(1.0 - n_different).clip(max=1.0)  # as on boards
            for i, correction in enumerate(("maxt", "holm")):
                _, found = find_pairs(TESTS["ttest"], pairs, correction)
                n_found[i] += (np.maximum(found.p_value, least) <= ALPHA).any()
            n_noted += find_concentrated(pairs).any()
        figures = (f"{one:.3f}" for one in np.r_[n_found, n_noted] / n_simulations)
        print(f"{name:<9}{share:<5.0%}n = {n:3}:", *figures, flush=True)


def draw_beta(rng, strata):
    """Return scores of eight systems from one distribution."""
    return rng.beta(2, 2, (len(strata), 8))


def draw_shifted(rng, strata):
    """Return scores of systems that gain in one stratum what they lose in the other."""
    shift = np.where(strata == 0, 0.2, -0.2)[:, np.newaxis] * np.linspace(-1, 1, 8)
    return shift + rng.normal(0, 0.1, (len(strata), 8))


def draw_spreads(rng, strata):
    """Return scores that vary more in the small stratum, and most for one system."""
    spread = np.where(strata == 0, 0.3, 0.1)[:, np.newaxis] * np.r_[[1] * 7, 4]
    return spread * rng.normal(size=(len(strata), 8))


def draw_rare_failures(rng, strata):
    """Return successes of systems that fail in a twentieth of the queries."""
    return (rng.random((len(strata), 8)) < 0.95).astype(float)


def draw_exponential(rng, strata):
    """Return scores with exponential differences to those of the first system."""
    scores = rng.exponential(0.1, (len(strata), 8)) - 0.1
    scores[:, 0] = 0
    return scores


def draw_rare_losses(rng, strata):
    """Return scores of which half lose 0.18 in a tenth of the queries."""
    scores = rng.normal(0, 0.01, (len(strata), 8))
    scores[:, :4] += np.where(rng.random((len(strata), 4)) < 0.1, -0.18, 0.02)
    return scores


BOARDS = [
    ("beta", draw_beta),
    ("opposite in strata", draw_shifted),
    ("different spreads", draw_spreads),
    ("5 % fail", draw_rare_failures),
    ("skewed, baseline", draw_exponential),
    ("10 % lose 0.18", draw_rare_losses),
]
STRATA = [(3, 1000), *((small, 300) for small in (5, 10, 15, 20, 30, 50))]


def print_strata(n_simulations):
    """Print how often comparisons of eight equal systems show any difference."""
    print("any difference of equal systems: max-T, Holm; a true one, too: max-T, Holm")
    pairs_of_eight = np.column_stack(np.triu_indices(8, 1))
    for (name, draw), sizes in itertools.product(BOARDS, STRATA):
        strata = np.repeat([0, 1], sizes)
        weights = weigh_strata(None, strata)
        columns = pairs_of_eight[: 7 if "baseline" in name else None]
        n_found = np.zeros(4)
        for seed in range(n_simulations):
            scores = draw(np.random.default_rng([seed, *sizes]), strata)
            pairs = PairedScores(
                scores=scores,
                pairs=columns,
                weights=weights,
                bounds=None,
                n_resamples=499,
                rng=np.random.default_rng(seed),
                strata=strata,
            )
            apart = scores.copy()
            apart[:, 1] += 3 * scores[:, 1].std() / np.sqrt(sizes[0])
            better = replace(pairs, scores=apart, rng=np.random.default_rng(seed))
            for i, correction in enumerate(("maxt", "holm")):
                _, equal = find_pairs(TESTS["ttest"], pairs, correction)
                _, different = find_pairs(TESTS["ttest"], better, correction)
                n_found[i] += (equal.p_value <= ALPHA).any()
                n_found[2 + i] += different.p_value[0] <= ALPHA
        shares = (f"{share:.3f}" for share in n_found / n_simulations)
        print(f"{name:<19}{sizes!s:<10}", *shares, flush=True)


PARTS = {"level": print_level, "boards": print_boards, "strata": print_strata}


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
