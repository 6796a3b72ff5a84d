"""What models predicted: asked once, pooled, and told again."""

import numpy as np
from sklearn.utils import Tags, TargetTags
from sklearn.utils.metaestimators import available_if

from sklearn_irmetrics._compat import get_response
from sklearn_irmetrics._measures.responses import is_classifier

PREDICTION_METHODS = ("predict", "predict_proba", "decision_function")


class Answers:
    """What a fitted model says of some rows; each of its methods is called once.

    Attributes
    ----------
    responses : dict of str to array
        What the methods returned that were asked for.
    """

    def __init__(self):
        self.responses = {}

    def __call__(self, model, method, X, pos_label=None):
        """Return what a method says; of two classes, what it says of `pos_label`."""
        if method not in self.responses:
            found = getattr(model, method)(X)
            # Lists are of rows, or of arrays: one for each output of a multilabel one.
            is_of_rows = isinstance(found, list) and np.ndim(found[:1]) < 3
            self.responses[method] = np.asarray(found) if is_of_rows else found
        if not is_classifier(model):
            return self.responses[method]
        replayed = Replayed(self.responses, model.classes_)
        return get_response(replayed, method, X, pos_label)


def _has(method):
    return lambda self: method in self.responses


class Replayed:
    """An estimator that says again what was said of some rows.

    Parameters
    ----------
    responses : dict of str to array
        Predictions of these rows by method.
    classes : ndarray or None
        Classes of the columns; None: it does not classify.
    """

    def __init__(self, responses, classes):
        self.responses = responses
        if classes is not None:
            self.classes_ = classes

    @available_if(_has("predict"))
    def predict(self, X):
        """Return the predictions."""
        return self.responses["predict"]

    @available_if(_has("predict_proba"))
    def predict_proba(self, X):
        """Return the class probabilities."""
        return self.responses["predict_proba"]

    @available_if(_has("decision_function"))
    def decision_function(self, X):
        """Return the decision values."""
        return self.responses["decision_function"]

    def fit(self, X, y=None):
        """Return the estimator as it is, since it is fitted."""
        return self

    def __sklearn_is_fitted__(self):
        return True

    def __sklearn_tags__(self):
        kind = "classifier" if hasattr(self, "classes_") else "regressor"
        return Tags(estimator_type=kind, target_tags=TargetTags(required=True))


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
    joined = {}
    for method in sorted(set.intersection(*map(set, parts))):
        outputs = [part[method] for part in parts]
        if every is not None and method != "predict":
            outputs = [
                _align(output, own, every, method, i)
                for i, (output, own) in enumerate(zip(outputs, classes, strict=True))
            ]
        if isinstance(outputs[0], list):  # one array per output of a multilabel one
            columns = zip(*outputs, strict=True)
            joined[method] = [np.concatenate(column) for column in columns]
        else:
            joined[method] = np.concatenate(list(map(np.asarray, outputs)))
    return joined, every


def take_responses(responses, index):
    """Return the predictions of some rows."""
    return {
        method: [column[index] for column in output]
        if isinstance(output, list)
        else output[index]
        for method, output in responses.items()
    }


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
