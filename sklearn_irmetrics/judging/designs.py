"""What people labelled, whole queries or sampled documents, and estimates from it."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import stats

from sklearn_irmetrics._arrays.numbers import as_floats
from sklearn_irmetrics._results.tables import PLURAL
from sklearn_irmetrics._statistics.draws import are_alike
from sklearn_irmetrics._statistics.intervals import (
    UNKNOWN,
    ConfidenceInterval,
)
from sklearn_irmetrics._statistics.moments import weight_of_ends
from sklearn_irmetrics.judging.documents import JudgedDocuments, check_documents
from sklearn_irmetrics.judging.regression import (
    AddedEnds,
    corrected_mean,
    count_elsewhere,
    judge_weight,
    plain_mean,
    say_little,
)
from sklearn_irmetrics.judging.sums import gains_of, is_sum, weights_of

# With more different values, they are not grades.
_MOST_GRADES = 50
# With fewer labelled units there is no estimate.
_FEWEST = 3
_NAN = float("nan")


class Estimate(NamedTuple):
    """An estimate of one mean, or difference; the attributes are those of results."""

    estimate: float
    judge: float
    bias: float
    standard_error: float = _NAN
    confidence_interval: ConfidenceInterval = UNKNOWN
    p_value: float = _NAN
    bias_interval: ConfidenceInterval = UNKNOWN
    bias_p_value: float = _NAN
    judge_weight: float = _NAN
    effective_labels: float = _NAN
    random_p_value: float = _NAN


def make_estimate(
    corrected, alone, judge, bias, n_labelled, random_p_value, judge_weight=_NAN
):
    """Return the `Estimate` of three estimated means.

    Parameters
    ----------
    corrected, alone, bias : EstimatedMean
        With the judge, without, and of the judge minus people.
    judge, random_p_value, judge_weight : float
        As in `Estimate`.
    n_labelled : int
        How many labels there are.
    """
    width, width_alone = corrected.high - corrected.low, alone.high - alone.low
    effective_labels = _NAN
    if np.isfinite(width_alone) and width > 0:
        effective_labels = float(n_labelled * (width_alone / width) ** 2)
    return Estimate(
        estimate=float(corrected.estimate),
        judge=float(judge),
        bias=float(judge - corrected.estimate),
        standard_error=float(corrected.standard_error),
        confidence_interval=ConfidenceInterval(
            float(corrected.low), float(corrected.high)
        ),
        p_value=float(corrected.p_value),
        bias_interval=ConfidenceInterval(float(bias.low), float(bias.high)),
        bias_p_value=float(bias.p_value),
        judge_weight=float(judge_weight),
        effective_labels=effective_labels,
        random_p_value=float(random_p_value),
    )


def make_design(
    y_true,
    y_judge,
    *,
    qid,
    inclusion=None,
    sample_weight=None,
    groups=None,
    replacement=0.0,
):
    """Return the documents or queries that people labelled; refuse too few."""
    documents = check_documents(y_true, y_judge, qid, sample_weight, groups)
    if (documents.y_judge < 0).any():
        raise ValueError(
            "y_judge must not hold negative grades; write NaN for an unjudged document."
        )
    design = WholeQueries(documents, replacement)
    if inclusion is not None:
        inclusion = _check_inclusion(inclusion, documents)
        is_labelled = documents.has_label & (inclusion > 0)
        design = SampledDocuments(documents, replacement, inclusion, is_labelled)
    if design.n_labelled < _FEWEST:
        units = PLURAL.get(design.unit, "documents")
        raise ValueError(
            f"y_true must label at least {_FEWEST} {units}; got {design.n_labelled}."
        )
    return design


def _check_inclusion(inclusion, documents):
    """Return the probability of each document that has a weight."""
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
    return inclusion


def bounds_of(measure, is_difference):
    """Return the range of the values of a measure, or of their differences."""
    low, high = measure.range
    return (low - high, high - low) if is_difference else (low, high)


def end_weight_of(level, is_difference):
    """Return the weight of added values, as typical units.

    For differences it does not depend on the level, so that p-values agree with the
    intervals of every level.
    """
    return 1.0 if is_difference else weight_of_ends(level)


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

    @property
    def unit(self):
        """What was labelled."""
        return self.documents.unit

    @property
    def n_units(self):
        """How many units there are."""
        return int(self.documents.groups.max()) + 1

    @property
    def n_labelled(self):
        """The number of them that people labelled."""
        labelled, _ = self.documents.units(self.documents.labelled)
        return int(np.count_nonzero(labelled))

    def parts(self, y_score, measures):
        """Return for each measure the input of `estimate`, which can be subtracted.

        It holds the values of the measure by query, by people and by the judge.
        """
        documents = self.documents
        y_score = documents.scores(y_score)
        return documents.values(documents.y_true, y_score, measures, self.replacement)

    def estimate(self, part, measure, level, *, is_difference=False):
        """Return the `Estimate` of a part, or of a difference of two."""
        bounds = bounds_of(measure, is_difference)
        f, h, labelled, weights = self.documents.units(*part, self.documents.labelled)
        if ((labelled > 0) & (labelled < 1)).any():
            raise ValueError("y_true must label all queries of a group, or none.")
        labelled = labelled > 0
        judge, n_all = np.average(h, weights=weights), len(h)
        others, f, h = h[~labelled], f[labelled], h[labelled]
        weights = weights[labelled]
        usual = 0.0 if is_difference else None
        end_weight = end_weight_of(level, is_difference)
        slope, off = judge_weight(f, h, weights, bounds, usual), h - judge
        with_judge, alone = (
            corrected_mean(
                f,
                e,
                weights,
                n_all,
                bounds,
                level,
                lost,
                usual=usual,
                end_weight=end_weight,
            )
            for e, lost in ((f - slope * off, 2), (f, 1))
        )
        low, high = bounds
        values, bias_bounds, usual_bias = h - f, (low - high, high - low), None
        population = h - f, (judge - high, judge - low)
        if count_elsewhere(f, bounds, usual)[0]:
            # What few units miss of the values, they miss of the bias too.
            values, bias_bounds = judge - f, (judge - high, judge - low)
            usual_bias = judge if is_difference else None
        bias = corrected_mean(
            values,
            judge - (f - slope * off),
            weights,
            n_all,
            bias_bounds,
            level,
            population=population,
            usual=usual_bias,
            end_weight=end_weight,
        )
        random_p_value = np.nan
        if len(others) > 1 and not (are_alike(h) or are_alike(others)):
            random_p_value = stats.ttest_ind(h, others, equal_var=False).pvalue
        return make_estimate(
            with_judge, alone, judge, bias, len(f), random_p_value, slope
        )


@dataclass(frozen=True, eq=False)
class SampledDocuments:
    """Documents chosen with known probabilities and labelled, for sums over them.

    Attributes
    ----------
    documents, replacement
        As in `WholeQueries`.
    inclusion : ndarray of shape (n_documents,)
        Probability with which each document was chosen for labelling.
    is_labelled : ndarray of shape (n_documents,), dtype bool
        Whether people labelled it.
    """

    documents: JudgedDocuments
    replacement: float
    inclusion: np.ndarray
    is_labelled: np.ndarray

    unit = "document"

    @property
    def n_units(self):
        """How many documents there are."""
        return len(self.is_labelled)

    @property
    def n_labelled(self):
        """The number of them that people labelled."""
        return int(self.is_labelled.sum())

    def parts(self, y_score, measures):
        """Return for each measure the input of `estimate`, which can be subtracted.

        They are the weights of documents in a sum; for other measures, values by query
        of people's labels where there are any and the judge's elsewhere, and of the
        judge's alone.
        """
        documents = self.documents
        y_score = documents.scores(y_score)
        values = {
            label: weights_of(measure, y_score, documents.query)
            for label, measure in measures.items()
            if is_sum(measure, self.replacement)
        }
        if others := {n: measure for n, measure in measures.items() if n not in values}:
            mixed = documents.y_true.copy()
            mixed[~documents.has_label] = documents.y_judge[~documents.has_label]
            values |= documents.values(mixed, y_score, others, self.replacement)
        return values

    def estimate(self, part, measure, level, *, is_difference=False):
        """Return the `Estimate` of a part, or of a difference of two."""
        documents, is_labelled = self.documents, self.is_labelled
        if part.ndim > 1:  # no sum, so that it is biased
            *columns, weights = documents.units(*part)
            mean, judge = (np.average(values, weights=weights) for values in columns)
            return Estimate(float(mean), float(judge), float(judge - mean))
        if (unreached := (part != 0) & ~(self.inclusion > 0)).any():
            raise ValueError(
                "inclusion must be above 0 for every document that counts; it is not "
                f"for {np.count_nonzero(unreached)} that {measure.label} looks at. "
                "Draw the sample for all systems and the deepest rank that you compare."
            )
        y_true = gains_of(measure, documents.y_true)
        gains, predicted = self._predicted_gains(measure, y_true)
        factor = np.divide(
            1.0, self.inclusion, out=np.zeros(len(part)), where=is_labelled
        )
        label = np.average(y_true[is_labelled], weights=factor[is_labelled])

        def of_query(values):
            return np.bincount(documents.query, part * values)

        corrected, without, h, off, weights = documents.units(
            of_query(predicted + factor * (y_true - predicted)),
            of_query(label + factor * (y_true - label)),
            of_query(gains),
            of_query(gains * (factor - 1)),
        )
        judge = np.average(h, weights=weights)
        low, high = bounds_of(measure, is_difference)
        seen = np.append(gains, y_true[is_labelled])
        bounds = max(low, 0.0 if not is_difference and seen.min() >= 0 else low), high
        added = added_to_bias = None
        counts = is_labelled & (part != 0)
        if say_little(y_true[counts], gains[counts]):
            end_weight = end_weight_of(level, is_difference)
            added = self._added_ends(part, bounds, seen, end_weight)
            added_to_bias = added._replace(ends=judge - added.ends[::-1])
        with_judge, alone = (
            plain_mean(values, weights, level, bounds, added)
            for values in (corrected, without)
        )
        bias = plain_mean(h - corrected, weights, level, added=added_to_bias)
        n_labelled = np.count_nonzero(counts)
        random_p_value = plain_mean(off, weights, level).p_value
        return make_estimate(with_judge, alone, judge, bias, n_labelled, random_p_value)

    def _added_ends(self, part, bounds, seen, weight):
        """Return the `AddedEnds` of a part.

        Without a range, they are the least and the most that a unit could have with the
        gains seen. A unit is a query or group, however many labels it has.
        """
        documents, is_labelled = self.documents, self.is_labelled
        ends = np.array(bounds)
        if not np.isfinite(ends).all():
            gains = np.array([min(seen.min(), 0.0), max(seen.max(), 0.0)])
            low, high = np.sort(part * gains[:, np.newaxis], axis=0)
            low, high, _ = documents.units(
                *(np.bincount(documents.query, end) for end in (low, high))
            )
            ends = np.array([low.min(), high.max()])
            ends[:] = ends if ends[0] < ends[1] else np.nan
        labelled = np.zeros(len(part))
        labelled[is_labelled] = np.abs(part[is_labelled]) / self.inclusion[is_labelled]
        of_query = np.bincount(documents.query, labelled) * documents.weights
        of_unit = np.bincount(documents.groups, of_query)
        total = of_unit.sum()
        share = (of_unit**2).sum() / total**2 if total > 0 else 0.0
        return AddedEnds(ends, float(share), weight)

    def _predicted_gains(self, measure, y_true):
        """Return the judge's own gains, and people's as a regression predicts them.

        Least squares of the labels taken, weights 1 / `inclusion`, on a column for each
        grade of the judge (and one for none) and the mean of the query; one own value
        of the judge is added to each grade.
        """
        query, y_judge = self.documents.query, self.documents.y_judge
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
        x, weight = columns[self.is_labelled], 1 / self.inclusion[self.is_labelled]
        weight = weight / weight.mean()
        left = x.T @ (weight[:, np.newaxis] * x) + np.eye(x.shape[1])
        right = x.T @ (weight * y_true[self.is_labelled]) + np.append(own, 0.0)
        return judge, columns @ np.linalg.solve(left, right)
