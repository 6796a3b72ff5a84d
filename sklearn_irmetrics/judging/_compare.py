"""Differences between systems from few labels by people and many of a judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from sklearn_irmetrics._core.parameters import check_confidence_level, check_option
from sklearn_irmetrics._measures.measure import Measure
from sklearn_irmetrics._measures.tabular import Tabular
from sklearn_irmetrics._tables import PLURAL, Interval, Number, Table
from sklearn_irmetrics._typing import ArrayLike, Ids
from sklearn_irmetrics.judging._design import make_design
from sklearn_irmetrics.judging._estimate import (
    JudgedEstimate,
    adjust,
    columns_of,
    notes_on,
)
from sklearn_irmetrics.judging._inputs import (
    bounds_of,
    check_measures,
)


@dataclass(frozen=True, eq=False, repr=False)
class JudgedComparison(Tabular):
    """Differences between systems by people and a judge; see `compare_judged`.

    Attributes
    ----------
    differences : dict of (str, str) to JudgedEstimate
        First system minus second, by their names. `bias` is how much the judge adds to
        the difference, and p-values are adjusted.
    metric : str
        The measure.
    n_labelled, n_units : int
        How many queries (groups, documents) people labelled, and how many there are.
    unit : {"query", "group", "document"}
        What was labelled.
    confidence_level : float
        Of the intervals, which are for all pairs at once with ``"bonferroni"``.
    correction : str
        How p-values and intervals are adjusted for the number of pairs.
    greater_is_better : bool
        Whether larger values of the measure are better.
    """

    differences: dict[tuple[str, str], JudgedEstimate]
    metric: str
    n_labelled: int
    n_units: int
    unit: str
    confidence_level: float
    correction: str
    greater_is_better: bool

    def _table(self):
        units = PLURAL.get(self.unit, f"{self.unit}s")
        title = [
            f"{self.metric}: {self.n_labelled} of {self.n_units} {units} labelled by "
            "people, all by the judge"
        ]
        level = f"{100 * self.confidence_level:g} % interval"
        header = ["system", "versus", "difference", level, "p", "judge", "favours by"]
        header += ["p of that", f"worth ({units})"]
        rows = [
            (
                *names,
                Number(one.estimate, "+.4f"),
                Interval(*one.interval, "+.4f"),
                Number(one.p_value, ".2g"),
                Number(one.judge, "+.4f"),
                Number(one.bias, "+.4f"),
                Number(one.bias_p_value, ".2g"),
                Number(one.worth, ".0f"),
            )
            for names, one in self.differences.items()
        ]
        return Table(title, header, rows, "<<" + ">" * 7, [*self._notes(units)])

    def _notes(self, units):
        yield from notes_on(
            {" - ".join(names): one for names, one in self.differences.items()}, units
        )
        for (first, second), one in self.differences.items():
            if one.bias_p_value <= 1 - self.confidence_level:
                if (one.bias > 0) != self.greater_is_better:
                    first, second = second, first
                yield f"The judge alone favours {first} over {second}."

    def _data(self):
        systems, versus = zip(*self.differences, strict=True)
        return [
            ("system", systems),
            ("versus", versus),
            *columns_of(self.differences.values()),
        ]


def compare_judged(
    y_true: ArrayLike,
    y_judge: ArrayLike,
    y_scores: Mapping[str, ArrayLike],
    metric: str | Measure,
    *,
    qid: Ids | None = None,
    inclusion: ArrayLike | None = None,
    baseline: str | None = None,
    correction: Literal["bonferroni", "none"] = "bonferroni",
    sample_weight: ArrayLike | None = None,
    groups: Ids | None = None,
    confidence_level: float = 0.95,
    replace_undefined_by: float = 0.0,
) -> JudgedComparison:
    """Compare systems by a judge's grades, corrected by what people labelled.

    Differences are corrected as differences, because a judge that is fair to one system
    need not be to another: language models favour rankers like themselves. As for
    `score_judged`, what people labelled must be a random sample.

    Parameters
    ----------
    y_true, y_judge : array-like
        As for `score_judged`.
    y_scores : dict of str to array-like of the shape of `y_true`
        Scores of two systems or more, by name.
    metric : str or Measure
        One measure, such as ``"ndcg@10"``.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input.
    inclusion : array-like of the shape of `y_true`, default=None
        With what probability each document was to be labelled, for all systems at once;
        see `score_judged`. None: whole queries were labelled.
    baseline : str or None, default=None
        Name of the system to compare all others with. None: all pairs.
    correction : {"bonferroni", "none"}, default="bonferroni"
        Whether p-values and intervals are for all pairs at once.
    sample_weight, groups, confidence_level, replace_undefined_by
        As for `score_judged`.

    Returns
    -------
    JudgedComparison
        With `differences`, a `JudgedEstimate` by pair. Its `p_value` is at most 1 -
        `confidence_level` exactly where its interval leaves out 0. Its `bias` is the
        interaction of system and judge: by how much the judge favours the first system,
        with `bias_interval` and `bias_p_value`.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_irmetrics.judging import compare_judged
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 4, size=(200, 20))  # nobody has seen most of it
    >>> y_scores = {
    ...     name: truth + rng.normal(scale=noise, size=truth.shape)
    ...     for name, noise in [("new", 2.0), ("old", 2.5)]
    ... }
    >>> y_judge = np.clip(truth + (y_scores["new"] > 4), 0, 3)  # it likes the new one
    >>> y_true = np.where(np.arange(200)[:, None] < 40, truth, np.nan)
    >>> result = compare_judged(y_true, y_judge, y_scores, "ndcg@10")
    >>> one = result.differences["new", "old"]
    >>> round(one.judge, 3), round(one.estimate, 3)
    (0.079, 0.022)
    """
    level = check_confidence_level(confidence_level)
    check_option("correction", correction, ("bonferroni", "none"))
    if not hasattr(y_scores, "items") or len(y_scores) < 2:
        raise ValueError("y_scores must be a dict of two systems or more.")
    if baseline is not None and baseline not in y_scores:
        raise ValueError(f"baseline must be one of {[*y_scores]}; got {baseline!r}.")
    measures, replacement = check_measures([metric], replace_undefined_by)
    ((label, measure),) = measures.items()
    design = make_design(
        y_true,
        y_judge,
        inclusion,
        replacement,
        qid=qid,
        sample_weight=sample_weight,
        groups=groups,
    )
    parts = {
        name: design.parts(y_score, measures)[label]
        for name, y_score in y_scores.items()
    }
    pairs = [*combinations(parts, 2)]
    if baseline is not None:
        pairs = [(name, baseline) for name in parts if name != baseline]
    n = len(pairs) if correction == "bonferroni" else 1
    low, high = bounds_of(measure, replacement)
    differences = {
        (first, second): adjust(
            design.estimate(
                parts[first] - parts[second],
                measure,
                (low - high, high - low),
                1 - (1 - level) / n,
            ),
            n,
        )
        for first, second in pairs
    }
    return JudgedComparison(
        differences,
        label,
        design.n_labelled,
        design.n_units,
        design.unit,
        level,
        correction,
        measure.metric.greater_is_better,
    )
