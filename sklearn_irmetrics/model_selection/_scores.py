"""Scores of slices of predictions: of splits, of queries, of all, without some."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sklearn_irmetrics._compat import safe_indexing
from sklearn_irmetrics._warnings import UndefinedMean
from sklearn_irmetrics.model_selection._fitting import slice_metadata
from sklearn_irmetrics.model_selection._predictions import (
    CachedPredictions,
    PrecomputedEstimator,
)
from sklearn_irmetrics.model_selection._scorers import ModelScorer
from sklearn_irmetrics.model_selection.results import QueryTable, take_responses
from sklearn_irmetrics.scorers.scorer import Predictions


@dataclass(frozen=True, eq=False)
class Scores:
    """Predictions, and the score of any of them by a scorer.

    Attributes
    ----------
    scorer : ModelScorer
        What scores.
    inputs : Inputs
        All data.
    row, split : int array of shape (n_predictions,)
        The row and the split of each prediction.
    times : int array of shape (n_predictions,)
        How often its row was predicted.
    predictions : Predictions or None
        What it scores; None for callables of the user.
    responses : dict of str to array
        Predictions for callables, by method.
    classes : ndarray or None
        Columns of class scores.
    """

    scorer: ModelScorer
    inputs: object
    row: np.ndarray
    split: np.ndarray
    times: np.ndarray
    predictions: Predictions | None
    responses: dict
    classes: np.ndarray | None

    @classmethod
    def from_pool(cls, scorer, pool):
        """Return the predictions of a pool as a scorer sees them."""
        inputs, out_of_fold, metadata = pool.inputs, pool.predictions, {}
        rows = out_of_fold.row
        if inputs.queries is not None:
            metadata["qid"] = inputs.queries.codes[rows]
        if scorer.ranks == "queries":  # a query in two splits is two rankings
            metadata["qid"] = _joint_codes([metadata["qid"], out_of_fold.split])
        model = PrecomputedEstimator(out_of_fold.responses, pool.classes)
        y = safe_indexing(inputs.y, rows)
        predictions = scorer.predictions(model, None, y, metadata, CachedPredictions())
        return cls(
            scorer=scorer,
            inputs=inputs,
            row=rows,
            split=out_of_fold.split,
            times=np.bincount(rows)[rows],
            predictions=predictions,
            responses=out_of_fold.responses if predictions is None else {},
            classes=pool.classes,
        )

    @property
    def units(self):
        """The unit of each prediction."""
        return self.inputs.units.codes[self.row]

    def take(self, at, copies=None):
        """Return some of the predictions.

        With `copies`, the draw of its unit that each belongs to, a query that is drawn
        twice is two rankings.
        """
        predictions = self.predictions
        if predictions is not None:
            qid = predictions.qid
            qid = None if qid is None else np.asarray(qid)[at]
            if copies is not None and qid is not None:
                qid = _joint_codes([qid, copies])
            predictions = predictions._replace(
                y_true=_take(predictions.y_true, at),
                y_score=_take(predictions.y_score, at),
                qid=qid,
            )
        return replace(
            self,
            row=self.row[at],
            split=self.split[at],
            times=self.times[at],
            predictions=predictions,
            responses=take_responses(self.responses, at),
        )

    def of_split(self, split):
        """Return the predictions of a split, in which each row was predicted once."""
        part = self.take(np.flatnonzero(self.split == split))
        return replace(part, times=np.ones_like(part.times))

    def weighed(self):
        """Return the predictions whose weight, if the scorer takes any, is not 0."""
        requested = self.scorer.take_requested(self.inputs.metadata)
        weights = requested.get("sample_weight")
        if weights is None:
            return self
        return self.take(np.flatnonzero(np.asarray(weights)[self.row]))

    def kinds(self):
        """Return equal numbers for equal targets with equal predictions, or None.

        Whichever prediction of a kind is left out, the score is the same. None is
        returned if predictions are no single numbers or classes, or rows have weights.
        """
        if self.predictions is None or self.scorer.requested or self.repeats_rows:
            return None
        y_true, y_score = self.predictions.y_true, self.predictions.y_score
        if np.ndim(y_true) != 1 or np.ndim(y_score) != 1:
            return None
        return _joint_codes([y_true, y_score])

    @property
    def repeats_rows(self):
        """Whether weights must make good how often rows were predicted.

        They do if it was unequally often, and for sums, to which each row adds once.
        """
        once = 1 if self.scorer.is_sum else self.times.min()
        return self.scorer.takes_weights and self.times.max() > once

    @property
    def n_rows(self):
        """How many rows were predicted; with weights, the sum of theirs."""
        weights = self.scorer.take_requested(self.inputs.metadata).get("sample_weight")
        rows = np.unique(self.row)
        return len(rows) if weights is None else float(np.sum(np.take(weights, rows)))

    def score(self, **options):
        """Return the score.

        If rows can have weights, a row that was predicted `m` times has weight 1/m.
        """
        inputs = self.inputs
        if self.predictions is None:
            X, y = (safe_indexing(data, self.row) for data in (inputs.X, inputs.y))
            model = PrecomputedEstimator(self.responses, self.classes)
            return self.scorer.score_model(model, X, y)
        metadata = slice_metadata(
            self.scorer.take_requested(inputs.metadata), self.row, len(inputs.target)
        )
        if self.repeats_rows:
            weights = metadata.get("sample_weight", 1.0)
            options = {"sample_weight": weights / self.times, **options}
        return self.scorer.score(self.predictions, metadata, **options)

    def score_if_defined(self):
        """Return the score, NaN if it is not defined for these predictions."""
        try:
            return self.score()
        except ValueError:  # rows of one class are left
            return np.nan

    def as_one_ranking(self):
        """Return targets and scores of one ranking, and a function that scores many.

        None if the scorer has to be called for each change of its rows.
        """
        if self.scorer.requested or self.repeats_rows:
            return None
        return self.scorer.as_one_ranking(self.predictions)


def _take(values, at):
    """Return some rows of an array, or of each of a list of arrays."""
    if isinstance(values, list):
        return [part[at] for part in values]
    return safe_indexing(values, at)


def _joint_codes(columns):
    """Return one number for each combination of values."""
    codes = 0
    for column in columns:
        _, values = np.unique(column, return_inverse=True)
        _, codes = np.unique(codes * (values.max() + 1) + values, return_inverse=True)
    return codes


def chance_score(scorer, pool, rng):
    """Return the expected score if predictions are independent of targets.

    γ of the .632+ bootstrap: exact for ranking measures, the expectation over all
    orders. For others the score of predictions paired with targets at random: all pairs
    where there are at most a million, else as many.

    Parameters
    ----------
    scorer : ModelScorer
        What scores.
    pool : Pool
        Predictions of all rows by the estimator that was fitted on them.
    rng : numpy.random.Generator
        Generator of the pairs.

    Returns
    -------
    float
    """
    with scorer.suppress_warnings():
        scores, inputs = Scores.from_pool(scorer, pool), pool.inputs
        metadata = slice_metadata(
            scorer.take_requested(inputs.metadata), scores.row, len(inputs.target)
        )
        chance = scorer.chance(scores.predictions, metadata, rng)
        if chance is not None:
            return chance
        return Scores.from_pool(scorer, _pair_at_random(scorer, pool, rng)).score()


def _pair_at_random(scorer, pool, rng):
    """Return predictions paired with targets at random, many times over."""
    n = len(pool.predictions.row)
    n_shifts = min(n, max(1, scorer.most_pairs // n))
    shifts = rng.permutation(n)[:n_shifts]
    order = rng.permutation(n)
    rows = np.tile(np.arange(n), n_shifts)
    partners = order[(np.arange(n) + shifts[:, np.newaxis]) % n].ravel()
    # Queries of its own each time.
    return pool.paired(rows, partners, np.repeat(np.arange(n_shifts), n))


def make_query_table(inputs, scorers, outcomes, filler):
    """Return the scores of queries, None if there are none or no split has any.

    A number as `filler` is the value of every query of a split in which the fit or the
    measure failed.
    """
    mean_scorers = [scorer for scorer in scorers if scorer.is_mean]
    counted = {
        i: outcome
        for i, outcome in enumerate(outcomes)
        if _has_queries(outcome, mean_scorers, filler)
    }
    if not counted:
        return None
    of_rows = mean_scorers[0].ranks == "rows"
    tested = [_tested_queries(one, inputs, of_rows) for one in counted.values()]
    sizes = list(map(len, tested))
    scores = {
        one.name: _values_of_queries(one, counted, sizes, filler)
        for one in mean_scorers
    }
    at = np.concatenate(tested)
    queries = inputs.query_facts(of_rows)
    is_weighted = any("sample_weight" in scorer.requested for scorer in mean_scorers)
    weights, groups = queries.weights if is_weighted else None, queries.groups
    return QueryTable(
        query_ids=queries.ids[at],
        split=np.repeat(list(counted), sizes),
        scores=scores,
        weights=None if weights is None else weights[at],
        groups=None if groups is None else groups[at],
        units=queries.units[at],
    )


def _has_queries(outcome, mean_scorers, filler):
    """Whether a split has values of queries, or a number in their place."""
    if not np.isnan(filler):
        return bool(mean_scorers)
    return any(not outcome.lacks(scorer.name) for scorer in mean_scorers)


def _tested_queries(outcome, inputs, of_rows):
    """Return the queries that a split tested, or the rows if these are rankings.

    They have the order of `Side.query_values`.
    """
    rows = outcome.test.rows
    return rows if of_rows else by_appearance(inputs.queries.codes[rows])


def by_appearance(codes):
    """Return the different numbers, in the order of their first appearance."""
    numbers, first = np.unique(codes, return_index=True)
    return numbers[np.argsort(first)]


def _values_of_queries(scorer, outcomes, sizes, filler):
    """Return the values of the queries that splits tested, of `sizes` each."""
    parts = []
    for outcome, n_queries in zip(outcomes.values(), sizes, strict=True):
        if outcome.lacks(scorer.name):
            parts.append(np.full(n_queries, filler))
            continue
        values = outcome.test.query_values[scorer.name]
        if np.shape(values) != (n_queries,):
            raise ValueError(
                f"{scorer.name} must return one value per query with average=None: "
                f"expected {n_queries}; got shape {np.shape(values)}."
            )
        parts.append(values)
    return np.concatenate(parts)


class QueryMean(NamedTuple):
    """A mean over queries, and the queries for which the measure is defined.

    Attributes
    ----------
    mean : float
        NaN if it is defined for no query.
    values : ndarray of shape (n_queries,)
        The score of each query, the mean of its scores over splits.
    weights, groups : ndarray of shape (n_queries,) or None
        Of these queries.
    """

    mean: float
    values: np.ndarray
    weights: np.ndarray | None
    groups: np.ndarray | None


def mean_of_queries(table, measure):
    """Return the `QueryMean` of a measure, given by its name, in a `QueryTable`."""
    _, values, weights = table.mean_of_splits(measure)
    counted = ~np.isnan(values)
    if weights is not None:
        counted &= weights > 0
    parts = (values, weights, table.group_of_queries)
    values, weights, groups = (None if p is None else p[counted] for p in parts)
    mean = float(np.average(values, weights=weights)) if len(values) else np.nan
    return QueryMean(mean, values, weights, groups)


def undefined_means(scorer, table):
    """Return what to warn of: the mean of a scorer if it leaves out queries."""
    if not np.isnan(table.scores[scorer.name]).any():
        return []
    _, values, _ = table.mean_of_splits(scorer.name)
    n_undefined = np.count_nonzero(np.isnan(values))
    if not n_undefined:
        return []
    left_out = f"{n_undefined} of {len(values)} queries"
    return [UndefinedMean(scorer.name, scorer.function_name, left_out)]


def mean_defined(values):
    """Return the mean of values that are not NaN, or NaN."""
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else float("nan")
