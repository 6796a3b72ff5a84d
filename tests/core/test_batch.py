"""What is refused at the door, with which words, and what is let in."""

from functools import partial

import numpy as np
import pytest
from scipy.sparse import coo_array, csc_matrix, csr_array
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.preprocessing import label_binarize

import sklearn_irmetrics as irm
from oracles.measures import METRICS
from sklearn_irmetrics.exceptions import FractionalGradesWarning, LowPrecisionWarning
from sklearn_irmetrics.frames import summarize_frame
from sklearn_irmetrics.reports import threshold_curve

NAN, INF = float("nan"), float("inf")

BAD_VALUES = [
    ({"y_true": [1, 0, 1]}, r"must have the same shape; got \(3,\) and \(4,\)"),
    ({"y_true": np.ones((2, 2, 2)), "y_score": np.ones((2, 2, 2))}, "1-D or 2-D.*2, 2"),
    ({"y_score": np.ones((4, 2, 2))}, r"same shape; got \(4,\) and \(4, 2, 2\)"),
    ({"y_true": 1.0}, "y_true must be 1-D or 2-D.*1.0"),
    ({"y_true": [[1], [1, 2]]}, "different lengths as 1-D arrays with qid"),
    ({"y_true": [], "y_score": []}, r"at least one document; got shape \(0,\)"),
    (
        {"y_true": np.ones((2, 0)), "y_score": np.ones((2, 0))},
        r"at least one document; got shape \(2, 0\)",
    ),
    ({"y_score": [1, NAN, 2, 3]}, "y_score must not contain NaN; got .* row 1.*-inf"),
    ({"y_true": [1, 0, INF, 0]}, "y_true must hold finite grades.*got inf"),
    ({"qid": [1, 1, 2]}, "qid must have one id per row: expected 4; got 3"),
    ({"qid": "query"}, "qid must hold one id per row; got the text 'query'"),
    ({"qid": np.ones((4, 1))}, r"qid must be 1-D.*\(4, 1\)"),
    ({"y_true": np.eye(4), "y_score": np.eye(4), "qid": range(4)}, "qid must be None"),
    (
        {"qid": [1, 1, 2, 2], "sample_weight": [1, 2, 3, 3]},
        "sample_weight must be constant inside a query; it varies in query 1\\.",
    ),
    (
        {"sample_weight": [1, 2]},
        r"sample_weight must have one weight per row, shape \(4,\); got \(2,\)",
    ),
    (
        {"qid": [1, 1, 2, 2], "sample_weight": [-1, -1, 2, 2]},
        "sample_weight must be finite, non-negative.*from -1.0",
    ),
    ({"sample_weight": [0] * 4}, "sample_weight must be .* and not all zero"),
    ({"ties": "random"}, "ties must be one of 'average', .*; got 'random'"),
    ({"replace_undefined_by": "skip"}, "must be a finite number or NaN; got 'skip'"),
    ({"k": True}, "k must be an integer >= 1; got True"),
    ({"gain": {2: 3}}, r"every grade that occurs; it lists \[2.0\] but not 1.0"),
    ({"gain": lambda grades: grades.sum()}, "return one finite number per grade"),
    (
        {"gain": {0: "0", 1: "5", 2: "6"}},
        "gain must be 'linear'.* mapping from grades to finite gains.*'5'",
    ),
    ({"gain": {"0": 0, "1": 5, "2": 6}}, "gain must be 'linear'.* to finite gains"),
    (
        {"gain": {0: 0, 1: 1, 2: 1, 2**53: 1, 2**53 + 1: 2}},
        "gain must .* all of them numbers that a float can hold.* 9007199254740993: 2",
    ),
    (
        {"discount": lambda ranks: ranks},
        "discount must not increase with the rank; it rises from 1.0 at rank 1 to 2.0",
    ),
    ({"discount": lambda ranks: 1.0}, "must return one finite weight per rank"),
    (
        {"y_true": [-1, 0, 1, 2]},
        "y_true must not hold negative grades.*got -1. Grades come before scores",
    ),
    ({"y_true": "qrels.txt"}, "got the scalar 'qrels.txt'. score_run .* read files"),
]
BAD_TYPES = [
    ({"y_true": {"q": {"d": 1}}}, "y_true must be an array or a sequence; got a dict"),
    (
        {"y_score": list("4321")},
        "y_score must hold real numbers; got text: '4'",
    ),
    (
        {"y_score": np.array(["4", "3", 2, 1], dtype=object)},
        "y_score must hold real numbers; got text",
    ),
    (
        {"y_true": list("abcd")},
        r"y_true must hold grades; got the labels \['a', 'b', 'c', 'd'\]. Pass the",
    ),
    ({"y_true": [1, None, 0, {}]}, "y_true must hold real numbers"),
    (
        {"y_score": np.ones(4, complex)},
        "y_score must hold real numbers; got an array of type complex128",
    ),
    ({"y_true": np.ma.ones(4)}, "y_true must not be a masked array"),
    (
        {"gain": lambda grades: grades * 1j},
        "the result of gain must hold real numbers; got .* complex128",
    ),
    (
        {"discount": lambda ranks: ["1", "0.5", "0.2", "0.1"]},
        "the result of discount must hold real numbers",
    ),
]


