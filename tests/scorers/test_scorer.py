"""Scorers: where query ids come from, what is scored, and the trap that is closed."""

import os
import pickle
import re
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import config_context, get_config
from sklearn import metrics as skm
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    TunedThresholdClassifierCV,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import sklearn_irmetrics as irm
from oracles.cases import SCORABLE, marks_of_all, usual, usual_of_scorer
from oracles.measures import ALIASES, METRICS
from sklearn_irmetrics import scorers
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.exceptions import UndefinedScoreError
from sklearn_irmetrics.metrics._measure import Measure
from sklearn_irmetrics.metrics._names import WORDS
from sklearn_irmetrics.metrics.experimental import expected_exposure_disparity
from sklearn_irmetrics.model_selection import QueryKFold, evaluate

pytestmark = pytest.mark.filterwarnings("ignore:.* undefined in")
MESSAGE = "needs query ids .*none arrived.*params={'qid': qid}.*qid='column'.*qid=None"
SCORINGS = ["ndcg@5", "map", "p@3", "err"]


@pytest.fixture(scope="module")
def task():
    """Grades 0-3 of 40 queries, rows shuffled; the last column holds the ids."""
    X, y, qid = make_ranking(40, (3, 15), n_features=4, n_grades=4, random_state=0)
    rows = np.random.default_rng(0).permutation(len(y))
    X, y, qid = X[rows], y[rows], qid[rows]
    return np.column_stack([X, qid]), y, qid


class Predicting(BaseEstimator):
    """Predicts what it is told to."""

    def __init__(self, scores):
        self.scores = scores

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return self.scores


def without_ids(X):
    return X[:, :-1]


def second_of(labels):
    """Return what names the second of two classes in words; numbers need no name."""
    named = len(labels) == 2 and isinstance(labels[1], str)
    return {"pos_label": str(labels[1])} if named else {}


def ranker(model):
    return make_pipeline(FunctionTransformer(without_ids), StandardScaler(), model)


MODELS = {
    "regressor": ranker(Ridge()),
    "classifier": ranker(LogisticRegression(max_iter=500)),
    "trees": ranker(DecisionTreeClassifier(max_depth=3, random_state=0)),
}


@pytest.mark.parametrize("scoring", SCORABLE)
@pytest.mark.parametrize("model", MODELS)
def test_ids_that_did_not_arrive_are_an_error(task, model, scoring):
    X, y, _ = task
    qid = "metadata" if METRICS[scoring].judges_predictions else "auto"
    scorer = irm.get_scorer(scoring, qid=qid, **usual_of_scorer(scoring))
    if METRICS[scoring].judges_predictions:
        y = y > 0
    fitted = clone(MODELS[model]).fit(X, y)
    for routing, way in (
        (False, r"1\) call sklearn\.set_config\(.*search\.score\(X, y, qid=qid\)"),
        (True, r"1\) metadata routing is on: pass qid=qid \(not groups=\), as in "),
    ):
        with (
            config_context(enable_metadata_routing=routing),
            pytest.raises(ValueError, match=MESSAGE) as raised,
        ):
            scorer(fitted, X, y)
        assert re.search(way, str(raised.value))


def test_every_sample_ranks_the_classes_on_request(task):
    X, y, _ = task
    names = np.array(["bad", "fair", "good", "best"])[y.astype(int)]
    fitted = clone(MODELS["classifier"]).fit(X, names)
    value = irm.get_scorer("mrr", qid=None)(fitted, X, names)
    scores = fitted.decision_function(X)
    places = (
        scores
        >= np.take_along_axis(
            scores, np.searchsorted(fitted.classes_, names)[:, None], axis=1
        )
    ).sum(axis=1)
    assert value == pytest.approx((1 / places).mean(), abs=1e-12)


class Lister(GaussianNB):
    """Predict a list, as scikit-learn's own scorers allow."""

    def predict(self, X):
        return super().predict(X).tolist()


@pytest.mark.parametrize("labels", [("no", "yes"), (0, 1), (1, 2), (1, 2, 3)])
@pytest.mark.parametrize("qid", [-1, None])
@pytest.mark.parametrize(
    "scoring", ["mrr", "p@3", "set_f1", "accuracy", "scott_pi", "set_cost"]
)
def test_classes_may_be_a_column_objects_or_predicted_in_a_list(
    task, labels, qid, scoring
):
    X, y, _ = task
    classes = np.array(labels)[np.minimum(y.astype(int), len(labels) - 1)]
    if scoring == "set_f1" and len(labels) > 2:
        qid = None
    options = {}
    if scoring in ("mrr", "p@3", "set_f1"):
        options = second_of(labels) | {"response_method": "predict"}
    scorer = irm.get_scorer(scoring, qid=qid, **options)
    fitted = GaussianNB().fit(X, classes)
    expected = scorer(fitted, X, classes)
    assert scorer(fitted, X, classes[:, np.newaxis]) == expected
    assert scorer(Lister().fit(X, classes), X, classes) == expected
    objects = classes.astype(object)
    if isinstance(labels[0], str):
        assert scorer(GaussianNB().fit(X, objects), X, objects) == expected


def test_unjudged_documents_of_a_binary_classifier_stay_unjudged(task):
    X, y, _ = task
    unjudged = np.random.default_rng(1).random(len(y)) < 0.3
    values = []
    for labels in ([0.0, 1.0], [1.0, 2.0], [-1.0, 1.0]):
        classes = np.array(labels)[(y > 1).astype(int)]
        fitted = ranker(LogisticRegression()).fit(X, classes)
        judged = np.where(unjudged, np.nan, classes)
        names = ["judged@3", "bpref", "ap(judged_only=True)"]
        scorers = irm.get_scorers(names, qid=-1).values()
        values.append([scorer(fitted, X, judged) for scorer in scorers])
    assert values[0] == values[1] == values[2]


def test_a_graded_fold_that_happened_to_be_binary_keeps_its_higher_grades(task):
    X, y, qid = task
    y = y + 1
    few = y <= 2
    fitted = ranker(LogisticRegression()).fit(X[few], y[few])
    scorer = irm.get_scorer("p@3", qid=-1)
    expected = irm.precision_at_k_score(
        y >= 2, fitted.decision_function(X), k=3, qid=qid
    )
    assert scorer(fitted, X, y) == expected


def test_multiclass_without_grades_or_probabilities_is_an_error(task):
    X, y, _ = task
    names = np.array(["bad", "fair", "good", "best"])[y.astype(int)]
    fitted = clone(MODELS["classifier"]).fit(X, names)
    with pytest.raises(ValueError, match="must be numeric grades .*'bad', 'best'"):
        irm.get_scorer("ndcg", qid=-1)(fitted, X, names)
    fitted = ranker(LinearSVC()).fit(X, y)
    with pytest.raises(ValueError, match="must have predict_proba .*got Pipeline"):
        irm.get_scorer("ndcg", qid=-1)(fitted, X, y)


