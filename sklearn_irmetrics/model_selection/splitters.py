"""Splitters that keep queries whole, for ``cv=`` anywhere in scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn import get_config
from sklearn.model_selection import (
    BaseCrossValidator,
    BaseShuffleSplit,
    GroupKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    check_cv,
)
from sklearn.utils import check_random_state, indexable

from sklearn_irmetrics._arrays.labels import check_row_order
from sklearn_irmetrics._checks import (
    check_count,
    check_flag,
    check_option,
    check_qid_source,
)
from sklearn_irmetrics._typing import Array, Ids, QueryColumn, RandomState, Stratify
from sklearn_irmetrics.model_selection._inputs import (
    Units,
    check_apart,
    check_coarser,
    check_lengths,
    check_side_size,
    check_splitter,
    check_stratify,
    check_target,
    count_rows,
    count_values,
    is_discrete,
    spread_evenly,
    unit_strata,
)
from sklearn_irmetrics.scorers._query_ids import QidColumn

if TYPE_CHECKING:
    from sklearn.model_selection import BaseCrossValidator as _Splitter
else:
    _Splitter = object


class SplitsQueries(_Splitter):
    """A splitter whose units are groups, otherwise queries, otherwise rows.

    It is a base class in front of a scikit-learn splitter, which gets the ids as its
    groups.
    """

    __metadata_request__split = {"groups": True, "qid": True}
    _needs_ids = False
    qid: QueryColumn = None

    def get_n_splits(
        self,
        X: Any = None,
        y: Any = None,
        groups: Ids | None = None,
        qid: Ids | None = None,
    ) -> int:
        """Return the number of splits."""
        return self._count(X, y, qid if groups is None else groups)

    def split(
        self, X: Any, y: Any = None, groups: Ids | None = None, qid: Ids | None = None
    ) -> Iterator[tuple[Array, Array]]:
        """Generate training and test rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Only its length is used.
        y : array-like of shape (n_samples,), default=None
            Targets, for splitters that stratify or balance by them.
        groups : array-like of shape (n_samples,), default=None
            Rows with the same id stay on one side of each split.
        qid : array-like of shape (n_samples,), default=None
            Query ids, which are the groups if there are no others. Metadata routing
            passes both without a request.

        Yields
        ------
        train, test : ndarray
            Row numbers.

        Raises
        ------
        ValueError
            If ids have another length than X or divide a query, or if the splitter
            needs y or ids and they are missing.
        """
        n_rows = count_rows(X)
        check_lengths(n_rows, y=y)
        check_row_order(X=X, y=y, groups=groups, qid=qid)
        if self.qid is not None:
            qid = self.qid(X) if callable(self.qid) else QidColumn(self.qid)(X)
        yield from self._generate(X, y, *self._ids(groups, qid, n_rows))

    def _count(self, X, y, groups):
        return super().get_n_splits(X, y, groups)

    def _generate(self, X, y, groups, queries):
        return super().split(X, y, groups)

    def _ids(self, groups, qid, n_rows):
        """Return the units to keep whole, and those that are ranked, or None."""
        if groups is None and qid is None:
            if self._needs_ids:
                name = type(self).__name__
                routing = "call sklearn.set_config(enable_metadata_routing=True) and "
                raise ValueError(
                    f"{name} needs query ids and none arrived. Either (1) "
                    f"{'' if get_config()['enable_metadata_routing'] else routing}"
                    "pass qid=, as in cross_validate(..., params={'qid': qid}) or "
                    "GridSearchCV(...).fit(X, y, qid=qid); or (2) pass groups=qid; or "
                    "(3) pass cv=list(cv.split(X, y, qid=qid)); or (4) name a column "
                    f"of X: {name}(..., qid='column'), also in stacking. After (2) to "
                    "(4), scorers still need ids: get_scorer(..., qid='column') or "
                    "(1)."
                )
            return None, None
        queries = None if qid is None else Units(qid, n_rows, kind="query")
        if groups is None:
            return queries.codes, queries.codes
        units = Units(groups, n_rows)
        check_coarser(units, queries)
        return units.codes, (units if queries is None else queries).codes


class HoldoutSplit(SplitsQueries, BaseShuffleSplit):
    """One random split into training and test data: the holdout method.

    Without groups the splits are those of
    :class:`sklearn.model_selection.ShuffleSplit`, with groups those of
    :class:`sklearn.model_selection.GroupShuffleSplit`, for the same `random_state`.

    Parameters
    ----------
    n_splits : int, default=1
        Number of independent splits; more than one is repeated random subsampling.
    test_size : float or int, default=1/3
        Share (or number) of the groups, or of the rows if there are no groups, to hold
        out. None: the rest after `train_size`.
    train_size : float or int or None, default=None
        Share (or number) to train on. None: the rest after `test_size`.
    stratify : None, True, {"n_relevant", "mean", "max", "size"} or callable, \
