"""
Judge a binary classifier as a ranker
=====================================

The probabilities of a classifier that separates relevant documents from others also
rank them. Accuracy and F1 tell you little about how good that ranking is.
"""

# %%
# Query by example on scikit-learn's digits: each query is an image, and images of the
# same digit are relevant. Only about one image in ten is relevant, so a
# model that predicts no relevant image has an accuracy of 90 %.

import matplotlib.pyplot as plt
import sklearn
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_irmetrics import QueryKFold, get_scorers
from sklearn_irmetrics.datasets import load_digits_ranking
from sklearn_irmetrics.plot import InterpolatedPrecisionRecallDisplay

sklearn.set_config(enable_metadata_routing=True)

X, y, qid = load_digits_ranking(
    n_queries=100, n_candidates=40, return_X_y_qid=True, random_state=0
)
models = {
    "always no": DummyClassifier(),
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "random forest": RandomForestClassifier(50, random_state=0),
}

# %%
# The scorers request the query ids themselves and rank by probabilities. Scorers whose
# names begin with ``set_`` use the classes that ``predict`` returns. The first model
# has an F1 of 0 but ranks as well as chance: all its scores are tied, and a measure of
# tied scores is its mean over all their orders.

measures = ["set_accuracy", "set_f1", "map", "mrr", "p@5"]
for name, model in models.items():
    scores = cross_validate(
        model,
        X,
        y,
        scoring=get_scorers(measures),
        cv=QueryKFold(5),
        params={"qid": qid},
        error_score="raise",
    )
    means = "  ".join(f"{m} {scores[f'test_{m}'].mean():.3f}" for m in measures)
    print(f"{name:20s} {means}")

# %%
# Precision against recall, averaged over queries that no model has seen.

train = qid < 70
_, ax = plt.subplots()
for name, model in models.items():
    model.fit(X[train], y[train])
    InterpolatedPrecisionRecallDisplay.from_estimator(
        model,
        X[~train],
        y[~train],
        qid=qid[~train],
        name=name,
        ax=ax,
        plot_chance_level=False,
    )
