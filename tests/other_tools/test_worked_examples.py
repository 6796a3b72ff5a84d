"""Numbers worked out by hand or printed in books, papers and other tools' tests."""

import json

import numpy as np
import pytest

import sklearn_irmetrics as ir
from sklearn_irmetrics.runs import align, read_qrels, read_run

IIR = "Manning, Raghavan, Schütze, Introduction to Information Retrieval, 2008"
MIR = "Baeza-Yates, Ribeiro-Neto, Modern Information Retrieval, 1999, ch. 3"
ORIGINAL = {"discount": "jarvelin_kekalainen"}
RETRIEVED = {"denominator": "retrieved"}


def ranking(letters, relevant=None):
    """Grades and scores of a ranking such as ``"RNR"``, best first.

    Of `relevant` relevant documents in all, those not shown were not retrieved.
    """
    letters = letters.replace(" ", "")
    grades = [1 if letter in "R+" else 0 for letter in letters]
    missing = 0 if relevant is None else relevant - sum(grades)
    scores = [-rank for rank in range(len(grades))] + [-np.inf] * missing
    return grades + [1] * missing, scores


def ranks(relevant_ranks, relevant=None):
    """Grades and scores of a ranking with relevant documents at these ranks."""
    last = max(relevant_ranks)
    letters = ("R" if rank + 1 in relevant_ranks else "N" for rank in range(last))
    return ranking("".join(letters), relevant)


def graded(*grades):
    """Grades and scores of documents in this order."""
    return list(grades), [-rank for rank in range(len(grades))]


def table(tp, fp, fn, tn):
    """True and predicted labels with these counts."""
    y_true = [1] * tp + [0] * fp + [1] * fn + [0] * tn
    return y_true, [1] * (tp + fp) + [0] * (fn + tn)


def votes(both_yes, yes_no, no_yes, both_no):
    """Labels of two assessors with these counts."""
    first = [1] * (both_yes + yes_no) + [0] * (no_yes + both_no)
    second = [1] * both_yes + [0] * yes_no + [1] * no_yes + [0] * both_no
    return first, second


def found_14_of(relevant):
    """Grades and scores of 20 documents, 14 of the relevant ones among them."""
    return ranking("R" * 14 + "N" * 6, relevant)


RUNNING = ranking("++-+", relevant=10)
HALF_FOUND = ranking("R" * 20 + "N" * 10, relevant=40)
FIVE_OF_TEN = ranks([1, 3, 6, 10, 15], relevant=10)
SYSTEM_1, SYSTEM_2 = (
    ranking(letters, relevant=4) for letters in ("RNRNN NNNRR", "NRNNR RRNNN")
)
INTERPOLATED = ranks([3, 8, 15])
SEVEN_FIRST = ranking("RRRRRRRNR", relevant=25)
PERMUTATIONS = [1, 2, 3, 4, 5], [2, 1, 5, 3, 4]
RADAR = table(tp=2, fp=0, fn=1, tn=97)
TRAP = table(tp=0, fp=0, fn=10, tn=9990)
COSTS = {"cost_matrix": [[0, 1], [100, -1]]}  # [[TN, FP], [FN, TP]]
FIRST_MODEL, SECOND_MODEL = table(150, 60, 40, 250), table(250, 5, 45, 200)
CUT_AT_3 = [[1, 1, 1, 0, 0, 0], [0, 0, 1, 0, 0, 0]], [[1] * 6, [4, 3, 2, 2, 1, 1]]
HALF_OF_MANY = [1, 0] * 50_000, [0] * 100_000
TIED = [1, 0, 0, 1, 0], [7, 7, 7, 7, 7]
NO = -np.inf
UNFOUND = {"replace_undefined_by": 99.0}
FOUR_OF_EIGHT = [1, 1, 1, 0, 0, 0, 0, 1], [8, 7, 7, 7, 4, 3, 2, 1]
DECIDED = ranking("RNRRNNRN", relevant=4)
PAIRS = [[0, 0, 1], [0, 1, 2]], [[1, 3, 2], [1, 2, 3]]
AS_MINUS_1 = {"replace_undefined_by": -1.0}
SILENT = (
    [[0, 0], [0, np.nan], [1, 0], [-1, 0]],
    [[NO, NO], [NO, 1], [NO, NO], [NO] * 2],
)

