"""A table of everything worth knowing about a set of rankings."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal

import numpy as np
from scipy import stats
from sklearn.utils import check_random_state

from sklearn_irmetrics._core.aggregate import EPSILON, quietly
from sklearn_irmetrics._core.blocks import iter_blocks
from sklearn_irmetrics._core.inputs import check_judgments
from sklearn_irmetrics._core.namespace import to_host
from sklearn_irmetrics._core.parameters import check_flag, check_option, check_real
from sklearn_irmetrics._core.ranking import Ranking
from sklearn_irmetrics._core.values import Judged, Relevant
from sklearn_irmetrics._intervals import (
    UNKNOWN,
    ConfidenceInterval,
    query_interval,
)
from sklearn_irmetrics._registry import by_label, parse_metric
from sklearn_irmetrics._report import score_queries
from sklearn_irmetrics._tables import import_pandas, render_text
from sklearn_irmetrics._typing import ArrayLike, Ids, Measures, RandomState, Rankings

DEFAULT_METRICS = ("ndcg@10", "map", "mrr", "p@10", "rprec", "recall@10")
# Simulated with scores as skewed as those of rankings, BCa intervals of fewer than 20
# queries are too narrow; with more than 1000 they equal t intervals and take seconds.
_FEW_QUERIES = 20
_MANY_QUERIES = 1000


def ranking_report(
    y_true: Rankings,
    y_score: Rankings,
    *,
    qid: Ids | None = None,
    metrics: Measures = DEFAULT_METRICS,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pooled: Rankings | None = None,
    chance: bool = True,
    confidence_level: float = 0.95,
    output: Literal["text", "dict", "frame"] = "text",
    digits: int = 3,
    random_state: RandomState = None,
) -> Any:
    """Report means, intervals, chance levels, ties and counts of rankings.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better, NaN: unjudged.
    y_score : array-like of the shape of `y_true`, or CSR
        Scores; larger ranks higher, -inf: not retrieved.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input. None: all rows are one ranking.
    metrics : str, list of str, or dict of str to str, \
            default=("ndcg@10", "map", "mrr", "p@10", "rprec", "recall@10")
        Names such as ``"ndcg@10"``; a dict gives them labels of your own.
    labels : array-like of shape (n_classes,), default=None
        Classes of the columns of `y_score`, where `y_true` holds class labels.
    sample_weight : array-like, default=None
        One weight per query: per row with 1-D input (constant inside a query).
    pooled : array-like of the shape of `y_true`, default=None
        Which unjudged documents were in the pool, for inferred average precision.
    chance : bool, default=True
        Whether to tell what a random ranking of all documents scores. It takes about
        as long as scoring; with CSR input of many columns, much longer.
    confidence_level : float, default=0.95
        Of the intervals, between 0 and 1.
    output : {"text", "dict", "frame"}, default="text"
        What to return.
    digits : int, default=3
        Decimals of the text.
    random_state : int, RandomState instance or None, default=None
        Source of the bootstrap resamples.

    Returns
    -------
    str, dict or pandas.DataFrame
        The dict has

        measures : dict of str to dict
            For each measure its ``mean`` over queries, the ends ``low`` and ``high``
            of the ``interval`` and how it was made, ``n_queries`` in the mean and
            ``n_undefined`` left out, its level by ``chance``, and its mean if tied
            documents came in the worst (``pessimistic``) and best (``optimistic``)
            order: the mean itself where nothing is tied.
        counts : dict of str to int
            Of ``queries`` and ``documents``; of ``judged``, ``relevant`` (grade above
            0) and ``unretrieved`` documents; and of ``tied`` documents, that share
            their score with another retrieved document of their query.
        confidence_level : float
            Of the intervals.

        The frame has a row per measure; its ``attrs`` hold the other two.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.
    ImportError
        If pandas is missing and a frame was asked for.

    See Also
    --------
    score_queries : The scores of single queries.
    chance_level : The chance level of a measure.

    Notes
    -----
    Intervals take queries for a sample of many more of their kind. From 20 to 1000
    queries they are those of the BCa bootstrap over queries. Of fewer queries those
    are too narrow, and of more they are the same to the eye as t intervals, which take
    their place, cut to the range of the measure. Intervals of geometric means are made
    of logarithms; micro averages have none.

    Chance levels are exact. Measures whose expectation under ties has no closed form
    (interpolated precision and what is made of it) have none here; `chance_level`
    draws random orders for them. They take a tie group as one step, so that their mean
    is that of the pessimistic order. Sets and rank correlations have neither chance
    level nor band.

    Examples
    --------
    >>> from sklearn_irmetrics import ranking_report
    >>> from sklearn_irmetrics.datasets import load_digits_ranking
    >>> X, y, qid = load_digits_ranking(n_queries=50, return_X_y_qid=True)
    >>> cosine = X[:, -1].round(2)
    >>> print(ranking_report(y, cosine, qid=qid, digits=2, random_state=0,
    ...                      metrics=["ndcg@10", "p@10"]))
    50 queries, 2500 documents: 2500 judged, 246 relevant, 0 not retrieved
    72.8 % of the retrieved documents share their score with another of their query
    <BLANKLINE>
               mean  95 % interval  queries  undefined  chance  worst, best ties
      ndcg@10  0.75   [0.66, 0.81]       50          0    0.15      [0.74, 0.76]
      p@10     0.37   [0.32, 0.44]       50          0    0.10      [0.37, 0.38]
    <BLANKLINE>
    Intervals: BCa bootstrap over queries.
    """
    check_option("output", output, ("text", "dict", "frame"))
    check_flag("chance", chance)
    if not isinstance(digits, Integral) or isinstance(digits, bool) or digits < 0:
        raise ValueError(f"digits must be an integer >= 0; got {digits!r}.")
    report = measure_rankings(
        y_true,
        y_score,
        metrics,
        qid=qid,
        labels=labels,
        sample_weight=sample_weight,
        pooled=pooled,
        chance=chance,
        confidence_level=confidence_level,
        random_state=random_state,
    )
    if output == "dict":
        return report
    return _to_frame(report) if output == "frame" else _to_text(report, digits)


def measure_rankings(
    y_true,
    y_score,
    metrics,
    *,
    chance,
    confidence_level,
    random_state,
    warn=False,
    **shared,
):
    """Return the report as a dict; see `ranking_report`.

    With `warn` undefined queries are warned of, for those who show means alone.
    `shared` has the remaining parameters of `score_queries`.
    """
    level = check_real(
        "confidence_level", confidence_level, 0.0, 1.0, "strictly between 0 and 1"
    )
    named, parsed = _check_metrics(metrics)
    y_true, y_score = to_host(y_true, y_score)
    shared = dict(zip(shared, to_host(*shared.values()), strict=True))
    score = score_queries if warn else _score_silently
    scored = score(y_true, y_score, named, **shared)
    judgments = check_judgments(
        y_true,
        y_score,
        **{name: shared.get(name) for name in ("qid", "labels", "sample_weight")},
    )
    counts = _count(judgments)
    worst = best = scored.mean
    if counts["tied"]:
        worst, best = (
            _score_silently(y_true, y_score, named, ties=ties, **shared).mean
            for ties in ("pessimistic", "optimistic")
        )
    levels = _chance_levels(y_true, y_score, named, parsed, shared) if chance else {}
    seed = check_random_state(random_state).randint(2**31)
    measures = {}
    for i, (label, (row, arguments)) in enumerate(parsed.items()):
        values, weights = _counted(scored.scores[label], judgments.weights)
        defined = ~np.isnan(values)
        interval, how = measure_interval(
            values[defined],
            None if weights is None else weights[defined],
            row.range,
            arguments,
            level,
            np.random.default_rng([seed, i]),
        )
        measures[label] = {
            "mean": scored.mean[label],
            "low": interval.low,
            "high": interval.high,
            "interval": how,
            "n_queries": int(defined.sum()),
            "n_undefined": int((~defined).sum()),
            "chance": levels.get(label, float("nan")),
            "pessimistic": worst[label],
            "optimistic": best[label],
        }
    return {"measures": measures, "counts": counts, "confidence_level": level}


def mean_interval(values, weights=None, *, confidence_level=0.95):
    """Return mean and t interval over queries, column by column.

    Parameters
    ----------
    values : ndarray of shape (n_queries, n_columns)
        NaN where undefined.
    weights : ndarray of shape (n_queries,) or None
        One weight per query.
    confidence_level : float, default=0.95
        Of the interval.

    Returns
    -------
    mean : ndarray of shape (n_columns,)
    interval : ndarray of shape (2, n_columns)
        Low and high ends; NaN where fewer than two values are defined.
    """
    weights = np.ones(len(values)) if weights is None else weights
    weights = np.where(np.isnan(values), 0.0, weights[:, np.newaxis])
    values = np.nan_to_num(values)
    total = weights.sum(axis=0)
    n = np.count_nonzero(weights, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (weights * values).sum(axis=0) / total
        squares = ((weights * (values - mean)) ** 2).sum(axis=0)
        error = np.sqrt(n / (n - 1) * squares) / total
    reach = stats.t.ppf((1 + confidence_level) / 2, np.maximum(n - 1, 1)) * error
    reach[n < 2] = np.nan
    return mean, np.stack([mean - reach, mean + reach])


def equal_scores(y_score):
    """Return one score for all documents, retrieved or not."""
    return np.broadcast_to(np.float32(0), np.shape(y_score))


def _score_silently(*args, **kwargs):
    with quietly():
        return score_queries(*args, **kwargs)


def _check_metrics(metrics):
    """Return names by label, and what they stand for."""
    named = by_label("metrics", metrics)
    parsed = {label: parse_metric(text, "metrics") for label, text in named.items()}
    for label, (_, arguments) in parsed.items():
        if arguments.get("average", "macro") is None:
            raise ValueError(
                f"metrics must be averaged over queries; got {named[label]!r}."
            )
    return named, parsed


def _counted(values, weights):
    """Return values and weights of the queries whose weight is not 0."""
    if weights is None:
        return values, None
    return values[weights > 0], weights[weights > 0]


def _count(judgments):
    counts = np.zeros(5, dtype=np.int64)
    for block in iter_blocks(judgments):
        ranking = Ranking(block)
        documents = int(block.n_documents.sum())
        tied = np.count_nonzero(ranking.group_size > 1) if ranking.tied else 0
        counts += (
            documents,
            int(ranking.total(Judged()).sum()),
            int(ranking.total(Relevant()).sum()),
            documents - int(ranking.n_retrieved.sum()),
            tied,
        )
    names = ("documents", "judged", "relevant", "unretrieved", "tied")
    found = dict(zip(names, counts.tolist(), strict=True))
    return {"queries": judgments.n_queries, **found}


def _chance_levels(y_true, y_score, named, parsed, shared):
    exact = {
        label: named[label]
        for label, (row, _) in parsed.items()
        if row.ranks and row.exact_ties
    }
    if not exact:
        return {}
    return _score_silently(y_true, equal_scores(y_score), exact, **shared).mean


def measure_interval(values, weights, bounds, arguments, level, rng):
    """Return the interval of a measure's average over queries, and how it was made."""
    average = arguments.get("average", "macro")
    if average == "micro":
        return UNKNOWN, "none (micro average)"
    if len(values) < 2:
        return UNKNOWN, "none (fewer than two queries)"
    geometric = average == "geometric"
    if geometric:
        values = np.log(np.maximum(values, arguments.get("epsilon", EPSILON)))
    if _FEW_QUERIES <= len(values) <= _MANY_QUERIES:
        how = "BCa bootstrap over queries"
        _, ends, _ = query_interval(
            values, weights=weights, rng=rng, confidence_level=level
        )
    else:
        how = "t over queries"
        _, ends = mean_interval(values[:, np.newaxis], weights, confidence_level=level)
        ends = ends[:, 0]
    ends = np.exp(ends) if geometric else ends
    return ConfidenceInterval(*np.clip(ends, *bounds).tolist()), how


