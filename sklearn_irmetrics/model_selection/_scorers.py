"""What an evaluation asks of a scorer, for each kind, and how `scoring` is read."""

import warnings
from dataclasses import dataclass, field, replace
from inspect import signature
from operator import attrgetter
from typing import ClassVar

import numpy as np
from sklearn import config_context
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer as get_sklearn_scorer
from sklearn.metrics import get_scorer_names as get_sklearn_names
from sklearn.metrics import make_scorer
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.multiclass import type_of_target

from sklearn_irmetrics._arrays.query_ids import group_rows
from sklearn_irmetrics._checks import add_estimator_to_errors
from sklearn_irmetrics._compat import (
    BaseScorer,
    Scorer,
    parts_of_scorer,
    pos_label_of,
    with_requests_of,
)
from sklearn_irmetrics._warnings import suppress_warnings, warn_of_data
from sklearn_irmetrics.exceptions import UndefinedScoreError
from sklearn_irmetrics.metrics import average_precision_score, roc_auc_score
from sklearn_irmetrics.metrics._measure import Measure, as_measure
from sklearn_irmetrics.metrics._names import sklearn_names_of
from sklearn_irmetrics.metrics._ranking.averages import EPSILON, NOTHING_RELEVANT
from sklearn_irmetrics.metrics._ranking.marks import largest_grades
from sklearn_irmetrics.metrics._registry import RESPONSES
from sklearn_irmetrics.metrics.chance import chance_level
from sklearn_irmetrics.scorers._responses import (
    first_response,
    is_classifier,
    name_of_estimator,
)
from sklearn_irmetrics.scorers._row_values import (
    class_table_measure,
    class_terms,
    cost_rows,
    ratio_rows,
    row_values,
    set_rows,
    sklearn_counterpart,
)
from sklearn_irmetrics.scorers.scorer import (
    AccuracyScorer,
    CustomScorer,
    LabelScorer,
    Predictions,
    QueryScorer,
    RankingScorer,
    SetScorer,
    get_scorer,
    name_of,
    spell,
)


def read_scoring(
    scoring, estimators, X, y, qid, *, pos_label=None, metadata, one_ranking
):
    """Return the scorers of each estimator, the ids they rank by, and their targets.

    Parameters
    ----------
    scoring, X
        As in `evaluate`.
    estimators : dict of str to estimator
        What will be evaluated.
    y : ndarray
        Targets.
    qid : ndarray of shape (n_samples,) or None
        Query ids, unless scorers take them from X.
    pos_label : object
        The positive class of scorers that name none; None: their own rule.
    metadata : set of str
        What scorers may request beside the ids.
    one_ranking : bool
        Whether the test data of a split are declared to be one ranking.

    Returns
    -------
    named_scorers : dict of str to list of ModelScorer
        For each estimator. None of them takes ids from X any more.
    qid : ndarray of shape (n_samples,) or None
    target : ndarray
        1-D if it is one column; with subtopics, the largest grade of each document.
    of_subtopics : list of str
        The measures that take one grade per subtopic.
    """
    scorers, qid = _take_ids(_named_scorers(scoring, qid is not None), X, qid)
    of_subtopics = [
        name
        for name, scorer in scorers.items()
        if isinstance(scorer, QueryScorer) and scorer.takes_subtopics
    ]
    if of_subtopics and y.ndim != 2:
        raise ValueError(
            f"y must have the shape (n_samples, n_subtopics) for {of_subtopics[0]}; "
            f"got {y.shape}."
        )
    if of_subtopics:
        target = largest_grades(y, "y")
    else:
        target = y[:, 0] if y.shape[1:] == (1,) else y
    if pos_label is not None:
        classes = list(dict.fromkeys(target.tolist())) if target.ndim == 1 else []
        if np.ndim(pos_label) or pos_label not in classes:
            raise ValueError(
                f"pos_label must be a class of 1-D y; got {pos_label!r} for "
                f"{classes[:5]!r}."
            )
        scorers = {
            name: _with_pos_label(name, scorer, pos_label)
            for name, scorer in scorers.items()
        }
    metadata = metadata if qid is None else metadata | {"qid"}
    named_scorers = {}
    for name, estimator in estimators.items():
        with add_estimator_to_errors(name):
            named_scorers[name] = _describe_scorers(
                scorers,
                estimator,
                target,
                of_subtopics,
                metadata=metadata,
                one_ranking=one_ranking,
            )
    return named_scorers, qid, target, of_subtopics


