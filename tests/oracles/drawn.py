"""Which kinds of values reach the measures, counted for the table at the end of a run.

`KINDS` lists all that the random cases must draw. What is counted is what arrives, not
what a generator means to draw.
"""

import sys
from collections import Counter
from contextlib import contextmanager

import numpy as np

from oracles.hostile import numbered
from sklearn_irmetrics._core import inputs, score
from sklearn_irmetrics._core.namespace import is_tensor, issparse, to_numpy

LENGTHS = ["1", "2", "3-9", "10-99", "100-999", "1000 and more"]
TYPES = ["list", "object", "bool", "int8", "uint8", "int16", "int32", "int64"]
TYPES += ["uint64", "float16", "float32", "float64", "longdouble", "other"]
KINDS = {
    "form": ["flat", "flat with ids", "2-D", "sparse", "tensor", "class labels"],
    "type of grades": TYPES,
    "type of scores": TYPES,
    "grades": ["0 and 1", "whole", "fractions", "negative", "unjudged", "all unjudged",
               "none above 0", "above 2**53", "below 1e-100", "above 1e100"],
    "largest score": ["0", "subnormal", "1e-307 to 1e-100", "1e-100 to 1e-10",
                      "1e-10 to 1", "1 to 1e3", "1e3 to 2**53", "2**53 to 1e100",
                      "1e100 to 1.8e308"],
    "scores": ["negative", "both zeros", "-inf", "inf"],
    "nearest scores": ["1 ulp apart", "2 to 1000 ulps apart", "farther apart"],
    "ties": ["none", "some", "all", "of 2 documents", "of 16 and more", "at the cutoff",
             "below the cutoff only"],
    "rule where a cutoff cuts ties": ["average", "optimistic", "pessimistic", "stable"],
    "documents per query": LENGTHS,
    "queries": LENGTHS,
    "ids": ["int", "negative int", "uint", "above 2**53", "float", "bool", "str",
            "bytes", "tuple", "date", "mixed", "tensor", "list", "array of objects"],
    "rows of a query": ["together", "apart"],
    "weights": ["none", "equal", "unequal", "some zero", "below 1e-100", "above 1e100"],
}  # fmt: skip
_ENDS = [1, 2, 9, 99, 999, np.inf]
_DECADES = [0.0, np.finfo(float).tiny, 1e-100, 1e-10, 1.0, 1e3, 2.0**53, 1e100, np.inf]
_ENOUGH = 1 << 14  # cells: more are not looked at one by one


@contextmanager
def counting(counts):
    """Count what is scored meanwhile."""
    check, run = inputs.check_judgments, score.run_tasks

    def check_judgments(y_true, y_score, **options):
        judgments = check(y_true, y_score, **options)
        with np.errstate(all="ignore"):
            counts.update(_kinds_of_input(y_true, y_score, judgments, **options))
        return judgments

    def run_tasks(tasks, judgments, ties, n_jobs=None):
        with np.errstate(all="ignore"):
            counts.update(_kinds_of_ties(tasks, judgments, ties))
        return run(tasks, judgments, ties, n_jobs)

    doubles = {check: check_judgments, run: run_tasks}
    _replace(doubles)
    try:
        yield
    finally:
        _replace({double: function for function, double in doubles.items()})


def _replace(functions):
    """Let every module of the package call others, whoever imported it meanwhile."""
    for name, module in list(sys.modules.items()):
        if name.startswith("sklearn_irmetrics."):
            for old, new in functions.items():
                if vars(module).get(new.__name__) is old:
                    setattr(module, new.__name__, new)


def _kinds_of_input(
    y_true, y_score, judgments, qid=None, labels=None, sample_weight=None, **_
):
    yield "form", _form(y_true, judgments, qid)
    yield "type of grades", _type(y_true)
    yield "type of scores", _type(y_score)
    yield "queries", _length(judgments.n_queries)
    for kind in _weights(judgments.weights):
        yield "weights", kind
    if qid is not None:
        for kind in _ids(qid):
            yield "ids", kind
        yield "rows of a query", "together" if judgments.order is None else "apart"


