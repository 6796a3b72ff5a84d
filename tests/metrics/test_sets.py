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
from oracles.measures import METRICS
from sklearn_irmetrics import contingency_table
from sklearn_irmetrics import metrics as ours
from sklearn_irmetrics.metrics import sets
from sklearn_irmetrics.reports import ContingencyTable

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


# Rankings of documents that have weights ---------------------------------------------

WEIGHING = {
    row.function.__name__: row.kind
    for row in METRICS.values()
    if row.kind == "set" or row.weighs_documents
}
WEIGHING_RANKS = [name for name, kind in WEIGHING.items() if kind == "ranking"]


@pytest.mark.parametrize("name", ["roc_auc_score", "average_precision_score"])
@pytest.mark.parametrize("tied", [False, True])
def test_weighted_rankings_are_those_of_scikit_learn(name, tied, rng):
    score, theirs = getattr(ours, name), getattr(skm, name)
    for _ in range(20):
        n = int(rng.integers(5, 40))
        y_true, y_score = rng.random(n) < 0.4, rng.standard_normal(n)
        y_true[:2] = [True, False]
        if tied:
            y_score = np.round(y_score)
        weights = rng.integers(0, 4, n) * rng.random(n)  # some of them 0
        weights[:2] = 1.0
        for unit in (1.0, 7.5):
            value = score(y_true, y_score, sample_weight=weights * unit)
            expected = theirs(y_true, y_score, sample_weight=weights)
            assert value == pytest.approx(expected, **APPROX)


@pytest.mark.parametrize("name", WEIGHING_RANKS)
def test_weights_of_documents_that_were_not_retrieved(name, rng):
    score = getattr(ours, name)
    for _ in range(20):
        y_true, y_score = rng.choice([0, 1, np.nan], 30), rng.permutation(30) * 1.0
        y_score[rng.random(30) < 0.3] = -np.inf
        n = np.where(y_true == 1, rng.integers(1, 4, 30), 1)
        n[y_score > -np.inf] = np.where(y_true == 1, 1, n)[y_score > -np.inf]
        rows = np.repeat(np.arange(30), n)
        for options in ({}, {"judged_only": True}):
            value = score(y_true, y_score, sample_weight=n + 0.0, **options)
            expected = score(y_true[rows], y_score[rows], **options)
            assert value == pytest.approx(expected, **APPROX)
    with pytest.warns(Warning, match="undefined"):
        value = score(np.zeros(30), y_score, sample_weight=np.arange(30) + 1.0)
    assert np.isnan(value)


@pytest.mark.parametrize("name", WEIGHING)
@pytest.mark.parametrize("unit", [1.0, 10.0])
@pytest.mark.filterwarnings("ignore:.*is undefined")
def test_a_weight_of_zero_removes_a_document(name, unit, rng):
    score, ranks = getattr(ours, name), name in WEIGHING_RANKS
    options = {"normalize": True} if name == "set_cost_matrix_loss" else {}
    for _ in range(200):
        n = int(rng.integers(3, 9))
        y_true, y_score = rng.integers(0, 2, n), rng.integers(0, 3, n) * 1.0
        y_score = y_score if ranks else (y_score > 0).astype(int)
        kept = rng.random(n) < 0.7
        y_true[:2], kept[:2] = [1, 0], True
        value = score(y_true, y_score, sample_weight=kept * unit, **options)
        expected = score(y_true[kept], y_score[kept], **options)
        assert value == pytest.approx(expected, abs=1e-14, nan_ok=True)


def test_a_weight_of_zero_leaves_ties_as_they_are_without_it():
    score = ours.average_precision_score
    assert score([1, 0, 1], [0.5, 0.5, 0.1], sample_weight=[10, 10, 0]) == 0.75


@pytest.mark.parametrize("name", ["roc_auc_score", "average_precision_score"])
@pytest.mark.parametrize("ties", ["optimistic", "pessimistic", "stable"])
def test_a_weight_of_zero_leaves_every_rule_for_ties(name, ties):
    score, y_true, tied = getattr(ours, name), [1, 0, 1, 0], [1, 1, 0, 2]
    value = score(y_true, tied, sample_weight=[10, 10, 10, 0], ties=ties)
    assert value == score(y_true[:3], tied[:3], ties=ties)


@pytest.mark.parametrize("name", ["roc_auc_score", "average_precision_score"])
@pytest.mark.parametrize(
    ("y_true", "options"),
    [
        ([0, np.nan, np.nan], {"judged_only": True}),
        (["a", "b", "c"], {"pos_label": "a"}),
        (["a", None, None], {"pos_label": "a"}),
        ([2, 1, 0], {"pos_label": 2}),
    ],
)
def test_nothing_relevant_but_what_has_no_weight_is_undefined(name, y_true, options):
    options["sample_weight"] = [0, 10, 1]
    score = getattr(ours, name)
    with pytest.warns(Warning, match=f"{name} is undefined"):
        assert np.isnan(score(y_true, [1, 2, 3], **options))
    assert score(y_true, [1, 2, 3], replace_undefined_by=0.5, **options) == 0.5


