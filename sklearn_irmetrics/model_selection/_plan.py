"""What is planned before anything is fitted: splits, aggregates, arguments of fits."""

import inspect
import re
import reprlib
from copy import copy
from dataclasses import dataclass, field, replace
from inspect import Parameter
from numbers import Integral
from operator import attrgetter
from types import SimpleNamespace

import numpy as np
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
)
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, get_routing_for_object

from sklearn_irmetrics._arrays.numbers import to_numpy
from sklearn_irmetrics._checks import check_count
from sklearn_irmetrics._compat import safe_indexing
from sklearn_irmetrics._warnings import warn_of_data
from sklearn_irmetrics.model_selection._inputs import (
    check_apart,
    check_splitter,
    is_discrete,
    short,
)
from sklearn_irmetrics.model_selection._scorers import parameters_of
from sklearn_irmetrics.model_selection.splitters import (
    BootstrapSplit,
    HoldoutSplit,
    ResampledSplit,
    SplitsQueries,
    StratifiedQueryKFold,
    StratifiedRowKFold,
)
from sklearn_irmetrics.scorers._responses import (
    count_labels,
    flat,
    is_classifier,
    read_classes,
)
from sklearn_irmetrics.scorers.scorer import name_of

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
# The method for models that are not trained, whatever the others are tested by.
TEST_SET = "test_set"
BOOTSTRAPS = ("bootstrap", "bootstrap632", "bootstrap632+")
_HELD_OUT = ("holdout", "subsampling")
_WITH_N_SPLITS = ("subsampling", "kfold", "stratified", *BOOTSTRAPS)
_NAMES = f"one of {', '.join(map(repr, METHODS))}, "
# The splitters of a method; those of holdout and subsampling are told by their number.
_SPLITTERS = {
    "kfold": (KFold, GroupKFold, RepeatedKFold),
    "stratified": (
        StratifiedKFold,
        StratifiedGroupKFold,
        StratifiedQueryKFold,
        RepeatedStratifiedKFold,
    ),
    "loocv": (LeaveOneOut, LeaveOneGroupOut),
    "bootstrap": BootstrapSplit,
}


# Such as "10-fold", "5-fold cross-validation", "stratified 10-fold CV".
_NUMBER_OF_FOLDS = re.compile(r"(stratified)?(\d+)folds?(cv|crossvalidation)?")


def read_method(method, n_splits):
    """Return the name of a method in any spelling, and its number of splits.

    Other objects, and names of no method, are returned as they are.
    """
    if not isinstance(method, str):
        return method, n_splits
    name = re.sub(r"[^a-z0-9+]", "", method.lower())
    if numbered := _NUMBER_OF_FOLDS.fullmatch(name):
        n_folds = int(numbered[2])
        if n_splits is not None and n_splits != n_folds:
            raise ValueError(
                f"n_splits must be given once; got method={method!r} and "
                f"n_splits={n_splits!r}."
            )
        return numbered[1] or "kfold", n_folds
    name = _OTHER_NAMES.get(name, name)
    return (name if name in METHODS else method), n_splits


def method_of(cv):
    """Return the name of the method that a splitter stands for, or "splitter"."""
    if isinstance(cv, ResampledSplit):
        return method_of(cv.cv)
    if isinstance(cv, HoldoutSplit):
        return "holdout" if cv.n_splits == 1 else "subsampling"
    for name, splitters in _SPLITTERS.items():
        if isinstance(cv, splitters):
            return name
    return "splitter"


def make_splitter(method, n_splits, inputs, classifier):
    """Return the splitter of a method.

    Parameters
    ----------
    method : str, int, splitter or iterable of (train, test)
        One of the names, or any ``cv=`` of scikit-learn.
    n_splits : int or None
        As in `evaluate`.
    inputs : Inputs
        The data.
    classifier : bool
        Whether a number of folds of rows means stratified ones.

    Returns
    -------
    splitter

    Raises
    ------
    ValueError
        If the method is unknown, or has no number of splits to choose.
    """
    is_named = isinstance(method, str) and method in METHODS
    if n_splits is not None and not (is_named and method in _WITH_N_SPLITS):
        raise ValueError(
            f"n_splits={n_splits!r} requires method="
            f"{' or '.join(map(repr, _WITH_N_SPLITS))}; got {method!r}."
        )
    if is_named:
        return _named_splitter(method, n_splits, inputs)
    cv = check_splitter("method", method, _NAMES)
    if isinstance(cv, Integral) and not inputs.units.are_rows:
        return GroupKFold(cv)
    return _seed_splitter(
        check_cv(cv, inputs.target, classifier=classifier), inputs.seed
    )