def _to_frame(report):
    pd = import_pandas()
    frame = pd.DataFrame.from_dict(report["measures"], orient="index")
    frame.index.name = "measure"
    frame.attrs |= {key: report[key] for key in ("counts", "confidence_level")}
    return frame


def _to_text(report, digits):
    measures, counts = report["measures"], report["counts"]

    def number(value):
        return "–" if np.isnan(value) else f"{value:.{digits}f}"

    def interval(low, high):
        return "–" if np.isnan(low) else f"[{number(low)}, {number(high)}]"

    n_retrieved = counts["documents"] - counts["unretrieved"]
    title = [
        f"{_plural(counts['queries'], 'query', 'queries')}, "
        f"{_plural(counts['documents'], 'document', 'documents')}: "
        f"{counts['judged']} judged, {counts['relevant']} relevant, "
        f"{counts['unretrieved']} not retrieved"
    ]
    header = [
        "",
        "mean",
        f"{100 * report['confidence_level']:g} % interval",
        "queries",
        "undefined",
        "chance",
    ]
    if counts["tied"]:
        title.append(
            f"{counts['tied'] / n_retrieved:.1%} of the retrieved documents share "
            "their score with another of their query".replace("%", " %", 1)
        )
        header.append("worst, best ties")
    rows = []
    for label, row in measures.items():
        cells = [
            label,
            number(row["mean"]),
            interval(row["low"], row["high"]),
            str(row["n_queries"]),
            str(row["n_undefined"]),
            number(row["chance"]),
            interval(row["pessimistic"], row["optimistic"]),
        ]
        rows.append(cells[: len(header)])
    alignment = "<" + ">" * (len(header) - 1)
    methods = dict.fromkeys(row["interval"] for row in measures.values())
    table = render_text([*title, ""], header, rows, alignment)
    return f"{table}\n\nIntervals: {'; '.join(methods)}."


def _plural(n, one, many):
    return f"{n} {one if n == 1 else many}"
