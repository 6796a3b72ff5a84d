"""Two rankings of five documents, and how much of three subtopics each has covered."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_irmetrics.metrics import subtopic_recall_score

names = ["island", "language", "coffee"]
y_true = np.array([[0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0]])
rankings = {"repetitive": [5, 4, 3, 2, 1], "diverse": [5, 2, 4, 3, 1]}
ranks = np.arange(1, 6)
lengths = {}
_, ax = plt.subplots()
for (name, y_score), style in zip(rankings.items(), ("--s", "-o"), strict=True):
    covered = [subtopic_recall_score(y_true, y_score, k=k) for k in ranks]
    ax.plot(ranks, covered, style, label=name)
    lengths[name] = ranks[covered.index(1)]
    order = np.argsort(y_score)[::-1]
    below = name == "repetitive"
    for rank, row, height in zip(ranks, order, covered, strict=True):
        if rank > 3:
            continue
        shown = names[y_true[row].argmax()] if y_true[row].any() else "none"
        ax.annotate(
            shown,
            (rank, height),
            xytext=(0, -16) if below else (-8, 8),
            textcoords="offset points",
            ha="center",
            fontsize="small",
        )
ax.set(
    xlabel="Rank",
    ylabel="Share of subtopics covered",
    xticks=ranks,
    xlim=(0.6, 5.4),
    ylim=(0, 1.19),
)
ax.legend(loc="lower right")
