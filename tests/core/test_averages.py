"""Sums of ten million terms, the largest and the least floats, floats of 16 bits."""

import inspect
import math
import sys
import warnings
from fractions import Fraction

import numpy as np
import pytest

import sklearn_irmetrics as irm
from oracles import reference as ref
from oracles.cases import TIES, ready, spelled, usual
from oracles.measures import METRICS
from sklearn_irmetrics.exceptions import LowPrecisionWarning

MILLION, MILLIONS = 10**6, 10**7
CLOSE = 1e-12


def exact_sum(values):
    return math.fsum(values.tolist())


# Long sums ----------------------------------------------------------------------------


def test_one_query_of_ten_million_documents():
    kinds = np.array([0.0, 0.1, 0.3, 0.7])
    kind = np.random.default_rng(0).integers(0, 4, MILLIONS)
    scores = np.arange(MILLIONS, 0, -1, dtype=np.float32)
    found = irm.score_queries(kinds[kind], scores, ["cg", f"cg@{MILLIONS}"]).mean
    counts = np.bincount(kind).tolist()
    expected = sum(Fraction(grade) * n for grade, n in zip(kinds, counts, strict=True))
    for value in found.values():
        assert value == pytest.approx(float(expected), rel=CLOSE)
    discounts = 1.0 / np.log2(np.arange(2.0, MILLIONS + 2.0))
    dcg = irm.dcg_score(np.ones(MILLIONS, np.int8), scores)
    assert dcg == pytest.approx(exact_sum(discounts), rel=CLOSE)


def test_a_million_tied_documents():
    relevant = np.random.default_rng(0).random(MILLION) < 0.3
    found = irm.r_precision_score(relevant, np.zeros(MILLION, np.float32))
    assert found == pytest.approx(np.count_nonzero(relevant) / MILLION, rel=CLOSE)


@pytest.mark.skipif(
    np.finfo(np.longdouble).eps > 1e-18, reason="longdouble is no wider than float64"
)
@pytest.mark.parametrize("measure", ["q", "ap"])
def test_running_ratios_of_one_long_query(measure, request):
    n = MILLIONS if request.config.getoption("--thorough") else MILLION
    rng = np.random.default_rng(1)
    relevant = rng.random(n) < 0.3
    grades = np.where(relevant, rng.choice([0.1, 0.3, 0.7], n), 0.0)
    ranks = np.arange(1, n + 1)
    hits = np.cumsum(relevant)
    gained, ideal = (
        np.cumsum(row, dtype=np.longdouble) for row in (grades, np.sort(grades)[::-1])
    )
    ratios = {"ap": hits / ranks, "q": (hits + gained) / (ranks + ideal)}[measure]
    found = irm.score_queries(grades, -ranks, measure).mean[measure]
    expected = float(ratios[relevant].sum() / hits[-1])
    assert found == pytest.approx(expected, rel=CLOSE)


@pytest.mark.parametrize("weighted", [False, True])
def test_averages_over_a_million_queries(weighted):
    # Few kinds of queries, so that the sums are known exactly.
    value, weight = np.array([0.1, 0.7, 0.3]), np.array([0.1, 0.3, 0.2])
    weight = weight if weighted else np.ones(3)
    kind = np.random.default_rng(2).integers(0, 3, MILLION)

    def total(values):
        counts = np.bincount(kind).tolist()
        return sum(Fraction(v) * n for v, n in zip(values, counts, strict=True))

    y_true = np.stack([value[kind], np.zeros(MILLION)], axis=1)
    y_score = np.tile([2.0, 1.0], (MILLION, 1))
    weights = {"sample_weight": weight[kind]} if weighted else {}
    found = irm.cumulative_gain_score(y_true, y_score, k=1, **weights)
    expected = total(weight * value) / total(weight)
    assert found == pytest.approx(float(expected), rel=CLOSE)


# Large and small numbers --------------------------------------------------------------


