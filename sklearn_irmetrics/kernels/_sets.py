"""Measures of unranked sets: formulas of the counts of each query.

tp and fp count the relevant and the other documents retrieved, fn and tn those not
retrieved.
"""

from sklearn_irmetrics._core.arrays import divide


def set_precision(tp, fp, fn, tn):
    """Compute the share of relevant documents among those retrieved."""
    return divide(tp, tp + fp)


def set_recall(tp, fp, fn, tn):
    """Compute the share of retrieved documents among those relevant."""
    return divide(tp, tp + fn)


def set_fbeta(tp, fp, fn, tn, *, alpha):
    """Compute 1 / (alpha / P + (1 - alpha) / R)."""
    return divide(tp, tp + alpha * fp + (1.0 - alpha) * fn)


def set_f1(tp, fp, fn, tn):
    """Compute 2 / (1 / P + 1 / R)."""
    return set_fbeta(tp, fp, fn, tn, alpha=0.5)


def set_e_measure(tp, fp, fn, tn, *, alpha):
    """Compute 1 - F."""
    return 1.0 - set_fbeta(tp, fp, fn, tn, alpha=alpha)


def set_accuracy(tp, fp, fn, tn):
    """Compute the share of correct decisions."""
    return divide(tp + tn, tp + fp + fn + tn)


def set_specificity(tp, fp, fn, tn):
    """Compute the share of the other documents that were not retrieved."""
    return divide(tn, tn + fp)


def set_fallout(tp, fp, fn, tn):
    """Compute the share of the other documents that were retrieved."""
    return divide(fp, fp + tn)


def set_miss_rate(tp, fp, fn, tn):
    """Compute the share of relevant documents that were not retrieved."""
    return divide(fn, tp + fn)


def set_false_alarm(tp, fp, fn, tn):
    """Compute the share of other documents among those retrieved."""
    return divide(fp, tp + fp)


def set_detection_cost(tp, fp, fn, tn, *, miss_cost, false_alarm_cost):
    """Weigh the miss rate and the false alarm rate by their costs."""
    miss = set_miss_rate(tp, fp, fn, tn)
    false_alarm = set_false_alarm(tp, fp, fn, tn)
    return miss_cost * miss + false_alarm_cost * false_alarm


def set_cost(cost, n, *, normalize):
    """Compute the cost of all documents, or of one on average."""
    return divide(cost, n) if normalize else cost
