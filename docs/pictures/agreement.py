"""Cohen's kappa of judges who always agree on 80 % of the documents."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_irmetrics.metrics import cohen_kappa_score

yes = np.arange(10, 91, 5)  # documents of 100 that each judge calls relevant
kappas = {}
for number in yes:
    both_yes, both_no = number - 10, 90 - number
    first = np.repeat([1, 1, 0, 0], [both_yes, 10, 10, both_no])
    second = np.repeat([1, 0, 1, 0], [both_yes, 10, 10, both_no])
    kappas[number] = cohen_kappa_score(first, second)

_, ax = plt.subplots()
ax.axhline(0.8, linestyle="--", color="C1", label="share of equal labels")
ax.plot(yes, list(kappas.values()), marker="o", label="Cohen's kappa")
ax.axhline(0, color="grey", linewidth=1)
ax.set(
    xlabel='Documents of 100 to which each judge says "yes"',
    ylabel="Agreement",
    ylim=(-0.2, 1.05),
    xticks=range(10, 91, 10),
)
ax.legend(loc="upper right")