def exact_ndcg(gains):
    """NDCG of gains in rank order, from fractions; rounded at the end only."""

    def dcg(row):
        weights = [Fraction(1.0 / math.log2(i + 2)) for i in range(len(row))]
        return sum(w * g for w, g in zip(weights, row, strict=True))

    return float(dcg(gains) / dcg(sorted(gains, reverse=True)))


def test_exponential_gain_of_large_grades_is_exact_or_refused():
    grades = [998, 1000, 0, 999]
    gains = [2**grade - 1 for grade in grades]
    found = irm.ndcg_score(grades, [4, 3, 2, 1], gain="exponential")
    assert found == pytest.approx(exact_ndcg(gains), rel=1e-14)
    dcg = irm.dcg_score([1000], [1], gain="exponential")
    assert dcg == 2.0**1000
    for function in (
        irm.ndcg_score,
        irm.dcg_score,
        irm.cumulative_gain_score,
        irm.metrics.q_measure_score,
    ):
        for grade in (1001, 1024, 2.0**60, 1e300):
            with pytest.raises(
                ValueError, match="gain='exponential' overflows above grade 1000; the"
            ):
                function([0, grade], [1, 2], gain="exponential")
    with pytest.raises(ValueError, match="overflows above grade 1000; max_grade is"):
        irm.metrics.expected_reciprocal_rank_score([0, 1], [1, 2], max_grade=1e300)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_linear_gain_of_any_size(scale):
    gains = [Fraction(scale) * grade for grade in (1, 3, 0, 2)]
    grades = [float(gain) for gain in gains]
    found = irm.ndcg_score(grades, [4, 3, 2, 1])
    assert found == pytest.approx(exact_ndcg(gains), rel=1e-14)


HUGE = [1.7e308, 1.7e308, 0.0, 1.7e308]
OVERFLOWING = {
    "ndcg": (irm.ndcg_score, HUGE, {"replace_undefined_by": 0.0}),
    "dcg": (irm.dcg_score, HUGE, {}),
    "dcg by query": (irm.dcg_score, HUGE, {"average": None}),
    "cg": (irm.cumulative_gain_score, HUGE, {}),
    "q": (irm.metrics.q_measure_score, HUGE, {}),
    "beta": (irm.metrics.q_measure_score, [3.0, 2.0, 0.0, 1.0], {"beta": 1e308}),
    "mapping": (irm.ndcg_score, [1, 2, 0, 1], {"gain": {1: 1.7e308, 2: 1.7e308}}),
    "callable": (irm.ndcg_score, [1, 2, 0, 1], {"gain": lambda g: g * 0 + 1.7e308}),
    "discount": (irm.dcg_score, [9, 9, 9, 9], {"discount": lambda r: 1e308 / r}),
}


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("name", OVERFLOWING)
def test_sums_that_overflow_are_refused(name, library):
    score, grades, options = OVERFLOWING[name]
    y_true, y_score = np.array(grades), np.ones(4)
    if library == "torch":
        y_true, y_score = map(pytest.importorskip("torch").tensor, (y_true, y_score))
    for ties in TIES:
        with pytest.raises(ValueError, match="holds numbers too large to add up"):
            score(y_true, y_score, ties=ties, **options)


