"""Measures that an estimator logs while it trains, and may stop early by."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_classifier

from sklearn_irmetrics.boosting import catboost_metric, lightgbm_metric, xgboost_metric
from sklearn_irmetrics.boosting._catboost import one_measure


class Training(NamedTuple):
    """How an estimator is fitted to log measures.

    Attributes
    ----------
    valid : list of LearnerRows
        Validation sets that it gets itself.
    fit_params : dict
        What `fit` takes besides.
    afterwards : dict
        Parameters that it gets back after `fit`.
    """

    valid: list
    fit_params: dict[str, Any] = {}
    afterwards: dict[str, Any] = {}


def set_up(estimator, metrics, train, valid, fit_params):
    """Let an estimator log measures of its validation sets.

    Parameters
    ----------
    estimator : estimator
        Of LightGBM, XGBoost or CatBoost; its parameters are set.
    metrics : str, Measure, list or dict of them
        The measures. The first of them is the one to stop early by.
    train : LearnerRows
        Rows to fit.
    valid : list of LearnerRows
        Rows to validate on.
    fit_params : dict
        What `fit` will get besides.

    Returns
    -------
    Training

    Raises
    ------
    TypeError, ValueError
        If the library is another, it is a classifier, or rows have no query ids.
    """
    if "eval_metric" in fit_params:
        raise TypeError(
            "eval_metric cannot be passed to fit if QueryRanker has one; got "
            f"{fit_params['eval_metric']!r}."
        )
    of_library = set_up_of(estimator)
    for i, rows in enumerate(valid):
        if rows.codes is None:
            raise ValueError(
                f"eval_metric needs the query ids of eval_set[{i}]: {EVAL_QID}"
            )
    return of_library(estimator, metrics, train, valid)


def set_up_of(estimator):
    """Return what sets up an estimator of its library; refuse others."""
    by_library = {"lightgbm": _lightgbm, "xgboost": _xgboost, "catboost": _catboost}
    modules = {cls.__module__.partition(".")[0] for cls in type(estimator).__mro__}
    library = next((name for name in by_library if name in modules), None)
    if library is None or is_classifier(estimator):
        raise TypeError(
            "eval_metric needs a ranker or regressor of LightGBM, XGBoost or CatBoost "
            f"as estimator; got {type(estimator).__name__}."
        )
    return by_library[library]


EVAL_QID = "pass eval_qid=[qid], with an array of ids for each validation set."


def _lightgbm(estimator, metrics, train, valid):
    data = [(rows.y, rows.codes) for rows in valid]
    # Without "None" LightGBM also stops early by the metric of its objective.
    estimator.set_params(metric="None", first_metric_only=True)
    return Training(valid, {"eval_metric": lightgbm_metric(metrics, data=data)})


def _xgboost(estimator, metrics, train, valid):
    names = ("callbacks", "eval_metric", "early_stopping_rounds")
    given = {name: getattr(estimator, name) for name in names}
    # What XGBRanker tells a callable `eval_metric` makes no mean over queries.
    callback = xgboost_metric(metrics).callback(
        [(rows.X, rows.y) for rows in valid],
        [rows.codes for rows in valid],
        [rows.weights for rows in valid],
        early_stopping_rounds=given["early_stopping_rounds"],
        missing=estimator.missing,
        nthread=estimator.n_jobs,
        enable_categorical=estimator.enable_categorical,
        feature_types=estimator.feature_types,
    )
    estimator.set_params(
        callbacks=[callback, *(given["callbacks"] or [])],
        eval_metric=None,
        early_stopping_rounds=None,
    )
    return Training([], afterwards=given)


def _catboost(estimator, metrics, train, valid):
    if train.codes is None:
        raise ValueError(
            "eval_metric needs the query ids of X: CatBoost measures the training set "
            "too; pass qid=."
        )
    one_measure("eval_metric", metrics)
    data = [(rows.y, rows.codes) for rows in (train, *valid)]
    estimator.set_params(eval_metric=catboost_metric(metrics, data))
    return Training(valid)


def evals_result(estimator):
    """Return what a fitted estimator logged, by data set and measure."""
    logged = estimator.evals_result_
    return {name: dict(values) for name, values in logged.items()}


def refuse_undefined(estimator, metrics):
    """Refuse a model that stopped early by values none of which is a number."""
    if not hasattr(estimator, "evals_result_"):
        return
    try:
        best_iteration(estimator)
    except AttributeError:  # no early stopping
        return
    first = next(iter(metrics))
    for name, log in evals_result(estimator).items():
        if first in log and np.isnan(log[first]).all():
            raise ValueError(
                f"eval_metric {first!r} is undefined in every query of {name}, so "
                "training cannot stop early on it."
            )


def best_iteration(estimator):
    """Return how many rounds of boosting the best model has."""
    of_lightgbm = hasattr(estimator, "booster_")
    name = "best_iteration_" if hasattr(estimator, "best_iteration_") else ""
    best = getattr(estimator, name or "best_iteration")
    if best is None or (of_lightgbm and best < 1):
        raise AttributeError(
            "best_iteration_ needs validation sets and early stopping."
        )
    return int(best) + (not of_lightgbm)  # the others count from 0
