"""The predictions of all splits together, as each scorer sees them."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import vstack

from sklearn_irmetrics._arrays.numbers import issparse, to_dense
from sklearn_irmetrics._compat import safe_indexing
from sklearn_irmetrics.model_selection._plan import slice_metadata
from sklearn_irmetrics.model_selection._scorers import ModelScorer
from sklearn_irmetrics.model_selection._splits import (
    CachedPredictions,
    PrecomputedEstimator,
)
from sklearn_irmetrics.model_selection.results import OutOfFold, take_responses
from sklearn_irmetrics.scorers.scorer import Predictions


@dataclass(frozen=True, eq=False)
class Pool:
    """The predictions of all splits.

    Attributes
    ----------
    inputs : Inputs
        All data.
    predictions : OutOfFold
        The predictions.
    classes : ndarray or None
        Columns of class scores.
    """

    inputs: object
    predictions: OutOfFold
    classes: np.ndarray | None

    @classmethod
    def from_outcomes(cls, inputs, outcomes):
        """Return the predictions of the splits that did not fail."""
        fitted = [outcome for outcome in outcomes if outcome.error is None]
        responses, classes = concatenate_responses(
            [outcome.responses for outcome in fitted],
            [outcome.classes for outcome in fitted],
        )
        sides = [outcome.test.rows for outcome in fitted]
        rows, sizes = np.concatenate(sides), list(map(len, sides))
        split = np.repeat([outcome.number for outcome in fitted], sizes)
        ids = None if inputs.qid is None else inputs.qid[rows]
        y_true = np.asarray(to_dense(inputs.y))[rows]
        return cls(inputs, OutOfFold(rows, split, y_true, ids, responses), classes)

    def paired(self, rows, partners, split):
        """Return predictions of other rows, `partners`, beside the targets of rows."""
        out_of_fold = self.predictions
        paired = replace(
            out_of_fold.take(rows),
            split=split,
            responses=take_responses(out_of_fold.responses, partners),
        )
        return replace(self, predictions=paired)


def concatenate_responses(parts, classes):
    """Join predictions of several splits, by method.

    Parameters
    ----------
    parts : list of dict of str to array
        Predictions of each split.
    classes : list of (ndarray or None)
        The classes that each split's estimator knew.

    Returns
    -------
    responses : dict of str to array
    classes : ndarray, list of ndarray or None
        All classes, in the order of the columns; a list for several labels per row.

    Raises
    ------
    ValueError
        If splits saw different classes and their outputs cannot be aligned.
    """
    all_classes, of_labels = classes[0], isinstance(classes[0], list)
    if all_classes is not None and not of_labels:
        all_classes = np.unique(np.concatenate(classes))
    joined = {}
    for method in sorted(set.intersection(*map(set, parts))):
        outputs = [part[method] for part in parts]
        if not (all_classes is None or of_labels) and method != "predict":
            outputs = [
                _align(output, known, all_classes, method, i)
                for i, (output, known) in enumerate(zip(outputs, classes, strict=True))
            ]
        if isinstance(outputs[0], list):  # one array per output of a multilabel one
            columns = zip(*outputs, strict=True)
            joined[method] = [np.concatenate(column) for column in columns]
        elif issparse(outputs[0]):
            joined[method] = vstack(outputs, format="csr")
        else:
            joined[method] = np.concatenate(list(map(np.asarray, outputs)))
    return joined, all_classes


def _align(output, known, all_classes, method, split):
    """Return class scores, of known classes, with a column for every class.

    Those of unknown classes are 0 or the least score.
    """
    if len(known) == len(all_classes):
        return output
    if np.ndim(output) != 2 or np.shape(output)[1] != len(known):
        raise ValueError(
            f"the predictions of split {split} cannot be pooled: it was trained on "
            f"only the classes {known.tolist()} of {all_classes.tolist()}. Use "
            "method='stratified' with no more splits than the rarest class has rows, "
            "and leave out classes of a single row."
        )
    fill = 0.0 if method == "predict_proba" else np.finfo(output.dtype).min
    full = np.full((len(output), len(all_classes)), fill)
    full[:, np.searchsorted(all_classes, known)] = output
    return full


@dataclass(frozen=True, eq=False)
class Scores:
    """Predictions, and the score of any of them by a scorer.

    Attributes
    ----------
    scorer : ModelScorer
        What scores.
    inputs : Inputs
        All data.
    row, split : int array of shape (n_predictions,)
        The row and the split of each prediction.
    times : int array of shape (n_predictions,)
        How often its row was predicted.
    predictions : Predictions or None
        What it scores; None for callables of the user.
    responses : dict of str to array
        Predictions for callables, by method.
    classes : ndarray or None
        Columns of class scores.
    """

    scorer: ModelScorer
    inputs: object
    row: np.ndarray
    split: np.ndarray
    times: np.ndarray
    predictions: Predictions | None
    responses: dict
    classes: np.ndarray | None

    @classmethod
    def from_pool(cls, scorer, pool):
        """Return the predictions of a pool as a scorer sees them."""
        inputs, out_of_fold, metadata = pool.inputs, pool.predictions, {}
        rows = out_of_fold.row
        if inputs.queries is not None:
            metadata["qid"] = inputs.queries.codes[rows]
        if scorer.ranks == "queries":  # a query in two splits is two rankings
            metadata["qid"] = _joint_codes([metadata["qid"], out_of_fold.split])
        model = PrecomputedEstimator(out_of_fold.responses, pool.classes)
        y = safe_indexing(inputs.y, rows)
        predictions = scorer.predictions(model, None, y, metadata, CachedPredictions())
        return cls(
            scorer=scorer,
            inputs=inputs,
            row=rows,
            split=out_of_fold.split,
            times=np.bincount(rows)[rows],
            predictions=predictions,
            responses=out_of_fold.responses if predictions is None else {},
            classes=pool.classes,
        )

    @property
    def units(self):
        """The unit of each prediction."""
        return self.inputs.units.codes[self.row]

    def take(self, at, copies=None):
        """Return some of the predictions.

        With `copies`, the draw of its unit that each belongs to, a query that is drawn
        twice is two rankings.
        """
        predictions = self.predictions
        if predictions is not None:
            qid = predictions.qid
            qid = None if qid is None else np.asarray(qid)[at]
            if copies is not None and qid is not None:
                qid = _joint_codes([qid, copies])
            predictions = predictions._replace(
                y_true=_take(predictions.y_true, at),
                y_score=_take(predictions.y_score, at),
                qid=qid,
            )
        return replace(
            self,
            row=self.row[at],
            split=self.split[at],
            times=self.times[at],
            predictions=predictions,
            responses=take_responses(self.responses, at),
        )

    def of_split(self, split):
        """Return the predictions of a split, in which each row was predicted once."""
        part = self.take(np.flatnonzero(self.split == split))
        return replace(part, times=np.ones_like(part.times))

    def weighed(self):
        """Return the predictions whose weight, if the scorer takes any, is not 0."""
        requested = self.scorer.take_requested(self.inputs.metadata)
        weights = requested.get("sample_weight")
        if weights is None:
            return self
        return self.take(np.flatnonzero(np.asarray(weights)[self.row]))

    def kinds(self):
        """Return equal numbers for equal targets with equal predictions, or None.

        Whichever prediction of a kind is left out, the score is the same. None is
        returned if predictions are no single numbers or classes, or rows have weights.
        """
        if self.predictions is None or self.scorer.requested or self.repeats_rows:
            return None
        y_true, y_score = self.predictions.y_true, self.predictions.y_score
        if np.ndim(y_true) != 1 or np.ndim(y_score) != 1:
            return None
        return _joint_codes([y_true, y_score])

    @property
    def repeats_rows(self):
        """Whether weights must make good how often rows were predicted.

        They do if it was unequally often, and for sums, to which each row adds once.
        """
        once = 1 if self.scorer.is_sum else self.times.min()
        return self.scorer.takes_weights and self.times.max() > once

    @property
    def n_rows(self):
        """How many rows were predicted; with weights, the sum of theirs."""
        weights = self.scorer.take_requested(self.inputs.metadata).get("sample_weight")
        rows = np.unique(self.row)
        return len(rows) if weights is None else float(np.sum(np.take(weights, rows)))

    def score(self, **options):
        """Return the score.

        If rows can have weights, a row that was predicted `m` times has weight 1/m.
        """
        inputs = self.inputs
        if self.predictions is None:
            X, y = (safe_indexing(data, self.row) for data in (inputs.X, inputs.y))
            model = PrecomputedEstimator(self.responses, self.classes)
            return self.scorer.score_model(model, X, y)
        metadata = slice_metadata(
            self.scorer.take_requested(inputs.metadata), self.row, len(inputs.target)
        )
        if self.repeats_rows:
            weights = metadata.get("sample_weight", 1.0)
            options = {"sample_weight": weights / self.times, **options}
        return self.scorer.score(self.predictions, metadata, **options)

    def score_if_defined(self):
        """Return the score, NaN if it is not defined for these predictions."""
        try:
            return self.score()
        except ValueError:  # rows of one class are left
            return np.nan

    def as_one_ranking(self):
        """Return targets and scores of one ranking, and a function that scores many.

        None if the scorer has to be called for each change of its rows.
        """
        if self.scorer.requested or self.repeats_rows:
            return None
        return self.scorer.as_one_ranking(self.predictions)


def _take(values, at):
    """Return some rows of an array, or of each of a list of arrays."""
    if isinstance(values, list):
        return [part[at] for part in values]
    return safe_indexing(values, at)


def _joint_codes(columns):
    """Return one number for each combination of values."""
    codes = 0
    for column in columns:
        _, values = np.unique(column, return_inverse=True)
        _, codes = np.unique(codes * (values.max() + 1) + values, return_inverse=True)
    return codes
