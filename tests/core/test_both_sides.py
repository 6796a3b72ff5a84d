"""Both sides of every condition of `_core`, by inputs whose results a judge knows.

A threshold (a width, a count, a size from which other code runs) has an entry of its
own in `THRESHOLDS`: inputs at it and next to it, with the values that the naive twin or
exact numbers give. `oracles.branches` records whether they got there. All other
conditions must go both ways in `PLAIN`, or `ELSEWHERE` names the tests to look at.
"""

import importlib
import math
import pkgutil
import sys
import warnings
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from importlib.util import find_spec
from itertools import chain

import numpy as np
import pytest
from joblib import parallel_config
from scipy.sparse import coo_array, csr_array
from sklearn import config_context
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_validate

import sklearn_irmetrics as irm
from oracles import reference as ref
from oracles.branches import watched
from oracles.cases import TIES, Case, queries_at_once, ready, sparse
from sklearn_irmetrics import _core
from sklearn_irmetrics._core import blocks, parameters, queries
from sklearn_irmetrics.model_selection import QueryKFold

pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.filterwarnings("ignore")
MODULES = [
    importlib.import_module(f"{_core.__name__}.{found.name}")
    for found in pkgutil.iter_modules(_core.__path__)
    if not found.ispkg
]
THRESHOLDS = []
BIG, HUGE = 2**53, 2.0**200


def threshold(condition, within=1):
    """Enter a function that yields values with what they must be.

    It meets equality, and the other side at most `within` away.
    """

    def enter(function):
        THRESHOLDS.append(pytest.param(condition, within, function, id=condition))
        return function

    return enter


def twin(name, y_true, y_score, ties="average", **params):
    """Return the naive value of each row."""
    y_true, y_score = np.atleast_2d(y_true), np.atleast_2d(y_score)
    values = []
    for grades, scores in zip(y_true.astype(float), y_score.astype(float), strict=True):
        f, lists = ref.RANKED[name], (grades.tolist(), scores.tolist())
        if len(np.unique(scores)) == len(scores) and scores.min() > -np.inf:
            ranked = grades[np.argsort(-scores)].tolist()  # long rows take long else
            values.append(f(ranked, [], **params))
        else:
            values.append(ref.under_ties(f, *lists, ties, **params))
    return values


def by_twin(name, y_true, y_score, ties="average", **params):
    """Return values of rows and those of the twin."""
    function = getattr(irm, name)
    values = function(y_true, y_score, ties=ties, average=None, **params)
    return values, twin(name, y_true, y_score, ties, **params)


def rows(width, n_rows=1, n_relevant=30):
    """Draw grades of wide rows, few of them relevant, and scores: two pairs tied."""
    rng = np.random.default_rng(width)
    grades = np.zeros((n_rows, width))
    grades[:, :n_relevant] = rng.integers(1, 4, (n_rows, min(n_relevant, width)))
    scores = rng.permuted(np.tile(np.arange(width) * 1.0, (n_rows, 1)), axis=1)
    if width < 4000:  # the twin enumerates all orders
        scores[scores == width - 2] = width - 1
        scores[scores == width - 5] = width - 4
    return rng.permuted(grades, axis=1), scores


def refused(function, *args, **kwargs):
    """Return whether a call raises an error in words."""
    try:
        function(*args, **kwargs)
    except (TypeError, ValueError) as error:
        return str(error) != ""
    return False


# Ordering -----------------------------------------------------------------------------


@threshold("ordering.order_by_score: width >= _SELECT_FROM_WIDTH")
@threshold("ordering.top_positive: width < _SELECT_FROM_WIDTH")
def widths_of_selection():
    for width in (511, 512, 513):
        for ties in ("average", "optimistic", "pessimistic", "stable"):
            yield by_twin("ndcg_score", *rows(width, 3), ties, k=5)
            yield by_twin("average_precision_score", *rows(width, 3), ties, k=1)


@threshold("ordering.order_by_score: depth * 4 <= width", within=4)
@threshold("ordering.top_positive: depth * 4 > width", within=4)
def depths_of_selection():
    for k in (127, 128, 129):
        yield by_twin("ndcg_score", *rows(512, 3, n_relevant=200), k=k)


@threshold("ordering._sort_rows: scores.size <= _FEW_CELLS")
def cells_that_are_sorted_as_floats():
    for width in (255, 256, 257):
        yield by_twin("average_precision_score", *rows(width))


@threshold("ordering._sort_rows: n_bits > _MOST_SPARED_BITS")
def columns_of_more_than_16_bits():
    for width in (65_536, 65_537):
        yield by_twin("reciprocal_rank_score", *rows(width))
        yield by_twin("ndcg_score", *rows(width), k=width)


@threshold("ordering._candidates: (longest := int(counts.max())) * 8 > width", within=8)
def columns_that_tie_at_the_cutoff():
    for n_tied in (63, 64, 65):
        scores = -np.arange(512.0)
        scores[:n_tied] = 1.0
        grades = np.arange(512) % 64 == 0
        expected = grades[:n_tied].sum() / n_tied
        yield irm.precision_at_k_score(grades, scores, k=1), expected
        order = np.random.default_rng(n_tied).permutation(512)
        yield irm.precision_at_k_score(grades[order], scores[order], k=1), expected


@threshold("ranking.Ranking.down_to: 2 * depth > self.depth", within=2)
@threshold("ranking.Ranking.down_to: 2 * end > self.depth", within=2)
def cutoffs_below_the_middle():
    y_true, y_score = rows(20, 3, n_relevant=8)
    for k in (8, 9, 10, 11, 12):
        metrics = [f"map@{k}", "map@20", "ndcg"]
        values = irm.score_queries(y_true, y_score, metrics).scores[metrics[0]]
        yield values, twin("average_precision_score", y_true, y_score, k=k)
        few = y_true == 3  # the twin enumerates their orders
        for n_tied in range(8, 13):
            scores = np.minimum(y_score, 20 - n_tied)
            for ties in TIES:
                values = irm.score_queries(few, scores, metrics, ties=ties)
                expected = twin("average_precision_score", few, scores, ties, k=k)
                yield values.scores[metrics[0]], expected


# Sums and blocks ----------------------------------------------------------------------


@threshold("arrays.running_sum: width < _SUM_IN_PIECES_FROM")
def widths_that_are_added_up_in_pieces():
    for width in (16_383, 16_384, 16_385):
        yield by_twin("q_measure_score", *rows(width))


@threshold("blocks.are_few: _n_listed(judgments) <= BLOCK_CELLS")
def cells_that_threads_share():
    for width in (65_536, 65_537):
        y_true, y_score = rows(width)
        found = irm.score_queries(y_true, y_score, ["ndcg@9", "map"], n_jobs=2).scores
        yield found["ndcg@9"], twin("ndcg_score", y_true, y_score, k=9)
        yield found["map"], twin("average_precision_score", y_true, y_score)
    for width in (16_384, 16_385):  # of one block, and of more
        yield by_twin("average_precision_score", *rows(width))
    yield by_twin("average_precision_score", *rows(4095, 33))


@threshold("blocks._more_if_wide: width < _WIDE")
def wide_rows():
    for width in (4095, 4096):
        yield by_twin("ndcg_score", *rows(width, 20), k=10)


@threshold("blocks._as_float: dtype.itemsize < 4", within=2)
@threshold("inputs._coarse: scores.dtype.itemsize > 2", within=2)
def types_of_16_and_32_bits():
    y_true, y_score = rows(40, 3)
    for dtype in (np.int8, np.float16, np.int16, np.int32, np.uint32, np.int64):
        scores = y_score.astype(dtype)
        values, expected = by_twin("average_precision_score", y_true, y_score)
        values = irm.average_precision_score(y_true, scores, average=None)
        yield values, expected


@threshold("blocks._RaggedRows._fill_absent: values.ndim > 2")
def marks_with_one_more_axis():
    y_true = np.array([[1, 0], [0, 1], [1, 1]])
    values = irm.subtopic_recall_score(
        y_true, [3, 2, 1], qid=[0, 0, 1], k=1, average=None
    )
    yield values, [0.5, 1.0]


# Numbers ------------------------------------------------------------------------------


@threshold("aggregate._mean: float(abs(values).max()) < _SAFE", within=2.0**348)
def means_of_large_values():
    safe = 2.0**400
    for large in (math.nextafter(safe, 0.0), safe, math.nextafter(safe, math.inf)):
        y_true, weights = [[large, 0.0], [large / 2, 0.0]], [1, 1]
        mean = irm.cumulative_gain_score(
            y_true, [[2.0, 1.0]] * 2, k=1, sample_weight=weights
        )
        yield mean / large, 0.75


