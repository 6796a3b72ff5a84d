"""Two models on the same rows, compared by any measure of their predictions."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from sklearn_irmetrics.comparison import ComparisonResult, compare, leaderboard
from sklearn_irmetrics.model_selection import evaluate
from sklearn_irmetrics.reports import class_report, contingency_table

OF_POSITIVES = {
    name: partial(getattr(metrics, f"{name}_score"), zero_division=0)
    for name in ("f1", "precision", "recall", "jaccard")
}
OF_LABELS = {
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    **{
        f"{name}_{average}": partial(function, average=average)
        for name, function in OF_POSITIVES.items()
        for average in ("macro", "micro", "weighted")
    },
    "matthews_corrcoef": metrics.matthews_corrcoef,
    "cohen_kappa": metrics.cohen_kappa_score,
}
OF_SCORES = {
    "roc_auc": metrics.roc_auc_score,
    "average_precision": metrics.average_precision_score,
}
X, Y = make_classification(240, n_informative=4, flip_y=0.15, random_state=1)
MODELS = {"linear": LogisticRegression(), "bayes": GaussianNB()}


def noisy_labels(y, share, n_classes, rng):
    other = rng.integers(n_classes, size=len(y))
    return np.where(rng.random(len(y)) < share, other, y)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_scores_are_those_of_scikit_learn(n_classes):
    rng = np.random.default_rng(0)
    known = OF_LABELS | (OF_POSITIVES if n_classes == 2 else {})
    for seed in range(4):
        y = rng.integers(n_classes, size=30 + seed)
        given = {
            name: noisy_labels(y, share, n_classes, rng)
            for name, share in zip("abc", (0.1, 0.3, 0.6), strict=True)
        }
        for name, function in known.items():
            found = compare(given, y_true=y, metric=name, test="swap", n_resamples=99)
            expected = [function(y, one) for one in given.values()]
            assert_allclose(list(found.mean.values()), expected, err_msg=name)


def test_scores_of_rankings_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=50)
    given = {"a": y + rng.normal(size=50), "b": np.round(y + rng.normal(size=50), 0)}
    for name, function in OF_SCORES.items():
        found = compare(given, y_true=y, metric=name, random_state=0)
        expected = [function(y, one) for one in given.values()]
        assert_allclose(list(found.mean.values()), expected)
        # Another scale of one model changes nothing.
        scaled = given | {"b": 1e3 * np.exp(given["b"])}
        again = compare(scaled, y_true=y, metric=name, random_state=0)
        assert again.p_value == found.p_value


@pytest.mark.parametrize("metric", [*OF_LABELS, *OF_POSITIVES, *OF_SCORES])
@pytest.mark.parametrize("grouped", [False, True])
def test_p_and_interval_agree(metric, grouped):
    rng = np.random.default_rng(3)
    for n, share in ((12, 0.3), (60, 0.05), (60, 0.5)):
        y = np.arange(n) % 2
        if metric in OF_SCORES:
            given = {"a": y + rng.normal(size=n), "b": y + rng.normal(size=n) * 3}
        else:
            given = {
                "a": noisy_labels(y, 0.05, 2, rng),
                "b": noisy_labels(y, share, 2, rng),
            }
        found = compare(
            given,
            y_true=y,
            metric=metric,
            test="swap",
            groups=np.arange(n) // 3 if grouped else None,
            n_resamples=199,
            random_state=0,
        )
        assert (found.unit, found.n_units) == (
            ("group", n // 3) if grouped else ("row", n)
        )
        low, high = found.confidence_interval[0]
        assert (low <= 0 <= high) == (found.p_value[0] > 0.05)
        assert low <= found.estimate[0] <= high
        assert found.wins + found.ties + found.losses == found.n_units


@pytest.mark.parametrize("metric", ["f1", "f1_macro", "roc_auc", "average_precision"])
def test_identical_models_do_not_differ(metric):
    y = np.arange(40) % 2
    one = np.where(np.arange(40) % 5, y, 1 - y)
    found = compare({"a": one, "b": one.copy()}, y_true=y, metric=metric)
    assert found.p_value[0] == 1
    low, high = found.confidence_interval[0]
    assert low <= 0 <= high
    assert found.estimate[0] == 0


def test_systems_exchanged_have_the_difference_of_the_other_sign():
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=80)
    a, b = noisy_labels(y, 0.2, 2, rng), noisy_labels(y, 0.6, 2, rng)
    options = {"y_true": y, "metric": "f1", "random_state": 0}
    one, other = compare([a, b], **options), compare([b, a], **options)
    assert_allclose(one.estimate, -other.estimate)
    assert_allclose(one.standard_error, other.standard_error)
    assert (one.wins, one.losses) == (other.losses, other.wins)


def test_a_swap_of_accuracies_is_the_permutation_test_of_rows():
    rng = np.random.default_rng(2)
    y = rng.integers(2, size=100)
    given = {"a": noisy_labels(y, 0.2, 2, rng), "b": noisy_labels(y, 0.5, 2, rng)}
    options = {"y_true": y, "metric": "accuracy", "random_state": 0}
    by_rows, swapped = compare(given, **options), compare(given, test="swap", **options)
    assert (by_rows.test, by_rows.unit) == ("permutation", "row")
    assert_allclose(by_rows.estimate, swapped.estimate)
    assert swapped.p_value[0] == pytest.approx(by_rows.p_value[0], abs=0.02)
    assert str(by_rows).startswith("accuracy on 100 rows: means a ")
    assert any("Means are over all rows, unlike" in note for note in by_rows.notes)
    assert not any("Means are over" in note for note in swapped.notes)
    mcnemar = compare(given, test="sign", **options)
    assert mcnemar.wins[0] == np.sum((given["b"] == y) & (given["a"] != y))


@pytest.mark.parametrize("metric", ["neg_log_loss", "neg_brier_score"])
def test_given_probabilities_are_compared_by_rows(metric):
    rng = np.random.default_rng(2)
    y = rng.integers(2, size=60)
    p, q = (np.clip(y * 0.4 + rng.random(60) * 0.6, 0.01, 0.99) for _ in range(2))
    options = {"y_true": y, "metric": metric, "random_state": 0}
    found = compare({"p": p, "q": q}, **options)
    of_sklearn = {
        "neg_log_loss": lambda p: -metrics.log_loss(y, p),
        "neg_brier_score": lambda p: -metrics.brier_score_loss(y, p),
    }[metric]
    assert_allclose(list(found.mean.values()), [of_sklearn(p), of_sklearn(q)])
    wide = compare({"p": np.column_stack([1 - p, p]), "q": q}, **options)
    assert_allclose(wide.p_value, found.p_value)


@pytest.mark.parametrize("method", ["holdout", "loocv"])
@pytest.mark.parametrize("metric", ["f1", "f1_macro", "matthews_corrcoef", "roc_auc"])
def test_one_test_set_is_compared_by_a_swap(method, metric):
    if (method, metric) == ("loocv", "roc_auc"):
        return  # evaluate refuses to rank predictions of different models
    results = evaluate(
        MODELS, X[:80], Y[:80], scoring=metric, method=method, random_state=0
    )
    found = results.compare(random_state=0)
    assert (found.test, found.unit) == ("swap", "row")
    for name, one in results.items():
        assert found.mean[name] == pytest.approx(one.estimate[metric])
    title = str(found).splitlines()[0]
    assert title.startswith(f"{metric} on {found.n_units} rows: means ")
    assert found.notes[0] == "Studentised swap of predictions."
    again = ComparisonResult.from_dict(found.to_dict())
    assert again.limitations == found.limitations


def test_given_models_are_compared_whatever_the_seed():
    models = {name: model.fit(X[:120], Y[:120]) for name, model in MODELS.items()}
    given = {name: model.predict for name, model in models.items()}
    p_values = set()
    for seed in range(3):
        results = evaluate(
            given, X[120:], Y[120:], scoring="f1_macro", random_state=seed
        )
        p_values.add(results.compare(random_state=0).p_value[0])
    assert len(p_values) == 1
    predictions = {name: model(X[120:]) for name, model in given.items()}
    found = compare(predictions, y_true=Y[120:], metric="f1_macro", random_state=0)
    assert set(found.p_value) == p_values


def test_folds_keep_the_corrected_t():
    results = evaluate(MODELS, X, Y, scoring="f1", random_state=0)
    assert results.compare().test == "corrected_ttest"
    with pytest.raises(ValueError, match=r"Evaluate with aggregate='pooled'"):
        results.compare(test="swap")
    pooled = evaluate(MODELS, X, Y, scoring="f1", aggregate="pooled", random_state=0)
    found = pooled.compare(test="swap")
    for name, one in pooled.items():
        assert found.mean[name] == pytest.approx(one.estimate["f1"])


def test_several_models_are_corrected_by_holm():
    rng = np.random.default_rng(5)
    y = rng.integers(3, size=90)
    given = {name: noisy_labels(y, 0.4, 3, rng) for name in "abc"}
    options = {"y_true": y, "metric": "f1_macro", "random_state": 0}
    found = compare(given, **options)
    assert found.correction == "holm"
    assert (found.p_adjusted >= found.p_value).all()
    assert len(compare(given, baseline="a", **options).p_value) == 2


@pytest.mark.parametrize(
    ("scoring", "metric"),
    [
        ("set_f1", "f1"),
        ("set_precision", "precision"),
        ("set_recall", "recall"),
        ("set_accuracy", "accuracy"),
        ("set_f1(average='macro')", "f1_macro"),
        ("set_f1(average='micro')", "accuracy"),
        ("cohen_kappa", "cohen_kappa"),
    ],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_our_measures_of_sets_are_swapped_like_those_of_scikit_learn(
    scoring, metric, n_classes
):
    X, y = make_classification(
        120, n_informative=4, flip_y=0.2, n_classes=n_classes, random_state=0
    )
    options = {"scoring": scoring, "method": "holdout", "random_state": 0}
    results = evaluate(MODELS, X, y, **options)
    swapped = results.compare(random_state=0)
    assert swapped.test == "swap"
    if n_classes > 2 and metric in OF_POSITIVES:  # the mean over classes
        metric += "_macro"
    told = [one.predictions for one in results.values()]
    predicted = [one.responses["predict"][np.argsort(one.row)] for one in told]
    y_true = told[0].y_true[np.argsort(told[0].row)]
    by_hand = compare(
        predicted, y_true=y_true, metric=metric, test="swap", random_state=0
    )
    assert_allclose(swapped.p_value, by_hand.p_value)
    assert_allclose(swapped.estimate, by_hand.estimate)


def test_a_positive_class_that_our_measures_name_is_swapped():
    texts, options = np.array(["sick", "healthy"]), {"method": "holdout"}
    named, expected = (
        evaluate(MODELS, X, y, scoring=scoring, random_state=0, **options)
        for y, scoring in ((texts[Y], "set_f1(pos_label='sick')"), (1 - Y, "set_f1"))
    )
    found, expected = (one.compare(random_state=0) for one in (named, expected))
    assert found.test == expected.test == "swap"
    assert_allclose(found.p_value, expected.p_value)
    assert_allclose(found.estimate, expected.estimate)


def test_sets_of_some_classes_are_not_swapped():
    X, y = make_classification(120, n_informative=4, n_classes=3, random_state=0)
    results = evaluate(
        MODELS, X, y, scoring="set_f1(labels=[0, 1])", method="holdout", random_state=0
    )
    assert str(results["linear"].metrics["set_f1(labels=[0, 1])"].label) != "set_f1"
    with pytest.raises(ValueError, match="test='swap' needs results of evaluate by"):
        results.compare(test="swap")


def test_rows_of_labels_are_not_swapped():
    y = np.column_stack([Y, 1 - Y])
    model = MultiOutputClassifier(GaussianNB())
    results = evaluate(
        {"a": model, "b": MultiOutputClassifier(LogisticRegression())},
        X,
        y,
        scoring="f1_macro",
        random_state=0,
    )
    assert results.compare().test == "corrected_ttest"
    with pytest.raises(ValueError, match="test='swap' needs results of evaluate by"):
        results.compare(test="swap")


@pytest.mark.parametrize("metric", ["f1", "roc_auc"])
def test_a_leaderboard_of_one_test_set_is_by_swap(metric):
    models = MODELS | {"tree": DecisionTreeClassifier(max_depth=1, random_state=0)}
    options = {"scoring": metric, "method": "holdout", "random_state": 0}
    results = evaluate(models, X, Y, **options)
    board = leaderboard(results, random_state=0)
    pairs = results.compare(random_state=0)
    assert (board.correction, board.unit, board.n_units) == ("holm", "row", 80)
    assert board.n_draws == pairs.n_draws
    assert (np.diff(board.estimate) <= 0).all()
    for i, name in enumerate(board.system):
        one = results[name]
        assert board.estimate[i] == pytest.approx(one.estimate[metric])
        assert board.standard_error[i] == one.standard_error[metric]
        assert board.confidence_interval[i] == one.confidence_interval[metric]
    at = {name: i for i, name in enumerate(board.system)}
    for first, second, p in zip(
        pairs.system, pairs.versus, pairs.p_adjusted, strict=True
    ):
        assert board.p_adjusted[at[first], at[second]] == pytest.approx(p)
    assert "adjusted for all pairs (Holm)" in board.to_text(details=True)
    with pytest.raises(ValueError, match=r"confidence_level must be that of the res"):
        leaderboard(results, confidence_level=0.9)
    with pytest.raises(ValueError, match=r"strata must be None, and over 'queries'"):
        leaderboard(results, strata=np.zeros(80))


def test_many_pairs_have_enough_draws_for_their_correction():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    given = {str(i): y + rng.normal(size=60) for i in range(6)}
    found = compare(given, y_true=y, metric="roc_auc", random_state=0)
    assert found.n_draws == 15 * 100 - 1


def test_notes_say_what_few_rows_cannot_show():
    y = np.r_[np.ones(8, int), np.zeros(60, int)]
    a, b = y.copy(), y.copy()
    a[[0, 1, 2, 3, 4, 10]] ^= 1
    b[[5, 20, 21, 22, 23, 24, 25, 26, 27]] ^= 1
    found = compare({"a": a, "b": b}, y_true=y, metric="precision", random_state=0)
    assert found.limitations == (
        "a predicts only 4 rows as positive, so its intervals may be too narrow. Test "
        "on more rows.",
        "The smallest class has only 8 rows, so only large differences can be shown. "
        "Test on more rows.",
    )
    text = " ".join(str(found).split())
    assert all(sentence in text for sentence in found.limitations)
    perfect = compare({"a": y * 1.0, "b": b * 1.0}, y_true=y, metric="roc_auc")
    assert perfect.limitations == (
        "a ranks without any error, so only the sign of its differences is known.",
    )


def test_refusals():
    y = np.arange(20) % 2
    given = {"a": y, "b": 1 - y}
    options = {"y_true": y, "metric": "f1"}
    for bad, message in [
        ({"metric": "ndcg"}, "metric must be one of .*'f1_macro'.* for given"),
        ({"metric": None}, "metric must be one of"),
        ({"margin": 0.1}, "margin must be None with test='swap'"),
        ({"strata": y}, "strata must be None with test='swap'"),
        ({"y_true": y[:5]}, "one prediction per row of y_true, 5; 'a' has 20"),
        ({"groups": y[:3]}, r"groups must have one value per row of y_true, 20"),
        ({"metric": "roc_auc", "y_true": y * 0}, "two classes in y_true; got 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            compare(given, **(options | bad))
    named = np.array(["n", "y"])[y]
    with pytest.raises(ValueError, match="'f1' needs a positive class: pass"):
        compare({"a": named, "b": named[::-1]}, y_true=named, metric="f1")
    with pytest.raises(TypeError, match="results must be predictions"):
        compare({"a": GaussianNB(), "b": y}, **options)
    other = evaluate(MODELS, X, Y, scoring="r2", random_state=0, method="holdout")
    with pytest.raises(ValueError, match="test='swap' needs results of evaluate by"):
        other.compare(test="swap")
    groups = np.arange(len(Y)) // 2
    grouped = evaluate(
        MODELS, X, Y, scoring="f1", method="holdout", groups=groups, random_state=0
    )
    with pytest.raises(ValueError, match="pass groups=, in the order of X"):
        grouped.compare()
    found = grouped.compare(groups=groups)
    assert (found.unit, found.test) == ("group", "swap")


def test_one_table_shows_measures_that_are_tested_differently():
    options = {"method": "holdout", "random_state": 0}
    results = {
        name: evaluate(model, X, Y, scoring=["accuracy", "f1_macro"], **options)
        for name, model in MODELS.items()
    }
    found = compare(results, random_state=0)
    assert [one.test for one in found.values()] == ["permutation", "swap"]
    _, table, *_ = str(found).split("\n\n")
    *_, accuracy, f1 = table.splitlines()
    assert accuracy.split()[0] == "accuracy" and f1.split()[0] == "f1_macro"
    assert "–" not in accuracy + f1
    assert "accuracy: paired permutation test; f1_macro: studentised swap" in (
        " ".join(str(found).split())
    )
    assert len(found.to_frame()) == 2


LABELS = {
    "strings": lambda labels: np.array(["no", "yes"])[labels],
    "objects": lambda labels: np.array(["no", "yes"])[labels].astype(object),
    "booleans": lambda labels: labels > 0,
    "numbers": lambda labels: labels + 3,
}


@pytest.mark.parametrize("name_labels", LABELS.values(), ids=LABELS)
def test_kappa_is_the_same_at_every_door(name_labels):
    rng = np.random.default_rng(0)
    y, predicted = map(name_labels, rng.integers(0, 2, (2, 60)))
    expected = metrics.cohen_kappa_score(y, predicted)
    classes = [name_labels(np.array([0, 1]))[i] for i in (0, 1)]
    assert contingency_table(y, predicted, labels=classes).kappa == pytest.approx(
        expected
    )
    table = class_report(y, predicted)
    assert table.estimate["accuracy", "all"] == (y == predicted).mean()
    result = compare({"a": predicted, "b": y}, y_true=y, metric="cohen_kappa")
    assert result.mean["a"] == pytest.approx(expected)


def test_kappa_of_functions_is_swapped():
    X, y = make_classification(120, n_informative=4, flip_y=0.2, random_state=0)
    models = {
        f"column {column}": lambda X, column=column: (X[:, column] > 0).astype(int)
        for column in (0, 1)
    }
    results = evaluate(models, X, y, scoring="cohen_kappa")
    assert results.compare(random_state=0).test == "swap"


@pytest.mark.parametrize("metric", ["cohen_kappa", "accuracy", "f1_macro"])
def test_no_missing_or_mixed_label_is_a_class(metric):
    labels = np.array(["a", "b"] * 10, dtype=object)
    lacking, mixed = labels.copy(), labels.copy()
    lacking[3], mixed[3] = None, 1
    given = {"new": labels, "old": labels[::-1]}
    names = r"y_true, results\['new'\] and results\['old'\]"
    with pytest.raises(ValueError, match=f"{names} must not contain missing labels"):
        compare(given, y_true=lacking, metric=metric)
    with pytest.raises(TypeError, match=f"{names} must hold labels of one kind"):
        compare(given, y_true=mixed, metric=metric)
    codes = np.arange(20) % 2
    spelled = {"new": codes.astype(str), "old": codes.astype(str)[::-1]}
    with pytest.raises(TypeError, match=f"{names} must hold labels of one kind"):
        compare(spelled, y_true=codes, metric=metric)
    with pytest.raises(ValueError, match="y_true must be finite; got NaN"):
        compare(given, y_true=np.append(codes[1:], np.nan), metric=metric)


@pytest.mark.parametrize("metric", ["roc_auc", "neg_log_loss"])
def test_no_missing_label_is_a_class_of_scores(metric):
    labels = np.array(["a", "b"] * 9 + ["a", None], dtype=object)
    shares = np.linspace(0.1, 0.9, 20)
    with pytest.raises(ValueError, match="y_true must not contain missing labels"):
        compare({"new": shares, "old": shares[::-1]}, y_true=labels, metric=metric)


@pytest.mark.parametrize("metric", [*OF_LABELS, *OF_POSITIVES])
def test_no_score_is_a_class(metric):
    labels = np.arange(20) % 2
    shares = np.linspace(0.1, 0.9, 20)
    words = r"must hold classes; got 0.1. .* y_score >= 0.5, or use metric='roc_auc'"
    with pytest.raises(ValueError, match=rf"results\['new'\] {words}"):
        compare({"old": labels, "new": shares}, y_true=labels, metric=metric)
    with pytest.raises(ValueError, match=f"y_true {words}"):
        compare({"old": labels, "new": labels}, y_true=shares, metric=metric)
    # Whole numbers are classes, also as floats.
    whole = compare({"old": labels * 1.0, "new": labels}, y_true=labels, metric=metric)
    assert whole.mean == {"old": 1.0, "new": 1.0}


def test_test_and_direction_of_given_predictions_are_as_said_or_refused():
    labels, scores = np.arange(16) % 2, np.linspace(0.1, 0.9, 16)
    models = {"a": labels, "b": 1 - labels}
    for metric in ("f1_macro", "roc_auc"):
        for test in ("ttest", "sign", "corrected_ttest", "permutation", "tukey"):
            with pytest.raises(ValueError, match=f"test must be 'swap' for {metric}"):
                compare(models, y_true=labels, metric=metric, test=test)
        with pytest.raises(ValueError, match="greater_is_better must be None"):
            compare(models, y_true=labels, metric=metric, greater_is_better=False)
        assert compare(models, y_true=labels, metric=metric).greater_is_better
    models = {"a": scores, "b": 1 - scores}
    for metric in ("neg_log_loss", "neg_mean_squared_error"):
        with pytest.raises(ValueError, match=f"as 'permutation', for {metric}"):
            compare(models, y_true=labels, metric=metric, test="swap")


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro", "roc_auc"])
def test_groups_of_given_predictions_are_checked_alike(metric):
    labels = np.arange(16) % 2
    models = {"a": labels, "b": np.where(np.arange(16) % 5, labels, 1 - labels)}
    options = {"y_true": labels, "metric": metric, "random_state": 0}
    lacking = np.repeat(np.arange(8.0), 2)
    lacking[[3, 9]] = np.nan
    for groups in (lacking, [None] * 3 + ["a"] * 13):
        with pytest.raises(ValueError, match="groups must not contain missing values"):
            compare(models, groups=groups, **options)
    mixed = compare(models, groups=[1, 1, "a", "a", *range(2, 14)], **options)
    assert (mixed.unit, mixed.n_units) == ("group", 14)


@pytest.mark.parametrize(
    "metric", ["roc_auc", "neg_log_loss", "neg_brier_score", "neg_mean_absolute_error"]
)
def test_text_and_missing_values_are_no_numbers(metric):
    labels, scores = np.arange(16) % 2, np.linspace(0.1, 0.9, 16)
    for other in (np.array(["a", "b"] * 8), [None, *scores[1:]], ["a", *scores[1:]]):
        with pytest.raises(TypeError, match=r"results\['a'\] must hold real numbers"):
            compare({"a": other, "b": scores}, y_true=labels, metric=metric)
    if metric.startswith("neg_mean"):
        for other in (np.array(["a", "b"] * 8), [None, *scores[1:]]):
            with pytest.raises(TypeError, match="y_true must hold real numbers"):
                compare([scores, scores], y_true=other, metric=metric)


@pytest.mark.parametrize("metric", ["neg_log_loss", "neg_brier_score"])
def test_only_probabilities_of_the_classes_have_a_loss(metric):
    labels, p = np.arange(16) % 2, np.linspace(0.1, 0.9, 16)
    wide = np.column_stack([1 - p, p])
    for values, message in [
        (2 * p, r"results\['a'\] must hold probabilities, from 0 to 1.*; got 1.05"),
        (p - 0.5, "must hold probabilities, from 0 to 1.*; got -0.4"),
        (np.column_stack([wide, p]), r"each of the 2 classes in y_true.*\(16, 3\)"),
        (p[:, np.newaxis], r"each of the 2 classes in y_true.*\(16, 1\)"),
        (np.column_stack([1 - p, p * 0.8]), "must sum to 1 in each row, .* row 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            compare({"a": values, "b": p}, y_true=labels, metric=metric)
    for classes, message in [
        (np.arange(16) % 3, r"each of the 3 classes in y_true .*\(16,\)"),
        (np.zeros(16, int), "needs two classes in y_true; got 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            compare({"a": p, "b": p}, y_true=classes, metric=metric)
    of_sklearn = {
        "neg_log_loss": metrics.log_loss,
        "neg_brier_score": metrics.brier_score_loss,
    }[metric]
    for whole in (labels[::-1], labels[::-1] == 1):
        result = compare({"a": whole, "b": p}, y_true=labels, metric=metric)
        assert result.mean["a"] == pytest.approx(-of_sklearn(labels, whole * 1.0))


def test_several_measures_of_given_predictions_are_one_table():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=60)
    models = {"a": noisy_labels(labels, 0.2, 2, rng), "b": 1 - labels}
    names = ["accuracy", "f1_macro"]
    options = {"y_true": labels, "random_state": 0}
    results = compare(models, metric=names, **options)
    assert list(results) == names
    for name in names:
        alone = compare(models, metric=name, **options)
        assert results[name].test == alone.test
        assert_allclose(results[name].p_value, alone.p_value)
    with pytest.raises(ValueError, match="metric must be one of"):
        compare(models, metric=["accuracy", "ndcg"], **options)


def test_few_units_that_differ_leave_an_interval_of_what_they_could_do():
    labels, same = [0, 1, 1, 1] * 2, [0, 1] * 4
    options = {"y_true": labels, "metric": "f1_macro", "random_state": 0}
    rows = compare({"a": same, "b": same}, **options).confidence_interval[0]
    assert 0 < rows.high == -rows.low < 1
    grouped = compare({"a": same, "b": same}, groups=range(8), **options)
    assert grouped.confidence_interval[0] == (-1, 1)


def test_measures_of_a_whole_need_targets():
    labels = np.arange(8) % 2
    models = {"a": labels, "b": labels[::-1].copy()}
    for metric in ("f1_macro", "matthews_corrcoef", "cohen_kappa"):
        with pytest.raises(ValueError, match=f"y_true must be passed for {metric}"):
            compare(models, metric=metric)
    of_data_sets = {"a": [0.8, 0.7, 0.9], "b": [0.6, 0.75, 0.8]}
    assert compare(of_data_sets, metric="f1_macro").n_units == 3
    assert compare(models, metric="accuracy").n_units == 8


def words(y):
    return np.array(["benign", "malignant"])[y]


OF_TWO = [
    *(name for name in OF_LABELS if name != "cohen_kappa"),
    *(*OF_POSITIVES, *OF_SCORES, "neg_log_loss", "neg_brier_score"),
    *("set_f1", "set_p", "set_recall", "set_accuracy", "ap"),
]


@pytest.mark.parametrize("pos_label", ["malignant", "benign"])
@pytest.mark.parametrize("metric", OF_TWO)
def test_a_positive_class_in_words_has_the_same_value_at_every_door(metric, pos_label):
    y, options = words(Y), {"pos_label": pos_label}
    results = evaluate(
        MODELS, X, y, scoring=metric, method="holdout", qid=None, **options
    )
    expected = {name: result.estimate[metric] for name, result in results.items()}
    draws = {"n_resamples": 99, "random_state": 0}
    compared = results.compare(**draws)
    assert compared.mean == pytest.approx(expected)
    board = leaderboard(results, **draws)
    assert dict(zip(board.system, board.estimate, strict=True)) == pytest.approx(
        expected
    )
    of_scores = metric in (*OF_SCORES, "ap")
    column = ["benign", "malignant"].index(pos_label)
    given = {}
    for name, result in results.items():
        (values,) = result.predictions.responses.values()
        if of_scores:
            values = (
                values[:, column] if values.ndim == 2 else values * (2 * column - 1)
            )
        given[name] = values
    first = results["linear"].predictions
    options |= {"y_true": first.y_true, "metric": metric}
    assert compare(given, **options, **draws).mean == pytest.approx(expected)


def test_one_class_of_several_is_compared_with_the_rest():
    X, y = make_classification(150, n_informative=4, n_classes=3, random_state=0)
    y = np.array(["a", "b", "c"])[y]
    for metric in ("set_f1", "set_accuracy"):
        results = evaluate(
            MODELS, X, y, scoring=metric, method="holdout", pos_label="b"
        )
        expected = {name: result.estimate[metric] for name, result in results.items()}
        assert results.compare(random_state=0).mean == pytest.approx(expected)
        given = {
            name: result.predictions.responses["predict"]
            for name, result in results.items()
        }
        y_true = results["linear"].predictions.y_true
        found = compare(given, y_true=y_true, metric=metric, pos_label="b")
        assert found.mean == pytest.approx(expected)


@pytest.mark.parametrize(
    ("metric", "predictions", "options", "message"),
    [
        ("f1", "labels", {}, "pos_label='benign' or pos_label='malignant', or write"),
        ("set_f1", "labels", {}, "needs a positive class: pass pos_label='benign' or"),
        ("roc_auc", "scores", {}, "'roc_auc' needs a positive class"),
        ("average_precision", "scores", {}, "needs a positive class"),
        ("neg_brier_score", "scores", {}, "needs a positive class"),
        ("neg_log_loss", "scores", {}, "needs a positive class"),
        ("roc_auc", "table", {}, r"1-D for metric='roc_auc': scores of the positive"),
        ("f1", "labels", {"pos_label": "bad"}, "class of y_true; got 'bad' for"),
        ("accuracy", "labels", {"pos_label": 1}, "pos_label must be a class of"),
        ("jaccard_samples", "labels", {}, "metric must be one of .*'set_f1'"),
    ],
)
def test_words_need_a_positive_class(metric, predictions, options, message):
    y = words(Y)
    p = np.linspace(0, 1, len(y))
    given = {"labels": y, "scores": p, "table": np.column_stack([1 - p, p])}
    one = given[predictions]
    with pytest.raises(ValueError, match=message):
        compare({"a": one, "b": one[::-1]}, y_true=y, metric=metric, **options)


def test_probabilities_of_all_classes_need_no_positive_class():
    y, p = words(Y), np.random.default_rng(0).random(len(Y))
    given = {"a": np.column_stack([1 - p, p]), "b": np.full((len(Y), 2), 0.5)}
    for metric in ("neg_log_loss", "neg_brier_score"):
        options = {"y_true": y, "metric": metric, "random_state": 0}
        plain = compare(given, **options)
        for pos_label, column in (("benign", 0), ("malignant", 1)):
            single = {name: values[:, column] for name, values in given.items()}
            one = compare(single, pos_label=pos_label, **options)
            assert_allclose(one.estimate, plain.estimate)
            assert compare(given, pos_label=pos_label, **options).mean == plain.mean


def test_pos_label_is_of_given_predictions():
    with pytest.raises(ValueError, match="pos_label must be None without y_true"):
        compare([[0.1, 0.2], [0.2, 0.3]], pos_label=1)


def test_measures_that_no_swap_knows_need_splits():
    options = {"scoring": "roc_auc_ovr", "random_state": 0}
    held_out = evaluate(MODELS, X, Y, method="holdout", **options)
    message = "several splits to compare roc_auc_ovr, which test='swap' does not"
    for test in ("auto", "corrected_ttest", "permutation"):
        with pytest.raises(ValueError, match=message):
            held_out.compare(test=test)
    with pytest.raises(ValueError, match=message):
        leaderboard(held_out)


def test_columns_named_after_classes_are_in_their_order():
    pd = pytest.importorskip("pandas")
    y, p = words(Y), np.random.default_rng(0).random(len(Y))
    table = pd.DataFrame({"benign": 1 - p, "malignant": p})
    options = {"y_true": y, "metric": "neg_brier_score", "random_state": 0}
    named = compare({"a": table, "b": table.round(1)}, **options)
    plain = compare({"a": table.to_numpy(), "b": table.round(1).to_numpy()}, **options)
    assert named.mean == plain.mean
    swapped = table[["malignant", "benign"]]
    message = r"results\['a'\] must have a column per class, in the order \['benign'"
    with pytest.raises(ValueError, match=message):
        compare({"a": swapped, "b": swapped.round(1)}, **options)
    codes = {0: "x", 1: "y"}
    renamed = swapped.set_axis([*codes.values()], axis=1)  # says nothing of classes
    assert compare({"a": renamed, "b": renamed}, **options).estimate[0] == 0
