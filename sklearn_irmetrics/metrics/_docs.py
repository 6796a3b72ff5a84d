"""The parameters that many measures share, described once."""

from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

_DATA = """\
y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
    Grades; larger is better. NaN: unjudged. With 2-D `y_score`, 1-D class labels
    are allowed: each row then ranks the classes, and its own is the relevant one.
y_score : array-like of the shape of `y_true`, or CSR
    Scores; larger ranks higher, -inf: not retrieved. In CSR input, an absent
    grade is 0 and a document with an absent score is not retrieved. Tied scores of
    16 bits raise a warning. Torch tensors on one device are scored there."""

_RELEVANCE = """\
relevance_threshold : float, default=None
    The smallest grade of a relevant document; None: any grade above 0.
judged_only : bool, default=False
    Drop unjudged documents before ranking (condensed lists)."""

_POS_LABEL = """\
pos_label : str, int, float or bool, default=None
    The relevant class where `y_true` holds class labels, such as strings; None: it
    holds grades. Missing labels are unjudged. If `y_true` holds one other class only,
    nothing is relevant; if it holds several others, it is an error."""

_JUDGED_ONLY = """\
judged_only : bool, default=False
    Drop unjudged documents before ranking (condensed lists)."""

_K = """\
k : int, default=None
    Cutoff rank, at least 1; None: all ranks."""

_QUERIES = """\
qid : array-like of shape (n_documents,), default=None
    Query ids of any hashable kind, for 1-D input; rows of a query need not be
    adjacent. None: all rows are one %s. 2-D input has a query per row."""

_LABELS = """\
labels : array-like of shape (n_classes,), default=None
    Classes of the columns of `y_score`, where `y_true` holds class labels;
    None: its sorted distinct values, of which there must be more than two."""

_WEIGHT = """\
sample_weight : array-like, default=None
    One weight per query: per row with 1-D input (constant inside a query)."""

_DOCUMENT_WEIGHT = """\
sample_weight : array-like, default=None
    One weight per query: per row with 1-D input (constant inside a query). Without
    `qid`, one per document, as in scikit-learn; if they differ, ties are one step."""

_TIES = """\
ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
    How to rank tied documents: return the exact expectation over all their orders,
    or take the best order, the worst order, or the order of the rows."""

_REPLACE = """\
replace_undefined_by : float, default=np.nan
    Value of an undefined query; NaN leaves it out of the mean and warns."""

_MACRO = """\
average : {"macro", "geometric"} or None, default="macro"
    Mean over queries, geometric mean (values below 1e-5 count as 1e-5, negative
    ones are errors), or None for one value per query in order of first appearance."""

_MICRO = """\
average : {"macro", "micro", "geometric"} or None, default="macro"
    Mean over queries; ratio of the counts summed over queries; geometric mean
    (values below 1e-5 count as 1e-5); None: one value per query in order of first
    appearance."""

_SET_DATA = """\
y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
    Grades, or 0 and 1; NaN: unjudged, which counts as not relevant. With strings,
    `labels` or `pos_label`: the class of each document.
y_pred : array-like of the shape of `y_true`
    Booleans, or 0 and 1: whether each document was retrieved; or its predicted
    class. Torch tensors on one device are scored there."""

_SET_RELEVANCE = """\
relevance_threshold : float, default=None
    The smallest grade of a relevant document; None: any grade above 0.
judged_only : bool, default=False
    Leave unjudged documents out."""

_SET_CLASSES = """\
labels : array-like of shape (n_classes,), default=None
    Classes, each of which is scored as a set instead of a query: its documents
    against those predicted to belong to it. None: all classes if `y_true` and
    `y_pred` hold strings, more than two of them different.
pos_label : str, int, float or bool, default=None
    The positive class, whose documents are the set, such as 2 of {1, 2}."""

_SET_WEIGHT = """\
sample_weight : array-like, default=None
    Without `qid`, one weight per document, as in scikit-learn. Otherwise one per
    query: per row with 1-D input (constant inside a query)."""

_SET_MICRO = """\
average : {"macro", "micro", "geometric"} or None, default="macro"
    Mean over queries or classes; value of the counts summed over them (times the
    weights of queries); geometric mean (values below 1e-5 count as 1e-5); None: one
    value per query, in order of first appearance, or per class."""

