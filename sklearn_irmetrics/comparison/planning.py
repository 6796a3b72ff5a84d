"""`plan_queries`: how many queries an experiment needs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, Literal

import numpy as np
from scipy import stats

from sklearn_irmetrics._checks import (
    check_confidence_level,
    check_count,
    check_option,
    check_positive,
    check_real,
)
from sklearn_irmetrics._results.tables import PLURAL, Column
from sklearn_irmetrics._results.tabular import Tabular
from sklearn_irmetrics._statistics.draws import are_alike
from sklearn_irmetrics._statistics.pairs import (
    error_rate,
    fewest_signs,
    paired_differences,
)
from sklearn_irmetrics._statistics.power import (
    HIGHEST_LEVEL,
    anova_power,
    anytime_power,
    fewest_for_margin,
    interval_width,
    margin_power,
    max_t_power,
    permutation_power,
    permutation_power_of_signs,
    smallest_effect,
    smallest_number,
    ttest_power,
)
from sklearn_irmetrics._statistics.units import weigh
from sklearn_irmetrics.comparison._alignment import align_queries
from sklearn_irmetrics.comparison._systems import named_systems, the_metric

PLANNED = {
    "permutation": "paired permutation test",
    "ttest": "paired t-test",
    "maxt": "max-T test of all pairs",
    "anytime": "anytime-valid test",
    "margin": "one-sided limits",
    "anova": "analysis of variance",
    "interval": "Student's t interval",
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
        smallest margin that they can show for `effect`.
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
    metric : str or None
        The measure of the pilot, if it names one.
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
    metric: str | None = None

    def _columns(self):
        units, is_width = PLURAL[self.unit], self.test == "interval"
        effect = "margin" if self.test == "margin" else "difference"
        n = len(self.numbers)
        # With two significant digits of what is to be shown.
        size = abs(self.effect) or self.margin
        form = f".{max(1 - math.floor(math.log10(size)), 0)}f"
        return [
            Column("effect", [self.effect] * n, shown=False),
            Column("std", [self.std] * n, shown=False),
            Column("n_needed", [self.n_queries] * n, "d", shown=False),
            Column(f"n_{units}", self.numbers, "d", heading=units),
            Column("power", self.powers, ".2f", shown=not is_width),
            Column(
                "detectable_effect",
                self.detectable_effects,
                form,
                heading="expected width" if is_width else f"detectable {effect}",
            ),
        ]

    def _title(self):
        level = f"{100 * self.confidence_level:g} %"
        match self.test:
            case "interval":
                goal = f"give a {level} interval of width {self.effect:g}"
            case "margin":
                goal = f'show "not worse by {self.margin:g}"'
            case "anova":
                goal = f"detect that {self.n_systems} systems differ by {self.effect:g}"
            case _:
                goal = f"detect a difference of {self.effect:g}"
        if self.test == "maxt":
            goal += f" between {self.n_systems} systems"
        if self.test != "interval":
            goal += f" with a probability of {100 * self.power:.0f} %"
        if self.test == "margin":
            is_true = f"the difference is {self.effect:g}" if self.effect else ""
            goal += f" if {is_true or 'systems are equal'}"
        metric = "" if self.metric is None else f"{self.metric}: "
        return [f"{metric}{self.n_queries} {PLURAL[self.unit]} {goal}"]

    def _notes(self):
        spread = "differences"
        if self.test == "anova":
            spread = "one system's scores"
        spread = f"standard deviation of {spread} {self.std:.3g}"
        if self.n_pilot:
            spread += f", from {self.n_pilot} {PLURAL[self.unit]}"
        level = f", p ≤ {error_rate(self.confidence_level):g}"
        if self.test in ("interval", "margin"):
            level = f", {100 * self.confidence_level:g} % confidence"
        how = PLANNED[self.test]
        return [f"{how[0].upper()}{how[1:]}{level}; {spread}."]


_MOST_SYSTEMS = 50  # of which max-T draws 1225 pairs


def plan_queries(
    pilot: Mapping[str, Any] | Sequence[Any] | None = None,
    *,
    effect: float | None = None,
    std: float | None = None,
    power: float = 0.8,
    confidence_level: float = 0.95,
    test: Literal[
        "permutation", "ttest", "maxt", "anytime", "margin", "anova", "interval"
    ] = "permutation",
    n_systems: int = 2,
    margin: float | None = None,
    bound: float = 1.0,
    group_size: float = 1,
    correlation: float = 0.0,
    pilot_confidence: float | None = None,
    metric: str | None = None,
) -> QueryPlan:
    """Compute how many queries are needed to detect an effect.

    Parameters
    ----------
    pilot : systems or differences, default=None
        Data to estimate `std` from: a dict or list of two or more systems, as for
        :func:`compare`, or differences per query as a 1-D array or Series. The
        variances of several pairs are averaged.
    effect : float
        The smallest difference of means that matters, in units of the measure; with
        test="interval", the largest acceptable width; with test="margin", the true
        difference, where None means 0.
    std : float or None, default=None
        Standard deviation over queries of the differences between two systems; with
        test="anova", of the scores of one system. None: estimated from `pilot`.
    power : float, default=0.8
        The probability of detecting `effect`, more than 1 - `confidence_level`.
    confidence_level : float, default=0.95
        1 minus the level of the test, or that of the interval; at most 0.9999.
    test : {"permutation", "ttest", "maxt", "anytime", "margin", "anova", "interval"}, \
            default="permutation"
        "permutation"
            The default of `compare`, two-sided. With fewer than 6 queries, it cannot
            reject anything at the level 0.05. The differences are assumed normal, or,
            if those of `pilot` are all 0 or of one size, as those of 0/1 scores, of
            that size.
        "ttest"
            Paired t, two-sided; at least as many queries as the permutation test needs.
        "maxt"
            All pairs of `n_systems` systems, with the default correction of `compare`.
        "anytime"
            A single look at a test that is valid at any time.
        "margin"
            ``compare(margin=margin)`` finds the first system "not worse".
        "anova"
            One-way analysis of variance of `n_systems` systems, the best and the worst
            of which are `effect` apart. It ignores that systems answer the same
            queries, so it needs more of them than paired tests.
        "interval"
            The t interval of a difference has an expected width of at most `effect`,
            from end to end; `power` has no meaning.
    n_systems : int, default=2
        Number of systems that "anova" and "maxt" compare; at most 50 with "maxt".
    margin : float or None, default=None
        The largest loss that does not matter; only with test="margin".
    bound : float, default=1.0
        The largest possible difference on one query; for "margin" and "anytime".
    group_size : float, default=1
        Average number of queries in a group, such as variants of a question. The plan
        then counts groups.
    correlation : float, default=0.0
        Intraclass correlation: the share of the variance that is between groups.
    pilot_confidence : float or None, default=None
        Plan with the upper limit, at this level, of the standard deviation instead of
        its estimate, which is often too small in a small pilot. The level holds for
        normal differences only: the true value exceeds the limit at 0.8 in 0.36 to 0.58
        of pilots if differences are exponential or t with three degrees of freedom.
    metric : str or None, default=None
        The measure of `pilot`. None: its only one.

    Returns
    -------
    QueryPlan
        With `n_queries`, `detectable_effect` and `power`, and a table for fewer and
        more queries.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above, `pilot` has fewer than two queries or
        differences that do not vary, or even 10**12 queries do not suffice.

    Notes
    -----
    The power of the t-test is that of the noncentral t distribution with noncentrality
    ``sqrt(n) * effect / std``; so is that of the other tests, with the critical value
    for a typical normal sample. The power of the permutation test of 0/1 scores is
    that of the sign test, to which it is equal. For other scores, the permutation test
    of up to 12 queries is simulated, and so is the critical value of max-T, the same in
    every call. The power of the analysis of variance is that of the noncentral F with
    ``n * effect**2 / (2 * std**2)``: two systems `effect` apart, all others midway. The
    expected width is ``2 * t * c4 * std / sqrt(n)``, where ``c4 * std`` is the expected
    standard deviation of a normal sample.

    References
    ----------
    T. Sakai, "Topic set size design", Information Retrieval Journal 19 (2016).

    Examples
    --------
    >>> from sklearn_irmetrics.comparison import plan_queries
    >>> plan_queries(effect=0.05, std=0.1)
    34 queries detect a difference of 0.05 with a probability of 81 %
    <BLANKLINE>
    queries  power  detectable difference
          9   0.25                  0.110
         17   0.49                  0.072
         34   0.81                  0.050
         68   0.98                  0.034
        136   1.00                  0.024
    <BLANKLINE>
    Paired permutation test, p ≤ 0.05; standard deviation of differences 0.1.
    """
    check_option("test", test, PLANNED)
    bound = check_positive("bound", bound)
    effect, margin = _check_effect(effect, margin, test, bound)
    confidence_level = check_real(
        "confidence_level",
        confidence_level,
        0.0,
        HIGHEST_LEVEL,
        f"above 0 and at most {HIGHEST_LEVEL}",
        closed="right",
    )
    level = error_rate(confidence_level)
    rule = f"strictly between 1 - confidence_level ({level:g}) and 1"
    power = check_real("power", power, level, 1.0, rule)
    n_systems = _check_systems(n_systems, test)
    std, n_pilot, unit, size, metric = _spread_of_queries(pilot, std, metric, test)
    if pilot_confidence is not None:
        if n_pilot is None:
            raise ValueError(
                f"pilot must be given with pilot_confidence={pilot_confidence!r}."
            )
        tail = 1 - check_confidence_level(pilot_confidence, "pilot_confidence")
        # The upper limit of the standard deviation of normal values.
        std *= np.sqrt((n_pilot - 1) / stats.chi2.ppf(tail, n_pilot - 1))
    if test in ("anytime", "margin") and max(std, effect) > bound:
        raise ValueError(
            f"bound must be at least std and effect with test={test!r}; got {bound:g} "
            f"with std={std:g} and effect={effect:g}."
        )
    std, unit = _spread_of_groups(std, unit, group_size, correlation)
    size = size if group_size == 1 else None
    planned = _PlannedTest(test, std, confidence_level, n_systems, margin, bound, size)
    ratio = min(effect / std, 1e9)  # as its square may overflow
    n_queries = smallest_number(partial(planned.suffices, ratio=ratio, power=power))
    if n_queries is None:
        raise ValueError(
            "effect must be large enough for 10**12 queries to detect; got "
            f"{effect:g} with a standard deviation of {std:g}."
        )
    around = {max(planned.fewest, -(-n_queries // part)) for part in (1, 2, 4)}
    around |= {2 * n_queries, 4 * n_queries} | ({n_pilot} if n_pilot else set())
    numbers = np.array(sorted(around))
    powers_and_effects = {
        n: (planned.power(n, ratio), planned.detectable_effect(n, ratio, power) * std)
        for n in numbers.tolist()
    }
    powers, effects = np.transpose(list(powers_and_effects.values()))
    return QueryPlan(
        n_queries=n_queries,
        detectable_effect=float(powers_and_effects[n_queries][1]),
        power=powers_and_effects[n_queries][0],
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
        margin=margin,
        metric=metric,
    )


@dataclass(frozen=True)
class _PlannedTest:
    """A test whose power follows from the number of queries.

    Effects are in standard deviations of the differences, `std`.
    """

    test: str
    std: float
    confidence_level: float
    n_systems: int
    margin: float | None
    bound: float
    size: float | None  # of the differences that are not 0, if they have one

    @property
    def level(self):
        """The level of the test."""
        return error_rate(self.confidence_level)

    @property
    def fewest(self):
        """The smallest number of queries with which the test can find anything."""
        if self.margin is not None:
            return max(2, fewest_for_margin(self.margin, self.bound, self.level))
        needs_signs = self.test in ("ttest", "permutation")
        return max(2, fewest_signs(self.level)) if needs_signs else 2

    def power(self, n, effect):
        """Return the probability of detecting an effect; NaN for a width."""
        options = {"confidence_level": self.confidence_level}
        of_systems = {"n_systems": self.n_systems, **options}
        known = {"bound": self.bound, "alpha": self.level}
        match self.test:
            case "permutation" if self.size is not None:
                std = self.std / self.size
                return permutation_power_of_signs(n, effect, std, **options)
            case "permutation":
                return permutation_power(n, effect, **options)
            case "ttest":
                return ttest_power(n, effect, **options)
            case "maxt":
                return max_t_power(n, effect, **of_systems)
            case "anova":
                return anova_power(n, effect, **of_systems)
            case "anytime":
                return anytime_power(n, effect * self.std, self.std, **known)
            case "margin":
                mean = effect * self.std
                return margin_power(n, mean, self.std, margin=self.margin, **known)
        return float("nan")

    def detectable_effect(self, n, effect, power):
        """Return the smallest effect, or margin that an effect shows, or the width."""
        if self.test == "interval":
            return interval_width(n, confidence_level=self.confidence_level)
        if self.test == "margin":
            return self._smallest_margin(n, effect, power)
        most = self.bound / self.std if self.test == "anytime" else np.inf
        return smallest_effect(partial(self.power, n), power, most)

    def _smallest_margin(self, n, effect, power):
        """Return the smallest margin that so many queries with an effect can show."""
        most = self.bound / self.std
        of_no_difference = -np.expm1(np.log(self.level) / n) * most
        least = max(of_no_difference, -effect)

        def power_above(distance):
            planned = replace(self, margin=(least + distance) * self.std)
            return planned.power(n, effect)

        if power_above(0.0) >= power:
            return least
        return least + smallest_effect(power_above, power, most - least)

    def suffices(self, n, ratio, power):
        """Return whether so many queries detect an effect, or are narrow enough."""
        if n < self.fewest:
            return False
        if self.test == "interval":
            return self.detectable_effect(n, ratio, power) <= ratio
        return self.power(n, ratio) >= power


def _check_effect(effect, margin, test, bound):
    """Return the effect and the margin, checked."""
    if test == "margin" and margin is None:
        raise ValueError(
            "margin must be given with test='margin': how much may be lost."
        )
    if test != "margin" and margin is not None:
        raise ValueError(
            f"margin must be a number with test='margin' only; got {margin!r} with "
            f"test={test!r}."
        )
    if margin is not None:
        margin = check_real("margin", margin, 0.0, bound, f"between 0 and {bound:g}")
        effect = check_real(
            "effect", effect or 0.0, -margin, np.inf, f"above -{margin:g}, finite"
        )
    else:
        effect = check_positive("effect", effect)
    return effect, margin


def _check_systems(n_systems, test):
    """Return the number of systems, checked."""
    n_systems = check_count("n_systems", n_systems, 2)
    if n_systems > 2 and test not in ("anova", "maxt"):
        raise ValueError(
            f"n_systems must be 2 with test={test!r}; got {n_systems}. Several systems "
            "at once are planned with test='maxt' or 'anova'."
        )
    if test == "maxt" and n_systems > _MOST_SYSTEMS:
        raise ValueError(
            f"n_systems must be at most {_MOST_SYSTEMS} with test='maxt', which draws "
            f"all pairs; got {n_systems}."
        )
    return n_systems


def _spread_of_queries(pilot, std, metric, test):
    """Return the standard deviation, the number of units of the pilot, and their name.

    Then come the size of its differences that are not 0, None if they have several, and
    its measure.
    """
    n_pilot, unit, size = None, "query", None
    if pilot is not None:
        if std is not None:
            raise ValueError(f"std must be None if pilot is given; got {std!r}.")
        std, n_pilot, unit, size, metric = _std_of_pilot(pilot, metric, test)
    elif metric is not None:
        raise ValueError(f"pilot must be given with metric={metric!r}.")
    elif std is None:
        raise ValueError(
            "std must be a number if pilot is None; got None. Pass the results of two "
            "or more systems as pilot, or the standard deviation of their differences."
        )
    return check_positive("std", std), n_pilot, unit, size, metric


def _spread_of_groups(std, unit, group_size, correlation):
    """Return the standard deviation of means of groups, by the design effect."""
    group_size = check_real("group_size", group_size, 1 - 1e-9, np.inf, "at least 1")
    correlation = check_real(
        "correlation", correlation, -1e-9, 1 + 1e-9, "between 0 and 1"
    )
    if group_size > 1:
        if unit == "group":
            raise ValueError(
                "group_size must be 1 if pilot has groups, whose spread it includes; "
                f"got {group_size:g}."
            )
        std *= np.sqrt((1 + (group_size - 1) * correlation) / group_size)
        unit = "group"
    return std, unit


def _std_of_pilot(pilot, metric, test):
    """Return the standard deviation, the number of units, their name, size and measure.

    See `_spread_of_queries`.
    """
    try:
        systems = _systems_of(pilot)
        metric = the_metric(systems, metric)
        scores = align_queries(systems, metric)
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
        values = paired_differences(
            values[:, first], values[:, second], scores.resolution
        )
    if are_alike(values).all():
        raise ValueError(f"pilot must vary over {PLURAL[scores.unit]}; all are alike.")
    scale = abs(values).max()  # whose square may overflow
    std = float(scale * np.sqrt((values / scale).var(axis=0, ddof=1).mean()))
    sizes = abs(values)
    has_one_size = ((sizes >= (1 - 1e-12) * scale) | (sizes <= 1e-12 * scale)).all()
    return std, n, scores.unit, float(scale) if has_one_size else None, metric


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