# By source: function, its two arrays, options, value, digits known.
EXAMPLES = {
    "running table of + + - + with R = 10, by hand": [
        ("precision_at_k_score", RUNNING, {"k": 3}, 0.667, 3),
        ("precision_at_k_score", RUNNING, {"k": 4}, 0.75, 9),
        ("recall_at_k_score", RUNNING, {"k": 3}, 0.2, 9),
        ("recall_at_k_score", RUNNING, {"k": 4}, 0.3, 9),
    ],
    "30 retrieved, 20 of them relevant, 40 relevant in all, by hand": [
        ("precision_at_k_score", HALF_FOUND, {}, 2 / 3, 9),
        ("recall_at_k_score", HALF_FOUND, {}, 1 / 2, 9),
    ],
    "two of five, by hand": [("precision_at_k_score", ranks([2, 5]), {"k": 5}, 0.4, 9)],
    "(1 + 2/3 + 3/6)/3": [("average_precision_score", ranks([1, 3, 6]), {}, 0.7222, 4)],
    f"{MIR}: R = 10, five of them in the first 15": [
        ("average_precision_score", FIVE_OF_TEN, RETRIEVED, 0.58, 9),
        ("average_precision_score", FIVE_OF_TEN, {}, 0.29, 9),
    ],
    f"{IIR}, exercise 8.8": [
        ("average_precision_score", SYSTEM_1, {}, 0.6, 9),
        ("average_precision_score", SYSTEM_2, {}, 0.4929, 4),
        ("r_precision_score", SYSTEM_1, {}, 0.5, 9),
        ("r_precision_score", SYSTEM_2, {}, 0.25, 9),
    ],
    f"{MIR}: interpolation, relevant at 3, 8 and 15": [
        *(
            ("interpolated_precision_score", INTERPOLATED, {"recall_level": x}, p, 3)
            for levels, p in (
                ((0, 0.1, 0.2, 0.3), 0.333),
                ((0.4, 0.5, 0.6), 0.25),
                ((0.7, 0.8, 0.9, 1), 0.2),
            )
            for x in levels
        ),
        ("eleven_point_precision_score", INTERPOLATED, {}, 0.2621, 4),
    ],
    "28 % of 25 are 7, although 0.28 * 25 > 7 in floats; 7/7, then 8/9": [
        ("interpolated_precision_score", SEVEN_FIRST, {"recall_level": 0.28}, 1, 9),
        ("interpolated_precision_score", SEVEN_FIRST, {"recall_level": 0.29}, 8 / 9, 9),
    ],
    "all of three relevant documents, as LongMemEval's recall_all, by hand": [
        ("full_recall_at_k_score", ([1, 0, 1, 1], [3, 2, 2, 1]), {"k": 3}, 0, 9),
        ("full_recall_at_k_score", ([1, 0, 1, 1], [3, 2, 2, 1]), {"k": 4}, 1, 9),
    ],
    "both of two, where one of two tied documents has a place; by hand": [
        ("full_recall_at_k_score", ([1, 1, 0], [2, 1, 1]), {"k": 2}, 1 / 2, 9),
    ],
    "1/20 for three of six tied documents, 1/2 for one of two; by hand": [
        ("full_recall_at_k_score", CUT_AT_3, {"k": 3, "average": None}, [0.05, 0.5], 9),
    ],
    "a relevant document that was not retrieved, by hand": [
        ("full_recall_at_k_score", ranking("RR", relevant=3), {"k": 3}, 0, 9),
    ],
    "a draw leaves out one of 100,000 tied documents, half of them relevant": [
        ("full_recall_at_k_score", HALF_OF_MANY, {"k": 99_999}, 1 / 2, 12),
    ],
    "of three questions without an answer, two get none; one has an answer; by hand": [
        ("silence_score", SILENT, {"average": None, **AS_MINUS_1}, [1, 0, -1, 1], 9),
    ],
    "the first of two relevant among three tied documents below one other; by hand": [
        ("first_rank_loss", ([0, 0, 1, 1], [4, 3, 3, 3]), {}, 1 + 4 / 3, 9),
    ],
    "the last of two relevant among three tied documents below one other; by hand": [
        ("last_rank_loss", ([0, 0, 1, 1], [4, 3, 3, 3]), {}, 1 + 2 * 4 / 3, 9),
        ("last_rank_loss", ranking("RNR", relevant=2), {}, 3, 9),
        ("last_rank_loss", ranking("RNR", relevant=3), UNFOUND, 99, 9),
    ],
    "everything is read after 6 of 10 documents, 95 % are required; by hand": [
        ("work_saved_score", ranking("RNRNNRNNNN", relevant=3), {}, 0.35, 9),
    ],
    "half of four: one more of two among three tied documents, below one; by hand": [
        ("work_saved_score", FOUR_OF_EIGHT, {"recall_level": 0.5}, 0.5 - 7 / 24, 9),
    ],
    "90 % cannot be reached, so all are read; by hand": [
        ("work_saved_score", ranking("RRN", relevant=3), {"recall_level": 0.9}, -0.1, 9)
    ],
    "a precision of 70 % down to rank 4, at most 1 of 4 false alarms; by hand": [
        ("recall_at_precision_score", DECIDED, {"min_precision": 0.7}, 0.75, 9),
        ("recall_at_precision_score", DECIDED, {"min_precision": 0.8}, 0.25, 9),
        ("recall_at_fpr_score", DECIDED, {"max_fpr": 0.25}, 0.75, 9),
        ("recall_at_fpr_score", DECIDED, {"max_fpr": 0.24}, 0.25, 9),
    ],
    "one of four non-relevant documents is in the top 3; by hand": [
        ("fallout_at_k_loss", ranking("RNRNNN", relevant=2), {"k": 3}, 0.25, 9),
    ],
    "tensorflow/ranking issue 36: one of two pairs, three of three": [
        ("ordered_pairs_score", PAIRS, {"average": None}, [1 / 2, 1], 9),
        ("ordered_pairs_score", PAIRS, {"average": "micro"}, 0.8, 9),
    ],
    "2 of the top 4, where 4 of 20 candidates are relevant; by hand": [
        ("lift_at_k_score", ranking("RNRN" + "N" * 14, relevant=4), {"k": 4}, 2.5, 9),
    ],
    "F1 of P = .7 and R = .4, and of P = .7 and R = .5, by hand": [
        ("fbeta_at_k_score", found_14_of(35), {"k": 20}, 0.509, 3),
        ("fbeta_at_k_score", found_14_of(28), {"k": 20}, 0.583, 3),
    ],
    "radar: 100 signals, 3 real, 2 of them caught, no false alarm": [
        ("set_precision_score", RADAR, {}, 1, 9),
        ("set_recall_score", RADAR, {}, 2 / 3, 9),
        ("set_miss_rate_loss", RADAR, {}, 1 / 3, 9),
        ("set_false_alarm_loss", RADAR, {}, 0, 9),
        ("set_accuracy_score", RADAR, {}, 0.99, 9),
    ],
    "accuracy trap: 9990 to 10, all predicted negative": [
        ("set_accuracy_score", TRAP, {}, 0.999, 9),
        ("set_recall_score", TRAP, {}, 0, 9),
    ],
    "the more accurate of two models costs more, by hand": [
        ("set_cost_matrix_loss", FIRST_MODEL, COSTS, 3910, 9),
        ("set_cost_matrix_loss", SECOND_MODEL, COSTS, 4255, 9),
        ("set_accuracy_score", FIRST_MODEL, {}, 0.80, 9),
        ("set_accuracy_score", SECOND_MODEL, {}, 0.90, 9),
    ],
    "spam counts against, by hand": [
        ("cumulative_gain_score", graded(3, -1, 1), {}, 3, 9),
        ("cumulative_gain_score", graded(-1, 1, 3), {}, 3, 9),
    ],
    "by hand, with the discount of Järvelin and Kekäläinen, TOIS 20(4), 2002": [
        ("dcg_score", graded(2, 1, 0, 2, 0), ORIGINAL, 4, 9),
        ("dcg_score", graded(2, 2, 1, 0, 0), ORIGINAL, 4.63, 2),
        ("ndcg_score", graded(2, 1, 0, 2, 0), ORIGINAL, 0.86, 2),
    ],
    "a perfect ranking": [("roc_auc_score", ranking("R" * 30 + "N"), {}, 1, 9)],
    "Kendall: seven pairs agree, three do not": [
        ("kendall_tau_score", PERMUTATIONS, {"variant": "a"}, 0.4, 9)
    ],
    "κ of 30 items": [("cohen_kappa_score", votes(10, 0, 5, 15), {}, 0.667, 3)],
    "Wikipedia, Cohen's kappa: same agreement, different marginals": [
        ("cohen_kappa_score", votes(45, 15, 25, 15), {}, 0.13, 2),
        ("cohen_kappa_score", votes(25, 35, 5, 35), {}, 0.26, 2),
    ],
    f"{IIR}, table 8.2, which calls it kappa": [
        ("scott_pi_score", votes(300, 20, 10, 70), {}, 0.776, 3)
    ],
    "all scores tied: AP by chance; for 11pt one step, 2/5 at every level": [
        ("average_precision_score", TIED, {}, 0.5925, 4),
        ("eleven_point_precision_score", TIED, {}, 0.400, 9),
    ],
}


