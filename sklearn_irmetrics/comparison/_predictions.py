"""Predictions of several models for the same rows, which `compare` tests."""

from numbers import Number
from typing import NamedTuple

import numpy as np

from sklearn_irmetrics._arrays.labels import check_column_order, check_row_order
from sklearn_irmetrics._arrays.numbers import as_array, as_floats, to_numpy
from sklearn_irmetrics._results.tabular import Evaluated
from sklearn_irmetrics._statistics.swaps import (
    OF_CLASSES,
    OF_LABELS,
    OF_SCORES,
    PairedPredictions,
)
from sklearn_irmetrics.comparison._systems import check_comparable
from sklearn_irmetrics.metrics._intervals import number_groups
from sklearn_irmetrics.metrics._measure import Measure, as_measure
from sklearn_irmetrics.metrics._ranking.sets import number_predictions, refuse_scores
from sklearn_irmetrics.scorers._row_values import row_values
from sklearn_irmetrics.scorers.scorer import read_spelled

# Measures of this package, of rows without queries.
_OUR_MEASURES = {
    "set_accuracy": "accuracy",
    "set_f1": "f1",
    "set_p": "precision",
    "set_recall": "recall",
    "roc_auc": "roc_auc",
    "ap": "average_precision",
}
# Means over rows of given predictions: the function of scikit-learn, and its sign.
_ROW_MEANS = {
    "accuracy": ("accuracy_score", 1),
    "neg_log_loss": ("log_loss", -1),
    "neg_brier_score": ("brier_score_loss", -1),
    "neg_mean_squared_error": ("mean_squared_error", -1),
    "neg_mean_absolute_error": ("mean_absolute_error", -1),
}
_OF_PROBABILITIES = "neg_log_loss", "neg_brier_score"
# Measures of labels that no single query has.
_OF_ALL_ROWS = OF_LABELS.keys() - {"accuracy", *OF_CLASSES}
# Measures of scikit-learn whose positive class is 1 where none is named.
_OF_ONES = {*OF_CLASSES, "average_precision"}
_OF_NUMBERS = "neg_mean_squared_error", "neg_mean_absolute_error"
_SUM_ERROR = 1e-3  # of probabilities that were rounded
_N_SWAPS, _N_SWAPS_OF_RANKS = 4999, 999
_N_SWAPS_PER_PAIR = 100  # so that the smallest p-value is .01 after Holm's correction


class Compared(NamedTuple):
    """What is compared of predictions.

    Attributes
    ----------
    name : str
        The name of a scorer of scikit-learn, or "cohen_kappa".
    pos_label : object
        The positive class, None if the measure has none or names none.
    """

    name: str
    pos_label: object = None


def swap_measure(system, metric):
    """Return the `Compared` measure of a result by its name there, None if unknown."""
    if not isinstance(system, Evaluated) or np.ndim(system.predictions.y_true) != 1:
        return None
    measure = (system.metrics or {}).get(metric)
    if isinstance(measure, Measure):
        of_queries = system.predictions.query_ids is not None
        return None if of_queries else _read_ours(measure, system.predictions.y_true)
    return None if measure is None else _read_theirs(measure)


def _read_ours(measure, y_true, pos_label=None):
    """Return a measure of this package as `Compared`, None if it is not compared.

    It is of a positive class where there is one, and for two classes; more classes are
    averaged.
    """
    name, arguments = _OUR_MEASURES.get(measure.metric.name), dict(measure.arguments)
    pos_label = arguments.pop("pos_label", pos_label)
    if name in OF_CLASSES:
        is_binary = pos_label is not None or len(np.unique(y_true)) == 2
        average = arguments.pop("average", "binary" if is_binary else "macro")
        name = name if average == "binary" else f"{name}_{average}"
    is_known = name in OF_LABELS or name in OF_SCORES
    return Compared(name, pos_label) if is_known and not arguments else None


def _read_theirs(text):
    """Return a function of scikit-learn, as results spell it, as `Compared`, or None.

    Of two classes, 1 is the positive one, unless it names another.
    """
    name, arguments = read_spelled(text)
    pos_label = arguments.pop("pos_label", None)
    if name in OF_CLASSES:
        average = arguments.pop("average", "binary")
        name = name if average == "binary" else f"{name}_{average}"
    if pos_label is None and name in _OF_ONES:
        pos_label = 1
    is_known = name in OF_LABELS or name in OF_SCORES
    return Compared(name, pos_label) if is_known and not arguments else None


def have_one_test_set(systems, metric):
    """Return whether a swap of predictions compares what `evaluate` estimated.

    All models must have one test set each, or labels of rows that were left out one by
    one; several models per system would be compared over splits.
    """
    return all(
        (measure := swap_measure(system, metric)) is not None
        and (
            is_tested_once(system)
            or (measure.name in OF_LABELS and (system.n_test == 1).all())
        )
        for system in systems.values()
    )


