"""Measures of subtopics, against references and every order of tied documents."""

import math

import numpy as np
import pytest
from scipy.sparse import csr_array

import sklearn_irmetrics as irm
from oracles import reference as ref
from oracles import subtopics as oracle
from oracles.cases import CLOSE, SHORT_NAMES, readable
from oracles.measures import METRICS
from sklearn_irmetrics.metrics import subtopics as kernels
from sklearn_irmetrics.metrics._ranking.gains import RankDiscount

ROWS = {name: row for name, row in METRICS.items() if row.subtopics}
NAMES = list(oracle.MEASURES)
SMALL = oracle.draw(np.random.default_rng(0), np.tile([1, 2, 3, 4, 5, 6], 5))
LONG = oracle.draw(np.random.default_rng(1), [40, 1, 7, 12, 90, 3, 25], n_levels=10**9)


def by_package(name, data, **options):
    y_true, y_score, qid = data
    return getattr(irm.metrics, name)(y_true, y_score, qid=qid, average=None, **options)


# Ties ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "params"), oracle.CASES, ids=readable)
def test_average_is_the_mean_over_all_orders(name, params):
    ours = by_package(name, SMALL, **params)
    expected = oracle.per_query(name, *SMALL, **params)
    np.testing.assert_allclose(ours, expected, **CLOSE)
    assert np.isnan(expected).sum() < len(expected) - 9
    assert np.isnan(expected).any() or params.get("relevance_threshold") == -1
    low, high = irm.Measure(SHORT_NAMES[name], **params).range
    defined = ours[~np.isnan(ours)]
    assert ((low <= defined) & (defined <= high + 1e-12)).all()


@pytest.mark.parametrize(("name", "params"), oracle.CASES, ids=readable)
def test_order_of_the_rows(name, params):
    for data in (SMALL, LONG):
        ours = by_package(name, data, ties="stable", **params)
        expected = oracle.per_query(name, *data, ties="stable", **params)
        np.testing.assert_allclose(ours, expected, **CLOSE)
    ours = by_package(name, LONG, **params)  # no ties
    np.testing.assert_allclose(ours, expected, **CLOSE)


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("n_subtopics", [1, 2, 5, 33])
def test_alpha_ndcg_of_rows_in_any_order(alpha, n_subtopics):
    rng = np.random.default_rng(n_subtopics)
    for n in (3, 12, 60, 150):
        y_true = rng.random((n, n_subtopics)) < rng.choice([0.1, 0.5])
        y_score = rng.permutation(n)
        shared = {"alpha": alpha, "replace_undefined_by": 0.0}
        expected = irm.metrics.alpha_ndcg_score(y_true, y_score, **shared)
        for _ in range(10):
            rows = rng.permutation(n)
            found = irm.metrics.alpha_ndcg_score(y_true[rows], y_score[rows], **shared)
            assert found == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("ties", ["optimistic", "pessimistic"])
@pytest.mark.parametrize("name", ROWS)
def test_best_and_worst_order(name, ties):
    row = ROWS[name]
    if not row.extremes:
        with pytest.raises(ValueError, match=f"'average' or 'stable'.*got '{ties}'"):
            by_package(row.function.__name__, LONG, ties=ties)
        return
    for k in (None, 1, 3):
        name = row.function.__name__
        ours = by_package(name, SMALL, ties=ties, k=k)
        expected = oracle.per_query(name, *SMALL, ties=ties, k=k)
        np.testing.assert_allclose(ours, expected, **CLOSE)


@pytest.mark.parametrize("alpha", [0.0, 1e-12, 0.3, 0.999, 1.0])
def test_gain_in_a_large_group(alpha):
    # 3 documents above, the second of which holds the subtopic; 40 of 900 tied do.
    n_above, n, c = 3, 900, 40
    y_true = np.zeros((n_above + n, 1))
    y_true[1] = y_true[n_above : n_above + c] = 1
    y_score = np.append([3, 2, 1.5], np.ones(n))
    # Follow how many were met, rank by rank.
    chance, total = np.eye(c + 1)[0], 0.5
    left = c - np.arange(c + 1.0)
    for above in range(n):
        hit = left / (n - above)
        gain = (chance * hit * (1 - alpha) ** (np.arange(c + 1.0) + 1)).sum()
        total += gain * 0.5 ** (n_above + above)
        chance = chance * (1 - hit) + np.append(0.0, (chance * hit)[:-1])
    expected = (1 - (1 - alpha) * 0.5) * total
    ours = irm.metrics.novelty_rank_biased_precision_score(y_true, y_score, alpha=alpha)
    assert ours == pytest.approx(expected, rel=1e-11)


