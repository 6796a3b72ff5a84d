"""Scorers: measures that score estimators and know about queries."""

from __future__ import annotations

import ast
import reprlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import RLock
from typing import Any, ClassVar, NamedTuple
from uuid import uuid4

import numpy as np
from sklearn import config_context, get_config
from sklearn.metrics import cohen_kappa_score, make_scorer

from sklearn_irmetrics._arrays.labels import check_row_order
from sklearn_irmetrics._arrays.numbers import as_array, to_numpy
from sklearn_irmetrics._checks import check_flag, check_qid_source
from sklearn_irmetrics._compat import (
    ScorerOfEstimators,
    get_response,
    warn_caller,
    with_requests_of,
)
from sklearn_irmetrics._results.markup import write_html
from sklearn_irmetrics._typing import ResponseMethod
from sklearn_irmetrics._warnings import collect_warnings
from sklearn_irmetrics.exceptions import UndefinedScoreError
from sklearn_irmetrics.metrics._measure import (
    Measure,
    as_measure,
    as_measures,
    check_complete,
    describe_measure,
    measure_of_function,
    try_out,
)
from sklearn_irmetrics.metrics._ranking.judgments import Judgments
from sklearn_irmetrics.metrics._ranking.marks import MARKS
from sklearn_irmetrics.metrics._registry import ALIASES, METRICS, RESPONSES
from sklearn_irmetrics.scorers._query_ids import (
    QidColumn,
    warn_of_cut_queries,
)
from sklearn_irmetrics.scorers._responses import (
    check_labels,
    check_responses,
    count_labels,
    flat,
    indicators,
    is_classifier,
    name_others_alike,
    predict_labels,
    predict_scores,
    refuse_unknown_set,
    warn_of_ranked_classes,
)

_LOCK = RLock()


def name_of(function):
    """Return the name of a function, or of the class of another callable."""
    return getattr(function, "__name__", type(function).__name__)


def spell(name, arguments):
    """Return the name of a function with its arguments, as one would write it."""
    inside = ", ".join(
        f"{key}={value.item() if isinstance(value, np.generic) else value!r}"
        for key, value in arguments.items()
    )
    return f"{name}({inside})" if inside else name


def read_spelled(text):
    """Return the name and the arguments that `spell` wrote.

    Arguments that are no literals stay text, all in one if they are no Python.
    """
    name, has_arguments, inside = text.partition("(")
    if not has_arguments:
        return name, {}
    try:
        keywords = ast.parse(text, mode="eval").body.keywords
    except SyntaxError:
        return name, {"": inside}
    arguments = {}
    for keyword in keywords:
        try:
            arguments[keyword.arg] = ast.literal_eval(keyword.value)
        except ValueError:
            arguments[keyword.arg] = ast.unparse(keyword.value)
    return name, arguments


class Predictions(NamedTuple):
    """The predictions that a measure scores, of any estimator and fold.

    Attributes
    ----------
    y_true, y_score : array-like
        Targets, and scores or predicted labels.
    labels : ndarray or None
        All classes, if `y_score` holds labels; or the class of each column of
        `y_score`, for functions of other packages. Ranking measures of this package
        have none: their `y_true` has a column for each class.
    qid : array-like or None
        Query ids.
    """

    y_true: Any
    y_score: Any
    labels: Any = None
    qid: Any = None

    def of_rows(self, metadata):
        """Return the metadata of their rows that are not None, by name."""
        of_rows = {name: metadata[name] for name in _OF_ROWS & metadata.keys()}
        of_rows |= {"qid": self.qid, "labels": self.labels}
        return {name: values for name, values in of_rows.items() if values is not None}

    def among_candidates(self, candidates, metadata):
        """Return targets and scores of candidates, and the metadata of their rows."""
        of_rows = self.of_rows(metadata)
        judgments = Judgments(
            self.y_true,
            self.qid,
            of_rows.get("sample_weight"),
            {name: of_rows[name] for name in MARKS.keys() & of_rows.keys()},
            candidates,
        )
        judgments, y_score = judgments.among_candidates(self.y_score)
        of_rows = judgments.arguments()
        if self.labels is not None:
            of_rows["labels"] = self.labels
        return judgments.y_true, y_score, of_rows


