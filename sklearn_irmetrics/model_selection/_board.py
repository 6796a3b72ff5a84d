"""The results of `leaderboard`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from string import ascii_letters
from typing import Any

import numpy as np
from scipy.stats import rankdata

from sklearn_irmetrics._measures.tabular import Tabular
from sklearn_irmetrics._statistics.boards import groups_alike, rank_intervals
from sklearn_irmetrics._statistics.intervals import ConfidenceInterval
from sklearn_irmetrics._statistics.significance import CORRECTIONS
from sklearn_irmetrics._tables import (
    PLURAL,
    Interval,
    Number,
    Table,
    about_each,
    count,
    mark_best,
)
from sklearn_irmetrics.model_selection._comparison import (
    about_concentrated,
    join_columns,
)
from sklearn_irmetrics.model_selection._drawable import Several

_MAY_BE_FIRST, _ABOVE_BASELINE = "=", "†"


class _Drawable(Tabular):
    """A board, or several."""

    def plot(self, **kwargs: Any) -> Any:
        """Draw means and ranks with their intervals, or pairs; needs matplotlib.

        Parameters
        ----------
        **kwargs
            Passed to :meth:`sklearn_irmetrics.plot.LeaderboardDisplay.from_result`:
            ``kind="pairs"`` draws who is shown to be better than whom, and `metric`
            chooses a measure where there are several.

        Returns
        -------
        sklearn_irmetrics.plot.LeaderboardDisplay
        """
        from sklearn_irmetrics.plot import LeaderboardDisplay

        return LeaderboardDisplay.from_result(self, **kwargs)


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(_Drawable):
    """Systems from the best to the worst, with intervals of their ranks.

    `leaderboard` returns it; ``print`` shows its table.

    Attributes
    ----------
    system : tuple of str
        The systems, the best mean first.
    mean : ndarray of shape (n_systems,)
        Mean score; with several data sets, the mean of their means.
    confidence_interval : tuple of ConfidenceInterval
        Interval of each mean, for that system alone.
    p_adjusted : ndarray of shape (n_systems, n_systems)
        p-value of each pair, adjusted for all pairs; 1 on the diagonal.
    metric, correction : str, str or None
        The measure, and the correction of the tests, None with two systems.
    greater_is_better : bool
        Whether larger means are better.
    confidence_level : float
        Of the intervals, and of the ranks of all systems together.
    unit, n_units, n_undefined : str, int, int
        The units of the tests, their number, and the number of queries (or groups) left
        out because they are undefined for all systems.
    n_draws : int
        Number of random draws behind the p-values; 0 if they are exact.
    n_concentrated : int
        With "maxt" and fewer than 50 units: the number of pairs for which a tenth of
        the units causes four fifths of the spread, so rare losses may be missed.
    baseline : str or None
        The system with which all others are compared.
    over : {"queries", "datasets"}
        Whether the results hold for new queries or for new data sets.
    dataset_mean : dict of str to ndarray of shape (n_systems,), or None
        Mean scores by data set, if there are several.
    dropped : tuple of str
        Systems that were left out because they are missing from a data set.
    """

    system: tuple[str, ...]
    mean: np.ndarray
    confidence_interval: tuple[ConfidenceInterval, ...]
    p_adjusted: np.ndarray
    metric: str
    correction: str | None
    greater_is_better: bool
    confidence_level: float
    unit: str
    n_units: int
    n_undefined: int
    n_draws: int
    n_concentrated: int = 0
    baseline: str | None = None
    over: str = "queries"
    dataset_mean: dict[Any, np.ndarray] | None = None
    dropped: tuple[str, ...] = ()

    @cached_property
    def better(self) -> np.ndarray:
        """Whether the system of the row is shown to be better than the column's."""
        # Drop the last bits of the difference, which could make p = 0.05 exceed it.
        is_shown = self.p_adjusted <= round(1 - self.confidence_level, 12)
        return is_shown & np.triu(np.ones_like(is_shown), 1)

    @property
    def rank_interval(self) -> np.ndarray:
        """First and last rank of each system, for all at once: (n_systems, 2)."""
        return rank_intervals(self.better)

    @property
    def best(self) -> tuple[str, ...]:
        """The systems that may be first: none is shown to be better."""
        first = self.rank_interval[:, 0] == 1
        return tuple(self.system[i] for i in np.flatnonzero(first))

    @property
    def letters(self) -> tuple[str, ...]:
        """Letters that two systems share exactly if neither is shown to be better.

        Empty if that takes more than 52 letters.
        """
        groups = groups_alike(self.better)
        letters = [""] * len(self.system)
        if len(groups) <= len(ascii_letters):
            for letter, group in zip(ascii_letters, groups, strict=False):
                for i in group:
                    letters[i] += letter
        return tuple(letters)

    @property
    def dataset_rank(self) -> dict[Any, np.ndarray]:
        """Ranks of the means by data set, if any; equal means have the same."""
        sign = -1 if self.greater_is_better else 1
        return {
            key: rankdata(sign * means, method="min").astype(int)
            for key, means in (self.dataset_mean or {}).items()
        }

    def _scores(self, may_be_first=""):
        """Return cells of the means, with marks of equal length."""
        above, beaten = "", [False] * len(self.system)
        if self.baseline is not None:
            above = _ABOVE_BASELINE
            beaten = self.better[:, self.system.index(self.baseline)]
        numbers = []
        for name, mean, is_above in zip(self.system, self.mean, beaten, strict=True):
            mark = may_be_first if name in self.best else ""
            mark += above if is_above else ""
            numbers.append(Number(mean, mark=mark.ljust(len(may_be_first + above))))
        return mark_best(numbers, self.greater_is_better)

    def _marks(self):
        if self.baseline is None:
            return {}
        return {_ABOVE_BASELINE: f"shown to be better than {self.baseline}"}

    def _how(self):
        """Return what the ranks are based on."""
        how = f"{100 * self.confidence_level:g} % for all ranks at once"
        if self.correction is not None:
            how += f", {CORRECTIONS[self.correction]} correction"
        return how + f", {self.n_draws} draws" * bool(self.n_draws)

    def _about(self):
        where = count(self.n_units, self.unit)
        if self.over == "queries" and self.dataset_mean is not None:
            return f"{where} of {count(len(self.dataset_mean), 'data set')}"
        return where

    def _remarks(self):
        if self.over == "datasets":
            yield "Intervals and ranks hold for new data sets, drawn as these were."
        elif self.dataset_mean is not None:
            yield "Intervals and ranks hold for new queries of these data sets."
        if self.n_undefined:
            unit = self.unit if self.over == "queries" else "query"
            yield f"{count(self.n_undefined, unit)} undefined, left out"
        if self.dropped:
            yield f"left out, missing from a data set: {', '.join(self.dropped)}"
        if self.n_concentrated:
            yield about_concentrated(self.n_concentrated, PLURAL[self.unit])

    def _table(self):
        ends = [Interval(*both) for both in self.confidence_interval]
        columns = [
            ("rank", ">", [_ranks(*both) for both in self.rank_interval.tolist()]),
            ("system", "<", list(map(str, self.system))),
            ("mean", ">", self._scores()),
            (f"{100 * self.confidence_level:g} % interval", ">", ends),
            ("alike", "<", list(self.letters)),
        ]
        for key, ranks in self.dataset_rank.items():
            columns.append((str(key), ">", ranks.tolist()))
        header, sides, cells = zip(*columns, strict=True)
        n_first, n = count(len(self.best), "system"), len(self.system)
        title = [
            f"{self.metric} on {self._about()}: {n_first} of {n} may be first",
            self._how(),
            *self._remarks(),
            "",
        ]
        notes = ["Systems that share a letter cannot be told apart."]
        if not any(self.letters):
            notes = ["More than 52 letters would be needed to say which are alike."]
        if self.dataset_mean is not None:
            notes.append("Columns of data sets hold the ranks there.")
        rows, marks = list(zip(*cells, strict=True)), self._marks()
        return Table(title, header, rows, "".join(sides), notes, marks, bool(marks))

    def _data(self):
        columns = [
            ("system", self.system),
            ("mean", self.mean.tolist()),
            ("low", [ends.low for ends in self.confidence_interval]),
            ("high", [ends.high for ends in self.confidence_interval]),
            ("rank_low", self.rank_interval[:, 0].tolist()),
            ("rank_high", self.rank_interval[:, 1].tolist()),
            ("letters", self.letters),
        ]
        for key, ranks in self.dataset_rank.items():
            columns.append((f"mean {key}", self.dataset_mean[key].tolist()))
            columns.append((f"rank {key}", ranks.tolist()))
        return columns


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboards(_Drawable, Several[Leaderboard]):
    """Leaderboards of the same systems by several measures, as one grid.

    A read-only mapping: ``boards["map"]`` is the :class:`Leaderboard` by that measure.
    Rows are in the order of the first measure. Tests are corrected for all pairs by one
    measure, not for the measures.

    Attributes
    ----------
    boards : dict of str to Leaderboard
        By measure.
    """

    boards: dict[str, Leaderboard]

    def _table(self):
        first, *_ = found = list(self.boards.values())
        columns = [list(map(str, first.system))]
        for board in found:
            cells = dict(zip(board.system, board._scores(_MAY_BE_FIRST), strict=True))
            columns.append([cells[name] for name in first.system])
        about = {name: [one._about(), *one._remarks()] for name, one in self.items()}
        title = [
            f"{count(len(found), 'measure')}: {first._how()}",
            *about_each(about),
            "",
        ]
        marks = {
            _MAY_BE_FIRST: "may be first: no system is shown to be better",
            **first._marks(),
        }
        rows, sides = list(zip(*columns, strict=True)), "<" + ">" * len(found)
        header = ("system", *self.boards)
        return Table(title, header, rows, sides, marks=marks, needs_marks=True)

    def _data(self):
        return join_columns("measure", self.boards)


def _ranks(low, high):
    return str(low) if low == high else f"{low}–{high}"
