"""Five documents: their grades, the discounts of their ranks, and the ideal order."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_irmetrics import dcg_score

grades = {"A": 2, "B": 0, "C": 3, "D": 1, "E": 0}  # as a system ranked them
ideal = dict(sorted(grades.items(), key=lambda pair: -pair[1]))
ranks = np.arange(1, 6)
discounts = 1 / np.log2(ranks + 1)
discounted, totals = [], []

figure, panels = plt.subplots(2, 1, sharey=True, figsize=(5.6, 5.6))
for ax, title, order in zip(
    panels, ("The ranking", "The ideal ranking"), (grades, ideal), strict=True
):
    gains = np.array([*order.values()])
    ax.bar(ranks, gains, color="#D9E7F2", label="grade")
    discounted.append(gains * discounts)
    bars = ax.bar(ranks, discounted[-1], color="C0", label="grade × discount")
    ax.bar_label(bars, fmt="%.2f", padding=2)
    names = [f"{rank}\n{name}" for rank, name in zip(ranks, order, strict=True)]
    ax.set_xticks(ranks, names)
    totals.append(dcg_score(gains, -ranks))
    ax.set(title=f"{title}: DCG = {totals[-1]:.2f}", ylabel="Gain")
panels[0].set(ylim=(0, 3.4), yticks=range(4))
panels[1].set_xlabel("Rank and document")
panels[1].legend()
