"""Estimates by the way in which documents or queries were chosen for labelling."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from sklearn_irmetrics._core.numbers import as_floats
from sklearn_irmetrics._statistics.intervals import are_alike
from sklearn_irmetrics._tables import PLURAL
from sklearn_irmetrics.judging._documents import JudgedDocuments, check_documents
from sklearn_irmetrics.judging._estimates import (
    JudgedEstimate,
    corrected_mean,
    make_estimate,
    plain_mean,
    slope_of,
)
from sklearn_irmetrics.judging._expected import check_probabilities
from sklearn_irmetrics.judging._sums import gains_of, is_sum, weights_of

# With more different values, they are not grades.
_MOST_GRADES = 50
# With fewer labelled units there is no estimate.
_FEWEST = 3


def make_design(*arrays, **options):
    """Return the design of the labels, and the counts for results."""
    design = _make_design(*arrays, **options)
    counts = design.counts()
    if counts["n_labelled"] < _FEWEST:
        units = PLURAL.get(counts["unit"], "documents")
        raise ValueError(
            f"y_true must label at least {_FEWEST} {units}; got {counts['n_labelled']}."
        )
    return design, counts


def _make_design(y_true, y_judge, replacement, inclusion, **given):
    documents = check_documents(y_true, y_judge, **given)
    if (documents.y_judge < 0).any():
        raise ValueError("y_judge must not hold negative grades; NaN: unjudged.")
    if inclusion is None:
        return WholeQueries(documents, replacement)
    inclusion = as_floats("inclusion", inclusion)
    if inclusion.shape != documents.shape or not (abs(inclusion - 0.5) <= 0.5).all():
        raise ValueError(
            "inclusion must hold a probability from 0 to 1 for each document, shape "
            f"{documents.shape}; got shape {inclusion.shape}, values from "
            f"{inclusion.min()} to {inclusion.max()}."
        )
    inclusion = inclusion.ravel()[documents.kept]
    if (missing := (inclusion == 1) & ~documents.has_label).any():
        raise ValueError(
            "y_true must label every document with an inclusion of 1; it lacks "
            f"{np.count_nonzero(missing)}."
        )
    taken = documents.has_label & (inclusion > 0)
    return SampledDocuments(documents, replacement, inclusion, taken)


@dataclass(frozen=True, eq=False)
class WholeQueries:
    """Queries chosen at random and labelled completely, for any measure.

    Attributes
    ----------
    documents : JudgedDocuments
    replacement : float
        Value of undefined queries.
    """

    documents: JudgedDocuments
    replacement: float

    def counts(self):
        """Return the number of labelled units, of all units, and their name."""
        labelled, _ = self.documents.units(self.documents.labelled)
        n_labelled, n_units = int(np.count_nonzero(labelled)), len(labelled)
        unit = self.documents.unit
        return {"n_labelled": n_labelled, "n_units": n_units, "unit": unit}

    def parts(self, y_score, measures):
        """Return for each measure the input of `estimate`, which can be subtracted.

        They are its values by query, by people and by the judge.
        """
        documents = self.documents
        y_score = documents.scores(y_score)
        return documents.values(documents.y_true, y_score, measures, self.replacement)

    def estimate(self, part, measure, bounds, level):
        """Return a `JudgedEstimate` of a part, or of a difference of two."""
        f, h, labelled, weights = self.documents.units(*part, self.documents.labelled)
        if ((labelled > 0) & (labelled < 1)).any():
            raise ValueError("y_true must label all queries of a group, or none.")
        labelled = labelled > 0
        judge, n_all = np.average(h, weights=weights), len(h)
        others, f, h = h[~labelled], f[labelled], h[labelled]
        weights = weights[labelled]
        trust, off = slope_of(f, h, weights), h - judge
        of_judge = (bounds[0] - bounds[1], bounds[1] - bounds[0])
        found, alone, bias = (
            corrected_mean(values, much * off, weights, n_all, ends, level, lost)
            for values, much, ends, lost in (
                (f, trust, bounds, 2),
                (f, 0.0, bounds, 1),
                (h - f, 1 - trust, of_judge, 2),
            )
        )
        random_p_value = np.nan
        if len(others) > 1 and not (are_alike(h) or are_alike(others)):
            random_p_value = stats.ttest_ind(h, others, equal_var=False).pvalue
        return make_estimate(found, alone, judge, bias, len(f), random_p_value, trust)


@dataclass(frozen=True, eq=False)
class SampledDocuments:
    """Documents chosen with known probabilities and labelled, for sums over them.

    Attributes
    ----------
    documents, replacement
        As of `WholeQueries`.
    inclusion : ndarray of shape (n_documents,)
        Probability with which each document was chosen for labelling.
    taken : ndarray of shape (n_documents,), dtype bool
        Whether they did.
    """

    documents: JudgedDocuments
    replacement: float
    inclusion: np.ndarray
    taken: np.ndarray

    def counts(self):
        """Return how many documents people labelled, and how many there are."""
        n_labelled, n_units = int(self.taken.sum()), len(self.taken)
        return {"n_labelled": n_labelled, "n_units": n_units, "unit": "document"}

    def parts(self, y_score, measures):
        """Return for each measure the input of `estimate`, which can be subtracted.

        They are the weights of documents in a sum; for other measures, values by query
        of people's labels where there are any and the judge's elsewhere, and of the
        judge's alone.
        """
        documents = self.documents
        y_score = documents.scores(y_score)
        found = {
            label: weights_of(measure, y_score, documents.query)
            for label, measure in measures.items()
            if is_sum(measure, self.replacement)
        }
        if others := {n: one for n, one in measures.items() if n not in found}:
            judge = documents.y_judge
            judge = judge if judge.ndim == 1 else judge.argmax(axis=1)
            mixed = np.where(documents.has_label, documents.y_true, judge)
            found |= documents.values(mixed, y_score, others, self.replacement)
        return found

    def estimate(self, part, measure, bounds, level):
        """Return a `JudgedEstimate` of a part, or of a difference of two."""
        documents, taken = self.documents, self.taken
        if part.ndim > 1:  # no sum, so that it is biased
            *columns, weights = documents.units(*part)
            mean, judge = (np.average(one, weights=weights) for one in columns)
            return JudgedEstimate(mean, judge=judge, bias=judge - mean)
        if (unreached := (part != 0) & ~(self.inclusion > 0)).any():
            raise ValueError(
                "inclusion must be above 0 for every document that counts; it is not "
                f"for {np.count_nonzero(unreached)} that {measure.label} looks at. "
                "Draw the sample for all systems and the deepest rank that you compare."
            )
        y_true = gains_of(measure, documents.y_true)
        judge, foreseen = self._foreseen(measure, y_true)
        factor = np.divide(1.0, self.inclusion, out=np.zeros(len(part)), where=taken)
        label = np.average(y_true[taken], weights=factor[taken])

        def of_query(values):
            return np.bincount(documents.query, part * values)

        corrected, without, h, off, weights = documents.units(
            of_query(foreseen + factor * (y_true - foreseen)),
            of_query(label + factor * (y_true - label)),
            of_query(judge),
            of_query(judge * (factor - 1)),
        )
        found, alone = (
            plain_mean(one, weights, level, bounds) for one in (corrected, without)
        )
        bias = plain_mean(h - corrected, weights, level)
        n_labelled = np.count_nonzero(taken & (part != 0))
        judge = np.average(h, weights=weights)
        random_p_value = plain_mean(off, weights, level).p_value
        return make_estimate(found, alone, judge, bias, n_labelled, random_p_value)

    def _foreseen(self, measure, y_true):
        """Return the judge's own gains, and people's as a regression foresees them.

        Least squares of the labels taken, weights 1 / `inclusion`, on a column for each
        grade of the judge (and one for none) and the mean of the query; one own value
        of the judge is added to each grade.
        """
        query, y_judge = self.documents.query, self.documents.y_judge
        if y_judge.ndim > 1:
            columns, grades = check_probabilities(y_judge)
        else:
            grades, codes = np.unique(y_judge, return_inverse=True)
            if len(grades) > _MOST_GRADES:
                raise ValueError(
                    f"y_judge must hold at most {_MOST_GRADES} different grades where "
                    f"inclusion is given; got {len(grades)}."
                )
            columns = np.eye(len(grades))[codes]
        own = gains_of(measure, grades)
        judge = columns @ own
        of_query = np.bincount(query, judge) / np.bincount(query)
        columns = np.column_stack([columns, of_query[query] - judge.mean()])
        x, weight = columns[self.taken], 1 / self.inclusion[self.taken]
        weight = weight / weight.mean()
        left = x.T @ (weight[:, np.newaxis] * x) + np.eye(x.shape[1])
        right = x.T @ (weight * y_true[self.taken]) + np.append(own, 0.0)
        return judge, columns @ np.linalg.solve(left, right)
