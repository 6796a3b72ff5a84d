"""From the scores and predictions of all splits to one estimate per measure."""

from dataclasses import dataclass, replace

import numpy as np

from sklearn_irmetrics._compat import safe_indexing
from sklearn_irmetrics._core.aggregate import warn_of_undefined
from sklearn_irmetrics.model_selection._fitting import slice_metadata
from sklearn_irmetrics.model_selection._predictions import (
    PredictionMemory,
    concatenate_responses,
    take_responses,
)
from sklearn_irmetrics.model_selection._results import OutOfFold, QueryTable
from sklearn_irmetrics.model_selection._units import Units


def choose_aggregate(measure, aggregate, *, single_rows, is_bootstrap):
    """Return how the scores of a measure become one.

    The rule of "auto":

    1. a ranking measure that is a mean over queries: "per_query";
    2. folds of a single row: "pooled";
    3. a ranking measure over queries that is no plain mean (GMAP): "pooled";
    4. a bootstrap, and a measure of predicted labels or values: "pooled", in which
       every row counts once however often it was left out, as in the leave-one-out
       bootstrap of Efron & Tibshirani (1997);
    5. otherwise: "per_split", the mean over splits, as in ``cross_validate``.

    Parameters
    ----------
    measure : NamedScorer
        What is aggregated.
    aggregate : {"auto", "per_split", "pooled", "per_query"}
        What was asked for.
    single_rows : bool
        Whether a test side is a single row.
    is_bootstrap : bool
        Whether test sides overlap as those of a bootstrap.

    Returns
    -------
    {"per_split", "pooled", "per_query"}
    """
    if aggregate == "per_query" and measure.per_query is None:
        raise ValueError(
            "aggregate='per_query' needs ranking measures and qid=; "
            f"{measure.name} is not a mean over queries."
        )
    if aggregate == "per_split" and measure.ranks == "fold" and single_rows:
        raise ValueError(
            f"aggregate='per_split' has no meaning for {measure.name} on folds of one "
            "row; use 'pooled' or 'auto'."
        )
    if aggregate != "auto":
        return aggregate
    if measure.per_query is not None:
        return "per_query"
    if single_rows or measure.ranks == "queries":
        return "pooled"
    if is_bootstrap and measure.scores_labels and measure.takes_weights:
        return "pooled"
    return "per_split"


@dataclass(frozen=True, eq=False)
class Pool:
    """The predictions of all splits, to be scored at once.

    Attributes
    ----------
    X, y : array-like
        All data.
    metadata : dict of str to object
        Of all rows, for scorers.
    units : Units
        What was split.
    unit : str
        What a unit is called.
    predictions : OutOfFold
        The predictions.
    classes : ndarray or None
        Columns of class scores.
    """

    X: object
    y: object
    metadata: dict
    units: Units
    unit: str
    predictions: object
    classes: np.ndarray | None

    @property
    def units_of_rows(self):
        """The unit of each prediction."""
        return self.units.codes[self.predictions.row]

    def of_split(self, split):
        """Return the predictions of one split."""
        at = np.flatnonzero(self.predictions.split == split)
        return replace(self, predictions=self.predictions.take(at))

    def score(self, measure, at=None, copies=None):
        """Return the score of predictions; a row predicted `m` times weighs 1/m.

        Parameters
        ----------
        measure : NamedScorer
            What is scored.
        at : int array, default=None
            Which predictions; None: all.
        copies : int array, default=None
            Which draw of its unit each of them is of.
        """
        at = np.arange(len(self.predictions.row)) if at is None else at
        rows = self.predictions.row[at]
        memory = PredictionMemory(
            None,
            responses=take_responses(self.predictions.responses, at),
            classes=self.classes,
        )
        metadata = slice_metadata(self.metadata, rows, len(self.y))
        counts = np.bincount(self.predictions.row, minlength=len(self.y))[rows]
        if measure.ranks == "queries":
            # A query in two splits, or drawn twice, is two rankings.
            marks = [metadata["qid"], self.predictions.split[at]]
            marks += [] if copies is None else [copies]
            metadata["qid"] = _joint_codes(marks)
        extra = {}
        if measure.takes_weights and counts.max() > counts.min():
            own = metadata.get("sample_weight", 1.0)
            own = own if "sample_weight" in measure.metadata else 1.0
            extra["sample_weight"] = own / counts
            metadata.pop("sample_weight", None)
        y = safe_indexing(self.y, rows)
        X = rows if measure.is_scorer else safe_indexing(self.X, rows)
        return measure.score(memory, X, y, metadata, **extra)