def _describe_scorers(
    scorers, estimator, target, of_subtopics, *, metadata, one_ranking
):
    """Return a list of scorers that know what the evaluation of an estimator needs."""
    described = []
    for name, scorer in scorers.items():
        of_largest = bool(of_subtopics) and name not in of_subtopics
        if isinstance(scorer, QueryScorer):
            described.append(
                _describe_query_scorer(
                    name,
                    scorer,
                    estimator,
                    target,
                    metadata=metadata,
                    one_ranking=one_ranking,
                    of_largest=of_largest,
                )
            )
        elif type(scorer) is Scorer:
            function, sign, arguments, response_method = parts_of_scorer(scorer)
            described.append(
                FunctionScorer(
                    name,
                    scorer,
                    function=function,
                    sign=sign,
                    arguments=arguments,
                    response_method=response_method,
                    requested=_requested_by(scorer, metadata),
                    of_largest=of_largest,
                )
            )
            described[-1].check_classes(target)
        else:
            described.append(ModelScorer(name, scorer, of_largest=of_largest))
    if {"queries", "rows"}.issubset(map(attrgetter("ranks"), described)):
        # The table of queries cannot hold rows that rank their own columns.
        described = [
            replace(scorer, is_mean=False) if scorer.ranks == "rows" else scorer
            for scorer in described
        ]
    return described


def _take_ids(scorers, X, qid):
    """Return scorers that take ids as metadata, and the ids that they take from X."""
    scorers = dict(scorers)
    for name, scorer in scorers.items():
        if isinstance(scorer, QueryScorer) and scorer._qid_from_X is not None:
            from_X = np.asarray(scorer._qid_from_X(X))
            qid = from_X if qid is None else qid
            codes = [group_rows(ids, len(ids)).codes() for ids in (qid, from_X)]
            if not np.array_equal(*codes):
                raise ValueError(
                    f"all measures must rank by the same queries; {name} takes "
                    "different ids from X."
                )
            scorers[name] = scorer.with_ids_from("metadata")
    return scorers, qid


def _named_scorers(scoring, has_ids):
    """Return scorers and callables by name."""
    if isinstance(scoring, str) or callable(scoring):
        scoring = [scoring]
    if hasattr(scoring, "items"):
        named = [
            (label, _read_measure(measure, has_ids)[1])
            for label, measure in scoring.items()
        ]
    elif isinstance(scoring, list | tuple | set | frozenset):
        named = [_read_measure(measure, has_ids) for measure in scoring]
    else:
        raise TypeError(
            "scoring must be a name, a scorer, a callable, or a list or dict of them; "
            f"got {scoring!r}."
        )
    scorers = {}
    for name, scorer in named:
        if name in scorers:
            raise ValueError(
                f"scoring has two measures named {name!r}; name them in a dict."
            )
        scorers[name] = scorer
    if not scorers:
        raise ValueError("scoring must name at least one measure; got none.")
    return scorers


def _read_measure(measure, has_ids):
    """Return the name of a measure in the result, and its scorer."""
    if isinstance(measure, Measure):
        return measure.label, get_scorer(measure)
    if isinstance(measure, str):
        return measure, _scorer_of_name(measure, has_ids)
    if not callable(measure):
        raise TypeError(
            f"scoring must hold names, scorers and callables; got {measure!r}."
        )
    if isinstance(measure, QueryScorer):
        return measure.label, measure
    if not isinstance(measure, BaseScorer):
        return name_of(measure), measure
    function, sign, arguments, _ = parts_of_scorer(measure)
    name = spell(name_of(function), arguments)
    return f"neg_{name}" if sign < 0 else name, measure


def _scorer_of_name(name, has_ids):
    """Return the scorer that a name of this package or of scikit-learn stands for."""
    # roc_auc exists in both: use the one within queries if there are any.
    if name in get_sklearn_names():
        in_queries = has_ids and _is_measure_name(name)
        return get_scorer(name) if in_queries else get_sklearn_scorer(name)
    if not ("@" in name or _is_measure_name(name)) and (
        names := sklearn_names_of(name)
    ):
        raise ValueError(
            f"scoring: {name!r} is not a measure; scikit-learn's name is "
            f"{' or '.join(map(repr, names))}, which evaluate takes."
        )
    return get_scorer(name)


def _is_measure_name(name):
    try:
        return bool(as_measure("metric", name))
    except ValueError:
        return False


def _lacks_pos_label(function, arguments):
    """Return whether a function needs a positive class that no argument names."""
    parameters = parameters_of(function)
    usual = parameters["average"].default if "average" in parameters else None
    of_classes = arguments.get("average", usual) != usual
    return "pos_label" in parameters and "pos_label" not in arguments and not of_classes