@threshold("aggregate.scale_weights: abs(exponent) <= 500")
def weights_that_are_scaled():
    for power in (-1074, -502, -501, -500, 498, 499, 500, 1023):
        weights = np.array([1.0, 0.5, 1.0]) * 2.0**power
        counted = 1.0 if power == -1074 else 0.5
        weights[1] = counted * 2.0**power
        values = irm.precision_at_k_score(
            [[1, 0], [0, 1], [0, 1]], [[2, 1]] * 3, k=1, sample_weight=weights
        )
        yield values, 1 / (2 + counted)


@threshold("checks.check_grades: grades.dtype.itemsize > 8", within=8)
@threshold("numbers.is_rounded: values.dtype.itemsize > 8", within=8)
def types_of_64_bits_and_more():
    y_true, y_score = rows(40, 3)
    if np.dtype(np.longdouble).itemsize == 8:
        pytest.skip("NumPy has no float of more than 64 bits here")
    for dtype in (np.float64, np.longdouble):
        arrays = y_true.astype(dtype), y_score.astype(dtype)
        flat = [array.ravel() for array in arrays]
        values = irm.average_precision_score(
            *flat, qid=np.arange(3).repeat(40), average=None
        )
        yield values, twin("average_precision_score", y_true, y_score)
    near = np.nextafter(np.longdouble(1), 2)
    if near != 1:
        scores = np.array([1, near])
        yield irm.precision_at_k_score([0, 1], scores, k=1), 1.0


@threshold("numbers.is_rounded: max(-int(values.min()), int(values.max())) > _EXACT")
@threshold("numbers._is_large: np.abs(floats) >= np.float64(_EXACT)")
def whole_numbers_that_floats_round():
    for largest in (BIG - 1, BIG, BIG + 1, BIG + 2):
        for sign in (1, -1):
            scores = [sign * (largest - 1), sign * largest]
            for values in (scores, np.array(scores), np.array(scores, dtype=object)):
                found = irm.precision_at_k_score([0, 1], values, k=1)
                yield found, float(sign > 0)
                found = irm.kendall_tau_score(values, [1, 2])
                yield found, float(sign)


@threshold("inputs._check_plain: size <= _SMALL")
def sizes_that_are_checked_at_once():
    for width in (4095, 4096, 4097):
        yield by_twin("ndcg_score", *rows(width), k=10)


@threshold("inputs._check_plain: low > -_EXACT")
@threshold("inputs._check_plain: high < _EXACT")
def grades_that_are_checked_at_once():
    for largest in (BIG - 1, BIG, BIG + 1):
        for sign in (1, -1):
            grades = np.array([sign * largest, sign * (largest - 1)])
            yield irm.kendall_tau_score(grades, np.array([2.0, 1.0])), float(sign)


def tensors(*arrays):
    torch = pytest.importorskip("torch")
    return [torch.tensor(array, dtype=torch.float64) for array in arrays]


def ulps_around(number):
    return [math.nextafter(number, 0.0), number, math.nextafter(number, math.inf)]


@threshold("magnitude._is_extreme: abs(value) > _LARGEST", within=HUGE)
def large_parameters_and_tensors():
    y_true, y_score = [[1.0, 2.0, 0.0]], [[3.0, 2.0, 1.0]]
    for beta in ulps_around(HUGE):
        value = irm.q_measure_score(*tensors(y_true, y_score), beta=beta, average=None)
        yield (
            value,
            twin("q_measure_score", np.array(y_true), np.array(y_score), beta=beta),
        )


@threshold(
    "magnitude._has_extreme_gains: "
    "high > (_LARGEST if gain.kind == 'linear' else 200.0)",
    within=HUGE,
)
def large_grades_and_tensors():
    for gain, largest in (("linear", HUGE), ("exponential", 200.0)):
        for grade in ulps_around(largest):
            y_true = np.array([[1.0, grade, 0.0]])
            y_score = np.array([[3.0, 2.0, 1.0]])
            value = irm.ndcg_score(*tensors(y_true, y_score), gain=gain, average=None)
            yield value, twin("ndcg_score", y_true, y_score, gain=gain)


@threshold("magnitude._are_extreme: sizes > _LARGEST")
@threshold("magnitude._are_extreme: sizes < 1.0 / _LARGEST")
def extreme_gains_and_tensors():
    y_true, y_score = np.array([[1.0, 2.0, 0.0]]), np.array([[3.0, 2.0, 1.0]])
    for size in (*ulps_around(HUGE), *ulps_around(1 / HUGE)):
        gains = {0: 0.0, 1: size, 2: 2 * size}
        value = irm.ndcg_score(*tensors(y_true, y_score), gain=gains, average=None)
        yield value, twin("ndcg_score", y_true, y_score, gain=gains)


# Classes, ids, parameters -------------------------------------------------------------


@threshold("classes.ClassSets.__init__: len(found) < 3")
def sets_of_two_and_three_classes():
    y_true, y_pred = ["a", "b", "c", "a"], ["a", "b", "c", "b"]
    yield refused(irm.set_precision_score, y_true[:2], y_pred[:2]), True
    values = irm.set_precision_score(y_true, y_pred, average=None)
    yield values, [1.0, 0.5, 1.0]


@threshold("queries._group_ids: 2 * n_stretches > n_rows", within=2)
def stretches_of_ids():
    for lengths in ([2, 2, 2], [2, 2, 1, 1], [3, 2, 1], [1, 1, 1], [2, 3, 1, 4, 1, 1]):
        ids = np.repeat(np.arange(len(lengths)) % 3, lengths)
        for kind in (ids, ids.astype(str), (-ids).tolist(), ids * 1e9):
            yield grouped(kind)


@threshold("queries._group_ids: np.count_nonzero(codes[1:] < codes[:-1]) < _FEW")
def pieces_of_ids_in_order():
    for n_pieces in (15, 16, 17, 18):
        yield grouped(np.tile(np.arange(4), n_pieces))
        yield grouped(np.tile(["a", "b"], n_pieces))


@threshold(
    "queries._number_by_appearance: (span := (int(ids.max()) - int(ids.min()) + 1)) "
    "<= _TABLE_PER_ID * n_ids"
)
def spans_of_ids():
    for span in (19, 20, 21):
        for dtype in (np.int8, np.int64, np.uint64):
            yield grouped(np.array([span + 2, 5, 3, 9, 5], dtype=dtype))
    extremes = [2**63 - 1, -(2**63), 0, 2**63 - 1, -(2**63)]
    yield grouped(np.array(extremes))


def grouped(ids):
    """Return rows by id, and as Python's dict has them."""
    rows_of = {}
    for row, id_ in enumerate(list(ids)):
        rows_of.setdefault(id_, []).append(row)
    found = queries.group_rows(ids, len(ids))
    order = np.arange(len(ids)) if found.order is None else found.order
    parts = [order[a:b] for a, b in zip(found.offsets, found.offsets[1:], strict=False)]
    same = list(map(list, parts)) == list(rows_of.values())
    return same and found.ids.tolist() == list(rows_of), True


@threshold("queries._index_type: n_rows < 2 ** 31 // _TABLE_PER_ID")
def rows_that_32_bits_number():
    # So many rows take gigabytes: the function alone.
    for n_rows in (2**29 - 1, 2**29, 2**29 + 1):
        holds = np.iinfo(queries._index_type(n_rows)).max >= 4 * n_rows
        yield holds, True


@threshold("parameters.check_count: value <= min(most, 2 ** 53)")
@threshold("parameters.check_count: value > _LARGEST", within=2.0**971)
def large_cutoffs():
    largest = int(np.finfo(float).max)
    for k in (BIG - 1, BIG, BIG + 1, 2**63, largest):
        yield irm.precision_at_k_score([1, 0], [2, 1], k=k), 1 / k
        yield irm.recall_at_k_score([1, 0], [2, 1], k=k), 1.0
    yield refused(irm.precision_at_k_score, [1, 0], [2, 1], k=largest + 1), True


@threshold("parameters.check_seed: random_state < 2 ** 32")
def seeds():
    for seed in (2**32 - 1, 2**32, -1, 0):
        wrong = not 0 <= seed < 2**32
        yield refused(parameters.check_seed, seed), wrong


@threshold("parameters._gain: abs(number) < _LARGEST", within=math.inf)
def grades_that_a_float_holds():
    largest = int(np.finfo(float).max)
    for grade, holds in (
        (BIG, True), (BIG + 1, False), (largest, True), (largest + 1, True),
        (10**400, False),
    ):  # fmt: skip
        gains = {0: 0, grade: 1}
        call = irm.dcg_score, [1, 0], [2, 1]
        wrong = not holds
        yield refused(*call, gain=gains), True  # which does not list 1
        yield refused(irm.dcg_score, [0, 0], [2, 1], gain=gains), wrong


