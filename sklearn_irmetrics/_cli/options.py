"""The options of the commands `score`, `compare` and `plan`."""

import argparse
import math

from sklearn_irmetrics._cli.trec_eval import TOOLS
from sklearn_irmetrics._core.parameters import TIES
from sklearn_irmetrics._measures.names import DEFAULT_METRICS

COMPARED = ("ndcg@10", "map")
# Options that say how runs are scored: by what, and what `_add_treatment` adds.
_TREATMENT = ("ties", "undefined", "missing", "max_docs", "relevance_threshold")
OF_RUNS = ("measure", *_TREATMENT, "unmatched", "judged_only")
COMPARE_HELP = "test whether one run is better than another"
PLAN_HELP = "calculate how many queries an experiment needs"
_USAGE = "%(prog)s [options] QRELS RUN [RUN ...]"
_COMPARE_USAGE = "%(prog)s [options] QRELS RUN RUN [RUN ...]"
_JUDGMENTS = "judgments; `irmetrics --help` lists the formats"
_SCORE_EXAMPLES = """\
examples:
  irmetrics score qrels.txt bm25.run
  irmetrics score qrels.txt bm25.run neural.run -m ndcg@10 -m map --confidence 0.95
  irmetrics score qrels.txt bm25.run -m "ap(relevance_threshold=2)@100" --per-query
  irmetrics score qrels.txt bm25.run --format csv --per-query > scores.csv
  zcat bm25.run.gz | head -10000 | irmetrics score qrels.txt - -m recall@1000
  irmetrics score --like trec_eval10 -q -c -m ndcg_cut.10 qrels.txt bm25.run
"""
_COMPARE_EXAMPLES = """\
examples:
  irmetrics compare qrels.txt bm25.run neural.run
  irmetrics compare qrels.txt bm25.run a.run b.run --baseline bm25.run -m ndcg@10
  irmetrics compare qrels.txt a.run b.run c.run --test tukey --format latex
"""
_PLAN_EXAMPLES = """\
examples:
  irmetrics plan --effect 0.02 --std 0.1
  irmetrics plan --effect 0.02 --power 0.9 -m map qrels.txt bm25.run neural.run
  irmetrics plan --effect 0.05 --std 0.25 --test anova --systems 10
"""