def _with_pos_label(name, scorer, pos_label):
    """Return a scorer of a positive class, the scorer itself if it needs none.

    A scorer that names its positive class, or averages over classes, keeps it.
    """
    if isinstance(scorer, QueryScorer):
        return scorer.with_pos_label(pos_label)
    if type(scorer) is not Scorer:
        return scorer
    function, sign, arguments, response_method = parts_of_scorer(scorer)
    if name_of(function) in _OF_LARGER_CLASS:
        raise ValueError(
            f"scoring: {name} has no pos_label: it takes the larger of two classes as "
            "the positive one. Evaluate it alone, without pos_label, with y == "
            f"{pos_label!r} as y."
        )
    if not _lacks_pos_label(function, arguments):
        return scorer
    of_class = make_scorer(
        function,
        greater_is_better=sign > 0,
        response_method=response_method,
        **arguments,
        pos_label=pos_label,
    )
    return with_requests_of(of_class, scorer)


def _requested_by(scorer, metadata):
    """Return which metadata, of a collection of names, a scorer requests."""
    with config_context(enable_metadata_routing=True):
        return frozenset(get_routing_for_object(scorer).consumes("score", metadata))


def _describe_query_scorer(
    name, scorer, estimator, target, *, metadata, one_ranking, of_largest
):
    """Return a scorer of this package with what it ranks."""
    requested = _requested_by(scorer, metadata)
    classifies = is_classifier(estimator)
    many_classes = False
    if classifies and target.ndim == 1 and scorer.arguments.get("pos_label") is None:
        many_classes = len(np.unique(target[target == target])) > 2  # without NaN
    ranks = "fold"
    if "qid" in requested:
        ranks = "queries"
    elif target.ndim == 2:
        # Or each label, of the several that a row can have, is a set.
        is_label = scorer.score_func.averages_classes and classifies
        ranks = "fold" if is_label else "rows"
    elif many_classes and scorer.response_method != "predict":
        ranks = "rows"
    is_short_of_ids = (
        ranks != "queries"
        and target.ndim == 1
        and scorer.score_func.needs_ids
        and _requested_by(scorer, ["qid"])
    )
    if is_short_of_ids and ranks == "fold" and not one_ranking:
        name_in_sklearn = scorer.measure and scorer.measure.metric.name
        hint = ""
        if name_in_sklearn in get_sklearn_names():
            hint = f" For all rows of a classifier, write {name_in_sklearn!r}."
        raise ValueError(
            f"{name} ranks documents inside queries and needs their ids: pass qid= "
            "with the query of each row, or with the column of X that holds it. "
            "qid=None declares that the test data of each split are one ranking."
            f"{hint}"
        )
    function, arguments = scorer.score_func.function, scorer.arguments
    # A mean of one value per ranking, if its values are averaged at all.
    parameters, average = parameters_of(function), None
    if "average" in parameters:
        average = arguments.get("average", parameters["average"].default)
    is_mean = ranks != "fold" and average in ("macro", "samples")
    if is_short_of_ids:
        scorer = scorer.with_ids_from(None)
    described = _KINDS[type(scorer)](
        name,
        scorer,
        function=function,
        arguments=arguments,
        response_method=scorer.response_method,
        greater_is_better=scorer.sign > 0,
        requested=requested,
        of_largest=of_largest,
        ranks=ranks,
        is_mean=is_mean,
        many_classes=many_classes,
    )
    if is_mean:
        described = replace(described, ranking=described.measure_to_rank())
    return described


def parameters_of(function):
    """Return the parameters of a function, none if they are unknown."""
    try:
        return signature(function).parameters
    except (TypeError, ValueError):
        return {}


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
# Measures of labels in which an error counts more in a small class than in a large one.
_COUNT_CLASSES_ALIKE = frozenset(
    ["balanced_accuracy_score", "cohen_kappa_score", "matthews_corrcoef"]
)
# Measures of two classes unless an argument says otherwise: the argument, its value for
# two classes, and the one for more, with which the names of scorers end.
_OF_TWO_CLASSES = {
    "roc_auc_score": ("multi_class", "raise", "ovr"),
    "f1_score": ("average", "binary", "macro"),
    "fbeta_score": ("average", "binary", "macro"),
    "jaccard_score": ("average", "binary", "macro"),
    "precision_score": ("average", "binary", "macro"),
    "recall_score": ("average", "binary", "macro"),
}
# Measures of a positive class without a parameter for it.
_OF_LARGER_CLASS = frozenset(["negative_likelihood_ratio", "positive_likelihood_ratio"])
# Measures of predicted classes.
_OF_CLASSES = frozenset(
    [
        *_COUNT_CLASSES_ALIKE,
        *("accuracy_score", "f1_score", "fbeta_score", "hamming_loss"),
        *("jaccard_score", "precision_score", "recall_score", "zero_one_loss"),
        *("negative_likelihood_ratio", "positive_likelihood_ratio"),
    ]
)
# What functions of scikit-learn measure that are no means of rows or classes.
_ROW_MEASURES = {
    "roc_auc_score": "area",
    "average_precision_score": "average precision",
    "median_absolute_error": "median error",
    "max_error": "largest error",
    "positive_likelihood_ratio": "likelihood ratio of positives",
    "negative_likelihood_ratio": "likelihood ratio of negatives",
}
# The largest values of losses, where there are two classes, and where there are more.
_LARGEST_LOSSES = {
    "brier_score_loss": (1.0, 2.0),
    "hamming_loss": (1.0, 1.0),
    "zero_one_loss": (1.0, 1.0),
}
# Those of scikit-learn are the same: the area always, and average precision where no
# two scores are equal.
_OURS = {
    "roc_auc_score": roc_auc_score,
    "average_precision_score": average_precision_score,
}


