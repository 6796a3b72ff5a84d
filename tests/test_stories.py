"""What the package is for, told by its public names alone.

Numbers are those of scikit-learn and NumPy, computed again from what a user can see.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn import config_context
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import average_precision_score, ndcg_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sklearn_irmetrics as irm
from sklearn_irmetrics.comparison import compare
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.model_selection import BootstrapSplit, QueryKFold, evaluate
from sklearn_irmetrics.reports import threshold_curve

N_QUERIES = 24
X, Y, QID = make_ranking(
    N_QUERIES, (8, 12), n_features=4, n_grades=3, noise=2.0, random_state=0
)
WITH_IDS = np.column_stack([QID, X])
FOLDS = list(GroupKFold(4).split(X, Y, QID))


def ndcg_by_query(y_true, y_score, qid):
    """Ask scikit-learn for nDCG@5 of each query."""
    return {
        query: ndcg_score([y_true[qid == query]], [y_score[qid == query]], k=5)
        for query in dict.fromkeys(qid.tolist())
    }


def trained(train, test, alpha=1.0):
    """Fit on some rows; return nDCG@5 of each query among others."""
    predicted = Ridge(alpha).fit(X[train], Y[train]).predict(X[test])
    return ndcg_by_query(Y[test], predicted, QID[test])


def mean(by_query):
    return np.mean([*by_query.values()])


# Searches and pipelines ---------------------------------------------------------------


def test_a_search_tunes_by_ndcg():
    alphas = [0.01, 30.0, 1000.0]
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            Ridge(),
            {"alpha": alphas},
            scoring=irm.get_scorer("ndcg@5"),
            cv=QueryKFold(4),
        ).fit(X, Y, qid=QID)
    expected = [np.mean([mean(trained(*f, alpha)) for f in FOLDS]) for alpha in alphas]
    assert_allclose(search.cv_results_["mean_test_score"], expected, rtol=1e-12)
    assert search.best_params_ == {"alpha": alphas[np.argmax(expected)]}


def test_folds_give_the_same_numbers_with_routing_and_with_a_column_of_ids():
    with config_context(enable_metadata_routing=True):
        routed = cross_validate(
            Ridge(),
            X,
            Y,
            scoring=irm.get_scorer("ndcg@5"),
            cv=QueryKFold(4),
            params={"qid": QID},
        )
    by_column = cross_validate(
        QueryRanker(Ridge(), qid=0),
        WITH_IDS,
        Y,
        scoring=irm.get_scorer("ndcg@5", qid=0),
        cv=QueryKFold(4, qid=0),
    )
    expected = [mean(trained(*fold)) for fold in FOLDS]
    for found in (routed, by_column):
        assert_allclose(found["test_score"], expected, rtol=1e-12)


def test_a_pipeline_leaves_the_column_of_ids_out():
    scale = ColumnTransformer([("scale", StandardScaler(), slice(1, None))])
    search = GridSearchCV(
        make_pipeline(scale, Ridge()),
        {"ridge__alpha": [1.0, 100.0]},
        scoring=irm.get_scorer("ndcg@5", qid=0),
        cv=QueryKFold(4, qid=0),
    ).fit(WITH_IDS, Y)
    scaled = make_pipeline(StandardScaler(), Ridge())
    expected = [
        mean(
            ndcg_by_query(
                Y[test],
                scaled.set_params(ridge__alpha=alpha)
                .fit(X[train], Y[train])
                .predict(X[test]),
                QID[test],
            )
        )
        for alpha in (1.0, 100.0)
        for train, test in FOLDS
    ]
    assert_allclose(
        search.cv_results_["mean_test_score"],
        np.reshape(expected, (2, 4)).mean(axis=1),
        rtol=1e-12,
    )


# Estimates ----------------------------------------------------------------------------

N_SPLITS = {
    "holdout": 1,
    "subsampling": 10,
    "kfold": 5,
    "loocv": N_QUERIES,
    "stratified": 5,
}


def estimate(method, **options):
    return evaluate(
        Ridge(),
        X,
        Y,
        qid=QID,
        scoring="ndcg@5",
        method=method,
        random_state=0,
        **options,
    )


@pytest.mark.parametrize("method", N_SPLITS)
def test_a_method_trains_on_the_queries_that_it_does_not_test(method):
    found = estimate(method)
    shown = found.predictions
    times_tested, values = [], []
    for split in range(N_SPLITS[method]):
        test = shown.row[shown.split == split]
        train = np.flatnonzero(~np.isin(QID, QID[test]))
        values.append(trained(train, test))
        times_tested += values[-1]
    assert shown.split.max() == N_SPLITS[method] - 1
    if method not in ("holdout", "subsampling"):
        assert sorted(times_tested) == sorted(set(QID.tolist()))
    else:
        assert len(times_tested) == N_SPLITS[method] * N_QUERIES / 3
    # A query that was tested several times counts once, with its mean.
    expected = [
        np.mean([one[query] for one in values if query in one])
        for query in set(times_tested)
    ]
    assert found.estimate["ndcg@5"] == pytest.approx(np.mean(expected), rel=1e-12)
    low, high = found.confidence_interval["ndcg@5"]
    assert 0 <= low < found.estimate["ndcg@5"] < high <= 1


@pytest.mark.parametrize("method", ["bootstrap", "bootstrap632", "bootstrap632+"])
def test_bootstraps_correct_for_what_was_trained_on(method):
    found = estimate(method, n_splits=15)
    drawn = BootstrapSplit(15, random_state=0).split(X, Y, QID)
    values = [trained(train, test) for train, test in drawn]
    left_out = np.mean(
        [
            np.mean([one[query] for one in values if query in one])
            for query in set(QID.tolist())
            if any(query in one for one in values)
        ]
    )
    everything = np.arange(len(Y))
    apparent = mean(trained(everything, everything))
    chance = mean(ndcg_by_query(Y, np.zeros(len(Y)), QID))
    assert chance < left_out < apparent
    overfit = (apparent - left_out) / (apparent - chance)
    weight = {
        "bootstrap": 1.0,
        "bootstrap632": 0.632,
        "bootstrap632+": 0.632 / (1 - 0.368 * overfit),
    }[method]
    expected = (1 - weight) * apparent + weight * left_out
    assert found.estimate["ndcg@5"] == pytest.approx(expected, rel=1e-10)


def test_a_classifier_without_queries_has_the_scores_of_scikit_learn():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    scoring = ["accuracy", "roc_auc", "average_precision", "f1"]
    found = evaluate(model, X, y, scoring=scoring, method="stratified", random_state=0)
    shown = found.predictions
    splits = [
        (np.flatnonzero(~np.isin(np.arange(len(y)), test)), test)
        for test in (shown.row[shown.split == split] for split in range(5))
    ]
    expected = cross_validate(model, X, y, scoring=scoring, cv=splits)
    for name in scoring:
        assert_allclose(found.split_scores[name], expected[f"test_{name}"])
        assert found.estimate[name] == pytest.approx(expected[f"test_{name}"].mean())
    fitted = model.fit(X[::2], y[::2])
    decided = fitted.decision_function(X[1::2])
    for measure, theirs in (
        (irm.average_precision_score, average_precision_score),
        (irm.roc_auc_score, roc_auc_score),
    ):
        assert measure(y[1::2], decided) == pytest.approx(theirs(y[1::2], decided))


# Comparisons and reports --------------------------------------------------------------


def test_two_systems_are_compared_by_their_queries():
    systems = {
        "sum": X.sum(axis=1),
        "trained": Ridge().fit(X, Y).predict(X),
    }
    scored = {
        name: irm.score_queries(Y, y_score, "ndcg@5", qid=QID)
        for name, y_score in systems.items()
    }
    by_hand = [
        [*ndcg_by_query(Y, y_score, QID).values()] for y_score in systems.values()
    ]
    for one, expected in zip(scored.values(), by_hand, strict=True):
        assert_allclose(one.scores["ndcg@5"], expected, rtol=1e-12)
    found = compare(scored, test="ttest")
    expected = stats.ttest_rel(*by_hand)
    (difference,), (p_value,) = found.estimate, found.p_value
    assert abs(difference) == pytest.approx(abs(np.subtract(*by_hand).mean()))
    assert p_value == pytest.approx(expected.pvalue)
    low, high = expected.confidence_interval(0.95)
    sides = np.sort(np.abs(found.confidence_interval[0]))
    assert_allclose(sides, np.sort(np.abs([low, high])))


def test_a_report_says_what_a_system_is_worth():
    y_score = X[:, 0]
    text = str(irm.ranking_report(Y, y_score, qid=QID, metrics=["ndcg@5", "map"]))
    values = ndcg_by_query(Y, y_score, QID)
    relevant = Y > 0
    precision = [
        average_precision_score(relevant[own], y_score[own])
        for own in (query == QID for query in set(QID.tolist()))
        if relevant[own].any()
    ]
    rows = {line.split()[0]: line.split()[1] for line in text.splitlines() if line}
    assert f"{N_QUERIES} queries, {len(Y)} documents" in text
    assert rows["ndcg@5"] == f"{mean(values):.3f}"
    assert rows["map"] == f"{np.mean(precision):.3f}"


def test_a_system_that_may_return_nothing():
    y_true = np.where(QID % 3 == 0, 0, Y)  # a third has no answer
    score = X @ np.array([1.0, 0.5, 0.0, 0.0])
    threshold = 2.0
    returned = np.where(score >= threshold, score, -np.inf)
    silent, found = [], []
    for query in range(N_QUERIES):
        rows = query == QID
        is_returned, relevant = returned[rows] > -np.inf, y_true[rows] > 0
        if not relevant.any():
            silent.append(not is_returned.any())
        else:
            found.append((is_returned & relevant).sum() / relevant.sum())
    expected = {"silence": np.mean(silent), "recall": np.mean(found)}
    assert 0 < expected["silence"] < 1 and 0 < expected["recall"] < 1
    quiet = pytest.warns(UserWarning, match="is undefined in .* of 24 queries")
    for metric, mean in expected.items():
        with quiet:
            at = threshold_curve(
                metric, y_true, score, thresholds=[threshold, np.inf], qid=QID
            ).values
        assert_allclose(at, [mean, float(metric == "silence")])
    with quiet:
        scores = irm.score_queries(y_true, returned, [*expected], qid=QID)
        report = irm.ranking_report(y_true, returned, metrics=[*expected], qid=QID)
        stream = irm.streaming.StreamingEvaluator([*expected])
        stream.update(y_true, returned, qid=QID)
        in_parts = stream.compute()
        evaluator = irm.reports.RankingEvaluator(y_true, [*expected], qid=QID)(returned)
    for means in (scores.mean, report.estimate, in_parts.mean, evaluator):
        assert means == pytest.approx(expected)
    assert scores.n_defined == {"silence": len(silent), "recall": len(found)}
    low, high = report.confidence_interval["silence"]
    assert 0 <= low < expected["silence"] < high <= 1
    run = {
        str(query): {str(row): returned[row] for row in np.flatnonzero(query == QID)}
        for query in range(N_QUERIES)
    }
    run = {
        query: {row: score for row, score in one.items() if score > -np.inf}
        for query, one in run.items()
    }
    qrels = {
        str(query): [str(row) for row in np.flatnonzero((query == QID) & (y_true > 0))]
        for query in range(N_QUERIES)
    }
    with quiet:
        of_run = irm.score_run(qrels, run, [*expected], unmatched="ignore")
    assert of_run.mean == pytest.approx(expected)
