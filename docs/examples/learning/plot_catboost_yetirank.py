"""
Train CatBoost with YetiRank
============================

``CatBoostRanker`` expects grouped rows, and validation sets in pools.
:class:`~sklearn_irmetrics.estimators.QueryRanker` makes both from query ids, with the
rows in any order, and passes on one weight per query.
"""

# %%
# Three losses on the same folds. Metadata routing brings the ids to the ranker, the
# scorer and the splitter.

import matplotlib.pyplot as plt
import numpy as np
import sklearn
from catboost import CatBoostRanker
from sklearn.model_selection import GridSearchCV

from sklearn_irmetrics import QueryKFold, get_scorer
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.estimators import QueryRanker

sklearn.set_config(enable_metadata_routing=True)

X, y, qid = make_ranking(n_queries=90, n_docs=(10, 30), shuffle=True, random_state=0)
catboost = CatBoostRanker(
    iterations=40,
    depth=4,
    learning_rate=0.15,
    random_seed=0,
    thread_count=1,
    verbose=False,
    allow_writing_files=False,
)
search = GridSearchCV(
    QueryRanker(catboost),
    {"estimator__loss_function": ["YetiRank", "QueryRMSE", "QuerySoftMax"]},
    scoring=get_scorer("ndcg@10", replace_undefined_by=0.0),
    cv=QueryKFold(3),
    error_score="raise",
).fit(X, y, qid=qid)
for params, score in zip(
    search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
):
    print(f"{params['estimator__loss_function']:14s} nDCG@10 {score:.3f}")

# %%
# Weights are passed per row, and are equal inside a query. Early stopping uses the
# queries that were set aside.

train = qid < 70
weight = 1.0 + np.bincount(qid)[qid]
ranker = search.best_estimator_.set_params(estimator__iterations=300)
ranker.fit(
    X[train],
    y[train],
    qid=qid[train],
    sample_weight=weight[train],
    eval_set=[(X[~train], y[~train])],
    eval_qid=[qid[~train]],
    early_stopping_rounds=20,
)
print(f"{ranker.estimator_.tree_count_} trees")

# %%
# The loss of these queries, as CatBoost reports it during training.

history = ranker.estimator_.get_evals_result()["validation"]
_, ax = plt.subplots()
for name, values in history.items():
    ax.plot(values, label=name)
ax.axvline(
    ranker.estimator_.get_best_iteration(), color="grey", linestyle="--", label="best"
)
ax.set(xlabel="Trees", ylabel="Loss on the queries set aside")
_ = ax.legend()
