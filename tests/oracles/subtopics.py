"""The measures of subtopics once more: naive, one query at a time.

As in `reference`, but a document is the tuple of its grades by subtopic.
"""

import math

import numpy as np

from oracles import reference as ref
from oracles.reference import NAN, divide, is_relevant, settings


def holds(document, subtopic, relevance_threshold):
    return is_relevant(document[subtopic], relevance_threshold)


def weight_of(weights, subtopic):
    return 1.0 if weights is None else weights[subtopic]


def to_meet(documents, relevance_threshold, weights=None):
    """List the subtopics that count and that something is relevant to."""
    return [
        subtopic
        for subtopic in range(len(documents[0]) if documents else 0)
        if weight_of(weights, subtopic) > 0
        and any(holds(one, subtopic, relevance_threshold) for one in documents)
    ]


def total_weight(subtopics, weights):
    return math.fsum(weight_of(weights, subtopic) for subtopic in subtopics)


def novelty(document, above, alpha, relevance_threshold, weights):
    """Return what a document adds below others."""
    return math.fsum(
        weight_of(weights, subtopic)
        * (1 - alpha) ** sum(holds(one, subtopic, relevance_threshold) for one in above)
        for subtopic in range(len(document))
        if holds(document, subtopic, relevance_threshold)
    )


def gains_of(ranked, alpha, relevance_threshold, weights):
    return [
        novelty(document, ranked[:place], alpha, relevance_threshold, weights)
        for place, document in enumerate(ranked)
    ]


def greedy_order(documents, alpha, relevance_threshold, weights, in_row_order=False):
    """Take what adds most again and again.

    Of those that add the same, the first, or what comes last where each is written as a
    0 or 1 per subtopic that counts.
    """
    left, order = list(documents), []
    if not in_row_order:
        left.sort(
            key=lambda one: [
                holds(one, subtopic, relevance_threshold)
                for subtopic in range(len(one))
                if weight_of(weights, subtopic) > 0
            ],
            reverse=True,
        )
    while left:
        adds = [
            round(novelty(one, order, alpha, relevance_threshold, weights), 12)
            for one in left
        ]
        order.append(left.pop(adds.index(max(adds))))
    return order


def greedy_gains(in_rows, alpha, relevance_threshold, weights, in_row_order):
    order = greedy_order(in_rows, alpha, relevance_threshold, weights, in_row_order)
    return gains_of(order, alpha, relevance_threshold, weights)


def best_gains(in_rows, alpha, relevance_threshold, weights, k):
    """Return the gains of documents that hold all subtopics, at each rank."""
    total = total_weight(to_meet(in_rows, relevance_threshold, weights), weights)
    n_ranks = len(in_rows) if k is None else k
    return [total * (1 - alpha) ** place for place in range(n_ranks)]


def alpha_ndcg(
    ranked,
    in_rows,
    *,
    k=None,
    alpha=0.5,
    relevance_threshold=None,
    normalize=True,
    subtopic_weight=None,
    in_row_order=False,
):
    shared = alpha, relevance_threshold, subtopic_weight
    if normalize:
        best = greedy_gains(in_rows, *shared, in_row_order)
    else:
        best = best_gains(in_rows, *shared, k)
    dcg, best = (
        ref.dcg_of_gains(gains[:k], "log", 2.0)
        for gains in (gains_of(ranked, *shared), best)
    )
    return divide(dcg, best)


def subtopic_recall(
    ranked,
    in_rows,
    *,
    k=None,
    relevance_threshold=None,
    support="binary",
    subtopic_weight=None,
):
    wanted = to_meet(in_rows, relevance_threshold, subtopic_weight)
    if support == "binary":
        met = to_meet(ranked[:k], relevance_threshold, subtopic_weight)
        found, every = (total_weight(one, subtopic_weight) for one in (met, wanted))
        return divide(found, every)

    def largest(documents, subtopic):
        held = [one for one in documents if holds(one, subtopic, relevance_threshold)]
        return max([0.0, *(one[subtopic] for one in held)])

    wanted = [subtopic for subtopic in wanted if largest(in_rows, subtopic) > 0]
    found = math.fsum(
        weight_of(subtopic_weight, subtopic)
        * largest(ranked[:k], subtopic)
        / largest(in_rows, subtopic)
        for subtopic in wanted
    )
    return divide(found, total_weight(wanted, subtopic_weight))


def err_ia(
    ranked,
    in_rows,
    *,
    k=None,
    alpha=0.5,
    relevance_threshold=None,
    normalize=False,
    subtopic_weight=None,
    in_row_order=False,
):
    shared = alpha, relevance_threshold, subtopic_weight
    if normalize:
        best = greedy_gains(in_rows, *shared, in_row_order)
    else:
        best = best_gains(in_rows, *shared, k)
    total, best = (
        sum(gain / rank for rank, gain in enumerate(gains[:k], 1))
        for gains in (gains_of(ranked, *shared), best)
    )
    return divide(total, best)


def nrbp(
    ranked,
    in_rows,
    *,
    k=None,
    alpha=0.5,
    persistence=0.5,
    relevance_threshold=None,
    normalize=False,
    subtopic_weight=None,
    in_row_order=False,
):
    shared = alpha, relevance_threshold, subtopic_weight
    every = to_meet(in_rows, relevance_threshold, subtopic_weight)
    best = total_weight(every, subtopic_weight) / (1 - (1 - alpha) * persistence)
    if normalize:
        gains = greedy_gains(in_rows, *shared, in_row_order)[:k]
        best = sum(gain * persistence**place for place, gain in enumerate(gains))
    gains = gains_of(ranked, *shared)[:k]
    total = sum(gain * persistence**place for place, gain in enumerate(gains))
    return divide(total, best)


