"""Sums of the values of queries that can be merged, for means and intervals.

A state is one float64 table of shape (n_keys, n_measures, n_columns), which can be
pickled, sent as bytes and merged by key in one step. Its columns are:

- the number of values, and of undefined queries;
- the smallest and the largest value;
- the mean m, and the sums of ``w``, ``w**2``, ``w (x - m)``, ``w**2 (x - m)`` and
  ``w**2 (x - m)**2``, where weights w are 1 if there are none;
- the number of queries that were ranked, for measures of sets;
- the four counts behind micro averages.
"""

from typing import NamedTuple

import numpy as np

N, UNDEFINED, LOW, HIGH, MEAN, SAID = range(6)
WEIGHT, SQUARED_WEIGHT, FIRST, SQUARED_FIRST, SQUARED_SECOND = range(6, 11)
COUNTS = slice(11, 15)


class WeightedSums(NamedTuple):
    """Sums of values and weights, from which the mean and its t interval follow.

    Attributes
    ----------
    n : int
        Number of values.
    center : float
        What is subtracted from each value, so that rounding does not grow with them.
    weight, squared_weight : float
        Sums of ``w`` and ``w**2``.
    first, squared_first, squared_second : float
        Sums of ``w d``, ``w**2 d`` and ``w**2 d**2``, where d is a value less `center`.
    """

    n: int
    center: float
    weight: float
    squared_weight: float
    first: float
    squared_first: float
    squared_second: float

    @classmethod
    def of(cls, values, weights=None):
        """Return the sums of values, which weigh 1 where there are no weights."""
        weights = np.ones(len(values)) if weights is None else weights
        center = np.average(values, weights=weights) if len(values) else 0.0
        apart, squares = values - center, weights**2
        return cls(
            len(values),
            float(center),
            *(float(part.sum()) for part in (weights, squares, weights * apart)),
            *(float((squares * apart**j).sum()) for j in (1, 2)),
        )

    @property
    def mean(self):
        """The weighted mean."""
        return self.center + self.first / self.weight

    @property
    def freedom(self):
        """Degrees of freedom of the error: Kish's effective number of values less 1."""
        return self.weight**2 / self.squared_weight - 1

    @property
    def standard_error(self):
        """Standard error of the mean of two values or more, NaN if one has all weight.

        It is that of a ratio, ``sum(w**2 (x - mean)**2) / sum(w)**2``, times
        ``n / (n - 1)`` with Kish's effective number n. With equal weights it is the
        usual one.
        """
        if self.freedom < 1e-12:
            return np.nan
        moved = self.first / self.weight
        spread = self.squared_second - moved * (
            2 * self.squared_first - moved * self.squared_weight
        )
        error = np.sqrt(max(spread, 0.0) / self.weight**2)
        return float(error * np.sqrt((self.freedom + 1) / self.freedom))

    def t_interval(self, confidence_level):
        """Return standard error and t interval of the mean of two values or more."""
        from scipy.special import stdtrit  # takes long to import; means need no SciPy

        error = self.standard_error
        if np.isnan(error):
            return error, (np.nan, np.nan)
        # What `scipy.stats.t.ppf` calls, after checks that take fifty times as long.
        reach = float(stdtrit(self.freedom, (1 + confidence_level) / 2)) * error
        return error, (self.mean - reach, self.mean + reach)

    def with_ends(self, ends, confidence_level, end_weight=1.0):
        """Return the sums with one more value at each end of the range.

        See `interval_of_mean` for their weight, a share of which is `end_weight`.
        """
        typical = self.squared_weight / self.weight
        weight = end_weight * weight_of_ends(confidence_level) * typical
        apart = np.subtract(ends, self.center)
        return WeightedSums(
            self.n + 2,
            self.center,
            self.weight + 2 * weight,
            self.squared_weight + 2 * weight**2,
            self.first + weight * apart.sum(),
            self.squared_first + weight**2 * apart.sum(),
            self.squared_second + weight**2 * (apart**2).sum(),
        )

    def t_with_ends(self, ends, confidence_level, end_weight):
        """Return the t interval with values at the ends, which holds the plain mean."""
        wider = self.with_ends(ends, confidence_level, end_weight)
        _, (low, high) = wider.t_interval(confidence_level)
        return min(low, self.mean), max(high, self.mean)


def weight_of_ends(confidence_level):
    """Return the weight of a value added at an end of the range, as typical values."""
    from scipy.special import ndtri  # takes long to import, and means do not need it

    return float(ndtri((1 + confidence_level) / 2)) ** 2 / 4


def sum_values(values, weights=None, *, counts=None, ranked=None, codes=None, n_keys=1):
    """Return the state of some queries.

    Parameters
    ----------
    values : ndarray of shape (n_measures, n_queries)
        NaN where undefined.
    weights : ndarray of shape (n_queries,) or None
        One weight per query; queries of weight 0 do not count.
    counts : dict of int to ndarray of shape (n_counts, n_queries)
        The counts behind a micro average, by place of the measure.
    ranked : dict of int to ndarray of shape (n_queries,)
        Whether the scores of a query, of weight 0 too, rank, by place of a set measure.
    codes : int array of shape (n_queries,) or None
        The number of the key of each query; None: all share one.
    n_keys : int
        Number of keys.
    """
    counts, ranked = counts or {}, ranked or {}
    table = _empty_table(n_keys, len(values))
    codes = np.zeros(values.shape[1], np.intp) if codes is None else codes
    for place, row in ranked.items():
        table[:, place, SAID] = _add(row, codes, n_keys)
    if weights is None:
        weights = np.ones(values.shape[1])
    else:
        kept = weights > 0
        values, weights, codes = values[:, kept], weights[kept], codes[kept]
        counts = {place: np.asarray(rows)[..., kept] for place, rows in counts.items()}
    for place, row in enumerate(values):
        own, defined = table[:, place], ~np.isnan(row)
        own[:, UNDEFINED] = np.bincount(codes[~defined], minlength=n_keys)
        for column, count in enumerate(counts.get(place, ()), COUNTS.start):
            own[:, column] = _add(weights * count, codes, n_keys)
        _add_values(own, row[defined], weights[defined], codes[defined])
    return table


