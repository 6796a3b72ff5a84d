"""`compare`: differences of systems by pairs, with tests and intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import nctdtrinc

from sklearn_irmetrics._checks import (
    check_count,
    check_flag,
    check_option,
    check_positive,
)
from sklearn_irmetrics._results.tables import (
    PLURAL,
    Column,
    Interval,
    Name,
    Number,
    about_each,
    count,
    decimals,
    format_p,
    interval_column,
    make_table,
    mark_best,
    name_measure,
    share,
)
from sklearn_irmetrics._results.tabular import Drawable, Several
from sklearn_irmetrics._statistics.draws import check_generator
from sklearn_irmetrics._statistics.intervals import ConfidenceInterval
from sklearn_irmetrics._statistics.paired_tests import (
    CORRECTIONS,
    TESTS,
    Corrected,
    correct,
    correction_of,
    detectable_effect,
    effect_size,
    standard_error,
)
from sklearn_irmetrics._statistics.pairs import (
    MEAN,
    PairedTest,
    error_rate,
    fewest_signs,
)
from sklearn_irmetrics._statistics.swaps import SwapTest
from sklearn_irmetrics._typing import Ids, PerQuery, RandomState
from sklearn_irmetrics.comparison._alignment import align_slices, choose_test
from sklearn_irmetrics.comparison._predictions import (
    pair_predictions,
    pair_results,
    read_predictions,
    refuse_labels,
    rows_of_predictions,
    test_of_predictions,
    values_by_position,
)
from sklearn_irmetrics.comparison._systems import (
    check_baseline,
    greater_is_better_of,
    named_systems,
    the_metrics,
)
from sklearn_irmetrics.comparison._tested_pairs import (
    about_concentrated,
    about_draws,
    about_strata,
    check_level,
    check_margin,
    cut_intervals,
    pair_columns,
    test_slices,
)
from sklearn_irmetrics.metrics._measure import Measure

# The largest number of pairs in a table, and of means in a title.
_MOST_PAIRS, _MOST_MEANS = 40, 12
_KINDS: dict[str, type[PairedTest]] = {**TESTS, "swap": SwapTest}


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonResult(Drawable):
    """Differences between pairs of systems, with intervals and tests.

    `compare` returns it; ``print`` shows its table.

    Attributes
    ----------
    mean : dict of str to float
        Mean score by system.
    system, versus : tuple of str
        The two systems of each comparison.
    estimate : ndarray of shape (n_comparisons,)
        The difference: mean of `system` minus mean of `versus`.
    standard_error : ndarray of shape (n_comparisons,)
        Of the difference, over queries (groups, rows, splits); NaN if they all have the
        same.
    confidence_interval : tuple of ConfidenceInterval
        Interval of each difference, or of `center`. With test="tukey" and the
        corrections "maxt" and "bonferroni", they hold for all pairs at once. Where all
        differences are equal (`is_constant`), it does not show how much other queries
        vary, and usually has no width.
    p_value : ndarray of shape (n_comparisons,)
        Two-sided.
    p_adjusted : ndarray of shape (n_comparisons,)
        Adjusted for the number of comparisons.
    effect_size : ndarray of shape (n_comparisons,)
        Difference divided by the standard deviation of differences; infinite if they
        are all equal, but not 0.
    detectable_effect : ndarray of shape (n_comparisons,)
        The smallest difference that a paired t-test detects with a power of 80 %, given
        this number of queries (groups, rows, splits), this spread of differences and
        the level of the correction (Bonferroni's for "maxt", "holm" and "tukey"). NaN
        if no query differs, and for more than 500 comparisons.
    is_constant : bool ndarray of shape (n_comparisons,)
        Whether all differences are equal and the interval excludes 0, although no
        variation was seen. Not for "sign" and "anytime", whose intervals hold anyway.
    wins, ties, losses : ndarray of shape (n_comparisons,)
        Number of queries (groups, splits) on which `system` is better, equal, worse.
    metric, test, correction : str, str, str or None
        The measure, the test and the correction.
    greater_is_better : bool
        Whether larger scores are better.
    confidence_level : float
        Of the intervals.
    unit, n_units, n_undefined : str, int, int
        What scores belong to, the number of units compared, and the number left out
        because they are undefined for all systems.
    center : ndarray of shape (n_comparisons,) or None
        What the intervals estimate, if not the differences: the pseudo-medians of
        differences that are not 0 ("wilcoxon"), or the shares of wins among wins and
        losses ("sign").
    margin : float or None
        The largest difference that does not matter.
    margin_interval : tuple of ConfidenceInterval or None
        One-sided limits on both sides, which decide about the margin.
    n_decisive : int or None
        Number of queries below which systems that do not differ cannot be "not worse"
        by the margin; None if the test has its own limits.
    is_concentrated : bool ndarray of shape (n_comparisons,)
        With tests of means of queries: whether a tenth of the queries causes four
        fifths of the variation. If losses are rare, p-values are then too small,
        however many queries there are. Pairs whose nonzero differences all have one
        size, as with 0/1 measures, are not counted: the tests are accurate for them.
    n_draws : int
        Number of random draws behind the p-values; 0 if they are exact.
    n_in_stratum : int or None
        Number of units in the smallest stratum; None without strata.
    limitations : tuple of str
        What the data cannot show, with test="swap".
    verdict : tuple of str or None
        "equivalent", "not worse", "worse" or "undecided", by `margin_interval`.
    """

    mean: dict[str, float]
    system: tuple[str, ...]
    versus: tuple[str, ...]
    estimate: np.ndarray
    standard_error: np.ndarray
    confidence_interval: tuple[ConfidenceInterval, ...]
    p_value: np.ndarray
    p_adjusted: np.ndarray
    effect_size: np.ndarray
    detectable_effect: np.ndarray
    is_constant: np.ndarray
    is_concentrated: np.ndarray
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
    center: np.ndarray | None = None
    margin: float | None = None
    margin_interval: tuple[ConfidenceInterval, ...] | None = None
    verdict: tuple[str, ...] | None = None
    n_decisive: int | None = None
    n_draws: int = 0
    n_in_stratum: int | None = None
    limitations: tuple[str, ...] = ()

    @property
    def interval_of(self) -> str:
        """What the intervals estimate, in words."""
        return _KINDS[self.test].interval_of

    @property
    def effect_size_interval(self) -> tuple[ConfidenceInterval, ...]:
        """Interval of each effect size, if differences are normal.

        It follows from the noncentral t distribution. NaN if all differences are equal,
        and over splits, which are not independent.
        """
        differ = np.isfinite(self.effect_size) & (self.wins + self.losses > 0)
        known = differ & (self.unit != "split")
        root = np.sqrt(self.n_units)
        ratio = np.where(known, self.effect_size * root, 0.0)
        share = np.array([[1 - self._alpha / 2], [self._alpha / 2]])
        ends = nctdtrinc(self.n_units - 1, share, ratio) / root
        ends = np.where(known, ends, np.nan)
        return tuple(ConfidenceInterval(*both) for both in ends.T.tolist())

    @property
    def is_significant(self) -> np.ndarray:
        """Whether each adjusted p-value is at most 1 - `confidence_level`."""
        return self.p_adjusted <= self._alpha

    @property
    def n_concentrated(self) -> int:
        """Number of comparisons that `is_concentrated` marks."""
        return int(self.is_concentrated.sum())

    @property
    def _alpha(self):
        return error_rate(self.confidence_level)

    @property
    def _form(self):
        """The format of differences and means."""
        return f".{decimals(self.standard_error)}f"

    @property
    def _alone(self):
        """The system that all others are compared with; None if there are several."""
        return self.versus[0] if len(set(self.versus)) == 1 else None

    @property
    def _is_few(self):
        """Whether too few units differ for any interval, by pair."""
        n_sharing = len(self.system) if self.correction == "bonferroni" else 1
        fewest = _KINDS[self.test].fewest(self.n_units, self._alpha / n_sharing)
        low, high = np.transpose(self.confidence_interval)
        is_few = self.wins + self.losses < fewest
        return is_few & (low <= 0) & (high >= 0)

    def _count(self):
        """Return how many units were compared, of how many, in words."""
        n_units = share(self.n_units, self.n_units + self.n_undefined)
        return f"{n_units} {PLURAL[self.unit]}"

    def _about(self):
        metric = name_measure(self.metric, self.greater_is_better)
        return f"{metric} on {self._count()}"

    def _how(self):
        """Return the sentence on the correction of p-values and intervals."""
        n, kind = len(self.system), _KINDS[self.test]
        if n == 1:
            return ""
        pairs = "both pairs" if n == 2 else f"all {n} pairs"
        if kind.adjusts:
            return f"; p and intervals hold for {pairs} at once"
        name = CORRECTIONS[self.correction]
        if self.correction in ("maxt", "bonferroni"):
            return f"; p and intervals hold for {pairs} at once ({name})"
        if self.correction is None:
            return f"; neither p nor intervals are adjusted for {pairs}"
        return f"; p is adjusted for {pairs} ({name}), each interval is for its pair"

    def _means(self):
        """Return the line of the means, the best first."""
        numbers = [Number(mean, self._form) for mean in self.mean.values()]
        numbers = mark_best(numbers, self.greater_is_better)
        named = list(zip(self.mean, numbers, strict=True))
        if len(named) > 2:
            named.sort(key=lambda pair: self._place(pair[0]))
        means = []
        for name, number in named[:_MOST_MEANS]:
            means += [", " if means else "", f"{name} ", number]
        n_more = len(named) - _MOST_MEANS
        return [*means, f" and {n_more} more"] if n_more > 0 else means

    def _place(self, name):
        """Return a mean, negated if larger ones are better."""
        return -self.mean[name] if self.greater_is_better else self.mean[name]

    def _columns(self, form=None):
        form, n = form or self._form, len(self.system)
        decides = self.margin is not None
        differences = [
            Number(difference, f"+{form}", mark="*" * (is_shown and not decides))
            for difference, is_shown in zip(
                self.estimate, self.is_significant.tolist(), strict=True
            )
        ]
        level = f"{100 * self.confidence_level:g} %"
        intervals = interval_column(
            self.confidence_interval, self.confidence_level, form=form
        )
        cells = [
            Interval(np.nan, np.nan) if is_unknown else cell
            for cell, is_unknown in zip(
                intervals.cells(), self._is_few | self.is_constant, strict=True
            )
        ]
        columns = [
            Column("measure", [self.metric] * n, shown=False),
            Column("system", self.system),
            # A baseline of several is in the title.
            Column(
                "versus",
                self.versus,
                shown=n == 1 or decides or self._alone is None,
            ),
            Column(
                "mean", [self.mean[name] for name in self.system], form, shown=False
            ),
            Column(
                "mean_versus",
                [self.mean[name] for name in self.versus],
                form,
                heading="mean of versus",
                shown=False,
            ),
            Column(
                "estimate",
                self.estimate,
                heading="difference",
                as_shown=differences,
                align=">",
            ),
            Column("standard_error", self.standard_error, ".4f", shown=False),
        ]
        if self.interval_of != MEAN:
            name = self.interval_of.replace("-", "_").replace(" ", "_")
            columns.append(Column(name, self.center, form, heading=self.interval_of))
        columns += [
            intervals._replace(as_shown=cells, align=">", shown=not decides),
            Column("p_value", self.p_value, self._p_text, shown=False),
            Column(
                "p_adjusted",
                self.p_adjusted,
                self._p_text,
                heading="p",
                shown=not decides,
            ),
            Column("effect_size", self.effect_size, "+.2f", shown=False),
            Column(
                ("effect_low", "effect_high"),
                self.effect_size_interval,
                lambda low, high: Interval(low, high, "+.2f"),
                heading=f"{level} interval of the effect size",
                shown=False,
            ),
            Column("detectable_effect", self.detectable_effect, form, shown=False),
            Column("is_constant", self.is_constant, shown=False),
            Column(
                ("wins", "ties", "losses"),
                list(zip(self.wins, self.ties, self.losses, strict=True)),
                lambda *counts: "/".join(map(str, counts)),
                heading="better/equal/worse",
                shown=not decides,
            ),
        ]
        if decides:
            columns += [
                Column(
                    ("margin_low", "margin_high"),
                    self.margin_interval,
                    lambda low, high: Interval(low, high, form),
                    heading=f"limits ({level} each)",
                ),
                Column("verdict", self.verdict),
            ]
        return [
            *columns,
            Column("unit", [self.unit] * n, shown=False),
            Column("n_units", [self.n_units] * n, shown=False),
            Column("test", [self.test] * n, shown=False),
            Column("correction", [self.correction] * n, shown=False),
        ]

    def _p_text(self, p_value):
        return format_p(p_value, self._alpha)

    def _caption(self):
        if self.margin is None:
            return self._about()
        return f"{self._about()}; differences up to {self.margin:g} do not matter"

    def _title(self):
        n, n_shown = len(self.system), np.count_nonzero(self.is_significant)
        if self.margin is not None:
            return [self._caption()]
        if n == 1:
            return [[f"{self._about()}: means ", *self._means()]]
        what = f"{n_shown} of {n} pairs differ"
        if self._alone is not None:
            what = f"{n_shown} of {n} systems differ from {self._alone}"
        return [f"{self._about()}: {what}", ["means: ", *self._means()]]

    def _marks(self):
        if self.margin is not None or not self.is_significant.any():
            return {}
        test = f"({_KINDS[self.test].label}, p ≤ {self._alpha:g})"
        if len(self.system) > 1:
            return {"*": f"different {test}{self._how()}."}
        return {"*": f"{self._ordered(0)} {test}."}

    def _ordered(self, i):
        """Return which of two systems is better, as the test of the pair sees it."""
        system, versus = self.system[i], self.versus[i]
        if self.interval_of == "share of wins":
            more = "more" if self.center[i] > 0.5 else "fewer"
            return f"{system} wins {more} {PLURAL[self.unit]} than {versus}"
        is_above = (self.estimate if self.center is None else self.center)[i] > 0
        verb = "better" if is_above == self.greater_is_better else "worse"
        return f"{system} is {verb} than {versus}"

    def _notes(self):
        if self.margin is not None:
            return [*self._about_verdicts(), *self._remarks()[:2]]
        return [*self._about_nothing(), *self._remarks()[:2]]

    def _about_nothing(self):
        """Return the sentence on what no shown difference means."""
        label = _KINDS[self.test].label
        if self.is_significant.any():
            return []
        if len(self.system) > 1:
            return [f"No pair differs ({label}, p > {self._alpha:g}){self._how()}."]
        sentence = f"No difference shown ({label})."
        if self.interval_of != MEAN or (self._is_few | self.is_constant).any():
            return [sentence]
        sentence += " Any difference inside the interval remains possible"
        detectable = self.detectable_effect[0]
        if np.isfinite(detectable) and not _KINDS[self.test].covers_few:
            sentence += (
                f"; {self.n_units} {PLURAL[self.unit]} would probably show one of "
                f"{detectable:{self._form}} or more"
            )
        return [f"{sentence}."]

    def _about_verdicts(self):
        """Return the meaning of each verdict in the table."""
        inner, above, outer, below = "lower", "above", "upper", "below"
        worst = f"-{self.margin:g}"
        if not self.greater_is_better:
            inner, above, outer, below = "upper", "below", "lower", "above"
            worst = f"{self.margin:g}"
        meanings = {
            "equivalent": f"both limits are within ±{self.margin:g}.",
            "not worse": f"the {inner} limit is {above} {worst}.",
            "worse": f"the {outer} limit is {below} {worst}.",
            "undecided": f"{worst} is between the limits; more {PLURAL[self.unit]} "
            "would help.",
        }
        if self.n_decisive is not None and self.n_units < self.n_decisive:
            meanings["undecided"] = (
                f"even equal systems need {self.n_decisive} {PLURAL[self.unit]}; you "
                f"have {self.n_units}."
            )
        return [
            f"{verdict}: {meaning}"
            for verdict, meaning in meanings.items()
            if verdict in self.verdict
        ]

    def _remarks(self):
        """Return sentences on what may surprise in these data, the gravest first."""
        units, remarks = PLURAL[self.unit], []
        n_differ, n_pairs = self.wins + self.losses, len(self.system)
        is_few, kind = self._is_few, _KINDS[self.test]
        n_sharing = n_pairs if self.correction == "bonferroni" else 1
        least = fewest_signs(self._alpha / n_sharing)
        cannot = f"no p-value can reach {self._alpha:g}"
        if self.margin is not None:
            pass  # The limits hold however few units differ.
        elif kind.counts_signs and n_pairs == 1 and 0 < n_differ[0] < least:
            remarks.append(
                f"{'No interval: only' if is_few[0] else 'Only'} "
                f"{share(n_differ[0], self.n_units)} {units} differ, and with fewer "
                f"than {least} {cannot}."
            )
        elif kind.counts_signs and n_pairs > 1 and (n_differ < least).any():
            remarks.append(
                f"Fewer than {least} {units} differ in "
                f"{count(np.count_nonzero(n_differ < least), 'pair')}: {cannot} there."
            )
        elif is_few.any() and n_pairs == 1 and n_differ[0] == 0:
            remarks.append(
                f"No interval: both systems score the same on all {self.n_units} "
                f"{units}."
            )
        elif is_few.any():
            where = f" in {count(np.count_nonzero(is_few), 'pair')}" * (n_pairs > 1)
            remarks.append(
                f"No interval{where}: too few {units} differ to rule out losses on "
                "others."
            )
        if self.is_constant.any():
            remarks.append(self._about_constant())
        if (self.is_concentrated & self.is_significant).any():
            remarks.append(about_concentrated(self.n_units, units))
        remarks += [*about_strata(self.n_in_stratum, self.unit), *self.limitations]
        return remarks

    def _about_constant(self):
        places = np.flatnonzero(self.is_constant)
        differences = f"differences are {self.estimate[places[0]]:+{self._form}}"
        if len(self.system) > 1:
            differences = f"differences of {count(len(places), 'pair')} are equal"
        return (
            f"No interval: all {self.n_units} {differences}, so the data cannot show "
            "how much they vary."
        )

    def _details(self):
        return [*self._method(), *self._remarks()[2:]]

    def _method(self):
        """Return how p-values were computed, and of what."""
        units, kind = PLURAL[self.unit], _KINDS[self.test]
        total = self.n_units + self.n_undefined
        details = [f"{kind.label[0].upper()}{kind.label[1:]}{self._how()}."]
        if self.n_draws:
            details.append(about_draws(self.n_draws, self._alpha))
        if self.n_undefined:
            details.append(
                f"{self.n_undefined} of {total} {units} are undefined for all systems "
                "and left out."
            )
        if self.unit == "row" and self.test != "swap":
            details.append(
                "Means are over all rows, unlike those of evaluate, which are means of "
                "its splits."
            )
        return details

    def _table(self):
        columns = self._first_pairs(_MOST_PAIRS)
        notes = [*self._notes(), *self._note_left_out(_MOST_PAIRS)]
        return make_table(
            columns, self._title(), notes, self._marks(), details=self._details()
        )

    def _exported(self):
        return _columns_of_papers(self._first_pairs(_MOST_PAIRS), self._alone)

    def _first_pairs(self, most, form=None):
        """Return the columns of so many pairs, in the order of the means."""
        both = zip(self.system, self.versus, strict=True)
        places = [sorted(map(self._place, pair)) for pair in both]
        rows = sorted(range(len(places)), key=places.__getitem__)[:most]
        return [column.take(rows) for column in self._columns(form)]

    def _note_left_out(self, most):
        """Return a note if there are more pairs than are shown."""
        if len(self.system) <= most:
            return []
        return [
            f"{most} of {len(self.system)} pairs, in the order of the means; "
            "to_frame() has all."
        ]


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonResults(Drawable, Several[ComparisonResult]):
    """Comparisons of the same systems by several measures or slices, as one table.

    A read-only mapping: ``results["map"]`` is the :class:`ComparisonResult` by that
    measure. p-values are adjusted for all comparisons by one measure, including all
    slices (`by=` of `compare`), but not for several measures.

    Attributes
    ----------
    comparisons : dict of str to ComparisonResult
        By measure or slice.
    by : {"measure", "slice"}
        Which of the two.
    """

    comparisons: dict[Any, ComparisonResult]
    by: str = "measure"

    @property
    def _is_pair(self):
        """Whether two systems are compared."""
        first, *_ = self.values()
        return len(first.system) == 1

    @property
    def _counts(self):
        """How many units of each result were compared, in words."""
        return [result._count() for result in self.values()]

    def _columns_shown(self):
        """Return the columns of tables: the counts, and the means of two systems."""
        results, counts = list(self.values()), self._counts
        most = max(_MOST_PAIRS // len(self), 5)
        forms = [result._form for result in results]
        if self.by == "slice":  # of one measure
            forms = [max(forms)] * len(forms)
        parts = [
            result._first_pairs(most, form)
            for result, form in zip(results, forms, strict=True)
        ]
        keys, *columns = self._join(parts)
        row = np.repeat(np.arange(len(self)), [len(part[0].values) for part in parts])
        if self.by == "measure":
            names = [name_measure(r.metric, r.greater_is_better) for r in results]
            keys = keys._replace(as_shown=[names[i] for i in row])
        units, heading = {PLURAL[result.unit] for result in results}, "on"
        if len(units) == 1:
            (heading,) = units
            counts = [text.removesuffix(f" {heading}") for text in counts]
        cells = [counts[i] for i in row]
        is_shown = len({*counts}) > 1
        shown = [keys, Column(None, cells, heading=heading, align=">", shown=is_shown)]
        if not self._is_pair:
            versus = next(iter(self.values()))._alone
            return [
                column._replace(
                    shown=column.shown and (column.name != "versus" or versus is None)
                )
                for column in (*shown, *columns)
            ]
        for name in reversed(results[0].mean):
            cells = [Number(results[i].mean[name], forms[i]) for i in row]
            shown.append(
                Column(None, cells, heading=Name(name), as_shown=cells, align=">")
            )
        hidden = ("system", "versus", ("wins", "ties", "losses"))
        return [
            *shown,
            *(
                column._replace(shown=column.shown and column.name not in hidden)
                for column in columns
            ),
        ]

    def _caption(self):
        first, *_ = self.values()
        subject = count(len(self), self.by)
        if self.by == "slice":
            metric = name_measure(first.metric, first.greater_is_better)
            subject = f"{metric} in {subject}"
        if len({*self._counts}) == 1:
            subject += f" on {self._counts[0]}"
        if self._is_pair:
            subject += f": {first.system[0]} versus {first.versus[0]}"
        if first.margin is not None:
            subject += f"; differences up to {first.margin:g} do not matter"
        return subject

    def _title(self):
        if self._is_pair:
            return [self._caption()]
        title = self._caption()
        if next(iter(self.values())).margin is None:
            is_shown = [result.is_significant for result in self.values()]
            n_shown, n = np.count_nonzero(is_shown), np.size(is_shown)
            alone = next(iter(self.values()))._alone
            what = "pairs differ" if alone is None else f"differ from {alone}"
            title += f": {n_shown} of {n} {what}"
        means = ([f"{key}: ", *result._means()] for key, result in self.items())
        return [title, *means]

    def _how(self):
        """Return the tests, and what their correction means."""
        first, *_ = self.values()
        tests = about_each({key: [_KINDS[r.test].label] for key, r in self.items()})
        tests = f"{'; '.join(tests)}; p {{}} {first._alpha:g}"
        if self.by == "measure":
            how = "; measures are tested separately" if len(self) > 1 else ""
            return tests, how if self._is_pair else f"{first._how()}{how}"
        them = "slices" if self._is_pair else "pairs and slices"
        name = CORRECTIONS[first.correction]
        if _KINDS[first.test].adjusts or first.correction in ("maxt", "bonferroni"):
            return tests, f"; p and intervals hold for all {them} at once"
        if first.correction is None:
            return tests, f"; neither p nor intervals are adjusted for {them}"
        how = f"; p is adjusted for all {them} ({name}), intervals are not"
        return tests, how

    def _marks(self):
        results = list(self.values())
        if not any(result._marks() for result in results):
            return {}
        tests, how = self._how()
        return {"*": f"different ({tests.format('≤')}){how}."}

    def _remarks(self):
        return about_each({key: result._remarks() for key, result in self.items()})

    def _notes(self):
        first, *_ = results = list(self.values())
        notes = []
        if first.margin is not None:
            meanings = (result._about_verdicts() for result in results)
            notes = [*dict.fromkeys(line for lines in meanings for line in lines)]
        elif not self._marks():
            tests, how = self._how()
            notes = [f"No difference shown ({tests.format('>')}){how}."]
        left_out = first._note_left_out(max(_MOST_PAIRS // len(self), 5))
        return [*notes, *self._remarks()[:2], *left_out]

    def _details(self):
        details = {key: result._method() for key, result in self.items()}
        return [*about_each(details), *self._remarks()[2:]]

    def _table(self):
        return make_table(
            self._columns_shown(),
            self._title(),
            self._notes(),
            self._marks(),
            details=self._details(),
        )

    def _exported(self):
        first, *_ = self.values()
        columns = self._columns_shown()
        if self._is_pair:
            is_mean = (isinstance(column.heading, Name) for column in columns)
            return [
                column._replace(shown=column.shown and not is_hidden)
                for column, is_hidden in zip(columns, is_mean, strict=True)
            ]
        return _columns_of_papers(columns, first._alone)


def _columns_of_papers(columns, alone):
    """Return the columns of a paper, in which a single `versus` is in a heading."""
    exported = []
    for column in columns:
        if column.name == ("wins", "ties", "losses"):
            column = column._replace(shown=False)
        if alone is not None and column.name == "versus":
            column = column._replace(shown=False)
        if alone is not None and column.name == "estimate":
            column = column._replace(heading=f"difference to {alone}")
        exported.append(column)
    return exported


class _Options(TypedDict, total=False):
    """Arguments of `compare` that do not decide the type of its result."""

    baseline: str | None
    test: str
    correction: Literal["maxt", "bonferroni", "holm", "fdr_bh", "none"] | None
    groups: Any
    strata: Any
    margin: float | None
    bound: float | None
    greater_is_better: bool | None
    confidence_level: float
    n_resamples: int | None
    random_state: RandomState
    y_true: ArrayLike | None
    pos_label: Any


@overload
def compare(
    results: Mapping[str, Any] | Sequence[Any],
    *,
    metric: str | Measure,
    by: None = None,
    **options: Unpack[_Options],
) -> ComparisonResult: ...
@overload
def compare(
    results: Mapping[str, Any] | Sequence[Any],
    *,
    metric: list[Any] | tuple[Any, ...],
    by: PerQuery = None,
    **options: Unpack[_Options],
) -> ComparisonResults: ...
@overload
def compare(
    results: Mapping[str, Any] | Sequence[Any],
    *,
    metric: Any = None,
    by: Mapping[Any, Any] | Ids,
    **options: Unpack[_Options],
) -> ComparisonResults: ...
@overload  # results of one measure, or of several
def compare(
    results: Mapping[str, Any] | Sequence[Any],
    *,
    metric: None = None,
    by: None = None,
    **options: Unpack[_Options],
) -> ComparisonResult | Any: ...
def compare(
    results: Mapping[str, Any] | Sequence[Any],
    *,
    baseline: str | Sequence[str] | None = None,
    test: str = "auto",
    correction: Literal["maxt", "bonferroni", "holm", "fdr_bh", "none"] | None = "maxt",
    metric: Any = None,
    groups: Any = None,
    strata: Any = None,
    by: Any = None,
    margin: float | None = None,
    bound: float | None = None,
    greater_is_better: bool | None = None,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    random_state: RandomState = None,
    y_true: ArrayLike | None = None,
    pos_label: Any = None,
) -> ComparisonResult | ComparisonResults:
    """Compare systems on the same queries: differences, intervals, tests.

    An interval excludes 0 (for "sign", 1/2) if and only if its p-value is at most 1 -
    `confidence_level`.

    Parameters
    ----------
    results : dict of str to system, or list of systems
        Two or more, each an
        :class:`~sklearn_irmetrics.model_selection.EvaluationResult`, a
        :class:`~sklearn_irmetrics.reports.QueryScores`, a pandas Series with query ids
        in its index, or an array of scores per query, in the same order for all.
        Results of `evaluate` must come from the same method and splits; means of
        `QueryScores` must be plain, not weighted, geometric or micro. A query tested in
        several splits counts with its mean score, or, for the .632 methods, with its
        corrected score. Queries that `evaluate` kept together (`groups=`) are one unit.
    baseline : str, list of str or None, default=None
        Name of the system to compare all others with, or names of several, which are
        then not compared with each other. None: all pairs.
    test : str, default="auto"
        "auto"
            "permutation" where results have a value for each query or row; otherwise
            "swap" for a single test set and for leave-one-out, and "corrected_ttest"
            over splits. The first line of the table names the test.
        "permutation"
            Random signs of the differences (Fisher's randomisation test).
        "ttest"
            Paired t.
        "wilcoxon"
            Signed ranks; queries without a difference are left out. The interval is
            that of the pseudo-median of the others.
        "sign"
            Wins and losses only; queries without a difference are left out. The
            interval is that of the share of wins.
        "bootstrap"
            Resampled queries, differences shifted to mean 0, t statistics.
        "tukey"
            Randomised Tukey HSD: all systems at once, with p-values that are adjusted
            whatever `correction` is.
        "corrected_ttest"
            Over splits rather than queries, corrected for shared training data
            (Nadeau & Bengio); needs results of `evaluate` on the same splits.
        "anytime"
            Valid however often you look while queries come in: betting on bounded
            differences (Waudby-Smith & Ramdas). The interval is 1.5 to 1.9 times as
            wide as that of t, and more if differences vary by less than 0.15. Needs a
            measure with a range, or `bound`.
        "swap"
            Studentised swap: exchanges the predictions of two models in random rows (or
            groups), and compares t, for those measures that `y_true` lists of classes
            and scores. It is about these trained models. If they share training rows,
            as in folds and leave-one-out, it rejects equal models in up to 0.09 at a
            level of 0.05, and equal training procedures in up to 0.11; for training
            again, use "corrected_ttest" over folds. Holm's correction replaces "maxt".

        Results of `evaluate` without queries by means over rows (accuracy, log loss,
        Brier score, squared and absolute errors, costs) have a value for every row;
        tests over queries are then over rows, and about these trained models:
        "corrected_ttest" is about training again. "sign" of accuracies has the p-value
        of McNemar's exact test.
    correction : {"maxt", "bonferroni", "holm", "fdr_bh", "none"}, default="maxt"
        Adjusts p-values for the number of comparisons by one measure.

        "maxt"
            Step-down max-T of Westfall and Young: each t is compared with the largest
            one among all pairs that differ no more clearly, for resampled queries with
            differences shifted to mean 0. Intervals hold for all pairs at once. For
            "wilcoxon", "sign" and "corrected_ttest", "holm" is used instead.
        "bonferroni"
            p-values times the number of pairs; intervals hold for all pairs at once.
        "holm", "fdr_bh"
            Stepwise p-values; the intervals are those of each pair alone, and agree
            with the unadjusted p-values. Benjamini-Hochberg bounds the share of false
            discoveries, all others the probability of any.
        "none" (or None)
            p-values and intervals of each pair alone: with many pairs, some differ by
            chance.
    metric : str, Measure, list of them or None, default=None
        The measure or measures, each with its own family of comparisons. None: all
        measures, which must be the same for all systems.
    groups : array-like of shape (n_queries,), mapping or None, default=None
        The group of each query, such as the topic of its variants or the document that
        its question was made from: in the order of the first system, or by query id.
        Tests and intervals are then over groups, because queries of a group are not
        independent. None: the groups of queries in results of `evaluate`, if they have
        any. With "swap" and for results of rows, one value per row of `y_true`, or of
        X, in its order and whatever its index: such results do not hold the groups that
        `evaluate` kept together.
    strata : array-like of shape (n_queries,), mapping or None, default=None
        The stratum of each query, such as the data set it is from, in the form of
        `groups`. The means of the strata are then averaged, with the stratified error,
        which excludes differences between strata. Each stratum needs two units, and no
        group may be in two. Not for "wilcoxon", "sign", "anytime" and tests over
        splits.
    by : array-like of shape (n_queries,), mapping or None, default=None
        The slice of each query, such as a country or type of question, in the form of
        `groups`. Systems are compared in each slice, corrected for all slices: "maxt"
        and "tukey" within slices and Bonferroni's across them, "holm" and "fdr_bh" for
        all pairs in all slices together.
    margin : float or None, default=None
        The largest difference that does not matter, in the units of the measure.
        One-sided limits at `confidence_level` then show whether the systems are
        "equivalent" (both limits inside ± margin), the first is "not worse" (above
        -margin; non-inferior), or "worse" by more than the margin; otherwise
        "undecided". They are Dirichlet limits of the differences and one more of the
        largest possible size, so losses on rare queries are not ruled out too early:
        even without any difference, "not worse" takes about ``3 * bound / margin``
        queries (`n_decisive`). "anytime" and "corrected_ttest" use their own limits.
        Several comparisons share the error unless `correction` is "none" or "fdr_bh".
    bound : float or None, default=None
        The largest possible difference on one query, to which intervals are cut; a
        larger one raises an error. None: by the range of the measure. "anytime" and
        `margin` need it, and decide earlier if it is small.
    greater_is_better : bool or None, default=None
        Whether the larger score wins a query. None: as for the measure; True for
        arrays.
    confidence_level : float, default=0.95
        Of the intervals.
    n_resamples : int or None, default=None
        Number of random draws of "permutation", "bootstrap", "tukey" and "maxt". With
        few queries, all signs are used instead, so the permutation test is exact. None:
        9999, or more if needed for a Monte Carlo error of a tenth of the largest
        significant p-value, up to 200,000, and 20 million for all pairs together.
    random_state : int, Generator or None, default=None
        Seed of the draws.
    y_true : array-like of shape (n_rows,) or None, default=None
        Targets; `results` are then the predictions of each system for these rows, and
        `metric` is one of "accuracy", "balanced_accuracy", "f1", "precision", "recall",
        "jaccard" (also with "_macro", "_micro" and "_weighted"), "matthews_corrcoef",
        "cohen_kappa" (of predicted classes), "roc_auc", "average_precision" (of
        scores), "neg_log_loss", "neg_brier_score" (of probabilities),
        "neg_mean_squared_error" and "neg_mean_absolute_error", or a list of them; or
        "set_f1", "set_p", "set_recall", "set_accuracy" or "ap" of this package. Means
        over rows are tested over rows, like queries (accuracy also by "swap"); others
        by "swap" only.
    pos_label : object, default=None
        The positive class of `y_true`, for measures that have one and do not name it,
        and for scores or probabilities of one class. None: 1 for "f1", "precision",
        "recall" and "jaccard", the larger of two numbers for others; words need it.
        Results of `evaluate` have their own (``evaluate(pos_label=)``).

    Returns
    -------
    ComparisonResult or ComparisonResults
        With `to_frame()`, `to_csv()`, `to_latex()`, `to_markdown()` and `to_html()`.
        ``print`` shows the adjusted p-values and, with a margin, its limits and
        verdicts; `notes` say how they were computed. For a list of measures, if results
        have several and `metric` is None, or with `by`, a ComparisonResults: one table,
        and one ComparisonResult per measure or slice.

    Raises
    ------
    TypeError, ValueError
        If systems differ in measures, queries, splits, scales or methods (the message
        names them), or an argument breaks the rules above.

    Notes
    -----
    p-values are never 0: with random draws they are ``(count + 1) / (n_resamples +
    1)``. Differences that are all equal, but not 0, have the p-value of their signs,
    ``2 ** (1 - n)``, or the smallest that the draws allow; "anytime" and, for more than
    13 differences, "wilcoxon" treat them like all others.

    An interval is cut to the differences that the range of the measure allows. If no
    p-value can be small enough, it holds all of them (it is infinite if no range is
    known): five queries have only 16 combinations of signs, so p is at least 1/16. So
    does the interval of a difference that is not significant if fewer than six queries
    differ (at 95 %), however many there are, because losses on other, rare queries are
    not ruled out; "sign" and "anytime", whose intervals hold anyway, are excepted, and
    over splits it does so only if none differs. With "swap" of predicted classes
    without groups, such an interval ends at the differences that so few rows can make.

    An adjusted p-value of "maxt" is never below that of the pair alone, and its
    interval contains that of the pair alone; a single pair is not adjusted.

    Groups and weights of queries: signs are drawn for whole groups; t, bootstrap and
    Tukey's test use the sum of each, and the intervals of t, bootstrap and "maxt" are
    Fieller's for the ratio of sums and weights; Wilcoxon's and the sign test use the
    mean of each group, without weights.

    Strata: each difference is the mean of the stratum means plus the distance of the
    unit from the mean of its stratum, scaled so that the plain standard error is the
    stratified one. The t-test has Satterthwaite's degrees of freedom. Bootstrap and
    max-T draw the units of each stratum from that stratum, and compare the stratified
    t. The permutation and bootstrap tests reject only if the t-test rejects too,
    because signs and draws do not reflect how few units a stratum has. If a stratum has
    fewer than ten units, the table warns of it. If all units of each stratum have the
    same difference, the stratified error is unknown, and that of the weighted
    differences is used.

    References
    ----------
    B. Carterette, "Multiple testing in statistical analysis of systems-based
    information retrieval experiments", TOIS 30 (2012).

    M. Smucker, J. Allan, B. Carterette, "A comparison of statistical significance
    tests for information retrieval evaluation", CIKM 2007.

    C. Nadeau and Y. Bengio, "Inference for the Generalization Error", Machine Learning
    52 (2003).

    P. H. Westfall and S. S. Young, "Resampling-Based Multiple Testing", Wiley, 1993.

    I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by
    betting", JRSS B 86 (2024).

    Q. McNemar, "Note on the sampling error of the difference between correlated
    proportions or percentages", Psychometrika 12 (1947).

    D. J. Schuirmann, "A comparison of the two one-sided tests procedure and the power
    approach for assessing the equivalence of average bioavailability", Journal of
    Pharmacokinetics and Biopharmaceutics 15 (1987).

    E. Learned-Miller and P. Thomas, "A new confidence interval for the mean of a
    bounded random variable", arXiv:1905.06208 (2019).

    Examples
    --------
    >>> from sklearn_irmetrics import compare
    >>> old, new = [.2, .4, .1, .5, .3, .4], [.3, .6, .2, .5, .5, .8]
    >>> result = compare({"old": old, "new": new}, test="permutation")
    >>> round(float(result.estimate[0]), 3), float(result.p_value[0])
    (0.167, 0.0625)
    """
    systems = named_systems(results)
    baselines = _check_baselines(baseline, systems)
    _check_options(test, correction, greater_is_better)
    confidence_level = check_level(confidence_level)
    if n_resamples is not None:
        n_resamples = check_count("n_resamples", n_resamples)
    if margin is not None:
        margin = check_margin(margin, confidence_level)
    if bound is not None:
        bound = check_positive("bound", bound)
    if y_true is None and pos_label is not None:
        raise ValueError(
            "pos_label must be None without y_true: pass it to evaluate, or to the "
            f"metric that scored the results; got {pos_label!r:.80}."
        )
    if y_true is not None:
        groups, strata, by = values_by_position(
            systems, y_true, groups=groups, strata=strata, by=by
        )
    metrics, is_list = the_metrics(systems, metric)
    if is_list and by is not None:
        raise ValueError(f"by needs one measure: metric= must name one of {metrics}.")
    columns = pair_columns(list(systems), baselines)
    by_name = {}
    for name in metrics:
        compared, chosen = systems, test
        if y_true is None:
            refuse_labels(systems, name)
        else:
            measure, targets, compared = read_predictions(
                systems, y_true, name, pos_label
            )
            chosen = test_of_predictions(measure, test)
            if chosen != "swap":
                compared = rows_of_predictions(compared, targets, measure)
        chosen = choose_test(compared, name, chosen)
        if chosen == "swap":
            refused = {"strata": strata, "by": by, "margin": margin, "bound": bound}
            for option, value in refused.items():
                if value is not None:
                    raise ValueError(
                        f"{option} must be None with test='swap', which compares one "
                        f"score of all rows; got {value!r:.80}."
                    )
            if greater_is_better not in (None, True):
                raise ValueError(
                    "greater_is_better must be None with test='swap', all of whose "
                    "measures are better if larger; got False."
                )
            options = {
                "groups": groups,
                "n_resamples": n_resamples,
                "rng": check_generator(random_state),
            }
            if y_true is None:
                paired = pair_results(compared, name, columns, **options)
            else:
                paired = pair_predictions(
                    compared, targets, measure, columns, **options
                )
            by_name[name] = _summarise_swap(
                paired,
                list(systems),
                metric=name,
                correction=correction,
                confidence_level=confidence_level,
            )
            continue
        slices = align_slices(
            compared, name, chosen, groups=groups, strata=strata, by=by
        )
        if y_true is not None:
            slices = {
                key: replace(scores, unit=scores.unit.replace("query", "row"))
                for key, scores in slices.items()
            }
        tested = test_slices(
            compared,
            name,
            slices,
            columns,
            test=chosen,
            correction=correction,
            alpha=error_rate(confidence_level),
            bound=bound,
            n_resamples=n_resamples,
            random_state=random_state,
        )
        for key, pairs in tested.items():
            by_name[name if by is None else key] = _summarise(
                pairs,
                metric=name or "score",
                greater_is_better=greater_is_better_of(
                    compared, name, requested=greater_is_better
                ),
                margin=margin,
                confidence_level=confidence_level,
            )
    if by is not None:
        return ComparisonResults(by_name, by="slice")
    return ComparisonResults(by_name) if is_list else by_name[metrics[0]]


def _summarise(tested, *, metric, greater_is_better, margin, confidence_level):
    """Return the result of tested pairs by one measure."""
    names, pairs, kind = tested.scores.names, tested.pairs, TESTS[tested.test]
    sign = 1 if greater_is_better else -1
    center, ends = tested.corrected.center, tested.ends
    bounds = pairs.bounds
    if kind.interval_of == "share of wins":
        bounds = None
        if sign < 0:
            center, ends = 1 - center, 1 - ends[:, ::-1]
    limits = verdict = n_decisive = None
    if margin is not None:
        limits, verdict, n_decisive = tested.decide(margin, sign)
    return ComparisonResult(
        mean=dict(zip(names, tested.means.tolist(), strict=True)),
        system=tuple(names[i] for i, _ in pairs.pairs),
        versus=tuple(names[i] for _, i in pairs.pairs),
        estimate=pairs.mean,
        standard_error=standard_error(pairs),
        confidence_interval=cut_intervals(ends, bounds),
        p_value=tested.p_value,
        p_adjusted=tested.corrected.p_value,
        effect_size=effect_size(pairs),
        detectable_effect=detectable_effect(pairs, tested.alpha / tested.n_sharing),
        is_constant=tested.is_constant,
        is_concentrated=tested.is_concentrated,
        wins=(sign * pairs.differences > 0).sum(axis=0),
        ties=(pairs.differences == 0).sum(axis=0),
        losses=(sign * pairs.differences < 0).sum(axis=0),
        metric=metric,
        test=tested.test,
        correction=tested.correction,
        greater_is_better=greater_is_better,
        confidence_level=confidence_level,
        unit=tested.scores.unit,
        n_units=tested.n_units,
        n_undefined=tested.n_undefined,
        center=center,
        margin=margin,
        margin_interval=limits,
        n_decisive=n_decisive,
        verdict=verdict,
        n_draws=tested.n_draws,
        n_in_stratum=tested.n_in_stratum,
    )


def _summarise_swap(paired, names, *, metric, correction, confidence_level):
    """Return the result of a swap of predictions."""
    test, pairs, n_pairs = SwapTest(paired), paired.pairs, len(paired.pairs)
    made = correction_of(SwapTest, correction, n_pairs)
    share = n_pairs if made == "bonferroni" else 1
    corrected = Corrected(test, correct(test.p_value, made), share)
    values = paired.values
    wins, ties, losses = np.transpose([paired.outcomes(*pair) for pair in pairs])
    unknown = np.full(n_pairs, np.nan)
    ends = corrected.interval(error_rate(confidence_level)).tolist()
    return ComparisonResult(
        mean=dict(zip(names, values.tolist(), strict=True)),
        system=tuple(names[i] for i, _ in pairs),
        versus=tuple(names[i] for _, i in pairs),
        estimate=np.array([values[i] - values[j] for i, j in pairs]),
        standard_error=np.array([draws.error[0] for draws in test.drawn]),
        confidence_interval=tuple(ConfidenceInterval(*both) for both in ends),
        p_value=test.p_value,
        p_adjusted=corrected.p_value,
        effect_size=unknown,
        detectable_effect=unknown,
        is_constant=np.zeros(n_pairs, dtype=bool),
        is_concentrated=np.zeros(n_pairs, dtype=bool),
        wins=wins,
        ties=ties,
        losses=losses,
        metric=metric,
        test="swap",
        correction=made,
        greater_is_better=True,
        confidence_level=confidence_level,
        unit="row" if paired.groups is None else "group",
        n_units=paired.n_units,
        n_undefined=0,
        n_draws=paired.n_resamples,
        limitations=paired.limitations(names),
    )


def _check_baselines(baseline, systems):
    """Return the names of the systems to compare all others with, or None."""
    if baseline is None:
        return None
    names = [*baseline] if isinstance(baseline, list | tuple) else [baseline]
    for name in names:
        check_baseline(name, systems)
    if None in names or not 0 < len({*names}) == len(names) < len(systems):
        raise ValueError(
            f"baseline must be one of {[*systems]}, or a list of some of them, each "
            f"once; got {baseline!r:.80}."
        )
    return names


def _check_options(test, correction, greater_is_better):
    check_option("test", test, ("auto", *_KINDS))
    if correction is not None:
        check_option("correction", correction, [c or "none" for c in CORRECTIONS])
    if greater_is_better is not None:
        check_flag("greater_is_better", greater_is_better)
