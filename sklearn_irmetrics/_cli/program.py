"""The commands, their common options, and what becomes of errors."""

import argparse
import codecs
import errno
import inspect
import os
import shutil
import sys

import sklearn_irmetrics
from sklearn_irmetrics._cli.commands import run_compare, run_plan, run_score
from sklearn_irmetrics._cli.options import (
    COMPARE_HELP,
    PLAN_HELP,
    add_compare,
    add_plan,
    add_score,
    whole_number,
)
from sklearn_irmetrics._cli.output import (
    one_line,
    plain_where_needed,
    shows_colour,
    tell,
)
from sklearn_irmetrics._measures.measure import as_measure
from sklearn_irmetrics._measures.registry import METRICS
from sklearn_irmetrics._tables import Table, escape_character, write_text

_DESCRIPTION = """\
Information-retrieval evaluation that behaves like scikit-learn.

QRELS holds judgments (the grade of each document for a query), RUN a ranking (the
documents that a system found for each query, with scores). Each is a file of TREC,
  judgments   query  iteration  document  grade
  run         query  iteration  document  rank  score  tag
or a table with a header (CSV, or tab-separated as in BEIR), JSON, JSON lines or
Parquet; plain or compressed with gzip, bzip2, xz or zstd. The content decides, not the
name of the file; - is standard input.
"""
_EXAMPLES = """\
examples:
  irmetrics score qrels.txt bm25.run neural.run
  irmetrics compare qrels.txt bm25.run neural.run -m ndcg@10
  irmetrics plan --effect 0.02 --std 0.1
  irmetrics metrics

irmetrics COMMAND --help describes a command and its options.
"""
_METRICS_EXAMPLES = """\
examples:
  irmetrics metrics
  irmetrics metrics rbp     the documentation of one, with its parameters

On the command line a measure is written as name, name@k or name(parameter=value)@k:
ndcg@10, rbp(persistence=0.9), ap(relevance_threshold=2)@100.
"""


class _Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong."""

    def error(self, message):
        self.exit(2, f"{self.prog}: error: {one_line(message)} (see --help)\n")


def run(argv=None):
    """Run one command and return its exit code; see `main`."""
    codecs.register_error(__name__, _degrade)
    for stream in sys.stdout, sys.stderr:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=__name__)
    argv = sys.argv[1:] if argv is None else argv
    args, unknown = _parser(argv).parse_known_args(argv)
    if unknown:
        _refuse(args, unknown)
    try:
        if sys.stdout is None:  # closed before the process began
            raise OSError(errno.EBADF, os.strerror(errno.EBADF), "<stdout>")
        args.colour = shows_colour(sys.stdout)
        text = args.run(args)
        if text is not None:
            _print(text)
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return args.status
    except (ImportError, OSError, ValueError) as error:
        message = str(error)
        if getattr(error, "filename", None) is not None:
            message = f"{error.filename}: {error.strerror}"
    except MemoryError:
        message = "the memory does not suffice"
    else:
        return args.status
    # Only here, where the error no longer holds the memory.
    tell(f"{args.parser.prog}: error: {message}")
    return 2 if args.fail_if_worse else 1


def _refuse(args, unknown):
    """Say what the words are that no option and no file takes."""
    message = f"unrecognized arguments: {' '.join(unknown)}"
    if "measure" in args and not all(word.startswith("-") for word in unknown):
        message += "; repeat -m for each measure, and write all files side by side"
    args.parser.error(message)


def _degrade(error):
    """Encode a character that an encoding lacks, as a handler of `codecs`."""
    char, end = error.object[error.start], error.start + 1
    if 0xDC80 <= ord(char) <= 0xDCFF:  # a byte that is not UTF-8, in an id
        return bytes([ord(char) - 0xDC00]), end
    return escape_character(char), end


def _print(text):
    try:
        print(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(f"the output is not complete: {error.strerror}") from error


def _parser(argv):
    started = os.path.basename(sys.argv[0]).removesuffix(".exe")
    parser = _Parser(
        prog=started if started == "irmetrics" else "python -m sklearn_irmetrics",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", action="version", version=sklearn_irmetrics.__version__
    )
    parser.set_defaults(status=0, fail_if_worse=False)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    add_score(commands, run_score)
    # Those of the others need all of estimation.
    for name, about, add, run in (
        ("compare", COMPARE_HELP, add_compare, run_compare),
        ("plan", PLAN_HELP, add_plan, run_plan),
    ):
        if name in argv:
            add(commands, run)
        else:
            commands.add_parser(name, help=about)
    _add_metrics(commands)
    _add_demo(commands)
    return parser


def _add_metrics(commands):
    metrics = commands.add_parser(
        "metrics",
        help="list the measures, or describe one",
        description="List the measures with their names, range and direction.",
        epilog=_METRICS_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    metrics.add_argument(
        "name", nargs="?", metavar="MEASURE", help="describe this one in full"
    )
    metrics.set_defaults(run=_run_metrics, parser=metrics)


def _run_metrics(args):
    if args.name is not None:
        try:
            metric = as_measure(args.name, "").metric
        except ValueError as error:
            message = str(error).replace("get_scorer_names()", "irmetrics metrics")
            args.parser.error(message)
        function = metric.function
        about = plain_where_needed(inspect.getdoc(function))
        return f"{function.__name__}\n\n{about}"
    rows = [
        (
            ", ".join([name, *metric.aliases]),
            plain_where_needed(
                "{:.3g} to {:.3g}".format(*metric.range).replace("inf", "∞")
            ),
            "higher" if metric.greater_is_better else "lower",
            plain_where_needed(_summary(metric)),
        )
        for name, metric in sorted(METRICS.items())
    ]
    header = ("measure", "range", "better", "what it is")
    if sys.stdout.isatty():
        columns = list(zip(header, *rows, strict=True))[:-1]
        taken = sum(max(map(len, column)) + 2 for column in columns)
        room = max(shutil.get_terminal_size().columns - taken, len(header[-1]))
        rows = [(*row[:-1], _shorten(row[-1], room)) for row in rows]
    table = Table((), header, rows, "<<<<")
    return write_text(table, indent="", bold=args.colour)


def _shorten(text, width):
    end = plain_where_needed("…")
    return text if len(text) <= width else text[: width - len(end)] + end


def _summary(metric):
    """Return the first line of the documentation and what the name stands for."""
    summary = inspect.getdoc(metric.function).splitlines()[0].rstrip(".")
    fixed = [f"{key}={value!r}" for key, value in metric.arguments.items()]
    return f"{summary} ({', '.join(fixed)})" if fixed else summary


def _add_demo(commands):
    demo = commands.add_parser(
        "demo",
        help="tune and evaluate a ranking model on digit images",
        description="Tune a ranking model on digit images with GridSearchCV, then "
        "evaluate it with cross_validate and with every method of evaluate. Takes "
        "about ten seconds.",
    )
    demo.add_argument(
        "--queries",
        type=whole_number(10, 898),  # for five folds of half; of so many images
        default=300,
        metavar="N",
        help="number of queries, half of them for tuning (default: %(default)s)",
    )
    demo.set_defaults(run=_run_demo, parser=demo)


def _run_demo(args):
    from sklearn_irmetrics._cli.demo import run_demo

    run_demo(n_queries=args.queries)
