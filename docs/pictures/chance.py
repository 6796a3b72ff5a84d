"""The level of chance by the number of relevant documents among twenty."""

import matplotlib.pyplot as plt

from sklearn_irmetrics.metrics import chance_level

relevant = range(1, 20)
names = {"ndcg@10": "nDCG@10", "ap": "AP", "p@10": "P@10", "mrr": "RR"}
levels = {}
_, ax = plt.subplots()
for (measure, label), marker in zip(names.items(), "osD^", strict=True):
    levels[label] = [chance_level(measure, [1] * n + [0] * (20 - n)) for n in relevant]
    ax.plot(relevant, levels[label], marker=marker, markersize=4, label=label)
ax.set(
    xlabel="Relevant documents among 20",
    ylabel="Score of a random order",
    ylim=(0, 1.05),
    xticks=range(1, 20, 3),
)
ax.legend()
