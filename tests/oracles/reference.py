"""Every measure once more: naive, in lists of floats, one query at a time.

The package is judged by these textbook forms, so nothing of it is imported here and
nothing is fast or clever. A ranking is ``(ranked, unretrieved)``: the grades of the
retrieved documents from rank 1 down, and the grades of the documents that have no rank.
A NaN grade is an unjudged document. The NaN object ``POOLED`` (told apart by identity)
is an unjudged document of the pool, which only inferred AP cares about. A measure
returns a float, NaN where it is undefined.
"""

import inspect
import itertools
import math
import operator
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from scipy import stats

from oracles import experimental
from oracles.experimental import orders_of
from oracles.grades import NAN, dcg_of_gains, divide, gain_of, is_judged, is_relevant

POOLED = float("nan")
EPSILON = 1e-5


# Ranked, binary relevance -------------------------------------------------------------


def count_relevant(grades, relevance_threshold=None):
    return sum(is_relevant(grade, relevance_threshold) for grade in grades)


def recall_base(ranked, unretrieved, relevance_threshold=None):
    return count_relevant(ranked + unretrieved, relevance_threshold)


def precision(ranked, unretrieved, *, k=None, adaptive=False, relevance_threshold=None):
    found = count_relevant(ranked[:k], relevance_threshold)
    places = len(ranked) if k is None else k
    if adaptive:
        places = min(places, len(ranked))
    return divide(found, places, undefined=0.0)


def recall(ranked, unretrieved, *, k=None, capped=False, relevance_threshold=None):
    found = count_relevant(ranked[:k], relevance_threshold)
    base = recall_base(ranked, unretrieved, relevance_threshold)
    if capped and k is not None:
        base = min(base, k)
    return divide(found, base)


def fbeta(
    ranked, unretrieved, *, k=None, beta=1.0, alpha=None, relevance_threshold=None
):
    found = count_relevant(ranked[:k], relevance_threshold)
    base = recall_base(ranked, unretrieved, relevance_threshold)
    places = len(ranked) if k is None else k
    if base == 0:
        return NAN
    if found == 0:
        return 0.0
    p, r = found / places, found / base
    if alpha is not None:
        return 1 / (alpha / p + (1 - alpha) / r)
    return (1 + beta**2) * p * r / (beta**2 * p + r)


def success(ranked, unretrieved, *, k=None, relevance_threshold=None):
    if recall_base(ranked, unretrieved, relevance_threshold) == 0:
        return NAN
    return float(count_relevant(ranked[:k], relevance_threshold) > 0)


def full_recall(ranked, unretrieved, *, k=None, relevance_threshold=None):
    base = recall_base(ranked, unretrieved, relevance_threshold)
    if base == 0:
        return NAN
    return float(count_relevant(ranked[:k], relevance_threshold) == base)


def lift(ranked, unretrieved, *, k=None, relevance_threshold=None):
    base = recall_base(ranked, unretrieved, relevance_threshold)
    share = divide(base, len(ranked) + len(unretrieved))
    return divide(
        precision(ranked, unretrieved, k=k, relevance_threshold=relevance_threshold),
        share,
    )
