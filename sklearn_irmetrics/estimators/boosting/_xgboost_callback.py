"""A callback of XGBoost, to be imported where XGBoost is there."""

import numpy as np
from xgboost import DMatrix
from xgboost.callback import EarlyStopping, TrainingCallback

from sklearn_irmetrics._arrays.query_ids import group_rows
from sklearn_irmetrics._compat import safe_indexing
from sklearn_irmetrics.metrics._ranking.batch import check_weights


class LogMeasures(TrainingCallback):
    """Log measures of validation sets, whose predictions XGBoost keeps up to date.

    It also stops training early: XGBoost's own early stopping might be called before
    it, because some versions call callbacks in any order.
    """

    def __init__(self, metric, eval_set, eval_qid, eval_sample_weight, rounds, options):
        super().__init__()
        self._rounds = rounds
        weights = eval_sample_weight or [None] * len(eval_set)
        self._metric = metric
        self._stopping = TrainingCallback()
        self._sets = {
            f"validation_{i}": _dmatrix(*rows, qid, weight, options)
            for i, (rows, qid, weight) in enumerate(
                zip(eval_set, eval_qid, weights, strict=True)
            )
        }

    def before_training(self, model):
        """Begin anew."""
        if self._rounds is not None:
            self._stopping = EarlyStopping(
                rounds=self._rounds,
                metric_name=next(iter(self._metric.measures)),
                maximize=self._metric.greater_is_better,
            )
        return self._stopping.before_training(model)

    def after_iteration(self, model, epoch, evals_log):
        """Append the values of this round, and tell whether to stop."""
        for name, dmatrix in self._sets.items():
            scores = model.predict(dmatrix, training=False)
            log = evals_log.setdefault(name, {})
            for label, value in self._metric.of_dmatrix(scores, dmatrix).items():
                log.setdefault(label, []).append(value)
        return self._stopping.after_iteration(model, epoch, evals_log)

    def after_training(self, model):
        """Leave the model as it is."""
        return self._stopping.after_training(model)


def _dmatrix(X, y, qid, weights, options):
    """Return rows sorted by query, as XGBoost wants them."""
    y = np.asarray(y)
    queries = group_rows(qid, len(y))
    weights = check_weights(weights, len(y), "row")
    if weights is not None:
        weights = queries.one_each("sample_weight", weights)
    if queries.order is not None:
        X, y = safe_indexing(X, queries.order), y[queries.order]
    return DMatrix(X, y, group=queries.lengths, weight=weights, **options)
