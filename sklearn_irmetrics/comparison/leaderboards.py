"""`leaderboard`: many systems ranked, with intervals of their ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from string import ascii_letters
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

import numpy as np
from scipy.stats import rankdata

from sklearn_irmetrics._checks import (
    check_count,
    check_flag,
    check_option,
)
from sklearn_irmetrics._results.tables import (
    MAY_BE_BEST,
    PLURAL,
    Column,
    Name,
    Number,
    about_each,
    columns_of_table,
    count,
    decimals,
    interval_column,
    make_table,
    mark_best,
    name_measure,
    share,
)
from sklearn_irmetrics._results.tabular import Several, Tabular
from sklearn_irmetrics._statistics.draws import check_generator
from sklearn_irmetrics._statistics.intervals import (
    ConfidenceInterval,
    interval_of_mean,
    interval_of_strata,
)
from sklearn_irmetrics._statistics.paired_tests import (
    CORRECTIONS,
    correct,
    correction_of,
    groups_alike,
    rank_intervals,
)
from sklearn_irmetrics._statistics.pairs import error_rate
from sklearn_irmetrics._statistics.swaps import SwapTest
from sklearn_irmetrics._typing import RandomState
from sklearn_irmetrics.comparison._alignment import (
    align_datasets,
    choose_test,
    group_by_dataset,
)
from sklearn_irmetrics.comparison._predictions import pair_results
from sklearn_irmetrics.comparison._systems import (
    check_baseline,
    greater_is_better_of,
    score_bounds,
    the_metrics,
)
from sklearn_irmetrics.comparison._tested_pairs import (
    about_concentrated,
    about_draws,
    about_strata,
    check_level,
    pair_columns,
    test_slices,
)
from sklearn_irmetrics.metrics._measure import Measure

if TYPE_CHECKING:
    from sklearn_irmetrics.plot import LeaderboardDisplay

_ABOVE_BASELINE = "*"  # the mark of a mean
_MOST_NAMED = 5  # systems that may be the best
_TEST = "ttest"  # of each pair alone


class _Drawable(Tabular):
    """A board, or several."""

    def plot(self, **kwargs: Any) -> LeaderboardDisplay:
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
    estimate : ndarray of shape (n_systems,)
        Mean score; with several data sets, the mean of their means.
    standard_error : ndarray of shape (n_systems,)
        Of each mean.
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
        With tests of means of queries: the number of pairs in which a tenth of the
        queries causes four fifths of the variation. If losses are rare, p-values are
        then too small, however many queries there are. Pairs whose nonzero differences
        all have one size, as with 0/1 measures, are not counted.
    n_constant : int
        Number of pairs whose differences are all equal, and whose interval excludes 0
        although no variation was seen.
    baseline : str or None
        The system with which all others are compared.
    over : {"queries", "datasets"}
        Whether the results hold for new queries or for new data sets.
    dataset_mean : dict of str to ndarray of shape (n_systems,), or None
        Mean scores by data set, if there are several.
    dropped : tuple of str
        Systems that were left out because they are missing from a data set.
    n_in_stratum : int or None
        Number of units in the smallest stratum or data set; None without strata.
    """

    system: tuple[str, ...]
    estimate: np.ndarray
    standard_error: np.ndarray
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
    n_constant: int = 0
    baseline: str | None = None
    over: str = "queries"
    dataset_mean: dict[Any, np.ndarray] | None = None
    dropped: tuple[str, ...] = ()
    n_in_stratum: int | None = None

    @cached_property
    def better(self) -> np.ndarray:
        """Whether the system of the row is shown to be better than the column's."""
        is_shown = self.p_adjusted <= error_rate(self.confidence_level)
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

    @property
    def _form(self):
        """The format of means."""
        return f".{decimals(self.standard_error)}f"

    def _scores(self, may_be_best=""):
        """Return the cells of the means."""
        beaten = [False] * len(self.system)
        if self.baseline is not None:
            beaten = self.better[:, self.system.index(self.baseline)]
        numbers = [Number(mean, self._form) for mean in self.estimate]
        numbers = mark_best(numbers, self.greater_is_better)
        marked = []
        for name, number, is_above in zip(self.system, numbers, beaten, strict=True):
            mark = may_be_best if name in self.best and not number.best else ""
            mark += _ABOVE_BASELINE if is_above else ""
            marked.append(number._replace(mark=mark))
        return marked

    def _marks(self):
        if self.baseline is None:
            return {}
        return {_ABOVE_BASELINE: f"shown to be better than {self.baseline}"}

    def _about(self):
        """Return the units, in words."""
        n_all = self.n_units + (self.n_undefined if self.over == "queries" else 0)
        about = f"{share(self.n_units, n_all)} {PLURAL[self.unit]}"
        if self.over == "queries" and self.dataset_mean is not None:
            about += f" of {count(len(self.dataset_mean), 'data set')}"
        return about

    def _scope(self):
        """Yield what results are about, with several data sets."""
        if self.over == "datasets":
            yield (
                "Intervals and ranks are about other data sets of the same kind, not "
                f"only these {self.n_units}."
            )
        elif self.dataset_mean is not None:
            yield "Intervals and ranks are about new queries of these data sets."
        if self.dropped:
            dropped = ", ".join(map(str, self.dropped))
            yield f"Left out, because a data set lacks them: {dropped}."

    def _remarks(self):
        """Yield what readers may not expect of these data, the gravest first."""
        if self.n_constant:
            n_pairs = len(self.system) * (len(self.system) - 1) // 2
            where = f" of {count(self.n_constant, 'pair')}" if n_pairs > 1 else ""
            yield (
                f"All {self.n_units} differences{where} are equal, so the data cannot "
                "show how much they vary."
            )
        yield from about_strata(self.n_in_stratum, self.unit)
        if self.n_concentrated and self.better.any():
            yield about_concentrated(self.n_units, PLURAL[self.unit])

    def _details(self):
        level, alpha = 100 * self.confidence_level, error_rate(self.confidence_level)
        details = [
            f"All possible ranks hold together with {level:g} % confidence; each "
            "interval of a mean is for its system alone."
        ]
        if self.correction is not None:
            name = CORRECTIONS[self.correction]
            details.append(f"p-values are adjusted for all pairs ({name}).")
        if self.n_draws:
            details.append(about_draws(self.n_draws, alpha))
        if self.n_undefined:
            unit = "query" if self.over == "datasets" else self.unit
            details.append(
                f"{count(self.n_undefined, unit)} left out, because they are undefined "
                "for all systems."
            )
        return [*details, *list(self._remarks())[2:]]

    def _columns(self):
        ranks, n = self.rank_interval.tolist(), len(self.system)
        columns = [
            Column("measure", [self.metric] * n, shown=False),
            Column(None, range(1, n + 1), str, heading="#"),
            Column("system", self.system),
            Column(
                "estimate",
                self.estimate,
                heading="mean",
                as_shown=self._scores(),
                align=">",
            ),
            Column("standard_error", self.standard_error, ".4f", shown=False),
            interval_column(
                self.confidence_interval, self.confidence_level, form=self._form
            ),
            Column(
                ("rank_low", "rank_high"),
                ranks,
                lambda low, high: str(low) if low == high else f"{low} to {high}",
                heading="possible ranks",
                align="<",
            ),
            Column("letters", self.letters, heading="group", shown=any(self.letters)),
        ]
        for key, ranks in self.dataset_rank.items():
            means = self.dataset_mean[key]
            columns += [
                Column(
                    f"mean {key}", means, self._form, heading=f"mean {key}", shown=False
                ),
                Column(f"rank {key}", ranks, "d", heading=Name(key)),
            ]
        return [
            *columns,
            Column("unit", [self.unit] * n, shown=False),
            Column("n_units", [self.n_units] * n, shown=False),
            Column("correction", [self.correction] * n, shown=False),
        ]

    def _title(self):
        metric = name_measure(self.metric, self.greater_is_better)
        return [f"{metric} on {self._about()}, {count(len(self.system), 'system')}"]

    def _notes(self):
        *others, last = self.best
        best = f"be {', '.join(others)} or {last}" if others else last
        if len(self.best) > _MOST_NAMED:
            best = f"be any of {len(self.best)} systems"
        alike = " Systems with a common letter are not shown to differ."
        if not any(self.letters):
            alike = " Groups would need more than 52 letters."
        level = f"{100 * self.confidence_level:g} %"
        notes = [
            f"The best {'may ' if others else 'is '}{best}.{alike}",
            f"All possible ranks hold together with {level} confidence.",
            *self._scope(),
            *list(self._remarks())[:2],
        ]
        if self.dataset_mean is not None:
            names = ", ".join(map(str, self.dataset_mean))
            notes.append(f"{names}: rank on that data set.")
        return notes

    def _footnotes(self):
        notes = self._notes()
        return notes if self.dataset_mean is None else notes[:-1]

    def _exported(self):
        return [
            column._replace(
                shown=column.shown
                and column.heading != "#"
                and not str(column.name).startswith("rank ")
            )
            for column in self._columns()
        ]


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

    by = "measure"

    def _table(self):
        """Return a grid of the means, systems by measures."""
        first, *_ = boards = list(self.boards.values())
        columns = [Column("system", first.system)]
        for metric, board in self.boards.items():
            cells = dict(zip(board.system, board._scores(MAY_BE_BEST), strict=True))
            columns.append(
                Column(
                    metric,
                    [cells[name] for name in first.system],
                    heading=Name(name_measure(metric, board.greater_is_better)),
                    as_shown=[cells[name] for name in first.system],
                    align=">",
                )
            )
        may_be_best = any(
            MAY_BE_BEST in cell.mark for column in columns[1:] for cell in column.values
        )
        measures = count(len(boards), "measure")
        systems = count(len(first.system), "system")
        scopes = {name: list(board._scope()) for name, board in self.items()}
        remarks = {name: list(board._remarks()) for name, board in self.items()}
        return make_table(
            columns,
            title=[
                f"{systems} by {measures}: means",
                *about_each({name: [board._about()] for name, board in self.items()}),
            ],
            notes=[*about_each(scopes), *about_each(remarks)[:2]],
            marks={
                **({MAY_BE_BEST: "may also be the best"} if may_be_best else {}),
                **first._marks(),
            },
            details=self._details(),
        )

    def _details(self):
        details = about_each({name: board._details() for name, board in self.items()})
        details.append("p-values are adjusted for all pairs, not for all measures.")
        return details

    def _exported(self):
        return columns_of_table(self._table())


