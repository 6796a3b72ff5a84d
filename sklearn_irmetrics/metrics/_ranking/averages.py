"""Turn values per query into one number: undefined queries, weights, kinds of mean."""

import math
from typing import NamedTuple

import numpy as np

from sklearn_irmetrics._checks import check_real
from sklearn_irmetrics._warnings import UndefinedMean, warn_of_undefined

# Why measures are undefined, for warnings.
NOTHING_RELEVANT = "usually because nothing is relevant"
SOMETHING_RELEVANT = "something is relevant"
ONE_CLASS = "all documents are relevant, or none"
NOT_RETRIEVED = "nothing that is relevant was retrieved"
NO_PAIRS = "fewer than two documents, or all equal"
NO_DENOMINATOR = "its denominator is 0"
ONE_LABEL = "all labels are equal"

_SAFE = 2.0**400  # no sum of smaller numbers overflows, weighted or not


EPSILON = 1e-5  # trec_eval's floor under a geometric mean


class Averaged(NamedTuple):
    """Values of queries, and their mean.

    Attributes
    ----------
    values : ndarray of shape (n_queries,)
        Values, NaN or a replacement where undefined.
    mean : float or None
        Their mean; None with ``average=None``.
    n_undefined, n_queries : int
        How many queries the mean leaves out as undefined, and of how many.
    """

    values: np.ndarray
    mean: float | None
    n_undefined: int
    n_queries: int

    @property
    def result(self):
        """What a function of a measure returns: the mean, or the values without it."""
        return self.values if self.mean is None else self.mean

    def undefined_means(self, measure, undefined_if, unit="queries"):
        """Return the mean as an `UndefinedMean` in a list, empty if it is defined."""
        if not self.n_undefined:
            return []
        left_out = f"{self.n_undefined} of {self.n_queries} {unit}"
        return [UndefinedMean(measure, undefined_if, left_out)]


def aggregate(
    per_query,
    weights,
    *,
    name,
    average="macro",
    replace_undefined_by=np.nan,
    epsilon=EPSILON,
    warn=True,
    unit="queries",
    undefined_if=NOTHING_RELEVANT,
):
    """Average values per query, and warn of those left out.

    Parameters
    ----------
    per_query, weights, name, average, replace_undefined_by, epsilon
        As for `average_queries`.
    warn : bool
        Whether to warn of undefined queries that are left out.
    unit : str
        What each value belongs to, for messages.
    undefined_if : str
        Why values are undefined, for messages.

    Returns
    -------
    float, or array of shape (n_queries,) with ``average=None``
    """
    averaged = average_queries(
        per_query,
        weights,
        name=name,
        average=average,
        replace_undefined_by=replace_undefined_by,
        epsilon=epsilon,
    )
    if warn and averaged.n_undefined:
        warn_of_undefined(averaged.undefined_means(name, undefined_if, unit))
    return averaged.result


def average_queries(
    per_query,
    weights,
    *,
    name,
    average="macro",
    replace_undefined_by=np.nan,
    epsilon=EPSILON,
):
    """Average values per query, and warn of nothing.

    Parameters
    ----------
    per_query : ndarray of shape (n_queries,) or (3, n_queries)
        Values, NaN where undefined; with three rows, the second and third are the
        counts whose ratio the value is.
    weights : ndarray of shape (n_queries,) or None
        One weight per query.
    name : str
        The measure, for errors.
    average : {"macro", "micro", "geometric"} or None
        Kind of mean; None: there is none.
    replace_undefined_by : float
        Value of undefined queries; NaN leaves them out.
    epsilon : float
        Floor of each value under the logarithm of a geometric mean.

    Returns
    -------
    Averaged
    """
    counts = None
    if per_query.ndim == 2:
        per_query, *counts = per_query
    kinds = ["macro", "geometric", None, *(["micro"] if counts is not None else [])]
    if not (average is None or isinstance(average, str)) or average not in kinds:
        raise ValueError(f"average must be one of {kinds} for {name}; got {average!r}.")
    replacement = check_replacement(replace_undefined_by)
    n = len(per_query)
    if average == "macro" and weights is None:
        with np.errstate(over="ignore", invalid="ignore"):
            mean = float(np.add.reduce(per_query) / n)
        if math.isfinite(mean):  # so nothing is undefined, and no sum was infinite
            return Averaged(per_query, mean, 0, n)
    values = per_query
    if replacement == replacement:
        values = np.where(np.isnan(per_query), replacement, per_query)
    if average is None:
        return Averaged(values, None, 0, n)
    if average == "micro":
        mean = _micro_average(per_query, counts, weights, replacement)
        return Averaged(values, mean, n if mean != mean else 0, n)
    counted, weights, n_undefined = _drop_undefined(values, weights)
    if not len(counted):
        mean = float("nan")
    elif average == "geometric":
        mean = _geometric_mean(counted, weights, epsilon, name)
    else:
        mean = _mean(counted, weights)
    return Averaged(values, mean, n_undefined, n_undefined + len(counted))


