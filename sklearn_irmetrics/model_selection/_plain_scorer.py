"""Scorers of scikit-learn in two steps, like those of this package."""

from sklearn_irmetrics._compat import TwoStepScorer
from sklearn_irmetrics._measures.metric import RESPONSES
from sklearn_irmetrics._measures.query_score import Predictions
from sklearn_irmetrics._measures.responses import first_response, is_classifier


class PlainScorer(TwoStepScorer):
    """A scorer of scikit-learn in two steps."""

    def predictions(self, estimator, X, y, *, qid, ask):
        """Return the predictions that its function scores."""
        asked = self.response_method
        if not is_classifier(estimator):
            if "decision_function" in asked:
                asked = RESPONSES
            elif not hasattr(estimator, "predict"):
                asked = "decision_function"
        method = first_response(estimator, asked)
        return Predictions(y, ask(estimator, method, X, self.pos_label))

    def score_predictions(self, found, **metadata):
        """Return the score of `Predictions`; losses are negated."""
        arguments = {**self.arguments, **metadata}
        return self.sign * self.score_func(found.y_true, found.y_score, **arguments)
