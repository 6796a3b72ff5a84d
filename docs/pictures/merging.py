"""Rankings in parts: each part gives sums, and merged sums give the mean of all."""

import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch

from sklearn_irmetrics.streaming import StreamingEvaluator

parts = {
    "Monday": (([1, 0, 0, 2], [0.9, 0.1, 0.2, 0.7]), ["tea", "tea", "rain", "rain"]),
    "Tuesday": (([0, 1, 0], [0.9, 0.4, 0.1]), ["snow", "snow", "snow"]),
}
_, ax = plt.subplots()


def box(x, y, text, color):
    """Draw a box with a text at its centre."""
    shape = FancyBboxPatch(
        (x - 1.1, y - 0.4), 2.2, 0.8, boxstyle="round,pad=0.15", color=color, alpha=0.18
    )
    ax.add_patch(shape)
    ax.text(x, y, text, ha="center", va="center", fontsize="small")


def arrow(start, end):
    """Draw an arrow between two boxes."""
    ax.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": "grey"})


evaluators, sums = [], {}
for (name, (rows, qid)), y in zip(parts.items(), (3, 1), strict=True):
    evaluator = StreamingEvaluator("mrr")
    evaluator.update(*rows, qid=qid)
    result = evaluator.compute()
    mean, n_queries = result.mean["mrr"], result.n_defined["mrr"]
    sums[name] = f"{mean * n_queries:g}"
    queries = ", ".join(dict.fromkeys(qid))
    box(0, y, f"{name}\nqueries: {queries}", "C0")
    box(3.4, y, f"sum of mrr: {sums[name]}\nqueries: {n_queries}", "C1")
    arrow((1.25, y), (2.15, y))
    arrow((4.65, y), (5.55, 2 + (y - 2) * 0.2))
    evaluators.append(evaluator)
first, second = evaluators
first.merge(second)
merged = first.compute()
mean, n_queries = merged.mean["mrr"], merged.n_defined["mrr"]
total = f"{mean * n_queries:g} / {n_queries} = {mean:.4f}"
box(6.8, 2, f"mean of all queries\n{total}", "C2")
for x, text in ((0, "parts"), (3.4, "states"), (6.8, "result")):
    ax.text(x, 3.8, text, ha="center", fontweight="bold")
ax.set(xlim=(-1.4, 8.2), ylim=(0.1, 4.1))
ax.set_axis_off()