@dataclass(frozen=True)
class ModelScorer:
    """A callable of the user, ``(estimator, X, y)``, and the base of the other kinds.

    Attributes
    ----------
    name : str
        Its name in the result.
    scorer : callable
        The scorer; larger is better.
    requested : frozenset of str
        Which metadata it requests, of ``qid``, ``sample_weight`` and the user's own.
    of_largest : bool
        Whether it uses the largest grade of each document, because y has one grade per
        subtopic for other measures.
    ranks : {"queries", "rows", "fold"} or None
        What a ranking measure treats as one ranking: the rows of a query, the columns
        of a row (2-D targets, classes of a sample), or the whole fold.
    is_mean : bool
        Whether the score is the mean of one value per ranking.
    ranking : Measure or None
        Measure of the order of documents, if it can share an ordering with others.
    greater_is_better : bool
        False for losses that the scorer does not negate, as those of scikit-learn do.
    """

    name: str
    scorer: object
    requested: frozenset = frozenset()
    of_largest: bool = False
    ranks: str | None = None
    is_mean: bool = False
    ranking: Measure | None = None
    greater_is_better: bool = True

    # Facts about scorers of predictions, in the form that holds for a callable.
    # What scorers that share predictions and an ordering have in common; None if the
    # model itself is scored.
    ordering: ClassVar = None
    function_name: ClassVar = None
    undefined_if: ClassVar = NOTHING_RELEVANT  # why queries are undefined
    measure: ClassVar = None  # a Measure, or text for a function of scikit-learn
    bounds: ClassVar = None  # the range of scores, where it is known
    takes_weights: ClassVar = False  # whether rows, or whole queries, can have weights
    needs_both_classes: ClassVar = False  # whether one class alone is meaningless
    ranks_rows: ClassVar = False  # whether all rows are ranked against each other
    scores_labels: ClassVar = False  # whether it scores `predict`, row by row
    fold_is: ClassVar = ""  # what a fold without queries is, if it is not ranked
    # How sets are made of targets with several labels per row, by `ranks`.
    sets_of_labels: ClassVar[dict[str, str]] = {}
    most_pairs: ClassVar = 100_000  # of predictions and targets at random, for chance
    cuts_ranks: ClassVar = False  # whether a single rank decides a score
    row_measure: ClassVar = None  # see `Metric.row_measure`
    exact_ties: ClassVar = False  # see `Metric.exact_ties`
    floor: ClassVar = None  # of a geometric mean over queries
    is_sum: ClassVar = False  # whether it adds up rows, so that splits are added too

    def suppress_warnings(self):
        """Return a context without warnings of undefined scores."""
        # Filters, which all threads share.
        ignored = UndefinedMetricWarning
        return warnings.catch_warnings(action="ignore", category=ignored)

    def take_requested(self, metadata):
        """Return the metadata that it requests."""
        return {name: metadata[name] for name in self.requested if name in metadata}

    def predictions(self, model, X, y, metadata, cache):
        """Return the `Predictions` that it scores, None because it needs the model."""
        return None

    def score_model(self, model, X, y):
        """Return the score of a model by a callable: a number, or a dict."""
        with config_context(enable_metadata_routing=True):
            try:
                return self.scorer(model, X, y)
            except UndefinedScoreError as error:
                return _nan(error)

    def values_of_rows(self, predictions, split, classes):
        """Return values, weights and classes of rows whose mean a score is, or None."""
        return None

    def row_bounds(self, predictions):
        """Return the range of what a single row contributes."""
        return self.bounds

    def class_terms(self, predictions):
        """Return the terms of rows in ratios whose mean a score is, or None."""
        return None

    def class_table_measure(self, n_classes):
        """Return the function of tables of classes that a score is, or None."""
        return None

    def counts_classes_alike(self, predictions):
        """Whether small classes count as much as large ones."""
        return False

    def chance(self, predictions, metadata, rng):
        """Return the expected score if predictions are independent of targets.

        None if only the scores of predictions paired with targets at random tell.
        """
        return None

    def ranked_rows(self, predictions):
        """Return which rows are relevant, and their scores, of one ranking; or None."""
        return None

    def as_one_ranking(self, predictions):
        """Return targets and scores of one ranking, and a function that scores many.

        None if the scorer has to be called for each change of its rows.
        """
        return None


