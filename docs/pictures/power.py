"""The power of an experiment by its number of queries, for three effects."""

import matplotlib.pyplot as plt

from sklearn_irmetrics.comparison import plan_queries

needed = {}
_, ax = plt.subplots()
for effect, style in ((0.05, "-"), (0.03, "--"), (0.02, "-.")):
    plan = plan_queries(effect=effect, std=0.1)
    needed[effect] = plan.n_queries
    table = plan.to_frame()
    label = f"effect {effect}"
    ax.plot(table["n_queries"], table["power"], style, marker="o", label=label)
ax.axhline(0.8, color="grey", linewidth=1)
ax.set(
    xscale="log",
    xlabel="Queries",
    ylabel="Power",
    ylim=(0, 1.05),
    xticks=[10, 20, 50, 100, 200, 500, 1000],
)
ax.xaxis.set_major_formatter("{x:g}")
ax.minorticks_off()
ax.legend(title="standard deviation 0.1")
