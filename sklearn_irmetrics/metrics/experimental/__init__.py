"""Measures not yet standardised: exposure, propensities, whole lists.

Names and defaults here may change in any version. Each docstring states whose
definition it follows and what is contested. Measures per query are called by name like
all others: ``score_queries(..., "awrf(target='all')", marks={"membership": groups})``.
"""

from sklearn_irmetrics.metrics.experimental.catalogue import (
    CatalogueEstimate,
    catalogue_coverage,
    catalogue_gini,
)
from sklearn_irmetrics.metrics.experimental.exposure import (
    attention_weighted_rank_fairness_score,
    expected_exposure_disparity,
    expected_exposure_loss,
    expected_exposure_relevance_score,
)
from sklearn_irmetrics.metrics.experimental.lists import (
    intra_list_diversity_score,
    self_information_score,
)
from sklearn_irmetrics.metrics.experimental.propensity import (
    inverse_propensities,
    propensity_scored_dcg_score,
    propensity_scored_ndcg_score,
    propensity_scored_precision_score,
)

__all__ = [
    "CatalogueEstimate",
    "attention_weighted_rank_fairness_score",
    "catalogue_coverage",
    "catalogue_gini",
    "expected_exposure_disparity",
    "expected_exposure_loss",
    "expected_exposure_relevance_score",
    "intra_list_diversity_score",
    "inverse_propensities",
    "propensity_scored_dcg_score",
    "propensity_scored_ndcg_score",
    "propensity_scored_precision_score",
    "self_information_score",
]