def test_losses_are_negated():
    def loss(y_true, y_score, *, qid=None):
        return 2.0

    scorer = irm.make_ranking_scorer(loss, greater_is_better=False, qid=None)
    fitted = Ridge().fit([[0.0], [1.0]], [0, 1])
    assert scorer(fitted, [[0.0]], [0]) == -2.0


@pytest.mark.parametrize("key", ["id", 2, -1])
@pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow", "numpy", "sparse"])
def test_a_column_of_X(form, key):
    columns = {"a": [1, 2, 3], "b": [1.5, 2, 3], "id": [7, 8, 7]}
    values = np.column_stack([*columns.values()])
    if form in ("numpy", "sparse"):
        X = values if form == "numpy" else csr_array(values)
        key = 2 if key == "id" else key
        missing = {5: "X", "query": "X"}
    else:
        make = "table" if form == "pyarrow" else "DataFrame"
        X = getattr(pytest.importorskip(form), make)(columns)
        missing = dict.fromkeys((5, "query"), r"the columns \['a', 'b', 'id'\]")
    scorer = irm.get_scorer("map", qid=key)
    assert scorer(Predicting(np.array([3.0, 2.0, 1.0])), X, [0, 1, 1]) == 0.75
    for key, got in missing.items():
        message = f"qid={key!r} must name a column of X; got {got}"
        with pytest.raises(ValueError, match=message):
            irm.get_scorer("map", qid=key)(Predicting(np.ones(3)), X, [0, 1, 1])


@pytest.mark.parametrize(
    "column", [[0.5, 1.0], [np.nan, 1.0], np.array([2**24, 1], np.float32)]
)
def test_columns_that_cannot_be_ids_are_refused(column):
    scorer = irm.get_scorer("map", qid=0)
    message = "holds fractional, missing or rounded numbers"
    with pytest.raises(ValueError, match=message):
        scorer(Predicting(np.ones(2)), np.array(column)[:, None], [1, 0])


OBJECTS = [
    [0.5, 1.0, 0.5, 1.0],
    [7, 1.5, 7, 7],
    ["a", 1.5, "a", "a"],
    [1.0, np.nan, 1.0, 1.0],
    [Decimal("0.5"), 1, 1, 1],
    [Fraction(1, 2), 1, 1, 1],
    [2.0**53, 1, 1, 1],
]


@pytest.mark.parametrize("ids", OBJECTS, ids=str)
@pytest.mark.parametrize("door", ["scorer", "ranker", "splitter", "evaluate", "list"])
def test_fractions_among_objects_are_no_ids(ids, door):
    X = np.array([[1.0, 2.0, 3.0, 4.0], ids], dtype=object).T
    y = [1, 0, 0, 1]
    message = "holds fractional, missing or rounded numbers"
    with pytest.raises(ValueError, match=message):
        if door == "ranker":
            QueryRanker(Ridge(), qid=1).fit(X, y)
        elif door == "splitter":
            list(QueryKFold(2, qid=1).split(X))
        elif door == "evaluate":
            evaluate(Predicting(np.ones(4)), X, y, scoring="ndcg", qid=1)
        else:
            rows = X.tolist() if door == "list" else X
            irm.get_scorer("ndcg", qid=1)(Predicting(np.ones(4)), rows, y)


@pytest.mark.parametrize("ids", [[1.0, 2, 2, 1.0], ["1.5", "b", "b", "1.5"]])
def test_whole_numbers_and_texts_among_objects_are_ids(ids):
    X = np.array([[1.0, 2.0, 3.0, 4.0], ids], dtype=object).T
    scorer = irm.get_scorer("rr", qid=1)
    assert scorer(Predicting(np.arange(4)), X, [1, 0, 1, 0]) == 0.75


def test_weights_come_on_request_only(task):
    X, y, qid = task
    weights = 1.0 + qid % 3
    fitted = clone(MODELS["regressor"]).fit(X, y)
    with config_context(enable_metadata_routing=True):
        scorer = irm.get_scorer("p@3").set_score_request(qid=True, sample_weight=True)
        weighted = scorer(fitted, X, y, qid=qid, sample_weight=weights)
    expected = irm.precision_at_k_score(
        y, fitted.predict(X), k=3, qid=qid, sample_weight=weights
    )
    assert weighted == expected


@pytest.mark.filterwarnings("ignore:The scoring .* does not support sample_weight")
def test_training_weights_do_not_reach_the_scores(task):
    X, y, qid = task
    folds = list(GroupKFold(3).split(X, y, qid))
    weights = np.linspace(1, 2, len(y))
    search = GridSearchCV(
        Ridge(),
        {"alpha": [1.0]},
        scoring=irm.get_scorer("p@3", qid=-1),
        cv=folds,
        refit=False,
        error_score="raise",
    ).fit(X, y, sample_weight=weights)
    train, test = folds[0]
    model = Ridge().fit(X[train], y[train], sample_weight=weights[train])
    expected = irm.precision_at_k_score(
        y[test], model.predict(X[test]), k=3, qid=qid[test]
    )
    assert search.cv_results_["split0_test_score"][0] == pytest.approx(expected, abs=0)


@pytest.mark.skipif(
    "metadata_request_policy" not in get_config(), reason="needs scikit-learn 1.10"
)
def test_automatic_requests_route_no_training_weights(task):
    X, y, qid = task
    weights = np.linspace(1, 2, len(y))
    folds = list(GroupKFold(3).split(X, y, qid))
    with config_context(enable_metadata_routing=True, metadata_request_policy="auto"):
        search = GridSearchCV(
            Ridge(),
            {"alpha": [1.0]},
            scoring=irm.get_scorer("p@3"),
            cv=folds,
            refit=False,
            error_score="raise",
        ).fit(X, y, qid=qid, sample_weight=weights)
    train, test = folds[0]
    model = Ridge().fit(X[train], y[train], sample_weight=weights[train])
    expected = irm.precision_at_k_score(
        y[test], model.predict(X[test]), k=3, qid=qid[test]
    )
    assert search.cv_results_["split0_test_score"][0] == pytest.approx(expected, abs=0)


