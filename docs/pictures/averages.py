"""Two systems with the same mean reciprocal rank and different queries."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_irmetrics import reciprocal_rank_score

y_score = [[4, 3, 2, 1]] * 4
systems = {
    "steady": [[0, 1, 0, 0]] * 4,
    "moody": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, 1]],
}
queries = np.arange(1, 5)
values, means = {}, {}
_, panels = plt.subplots(2, 1, sharex=True, figsize=(5.6, 4.6))
for ax, (name, y_true) in zip(panels, systems.items(), strict=True):
    values[name] = reciprocal_rank_score(y_true, y_score, average=None)
    ax.bar(queries, values[name])
    for average, color, style in (("macro", "C1", "-"), ("geometric", "C2", "--")):
        mean = reciprocal_rank_score(y_true, y_score, average=average)
        means[name, average] = mean
        label = {"macro": "mean", "geometric": "geometric mean"}[average]
        ax.axhline(mean, color=color, linestyle=style, label=f"{label} {mean:.2f}")
    ax.set(title=name, ylabel="Reciprocal rank", xticks=queries, ylim=(0, 1.05))
    ax.legend(loc="upper right")
panels[1].set_xlabel("Query")
