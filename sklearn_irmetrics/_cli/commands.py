"""The commands `score`, `compare`, `plan` and `fuse`."""

import os
import re
import warnings
from collections import defaultdict
from dataclasses import replace
from io import StringIO
from typing import get_args

import numpy as np

from sklearn_irmetrics._cli.judged import run_judged
from sklearn_irmetrics._cli.options import COMPARED, OF_RUNS, refuse_options
from sklearn_irmetrics._cli.output import tell, write_results, write_runs
from sklearn_irmetrics._cli.scored_runs import (
    Line,
    ScoredRun,
    keep_queries,
    name_runs,
    parse_measure,
    score_lines,
    without_unjudged,
)
from sklearn_irmetrics._cli.trec_eval import TOOLS, is_name, parse_lines
from sklearn_irmetrics._results.tables import count
from sklearn_irmetrics.metrics._names import DEFAULT_METRICS
from sklearn_irmetrics.metrics._per_query import have_subtopics
from sklearn_irmetrics.runs.files import map_documents, read_columns, read_retrieved
from sklearn_irmetrics.runs.matching import join


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


# The default treatment of queries that are missing from a run.
_MISSING = {None: "zero", "trec_eval9": "skip", "trec_eval10": "raise"}


def run_score(args):
    """Score runs against judgments and show them side by side.

    For example:
      irmetrics score qrels.txt bm25.run
      irmetrics score qrels.txt bm25.run neural.run -m ndcg@10 -m map --confidence 0.95
      irmetrics score qrels.txt bm25.run -m "ap(relevance_threshold=2)@100" --per-query
      irmetrics score qrels.txt bm25.run --format csv --per-query > scores.csv
      zcat bm25.run.gz | head -10000 | irmetrics score qrels.txt - -m recall@1000
      irmetrics score people.txt bm25.run --judge model.txt
      irmetrics score --like trec_eval10 -q -c -m ndcg_cut.10 qrels.txt bm25.run
    """
    layout = args.format = args.format or ("trec" if args.like else "table")
    if layout == "trec" and args.confidence:
        args.parser.error("argument --confidence: has no place in the trec format")
    lines = _lines_of_trec_eval(args) if args.like else lines_of(args, DEFAULT_METRICS)
    if layout == "trec" and len(args.runs) > 1:
        args.parser.error(
            "the trec format does not name the run of a line: score one RUN, or choose "
            "another --format"
        )
    if args.judge is not None:
        return run_judged(args, lines)
    if args.inclusion is not None:
        args.parser.error("argument --inclusion: needs --judge")
    if args.confidence is None:
        refuse_options(args, ["interval"], "without --confidence")
    runs = read_runs(args, lines)
    if args.like == "trec_eval9":
        runs = [_without_missing(run) for run in runs]
    return write_runs(runs, lines, layout, per_query=args.per_query, digits=args.digits)


def run_compare(args):
    """Compare runs on the same queries by intervals of differences and paired tests.

    For example:
      irmetrics compare qrels.txt bm25.run neural.run
      irmetrics compare qrels.txt bm25.run a.run b.run --baseline bm25.run -m ndcg@10
      irmetrics compare qrels.txt a.run b.run c.run --test tukey --format latex
    """
    if len(args.runs) < 2:
        args.parser.error("the following arguments are required: a second RUN")
    if args.fail_unless_not_worse and args.margin is None:
        args.parser.error("argument --fail-unless-not-worse: needs --margin")
    lines = lines_of(args, COMPARED)
    runs = read_runs(args, lines)
    from sklearn_irmetrics.comparison import compare

    systems = on_common_queries(runs)
    results = {
        line.label: compare(
            systems,
            baseline=_baseline(args, runs),
            test=args.test,
            correction=args.correction,
            metric=line.label,
            margin=args.margin,
            bound=args.bound,
            confidence_level=args.confidence,
            random_state=args.seed,
        )
        for line in lines
    }
    if args.fail_if_worse and any(map(_finds_a_worse_one, results.values())):
        args.status = 1
    harmless = {"equivalent", "not worse"}
    if args.fail_unless_not_worse and not all(
        harmless.issuperset(found.verdict) for found in results.values()
    ):
        args.status = 1
    about = {"n_queries": "n_units", "test": "test", "correction": "correction"}
    return write_results(results, args.format, after=about)


