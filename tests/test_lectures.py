"""Exercises of public lectures and textbooks, each with its call and its number.

Only the numbers are theirs: C. D. Manning, P. Raghavan and H. Schütze, "Introduction to
Information Retrieval" (IIR); W. B. Croft, D. Metzler and T. Strohman, "Search Engines"
(SE); R. Baeza-Yates and B. Ribeiro-Neto, "Modern Information Retrieval" (MIR); P.-N.
Tan, M. Steinbach and V. Kumar, "Introduction to Data Mining" (IDM); J. Han and M.
Kamber, "Data Mining" (DM); I. H. Witten, E. Frank and M. A. Hall, "Data Mining" (WEKA);
T. Fawcett, "An introduction to ROC analysis" (ROC); K. Järvelin and J. Kekäläinen,
"Cumulated gain-based evaluation of IR techniques" (JK).
"""

import numpy as np
import pytest

import sklearn_irmetrics as irm
from sklearn_irmetrics.metrics import (
    interpolated_precision_score,
    max_fbeta_score,
    precision_recall_at_ranks,
    scott_pi_score,
)
from sklearn_irmetrics.reports import ContingencyTable, threshold_curve


def ranked(marks, n_missed=0, n_other=0):
    """Return relevance and scores of a list of R and N, and of what it lacks."""
    y_true = [mark == "R" for mark in marks] + [True] * n_missed + [False] * n_other
    y_score = [*range(len(marks), 0, -1), *[-np.inf] * (n_missed + n_other)]
    return np.array(y_true, dtype=int), np.array(y_score, dtype=float)


def labelled(tp, fp, fn, tn):
    """Return true and predicted labels with these counts."""
    counts = [tp, fp, fn, tn]
    return np.repeat([1, 0, 1, 0], counts), np.repeat([1, 1, 0, 0], counts)


# Sets: precision, recall, F, E, accuracy, specificity, costs ------------------------

FOUND = labelled(tp=8, fp=10, fn=12, tn=0)  # IIR, exercise 8.1
ALL_OF_MANY = labelled(tp=1, fp=9999, fn=0, tn=0)  # IIR, 8.3: everything is returned
COMPUTERS = ContingencyTable(tp=6954, fp=412, fn=46, tn=2588)  # DM, 8.5
CANCER = ContingencyTable(tp=90, fp=140, fn=210, tn=9560)  # DM, 8.5
HALF = labelled(tp=4, fp=4, fn=1, tn=1)  # P = 0.5, R = 0.8
COSTS = [[0, 1], [100, -1]]  # IDM, 4.5 and 5.7
FIRST = labelled(tp=150, fp=60, fn=40, tn=250)
SECOND = labelled(tp=250, fp=5, fn=45, tn=200)

SETS = {
    "IIR 8.1: precision": (lambda: irm.set_precision_score(*FOUND), 8 / 18),
    "IIR 8.1: recall": (lambda: irm.set_recall_score(*FOUND), 8 / 20),
    "IIR 8.3: harmonic mean": (lambda: irm.set_f1_score(*ALL_OF_MANY), "0.0002"),
    "F1 of P 0.5 and R 0.8": (lambda: irm.set_f1_score(*HALF), "0.615"),
    "F2 of P 0.5 and R 0.8": (lambda: irm.set_fbeta_score(*HALF, beta=2), "0.714"),
    "E of P 0.5 and R 0.8": (lambda: irm.set_e_measure_loss(*HALF), "0.385"),
    "DM: recall": (lambda: COMPUTERS.recall, "0.9934"),
    "DM: specificity": (lambda: COMPUTERS.specificity, "0.8627"),
    "DM: accuracy": (lambda: COMPUTERS.accuracy, "0.9542"),
    "DM: sensitivity of few": (lambda: CANCER.recall, 0.30),
    "DM: specificity of many": (lambda: CANCER.specificity, "0.9856"),
    "DM: accuracy with few": (lambda: CANCER.accuracy, "0.9650"),
    "DM: precision of few": (lambda: CANCER.precision, "0.3913"),
    "IDM: accuracy, model 1": (lambda: irm.set_accuracy_score(*FIRST), 0.8),
    "IDM: cost, model 1": (
        lambda: irm.set_cost_matrix_loss(*FIRST, cost_matrix=COSTS),
        3910,
    ),
    "IDM: accuracy, model 2": (lambda: irm.set_accuracy_score(*SECOND), 0.9),
    "IDM: cost, model 2": (
        lambda: irm.set_cost_matrix_loss(*SECOND, cost_matrix=COSTS),
        4255,
    ),
}

# Several classes, and agreement -----------------------------------------------------

# IIR, table 13.8: the counts of two classifiers of one class each.
TWO = ContingencyTable(
    [10, 90], [10, 10], [10, 10], [970, 890], unit="class", keys=["a", "b"]
)
JUDGES = ContingencyTable(counts=[[300, 20], [10, 70]])  # IIR, table 8.2
TWELVE = [0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]
RETURNED = np.isin(np.arange(1, 13), [4, 5, 6, 7, 8])  # IIR, exercise 8.10
THREE = ContingencyTable(counts=[[88, 10, 2], [14, 40, 6], [18, 10, 12]])  # WEKA, 5.7

