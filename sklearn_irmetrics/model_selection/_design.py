"""The design of an evaluation: its method, splits and aggregation."""

import inspect
import re
from copy import copy
from dataclasses import dataclass, replace
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

from sklearn_irmetrics._arrays.numbers import refuse_mask
from sklearn_irmetrics._checks import check_count, check_option
from sklearn_irmetrics.model_selection._fitting import is_trained
from sklearn_irmetrics.model_selection._units import (
    check_apart,
    check_share,
    check_splitter,
    check_stratify,
    is_discrete,
    short,
)
from sklearn_irmetrics.model_selection.splitters import (
    BootstrapSplit,
    HoldoutSplit,
    ResampledSplit,
    SplitsQueries,
    StratifiedQueryKFold,
    StratifiedRowKFold,
)
from sklearn_irmetrics.scorers._responses import is_classifier

# Default number of splits.
METHODS = {
    "holdout": 1,
    "subsampling": 10,
    "kfold": 5,
    "stratified": 5,
    "loocv": None,
    "bootstrap": 100,
    "bootstrap632": 100,
    "bootstrap632+": 100,
}
# Other names, without case, spaces and punctuation.
_OTHER_NAMES = {
    "loo": "loocv",
    "leaveoneout": "loocv",
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
    "n_splits": (None, ("subsampling", *_REPEATED, *BOOTSTRAPS)),
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
    """Return the splitter of one of our names."""
    seed = inputs.seed
    n_splits = METHODS[method] if n_splits is None else n_splits
    if method in _HELD_OUT:
        return HoldoutSplit(
            n_splits, test_size=test_size, stratify=stratify, random_state=seed
        )
    if method in BOOTSTRAPS:
        return BootstrapSplit(n_splits, stratify=stratify, random_state=seed)
    are_rows = inputs.units.are_rows
    if method == "loocv":
        return LeaveOneOut() if are_rows else LeaveOneGroupOut()
    folds = _class_of_folds(method, are_rows, y, stratify)
    options = {}
    if folds in (StratifiedRowKFold, StratifiedQueryKFold):
        options["stratify"] = stratify or True
    return folds(n_splits, shuffle=True, random_state=seed, **options)


def _class_of_folds(method, are_rows, y, stratify):
    """Return the class of the folds of "kfold" and "stratified"."""
    if method == "kfold":
        return KFold if are_rows else GroupKFold
    if not are_rows:
        return StratifiedQueryKFold
    are_classes = stratify in (None, True) and y.ndim == 1 and is_discrete(y)
    return StratifiedKFold if are_classes else StratifiedRowKFold


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


_CORRECTIONS = {"bootstrap632": "632", "bootstrap632+": "632+"}


@dataclass(frozen=True, eq=False)
class Design:
    """The design of an evaluation.

    Attributes
    ----------
    method : str
        Its name, "splitter" if it has none.
    cv : splitter
        The splitter.
    splits : list of Split
        All splits.
    aggregate : dict of str to str
        How scores are aggregated, by measure.
    resample : {"over", "under"} or None
        How training sides are balanced.
    interval : str
        The requested interval.
    """

    method: str
    cv: object
    splits: list
    aggregate: dict
    resample: str | None
    interval: str = "auto"

    @property
    def correction(self):
        """The correction by the score on the training data: "632" or "632+"."""
        return _CORRECTIONS.get(self.method)

    @property
    def is_bootstrap(self):
        """Whether splits are replicates of a bootstrap."""
        balanced = self.cv.cv if isinstance(self.cv, ResampledSplit) else self.cv
        return isinstance(balanced, BootstrapSplit)

    @property
    def has_single_rows(self):
        """Whether a test side is a single row."""
        return any(len(split.test) == 1 for split in self.splits)

    @property
    def pooled(self):
        """Measures scored on the predictions of all splits."""
        return frozenset(m for m, how in self.aggregate.items() if how == "pooled")

    @property
    def n_train(self):
        """The number of rows in each training side."""
        return np.array([split.n_train for split in self.splits])

    @property
    def n_test(self):
        """The number of rows in each test side."""
        return np.array([len(split.test) for split in self.splits])


def make_design(
    inputs, method, *, stratify, resample, whole_queries, classifier, **options
):
    """Return the design of an evaluation without its measures.

    Parameters
    ----------
    inputs : Inputs
        The data.
    method, stratify, resample
        As in `evaluate`.
    whole_queries : bool
        Whether `resample` draws queries rather than rows.
    classifier : bool
        Whether an integer number of folds of rows means stratified folds.
    **options
        `n_splits`, `n_repeats` and `test_size` of `evaluate`.

    Returns
    -------
    Design
    """
    if resample is not None:
        check_option("resample", resample, ("over", "under"))
    name = name_of_method(method)
    method = name if isinstance(method, str) else method
    strata, stratify = strata_of(stratify, inputs.target)
    cv = make_splitter(inputs, method, strata, classifier, stratify=stratify, **options)
    if resample is not None:
        drawn = "query" if whole_queries else "row"
        cv = ResampledSplit(cv, resample, unit=drawn, random_state=inputs.seed)
    splits = make_splits(cv, inputs.X, strata, inputs.units, inputs.queries)
    return Design(name, cv, splits, {}, resample)


def aggregate_design(
    design, estimator, inputs, measures, aggregate, error_score, interval
):
    """Return the design with the checked aggregation of an estimator's scores.

    Parameters
    ----------
    design : Design
        The design for all estimators.
    estimator, aggregate, error_score, interval
        As in `evaluate`.
    inputs : Inputs
        The data.
    measures : list of NamedScorer
        The measures to score.

    Returns
    -------
    Design
    """
    chosen = {m.name: _choose_aggregate(m, aggregate, design) for m in measures}
    if is_trained(estimator):
        _check_what_is_ranked(measures, chosen, aggregate)
    _check_interval(interval, design, chosen)
    needs_both = [
        measure.name
        for measure in measures
        if chosen[measure.name] == "per_split" and measure.needs_both_classes
    ]
    if error_score == "raise":
        check_classes(estimator, inputs.target, design.splits, needs_both)
    return replace(design, aggregate=chosen, interval=interval)


def _choose_aggregate(measure, aggregate, design):
    """Return how the scores of a measure are aggregated.

    The rule of "auto":

    1. a ranking measure that is a mean over queries: "per_query";
    2. folds of a single row: "pooled";
    3. a ranking measure over queries that is no plain mean (GMAP): "pooled";
    4. a bootstrap, and a measure of predicted labels or values: "pooled", in which
       every row counts once however often it was left out, as in the leave-one-out
       bootstrap of Efron & Tibshirani (1997);
    5. otherwise: "per_split", the mean over splits, as in ``cross_validate``.

    Parameters
    ----------
    measure : NamedScorer
        The measure.
    aggregate : {"auto", "per_split", "pooled", "per_query"}
        The requested aggregation.
    design : Design
        The design.

    Returns
    -------
    {"per_split", "pooled", "per_query"}
    """
    if aggregate == "per_query" and not measure.is_mean:
        raise ValueError(
            "aggregate='per_query' needs ranking measures and qid=; "
            f"{measure.name} is not a mean over queries."
        )
    if aggregate == "per_split" and measure.ranks == "fold" and design.has_single_rows:
        raise ValueError(
            f"aggregate='per_split' has no meaning for {measure.name} on folds of one "
            "row; use 'pooled' or 'auto'."
        )
    if aggregate != "auto":
        return aggregate
    if measure.is_mean:
        return "per_query"
    if design.has_single_rows or measure.ranks == "queries":
        return "pooled"
    if design.is_bootstrap and measure.scores_labels and measure.takes_weights:
        return "pooled"
    return "per_split"


def _check_what_is_ranked(measures, chosen, aggregate):
    """Refuse to rank predictions of different models, unless requested."""
    ranked = [m.name for m in measures if m.ranks_rows and chosen[m.name] == "pooled"]
    if ranked and aggregate == "auto":
        names = ", ".join(ranked[:5]) + (", ..." if ranked[5:] else "")
        raise ValueError(
            f"{names} would rank predictions of different models, one for "
            "each row: they cannot be compared, and noise scores far below chance. Use "
            "method='stratified', 'bootstrap', or aggregate='pooled' to rank them all "
            "the same."
        )


def _check_interval(interval, design, chosen):
    """Refuse intervals that the design does not allow."""
    by, is_bootstrap = set(chosen.values()), design.is_bootstrap
    why = None
    if interval == "t":
        why = _why_no_t(design, chosen)
    elif interval in ("bca", "betting") and (is_bootstrap or by != {"per_query"}):
        why = "needs measures that are means over queries, and no bootstrap method"
    elif interval == "corrected_t" and not is_bootstrap:
        if len(design.splits) < 2 or design.method == "loocv":
            why = "needs several splits, such as those of method='kfold'"
        elif "pooled" in by:
            why = "needs scores of splits; aggregate='pooled' has none"
    if why is not None:
        raise ValueError(f"interval={interval!r} {why}.")


def _why_no_t(design, chosen):
    """Return why scores of splits have no plain t interval, None where units have."""
    of_splits = list(chosen)
    if not design.is_bootstrap:
        of_splits = [name for name, how in chosen.items() if how == "per_split"]
    if not of_splits or len(design.splits) == 1:
        return None
    return (
        "needs scores of units, not of splits, which share training data: use 'auto' "
        f"or 'corrected_t' for {', '.join(of_splits)}"
    )


def strata_of(stratify, target):
    """Return the values to stratify by, and the rule."""
    if stratify is None or isinstance(stratify, bool | str) or callable(stratify):
        return target, check_stratify(stratify)
    refuse_mask("stratify", stratify)
    strata = np.asarray(stratify)
    if strata.shape != target.shape[:1]:
        raise ValueError(
            "stratify must be None, True, a name, a callable or an array with one "
            f"value per row, shape {target.shape[:1]}; got shape {strata.shape}."
        )
    return strata, True