class QueryScore:
    """A function that refuses to treat documents of many queries as one ranking.

    Some consumers rebuild a scorer from its score function, so everything that they
    must not lose is here: the demand for ids, the error if nothing is defined, and the
    list of warnings shown. `sample_weight` is not a parameter, because searches forward
    training weights to score functions that have it.

    Parameters
    ----------
    function : callable
        Any measure.
    arguments : dict of str to object
        Its further arguments, which the scorer passes with each call.
    needs_ids : bool
        Whether 1-D input needs query ids.
    """

    # Whether each class is a set where neither ids nor `labels` are passed.
    averages_classes = False

    # What scorers have warned of in this process, by their tokens.
    _warned: ClassVar[set[tuple[str, object]]] = set()

    def __init__(self, function, arguments, *, needs_ids):
        self.function = function
        self.needs_ids = needs_ids
        self.token = uuid4().hex  # which copies keep, also in other processes
        self.__name__ = name_of(function)

    def refuse_missing_ids(self):
        """Raise the error of a call without query ids."""
        routing = "call sklearn.set_config(enable_metadata_routing=True) and pass qid="
        if get_config()["enable_metadata_routing"]:
            routing = "metadata routing is on: pass qid=qid (not groups=)"
        raise ValueError(
            f"{self.__name__} needs query ids (qid) and none arrived. Either (1) "
            f"{routing}, as in cross_validate(..., params={{'qid': qid}}), "
            "GridSearchCV(...).fit(X, y, qid=qid) or search.score(X, y, qid=qid); or "
            "(2) name a column of X: get_scorer(..., qid='column'), which only "
            "TunedThresholdClassifierCV does not read; or (3) declare that every fold "
            "is one ranking (or every sample, of classes): get_scorer(..., qid=None)."
        )

    def __call__(self, y_true, y_score, **kwargs):
        """Return the score of what a consumer predicts, maybe at a threshold."""
        return self.score(y_true, y_score, **kwargs)

    def score(self, y_true, y_score, *, qid=None, **kwargs):
        """Return the score of the predictions of a scorer."""
        if qid is None and self.needs_ids and 1 in (np.ndim(y_true), np.ndim(y_score)):
            self.refuse_missing_ids()
        if qid is not None:
            kwargs["qid"] = qid
        with collect_warnings() as collected:
            score = self.function(y_true, y_score, **kwargs)
        if np.ndim(score) == 0 and score != score:
            raise UndefinedScoreError(
                f"{self.__name__} is undefined in all queries (or rows) that were "
                "scored. Use StratifiedQueryKFold, more queries per fold, or "
                "get_scorer(..., replace_undefined_by=number)."
            )
        self.warn_once(collected)
        return score

    def warn_once(self, collected):
        """Warn of each subject once per scorer and process."""
        for subject, message, category in collected:
            with _LOCK:  # otherwise two threads could warn
                if (self.token, subject) not in self._warned:
                    warn_caller(f"{message} Shown once per scorer.", category)
                    # Unless a filter made it an error.
                    self._warned.add((self.token, subject))


class ScoreOfRankings(QueryScore):
    """A measure of rankings, which would rank labels without complaint: it refuses."""

    def __call__(self, y_true, y_score, **kwargs):
        """Return the score of what a consumer predicts, unless that is labels."""
        labels, y_pred = as_array("y_true", y_true), as_array("y_pred", y_score)
        same_kind = labels.dtype.kind == y_pred.dtype.kind
        if y_pred.ndim == 1 and same_kind and np.isin(y_pred, labels).all():
            raise ValueError(
                f"{self.__name__} ranks by scores, and got predicted labels, as "
                "TunedThresholdClassifierCV passes to its scoring: the order inside a "
                "label would be arbitrary. Choose a threshold by a measure of labels, "
                "such as get_scorer('set_f1'), 'set_cost' or 'set_accuracy'."
            )
        return super().__call__(y_true, y_score, **kwargs)


