"""The options of the commands `score`, `compare` and `plan`."""

import argparse
import math
from functools import partial
from typing import get_args

from sklearn_irmetrics._checks import INTERVALS, TIES
from sklearn_irmetrics._cli.lines import TOOLS
from sklearn_irmetrics.metrics._names import DEFAULT_METRICS
from sklearn_irmetrics.runs._columns import MERGES
from sklearn_irmetrics.runs._forms import NAMES

COMPARED = ("ndcg@10", "map")
# Options about how runs are scored.
OF_RUNS = (
    *("measure", "ties", "undefined", "missing", "max_docs"),
    *("relevance_threshold", "unmatched", "judged_only", "docno_separator", "merge"),
    *("mark", "column"),
)
# The marks that one number per document, or subtopic, gives.
MARKS = ("known", "popularity", "inverse_propensity", "subtopic_weight")
_FORMATS = ("table", "csv", "json", "latex", "markdown", "html")


def add_score(parser):
    """Add the options of `score`."""
    add_runs(parser, "QRELS RUN [RUN ...]", DEFAULT_METRICS, is_score=True)
    parser.add_argument(
        "--interval",
        choices=INTERVALS,
        default="auto",
        help="with --confidence or --by: t with one more value at each end of the "
        "range (auto), plain t, the BCa bootstrap, or betting, which holds for any "
        "distribution (default: %(default)s)",
    )
    parser.add_argument(
        "-q",
        "--per-query",
        action="store_true",
        help="show the scores of every query as well",
    )
    parser.add_argument(
        "--digits",
        type=whole_number(0),
        default=4,
        metavar="N",
        help="decimal places in tables (default: %(default)s)",
    )
    parser.add_argument(
        "--like",
        choices=TOOLS,
        help="print the output of trec_eval 9 or 10: -m also accepts its names "
        "(P.5,10, ndcg_cut.10, official, all_trec, set; default: official), ties are "
        "broken by document id, undefined queries count as 0, and queries missing from "
        "a run are left out (9) or an error (10) unless -c is given",
    )
    _add_by(parser)
    add_gate(parser)


def _add_by(parser):
    """Add the groups of queries that have results of their own."""
    parser.add_argument(
        "--by",
        metavar="GROUPS",
        help="show results for each group of queries, such as a type or a country: a "
        "file of query and group, FILE:COLUMN, or a column of QRELS",
    )


def add_gate(parser):
    """Add the options of `score` that set the exit status."""
    parser.add_argument(
        "--fail-under",
        type=_number,
        metavar="X",
        help="exit with status 1 if a run has a mean below X, or an undefined one, by "
        "any measure; status 2 means an error",
    )
    parser.add_argument(
        "--sure",
        action="store_true",
        help="with --fail-under: compare the lower end of the interval with X, at "
        "--confidence (default: 0.95)",
    )


def add_compare(parser):
    """Add the options of `compare`."""
    from sklearn_irmetrics._statistics.paired_tests import CORRECTIONS, TESTS

    add_runs(parser, "QRELS RUN RUN [RUN ...]", COMPARED)
    parser.add_argument(
        "-b",
        "--baseline",
        metavar="RUN",
        help="compare every other run with this one, a file or tag (default: compare "
        "all pairs)",
    )
    parser.add_argument(
        "--test",
        choices=[name for name, test in TESTS.items() if test.unit == "query"],
        default="permutation",
        help="paired test over queries (default: %(default)s)",
    )
    parser.add_argument(
        "--correction",
        choices=[name or "none" for name in CORRECTIONS],
        default="maxt",
        help="correction for several comparisons by one measure (default: %(default)s)",
    )
    _add_by(parser)
    parser.add_argument(
        "--margin",
        type=_positive,
        metavar="X",
        help="differences up to X do not matter: report which runs are equivalent, "
        "not worse, or worse by more than X",
    )
    parser.add_argument(
        "--bound",
        type=_positive,
        metavar="X",
        help="no difference on a single query exceeds X; this lets --margin and --test "
        "anytime decide earlier (default: the range of the measure)",
    )
    parser.add_argument(
        "--fail-unless-not-worse",
        action="store_true",
        help="exit with status 1 unless every measure shows that every run is at most "
        "--margin worse than the baseline (default: the first run); status 2 means an "
        "error",
    )
    parser.add_argument(
        "--fail-if-worse",
        action="store_true",
        help="exit with status 1 if any measure shows that a run is significantly "
        "worse than the baseline (default: the first run): adjusted p at most 1 - "
        "LEVEL, or with --margin the verdict 'worse'; status 2 means an error",
    )
    add_seed(parser)