def test_what_is_left_out_of_gains_that_fade_is_nothing():
    # 2000 tied documents, half of which hold the subtopic: with replacement the sum
    # could be written down; without, it follows the number met, rank by rank.
    n, c, alpha = 2000, 1000, 0.5
    y_true = np.repeat([[1], [0]], c, axis=0)
    chance, total, left = np.eye(c + 1)[0], 0.0, c - np.arange(c + 1.0)
    for above in range(200):  # later ranks add less than 1e-20
        hit = left / (n - above)
        met = chance * hit
        total += (met * alpha ** np.arange(c + 1.0)).sum() / (above + 1)
        chance = chance - met + np.append(0.0, met[:-1])
    norm = math.fsum(alpha**r / (r + 1) for r in range(n))
    found = irm.metrics.intent_aware_reciprocal_rank_score(
        y_true, np.zeros(n), alpha=alpha
    )
    assert found == pytest.approx(total / norm, rel=1e-13)


# Forms --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_kinds_of_grades(name):
    rng = np.random.default_rng(2)
    held, y_score, qid = rng.random((60, 4)) < 0.3, rng.random(60), np.arange(60) // 6
    expected = by_package(name, (held, y_score, qid))
    for y_true in (held.astype(np.int8), held.tolist(), np.where(held, 2.5, -1)):
        ours = by_package(name, (y_true, y_score, qid))
        np.testing.assert_array_equal(ours, expected)
    pd = pytest.importorskip("pandas")
    ours = by_package(name, (pd.DataFrame(held), pd.Series(y_score), qid))
    np.testing.assert_array_equal(ours, expected)
    no_use = np.column_stack([held, np.zeros((60, 2), dtype=bool)])
    ours = by_package(name, (no_use, y_score, qid))
    np.testing.assert_array_equal(ours, expected)
    grades = np.float32(0.7) * held.astype(np.float32)
    ours = by_package(name, (grades, y_score, qid), relevance_threshold=0.7)
    np.testing.assert_array_equal(ours, expected)


SINGLE = {
    "alpha_ndcg(alpha=0)@3": "ndcg@3",
    "subtopic_recall@2": "success@2",
    "map_ia": "map",
    "p_ia@3": "p@3",
}


@pytest.mark.parametrize("name", SINGLE)
def test_one_subtopic_is_the_measure_without(name):
    y_true, y_score, qid = SMALL
    held = np.where(np.isnan(y_true[:, 1]), np.nan, y_true[:, 1] > 0)
    ours = irm.Measure(name)(held[:, np.newaxis], y_score, qid=qid, average=None)
    expected = irm.Measure(SINGLE[name])(held, y_score, qid=qid, average=None)
    expected[np.isnan(ours)] = np.nan  # P is defined where nothing is relevant
    np.testing.assert_allclose(ours, expected, **CLOSE)


# Weights ------------------------------------------------------------------------------

WEIGHTED_NAMES = [
    *(f"{name}@3" for name in ROWS),
    *ROWS,
    "alpha_ndcg(normalize=False)@3",
    "err_ia(normalize=True)@3",
    "nrbp(normalize=True)",
    "subtopic_recall(support='graded')@3",
]


def weigh_queries(rng, qid):
    """Draw weights per query, a row for each document, some 0 and some all equal."""
    weights = rng.choice([0.0, 0.5, 1.0, 10.0], (qid.max() + 1, 3))
    weights[::4] = 0.1
    return weights[qid]


def values_of(name, data, **options):
    y_true, y_score, qid = data
    return irm.Measure(name)(y_true, y_score, qid=qid, average=None, **options)