def run_plan(args):
    """Calculate how many queries an experiment needs to detect an effect.

    The spread of the differences is given by --std or estimated from two or more runs.

    For example:
      irmetrics plan --effect 0.02 --std 0.1
      irmetrics plan --effect 0.02 --power 0.9 -m map qrels.txt bm25.run neural.run
      irmetrics plan --effect 0.05 --std 0.25 --test anova --systems 10
    """
    from sklearn_irmetrics.comparison import plan_queries

    systems = args.systems
    if systems is None:
        many = args.test in ("anova", "maxt")
        systems = max(2, len(args.runs)) if many else 2
    options = {
        "effect": args.effect,
        "power": args.power,
        "confidence_level": args.confidence,
        "test": args.test,
        "n_systems": systems,
        "margin": args.margin,
    }
    if (args.qrels is None) == (args.std is None):
        args.parser.error("either --std or QRELS RUN RUN is required")
    if args.effect is None and args.margin is None:
        args.parser.error("--effect is required, or --margin with --test margin")
    if args.qrels is None:
        refuse_options(args, OF_RUNS, "without QRELS RUN RUN")
    try:
        plan = plan_queries(std=args.std or args.effect or 1.0, **options)
    except ValueError as error:
        args.parser.error(str(error))
    plans = {None: plan}
    if args.qrels is not None:
        if len(args.runs) < 2:
            args.parser.error("the following arguments are required: two RUNs")
        lines = lines_of(args, COMPARED)
        names = [line.label for line in lines]
        pilot = on_common_queries(read_runs(args, lines))
        plans = {name: plan_queries(pilot, metric=name, **options) for name in names}
    about = {"effect": "effect", "std": "std", "n_needed": "n_queries"}
    return write_results(plans, args.format, before=about, titled=True)


def _finds_a_worse_one(comparison):
    """Return whether any system is shown to be worse than the one it is compared to."""
    if comparison.verdict is not None:
        return "worse" in comparison.verdict
    is_shown = comparison.p_adjusted <= round(1 - comparison.confidence_level, 12)
    center = comparison.center
    if comparison.interval_of == "share of wins":
        return (is_shown & (center < 0.5)).any()
    center = comparison.difference if center is None else center
    sign = 1 if comparison.greater_is_better else -1
    return (is_shown & (sign * center < 0)).any()


def on_common_queries(runs):
    """Return scores by name of the run, for the queries that all runs have."""
    from sklearn_irmetrics.comparison._alignment import check_plain_mean

    common = set.intersection(*(set(run.scores.query_ids) for run in runs))
    systems = {}
    for run in runs:
        for label, values in run.scores.scores.items():
            check_plain_mean(run.name, label, values, run.scores.mean[label])
        kept = keep_queries(run.scores, common)
        systems[run.name] = replace(kept, mean={})
    return systems


def _baseline(args, runs):
    """Return the name of the given baseline; for gates, the first run by default."""
    if args.baseline is None:
        is_gate = args.fail_if_worse or args.fail_unless_not_worse
        return runs[0].name if is_gate else None
    return find_run(args, "-b/--baseline", args.baseline, runs)


def find_run(args, option, wanted, runs):
    """Return the name of the run that an option gives by file or by tag."""
    found = [run.name for run in runs if run.name == wanted] or [
        run.name
        for run in runs
        if wanted in (run.name, run.path, os.path.basename(run.path), run.tag)
    ]
    if len(found) == 1:
        return found[0]
    names = ", ".join(run.name for run in runs)
    args.parser.error(f"argument {option}: must be one of {names}; got {wanted!r}")


def lines_of(args, default):
    """Return a line for each requested measure of this package."""
    options = {
        "relevance_threshold": args.relevance_threshold,
        "ties": args.ties or "average",
    }
    names = dict.fromkeys(args.measure or default)
    counts = ("runid", "num_q") if args.format == "trec" else ()
    return [Line(name, name) for name in counts] + [
        Line(name, measure=_usage(args, parse_measure, name, **options))
        for name in names
    ]


def _lines_of_trec_eval(args):
    """Return the requested lines of trec_eval."""
    changes = {
        "relevance_threshold": args.relevance_threshold,
        "replace_undefined_by": args.undefined,
    }
    changes = {name: value for name, value in changes.items() if value is not None}
    texts = args.measure or ["official"]
    lines, absent = _usage(args, parse_lines, texts, args.like, changes)
    if absent:
        _note(args, f"left out, not printed as trec_eval does: {', '.join(absent)}")
    return lines


