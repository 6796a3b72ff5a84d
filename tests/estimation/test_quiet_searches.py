"""What a search says of its data it says once, and single calls say each time."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from joblib import parallel_backend
from sklearn import config_context
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    cross_validate,
    learning_curve,
    validation_curve,
)

from sklearn_irmetrics import (
    average_precision_score,
    get_scorer,
    get_scorers,
    score_queries,
)
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.model_selection import QueryKFold

X, Y, QID = make_ranking(n_queries=25, n_docs=(5, 9), n_features=4, random_state=0)
Y[np.isin(QID, np.unique(QID)[::5])] = 0
GRID = {"alpha": [10.0**i for i in range(10)]}
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
    refit = not isinstance(scoring, dict)
    search = GridSearchCV(Ridge(), GRID, scoring=scoring, refit=refit, **ROUTED)
    search.fit(X, Y, qid=QID)


def randomized_search(scoring):
    options = {"n_iter": 10, "random_state": 0, "refit": False}
    search = RandomizedSearchCV(Ridge(), GRID, scoring=scoring, **options, **ROUTED)
    search.fit(X, Y, qid=QID)


def cross_validation(scoring):
    cross_validate(Ridge(), X, Y, scoring=scoring, params={"qid": QID}, **ROUTED)


def halving(scoring):
    options = {"min_resources": 40, "random_state": 0}
    search = HalvingGridSearchCV(Ridge(), GRID, scoring=scoring, **options, **ROUTED)
    search.fit(X, Y, qid=QID)


def curve_of_sizes(scoring):
    learning_curve(Ridge(), X, Y, scoring=scoring, params={"qid": QID}, **ROUTED)


def curve_of_values(scoring):
    options = {"param_name": "alpha", "param_range": [0.1, 1.0], "params": {"qid": QID}}
    validation_curve(Ridge(), X, Y, scoring=scoring, **options, **ROUTED)


def elimination(scoring):
    RFECV(Ridge(), scoring=scoring, cv=QueryKFold(5)).fit(X, Y, qid=QID)


def selection(scoring):
    selector = SequentialFeatureSelector(Ridge(), scoring=scoring, cv=QueryKFold(5))
    selector.fit(X, Y, qid=QID)


def nested(scoring):
    search = GridSearchCV(Ridge(), GRID, scoring=scoring, **ROUTED)
    cross_validate(search, X, Y, scoring=scoring, params={"qid": QID}, **ROUTED)


SEARCHES = [grid_search, randomized_search, cross_validation, halving, curve_of_sizes]
SEARCHES += [curve_of_values, elimination, selection, nested]


@pytest.mark.parametrize("search", SEARCHES)
def test_a_search_tells_once(search):
    """So does the next one, with the same scorer."""
    scorer = get_scorer("map")
    for _ in range(2):
        (message,) = told(lambda: search(scorer))
        assert "undefined in" in message
        assert "once per search" in message


@pytest.mark.parametrize("search", [grid_search, cross_validation])
@pytest.mark.parametrize("backend", ["sequential", "threading"])
def test_each_measure_tells_once(search, backend):
    strict = get_scorer("map", relevance_threshold=2)
    scoring = get_scorers(["map", "ndcg@5", "p@5"]) | {"strict": strict}
    for _ in range(2):
        with parallel_backend(backend, n_jobs=2):
            messages = told(lambda: search(scoring))
        names = sorted(message.partition(" ")[0] for message in messages)
        assert names == ["average_precision_score"] * 2 + ["ndcg_score"]


def test_the_counts_are_those_of_the_first_fold_concerned():
    folds = list(QueryKFold(5).split(X, Y, QID))
    counts = []
    for _, test in folds:
        per_query = average_precision_score(
            Y[test], Y[test], qid=QID[test], average=None
        )
        counts.append(f"undefined in {np.isnan(per_query).sum()} of {len(per_query)} ")
    first = next(count for count in counts if "in 0 of" not in count)
    (message,) = told(lambda: grid_search(get_scorer("map")))
    assert first in message


def test_queries_that_folds_cut_are_told_once():
    scorer, grid = get_scorer("p@5"), {"estimator__alpha": [0.1, 1.0, 10.0]}
    search = GridSearchCV(QueryRanker(Ridge()), grid, scoring=scorer, cv=4)
    for _ in range(2):
        (message,) = told(lambda: search.fit(X, Y, qid=QID), UserWarning)
        assert "the folds cut through queries" in message


def test_functions_in_scorers_of_scikit_learn_tell_once():
    def without_ids(y_true, y_score):
        rows = y_true[: len(y_true) // 5 * 5].reshape(-1, 5)
        return average_precision_score(0 * rows, rows)

    scorer = make_scorer(without_ids, response_method="predict")
    search = GridSearchCV(Ridge(), GRID, scoring=scorer, cv=3)
    assert len(told(lambda: search.fit(X, Y))) == 1


def test_what_a_filter_hides_is_told_where_it_is_not_hidden():
    class ScoresItselfQuietly(Ridge):
        def fit(self, X, y):
            super().fit(X, y)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                scorer(self, X, 0 * y, qid=np.arange(len(y)) // 5)
            return self

    scorer = get_scorer("map")
    search = GridSearchCV(ScoresItselfQuietly(), GRID, scoring=scorer, **ROUTED)
    assert len(told(lambda: search.fit(X, Y, qid=QID))) == 1


def test_single_calls_tell_each_time():
    scorer, model = get_scorer("map"), Ridge().fit(X, Y)
    search = GridSearchCV(Ridge(), {}, scoring=scorer, **ROUTED)
    with config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(X, Y, qid=QID)
    singles = [
        lambda: scorer(model, X, Y, qid=QID),
        lambda: search.scorer_(model, X, Y, qid=QID),
        lambda: search.score(X, Y, qid=QID),
        lambda: average_precision_score(Y, model.predict(X), qid=QID),
        lambda: score_queries(Y, model.predict(X), ["map"], qid=QID).mean,
    ]
    for single in singles:
        once = told(single)
        assert len(once) == 1
        assert told(lambda single=single: [single(), single()]) == once * 2


def test_tools_that_never_route_tell_once():
    with_ids = np.column_stack([QID, X])
    scorer, model = get_scorer("map", qid=0), Ridge().fit(with_ids, Y)
    options = {"scoring": scorer, "n_repeats": 3, "random_state": 0}
    run = lambda: permutation_importance(model, with_ids, Y, **options)  # noqa: E731
    assert [len(told(run)), len(told(run))] == [1, 1]


def test_warnings_that_are_errors_fail_every_fold():
    options = {"scoring": get_scorer("map"), "error_score": np.nan}
    with config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", UndefinedMetricWarning)
        params = {"qid": np.arange(len(Y))}
        scores = cross_validate(
            Ridge(), X, 0 * Y, cv=QueryKFold(3), params=params, **options
        )
    assert np.isnan(scores["test_score"]).all()


def test_filters_stay():
    with config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = list(warnings.filters)
        cross_validation(get_scorer("map"))
        assert warnings.filters == before


IN_PROCESSES = """
import sys
from joblib import parallel_backend
from sklearn import set_config
from test_quiet_searches import QID, X, Y, GRID, Ridge, cross_validation, grid_search
from test_quiet_searches import GridSearchCV, QueryKFold, get_scorer, get_scorers, np

