"""What hypothesis draws, and every measure with the parameters to try."""

import inspect
import math
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import reference as ref
from hostile import harden, ladder
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array

import sklearn_irmetrics
from sklearn_irmetrics._registry import METRICS

ROWS = {row.function.__name__: row for row in METRICS.values()}
SETS = {
    **{name: [{}] for name in ref.SETS},
    "set_fbeta_score": [{}, {"beta": 0.5}, {"beta": 2.0}, {"alpha": 0.3}],
    "set_e_measure_loss": [{}, {"beta": 0.5}, {"beta": 2.0}, {"alpha": 0.3}],
    "set_detection_cost_loss": [{}, {"miss_cost": 10.0, "false_alarm_cost": 3.0}],
}
SETS = {
    name: [
        params | more
        for params in cases
        for more in ({}, {"relevance_threshold": 2}, {"judged_only": True})
    ]
    for name, cases in SETS.items()
}
COSTS = {"cost_matrix": [[0, 1], [5, -2]], "labels": [0, 1]}
# Of any two classes, which here are relevant or not, and retrieved or not.
CLASSES = {
    "scott_pi_score": [{}],
    "set_cost_matrix_loss": [{}, COSTS, COSTS | {"normalize": True}],
}
CORRELATIONS = {
    "kendall_tau_score": [{"variant": "a"}, {"variant": "b"}],
    "spearman_rho_score": [{}],
    "average_precision_correlation_score": [{"variant": "a"}, {"variant": "b"}],
    "rank_biased_overlap_score": [{}, {"persistence": 0.5}],
}
USERS = {
    "coverage_ratio_score": [{}, {"relevance_threshold": 2}, {"judged_only": True}],
    "novelty_ratio_score": [{}, {"relevance_threshold": 2}, {"judged_only": True}],
}
SETTINGS = {**ref.SETTINGS, **USERS, **CORRELATIONS, **SETS, **CLASSES}
MARKS = {
    "inferred_average_precision_score": "pooled",
    "coverage_ratio_score": "known",
    "novelty_ratio_score": "known",
}
MICRO = {
    "precision_at_k_score",
    "recall_at_k_score",
    "fbeta_at_k_score",
    *SETS,
    "set_cost_matrix_loss",
}
TIES = ("average", "optimistic", "pessimistic", "stable")


@dataclass(frozen=True, eq=False)
class Rankings:
    """Documents of the queries 0, 1, ..., rows in any order."""

    y_true: np.ndarray
    y_score: np.ndarray
    qid: np.ndarray
    marked: np.ndarray

    @property
    def n_queries(self):
        return int(self.qid.max()) + 1

    @property
    def in_order(self):
        """The queries in order of first appearance."""
        return list(dict.fromkeys(self.qid.tolist()))

    def at(self, rows):
        """Return some of the rows, with the ids that they have."""
        return Rankings(
            self.y_true[rows], self.y_score[rows], self.qid[rows], self.marked[rows]
        )

    def query(self, number):
        """Return the rows of one query, as query 0."""
        one = self.at(self.qid == number)
        return replace(one, qid=np.zeros_like(one.qid))

    def scored(self, y_score):
        return replace(self, y_score=y_score)

    def rectangle(self):
        """Pad queries to one length, by documents that are no use and not retrieved.

        Returns matrices of grades, scores and marks, a row per query.
        """
        lengths = np.bincount(self.qid)
        shape = len(lengths), lengths.max()
        there = np.arange(shape[1]) < lengths[:, np.newaxis]
        rows = np.argsort(self.qid, kind="stable")
        matrices = np.zeros(shape), np.full(shape, -np.inf), np.zeros(shape, dtype=bool)
        for matrix, values in zip(
            matrices, (self.y_true, self.y_score, self.marked), strict=True
        ):
            matrix[there] = values[rows]
        return matrices


def from_lists(*queries):
    """Build rankings of (grades, scores) or (grades, scores, marks) per query."""
    queries = [(*query, [0] * len(query[0]))[:3] for query in queries]
    grades, scores, marks = (
        sum(map(list, part), []) for part in zip(*queries, strict=True)
    )
    lengths = [len(query[0]) for query in queries]
    return Rankings(
        np.array(grades, dtype=float),
        np.array(scores, dtype=float),
        np.repeat(np.arange(len(queries)), lengths),
        np.array(marks, dtype=bool),
    )


