"""Five documents: their grades, the discounts of their ranks, and the ideal order."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_irmetrics import dcg_score

grades = {"A": 2, "B": 0, "C": 3, "D": 1, "E": 0}  # as a system ranked them
ideal = dict(sorted(grades.items(), key=lambda pair: -pair[1]))
ranks = np.arange(1, 6)
discounts = 1 / np.log2(ranks + 1)

figure, panels = plt.subplots(1, 2, sharey=True, figsize=(8, 3.4))
for ax, title, order in zip(
    panels, ("The ranking", "The ideal ranking"), (grades, ideal), strict=True
):
    gains = np.array([*order.values()])
    ax.bar(ranks, gains, color="#D9E7F2", label="grade")
    bars = ax.bar(ranks, gains * discounts, color="C0", label="grade × discount")
    ax.bar_label(bars, fmt="%.2f", padding=2)
    names = [f"{rank}\n{name}" for rank, name in zip(ranks, order, strict=True)]
    ax.set_xticks(ranks, names)
    dcg = dcg_score(gains, -ranks)
    ax.set(title=f"{title}: DCG = {dcg:.2f}", xlabel="Rank and document")
panels[0].set(ylabel="Gain", ylim=(0, 3.4), yticks=range(4))
panels[1].legend()