def _form(y_true, judgments, qid):
    if is_tensor(y_true):
        return "tensor"
    if issparse(judgments.grades):
        return "sparse"
    if judgments.grades.ndim < judgments.scores.ndim:
        return "class labels"
    if qid is not None:
        return "flat with ids"
    return "flat" if np.ndim(y_true) == 1 else "2-D"


def _type(values):
    if isinstance(values, (list, tuple)):
        return "list"
    name = str(getattr(values, "dtype", "other")).removeprefix("torch.")
    if name in TYPES:
        return name
    return "longdouble" if name == str(np.dtype(np.longdouble)) else "other"


def _length(number):
    return LENGTHS[np.searchsorted(_ENDS, number)]


def _weights(weights):
    if weights is None:
        yield "none"
        return
    weights = to_numpy(weights)
    yield "equal" if (weights == weights[0]).all() else "unequal"
    if (weights == 0).any():
        yield "some zero"
    positive = weights[weights > 0]
    if positive.min() < 1e-100:
        yield "below 1e-100"
    if positive.max() > 1e100:
        yield "above 1e100"


_OF_KIND = {"u": "uint", "f": "float", "b": "bool", "U": "str", "S": "bytes"}
_OF_KIND |= {"M": "date", "i": "int"}
_OF_TYPE = {str: "str", bytes: "bytes", tuple: "tuple", bool: "bool", float: "float"}


def _ids(qid):
    if is_tensor(qid):
        yield "tensor"
        return
    if isinstance(qid, (list, tuple)):
        yield "list"
    array = np.asarray(qid) if hasattr(qid, "dtype") else None
    if array is not None and array.dtype != object:
        yield _OF_KIND.get(array.dtype.kind, "mixed")
        if array.dtype.kind == "i" and array.min() < 0:
            yield "negative int"
        if array.dtype.kind in "iu" and int(array.max()) > 2**53:
            yield "above 2**53"
        return
    if array is not None:
        yield "array of objects"
    types = set(map(type, qid))
    yield "mixed" if len(types) > 1 else _OF_TYPE.get(types.pop(), "int")
    if int in types and any(type(id_) is int and id_ > 2**53 for id_ in qid):
        yield "above 2**53"


def _kinds_of_ties(tasks, judgments, ties):
    """Look at grades and scores once they are numbers."""
    for kind in _grades(judgments):
        yield "grades", kind
    scores = judgments.scores
    scores = to_numpy(scores.data if issparse(scores) else scores)
    if not scores.size:
        return
    scores = scores.astype(np.float64)
    yield from _sizes(scores)
    codes = _queries_of_rows(judgments)
    if codes is None or scores.size > _ENOUGH:
        return
    for length in set(np.bincount(codes).tolist()):
        yield "documents per query", _length(length)
    order = np.lexsort((-scores.ravel(), codes))
    codes, ordered = codes[order], scores.ravel()[order]
    kept = ordered > -np.inf
    codes, ordered = codes[kept], ordered[kept]
    same = codes[1:] == codes[:-1]
    tied = same & (ordered[1:] == ordered[:-1])
    yield from _nearness(ordered, same & ~tied)
    yield from _patterns(codes, same, tied, tasks, ties)


def _grades(judgments):
    grades = judgments.grades
    grades = to_numpy(grades.data if issparse(grades) else grades)
    grades = grades.astype(np.float64)
    judged = grades[~np.isnan(grades)]
    if judged.size < grades.size:
        yield "unjudged"
    if not judged.size:
        yield "all unjudged"
        return
    sizes = np.abs(judged[judged != 0])
    whole = (judged % 1 == 0).all()
    yield "whole" if whole else "fractions"
    if np.isin(judged, [0, 1]).all():
        yield "0 and 1"
    for kind, found in (
        ("negative", judged < 0), ("above 2**53", sizes > 2**53),
        ("below 1e-100", sizes < 1e-100), ("above 1e100", sizes > 1e100),
    ):  # fmt: skip
        if found.any():
            yield kind
    if not (judged > 0).any():
        yield "none above 0"