class ScoreOfSets(QueryScore):
    """A measure of sets, each class being one if `average` means classes or labels."""

    def __init__(self, function, arguments, *, needs_ids):
        super().__init__(function, arguments, needs_ids=needs_ids)
        names_classes = any(
            arguments.get(name) is not None for name in ("labels", "pos_label")
        )
        has_grades = not _OF_GRADES.isdisjoint(arguments)
        average = arguments.get("average", "samples")  # which means rows
        self.averages_classes = average != "samples" and not (
            names_classes or has_grades
        )

    def __call__(self, y_true, y_score, **kwargs):
        """Return the score of predicted labels, which may be classes to average."""
        if kwargs.get("qid") is None and self.averages_classes:
            labels = np.union1d(y_true, y_score)
            if np.ndim(y_true) == 2:  # a column for each of several labels per row
                labels = np.arange(np.shape(y_true)[1])
            kwargs.setdefault("labels", labels)
        return super().__call__(y_true, y_score, **kwargs)


def refuse_constant(metric, arguments, name=None):
    """Refuse measures that cannot tell one model from another."""
    if not metric.has_direction:
        raise ValueError(
            f"{metric.name!r} cannot be a scorer: neither larger nor smaller values "
            "are better."
        )
    if not (metric.ranks_without_k or "k" in arguments):
        name = name or metric.name
        names = f"set_{name}".lower(), f"set_{metric.name}"
        of_sets = next(filter(METRICS.__contains__, names), None)
        labels = f", or {of_sets!r} for predicted labels" if of_sets else ""
        raise ValueError(
            f"{name!r} needs a cutoff, such as '{name}@10'{labels}. An estimator "
            "scores all documents, so without one every model gets the same value. For "
            "estimators that return -inf for documents not retrieved, write k=None."
        )


def check_scorable(measure, name=None):
    """Refuse a measure that lacks an argument, has a bad one, or is constant."""
    check_complete(measure)
    refuse_constant(measure.metric, measure.arguments, name)
    try_out(measure)


# Arguments that `get_scorer_names` shows if a measure needs one.
_EXAMPLES = {"k": 10, "n_expected": 10, "target": "'relevant'"}


def complete_name(name):
    """Return the name of a measure, with an example of each argument it needs."""
    metric = METRICS[ALIASES.get(name, name)]
    needed = [*metric.required, *([] if metric.ranks_without_k else ["k"])]
    at = f"@{_EXAMPLES[metric.at_parameter]}" if metric.at_parameter in needed else ""
    named = [name for name in needed if name != metric.at_parameter]
    inside = [f"{parameter}={_EXAMPLES[parameter]}" for parameter in named]
    return name + (f"({', '.join(inside)})" if inside else "") + at


_OF_ROWS = {"sample_weight", *MARKS}
_OF_GRADES = frozenset(["relevance_threshold", "judged_only"])


