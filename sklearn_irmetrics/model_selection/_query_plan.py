"""The result of `plan_queries`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sklearn_irmetrics._measures.tabular import Tabular
from sklearn_irmetrics._tables import PLURAL, Number, Table

PLANNED = {
    "permutation": "paired permutation test",
    "ttest": "paired t-test",
    "maxt": "max-T of all pairs",
    "anytime": "anytime-valid test",
    "margin": 'verdict "not worse"',
    "anova": "analysis of variance",
    "interval": "width of the t interval",
}


@dataclass(frozen=True, eq=False, repr=False)
class QueryPlan(Tabular):
    """How many queries an experiment needs, and the power of other numbers.

    `plan_queries` returns it; ``print`` shows its table.

    Attributes
    ----------
    n_queries : int
        The smallest number of queries (of groups, where the pilot has groups) that
        suffices.
    detectable_effect : float
        The smallest effect that they detect with the required power; with
        test="interval" the expected width of the interval, with test="margin" the
        smallest margin that they can show.
    power : float
        The probability of detecting `effect`; NaN with test="interval".
    effect, std, confidence_level : float
        The planned effect, standard deviation and level.
    test, n_systems : str, int
        The planned test and number of systems.
    n_pilot : int or None
        Number of queries (or groups) that `std` was estimated from.
    unit : {"query", "group"}
        The unit that is counted.
    numbers : ndarray of shape (n_numbers,)
        Other numbers of queries, and those of the plan and the pilot.
    powers, detectable_effects : ndarray of shape (n_numbers,)
        The power and detectable effect of each of these numbers.
    margin : float or None
        The largest loss that does not matter, with test="margin".
    """

    n_queries: int
    detectable_effect: float
    power: float
    effect: float
    std: float
    confidence_level: float
    test: str
    n_systems: int
    n_pilot: int | None
    unit: str
    numbers: np.ndarray
    powers: np.ndarray
    detectable_effects: np.ndarray
    margin: float | None = None

    def _table(self):
        units = PLURAL[self.unit]
        what = "width" if self.test == "interval" else "effect"
        of = "one system's scores" if self.test == "anova" else "differences"
        how = PLANNED[self.test]
        if self.test in ("anova", "maxt"):
            how += f" of {self.n_systems} systems"
        if self.margin is not None:
            how += f" by {self.margin:g}"
        title = [
            f"{self.n_queries} {units} for {what} {self.effect:g}: {how}, "
            f"{100 * self.confidence_level:g} % confidence",
            f"standard deviation of {of}: {self.std:.4g}"
            + (f", from {self.n_pilot} {units}" if self.n_pilot else ""),
        ]
        rows = [
            (str(n), Number(power), Number(effect, ".4g"))
            for n, power, effect in zip(
                self.numbers, self.powers, self.detectable_effects, strict=True
            )
        ]
        if self.test == "interval":
            rows = [(n, width) for n, _, width in rows]
            return Table(title, (units, "expected width"), rows, ">>")
        found = "margin" if self.test == "margin" else "effect"
        return Table(title, (units, "power", f"detectable {found}"), rows, ">>>")

    def _data(self):
        return [
            (f"n_{PLURAL[self.unit]}", self.numbers.tolist()),
            ("power", self.powers.tolist()),
            ("detectable_effect", self.detectable_effects.tolist()),
        ]
