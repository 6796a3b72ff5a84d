"""Pass queries, weights and validation sets to the `fit` of each library."""

from copy import deepcopy
from dataclasses import replace
from inspect import signature

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline

from sklearn_irmetrics.estimators.boosting import (
    catboost_metric,
    lightgbm_metric,
    xgboost_metric,
)
from sklearn_irmetrics.estimators.boosting._metrics import one_measure


def clone_estimator(estimator, *, safe=True):
    """Return a copy, even of CatBoost models with lists, which `clone` refuses."""
    try:
        return clone(estimator, safe=safe)
    except RuntimeError:
        return deepcopy(estimator)


def last_step(estimator):
    """Return the last step of a pipeline, or the estimator itself."""
    while isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    return estimator


def is_ranker(estimator):
    """Whether `fit` of the estimator needs queries."""
    return _arguments_for(last_step(estimator)) is not _pointwise


def fit(estimator, train, valid, fit_params, metrics=None):
    """Fit a pipeline step by step, so validation rows also pass through it."""
    if not isinstance(estimator, Pipeline):
        return _fit_last(estimator, train, valid, fit_params, metrics)
    if samplers := [
        step for _, step in estimator.steps if hasattr(step, "fit_resample")
    ]:
        if is_ranker(estimator) or valid or fit_params or train.weights is not None:
            raise ValueError(
                "estimator must not resample rows where query ids, sample_weight, "
                "validation sets or fit parameters belong to them; got a pipeline with "
                f"{type(samplers[0]).__name__}. Use cv=ResampledSplit(...) instead."
            )
        return estimator.fit(train.X, train.y)
    head, (name, last) = estimator[:-1], estimator.steps[-1]
    if len(head):
        train = replace(train, X=head.fit_transform(train.X, train.y))
        valid = [replace(rows, X=head.transform(rows.X)) for rows in valid]
    last = fit(last, train, valid, fit_params, metrics)
    estimator.steps = [*head.steps, (name, last)]
    return estimator


def _fit_last(estimator, train, valid, fit_params, metrics):
    made, afterwards = {"group": None, "eval_group": None}, {}
    if metrics is not None:
        log = set_up_of(estimator)
        valid, of_metric, afterwards = log(estimator, metrics, train, valid)
        made |= {"eval_metric": None, **of_metric}
    made |= _arguments_for(estimator)(estimator, train, valid, fit_params)
    if taken_over := made.keys() & fit_params.keys():
        raise TypeError(
            f"{', '.join(sorted(taken_over))} cannot be passed to fit: QueryRanker "
            "makes it from qid, sample_weight, eval_set, eval_qid, eval_sample_weight "
            "and its eval_metric. Convert group sizes to ids by "
            "qid=np.repeat(np.arange(len(sizes)), sizes)."
        )
    made = {name: value for name, value in made.items() if value is not None}
    fitted = estimator.fit(train.X, train.y, **made, **fit_params)
    if metrics is not None:
        refuse_undefined(fitted, metrics)
    return fitted.set_params(**afterwards) if afterwards else fitted


def _arguments_for(estimator):
    """Return the function that makes the `fit` arguments for queries and weights."""
    names = _fit_names(estimator)
    by_argument = {"group_id": _catboost, "qid": _xgboost, "group": _lightgbm}
    return next((by_argument[n] for n in by_argument if n in names), _pointwise)


def _fit_names(estimator):
    if not hasattr(estimator, "fit"):
        raise TypeError(f"estimator must have fit and predict; got {estimator!r}.")
    return signature(estimator.fit).parameters


def _pointwise(estimator, train, valid, fit_params):
    names, weights = _fit_names(estimator), _each(valid, "weights")
    if weights is not None and "cat_features" in names:  # CatBoost: in pools alone
        rows = [replace(rows, codes=None) for rows in valid]
        sets = {"eval_set": _catboost_pools(estimator, rows, fit_params, "weight")}
    else:
        of_xgboost = "sample_weight_eval_set" in names
        name = "sample_weight_eval_set" if of_xgboost else "eval_sample_weight"
        sets = {name: weights, **_eval_sets(estimator, valid)}
    return {"sample_weight": train.weights, **sets}


def _lightgbm(estimator, train, valid, fit_params):
    return {
        "sample_weight": train.weights,
        "group": train.sizes,
        "eval_group": _each(valid, "sizes"),
        "eval_sample_weight": _each(valid, "weights"),
        **_eval_sets(estimator, valid),
    }


def _xgboost(estimator, train, valid, fit_params):
    return {
        "sample_weight": train.query_weights,
        "qid": train.codes,
        "eval_qid": _each(valid, "codes"),
        "sample_weight_eval_set": _each(valid, "query_weights"),
        **_eval_sets(estimator, valid),
    }


