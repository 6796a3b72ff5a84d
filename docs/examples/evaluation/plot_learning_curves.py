"""
Find out whether more queries would help
========================================

Judgments are expensive. Before you pay for more, train on fewer of those you have and
see whether the curve still rises. Training sets consist of whole queries, each set is
part of the next larger one, and the test queries stay the same.
"""

# %%
# 80 queries, a linear model and a forest.

import matplotlib.pyplot as plt
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge

from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import query_learning_curve

X, y, qid = make_ranking(n_queries=80, n_docs=20, random_state=0)
models = {
    "ridge": Ridge(),
    "forest": RandomForestRegressor(20, min_samples_leaf=5, random_state=0),
}
curves = {
    name: query_learning_curve(
        model,
        X,
        y,
        qid=qid,
        scoring="ndcg@10",
        train_sizes=[2, 4, 8, 16, 32, 64],
        random_state=0,
    )
    for name, model in models.items()
}
curves["forest"]

# %%
# The linear model has learned what it can from eight queries. The forest gains less
# and less from every doubling, and has not caught up. The bands are 95 % intervals over
# test queries.

_, ax = plt.subplots(layout="constrained")
for name, curve in curves.items():
    curve.plot(name=name, ax=ax)
ax.set_xscale("log", base=2)
_ = ax.xaxis.set_major_formatter("{x:g}")

# %%
# With ``return_train_score=True`` the display also shows the score on the training
# queries. A gap between the two curves shows overfitting.

small = query_learning_curve(
    models["forest"],
    X,
    y,
    qid=qid,
    scoring="ndcg@10",
    train_sizes=[4, 16, 64],
    return_train_score=True,
    random_state=0,
)
_ = small.plot(name="forest")
for name, curve in curves.items():
    print(name, curve.estimate["ndcg@10"].round(3))