@threshold("parameters._gain: abs(listed[:, 0]).max() >= 2 ** 53")
def gains_of_grades_that_floats_round():
    grades = [BIG + 1, 0]
    for listed, wrong in ((BIG - 1, False), (BIG, True), (BIG + 2, True)):
        gains = {0: 0, listed: 1}
        with pytest.raises(ValueError, match="not map" if wrong else "but not 9"):
            irm.dcg_score(grades, [2, 1], gain=gains)
        yield True, True


@threshold("parameters._refuse_overflow: grade > 1000", within=1e-12)
def grades_of_an_exponential_gain():
    for grade in (1000, math.nextafter(1000, 0), math.nextafter(1000, 2000), 1001):
        yield (
            refused(irm.dcg_score, [grade, 0], [2, 1], gain="exponential"),
            grade > 1000,
        )
    gain = irm.dcg_score([1000, 0], [2, 1], gain="exponential")
    yield gain / 2.0**1000, 1.0


@threshold("parameters._as_grade: grades.dtype.itemsize > 4", within=4)
def thresholds_in_the_type_of_the_grades():
    for dtype in (np.float16, np.float32, np.float64):
        grades = np.array([0.7, 0.1], dtype=dtype)
        found = irm.precision_at_k_score(
            grades, [2.0, 1.0], k=1, relevance_threshold=0.7
        )
        yield found, 1.0


@threshold("score._name_numbers: abs(value) > 1e+100", within=1e90)
def parameters_that_are_named():
    y_true = [[1e308, 1e308]]
    for beta in ulps_around(1e100):
        named = refused(irm.q_measure_score, y_true, [[2, 1]], beta=beta)
        yield named, True


# All other conditions -----------------------------------------------------------------


def queries_of(seed, lengths=(1, 2, 3, 5, 5, 2), n_levels=(1, 2, 3, 20)):
    return queries_at_once(np.random.default_rng(seed), lengths, n_levels=n_levels)


def every_measure_and_rule():
    for name in ref.RANKED:
        for number, params in enumerate(ref.SETTINGS[name][-2:]):
            measure = Case(name, params)
            for ties in TIES:
                drawn = queries_of(number)
                y_true, options = ready(name, params, drawn.y_true, drawn.marked)
                lists = y_true.tolist(), drawn.y_score.tolist(), drawn.qid.tolist()
                expected = ref.per_query(ref.RANKED[name], *lists, ties=ties, **options)
                values = measure.score(drawn, ties=ties)
                yield values[drawn.in_order], expected
                yield from other_forms(measure, drawn, ties, values)


def other_forms(measure, drawn, ties, expected):
    """Score rectangles, sparse matrices and tensors."""
    grades, scores, marks = drawn.rectangle()
    grades = measure.grades(grades)
    call = partial(measure.function, ties=ties, average=None, **measure.params)
    marked = {ref.MARKS[measure.name]: marks} if measure.name in ref.MARKS else {}
    scored = call(grades, scores, **marked)
    if measure.name != "judged_at_k_score":  # which counts what is listed
        yield scored, call(grades.tolist(), scores.tolist(), **marked)
    if not marked and not np.isnan(grades).any():
        yield call(sparse(grades, 0.0), sparse(scores, -np.inf)), scored
        yield call(sparse(grades, 0.0), scores), scored
        yield call(grades, sparse(scores, -np.inf)), scored
    if find_spec("torch") and ties == "average":
        import torch

        arrays = map(torch.tensor, (grades, scores))
        found = call(*arrays, **{name: torch.tensor(m) for name, m in marked.items()})
        yield found, scored


