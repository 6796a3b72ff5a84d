"""The command line: `python -m sklearn_irmetrics <command>`."""

import argparse
import os
import sys

import sklearn_irmetrics

_PROGRAM = "python -m sklearn_irmetrics"


def main(argv=None):
    """Run one command.

    Parameters
    ----------
    argv : list of str, default=None
        The arguments; those of the process by default.

    Returns
    -------
    int
        0 when all went well, 1 when the input cannot be used, which one line on
        stderr explains. Wrong usage exits with 2, as argparse does.
    """
    args = _parser().parse_args(argv)
    try:
        args.run(args)
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (OSError, ValueError) as error:
        message = " ".join(str(error).split())
        print(f"{_PROGRAM} {args.command}: error: {message}", file=sys.stderr)
        return 1
    return 0


def _parser():
    parser = argparse.ArgumentParser(
        prog=_PROGRAM,
        description="Information-retrieval evaluation that behaves like scikit-learn.",
    )
    parser.add_argument(
        "--version", action="version", version=sklearn_irmetrics.__version__
    )
    commands = parser.add_subparsers(dest="command", metavar="command", required=True)
    for add_command in (_add_demo,):
        add_command(commands)
    return parser


def _add_demo(commands):
    demo = commands.add_parser(
        "demo",
        help="tune and evaluate a ranking model on digit images",
        description="Tune a ranking model on digit images with GridSearchCV and "
        "evaluate it with cross_validate; takes about ten seconds.",
    )
    demo.add_argument(
        "--queries",
        type=int,
        default=300,
        metavar="N",
        help="number of queries, half of them to tune on (default: %(default)s)",
    )
    demo.set_defaults(run=_run_demo)


def _run_demo(args):
    from sklearn_irmetrics._demo import run_demo

    run_demo(n_queries=args.queries)
