"""How each library's `fit` hears of queries, weights and validation sets."""

from dataclasses import replace
from inspect import signature

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from sklearn_irmetrics.estimators._training_metric import (
    refuse_undefined,
    set_up,
)


def clone_estimator(estimator, *, safe=True):
    """Return an unfitted copy.

    CatBoost copies lists that it is constructed with, which `clone` refuses.
    """
    try:
        return clone(estimator, safe=safe)
    except RuntimeError:
        params = estimator.get_params(deep=False)
        if isinstance(estimator, Pipeline):
            steps = estimator.steps
            params["steps"] = [
                (name, clone_estimator(step, safe=False)) for name, step in steps
            ]
        return type(estimator)(**params)


def last_step(estimator):
    """Return what a pipeline ends with, or the estimator itself."""
    while isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    return estimator


def is_ranker(estimator):
    """Whether `fit` of the estimator must hear of queries."""
    return _arguments_for(last_step(estimator)) is not _pointwise


def fit(estimator, train, valid, fit_params, metrics=None):
    """Fit a pipeline step by step, so that validation rows pass through it, too."""
    if not isinstance(estimator, Pipeline):
        return _fit_last(estimator, train, valid, fit_params, metrics)
    head, (name, last) = estimator[:-1], estimator.steps[-1]
    if len(head):
        X = head.fit_transform(train.X, train.y)
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        if n_rows != len(train.y):
            raise ValueError(
                f"steps before {type(last).__name__} must keep the number of rows; "
                f"they returned {n_rows} for {len(train.y)}."
            )
        train = replace(train, X=X)
        valid = [replace(rows, X=head.transform(rows.X)) for rows in valid]
    last = fit(last, train, valid, fit_params, metrics)
    estimator.steps = [*head.steps, (name, last)]
    return estimator


def _fit_last(estimator, train, valid, fit_params, metrics):
    afterwards = {}
    if metrics is not None:
        valid, more, afterwards = set_up(estimator, metrics, train, valid, fit_params)
        fit_params = {**fit_params, **more}
    arguments = _arguments_for(estimator)(estimator, train, valid, fit_params)
    if taken := arguments.keys() & fit_params.keys():
        raise TypeError(
            f"{', '.join(sorted(taken))} cannot be passed to fit: QueryRanker makes it "
            "from qid, sample_weight, eval_set, eval_qid and eval_sample_weight."
        )
    arguments = {name: value for name, value in arguments.items() if value is not None}
    try:
        fitted = estimator.fit(train.X, train.y, **arguments, **fit_params)
    except Exception as error:
        ours = error.__context__
        if metrics is None or type(error).__name__ != "CatBoostError" or ours is None:
            raise
        raise ours from error  # which has its traceback for a message
    if metrics is not None:
        refuse_undefined(fitted, metrics)
    return fitted.set_params(**afterwards) if afterwards else fitted


def _arguments_for(estimator):
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
        by_name = "sample_weight_eval_set"
        if by_name not in names:
            by_name = "eval_sample_weight"
        sets = {by_name: weights, **_eval_sets(estimator, valid)}
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
