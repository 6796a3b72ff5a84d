"""Read `scoring` in any form, as scorers that know what they rank."""

from dataclasses import replace
from functools import partial

import numpy as np
from sklearn import config_context
from sklearn.metrics import get_scorer as get_sklearn_scorer
from sklearn.metrics import get_scorer_names as get_sklearn_names
from sklearn.utils.metadata_routing import get_routing_for_object

from sklearn_irmetrics._arrays.query_ids import group_rows
from sklearn_irmetrics._compat import BaseScorer, Scorer, parts_of_scorer
from sklearn_irmetrics.metrics._measure import Measure, as_measure
from sklearn_irmetrics.metrics._names import sklearn_names_of
from sklearn_irmetrics.metrics._ranking.marks import largest_grades
from sklearn_irmetrics.metrics._registry import Metric
from sklearn_irmetrics.model_selection._fitting import parameters_of
from sklearn_irmetrics.model_selection._scorers import (
    DecisionScorer,
    FunctionScorer,
    MeasureScorer,
    ModelScorer,
    RankingFunctionScorer,
    spell,
)
from sklearn_irmetrics.scorers._responses import is_classifier
from sklearn_irmetrics.scorers.scorer import (
    RankingScorer,
    get_scorer,
    make_ranking_scorer,
    name_of,
)


def read_scoring(scoring, X, y, qid):
    """Return the scorers in `scoring`, the ids they rank by, and their targets.

    Parameters
    ----------
    scoring, X
        As in `evaluate`.
    y : ndarray
        Targets.
    qid : ndarray of shape (n_samples,) or None
        Query ids, unless scorers take them from X.

    Returns
    -------
    scorers : dict of str to scorer or callable
        By their names in the result. None of them takes ids from X any more.
    qid : ndarray of shape (n_samples,) or None
    target : ndarray
        1-D if it is one column; with subtopics, the largest grade of each document.
    """
    scorers = _named_scorers(scoring, qid is not None)
    scorers, qid = _take_ids(scorers, X, qid)
    subtopics = [name for name, one in scorers.items() if takes_subtopics(one)]
    return scorers, qid, _single_target(y, subtopics)


def describe_scorers(scorers, estimator, target, *, metadata, one_ranking):
    """Return a list of scorers that know what an evaluation needs; see `_scorers`.

    Parameters
    ----------
    scorers : dict of str to scorer or callable
        By name.
    estimator
        As in `evaluate`.
    target : ndarray
        Targets, as `read_scoring` returns them.
    metadata : set of str
        What scorers may request.
    one_ranking : bool
        Whether the test data of a split are declared to be one ranking.
    """
    described = []
    for name, scorer in scorers.items():
        if isinstance(scorer, RankingScorer):
            named_scorer = _describe_ranking_scorer(
                name,
                scorer,
                estimator,
                target,
                metadata=metadata,
                one_ranking=one_ranking,
            )
        else:
            named_scorer = _describe_other_scorer(name, scorer, metadata)
        described.append(named_scorer)
    if any(map(takes_subtopics, scorers.values())):
        described = [
            replace(
                one,
                of_largest=one.scores_predictions and not takes_subtopics(one.scorer),
            )
            for one in described
        ]
    if any(one.ranks == "queries" for one in described):
        # The table of queries cannot hold rows that rank their own columns.
        described = [
            replace(one, is_mean=False) if one.ranks == "rows" else one
            for one in described
        ]
    return described


def _take_ids(scorers, X, qid):
    """Return scorers that take ids as metadata, and the ids that they take from X."""
    scorers = dict(scorers)
    for name, scorer in scorers.items():
        if isinstance(scorer, RankingScorer) and scorer._qid_from_X is not None:
            from_X = np.asarray(scorer._qid_from_X(X))
            if qid is not None and not _same_queries(qid, from_X):
                raise ValueError(
                    f"all measures must rank by the same queries; {name} takes "
                    "different ids from X."
                )
            qid = from_X if qid is None else qid
            scorers[name] = _rebuild(scorer, "metadata")
    return scorers, qid


def _single_target(y, subtopics):
    """Return targets as 1-D if they are one column, or one grade per subtopic."""
    if subtopics:
        if y.ndim != 2:
            raise ValueError(
                "y must have the shape (n_samples, n_subtopics) for "
                f"{subtopics[0]}; got {y.shape}."
            )
        return largest_grades(y, "y")
    return y[:, 0] if y.shape[1:] == (1,) else y


def _named_scorers(scoring, has_ids):
    """Return scorers and callables by name."""
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
    # roc_auc exists in both: use the one within queries if there are any.
    if one in get_sklearn_names():
        return get_scorer(one) if has_ids and _is_ours(one) else get_sklearn_scorer(one)
    if not ("@" in one or _is_ours(one)) and (names := sklearn_names_of(one)):
        raise ValueError(
            f"scoring: {one!r} is not a measure; scikit-learn's name is "
            f"{' or '.join(map(repr, names))}, which evaluate takes."
        )
    return get_scorer(one)


