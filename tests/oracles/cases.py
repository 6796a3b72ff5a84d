"""Rankings to score, and measures with their parameters to score them by."""

import inspect
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.sparse import csr_array

import sklearn_irmetrics
from oracles import reference as ref
from oracles.adversarial import harden
from oracles.measures import METRICS
from sklearn_irmetrics import Measure

SHORT_NAMES = {row.function.__name__: name for name, row in [*METRICS.items()][::-1]}
ROWS = {row.function.__name__: row for row in METRICS.values()}
TIES = ("average", "optimistic", "pessimistic", "stable")
CLOSE = {"rtol": 1e-12, "atol": 1e-12}


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

    def joined(self, queries):
        """Return queries, each given by its rows, as the queries 0, 1, ..."""
        lengths = list(map(len, queries))
        joined = self.at(np.concatenate(queries))
        return replace(joined, qid=np.repeat(np.arange(len(queries)), lengths))

    def scored(self, y_score):
        return replace(self, y_score=y_score)

    def rectangle(self):
        """Pad queries to one length, by documents that are no use and not retrieved.

        At least two: matrices of one column are taken for columns of documents.

        Returns matrices of grades, scores and marks, a row per query.
        """
        lengths = np.bincount(self.qid)
        shape = len(lengths), max(2, lengths.max())
        there = np.arange(shape[1]) < lengths[:, np.newaxis]
        rows = np.argsort(self.qid, kind="stable")
        matrices = np.zeros(shape), np.full(shape, -np.inf), np.zeros(shape, dtype=bool)
        for matrix, values in zip(
            matrices, (self.y_true, self.y_score, self.marked), strict=True
        ):
            matrix[there] = values[rows]
        return matrices


def deviations(values, expected):
    """How far each value is off, as a share of values larger than 1.

    NaN is as far off as infinity, unless it is expected.
    """
    values, expected = np.asarray(values), np.asarray(expected, dtype=float)
    with np.errstate(invalid="ignore"):
        off = np.abs(values - expected) / np.fmax(1.0, np.abs(expected))
    off = np.where(
        (values == expected) | (np.isnan(values) & np.isnan(expected)), 0, off
    )
    return np.where(np.isnan(off), np.inf, off)


@dataclass(frozen=True)
class Case:
    """A public function with its own parameters."""

    name: str
    params: dict = field(default_factory=dict)

    def __str__(self):
        return f"{self.name}({_keywords(self.params)})"

    @property
    def row(self):
        return ROWS[self.name]

    @property
    def measure(self):
        return Measure(SHORT_NAMES[self.name], **self.params)

    @property
    def function(self):
        return function(self.name)

    @property
    def is_set(self):
        return self.name in ref.SETS or self.name in ref.CLASSES

    @property
    def has_ties(self):
        return self.row.ranks

    def rule(self, ties):
        """Return a rule for ties as an option, if the measure takes it.

        For grades of at least -1.
        """
        extreme = ties in ("optimistic", "pessimistic")
        refused = extreme and not ref.has_extremes(self.name, self.params)
        return {"ties": ties} if self.has_ties and not refused else {}

    @property
    def sign(self):
        """1 where larger is better, and -1."""
        return 1.0 if self.row.greater_is_better else -1.0

    def grades(self, y_true):
        """Return grades that the function accepts."""
        if self.name in ref.CLASSES:
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
        marks = marks_of(self.name, rankings.marked)
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

    def expected(self, rankings, ties="average"):
        """Return what the naive reference gives for each query."""
        return np.array(
            [
                self._expected_of(rankings.query(number), ties)
                for number in range(rankings.n_queries)
            ],
            dtype=float,
        )

    def _expected_of(self, query, ties):
        reference, params = ref.MEASURES[self.name].reference, dict(self.params)
        if self.name in ref.OF_MARKED_ORDERS:
            marks = [*marks_of(self.name, query.marked).values(), query.marked][0]
            arrays = query.y_true.tolist(), query.y_score.tolist(), marks.tolist()
            return reference(*arrays, ties=ties, **params)
        if self.name in ref.RANKED:
            y_true, params = ready(self.name, params, query.y_true, query.marked)
            arrays = y_true.tolist(), query.y_score.tolist()
            return ref.per_query(reference, *arrays, ties=ties, **params)[0]
        if params.pop("judged_only", False):
            query = query.at(~np.isnan(query.y_true))
        retrieved = query.y_score > -np.inf
        if self.name in ref.CORRELATIONS:
            pair = ref.judged_pairs(query.y_true.tolist(), query.y_score.tolist())
            return reference(*pair, **params)
        relevant = self.relevant(query.y_true)
        params.pop("relevance_threshold", None)
        labels = relevant.astype(int).tolist(), retrieved.astype(int).tolist()
        if self.name in ref.CLASSES:
            return reference(*labels, **params)
        return reference(*ref.confusion(*labels), **params)

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