WITH_A_PUBLIC_BASE = """
from oracles.public_base_scorer import BaseScorer, make_scorer

import numpy as np
from sklearn import set_config
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error, median_absolute_error
from sklearn.model_selection import GridSearchCV, cross_val_score

from sklearn_irmetrics import get_scorer
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import QueryKFold, evaluate

class Twice(BaseScorer):
    def _score(self, method_caller, estimator, X, y, **metadata):
        return 2 * make_scorer(self.score_func)(estimator, X, y)

X, y, qid = make_ranking(n_queries=20, n_docs=8, n_features=3, random_state=0)
set_config(enable_metadata_routing=True)
ndcg = get_scorer("ndcg@5")
assert isinstance(ndcg, BaseScorer)
data = {"cv": QueryKFold(4), "scoring": ndcg, "error_score": "raise"}
scores = cross_val_score(Ridge(1.0), X, y, params={"qid": qid}, **data)
search = GridSearchCV(Ridge(), {"alpha": [1.0]}, **data).fit(X, y, qid=qid)
error = make_scorer(mean_absolute_error, greater_is_better=False)
scoring = [ndcg, error, Twice(median_absolute_error, 1, {})]
folds = list(QueryKFold(4).split(X, y, qid=qid))
found = evaluate(Ridge(1.0), X, y, qid=qid, method=folds, scoring=scoring)
assert np.isclose(search.best_score_, scores.mean())
assert np.isclose(found.estimate["ndcg@5"], scores.mean())
print(ndcg, *found.estimate)
"""


def test_scorers_derive_from_a_public_base_class():
    """A coming version of scikit-learn has one, with public attributes."""
    done = subprocess.run(
        [sys.executable, "-c", WITH_A_PUBLIC_BASE],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stderr == ""
    assert done.stdout.startswith("make_scorer(ndcg_score, response_method=")
    assert "ndcg@5 neg_mean_absolute_error median_absolute_error" in done.stdout


def test_several_scorers_predict_once(task):
    X, y, qid = task
    calls = []

    class Counting(Ridge):
        def predict(self, X):
            calls.append(len(X))
            return super().predict(X)

    folds = list(GroupKFold(2).split(X, y, qid))
    cross_validate(
        Counting(), X, y, scoring=irm.get_scorers(SCORINGS, qid=-1), cv=folds
    )
    assert len(calls) == 2


def test_a_scorer_shows_how_to_make_it():
    scorer = irm.get_scorer("ndcg@5")
    assert isinstance(scorer, type(make_scorer(max)))
    assert repr(scorer) == (
        "make_scorer(ndcg_score, response_method=('decision_function', "
        "'predict_proba', 'predict'), k=5)"
    )


def test_each_call_returns_a_fresh_scorer():
    with config_context(enable_metadata_routing=True):
        irm.get_scorer("map").set_score_request(qid=False)
        assert irm.get_scorer("map")._get_metadata_request().score.requests == {
            "qid": True,
            "candidates": True,
        }


NEAREST = "is not a measure.*nearest names? (?:is|are) "
LITERAL = "parameter=literal"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ndgc@10", f"'ndgc' {NEAREST}'ndcg'"),
        ("zzzz", "'zzzz' is not a measure; no measure of rankings, sets"),
        ("rprec5", "write 'rprec'"),
        (
            "kappa",
            r"call cohen_kappa_score, or pass get_scorer\('cohen_kappa'\) as a sc",
        ),
        ("tpr", "write 'set_recall'"),
        ("fpr", "write 'set_fallout'"),
        ("dice", f"{NEAREST}'set_dice'"),
        ("balanced_accuracy", "evaluate takes scikit-learn's 'balanced_accuracy'"),
        ("auroc", "write 'auc'"),
        ("rmse", "takes scikit-learn's 'neg_root_mean_squared_error' as scoring"),
        ("logloss", "takes scikit-learn's 'neg_log_loss' as scoring"),
        ("f1_macro", r"write \"set_f1\(average='macro'\)\""),
        ("hits@3", "write 'hit_rate@3'"),
        ("f1", "such as 'f1@10', or 'set_f1' for predicted labels"),
        ("average_precision", "write 'ap'"),
        ("f1_score", "write 'set_f1' for predicted labels, 'f1@k' for rankings"),
        ("mrr_score@5", "write 'mrr@5'"),
        ("mean_reciprocal_rank", "write 'mrr'"),
        ("normalized_discounted_cumulative_gain@5", "write 'ndcg@5'"),
        ("R-precision@5", "write 'r_precision'"),
        ("ndcg10", "write 'ndcg@10'"),
        ("NDCG_at_5", "write 'ndcg@5'"),
        (
            "f2@5",
            r"write 'f\(beta=2\)@5' for .* 'set_f\(beta=2\)' .* 'f@2' for a cutoff",
        ),
        ("set_f2", r"write 'set_f\(beta=2\)'\."),
        ("set_e2", r"write 'set_e\(beta=2\)'\."),
        ("max_f0.5", r"write 'max_f\(beta=0\.5\)'\."),
        ("max_f1.5", r"write 'max_f\(beta=1\.5\)'\."),
        ("set_f05", r"write 'set_f\(beta=0\.5\)'\."),
        ("set_f_0.5", r"write 'set_f\(beta=0\.5\)'\."),
        (
            "f0.5@10",
            r"write 'f\(beta=0\.5\)@10' for .* 'set_f\(beta=0\.5\)' for that of sets\.",
        ),
        ("f05", r"write 'f\(beta=0\.5\)@k' for .* 'set_f\(beta=0\.5\)' for that of se"),
        ("roc", "write 'roc_auc'"),
        ("fbeta", r"write 'set_f\(beta=\.\.\.\)' .* 'f\(beta=\.\.\.\)@k'"),
        ("F_beta@5", r"write 'set_f\(beta=\.\.\.\)' .* 'f\(beta=\.\.\.\)@k'"),
        ("fbeta_score(beta=2)", r"write 'set_f\(beta=\.\.\.\)'"),
        ("ndcg_cut.10", r"'ndcg_cut.10' is not a measure; write 'ndcg@10'\."),
        ("map_cut.5", r"write 'ap@5'\."),
        ("P.5", r"write 'p@5'\."),
        ("rbp.95", r"write 'rbp\(persistence=0\.95\)'\."),  # as in ranx
        ("map-l2", r"write 'map\(relevance_threshold=2\)'\."),
        ("P@5-l3", r"write 'p\(relevance_threshold=3\)@5'\."),
        ("ndcg-l2", "'ndcg' distinguishes grades, and has no lowest relevant one"),
        ("recip_rank.5", r"write 'recip_rank@5'\."),
        ("set_p.5", r"write 'set_p'\.$"),
        ("cohen_kappa(weights=1)", r"pass get_scorer\('cohen_kappa', weights=1\) as a"),
        ("mcc", "evaluate takes scikit-learn's 'matthews_corrcoef' as scoring"),
        ("brier", "evaluate takes scikit-learn's 'neg_brier_score' as scoring"),
        ("log_loss", "evaluate takes scikit-learn's 'neg_log_loss' as scoring"),
        ("jaccard", "evaluate takes scikit-learn's 'jaccard' as scoring"),
        ("e", "write 'set_e'"),
        ("top_k_accuracy@3", "write 'success@3'"),
        ("top_k_accuracy", "write 'success@k'"),
        ("lrap", "write 'ap', which is computed for each row"),
        ("label_ranking_loss", "take 1 - 'roc_auc' of each row"),
        ("pauc", r"write 'roc_auc\(max_fpr=0.1\)'"),
        ("partial_auc", r"write 'roc_auc\(max_fpr=0.1\)'"),
        ("gauc", "write 'auc', which is computed for each query"),
        ("recall_any@5", "write 'success@5'"),
        ("recall_cap@10", r"write 'recall\(capped=True\)@10'"),
        ("ndcg_burges@10", r"write \"ndcg\(gain='exponential'\)@10\""),
        ("unj@10", "take 1 - 'judged@10'"),
        ("hits10", "write 'hit_rate@10'"),
        ("iprec_at_recall.3", "write 'iprec@0.3'"),
        ("ndcg_10", "is not a measure"),
        ("ndcg_cut_", "is not a measure"),
        ("ndcg(gain=exponential)", f"{LITERAL}, .* text in quotes"),
        ("ndcg(10)", LITERAL),
        ("ndcg(k=__import__('os'))", LITERAL),
        ("ndcg(k=1, K=2)", LITERAL),
        (r"ndcg(gain='\d')", LITERAL),
        ("ndcg(k=1is 2)", LITERAL),
        ("ndcg(gain=" + "(" * 400 + ")" * 400 + ")", "gain|literal"),
        ("ndcg@", "'@' must be followed by a number"),
        (r"ndcg@'\d'", "'@' must be followed by a number"),
        ("p@10%", "got 'p@10%'. A cutoff is a number of documents"),
        ("ndcg@5,map", "got 'ndcg@5,map'. Name one measure at a time"),
        ("map,ndcg@5", "got 'map,ndcg@5'. Name one measure at a time"),
        ("ndcg@0", "k must be an integer >= 1; got 0"),
        ("rprec@5", "'rprec' takes no cutoff"),
        ("ndcg(k=1)@2", r"k must be given once; got 'ndcg\(k=1\)@2'"),
        ("AP(rel=1, relevance_threshold=2)", "must be given once"),
        ("RBP(p=0.8, persistence=0.8)", "must be given once"),
        ("recall_effort", "'recall_effort' needs n_expected: write"),
        ("ndcg(size=1)", "'ndcg' has no parameter 'size'; it has"),
        ("ndcg(qid=1)", "'ndcg' has no parameter 'qid'"),
        ("infap(pooled=1)", "'infap' has no parameter 'pooled'"),
        ("ndcg(k=1", "must be written as"),
        ("ndcg@" + "1" * 2000, "must be written as"),
        ("", "must be written as"),
        (["ndcg@5", "map"], "got a list. get_scorers makes several"),
        (None, "must be named by a string such as 'ndcg@10'; got None"),
    ],
)
def test_strings_that_name_nothing(text, message):
    error = ValueError if isinstance(text, str) else TypeError
    with pytest.raises(error, match=message):
        irm.get_scorer(text)


