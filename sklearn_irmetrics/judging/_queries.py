"""Estimates from whole queries that people labelled, for any measure."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from sklearn_irmetrics._statistics.intervals import ConfidenceInterval, are_alike
from sklearn_irmetrics.judging._estimate import JudgedEstimate, worth
from sklearn_irmetrics.judging._inputs import JudgedDocuments
from sklearn_irmetrics.judging._regression import judged_mean


@dataclass(frozen=True, eq=False)
class WholeQueries:
    """Queries labelled at random, each wholly.

    Attributes
    ----------
    documents : JudgedDocuments
    replacement : float
        Value of undefined queries.
    """

    documents: JudgedDocuments
    replacement: float

    @property
    def n_labelled(self):
        """How many queries (or groups of them) people labelled."""
        return int(np.count_nonzero(self.documents.units(self.documents.labelled)[0]))

    @property
    def n_units(self):
        """How many there are."""
        return len(self.documents.units(self.documents.labelled)[0])

    @property
    def unit(self):
        """What was labelled."""
        return "query" if self.documents.groups is None else "group"

    def parts(self, y_score, measures):
        """Return for each measure what `estimate` takes; parts may be subtracted.

        They are its values by query, by people and by the judge.
        """
        by_people, by_judge = (
            self.documents.values(grades, y_score, measures, self.replacement)
            for grades in (self.documents.y_true, self.documents.y_judge)
        )
        return {
            label: np.stack([by_people[label], by_judge[label]]) for label in measures
        }

    def estimate(self, part, measure, bounds, confidence_level):
        """Return a `JudgedEstimate` of a part, or of a difference of two."""
        f, h, labelled, weights = self.documents.units(*part, self.documents.labelled)
        if ((labelled > 0) & (labelled < 1)).any():
            raise ValueError("y_true must label all queries of a group, or none.")
        labelled = labelled > 0
        mean_all = np.average(h, weights=weights)
        others, f, h = h[~labelled], f[labelled], h[labelled]
        options = {
            "mean_all": mean_all,
            "n_all": len(labelled),
            "confidence_level": confidence_level,
            "weights": None if weights is None else weights[labelled],
        }
        found = judged_mean(f, h, bounds=bounds, **options)
        alone = judged_mean(f, h, bounds=bounds, judge=False, **options)
        size = bounds[1] - bounds[0]
        bias = judged_mean(h - f, h, bounds=(-size, size), **options)
        return JudgedEstimate(
            estimate=float(found.estimate),
            interval=_interval(found),
            p_value=float(found.p_value),
            judge=float(mean_all),
            bias=float(mean_all - found.estimate),
            bias_interval=_interval(bias),
            bias_p_value=float(bias.p_value),
            trust=float(found.trust),
            worth=worth(len(f), _interval(alone), _interval(found)),
            random_p_value=_p_of_random_sample(h, others),
        )


def _interval(found):
    return ConfidenceInterval(float(found.low), float(found.high))


def _p_of_random_sample(labelled, others):
    """Return the p-value of Welch's t-test, NaN where nothing can be said."""
    if len(others) < 2 or are_alike(labelled) and are_alike(others):
        return float("nan")
    return float(stats.ttest_ind(labelled, others, equal_var=False).pvalue)