EXAMPLES = [(source, *row) for source, rows in EXAMPLES.items() for row in rows]


@pytest.mark.parametrize(
    ("source", "function", "arrays", "options", "value", "digits"), EXAMPLES
)
def test_example(source, function, arrays, options, value, digits):
    ours = getattr(ir.metrics, function)(*arrays, **options)
    assert ours == pytest.approx(value, abs=0.5001 * 10.0**-digits), source


# Examples collected in a file of the test data ----------------------------------------


@pytest.fixture(scope="module")
def examples(shared_data):
    text = shared_data("worked_examples.json").read_text()
    return {example["id"]: example for example in json.loads(text)["examples"]}


def test_linear_and_exponential_gain(examples):
    example = examples["linear_vs_exponential"]
    for gain in ("linear", "exponential"):
        options, expected = {"k": 6, "gain": gain}, example[gain]
        pairs = [
            (ir.dcg_score(*graded(*example["grades"]), **options), "DCG@6"),
            (ir.dcg_score(*graded(*example["ideal"]), **options), "IDCG@6"),
            (ir.ndcg_score(*graded(*example["grades"]), **options), "nDCG@6"),
        ]
        for ours, name in pairs:
            assert ours == pytest.approx(expected[name], abs=5.1e-4), (gain, name)