def _named_splitter(method, n_splits, inputs):
    """Return the splitter that the name of a method stands for."""
    seed = inputs.seed
    n_splits = METHODS[method] if n_splits is None else n_splits
    if method == "loocv":
        return LeaveOneOut() if inputs.units.are_rows else LeaveOneGroupOut()
    if method in _HELD_OUT:
        return HoldoutSplit(n_splits, random_state=seed)
    if method in BOOTSTRAPS:
        return BootstrapSplit(n_splits, random_state=seed)
    check_count("n_splits", n_splits, 2)
    y, folds = inputs.target, KFold if inputs.units.are_rows else GroupKFold
    if method == "stratified" and not inputs.units.are_rows:
        folds = StratifiedQueryKFold
    elif method == "stratified":
        has_classes = y.ndim == 1 and is_discrete(y)
        folds = StratifiedKFold if has_classes else StratifiedRowKFold
    return folds(n_splits, shuffle=True, random_state=seed)


def _seed_splitter(cv, seed):
    """Return a splitter with this seed if it draws and has no random state."""
    if isinstance(cv, ResampledSplit):
        cv = copy(cv)
        cv.cv = _seed_splitter(cv.cv, seed)
    if getattr(cv, "random_state", seed) is None and getattr(cv, "shuffle", True):
        cv = copy(cv)
        cv.random_state = seed
    return cv


