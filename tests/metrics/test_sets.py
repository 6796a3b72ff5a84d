"""Sets, classes and costs, and weights of documents, beside scikit-learn."""

import math
from decimal import Decimal

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import metrics as skm
from sklearn.exceptions import UndefinedMetricWarning

from oracles import reference as ref
from oracles.cases import CLOSE
from sklearn_irmetrics import contingency_table
from sklearn_irmetrics import metrics as ours
from sklearn_irmetrics.metrics import sets

COUNTED = {name: getattr(ours, name) for name in ref.SETS}
THEIRS = {
    "set_precision_score": (skm.precision_score, {}),
    "set_recall_score": (skm.recall_score, {}),
    "set_fbeta_score": (skm.fbeta_score, {"beta": 0.5}),
    "set_f1_score": (skm.f1_score, {}),
}
KINDS = {
    "letters": list("abcdef"),
    "numbers": [3, 1, 7, -2, 0, 5],
    "floats": [3.0, -1.0, 0.0, 9.0, 1.0, 2.0],
    "large": [2**53, 2**53 + 1, 5, 7, 8, 9],
}
APPROX = {"rel": 1e-12, "abs": 1e-12}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def draw(rng, kind, n_classes):
    classes = np.array(KINDS[kind][:n_classes])
    n = int(rng.integers(4, 50))
    y_true, y_pred = rng.choice(classes, n), rng.choice(classes, n)
    y_true[: len(classes)] = classes[:n]
    weights = rng.random(n) + 0.1 if rng.random() < 0.5 else None
    return classes, y_true, y_pred, weights


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", THEIRS)
def test_classes_are_those_of_scikit_learn(name, kind, rng):
    score, (theirs, options) = COUNTED[name], THEIRS[name]
    for _ in range(10):
        classes, y_true, y_pred, w = draw(rng, kind, int(rng.integers(2, 7)))
        labels = rng.permutation(classes)[: int(rng.integers(1, len(classes) + 1))]
        here = {"sample_weight": w, "replace_undefined_by": 0, **options}
        there = {"sample_weight": w, "zero_division": 0, **options}
        for average in ("macro", "micro", None):
            which = {"labels": labels, "average": average}
            expected = theirs(y_true, y_pred, **which, **there)
            value = score(y_true, y_pred, **which, **here)
            assert value == pytest.approx(expected, **APPROX)
        one = score(y_true, y_pred, pos_label=classes[0], **here)
        expected = theirs(y_true == classes[0], y_pred == classes[0], **there)
        assert one == pytest.approx(expected, **APPROX)


@pytest.mark.parametrize("name", COUNTED)
def test_a_weight_of_two_is_a_document_twice(name, rng):
    score = COUNTED[name]
    y_true = rng.choice([0.0, 1.0, 2.0, np.nan], 40)
    y_pred = rng.random(40) < 0.5
    weights = rng.integers(1, 4, 40)
    for judged_only in (False, True):
        value = score(y_true, y_pred, sample_weight=weights, judged_only=judged_only)
        rows = np.repeat(np.arange(40), weights)
        expected = score(y_true[rows], y_pred[rows], judged_only=judged_only)
        assert value == pytest.approx(expected, **APPROX)


def test_costs_weigh_documents():
    y_true, y_pred, costs = ["a", "b", "b"], ["a", "a", "b"], [[0, 1], [5, 0]]
    options = {"cost_matrix": costs, "sample_weight": [1, 2, 3]}
    assert ours.set_cost_matrix_loss(y_true, y_pred, **options) == 10
    value = ours.set_cost_matrix_loss(y_true, y_pred, normalize=True, **options)
    assert value == pytest.approx(10 / 6)


def test_one_class_is_the_set_of_each_query():
    y_true, y_pred, qid = [1, 2, 2, 1], [2, 2, 1, 1], [7, 7, 8, 8]
    value = ours.set_recall_score(y_true, y_pred, pos_label=2, qid=qid, average=None)
    np.testing.assert_array_equal(value, [1, 0])


@pytest.mark.parametrize(("y_true", "label"), [([2, 1, 2], 2), ([-1, 1, -1], -1)])
def test_what_was_retrieved_is_no_predicted_class(y_true, label):
    retrieved = [True, False, True]
    for count in (ours.set_recall_score, ours.set_accuracy_score, contingency_table):
        with pytest.raises(ValueError, match="y_pred must hold predicted classes"):
            count(y_true, retrieved, pos_label=label)
    assert ours.set_recall_score([1, 0, 1], retrieved, pos_label=1) == 1
    assert ours.set_recall_score(np.equal(y_true, label), retrieved) == 1