class QueryScorer(ScorerOfEstimators):
    """A scorer in two steps, aware of query ids; there is a class for each kind.

    A kind defines `predictions`, what is scored of an estimator, and `_score_class`,
    how it is scored.

    Parameters
    ----------
    function : callable
        The measure of predictions.
    arguments : dict of str to object
        Its further arguments.
    measure : Measure or None
        Both as a value; None for functions of other packages.
    qid : {"auto", "metadata"}, str, int, callable or None
        Where query ids come from.
    greater_is_better : bool
        Whether larger values of the measure are better.
    response_method : str or tuple of str
        The prediction methods to call.
    """

    def __init__(
        self, function, arguments, *, measure, qid, greater_is_better, response_method
    ):
        check_responses(response_method)
        check_qid_source(qid, words="'auto', 'metadata', ", where_ids_go="as metadata")
        routed = isinstance(qid, str) and qid in ("metadata", "auto")
        self.measure = measure
        # Whether an argument says that targets are grades, not classes.
        self._takes_grades = not _OF_GRADES.isdisjoint(arguments)
        self._qid, self._qid_from_X = qid, None
        if qid is not None and not routed:
            self._qid_from_X = qid if callable(qid) else QidColumn(qid)
        score_func = self._score_class(function, arguments, needs_ids=self._needs_ids())
        sign = 1 if greater_is_better else -1
        super().__init__(score_func, sign, arguments, response_method)
        marks = () if measure is None else measure.metric.requested_marks
        with config_context(enable_metadata_routing=True):
            of_rows = {*marks, "candidates"} - arguments.keys()
            self.set_score_request(qid=routed, **dict.fromkeys(of_rows, True))

    @property
    def metric(self):
        """The facts about its measure."""
        return self.measure.metric

    @property
    def label(self):
        """Its name in results."""
        return self.measure.label

    @property
    def takes_subtopics(self):
        """Whether targets are one grade per subtopic."""
        return self.metric.subtopics

    def _needs_ids(self):
        """Whether 1-D input needs query ids."""
        return self._qid is not None

    def _copy(self, **changes):
        """Return a scorer like this one but for some arguments, without requests."""
        options = {
            "arguments": self.arguments,
            "measure": self.measure,
            "qid": self._qid_from_X or self._qid,
            "greater_is_better": self.sign > 0,
            "response_method": self.response_method,
        }
        return type(self)(self.score_func.function, **options | changes)

    def with_ids_from(self, qid):
        """Return this scorer with another source of query ids."""
        return self._copy(qid=qid)

    def with_pos_label(self, pos_label):
        """Return this scorer of a class, itself if it takes none or names its classes.

        A measure that averages over classes or has grades keeps its own rule.
        """
        if "pos_label" not in self.metric.all_parameters:
            return self
        named = {"pos_label", "labels", *_OF_GRADES}
        if not named.isdisjoint(self.arguments) or self.score_func.averages_classes:
            return self
        of_class = self._copy(
            arguments=self.arguments | {"pos_label": pos_label},
            measure=Measure(self.measure, pos_label=pos_label),
        )
        return with_requests_of(of_class, self)

    def score_estimator(self, estimator, X, y, *, ask, qid=None, **metadata):
        """Return the score of an estimator that was fitted.

        Warn if it was fitted on other rows of these queries. `metadata` is what
        `score_predictions` takes, `ask` and `qid` what `predictions` does.
        """
        rows = {name: metadata.get(name) for name in (*_OF_ROWS, "candidates")}
        check_row_order(X=X, y=y, qid=qid, **rows)
        if self._qid_from_X is not None:
            qid = self._qid_from_X(X)
        predictions = self.predictions(estimator, X, y, qid=qid, ask=ask)
        if predictions.qid is not None:
            with collect_warnings() as collected:
                warn_of_cut_queries(estimator, y, predictions.qid)
            self.score_func.warn_once(collected)
        return self.score_predictions(predictions, **metadata)

    def score_predictions(self, predictions, *, candidates=None, **metadata):
        """Return the score of `Predictions`; losses are negated.

        Further arguments are weights and marks of rows, and options of the metric.
        """
        if candidates is None:
            y_true, y_score = predictions.y_true, predictions.y_score
            of_rows = predictions.of_rows(metadata)
        else:
            y_true, y_score, of_rows = predictions.among_candidates(
                candidates, metadata
            )
        options = {name: metadata[name] for name in metadata.keys() - _OF_ROWS}
        arguments = {**self.arguments, **options, **of_rows}
        if self.score_func.averages_classes:  # None: these are not classes
            arguments.setdefault("labels", None)
        return self.sign * self.score_func.score(y_true, y_score, **arguments)

    def __repr__(self):
        source = self._qid_from_X or self._qid
        text = super().__repr__()
        return text if source == "auto" else f"{text[:-1]}, qid={source!r})"

    def _repr_html_(self):
        """Show the measure in notebooks, and where predictions and ids come from."""
        facts = {
            "response_method": ", ".join(np.atleast_1d(self.response_method)),
            "qid": repr(self._qid_from_X or self._qid),
        }
        return write_html(describe_measure(self.measure, **facts))


