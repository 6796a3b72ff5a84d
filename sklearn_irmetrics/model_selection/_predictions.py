"""What scorers see: an estimator whose predictions are remembered or replayed."""

from functools import lru_cache

import numpy as np
from sklearn.utils import ClassifierTags, RegressorTags, Tags, TargetTags, get_tags
from sklearn.utils.metaestimators import available_if

from sklearn_irmetrics._measures.responses import is_classifier

PREDICTION_METHODS = ("predict", "predict_proba", "decision_function")


def check_has_response(estimator):
    """Refuse an estimator with none of the three prediction methods."""
    if not any(hasattr(estimator, method) for method in PREDICTION_METHODS):
        raise TypeError(
            f"estimator must have one of the methods {', '.join(PREDICTION_METHODS)}; "
            f"got {type(estimator).__name__}, which has none."
        )


def _has(method):
    return lambda self: self.has_response(method)


class PredictionMemory:
    """An estimator as scorers need it, that predicts the same rows only once.

    Parameters
    ----------
    estimator : fitted estimator or None
        What predicts; None: only what `responses` holds can be asked for.
    X : object
        The rows whose predictions are remembered. Others go to the estimator.
    responses : dict of str to array
        Predictions of these rows by method.
    classes : ndarray or None
        Classes, where there is no estimator to tell them.
    """

    # Units are apart already, and a bootstrap numbers copies of queries anew for `fit`.
    _seen_queries = None

    def __init__(self, estimator, X=None, *, responses=None, classes=None):
        self.estimator = estimator
        self.X = X
        self.responses = {} if responses is None else responses
        if classes is not None:
            self.classes_ = classes

    @classmethod
    def of(cls, estimator, X):
        """Return the memory of a fitted estimator, whose name stands in messages."""
        return _class_named(type(estimator).__name__)(estimator, X)

    def has_response(self, method):
        """Whether `method` can be asked for."""
        if self.estimator is None:
            return method in self.responses
        if self._speaks_by_decision():
            return method == "predict"
        return hasattr(self.estimator, method)

    def _speaks_by_decision(self):
        # scikit-learn asks what is no classifier for nothing but `predict`.
        return (
            hasattr(self.estimator, "decision_function")
            and not hasattr(self.estimator, "predict")
            and not is_classifier(self.estimator)
        )

    def _respond(self, method, X):
        if self.estimator is not None and X is not self.X:
            return self._ask(method, X)
        if method not in self.responses:
            self.responses[method] = self._ask(method, X)
        return self.responses[method]

    def _ask(self, method, X):
        if self._speaks_by_decision():
            method = "decision_function"
        found = getattr(self.estimator, method)(X)
        # Lists are of rows, or of arrays: one for each output of a multilabel one.
        is_of_rows = isinstance(found, list) and np.ndim(found[:1]) < 3
        return np.asarray(found) if is_of_rows else found

    @available_if(_has("predict"))
    def predict(self, X):
        """Return the remembered predictions."""
        return self._respond("predict", X)

    @available_if(_has("predict_proba"))
    def predict_proba(self, X):
        """Return the remembered class probabilities."""
        return self._respond("predict_proba", X)

    @available_if(_has("decision_function"))
    def decision_function(self, X):
        """Return the remembered decision values."""
        return self._respond("decision_function", X)

    def __getattr__(self, name):
        # Whatever else a scorer looks at is the estimator's.
        own = name.startswith("__") or name in PREDICTION_METHODS
        if own or vars(self).get("estimator") is None:
            raise AttributeError(name)
        return getattr(self.estimator, name)

    def fit(self, X, y=None):
        """Return the estimator as it is, since it is fitted."""
        return self

    def __sklearn_is_fitted__(self):
        return True

    def __sklearn_tags__(self):
        if hasattr(self.estimator, "__sklearn_tags__"):
            return get_tags(self.estimator)
        classifies = hasattr(self, "classes_")
        return Tags(
            estimator_type="classifier" if classifies else "regressor",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags() if classifies else None,
            regressor_tags=None if classifies else RegressorTags(),
        )


@lru_cache
def _class_named(name):
    return type(name, (PredictionMemory,), {})


def concatenate_responses(parts, classes):
    """Join predictions of several splits, by method.

    Parameters
    ----------
    parts : list of dict of str to array
        Predictions of each split.
    classes : list of (ndarray or None)
        The classes each split's estimator knew.

    Returns
    -------
    responses : dict of str to array
    classes : ndarray or None
        All classes, in the order of the columns.

    Raises
    ------
    ValueError
        If splits saw different classes and their outputs cannot be aligned.
    """
    every = None
    if classes[0] is not None and not isinstance(classes[0], list):
        every = np.unique(np.concatenate(classes))
    methods = set.intersection(*map(set, parts))
    joined = {}
    for method in sorted(methods):
        outputs = [part[method] for part in parts]
        if every is not None and method != "predict":
            outputs = [
                _align(output, own, every, method, i)
                for i, (output, own) in enumerate(zip(outputs, classes, strict=True))
            ]
        joined[method] = _concatenate(outputs)
    return joined, every


def take_responses(responses, index):
    """Return the predictions of some rows."""
    return {
        method: [column[index] for column in output]
        if isinstance(output, list)
        else output[index]
        for method, output in responses.items()
    }


def _concatenate(outputs):
    if isinstance(outputs[0], list):  # one array per output of a multilabel estimator
        return [np.concatenate(columns) for columns in zip(*outputs, strict=True)]
    return np.concatenate([np.asarray(output) for output in outputs])


def _align(output, own, every, method, split):
    """Give class scores a column for every class; 0 or the least for unseen ones."""
    if len(own) == len(every):
        return output
    if np.ndim(output) != 2 or np.shape(output)[1] != len(own):
        raise ValueError(
            f"the predictions of split {split} cannot be pooled: its training side has "
            f"only the classes {own.tolist()} of {every.tolist()}. Use "
            "method='stratified' or aggregate='per_split'."
        )
    fill = 0.0 if method == "predict_proba" else np.finfo(output.dtype).min
    full = np.full((len(output), len(every)), fill)
    full[:, np.searchsorted(every, own)] = output
    return full
