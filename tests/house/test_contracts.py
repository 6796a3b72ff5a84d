"""Every scorer and every splitter in everything of scikit-learn that takes them.

What the consumers of ``scoring=`` do with one scorer is in
``test_scorer_consumers.py``; here all scorers there are go through one evaluation of
many measures, one splitter goes through all consumers of ``cv=``, and all splitters go
through two of them. A consumer must give what it gives for the splits of the same
splitter drawn by hand.
"""

import inspect
import pickle
import pkgutil
from copy import deepcopy
from functools import cache
from importlib import import_module

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.discovery import all_estimators, all_functions
from sklearn.utils.estimator_checks import parametrize_with_checks

import sklearn_irmetrics
from oracles.cases import SCORABLE, marks_of_all, usual_of_scorer
from oracles.consumers import FOLDS, FUNCTIONS, QID, ROUTED, RUNS, SEARCHES, X, Y
from oracles.measures import METRICS
from sklearn_irmetrics import get_scorer, model_selection
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.model_selection import (
    BootstrapSplit,
    HoldoutSplit,
    QueryKFold,
    QueryTimeSeriesSplit,
    ResampledSplit,
    StratifiedQueryKFold,
)

KNOWN = QID % 2 == 0

# Estimators -----------------------------------------------------------------------

ESTIMATORS = [QueryRanker(Ridge()), QueryRanker(LogisticRegression())]


def test_every_estimator_is_here():
    modules = pkgutil.walk_packages(sklearn_irmetrics.__path__, "sklearn_irmetrics.")
    public = {
        value
        for module in modules
        if "._" not in module.name and module.name != "sklearn_irmetrics.torch"
        for value in vars(import_module(module.name)).values()
        if inspect.isclass(value) and issubclass(value, BaseEstimator)
        if value.__module__.startswith("sklearn_irmetrics")
    }
    assert public == set(map(type, ESTIMATORS))


# A list: older versions of scikit-learn pass a generator, which pytest warns of.
CHECKS = parametrize_with_checks(ESTIMATORS)


@pytest.mark.parametrize(CHECKS.args[0], list(CHECKS.args[1]), **CHECKS.kwargs)
@pytest.mark.filterwarnings("ignore:score got no query ids")
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


# Scorers --------------------------------------------------------------------------


def without_ids(X):
    return X[:, 1:]


SCORED = {
    name: usual_of_scorer(name) for name in SCORABLE if not METRICS[name].subtopics
}
# Routing alone brings values per document.
IN_A_COLUMN = [name for name in SCORED if not METRICS[name].marks]


@cache
def responses(method):
    """Response of a model fitted on the other folds, by fold."""
    models = [LogisticRegression().fit(X[train], Y[train]) for train, _ in FOLDS]
    return [
        getattr(model, method)(X[test])
        for model, (_, test) in zip(models, FOLDS, strict=True)
    ]


def check_by_hand(name, scores):
    """Compare with scores of the folds by the function of the measure."""
    metric = METRICS[name]
    of_classes = metric.response_method == "predict"
    method = "predict" if of_classes else "decision_function"
    expected = [
        metric.function(
            Y[test],
            response,
            qid=QID[test],
            replace_undefined_by=1.0,
            **metric.arguments,
            **SCORED[name],
            **marks_of_all([name], KNOWN[test]),
        )
        for (_, test), response in zip(FOLDS, responses(method), strict=True)
    ]
    sign = 1 if metric.greater_is_better else -1
    assert_allclose(scores, sign * np.array(expected), rtol=1e-12, err_msg=name)


def make_scorers(names, **options):
    return {
        name: get_scorer(name, replace_undefined_by=1.0, **SCORED[name], **options)
        for name in names
    }


@pytest.mark.parametrize(("backend", "n_jobs"), [("threading", 2), ("loky", 2)])
def test_all_scorers_in_one_search(backend, n_jobs):
    search = GridSearchCV(
        LogisticRegression(),
        {"C": [1.0]},
        scoring=make_scorers(SCORED),
        refit="ndcg",
        cv=QueryKFold(3),
        error_score="raise",
    )
    with (
        config_context(enable_metadata_routing=True),
        joblib.parallel_config(backend, n_jobs=n_jobs),
    ):
        search.fit(X, Y, qid=QID, **marks_of_all(SCORED, KNOWN))
    for name in SCORED:
        check_by_hand(
            name, [search.cv_results_[f"split{i}_test_{name}"][0] for i in range(3)]
        )


def test_all_scorers_at_once_without_routing():
    model = make_pipeline(FunctionTransformer(without_ids), LogisticRegression())
    scorers = make_scorers(IN_A_COLUMN, qid=0)
    columns = np.column_stack([QID, X])
    scores = cross_validate(
        model, columns, Y, scoring=scorers, cv=FOLDS, error_score="raise"
    )
    for name in scorers:
        check_by_hand(name, scores[f"test_{name}"])


