"""The four counts behind the measures of sets, for the first query of the page."""

import matplotlib.pyplot as plt

from sklearn_irmetrics import contingency_table

y_true, y_pred, qid = [1, 1, 0, 0], [1, 1, 0, 1], [1, 1, 1, 1]
counts = contingency_table(y_true, y_pred, qid=qid).to_frame().iloc[0]
cells = {
    (0, 0): ("true positives, TP", counts["tp"], "C0"),
    (0, 1): ("false negatives, FN", counts["fn"], "C1"),
    (1, 0): ("false positives, FP", counts["fp"], "C1"),
    (1, 1): ("true negatives, TN", counts["tn"], "C0"),
}
_, ax = plt.subplots()
for (row, column), (name, count, color) in cells.items():
    corner = (column, 1 - row)
    ax.add_patch(plt.Rectangle(corner, 1, 1, fc=color, alpha=0.18, ec="none"))
    ax.add_patch(plt.Rectangle(corner, 1, 1, fill=False, ec="grey"))
    x, y = column + 0.5, 1.5 - row
    ax.text(x, y, f"{name}\n{count:g}", ha="center", va="center")
ax.set(
    xlim=(0, 2),
    ylim=(0, 2),
    xticks=[0.5, 1.5],
    xticklabels=["retrieved", "not retrieved"],
    yticks=[1.5, 0.5],
    yticklabels=["relevant", "not relevant"],
)
ax.xaxis.tick_top()
ax.tick_params(length=0)
ax.spines[:].set_visible(False)
precision = counts["tp"] / (counts["tp"] + counts["fp"])
recall = counts["tp"] / (counts["tp"] + counts["fn"])
ax.set_xlabel(
    f"precision = TP / (TP + FP) = {precision:.2f}\n"
    f"recall = TP / (TP + FN) = {recall:.2f}"
)