default=None
        The quantity whose distribution should be similar on both sides. True: the
        target of a row (or of a group in which it is constant); otherwise the rarest
        class or grade of a group, or the mean of continuous targets. A callable gets
        the targets of one group. Continuous quantities are binned.
    random_state : int, RandomState instance or None, default=None
        Controls the random draws.
    qid : str, int, callable or None, default=None
        The column of X that holds query ids, by name or position, or ``qid(X)``. Use it
        if no ids can be passed, as in the inner folds of a stacking model.

    See Also
    --------
    BootstrapSplit : Trains on rows or queries drawn with replacement.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_irmetrics.model_selection import HoldoutSplit
    >>> X, qid = np.zeros((6, 1)), np.array([1, 1, 2, 2, 3, 3])
    >>> for train, test in HoldoutSplit(random_state=0).split(X, groups=qid):
    ...     print(qid[train], qid[test])
    [1 1 2 2] [3 3]
    """

    def __init__(
        self,
        n_splits: int = 1,
        *,
        test_size: float = 1 / 3,
        train_size: float | None = None,
        stratify: Stratify = None,
        random_state: RandomState = None,
        qid: QueryColumn = None,
    ) -> None:
        self.n_splits = check_count("n_splits", n_splits)
        self.qid = check_qid_source(qid)
        self.test_size = check_side_size("test_size", test_size)
        self.train_size = check_side_size("train_size", train_size)
        self.stratify = check_stratify(stratify)
        self.random_state = random_state

    def _iter_indices(self, X, y=None, groups=None):
        units = Units(groups, count_rows(X))
        sizes = {"test_size": self.test_size, "train_size": self.train_size}
        placeholder = np.zeros(units.n_units)
        splitter = ShuffleSplit(self.n_splits, **sizes, random_state=self.random_state)
        strata = None
        if self.stratify is not None:
            single = ShuffleSplit(1, **sizes, random_state=0)
            smaller_side = min(map(len, next(single.split(placeholder))))
            least = max(2, int(np.ceil(units.n_units / smaller_side)))
            strata = unit_strata(y, units, self.stratify, min_size=least)
            splitter = StratifiedShuffleSplit(
                self.n_splits, **sizes, random_state=self.random_state
            )
        for train, test in splitter.split(placeholder, strata):
            yield units.sorted_rows(train), units.sorted_rows(test)


class BootstrapSplit(SplitsQueries, BaseShuffleSplit):
    """Bootstrap: train on units drawn with replacement, test on those not drawn.

    As many units are drawn as there are: groups if there are groups, otherwise rows.
    The rows of a group drawn twice appear twice. A draw that leaves nothing out is
    repeated, in each stratum of two or more units, so both sides have every class if
    possible.

    Parameters
    ----------
    n_splits : int, default=100
        Number of bootstrap replicates.
    stratify : None, True, {"n_relevant", "mean", "max", "size"} or callable, \
