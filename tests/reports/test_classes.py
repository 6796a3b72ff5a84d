"""Reports of classes: scikit-learn's values, and intervals that cover the truth."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
    make_multilabel_classification,
)
from sklearn.metrics import accuracy_score, classification_report
from sklearn.model_selection import (
    KFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import sklearn_irmetrics as irm
from sklearn_irmetrics.model_selection import evaluate
from sklearn_irmetrics.reports import ClassReport, class_report

rare = make_classification(
    600, weights=[0.9, 0.07], n_classes=3, n_informative=4, random_state=0
)
DATA = {
    "breast cancer": load_breast_cancer(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "iris": load_iris(return_X_y=True),
    "digits": load_digits(return_X_y=True),
    "rare classes": rare,
}
OURS = {"precision": "precision", "recall": "recall", "f1": "f1-score"}


def predicted(name, n_features=2):
    X, y = DATA[name]
    return y, cross_val_predict(GaussianNB(), X[:, :n_features], y)


def same(report, theirs, names):
    for name in names:
        for ours, other in OURS.items():
            expected = theirs[str(name)][other]
            found = np.nan_to_num(report.estimate[ours, name])
            assert found == pytest.approx(expected, abs=1e-12), (name, ours)
        if name in report.support:
            expected = theirs[str(name)]["support"]
            assert report.support[name] == pytest.approx(expected)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_the_values_of_classification_report(name, as_text, weighted):
    y, y_pred = predicted(name)
    weights = np.random.default_rng(0).random(len(y)) if weighted else None
    if as_text:
        y, y_pred = (np.char.add("class ", one.astype(str)) for one in (y, y_pred))
    report = class_report(y, y_pred, sample_weight=weights)
    theirs = classification_report(y, y_pred, sample_weight=weights, output_dict=True)
    same(report, theirs, [*report.classes, "macro avg", "weighted avg"])
    accuracy = report.estimate["accuracy", "all"]
    assert accuracy == pytest.approx(theirs["accuracy"], abs=1e-12)
    for measure in OURS:
        assert report.estimate[measure, "micro avg"] == pytest.approx(accuracy)
        ends = report.confidence_interval[measure, "micro avg"]
        assert_allclose(ends, report.confidence_interval["accuracy", "all"])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_some_classes_and_classes_of_one_side():
    y, y_pred = predicted("digits", n_features=40)
    y_pred = np.where(y_pred == 3, 11, y_pred)  # 3 is never predicted, 11 never true
    for labels in (None, [2, 1, 3], [3, 11, 5], [1, 42]):
        report = class_report(y, y_pred, labels=labels)
        theirs = classification_report(y, y_pred, labels=labels, output_dict=True)
        same(report, theirs, [*report.classes, "macro avg", "weighted avg"])
        if labels is not None:
            same(report, theirs, ["micro avg"])
            assert report.classes == labels
            assert "micro avg" in str(report)
    assert np.isnan(class_report(y, y_pred).estimate["precision", 3])
    assert np.isnan(class_report(y, y_pred).estimate["recall", 11])
    text = str(class_report(y, y_pred))
    assert "Never predicted: 3. Precision is undefined there" in text
    assert "Not in y_true: 11. Recall is undefined there" in text


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_several_labels_per_row():
    X, y = make_multilabel_classification(200, random_state=0)
    y_pred = cross_val_predict(DecisionTreeClassifier(random_state=0), X, y)
    theirs = classification_report(y, y_pred, output_dict=True)
    report = class_report(y, y_pred)
    same(report, theirs, [*range(5), "macro avg", "micro avg", "weighted avg"])
    assert ("accuracy", "all") not in report.estimate
    named = class_report(y, y_pred, labels=[*"abcde"])
    assert named.classes == [*"abcde"]
    assert named.estimate["f1", "b"] == report.estimate["f1", 1]
    with pytest.raises(ValueError, match="labels must name each of the 5 columns"):
        class_report(y, y_pred, labels=["a"])
    with pytest.raises(ValueError, match="must hold only 0 and 1 if they are 2-D"):
        class_report(y + 1, y_pred)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_intervals_are_those_of_evaluate():
    """Of one split that tests all rows, for each measure that both have."""
    y, y_pred = predicted("breast cancer")
    names = "accuracy", "precision", "recall", "f1", "recall_macro"
    split = [(np.arange(len(y)), np.arange(len(y)))]
    result = evaluate(Given(), y_pred[:, None], y, scoring=[*names], method=split)
    report = class_report(y, y_pred)
    for name in names[1:4]:
        expected = result.confidence_interval[name]
        assert_allclose(report.confidence_interval[name, 1], expected, rtol=1e-9)
    expected = result.confidence_interval["accuracy"]
    assert_allclose(report.confidence_interval["accuracy", "all"], expected)
    expected = result.confidence_interval["recall_macro"]
    found = report.confidence_interval["recall", "macro avg"]
    assert_allclose(found, expected, atol=0.01)  # that of independent classes
    for name in ("wine", "digits", "rare classes"):
        y, y_pred = predicted(name)
        split = [(np.arange(len(y)), np.arange(len(y)))]
        model = Given(np.unique(y))
        names = ["f1_macro", "precision_macro"]
        result = evaluate(model, y_pred[:, None], y, scoring=names, method=split)
        report = class_report(y, y_pred)
        for measure in ("f1", "precision"):
            expected = result.confidence_interval[f"{measure}_macro"]
            found = report.confidence_interval[measure, "macro avg"]
            assert_allclose(found, expected, rtol=1e-9)


class Given:
    """A classifier that predicts its only feature."""

    _estimator_type = "classifier"

    def __init__(self, classes=(0, 1)):
        self.classes_ = np.array(classes)

    def predict(self, X):
        return X[:, 0].astype(int)


def test_specificity_is_the_recall_of_the_other_class():
    y, y_pred = predicted("breast cancer")
    report = class_report(y, y_pred)
    for part in (report.estimate, report.standard_error, report.confidence_interval):
        for one, other in ((0, 1), (1, 0)):
            assert_allclose(part["specificity", one], part["recall", other])


def test_groups_of_one_row_change_nothing_and_repeated_rows_do_not_narrow():
    y, y_pred = predicted("rare classes")
    rows = class_report(y, y_pred)
    alone = class_report(y, y_pred, groups=np.arange(len(y)))
    twice = class_report(
        np.tile(y, 2), np.tile(y_pred, 2), groups=np.tile(np.arange(len(y)), 2)
    )
    naive = class_report(np.tile(y, 2), np.tile(y_pred, 2))
    for key, ends in rows.confidence_interval.items():
        for other in (alone, twice):
            assert_allclose(other.confidence_interval[key], ends, atol=1e-9)
        wide, narrow = rows.standard_error[key], naive.standard_error[key]
        assert np.isnan(wide) or narrow <= wide
    assert "600 rows in 600 groups, 3 classes" in str(alone)
    halves = class_report(y, y_pred, sample_weight=np.full(len(y), 0.5))
    for key, ends in rows.confidence_interval.items():
        assert_allclose(halves.confidence_interval[key], ends, atol=1e-9)


def test_rows_without_weight_do_not_count():
    y, y_pred = predicted("wine")
    weights = np.arange(len(y)) % 2
    found = class_report(y, y_pred, sample_weight=weights)
    expected = class_report(y[1::2], y_pred[1::2])
    assert found.estimate == pytest.approx(expected.estimate)
    assert found.counts == expected.counts
    for key, ends in expected.confidence_interval.items():
        assert_allclose(found.confidence_interval[key], ends, atol=1e-9)


def test_a_perfect_classifier_of_few_rows_is_not_certain():
    report = class_report(["a"] * 5 + ["b"] * 495, ["a"] * 5 + ["b"] * 495)
    low, high = report.confidence_interval["recall", "a"]
    assert 0.3 < low < 0.6 and high == 1.0
    low, _ = report.confidence_interval["f1", "macro avg"]
    assert low < 0.9
    tiny = class_report(["a", "b"], ["a", "b"]).confidence_interval["f1", "a"]
    assert np.isnan(tiny).all()


@pytest.mark.parametrize(
    ("sizes", "right"), [([10, 30], 0.8), ([10] * 10, 0.95), ([30, 8, 4], 0.7)]
)
def test_intervals_cover_the_truth(sizes, right):
    """A small simulation; the figures of a large one are in the guide."""
    rng, n_classes = np.random.default_rng(0), len(sizes)
    shares = np.array(sizes) / sum(sizes)
    cells = np.diag(shares * right)
    for k in range(n_classes):
        others = np.delete(np.arange(n_classes), k)
        cells[k, others] = shares[k] * (1 - right) * shares[others]
        cells[k, others] /= shares[others].sum()
    recall, precision = np.full(n_classes, right), np.diag(cells) / cells.sum(axis=0)
    f1 = 2 * np.diag(cells) / (shares + cells.sum(axis=0))
    truth = {"recall": recall, "precision": precision, "f1": f1}
    true, guessed = np.divmod(np.arange(n_classes**2), n_classes)
    hits = {}
    for _ in range(60):
        counts = rng.multinomial(sum(sizes), cells.ravel())
        report = class_report(
            np.repeat(true, counts), np.repeat(guessed, counts), labels=range(n_classes)
        )
        for measure, values in truth.items():
            low, high = report.confidence_interval[measure, "macro avg"]
            hits.setdefault(measure, []).append(low <= values.mean() <= high)
    assert all(np.mean(one) >= 0.9 for one in hits.values()), hits


# From an evaluation -------------------------------------------------------------------


def test_report_of_out_of_fold_predictions():
    X, y = DATA["wine"]
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    result = evaluate(GaussianNB(), X, y, scoring="accuracy", method=folds)
    report = result.class_report(labels=[2, 0, 1])
    expected = class_report(
        y, cross_val_predict(GaussianNB(), X, y, cv=folds), labels=[2, 0, 1]
    )
    assert repr(report) == repr(expected)
    repeated = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0)
    result = evaluate(GaussianNB(), X, y, scoring="accuracy", method=repeated)
    assert "534 rows in 178 groups" in str(result.class_report())


def test_what_a_report_of_an_evaluation_needs():
    X, y = DATA["wine"]
    result = evaluate(GaussianNB(), X, y, scoring="neg_log_loss", random_state=0)
    with pytest.raises(ValueError, match="needs predicted classes; .* predict_proba"):
        result.class_report()
    groups = np.arange(len(y)) // 2
    result = evaluate(
        GaussianNB(), X, y, scoring="accuracy", groups=groups, random_state=0
    )
    with pytest.raises(ValueError, match="groups must be given, one per row of X"):
        result.class_report()
    assert "178 rows in 89 groups" in str(result.class_report(groups=groups))


@pytest.mark.parametrize("method", [KFold(3, shuffle=True, random_state=0), "holdout"])
def test_weights_of_an_evaluation_are_in_the_order_of_X(method):
    X, y = DATA["wine"]
    weights = np.random.default_rng(0).choice([0.0, 1, 10], len(y))
    result = evaluate(GaussianNB(), X, y, scoring="accuracy", method=method)
    report = result.class_report(sample_weight=weights)
    rows, y_pred = result.predictions.row, result.predictions.responses["predict"]
    expected = np.average(y_pred == y[rows], weights=weights[rows])
    assert report.estimate["accuracy", "all"] == pytest.approx(expected)
    for name in ("groups", "sample_weight"):
        with pytest.raises(
            ValueError, match=f"{name} must have one value per row of X"
        ):
            result.class_report(**{name: [1]})


# What is shown ------------------------------------------------------------------------


def test_text_fits_80_characters_and_frames_have_all_digits():
    y, y_pred = predicted("digits")
    report = class_report(y, y_pred)
    assert max(map(len, str(report).splitlines())) <= 80
    frame = report.to_frame()
    assert frame.index.names == ["measure", "class"]
    assert frame.loc[("recall", 3), "estimate"] == report.estimate["recall", 3]
    assert frame.loc[("recall", 3), "support"] == (y == 3).sum()
    assert frame.loc[("accuracy", "all"), "estimate"] == accuracy_score(y, y_pred)
    again = ClassReport.from_dict(json.loads(report.to_json()))
    assert repr(again) == repr(report)
    assert r"\begin{tabular}{l" in report.to_latex()
    assert "<table" in report._repr_html_() and "| :--" in report.to_markdown()


def test_intervals_are_rounded_outwards():
    y = np.repeat([0, 1], 2000)
    y_pred = y.copy()
    y_pred[:4] = 1
    text = str(class_report(y, y_pred))
    assert "[0.99, 1.00]" in text and "[1.00, 1.00]" not in text


# What is refused ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y_true", "y_pred", "options", "error", "message"),
    [
        ([0, 1], [0.2, 0.9], {}, ValueError, "y_pred must hold classes; got 0.2"),
        ([0, 1], [[0.2, 0.8], [0.5, 0.5]], {}, ValueError, "y_pred must hold"),
        ([0, 1], [[1, 0], [0, 1]], {}, ValueError, "class of the largest"),
        ([0, 1], [0, 1, 1], {}, ValueError, "must have the same shape"),
        ([0, np.nan], [0, 1], {}, ValueError, "must not contain missing labels"),
        (["a", "b"], [0, 1], {}, TypeError, "labels of one kind"),
        ([0, 1], [0, 1], {"labels": [0, 0]}, ValueError, "labels must name"),
        ([0, 1], [0, 1], {"labels": [7]}, ValueError, "labels must name"),
        ([0, 1], [0, 1], {"groups": [1]}, ValueError, "groups must have one id"),
        ([0, 1], [0, 1], {"sample_weight": [1]}, ValueError, "sample_weight must"),
        ([0, 1], [0, 1], {"confidence_level": 1}, ValueError, "confidence_level"),
        (["macro avg"], ["b"], {}, ValueError, "no class may be called 'macro avg'"),
    ],
)
def test_what_is_refused(y_true, y_pred, options, error, message):
    with pytest.raises(error, match=message):
        class_report(y_true, y_pred, **options)


@pytest.mark.parametrize(
    ("y_true", "y_pred"),
    [
        (["a", "b", "a"], ["a", "b", "b"]),
        ([0, 1, 1, 0], [0, 1, 0, 0]),
        ([0, 1, 2, 0], np.array([0, 1, 2, 2])),
        ([False, True, True], [True, True, False]),
    ],
)
def test_a_report_of_rankings_leads_to_it(y_true, y_pred):
    with pytest.raises(TypeError, match=r"reports\.class_report\(y_true, y_pred\)"):
        irm.ranking_report(y_true, y_pred)


def test_sparse_rankings_and_retrieved_sets_are_no_predicted_classes():
    grades, scores = csr_array([[1, 0], [0, 1]]), csr_array([[0.1, 0.2], [0.3, 0.4]])
    assert irm.ranking_report(grades, scores, metrics="map").estimate["map"] == 0.75
    retrieved = irm.ranking_report([1, 0, 1], [True, False, True], metrics="set_p")
    assert retrieved.estimate["set_p"] == 1.0


def test_an_average_of_undefined_values_is_undefined():
    report = class_report([1] * 8, [1] * 8)
    for average in ("macro avg", "micro avg", "weighted avg"):
        assert np.isnan(report.estimate["specificity", average])
        assert np.isnan(report.confidence_interval["specificity", average]).all()
        assert report.estimate["recall", average] == 1
    text = str(report)
    assert text.endswith("Alone in y_true: 1. Specificity is undefined there.")
    # A second class that is predicted has a specificity, which is averaged.
    mixed = class_report([1] * 8, [1] * 6 + [2] * 2)
    assert mixed.estimate["specificity", "macro avg"] == 0.75 / 2
    assert "Alone in y_true: 1. Specificity is undefined there, and 0 in" in str(mixed)
