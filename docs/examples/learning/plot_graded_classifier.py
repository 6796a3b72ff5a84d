"""
Rank by expected grades of a classifier
=======================================

You can learn grades without a special library: a regressor predicts the grade, and a
classifier the probability of each grade. To rank documents by a classifier, the scorers
use the expected grade: the mean of the classes, weighted by their probabilities.
"""

# %%
# Neither model needs :class:`~sklearn_irmetrics.estimators.QueryRanker`, since only the
# scorer needs the query ids. Here metadata routing brings them; they could also come
# from a column of ``X``.

import matplotlib.pyplot as plt
import sklearn
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_validate

from sklearn_irmetrics import QueryKFold, get_scorers, ndcg_score
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.metrics import chance_level
from sklearn_irmetrics.plot import GainCurveDisplay

sklearn.set_config(enable_metadata_routing=True)

X, y, qid = make_ranking(n_queries=120, n_docs=(10, 30), random_state=0)
models = {
    "linear regression": Ridge(),
    "logistic regression": LogisticRegression(),
    "regression forest": RandomForestRegressor(50, min_samples_leaf=10, random_state=0),
    "classification forest": RandomForestClassifier(
        50, min_samples_leaf=10, random_state=0
    ),
}
for name, model in models.items():
    scores = cross_validate(
        model,
        X,
        y,
        scoring=get_scorers(["ndcg@10", "err@10"], replace_undefined_by=0.0),
        cv=QueryKFold(4),
        params={"qid": qid},
        error_score="raise",
    )
    print(
        f"{name:24s} nDCG@10 {scores['test_ndcg@10'].mean():.3f}   "
        f"ERR@10 {scores['test_err@10'].mean():.3f}"
    )
chance = chance_level(ndcg_score, y, qid=qid, k=10, replace_undefined_by=0.0)
print(f"{'random order':24s} nDCG@10 {chance:.3f}")

# %%
# To predict the expected grade, for example to write a run, wrap the classifier.

ranker = QueryRanker(LogisticRegression()).fit(X, y, qid=qid)
print(ranker.predict(X[:3]).round(2), "for the grades", y[:3])

# %%
# This is the gain that a user collects on the way down the ranking, on queries that
# were set aside.

train = qid < 80
_, ax = plt.subplots()
for name in ("linear regression", "logistic regression"):
    ranker = QueryRanker(models[name]).fit(X[train], y[train], qid=qid[train])
    GainCurveDisplay.from_estimator(
        ranker,
        X[~train],
        y[~train],
        qid=qid[~train],
        metric="dcg",
        k=20,
        name=name,
        plot_chance_level=name == "logistic regression",
        ax=ax,
    )
