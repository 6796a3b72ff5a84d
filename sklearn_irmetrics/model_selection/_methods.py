"""Estimation methods by name: the splitter of each, and checks of its splits."""

import inspect
import reprlib
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

from sklearn_irmetrics._core.parameters import check_count, check_option
from sklearn_irmetrics._measures.responses import is_classifier
from sklearn_irmetrics._tables import PLURAL
from sklearn_irmetrics.model_selection._resampled import ResampledSplit
from sklearn_irmetrics.model_selection._split import (
    BootstrapSplit,
    HoldoutSplit,
    LeavePairOut,
    SplitsQueries,
    StratifiedQueryKFold,
    StratifiedRowKFold,
)
from sklearn_irmetrics.model_selection._units import (
    check_apart,
    check_share,
    is_discrete,
    short,
)

# Number of splits where none is given.
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
# What others call them.
_OTHER_NAMES = {
    "loo": "loocv",
    "k-fold": "kfold",
    "632": "bootstrap632",
    "632+": "bootstrap632+",
    ".632": "bootstrap632",
    ".632+": "bootstrap632+",
}
BOOTSTRAPS = ("bootstrap", "bootstrap632", "bootstrap632+")
_HELD_OUT = ("holdout", "subsampling")
_REPEATED = ("kfold", "stratified")
_INSTEAD_OF_REPEATS = {
    "holdout": " Repeated holdout is method='subsampling'.",
    **dict.fromkeys(("subsampling", *BOOTSTRAPS), " Set n_splits instead."),
}
_A_METHOD = (
    f"method must be one of {', '.join(map(repr, METHODS))}, a number of folds, a "
    "splitter or an iterable of (train, test)"
)
_STRATIFIED = (*_HELD_OUT, "stratified", *BOOTSTRAPS)


def name_method(method):
    """Return our name of a method, and what is no name as it is."""
    return _OTHER_NAMES.get(method, method) if isinstance(method, str) else method


