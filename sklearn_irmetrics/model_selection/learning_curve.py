"""Estimate how much a model gains from more training queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sklearn_irmetrics._arrays.numbers import as_array
from sklearn_irmetrics._checks import add_note_to_errors
from sklearn_irmetrics._results.tables import (
    PLURAL,
    Column,
    Interval,
    Number,
    about_each,
    count,
    decimals,
    interval_column,
    name_measure,
    share,
    without_repeats,
)
from sklearn_irmetrics._results.tabular import Tabular
from sklearn_irmetrics._typing import Ids, RandomState
from sklearn_irmetrics.metrics._measure import Measure
from sklearn_irmetrics.model_selection._inputs import unit_strata
from sklearn_irmetrics.model_selection._plan import is_trained, make_design
from sklearn_irmetrics.model_selection.evaluation import (
    check_estimators,
    check_inputs,
    evaluate,
)
from sklearn_irmetrics.model_selection.results import EvaluationResult
from sklearn_irmetrics.model_selection.splitters import (
    HoldoutSplit,
    StratifiedQueryKFold,
)
from sklearn_irmetrics.scorers.scorer import name_of

if TYPE_CHECKING:
    from sklearn_irmetrics.comparison import ComparisonResult, ComparisonResults
    from sklearn_irmetrics.plot import QueryLearningCurveDisplay


@dataclass(frozen=True, eq=False, repr=False)
class QueryLearningCurve(Tabular):
    """How good a model is after training on fewer and more queries.

    `query_learning_curve` returns it; ``print`` shows its table.

    Attributes
    ----------
    train_sizes : ndarray of shape (n_sizes,)
        Number of training queries (groups, rows) of every split, ascending.
    results : tuple of EvaluationResult
        The evaluation with each size.
    unit : {"query", "group", "row"}
        What `train_sizes` counts.
    """

    train_sizes: np.ndarray
    results: tuple[EvaluationResult, ...]
    unit: str

    @property
    def estimate(self) -> dict[str, np.ndarray]:
        """The score with each size, by measure."""
        return self._by_measure(lambda result: result.estimate)

    @property
    def standard_error(self) -> dict[str, np.ndarray]:
        """The standard error with each size, by measure."""
        return self._by_measure(lambda result: result.standard_error)

    @property
    def confidence_interval(self) -> dict[str, np.ndarray]:
        """Low and high ends with each size, of shape (n_sizes, 2), by measure."""
        return self._by_measure(lambda result: result.confidence_interval)

    @property
    def confidence_level(self) -> float:
        """The level of the intervals."""
        return self.results[0].confidence_level

    @property
    def split_scores(self) -> dict[str, np.ndarray]:
        """The scores on test data, of shape (n_sizes, n_splits), by measure."""
        return self._by_measure(lambda result: result.split_scores)

    @property
    def train_scores(self) -> dict[str, np.ndarray] | None:
        """The scores on training data, in the form of `split_scores`, if requested."""
        if self.results[0].train_scores is None:
            return None
        return self._by_measure(lambda result: result.train_scores)

    @overload
    def compare(
        self, *, metric: str | Measure, by: None = None, **kwargs: Any
    ) -> ComparisonResult: ...
    @overload
    def compare(
        self, *, metric: list[Any] | tuple[Any, ...], **kwargs: Any
    ) -> ComparisonResults: ...
    @overload  # results of one measure, or of several
    def compare(self, **kwargs: Any) -> ComparisonResult | Any: ...
    def compare(self, **kwargs: Any) -> ComparisonResult | ComparisonResults:
        """Compare sizes with each other, on the same queries.

        Parameters
        ----------
        **kwargs
            Arguments of `compare`, such as ``baseline="32"``; sizes are named by their
            numbers. By default, all are compared with the largest.

        Returns
        -------
        ComparisonResult or ComparisonResults
        """
        from sklearn_irmetrics.comparison import compare

        named = zip(map(str, self.train_sizes), self.results, strict=True)
        return compare(dict(named), **{"baseline": str(self.train_sizes[-1]), **kwargs})

    def plot(self, **kwargs: Any) -> QueryLearningCurveDisplay:
        """Draw the curve of a measure with its intervals; needs matplotlib.

        Parameters
        ----------
        **kwargs
            Passed to
            :meth:`sklearn_irmetrics.plot.QueryLearningCurveDisplay.from_result`.

        Returns
        -------
        sklearn_irmetrics.plot.QueryLearningCurveDisplay
        """
        from sklearn_irmetrics.plot import QueryLearningCurveDisplay

        return QueryLearningCurveDisplay.from_result(self, **kwargs)

    def _by_measure(self, of_result):
        each = [of_result(result) for result in self.results]
        return {name: np.array([values[name] for values in each]) for name in each[0]}

    def _columns(self):
        measures, sizes = list(self.estimate), self.train_sizes.tolist()
        directions = self.results[0].greater_is_better
        intervals = np.concatenate(list(self.confidence_interval.values()))
        forms, counts = [], []
        for name in measures:
            forms += [f".{decimals(self.standard_error[name])}f"] * len(sizes)
            counts += [share(*result._counts()[name]) for result in self.results]
        estimates = np.concatenate(list(self.estimate.values()))
        return [
            Column(
                "measure",
                [name for name in measures for _ in sizes],
                in_index=True,
                as_shown=without_repeats(
                    [name_measure(*pair) for pair in directions.items() for _ in sizes]
                ),
            ),
            Column(
                "train_size",
                sizes * len(measures),
                "d",
                heading=f"training {PLURAL[self.unit]}",
                in_index=True,
            ),
            Column(
                "estimate",
                estimates,
                heading=self.results[0]._heading,
                as_shown=[*map(Number, estimates, forms)],
                align=">",
            ),
            Column(
                "standard_error",
                np.concatenate(list(self.standard_error.values())),
                shown=False,
            ),
            interval_column(intervals, self.confidence_level)._replace(
                as_shown=[
                    Interval(*ends, form)
                    for ends, form in zip(intervals, forms, strict=True)
                ]
            ),
            Column(None, counts, heading=f"test {self.results[0]._units}", align=">"),
        ]

    def _title(self):
        first = self.results[0]
        return [
            f"{first.estimator_name}, trained on fewer {PLURAL[self.unit]}: "
            f"{count(len(first.fit_time), 'split')}, {count(first.n_units, self.unit)}"
        ]

    def _by_size(self, of_result):
        by_size = zip(self.train_sizes.tolist(), self.results, strict=True)
        return about_each(
            {f"size {size}": of_result(result) for size, result in by_size}
        )

    def _notes(self):
        return [
            *self._by_size(lambda result: result._about_intervals()),
            *self._by_size(lambda result: result._warnings()),
        ]

    def _details(self):
        return self._by_size(lambda result: result._details())


def query_learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any,
    train_sizes: Sequence[float] | ArrayLike = (0.1, 0.325, 0.55, 0.775, 1.0),
    method: Any = "kfold",
    qid: Ids | str | int | Callable[[Any], Ids] | None = "auto",
    groups: Ids | None = None,
    n_splits: int | None = None,
    random_state: RandomState | np.random.Generator = None,
    **kwargs: Any,
) -> QueryLearningCurve:
    """Estimate how good a model is after training on fewer queries.

    scikit-learn's `learning_curve` cuts training data after a number of rows, which
    divides queries. Here, whole queries are drawn from them at random (groups if there
    are groups, rows if there are neither). Each smaller set is part of the larger ones,
    and test data do not change.

    Parameters
    ----------
    estimator : object
        A single estimator, as in `evaluate`.
    X : array-like of shape (n_samples, n_features)
        Data, of any kind the estimator takes.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Targets.
    scoring : str, callable, list or dict
        Measures, as in `evaluate`.
    train_sizes : sequence of float or int, \
