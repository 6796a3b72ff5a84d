"""How many queries an experiment needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np

from sklearn_irmetrics._core.parameters import check_count, check_option, check_real
from sklearn_irmetrics._measures.alignment import align_queries
from sklearn_irmetrics._measures.systems import named_systems, the_metric
from sklearn_irmetrics._measures.tabular import Tabular
from sklearn_irmetrics._statistics.intervals import are_alike
from sklearn_irmetrics._statistics.pairs import paired_differences, weigh
from sklearn_irmetrics._statistics.planning import (
    HIGHEST_LEVEL,
    anova_power,
    fewest_signs,
    interval_width,
    smallest_detectable_effect,
    smallest_effect,
    smallest_number,
    ttest_power,
)
from sklearn_irmetrics._tables import PLURAL, Number, Table
from sklearn_irmetrics.model_selection._comparison import ComparisonResult

PLANNED = {
    "ttest": "paired t-test",
    "anova": "analysis of variance",
    "interval": "width of the t interval",
}


@dataclass(frozen=True, eq=False, repr=False)
class QueryPlan(Tabular):
    """How many queries an experiment needs, and what other numbers would give.

    `plan_queries` returns it; ``print`` shows its table.

    Attributes
    ----------
    n_queries : int
        The smallest number of queries (of groups, where the pilot has groups) that
        suffices.
    detectable_effect : float
        The smallest effect that they see with the power asked for; with
        test="interval" the expected width of the interval.
    power : float
        The chance that they have to see `effect`; NaN with test="interval".
    effect, std, confidence_level : float
        What the plan is for.
    test, n_systems : str, int
        What the plan is for.
    n_pilot : int or None
        Number of queries (or groups) that `std` was estimated from.
    unit : {"query", "group"}
        What is counted.
    numbers : ndarray of shape (n_numbers,)
        Other numbers of queries, and those of the plan and the pilot.
    powers, detectable_effects : ndarray of shape (n_numbers,)
        `power` and `detectable_effect` of those.
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

    def _table(self):
        units = PLURAL[self.unit]
        what = "width" if self.test == "interval" else "effect"
        of = "one system's scores" if self.test == "anova" else "differences"
        how = PLANNED[self.test]
        if self.test == "anova":
            how += f" of {self.n_systems} systems"
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
        return Table(title, (units, "power", "detectable effect"), rows, ">>>")

    def _data(self):
        return [
            (f"n_{PLURAL[self.unit]}", self.numbers.tolist()),
            ("power", self.powers.tolist()),
            ("detectable_effect", self.detectable_effects.tolist()),
        ]