def scorable_cases(rng, n=6):
    """Draw measures of ranks that scorers take, with gains that a string can hold."""
    names = [name for name in ref.RANKED if name not in ref.MARKS]
    for name in rng.permutation(names).tolist():
        tried = ref.SETTINGS[name]
        case = Case(name, tried[rng.integers(len(tried))])
        if n and _is_scorable(case) and not any(map(callable, case.params.values())):
            n -= 1
            yield case


def _is_scorable(case):
    has_cutoff = case.params.get("k") is not None or case.row.ranks_without_k
    return has_cutoff and SHORT_NAMES[case.name] in SCORABLE


# By name ------------------------------------------------------------------------------


def function(name):
    row = ROWS.get(name)
    return getattr(sklearn_irmetrics.metrics, name) if row is None else row.function


def usual(metric):
    """Return what a measure takes where parameters do not matter."""
    tried = ref.MEASURES.get(METRICS[metric].function.__name__)
    return dict(tried.usual) if tried else {}


SCORABLE = [name for name, row in METRICS.items() if row.has_direction]


def usual_of_scorer(metric):
    """Return what a scorer takes where parameters do not matter."""
    return usual(metric) | ({} if METRICS[metric].ranks_without_k else {"k": 5})


def spelled(metric):
    """Write a short name with its usual arguments."""
    inside = ", ".join(f"{name}={value!r}" for name, value in usual(metric).items())
    return f"{metric}({inside})" if inside else metric


def default_settings(name):
    """Options that make a measure ready for any grades, and a cutoff if it has one."""
    options = dict(ref.MEASURES[name].usual)
    parameters = inspect.signature(function(name)).parameters
    if "negative_grades" in parameters:
        options["negative_grades"] = "keep"
    if "k" in parameters:
        options["k"] = 5
    return options


def ready(name, params, y_true, marked=None):
    """Grades and options that the parameters allow."""
    options = dict(params)
    if marked is None:
        marked = np.random.default_rng(0).random(len(y_true)) < 0.5
    options |= marks_of(name, marked)
    return Case(name, params).grades(y_true), options


# What each mark says of documents that are marked, and of others.
_OF_MARKED = {
    "known": (True, False),
    "pooled": (True, False),
    "inverse_propensity": (3.0, 1.5),
    "popularity": (0.125, 0.6),
    "membership": ([1.0, 0.0], [0.25, 0.5]),
    "vectors": ([1.0, 2.0], [-0.5, 1.0]),
}


def marks_of(name, marked):
    """Return the mark that a function needs, by name, of documents marked or not."""
    if name not in ref.MARKS:
        return {}
    yes, no = map(np.array, _OF_MARKED[ref.MARKS[name]])
    return {ref.MARKS[name]: np.where(marked[(..., *[None] * yes.ndim)], yes, no)}


def marks_of_all(names, marked):
    """Return the marks that any of some measures, by short name, cannot do without."""
    functions = [METRICS[name].function.__name__ for name in names]
    needed = [name for name in functions if ROWS[name].marks]
    return {k: v for name in needed for k, v in marks_of(name, marked).items()}


def readable(value):
    if isinstance(value, dict):
        return ",".join(f"{k}={readable(v)}" for k, v in value.items()) or "default"
    return getattr(value, "__name__", str(value))


# Many queries -------------------------------------------------------------------------


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


def make_rankings(seed, lengths, *, tied=False):
    """Draw queries of given lengths that have names; return grades, scores and ids."""
    rng = np.random.default_rng(seed)
    drawn = queries_at_once(rng, lengths, n_levels=[3, 9] if tied else None)
    return drawn.y_true, drawn.y_score, np.array([f"q{i}" for i in drawn.qid])


def call_of(metric, n_documents=5000, n_queries=40):
    """Return arrays, and options, with which a measure can be called by its short name.

    Grades are 0 to 2, scores have ties, and rows come in any order.
    """
    row, name = METRICS[metric], METRICS[metric].function.__name__
    rng = np.random.default_rng(10)
    y_true, y_score, qid = (rng.integers(0, n, n_documents) for n in (3, 99, n_queries))
    if Case(name).is_set:
        y_true, y_score = y_true > 0, y_score > 50
    if row.subtopics:
        y_true = np.column_stack([y_true, np.roll(y_true, 1), y_true // 2])
    marks = marks_of(name, rng.random(n_documents) < 0.5)
    return (y_true, y_score), {"qid": qid, **row.arguments, **usual(metric), **marks}
