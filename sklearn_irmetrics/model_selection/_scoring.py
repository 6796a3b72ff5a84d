"""Anything that `scoring` may be, as measures that know what they rank."""

import copy
import inspect
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from sklearn import config_context
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer as get_sklearn_scorer
from sklearn.metrics import get_scorer_names as get_sklearn_names
from sklearn.utils.metadata_routing import get_routing_for_object

from sklearn_irmetrics._compat import Scorer
from sklearn_irmetrics._core.aggregate import EPSILON, quietly
from sklearn_irmetrics._core.queries import group_rows
from sklearn_irmetrics._core.subtopics import largest_grades
from sklearn_irmetrics._measures.measure import Measure, as_measure
from sklearn_irmetrics._measures.registry import metric_of
from sklearn_irmetrics._measures.responses import is_classifier
from sklearn_irmetrics._measures.scorer import (
    RankingScorer,
    get_scorer,
    make_ranking_scorer,
)

# Measures of scikit-learn that rank rows, and that judge row by row what
# decision_function returned.
_RANK_ROWS = frozenset(["roc_auc_score", "average_precision_score"])
_TAKE_ROWS = frozenset(
    ["top_k_accuracy_score", "hinge_loss", "log_loss", "brier_score_loss"]
)
_RANGES = dict.fromkeys(
    [
        "accuracy_score",
        "average_precision_score",
        "balanced_accuracy_score",
        "f1_score",
        "fbeta_score",
        "jaccard_score",
        "precision_score",
        "recall_score",
        "roc_auc_score",
        "top_k_accuracy_score",
    ],
    (0.0, 1.0),
) | {"matthews_corrcoef": (-1.0, 1.0), "cohen_kappa_score": (-1.0, 1.0)}


@dataclass(frozen=True)
class NamedScorer:
    """A scorer and what is known about it.

    Attributes
    ----------
    name : str
        What the result calls it.
    scorer : callable
        ``scorer(estimator, X, y, **metadata)``; larger is better.
    metadata : frozenset of str
        What it takes of ``qid``, ``sample_weight`` and the user's own metadata.
    ranks : {"queries", "rows", "fold"} or None
        What a ranking measure takes for one ranking: the rows of a query, the columns
        of a row (2-D targets, classes of a sample), or the whole fold.
    per_query : callable or None
        The scorer that returns one value per ranking, where their mean is the score.
    of_largest : bool
        Whether it sees the largest grade of each document, since y has one per
        subtopic for others.
    """

    name: str
    scorer: object
    metadata: frozenset = frozenset()
    ranks: str | None = None
    per_query: object = None
    of_largest: bool = False

    @property
    def of_subtopics(self):
        """Whether it takes a column of y per subtopic."""
        return _is_of_subtopics(self.scorer)

    @property
    def is_scorer(self):
        """Whether scikit-learn made it, so that it only asks for predictions."""
        return isinstance(self.scorer, Scorer)

    @property
    def takes_weights(self):
        """Whether rows, or whole queries, can be weighed."""
        if isinstance(self.scorer, RankingScorer):
            function = self.scorer._score_func.metric
            metric = metric_of(function)
            if self.ranks == "fold" and metric is not None:
                return metric.kind == "set" or metric.weighs_documents
            return "sample_weight" in _parameters(function)
        return self.is_scorer and "sample_weight" in _parameters(
            self.scorer._score_func
        )

    @property
    def scores_sets(self):
        """Whether it judges which documents were predicted, not their order."""
        if not isinstance(self.scorer, RankingScorer):
            return False
        metric = metric_of(self.scorer._score_func.metric)
        return metric is not None and metric.judges_predictions

    @property
    def scores_labels(self):
        """Whether it judges `predict` alone, row by row, rather than an order."""
        return self.is_scorer and self.scorer._response_method == "predict"

    @property
    def needs_both_classes(self):
        """Whether it means nothing on rows of a single class."""
        if isinstance(self.scorer, RankingScorer):
            return self.ranks == "fold" and not self.scores_sets
        return self.is_scorer and not self.scores_labels

    @property
    def takes_ties(self):
        """Whether it orders documents, so that equal scores mean any order."""
        return isinstance(self.scorer, RankingScorer) and "ties" in _parameters(
            self.scorer._score_func.metric
        )

    @property
    def ranks_rows(self):
        """Whether it ranks all rows against each other, as ROC and AP without ids do.

        So may what others ask for decision values, unless it is known not to.
        """
        if isinstance(self.scorer, RankingScorer):
            return self.ranks == "fold" and not self.scores_sets
        if not self.is_scorer or self.scores_labels:
            return False
        name = self.scorer._score_func.__name__
        asks_for_decisions = "decision_function" in self.scorer._response_method
        return name in _RANK_ROWS or (asks_for_decisions and name not in _TAKE_ROWS)

    @property
    def cuts_ranks(self):
        """Whether a single rank decides it, so that it jumps as rows come and go."""
        if not isinstance(self.scorer, RankingScorer) or self.scores_sets:
            return False
        metric = metric_of(self.scorer._score_func.metric)
        return metric is None or metric.name not in ("roc_auc", "ap")

    @property
    def bounds(self):
        """Range of the scores, None where it is unknown."""
        if not isinstance(self.scorer, RankingScorer):
            return self._bounds_of_sklearn
        metric = metric_of(self.scorer._score_func.metric)
        if metric is None:
            return None
        low, high = metric.range
        return (low, high) if self.scorer._sign > 0 else (0.0 - high, 0.0 - low)

    @property
    def _bounds_of_sklearn(self):
        if not self.is_scorer or "adjusted" in self.scorer._kwargs:
            return None
        function = self.scorer._score_func
        if not function.__module__.startswith("sklearn."):
            return None
        if self.scorer._sign < 0:  # none of its losses is below 0
            return (-np.inf, 0.0)
        return _RANGES.get(function.__name__)

    def with_scorer(self, scorer):
        """Return the same measure with another scorer."""
        return replace(self, scorer=scorer)

    def score(self, estimator, X, y, metadata, **extra):
        """Return the score, a float or (a callable of the user) a dict."""
        return self._call(self.scorer, estimator, X, y, metadata, extra)

    def quietly(self):
        """Return a context without warnings of undefined scores."""
        ours = isinstance(self.scorer, RankingScorer)
        return quietly() if ours else _others_quietly()

    def score_queries(self, estimator, X, y, metadata):
        """Return one value per ranking, NaN where undefined, silently."""
        with quietly():
            return self._call(self.per_query, estimator, X, y, metadata, {})

    def _call(self, scorer, estimator, X, y, metadata, extra):
        own = {name: metadata[name] for name in self.metadata if name in metadata}
        y = largest_grades(y) if self.of_largest else y
        with config_context(enable_metadata_routing=True):
            return scorer(estimator, X, y, **own, **extra)


