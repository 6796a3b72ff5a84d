"""Measures as scikit-learn scorers that know about queries."""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.metrics import cohen_kappa_score, make_scorer

from sklearn_irmetrics._compat import Scorer
from sklearn_irmetrics._core.parameters import check_flag
from sklearn_irmetrics._core.telling import search_token, speaking
from sklearn_irmetrics._measures.column import Column
from sklearn_irmetrics._measures.measure import (
    Measure,
    as_measure,
    as_measures,
    check_complete,
    measure_of_function,
    try_out,
    with_arguments,
)
from sklearn_irmetrics._measures.metric import RESPONSES
from sklearn_irmetrics._measures.registry import METRICS, metric_of
from sklearn_irmetrics._measures.responses import (
    check_labels,
    check_responses,
    predictions,
    responses,
)
from sklearn_irmetrics._measures.seen import warn_of_parts
from sklearn_irmetrics._typing import ResponseMethod


def name_of(function):
    """Return the name of a function, or of the class of what else can be called."""
    return getattr(function, "__name__", type(function).__name__)


class _PerQuery:
    """A metric that refuses to take documents of many queries for one ranking.

    The check lives here, in the score function, because some consumers rebuild a
    scorer from it. The signature hides `sample_weight`: searches forward training
    weights to scorers that show it.
    """

    __signature__ = inspect.Signature(
        [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
            for name in ("y_true", "y_score")
        ]
    )

    def __init__(self, metric, *, needs_ids):
        self.metric = metric
        self.needs_ids = needs_ids
        self.__name__ = name_of(metric)

    def __call__(self, y_true, y_score, *, qid=None, **kwargs):
        if qid is None and self.needs_ids and 1 in (np.ndim(y_true), np.ndim(y_score)):
            raise ValueError(
                f"{self.__name__} needs query ids (qid) and none arrived. Either (1) "
                "call sklearn.set_config(enable_metadata_routing=True) and pass qid=, "
                "as in "
                "cross_validate(..., params={'qid': qid}) or "
                "GridSearchCV(...).fit(X, y, qid=qid); or (2) name a column of X: "
                "get_scorer(..., qid='column'); or (3) say that every fold is one "
                "ranking (or every sample, of classes): get_scorer(..., qid=None)."
            )
        if qid is not None:
            kwargs["qid"] = qid
        return self.metric(y_true, y_score, **kwargs)

    def __eq__(self, other):
        return isinstance(other, _PerQuery) and vars(self) == vars(other)

    def __hash__(self):
        return hash((self.metric, self.needs_ids))


class RankingScorer(Scorer):
    """What `make_scorer` returns, aware of query ids and of graded classifiers."""

    _qid: Any = "metadata"
    _qid_from_X: Any = None
    _search: str | None = None  # that sent it to another process

    def __getstate__(self):
        token = search_token()
        return vars(self) if token is None else {**vars(self), "_search": token}

    def _score(self, method_caller, estimator, X, y_true, **kwargs):
        with speaking(self):
            return self._score_rows(method_caller, estimator, X, y_true, **kwargs)

    def _score_rows(self, method_caller, estimator, X, y_true, **kwargs):
        self._warn_overlap(
            message="Arguments of this scorer arrived as metadata too.", kwargs=kwargs
        )
        if self._qid_from_X is not None:
            kwargs["qid"] = self._qid_from_X(X)
        in_queries = kwargs.get("qid") is not None
        if in_queries:
            warn_of_parts(estimator, y_true, kwargs["qid"])
        ask = partial(method_caller, pos_label=None)
        metric = metric_of(self._score_func.metric)
        if metric is None or not metric.judges_predictions:
            y_true, y_score, labels = responses(
                estimator,
                X,
                y_true,
                self._response_method,
                in_queries=in_queries,
                ask=ask,
            )
        elif {"labels", "pos_label"} & set(self._kwargs):
            y_score, labels = ask(estimator, "predict", X), None
        else:
            y_true, y_score, labels = predictions(estimator, X, y_true, ask=ask)
            if in_queries or not self._score_func.needs_ids:
                check_labels(y_score, estimator)
            labels = labels if "labels" in metric.takes else None
            if labels is not None and metric.name == "set_accuracy":
                # Of all classes at once: what is right, as scikit-learn has it.
                y_true, y_score, labels = np.ones(len(y_score)), y_true == y_score, None
            if labels is not None and metric.kind == "set" and in_queries:
                raise ValueError(
                    f"{metric.name} makes each of {len(labels)} classes a set, which "
                    "leaves none for queries: pass qid=None to get_scorer, or name one "
                    "class as pos_label."
                )
        if labels is not None:
            kwargs["labels"] = labels
        score = self._score_func(y_true, y_score, **{**self._kwargs, **kwargs})
        return self._sign * score

    def __repr__(self):
        source = self._qid_from_X or self._qid
        text = super().__repr__()
        return text if source == "metadata" else f"{text[:-1]}, qid={source!r})"


