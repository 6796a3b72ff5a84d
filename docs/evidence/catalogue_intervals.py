"""How often the intervals of catalogue measures hold the value of as many new users.

Users draw k different items of a catalogue, popular ones more often. The value that is
to be held is the mean over many draws of as many users.

Run it: python docs/evidence/catalogue_intervals.py
"""

import argparse

import numpy as np

from sklearn_irmetrics.metrics.experimental import catalogue_coverage, catalogue_gini

# The power of 1 / rank, and the share of users who have no such taste.
CATALOGUES = {"even": (0, 0), "skewed": (1, 0.5), "few": (2, 0.5), "odd": (20, 0.02)}
SIZES = [(10, 100), (50, 100), (200, 100), (50, 2000), (200, 2000), (1000, 2000)]
K = 10


def draw_lists(rng, n_users, n_items, power, odd):
    """Return the items of each user: samples without replacement, by Gumbel's trick."""
    weights = -power * np.log(np.arange(1.0, n_items + 1.0))
    usual = rng.random((n_users, 1)) >= odd
    noise = rng.gumbel(size=(n_users, n_items)) + weights * usual
    return np.argpartition(-noise, K, axis=1)[:, :K]


def main():
    """Print a row per catalogue and number of users."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=500)
    runs = parser.parse_args().runs
    rng = np.random.default_rng(0)
    scores = -np.arange(K)
    print(f"{'catalogue':<12}{'items':>6}{'users':>6}", end="")
    print(
        "".join(f"{name:>10}{'held':>7}{'width':>7}" for name in ("coverage", "Gini"))
    )
    for name, taste in CATALOGUES.items():
        for n_users, n_items in SIZES:
            y_score = np.broadcast_to(scores, (n_users, K))
            found = [
                [
                    measure(y_score, items=lists, n_items=n_items)
                    for measure in (catalogue_coverage, catalogue_gini)
                ]
                for lists in (
                    draw_lists(rng, n_users, n_items, *taste) for _ in range(runs)
                )
            ]
            print(f"{name:<12}{n_items:>6}{n_users:>6}", end="")
            for each in zip(*found, strict=True):
                truth = np.mean([one.estimate for one in each])
                low, high = np.transpose([one.confidence_interval for one in each])
                held = np.mean((low <= truth) & (truth <= high))
                width = np.nanmean(high - low)
                print(f"{truth:>10.3f}{held:>7.3f}{width:>7.3f}", end="")
            print(flush=True)


if __name__ == "__main__":
    main()
