"""Ranking scorers in everything of scikit-learn that takes `scoring=`.

Each consumer is run with metadata routing on and off, with query ids passed, forgotten,
or in a column of X. It must give the number that a loop by hand gives, or fail with a
message that helps: never a number of something else.
"""

import inspect
import re
import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from joblib import parallel_backend
from numpy.testing import assert_allclose
from sklearn import config_context
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
)
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    LeaveOneOut,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.discovery import all_estimators, all_functions

import sklearn_irmetrics as irm
from oracles.places import ROOT
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import QueryKFold

NEEDS_IDS = "needs query ids"
CHANGED_COLUMNS = "must name a column"


class Learner(LogisticRegression):
    """A classifier that takes query ids in `fit`, as routing off hands them to it."""

    __metadata_request__fit = {"qid": False}

    def fit(self, X, y, sample_weight=None, qid=None):
        return super().fit(X, y, sample_weight)


def without_ids(X):
    return X[:, 1:]


def make_learner(ids, model=None):
    """The model, after a step that takes the id column out where there is one."""
    model = Learner() if model is None else model
    if ids == "column":
        return make_pipeline(FunctionTransformer(without_ids), model)
    return model


@dataclass
class Case:
    """One way to call a consumer."""

    X: np.ndarray
    y: np.ndarray
    qid: np.ndarray
    features: np.ndarray
    folds: list
    cv: object
    ids: str
    params: dict
    error_score: object = "raise"

    def scorer(self, name="ndcg@5", **kwargs):
        options = self.qid_argument | kwargs
        return irm.get_scorer(name, replace_undefined_by=0.0, **options)

    @property
    def qid_argument(self):
        return {"qid": 0} if self.ids == "column" else {}

    @property
    def of_folds(self):
        return {"cv": self.cv, "error_score": self.error_score}

    def call(self, function, model=None, scoring=None, **options):
        """Call a function that takes a model, data and metadata."""
        options = {"params": self.params, **self.of_folds, **options}
        scoring = self.scorer() if scoring is None else scoring
        model = make_learner(self.ids, model)
        return function(model, self.X, self.y, scoring=scoring, **options)

    def by_hand(self, model=None, columns=slice(None), metric=None):
        """Score of each fold, of a model that sees some features."""
        model = LogisticRegression() if model is None else model
        X, y, qid = self.features[:, columns], self.y, self.qid
        scores = []
        for train, test in self.folds:
            fitted = model.fit(X[train], y[train])
            respond = getattr(fitted, "decision_function", fitted.predict)
            score = (metric or ndcg_at_5)(y[test], respond(X[test]), qid=qid[test])
            scores.append(score)
        return np.array(scores)


def ndcg_at_5(y_true, y_score, qid):
    return irm.ndcg_score(y_true, y_score, k=5, qid=qid, replace_undefined_by=0.0)


def make_case(routing, ids, error_score="raise"):
    features, y, qid = make_ranking(
        n_queries=24, n_docs=(8, 12), n_features=4, n_informative=3, random_state=5
    )
    y = (y > 0).astype(int)
    y[np.unique(qid, return_index=True)[1]] = 1
    order = np.random.default_rng(0).permutation(len(y))
    features, y, qid = features[order], y[order], qid[order]
    folds = list(GroupKFold(3).split(features, y, qid))
    passed = ids == "passed"
    return Case(
        X=np.column_stack([qid, features]) if ids == "column" else features,
        y=y,
        qid=qid,
        features=features,
        folds=folds,
        cv=QueryKFold(3) if routing and passed else folds,
        ids=ids,
        params={"qid": qid} if passed else {},
        error_score=error_score,
    )


# Consumers: what they give, and what a loop by hand gives.


def run_cross_validate(c):
    return c.call(cross_validate)["test_score"], c.by_hand()


def run_cross_val_score(c):
    return c.call(cross_val_score), c.by_hand()