class RepeatedFolds(SplitsQueries, BaseCrossValidator):
    """A k-fold splitter several times over, with other folds each time.

    Parameters
    ----------
    cv : splitter
        With a `random_state`.
    n_repeats : int
        How many times.
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
    inputs,
    method,
    y,
    *,
    n_splits,
    n_repeats,
    test_size,
    stratify,
    resample,
    whole_queries,
    classifier,
):
    """Return the splitter of a method.

    Parameters
    ----------
    inputs : Inputs
        The data.
    method : str, int, splitter or iterable of (train, test)
        One of the names, or what scikit-learn takes as ``cv=``.
    y : ndarray
        What to stratify by.
    n_splits, n_repeats, test_size, stratify, resample
        As in `evaluate`; `stratify` is None, True, a name or a callable.
    whole_queries : bool
        Whether `resample` draws queries rather than rows.
    classifier : bool
        Whether a number of folds of rows means stratified ones.

    Returns
    -------
    splitter

    Raises
    ------
    ValueError
        If the method is unknown or does not go with the other arguments.
    """
    n_repeats = check_count("n_repeats", n_repeats)
    holds_out = isinstance(method, str) and method in _HELD_OUT
    # The default is for all.
    if check_share("test_size", test_size) != 1 / 3 and not holds_out:
        raise ValueError(
            f"test_size={test_size!r} requires method="
            f"{' or '.join(map(repr, _HELD_OUT))}; got {method!r}."
        )
    if resample is not None:
        check_option("resample", resample, ("over", "under"))
    if isinstance(method, str):
        cv = _named(inputs, method, y, n_splits, test_size, stratify)
        if n_repeats > 1:
            if method not in _REPEATED:
                raise ValueError(
                    f"n_repeats={n_repeats} requires method='kfold' or 'stratified'; "
                    f"got {method!r}.{_INSTEAD_OF_REPEATS.get(method, '')}"
                )
            cv = RepeatedFolds(cv, n_repeats, random_state=inputs.seed)
    else:
        given = {"n_splits": n_splits, "stratify": stratify}
        given["n_repeats"] = None if n_repeats == 1 else n_repeats
        for name, value in given.items():
            if value is not None:
                raise ValueError(
                    f"{name}={value!r} requires the name of a method; set it on the "
                    f"splitter {method!r} instead."
                )
        cv = _as_splitter(method, y, inputs.units, classifier)
    if resample is not None:
        drawn = "query" if whole_queries else "row"
        cv = ResampledSplit(cv, resample, unit=drawn, random_state=inputs.seed)
    return cv


def _as_splitter(method, y, units, classifier):
    """Return what scikit-learn makes of `cv`, but whole groups by number."""
    if isinstance(method, Integral):
        check_count("method", method, 2)
        if not units.are_rows:
            return GroupKFold(method)
    elif isinstance(method, bytes | type) or not hasattr(method, "split"):
        given = reprlib.repr(method)
        method = list(method) if np.iterable(method) else []
        if not method or not all(map(_is_pair, method)):
            raise ValueError(f"{_A_METHOD}; got {given}.")
    return check_cv(method, y, classifier=classifier)


def _is_pair(sides):
    return (
        isinstance(sides, tuple | list | np.ndarray)
        and len(sides) == 2
        and all(map(np.iterable, sides))
    )


def _named(inputs, method, y, n_splits, test_size, stratify):
    units, unit, seed = inputs.units, inputs.unit, inputs.seed
    if method not in METHODS:
        raise ValueError(f"{_A_METHOD}; got {method!r}.")
    least = 2 if method in _REPEATED else 1
    if n_splits is not None:
        check_count("n_splits", n_splits, least)
    fixed = method in ("holdout", "loocv")
    if fixed and n_splits not in (None, METHODS[method]):
        raise ValueError(
            f"n_splits={n_splits!r} cannot be combined with method={method!r}"
            + ("; repeated holdout is method='subsampling'" * (method == "holdout"))
            + "."
        )
    if stratify is not None and method not in _STRATIFIED:
        raise ValueError(
            f"stratify={stratify!r} requires a method among "
            f"{', '.join(map(repr, _STRATIFIED))}; got {method!r}."
        )
    if method == "lpocv" and not units.are_rows:
        raise ValueError(
            "method='lpocv' leaves out pairs of rows, but whole "
            f"{PLURAL[unit]} are split here: use 'kfold' or 'loocv'."
        )
    n_splits = METHODS[method] if n_splits is None else n_splits
    needed = n_splits if method in _REPEATED else 2
    if units.n_units < needed:
        raise ValueError(
            f"method={method!r} needs at least {needed} {PLURAL[unit]}"
            + (f" for n_splits={n_splits}" if method in _REPEATED else "")
            + f"; got {units.n_units}."
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
    """Rows of the two sides, without those of the training side where it is the rest.

    Leaving one out of many rows would fill the memory otherwise. `n_train` counts each
    row once, however often it was drawn: copies are no further data.
    """

    test: np.ndarray
    n_train: int
    n_rows: int
    own_train: np.ndarray | None

    @classmethod
    def of(cls, train, test, n_rows):
        """Return the split with these rows."""
        in_train = np.ones(n_rows, dtype=bool)
        in_train[test] = False
        is_rest = np.array_equal(train, np.flatnonzero(in_train))
        n_train = len(train) if is_rest else len(np.unique(train))
        return cls(test, n_train, n_rows, None if is_rest else train)

    @property
    def train(self):
        """Rows of the training side."""
        if self.own_train is not None:
            return self.own_train
        return np.delete(np.arange(self.n_rows), self.test)


def make_splits(cv, y, units, queries=None):
    """Return all splits, having checked that no unit is on both sides.

    Parameters
    ----------
    cv : splitter
        Gets the number of the unit as group, if it takes groups.
    y : ndarray
        Targets.
    units : Units
        What must stay whole.
    queries : Units or None
        What is ranked, for splitters of ours.

    Returns
    -------
    list of Split
    """
    n_rows = len(units.codes)
    groups = None if units.are_rows or not _takes_groups(cv) else units.codes
    of_ours = isinstance(cv, SplitsQueries) and queries is not None
    ids = {"qid": queries.codes} if of_ours else {}
    splits = []
    for train, test in cv.split(np.zeros((n_rows, 1)), y, groups, **ids):
        train, test = (_as_rows(side, n_rows) for side in (train, test))
        if not len(train) or not len(test):
            raise ValueError(f"split {len(splits)} of {short(cv)} has an empty side.")
        check_apart(units, train, test, "method", cv)
        splits.append(Split.of(train, test, n_rows))
    if not splits:
        raise ValueError(f"method={cv!r} makes no splits.")
    return splits


def _as_rows(side, n_rows):
    """Return row numbers of what scikit-learn takes for them, masks too."""
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
    """Refuse sides of splits with a single class where a classifier needs two.

    Parameters
    ----------
    estimator : estimator
        Anything but a classifier passes.
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
    advice = (
        "Use method='stratified', stratify=True, or fewer splits; error_score=np.nan "
        "leaves such splits out."
    )
    for i, split in enumerate(splits):
        train, test = split.train, split.test
        if np.ptp(codes[train]) == 0:
            raise ValueError(
                f"the training side of split {i} has rows of the class {y[train[0]]} "
                f"only. {advice}"
            )
        if needs_both and np.ptp(codes[test]) == 0:
            raise ValueError(
                f"the test side of split {i} has rows of the class {y[test[0]]} "
                f"only, on which {', '.join(needs_both)} "
                f"{'is' if len(needs_both) == 1 else 'are'} not defined. {advice} "
                "aggregate='pooled' scores the predictions of all splits at once."
            )


def _takes_groups(cv):
    if hasattr(cv, "get_metadata_routing"):
        # "qid": the groups under the name that set_split_request gave them.
        names = ["groups", "qid"]
        return bool(get_routing_for_object(cv).consumes("split", names))
    return "groups" in inspect.signature(cv.split).parameters
