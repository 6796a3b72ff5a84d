"""A measure against silence, as it is drawn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from oracles.displays import COSINE, QID, Y, from_predictions, grades, labels
from sklearn_irmetrics import plot
from sklearn_irmetrics.reports import threshold_curve

pytest.importorskip("matplotlib")


def test_silence_against_recall():
    y_true, levels = grades("SilenceDisplay"), [0.99, 0.5, 0.9]
    display = from_predictions("SilenceDisplay", thresholds=levels, name="cosine")
    assert display.thresholds.tolist() == sorted(levels)
    options = {"qid": QID, "average": None}
    for metric, found in (("silence", display.silence), ("recall@3", display.score)):
        curve = threshold_curve(
            metric, y_true, COSINE, thresholds=sorted(levels), **options
        )
        assert_allclose(found, np.nanmean(curve.values, axis=0))
    everything = threshold_curve(
        "recall@3", y_true, COSINE, thresholds=[-np.inf], **options
    ).values
    assert_allclose(
        display.chance_level, np.nanmean(everything) * (1 - display.silence)
    )
    assert labels(display) == ["cosine", "Chance"]
    assert display.ax_.get_ylabel() == "recall@3"


def test_silence_by_default_goes_from_everything_to_nothing():
    y_true = grades("SilenceDisplay")
    draw = plot.SilenceDisplay.from_predictions
    display = draw(y_true, COSINE, qid=QID)
    assert display.metric == "recall@5"
    assert (np.diff(display.silence) >= 0).all()
    assert (np.diff(display.score) <= 0).all()
    assert display.silence[[0, -1]].tolist() == [0, 1]
    assert display.score[-1] == 0
    largest = [COSINE[query == QID].max() for query in np.unique(QID)]
    assert display.thresholds[1:-1].tolist() == sorted(set(largest))
    many = np.random.default_rng(0).random((400, 3))
    assert len(draw(np.eye(400, 3), many).thresholds) == 102


def test_silence_of_a_system_that_is_silent_already():
    y_true, y_score = [[0, 0], [0, 0], [1, 0]], [[-np.inf] * 2, [3, 2], [2, 1]]
    display = plot.SilenceDisplay.from_predictions(
        y_true, y_score, metric="success", thresholds=[0, 2.5, 4]
    )
    assert display.silence.tolist() == [0.5, 0.5, 1]
    assert display.score.tolist() == [1, 0, 0]
    assert display.chance_level.tolist() == [1, 1, 0]


def test_silence_follows_what_is_relevant_for_the_measure():
    y_true, y_score = [[2, 0], [1, 0]], [[2, 1], [2, 1]]
    draw = plot.SilenceDisplay.from_predictions
    metric = "recall(relevance_threshold=2)@5"
    display = draw(y_true, y_score, metric=metric, thresholds=[0, 3])
    assert display.silence.tolist() == [0, 1]
    words = [["a", "b"], ["b", "b"]]
    named = draw(words, y_score, metric="recall(pos_label='a')", thresholds=[0, 3])
    assert named.silence.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"y_true": Y}, "y_true must have queries without relevant .* none among 40"),
        ({"metric": "gmap"}, "average='macro'.*got 'gmap'"),
        ({"metric": "subtopic_recall"}, "not be of subtopics"),
        ({"thresholds": [0.5, np.nan]}, "thresholds must .* not of NaN"),
    ],
)
def test_silence_that_cannot_be_drawn(options, message):
    with pytest.raises(ValueError, match=message):
        from_predictions("SilenceDisplay", **options)