def _is_ours(name):
    try:
        return bool(as_measure("metric", name))
    except ValueError:
        return False


def _name(scorer):
    measure = getattr(scorer, "measure", scorer)
    if isinstance(measure, Measure):
        return measure.label
    if isinstance(scorer, BaseScorer):
        function, sign, arguments, _ = parts_of_scorer(scorer)
        is_negated = sign < 0 and not isinstance(scorer, RankingScorer)
        return ("neg_" if is_negated else "") + spell(name_of(function), arguments)
    return name_of(scorer)


def _requested_by(scorer, metadata):
    """Return which metadata, of a collection of names, a scorer requests."""
    with config_context(enable_metadata_routing=True):
        return frozenset(get_routing_for_object(scorer).consumes("score", metadata))


def _describe_other_scorer(name, scorer, metadata):
    """Return a scorer of scikit-learn, or a callable, as an evaluation needs it."""
    if type(scorer) is not Scorer:
        return ModelScorer(name, scorer)
    function, sign, arguments, response_method = parts_of_scorer(scorer)
    return FunctionScorer(
        name,
        scorer,
        function=function,
        sign=sign,
        arguments=arguments,
        response_method=response_method,
        requested=_requested_by(scorer, metadata),
    )


def _describe_ranking_scorer(name, scorer, estimator, target, *, metadata, one_ranking):
    """Return a scorer of this package with what it ranks."""
    requested = _requested_by(scorer, metadata)
    many_classes = _scores_many_classes(scorer, estimator, target)
    ranks = "fold"
    if "qid" in requested:
        ranks = "queries"
    elif target.ndim == 2:
        ranks = "fold" if _averages_labels(scorer, estimator) else "rows"
    elif many_classes and scorer.response_method != "predict":
        ranks = "rows"
    if ranks != "queries" and target.ndim == 1 and _needs_ids(scorer):
        if ranks == "fold" and not one_ranking:
            raise ValueError(
                f"{name} ranks documents inside queries and needs their ids: pass qid= "
                "with the query of each row, or with the column of X that holds it. "
                "qid=None declares that the test data of each split are one ranking."
                f"{_measure_of_all_rows(scorer)}"
            )
        scorer = _rebuild(scorer, None)
    is_mean = ranks != "fold" and _is_macro(scorer)
    of_kind = RankingFunctionScorer
    if scorer.metric is not None:
        kind = DecisionScorer if scorer.metric.judges_predictions else MeasureScorer
        of_kind = partial(kind, metric=scorer.metric)
    return of_kind(
        name,
        scorer,
        function=scorer.score_func.function,
        arguments=scorer.arguments,
        response_method=scorer.response_method,
        greater_is_better=scorer.sign > 0,
        requested=requested,
        ranks=ranks,
        is_mean=is_mean,
        ranking=_ranking_of(scorer) if is_mean else None,
        many_classes=many_classes,
    )


def _measure_of_all_rows(scorer):
    """Return a hint if scikit-learn has the measure under its own name."""
    name = scorer.metric and scorer.metric.name
    if name not in get_sklearn_names():
        return ""
    return f" For all rows of a classifier, write {name!r}."


def _scores_many_classes(scorer, estimator, target):
    """Whether the classes of a classifier, more than two, are scored."""
    if target.ndim != 1 or not is_classifier(estimator):
        return False
    judged = target[target == target]  # not NaN
    return scorer.arguments.get("pos_label") is None and len(np.unique(judged)) > 2


def _averages_labels(scorer, estimator):
    """Whether a score is the mean over the labels that a row can have several of."""
    return scorer.score_func.averages_classes and is_classifier(estimator)


def _needs_ids(scorer):
    asks_for_ids = bool(_requested_by(scorer, ["qid"]))
    return asks_for_ids and scorer.score_func.needs_ids


def _is_macro(scorer):
    """Whether a score is the plain mean of one value per ranking."""
    parameters = parameters_of(scorer.score_func.function)
    if "average" not in parameters:
        return False
    average = scorer.arguments.get("average", parameters["average"].default)
    return average in ("macro", "samples")


def _ranking_of(scorer):
    """Return the `Measure` of a scorer that can share its ordering, or None."""
    metric, arguments = scorer.metric, scorer.arguments
    if metric is None or metric.kind != "ranking":
        return None
    if not {"labels", "sample_weight"}.isdisjoint(arguments):
        return None
    return Measure(
        metric, **{key: value for key, value in arguments.items() if key != "ties"}
    )


def _rebuild(scorer, qid):
    """Return the same scorer with another source of ids."""
    return make_ranking_scorer(
        scorer.score_func.function,
        greater_is_better=scorer.sign > 0,
        response_method=scorer.response_method,
        qid=qid,
        **scorer.arguments,
    )


def _same_queries(first, second):
    return np.array_equal(
        group_rows(first, len(first)).codes(), group_rows(second, len(second)).codes()
    )


def takes_subtopics(scorer):
    """Whether a scorer of any kind takes one grade per subtopic."""
    metric = getattr(scorer, "metric", None)
    return isinstance(metric, Metric) and metric.subtopics
