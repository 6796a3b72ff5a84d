"""Ranking scorers in everything of scikit-learn that takes `scoring=`.

Each consumer is run with metadata routing on and off, with query ids passed, forgotten,
or in a column of X. It must give the number of a plain function that looks up the query
of every document itself, or fail with a message that helps: never a number of something
else.
"""

import inspect
import re
import warnings
from functools import partial
from operator import itemgetter

import numpy as np
import pytest
from joblib import parallel_backend
from numpy.testing import assert_allclose
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.discovery import all_estimators, all_functions

import sklearn_irmetrics as irm
from oracles.consumers import FOLDS, GRID, MODEL, QID, RUNS, X, Y, called, fitted
from oracles.places import ROOT
from sklearn_irmetrics.model_selection import QueryKFold

NEEDS_IDS = "needs query ids"
CHANGED_COLUMNS = "must name a column"
WITH_IDS = np.column_stack([QID, X])
QUERY_OF = dict(zip(X.ravel(), QID.repeat(X.shape[1]), strict=True))
MEMBERS = [("a", LogisticRegression()), ("b", LogisticRegression(C=0.01))]


def plain(metric, model, X, y):
    """Score a model by a measure; any feature tells the query of a document."""
    y = np.maximum(y, 0)  # LogisticRegressionCV of scikit-learn 1.6 has -1 for class 0
    # RidgeCV(cv=None) shows predictions for all documents in place of features.
    qid = QID if np.ndim(X) == 1 else [QUERY_OF[value] for value in X[:, -1]]
    if hasattr(model, "decision_function"):
        return metric(y, model.decision_function(X), qid=qid)
    if hasattr(model, "predict_proba"):
        return metric(y, model.predict_proba(X)[:, 1], qid=qid)
    return metric(y, model.predict(X), qid=qid)


PLAIN = {
    "ndcg@5": partial(plain, partial(irm.ndcg_score, k=5, replace_undefined_by=0)),
    "map": partial(plain, irm.average_precision_score),
}


def in_parallel(backend):
    def run(**options):
        with parallel_backend(backend, n_jobs=2):
            return RUNS["cross_validate"](**options)

    return run


def importance(X, scoring, **options):
    """Never routes; a permuted copy of X goes to the scorer."""
    model = clone(MODEL).fit(X, Y)
    found = permutation_importance(
        model, X, Y, scoring=scoring, n_repeats=1, random_state=0
    )
    return found.importances[1]


def early_stopping(Boosting):
    """Score binned rows, and never route."""

    def run(X, scoring, **options):
        Boosting(max_iter=2, early_stopping=True, scoring=scoring).fit(X, Y)

    return run


OWN_RUNS = {
    "get_scorers": called(cross_validate, itemgetter(*map("test_{}".format, PLAIN))),
    "threads": in_parallel("threading"),
    "processes": in_parallel("loky"),
    "permutation_importance": importance,
    "RidgeCV(cv=None)": fitted(
        lambda scoring: RidgeCV([1.0], scoring=scoring), lambda f: f.best_score_
    ),
    "VotingClassifier": called(
        cross_val_score, model=VotingClassifier(MEMBERS, voting="soft")
    ),
    "StackingClassifier": called(
        cross_val_score, model=StackingClassifier(MEMBERS, cv=2)
    ),
    "HistGradientBoostingClassifier": early_stopping(HistGradientBoostingClassifier),
    "HistGradientBoostingRegressor": early_stopping(HistGradientBoostingRegressor),
}

# The consumers in each row of the table in docs/consumers.md.
ROWS = [
    "cross_validate cross_val_score",
    "get_scorers",
    "threads processes",
    "GridSearchCV RandomizedSearchCV",
    "HalvingGridSearchCV HalvingRandomSearchCV",
    "",  # n_samples: of scikit-learn, which cuts queries there
    "validation_curve learning_curve",
    "",  # smaller train_sizes: the same in training
    "permutation_test_score",
    "permutation_importance",
    "RFECV SequentialFeatureSelector",
    "TunedThresholdClassifierCV",
    "LogisticRegressionCV RidgeCV RidgeClassifierCV",
    "RidgeCV(cv=None)",
    "VotingClassifier StackingClassifier",
    "HistGradientBoostingClassifier HistGradientBoostingRegressor",
    "",  # ScoringMonitor, which is run below
]
CONSUMERS = " ".join(ROWS).split()

