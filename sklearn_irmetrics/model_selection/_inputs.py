"""The data of an evaluation, checked, and the units that are split."""

import itertools
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from sklearn.utils import indexable
from sklearn.utils.validation import column_or_1d

from sklearn_irmetrics._arrays.labels import check_row_order
from sklearn_irmetrics._arrays.numbers import to_dense
from sklearn_irmetrics._arrays.query_ids import as_ids, group_rows
from sklearn_irmetrics._checks import check_count, check_seed
from sklearn_irmetrics._compat import num_samples
from sklearn_irmetrics._results.tables import PLURAL
from sklearn_irmetrics.metrics._ranking.batch import check_weights
from sklearn_irmetrics.model_selection._scorers import read_scoring
from sklearn_irmetrics.scorers._query_ids import QidColumn


def count_rows(values, name="X"):
    """Return the number of rows of values."""
    try:
        return num_samples(values)
    except TypeError:
        raise TypeError(
            f"{name} must have one entry per row; got {values!r}."
        ) from None


def check_lengths(n_rows, **columns):
    """Refuse values without one entry per row; None is allowed."""
    for name, column in columns.items():
        if column is not None and (length := count_rows(column, name)) != n_rows:
            raise ValueError(
                f"{name} must have one entry per row of X: expected {n_rows}; got "
                f"{length}."
            )


def sort_ids(ids):
    """Return the order of ids; ids of several types keep the order of appearance."""
    try:
        return np.argsort(ids, kind="stable")
    except TypeError:
        return np.arange(len(ids))


# A table of units by grades has no more columns for numbers.
_MOST_GRADES = 100
SUMMARIES = ("n_relevant", "mean", "max", "size")


class Units:
    """Rows gathered into the units that are split.

    Parameters
    ----------
    groups : array-like of shape (n_samples,) or None
        Rows with one id are one unit; None: every row is a unit.
    n_samples : int
        How many rows there are.
    kind : {"query", "group"}, default="group"
        What a unit of several rows is: errors about `groups` call it "qid" if they are
        queries.

    Attributes
    ----------
    n_units : int
        How many units there are.
    kind : {"query", "group"}
        As given.
    are_rows : bool
        Whether every unit is a single row, for want of groups.
    sizes : ndarray of shape (n_units,)
        How many rows each unit has.
    codes : ndarray of shape (n_samples,)
        The unit of each row. Units are numbered in the order of their ids, as
        scikit-learn does, or by first appearance where ids have no order.
    ids : ndarray of shape (n_units,)
        The id of each unit: its group, or its row number.
    """

    def __init__(self, groups, n_samples, kind="group"):
        self.kind = kind
        if groups is None:
            self.n_units = n_samples
            self.ids = self.codes = np.arange(n_samples)
            self.are_rows, self.sizes = True, np.ones(n_samples, dtype=np.intp)
            self._order, self._starts = self.ids, self.ids
            return
        name = "qid" if kind == "query" else "groups"
        grouped = group_rows(groups, n_samples, name)
        by_id = sort_ids(grouped.ids)
        number = np.argsort(by_id)
        self.are_rows = False
        self.n_units = len(by_id)
        self.ids = grouped.ids[by_id]
        self.codes = number[grouped.codes()]
        self._order = np.argsort(self.codes, kind="stable")
        self.sizes = np.bincount(self.codes, minlength=self.n_units)
        self._starts = np.cumsum(self.sizes) - self.sizes

    @property
    def first_rows(self):
        """The first row of each unit."""
        return self._order[self._starts]

    def rows(self, units):
        """Return the rows of `units`, unit by unit; a unit named twice comes twice."""
        sizes = self.sizes[units]
        moved_by = self._starts[units] - (np.cumsum(sizes) - sizes)
        return self._order[np.repeat(moved_by, sizes) + np.arange(sizes.sum())]

    def sorted_rows(self, units):
        """Return the rows of `units` as scikit-learn does: in the order of the data."""
        if self.are_rows:
            return np.asarray(units)
        wanted = np.zeros(self.n_units, dtype=bool)
        wanted[units] = True
        return np.flatnonzero(wanted[self.codes])

    def summarise(self, y, summary):
        """Return one value per unit.

        Parameters
        ----------
        y : ndarray of shape (n_samples,)
            Targets.
        summary : {"n_relevant", "mean", "max", "size"} or callable
            A callable gets the targets of one unit and returns its value.
        """
        if summary == "size":
            return self.sizes
        ordered = y[self._order]
        if callable(summary):
            parts = np.split(ordered, self._starts[1:])
            return np.asarray([summary(part) for part in parts])
        if ordered.dtype.kind not in "biuf":
            raise ValueError(
                f"stratify={summary!r} needs numeric targets; got y of type {y.dtype}."
            )
        if summary == "max":
            return np.fmax.reduceat(ordered, self._starts)
        if summary == "n_relevant":
            return np.add.reduceat((ordered > 0).astype(np.intp), self._starts)
        totals = np.add.reduceat(np.nan_to_num(ordered.astype(float)), self._starts)
        return totals / self.sizes

    def constant(self, y):
        """Return the target of each unit if it is the same in all its rows, or None."""
        first = y[self.first_rows]
        return first if (y == first[self.codes]).all() else None


