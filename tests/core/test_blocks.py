"""Queries packed into blocks: every document once, and no block too large."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from sklearn_irmetrics import (
    alpha_ndcg_score,
    dcg_score,
    metric_at_cutoffs,
    score_queries,
)
from sklearn_irmetrics._core.blocks import iter_blocks, iter_pieces
from sklearn_irmetrics._core.inputs import check_judgments
from sklearn_irmetrics._core.ranking import Ranking
from sklearn_irmetrics._core.subtopics import SUBTOPICS
from sklearn_irmetrics._core.values import Gain


@pytest.fixture
def rankings():
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(40), rng.integers(1, 12, 40))
    scores = rng.permutation(len(qid)) * 1.0
    return rng.integers(0, 4, len(qid)), scores, rng.permutation(qid)


@pytest.mark.parametrize("cells", [1, 30, 100, 10_000])
def test_flat_queries_fill_blocks_of_so_many_cells(rankings, cells, monkeypatch):
    monkeypatch.setattr("sklearn_irmetrics._core.blocks.BLOCK_CELLS", cells)
    grades, scores, qid = rankings
    judgments = check_judgments(grades, scores, qid=qid)
    blocks = list(iter_blocks(judgments))
    assert_array_equal(np.sort(np.concatenate([b.queries for b in blocks])), range(40))
    for block in blocks:
        assert block.scores.size <= cells or len(block.queries) == 1
        for query, row in zip(block.queries, block.scores, strict=True):
            assert_array_equal(
                np.sort(row[row > -np.inf]),
                np.sort(scores[qid == judgments.query_ids[query]]),
            )
    for block, following in zip(blocks[:-1], blocks[1:], strict=True):
        width = max(1, following.n_documents[0])
        assert (len(block.queries) + 1) * width > cells  # no room for one more


@pytest.mark.parametrize("cells", [1, 30, 100, 10_000])
def test_tensors_fill_blocks_of_little_padding(rankings, cells, monkeypatch):
    torch = pytest.importorskip("torch")
    module = "sklearn_irmetrics._core.torch.blocks"
    monkeypatch.setattr(f"{module}._CPU_CELLS", cells)
    monkeypatch.setattr(f"{module}._SHORT", 4)
    grades, scores, qid = map(torch.tensor, rankings)
    judgments = check_judgments(grades, scores, qid=qid)
    blocks = list(iter_blocks(judgments))
    queries = np.concatenate([block.queries for block in blocks])
    assert_array_equal(np.sort(queries), range(40))

    def fits(n_queries, shortest, longest):
        padded = longest <= max(4, 1.5 * shortest)
        return n_queries == 1 or (n_queries * longest <= cells and padded)

    for block in blocks:
        lengths = block.n_documents.tolist()
        assert block.scores.shape == (len(lengths), lengths[-1])
        assert fits(len(lengths), lengths[0], lengths[-1])
    for block, following in zip(blocks[:-1], blocks[1:], strict=True):
        shortest, longest = int(block.n_documents[0]), int(following.n_documents[0])
        assert not fits(len(block.queries) + 1, shortest, longest)


@pytest.mark.parametrize("cells", [1, 30, 100])
def test_rows_fill_blocks_of_so_many_cells(cells, monkeypatch):
    monkeypatch.setattr("sklearn_irmetrics._core.blocks.BLOCK_CELLS", cells)
    judgments = check_judgments(np.ones((23, 7)), np.ones((23, 7)))
    heights = [len(block.queries) for block in iter_blocks(judgments)]
    assert sum(heights) == 23
    assert set(heights[:-1]) == {max(1, cells // 7)}
    pieces = list(iter_pieces(judgments, enlarge=4))
    assert len(pieces) == -(-23 // max(1, 4 * cells // 7))


def test_wide_rows_fill_larger_blocks(monkeypatch):
    monkeypatch.setattr("sklearn_irmetrics._core.blocks.BLOCK_CELLS", 4096)
    for width, height in [(4095, 1), (4096, 2), (5000, 1), (20_000, 1)]:
        judgments = check_judgments(np.ones((9, width)), np.ones((9, width)))
        heights = [len(block.queries) for block in iter_blocks(judgments)]
        assert heights == [height] * (9 // height) + [9 % height] * (9 % height > 0)


@pytest.mark.parametrize("chunk", [1, 10, 25, 10_000])
def test_sparse_rows_come_in_chunks_of_so_many_entries(chunk, monkeypatch):
    monkeypatch.setattr("sklearn_irmetrics._core.blocks._SPARSE_CHUNK", chunk)
    grades = csr_array(np.eye(12, 6))
    scores = csr_array(np.tril(np.ones((12, 6))))
    judgments = check_judgments(grades, scores)
    stored = np.diff(judgments.grades.indptr + judgments.scores.indptr)
    seen = []
    for piece in iter_pieces(judgments):
        queries = np.sort(np.concatenate([block.queries for block in piece()]))
        assert stored[queries].sum() <= chunk or len(queries) == 1
        seen += queries.tolist()
    assert seen == list(range(12))
    if chunk < stored.sum():
        assert len(list(iter_pieces(judgments))) > 1


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (np.int8, np.float32),
        (np.uint16, np.float32),
        (np.float16, np.float32),
        (np.float32, np.float32),
        (np.int32, np.float64),
        (np.int64, np.float64),
        (np.float64, np.float64),
    ],
)
def test_scores_are_ranked_in_the_narrowest_type_that_holds_them(given, expected):
    judgments = check_judgments([[1, 0]], np.array([[3, 5]], dtype=given))
    (block,) = iter_blocks(judgments)
    assert block.scores.dtype == expected


@pytest.mark.parametrize("ties", ["average", "optimistic", "stable"])
def test_a_ranking_cut_below_a_rank_is_the_ranking_of_that_depth(ties):
    rng = np.random.default_rng(0)
    grades, scores = rng.integers(0, 3, (2, 30, 9))
    (block,) = iter_blocks(check_judgments(grades, scores))
    whole, grade = Ranking.of(block, ties=ties), Gain("linear")
    assert whole.tied == (ties != "stable")
    for depth in (1, 2, 5, 8, 9):
        cut, direct = whole.down_to(depth), Ranking.of(block, ties=ties, depth=depth)
        for rank in range(1, depth + 1):
            values = [
                ranking.expected(grade, rank)[:, :rank] for ranking in (cut, direct)
            ]
            np.testing.assert_allclose(*values, rtol=1e-14)


@pytest.mark.parametrize("layout", ["flat", "adjacent", "even"])
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_grades_of_subtopics_follow_their_documents(rankings, layout, library):
    grades, scores, qid = rankings
    if layout == "adjacent":
        qid = np.sort(qid)
    elif layout == "even":
        qid = np.arange(len(qid) - len(qid) % 6) // 6
        scores = scores[: len(qid)]
    topics = np.arange(2.0 * len(scores)).reshape(-1, 2)
    topics[::5, 1] = np.nan
    topics[::7] = np.nan
    by_score = dict(zip(scores, topics.tolist(), strict=True))
    send = pytest.importorskip("torch").tensor if library == "torch" else np.asarray
    judgments = check_judgments(
        send(topics), send(scores), qid=send(qid), subtopics=True
    )
    n_seen = 0
    for block in iter_blocks(judgments):
        ranking = Ranking.of(block)
        at_ranks = np.asarray(ranking.documents.marks[SUBTOPICS])
        largest = np.asarray(ranking.documents.grades)
        for row, columns in enumerate(np.asarray(ranking.order)):
            for rank, column in enumerate(columns):
                score = float(block.scores[row, column])
                expected = by_score.get(score, [0.0, 0.0])  # 0 where there is no one
                assert at_ranks[row, rank].tolist() == pytest.approx(
                    expected, nan_ok=True
                )
                if score > -np.inf:
                    best = np.fmax(*expected)
                    assert largest[row, rank] == pytest.approx(best, nan_ok=True)
                    n_seen += 1
    assert n_seen == scores.size
    assert ranking.down_to(1).documents.marks[SUBTOPICS].shape[1:] == (1, 2)


def test_short_queries_beside_long_ones_with_subtopics():
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(9), [1, 2, 2, 3, 4, 4, 5, 6, 6])
    topics = rng.integers(0, 2, (len(qid), 3))
    scores = rng.permutation(len(qid)) * 1.0
    found = alpha_ndcg_score(topics, scores, qid=qid, average=None)
    each = [
        alpha_ndcg_score(topics[qid == q], scores[qid == q], average=None)[0]
        for q in range(9)
    ]
    assert_array_equal(found, each)


def block_of(scores):
    (block,) = iter_blocks(check_judgments(np.ones_like(scores), scores))
    return block


def test_rankings_cut_at_some_depth_count_all_that_is_retrieved():
    scores = np.arange(18.0).reshape(3, 6)
    for depth in (None, 1, 3, 6):
        ranking = Ranking.of(block_of(scores), depth=depth)
        assert ranking.n_retrieved.tolist() == [6, 6, 6]
    scores[1, :2] = -np.inf
    assert Ranking.of(block_of(scores), depth=3).n_retrieved.tolist() == [6, 4, 6]


@pytest.mark.parametrize("ties", ["average", "optimistic"])
def test_without_ties_every_document_is_a_group(ties):
    ranking = Ranking.of(block_of(np.arange(20.0).reshape(5, 4)), ties=ties)
    size, place = (np.broadcast_to(a, (5, 4)) for a in group_facts(ranking))
    assert (size == 1).all()
    assert (place == 1).all()


def group_facts(ranking):
    return ranking.group_size, ranking.group_place


@pytest.mark.parametrize("ties", ["average", "optimistic", "pessimistic", "stable"])
@pytest.mark.parametrize("deepest", [5, 8, 11, 12])
def test_a_cut_of_a_deeper_ranking_is_the_ranking_cut_there(ties, deepest):
    rng = np.random.default_rng(1)
    for n_levels in (2, 3, 6, 40):
        scores = rng.integers(0, n_levels, (30, 12)) * 1.0
        grades = rng.integers(0, 2, (30, 12))
        names = ["precision", "dcg", "recall", "ap", "rr", "ndcg"]
        ks = [1, 2, 3, 4, 5, deepest]
        options = {"ties": ties, "average": None}
        for name in names:
            together = metric_at_cutoffs(name, grades, scores, ks, **options)
            for k, found in zip(ks, np.transpose(together), strict=True):
                (alone,) = np.transpose(
                    metric_at_cutoffs(name, grades, scores, [k], **options)
                )
                np.testing.assert_allclose(found, alone, rtol=1e-12)
        together = score_queries(grades, scores, [f"dcg@{k}" for k in ks], ties=ties)
        for k in ks:
            alone = dcg_score(grades, scores, k=k, ties=ties, average=None)
            np.testing.assert_allclose(together.scores[f"dcg@{k}"], alone, rtol=1e-12)