default=None
        Draw inside each stratum, so that every replicate has the same share of each.
        See :class:`HoldoutSplit`.
    random_state : int, RandomState instance or None, default=None
        Controls the random draws.
    qid : str, int, callable or None, default=None
        The column of X that holds query ids, by name or position, or ``qid(X)``. Use it
        if no ids can be passed, as in the inner folds of a stacking model.

    Notes
    -----
    About 36.8 % of the units are out of the bag in each replicate. Out-of-bag test
    sets overlap, so ``cross_val_predict`` cannot be used with this splitter.

    References
    ----------
    B. Efron and R. Tibshirani, "Improvements on Cross-Validation: The .632+ Bootstrap
    Method", JASA 92 (1997).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_irmetrics.model_selection import BootstrapSplit
    >>> X, qid = np.zeros((6, 1)), np.array([1, 1, 2, 2, 3, 3])
    >>> for train, test in BootstrapSplit(2, random_state=1).split(X, groups=qid):
    ...     print(qid[train], qid[test])
    [1 1 1 1 2 2] [3 3]
    [1 1 2 2 2 2] [3 3]
    """

    def __init__(
        self,
        n_splits: int = 100,
        *,
        stratify: Stratify = None,
        random_state: RandomState = None,
        qid: QueryColumn = None,
    ) -> None:
        self.n_splits = check_count("n_splits", n_splits)
        self.qid = check_qid_source(qid)
        self.stratify = check_stratify(stratify)
        self.random_state = random_state

    def _iter_indices(self, X, y=None, groups=None):
        units = Units(groups, count_rows(X))
        if self.stratify is None:
            strata = [np.arange(units.n_units)]
        else:
            labels = unit_strata(y, units, self.stratify, min_size=2)
            strata = [np.flatnonzero(labels == i) for i in range(labels.max() + 1)]
        if max(map(len, strata)) < 2:
            raise ValueError(
                "a bootstrap needs a stratum of at least two rows or groups to leave "
                f"one out; got {units.n_units} in {len(strata)} stratum(s)."
            )
        rng = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            drawn = np.concatenate([_draw(members, rng) for members in strata])
            left_out = np.setdiff1d(np.arange(units.n_units), drawn)
            yield units.rows(np.sort(drawn)), units.sorted_rows(left_out)


def _draw(members, rng):
    """Draw members with replacement, leaving out at least one if possible."""
    while True:
        drawn = members[rng.randint(len(members), size=len(members))]
        if len(members) == 1 or len(np.unique(drawn)) < len(members):
            return drawn


class QueryKFold(SplitsQueries, GroupKFold):
    """K folds of whole queries.

    The folds are those of :class:`sklearn.model_selection.GroupKFold`. Under metadata
    routing, it gets the query ids from ``params={"qid": qid}`` or
    ``search.fit(X, y, qid=qid)``; with routing off, pass them as `groups`. Without ids
    it raises an error, because folds of rows would cut queries.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    n_repeats : int, default=1
        Number of repetitions, each with other folds; more than one needs `shuffle`.
    shuffle : bool, default=False
        Whether to shuffle the queries first. False: folds have about the same number
        of rows.
    random_state : int, RandomState instance or None, default=None
        Controls the shuffling.
    qid : str, int, callable or None, default=None
        The column of X that holds query ids, by name or position, or ``qid(X)``. Use it
        if no ids can be passed, as in the inner folds of a stacking model.

    See Also
    --------
    StratifiedQueryKFold : Folds with similar classes, grades or quantities.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_irmetrics import QueryKFold
    >>> X, qid = np.zeros((6, 1)), np.array([1, 1, 2, 2, 3, 3])
    >>> for train, test in QueryKFold(3).split(X, qid=qid):
    ...     print(qid[train], qid[test])
    [1 1 2 2] [3 3]
    [1 1 3 3] [2 2]
    [2 2 3 3] [1 1]
    """

    _needs_ids = True

    def __init__(
        self,
        n_splits: int = 5,
        *,
        n_repeats: int = 1,
        shuffle: bool = False,
        random_state: RandomState = None,
        qid: QueryColumn = None,
    ) -> None:
        n_splits = check_count("n_splits", n_splits, 2)
        self.n_repeats = _check_repeats(n_repeats, check_flag("shuffle", shuffle))
        self.qid = check_qid_source(qid)
        super().__init__(n_splits, shuffle=shuffle, random_state=random_state)

    def _count(self, X, y, groups):
        return self.n_repeats * self.n_splits

    def _generate(self, X, y, groups, queries):
        rng = check_random_state(self.random_state) if self.shuffle else None
        folds = GroupKFold(self.n_splits, shuffle=self.shuffle, random_state=rng)
        for _ in range(self.n_repeats):
            yield from folds.split(X, y, groups)


def _check_repeats(n_repeats, shuffle):
    """Return a number of repetitions, of which only shuffled folds have several."""
    if check_count("n_repeats", n_repeats) > 1 and not shuffle:
        raise ValueError(
            f"n_repeats={n_repeats} needs shuffle=True, because folds that are not "
            "shuffled are the same in each repetition."
        )
    return n_repeats


class StratifiedQueryKFold(SplitsQueries, BaseCrossValidator):
    """K folds of whole queries with similar classes, grades or quantities.

    It stratifies what scikit-learn cannot: queries by a summary of their documents, and
    continuous targets. Ids are required, as `groups` or `qid`.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    stratify : True, {"n_relevant", "mean", "max", "size"} or callable, default=True
        What to stratify by. True: the target of a query, if it is constant; the mean of
        continuous targets; otherwise folds have about the same number of documents of
        each class or grade and of queries, as in
        :class:`sklearn.model_selection.StratifiedGroupKFold`. A callable gets the
        targets of one query and returns a number or label.
    n_bins : int, default=10
        Continuous targets and summaries are cut into at most so many bins of about
        equal counts, each with at least `n_splits` members.
    n_repeats : int, default=1
        Number of repetitions, each with other folds; more than one needs `shuffle`.
    shuffle : bool, default=False
        Whether to shuffle within each stratum first.
    random_state : int, RandomState instance or None, default=None
        Controls the shuffling.
    qid : str, int, callable or None, default=None
        The column of X that holds query ids, by name or position, or ``qid(X)``. Use it
        if no ids can be passed, as in the inner folds of a stacking model.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_irmetrics.model_selection import StratifiedQueryKFold
    >>> qid = np.repeat([1, 2, 3, 4], 2)
    >>> y = np.array([0, 0, 1, 1, 0, 0, 1, 1])
    >>> for _, test in StratifiedQueryKFold(2).split(np.zeros((8, 1)), y, qid):
    ...     print(qid[test], y[test])
    [1 1 2 2] [0 0 1 1]
    [3 3 4 4] [0 0 1 1]
    """

    _needs_ids = True

    def __init__(
        self,
        n_splits: int = 5,
        *,
        stratify: Stratify = True,
        n_bins: int = 10,
        n_repeats: int = 1,
        shuffle: bool = False,
        random_state: RandomState = None,
        qid: QueryColumn = None,
    ) -> None:
        self.n_splits = check_count("n_splits", n_splits, 2)
        self.qid = check_qid_source(qid)
        self.stratify = check_stratify(stratify)
        if self.stratify is None:
            raise ValueError(
                f"stratify must name what to stratify by; got {stratify!r}."
            )
        self.n_bins = check_count("n_bins", n_bins)
        self.shuffle = check_flag("shuffle", shuffle)
        self.n_repeats = _check_repeats(n_repeats, shuffle)
        if random_state is not None and not shuffle:  # as in scikit-learn's folds
            raise ValueError(
                "random_state must be None if shuffle is False, because it has no "
                f"effect; got {random_state!r}. Set shuffle=True."
            )
        self.random_state = random_state

    def _count(self, X, y, groups):
        return self.n_repeats * self.n_splits

    def _iter_test_indices(self, X=None, y=None, groups=None):
        units = Units(groups, count_rows(X))
        if units.n_units < self.n_splits:
            raise ValueError(
                f"n_splits={self.n_splits} cannot be greater than the number of "
                f"{'rows' if units.are_rows else 'groups'}; got {units.n_units}."
            )
        rng = check_random_state(self.random_state) if self.shuffle else None
        for _ in range(self.n_repeats):
            for test in self._folds(y, units, rng):
                yield units.sorted_rows(test)

    def _folds(self, y, units, rng):
        """Generate the units of each fold, shuffled if there is a generator."""
        target = check_target(y, "stratify")
        by_values = self.stratify is True and is_discrete(target)
        if by_values and units.constant(target) is None:
            # The folds of the shuffled places keep scikit-learn's meaning of both.
            order = np.arange(units.n_units)
            if rng is not None:
                rng.shuffle(order)
            folds = spread_evenly(count_values(target, units)[order], self.n_splits)
            for fold in range(self.n_splits):
                yield order[folds == fold]
            return
        strata = unit_strata(
            y, units, self.stratify, n_bins=self.n_bins, min_size=self.n_splits
        )
        folds = StratifiedKFold(self.n_splits, shuffle=self.shuffle, random_state=rng)
        for _, test in folds.split(np.zeros(units.n_units), strata):
            yield test


class StratifiedRowKFold(StratifiedQueryKFold):
    """The same folds of single rows, if there are no ids to keep whole."""

    _needs_ids = False


class QueryTimeSeriesSplit(SplitsQueries, TimeSeriesSplit):
    """Splits of whole queries that train on the past and test on the future.

    The splits are those of :class:`sklearn.model_selection.TimeSeriesSplit`, with
    queries (or groups) in place of rows. Rows are in the order of time, so the rows of
    a query have to be adjacent. Ids are required, as `groups` or `qid`.

    Parameters
    ----------
    n_splits : int, default=5
        Number of splits. The queries of each test set follow those of the one before.
    max_train_size : int or None, default=None
        Train on at most so many queries, the latest. None: on all earlier ones.
    test_size : int or None, default=None
        Number of queries in each test set. None: the number of queries divided by
        ``n_splits + 1``, rounded down.
    gap : int, default=0
        Number of queries to leave out between the training and the test set.
    qid : str, int, callable or None, default=None
        The column of X that holds query ids, by name or position, or ``qid(X)``. Use it
        if no ids can be passed, as in the inner folds of a stacking model.

    See Also
    --------
    QueryKFold : Folds of whole queries that ignore time.

    Notes
    -----
    The earliest queries are in no test set, so ``cross_val_predict`` cannot be used
    with this splitter. A gap keeps training data whose outcome was not yet known, such
    as clicks of the same session or day, out of the model.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_irmetrics.model_selection import QueryTimeSeriesSplit
    >>> X, qid = np.zeros((8, 1)), np.array(["d", "d", "a", "a", "c", "c", "b", "b"])
    >>> for train, test in QueryTimeSeriesSplit(3).split(X, qid=qid):
    ...     print(qid[train], qid[test])
    ['d' 'd'] ['a' 'a']
    ['d' 'd' 'a' 'a'] ['c' 'c']
    ['d' 'd' 'a' 'a' 'c' 'c'] ['b' 'b']
    """

    _needs_ids = True

    def __init__(
        self,
        n_splits: int = 5,
        *,
        max_train_size: int | None = None,
        test_size: int | None = None,
        gap: int = 0,
        qid: QueryColumn = None,
    ) -> None:
        n_splits = check_count("n_splits", n_splits, 2)
        if max_train_size is not None:
            check_count("max_train_size", max_train_size)
        if test_size is not None:
            check_count("test_size", test_size)
        self.qid = check_qid_source(qid)
        super().__init__(
            n_splits,
            max_train_size=max_train_size,
            test_size=test_size,
            gap=check_count("gap", gap, 0),
        )

    def _generate(self, X, y, groups, queries):
        units = Units(groups, count_rows(X))
        first_rows = np.flatnonzero(np.diff(units.codes, prepend=-1))
        in_time = units.codes[first_rows]
        if len(in_time) > units.n_units:
            parted = first_rows[np.bincount(in_time)[in_time] > 1][:2].tolist()
            raise ValueError(
                "rows with the same qid (or group) must be adjacent, because "
                "QueryTimeSeriesSplit takes the order of the rows as time; rows "
                f"{parted[0]} and {parted[1]} have the same id, with other ids between "
                "them. Sort the rows by the time of their queries."
            )
        self._check_past(units.n_units)
        for train, test in super()._generate(in_time, None, None, None):
            yield units.rows(in_time[train]), units.rows(in_time[test])

    def _check_past(self, n_units):
        """Refuse test sets and gaps that leave nothing to train on before them."""
        size = self.test_size or max(1, n_units // (self.n_splits + 1))
        least = self.n_splits * size + self.gap + 1
        if n_units < least:
            raise ValueError(
                f"n_splits={self.n_splits}, with {size} in each test set and a gap of "
                f"{self.gap}, needs at least {least} queries (or groups), one to train "
                f"on; got {n_units}. Use fewer splits, or a smaller test_size or gap."
            )


class ResampledSplit(SplitsQueries, BaseCrossValidator):
    """Any splitter with balanced training data; test data stay as they are.

    Rows are drawn after the split, from the training data only, so no copy of a test
    row can be trained on.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test)
        The splitter. An int means that many folds: of whole groups if groups are given,
        stratified if the target is discrete.
    strategy : {"over", "under"}, default="over"
        "over": repeat rows of the rarer classes until each is as large as the largest;
        all rows are kept. "under": keep as many rows of each class as the rarest class
        has.
    unit : {"row", "query", "group"}, default="row"
        The units to repeat or leave out: rows, balanced by their class or grade; or
        whole queries or groups, balanced by their target if it is constant in each,
        otherwise by their rarest class or grade. Queries are the groups if there are no
        other ids.
    n_bins : int or None, default=None
        Balance so many bins of equal width instead of classes; of queries and groups in
        which the target varies, bins of its mean. None: 5 if the target is continuous,
        otherwise the classes or grades themselves.
    random_state : int, RandomState instance or None, default=None
        Controls which rows are repeated or left out.
    qid : str, int, callable or None, default=None
        The column of X that holds query ids, by name or position, or ``qid(X)``. Use it
        if no ids can be passed, as in the inner folds of a stacking model.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_irmetrics.model_selection import ResampledSplit
    >>> y = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    >>> splitter = ResampledSplit(2, "over", random_state=0)
    >>> for train, test in splitter.split(np.zeros((8, 1)), y):
    ...     print(np.bincount(y[train]), np.bincount(y[test]))
    [3 3] [3 1]
    [3 3] [3 1]
    """

    def __init__(
        self,
        cv: Any = 5,
        strategy: Literal["over", "under"] = "over",
        *,
        unit: Literal["row", "query", "group"] = "row",
        n_bins: int | None = None,
        random_state: RandomState = None,
        qid: QueryColumn = None,
    ) -> None:
        check_option("strategy", strategy, ("over", "under"))
        check_option("unit", unit, ("row", "query", "group"))
        self.cv = check_splitter("cv", cv)
        self.qid = check_qid_source(qid)
        self.strategy = strategy
        self.unit = unit
        self.n_bins = None if n_bins is None else check_count("n_bins", n_bins, 2)
        self.random_state = random_state

    def _count(self, X, y, groups):
        return self._splitter(y, groups).get_n_splits(X, y, groups)

    def _generate(self, X, y, groups, queries):
        units = Units(groups, count_rows(X))
        X, y, groups = indexable(X, y, groups)
        drawn = Units(queries, count_rows(X)) if self.unit == "query" else units
        if self.unit != "row" and units.are_rows:
            raise ValueError(f"unit={self.unit!r} needs groups or qid; got None.")
        target = check_target(y, "ResampledSplit")
        if target.dtype.kind == "f" and np.isnan(target).any():
            raise ValueError(
                "y must not contain NaN (unjudged rows) where training data are "
                f"balanced by it; got one in row {int(np.argmax(np.isnan(target)))}."
            )
        classes = self._classes(target, drawn)
        rng, rows = check_random_state(self.random_state), np.arange(len(target))
        for sides in self._splitter(y, groups).split(X, y, groups):
            train, test = (rows[np.asarray(side)] for side in sides)  # or a mask
            check_apart(units, train, test, "cv", self.cv)
            if self.unit == "row":
                yield self._balance(train, classes, rng), test
                continue
            inside, counts = np.unique(drawn.codes[train], return_counts=True)
            # Rows that cv drew twice, as a bootstrap does, count twice.
            members = np.repeat(inside, counts // drawn.sizes[inside])
            yield drawn.rows(self._balance(members, classes, rng)), test

    def _splitter(self, y, groups):
        if groups is not None and isinstance(self.cv, Integral):
            return GroupKFold(self.cv)
        discrete = y is not None and is_discrete(check_target(y, "ResampledSplit"))
        return check_cv(self.cv, y, classifier=discrete)

    def _classes(self, y, units):
        """Return the class of each row or unit, or its bin."""
        if self.n_bins is not None and y.dtype.kind not in "biuf":
            raise ValueError(
                f"n_bins must be None if the targets are no numbers; got {self.n_bins} "
                f"with {y[0]!r} in y."
            )
        values = y if self.unit == "row" else units.constant(y)
        if values is None:
            if self.n_bins is None and is_discrete(y):
                return unit_strata(y, units, True)
            values = units.summarise(y, "mean")
        if self.n_bins is None and is_discrete(values):
            return np.unique(values, return_inverse=True)[1]
        values = values.astype(np.float64)
        edges = np.linspace(values.min(), values.max(), (self.n_bins or 5) + 1)
        return np.searchsorted(edges[1:-1], values, side="right")

    def _balance(self, members, classes, rng):
        """Return equally many members of every class, in the order of the data."""
        present = classes[members]
        counts = np.bincount(present)
        wanted = counts.max() if self.strategy == "over" else counts[counts > 0].min()
        kept = []
        for label in np.flatnonzero(counts):
            of_label = members[present == label]
            if self.strategy == "under":
                kept.append(rng.permutation(of_label)[:wanted])
            else:
                extra = rng.randint(len(of_label), size=wanted - len(of_label))
                kept.append(np.concatenate([of_label, of_label[extra]]))
        return np.sort(np.concatenate(kept))