def add_score(commands, run):
    """Add the command `score`, which `run` carries out."""
    parser = commands.add_parser(
        "score",
        help="score runs against judgments",
        usage=_USAGE,
        description="Score runs against judgments and show them side by side.",
        epilog=_SCORE_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_files(parser, "one or more runs")
    _add_measures(parser, DEFAULT_METRICS)
    parser.add_argument(
        "-q",
        "--per-query",
        action="store_true",
        help="show the scores of every query as well",
    )
    parser.add_argument(
        "-n",
        "--no-summary",
        action="store_true",
        help="leave out the means; with --per-query and the trec format",
    )
    for letter, about in (
        ("-N", "documents in the collection"),
        ("-D", "debug level"),
    ):
        parser.add_argument(
            letter,
            type=whole_number(0),
            metavar="N",
            dest=f"ignored_{letter[1:]}",
            help=f"{about}; accepted as in trec_eval, has no effect",
        )
    parser.add_argument(
        "-f",
        "--format",
        choices=("table", "csv", "json", "latex", "markdown", "html", "trec"),
        metavar="FORMAT",
        help="format of the output: %(choices)s (default: table; trec with --like); "
        "csv and json have full precision",
    )
    parser.add_argument(
        "--digits",
        type=whole_number(0),
        default=4,
        metavar="N",
        help="decimal places in tables (default: %(default)s)",
    )
    parser.add_argument(
        "--confidence",
        type=_share,
        metavar="LEVEL",
        help="add confidence intervals of this level, such as 0.95",
    )
    _add_treatment(parser)
    parser.add_argument(
        "--like",
        choices=TOOLS,
        help="print what trec_eval 9 or 10 prints: -m also takes its names (P.5,10, "
        "ndcg_cut.10, official, all_trec, set; default: official), ties are broken by "
        "document id, undefined queries count as 0, and a query that a run lacks is "
        "left out (9) or an error (10) unless -c is given",
    )
    parser.set_defaults(run=run)


def add_compare(commands, run):
    """Add the command `compare`, which `run` carries out."""
    # All of estimation, which no other command needs.
    from sklearn_irmetrics._statistics.significance import CORRECTIONS, TESTS

    parser = commands.add_parser(
        "compare",
        help=COMPARE_HELP,
        usage=_COMPARE_USAGE,
        description="Compare runs on the same queries: differences of means with "
        "confidence\nintervals and paired tests.",
        epilog=_COMPARE_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_files(parser, "two or more runs")
    _add_measures(parser, COMPARED)
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
    _add_confidence(parser)
    parser.add_argument(
        "--margin",
        type=_positive,
        metavar="X",
        help="differences up to X do not matter: report which runs are equivalent, "
        "not worse, or worse by more than that",
    )
    parser.add_argument(
        "--fail-if-worse",
        action="store_true",
        help="exit with status 1 if by any measure a run is significantly worse than "
        "the baseline (default: the first run): adjusted p at most 1 - LEVEL, or with "
        "--margin the verdict 'worse'; with 2 after an error",
    )
    parser.add_argument(
        "--resamples",
        type=whole_number(1),
        default=9999,
        metavar="N",
        help="random draws for permutation, bootstrap and tukey (default: %(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=whole_number(0),
        default=0,
        metavar="N",
        help="seed of the random draws (default: %(default)s)",
    )
    _add_format(parser)
    _add_treatment(parser)
    parser.set_defaults(run=run, like=None)


def add_plan(commands, run):
    """Add the command `plan`, which `run` carries out."""
    from sklearn_irmetrics.model_selection._plan import PLANNED

    parser = commands.add_parser(
        "plan",
        help=PLAN_HELP,
        usage="%(prog)s [options] --effect X --std X\n"
        "       %(prog)s [options] --effect X QRELS RUN RUN [RUN ...]",
        description="Calculate how many queries an experiment needs to detect an "
        "effect. The\nspread of the differences is given by --std or estimated from "
        "two or more runs.",
        epilog=_PLAN_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(parser=parser, run=run, like=None)
    parser.add_argument("qrels", metavar="QRELS", nargs="?", help=_JUDGMENTS)
    parser.add_argument(
        "runs", metavar="RUN", nargs="*", help="two or more runs; - is standard input"
    )
    parser.add_argument(
        "--effect",
        type=_positive,
        required=True,
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
    _add_confidence(parser)
    parser.add_argument(
        "--test",
        choices=PLANNED,
        default="ttest",
        help="plan for a paired t-test, an analysis of variance, or the width of the "
        "interval (default: %(default)s)",
    )
    parser.add_argument(
        "--systems",
        type=whole_number(2),
        metavar="N",
        help="number of systems that anova compares (default: the number of runs, or "
        "2 without runs)",
    )
    _add_measures(parser, COMPARED)
    _add_format(parser)
    _add_treatment(parser)


def _add_confidence(parser):
    parser.add_argument(
        "--confidence",
        type=_share,
        default=0.95,
        metavar="LEVEL",
        help="confidence level of the intervals (default: %(default)s)",
    )


def _add_format(parser):
    parser.add_argument(
        "-f",
        "--format",
        choices=("table", "csv", "json", "latex", "markdown", "html"),
        metavar="FORMAT",
        default="table",
        help="format of the output: %(choices)s (default: %(default)s)",
    )


def _add_files(parser, runs):
    parser.set_defaults(parser=parser)
    parser.add_argument("qrels", metavar="QRELS", help=_JUDGMENTS)
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help=f"{runs}; - is standard input"
    )


def _add_measures(parser, default):
    parser.add_argument(
        "-m",
        "--measure",
        action="append",
        metavar="MEASURE",
        help="a measure, such as ndcg@10 or 'rbp(persistence=0.9)'; repeat the "
        "option for more. `irmetrics metrics` lists them (default: "
        f"{', '.join(default)})",
    )


def _add_treatment(parser):
    """Add what decides how documents and queries count."""
    group = parser.add_argument_group("documents and queries")
    group.add_argument(
        "--ties",
        choices=TIES,
        help="order of documents with equal scores: the exact mean over all orders "
        "(average, the default), the best order, the worst order, or by descending "
        "document id as in trec_eval (stable)",
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
        help="judged queries for which a run has no documents: count them with nothing "
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
        help="queries of which a run has documents but none that was judged, as where "
        "ids are written in two ways: warn (and stop if all queries are such), stop "
        "with an error if any is, or score them in silence (default: %(default)s)",
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
        help="remove documents without a judgment from the runs",
    )


def _number(text):
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"must be a number; got {text!r}")
    return value


def whole_number(least, most=math.inf):
    """Return what reads a whole number in a range for argparse."""
    to = "" if math.isinf(most) else f" to {most}"

    def read(text):
        if not text.isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(
                f"must be a whole number from {least}{to}; got {text!r}"
            )
        return int(text)

    return read


def _share(text):
    value = _number(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(
            f"must be between 0 and 1, such as 0.95; got {text!r}"
        )
    return value


def _positive(text):
    value = _number(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"must be above 0; got {text!r}")
    return value


def _replacement(text):
    if text == "skip":
        return math.nan
    try:
        return _number(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(
            f"must be a number or skip; got {text!r}"
        ) from error
