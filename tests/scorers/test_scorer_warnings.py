"""A scorer says what is doubtful once for each cause, however many folds there are."""

import pickle
import subprocess
import sys
import warnings
from copy import deepcopy
from functools import partial
from threading import Barrier, Thread

import numpy as np
import pytest
from joblib import parallel_config
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.inspection import permutation_importance
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_validate

from sklearn_irmetrics import (
    Measure,
    average_precision_score,
    get_scorer,
    get_scorers,
    make_ranking_scorer,
    ndcg_score,
)
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.model_selection import QueryKFold

X, Y, QID = make_ranking(n_queries=25, n_docs=(5, 9), n_features=4, random_state=0)
Y[np.isin(QID, np.unique(QID)[::5])] = 0
WITH_IDS = np.column_stack([QID, X])
GRID = {"alpha": [0.1, 1.0, 10.0]}
ROUTED = {"cv": QueryKFold(5), "error_score": "raise"}


def told(run, category=UndefinedMetricWarning):
    with (
        config_context(enable_metadata_routing=True),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        run()
    return [str(w.message) for w in caught if issubclass(w.category, category)]


def grid_search(scoring):
    options = {"refit": False, "scoring": scoring, **ROUTED}
    GridSearchCV(Ridge(), GRID, **options).fit(X, Y, qid=QID)


def cross_validation(scoring):
    cross_validate(Ridge(), X, Y, scoring=scoring, params={"qid": QID}, **ROUTED)


def importance(scoring):
    with config_context(enable_metadata_routing=False):
        by_column = get_scorer("map", qid=0) if callable(scoring) else scoring
        model = Ridge().fit(WITH_IDS, Y)
        permutation_importance(model, WITH_IDS, Y, scoring=by_column, n_repeats=2)


@pytest.mark.parametrize("backend", ["sequential", "threading"])
@pytest.mark.parametrize("search", [grid_search, cross_validation, importance])
def test_a_scorer_warns_once(search, backend):
    with parallel_config(backend, n_jobs=2):
        (message,) = told(lambda: search(get_scorer("map")))
    assert "undefined in" in message
    assert message.endswith("Shown once per scorer.")


def test_each_measure_warns_once():
    scoring = get_scorers(["map", "ndcg@5", "p@5"])
    scoring["strict"] = get_scorer("map", relevance_threshold=2)
    names = sorted(message.split()[0] for message in told(lambda: grid_search(scoring)))
    assert names == ["average_precision_score"] * 2 + ["ndcg_score"]
    assert told(lambda: grid_search(scoring)) == []


def test_a_scorer_warns_once_however_many_others_warn():
    scorer = get_scorer("map")
    model = Ridge().fit(X, Y)
    assert len(told(lambda: scorer(model, X, Y, qid=QID))) == 1
    rows = np.flatnonzero(np.isin(QID, np.unique(QID)[:2]))
    for _ in range(2000):
        other = get_scorer("map")
        score = partial(other, model, X[rows], Y[rows], qid=QID[rows])
        assert len(told(score)) == 1
    assert told(lambda: scorer(model, X, Y, qid=QID)) == []


def test_a_scorer_keeps_its_measure():
    measure = Measure("ndcg@5")
    scorer = get_scorer(measure)
    assert scorer.measure is measure
    copy = pickle.loads(pickle.dumps(scorer))
    assert copy.measure == measure
    assert make_ranking_scorer(ndcg_score, k=5).measure == measure
    assert make_ranking_scorer(lambda y, p: 0.0).measure is None
    with pytest.raises(ValueError, match="'ndcg' has no parameter 'rank'"):
        make_ranking_scorer(ndcg_score, rank=5)


@pytest.mark.parametrize(
    "copy",
    [deepcopy, lambda s: clone(s, safe=False), lambda s: pickle.loads(pickle.dumps(s))],
)
def test_copies_of_a_scorer_warn_of_nothing_new(copy):
    scorer = get_scorer("map")
    assert len(told(lambda: cross_validation(scorer))) == 1
    assert told(lambda: cross_validation(copy(scorer))) == []
    assert len(told(lambda: cross_validation(get_scorer("map")))) == 1


def test_functions_warn_each_time():
    prediction = Ridge().fit(X, Y).predict(X)
    for _ in range(2):
        (message,) = told(lambda: average_precision_score(Y, prediction, qid=QID))
        assert "scorer" not in message


def test_queries_that_folds_cut_are_a_cause_of_their_own():
    scorer, grid = get_scorer("map"), {"estimator__alpha": [0.1, 1.0, 10.0]}
    search = GridSearchCV(QueryRanker(Ridge()), grid, scoring=scorer, cv=4)
    messages = told(lambda: search.fit(X, Y, qid=QID), UserWarning)
    assert sorted("cut through queries" in text for text in messages) == [False, True]


def test_searches_in_two_threads_have_their_own_warnings():
    together = Barrier(2)

    def search(scorer):
        together.wait()
        with config_context(enable_metadata_routing=True):
            cross_validation(scorer)

    def both():
        scorers = get_scorers(["map", "ndcg@5"]).values()
        threads = [Thread(target=search, args=(scorer,)) for scorer in scorers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    names = sorted(message.split()[0] for message in told(both))
    assert names == ["average_precision_score", "ndcg_score"]


def test_warnings_that_are_errors_fail_every_fold():
    scorer = get_scorer("map")
    with config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", UndefinedMetricWarning)
        y = np.where(QID % 2, 0, 1)  # one of each two queries is undefined
        pairs = [np.flatnonzero(np.isin(QID, [2 * i, 2 * i + 1])) for i in range(5)]
        cv = [(np.setdiff1d(np.arange(len(y)), test), test) for test in pairs]
        options = {"scoring": scorer, "params": {"qid": QID}}
        scores = cross_validate(Ridge(), X, y, cv=cv, **options)
    assert np.isnan(scores["test_score"]).all()


IN_PROCESSES = """
from joblib import parallel_config
from sklearn import set_config
from test_scorer_warnings import cross_validation, get_scorer, grid_search

if __name__ == "__main__":
    set_config(enable_metadata_routing=True)
    scorer = get_scorer("map")
    with parallel_config("loky", n_jobs=2):
        for search in (grid_search, cross_validation, grid_search):
            search(scorer)
    print("done")
"""


def test_processes_warn_once_each(tmp_path, request):
    """They print to a stream of their own: three searches, two processes."""
    script = tmp_path / "searches.py"
    script.write_text(IN_PROCESSES)
    paths = [str(request.path.parent), *sys.path]
    code = f"import runpy, sys; sys.path[:0] = {paths!r}; "
    code += f"runpy.run_path({str(script)!r}, run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.stdout == "done\n", done.stderr
    said = done.stderr.count("average_precision_score is undefined in")
    assert said in (1, 2), done.stderr
