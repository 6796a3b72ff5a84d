"""The ROC curve of a ranking, and its precision with the interpolated one."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_irmetrics import (
    interpolated_precision_recall_curve,
    precision_recall_at_ranks,
    roc_auc_score,
    roc_curve,
)

y_true = [1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0]
y_score = np.arange(len(y_true), 0, -1)
fpr, tpr, _ = roc_curve(y_true, y_score)
table = precision_recall_at_ranks(y_true, y_score)
best, levels = interpolated_precision_recall_curve(y_true, y_score)

_, (left, right) = plt.subplots(1, 2, figsize=(8, 3.8))
left.plot(fpr, tpr, marker="o", markersize=4)
left.fill_between(fpr, tpr, alpha=0.15)
left.plot([0, 1], [0, 1], "--", color="grey")
left.text(0.55, 0.3, f"AUC = {roc_auc_score(y_true, y_score):.2f}")
left.set(xlabel="False positive rate", ylabel="True positive rate")
right.plot(table.recall, table.precision, marker="o", markersize=4, label="each rank")
right.plot(levels, best, "--", marker="D", markersize=4, label="interpolated")
right.set(xlabel="Recall", ylabel="Precision", ylim=(0, 1.05))
right.legend(loc="lower left")
