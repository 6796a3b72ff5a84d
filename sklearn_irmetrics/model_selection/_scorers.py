"""What an evaluation asks of a scorer, for each of the three kinds of scorers."""

import warnings
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from sklearn import config_context
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_irmetrics._compat import pos_label_of
from sklearn_irmetrics._warnings import suppress_warnings, warn_of_data
from sklearn_irmetrics.exceptions import UndefinedScoreError
from sklearn_irmetrics.metrics import average_precision_score, roc_auc_score
from sklearn_irmetrics.metrics._measure import Measure
from sklearn_irmetrics.metrics._ranking.averages import EPSILON
from sklearn_irmetrics.metrics._ranking.marks import largest_grades
from sklearn_irmetrics.metrics._registry import RESPONSES
from sklearn_irmetrics.model_selection._fitting import parameters_of
from sklearn_irmetrics.scorers._responses import first_response, is_classifier
from sklearn_irmetrics.scorers._row_values import (
    class_table_measure,
    class_terms,
    cost_rows,
    ratio_rows,
    row_values,
    set_rows,
    sklearn_counterpart,
)
from sklearn_irmetrics.scorers.scorer import Predictions, name_of

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
# What measures of scikit-learn are that have a rule for rows of one ranking.
_ROW_MEASURES = {
    "roc_auc_score": "area",
    "average_precision_score": "average precision",
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
    """

    name: str
    scorer: object
    requested: frozenset = frozenset()
    of_largest: bool = False
    ranks: str | None = None
    is_mean: bool = False
    ranking: Measure | None = None

    # Facts about scorers of predictions, in the form that holds for a callable.
    scores_predictions: ClassVar = False  # whether it needs no model
    greater_is_better: ClassVar = True  # the contract of scikit-learn's scorers
    function_name: ClassVar = None
    measure: ClassVar = None  # a Measure, or text for a function of scikit-learn
    bounds: ClassVar = None  # the range of scores, where it is known
    takes_weights: ClassVar = False  # whether rows, or whole queries, can have weights
    needs_both_classes: ClassVar = False  # whether one class alone is meaningless
    ranks_rows: ClassVar = False  # whether all rows are ranked against each other
    scores_labels: ClassVar = False  # whether it scores `predict`, row by row
    scores_sets: ClassVar = False  # whether each fold is a set, or labels
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

    def score_model(self, model, X, y):
        """Return what a callable says of a model: a number, or a dict."""
        with config_context(enable_metadata_routing=True):
            try:
                return self.scorer(model, X, y)
            except UndefinedScoreError as error:
                return _nan(error)

    def values_of_rows(self, predictions, split, classes):
        """Return values, weights and classes of rows whose mean a score is, or None."""
        return None

    def class_terms(self, predictions):
        """Return what rows add to ratios of classes whose mean a score is, or None."""
        return None

    def class_table_measure(self, n_classes):
        """Return the function of tables of classes that a score is, or None."""
        return None

    def counts_classes_alike(self, predictions):
        """Whether small classes count as much as large ones."""
        return False

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

    scores_predictions: ClassVar = True

    @property
    def function_name(self):
        """The name of its function."""
        return name_of(self.function)

    @property
    def ordering(self):
        """What scorers that share predictions and an ordering have in common."""
        return self.name

    @property
    def _is_of_sklearn(self):
        return self.function.__module__.startswith("sklearn.")

    @property
    def measure(self):
        """The name and arguments of a function of scikit-learn, None for others."""
        if not self._is_of_sklearn:
            return None
        return spell(self.function_name.removesuffix("_score"), self.arguments)

    @property
    def bounds(self):
        """Range of the scores; None if it is unknown."""
        if not self._is_of_sklearn or "adjusted" in self.arguments:
            return None
        if self.sign < 0:  # none of its losses is below 0
            return (-np.inf, 0.0)
        name = self.function_name
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
        name = self.function_name
        asks_for_decisions = "decision_function" in self.response_method
        return self.needs_both_classes and (
            name in _RANK_ROWS or (asks_for_decisions and name not in _TAKE_ROWS)
        )

    @property
    def row_measure(self):
        """What it measures if all rows are one ranking; see `Metric.row_measure`."""
        is_plain = not self.arguments.keys() - {"pos_label"}
        return _ROW_MEASURES.get(self.function_name) if is_plain else None

    def predictions(self, model, X, y, metadata, cache):
        """Return the `Predictions` that it scores, predicted through a cache."""
        y = largest_grades(y) if self.of_largest else y
        method = first_response(model, self._methods_for(model))
        return Predictions(y, cache(model, method, X, pos_label_of(self.scorer)))

    def _methods_for(self, model):
        """Return what a scorer of scikit-learn asks of a model; the first counts."""
        asks_for_decisions = "decision_function" in self.response_method
        lacks_predict = not hasattr(model, "predict")
        if (asks_for_decisions or lacks_predict) and not is_classifier(model):
            return RESPONSES if asks_for_decisions else "decision_function"
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
        values = row_values(self.function_name, y_true, y_score, classes)
        if values is not None:
            return values, np.ones(len(values)), None
        return ratio_rows(self.function_name, y_true, y_score, split, self.arguments)

    def class_terms(self, predictions):
        """Return what rows add to ratios of classes whose mean a score is, or None."""
        y_true, y_pred = predictions.y_true, predictions.y_score
        return class_terms(self.function_name, y_true, y_pred, self.arguments)

    def class_table_measure(self, n_classes):
        """Return the function of tables of classes that a score is, or None."""
        return class_table_measure(self.function_name, self.arguments, n_classes)

    def counts_classes_alike(self, predictions):
        """Whether small classes count as much as large ones."""
        is_macro = self.arguments.get("average") == "macro"
        return self.function_name in _COUNT_CLASSES_ALIKE or is_macro

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
        function = _OURS.get(self.function_name)
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
class MeasureScorer(FunctionScorer):
    """A scorer of this package, which knows what it ranks.

    Its function may be one of another package, which `make_ranking_scorer` takes. Its
    scores have the sign of the measure: losses are not negated.

    Attributes
    ----------
    metric : Metric or None
        The facts about it; None for functions of other packages.
    greater_is_better : bool
        False for losses.
    many_classes : bool
        Whether it scores more than two classes, of which splits may lack some.
    """

    metric: object = None
    greater_is_better: bool = True
    many_classes: bool = False

    @property
    def ordering(self):
        """What scorers that share predictions and an ordering have in common."""
        if self.ranking is None:
            return self.name
        arguments = self.arguments
        shared = [arguments.get("pos_label"), arguments.get("ties", "average")]
        weighted = "sample_weight" in self.requested
        asked = self.response_method
        return repr([*shared, asked, self.ranks, weighted, self.of_largest])

    @property
    def measure(self):
        """Its `Measure`; None for functions of other packages."""
        if self.metric is None:
            return None
        known = {*self.metric.parameters, "ties", "replace_undefined_by"}
        given = self.arguments.keys() & known
        return Measure(self.metric, **{name: self.arguments[name] for name in given})

    @property
    def bounds(self):
        """Range of the scores; None if it is unknown."""
        return None if self.metric is None else self.measure.range

    @property
    def is_sum(self):
        """Whether it adds up rows, so that the sums of splits are added, too."""
        is_of_rows = self.ranks == "fold" and self.metric is not None
        return is_of_rows and self.metric.is_sum(self.arguments)

    @property
    def row_bounds(self):
        """Range of what a single row contributes; None if it is unknown."""
        if not self.is_sum:
            return self.bounds
        mean = {**self.measure.arguments, self.metric.sum_unless: True}
        return Measure(self.metric, **mean).range

    @property
    def takes_weights(self):
        """Whether rows, or whole queries, can have weights."""
        if self.ranks == "fold" and self.metric is not None:
            return self.metric.kind == "set" or self.metric.weighs_documents
        return super().takes_weights

    @property
    def scores_sets(self):
        """Whether it is a set or label measure; see `Metric.judges_predictions`."""
        return self.metric is not None and self.metric.judges_predictions

    @property
    def needs_both_classes(self):
        """Whether it is meaningless on rows of a single class."""
        return self.ranks == "fold" and not self.scores_sets

    @property
    def ranks_rows(self):
        """Whether it ranks all rows against each other."""
        return self.needs_both_classes

    @property
    def cuts_ranks(self):
        """Whether a single rank decides a score, so it jumps with single rows."""
        is_smooth = self.metric is not None and self.metric.row_measure is not None
        return not (self.scores_sets or is_smooth)

    @property
    def row_measure(self):
        """What it measures if all rows are one ranking; see `Metric.row_measure`."""
        if self.metric is None:
            return super().row_measure
        known = {"pos_label", "relevance_threshold", "ties"}
        is_plain = self.ranks == "fold" and not self.arguments.keys() - known
        return self.metric.row_measure if is_plain else None

    @property
    def exact_ties(self):
        """Whether ties stand for the mean over orders; see `Metric.exact_ties`."""
        return self.metric is not None and self.metric.exact_ties

    @property
    def floor(self):
        """The floor of a geometric mean over queries, None for other scores."""
        is_geometric = self.arguments.get("average") == "geometric"
        if not is_geometric or self.metric is None or self.ranks != "queries":
            return None
        return self.arguments.get("epsilon", EPSILON)

    def suppress_warnings(self):
        """Return a context without warnings of undefined scores."""
        return suppress_warnings()

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
        y_true, y_score = predictions.y_true, predictions.y_score
        metric, labels = self.metric, predictions.labels
        if not self.scores_sets or predictions.qid is not None or np.ndim(y_true) != 1:
            return None
        if metric.sum_unless is not None:
            arguments = {"labels": labels, **self.arguments}
            return cost_rows(metric.function, y_true, y_score, arguments)
        if metric.kind != "set":
            return None
        if labels is not None:
            name, arguments = sklearn_counterpart(metric, self.arguments)
            return ratio_rows(name, y_true, y_score, split, arguments)
        return set_rows(metric, y_true, y_score, self.arguments)

    def class_terms(self, predictions):
        """Return what rows add to ratios of classes whose mean a score is, or None."""
        is_of_classes = self.scores_sets and self.metric.kind == "set"
        if (
            not is_of_classes
            or predictions.labels is None
            or predictions.qid is not None
        ):
            return None
        name, arguments = sklearn_counterpart(self.metric, self.arguments)
        return class_terms(name, predictions.y_true, predictions.y_score, arguments)

    def class_table_measure(self, n_classes):
        """Return the function of tables of classes that a score is, or None."""
        if self.metric is None:
            return super().class_table_measure(n_classes)
        return None if self.arguments else self.metric.of_table

    def counts_classes_alike(self, predictions):
        """Whether small classes count as much as large ones."""
        if self.metric is not None and self.metric.kind == "labels":
            return self.metric.counts_classes_alike
        is_macro = self.arguments.get("average", "macro") == "macro"
        return is_macro and predictions.labels is not None

    def ranked_rows(self, predictions):
        """Return which rows are relevant, and their scores, of one ranking; or None."""
        if self.metric is None:
            return super().ranked_rows(predictions)
        if not _is_one_ranking(predictions) or predictions.qid is not None:
            return None
        y_true, y_score = map(np.asarray, predictions[:2])
        threshold = self.arguments.get("relevance_threshold")
        relevant = y_true > 0 if threshold is None else y_true >= threshold
        return relevant, y_score

    def as_one_ranking(self, predictions):
        """Return targets and scores of one ranking, and a function that scores many."""
        if self.ranks != "fold" or not _is_one_ranking(predictions):
            return None
        if self.metric is None:
            return super().as_one_ranking(predictions)
        if self.metric.kind != "ranking":
            return None
        y_true, y_score = map(np.asarray, predictions[:2])
        return y_true, y_score, _score_each(self.sign, self.function, self.arguments)


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


def spell(name, arguments):
    """Return the name of a function with its arguments, as one would write it."""
    inside = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    return f"{name}({inside})" if inside else name
