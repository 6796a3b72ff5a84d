"""What may be asked for as an interval, what it is about, and what has none."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.naive_bayes import GaussianNB

from sklearn_irmetrics import get_scorer, ndcg_score
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import evaluate

MODELS = "the models trained here"
TRAINING = "such training on new data"


@pytest.fixture(scope="module")
def rows():
    return make_classification(43, n_features=4, flip_y=0.2, random_state=1)


@pytest.fixture(scope="module")
def queries():
    X, y, qid = make_ranking(n_queries=18, n_docs=8, random_state=3)
    return X, y, qid


def order_of_rows(y_true, y_score):
    return roc_auc_score(y_true, y_score)


class TestPooledRankings:
    @pytest.mark.parametrize(
        "scoring",
        [
            lambda: "roc_auc",
            lambda: "average_precision",
            lambda: {"p@5": get_scorer("p@5", qid=None)},
            lambda: {
                "own": make_scorer(order_of_rows, response_method="decision_function")
            },
        ],
    )
    def test_of_single_rows_are_refused_before_anything_is_fitted(self, rows, scoring):
        scoring = scoring()

        class Untouched(LogisticRegression):
            def fit(self, X, y):
                raise AssertionError("fitted")

        name = next(iter(scoring)) if isinstance(scoring, dict) else scoring
        with pytest.raises(ValueError) as caught:
            evaluate(Untouched(), *rows, scoring=scoring, method="loocv")
        text = str(caught.value)
        assert text.startswith(f"{name} would rank predictions of different models")
        for way in ("method='lpocv'", "method='stratified'", "aggregate='pooled'"):
            assert way in text

    def test_name_only_the_measures_concerned(self, rows):
        scoring = ["accuracy", "roc_auc", "neg_log_loss", "f1"]
        with pytest.raises(ValueError, match="^roc_auc would rank"):
            evaluate(GaussianNB(), *rows, scoring=scoring, method="loocv")
        scoring.remove("roc_auc")
        result = evaluate(GaussianNB(), *rows, scoring=scoring, method="loocv")
        assert all(low < high for low, high in result.confidence_interval.values())

    @pytest.mark.parametrize("method", ["loocv", "kfold"])
    def test_have_no_interval_where_they_are_asked_for(self, rows, method):
        options = {"method": method, "aggregate": "pooled", "random_state": 0}
        result = evaluate(
            GaussianNB(), *rows, scoring=["roc_auc", "accuracy"], **options
        )
        assert np.isnan(result.confidence_interval["roc_auc"]).all()
        how = "none: different models are ranked together"
        assert result.interval_method["roc_auc"] == how
        assert not np.isnan(result.confidence_interval["accuracy"]).any()
        assert "intervals are about the models trained here" in repr(result)

    def test_queries_are_ranked_by_one_model_each(self, queries):
        X, y, qid = queries
        result = evaluate(Ridge(), X, y, qid=qid, scoring="gmap", method="loocv")
        assert result.aggregate == {"gmap": "pooled"}
        assert not np.isnan(result.confidence_interval["gmap"]).any()


class TestLeavePairOut:
    @pytest.mark.parametrize("ours", [False, True])
    def test_against_a_loop(self, rows, ours):
        X, y = (part[:24] for part in rows)
        scoring = get_scorer("roc_auc", qid=None) if ours else "roc_auc"
        result = evaluate(GaussianNB(), X, y, scoring=scoring, method="lpocv")
        wins = []
        for i in np.flatnonzero(y == 1):
            for j in np.flatnonzero(y == 0):
                rest = np.delete(np.arange(len(y)), [i, j])
                model = GaussianNB().fit(X[rest], y[rest])
                first, second = model.predict_proba(X[[i, j]])[:, 1]
                wins.append((first > second) + 0.5 * (first == second))
        (value,) = result.estimate.values()
        assert value == pytest.approx(np.mean(wins))
        assert f"leave-pair-out, {len(wins)} pairs" in repr(result)
        (how,) = result.interval_method.values()
        assert how == "none: pairs share rows and training data"

    def test_some_pairs_are_distinct_and_use_rows_alike(self, rows):
        X, y = rows
        options = {"scoring": "roc_auc", "method": "lpocv", "random_state": 0}
        result = evaluate(GaussianNB(), X, y, n_splits=60, **options)
        pairs = result.predictions.row.reshape(-1, 2)
        pairs = np.take_along_axis(pairs, np.argsort(-y[pairs], axis=1), axis=1)
        assert len({tuple(pair) for pair in pairs.tolist()}) == 60
        assert set(y[pairs[:, 0]]) == {1}
        assert set(y[pairs[:, 1]]) == {0}
        for side, rows_ in zip(pairs.T, (y == 1, y == 0), strict=True):
            counts = np.bincount(side, minlength=len(y))[rows_]
            assert np.ptp(counts) <= 2

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"scoring": ["roc_auc", "f1"]}, "estimates roc_auc, .* got f1"),
            ({"aggregate": "pooled"}, "got aggregate='pooled'"),
            ({"groups": np.arange(43) // 2}, "leaves out pairs of rows"),
            ({"y": np.arange(43) % 3}, "two classes; got 3 classes"),
            ({"n_splits": 463}, "n_splits must be at most the number of pairs"),
        ],
    )
    def test_errors(self, rows, change, message):
        X, y = rows
        y = change.pop("y", y)
        options = {"scoring": "roc_auc", "method": "lpocv", **change}
        with pytest.raises(ValueError, match=message):
            evaluate(GaussianNB(), X, y, **options)

    def test_many_pairs_want_a_number(self):
        X, y = make_classification(400, random_state=0)
        with pytest.raises(ValueError, match="a model for each of .* pairs: set n_"):
            evaluate(GaussianNB(), X, y, scoring="roc_auc", method="lpocv")


class TestKinds:
    @pytest.mark.parametrize("ranked", [False, True])
    def test_corrected_t_is_over_splits(self, rows, queries, ranked):
        X, y = rows
        options = {"scoring": "accuracy"}
        if ranked:
            X, y, options["qid"] = queries
            options["scoring"] = "ndcg@5"
        estimator = Ridge() if ranked else GaussianNB()
        options |= {"interval": "corrected_t", "random_state": 0}
        result = evaluate(estimator, X, y, **options)
        name = options["scoring"]
        scores = result.split_scores[name]
        share = np.mean(result.n_test / result.n_train)
        error = np.sqrt((1 / 5 + share) * scores.var(ddof=1))
        assert result.standard_error[name] == pytest.approx(error)
        ends = stats.t.interval(0.95, 4, scores.mean(), error)
        assert_allclose(result.confidence_interval[name], np.clip(ends, 0, 1))
        assert result.interval_about == {name: TRAINING}

    @pytest.mark.parametrize(
        ("method", "about"),
        [("holdout", MODELS), ("kfold", MODELS), ("bootstrap632", TRAINING)],
    )
    def test_what_each_is_about(self, rows, method, about):
        options = {"n_splits": 10} if method == "bootstrap632" else {}
        options |= {"scoring": "accuracy", "method": method, "random_state": 0}
        result = evaluate(GaussianNB(), *rows, **options)
        assert result.interval_about == {"accuracy": about}
        assert f"intervals are about {about}" in repr(result)
        assert result.to_frame()["about"].tolist() == [about]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"interval": "t"}, "needs scores of units, not of splits.*accuracy"),
            ({"interval": "bca"}, "needs measures that are means over queries"),
            ({"interval": "corrected_t", "method": "holdout"}, "needs several splits"),
            ({"interval": "corrected_t", "method": "bootstrap"}, "several splits"),
            ({"interval": "corrected_t", "method": "loocv"}, "several splits"),
            ({"interval": "corrected_t", "aggregate": "pooled"}, "has none"),
            ({"interval": "nested", "method": "subsampling"}, "needs method='kfold'"),
            ({"interval": "nested"}, "n_repeats of at least 5.*got 1"),
            (
                {"interval": "nested", "n_splits": 2, "n_repeats": 9},
                "at least 3; got 2",
            ),
            ({"interval": "nested", "n_repeats": 5, "resample": "over"}, "resample"),
        ],
    )
    def test_errors(self, rows, options, message):
        with pytest.raises(ValueError, match=message):
            evaluate(GaussianNB(), *rows, **{"scoring": "accuracy", **options})

    def test_no_interval_leaves_the_range(self):
        X, y = make_classification(60, class_sep=3, flip_y=0, random_state=0)
        scoring = ["accuracy", "f1", "roc_auc", "matthews_corrcoef", "neg_log_loss"]
        for options in (
            {},
            {"n_repeats": 5, "interval": "nested", "n_splits": 3},
            {"method": "holdout"},
            {"method": "bootstrap632", "n_splits": 20},
            {"aggregate": "pooled"},
        ):
            result = evaluate(
                LogisticRegression(), X, y, scoring=scoring, random_state=0, **options
            )
            for name, (low, high) in result.confidence_interval.items():
                if np.isnan(low):
                    how = result.interval_method[name]
                    assert how.startswith(("none: different", "none: all"))
                    continue
                assert low <= result.estimate[name] + 1e-9
                if name == "neg_log_loss":
                    assert high <= 0
                else:
                    assert -1.0 * (name == "matthews_corrcoef") <= low < high <= 1


def naive_nested(X, y, qid, folds):
    """Fold by fold and query by query, with plain means."""
    outside, inside, variances = [], [], []
    for repeat in folds:

        def values(left_out, tested):
            train = ~np.isin(qid, np.concatenate(left_out))
            model = clone(Ridge()).fit(X[train], y[train])
            return [
                ndcg_score(y[qid == q], model.predict(X[qid == q]), k=5) for q in tested
            ]

        for fold in repeat:
            out = np.array(values([fold], fold))
            outside.append(out.mean())
            variances.append(out.var(ddof=1) / len(out))
            others = [other for other in repeat if other is not fold]
            inside.append(
                np.mean(sum([values([fold, other], other) for other in others], []))
            )
    k = len(folds[0])
    spread = np.mean((np.array(inside) - outside) ** 2 - variances)
    single = np.sqrt(np.mean(variances) / k)
    error = np.sqrt(max(spread, 0) * (k - 1) / k)
    error = min(max(error, single), single * np.sqrt(k))
    lost = (1 + (k - 2) / k) * (np.mean(inside) - np.mean(outside))
    return error, np.mean(inside) - lost


@pytest.mark.parametrize(("n_splits", "seed"), [(3, 0), (4, 1)])
def test_nested_against_a_naive_reference(n_splits, seed):
    X, y, qid = make_ranking(n_queries=13, n_docs=6, random_state=seed)
    y[qid == 0] = 1  # in no query is nothing to find
    y[np.unique(qid, return_index=True)[1]] = 1
    options = {"qid": qid, "scoring": "ndcg@5", "interval": "nested"}
    options |= {"n_splits": n_splits, "n_repeats": 5, "random_state": seed}
    result = evaluate(Ridge(), X, y, **options)
    split, ids = result.query_scores.split, result.query_scores.query_ids
    folds = [
        [ids[split == repeat * n_splits + k] for k in range(n_splits)]
        for repeat in range(5)
    ]
    error, centre = naive_nested(X, y, qid, folds)
    assert result.standard_error["ndcg@5"] == pytest.approx(error)
    reach = stats.norm.ppf(0.975) * error
    ends = np.clip([centre - reach, centre + reach], 0, 1)
    assert_allclose(result.confidence_interval["ndcg@5"], ends)
    assert result.interval_about == {"ndcg@5": TRAINING}


def test_nested_intervals_at_the_end_of_the_range_hold_their_estimate():
    X, y = make_classification(60, class_sep=3, flip_y=0, random_state=0)
    options = {"interval": "nested", "n_splits": 3, "n_repeats": 5, "random_state": 0}
    result = evaluate(GaussianNB(), X, y, scoring="neg_log_loss", **options)
    low, high = result.confidence_interval["neg_log_loss"]
    assert low < result.estimate["neg_log_loss"] < high == 0
