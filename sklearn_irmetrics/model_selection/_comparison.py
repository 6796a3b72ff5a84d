"""What `compare` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sklearn_irmetrics._intervals import ConfidenceInterval
from sklearn_irmetrics._tables import (
    escape_latex,
    import_pandas,
    interval,
    number,
    render_html,
    render_text,
)
from sklearn_irmetrics.model_selection._units import PLURAL

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
class ComparisonResult:
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
    measure: str
    test: str
    correction: str | None
    confidence_level: float
    unit: str
    n_units: int
    n_undefined: int

    def to_frame(self) -> DataFrame:
        """Return one row per comparison as a pandas.DataFrame."""
        return import_pandas().DataFrame(
            {
                "system": self.system,
                "versus": self.versus,
                "mean": [self.mean[name] for name in self.system],
                "mean_versus": [self.mean[name] for name in self.versus],
                "difference": self.difference,
                "low": [ends.low for ends in self.confidence_interval],
                "high": [ends.high for ends in self.confidence_interval],
                "p_value": self.p_value,
                "p_adjusted": self.p_adjusted,
                "effect_size": self.effect_size,
                "wins": self.wins,
                "ties": self.ties,
                "losses": self.losses,
            }
        )

    def to_latex(self) -> str:
        """Return a LaTeX table with one row per comparison, for the booktabs package.

        Returns
        -------
        str
        """
        header, rows, alignment = self._table()
        columns = "".join({"<": "l", ">": "r"}[side] for side in alignment)
        lines = [" & ".join(map(escape_latex, row)) + r" \\" for row in [header, *rows]]
        caption = " ".join(line.rstrip(".") + "." for line in self._title())
        return "\n".join(
            [
                r"\begin{table}",
                rf"\caption{{{escape_latex(caption)}}}",
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                lines[0],
                r"\midrule",
                *lines[1:],
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table}",
            ]
        )

    def __repr__(self):
        """Show one line per comparison, after what was done."""
        return render_text(self._title(), *self._table())

    def _repr_html_(self):
        return render_html(self._title(), *self._table())

    def _title(self):
        how = TESTS[self.test]
        if self.test == "tukey":
            how += ", adjusted for all pairs"
        else:
            how += f", {CORRECTIONS[self.correction]} correction"
        lines = [f"{self.measure} on {self.n_units} {PLURAL[self.unit]}: {how}"]
        if self.n_undefined:
            lines.append(f"{self.n_undefined} {PLURAL[self.unit]} undefined, left out")
        lines.append(
            "means: " + ", ".join(f"{k} {number(v)}" for k, v in self.mean.items())
        )
        return lines

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
        rows = [
            (
                self.system[i],
                self.versus[i],
                f"{self.difference[i]:+.4f}",
                interval(self.confidence_interval[i]),
                _p_text(self.p_value[i]),
                _p_text(self.p_adjusted[i]),
                f"{self.effect_size[i]:+.2f}",
                f"{self.wins[i]}/{self.ties[i]}/{self.losses[i]}",
            )
            for i in range(len(self.system))
        ]
        return header, rows, "<<>>>>>>"


def _p_text(p_value):
    return f"{p_value:.4f}" if p_value >= 1e-4 else f"{p_value:.1e}"