def test_classes_that_do_not_occur_are_undefined():
    with pytest.warns(Warning, match="undefined in 1 of 3 classes"):
        value = ours.set_recall_score(list("ab"), list("ab"), labels=list("abc"))
    assert value == 1


@pytest.mark.parametrize(
    ("match", "options"),
    [
        ("pos_label must be a class", {"pos_label": "z"}),
        ("labels and pos_label", {"pos_label": "a", "labels": ["a"]}),
        (r"labels .* and qid", {"labels": ["a"], "qid": [1, 1]}),
        ("more than two classes", {}),
        ("labels must name a class of", {"labels": ["z"]}),
        ("labels must name every class once", {"labels": ["a", "a"]}),
        ("labels must be 1-D", {"labels": []}),
        ("relevance_threshold", {"labels": ["a"], "judged_only": True}),
        ("sample_weight", {"labels": ["a"], "sample_weight": [1, 2, 3]}),
    ],
)
@pytest.mark.parametrize("name", COUNTED)
def test_bad_classes(name, match, options):
    with pytest.raises(ValueError, match=match):
        COUNTED[name](["a", "b"], ["a", "a"], **options)


def refuses_missing_labels(y_true):
    known = np.array([y_true[0], y_true[2], y_true[2]])
    for score in (ours.scott_pi_score, ours.set_cost_matrix_loss):
        with pytest.raises(ValueError, match="must not contain missing labels"):
            score(y_true, known)
    with pytest.raises(ValueError, match="y_true and y_pred must not contain missing"):
        ours.set_f1_score(known, y_true, pos_label=known[0])


@pytest.mark.parametrize(
    ("y_true", "dtype"),
    [
        ([1.0, np.nan, 2.0], None),
        (np.array([1, np.nan, 2], dtype=object), None),
        (["a", None, "b"], None),
        (np.array(["2026-01-01", "NaT", "2026-01-02"], dtype="M8[D]"), None),
        ([Decimal(1), Decimal("sNaN"), Decimal(2)], None),
        (["a", None, "b"], "string"),
        (["a", None, "b"], "category"),
        ([True, None, False], "boolean"),
        ([1, None, 2], "Int64"),
    ],
)
def test_missing_labels(y_true, dtype):
    if dtype is not None:
        y_true = pytest.importorskip("pandas").Series(y_true, dtype=dtype)
    refuses_missing_labels(y_true)


@pytest.mark.parametrize("missing", [None, np.nan])
def test_missing_strings_of_numpy(missing):
    kind = np.dtypes.StringDType(na_object=missing)
    y_true = np.array(["a", missing, "b"], dtype=kind)
    refuses_missing_labels(y_true)
    with pytest.raises(ValueError, match="must not contain missing labels"):
        contingency_table(y_true, y_true, labels=["a", "b"])
    whole = np.array(["a", "nan", "None"], dtype=kind)
    assert ours.scott_pi_score(whole, whole) == 1.0


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("named", [{"labels": ["a", "b"]}, {"pos_label": "a"}])
def test_options_of_grades_mean_nothing_to_classes(name, named):
    for option in ({"relevance_threshold": 2}, {"judged_only": True}):
        with pytest.raises(ValueError, match="require grades in y_true"):
            COUNTED[name](["a", "b"], ["a", "a"], **named, **option)
    with pytest.raises(ValueError, match="require grades in y_true"):
        contingency_table(["a", "b"], ["a", "a"], **named, relevance_threshold=1)


@pytest.mark.parametrize("scale", [2.0**300, 2.0**-300])
def test_extreme_weights_are_as_good_as_tame_ones(scale):
    y_true, y_pred, y_score = [1, 0, 1, 0], [1, 1, 0, 0], [3, 3, 2, 1]
    extreme = {"sample_weight": [scale] * 3 + [0.0]}
    tame = {"sample_weight": [1, 1, 1, 0]}
    for score in COUNTED.values():
        value = score(y_true, y_pred, **extreme, replace_undefined_by=9)
        expected = score(y_true, y_pred, **tame, replace_undefined_by=9)
        assert value == pytest.approx(expected, rel=1e-15)
    for score in (ours.roc_auc_score, ours.average_precision_score):
        assert score(y_true, y_score, **extreme) == score(y_true, y_score, **tame)
    cost = ours.set_cost_matrix_loss(y_true, y_pred, normalize=True, **extreme)
    assert cost == pytest.approx(2 / 3)


