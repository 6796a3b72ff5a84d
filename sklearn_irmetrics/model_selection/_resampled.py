"""A splitter that balances the training sides of another one."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import BaseCrossValidator, GroupKFold, check_cv
from sklearn.utils import check_random_state, indexable

from sklearn_irmetrics._core.parameters import check_count, check_option
from sklearn_irmetrics._measures.column import check_column
from sklearn_irmetrics._typing import QueryColumn, RandomState
from sklearn_irmetrics.estimators._row_checks import count_rows
from sklearn_irmetrics.model_selection._split import SplitsQueries
from sklearn_irmetrics.model_selection._units import (
    Units,
    check_apart,
    check_splitter,
    check_target,
    is_discrete,
    unit_strata,
)


class ResampledSplit(SplitsQueries, BaseCrossValidator):
    """Any splitter with balanced training sides; test sides are not changed.

    Rows are drawn from the training side only, after the split, so no copy of a test
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
        Balance so many bins of equal width instead of classes. None: 5 if the target is
        continuous, otherwise the classes or grades themselves.
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
        self.qid = check_column(qid)
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
        rng = check_random_state(self.random_state)
        for train, test in self._splitter(y, groups).split(X, y, groups):
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
        if self.unit != "row":
            return unit_strata(y, units, True, n_bins=self.n_bins or 10)
        if self.n_bins is None and is_discrete(y):
            return np.unique(y, return_inverse=True)[1]
        edges = np.linspace(y.min(), y.max(), (self.n_bins or 5) + 1)
        return np.searchsorted(edges[1:-1], y, side="right")

    def _balance(self, members, classes, rng):
        """Return equally many members of every class, in the order of the data."""
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
