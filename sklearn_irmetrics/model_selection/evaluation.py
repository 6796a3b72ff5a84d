"""`evaluate`: how good a model is, by any method, in one call."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from numbers import Real
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, overload

import numpy as np

from sklearn_irmetrics._checks import (
    INTERVALS,
    add_estimator_to_errors,
    add_note_to_errors,
    check_confidence_level,
    check_flag,
    check_n_jobs,
    check_option,
)
from sklearn_irmetrics._typing import Ids, Intervals, RandomState
from sklearn_irmetrics.model_selection._estimates import summarise
from sklearn_irmetrics.model_selection._inputs import (
    check_inputs,
)
from sklearn_irmetrics.model_selection._plan import (
    Design,
    check_model,
    complete_design,
    make_design,
    plan_fit,
)
from sklearn_irmetrics.model_selection._splits import (
    Job,
    Outcome,
    Side,
    rank_queries,
    run_splits,
)
from sklearn_irmetrics.model_selection.results import (
    EvaluationResult,
    EvaluationResults,
)
from sklearn_irmetrics.scorers.scorer import name_of

_AGGREGATES = ("auto", "per_split", "pooled", "per_query")
_INTERVALS = (*INTERVALS, "corrected_t")


# What scikit-learn's functions call arguments of `evaluate`.
_NAMES_IN_SKLEARN = {
    "cv": "method={}",
    "fit_params": "params={}",
    "sample_weight": "params={{'sample_weight': {}}}",
    "verbose": "progress={}",
}

_Arguments = ParamSpec("_Arguments")


class _Trainable(Protocol):
    """An estimator, which type checkers may otherwise take for a dict."""

    @property
    def fit(self) -> Any: ...


class _Evaluate(Protocol[_Arguments]):
    """A function whose result has a type by that of its first argument."""

    @overload
    def __call__(
        self,
        estimator: _Trainable,
        /,
        *args: _Arguments.args,
        **kwargs: _Arguments.kwargs,
    ) -> EvaluationResult: ...

    @overload
    def __call__(
        self,
        estimator: Mapping[str, Any],
        /,
        *args: _Arguments.args,
        **kwargs: _Arguments.kwargs,
    ) -> EvaluationResults: ...

    @overload
    def __call__(
        self, estimator: Any, /, *args: _Arguments.args, **kwargs: _Arguments.kwargs
    ) -> EvaluationResult: ...


def _explain_names(
    function: Callable[Concatenate[Any, _Arguments], Any],
) -> _Evaluate[_Arguments]:
    """Refuse arguments with scikit-learn's names by naming those of the function."""

    @wraps(function)
    def explained(*args: Any, **kwargs: Any) -> Any:
        for name in _NAMES_IN_SKLEARN.keys() & kwargs.keys():
            raise TypeError(
                f"{function.__name__} has no argument {name!r}: pass "
                f"{_NAMES_IN_SKLEARN[name].format(reprlib.repr(kwargs[name]))}."
            )
        return function(*args, **kwargs)

    return explained


