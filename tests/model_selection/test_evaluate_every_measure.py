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


def scorer_of(name, has_ids):
    return get_scorer(
        name,
        replace_undefined_by=1.0,
        **usual(name),
        **(
            {}
            if METRICS[name].ranks_without_k
            else {"k": NEEDS.get(name, 1) if has_ids else 7}
        ),
        **({} if has_ids or name in SETS else {"qid": None}),
    )


def scores_of(names, learner, X, method, *, has_ids, **options):
    scoring = {name: scorer_of(name, has_ids) for name in names}
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
    # All documents are judged, and one long ranking soon meets relevant ones, and the
    # last ones at its end. Marks are of two kinds, of which few documents may hold as
    # many in all models. None of these models keeps silent.
    early = {"success", "rr", "first_rank", "recall_effort", "max_f", "max_f1"}
    late = {"full_recall", "last_rank", "wss"}
    assert set(same) <= {"judged", "miuf", "ild", "silence"} | (
        set() if has_ids else early | late
    )
    for name, value in zip(names, values[0], strict=True):
        low, high = scorer_of(name, has_ids).measure.range
        assert low - 1e-12 <= value <= high + 1e-12, name


@pytest.mark.parametrize("learner", ["regressor", "ranker"])
def test_what_is_no_class_is_no_set(learner):
    for name in SETS:
        if METRICS[name].kind == "set":
            with pytest.raises(ValueError, match="y_pred must hold booleans"):
                scores_of([name], learner, TELLING, "kfold", has_ids=True)


def test_rows_have_weights_where_a_measure_weighs_them():
    weights = rng.integers(1, 4, 60)
    names = [n for n in SETS if METRICS[n].kind == "set"] + ["roc_auc", "ap"]
    rows = np.repeat(np.arange(60), weights)
    fitted = LogisticRegression().fit(TELLING, Y)
    scoring = {
        name: get_scorer(name, qid=None, replace_undefined_by=1.0) for name in names
    }
    for name, scorer in scoring.items():
        with config_context(enable_metadata_routing=True):
            scorer.set_score_request(sample_weight=True)
        value = scorer(fitted, TELLING, Y, sample_weight=weights)
        copies = scorer(fitted, TELLING[rows], Y[rows])
        if name != "ap":  # which takes tied documents as one step with weights
            assert value == pytest.approx(copies, rel=1e-12)
    options = {
        "scoring": scoring,
        "aggregate": "pooled",
        "params": {"sample_weight": weights},
    }
    result = evaluate(LogisticRegression(), TELLING, Y, **options)
    assert np.isfinite([*result.estimate.values()]).all()


def test_names_that_both_know_are_of_queries_where_there_are_any():
    options = {"scoring": "recall", "random_state": 0}
    with pytest.raises(ValueError, match="'recall' needs a cutoff, such as 'rec"):
        evaluate(LogisticRegression(), TELLING, Y, qid=QID, **options)
    alone = evaluate(LogisticRegression(), TELLING, Y, **options)
    assert 0 < alone.estimate["recall"] < 1


def test_sets_are_defined_on_test_sides_of_one_class():
    y = np.zeros(60, dtype=int)
    y[[0, 1, 20, 21]] = 1
    model, cv = LogisticRegression(), KFold(3)
    found = evaluate(model, TELLING, y, scoring="set_accuracy", method=cv)
    expected = cross_val_score(model, TELLING, y, scoring="accuracy", cv=cv)
    np.testing.assert_allclose(found.split_scores["set_accuracy"], expected)