@dataclass(frozen=True)
class FunctionScorer(ModelScorer):
    """A function of predictions, in a scorer of scikit-learn's `make_scorer`.

    Attributes
    ----------
    function : callable
        The function.
    sign : {1, -1}
        -1 for losses, which scorers of scikit-learn negate (``"neg_log_loss"``).
    arguments : dict of str to object
        Further arguments of the function.
    response_method : str or tuple of str
        The prediction methods that the scorer asks for.
    """

    function: object = None
    sign: int = 1
    arguments: dict = field(default_factory=dict)
    response_method: object = ()

    most_pairs: ClassVar = 1_000_000

    @property
    def function_name(self):
        """The name of its function."""
        return name_of(self.function)

    @property
    def ordering(self):
        """What scorers that share predictions and an ordering have in common."""
        return self.name

    @property
    def name_in_sklearn(self):
        """The name of a function of scikit-learn, "" for others of that name, too."""
        is_of_sklearn = self.function.__module__.startswith("sklearn.")
        return self.function_name if is_of_sklearn else ""

    @property
    def measure(self):
        """The name and arguments of a function of scikit-learn, None for others."""
        name = self.name_in_sklearn.removesuffix("_score")
        return spell(name, self.arguments) if name else None

    @property
    def bounds(self):
        """Range of the scores; None if it is unknown."""
        name = self.name_in_sklearn
        if not name or "adjusted" in self.arguments:
            return None
        if self.sign < 0:  # none of its losses is below 0
            return (-_LARGEST_LOSSES.get(name, (np.inf,))[0], 0.0)
        if name.startswith(("d2_", "explained_variance_", "r2_")):
            return (-np.inf, 1.0)
        if name in ("cohen_kappa_score", "matthews_corrcoef"):
            return (-1.0, 1.0)
        return (0.0, 1.0) if name in _SHARES else None

    @property
    def takes_weights(self):
        """Whether rows can have weights."""
        return "sample_weight" in parameters_of(self.function)

    @property
    def scores_labels(self):
        """Whether it scores only `predict`, row by row, rather than an order."""
        return self.response_method == "predict"

    @property
    def needs_both_classes(self):
        """Whether it is meaningless on rows of a single class."""
        return not self.scores_labels

    @property
    def ranks_rows(self):
        """Whether it ranks all rows against each other, as ROC and AP without ids do.

        Functions that use decision values may do so, unless they are known not to.
        """
        name = self.name_in_sklearn
        asks_for_decisions = "decision_function" in self.response_method
        return self.needs_both_classes and (
            name in _RANK_ROWS or (asks_for_decisions and name not in _TAKE_ROWS)
        )

    @property
    def undefined_if(self):
        """Why queries are undefined; see `Metric.undefined_if`."""
        return self.metric.undefined_if

    @property
    def cuts_ranks(self):
        """Whether a single rank decides a score, so it jumps with single rows."""
        return self.row_measure == "median error"

    @property
    def row_measure(self):
        """What it measures of rows, if that has a rule; see `Metric.row_measure`."""
        is_plain = not self.arguments.keys() - {"pos_label"}
        return _ROW_MEASURES.get(self.name_in_sklearn) if is_plain else None

    def check_classes(self, target):
        """Refuse more than two classes where it compares two, and two unnamed words."""
        name = self.name_in_sklearn
        is_text = target.ndim == 1 and target.dtype.kind in "OUS"
        is_unclear = (
            name and is_text and _lacks_pos_label(self.function, self.arguments)
        )
        if is_unclear and type_of_target(target) == "binary":
            classes = np.unique(target).tolist()
            raise ValueError(
                f"scoring: {self.name} needs a positive class: pass pos_label="
                f"{classes[0]!r} or pos_label={classes[-1]!r}."
            )
        if name not in _OF_TWO_CLASSES or type_of_target(target) != "multiclass":
            return
        argument, of_two, of_more = _OF_TWO_CLASSES[name]
        if self.arguments.get(argument, of_two) == of_two:
            for_more = f"{name.removesuffix('_score')}_{of_more}"
            scorer = f"make_scorer({name}, {argument}={of_more!r})"
            if for_more in get_sklearn_names():
                scorer = repr(for_more)
            raise ValueError(
                f"scoring: {self.name} compares two classes, and y holds "
                f"{len(np.unique(target))}: write {scorer}."
            )

    def _refuse_scores(self, y_true, y_pred, model):
        """Refuse predictions that are no classes."""
        got = None
        if np.ndim(y_true) == 1 and np.shape(y_pred)[1:] not in ((), (1,)):
            got = f"an array of shape {np.shape(y_pred)}"
        elif y_pred.dtype.kind == "f":
            scores = y_pred[(y_pred != np.rint(y_pred)) & (y_pred == y_pred)]
            got = f"{float(scores[0]):g}" if scores.size else None
        if got is not None:
            raise ValueError(
                f"estimator must predict classes for {self.name}; "
                f"{name_of_estimator(model)} returns {got}. Return the class of each "
                "row, as model.predict or y_score >= 0.5 does, or pass a measure of "
                "scores, such as 'roc_auc'."
            )

    def predictions(self, model, X, y, metadata, cache):
        """Return the `Predictions` that it scores, predicted through a cache."""
        y = largest_grades(y) if self.of_largest else y
        methods = self.response_method
        asks_for_decisions = "decision_function" in methods
        lacks_predict = not hasattr(model, "predict")
        if (asks_for_decisions or lacks_predict) and not is_classifier(model):
            methods = RESPONSES if asks_for_decisions else "decision_function"
        method = first_response(model, methods)
        y_score = cache(model, method, X, pos_label_of(self.scorer))
        if self.name_in_sklearn in _OF_CLASSES and hasattr(y_score, "dtype"):
            self._refuse_scores(y, y_score, model)
        return Predictions(y, y_score)

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
            return self._score(predictions, options)
        except UndefinedScoreError as error:
            return _nan(error)

    def _score(self, predictions, options):
        return self.sign * self.function(
            predictions.y_true, predictions.y_score, **(self.arguments | options)
        )

    def values_of_rows(self, predictions, split, classes):
        """Return values, weights and classes of rows whose mean a score is, or None."""
        y_true, y_score = predictions.y_true, predictions.y_score
        label = self.arguments.get("pos_label")
        if self.name_in_sklearn == "brier_score_loss" and label is not None:
            y_true, classes = np.asarray(y_true) == label, np.array([False, True])
        values = row_values(self.name_in_sklearn, y_true, y_score, classes)
        if values is not None:
            return values, np.ones(len(values)), None
        return ratio_rows(self.name_in_sklearn, y_true, y_score, split, self.arguments)

    def row_bounds(self, predictions):
        """Return the range of what a single row contributes."""
        has_many_columns = np.shape(predictions.y_score)[1:] > (2,)
        if self.bounds and has_many_columns and self.function_name in _LARGEST_LOSSES:
            return (-_LARGEST_LOSSES[self.function_name][1], 0.0)
        return self.bounds

    def class_terms(self, predictions):
        """Return the terms of rows in ratios whose mean a score is, or None."""
        y_true, y_pred = predictions.y_true, predictions.y_score
        return class_terms(self.name_in_sklearn, y_true, y_pred, self.arguments)

    def class_table_measure(self, n_classes):
        """Return the function of tables of classes that a score is, or None."""
        return class_table_measure(self.name_in_sklearn, self.arguments, n_classes)

    def counts_classes_alike(self, predictions):
        """Whether small classes count as much as large ones."""
        is_macro = self.arguments.get("average") == "macro"
        return self.name_in_sklearn in _COUNT_CLASSES_ALIKE or is_macro

    def ranked_rows(self, predictions):
        """Return which rows are relevant, and their scores, of one ranking; or None."""
        if not _is_one_ranking(predictions):
            return None
        y_true, y_score = map(np.asarray, predictions[:2])
        classes = np.unique(y_true)
        if len(classes) != 2:
            return None
        usual = classes[1] if self.row_measure == "area" else 1
        return y_true == self.arguments.get("pos_label", usual), y_score

    def as_one_ranking(self, predictions):
        """Return targets and scores of one ranking, and a function that scores many.

        None where our function of this name has another value, and for arguments that
        it does not have.
        """
        function = _OURS.get(self.name_in_sklearn)
        if function is None or not _is_one_ranking(predictions):
            return None
        ranked = self.ranked_rows(predictions)
        if set(self.arguments) - {"pos_label"} or ranked is None:
            return None
        relevant, y_score = ranked
        has_ties = len(np.unique(y_score)) < len(y_score)
        if has_ties and function is not roc_auc_score:
            return None
        return relevant, y_score, _score_each(self.sign, function, {})