@_explain_names
def evaluate(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any,
    pos_label: Any = None,
    method: Any = "kfold",
    qid: Ids | str | int | Callable[[Any], Ids] | None = "auto",
    groups: Ids | None = None,
    params: Mapping[str, Any] | None = None,
    n_splits: int | None = None,
    aggregate: Literal["auto", "per_split", "pooled", "per_query"] = "auto",
    interval: Intervals | Literal["corrected_t"] = "auto",
    confidence_level: float = 0.95,
    return_train_score: bool = False,
    n_jobs: int | None = None,
    random_state: RandomState | np.random.Generator = None,
    progress: bool = False,
    error_score: float | Literal["raise"] = "raise",
) -> EvaluationResult | EvaluationResults:
    """Estimate how good a model is on new data, with an interval.

    The unit that is split is the group if there are groups, otherwise the query if
    there are query ids, otherwise the row. Units are never divided between training and
    test data.

    Parameters
    ----------
    estimator : object or dict of str to object
        Anything with `fit` that then has one of `predict`, `predict_proba`,
        `decision_function` and `rank`: classifiers, regressors, rankers, pipelines,
        searches. What is not trained is scored as it is and never copied: an object
        without `fit` that has one of these methods, a function ``f(X)`` that returns
        scores, a ``FrozenEstimator``. All rows are its test set, whatever the method
        and the seed. Pass a dict to evaluate several by name, on the same splits with
        the same seeds; the test set of what is not trained holds the rows that the
        others are tested on.
    X : array-like of shape (n_samples, n_features)
        Data of any kind that the estimator accepts.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs), or sparse
        Targets: classes, quantities, grades, or the items of users as rows. A single
        column is flattened. For measures of subtopics, of shape (n_samples,
        n_subtopics); other measures in the same call use the largest grade of each row.
    scoring : str, callable, list or dict
        Measures by name (``"ndcg@10"``; also scikit-learn's, such as ``"accuracy"``),
        scorers, callables ``(estimator, X, y)``, lists or dicts of them. A name that
        exists in both, such as ``"roc_auc"``, is the measure within queries if there
        are query ids.
    pos_label : str, int, float or bool, default=None
        The positive class of measures that take one and name none, such as
        ``"set_f1"`` and scikit-learn's ``"f1"`` and ``"average_precision"``; their
        scores are those of this class. The area under the ROC curve is the same for
        both of two classes. Averages over classes, such as ``"f1_macro"``, need none.
    method : str, int, splitter or iterable of (train, test), default="kfold"
        "holdout"
            One split, a third held out.
        "subsampling"
            Repeated holdout.
        "kfold"
            Every unit is tested once.
        "loocv"
            Leave one unit out.
        "stratified"
            K folds with similar numbers of each class or grade, and of queries.
        "bootstrap"
            Train on units drawn with replacement, test on those not drawn.
        "bootstrap632", "bootstrap632+"
            The same, corrected for its pessimism with the score on the training data.
        int, splitter or iterable of (train, test)
            Any ``cv=`` of scikit-learn. An int is that many folds, not shuffled: of
            whole groups or queries if there are any, otherwise stratified for
            classifiers (if at least one of several estimators is one). Units may be on
            both sides of a given split only if both have the same rows:
            ``[(rows, rows)]``, for models that themselves leave out what is scored,
            such as the last item of each user.

        The names are short forms of splitters. A splitter says more:
        ``HoldoutSplit(test_size=0.2, stratify=True)``, ``QueryKFold(5, n_repeats=10,
        shuffle=True)`` (of rows, scikit-learn's ``RepeatedKFold``),
        ``ResampledSplit(KFold(5, shuffle=True), "over")``. To stratify by values other
        than `y`, pass its splits: ``list(splitter.split(X, values, groups))``.

        Case, spaces and punctuation of names do not matter, and other common names are
        accepted: "K-Fold", "10-fold", "LOOCV", "leave-one-out", "hold-out", "random
        subsampling", "repeated holdout", ".632+".
    qid : "auto", array-like of shape (n_samples,), str, int, callable or None, \
default="auto"
        The query of each row, or the column of X that holds it, by name or position, or
        ``qid(X)``. "auto": there are no ids, and measures of rankings, such as
        "ndcg@10", raise an error; measures of sets and labels, and scikit-learn's own,
        need none. None: the test data of each split are one ranking. Ids are passed to
        scorers, and to `fit` if it accepts them; metadata routing need not be enabled.
        A column stays in X as a feature, unless the estimator removes it:
        ``QueryRanker(model, qid="query")``.
    groups : array-like of shape (n_samples,), default=None
        The units to split, if they are not the queries; they may not divide a query.
    params : dict of str to object, default=None
        Further arguments of `fit` and metadata of scorers, such as ``candidates`` and
        ``sample_weight``, one weight per row: it weights fits, and the scores of
        scorers that request it. `note` of the result names the other measures that
        could be weighted.
    n_splits : int, default=None
        Number of splits of a method given by name. None: 5 folds, 10 subsamples, 100
        bootstrap replicates.
    aggregate : {"auto", "per_split", "pooled", "per_query"}, default="auto"
        "per_split": mean of the scores of splits; sums over rows, such as costs, are
        added, and a row that was tested several times adds its mean. "pooled": one
        score of all out-of-fold predictions; if the measure weighs rows, a row that was
        predicted m times has weight 1/m. "per_query": mean over queries. "auto":
        "per_query" for ranking measures that are means over queries; otherwise "pooled"
        for folds of one row, for other measures over queries, and for measures of
        predicted labels or values in a bootstrap; otherwise "per_split".
    interval : {"auto", "t", "bca", "betting", "corrected_t"}, default="auto"
        How intervals are made; `interval_about` says what each describes. For the
        models trained here: "t" over units, which ignores the range of the measure, and
        over queries "bca" (bootstrap) and "betting" (valid for any distribution); see
        :meth:`~sklearn_irmetrics.reports.QueryScores.report`. For models trained this
        way on new data: "corrected_t" (Nadeau & Bengio, over splits). "auto": see
        Notes.
    confidence_level : float, default=0.95
        Of the intervals.
    return_train_score : bool, default=False
        Whether to score the training data of each split as well.
    n_jobs : int, default=None
        Number of parallel jobs, by joblib. Results do not depend on it.
    random_state : int, RandomState instance, Generator or None, default=None
        Controls splits and the draws of interval="bca", and seeds random states that
        the estimator, or a splitter that draws, leaves None. A splitter with a random
        state of its own keeps it.
    progress : bool, default=False
        Whether to show a progress bar; needs tqdm. Without it, a warning says how many
        models will be fitted if these are more than 1,000.
    error_score : "raise" or float, default="raise"
        What happens in a split in which the fit, or a measure alone, fails, for example
        because a class is missing. A number is the score of the split and of its
        queries; it must lie in the range of every measure. NaN leaves the split out,
        and so does any number if predictions are pooled. "raise" raises the error, and
        so does every value if the fit fails in all splits.

    Returns
    -------
    EvaluationResult or EvaluationResults
        With `estimate`, `standard_error` and `confidence_interval` by measure, and the
        data behind them. For a dict of estimators, the same by name, in one table.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above, before anything is fitted. With several
        estimators, a note names the one that an error concerns.

    See Also
    --------
    compare : Which of several models is better.
    query_learning_curve : How much more training queries would help.

    Notes
    -----
    If scores are per query, intervals are those of `ranking_report`: Student's t, after
    adding one value at each end of the measure's range. The same rule applies to means
    over the rows that a measure divides by: all rows for accuracy, log loss, Brier
    score, squared and absolute errors (which have no range), the positives for recall,
    what is predicted to be positive for precision, and so on for F, specificity and
    balanced accuracy.

    Other measures of rows have rules of their own, in each split or in the pool: macro
    F1 and macro precision (jackknife, with two more values in each class), Matthews'
    correlation, kappa and pi (delta method, with a few more rows), the area under the
    ROC curve (placement values), average precision (each row left out of its ranking),
    median absolute error (order statistics) and likelihood ratios (log method). The
    largest error has no interval. What is left, such as R² and weighted F1, is by the
    jackknife over units: how much the score, or the mean of the scores of splits,
    changes without each unit, or without each of 40 blocks if leaving each out takes
    many calls of the measure. One ranking without query ids that a single rank decides
    has the percentile bootstrap, which is rough, or no interval if more than a fifth of
    its resamples have the same score. None of these depends on `random_state` or on the
    order of rows; all describe the models that were trained here.

    Over splits, the corrected resampled t (Nadeau & Bengio) describes models trained
    this way on new data. It is too narrow where the scores of few splits happen to be
    nearly equal, so "auto" takes it only for means over splits of which nothing else is
    known: of callables, of measures that a single rank of a split decides, and if the
    score of a split is undefined without some of its units. After a bootstrap, it is
    over the replicates, around the estimate. All stay inside the range of the measure.

    Predictions of different models are not comparable. If leaving one row out would
    rank them (ROC AUC, average precision or precision at k of a classifier without
    queries), `evaluate` raises an error; with ``aggregate="pooled"``, it ranks them
    without an interval.

    Splits are joblib tasks, so the same call runs on a cluster, where this package and
    that of the estimator must be installed:

    - Dask: with a ``distributed.Client`` connected, inside
      ``joblib.parallel_config(backend="dask")``;
    - Ray: after ``ray.util.joblib.register_ray()``, inside
      ``joblib.parallel_config(backend="ray")``;
    - Spark: after ``joblibspark.register_spark()``, inside
      ``joblib.parallel_config(backend="spark", n_jobs=...)``.

    References
    ----------
    B. Efron and R. Tibshirani, "Improvements on Cross-Validation: The .632+ Bootstrap
    Method", JASA 92 (1997).

    C. Nadeau and Y. Bengio, "Inference for the Generalization Error", Machine Learning
    52 (2003).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn_irmetrics import evaluate
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000)
    >>> result = evaluate(model, X, y, scoring="accuracy", random_state=0)
    >>> round(result.estimate["accuracy"], 2)
    0.95

    Several models, on the same splits:

    >>> from sklearn.naive_bayes import GaussianNB
    >>> models = {"logistic": model, "bayes": GaussianNB()}
    >>> results = evaluate(models, X, y, scoring="accuracy", random_state=0)
    >>> round(results["bayes"].estimate["accuracy"], 2)
    0.95
    """
    estimators = check_estimators(estimator)
    check_option("aggregate", aggregate, _AGGREGATES)
    check_option("interval", interval, _INTERVALS)
    is_number = isinstance(error_score, Real) and not isinstance(error_score, bool)
    if not is_number and not (isinstance(error_score, str) and error_score == "raise"):
        raise ValueError(
            f"error_score must be 'raise' or a number; got {error_score!r}."
        )
    check_n_jobs(n_jobs)
    check_flag("return_train_score", return_train_score)
    check_flag("progress", progress)
    confidence_level = check_confidence_level(confidence_level)
    inputs, named_scorers = check_inputs(
        estimators,
        X,
        y,
        scoring,
        pos_label=pos_label,
        qid=qid,
        groups=groups,
        params=params,
        random_state=random_state,
    )
    shared_design = make_design(method, n_splits, inputs, list(estimators.values()))
    if return_train_score and not shared_design.splits:
        raise ValueError("return_train_score must be False: nothing is trained.")
    seed = None if random_state is None else inputs.seed
    designs: dict[Any, Design] = {}
    jobs: dict[Any, Job] = {}
    for name, model in estimators.items():
        scorers = named_scorers[name]
        with add_estimator_to_errors(name):
            plan = plan_fit(model, inputs, scorers, seed)
            _check_error_score(error_score, scorers)
            design = complete_design(
                shared_design,
                model,
                inputs,
                scorers,
                aggregate=aggregate,
                interval=interval,
                error_score=error_score,
            )
        designs[name] = design
        jobs[name] = Job(
            plan=plan,
            splits=design.splits,
            scorers=scorers,
            aggregate=design.aggregate,
            metadata=inputs.metadata,
            train_score=return_train_score and design.trains,
            error_score=error_score,
            replicates=design.is_bootstrap,
            name=name,
        )
    outcomes_of_jobs = run_splits(
        list(jobs.values()), inputs, n_jobs=n_jobs, progress=progress
    )
    results = {}
    for (name, job), outcomes in zip(jobs.items(), outcomes_of_jobs, strict=True):
        model = estimators[name]
        with add_estimator_to_errors(name):
            apparent = None
            if shared_design.correction is not None:
                apparent = _fit_on_all_rows(job, inputs, len(outcomes))
            results[name] = summarise(
                inputs,
                job,
                designs[name],
                outcomes,
                apparent=apparent,
                confidence_level=confidence_level,
                estimator_name=(
                    type(model).__name__ if job.plan.trains else name_of(model)
                ),
            )
    return results[None] if None in results else EvaluationResults(results)