def refusals():
    """What is refused: a row for each rule of the door."""
    grades, scores = [1, 0, 2], [3.0, 2.0, 1.0]
    p1, f1 = partial(irm.precision_at_k_score, k=1), irm.set_f1_score
    ndcg, report = irm.ndcg_score, irm.ranking_report
    square = np.eye(3)
    queries_and = partial(irm.score_queries, grades, scores)
    topics = [[1, 0], [0, 1], [1, 1]]
    by_class = partial(irm.success_at_k_score, [0, 2, 1], square, k=1)
    calls = [
        # arrays
        (p1, 1, scores), (p1, grades, [1, np.nan, 0]), (p1, grades, [1, 2]),
        (p1, [np.inf, 0, 1], scores), (p1, [], []), (p1, [[[1]]], [[[1]]]),
        (p1, np.ones((3, 0)), np.ones((3, 0))), (p1, [[1], [0]], [[2], [1]]),
        (p1, np.array([1, 0]), np.array([1.0, np.nan])), (p1, {1: 2}, scores),
        (p1, {1, 2}, scores), (p1, [[1, 2], [1]], [[1, 2], [1]]),
        (p1, ["a", "b", "c"], scores), (p1, np.array(["1", "0"]), [2, 1]),
        (p1, np.array([1j, 0]), [2, 1]), (p1, [10**400, 0, 1], scores),
        (p1, np.array([object()] * 3), scores), (p1, [1, "0", 2], scores),
        (p1, np.array([10**400, 0, 1]), scores), (p1, np.array([0]), np.array(1.0)),
        (p1, [Decimal("1e400"), 0, 1], scores), (p1, np.array(1), np.array(2.0)),
        (p1, np.ma.array(grades, mask=[1, 0, 0]), scores),
        (p1, np.zeros(3, "V2"), scores), (p1, csr_array(square), scores),
        (p1, csr_array(square * 1j), square), (p1, coo_array([1.0, 0, 2]), scores),
        (p1, np.zeros((2, 0)), np.zeros(2)),
        (p1, topics, scores), (p1, topics, [1, 2]),
        (p1, np.array([[1, 0], [0, 1]]), np.array([1.0, 2.0, 3.0])),
        (irm.kendall_tau_score, csr_array(square), csr_array(square)),
        # weights and ids
        *((p1, grades, scores, {"qid": [0, 0, 1], "sample_weight": weights})
          for weights in ([1, 2, 1], [1, 1], [0, 0, 0], [-1, -1, 1], [1, 1, np.inf])),
        (p1, grades, scores, {"qid": [0, 1, 0], "sample_weight": [1, 1, 2]}),
        (p1, grades, scores, {"sample_weight": [1, 1, 2]}),
        *((p1, grades, scores, {"qid": ids})
          for ids in ("abc", [1, 2], [[1], [2], [3]], [None, 1, 2], [1, np.nan, 2],
                      [(1, np.nan), 1, 2], [[1], 2, 3], np.array([1, np.nan, 2]),
                      [{}, 1, 2], [1, "a", pd.NA], np.array(["NaT"] * 3, "M8[s]"))),
        (p1, square, square, {"qid": [1, 2, 3]}),
        # marks
        (irm.coverage_ratio_score, grades, scores, {"known": [1, 0]}),
        (irm.coverage_ratio_score, grades, scores, {"known": [1, 0, 2]}),
        (irm.inferred_average_precision_score, csr_array(square), csr_array(square),
         {"pooled": square}),
        (queries_and, "map", {"marks": 1}), (queries_and, "map", {"marks": {"x": 1}}),
        (f1, grades, [1, 0, 2]), (f1, grades, None),
        (f1, csr_array(square), square * 2),
        # class labels
        (by_class, {"labels": [0, 1]}), (by_class, {"labels": [0, 1, 1]}),
        (by_class, {"labels": [0, 1, 3]}), (by_class, {"qid": [1, 2, 3]}),
        (by_class, {"labels": [0, [1], 2]}), (by_class, {"labels": [0, "a", None]}),
        (p1, [0, 1], square), (p1, grades, np.ones((3, 0))),
        (p1, [0, 1, 1], np.ones((3, 2))),
        (p1, grades, csr_array(square)), (p1, [0, "a", None], square),
        (p1, grades, scores, {"labels": [0, 1, 2]}),
        (irm.coverage_ratio_score, grades, square, {"known": square}),
        # classes
        (f1, ["a", "b", "a"], ["a", "b"]), (f1, ["a", 1j, None], ["a", "b", "c"]),
        (f1, [["a"] * 2] * 2, [["a"] * 2] * 2), (f1, csr_array(square), ["a"] * 3),
        (irm.scott_pi_score, csr_array(square), square),
        (irm.scott_pi_score, [np.nan, 1.0], [1, 1]),
        (irm.scott_pi_score, np.ones((1, 1, 1)), np.ones((1, 1, 1))),
        (irm.scott_pi_score, [], []),
        *((irm.set_cost_matrix_loss, [0, 1], [1, 1],
           {"labels": labels, "cost_matrix": np.zeros((2, 2))})
          for labels in ([], [[0, 1]], [0, 0, 1], [0, 2])),
        (f1, ["a", "b", "c"], ["a", "b", "c"], {"labels": ["x"]}),
        (f1, ["a", "b"], ["a", "b"], {"pos_label": "x"}),
        (f1, ["a", "b"], ["a", "b"], {"pos_label": ["a"]}),
        (f1, ["a", "b"], ["a", "b"], {"pos_label": "a", "labels": ["a"]}),
        (f1, ["a", "b"], ["a", "b"], {"labels": ["a"], "qid": [1, 2]}),
        (f1, ["a", "b"], ["a", "b"], {"labels": ["a"], "relevance_threshold": 1}),
        (f1, ["a", "b"], ["a", "b"], {"labels": ["a"], "judged_only": True}),
        (f1, ["a", 1], ["a", 1]), (f1, [[1, 0], [1]], [[1, 0], [1]]),
        (irm.set_cost_matrix_loss, [0, 1], [1, 1],
         {"cost_matrix": [[0, 1e308], [1e308, 1e308]], "labels": [0, 1],
          "sample_weight": [1e308, 1e308]}),
        (irm.set_detection_cost_loss, [0, 1], [1, 0],
         {"miss_cost": 1e308, "false_alarm_cost": 1e308}),
        (f1, grades, grades, {"average": "nothing"}),
        # subtopics
        *((irm.subtopic_recall_score, *pair)
          for pair in ((csr_array(square), scores), (square, csr_array(square)),
                       (topics, topics), ([1, 0, 2], scores), (topics, [1, 2]),
                       (np.ones((3, 0)), scores))),
        (irm.score_queries, topics, scores, "alpha_ndcg", {"labels": [0, 1]}),
        # parameters
        (p1, grades, scores, {"k": 0}), (p1, grades, scores, {"k": 1.5}),
        (p1, grades, scores, {"k": True}), (p1, grades, scores, {"ties": 1}),
        (p1, grades, scores, {"ties": "x"}), (p1, grades, scores, {"adaptive": 1}),
        (p1, grades, scores, {"relevance_threshold": "1"}),
        (p1, grades, scores, {"relevance_threshold": True}),
        (p1, grades, scores, {"relevance_threshold": 10**400}),
        (p1, grades, scores, {"relevance_threshold": np.inf}),
        (p1, grades, scores, {"relevance_threshold": Fraction(10**400)}),
        (p1, grades, scores, {"average": "x"}), (p1, grades, scores, {"average": 1}),
        (irm.rank_biased_precision_score, grades, scores, {"persistence": 0.0}),
        (irm.rank_biased_precision_score, grades, scores, {"persistence": 1.0}),
        (irm.rank_biased_precision_score, grades, scores, {"persistence": 1}),
        (irm.rank_biased_precision_score, grades, scores, {"persistence": 0}),
        (irm.rank_biased_precision_score, grades, scores,
         {"persistence": 0.5, "max_grade": 1.0}),
        (irm.average_precision_score, grades, scores, {"denominator": "k"}),
        (irm.expected_reciprocal_rank_score, grades, scores, {"max_grade": None}),
        (irm.expected_reciprocal_rank_score, grades, scores,
         {"gain": {0: 5, 1: 7, 2: 2}, "max_grade": 2}),
        (irm.expected_reciprocal_rank_score, grades, scores,
         {"gain": {0: -2, 1: -2, 2: -1}, "max_grade": 2}),
        (irm.set_e_measure_loss, grades, [1, 0, 1], {"beta": -1}),
        (irm.set_fbeta_score, grades, [1, 0, 1], {"beta": None}),
        (irm.alpha_ndcg_score, topics, scores, {"alpha": None}),
        *((irm.interpolated_precision_recall_curve, grades, scores,
           {"recall_levels": levels}) for levels in ([], 1)),
        *((ndcg, grades, scores, {"gain": gain})
          for gain in ("x", 1, {}, {0: "a"}, {0: np.inf}, {0: 0, 1: 1, 1 + 2**-60: 2,
                       Fraction(1) + Fraction(1, 2**60): 5}, {1: 2}, {2**53 + 1: 1},
                       lambda grades: grades[:, :1], lambda grades: grades * np.nan,
                       lambda grades: grades - 1)),
        (ndcg, [-1, 0, 1], scores),
        (ndcg, [1001, 0, 1], scores, {"gain": "exponential"}),
        (ndcg, square, csr_array(square), {"gain": {0: 1, 1: 2}}),
        *((ndcg, grades, scores, {"discount": discount})
          for discount in (lambda ranks: ranks, lambda ranks: ranks[:1], lambda r: -r,
                           lambda ranks: ranks * np.nan)),
        (queries_and, "map", {"n_jobs": 0}), (queries_and, "map", {"n_jobs": 1.5}),
        (report, grades, scores, {"random_state": "x"}),
        (report, grades, scores, {"random_state": 2**32}),
        (irm.dcg_score, [[1.5e308] * 2], [[1.0, 2.0]], {"gain": lambda g: g * 1.0}),
        (irm.cumulative_gain_score, [1e308, 1e308], [1.0, 2.0]),
        (irm.score_queries, [1e308, 1e308], [1, 2], ["ndcg", "q(beta=1e200)"]),
        (irm.expected_reciprocal_rank_score, grades, scores, {"max_grade": 1001}),
        # other scores of the same grades
        *((irm.RankingEvaluator(grades, ["map"]), other)
          for other in ([1, 2], square, csr_array(square))),
        (irm.RankingEvaluator(square, ["map"]), csr_array(square)),
    ]  # fmt: skip
    for function, *arguments in calls:
        options = arguments.pop() if type(arguments[-1]) is dict else {}
        if any(isinstance(key, (int, Fraction)) for key in options):
            arguments, options = [*arguments, options], {}
        yield refused(function, *arguments, **options), True


def kinds_of_means():
    drawn = queries_of(3)
    measure = Case("precision_at_k_score", {"k": 2})
    values = measure.score(drawn)
    weights = np.arange(6.0)
    for average in ("macro", "geometric"):
        for replaced in (np.nan, float("nan"), np.float32("nan"), 0.5, 0):
            for weighted in (None, weights, np.ones(6)):
                options = {"average": average, "replace_undefined_by": replaced}
                if weighted is not None:
                    options["sample_weight"] = weighted[drawn.qid]
                for case in (measure, Case("recall_at_k_score", {"k": 2})):
                    values = case.score(drawn, **options)
                    expected = ref.aggregate(
                        case.score(drawn),
                        weighted,
                        average=average,
                        undefined=float(replaced),
                    )
                    yield values, expected
    recall = irm.recall_at_k_score
    yield recall([[0, 0]], [[1, 2]], k=1), np.nan
    yield recall([[0, 0], [1, 0]], [[1, 2]] * 2, k=1, sample_weight=[1, 0]), np.nan
    yield recall([[0, 0]], [[1, 2]], k=1, average=None, replace_undefined_by=3), [3]
    arrays = np.array([[1, 0], [0, 0], [1, 1]]), [[1, 2], [1, 2], [2, 1]]
    for weights in (None, [1, 2, 3]):
        found = recall(*arrays, k=1, average="micro", sample_weight=weights)
        yield found, 1 / 3 if weights is None else 3 / 7
    yield recall([[0, 0]] * 2, [[1, 2]] * 2, k=1, average="micro"), np.nan
    options = {"average": "micro", "replace_undefined_by": 7.0}
    yield recall([[0, 0]] * 2, [[1, 2]] * 2, k=1, **options), 7.0
    large = [[1.5e308, 0]] * 3
    gain = irm.cumulative_gain_score
    yield gain(large, [[2, 1]] * 3, k=1, sample_weight=[1, 1, 1]), 1.5e308
    largest = np.finfo(float).max
    for n in (3, 5, 7, 11):
        weights = np.full(n, 0.1)
        found = gain([[largest, 0]] * n, [[2, 1]] * n, k=1, sample_weight=weights)
        yield found / largest, 1.0
        found = gain([[largest, 0]] * n, [[2, 1]] * n, k=1)
        yield found / largest, 1.0
        found = gain([[-largest, 0]] * n, [[2, 1]] * n, k=1, sample_weight=weights)
        yield found / largest, -1.0
    at_cutoffs = partial(irm.metric_at_cutoffs, "ndcg", *arrays, [1, 2, 5])
    each = [irm.ndcg_score(*arrays, k=k, average=None) for k in (1, 2, 5)]
    yield at_cutoffs(average=None), np.transpose(each)
    yield at_cutoffs(), np.nanmean(each, axis=1)