_SET_REPLACE = """\
replace_undefined_by : float, default=np.nan
    Value of an undefined query or class; NaN leaves it out of the mean and warns.
    With 0, the mean over classes equals scikit-learn's."""

_DENSE_DATA = """\
y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
    Grades; larger is better. NaN: unjudged, which is left out. In CSR input, an
    absent grade is 0. With 2-D `y_score`, 1-D class labels are allowed: each row
    then ranks the classes.
y_score : array-like of the shape of `y_true`
    Scores; larger ranks higher, -inf: not retrieved, tied below all others. Torch
    tensors on one device are scored there."""

_SUBTOPIC_DATA = """\
y_true : array-like of shape (n_documents, n_subtopics)
    A column per subtopic: grades, or 0 and 1; larger is better. NaN: unjudged. A
    subtopic counts in a query if some document is relevant to it.
y_score : array-like of shape (n_documents,)
    One score per document; larger ranks higher, -inf: not retrieved. Torch tensors
    on one device are scored there."""

_SUBTOPIC_QUERIES = """\
qid : array-like of shape (n_documents,), default=None
    Query ids of any hashable kind; rows of a query need not be adjacent. None: all
    rows are one ranking."""

_SUBTOPIC_WEIGHT = """\
sample_weight : array-like of shape (n_documents,), default=None
    One weight per query, constant inside it."""

_SUBTOPIC_TIES = """\
ties : {"average", "stable"}, default="average"
    How to rank tied documents: return the exact expectation over all their orders,
    or take the order of the rows. The best and the worst order are errors, because
    no fast way to find them is known."""


def _join(*parts):
    return "\n".join(parts)


_RANKED = _QUERIES % "ranking", _LABELS, _WEIGHT
_WEIGHED = _QUERIES % "ranking", _LABELS, _DOCUMENT_WEIGHT
_SET_QUERIES = _QUERIES % "set", _SET_WEIGHT
_SUBTOPIC_SHARED = _SUBTOPIC_QUERIES, _SUBTOPIC_WEIGHT

_RETURNS = """\
float, or ndarray or tensor of shape (n_queries,)"""

_RAISES = """\
TypeError, ValueError
    If an argument breaks the rules above; the message names it."""

_SECTIONS = {
    "[[data]]": _DATA,
    "[[relevance]]": _RELEVANCE,
    "[[binary relevance]]": _join(_RELEVANCE, _POS_LABEL),
    "[[judged_only]]": _JUDGED_ONLY,
    "[[k]]": _K,
    "[[shared]]": _join(*_RANKED, _TIES, _MACRO, _REPLACE),
    "[[shared with weights]]": _join(*_WEIGHED, _TIES, _MACRO, _REPLACE),
    "[[shared with micro]]": _join(*_RANKED, _TIES, _MICRO, _REPLACE),
    "[[shared without ties]]": _join(*_RANKED, _MACRO, _REPLACE),
    "[[dense data]]": _DENSE_DATA,
    "[[set data]]": _SET_DATA,
    "[[set relevance]]": _SET_RELEVANCE,
    "[[set shared]]": _join(_SET_CLASSES, *_SET_QUERIES, _SET_MICRO, _SET_REPLACE),
    "[[cost shared]]": _join(*_SET_QUERIES, _SET_MICRO, _REPLACE),
    "[[set macro]]": _join(*_SET_QUERIES, _MACRO, _REPLACE),
    "[[subtopic data]]": _SUBTOPIC_DATA,
    "[[subtopic shared]]": _join(*_SUBTOPIC_SHARED, _SUBTOPIC_TIES, _MACRO, _REPLACE),
    "[[subtopic shared with extremes]]": _join(
        *_SUBTOPIC_SHARED, _TIES, _MACRO, _REPLACE
    ),
    "[[returns]]": _RETURNS,
    "[[raises]]": _RAISES,
}


def document(function: _Function) -> _Function:
    """Replace the ``[[...]]`` lines of a docstring by the shared descriptions."""
    if function.__doc__ is not None:  # absent under python -OO
        lines = function.__doc__.splitlines()
        function.__doc__ = "\n".join(map(_expand, lines))
    return function


def _expand(line):
    section = _SECTIONS.get(line.strip())
    if section is None:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    return "\n".join(indent + part for part in section.splitlines())
