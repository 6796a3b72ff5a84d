"""Tools that take arrays: torchmetrics and scikit-learn."""

import warnings
from types import SimpleNamespace

import numpy as np
from sklearn import metrics
from tool import Tool


class TorchMetrics(Tool):
    """torchmetrics on the CPU, one thread."""

    title = "torchmetrics"
    distributions = ("torchmetrics", "torch")
    preset = "torchmetrics"
    names = {
        "p@": "RetrievalPrecision",
        "recall@": "RetrievalRecall",
        "success@": "RetrievalHitRate",
        "rprec": "RetrievalRPrecision",
        "mrr": "RetrievalMRR",
        "rr@": "RetrievalMRR",
        "ap": "RetrievalMAP",
        "ndcg": "RetrievalNormalizedDCG",
        "ndcg@": "RetrievalNormalizedDCG",
        "roc_auc": "RetrievalAUROC",
    }
    ties = ("ndcg", "roc_auc")

    def same_number(self, shape, measure):
        """Return the arguments; documents without a score get one, the lowest."""
        if shape.has_unscored and measure in ("ndcg", "roc_auc"):
            return None
        return super().same_number(shape, measure)

    def prepare(self, shape):
        """Return scores, judgments (grades, and relevance) and indexes as tensors."""
        import torch

        torch.set_num_threads(1)
        y_true, y_score, qid = shape.flat
        return (
            torch.from_numpy(y_score.astype(np.float32)),
            torch.from_numpy(y_true.astype(np.int64)),
            torch.from_numpy((y_true > 0).astype(np.int64)),
            torch.from_numpy(qid.astype(np.int64)),
        )

    def evaluation(self, prepared, measures):
        """Return the update and the computation of its objects, one after the other."""
        scores, grades, relevant, indexes = prepared
        return lambda: [
            self._metric(measure)(
                scores, grades if "ndcg" in measure else relevant, indexes
            )
            for measure in measures
        ]

    def _metric(self, measure):
        from torchmetrics import retrieval

        k = measure.partition("@")[2]
        options = {"top_k": int(k)} if k else {}
        metric = getattr(retrieval, self.name_of(measure))(**options)

        def evaluate(scores, judgments, indexes):
            metric.update(scores, judgments, indexes=indexes)
            return metric.compute()

        return evaluate

    def means(self, result, measures):
        """Return one number for each measure."""
        return [float(value) for value in result]


class ScikitLearn(Tool):
    """scikit-learn: a matrix where queries are of equal length, else one by one."""

    title = "scikit-learn"
    distributions = ("scikit-learn",)
    preset = "sklearn"
    ties = ("ndcg", "dcg", "roc_auc")
    names = {
        "ap": lambda data, k: _by_row(metrics.average_precision_score, data),
        "roc_auc": lambda data, k: _by_row(metrics.roc_auc_score, data),
        "ndcg": lambda data, k: metrics.ndcg_score(data.grades, data.scores),
        "ndcg@": lambda data, k: metrics.ndcg_score(data.grades, data.scores, k=int(k)),
        "dcg@": lambda data, k: metrics.dcg_score(data.grades, data.scores, k=int(k)),
    }

    def prepare(self, shape):
        """Return matrices of grades, relevance and scores; many where needed."""
        if shape.has_unscored:
            raise TypeError("takes no documents without a score")
        pairs = [shape.matrix]
        if shape.matrix is None:
            pairs = [(g[np.newaxis], s[np.newaxis]) for g, s in shape.queries()]
        return [
            SimpleNamespace(
                grades=grades,
                relevant=(grades > 0) * 1,
                scores=scores,
                labels=grades.argmax(axis=1),
            )
            for grades, scores in pairs
        ]

    def evaluation(self, prepared, measures):
        """Return its evaluation of all matrices."""
        functions = [self.name_of(measure) for measure in measures]
        return lambda: [[call(data) for data in prepared] for call in functions]

    def means(self, result, measures):
        """Return averages over queries."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # nothing is defined
            return [np.nanmean(values) for values in result]


class ScikitLearnCheaper(ScikitLearn):
    """scikit-learn's cheaper functions of the same measures."""

    title = "scikit-learn, cheaper"
    ties = ()
    arguments = dict.fromkeys(("ap", "roc_auc"), {"replace_undefined_by": 1.0})
    names = {
        "ap": lambda data, k: metrics.label_ranking_average_precision_score(
            data.relevant, data.scores
        ),
        "roc_auc": lambda data, k: (
            1 - metrics.label_ranking_loss(data.relevant, data.scores)
        ),
        "ndcg": lambda data, k: metrics.ndcg_score(
            data.grades, data.scores, ignore_ties=True
        ),
        "ndcg@": lambda data, k: metrics.ndcg_score(
            data.grades, data.scores, k=int(k), ignore_ties=True
        ),
        "dcg@": lambda data, k: metrics.dcg_score(
            data.grades, data.scores, k=int(k), ignore_ties=True
        ),
        "success@": lambda data, k: metrics.top_k_accuracy_score(
            data.labels, data.scores, k=int(k), labels=np.arange(data.scores.shape[1])
        ),
    }

    def has(self, shape, measure):
        """Tell whether it has the measure; top-k accuracy is for one relevant."""
        return super().has(shape, measure) and (
            shape.one_relevant or not measure.startswith("success")
        )


def _by_row(function, data):
    if len(data.relevant) == 1:
        return function(data.relevant[0], data.scores[0])
    return function(data.relevant, data.scores, average="samples")