IDEAL = (alpha_ndcg, err_ia, nrbp)  # whose ideal order may be that of the rows


def mean_over_subtopics(
    measure, ranked, in_rows, relevance_threshold, subtopic_weight, **params
):
    wanted = to_meet(in_rows, relevance_threshold, subtopic_weight)
    values = []
    for subtopic in wanted:
        grades, every = (
            [document[subtopic] for document in documents]
            for documents in (ranked, in_rows)
        )
        base = ref.count_relevant(every, relevance_threshold)
        found = ref.count_relevant(grades, relevance_threshold)
        unretrieved = [math.inf] * (base - found)  # relevant at any threshold
        params["relevance_threshold"] = relevance_threshold
        value = measure(grades, unretrieved, **params)
        values.append(value * weight_of(subtopic_weight, subtopic))
    return divide(math.fsum(values), total_weight(wanted, subtopic_weight))


def map_ia(ranked, in_rows, *, k=None, relevance_threshold=None, subtopic_weight=None):
    return mean_over_subtopics(
        ref.average_precision,
        ranked,
        in_rows,
        relevance_threshold,
        subtopic_weight,
        k=k,
    )


def p_ia(ranked, in_rows, *, k=None, relevance_threshold=None, subtopic_weight=None):
    return mean_over_subtopics(
        ref.precision, ranked, in_rows, relevance_threshold, subtopic_weight, k=k
    )


CUTOFFS = {"k": [None, 1, 2, 3, 9]}
RELEVANCE = {"relevance_threshold": [None, 2, -1.0]}
ALPHAS = {"alpha": [0.5, 0.0, 0.3, 1.0]}
CONDENSED = [{"judged_only": True, "k": 2}]
# By function: the reference, and the settings to try.
WEIGHTED = settings(
    subtopic_weight=[(1, 0.5, 0.25), (0, 10, 3), (1, 0, 0)], k=[None, 2]
)
USUAL = settings(**CUTOFFS, **RELEVANCE) + CONDENSED + WEIGHTED
FADING = settings(**CUTOFFS, **ALPHAS) + settings(**RELEVANCE, k=[2]) + CONDENSED
FADING += WEIGHTED
NORMALIZED = settings(
    normalize=[True], k=[None, 1, 3], subtopic_weight=[None, (2, 1, 0)]
)
ABSOLUTE = settings(
    normalize=[False], k=[None, 3, 9], subtopic_weight=[None, (2, 1, 0)]
)
GRADED = settings(support=["graded"], **CUTOFFS, **RELEVANCE) + settings(
    support=["graded"], k=[2], subtopic_weight=[(1, 0.5, 0.25), (1, 0, 0)]
)
STOPPING = settings(k=[None, 2], **ALPHAS, persistence=[0.5, 0.8])
MEASURES = {
    "alpha_ndcg_score": (alpha_ndcg, FADING + ABSOLUTE),
    "subtopic_recall_score": (subtopic_recall, USUAL + GRADED),
    "intent_aware_reciprocal_rank_score": (err_ia, FADING + NORMALIZED),
    "novelty_rank_biased_precision_score": (
        nrbp,
        STOPPING + settings(**RELEVANCE) + CONDENSED + WEIGHTED + NORMALIZED,
    ),
    "intent_aware_average_precision_score": (map_ia, USUAL),
    "intent_aware_precision_score": (p_ia, USUAL),
}
CASES = [(name, params) for name, (_, cases) in MEASURES.items() for params in cases]


def per_query(
    name, y_true, y_score, qid=None, *, ties="average", judged_only=False, **params
):
    """List the value of each query, or with ``ties="all"`` those of all orders."""
    reference, values = MEASURES[name][0], []
    if ties == "stable" and reference in IDEAL:
        params["in_row_order"] = True
    for rows in ref.query_rows(qid, len(y_score)).values():
        documents = [tuple(map(float, y_true[row])) for row in rows]
        scores = [float(y_score[row]) for row in rows]
        if judged_only:
            kept = [not all(map(math.isnan, one)) for one in documents]
            documents = [one for one, keep in zip(documents, kept, strict=True) if keep]
            scores = [one for one, keep in zip(scores, kept, strict=True) if keep]

        def value(ranked, _, documents=documents):
            return reference(ranked, documents, **params)

        if ties == "stable":
            values.append(ref.stable_order(value, documents, scores))
            continue
        of_orders = ref.values_over_orders(value, documents, scores)
        choose = {
            "average": lambda values: math.fsum(values) / len(values),
            "optimistic": max,
            "pessimistic": min,
            "all": list,
        }
        values.append(choose[ties](of_orders))
    return values


def draw(rng, lengths, n_subtopics=3, n_levels=3):
    """Draw shuffled queries: ties, unjudged, unretrieved, nothing to meet.

    Grades are 0 to 3, and now and then -1.
    """
    qid = rng.permutation(np.repeat(np.arange(len(lengths)), lengths))
    shape = len(qid), n_subtopics
    y_true = rng.choice([0.0, 0.0, 0.0, 1.0, 2.0, 3.0, -1.0], shape)
    y_true[rng.random(shape) < 0.1] = NAN
    y_true[rng.random(len(qid)) < 0.1] = NAN
    y_true[:, 0][qid % 5 == 0] = 0.0
    y_true[qid % 7 == 3] = 0.0
    y_score = rng.integers(0, n_levels, len(qid)).astype(float)
    y_score[rng.random(len(qid)) < 0.15] = -np.inf
    return y_true, y_score, qid