def test_ties_of_weighted_documents_are_one_step():
    y_true, tied = [1, 0, 0, 1], [0, 0, 0, 0]
    score = ours.average_precision_score
    assert score(y_true, tied, sample_weight=[2] * 4) == score(y_true, tied) != 0.5
    assert score(y_true, tied, sample_weight=[1, 1, 2, 2]) == 0.5


def test_weights_of_documents_elsewhere_are_refused():
    options = {"sample_weight": [1, 2, 3]}
    with pytest.raises(ValueError, match="ties must be 'average' for roc_auc_score"):
        ours.roc_auc_score([1, 0, 1], [3, 2, 1], ties="stable", **options)
    with pytest.raises(ValueError, match="k must be None for average_precision_score"):
        ours.average_precision_score([1, 0, 1], [3, 2, 1], k=2, **options)
    with pytest.raises(ValueError, match="sets .* take one weight per doc"):
        ours.ndcg_score([1, 0, 1], [3, 2, 1], **options)
    constant = {"sample_weight": [2, 2, 2]}
    assert ours.ndcg_score([1, 0, 1], [3, 2, 1], **constant) < 1


# Contingency tables -------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_contingency_of_one_set_is_the_confusion_matrix(weighted, rng):
    y_true, y_pred = rng.integers(0, 2, (2, 50))
    w = rng.random(50) if weighted else None
    table = contingency_table(y_true, y_pred, sample_weight=w)
    expected = skm.confusion_matrix(y_true, y_pred, sample_weight=w)
    counts = [table.tn, table.fp, table.fn, table.tp]
    np.testing.assert_allclose(counts, expected.ravel(), rtol=1e-12)
    assert type(table.tp) is (float if weighted else int)


def test_contingency_of_classes_is_the_multilabel_confusion_matrix(rng):
    classes, y_true, y_pred, _ = draw(rng, "letters", 5)
    table = contingency_table(y_true, y_pred, labels=classes[::-1])
    expected = skm.multilabel_confusion_matrix(y_true, y_pred, labels=classes[::-1])
    counts = np.stack([table.tn, table.fp, table.fn, table.tp], axis=1)
    np.testing.assert_array_equal(counts, expected.reshape(-1, 4))
    assert table.keys.tolist() == classes[::-1].tolist()
    pairs = skm.confusion_matrix(y_true, y_pred, labels=classes[::-1])
    np.testing.assert_array_equal(table.counts, pairs)
    assert repr(table).startswith(f"{len(y_true)} rows, 5 classes\n\n  true \\ pred")
    part = contingency_table(y_true, y_pred, labels=classes[[3, 0]])
    order = [*classes[[3, 0]], *classes[[1, 2, 4]]]  # the others follow
    assert part.keys.tolist() == order
    pairs = skm.confusion_matrix(y_true, y_pred, labels=order)
    np.testing.assert_array_equal(part.counts, pairs)


def test_contingency_by_query():
    table = contingency_table(
        [1, 0, 2, 0, np.nan], [1, 1, 0, 0, 1], qid=list("aabbb"), relevance_threshold=2
    )
    assert [table.tp.tolist(), table.fp.tolist()] == [[0, 0], [2, 1]]
    assert [table.fn.tolist(), table.tn.tolist()] == [[0, 1], [0, 1]]
    assert table.keys.tolist() == ["a", "b"]
    pd = pytest.importorskip("pandas")
    frame = table.to_frame()
    assert frame.loc["b"].to_dict() == {"tp": 0, "fp": 1, "fn": 1, "tn": 1}
    two = contingency_table([1, 0], [1, 1]).to_frame()
    assert isinstance(two, pd.DataFrame)
    assert two.loc["not relevant", "retrieved"] == 1