@pytest.mark.parametrize("word", WORDS)
def test_what_a_hint_says_can_be_written(word):
    with pytest.raises(ValueError, match="is not a measure") as caught:
        Measure(word)
    hint = str(caught.value).partition("; ")[2]
    for written in re.findall(r"write [\"'](.*?)[\"'](?=[ .,])", hint):
        assert Measure(written.replace("@k", "@5").replace("...", "2"))


def test_keyword_arguments():
    scorer = irm.get_scorer("ndcg@10", qid=None, gain="exponential", ties="pessimistic")
    X, y, scores = np.eye(3), [1, 2, 0], np.array([2.0, 2.0, 1.0])
    expected = irm.ndcg_score(y, scores, k=10, gain="exponential", ties="pessimistic")
    assert scorer(Predicting(scores), X, y) == expected
    with pytest.raises(ValueError, match="'ndcg' has no parameter 'beta'"):
        irm.get_scorer("ndcg", beta=2)
    with pytest.raises(ValueError, match="gain must be 'linear'"):
        irm.get_scorer("ndcg", gain="cubic")
    with pytest.raises(TypeError, match="score_func must be callable; got 'ndcg'"):
        irm.make_ranking_scorer("ndcg")


def test_each_listed_name_is_one_that_get_scorer_takes():
    names = irm.get_scorer_names()
    assert names == sorted(set(names))
    for name in names:
        assert irm.get_scorer(name)
    listed = {re.split("[(@]", name)[0] for name in names}
    assert listed == {*METRICS, *ALIASES, "cohen_kappa"} - {"rbp_residual", "ee_d"}
    for name in listed - set(names):
        with pytest.raises(ValueError, match="cutoff|needs (n_expected|target)"):
            irm.get_scorer(name)


def test_every_function_has_a_scorer_to_import(task):
    found = {getattr(scorers, name).metric.function for name in dir(scorers)}
    functions = {metric.function for metric in METRICS.values()}
    undirected = irm.metrics.rank_biased_precision_residual, expected_exposure_disparity
    assert found == functions.difference(undirected)
    for name, typed in (
        ("ndcg_scorer", "ndcg"),
        ("average_precision_scorer", "map"),
        ("precision_at_k_scorer", "p@10"),
        ("set_miss_rate_scorer", "set_miss_rate"),
    ):
        scorer, expected = getattr(scorers, name), irm.get_scorer(typed)
        assert repr(scorer) == repr(expected)
        assert pickle.loads(pickle.dumps(scorer)).measure == expected.measure
    assert set(scorers.__all__) == set(dir(scorers))
    with pytest.raises(ImportError, match="cannot import name 'ndgc_scorer'"):
        from sklearn_irmetrics.scorers import ndgc_scorer  # noqa: F401


def test_an_imported_scorer_is_fresh(task):
    from sklearn_irmetrics.scorers import ndcg_scorer as one

    X, y, qid = task
    with config_context(enable_metadata_routing=True):
        one.set_score_request(qid=False)
        from sklearn_irmetrics.scorers import ndcg_scorer as other

        fitted = clone(MODELS["regressor"]).fit(X, y)
        expected = irm.ndcg_score(y, fitted.predict(X), qid=qid)
        found = cross_validate(
            MODELS["regressor"],
            X,
            y,
            scoring=other,
            cv=[(np.arange(len(y)), np.arange(len(y)))],
            params={"qid": qid},
        )
    assert found["test_score"] == [expected]