def kinds_of_numbers():
    """Numbers that are no float64, with the order that Python gives them."""
    ordered = [
        [True, False], [3, 1], [Fraction(2, 3), Fraction(1, 3)], [BIG + 1, BIG],
        [Decimal("0.2"), Decimal("0.1")], [2.0**80 + 2.0**30, 2.0**80],
        [10**30 + 1, 10**30], [np.int64(BIG + 1), float(BIG)], [1.5, 1],
        np.array([2, 1], dtype=object), np.array([True, False], dtype=object),
        [10**300 + 1, 10**300], [np.float32(2), 1], [Fraction(1, 3), 0.1],

        pd.Series([BIG + 1, BIG]), pd.Series([BIG + 1, BIG], dtype="Int64"),
        pd.Series([2, 1], dtype="Float32"), pd.Series([True, False], dtype="boolean"),
        pd.Series([2**60 + 1, 2**60], dtype=object), np.longdouble([2, 1]),
        [np.longdouble(2), np.longdouble(1)], [2.0**54, 2.0**53],
        np.float16([2, 1]), np.array([2, 1], dtype=">f8"), np.uint64([2**64 - 1, 1]),
    ]  # fmt: skip
    if find_spec("polars"):
        import polars as pl

        ordered += [pl.Series([2**70 + 1, 2**70], dtype=pl.Int128)]
        ordered += [pl.Series([BIG + 1, BIG]), pl.Series([Decimal(2), Decimal(1)])]
    if find_spec("pyarrow"):
        import pyarrow as pa

        ordered += [pa.array([BIG + 1, BIG]), pa.array([Decimal(2), Decimal(1)])]
    if find_spec("ml_dtypes"):
        import ml_dtypes

        ordered += [np.array([2, 1], dtype=ml_dtypes.bfloat16)]
    for values in ordered:
        yield irm.precision_at_k_score([1, 0], values, k=1), 1.0
        yield irm.precision_at_k_score(values, [2, 1], k=1), 1.0
        yield irm.kendall_tau_score(values, [2, 1]), 1.0
        yield irm.kendall_tau_score([1, 2], values), -1.0
    grades = np.array([BIG + 1, BIG])
    for first in ([grades], csr_array([grades])):  # whose places sparse scores lack
        yield refused(irm.kendall_tau_score, first, csr_array([[2, 1]])), True
    yield irm.kendall_tau_score(csr_array([grades] * 2), [[2, 1], [1, 2]]), 0.0


class Alike(str):
    """An id that no other equals."""

    def __eq__(self, other):
        return self is other

    __hash__ = str.__hash__


def kinds_of_ids():
    for ids in (
        ["a", "b", "a"], np.array(["a", "b", "a"]), ["a\0", "a", "a\0"], [b"a", "a", 1],
        [(1, 2), (1, 3), (1, 2)], [1, "1", 1.0], [True, 1, 0], [1.5, 1.0, 1.5],
        np.array([2, 2, 1, 1, 2], dtype=object), [frozenset([1]), 2, frozenset([1])],
        np.array(["2020", "2021", "2020"], "M8[Y]"), np.array([1, 0, 1], bool),
        [np.datetime64(1, "s"), np.datetime64(1, "m"), np.datetime64(60, "s")],
        [((1, 2), "x"), ((1, 2), "y")], np.array([1j, 2, 1j]), [BIG, BIG + 1, BIG],
        [Fraction(1, 2), 0.5, Decimal("0.5")], np.arange(9), np.arange(9)[::-1],
        np.float16([1, 2, 1]), pd.Series(["x", "y", "x"]), [2, 1, 2, 3, 1] * 9, [1],
        pd.Series([1, 2, 1], dtype="Int64"), pd.Categorical(["b", "a", "b"]),
        [1, 1, 1], ["a"] * 5 + ["b"] * 4, range(5),
    ):  # fmt: skip
        yield grouped(ids)
    for ids in ([1, 2, 1, 1], ["a", "a", "b", "b"]):
        found = queries.group_rows(ids, 4)
        again = np.unique(ids, return_inverse=True)[1]
        yield found.codes(), again
    if not find_spec("torch"):
        return
    import torch

    grades, scores = torch.tensor([1, 0, 1, 0]), torch.tensor([1.0, 2, 2, 1])
    call = partial(irm.precision_at_k_score, grades, scores, k=1, average=None)
    for ids in ([5, 5, 3, 3], [5, 3, 5, 3], [5, 3, 3, 5]):
        expected = call.func(grades.numpy(), scores.numpy(), k=1, average=None, qid=ids)
        yield call(qid=ids), expected
        yield call(qid=torch.tensor(ids)), expected
    yield refused(call, qid=torch.tensor([1j, 2, 3, 4])), True
    yield refused(call, qid=torch.tensor([1.0, np.nan, 3, 4])), True
    yield refused(call, qid=torch.tensor([[1, 2, 3, 4]])), True
    call = partial(irm.precision_at_k_score, k=1)
    yield refused(call, grades, scores.numpy()), True
    yield call(grades, scores.to(torch.bfloat16)), 0.5
    yield call(grades.to(torch.bool), scores, sample_weight=[2, 2, 2, 2]), 0.5


def kinds_of_sets():
    y_true = np.array([[1, 0, 2, np.nan], [0, 0, 1, 1], [0, 0, 0, 0.0]])
    y_pred = np.array([[1, 1, 0, 1], [1, 0, 1, 0], [1, 0, 0, 0]])
    qid = np.repeat([2, 1, 3], 4)
    for judged_only in (False, True):
        for average in ("macro", "micro", "geometric", None):
            for weights in (None, np.array([1.0, 2.0, 0.0])):
                options = {"average": average, "judged_only": judged_only}
                by_row = None if weights is None else weights.repeat(4)
                found = irm.set_f1_score(
                    y_true, y_pred, sample_weight=weights, **options
                )
                flat = irm.set_f1_score(
                    y_true.ravel(), y_pred.ravel(), qid=qid, sample_weight=by_row,
                    **options,
                )  # fmt: skip
                yield found, flat
                keep = ~np.isnan(y_true) if judged_only else np.full((3, 4), True)
                counts = [
                    ref.confusion((t[k] > 0).tolist(), (p[k] > 0).tolist())
                    for t, p, k in zip(y_true, y_pred, keep, strict=True)
                ]
                if average == "micro":
                    weighed = np.array(counts) * (
                        1 if weights is None else weights[:, None]
                    )
                    yield found, ref.set_fbeta(*weighed.sum(axis=0))
                else:
                    each = [ref.set_fbeta(*four) for four in counts]
                    expected = each if average is None else ref.aggregate(
                        each, weights, average=average
                    )  # fmt: skip
                    yield found, expected
    y_true = np.nan_to_num(y_true)
    expected = irm.set_f1_score(y_true, y_pred, average=None)
    sparse_ = csr_array(y_true), csr_array(y_pred)
    for first in (y_true, sparse_[0]):
        for second in (y_pred, sparse_[1]):
            yield irm.set_f1_score(first, second, average=None), expected
    found = irm.set_f1_score(*sparse_, relevance_threshold=-1, average=None)
    yield found, irm.set_f1_score(y_true, y_pred, relevance_threshold=-1, average=None)
    weights = [1, 2, 3, 4]
    found = irm.set_precision_score(y_true[0], y_pred[0], sample_weight=weights)
    yield found, 1 / 7
    scores = np.where(y_pred, 0.5, -np.inf)
    for second in (scores, y_pred > 0, csr_array(y_pred > 0), y_pred * 2.0 + 1):
        found = irm.score_queries(y_true, second, ["set_f1", "set_recall"]).scores
        every = second.min() > 0 if type(second) is np.ndarray else False
        pred = np.ones((3, 4)) if every and second.dtype != bool else y_pred
        yield found["set_f1"], irm.set_f1_score(y_true, pred, average=None)
    yield refused(irm.score_queries, y_true, y_pred, "set_f1"), True
    found = irm.score_queries(
        y_true.ravel(), scores.ravel(), ["set_f1"], qid=np.tile([1, 2, 3], 4)
    )
    expected = irm.set_f1_score(
        y_true.ravel(), y_pred.ravel(), qid=np.tile([1, 2, 3], 4), average=None
    )
    yield found.scores["set_f1"], expected
    if find_spec("torch"):
        import torch

        found = irm.set_f1_score(*map(torch.tensor, (y_true, y_pred)), average=None)
        yield found, irm.set_f1_score(y_true, y_pred, average=None)