def _sizes(scores):
    finite = scores[np.isfinite(scores)]
    if finite.size:
        largest = np.abs(finite).max()
        bin_ = np.searchsorted(_DECADES, largest, side="left")
        yield "largest score", KINDS["largest score"][min(bin_, 8)]
        zeros = np.signbit(finite[finite == 0])
        if zeros.any() and not zeros.all():
            yield "scores", "both zeros"
        if (finite < 0).any():
            yield "scores", "negative"
    for infinite in (-np.inf, np.inf):
        if (scores == infinite).any():
            yield "scores", str(infinite)


def _queries_of_rows(judgments):
    """Return the number of the query of each row, where scores are dense."""
    if issparse(judgments.scores):
        return None
    if judgments.offsets is None:
        height, width = judgments.scores.shape
        return np.repeat(np.arange(height), width)
    lengths = np.diff(to_numpy(judgments.offsets))
    codes = np.repeat(np.arange(len(lengths)), lengths)
    if judgments.order is None:
        return codes
    by_row = np.empty_like(codes)
    by_row[to_numpy(judgments.order)] = codes
    return by_row


def _nearness(ordered, pairs):
    near = np.flatnonzero(pairs & np.isfinite(ordered[1:]) & np.isfinite(ordered[:-1]))
    if not len(near):
        return
    steps = numbered(ordered[near]) - numbered(ordered[near + 1])
    ulps = steps.view(np.uint64).min()  # which no difference exceeds
    kinds = KINDS["nearest scores"]
    yield "nearest scores", kinds[np.searchsorted([1.0, 1000.0], ulps)]


def _patterns(codes, same, tied, tasks, ties):
    if not tied.any():
        yield "ties", "none"
        return
    yield "ties", "all" if tied[same].all() else "some"
    starts = np.append(True, ~tied)
    sizes = np.diff(np.flatnonzero(np.append(starts, True)))
    if (sizes == 2).any():
        yield "ties", "of 2 documents"
    if sizes.max() >= 16:
        yield "ties", "of 16 and more"
    first = np.searchsorted(codes, codes, side="left")
    rank = np.arange(len(codes)) - first  # from 0
    for depth in {task.depth for task in tasks} - {None}:
        if isinstance(depth, int):
            if tied[rank[1:] == depth].any():
                yield "ties", "at the cutoff"
                yield "rule where a cutoff cuts ties", ties
            elif not tied[rank[1:] < depth].any():
                yield "ties", "below the cutoff only"


def table(counts):
    """Return lines of the table, and the kinds that were never drawn."""
    lines, never = [], []
    for group, kinds in KINDS.items():
        lines.append(f"{group}:")
        drawn = [f"{kind} {counts[group, kind]:,}" for kind in kinds]
        lines += _wrapped(drawn)
        never += [f"{group}: {kind}" for kind in kinds if not counts[group, kind]]
    return lines, never


def _wrapped(entries, width=82):
    line = "   "
    for entry in entries:
        if len(line) + len(entry) > width:
            yield line
            line = "   "
        line += f" {entry};"
    yield line[:-1]


def total(tables):
    """Add up what tests counted; their reports hold lists where keys are pairs."""
    counts = Counter()
    for one in tables:
        for group, kinds in one.items():
            for kind, number in kinds.items():
                counts[group, kind] += number
    return counts


def nested(counts):
    """Return counts in a form that reports of other processes keep."""
    by_group = {}
    for (group, kind), number in counts.items():
        by_group.setdefault(group, {})[kind] = int(number)
    return by_group
