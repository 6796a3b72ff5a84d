"""What all splitters share: they ask for groups and for query ids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sklearn_irmetrics._typing import Array, Ids
from sklearn_irmetrics.estimators._row_checks import check_lengths, count_rows
from sklearn_irmetrics.model_selection._units import Units, check_coarser

if TYPE_CHECKING:
    from sklearn.model_selection import BaseCrossValidator as _Splitter
else:
    _Splitter = object


class SplitsQueries(_Splitter):
    """A splitter whose units are groups, else queries, else rows.

    Stands before a splitter of scikit-learn, which gets either ids as its groups.
    """

    __metadata_request__split = {"groups": True, "qid": True}
    _needs_ids = False

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
            Rows with one id stay on one side of each split.
        qid : array-like of shape (n_samples,), default=None
            Query ids: the groups where there are no others. Metadata routing passes
            both without being asked.

        Yields
        ------
        train, test : ndarray
            Row numbers.

        Raises
        ------
        ValueError
            If ids have another length than X or divide a query, or y or ids are missing
            that the splitter needs.
        """
        n_rows = count_rows(X)
        check_lengths(n_rows, y=y)
        yield from self._generate(X, y, *self._ids(groups, qid, n_rows))

    def _count(self, X, y, groups):
        return super().get_n_splits(X, y, groups)

    def _generate(self, X, y, groups, queries):
        return super().split(X, y, groups)

    def _ids(self, groups, qid, n_rows):
        """Return what to keep whole, and what is ranked: groups, queries or None."""
        if groups is None and qid is None:
            if self._needs_ids:
                raise ValueError(
                    f"{type(self).__name__} needs query ids and none arrived. Either "
                    "(1) call sklearn.set_config(enable_metadata_routing=True) and "
                    "pass qid=, as in cross_validate(..., params={'qid': qid}) or "
                    "GridSearchCV(...).fit(X, y, qid=qid); or (2) pass groups=qid; or "
                    "(3) pass cv=list(cv.split(X, y, qid=qid))."
                )
            return None, None
        queries = None if qid is None else Units(qid, n_rows, "qid")
        if groups is None:
            return queries.codes, queries.codes
        units = Units(groups, n_rows)
        check_coarser(units, queries)
        return units.codes, (units if queries is None else queries).codes
