"""The results of `compare`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import nctdtrinc

from sklearn_irmetrics._statistics.intervals import ConfidenceInterval
from sklearn_irmetrics._statistics.planning import fewest_signs
from sklearn_irmetrics._statistics.significance import CORRECTIONS, MEAN, TESTS
from sklearn_irmetrics._tables import PLURAL, Interval, Number, Table, count, mark_best
from sklearn_irmetrics.model_selection._drawable import Drawable, Several

_NUMBERS = ("p_value", "p_adjusted", "effect_size")
_COUNTS = ("detectable_effect", "wins", "ties", "losses")
# The largest number of pairs in a table, and of means in a title.
_MOST_PAIRS, _MOST_MEANS = 40, 12


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
    difference : ndarray of shape (n_comparisons,)
        Mean of `system` minus mean of `versus`.
    confidence_interval : tuple of ConfidenceInterval
        Interval of each difference, or of `center`. With test="tukey" and the
        corrections "maxt" and "bonferroni", they hold for all pairs at once.
    p_value : ndarray of shape (n_comparisons,)
        Two-sided.
    p_adjusted : ndarray of shape (n_comparisons,)
        Adjusted for the number of comparisons.
    effect_size : ndarray of shape (n_comparisons,)
        Difference divided by the standard deviation of differences.
    detectable_effect : ndarray of shape (n_comparisons,)
        The smallest difference that a paired t-test detects with a power of 80 %, given
        this number of queries (groups, rows, splits), this spread of differences and
        the level of the correction (Bonferroni's for "maxt", "holm" and "tukey"). NaN
        if no query differs, for "5x2cv", and for more than 500 comparisons.
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
    n_concentrated : int
        With "maxt" and fewer than 50 queries: the number of comparisons in which a
        tenth of the queries causes four fifths of the spread, so rare losses may be
        missed.
    n_draws : int
        Number of random draws behind the p-values; 0 if they are exact.
    verdict : tuple of str or None
        "equivalent", "not worse", "worse" or "undecided", by `margin_interval`.
    """

    mean: dict[str, float]
    system: tuple[str, ...]
    versus: tuple[str, ...]
    difference: np.ndarray
    confidence_interval: tuple[ConfidenceInterval, ...]
    p_value: np.ndarray
    p_adjusted: np.ndarray
    effect_size: np.ndarray
    detectable_effect: np.ndarray
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
    n_concentrated: int = 0
    n_draws: int = 0

    @property
    def interval_of(self) -> str:
        """What the intervals estimate, in words."""
        return TESTS[self.test].interval_of

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
    def _alpha(self):
        # Without the last bits of the difference, which would let p = 0.05 be above it.
        return round(1 - self.confidence_level, 12)

    def _how(self):
        how = TESTS[self.test].label
        if TESTS[self.test].adjusts:
            how += ", adjusted for all pairs"
        elif self.correction is not None or len(self.system) > 1:
            how += f", {CORRECTIONS[self.correction]} correction"
            how += " of p alone, not of intervals" * (
                self.correction in ("holm", "fdr_bh")
            )
        if not self.n_draws:
            return how
        error = np.sqrt(self._alpha * (1 - self._alpha) / self.n_draws)
        return f"{how}, {self.n_draws} draws (p of {self._alpha:g} ± {error:.2g})"

    def _about(self):
        return f"{self.metric} on {self.n_units} {PLURAL[self.unit]}"

    def _remarks(self):
        units = PLURAL[self.unit]
        if self.n_undefined:
            yield f"{count(self.n_undefined, self.unit)} undefined, left out"
        level = self._alpha
        n = len(self.system) if self.correction == "bonferroni" else 1
        least = fewest_signs(level / n)
        differ = self.wins + self.losses if TESTS[self.test].counts_signs else least
        if np.any(differ < least):
            yield f"p cannot reach {level:g} where fewer than {least} {units} differ"
        if self.n_concentrated:
            yield about_concentrated(self.n_concentrated, units)
        if self.n_decisive is not None and self.n_units < self.n_decisive:
            yield (
                'where nothing differs, "not worse" takes at least '
                f"{self.n_decisive} {units}"
            )

    def _means(self):
        numbers = mark_best(
            list(map(Number, self.mean.values())), self.greater_is_better
        )
        named, rest = list(zip(self.mean, numbers, strict=True)), []
        if len(named) > _MOST_MEANS:
            named.sort(key=lambda one: self._place(one[0]))
            rest = [f" and {len(named) - _MOST_MEANS} more"]
        means = []
        for name, number in named[:_MOST_MEANS]:
            means += [", " if means else "means: ", f"{name} ", number]
        return means + rest

    def _place(self, name):
        """Return a mean, negated if smaller ones are better."""
        return -self.mean[name] if self.greater_is_better else self.mean[name]

    def _rows(self, most):
        """Return rows in the order of the means, and a note if some are left out."""
        both = zip(self.system, self.versus, strict=True)
        places = [sorted(map(self._place, pair)) for pair in both]
        order = sorted(range(len(places)), key=places.__getitem__)[:most]
        columns = [[cells[i] for i in order] for *_, cells in self._columns()]
        note = f"{most} of {len(places)} pairs, in the order of the means; to_frame() "
        notes = [note + "has all."] if len(places) > most else []
        return list(zip(*columns, strict=True)), notes

    def _columns(self):
        """Return the name, the alignment and the cells of each column."""
        dagger = ["†" if p <= self._alpha else "" for p in self.p_adjusted]
        differences = zip(self.difference, dagger, strict=True)
        outcomes = zip(self.wins, self.ties, self.losses, strict=True)
        columns = [
            ("system", "<", self.system),
            ("versus", "<", self.versus),
            ("difference", ">", [Number(d, "+.4f", mark=m) for d, m in differences]),
        ]
        if self.interval_of != MEAN:
            columns.append((self.interval_of, ">", list(map(Number, self.center))))
        columns += [
            (
                f"{100 * self.confidence_level:g} % interval",
                ">",
                [Interval(*ends) for ends in self.confidence_interval],
            ),
            ("p", ">", list(map(_p_text, self.p_value))),
            ("adjusted p", ">", list(map(_p_text, self.p_adjusted))),
            ("effect size", ">", [Number(size, "+.2f") for size in self.effect_size]),
            ("detectable", ">", list(map(Number, self.detectable_effect))),
            ("win/tie/loss", ">", ["/".join(map(str, counts)) for counts in outcomes]),
        ]
        if self.verdict is not None:
            columns.append((f"margin {self.margin:g}", "<", self.verdict))
        return columns

    def _marks(self):
        is_marked = (self.p_adjusted <= self._alpha).any()
        return {"†": f"adjusted p ≤ {self._alpha:g}"} if is_marked else {}

    def _table(self):
        title = [f"{self._about()}: {self._how()}", *self._remarks(), self._means()]
        header, sides, _ = zip(*self._columns(), strict=True)
        rows, notes = self._rows(_MOST_PAIRS)
        return Table(title, header, rows, "".join(sides), notes, self._marks())

    def _data(self):
        columns = [
            ("system", self.system),
            ("versus", self.versus),
            ("mean", [self.mean[name] for name in self.system]),
            ("mean_versus", [self.mean[name] for name in self.versus]),
            ("difference", self.difference.tolist()),
            *_ends("", self.confidence_interval),
            *((name, getattr(self, name).tolist()) for name in _NUMBERS),
            *_ends("effect_", self.effect_size_interval),
            *((name, getattr(self, name).tolist()) for name in _COUNTS),
        ]
        if self.interval_of != MEAN:
            name = self.interval_of.replace("-", "_").replace(" ", "_")
            columns.insert(5, (name, self.center.tolist()))
        if self.verdict is not None:
            columns += [
                *_ends("margin_", self.margin_interval),
                ("verdict", self.verdict),
            ]
        return columns


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

    def _table(self):
        first, *_ = found = list(self.comparisons.values())
        how = max(found, key=lambda one: one.n_draws)._how()
        title = [f"{count(len(found), self.by)}: {how}"]
        together = first.correction == "maxt" or TESTS[first.test].adjusts
        title[0] += "; Bonferroni's across slices" * (together and self.by == "slice")
        for key, one in self.comparisons.items():
            of_slice = f"{key}: " * (self.by == "slice")
            title.append([f"{of_slice}{one._about()}: ", *one._means()[1:]])
            title += [f"  {remark}" for remark in one._remarks()]
        header, sides, _ = zip(*first._columns(), strict=True)
        marks = {sign: text for one in found for sign, text in one._marks().items()}
        most, rows = max(_MOST_PAIRS // len(found), 5), []
        for key, one in self.comparisons.items():
            own, notes = one._rows(most)
            rows += [(str(key), *row) for row in own]
        header, sides = (self.by, *header), "<" + "".join(sides)
        return Table(title, header, rows, sides, notes, marks)

    def _data(self):
        return join_columns(self.by, self.comparisons)


def about_concentrated(n_differences, units):
    """Warn of results that few units decide."""
    return (
        f"a tenth of the {units} makes most of the spread of "
        f"{count(n_differences, 'difference')}, where max-T finds too much with fewer "
        f"than 50 {units}"
    )


def join_columns(by, results):
    """Return the columns of several results, one below the other, by name."""
    names = [name for name, one in results.items() for _ in one.system]
    columns = [(by, names)]
    for parts in zip(*(one._data() for one in results.values()), strict=True):
        values = [value for _, column in parts for value in column]
        columns.append((parts[0][0], values))
    return columns


def _ends(prefix, intervals):
    return [
        (f"{prefix}low", [ends.low for ends in intervals]),
        (f"{prefix}high", [ends.high for ends in intervals]),
    ]


def _p_text(p_value):
    if p_value < 1e-16:
        return "<1e-16"
    return f"{p_value:.4f}" if p_value >= 1e-4 else f"{p_value:.1e}"