def is_tested_once(system):
    """Return whether all predictions are one model's for one test set."""
    return len(system.n_test) == 1 or not system.is_trained


def pair_results(systems, metric, pairs, *, groups, n_resamples, rng):
    """Return the `PairedPredictions` of results of `evaluate`."""
    measure = None
    for name, system in systems.items():
        measure = swap_measure(system, metric)
        if measure is None:
            raise ValueError(
                "test='swap' needs results of evaluate by one of "
                f"{[*OF_LABELS, *OF_SCORES]}, without further arguments; {metric} of "
                f"{name!r} is none of them."
            )
        rows = system.predictions.row
        if len(np.unique(rows)) < len(rows) or system.failures:
            raise ValueError(
                "test='swap' needs one prediction of each row; the splits of "
                f"{name!r} test rows several times, or some failed."
            )
    check_comparable(systems)
    first = next(iter(systems.values()))
    orders = [np.argsort(system.predictions.row) for system in systems.values()]
    y_true = np.asarray(first.predictions.y_true)[orders[0]]
    predictions = {
        name: _response(system, measure)[order]
        for (name, system), order in zip(systems.items(), orders, strict=True)
    }
    if groups is None and first.unit != "row":
        raise ValueError(
            f"test='swap' needs the {first.unit} of each row where {first.unit}s were "
            "kept together: pass groups=, in the order of X."
        )
    if groups is not None:
        groups = groups_of_rows(groups, first.predictions.row[orders[0]])
    paired = _pair(
        measure,
        y_true,
        predictions,
        pairs,
        groups,
        n_resamples=n_resamples,
        rng=rng,
    )
    for (name, system), value in zip(systems.items(), paired.values, strict=True):
        if not np.isclose(value, system.estimate[metric]):
            raise ValueError(
                "test='swap' compares scores of all predictions together: "
                f"{metric} of {name!r} is {value:.4g} there, but was estimated as "
                f"{system.estimate[metric]:.4g}. Evaluate with aggregate='pooled', "
                "without sample_weight, or use test='corrected_ttest'."
            )
    return paired


def groups_of_rows(groups, rows):
    """Return the numbers of the groups of some rows of X, of which each has a group."""
    groups = as_array("groups", groups)
    n_rows = rows.max() + 1
    if groups.ndim != 1 or len(groups) < n_rows:
        raise ValueError(
            "groups must have one value per row of X where rows are compared; got "
            f"shape {groups.shape} for at least {n_rows} rows."
        )
    return number_groups(groups, range(len(groups)))[rows]


def _response(system, measure):
    """Return the predicted labels, or the scores of the positive class."""
    responses = system.predictions.responses
    if measure.name in OF_LABELS:
        return np.asarray(responses["predict"])
    of_first = measure.pos_label == np.unique(system.predictions.y_true)[0]
    if "predict_proba" in responses and "decision_function" not in responses:
        column = 0 if of_first else -1
        return np.asarray(responses["predict_proba"], dtype=np.float64)[:, column]
    response = "decision_function" if "decision_function" in responses else "predict"
    return np.asarray(responses[response], dtype=np.float64) * (-1 if of_first else 1)


def read_predictions(predictions, y_true, metric, pos_label):
    """Return the `Compared` measure, and targets and predictions, checked.

    The measure has a positive class if it needs one.
    """
    y_true = (as_floats if metric in _OF_NUMBERS else as_array)("y_true", y_true)
    if y_true.ndim != 1 or len(y_true) < 2:
        raise ValueError(
            "y_true must be 1-D with at least two rows for given predictions; got "
            f"shape {y_true.shape}."
        )
    if y_true.dtype.kind == "f" and not np.isfinite(y_true).all():
        raise ValueError(
            "y_true must be finite; got NaN or infinity. Leave out rows without a "
            "target."
        )
    measure = _read_metric(metric, y_true, pos_label)
    of_labels = measure.name in OF_LABELS
    read = {}
    for name, values in predictions.items():
        if isinstance(values, Evaluated) or hasattr(values, "predict"):
            raise TypeError(
                "results must be predictions where y_true is given; got "
                f"{type(values).__name__} for {name!r}."
            )
        if metric in _OF_PROBABILITIES:
            _check_columns(f"results[{name!r}]", values, y_true)
        values = as_array(f"results[{name!r}]", values)
        if not of_labels and values.dtype.kind != "f":
            values = as_floats(f"results[{name!r}]", values)
        read[name] = values
        is_matrix = values.ndim == 2 and metric in _OF_PROBABILITIES
        if values.ndim != 1 and not is_matrix:
            of_class = ""
            if measure.name in OF_SCORES:
                of_class = ": scores of the positive class, as predict_proba(X)[:, 1]"
            raise ValueError(
                f"results must be 1-D for metric={metric!r}{of_class}; {name!r} has "
                f"shape {values.shape}."
            )
        if len(values) != len(y_true):
            raise ValueError(
                f"results must have one prediction per row of y_true, {len(y_true)}; "
                f"{name!r} has {len(values)}."
            )
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise ValueError(f"results must be finite; {name!r} is not.")
    if of_labels:
        classes = {f"results[{name!r}]": labels for name, labels in read.items()}
        for name, labels in {"y_true": y_true, **classes}.items():
            refuse_scores(name, labels, "metric='roc_auc'")
    if metric not in _OF_NUMBERS:
        positive = _positive_class(measure, metric, y_true, read, pos_label)
        measure = measure._replace(pos_label=positive)
    return measure, y_true, read


