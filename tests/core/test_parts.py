"""Rankings, blocks and groups of rows, each by itself."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from sklearn_irmetrics import score_queries
from sklearn_irmetrics._core import blocks, queries
from sklearn_irmetrics._core.inputs import check_judgments
from sklearn_irmetrics._core.ranking import Ranking
from sklearn_irmetrics._core.values import Gain

GRADE = Gain("linear")


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


def test_values_of_what_is_retrieved_are_taken_as_they_are():
    block = one_block(falling(*singles(4)), [[1.0, 2.0, 3.0, 4.0]])
    ranking = Ranking.of(block)
    assert_array_equal(ranking.values(lambda d: d.grades), [[1.0, 2.0, 3.0, 4.0]])
    cut = Ranking.of(block, depth=2)
    assert_array_equal(cut.values(lambda d: d.grades), [[1.0, 2.0]])
    scores = np.array([[4.0, 3.0, -np.inf, -np.inf]])
    some = Ranking.of(block.with_scores(scores))
    for depth in (None, 4, 3, 1):
        found = some.values(lambda d: d.grades, depth)
        assert_array_equal(found, [[1.0, 2.0, 0.0, 0.0][:depth]])


def test_ideal_gains_go_as_deep_as_the_ranking():
    block = one_block([falling(*singles(6))], [[1, 4, 0, 2, 3, 5]])
    ranking = Ranking.of(block, depth=3)
    for k, expected in [(1, [5]), (3, [5, 4, 3]), (4, [5, 4, 3])]:
        assert_array_equal(ranking.ideal(GRADE, k), [expected])
    assert_array_equal(ranking.ideal(GRADE, None), [[5, 4, 3, 2, 1, 0]])
    assert_array_equal(Ranking.of(block).ideal(GRADE, 9), [[5, 4, 3, 2, 1, 0]])


def test_tied_documents_are_put_in_order():
    block = one_block(falling(1, 3, 2), [[2, 0, 5, 1, 3, 4]])
    best, worst = [2, 5, 1, 0, 4, 3], [2, 0, 1, 5, 3, 4]
    for ties, expected in (("optimistic", best), ("pessimistic", worst)):
        ranking = Ranking.of(block, ties=ties)
        ordered = ranking.favouring(GRADE)
        assert not ordered.tied
        assert ordered.ties == ties
        assert_array_equal(ordered.values(GRADE), [expected])
        assert_array_equal(ranking.expected(GRADE, 3)[:, :3], [expected[:3]])
        assert_array_equal(ranking.running_sum(GRADE), [np.cumsum(expected)])
    average = Ranking.of(block)
    steps = average.in_steps(GRADE)
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


def test_expected_sums_of_whole_groups_are_exact():
    # Six times 1/6, added up, is less than 1.
    ranking = Ranking.of(one_block(falling(6, 2), [[1, 0, 0, 0, 0, 0, 0, 1]]))
    assert_array_equal(ranking.running_sum(GRADE)[0, 5:], [1.0, 1.5, 2.0])


# Blocks -------------------------------------------------------------------------------


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


# Queries ------------------------------------------------------------------------------


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


def test_codes_of_adjacent_and_scattered_rows():
    assert queries.group_rows([5, 5, 3], 3).codes().tolist() == [0, 0, 1]
    found = queries.group_rows([5, 3, 5], 3)
    assert found.codes().tolist() == [0, 1, 0]
    assert found.lengths.tolist() == [2, 1]


def test_values_of_many_queries_are_not_held_twice():
    y_true, y_score = np.tile([1.0, 0.0], (2, 30_000, 1))
    names = [f"p@{k}" for k in range(1, 31)]
    assert peak(score_queries, y_true, y_score, names) < 1.6 * 30 * 8 * 30_000