def test_measures_of_a_table_are_those_of_scikit_learn(rng):
    y_true, y_pred = rng.integers(0, 2, (2, 60))
    table = contingency_table(y_true, y_pred)
    made = ContingencyTable(tp=table.tp, fp=table.fp, fn=table.fn, tn=table.tn)
    for one in (table, made):
        assert one.precision == pytest.approx(skm.precision_score(y_true, y_pred))
        assert one.recall == pytest.approx(skm.recall_score(y_true, y_pred))
        assert one.f1 == pytest.approx(skm.f1_score(y_true, y_pred))
        assert one.accuracy == pytest.approx(skm.accuracy_score(y_true, y_pred))
        assert one.kappa == pytest.approx(skm.cohen_kappa_score(y_true, y_pred))
        specificity = skm.recall_score(1 - y_true, 1 - y_pred)
        assert one.specificity == pytest.approx(specificity)
        assert one.fallout == pytest.approx(1 - specificity)
        assert one.miss_rate == pytest.approx(1 - one.recall)
        assert one.n == 60 and type(one.precision) is float
    classes, y_true, y_pred, w = draw(rng, "letters", 5)
    table = contingency_table(y_true, y_pred, labels=classes, sample_weight=w)
    made = ContingencyTable(counts=table.counts.tolist(), keys=classes)
    options = {"sample_weight": w, "labels": classes}
    for one in (table, made):
        each = {"average": None, "zero_division": np.nan, **options}
        precision = skm.precision_score(y_true, y_pred, **each)
        np.testing.assert_allclose(one.precision, precision)
        np.testing.assert_allclose(one.f1, skm.f1_score(y_true, y_pred, **each))
        kappa = skm.cohen_kappa_score(y_true, y_pred, **options)
        assert one.kappa == pytest.approx(kappa)
        accuracy = skm.accuracy_score(y_true, y_pred, sample_weight=w)
        assert one.accuracy == pytest.approx(accuracy)


def test_measures_of_a_table_by_query():
    table = contingency_table([1, 0, 1, 1, 0], [1, 1, 0, 0, 0], qid=list("aabbc"))
    np.testing.assert_array_equal(table.precision, [0.5, np.nan, np.nan])
    np.testing.assert_array_equal(table.recall, [1.0, 0.0, np.nan])
    assert repr(table).startswith("5 documents, 3 queries\n\n  qid  tp  fp  fn  tn")


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({}, TypeError, "needs tp, fp, fn and tn, or counts of classes"),
        ({"tp": 1, "fp": 2, "fn": 3}, TypeError, "tn is missing"),
        ({"tp": -1, "fp": 2, "fn": 3, "tn": 0}, ValueError, "tp must hold counts"),
        ({"tp": [1], "fp": 2, "fn": 3, "tn": 0}, ValueError, "the same shape"),
        ({"counts": [[1, 2]]}, ValueError, "a row and a column for each"),
        ({"counts": [[1, 2], [3, 4]], "keys": ["a"]}, ValueError, "keys must name"),
        ({"counts": [["a", "b"], ["c", "d"]]}, TypeError, "counts must hold"),
    ],
)
def test_tables_that_are_no_counts(given, error, message):
    with pytest.raises(error, match=message):
        ContingencyTable(**given)


def test_contingency_takes_weights_of_documents_only():
    with pytest.raises(ValueError, match="sample_weight must be None if rows"):
        contingency_table([1, 0], [1, 0], qid=[1, 1], sample_weight=[1, 1])


@pytest.mark.parametrize(
    ("weight", "shown"), [(1431000, "1431000"), (14002.25, "14002.2"), (1e90, "1e+90")]
)
def test_contingency_shows_counts_in_full(weight, shown):
    table = contingency_table([1, 0], [1, 0], sample_weight=[weight, 0])
    assert repr(table).split("\n")[3].split() == ["relevant", shown, "0", shown]
    assert f" {shown} |" in table.to_markdown()


def ticks_of(ax):
    return ax.get_xticklabels(), ax.get_yticklabels()


def test_contingency_of_one_set_is_drawn():
    pytest.importorskip("matplotlib")
    display = contingency_table([1, 0, 1, 1, 0], [1, 1, 1, 0, 0]).plot()
    np.testing.assert_array_equal(display.confusion_matrix, [[2, 1], [1, 1]])
    assert [text.get_text() for text in display.text_.ravel()] == ["2", "1", "1", "1"]
    ticks = [[one.get_text() for one in labels] for labels in ticks_of(display.ax_)]
    assert ticks == [["retrieved", "not retrieved"], ["relevant", "not relevant"]]
    display = contingency_table(["a", "b", "c"], ["a", "c", "c"]).plot()
    assert display.ax_.get_ylabel() == "True class"
    with pytest.raises(ValueError, match="one set; there are 2"):
        contingency_table([1, 0], [1, 0], qid=[1, 2]).plot()


def test_sets_of_a_class_that_does_not_occur():
    with pytest.warns(match="undefined"):
        assert np.isnan(ours.set_recall_score(["y", "y"], ["y", "y"], pos_label="x"))
    options = {"pos_label": "x", "replace_undefined_by": 0.0}
    assert ours.set_recall_score(["y", "y"], ["y", "y"], **options) == 0.0
    with pytest.raises(ValueError, match="pos_label must be a class of y_true"):
        ours.set_recall_score(["y", "z"], ["y", "z"], **options)


# Sets and costs ---------------------------------------------------------------------


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
