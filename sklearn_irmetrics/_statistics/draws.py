"""Random draws for tests of paired differences, in batches of bounded memory."""

from dataclasses import dataclass

import numpy as np

from sklearn_irmetrics._statistics.units import ROUNDING

_BATCH_CELLS = 1_000_000


def batch_size(n_cells):
    """Return the number of draws of so many cells to make at once."""
    return max(1, _BATCH_CELLS // n_cells)


def batches(n_draws, n_cells):
    """Yield slices of draws, each of `batch_size` or the rest."""
    size = batch_size(n_cells)
    for start in range(0, n_draws, size):
        yield slice(start, min(start + size, n_draws))


@dataclass(frozen=True, eq=False)
class SignFlips:
    """Random signs of units, and their effect on the differences of all pairs.

    A flip keeps the sign of some units and turns that of the others. It makes the sum
    of the differences from δ at least as large as it is, |Σ s w (d - δ)| ≥
    |Σ w (d - δ)|, exactly if δ lies between the weighted mean of the units it keeps and
    that of the units it turns.

    Attributes
    ----------
    sums : ndarray of shape (n_pairs, n_draws)
        Sums over the kept units of weight times (difference - mean).
    kept : ndarray of shape (n_draws,)
        Total weight of the kept units; 0 or that of all units if a flip does nothing.
    weight : float
        Total weight of all units.
    mean : ndarray of shape (n_pairs,)
        Weighted mean of the differences.
    rounding : ndarray of shape (n_pairs,)
        Up to which size a reach is 0.
    """

    sums: np.ndarray
    kept: np.ndarray
    weight: float
    mean: np.ndarray
    rounding: np.ndarray

    @property
    def total(self):
        """The number of cases: the draws, and the data themselves."""
        return len(self.kept) + 1

    def reaches(self, pair):
        """Return the range of δ that each flip accepts, for one pair."""
        sums, turned = self.sums[pair], self.weight - self.kept
        with np.errstate(divide="ignore", invalid="ignore"):
            means = sums / self.kept, -sums / turned
        does_nothing = (self.kept == 0) | (self.kept == self.weight)
        low, high = (
            np.where(does_nothing, end, choose(*means) + self.mean[pair])
            for choose, end in ((np.minimum, -np.inf), (np.maximum, np.inf))
        )
        for ends in (low, high):
            ends[np.abs(ends) <= self.rounding[pair]] = 0.0
        return low, high


def draw_sign_flips(differences, weights=None, *, n_resamples, rng, resolution=0.0):
    """Return all flips of the signs of units, or random ones if there are too many.

    Parameters
    ----------
    differences : ndarray of shape (n_units, n_pairs)
        Differences of each pair.
    weights : ndarray of shape (n_units,) or None
        Positive weights.
    n_resamples : int
        How many to draw. If there are no more, all are taken; a flip and its opposite
        count as one.
    rng : numpy.random.Generator
        Generator of the draws.
    resolution : float, default=0.0
        How much equal differences may differ.

    Returns
    -------
    SignFlips
    """
    n = len(differences)
    weights = np.ones(n) if weights is None else weights
    mean = weights @ differences / weights.sum()
    largest = np.abs(differences).max(axis=0)
    terms = weights[:, np.newaxis] * (differences - mean)
    terms[:, np.ptp(differences, axis=0) <= ROUNDING * largest] = 0.0
    summed = np.column_stack([np.ones(n), weights, terms])
    is_exact = 2 ** (n - 1) - 1 <= n_resamples
    n_draws = 2 ** (n - 1) - 1 if is_exact else n_resamples
    sums = np.empty((summed.shape[1], n_draws))
    for fours in batches(-(-n_draws // 4), 4 * n):  # as the generator draws bytes
        part = slice(4 * fours.start, min(4 * fours.stop, n_draws))
        if is_exact:  # all flips but the one that does nothing
            # The last unit is always turned: the opposite flip has the same effect.
            codes = np.arange(part.start + 1, part.stop + 1, dtype=np.int64)
            bits = (codes[:, np.newaxis] >> np.arange(n)) & 1
            packed = np.packbits(bits.astype(np.uint8), axis=1)
        else:
            size = part.stop - part.start, -(-n // 8)
            packed = rng.integers(256, size=size, dtype=np.uint8)
        keeps = np.unpackbits(packed, axis=1, count=n).astype(np.float64)
        sums[:, part] = (keeps @ summed).T
    n_kept, kept, sums = sums[0], sums[1], sums[2:]
    weight = weights.sum()
    kept[n_kept == 0], kept[n_kept == n] = 0.0, weight
    rounding = np.maximum(ROUNDING * largest, resolution)
    return SignFlips(sums, kept, weight, mean, rounding)


def draw_ratios(values, *, n_resamples, rng, resolution=0.0, strata=None):
    """Return t² / (t² + n - 1) of units drawn with replacement, by column and draw.

    Without strata, that is n·mean² / Σx².

    Parameters
    ----------
    values : ndarray of shape (n_units, n_columns)
        Values; they are shifted to mean 0, in each stratum.
    n_resamples : int
        Number of draws, each of as many units as there are.
    rng : numpy.random.Generator
        Generator of the draws; all columns share the same units.
    resolution : float, default=0.0
        How much equal values may differ.
    strata : int array of shape (n_units,) or None, default=None
        Units are drawn from each stratum, and t is that of the stratified mean of
        `values`, which include their weights as from `weigh`.

    Returns
    -------
    ndarray of shape (n_columns, n_resamples)
        1 if all values drawn from each stratum are the same, 0 if all values of the
        column are.
    """
    ratios = np.empty((values.shape[1], n_resamples))
    options = {"n_resamples": n_resamples, "rng": rng, "resolution": resolution}
    for part, drawn in ratio_batches(values, strata=strata, **options):
        ratios[:, part] = drawn
    return ratios


def ratio_batches(values, *, n_resamples, rng, resolution=0.0, strata=None):
    """Yield slices of the draws, and the result of `draw_ratios` for each slice."""
    n, n_columns = values.shape
    strata = np.zeros(n, dtype=np.intp) if strata is None else strata
    rows_of_strata = [
        np.flatnonzero(strata == stratum) for stratum in range(strata.max() + 1)
    ]
    shifted = np.empty_like(values)
    for rows in rows_of_strata:
        shifted[rows] = values[rows] - values[rows].mean(axis=0)
    rounding = np.maximum(ROUNDING * np.abs(values).max(axis=0), resolution)
    shifted[np.abs(shifted) <= rounding] = 0.0
    spread = spread_of(shifted)
    varies = spread > 0
    shifted = shifted[:, varies] / spread[varies]
    for part in batches(n_resamples, max(n, n_columns // 5)):
        size = part.stop - part.start
        if len(rows_of_strata) == 1:
            sums, squares = _resample(shifted, size, rng)
            squares *= n
        else:
            parts = [shifted[rows] for rows in rows_of_strata]
            sums, squares = _resample_strata(parts, size, rng)
        drawn = np.ones_like(sums)
        np.divide(sums**2, squares, out=drawn, where=squares > 0)
        ratios = np.zeros((n_columns, size))
        ratios[varies] = drawn.T
        yield part, ratios


def _resample_strata(parts, n_draws, rng):
    """Return sums and squares whose ratio belongs to t of the stratified mean.

    The values are scaled as by `weigh`: their sum of squares gives the error.
    """
    n = sum(map(len, parts))
    sums = squares = 0.0
    for values in parts:
        m = len(values)
        sums_within, squares_within = _resample(values, n_draws, rng)
        sums = sums + sums_within * np.sqrt((m - 1) / m * n / (n - 1))
        squares = squares + (squares_within - sums_within**2 / m).clip(0)
    return sums, sums**2 + n * squares


def _resample(values, n_draws, rng):
    """Return sums and sums of squares of units drawn with replacement, by draw."""
    n = len(values)
    drawn = rng.integers(n, size=(n_draws, n)) + n * np.arange(n_draws)[:, np.newaxis]
    counts = np.bincount(drawn.ravel(), minlength=n_draws * n).reshape(n_draws, n)
    both = counts.astype(np.float64) @ np.hstack([values, values**2])
    return np.hsplit(both, 2)


def spread_of(values):
    """Return the root of the sum of squares about the mean, by column.

    It is 0 if values differ only by rounding; squares do not underflow.
    """
    spread = np.hypot.reduce(values - values.mean(axis=0), axis=0)
    return np.where(are_alike(values), 0.0, spread)


def are_alike(values):
    """Whether values differ at most by rounding; by column, if there are several."""
    half_spread = values.max(axis=0) / 2 - values.min(axis=0) / 2  # cannot overflow
    return half_spread <= ROUNDING / 2 * np.abs(values).max(axis=0)


def check_generator(random_state):
    """Return a generator for an integer seed, None or a generator."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ValueError(f"random_state must seed a generator: {error}.") from error
