"""The results of `score_judged` and `compare_judged`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_irmetrics._results.sentences import capitalise, join_names
from sklearn_irmetrics._results.tables import (
    PLURAL,
    Column,
    Interval,
    Number,
    decimals,
    format_p,
    interval_column,
    name_measure,
)
from sklearn_irmetrics._results.tabular import Tabular
from sklearn_irmetrics._statistics.intervals import ConfidenceInterval
from sklearn_irmetrics._statistics.pairs import error_rate

if TYPE_CHECKING:
    from sklearn_irmetrics.plot import EvaluationDisplay

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
            f"people labelled {self.n_labelled} of {self.n_units} {self._units}, the "
            "judge all"
        )

    def _about_labels(self, effective_labels):
        """Yield sentences about what the columns hold and what the judge saves."""
        yield f"{self._heading}: as if people had labelled all {self._units}."
        known = np.asarray(effective_labels)[np.isfinite(effective_labels)]
        if len(known):
            low, high = (f"{end:.0f}" for end in (known.min(), known.max()))
            number = low if low == high else f"{low} to {high}"
            interval = "an interval" if len(known) == 1 else "intervals"
            yield (
                f"Without the judge, {number} labelled {self._units} would give as "
                f"narrow {interval}."
            )

    def _precision(self, name, weight, n):
        """Return the sentence about the weight of the judge and what it is worth."""
        judge = "" if np.isnan(weight) else f"the judge has the weight {weight:.2f}; "
        return f"{name}: {judge}as precise as {n:.0f} {self._units} by people alone."

    def _doubts(self, metric, random_p_values):
        """Yield warnings about the labels, whose tests have p-values by name."""
        units = self._units
        if self.unit == "document" and self.n_labelled < _FEW:
            yield (
                f"With fewer than {_FEW} labelled documents, intervals are too narrow: "
                "label more."
            )
        p, name = min(
            (np.nan_to_num(p, nan=1.0), name) for name, p in random_p_values.items()
        )
        if p < _DOUBTFUL:
            yield (
                f"The labelled {units} do not look like a random sample "
                f"(p {_with_sign(p)}): by the judge's grades, their {metric or name} "
                "differs from that of the others. The estimates may be wrong."
            )

    def plot(self, **kwargs: Any) -> EvaluationDisplay:
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

    def _display(self) -> EvaluationDisplay:
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

    _heading = "mean"

    @property
    def _is_biased(self):
        """Whether the interval of the bias excludes 0, by measure."""
        intervals = self.bias_interval.items()
        return {name: low > 0 or high < 0 for name, (low, high) in intervals}

    def _columns(self):
        names, errors = [*self.estimate], self.standard_error
        forms = {name: f".{decimals(errors[name])}f" for name in names}
        intervals, biased = self.confidence_interval, self._is_biased
        return [
            Column("measure", names, in_index=True),
            Column(
                "estimate",
                [*self.estimate.values()],
                heading=self._heading,
                as_shown=[Number(self.estimate[name], forms[name]) for name in names],
                align=">",
            ),
            Column("standard_error", [*errors.values()], shown=False),
            interval_column([*intervals.values()], self.confidence_level)._replace(
                as_shown=[Interval(*intervals[name], forms[name]) for name in names]
            ),
            Column(
                "judge",
                [*self.judge.values()],
                heading="judge alone",
                as_shown=[Number(self.judge[name], forms[name]) for name in names],
                align=">",
            ),
            Column(
                "bias",
                [*self.bias.values()],
                as_shown=[
                    Number(
                        self.bias[name],
                        f"+{forms[name]}",
                        mark="*" if biased[name] else "",
                    )
                    for name in names
                ],
                align=">",
            ),
            Column(
                ("bias_low", "bias_high"), [*self.bias_interval.values()], shown=False
            ),
            Column("judge_weight", [*self.judge_weight.values()], shown=False),
            Column("effective_labels", [*self.effective_labels.values()], shown=False),
            Column("random_p_value", [*self.random_p_value.values()], shown=False),
        ]

    def _title(self):
        return [capitalise(self._labelled)]

    def _notes(self):
        yield from self._about_labels([*self.effective_labels.values()])
        yield from self._doubts("", self.random_p_value)
        ends = self.confidence_interval
        if biased := [name for name in self.estimate if np.isnan(ends[name]).all()]:
            yield about_biased(biased)
        weights = self.judge_weight.items()
        if useless := [name for name, weight in weights if weight == 0]:
            yield _about_useless(join_names(useless))

    def _marks(self):
        level = f"{100 * self.confidence_level:g} % interval"
        is_marked = any(self._is_biased.values())
        return {"*": f"the judge is biased ({level})"} if is_marked else {}

    def _details(self):
        for name, weight in self.judge_weight.items():
            n = self.effective_labels[name]
            if np.isfinite(n):
                yield self._precision(name, weight, n)

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

    _heading = "difference"

    def _columns(self):
        form = f"+.{decimals(self.standard_error)}f"
        alpha = error_rate(self.confidence_level)
        ends = self.confidence_interval
        return [
            Column("system", self.system),
            Column("versus", self.versus),
            Column(
                "estimate",
                self.estimate.tolist(),
                heading=self._heading,
                as_shown=_marked(self.estimate, self.p_value <= alpha, form),
                align=">",
            ),
            Column("standard_error", self.standard_error.tolist(), shown=False),
            interval_column(ends, self.confidence_level, form=form[1:]),
            Column(
                "p_value", self.p_value.tolist(), partial(format_p, alpha=alpha), "p"
            ),
            Column("judge", self.judge.tolist(), form, heading="judge alone"),
            Column(
                "bias",
                self.bias.tolist(),
                as_shown=_marked(self.bias, self.bias_p_value <= alpha, form),
                align=">",
            ),
            Column(("bias_low", "bias_high"), self.bias_interval, shown=False),
            Column("bias_p_value", self.bias_p_value.tolist(), shown=False),
            Column("judge_weight", self.judge_weight.tolist(), shown=False),
            Column("effective_labels", self.effective_labels.tolist(), shown=False),
            Column("random_p_value", self.random_p_value.tolist(), shown=False),
        ]

    def _title(self):
        return [
            f"{name_measure(self.metric, self.greater_is_better)}: {self._labelled}"
        ]

    def _marks(self):
        alpha = error_rate(self.confidence_level)
        if not (np.append(self.p_value, self.bias_p_value) <= alpha).any():
            return {}
        return {"*": f"not 0 (p ≤ {alpha:g})"}

    def _notes(self):
        pairs = self._pairs
        yield from self._about_labels(self.effective_labels)
        yield from self._doubts(
            self.metric, dict(zip(pairs, self.random_p_value, strict=True))
        )
        if np.isnan(self.p_value).any():
            yield about_biased([self.metric])
        if useless := [pairs[i] for i in np.flatnonzero(self.judge_weight == 0)]:
            yield _about_useless(join_names(useless))
        for i in np.flatnonzero(self.bias_p_value <= 1 - self.confidence_level):
            favoured, other = self.system[i], self.versus[i]
            if (self.bias[i] > 0) != self.greater_is_better:
                favoured, other = other, favoured
            yield f"The judge alone favours {favoured} over {other}."

    def _details(self):
        if len(self.system) > 1 and self.correction == "bonferroni":
            yield "Intervals and p-values hold for all pairs at once (Bonferroni)."
        rows = zip(self._pairs, self.judge_weight, self.effective_labels, strict=True)
        for pair, weight, n in rows:
            if np.isfinite(n):
                yield self._precision(pair, weight, n)

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


def _marked(values, is_significant, form):
    """Return cells of numbers with a mark where they are significant."""
    return [
        Number(value, form, mark="*" if is_marked else "")
        for value, is_marked in zip(values.tolist(), is_significant, strict=True)
    ]


def _with_sign(p_value):
    text = format_p(p_value)
    return text if text.startswith("<") else f"= {text}"


def _about_useless(names):
    """Say that a judge does not help."""
    return f"The judge is no help for {names}: people's labels alone are used."


def about_biased(names):
    """Warn of measures that sampled documents do not estimate."""
    return (
        f"{join_names(names)} cannot be estimated from single documents, however many "
        "you label. Label whole queries."
    )
