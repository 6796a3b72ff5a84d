"""Which of two exact ways is taken, and from where on: values alone cannot tell."""

import pickle
import tracemalloc
from dataclasses import FrozenInstanceError, dataclass, replace
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from sklearn_irmetrics import score_queries
from sklearn_irmetrics._core import arrays, blocks, queries
from sklearn_irmetrics._core.inputs import check_judgments
from sklearn_irmetrics._core.ranking import Ranking
from sklearn_irmetrics._core.tie_groups import TieGroups
from sklearn_irmetrics._core.values import Gain, Relevant

RULES = "average", "optimistic", "pessimistic", "stable"
GRADE = Gain("linear")


@pytest.fixture
def count(monkeypatch):
    """Record the arguments of a function: ``count(module, "name")``."""

    def start(owner, name):
        calls, function = [], getattr(owner, name)

        def recorded(*args, **kwargs):
            calls.append(args)
            return function(*args, **kwargs)

        monkeypatch.setattr(owner, name, recorded)
        return calls

    return start


def peak(function, *args):
    """Return the bytes that a call takes at most, with what it returns."""
    function(*args)  # what is computed once is not counted
    tracemalloc.start()
    try:
        result = function(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        del result
        tracemalloc.stop()


# Arrays -------------------------------------------------------------------------------


@pytest.mark.parametrize("width", range(5, 22))
def test_long_rows_are_added_up_in_pieces(width, monkeypatch, count):
    monkeypatch.setattr(arrays, "_SUM_IN_PIECES_FROM", 8)
    monkeypatch.setattr(arrays, "_SUMMED_IN_ONE", 4)
    inner = count(arrays, "running_sum")
    values = np.arange(3.0 * width).reshape(3, width) ** 2
    sums = arrays.running_sum(values)
    assert_array_equal(sums, np.cumsum(values, axis=1))
    # One call in pieces adds up what the whole pieces come to.
    shapes = [args[0].shape for args in inner]
    assert shapes == [(3, width), (3, width // 4)][: 1 + (width >= 8)]


def test_rows_of_sixteen_thousand_are_long(count):
    inner = count(arrays, "running_sum")
    for width, n_pieces in ((16_383, None), (16_384, 16), (17_408, 17)):
        inner.clear()
        assert arrays.running_sum(np.ones((1, width)))[0, -1] == width
        shapes = [args[0].shape[1] for args in inner]
        assert shapes == [width] + [n_pieces] * (n_pieces is not None)


def test_sums_copy_no_floats():
    values = np.ones((4, 1 << 16))
    assert peak(arrays.running_sum, values) < 1.5 * values.nbytes
    assert peak(arrays.row_sum, values) < 0.2 * values.nbytes
    mask = values > 0
    assert peak(arrays.row_sum, mask) < 0.2 * values.nbytes
    assert_array_equal(arrays.row_sum(mask), [65536.0] * 4)
    assert arrays.row_sum(mask).dtype == arrays.row_sum(values).dtype == np.float64
    assert arrays.running_sum(mask).dtype == np.float64
    assert arrays.running_sum(mask[:, :9].astype(np.float32)).dtype == np.float64
    assert_array_equal(arrays.running_sum(mask[:, :3]), [[1.0, 2.0, 3.0]] * 4)


def test_masks_are_added_up_as_they_are(count):
    wide = np.ones((1, 1 << 14), dtype=bool)
    inner = count(arrays, "running_sum")
    assert arrays.running_sum(wide)[0, -1] == 1 << 14
    assert len(inner) == 1
    assert arrays.first_true(np.array([[0, 0], [0, 2], [3, 1]])).tolist() == [0, 1, 0]
    mask = np.array([[False, True]])
    assert peak(arrays.first_true, wide) < wide.nbytes
    assert arrays.keep_where(mask, np.float32([[1, 2]])).dtype == np.float32


def test_ranges_are_looked_for_again_only_where_there_is_a_nan(monkeypatch):
    nan = np.nan
    for values, expected in [
        ([nan, 2, -1], (-1.0, 2.0)),
        ([[2, nan], [nan, 3]], (2.0, 3.0)),
        ([nan, nan], (0.0, 0.0)),
    ]:
        assert arrays.value_range(np.array(values)) == expected
    monkeypatch.setattr(np, "fmin", None)
    for values, expected in [
        ([], (0.0, 0.0)),
        ([3, 1, 2], (1, 3)),
        ([-2.5], (-2.5,) * 2),
    ]:
        found = arrays.value_range(np.array(values))
        assert found == expected
        assert [type(number) for number in found] == [float, float]


def test_small_functions_of_arrays():
    values = np.array([[1.0, 0.0, 3.0], [2.0, 5.0, 4.0]])
    assert arrays.average(values) == 2.5
    assert arrays.average(np.array([1.0, 4.0]), np.array([2.0, 1.0])) == 2.0
    assert_array_equal(arrays.sum_before(values), [[0, 1, 1], [0, 2, 7]])
    assert_array_equal(arrays.largest_from(values), [[3, 3, 3], [5, 5, 4]])
    assert_array_equal(arrays.running_max(values), [[1, 1, 3], [2, 5, 5]])
    assert_array_equal(arrays.row_sum(values / 2), [2.0, 5.5])
    starts = np.array([0, 1])
    assert_array_equal(arrays.sum_runs(values, starts), values)
    assert_array_equal(arrays.sum_runs(values, starts[:1]), [[3, 5, 7]])
    assert arrays.sum_runs(values.astype(np.float32), starts).dtype == np.float64
    columns = np.array([[0, 2, 0], [1, 1, 1]])
    assert_array_equal(arrays.add_up(columns, values, 4), [[4, 0, 0, 0], [0, 11, 0, 0]])
    groups = np.array([[1, 0, 0], [0, 0, 1]])
    assert_array_equal(arrays.sort_within(groups, -values), [[2, 1, 0], [1, 0, 2]])
    there = np.array([[True, False, True], [False, False, False]])
    assert_array_equal(arrays.side_by_side(there, values), [[1, 3], [0, 0]])
    assert_array_equal(arrays.side_by_side(~there, values)[1], [2, 5, 4])
    nothing = arrays.side_by_side(there[1:], values[1:])
    assert_array_equal(nothing, [[0.0]])
    assert_array_equal(arrays.keep_where(there, values), [[1, 0, 3], [0, 0, 0]])
    assert_array_equal(
        arrays.divide(values, values[:, 1:2]),
        [[np.nan] * 3, [0.4, 1.0, 0.8]],
    )
    assert_array_equal(
        arrays.divide_or_zero(values, values[:, 1:2]), [[0] * 3, [0.4, 1.0, 0.8]]
    )
    signed, thirds = np.array([[-2.0, 0.0, 4.0]]), np.array([[3.0]])
    assert_array_equal(arrays.divide(thirds, signed), [[-1.5, np.nan, 0.75]])
    assert_array_equal(arrays.divide_or_zero(thirds, signed), [[-1.5, 0.0, 0.75]])
    assert arrays.asarray([1, 2], np.float32, like=None).dtype == np.float32
    assert [arrays.kind(x) for x in (values, columns, there)] == ["f", "i", "b"]


# Rankings -----------------------------------------------------------------------------


def one_block(scores, grades=None):
    """Return the block of some rows."""
    scores = np.atleast_2d(scores)
    grades = (
        np.arange(scores.size).reshape(scores.shape) % 5 if grades is None else (grades)
    )
    (block,) = blocks.iter_blocks(check_judgments(grades, scores * 1.0))
    return block


def falling(*lengths):
    """Return scores that fall from each group to the next, so many per group."""
    return -np.repeat(np.arange(len(lengths)), lengths)


def singles(n):
    return [1] * n


@dataclass
class Watched:
    """The grades, with a record of how many columns were asked for."""

    widths: list

    def __call__(self, documents):
        self.widths.append(documents.grades.shape[1])
        return documents.grades

    def __hash__(self):
        return id(self)


@pytest.mark.parametrize("ties", RULES)
def test_rankings_without_ties_are_cut_anywhere(ties):
    whole = Ranking.of(one_block([falling(*singles(20))] * 3), ties=ties)
    assert not whole.tied
    for depth in (None, 20, 21, 1000):
        assert whole.down_to(depth) is whole
    for depth in (1, 2, 10, 11, 19):
        cut = whole.down_to(depth)
        assert (cut.depth, cut.ties, cut.tied) == (depth, ties, False)
        assert whole.down_to(depth) is cut
        assert cut.candidates is whole.candidates
        assert np.shares_memory(cut.order, whole.order)
        assert np.shares_memory(cut.documents.grades, whole.documents.grades)
        assert_array_equal(cut.order, whole.order[:, :depth])


@pytest.mark.parametrize("ties", RULES)
def test_only_the_average_rule_cuts_among_ties(ties):
    # The order of equal documents depends on what is asked of a whole group.
    block = one_block([falling(2, *singles(18)), falling(*singles(20))])
    whole = Ranking.of(block, ties=ties)
    assert whole.depth == 20
    for depth in range(1, 20):
        cut = whole.down_to(depth)
        if ties == "stable":
            assert cut.depth == depth
        elif ties == "average" and depth <= 10:
            assert cut.depth == max(2, depth)
            assert whole.down_to(depth) is cut
            assert not cut._groups.is_cut
        else:
            assert cut is whole


@pytest.mark.parametrize(
    ("lengths", "depths"),
    [
        # Whole groups reach to a rank; from beyond half of all ranks nothing is cut.
        ([*singles(9), 2, *singles(9)], {9: 9, 10: 20, 11: 20, 12: 20}),
        ([*singles(7), 3, *singles(10)], {7: 7, 8: 10, 9: 10, 10: 10, 11: 20}),
        ([*singles(7), 4, *singles(9)], {7: 7, 8: 20, 10: 20}),
        ([2, *singles(16), 2], {1: 2, 2: 2, 3: 3, 9: 9, 10: 10, 11: 20, 18: 20}),
        ([20], {1: 20, 10: 20, 19: 20}),
        ([10, 10], {1: 10, 9: 10, 10: 10, 11: 20}),
    ],
)
def test_cuts_are_below_whole_groups_down_to_the_middle(lengths, depths, count):
    looked = count(TieGroups, "end_at")
    block = one_block([falling(*lengths), falling(*singles(20))])
    for depth, expected in depths.items():
        whole = Ranking.of(block)
        cut = whole.down_to(depth)
        assert cut.depth == expected
        assert (cut is whole) == (expected == 20)
        # Where groups end is not looked for in vain.
        assert len(looked) == (depth <= 10)
        looked.clear()
        found, values = (r.expected(GRADE, depth)[:, :depth] for r in (cut, whole))
        assert_array_equal(found, values)


def test_groups_below_what_is_asked_for_count_as_whole():
    # Rank 8 is in a group to rank 10 in one row; in the other, one goes on below it.
    first, second = [*singles(7), 3, *singles(10)], [*singles(9), 5, *singles(6)]
    whole = Ranking.of(one_block([falling(*first), *[falling(*second)] * 2]))
    cut = whole.down_to(8)
    assert cut.depth == 10
    assert cut.tied
    assert not cut._groups.is_cut
    assert cut.with_whole_groups() is cut
    assert_array_equal(cut.expected(GRADE, 8), whole.expected(GRADE, 8))
    assert whole.down_to(9) is cut  # which is kept by its depth


@pytest.mark.parametrize("goes_on", [False, True])
def test_rankings_with_cut_groups_are_cut_anywhere(goes_on, count):
    closed = count(TieGroups, "close_cut_groups")
    lengths = [2, *singles(5), 4, *singles(9)]
    block = one_block([falling(*lengths), falling(*singles(20))])
    ranking = Ranking.of(block, depth=9)
    assert ranking.depth == 9
    ((_, rows, members),) = closed
    assert rows.tolist() == [0]
    assert_array_equal(members, [(np.arange(20) >= 7) & (np.arange(20) < 11)])
    depth = 8 if goes_on else 7
    cut = ranking.down_to(depth)
    assert (cut.depth, cut.tied) == (depth, True)
    assert cut._groups.is_cut == goes_on
    assert ranking.down_to(9) is ranking
    assert ranking.down_to(depth) is cut
    for other in (ranking, cut):
        found = other.expected(GRADE, depth)[:, :depth]
        expected = Ranking.of(block).expected(GRADE, depth)[:, :depth]
        assert_array_equal(found, expected)
    steps = cut.with_whole_groups()
    assert steps.depth == (20 if goes_on else depth)
    assert cut.with_whole_groups() is steps


def test_rows_are_not_copied_where_all_are_cut(count):
    closed = count(TieGroups, "close_cut_groups")
    Ranking.of(one_block([falling(1, 3), falling(3, 1)]), depth=2)
    ((_, rows, members),) = closed
    assert rows == slice(None)
    assert_array_equal(members, [[0, 1, 1, 1], [1, 1, 1, 0]])


@pytest.mark.parametrize("ties", RULES)
def test_rows_are_sorted_stably_and_whole_for_other_rules_only(ties, count):
    stable = count(arrays, "stable_order")
    untied, tied = one_block(falling(*singles(6))), one_block(falling(1, 3, 2))
    assert Ranking.of(untied, ties=ties, depth=3).depth == 3
    assert not stable
    ranking = Ranking.of(tied, ties=ties, depth=3)
    assert len(stable) == (ties != "average")
    assert ranking.depth == (3 if ties == "average" else 6)
    assert ranking.candidates._deepest == ranking.depth
    assert ranking.tied == (ties != "stable")
    assert Ranking.of(tied, ties=ties, depth=7).depth == 6
    assert Ranking.of(tied, ties=ties).depth == 6
    # Ties at the cut alone are ties.
    assert Ranking.of(tied, depth=2).tied
    assert not Ranking.of(tied, depth=1).tied


@pytest.mark.parametrize("tied", [False, True])
def test_values_are_computed_as_far_as_asked_for_and_once(tied):
    widths = []
    value = Watched(widths)
    ranking = Ranking.of(one_block(falling(*([2] * tied), *singles(8 - 2 * tied))))
    assert ranking.values(value, 3).shape == (1, 3)
    assert ranking.values(value, 3).shape == (1, 3)
    assert ranking.values(value, 7).shape == (1, 7)
    assert widths == [3, 7]
    whole = ranking.values(value, 8)
    assert whole.shape == (1, 8)
    for depth in (None, 1, 3, 7, 8, 9):
        found = ranking.values(value, depth)
        assert np.shares_memory(found, whole)
        assert_array_equal(found, whole[:, :depth])
    assert widths == [3, 7, 8]
    other = Watched([])
    assert ranking.values(other, 99).shape == (1, 8)
    assert np.shares_memory(ranking.values(other, 2), ranking.values(other))
    assert other.widths == [8]
    if not tied:
        assert ranking.expected(Watched(widths), 2).shape == (1, 2)
        assert widths == [3, 7, 8, 2]


def test_values_of_what_is_retrieved_are_taken_as_they_are():
    block = one_block(falling(*singles(4)), [[1.0, 2.0, 3.0, 4.0]])
    ranking = Ranking.of(block)
    assert np.shares_memory(ranking.values(lambda d: d.grades), ranking.documents[0])
    cut = Ranking.of(block, depth=2)
    assert_array_equal(cut.values(lambda d: d.grades), [[1.0, 2.0]])
    scores = np.array([[4.0, 3.0, -np.inf, -np.inf]])
    some = Ranking.of(block.with_scores(scores))
    for depth in (None, 4, 3, 1):
        found = some.values(lambda d: d.grades, depth)
        assert_array_equal(found, [[1.0, 2.0, 0.0, 0.0][:depth]])


def test_retrieved_documents_are_counted_only_where_some_are_not():
    block = one_block([falling(*singles(4))] * 2)
    whole, cut = Ranking.of(block), Ranking.of(block, depth=2)
    for ranking, counted in ((whole, False), (cut, True)):
        assert_array_equal(ranking.n_retrieved, [4.0, 4.0])
        assert ("n_retrieved" in vars(ranking.candidates)) == counted
    scores = np.array([[4.0, 3.0, -np.inf, -np.inf], [4.0, 3.0, 2.0, 1.0]])
    some = Ranking.of(block.with_scores(scores))
    assert_array_equal(some.n_retrieved, [2.0, 4.0])
    assert "n_retrieved" in vars(some.candidates)


def test_ideal_gains_go_as_deep_as_the_ranking():
    block = one_block([falling(*singles(6))], [[1, 4, 0, 2, 3, 5]])
    ranking = Ranking.of(block, depth=3)
    for k, expected in [(1, [5]), (3, [5, 4, 3]), (4, [5, 4, 3])]:
        assert_array_equal(ranking.ideal(GRADE, k), [expected])
    assert_array_equal(ranking.ideal(GRADE, None), [[5, 4, 3, 2, 1, 0]])
    assert_array_equal(Ranking.of(block).ideal(GRADE, 9), [[5, 4, 3, 2, 1, 0]])


def test_ideal_gains_are_sorted_once(count):
    sorted_ = count(arrays, "top_positive")
    block = one_block([falling(*singles(6))], [[1, 4, 0, 2, 3, 5]])
    ranking = Ranking.of(block, depth=3)
    for k in (1, 3, 2):
        assert ranking.ideal(GRADE, k).shape == (1, k)
    assert [depth for _, depth in sorted_] == [3]
    ranking.ideal(GRADE, None)
    ranking.ideal(GRADE, 3)
    assert [depth for _, depth in sorted_] == [3, 6]


@pytest.mark.parametrize("ties", RULES)
def test_rankings_without_ties_are_their_own_best_and_worst(ties):
    ranking = Ranking.of(one_block([falling(*singles(4))] * 3), ties=ties)
    for other in (
        ranking.favouring(GRADE),
        ranking.in_steps(GRADE),
        ranking.with_whole_groups(),
    ):
        assert other is ranking
    assert_array_equal(ranking.group_size, [[1.0]])
    assert_array_equal(ranking.group_place, [[1.0]])
    assert np.shares_memory(ranking.group_total(GRADE), ranking.values(GRADE))
    assert np.shares_memory(ranking.expected(GRADE), ranking.values(GRADE))
    by_rank = ranking.values(GRADE)
    assert_array_equal(ranking.before_group(GRADE), np.cumsum(by_rank, 1) - by_rank)
    assert ranking.running_sum(GRADE) is ranking.running_sum(GRADE)


def test_tied_documents_are_put_in_order_once():
    block = one_block(falling(1, 3, 2), [[2, 0, 5, 1, 3, 4]])
    best, worst = [2, 5, 1, 0, 4, 3], [2, 0, 1, 5, 3, 4]
    for ties, expected in (("optimistic", best), ("pessimistic", worst)):
        ranking = Ranking.of(block, ties=ties)
        ordered = ranking.favouring(GRADE)
        assert ranking.favouring(GRADE) is ordered
        assert ranking.in_steps(GRADE) is ordered
        assert not ordered.tied
        assert ordered.ties == ties
        assert_array_equal(ordered.values(GRADE), [expected])
        assert_array_equal(ranking.expected(GRADE, 3)[:, :3], [expected[:3]])
        assert_array_equal(ranking.running_sum(GRADE), [np.cumsum(expected)])
    average = Ranking.of(block)
    assert average.favouring(GRADE) is average
    steps = average.in_steps(GRADE)
    assert average.in_steps(GRADE) is steps
    assert_array_equal(steps.values(GRADE), [worst])
    assert not steps.tied
    cut = Ranking.of(block, depth=3)
    assert cut.in_steps(GRADE).depth == 6
    assert_array_equal(cut.in_steps(GRADE).values(GRADE), [worst])


def test_sums_over_groups():
    block = one_block(falling(1, 3, 2), [[2, 0, 5, 1, 3, 4]])
    for depth in (6, 3):
        ranking = Ranking.of(block, depth=depth)
        upto = slice(0, depth)
        assert_array_equal(ranking.ranks, np.arange(1.0, depth + 1.0))
        assert_array_equal(ranking.group_size, [[1, 3, 3, 3, 2, 2][upto]])
        assert_array_equal(ranking.group_place, [[1, 1, 2, 3, 1, 2][upto]])
        assert_array_equal(ranking.group_total(GRADE), [[2, 6, 6, 6, 7, 7][upto]])
        assert_array_equal(ranking.before_group(GRADE), [[0, 2, 2, 2, 8, 8][upto]])
        assert_array_equal(ranking.running_sum(GRADE), [[2, 4, 6, 8, 11.5, 15.0][upto]])
        assert_array_equal(ranking.expected(GRADE), [[2, 2, 2, 2, 3.5, 3.5][upto]])
        assert_array_equal(ranking.total(GRADE), [15.0])
        for k in (1, 2, 3, 6, 7):
            met = min(k, depth)
            assert ranking.sum_down_to(GRADE, k) == [2, 4, 6, 8, 11.5, 15.0][met - 1]
        for k in (4, 5) if depth == 6 else ():
            assert ranking.sum_down_to(GRADE, k) == [8, 11.5][k - 4]
        assert ranking.sum_down_to(GRADE, None) == [6.0, 15.0][depth == 6]
        of_each = np.array([[1], [2.0], [9]])
        assert_array_equal(
            ranking.sum_down_to(GRADE, of_each),
            [[2.0], [4.0], [15.0 if depth == 6 else 6.0]],
        )
        assert ranking.group_sums(GRADE) is ranking.group_sums(GRADE)
        assert ranking.sums_before(GRADE) is ranking.sums_before(GRADE)
        assert ranking.group_total(GRADE) is ranking.group_total(GRADE)


def test_expected_sums_of_whole_groups_are_exact():
    # Six times 1/6, added up, is less than 1.
    ranking = Ranking.of(one_block(falling(6, 2), [[1, 0, 0, 0, 0, 0, 0, 1]]))
    assert_array_equal(ranking.running_sum(GRADE)[0, 5:], [1.0, 1.5, 2.0])


def test_masks_are_counted_by_groups_and_floats_added_up(count):
    by_group = count(TieGroups, "totals_before")
    ranking = Ranking.of(one_block(falling(1, 3, 2), [[2, 0, 5, 1, 3, 4]]))
    for value, expected in ((Relevant(), [0.0, 1.0, 3.0]), (GRADE, [0.0, 2.0, 8.0])):
        assert_array_equal(ranking.sums_before(value), expected)
        assert len(by_group) == 1


# Blocks -------------------------------------------------------------------------------


def greedy(sizes, most):
    """Return how many go together, in order, while their sum is at most so much."""
    counts, total = [0], 0
    for size in sizes:
        if counts[-1] and total + size > most:
            counts, total = [*counts, 0], 0
        counts[-1] += 1
        total += size
    return counts


def heights_of(rising, cells):
    """Return how many rows of these lengths are in each block."""
    if not rising:
        return []
    fit = [n for n, width in enumerate(rising, 1) if n * width <= cells]
    height = max(fit, default=1)
    return [height, *heights_of(rising[height:], cells)]


@pytest.fixture(params=[6, 12, 13, 40, 1000])
def cells(request, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_CELLS", request.param)
    return request.param


def flat(lengths, seed=0, scattered=False):
    """Return judgments of queries of some lengths."""
    qid = np.repeat(np.arange(len(lengths)), lengths)
    if scattered:
        qid = np.random.default_rng(seed).permutation(qid)
    scores = np.random.default_rng(seed).random(len(qid))
    return check_judgments(np.arange(len(qid)) * 1.0, scores, qid=qid)


@pytest.mark.parametrize(("most", "fits"), [(11, False), (12, True), (13, True)])
def test_threads_share_more_than_one_block(most, fits, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_CELLS", most)
    sparse = csr_array(np.ones((3, 4)))
    for judgments in (
        check_judgments(np.ones((3, 4)), np.ones((3, 4))),
        check_judgments(np.ones(12), np.ones(12), qid=np.arange(12) % 5),
        check_judgments(sparse, sparse),
    ):
        assert blocks.are_few(judgments) == fits


@pytest.mark.parametrize(
    ("n", "cells"),
    [(1, 16_384), (131_079, 16_384), (131_080, 16_385), (800_000, 65_536)],
)
def test_few_documents_come_in_smaller_blocks(n, cells):
    scores = np.zeros(n)
    judgments = check_judgments(scores, scores)
    assert blocks.block_cells(judgments) == cells
    assert blocks.enlarge_for_few_ranks(judgments) == {16_384: 4, 65_536: 1}.get(
        cells, 3
    )
    heights = [
        len(b.queries)
        for b in blocks.iter_blocks(check_judgments(scores, scores, qid=np.arange(n)))
    ]
    assert set(heights[:-1]) <= {cells}
    assert sum(heights) == n


@pytest.mark.parametrize("enlarge", [1, 2, 3])
def test_flat_queries_fill_as_few_blocks_as_can_be(cells, enlarge):
    lengths = [5, 1, 3, 2, 2, 7, 1, 6, 2, 3]
    judgments = flat(lengths)
    found = [
        block
        for piece in blocks.iter_pieces(judgments, enlarge=enlarge)
        for block in piece()
    ]
    heights = heights_of(sorted(lengths), cells * enlarge)
    assert [len(block.queries) for block in found] == heights
    assert np.concatenate([b.n_documents for b in found]).tolist() == sorted(lengths)
    assert [b.scores.shape[1] for b in found] == [b.n_documents[-1] for b in found]
    assert {block.n_implicit for block in found} == {0}
    if enlarge == 1:
        packed = blocks.pack(judgments)
        assert [len(part.block.queries) for part in packed] == heights
        assert all(part.block.scores is None for part in packed)
        for part, block in zip(packed, found, strict=True):
            (again,) = part(judgments.scores)
            assert again.grades is part.block.grades
            assert_array_equal(again.scores, block.scores)
            assert_array_equal(again.grades, block.grades)


@pytest.mark.parametrize("enlarge", [1, 2, 3])
def test_sparse_rows_fill_as_few_blocks_as_can_be(cells, enlarge):
    lengths = [1, 2, 2, 3, 4, 6]
    scores = csr_array((np.arange(7) < np.array(lengths)[:, np.newaxis]) * 1.0)
    judgments = check_judgments(scores, scores)
    pieces = list(blocks.iter_pieces(judgments, enlarge=enlarge))
    assert len(pieces) == 1
    heights = heights_of(sorted(lengths), cells * enlarge)
    found = pieces[0]()
    assert [len(block.queries) for block in found] == heights
    for block in found:
        assert set(block.n_documents.tolist()) == {7}
        stored = np.count_nonzero(block.scores > -np.inf, axis=1)
        assert_array_equal(block.n_implicit, 7 - stored)


@pytest.mark.parametrize("chunk", [1, 5, 6, 7, 13, 100])
def test_sparse_rows_come_in_as_few_chunks_as_can_be(chunk, monkeypatch):
    monkeypatch.setattr(blocks, "_SPARSE_CHUNK", chunk)
    stored = np.arange(5) < np.array([2, 3, 1, 0, 5, 5, 2, 0])[:, np.newaxis]
    matrix = csr_array(stored * 1.0)
    judgments = check_judgments(matrix, matrix)
    heights = []
    for piece in blocks.iter_pieces(judgments):
        heights.append(sum(len(block.queries) for block in piece()))
    assert heights == greedy(2 * stored.sum(axis=1), chunk)


def test_sizes_of_blocks_that_were_measured():
    for width, height in ((1, 65_536), (4095, 16), (4096, 32), (300_000, 1)):
        judgments = SimpleNamespace(
            scores=np.broadcast_to(0.0, (600_000, width)), offsets=None
        )
        first = next(blocks._iter_rows(judgments))
        assert first.rows == slice(0, height)
    for n_stored, stops in (
        (2**17, [2, 3]),
        (2**17 + 2, [1, 2, 3]),
        (2**17 - 2, [3]),
    ):
        indptr = np.array([0, 2, n_stored, n_stored + 2]) // 2
        matrix = SimpleNamespace(indptr=indptr, shape=(3, 1))
        pieces = blocks._sparse_pieces(matrix, matrix, 1)
        assert [piece.args[3] for piece in pieces] == stops


def test_rows_with_nothing_stored():
    nothing = csr_array((3, 4))
    for grades, scores in ((nothing, nothing), (csr_array(np.eye(3, 4)), nothing)):
        judgments = check_judgments(grades, scores)
        (block,) = blocks.iter_blocks(judgments)
        assert block.scores.shape == (3, 1)
        assert (block.scores == -np.inf).all()
        n_stored = np.diff(grades.indptr)
        assert_array_equal(block.n_implicit, 4 - n_stored)
        assert_array_equal(np.isnan(block.grades[:, 0]), n_stored == 0)


def test_blocks_that_are_packed_already_are_given_scores():
    for judgments in (flat([2, 3, 1]), check_judgments(np.eye(3), np.eye(3))):
        (packed,) = blocks.pack(judgments)
        shared = replace(judgments, packed=[packed])
        (block,) = blocks.iter_blocks(shared)
        assert block.grades is packed.block.grades
        (expected,) = blocks.iter_blocks(judgments)
        assert_array_equal(block.scores, expected.scores)


@pytest.mark.parametrize(
    ("enlarge", "heights"), [(1, [6, 6, 1]), (2, [12, 1]), (3, [13])]
)
def test_rows_fill_as_few_blocks_as_can_be(enlarge, heights, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_CELLS", 24)
    judgments = check_judgments(np.ones((13, 4)), np.ones((13, 4)))
    pieces = blocks.iter_pieces(judgments, enlarge=enlarge)
    found = [block for piece in pieces for block in piece()]
    assert [len(block.queries) for block in found] == heights
    if enlarge == 1:
        found = blocks.iter_blocks(judgments)
        assert [len(block.queries) for block in found] == heights


@pytest.mark.parametrize("n_rows", [1, 5, 6, 7, 12])
def test_rows_are_slices(n_rows, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_CELLS", 24)
    grades, scores = np.ones((n_rows, 4)), np.ones((n_rows, 4))
    judgments = check_judgments(grades, scores)
    marks = {"odd": np.arange(n_rows * 4.0).reshape(n_rows, 4) % 2 > 0}
    rows = list(blocks._iter_rows(judgments))
    assert [part.rows.stop - part.rows.start for part in rows] == greedy(
        [4] * n_rows, 24
    )
    seen = []
    for part in rows:
        block = part.pack(judgments.grades, marks)
        assert np.shares_memory(block.grades, judgments.grades)
        assert np.shares_memory(part.scores(judgments.scores), judgments.scores)
        assert np.shares_memory(block.marks["odd"], marks["odd"])
        assert block.n_documents.tolist() == [4] * len(block.queries)
        assert block.n_documents.dtype == np.intp
        assert block.n_implicit == 0
        assert block.scores is None
        seen += block.queries.tolist()
    assert seen == list(range(n_rows))


def test_grades_come_as_rows_of_floats():
    by_column = np.asfortranarray(np.arange(12.0).reshape(4, 3))
    rows = slice(1, 3)
    found = blocks._dense_grades(by_column, rows, 3)
    assert found.flags.c_contiguous
    assert_array_equal(found, [[3, 4, 5], [6, 7, 8]])
    for grades in (by_column.astype(np.int8), csr_array(by_column.astype(np.float32))):
        found = blocks._dense_grades(grades, rows, 3)
        assert found.dtype == np.float64
        assert_array_equal(found, [[3, 4, 5], [6, 7, 8]])
    found = blocks._dense_grades(np.array([0, 2, 1, 0]), rows, 3)
    assert found.dtype == np.float64
    assert_array_equal(found, [[0, 0, 1], [0, 1, 0]])


def test_wide_rows_are_counted_in_larger_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "_WIDE", 10)
    for width, heights in ((9, [2, 2, 1]), (10, [4, 1]), (11, [3, 2]), (20, [2, 2, 1])):
        rows = blocks._dense_rows(5, width, 20)
        assert [part.rows.stop - part.rows.start for part in rows] == heights
    assert [part.width for part in blocks._dense_rows(2, 100, 20)] == [100, 100]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_are_not_converted(dtype):
    values = np.ones(3, dtype)
    assert blocks._as_float(values) is values
    for narrow in (bool, np.int8, np.uint16, np.float16):
        assert blocks._as_float(values.astype(narrow)).dtype == np.float32
    for wide in (np.int32, np.uint32, np.int64):
        assert blocks._as_float(values.astype(wide)).dtype == np.float64


def test_flat_grades_are_copied_once():
    judgments = flat([127, *[128] * 63])
    for order in (None, np.arange(len(judgments.grades))):
        (rows,) = blocks._ragged_rows(judgments.offsets, order, 1 << 14)
        size = judgments.grades.nbytes
        assert peak(rows.pack, judgments.grades, {}) < 1.5 * size
        assert peak(rows.scores, judgments.scores) < 1.5 * size


def test_flat_arrays_are_copied_by_stretches(count):
    copied = count(blocks._Stretches, "_stretches")
    values, vectors = np.arange(9.0), np.arange(18.0).reshape(9, 2)
    rows = blocks._Stretches(np.array([0, 4]), 4, None)
    assert_array_equal(rows.of(values), [[0, 1, 2, 3], [4, 5, 6, 7]])
    assert copied[-1][1] is values
    assert_array_equal(rows.of(vectors), vectors[[[0, 1, 2, 3], [4, 5, 6, 7]]])
    assert len(copied) == 2
    order = np.arange(9)[::-1]
    rows = blocks._Stretches(np.array([0, 4]), 4, order)
    assert copied[-1][1] is order
    for array in (values, vectors):
        assert_array_equal(rows.of(array), array[[[8, 7, 6, 5], [4, 3, 2, 1]]])
    assert len(copied) == 3  # once, whatever is taken


@pytest.mark.parametrize("starts", [[0, 5], [0, 6], [7, 8], [8, 0], [5, 7]])
@pytest.mark.parametrize("width", [1, 3, 9, 12])
def test_stretches_at_the_end_are_cut_there(starts, width):
    values = np.arange(9.0)
    found = blocks._Stretches(np.array(starts), width, None).of(values)
    assert found.shape == (2, min(width, 9))
    for row, start in zip(found, starts, strict=True):
        rest = values[start : start + width]
        assert_array_equal(row[: len(rest)], rest)


@pytest.mark.parametrize("scattered", [False, True])
def test_what_holds_no_document_is_filled(scattered):
    lengths = [1, 2, 4]
    judgments = flat(lengths, scattered=scattered)
    (rows,) = blocks._iter_rows(judgments)
    absent = np.arange(4) >= np.array(sorted(lengths))[:, np.newaxis]
    marks = {
        "vector": np.ones((7, 3)),
        "odd": np.ones(7, dtype=bool),
        "number": np.ones(7, dtype=np.int8),
    }
    block = rows.pack(judgments.grades, marks)
    assert_array_equal(np.isnan(block.grades), absent)
    assert_array_equal(rows.scores(judgments.scores) == -np.inf, absent)
    assert block.marks["vector"].shape == (3, 4, 3)
    for mark in block.marks.values():
        by_cell = mark if mark.ndim > 2 else mark[..., np.newaxis]
        assert (by_cell == ~absent[..., np.newaxis]).all()
    for name, mark in marks.items():
        assert block.marks[name].dtype == mark.dtype


def test_only_cells_behind_the_shortest_query_are_looked_at(count):
    filled = count(np, "copyto")
    (rows,) = blocks._iter_rows(flat([3, 5, 5]))
    values = np.ones((3, 5))
    assert rows._fill_absent(values, 0.0) is values
    assert [args[0].shape for args in filled] == [(3, 2)]
    (rows,) = blocks._ragged_rows(np.array([0, 3, 6]), None, 100)
    assert rows._fill_absent(values, 0.0) is values
    assert len(filled) == 1  # where queries are of one length there is nothing to fill


def test_pickled_blocks_leave_the_order_behind():
    judgments = flat([20] * 200, scattered=True)
    first, *others = blocks._ragged_rows(judgments.offsets, judgments.order, 100)
    assert len(others) == 39
    first.pack(judgments.grades, {})
    assert len(pickle.dumps(first)) < judgments.order.nbytes / 4


def test_unions_keep_the_type_of_scores():
    grades = csr_array(np.array([[1.0, 0, 2], [0, 0, 3]]))
    for dtype in (np.float32, np.float64):
        scores = csr_array(np.array([[0, 5, 6], [7, 0, 0]], dtype=dtype))
        (block,) = blocks.iter_blocks(check_judgments(grades, scores))
        assert block.scores.dtype == dtype
        assert block.grades.dtype == np.float64
        by_query = dict(zip(block.queries.tolist(), range(2), strict=True))
        inf = np.inf
        first, second = (by_query[query] for query in (0, 1))
        assert_array_equal(block.grades[first], [1, 0, 2])
        assert_array_equal(block.scores[first], [-inf, 5, 6])
        assert_array_equal(block.grades[second], [0, 3, np.nan])
        assert_array_equal(block.scores[second], [7, -inf, -inf])
        assert_array_equal(block.n_implicit[[first, second]], [0, 1])


# Queries ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lengths", "by_stretch"),
    [
        ([2, 2, 2], True),
        ([2, 2, 1], False),
        ([3, 2, 1], True),
        ([3, 2, 1, 1], False),
        ([9], True),
        ([1], False),
        ([1, 1, 1], False),
    ],
)
def test_stretches_of_ids_are_numbered_where_they_are_few(lengths, by_stretch, count):
    numbered = count(queries, "_number_by_appearance")
    ids = np.repeat(np.arange(len(lengths)) % 3, lengths) * 7
    found = queries.group_rows(ids, len(ids))
    ((given,),) = numbered
    assert len(given) == (len(lengths) if by_stretch else len(ids))
    assert_array_equal(found.codes(), ids // 7)
    assert_array_equal(found.lengths, np.bincount(ids // 7))


def test_adjacent_rows_have_no_order():
    for ids in ([3, 3, 1, 2, 2], [1], [2, 1, 0], ["a", "a", "b"], [5, 5, 5, 5]):
        found = queries.group_rows(ids, len(ids))
        assert found.order is None
        rows = np.append(found.offsets, 0)
        assert rows[0] == 0
        assert found.offsets[-1] == len(ids)
        assert [ids[row] for row in found.offsets[:-1]] == found.ids.tolist()
    again = queries.group_rows([1, 2, 1], 3)
    assert again.order.tolist() == [0, 2, 1]
    assert again.offsets.tolist() == [0, 2, 3]


@pytest.mark.parametrize("n_pieces", [2, 15, 16, 17, 18, 40])
@pytest.mark.parametrize("length", [1, 3])
def test_few_pieces_are_merged_and_many_counted(n_pieces, length, count):
    counted = count(scipy.sparse, "csr_array")
    ids = np.repeat(np.tile([4, 5, 6], n_pieces), length)
    found = queries.group_rows(ids, len(ids))
    assert len(counted) == (n_pieces > 16)  # so many times an id is below the last
    assert_array_equal(found.order, np.argsort(ids, kind="stable"))
    assert_array_equal(found.offsets, np.arange(4) * n_pieces * length)
    assert_array_equal(found.codes(), ids - 4)


@pytest.mark.parametrize("kind", ["i1", "u4", "i8", "f4", "f8", "b"])
@pytest.mark.parametrize("layout", ["rising", "equal", "falling", "last"])
def test_rising_ids_are_their_own_numbers(kind, layout, count):
    sorted_ = count(np, "argsort")
    ids = np.arange(2 if kind == "b" else 6)
    if layout == "falling":
        ids = ids[::-1]
    elif layout == "equal":
        ids = ids // 2
    elif layout == "last":
        ids = np.append(ids, ids[-1] - 1)
    numbers, first = queries._number_by_appearance(ids.astype(kind))
    rises = layout == "rising"
    assert bool(sorted_) != rises
    place = {}
    assert numbers.tolist() == [place.setdefault(i, len(place)) for i in ids.tolist()]
    assert first.tolist() == [ids.tolist().index(i) for i in place]


@pytest.mark.parametrize("kind", ["i2", "u2", "i8", "u8"])
@pytest.mark.parametrize(
    ("span", "table"), [(1, True), (19, True), (20, True), (21, False)]
)
def test_ids_of_a_small_span_are_numbered_by_a_table(kind, span, table, count):
    unique = count(np, "unique")
    ids = np.array([2 + span, 3, 3, 3, 3], dtype=kind)
    numbers, first = queries._number_by_appearance(ids)
    assert bool(unique) != table
    assert numbers.tolist() == ([0, 0, 0, 0, 0] if span == 1 else [0, 1, 1, 1, 1])
    assert first.tolist() == ([0] if span == 1 else [0, 1])
    assert numbers.dtype == np.int32


def test_tables_hold_differences_that_the_type_of_the_ids_does_not():
    middle = 2**63
    for ids in (
        np.array([middle, middle - 1, middle - 2], dtype="u8"),
        np.arange(100, -101, -1, dtype="i1"),
        np.arange(200, -1, -1, dtype="u1"),
    ):
        numbers, first = queries._number_by_appearance(ids)
        assert numbers.tolist() == first.tolist() == list(range(len(ids)))


def test_ids_are_not_copied_for_a_table():
    ids = np.arange(1 << 14)[::-1] % 100
    assert peak(queries._number_by_appearance, ids) < 2 * ids.nbytes


def test_numbers_of_rows_take_32_bits_while_they_can():
    for n_rows, dtype in ((1, np.int32), (2**29 - 1, np.int32), (2**29, np.int64)):
        assert queries._index_type(n_rows) == dtype


@pytest.mark.parametrize(
    ("ids", "kind"),
    [
        ([1, 2, 1], "i"),
        ((1.0, 2.0), "f"),
        ([True, False], "b"),
        (range(3), "i"),
        ([], "f"),
        ([1, 2.0], "O"),
        ([1, True], "O"),
        (["a", "b"], "O"),
        ([b"a"], "O"),
        ([(1, 2), (1, 3)], "O"),
        ([frozenset()], "O"),
        ([np.datetime64("2020", "D")], "O"),
        ([np.timedelta64(1, "s")], "O"),
        (np.array(["a", "b"]), "U"),
    ],
)
def test_ids_stay_numbers_where_they_are_of_one_kind(ids, kind):
    found = queries.as_ids(ids)
    assert found.dtype.kind == kind
    assert found.tolist() == [
        getattr(i, "item", lambda i=i: i)() if kind != "O" else i for i in ids
    ]


@pytest.mark.parametrize(
    ("ids", "looked_at"),
    [
        (["a", "b", "a"], 0),
        ([1, "a", False, b"a"], 0),
        ([1, "a"], 0),
        ([1, 0.5, 1], 2),
        ([("a", 1), ("a", 2), ("a", 1)], 6),
        (["a", "b", 0.5], 3),
        ([frozenset(), frozenset([1])], 2),
    ],
)
def test_what_is_missing_is_looked_for_where_it_can_be(ids, looked_at, count):
    looked = count(queries, "_has_missing")
    queries.group_rows(ids, len(ids))
    assert len(looked) == looked_at


def test_wrong_ids_are_refused_in_words():
    for ids, message in [
        ("abc", "qid must hold one id per row; got the text 'abc'."),
        (b"abc", "qid must hold one id per row; got the text b'abc'."),
        (["a", None, None], "qid must not contain missing values; got one in row 1."),
        (
            [1.0, *[np.nan] * 2],
            "qid must not contain missing values; got one in row 1.",
        ),
        ([1, 2], "qid must have one id per row: expected 3; got 2."),
        ([1, 2, 3, 4], "qid must have one id per row: expected 3; got 4."),
        (np.ones((3, 1)), "qid must be 1-D, one id per row; got shape (3, 1)."),
        (np.array(3), "qid must be 1-D, one id per row; got shape ()."),
        ([1.0, 2.0, np.nan], "qid must not contain missing values; got one in row 2."),
        (["a", None, "b"], "qid must not contain missing values; got one in row 1."),
        (["a", "a", None], "qid must not contain missing values; got one in row 2."),
    ]:
        with pytest.raises(ValueError, match=".") as error:
            queries.group_rows(ids, 3)
        assert str(error.value) == message


def test_options_are_named_and_what_is_grouped_stays():
    block = one_block([3, 2, 1])
    for function, arguments in [
        (queries.group_rows, ([1], 1, None)),
        (queries.as_ids, ([1], None)),
        (Ranking.of, (block, "average")),
        (blocks.iter_pieces, (flat([1, 2]), 2)),
        (arrays.asarray, ([1], float, None)),
    ]:
        with pytest.raises(TypeError, match="positional argument"):
            function(*arguments)
    (rows,) = blocks._dense_rows(2, 2, 10)
    for frozen in (queries.group_rows([1], 1), rows, blocks.Packed(rows, block)):
        with pytest.raises(FrozenInstanceError):
            frozen.rows = frozen.order = None
    with pytest.raises(TypeError, match="qid must hold hashable ids: unhashable"):
        queries.group_rows([[1], "a"], 2)


def test_codes_of_adjacent_and_scattered_rows():
    assert queries.group_rows([5, 5, 3], 3).codes().tolist() == [0, 0, 1]
    found = queries.group_rows([5, 3, 5], 3)
    assert found.codes().tolist() == [0, 1, 0]
    assert found.lengths.tolist() == [2, 1]


def test_what_is_missing_in_any_library():
    class NAType:
        def __ne__(self, other):
            return self

        def __bool__(self):
            raise TypeError

        __hash__ = object.__hash__

    for id_ in (
        np.nan,
        NAType(),
        (1, np.nan),
        (1, (2, NAType())),
        np.datetime64("NaT"),
    ):
        assert queries._has_missing(id_)
    for id_ in (Decimal(1), "NAType", (), (1, 2), object, "Z", 1.0, frozenset([1])):
        assert not queries._has_missing(id_)


def test_queries_beside_tensors_are_tensors():
    torch = pytest.importorskip("torch")
    like = torch.zeros(3)
    for ids, order in (([5, 5, 3], None), ([5, 3, 5], [0, 2, 1])):
        for given in (ids, np.array(ids), torch.tensor(ids)):
            found = queries.group_rows(given, 3, like=like)
            assert isinstance(found.offsets, torch.Tensor)
            assert found.offsets.tolist() == [0, 2, 3]
            if order is None:
                assert found.order is None
            else:
                assert found.order.dtype == torch.int64
                assert found.order.tolist() == order
    assert queries.group_rows(torch.tensor([5, 3, 5]), 3).order.tolist() == [0, 2, 1]
    assert isinstance(queries.as_ids(torch.tensor([1, 2])), np.ndarray)
    assert isinstance(queries.as_ids([1, 2], like=like), np.ndarray)
    assert isinstance(queries.as_ids(torch.tensor([1, 2]), like=like), torch.Tensor)


def test_values_of_many_queries_are_not_held_twice():
    y_true, y_score = np.tile([1.0, 0.0], (2, 30_000, 1))
    names = [f"p@{k}" for k in range(1, 31)]
    assert peak(score_queries, y_true, y_score, names) < 1.6 * 30 * 8 * 30_000
