"""Measures of one system from few labels by people and many of a judge."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn_irmetrics._core.parameters import check_confidence_level
from sklearn_irmetrics._measures.tabular import Tabular
from sklearn_irmetrics._tables import PLURAL, Interval, Number, Table
from sklearn_irmetrics._typing import ArrayLike, Ids, Measures
from sklearn_irmetrics.judging._design import make_design
from sklearn_irmetrics.judging._estimate import (
    JudgedEstimate,
    columns_of,
    notes_on,
)
from sklearn_irmetrics.judging._inputs import (
    bounds_of,
    check_measures,
)


@dataclass(frozen=True, eq=False, repr=False)
class JudgedScores(Tabular):
    """Measures by people and a judge together; `score_judged` returns it.

    Attributes
    ----------
    scores : dict of str to JudgedEstimate
        By measure.
    n_labelled, n_units : int
        How many queries (groups, documents) people labelled, and how many there are.
    unit : {"query", "group", "document"}
        What was labelled.
    confidence_level : float
        Of the intervals.
    """

    scores: dict[str, JudgedEstimate]
    n_labelled: int
    n_units: int
    unit: str
    confidence_level: float

    def _table(self):
        units = PLURAL.get(self.unit, f"{self.unit}s")
        title = [
            f"{self.n_labelled} of {self.n_units} {units} labelled by people, all by "
            "the judge"
        ]
        level = f"{100 * self.confidence_level:g} % interval"
        header = ["", "estimate", level, "judge", "its bias", level, "trust"]
        header.append(f"worth ({units})")
        rows = [
            (
                label,
                Number(one.estimate),
                Interval(*one.interval),
                Number(one.judge),
                Number(one.bias, "+.4f"),
                Interval(*one.bias_interval, "+.4f"),
                Number(one.trust, ".2f"),
                Number(one.worth, ".0f"),
            )
            for label, one in self.scores.items()
        ]
        return Table(
            title, header, rows, "<" + ">" * 7, [*notes_on(self.scores, units)]
        )

    def _data(self):
        return [("measure", list(self.scores)), *columns_of(self.scores.values())]


def score_judged(
    y_true: ArrayLike,
    y_judge: ArrayLike,
    y_score: ArrayLike,
    metrics: Measures,
    *,
    qid: Ids | None = None,
    inclusion: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    groups: Ids | None = None,
    confidence_level: float = 0.95,
    replace_undefined_by: float = 0.0,
) -> JudgedScores:
    """Score rankings by a judge's grades, corrected by what people labelled.

    What people labelled must be a **random sample**: whole queries drawn by lot, or
    documents drawn with known probabilities; not the easy ones, nor those that looked
    wrong. If it is not, the estimates may be wrong by any amount, and no interval shows
    it. What can be checked is checked: what the judge says of the sample is compared
    with what it says of the rest (`random_p_value`), and the table has a note if a
    random sample would seldom differ as much.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        Labels by people; NaN where there is none. Without `inclusion`, people must have
        labelled all documents of a query that the judge graded, or none.
    y_judge : array-like of the shape of `y_true`, or with one more axis of grades
        The judge's grades, of all queries. NaN: unjudged, as documents that nobody
        would label. Or probabilities of the grades 0, 1, 2, ..., of which expected
        measures are taken (see `expected_scores`).
    y_score : array-like of the shape of `y_true`
        Scores; larger ranks higher, -inf: not retrieved.
    metrics : str or Measure, list of them, or dict of str to them
        Plain means over queries of any measure, such as ``"ndcg@10"``.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input.
    inclusion : array-like of the shape of `y_true`, default=None
        With what probability each document was to be labelled, as `sample_judgments`
        gives it, for labels of sampled documents. It takes a sum over documents (P@k,
        CG, DCG, RBP, success@1). Other measures are biased however many documents are
        labelled: they come without an interval, and need whole queries. None: whole
        queries were labelled.
    sample_weight : array-like, default=None
        One weight per query: per row with 1-D input (constant inside a query).
    groups : array-like, default=None
        Groups of queries that resemble each other, such as those of one user, per row
        with 1-D input. They are the units, and labelled wholly or not at all.
    confidence_level : float, default=0.95
        Of the intervals.
    replace_undefined_by : float, default=0.0
        Value of an undefined query. They cannot be left out, because nobody knows in
        which of the other queries people would find nothing relevant.

    Returns
    -------
    JudgedScores
        With `scores`, a `JudgedEstimate` by measure; `to_frame()`, `to_csv()`,
        `to_latex()` and `to_markdown()`.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    compare_judged : Differences between systems.

    Notes
    -----
    The estimate is that of prediction-powered inference, which is the regression
    estimator of two-phase sampling: the mean of ``f - trust * (h - mean of all h)``
    over the labelled queries, with values `f` by people and `h` by the judge. `trust`
    is the slope of `f` on `h`, kept in [0, 1]: 0 if the judge does not know what people
    think, and then nothing is lost by asking it. The judge may be biased; only what
    does *not* vary with people's values makes the interval wider.

    The interval is about queries like these. It is t, of the corrected values and one
    more towards each end of the range of the measure, half a spread away and of half
    the weight (a whole spread and a whole value where most of people's values lie at
    one end of the range). In simulations of ten judges and four measures it held the
    truth in at least 94 % of samples from 10 labelled queries on; with one relevant
    document among sixty and a poor system it needs 15.

    With `inclusion`, people's labels are regressed on the judge's grade and the mean
    grade of its query, and what the regression misses in the sample is added with the
    weight ``1 / inclusion`` (the difference estimator). This is unbiased whatever the
    judge says; the interval is t over the queries.

    References
    ----------
    A. N. Angelopoulos, J. C. Duchi and T. Zrnic, "PPI++: Efficient Prediction-Powered
    Inference", arXiv 2311.01453 (2023).

    W. G. Cochran, "Sampling Techniques", 3rd edition, Wiley 1977, chapter 12.

    C.-E. Särndal, B. Swensson and J. Wretman, "Model Assisted Survey Sampling",
    Springer 1992, chapter 6.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_irmetrics.judging import score_judged
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 4, size=(200, 20))  # nobody has seen most of it
    >>> y_score = truth + rng.normal(scale=2, size=truth.shape)
    >>> y_judge = np.clip(truth + rng.integers(0, 2, truth.shape), 0, 3)
    >>> y_true = np.where(np.arange(200)[:, None] < 30, truth, np.nan)
    >>> result = score_judged(y_true, y_judge, y_score, "ndcg@10")
    >>> one = result.scores["ndcg@10"]
    >>> round(one.judge, 3), round(one.estimate, 3)
    (0.846, 0.804)
    >>> print(*(round(end, 3) for end in one.interval))
    0.778 0.827
    """
    level = check_confidence_level(confidence_level)
    measures, replacement = check_measures(metrics, replace_undefined_by)
    design = make_design(
        y_true,
        y_judge,
        inclusion,
        replacement,
        qid=qid,
        sample_weight=sample_weight,
        groups=groups,
    )
    parts = design.parts(y_score, measures)
    found = {
        label: design.estimate(
            parts[label], measure, bounds_of(measure, replacement), level
        )
        for label, measure in measures.items()
    }
    return JudgedScores(found, design.n_labelled, design.n_units, design.unit, level)
