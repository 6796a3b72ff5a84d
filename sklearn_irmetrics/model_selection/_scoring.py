"""Turn any form of `scoring` into scorers that know what they rank."""

import warnings
from dataclasses import dataclass, field, replace

import numpy as np
from sklearn import config_context
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer as get_sklearn_scorer
from sklearn.metrics import get_scorer_names as get_sklearn_names
from sklearn.utils.metadata_routing import get_routing_for_object

from sklearn_irmetrics._arrays.query_ids import group_rows
from sklearn_irmetrics._compat import BaseScorer, Scorer, parts_of_scorer, pos_label_of
from sklearn_irmetrics._warnings import suppress_warnings, warn_of_data
from sklearn_irmetrics.exceptions import UndefinedScoreError
from sklearn_irmetrics.metrics._measure import Measure, as_measure
from sklearn_irmetrics.metrics._ranking.marks import largest_grades
from sklearn_irmetrics.metrics._registry import RESPONSES, Metric
from sklearn_irmetrics.model_selection._fitting import parameters_of
from sklearn_irmetrics.scorers._responses import first_response, is_classifier
from sklearn_irmetrics.scorers.scorer import (
    Predictions,
    RankingScorer,
    get_scorer,
    make_ranking_scorer,
    name_of,
)

# Measures of scikit-learn that rank rows, and those that score results of
# decision_function row by row.
_RANK_ROWS = frozenset(["roc_auc_score", "average_precision_score"])
_TAKE_ROWS = frozenset(
    ["top_k_accuracy_score", "hinge_loss", "log_loss", "brier_score_loss"]
)
_SHARES = frozenset(
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
    ]
)