def short(cv):
    """Return a splitter in words, without all rows of all given splits."""
    return reprlib.repr(cv.cv) if hasattr(cv, "cv") else repr(cv)


def check_apart(units, train, test, name, cv):
    """Refuse a split of parameter `name` that has rows of one unit on both sides."""
    in_train = np.zeros(units.n_units, dtype=bool)
    in_train[units.codes[train]] = True
    tested = units.codes[test]
    if in_train[tested].any():
        shared = np.unique(tested[in_train[tested]])
        ids = units.ids[shared[:5]].tolist()
        more = ", ..." if len(shared) > 5 else ""
        kind = "row" if units.are_rows else units.kind
        raise ValueError(
            f"{name}={short(cv)} puts {PLURAL[kind]} on both sides of a split: "
            f"{', '.join(map(repr, ids))}{more}. Use a splitter that keeps them whole, "
            "such as QueryKFold, HoldoutSplit, BootstrapSplit or, forward in time, "
            "QueryTimeSeriesSplit."
        )


def check_splitter(name, cv, others=""):
    """Return a number of folds, a splitter, or a list of (train, test)."""
    if isinstance(cv, Integral):
        return check_count(name, cv, 2)
    if hasattr(cv, "split") and not isinstance(cv, str | bytes | type):
        return cv
    text, pairs = reprlib.repr(cv), list(cv) if np.iterable(cv) else []
    if not pairs or not all(map(_is_pair, pairs)):
        raise ValueError(
            f"{name} must be {others}a number of folds, a splitter or an iterable of "
            f"(train, test); got {text}."
        )
    return pairs


def _is_pair(sides):
    is_list = isinstance(sides, tuple | list | np.ndarray)
    return is_list and len(sides) == 2 and all(map(np.iterable, sides))


def check_coarser(groups, queries):
    """Refuse groups that divide a query; `queries` may be None."""
    if queries is not None and queries.constant(groups.codes) is None:
        raise ValueError(
            "groups must not divide a query: every query must be in one group."
        )


def check_stratify(stratify):
    """Return a valid `stratify`: None, True, the name of a summary or a callable."""
    if stratify is None or stratify is False:
        return None
    is_summary = isinstance(stratify, str) and stratify in SUMMARIES
    if stratify is True or callable(stratify) or is_summary:
        return stratify
    raise ValueError(
        "stratify must be None, True, a callable or one of "
        f"{', '.join(map(repr, SUMMARIES))}; got {stratify!r}. To stratify by "
        "one value per row, pass the values in place of y: "
        "method=list(splitter.split(X, values, groups))."
    )