def make_ranking_scorer(
    score_func: Callable[..., Any],
    *,
    greater_is_better: bool = True,
    response_method: ResponseMethod = RESPONSES,
    qid: Any = "metadata",
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
        score of a binary classifier is that of ``classes_[1]``; with ids, that of a
        multiclass classifier is the expected grade ``Σ p(c) c``.
    qid : {"metadata", "auto"}, str, int, callable or None, default="metadata"
        Source of query ids: metadata routing (``cross_validate(..., params={"qid":
        qid})``, ``GridSearchCV.fit(X, y, qid=qid)``), for which `set_score_request` is
        not needed; a column of X, by name or position, or the result of ``qid(X)``,
        which both work with routing off, too; or nothing (None): each fold is then one
        ranking, or, for the class scores of a multiclass classifier, each sample ranks
        the classes. "auto" is "metadata", except that measures of sets and labels do
        not need ids: if none arrive, each fold is one set, or has one set per class if
        there are more than two.
    **kwargs
        Further arguments of `score_func`.

    Returns
    -------
    callable
        A new scorer object, ``scorer(estimator, X, y)``, for any `scoring=`.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above. The scorer itself raises `ValueError` if
        it has to rank 1-D targets and received no query ids.

    See Also
    --------
    get_scorer : Get a scorer by the name of a measure.

    Notes
    -----
    Query weights must be requested: ``scorer.set_score_request(qid=True,
    sample_weight=True)``.

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
    check_flag("greater_is_better", greater_is_better)
    check_responses(response_method)
    if isinstance(qid, (bool, np.bool_)) or not (
        qid is None or isinstance(qid, (str, Integral)) or callable(qid)
    ):
        raise TypeError(
            "qid must be 'metadata', 'auto', a column of X (name or position), a "
            f"callable or None; got {reprlib.repr(qid)}. Pass ids themselves as "
            "metadata."
        )
    measure = measure_of_function(score_func)
    judges = measure is not None and measure.metric.judges_predictions
    if measure is not None:
        refuse_constant(measure, kwargs)
    if _is_metadata(qid) and not judges:
        qid = "metadata"
    scorer = RankingScorer(
        _PerQuery(score_func, needs_ids=qid is not None and not _is(qid, "auto")),
        1 if greater_is_better else -1,
        kwargs,
        response_method,
    )
    scorer._qid = qid
    if qid is not None and not _is_metadata(qid):
        scorer._qid_from_X = qid if callable(qid) else Column(qid)
    with config_context(enable_metadata_routing=True):
        return scorer.set_score_request(qid=_is_metadata(qid))


def _is(qid, name):
    return isinstance(qid, str) and qid == name


def _is_metadata(qid):
    return _is(qid, "metadata") or _is(qid, "auto")


def refuse_constant(measure, arguments, name=None, *, parameter=""):
    """Refuse what cannot tell one model from another."""
    metric = measure.metric
    where = f"{parameter}: " if parameter else ""
    if metric.name == "rbp_residual":
        raise ValueError(
            f"{where}'rbp_residual' cannot be a scorer: it says how much is unknown, "
            "and neither larger nor smaller values are better."
        )
    if not (metric.ranks_without_k or "k" in arguments):
        name = name or metric.name
        sets = [
            s for s in (f"set_{name}".lower(), f"set_{metric.name}") if s in METRICS
        ]
        labels = f", or {sets[0]!r} for predicted labels" if sets else ""
        raise ValueError(
            f"{where}{name!r} without a cutoff is the same for every model, because an "
            f"estimator scores all documents: write '{name}@10'{labels}. For "
            "estimators that return -inf for what they do not retrieve write k=None."
        )


# Measures of scikit-learn that it has no scorer for.
_OF_SKLEARN = {"cohen_kappa": cohen_kappa_score}


def _of_sklearn(scoring):
    return _OF_SKLEARN.get(scoring.lower()) if isinstance(scoring, str) else None


def _as_scoring(scoring, parameter):
    return scoring if _of_sklearn(scoring) else as_measure(scoring, parameter)


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
        Further arguments of the measure, such as ``ties="pessimistic"``.

    Returns
    -------
    callable
        A scorer, ``scorer(estimator, X, y)``. Losses are negated.

    Raises
    ------
    TypeError, ValueError
        If `scoring` is not the name of a measure (the nearest names are listed), the
        measure has no such argument or its value is out of range, or all models would
        get the same score.

    Examples
    --------
    >>> from sklearn_irmetrics import get_scorer
    >>> get_scorer("p@5", response_method="predict")
    make_scorer(precision_at_k_score, response_method='predict', k=5)
    """
    if function := _of_sklearn(scoring):
        if not (qid is None or _is(qid, "auto")):
            raise ValueError(
                f"{scoring!r} compares labels of all rows and takes no query ids: "
                f"leave out qid, or pass qid=None; got {reprlib.repr(qid)}."
            )
        return make_scorer(function, **kwargs)
    if isinstance(scoring, list | tuple | dict):
        raise TypeError(
            "scoring must name one measure; got a "
            f"{type(scoring).__name__}. get_scorers makes several scorers at once."
        )
    measure = as_measure(scoring, "scoring")
    response_method = kwargs.pop("response_method", measure.metric.response_method)
    measure = with_arguments(measure, kwargs)
    check_complete(measure)
    typed = scoring if isinstance(scoring, str) and "@" not in scoring else None
    refuse_constant(measure, measure.arguments, typed)
    try_out(measure)
    scorer = make_ranking_scorer(
        measure.metric.function,
        greater_is_better=measure.metric.greater_is_better,
        response_method=response_method,
        qid=qid,
        **measure.arguments,
    )
    for name in measure.metric.marks:
        with config_context(enable_metadata_routing=True):
            scorer.set_score_request(qid=_is_metadata(qid), **{name: True})
    return scorer


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
        A scorer by name or label.

    Raises
    ------
    TypeError, ValueError
        As `get_scorer`; and if `scoring` is empty or a single string.

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
    return {
        label: get_scorer(measure, qid=qid, **kwargs)
        for label, measure in as_measures("scoring", scoring, _as_scoring).items()
    }


def get_scorer_names() -> list[str]:
    """Return the names of all measures, without their aliases.

    Returns
    -------
    list of str
        Sorted; ``@k`` and ``(parameter=value)`` may follow a name.

    Examples
    --------
    >>> from sklearn_irmetrics import get_scorer_names
    >>> "ndcg" in get_scorer_names()
    True
    """
    return sorted(METRICS)