@dataclass(frozen=True)
class NamedScorer:
    """A scorer, and the facts about it that an evaluation needs.

    Attributes
    ----------
    name : str
        Its name in the result.
    scorer : RankingScorer, scorer of scikit-learn or callable
        The scorer; larger is better. Callables ``(estimator, X, y)`` also predict.
    function : callable or None
        The function of predictions; None for callables.
    sign : {1, -1}
        -1 for losses.
    arguments : dict of str to object
        Further arguments of the function.
    response_method : str or tuple of str
        The prediction methods that the scorer asks for.
    metric : Metric or None
        The facts about it; None for functions of other packages.
    requested : frozenset of str
        Which metadata it requests, of ``qid``, ``sample_weight`` and the user's own.
    ranks : {"queries", "rows", "fold"} or None
        What a ranking measure treats as one ranking: the rows of a query, the columns
        of a row (2-D targets, classes of a sample), or the whole fold.
    is_mean : bool
        Whether the score is the mean of one value per ranking.
    ranking : Measure or None
        Measure of the order of documents, if it can share an ordering with others.
    of_largest : bool
        Whether it uses the largest grade of each document, because y has one grade per
        subtopic for other measures.
    many_classes : bool
        Whether it scores more than two classes, of which splits may lack some.
    """

    name: str
    scorer: object
    function: object = None
    sign: int = 1
    arguments: dict = field(default_factory=dict)
    response_method: object = ()
    metric: object = None
    requested: frozenset = frozenset()
    ranks: str | None = None
    is_mean: bool = False
    ranking: Measure | None = None
    of_largest: bool = False
    many_classes: bool = False

    @property
    def is_ours(self):
        """Whether it ranks documents or scores sets of them."""
        return isinstance(self.scorer, RankingScorer)

    @property
    def scores_predictions(self):
        """Whether it needs only predictions, rather than a model."""
        return self.function is not None

    @property
    def takes_weights(self):
        """Whether rows, or whole queries, can have weights."""
        if self.ranks == "fold" and self.metric is not None:
            return self.metric.kind == "set" or self.metric.weighs_documents
        return "sample_weight" in parameters_of(self.function)

    @property
    def judges_predictions(self):
        """Whether it is a set or label measure of this package; see `Metric`."""
        return self.metric is not None and self.metric.judges_predictions

    @property
    def scores_labels(self):
        """Whether it scores only `predict`, row by row, rather than an order."""
        return self.scores_predictions and self.response_method == "predict"

    @property
    def needs_both_classes(self):
        """Whether it is meaningless on rows of a single class."""
        if self.is_ours:
            return self.ranks == "fold" and not self.judges_predictions
        return self.scores_predictions and not self.scores_labels

    @property
    def ranks_rows(self):
        """Whether it ranks all rows against each other, as ROC and AP without ids do.

        Functions of other packages that use decision values may do so, too, unless they
        are known not to.
        """
        if self.is_ours or not self.needs_both_classes:
            return self.needs_both_classes
        name = name_of(self.function)
        asks_for_decisions = "decision_function" in self.response_method
        return name in _RANK_ROWS or (asks_for_decisions and name not in _TAKE_ROWS)

    @property
    def bounds(self):
        """Range of the scores; None if it is unknown."""
        if self.metric is not None:
            low, high = self.measure.range
            return (low, high) if self.sign > 0 else (0.0 - high, 0.0 - low)
        if not self._is_of_sklearn or "adjusted" in self.arguments:
            return None
        if self.sign < 0:  # none of its losses is below 0
            return (-np.inf, 0.0)
        name = self.function.__name__
        if name.startswith(("d2_", "explained_variance_", "r2_")):
            return (-np.inf, 1.0)
        if name in ("cohen_kappa_score", "matthews_corrcoef"):
            return (-1.0, 1.0)
        return (0.0, 1.0) if name in _SHARES else None

    @property
    def measure(self):
        """Its measure; for functions of scikit-learn, their name and arguments.

        None for other functions.
        """
        if self._is_of_sklearn:
            name = name_of(self.function).removesuffix("_score")
            return _spell(name, self.arguments)
        if self.metric is None:
            return None
        parameters = {*self.metric.parameters, "ties", "replace_undefined_by"}
        return Measure(
            self.metric,
            **{
                name: self.arguments[name]
                for name in self.arguments
                if name in parameters
            },
        )

    @property
    def _is_of_sklearn(self):
        is_plain = self.scores_predictions and not self.is_ours
        return is_plain and self.function.__module__.startswith("sklearn.")

    def suppress_warnings(self):
        """Return a context without warnings of undefined scores."""
        if self.is_ours:
            return suppress_warnings()
        # Filters, which all threads share.
        ignored = UndefinedMetricWarning
        return warnings.catch_warnings(action="ignore", category=ignored)

    def take_requested(self, metadata):
        """Return the metadata that it requests."""
        return {name: metadata[name] for name in self.requested if name in metadata}

    def predictions(self, model, X, y, metadata, cache):
        """Return the `Predictions` that it scores, predicted through a cache."""
        y = largest_grades(y) if self.of_largest else y
        if not self.is_ours:
            method = first_response(model, self._methods_for(model))
            return Predictions(y, cache(model, method, X, pos_label_of(self.scorer)))
        qid = metadata["qid"] if "qid" in self.requested else None
        options = {"many_classes": True} if self.many_classes else {}
        return self.scorer.predictions(model, X, y, qid=qid, ask=cache, **options)

    def _methods_for(self, model):
        """Return what a scorer of scikit-learn asks of a model; the first counts."""
        if not is_classifier(model):
            if "decision_function" in self.response_method:
                return RESPONSES
            if not hasattr(model, "predict"):
                return "decision_function"
        return self.response_method

    def score(self, predictions, metadata, **extra):
        """Return the score of `Predictions`, NaN with a warning where undefined.

        Parameters
        ----------
        predictions : Predictions
            Of some rows.
        metadata : dict of str to object
            Of these rows, requested or not.
        **extra
            Arguments that go before the metadata.
        """
        options = self.take_requested(metadata) | extra
        options.pop("qid", None)
        try:
            if self.is_ours:
                return self.scorer.score_predictions(predictions, **options)
            return self.sign * self.function(
                predictions.y_true, predictions.y_score, **(self.arguments | options)
            )
        except UndefinedScoreError as error:
            return _nan(error)

    def score_model(self, model, X, y):
        """Return what a callable of the user says of a model: a number, or a dict."""
        with config_context(enable_metadata_routing=True):
            try:
                return self.scorer(model, X, y)
            except UndefinedScoreError as error:
                return _nan(error)


