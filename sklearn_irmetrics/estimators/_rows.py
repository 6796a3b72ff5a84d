"""Rows that a ranker learns from and validates on: checked, sorted and held out."""

import reprlib
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from sklearn.model_selection import GroupShuffleSplit
from sklearn.utils import check_random_state, indexable
from sklearn.utils.validation import column_or_1d, validate_data

from sklearn_irmetrics._arrays.numbers import issparse
from sklearn_irmetrics._arrays.query_ids import group_rows
from sklearn_irmetrics._checks import check_real
from sklearn_irmetrics._compat import safe_indexing
from sklearn_irmetrics.metrics._ranking.batch import check_weights
from sklearn_irmetrics.metrics._ranking.marks import largest_grades
from sklearn_irmetrics.model_selection._inputs import (
    check_lengths,
    count_rows,
    sort_ids,
)
from sklearn_irmetrics.scorers._query_ids import QidColumn


@dataclass(frozen=True)
class LearnerRows:
    """Rows to learn from or to validate on.

    Attributes
    ----------
    X, y : array-like, ndarray
        Features and grades.
    weights : array-like or None
        One weight per row.
    sizes : ndarray of shape (n_queries,) or None
        Number of rows of each query; None without query ids.
    order : ndarray or None
        The original positions of the rows; None if their order is unchanged.
    codes : ndarray of shape (n_rows,) or None
        The number of its query for each row.
    """

    X: object
    y: np.ndarray
    weights: object = None
    sizes: np.ndarray | None = None
    order: np.ndarray | None = None
    codes: np.ndarray | None = None

    @property
    def query_weights(self):
        """One weight per query."""
        if self.weights is None:
            return None
        return self.weights[np.cumsum(self.sizes) - self.sizes]


def check_rows(X, y, qid, sample_weight, *, adjacent):
    """Check rows and, with `adjacent`, bring those of each query together.

    Rows whose queries are already adjacent are not copied. Others are sorted by id, and
    keep their order inside a query.
    """
    check_lengths(count_rows(X), y=y, sample_weight=sample_weight)
    X, y = indexable(X, _check_grades(y))
    if qid is None:
        return LearnerRows(X, y, sample_weight)
    queries = group_rows(qid, len(y))
    weights = check_weights(sample_weight, len(y), "row")
    if weights is not None:
        queries.one_each("sample_weight", weights)
    if not adjacent or queries.order is None:
        return LearnerRows(X, y, weights, queries.lengths, codes=queries.codes())
    codes = number_by_id(queries)
    order = np.argsort(codes, kind="stable")
    X, y, sizes = safe_indexing(X, order), y[order], np.bincount(codes)
    weights = None if weights is None else weights[order]
    return LearnerRows(X, y, weights, sizes, order, codes[order])


def single_grades(y):
    """Return one grade per document: the largest if there is one per subtopic."""
    y = y if hasattr(y, "ndim") else np.asarray(y)
    return largest_grades(y, "y") if y.ndim == 2 and y.shape[1] > 1 else y


def _check_grades(y):
    y = column_or_1d(single_grades(y), warn=True)
    if y.dtype.kind == "O" and not any(isinstance(grade, str) for grade in y):
        y = y.astype(np.float64)
    if y.dtype.kind not in "biuf":
        raise TypeError(f"y must hold grades (real numbers); got type {y.dtype}.")
    if np.isnan(y).any():  # LightGBM would take it for 0
        row = int(np.isnan(y).argmax())
        raise ValueError(
            "y must not contain NaN, because models cannot learn from unjudged rows; "
            f"got one in row {row}."
        )
    return y


def check_same_columns(estimator, X, other):
    """Refuse validation data with other columns than the training data."""
    if all(len(getattr(part, "shape", ())) == 2 for part in (X, other)):
        estimator = copy(estimator)  # which has not seen X before `fit` is through
        validate_data(estimator, X, skip_check_array=True)
        validate_data(estimator, other, reset=False, skip_check_array=True)


def number_by_id(queries):
    """Return for each row the number of its query in the order of ids."""
    return np.argsort(sort_ids(queries.ids))[queries.codes()]


def number_grades(rows, grades):
    """Return rows with their grades numbered from 0 without gaps."""
    if not (known := np.isin(rows.y, grades)).all():
        raise ValueError(
            "eval_set must hold grades that X has, for a classifier of XGBoost; got "
            f"{rows.y[~known][0]}."
        )
    return replace(rows, y=np.searchsorted(grades, rows.y))


