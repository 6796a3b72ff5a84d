"""What labels by people and a judge say of one mean: estimate, bias, worth."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from sklearn_irmetrics._statistics.intervals import ConfidenceInterval

# Labels that a random sample would give so seldom are remarked on.
_DOUBTFUL = 0.01


@dataclass(frozen=True)
class JudgedEstimate:
    """What people's labels and a judge say of one mean, or of one difference.

    Attributes
    ----------
    estimate : float
        What people would have found had they labelled everything.
    interval : ConfidenceInterval
        Of `estimate`.
    p_value : float
        Of the estimate being 0; NaN where there is no interval.
    judge : float
        What the judge alone says.
    bias : float
        ``judge - estimate``.
    bias_interval : ConfidenceInterval
        Of `bias`.
    bias_p_value : float
        Of the bias being 0.
    trust : float
        How far the judge is followed, from 0 (not at all) to 1; NaN for samples of
        documents, where a regression by grade takes its place.
    worth : float
        How many labelled queries (or documents, where these were sampled) would have
        given as narrow an interval without the judge.
    random_p_value : float
        Of the labels being a random sample, judged by the judge's own values of what
        was labelled and what was not.
    """

    estimate: float
    interval: ConfidenceInterval
    p_value: float
    judge: float
    bias: float
    bias_interval: ConfidenceInterval
    bias_p_value: float
    trust: float
    worth: float
    random_p_value: float


def worth(n, alone, found):
    """Return how many labels without the judge give an interval as narrow."""
    widths = np.array([alone.high - alone.low, found.high - found.low])
    if not (np.isfinite(widths).all() and widths[1] > 0):
        return float("nan")
    return float(n * (widths[0] / widths[1]) ** 2)


def adjust(estimate, n):
    """Return an estimate with p-values for `n` comparisons (Bonferroni)."""
    return replace(
        estimate,
        p_value=min(1.0, n * estimate.p_value),
        bias_p_value=min(1.0, n * estimate.bias_p_value),
    )


def columns_of(estimates):
    """Return the fields of estimates as columns with names, for tables."""
    columns = []
    for field in fields(JudgedEstimate):
        values = [getattr(one, field.name) for one in estimates]
        if field.name.endswith("interval"):
            prefix = field.name.removesuffix("interval")
            columns.append((f"{prefix}low", [ends.low for ends in values]))
            columns.append((f"{prefix}high", [ends.high for ends in values]))
        else:
            columns.append((field.name, values))
    return columns


def notes_on(estimates, units):
    """Return what a reader of a table of estimates has to be told."""
    yield f"Worth: so many {units} labelled by people alone give as narrow an interval."
    if biased := [label for label, one in estimates.items() if np.isnan(one.p_value)]:
        yield (
            f"Biased, however many documents are labelled: {', '.join(biased)}, from "
            "people's labels if there are any, else the judge's. Label whole queries."
        )
    if nothing := [label for label, one in estimates.items() if one.trust == 0]:
        yield f"The judge adds nothing to {', '.join(nothing)}: not followed."
    for label, one in estimates.items():
        if one.random_p_value < _DOUBTFUL:
            yield (
                "The labels do not look like a random sample: by the judge, what was "
                f"labelled differs from the rest in {label} (p = "
                f"{one.random_p_value:.2g}). The estimates may be wrong by any amount."
            )
            break
