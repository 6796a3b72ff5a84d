"""The results of `score_judged` and `compare_judged`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_irmetrics._results.tables import PLURAL, Column, interval_column
from sklearn_irmetrics._results.tabular import Tabular
from sklearn_irmetrics._statistics.intervals import ConfidenceInterval

# Labels that a random sample would give so seldom are remarked on.
_DOUBTFUL = 0.01
# With fewer documents labelled, intervals cover the truth in less than 94 % of samples.
_FEW = 50


class _Judged(Tabular):
    """What both results have: what was labelled, and how estimates are shown."""

    confidence_level: float
    n_labelled: int
    n_units: int
    unit: str

    @property
    def _units(self):
        return PLURAL.get(self.unit, f"{self.unit}s")

    @property
    def _labelled(self):
        return (
            f"{self.n_labelled} of {self.n_units} {self._units} labelled by people, "
            "all by the judge"
        )

    def _about_labels(self, random_p_values):
        """Yield notes about the labels, whose tests have p-values by name."""
        units = self._units
        alone = f"{units} labelled by people alone"
        yield f"Effective labels: {alone} that would be as precise."
        if self.unit == "document" and self.n_labelled < _FEW:
            yield f"With fewer than {_FEW} documents, intervals are too narrow."
        p, name = min(
            (np.nan_to_num(p, nan=1.0), name) for name, p in random_p_values.items()
        )
        if p < _DOUBTFUL:
            yield (
                "The labels do not look like a random sample: by the judge, what was "
                f"labelled differs from the rest in {name} (p = {p:.2g}). The "
                "estimates may then be quite wrong."
            )

    def plot(self, **kwargs: Any) -> Any:
        """Draw the estimates with their intervals; needs matplotlib.

        Parameters
        ----------
        **kwargs
            Passed to :meth:`sklearn_irmetrics.plot.EvaluationDisplay.plot`.

        Returns
        -------
        sklearn_irmetrics.plot.EvaluationDisplay
        """
        return self._display().plot(**kwargs)

    def _display(self) -> Any:
        """Return the `EvaluationDisplay` of the estimates."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False, repr=False)
class JudgedScores(_Judged):
    """Measures of one system; `score_judged` returns it.

    Attributes
    ----------
    estimate : dict of str to float
        By measure: the value if people had labelled everything.
    standard_error : dict of str to float
        Of `estimate`.
    confidence_interval : dict of str to ConfidenceInterval
        Of `estimate`; NaN for measures that are biased.
    confidence_level : float
        Of the intervals.
    judge : dict of str to float
        The value by the judge alone.
    bias : dict of str to float
        ``judge - estimate``.
    bias_interval : dict of str to ConfidenceInterval
        Of `bias`.
    judge_weight : dict of str to float
        Weight of the judge, from 0 to 1; NaN for samples of documents, where a
        regression by grade is used instead.
    effective_labels : dict of str to float
        Number of labelled queries (or documents, if these were sampled) that would have
        given an equally narrow interval without the judge.
    random_p_value : dict of str to float
        p-value of the labels being a random sample, from how the judge's values of
        labelled units differ from the rest.
    n_labelled, n_units : int
        Number of queries (groups, documents) that people labelled, and of all.
    unit : {"query", "group", "document"}
        What was labelled.
    """

    estimate: dict[str, float]
    standard_error: dict[str, float]
    confidence_interval: dict[str, ConfidenceInterval]
    confidence_level: float
    judge: dict[str, float]
    bias: dict[str, float]
    bias_interval: dict[str, ConfidenceInterval]
    judge_weight: dict[str, float]
    effective_labels: dict[str, float]
    random_p_value: dict[str, float]
    n_labelled: int
    n_units: int
    unit: str

    def _columns(self):
        level = self.confidence_level
        ends, ends_of_bias = (
            [*intervals.values()]
            for intervals in (self.confidence_interval, self.bias_interval)
        )
        return [
            Column("measure", [*self.estimate], in_index=True),
            Column("estimate", [*self.estimate.values()], ".4f"),
            Column("standard_error", [*self.standard_error.values()], shown=False),
            interval_column(ends, level),
            Column("judge", [*self.judge.values()], ".4f"),
            Column("bias", [*self.bias.values()], "+.4f", "its bias"),
            interval_column(ends_of_bias, level, "bias_", "+.4f"),
            Column("judge_weight", [*self.judge_weight.values()], ".2f", "its weight"),
            Column(
                "effective_labels",
                [*self.effective_labels.values()],
                ".0f",
                "effective labels",
            ),
            Column("random_p_value", [*self.random_p_value.values()], shown=False),
        ]

    def _title(self):
        return [self._labelled]

    def _notes(self):
        yield from self._about_labels(self.random_p_value)
        ends = self.confidence_interval
        if biased := [name for name in self.estimate if np.isnan(ends[name]).all()]:
            yield about_biased(biased)
        weights = self.judge_weight.items()
        if useless := [name for name, weight in weights if weight == 0]:
            yield f"The judge has no weight for {', '.join(useless)}: it does not help."

    def _display(self):
        from sklearn_irmetrics.plot import EvaluationDisplay

        return EvaluationDisplay(
            rows=[*self.estimate],
            estimates=[*self.estimate.values()],
            intervals=[*self.confidence_interval.values()],
            confidence_level=self.confidence_level,
            chance_levels=[*self.judge.values()],
            chance_name="Judge alone",
        )