def split_column(X, key):
    """Return X without its column of query ids, and the ids.

    Parameters
    ----------
    X : array-like, sparse matrix or dataframe
        The features and the ids.
    key : str or int
        Name or position of the id column.

    Returns
    -------
    X : array, CSR matrix or dataframe
        The other columns.
    ids : ndarray of shape (n_samples,)

    Raises
    ------
    ValueError
        If there is no such column, or its numbers cannot be ids.
    """
    if issparse(X):
        X = X.tocsr()
    elif not hasattr(X, "shape"):
        X = np.asarray(X)
    column = QidColumn(key)
    try:
        ids = column(X)
    except ValueError as error:
        names = getattr(X, "column_names", getattr(X, "columns", None))
        if isinstance(key, str) and names is not None and key not in list(names):
            raise  # it is misspelled
        raise ValueError(
            f"{error} If X comes from a step of a pipeline, which drops the names "
            "of columns or changes ids, wrap QueryRanker around the pipeline: "
            f"QueryRanker(make_pipeline(StandardScaler(), Ridge()), qid={key!r}). Or "
            "pass qid= to fit, by metadata routing in a pipeline or search."
        ) from error
    others = np.delete(np.arange(X.shape[1]), column.place(X))
    return safe_indexing(X, others, axis=1), ids


def zip_eval(eval_set, eval_qid, eval_sample_weight):
    """Return (X, y, qid, weights) of each validation set."""
    eval_set = () if eval_set is None else eval_set
    if not isinstance(eval_set, list | tuple) or not all(
        isinstance(part, list | tuple) and len(part) == 2 for part in eval_set
    ):
        raise TypeError(
            "eval_set must be a list of pairs, such as [(X_valid, y_valid)]; got "
            f"{reprlib.repr(eval_set)}."
        )
    columns = {"eval_qid": eval_qid, "eval_sample_weight": eval_sample_weight}
    for name, values in columns.items():
        if values is None:
            columns[name] = [None] * len(eval_set)
        elif not isinstance(values, list | tuple) or len(values) != len(eval_set):
            got = len(values) if isinstance(values, list | tuple) else type(values)
            raise ValueError(
                f"{name} must be a list with one array per validation set in eval_set, "
                f"{len(eval_set)}; got {got}."
            )
    return [
        (*part, *both) for part, *both in zip(eval_set, *columns.values(), strict=True)
    ]


def hold_out(rows, ids, fraction, random_state):
    """Return (X, y, qid, weights) of the rows to learn from, and to validate on.

    Whole queries are held out, if there are ids.
    """
    X, y, qid, sample_weight = rows
    n_rows = count_rows(X)
    check_lengths(n_rows, y=y, qid=qid, sample_weight=sample_weight)
    fraction = check_real("validation_fraction", fraction, 0, 1, "between 0 and 1")
    rng = check_random_state(random_state)
    splitter = GroupShuffleSplit(1, test_size=fraction, random_state=rng)
    units = np.arange(n_rows)
    if ids is not None:
        units = number_by_id(group_rows(ids, n_rows))
    try:
        (sides,) = splitter.split(units, groups=units)
    except ValueError as error:
        n_units = len(np.unique(units))
        raise ValueError(
            f"validation_fraction must leave {'rows' if ids is None else 'queries'} "
            f"on both sides; got {fraction} of {n_units}."
        ) from error
    return [
        [
            None if column is None else safe_indexing(column, side)
            for column in indexable(*rows)
        ]
        for side in sides
    ]


# Parameters of `fit` of LightGBM, XGBoost and CatBoost that belong to its rows.
_OF_ROWS = {"pairs", "graph", "init_score", "base_margin", "baseline", "subgroup_id"}


def refuse_params_of_rows(fit_params, train, valid):
    """Refuse parameters of `fit` about rows that were sorted by query."""
    bound = _OF_ROWS if train.order is not None else set()
    if any(rows.order is not None for rows in valid):
        bound = bound | {"eval_init_score", "base_margin_eval_set"}
    passed = {name for name, value in fit_params.items() if value is not None}
    if stuck := bound & passed:
        raise ValueError(
            f"{', '.join(sorted(stuck))} cannot be reordered with rows that are sorted "
            "by query: make the rows of each query adjacent first."
        )


def refuse_both(parts, fit_params):
    """Refuse parameters that cannot be divided between training and validation."""
    of_rows = sorted(_OF_ROWS & fit_params.keys())
    if parts or of_rows:
        raise ValueError(
            "validation_fraction must be None if eval_set or parameters about all "
            f"rows are passed; got {', '.join(of_rows) or 'eval_set'}."
        )
