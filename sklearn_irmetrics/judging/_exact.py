"""Expected values of measures of one ranking, for independent documents: formulas.

`p` holds the probability that a document is relevant (or satisfies the user), in order
of rank, those that are not retrieved last; `n` ranks count.
"""

from functools import lru_cache
from itertools import combinations_with_replacement

import numpy as np


def reciprocal_rank(p, n):
    """Add up the probability of stopping at each rank, divided by the rank."""
    none_before = np.append(1.0, np.cumprod(1 - p[:n]))[:n]
    return (p[:n] * none_before / np.arange(1, n + 1)).sum()


def success(p, n):
    """Return the probability that a relevant document is met."""
    return 1 - np.prod(1 - p[:n])


def recall(p, n):
    """Add up the expected shares of the relevant documents down to rank n."""
    _, mass, odds = _nodes(p)
    return (mass @ odds)[:n].sum()


def average_precision(p, n):
    """Add up the expected shares of each document, alone and with those above it."""
    t, mass, odds = _nodes(p)
    above = np.cumsum(odds, axis=1) - odds
    each = mass @ (odds * (1 + t[:, np.newaxis] * above))
    return (each[:n] / np.arange(1, n + 1)).sum()


def _nodes(p):
    """Return the terms of E[1 / (c + K)], where K counts relevant documents.

    It is the integral of ``t^(c - 1) E[t^K]`` over [0, 1]: a polynomial, which
    Gauss-Legendre nodes integrate exactly. ``E[t^K]`` is the product of ``1 - p + p t``
    over documents; dividing it by one of its factors leaves that document out.

    Returns
    -------
    t, mass : ndarray of shape (n_nodes,)
        Nodes, and their weights times ``E[t^K]``.
    odds : ndarray of shape (n_nodes, n_documents)
        ``p / (1 - p + p t)``.
    """
    nodes, weights = np.polynomial.legendre.leggauss(len(p) // 2 + 1)
    t, weights = (nodes + 1) / 2, weights / 2
    factors = 1 - p + np.multiply.outer(t, p)
    return t, weights * np.exp(np.log(factors).sum(axis=1)), p / factors


def ndcg(p, n, k, gains, discount):
    """Add up the expected gains of each rank, divided by the ideal DCG at k.

    That depends on the k best gains alone. So multisets of them get their probability,
    document by document: from below the cutoff upwards (`ahead`), and of what is still
    to come (`after`).

    Parameters
    ----------
    p : ndarray of shape (n_documents, n_gains)
        Probabilities of the gains of each document.
    n, k : int
        Number of ranks retrieved, and number that count in the ideal order.
    gains : ndarray of shape (n_gains,)
        0 and, rising, the others.
    discount : ndarray
        By rank.
    """
    states, step = _multisets(k, len(gains) - 1)
    ideal = np.array([gains[list(one)] @ discount[: len(one)] for one in states])
    inverse = np.divide(1.0, ideal, out=np.zeros(len(ideal)), where=ideal > 0)

    def add(mass, document):
        moved = [np.bincount(to, mass, len(mass)) for to in step]
        return document @ np.array(moved)

    mass = np.zeros(len(states))
    mass[0] = 1
    for document in p[n:]:
        mass = add(mass, document)
    ahead = [mass]
    for document in p[: n - 1]:
        ahead.append(add(ahead[-1], document))
    value, after = 0.0, inverse
    for rank in range(n)[::-1]:
        later = after[step]
        value += discount[rank] * (p[rank] * gains) @ (later @ ahead[rank])
        after = p[rank] @ later
    return value


@lru_cache(maxsize=8)
def _multisets(k, n_positive):
    """Return all multisets of at most k positive gains, and where one more leads.

    Returns
    -------
    states : list of tuple
        Numbers of gains, the best first.
    step : ndarray of shape (n_positive + 1, n_states)
        The number of the state that each gain leads to; the k best are kept.
    """
    best_first = range(n_positive, 0, -1)
    states = [
        one
        for size in range(k + 1)
        for one in combinations_with_replacement(best_first, size)
    ]
    place = {one: i for i, one in enumerate(states)}
    step = [range(len(states))]
    for gain in range(1, n_positive + 1):
        grown = [tuple(sorted((*one, gain), reverse=True))[:k] for one in states]
        step.append([place[one] for one in grown])
    return states, np.array(step)