def _nan(error):
    """Warn that a score is undefined in a split, and return NaN."""
    warn_of_data(str(error), UndefinedMetricWarning)
    return np.nan


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
    """Return a list of `NamedScorer`: what evaluating an estimator needs to know.

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
            replace(one, is_mean=one.is_mean and one.ranks == "queries")
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
        function, _, arguments, _ = parts_of_scorer(scorer)
        return _spell(name_of(function), arguments)
    return name_of(scorer)


def _spell(name, arguments):
    inside = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    return f"{name}({inside})" if inside else name


def _requested_by(scorer, metadata):
    """Return which metadata, of a collection of names, a scorer requests."""
    with config_context(enable_metadata_routing=True):
        return frozenset(get_routing_for_object(scorer).consumes("score", metadata))


def _describe_other_scorer(name, scorer, metadata):
    """Return the `NamedScorer` of a scorer of scikit-learn, or of a callable."""
    if type(scorer) is not Scorer:
        return NamedScorer(name, scorer)
    function, sign, arguments, response_method = parts_of_scorer(scorer)
    return NamedScorer(
        name,
        scorer,
        function=function,
        sign=sign,
        arguments=arguments,
        response_method=response_method,
        requested=_requested_by(scorer, metadata),
    )


def _describe_ranking_scorer(name, scorer, estimator, target, *, metadata, one_ranking):
    """Return the `NamedScorer` of a scorer of this package, with what it ranks."""
    requested = _requested_by(scorer, metadata)
    many_classes = _scores_many_classes(scorer, estimator, target)
    ranks = "fold"
    if "qid" in requested:
        ranks = "queries"
    elif target.ndim == 2 or (many_classes and scorer.response_method != "predict"):
        ranks = "rows"
    if ranks != "queries" and target.ndim == 1 and _needs_ids(scorer):
        if ranks == "fold" and not one_ranking:
            raise ValueError(
                f"{name} ranks documents inside queries and needs their ids: pass qid= "
                "with the query of each row, or with the column of X that holds it. "
                "qid=None declares that the test data of each split are one ranking."
            )
        scorer = _rebuild(scorer, None)
    is_mean = ranks != "fold" and _is_macro(scorer)
    return NamedScorer(
        name,
        scorer,
        function=scorer.score_func.function,
        sign=scorer.sign,
        arguments=scorer.arguments,
        response_method=scorer.response_method,
        metric=scorer.metric,
        requested=requested,
        ranks=ranks,
        is_mean=is_mean,
        ranking=_ranking_of(scorer) if is_mean else None,
        many_classes=many_classes,
    )


def _scores_many_classes(scorer, estimator, target):
    """Whether the classes of a classifier, more than two, are scored."""
    if target.ndim != 1 or not is_classifier(estimator):
        return False
    judged = target[target == target]  # not NaN
    return scorer.arguments.get("pos_label") is None and len(np.unique(judged)) > 2


def _needs_ids(scorer):
    asks_for_ids = bool(_requested_by(scorer, ["qid"]))
    return asks_for_ids and scorer.score_func.needs_ids


def _is_macro(scorer):
    """Whether a score is the plain mean of one value per ranking."""
    parameters = parameters_of(scorer.score_func.function)
    if "average" not in parameters:
        return False
    return scorer.arguments.get("average", parameters["average"].default) == "macro"


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
