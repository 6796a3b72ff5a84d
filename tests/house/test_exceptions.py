"""Each warning and error of the package comes out of a public door, and by its kind."""

import ast
from pathlib import Path

import numpy as np
import pytest

import sklearn_irmetrics
from sklearn_irmetrics import average_precision_score as ap
from sklearn_irmetrics import exceptions, ndcg_score, score_run


@pytest.mark.parametrize(
    ("name", "call"),
    [
        (
            "LowPrecisionWarning",
            lambda: ndcg_score([1, 0], np.array([0.5, 0.5], np.float16)),
        ),
        ("FractionalGradesWarning", lambda: ap([0.5, 0.25], [2, 1])),
        (
            "UnmatchedIdsWarning",
            lambda: score_run(
                {"q": {"d1": 1}, "r": {"d1": 1}},
                {"q": {"D1": 1.0}, "r": {"d1": 1.0}},
                "ndcg",
            ),
        ),
    ],
)
def test_warnings_can_be_filtered_by_class(name, call):
    category = getattr(exceptions, name)
    assert issubclass(category, UserWarning)
    with pytest.warns(category):
        call()


def test_nothing_defined_is_an_error_that_handlers_of_values_catch():
    from sklearn.linear_model import Ridge

    from sklearn_irmetrics import get_scorer

    scorer, X = get_scorer("ap", qid=None), np.eye(4)
    with pytest.raises(ValueError, match="undefined") as caught:
        scorer(Ridge().fit(X, [1, 0, 0, 1]), X, [0, 0, 0, 0])
    assert caught.type is exceptions.UndefinedScoreError


def test_every_name_is_tested_here():
    assert set(exceptions.__all__) == {
        *("LowPrecisionWarning", "FractionalGradesWarning"),
        *("UnmatchedIdsWarning", "UndefinedScoreError"),
    }


def text_of_message(node):
    """Return a message, with x for what is filled in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(text_of_message, node.values))
    return str(node.value) if isinstance(node, ast.Constant) else "x"


def test_no_message_is_longer_than_sixty_words():
    package = Path(sklearn_irmetrics.__file__).parent
    messages = [
        text_of_message(call.exc.args[0])
        for file in package.rglob("*.py")
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(call, ast.Raise)
        and isinstance(call.exc, ast.Call)
        and call.exc.args
    ]
    assert len(messages) > 500
    assert [text for text in messages if len(text.split()) > 60] == []