@dataclass(frozen=True, eq=False)
class Split:
    """The training and the test rows; the former only if they are not all others.

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
    def from_rows(cls, train, test, n_rows, is_same=False):
        """Return the split with these rows."""
        in_train = np.ones(n_rows, dtype=bool)
        in_train[test] = False
        is_rest = np.array_equal(train, np.flatnonzero(in_train))
        n_train = len(train) if is_rest else len(np.unique(train))
        return cls(test, n_train, n_rows, None if is_rest else train, is_same)

    @property
    def train(self):
        """The training rows."""
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
    groups = None
    if not units.are_rows and hasattr(cv, "get_metadata_routing"):
        # "qid": the groups under the name that set_split_request gave them.
        groups = units.codes if _consumes(cv, "split", ["groups", "qid"]) else None
    elif not units.are_rows:
        takes_groups = "groups" in inspect.signature(cv.split).parameters
        groups = units.codes if takes_groups else None
    of_ours = isinstance(cv, SplitsQueries) and queries is not None
    ids = {"qid": queries.codes} if of_ours else {}
    is_given, splits = isinstance(getattr(cv, "cv", None), list), []
    for train, test in cv.split(X, y, groups, **ids):
        train, test = _as_rows((train, test), n_rows)
        if not len(train) or not len(test):
            raise ValueError(
                f"split {len(splits)} of {short(cv)} has no training rows or no test "
                "rows."
            )
        # If the given rows of both sides are the same, that is intended.
        is_same = is_given and np.array_equal(np.unique(train), np.unique(test))
        if not is_same:
            check_apart(units, train, test, "method", cv)
        splits.append(Split.from_rows(train, test, n_rows, is_same))
    if not splits:
        raise ValueError(f"method={cv!r} makes no splits.")
    return splits


def _as_rows(sides, n_rows):
    """Return the row numbers of both sides of a split.

    Scikit-learn accepts numbers and masks, in arrays and lists.
    """
    every_row, rows = np.arange(n_rows), []
    for side in map(np.asarray, sides):
        try:
            rows.append(every_row[side] if side.size else every_row[:0])
        except IndexError as error:
            raise ValueError(
                f"method must yield row numbers below {n_rows}; {error}."
            ) from error
    return rows


def _check_classes(y, splits, needs_both):
    """Refuse sides of splits with a single class, where a classifier needs two.

    Parameters
    ----------
    y : ndarray
        Targets of a classifier.
    splits : list of Split
        All splits.
    needs_both : list of str
        Measures that are undefined on test rows of a single class.
    """
    codes = np.unique(y, return_inverse=True)[1]
    undefined = (
        f", on which {', '.join(needs_both)} {'is' if len(needs_both) == 1 else 'are'} "
        "not defined; aggregate='pooled' scores the predictions of all splits at once"
    )
    for i, split in enumerate(splits):
        for side, rows in (("training", split.train), ("test", split.test)):
            if not len(rows) or np.ptp(codes[rows]):
                continue
            if side == "test" and not needs_both:
                continue
            raise ValueError(
                f"the {side} data of split {i} have only the class {y[rows[0]]}"
                f"{undefined if side == 'test' else ''}. Use method='stratified', "
                "HoldoutSplit(stratify=True), BootstrapSplit(stratify=True) or fewer "
                "splits; error_score=np.nan leaves such splits out."
            )


_CORRECTIONS = {"bootstrap632": "632", "bootstrap632+": "632+"}


@dataclass(frozen=True, eq=False)
class Design:
    """The design of an evaluation.

    Attributes
    ----------
    method : str
        The name of the method, "splitter" if it has none.
    cv : splitter
        The splitter.
    splits : list of Split
        All splits.
    aggregate : dict of str to str
        How scores are aggregated, by measure.
    interval : str
        The requested interval.
    note : str
        Which arguments are not used.
    """

    method: str
    cv: object
    splits: list
    aggregate: dict = field(default_factory=dict)
    interval: str = "auto"
    note: str = ""

    @property
    def trains(self):
        """Whether each split has a model of its own, rather than one test set."""
        return self.method != TEST_SET

    @property
    def correction(self):
        """The correction by the score on the training data: "632" or "632+"."""
        return _CORRECTIONS.get(self.method)

    @property
    def is_bootstrap(self):
        """Whether splits are replicates of a bootstrap."""
        return self.method in BOOTSTRAPS

    @property
    def resampling(self):
        """How training data are balanced: "over", "under" or None."""
        return self.cv.strategy if isinstance(self.cv, ResampledSplit) else None

    @property
    def has_single_rows(self):
        """Whether a split tests a single row."""
        return any(len(split.test) == 1 for split in self.splits)

    @property
    def n_train(self):
        """The number of training rows in each split."""
        return np.array([split.n_train for split in self.splits])

    @property
    def n_test(self):
        """The number of test rows in each split."""
        return np.array([len(split.test) for split in self.splits])


def make_design(method, n_splits, inputs, estimators):
    """Return the design of an evaluation without what depends on its scorers.

    Parameters
    ----------
    method, n_splits
        As in `evaluate`.
    inputs : Inputs
        The data.
    estimators : list of estimator
        If one of those that are trained is a classifier, an integer number of folds of
        rows means stratified folds. If none is trained, the design has no splits.

    Returns
    -------
    Design
    """
    trained = list(filter(is_trained, estimators))
    requested, (method, n_splits) = method, read_method(method, n_splits)
    cv = make_splitter(method, n_splits, inputs, any(map(is_classifier, trained)))
    name = method if isinstance(method, str) else method_of(cv)
    if trained:
        splits = make_splits(cv, inputs.X, inputs.target, inputs.units, inputs.queries)
        return Design(name, cv, splits)
    is_default = isinstance(requested, str) and requested == "kfold"
    unused = [] if is_default else [f"method={reprlib.repr(requested)}"]
    unused += [] if n_splits is None else [f"n_splits={n_splits!r}"]
    note = f"not used: {', '.join(unused)}" if unused else ""
    return Design(name, cv, [], note=note)


def complete_design(
    shared_design, estimator, inputs, scorers, *, aggregate, interval, error_score
):
    """Return the design for one estimator: that of all, its aggregates and intervals.

    Refused are methods, aggregates and intervals that do not go with the estimator or
    with each other, and splits that a classifier cannot be trained or scored on.

    Parameters
    ----------
    shared_design : Design
        The design for all estimators.
    estimator, aggregate, interval, error_score
        As in `evaluate`.
    inputs : Inputs
        The data.
    scorers : list of ModelScorer
        What scores it.

    Returns
    -------
    Design
    """
    design = shared_design
    if not is_trained(estimator):
        if design.correction is not None:
            raise ValueError(
                f"method={design.method!r} corrects with the score on the training "
                f"data, and {name_of(estimator)} is not trained: leave out method."
            )
        # All rows that other models are tested on; all rows, if there are none.
        rows = np.arange(len(inputs.target))
        if design.splits:
            rows = np.unique(np.concatenate([split.test for split in design.splits]))
        nothing = np.zeros(0, dtype=np.intp)
        test_set = Split(rows, n_train=0, n_rows=len(inputs.target), own_train=nothing)
        design = Design(TEST_SET, "one test set", [test_set], note=design.note)
    chosen = {m.name: _choose_aggregate(m, aggregate, design) for m in scorers}
    if design.trains and aggregate == "auto":
        _check_what_is_ranked(scorers, chosen)
    _check_interval(interval, design, chosen)
    if error_score == "raise" and inputs.target.ndim == 1 and is_classifier(estimator):
        needs_both = [
            scorer.name
            for scorer in scorers
            if chosen[scorer.name] == "per_split" and scorer.needs_both_classes
        ]
        _check_classes(inputs.target, design.splits, needs_both)
    return replace(design, aggregate=chosen, interval=interval)


def _choose_aggregate(scorer, aggregate, design):
    """Return how the scores of a scorer are aggregated, as requested if possible."""
    if aggregate == "auto":
        return _usual_aggregate(scorer, design)
    if aggregate == "per_query" and not scorer.is_mean:
        raise ValueError(
            "aggregate='per_query' needs ranking measures and qid=; "
            f"{scorer.name} is not a mean over queries."
        )
    if aggregate == "per_split" and scorer.ranks == "fold" and design.has_single_rows:
        raise ValueError(
            f"aggregate='per_split' has no meaning for {scorer.name} on folds of one "
            "row; use 'pooled' or 'auto'."
        )
    return aggregate


def _usual_aggregate(scorer, design):
    """Return how "auto" aggregates the scores of a scorer.

    1. a ranking measure that is a mean over queries: "per_query";
    2. folds of a single row: "pooled";
    3. a ranking measure over queries that is no plain mean (GMAP): "pooled";
    4. a bootstrap, and a measure of predicted labels or values: "pooled", in which
       every row counts once however often it was left out, as in the leave-one-out
       bootstrap of Efron & Tibshirani (1997);
    5. otherwise: "per_split", the mean over splits, as in ``cross_validate``.
    """
    if scorer.is_mean:
        return "per_query"
    if design.has_single_rows or scorer.ranks == "queries":
        return "pooled"
    if design.is_bootstrap and scorer.scores_labels and scorer.takes_weights:
        return "pooled"
    return "per_split"


def _check_what_is_ranked(scorers, chosen):
    """Refuse to rank predictions of different models."""
    ranked = [m.name for m in scorers if chosen[m.name] == "pooled" and m.ranks_rows]
    if ranked:
        names = ", ".join(ranked[:5]) + (", ..." if ranked[5:] else "")
        raise ValueError(
            f"{names} would rank predictions of different models, because this method "
            "trains one for each row. Even a useless model then scores far below "
            "chance. Use method='stratified' or 'bootstrap', or aggregate='pooled' to "
            "rank them anyway."
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
        if not design.trains:
            why = "needs models that were trained on several splits, and nothing is"
        elif len(design.splits) < 2 or design.method == "loocv":
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


PREDICTION_METHODS = ("predict", "predict_proba", "decision_function")


def is_trained(model):
    """Whether a model is trained here; others are used without copies.

    Those are functions, objects without `fit`, and what is frozen.
    """
    if isinstance(model, Pipeline):
        return any(is_trained(step) for _, step in model.steps)
    has_fit = callable(getattr(model, "fit", None))
    return has_fit and not isinstance(model, FrozenEstimator)


def check_model(model):
    """Refuse objects that can neither be trained nor predict."""
    if isinstance(model, type):
        raise TypeError(
            f"estimator must be an instance, such as {model.__name__}(); got the class "
            f"{model.__name__}."
        )
    is_data = hasattr(model, "shape") and not hasattr(model, "predict")
    if is_data or isinstance(model, list | tuple):  # a Series can rank
        raise TypeError(
            f"estimator must be a model; got {type(model).__name__}. Score given "
            "predictions with class_report(y, predictions) or compare({name: "
            "predictions, ...}, y_true=y, metric=...)."
        )
    if not (is_trained(model) or _methods_of(model)):
        raise TypeError(
            f"estimator must have fit, {', '.join(PREDICTION_METHODS)} or rank, or be "
            f"a function of X, or a dict of these; got {reprlib.repr(model)}."
        )


def new_copy(model):
    """Return an unfitted copy of a model that is trained."""
    try:
        return clone(model, safe=False)
    except Exception as error:
        name = type(model).__name__
        raise TypeError(
            f"estimator must be copied for each split, but {name} cannot be: give it a "
            f"method __sklearn_clone__ that returns a new unfitted {name}, or leave "
            "out fit if nothing has to be trained."
        ) from error


def as_scored(model, y):
    """Return a fitted model in the form that scorers need.

    Parameters
    ----------
    model : object
        Fitted, or not trained at all.
    y : ndarray
        All targets. Class scores of a model without `classes_` are those of 0 and 1 if
        these are 0 and 1.

    Returns
    -------
    object
        The model itself if scorers know its methods, and its classes are in order.
    """
    methods = _methods_of(model)
    if not methods:
        raise TypeError(
            f"estimator must have one of the methods {_PREDICTION_NAMES} after its "
            f"fit; got {type(model).__name__}, which has none."
        )
    probabilities, classifies = methods.get("predict_proba"), is_classifier(model)
    is_known = hasattr(model, "classes_") or not (probabilities or classifies)
    if is_known and hasattr(model, next(iter(methods))):
        return read_classes(model, count_labels(y)) if classifies else model
    if probabilities is not None and set(np.unique(y).tolist()) <= {0, 1}:

        def both_classes(X):  # or only the probability of 1 comes
            known = flat(np.asarray(to_numpy(probabilities(X))))
            return np.column_stack([1 - known, known]) if known.ndim == 1 else known

        methods["predict_proba"], methods["classes_"] = both_classes, np.array([0, 1])
    as_named = type(name_of(model), (SimpleNamespace,), {})  # in messages
    return as_named(**methods)


def takes_targets(fit, others):
    """Whether `fit` takes y after X, rather than one of the other arguments."""
    parameters, positional = parameters_of(fit), []
    for parameter in parameters.values():
        if parameter.kind is Parameter.VAR_POSITIONAL:
            return True
        if parameter.kind in (
            Parameter.POSITIONAL_ONLY,
            Parameter.POSITIONAL_OR_KEYWORD,
        ):
            positional.append(parameter)
    if len(positional) < 2:
        return not parameters
    second = positional[1]
    is_needed = second.default is second.empty and second.name not in others
    return is_needed or second.name.startswith("y")


_PREDICTION_NAMES = f"{', '.join(PREDICTION_METHODS)} and rank"


def _methods_of(model):
    """Return the prediction methods of a model, by the names that scorers know."""
    methods = {}
    for name in PREDICTION_METHODS:
        if callable(method := getattr(model, name, None)):
            methods[name] = method
    if not methods and callable(getattr(model, "rank", None)):
        methods["predict"] = model.rank
    elif not methods and callable(model) and not is_trained(model):
        methods["predict"] = model
    return methods


# Metadata that is passed only to functions that name it.
_OF_ALL = {"qid", "groups", "sample_weight"}


@dataclass(frozen=True)
class FitPlan:
    """How to fit the estimator on some rows.

    Attributes
    ----------
    estimator : estimator
        Unfitted, cloned for each split; or not trained, and used without a copy.
    metadata : dict of str to object
        Further arguments of `fit`; those with an entry per row are sliced.
    routed : bool
        Whether to fit under metadata routing.
    qid_codes : ndarray of shape (n_samples,) or None
        Queries by number, for a bootstrap: a query drawn twice is passed to `fit` as
        two queries. None for searches, whose inner folds must keep copies together.
    seed : int or None
        Source of seeds for the estimator's unset random states.
    unset : list of str
        Parameters that hold unset random states; none without a seed.
    trains : bool
        Whether there is anything to fit.
    takes_targets : bool
        Whether `fit` takes y.
    is_pairwise : bool
        Whether X holds kernels or distances, a column for each row.
    """

    estimator: object
    metadata: dict
    routed: bool
    qid_codes: np.ndarray | None
    seed: int | None
    unset: list
    trains: bool
    takes_targets: bool
    is_pairwise: bool

    def fit(self, X, y, rows, split):
        """Return a clone fitted on `rows`; `split` is its number, for random states.

        A model that is not trained is returned unchanged.
        """
        if not self.trains:
            return self.estimator
        estimator = new_copy(self.estimator)
        if self.unset:
            drawn = np.random.SeedSequence([self.seed, split])
            seeds = (drawn.generate_state(len(self.unset)) >> 1).tolist()
            estimator.set_params(**dict(zip(self.unset, seeds, strict=True)))
        metadata = slice_metadata(self.metadata, rows, y.shape[0])
        if self.qid_codes is not None and "qid" in metadata:
            copies = _number_copies(rows)
            if copies.any():
                codes = self.qid_codes[rows]
                metadata["qid"] = codes * (copies.max() + 1) + copies
        routed = self.routed or get_config()["enable_metadata_routing"]
        with config_context(enable_metadata_routing=routed):
            data = [self.take_rows(X, rows, rows)]
            data += [safe_indexing(y, rows)] if self.takes_targets else []
            estimator.fit(*data, **metadata)
        return estimator

    def take_rows(self, X, rows, train):
        """Return rows of X; for kernels and distances, only their `train` columns."""
        return X[np.ix_(rows, train)] if self.is_pairwise else safe_indexing(X, rows)


def plan_fit(estimator, inputs, scorers, seed):
    """Decide what `fit` gets: ids, groups and weights only if it accepts them.

    Parameters
    ----------
    estimator : estimator
        Any model.
    inputs : Inputs
        The data. Inner cross-validation keeps their units whole, too.
    scorers : list of ModelScorer
        Scorers that may take the user's own metadata, which `fit` then need not take.
    seed : int or None
        Seed of random states of the estimator that are None.

    Returns
    -------
    FitPlan

    Raises
    ------
    ValueError
        If weights or a parameter reach nothing, or a ranker needs its queries in
        another form.
    """
    trains = is_trained(estimator)
    estimator = new_copy(estimator) if trains else estimator
    # Its parameters, and those of the estimators inside it.
    nested = estimator.get_params(deep=True) if hasattr(estimator, "get_params") else {}
    groups = None if inputs.units.are_rows else inputs.units.codes
    metadata = dict(inputs.metadata)
    if not inputs.fits_qid:
        metadata.pop("qid", None)
    if groups is not None:
        metadata["groups"] = groups
    accepted, routed, has_inner_cv = set(), False, False
    if metadata:
        optional = set().union(*map(attrgetter("requested"), scorers))
        with config_context(enable_metadata_routing=True):
            if "qid" in metadata:
                _request_qid(nested)
            has_inner_cv = _group_inner_cv(estimator, nested, groups)
        metadata, accepted, routed = _accepted_by_fit(estimator, metadata, optional)
        if "qid" in metadata and "qid" not in accepted:
            _check_ranker(estimator)
        _check_reached(estimator, metadata, accepted, optional)
    unset = []
    if seed is not None:
        unset = [
            name
            for name, value in nested.items()
            if name.rpartition("__")[2] == "random_state" and value is None
        ]
    has_tags = hasattr(estimator, "__sklearn_tags__")
    copies_queries = inputs.queries is not None and not has_inner_cv
    return FitPlan(
        estimator,
        metadata={name: metadata[name] for name in sorted(accepted)},
        routed=routed,
        qid_codes=inputs.queries.codes if copies_queries else None,
        seed=seed,
        unset=sorted(unset),
        trains=trains,
        takes_targets=trains and takes_targets(estimator.fit, accepted),
        is_pairwise=has_tags and get_tags(estimator).input_tags.pairwise,
    )


def _accepted_by_fit(estimator, metadata, optional):
    """Return metadata, the names that `fit` accepts, and whether it is routed.

    Without routing, parameters of a pipeline or a search are written as
    step__parameter, and so are the weights that are added under that name.
    """
    own_names = metadata.keys() - _OF_ALL - optional
    with config_context(enable_metadata_routing=True):
        routing = get_routing_for_object(estimator)
        accepted = set(routing.consumes("fit", metadata))
    if not isinstance(routing, MetadataRouter):
        parameters = _parameters(estimator)
        accepted |= metadata.keys() & parameters.keys()
        if Parameter.VAR_KEYWORD in map(attrgetter("kind"), parameters.values()):
            accepted |= own_names
        return metadata, accepted, False
    if accepted or get_config()["enable_metadata_routing"]:
        return metadata, accepted, True
    if "sample_weight" in metadata and (name := _weight_name(estimator)):
        return metadata | {name: metadata["sample_weight"]}, own_names | {name}, False
    return metadata, own_names, False


def _check_reached(estimator, metadata, accepted, optional):
    """Refuse weights and parameters that reach neither `fit` nor a scorer."""
    is_weighed = "sample_weight" in metadata and is_trained(estimator)
    # "sample_weight", or "step__sample_weight".
    if is_weighed and not any(
        name.rpartition("__")[2] == "sample_weight" for name in accepted
    ):
        raise ValueError(
            "sample_weight must be accepted by the estimator's fit; "
            f"{type(estimator).__name__} takes none, or no step of it requests it "
            "(set_fit_request(sample_weight=True))."
        )
    if unused := sorted(metadata.keys() - _OF_ALL - accepted - optional):
        raise ValueError(
            f"params must reach the estimator's fit or a scorer; {unused} reach "
            "neither. Request them with set_fit_request or set_score_request."
        )


def slice_metadata(metadata, rows, n_samples):
    """Return the values of some rows; keep those without an entry per row."""
    sliced = {}
    for name, value in metadata.items():
        if hasattr(value, "shape"):
            per_row = tuple(value.shape[:1]) == (n_samples,)
        else:
            sized = hasattr(value, "__len__") and not isinstance(value, str | dict)
            per_row = sized and len(value) == n_samples
        sliced[name] = safe_indexing(value, rows) if per_row else value
    return sliced


def _parameters(estimator):
    return parameters_of(getattr(estimator, "fit", None))


def _check_ranker(estimator):
    """Refuse a model whose last step wants queries in a form that folds do not keep."""
    last = estimator
    while getattr(last, "steps", None) or _is_search(last):
        last = last.estimator if _is_search(last) else last.steps[-1][1]
    parameters = _parameters(last)
    wanted = {"group", "group_id"} & parameters.keys()
    if wanted and "qid" not in parameters:
        raise ValueError(
            f"{type(last).__name__}.fit expects queries as {sorted(wanted)[0]!r}, "
            "which cannot be split into folds: wrap it in "
            "sklearn_irmetrics.estimators.QueryRanker."
        )


def _is_search(estimator):
    return hasattr(estimator, "cv") and hasattr(estimator, "estimator")


def _request_qid(nested):
    """Request `qid` for every step whose fit takes it, unless its request is set."""
    for step in nested.values():
        if not hasattr(step, "set_fit_request") or not hasattr(step, "fit"):
            continue
        if "qid" in _parameters(step):
            requests = get_routing_for_object(step).fit.requests
            if requests.get("qid") is None:
                step.set_fit_request(qid=True)


def _group_inner_cv(estimator, nested, groups):
    """Make inner searches keep groups whole; return whether there is an inner cv."""
    has_inner_cv = False
    for name, cv in nested.items():
        if name.rpartition("__")[2] != "cv":
            continue
        has_inner_cv = True
        by_number = cv is None or isinstance(cv, Integral)
        if groups is not None and (
            by_number
            or (hasattr(cv, "split") and not _consumes(cv, "split", ["groups", "qid"]))
        ):
            _keep_whole(estimator, name, cv, by_number)
    return has_inner_cv


def _keep_whole(estimator, name, cv, by_number):
    """Make the inner search of a `cv` parameter split whole groups.

    If its `cv` is a splitter, warn instead. A search that passes no groups on to a
    splitter that takes them stays as it is.
    """
    whole_groups = GroupKFold(cv if isinstance(cv, Integral) else 5)
    owner = name.rpartition("__")[0]
    search = estimator.get_params()[owner] if owner else estimator
    with_groups = clone(search, safe=False).set_params(cv=whole_groups)
    if not _consumes(with_groups, "fit", ["groups"]):
        return
    if by_number:
        estimator.set_params(**{name: whole_groups})
    else:
        warn_of_data(
            f"the inner {name}={cv!r} takes no groups and splits queries or groups "
            "between its training and test folds. Set "
            f"{name}=GroupKFold(5) to keep them whole.",
            UserWarning,
        )


def _consumes(consumer, method, names):
    return bool(get_routing_for_object(consumer).consumes(method, names))


def _weight_name(estimator):
    """Return the name of the `fit` argument for weights without metadata routing."""
    if getattr(estimator, "steps", None):
        step, last = estimator.steps[-1]
        inner = _weight_name(last)
        return None if inner is None else f"{step}__{inner}"
    if _is_search(estimator):
        return _weight_name(estimator.estimator)
    return "sample_weight" if "sample_weight" in _parameters(estimator) else None


def _number_copies(rows):
    """Return for each drawn row how often it was drawn before."""
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    copies = np.empty(len(rows), dtype=np.intp)
    copies[order] = np.arange(len(rows)) - np.searchsorted(ordered, ordered)
    return copies
