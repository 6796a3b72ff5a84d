"""Curves, tables and measures at many cutoffs, against their points one by one."""

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_irmetrics as irm
from oracles import reference as ref
from oracles.cases import call_of, marks_of_all, spelled, usual
from oracles.measures import METRICS
from sklearn_irmetrics import Measure

WITH_CUTOFF = [
    name
    for name, row in METRICS.items()
    if row.kind == "ranking" and "k" in row.parameters
]


@pytest.fixture(scope="module")
def rankings():
    """Ragged queries with ties, unjudged and unretrieved documents."""
    rng = np.random.default_rng(3)
    lengths = rng.integers(1, 40, 60)
    qid = np.repeat(np.arange(60), lengths)
    y_true = rng.integers(0, 5, len(qid)).astype(float)
    y_true[rng.random(len(qid)) < 0.1] = np.nan
    y_score = rng.integers(0, 12, len(qid)).astype(float)
    y_score[rng.random(len(qid)) < 0.1] = -np.inf
    rows = rng.permutation(len(qid))
    return y_true[rows], y_score[rows], qid[rows]


@pytest.mark.filterwarnings("ignore:(it|(coverage_ratio|intra_list)_.*) is undefined")
@pytest.mark.parametrize("ties", ["average", "optimistic", "pessimistic", "stable"])
@pytest.mark.parametrize("name", WITH_CUTOFF)
def test_many_cutoffs_equal_each_one(rankings, name, ties):
    y_true, y_score, qid = rankings
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
def test_many_cutoffs_with_every_denominator(rankings, name, denominator, ties):
    y_true, y_score, qid = rankings
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
def test_cutoffs_warn_once_and_average_as_the_measure(rankings):
    y_true, y_score, qid = rankings
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


@pytest.mark.parametrize("kind", ["cg", "dcg", "ndcg"])
@pytest.mark.parametrize("ties", ["average", "pessimistic"])
def test_gain_curve_is_the_measure_at_every_cutoff(rankings, kind, ties):
    y_true, y_score, qid = rankings
    options = {"qid": qid, "ties": ties, "gain": "exponential", "average": None}
    function = getattr(irm, {"cg": "cumulative_gain_score"}.get(kind, f"{kind}_score"))
    cutoffs, values = irm.metrics.gain_curve(
        y_true, y_score, kind=kind, k=25, **options
    )
    np.testing.assert_array_equal(cutoffs, np.arange(1, 26))
    for k in (1, 7, 25):
        one = function(y_true, y_score, k=k, **options)
        np.testing.assert_allclose(values[:, k - 1], one, atol=1e-12)


def test_gain_curve_ends_with_the_longest_query(rankings):
    y_true, y_score, qid = rankings
    cutoffs, values = irm.metrics.gain_curve(
        y_true, y_score, qid=qid, replace_undefined_by=0
    )
    assert cutoffs[-1] == np.bincount(qid).max()
    expected = irm.ndcg_score(y_true, y_score, qid=qid, replace_undefined_by=0)
    assert values[-1] == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(
    ("kind", "option"),
    [
        ("cg", {"discount": "log"}),
        ("cg", {"log_base": 2}),
        ("cg", {"negative_grades": "clip"}),
        ("dcg", {"negative_grades": "raise"}),
    ],
)
def test_curves_refuse_what_they_do_not_use(kind, option):
    (name,) = option
    with pytest.raises(ValueError, match=f"{name} must be None with kind='{kind}'"):
        irm.metrics.gain_curve([1, 0], [2, 1], kind=kind, **option)


