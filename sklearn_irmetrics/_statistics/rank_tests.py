"""The sign test and Wilcoxon's signed-rank test, with their intervals."""

from functools import cache

import numpy as np
from scipy import special, stats

from sklearn_irmetrics._statistics.pairs import PairedTest
from sklearn_irmetrics._statistics.units import ROUNDING

# With more differences, SciPy uses the normal distribution.
_MOST_EXACT, _MOST_TIED = 50, 13


class SignTest(PairedTest):
    """Compare wins with losses; the interval is of the share of wins among both.

    References
    ----------
    C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits
    illustrated in the case of the binomial", Biometrika 26 (1934).
    """

    label = "sign test"
    interval_of = "share of wins"
    compares_means = False
    counts_signs = True
    takes_weights = False
    covers_few = True

    def __init__(self, pairs):
        super().__init__(pairs)
        self._wins = wins = (pairs.differences > 0).sum(axis=0)
        self._losses = losses = (pairs.differences < 0).sum(axis=0)
        decided = wins + losses
        one_side = stats.binom.cdf(np.minimum(wins, losses), decided, 0.5)
        self.p_value = np.minimum(2 * one_side, 1)
        even = np.full(len(wins), 0.5)
        self.center = np.divide(wins, decided, out=even, where=decided > 0)

    def interval(self, alpha):
        """Return the ends of the intervals; see `PairedTest`."""
        wins, losses = self._wins, self._losses
        low = stats.beta.ppf(alpha / 2, wins, losses + 1)
        high = stats.beta.ppf(1 - alpha / 2, wins + 1, losses)
        low, high = np.where(wins > 0, low, 0.0), np.where(losses > 0, high, 1.0)
        ends = np.column_stack([low, high])
        beyond = np.nextafter(0.5, np.where(wins > losses, 1.0, 0.0))
        for pair, p, end in zip(ends, self.p_value, beyond, strict=True):
            _settle(pair, p, alpha, null=0.5, beyond=end)
        return ends


class WilcoxonTest(PairedTest):
    """Rank differences by size; the interval is that of their pseudo-median.

    Differences of 0 are left out of both. The ends are averages of two differences, or
    of one with itself (Walsh averages). If differences are tied, test and interval use
    different distributions, so the end nearest to 0 may have to move across it.

    References
    ----------
    J. L. Hodges and E. L. Lehmann, "Estimates of Location Based on Rank Tests", Annals
    of Mathematical Statistics 34 (1963).
    """

    label = "Wilcoxon signed-rank test"
    interval_of = "pseudo-median"
    compares_means = False
    counts_signs = True
    takes_weights = False

    def __init__(self, pairs):
        super().__init__(pairs)
        columns = [_merged(column[column != 0]) for column in pairs.differences.T]
        self.p_value = _wilcoxon_p_values(columns)
        self._averages = [WalshAverages(column) for column in columns]
        self.center = np.array([walsh.median for walsh in self._averages])

    def interval(self, alpha):
        """Return the ends of the intervals; see `PairedTest`."""
        both = zip(self._averages, self.p_value, strict=True)
        return np.array([_walsh_ends(walsh, p, alpha) for walsh, p in both])


def _wilcoxon_p_values(columns):
    """Return SciPy's p-values; columns of one length that is not small at once."""
    p_value = np.ones(len(columns))
    sizes = np.array([len(column) for column in columns])
    for n in np.unique(sizes[sizes > 0]):
        same = np.flatnonzero(sizes == n)
        if n > _MOST_EXACT:
            table = np.column_stack([columns[i] for i in same])
            p_value[same] = stats.wilcoxon(table, axis=0).pvalue
        else:
            p_value[same] = [_wilcoxon_of_few(columns[i]) for i in same]
    return p_value


def _wilcoxon_of_few(ordered):
    """Return SciPy's p-value, for very few differences in a hundredth of its time.

    With ties, SciPy goes through all signs of few differences.
    """
    if len(ordered) > _MOST_TIED:
        return stats.wilcoxon(ordered).pvalue
    ranks = stats.rankdata(np.abs(ordered))
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