def run_multimetric(c):
    scoring = irm.get_scorers(["ndcg@5", "map"], **c.qid_argument)
    scores = c.call(cross_validate, scoring=scoring)
    return (
        [scores["test_ndcg@5"], scores["test_map"]],
        [c.by_hand(), c.by_hand(metric=irm.average_precision_score)],
    )


def run_in_threads(c):
    with parallel_backend("threading", n_jobs=2):
        return run_cross_validate(c)


def run_in_processes(c):
    with parallel_backend("loky", n_jobs=2):
        return run_cross_validate(c)


def fold_scores(search, candidate):
    return [
        search.cv_results_[f"split{i}_test_score"][candidate]
        for i in range(search.n_splits_)
    ]


def run_search(c, Search, values=(0.01, 1.0), **kwargs):
    name = "learner__C" if c.ids == "column" else "C"
    options = {"scoring": c.scorer(), **c.of_folds, **kwargs}
    search = Search(make_learner(c.ids), {name: list(values)}, **options)
    search.fit(c.X, c.y, **c.params)
    if search.refit:
        refitted = LogisticRegression(C=search.best_params_[name])
        score = refitted.fit(c.features, c.y).decision_function(c.features)
        assert search.score(c.X, c.y, **c.params) == pytest.approx(
            ndcg_at_5(c.y, score, c.qid)
        )
    return (
        [fold_scores(search, 0), fold_scores(search, 1)],
        [c.by_hand(LogisticRegression(C=value)) for value in values],
    )


def run_grid_search(c):
    return run_search(c, GridSearchCV)


def run_randomized_search(c):
    return run_search(c, RandomizedSearchCV, n_iter=2, refit=False)


def run_halving(c, Search=HalvingGridSearchCV, **kwargs):
    """Trees are what grows: rows would cut queries."""

    class Boosting(GradientBoostingClassifier):
        __metadata_request__fit = {"qid": False}

        def fit(self, X, y, sample_weight=None, qid=None):
            return super().fit(X, y, sample_weight)

    model = Boosting(max_depth=2, random_state=0)
    prefix = "boosting__" if c.ids == "column" else ""
    options = {"min_resources": 3, "max_resources": 6, "factor": 2, **c.of_folds}
    search = Search(
        make_learner(c.ids, model),
        {prefix + "learning_rate": [0.1, 0.5]},
        resource=prefix + "n_estimators",
        scoring=c.scorer(),
        random_state=0,
        **options,
        **kwargs,
    ).fit(c.X, c.y, **c.params)
    results = search.cv_results_
    (last,) = np.flatnonzero(results["iter"] == 1)
    rate = results[f"param_{prefix}learning_rate"][last]
    grown = {"max_depth": 2, "random_state": 0, "n_estimators": 6}
    by_hand = GradientBoostingClassifier(learning_rate=rate, **grown)
    return fold_scores(search, last), c.by_hand(by_hand)


def run_halving_random(c):
    return run_halving(c, HalvingRandomSearchCV, n_candidates=2)


def run_learning_curve(c):
    return c.call(learning_curve, train_sizes=[1.0])[2][0], c.by_hand()


def run_validation_curve(c):
    options = {"param_name": "learner__C" if c.ids == "column" else "C"}
    _, scores = c.call(validation_curve, param_range=[0.01, 1.0], **options)
    return scores, [c.by_hand(LogisticRegression(C=value)) for value in (0.01, 1.0)]


def run_permutation_test(c):
    options = {"scoring": c.scorer(), "cv": c.cv, "params": c.params}
    model = make_learner(c.ids)
    score, _, _ = permutation_test_score(model, c.X, c.y, n_permutations=2, **options)
    return score, c.by_hand().mean()


def run_permutation_importance(c):
    """Never routes; a permuted copy of X goes to the scorer."""
    model = make_learner(c.ids).fit(c.X, c.y)
    got = permutation_importance(
        model, c.X, c.y, scoring=c.scorer(), n_repeats=1, random_state=0
    ).importances[-1, 0]
    fitted = LogisticRegression().fit(c.features, c.y)
    seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max + 1)
    rows = np.arange(len(c.y))
    np.random.RandomState(seed).shuffle(rows)
    permuted = c.features.copy()
    permuted[:, -1] = permuted[rows, -1]
    before, after = (
        ndcg_at_5(c.y, fitted.decision_function(X), c.qid)
        for X in (c.features, permuted)
    )
    return got, before - after


