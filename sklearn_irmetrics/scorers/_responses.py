"""Turn predictions of an estimator into targets and scores for measures."""

from functools import partial

import numpy as np
from sklearn.base import is_classifier as sklearn_is_classifier
from sklearn.utils import Tags, TargetTags
from sklearn.utils.metaestimators import available_if

from sklearn_irmetrics._arrays.numbers import as_array, as_numbers, issparse, to_numpy
from sklearn_irmetrics._arrays.query_ids import find_missing
from sklearn_irmetrics._compat import check_response_method, get_response, num_samples
from sklearn_irmetrics._warnings import warn_of_data
from sklearn_irmetrics.metrics._ranking.sets import number_predictions
from sklearn_irmetrics.metrics._registry import RESPONSES


def check_responses(response_method):
    """Return the prediction methods to call, as a tuple of names."""
    is_name = isinstance(response_method, str)
    methods = (response_method,) if is_name else response_method
    is_listed = isinstance(methods, tuple | list) and len(methods) > 0
    if not is_listed or [
        method
        for method in methods
        if not (isinstance(method, str) and method in RESPONSES)
    ]:
        raise ValueError(
            "response_method must be one or several of "
            f"{', '.join(map(repr, RESPONSES))}; got {response_method!r}."
        )
    return tuple(methods)


def is_classifier(estimator):
    """Whether an estimator, of scikit-learn or not, declares itself a classifier."""
    if isinstance(estimator, type):
        return False
    if hasattr(estimator, "__sklearn_tags__"):
        return sklearn_is_classifier(estimator)
    guess = "classifier" if hasattr(estimator, "classes_") else None
    return getattr(estimator, "_estimator_type", guess) == "classifier"


def _has(method):
    return lambda self: hasattr(self.classifier, method)


class ReadClassifier:
    """A fitted classifier whose scores are read in one way, whatever its library.

    Parameters
    ----------
    classifier : classifier
        Fitted.
    classes : ndarray or list of ndarray
        Its classes, ascending; a list with those of each label if a row can have
        several.
    """

    def __init__(self, classifier, classes):
        self.classifier = classifier
        self.classes_ = classes

    @available_if(_has("predict"))
    def predict(self, X):
        """Return the predicted classes."""
        return self.classifier.predict(X)

    @available_if(_has("predict_proba"))
    def predict_proba(self, X):
        """Return the probabilities, a column for each class or label."""
        return self._arrange(self.classifier.predict_proba(X), X)

    @available_if(_has("decision_function"))
    def decision_function(self, X):
        """Return the decision values; of two classes, those of the larger one."""
        return self._arrange(self.classifier.decision_function(X), X)

    def __sklearn_is_fitted__(self):
        return True

    def __sklearn_tags__(self):
        return Tags(estimator_type="classifier", target_tags=TargetTags(required=True))


class SortedClasses(ReadClassifier):
    """A fitted classifier with its classes, and the columns of scores, in order."""

    def __init__(self, classifier, classes, order):
        super().__init__(classifier, classes[order])
        self._order = order

    def _arrange(self, output, X):
        output = _as_scores(output)
        if output.shape[1:] == (len(self._order),):
            return output[:, self._order]
        return -output if self._order == [1, 0] else output


class LabelColumns(ReadClassifier):
    """A fitted classifier of several labels per row, with one score for each label.

    The score is that of the label being 1. The output of the classifier may be a list
    with the scores of the classes of each label: one, if it was constant in training.
    """

    def __init__(self, classifier, n_labels):
        super().__init__(classifier, [np.array([0, 1])] * n_labels)

    def _arrange(self, output, X):
        classes = self.classifier.classes_
        if not isinstance(output, list):
            output = _as_scores(output)
            if self._are_of_labels(output, X):
                return output
            return output[:, np.argmax(classes)]
        columns = list(map(_as_scores, output))
        known = [np.asarray(of_label).tolist() for of_label in classes]
        return np.column_stack(
            [
                scores[:, of_label.index(1)] if 1 in of_label else np.zeros(len(scores))
                for scores, of_label in zip(columns, known, strict=True)
            ]
        )

    def _are_of_labels(self, output, X):
        """Whether columns are labels, not the two classes of a single target.

        Measures of subtopics score classifiers of a single target, too.
        """
        classes = self.classifier.classes_
        if np.ndim(classes[0]) == 1 or len(classes) != 2 or output.shape[1:] != (2,):
            return True
        return len(self.classes_) == 2 == np.ndim(self.classifier.predict(X))


