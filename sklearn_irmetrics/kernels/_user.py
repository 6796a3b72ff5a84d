"""Measures of what a user knew, expected, and had to examine."""

from dataclasses import dataclass

import numpy as np

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
    retrieved = ranking.xp.row_sum(ranking.values(known))
    return ranking.xp.divide(retrieved, ranking.total(known))


def novelty_ratio(ranking, *, relevance_threshold):
    """Compute relevant retrieved unknown / relevant retrieved."""
    xp = ranking.xp
    relevant = Relevant(relevance_threshold)
    known = xp.row_sum(ranking.values(_RelevantKnown(relevant)))
    found = xp.row_sum(ranking.values(relevant))
    return xp.divide(found - known, found)


def relative_recall(ranking, *, n_expected, relevance_threshold):
    """Compute relevant retrieved / n_expected."""
    found = ranking.values(Relevant(relevance_threshold))
    return ranking.xp.row_sum(found) / n_expected


def recall_effort(ranking, *, n_expected, relevance_threshold):
    """Compute n_expected / (rank of the n_expected-th relevant document), 0 if none."""
    xp = ranking.xp
    relevant = Relevant(relevance_threshold)
    ranking = ranking.favouring(relevant)
    if ranking.tied:
        last = _chance_of_last(ranking, relevant, n_expected)
        return n_expected * (last / ranking.ranks).sum(axis=1)
    found = ranking.running_sum(relevant) >= n_expected
    rank = xp.astype(xp.first_true(found) + 1, xp.float64)
    return xp.where(found.any(axis=1), n_expected / rank, 0.0)


def _chance_of_last(ranking, relevant, n_expected):
    """Probability that each rank holds the n_expected-th relevant document.

    Where that is the m-th of the r in a tie group of n, place j holds it with
    probability C(j-1, m-1) C(n-j, r-m) / C(n, r): a product over the places before,
    in logarithms since it can be tiny at its start.
    """
    xp = ranking.xp
    n, j = ranking.group_size, ranking.group_place
    r = ranking.group_total(relevant)
    m = n_expected - ranking.before_group(relevant)
    here = (m >= 1) & (m <= r)
    numerator = xp.where(
        j <= m, r - j + 1.0, (j - 1.0) * xp.maximum(n - j + 1.0 - r + m, 0.0)
    )
    denominator = xp.where(j <= m, 1.0, j - m) * (n - j + 1.0)
    factors = xp.where(here, numerator, 1.0) / xp.where(here, denominator, 1.0)
    with np.errstate(divide="ignore"):  # beyond the last place that can hold it
        logs = xp.cumsum(xp.log(factors), axis=1)
    return xp.where(here & (j >= m), xp.exp(logs), 0.0)
