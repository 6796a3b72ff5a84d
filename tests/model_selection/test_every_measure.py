"""Every measure with every method of evaluate: a number that tells models apart."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, cross_val_score

from oracles.cases import SCORABLE, marks_of_all, usual
from oracles.measures import METRICS
from sklearn_irmetrics import QueryRanker, get_scorer
from sklearn_irmetrics.model_selection import evaluate

# Of what single folds leave undefined.
pytestmark = pytest.mark.filterwarnings("ignore")
METHODS = {
    "holdout": {},
    "subsampling": {"n_splits": 2},
    "kfold": {"n_splits": 3},
    "loocv": {},
    "stratified": {"n_splits": 3},
    "bootstrap": {"n_splits": 2},
    "bootstrap632": {"n_splits": 2},
    "bootstrap632+": {"n_splits": 2},
}
LEARNERS = {
    "classifier": LogisticRegression(),
    "regressor": Ridge(),
    "ranker": QueryRanker(Ridge()),
}
NAMES = [name for name in SCORABLE if not METRICS[name].subtopics]
RANKINGS = [name for name in NAMES if not METRICS[name].judges_predictions]
SETS = [name for name in NAMES if METRICS[name].judges_predictions]

rng = np.random.default_rng(0)
QID = np.repeat(np.arange(12), 5)
Y = np.tile([0, 1, 0, 1, 1], 12)
NOISE, MORE_NOISE = rng.standard_normal((2, 60, 1))
TELLING = Y[:, np.newaxis] + 1.2 * rng.standard_normal((60, 1))
KNOWN = rng.random(60) < 0.5
NEEDS = {"ild": 2, "full_recall": 3}  # ranks: for a pair, for all that is relevant


def scores_of(names, learner, X, method, *, has_ids, **options):
    scoring = {
        name: get_scorer(
            name,
            replace_undefined_by=0.0,
            **usual(name),
            **(
                {}
                if METRICS[name].ranks_without_k
                else {"k": NEEDS.get(name, 1) if has_ids else 7}
            ),
            **({} if has_ids or name in SETS else {"qid": None}),
        )
        for name in names
    }
    result = evaluate(
        LEARNERS[learner],
        X,
        Y,
        scoring=scoring,
        method=method,
        qid=QID if has_ids else None,
        params=marks_of_all(names, KNOWN),
        random_state=0,
        **METHODS[method],
        **options,
    )
    return np.array([result.estimate[name] for name in names])


WAYS = [
    (learner, method, has_ids)
    for learner in LEARNERS
    for method in METHODS
    for has_ids in (True, False)
    # Splits are the same for all, and a ranker without queries is a regressor.
    if learner == "classifier" or method == "kfold"
    if learner != "ranker" or has_ids
]


@pytest.mark.parametrize(("learner", "method", "has_ids"), WAYS)
def test_a_number_that_tells_models_apart(learner, method, has_ids):
    names = NAMES if learner == "classifier" else RANKINGS
    # Leaving single rows out ranks predictions of different models.
    pools = method == "loocv" and not has_ids
    options = {"aggregate": "pooled"} if pools else {}
    values = np.array(
        [
            scores_of(names, learner, X, method, has_ids=has_ids, **options)
            for X in (TELLING, NOISE, MORE_NOISE)
        ]
    )
    assert np.isfinite(values).all()
    same = np.array(names)[(values == values[0]).all(axis=0)]
    # All documents are judged, and one long ranking soon meets relevant ones, never all
    # of them. Marks are of two kinds, of which few documents may hold as many in all
    # models. None of these models keeps silent.
    early = {"success", "rr", "first_rank", "recall_effort", "max_f", "max_f1"}
    early |= {"full_recall"}
    assert set(same) <= {"judged", "miuf", "ild", "silence"} | (
        set() if has_ids else early
    )
