"""Scores that look equal and are not: the inputs on which shortcuts go wrong.

A ladder is a strictly rising array of floats. `harden` puts the documents of each query
on a ladder of its own, on the steps that their scores have: no measure may change.
"""

import numpy as np

LARGEST = np.finfo(np.float64).max


def numbered(floats):
    """Number all floats in their order: neighbours have neighbouring numbers."""
    bits = np.asarray(floats, dtype=np.float64).view(np.int64)
    return np.where(bits < 0, -(bits & np.iinfo(np.int64).max), bits)


def _float(numbers):
    """Return the floats of these numbers; both zeros are number 0."""
    numbers = np.asarray(numbers, dtype=np.int64)
    sign = np.where(numbers < 0, np.iinfo(np.int64).min, 0)
    return (np.abs(numbers) | sign).view(np.float64)


def _climb(rng, n):
    """Return n rising whole numbers from 0: neighbours, and few or many leaps."""
    leaps = rng.random(n) < rng.choice([0.1, 0.5, 0.9])
    gaps = np.where(leaps, 1 << int(rng.integers(40)), rng.integers(1, 4, n))
    gaps[0] = 0
    return np.cumsum(gaps)


def at_any_magnitude(rng, n):
    steps, top = _climb(rng, n), int(numbered(LARGEST))
    return _float(int(rng.integers(-top, top - int(steps[-1]))) + steps)


def around_zero(rng, n):
    return _float(np.arange(n) - int(rng.integers(n + 1)))


def around_a_power_of_two(rng, n):
    power = 2.0 ** int(rng.integers(-1000, 1000))
    return rng.choice([-1, 1]) * _float(numbered(power) + np.arange(n) - n // 2)


def largest(rng, n):
    numbers = _climb(rng, n)
    numbers += int(numbered(LARGEST)) - numbers[-1]
    return _float(np.sort(numbers * rng.choice([-1, 1], n)))


def sums_of_tenths(rng, n):
    tenths = rng.integers(0, 9 + n // 4, (40 + 20 * n, 3)) * 0.1
    return _some_neighbours(rng, tenths.sum(axis=1), n)


def saturated_sigmoids(rng, n):
    spread = 8 + n // 100
    return _some_neighbours(
        rng, 1 / (1 + np.exp(-rng.uniform(37 - spread, 37, 40 + 20 * n))), n
    )


def whole_above_2_53(rng, n):
    return rng.choice([-1, 1]) * (2.0**53 + 2 * np.arange(n))


def single_precision(rng, n):
    start = np.float32(rng.choice([0.1, 1.0, 3e38, 1e-38]))
    numbers = start.view(np.int32) - np.arange(n, dtype=np.int32)
    return numbers.view(np.float32).astype(np.float64)


def tame(rng, n):
    return np.arange(float(n))


def _some_neighbours(rng, values, n):
    values = np.unique(values)
    start = int(rng.integers(len(values) - n + 1))
    return values[start : start + n]


LADDERS = {
    function.__name__: function
    for function in (
        tame,
        at_any_magnitude,
        around_zero,
        around_a_power_of_two,
        largest,
        sums_of_tenths,
        saturated_sigmoids,
        whole_above_2_53,
        single_precision,
    )
}


def ladder(rng, n, kinds=tuple(LADDERS)):
    """Return n strictly rising floats of one kind."""
    floats = LADDERS[rng.choice(kinds)](rng, n)
    return np.sort(floats)


def ranks_in_queries(y_score, qid):
    """Return scores as 0, 1, ... inside each query; -inf stays."""
    ranks = np.full(len(y_score), -np.inf)
    for rows in _rows_by_query(qid):
        retrieved = rows[y_score[rows] > -np.inf]
        ranks[retrieved] = np.unique(y_score[retrieved], return_inverse=True)[1]
    return ranks


def harden(rng, y_score, qid, **options):
    """Return scores of the same order inside each query, on a ladder of its own.

    Often only few queries are hard: what finds one of them may help the others.
    """
    ranks = ranks_in_queries(y_score, qid)
    hard = ranks.copy()
    share = rng.choice([0.1, 0.5, 1.0])
    for rows in _rows_by_query(qid):
        retrieved = rows[ranks[rows] > -np.inf]
        if len(retrieved) and rng.random() < share:
            place = ranks[retrieved].astype(int)
            hard[retrieved] = ladder(rng, place.max() + 1, **options)[place]
    return np.where(hard == 0, rng.choice([0.0, -0.0], len(hard)), hard)


def _rows_by_query(qid):
    by_query = np.argsort(qid, kind="stable")
    return np.split(
        by_query, np.flatnonzero(qid[by_query][1:] != qid[by_query][:-1]) + 1
    )