def by_column(scoring):
    folds = list(QueryKFold(5).split(X, Y, QID))
    options = {"scoring": get_scorer("map", qid=0), "cv": folds, "refit": False}
    set_config(enable_metadata_routing=False)
    GridSearchCV(Ridge(), GRID, **options).fit(np.column_stack([QID, X]), Y)
    set_config(enable_metadata_routing=True)

if __name__ == "__main__":
    set_config(enable_metadata_routing=True)
    one, several = get_scorer("map"), get_scorers(["map", "ndcg@5"])
    runs = [(grid_search, one), (grid_search, one), (by_column, None)]
    for run, scoring in [*runs, (by_column, None), (cross_validation, several)]:
        with parallel_backend("loky", n_jobs=2):
            run(scoring)
    print("done")
"""


def test_processes_tell_once_each(tmp_path, request):
    """They print to a stream of their own: five searches, two processes."""
    script = tmp_path / "searches.py"
    script.write_text(IN_PROCESSES)
    paths = [str(request.path.parent), *sys.path]
    code = f"import runpy, sys; sys.path[:0] = {paths!r}; "
    code += f"runpy.run_path({str(script)!r}, run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "done\n", done.stderr
    lines = done.stderr.splitlines()
    lines = [line for line in lines if "undefined in" in line]
    assert sum("average_precision_score is" in line for line in lines) in range(5, 11)
    assert sum("ndcg_score is" in line for line in lines) in (1, 2)
