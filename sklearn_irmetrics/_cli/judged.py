"""Score runs by a judge's file and people's labels; the command `sample`."""

import csv

import numpy as np

from sklearn_irmetrics._cli.lines import measure_of
from sklearn_irmetrics._cli.options import (
    add_format,
    add_score,
    add_seed,
    refuse_options,
    whole_number,
)
from sklearn_irmetrics._cli.output import write_columns, write_results

# Options of `score` that cannot be combined with a judge.
_REFUSED = (
    *("ties", "missing", "unmatched", "docno_separator", "merge", "max_docs"),
    *("judged_only", "interval", "digits", "by", "mark", "column"),
)


def add_judged_score(parser):
    """Add the options of `score`, and those about a judge."""
    add_score(parser)
    group = parser.add_argument_group("judgments by a model")
    group.add_argument(
        "--judge",
        metavar="JUDGE_QRELS",
        help="judgments of all queries by a model; QRELS then holds labels by people "
        "of a random sample, which correct them",
    )
    group.add_argument(
        "--inclusion",
        metavar="SAMPLE",
        help="the output of `irmetrics sample`, if people labelled sampled documents",
    )


def run_judged(args, lines):
    """Return the scores of a run by a judge, corrected by people."""
    from sklearn_irmetrics.judging import align_judged, score_judged

    if len(args.runs) > 1 or args.per_query or args.format == "trec":
        args.parser.error(
            "argument --judge: needs one RUN, without --per-query or --format trec"
        )
    refuse_options(args, _REFUSED, "with --judge")
    undefined = 0.0 if args.undefined is None else args.undefined
    if np.isnan(undefined):
        args.parser.error(
            "argument --undefined: must be a number with --judge, which cannot leave "
            "queries out"
        )
    (path,) = args.runs
    documents = align_judged(args.qrels, args.judge, {path: path})
    inclusion = None
    if args.inclusion is not None:
        sampled = _read_sample(args.inclusion)
        pairs = zip(documents.qid, documents.docno, strict=True)
        inclusion = [sampled.get(pair, 0.0) for pair in pairs]
    try:
        result = score_judged(
            documents.y_true,
            documents.y_judge,
            documents.y_scores[path],
            {line.label: line.measure for line in lines},
            qid=documents.qid,
            inclusion=inclusion,
            confidence_level=args.confidence or 0.95,
            replace_undefined_by=undefined,
        )
    except ValueError as error:
        message = str(error).replace("replace_undefined_by", "--undefined")
        raise ValueError(message) from error
    return write_results({None: result}, args.format)


def _read_sample(path):
    """Return the inclusion of each pair of query and document in a file."""
    options = {"encoding": "utf-8-sig", "errors": "surrogateescape", "newline": ""}
    with open(path, **options) as stream:
        rows, sampled, is_whole = csv.DictReader(stream), {}, False
        try:
            for row in rows:
                # A quote keeps spreadsheets from taking an id for a formula.
                pair = tuple(row[name].removeprefix("'") for name in ("qid", "docno"))
                sampled[pair] = float(row["inclusion"])
                is_whole |= sampled[pair] == 1 and row.get("label") == "0"
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{path} must have the columns qid, docno and inclusion, a number, as "
                f"`irmetrics sample` prints them in CSV; got {error} in line "
                f"{rows.line_num}."
            ) from error
    if is_whole:
        raise ValueError(f"{path} is of whole queries: leave out --inclusion.")
    return sampled


def add_sample(parser):
    """Add the options of `sample`."""
    parser.usage = "%(prog)s [options] -n N RUN [RUN]"
    parser.add_argument("runs", metavar="RUN", nargs="+", help="the run, or two")
    parser.add_argument(
        *("-n", "--number"),
        type=whole_number(1),
        required=True,
        metavar="N",
        help="number of documents, or of queries for measures that are not sums",
    )
    parser.add_argument(
        *("-m", "--measure"),
        default="dcg@10",
        help="measure to estimate (default: %(default)s)",
    )
    add_seed(parser)
    add_format(parser, ("csv", "json"), "csv")


def run_sample(args):
    """Draw a sample for people to label, for one run or the difference of two.

    It prints qid, docno, the probability of inclusion (1 if whole queries are drawn)
    and whether people should label the document. Documents are drawn for P@k, CG, DCG,
    RBP and success@1, whole queries for other measures.

    For example:
      irmetrics sample bm25.run -n 200 -m dcg@10 > sample.csv
      irmetrics sample bm25.run -n 30 -m ndcg@10 > sample.csv
      irmetrics score people.txt bm25.run -m dcg@10 --judge judge.txt \
--inclusion sample.csv
    """
    metric = measure_of(args, args.measure)
    from sklearn_irmetrics.judging import align_judged, sample_judgments
    from sklearn_irmetrics.runs import read_run

    runs = {path: read_run(path) for path in args.runs}
    everything = {
        (query, document): 0
        for run in runs.values()
        for query, document in zip(run.qid, run.docno, strict=True)
    }
    every = [(*pair, grade) for pair, grade in everything.items()]
    documents = align_judged(every, every, runs)
    scores = documents.y_scores
    sample = sample_judgments(
        scores if len(runs) > 1 else scores[args.runs[0]],
        args.number,
        metric=metric,
        qid=documents.qid,
        random_state=args.seed,
    )
    inclusion = sample.inclusion
    inclusion = np.ones(len(documents.qid)) if inclusion is None else inclusion
    drawn = inclusion > 0
    columns = {
        "qid": documents.qid[drawn],
        "docno": documents.docno[drawn],
        "inclusion": inclusion[drawn],
        "label": sample.selected[drawn].astype(int),
    }
    return write_columns(columns, args.format)