@pytest.mark.filterwarnings("ignore:.*undefined")
@pytest.mark.parametrize("name", WEIGHTED_NAMES)
def test_weights_of_subtopics(name):
    y_true, y_score, qid = SMALL
    rng = np.random.default_rng(4)
    of_rows = weigh_queries(rng, qid)
    expected = values_of(name, SMALL, subtopic_weight=of_rows)
    alone = [
        irm.Measure(name)(
            y_true[qid == query],
            y_score[qid == query],
            subtopic_weight=of_rows[qid == query][0],
        )
        if of_rows[qid == query].any()
        else np.nan
        for query in dict.fromkeys(qid.tolist())
    ]
    np.testing.assert_allclose(expected, alone, **CLOSE)
    scaled = values_of(name, SMALL, subtopic_weight=of_rows * 1e-9)
    np.testing.assert_allclose(scaled, expected, **CLOSE)
    rows = np.argsort(qid, kind="stable")  # queries come in another order then
    data = y_true[rows], y_score[rows], qid[rows]
    ours = values_of(name, data, subtopic_weight=of_rows[rows])
    place = np.argsort([*dict.fromkeys(qid.tolist())])
    np.testing.assert_allclose(ours, expected[place], **CLOSE)
    for equal in (None, [1, 1, 1], [10, 10, 10], (0.1, 0.1, 0.1)):
        ours = values_of(name, SMALL, subtopic_weight=equal)
        np.testing.assert_array_equal(ours, values_of(name, SMALL))


@pytest.mark.filterwarnings("ignore:.*undefined")
@pytest.mark.parametrize("ties", ["average", "stable"])
@pytest.mark.parametrize("name", WEIGHTED_NAMES)
def test_subtopics_of_weight_0_are_left_out(name, ties):
    for y_true, y_score, qid in (SMALL, LONG):
        ours = values_of(
            name, (y_true, y_score, qid), subtopic_weight=[2, 0, 1], ties=ties
        )
        without = y_true[:, [0, 2]], y_score, qid
        expected = values_of(name, without, subtopic_weight=[2, 1], ties=ties)
        np.testing.assert_allclose(ours, expected, **CLOSE)


def test_weights_of_subtopics_at_other_doors():
    y_true, y_score, qid = SMALL
    y_true = np.maximum(y_true, 0.0)
    weights = weigh_queries(np.random.default_rng(5), qid)
    marks = {"subtopic_weight": weights}
    names, options = [*WEIGHTED_NAMES, "ndcg@3"], {"replace_undefined_by": 0.0}
    found = irm.score_queries(y_true, y_score, names, qid=qid, marks=marks, **options)
    for name in WEIGHTED_NAMES:
        expected = values_of(
            name, (y_true, y_score, qid), subtopic_weight=weights, **options
        )
        np.testing.assert_array_equal(found.scores[name], expected)
    evaluator = irm.reports.RankingEvaluator(
        y_true, names, qid=qid, marks=marks, **options
    )
    assert evaluator(y_score) == found.mean
    stream = irm.streaming.StreamingEvaluator(names, **options)
    for part in (qid < 12, qid >= 12):
        of_part = {"subtopic_weight": weights[part]}
        stream.update(y_true[part], y_score[part], qid=qid[part], marks=of_part)
    means = stream.compute().mean
    assert means == pytest.approx(found.mean)
    chosen = np.arange(len(qid)) % 5 > 0
    chosen |= ~np.isin(qid, qid[chosen])
    among = irm.score_queries(
        y_true, y_score, names, qid=qid, marks=marks, candidates=chosen, **options
    )
    alone = irm.score_queries(
        y_true[chosen],
        y_score[chosen],
        names,
        qid=qid[chosen],
        marks={"subtopic_weight": weights[chosen]},
        **options,
    )
    first, second = (
        dict(zip(one.query_ids.tolist(), one.scores["nrbp"].tolist(), strict=True))
        for one in (among, alone)
    )
    assert first == second
    chance = irm.metrics.chance_level(
        "nrbp", y_true, qid=qid, subtopic_weight=weights, candidates=chosen, **options
    )
    expected = values_of(
        "nrbp",
        (y_true[chosen], np.zeros(chosen.sum()), qid[chosen]),
        subtopic_weight=weights[chosen],
        **options,
    )
    assert chance == pytest.approx(expected.mean())


