"""How often ranks of `leaderboard` miss the truth, and how wide their intervals are.

Run ``python docs/evidence/rank_intervals.py [n_simulations] [--part PART]``. Each part
prints a table of its own:

ranks
    Boards of 8, 20 and 50 systems on 25, 50 and 200 queries: the share of boards on
    which the interval of any system lacks one of its true ranks (nominally at most
    5 %), and the mean width of the intervals, beside that of single-step max-T with
    the same draws, which must never be smaller.
datasets
    Means over 5, 10 and 20 data sets of 10 to 300 queries, whose means and sizes
    vary: how often the interval of a mean covers the mean over these data sets and
    that over all possible ones, by ``over="queries"`` and ``over="datasets"``, and how
    often any rank of eight systems is missed, systems of which six are alike.
"""

import argparse

import numpy as np

from sklearn_irmetrics._statistics.draws import spread_of
from sklearn_irmetrics._statistics.paired_tests import TESTS, find_pairs, rank_intervals
from sklearn_irmetrics._statistics.pairs import PairedScores
from sklearn_irmetrics.comparison import leaderboard

ALPHA = 0.05
N_DRAWS = 499
N_SYSTEMS, N_QUERIES = (8, 20, 50), (25, 50, 200)


def equal(rng, n, m):
    """Return scores of systems that are alike, and their true means."""
    return rng.normal(0, 0.1, (n, m)), np.zeros(m)