def test_functions_need_the_ids_that_names_need(task):
    X, y, _ = task
    fitted = LogisticRegression().fit(X, y > 0)
    scorer = irm.make_ranking_scorer(irm.set_recall_score)
    expected = irm.set_recall_score(y > 0, fitted.predict(X))
    assert scorer(fitted, X, y > 0) == expected
    for function in (irm.ndcg_score, lambda y_true, y_score, qid=None: 1.0):
        with pytest.raises(ValueError, match="needs query ids"):
            irm.make_ranking_scorer(function)(fitted, X, y > 0)


def test_several_scorers_by_name_or_label():
    assert list(irm.get_scorers(["map", "p@5"])) == ["map", "p@5"]
    labelled = irm.get_scorers({"early": "p@1"}, ties="stable")
    assert list(labelled) == ["early"]
    with pytest.raises(TypeError, match="list or a dict of names; got 'map'"):
        irm.get_scorers("map")
    with pytest.raises(ValueError, match="at least one measure"):
        irm.get_scorers([])


# Scorers that cannot tell models apart ------------------------------------------------


OF_RANKINGS = [
    name
    for name, row in METRICS.items()
    if not (row.judges_predictions or row.subtopics)
]


def values_of_random_scores(name, arguments):
    """Return what a measure says of random scores of the same documents."""
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(8), 6)
    y_true = rng.choice([0.0, 0.0, 1.0, 2.0, np.nan], 48)
    metric = METRICS[name]
    marks = marks_of_all([name], qid % 2 == rng.integers(0, 2, 48))
    return {
        round(
            metric.function(
                y_true,
                rng.random(48),
                qid=qid,
                replace_undefined_by=1.0,
                **{**metric.arguments, **usual(name), **arguments, **marks},
            ),
            9,
        )
        for _ in range(10)
    }


@pytest.mark.parametrize("name", OF_RANKINGS)
def test_scorers_that_are_constant_are_refused(name):
    has_direction = METRICS[name].has_direction
    tells_apart = len(values_of_random_scores(name, {})) > 1
    # Nobody asks for silence unless models may return -inf.
    if (tells_apart or name == "silence") and has_direction:
        assert irm.get_scorer(name, **usual(name))
        return
    with pytest.raises(ValueError, match="needs a cutoff|values are better"):
        irm.get_scorer(name, **usual(name))
    arguments = METRICS[name].arguments | usual(name)
    with pytest.raises(ValueError, match="needs a cutoff|values are better"):
        irm.make_ranking_scorer(METRICS[name].function, **arguments)
    if has_direction:
        assert len(values_of_random_scores(name, {"k": 2})) > 1
        assert irm.get_scorer(name, k=2, **usual(name))
        assert irm.get_scorer(name, k=None, **usual(name))


def test_the_way_out_of_a_constant_scorer_is_named():
    with pytest.raises(ValueError, match=r"such as 'relative_recall.*\)@10'\. An esti"):
        irm.get_scorer("relative_recall(n_expected=2)")
    with pytest.raises(ValueError, match="'f1' needs a cutoff, such as 'f1@10', or"):
        irm.get_scorer("f1")


# Scorers of sets and labels -----------------------------------------------------------


@pytest.fixture(scope="module")
def classified():
    X, y = load_iris(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))
    return X[rows][:, :2], y[rows]


PAIRS = [
    ("set_f1", "f1", "f1_macro"),
    ("set_p", "precision", "precision_macro"),
    ("set_recall", "recall", "recall_macro"),
    ("sensitivity", "recall", "recall_macro"),
    ("accuracy", "accuracy", "accuracy"),
    ("cohen_kappa", None, None),
]


@pytest.mark.parametrize(("ours", "of_two", "of_many"), PAIRS)
@pytest.mark.parametrize("kind", ["numbers", "texts", "1 and 2"])
def test_sets_without_ids_are_those_of_scikit_learn(
    classified, ours, of_two, of_many, kind
):
    X, y = classified
    names = {
        "numbers": np.array([0, 1, 2]),
        "texts": np.array(["ant", "bee", "cat"]),
        "1 and 2": np.array([1, 2, 7]),
    }[kind]
    for n_classes, theirs in ((2, of_two), (3, of_many)):
        chosen = y < n_classes if n_classes == 3 else y > 0
        target = names[y[chosen]] if n_classes == 3 else names[y[chosen] - 1]
        expected, named = theirs, {}
        if n_classes == 2 and theirs not in (None, "accuracy"):
            named = second_of(np.unique(target))
            score = getattr(skm, f"{theirs}_score")
            expected = skm.make_scorer(score, pos_label=names[1])
        if theirs is None:
            expected = skm.make_scorer(skm.cohen_kappa_score)
        found = cross_validate(
            LogisticRegression(),
            X[chosen],
            target,
            scoring={"ours": irm.get_scorer(ours, **named), "theirs": expected},
            cv=3,
            error_score="raise",
        )
        np.testing.assert_allclose(
            found["test_ours"], found["test_theirs"], rtol=1e-12, atol=1e-12
        )


def test_functions_of_several_classes_ask_for_their_names(classified):
    X, y = classified
    fitted = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match=r"Pass classes as labels, such as np\.unique"):
        make_scorer(irm.set_f1_score)(fitted, X, y)
    named = make_scorer(irm.set_f1_score, labels=np.unique(y))
    assert named(fitted, X, y) == irm.get_scorer("set_f1")(fitted, X, y)


def test_sets_use_ids_where_they_arrive(task):
    X, y, qid = task
    relevant = y > 0
    fitted = LogisticRegression().fit(X, relevant)
    scorer = irm.get_scorer("set_recall", replace_undefined_by=0.0)
    assert "qid" not in repr(scorer)
    assert repr(irm.get_scorer("set_p", qid="metadata")).endswith("qid='metadata')")
    predicted = fitted.predict(X)
    with config_context(enable_metadata_routing=True):
        by_query = scorer(fitted, X, relevant, qid=qid)
    expected = irm.set_recall_score(
        relevant, predicted, qid=qid, replace_undefined_by=0.0
    )
    assert by_query == expected
    assert scorer(fitted, X, relevant) == irm.set_recall_score(relevant, predicted)


def test_classes_that_are_named_are_taken_as_they_are(classified):
    X, y = classified
    fitted = LogisticRegression().fit(X, y)
    for arguments in ({"pos_label": 2}, {"labels": [2, 0]}, {"average": "micro"}):
        score = irm.get_scorer("set_p", **arguments)(fitted, X, y)
        named = arguments
        if "average" in arguments:
            named = {"labels": [0, 1, 2], **arguments}
        assert score == irm.set_precision_score(y, fitted.predict(X), **named)


