"""Arguments that reproduce the numbers of other tools."""

from __future__ import annotations

from typing import Any

from sklearn_irmetrics._checks import check_option
from sklearn_irmetrics.metrics._measure import Measure, as_measure
from sklearn_irmetrics.metrics._registry import METRICS

_ZERO = {"replace_undefined_by": 0.0}
_ONE = {"replace_undefined_by": 1.0}
_STABLE = {"ties": "stable"}
_WORST = {"ties": "pessimistic"}
_TOP_32 = {"k": 32}  # of XGBoost's measures without a cutoff, whatever its parameters
_ABOVE_HALF = {"relevance_threshold": 0.5000000298023225}  # least of these float32
_FROM_1 = {"relevance_threshold": 1}
_RECALL_LEVELS = ("iprec", "11pt")


def _trec_eval(recall_rounding):
    """Return the arguments of both versions, for rows in the order of `runs.align`."""
    usual = _FROM_1 | _STABLE | _ZERO
    arguments = {"p": _FROM_1 | _STABLE}
    arguments |= {name: dict(usual) for name in ("recall", "success", "rprec", "rr")}
    arguments["ap"] = {"denominator": "relevant"} | usual
    arguments["gmap"] = arguments["ap"] | {"epsilon": 1e-5, "average": "geometric"}
    for name in _RECALL_LEVELS:
        arguments[name] = {"recall_rounding": recall_rounding} | usual
    arguments |= {name: dict(usual) for name in ("bpref", "infap")}
    arguments["ndcg"] = {"gain": "linear"} | _STABLE | _ZERO
    for name in ("set_p", "set_recall", "set_f", "set_f1"):
        arguments[name] = _FROM_1 | _ZERO
    return arguments


_AP = {"denominator": "attainable"}
_LINEAR, _EXPONENTIAL = {"gain": "linear"}, {"gain": "exponential"}
_ORIGINAL_DISCOUNT = {"discount": "jarvelin_kekalainen"}
_AVERAGE = {"ties": "average"}

# By tool, then by name of the measure: the arguments of its function. "ties" is left
# out if the tool has no rule for equal scores.
PRESETS: dict[str, dict[str, dict[str, Any]]] = {
    "trec_eval9": _trec_eval("trec_eval9"),
    "trec_eval10": _trec_eval("trec_eval10")
    | {
        "rbp": {"persistence": 0.9} | _FROM_1 | _STABLE,
        "rbp_residual": {"persistence": 0.9} | _STABLE,
    },
    "lightgbm": {"ap": _AP | _STABLE | _ONE, "ndcg": _EXPONENTIAL | _STABLE | _ONE},
    "xgboost": {
        "p": {"adaptive": True} | _STABLE | _TOP_32,
        "ap": _AP | _STABLE | _ONE | _TOP_32,
        "ndcg": _EXPONENTIAL | _STABLE | _ONE | _TOP_32,
    },
    "catboost": {
        "p": {"adaptive": True} | _ABOVE_HALF | _WORST | _ZERO,
        "recall": _ABOVE_HALF | _WORST | _ONE,
        "rr": _ABOVE_HALF | _WORST | _ZERO,
        "ap": _AP | _ABOVE_HALF | _WORST | _ZERO,
        "roc_auc": _AVERAGE | _ZERO,
        "dcg": _LINEAR | _WORST,
        "ndcg": _LINEAR | _WORST | _ONE,
    },
    "torchmetrics": {
        "p": {"adaptive": False},
        **{name: dict(_ZERO) for name in ("recall", "success", "rprec", "rr")},
        "ap": {"denominator": "retrieved"} | _ZERO,
        "roc_auc": _AVERAGE | _ZERO,
        "ndcg": _LINEAR | _AVERAGE | _ZERO,
    },
    "ranx": {
        "p": dict(_FROM_1),
        "recall": _FROM_1 | _ZERO,
        "f1": {"beta": 1.0} | _FROM_1 | _ZERO,
        "success": _FROM_1 | _ZERO,
        "rprec": _FROM_1 | _ZERO,
        "rr": _FROM_1 | _ZERO,
        "ap": {"denominator": "relevant"} | _FROM_1 | _ZERO,
        "rbp": dict(_FROM_1),
        "bpref": _FROM_1 | _ZERO,
        "dcg": dict(_LINEAR),
        "ndcg": _LINEAR | {"negative_grades": "clip"} | _ZERO,
    },
    "sklearn": {
        "success": {},
        "ap": dict(_ZERO),
        "roc_auc": dict(_AVERAGE),
        "dcg": _LINEAR | _AVERAGE,
        "ndcg": _LINEAR | _AVERAGE | _ZERO,
        **{name: dict(_ZERO) for name in ("set_p", "set_recall", "set_f", "set_f1")},
        "set_accuracy": {},
    },
    "spark": {
        "p": {"adaptive": False} | _STABLE,
        "recall": _STABLE | _ZERO,
        "ap": _AP | _STABLE | _ZERO,
        "ndcg": _EXPONENTIAL | _STABLE | _ZERO,
    },
    "allrank": {"dcg": dict(_EXPONENTIAL), "ndcg": _EXPONENTIAL | _ONE},
    "tf_ranking": {
        "p": {"adaptive": True} | _FROM_1,
        **dict.fromkeys(("recall", "success", "rr"), _FROM_1 | _ZERO),
        "ap": {"denominator": "relevant"} | _FROM_1 | _ZERO,
        "bpref": _FROM_1 | _ZERO,
        "dcg": dict(_EXPONENTIAL),
        "ndcg": _EXPONENTIAL | _ZERO,
    },
    "elasticsearch": {
        "p": {"adaptive": True} | _FROM_1 | _STABLE,
        "recall": _FROM_1 | _STABLE | _ZERO,
        "rr": _FROM_1 | _STABLE | _ZERO,
        "err": _STABLE | _ZERO,
        "dcg": _EXPONENTIAL | _STABLE,
        "ndcg": _EXPONENTIAL | _STABLE | _ZERO,
    },
    "ml_metrics": {"ap": _AP | _STABLE | _ONE},
    "lenskit": {
        "p": {"adaptive": True} | _STABLE,
        "recall": {"capped": True} | _STABLE,
        "success": dict(_STABLE),
        "rr": dict(_STABLE),
        "ap": _AP | _STABLE,
        "rbp": {"persistence": 0.85} | _STABLE,
        "dcg": _LINEAR | _ORIGINAL_DISCOUNT | _STABLE,
        "ndcg": _LINEAR | _ORIGINAL_DISCOUNT | _STABLE,
    },
}