def plan_queries(
    pilot: Mapping[str, Any] | Sequence[Any] | None = None,
    *,
    effect: float,
    std: float | None = None,
    power: float = 0.8,
    confidence_level: float = 0.95,
    test: Literal["ttest", "anova", "interval"] = "ttest",
    n_systems: int = 2,
    metric: str | None = None,
) -> QueryPlan:
    """Say how many queries are needed to see an effect.

    Parameters
    ----------
    pilot : systems or differences, default=None
        What `std` is estimated from: a dict or list of two or more systems, as
        :func:`compare` takes them, what it returned for one measure, or differences per
        query as a 1-D array or Series. The variances of several pairs are averaged.
    effect : float
        The smallest difference of means that matters, in units of the measure; with
        test="interval" the widest interval that is narrow enough.
    std : float or None, default=None
        Standard deviation over queries, of the differences between two systems; with
        test="anova" of the scores of one system. None: estimated from `pilot`.
    power : float, default=0.8
        The chance to find a difference of `effect`, more than 1 - `confidence_level`.
    confidence_level : float, default=0.95
        1 minus the level of the test, or that of the interval; at most 0.9999.
    test : {"ttest", "anova", "interval"}, default="ttest"
        "ttest"
            Paired t, two-sided. At least as many queries as `compare` needs to reject
            by its default, the permutation test: 6 at the level 0.05.
        "anova"
            One-way analysis of variance of `n_systems` systems, the best and the worst
            of which are `effect` apart. It does not know that systems answer the same
            queries, and so needs more of them than paired tests.
        "interval"
            The t interval of a difference has an expected width of at most `effect`,
            from end to end; `power` has no meaning.
    n_systems : int, default=2
        How many systems "anova" compares.
    metric : str or None, default=None
        Which measure of `pilot`. None: the only one there is.

    Returns
    -------
    QueryPlan
        With `n_queries`, `detectable_effect` and `power`, and a table of what fewer and
        more queries would give.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above, `pilot` has fewer than two queries or
        differences that do not vary, or not even 10**12 queries suffice.

    Notes
    -----
    The power of the t-test is that of the noncentral t distribution with noncentrality
    ``sqrt(n) * effect / std``, that of the analysis of variance that of the noncentral
    F with ``n * effect**2 / (2 * std**2)``: two systems `effect` apart, all others
    midway. The expected width is ``2 * t * c4 * std / sqrt(n)``, where ``c4 * std`` is
    the expected standard deviation of a normal sample.

    References
    ----------
    T. Sakai, "Topic set size design", Information Retrieval Journal 19 (2016).

    Examples
    --------
    >>> from sklearn_irmetrics.model_selection import plan_queries
    >>> plan_queries(effect=0.05, std=0.1)
    34 queries for effect 0.05: paired t-test, 95 % confidence
    standard deviation of differences: 0.1
      queries   power  detectable effect
            9  0.2627             0.1067
           17  0.4910            0.07239
           34  0.8078             0.0495
           68  0.9823            0.03447
          136  0.9999             0.0242
    """
    effect = check_real("effect", effect, 0.0, np.inf, "a positive, finite number")
    check_option("test", test, PLANNED)
    confidence_level = check_real(
        "confidence_level",
        confidence_level,
        0.0,
        HIGHEST_LEVEL + 1e-15,
        f"above 0 and at most {HIGHEST_LEVEL}",
    )
    level = round(1 - confidence_level, 12)
    rule = f"strictly between 1 - confidence_level ({level:g}) and 1"
    power = check_real("power", power, level, 1.0, rule)
    n_systems = check_count("n_systems", n_systems, 2)
    if n_systems > 2 and test != "anova":
        raise ValueError(
            f"n_systems must be 2 with test={test!r}; got {n_systems}. Several systems "
            "at once are planned with test='anova'."
        )
    n_pilot, unit = None, "query"
    if pilot is not None:
        if std is not None:
            raise ValueError(f"std must be None if pilot is given; got {std!r}.")
        std, n_pilot, unit = _std_of_pilot(pilot, metric, test)
    elif std is None:
        raise ValueError(
            "std must be a number if pilot is None; got None. Pass the results of two "
            "or more systems as pilot, or the standard deviation of their differences."
        )
    std = check_real("std", std, 0.0, np.inf, "a positive, finite number")
    power_of, effect_of = _laws(test, power, confidence_level, n_systems)
    ratio = min(effect / std, 1e9)  # as its square may overflow
    least = max(2, fewest_signs(level)) if test == "ttest" else 2

    def suffices(n):
        if n < least:
            return False
        if test == "interval":
            return effect_of(n) <= ratio
        return power_of(n, ratio) >= power

    n_queries = smallest_number(suffices)
    if n_queries is None:
        raise ValueError(
            "effect must be large enough for 10**12 queries to detect; got "
            f"{effect:g} with a standard deviation of {std:g}."
        )
    around = {max(least, -(-n_queries // part)) for part in (1, 2, 4)}
    around |= {2 * n_queries, 4 * n_queries} | ({n_pilot} if n_pilot else set())
    numbers = np.array(sorted(around))
    found = {n: (power_of(n, ratio), effect_of(n) * std) for n in numbers.tolist()}
    powers, effects = np.transpose(list(found.values()))
    return QueryPlan(
        n_queries=n_queries,
        detectable_effect=found[n_queries][1],
        power=found[n_queries][0],
        effect=effect,
        std=std,
        confidence_level=confidence_level,
        test=test,
        n_systems=n_systems,
        n_pilot=n_pilot,
        unit=unit,
        numbers=numbers,
        powers=powers,
        detectable_effects=effects,
    )


def _laws(test, power, confidence_level, n_systems):
    """Return the power of a number and an effect, and the effect that a number sees."""
    if test == "interval":
        return (
            lambda n, x: float("nan"),
            lambda n: interval_width(n, confidence_level=confidence_level),
        )

    def power_of(n, x):
        if test == "ttest":
            return ttest_power(n, x, confidence_level=confidence_level)
        return anova_power(n, x, n_systems=n_systems, confidence_level=confidence_level)

    return power_of, lambda n: smallest_effect(lambda x: power_of(n, x), power)


def _std_of_comparison(pilot, test):
    """Return what `_std_of_pilot` does of what `compare` found."""
    if test == "anova":
        raise ValueError(
            "pilot must be systems, not their comparison, with test='anova', which "
            "needs the spread of one system's scores."
        )
    if pilot.unit == "split":
        raise ValueError(
            f"pilot must compare queries; got test={pilot.test!r} of splits."
        )
    of_one = smallest_detectable_effect(
        1.0, pilot.n_units, confidence_level=pilot.confidence_level
    )
    std = np.sqrt(np.mean((pilot.detectable_effect / of_one) ** 2))
    if np.isnan(std):
        raise ValueError("pilot must vary over queries in every comparison.")
    return float(std), pilot.n_units, pilot.unit


def _std_of_pilot(pilot, metric, test):
    """Return the standard deviation, the number of units and their name."""
    if isinstance(pilot, ComparisonResult):
        return _std_of_comparison(pilot, test)
    try:
        systems = _systems_of(pilot)
        scores = align_queries(systems, the_metric(systems, metric))
        values = weigh(*scores.units()[:2])
    except (TypeError, ValueError) as error:
        name = "" if str(error).startswith(("pilot", "metric")) else "pilot: "
        raise type(error)(f"{name}{error}") from error
    n, m = values.shape
    if m == 1 and test == "anova":
        raise ValueError(
            "pilot must be systems, not differences, with test='anova', which needs "
            "the spread of one system's scores."
        )
    if m > 1 and test != "anova":
        first, second = np.triu_indices(m, 1)
        values = paired_differences(values[:, first], values[:, second])
    if all(are_alike(column) for column in values.T):
        raise ValueError(f"pilot must vary over {PLURAL[scores.unit]}; all are alike.")
    scale = abs(values).max()  # whose square may overflow
    std = float(scale * np.sqrt((values / scale).var(axis=0, ddof=1).mean()))
    return std, n, scores.unit


def _systems_of(pilot):
    """Return systems by name; differences are one system."""
    is_list = isinstance(pilot, list | tuple) and bool(pilot)
    if is_list and all(isinstance(value, Real) for value in pilot):
        pilot = np.asarray(pilot)
    if getattr(pilot, "ndim", None) == 1:
        return {"differences": pilot}
    if is_list or hasattr(pilot, "items"):
        return named_systems(pilot)
    raise TypeError(
        "pilot must be a dict or list of two or more systems, or one difference per "
        f"query; got {type(pilot).__name__}."
    )