def run_rfecv(c):
    selector = RFECV(Learner(), scoring=c.scorer(), cv=c.cv).fit(c.X, c.y, **c.params)
    results = selector.cv_results_
    return [results[f"split{i}_test_score"][-1] for i in range(3)], c.by_hand()


def run_sequential_selection(c):
    selector = SequentialFeatureSelector(
        Learner(), n_features_to_select=1, scoring=c.scorer(), cv=c.cv
    ).fit(c.X, c.y, **c.params)
    alone = [c.by_hand(columns=[j]).mean() for j in range(c.features.shape[1])]
    return np.flatnonzero(selector.get_support()), [np.argmax(alone)]


def run_tuned_threshold(c):
    """The score function sees classes, not scores."""
    thresholds = np.array([0.2, 0.5, 0.7])
    tuned = TunedThresholdClassifierCV(
        make_learner(c.ids),
        thresholds=thresholds,
        scoring=c.scorer("set_f1", **{"qid": "metadata"} | c.qid_argument),
        response_method="predict_proba",
        cv=c.cv,
        store_cv_results=True,
    ).fit(c.X, c.y, **c.params)
    expected = []
    for train, test in c.folds:
        fitted = LogisticRegression().fit(c.features[train], c.y[train])
        probability = fitted.predict_proba(c.features[test])[:, 1, np.newaxis]
        found = (probability >= thresholds).T
        expected.append(
            [irm.set_f1_score(c.y[test], one, qid=c.qid[test]) for one in found]
        )
    return tuned.cv_results_["scores"], np.mean(expected, axis=0)


def run_logistic_regression_cv(c):
    """The model sees the id column as a feature."""
    values = [0.01, 1.0]
    with warnings.catch_warnings():
        # 1.8 and 1.9 announce changes of defaults that do not matter here
        warnings.simplefilter("ignore", FutureWarning)
        fitted = LogisticRegressionCV(
            Cs=values, scoring=c.scorer(), cv=c.cv, tol=1e-8, max_iter=10_000
        ).fit(c.X, c.y, **c.params)
    c.features = c.X
    scores = fitted.scores_
    scores = scores[1] if isinstance(scores, dict) else scores
    return np.transpose(scores), [
        c.by_hand(LogisticRegression(C=value, tol=1e-8, max_iter=10_000))
        for value in values
    ]


def run_ridge_cv(c, Search=RidgeCV, model=None):
    """The model sees the id column as a feature."""
    fitted = Search(alphas=[1.0], scoring=c.scorer(), cv=c.cv).fit(c.X, c.y, **c.params)
    c.features = c.X
    return fitted.best_score_, c.by_hand(model or Ridge()).mean()


def run_ridge_classifier_cv(c):
    with warnings.catch_warnings():
        # It weighs rows by 1, and 1.9 says that the scorer does not.
        warnings.filterwarnings("ignore", "The scoring .* does not support sample_wei")
        return run_ridge_cv(c, RidgeClassifierCV, RidgeClassifier())


def run_ridge_cv_leaving_one_out(c):
    """Scores all predictions out of fold at once; there is no X then."""
    # scikit-learn 1.6 asks for predictions by name
    scorer = c.scorer(response_method="predict")
    fitted = RidgeCV(alphas=[1.0], scoring=scorer).fit(c.X, c.y, **c.params)
    score = cross_val_predict(Ridge(), c.X, c.y, cv=LeaveOneOut(), params={})
    return fitted.best_score_, ndcg_at_5(c.y, score, c.qid)


def run_voting(c):
    return run_ensemble(c, VotingClassifier, voting="soft")


def run_stacking(c):
    return run_ensemble(c, StackingClassifier, cv=2)


