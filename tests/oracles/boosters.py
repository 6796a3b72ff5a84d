"""Small models of LightGBM, XGBoost and CatBoost."""

import numpy as np
import pytest

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


def predict_after(model, X, i):
    """Predict by the first rounds of a model of any library."""
    library = type(model).__module__.partition(".")[0]
    argument = {
        "lightgbm": {"num_iteration": i},
        "xgboost": {"iteration_range": (0, i)},
        "catboost": {"ntree_end": i},
    }[library]
    return model.predict(X, **argument)
