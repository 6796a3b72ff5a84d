"""Turn any form of `scoring` into measures that know what they rank."""

import warnings
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from sklearn import config_context
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer as get_sklearn_scorer
from sklearn.metrics import get_scorer_names as get_sklearn_names
from sklearn.utils.metadata_routing import get_routing_for_object

from sklearn_irmetrics._arrays.query_ids import group_rows
from sklearn_irmetrics._compat import Scorer, TwoStepScorer, parts_of_scorer
from sklearn_irmetrics._warnings import quietly, warn_of_data
from sklearn_irmetrics.exceptions import UndefinedScoreError
from sklearn_irmetrics.metrics._intervals import stated_range
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


class PlainScorer(TwoStepScorer):
    """A scorer of scikit-learn in two steps."""

    def predictions(self, estimator, X, y, *, qid, ask):
        """Return the predictions that its function scores."""
        asked = self.response_method
        if not is_classifier(estimator):
            if "decision_function" in asked:
                asked = RESPONSES
            elif not hasattr(estimator, "predict"):
                asked = "decision_function"
        method = first_response(estimator, asked)
        return Predictions(y, ask(estimator, method, X, self.pos_label))

    def score_predictions(self, found, **metadata):
        """Return the score of `Predictions`; losses are negated."""
        arguments = {**self.arguments, **metadata}
        return self.sign * self.score_func(found.y_true, found.y_score, **arguments)


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
    scorer : RankingScorer, PlainScorer or callable
        The scorer; larger is better. Callables ``(estimator, X, y)`` also predict.
    function : callable or None
        The function of predictions; None for callables.
    metric : Metric or None
        The facts about it; None for functions of other packages.
    metadata : frozenset of str
        Which of ``qid``, ``sample_weight`` and the user's own metadata it takes.
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
    stated : tuple of float or None
        Range stated by the caller.
    many_classes : bool
        Whether it scores more than two classes, of which splits may lack some.
    """

    name: str
    scorer: object
    function: object = None
    metric: object = None
    metadata: frozenset = frozenset()
    ranks: str | None = None
    is_mean: bool = False
    ranking: Measure | None = None
    of_largest: bool = False
    stated: tuple | None = None
    many_classes: bool = False

    @property
    def is_ours(self):
        """Whether it ranks documents or scores sets of them."""
        return isinstance(self.scorer, RankingScorer)

    @property
    def is_scorer(self):
        """Whether it needs only predictions, rather than a model."""
        return self.function is not None

    @property
    def takes_weights(self):
        """Whether rows, or whole queries, can have weights."""
        if self.ranks == "fold" and self.metric is not None:
            return self.metric.kind == "set" or self.metric.weighs_documents
        return "sample_weight" in parameters_of(self.function)

    @property
    def scores_sets(self):
        """Whether it scores which documents were predicted, not their order."""
        return self.metric is not None and self.metric.judges_predictions

    @property
    def scores_labels(self):
        """Whether it scores only `predict`, row by row, rather than an order."""
        return self.is_scorer and self.scorer.response_method == "predict"

    @property
    def needs_both_classes(self):
        """Whether it is meaningless on rows of a single class."""
        if self.is_ours:
            return self.ranks == "fold" and not self.scores_sets
        return self.is_scorer and not self.scores_labels

    @property
    def ranks_rows(self):
        """Whether it ranks all rows against each other, as ROC and AP without ids do.

        Functions of other packages that use decision values may do so, too, unless they
        are known not to.
        """
        if self.is_ours or not self.needs_both_classes:
            return self.needs_both_classes
        name = name_of(self.function)
        asks_for_decisions = "decision_function" in self.scorer.response_method
        return name in _RANK_ROWS or (asks_for_decisions and name not in _TAKE_ROWS)

    @property
    def bounds(self):
        """Range of the scores, stated or known; None if it is unknown."""
        return stated_range(self.stated, self.name, self._known_range)

    @property
    def _known_range(self):
        if self.metric is not None:
            low, high = self.metric.range
            return (low, high) if self.scorer.sign > 0 else (0.0 - high, 0.0 - low)
        if not self._is_of_sklearn or "adjusted" in self.scorer.arguments:
            return None
        if self.scorer.sign < 0:  # none of its losses is below 0
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
            return _spell(name, self.scorer.arguments)
        if self.metric is None:
            return None
        told = {*self.metric.parameters, "ties", "replace_undefined_by"}
        given = self.scorer.arguments.items()
        own = {name: value for name, value in given if name in told}
        return Measure(self.metric.name, **own)

    @property
    def _is_of_sklearn(self):
        is_plain = self.is_scorer and not self.is_ours
        return is_plain and self.function.__module__.startswith("sklearn.")

    def quietly(self):
        """Return a context without warnings of undefined scores."""
        if self.is_ours:
            return quietly()
        # Filters, which all threads share.
        ignored = UndefinedMetricWarning
        return warnings.catch_warnings(action="ignore", category=ignored)

    def own(self, metadata):
        """Return the metadata that it takes."""
        return {name: metadata[name] for name in self.metadata if name in metadata}

    def predictions(self, model, X, y, metadata, ask):
        """Return the `Predictions` that it scores."""
        y = largest_grades(y) if self.of_largest else y
        qid = metadata["qid"] if "qid" in self.metadata else None
        options = {"many_classes": True} if self.many_classes else {}
        return self.scorer.predictions(model, X, y, qid=qid, ask=ask, **options)

    def score_predictions(self, found, metadata, **extra):
        """Return the score of `Predictions`, NaN with a warning where undefined."""
        own = self.own(metadata) | extra
        own.pop("qid", None)
        return _or_nan(partial(self.scorer.score_predictions, found, **own))

    def score(self, model, X, y, metadata, ask, **extra):
        """Return the score, a float or (a callable of the user) a dict."""
        if self.is_scorer:
            found = self.predictions(model, X, y, metadata, ask)
            return self.score_predictions(found, metadata, **extra)
        with config_context(enable_metadata_routing=True):
            return _or_nan(partial(self.scorer, model, X, y))


def _or_nan(score):
    """Return a score, NaN with a warning if it is undefined in a split."""
    try:
        return score()
    except UndefinedScoreError as error:
        warn_of_data(str(error), UndefinedMetricWarning)
        return np.nan


def resolve_scoring(scoring, estimator, X, y, *, qid, one_ranking, params):
    """Return the measures in `scoring`, the ids they rank by, and targets.

    Parameters
    ----------
    scoring, estimator, X
        As in `evaluate`.
    y : ndarray
        Targets.
    qid : ndarray of shape (n_samples,) or None
        Query ids, unless scorers take them from X.
    one_ranking : bool
        Whether a test side without ids is declared to be one ranking.
    params : collection of str
        Further metadata that scorers may request.

    Returns
    -------
    measures : list of NamedScorer
    qid : ndarray of shape (n_samples,) or None
    y : ndarray
        1-D if it is one column; with subtopics, the largest grade of each document.
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
    subtopics = [name for name, one in scorers.items() if takes_subtopics(one)]
    if subtopics:
        if y.ndim != 2:
            raise ValueError(
                "y must have the shape (n_samples, n_subtopics) for "
                f"{subtopics[0]}; got {y.shape}."
            )
        y = largest_grades(y, "y")
    elif y.shape[1:] == (1,):
        y = y[:, 0]
    known = {"sample_weight", *params} | (set() if qid is None else {"qid"})
    measures = [
        _measure(name, scorer, estimator, y, known, one_ranking)
        for name, scorer in scorers.items()
    ]
    # The table of queries cannot hold rows that rank their own columns.
    in_queries = any(measure.ranks == "queries" for measure in measures)
    measures = [
        replace(
            one,
            of_largest=bool(subtopics) and one.is_scorer and one.name not in subtopics,
            is_mean=one.is_mean and (one.ranks == "queries" or not in_queries),
        )
        for one in measures
    ]
    return measures, qid, y


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
    # roc_auc exists in both: use the one within queries if there are any.
    if one in get_sklearn_names():
        return get_scorer(one) if has_ids and _is_ours(one) else get_sklearn_scorer(one)
    return get_scorer(one)