class RankingScorer(QueryScorer):
    """A ranking measure, which ranks rows inside queries or the classes of each row."""

    _score_class: ClassVar[type[QueryScore]] = ScoreOfRankings

    def __init__(self, *args, qid, **kwargs):
        # Rankings need their ids: "metadata" says no more than "auto".
        is_metadata = isinstance(qid, str) and qid == "metadata"
        super().__init__(*args, qid="auto" if is_metadata else qid, **kwargs)

    def predictions(
        self, estimator, X, y, *, qid=None, many_classes=False, ask=get_response
    ):
        """Return the predictions that the metric scores.

        Parameters
        ----------
        estimator : fitted estimator
            The estimator that predicts.
        X, y : array-like
            Rows and their targets.
        qid : array-like, default=None
            Query ids.
        many_classes : bool, default=False
            Whether there are more than two classes, although the estimator, and `y`,
            may lack some of them.
        ask : callable, default=get_response
            ``ask(estimator, method, X, pos_label)`` returns a prediction.

        Returns
        -------
        Predictions
        """
        y, y_score, classes = predict_scores(
            estimator,
            X,
            y,
            self.response_method,
            in_queries=qid is not None,
            pos_label=self.arguments.get("pos_label"),
            as_grades=self._takes_grades,
            many_classes=many_classes,
            ask=ask,
        )
        return self._ranked(y, y_score, classes, qid)

    def _ranked(self, y, y_score, classes, qid):
        """Return `Predictions`, with a column of targets for each class ranked."""
        if classes is None:
            return Predictions(y, y_score, None, qid)
        if self.score_func.needs_ids:
            self.score_func.refuse_missing_ids()
        if self.arguments.get("k") is None:
            with collect_warnings() as collected:
                warn_of_ranked_classes(self.metric, len(classes))
            self.score_func.warn_once(collected)
        return Predictions(indicators(y, classes), y_score, None, qid)


class CustomScorer(RankingScorer):
    """A function of another package that ranks, so without a `Measure`.

    It gets NumPy arrays, and the classes as `labels`.
    """

    metric = None
    takes_subtopics = False
    _score_class = QueryScore

    @property
    def label(self):
        """Its name in results."""
        return spell(self.score_func.__name__, self.arguments)

    def with_pos_label(self, pos_label):
        """Return this scorer, whose function has a rule of its own."""
        return self

    def _ranked(self, y, y_score, classes, qid):
        return Predictions(to_numpy(y), y_score, classes, qid)

    def _repr_html_(self):
        return None