def make_pool(inputs, outcomes):
    """Return the predictions of the splits that did not fail."""
    done = [(i, o) for i, o in enumerate(outcomes) if o.error is None]
    responses, classes = concatenate_responses(
        [outcome.responses for _, outcome in done],
        [outcome.classes for _, outcome in done],
    )
    rows = np.concatenate([outcome.rows for _, outcome in done])
    split = np.repeat([i for i, _ in done], [len(outcome.rows) for _, outcome in done])
    ids = None if inputs.qid is None else inputs.qid[rows]
    return Pool(
        inputs.X,
        inputs.y,
        inputs.coded_metadata,
        inputs.units,
        inputs.unit,
        OutOfFold(rows, split, np.asarray(inputs.y)[rows], ids, responses),
        classes,
    )


def make_query_table(inputs, measures, outcomes, filler):
    """Return the scores of queries, or None where there are none."""
    ranking = [measure for measure in measures if measure.per_query is not None]
    if not ranking:
        return None
    of_rows = ranking[0].ranks == "rows"
    ids, weights = inputs.query_facts(of_rows)
    groups = inputs.groups_of(of_rows)
    units = inputs.units.codes
    units = units if of_rows else units[inputs.queries.first_rows]
    split, tested, values = [], [], {measure.name: [] for measure in ranking}
    for i, outcome in enumerate(outcomes):
        if outcome.error is not None and np.isnan(filler):
            continue
        queries = (
            outcome.rows
            if of_rows
            else by_appearance(inputs.queries.codes[outcome.rows])
        )
        split.append(np.full(len(queries), i))
        tested.append(queries)
        for name, parts in values.items():
            own = outcome.query_values.get(name, np.full(len(queries), filler))
            if np.shape(own) != np.shape(queries):
                raise ValueError(
                    f"{name} must return one value per query with average=None: "
                    f"expected {len(queries)}; got shape {np.shape(own)}."
                )
            parts.append(own)
    tested = np.concatenate(tested)
    weighted = any("sample_weight" in measure.metadata for measure in ranking)
    return QueryTable(
        ids[tested],
        np.concatenate(split),
        {name: np.concatenate(parts) for name, parts in values.items()},
        weights[tested] if weighted and weights is not None else None,
        None if groups is None else groups[tested],
        units[tested],
    )


def by_appearance(codes):
    found, first = np.unique(codes, return_index=True)
    return found[np.argsort(first)]


def query_estimate(table, measure):
    """Return the mean over queries of their means over splits, and what it is of.

    Parameters
    ----------
    table : QueryTable
        Scores of queries.
    measure : str
        Which.

    Returns
    -------
    mean : float
    values : ndarray
        Of the queries where it is defined.
    weights, groups : ndarray or None
        Of these queries.
    """
    _, values, weights = table.mean_of_splits(measure)
    undefined = warn_of_queries(values, measure)
    counted = ~undefined if weights is None else ~undefined & (weights > 0)
    values = values[counted]
    weights = None if weights is None else weights[counted]
    groups = table.group_of_queries
    groups = None if groups is None else groups[counted]
    mean = float(np.average(values, weights=weights)) if len(values) else np.nan
    return mean, values, weights, groups


def warn_of_queries(values, measure):
    """Say how many queries have no value; return which."""
    undefined = np.isnan(values)
    if undefined.any():
        warn_of_undefined(measure, undefined.sum(), len(undefined))
    return undefined


def mean_defined(values):
    """Return the mean of what is not NaN, NaN if nothing is."""
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else float("nan")


def _joint_codes(columns):
    """Return one number for each combination of values."""
    codes = 0
    for column in columns:
        _, own = np.unique(column, return_inverse=True)
        _, codes = np.unique(codes * (own.max() + 1) + own, return_inverse=True)
    return codes