def read_classes(classifier, n_labels=None):
    """Return a fitted classifier with its classes in ascending order.

    Columns of scores follow the classes, and the decision function of two classes is
    that of the larger one. Nothing else reads how an estimator orders its classes.

    Parameters
    ----------
    classifier : classifier
        Fitted.
    n_labels : int or None
        Number of labels of targets that can have several per row; None: one class.

    Returns
    -------
    classifier
        The classifier itself if its classes are in order.
    """
    if isinstance(classifier, ReadClassifier):
        return classifier
    classes = classifier.classes_
    if n_labels is not None:
        per_label = classes if isinstance(classes, list) else []
        has_several = any(
            not {0, 1}.issuperset(np.ravel(labels)) for labels in per_label
        )
        return classifier if has_several else LabelColumns(classifier, n_labels)
    array = np.asarray(to_numpy(classes))
    known = array.tolist()
    try:
        order = sorted(range(len(known)), key=known.__getitem__)
    except TypeError:  # of several kinds, which have no order
        return classifier
    if array is classes and order == list(range(len(known))):
        return classifier
    return SortedClasses(classifier, array, order)


def name_of_estimator(estimator):
    """Return the name of the class of an estimator, for messages."""
    if isinstance(estimator, ReadClassifier):
        estimator = estimator.classifier
    return type(estimator).__name__


def first_response(estimator, response_method):
    """Return the name of the first of some methods that an estimator has."""
    named = estimator.classifier if isinstance(estimator, ReadClassifier) else estimator
    check_response_method(named, response_method)
    if isinstance(response_method, str):
        return response_method
    return next(filter(partial(hasattr, estimator), response_method))


def predict_scores(
    estimator,
    X,
    y,
    response_method,
    *,
    in_queries,
    pos_label=None,
    as_grades=False,
    many_classes=False,
    ask=get_response,
):
    """Return targets, and the scores that a fitted estimator ranks rows by.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    X : array-like
        Rows to predict.
    y : array-like
        Grades or classes.
    response_method : str or tuple of str
        Methods that return scores; the first that the estimator has is used.
    in_queries : bool
        Whether documents are ranked inside queries, by the expected grade if there are
        many classes. If not, each row ranks these classes.
    pos_label : object
        The relevant class of a classifier; None: classes are grades.
    as_grades : bool
        Whether other numbers in `y` than two numeric classes are grades, rather than
        classes that the estimator lacks. With `in_queries`, they always are.
    many_classes : bool
        Whether there are more than two classes, although the estimator, and `y`, may
        lack some of them.
    ask : callable
        ``ask(estimator, method, X, pos_label)`` returns the result of a method, for a
        binary classifier that of this class, or of ``classes_[1]``. Scorers pass one
        that may cache results.

    Returns
    -------
    y_true : array-like
        Unchanged with `pos_label`; otherwise, for a binary classifier, above 0 only for
        its second class.
    y_score : array-like
        One score per row, or one column for each class.
    labels : ndarray or None
        The class of each column of `y_score`, if each row ranks the classes. Those that
        the estimator lacks have the score -inf: they are not ranked.
    """
    method = first_response(estimator, response_method)
    is_one_target, classifies = _is_one_target(y), is_classifier(estimator)
    if classifies:
        estimator = read_classes(estimator, count_labels(y))
    ask, labels = partial(_ask_array, ask, estimator), None
    if not (classifies and is_one_target):
        y_score = ask(method, X, pos_label)
    elif pos_label is not None:
        y_score = _class_response(ask, method, X, _classes_of(estimator), pos_label)
        (y,) = name_others_alike(estimator, pos_label, flat(y))
    else:
        y, y_score, labels = _score_by_classes(
            estimator,
            ask,
            method,
            X,
            y,
            in_queries=in_queries,
            ranks_classes=not (in_queries or as_grades),
            many_classes=many_classes,
        )
    is_column = np.shape(y_score)[1:] in ((), (1,))
    if in_queries and not is_column and is_one_target:
        raise ValueError(
            f"{method} must return one score per row to rank documents inside queries; "
            f"got shape {tuple(y_score.shape)}."
        )
    return y, y_score, labels


def _score_by_classes(
    estimator, ask, method, X, y, *, in_queries, ranks_classes, many_classes
):
    """Return targets, scores and labels by all classes of a classifier."""
    classes = _classes_of(estimator)
    all_classes = _with_unseen(classes, y)
    has_many = many_classes or len(all_classes) > 2
    if has_many and ranks_classes and method != "predict":
        if len(classes) == 1:  # estimators score it in several ways
            y_score = np.zeros((num_samples(X), 1))
        elif len(classes) == 2:
            second = ask(method, X)
            first = ask(method, X, classes.tolist()[0])
            y_score = np.column_stack([first, second])
        else:
            y_score = ask(method, X)
        return _with_labels(y, _add_unseen(y_score, classes, all_classes), all_classes)
    y_score = ask(method, X)
    if len(classes) == 2:
        if method == "predict":
            y_score = y_score == classes.tolist()[1]
        return _binary_target(y, classes), y_score, None
    if in_queries and np.ndim(y_score) > 1:
        return y, _expected_grade(estimator, X, classes, ask), None
    if in_queries:
        return y, y_score, None
    return _with_labels(y, _add_unseen(y_score, classes, all_classes), all_classes)