@dataclass(frozen=True)
class RankingFunctionScorer(FunctionScorer):
    """A function of another package, in a scorer that `make_ranking_scorer` made.

    Attributes
    ----------
    many_classes : bool
        Whether it scores more than two classes, of which splits may lack some.
    """

    many_classes: bool = False

    measure: ClassVar = None
    bounds: ClassVar = None
    cuts_ranks: ClassVar = True

    @property
    def needs_both_classes(self):
        """Whether it is meaningless on rows of a single class."""
        return self.ranks == "fold"

    @property
    def ranks_rows(self):
        """Whether it ranks all rows against each other."""
        return self.needs_both_classes

    def suppress_warnings(self):
        """Return a context without warnings of undefined scores."""
        return suppress_warnings()

    def measure_to_rank(self):
        """Return its `Measure` without ties, None if it shares no ordering."""
        return None

    def predictions(self, model, X, y, metadata, cache):
        """Return the `Predictions` that it scores, predicted through a cache."""
        y = largest_grades(y) if self.of_largest else y
        qid = metadata["qid"] if "qid" in self.requested else None
        options = {"many_classes": True} if self.many_classes else {}
        return self.scorer.predictions(model, X, y, qid=qid, ask=cache, **options)

    def _score(self, predictions, options):
        score = self.scorer.score_predictions(predictions, **options)
        return self.scorer.sign * score  # the scorer has negated a loss

    def values_of_rows(self, predictions, split, classes):
        """Return values, weights and classes of rows whose mean a score is, or None."""
        return None

    def class_terms(self, predictions):
        """Return the terms of rows in ratios whose mean a score is, or None."""
        return None

    def counts_classes_alike(self, predictions):
        """Whether small classes count as much as large ones."""
        is_macro = self.arguments.get("average", "macro") == "macro"
        return is_macro and predictions.labels is not None

    def as_one_ranking(self, predictions):
        """Return targets and scores of one ranking, and a function that scores many."""
        return super().as_one_ranking(predictions) if self.ranks == "fold" else None

    def chance(self, predictions, metadata, rng):
        """Return the expected score if predictions are independent of targets.

        None if it does not know ties: then it is the score of many orders at random.
        """
        if "ties" not in parameters_of(self.function):
            return None
        equal = predictions._replace(y_score=np.zeros(np.shape(predictions.y_score)))
        return self.score(equal, metadata, ties="average")


