"""Splitters that keep queries whole, for ``cv=`` anywhere in scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn import get_config
from sklearn.model_selection import (
    BaseShuffleSplit,
    GroupKFold,
    ShuffleSplit,
    StratifiedShuffleSplit,
)
from sklearn.utils import check_random_state

from sklearn_irmetrics._core.parameters import check_count, check_flag
from sklearn_irmetrics._measures.column import Column, check_column
from sklearn_irmetrics._typing import Array, Ids, QueryColumn, RandomState, Stratify
from sklearn_irmetrics.estimators._row_checks import check_lengths, count_rows
from sklearn_irmetrics.model_selection._units import (
    Units,
    check_coarser,
    check_share,
    check_stratify,
    unit_strata,
)

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
        if self.qid is not None:
            qid = self.qid(X) if callable(self.qid) else Column(self.qid)(X)
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
                    f"of X: {name}(..., qid='column'), which works in the inner folds "
                    "of stacking, too."
                )
            return None, None
        queries = None if qid is None else Units(qid, n_rows, "qid")
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
        self.qid = check_column(qid)
        self.test_size = check_share("test_size", test_size)
        self.train_size = check_share("train_size", train_size)
        self.stratify = check_stratify(stratify)
        self.random_state = random_state

    def _iter_indices(self, X, y=None, groups=None):
        units = Units(groups, count_rows(X))
        sizes = {"test_size": self.test_size, "train_size": self.train_size}
        placeholder = np.zeros(units.n_units)
        splitter = ShuffleSplit(self.n_splits, **sizes, random_state=self.random_state)
        strata = None
        if self.stratify is not None:
            one = ShuffleSplit(1, **sizes, random_state=0)
            smaller_side = min(map(len, next(one.split(placeholder))))
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
        self.qid = check_column(qid)
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
    >>> from sklearn_irmetrics.model_selection import QueryKFold
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
        shuffle: bool = False,
        random_state: RandomState = None,
        qid: QueryColumn = None,
    ) -> None:
        n_splits = check_count("n_splits", n_splits, 2)
        check_flag("shuffle", shuffle)
        self.qid = check_column(qid)
        super().__init__(n_splits, shuffle=shuffle, random_state=random_state)