class _Options(TypedDict, total=False):
    """Arguments of `leaderboard` that do not decide the type of its result."""

    over: Literal["queries", "datasets"]
    missing: Literal["raise", "drop-system"]
    baseline: str | None
    correction: Literal["maxt", "bonferroni", "holm"]
    groups: Any
    strata: Any
    greater_is_better: bool | None
    confidence_level: float
    n_resamples: int | None
    random_state: RandomState


@overload
def leaderboard(
    results: Mapping[Any, Any],
    *,
    metric: str | Measure,
    **options: Unpack[_Options],
) -> Leaderboard: ...
@overload
def leaderboard(
    results: Mapping[Any, Any],
    *,
    metric: list[Any] | tuple[Any, ...],
    **options: Unpack[_Options],
) -> Leaderboards: ...
@overload  # results of one measure, or of several
def leaderboard(
    results: Mapping[Any, Any],
    *,
    metric: None = None,
    **options: Unpack[_Options],
) -> Leaderboard | Any: ...
def leaderboard(
    results: Mapping[Any, Any],
    *,
    metric: Any = None,
    over: Literal["queries", "datasets"] = "queries",
    missing: Literal["raise", "drop-system"] = "raise",
    baseline: str | None = None,
    correction: Literal["maxt", "bonferroni", "holm"] = "maxt",
    groups: Any = None,
    strata: Any = None,
    greater_is_better: bool | None = None,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    random_state: RandomState = None,
) -> Leaderboard | Leaderboards:
    """Rank systems by their means, with intervals of their ranks.

    Use it with three systems or more; :func:`compare` tests single pairs. Each system
    has an interval of its mean and one of its rank. With a probability of
    `confidence_level`, the rank intervals of *all* systems contain their true ranks.

    Parameters
    ----------
    results : dict of str to system, or dict of dicts of them
        Two or more systems, as for :func:`compare`: `QueryScores` (such as
        ``score_run(qrels, {name: run, ...})``), results of `evaluate`, pandas Series,
        arrays of scores per query; or a pandas DataFrame with a column for each. For
        several data sets, ``{dataset: {system: ...}}``: systems are then ranked by the
        mean of the means of data sets.
    metric : str, Measure, list of them or None, default=None
        The measure or measures, each with its own board. None: all measures, which must
        be the same for all systems.
    over : {"queries", "datasets"}, default="queries"
        What intervals and ranks refer to, with several data sets. "queries": new
        queries of these data sets, which are strata. "datasets": new data sets, drawn
        as these were; the tests then compare means of data sets, and need many.
    missing : {"raise", "drop-system"}, default="raise"
        What to do if a system is missing from a data set: raise an error that lists
        what is missing, or leave the system out. It never counts as 0.
    baseline : str or None, default=None
        A system; those that are shown to be better than it get a mark.
    correction : {"maxt", "bonferroni", "holm"}, default="maxt"
        Correction of the tests of all pairs, as in :func:`compare`; over data sets,
        "holm" is used instead of "maxt". Others do not bound the probability of any
        error, so they give no intervals of ranks.
    groups : array-like of shape (n_queries,), mapping or None, default=None
        The group of each query; see :func:`compare`. With several data sets, a dict by
        query id for all of them.
    strata : array-like of shape (n_queries,), mapping or None, default=None
        The stratum of each query; see :func:`compare`. Several data sets are strata
        already.
    greater_is_better : bool or None, default=None
        Whether larger scores are better. None: as for the measure; True for arrays.
    confidence_level : float, default=0.95
        Of each interval of a mean, and of all ranks together.
    n_resamples : int or None, default=None
        Number of random draws. None: 9999 or more; see :func:`compare`.
    random_state : int, Generator or None, default=None
        Seed of the draws.

    Returns
    -------
    Leaderboard or Leaderboards
        With `best`, `rank_interval`, `letters`, `plot()`, `to_frame()`, `to_latex()`
        and others. For a list of measures, or if results have several and `metric` is
        None, a Leaderboards: a grid of systems and measures.

    Raises
    ------
    TypeError, ValueError
        If systems differ in measures or queries, a system is missing from a data set,
        or an argument breaks the rules above.

    See Also
    --------
    compare : The table of all pairs, other tests, margins.

    Notes
    -----
    The ranks of system j are ``1 + (number of systems shown to be better)`` to
    ``m - (number shown to be worse)`` of m (Mogstad et al.).
    Pairs are tested by step-down max-T, with queries drawn with replacement. The
    p-values are those of ``compare(results, test="ttest")`` with the same
    `random_state`, but at least ``2 ** (1 - d)`` if d queries differ, as a sign test
    allows; with fewer than six, no pair is significant at 95 %. Over data sets, t-tests
    with Holm's correction are used. They find more with few data sets, and assume that
    the differences between data sets are roughly normal. The interval of each mean is
    the usual one, see `QueryScores.interval`.

    Classifiers that `evaluate` scored on one test set by a measure without values of
    rows, such as F1, are tested by ``test="swap"`` of :func:`compare` with Holm's
    correction, and keep the intervals of their results.

    Unlike mean ranks, the mean of a system and its interval do not depend on the other
    systems. Rank intervals do, because more systems make more pairs.

    References
    ----------
    M. Mogstad, J. Romano, A. Shaikh and D. Wilhelm, "Inference for Ranks with
    Applications to Mobility across Neighbourhoods and Academic Achievement across
    Countries", The Review of Economic Studies 91 (2024).

    P. H. Westfall and S. S. Young, "Resampling-Based Multiple Testing", Wiley, 1993.

    H.-P. Piepho, "An Algorithm for a Letter-Based Representation of All-Pairwise
    Comparisons", Journal of Computational and Graphical Statistics 13 (2004).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_irmetrics.comparison import leaderboard
    >>> rng = np.random.default_rng(0)
    >>> scores = {name: rng.normal(mean, 0.1, 50)
    ...           for name, mean in [("a", 0.5), ("b", 0.51), ("c", 0.2)]}
    >>> board = leaderboard(scores, random_state=0)
    >>> board.system, board.best
    (('b', 'a', 'c'), ('b', 'a'))
    >>> board.rank_interval.tolist(), board.letters
    ([[1, 2], [1, 2], [3, 3]], ('a', 'a', 'b'))
    """
    datasets, dropped = group_by_dataset(results, missing)
    systems = next(iter(datasets.values()))
    _check_options(systems, over, baseline, correction, greater_is_better)
    level = check_level(confidence_level)
    if n_resamples is not None:
        n_resamples = check_count("n_resamples", n_resamples)
    every = {
        (key, name): system
        for key, own in datasets.items()
        for name, system in own.items()
    }
    metrics, is_list = the_metrics(systems if None in datasets else every, metric)
    if over == "datasets" and correction == "maxt":
        correction = "holm"
    boards = {}
    for name in metrics:
        if None in datasets and choose_test(systems, name, "auto") == "swap":
            if strata is not None or over == "datasets":
                raise ValueError(
                    "strata must be None, and over 'queries', for one score of the "
                    f"rows of one test set; {name} is compared by swapping predictions."
                )
            boards[name] = _rank_by_swap(
                systems,
                name,
                correction=correction,
                confidence_level=level,
                baseline=baseline,
                groups=groups,
                n_resamples=n_resamples,
                rng=check_generator(random_state),
            )
            continue
        scores, means_by_dataset, n_left_out = align_datasets(
            datasets, name, _TEST, over=over, groups=groups, strata=strata
        )
        tested = test_slices(
            systems,
            name,
            {None: scores},
            pair_columns(list(systems), None),
            test=_TEST,
            correction=correction,
            alpha=error_rate(level),
            n_resamples=n_resamples,
            random_state=random_state,
        )[None]
        boards[name] = _rank(
            tested,
            metric=name or "score",
            greater_is_better=greater_is_better_of(
                every, name, requested=greater_is_better
            ),
            errors_and_intervals=_errors_and_intervals(
                tested.pairs, score_bounds(every, name), level
            ),
            confidence_level=level,
            n_undefined=tested.n_undefined + n_left_out,
            baseline=baseline,
            over=over,
            means_by_dataset=means_by_dataset,
            dropped=dropped,
        )
    return Leaderboards(boards) if is_list else boards[metrics[0]]