default=(0.1, 0.325, 0.55, 0.775, 1.0)
        How much to train on: numbers of queries, or shares (above 0, at most 1) of the
        queries in the split with the fewest training queries. Equal sizes count once.
    method : str, int, splitter or iterable of (train, test), default="kfold"
        "holdout", "subsampling", "kfold", "stratified", "loocv", or what scikit-learn
        takes as ``cv=``; no bootstrap, which trains on queries more than once. If it
        stratifies by targets, smaller training data are stratified as well.
    qid : "auto", array-like of shape (n_samples,), str, int, callable or None, \
default="auto"
        The query of each row, or the column of X that holds it, as in `evaluate`.
    groups : array-like of shape (n_samples,), default=None
        What to split and cut by, where it is not the query.
    n_splits : int, default=None
        Number of splits of a method given by name, as in `evaluate`.
    random_state : int, RandomState instance, Generator or None, default=None
        Controls splits, draws and intervals, and seeds random states that the
        estimator, or a splitter that draws, leaves None.
    **kwargs
        Further arguments of `evaluate`, such as `params`, `return_train_score`,
        `n_jobs` and `error_score`.

    Returns
    -------
    QueryLearningCurve
        With `train_sizes`; `estimate`, `confidence_interval` and `split_scores` by
        measure, with one row per size; and `plot`.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above or those of `evaluate`; before anything
        is fitted.

    See Also
    --------
    evaluate : One size: all training data of each split.
    plan_queries : How many test queries an experiment needs.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_irmetrics.datasets import make_ranking
    >>> from sklearn_irmetrics.model_selection import query_learning_curve
    >>> X, y, qid = make_ranking(n_queries=40, n_docs=20, random_state=0)
    >>> curve = query_learning_curve(
    ...     Ridge(), X, y, scoring="ndcg@10", qid=qid, train_sizes=[2, 8, 32],
    ...     random_state=0,
    ... )
    >>> curve.train_sizes
    array([ 2,  8, 32])
    >>> curve.estimate["ndcg@10"].round(2)
    array([0.7 , 0.78, 0.8 ])
    """
    estimators = check_estimators(estimator)
    if None not in estimators:
        raise TypeError("estimator must be a single one; got a dict.")
    if not is_trained(estimator):
        raise ValueError(
            "estimator must be trained: a learning curve shows what training gives, "
            f"and {name_of(estimator)} is not trained."
        )
    inputs, _ = check_inputs(
        estimators,
        X,
        y,
        scoring,
        qid=qid,
        groups=groups,
        params=kwargs.get("params"),
        random_state=random_state,
    )
    design = make_design(method, n_splits, inputs, [estimator])
    stratify = True if design.method == "stratified" else None
    if isinstance(design.cv, HoldoutSplit | StratifiedQueryKFold):
        stratify = design.cv.stratify
    strata = None
    if stratify is not None:
        strata = unit_strata(inputs.target, inputs.units, stratify)
    rng, codes = check_random_state(inputs.seed), inputs.units.codes
    shuffled = [
        _shuffled(split, inputs.units, strata, rng, design) for split in design.splits
    ]
    sizes = _check_sizes(train_sizes, min(map(len, shuffled)), inputs.unit)
    seed = None if random_state is None else inputs.seed
    results = []
    for size in sizes.tolist():
        splits = [
            (split.train[np.isin(codes[split.train], units[:size])], split.test)
            for units, split in zip(shuffled, design.splits, strict=True)
        ]
        with add_note_to_errors(f"This happened with train_sizes={size}."):
            result = evaluate(
                estimator,
                X,
                y,
                scoring=scoring,
                method=splits,
                qid=qid,
                groups=groups,
                random_state=seed,
                **kwargs,
            )
        results.append(result)
    return QueryLearningCurve(sizes, tuple(results), inputs.unit)


def _shuffled(split, units, strata, rng, design):
    """Return the training units of a split in random order, strata evenly mixed."""
    train = split.train
    if len(train) > split.n_train:
        raise ValueError(
            "method must train on each row once, because sizes do not count repeated "
            f"rows; got {type(design.cv).__name__}. Use 'kfold' or 'subsampling', or "
            "resample inside the estimator."
        )
    order = rng.permutation(np.unique(units.codes[train]))
    if strata is None:
        return order
    labels = strata[order]
    place = np.empty(len(order))
    for label in np.unique(labels):
        in_stratum = labels == label
        n_units = in_stratum.sum()
        place[in_stratum] = (np.arange(n_units) + 0.5) / n_units
    return order[np.argsort(place, kind="stable")]


def _check_sizes(train_sizes, most, unit):
    """Return numbers of units, ascending."""
    sizes = as_array("train_sizes", train_sizes)
    rule = (
        f"train_sizes must be numbers of {PLURAL[unit]}, integers from 1 to {most} "
        "(the fewest that a split trains on), or shares above 0 and at most 1; got "
        f"{train_sizes!r}."
    )
    is_list = sizes.ndim == 1 and len(sizes) and sizes.dtype.kind in "iuf"
    # Among integers, True would be 1.
    if not is_list or any(isinstance(size, bool | np.bool_) for size in train_sizes):
        raise ValueError(rule)
    if sizes.dtype.kind == "f":
        if not ((sizes > 0) & (sizes <= 1)).all():
            raise ValueError(rule)
        # A share such as .29 of 100 comes out a little too small.
        sizes = np.maximum(np.floor(sizes * most + 1e-9), 1).astype(np.intp)
    elif sizes.min() < 1 or sizes.max() > most:
        raise ValueError(rule)
    return np.unique(sizes)