CLASSES = {
    "IIR 13.8: macro": (lambda: TWO.precision.mean(), 0.7),
    "IIR 13.8: micro": (lambda: TWO.tp.sum() / (TWO.tp + TWO.fp).sum(), "0.833"),
    "IIR 8.2: kappa": (lambda: JUDGES.kappa, "0.776"),
    "IIR 8.10: kappa": (lambda: irm.contingency_table(*TWELVE).kappa, -1 / 3),
    "IIR 8.10: pooled kappa": (lambda: scott_pi_score(*TWELVE), -1 / 3),
    "IIR 8.10: F1, both": (
        lambda: irm.set_f1_score(np.logical_and(*TWELVE), RETURNED),
        2 / 7,
    ),
    "IIR 8.10: F1, either": (
        lambda: irm.set_f1_score(np.logical_or(*TWELVE), RETURNED),
        2 / 3,
    ),
    "WEKA: success rate": (lambda: THREE.accuracy, 0.7),
    "WEKA: kappa": (lambda: THREE.kappa, "0.492"),
    "tau-b without ties": (
        lambda: irm.kendall_tau_score([5, 4, 3, 2, 1], [4, 5, 2, 3, 1]),
        0.6,
    ),
    "tau-b with a tie": (
        lambda: irm.kendall_tau_score([1, 2, 2, 3], [1, 2, 3, 4]),
        "0.9129",
    ),
    "tau-a with a tie": (
        lambda: irm.kendall_tau_score([1, 2, 2, 3], [1, 2, 3, 4], variant="a"),
        5 / 6,
    ),
    "rho": (lambda: irm.spearman_rho_score([5, 4, 3, 2, 1], [4, 5, 2, 3, 1]), 0.8),
}

# Rankings ---------------------------------------------------------------------------

ONE = ranked("RNRNNNNNRR")  # IIR, exercise 8.8: four relevant documents
OTHER = ranked("NRNNRRRNNN")
TWENTY = ranked("RRNNNNNNRNRNNNRNNNNR", n_missed=2)  # IIR, exercise 8.9
BEST = ranked("RRNNNNNNRNRNNNRNNNNRRR")
SE_1 = ranked("RNRRRRNNNR")  # SE, figure 8.2: six relevant documents
SE_2 = ranked("NRNNRRRNRR")
SE_Q1 = ranked("RNRNNRNNRR")  # SE, figure 8.3: two queries
SE_Q2 = ranked("NRNNRNRNNN")
MIR = ranked("RNRNNRNNNRNNNNR", n_missed=5)  # MIR, 3.2: ten relevant documents
MIR_3 = ranked("NNRNNNNRNNNNNNR")  # and three
CATS = [[0, 0, 1], [0, 1, 0], [1, 0, 0]], [[3, 2, 1]] * 3

RANKINGS = {
    "IIR 8.8: AP, system 1": (lambda: irm.average_precision_score(*ONE), 0.6),
    "IIR 8.8: AP, system 2": (lambda: irm.average_precision_score(*OTHER), "0.493"),
    "IIR 8.8: R-precision 1": (lambda: irm.r_precision_score(*ONE), 0.5),
    "IIR 8.8: R-precision 2": (lambda: irm.r_precision_score(*OTHER), 0.25),
    "IIR 8.9: P at 20": (lambda: irm.precision_at_k_score(*TWENTY, k=20), 0.3),
    "IIR 8.9: F1 at 20": (
        lambda: irm.metrics.fbeta_at_k_score(*TWENTY, k=20),
        3 / 7,
    ),
    "IIR 8.9: interpolated at 33 %": (
        lambda: interpolated_precision_score(*TWENTY, recall_level=0.33),
        4 / 11,
    ),
    "IIR 8.9: AP": (lambda: irm.average_precision_score(*TWENTY), "0.416"),
    "IIR 8.9: largest AP": (lambda: irm.average_precision_score(*BEST), "0.503"),
    "SE 8.2: AP 1": (lambda: irm.average_precision_score(*SE_1), "0.78"),
    "SE 8.2: AP 2": (lambda: irm.average_precision_score(*SE_2), "0.52"),
    "SE 8.2: P at 10": (lambda: irm.precision_at_k_score(*SE_2, k=10), 0.6),
    "SE 8.3: MAP": (
        lambda: np.mean([irm.average_precision_score(*q) for q in (SE_Q1, SE_Q2)]),
        "0.53",
    ),
    "MIR 3.2: R-precision": (lambda: irm.r_precision_score(*MIR), 0.4),
    "MIR 3.2: R-precision of three": (lambda: irm.r_precision_score(*MIR_3), 1 / 3),
    "MRR of three queries": (lambda: irm.reciprocal_rank_score(*CATS), "0.611"),
}

# Grades -----------------------------------------------------------------------------

JK = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0], np.arange(10, 0, -1)
SIX = [3, 2, 3, 0, 1, 2], np.arange(6, 0, -1)
OLD = {"discount": "jarvelin_kekalainen"}