def _check_columns(name, table, y_true):
    """Refuse a data frame whose columns are the classes in another order than sorted.

    Without names of classes, columns are taken to be sorted, as in `predict_proba`.
    """
    columns = [*map(str, getattr(table, "columns", []))]
    classes = [*map(str, _number_classes(y_true, {})[1])]
    if columns != classes and sorted(columns) == sorted(classes):
        raise ValueError(
            f"{name} must have a column per class, in the order {classes}; got "
            f"{columns}. Reorder it: frame[sorted(frame)]."
        )


def _read_metric(metric, y_true, pos_label):
    """Return the measure of given predictions that a name means, as `Compared`."""
    known = [*dict.fromkeys([*OF_LABELS, *OF_SCORES, *_ROW_MEANS])]
    if metric in known:
        return Compared(metric)
    try:
        measure = _read_ours(as_measure("metric", metric), y_true, pos_label)
    except (TypeError, ValueError):
        measure = None
    if measure is None:
        ours = [name for name in _OUR_MEASURES if name not in known]
        raise ValueError(
            f"metric must be one of {[*known, *ours]} for given predictions; got "
            f"{metric!r}."
        )
    return measure


def _positive_class(measure, metric, y_true, predictions, pos_label):
    """Return the positive class of given predictions, None if none is needed.

    It is the one of the measure, or `pos_label`, or the larger of two numbers: for
    measures of scikit-learn that take 1, only where that is the larger.
    """
    of_labels = measure.name in OF_LABELS
    _, classes, codes = _number_classes(y_true, predictions if of_labels else {})
    true = [classes[code] for code in np.unique(codes[0])]
    named = pos_label if measure.pos_label is None else measure.pos_label
    if named is not None and named not in true:
        raise ValueError(
            f"pos_label must be a class of y_true; got {named!r} for {true[:5]}."
        )
    of_one = not of_labels and any(v.ndim == 1 for v in predictions.values())
    if not of_one and measure.name not in OF_CLASSES:
        return measure.pos_label
    if metric in OF_CLASSES and len(classes) > 2:
        raise ValueError(
            f"metric={metric!r} compares two classes, and y_true and results hold "
            f"{len(classes)}: {classes[:5]}. Write '{metric}_macro'."
        )
    if named is not None:
        return named
    is_clear = all(isinstance(label, Number) for label in classes)
    if metric in _OF_ONES:
        is_clear &= {*classes} <= {-1, 0, 1}
    if not is_clear:
        macro = f", or write '{measure.name}_macro'" if metric in OF_CLASSES else ""
        raise ValueError(
            f"metric={metric!r} needs a positive class: pass pos_label={true[0]!r} or "
            f"pos_label={true[-1]!r}{macro}."
        )
    return max(classes)


def refuse_labels(systems, metric):
    """Refuse classes without targets where a measure needs both."""
    if metric in _OF_ALL_ROWS and all(
        np.asarray(to_numpy(system)).dtype.kind in "biu" for system in systems.values()
    ):
        raise ValueError(
            f"y_true must be passed for {metric} of predicted classes; results hold "
            "integers only. Scores of queries or data sets may be floats."
        )


def test_of_predictions(measure, test):
    """Return the test of given predictions; means over rows are tested like queries."""
    name = measure.name
    if name not in _ROW_MEANS:
        if test not in ("auto", "swap"):
            raise ValueError(
                f"test must be 'swap' for {name} of given predictions, which has no "
                f"value of each row; got {test!r}."
            )
        return "swap"
    if test == "swap" and name not in OF_LABELS:
        raise ValueError(
            f"test must be one over rows, such as 'permutation', for {name}, which "
            "is a mean over rows; got 'swap'."
        )
    return test


