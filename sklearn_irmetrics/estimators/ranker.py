"""Estimators that rank by query."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from sklearn_irmetrics._arrays.labels import check_row_order
from sklearn_irmetrics._typing import Array, Ids, RandomState
from sklearn_irmetrics._warnings import collect_warnings, warn_of_data
from sklearn_irmetrics.estimators import _libraries
from sklearn_irmetrics.estimators._rows import (
    check_rows,
    check_same_columns,
    hold_out,
    number_grades,
    refuse_both,
    refuse_params_of_rows,
    single_grades,
    split_column,
    zip_eval,
)
from sklearn_irmetrics.estimators.boosting._metrics import check_measures
from sklearn_irmetrics.metrics import ndcg_score
from sklearn_irmetrics.metrics._measure import Measures
from sklearn_irmetrics.scorers._query_ids import SeenQueries
from sklearn_irmetrics.scorers._responses import expected_grades, read_classes


class QueryRanker(MetaEstimatorMixin, BaseEstimator):
    """Fit any estimator on rows that carry query ids.

    Each ranking library expects queries in a different form: LightGBM takes the size
    of each group, XGBoost sorted ids and one weight per query, CatBoost adjacent rows
    or pools. scikit-learn cannot split any of these into folds. This meta-estimator
    takes one query id per row, in any order, and converts the ids for the library, so
    that every ranker works in ``cross_validate``, ``GridSearchCV`` and pipelines.
    Regressors rank by their prediction, classifiers by the grade they expect.

    Parameters
    ----------
    estimator : estimator
        A regressor, a classifier whose classes are grades, ``lightgbm.LGBMRanker``,
        ``xgboost.XGBRanker``, ``catboost.CatBoostRanker``, or a pipeline that ends
        with one of these.
    eval_metric : str or Measure, list of them, or dict of str to them, default=None
        Measures such as ``"ndcg@10"`` that a ranker or regressor of LightGBM, XGBoost
        or CatBoost (which takes one) logs for the validation sets, in place of its own.
        The first decides early stopping, if the estimator's parameters enable it. Needs
        `eval_set` or `validation_fraction`.
    qid : str, int or None, default=None
        Name or position of a column of `X` that holds the query ids, for use without
        metadata routing. `fit` and `predict` remove it from `X`, even if ids are also
        passed. Steps before this estimator would change the ids, so wrap it around a
        pipeline instead of putting it inside.
    validation_fraction : float or None, default=None
        Share of the queries that each `fit` holds out, whole, as its validation set for
        early stopping, so searches and folds can stop early. Without query ids, the
        share of rows. None: no validation set except `eval_set`. Queries in which
        `eval_metric` is undefined are then left out of its mean without a warning.
    random_state : int, RandomState instance or None, default=None
        Controls which queries are held out: those of the test side of
        ``GroupShuffleSplit(1, test_size=validation_fraction,
        random_state=random_state)``.

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator.
    n_queries_ : int or None
        Number of queries seen by `fit`; None if it got no ids.
    n_features_in_ : int
        Number of columns of the `X` seen by `fit`. Defined if `estimator` has it.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of these columns. Defined if `X` has them.
    feature_importances_, coef_ : ndarray
        Those of `estimator_`, without the id column. Defined if it has them.
    evals_result_ : dict of str to dict of str to list of float
        The log of `estimator` for each validation set: a value per measure and round.
    best_iteration_ : int
        Number of boosting rounds of the best model, at least 1. Defined after early
        stopping.

    See Also
    --------
    ndcg_score : The value that `score` returns.
    sklearn_irmetrics.estimators.boosting.lightgbm_metric : Without estimator.

    Notes
    -----
    Query ids are requested through metadata routing by default: with
    ``enable_metadata_routing=True``, ``cross_validate(..., params={"qid": qid})``
    needs no ``set_fit_request``.

    If the rows of each query are adjacent, they are not copied. Otherwise rows are
    sorted by id; inside a query, they keep their order, by which the libraries break
    ties. Interleaving the rows of queries therefore changes nothing.

    The nDCG that a library reports in training is :func:`ndcg_score` with

    - LightGBM (``eval_at=k``) and XGBoost (``eval_metric="ndcg@k"``; plain ``"ndcg"``
      means k = 32): ``gain="exponential", k=k, ties="stable",
      replace_undefined_by=1.0``, the last 0.0 for XGBoost's ``"ndcg@k-"``; with
      weights, both count a query with nothing to find as 1 whatever its weight;
    - CatBoost (``"NDCG:top=k"``): ``k=k, ties="pessimistic",
      replace_undefined_by=1.0``, and ``gain="exponential"`` for ``type=Exp``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_irmetrics.estimators import QueryRanker
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> y, qid = [0, 1, 0, 2], ["a", "a", "b", "b"]
    >>> ranker = QueryRanker(Ridge()).fit(X, y, qid=qid)
    >>> ranker.score(X, y, qid=qid)
    1.0
    """

    # Requested without set_fit_request, because no ranker should lack its queries.
    __metadata_request__fit = {"qid": True}
    __metadata_request__score = {"qid": True}

    def __init__(
        self,
        estimator: Any,
        *,
        eval_metric: Measures | None = None,
        qid: str | int | None = None,
        validation_fraction: float | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.eval_metric = eval_metric
        self.qid = qid
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def __sklearn_clone__(self):
        shell = copy(self)
        shell.estimator = None
        cloned = BaseEstimator.__sklearn_clone__(shell)
        cloned.estimator = _libraries.clone_estimator(self.estimator, safe=False)
        return cloned

    def fit(
        self,
        X: Any,
        y: Any,
        qid: Ids | None = None,
        sample_weight: ArrayLike | None = None,
        eval_set: Sequence[tuple[Any, Any]] | None = None,
        eval_qid: Sequence[Ids] | None = None,
        eval_sample_weight: Sequence[ArrayLike] | None = None,
        **fit_params: Any,
    ) -> Self:
        """Fit the estimator.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples,) or (n_samples, n_subtopics)
            The grades, numbers; larger is better. If there is one grade per subtopic,
            the largest of each row is learned.
        qid : array-like of shape (n_samples,), default=None
            The query of each row, of any hashable kind. Rows of a query need not be
            adjacent. Rankers require it.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, constant inside each query if there are query ids.
        eval_set : list of (X, y), default=None
            Validation sets, for early stopping, in place of `validation_fraction`.
            If `estimator` is a pipeline, they pass through its transformers.
        eval_qid : list of array-like, default=None
            The query ids of each validation set.
        eval_sample_weight : list of array-like, default=None
            The weights of each validation set, as `sample_weight`.
        **fit_params : dict
            Passed to `fit` of the estimator, or of the last step of a pipeline.
            If the estimator is a ranker and one of them has an entry per row, such as
            `init_score` or `base_margin`, the rows of each query must be adjacent.

        Returns
        -------
        self : QueryRanker

        Raises
        ------
        ValueError
            If a ranker gets no ids, or is in a pipeline that resamples rows; ids have
            the wrong length or missing values; the id column is missing or holds
            fractional numbers; weights vary inside a query; `eval_metric` has no
            validation set to measure; `eval_qid` does not go with
            `eval_set`, or its columns are others than those of `X`; grades are NaN;
            training would stop early by a measure that is undefined in every query of a
            validation set; a classifier of more than two grades has no `predict_proba`;
            or `validation_fraction` leaves no query on one side.
        TypeError
            If grades are not numbers, `fit_params` hold what is made from the query
            ids, or `eval_metric` does not go with the estimator.
        """
        check_row_order(X=X, y=y, qid=qid, sample_weight=sample_weight)
        metrics = self.eval_metric
        if metrics is not None:
            metrics = check_measures("eval_metric", metrics)
            _libraries.set_up_of(_libraries.last_step(self.estimator))
        rows = X, y, qid, sample_weight
        parts = zip_eval(eval_set, eval_qid, eval_sample_weight)
        if self.validation_fraction is not None:
            _libraries.check_validates(self.estimator)
            refuse_both(parts, fit_params)
            _, ids = self._split(X, qid)
            rows, *parts = hold_out(
                rows, ids, self.validation_fraction, self.random_state
            )
        if metrics is not None and not parts:
            raise ValueError(
                "eval_metric needs validation sets and got none: set "
                "validation_fraction=0.2, which also works inside searches and folds, "
                "or pass eval_set=[(X_valid, y_valid)] and eval_qid=[qid_valid] to fit."
            )
        train = self._rows(*rows)
        needs_ids = metrics is not None or _libraries.is_ranker(self.estimator)
        valid = [
            self._validation_rows(i, X, part, needs_ids) for i, part in enumerate(parts)
        ]
        refuse_params_of_rows(fit_params, train, valid)
        self._grades = np.unique(train.y)
        if _libraries.numbers_classes(self.estimator):
            train, *valid = (
                number_grades(rows, self._grades) for rows in (train, *valid)
            )
        self.estimator_ = self._fit_estimator(train, valid, fit_params, metrics)
        _, ids = self._split(X, qid)
        seen = self._seen_queries = None if ids is None else SeenQueries.of(y, ids)
        self.n_queries_ = None if seen is None else len(seen.keys)
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
        if self.qid is not None or hasattr(self.estimator_, "n_features_in_"):
            validate_data(self, X, skip_check_array=True)  # sets them
        return self

    def _fit_estimator(self, train, valid, fit_params, metrics):
        """Return a fitted copy of the estimator.

        Nothing is said of undefined queries among those held out: a search would repeat
        it for each fit, and its scorer warns once.
        """
        with collect_warnings() as collected:
            fitted = _libraries.fit(
                _libraries.clone_estimator(self.estimator),
                train,
                valid,
                fit_params,
                metrics,
            )
        for subject, message, category in collected:
            is_repeated = category is UndefinedMetricWarning
            if not (is_repeated and self.validation_fraction is not None):
                warn_of_data(message, category, subject=subject)
        _check_response(fitted)
        return fitted

    def _validation_rows(self, number, X, part, needs_ids):
        """Return a validation set; refuse one without ids or with other columns."""
        if part[2] is None and self.qid is None and needs_ids:
            raise ValueError(
                f"eval_set[{number}] needs query ids: pass eval_qid=[qid], with an "
                "array of ids for each validation set."
            )
        try:
            check_same_columns(self, X, part[0])
            names = ("X", "y", "eval_qid", "eval_sample_weight")
            check_row_order(**dict(zip(names, part, strict=True)))
            return self._rows(*part)
        except ValueError as error:
            raise ValueError(f"eval_set[{number}]: {error}") from error

    def predict(self, X: Any) -> Array:
        """Predict scores to rank by.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            The features, with the id column if `qid` names one.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            The prediction of a ranker or regressor; for a classifier the expected
            grade, the mean of its classes weighted by their probabilities, or the
            decision function of a binary classifier without probabilities.

        Raises
        ------
        ValueError
            If the columns of `X` differ from those of `fit`, or in their order.
        """
        check_is_fitted(self)
        features, _ = self._split(X)
        if len(getattr(X, "shape", (0, 0))) == 2:  # the estimator checks other forms
            validate_data(self, X, reset=False, skip_check_array=True)
        return self._predict(features)

    def score(
        self,
        X: Any,
        y: Any,
        qid: Ids | None = "auto",
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Return the nDCG of the predictions, averaged over queries.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            The features, with the id column if `qid` names one.
        y : array-like of shape (n_samples,) or (n_samples, n_subtopics)
            The grades, of which those by subtopic count by the largest of each row.
        qid : array-like of shape (n_samples,), "auto" or None, default="auto"
            The query of each row; "auto": from the id column, if there is one. Ids
            that are missing are an error, unless `fit` got none either: all rows are
            one ranking then, with a warning. None says so without one.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, equal inside each query.

        Returns
        -------
        score : float
            Between 0 and 1, with linear gain, as :func:`ndcg_score` by default.

        Raises
        ------
        ValueError
            If `fit` got query ids and `score` gets none, or weights vary inside a
            query.
        """
        check_row_order(X=X, y=y, qid=qid, sample_weight=sample_weight)
        scores = self.predict(X)
        if isinstance(qid, str) and qid == "auto":
            _, qid = self._split(X)
            if qid is None and self.n_queries_ is not None:
                raise ValueError(_MISSING_IDS.format("score, as fit did,"))
            if qid is None:
                warnings.warn(
                    f"score got no query ids, so all {len(scores)} rows count as one "
                    "ranking. Pass qid= with one id per row, or qid=None if that is "
                    "intended.",
                    stacklevel=2,
                )
        y = single_grades(y)
        return ndcg_score(y, scores, qid=qid, sample_weight=sample_weight)

    @property
    def feature_importances_(self):
        """The importance of each feature by `estimator_`."""
        return self.estimator_.feature_importances_

    @property
    def coef_(self):
        """The coefficients of `estimator_`."""
        return self.estimator_.coef_

    @property
    def evals_result_(self):
        """The log of each validation set, by measure."""
        return _libraries.evals_result(_libraries.last_step(self.estimator_))

    @property
    def best_iteration_(self):
        """The number of boosting rounds of the best model."""
        return _libraries.best_iteration(_libraries.last_step(self.estimator_))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.non_deterministic = inner.non_deterministic
        tags.target_tags.required = True
        tags.target_tags.positive_only = inner.target_tags.positive_only
        return tags

    def _split(self, X, qid=None):
        """Return the features and the ids, passed or from the column."""
        if self.qid is None:
            return X, qid
        X, column = split_column(X, self.qid)
        return X, column if qid is None else qid

    def _rows(self, X, y, qid, sample_weight):
        """Remove the id column, check the rows, and sort them if a ranker needs it."""
        ranker = _libraries.is_ranker(self.estimator)
        X, qid = self._split(X, qid)
        if qid is None and ranker:
            name = type(_libraries.last_step(self.estimator)).__name__
            raise ValueError(_MISSING_IDS.format(f"fit of {name}"))
        return check_rows(X, y, qid, sample_weight, adjacent=ranker)

    def _predict(self, X):
        model = self.estimator_
        if not is_classifier(model):
            scores = model.predict(X)  # of nets a column
            return np.reshape(scores, -1) if np.shape(scores)[1:] == (1,) else scores
        model = read_classes(model)
        if not hasattr(model, "predict_proba"):
            return model.decision_function(X)
        grades = np.asarray(model.classes_)
        if _libraries.numbers_classes(self.estimator):
            grades = self._grades[grades]
        return expected_grades(model.predict_proba(X), grades)


_MISSING_IDS = (
    "{} needs query ids and none arrived: (1) pass qid=; in searches set "
    "enable_metadata_routing=True and pass qid= to them (cross_validate: "
    "params={{'qid': qid}}); or (2) let QueryRanker(..., qid=...) name a column of X."
)


def _check_response(fitted):
    # After fit: some meta-estimators learn only then what they can predict.
    if not is_classifier(fitted) or hasattr(fitted, "predict_proba"):
        return
    n_grades = len(fitted.classes_)
    if n_grades > 2 or not hasattr(fitted, "decision_function"):
        name = type(_libraries.last_step(fitted)).__name__
        raise ValueError(
            "estimator must have predict_proba to predict the expected grade; "
            f"{name} has none, for {n_grades} grades. CalibratedClassifierCV adds it."
        )
