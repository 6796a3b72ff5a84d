"""Splitters that keep queries whole; usable as ``cv=`` wherever scikit-learn is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from numbers import Integral
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import (
    BaseCrossValidator,
    BaseShuffleSplit,
    GroupKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
)
from sklearn.utils import check_random_state, indexable

from sklearn_irmetrics._core.parameters import check_flag, check_option
from sklearn_irmetrics._rows import check_lengths, count_rows
from sklearn_irmetrics._typing import Array, Ids, RandomState, Stratify
from sklearn_irmetrics.model_selection._units import (
    Units,
    check_count,
    check_share,
    check_stratify,
    check_target,
    is_discrete,
    unit_strata,
)


class HoldoutSplit(BaseShuffleSplit):
    """One random split into training and test data: the holdout method.

    Without groups the splits are those of
    :class:`sklearn.model_selection.ShuffleSplit`, with groups those of
    :class:`sklearn.model_selection.GroupShuffleSplit`, for the same `random_state`.

    Parameters
    ----------
    n_splits : int, default=1
        Number of independent splits; more than one is repeated random subsampling.
    test_size : float or int, default=1/3
        Share (or number) of the groups, or of the rows without groups, that is held
        out. None: what `train_size` leaves.
    train_size : float or int or None, default=None
        Share (or number) that is trained on. None: what `test_size` leaves.
    stratify : None, True, {"n_relevant", "mean", "max", "size"} or callable, \
default=None
        Keep the distribution of this quantity alike on both sides. True: the target
        of a row (or of a group in which it is constant), otherwise the number of
        relevant documents of a query. A callable gets the targets of one group.
        Continuous quantities are binned.
    random_state : int, RandomState instance or None, default=None
        Controls the random draws.

    See Also
    --------
    BootstrapSplit : Trains on rows or queries drawn with repeats.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_irmetrics.model_selection import HoldoutSplit
    >>> X, qid = np.zeros((6, 1)), np.array([1, 1, 2, 2, 3, 3])
    >>> for train, test in HoldoutSplit(random_state=0).split(X, groups=qid):
    ...     print(qid[train], qid[test])
    [1 1 2 2] [3 3]
    """

    __metadata_request__split = {"groups": True}

    def __init__(
        self,
        n_splits: int = 1,
        *,
        test_size: float = 1 / 3,
        train_size: float | None = None,
        stratify: Stratify = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_splits = check_count("n_splits", n_splits, 1)
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


class BootstrapSplit(BaseShuffleSplit):
    """Bootstrap: train on as many draws with repeats, test on what was not drawn.

    With groups, whole groups are drawn; the rows of a group drawn twice come twice.
    A draw that leaves nothing out is made again.

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

    __metadata_request__split = {"groups": True}

    def __init__(
        self,
        n_splits: int = 100,
        *,
        stratify: Stratify = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_splits = check_count("n_splits", n_splits, 1)
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
                "a bootstrap needs at least two rows or groups"
                + ("" if self.stratify is None else " in some stratum")
                + " to leave one out; got "
                + f"{units.n_units} in {len(strata)} stratum(s)."
            )
        rng = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            left_out = np.zeros(0)
            while not len(left_out):
                draws = [m[rng.randint(len(m), size=len(m))] for m in strata]
                drawn = np.concatenate(draws)
                left_out = np.setdiff1d(np.arange(units.n_units), drawn)
            yield units.rows(np.sort(drawn)), units.sorted_rows(left_out)


