"""What notebooks show of results, and what `help` does."""

import numpy as np
import pytest

import sklearn_irmetrics as irm
from oracles.pages import Page

ODD = "<script>&"
Y_TRUE, Y_SCORE, QID = np.tile([1, 0, 2, 0], 5), np.arange(20.0), [ODD] * 20


def test_titles_do_not_wrap_at_the_width_of_a_narrow_table():
    html = irm.score_queries(Y_TRUE, Y_SCORE, "map", qid=QID)._repr_html_()
    assert "<caption" not in html  # as wide as the table
    assert Page(html).texts["figcaption"] == ["QueryScores of 1 query"]
    assert html.index("figcaption") < html.index("<table")


def test_ragged_rows_are_told_in_one_sentence():
    with pytest.raises(ValueError, match=r"y_true must be a rectangular .*\w\.$"):
        irm.ndcg_score([[1, 2], [1]], [[1, 2], [1]])