def check(error, message, metric, **changes):
    good = {"y_true": [1, 0, 1, 0], "y_score": [4.0, 3.0, 2.0, 1.0]}
    with pytest.raises(error, match=message):
        getattr(irm.metrics, metric)(**good | changes)


@pytest.mark.parametrize(("changes", "message"), BAD_VALUES)
def test_bad_values_are_named(changes, message):
    check(ValueError, message, "ndcg_score", **changes)


@pytest.mark.parametrize(("changes", "message"), BAD_TYPES)
def test_bad_types_are_named(changes, message):
    check(TypeError, message, "ndcg_score", **changes)


@pytest.mark.parametrize(
    ("name", "parameters", "rule"),
    [
        ("p", {"adaptive": 1}, "True or False"),
        ("f", {"beta": -1}, "a number >= 0; got -1"),
        ("q", {"beta": np.inf}, "a finite number >= 0; got inf"),
        ("ap", {"denominator": "R"}, "one of"),
        ("success", {"relevance_threshold": "1"}, "a finite number; got '1'"),
        ("11pt", {"recall_levels": [0, -0.5]}, "between 0 and 1; got -0.5"),
        ("11pt", {"recall_levels": []}, "a non-empty list"),
        ("rbp", {"persistence": 1}, "strictly between 0 and 1; got 1"),
        ("rbp", {"max_grade": 0.5}, "at least the largest grade of y_true, 1; got 0.5"),
        ("err", {"max_grade": None}, "a positive, finite number; got None"),
    ],
)
def test_parameters_must_be_what_the_message_says(name, parameters, rule):
    message = f"{[*parameters][0]} must be {rule}"
    check(ValueError, message, METRICS[name].function.__name__, **parameters)


def test_a_denominator_of_k_needs_k():
    message = "denominator='k' requires k"
    check(ValueError, message, "average_precision_score", denominator="k")


def test_class_labels_must_fit_the_columns():
    scores = np.eye(3)
    message = r"same shape; got \(3,\) and \(3, 3\)\. If .*one-vs-rest"
    for labels in ([0, 1, 2], ["a", "b", "c"]):
        with pytest.raises(ValueError, match=message):
            irm.reciprocal_rank_score(labels, scores)
    with pytest.raises(ValueError, match=message):
        irm.reciprocal_rank_score([0, 1, 2], scores, qid=[1, 1, 1])
    columns = "qid must be None with 2-D input.*one column of predict_proba"
    with pytest.raises(ValueError, match=columns):
        irm.reciprocal_rank_score(scores, scores, qid=[1, 1, 1])


def test_two_columns_of_probabilities_are_no_ranking():
    proba = np.array([[0.8, 0.2], [0.4, 0.6], [0.6, 0.4]])
    with pytest.raises(ValueError, match=r"of the positive one, y_score\[:, 1\]"):
        irm.roc_auc_score([0, 1, 1], proba)
    assert irm.roc_auc_score([0, 1, 1], proba[:, 1]) == 1.0


def as_column(values):
    return np.asarray(values)[:, None]


def tensor_column(values):
    torch = pytest.importorskip("torch")
    return torch.tensor(values, dtype=torch.float64)[:, None]


ONE_COLUMN = {"y_true": [1, 1, 2, 0, 0], "y_score": [0.5, 1.5, 2.5, 3.5, 4.5]}


