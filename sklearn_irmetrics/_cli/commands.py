"""What the commands `score`, `compare` and `plan` do."""

import math
import os
import warnings
from collections import defaultdict
from dataclasses import replace

import numpy as np

from sklearn_irmetrics._cli.options import COMPARED, OF_RUNS
from sklearn_irmetrics._cli.output import (
    for_output,
    tell,
    write_comparisons,
    write_plans,
    write_runs,
)
from sklearn_irmetrics._cli.score import (
    RunMeasure,
    ScoredRun,
    name_runs,
    parse_measure,
    score_columns,
    without_unjudged,
)
from sklearn_irmetrics._cli.trec_eval import TOOLS, is_name, parse_lines, score_lines
from sklearn_irmetrics._measures.names import DEFAULT_METRICS
from sklearn_irmetrics._measures.query_scores import QueryScores
from sklearn_irmetrics._measures.rankings import have_subtopics
from sklearn_irmetrics._tables import count
from sklearn_irmetrics.runs._join import join
from sklearn_irmetrics.runs._read import read_columns

# What happens by default to queries that a run lacks.
_MISSING = {None: "zero", "trec_eval9": "skip", "trec_eval10": "raise"}


def run_score(args):
    """Return what `score` prints."""
    layout = args.format or ("trec" if args.like else "table")
    if layout == "trec" and args.confidence:
        args.parser.error("argument --confidence: has no place in the trec format")
    if args.no_summary and layout != "trec":
        args.parser.error(f"argument -n/--no-summary: not in the format {layout}")
    measures = {}
    if args.like:
        columns_of = _like_trec_eval(args)
    else:
        measures = _measures(args, DEFAULT_METRICS)
        columns_of = _ours(
            args, measures, level=args.confidence, with_counts=layout == "trec"
        )
    if layout == "trec" and len(args.runs) > 1:
        args.parser.error(
            "the trec format does not say which run a line is of: score one RUN, or "
            "choose another --format"
        )
    runs = _read(args, columns_of, subtopics=have_subtopics(measures))
    if args.like == "trec_eval9":
        runs = [_without_missing(run) for run in runs]
    text = write_runs(
        runs,
        layout,
        per_query=args.per_query,
        summary=not args.no_summary,
        digits=args.digits,
        colour=args.colour,
    )
    return for_output(text, layout)


def run_compare(args):
    """Return what `compare` prints."""
    if len(args.runs) < 2:
        args.parser.error("the following arguments are required: a second RUN")
    if args.margin is not None and args.test == "sign":
        args.parser.error("argument --margin: not allowed with --test sign")
    measures = _measures(args, COMPARED)
    if args.test == "anytime":
        for name, measure in measures.items():
            if not np.isfinite(measure.metric.range).all():
                args.parser.error(
                    "argument --test: anytime needs measures that lie in a range; got "
                    f"{name!r}"
                )
    runs = _read(args, _ours(args, measures), subtopics=have_subtopics(measures))
    from sklearn_irmetrics.model_selection import compare

    systems = _on_common_queries(runs)
    results = [
        compare(
            systems,
            baseline=_baseline(args, runs),
            test=args.test,
            correction=args.correction,
            metric=column.name,
            margin=args.margin,
            confidence_level=args.confidence,
            n_resamples=args.resamples,
            random_state=args.seed,
        )
        for column in runs[0].columns
    ]
    if args.fail_if_worse and any(map(_finds_a_worse_one, results)):
        args.status = 1
    return for_output(write_comparisons(results, args.format), args.format)


