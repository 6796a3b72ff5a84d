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
    ],
    "the first of two relevant among three tied documents below one other; by hand": [
        ("first_rank_loss", ([0, 0, 1, 1], [4, 3, 3, 3]), {}, 1 + 4 / 3, 9),
    ],
    "2 of the top 4, where 4 of 20 candidates are relevant; by hand": [
        ("lift_at_k_score", ranking("RNRN" + "N" * 14, relevant=4), {"k": 4}, 2.5, 9),