def _drop_undefined(per_query, weights):
    """Return the values that count and are defined, their weights, and how many lack.

    Queries of weight 0 do not count.
    """
    if weights is not None and (weights == 0).any():
        per_query, weights = per_query[weights > 0], weights[weights > 0]
    defined = ~np.isnan(per_query)
    n_undefined = len(per_query) - int(np.count_nonzero(defined))
    if n_undefined:
        per_query = per_query[defined]
        weights = None if weights is None else weights[defined]
    return per_query, weights, n_undefined


def _geometric_mean(values, weights, epsilon, name):
    """Return the geometric mean of values, each at least `epsilon`."""
    if float(values.min()) < -1e-12:  # beyond rounding
        raise ValueError(
            "average='geometric' requires values >= 0, so a measure whose range "
            f"starts at 0; got {float(values.min()):g} from {name}."
        )
    logs = np.log(np.maximum(values, epsilon))
    return float(np.exp(np.average(logs, weights=weights)))


def _mean(values, weights):
    """Return the mean of finite values, even if their sum overflows."""
    if float(abs(values).max()) < _SAFE:
        return float(np.average(values, weights=weights))
    values = values * 2.0**-600
    mean = float(np.average(values, weights=weights))
    # Rounding can put the mean of the largest floats above them.
    return min(max(mean, float(values.min())), float(values.max())) * 2.0**600


def aggregate_rows(rows, weights, *, average="macro", **options):
    """Average several rows of values per query, as `aggregate` does one.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_queries) or (n_rows, 3, n_queries)
        Values per query, undefined in the same queries in every row.

    Returns
    -------
    array of shape (n_rows,), or (n_queries, n_rows) with ``average=None``
    """
    means = [
        aggregate(row, weights, average=average, warn=i == 0, **options)
        for i, row in enumerate(rows)
    ]
    if average is None:
        return np.stack(means, axis=1)
    return np.asarray(means, dtype=np.float64)


def check_replacement(replace_undefined_by):
    """Return `replace_undefined_by` as a float; refuse anything but a real number."""
    value = replace_undefined_by
    if value is np.nan:
        return value
    if isinstance(value, (float, np.floating)) and value != value:
        return np.nan
    return check_real(
        "replace_undefined_by", value, -np.inf, np.inf, "a finite number or NaN"
    )


def _micro_average(values, counts, weights, replacement):
    """Return the ratio of the sums of the counts, a replacement if none is defined."""
    numerators, denominators = counts
    # Pairwise sums: the error of a dot product grows with the number of queries.
    weights = 1.0 if weights is None else weights
    if (weights * (values == values) > 0).any():  # defined in some query
        total = float((weights * denominators).sum())
        return float((weights * numerators).sum()) / total if total > 0 else 0.0
    return replacement


def average_replacements(undefined, weights, **options):
    """Return the contribution of undefined queries to an average, or warn of them.

    Parameters
    ----------
    undefined : bool array of shape (n_queries,)
        Which queries are undefined; the value of all others is taken as 0.
    weights, **options
        As for `aggregate`.

    Returns
    -------
    float
        NaN if nothing is defined.
    """
    return aggregate(np.where(undefined, np.nan, 0.0), weights, **options)


def count_zero(weights):
    """Return the number of queries of weight 0, which count in no average."""
    return 0 if weights is None else int((weights == 0).sum())
