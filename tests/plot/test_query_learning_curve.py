"""Learning curves as they are drawn."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import query_learning_curve

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def curve():
    X, y, qid = make_ranking(n_queries=20, n_docs=6, n_features=4, random_state=3)
    return query_learning_curve(
        Ridge(),
        X,
        y,
        qid=qid,
        scoring=["ndcg", "p@2"],
        train_sizes=[2, 8, 16],
        return_train_score=True,
        random_state=0,
    )


def test_it_draws_the_numbers(curve):
    display = curve.plot(metric="p@2", name="Ridge")
    x, y = display.line_.get_data()
    np.testing.assert_array_equal(x, [2, 8, 16])
    np.testing.assert_allclose(y, curve.estimate["p@2"])
    corners = display.band_.get_paths()[0].vertices
    ends = curve.confidence_interval["p@2"]
    assert np.isin(ends[np.isfinite(ends)].round(9), corners[:, 1].round(9)).all()
    train = display.train_line_.get_ydata()
    np.testing.assert_allclose(train, curve.train_scores["p@2"].mean(axis=1))
    assert display.ax_.get_xlabel() == "Training queries"
    assert display.ax_.get_ylabel() == "p@2"
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["Ridge", "Ridge, training data"]


def test_two_on_one_axes(curve):
    first = curve.plot(metric="ndcg", name="one", band=False)
    second = curve.plot(metric="ndcg", name="two", ax=first.ax_)
    assert first.band_ is None
    assert second.figure_ is first.figure_
    assert first.line_.get_color() != second.line_.get_color()


def test_a_measure_must_be_chosen(curve):
    with pytest.raises(ValueError, match=r"metric must be one of \['ndcg', 'p@2'\]"):
        curve.plot()