@dataclass(frozen=True)
class Measure:
    """A public function with its own parameters."""

    name: str
    params: dict = field(default_factory=dict)

    def __str__(self):
        return f"{self.name}({_keywords(self.params)})"

    @property
    def row(self):
        return ROWS[self.name]

    @property
    def function(self):
        return getattr(sklearn_irmetrics, self.name)

    @property
    def is_set(self):
        return self.name in SETS or self.name in CLASSES

    @property
    def has_ties(self):
        return self.row.ranks

    @property
    def sign(self):
        """1 where larger is better, and -1."""
        return 1.0 if self.row.greater_is_better else -1.0

    def grades(self, y_true):
        """Return grades that the function accepts."""
        if self.name in CLASSES:
            return np.where(y_true > 0, 1, 0)
        if self.name == "ndcg_score" and "negative_grades" not in self.params:
            return np.maximum(y_true, 0)
        return y_true

    def scores(self, y_score):
        """Return scores, or whether a document was retrieved."""
        if self.is_set:
            return np.where(y_score > -np.inf, 1, 0)
        return y_score

    def arguments(self, rankings):
        """Return the two arrays, and the keywords that go with them."""
        marks = {}
        if self.name in MARKS:
            marks = {MARKS[self.name]: rankings.marked}
        arrays = self.grades(rankings.y_true), self.scores(rankings.y_score)
        return arrays, {"qid": rankings.qid, **marks}

    def score(self, rankings, **options):
        """Return the value of each query, or one number if told how to average."""
        arrays, keywords = self.arguments(rankings)
        options = {"average": None, **keywords, **self.params, **options}
        values = self.function(*arrays, **options)
        if options["average"] is not None:
            return values
        return values[np.argsort(rankings.in_order)]

    def gain(self, y_true):
        """Return what documents are sorted by in a perfect ranking."""
        gain = self.params.get("gain", "linear")
        grades = self.grades(y_true).tolist()
        return np.array([ref.gain_of(grade, gain) for grade in grades])

    def relevant(self, y_true):
        threshold = self.params.get("relevance_threshold")
        return y_true > 0 if threshold is None else y_true >= threshold


def _keywords(params):
    return ", ".join(
        f"{name}={getattr(value, '__name__', repr(value))}"
        for name, value in params.items()
    )


def reproducer(measure, rankings, **options):
    """Write a program that prints the values of these rankings."""
    arrays, keywords = measure.arguments(rankings)
    keywords = {name: array.tolist() for name, array in keywords.items()}
    params = {**measure.params, **options}
    functions = [inspect.getsource(v) for v in params.values() if callable(v)]
    return "\n".join(
        [
            "from math import inf, nan",
            f"from sklearn_irmetrics import {measure.name}",
            *functions,
            f"y_true = {arrays[0].tolist()}",
            f"y_score = {arrays[1].tolist()}",
            f"options = dict({_keywords(keywords | params)})",
            f"print({measure.name}(y_true, y_score, average=None, **options))",
        ]
    )


def sparse(dense, absent):
    """Build a CSR array whose stored entries are those unlike `absent`."""
    rows, columns = np.nonzero(dense != absent)
    return csr_array((dense[rows, columns], (rows, columns)), shape=dense.shape)


def queries_at_once(rng, lengths, *, n_levels=(3, 40, 1000)):
    """Draw queries of given lengths by a NumPy generator, in shuffled rows.

    Some are not judged, find nothing, retrieve nothing, or are all tied; each has about
    one of the given numbers of distinct scores, and no ties where that is None. Which
    scores these are, hard to tell apart or not, differs from query to query.
    """
    qid = np.repeat(np.arange(len(lengths)), lengths)
    kind = rng.integers(0, 12, len(lengths))[qid]
    y_true = rng.choice([0, 0, 0, 0.5, 1, 2, 2.5, 3, -1, np.nan], len(qid))
    y_true[kind == 0] = np.nan
    y_true[kind == 1] = 0
    if n_levels is None:
        y_score = rng.permutation(len(qid)) / 8.0
    else:
        y_score = rng.integers(0, rng.choice(n_levels, len(lengths))[qid]) * 1.0
        y_score[kind == 3] = 1
    y_score[(rng.random(len(qid)) < 0.2) | (kind == 2)] = -np.inf
    y_score = harden(rng, y_score, qid)
    marked = rng.random(len(qid)) < 0.5
    shuffled = rng.permutation(len(qid))
    return Rankings(y_true, y_score, qid, marked).at(shuffled)


