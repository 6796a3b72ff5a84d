"""Sums of the values of queries that can be merged, for means and intervals.

A state is one float64 table of shape (n_keys, n_measures, n_columns), which can be
pickled, sent as bytes and merged by key in one step. Its columns are:

- the number of values, and of undefined queries;
- the smallest and the largest value;
- the power of two that divides weights, since powers of weights may underflow;
- the mean m, and the sums of ``w``, ``w (x - m)`` and ``w (x - m)**2``; with weights
  also the same of ``w**2``;
- the number of queries that were ranked, for measures of sets;
- the four counts behind micro averages.
"""

from typing import NamedTuple

import numpy as np

N, UNDEFINED, LOW, HIGH, EXPONENT, MEAN, RANKED = range(7)
COUNTS = slice(7, 11)
_WEIGHTLESS = -2000  # the exponent if there are no weights, below that of any float


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
        from scipy import stats  # takes long to import, and means do not need it

        error = self.standard_error
        if np.isnan(error):
            return error, (np.nan, np.nan)
        reach = float(stats.t.ppf((1 + confidence_level) / 2, self.freedom)) * error
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


class _Columns:
    """The positions of the sums in a table."""

    def __init__(self, weighted):
        self.powers = 2 if weighted else 1
        ends = np.cumsum([COUNTS.stop, *[self.powers] * 3]).tolist()
        self.zeroth, self.first, self.second = map(slice, ends[:-1], ends[1:])
        self.width = ends[-1]

    @classmethod
    def of(cls, table):
        return cls(table.shape[-1] > cls(weighted=False).width)

    def empty(self, *shape):
        table = np.zeros((*shape, self.width))
        table[..., LOW], table[..., HIGH] = np.inf, -np.inf
        table[..., EXPONENT] = _WEIGHTLESS
        return table


def summarise(values, weights=None, *, counts=None, ranked=None, codes=None, n_keys=1):
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
        Whether the scores of a query rank, by place of a set measure.
    codes : int array of shape (n_queries,) or None
        The number of the key of each query; None: all share one.
    n_keys : int
        Number of keys.
    """
    columns = _Columns(weights is not None)
    counts, ranked = counts or {}, ranked or {}
    table = columns.empty(n_keys, len(values))
    codes = np.zeros(values.shape[1], np.intp) if codes is None else codes
    exponent = 0
    if weights is None:
        weights = np.ones(values.shape[1])
    else:
        kept = weights > 0
        values, weights, codes = values[:, kept], weights[kept], codes[kept]
        counts, ranked = (
            {place: np.asarray(rows)[..., kept] for place, rows in one.items()}
            for one in (counts, ranked)
        )
        exponent = np.frexp(weights.max())[1] if len(weights) else _WEIGHTLESS
        weights = np.ldexp(weights, -exponent)
    for place, row in enumerate(values):
        own, defined = table[:, place], ~np.isnan(row)
        own[:, EXPONENT] = exponent
        own[:, UNDEFINED] = np.bincount(codes[~defined], minlength=n_keys)
        for column, count in enumerate(counts.get(place, ()), COUNTS.start):
            own[:, column] = _add(weights * count, codes, n_keys)
        if place in ranked:
            own[:, RANKED] = _add(ranked[place], codes, n_keys)
        _add_values(own, columns, row[defined], weights[defined], codes[defined])
    return table


def _add_values(own, columns, x, w, codes):
    """Put values into the empty rows of one measure; weights must be in their scale."""
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
    apart, power = x - own[codes, MEAN], w
    for j in range(columns.powers):
        own[:, columns.zeroth][:, j] = _add(power, codes, n_keys)
        own[:, columns.first][:, j] = _add(power * apart, codes, n_keys)
        own[:, columns.second][:, j] = _add(power * apart**2, codes, n_keys)
        power = power * w


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
    columns = _Columns.of(table)
    codes = np.zeros(len(table), np.intp) if codes is None else codes
    merged = columns.empty(n_keys, table.shape[1])
    np.maximum.at(merged[..., EXPONENT], codes, table[..., EXPONENT])
    table = _rescale(table, columns, merged[codes][..., EXPONENT])
    for part in (N, UNDEFINED, RANKED, COUNTS, columns.zeroth):
        np.add.at(merged[..., part], codes, table[..., part])
    np.minimum.at(merged[..., LOW], codes, table[..., LOW])
    np.maximum.at(merged[..., HIGH], codes, table[..., HIGH])
    # Means are taken relative to the smallest; empty rows have none.
    there = table[..., N] > 0
    near = np.full(merged.shape[:2], np.inf)
    np.minimum.at(near, codes, np.where(there, table[..., MEAN], np.inf))
    near[near == np.inf] = 0.0
    shift = np.where(there, table[..., MEAN] - near[codes], 0.0)
    moved, total = np.zeros_like(near), merged[..., columns.zeroth][..., 0]
    np.add.at(moved, codes, table[..., columns.zeroth][..., 0] * shift)
    shares = np.divide(moved, total, out=np.zeros_like(near), where=total > 0)
    merged[..., MEAN] = near + shares
    apart = np.where(there, shift - shares[codes], 0.0)[..., np.newaxis]
    zeroth, first = table[..., columns.zeroth], table[..., columns.first]
    second = table[..., columns.second] + apart * (2 * first + apart * zeroth)
    np.add.at(merged[..., columns.first], codes, first + apart * zeroth)
    np.add.at(merged[..., columns.second], codes, second)
    return merged


def _rescale(table, columns, exponent):
    """Return the table with weights divided by these powers of two."""
    change = (table[..., EXPONENT] - exponent).astype(np.int64)[..., np.newaxis]
    if not change.any():
        return table
    table = table.copy()
    table[..., COUNTS] = np.ldexp(table[..., COUNTS], change)
    changes = change * np.arange(1, columns.powers + 1)
    for part in (columns.zeroth, columns.first, columns.second):
        table[..., part] = np.ldexp(table[..., part], changes)
    return table


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
        columns = _Columns.of(row)
        self.n, self.least, self.most = int(row[N]), float(row[LOW]), float(row[HIGH])
        self._exponent = int(row[EXPONENT]) if columns.powers > 1 else 0
        weights, first, second = (
            row[part] for part in (columns.zeroth, columns.first, columns.second)
        )
        self._sums = WeightedSums(
            self.n,
            float(row[MEAN]),
            *(float(part[j]) for part, j in ((weights, 0), (weights, -1), (first, 0))),
            *(float(part[-1]) for part in (first, second)),
        )
        self.total = float(self.scale(weights[0]))
        self.mean = self._sums.mean if self.n else float("nan")

    def t_interval(self, confidence_level):
        """Return standard error and t interval of the mean."""
        return self._sums.t_interval(confidence_level)

    def t_with_ends(self, ends, confidence_level, end_weight):
        """Return the t interval with one more value at each end of the range."""
        return self._sums.t_with_ends(ends, confidence_level, end_weight)

    def scale(self, sums):
        """Return sums of weights in the original scale."""
        return np.ldexp(sums, self._exponent)
