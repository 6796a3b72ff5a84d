"""The data of the benchmark: shapes that rankings have in practice."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class Shape:
    """Grades and scores of many queries, in the form in which people have them.

    Attributes
    ----------
    name, title : str
    y_true, y_score : ndarray of shape (n_documents,) or (n_queries, n_documents)
        Or CSR matrices.
    qid : ndarray of shape (n_documents,), default=None
        Sorted; None for 2-D input and for one ranking.
    all_judged : bool
        Whether judgments hold documents that are not relevant, too.
    one_relevant : bool
        Whether every query has one relevant document.
    tied : bool
        Whether scores are tied so often that tools without a rule for ties differ.
    """

    name: str
    title: str
    y_true: object
    y_score: object
    qid: object = None
    all_judged: bool = True
    one_relevant: bool = False
    tied: bool = False

    @property
    def n_bytes(self):
        """The size of the inputs."""
        parts = [
            part for part in (self.y_true, self.y_score, self.qid) if part is not None
        ]
        return sum(_n_bytes(part) for part in parts)

    @property
    def options(self):
        """The keyword arguments that go with the data."""
        return {} if self.qid is None else {"qid": self.qid}

    @property
    def n_documents(self):
        """How many documents have a score."""
        return self.y_score.nnz if self.has_unscored else self.y_score.size

    @property
    def n_units(self):
        """How many queries there are; of one ranking, how many documents."""
        if self.qid is None:
            return self.y_true.shape[0]
        return len(np.unique(self.qid))

    @property
    def has_unscored(self):
        """Whether there are documents without a score."""
        return sparse.issparse(self.y_score)

    def part(self, share):
        """Return the first queries, at least one; of one ranking, the documents."""
        n_rows = n_units = max(1, round(share * self.n_units))
        if self.qid is not None:
            n_rows = np.searchsorted(self.qid, self.qid[0] + n_units)
        return replace(
            self,
            y_true=self.y_true[:n_rows],
            y_score=self.y_score[:n_rows],
            qid=None if self.qid is None else self.qid[:n_rows],
        )

    @cached_property
    def flat(self):
        """Grades, scores and query ids; the scores of documents not retrieved: -inf."""
        if sparse.issparse(self.y_true):
            return _flatten(self.y_true, self.y_score)
        if self.y_true.ndim == 2:
            qid = np.repeat(np.arange(len(self.y_true)), self.y_true.shape[1])
            return self.y_true.ravel(), self.y_score.ravel(), qid
        qid = np.zeros(len(self.y_true), np.int64) if self.qid is None else self.qid
        return self.y_true, self.y_score, qid

    @cached_property
    def matrix(self):
        """Grades and scores with a row for each query; None unless of equal length."""
        if sparse.issparse(self.y_true):
            return None
        y_true, y_score, qid = self.flat
        lengths = np.unique(np.unique(qid, return_counts=True)[1])
        if len(lengths) > 1:
            return None
        return y_true.reshape(-1, lengths[0]), y_score.reshape(-1, lengths[0])

    def queries(self):
        """Return grades and scores of one query after the other."""
        y_true, y_score, qid = self.flat
        starts = np.flatnonzero(np.diff(qid)) + 1
        return zip(np.split(y_true, starts), np.split(y_score, starts), strict=True)

    @cached_property
    def dictionaries(self):
        """Judgments and run, query -> document -> number, as many tools want them."""
        longest = int(np.unique(self.flat[2], return_counts=True)[1].max())
        names = np.array([f"d{number}" for number in range(longest)], dtype=object)
        qrels, run = {}, {}
        for number, (grades, scores) in enumerate(self.queries()):
            judged = slice(len(grades)) if self.all_judged else grades > 0
            found = scores > -np.inf
            of_query = names[: len(grades)]
            qrels[str(number)] = _pairs(of_query[judged], grades[judged].astype(int))
            run[str(number)] = _pairs(of_query[found], scores[found])
        return qrels, run


def _pairs(names, numbers):
    return dict(zip(names.tolist(), numbers.tolist(), strict=True))


def _n_bytes(part):
    if sparse.issparse(part):
        return part.data.nbytes + part.indices.nbytes + part.indptr.nbytes
    return part.nbytes


def _flatten(y_true, y_score):
    """Return grades, scores and rows of all entries of two CSR matrices."""
    rows = [
        np.repeat(np.arange(m.shape[0]), np.diff(m.indptr)) for m in (y_true, y_score)
    ]
    cells = [
        row * y_true.shape[1] + m.indices
        for row, m in zip(rows, (y_true, y_score), strict=True)
    ]
    cell = np.union1d(*cells)
    grades = np.zeros(len(cell), dtype=y_true.dtype)
    grades[np.searchsorted(cell, cells[0])] = y_true.data
    scores = np.full(len(cell), -np.inf)
    scores[np.searchsorted(cell, cells[1])] = y_score.data
    return grades, scores, cell // y_true.shape[1]


# The shapes ---------------------------------------------------------------------------


def draw_grades(size, rng):
    """Draw grades 0-4, as frequent as in public learning-to-rank sets."""
    return rng.choice(5, size, p=[0.52, 0.32, 0.13, 0.02, 0.01])


def learning_to_rank(n_queries, rng):
    """Make graded queries of about 120 documents."""
    lengths = np.maximum(5, rng.normal(119.6, 50.0, n_queries)).astype(int)
    qid = np.repeat(np.arange(n_queries), lengths)
    y_true = draw_grades(len(qid), rng)
    y_score = rng.random(len(qid)) + 0.1 * y_true
    return Shape("ltr", "learning to rank", y_true, y_score, qid)


def heavy_ties(n_queries, rng):
    """Make the same with few distinct scores."""
    shape = learning_to_rank(n_queries, rng)
    return replace(
        shape,
        name="ties",
        title="learning to rank, heavy ties",
        y_score=np.round(shape.y_score, 1),
        tied=True,
    )


def web_run(n_queries, rng, n_documents=1000):
    """Make the results of a search engine, one relevant for each query."""
    y_true = np.zeros((n_queries, n_documents), dtype=np.int64)
    y_true[np.arange(n_queries), rng.integers(n_documents, size=n_queries)] = 1
    y_score = rng.random(y_true.shape) + 0.3 * y_true
    qid = np.repeat(np.arange(n_queries), n_documents)
    data = y_true.ravel(), y_score.ravel(), qid
    return Shape("web", "web run", *data, all_judged=False, one_relevant=True)


def dense_recommender(n_users, rng, n_items=20_000):
    """Make a matrix of scores of all items, about 20 relevant for each user."""
    y_true = (rng.random((n_users, n_items)) < 20 / n_items).astype(np.int8)
    y_true[np.arange(n_users), rng.integers(n_items, size=n_users)] = 1
    y_score = rng.random((n_users, n_items)) + 0.2 * y_true
    return Shape("dense", "recommender, dense", y_true, y_score, all_judged=False)


def sparse_recommender(n_users, rng, n_items=20_000, n_scored=100):
    """Make CSR matrices: few items scored, 5 of these and 5 others relevant."""
    stride = n_items // n_scored
    offsets = rng.integers(stride, size=(n_users, n_scored))
    items = np.arange(n_scored) * stride + offsets
    scored = _csr(rng.random(items.shape), items, n_items)
    # The neighbour of a scored item has no score.
    missed = np.arange(n_scored) * stride + (offsets + 1) % stride
    relevant = np.hstack([items[:, 3::20], missed[:, 13::20]])
    relevant.sort(axis=1)
    judged = _csr(np.ones(relevant.shape, dtype=np.int8), relevant, n_items)
    return Shape("csr", "recommender, CSR", judged, scored, all_judged=False)


def _csr(values, columns, n_columns):
    starts = np.arange(0, values.size + 1, values.shape[1])
    return sparse.csr_array(
        (values.ravel(), columns.ravel(), starts), shape=(len(values), n_columns)
    )


def one_huge_query(n_documents, rng):
    """Make one ranking."""
    y_true = draw_grades(n_documents, rng)
    y_score = rng.random(n_documents) + 0.1 * y_true
    return Shape("huge", "one huge query", y_true, y_score)


def tiny_queries(n_queries, rng, n_documents=5):
    """Make queries of five documents."""
    qid = np.repeat(np.arange(n_queries), n_documents)
    y_true = draw_grades(len(qid), rng)
    y_score = rng.random(len(qid)) + 0.1 * y_true
    return Shape("tiny", "many tiny queries", y_true, y_score, qid)


# By name: what makes it, its full and its quick number of queries (or documents).
SHAPES = {
    "ltr": (learning_to_rank, 31_531, 200),
    "ties": (heavy_ties, 31_531, 200),
    "web": (web_run, 7_000, 20),
    "dense": (dense_recommender, 2_000, 4),
    "csr": (sparse_recommender, 100_000, 200),
    "huge": (one_huge_query, 10_000_000, 20_000),
    "tiny": (tiny_queries, 1_000_000, 2_000),
}


def make_shape(name, quick=False):
    """Return the shape of this name, always of the same numbers."""
    make, full, small = SHAPES[name]
    return make(small if quick else full, np.random.default_rng(0))