class LabelScorer(QueryScorer):
    """A measure of predicted labels, which needs ids only if they were promised."""

    _score_class: ClassVar[type[QueryScore]] = QueryScore

    def _needs_ids(self):
        return self._qid is not None and self._qid != "auto"

    def predictions(
        self, estimator, X, y, *, qid=None, many_classes=False, ask=get_response
    ):
        """Return the predictions that the metric scores; see `RankingScorer`."""
        pos_label = self.arguments.get("pos_label")
        if pos_label is None and self.arguments.get("labels") is None:
            return self._of_all_classes(estimator, X, y, qid, many_classes, ask)
        y, y_pred = flat(y), flat(ask(estimator, "predict", X))
        if pos_label is not None:
            y, y_pred = name_others_alike(estimator, pos_label, y, y_pred)
        return Predictions(y, y_pred, None, qid)

    def _of_all_classes(self, estimator, X, y, qid, many_classes, ask):
        """Return the `Predictions` of a measure that does not single out a class."""
        y, y_pred, labels = self._labels(estimator, X, y, qid, ask, as_set=False)
        return Predictions(y, y_pred, self._passed_on(labels), qid)

    def _labels(self, estimator, X, y, qid, ask, *, as_set, as_grades=False):
        """Return targets, predicted labels and all classes; refuse other numbers."""
        y_true, y_pred, labels = predict_labels(
            estimator, X, y, as_set=as_set, as_grades=as_grades, ask=ask
        )
        if qid is not None or not self.score_func.needs_ids:
            check_labels(y_pred, estimator)
        return y_true, y_pred, labels

    def _passed_on(self, labels):
        """Return the classes, if the metric has an argument for them."""
        return labels if "labels" in self.metric.all_parameters else None


class AccuracyScorer(LabelScorer):
    """A measure of right decisions about all classes at once, as in scikit-learn."""

    def _of_all_classes(self, estimator, X, y, qid, many_classes, ask):
        y, y_pred, labels = self._labels(
            estimator, X, y, qid, ask, as_set=True, as_grades=self._takes_grades
        )
        if labels is not None:
            y, y_pred = np.ones(len(y_pred)), y == y_pred
        return Predictions(y, y_pred, None, qid)


class SetScorer(LabelScorer):
    """A measure of the predicted set, or of a set for each class."""

    _score_class = ScoreOfSets

    def _of_all_classes(self, estimator, X, y, qid, many_classes, ask):
        in_queries, as_grades = qid is not None, self._takes_grades
        averages_classes = many_classes or self.score_func.averages_classes
        is_each_class = averages_classes and not in_queries
        n_labels = count_labels(y) if is_classifier(estimator) else None
        if n_labels is None and self.arguments.get("average") == "samples":
            raise ValueError(
                "average='samples' needs a target with a column for each label; got "
                f"shape {np.shape(y)}. The mean over classes is average='macro'."
            )
        y, y_pred, labels = self._labels(
            estimator,
            X,
            y,
            qid,
            ask,
            as_set=as_grades or not is_each_class,
            as_grades=as_grades or in_queries,
        )
        if n_labels is not None and is_each_class:
            labels = np.arange(n_labels)
        if labels is not None and not is_each_class:
            refuse_unknown_set(estimator, labels)
        if labels is not None and in_queries:
            raise ValueError(
                f"qid must be None for {self.metric.name} of {len(labels)} classes, "
                "because each class is scored as a set. Pass qid=None to get_scorer, "
                "or one class as pos_label."
            )
        return Predictions(y, y_pred, self._passed_on(labels), qid)


_KINDS = {"ranking": RankingScorer, "set": SetScorer, "labels": LabelScorer}


def _scorer_of(measure, function, arguments, **options):
    """Return the scorer of a measure, of its kind."""
    metric = measure.metric
    kind = AccuracyScorer if metric.counts_decisions else _KINDS[metric.kind]
    return kind(function, arguments, measure=measure, **options)


