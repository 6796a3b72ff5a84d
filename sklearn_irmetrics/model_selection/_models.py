"""Models: objects that are trained, or that predict without training."""

from inspect import Parameter, signature
from types import SimpleNamespace

import numpy as np
from sklearn.base import clone

from sklearn_irmetrics._compat import num_samples
from sklearn_irmetrics._core.foreign import issparse, to_numpy
from sklearn_irmetrics._measures.query_score import name_of
from sklearn_irmetrics._measures.responses import flat, is_classifier

PREDICTION_METHODS = ("predict", "predict_proba", "decision_function")


def is_trained(model):
    """Whether a model is trained here; others are used without copies."""
    return callable(getattr(model, "fit", None))


def check_model(model):
    """Refuse objects that can neither be trained nor predict."""
    if isinstance(model, type):
        raise TypeError(
            f"estimator must be an instance, such as {model.__name__}(); got the class "
            f"{model.__name__}."
        )
    if not (is_trained(model) or _methods_of(model)):
        raise TypeError(
            f"estimator must have fit, {', '.join(PREDICTION_METHODS)} or rank, or be "
            f"a function of X, or a dict of these; got {model!r}."
        )


def new_copy(model):
    """Return an unfitted copy of a model that is trained."""
    try:
        return clone(model, safe=False)
    except Exception as error:
        name = type(model).__name__
        raise TypeError(
            f"estimator must be copied for each split, but {name} cannot be: give it a "
            f"method __sklearn_clone__ that returns a new unfitted {name}, or leave "
            "out fit if nothing has to be trained."
        ) from error


def as_scored(model, y):
    """Return a fitted model in the form that scorers need.

    Parameters
    ----------
    model : object
        Fitted, or not trained at all.
    y : ndarray
        All targets. Class scores of a model without `classes_` are those of 0 and 1 if
        these are 0 and 1.

    Returns
    -------
    object
        The model itself, if scorers know its methods.
    """
    methods = _methods_of(model)
    if not methods:
        raise TypeError(
            f"estimator must have one of the methods {_NAMES} after its fit; got "
            f"{type(model).__name__}, which has none."
        )
    probabilities = methods.get("predict_proba")
    is_known = hasattr(model, "classes_") or not (probabilities or is_classifier(model))
    if is_known and hasattr(model, next(iter(methods))):
        return model
    if probabilities is not None and set(np.unique(y).tolist()) <= {0, 1}:
        methods["predict_proba"] = lambda X: _of_two(probabilities(X))
        methods["classes_"] = np.array([0, 1])
    as_named = type(name_of(model), (SimpleNamespace,), {})  # in messages
    return as_named(**methods)


def as_response(found, of_classes, method, X):
    """Return the result of a prediction method as an array with an entry per row.

    Lists hold rows, or arrays: one for each output of a multilabel classifier.
    `of_classes` says whether the model is a classifier.
    """
    if isinstance(found, list) and np.ndim(found[:1]) >= 3:
        return found
    found = found if issparse(found) else np.asarray(to_numpy(found))
    if X is not None and np.shape(found)[:1] != (num_samples(X),):
        raise ValueError(
            f"{method} must return one entry per row, {num_samples(X)} here; got shape "
            f"{np.shape(found)}."
        )
    if of_classes and method != "predict":
        return found
    if method == "predict_proba" and np.shape(found)[1:] not in ((), (1,)):
        raise ValueError(
            f"predict_proba returned {found.shape[1]} columns, but the estimator does "
            "not name their classes: set classes_, in fit if it has one."
        )
    return flat(found)


def parameters_of(function):
    """Return the parameters of a function, none if they are unknown."""
    try:
        return signature(function).parameters
    except (TypeError, ValueError):
        return {}


def takes_targets(fit, others):
    """Whether `fit` takes y after X, rather than one of the other arguments."""
    parameters, positional = parameters_of(fit).values(), []
    for one in parameters:
        if one.kind is Parameter.VAR_POSITIONAL:
            return True
        if one.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD):
            positional.append(one)
    if len(positional) < 2:
        return not parameters
    second = positional[1]
    is_needed = second.default is second.empty and second.name not in others
    return is_needed or second.name.startswith("y")


_NAMES = f"{', '.join(PREDICTION_METHODS)} and rank"


def _methods_of(model):
    """Return the prediction methods of a model, by the names that scorers know."""
    found = {}
    for name in PREDICTION_METHODS:
        if callable(method := getattr(model, name, None)):
            found[name] = method
    if not found and callable(getattr(model, "rank", None)):
        found["predict"] = model.rank
    elif not found and callable(model) and not is_trained(model):
        found["predict"] = model
    return found


def _of_two(probabilities):
    """Return the probabilities of 0 and 1, from those of 1 if these are given alone."""
    found = flat(np.asarray(to_numpy(probabilities)))
    return np.column_stack([1 - found, found]) if found.ndim == 1 else found