def kinds_of_classes():
    y_true, y_pred = ["a", "b", "c", "a"], ["a", "b", "a", "b"]
    f1, weights = irm.set_f1_score, [1, 2, 3, 4]
    yield f1(y_true, y_pred, average=None), [0.5, 2 / 3, 0.0]
    yield f1(y_true, y_pred, labels=["b", "x"], average=None), [2 / 3, np.nan]
    found = f1(y_true, y_pred, sample_weight=weights, average=None)
    yield found, [2 / 9, 4 / 8, 0.0]
    yield f1(y_true, y_pred, pos_label="a"), 0.5
    yield f1(y_true, y_pred, pos_label="a", qid=[1, 1, 2, 2], average=None), [1.0, 0.0]
    objects = [np.array(labels, dtype=object) for labels in (y_true, y_pred)]
    yield f1(*objects, average=None), [0.5, 2 / 3, 0.0]
    mixed = [b"a", b"b", b"c"]
    yield f1(mixed, mixed, average=None), [1.0, 1.0, 1.0]
    yield irm.scott_pi_score([1, 0], [1, 0]), 1.0
    yield irm.scott_pi_score(["x", "y"], ["x", "y"]), 1.0
    kappa = irm.scott_pi_score(np.array([1, BIG]), np.uint64([1, BIG + 1]))
    yield kappa, ref.scott_pi([1, BIG], [1, BIG + 1])
    cost = partial(irm.set_cost_matrix_loss, cost_matrix=[[0, 1], [5, 0]])
    yield cost([0, 1], [1, 1], labels=[0, 1]), 1.0
    yield cost(["n", "y"], ["y", "n"], labels=["n", "y"]), 6.0
    # Ranked by each sample
    scores = np.array([[3.0, 2, 1], [1, 3, 2], [1, 2, 3]])
    top = partial(irm.success_at_k_score, k=1, average=None)
    for labels, classes in (([0, 2, 2], None), ([5, 9, 9], [5, 7, 9]),
                            (["a", "c", "c"], ["a", "b", "c"]),
                            ([1, 3, 3], [1, 2, 3.0]),
                            ([5, 9, 9], np.array([9, 7, 5])[::-1])):  # fmt: skip
        if classes is None:
            yield top([0, 1, 2], scores), [1, 1, 1]
        else:
            yield top(labels, scores, labels=classes), [1, 0, 1]
    yield irm.ndcg_score([0, 1, 2], scores, average=None), [1, 1, 1]
    evaluator = irm.RankingEvaluator([0, 1, 2], ["p@1"], labels=[0, 1, 2])
    yield evaluator(scores)["p@1"], 1.0
    if find_spec("torch"):
        import torch

        tensors_ = torch.tensor([0, 2, 2]), torch.tensor(scores)
        yield top(*tensors_, labels=torch.tensor([0, 1, 2])), [1, 0, 1]
        yield irm.ndcg_score(torch.tensor([0, 1, 2]), tensors_[1]), 1.0
        yield f1(tensors_[0], tensors_[0], pos_label=2), 1.0
        yield irm.scott_pi_score(tensors_[0], tensors_[0]), 1.0
        gains = {0: 0.0, 1: 2.0**300}
        classes = torch.tensor([0, 1, 2])
        yield irm.ndcg_score(classes, tensors_[1], gain=gains, average=None), [1, 1, 1]


def close_scores():
    """Scores that differ in low bits, in blocks of all shapes, against their ranks."""
    rng = np.random.default_rng(0)
    metrics = ["p@1", "map@3", "ndcg@5", "mrr", "map", "recall@9"]
    for dtype in (np.float64, np.float32):
        for shape in ((1, 300), (2, 600), (30, 40), (5, 2100)):
            for n_levels in (2, 9, 300):
                levels = rng.integers(0, n_levels, shape)
                ladder = (np.arange(n_levels) + (1 << 52)).view(np.float64)
                if dtype == np.float32:
                    ladder = (np.arange(n_levels, dtype=np.int32) + (1 << 28)).view(
                        dtype
                    )
                scores, ranks = ladder[levels], levels * 1.0
                hidden = rng.random(shape) < 0.3
                for absent in (0, hidden, True):
                    scores = np.where(absent, -np.inf, scores).astype(dtype)
                    ranks = np.where(absent, -np.inf, ranks)
                    grades = rng.integers(0, 3, shape)
                    for asked in (metrics[:1], metrics[:3], metrics):
                        found = irm.score_queries(grades, scores, asked).scores
                        same = irm.score_queries(grades, ranks, asked).scores
                        for name in asked:
                            yield found[name], same[name]


def other_scores_of_the_same_grades():
    drawn = queries_of(5, lengths=(3, 3, 5, 1))
    metrics = ["ndcg(negative_grades='keep')@2", "map", "p@3", "err(max_grade=3)"]
    metrics += ["ndcg(negative_grades='minmax')", "map(judged_only=True)"]
    arrays = drawn.y_true, drawn.y_score
    expected = irm.score_queries(*arrays, metrics, qid=drawn.qid).scores
    evaluator = irm.RankingEvaluator(drawn.y_true, metrics, qid=drawn.qid)
    for scores in (drawn.y_score, drawn.y_score[:, None], drawn.y_score.astype(object)):
        for name, values in evaluator.score_queries(scores).scores.items():
            yield values, expected[name]
    grades, scores, _ = drawn.rectangle()
    grades = np.nan_to_num(grades)
    for first, second in (
        (grades, scores), (csr_array(grades), sparse(scores, -np.inf)),
        (csr_array(grades), scores),
    ):  # fmt: skip
        evaluator = irm.RankingEvaluator(first, metrics)
        expected = irm.score_queries(first, second, metrics).scores
        for name, values in evaluator.score_queries(second).scores.items():
            yield values, expected[name]
    gains = {"gain": {0: 0, 1: 1.5e308, 2: 1}}
    evaluator = irm.RankingEvaluator([[1, 1, 2]], "dcg", **gains)
    yield refused(evaluator, [[3, 2, 1]]), True
    if find_spec("torch"):
        import torch

        for large in (1.0, HUGE * 4):
            first = torch.tensor(np.abs(grades) * large)
            evaluator = irm.RankingEvaluator(first, ["ndcg@2"])
            found = evaluator.score_queries(torch.tensor(scores)).scores["ndcg@2"]
            yield found, irm.ndcg_score(np.abs(grades), scores, k=2, average=None)


def searches():
    """Warnings of one search are shown once, whoever works for it."""
    rng = np.random.default_rng(0)
    X, qid = rng.random((60, 2)), np.repeat(np.arange(12), 5)
    y = np.where(qid % 3 == 0, 0.0, rng.integers(0, 3, 60))
    scorer = irm.get_scorer("recall@2")
    coarse = irm.make_ranking_scorer(_coarse_recall, qid="metadata", k=2)
    with config_context(enable_metadata_routing=True):
        for one in (scorer, coarse):
            for n_jobs in (None, 2):
                threads = parallel_config("threading")
                with threads, warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    warnings.filterwarnings("ignore", message="nothing like this")
                    found = cross_validate(
                        LinearRegression(), X, y, cv=QueryKFold(4), scoring=one,
                        params={"qid": qid}, n_jobs=n_jobs, error_score="raise",
                    )  # fmt: skip
                shown = [w for w in caught if "Shown once" in str(w.message)]
                yield len(shown) <= 1, True
                yield np.isfinite(found["test_score"]).all(), True
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call = partial(cross_validate, scoring=scorer, cv=QueryKFold(4))
            with pytest.raises(UserWarning, match="undefined"):
                call(LinearRegression(), X, y, params={"qid": qid}, error_score="raise")
        scorer(LinearRegression().fit(X, y), X, y, qid=qid)


def _coarse_recall(y_true, y_score, **options):
    return irm.recall_at_k_score(y_true, y_score.astype(np.float16), **options)