def check_side_size(name, value):
    """Return the size of one side of a split: None, a share, or a number of units."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    inside = is_number and (
        value >= 1 if isinstance(value, Integral) else 0 < value < 1
    )
    if value is None or inside:
        return value
    raise ValueError(
        f"{name} must be a share strictly between 0 and 1, an integer >= 1 or None; "
        f"got {value!r}."
    )


def check_target(y, why):
    """Return 1-D targets for `why`, which cannot do without them."""
    if y is None:
        raise ValueError(f"{why} needs y; got None.")
    y = column_or_1d(y)
    if y.dtype.kind == "O":
        try:
            return y.astype(np.float64)
        except (TypeError, ValueError):
            return y
    return y


def is_discrete(y):
    """Whether targets are classes or whole grades rather than a continuous quantity.

    Whole numbers of which few repeat (half as many values as targets) are taken as a
    quantity: scikit-learn warns about such classes.
    """
    if y.dtype.kind not in "iuf":
        return True
    judged = y[~np.isnan(y)] if y.dtype.kind == "f" else y
    whole = y.dtype.kind != "f" or (judged == np.round(judged)).all()
    return bool(whole) and 2 * len(np.unique(judged)) <= max(len(judged), 4)


def unit_strata(y, units, stratify, *, n_bins=10, min_size=1):
    """Return the stratum of each unit, as integers from 0.

    Classes are strata as they are. Continuous targets and summaries of queries are
    cut into at most `n_bins` bins of about equal numbers of units, at least
    `min_size` of them in each; equal values are never parted.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Targets.
    units : Units
        What is split.
    stratify : True, {"n_relevant", "mean", "max", "size"} or callable
        True: the target where it is constant inside each unit; otherwise the rarest
        class or grade that the unit holds, or the mean of continuous targets.
    n_bins : int, default=10
        The largest number of bins.
    min_size : int, default=1
        The least number of units in a bin.

    Returns
    -------
    ndarray of shape (n_units,)
    """
    y = check_target(y, "stratify")
    values = units.constant(y) if stratify is True else None
    if values is not None:
        if is_discrete(values):
            return np.unique(values, return_inverse=True)[1]
    elif stratify is True and is_discrete(y):
        counts = count_values(y, units)
        by_rarity = np.argsort(counts.sum(axis=0), kind="stable")
        rarest = np.argmax(counts[:, by_rarity] > 0, axis=1)  # of each unit
        return _equal_bins(rarest, units.n_units, min_size)
    else:
        values = units.summarise(y, "mean" if stratify is True else stratify)
    if values.dtype.kind not in "biuf":
        return np.unique(values, return_inverse=True)[1]
    return _equal_bins(values, n_bins, min_size)


def count_values(y, units):
    """Return how often each class or grade occurs in each unit.

    Of numbers that are more than grades, such as clicks, bins are counted.
    """
    distinct, values = np.unique(y, return_inverse=True)
    if len(distinct) > _MOST_GRADES and distinct.dtype.kind in "iuf":
        values = _equal_bins(y, _MOST_GRADES, 1)
    counts = np.zeros((units.n_units, values.max() + 1))
    np.add.at(counts, (units.codes, values), 1)
    return counts


def spread_evenly(counts, n_splits):
    """Return a fold for each unit, so that all have about the same of everything.

    Whoever holds most of something goes first, to the fold where the squares of the
    shares grow the least: the idea of scikit-learn's ``StratifiedGroupKFold``, in which
    the number of units counts as much as any class.

    Parameters
    ----------
    counts : ndarray of shape (n_units, n_quantities)
        What each unit holds.
    n_splits : int
        How many folds; at most as many as units.

    Returns
    -------
    ndarray of shape (n_units,)
    """
    counts = np.column_stack([np.ones(len(counts)), counts])
    shares = counts / counts.sum(axis=0)
    filled = np.zeros((n_splits, shares.shape[1]))
    folds = np.empty(len(shares), dtype=np.intp)
    for unit in np.argsort(-shares.max(axis=1), kind="stable"):
        folds[unit] = fold = np.argmin(filled @ shares[unit])
        filled[fold] += shares[unit]
    return folds


def _equal_bins(values, n_bins, min_size):
    """Cut values into bins of about equal counts, keeping equal values together."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    size = max(min_size, len(values) / n_bins)
    bin_of_value = np.zeros(len(counts), dtype=np.intp)
    current = filled = 0
    for i, count in enumerate(counts):
        bin_of_value[i] = current
        filled += count
        if filled >= size:
            current, filled = current + 1, 0
    if 0 < filled < size and current > 0:  # what is left is too small for a bin
        bin_of_value[bin_of_value == current] = current - 1
    return bin_of_value[inverse]


def by_appearance(codes):
    """Return the different numbers, in the order of their first appearance."""
    numbers, first = np.unique(codes, return_index=True)
    return numbers[np.argsort(first)]


class QueryFacts(NamedTuple):
    """What is known of each query, or of each row if rows are rankings.

    Attributes
    ----------
    ids : ndarray
        Query ids or row numbers.
    weights, groups : ndarray or None
        Its weight and its group, if there are any.
    units : ndarray of int
        The number of its unit.
    """

    ids: np.ndarray
    weights: np.ndarray | None
    groups: np.ndarray | None
    units: np.ndarray


@dataclass(frozen=True, eq=False)
class Inputs:
    """The data of an evaluation.

    Attributes
    ----------
    X, y : array-like
        The given data.
    target : ndarray
        y as an array; with subtopics, the largest grade of each document.
    units : Units
        The units to split.
    unit : {"query", "group", "row"}
        The name of a unit.
    queries : Units or None
        The queries, if there are query ids.
    qid : ndarray of shape (n_samples,) or None
        Query ids.
    fits_qid : bool
        Whether query ids are for `fit`, rather than only for scorers that take them
        from X.
    metadata : dict of str to object
        For scorers.
    seed : int
        Random state of splits and intervals.
    """

    X: object
    y: object
    target: np.ndarray
    units: Units
    unit: str
    queries: Units | None
    qid: np.ndarray | None
    fits_qid: bool
    metadata: dict
    seed: int

    def query_facts(self, of_rows):
        """Return the `QueryFacts` of all queries, or of all rows."""
        first = np.arange(len(self.target)) if of_rows else self.queries.first_rows
        weights, units = self.metadata.get("sample_weight"), self.units.codes[first]
        return QueryFacts(
            ids=first if of_rows else self.queries.ids,
            weights=None if weights is None else np.asarray(weights)[first],
            groups=self.units.ids[units] if self.unit == "group" else None,
            units=units,
        )