@pytest.mark.parametrize("column", [as_column, tensor_column])
@pytest.mark.parametrize("name", ["ndcg_score", "average_precision_score"])
def test_a_column_holds_documents(name, column):
    metric, qid = getattr(irm.metrics, name), [7, 8, 7, 8, 7]
    y_true, y_score = ONE_COLUMN.values()
    columns = column(y_true), column(y_score)
    flat = columns[0][:, 0], columns[1][:, 0]
    for ids in ({}, {"qid": qid}):
        expected = metric(y_true, y_score, **ids)
        assert expected < 1.0
        assert metric(columns[0], flat[1], **ids) == pytest.approx(expected)
        assert metric(flat[0], columns[1], **ids) == pytest.approx(expected)
    assert metric(*columns, qid=qid) == pytest.approx(metric(*flat, qid=qid))
    with pytest.raises(ValueError, match=r"got shape \(5, 1\), which makes each row"):
        metric(*columns)
    evaluator = irm.reports.RankingEvaluator(flat[0], ["ndcg", "map"], qid=qid)
    assert evaluator(columns[1]) == evaluator(flat[1])


def test_a_column_of_predictions_is_a_set():
    y_true, y_pred, qid = [1, 0, 1, 0], [1, 1, 0, 0], [1, 1, 2, 2]
    expected = irm.set_f1_score(y_true, y_pred, qid=qid, replace_undefined_by=0.0)
    for data in (
        (as_column(y_true), as_column(y_pred)),
        (y_true, as_column(y_pred)),
        (as_column(y_true), y_pred),
    ):
        found = irm.set_f1_score(*data, qid=qid, replace_undefined_by=0.0)
        assert found == expected
    with pytest.raises(ValueError, match="each row a query of one document"):
        irm.set_f1_score(as_column(y_true), as_column(y_pred))


@pytest.mark.parametrize("kind", ["array", "tensor"])
@pytest.mark.parametrize("name", ["map", "mrr", "p@2", "roc_auc", "bpref", "11pt"])
def test_arguments_that_were_swapped(name, kind):
    grades, scores = [1, 0, 1, 0], np.array([0.9, 0.2, 1.0, 0.4])
    if kind == "tensor":
        torch = pytest.importorskip("torch")
        grades, scores = torch.tensor(grades), torch.tensor(scores)
    qid, options = [1, 1, 2, 2], {"replace_undefined_by": 0.0}
    with pytest.warns(FractionalGradesWarning, match=r"document is relevant\. Grades"):
        irm.score_queries(scores, grades, name, qid=qid, **options)
    with pytest.warns(FractionalGradesWarning, match=r"\(y_true, y_score\)"):
        irm.Measure(name)(scores, grades, qid=qid, **options)
    with pytest.warns(FractionalGradesWarning):
        irm.reports.RankingEvaluator(scores, name, qid=qid)
    with pytest.warns(FractionalGradesWarning, match=r"negative \(the least is -0.3\)"):
        irm.score_queries(scores - 0.5, grades, name, qid=qid, **options)


def test_errors_of_groups_quote_the_labels_as_they_are():
    scores = irm.score_queries([1, 0, 1], [3, 2, 1], "map", qid=[1, 1, 2])
    with pytest.raises(ValueError, match="^groups must .* got .*'my qid'"):
        scores.interval(groups="my qid")


def _frame(y_true, y_score, qid):
    pa = pytest.importorskip("pyarrow")
    return pa.table({"qid": qid, "y_true": y_true, "y_score": y_score})


def _score_frame(metric, *rows, batches=False, function=irm.frames.score_frame):
    frame = _frame(*rows)
    if batches:
        first = len(rows[0]) // 2
        frame = iter([frame.slice(0, first), frame.slice(first)])
    names = {name: name for name in ("qid", "y_true", "y_score")}
    return function(frame, metric, **names)