def make_ranking_scorer(
    score_func: Callable[..., Any],
    *,
    greater_is_better: bool = True,
    response_method: ResponseMethod = RESPONSES,
    qid: Any = "auto",
    **kwargs: Any,
) -> Any:
    """Make a scikit-learn scorer that ranks documents inside queries.

    Parameters
    ----------
    score_func : callable
        ``score_func(y_true, y_score, *, qid=None, **kwargs)``, such as any measure of
        this package.
    greater_is_better : bool, default=True
        False negates a loss, as in `sklearn.metrics.make_scorer`.
    response_method : str or tuple of str, default=("decision_function", \
            "predict_proba", "predict")
        Methods of the estimator that return scores; the first that it has is used. The
        score of a classifier is that of ``pos_label``, if given; otherwise that of the
        larger of two numeric classes. With ids, a multiclass classifier is scored by
        its expected grade ``Σ p(c) c``. Rows of a class that training lacked count as
        missed. ``classes_`` may be in any order.
    qid : {"auto", "metadata"}, str, int, callable or None, default="auto"
        Source of query ids. "auto" and "metadata": metadata routing
        (``cross_validate(..., params={"qid": qid})``, ``GridSearchCV.fit(X, y,
        qid=qid)``), for which `set_score_request` is not needed. Rankings without ids
        then raise an error. With "auto", measures of sets and labels do not need ids:
        if none arrive, each fold is one set, or has one set per class if there are more
        than two or `average` is passed. If rows can have several labels, each row is a
        set, or each label if `average` is passed. A name, a position or a callable: a
        column of X, or the result of ``qid(X)``; both also work with routing off. None:
        each fold is one ranking, or, for the class scores of a multiclass classifier,
        each sample ranks the classes, so that ``roc_auc`` and ``ap`` are not
        one-vs-rest.
    **kwargs
        Further arguments of `score_func`, such as ``pos_label="good"``, which is needed
        if there are two classes and they are strings.

    Returns
    -------
    callable
        A new scorer object, ``scorer(estimator, X, y)``, for any `scoring=`.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above. The scorer itself raises `ValueError` if
        it has to rank 1-D targets and received no query ids, or if the measure is
        undefined in all queries.

    See Also
    --------
    get_scorer : Get a scorer by the name of a measure.

    Notes
    -----
    Query weights must be requested: ``scorer.set_score_request(qid=True,
    sample_weight=True)``. `candidates`, as of `score_queries`, are requested already.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_irmetrics import make_ranking_scorer, ndcg_score
    >>> scorer = make_ranking_scorer(ndcg_score, k=10, qid=0)
    >>> X, y = [[7, 1.0], [7, 0.0], [8, 3.0], [8, 4.0]], [1, 0, 0, 1]
    >>> scorer(Ridge().fit(X, y), X, y)
    1.0
    """
    if not callable(score_func):
        raise TypeError(f"score_func must be callable; got {score_func!r}.")
    if isinstance(score_func, Measure):  # which knows its direction
        raise TypeError(
            f"score_func must be a function; got {score_func!r}. get_scorer makes a "
            "scorer of a measure."
        )
    check_flag("greater_is_better", greater_is_better)
    make = partial(CustomScorer, measure=None)
    if (measure := measure_of_function(score_func)) is not None:
        refuse_constant(measure.metric, kwargs)
        make = partial(_scorer_of, Measure(measure, **kwargs))
    return make(
        score_func,
        kwargs,
        qid=qid,
        greater_is_better=greater_is_better,
        response_method=response_method,
    )


def _is_kappa(scoring):
    """Whether this names the kappa of scikit-learn, for which that has no scorer."""
    return isinstance(scoring, str) and scoring.lower() == "cohen_kappa"


