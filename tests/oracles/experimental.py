"""Measures of marks once more: naive, one query at a time, over all orders of ties.

A document is a pair of its grade and its mark; an order lists the numbers of documents
from rank 1 down, without those that were not retrieved.
"""

import itertools
import math
from statistics import fmean

from oracles.grades import NAN, dcg_of_gains, discount_of, is_relevant


def orders_of(scores, ties="average"):
    """List the orders of the retrieved documents, all of them equally likely."""
    levels = sorted({score for score in scores if score > -math.inf}, reverse=True)
    groups = [[i for i, score in enumerate(scores) if score == s] for s in levels]
    if ties == "stable":
        return [sum(groups, [])]
    orders = itertools.product(*map(itertools.permutations, groups))
    return [list(itertools.chain(*order)) for order in orders]


def over_orders(value):
    """Make a reference of a function of one order and all documents."""

    def reference(grades, scores, marks, *, ties="average", **params):
        if params.pop("judged_only", False):
            judged = [i for i, grade in enumerate(grades) if grade == grade]
            grades, scores, marks = (
                [values[i] for i in judged] for values in (grades, scores, marks)
            )
        documents = list(zip(grades, marks, strict=True))
        values = [
            value(order, documents, **params) for order in orders_of(scores, ties)
        ]
        choose = {"optimistic": max, "pessimistic": min}.get(ties, fmean)
        return choose(values)

    return reference


def exposures(scores, ties, weight):
    """Mean weight of the ranks of each document, 0 where it has none."""
    found = [0.0] * len(scores)
    orders = orders_of(scores, ties)
    for order in orders:
        for rank, document in enumerate(order, 1):
            found[document] += weight(rank) / len(orders)
    return found


def ideal_exposures(grades, persistence, relevance_threshold):
    """Exposures if all with the relevant documents first are equally likely."""
    merit = [float(is_relevant(grade, relevance_threshold)) for grade in grades]
    weights = [persistence**rank for rank in range(len(merit))]
    n = int(sum(merit))
    return [fmean(weights[:n]) if one else fmean(weights[n:]) for one in merit]


def of_exposures(value, needs_relevant=True):
    """Make a reference of a function of the exposures and the ideal ones."""

    def reference(
        grades,
        scores,
        marks,
        *,
        persistence=0.5,
        relevance_threshold=None,
        ties="average",
    ):
        if needs_relevant and not any(
            is_relevant(g, relevance_threshold) for g in grades
        ):
            return NAN
        got = exposures(scores, ties, lambda rank: persistence ** (rank - 1))
        ideal = ideal_exposures(grades, persistence, relevance_threshold)
        return sum(itertools.starmap(value, zip(got, ideal, strict=True)))

    return reference


expected_exposure_loss = of_exposures(lambda got, ideal: (got - ideal) ** 2)
expected_exposure_relevance = of_exposures(lambda got, ideal: got * ideal)
expected_exposure_disparity = of_exposures(lambda got, _: got**2, needs_relevant=False)


def rank_fairness(
    grades,
    scores,
    marks,
    *,
    target,
    discount="log",
    log_base=2.0,
    jsd_base=2.0,
    relevance_threshold=None,
    k=None,
    ties="average",
):
    def weight(rank):
        if k is not None and rank > k:
            return 0.0
        return discount_of(rank, discount, log_base)

    def shares(weights):
        columns = zip(*marks, strict=True)
        sums = [sum(map(float.__mul__, weights, map(float, c))) for c in columns]
        return [one / sum(sums) for one in sums] if sum(sums) else None

    got = shares(exposures(scores, ties, weight))
    wanted = target
    if target == "relevant":
        wanted = shares([float(is_relevant(g, relevance_threshold)) for g in grades])
    elif target == "all":
        wanted = shares([1.0] * len(grades))
    if got is None or wanted is None:
        return NAN
    divergence = 0.0
    for a, b in zip(got, wanted, strict=True):
        mean = (a + b) / 2
        divergence += sum(x / 2 * math.log(x / mean, jsd_base) for x in (a, b) if x)
    return 1 - divergence


def weighed(order, documents, k, relevance_threshold):
    return [
        mark if is_relevant(grade, relevance_threshold) else 0.0
        for grade, mark in (documents[i] for i in order[:k])
    ]


def discounted(weights):
    return dcg_of_gains(weights, "log", 2.0)


def best_order(documents):
    return sorted(range(len(documents)), key=lambda i: -documents[i][1])


@over_orders
def psp(order, documents, *, k=None, relevance_threshold=None):
    gained = sum(weighed(order, documents, k, relevance_threshold))
    best = weighed(best_order(documents), documents, None, relevance_threshold)
    best = sum(sorted(best, reverse=True)[:k])
    return gained / best if best else NAN


@over_orders
def psdcg(order, documents, *, k=None, relevance_threshold=None):
    return discounted(weighed(order, documents, k, relevance_threshold))


@over_orders
def psndcg(order, documents, *, k=None, relevance_threshold=None):
    gained = discounted(weighed(order, documents, k, relevance_threshold))
    best = weighed(best_order(documents), documents, None, relevance_threshold)
    largest = discounted(sorted(best, reverse=True)[:k])
    return gained / largest if largest else NAN


@over_orders
def self_information(order, documents, *, k=None):
    seen = [-math.log2(documents[i][1]) for i in order[:k]]
    return fmean(seen) if seen else NAN


@over_orders
def intra_list_diversity(order, documents, *, k=None):
    vectors = [documents[i][1] for i in order[:k]]
    distances = [
        1
        - sum(x * y for x, y in zip(a, b, strict=True))
        / math.hypot(*a)
        / math.hypot(*b)
        for a, b in itertools.combinations(vectors, 2)
    ]
    return fmean(distances) if distances else NAN


@over_orders
def coverage_ratio(order, documents, *, k=None, relevance_threshold=None):
    """Share of the relevant documents the user knew that were retrieved."""
    knew = [
        i in order[:k]
        for i, (grade, known) in enumerate(documents)
        if known and is_relevant(grade, relevance_threshold)
    ]
    return fmean(knew) if knew else NAN


@over_orders
def novelty_ratio(order, documents, *, k=None, relevance_threshold=None):
    """Share of the relevant documents retrieved that the user did not know."""
    met = [i for i in order if is_relevant(documents[i][0], relevance_threshold)]
    new = [not documents[i][1] for i in met if i in order[:k]]
    if not met:
        return NAN
    return fmean(new) if new else 0.0
