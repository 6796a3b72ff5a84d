"""Corrected measures of sampled negatives beside the full ranking.

Three simulated catalogues; each time 100 negatives are drawn for each of 2,000 users.
Printed are the measure among all items, the mean of 20 samples, uncorrected and
corrected, the bias of the correction, the spread of the 20 corrected values, and the
mean of the standard errors that `score_sampled` reports.

    python docs/evidence/sampled_negatives.py
"""

import numpy as np

from sklearn_irmetrics.reports import score_sampled

CATALOGUES = {  # items, and the shape of the distribution of relative ranks
    "sharp, 1,000 items": (1000, (0.6, 8)),
    "fair, 3,000 items": (3000, (0.478, 1.418)),
    "weak, 10,000 items": (10_000, (0.6, 1.6)),
}
METRICS = "hit_rate@10", "ndcg@10", "mrr@10"
N_USERS, N_NEGATIVES, N_SAMPLES = 2000, 100, 20


def main():
    """Print the table."""
    rng = np.random.default_rng(0)
    y_true = np.zeros((N_USERS, N_NEGATIVES + 1))
    y_true[:, 0] = 1
    places = np.arange(1, N_NEGATIVES + 1)
    print("catalogue            measure      full  sampled  corrected    bias  spread")
    for name, (n_items, shape) in CATALOGUES.items():
        rank = 1 + np.floor(rng.beta(*shape, N_USERS) * n_items).astype(int)
        gain = 1 / np.log2(rank + 1)
        top = rank <= 10
        full = top.mean(), (gain * top).mean(), (top / rank).mean()
        found = []
        for _ in range(N_SAMPLES):
            ahead = rng.hypergeometric(rank - 1, n_items - rank, N_NEGATIVES)
            scores = np.where(places <= ahead[:, np.newaxis], 2.0, 0.0)
            scores = np.column_stack([np.ones(N_USERS), scores])
            scored = score_sampled(y_true, scores, METRICS, n_candidates=n_items)
            columns = scored.estimate, scored.standard_error, scored.sampled
            found.append([[one[metric] for one in columns] for metric in METRICS])
        found = np.array(found)  # samples, metrics, and the three numbers
        mean, spread = found.mean(axis=0), found[..., 0].std(axis=0, ddof=1)
        for i, metric in enumerate(METRICS):
            estimate, error, sampled = mean[i]
            print(
                f"{name:20} {metric:11} {full[i]:.4f}   {sampled:.4f}     "
                f"{estimate:.4f}  {estimate - full[i]:+.4f}  {spread[i]:.4f} "
                f"(reported {error:.4f})"
            )


if __name__ == "__main__":
    main()