def get_scorer(scoring: str | Measure, *, qid: Any = "auto", **kwargs: Any) -> Any:
    """Return a new scorer for the name of a measure.

    Parameters
    ----------
    scoring : str or Measure
        Such as ``"ndcg@10"``, ``"map"`` or ``"ap(relevance_threshold=2)@100"``; see
        `get_scorer_names`. Case does not matter.
    qid : {"auto", "metadata"}, str, int, callable or None, default="auto"
        Source of query ids; see `make_ranking_scorer`.
    **kwargs
        Further arguments of the measure, such as ``ties="pessimistic"`` or the relevant
        class, ``pos_label="good"``.

    Returns
    -------
    callable
        A scorer, ``scorer(estimator, X, y)``. Losses are negated.

    Raises
    ------
    TypeError, ValueError
        If `scoring` is not the name of a measure (the message lists the nearest names),
        the measure has no such argument or its value is out of range, or all models
        would get the same score.

    Examples
    --------
    >>> from sklearn_irmetrics import get_scorer
    >>> get_scorer("p@5", response_method="predict")
    make_scorer(precision_at_k_score, response_method='predict', k=5)
    """
    if _is_kappa(scoring):
        if not (qid is None or (isinstance(qid, str) and qid == "auto")):
            raise ValueError(
                f"{scoring!r} compares the labels of all rows and takes no query ids: "
                f"leave out qid, or pass qid=None; got {reprlib.repr(qid)}."
            )
        return make_scorer(cohen_kappa_score, **kwargs)
    if isinstance(scoring, list | tuple | dict):
        raise TypeError(
            "scoring must name one measure; got a "
            f"{type(scoring).__name__}. get_scorers makes several scorers at once."
        )
    measure = as_measure("scoring", scoring)
    metric = measure.metric
    response_method = kwargs.pop("response_method", metric.response_method)
    if kwargs:
        named = measure.arguments
        for name in kwargs.keys() & named.keys():
            if kwargs[name] != named[name]:
                raise ValueError(
                    f"{name} must be given once; got {named[name]!r} and "
                    f"{kwargs[name]!r}."
                )
        measure = Measure(measure, **kwargs)
    if measure.average is None:
        raise ValueError(
            "average must not be None in a scorer, which returns one number."
        )
    typed = scoring if isinstance(scoring, str) and "@" not in scoring else None
    check_scorable(measure, typed)
    return _scorer_of(
        measure,
        metric.function,
        measure.arguments,
        qid=qid,
        greater_is_better=metric.greater_is_better,
        response_method=response_method,
    )


def get_scorers(
    scoring: Sequence[str | Measure] | Mapping[str, str | Measure],
    *,
    qid: Any = "auto",
    **kwargs: Any,
) -> dict[str, Any]:
    """Return a dict of scorers, for the `scoring=` of several measures at once.

    Parameters
    ----------
    scoring : list of str or Measure, or dict of str to str or Measure
        Measures or their names; a dict sets their labels in the results.
    qid : {"auto", "metadata"}, str, int, callable or None, default="auto"
        Source of query ids; see `make_ranking_scorer`.
    **kwargs
        Further arguments of every measure.

    Returns
    -------
    dict of str to callable
        One scorer per name or label.

    Raises
    ------
    TypeError, ValueError
        As for `get_scorer`, and if `scoring` is empty or a single string.

    Examples
    --------
    >>> from sklearn_irmetrics import get_scorers
    >>> sorted(get_scorers(["ndcg@10", "map"]))
    ['map', 'ndcg@10']
    """
    if isinstance(scoring, str) or not hasattr(scoring, "__iter__"):
        raise TypeError(
            f"scoring must be a list or a dict of names; got {scoring!r}. "
            "get_scorer takes a single one."
        )
    # The kappa of scikit-learn is no measure of this package.
    measures = as_measures(
        "scoring",
        scoring,
        lambda parameter, measure: (
            measure if _is_kappa(measure) else as_measure(parameter, measure)
        ),
    )
    return {
        label: get_scorer(measure, qid=qid, **kwargs)
        for label, measure in measures.items()
    }


def get_scorer_names() -> list[str]:
    """Return all names that `get_scorer` takes, including aliases of measures.

    Returns
    -------
    list of str
        Sorted. Names that need a cutoff or another argument have an example, such as
        ``"p@10"``; other values are possible.

    See Also
    --------
    get_scorer : The scorer of a name.

    Notes
    -----
    Import a scorer for any metric function from `sklearn_irmetrics.scorers`.

    Examples
    --------
    >>> from sklearn_irmetrics import get_scorer_names
    >>> {"map", "ndcg", "p@10"} <= set(get_scorer_names())
    True
    """
    scorable = {name for name, metric in METRICS.items() if metric.has_direction}
    aliases = {alias for alias, name in ALIASES.items() if name in scorable}
    return sorted(["cohen_kappa", *map(complete_name, scorable | aliases)])
