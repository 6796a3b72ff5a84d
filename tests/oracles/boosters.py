"""Small models of LightGBM, XGBoost and CatBoost."""

import numpy as np
import pytest
from sklearn.base import clone

LIBRARIES = ["lightgbm", "xgboost", "catboost"]
ROUNDS = 8


def sizes_of(qid):
    return np.unique(qid, return_counts=True)[1]


def make_model(library, n_estimators=ROUNDS, kind="Ranker", **params):
    module = pytest.importorskip(library)
    if library == "lightgbm":
        name = f"LGBM{kind}"
        params = {"n_jobs": 1, "verbose": -1, "min_child_samples": 5, **params}
    elif library == "xgboost":
        name, params = f"XGB{kind}", {"n_jobs": 1, "max_depth": 3, **params}
    else:
        name = f"CatBoost{kind}"
        quiet = {"verbose": 0, "allow_writing_files": False, "thread_count": 1}
        params = {**quiet, "depth": 3, "random_seed": 0, **params}
    return getattr(module, name)(n_estimators=n_estimators, learning_rate=0.2, **params)


def fit_by_hand(model, X, y, qid, query_weight=None, valid=None):
    """Fit a copy in the library's own way; rows of a query stand together."""
    library = type(model).__module__.partition(".")[0]
    _, first, code = np.unique(qid, return_index=True, return_inverse=True)
    code = np.argsort(np.argsort(first))[code]
    arguments = {
        "lightgbm": {"group": np.bincount(code)},
        "xgboost": {"qid": code, "verbose": False},
        "catboost": {"group_id": code},
    }.get(library, {})
    if query_weight is not None:
        by_row = np.asarray(query_weight)[code]
        arguments |= {
            "lightgbm": {"sample_weight": by_row},
            "xgboost": {"sample_weight": query_weight},
            "catboost": {"group_weight": by_row},
        }[library]
    if valid is not None:
        A, b, q = valid
        arguments["eval_set"] = [(A, b)]
        if library == "catboost":
            arguments["eval_set"] = pytest.importorskip(library).Pool(A, b, group_id=q)
        elif library == "xgboost":
            arguments["eval_qid"] = [q]
        else:
            arguments["eval_group"] = [sizes_of(q)]
    return clone(model).fit(X, y, **arguments)


def predict_after(model, X, i):
    """Predict by the first rounds of a model of any library."""
    library = type(model).__module__.partition(".")[0]
    argument = {
        "lightgbm": {"num_iteration": i},
        "xgboost": {"iteration_range": (0, i)},
        "catboost": {"ntree_end": i},
    }[library]
    return model.predict(X, **argument)
