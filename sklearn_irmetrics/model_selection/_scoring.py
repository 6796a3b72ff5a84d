"""Anything that `scoring` may be, as measures that know what they rank."""

import copy
from dataclasses import replace

import numpy as np
from sklearn import config_context
from sklearn.metrics import get_scorer as get_sklearn_scorer
from sklearn.metrics import get_scorer_names as get_sklearn_names
from sklearn.utils.metadata_routing import get_routing_for_object

from sklearn_irmetrics._compat import Scorer
from sklearn_irmetrics._core.queries import group_rows
from sklearn_irmetrics._core.subtopics import largest_grades
from sklearn_irmetrics._measures.measure import Measure, as_measure
from sklearn_irmetrics._measures.query_score import name_of
from sklearn_irmetrics._measures.responses import is_classifier
from sklearn_irmetrics._measures.scorer import (
    RankingScorer,
    get_scorer,
    make_ranking_scorer,
)
from sklearn_irmetrics.model_selection._named_scorer import (
    NamedScorer,
    is_of_subtopics,
    parameters_of,
)


def resolve_scoring(scoring, estimator, X, y, *, qid, params):
    """Return the measures that `scoring` means, and the query ids they rank by.

    Parameters
    ----------
    scoring : str, callable, list or dict
        Names of measures of this package or of scikit-learn, scorers, callables
        ``(estimator, X, y)``.
    estimator : estimator
        What will be scored.
    X : array-like
        All rows, of which a scorer may take a column of ids.
    y : ndarray
        Targets.
    qid : ndarray of shape (n_samples,) or None
        Query ids.
    params : collection of str
        Further metadata that scorers may request.

    Returns
    -------
    measures : list of NamedScorer
    qid : ndarray of shape (n_samples,) or None
        Those given, or those that scorers take from X.

    Raises
    ------
    TypeError, ValueError
        If a name is unknown, two measures share a name, scorers disagree about the
        queries, or a ranking measure has no query ids and the estimator is no
        classifier.
    """
    scorers = _named_scorers(scoring, qid is not None)
    for name, scorer in scorers.items():
        if isinstance(scorer, RankingScorer) and scorer._qid_from_X is not None:
            own = np.asarray(scorer._qid_from_X(X))
            if qid is not None and not _same_queries(qid, own):
                raise ValueError(
                    f"all measures must rank by the same queries; {name} takes "
                    "different ids from X."
                )
            qid = own if qid is None else qid
            scorers[name] = _rebuild(scorer, "metadata")
    subtopics = [name for name, one in scorers.items() if is_of_subtopics(one)]
    if subtopics and y.ndim != 2:
        raise ValueError(
            f"y must have the shape (n_samples, n_subtopics) for {subtopics[0]}; got "
            f"{y.shape}."
        )
    if subtopics:
        y = largest_grades(y, "y")
    known = {"sample_weight", *params} | (set() if qid is None else {"qid"})
    measures = [
        _measure(name, scorer, estimator, y, known) for name, scorer in scorers.items()
    ]
    if subtopics:
        measures = [
            replace(measure, of_largest=measure.is_scorer and not measure.of_subtopics)
            for measure in measures
        ]
    if any(measure.ranks == "queries" for measure in measures):
        # One table of queries: rows that rank their own columns have no place in it.
        measures = [
            replace(measure, per_query=None) if measure.ranks == "rows" else measure
            for measure in measures
        ]
    return measures, qid


def _named_scorers(scoring, has_ids):
    if isinstance(scoring, str) or callable(scoring):
        scoring = [scoring]
    if hasattr(scoring, "items"):
        named = list(scoring.items())
    elif isinstance(scoring, list | tuple | set | frozenset):
        named = [(one if isinstance(one, str) else _name(one), one) for one in scoring]
    else:
        raise TypeError(
            "scoring must be a name, a scorer, a callable, or a list or dict of them; "
            f"got {scoring!r}."
        )
    scorers = {}
    for name, one in named:
        if name in scorers:
            raise ValueError(
                f"scoring has two measures named {name!r}; name them in a dict."
            )
        scorers[name] = _scorer(one, has_ids)
    if not scorers:
        raise ValueError("scoring must name at least one measure; got none.")
    return scorers


def _scorer(one, has_ids):
    if isinstance(one, Measure):
        return get_scorer(one)
    if not isinstance(one, str):
        if not callable(one):
            raise TypeError(
                f"scoring must hold names, scorers and callables; got {one!r}."
            )
        return one
    # roc_auc is known to both: within queries where there are any.
    if one in get_sklearn_names():
        return get_scorer(one) if has_ids and _is_ours(one) else get_sklearn_scorer(one)
    return get_scorer(one)


def _is_ours(name):
    try:
        return bool(as_measure(name))
    except ValueError:
        return False


def _name(scorer):
    if isinstance(scorer, Measure):
        return scorer.label
    if isinstance(scorer, Scorer):
        arguments = ", ".join(f"{k}={v!r}" for k, v in scorer._kwargs.items())
        name = name_of(scorer._score_func)
        return f"{name}({arguments})" if arguments else name
    return name_of(scorer)


def _measure(name, scorer, estimator, y, known):
    if not isinstance(scorer, Scorer):
        return NamedScorer(name, scorer)
    with config_context(enable_metadata_routing=True):
        metadata = frozenset(get_routing_for_object(scorer).consumes("score", known))
        asks_for_ids = get_routing_for_object(scorer).consumes("score", ["qid"])
    if not isinstance(scorer, RankingScorer):
        return NamedScorer(name, scorer, metadata)
    of_rows = y.ndim == 2 or (
        is_classifier(estimator)
        and scorer.response_method != "predict"
        and scorer.arguments.get("pos_label") is None
        and len(np.unique(y)) > 2
    )
    ranks = "rows" if of_rows else "fold"
    if "qid" in metadata:
        ranks = "queries"
    elif asks_for_ids and y.ndim == 1:
        if not is_classifier(estimator):
            raise ValueError(
                f"{name} ranks documents inside queries and needs their ids: pass qid= "
                "to evaluate, or name a column of X by get_scorer(..., qid='column'), "
                "or say that every fold is one ranking by get_scorer(..., qid=None). "
                f"(Only classifiers need none; got {type(estimator).__name__}.)"
            )
        scorer = _rebuild(scorer, None)
    per_query = None if ranks == "fold" else _per_query(scorer)
    return NamedScorer(name, scorer, metadata, ranks, per_query)


def _rebuild(scorer, qid):
    """Return the same scorer with its ids from elsewhere."""
    return make_ranking_scorer(
        scorer._score_func.metric,
        greater_is_better=scorer._sign > 0,
        response_method=scorer._response_method,
        qid=qid,
        **scorer._kwargs,
    )


def _same_queries(first, second):
    return np.array_equal(
        group_rows(first, len(first)).codes(), group_rows(second, len(second)).codes()
    )


def _per_query(scorer):
    """Return the scorer of single queries, or None if the score is not their mean."""
    parameters = parameters_of(scorer._score_func.metric)
    if "average" not in parameters:
        return None
    average = scorer._kwargs.get("average", parameters["average"].default)
    if average != "macro":
        return None
    single = copy.copy(scorer)
    single._kwargs = {**scorer._kwargs, "average": None}
    return single
