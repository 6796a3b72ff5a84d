"""The parser of all commands, and the handling of their output and errors."""

import argparse
import inspect
import os
import re
import shlex
import sys

import sklearn_irmetrics
from sklearn_irmetrics._cli.commands import (
    run_agree,
    run_compare,
    run_fuse,
    run_plan,
    run_score,
)
from sklearn_irmetrics._cli.judged import add_judged_score, add_sample, run_sample
from sklearn_irmetrics._cli.leaderboard import run_leaderboard
from sklearn_irmetrics._cli.options import (
    add_agree,
    add_compare,
    add_format,
    add_fuse,
    add_leaderboard,
    add_plan,
    whole_number,
)
from sklearn_irmetrics._cli.output import discard, one_line, tell, write_json
from sklearn_irmetrics._results.tables import Table, write_csv, write_text
from sklearn_irmetrics.metrics._measure import as_measure
from sklearn_irmetrics.metrics._registry import METRICS

# Options whose condition sets the exit status to 1; errors then set it to 2.
GATES = "fail_under", "fail_if_worse", "fail_unless_not_worse", "fail_unless_first"


class _Parser(argparse.ArgumentParser):
    """A parser that reports errors in one line."""

    def error(self, message):
        self.exit(2, f"{self.prog}: error: {one_line(message)} (see --help)\n")


def run(argv=None):
    """Information-retrieval evaluation that behaves like scikit-learn.

    QRELS holds judgments (the grade of each document for a query), RUN a ranking (the
    documents that a system found for each query, with scores). Each is a file of TREC,
      judgments   query  iteration  document  grade
      run         query  iteration  document  rank  score  tag
    or a table with a header (CSV, or tab-separated as in BEIR), JSON, JSON lines or
    Parquet; plain or compressed with gzip, bzip2, xz or zstd. The content decides, not
    the name of the file; - is standard input.

    For example:
      irmetrics score qrels.txt bm25.run neural.run
      irmetrics compare qrels.txt bm25.run neural.run -m ndcg@10
      irmetrics leaderboard qrels.txt a.run b.run c.run
      irmetrics plan --effect 0.02 --std 0.1
      irmetrics metrics

    irmetrics COMMAND --help describes a command and its options. The exit status is 0
    for success, 1 if the input cannot be used, and 2 for wrong usage; with an option
    --fail-..., 1 if its condition fails, and 2 for any error.
    """
    for stream in sys.stdout, sys.stderr:
        if hasattr(stream, "reconfigure"):  # ids that are not UTF-8 are kept
            is_utf8 = stream.encoding.lower() == "utf-8"
            stream.reconfigure(
                errors="surrogateescape" if is_utf8 else "backslashreplace"
            )
    argv = sys.argv[1:] if argv is None else argv
    args = _parser(argv).parse_args(argv)
    _check_standard_input(args)
    try:
        _print(args.run(args))
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        discard(sys.stdout)
    except (ImportError, MemoryError, OSError, ValueError) as error:
        message = str(error)
        if isinstance(error, MemoryError):
            message = f"out of memory: {message or 'the files are too large'}"
        elif getattr(error, "filename", None) is not None:
            message = f"{error.filename}: {os.strerror(error.errno)}"
        message = _name_columns(message, has_option=hasattr(args, "column"))
        tell(f"{args.parser.prog}: error: {message}")
        is_gate = any(getattr(args, name, None) not in (None, False) for name in GATES)
        return 2 if is_gate else 1
    return args.status


def _name_columns(message, has_option):
    """Return a message with the option --column in place of the argument columns."""

    def as_options(columns):
        named = re.findall(r"'(\w+)': (?:'([^']*)'|[^,}]*)", columns[0])
        return " ".join(
            f"--column {key}={shlex.quote(name) if name else 'NAME'}"
            for key, name in named
        )

    if not has_option:
        return re.sub(
            r"pass columns=\{.*?\}", "rename the columns in the file", message
        )
    return re.sub(r"columns=\{.*?\}", as_options, message)


def _check_standard_input(args):
    """Refuse to read standard input for two files, of which the second is empty."""
    options = ("qrels", "others", "judge", "inclusion", "by")
    files = [getattr(args, option, None) for option in options]
    files += getattr(args, "runs", [])
    files += [path for _, path in getattr(args, "mark", None) or ()]
    if files.count("-") > 1:
        args.parser.error("-, standard input, can stand for one file only")


def _print(text):
    try:
        print(text.removesuffix("\n"), flush=True)
    except OSError:
        discard(sys.stdout)
        raise