def the_rest():
    y_true, y_score = rows(40, 3)
    for state in (None, np.random, np.random.RandomState(0), 7, np.int64(7),
                  np.random.default_rng(0)):  # fmt: skip
        seed = parameters.check_seed(state)
        yield 0 <= seed < 2**32, True
    for k in (np.int64(3), np.float64(3), 3):
        wrong = isinstance(k, float)
        yield refused(irm.precision_at_k_score, y_true, y_score, k=k), wrong
    with pytest.MonkeyPatch.context() as patch:
        for module in ("torch", "joblib"):
            patch.delitem(sys.modules, module, raising=False)
        yield by_twin("ndcg_score", y_true, y_score, k=3)
        yield by_twin("ndcg_score", y_true.tolist(), y_score.tolist(), k=3)
        yield (
            irm.score_queries(y_true, y_score, "ndcg@3").scores["ndcg@3"],
            twin("ndcg_score", y_true, y_score, k=3),
        )
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, "scipy.sparse")
        yield by_twin("ndcg_score", y_true.tolist(), y_score.tolist(), k=3)
    for text in ("ndcg", "ndcg(discount='reciprocal')", "dcg(gain='exponential')",
                 "ndcg(discount='jarvelin_kekalainen',log_base=3)"):  # fmt: skip
        measure = irm.Measure(text)
        name = measure.metric.function.__name__
        for grades in (y_true, y_true / 3 - 0.5, y_true - 1):
            options = dict(measure.arguments)
            if name == "ndcg_score":
                options["negative_grades"] = "clip"
            yield by_twin(name, grades, y_score, **options)
    fractions = [[0.5, 1.5]], [[-0.5, 1.5]], [[1.0, 2.0]], [[0.0, 0.5]], [[-1.0, 1.0]]
    for grades in fractions:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            irm.precision_at_k_score(grades, [[2.0, 1.0]], k=1)
            irm.precision_at_k_score(np.array(grades), np.array([[2.0, 1.0]]), k=1)
        whole = all(number % 1 == 0 for number in grades[0])
        yield len(caught), 0 if whole or grades == [[0.0, 0.5]] else 2
    for scores in ([3, 2, 1], [1, 1, 1]):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = irm.precision_at_k_score([1, 0, 1], np.float16(scores), k=3)
        yield (found, len(caught)), (2 / 3, int(scores[0] == 1))
    table = irm.precision_recall_at_ranks([2, 0, 1, 0], [1, 1, 1, 0])
    yield table.recall, [1 / 3, 2 / 3, 1, 1]
    # Sparse: rows and whole matrices without anything stored
    empty = csr_array((3, 4))
    yield irm.ndcg_score(empty, empty, average=None), [np.nan] * 3
    yield irm.precision_at_k_score(csr_array(np.eye(3, 4)), empty, k=1), 0.0
    twice = coo_array(([1.0, 1.0, 1.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 3))
    yield irm.cumulative_gain_score(twice, np.ones((2, 3)), k=3, average=None), [2, 1]
    with pytest.MonkeyPatch.context() as patch:
        for chunk in (1, 3, 5, 100):
            patch.setattr(blocks, "_SPARSE_CHUNK", chunk)
            patch.setattr(blocks, "BLOCK_CELLS", 4)
            grades, scores = np.eye(5, 7), np.tile(np.arange(7.0), (5, 1))
            scores[2] = -np.inf
            grades[2] = 0
            found = irm.ndcg_score(
                csr_array(grades), sparse(scores, -np.inf), average=None
            )
            yield found, irm.ndcg_score(grades, scores, average=None)
            yield found, twin("ndcg_score", grades, scores)
            flat = irm.ndcg_score(
                grades.ravel(), scores.ravel(), qid=np.tile(np.arange(7), 5)
            )
            yield flat, irm.ndcg_score(grades.T, scores.T)
    columns = np.array([[1.0], [0.0], [2.0]]), np.array([3.0, 2.0, 1.0])
    yield irm.dcg_score(*columns), 2.0
    yield irm.dcg_score(columns[0], columns[1][:, None], qid=[1, 1, 1]), 2.0
    yield irm.precision_at_k_score([[1.0]], [[2.0]], k=1), 1.0
    topics = np.array([[1, 0], [0, 2], [np.nan, 1]])
    for array in (topics, topics.tolist()):
        found = irm.score_queries(array, [3, 2, 1], ["alpha_ndcg", "map"])
        yield found.mean["map"], 1.0
    if find_spec("torch"):
        import torch

        tensor = torch.tensor(topics)
        yield irm.subtopic_recall_score(tensor, torch.tensor([3.0, 2, 1]), k=1), 0.5
        tensors_ = torch.tensor(y_true * HUGE * 2), torch.tensor(y_score)
        expected = twin("ndcg_score", y_true, y_score, k=3)
        yield irm.ndcg_score(*tensors_, k=3, average=None), expected
        discount = irm.ndcg_score(*tensors_, discount=_fall, k=50, average=None)
        yield discount, twin("ndcg_score", y_true, y_score, discount=_fall, k=50)
        discount = irm.ndcg_score(*tensors_, discount=_fall, average=None)
        yield discount, twin("ndcg_score", y_true, y_score, discount=_fall)
        found = irm.metric_at_cutoffs("ndcg", *tensors_, [1, 5], average=None)
        each = [twin("ndcg_score", y_true, y_score, k=k) for k in (1, 5)]
        yield found, np.transpose(each)
        halves = torch.tensor([1.0, 0, 1]).to(torch.float16)
        yield irm.scott_pi_score(halves, torch.tensor([1.0, 0, 1])), 1.0
        yield irm.scott_pi_score(halves, torch.tensor([1, 0, 1])), 1.0
        yield irm.scott_pi_score(halves, halves), 1.0
        large = torch.tensor([1, BIG + 1, 0])
        yield refused(irm.scott_pi_score, halves, large), True
    gains = irm.ndcg_score(y_true, y_score, gain=abs, average=None)
    yield gains, twin("ndcg_score", y_true, y_score)
    for gain in (Unhashable(), EqualToAll()):
        gains = irm.ndcg_score(y_true, y_score, gain=gain, average=None)
        yield gains, twin("ndcg_score", y_true, y_score)
    yield by_twin("ndcg_score", y_true, y_score, discount=_fall)


def corners():
    grades, scores = [1, 0, 2], [3.0, 2.0, 1.0]
    p1 = partial(irm.precision_at_k_score, k=1)
    for bad in (object(), [[1, 2], [1]]):
        yield refused(p1, grades, scores, qid=bad), True
        yield refused(p1, grades, scores, sample_weight=bad), True
    yield refused(p1, np.array(grades), np.array([2.0, 1.0])), True
    yield refused(p1, np.array([1.0, 0.0]), np.array([np.inf, np.nan])), True
    for infinite in (np.inf, -np.inf):
        yield p1(np.array([1.0, 0.0]), np.array([infinite, 0.0])), infinite > 0
    square = np.eye(3)
    pair = csr_array(square[:, :1]), square[:, :1]
    yield p1(*pair), 1 / 3
    yield p1(*pair[::-1]), 1 / 3
    yield refused(p1, square[:, :1], square[:2, :1]), True
    yield refused(p1, square, square[:, :1]), True
    known = irm.coverage_ratio_score
    yield known(grades, scores, known=np.array([[1], [0], [1]])), 1.0
    yield refused(known, [0, 1, 2], square, known=square), True
    found = irm.score_queries(grades, scores, "map", marks={"pooled": None}).mean
    yield found["map"], 5 / 6
    marks = {"pooled": [0, 1, 0]}
    found = irm.score_queries([1, np.nan, 2], scores, "infap", marks=marks).mean
    one = irm.inferred_average_precision_score([1, np.nan, 2], scores, pooled=[0, 1, 0])
    yield found["infap"], one
    without = irm.inferred_average_precision_score([1, np.nan, 2], scores)
    yield (
        without,
        irm.inferred_average_precision_score([1, np.nan, 2], scores, pooled=[0] * 3),
    )
    for flag in (np.True_, True):
        yield p1(grades, scores, adaptive=flag), 1.0
    gains = {np.float64(0): np.float32(0), np.int8(1): 1, 2: np.float64(2)}
    yield irm.ndcg_score(grades, scores, gain=gains), irm.ndcg_score(grades, scores)
    flat = lambda ranks: np.minimum(1.0, np.maximum(0.0, 3.0 - ranks))  # noqa: E731
    found = irm.dcg_score(np.array([1.0, 0, 2]), np.array(scores), discount=flat)
    yield found, 1.0
    tight = np.float16([1, 2, 60000])
    yield p1(tight, scores, relevance_threshold=1e300), 0.0
    yield p1(np.float32([1e-45, 0, 1]), scores, relevance_threshold=1e-60), 1.0
    yield p1(np.float32([0, 0, 1]), scores, relevance_threshold=1e-60), 0.0
    yield (
        irm.expected_reciprocal_rank_score(
            [1, 0, 2], scores, gain={0: 0, 1: 4, 2: 3}, max_grade=2
        ),
        4 / 4,
    )
    yield (
        irm.expected_reciprocal_rank_score(
            [1, 0, 2], scores, gain=lambda g: g - 0.5, max_grade=2
        ),
        0.5 / 2.5 + 0.8 * (1.5 / 2.5) / 3,
    )
    clip = {"gain": {0: 0, 1: -1, 2: 2}, "negative_grades": "clip"}
    yield irm.ndcg_score(grades, scores, **clip), 0.5
    yield irm.dcg_score([0, 1], [2, 1], k=np.int16(10)), 1 / np.log2(3)
    for n_cutoffs in ([1, 2], [3]):
        each = [irm.recall_at_k_score(grades, scores, k=k) for k in n_cutoffs]
        yield irm.metric_at_cutoffs("recall", grades, scores, n_cutoffs), each
    qid = np.repeat([1, 2], 2)
    two = np.array([1, 0, 2, 0]), np.array([1.0, 1.0, 2.0, 2.0])
    for ks in ([1], [1, 2]):
        found = irm.metric_at_cutoffs("recall", *two, ks, qid=qid, average="micro")
        yield found, [0.5, 1.0][: len(ks)]
    yield irm.ranking_report(*two, qid=qid, random_state=0) == "", False
    empty = irm.score_queries(csr_array((2, 3)), csr_array((2, 3)), "ndcg").mean
    yield empty["ndcg"], np.nan
    yield irm.ndcg_score([np.nan, np.nan], [1, 2]), np.nan
    for grade in (np.nan, 0.0):
        yield p1([grade, grade], [1, 2]), 0.0
    yield p1([1, 0], [Decimal(1), Decimal(0)]), 1.0
    yield irm.dcg_score([-3.0, -1.0], [1, 2]), -1 - 3 / np.log2(3)
    yield irm.dcg_score(csr_array([[-3.0, -1.0]]), [[1, 2]]), -1 - 3 / np.log2(3)
    yield refused(irm.ndcg_score, csr_array(-square), csr_array(square)), True
    for gains in ({0: 0, 1: 1}, {0: -1, 1: 1}, {0: 0, 1: -1}):
        options = {"gain": gains, "negative_grades": "minmax"}
        found = irm.ndcg_score(square, square, **options, average=None)
        yield found, twin("ndcg_score", square, square, **options)
        options["negative_grades"] = "keep"
        found = irm.ndcg_score(csr_array(square), csr_array(square), **options)
        yield found, irm.ndcg_score(square, np.where(square, 1, -np.inf), **options)


def _fall(rank):
    return 1.0 / (rank + 2.0)


class Unhashable:
    """A linear gain."""

    __hash__ = None

    def __call__(self, grades):
        return grades * 1.0


class EqualToAll(Unhashable):
    """One that claims to equal everything."""

    def __eq__(self, other):
        return True


PLAIN = [
    every_measure_and_rule,
    refusals,
    kinds_of_means,
    kinds_of_numbers,
    kinds_of_ids,
    kinds_of_sets,
    kinds_of_classes,
    close_scores,
    other_scores_of_the_same_grades,
    searches,
    the_rest,
    corners,
]
# What the inputs above take one way only, by the tests that look after it.
ELSEWHERE = {
    'searches whose tasks other processes do: estimation/test_quiet_searches': [
        'telling.Search.__init__: token is None',
        'telling._kept_here: _latest.token != token',
        'telling._waiting_call: _is_task(call)',
        'telling.search_and_speaker: (waiting := _waiting_call()) is not None',
        "telling.search_and_speaker: "
        "call.f_globals['__name__'] == 'sklearn.metrics._scorer'",
        'telling.search_and_speaker: token is None',
        'telling.search_token: waiting is None',
    ],
    'filters and callers of every kind: measures/test_scorer, house/test_threads': [
        "aggregate._is_hidden: for_all",
        "aggregate._is_hidden: issubclass(category, kind)",
        "aggregate._is_hidden: text is None",
        "aggregate.warn_of_data: _is_hidden(message, category)",
        'aggregate._callers_level: frame is not None',
        'aggregate._is_hidden: line == 0',
        'aggregate._is_hidden: module is None',
        'aggregate._is_hidden: text.match(message)',
        'aggregate.warn_of_data: _QUIET.get()',
        'aggregate.warn_of_data: subject is None',
    ],
    'mistakes and types: core/test_inputs, core/test_numbers, house/test_bad_values': [
        'aggregate.aggregate: len(per_query)',
        'checks.as_csr: matrix.has_canonical_format',
        'checks.as_given: is_tensor(like)',
        "classes.holds_text: "
        "any((isinstance(label, str | bytes) for label in array.flat))",
        'inputs._check_plain: top <= np.inf',
        'inputs.check_judgments: {}',
        'inputs.replace_scores: scores.ndim < judgments.scores.ndim',
        'marks.check_values: facts.boolean',
        'marks.check_values: xp.isfinite(mark).all()',
        "namespace.to_numpy: str(array.dtype) == 'torch.bfloat16'",
        "numbers._exact: hasattr(number, 'as_integer_ratio')",
        "numbers.as_array: 'inhomogeneous' in what",
        "numbers.as_array: name in ('y_true', 'y_score')",
        "numbers.as_floats: array.dtype.kind not in 'biuf'",
        'numbers.as_floats: is_rounded(array)',
        "numbers.as_numbers: array.dtype.name == 'bfloat16'",
        "numbers.as_objects: getattr(values, 'to_list', 0)",
        'numbers.as_objects: listed',
        'numbers.is_rounded: except OverflowError:\n    pass',
        "numbers.is_rounded: kind in 'iu'",
        'numbers.is_rounded: len(values)',
        'parameters._check_discount_falls: min(k, judgments.max_length)',
        'parameters.check_count: least <= value',
        'parameters.check_count: min(most, 2 ** 53)',
        'parameters.check_count: most == np.inf',
        'parameters.check_count: value <= most',
        "score._name_numbers: callable(getattr(value, 'kind', 0))",
        'score._name_numbers: others',
        'sets._equal_scores: except ValueError:\n    pass',
        'sets.is_one_set: except ValueError:\n    pass',
    ],
    'columns and missing labels: measures/test_curve_points, measures/test_classes': [
        'queries._has_missing: except ArithmeticError:\n    pass',
        'sets.is_one_ranking: except ValueError:\n    pass',
        'sets.is_one_ranking: issparse(y_score)',
        'sets.is_one_ranking: issparse(y_true)',
        'sets.is_one_ranking: qid is not None',
        'sets.is_one_ranking: rows in ((), (0,))',
        'sets.is_one_ranking: rows in shapes',
        'sets.is_one_ranking: set(shapes) <= {rows, (*rows, 1)}',
    ],
    'memory that is short: house/test_threads': [
    ],
    'tensors of many kinds: tensors/': [
        'magnitude._is_extreme: callable(value.kind)',
        'magnitude._is_extreme: depth is None',
        'magnitude._is_extreme: min(longest, judgments.max_length)',
    ],
    'what single kernels ask for: measures/, core/test_blocks': [
        "score.warn_of_fractions: least > 0",
        "score.count_coarse_ties: judgments.coarse is not None",
        'aggregate._micro: warn',
        'arrays.side_by_side: max(1, counts.max())',
        'blocks._Stretches._stretches: min(self._width, len(values))',
        'blocks._sparse_pieces: min(max(stop, start + 1), grades.shape[0])',
        'candidates.Candidates._best: kept.shape[1] < depth',
        'candidates.Candidates._has_negative: gain.rises',
        'candidates.Candidates.found: self.block.scores > -math.inf',
        'ordering._sort_rows: keys[:, reach] <= last',
        'ordering._sort_rows: last > nothing',
        'ordering.top_positive: min(depth, width)',
        'ranking.Ranking.group_place: self.tied',
        'ranking.Ranking.group_size: self.tied',
        'ranking.Ranking.group_total: self.tied',
        'ranking.Ranking.of: ranking.tied',
        "ranking.Ranking.values: ('values', value) in self._kept",
        'ranking.Ranking.with_whole_groups: self._groups.is_cut',
        'sets.query_by_query: order is None',
        'tie_groups.TieGroups.cells: places < sizes[similar, np.newaxis]',
        'values.PooledUnjudged.__call__: pooled is None',
    ],
}  # fmt: skip

# The tests ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def conditions():
    with watched(MODULES) as conditions:
        yield conditions


@pytest.fixture(scope="module")
def met(conditions):
    """Run a function of the table, once, and return what each condition met."""

    @cache
    def run(function):
        conditions.clear_met()
        parameters._check_alone.cache_clear()
        for values, expected in function():
            np.testing.assert_allclose(values, expected, rtol=1e-11)
        return [condition.met for condition in conditions]

    return run


@pytest.mark.parametrize(("label", "within", "function"), THRESHOLDS)
def test_both_sides_of_a_threshold(label, within, function, conditions, met):
    found = [
        (condition, sides)
        for condition, sides in zip(conditions, met(function), strict=True)
        if condition.label == label
    ]
    assert found, f"{label} is not in the code"
    for condition, sides in found:
        assert condition.needed <= set(sides)
        for side in condition.needed & {-1, 1}:
            assert sides[side] <= within or sides[side] == np.inf  # of arrays


def test_every_threshold_has_an_entry(conditions):
    labels = {condition.label for condition in conditions if condition.threshold}
    assert labels == {parameter.values[0] for parameter in THRESHOLDS}


def test_every_other_condition_goes_both_ways(conditions, met):
    for library in ("torch", "polars", "pyarrow"):  # which have branches of their own
        pytest.importorskip(library)
    functions = [parameter.values[2] for parameter in THRESHOLDS] + PLAIN
    missing = set()
    for condition, *sides in zip(conditions, *map(met, functions), strict=True):
        if condition.needed - {side for one in sides for side in one}:
            missing.add(condition.label)
    listed = set(chain.from_iterable(ELSEWHERE.values()))
    assert sorted(missing - listed) == [], "these went one way"
    assert listed <= {condition.label for condition in conditions}