def run_plan(args):
    """Return what `plan` prints."""
    from sklearn_irmetrics.model_selection import plan_queries

    options = {
        "effect": args.effect,
        "power": args.power,
        "confidence_level": args.confidence,
        "test": args.test,
        "n_systems": args.systems or 2,
    }
    if args.systems is None and args.test == "anova":
        options["n_systems"] = max(2, len(args.runs))
    if args.qrels is None and args.std is None:
        args.parser.error("one of --std and QRELS RUN RUN is required")
    if args.qrels is not None and args.std is not None:
        args.parser.error("argument --std: not allowed with QRELS RUN RUN")
    if args.qrels is None:
        _refuse_options_of_runs(args)
    try:
        plan = plan_queries(std=args.std or args.effect, **options)
    except ValueError as error:
        args.parser.error(str(error))
    if args.qrels is None:
        return for_output(write_plans({None: plan}, args.format), args.format)
    if len(args.runs) < 2:
        args.parser.error("the following arguments are required: two RUNs")
    measures = _measures(args, COMPARED)
    runs = _read(args, _ours(args, measures), subtopics=have_subtopics(measures))
    systems = _on_common_queries(runs)
    plans = {
        column.name: plan_queries(systems, metric=column.name, **options)
        for column in runs[0].columns
    }
    return for_output(write_plans(plans, args.format), args.format)


def _refuse_options_of_runs(args):
    """Refuse what says how to score runs where there are none."""
    for name in OF_RUNS:
        if getattr(args, name) != args.parser.get_default(name):
            option = name.replace("_", "-")
            args.parser.error(f"argument --{option}: not allowed without QRELS RUN RUN")


def _finds_a_worse_one(comparison):
    """Return whether any system is shown to be worse than what it is compared with."""
    if comparison.verdict is not None:
        return "worse" in comparison.verdict
    is_shown = comparison.p_adjusted <= round(1 - comparison.confidence_level, 12)
    center = comparison.center
    if comparison.interval_of == "share of wins":
        return (is_shown & (center < 0.5)).any()
    center = comparison.difference if center is None else center
    sign = 1 if comparison.greater_is_better else -1
    return (is_shown & (sign * center < 0)).any()


def _on_common_queries(runs):
    """Return scores by name of the run, of the queries that no run leaves out."""
    from sklearn_irmetrics._measures.alignment import check_plain_mean

    common = set.intersection(*(set(run.query_ids) for run in runs))
    systems = {}
    for run in runs:
        for column in run.columns:
            check_plain_mean(run.name, column.name, column.scores, column.mean)
        kept = [i for i, qid in enumerate(run.query_ids) if qid in common]
        scores = {column.name: column.scores[kept] for column in run.columns}
        ids = np.array([run.query_ids[i] for i in kept], dtype=object)
        systems[run.name] = QueryScores(ids, scores, {})
    return systems


def _baseline(args, runs):
    """Return the name of the run that was named by file or by tag."""
    if args.baseline is None:
        return runs[0].name if args.fail_if_worse else None
    for run in runs:
        if args.baseline in (run.name, run.path, os.path.basename(run.path)):
            return run.name
    tagged = [run.name for run in runs if run.tag == args.baseline]
    if len(tagged) == 1:
        return tagged[0]
    names = ", ".join(run.name for run in runs)
    args.parser.error(
        f"argument -b/--baseline: must be one of {names}; got {args.baseline!r}"
    )


def _measures(args, default):
    """Return our own measures that were asked for, by name."""
    return {
        text: _usage(
            args,
            parse_measure,
            text,
            relevance_threshold=args.relevance_threshold,
            ties=args.ties or "average",
        )
        for text in args.measure or default
    }


def _ours(args, measures, *, level=None, with_counts=False):
    """Return a function that makes columns of rows and tag, of our own measures."""
    ties = args.ties or "average"
    undefined = math.nan if args.undefined is None else args.undefined

    def columns_of(rows, tag):
        counts = [RunMeasure("runid", tag), RunMeasure("num_q", len(rows.queries))]
        columns = score_columns(
            rows, measures, ties=ties, undefined=undefined, level=level
        )
        return counts + columns if with_counts else columns

    return columns_of


def _like_trec_eval(args):
    """Return a function that makes columns of rows and tag, as trec_eval does."""
    lines, absent = _usage(
        args,
        parse_lines,
        args.measure or ["official"],
        args.like,
        relevance_threshold=args.relevance_threshold,
        undefined=args.undefined,
    )
    if absent:
        _note(args, f"left out, as only trec_eval has it: {', '.join(absent)}")
    threshold = args.relevance_threshold
    return lambda rows, tag: score_lines(
        rows,
        lines,
        tag=tag,
        ties=args.ties or "stable",
        level=args.confidence,
        relevance_threshold=1 if threshold is None else threshold,
        complete=args.missing == "zero",
    )