def check_inputs(
    estimators,
    X,
    y,
    scoring,
    *,
    pos_label=None,
    qid,
    groups,
    params,
    random_state,
):
    """Return the data of an evaluation and its scorers.

    Parameters
    ----------
    estimators : dict of str to estimator
        What will be evaluated.
    X, y, scoring, pos_label, qid, groups, params, random_state
        As in `evaluate`.

    Returns
    -------
    inputs : Inputs
    named_scorers : dict of str to list of ModelScorer
        For each estimator.

    Raises
    ------
    TypeError, ValueError
        Naming the argument.
    """
    if not (params is None or isinstance(params, Mapping)):
        raise TypeError(f"params must be a dict or None; got {params!r}.")
    params = {} if params is None else dict(params)
    if reserved := {"qid", "groups"} & params.keys():
        raise ValueError(
            f"params must not hold {sorted(reserved)}: they are arguments of their own."
        )
    sample_weight = params.pop("sample_weight", None)
    rows = {"X": X, "y": y, "qid": qid, "groups": groups}
    check_row_order(**rows, sample_weight=sample_weight, **params)
    X, y, target, sample_weight = _check_data(X, y, sample_weight)
    one_ranking, given_ids = qid is None, _ids_of(qid, X)
    requestable = {"sample_weight", *params}
    named_scorers, ids, target, of_subtopics = read_scoring(
        scoring,
        estimators,
        X,
        target,
        given_ids,
        pos_label=pos_label,
        metadata=requestable,
        one_ranking=one_ranking,
    )
    if one_ranking and ids is not None:
        raise ValueError(
            "qid=None means that there are no queries, but a scorer takes them from X; "
            "leave out qid."
        )
    if np.shape(y)[1:] == (1,) and not of_subtopics:
        y = target
    weights = check_weights(sample_weight, len(target), "row")
    every_scorer = itertools.chain.from_iterable(named_scorers.values())
    in_queries = [scorer for scorer in every_scorer if scorer.ranks == "queries"]
    if in_queries:
        _check_queries(in_queries, target, ids, weights)
    queries = None if ids is None else Units(ids, len(target), kind="query")
    units, unit = _units_to_split(groups, queries, len(target))
    metadata = {**params, "qid": ids, "sample_weight": sample_weight}
    metadata = {name: value for name, value in metadata.items() if value is not None}
    inputs = Inputs(
        X=X,
        y=y,
        target=target,
        units=units,
        unit=unit,
        queries=queries,
        qid=ids,
        fits_qid=given_ids is not None,
        metadata=metadata,
        seed=check_seed(random_state),
    )
    return inputs, named_scorers


def _check_data(X, y, sample_weight):
    """Return data that can be indexed, the targets also as an array, and weights."""
    if y is None:
        raise ValueError("y must hold the targets; got None.")
    check_lengths(count_rows(X), y=y, sample_weight=sample_weight)
    X, y, sample_weight = indexable(X, y, sample_weight)
    target = np.asarray(to_dense(y))
    if target.ndim not in (1, 2):
        raise ValueError(f"y must be 1-D or 2-D; got shape {target.shape}.")
    return X, y if hasattr(y, "shape") else target, target, sample_weight


def _ids_of(qid, X):
    """Return query ids in any of their forms as an array, None if there are none."""
    if isinstance(qid, str) and qid == "auto":
        return None
    if isinstance(qid, str | Integral) and not isinstance(qid, bool):
        qid = QidColumn(qid)
    qid = qid(X) if callable(qid) else qid
    return None if qid is None else as_ids(qid)


def _check_queries(scorers, target, qid, weights):
    """Refuse targets and weights that scorers cannot use inside queries."""
    if target.ndim == 2:
        raise ValueError(
            "qid must be None with 2-D y, because each row is a ranking already; use "
            "groups= to keep rows together."
        )
    requested = set().union(*map(attrgetter("requested"), scorers))
    if "sample_weight" in requested and weights is not None:
        group_rows(qid, len(target)).one_each("sample_weight", weights)


def _units_to_split(groups, queries, n_rows):
    """Return the units to split and their name: groups, else queries, else rows."""
    if groups is None and queries is not None:
        return queries, "query"
    units = Units(groups, n_rows)
    if groups is None:
        return units, "row"
    check_coarser(units, queries)
    return units, "group"