@pytest.mark.parametrize("name", SCORED)
def test_copies_of_scorers_are_as_good(name):
    fitted = LogisticRegression().fit(X, Y)
    (scorer,) = make_scorers([name]).values()
    pickled = pickle.loads(pickle.dumps(scorer))
    copies = [pickled, deepcopy(scorer), clone(scorer, safe=False)]
    metadata = marks_of_all([name], KNOWN)
    with config_context(enable_metadata_routing=True):
        score = scorer(fitted, X, Y, qid=QID, **metadata)
        for copy in copies:
            assert copy(fitted, X, Y, qid=QID, **metadata) == score
            assert repr(copy) == repr(scorer)
    assert repr(scorer).startswith(f"make_scorer({METRICS[name].function.__name__}, ")


# Splitters ------------------------------------------------------------------------

SPLITTERS = {
    "HoldoutSplit": HoldoutSplit(3, random_state=0),
    "BootstrapSplit": BootstrapSplit(3, random_state=0),
    "QueryKFold": QueryKFold(3),
    "StratifiedQueryKFold": StratifiedQueryKFold(3, shuffle=True, random_state=0),
    "QueryTimeSeriesSplit": QueryTimeSeriesSplit(2),
    "ResampledSplit": ResampledSplit(3, "under", random_state=0),
}
NEED_IDS = {"QueryKFold", "QueryTimeSeriesSplit", "StratifiedQueryKFold"}
NOT_CONSUMERS = {"check_cv", "TargetEncoder"}  # which takes a number alone
# These show splitters no target, or two of them.
NO_TARGET = {"GraphicalLassoCV", "MultiTaskLassoCV", "MultiTaskElasticNetCV"}
NO_TARGET |= {"OrthogonalMatchingPursuitCV"}
WAYS = {
    "rows": ("ResampledSplit", RUNS),
    "groups": ("QueryKFold", FUNCTIONS | SEARCHES),
    "routed": ("StratifiedQueryKFold", FUNCTIONS | SEARCHES | ROUTED),
}
CASES = [
    (way, name, "HoldoutSplit" if name in NO_TARGET else splitter)
    for way, (splitter, runs) in WAYS.items()
    for name in runs
]
CASES += [
    (way, name, splitter)
    for way, (usual, _) in WAYS.items()
    for name in ("cross_validate", "GridSearchCV")
    for splitter in SPLITTERS
    if splitter not in (usual, "QueryTimeSeriesSplit")  # rows are in no order
    if way != "rows" or splitter not in NEED_IDS
]


def test_every_splitter_and_consumer_is_here():
    public = {
        name
        for name in model_selection.__all__
        if hasattr(getattr(model_selection, name), "split")
    }
    assert public == set(SPLITTERS)
    takers = {
        name
        for name, taker in [*all_estimators(), *all_functions()]
        if "cv" in inspect.signature(taker).parameters
    }
    assert takers == {*RUNS, *NOT_CONSUMERS}


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of defaults that will change
@pytest.mark.parametrize(("way", "name", "splitter"), CASES)
def test_a_splitter_gives_its_splits(way, name, splitter):
    run, cv = RUNS[name], deepcopy(SPLITTERS[splitter])
    expected = run(cv=list(cv.split(X, Y, None if way == "rows" else QID)))
    passed = {"rows": {}, "groups": {"groups": QID}, "routed": {"qid": QID}}[way]
    with config_context(enable_metadata_routing=way == "routed"):
        assert_allclose(run(cv=cv, passed=passed), expected, rtol=1e-12)


@pytest.mark.parametrize("name", SPLITTERS)
def test_invariants_of_splitters(name):
    """What scikit-learn's own tests ask of all its splitters."""
    splitter = SPLITTERS[name]
    order = np.argsort(QID, kind="stable")  # rows of a query adjacent, as in time
    data = X[order], Y[order], QID[order]
    splits = list(splitter.split(*data))
    assert splitter.get_n_splits(*data) == len(splits)
    for train, test in splits:
        assert train.dtype.kind == test.dtype.kind == "i"
        assert min(len(train), len(test)) > 0
        assert not set(train) & set(test)
        assert set(train) | set(test) <= set(range(len(Y)))
        if name != "ResampledSplit":  # which splits rows
            assert not set(data[2][train]) & set(data[2][test])
        if name != "BootstrapSplit":  # which draws with replacement
            assert len(set(train)) == len(train)
        assert len(set(test)) == len(test)
    for once_more in (splitter.split(*data), deepcopy(splitter).split(*data)):
        for found, expected in zip(once_more, splits, strict=True):
            for rows, expected_rows in zip(found, expected, strict=True):
                assert_array_equal(rows, expected_rows)
    if name in {"QueryKFold", "StratifiedQueryKFold"}:
        tested = np.concatenate([test for _, test in splits])
        assert_array_equal(np.sort(tested), np.arange(len(Y)))
    assert repr(splitter).startswith(f"{name}(")
    assert pickle.loads(pickle.dumps(splitter)).get_n_splits(*data) == len(splits)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of defaults that will change
@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("routing", [True, False])
def test_a_splitter_of_queries_never_splits_rows(name, routing):
    # scikit-learn 1.6.0 fails before, where routing is on and no params are passed.
    message = "Query.* needs query ids .* groups=qid|must be a mapping, not NoneType"
    for splitter in NEED_IDS:
        with (
            config_context(enable_metadata_routing=routing),
            pytest.raises((ValueError, TypeError), match=message),
        ):
            RUNS[name](cv=deepcopy(SPLITTERS[splitter]))
