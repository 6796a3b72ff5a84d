"""
Stop the training of XGBoost early
==================================

``fit`` of :class:`~sklearn_irmetrics.estimators.QueryRanker` takes validation sets with
their query ids. The nDCG that XGBoost reports during training can be reproduced by
:func:`~sklearn_irmetrics.ndcg_score` with the right arguments.
"""

# %%
# Whole queries are set aside. XGBoost watches both validation sets, and stops by the
# last one.

import matplotlib.pyplot as plt
from xgboost import XGBRanker

from sklearn_irmetrics import ndcg_score
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.estimators import QueryRanker

X, y, qid = make_ranking(n_queries=150, n_docs=(5, 40), noise=1.5, random_state=0)
train, valid = qid < 100, qid >= 100

ranker = QueryRanker(
    XGBRanker(
        n_estimators=300,
        learning_rate=0.1,
        max_depth=3,
        eval_metric="ndcg@10",
        early_stopping_rounds=20,
        n_jobs=1,
    )
)
ranker.fit(
    X[train],
    y[train],
    qid=qid[train],
    eval_set=[(X[train], y[train]), (X[valid], y[valid])],
    eval_qid=[qid[train], qid[valid]],
    verbose=False,
)
fitted = ranker.estimator_
print(f"stopped after {fitted.best_iteration + 1} trees, {fitted.best_score:.6f}")

# %%
# XGBoost uses exponential gains, takes tied documents in the order of their rows, and
# counts queries without relevant documents as 1.

again = ndcg_score(
    y[valid],
    ranker.predict(X[valid]),
    qid=qid[valid],
    k=10,
    gain="exponential",
    ties="stable",
    replace_undefined_by=1.0,
)
print(f"the same by ndcg_score  {again:.6f}")

# %%
# By default, ``ndcg_score`` uses linear gains, averages over ties, and leaves out
# queries without relevant documents.

score = ranker.predict(X[valid])
print(f"nDCG@10 by default  {ndcg_score(y[valid], score, k=10, qid=qid[valid]):.6f}")

# %%

history = fitted.evals_result()
_, ax = plt.subplots()
ax.plot(history["validation_0"]["ndcg@10"], label="training queries")
ax.plot(history["validation_1"]["ndcg@10"], label="validation queries")
ax.axvline(fitted.best_iteration, color="grey", linestyle="--", label="best")
ax.set(xlabel="Trees", ylabel="nDCG@10 as XGBoost reports it")
_ = ax.legend()
