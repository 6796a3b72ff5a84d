"""Test whether two sets of judgments put systems in the same order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_irmetrics._results.tables import Column, count, interval_column
from sklearn_irmetrics._results.tabular import Tabular
from sklearn_irmetrics._typing import RandomState
from sklearn_irmetrics.comparison.leaderboards import Leaderboards, leaderboard
from sklearn_irmetrics.comparison.pairs import check_level
from sklearn_irmetrics.metrics import (
    average_precision_correlation_score,
    kendall_tau_score,
    rank_biased_overlap_score,
)

_FEW_PAIRS = 10  # that are listed one by one


@dataclass(frozen=True, eq=False, repr=False)
class OrderAgreement(Tabular):
    """How far two sets of judgments agree on the order of systems.

    `order_agreement` returns it.

    Attributes
    ----------
    tau, tau_ap, rbo : float
        Of the orders of the means: Kendall's τ, its form by average precision with the
        order of `a` as the true one, and rank-biased overlap. τ is NaN where all means
        of one are equal.
    tau_interval : tuple of float
        The interval of Kendall's τ of the true orders.
    system : tuple of str
        The systems, in the order of `a`.
    mean_a, mean_b : ndarray of shape (n_systems,)
        Their means by either set of judgments.
    n_same : int
        Number of pairs that both sets of judgments show to be in the same order.
    opposite : tuple of pairs of str
        Pairs that both show to be in opposite orders: the first system is better by
        `a`, the second by `b`.
    confidence_level : float
        Of `tau_interval`, `n_same` and `opposite`, together.
    """

    tau: float
    tau_ap: float
    rbo: float
    tau_interval: tuple[float, float]
    system: tuple[str, ...]
    mean_a: np.ndarray
    mean_b: np.ndarray
    n_same: int
    opposite: tuple[tuple[str, str], ...]
    confidence_level: float

    def _columns(self):
        unknown = (np.nan, np.nan)
        intervals = (self.tau_interval, unknown, unknown)
        return [
            Column("correlation", ("Kendall's τ", "τ_AP", "RBO"), heading=""),
            Column("agreement", (self.tau, self.tau_ap, self.rbo), ".4f"),
            interval_column(intervals, self.confidence_level),
        ]

    def _title(self):
        n, few = len(self.system), self.opposite[:_FEW_PAIRS]
        return [
            f"orders of {count(n, 'system')}, {count(n * (n - 1) // 2, 'pair')}: "
            f"both show {self.n_same} in the same order and {len(self.opposite)} in "
            "opposite ones",
            *(f"better by a, worse by b: {one} than {two}" for one, two in few),
            "",
        ]


def order_agreement(
    a: Mapping[Any, Any],
    b: Mapping[Any, Any],
    *,
    metric: Any = None,
    persistence: float = 0.9,
    groups: Any = None,
    strata: Any = None,
    confidence_level: float = 0.95,
    n_resamples: int | None = None,
    random_state: RandomState = None,
) -> OrderAgreement:
    """Compare the orders in which two sets of judgments put the same systems.

    The judgments may be by people and by a language model, by two groups of people, or
    with and without some documents (`runs.leave_one_out_pool`).

    Parameters
    ----------
    a, b : dict of str to system
        The scores of each system by either set of judgments, as for
        :func:`leaderboard`.
    metric : str, Measure or None, default=None
        Which measure; None: the only one.
    persistence : float, default=0.9
        Of rank-biased overlap, between 0 and 1: how far down the order matters.
    groups, strata : array-like, mapping or None, default=None
        Of the queries; see :func:`compare`.
    confidence_level : float, default=0.95
        Probability with which all statements about the true orders hold at once.
    n_resamples : int or None, default=None
        Random draws; see :func:`compare`.
    random_state : int, Generator or None, default=None
        Seeds the draws.

    Returns
    -------
    OrderAgreement
        With `tau`, `tau_interval`, `tau_ap`, `rbo`, `n_same` and `opposite`.

    Raises
    ------
    TypeError, ValueError
        If the systems or measures differ, or an argument breaks the rules above.

    See Also
    --------
    leaderboard : One order, and how far it can be trusted.
    sklearn_irmetrics.runs.agreement : How far the judgments themselves agree.

    Notes
    -----
    τ of the means of a few queries may be far from τ of the true means, because systems
    that hardly differ swap places by chance. The interval of τ is therefore based on
    pairs. Pairs that the tests of `leaderboard` tell apart by both judgments count as
    being in the same or in opposite orders; all others may be either. The interval
    contains the true τ unless one of these tests errs, which happens in at most
    ``1 - confidence_level`` of cases, half of it for each judgment. Bootstrap intervals
    of τ, τ_AP and RBO are not valid in general (with twenty systems in the same true
    order, none of 150 contained the true value), so τ_AP and RBO have none.

    References
    ----------
    E. Yilmaz, J. Aslam, S. Robertson, "A new rank correlation coefficient for
    information retrieval", SIGIR 2008.

    W. Webber, A. Moffat, J. Zobel, "A similarity measure for indefinite rankings", ACM
    Transactions on Information Systems 28(4), 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_irmetrics.comparison import order_agreement
    >>> rng = np.random.default_rng(0)
    >>> people = {name: rng.normal(mean, 0.1, 50)
    ...           for name, mean in [("bm25", 0.4), ("dense", 0.5), ("llm", 0.6)]}
    >>> judge = {name: rng.normal(mean, 0.1, 50)
    ...          for name, mean in [("bm25", 0.5), ("dense", 0.6), ("llm", 0.9)]}
    >>> order_agreement(people, judge, random_state=0)
    orders of 3 systems, 3 pairs: both show 3 in the same order and 0 in opposite ones
    <BLANKLINE>
                   agreement     95 % interval
      Kendall's τ     1.0000  [1.0000, 1.0000]
      τ_AP            1.0000                 –
      RBO             1.0000                 –
    """
    level = check_level(confidence_level)
    boards = []
    for name, results in (("a", a), ("b", b)):
        try:
            board = leaderboard(
                results,
                metric=metric,
                groups=groups,
                strata=strata,
                confidence_level=(1 + level) / 2,
                n_resamples=n_resamples,
                random_state=random_state,
            )
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from error
        if isinstance(board, Leaderboards):
            raise ValueError(f"metric must name one of {list(board)}; got {metric!r}.")
        boards.append(board)
    one, other = boards
    if set(one.system) != set(other.system):
        raise ValueError(
            f"a and b must hold the same systems; got {list(one.system)} and "
            f"{list(other.system)}."
        )
    measures = [(board.metric, board.greater_is_better) for board in boards]
    if measures[0] != measures[1]:
        raise ValueError(
            "a and b must be scored by the same measure, with the same end the best; "
            f"got {one.metric!r} and {other.metric!r}."
        )
    places = [other.system.index(name) for name in one.system]
    better_a, better_b = one.better, other.better[np.ix_(places, places)]
    same = int((better_a & better_b).sum())
    opposite = np.argwhere(better_a & better_b.T)
    n_pairs = len(places) * (len(places) - 1) / 2
    sign = 1 if one.greater_is_better else -1
    mean_b = other.mean[places]
    means = sign * one.mean, sign * mean_b
    return OrderAgreement(
        tau=float(kendall_tau_score(*means, average=None)[0]),
        tau_ap=average_precision_correlation_score(*means),
        rbo=rank_biased_overlap_score(*means, persistence=persistence),
        tau_interval=(2 * same / n_pairs - 1, 1 - 2 * len(opposite) / n_pairs),
        system=one.system,
        mean_a=one.mean,
        mean_b=mean_b,
        n_same=same,
        opposite=tuple((one.system[i], one.system[j]) for i, j in opposite),
        confidence_level=level,
    )
