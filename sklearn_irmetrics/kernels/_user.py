"""Measures for a user who knew some documents, or wants a certain number."""

from dataclasses import dataclass

import numpy as np

from sklearn_irmetrics._core.arrays import divide, divide_or_zero, first_true
from sklearn_irmetrics._core.marks import required_mark
from sklearn_irmetrics._core.values import Relevant
from sklearn_irmetrics.kernels._common import (
    count_relevant,
    cut_groups,
    mean_over_found,
    sum_expected,
)


@dataclass(frozen=True)
class _RelevantKnown:
    """Whether the document is relevant and marked ``"known"``."""

    relevant: Relevant

    def __call__(self, documents):
        """Return a boolean array."""
        known = required_mark(documents, "known")
        return self.relevant(documents) & known


@dataclass(frozen=True)
class _News:
    """1 for a relevant document new to the user, -1 for a known one, 0 for others."""

    relevant: Relevant

    def __call__(self, documents):
        """Return a float array."""
        known = _RelevantKnown(self.relevant)(documents)
        return self.relevant(documents) * 1.0 - 2.0 * known


def coverage_ratio(ranking, *, k, relevance_threshold):
    """Compute relevant known retrieved / relevant known."""
    known = _RelevantKnown(Relevant(relevance_threshold))
    retrieved = sum_expected(ranking, known, k)
    return divide(retrieved, ranking.total(known))


def novelty_ratio(ranking, *, k, relevance_threshold):
    """Compute relevant retrieved unknown / relevant retrieved."""
    relevant = Relevant(relevance_threshold)
    known = _RelevantKnown(relevant)
    ranking = ranking.break_ties(_News(relevant))
    found = count_relevant(ranking, relevant, k)
    fresh = found - sum_expected(ranking, known, k)
    value = divide_or_zero(fresh, found)
    if k is None or isinstance(k, int):
        _average_cut_groups(value, ranking, known, k)
    else:
        for row, cutoff in zip(value, map(int, k.ravel().tolist()), strict=True):
            _average_cut_groups(row, ranking, known, cutoff)
    return np.where(ranking.candidates.found(relevant) > 0, value, np.nan)


def _average_cut_groups(value, ranking, known, k):
    """Set the novelty of queries whose rank k falls inside a tie group.

    The value is the mean ratio over c, the number of relevant documents in the m places
    above the cut. The known ones have the same share of these as in the whole group.
    """
    relevant = known.relevant
    cut = cut_groups(ranking, k)
    if not len(cut):
        return
    n, m, r, r_known, a, a_known = (
        array[cut, k - 1][:, np.newaxis]
        for array in (
            ranking.group_size,
            ranking.group_place,
            ranking.group_total(relevant),
            ranking.group_total(known),
            ranking.before_group(relevant),
            ranking.before_group(known),
        )
    )
    share = divide_or_zero(r - r_known, r)

    def ratio(c):
        return divide_or_zero(a - a_known + c * share, a + c)

    value[cut] = mean_over_found(ratio, n, r, m)[:, 0]


def relative_recall(ranking, *, k, n_expected, relevance_threshold):
    """Compute relevant retrieved / n_expected."""
    return count_relevant(ranking, Relevant(relevance_threshold), k) / n_expected


def recall_effort(ranking, *, n_expected, relevance_threshold):
    """Compute n_expected / (rank of the n_expected-th relevant document), 0 if none."""
    relevant = Relevant(relevance_threshold)
    ranking = ranking.break_ties(relevant)
    if ranking.tied:
        last = _chance_of_last(ranking, relevant, n_expected)
        return n_expected * (last / ranking.ranks).sum(axis=1)
    found = ranking.running_sum(relevant) >= n_expected
    rank = (first_true(found) + 1).astype(np.float64)
    return np.where(found.any(axis=1), n_expected / rank, 0.0)


def _chance_of_last(ranking, relevant, n_expected):
    """Return the probability that each rank holds the n_expected-th relevant document.

    If that is the m-th of r in a tie group of n documents, place j holds it with
    probability C(j-1, m-1) C(n-j, r-m) / C(n, r). This is a product over the places
    before, computed in logarithms because it can start tiny.
    """
    n, j = ranking.group_size, ranking.group_place
    r = ranking.group_total(relevant)
    m = n_expected - ranking.before_group(relevant)
    here = (m >= 1) & (m <= r)
    numerator = np.where(
        j <= m, r - j + 1.0, (j - 1.0) * np.maximum(n - j + 1.0 - r + m, 0.0)
    )
    denominator = np.where(j <= m, 1.0, j - m) * (n - j + 1.0)
    factors = np.where(here, numerator, 1.0) / np.where(here, denominator, 1.0)
    with np.errstate(divide="ignore"):  # beyond the last place that can hold it
        logs = np.cumsum(np.log(factors), axis=1)
    return np.where(here & (j >= m), np.exp(logs), 0.0)
