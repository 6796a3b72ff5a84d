"""The picture of a report of classes."""

import pytest
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB

from sklearn_irmetrics.plot import ClassReportDisplay
from sklearn_irmetrics.reports import class_report


def test_classes_are_rows_and_measures_are_panels():
    pytest.importorskip("matplotlib")
    X, y = load_wine(return_X_y=True)
    model = GaussianNB().fit(X, y)
    display = ClassReportDisplay.from_estimator(model, X, y)
    assert [*display.displays_] == ["precision", "recall", "f1"]
    recall = class_report(y, model.predict(X)).plot(metrics="recall").displays_
    assert len(recall["recall"].rows) == 5
    with pytest.raises(ValueError, match="metrics must be some of"):
        display.plot(metrics=["accuracy"])
