"""How much scores of predictions and of bootstraps would vary with other data."""

import re
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_wine, make_classification, make_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    make_scorer,
)
from sklearn.metrics import get_scorer as get_sklearn_scorer
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor

from oracles.intervals import BY_RANGE, naive_interval
from sklearn_irmetrics import (
    QueryRanker,
    get_scorer,
    make_ranking_scorer,
    precision_at_k_score,
    ranking_report,
)
from sklearn_irmetrics._statistics.bootstrap632 import (
    point632_plus,
    queries632_plus,
)
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import HoldoutSplit, evaluate


class Given(ClassifierMixin, BaseEstimator):
    """Predicts its only feature: what is learned does not matter."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0]

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0).astype(int)]


class Weighed(Given):
    """Takes weights."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y)


def noisy(n, seed=0, signal=1.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    return rng.normal(size=(n, 1)) + signal * (2 * y[:, np.newaxis] - 1), y


def of_all(X, y, scoring, **options):
    """Evaluate on all rows but two, which are trained on."""
    splits = [(np.array([0, 1]), np.arange(2, len(y)))]
    return evaluate(
        Given(), X, y, scoring=scoring, method=splits, random_state=0, **options
    )


@pytest.mark.parametrize("n", [12, 41])
@pytest.mark.parametrize("aggregate", ["pooled", "per_split"])
def test_the_interval_of_a_mean_over_rows_is_of_its_rows(n, aggregate):
    X, y = noisy(n)
    result = of_all(X, y, "accuracy", aggregate=aggregate)
    right = (X[2:, 0] > 0) == y[2:]
    error = right.std(ddof=1) / np.sqrt(n - 2)
    assert result.standard_error["accuracy"] == pytest.approx(error)
    low, high = result.confidence_interval["accuracy"]
    expected = naive_interval(right, None, (0.0, 1.0), 0.95)
    assert (low, high) == pytest.approx(expected, abs=1e-9)
    how = f"t over {n - 2} rows{BY_RANGE}"
    assert re.match(how, result.interval_method["accuracy"])


LOSSES = {
    "neg_log_loss": lambda y, p, proba: -np.log(proba[np.arange(len(y)), y]),
    "neg_brier_score": lambda y, p, proba: (proba[:, 1] - y) ** 2,
    "accuracy": lambda y, p, proba: -1.0 * (p == y),
    "neg_mean_squared_error": lambda y, p, proba: (p - y) ** 2,
    "neg_mean_absolute_error": lambda y, p, proba: abs(p - y),
}


@pytest.mark.parametrize("name", LOSSES)
def test_means_over_rows_have_their_interval_over_rows(name):
    X, y = noisy(60, signal=0.4)
    result = evaluate(GaussianNB(), X, y, scoring=name, random_state=0)
    told = result.predictions
    answers = told.responses.get("predict"), told.responses.get("predict_proba")
    values = -LOSSES[name](told.y_true, *answers)
    assert result.estimate[name] == pytest.approx(values.mean())
    assert result.standard_error[name] == pytest.approx(stats.sem(values))
    assert result.interval_about == {name: "the models trained here"}
    if name in ("accuracy", "neg_brier_score"):
        bounds = (0.0, 1.0) if name == "accuracy" else (-1.0, 0.0)
        expected = naive_interval(values, None, bounds, 0.95)
    else:
        ends = stats.ttest_1samp(values, 0).confidence_interval()
        expected = ends.low, min(ends.high, 0)
    assert_allclose(result.confidence_interval[name], expected)


def test_means_over_rows_with_weights_groups_and_repeats():
    X, y = noisy(61, signal=0.4)
    options = {"scoring": "neg_brier_score", "random_state": 0, "n_splits": 4}
    plain = evaluate(GaussianNB(), X, y, **options)
    assert plain.estimate["neg_brier_score"] == pytest.approx(
        plain.split_scores["neg_brier_score"].mean()
    )
    assert "over 61 rows" in plain.interval_method["neg_brier_score"]
    repeated = {"method": RepeatedKFold(n_splits=4, n_repeats=3), "n_splits": None}
    often = evaluate(GaussianNB(), X, y, **{**options, **repeated})
    assert "over 61 rows" in often.interval_method["neg_brier_score"]
    grouped = evaluate(GaussianNB(), X, y, groups=np.arange(61) // 2, **options)
    assert "over 31 groups" in grouped.interval_method["neg_brier_score"]
    loss = make_scorer(accuracy_score, normalize=False)
    other = evaluate(GaussianNB(), X, y, **{**options, "scoring": loss})
    (how,) = other.interval_method.values()
    assert how == "jackknife t over 61 rows"


@pytest.mark.parametrize("method", ["kfold", "holdout", "loocv", "bootstrap"])
def test_the_cost_of_errors_has_the_interval_of_accuracy(method):
    X, y = noisy(61, signal=0.8)
    y = np.array(["no", "yes"])[y]
    scoring = {"right": "accuracy", "cost": get_scorer("set_cost", normalize=True)}
    result = evaluate(
        GaussianNB(), X, y, scoring=scoring, method=method, random_state=0
    )
    assert result.estimate["cost"] == pytest.approx(1 - result.estimate["right"])
    high, low = 1 - np.array(result.confidence_interval["right"])
    assert_allclose(result.confidence_interval["cost"], (low, high), atol=1e-12)
    assert result.interval_method["cost"] == result.interval_method["right"]


@pytest.mark.parametrize("method", ["kfold", "holdout", "loocv", "stratified"])
@pytest.mark.parametrize("costs", [[[0, 1], [10, 0]], [[-1, 4], [3, -2]]])
@pytest.mark.parametrize("signal", [0.3, 50.0])
def test_the_interval_of_costs_stays_in_their_range(method, costs, signal):
    X, y = noisy(24, signal=signal)
    scorer = get_scorer("set_cost", cost_matrix=costs, normalize=True, labels=[0, 1])
    options = {"method": method, "params": {"sample_weight": np.arange(24) % 3 + 1.0}}
    result = evaluate(GaussianNB(), X, y, scoring=scorer, random_state=0, **options)
    ((low, high),) = result.confidence_interval.values()
    assert np.min(costs) <= low < high <= np.max(costs)
    (how,) = result.interval_method.values()
    assert "range" in how


def test_the_cost_of_all_rows_is_at_least_that_of_no_error():
    X, y = noisy(60, signal=0.3)
    costs = {"cost_matrix": [[0, 1], [10, 0]], "labels": [0, 1]}
    scorer = get_scorer("set_cost", **costs)
    for method in ("kfold", "holdout", "loocv"):
        result = evaluate(
            GaussianNB(), X, y, scoring=scorer, method=method, random_state=0
        )
        ((low, high),) = result.confidence_interval.values()
        assert 0 <= low < high


def test_a_perfect_classifier_has_an_interval():
    X, y = noisy(50, signal=50.0)
    for options in ({}, {"groups": np.arange(50) // 2}, {"method": "stratified"}):
        result = evaluate(GaussianNB(), X, y, scoring="accuracy", **options)
        low, high = result.confidence_interval["accuracy"]
        assert result.estimate["accuracy"] == high == 1.0
        assert 0.8 < low < 0.97


@pytest.mark.parametrize("ours", [False, True])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("signal", [0.3, 50.0])
@pytest.mark.parametrize("rare", [0, 1])
def test_the_area_under_roc_has_the_interval_of_placements(ours, tied, signal, rare):
    X, y = noisy(42, signal=signal)
    X, y = X.round(0 if tied else 9), np.where(y == rare, rare, 1 - rare)
    kept = np.append([0, 1], np.flatnonzero((y != rare) | (np.arange(42) % 4 == 3)))
    X, y = X[kept], y[kept]
    scoring = get_scorer("roc_auc", qid=None) if ours else "roc_auc"
    result = of_all(X, y, scoring)
    x, y = X[2:, 0], y[2:]
    wins = np.array([[(p > q) + 0.5 * (p == q) for q in x[y == 0]] for p in x[y == 1]])
    own, other = wins.mean(axis=1), wins.mean(axis=0)
    if len(own) > len(other):
        own, other = other, own
    c = stats.norm.ppf(0.975) ** 2 / 4
    w, v = np.append(np.ones(len(own)), [c, c]), np.append(own, [0, 1])
    mean, kish = np.average(v, weights=w), w.sum() ** 2 / (w**2).sum()
    first = ((w * (v - mean)) ** 2).sum() / w.sum() ** 2 * kish / (kish - 1)
    second = other.var(ddof=1) / len(other)
    df = (first + second) ** 2 / (first**2 / (kish - 1) + second**2 / (len(other) - 1))
    reach = stats.t.ppf(0.975, df) * np.sqrt(first + second)
    low, high = min(wins.mean(), mean - reach), max(wins.mean(), mean + reach)
    ((name, ends),) = result.confidence_interval.items()
    assert_allclose(ends, [max(low, 0), min(high, 1)], atol=1e-12)
    error = np.sqrt(own.var(ddof=1) / len(own) + second)
    assert result.standard_error[name] == pytest.approx(error, abs=1e-12)
    how = f"t over {len(wins)} positives and {len(wins.T)} negatives"
    assert re.match(f"{how}{BY_RANGE}", result.interval_method[name])


def test_blocks_are_few_and_agree_with_single_rows():
    X, y = noisy(4000)
    weights = 1 + np.arange(4000) % 2
    name = "matthews_corrcoef"
    scoring = {name: get_sklearn_scorer(name)}
    with config_context(enable_metadata_routing=True):
        for key, scorer in (("weighed", name), ("f1_weighted", "f1_weighted")):
            scorer = get_sklearn_scorer(scorer)
            scoring[key] = scorer.set_score_request(sample_weight=True)
    splits = [(np.array([0, 1]), np.arange(2, len(y)))]
    options = {
        "method": splits,
        "aggregate": "pooled",
        "params": {"sample_weight": weights},
    }
    result = evaluate(Weighed(), X, y, scoring=scoring, **options)
    assert "over 40 blocks" in result.interval_method["f1_weighted"]
    for name in ("matthews_corrcoef", "weighed"):
        assert "over 3998 rows" in result.interval_method[name]
    # The coefficient of balanced classes is twice the accuracy less 1.
    right = (X[2:, 0] > 0) == y[2:]
    error = 2 * right.std() / np.sqrt(len(right))
    found = result.standard_error
    assert found["matthews_corrcoef"] == pytest.approx(error, rel=0.01)
    w = weights[2:]
    error *= np.sqrt(len(w) * (w**2).sum()) / w.sum()
    assert found["weighed"] == pytest.approx(error, rel=0.02)
    assert found["f1_weighted"] == pytest.approx(error / 2, rel=0.35)


def three_classes(n, seed=0, distance=2.0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 5 % 3)  # two in five, two in five, one in five
    return rng.normal(size=(n, 2)) + distance * np.eye(3)[y, :2], y


FOLDS = {
    "once": KFold(4, shuffle=True, random_state=1),
    "stratified": StratifiedKFold(3, shuffle=True, random_state=1),
    "repeated": RepeatedKFold(n_splits=3, n_repeats=2, random_state=1),
    "some twice, some never": ShuffleSplit(4, test_size=0.4, random_state=1),
}


@pytest.mark.parametrize("name", ["f1_macro", "r2", "f1_weighted"])
@pytest.mark.parametrize("folds", FOLDS)
@pytest.mark.parametrize("size", [1, 2])  # of groups
def test_a_mean_over_splits_against_leaving_out_one_by_one(name, folds, size):
    X, y = three_classes(39)
    units = np.arange(39) // size
    at = list(FOLDS[folds].split(np.arange(units[-1] + 1), y[::size]))
    splits = [[np.flatnonzero(np.isin(units, part)) for part in one] for one in at]
    options = {"method": splits, "groups": units}
    result = evaluate(GaussianNB(), X, y, scoring=name, **options)
    (how,) = result.interval_method.values()
    tested = np.unique(np.concatenate([units[test] for _, test in splits]))
    unit = "rows" if size == 1 else "groups"
    assert re.match(rf"jackknife t over {len(tested)} (rows|groups)", how), unit
    assert result.interval_about == {name: "the models trained here"}
    scorer, influences = get_sklearn_scorer(name), np.zeros(units[-1] + 1)
    for train, test in splits:
        model = GaussianNB().fit(X[train], y[train])
        inside, whole = np.unique(units[test]), scorer(model, X[test], y[test])
        for unit in inside:
            rest = test[units[test] != unit]
            moved = whole - scorer(model, X[rest], y[rest])
            # Those of a split differ from their own mean.
            n, m = len(tested), len(inside)
            scale = (1 - 1 / m) * np.sqrt((1 - 1 / n) / (1 - 1 / m))
            influences[unit] += scale * moved / len(splits)
    error = influences[tested].std(ddof=1) * np.sqrt(len(tested))
    assert result.standard_error[name] == pytest.approx(error)
    low, high = result.confidence_interval[name]
    assert low < result.estimate[name] < high <= 1


def test_folds_that_happen_to_be_alike_are_no_certainty():
    X, y = load_wine(return_X_y=True)
    options = {"scoring": "f1_macro", "method": "stratified", "random_state": 0}
    ends = [
        evaluate(GaussianNB(), X, y, interval=interval, **options)
        .confidence_interval["f1_macro"]
        .low
        for interval in ("corrected_t", "auto")
    ]
    assert ends[0] == pytest.approx(0.969, abs=5e-4)
    assert 0.92 < ends[1] < 0.95


@pytest.mark.parametrize("method", ["kfold", "holdout", "loocv"])
@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("f1_macro", "set_f1"),
        ("precision_macro", "set_p"),
        ("recall_macro", "set_recall"),
        ("recall_macro", "balanced_accuracy"),
        ("f1_micro", "accuracy"),
        ("f1_micro", "set_f1(average='micro')"),
    ],
)
def test_equal_scores_of_classes_have_equal_intervals(name, other, method):
    X, y = three_classes(90, distance=3.0)
    result = evaluate(
        GaussianNB(), X, y, scoring=[name, other], method=method, random_state=0
    )
    first, second = result.estimate.values()
    assert first == pytest.approx(second)
    assert_allclose(*result.confidence_interval.values())
    assert len({*result.interval_method.values()}) == 1


@pytest.mark.parametrize("name", ["f1_macro", "matthews_corrcoef", "scott_pi"])
@pytest.mark.parametrize("method", ["stratified", "holdout", "loocv"])
def test_few_rows_of_a_class_are_few(name, method):
    y = np.repeat([1, 0], [10, 490])
    ends = []
    for n_rare in (10, 200):
        y = np.repeat([1, 0], [n_rare, 500 - n_rare])
        options = {"scoring": name, "method": method, "random_state": 0}
        if method == "holdout":
            options["method"] = HoldoutSplit(stratify=True)
        result = evaluate(lambda X: X[:, 0], y[:, np.newaxis], y, **options)
        low, high = result.confidence_interval[name]
        assert result.estimate[name] == pytest.approx(1)
        ends.append(low)
    assert ends[0] < 0.94 < ends[1]


def test_where_units_cannot_be_left_out_the_interval_is_over_splits():
    X, y = noisy(40)

    def by_model(model, X, y):
        return model.score(X, y)

    cases = [
        (by_model, {}),
        ({"p@3": get_scorer("p@3", qid=None)}, {}),
        ("f1_macro", {"groups": np.arange(40) // 8}),  # one in each fold
    ]
    for scoring, options in cases:
        result = evaluate(GaussianNB(), X, y, scoring=scoring, **options)
        assert [*result.interval_method.values()] in (
            ["corrected resampled t over 5 splits"],
            ["none: all 5 splits alike"],
        )
        about = "models trained this way on new data"
        assert [*result.interval_about.values()] == [about]


def test_the_pool_of_perfect_predictions_has_more_than_a_point():
    X, y = noisy(40, signal=50.0)
    for scoring in ("accuracy", "roc_auc", "f1"):
        low, high = of_all(X, y, scoring).confidence_interval[scoring]
        assert 0.7 < low < 0.99
        assert high == 1.0


def test_scores_that_a_rank_decides_are_bootstrapped_at_once():
    X, y = noisy(302, signal=0.4)
    scorer = {"p@100": get_scorer("p@100", qid=None)}
    result = of_all(X, y, scorer)
    how = "rough: percentile bootstrap over {}"
    assert result.interval_method["p@100"] == how.format("300 rows")
    rows = np.random.default_rng(1).integers(2, 302, size=(3000, 300))
    drawn = precision_at_k_score(y[rows], X[rows, 0], k=100, average=None)
    ends = result.confidence_interval["p@100"]
    assert_allclose(ends, np.quantile(drawn, [0.025, 0.975]), atol=0.06)
    assert result.standard_error["p@100"] == pytest.approx(drawn.std(), rel=0.1)
    # With weights, or in groups, each resample is a call.
    grouped = of_all(X, y, scorer, groups=np.arange(302) // 2)
    assert grouped.interval_method["p@100"] == how.format("150 groups")
    assert_allclose(grouped.confidence_interval["p@100"], ends, atol=0.12)


def test_a_ranking_whose_resamples_are_alike_has_no_interval():
    X, y = noisy(102, signal=0.7)
    for name in ("p@10", "ndcg@10"):
        result = of_all(X, y, {name: get_scorer(name, qid=None)})
        assert np.isnan(result.confidence_interval[name]).all()
        how = r"none: \d+% of the resamples of one ranking have the same score"
        assert re.fullmatch(how, result.interval_method[name])


@pytest.mark.parametrize("name", ["r2", "ndcg", "f1_weighted", "max_f1"])
@pytest.mark.parametrize("folds", [1, 4])
def test_no_interval_depends_on_the_seed_or_on_the_order_of_rows(name, folds):
    X, y = noisy(90, signal=0.4)
    model, scoring = GaussianNB(), name
    if name == "r2":
        model = KNeighborsRegressor(3)
    elif name != "f1_weighted":
        scoring = {name: get_scorer(name, qid=None)}
    pair = np.arange(90) // 2
    ends, order = [], np.random.default_rng(3).permutation(90)
    for seed, rows in ((0, np.arange(90)), (1, order)):
        fold = pair[rows] % 5
        parts = [fold == i for i in range(folds)] if folds > 1 else [fold < 4]
        splits = [[np.flatnonzero(fold == 4), np.flatnonzero(part)] for part in parts]
        options = {"groups": pair[rows]} if name == "f1_weighted" else {}
        options |= {"scoring": scoring, "method": splits, "random_state": seed}
        result = evaluate(model, X[rows], y[rows], **options)
        ends.append([result.standard_error[name], *result.confidence_interval[name]])
    assert_allclose(*ends, rtol=1e-9)


def test_notes_speak_of_what_counts():
    rng = np.random.default_rng(0)
    # The largest squared errors decide a mean without a range.
    X, y = np.zeros((100, 1)), rng.standard_t(3, size=100)
    splits = [(np.arange(100),) * 2]
    loss = "neg_mean_squared_error"
    for error, is_noted in ((y, True), (rng.normal(size=100), False)):
        result = evaluate(lambda X: X[:, 0], X, error, scoring=loss, method=splits)
        note = "of which a tenth makes most of the spread"
        assert (note in result.interval_method[loss]) == is_noted
    # One query has nearly all the weight.
    X, y, qid = make_ranking(n_queries=40, n_docs=10, random_state=0)
    weights = np.where(qid == qid[0], 400.0, 1.0)
    report = ranking_report(y, X[:, 0], qid=qid, metrics="ndcg", sample_weight=weights)
    assert report.interval_method["ndcg"].endswith("widened by the measure's range")
    # Many rows of both classes: the range does not decide.
    X, y = noisy(200)
    for scoring in ("roc_auc", "balanced_accuracy"):
        how = of_all(X, y, scoring).interval_method[scoring]
        assert how.endswith("and range limits")


def plain_632_plus(out_of_bag, apparent, chance):
    """Equations 31 and 32 of Efron and Tibshirani, of scores."""
    bounded = max(out_of_bag, chance)
    rate = 0.0
    if bounded < apparent and chance < apparent:
        rate = (apparent - bounded) / (apparent - chance)
    weight = 0.632 / (1 - 0.368 * rate)
    plain = 0.368 * apparent + 0.632 * out_of_bag
    if rate == 0:
        return plain
    # Equation 32: the usual estimate, and what it moves towards the bounded one.
    return plain + (bounded - apparent) * 0.368 * (weight - 0.632) / 0.368


def test_632_plus_against_its_equations():
    steps = [-0.25, 0.0, 0.3, 0.5, 0.9, 1.0]
    for apparent, chance in product(steps, steps):
        expected = [plain_632_plus(one, apparent, chance) for one in steps]
        for one, value in zip(steps, expected, strict=True):
            found = point632_plus(one, apparent, chance)
            assert isinstance(found, float)
            assert found == pytest.approx(value, abs=1e-12)
        many = point632_plus(np.array(steps), apparent, chance)
        assert_allclose(many, expected, atol=1e-12)
        # Queries have the same weight, and so the same mean.
        for mean in steps:
            queries = np.array([mean - 0.1, mean, mean + 0.1]), np.full(3, apparent)
            values = queries632_plus(*queries, means=(mean, apparent), chance=chance)
            value = plain_632_plus(mean, apparent, chance)
            assert values.mean() == pytest.approx(value, abs=1e-12)


def test_errors_of_the_bootstrap_do_not_depend_on_the_unit():
    X, y = make_regression(50, 3, noise=9, random_state=0)
    name = "neg_mean_squared_error"
    options = {"scoring": name, "method": "bootstrap632+", "n_splits": 10}
    found, scaled = (
        evaluate(KNeighborsRegressor(2), X, y * unit, random_state=0, **options)
        for unit in (1.0, 1e-9)
    )
    for part in ("estimate", "standard_error", "confidence_interval"):
        ours, expected = (np.array(getattr(r, part)[name]) for r in (scaled, found))
        assert_allclose(ours, expected * 1e-18)


@pytest.mark.parametrize("interval", ["auto", "corrected_t"])
@pytest.mark.parametrize("n_splits", [9, 40])
@pytest.mark.parametrize("method", ["bootstrap", "bootstrap632", "bootstrap632+"])
def test_the_interval_after_a_bootstrap_is_the_corrected_t(method, n_splits, interval):
    X, y, qid = make_ranking(n_queries=24, random_state=0)
    options = {"qid": qid, "scoring": "ndcg@5", "n_splits": n_splits}
    options |= {"method": method, "interval": interval, "random_state": 0}
    result = evaluate(Ridge(), X, y, **options)
    scores = result.split_scores["ndcg@5"]
    share = np.mean(
        [
            len(test) / len(np.unique(train))
            for train, test in result.cv.split(X, y, qid)
        ]
    )
    error = np.sqrt((1 / n_splits + share) * scores.var(ddof=1))
    assert result.standard_error["ndcg@5"] == pytest.approx(error)
    # There are no more degrees of freedom than of the queries.
    reach = stats.t.ppf(0.975, min(n_splits, 24) - 1) * error
    estimate = result.estimate["ndcg@5"]
    ends = estimate - reach, min(estimate + reach, 1)
    assert_allclose(result.confidence_interval["ndcg@5"], ends)
    how = f"corrected t over {n_splits} replicates"
    assert result.interval_method["ndcg@5"] == how


@pytest.mark.parametrize("method", ["bootstrap", "bootstrap632", "bootstrap632+"])
@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
def test_errors_of_bootstraps_of_rows_are_of_the_right_size(method, scoring):
    X, y = make_classification(300, n_features=4, flip_y=0.3, random_state=0)
    options = {"scoring": scoring, "random_state": 0}
    model = LogisticRegression()
    found = evaluate(model, X, y, method=method, n_splits=30, **options)
    third = evaluate(model, X, y, method="holdout", **options)
    expected = third.standard_error[scoring] / np.sqrt(3)
    assert 0.7 < found.standard_error[scoring] / expected < 2.2
    low, high = found.confidence_interval[scoring]
    assert low < found.estimate[scoring] < high


def test_the_positive_class_of_strings():
    X, y = noisy(60)
    names = np.array(["yes", "no"])[y]  # "yes" is the larger, though it stands for 0
    for scoring, of_names in (
        ("roc_auc", "roc_auc"),
        (
            "average_precision",
            make_scorer(
                average_precision_score,
                response_method="decision_function",
                pos_label="yes",
            ),
        ),
    ):
        found = of_all(-X, names, {"m": of_names}).standard_error["m"]
        numbers = of_all(-X, 1 - y, {"m": scoring}).standard_error["m"]
        assert found == pytest.approx(numbers)


# Copies -----------------------------------------------------------------------------


def rows(n=60, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 3)) + y[:, np.newaxis], y


def run(X, y, **options):
    return evaluate(GaussianNB(), X, y, scoring="accuracy", random_state=0, **options)


def test_query_ids_in_a_column_may_be_times():
    pd = pytest.importorskip("pandas")
    X, y, qid = make_ranking(n_queries=12, n_docs=4, random_state=0)
    options = {"scoring": "mrr", "random_state": 0}
    frame = pd.DataFrame(X).add_prefix("x")
    frame.insert(0, "query", pd.to_timedelta(qid, "s"))
    model = QueryRanker(Ridge(), qid="query")
    found = evaluate(model, frame, y, qid="query", **options)
    expected = evaluate(Ridge(), X, y, qid=qid, **options)
    assert found.estimate == pytest.approx(expected.estimate)


@pytest.mark.parametrize(
    "options",
    [
        {"aggregate": "per_split"},
        {"interval": "t"},
        {"method": "holdout", "interval": "t"},
    ],
)
def test_a_function_of_another_package_has_an_interval(options):
    X, y, qid = make_ranking(n_queries=20, n_docs=8, random_state=0)

    def correlation(y_true, y_score, qid=None):
        return float(np.corrcoef(y_true, y_score)[0, 1])

    scorer = make_ranking_scorer(correlation)
    found = evaluate(Ridge(), X, y, qid=qid, scoring=scorer, random_state=0, **options)
    low, high = found.confidence_interval["correlation"]
    assert low < found.estimate["correlation"] < high


@pytest.mark.parametrize("name", ["roc_auc_score", "average_precision_score"])
def test_a_function_with_the_name_of_another_has_no_rule_of_that(name):
    def correlation(y_true, y_score):
        return float(np.corrcoef(y_true, y_score)[0, 1])

    def same(y_true, y_score):
        return correlation(y_true, y_score)

    same.__name__ = name
    X, y = noisy(120)
    first, second = (
        evaluate(
            LogisticRegression(),
            X,
            y,
            scoring={"r": make_scorer(function, response_method="decision_function")},
            random_state=0,
        )
        for function in (correlation, same)
    )
    assert first.estimate == second.estimate
    assert first.confidence_interval == second.confidence_interval
    assert first.interval_method == second.interval_method
