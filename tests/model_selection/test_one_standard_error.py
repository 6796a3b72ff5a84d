"""Which candidate a search chooses by the one-standard-error rule."""

import pickle

import numpy as np
import pytest
from sklearn import clone, config_context
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.tree import DecisionTreeRegressor

from sklearn_irmetrics import Measure, get_scorer, get_scorers
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import QueryKFold, one_standard_error

X, Y, QID = make_ranking(n_queries=40, n_docs=15, random_state=0)
DEPTHS = [7, 1, 2, 3, 4, 5, 6]


def minus_alpha(params):
    return -params["alpha"]


def search_depths(refit, scoring, kind=GridSearchCV, **options):
    model = DecisionTreeRegressor(random_state=0)
    with config_context(enable_metadata_routing=True):
        search = kind(
            model,
            {"max_depth": DEPTHS},
            scoring=scoring,
            cv=QueryKFold(4),
            refit=refit,
            error_score="raise",
            **options,
        )
        return clone(search).fit(X, Y, qid=QID)


def by_hand(results, name):
    splits = np.array([results[f"split{i}_test_{name}"] for i in range(4)])
    means = splits.mean(axis=0)
    best = means.argmax()
    least = means[best] - splits[:, best].std(ddof=1) / 2
    return min(d for d, mean in zip(DEPTHS, means, strict=True) if mean >= least)


@pytest.mark.parametrize("kind", [GridSearchCV, RandomizedSearchCV])
def test_the_simplest_of_those_near_the_best(kind):
    options = {} if kind is GridSearchCV else {"n_iter": 7, "random_state": 0}
    rule = one_standard_error(complexity="max_depth")
    search = search_depths(rule, get_scorer("ndcg@10"), kind, **options)
    results, depth = search.cv_results_, search.best_params_["max_depth"]
    best = results["params"][results["mean_test_score"].argmax()]["max_depth"]
    if kind is GridSearchCV:
        assert depth == by_hand(results, "score")
    assert depth < best
    assert search.best_estimator_.get_depth() == depth
    again = pickle.loads(pickle.dumps(search)).refit
    assert again(results) == search.best_index_


@pytest.mark.parametrize("metric", ["map", Measure("ndcg@3")])
def test_of_several_measures(metric):
    scoring = get_scorers(["map", "ndcg@3"])
    rule = one_standard_error(metric, complexity="max_depth")
    search = search_depths(rule, scoring)
    assert search.best_params_["max_depth"] == by_hand(search.cv_results_, str(metric))
    with pytest.raises(ValueError, match="metric must be one of 'map', 'ndcg@3'; got"):
        search_depths(one_standard_error(complexity="max_depth"), scoring)


def table(*splits, **params):
    """What a search found: a row per split, a column per candidate."""
    splits = np.array(splits, dtype=float)
    each = [
        dict(zip(params, one, strict=True))
        for one in zip(*params.values(), strict=True)
    ]
    rows = {f"split{i}_test_score": row for i, row in enumerate(splits)}
    return {"params": each, "mean_test_score": splits.mean(axis=0), **rows}


NAN = np.nan


@pytest.mark.parametrize(
    ("results", "complexity", "chosen"),
    [
        (table([5, 4], [3, 2], n=[9, 1]), "n", 1),  # exactly one error below
        (table([5, 3.9], [3, 2], n=[9, 1]), "n", 0),
        (table([5, 4], [5, 4], n=[9, 1]), "n", 0),  # no error at all
        (table([-3, -2.5], [-1, -1.5], n=[1, 1]), "n", 0),  # equal in all: the first
        (table([3, 5, 4], [1, 3, 3], n=[2, 2, 2]), "n", 1),  # as simple: the best
        (table([NAN, 1, 2], [5, 1, 4], n=[0, 1, 2]), "n", 2),
        (table([5, 4], [3, 3], alpha=[0.1, 9.0]), minus_alpha, 1),
        (table([5, 4], [3, 3], alpha=[9.0, 0.1]), minus_alpha, 0),
    ],
)
def test_which_one_is_chosen(results, complexity, chosen):
    assert one_standard_error(complexity=complexity)(results) == chosen


def test_what_it_refuses():
    rule = one_standard_error(complexity="n")
    for results, message in (
        (table([1, 2], [1, 2], m=[1, 2]), "that every candidate has; got 'n'"),
        (table([1, 2], [1, 2], n=[None, 1]), "must be a finite number .* got None"),
        (table([1, 2], [1, 2], n=["a", "b"]), "must be a finite number .* got 'a'"),
        (table([1, 2], n=[1, 2]), "on two splits or more; got 1 splits"),
        (table([NAN] * 2, [NAN] * 2, n=[1, 2]), "must be defined for some candidate"),
    ):
        with pytest.raises(ValueError, match=message):
            rule(results)
