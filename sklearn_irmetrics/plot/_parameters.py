"""The parameters that many displays share, described once."""

_SECTIONS = {
    "[[data]]": """\
y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
    Grades; larger is better, NaN: unjudged. Or an `AlignedRun`, which holds the
    scores and query ids too.
y_score : array-like of the shape of `y_true`, or CSR
    Scores; larger ranks higher, -inf: not retrieved. None with an `AlignedRun`.""",
    "[[queries]]": """\
qid : array-like of shape (n_documents,), default=None
    Query ids, for 1-D input. None: all rows are one ranking.
labels : array-like of shape (n_classes,), default=None
    Classes of the columns of `y_score`, where `y_true` holds class labels.
sample_weight : array-like, default=None
    One weight per query: per row with 1-D input (constant inside a query).
ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
    The exact expectation over all orders of tied documents, the best order, the
    worst order, or the order of the rows.
replace_undefined_by : float, default=np.nan
    What an undefined query counts as; NaN leaves it out and warns.""",
    "[[relevance]]": """\
relevance_threshold : float, default=None
    The least grade of a relevant document; None: any grade above 0.
judged_only : bool, default=False
    Drop unjudged documents before ranking (condensed lists).
pos_label : str, int, float or bool, default=None
    The relevant class where `y_true` holds class labels; None: it holds grades.""",
    "[[confidence_level]]": """\
confidence_level : float, default=0.95
    Confidence level of the band: an interval over queries at each point, as
    `ranking_report` makes it.""",
    "[[name]]": """\
name : str, default=None
    Name in the legend.
ax : matplotlib Axes, default=None
    Axes to draw on; None creates new ones.""",
    "[[to plot]]": """\
name : str, default=None
    Name in the legend.
ax : matplotlib Axes, default=None
    Axes to draw on; None creates new ones.
**kwargs
    Passed to `plot`.""",
    "[[plot]]": """\
ax : matplotlib Axes, default=None
    Axes to draw on; None creates new ones.
name : str, default=None
    Name in the legend; None uses the one stored.""",
    "[[curve]]": """\
band : bool, default=True
    Whether to shade the interval.
plot_chance_level : bool, default=True
    Whether to draw the dashed chance line, if the display has one. Several
    displays with the same line draw it once on the same axes.
chance_level_kw : dict, default=None
    Passed to matplotlib's `plot` for the chance line.
**kwargs
    Passed to matplotlib's `plot` for the curve.""",
    "[[raises]]": """\
TypeError, ValueError
    If an argument breaks the rules above; the message names it.
ImportError
    If matplotlib is missing.""",
}


def document(function):
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
