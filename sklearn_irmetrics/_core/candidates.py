"""The documents of a block, whatever their order."""

import math
from functools import cached_property

import numpy as np

from sklearn_irmetrics._core.arrays import row_sum, running_sum
from sklearn_irmetrics._core.ordering import top_positive
from sklearn_irmetrics._core.values import Documents

_NOTHING = object()  # never a kept value


class Keeper:
    """What computes things of values and keeps them, in a dict `_kept`."""

    def keep(self, what, value, compute):
        """Return ``compute(value)``, and keep it under the name `what`."""
        key = what, value
        found = self._kept.get(key, _NOTHING)  # a look-up hashes the key, slowly
        if found is _NOTHING:
            found = self._kept[key] = compute(value)
        return found


class Candidates(Keeper):
    """The documents of a block of queries, whatever their order.

    Kept results depend only on grades and marks, never on scores.

    Parameters
    ----------
    block : Block
        The queries.
    deepest : int
        Number of ranks that kernels need.
    """

    def __init__(self, block, deepest):
        self.block = block
        self.documents = Documents(block.grades, block.marks)
        self._deepest = deepest
        self._kept = dict(block.kept)

    @property
    def kept(self):
        """All that was computed from the grades, for reuse with other scores."""
        for value in self._kept.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        return dict(self._kept)

    def total(self, value):
        """Return the sum of `value` over each query, retrieved or not."""
        return self.keep("total", value, self._total)

    def _total(self, value):
        total = row_sum(value(self.documents))
        if self.block.has_implicit:
            total += self.block.n_implicit * value(Documents(np.zeros(1), {}))
        return total

    def found(self, value):
        """Return the sum of `value` over the documents retrieved, at any rank."""
        retrieved = self.block.scores > -math.inf
        return row_sum(retrieved * value(self.documents))

    def ideal(self, gain, k):
        """Return the positive gains of each query, best first, down to `k`."""
        width = self.block.scores.shape[1]
        depth = width if k is None else min(k, width)
        rises = gain.rises  # then the best grades have the best gains
        key = "best", "grades" if rises else gain
        kept = self._kept.get(key)
        if kept is None or kept.shape[1] < depth:
            values = self.block.grades if rises else gain(self.documents)
            kept = top_positive(values, max(depth, self._deepest))
            self._kept[key] = kept
        return gain.of(kept[:, :depth]) if rises else kept[:, :depth]

    @cached_property
    def present(self):
        """Which columns hold a document; of those without a grade, the first ones do.

        A block knows how many documents are unjudged, but not which columns are empty.
        """
        ungraded = np.isnan(self.block.grades)
        listed = self.block.n_documents - self.block.n_implicit
        n_unjudged = listed - row_sum(~ungraded)
        number = running_sum(ungraded)
        return ~ungraded | (number <= n_unjudged[:, np.newaxis])

    def falling(self, gain):
        """Return the gains of all documents with a column, best first, then -inf."""
        return self.keep("falling", gain, self._falling)

    def _falling(self, gain):
        gains = np.where(self.present, gain(self.documents), -math.inf)
        return -np.sort(-gains, axis=1)

    def has_negative(self, gain):
        """Whether the gain of any document is negative."""
        return self.keep("negative", gain, self._has_negative)

    def _has_negative(self, gain):
        values = self.block.grades if gain.rises else gain(self.documents)
        return bool((values < 0.0).any())

    def of_rows(self, value, rows):
        """Return `value` of all documents of some queries."""
        return value(self.documents.each(lambda array: array[rows]))
