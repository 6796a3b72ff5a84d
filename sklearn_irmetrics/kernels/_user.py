"""Measures of what a user knew, expected, and had to examine."""

from dataclasses import dataclass

import numpy as np

from sklearn_irmetrics._core.arrays import divide, row_sum, running_sum
from sklearn_irmetrics._core.values import Relevant


@dataclass(frozen=True)
class _RelevantKnown:
    """Whether the document is relevant and marked ``"known"``."""

    relevant: Relevant

    def __call__(self, documents):
        """Return a boolean array."""
        if "known" not in documents.marks:
            raise ValueError("known must tell which documents the user knew; got None.")
        return self.relevant(documents) & documents.marks["known"]


def coverage_ratio(ranking, *, relevance_threshold):
    """Compute relevant known retrieved / relevant known."""
    known = _RelevantKnown(Relevant(relevance_threshold))
    return divide(row_sum(ranking.values(known)), ranking.total(known))


def novelty_ratio(ranking, *, relevance_threshold):
    """Compute relevant retrieved unknown / relevant retrieved."""
    relevant = Relevant(relevance_threshold)
    known = row_sum(ranking.values(_RelevantKnown(relevant)))
    found = row_sum(ranking.values(relevant))
    return divide(found - known, found)


def relative_recall(ranking, *, n_expected, relevance_threshold):
    """Compute relevant retrieved / n_expected."""
    return row_sum(ranking.values(Relevant(relevance_threshold))) / n_expected


def recall_effort(ranking, *, n_expected, relevance_threshold):
    """Compute n_expected / (rank of the n_expected-th relevant document), 0 if none."""
    relevant = Relevant(relevance_threshold)
    ranking = ranking.favouring(relevant)
    if ranking.tied:
        last = _chance_of_last(ranking, relevant, n_expected)
        return n_expected * (last / ranking.ranks).sum(axis=1)
    found = running_sum(ranking.values(relevant)) >= n_expected
    return found.any(axis=1) * n_expected / (1.0 + found.argmax(axis=1))


def _chance_of_last(ranking, relevant, n_expected):
    """Probability that each rank holds the n_expected-th relevant document.

    Where that is the m-th of the r in a tie group of n, place j holds it with
    probability C(j-1, m-1) C(n-j, r-m) / C(n, r): a product over the places before,
    in logarithms since it can be tiny at its start.
    """
    n, j = ranking.group_size, ranking.group_place
    r = ranking.group_total(relevant).astype(np.float64)
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