def _stream(metric, *rows):
    halves = [slice(len(rows[0]) // 2), slice(len(rows[0]) // 2, None)]
    parts = [irm.streaming.StreamingEvaluator(metric) for _ in halves]
    for part, half in zip(parts, halves, strict=True):
        y_true, y_score, qid = (one[half] for one in rows)
        part.update(y_true, y_score, qid=qid)
    parts[0].merge(parts[1])
    return parts[0].compute()


class Replay(RegressorMixin, BaseEstimator):
    """A model that predicts its only parameter."""

    def __init__(self, y_score):
        self.y_score = y_score

    def predict(self, X):
        return self.y_score


def _scorer(metric, y_true, y_score, qid):
    scorer = irm.get_scorer(metric, qid=lambda X: qid)
    return scorer(Replay(y_score), np.zeros((len(qid), 1)), y_true)


DOORS = {
    "function": lambda m, y, s, q: irm.precision_at_k_score(y, s, k=1, qid=q),
    "score_queries": lambda m, y, s, q: irm.score_queries(y, s, m, qid=q),
    "report": lambda m, y, s, q: irm.ranking_report(y, s, metrics=m, qid=q),
    "evaluator": lambda m, y, s, q: irm.reports.RankingEvaluator(y, m, qid=q)(s),
    "cutoffs": lambda m, y, s, q: irm.reports.metric_at_cutoffs(
        "p", y, s, [1, 2], qid=q
    ),
    "thresholds": lambda m, y, s, q: (
        threshold_curve(m, y, s, thresholds=[0, 1], qid=q).values
    ),
    "scorer": _scorer,
    "frame": _score_frame,
    "batches": partial(_score_frame, batches=True),
    "sums of a frame": partial(_score_frame, function=summarize_frame),
    "sums of batches": partial(_score_frame, batches=True, function=summarize_frame),
    "stream": _stream,
}
ROWS = np.arange(8)
SCORES = np.array([0.5, 0.5, 0.25, 2.0, 3.0, 4.0, 4.0, 1.0])
FRACTIONS = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])


@pytest.mark.parametrize("door", DOORS)
def test_every_door_warns_of_grades_that_look_like_scores(door):
    call, qid = DOORS[door], ROWS // 2
    with pytest.warns(FractionalGradesWarning, match="every document is rel") as caught:
        call("p@1", FRACTIONS, SCORES, qid)
    assert len(caught) == 1
    with pytest.warns(FractionalGradesWarning, match="some of them negative") as caught:
        call("p@1", FRACTIONS - 0.25, SCORES, qid)
    assert len(caught) == 1