def _walsh_ends(walsh, p_value, alpha):
    ends = np.array([-np.inf, np.inf])
    if not walsh.n:
        return ends
    # The largest one-sided rank sum of probability up to alpha / 2, or -1.
    n, share = walsh.n, alpha / 2
    if n <= _MOST_EXACT:
        rank = int(np.searchsorted(_rank_sums(n), share, "right")) - 1
    else:
        deviation = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        rank = int(n * (n + 1) / 4 + special.ndtri(share) * deviation)
    if rank >= 0:
        ends[:] = walsh.average(rank), walsh.average(walsh.n_averages - 1 - rank)
    n_below, n_up_to = (walsh.count(0.0, side) for side in ("left", "right"))
    is_above = walsh.n_averages - n_up_to > n_below
    beyond = walsh.average(n_up_to if is_above else n_below - 1)
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


class WalshAverages:
    """The averages of two of some values, and of each value with itself.

    If there are many values, there are too many averages to list. To find one, the
    range is halved until few are left.
    """

    def __init__(self, ordered):
        self.n = len(ordered)
        self.n_averages = self.n * (self.n + 1) // 2
        self._values, self._times = np.unique(ordered, return_counts=True)
        self._n_before = np.append(0, np.cumsum(self._times))
        self._places = np.arange(len(self._values))
        self._n_alone = self._times * (self._times + 1) // 2
        self._rounding = ROUNDING * np.abs(self._values).max(initial=0.0)

    @property
    def median(self):
        """The pseudo-median; 0 if there are no values."""
        if not self.n:
            return 0.0
        low, high = (self.n_averages - 1) // 2, self.n_averages // 2
        averages, n_up_to = self._list_around(low)
        last = np.searchsorted(n_up_to, high, "right")
        if last == len(averages):
            return (self.average(low) + self.average(high)) / 2
        return (averages[np.searchsorted(n_up_to, low, "right")] + averages[last]) / 2

    def average(self, rank):
        """Return the average of a rank, from 0."""
        averages, n_up_to = self._list_around(rank)
        return averages[np.searchsorted(n_up_to, rank, "right")]

    def count(self, value, side):
        """Return the number of averages up to ("right") or below ("left") a value."""
        return self._count_before(self._ends(value, side))

    def _ends(self, value, side):
        """Return the place up to which each value has averages up to a given one.

        The averages are those with itself and larger values.
        """
        ends = np.searchsorted(self._values, 2 * value - self._values, side)
        return np.maximum(ends, self._places)

    def _count_before(self, ends):
        larger = self._n_before[ends] - self._n_before[1:]
        n_averages = self._n_alone + self._times * larger
        return int(n_averages[ends > self._places].sum())

    def _list_around(self, rank):
        """Return sorted averages around a rank, and how many there are up to each."""
        low, high = self._values[[0, -1]]
        starts, ends = self._places, self._ends(high, "right")
        while (ends - starts).sum() > 4 * len(ends):
            middle = (low + high) / 2
            places = self._ends(middle, "right")
            if self._count_before(places) > rank:
                high, ends = middle, places
            else:
                low, starts = middle, places
        sizes = ends - starts
        first = np.repeat(self._places, sizes)
        second = np.arange(len(first)) + np.repeat(ends - np.cumsum(sizes), sizes)
        averages = (self._values[first] + self._values[second]) / 2
        averages[np.abs(averages) <= self._rounding] = 0.0
        times = self._times[first] * self._times[second]
        order = np.argsort(averages)
        times = np.where(first == second, self._n_alone[first], times)[order]
        return averages[order], self._count_before(starts) + np.cumsum(times)


@cache
def _rank_sums(n):
    return _sums_of(range(1, n + 1))


def _sums_of(ranks):
    """Return the distribution function of the sum of ranks with a positive sign."""
    counts = np.ones(1)
    for rank in ranks:
        counts = np.convolve(counts, np.r_[1.0, np.zeros(rank - 1), 1.0])
    return np.cumsum(counts) / 2.0 ** len(ranks)
