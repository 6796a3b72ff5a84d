"""The command `fuse`: combine several runs."""

from io import StringIO
from typing import get_args


def add_fuse(parser):
    """Add the options of `fuse`."""
    from sklearn_irmetrics.runs._fuse import NORMS, Method

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
        type=float,
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
        type=float,
        metavar="K",
        help="constant of reciprocal rank fusion, --method rrf (default: 60)",
    )


def run_fuse(args):
    """Fuse runs into one, and write it in TREC format.

    For example:
      irmetrics fuse bm25.run dense.run > fused.run
      irmetrics fuse bm25.run dense.run --method combsum --weights 1 2
    """
    from sklearn_irmetrics.runs import fuse_runs, write_run

    weights = args.weights
    if weights is not None and len(weights) != len(args.runs):
        args.parser.error(
            f"argument --weights: needs one weight per RUN, {len(args.runs)}; got "
            f"{len(weights)}"
        )
    normalize = None if args.normalize == "none" else args.normalize
    options = {"weights": weights, "normalize": normalize, "k": args.k}
    fused = fuse_runs(args.runs, args.method, **options)
    text = StringIO()
    write_run(fused, text)
    return text.getvalue()