def _catboost(estimator, train, valid, fit_params):
    return {
        "group_weight": train.weights,
        "group_id": train.codes,
        "eval_set": _catboost_pools(estimator, valid, fit_params) if valid else None,
    }


def _catboost_pools(estimator, valid, fit_params, weight="group_weight"):
    from catboost import Pool

    params = {**estimator.get_params(), **fit_params}
    kinds = ("cat_features", "text_features", "embedding_features")
    columns = {kind: params.get(kind) for kind in kinds}
    return [
        Pool(rows.X, rows.y, group_id=rows.codes, **{weight: rows.weights}, **columns)
        for rows in valid
    ]


def _each(valid, name):
    values = [getattr(rows, name) for rows in valid]
    return None if all(value is None for value in values) else values


def _eval_sets(estimator, valid):
    if "eval_X" in _fit_names(estimator):  # LightGBM >= 4.7 deprecates eval_set
        return {
            "eval_X": tuple(rows.X for rows in valid) or None,
            "eval_y": tuple(rows.y for rows in valid) or None,
        }
    return {"eval_set": [(rows.X, rows.y) for rows in valid] or None}


def set_up_of(estimator):
    """Return a function that makes an estimator log measures; refuse other libraries.

    It takes the estimator, the measures (the first is for early stopping), rows to fit,
    and a list of rows to validate on. It returns the validation rows that `fit` gets,
    further arguments of `fit`, and parameters to restore afterwards.
    """
    by_library = {
        "lightgbm": _log_lightgbm,
        "xgboost": _log_xgboost,
        "catboost": _log_catboost,
    }
    library = next(iter(_modules(estimator) & by_library.keys()), None)
    if library is None or is_classifier(estimator):
        raise TypeError(
            "eval_metric needs a ranker or regressor of LightGBM, XGBoost or CatBoost "
            f"as estimator; got {type(estimator).__name__}."
        )
    return by_library[library]


def numbers_classes(estimator):
    """Whether classes must be numbered from 0 without gaps, as XGBoost's are."""
    last = last_step(estimator)
    return "xgboost" in _modules(last) and is_classifier(last)


def check_validates(estimator):
    """Refuse an estimator whose `fit` takes no validation sets."""
    last = last_step(estimator)
    if not {"eval_set", "eval_X"} & _fit_names(last).keys():
        raise TypeError(
            "validation_fraction needs an estimator whose fit takes eval_set; got "
            f"{type(last).__name__}."
        )


def _modules(estimator):
    return {cls.__module__.partition(".")[0] for cls in type(estimator).__mro__}


def _log_lightgbm(estimator, metrics, train, valid):
    data = [(rows.y, rows.codes) for rows in valid]
    # Without "None" LightGBM also stops early by the metric of its objective.
    estimator.set_params(metric="None", first_metric_only=True)
    return valid, {"eval_metric": lightgbm_metric(metrics, data=data)}, {}


def _log_xgboost(estimator, metrics, train, valid):
    names = ("callbacks", "eval_metric", "early_stopping_rounds")
    former = {name: getattr(estimator, name) for name in names}
    # What XGBRanker tells a callable `eval_metric` makes no mean over queries.
    callback = xgboost_metric(metrics).callback(
        [(rows.X, rows.y) for rows in valid],
        [rows.codes for rows in valid],
        [rows.weights for rows in valid],
        early_stopping_rounds=former["early_stopping_rounds"],
        missing=estimator.missing,
        nthread=estimator.n_jobs,
        enable_categorical=estimator.enable_categorical,
        feature_types=estimator.feature_types,
    )
    estimator.set_params(
        callbacks=[callback, *(former["callbacks"] or [])],
        eval_metric=None,
        early_stopping_rounds=None,
    )
    return [], {}, former


def _log_catboost(estimator, metrics, train, valid):
    if train.codes is None:
        raise ValueError(
            "eval_metric needs the query ids of X, because CatBoost also measures the "
            "training set; pass qid=."
        )
    one_measure("eval_metric", metrics)
    data = [(rows.y, rows.codes) for rows in (train, *valid)]
    estimator.set_params(eval_metric=catboost_metric(metrics, data))
    return valid, {}, {}


def evals_result(estimator):
    """Return the log of a fitted estimator, by data set and measure."""
    logged = estimator.evals_result_
    return {name: dict(values) for name, values in logged.items()}


def refuse_undefined(estimator, metrics):
    """Refuse a model that stopped early by values that are all undefined."""
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
    """Return the number of boosting rounds of the best model."""
    of_lightgbm = hasattr(estimator, "booster_")
    named = hasattr(estimator, "best_iteration_")
    best = estimator.best_iteration_ if named else estimator.best_iteration
    if best is None or (of_lightgbm and best < 1):
        raise AttributeError(
            "best_iteration_ needs validation sets and early stopping."
        )
    return int(best) + (not of_lightgbm)  # the others count from 0