@contextmanager
def _others_quietly():
    """Silence scikit-learn's measures, by filters that all threads share."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        yield


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
                    f"all measures must rank by the same queries; {name} takes other "
                    "ids from X."
                )
            qid = own if qid is None else qid
            scorers[name] = _rebuild(scorer, "metadata")
    subtopics = [name for name, one in scorers.items() if _is_of_subtopics(one)]
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
                f"scoring names two measures {name!r}; tell them apart with a dict."
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
        name = scorer._score_func.__name__
        return f"{name}({arguments})" if arguments else name
    return getattr(scorer, "__name__", type(scorer).__name__)


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
        and scorer._response_method != "predict"
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
                f"(Only a classifier goes without; got {type(estimator).__name__}.)"
            )
        scorer = _rebuild(scorer, None)
    per_query = None if ranks == "fold" else _per_query(scorer)
    return NamedScorer(name, scorer, metadata, ranks, per_query)


def _is_of_subtopics(scorer):
    if not isinstance(scorer, RankingScorer):
        return False
    metric = metric_of(scorer._score_func.metric)
    return metric is not None and metric.subtopics


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
    parameters = _parameters(scorer._score_func.metric)
    if "average" not in parameters:
        return None
    average = scorer._kwargs.get("average", parameters["average"].default)
    if average != "macro":
        return None
    single = copy.copy(scorer)
    single._kwargs = {**scorer._kwargs, "average": None}
    return single


def geometric_parts(scorer):
    """Return the scorer of single queries and their floor, None if no geometric mean.

    A loss has none, since scorers negate it.
    """
    if not isinstance(scorer, RankingScorer) or scorer._sign < 0:
        return None
    is_ours = metric_of(scorer._score_func.metric) is not None
    if not is_ours or scorer._kwargs.get("average") != "geometric":
        return None
    single = copy.copy(scorer)
    single._kwargs = {**scorer._kwargs, "average": None}
    return single, scorer._kwargs.get("epsilon", EPSILON)


def _parameters(function):
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}
