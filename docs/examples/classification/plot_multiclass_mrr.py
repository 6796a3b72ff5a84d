"""
Judge a multiclass classifier by reciprocal rank
================================================

Accuracy only checks whether the first guess is right. If users see several guesses,
measure how far down they have to look: the reciprocal rank of the right class.
"""

# %%
# Each sample is a query that ranks the classes, and its own class is the relevant one.
# ``y`` holds class labels, and the predictions have one column per class. ``qid=None``
# tells the scorer that there are no query ids.

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, label_binarize

from sklearn_irmetrics import get_scorers, reciprocal_rank_score
from sklearn_irmetrics.plot import CutoffDisplay

X, y = load_digits(return_X_y=True)
X = X[:, :20]  # the upper part of each image, which leaves room for doubt
models = {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "3 neighbours": KNeighborsClassifier(3),
    "naive Bayes": GaussianNB(),
}
scoring = {"accuracy": "accuracy"}
scoring |= get_scorers(["mrr", "success@1", "success@3"], qid=None)
for name, model in models.items():
    scores = cross_validate(model, X, y, scoring=scoring, error_score="raise")
    means = "  ".join(f"{m} {scores[f'test_{m}'].mean():.3f}" for m in scoring)
    print(f"{name:20s} {means}")

# %%
# ``success@1`` is the accuracy, except for ties. Three neighbours give most classes the
# same probability, 0. They do well by accuracy and ``success@1``, but further down they
# can only guess. Outside scorers, ``label_binarize`` marks the class of each sample.

of_class = label_binarize(y, classes=range(10))
_, ax = plt.subplots()
for name, model in models.items():
    proba = cross_val_predict(model, X, y, method="predict_proba")
    mrr = reciprocal_rank_score(of_class, proba)
    print(f"{name:20s} MRR of all predictions {mrr:.3f}")
    CutoffDisplay.from_predictions(
        of_class, proba, metric="success", name=name, ax=ax, plot_chance_level=False
    )
