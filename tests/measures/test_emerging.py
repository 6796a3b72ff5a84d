"""Emerging measures: every order of tied documents, other tools, bad values."""

import math
import random

import numpy as np
import pytest

from oracles import reference as ref
from oracles.cases import function, readable

CASES = [(name, case) for name in ref.EMERGING for case in ref.SETTINGS[name]]


def draw_query(rng):
    """Draw up to five documents: tied, unjudged, not retrieved, with every mark."""
    n = rng.randint(1, 5)
    grades = [rng.choice([0.0, 0.0, 1.0, 2.0, 3.0, -1.0, math.nan]) for _ in range(n)]
    scores = [rng.choice([1.0, 1.0, 2.0, 3.0, -math.inf]) for _ in range(n)]
    marks = {
        "inverse_propensity": [1 + 5 * rng.random() for _ in range(n)],
        "popularity": [1 - rng.random() for _ in range(n)],
        "membership": [
            rng.choice([[1, 0], [0, 1], [0.2, 0.5], [0, 0]]) for _ in grades
        ],
        "vectors": [[rng.gauss(0, 1) for _ in range(3)] for _ in range(n)],
    }
    return grades, scores, marks


@pytest.mark.parametrize("ties", ["average", "stable", "optimistic", "pessimistic"])
@pytest.mark.parametrize(("name", "params"), CASES, ids=readable)
def test_every_order_of_tied_documents(name, params, ties):
    rng = random.Random(CASES.index((name, params)))
    if ties not in ("average", "stable") and not ref.has_extremes(name, params, []):
        with pytest.raises(ValueError, match="'average' or 'stable'.*got 'optimistic'"):
            value_of(name, *draw_query(rng), ties="optimistic", **params)
        return
    queries = [draw_query(rng) for _ in range(10)]
    expected = []
    for grades, scores, marks in queries:
        mark = marks.get(ref.MARKS.get(name), grades)
        value = ref.EMERGING[name](grades, scores, mark, ties=ties, **params)
        expected.append(value)
    columns = zip(*queries, strict=True)
    grades, scores, marks = columns
    joined = {mark: sum((one[mark] for one in marks), []) for mark in marks[0]}
    qid = np.repeat(np.arange(10), list(map(len, grades)))
    grades, scores = sum(grades, []), sum(scores, [])
    found = value_of(name, grades, scores, joined, qid=qid, ties=ties, **params)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def value_of(name, grades, scores, marks, **options):
    if name in ref.MARKS:
        options[ref.MARKS[name]] = marks[ref.MARKS[name]]
    return function(name)(grades, scores, average=None, **options)
