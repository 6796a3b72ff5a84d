"""Estimates from documents labelled with known probabilities, for sums over them."""

from dataclasses import dataclass, field

import numpy as np
from scipy import stats

from sklearn_irmetrics._core.numbers import as_floats
from sklearn_irmetrics._statistics.intervals import UNKNOWN, ConfidenceInterval
from sklearn_irmetrics.judging._estimate import JudgedEstimate, worth
from sklearn_irmetrics.judging._inputs import JudgedDocuments
from sklearn_irmetrics.judging._sums import gains_of, is_sum, weights_of


@dataclass(frozen=True, eq=False)
class SampledDocuments:
    """Documents labelled at random, each with a known probability.

    Attributes
    ----------
    documents : JudgedDocuments
    replacement : float
        Value of undefined queries.
    inclusion : ndarray of shape (n_documents,)
        With what probability people labelled each document.
    """

    documents: JudgedDocuments
    replacement: float
    inclusion: np.ndarray
    unit: str = field(default="document", init=False)

    @property
    def n_labelled(self):
        """How many documents people labelled."""
        return int(np.count_nonzero(self.documents.has_label))

    @property
    def n_units(self):
        """How many there are."""
        return len(self.inclusion)

    def parts(self, y_score, measures):
        """Return for each measure what `estimate` takes; parts may be subtracted.

        They are the weights of documents in a sum; for other measures, values by query
        of people's labels where there are any and the judge's elsewhere, and of the
        judge's alone.
        """
        documents = self.documents
        y_score = as_floats("y_score", y_score).ravel()
        found = {
            label: weights_of(measure, y_score, documents.query)
            for label, measure in measures.items()
            if is_sum(measure)
        }
        others = {n: one for n, one in measures.items() if n not in found}
        if others:
            judge = documents.judge_grades
            mixed = np.where(documents.has_label, documents.y_true, judge)
            by_both, by_judge = (
                documents.values(grades, y_score, others, self.replacement)
                for grades in (mixed, judge)
            )
            found |= {n: np.stack([by_both[n], by_judge[n]]) for n in others}
        return found

    def estimate(self, part, measure, bounds, confidence_level):
        """Return a `JudgedEstimate` of a part, or of a difference of two."""
        if part.ndim > 1:
            return self._without_interval(part)
        documents, inclusion = self.documents, self.inclusion
        counts = part != 0
        if (unreached := counts & ~(inclusion > 0)).any():
            raise ValueError(
                "inclusion must be above 0 for every document that counts; it is not "
                f"for {np.count_nonzero(unreached)} that {measure.label} looks at. "
                "Draw the sample for all systems and the deepest rank that you compare."
            )
        taken = documents.has_label & (inclusion > 0)
        y_true = gains_of(measure, documents.y_true)
        columns, own = documents.judge_columns(measure)
        judge = columns @ own
        with_judge = _fit(y_true, columns, own, documents.query, taken, inclusion)
        alone = _fit(y_true, np.ones((len(part), 1)), None, None, taken, inclusion)
        factor = np.divide(1.0, inclusion, out=np.zeros(len(part)), where=taken)
        corrected, alone, h, off = (
            np.bincount(documents.query, part * one)
            for one in (
                with_judge + factor * (y_true - with_judge),
                alone + factor * (y_true - alone),
                judge,
                judge * (factor - 1),
            )
        )
        *values, weights = documents.units(corrected, alone, h, off)
        corrected, alone, h, off = values
        estimate, p_value, ends = _t(corrected, weights, confidence_level)
        _, _, without = _t(alone, weights, confidence_level)
        bias, bias_p_value, bias_ends = _t(h - corrected, weights, confidence_level)
        return JudgedEstimate(
            estimate=estimate,
            interval=ConfidenceInterval(*np.clip(ends, *bounds).tolist()),
            p_value=p_value,
            judge=estimate + bias,
            bias=bias,
            bias_interval=bias_ends,
            bias_p_value=bias_p_value,
            trust=float("nan"),
            worth=worth(np.count_nonzero(taken & counts), without, ends),
            random_p_value=_t(off, weights, confidence_level)[1],
        )

    def _without_interval(self, part):
        """Return the values of measures that a sample of documents cannot give."""
        by_both, by_judge, weights = self.documents.units(*part)
        mean, judge = (
            float(np.average(one, weights=weights)) for one in (by_both, by_judge)
        )
        nan = float("nan")
        return JudgedEstimate(
            mean, UNKNOWN, nan, judge, judge - mean, UNKNOWN, nan, nan, nan, nan
        )


def _fit(y, columns, own, query, taken, inclusion):
    """Return people's labels as a regression on the judge foresees them.

    Least squares of the labels taken, weights 1 / `inclusion`, on a column for each
    grade of the judge and the mean of its query; one own value of the judge is added
    to each grade.

    Parameters
    ----------
    y : ndarray of shape (n_documents,)
        Gains by people.
    columns : ndarray of shape (n_documents, n_grades)
        1 for the judge's grade of each, or probabilities of grades.
    own : ndarray of shape (n_grades,) or None
        The gain of each grade of the judge; None: columns alone, nothing added.
    query : ndarray of shape (n_documents,)
        Numbers of the queries.
    taken : ndarray of shape (n_documents,), dtype bool
        Which documents people labelled.
    inclusion : ndarray of shape (n_documents,)
        With what probability.
    """
    weight = 1 / inclusion[taken]
    weight = weight * len(weight) / weight.sum()
    added, pull = 0.0, 0.0
    if own is not None:
        judge = columns @ own
        of_query = np.bincount(query, judge) / np.bincount(query)
        of_query = of_query[query]
        columns = np.column_stack([columns, of_query - of_query.mean()])
        added, pull = np.eye(columns.shape[1]), np.append(own, 0.0)
    x = columns[taken]
    left = x.T @ (weight[:, np.newaxis] * x) + added
    right = x.T @ (weight * y[taken]) + pull
    return columns @ np.linalg.solve(left, right)


def _t(values, weights, confidence_level):
    """Return a mean, the p-value of its being 0, and its t interval."""
    n = len(values)
    u = np.ones(n) if weights is None else weights / weights.mean()
    mean = float((u * values).mean())
    error = np.sqrt((u**2 * (values - mean) ** 2).sum() / (n - 1) / n)
    freedom = n**2 / (u**2).sum() - 1
    reach = stats.t.ppf((1 + confidence_level) / 2, freedom) * error
    p_value = float(2 * stats.t.sf(abs(mean) / error, freedom)) if error > 0 else 1.0
    return mean, p_value, ConfidenceInterval(float(mean - reach), float(mean + reach))


def check_inclusion(inclusion, documents):
    """Return probabilities of inclusion, one per document."""
    inclusion = as_floats("inclusion", inclusion).ravel()
    if inclusion.shape != documents.y_true.shape:
        raise ValueError(
            "inclusion must have one probability per document, "
            f"{len(documents.y_true)}; got {len(inclusion)}."
        )
    if not ((inclusion >= 0) & (inclusion <= 1)).all():
        raise ValueError("inclusion must hold probabilities from 0 to 1.")
    if (left_out := (inclusion == 1) & ~documents.has_label).any():
        raise ValueError(
            "y_true must label every document with an inclusion of 1; it lacks "
            f"{np.count_nonzero(left_out)}."
        )
    if not (documents.has_label & (inclusion > 0)).any():
        raise ValueError("y_true must label some documents with an inclusion above 0.")
    return inclusion
