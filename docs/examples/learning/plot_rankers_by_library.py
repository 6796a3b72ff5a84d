"""
Compare learning-to-rank libraries
==================================

LightGBM, XGBoost and CatBoost on the same queries and folds, by the same measure,
beside two linear models that need no such library.
"""

# %%
# Libraries that are not installed are left out.

import importlib.util

from sklearn.linear_model import LogisticRegression, Ridge

from sklearn_irmetrics import compare, evaluate
from sklearn_irmetrics.datasets import load_digits_ranking
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.metrics import chance_level
from sklearn_irmetrics.plot import EvaluationDisplay

models = {"Ridge": Ridge(), "LogisticRegression": LogisticRegression(max_iter=300)}
if importlib.util.find_spec("lightgbm"):
    from lightgbm import LGBMRanker

    models["LGBMRanker"] = LGBMRanker(n_estimators=40, n_jobs=1, verbose=-1)
if importlib.util.find_spec("xgboost"):
    from xgboost import XGBRanker

    models["XGBRanker"] = XGBRanker(n_estimators=40, n_jobs=1)
if importlib.util.find_spec("catboost"):
    from catboost import CatBoostRanker

    models["CatBoostRanker"] = CatBoostRanker(
        iterations=40, thread_count=1, verbose=False, allow_writing_files=False
    )

# %%
# Query by example on scikit-learn's digits: find images of the same digit. ``evaluate``
# splits by query, and passes the ids to the rankers and to the measure.

X, y, qid = load_digits_ranking(
    n_queries=80, n_candidates=40, return_X_y_qid=True, random_state=0
)
results = {
    name: evaluate(
        QueryRanker(model),
        X,
        y,
        qid=qid,
        scoring={"nDCG@10": "ndcg@10"},
        random_state=0,
    )
    for name, model in models.items()
}
for name, result in results.items():
    low, high = result.confidence_interval["nDCG@10"]
    print(f"{name:20s} {result.estimate['nDCG@10']:.3f} [{low:.3f}, {high:.3f}]")
print(f"{'random order':20s} {chance_level('ndcg@10', y, qid=qid):.3f}")

# %%

display = EvaluationDisplay.from_results(results, metric="nDCG@10")

# %%
# All of them were tested on the same queries, so we can compare them query by query.

compare(results, baseline="Ridge", random_state=0)