def test_weights_of_documents_on_tensors():
    torch = pytest.importorskip("torch")
    y_true, y_pred, w = [1, 0, 1, 2], [1, 1, 0, 2], [1.0, 2.0, 3.0, 0.5]
    binary = [1, 0, 1, 1], [1, 1, 0, 1]
    for score in (*COUNTED.values(), ours.scott_pi_score):
        value = score(*map(torch.tensor, binary), sample_weight=torch.tensor(w))
        assert value == pytest.approx(score(*binary, sample_weight=w), rel=1e-12)
    options = {"labels": [0, 1, 2]}
    value = ours.set_f1_score(
        torch.tensor(y_true), torch.tensor(y_pred), sample_weight=w, **options
    )
    assert value == pytest.approx(
        ours.set_f1_score(y_true, y_pred, sample_weight=w, **options)
    )
    table = contingency_table(*map(torch.tensor, binary), sample_weight=w)
    assert [table.tp, table.fp, table.fn, table.tn] == [1.5, 2.0, 3.0, 0.0]


def test_a_weight_of_two_is_a_label_twice(rng):
    first, second = rng.choice(list("abc"), (2, 30))
    weights = rng.integers(1, 4, 30)
    rows = np.repeat(np.arange(30), weights)
    value = ours.scott_pi_score(first, second, sample_weight=weights)
    assert value == pytest.approx(ours.scott_pi_score(first[rows], second[rows]))


def test_classes_are_named_and_have_one_dimension():
    with pytest.raises(ValueError, match="y_pred .* got 2. Pass classes as labels, "):
        ours.set_f1_score([1, 2, 0], [1, 2, 2])
    with pytest.raises(ValueError, match="must be 1-D"):
        ours.set_f1_score([["a", "b"]], [["a", "a"]], labels=["a"])


def test_sets_of_a_class_that_does_not_occur():
    with pytest.warns(match="undefined"):
        assert np.isnan(ours.set_recall_score(["y", "y"], ["y", "y"], pos_label="x"))
    options = {"pos_label": "x", "replace_undefined_by": 0.0}
    assert ours.set_recall_score(["y", "y"], ["y", "y"], **options) == 0.0
    with pytest.raises(ValueError, match="pos_label must be a class of y_true"):
        ours.set_recall_score(["y", "z"], ["y", "z"], **options)


# Cost matrices ------------------------------------------------------------------------