GRADES = {
    "JK: cumulated gain at 10": (lambda: irm.cumulative_gain_score(*JK, k=10), 16),
    "JK: discounted at 10": (lambda: irm.dcg_score(*JK, k=10, **OLD), "9.61"),
    "SE 8.4: nDCG at 5": (lambda: irm.ndcg_score(*JK, k=5, **OLD), "0.71"),
    "SE 8.4: nDCG at 10": (lambda: irm.ndcg_score(*JK, k=10, **OLD), "0.88"),
    "DCG of six": (lambda: irm.dcg_score(*SIX), "6.861"),
    "ideal DCG of six": (lambda: irm.dcg_score(SIX[0], SIX[0]), "7.141"),
    "nDCG of six": (lambda: irm.ndcg_score(*SIX), "0.961"),
}

# Thresholds -------------------------------------------------------------------------

FAWCETT = (  # ROC, figure 3
    [1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0],
    [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.52, 0.51, 0.505]
    + [0.4, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34, 0.33, 0.30, 0.1],
)
THRESHOLDS = {
    "ROC: area": (lambda: irm.roc_auc_score(*FAWCETT), 0.68),
    "ROC: best accuracy": (
        lambda: threshold_curve("set_accuracy", *FAWCETT).best.value,
        0.7,
    ),
    "ROC: its threshold": (
        lambda: threshold_curve("set_accuracy", *FAWCETT).best.threshold,
        0.54,
    ),
    "ROC: best F1": (
        lambda: threshold_curve("set_f1", *FAWCETT).best.value,
        max_fbeta_score(*FAWCETT),
    ),
}

EXERCISES = SETS | CLASSES | RANKINGS | GRADES | THRESHOLDS


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_number_of_an_exercise(exercise):
    call, number = EXERCISES[exercise]
    rounding = 1e-12
    if isinstance(number, str):  # as it is printed
        rounding = 0.51 * 10.0 ** -len(number.partition(".")[2])
    assert call() == pytest.approx(float(number), abs=rounding)


def test_precision_and_recall_at_each_rank():
    """SE, figure 8.2."""
    table = precision_recall_at_ranks(*SE_1)
    precision = [1.0, 0.5, 0.67, 0.75, 0.8, 0.83, 0.71, 0.63, 0.56, 0.6]
    recall = [0.17, 0.17, 0.33, 0.5, 0.67, 0.83, 0.83, 0.83, 0.83, 1.0]
    np.testing.assert_allclose(table.precision, precision, atol=0.0051)
    np.testing.assert_allclose(table.recall, recall, atol=0.0051)


def test_eleven_points_of_interpolated_precision():
    """MIR, 3.2: of both queries."""
    found = irm.metrics.interpolated_precision_recall_curve
    precision, _ = found(*MIR)
    expected = [1, 1, 2 / 3, 0.5, 0.4, 1 / 3, 0, 0, 0, 0, 0]
    np.testing.assert_allclose(precision, expected)
    precision, _ = found(*MIR_3)
    expected = [1 / 3] * 4 + [0.25] * 3 + [0.2] * 4
    np.testing.assert_allclose(precision, expected)
    mean = irm.eleven_point_precision_score(*MIR_3)
    assert mean == pytest.approx(np.mean(expected))


def test_gains_at_each_rank():
    """JK, and SE, section 8.4."""
    ks = [*range(1, 11)]
    gains = irm.reports.metric_at_cutoffs
    np.testing.assert_allclose(gains("cg", *JK, ks), [3, 5, 8, 8, 8, 9, 11, 13, 16, 16])
    name = "dcg(discount='jarvelin_kekalainen')"
    expected = [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
    np.testing.assert_allclose(gains(name, *JK, ks), expected, atol=0.0051)
    expected = [1, 0.83, 0.87, 0.78, 0.71, 0.69, 0.73, 0.8, 0.88, 0.88]
    found = gains(f"n{name}", *JK, ks)
    np.testing.assert_allclose(found, expected, atol=0.0061)


def test_a_roc_curve_step_by_step():
    """ROC, algorithm 1: a step up at a positive, to the right at a negative."""
    curve = irm.roc_curve(*FAWCETT, drop_intermediate=False)
    steps = np.diff([curve.true_positive_rate, curve.false_positive_rate])
    positive = np.array(FAWCETT[0]) == 1
    np.testing.assert_allclose(steps, [positive * 0.1, ~positive * 0.1], atol=1e-12)
    assert curve.thresholds[6] == 0.54
    at = curve.false_positive_rate[6], curve.true_positive_rate[6]
    np.testing.assert_allclose(at, [0.1, 0.5])


def test_the_share_of_rows_that_a_bootstrap_draws():
    """The .632 of the bootstrap, and its estimate."""
    n = 10_000
    assert 1 - (1 - 1 / n) ** n == pytest.approx(0.632, abs=0.0005)
    assert pytest.approx(0.316) == 0.632 * 0.5 + 0.368 * 0.0  # WEKA, 5.4