@dataclass(frozen=True)
class MeasureScorer(RankingFunctionScorer):
    """A ranking measure of this package."""

    @property
    def metric(self):
        """The facts about it."""
        return self.scorer.metric

    @property
    def ordering(self):
        """What scorers that share predictions and an ordering have in common."""
        if self.ranking is None:
            return self.name
        arguments = self.arguments
        shared = [arguments.get("pos_label"), arguments.get("ties", "average")]
        weighted = "sample_weight" in self.requested
        methods = self.response_method
        return repr([*shared, methods, self.ranks, weighted, self.of_largest])

    @property
    def measure(self):
        """Its `Measure`."""
        return self.scorer.measure

    def measure_to_rank(self):
        """Return its `Measure` without ties, None if it shares no ordering."""
        if not {"labels", "sample_weight"}.isdisjoint(self.arguments):
            return None
        if "ties" not in self.arguments:
            return self.scorer.measure
        arguments = {k: v for k, v in self.arguments.items() if k != "ties"}
        return Measure(self.metric, **arguments)

    @property
    def bounds(self):
        """Range of the scores."""
        return self.measure.range

    @property
    def takes_weights(self):
        """Whether rows, or whole queries, can have weights."""
        if self.ranks == "fold":
            return self.metric.weighs_documents
        return super().takes_weights

    @property
    def cuts_ranks(self):
        """Whether a single rank decides a score, so it jumps with single rows."""
        has_cutoff = self.arguments.get("k") is not None
        return self.metric.row_measure is None or has_cutoff

    @property
    def row_measure(self):
        """What it measures if all rows are one ranking; see `Metric.row_measure`."""
        known = {"pos_label", "relevance_threshold", "ties"}
        is_plain = self.ranks == "fold" and not self.arguments.keys() - known
        return self.metric.row_measure if is_plain else None

    @property
    def exact_ties(self):
        """Whether ties stand for the mean over orders; see `Metric.exact_ties`."""
        return self.metric.exact_ties

    @property
    def floor(self):
        """The floor of a geometric mean over queries, None for other scores."""
        is_geometric = self.arguments.get("average") == "geometric"
        if not is_geometric or self.ranks != "queries":
            return None
        return self.arguments.get("epsilon", EPSILON)

    def class_table_measure(self, n_classes):
        """Return the function of tables of classes that a score is, or None."""
        return None if self.arguments else self.metric.of_table

    def ranked_rows(self, predictions):
        """Return which rows are relevant, and their scores, of one ranking; or None."""
        if not _is_one_ranking(predictions) or predictions.qid is not None:
            return None
        y_true, y_score = map(np.asarray, predictions[:2])
        pos_label = self.arguments.get("pos_label")
        threshold = self.arguments.get("relevance_threshold")
        if pos_label is not None:
            relevant = y_true == pos_label
        else:
            relevant = y_true > 0 if threshold is None else y_true >= threshold
        return relevant, y_score

    def as_one_ranking(self, predictions):
        """Return targets and scores of one ranking, and a function that scores many."""
        if self.ranks != "fold" or not _is_one_ranking(predictions):
            return None
        y_true, y_score = map(np.asarray, predictions[:2])
        return y_true, y_score, _score_each(self.sign, self.function, self.arguments)

    def chance(self, predictions, metadata, rng):
        """Return the expected score if predictions are independent of targets."""
        if "ties" not in self.metric.all_parameters or predictions.labels is not None:
            return super().chance(predictions, metadata, rng)
        arguments = self.arguments | metadata
        known = ("ties", "qid")
        return self.sign * chance_level(
            self.function,
            predictions.y_true,
            qid=predictions.qid,
            random_state=int(rng.integers(2**31)),
            **{name: value for name, value in arguments.items() if name not in known},
        )


