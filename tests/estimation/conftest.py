"""What tests of estimates share."""

import pytest

from sklearn_irmetrics.model_selection import _aggregate


@pytest.fixture(autouse=True)
def _few_resamples(request, monkeypatch):
    """Resample pooled predictions less often where intervals are not the point."""
    if "Uncertainty" not in str(request.cls):
        monkeypatch.setattr(_aggregate, "_N_POOLED_RESAMPLES", 39)
