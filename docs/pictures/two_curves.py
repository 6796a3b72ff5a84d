"""The ROC curve of a ranking, and its precision with the interpolated one."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_irmetrics import roc_auc_score, roc_curve
from sklearn_irmetrics.metrics import (
    interpolated_precision_recall_curve,
    precision_recall_at_ranks,
)

y_true = [1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0]
y_score = np.arange(len(y_true), 0, -1)
fpr, tpr, _ = roc_curve(y_true, y_score, drop_intermediate=False)
table = precision_recall_at_ranks(y_true, y_score)
auc = roc_auc_score(y_true, y_score)
best, levels = interpolated_precision_recall_curve(y_true, y_score)

_, (top, bottom) = plt.subplots(2, 1, figsize=(5.6, 6.4))
top.plot(fpr, tpr, marker="o", markersize=4)
top.fill_between(fpr, tpr, alpha=0.15)
top.plot([0, 1], [0, 1], "--", color="grey")
top.text(0.55, 0.3, f"AUC = {auc:.2f}")
top.set(xlabel="False positive rate", ylabel="True positive rate")
bottom.plot(table.recall, table.precision, marker="o", markersize=4, label="each rank")
bottom.plot(levels, best, "--", marker="D", markersize=4, label="interpolated")
bottom.set(xlabel="Recall", ylabel="Precision", ylim=(0, 1.05))
bottom.legend(loc="lower left")
