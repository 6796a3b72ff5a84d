"""Estimating how good a model is: splitters, ``evaluate`` and ``compare``."""

from sklearn_irmetrics.model_selection._split import (
    BootstrapSplit,
    HoldoutSplit,
    ResampledSplit,
    StratifiedQueryKFold,
)

__all__ = [
    "BootstrapSplit",
    "HoldoutSplit",
    "ResampledSplit",
    "StratifiedQueryKFold",
]
