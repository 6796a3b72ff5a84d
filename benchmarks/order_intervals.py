"""How often intervals of Kendall's τ between two leaderboards hold the true one.

Run ``python benchmarks/order_intervals.py [n_simulations]``. Two judgments score the
same systems on the same queries; their true means differ by nothing, little or much.
Printed are the coverage and the mean width of the interval of `order_agreement`, which
counts pairs that both judgments tell apart, and of the percentiles of 499 bootstrap
samples of the queries.
"""

import argparse
import itertools

import numpy as np

from sklearn_irmetrics import kendall_tau_score
from sklearn_irmetrics.comparison import order_agreement

# Standard deviations: of true means, of how far judgments are apart in them.
WORLDS = [(0.05, 0.0), (0.05, 0.03), (0.05, 0.1), (0.02, 0.01), (0.2, 0.05)]
SPREAD, CORRELATION = 0.2, 0.8  # of the scores of a query; between the judgments
N_DRAWS = 499


def simulate(n_systems, n_queries, spread, apart, seed):
    """Return for both intervals whether they hold the true τ, and their widths."""
    rng = np.random.default_rng([n_systems, n_queries, seed])
    true_a = rng.normal(scale=spread, size=n_systems)
    true_b = true_a + rng.normal(scale=apart, size=n_systems)
    truth = kendall_tau_score(true_a, true_b)
    shape = n_queries, n_systems
    shared, own = rng.normal(scale=SPREAD, size=(2, *shape))
    a = true_a + shared
    b = true_b + CORRELATION * shared + np.sqrt(1 - CORRELATION**2) * own
    found = order_agreement(
        *({str(i): one[:, i] for i in range(n_systems)} for one in (a, b)),
        n_resamples=N_DRAWS,
        random_state=seed,
    )
    drawn = rng.multinomial(n_queries, np.full(n_queries, 1 / n_queries), N_DRAWS)
    taus = kendall_tau_score(drawn @ a, drawn @ b, average=None)
    intervals = found.tau_interval, np.quantile(taus, [0.025, 0.975])
    return [(low - 1e-9 <= truth <= high + 1e-9, high - low) for low, high in intervals]


def main():
    """Print coverage and width."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_simulations", type=int, nargs="?", default=200)
    n = parser.parse_args().n_simulations
    print("systems queries spread apart: by pairs coverage, width; bootstrap")
    for systems, queries, world in itertools.product((6, 20), (25, 100), WORLDS):
        found = [simulate(systems, queries, *world, seed) for seed in range(n)]
        pairs, boot = np.mean(found, axis=0)
        print(
            f"{systems:>7} {queries:>7} {world[0]:>6} {world[1]:>5}:  "
            f"{pairs[0]:.3f} {pairs[1]:.2f};  {boot[0]:.3f} {boot[1]:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
