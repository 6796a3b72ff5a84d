"""Estimation methods by name: their splitters, and checks of the splits."""

import inspect
import re
from copy import copy
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from sklearn.model_selection import (
    BaseCrossValidator,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    StratifiedKFold,
    check_cv,
)
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import get_routing_for_object

from sklearn_irmetrics._core.parameters import check_count
from sklearn_irmetrics._measures.responses import is_classifier
from sklearn_irmetrics._tables import PLURAL
from sklearn_irmetrics.model_selection._pairs import LeavePairOut
from sklearn_irmetrics.model_selection._split import (
    BootstrapSplit,
    HoldoutSplit,
    SplitsQueries,
)
from sklearn_irmetrics.model_selection._stratified import (
    StratifiedQueryKFold,
    StratifiedRowKFold,
)
from sklearn_irmetrics.model_selection._units import (
    check_apart,
    check_share,
    check_splitter,
    is_discrete,
    short,
)

# Default number of splits.
METHODS = {
    "holdout": 1,
    "subsampling": 10,
    "kfold": 5,
    "stratified": 5,
    "loocv": None,
    "lpocv": None,
    "bootstrap": 100,
    "bootstrap632": 100,
    "bootstrap632+": 100,
}
# Other names, without case, spaces and punctuation.
_OTHER_NAMES = {
    "loo": "loocv",
    "leaveoneout": "loocv",
    "leavepairout": "lpocv",
    "repeatedholdout": "subsampling",
    "randomsubsampling": "subsampling",
    "stratifiedkfold": "stratified",
    "632": "bootstrap632",
    "632+": "bootstrap632+",
}
BOOTSTRAPS = ("bootstrap", "bootstrap632", "bootstrap632+")
_HELD_OUT = ("holdout", "subsampling")
_REPEATED = ("kfold", "stratified")
# Defaults of arguments of `evaluate`, and the methods that accept other values.
_TAKEN_BY = {
    "n_splits": (None, ("subsampling", *_REPEATED, "lpocv", *BOOTSTRAPS)),
    "n_repeats": (1, _REPEATED),
    "test_size": (1 / 3, _HELD_OUT),
    "stratify": (None, (*_HELD_OUT, "stratified", *BOOTSTRAPS)),
}
_NAMES = f"one of {', '.join(map(repr, METHODS))}, "


def name_of_method(method):
    """Return the name of a method in any spelling, "splitter" for a splitter."""
    if not isinstance(method, str):
        return "splitter"
    name = re.sub(r"[^a-z0-9+]", "", method.lower())
    name = _OTHER_NAMES.get(name, name)
    return name if name in METHODS else method


class RepeatedFolds(SplitsQueries, BaseCrossValidator):
    """A k-fold splitter that is repeated, with other folds each time.

    Parameters
    ----------
    cv : splitter
        With a `random_state`.
    n_repeats : int
        Number of repetitions.
    random_state : int, RandomState instance or None
        Controls the shuffling.
    """

    def __init__(self, cv, n_repeats, *, random_state=None):
        self.cv = cv
        self.n_repeats = n_repeats
        self.random_state = random_state

    def _count(self, X, y, groups):
        return self.n_repeats * self.cv.get_n_splits(X, y, groups)

    def _generate(self, X, y, groups, queries):
        rng = check_random_state(self.random_state)
        folds = copy(self.cv)
        folds.random_state = rng
        for _ in range(self.n_repeats):
            yield from folds.split(X, y, groups)


def make_splitter(
    inputs, method, y, classifier, *, n_splits, n_repeats, test_size, stratify
):
    """Return the splitter of a method.

    Parameters
    ----------
    inputs : Inputs
        The data.
    method : str, int, splitter or iterable of (train, test)
        One of the names, or any ``cv=`` of scikit-learn.
    y : ndarray
        The values to stratify by.
    classifier : bool
        Whether a number of folds of rows means stratified ones.
    n_splits, n_repeats, test_size, stratify
        As in `evaluate`; `stratify` is None, True, a name or a callable.

    Returns
    -------
    splitter

    Raises
    ------
    ValueError
        If the method is unknown or cannot be combined with the other arguments.
    """
    is_named = isinstance(method, str) and method in METHODS
    if n_splits is not None:
        least = 2 if is_named and method in _REPEATED else 1
        check_count("n_splits", n_splits, least)
    check_share("test_size", test_size)
    check_count("n_repeats", n_repeats)
    given = {"n_splits": n_splits, "n_repeats": n_repeats}
    given |= {"test_size": test_size, "stratify": stratify}
    for name, value in given.items():
        usual, methods = _TAKEN_BY[name]
        if value not in (None, usual) and not (is_named and method in methods):
            raise ValueError(
                f"{name}={value!r} requires method={' or '.join(map(repr, methods))}; "
                f"got {method!r}."
            )
    if is_named:
        cv = _named(inputs, method, y, n_splits, test_size, stratify)
        if n_repeats == 1:
            return cv
        return RepeatedFolds(cv, n_repeats, random_state=inputs.seed)
    cv = check_splitter("method", method, _NAMES)
    if isinstance(cv, Integral) and not inputs.units.are_rows:
        return GroupKFold(cv)
    return check_cv(cv, y, classifier=classifier)