def run_ensemble(c, Ensemble, **kwargs):
    """As what is scored; they take no scoring of their own."""
    members = [("a", LogisticRegression()), ("b", LogisticRegression(C=0.01))]
    scoring = c.scorer(response_method="predict_proba")
    scores = c.call(cross_val_score, Ensemble(members, **kwargs), scoring)

    class Probability(Ensemble):
        def decision_function(self, X):
            return self.predict_proba(X)[:, 1]

    return scores, c.by_hand(Probability(members, **kwargs))


def run_hist_gradient_boosting(c, Boosting=HistGradientBoostingClassifier):
    """Its early stopping scores binned rows and never routes."""
    Boosting(max_iter=2, early_stopping=True, scoring=c.scorer()).fit(c.X, c.y)
    return None, None


def run_hist_gradient_boosting_regressor(c):
    return run_hist_gradient_boosting(c, HistGradientBoostingRegressor)


# What differs from: a number where ids are routed or in a column, an error elsewhere.
NEVER_ROUTES = {(True, "passed"): NEEDS_IDS}
COLUMN_IS_LOST = {(r, "column"): CHANGED_COLUMNS for r in (True, False)}
COLUMN_IS_NOT_READ = {(r, "column"): NEEDS_IDS for r in (True, False)}

CONSUMERS = {
    run_cross_validate: {},
    run_cross_val_score: {},
    run_multimetric: {},
    run_in_threads: {},
    run_in_processes: {},
    run_grid_search: {},
    run_randomized_search: {},
    run_halving: {},
    run_halving_random: {},
    run_learning_curve: {},
    run_validation_curve: {},
    run_permutation_test: {},
    run_permutation_importance: NEVER_ROUTES,
    run_rfecv: COLUMN_IS_LOST,
    run_sequential_selection: COLUMN_IS_LOST,
    run_tuned_threshold: COLUMN_IS_NOT_READ,
    run_logistic_regression_cv: {},
    run_ridge_cv: {},
    run_ridge_classifier_cv: {},
    run_ridge_cv_leaving_one_out: COLUMN_IS_LOST,
    run_voting: {},
    run_stacking: {},
    run_hist_gradient_boosting: NEVER_ROUTES,
    run_hist_gradient_boosting_regressor: NEVER_ROUTES,
}
CASES = [
    (run, ids)
    for run in CONSUMERS
    for ids in ("passed", "forgotten", "column")
    # The ids are binned there: right up to 255 queries, and nothing tells.
    if not (run.__name__.startswith("run_hist") and ids == "column")
]