def preset(tool: str, metric: str | Measure) -> dict[str, Any]:
    """Return the arguments that reproduce the values of another tool.

    Tools differ in the value of a query without relevant documents, the gain of a
    grade, the denominator of average precision, recall levels and the order of tied
    documents.

    Parameters
    ----------
    tool : {"trec_eval9", "trec_eval10", "lightgbm", "xgboost", "catboost", \
            "torchmetrics", "ranx", "sklearn", "spark", "allrank", "tf_ranking", \
            "elasticsearch", "ml_metrics", "lenskit"}
        The tool to reproduce.
    metric : str or Measure
        A name such as ``"ndcg@10"``, as for `get_scorer`. The number after ``@`` and
        the arguments in parentheses are returned too, and override the preset.

    Returns
    -------
    dict of str to object
        A new dict of keyword arguments, for the measure's function as well as for
        ``get_scorer(metric, **arguments)``.

    Raises
    ------
    TypeError, ValueError
        If the tool is none of these, `metric` names no measure, or the tool does not
        have it; the message lists the options.

    See Also
    --------
    sklearn_irmetrics.runs.align : Sorts rows in the order of trec_eval.

    Notes
    -----
    The data must be those that the tool gets: for trec_eval, the rows that `align`
    returns (and its ``pooled`` for infAP); for LightGBM and XGBoost, the rows in the
    order of training; for Spark, Elasticsearch (its ``rank_eval``), LensKit and
    ml_metrics (Kaggle's MAP), scores that fall in the given order. XGBoost cuts at rank
    32 where its measure names no cutoff, and so does its preset. Spark's nDCG has
    graded relevance in Scala only: PySpark ignores grades, so pass ``y_true > 0`` to
    reproduce it. For labels of −1, which allRank and TF-Ranking take for padding, pass
    NaN and ``judged_only=True``. The page on conformance lists every preset with the
    largest difference measured, and the differences that remain.

    Examples
    --------
    >>> from sklearn_irmetrics import get_scorer, ndcg_score
    >>> from sklearn_irmetrics.metrics import preset
    >>> arguments = preset("lightgbm", "ndcg@2")
    >>> arguments
    {'gain': 'exponential', 'ties': 'stable', 'replace_undefined_by': 1.0, 'k': 2}
    >>> y_true, y_score, qid = [0, 3, 0, 0], [3, 2, 2, 1], [1, 1, 2, 2]
    >>> round(ndcg_score(y_true, y_score, qid=qid, **arguments), 4)
    0.8155
    >>> scorer = get_scorer("ndcg@2", **arguments)
    """
    check_option("tool", tool, PRESETS)
    wanted = as_measure("metric", metric)
    arguments = wanted.arguments
    known = {name: METRICS[name] for name in PRESETS[tool]}
    complete = {**wanted.metric.parameters, "average": wanted.average, **arguments}
    alike = [
        name
        for name, row in known.items()
        if row.function is wanted.metric.function
        and row.arguments.items() <= complete.items()
    ]
    if not alike:
        raise ValueError(
            f"metric must be one that {tool!r} has: {', '.join(map(repr, known))}; got "
            f"{metric!r}."
        )
    name = max(alike, key=lambda name: len(known[name].arguments))
    return {**PRESETS[tool][name], **arguments}