# What differs from: a number where ids are routed or in a column, an error elsewhere.
NEVER_ROUTES = {(True, "passed"): NEEDS_IDS}
COLUMN_IS_LOST = {(r, "column"): CHANGED_COLUMNS for r in (True, False)}
NOT_READ = "which only TunedThresholdClassifierCV does not read"
COLUMN_IS_NOT_READ = {(r, "column"): NOT_READ for r in (True, False)}
DIFFERENT = {
    "permutation_importance": NEVER_ROUTES,
    "RFECV": COLUMN_IS_LOST,
    "SequentialFeatureSelector": COLUMN_IS_LOST,
    "TunedThresholdClassifierCV": COLUMN_IS_NOT_READ,
    "RidgeCV(cv=None)": COLUMN_IS_LOST,
    "HistGradientBoostingClassifier": NEVER_ROUTES,
    "HistGradientBoostingRegressor": NEVER_ROUTES,
}
CASES = [
    (name, ids)
    for name in CONSUMERS
    for ids in ("passed", "forgotten", "column")
    # The ids are binned there: right up to 255 queries, and nothing tells.
    if not (name.startswith("HistGradient") and ids == "column")
]


def scorer_of(name, ids):
    options = {"qid": 0} if ids == "column" else {}
    if name == "get_scorers":
        return irm.get_scorers(list(PLAIN), **options)
    if name == "TunedThresholdClassifierCV":  # it sees classes, not scores
        return irm.get_scorer("set_f1", **{"qid": "metadata"} | options)
    if name == "RidgeCV(cv=None)":  # scikit-learn 1.6 asks for predictions by name
        options["response_method"] = "predict"
    # permutation_test_score shuffles y: some queries have nothing to find then.
    return irm.get_scorer("ndcg@5", replace_undefined_by=0, **options)


def run(name, ids, scoring, **options):
    """Run a consumer, with the ids in their place."""
    options["X"] = WITH_IDS if ids == "column" else X
    options["passed"] = {"qid": QID} if ids == "passed" else {}
    return (RUNS | OWN_RUNS)[name](scoring=scoring, **options)


def run_plainly(name, ids):
    if name == "get_scorers":
        return run(name, ids, PLAIN, cv=FOLDS)
    if name == "TunedThresholdClassifierCV":  # of scikit-learn, which has to route
        with config_context(enable_metadata_routing=True):
            scorer = make_scorer(irm.set_f1_score).set_score_request(qid=True)
            return run(name, "passed", scorer, cv=FOLDS)
    return run(name, "column" if ids == "column" else None, PLAIN["ndcg@5"], cv=FOLDS)


def test_every_consumer_is_here():
    takers = {
        name
        for name, taker in [*all_estimators(), *all_functions()]
        if "scoring" in inspect.signature(taker).parameters
    }
    under_us = {"check_scoring", "get_scorer"}
    assert takers - under_us == set(CONSUMERS) & takers


def problem_of(name, routing, ids):
    """What the error says, or None where a number is due."""
    if ids == "column" or (routing and ids == "passed"):
        return DIFFERENT.get(name, {}).get((routing, ids))
    # Some consumers say themselves that only routing passes ids on.
    return NEEDS_IDS if ids == "forgotten" else "enable_metadata_routing=True"


@pytest.mark.parametrize("routing", [True, False])
@pytest.mark.parametrize(("name", "ids"), CASES)
# Of defaults that will change, and of rows that RidgeClassifierCV weighs by 1.
@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore:The scoring .* does not support sample_weight")
def test_right_number_or_clear_error(name, routing, ids):
    problem = problem_of(name, routing, ids)
    with config_context(enable_metadata_routing=routing):
        options = {
            "scoring": scorer_of(name, ids),
            "cv": QueryKFold(3) if routing and ids == "passed" else FOLDS,
            "error_score": "raise",
        }
        if problem is None:
            found = run(name, ids, **options)
        else:
            # The warning of failed folds, where there is no error_score="raise".
            with pytest.raises((ValueError, UserWarning), match=problem):
                run(name, ids, **options)
    if problem is None:
        assert_allclose(found, run_plainly(name, ids), rtol=1e-9)


@pytest.mark.parametrize(
    ("routing", "ids"), [(True, "passed"), (True, "column"), (False, "column")]
)
def test_a_search_scores_what_it_refitted(routing, ids):
    columns = WITH_IDS if ids == "column" else X
    passed = {"qid": QID} if ids == "passed" else {}
    with config_context(enable_metadata_routing=routing):
        scorer = scorer_of("GridSearchCV", ids)
        search = GridSearchCV(MODEL, GRID, scoring=scorer, cv=FOLDS)
        score = search.fit(columns, Y, **passed).score(columns, Y, **passed)
    assert score == pytest.approx(PLAIN["ndcg@5"](search.best_estimator_, columns, Y))