def _with_labels(y, y_score, all_classes):
    """Return targets and scores, and the classes of the columns of 2-D scores."""
    return (
        (flat(y), y_score, all_classes) if np.ndim(y_score) == 2 else (y, y_score, None)
    )


def _ask_array(ask, estimator, method, X, pos_label=None):
    """Return a prediction as an array, even if it is a list or a column of a table."""
    return _as_scores(ask(estimator, method, X, pos_label))


def _as_scores(output):
    if type(output) is np.ndarray or issparse(output):
        return output
    return as_array("y_score", output)


def _class_response(ask, method, X, classes, pos_label):
    """Return the score of one class, or the rows predicted to have it."""
    if pos_label not in classes.tolist():
        raise ValueError(
            "pos_label must be a class of the estimator; got "
            f"{pos_label!r} for the classes {classes.tolist()!r}."
        )
    y_score = ask(method, X, pos_label)
    if method == "predict":
        return y_score == pos_label
    if np.ndim(y_score) == 2:
        return y_score[:, classes.tolist().index(pos_label)]
    return y_score


def predict_labels(estimator, X, y, *, as_set, as_grades, ask=get_response):
    """Return targets and predicted labels of a fitted estimator, or sets.

    Parameters
    ----------
    estimator, X, y, ask
        As for `predict_scores`.
    as_set : bool
        Whether the second of two numeric classes is the set.
    as_grades : bool
        Whether this also holds if `y` has other numbers.

    Returns
    -------
    y_true, y_pred : array-like
        For sets: whether the second class is the true one, and whether it was
        predicted.
    labels : ndarray or None
        All classes of others: those of the estimator, or its predictions if it does
        not know any, and those that only `y` has.
    """
    y_pred = _ask_array(ask, estimator, "predict", X)
    if not _is_one_target(y):
        return to_numpy(y), y_pred, None
    if is_classifier(estimator):
        y, y_pred = flat(y), flat(y_pred)
        classes = _classes_of(read_classes(estimator))
        labels = _with_unseen(classes, y)
    elif _are_no_classes(y, y_pred, as_set=as_set):
        return to_numpy(y), y_pred, None
    else:
        y, y_pred = flat(y), flat(y_pred)
        _, known, _ = number_predictions(("y_true", y), ("y_pred", y_pred))
        labels = classes = np.asarray([0, 1] if set(known) <= {0, 1} else known)
    if as_set and (as_grades or len(labels) < 3):
        if len(classes) == 2 and classes.dtype.kind in "fiub":
            return _binary_target(y, classes), y_pred == classes.tolist()[1], None
        if classes.tolist() in ([0], [1]):
            return to_numpy(y), y_pred, None
    return to_numpy(y), y_pred, labels


def _are_no_classes(y, y_pred, *, as_set):
    """Whether predictions of a model without classes are a set, scores or a matrix.

    Zeros and ones are a set unless each class is one and `y` has no other grades.
    """
    if issparse(y_pred) or not _is_one_target(y_pred):
        return True
    if y_pred.dtype.kind not in "fiub":
        return False
    is_whole = y_pred.dtype.kind != "f" or (y_pred == np.rint(y_pred)).all()
    has_grades = as_set or not np.isin(y, (0, 1)).all()
    return not is_whole or (has_grades and np.isin(y_pred, (0, 1)).all())


def name_others_alike(estimator, pos_label, *labels):
    """Return labels as those of one other class if none of them is `pos_label`.

    Measures take a class that is not among several for a mistake, but here it is one of
    the estimator's.
    """
    if not is_classifier(estimator) or any(np.ndim(column) != 1 for column in labels):
        return labels
    classes = set(_classes_of(estimator).tolist())
    named = set().union(*(as_array("y_true", column).tolist() for column in labels))
    if pos_label not in classes or pos_label in named or len(classes) < 2:
        return labels
    other = min(classes - {pos_label})
    return tuple(np.full(len(column), other) for column in labels)


def check_labels(y_pred, estimator):
    """Refuse predictions that are not labels."""
    if y_pred.dtype.kind == "f" and (cut := y_pred != np.round(y_pred, 0)).any():
        raise ValueError(
            "y_pred must hold booleans, zeros and ones, or classes; "
            f"{name_of_estimator(estimator)} predicts {y_pred[cut][0]:g}."
        )


def _classes_of(estimator):
    """Return the classes as an array, numbers as numbers."""
    return np.asarray(np.asarray(to_numpy(estimator.classes_)).tolist())


