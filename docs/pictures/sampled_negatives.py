"""Hit rates among all candidates, among sampled negatives, and corrected."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_irmetrics.reports import score_sampled

n_items, n_users, n_negatives = 3000, 2000, 100
rng = np.random.default_rng(0)
ranks = 1 + (rng.beta(0.478, 1.418, size=n_users) * n_items).astype(int)
ahead = rng.hypergeometric(ranks - 1, n_items - ranks, n_negatives)[:, np.newaxis]
negatives = 2.0 * (np.arange(n_negatives) < ahead)
scores = np.column_stack([np.ones(n_users), negatives])
relevant = np.arange(n_negatives + 1) == np.zeros((n_users, 1))

cutoffs = [1, 2, 5, 10, 20, 50]
result = score_sampled(
    relevant, scores, [f"hit_rate@{k}" for k in cutoffs], n_candidates=n_items
)
rates = {
    "among 101 sampled items": [*result.sampled.values()],
    "among all 3,000 items": [np.mean(ranks <= k) for k in cutoffs],
    "estimated by score_sampled": [*result.estimate.values()],
}
_, ax = plt.subplots()
for (name, values), style in zip(rates.items(), ("-o", "-s", "--^"), strict=True):
    ax.plot(cutoffs, values, style, label=name)
ax.set(
    xscale="log",
    xlabel="Cutoff k",
    ylabel="Hit rate at k",
    ylim=(0, 0.9),
    xticks=cutoffs,
)
ax.xaxis.set_major_formatter("{x:g}")
ax.minorticks_off()
ax.legend()
