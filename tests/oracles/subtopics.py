"""The measures of subtopics once more: naive, one query at a time.

As in `reference`, but a document is the tuple of its grades by subtopic.
"""

import math

import numpy as np

from oracles import reference as ref
from oracles.reference import NAN, divide, is_relevant, settings


def holds(document, subtopic, relevance_threshold):
    return is_relevant(document[subtopic], relevance_threshold)


def to_meet(documents, relevance_threshold):
    """List the subtopics that something is relevant to."""
    return [
        subtopic
        for subtopic in range(len(documents[0]) if documents else 0)
        if any(holds(one, subtopic, relevance_threshold) for one in documents)
    ]


def novelty(document, above, alpha, relevance_threshold):
    """Return what a document adds below others."""
    return math.fsum(
        (1 - alpha) ** sum(holds(one, subtopic, relevance_threshold) for one in above)
        for subtopic in range(len(document))
        if holds(document, subtopic, relevance_threshold)
    )


def gains_of(ranked, alpha, relevance_threshold):
    return [
        novelty(document, ranked[:place], alpha, relevance_threshold)
        for place, document in enumerate(ranked)
    ]


def greedy_order(documents, alpha, relevance_threshold, in_row_order=False):
    """Take what adds most again and again.

    Of those that add the same, the first, or what comes last where each is written as a
    0 or 1 per subtopic.
    """
    left, order = list(documents), []
    if not in_row_order:
        left.sort(
            key=lambda one: [
                holds(one, subtopic, relevance_threshold)
                for subtopic in range(len(one))
            ],
            reverse=True,
        )
    while left:
        adds = [
            round(novelty(one, order, alpha, relevance_threshold), 12) for one in left
        ]
        order.append(left.pop(adds.index(max(adds))))
    return order


def alpha_ndcg(
    ranked, in_rows, *, k=None, alpha=0.5, relevance_threshold=None, in_row_order=False
):
    ideal = greedy_order(in_rows, alpha, relevance_threshold, in_row_order)
    dcg, best = (
        ref.dcg_of_gains(gains_of(order, alpha, relevance_threshold)[:k], "log", 2.0)
        for order in (ranked, ideal)
    )
    return divide(dcg, best)


def subtopic_recall(ranked, in_rows, *, k=None, relevance_threshold=None):
    wanted = to_meet(in_rows, relevance_threshold)
    return divide(len(to_meet(ranked[:k], relevance_threshold)), len(wanted))


def err_ia(ranked, in_rows, *, k=None, alpha=0.5, relevance_threshold=None):
    n_subtopics = len(to_meet(in_rows, relevance_threshold))
    gains = gains_of(ranked, alpha, relevance_threshold)[:k]
    total = sum(gain / rank for rank, gain in enumerate(gains, 1))
    ranks = range(1, (len(in_rows) if k is None else k) + 1)
    best = sum((1 - alpha) ** (rank - 1) / rank for rank in ranks)
    return divide(total, n_subtopics * best)


def nrbp(
    ranked, in_rows, *, k=None, alpha=0.5, persistence=0.5, relevance_threshold=None
):
    n_subtopics = len(to_meet(in_rows, relevance_threshold))
    gains = gains_of(ranked, alpha, relevance_threshold)[:k]
    total = sum(gain * persistence**place for place, gain in enumerate(gains))
    return divide((1 - (1 - alpha) * persistence) * total, n_subtopics)


def mean_over_subtopics(measure, ranked, in_rows, relevance_threshold, **params):
    wanted = to_meet(in_rows, relevance_threshold)
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
        values.append(measure(grades, unretrieved, **params))
    return divide(math.fsum(values), len(wanted))


def map_ia(ranked, in_rows, *, k=None, relevance_threshold=None):
    return mean_over_subtopics(
        ref.average_precision, ranked, in_rows, relevance_threshold, k=k
    )


def p_ia(ranked, in_rows, *, k=None, relevance_threshold=None):
    return mean_over_subtopics(ref.precision, ranked, in_rows, relevance_threshold, k=k)


CUTOFFS = {"k": [None, 1, 2, 3, 9]}
RELEVANCE = {"relevance_threshold": [None, 2, -1.0]}
ALPHAS = {"alpha": [0.5, 0.0, 0.3, 1.0]}
CONDENSED = [{"judged_only": True, "k": 2}]
# By function: the reference, and the settings to try.
USUAL = settings(**CUTOFFS, **RELEVANCE) + CONDENSED
FADING = settings(**CUTOFFS, **ALPHAS) + settings(**RELEVANCE, k=[2]) + CONDENSED
STOPPING = settings(k=[None, 2], **ALPHAS, persistence=[0.5, 0.8])
MEASURES = {
    "alpha_ndcg_score": (alpha_ndcg, FADING),
    "subtopic_recall_score": (subtopic_recall, USUAL),
    "intent_aware_reciprocal_rank_score": (err_ia, FADING),
    "novelty_rank_biased_precision_score": (
        nrbp,
        STOPPING + settings(**RELEVANCE) + CONDENSED,
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
    if ties == "stable" and reference is alpha_ndcg:
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
