"""The only place that touches private names of other libraries."""

import sys
import warnings
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
from sklearn import metrics
from sklearn.metrics._scorer import _cached_call
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_response_method as check_response_method
from sklearn.utils.validation import _num_samples as num_samples

__all__ = [
    "BaseScorer",
    "Scorer",
    "ScorerOfEstimators",
    "check_response_method",
    "get_response",
    "num_samples",
    "parts_of_scorer",
    "pos_label_of",
    "safe_indexing",
    "warn_caller",
    "with_requests_of",
]

_PACKAGE = __name__.partition(".")[0]

# The class of what make_scorer returns, and the one that scorers of others derive from,
# of which consumers look for instances. Both are private as yet; from the version of
# scikit-learn on that has `BaseScorer`, the attributes of scorers are public, too.
Scorer: Any = type(metrics.make_scorer(max))
BaseScorer: Any = getattr(metrics, "BaseScorer", Scorer)
_IS_PUBLIC = hasattr(metrics.make_scorer(max), "score_func")
_read_score_func, _read_sign, _read_arguments, _read_response_method = (
    attrgetter(name if _IS_PUBLIC else f"_{name}")
    for name in ("score_func", "sign", "kwargs", "response_method")
)


class ScorerOfEstimators(BaseScorer):
    """Base class of our scorers, which scikit-learn treats like those of `make_scorer`.

    Subclasses define `score_estimator`. None of their methods may have the name of a
    method of estimators, such as `score`: scikit-learn would make a `set_score_request`
    of its signature.
    """

    arguments = property(_read_arguments)
    if not _IS_PUBLIC:  # otherwise the base class sets them
        score_func = property(_read_score_func)
        sign = property(_read_sign)
        response_method = property(_read_response_method)

    def _score(self, method_caller, estimator, X, y_true, **metadata):
        self._warn_overlap("Arguments of this scorer came as metadata, too.", metadata)
        ask = partial(get_response, method_caller=method_caller)
        return self.score_estimator(estimator, X, y_true, ask=ask, **metadata)


def parts_of_scorer(scorer):
    """Return function, sign, arguments and response method of any scorer."""
    return (
        _read_score_func(scorer),
        _read_sign(scorer),
        _read_arguments(scorer),
        _read_response_method(scorer),
    )


def with_requests_of(scorer, other):
    """Return a scorer that requests the metadata that another one requests."""
    if (requests := getattr(other, "_metadata_request", None)) is not None:
        scorer._metadata_request = requests
    return scorer


def pos_label_of(scorer):
    """Return the class that the function of a scorer asks for, of two, or None."""
    return scorer._get_pos_label()


_CALL = partial(_cached_call, None)


def get_response(estimator, method, X, pos_label=None, *, method_caller=_CALL):
    """Return the result of a prediction method, for two classes that of `pos_label`.

    Parameters
    ----------
    estimator : fitted estimator
        What predicts.
    method : str
        A method that it has.
    X : array-like
        The rows.
    pos_label : object
        A class of a binary classifier; None: the second.
    method_caller : callable
        What scikit-learn passes to scorers, which may cache results.
    """
    # The cache is by method, whatever the class. A second method, which no estimator
    # has, gives each class a place of its own.
    key = method if method == "predict" else (method, f"of {pos_label!r}")
    return method_caller(estimator, key, X, pos_label=pos_label)


def safe_indexing(X, indices, *, axis=0):
    """Return some rows, or columns, of data of any kind."""
    # scikit-learn first asks each array whether it is a frame: a tenth of `evaluate`.
    if axis == 0 and type(X) is np.ndarray and type(indices) is np.ndarray:
        return X[indices]
    return _safe_indexing(X, indices, axis=axis)


def warn_caller(message, category):
    """Warn the first caller outside this package."""
    # `skip_file_prefixes` says the same from Python 3.12 on.
    frame, level = sys._getframe(1), 2
    while frame is not None and frame.f_globals.get("__name__", "").startswith(
        _PACKAGE
    ):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