@pytest.mark.parametrize("grades", [[0.0, 1.0, 2.0], [0.0, 5e-324, 1e-300, 1.0]])
@pytest.mark.parametrize("tied", [False, True])
def test_results_do_not_depend_on_what_numpy_shall_raise(grades, tied):
    y_true = np.random.default_rng(0).choice(grades, 1200)
    y_score = np.zeros(1200) if tied else np.arange(1200.0)
    measures = [
        spelled(name)
        for name, metric in METRICS.items()
        if metric.kind == "ranking" and not (metric.marks or metric.subtopics)
    ]
    measures += ["rbp(persistence=0.5)", "ndcg@9"]
    expected = irm.score_queries(y_true, y_score, measures, replace_undefined_by=7)
    evaluator = irm.reports.RankingEvaluator(y_true, measures, replace_undefined_by=7)
    with np.errstate(all="raise"):
        found = irm.score_queries(y_true, y_score, measures, replace_undefined_by=7)
        assert evaluator(y_score) == expected.mean
    assert found.mean == expected.mean


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_narrow_grades_reach_the_number_they_were_written_as(library, dtype):
    grades, scores = [0.7, 0.1, 0.3, 0.7], [1, 4, 3, 2]
    if library == "torch":
        torch = pytest.importorskip("torch")
        grades = torch.tensor(grades, dtype=getattr(torch, dtype))
        scores = torch.tensor(scores)
    else:
        grades = np.array(grades, dtype=dtype)
    found = irm.recall_at_k_score(grades, scores, k=3, relevance_threshold=0.7)
    assert found == 0.5
    assert (
        irm.metrics.expected_reciprocal_rank_score(grades, scores, max_grade=0.7) > 0.0
    )
    mapped = irm.dcg_score(grades, scores, gain={0.7: 2, 0.1: 0, 0.3: 1}, k=2)
    assert mapped == pytest.approx(1 / np.log2(3))
    # What the type cannot hold is compared as it stands.
    assert irm.recall_at_k_score(grades, scores, k=1, relevance_threshold=1e-300) == (
        pytest.approx(0.25)
    )
    with pytest.raises(ValueError, match="max_grade must be at least"):
        irm.metrics.expected_reciprocal_rank_score(grades, scores, max_grade=0.5)


@pytest.mark.parametrize(
    "gain", [{1: -1.5, 2: 1}, lambda g: np.where(g == 1, -1.5, g / 2)]
)
def test_negative_gains_are_refused_where_negative_grades_are(gain):
    with pytest.raises(ValueError, match="gain must not be negative.*got -1.5"):
        irm.ndcg_score([1, 2, 0], [3, 2, 1], gain=gain)
    kept = irm.ndcg_score([1, 2, 0], [3, 2, 1], gain=gain, negative_grades="keep")
    assert kept < 0
    assert irm.ndcg_score([1, 2, 0], [3, 2, 1], gain=gain, negative_grades="clip") == (
        irm.ndcg_score([0, 2, 0], [3, 2, 1])
    )
    # Only the gains of grades that occur matter.
    assert irm.ndcg_score([2, 2, 0], [3, 2, 1], gain=gain) == 1.0
    assert irm.dcg_score([1, 0], [2, 1], gain=gain) == -1.5


class EqualToAll:
    """A gain or a discount that claims to equal everything."""

    def __init__(self, factor):
        self.factor = factor

    def __call__(self, numbers):
        return self.factor / (1.0 + numbers)

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


@pytest.mark.parametrize("name", ["gain", "discount"])
def test_callables_are_never_taken_for_others(name):
    arrays = [1, 2], [1.0, 2.0]
    for factor in (30.0, 60.0):
        expected = irm.dcg_score(*arrays, **{name: lambda x, f=factor: f / (1.0 + x)})
        assert irm.dcg_score(*arrays, **{name: EqualToAll(factor)}) == expected
    metrics = {f: irm.Measure("dcg", **{name: EqualToAll(f)}) for f in (30, 60)}
    metrics = {str(factor): measure for factor, measure in metrics.items()}
    mean = irm.score_queries(*arrays, metrics).mean
    assert mean["60"] == 2 * mean["30"]


def test_negative_discounts_are_refused():
    with pytest.raises(ValueError, match="discount must not be negative; it is -1"):
        irm.dcg_score([1, 0, 2], [3, 2, 1], discount=lambda ranks: 2 - ranks)
    assert irm.dcg_score([1, 0, 2], [3, 2, 1], discount=lambda r: 2 - r, k=2) == 1.0