def test_a_fold_without_a_class_still_has_all_costs(classified):
    X, y = classified
    fitted = LogisticRegression().fit(X, y)
    costs = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    some = y > 0
    score = irm.get_scorer("set_cost", cost_matrix=costs)(fitted, X[some], y[some])
    table = skm.confusion_matrix(y[some], fitted.predict(X[some]), labels=[0, 1, 2])
    assert score == -(table * costs).sum()


# Classes that one side of a split lacks -----------------------------------------------


def fbeta(tp, fp, fn, tn, beta=2):
    return (1 + beta**2) * tp / ((1 + beta**2) * tp + beta**2 * fn + fp)


# Of true positives, false positives, false negatives and true negatives.
OF_COUNTS = {
    "set_p": lambda tp, fp, fn, tn: tp / (tp + fp),
    "set_recall": lambda tp, fp, fn, tn: tp / (tp + fn),
    "set_f(beta=2)": fbeta,
    "set_f1": lambda *counts: fbeta(*counts, beta=1),
    "set_e(beta=2)": lambda *counts: fbeta(*counts) - 1,
    "set_specificity": lambda tp, fp, fn, tn: tn / (tn + fp),
    "set_fallout": lambda tp, fp, fn, tn: -fp / (fp + tn),
    "set_miss_rate": lambda tp, fp, fn, tn: -fn / (tp + fn),
    "set_false_alarm": lambda tp, fp, fn, tn: -fp / (tp + fp),
    "set_detection_cost(miss_cost=3)": (
        lambda tp, fp, fn, tn: -3 * fn / (tp + fn) - fp / (tp + fp)
    ),
}
OF_RANKS = {
    "rr": lambda rank: 1 / rank,
    "ap": lambda rank: 1 / rank,
    "success@2": lambda rank: float(rank <= 2),
    "p@2": lambda rank: (rank <= 2) / 2,
    "ndcg": lambda rank: 1 / np.log2(rank + 1),
}
CLASS_NAMES = {
    "words": np.array(["ant", "bee", "cat", "dog"]),
    "from 0": np.array([0, 1, 2, 3]),
    "gaps": np.array([-1.0, 2.0, 5.0, 9.0]),
}
LACKING = [((0, 1, 2), (0, 1, 2, 3)), ((0, 1, 2), (3,)), ((0, 1, 2, 3), (1, 2))]
LACKING += [((0, 2), (0, 1, 2, 3)), ((1, 3), (0, 2)), ((0, 1, 3), (1,))]


@cache
def lacking(names, trained, tested):
    """Return a model trained on some classes, and rows of others."""
    names = CLASS_NAMES[names]
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 80)
    X = rng.normal(size=(80, 2)) + y[:, np.newaxis]
    learned, rows = np.isin(y, trained), np.isin(y, tested)
    return GaussianNB().fit(X[learned], names[y[learned]]), X[rows], names[y[rows]]


def plain_score(name, average, model, X, y):
    labels = np.union1d(model.classes_, y)
    counts = skm.multilabel_confusion_matrix(y, model.predict(X), labels=labels)
    (tn, fp), (fn, tp) = counts.transpose(1, 2, 0).astype(float)
    if average == "micro":
        tp, fp, fn, tn = tp.sum(), fp.sum(), fn.sum(), tn.sum()
    with np.errstate(invalid="ignore"):
        values = np.atleast_1d(OF_COUNTS[name](tp, fp, fn, tn))
    return np.mean(values[~np.isnan(values)]) if not np.isnan(values).all() else None


@pytest.mark.parametrize("names", CLASS_NAMES)
@pytest.mark.parametrize(("trained", "tested"), LACKING)
@pytest.mark.parametrize("average", [None, "macro", "micro"])
@pytest.mark.parametrize("name", OF_COUNTS)
def test_each_class_of_either_side_is_a_set(name, average, trained, tested, names):
    model, X, y = lacking(names, trained, tested)
    said = {} if average is None else {"average": average}
    scorer = irm.get_scorer(name, **said)
    expected = plain_score(name, average, model, X, y)
    if expected is None:
        with pytest.raises(UndefinedScoreError):
            scorer(model, X, y)
    else:
        assert scorer(model, X, y) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("names", CLASS_NAMES)
@pytest.mark.parametrize(("trained", "tested"), LACKING)
def test_labels_of_either_side_are_scored(trained, tested, names):
    model, X, y = lacking(names, trained, tested)
    y_pred = model.predict(X)
    accuracy = skm.accuracy_score(y, y_pred)
    for name in ("accuracy", "set_recall", "set_p", "set_f1"):
        scorer = irm.get_scorer(name, average="micro")
        assert scorer(model, X, y) == pytest.approx(accuracy, rel=1e-12)
    assert irm.get_scorer("set_cost")(model, X, y) == -np.sum(y != y_pred)
    expected = irm.metrics.scott_pi_score(y, y_pred)
    assert irm.get_scorer("scott_pi")(model, X, y) == expected


@pytest.mark.filterwarnings("ignore:.*not one-vs-rest")
@pytest.mark.parametrize("names", CLASS_NAMES)
@pytest.mark.parametrize(("trained", "tested"), LACKING)
@pytest.mark.parametrize("name", OF_RANKS)
def test_a_class_that_training_lacked_is_never_ranked(name, trained, tested, names):
    model, X, y = lacking(names, trained, tested)
    scores = dict(zip(model.classes_.tolist(), model.predict_proba(X).T, strict=True))
    values = []
    for i, label in enumerate(y.tolist()):
        ranked = sorted(scores, key=lambda one: -scores[one][i])  # noqa: B023
        known = label in scores
        values.append(OF_RANKS[name](ranked.index(label) + 1) if known else 0.0)
    scorer = irm.get_scorer(name, qid=None)
    assert scorer(model, X, y) == pytest.approx(np.mean(values), rel=1e-12)


def test_the_scores_of_both_trained_classes_rank_them():
    y = np.array(["ant", "bee", "cat"] * 20)
    X = np.random.default_rng(0).normal(size=(60, 2)) + (y == "ant")[:, np.newaxis]
    some = y != "cat"
    model = LogisticRegression().fit(X[some], y[some])
    scorer = irm.get_scorer("success@1", qid=None)
    assert scorer(model, X, y) == np.mean(model.predict(X) == y)


@pytest.mark.filterwarnings("ignore:.*not one-vs-rest")
@pytest.mark.parametrize("names", CLASS_NAMES)
@pytest.mark.parametrize("model", [DummyClassifier(), RidgeClassifier()], ids=str)
def test_the_only_class_of_training_is_first(model, names):
    y = CLASS_NAMES[names][np.arange(12) % 3]
    X = np.arange(12.0)[:, np.newaxis]
    model = clone(model).fit(X[:1], y[:1])
    for name in ("success@1", "rr", "ap", "ndcg"):
        assert irm.get_scorer(name, qid=None)(model, X, y) == np.mean(y == y[0])