@dataclass(frozen=True, eq=False, repr=False)
class JudgedComparison(_Judged):
    """Differences between systems; `compare_judged` returns it.

    Attributes
    ----------
    system, versus : tuple of str
        The two systems of each comparison.
    estimate : ndarray of shape (n_comparisons,)
        Mean of `system` minus mean of `versus`, if people had labelled everything.
    standard_error : ndarray of shape (n_comparisons,)
        Of `estimate`.
    confidence_interval : tuple of ConfidenceInterval
        Of each difference; for all pairs at once with ``correction="bonferroni"``.
    confidence_level : float
        Of the intervals.
    p_value : ndarray of shape (n_comparisons,)
        Adjusted for the number of pairs. It is at most 1 - `confidence_level` exactly
        where the interval leaves out 0.
    judge : ndarray of shape (n_comparisons,)
        The difference by the judge alone.
    bias : ndarray of shape (n_comparisons,)
        ``judge - estimate``: by how much the judge favours `system`.
    bias_interval : tuple of ConfidenceInterval
        Of `bias`.
    bias_p_value : ndarray of shape (n_comparisons,)
        Of the bias being 0; adjusted.
    judge_weight, effective_labels, random_p_value : ndarray of shape (n_comparisons,)
        As in `JudgedScores`.
    n_labelled, n_units, unit
        As in `JudgedScores`.
    metric : str
        The measure.
    correction : str
        How p-values and intervals are adjusted for the number of pairs.
    greater_is_better : bool
        Whether larger values of the measure are better.
    """

    system: tuple[str, ...]
    versus: tuple[str, ...]
    estimate: np.ndarray
    standard_error: np.ndarray
    confidence_interval: tuple[ConfidenceInterval, ...]
    confidence_level: float
    p_value: np.ndarray
    judge: np.ndarray
    bias: np.ndarray
    bias_interval: tuple[ConfidenceInterval, ...]
    bias_p_value: np.ndarray
    judge_weight: np.ndarray
    effective_labels: np.ndarray
    random_p_value: np.ndarray
    n_labelled: int
    n_units: int
    unit: str
    metric: str
    correction: str
    greater_is_better: bool

    @property
    def _pairs(self):
        both = zip(self.system, self.versus, strict=True)
        return [f"{system} - {other}" for system, other in both]

    def _columns(self):
        level = self.confidence_level
        return [
            Column("system", self.system),
            Column("versus", self.versus),
            Column("estimate", self.estimate.tolist(), "+.4f"),
            Column("standard_error", self.standard_error.tolist(), shown=False),
            interval_column(self.confidence_interval, level, form="+.4f"),
            Column("p_value", self.p_value.tolist(), ".2g", "p"),
            Column("judge", self.judge.tolist(), "+.4f"),
            Column("bias", self.bias.tolist(), "+.4f", "its bias"),
            interval_column(self.bias_interval, level, "bias_")._replace(shown=False),
            Column("bias_p_value", self.bias_p_value.tolist(), ".2g", "p of bias"),
            Column("judge_weight", self.judge_weight.tolist(), shown=False),
            Column(
                "effective_labels",
                self.effective_labels.tolist(),
                ".0f",
                "effective labels",
            ),
            Column("random_p_value", self.random_p_value.tolist(), shown=False),
        ]

    def _title(self):
        return [f"{self.metric}: {self._labelled}"]

    def _notes(self):
        pairs = self._pairs
        yield from self._about_labels(
            dict(zip(pairs, self.random_p_value, strict=True))
        )
        if np.isnan(self.p_value).any():
            yield about_biased([self.metric])
        if useless := [pairs[i] for i in np.flatnonzero(self.judge_weight == 0)]:
            yield f"The judge has no weight for {', '.join(useless)}: it does not help."
        for i in np.flatnonzero(self.bias_p_value <= 1 - self.confidence_level):
            favoured, other = self.system[i], self.versus[i]
            if (self.bias[i] > 0) != self.greater_is_better:
                favoured, other = other, favoured
            yield f"The judge alone favours {favoured} over {other}."

    def _display(self):
        from sklearn_irmetrics.plot import EvaluationDisplay

        return EvaluationDisplay(
            rows=self._pairs,
            estimates=self.estimate,
            intervals=self.confidence_interval,
            metric=f"Difference in {self.metric}",
            confidence_level=self.confidence_level,
            chance_levels=np.zeros(len(self.system)),
            chance_name="No difference",
        )


def about_biased(names):
    """Warn of measures that sampled documents do not estimate."""
    return (
        f"Biased, however many documents are labelled: {', '.join(names)}, from "
        "people's labels if there are any, else the judge's. Label whole queries."
    )