@pytest.mark.parametrize("p", [5e-324, 1e-300, 0.25, 0.8, 1 - 2**-6, 1 - 2**-53])
@pytest.mark.parametrize("tied", [False, True])
def test_persistence_counts_down_to_the_last_rank_where_it_is_not_0(p, tied):
    last = int(min(1074 / -math.log2(p), 3000))  # 2^-1074 is the least float above 0
    for rank in {1, 2, 3, *range(max(last - 3, 1), last + 4)}:
        y_true, y_score = np.zeros(3010), -np.arange(3010.0)
        y_true[rank - 1] = 1
        if tied:
            y_score[-2] = y_score[-1]
        rbp = irm.metrics.rank_biased_precision_score(y_true, y_score, persistence=p)
        nrbp = irm.metrics.novelty_rank_biased_precision_score(
            y_true[:, np.newaxis], y_score, persistence=p, alpha=0.0
        )
        expected = (1.0 - p) * p ** (rank - 1)
        np.testing.assert_allclose([rbp, nrbp], expected, rtol=1e-13, atol=0)


AROUND_2_TO_400 = [2.0**400 * (1 + ulp) for ulp in (-(2**-53), 0.0, 2**-52)]


@pytest.mark.parametrize("weight", [None, 1.0, 1e-99, 1e99])
def test_averages_do_not_overflow(weight):
    options = {"discount": "reciprocal", "replace_undefined_by": 0.0}
    for grades, mean in [
        ([-9e307, -9e307, 1, 9e307], -2.25e307),
        ([1.7e308, 1.7e308], 1.7e308),
        ([sys.float_info.max] * 3, sys.float_info.max),
        *[([x, x / 2], 0.75 * x) for x in AROUND_2_TO_400],
    ]:
        if weight is not None:
            options["sample_weight"] = [weight] * len(grades)
        scores = [1.0] * len(grades)
        found = irm.dcg_score(grades, scores, qid=range(len(grades)), **options)
        assert found == pytest.approx(mean, rel=1e-15)


@pytest.mark.parametrize("average", ["macro", "micro", None])
def test_costs_that_overflow_are_refused(average):
    costs = {"miss_cost": 1e308, "false_alarm_cost": 1e308}
    with pytest.raises(ValueError, match="set_detection_cost_loss.*costs"):
        irm.metrics.set_detection_cost_loss([1, 0], [0, 1], average=average, **costs)
    matrix = [[0, 1e308], [1e308, 0]]
    with pytest.raises(ValueError, match="set_cost_matrix_loss.*costs"):
        irm.set_cost_matrix_loss(
            [1, 0, 1], [0, 1, 0], cost_matrix=matrix, average=average
        )


@pytest.mark.parametrize("unit", [5e-324, 1e-101, 1e100, 4e307])
def test_weights_of_extreme_sizes_are_refused(unit):
    for function in (irm.precision_at_k_score, irm.set_precision_score):
        with pytest.raises(ValueError, match="value between 1e-100 and 1e100"):
            function([[1, 0], [1, 1]], [[1, 1], [1, 1]], sample_weight=[unit, 0.0])


@pytest.mark.parametrize("unit", [1e-100, 1e-50, 3e99])
@pytest.mark.parametrize("average", ["macro", "micro", "geometric"])
@pytest.mark.parametrize(
    "function", [irm.precision_at_k_score, irm.set_precision_score]
)
def test_only_proportions_of_weights_matter(function, average, unit):
    y_true, y_pred = [[1, 0], [1, 1], [0, 1]], [[1, 1], [1, 1], [1, 0]]
    weights = np.array([1.0, 3.0, 2.0])
    found, expected = (
        function(y_true, y_pred, sample_weight=weights * scale, average=average)
        for scale in (unit, 1.0)
    )
    assert found == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("beta", [1e-300, 1e200, 1e308])
def test_beta_of_any_size(beta):
    # The limits are precision and recall.
    expected = 0.5 if beta < 1 else 1.0
    assert irm.metrics.fbeta_at_k_score([1, 0], [2, 1], beta=beta) == expected
    assert irm.set_fbeta_score([1, 0], [1, 1], beta=beta) == expected


SUBNORMAL = 5e-324
TINY = np.float32(1e-45)


