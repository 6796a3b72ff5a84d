"""Choose a simple candidate of a search among those that hardly differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from sklearn_irmetrics._checks import check_option, check_real
from sklearn_irmetrics.metrics._measure import as_label


def one_standard_error(
    metric: Any = None, *, complexity: str | Callable[[Mapping[str, Any]], Any]
) -> Callable[[Mapping[str, Any]], int]:
    """Return the one-standard-error rule, to pass to a search as `refit`.

    The best score of a search is the maximum of many, which differ by chance. This rule
    chooses the simplest of the candidates whose mean score is at most one standard
    error, over the splits of the best one, below the best.

    Parameters
    ----------
    metric : str, Measure or None, default=None
        The measure to use, as named in `scoring` of the search. None: there is only
        one.
    complexity : str or callable
        The parameter in which a smaller value is a simpler model, such as
        ``"estimator__num_leaves"``; or a function that takes the dict of parameters of
        a candidate and returns a number, smaller for simpler models. Of equally simple
        ones, the best is chosen.

    Returns
    -------
    callable
        For ``GridSearchCV(..., refit=...)`` and other searches: it takes their
        ``cv_results_`` and returns the index of the chosen candidate. The search then
        has its ``best_params_`` and ``best_estimator_``, but no ``best_score_``.

    Raises
    ------
    TypeError
        If `complexity` is neither a str nor callable.
    ValueError
        When the search calls it: if `metric` is not one of its measures, a candidate
        lacks the parameter, its complexity is not a finite number, there are fewer than
        two splits, or no candidate has a score.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone, "Classification and Regression Trees",
    Wadsworth, 1984, section 3.4.3.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from sklearn_irmetrics import QueryRanker, get_scorer
    >>> from sklearn_irmetrics.datasets import make_ranking
    >>> from sklearn_irmetrics.model_selection import one_standard_error
    >>> X, y, qid = make_ranking(n_queries=40, n_docs=20, random_state=0)
    >>> ranker = QueryRanker(DecisionTreeRegressor(random_state=0), qid=0)
    >>> search = GridSearchCV(
    ...     ranker,
    ...     {"estimator__max_depth": [1, 2, 3, 4, 5, 6, 7]},
    ...     scoring=get_scorer("ndcg@10", qid=0),
    ...     refit=one_standard_error(complexity="estimator__max_depth"),
    ... ).fit(np.column_stack([qid, X]), y)
    >>> search.cv_results_["mean_test_score"].round(2)
    array([0.51, 0.58, 0.64, 0.66, 0.66, 0.64, 0.65])
    >>> search.best_params_
    {'estimator__max_depth': 3}
    """
    if not (isinstance(complexity, str) or callable(complexity)):
        raise TypeError(
            "complexity must be the name of a parameter or a function of the "
            f"parameters; got {complexity!r}."
        )
    name = "score" if metric is None else as_label(metric)
    return partial(_choose, metric=name, complexity=complexity)


def _choose(results, metric, complexity):
    """Return the index of the simplest candidate close to the best."""
    prefix, of_splits = "mean_test_", []
    known = [key.removeprefix(prefix) for key in results if key.startswith(prefix)]
    check_option("metric", metric, known)
    while (split := f"split{len(of_splits)}_test_{metric}") in results:
        of_splits.append(results[split])
    means = results[f"{prefix}{metric}"]
    if len(of_splits) < 2 or np.isnan(means).all():
        raise ValueError(
            f"{metric} must be defined for some candidate, on two splits or more; got "
            f"{len(of_splits)} splits and means {means}."
        )
    best = np.nanargmax(means)
    error = np.std([one[best] for one in of_splits], ddof=1) / len(of_splits) ** 0.5
    near = np.flatnonzero(means >= means[best] - error)
    sizes = [_size(params, complexity) for params in results["params"]]
    return int(min(near, key=lambda i: (sizes[i], -means[i])))


def _size(params, complexity):
    if callable(complexity):
        found = complexity(params)
    elif complexity in params:
        found = params[complexity]
    else:
        raise ValueError(
            "complexity must name a parameter that every candidate has; got "
            f"{complexity!r} for {params}."
        )
    rule = "a finite number for every candidate; a function can give one for None"
    return check_real("complexity", found, -np.inf, np.inf, rule)
