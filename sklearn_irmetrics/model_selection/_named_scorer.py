"""A measure of an evaluation, and what is known about it."""

import copy
import inspect
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from sklearn import config_context
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_irmetrics._compat import Scorer
from sklearn_irmetrics._core.aggregate import EPSILON, quietly, warn_of_data
from sklearn_irmetrics._core.subtopics import largest_grades
from sklearn_irmetrics._measures.measure import Measure
from sklearn_irmetrics._measures.query_score import name_of
from sklearn_irmetrics._measures.scorer import RankingScorer
from sklearn_irmetrics.exceptions import UndefinedScoreError

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
)
_RANGES |= dict.fromkeys(["cohen_kappa_score", "matthews_corrcoef"], (-1.0, 1.0))
_RANGES |= dict.fromkeys(
    [
        "d2_absolute_error_score",
        "d2_brier_score",
        "d2_log_loss_score",
        "d2_pinball_score",
        "d2_tweedie_score",
        "explained_variance_score",
        "r2_score",
    ],
    (-np.inf, 1.0),
)


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
    def metric(self):
        """What is known about its metric; None for those of others."""
        return self.scorer.metric if isinstance(self.scorer, RankingScorer) else None

    @property
    def of_subtopics(self):
        """Whether it takes a column of y per subtopic."""
        return is_of_subtopics(self.scorer)

    @property
    def is_scorer(self):
        """Whether scikit-learn made it, so that it only asks for predictions."""
        return isinstance(self.scorer, Scorer)

    @property
    def takes_weights(self):
        """Whether rows, or whole queries, can be weighed."""
        if isinstance(self.scorer, RankingScorer):
            if self.ranks == "fold" and self.metric is not None:
                return self.metric.kind == "set" or self.metric.weighs_documents
            return "sample_weight" in parameters_of(self.scorer._score_func.metric)
        return self.is_scorer and "sample_weight" in parameters_of(
            self.scorer._score_func
        )

    @property
    def scores_sets(self):
        """Whether it judges which documents were predicted, not their order."""
        return self.metric is not None and self.metric.judges_predictions

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
        return isinstance(self.scorer, RankingScorer) and "ties" in parameters_of(
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
        name = name_of(self.scorer._score_func)
        asks_for_decisions = "decision_function" in self.scorer._response_method
        return name in _RANK_ROWS or (asks_for_decisions and name not in _TAKE_ROWS)

    @property
    def is_roc_auc(self):
        """Whether it is the area under the ROC curve of two classes."""
        if not self.ranks_rows:
            return False
        if isinstance(self.scorer, RankingScorer):
            return self.metric is not None and self.metric.name == "roc_auc"
        return name_of(self.scorer._score_func) == "roc_auc_score"

    @property
    def cuts_ranks(self):
        """Whether a single rank decides it, so that it jumps as rows come and go."""
        if not isinstance(self.scorer, RankingScorer) or self.scores_sets:
            return False
        return self.metric is None or self.metric.name not in ("roc_auc", "ap")

    @property
    def bounds(self):
        """Range of the scores, None where it is unknown."""
        if not isinstance(self.scorer, RankingScorer):
            return self._bounds_of_sklearn
        if self.metric is None:
            return None
        low, high = self.metric.range
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

    @property
    def measure(self):
        """What it measures, as a name tells it; None for functions of others."""
        if not self.is_scorer:
            return None
        function, given = self.scorer._score_func, self.scorer._kwargs
        if not isinstance(self.scorer, RankingScorer):
            is_known = function.__module__.startswith("sklearn.")
            inside = ", ".join(f"{name}={value!r}" for name, value in given.items())
            name = name_of(function).removesuffix("_score")
            return (f"{name}({inside})" if inside else name) if is_known else None
        if self.metric is None:
            return None
        own = {name: given[name] for name in given if name in self.metric.parameters}
        return Measure(self.metric.name, **own).label

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
            try:
                return scorer(estimator, X, y, **own, **extra)
            except UndefinedScoreError as error:  # in this split
                warn_of_data(str(error), UndefinedMetricWarning)
                return np.nan


@contextmanager
def _others_quietly():
    """Silence scikit-learn's measures, by filters that all threads share."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        yield


def geometric_parts(scorer):
    """Return the scorer of single queries and their floor, None if no geometric mean.

    A loss has none, since scorers negate it.
    """
    if not isinstance(scorer, RankingScorer) or scorer._sign < 0:
        return None
    if scorer.metric is None or scorer._kwargs.get("average") != "geometric":
        return None
    single = copy.copy(scorer)
    single._kwargs = {**scorer._kwargs, "average": None}
    return single, scorer._kwargs.get("epsilon", EPSILON)


def is_of_subtopics(scorer):
    metric = scorer.metric if isinstance(scorer, RankingScorer) else None
    return metric is not None and metric.subtopics


def parameters_of(function):
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}
