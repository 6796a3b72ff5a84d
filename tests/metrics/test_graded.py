"""Functions as gains and discounts: asked once, for what occurs."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import sklearn_irmetrics as irm
from sklearn_irmetrics import Measure
from sklearn_irmetrics.reports import RankingEvaluator


def relative(grades):
    """Return a gain that depends on all the grades that it is called with."""
    return grades / grades.max()


def test_functions_are_called_once_with_what_occurs():
    seen = []

    def gain(grades):
        seen.append(grades.tolist())
        grades += 1  # a copy of its own
        return grades

    def discount(ranks):
        seen.append(ranks.tolist())
        return 1 / ranks

    y_true = np.array([4, 1, np.nan, 2, 2, -1])
    options = {"qid": [1, 1, 1, 1, 2, 3], "gain": gain, "discount": discount}
    irm.dcg_score(y_true, [3, 2, 1, 0, 5, 5], **options)
    assert sorted(seen) == [[-1.0, 1.0, 2.0, 4.0], [1.0, 2.0, 3.0, 4.0]]
    seen.clear()
    irm.ndcg_score(y_true, range(6), k=2, negative_grades="clip", **options)
    assert sorted(seen) == [[0.0, 1.0, 2.0, 4.0], [1.0, 2.0]]
    seen.clear()
    irm.metrics.expected_reciprocal_rank_score([1, 2], [2, 1], gain=gain, max_grade=3)
    assert seen == [[1.0, 2.0, 3.0]]
    seen.clear()
    irm.dcg_score([np.nan, np.nan], [2, 1], gain=gain)
    assert not seen
    irm.dcg_score([[0, 1], [1, 0]], [[0.4, 0.6], [0.7, 0.3]], gain=gain)
    assert seen == [[0.0, 1.0]]


def test_functions_need_not_take_grades_that_do_not_occur():
    found = irm.dcg_score([1, 2, 4], [3, 2, 1], qid=[1, 1, 2], gain=np.log2)
    assert found == pytest.approx((1 / np.log2(3) + 2) / 2)
    scorer = irm.get_scorer("dcg", gain=np.log2)  # tries no grade that need not occur
    assert "log2" in repr(scorer)


def test_absent_entries_of_sparse_input_have_grade_0():
    seen = []

    def gain(grades):
        seen.append(grades.tolist())
        return grades / grades.max()

    y_true = csr_array([[4, 0, 2], [0, 0, 1]])
    y_score = csr_array([[1, 3, 2], [0, 0, 1]])
    dense = y_true.toarray(), [[1, 3, 2], [-np.inf, -np.inf, 1]]
    expected = irm.ndcg_score(*dense, gain=relative)
    assert irm.ndcg_score(y_true, y_score, gain=gain) == expected
    assert irm.ndcg_score(y_true, dense[1], gain=gain) == expected
    measure = Measure("ndcg", gain=gain)
    assert RankingEvaluator(y_true, {"m": measure})(y_score) == {"m": expected}
    assert {tuple(grades) for grades in seen} == {(0.0, 1.0, 2.0, 4.0)}
    with (
        pytest.raises(ValueError, match="gain must return one finite number"),
        np.errstate(divide="ignore"),
    ):
        irm.ndcg_score(y_true, y_score, gain=np.log2)
    full = csr_array([[1.0, 2.0]])
    assert irm.dcg_score(full, full, gain=np.log2) == 1.0
