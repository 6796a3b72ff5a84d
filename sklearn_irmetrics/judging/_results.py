"""Tables of estimates from labels by people and a judge."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from sklearn_irmetrics._measures.tabular import Tabular
from sklearn_irmetrics._tables import PLURAL, Interval, Number, Table
from sklearn_irmetrics.judging._estimates import JudgedEstimate

# Labels that a random sample would give so seldom are remarked on.
_DOUBTFUL = 0.01
# With fewer documents labelled, intervals hold the truth in less than 94 % of samples.
_FEW = 50


@dataclass(frozen=True, eq=False, repr=False)
class JudgedScores(Tabular):
    """Measures of one system; `score_judged` returns it.

    Attributes
    ----------
    scores : dict of str to JudgedEstimate
        By measure.
    n_labelled, n_units : int
        Number of queries (groups, documents) that people labelled, and of all.
    unit : {"query", "group", "document"}
        What was labelled.
    confidence_level : float
        Of the intervals.
    """

    scores: dict[Any, JudgedEstimate]
    n_labelled: int
    n_units: int
    unit: str
    confidence_level: float

    _form = ".4f"

    @property
    def _units(self):
        return PLURAL.get(self.unit, f"{self.unit}s")

    def _keys(self):
        """Return the columns that name the rows."""
        return [("measure", [*self.scores])]

    def _title(self):
        return (
            f"{self.n_labelled} of {self.n_units} {self._units} labelled by people, "
            "all by the judge"
        )

    def _columns(self):
        """Return the columns of numbers: their names and cells."""
        form, all_of_them = self._form, self.scores.values()
        level = f"{100 * self.confidence_level:g} % interval"
        return [
            ("estimate", [Number(one.estimate, form) for one in all_of_them]),
            (level, [Interval(*one.interval, form) for one in all_of_them]),
            ("judge", [Number(one.judge, form) for one in all_of_them]),
            ("its bias", [Number(one.bias, "+.4f") for one in all_of_them]),
            (level, [Interval(*one.bias_interval, "+.4f") for one in all_of_them]),
            ("trust", [Number(one.trust, ".2f") for one in all_of_them]),
            ("worth", [Number(one.worth, ".0f") for one in all_of_them]),
        ]

    def _notes(self):
        units = self._units
        yield f"Worth: {units} labelled by people alone that are as informative."
        named = {" - ".join([*np.atleast_1d(n)]): one for n, one in self.scores.items()}
        if self.unit == "document" and self.n_labelled < _FEW:
            yield f"With fewer than {_FEW} documents, intervals are too narrow."
        if biased := [name for name, one in named.items() if np.isnan(one.p_value)]:
            yield (
                f"Biased, however many documents are labelled: {', '.join(biased)}, "
                "from people's labels if there are any, else the judge's. Label whole "
                "queries."
            )
        if useless := [name for name, one in named.items() if one.trust == 0]:
            yield f"The judge does not help with {', '.join(useless)}: ignored."
        p, name = min(
            (np.nan_to_num(one.random_p_value, nan=1.0), name)
            for name, one in named.items()
        )
        if p < _DOUBTFUL:
            yield (
                "The labels do not look like a random sample: by the judge, what was "
                f"labelled differs from the rest in {name} (p = {p:.2g}). The "
                "estimates may then be quite wrong."
            )

    def _table(self):
        keys, numbers = self._keys(), self._columns()
        header, cells = zip(*keys, *numbers, strict=True)
        sides = "<" * len(keys) + ">" * len(numbers)
        rows = [*zip(*cells, strict=True)]
        return Table([self._title()], header, rows, sides, [*self._notes()])

    def _data(self):
        columns = self._keys()
        for one in fields(JudgedEstimate):
            values = [getattr(estimate, one.name) for estimate in self.scores.values()]
            if one.name.endswith("interval"):
                prefix = one.name.removesuffix("interval")
                ends = zip(*values, strict=True)
                columns += zip([f"{prefix}low", f"{prefix}high"], ends, strict=True)
            else:
                columns.append((one.name, values))
        return columns


@dataclass(frozen=True, eq=False, repr=False)
class JudgedComparison(JudgedScores):
    """Differences between systems; `compare_judged` returns it.

    Attributes
    ----------
    scores : dict of (str, str) to JudgedEstimate
        First system minus second, by their names. `bias` is how much the judge adds to
        the difference. p-values are adjusted.
    n_labelled, n_units, unit, confidence_level
        As of `JudgedScores`; intervals are for all pairs at once with
        ``correction="bonferroni"``.
    metric : str
        The measure.
    correction : str
        How p-values and intervals are adjusted for the number of pairs.
    greater_is_better : bool
        Whether larger values of the measure are better.
    """

    metric: str
    correction: str
    greater_is_better: bool

    _form = "+.4f"

    def _keys(self):
        first, second = zip(*self.scores, strict=True)
        return [("system", first), ("versus", second)]

    def _title(self):
        return f"{self.metric}: {super()._title()}"

    def _columns(self):
        columns, all_of_them = super()._columns(), self.scores.values()
        p = [Number(one.p_value, ".2g") for one in all_of_them]
        of_bias = [Number(one.bias_p_value, ".2g") for one in all_of_them]
        return [
            *columns[:2],
            ("p", p),
            *columns[2:4],
            ("p of bias", of_bias),
            columns[-1],
        ]

    def _notes(self):
        yield from super()._notes()
        for (first, second), one in self.scores.items():
            if one.bias_p_value <= 1 - self.confidence_level:
                if (one.bias > 0) != self.greater_is_better:
                    first, second = second, first
                yield f"The judge alone favours {first} over {second}."