# Strategies ---------------------------------------------------------------------------

# Whatever hypothesis shrinks to comes first.
GRADES = np.array([0.0, 1.0, 2.0, 3.0, 0.5, 2.5, -1.0, math.nan])
LEVELS = np.array([0.0, 1.0, 2.0, 3.0, -math.inf])
KINDS = len(GRADES), len(LEVELS), 2
documents = st.integers(0, math.prod(KINDS) - 1)
picks = st.integers(0, 10**6)


def _decode(queries, seed, *, tied):
    """Read a grade, a score and a mark off each number."""
    numbers = np.array(sum(queries, []))
    grade, level, mark = np.unravel_index(numbers, KINDS)
    lengths = list(map(len, queries))
    y_score = LEVELS[level]
    if not tied:
        places = np.concatenate([np.arange(n, 0.0, -1) for n in lengths])
        y_score = np.where(y_score > -np.inf, places, -np.inf)
    qid = np.repeat(np.arange(len(queries)), lengths)
    y_score = harden(np.random.default_rng(seed), y_score, qid)
    return Rankings(GRADES[grade], y_score, qid, mark.astype(bool))


def rankings(*, tied=True, max_queries=5, max_length=7):
    """Draw queries: tied scores or none, unjudged, not retrieved, negative grades."""
    query = st.lists(documents, min_size=1, max_size=max_length)
    queries = st.lists(query, min_size=1, max_size=max_queries)
    return st.builds(partial(_decode, tied=tied), queries, picks)


def rising(n, **limits):
    """Draw n floats that rise strictly, of every magnitude there is."""
    floats = st.floats(allow_nan=False, allow_infinity=False, **limits)
    return st.lists(floats, min_size=n, max_size=n, unique=True).map(sorted)


def close(n):
    """Draw n floats that rise strictly, most by little."""
    return picks.map(lambda seed: ladder(np.random.default_rng(seed), n))


# Anything at all ----------------------------------------------------------------------

CORNERS = [
    0,
    1,
    -1,
    2,
    0.5,
    math.nan,
    math.inf,
    -math.inf,
    -0.0,
    5e-324,
    1e300,
    1.7e308,
    2**53 + 1,
]
CORNERS += [2**63, 2**64, -(2**63) - 1, 10**30, 10**400, True, None, "a", "1", b"1"]
CORNERS += [1j, (), (1,), [], {}, Decimal("0.1"), Decimal("NaN"), Fraction(1, 3)]
CORNERS += [np.float16(1), np.datetime64("NaT"), np.timedelta64(1, "D"), np.str_("x")]
CORNERS += [date(2020, 1, 1), datetime(2020, 1, 1), object(), Ellipsis, frozenset([1])]
CORNERS += [np.array(1.0), np.array([1.0]), NotImplemented, int, math]
DTYPES = (
    hnp.scalar_dtypes()
    | hnp.integer_dtypes(endianness="?")
    | hnp.floating_dtypes(endianness="?")
    | st.sampled_from(["g", "V2", "O", "i4,f8", "2i4", "S0"]).map(np.dtype)
)
SHAPES = st.sampled_from(
    [(3,), (3,), (3,), (2, 3), (3, 3), (0,), (), (1, 1, 3), (0, 3)]
)


@st.composite
def plain_arrays(draw):
    dtype, shape = draw(DTYPES), draw(SHAPES)
    if dtype.kind == "O":
        return draw(hnp.arrays(object, shape, elements=st.sampled_from(CORNERS)))
    if dtype.kind == "V":
        return np.zeros(shape, dtype)
    values = draw(hnp.arrays(dtype, shape))
    return values[::-1] if values.ndim and draw(st.booleans()) else values
