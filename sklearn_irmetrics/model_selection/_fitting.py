"""Models, and how each is fitted on some rows."""

from dataclasses import dataclass
from inspect import Parameter, signature
from numbers import Integral
from types import SimpleNamespace

import numpy as np
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, get_routing_for_object

from sklearn_irmetrics._arrays.numbers import to_numpy
from sklearn_irmetrics._compat import safe_indexing
from sklearn_irmetrics._warnings import warn_of_data
from sklearn_irmetrics.scorers._responses import (
    count_labels,
    flat,
    is_classifier,
    read_classes,
)
from sklearn_irmetrics.scorers.scorer import name_of

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
    if not (is_trained(model) or _methods_of(model)):
        raise TypeError(
            f"estimator must have fit, {', '.join(PREDICTION_METHODS)} or rank, or be "
            f"a function of X, or a dict of these; got {model!r}."
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
            f"estimator must have one of the methods {_NAMES} after its fit; got "
            f"{type(model).__name__}, which has none."
        )
    probabilities = methods.get("predict_proba")
    is_known = hasattr(model, "classes_") or not (probabilities or is_classifier(model))
    if is_known and hasattr(model, next(iter(methods))):
        return read_classes(model, count_labels(y)) if is_classifier(model) else model
    if probabilities is not None and set(np.unique(y).tolist()) <= {0, 1}:
        methods["predict_proba"] = lambda X: _both_classes(probabilities(X))
        methods["classes_"] = np.array([0, 1])
    as_named = type(name_of(model), (SimpleNamespace,), {})  # in messages
    return as_named(**methods)


def parameters_of(function):
    """Return the parameters of a function, none if they are unknown."""
    try:
        return signature(function).parameters
    except (TypeError, ValueError):
        return {}


def takes_targets(fit, others):
    """Whether `fit` takes y after X, rather than one of the other arguments."""
    parameters, positional = parameters_of(fit).values(), []
    for one in parameters:
        if one.kind is Parameter.VAR_POSITIONAL:
            return True
        if one.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD):
            positional.append(one)
    if len(positional) < 2:
        return not parameters
    second = positional[1]
    is_needed = second.default is second.empty and second.name not in others
    return is_needed or second.name.startswith("y")


_NAMES = f"{', '.join(PREDICTION_METHODS)} and rank"


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


