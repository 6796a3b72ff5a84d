"""Tables of what was retrieved and what is relevant, beside scikit-learn's."""

import numpy as np
import pytest
from sklearn import metrics as skm

from sklearn_irmetrics import contingency_table
from sklearn_irmetrics.reports import ContingencyTable


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def draw(rng):
    """Return five classes, what was true and predicted, and weights."""
    classes = np.array(list("abcde"))
    y_true, y_pred = rng.choice(classes, (2, 40))
    y_true[:5] = classes
    return classes, y_true, y_pred, rng.random(40) + 0.1


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
    classes, y_true, y_pred, _ = draw(rng)
    table = contingency_table(y_true, y_pred, labels=classes[::-1])
    expected = skm.multilabel_confusion_matrix(y_true, y_pred, labels=classes[::-1])
    counts = np.stack([table.tn, table.fp, table.fn, table.tp], axis=1)
    np.testing.assert_array_equal(counts, expected.reshape(-1, 4))
    assert table.keys.tolist() == classes[::-1].tolist()
    pairs = skm.confusion_matrix(y_true, y_pred, labels=classes[::-1])
    np.testing.assert_array_equal(table.counts, pairs)
    assert repr(table).startswith(f"{len(y_true)} rows, 5 classes\n\ntrue \\ pred")
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
    classes, y_true, y_pred, w = draw(rng)
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
    assert repr(table).startswith("5 documents, 3 queries\n\nqid  tp  fp  fn  tn")


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


def test_long_names_of_classes_are_whole_and_apart():
    pytest.importorskip("matplotlib")
    names = ["a class with a long name", "another class with a long name", "c"]
    display = contingency_table([*names, names[0]], [*names, names[1]]).plot()
    display.figure_.canvas.draw()
    ax = display.ax_
    assert [text.get_text() for text in ax.get_yticklabels()] == names  # true classes
    boxes = [text.get_window_extent() for text in ax.get_xticklabels()]
    assert not boxes[0].overlaps(boxes[1])
    for text in (ax.yaxis.label, *ax.get_yticklabels(), *ax.get_xticklabels()):
        box = text.get_window_extent()
        assert display.figure_.bbox.padded(1).contains(*box.min)
    assert display.text_[0, 1].get_text() == "1"  # counts: the row is the truth
    assert ax.get_ylabel() == "True class"


def test_classes_of_a_data_frame_are_its_own():
    pd = pytest.importorskip("pandas")
    y_true, y_pred = pd.Series(list("aabb")), pd.Series(list("abbb"))
    table = ContingencyTable(counts=pd.crosstab(y_true, y_pred))
    assert table.keys.tolist() == ["a", "b"]
    assert table.accuracy == 0.75
    for other in (y_pred.replace("a", "c"), y_pred.replace("a", "b")):
        with pytest.raises(
            ValueError, match="same classes in rows and columns, in the"
        ):
            ContingencyTable(counts=pd.crosstab(y_true, other))


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32])
def test_sums_of_small_integers_fit(kind):
    most = np.iinfo(kind).max
    counts = np.full((2, 2), most, kind)
    table = ContingencyTable(counts=counts)
    assert table.n == 4 * int(most)
    assert str(4 * int(most)) in str(table)
    assert ContingencyTable(*counts.ravel()).n == 4 * int(most)
    counts[:] = 0
    assert table.n == 4 * int(most)


def test_sets_of_arrays_need_keys():
    with pytest.raises(ValueError, match="keys must name the query or class of each"):
        ContingencyTable(tp=[1, 2], fp=[1, 2], fn=[1, 2], tn=[1, 2])