def _with_unseen(classes, y):
    """Return the classes of an estimator and those that only `y` has, in order."""
    known = classes.tolist()
    others = set(as_array("y_true", y).ravel().tolist()).difference(known)
    unseen = [label for label in others if find_missing([label]) is None]
    if not unseen:
        return classes
    try:
        return np.asarray(sorted([*known, *unseen]))
    except TypeError as error:
        raise TypeError(
            f"y_true must hold labels of the kind of the classes {known!r}, on which "
            f"the estimator was trained; got {unseen[0]!r}."
        ) from error


def warn_of_ranked_classes(metric, n_classes):
    """Warn if a measure of ranked classes is usually the mean over classes."""
    if metric.one_vs_rest is not None:
        warn_of_data(
            f"{metric.name} ranks the {n_classes} classes of each row here and "
            "averages over rows, which is not one-vs-rest. For the mean over classes, "
            f"each against the rest, pass scoring={metric.one_vs_rest!r} of "
            "scikit-learn; for one class against the rest, pass pos_label.",
            UserWarning,
            subject=f"the classes that {metric.name} ranks",
        )


def indicators(y, classes):
    """Return a column for each class, True for the rows whose class it is."""
    y = as_array("y_true", y)
    of_class = y[:, np.newaxis] == classes
    unknown = ~of_class.any(axis=1)
    if unknown.any():
        raise ValueError(
            f"y_true must hold only the classes {classes.tolist()!r}; got "
            f"{y[unknown].tolist()[0]!r}."
        )
    return of_class


def _add_unseen(y_score, classes, all_classes):
    """Return class scores with a column of -inf for each class not in `classes`."""
    if y_score.shape[1:] != (len(classes),):  # check_batch reports it
        return y_score
    scores = np.full((len(y_score), len(all_classes)), -np.inf)
    scores[:, np.searchsorted(all_classes, classes)] = y_score
    return scores


def _is_one_target(y):
    """Whether `y` is 1-D or a column, which classifiers treat alike."""
    return 1 in (np.ndim(y), *np.shape(y)[1:])


def count_labels(y):
    """Return the number of labels in a 2-D target, None for one class per row."""
    return None if _is_one_target(y) or np.ndim(y) != 2 else np.shape(y)[1]


def flat(y):
    """Return a column as 1-D, as classifiers treat it; anything else unchanged."""
    is_column = np.shape(y)[1:] == (1,)
    return np.asarray(to_numpy(y)).reshape(-1) if is_column else y


def _binary_target(y, classes):
    """Return `y` with 0 or less for the first class, and more for the second."""
    refuse_two_words(classes)
    first, second = classes.tolist()
    if first == 0:
        return y
    y = as_numbers("y_true", as_array("y_true", y))
    # Not equality: a fold can hold grades that the training fold lacked. NaN stays.
    return np.where(y == y, y >= second, y)


def refuse_two_words(classes):
    """Refuse two classes if it is unknown which one is relevant."""
    if len(classes) == 2 and classes.dtype.kind not in "fiub":
        first, second = classes.tolist()
        raise ValueError(
            f"the estimator has the classes {first!r} and {second!r}: name the "
            f"relevant one, as in pos_label={second!r}. Measures of graded relevance "
            "need numbers instead."
        )


def refuse_unknown_set(estimator, labels):
    """Refuse classes if it is unknown which one is the set."""
    if not is_classifier(estimator) and len(labels) == 1:
        raise ValueError(
            "two classes are needed to tell the set from the rest; y_true and y_pred "
            f"hold only {labels.tolist()!r}. Pass the positive class as pos_label."
        )
    classes = _classes_of(estimator) if is_classifier(estimator) else labels
    if len(classes) == 1 and len(labels) < 3:
        raise ValueError(
            "a classifier needs two classes to tell the set from the rest; this one "
            f"was trained on {classes.tolist()!r} only. Pass the positive class as "
            "pos_label."
        )
    refuse_two_words(labels)


def _expected_grade(estimator, X, classes, ask):
    """Return the mean grade that a multiclass classifier predicts for each document."""
    if classes.dtype.kind not in "fiub":
        raise ValueError(
            "the classes of a multiclass classifier must be numeric grades to rank "
            "documents inside queries, unless one is passed as pos_label; got "
            f"{classes.tolist()!r}."
        )
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            "a multiclass classifier must have predict_proba to be ranked inside "
            "queries by its expected grade; got "
            f"{name_of_estimator(estimator)}, which has none."
        )
    return expected_grades(ask("predict_proba", X), classes)


def expected_grades(probabilities, grades):
    """Return the mean of grades by the probabilities of each row.

    Equal rows have equal means, which a product of matrices does not ensure: BLAS may
    sum the last rows in another order, and documents would no longer be tied.
    """
    probabilities = np.asarray(to_numpy(probabilities), dtype=np.float64)
    return (probabilities * np.asarray(grades, dtype=np.float64)).sum(axis=1)