@pytest.mark.parametrize("door", sorted(DOORS.keys() - {"report"}))  # it counts ties
def test_every_door_warns_of_scores_of_16_bits(door):
    share = r"y_score is float16, .*: 25\.0 % of the retrieved documents"
    with pytest.warns(LowPrecisionWarning, match=share) as caught:
        DOORS[door]("p@1", ROWS % 2, SCORES.astype(np.float16), ROWS // 2)
    assert len(caught) == 1


@pytest.mark.parametrize("door", DOORS)
def test_a_part_of_relevant_documents_only_is_no_doubt(door):
    DOORS[door]("p@1", np.r_[FRACTIONS[:4], 0.0, FRACTIONS[:3]], SCORES, ROWS // 2)


@pytest.mark.parametrize(
    ("grades", "measure"),
    [
        ([0.5, 0.0, 1.0, 0.25], "map"),
        ([0.5, -1.0, 1.0, 0.25], "map"),
        ([1.0, 2.0, 3.0, 1.0], "map"),
        ([0.5, np.nan, 0.0, np.nan], "map"),
        ([0.5, 0.1, 1.0, 0.25], "map(relevance_threshold=0.3)"),
        ([0.5, 0.1, 1.0, 0.25], "ndcg@2"),
        ([0.5, 0.1, 1.0, 0.25], "rbp(persistence=0.5)"),
        ([0.5, 0.1, 1.0, 0.25], "kendall_tau"),
    ],
)
def test_fractions_that_mean_something(grades, measure):
    irm.score_queries(grades, [0.4, 0.3, 0.2, 0.1], measure)


def test_one_document_and_rows_of_a_sparse_matrix_stay_queries():
    assert irm.ndcg_score([[1]], [[0.5]]) == 1.0
    column = csr_array(as_column([1, 0, 2]))
    assert (
        irm.metrics.success_at_k_score(column, column, replace_undefined_by=0.0)
        == 2 / 3
    )


def test_one_sample_or_one_class_ranks_too():
    scores, classes = [[0.2, 0.8, 0.5]], ["a", "b", "c"]
    of_class = label_binarize(["c"], classes=classes)
    assert irm.reciprocal_rank_score(of_class, scores) == 0.5


def test_sparse_input_of_any_format_and_with_duplicate_entries():
    grades = np.array([[1, 0, 2, 0], [0, 0, 0, 3]])
    scores = np.array([[0.5, 0.1, 0.2, 0.3], [0.1, 0.2, 0.3, 0.4]])
    expected = irm.ndcg_score(grades, scores)
    assert irm.ndcg_score(csc_matrix(grades), scores) == expected
    assert irm.ndcg_score(csr_array(grades), csr_array(scores)) == expected
    assert irm.ndcg_score(grades, csr_array(scores)) == expected
    doubled = coo_array(([0.2, 0.3], ([0, 0], [1, 1])), shape=(1, 3)).tocsr()
    doubled.has_canonical_format = False
    before = doubled.copy()
    assert irm.reciprocal_rank_score(csr_array([[0, 1, 0]]), doubled) == 1.0
    assert doubled.nnz == before.nnz


def test_sparse_rows_without_entries_are_queries():
    empty = csr_array((3, 4))
    assert irm.precision_at_k_score(empty, empty, k=2) == 0.0
    with pytest.warns(UndefinedMetricWarning, match="3 of 3 queries"):
        assert np.isnan(irm.ndcg_score(empty, empty))


def test_absent_documents_may_lose_gain_but_not_win_it():
    y_true, y_score = csr_array([[2.0, 0.0, 1.0]]), csr_array([[1.0, 3.0, 2.0]])
    found = irm.dcg_score(y_true, y_score, gain=lambda grades: grades - 0.5)
    dense = y_true.toarray(), y_score.toarray()
    assert found == irm.dcg_score(*dense, gain=lambda grades: grades - 0.5)
    with pytest.raises(ValueError, match="gain must not be positive for grade 0"):
        irm.dcg_score(y_true, y_score, gain=lambda grades: grades + 0.5)


def test_sparse_input_refuses_what_it_cannot_mean():
    matrix = csr_array(np.eye(2))
    with pytest.raises(ValueError, match="gain must not be positive for grade 0"):
        irm.ndcg_score(matrix, matrix, gain={0: 1, 1: 2})
    flat = coo_array(np.array([1.0, 0.0]))
    for y_true, y_score in ((flat, [1, 0]), ([1, 0], flat), (flat, np.eye(2))):
        with pytest.raises(ValueError, match=r"must be 2-D; got shape \(2,\)"):
            irm.ndcg_score(y_true, y_score)
    with pytest.raises(TypeError, match="sparse input must hold real numbers"):
        irm.ndcg_score(matrix, matrix.astype(complex))
    with pytest.raises(ValueError, match="pooled cannot be combined with sparse"):
        irm.metrics.inferred_average_precision_score(matrix, matrix, pooled=np.eye(2))


def test_pandas_input():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"grade": [1, 0, None, 2], "score": [4, 3, 2, 1], "qid": list("aabb")}
    )
    frame.index = [7, 7, 3, 1]
    nullable = frame.astype({"grade": "Int64", "score": "Float64"})
    categorical = frame.astype({"qid": "category"})
    values = [
        irm.ndcg_score(f["grade"], f["score"], qid=f["qid"], average=None)
        for f in (frame, nullable, categorical)
    ]
    np.testing.assert_array_equal(values[0], values[1])
    np.testing.assert_array_equal(values[0], values[2])
    with pytest.raises(ValueError, match="qid must not contain missing values"):
        irm.ndcg_score(
            frame["grade"],
            frame["score"],
            qid=pd.Series([1, 1, pd.NA, 2], dtype=object),
        )


@pytest.mark.parametrize(("k", "used"), [(None, 4), (2, 2), (9, 4)])
def test_discounts_must_fall_on_the_ranks_that_are_used(k, used):
    def falls_until(last):
        return lambda ranks: np.where(ranks <= last, 1.0 / ranks, 5.0)

    y_true, y_score = [1, 0, 1, 2], [4, 3, 2, 1]
    assert irm.dcg_score(y_true, y_score, k=k, discount=falls_until(used)) > 0
    with pytest.raises(ValueError, match=f"at rank {used - 1} to 5.0"):
        irm.dcg_score(y_true, y_score, k=k, discount=falls_until(used - 1))


@pytest.mark.parametrize("gain", [{0: 0, 1: 3, 2: 1}, lambda g: np.where(g == 1, 3, g)])
def test_the_ideal_order_is_by_gain_not_by_grade(gain):
    assert irm.ndcg_score([1, 2, 0], [3, 2, 1], gain=gain) == 1.0
    assert irm.ndcg_score([2, 1, 0], [3, 2, 1], gain=gain) < 0.95


def test_half_precision_grades_do_not_overflow():
    grades = np.full(70_000, 10, dtype=np.float16)
    assert irm.precision_at_k_score(grades, np.arange(70_000), k=5) == 1.0


def test_both_zeros_are_one_score():
    assert irm.reciprocal_rank_score([1, 0], [0.0, -0.0]) == 0.75
    assert irm.reciprocal_rank_score([1, 0], np.float32([-0.0, 0.0])) == 0.75
