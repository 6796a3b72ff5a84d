"""Rank many systems, with intervals of their ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from sklearn_irmetrics._core.parameters import check_count, check_flag, check_option
from sklearn_irmetrics._measures.systems import (
    greater_is_better_of,
    score_bounds,
    the_metrics,
)
from sklearn_irmetrics._statistics.draws import check_generator
from sklearn_irmetrics._statistics.intervals import interval_of_mean, interval_of_strata
from sklearn_irmetrics._statistics.significance import (
    TESTS,
    correction_of,
    count_concentrated,
    count_draws,
    enough_draws,
    find_pairs,
)
from sklearn_irmetrics._typing import RandomState
from sklearn_irmetrics.model_selection._board import Leaderboard, Leaderboards
from sklearn_irmetrics.model_selection._compare import check_level
from sklearn_irmetrics.model_selection._datasets import TEST, align_datasets, by_dataset
from sklearn_irmetrics.model_selection._pairing import pair_columns, pair_scores


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
) -> Any:
    """Rank systems by their means, with intervals of their ranks.

    Use it with three systems or more; :func:`compare` tests single pairs. Each system
    has an interval of its mean and one of its rank. With a probability of
    `confidence_level`, the rank intervals of *all* systems contain their true ranks.

    Parameters
    ----------
    results : dict of str to system, or dict of dicts of them
        Two or more systems, as for :func:`compare`: `QueryScores` (such as
        ``score_run(qrels, {name: run, ...})``), results of `evaluate`, pandas Series,
        arrays of scores per query; or a data frame with a column for each. For several
        data sets, ``{dataset: {system: ...}}``: systems are then ranked by the mean of
        the means of data sets.
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
    >>> from sklearn_irmetrics.model_selection import leaderboard
    >>> rng = np.random.default_rng(0)
    >>> scores = {name: rng.normal(mean, 0.1, 50)
    ...           for name, mean in [("a", 0.5), ("b", 0.51), ("c", 0.2)]}
    >>> board = leaderboard(scores, random_state=0)
    >>> board.system, board.best
    (('b', 'a', 'c'), ('b', 'a'))
    >>> board.rank_interval.tolist(), board.letters
    ([[1, 2], [1, 2], [3, 3]], ('a', 'a', 'b'))
    """
    check_option("over", over, ("queries", "datasets"))
    check_option("correction", correction, ("maxt", "bonferroni", "holm"))
    if greater_is_better is not None:
        check_flag("greater_is_better", greater_is_better)
    level = check_level(confidence_level)
    if n_resamples is not None:
        n_resamples = check_count("n_resamples", n_resamples)
    datasets, dropped = by_dataset(results, missing)
    systems = next(iter(datasets.values()))
    if baseline is not None and baseline not in list(systems):
        raise ValueError(f"baseline must be one of {list(systems)}; got {baseline!r}.")
    every = {
        (key, name): one for key, own in datasets.items() for name, one in own.items()
    }
    metrics, is_list = the_metrics(systems if None in datasets else every, metric)
    columns, alpha = pair_columns(list(systems), None), round(1 - level, 12)
    if over == "datasets" and correction == "maxt":
        correction = "holm"
    test = TESTS[TEST]
    made = correction_of(test, correction, len(columns))
    draws = n_resamples or enough_draws(test, made, alpha, 1, columns)
    boards = {}
    for name in metrics:
        scores, there, n_left_out = align_datasets(datasets, name, over, groups, strata)
        rng = check_generator(random_state)
        pairs, n_undefined = pair_scores(
            systems, name, scores, columns, TEST, None, draws, rng
        )
        _, found = find_pairs(test, pairs, made)
        p_value = found.p_value
        if over == "queries":
            n_different = (pairs.differences != 0).sum(axis=0)
            p_value = np.maximum(p_value, np.exp2(1.0 - n_different).clip(max=1.0))
        first, second = pairs.pairs.T
        p_adjusted = np.ones((len(systems), len(systems)))
        p_adjusted[first, second] = p_adjusted[second, first] = p_value
        is_better = greater_is_better
        if is_better is None:
            is_better = greater_is_better_of(every, name)
        means = np.average(pairs.scores, axis=0, weights=pairs.weights)
        order = np.argsort(-means if is_better else means, kind="stable")
        is_few = made == "maxt" and len(pairs.scores) < 50
        ends = _intervals(pairs, score_bounds(every, name), level)
        boards[name] = Leaderboard(
            system=tuple(scores.names[i] for i in order),
            mean=means[order],
            confidence_interval=tuple(ends[i] for i in order),
            p_adjusted=p_adjusted[np.ix_(order, order)],
            metric=name or "score",
            correction=made,
            greater_is_better=is_better,
            confidence_level=level,
            unit=scores.unit,
            n_units=len(pairs.scores),
            n_undefined=n_undefined + n_left_out,
            n_draws=count_draws(test, made, pairs),
            n_concentrated=count_concentrated(pairs) if is_few else 0,
            baseline=baseline,
            over=over,
            dataset_mean=there and {key: one[order] for key, one in there.items()},
            dropped=dropped,
        )
    return Leaderboards(boards) if is_list else boards[metrics[0]]


def _intervals(pairs, bounds, level):
    """Return the interval of the mean of each system, by the usual rule."""
    options = {"weights": pairs.weights, "groups": None, "bounds": bounds}
    options |= {"confidence_level": level, "method": "auto", "units": "queries"}
    if pairs.strata is None:
        return [interval_of_mean(one, rng=0, **options)[1] for one in pairs.scores.T]
    return [
        interval_of_strata(one, pairs.strata, **options)[1] for one in pairs.scores.T
    ]