def add_leaderboard(parser):
    """Add the options of `leaderboard`."""
    files = "QRELS RUN RUN ... | FOLDER ..."
    add_runs(parser, files, COMPARED)
    parser.add_argument(
        "-b",
        "--baseline",
        metavar="RUN",
        help="mark the runs that are shown to be better than this one, a file or tag",
    )
    parser.add_argument(
        "--over",
        choices=("queries", "datasets"),
        default="queries",
        help="with folders: whether intervals and ranks refer to new queries of these "
        "data sets, or to new data sets (default: %(default)s)",
    )
    parser.add_argument(
        "--drop-incomplete",
        action="store_true",
        help="leave out runs that are missing from a folder (default: stop with an "
        "error)",
    )
    parser.add_argument(
        "--fail-unless-first",
        metavar="RUN",
        help="exit with status 1 unless this run may be first by every measure, that "
        "is, no other is shown to be better; status 2 means an error",
    )
    add_seed(parser)


def add_seed(parser):
    """Add the seed of random draws."""
    parser.add_argument(
        "--seed",
        type=whole_number(0),
        default=0,
        metavar="N",
        help="seed of the random draws (default: %(default)s)",
    )


def add_plan(parser):
    """Add the options of `plan`."""
    from sklearn_irmetrics.comparison.planning import PLANNED

    files = "--effect X [QRELS RUN RUN ...]"
    add_runs(parser, files, COMPARED, n_qrels="?", n_runs="*")
    parser.add_argument(
        "--effect",
        type=_positive,
        metavar="X",
        help="the smallest difference of means that matters; with --test interval, the "
        "greatest width of the interval",
    )
    parser.add_argument(
        "--std",
        type=_positive,
        metavar="X",
        help="standard deviation over queries of the difference of two systems; with "
        "--test anova, of one system's scores",
    )
    parser.add_argument(
        "--power",
        type=_share,
        default=0.8,
        metavar="SHARE",
        help="probability of detecting the effect (default: %(default)s)",
    )
    parser.add_argument(
        "--test",
        choices=PLANNED,
        default="permutation",
        help="what to plan for: a paired test, max-T of several systems, the "
        "anytime-valid test, the verdict of --margin, an analysis of variance, or the "
        "width of the interval (default: %(default)s)",
    )
    parser.add_argument(
        "--margin",
        type=_positive,
        metavar="X",
        help="with --test margin: losses up to X do not matter",
    )
    parser.add_argument(
        "--systems",
        type=whole_number(2),
        metavar="N",
        help="number of systems that anova and maxt compare (default: the number of "
        "runs, or 2 without runs)",
    )


def add_fuse(parser):
    """Add the options of `fuse`."""
    from sklearn_irmetrics.runs.fusion import NORMS, Method

    parser.usage = "%(prog)s [options] RUN RUN [RUN ...]"
    parser.add_argument("runs", metavar="RUN", nargs="+", help="the runs")
    parser.add_argument(
        "--method",
        choices=get_args(Method),
        default="rrf",
        help="how to combine the runs (default: %(default)s)",
    )
    parser.add_argument(
        "--weights",
        type=_from_0,
        nargs="+",
        metavar="W",
        help="weight of each run, in the order of RUN (default: equal)",
    )
    parser.add_argument(
        "--normalize",
        choices=(*NORMS, "none"),
        default="min-max",
        help="how to scale scores before combining them (default: %(default)s)",
    )
    parser.add_argument(
        "-k",
        type=_from_0,
        metavar="K",
        help="constant of reciprocal rank fusion, --method rrf (default: 60)",
    )
    add_format(parser, ("trec", "csv", "json"), "trec")


def add_agree(parser):
    """Add the options of `agree`."""
    parser.usage = "%(prog)s [options] QRELS OTHER_QRELS"
    parser.add_argument("qrels", metavar="QRELS", help="judgments")
    parser.add_argument(
        "others", metavar="OTHER_QRELS", help="judgments of the same documents"
    )
    _add_output(parser)


def add_format(parser, choices, default, about=""):
    """Add the format of the output."""
    parser.add_argument(
        "-f",
        "--format",
        choices=choices,
        metavar="FORMAT",
        default=default,
        help="format of the output: %(choices)s (default: "
        f"{about or '%(default)s'}); csv and json have full precision",
    )


def _add_output(parser, is_score=False):
    """Add the format of the output, and the level of its intervals."""
    if is_score:
        add_format(parser, (*_FORMATS, "trec"), None, "table; trec with --like")
    else:
        add_format(parser, _FORMATS, "table")
    parser.add_argument(
        "--confidence",
        type=_share,
        default=None if is_score else 0.95,
        metavar="LEVEL",
        help="confidence level of the intervals (default: "
        f"{'no intervals; 0.95 with --by' if is_score else '0.95'})",
    )