def _parser(argv):
    started = os.path.basename(sys.argv[0]).removesuffix(".exe")
    raw = {"formatter_class": argparse.RawDescriptionHelpFormatter}
    parser = _Parser(
        prog=started if started == "irmetrics" else "python -m sklearn_irmetrics",
        description=inspect.getdoc(run),
        **raw,
    )
    parser.add_argument(
        "--version", action="version", version=sklearn_irmetrics.__version__
    )
    parser.set_defaults(status=0)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, about, add_options, run_command in (
        ("score", "score runs against judgments", add_judged_score, run_score),
        ("compare", "test if one run is better than another", add_compare, run_compare),
        ("leaderboard", "rank runs, with intervals", add_leaderboard, run_leaderboard),
        ("agree", "compare two sets of judgments", add_agree, run_agree),
        ("fuse", "combine several runs into one", add_fuse, run_fuse),
        ("plan", "calculate how many queries are needed", add_plan, run_plan),
        ("sample", "draw a sample to label", add_sample, run_sample),
        ("metrics", "list the measures, or describe one", _add_metrics, run_metrics),
        ("demo", "tune and evaluate a ranking model", _add_demo, run_demo),
    ):
        doc = inspect.getdoc(run_command)
        command = commands.add_parser(name, help=about, description=doc, **raw)
        command.set_defaults(parser=command, run=run_command)
        if name in argv:  # the options of some need all of estimation
            add_options(command)
    return parser


def _add_metrics(parser):
    parser.add_argument(
        "name", nargs="?", metavar="MEASURE", help="describe this one in full"
    )
    add_format(parser, ("table", "csv", "json"), "table")


def run_metrics(args):
    """List the measures with their names, ranges and directions.

    For example:
      irmetrics metrics
      irmetrics metrics rbp     the documentation of one, with its parameters
      irmetrics metrics --format json

    On the command line a measure is written as name, name@k or name(parameter=value)@k:
    ndcg@10, rbp(persistence=0.9), ap(relevance_threshold=2)@100.
    """
    if args.name is not None:
        return _describe(args)
    rows = [_facts(metric) for _, metric in sorted(METRICS.items())]
    if args.format == "json":
        return write_json(rows)
    rows = [row | {"aliases": ", ".join(row["aliases"])} for row in rows]
    if args.format == "csv":
        return write_csv(rows[0], [row.values() for row in rows])
    cells = [
        (
            ", ".join(filter(None, [row["measure"], row["aliases"]])),
            f"{row['low']:.3g} to {row['high']:.3g}",
            "higher" if row["greater_is_better"] else "lower",
            row["description"],
        )
        for row in rows
    ]
    table = Table((), ("measure", "range", "better", "what it is"), cells, "<<<<")
    return write_text(table)


def _describe(args):
    """Return the documentation of one measure."""
    if args.format == "csv":
        args.parser.error("argument -f/--format: csv lists all measures, not one")
    try:
        metric = as_measure("", args.name).metric
    except ValueError as error:
        message = str(error).replace("get_scorer_names()", "irmetrics metrics")
        args.parser.error(message)
    doc = _doc_of(metric.function)
    if args.format == "json":
        return write_json(_facts(metric) | {"documentation": doc})
    return f"{metric.function.__name__}\n\n{doc}"


def _facts(metric):
    """Return a row of the list of measures."""
    low, high = metric.range
    about = _doc_of(metric.function).partition("\n")[0].rstrip(".")
    fixed = ", ".join(f"{key}={value!r}" for key, value in metric.arguments.items())
    return {
        "measure": metric.name,
        "aliases": [*metric.aliases],
        "low": float(low),
        "high": float(high),
        "greater_is_better": metric.greater_is_better,
        "function": metric.function.__name__,
        "description": f"{about} ({fixed})" if fixed else about,
    }


def _doc_of(function):
    return inspect.getdoc(function) or "(no description, because Python runs with -OO)"


def _add_demo(parser):
    parser.add_argument(
        "--queries",
        type=whole_number(10, 898),  # for five folds of half; of so many images
        default=300,
        metavar="N",
        help="number of queries, half of them for tuning (default: %(default)s)",
    )
    add_format(parser, ("table", "json"), "table")


def run_demo(args):
    """Tune a ranking model on images of digits with GridSearchCV, then evaluate it.

    It uses cross_validate and every method of evaluate, and takes about ten seconds.
    """
    from sklearn_irmetrics._cli.demo import show_demo

    return show_demo(args.queries, args.format)