@pytest.mark.parametrize("ties", ["average", "optimistic", "pessimistic", "stable"])
@pytest.mark.parametrize(
    "scores",
    [
        [0.0, SUBNORMAL, -SUBNORMAL, 2 * SUBNORMAL, -2 * SUBNORMAL, -0.0],
        [np.inf, 1.7e308, np.inf, -1.7e308, -np.inf, 0.0],
        [1.0, 1.0 + 2**-52, 1.0 - 2**-53, 1.0, 1.0 + 2**-51, 2.0],
        np.array([0.0, TINY, -TINY, 2 * TINY, -2 * TINY, -0.0], dtype=np.float32),
        np.array([2**53 - 2, 2**53 - 1, 0, 1 - 2**53, 2 - 2**53, 2**53 - 2]),
    ],
    ids=["subnormal", "infinite", "close", "float32", "int64"],
)
@pytest.mark.parametrize("name", ["ndcg_score", "average_precision_score"])
def test_scores_that_differ_least_stay_apart(name, scores, ties):
    grades = [0.0, 1.0, 0.0, 2.0, 1.0, 3.0]
    scores = np.asarray(scores)
    # Small whole numbers in the same order.
    place = {score: i for i, score in enumerate(sorted(set(scores.tolist())))}
    ranks = np.array([float(place[score]) for score in scores.tolist()])
    ranks[np.isneginf(scores.astype(float))] = -np.inf
    expected = ref.per_query(
        ref.RANKED[name], grades, ranks, np.zeros(6, int), ties=ties
    )
    assert getattr(irm.metrics, name)(grades, scores, ties=ties) == pytest.approx(
        expected[0], rel=1e-14
    )


# Floats of 16 bits --------------------------------------------------------------------


@pytest.mark.parametrize("form", ["flat", "shuffled", "dense"])
def test_ties_of_sixteen_bits_are_warned_of(form):
    y_true, y_score = np.eye(2, 4), np.array([[1.0, 1.0, 0.5, 0.25], [3.0, 2, 1, 4]])
    options = {}
    if form != "dense":
        options["qid"] = np.repeat([5, 6], 4)
        y_true, y_score = y_true.ravel(), y_score.ravel()
    if form == "shuffled":
        order = np.random.default_rng(0).permutation(8)
        y_true, y_score = y_true[order], y_score[order]
        options["qid"] = options["qid"][order]
    expected = irm.ndcg_score(y_true, y_score, **options)
    message = r"y_score is float16.* 25\.0 % of the retrieved.*Pass the scores as"
    with pytest.warns(LowPrecisionWarning, match=message) as caught:
        found = irm.ndcg_score(y_true, y_score.astype(np.float16), **options)
    assert found == expected
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_sixteen_bits_without_ties_are_not_warned_of():
    y_score = np.array([4.0, 3, -np.inf, 1, -np.inf]).astype(np.float16)
    assert irm.ndcg_score([2, 0, 1, 3, 0], y_score) < 1
    # Grades of 16 bits are as good as any.
    y_true = np.array([2, 0, 1, 3, 0]).astype(np.float16)
    assert irm.ndcg_score(y_true, [4, 3, 2, 1, 1]) < 1


def test_many_measures_warn_once():
    y_score = np.array([1, 1, 2, 3], dtype=np.float16)
    with pytest.warns(LowPrecisionWarning, match=r"50\.0 %") as caught:
        irm.score_queries([1, 0, 0, 1], y_score, ["ndcg", "map", "rr", "p@2"])
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LowPrecisionWarning)
        irm.score_queries([1, 0, 0, 1], y_score, "ndcg")


def test_every_measure_that_ranks_warns_of_sixteen_bits():
    y_score = np.array([1, 1, 2, 3], dtype=np.float16)
    for name, row in METRICS.items():
        if row.ranks:
            grades, options = ready(row.function.__name__, usual(name), [1, 0, 0, 1])
            grades = np.reshape(grades, (-1, 1)) if row.subtopics else grades
            assert "y_score" in inspect.signature(row.function).parameters
            with pytest.warns(LowPrecisionWarning):
                row.function(grades, y_score, **options)
