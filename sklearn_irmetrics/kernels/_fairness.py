"""Measures of the exposure of groups of documents."""

import math

import numpy as np

from sklearn_irmetrics._core.arrays import divide
from sklearn_irmetrics._core.marks import required_mark
from sklearn_irmetrics._core.values import Relevant
from sklearn_irmetrics.kernels._common import at_cutoffs, refuse_extremes
from sklearn_irmetrics.kernels._exposure import exposures


def attention_weighted_rank_fairness(
    ranking, *, target, discount, jsd_base, k, relevance_threshold
):
    """Compute 1 - the divergence of the groups' shares of attention from the target."""
    refuse_extremes(ranking, "in rank fairness")
    ranking = ranking.with_whole_groups()
    membership = required_mark(ranking.documents, "membership")
    wanted = _wanted(ranking, target, Relevant(relevance_threshold))
    weights = discount(ranking.ranks)

    def compute(k):
        kept = weights if k is None else np.where(ranking.ranks <= k, weights, 0.0)
        attention = exposures(ranking, kept)[:, :, np.newaxis]
        got = (attention * membership).sum(axis=1)
        distance = _divergence(got, wanted) / math.log(jsd_base)
        return np.clip(1.0 - distance, 0.0, 1.0)  # against rounding

    return at_cutoffs(k, compute)


def _wanted(ranking, target, relevant):
    """Return what each group should get: one row per query, or one row for all."""
    documents = ranking.candidates.documents
    membership = documents.marks["membership"]
    if target == "all":
        return membership.sum(axis=1)
    if target == "relevant":
        return (relevant(documents)[:, :, np.newaxis] * membership).sum(axis=1)
    n_groups = membership.shape[-1]
    if len(target) != n_groups and bool(membership.any()):
        raise ValueError(
            f"target must hold a share for each of the {n_groups} columns of "
            f"membership; got {len(target)}."
        )
    return np.asarray([target], dtype=np.float64)


def _divergence(got, wanted):
    """Compute the Jensen-Shannon divergence of rows in nats, NaN where one is 0."""
    shares = [divide(rows, rows.sum(axis=1)[:, np.newaxis]) for rows in (got, wanted)]
    mean = (shares[0] + shares[1]) / 2.0
    terms = [
        share * np.log(np.where(share > 0, share, 1.0) / np.where(mean > 0, mean, 1.0))
        for share in shares
    ]
    return (terms[0] + terms[1]).sum(axis=1) / 2.0
