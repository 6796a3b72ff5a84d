"""A measure at many cutoffs is the measure at each of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_irmetrics as irm
from oracles.cases import marks_of_all, spelled
from oracles.measures import METRICS
from oracles.queries import ragged_rankings
from sklearn_irmetrics import Measure

WITH_CUTOFF = [
    name
    for name, row in METRICS.items()
    if row.kind == "ranking" and "k" in row.parameters
]


@pytest.mark.filterwarnings("ignore:(it|(coverage_ratio|intra_list)_.*) is undefined")
@pytest.mark.parametrize("ties", ["average", "optimistic", "pessimistic", "stable"])
@pytest.mark.parametrize("name", WITH_CUTOFF)
def test_many_cutoffs_equal_each_one(name, ties):
    y_true, y_score, qid = ragged_rankings()
    ks = [1, 2, 3, 10, 39, 1000]
    if ties in ("optimistic", "pessimistic") and not METRICS[name].extremes:
        return
    if not METRICS[name].subtopics:
        ks.append(10**18)
    else:
        y_true = np.column_stack([y_true, np.roll(y_true, 1)])
    marks = marks_of_all([name], np.arange(len(qid)) % 3 == 0)
    options = {"qid": qid, "ties": ties, "marks": marks}
    name = spelled(name)
    many = irm.reports.metric_at_cutoffs(
        name, y_true, y_score, ks, average=None, **options
    )
    for column, k in enumerate(ks):
        one = irm.score_queries(y_true, y_score, {"it": f"{name}@{k}"}, **options)
        np.testing.assert_allclose(many[:, column], one.scores["it"], atol=1e-13)


@pytest.mark.parametrize("ties", ["average", "optimistic", "pessimistic"])
@pytest.mark.parametrize("name", ["ap", "q"])
@pytest.mark.parametrize("denominator", ["attainable", "k", "retrieved"])
def test_many_cutoffs_with_every_denominator(name, denominator, ties):
    y_true, y_score, qid = ragged_rankings()
    text = f"{name}(denominator={denominator!r})"
    options = {"qid": qid, "ties": ties}
    if denominator == "retrieved" and ties != "average":
        with pytest.raises(ValueError, match="must be 'average' or 'stable' with den"):
            irm.reports.metric_at_cutoffs(text, y_true, y_score, [2, 7], **options)
        return
    many = irm.reports.metric_at_cutoffs(text, y_true, y_score, [2, 7], **options)
    for value, k in zip(many, [2, 7], strict=True):
        one = irm.score_queries(y_true, y_score, f"{text}@{k}", **options)
        assert value == pytest.approx(one.mean[f"{text}@{k}"], abs=1e-13)


@pytest.mark.filterwarnings("error")
def test_cutoffs_warn_once_and_average_as_the_measure():
    y_true, y_score, qid = ragged_rankings()
    micro = irm.reports.metric_at_cutoffs(
        "p", y_true, y_score, [1, 5], qid=qid, average="micro"
    )
    expected = irm.precision_at_k_score(y_true, y_score, k=5, qid=qid, average="micro")
    assert micro[1] == expected
    with pytest.warns(UndefinedMetricWarning, match="undefined in 1 of 2") as caught:
        irm.reports.metric_at_cutoffs("ap", [0, 1], [1, 2], [1, 2], qid=[1, 2])
    assert len(caught) == 1


@pytest.mark.filterwarnings("ignore:.* undefined in")
def test_cutoffs_keep_what_a_measure_says():
    silent, own = (
        irm.reports.metric_at_cutoffs(
            name, [0, 0], [2, 1], [1], replace_undefined_by=0.5
        )
        for name in ("recall", Measure("recall", replace_undefined_by=np.nan))
    )
    np.testing.assert_equal([*silent, *own], [0.5, np.nan])


@pytest.mark.parametrize(
    ("metric", "ks", "message"),
    [
        ("rprec", [1], "metric must name a measure with a cutoff"),
        ("ndcg@5", [1], "without a value for it; got 'ndcg@5'"),
        ("ndcg", [], "ks must be a non-empty list of integers >= 1"),
        ("ndcg", 5, "ks must be a non-empty list of integers >= 1"),
        ("ndcg", [1, 0], "ks must be an integer >= 1; got 0"),
        ("ap(denominator='k')", [1.5], "ks must be an integer >= 1; got 1.5"),
    ],
)
def test_bad_cutoffs(metric, ks, message):
    with pytest.raises(ValueError, match=message):
        irm.reports.metric_at_cutoffs(metric, [1, 0], [2, 1], ks)


@pytest.mark.parametrize("kind", ["dcg", "ndcg"])
def test_functions_of_ranks_at_many_cutoffs_and_in_curves(kind):
    def discount(ranks):
        return np.arange(len(ranks), 0, -1) / len(ranks)

    y_true, y_score = np.array([3, 2, 0, 1]), [4, 3, 2, 1]
    weights = {rank: (5 - rank) / 4 for rank in range(1, 5)}
    measure = Measure(kind, discount=discount)
    _, curve = irm.metrics.gain_curve(y_true, y_score, metric=measure)
    gains = [g * weights[rank] for rank, g in enumerate(y_true, 1)]
    ideal = [g * weights[rank] for rank, g in enumerate([3, 2, 1, 0], 1)]
    expected = np.cumsum(gains) / (np.cumsum(ideal) if kind == "ndcg" else 1)
    assert_allclose(curve, expected, rtol=1e-12)
    at = irm.reports.metric_at_cutoffs(measure, y_true, y_score, [4, 1, 2, 3])
    assert_allclose(at, expected[[3, 0, 1, 2]], rtol=1e-12)
