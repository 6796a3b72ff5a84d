"""
nDCG@10 by library
==================

The same queries, the same folds and the same measure for every library that learns to
rank, and for what needs no such library.
"""

# %%
# Libraries that are not installed are left out.

import importlib.util

import sklearn
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, cross_val_score

from sklearn_irmetrics import chance_level, get_scorer, ndcg_score
from sklearn_irmetrics.datasets import load_digits_ranking
from sklearn_irmetrics.estimators import QueryRanker

sklearn.set_config(enable_metadata_routing=True)

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
# Query by example on scikit-learn's digits: find images of the same digit.

X, y, qid = load_digits_ranking(
    n_queries=80, n_candidates=40, return_X_y_qid=True, random_state=0
)
print(f"{'':20s} nDCG@10 in five folds")
for name, model in models.items():
    scores = cross_val_score(
        QueryRanker(model),
        X,
        y,
        scoring=get_scorer("ndcg@10"),
        cv=GroupKFold(5).set_split_request(groups="qid"),
        params={"qid": qid},
        error_score="raise",
    )
    print(f"{name:20s} {scores.mean():.3f} ± {scores.std():.3f}")
print(f"{'random order':20s} {chance_level(ndcg_score, y, qid=qid, k=10):.3f}")