COSTS = np.array([[0.0, 1.5, 2.0], [3.0, -1.0, 0.5], [10.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    ("costs", "match"),
    [
        ([["0", "1"], ["1", "0"]], "cost_matrix must hold real numbers"),
        ([[0, 10**400], [1, 0]], "cost_matrix must hold real numbers"),
        (csr_array(np.eye(2)), "cost_matrix must be an array.*csr_array"),
        ([[0], [1, 0]], "cost_matrix must be a rectangular array"),
        (np.ma.array(np.eye(2), mask=np.eye(2)), "cost_matrix must not be a masked"),
        ([[0, None], [1, 0]], "cost_matrix must be finite"),
    ],
)
def test_costs_that_are_no_numbers(costs, match):
    with pytest.raises((TypeError, ValueError), match=match):
        sets.set_cost_matrix_loss([0, 1], [1, 0], cost_matrix=costs)


@pytest.mark.parametrize("names", [np.arange(3), np.array(["x", "y", "zz"])])
def test_costs_are_those_of_the_confusion_matrix(names):
    rng = np.random.default_rng(7)
    true, predicted = rng.integers(0, 3, size=(2, 60))
    qid = rng.integers(0, 4, size=60)
    ids = list(dict.fromkeys(qid.tolist()))
    y_true, y_pred = names[true], names[predicted]
    of_query = [
        (skm.confusion_matrix(y_true[rows], y_pred[rows], labels=names) * COSTS).sum()
        for rows in (qid == q for q in ids)
    ]
    options = {"cost_matrix": COSTS, "qid": qid}
    loss = sets.set_cost_matrix_loss
    values = loss(y_true, y_pred, average=None, **options)
    np.testing.assert_allclose(values, of_query, **CLOSE)
    assert loss(y_true, y_pred, **options) == pytest.approx(np.mean(of_query))
    assert loss(y_true, y_pred, average="micro", **options) == pytest.approx(
        np.sum(of_query)
    )
    mean = loss(y_true, y_pred, average="micro", normalize=True, **options)
    assert mean == pytest.approx(np.sum(of_query) / 60)
    other_way = loss(
        y_true, y_pred, cost_matrix=COSTS[::-1, ::-1], qid=qid, labels=names[::-1]
    )
    assert other_way == pytest.approx(np.mean(of_query))


def test_costs_of_errors_by_default():
    rng = np.random.default_rng(8)
    y_true, y_pred = rng.integers(0, 5, size=(2, 4, 30))
    loss = sets.set_cost_matrix_loss(y_true, y_pred, average=None)
    np.testing.assert_array_equal(loss, (y_true != y_pred).sum(axis=1))
    rate = sets.set_cost_matrix_loss(y_true.ravel(), y_pred.ravel(), normalize=True)
    assert rate == pytest.approx(1 - skm.accuracy_score(y_true.ravel(), y_pred.ravel()))


@pytest.mark.parametrize("kind", [object, bool, np.int8, np.uint64])
def test_costs_of_any_kind_of_number(kind):
    costs = np.array([[0, 1], [1, 0]]).astype(kind)
    assert sets.set_cost_matrix_loss([0, 1], [1, 0], cost_matrix=costs) == 2


def test_zero_and_one_are_two_classes_even_if_one_is_absent():
    costs = [[2, 1], [100, -1]]
    loss = sets.set_cost_matrix_loss
    assert loss([0, 0, 0], [0, 0, 0], cost_matrix=costs) == 6
    assert loss([True, True], [True, True], cost_matrix=costs) == -2
    assert loss([1.0, 1.0], [0, 1], cost_matrix=costs) == 99


def test_labels_name_classes_that_do_not_occur():
    loss = sets.set_cost_matrix_loss(
        ["b", "b"], ["b", "c"], cost_matrix=COSTS, labels=["a", "b", "c"]
    )
    assert loss == -0.5


# Undefined, bad input -----------------------------------------------------------------


def test_undefined_where_the_denominator_is_zero():
    for average in ("macro", "micro"):
        with pytest.warns(UndefinedMetricWarning, match="set_f1_score"):
            assert math.isnan(sets.set_f1_score([0], [0], average=average))


@pytest.mark.parametrize("score", [sets.set_f1_score, sets.set_cost_matrix_loss])
def test_columns_are_named_without_scores(score):
    with pytest.raises(ValueError, match="more than one column.*1-D") as caught:
        score([[1], [0]], [[1], [1]])
    assert "y_score" not in str(caught.value)


def test_very_many_classes_need_no_cost_matrix():
    classes = np.arange(200_000)
    assert sets.set_cost_matrix_loss(classes, classes[::-1]) == 200_000


def test_columns_of_labels_may_be_whole_floats():
    y_true, y_pred = [[1, 0], [1, 1]], [[1, 0], [0, 1]]
    options = {"average": None, "labels": [1.0, 0.0]}
    assert ours.set_recall_score(y_true, y_pred, **options).tolist() == [1.0, 0.5]


@pytest.mark.parametrize("options", [{"labels": [0, 1]}, {"pos_label": 1}])
@pytest.mark.parametrize(
    "function", [ours.set_f1_score, ours.set_cost_matrix_loss, contingency_table]
)
def test_scores_are_no_classes(function, options):
    if function is ours.set_cost_matrix_loss:
        options = {"labels": [0, 1]}
    match = r"y_pred must hold classes; got 0\.2\. If these are scores"
    with pytest.raises(ValueError, match=match):
        function([0, 1, 1, 0], [0.2, 0.7, 0.4, 1.0], **options)


@pytest.mark.parametrize(
    ("y_true", "labels"), [([0.5, 1.5, 0.5], [0.5, 1.5]), ([1, 0, 1], [0.5, 1, 0, 1.5])]
)
def test_classes_may_be_fractions(y_true, labels):
    y_pred = [0.5, 1.5, 1.5]
    words = {label: str(label) for label in labels}
    score = ours.set_f1_score(y_true, y_pred, labels=labels, replace_undefined_by=0)
    assert score == ours.set_f1_score(
        [words[label] for label in y_true],
        [words[label] for label in y_pred],
        labels=[*words.values()],
        replace_undefined_by=0,
    )


def test_one_of_two_raters_may_halve_grades():
    score = ours.scott_pi_score([0, 1, 2, 2], [0.5, 1, 2, 2])
    assert score == ours.scott_pi_score(list("abcc"), list("xbcc"))
