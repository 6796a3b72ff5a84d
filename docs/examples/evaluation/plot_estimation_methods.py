"""
Estimate in eight ways how good a model is
==========================================

How good is a model on queries that it has not seen? This example compares eight methods
on a data set so small that they disagree. A thousand other queries give the true value.
"""

# %%
# We work with 40 queries. 1,000 others stand for all future queries.

import matplotlib.pyplot as plt
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

from sklearn_irmetrics import evaluate, ndcg_score
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import StratifiedQueryKFold
from sklearn_irmetrics.plot import EvaluationDisplay

X, y, qid = make_ranking(n_queries=1040, n_docs=20, random_state=0)
mine = qid < 40
X_world, y_world, qid_world = X[~mine], y[~mine], qid[~mine]
X, y, qid = X[mine], y[mine], qid[mine]

# %%
# The model is a tree that memorises its training data. Every method keeps the rows of a
# query on one side of the split.

model = DecisionTreeRegressor(random_state=0)
by_relevant = StratifiedQueryKFold(stratify="n_relevant", shuffle=True)
methods = {
    "holdout": {"method": "holdout"},
    "subsampling": {"method": "subsampling"},
    "kfold": {"method": "kfold"},
    "stratified": {"method": by_relevant},
    "loocv": {"method": "loocv"},
    "bootstrap": {"method": "bootstrap", "n_splits": 50},
    "bootstrap632": {"method": "bootstrap632", "n_splits": 50},
    "bootstrap632+": {"method": "bootstrap632+", "n_splits": 50},
}
results = {}
for name, options in methods.items():
    results[name] = evaluate(
        model,
        X,
        y,
        qid=qid,
        scoring={"nDCG@10": "ndcg@10"},
        random_state=0,
        **options,
    )

score = model.fit(X, y).predict(X_world)
truth = ndcg_score(y_world, score, qid=qid_world, k=10)
memory = ndcg_score(y, model.predict(X), qid=qid, k=10)
print(f"on its training queries {memory:.3f}, on 1,000 others {truth:.3f}")

# %%
# On its training data, the tree looks perfect. The .632 bootstrap gives part of the
# weight to that score; .632+ gives it less, since it notices how much the tree
# overfits. The holdout has the widest interval, because it tests only 14 queries.

display = EvaluationDisplay.from_results(results, metric="nDCG@10")
display.ax_.axvline(truth, color="black", linewidth=1, label="1,000 other queries")
_ = display.ax_.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)

# %%
# A single data set proves nothing, so let us repeat this with 20 others, and count the
# intervals that contain the true value of the model trained on each. A tree needs many
# queries. The bootstrap trains it on 63 % of them, and finds it worse than it is. .632+
# corrects for that with the score on the training data, and rates some trees too high.

chosen = {"kfold": {}, "bootstrap": {"n_splits": 20}, "bootstrap632+": {"n_splits": 20}}
_, axes = plt.subplots(3, 1, sharex=True, figsize=(5.6, 6), layout="constrained")
small = DecisionTreeRegressor(min_samples_leaf=5, random_state=0)
for ax, (method, options) in zip(axes, chosen.items(), strict=True):
    n_held = 0
    for draw in range(20):
        X_own, y_own, qid_own = make_ranking(
            n_queries=240, n_docs=20, random_state=draw
        )
        own = qid_own < 40
        result = evaluate(
            small,
            X_own[own],
            y_own[own],
            qid=qid_own[own],
            scoring="ndcg@10",
            method=method,
            random_state=draw,
            **options,
        )
        small.fit(X_own[own], y_own[own])
        others = small.predict(X_own[~own])
        true = ndcg_score(y_own[~own], others, qid=qid_own[~own], k=10)
        low, high = result.confidence_interval["ndcg@10"]
        held = low <= true <= high
        n_held += held
        ax.plot([draw, draw], [low, high], color="C0" if held else "C1")
        ax.plot(draw, true, "k.", markersize=4)
    ax.set_ylabel("nDCG@10")
    ax.set_title(f"{method}: {n_held} of 20 intervals contain the truth (dots)")
_ = axes[-1].set(xlabel="Data set", xticks=range(0, 20, 5))

# %%
# In a notebook, a result appears as a table. Its attributes hold all the details.

results["bootstrap632+"]

# %%

for method, result in results.items():
    n_splits = len(result.split_scores["nDCG@10"])
    low, high = result.confidence_interval["nDCG@10"]
    print(
        f"{method:14s} {n_splits:3d} fits, {result.estimate['nDCG@10']:.3f} "
        f"[{low:.3f}, {high:.3f}]"
    )

# %%
# Methods with many splits also show how much the score depends on the training data.
# The scores of a forest vary less than those of a tree.

forest = RandomForestRegressor(10, random_state=0)
forest_result = evaluate(
    forest,
    X,
    y,
    qid=qid,
    scoring={"nDCG@10": "ndcg@10"},
    method="bootstrap",
    n_splits=50,
    random_state=0,
)
_, ax = plt.subplots()
for name, result in {"tree": results["bootstrap"], "forest": forest_result}.items():
    ax.hist(result.split_scores["nDCG@10"], bins=12, alpha=0.5, label=name)
ax.set(xlabel="nDCG@10 of a replicate", ylabel="Replicates")
_ = ax.legend()
