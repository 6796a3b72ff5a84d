"""
Multilabel classification as ranking
====================================

For each sample a multilabel classifier ranks the labels, and those that apply should
come first. Each row of the arrays is a query; no query ids are needed.
"""

# %%
# Which of ten topics does a document have? Most have one to three, some have none.

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
# Some classifiers return an array of probabilities, others a list with one array per
# label.


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
# A row without labels has nothing to find. Here it is left out, with a warning, unless
# told otherwise: ``replace_undefined_by=0.0`` counts it as 0, while scikit-learn's
# function counts it as 1.

print(f"{(Y_test.sum(axis=1) == 0).sum()} of {len(Y_test)} rows have no label")
score = scores["chain"]
for value in (0.0, 1.0):
    ap = average_precision_score(Y_test, score, replace_undefined_by=value)
    print(f"such rows as {value:.0f}: {ap:.4f}")
lrap = label_ranking_average_precision_score(Y_test, score)
print(f"scikit-learn's LRAP: {lrap:.4f}")

# %%
# Rows that have labels, by several measures.

with_labels = Y_test.any(axis=1)
for name, score in scores.items():
    measures = ["p@1", "recall@3", "map", "ndcg"]
    found = score_queries(Y_test[with_labels], score[with_labels], measures).mean
    print(f"{name:12s} " + "  ".join(f"{m} {v:.3f}" for m, v in found.items()))

# %%
# How many labels to show? Recall against the cutoff, with a band for its interval and
# the level of chance.

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
