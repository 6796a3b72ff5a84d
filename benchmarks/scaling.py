"""How the cost grows with the documents, and falls with threads."""

from functools import partial
from statistics import median

import numpy as np
from measuring import timed, times_of

import sklearn_irmetrics as irm

LENGTH = 100
SIZES = [10_000, 31_600, 100_000, 316_000, 1_000_000, 3_160_000, 10_000_000]
LARGEST = 100_000_000
FLAT_FROM = 100_000  # below, the fixed cost of a call shows


def draw(n_documents):
    """Draw queries of one length, in the narrowest types: nine bytes a document."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 5, n_documents, dtype=np.int8)
    y_score = rng.random(n_documents, dtype=np.float32)
    qid = np.repeat(np.arange(n_documents // LENGTH, dtype=np.int32), LENGTH)
    return y_true, y_score, qid


def growth(by_title, sizes, limit):
    """Return times by title: lists of (number of documents, seconds).

    `by_title` holds lists of measures. Sizes above 10 million are measured once.
    """
    y_true, y_score, qid = draw(max(sizes))
    times = {title: [] for title in by_title}
    for size in sizes:
        size -= size % LENGTH
        data = y_true[:size], y_score[:size]
        for title, measures in by_title.items():
            call = partial(irm.score_queries, *data, measures, qid=qid[:size])
            repeats = times_of(call, limit) if size <= SIZES[-1] else once(call)
            times[title].append((size, median(repeats)))
    return times


def once(call):
    """Return the time of one run, in a list."""
    return [timed(call)[1]]


def slope(times):
    """Return the exponent of the growth: the slope of the logarithms, from 1e5 up."""
    large = [pair for pair in times if pair[0] >= FLAT_FROM]
    if len(large) < 2:
        return float("nan")
    documents, seconds = np.log(np.array(large)).T
    return float(np.polyfit(documents, seconds, 1)[0])


def threads(shape, by_title, limit, n_jobs=2):
    """Return by title the times of one thread and of more."""
    times = {}
    for title, measures in by_title.items():
        for jobs in (1, n_jobs):
            call = partial(
                irm.score_queries,
                shape.y_true,
                shape.y_score,
                measures,
                n_jobs=jobs,
                **shape.options,
            )
            times.setdefault(title, []).append(median(times_of(call, limit)))
    return times