def _is_ours(name):
    try:
        return bool(as_measure(name))
    except ValueError:
        return False


def _name(scorer):
    measure = getattr(scorer, "measure", scorer)
    if isinstance(measure, Measure):
        return measure.label
    if isinstance(scorer, Scorer):
        function, _, arguments, _ = parts_of_scorer(scorer)
        return _spell(name_of(function), arguments)
    return name_of(scorer)


def _spell(name, arguments):
    inside = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    return f"{name}({inside})" if inside else name


def _measure(name, scorer, estimator, y, known, one_ranking):
    is_ours = isinstance(scorer, RankingScorer)
    if not is_ours and type(scorer) is not Scorer:
        return NamedScorer(name, scorer)
    with config_context(enable_metadata_routing=True):
        routing = get_routing_for_object(scorer)
        metadata = frozenset(routing.consumes("score", known))
        asks_for_ids = routing.consumes("score", ["qid"])
    if not is_ours:
        scorer = PlainScorer(*parts_of_scorer(scorer))
        return NamedScorer(name, scorer, scorer.score_func, metadata=metadata)
    many_classes = (
        y.ndim == 1
        and is_classifier(estimator)
        and scorer.arguments.get("pos_label") is None
        and len(np.unique(y[y == y])) > 2  # NaN: unjudged
    )
    of_rows = y.ndim == 2 or (many_classes and scorer.response_method != "predict")
    ranks = "rows" if of_rows else "fold"
    if "qid" in metadata:
        ranks = "queries"
    elif asks_for_ids and scorer.query_score.needs_ids and y.ndim == 1:
        if not (of_rows or one_ranking):
            raise ValueError(
                f"{name} ranks documents inside queries and needs their ids: pass qid= "
                "with the query of each row, or with the column of X that holds it. "
                "qid=None declares that each test side is one ranking."
            )
        scorer = _rebuild(scorer, None)
    given, metric, function = scorer.arguments, scorer.metric, scorer.score_func.metric
    parameters, is_mean, ranking = parameters_of(function), False, None
    if ranks != "fold" and "average" in parameters:
        is_mean = given.get("average", parameters["average"].default) == "macro"
    is_ranking = metric is not None and metric.kind == "ranking"
    if is_mean and is_ranking and not {"labels", "sample_weight"} & set(given):
        own = {key: value for key, value in given.items() if key != "ties"}
        ranking = Measure(metric.name, **own)
    return NamedScorer(
        name,
        scorer,
        function,
        metric,
        metadata,
        ranks,
        is_mean,
        ranking,
        many_classes=many_classes,
    )


def _rebuild(scorer, qid):
    """Return the same scorer with another source of ids."""
    return make_ranking_scorer(
        scorer.score_func.metric,
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
