"""
Judge multilabel classifiers as rankers
=======================================

A multilabel classifier ranks the labels of each sample, and the right ones should come
first. Each row of the arrays is a query, so no query ids are needed.
"""

# %%
# Which of ten topics does a document cover? Most cover one to three, and some none.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import label_ranking_average_precision_score
from sklearn.model_selection import train_test_split
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier

from sklearn_irmetrics import average_precision_score, score_queries
from sklearn_irmetrics.plot import CutoffDisplay

X, Y = make_multilabel_classification(
    600, n_features=30, n_classes=10, n_labels=2, random_state=0
)
X_train, X_test, Y_train, Y_test = train_test_split(X, Y, random_state=0)
models = {
    "independent": MultiOutputClassifier(LogisticRegression()),
    "chain": ClassifierChain(LogisticRegression(), random_state=0),
    "forest": RandomForestClassifier(50, random_state=0),
}

# %%
# Some classifiers return one array of probabilities, others a list of arrays, one for
# each label.


def label_scores(model, X):
    """Return the probability of each label, one column each."""
    proba = model.predict_proba(X)
    if isinstance(proba, list):
        proba = np.column_stack([of_label[:, 1] for of_label in proba])
    return proba


scores = {}
for name, model in models.items():
    scores[name] = label_scores(model.fit(X_train, Y_train), X_test)

# %%
# Average precision is undefined for a row without labels. By default, such rows are
# left out with a warning. ``replace_undefined_by=0.0`` counts them as 0; scikit-learn's
# function counts them as 1.

print(f"{(Y_test.sum(axis=1) == 0).sum()} of {len(Y_test)} rows have no label")
score = scores["chain"]
for value in (0.0, 1.0):
    ap = average_precision_score(Y_test, score, replace_undefined_by=value)
    print(f"such rows as {value:.0f}: {ap:.4f}")
lrap = label_ranking_average_precision_score(Y_test, score)
print(f"scikit-learn's LRAP: {lrap:.4f}")

# %%
# Several measures of the rows that have labels.

with_labels = Y_test.any(axis=1)
for name, score in scores.items():
    measures = ["p@1", "recall@3", "map", "ndcg"]
    means = score_queries(Y_test[with_labels], score[with_labels], measures).mean
    print(f"{name:12s} " + "  ".join(f"{m} {v:.3f}" for m, v in means.items()))

# %%
# How many labels should be shown? This is the recall at each cutoff, with its interval
# and the level of chance.

_, ax = plt.subplots()
for name, score in scores.items():
    CutoffDisplay.from_predictions(
        Y_test[with_labels],
        score[with_labels],
        metric="recall",
        name=name,
        ax=ax,
        plot_chance_level=name == "forest",
    )