def _both_classes(probabilities):
    """Return the probabilities of 0 and 1, from those of 1 if these are given alone."""
    given = flat(np.asarray(to_numpy(probabilities)))
    return np.column_stack([1 - given, given]) if given.ndim == 1 else given


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
    """

    estimator: object
    metadata: dict
    routed: bool
    qid_codes: np.ndarray | None
    seed: int | None
    unset: list
    trains: bool
    takes_targets: bool

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
            data = [take_rows(estimator, X, rows, rows)]
            data += [safe_indexing(y, rows)] if self.takes_targets else []
            estimator.fit(*data, **metadata)
        return estimator


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
    groups = None if inputs.units.are_rows else inputs.units.codes
    given = _metadata_for_fit(inputs, groups)
    unset = [] if seed is None else _unset_random_states(estimator)
    if not given:
        takes_y = trains and takes_targets(estimator.fit, given)
        return FitPlan(estimator, {}, False, None, seed, unset, trains, takes_y)
    optional = set().union(*(scorer.requested for scorer in scorers))
    with config_context(enable_metadata_routing=True):
        if "qid" in given:
            _request_qid(estimator)
        has_inner_cv = _group_inner_cv(estimator, groups)
    given, accepted, routed = _accepted_by_fit(estimator, given, optional)
    if "qid" in given and "qid" not in accepted:
        _check_ranker(estimator)
    _check_reached(estimator, given, accepted, optional)
    copies_queries = inputs.queries is not None and not has_inner_cv
    return FitPlan(
        estimator,
        {name: given[name] for name in sorted(accepted)},
        routed,
        inputs.queries.codes if copies_queries else None,
        seed,
        unset,
        trains,
        trains and takes_targets(estimator.fit, accepted),
    )


def _metadata_for_fit(inputs, groups):
    """Return the metadata that `fit` may get: query ids if they are for it, groups."""
    given = dict(inputs.metadata)
    if not inputs.fits_qid:
        given.pop("qid", None)
    if groups is not None:
        given["groups"] = groups
    return given


def _accepted_by_fit(estimator, given, optional):
    """Return metadata, which of it `fit` accepts, and whether it is routed."""
    with config_context(enable_metadata_routing=True):
        routing = get_routing_for_object(estimator)
        accepted = set(routing.consumes("fit", given))
    if not isinstance(routing, MetadataRouter):
        by_name = _accepted_by_signature(estimator, given, optional)
        return given, accepted | by_name, False
    if accepted or get_config()["enable_metadata_routing"]:
        return given, accepted, True
    return *_named_by_step(estimator, given, optional), False


def _named_by_step(estimator, given, optional):
    """Return metadata and what steps accept of it without routing.

    Parameters are then written as step__parameter, and so are the weights.
    """
    accepted = given.keys() - _OF_ALL - optional
    if "sample_weight" in given and (name := _weight_name(estimator)):
        given = {**given, name: given["sample_weight"]}
        accepted |= {name}
    return given, accepted


def _check_reached(estimator, given, accepted, optional):
    """Refuse weights and parameters that reach neither `fit` nor a scorer."""
    endings = {name.rpartition("__")[2] for name in accepted}
    is_weighed = "sample_weight" in given and is_trained(estimator)
    if is_weighed and "sample_weight" not in endings:
        raise ValueError(
            "sample_weight must be accepted by the estimator's fit; "
            f"{type(estimator).__name__} takes none, or no step of it requests it "
            "(set_fit_request(sample_weight=True))."
        )
    if unused := sorted(given.keys() - _OF_ALL - accepted - optional):
        raise ValueError(
            f"params must reach the estimator's fit or a scorer; {unused} reach "
            "neither. Request them with set_fit_request or set_score_request."
        )


def slice_metadata(metadata, rows, n_samples):
    """Return the values of some rows; keep those without an entry per row."""
    sliced = {}
    for name, value in metadata.items():
        sliced[name] = value
        if _per_row(value, n_samples):
            sliced[name] = safe_indexing(value, rows)
    return sliced


def take_rows(estimator, X, rows, train):
    """Return rows of X; for kernels and distances, only their `train` columns."""
    has_tags = hasattr(estimator, "__sklearn_tags__")
    if has_tags and get_tags(estimator).input_tags.pairwise:
        return X[np.ix_(rows, train)]
    return safe_indexing(X, rows)


def _per_row(value, n_samples):
    if hasattr(value, "shape"):
        return tuple(value.shape[:1]) == (n_samples,)
    sized = hasattr(value, "__len__") and not isinstance(value, str | dict)
    return sized and len(value) == n_samples


def _parameters(estimator):
    return parameters_of(getattr(estimator, "fit", None))


def _accepted_by_signature(estimator, given, optional):
    parameters = _parameters(estimator)
    names = {name for name in given if name in parameters}
    if any(p.kind is Parameter.VAR_KEYWORD for p in parameters.values()):
        names |= given.keys() - _OF_ALL - optional
    return names


def _check_ranker(estimator):
    last = _last_step(estimator)
    wanted = {"group", "group_id"} & set(_parameters(last))
    if wanted and "qid" not in _parameters(last):
        raise ValueError(
            f"{type(last).__name__}.fit expects queries as {sorted(wanted)[0]!r}, "
            "which cannot be split into folds: wrap it in "
            "sklearn_irmetrics.estimators.QueryRanker."
        )


def _is_search(estimator):
    return hasattr(estimator, "cv") and hasattr(estimator, "estimator")


def _last_step(estimator):
    """Return the final estimator of pipelines and inside searches."""
    while getattr(estimator, "steps", None) or _is_search(estimator):
        estimator = (
            estimator.estimator if _is_search(estimator) else estimator.steps[-1][1]
        )
    return estimator


def _nested(estimator):
    """Return the parameters of an estimator and of the estimators inside it."""
    if hasattr(estimator, "get_params"):
        return estimator.get_params(deep=True)
    return {}


def _request_qid(estimator):
    """Request `qid` for every step whose fit takes it, unless its request is set."""
    for step in _nested(estimator).values():
        if not hasattr(step, "set_fit_request") or not hasattr(step, "fit"):
            continue
        if "qid" in _parameters(step):
            requests = get_routing_for_object(step).fit.requests
            if requests.get("qid") is None:
                step.set_fit_request(qid=True)


def _group_inner_cv(estimator, groups):
    """Make inner searches keep groups whole; return whether there is an inner cv."""
    inner = {
        name: value
        for name, value in _nested(estimator).items()
        if name.rpartition("__")[2] == "cv"
    }
    if groups is None:
        return bool(inner)
    for name, cv in inner.items():
        by_number = cv is None or isinstance(cv, Integral)
        if by_number or (
            hasattr(cv, "split") and not _consumes(cv, "split", ["groups", "qid"])
        ):
            _keep_whole(estimator, name, cv, by_number)
    return bool(inner)


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


def _unset_random_states(estimator):
    return sorted(
        name
        for name, value in _nested(estimator).items()
        if name.rpartition("__")[2] == "random_state" and value is None
    )


def _number_copies(rows):
    """Return for each drawn row how often it was drawn before."""
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    copies = np.empty(len(rows), dtype=np.intp)
    copies[order] = np.arange(len(rows)) - np.searchsorted(ordered, ordered)
    return copies
