"""The studentised swap: two models on the same rows, compared by any measure.

T is the difference of the two scores divided by its standard error, which follows from
the influence of each unit (a row, or a group of rows). The predictions of the two
models are exchanged in a random half of the units, and scores, error and T computed
again.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import stats

from sklearn_irmetrics._arrays.rows import divide_or_zero
from sklearn_irmetrics._statistics.draws import batches
from sklearn_irmetrics._statistics.pairs import PairedTest, rank_of_level
from sklearn_irmetrics._statistics.units import ROUNDING

# Where fewer units differ, their spread says nothing.
_FEWEST_UNITS = 6
# Of numbers that count for a measure of labels: fewer, and steps are coarse.
_FEW_PREDICTED, _FEW_IN_CLASS = 10, 10
_STEP = 0.5  # of numerical derivatives, in rows


# Measures of labels are functions of three sums per class: the rows of the class that
# are right, predicted, and true. The positive class is the last one.


def _thirds(sums):
    n_classes = sums.shape[-1] // 3
    return (
        sums[..., :n_classes],
        sums[..., n_classes : 2 * n_classes],
        sums[..., 2 * n_classes :],
    )


def _ratio(numerator, denominator):
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    is_known = np.abs(denominator) > ROUNDING
    return np.divide(
        numerator, denominator, out=np.zeros(numerator.shape), where=is_known
    )


def _mean_of_classes(values, present):
    """Return the mean over the classes of which there is more than a step."""
    is_present = present > 1.5 * _STEP
    return _ratio((values * is_present).sum(-1), is_present.sum(-1))


def _f_by_class(sums):
    right, predicted, true = _thirds(sums)
    return _ratio(2 * right, predicted + true)


def _precision_by_class(sums):
    right, predicted, _ = _thirds(sums)
    return _ratio(right, predicted)


def _recall_by_class(sums):
    right, _, true = _thirds(sums)
    return _ratio(right, true)


def _jaccard_by_class(sums):
    right, predicted, true = _thirds(sums)
    return _ratio(right, predicted + true - right)


def _macro(by_class):
    """Return the mean over classes that are true or predicted, as in scikit-learn."""

    def macro(sums):
        _, predicted, true = _thirds(sums)
        return _mean_of_classes(by_class(sums), predicted + true)

    return macro


def _weighted(by_class):
    """Return the mean over classes that counts each as often as it is true."""

    def weighted(sums):
        true = _thirds(sums)[2]
        return _ratio((by_class(sums) * true).sum(-1), true.sum(-1))

    return weighted


def _micro(by_class):
    """Return the measure of the sums over classes."""

    def micro(sums):
        return by_class(np.stack([part.sum(-1) for part in _thirds(sums)], -1))[..., 0]

    return micro


def _of_positives(by_class):
    return lambda sums: by_class(sums)[..., -1]


def _balanced_accuracy(sums):
    return _mean_of_classes(_recall_by_class(sums), _thirds(sums)[2])


def _accuracy(sums):
    right, _, true = _thirds(sums)
    return _ratio(right.sum(-1), true.sum(-1))


def _matthews_corrcoef(sums):
    right, predicted, true = _thirds(sums)
    n = true.sum(-1)
    covariance = right.sum(-1) * n - (predicted * true).sum(-1)
    spread = (predicted.sum(-1) ** 2 - (predicted**2).sum(-1)) * (
        n**2 - (true**2).sum(-1)
    )
    return _ratio(covariance, np.sqrt(np.maximum(spread, 0)))


def _cohen_kappa(sums):
    right, predicted, true = _thirds(sums)
    n = true.sum(-1)
    chance = _ratio((predicted * true).sum(-1), n)
    return _ratio(right.sum(-1) - chance, n - chance)


# Measures of a class, which scikit-learn averages by these words.
OF_CLASSES = {
    "f1": _f_by_class,
    "precision": _precision_by_class,
    "recall": _recall_by_class,
    "jaccard": _jaccard_by_class,
}
_AVERAGES = {"macro": _macro, "micro": _micro, "weighted": _weighted}
# By the name of the scorer of scikit-learn: the formula.
OF_LABELS = {
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    **{name: _of_positives(by_class) for name, by_class in OF_CLASSES.items()},
    **{
        f"{name}_{average}": of_classes(by_class)
        for name, by_class in OF_CLASSES.items()
        for average, of_classes in _AVERAGES.items()
    },
    "matthews_corrcoef": _matthews_corrcoef,
    "cohen_kappa": _cohen_kappa,
}
OF_SCORES = ("roc_auc", "average_precision")
_FROM_MINUS_1 = ("matthews_corrcoef", "cohen_kappa")


@dataclass(frozen=True, eq=False)
class PairedPredictions:
    """Predictions of systems for the same rows, and the pairs that are compared.

    Attributes
    ----------
    y_true : int array of shape (n_rows,)
        Numbers of the true classes; the positive class is the last one.
    predictions : list of ndarray of shape (n_rows,)
        Of each system: numbers of classes, or scores.
    n_classes : int
        Number of classes.
    measure : str
        A key of `OF_LABELS`, or one of `OF_SCORES`.
    groups : int array of shape (n_rows,) or None
        The unit of each row; None: each row is one.
    pairs : list of tuple of int
        The systems that are compared; the second is subtracted from the first.
    n_resamples : int
        Number of draws.
    rng : numpy.random.Generator
        Generator of the draws.
    """

    y_true: np.ndarray
    predictions: list
    n_classes: int
    measure: str
    groups: np.ndarray | None
    pairs: list
    n_resamples: int
    rng: np.random.Generator

    @cached_property
    def units(self):
        """The number of the unit of each row."""
        return np.arange(len(self.y_true)) if self.groups is None else self.groups

    @property
    def n_units(self):
        """Number of units."""
        return int(self.units.max()) + 1

    @property
    def width(self):
        """The largest possible difference."""
        return 2.0 if self.measure in _FROM_MINUS_1 else 1.0

    @cached_property
    def values(self):
        """The score of each system."""
        if self.measure in OF_SCORES:
            relevant = self.y_true == self.n_classes - 1
            is_precision = self.measure == "average_precision"
            return np.array(
                [
                    score_ranks(
                        _ranks(scores)[np.newaxis], relevant, is_precision=is_precision
                    )[0][0]
                    for scores in self.predictions
                ]
            )
        formula = OF_LABELS[self.measure]
        return np.array([formula(self.sums(i).sum(axis=0)) for i in self._systems])

    @property
    def _systems(self):
        return range(len(self.predictions))

    def sums(self, system):
        """Return the terms that each row adds to the sums of a measure of labels."""
        classes = np.arange(self.n_classes)
        true = self.y_true[:, np.newaxis] == classes
        predicted = self.predictions[system][:, np.newaxis] == classes
        return np.hstack([true & predicted, predicted, true]).astype(np.float64)

    def outcomes(self, first, second):
        """Return in how many units the first system is better, equal, worse."""
        predicted, compared = self.predictions[first], self.predictions[second]
        if self.measure in OF_SCORES:
            direction = np.where(self.y_true == self.n_classes - 1, 1, -1)
            gains = direction * np.sign(_ranks(predicted) - _ranks(compared))
        else:
            gains = (predicted == self.y_true) * 1 - (compared == self.y_true)
        of_units = np.bincount(self.units, gains)
        return (of_units > 0).sum(), (of_units == 0).sum(), (of_units < 0).sum()

    def draw(self, first, second):
        """Return the `Draws` of a pair."""
        if self.measure in OF_SCORES:
            return self._draw_ranks(first, second)
        formula = OF_LABELS[self.measure]
        of_pair = [self.sums(first), self.sums(second)]
        step = np.inf  # a group may have any number of rows
        if self.groups is None:
            step = largest_step(formula, *of_pair)
        else:
            of_pair = [
                np.stack([np.bincount(self.units, column) for column in sums.T], axis=1)
                for sums in of_pair
            ]
        kinds = UnitKinds.of(*of_pair)
        difference, error = swap_sums(
            formula,
            kinds,
            self.n_resamples,
            self.rng,
            added=UnitKinds.of_added_rows(self.n_classes),
        )
        return Draws(difference, error, self.n_units, kinds.n_differ, step, self.width)

    def _draw_ranks(self, first, second):
        ranks = [_ranks(self.predictions[i]) for i in (first, second)]
        difference, error = swap_ranks(
            self.y_true == self.n_classes - 1,
            *ranks,
            self.units,
            self.n_resamples,
            self.rng,
            is_precision=self.measure == "average_precision",
        )
        differ = ranks[0] != ranks[1]
        n_differ = len(np.unique(self.units[differ]))
        return Draws(difference, error, self.n_units, n_differ, np.inf, self.width)

    def limitations(self, names):
        """Return sentences about what so few rows cannot show."""
        if self.measure in OF_SCORES:
            return tuple(
                f"{name} ranks without any error, so only the sign of its differences "
                "is known."
                for name, value in zip(names, self.values, strict=True)
                if value == 1
            )
        limitations = []
        sizes = np.bincount(self.y_true, minlength=self.n_classes)
        if self.measure in OF_CLASSES:
            positive = self.n_classes - 1
            for name, predicted in zip(names, self.predictions, strict=True):
                n_predicted = np.count_nonzero(predicted == positive)
                if n_predicted < _FEW_PREDICTED:
                    limitations.append(
                        f"{name} predicts only {n_predicted} rows as positive, so its "
                        "intervals may be too narrow. Test on more rows."
                    )
        if (least := sizes[sizes > 0].min()) < _FEW_IN_CLASS:
            limitations.append(
                f"The smallest class has only {least} rows, so only large differences "
                "can be shown. Test on more rows."
            )
        return tuple(limitations)


def _ranks(scores):
    """Return twice the rank of each score: integers, also where scores are tied."""
    return np.rint(2 * stats.rankdata(scores)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class UnitKinds:
    """Units that change a measure alike, whichever model has which prediction.

    A unit adds ``middle + half`` to the sums of one model and ``middle - half`` to
    those of the other.

    Attributes
    ----------
    middle, half : ndarray of shape (n_kinds, n_sums)
        What a unit of each kind adds.
    count : ndarray of shape (n_kinds,)
        How many units there are.
    n_plus : ndarray of shape (n_kinds,)
        In how many of them the first model has the ``middle + half``.
    """

    middle: np.ndarray
    half: np.ndarray
    count: np.ndarray
    n_plus: np.ndarray

    @classmethod
    def of(cls, first, second):
        """Return the kinds of units, of the sums of two models."""
        middle, half = (first + second) / 2, (first - second) / 2
        leading = half[np.arange(len(half)), (half != 0).argmax(axis=1)]
        half = half * np.where(leading < 0, -1, 1)[:, np.newaxis]
        kinds, codes = np.unique(np.hstack([middle, half]), axis=0, return_inverse=True)
        codes, n_sums = codes.ravel(), first.shape[1]
        n_plus = np.bincount(codes, leading >= 0)
        return cls(kinds[:, :n_sums], kinds[:, n_sums:], np.bincount(codes), n_plus)

    @classmethod
    def of_added_rows(cls, n_classes):
        """Return a row of each true class, split over the ways in which models differ.

        They count in standard errors only: without them, a model with three positive
        predictions, all right, would have an exact precision.
        """
        triples = np.indices((n_classes,) * 3).reshape(3, -1)
        true, low, high = triples[:, triples[1] < triples[2]]
        eye = np.eye(n_classes)
        first, second = (
            np.hstack([eye[true] * eye[predicted], eye[predicted], eye[true]])
            for predicted in (low, high)
        )
        share = 2 / max(n_classes * (n_classes - 1), 1)
        count = np.full(len(true), share)
        return cls((first + second) / 2, (first - second) / 2, count, count)

    @property
    def n_differ(self):
        """In how many units the models differ."""
        return int(self.count[(self.half != 0).any(axis=1)].sum())


def largest_step(formula, *sums):
    """Return the largest change of a measure by one row with its true label."""
    steps, n_classes = [0.0], sums[0].shape[1] // 3
    eye = np.eye(n_classes)
    for of_model in sums:
        total = of_model.sum(axis=0)
        before = formula(total)
        for row in np.unique(of_model, axis=0):
            true = np.broadcast_to(row[2 * n_classes :], (n_classes, n_classes))
            others = np.hstack([true * eye, eye, true])
            steps.append(np.abs(formula(total - row + others) - before).max())
    return max(steps)


def _gradient(formula, sums):
    steps = _STEP * np.eye(sums.shape[-1])
    change = [formula(sums + step) - formula(sums - step) for step in steps]
    return np.stack(change, axis=-1) / (2 * _STEP)


def swap_sums(formula, kinds, n_resamples, rng, *, added):
    """Return differences of a measure of sums, and errors, of the data and of swaps.

    In a unit of which the models have ``middle + s half`` and ``middle - s half`` (s is
    1 or -1), the influence is ``d middle + s u half``, where d and u are the difference
    and the sum of the gradients of the two scores.

    Parameters
    ----------
    formula : callable
        From sums to scores.
    kinds : UnitKinds
        The units.
    n_resamples : int
        Number of swaps.
    rng : numpy.random.Generator
        Generator of the swaps.
    added : UnitKinds
        Units that count in the errors only.

    Returns
    -------
    difference, error : ndarray of shape (1 + n_resamples,)
        Those of the data first.
    """
    n, total = kinds.count.sum(), kinds.count @ kinds.middle
    moves, columns = (kinds.half != 0).any(axis=1), (kinds.half != 0).any(axis=0)
    middle, half = kinds.middle[moves], kinds.half[moves][:, columns]
    count, n_sums, n_moved = kinds.count[moves], len(total), columns.sum()
    crossed = middle[:, :, np.newaxis] * half[:, np.newaxis]
    terms = np.hstack([half, crossed.reshape(len(middle), n_sums * n_moved)])
    sums = [(2 * kinds.n_plus[moves] - count)[np.newaxis] @ terms]
    for part in batches(n_resamples, max(len(count), 1)):
        shape = part.stop - part.start, len(count)
        if count.max(initial=1) == 1:
            n_plus = rng.integers(2, size=shape, dtype=np.int8)
        else:
            n_plus = rng.binomial(count, 0.5, shape)
        sums.append((2.0 * n_plus - count) @ terms)
    sums = np.vstack(sums)
    moved = np.zeros((len(sums), n_sums))
    moved[:, columns] = sums[:, :n_moved]
    both = kinds.middle.T * kinds.count @ kinds.middle
    own = kinds.half.T * kinds.count @ kinds.half
    both = both + added.middle.T * added.count @ added.middle
    own = own + added.half.T * added.count @ added.half
    at = total + added.count @ added.middle
    first, second = _gradient(formula, at + moved), _gradient(formula, at - moved)
    d, u = first - second, first + second
    crossed = sums[:, n_moved:].reshape(len(sums), n_sums, n_moved)
    gross = ((d @ both) * d).sum(axis=1) + ((u @ own) * u).sum(axis=1)
    mixed = ((d[:, np.newaxis] @ crossed)[:, 0] * u[:, columns]).sum(axis=1)
    squares = gross + 2 * mixed
    squares = np.where(squares > ROUNDING * gross, squares, 0.0)
    difference = formula(total + moved) - formula(total - moved)
    return difference, np.sqrt(squares * n / max(n - 1, 1))


def score_ranks(ranks, relevant, *, is_precision):
    """Return the area under the ROC curve, or average precision, and influences.

    Parameters
    ----------
    ranks : int array of shape (n_draws, n_rows)
        Twice the ranks of scores; the largest is the best.
    relevant : bool array of shape (n_rows,)
        Which rows are positive.
    is_precision : bool
        Whether to return average precision, where rows of one rank are one step.

    Returns
    -------
    values : ndarray of shape (n_draws,)
    influences : ndarray of shape (n_draws, n_rows)
        How far each row moves the value; those of the area are DeLong's.
    """
    n_draws, n_cells = len(ranks), 2 * ranks.shape[1] + 1
    offset = np.arange(n_draws)[:, np.newaxis] * n_cells

    def count(columns):
        cells = (offset + ranks[:, columns]).ravel()
        counts = np.bincount(cells, minlength=n_draws * n_cells)
        return counts.reshape(n_draws, n_cells).astype(np.float64)

    positives, negatives = count(relevant), count(~relevant)
    n_positive, n_negative = relevant.sum(), (~relevant).sum()
    if is_precision:
        true = np.cumsum(positives[:, ::-1], axis=1)[:, ::-1]
        both = np.cumsum((positives + negatives)[:, ::-1], axis=1)[:, ::-1]
        both = np.maximum(both, 1)
        precision = true / both
        values = (positives * precision).sum(axis=1) / n_positive
        gains = precision + np.cumsum(positives / both, axis=1)
        losses = np.cumsum(positives * true / both**2, axis=1)
        of_row = np.take_along_axis(gains, ranks, 1) - values[:, np.newaxis]
        influences = relevant * of_row - np.take_along_axis(losses, ranks, 1)
        return values, influences / n_positive
    below = np.cumsum(negatives, axis=1) - negatives / 2
    above = n_positive - np.cumsum(positives, axis=1) + positives / 2
    below = np.take_along_axis(below, ranks, 1) / n_negative
    above = np.take_along_axis(above, ranks, 1) / n_positive
    values = below[:, relevant].mean(axis=1)
    influences = np.where(
        relevant,
        (below - values[:, np.newaxis]) / n_positive,
        (above - values[:, np.newaxis]) / n_negative,
    )
    return values, influences


def swap_ranks(relevant, first, second, units, n_resamples, rng, *, is_precision):
    """Return differences of a measure of ranks, and errors, of the data and of swaps.

    Each model's scores are ranked among its own, so that their scales do not matter.
    """
    n_units, n_rows = units.max() + 1, len(units)
    differences, errors = [], []
    for part in batches(1 + n_resamples, 4 * n_rows):
        swaps = rng.random((part.stop - part.start, n_units)) < 0.5
        if part.start == 0:
            swaps[0] = False
        swaps = swaps[:, units]
        values, influences = score_ranks(
            np.where(swaps, second, first), relevant, is_precision=is_precision
        )
        swapped_values, swapped_influences = score_ranks(
            np.where(swaps, first, second), relevant, is_precision=is_precision
        )
        influences = influences - swapped_influences
        if n_units < n_rows:
            influences = influences @ (units[:, np.newaxis] == np.arange(n_units))
        differences.append(values - swapped_values)
        squares = (influences**2).sum(axis=1)
        errors.append(np.sqrt(squares * n_units / max(n_units - 1, 1)))
    return np.concatenate(differences), np.concatenate(errors)


@dataclass(frozen=True, eq=False)
class Draws:
    """Differences and errors of a pair: of the data first, then of the swaps.

    Attributes
    ----------
    difference, error : ndarray of shape (1 + n_draws,)
        Of the data, and of each swap.
    n_units, n_differ : int
        Number of units, and of those in which the models differ.
    step : float
        How far one unit can move a score.
    width : float
        The largest possible difference.
    """

    difference: np.ndarray
    error: np.ndarray
    n_units: int
    n_differ: int
    step: float
    width: float

    @cached_property
    def ratios(self):
        """|T| of the data, and of the swaps from the largest."""
        ratios = np.abs(divide_or_zero(self.difference, self.error))
        of_exact = np.where(np.abs(self.difference) > ROUNDING, np.inf, 0.0)
        ratios = np.where(self.error > ROUNDING, ratios, of_exact)
        return ratios[0], np.sort(ratios[1:])[::-1]

    @property
    def p_value(self):
        """The share of swaps, and of the data, whose |T| is at least as large."""
        observed, drawn = self.ratios
        n_reached = np.count_nonzero(drawn >= observed * (1 - 1e-9))
        return (1 + n_reached) / (1 + len(drawn))

    def interval(self, alpha):
        """Return the ends of the interval: 0 lies outside exactly where p ≤ α.

        Where few units differ and p is larger, it is what the upper limit (Clopper and
        Pearson's) of the share of units that differ could do.
        """
        difference, error, p_value = self.difference[0], self.error[0], self.p_value
        _, drawn = self.ratios
        k = rank_of_level(alpha, 1 + len(drawn))
        critical = drawn[k - 1] if k else np.inf
        is_inside = p_value > alpha
        if error <= ROUNDING and not is_inside:  # a model makes no error
            ends = np.nextafter(0, difference), np.copysign(self.width, difference)
            return min(ends), max(ends)
        reach = critical * error * (1 + 1e-9) if error > 0 else 0.0
        if is_inside:
            reach = max(reach, abs(difference))
        low, high = difference - reach, difference + reach
        if is_inside and self.n_differ < _FEWEST_UNITS:
            n_alike = max(self.n_units - self.n_differ, 1e-9)
            share = stats.beta.ppf(1 - alpha, self.n_differ + 1, n_alike)
            low = min(low, -self.step * share * self.n_units)
            high = max(high, self.step * share * self.n_units)
        return max(low, -self.width), min(high, self.width)


class SwapTest(PairedTest):
    """Exchange the predictions of two models in random units, and compare t.

    Exact for any measure if the models are exchangeable, and asymptotically right if
    only their scores are equal.

    References
    ----------
    A. Yeh, "More accurate tests for the statistical significance of result
    differences", COLING 2000.

    E. Chung and J. P. Romano, "Exact and asymptotically robust permutation tests", The
    Annals of Statistics 41 (2013).

    E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas under two
    or more correlated receiver operating characteristic curves", Biometrics 44 (1988).
    """

    label = "studentised swap of predictions"
    unit = "prediction"
    compares_means = False
    covers_few = True
    draws = True

    def __init__(self, pairs):
        super().__init__(pairs)
        self.drawn = [pairs.draw(*pair) for pair in pairs.pairs]
        self.p_value = np.array([draws.p_value for draws in self.drawn])

    def interval(self, alpha):
        """Return the ends of the intervals; see `PairedTest`."""
        return np.array([draws.interval(alpha) for draws in self.drawn])
