"""Folds of whole queries, or of rows, with similar classes or quantities."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import BaseCrossValidator, StratifiedKFold
from sklearn.utils import check_random_state

from sklearn_irmetrics._core.parameters import check_count, check_flag
from sklearn_irmetrics._measures.column import check_column
from sklearn_irmetrics._typing import QueryColumn, RandomState, Stratify
from sklearn_irmetrics.estimators._row_checks import count_rows
from sklearn_irmetrics.model_selection._split import SplitsQueries
from sklearn_irmetrics.model_selection._units import (
    Units,
    check_stratify,
    check_target,
    count_values,
    is_discrete,
    spread_evenly,
    unit_strata,
)


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
        shuffle: bool = False,
        random_state: RandomState = None,
        qid: QueryColumn = None,
    ) -> None:
        self.n_splits = check_count("n_splits", n_splits, 2)
        self.qid = check_column(qid)
        self.stratify = check_stratify(stratify)
        if self.stratify is None:
            raise ValueError(
                f"stratify must name what to stratify by; got {stratify!r}."
            )
        self.n_bins = check_count("n_bins", n_bins)
        self.shuffle = check_flag("shuffle", shuffle)
        self.random_state = random_state

    def _count(self, X, y, groups):
        return self.n_splits

    def _iter_test_indices(self, X=None, y=None, groups=None):
        units = Units(groups, count_rows(X))
        if units.n_units < self.n_splits:
            raise ValueError(
                f"n_splits={self.n_splits} cannot be greater than the number of "
                f"{'rows' if units.are_rows else 'groups'}; got {units.n_units}."
            )
        for test in self._folds(y, units):
            yield units.sorted_rows(test)

    def _folds(self, y, units):
        """Generate the units of each fold."""
        shuffled = {"shuffle": self.shuffle, "random_state": self.random_state}
        target = check_target(y, "stratify")
        by_values = self.stratify is True and is_discrete(target)
        if by_values and units.constant(target) is None:
            # The folds of the shuffled places keep scikit-learn's meaning of both.
            order = np.arange(units.n_units)
            if self.shuffle:
                check_random_state(self.random_state).shuffle(order)
            folds = spread_evenly(count_values(target, units)[order], self.n_splits)
            for fold in range(self.n_splits):
                yield order[folds == fold]
            return
        strata = unit_strata(
            y, units, self.stratify, n_bins=self.n_bins, min_size=self.n_splits
        )
        folds = StratifiedKFold(self.n_splits, **shuffled)
        for _, test in folds.split(np.zeros(units.n_units), strata):
            yield test


class StratifiedRowKFold(StratifiedQueryKFold):
    """The same folds of single rows, if there are no ids to keep whole."""

    _needs_ids = False