def test_weights_in_names_win_over_those_of_documents():
    y_true, y_score, qid = SMALL
    weights = weigh_queries(np.random.default_rng(6), qid)
    name = "map_ia(subtopic_weight=(1, 0.5, 0))"
    assert irm.Measure(str(irm.Measure(name))) == irm.Measure(name)
    options = {"qid": qid, "replace_undefined_by": 0.0}
    ours = irm.score_queries(
        y_true, y_score, name, marks={"subtopic_weight": weights}, **options
    )
    assert ours.mean == irm.score_queries(y_true, y_score, name, **options).mean


def test_ranges_of_normalised_measures():
    assert irm.Measure("err_ia").range == irm.Measure("nrbp").range == (0, 1)
    assert irm.Measure("alpha_ndcg(normalize=False)").range == (0, 1)
    assert irm.Measure("err_ia(normalize=True)@5").range[1] == pytest.approx(1.58, 0.01)


def test_wrong_weights_of_subtopics():
    y_true, y_score, qid = SMALL
    options = {"qid": qid}
    varying = np.random.default_rng(7).random((len(qid), 3))
    for weights, message in [
        (varying, "subtopic_weight must be constant inside a query; it varies in"),
        (varying[:, :2], "subtopic_weight must have the shape of y_true"),
        (varying[:5], r"one weight per column, and be dense; got \(5, 3\)"),
        (csr_array(varying), "be dense; got a sparse matrix of shape"),
        (-np.ones((len(qid), 3)), "subtopic_weight must lie between 0 and inf"),
        ([1, 2], "one weight per column of y_true, 3; got 2"),
        ([1, -1, 1], r"finite, non-negative and not all zero; got \[1, -1, 1\]"),
        ([0, 0, 0], "not all zero"),
        (2.0, r"one weight per subtopic in a measure; got shape \(\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            irm.metrics.alpha_ndcg_score(
                y_true, y_score, subtopic_weight=weights, **options
            )
    with pytest.raises(ValueError, match=r"marks=\{'subtopic_weight': \.\.\.\}"):
        irm.score_queries(y_true, y_score, "nrbp(subtopic_weight=[[1, 2, 3]])")
    with pytest.raises(ValueError, match="support must be one of"):
        irm.metrics.subtopic_recall_score(y_true, y_score, support="half")
    with pytest.raises(ValueError, match="normalize must be True or False; got 1"):
        irm.metrics.alpha_ndcg_score(y_true, y_score, normalize=1)


# Norms --------------------------------------------------------------------------------


def test_greedy_choice_among_documents_that_add_the_same():
    # Three documents add two subtopics; only the last two cover all four.
    y_true = np.array([[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1]])
    y_score = np.array([1, 3, 2])
    for rows in ([0, 1, 2], [1, 0, 2], [2, 0, 1]):
        y_true_rows, y_score_rows = y_true[rows], y_score[rows]
        assert irm.metrics.alpha_ndcg_score(y_true_rows, y_score_rows, k=2) == 1.0
        in_row_order = irm.metrics.alpha_ndcg_score(
            y_true_rows, y_score_rows, k=2, ties="stable"
        )
        assert (in_row_order == 1.0) == (rows[0] != 0)
    # With the subtopics the other way round the document in the middle is taken first.
    y_true = y_true[[2, 0, 1]][:, [1, 2, 0, 3]]
    assert irm.metrics.alpha_ndcg_score(y_true, y_score[[2, 0, 1]], k=2) > 1.1


def test_greedy_choice_is_not_misled_by_rounding():
    # 0.7 + 0.7^2 + ... by column: sums of the same terms may differ in the last digit.
    rng = np.random.default_rng(3)
    y_true = rng.random((300, 7)) < 0.4
    y_score, qid = rng.random(300), np.arange(300) // 30
    ours, permuted = (
        by_package("alpha_ndcg_score", (grades, y_score, qid), alpha=0.3, ties="stable")
        for grades in (y_true, y_true[:, rng.permutation(7)])
    )
    np.testing.assert_allclose(ours, permuted, rtol=1e-13)


@pytest.mark.parametrize("interest", [0.0, 0.5, 0.9999, 1 - 1e-7, 1.0])
@pytest.mark.parametrize("k", [1, 10, 1 << 14, 100_000, 10**6])
def test_norm_of_any_cutoff(interest, k):
    ranks = np.arange(1.0, k + 1)
    expected = math.fsum(interest ** (ranks - 1) / ranks)
    reciprocal = RankDiscount("reciprocal")
    assert kernels._fading(k, interest, reciprocal) == pytest.approx(
        expected, rel=1e-13
    )
    with pytest.raises(ValueError, match="k must be at most 1048576 here, or None"):
        kernels._fading(2**20 + 1, interest, reciprocal)


# Many measures, many cutoffs ----------------------------------------------------------


def test_score_queries_equals_the_functions():
    y_true, y_score, qid = SMALL
    named = [*ROWS, *(f"{name}@2" for name in ROWS)]
    options = {"qid": qid, "replace_undefined_by": 0.0}
    result = irm.score_queries(y_true, y_score, named, **options)
    for name in named:
        expected = irm.Measure(name)(y_true, y_score, average=None, **options)
        np.testing.assert_allclose(result.scores[name], expected, err_msg=name, **CLOSE)


def test_other_measures_beside_see_the_largest_grade():
    y_true, y_score, qid = SMALL
    y_true = np.maximum(y_true, 0.0)
    largest = [np.nan if np.isnan(row).all() else np.nanmax(row) for row in y_true]
    beside = ["ndcg", "map", "rbp@3", "set_p", "set_recall", "bpref"]
    options = {"qid": qid, "replace_undefined_by": 0.0}
    ours = irm.score_queries(y_true, y_score, ["alpha_ndcg", *beside], **options)
    expected = irm.score_queries(largest, y_score, beside, **options)
    for name in beside:
        np.testing.assert_array_equal(ours.scores[name], expected.scores[name])
    y_pred = y_score > 0
    ours = irm.score_queries(y_true, y_pred, ["p_ia", "set_f1"], **options)
    expected = irm.score_queries(largest, y_pred, "set_f1", **options)
    assert ours.mean["set_f1"] == expected.mean["set_f1"]


@pytest.mark.parametrize("name", ROWS)
def test_chance_is_all_documents_tied(name):
    y_true, _, qid = SMALL
    ours = irm.metrics.chance_level(name, y_true, qid=qid, average=None)
    expected = ROWS[name].function(y_true, np.zeros(len(qid)), qid=qid, average=None)
    np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("others", [["map"], ["map", "p_ia@3"], []])
def test_reports_leave_out_orders_that_are_not_known(others):
    y_true, y_score, qid = SMALL
    metrics = ["alpha_ndcg@3", *others]
    found = irm.ranking_report(y_true, y_score, qid=qid, metrics=metrics)
    assert found.counts["documents"] == len(qid)
    assert math.isnan(found.optimistic["alpha_ndcg@3"])
    for name in others:
        worst, best = found.pessimistic[name], found.optimistic[name]
        assert worst < found.estimate[name] < best
    assert all(f"\n{name} " in str(found) for name in metrics)


# Mistakes -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_wrong_forms(name):
    function = getattr(irm.metrics, name)
    y_true = np.ones((4, 2))
    for y_score in (np.ones((4, 2)), np.ones((2, 2))):
        with pytest.raises(ValueError, match="y_score must be 1-D.*add up the columns"):
            function(y_true, y_score)
    for wrong in (np.ones(4), np.ones((3, 2)), np.ones((4, 0)), np.ones((4, 2, 1))):
        with pytest.raises(ValueError, match="y_true must have the shape"):
            function(wrong, np.ones(4))
    with pytest.raises(TypeError, match="dense"):
        function(csr_array(y_true), np.ones(4))
    with pytest.raises(ValueError, match="y_true must hold finite grades"):
        function(y_true * np.inf, np.ones(4))
    with pytest.raises(TypeError, match="y_true must hold"):
        function([["a", "b"]] * 4, np.ones(4))
    if name != "intent_aware_precision_score":
        with pytest.raises(ValueError, match="average"):
            function(y_true, np.ones(4), average="micro")


def test_only_these_measures_take_subtopics():
    y_true, y_score = np.ones((4, 2)), np.ones(4)
    with pytest.raises(ValueError, match="must have the same shape"):
        irm.ndcg_score(y_true, y_score)
    with pytest.raises(ValueError, match="must have the same shape"):
        irm.score_queries(y_true, y_score, "ndcg")
    with pytest.raises(ValueError, match="y_true must have the shape"):
        irm.score_queries(y_score, y_score, ["ndcg", "p_ia"])
    assert ref.MEASURES.keys().isdisjoint(NAMES)
