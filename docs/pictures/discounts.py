"""What a document at each rank weighs, by measure."""

import matplotlib.pyplot as plt
import numpy as np

ranks = np.arange(1, 21)
weights = {
    "DCG, log": 1 / np.log2(ranks + 1),
    "DCG, Järvelin & Kekäläinen": 1 / np.maximum(1, np.log2(ranks)),
    "reciprocal": 1 / ranks,
    "RBP, persistence 0.8": 0.8 ** (ranks - 1),
    "precision at 10": (ranks <= 10) * 1.0,
}
_, ax = plt.subplots()
for (name, values), marker in zip(weights.items(), "osD^v", strict=True):
    ax.plot(ranks, values, marker=marker, markersize=4, label=name)
ax.set(
    xlabel="Rank",
    ylabel="Weight, first rank = 1",
    xticks=[1, 5, 10, 15, 20],
    ylim=(0, 1.05),
)
ax.legend()
