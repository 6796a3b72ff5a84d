"""What `compare` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sklearn_irmetrics._measures.tabular import Tabular
from sklearn_irmetrics._statistics.intervals import ConfidenceInterval
from sklearn_irmetrics._tables import (
    PLURAL,
    Interval,
    Number,
    Table,
    import_pandas,
    mark_best,
)

if TYPE_CHECKING:
    from pandas import DataFrame

TESTS = {
    "permutation": "paired permutation test",
    "ttest": "paired t-test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "bootstrap": "paired bootstrap test",
    "tukey": "randomised Tukey HSD test",
    "corrected_ttest": "corrected resampled t-test",
}
CORRECTIONS = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "fdr_bh": "Benjamini-Hochberg",
    None: "no",
}


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonResult(Tabular):
    """Pairs of systems: how far apart, and whether that may be chance.

    Attributes
    ----------
    mean : dict of str to float
        Mean score by system.
    system, versus : tuple of str
        The two systems of each comparison.
    difference : ndarray of shape (n_comparisons,)
        Mean of `system` minus mean of `versus`.
    confidence_interval : tuple of ConfidenceInterval
        Of each difference; with test="tukey" for all of them at once.
    p_value : ndarray of shape (n_comparisons,)
        Two-sided.
    p_adjusted : ndarray of shape (n_comparisons,)
        Adjusted for the number of comparisons.
    effect_size : ndarray of shape (n_comparisons,)
        Difference divided by the standard deviation of differences.
    wins, ties, losses : ndarray of shape (n_comparisons,)
        On how many queries (or splits) `system` is better, equal, worse.
    measure, test, correction : str, str, str or None
        What was compared, and how.
    greater_is_better : bool
        Who wins a query, and which mean is the best.
    confidence_level : float
        Of the intervals.
    unit, n_units, n_undefined : str, int, int
        What scores belong to, how many were compared, how many undefined for all.
    """

    mean: dict[str, float]
    system: tuple[str, ...]
    versus: tuple[str, ...]
    difference: np.ndarray
    confidence_interval: tuple[ConfidenceInterval, ...]
    p_value: np.ndarray
    p_adjusted: np.ndarray
    effect_size: np.ndarray
    wins: np.ndarray
    ties: np.ndarray
    losses: np.ndarray
    metric: str
    test: str
    correction: str | None
    greater_is_better: bool
    confidence_level: float
    unit: str
    n_units: int
    n_undefined: int

    def to_frame(self) -> DataFrame:
        """Return one row per comparison as a pandas.DataFrame."""
        return import_pandas().DataFrame(dict(self._data()))

    def _title(self):
        how = TESTS[self.test]
        if self.test == "tukey":
            how += ", adjusted for all pairs"
        else:
            how += f", {CORRECTIONS[self.correction]} correction"
        lines = [f"{self.metric} on {self.n_units} {PLURAL[self.unit]}: {how}"]
        if self.n_undefined:
            lines.append(f"{self.n_undefined} {PLURAL[self.unit]} undefined, left out")
        numbers = mark_best(
            list(map(Number, self.mean.values())), self.greater_is_better
        )
        means = []
        for name, number in zip(self.mean, numbers, strict=True):
            means += [", " if means else "means: ", f"{name} ", number]
        return [*lines, means]

    def _table(self):
        header = (
            "system",
            "versus",
            "difference",
            f"{100 * self.confidence_level:g} % interval",
            "p",
            "adjusted p",
            "effect size",
            "win/tie/loss",
        )
        # Without the last bits of the difference, which would let 0.05 be below 0.05.
        level = round(1 - self.confidence_level, 12)
        dagger = ["†" if p < level else "" for p in self.p_adjusted]
        rows = [
            (
                self.system[i],
                self.versus[i],
                Number(self.difference[i], "+.4f", mark=dagger[i]),
                Interval(*self.confidence_interval[i]),
                _p_text(self.p_value[i]),
                _p_text(self.p_adjusted[i]),
                Number(self.effect_size[i], "+.2f"),
                f"{self.wins[i]}/{self.ties[i]}/{self.losses[i]}",
            )
            for i in range(len(self.system))
        ]
        marks = {"†": f"adjusted p < {level:g}"} if any(dagger) else {}
        return Table(self._title(), header, rows, "<<>>>>>>", marks=marks)

    def _data(self):
        return [
            ("system", self.system),
            ("versus", self.versus),
            ("mean", [self.mean[name] for name in self.system]),
            ("mean_versus", [self.mean[name] for name in self.versus]),
            ("difference", self.difference.tolist()),
            ("low", [ends.low for ends in self.confidence_interval]),
            ("high", [ends.high for ends in self.confidence_interval]),
            ("p_value", self.p_value.tolist()),
            ("p_adjusted", self.p_adjusted.tolist()),
            ("effect_size", self.effect_size.tolist()),
            ("wins", self.wins.tolist()),
            ("ties", self.ties.tolist()),
            ("losses", self.losses.tolist()),
        ]


def _p_text(p_value):
    return f"{p_value:.4f}" if p_value >= 1e-4 else f"{p_value:.1e}"