def _check_options(systems, over, baseline, correction, greater_is_better):
    check_option("over", over, ("queries", "datasets"))
    check_option("correction", correction, ("maxt", "bonferroni", "holm"))
    check_baseline(baseline, systems)
    if greater_is_better is not None:
        check_flag("greater_is_better", greater_is_better)


def _rank(
    tested,
    *,
    metric,
    greater_is_better,
    errors_and_intervals,
    confidence_level,
    n_undefined,
    baseline,
    over,
    means_by_dataset,
    dropped,
):
    """Return the board of tested pairs, systems in the order of their means."""
    means, names = tested.means, tested.scores.names
    order = np.argsort(-means if greater_is_better else means, kind="stable")
    errors, intervals = zip(*errors_and_intervals, strict=True)
    p_adjusted = tested.corrected.p_value
    if over == "queries":  # not below what a sign test of units that differ allows
        n_different = (tested.pairs.differences != 0).sum(axis=0)
        p_adjusted = np.maximum(p_adjusted, np.exp2(1.0 - n_different).clip(max=1.0))
    p_adjusted = _matrix_of_pairs(tested.pairs.pairs, p_adjusted, len(names))
    if means_by_dataset is not None:
        means_by_dataset = {
            key: means[order] for key, means in means_by_dataset.items()
        }
    return Leaderboard(
        system=tuple(names[i] for i in order),
        estimate=means[order],
        standard_error=np.array([errors[i] for i in order]),
        confidence_interval=tuple(intervals[i] for i in order),
        p_adjusted=p_adjusted[np.ix_(order, order)],
        metric=metric,
        correction=tested.correction,
        greater_is_better=greater_is_better,
        confidence_level=confidence_level,
        unit=tested.scores.unit,
        n_units=tested.n_units,
        n_undefined=n_undefined,
        n_draws=tested.n_draws,
        n_concentrated=int(tested.is_concentrated.sum()),
        n_constant=int(tested.is_constant.sum()),
        baseline=baseline,
        over=over,
        dataset_mean=means_by_dataset,
        dropped=dropped,
        n_in_stratum=tested.n_in_stratum,
    )