def _named(inputs, method, y, n_splits, test_size, stratify):
    units, seed = inputs.units, inputs.seed
    n_splits = METHODS[method] if n_splits is None else n_splits
    if method == "lpocv" and not units.are_rows:
        raise ValueError(
            "method='lpocv' leaves out pairs of rows, but whole "
            f"{PLURAL[inputs.unit]} are split here: use 'kfold' or 'loocv'."
        )
    shuffled = {"shuffle": True, "random_state": seed}
    if method in _HELD_OUT:
        return HoldoutSplit(
            n_splits, test_size=test_size, stratify=stratify, random_state=seed
        )
    if method in BOOTSTRAPS:
        return BootstrapSplit(n_splits, stratify=stratify, random_state=seed)
    if method == "loocv":
        return LeaveOneOut() if units.are_rows else LeaveOneGroupOut()
    if method == "lpocv":
        return LeavePairOut(n_splits, random_state=seed)
    if method == "kfold":
        return (KFold if units.are_rows else GroupKFold)(n_splits, **shuffled)
    if units.are_rows and stratify in (None, True) and y.ndim == 1 and is_discrete(y):
        return StratifiedKFold(n_splits, **shuffled)
    folds = StratifiedRowKFold if units.are_rows else StratifiedQueryKFold
    return folds(n_splits, stratify=stratify or True, **shuffled)


@dataclass(frozen=True, eq=False)
class Split:
    """Rows of the two sides; those of the training side only if it is not the rest.

    Leaving one out of many rows would otherwise fill the memory. `n_train` counts each
    row once, however often it was drawn, because copies are no further data. `is_same`:
    both sides have the same rows.
    """

    test: np.ndarray
    n_train: int
    n_rows: int
    own_train: np.ndarray | None
    is_same: bool = False

    @classmethod
    def of(cls, train, test, n_rows, is_same=False):
        """Return the split with these rows."""
        in_train = np.ones(n_rows, dtype=bool)
        in_train[test] = False
        is_rest = np.array_equal(train, np.flatnonzero(in_train))
        n_train = len(train) if is_rest else len(np.unique(train))
        return cls(test, n_train, n_rows, None if is_rest else train, is_same)

    @property
    def train(self):
        """Rows of the training side."""
        if self.own_train is not None:
            return self.own_train
        return np.delete(np.arange(self.n_rows), self.test)


def make_splits(cv, X, y, units, queries=None):
    """Return all splits, and check that no unit is on both sides.

    Parameters
    ----------
    cv : splitter
        It gets the number of the unit as group, if it takes groups.
    X : array-like
        Data; the splitter may use a column.
    y : ndarray
        Targets.
    units : Units
        The units that must stay whole.
    queries : Units or None
        The queries, for splitters of this package.

    Returns
    -------
    list of Split
    """
    n_rows = len(units.codes)
    groups = None if units.are_rows or not _takes_groups(cv) else units.codes
    of_ours = isinstance(cv, SplitsQueries) and queries is not None
    ids = {"qid": queries.codes} if of_ours else {}
    is_given, splits = isinstance(getattr(cv, "cv", None), list), []
    for train, test in cv.split(X, y, groups, **ids):
        train, test = _as_rows(train, n_rows), _as_rows(test, n_rows)
        if not len(train) or not len(test):
            raise ValueError(f"split {len(splits)} of {short(cv)} has an empty side.")
        # If the given rows of both sides are the same, that is intended.
        is_same = is_given and np.array_equal(np.unique(train), np.unique(test))
        if not is_same:
            check_apart(units, train, test, "method", cv)
        splits.append(Split.of(train, test, n_rows, is_same))
    if not splits:
        raise ValueError(f"method={cv!r} makes no splits.")
    return splits


def _as_rows(side, n_rows):
    """Return row numbers for any form that scikit-learn accepts, including masks."""
    side = np.asarray(side)
    if not side.size:
        return np.zeros(0, dtype=np.intp)
    try:
        return np.arange(n_rows)[side]
    except IndexError as error:
        raise ValueError(
            f"method must yield row numbers below {n_rows}; {error}."
        ) from error


def check_classes(estimator, y, splits, needs_both):
    """Refuse sides of splits with a single class if a classifier needs two.

    Parameters
    ----------
    estimator : estimator
        Models that are not classifiers always pass.
    y : ndarray
        Targets.
    splits : list of Split
        All splits.
    needs_both : list of str
        Measures that a test side with one class leaves undefined.
    """
    if not is_classifier(estimator) or y.ndim != 1:
        return
    codes = np.unique(y, return_inverse=True)[1]
    undefined = (
        f", on which {', '.join(needs_both)} {'is' if len(needs_both) == 1 else 'are'} "
        "not defined; aggregate='pooled' scores the predictions of all splits at once"
    )
    for i, split in enumerate(splits):
        for side, rows in (("training", split.train), ("test", split.test)):
            if np.ptp(codes[rows]) or (side == "test" and not needs_both):
                continue
            raise ValueError(
                f"the {side} side of split {i} has rows of the class {y[rows[0]]} only"
                f"{undefined if side == 'test' else ''}. Use method='stratified', "
                "stratify=True, or fewer splits; error_score=np.nan leaves such splits "
                "out."
            )


def _takes_groups(cv):
    if hasattr(cv, "get_metadata_routing"):
        # "qid": the groups under the name that set_split_request gave them.
        names = ["groups", "qid"]
        return bool(get_routing_for_object(cv).consumes("split", names))
    return "groups" in inspect.signature(cv.split).parameters