def monitored(model, scoring, X, *, pipeline=None, **weights):
    """Fit a model, which has no time to converge, and return its last scores."""
    callback = pytest.importorskip("sklearn.callback")  # from version 1.9 on
    monitor = callback.ScoringMonitor(scoring=scoring)
    model.set_callbacks(monitor)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        (pipeline or model).fit(X, Y, **weights)
    return monitor.get_logs().data[-1]  # of the fitted model


@pytest.mark.parametrize("routing", [True, False])
def test_a_monitor_scores_by_a_column(routing):
    with config_context(enable_metadata_routing=routing):
        model = LogisticRegression(max_iter=5)
        found = monitored(model, irm.get_scorer("ndcg@5", qid=0), WITH_IDS)
        expected = PLAIN["ndcg@5"](model, WITH_IDS, Y)
        assert found["score"] == pytest.approx(expected)
        several = monitored(model, irm.get_scorers(list(PLAIN), qid=0), WITH_IDS)
        assert several["ndcg@5"] == found["score"]
        with pytest.raises(ValueError, match=NEEDS_IDS):
            monitored(model, irm.get_scorer("ndcg@5"), WITH_IDS)


@pytest.mark.parametrize("routing", [True, False])
def test_a_monitor_scores_by_the_ids_of_the_training_data(routing):
    with config_context(enable_metadata_routing=routing):
        scorer = irm.get_scorer("ndcg@5", qid=lambda X: QID)
        model = LogisticRegression(max_iter=5)
        pipeline = make_pipeline(StandardScaler(), model)
        found = monitored(model, scorer, X, pipeline=pipeline)
        expected = PLAIN["ndcg@5"](pipeline, X, Y)
        assert found["score"] == pytest.approx(expected)


@pytest.mark.parametrize("is_ours", [True, False])
def test_a_monitor_of_weighted_training_needs_routing_off(is_ours):
    scoring = irm.get_scorer("ndcg@5", qid=0) if is_ours else "accuracy"
    weights = np.linspace(1, 2, len(Y))
    with (
        config_context(enable_metadata_routing=True),
        pytest.raises((TypeError, ValueError), match="sample_weight"),
    ):
        monitored(LogisticRegression(), scoring, WITH_IDS, sample_weight=weights)
    model = LogisticRegression(max_iter=5)
    found = monitored(model, scoring, WITH_IDS, sample_weight=weights)
    if is_ours:
        expected = PLAIN["ndcg@5"](model, WITH_IDS, Y)  # without weights
        assert found["score"] == pytest.approx(expected)


def read_table():
    text = (ROOT / "docs" / "consumers.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines][1:]


@pytest.mark.parametrize("row", range(len(ROWS)))
def test_the_page_says_what_the_runs_find(row):
    consumer, *cells = read_table()[row]
    for name in ROWS[row].split():
        assert name in consumer
        ways = [(True, "passed"), (False, "passed"), (True, "column")]
        for way, cell in zip(ways, cells, strict=True):
            verdict = re.match("works|error|cannot|by name|cuts", cell)
            assert verdict, cell
            if (name, way[1]) in CASES:
                works = problem_of(name, *way) is None
                assert works == (verdict[0] == "works"), (name, way, cell)


def test_the_page_has_every_row():
    assert len(read_table()) == len(ROWS)


def test_early_stopping_by_a_column_that_has_a_name():
    pd = pytest.importorskip("pandas")
    named = pd.DataFrame(WITH_IDS, columns=["query", *"abcd"])
    scorer = irm.get_scorer("ndcg@5", qid="query")
    model = HistGradientBoostingClassifier(early_stopping=True, scoring=scorer)
    with pytest.raises(ValueError, match=CHANGED_COLUMNS):
        model.fit(named, Y)


@pytest.mark.parametrize("routing", [True, False])
@pytest.mark.parametrize("name", ["cross_validate", "processes", "RandomizedSearchCV"])
def test_forgotten_ids_are_nan_with_our_message(name, routing):
    """What scikit-learn makes of the error by default."""
    with (
        config_context(enable_metadata_routing=routing),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        scorer = scorer_of(name, "forgotten")
        found = run(name, "forgotten", scorer, cv=FOLDS, error_score=np.nan)
    assert np.isnan(found).all()
    if name != "processes":  # there the warning is raised, and printed
        messages = [str(warning.message) for warning in caught]
        assert any(NEEDS_IDS in message for message in messages)