def _rank_by_swap(
    systems,
    metric,
    *,
    correction,
    confidence_level,
    baseline,
    groups,
    n_resamples,
    rng,
):
    """Return the board of results with one score each of the same rows.

    Pairs are tested by exchanging predictions; estimates have the intervals that
    `evaluate` gave them.
    """
    for name, system in systems.items():
        if system.confidence_level != confidence_level:
            raise ValueError(
                f"confidence_level must be that of the results for {metric}, which has "
                f"one score per test set; got {confidence_level:g}, and "
                f"{system.confidence_level:g} in {name!r}."
            )
    pairs = pair_columns(list(systems), None)
    paired = pair_results(
        systems, metric, pairs, groups=groups, n_resamples=n_resamples, rng=rng
    )
    correction = correction_of(SwapTest, correction, len(pairs))
    p_adjusted = correct(SwapTest(paired).p_value, correction)
    values, names = paired.values, list(systems)
    order = np.argsort(-values, kind="stable")
    ranked = [systems[names[i]] for i in order]
    p_adjusted = _matrix_of_pairs(pairs, p_adjusted, len(names))
    return Leaderboard(
        system=tuple(names[i] for i in order),
        estimate=values[order],
        standard_error=np.array([result.standard_error[metric] for result in ranked]),
        confidence_interval=tuple(
            result.confidence_interval[metric] for result in ranked
        ),
        p_adjusted=p_adjusted[np.ix_(order, order)],
        metric=metric,
        correction=correction,
        greater_is_better=True,
        confidence_level=confidence_level,
        unit="row" if paired.groups is None else "group",
        n_units=paired.n_units,
        n_undefined=0,
        n_draws=paired.n_resamples,
        baseline=baseline,
    )


def _matrix_of_pairs(pairs, p_values, n_systems):
    """Return p-values by pair of systems, 1 on the diagonal."""
    matrix = np.ones((n_systems, n_systems))
    first, second = np.transpose(pairs)
    matrix[first, second] = matrix[second, first] = p_values
    return matrix


def _errors_and_intervals(pairs, bounds, level):
    """Return standard error and interval of each mean, by the usual rule."""
    intervals = []
    for scores in pairs.scores.T:
        if pairs.strata is None:
            error, interval, _ = interval_of_mean(
                scores,
                weights=pairs.weights,
                bounds=bounds,
                confidence_level=level,
                rng=0,
            )
        else:
            error, interval, _ = interval_of_strata(
                scores,
                pairs.strata,
                weights=pairs.weights,
                groups=None,
                bounds=bounds,
                confidence_level=level,
                method="auto",
                units="queries",
            )
        intervals.append((error, interval))
    return intervals
