"""Sums of the values of queries that can be merged, for means and intervals.

A state is one float64 table of shape (n_keys, n_measures, n_columns), which can be
pickled, sent as bytes and merged by key in one step. Its columns are:

- the number of values, and of undefined queries;
- the smallest and the largest value;
- the power of two that divides weights, since powers of weights may underflow;
- the mean, and sums of ``w**j * (value - mean)**(0, 1, 2)`` for ``j = 1, 2, ...``;
- the number of queries that were ranked, for measures of sets;
- the four counts behind micro averages.

Without weights, ``j = 1`` is enough, and a measure takes 112 bytes. With weights, the
error is a sum of ``w**2 / (W - w) * (value - mean)**2``, whose total `W` is known only
at the end. The heaviest queries are therefore kept one by one, and ten powers of the
weights of the others, none of which has more than 1/17 of the weight.
"""

from copy import copy

import numpy as np

N, UNDEFINED, LOW, HIGH, EXPONENT, MEAN, RANKED = range(7)
COUNTS = slice(7, 11)
_HEAVIEST, _POWERS = 16, 10
_WEIGHTLESS = -2000  # the exponent if there are no weights, below that of any float


class _Columns:
    """The positions of the sums and of the heaviest queries in a table."""

    def __init__(self, weighted):
        self.powers, self.heaviest = (_POWERS, _HEAVIEST) if weighted else (1, 0)
        sizes = [COUNTS.stop, *[self.powers] * 3, *[self.heaviest] * 2]
        ends = np.cumsum(sizes).tolist()
        parts = map(slice, ends[:-1], ends[1:])
        self.zeroth, self.first, self.second, self.w, self.x = parts
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
    if columns.heaviest:
        order = np.lexsort((x, -w, codes))
        x, w, codes = x[order], w[order], codes[order]
        rank = np.arange(len(x)) - np.searchsorted(codes, np.arange(n_keys))[codes]
        heavy = rank < columns.heaviest
        for block, part in ((columns.w, w), (columns.x, x)):
            own[:, block][codes[heavy], rank[heavy]] = part[heavy]
        x, w, codes = x[~heavy], w[~heavy], codes[~heavy]
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
    if columns.heaviest:
        rest = merged.copy()
        for place in range(table.shape[1]):  # queries that are no longer heaviest
            w, x = (table[:, place, part].ravel() for part in (columns.w, columns.x))
            kept, of_row = w > 0, np.repeat(codes, columns.heaviest)
            _add_values(rest[:, place], columns, x[kept], w[kept], of_row[kept])
        for part in (columns.w, columns.x):
            merged[..., part] = rest[..., part]
        table = np.concatenate([table, rest])
        codes = np.concatenate([codes, np.arange(n_keys)])
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
    for part in (COUNTS, columns.w):
        table[..., part] = np.ldexp(table[..., part], change)
    changes = change * np.arange(1, columns.powers + 1)
    for part in (columns.zeroth, columns.first, columns.second):
        table[..., part] = np.ldexp(table[..., part], changes)
    return table


def sum_of_pairs(s, zeroth, first, second):
    """Return the sum of ``c[i] c[j] (share[i] + share[j] - s)^2`` over all pairs.

    Parameters
    ----------
    s : float
        Sum of the squared shares.
    zeroth, first, second : float
        Sums of ``c``, ``c * share`` and ``c * share^2``.
    """
    return (
        s**2 * zeroth**2 + 2 * zeroth * second + 2 * first**2 - 4 * s * zeroth * first
    )


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
        self._columns = columns = _Columns.of(row)
        kept = row[columns.w] > 0
        self._w, self._x = row[columns.w][kept], row[columns.x][kept]
        self._n_added, self.n = int(row[N]), int(row[N]) + len(self._w)
        sums = (row[part] for part in (columns.zeroth, columns.first, columns.second))
        self._sums, self._center = tuple(sums), float(row[MEAN])
        self.least = float(min([row[LOW], *self._x]))
        self.most = float(max([row[HIGH], *self._x]))
        self._exponent = int(row[EXPONENT]) if columns.heaviest else 0
        self._weigh()

    def _weigh(self):
        self._total = self._sums[0][0] + self._w.sum()
        self.total = float(self.scale(self._total))
        self.mean = float("nan")
        if self.n:
            center = self._center if self._n_added else self._x[0]
            moved = (self._w * (self._x - center)).sum() + self._sums[1][0]
            self.mean = float(center + moved / self._total)

    def scale(self, sums):
        """Return sums of weights in the original scale."""
        return np.ldexp(sums, self._exponent)

    def t(self, confidence_level):
        """Return standard error and t interval of the mean; see `_t_interval`.

        A share ``s`` of the weight enters as ``c = s**2 / (1 - s)``: directly for
        single queries, as ``s**2 + s**3 + ...`` for those in the sums. Without weights,
        all shares are equal.
        """
        from scipy import stats  # takes long to import, and means do not need it

        share = self._w / self._total
        if len(share) and share.max() == 1.0:
            return np.nan, (np.nan, np.nan)
        zeroth, first, second = self._sums
        apart = self._center - self.mean
        second = second + apart * (2 * first + apart * zeroth)
        c = share**2 / (1 - share)
        of_c = np.array([(c * share**k).sum() for k in range(3)])
        of_squares = np.array([(c**2 * share**k).sum() for k in range(2)])
        square = (share**2).sum()
        spread = (c * (self._x - self.mean) ** 2).sum()
        if self._columns.powers == 1:
            n, s = self._n_added, 1 / self._total
            square += n * s**2
            spread += second[0] * s**2 / (1 - s)
            of_c += n * s ** np.arange(2, 5) / (1 - s)
            of_squares += n * s ** np.arange(4, 6) / (1 - s) ** 2
        else:
            j = np.arange(1, self._columns.powers + 1)
            zeroth, second = zeroth / self._total**j, second / self._total**j
            square += zeroth[1]
            spread += second[1:].sum()
            of_c += [zeroth[1 + k :].sum() for k in range(3)]
            of_squares += [
                ((j[3 + k :] - 3 - k) * zeroth[3 + k :]).sum() for k in range(2)
            ]
        error = np.sqrt(spread)
        trace = of_c[0] * (1 + square) - 2 * of_c[1]
        squares = of_squares[0] * (1 + 2 * square) - 4 * of_squares[1]
        df = trace**2 / (squares + sum_of_pairs(square, *of_c))
        reach = stats.t.ppf((1 + confidence_level) / 2, df) * error
        return error, (self.mean - reach, self.mean + reach)

    def t_with_ends(self, ends, confidence_level, end_weight):
        """Return the t interval with one more value at each end of the range."""
        wider = copy(self)
        wider._w = np.append(self._w, [end_weight * self._total / self.n] * 2)
        wider._x = np.append(self._x, ends)
        wider.n += 2
        wider._weigh()
        _, (low, high) = wider.t(confidence_level)
        return min(low, self.mean), max(high, self.mean)