def _empty_table(n_keys, n_measures):
    table = np.zeros((n_keys, n_measures, COUNTS.stop))
    table[..., LOW], table[..., HIGH] = np.inf, -np.inf
    return table


def _add_values(own, x, w, codes):
    """Put values into the empty rows of one measure."""
    n_keys = len(own)
    own[:, N] = np.bincount(codes, minlength=n_keys)
    if not len(x):
        return
    np.minimum.at(own[:, LOW], codes, x)
    np.maximum.at(own[:, HIGH], codes, x)
    # Subtract the plain mean first, so rounding does not grow with the offset.
    total = _add(w, codes, n_keys)
    there = total > 0
    near = _add(x, codes, n_keys) / np.maximum(own[:, N], 1)
    moved = _add(w * (x - near[codes]), codes, n_keys)
    own[:, MEAN] = near + np.divide(moved, total, out=np.zeros(n_keys), where=there)
    apart, squares = x - own[codes, MEAN], w**2
    own[:, WEIGHT] = total
    own[:, SQUARED_WEIGHT] = _add(squares, codes, n_keys)
    own[:, FIRST] = _add(w * apart, codes, n_keys)
    own[:, SQUARED_FIRST] = _add(squares * apart, codes, n_keys)
    own[:, SQUARED_SECOND] = _add(squares * apart**2, codes, n_keys)


def _add(terms, codes, n_keys):
    """Return the sum by key; for a single key, a pairwise sum, which rounds less."""
    if n_keys == 1:
        return np.array([terms.sum()])
    return np.bincount(codes, terms, minlength=n_keys)


def merge_states(table, codes=None, n_keys=1):
    """Merge the rows of a table, and return one row per key.

    Parameters
    ----------
    table : ndarray of shape (n_rows, n_measures, n_columns)
        Rows of several states.
    codes : int array of shape (n_rows,) or None
        The number of the key of each row; None: all share one.
    n_keys : int
        Number of keys.

    References
    ----------
    T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for Computing the Sample
    Variance", The American Statistician 37 (1983).
    """
    codes = np.zeros(len(table), np.intp) if codes is None else codes
    merged = _empty_table(n_keys, table.shape[1])
    for part in (N, UNDEFINED, SAID, COUNTS, WEIGHT, SQUARED_WEIGHT):
        np.add.at(merged[..., part], codes, table[..., part])
    np.minimum.at(merged[..., LOW], codes, table[..., LOW])
    np.maximum.at(merged[..., HIGH], codes, table[..., HIGH])
    # Means are taken relative to the smallest; empty rows have none.
    there = table[..., N] > 0
    near = np.full(merged.shape[:2], np.inf)
    np.minimum.at(near, codes, np.where(there, table[..., MEAN], np.inf))
    near[near == np.inf] = 0.0
    shift = np.where(there, table[..., MEAN] - near[codes], 0.0)
    moved, total = np.zeros_like(near), merged[..., WEIGHT]
    np.add.at(moved, codes, table[..., WEIGHT] * shift)
    shares = np.divide(moved, total, out=np.zeros_like(near), where=total > 0)
    merged[..., MEAN] = near + shares
    # Sums about the means of the rows become sums about the merged mean.
    apart = np.where(there, shift - shares[codes], 0.0)
    squares, first = table[..., SQUARED_WEIGHT], table[..., SQUARED_FIRST]
    second = table[..., SQUARED_SECOND] + apart * (2 * first + apart * squares)
    moved_first = table[..., FIRST] + apart * table[..., WEIGHT]
    np.add.at(merged[..., FIRST], codes, moved_first)
    np.add.at(merged[..., SQUARED_FIRST], codes, first + apart * squares)
    np.add.at(merged[..., SQUARED_SECOND], codes, second)
    return merged


class Moments:
    """One row of a state for one measure, as a sample for `interval_of_sample`.

    Attributes
    ----------
    n : int
        Number of values.
    total, mean : float
        Their total weight, and their mean, NaN if there are none.
    least, most : float
        The smallest and the largest value.
    """

    def __init__(self, row):
        self.n, self.least, self.most = int(row[N]), float(row[LOW]), float(row[HIGH])
        columns = MEAN, WEIGHT, SQUARED_WEIGHT, FIRST, SQUARED_FIRST, SQUARED_SECOND
        self._sums = WeightedSums(self.n, *(float(row[column]) for column in columns))
        self.total = self._sums.weight
        self.mean = self._sums.mean if self.n else float("nan")

    is_concentrated = False  # sums do not show it

    @property
    def n_effective(self):
        """Kish's effective number of values."""
        return self._sums.freedom + 1

    def t_interval(self, confidence_level):
        """Return standard error and t interval of the mean."""
        return self._sums.t_interval(confidence_level)

    def t_with_ends(self, ends, confidence_level, end_weight):
        """Return the t interval with one more value at each end of the range."""
        return self._sums.t_with_ends(ends, confidence_level, end_weight)