def add_runs(parser, usage, default, *, n_qrels=None, n_runs="+", is_score=False):
    """Add the files, the measures, and the options about documents and queries."""
    parser.usage = f"%(prog)s [options] {usage}"
    parser.set_defaults(like=None)
    parser.add_argument(
        "qrels",
        metavar="QRELS",
        nargs=n_qrels,
        help="judgments; `irmetrics --help` lists the formats",
    )
    parser.add_argument(
        "runs", metavar="RUN", nargs=n_runs, help="runs; - is standard input"
    )
    parser.add_argument(
        "-m",
        "--measure",
        action="append",
        help="a measure, such as ndcg@10 or 'rbp(persistence=0.9)'; repeat the "
        "option for more. `irmetrics metrics` lists them (default: "
        f"{', '.join(default)})",
    )
    _add_output(parser, is_score)
    group = parser.add_argument_group("documents and queries")
    group.add_argument(
        "--ties",
        choices=TIES,
        help="treatment of documents with equal scores: the exact mean over all orders "
        "(average, the default), the best order, the worst order, or the order of "
        "descending document ids as in trec_eval (stable)",
    )
    group.add_argument(
        "--undefined",
        type=_replacement,
        metavar="VALUE",
        help="value of a query for which a measure is undefined, such as 0, or skip to "
        "leave it out of the mean (default: skip)",
    )
    group.add_argument(
        "--missing",
        choices=("zero", "skip", "raise"),
        help="judged queries that are missing from a run: count them with nothing "
        "retrieved, leave them out, or stop with an error (default: zero)",
    )
    group.add_argument(
        "-c",
        dest="missing",
        action="store_const",
        const="zero",
        help="the same as --missing zero",
    )
    group.add_argument(
        "--unmatched",
        choices=("warn", "raise", "ignore"),
        default="warn",
        help="queries for which no document of a run was judged because ids are "
        "written differently: warn, stop with an error, or score them without a "
        "warning; if no query has a judged document, warn stops too (default: "
        "%(default)s)",
    )
    group.add_argument(
        "--column",
        type=partial(_pair, "KEY=NAME", NAMES),
        action="append",
        metavar="KEY=NAME",
        help="the name of a column, or key of records, that has not the usual name: "
        f"score=similarity. KEY is one of {', '.join(NAMES)}; repeat the option for "
        "more",
    )
    group.add_argument(
        "--docno-separator",
        type=_cut_at,
        metavar="SEP",
        help="cut off document ids of runs at the first SEP, to match the ids of the "
        "judgments: with '#', doc7#0 becomes doc7",
    )
    group.add_argument(
        "--merge",
        choices=MERGES,
        help="score of a document that a run has several times for a query, such as by "
        "several passages: the best, the first in the file, or the sum",
    )
    group.add_argument(
        "-M",
        "--max-docs",
        type=whole_number(1),
        metavar="N",
        help="use only the first N documents of each query",
    )
    group.add_argument(
        "-l",
        "--relevance-threshold",
        type=_number,
        metavar="GRADE",
        help="lowest grade that is relevant, for measures of binary relevance "
        "(default: any grade above 0)",
    )
    group.add_argument(
        "-J",
        "--judged-only",
        action="store_true",
        help="ignore documents without a judgment, or with a negative grade",
    )
    group.add_argument(
        "--mark",
        type=partial(_pair, "NAME=FILE", MARKS),
        action="append",
        metavar="NAME=FILE",
        help="what some measures need to know of documents, in the form of judgments "
        f"with this in place of the grade; NAME is one of {', '.join(MARKS)} (of "
        "subtopics, in place of documents)",
    )


def _number(text, what="a number", read=float, least=-math.inf, most=math.inf):
    """Return a finite number in a range, whose ends may be infinite."""
    try:
        value = read(text)
        is_good = least <= value <= most and math.isfinite(value)
    except (ValueError, OverflowError):
        is_good = False
    if not is_good:
        raise argparse.ArgumentTypeError(f"must be {what}; got {text!r}")
    return value


def refuse_options(args, names, why):
    """Refuse options that would be ignored."""
    for name in names:
        if getattr(args, name) != args.parser.get_default(name):
            option = name.replace("_", "-")
            args.parser.error(f"argument --{option}: not allowed {why}")


def whole_number(least, most=math.inf):
    """Return a function for argparse that reads a whole number in a range."""
    to = "" if math.isinf(most) else f" to {most}"
    what = f"a whole number from {least}{to}"
    return partial(_number, what=what, read=int, least=least, most=most)


_LEAST = math.nextafter(0, 1)
_from_0 = partial(_number, what="a number from 0", least=0)
_positive = partial(_number, what="a number above 0", least=_LEAST)
_share = partial(
    _number,
    what="a number between 0 and 1, such as 0.95",
    least=_LEAST,
    most=math.nextafter(1, 0),
)


def _cut_at(separator):
    """Return a function that cuts off an id at a separator."""
    if not separator:
        raise argparse.ArgumentTypeError("must not be empty; got ''")
    return lambda docno: docno.partition(separator)[0]


def _pair(form, keys, text):
    """Return the key and the value of an option that is written in a form."""
    key, _, value = text.partition("=")
    if key not in keys or not value:
        raise argparse.ArgumentTypeError(
            f"must be {form} with {form.partition('=')[0]} one of {', '.join(keys)}; "
            f"got {text!r}"
        )
    return key, value


def _replacement(text):
    return math.nan if text == "skip" else _number(text, what="a number or skip")
