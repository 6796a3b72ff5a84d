"""Classifiers that list their classes in an order of their own."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression


class Reordered(ClassifierMixin, BaseEstimator):
    """Fit a classifier, and list its classes in another order.

    Parameters
    ----------
    classifier : classifier
        Whose classes are in ascending order.
    order : "descending", "appearance" or list of int
        Positions of the ascending classes; "appearance": in which `y` names them.
    methods : tuple of str
        What it has beside `predict`.
    """

    def __init__(
        self,
        classifier=None,
        order="descending",
        methods=("predict_proba", "decision_function"),
    ):
        self.classifier = classifier
        self.order = order
        self.methods = methods

    def __getattribute__(self, name):
        if name in ("predict_proba", "decision_function") and name not in self.methods:
            raise AttributeError(name)
        return super().__getattribute__(name)

    def fit(self, X, y):
        plain = LogisticRegression() if self.classifier is None else self.classifier
        self.fitted_ = clone(plain).fit(X, y)
        classes = self.fitted_.classes_
        self.order_ = self.order
        if isinstance(self.order, str):
            self.order_ = np.arange(len(classes))[::-1]
        if isinstance(self.order, str) and self.order == "appearance":
            first = [np.flatnonzero(np.asarray(y) == one)[0] for one in classes]
            self.order_ = np.argsort(first)
        self.classes_ = classes[self.order_]
        return self

    def predict(self, X):
        return self.fitted_.predict(X)

    def predict_proba(self, X):
        return self.fitted_.predict_proba(X)[:, self.order_]

    def decision_function(self, X):
        scores = self.fitted_.decision_function(X)
        if scores.ndim == 2:
            return scores[:, self.order_]
        return scores if self.order_[0] == 0 else -scores