def unequal(rng, n, m):
    """Return scores of systems in four clusters, at 0, 0.1, 0.2 and 0.3."""
    means = 0.1 * (np.arange(m) * 4 // m)
    return means + rng.normal(0, 0.1, (n, m)), means


def steps(rng, n, m):
    """Return scores of systems each of which is better than the last by 0.02."""
    means = 0.02 * np.arange(m)
    return means + rng.normal(0, 0.1, (n, m)), means


def spreads(rng, n, m):
    """Return scores of systems that are alike but vary by 0.03 to 0.3."""
    return rng.normal(0, 1, (n, m)) * np.geomspace(0.03, 0.3, m), np.zeros(m)


def tied(rng, n, m):
    """Return scores of systems that differ on 15 % of the queries."""
    differ = rng.random((n, m)) < 0.15
    return np.where(differ, rng.normal(0, 0.2, (n, m)), 0.0), np.zeros(m)


def skewed(rng, n, m):
    """Return scores of which half lose 0.18 on 10 % of the queries, else gain 0.02."""
    scores, half = rng.normal(0, 0.01, (n, m)), m // 2
    scores[:, :half] += np.where(rng.random((n, half)) < 0.1, -0.18, 0.02)
    return scores, np.zeros(m)


def exponential(rng, n, m):
    """Return scores of systems whose differences to the first are exponential."""
    scores = rng.exponential(0.1, (n, m)) - 0.1
    scores[:, 0] = 0.0
    return scores, np.zeros(m)


SHAPES = {
    "equal": equal,
    "four clusters": unequal,
    "steps of .02": steps,
    "unequal spreads": spreads,
    "85 % tied": tied,
    "half lose rarely": skewed,
    "exponential": exponential,
}


def ranks_of(p_values, pairs):
    """Return rank intervals, and how wide they are on average."""
    m = pairs.scores.shape[1]
    better = np.zeros((m, m), dtype=bool)
    first, second = np.where(pairs.mean > 0, pairs.pairs.T, pairs.pairs[:, ::-1].T)
    better[first, second] = p_values <= ALPHA
    found = rank_intervals(better)
    return found, np.ptp(found, axis=1).mean() + 1


def single_step(pairs):
    """Return p-values of max-T in a single step, from the same draws."""
    n, mean = len(pairs.scores), pairs.mean
    squares = n * mean**2
    total = spread_of(pairs.parts) ** 2 + squares
    observed = np.divide(squares, total, out=np.zeros_like(mean), where=total > 0)
    largest = pairs.bootstrap_ratios.max(axis=0)
    reached = largest >= observed[:, np.newaxis] * (1 - 1e-12)
    return (reached.sum(axis=1) + 1) / (len(largest) + 1)


def misses(intervals, means):
    """Whether any interval lacks a rank that its system may truly have."""
    above = (means > means[:, np.newaxis] + 1e-9).sum(axis=1)
    below = (means < means[:, np.newaxis] - 1e-9).sum(axis=1)
    low, high = intervals.T
    return bool(((low > 1 + above) | (high < len(means) - below)).any())


def show_ranks(n_simulations):
    """Print how often ranks are missed, and how wide intervals are."""
    print(
        f"{'shape':<18}{'systems':>8}{'queries':>8}{'boards':>8}{'missed':>9}", end=""
    )
    print(f"{'width':>8}{'single-step':>13}")
    for name, draw in SHAPES.items():
        for m in N_SYSTEMS:
            columns = np.column_stack(np.triu_indices(m, 1))
            n_boards = max(1, n_simulations // (1 if m < 50 else 3))
            for n in N_QUERIES:
                rng = np.random.default_rng([n, m])
                n_missed, widths = 0, []
                for _ in range(n_boards):
                    scores, means = draw(rng, n, m)
                    scores += rng.beta(1.4, 1.6, (n, 1))  # how hard queries are
                    given = scores, columns, None, None, N_DRAWS, rng
                    pairs = PairedScores(*given)
                    _, found = find_pairs(TESTS["bootstrap"], pairs, "maxt")
                    intervals, width = ranks_of(found.p_value, pairs)
                    _, widest = ranks_of(single_step(pairs), pairs)
                    assert width <= widest
                    n_missed += misses(intervals, means)
                    widths.append((width, widest))
                print(
                    f"{name:<18}{m:>8}{n:>8}{n_boards:>8}{n_missed / n_boards:>9.3f}"
                    "{:>8.1f}{:>13.1f}".format(*np.mean(widths, axis=0)),
                    flush=True,
                )


def draw_datasets(kind, rng, n_datasets, n_systems):
    """Return scores by data set, the means there, and over all possible data sets.

    The first systems are alike on average over all possible data sets, and the last two
    better by 0.1 and 0.2.
    """
    sizes = np.exp(rng.uniform(np.log(10), np.log(300), n_datasets)).astype(int)
    gains = np.zeros(n_systems)
    gains[-2:] = 0.1, 0.2
    parts, means = {}, []
    for key, n in enumerate(sizes):
        middle = rng.beta(6, 6) if kind == "nDCG" else 0.5
        own = gains + middle - 0.1 + rng.normal(0, 0.03, n_systems)
        own = own.clip(0.02, 0.98)
        if kind == "nDCG":
            scores = rng.beta(2 * own, 2 * (1 - own), (n, n_systems))
        else:
            scores = (rng.random((n, n_systems)) < own).astype(float)
        parts[key] = {str(i): scores[:, i] for i in range(n_systems)}
        means.append(own)
    return parts, np.array(means), gains + 0.4


def show_datasets(n_simulations, n_systems=8):
    """Print which means intervals over data sets hold, and which ranks are missed."""
    print(f"{'values':<10}{'data sets':>10}{'over':>10}{'these':>8}{'all':>8}", end="")
    print(f"{'width':>8}{'missed':>9}")
    for kind in ("nDCG", "success"):
        for n_datasets in (5, 10, 20):
            rng = np.random.default_rng(n_datasets)
            found = {"queries": [], "datasets": []}
            for _ in range(n_simulations):
                parts, means, everywhere = draw_datasets(
                    kind, rng, n_datasets, n_systems
                )
                here = means.mean(axis=0)
                for over, rows in found.items():
                    options = {"n_resamples": N_DRAWS, "random_state": rng}
                    board = leaderboard(parts, over=over, metric="ndcg", **options)
                    order = [int(name) for name in board.system]
                    low, high = np.transpose(board.confidence_interval)
                    truths = here[order], everywhere[order]
                    inside = [np.mean((low <= x) & (x <= high)) for x in truths]
                    own = truths[over == "datasets"]
                    is_missed = misses(board.rank_interval, own)
                    rows.append((*inside, np.mean(high - low), is_missed))
            for over, rows in found.items():
                print(
                    f"{kind:<10}{n_datasets:>10}{over:>10}"
                    "{:>8.3f}{:>8.3f}{:>8.3f}{:>9.3f}".format(*np.mean(rows, axis=0)),
                    flush=True,
                )


PARTS = {"ranks": show_ranks, "datasets": show_datasets}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_simulations", nargs="?", type=int, default=300)
    parser.add_argument("--part", choices=PARTS, action="append")
    args = parser.parse_args()
    for part in args.part or PARTS:
        PARTS[part](args.n_simulations)
        print()