def check_estimators(estimator):
    """Return checked estimators by name, a single one under None."""
    estimators = {None: estimator}
    if isinstance(estimator, Mapping) and not hasattr(estimator, "fit"):
        if not estimator:
            raise ValueError("estimator must hold at least one estimator; got none.")
        if unnamed := [name for name in estimator if not isinstance(name, str)]:
            raise TypeError(
                f"estimator must have names that are strings; got {unnamed[0]!r}."
            )
        estimators = dict(estimator)
    for name, model in estimators.items():
        with add_estimator_to_errors(name):
            check_model(model)
    return estimators


def _check_error_score(error_score, scorers):
    """Refuse a number that is not a possible score."""
    if error_score == "raise" or np.isnan(error_score):
        return
    for scorer in scorers:
        low, high = scorer.bounds or (-np.inf, np.inf)
        if np.isinf(error_score) or not low <= error_score <= high:
            raise ValueError(
                f"error_score must be 'raise', NaN or a score that {scorer.name} can "
                f"have, between {low:g} and {high:g}; got {error_score!r}."
            )


def _fit_on_all_rows(job, inputs, number):
    """Return the outcome of a fit on all rows, scored on them, for .632 methods.

    `number` is the one after the last split, for the random states of the fit.
    """
    rows = np.arange(len(inputs.target))
    outcome = Outcome(number, Side(rows))
    with add_note_to_errors(
        "This happened in the fit on all data, for the apparent score."
    ):
        job = replace(job, train_score=False, error_score="raise")
        job.run(inputs.X, inputs.y, rows, outcome)
        rank_queries(job, [outcome], inputs)
    return outcome
