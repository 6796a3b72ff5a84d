"""Folds in which a measure is undefined: what searches, scorers and evaluate do."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_validate,
)

import sklearn_irmetrics as irm
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.exceptions import UndefinedScoreError
from sklearn_irmetrics.model_selection import StratifiedQueryKFold, evaluate

X, GRADES, QID = make_ranking(30, (6, 12), n_features=4, n_grades=3, random_state=5)
EMPTY = [
    (np.flatnonzero(QID >= 10), np.flatnonzero(QID < 10)),
    (np.flatnonzero(QID < 20), np.flatnonzero(QID >= 20)),
]

SILENT = np.where(QID < 10, 0.0, GRADES)


def search_of(error, scorer):
    grid = {"alpha": [1e6, 0.1]}
    return GridSearchCV(Ridge(), grid, scoring=scorer, cv=EMPTY, error_score=error)


@pytest.mark.parametrize("name", ["map", "ndcg@5", "gmap", "neg"])
def test_a_search_is_told_of_a_fold_without_values(name):
    if name == "neg":
        scorer = irm.make_ranking_scorer(
            lambda y, s, qid=None: np.nan, greater_is_better=False, qid=0
        )
    else:
        scorer = irm.get_scorer(name, qid=0)
    rows = np.column_stack([QID, X])
    with pytest.raises(
        ValueError, match=r"StratifiedQueryKFold, .*replace_undefined_by="
    ):
        search_of("raise", scorer).fit(rows, SILENT)
    with pytest.warns(UserWarning, match="undefined in all queries"):
        search = search_of(0.0, scorer).fit(rows, SILENT)
    if name != "neg":
        assert search.best_params_ == {"alpha": 0.1}


def test_what_the_error_names_helps():
    with config_context(enable_metadata_routing=True):
        routed = {"params": {"qid": QID}, "error_score": "raise"}
        scorer = irm.get_scorer("map", replace_undefined_by=0.0)
        replaced = cross_validate(
            Ridge(), X, SILENT, scoring=scorer, cv=EMPTY, **routed
        )
        assert replaced["test_score"][0] == 0
        with pytest.warns(UndefinedMetricWarning, match="Shown once per scorer"):
            mixed = cross_validate(
                Ridge(),
                X,
                SILENT,
                scoring=irm.get_scorer("map"),
                cv=StratifiedQueryKFold(2),
                **routed,
            )
    assert (mixed["test_score"] > 0).all()


def test_a_threshold_is_not_chosen_for_want_of_values():
    y = (GRADES > 0) * 1
    tuned = TunedThresholdClassifierCV(
        LogisticRegression(), thresholds=[0.999, 0.5], scoring=irm.get_scorer("set_p")
    )
    with pytest.raises(UndefinedScoreError, match="set_precision_score is undefined"):
        tuned.fit(X, y)


@pytest.mark.parametrize("name", ["map", "gmap"])
@pytest.mark.parametrize("aggregate", ["auto", "per_split"])
def test_evaluate_goes_on(name, aggregate):
    """Undefined queries of all folds are counted together, or their folds left out."""
    with pytest.warns(UndefinedMetricWarning, match="undefined in"):
        result = evaluate(
            Ridge(),
            X,
            SILENT,
            qid=QID,
            scoring=name,
            method="loocv",
            aggregate=aggregate,
        )
    assert 0 < result.estimate[name] < 1
    with pytest.warns(UndefinedMetricWarning, match="undefined in"):
        result = evaluate(Ridge(), X, 0 * SILENT, qid=QID, scoring=name)
    assert np.isnan(result.estimate[name])