@pytest.mark.parametrize("names", CLASS_NAMES)
def test_folds_that_lack_classes_in_a_search(names):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 30)
    X, y = rng.normal(size=(30, 2)) + y[:, np.newaxis], CLASS_NAMES[names][y]
    order = np.argsort(y, kind="stable")  # so unshuffled folds lack classes
    X, y = X[order], y[order]
    said = {"macro": "macro", "micro": "micro"}
    scoring = {
        key: irm.get_scorer("set_recall", average=average)
        for key, average in said.items()
    }
    scoring["success"] = irm.get_scorer("success@1", qid=None)
    found = cross_validate(
        GaussianNB(),
        X,
        y,
        cv=KFold(4),
        scoring=scoring,
        return_estimator=True,
        return_indices=True,
        error_score="raise",
    )
    for i, (model, test) in enumerate(
        zip(found["estimator"], found["indices"]["test"], strict=True)
    ):
        for key, average in said.items():
            expected = plain_score("set_recall", average, model, X[test], y[test])
            assert found[f"test_{key}"][i] == pytest.approx(expected, rel=1e-12)
        if len(np.union1d(model.classes_, y[test])) > 2:
            accuracy = np.mean(model.predict(X[test]) == y[test])
            assert found["test_success"][i] == pytest.approx(accuracy, rel=1e-12)


def test_classes_that_training_lacked_are_wrong_in_queries():
    model, X, y = lacking("from 0", (0, 1), (0, 1, 2))
    qid = np.arange(len(y)) % 5
    with config_context(enable_metadata_routing=True):
        value = irm.get_scorer("accuracy")(model, X, y, qid=qid)
        graded = irm.get_scorer("set_recall")(model, X, y, qid=qid)
    assert value == pytest.approx(
        np.mean([np.mean((model.predict(X) == y)[qid == i]) for i in range(5)])
    )
    assert graded == irm.set_recall_score(y, model.predict(X), qid=qid)


@pytest.mark.parametrize("option", ["relevance_threshold=1", "judged_only=False"])
def test_options_of_grades_make_other_numbers_grades(option):
    model, X, y = lacking("from 0", (0, 1), (0, 1, 2))
    scorer = irm.get_scorer(f"set_recall({option})")
    assert scorer(model, X, y) == irm.set_recall_score(y, model.predict(X))
    scorer = irm.get_scorer(f"ap({option})", qid=None)
    p = model.predict_proba(X)[:, 1]
    assert scorer(model, X, y) == irm.average_precision_score(y, p)


def test_an_average_that_is_said_is_over_both_classes(classified):
    X, y = classified
    for names in (np.array([0, 1, 2]), np.array(["no", "yes", "what"])):
        some = y < 2
        X_two, y_two = X[some], names[y[some]]
        model = LogisticRegression(C=0.01).fit(X_two, y_two)
        for average in ("macro", "micro"):
            for name, theirs in (("set_recall", skm.recall_score),):
                scorer = irm.get_scorer(f"{name}(average={average!r})")
                expected = theirs(y_two, model.predict(X_two), average=average)
                assert scorer(model, X_two, y_two) == pytest.approx(expected)


@pytest.mark.parametrize("names", [(0, 1), (1, 2), ("no", "yes")])
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_a_threshold_is_tuned_by_the_average_over_both_classes(average, names):
    rng = np.random.default_rng(0)
    y = (rng.random(80) < 0.2) * 1
    X, y = rng.normal(size=(80, 1)) + y[:, np.newaxis], np.array(names)[y]
    theirs = make_scorer(lambda y, p: skm.recall_score(y, p, average=average))
    model, options = LogisticRegression(), {"cv": 3, "thresholds": 20}
    tuned = [
        TunedThresholdClassifierCV(model, scoring=scorer, **options).fit(X, y)
        for scorer in (irm.get_scorer("set_recall", average=average), theirs)
    ]
    assert tuned[0].best_threshold_ == tuned[1].best_threshold_
    assert tuned[0].best_score_ == pytest.approx(tuned[1].best_score_, rel=1e-12)


@pytest.mark.parametrize("name", ["ndcg@10", "map", "roc_auc", "p@5", "mrr"])
@pytest.mark.parametrize("names", [(0, 1), (False, True), (1.0, 2.0), ("no", "yes")])
def test_a_measure_of_rankings_is_no_objective_of_a_threshold(name, names):
    rng = np.random.default_rng(0)
    y = (rng.random(60) < 0.3) * 1
    X, y = rng.normal(size=(60, 1)) + y[:, np.newaxis], np.array(names)[y]
    has_pos_label = "yes" in names and "ndcg" not in name
    options = {"pos_label": "yes"} if has_pos_label else {}
    for qid in (None, "auto"):
        scorer = irm.get_scorer(name, qid=qid, **options)
        tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer)
        with pytest.raises(ValueError, match="got predicted labels") as raised:
            tuned.fit(X, y)
        assert "get_scorer('set_f1')" in str(raised.value)


@pytest.mark.parametrize("name", ["ndcg@10", "map"])
def test_scores_of_zeros_and_ones_are_ranked(name):
    y = np.array([0, 1, 1, 0, 1, 0])
    X = np.array([0, 1, 0, 0, 1, 1])[:, np.newaxis]

    class Says(RegressorMixin, BaseEstimator):
        def predict(self, X):
            return np.asarray(X)[:, 0]

    expected = irm.Measure(name)(y, X[:, 0])
    scorer = irm.get_scorer(name, qid=None)
    assert scorer(Says(), X, y) == expected
    model = DecisionTreeClassifier().fit(X, X[:, 0])
    for method in ("predict", "predict_proba"):
        scorer = irm.get_scorer(name, qid=None, response_method=method)
        assert scorer(model, X, y) == expected
    # A tool that rebuilds a scorer may pass scores, too.
    rebuilt = make_scorer(scorer._score_func, response_method="predict_proba")
    assert rebuilt(model, X, y) == expected


def test_an_average_means_queries_to_a_model_that_does_not_classify():
    y, y_pred = np.array([0, 1, 2, 1]), np.array([0, 1, 1, 0])
    scorer = irm.get_scorer("set_recall", average="macro")
    assert scorer(Predicting(y_pred), np.zeros((4, 1)), y) == 2 / 3