def values_by_position(predictions, y_true, **values):
    """Return values of the rows of predictions, those of a Series without its index.

    Rows belong together by position; the same labels in another order are refused.
    """
    named = {f"results[{name!r}]": array for name, array in predictions.items()}
    check_row_order(y_true=y_true, **named, **values)
    check_column_order(**named)
    return [
        as_array(name, array) if hasattr(array, "to_numpy") else array
        for name, array in values.items()
    ]


def rows_of_predictions(predictions, y_true, measure):
    """Return the summands of a mean over rows, by system."""
    metric, positive = measure
    (function, sign), classes = _ROW_MEANS[metric], None
    if metric == "accuracy":
        _, names, numbers = _number_classes(y_true, predictions)
        if positive is not None:
            numbers = (np.array(names) == positive)[numbers]
        y_true, *numbers = numbers
        predictions = dict(zip(predictions, numbers, strict=True))
    elif metric in _OF_PROBABILITIES:
        _, names, (y_true,) = _number_classes(y_true, {})
        if len(names) < 2:
            raise ValueError(f"{metric} needs two classes in y_true; got 1.")
        classes = np.arange(len(names))
        for name, values in predictions.items():
            _check_probabilities(f"results[{name!r}]", values, len(names), metric)
        if positive == names[0]:  # of which single probabilities are
            predictions = {
                name: 1 - values if values.ndim == 1 else values
                for name, values in predictions.items()
            }
    return {
        name: sign * row_values(function, y_true, values, classes)
        for name, values in predictions.items()
    }


def _check_probabilities(name, values, n_classes, metric):
    """Refuse values that are not the probabilities of the classes in each row."""
    if values.shape[1:] != (n_classes,) and not (values.ndim == 1 and n_classes == 2):
        of_second = " or those of the positive class alone" if n_classes == 2 else ""
        raise ValueError(
            f"{name} must hold the probabilities of each of the {n_classes} classes in "
            f"y_true{of_second} for metric={metric!r}; got shape {values.shape}."
        )
    outside = values[(values < 0) | (values > 1)]
    if len(outside):
        raise ValueError(
            f"{name} must hold probabilities, from 0 to 1, for metric={metric!r}; got "
            f"{outside[0]:g}."
        )
    if values.ndim == 1:
        return
    sums = values.sum(axis=1, dtype=np.float64)
    wrong = np.flatnonzero(np.abs(sums - 1) > _SUM_ERROR)
    if len(wrong):
        raise ValueError(
            f"{name} must sum to 1 in each row, as probabilities do; got "
            f"{sums[wrong[0]]:.4g} in row {wrong[0]}."
        )


def _number_classes(y_true, predictions):
    """Return the classes and numbers of targets and of the labels of systems."""
    named = [(f"results[{name!r}]", labels) for name, labels in predictions.items()]
    return number_predictions(("y_true", y_true), *named)


def pair_predictions(predictions, y_true, measure, pairs, *, groups, n_resamples, rng):
    """Return the `PairedPredictions` of given predictions."""
    if groups is not None:
        groups = as_array("groups", groups)
        if groups.shape != y_true.shape:
            raise ValueError(
                f"groups must have one value per row of y_true, {len(y_true)}; got "
                f"shape {groups.shape}."
            )
        groups = number_groups(groups, range(len(groups)))
    return _pair(
        measure,
        y_true,
        predictions,
        pairs,
        groups,
        n_resamples=n_resamples,
        rng=rng,
    )


def _pair(measure, y_true, predictions, pairs, groups, *, n_resamples, rng):
    """Return `PairedPredictions` with numbers of classes in place of their names."""
    name, positive = measure
    is_of_labels = name in OF_LABELS
    _, classes, codes = _number_classes(y_true, predictions if is_of_labels else {})
    if not is_of_labels and len(classes) != 2:
        raise ValueError(f"{name} needs two classes in y_true; got {len(classes)}.")
    if name in OF_CLASSES or name in OF_SCORES or positive is not None:
        positive = classes[-1] if positive is None else positive
        codes = (np.array(classes) == positive).astype(np.int64)[codes]
        classes = []
    usual = _N_SWAPS if is_of_labels else _N_SWAPS_OF_RANKS
    usual = max(usual, _N_SWAPS_PER_PAIR * len(pairs) - 1)
    if groups is not None:
        groups = np.unique(groups, return_inverse=True)[1]
    return PairedPredictions(
        y_true=codes[0],
        predictions=list(codes[1:]) if is_of_labels else [*predictions.values()],
        n_classes=max(len(classes), 2),
        measure=name,
        groups=groups,
        pairs=pairs,
        n_resamples=n_resamples or usual,
        rng=rng,
    )
