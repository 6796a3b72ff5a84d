"""The command `agree`: compare two sets of judgments, and their orders of runs."""

from sklearn_irmetrics._cli.commands import lines_of, on_common_queries, read_runs
from sklearn_irmetrics._cli.options import (
    COMPARED,
    OF_RUNS,
    add_runs,
    add_seed,
    refuse_options,
)
from sklearn_irmetrics._cli.output import write_results


def add_agree(parser):
    """Add the options of `agree`."""
    add_runs(parser, "QRELS OTHER_QRELS [RUN RUN ...]", COMPARED, others=True)
    add_seed(parser)


def run_agree(args):
    """Compare two sets of judgments: their grades, and their orders of runs.

    QRELS and OTHER_QRELS judge the same documents: for example, grades by people and by
    a language model. Runs are scored with both, and the two orders are compared.

    For example:
      irmetrics agree people.txt model.txt
      irmetrics agree people.txt model.txt a.run b.run c.run -m ndcg@10
    """
    if not args.runs:
        refuse_options(args, OF_RUNS, "without RUN RUN")
        from sklearn_irmetrics.runs import agreement

        found = agreement(args.qrels, args.others, confidence_level=args.confidence)
        return write_results({None: found}, args.format)
    if len(args.runs) < 2:
        args.parser.error("the following arguments are required: a second RUN")
    from sklearn_irmetrics.comparison import order_agreement

    lines = lines_of(args, COMPARED)
    one = on_common_queries(read_runs(args, lines, f"{args.qrels}: "))
    args.qrels = args.others
    other = on_common_queries(read_runs(args, lines, f"{args.qrels}: "))
    found = {
        line.label: order_agreement(
            one,
            other,
            metric=line.label,
            confidence_level=args.confidence,
            random_state=args.seed,
        )
        for line in lines
    }
    return write_results(found, args.format, titled=True)