@pytest.mark.parametrize("names", CLASS_NAMES)
@pytest.mark.parametrize(
    ("name", "value"),
    [("set_recall", None), ("set_p", None), ("set_specificity", 1.0), ("ap", None)]
    + [("roc_auc", None), ("p@2", 0.0), ("set_recall(replace_undefined_by=0.5)", 0.5)],
)
def test_a_fold_may_lack_the_named_one_of_several_classes(name, value, names):
    label = CLASS_NAMES[names][3].item()
    model, X, y = lacking(names, (0, 1, 2, 3), (0, 1))
    some = model.predict(X) != label
    scorer = irm.get_scorer(name, qid=None, pos_label=label)
    if value is None:
        with pytest.raises(UndefinedScoreError):
            scorer(model, X[some], y[some])
    else:
        assert scorer(model, X[some], y[some]) == value
    wrong = irm.get_scorer(
        name, qid=None, pos_label="zebra" if names == "words" else 77
    )
    with pytest.raises(ValueError, match="pos_label must be a class of"):
        wrong(model, X, y)


def test_labels_of_another_kind_than_the_classes_are_refused():
    X = np.zeros((4, 1))
    model = GaussianNB().fit(np.arange(4)[:, np.newaxis], ["a", "b", "c", "c"])
    for name in ("accuracy", "set_f1", "rr"):
        with pytest.raises(TypeError, match="y_true must hold labels of the kind of"):
            irm.get_scorer(name, qid=None)(model, X, [0, 1, 2, 3])


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("MAP", "ap"),
        (" mrr @ 5 ", "rr@5"),
        ("hit_rate@1", "success@1"),
        ("precision@5", "p@5"),
        (
            "ndcg(gain={1: 2.0, 2: -1}, Discount='reciprocal')",
            "ndcg(gain={1: 2, 2: -1}, discount='reciprocal')",
        ),
        ("P_10", "p@10"),
        ("recall_100", "recall@100"),
        ("success_5", "success@5"),
        ("relative_P_5", "recall(capped=True)@5"),
        ("ndcg_cut_10", "ndcg@10"),
        ("map_cut_100", "map@100"),
        ("iprec_at_recall_0.10", "iprec@0.1"),
        ("recip_rank", "mrr"),
        ("gm_map", "gmap"),
        ("11pt_avg", "11pt"),
        ("nDCG@10", "ndcg@10"),
        ("AP(rel=2)@100", "ap(relevance_threshold=2)@100"),
        ("RR", "rr"),
        ("R@100", "recall@100"),
        ("RBP(p=0.5)", "rbp(persistence=0.5)"),
        ("Success@1", "success@1"),
        ("hr@3", "success@3"),
        ("SetP", "set_p"),
        ("AP_IA", "map_ia"),
        ("StRecall@5", "subtopic_recall@5"),
        ("sensitivity", "set_recall"),
        ("specificity", "set_specificity"),
        ("accuracy", "set_accuracy"),
        ("precision_at_recall@0.9", "iprec@0.9"),
        ("recall_at_precision@0.8", "recall_at_precision(min_precision=0.8)"),
        ("tpr_at_fpr@0.01", "recall_at_fpr(max_fpr=0.01)"),
        ("work_saved@0.9", "wss(recall_level=0.9)"),
    ],
)
def test_names_that_users_type(typed, meant):
    assert irm.Measure(typed) == irm.Measure(meant)


def test_a_classifier_of_one_class_finds_nothing():
    X = np.zeros((4, 1))
    fitted = DummyClassifier().fit(X, [0, 0, 0, 0])
    assert irm.get_scorer("set_recall")(fitted, X, [0, 0, 1, 1]) == 0.0
    fitted = DummyClassifier().fit(X, ["no"] * 4)
    with pytest.raises(ValueError, match="needs two classes .* pos_label"):
        irm.get_scorer("set_recall")(fitted, X, ["no", "no", "yes", "yes"])


def test_many_classes_in_queries(classified):
    X, y = classified
    qid = np.repeat(np.arange(30), 5)
    fitted = LogisticRegression().fit(X, y)
    with config_context(enable_metadata_routing=True):
        accuracy = irm.get_scorer("accuracy")(fitted, X, y, qid=qid)
        assert accuracy == pytest.approx(np.mean(fitted.predict(X) == y), rel=1e-12)
        with pytest.raises(ValueError, match="qid must be None for set_f1? of 3 "):
            irm.get_scorer("set_f1")(fitted, X, y, qid=qid)


def test_what_is_predicted_must_be_labels(classified):
    X, y = classified
    fitted = Ridge().fit(X, y)
    for scoring in ("scott_pi", "set_cost", "set_f1"):
        with pytest.raises(ValueError, match="y_pred must hold .* Ridge predicts"):
            irm.get_scorer(scoring)(fitted, X, y > 0)


@pytest.mark.parametrize("qid", ["metadata", "column", 0, np.zeros(3)])
def test_kappa_of_all_rows_takes_no_ids(qid):
    with pytest.raises(ValueError, match="takes no query ids"):
        irm.get_scorer("cohen_kappa", qid=qid)


@pytest.mark.parametrize("names", [["Cohen_Kappa", "set_f1"], {"k": "cohen_kappa"}])
def test_kappa_is_a_scorer_among_others(names):
    plain = irm.get_scorer("cohen_kappa", qid=None)
    scorers = irm.get_scorers(names)
    assert list(scorers) == list(names)
    assert repr(next(iter(scorers.values()))) == repr(plain)
    with pytest.raises(ValueError, match="scoring: 'ndgc' is not a measure"):
        irm.get_scorers(["cohen_kappa", "ndgc"])


def test_an_argument_is_given_once():
    with pytest.raises(ValueError, match="k must be given once; got 5 and 3"):
        irm.get_scorer("ndcg@5", k=3)
    assert repr(irm.get_scorer("ndcg@5", k=5)) == repr(irm.get_scorer("ndcg@5"))


def test_a_scorer_needs_one_value():
    with pytest.raises(ValueError, match="average must not be None in a scorer"):
        irm.get_scorer("ap", average=None)


def test_notebooks_show_measures_and_scorers():
    measure = irm.Measure("ndcg(gain='exponential')@10")
    html = measure._repr_html_()
    for text in ("ndcg_score", "gain", "&#x27;exponential&#x27;", "10", "larger"):
        assert text in html
    html = irm.get_scorer(measure, qid="<query>")._repr_html_()
    for text in ("ndcg_score", "response_method", "decision_function", "larger"):
        assert text in html
    assert "&lt;query&gt;" in html
    assert "<query>" not in html
    assert "smaller" in irm.get_scorer("set_cost")._repr_html_()


def test_notebooks_show_scorers_of_other_functions_as_text():
    assert irm.make_ranking_scorer(skm.accuracy_score, qid=None)._repr_html_() is None