def test_iir_exercise_8_9(examples):
    example = examples["IIR_ex_8.9"]
    letters, answers = example["ranking"], example["student_answers"]
    relevant, size = example["n_relevant_in_collection"], example["collection_size"]
    shown = ranking(letters, relevant)
    assert ir.precision_at_k_score(*shown, k=20) == pytest.approx(answers["P@20"])
    f1 = ir.metrics.fbeta_at_k_score(*shown, k=20)
    assert f1 == pytest.approx(answers["F1@20"], abs=5e-4)
    # A quarter of the eight relevant documents is reached at rank 2.
    assert ir.recall_at_k_score(*shown, k=2) == 0.25
    precision = ir.precision_at_k_score(*shown, k=2)
    assert precision == answers["uninterpolated_P_at_25pct_recall"]
    complete = ir.average_precision_score(*ranking(letters))
    assert complete == pytest.approx(0.555, abs=5e-4)
    assert 0.555 in answers["AP_if_20_docs_complete_over_6"]
    best = ranking(letters + "RR")
    worst = ranking(letters + "N" * (size - 22) + "RR")
    for arrays, answer in ((best, "AP_max"), (worst, "AP_min")):
        ours = ir.average_precision_score(*arrays)
        assert ours == pytest.approx(answers[answer], abs=2.1e-3), answer
    ours = ir.metrics.interpolated_precision_score(*shown, recall_level=0.33)
    assert ours == pytest.approx(0.364, abs=5e-4)
    printed = answers["interpolated_P_at_33pct_recall"]
    assert ours == pytest.approx(printed, abs=5e-3)


def test_gdeval(examples):
    example = examples["ir_measures_gdeval"]
    aligned = align(example["qrels"], example["run"])
    err = "expected_reciprocal_rank_score"
    pairs = {
        "nDCG@20 (exponential gain)": ("ndcg_score", {"gain": "exponential", "k": 20}),
        "nDCG@2": ("ndcg_score", {"gain": "exponential", "k": 2}),
        "ERR@20 (gdeval default max grade)": (err, {"k": 20}),
        "ERR@2": (err, {"k": 2}),
    }
    for name, (function, options) in pairs.items():
        arrays = aligned.y_true, aligned.y_score
        options |= {"qid": aligned.qid}
        values = getattr(ir.metrics, function)(*arrays, average=None, **options)
        expected = [example["expected"][name][query] for query in ("0", "1")]
        np.testing.assert_allclose(values, expected, atol=5.1e-6, rtol=0)
        mean = getattr(ir.metrics, function)(*arrays, **options)
        assert mean == pytest.approx(example["expected"][name]["mean"], abs=5.1e-6)


def test_cwl_eval(examples, shared_data):
    example = examples["ir_measures_cwl"]
    folder = shared_data("ir_measures/tests")
    aligned = align(read_qrels(folder / "cwl.qrels"), read_run(folder / "cwl.run"))
    assert list(dict.fromkeys(aligned.qid)) == example["order"]
    pairs = {
        "AP": ("average_precision_score", {}),
        "P@1": ("precision_at_k_score", {"k": 1}),
        "P@5": ("precision_at_k_score", {"k": 5}),
        "P@10": ("precision_at_k_score", {"k": 10}),
        "P@20": ("precision_at_k_score", {"k": 20}),
        "RR": ("reciprocal_rank_score", {}),
        "RBP(p=0.9,rel=1)": ("rank_biased_precision_score", {"persistence": 0.9}),
    }
    for name, (function, options) in pairs.items():
        options |= {"qid": aligned.qid, "average": None}
        values = getattr(ir.metrics, function)(
            aligned.y_true, aligned.y_score, **options
        )
        expected = example["expected"][name]
        np.testing.assert_allclose(values, expected, atol=1e-4, rtol=0)
