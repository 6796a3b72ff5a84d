"""The design of an evaluation: its splits, and how scores are aggregated."""

from dataclasses import dataclass, replace

import numpy as np

from sklearn_irmetrics._core.numbers import refuse_mask
from sklearn_irmetrics._core.parameters import check_option
from sklearn_irmetrics._measures.query_score import name_of
from sklearn_irmetrics._statistics.intervals import LIMITS
from sklearn_irmetrics.model_selection._methods import (
    check_classes,
    make_splits,
    make_splitter,
    name_of_method,
)
from sklearn_irmetrics.model_selection._resampled import ResampledSplit
from sklearn_irmetrics.model_selection._split import BootstrapSplit
from sklearn_irmetrics.model_selection._units import check_stratify

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
    def n_folds(self):
        """The number of folds in each repetition of k-fold cross-validation."""
        return getattr(self.cv, "cv", self.cv).get_n_splits()

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
    _check_what_is_ranked(design, measures, chosen, aggregate)
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


def _check_what_is_ranked(design, measures, chosen, aggregate):
    """Refuse to rank predictions of different models, unless requested."""
    if design.method == "lpocv":
        others = [m.name for m in measures if not _is_roc_auc(m)]
        if others or aggregate not in ("auto", "per_split"):
            raise ValueError(
                "method='lpocv' estimates roc_auc, as the mean over pairs; got "
                + (", ".join(others) if others else f"aggregate={aggregate!r}")
                + "."
            )
        return
    ranked = [m.name for m in measures if m.ranks_rows and chosen[m.name] == "pooled"]
    if ranked and aggregate == "auto":
        names = ", ".join(ranked[:5]) + (", ..." if ranked[5:] else "")
        raise ValueError(
            f"{names} would rank predictions of different models, one for "
            "each row: they cannot be compared, and noise scores far below chance. Use "
            "method='lpocv' (for roc_auc), method='stratified', or aggregate='pooled' "
            "to rank them all the same."
        )


def _check_interval(interval, design, chosen):
    """Refuse intervals that the design does not allow."""

    def refuse(why):
        raise ValueError(f"interval={interval!r} {why}.")

    by = set(chosen.values())
    n_splits = len(design.splits)
    of_splits = [name for name, how in chosen.items() if how == "per_split"]
    if interval == "t" and of_splits and n_splits > 1 and not design.is_bootstrap:
        refuse(
            "needs scores of units, not of splits, which share training data: use "
            f"'auto' or 'corrected_t' for {', '.join(of_splits)}"
        )
    if interval in ("bca", *LIMITS) and (design.is_bootstrap or by != {"per_query"}):
        refuse("needs measures that are means over queries, and no bootstrap method")
    if interval == "corrected_t":
        if design.is_bootstrap or n_splits < 2 or design.method in ("loocv", "lpocv"):
            refuse("needs several splits, such as those of method='kfold'")
        if "pooled" in by:
            refuse("needs scores of splits; aggregate='pooled' has none")
    if interval == "nested":
        if design.method not in ("kfold", "stratified") or design.resample is not None:
            refuse("needs method='kfold' or 'stratified' without resample")
        if design.n_folds < 3:
            refuse(f"needs n_splits of at least 3; got {design.n_folds}")
        if n_splits < 5 * design.n_folds:
            refuse(
                "needs n_repeats of at least 5, and trains n_splits * (n_splits + 1) / "
                f"2 models in each; got {n_splits // design.n_folds}"
            )
        if "pooled" in by:
            refuse("needs scores of folds; aggregate='pooled' has none")


def _is_roc_auc(measure):
    return measure.ranks_rows and name_of(measure.function) == "roc_auc_score"


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
