"""Splitters that keep queries whole; usable as ``cv=`` wherever scikit-learn is."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import (
    BaseCrossValidator,
    BaseShuffleSplit,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
)
from sklearn.utils import check_random_state

from sklearn_irmetrics._core.parameters import check_count, check_flag
from sklearn_irmetrics._typing import Ids, RandomState, Stratify
from sklearn_irmetrics.estimators._row_checks import count_rows
from sklearn_irmetrics.model_selection._units import (
    Units,
    check_share,
    check_stratify,
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
        self.n_splits = check_count("n_splits", n_splits)
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
        self.n_splits = check_count("n_splits", n_splits)
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
        self.n_bins = check_count("n_bins", n_bins)
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
