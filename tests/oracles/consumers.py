"""Runs of everything of scikit-learn that takes `cv=`, most of which take `scoring=`.

``RUNS[name](cv=splitter, scoring=scorer, passed={"qid": QID})`` is what a consumer
makes of them, in numbers. Each query has a document of class 1; its rows lie apart.
"""

import inspect
from functools import partial
from operator import attrgetter, itemgetter

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.covariance import GraphicalLassoCV
from sklearn.ensemble import StackingClassifier, StackingRegressor
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.linear_model import (
    ElasticNetCV,
    LarsCV,
    LassoCV,
    LassoLarsCV,
    LogisticRegression,
    LogisticRegressionCV,
    MultiTaskElasticNetCV,
    MultiTaskLassoCV,
    OrthogonalMatchingPursuitCV,
    Ridge,
    RidgeClassifierCV,
    RidgeCV,
)
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.multioutput import ClassifierChain, RegressorChain

from sklearn_irmetrics.datasets import make_ranking

X, Y, QID = make_ranking(n_queries=24, n_docs=(8, 12), n_features=4, random_state=5)
Y = (Y > 0).astype(int)
Y[np.unique(QID, return_index=True)[1]] = 1
ORDER = np.random.default_rng(0).permutation(len(Y))
X, Y, QID = X[ORDER], Y[ORDER], QID[ORDER]
TWO = np.column_stack([Y, Y])
FOLDS = list(GroupKFold(3).split(X, Y, QID))


class Learner(LogisticRegression):
    """A classifier that takes query ids in `fit`, as routing off hands them to it."""

    __metadata_request__fit = {"qid": False}

    def fit(self, X, y, sample_weight=None, qid=None):
        return super().fit(X, y, sample_weight)


MODEL = Learner()
GRID = {"C": [0.01, 1.0]}
HALVING = {"resource": "max_iter", "min_resources": 100, "max_resources": 200}
RANDOM = {"n_candidates": 2, "random_state": 0, **HALVING}


def fold_scores(search):
    return [search.cv_results_[f"split{i}_test_score"] for i in range(3)]


def scores_of_class_1(model):
    # Of two classes: newer versions of scikit-learn have no dict.
    scores = model.scores_
    return scores[1] if isinstance(scores, dict) else scores


def predictions(model):
    return model.predict(X)


def accepted(taker, options):
    """Keep the options that a consumer knows."""
    known = inspect.signature(taker).parameters
    return {name: value for name, value in options.items() if name in known}


def fitted(make, result, y=Y):
    """Run an estimator."""

    def run(X=X, passed=None, **options):
        model = make(**accepted(make, options))
        return result(model.fit(X, y, **passed or {}))

    return run


def called(function, result=lambda found: found, model=MODEL, **options):
    """Run a function."""

    def run(X=X, passed=None, **more):
        params = dict(passed or {})
        groups = params.pop("groups", None)
        known = accepted(function, more)
        return result(
            function(model, X, Y, groups=groups, params=params, **options, **known)
        )

    return run


FUNCTIONS = {
    "cross_validate": called(cross_validate, itemgetter("test_score")),
    "cross_val_score": called(cross_val_score),
    "cross_val_predict": called(cross_val_predict, method="predict_proba"),
    "learning_curve": called(learning_curve, itemgetter(2), train_sizes=[0.5, 1.0]),
    "validation_curve": called(
        validation_curve, itemgetter(1), param_name="C", param_range=[0.01, 1.0]
    ),
    "permutation_test_score": called(
        permutation_test_score, itemgetter(0), n_permutations=2, random_state=0
    ),
}
# With routing off, these take groups in `fit`, ...
SEARCHES = {
    "GridSearchCV": fitted(partial(GridSearchCV, MODEL, GRID), fold_scores),
    "RandomizedSearchCV": fitted(
        partial(RandomizedSearchCV, MODEL, GRID, n_iter=2, random_state=0), fold_scores
    ),
    "HalvingGridSearchCV": fitted(
        partial(HalvingGridSearchCV, MODEL, GRID, factor=2, **HALVING), fold_scores
    ),
    "HalvingRandomSearchCV": fitted(
        partial(HalvingRandomSearchCV, MODEL, GRID, **RANDOM), fold_scores
    ),
    "RFECV": fitted(partial(RFECV, MODEL), lambda f: f.cv_results_["mean_test_score"]),
}
# ... these have no way to take them, ...
ROUTED = {
    "SequentialFeatureSelector": fitted(
        partial(SequentialFeatureSelector, MODEL, n_features_to_select=1),
        SequentialFeatureSelector.get_support,
    ),
    "TunedThresholdClassifierCV": fitted(
        partial(TunedThresholdClassifierCV, MODEL, thresholds=9, store_cv_results=True),
        lambda found: found.cv_results_["scores"],
    ),
    "LogisticRegressionCV": fitted(
        partial(LogisticRegressionCV, Cs=[0.01, 1.0], scoring="accuracy"),
        scores_of_class_1,
    ),
    "RidgeCV": fitted(partial(RidgeCV, [0.1, 10.0]), attrgetter("best_score_")),
    "RidgeClassifierCV": fitted(
        partial(RidgeClassifierCV, [0.1, 10.0]), attrgetter("best_score_")
    ),
    "LassoCV": fitted(partial(LassoCV, alphas=[0.01, 0.1]), attrgetter("mse_path_")),
    "ElasticNetCV": fitted(
        partial(ElasticNetCV, alphas=[0.01, 0.1]), attrgetter("mse_path_")
    ),
    "MultiTaskLassoCV": fitted(
        partial(MultiTaskLassoCV, alphas=[0.01, 0.1]), attrgetter("mse_path_"), TWO
    ),
    "MultiTaskElasticNetCV": fitted(
        partial(MultiTaskElasticNetCV, alphas=[0.01, 0.1]), attrgetter("mse_path_"), TWO
    ),
    "LarsCV": fitted(LarsCV, attrgetter("mse_path_")),
    "LassoLarsCV": fitted(LassoLarsCV, attrgetter("mse_path_")),
    "OrthogonalMatchingPursuitCV": fitted(
        OrthogonalMatchingPursuitCV, attrgetter("coef_")
    ),
    "GraphicalLassoCV": fitted(
        partial(GraphicalLassoCV, alphas=[0.1, 0.5]),
        lambda found: found.cv_results_["mean_test_score"],
    ),
}
# ... and these have none at all.
OF_ROWS = {
    "CalibratedClassifierCV": fitted(
        partial(CalibratedClassifierCV, MODEL), predictions
    ),
    "StackingClassifier": fitted(
        partial(StackingClassifier, [("a", MODEL)]), predictions
    ),
    "StackingRegressor": fitted(
        partial(StackingRegressor, [("a", Ridge())]), predictions
    ),
    "ClassifierChain": fitted(partial(ClassifierChain, MODEL), predictions, TWO),
    "RegressorChain": fitted(partial(RegressorChain, Ridge()), predictions, TWO),
}
RUNS = FUNCTIONS | SEARCHES | ROUTED | OF_ROWS
