"""Recall against silence for two systems, of which one has comparable scores."""

import numpy as np

from sklearn_irmetrics.plot import SilenceDisplay

rng = np.random.default_rng(0)
has_answer = rng.random((200, 1)) < 0.6
y_true = ((rng.random((200, 8)) < 0.25) & has_answer).astype(int)
probability = y_true + rng.normal(scale=0.5, size=y_true.shape)
systems = {
    "comparable scores": probability,
    "each query on its own scale": probability + 2 * rng.normal(size=(200, 1)),
}
displays = SilenceDisplay.from_predictions(y_true, systems)
kept = {
    name: f"{np.interp(0.9, one.silence, one.score):.2f}"
    for name, one in displays.items()
}
first = f"{displays['comparable scores'].score[0]:.2f}"
