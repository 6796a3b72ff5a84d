"""What the grade of a document is worth, and what its rank takes from that."""

import math

NAN = float("nan")


def is_judged(grade):
    return not math.isnan(grade)


def is_relevant(grade, relevance_threshold=None):
    if not is_judged(grade):
        return False
    if relevance_threshold is None:
        return grade > 0
    return grade >= relevance_threshold


def gain_of(grade, gain="linear"):
    if not is_judged(grade):
        return 0.0
    if gain == "linear":
        return float(grade)
    if gain == "exponential":
        near_zero = abs(grade) < 1
        return math.expm1(grade * math.log(2)) if near_zero else 2.0**grade - 1.0
    if callable(gain):
        return float(gain(grade))
    return float(gain.get(0, 0) if grade == 0 else gain[grade])


def discount_of(rank, discount="log", log_base=2.0):
    if discount == "log":
        return math.log(log_base) / math.log(rank + 1)
    if discount == "jarvelin_kekalainen":
        return 1.0 if rank < log_base else math.log(log_base) / math.log(rank)
    if discount == "reciprocal":
        return 1.0 / rank
    return float(discount(rank))


def divide(numerator, denominator, undefined=NAN):
    return numerator / denominator if denominator else undefined


def dcg_of_gains(gains, discount, log_base):
    return sum(
        (g * discount_of(rank, discount, log_base) for rank, g in enumerate(gains, 1)),
        start=0.0,
    )