@dataclass(frozen=True)
class DecisionScorer(MeasureScorer):
    """A measure of predictions, the base of those of sets and of labels."""

    fold_is: ClassVar = "one set"
    sets_of_labels: ClassVar = {
        "fold": "each label is a set of rows",
        "rows": "each row is a set of labels",
    }
    needs_both_classes: ClassVar = False
    cuts_ranks: ClassVar = False

    def measure_to_rank(self):
        """Return None, because it ranks nothing."""
        return None

    def as_one_ranking(self, predictions):
        """Return None, because it ranks nothing."""
        return None


@dataclass(frozen=True)
class LabelMeasureScorer(DecisionScorer):
    """A measure of this package of predicted labels."""

    @property
    def is_sum(self):
        """Whether it adds up rows, so that the sums of splits are added, too."""
        return self.ranks == "fold" and self.metric.is_sum(self.arguments)

    def row_bounds(self, predictions):
        """Return the range of what a single row contributes."""
        if not self.is_sum:
            return self.bounds
        mean = {**self.measure.arguments, self.metric.sum_unless: True}
        return Measure(self.metric, **mean).range

    def values_of_rows(self, predictions, split, classes):
        """Return values, weights and classes of rows whose mean a score is, or None."""
        y_true, y_pred, labels, qid = predictions
        if self.metric.sum_unless is None or qid is not None or np.ndim(y_true) != 1:
            return None
        arguments = {"labels": labels, **self.arguments}
        return cost_rows(self.function, y_true, y_pred, arguments)

    def counts_classes_alike(self, predictions):
        """Whether small classes count as much as large ones."""
        return self.metric.counts_classes_alike


@dataclass(frozen=True)
class SetMeasureScorer(DecisionScorer):
    """A measure of this package of predicted sets."""

    @property
    def takes_weights(self):
        """Whether rows, or whole queries, can have weights."""
        return self.ranks == "fold" or super().takes_weights

    def values_of_rows(self, predictions, split, classes):
        """Return values, weights and classes of rows whose mean a score is, or None."""
        y_true, y_pred, labels, qid = predictions
        if qid is not None or np.ndim(y_true) != 1 or "labels" in self.arguments:
            return None
        if labels is None:
            return set_rows(self.metric, y_true, y_pred, self.arguments)
        name, arguments = sklearn_counterpart(self.metric, self.arguments)
        return ratio_rows(name, y_true, y_pred, split, arguments)

    def class_terms(self, predictions):
        """Return the terms of rows in ratios whose mean a score is, or None."""
        y_true, y_pred, labels, qid = predictions
        if labels is None or qid is not None:
            return None
        name, arguments = sklearn_counterpart(self.metric, self.arguments)
        return class_terms(name, y_true, y_pred, arguments)


# What an evaluation makes of each kind of scorer of this package.
_KINDS = {
    CustomScorer: RankingFunctionScorer,
    RankingScorer: MeasureScorer,
    LabelScorer: LabelMeasureScorer,
    AccuracyScorer: SetMeasureScorer,
    SetScorer: SetMeasureScorer,
}


def _is_one_ranking(predictions):
    return np.ndim(predictions.y_score) == 1 and predictions.labels is None


def _score_each(sign, function, arguments):
    """Return a function that scores many rankings."""
    options = arguments | {"average": None, "replace_undefined_by": np.nan}

    def score(y_true, y_score, **ids):
        return sign * function(y_true, y_score, **ids, **options)

    return score


def _nan(error):
    """Warn that a score is undefined in a split, and return NaN."""
    warn_of_data(str(error), UndefinedMetricWarning)
    return np.nan