# Everything that takes scoring: of each there is a run above, but of the last line.
TAKERS = {"GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "RFECV"}
TAKERS |= {"HalvingRandomSearchCV", "SequentialFeatureSelector", "cross_validate"}
TAKERS |= {"TunedThresholdClassifierCV", "LogisticRegressionCV", "cross_val_score"}
TAKERS |= {"RidgeCV", "RidgeClassifierCV", "HistGradientBoostingClassifier"}
TAKERS |= {"HistGradientBoostingRegressor", "learning_curve", "validation_curve"}
TAKERS |= {"permutation_test_score", "permutation_importance"}
UNDER_US = {"check_scoring", "get_scorer"}
TAKERS |= UNDER_US


def test_every_consumer_is_here():
    assert {
        name
        for name, taker in [*all_estimators(), *all_functions()]
        if "scoring" in inspect.signature(taker).parameters
    } == TAKERS


def problem_of(run, routing, ids):
    """What the error says, or None where a number is due."""
    if ids == "column" or (routing and ids == "passed"):
        return CONSUMERS[run].get((routing, ids))
    # Some consumers say themselves that only routing passes ids on.
    return NEEDS_IDS if ids == "forgotten" else "enable_metadata_routing=True"


@pytest.mark.parametrize("routing", [True, False])
@pytest.mark.parametrize(
    ("run", "ids"), CASES, ids=[f"{run.__name__[4:]}-{ids}" for run, ids in CASES]
)
def test_right_number_or_clear_error(run, routing, ids):
    problem = problem_of(run, routing, ids)
    with config_context(enable_metadata_routing=routing):
        case = make_case(routing, ids)
        if problem is None:
            got, by_hand = run(case)
            assert_allclose(got, by_hand, rtol=1e-9)
        else:
            # The warning of failed folds, where there is no error_score="raise".
            with pytest.raises((ValueError, UserWarning), match=problem):
                run(case)


# The rows of the table in docs/consumers.md: what each is about, and its runs above.
TABLE = [
    ("cross_validate cross_val_score", [run_cross_validate, run_cross_val_score]),
    ("get_scorers", [run_multimetric]),
    ("n_jobs", [run_in_threads, run_in_processes]),
    ("GridSearchCV RandomizedSearchCV", [run_grid_search, run_randomized_search]),
    ("HalvingGridSearchCV HalvingRandomSearchCV", [run_halving, run_halving_random]),
    ("n_samples", []),  # of scikit-learn, which cuts queries there
    ("validation_curve learning_curve", [run_validation_curve, run_learning_curve]),
    ("learning_curve train_sizes", []),
    ("permutation_test_score", [run_permutation_test]),
    ("permutation_importance", [run_permutation_importance]),
    ("RFECV SequentialFeatureSelector", [run_rfecv, run_sequential_selection]),
    ("TunedThresholdClassifierCV", [run_tuned_threshold]),
    (
        "LogisticRegressionCV RidgeCV RidgeClassifierCV",
        [run_logistic_regression_cv, run_ridge_cv, run_ridge_classifier_cv],
    ),
    ("RidgeCV cv=None", [run_ridge_cv_leaving_one_out]),
    ("VotingClassifier StackingClassifier", [run_voting, run_stacking]),
    (
        "HistGradientBoostingClassifier HistGradientBoostingRegressor",
        [run_hist_gradient_boosting, run_hist_gradient_boosting_regressor],
    ),
]


def read_table():
    text = (ROOT / "docs" / "consumers.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines][1:]


@pytest.mark.parametrize("row", range(len(TABLE)))
def test_the_page_says_what_the_runs_find(row):
    about, runs = TABLE[row]
    consumer, *cells = read_table()[row]
    assert all(word in consumer for word in about.split())
    for run in runs:
        ways = [(True, "passed"), (False, "passed"), (True, "column")]
        for way, cell in zip(ways, cells, strict=True):
            verdict = re.match("works|error|cannot|by name|cuts", cell)
            assert verdict, cell
            if (run, way[1]) in CASES:
                works = problem_of(run, *way) is None
                assert works == (verdict[0] == "works"), (run, way, cell)


def test_the_page_has_everything():
    rows = read_table()
    assert len(rows) == len(TABLE)
    run = [run for _, runs in TABLE for run in runs]
    assert sorted(map(id, run)) == sorted(map(id, CONSUMERS))
    consumers = " ".join(row[0] for row in rows)
    assert [name for name in TAKERS - UNDER_US if f"`{name}" not in consumers] == []


def test_early_stopping_by_a_column_that_has_a_name():
    pd = pytest.importorskip("pandas")
    case = make_case(False, "column")
    named = pd.DataFrame(case.X, columns=["query", *"abcd"])
    scorer = irm.get_scorer("ndcg@5", qid="query")
    model = HistGradientBoostingClassifier(early_stopping=True, scoring=scorer)
    with pytest.raises(ValueError, match=CHANGED_COLUMNS):
        model.fit(named, case.y)


@pytest.mark.parametrize("routing", [True, False])
@pytest.mark.parametrize(
    "run", [run_cross_validate, run_in_processes, run_randomized_search]
)
def test_forgotten_ids_are_nan_with_our_message(run, routing):
    """What scikit-learn makes of the error by default."""
    with config_context(enable_metadata_routing=routing):
        case = make_case(routing, "forgotten", error_score=np.nan)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            got, _ = run(case)
    assert np.isnan(got).all()
    if run is not run_in_processes:  # there the warning is raised, and printed
        messages = [str(warning.message) for warning in caught]
        assert any(NEEDS_IDS in message for message in messages)
