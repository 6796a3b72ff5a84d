"""From the scores and predictions of all splits to one estimate per measure."""

from dataclasses import dataclass, replace

import numpy as np

from sklearn_irmetrics._compat import safe_indexing
from sklearn_irmetrics._core.aggregate import warn_of_undefined
from sklearn_irmetrics.model_selection._fitting import slice_metadata
from sklearn_irmetrics.model_selection._predictions import (
    Answers,
    Replayed,
    concatenate_responses,
    take_responses,
)
from sklearn_irmetrics.model_selection._results import OutOfFold, QueryTable


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
    if aggregate == "per_query" and not measure.is_mean:
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
    if measure.is_mean:
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
    inputs : Inputs
        All data.
    predictions : OutOfFold
        The predictions.
    classes : ndarray or None
        Columns of class scores.
    """

    inputs: object
    predictions: object
    classes: np.ndarray | None

    @property
    def units_of_rows(self):
        """The unit of each prediction."""
        return self.inputs.units.codes[self.predictions.row]

    def of_split(self, split):
        """Return the predictions of one split."""
        at = np.flatnonzero(self.predictions.split == split)
        return replace(self, predictions=self.predictions.take(at))

    def given_to(self, measure, at=slice(None), copies=None):
        """Return what `measure` is computed of: a model, X, y and metadata.

        A row that was predicted `m` times weighs 1/m, where rows can be weighed.

        Parameters
        ----------
        measure : NamedScorer
            What will be computed.
        at : int array, default=slice(None)
            Which predictions.
        copies : int array, default=None
            Which draw of its unit each of them is of.

        Returns
        -------
        model, X, y, metadata : object
        extra : dict of str to ndarray
            Further metadata.
        """
        inputs, n_rows = self.inputs, len(self.inputs.target)
        rows = self.predictions.row[at]
        responses = take_responses(self.predictions.responses, at)
        metadata = slice_metadata(inputs.coded_metadata, rows, n_rows)
        if measure.ranks == "queries":
            # A query in two splits, or drawn twice, is two rankings.
            marks = [metadata["qid"], self.predictions.split[at]]
            marks += [] if copies is None else [copies]
            metadata["qid"] = _joint_codes(marks)
        extra = {}
        counts = np.bincount(self.predictions.row, minlength=n_rows)[rows]
        if measure.takes_weights and counts.max() > counts.min():
            own = measure.own(metadata).get("sample_weight", 1.0)
            extra["sample_weight"] = own / counts
        X = None if measure.is_scorer else safe_indexing(inputs.X, rows)
        y = safe_indexing(inputs.y, rows)
        return (Replayed(responses, self.classes), X, y, metadata), extra

    def score(self, measure, *which, **options):
        """Return the score of predictions; see `given_to`."""
        given, extra = self.given_to(measure, *which)
        return measure.score(*given, Answers(), **extra | options)


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
    y_true = np.asarray(inputs.y)[rows]
    return Pool(inputs, OutOfFold(rows, split, y_true, ids, responses), classes)


def make_query_table(inputs, measures, outcomes, filler):
    """Return the scores of queries, or None where there are none."""
    ranking = [measure for measure in measures if measure.is_mean]
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
