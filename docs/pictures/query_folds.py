"""Rows in three folds: cut anywhere, and with every query whole."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle
from sklearn.model_selection import KFold

from sklearn_irmetrics import QueryKFold

lengths = [4, 2, 5, 3, 4, 3]
qid = np.repeat(np.arange(len(lengths)), lengths)
splits = {
    "KFold": KFold(3, shuffle=True, random_state=1).split(qid),
    "QueryKFold": QueryKFold(3, shuffle=True, random_state=1).split(qid, qid=qid),
}
_, panels = plt.subplots(2, 1, sharex=True)
for ax, (name, split) in zip(panels, splits.items(), strict=True):
    for fold, (_, test) in enumerate(split):
        for row in test:
            box = Rectangle((row, 0.1), 0.9, 0.8, color=f"C{fold}")
            ax.add_patch(box)
            ax.text(row + 0.45, 0.5, fold + 1, ha="center", va="center", color="white")
    for edge in np.flatnonzero(np.diff(qid)) + 0.95:
        ax.axvline(edge, color="black", linewidth=1.5)
    ax.set(title=name, yticks=[], xlim=(-0.1, len(qid)))
    ax.tick_params(length=0)
middles = np.cumsum(lengths) - np.array(lengths) / 2
panels[1].set_xticks(middles, range(1, len(lengths) + 1))
panels[1].set_xlabel("Query")