class StratifiedQueryKFold(BaseCrossValidator):
    """K folds of whole queries (or rows) in which a quantity is distributed alike.

    The stratified k-fold for what scikit-learn cannot stratify: queries by a summary
    of their documents, and continuous targets. Rows with classes are split as by
    :class:`sklearn.model_selection.StratifiedKFold`.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    stratify : True, {"n_relevant", "mean", "max", "size"} or callable, default=True
        What to stratify by. True: the target of a row (or of a group in which it is
        constant), otherwise the number of relevant documents of a query. A callable
        gets the targets of one group and returns a number or label.
    n_bins : int, default=10
        Continuous targets and summaries are cut into at most so many bins of about
        equal counts, each with at least `n_splits` members.
    shuffle : bool, default=False
        Whether to shuffle within each stratum first.
    random_state : int, RandomState instance or None, default=None
        Controls the shuffling.

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

    __metadata_request__split = {"groups": True}

    def __init__(
        self,
        n_splits: int = 5,
        *,
        stratify: Stratify = True,
        n_bins: int = 10,
        shuffle: bool = False,
        random_state: RandomState = None,
    ) -> None:
        self.n_splits = check_count("n_splits", n_splits, 2)
        self.stratify = check_stratify(stratify)
        if self.stratify is None:
            raise ValueError(f"stratify must say by what; got {stratify!r}.")
        self.n_bins = check_count("n_bins", n_bins, 1)
        self.shuffle = check_flag("shuffle", shuffle)
        self.random_state = random_state

    def get_n_splits(
        self, X: Any = None, y: Any = None, groups: Ids | None = None
    ) -> int:
        """Return the number of folds."""
        return self.n_splits

    def _iter_test_indices(self, X=None, y=None, groups=None):
        units = Units(groups, count_rows(X))
        if units.n_units < self.n_splits:
            raise ValueError(
                f"n_splits={self.n_splits} cannot be greater than the number of "
                f"{'rows' if units.are_rows else 'groups'}; got {units.n_units}."
            )
        strata = unit_strata(
            y, units, self.stratify, n_bins=self.n_bins, min_size=self.n_splits
        )
        folds = StratifiedKFold(
            self.n_splits, shuffle=self.shuffle, random_state=self.random_state
        )
        for _, test in folds.split(np.zeros(units.n_units), strata):
            yield units.sorted_rows(test)


class ResampledSplit(BaseCrossValidator):
    """Any splitter with its training sides balanced; test sides stay as they are.

    Rows are drawn from the training side only, after the split, so no copy of a test
    row can be trained on.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test)
        What makes the splits. An int means that many folds: of whole groups where
        groups are given, stratified where the target is discrete.
    strategy : {"over", "under"}, default="over"
        "over": repeat rows of the rarer classes until each is as large as the
        largest; every row stays. "under": keep as many rows of each class as the
        rarest has.
    unit : {"row", "group"}, default="row"
        What is repeated or left out: rows, balanced by their class or grade; or whole
        groups, balanced as :class:`StratifiedQueryKFold` stratifies them.
    n_bins : int or None, default=None
        Balance so many bins of equal width instead of classes. None: 5 where the
        target is continuous, classes or grades as they are otherwise.
    random_state : int, RandomState instance or None, default=None
        Controls which rows are repeated or left out.

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

    __metadata_request__split = {"groups": True}

    def __init__(
        self,
        cv: Any = 5,
        strategy: Literal["over", "under"] = "over",
        *,
        unit: Literal["row", "group"] = "row",
        n_bins: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        check_option("strategy", strategy, ("over", "under"))
        check_option("unit", unit, ("row", "group"))
        if isinstance(cv, Integral):
            check_count("cv", cv, 2)
        elif cv is not None and not hasattr(cv, "split"):
            if not np.iterable(cv) or isinstance(cv, str | Mapping):
                raise ValueError(
                    "cv must be a number of folds, a splitter or an iterable of "
                    f"(train, test); got {cv!r}."
                )
            cv = list(cv)
        self.cv = cv
        self.strategy = strategy
        self.unit = unit
        self.n_bins = None if n_bins is None else check_count("n_bins", n_bins, 2)
        self.random_state = random_state

    def get_n_splits(
        self, X: Any = None, y: Any = None, groups: Ids | None = None
    ) -> int:
        """Return the number of splits of `cv`."""
        return self._splitter(y, groups).get_n_splits(X, y, groups)

    def split(
        self, X: Any, y: Any = None, groups: Ids | None = None
    ) -> Iterator[tuple[Array, Array]]:
        """Generate training and test rows; training rows are balanced.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Only its length is used.
        y : array-like of shape (n_samples,)
            Classes, grades or continuous targets to balance by.
        groups : array-like of shape (n_samples,), default=None
            Groups (queries) that must stay on one side of each split.

        Yields
        ------
        train, test : ndarray
            Row numbers.

        Raises
        ------
        ValueError
            If y is missing, or `cv` puts rows of one group on both sides.
        """
        if y is None:
            raise ValueError("ResampledSplit needs y; got None.")
        check_lengths(count_rows(X), y=y)
        units = Units(groups, count_rows(X))
        X, y, groups = indexable(X, y, groups)
        if self.unit == "group" and units.are_rows:
            raise ValueError("unit='group' needs groups; got None.")
        target = check_target(y, "ResampledSplit")
        if target.dtype.kind == "f" and np.isnan(target).any():
            raise ValueError(
                "y must not contain NaN (unjudged rows) where training data are "
                f"balanced by it; got one in row {int(np.argmax(np.isnan(target)))}."
            )
        classes = self._classes(target, units)
        rng = check_random_state(self.random_state)
        for train, test in self._splitter(y, groups).split(X, y, groups):
            check_apart(units, train, test, self.cv)
            if self.unit == "group":
                inside, counts = np.unique(units.codes[train], return_counts=True)
                # A group that cv drew twice, as a bootstrap does, counts twice.
                drawn = np.repeat(inside, counts // units.sizes[inside])
                yield units.rows(self._balance(drawn, classes, rng)), test
            else:
                yield self._balance(train, classes, rng), test

    def _splitter(self, y, groups):
        if groups is not None and (self.cv is None or isinstance(self.cv, Integral)):
            return GroupKFold(5 if self.cv is None else self.cv)
        discrete = y is not None and is_discrete(check_target(y, "ResampledSplit"))
        return check_cv(self.cv, y, classifier=discrete)

    def _classes(self, y, units):
        if self.unit == "group":
            return unit_strata(y, units, True, n_bins=self.n_bins or 10)
        if self.n_bins is None and is_discrete(y):
            return np.unique(y, return_inverse=True)[1]
        edges = np.linspace(y.min(), y.max(), (self.n_bins or 5) + 1)
        return np.searchsorted(edges[1:-1], y, side="right")

    def _balance(self, members, classes, rng):
        """Return members with as many of every class; the order of the data kept."""
        present = classes[members]
        counts = np.bincount(present)
        wanted = counts.max() if self.strategy == "over" else counts[counts > 0].min()
        kept = []
        for label in np.flatnonzero(counts):
            own = members[present == label]
            if self.strategy == "under":
                kept.append(rng.permutation(own)[:wanted])
            else:
                extra = rng.randint(len(own), size=wanted - len(own))
                kept.append(np.concatenate([own, own[extra]]))
        return np.sort(np.concatenate(kept))


def check_apart(units, train, test, cv):
    """Refuse a split in which rows of one unit are on both sides."""
    shared = np.intersect1d(units.codes[train], units.codes[test])
    if len(shared):
        ids = units.ids[shared[:5]].tolist()
        more = ", ..." if len(shared) > 5 else ""
        kind = "row" if units.are_rows else "group"
        raise ValueError(
            f"cv={cv!r} puts {kind}s on both sides of a split: "
            f"{', '.join(map(repr, ids))}{more}. Use a splitter that takes groups, "
            "such as GroupKFold, HoldoutSplit or BootstrapSplit."
        )