def _usage(args, parse, *values, **options):
    """Parse values of the command line; report errors as wrong usage."""
    try:
        return parse(*values, **options)
    except (TypeError, ValueError) as error:
        message = str(error).replace("get_scorer_names()", "irmetrics metrics")
        message = message.replace("Name one measure at a time", "Repeat -m for each")
        if args.command == "score" and not args.like and is_name(values[0]):
            message += f" For names of trec_eval add --like {' or '.join(TOOLS)}."
        args.parser.error(f"argument -m/--measure: {message}")


def read_runs(args, lines, where=""):
    """Read the files, and return a `ScoredRun` for each run.

    Notes begin with `where`, for commands that read several sets of judgments.
    """
    measures = {line.label: line.measure for line in lines if line.measure}
    subtopics = have_subtopics(measures)
    judged = read_columns(args.qrels, "qrels", "grade", subtopics=subtopics)
    if args.like:  # trec_eval reads whole numbers
        judged = replace(judged, value=np.trunc(judged.value))
    policy = {
        "missing": args.missing or _MISSING[args.like],
        "max_docs": args.max_docs,
        "unmatched": args.unmatched,
        # Files hold decimals, which only version 9 rounds to float32.
        "dtype": np.float32 if args.like == "trec_eval9" else np.float64,
    }
    runs = []
    for path in args.runs:
        try:
            run = read_retrieved(path, "run", args.merge)
        except ValueError as error:
            raise ValueError(_as_options(error)) from error
        try:
            run = map_documents(run, args.docno_separator, args.merge)
            with warnings.catch_warnings(record=True, action="always") as caught:
                rows = join(judged, run, **policy)
            for warning in caught:
                _note(args, f"{path}: {warning.message}")
            if args.judged_only:
                rows = without_unjudged(rows)
            scores, intervals = score_lines(rows, lines, run.tag, args)
        except ValueError as error:
            raise ValueError(f"{path}: {_as_options(error)}") from error
        runs.append(
            ScoredRun(
                name="",
                path=path,
                tag=run.tag,
                n_queries=len(rows.queries),
                scores=scores,
                intervals=intervals,
                missing=rows.missing,
                ignored=rows.ignored,
                irrelevant=rows.irrelevant,
            )
        )
    names = name_runs([run.tag for run in runs], args.runs)
    runs = [replace(run, name=name) for run, name in zip(runs, names, strict=True)]
    _tell(args, runs, policy["missing"], where)
    return runs


def _as_options(error):
    """Return a message with options of the command line in place of arguments."""
    return re.sub("(missing|merge)='([a-z]+)'", r"--\1 \2", str(error))


def _tell(args, runs, missing, where):
    """Report on stderr what does not count as users might expect."""
    told = defaultdict(list)
    treated = "counted with nothing retrieved (unless --missing skip)"
    if missing == "skip":
        treated = "left out (unless --missing zero)"
    for run in runs:
        if run.missing:
            told[f"no documents for {_some(run.missing)}: {treated}"].append(run.name)
        if run.ignored:
            told[f"no judgments for {_some(run.ignored)}: ignored"].append(run.name)
        if run.irrelevant:
            told[f"nothing relevant for {_some(run.irrelevant)}"].append(run.name)
        undefined = defaultdict(list)
        for label, n in run.n_undefined.items():
            undefined[n].append(label)
        for n, names in undefined.items():
            told[
                f"{', '.join(names)} undefined for {n} of {run.n_queries} queries: "
                "left out of the mean (unless --undefined 0)"
            ].append(run.name)
    for text, names in told.items():
        some = "" if len(names) == len(runs) else f"{', '.join(names)}: "
        _note(args, f"{where}{some}{text}")


def _some(ids, n=3):
    """Count queries, and list the first ones."""
    more = ", ..." if len(ids) > n else ""
    return f"{count(len(ids), 'query')} ({', '.join(ids[:n])}{more})"


def _note(args, text):
    tell(f"{args.parser.prog}: note: {text}")


def _without_missing(run):
    """Remove queries missing from the run, which version 9 does not print."""
    there = set(run.scores.query_ids) - set(run.missing)
    return replace(run, scores=keep_queries(run.scores, there))