@pytest.mark.parametrize("kind", ["dcg", "ndcg"])
def test_functions_of_ranks_at_many_cutoffs_and_in_curves(kind):
    def discount(ranks):
        return np.arange(len(ranks), 0, -1) / len(ranks)

    y_true, y_score = np.array([3, 2, 0, 1]), [4, 3, 2, 1]
    weights = {rank: (5 - rank) / 4 for rank in range(1, 5)}
    _, curve = irm.metrics.gain_curve(y_true, y_score, kind=kind, discount=discount)
    gains = [g * weights[rank] for rank, g in enumerate(y_true, 1)]
    ideal = [g * weights[rank] for rank, g in enumerate([3, 2, 1, 0], 1)]
    expected = np.cumsum(gains) / (np.cumsum(ideal) if kind == "ndcg" else 1)
    assert_allclose(curve, expected, rtol=1e-12)
    measure = Measure(kind, discount=discount)
    at = irm.reports.metric_at_cutoffs(measure, y_true, y_score, [4, 1, 2, 3])
    assert_allclose(at, expected[[3, 0, 1, 2]], rtol=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("ties", ["average", "optimistic", "pessimistic", "stable"])
def test_interpolated_curve_is_interpolated_precision_at_each_level(rankings, ties):
    y_true, y_score, qid = rankings
    options = {"qid": qid, "ties": ties, "recall_rounding": "trec_eval9"}
    precision, recall = irm.metrics.interpolated_precision_recall_curve(
        y_true, y_score, **options
    )
    np.testing.assert_array_equal(recall, np.arange(11) / 10)
    for value, level in zip(precision, recall, strict=True):
        one = irm.metrics.interpolated_precision_score(
            y_true, y_score, recall_level=level, **options
        )
        assert value == pytest.approx(one, abs=1e-14)
    eleven = irm.eleven_point_precision_score(y_true, y_score, **options)
    assert precision.mean() == pytest.approx(eleven, abs=1e-14)


@pytest.mark.parametrize("ties", ["average", "optimistic", "pessimistic", "stable"])
@pytest.mark.parametrize("k", [None, 4])
def test_running_table_holds_precision_and_recall_at_each_rank(rankings, ties, k):
    y_true, y_score, qid = rankings
    table = irm.metrics.precision_recall_at_ranks(
        y_true, y_score, qid=qid, ties=ties, k=k
    )
    ids = list(dict.fromkeys(qid.tolist()))
    assert list(dict.fromkeys(table.qid.tolist())) == [
        i for i in ids if np.isfinite(y_score[qid == i]).any()
    ]
    for query in ids:
        own = table.qid == query
        found = table.precision[own] * table.rank[own]
        np.testing.assert_allclose(np.cumsum(table.relevant[own]), found, atol=1e-12)
    for rank in (1, 3, 4):
        options = {"k": rank, "qid": qid, "ties": ties, "average": None}
        precision = dict(
            zip(ids, irm.precision_at_k_score(y_true, y_score, **options), strict=True)
        )
        recall = dict(
            zip(ids, irm.recall_at_k_score(y_true, y_score, **options), strict=True)
        )
        rows = np.flatnonzero(table.rank == rank)
        assert len(rows)
        for row in rows:
            query = table.qid[row]
            assert table.precision[row] == pytest.approx(precision[query], abs=1e-14)
            assert table.recall[row] == pytest.approx(
                recall[query], abs=1e-14, nan_ok=True
            )


def test_running_table_of_a_frame_and_of_condensed_lists():
    table = irm.metrics.precision_recall_at_ranks([np.nan, 1], [2, 1], judged_only=True)
    pytest.importorskip("pandas")
    frame = table.to_frame()
    assert list(frame.columns) == ["qid", "rank", "relevant", "precision", "recall"]
    assert frame.precision.tolist() == [1.0]


EXACT = [
    name
    for name, row in METRICS.items()
    if row.function.__name__ in ref.RANKED and row.exact_ties and row.ranks
]


@pytest.mark.parametrize("name", sorted(set(EXACT) - {"gmap", "f1"}))
@pytest.mark.parametrize("k", [None, 1, 3])
def test_chance_is_the_mean_over_all_orders(name, k):
    row = METRICS[name]
    arguments = usual(name) | ({"k": k} if "k" in row.parameters else {})
    grades = [0.0, 2.0, 0.0, float("nan"), 1.0, 4.0]
    reference = ref.RANKED[row.function.__name__]
    expected = ref.mean_over_orders(reference, grades, [0.0] * len(grades), **arguments)
    assert irm.metrics.chance_level(name, grades, **arguments) == pytest.approx(
        expected, abs=1e-12
    )


@pytest.mark.parametrize("name", ["iprec@0.5", "11pt", "pr_auc"])
def test_chance_without_a_closed_form_is_sampled(name):
    grades = [0.0, 2.0, 0.0, 0.0, 1.0, 4.0]
    row = METRICS[name.partition("@")[0]]
    arguments = {"recall_level": 0.5} if "@" in name else {}
    reference = ref.RANKED[row.function.__name__]
    expected = ref.mean_over_orders(reference, grades, [0.0] * len(grades), **arguments)
    value, few, again = (
        irm.metrics.chance_level(name, grades, n_permutations=n, random_state=0)
        for n in (4000, 5, 5)
    )
    assert value == pytest.approx(expected, abs=0.01)
    assert few == again != pytest.approx(expected, abs=1e-12)


def test_chance_of_many_queries_and_forms():
    grades = np.array([[1, 0, 0, 2], [0, 0, 3, 0]])
    flat = irm.metrics.chance_level("ndcg@2", grades.ravel(), qid=np.repeat([0, 1], 4))
    assert irm.metrics.chance_level("ndcg@2", grades) == flat
    assert irm.metrics.chance_level("ndcg@2", csr_array(grades)) == flat
    assert irm.metrics.chance_level(irm.ndcg_score, grades, k=2) == flat
    weighted = irm.metrics.chance_level("map", grades, sample_weight=[3, 1])
    per_query = irm.metrics.chance_level("map", grades, average=None)
    assert weighted == pytest.approx(per_query @ [0.75, 0.25], abs=1e-15)
    sampled = irm.metrics.chance_level(
        "11pt", grades, sample_weight=[3, 1], n_permutations=5, random_state=0
    )
    values = irm.metrics.chance_level(
        "11pt", grades, average=None, n_permutations=5, random_state=0
    )
    assert sampled == pytest.approx(values @ [0.75, 0.25], abs=1e-15)


RANKING = [name for name, row in METRICS.items() if row.ranks and not row.subtopics]

WEIGHED = "ap", "map", "gmap", "roc_auc", "recall_at_precision", "recall_at_fpr"

GRADES, WEIGHTS = [1, 0, 2, 0, 0], [1.0, 2.0, 3.0, 4.0, 0.5]


@pytest.mark.parametrize("metric", RANKING)
def test_chance_of_weighted_documents_is_the_mean_over_all_orders(metric):
    row = METRICS[metric]
    _, options = call_of(metric, 5, 1)
    options |= {"qid": None, "average": None, "sample_weight": WEIGHTS}
    if metric not in WEIGHED:
        with pytest.raises(ValueError, match="and recall_at_fpr_score take one weight"):
            irm.metrics.chance_level(metric, GRADES, **options)
        return
    orders = list(itertools.permutations(range(5)))
    values = [float(row.function(GRADES, order, **options)[0]) for order in orders]
    options |= {"random_state": 0, "n_permutations": 2000}
    (found,) = irm.metrics.chance_level(metric, GRADES, **options)
    error = 0.0 if metric == "roc_auc" else np.std(values) / math.sqrt(2000)
    assert found == pytest.approx(np.mean(values), abs=4 * error + 1e-12)


def test_chance_of_average_precision_where_weights_begin_to_differ():
    weights = np.array([1, 2, 3, 4])
    options = {"sample_weight": weights, "random_state": 0, "n_permutations": 2000}
    for kind in ("macro", "geometric"):
        found = irm.metrics.chance_level("map", [1, 0, 2, 0], average=kind, **options)
        assert found == pytest.approx(0.62976, abs=0.02)
    options["sample_weight"] = 1 + 1e-9 * weights
    found = irm.metrics.chance_level("map", [1, 0, 0, 1], **options)
    assert found == pytest.approx(
        irm.metrics.chance_level("map", [1, 0, 0, 1]), abs=0.02
    )
    assert (
        irm.metrics.chance_level("roc_auc", [1, 0, 2, 0], sample_weight=weights) == 0.5
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (("kendall", [1, 0]), "metric must rank documents"),
        (("set_p", [1, 0]), "metric must rank documents"),
        ((len, [1, 0]), "metric must rank documents"),
    ],
)
def test_measures_without_chance(call, message):
    with pytest.raises(ValueError, match=message):
        irm.metrics.chance_level(*call)


