"""Average precision in every order of tied documents, and its mean."""

from itertools import permutations

import matplotlib.pyplot as plt
import numpy as np

from sklearn_irmetrics import average_precision_score

grades = [0, 0, 0, 1, 1]
values = [
    average_precision_score(order, [5, 4, 3, 2, 1]) for order in permutations(grades)
]
mean = average_precision_score(grades, [0] * 5)
shown, counts = np.unique(np.round(values, 9), return_counts=True)

_, ax = plt.subplots()
ax.bar(shown, counts / len(values), width=0.012)
ax.axvline(mean, color="C1", linestyle="--", label=f"exact mean: {mean:.4f}")
ax.set(
    xlabel="Average precision of one order",
    ylabel="Share of the 120 orders",
    xlim=(0, 1.05),
    ylim=(0, 0.13),
)
ax.legend(loc="upper right")