def _usage(args, parse, *values, **options):
    """Parse what stands on the command line; what is wrong there is wrong usage."""
    try:
        return parse(*values, **options)
    except (TypeError, ValueError) as error:
        message = str(error).replace("get_scorer_names()", "irmetrics metrics")
        message = message.replace("Name one measure at a time", "Repeat -m for each")
        if args.command == "score" and not args.like and is_name(values[0]):
            message += f" For names of trec_eval add --like {' or '.join(TOOLS)}."
        args.parser.error(f"argument -m/--measure: {message}")


def _read(args, columns_of, *, subtopics):
    """Read the files and return a `ScoredRun` for each run."""
    if [args.qrels, *args.runs].count("-") > 1:
        args.parser.error("only one file can be standard input")
    judged = read_columns(args.qrels, "qrels", "grade", subtopics=subtopics)
    if args.like:  # which reads whole numbers
        judged = replace(judged, value=np.trunc(judged.value))
    missing = args.missing or _MISSING[args.like]
    # Files hold decimals, which only version 9 rounds to float32.
    dtype = np.float32 if args.like == "trec_eval9" else np.float64
    runs = []
    for path in args.runs:
        run = read_columns(path, "run", "score")
        try:
            with warnings.catch_warnings(record=True, action="always") as caught:
                rows = join(
                    judged,
                    run,
                    missing="zero" if missing == "zero" else "skip",
                    max_docs=args.max_docs,
                    unmatched=args.unmatched,
                    dtype=dtype,
                )
            for warning in caught:
                _note(args, f"{path}: {warning.message}")
            if missing == "raise" and rows.missing:
                raise ValueError(
                    f"no documents for {_some(rows.missing)}; --missing zero "
                    "counts such queries with nothing retrieved, --missing skip "
                    "leaves them out"
                )
            if args.judged_only:
                rows = without_unjudged(rows)
            columns = columns_of(rows, run.tag)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        runs.append(
            ScoredRun(
                name="",
                path=path,
                tag=run.tag,
                n_queries=len(rows.queries),
                query_ids=rows.queries,
                columns=columns,
                missing=rows.missing,
                ignored=rows.ignored,
            )
        )
    names = name_runs([run.tag for run in runs], args.runs)
    runs = [replace(run, name=name) for run, name in zip(runs, names, strict=True)]
    _tell(args, runs, missing)
    return runs


def _tell(args, runs, missing):
    """Say on stderr what does not count as one might think."""
    told = defaultdict(list)
    for run in runs:
        if run.missing:
            how = {
                "zero": "counted with nothing retrieved (unless --missing skip)",
                "skip": "left out (unless --missing zero)",
            }[missing]
            told[f"no documents for {_some(run.missing)}: {how}"].append(run.name)
        if run.ignored:
            told[f"no judgments for {_some(run.ignored)}: ignored"].append(run.name)
        undefined = defaultdict(list)
        for column in run.columns:
            undefined[column.n_undefined].append(column.name)
        undefined.pop(0, None)
        for n, names in undefined.items():
            told[
                f"{', '.join(names)} undefined for {n} of {run.n_queries} queries: "
                "left out of the mean (unless --undefined 0)"
            ].append(run.name)
    for text, names in told.items():
        of_all = len(names) == len(runs)
        _note(args, text if of_all else f"{', '.join(names)}: {text}")


def _some(ids, n=3):
    """Count queries and name the first of them."""
    more = ", ..." if len(ids) > n else ""
    return f"{count(len(ids), 'query')} ({', '.join(ids[:n])}{more})"


def _note(args, text):
    tell(f"{args.parser.prog}: note: {text}")


def _without_missing(run):
    """Take queries that the run lacks off the list: version 9 does not print them."""
    missing = set(run.missing)
    kept = [i for i, qid in enumerate(run.query_ids) if qid not in missing]
    columns = [
        column if column.scores is None else replace(column, scores=column.scores[kept])
        for column in run.columns
    ]
    ids = [run.query_ids[i] for i in kept]
    return replace(run, query_ids=ids, columns=columns)