def test_adjust_for_chance():
    assert irm.metrics.adjust_for_chance(0.75, 0.5) == 0.5
    assert np.isnan(irm.metrics.adjust_for_chance(1.0, 1.0))
    adjusted = irm.metrics.adjust_for_chance([1.0, 0.2], 0.2)
    np.testing.assert_allclose(adjusted, [1.0, 0.0], atol=1e-15)
    assert irm.metrics.adjust_for_chance(1 + 1e-12, 0.5) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="not be better than best; got .* of 1.5"):
        irm.metrics.adjust_for_chance([0.5, 1.5], 0.5)
    with pytest.raises(ValueError, match=r"score and chance must .*\(2,\) and \(3,\)"):
        irm.metrics.adjust_for_chance([1, 0], [0.1, 0.2, 0.3])


def test_ranks_and_losses_adjusted_for_chance():
    # The adjusted mean rank index is 1 - (mean rank - 1) / (expected rank - 1).
    y_true, y_score = [[0, 1, 0, 0], [0, 0, 0, 1]], [[4, 3, 2, 1], [1, 3, 2, 4]]
    rank = irm.metrics.first_rank_loss(y_true, y_score)
    chance = irm.metrics.chance_level("first_rank", y_true)
    assert (rank, chance) == (1.5, 2.5)
    assert irm.metrics.adjust_for_chance(rank, chance) == pytest.approx(1 - 0.5 / 1.5)
    assert irm.metrics.adjust_for_chance([1.0, 2.5, 4.0], chance).tolist() == [
        1.0,
        0.0,
        -1.0,
    ]
    fallout = irm.metrics.fallout_at_k_loss(y_true, y_score, k=2)
    chance = irm.metrics.chance_level("fallout@2", y_true)
    assert (fallout, chance) == (1 / 3, 0.5)
    adjusted = irm.metrics.adjust_for_chance([0.0, fallout, 0.5, 1.0], chance, best=0)
    np.testing.assert_allclose(adjusted, [1, 1 / 3, 0, -1], atol=1e-15)
    with pytest.raises(ValueError, match="score of 0.5 where chance is 2.5, and best="):
        irm.metrics.adjust_for_chance(0.5, 2.5)  # no rank
    with pytest.raises(ValueError, match="best must be a finite number"):
        irm.metrics.adjust_for_chance(0.5, 0.2, best=np.nan)


def test_bad_arguments_of_chance():
    with pytest.raises(ValueError, match="ties must not be given"):
        irm.metrics.chance_level("map", [1, 0], ties="stable")
    with pytest.raises(ValueError, match="n_permutations must be an integer >= 1"):
        irm.metrics.chance_level("11pt", [1, 0], n_permutations=0)
