"""Tests of paired differences by sign and by rank, one pair of systems at a time."""

from functools import cache

import numpy as np
from scipy import stats

from sklearn_irmetrics._statistics.pairs import Found, reach_of_constant
from sklearn_irmetrics._statistics.units import ROUNDING

# With more differences, SciPy uses the normal distribution.
_MOST_EXACT, _MOST_TIED = 50, 13


def sign(pairs):
    """Compare wins with losses; the interval is of the share of wins among both.

    References
    ----------
    C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits
    illustrated in the case of the binomial", Biometrika 26 (1934).
    """
    wins = (pairs.differences > 0).sum(axis=0)
    losses = (pairs.differences < 0).sum(axis=0)
    decided = wins + losses
    p_value = np.minimum(2 * stats.binom.cdf(np.minimum(wins, losses), decided, 0.5), 1)

    def ends(alpha):
        low = stats.beta.ppf(alpha / 2, wins, losses + 1)
        high = stats.beta.ppf(1 - alpha / 2, wins + 1, losses)
        low, high = np.where(wins > 0, low, 0.0), np.where(losses > 0, high, 1.0)
        found = np.column_stack([low, high])
        beyond = np.nextafter(0.5, np.where(wins > losses, 1.0, 0.0))
        for pair, p, end in zip(found, p_value, beyond, strict=True):
            _settle(pair, p, alpha, null=0.5, beyond=end)
        return found

    share = np.divide(wins, decided, out=np.full(len(wins), 0.5), where=decided > 0)
    return Found(p_value, ends, share)


def wilcoxon(pairs):
    """Rank differences by size; the interval is that of their pseudo-median.

    Differences of 0 are left out of both. The ends are averages of two differences, or
    of one with itself (Walsh averages). If differences are tied, test and interval use
    different distributions, so the end nearest to 0 may have to move across it.

    References
    ----------
    J. L. Hodges and E. L. Lehmann, "Estimates of Location Based on Rank Tests", Annals
    of Mathematical Statistics 34 (1963).
    """
    columns = [_merged(column[column != 0]) for column in pairs.differences.T]
    p_value = np.array([_wilcoxon_p_value(column) for column in columns])

    def ends(alpha):
        reach = reach_of_constant(len(pairs.differences), alpha)
        found = zip(columns, p_value, strict=True)
        return np.array(
            [
                _walsh_ends(column, p, alpha) if len(column) else [0.0 - reach, reach]
                for column, p in found
            ]
        )

    return Found(p_value, ends, np.array([_pseudo_median(c) for c in columns]))


def _wilcoxon_p_value(ordered):
    """Return SciPy's p-value, for few differences in a hundredth of SciPy's time.

    With ties, SciPy goes through all signs of few differences.
    """
    n = len(ordered)
    if n == 0:
        return 1.0
    ranks = stats.rankdata(np.abs(ordered))
    if n > _MOST_TIED:
        return stats.wilcoxon(ordered).pvalue
    doubled = (2 * ranks).astype(int)
    one_side = doubled[ordered > 0].sum()
    share = _sums_of(doubled)[min(one_side, doubled.sum() - one_side)]
    return min(2 * share, 1.0)


def _merged(differences):
    """Return sorted differences, with sizes made equal if they differ by rounding."""
    sizes = np.abs(differences)
    order = np.argsort(sizes)
    ordered = sizes[order]
    starts = np.diff(ordered, prepend=-1.0) > ROUNDING * ordered
    sizes[order] = ordered[starts][np.cumsum(starts) - 1]
    return np.sort(np.copysign(sizes, differences))


def _walsh_ends(ordered, p_value, alpha):
    n = len(ordered)
    last = n * (n + 1) // 2 - 1
    rank = _largest_rank_sum(n, alpha / 2)
    ends = np.array([-np.inf, np.inf])
    if rank >= 0:
        ends[:] = _walsh(ordered, rank), _walsh(ordered, last - rank)
    n_below, n_up_to = (_count_walsh(ordered, 0.0, side) for side in ("left", "right"))
    is_above = last + 1 - n_up_to > n_below
    beyond = _walsh(ordered, n_up_to if is_above else n_below - 1)
    if beyond == 0:  # by rounding: averages of exactly 0 were skipped
        beyond = np.nextafter(0.0, 1.0 if is_above else -1.0)
    _settle(ends, p_value, alpha, null=0.0, beyond=beyond)
    return ends


def _settle(ends, p_value, alpha, *, null, beyond):
    """Move the end next to `null` to it, or beyond, so that p and interval agree."""
    if p_value > alpha:
        ends[:] = min(ends[0], null), max(ends[1], null)
    elif ends[0] <= null <= ends[1]:
        ends[:] = (np.maximum if beyond > null else np.minimum)(ends, beyond)


def _pseudo_median(ordered):
    if not len(ordered):
        return 0.0
    last = len(ordered) * (len(ordered) + 1) // 2 - 1
    return (_walsh(ordered, last // 2) + _walsh(ordered, (last + 1) // 2)) / 2


def _count_walsh(ordered, value, side):
    """Count averages of two that are up to ("right") or below ("left") a value."""
    both = np.searchsorted(ordered, 2 * value - ordered, side).sum()
    return int(both + np.searchsorted(ordered, value, side)) // 2


def _walsh(ordered, rank):
    """Return the average of two sorted values that has a given rank, from 0."""
    low, high = ordered[[0, -1]]
    nearest = ROUNDING * max(-low, high)
    if _count_walsh(ordered, low, "right") > rank:
        return low
    while high - low > nearest * 1e-3:
        middle = (low + high) / 2
        if _count_walsh(ordered, middle, "right") > rank:
            high = middle
        else:
            low = middle
    return 0.0 if abs(high) <= nearest else high


def _largest_rank_sum(n, share):
    """Return the largest one-sided rank sum of probability up to `share`, or -1."""
    if n <= _MOST_EXACT:
        return int(np.searchsorted(_rank_sums(n), share, "right")) - 1
    deviation = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return int(n * (n + 1) / 4 + stats.norm.ppf(share) * deviation)


@cache
def _rank_sums(n):
    return _sums_of(range(1, n + 1))


def _sums_of(ranks):
    """Return the distribution function of the sum of ranks with a positive sign."""
    counts = np.ones(1)
    for rank in ranks:
        counts = np.convolve(counts, np.r_[1.0, np.zeros(rank - 1), 1.0])
    return np.cumsum(counts) / 2.0 ** len(ranks)
