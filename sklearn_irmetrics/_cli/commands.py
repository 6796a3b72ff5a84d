"""The commands `score`, `compare`, `plan`, `fuse` and `agree`."""

import math
from dataclasses import replace
from io import StringIO

from sklearn_irmetrics._cli.judged import run_judged
from sklearn_irmetrics._cli.lines import lines_of, lines_of_trec_eval
from sklearn_irmetrics._cli.options import COMPARED, OF_RUNS, refuse_options
from sklearn_irmetrics._cli.output import fail, write_columns, write_results, write_runs
from sklearn_irmetrics._cli.scored_runs import (
    find_run,
    on_common_queries,
    read_by,
    read_runs,
)
from sklearn_irmetrics.metrics._names import DEFAULT_METRICS

_HARMLESS = {"equivalent", "not worse"}


def run_fuse(args):
    """Fuse runs into one, and write it as lines of TREC, CSV or JSON.

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
    if weights is not None and not any(weights):
        args.parser.error("argument --weights: must not all be 0")
    if args.k is not None and args.method != "rrf":
        args.parser.error(f"argument -k: not allowed with --method {args.method}")
    normalize = None if args.normalize == "none" else args.normalize
    options = {"weights": weights, "normalize": normalize, "k": args.k}
    fused = fuse_runs(args.runs, args.method, **options)
    if args.format != "trec":
        columns = {"qid": fused.qid, "docno": fused.docno, "score": fused.score}
        return write_columns(columns, args.format)
    text = StringIO()
    write_run(fused, text)
    return text.getvalue()


def run_score(args):
    """Score runs against judgments and show them side by side.

    For example:
      irmetrics score qrels.txt bm25.run
      irmetrics score qrels.txt bm25.run neural.run -m ndcg@10 -m map --confidence 0.95
      irmetrics score qrels.txt bm25.run -m "ap(relevance_threshold=2)@100" --per-query
      irmetrics score qrels.txt bm25.run --format csv --per-query > scores.csv
      zcat bm25.run.gz | head -10000 | irmetrics score qrels.txt - -m recall@1000
      irmetrics score qrels.txt bm25.run -m ndcg@10 --fail-under 0.4 --sure
      irmetrics score qrels.txt bm25.run -m ndcg@10 --by types.csv
      irmetrics score people.txt bm25.run --judge model.txt
      irmetrics score --like trec_eval10 -q -c -m ndcg_cut.10 qrels.txt bm25.run
    """
    args.format = args.format or ("trec" if args.like else "table")
    lines = lines_of_trec_eval(args) if args.like else lines_of(args, DEFAULT_METRICS)
    _check_gate(args, lines)
    if args.format == "trec":
        _check_trec_format(args)
    if args.judge is not None:
        return run_judged(args, lines)
    if args.inclusion is not None:
        args.parser.error("argument --inclusion: needs --judge")
    if args.by is not None:
        return _score_groups(args, lines)
    return _score_means(args, lines)


def _score_means(args, lines):
    """Return the means of each run, and with --per-query the scores behind them."""
    if args.confidence is None:
        refuse_options(args, ["interval"], "without --confidence")
    runs = read_runs(args, lines)
    labels = [line.label for line in lines if line.measure is not None]
    for run in runs:
        for label in labels:
            mean, interval = run.scores.mean[label], run.intervals.get(label)
            _pass_gate(args, f"{run.name}: {label}", mean, interval)
    return write_runs(
        runs, lines, args.format, per_query=args.per_query, digits=args.digits
    )


def _score_groups(args, lines):
    """Return the means of each group of queries, with intervals for all at once."""
    if args.like or args.format == "trec":
        args.parser.error("argument --by: not allowed with --like or --format trec")
    refuse_options(args, ["per_query", "digits"], "with --by")
    from sklearn_irmetrics.reports.results import join_reports

    by = read_by(args)
    measures = {line.label: line.measure for line in lines}
    reports = {
        run.name: replace(run.scores, metrics=measures).report(
            by=by,
            confidence_level=args.confidence or 0.95,
            interval=args.interval,
            random_state=0,
        )
        for run in read_runs(args, lines)
    }
    for name, report in reports.items():
        for (label, group), mean in report.estimate.items():
            interval = report.confidence_interval[label, group]
            _pass_gate(args, f"{name}: {label} of {group}", mean, interval)
    (first, *others) = reports.values()
    return write_results(
        {None: join_reports(reports) if others else first}, args.format
    )


def _check_gate(args, lines):
    """Refuse a gate for what it cannot say; ask for intervals where it needs them."""
    if args.fail_under is None:
        return refuse_options(args, ["sure"], "without --fail-under")
    if args.judge is not None:
        args.parser.error("argument --fail-under: not allowed with --judge")
    for label, _, measure in lines:
        if measure is not None and not measure.metric.greater_is_better:
            args.parser.error(
                "argument --fail-under: needs measures whose larger values are better; "
                f"got {label}"
            )
    if args.sure and args.confidence is None:
        args.confidence = 0.95


def _pass_gate(args, named, mean, interval):
    """Fail unless a mean, or with --sure the end of its interval, is large enough."""
    if args.fail_under is None:
        return
    value = interval[0] if args.sure else mean
    if mean != mean:
        fail(args, f"{named} is undefined")
    elif value != value:
        fail(args, f"{named} {mean:.6g} has no interval")
    elif value < args.fail_under and not math.isclose(
        value, args.fail_under, rel_tol=1e-12
    ):  # the mean of 0.1 and 0.7 is below 0.4, by rounding
        end = f" (lower end {value:.6g})" if args.sure else ""
        fail(args, f"{named} {mean:.6g}{end} is below {args.fail_under:g}")


def _check_trec_format(args):
    """Refuse what trec_eval's lines cannot show."""
    if args.confidence:
        args.parser.error("argument --confidence: has no place in the trec format")
    if len(args.runs) > 1:
        args.parser.error(
            "the trec format does not name the run of a line: score one RUN, or choose "
            "another --format"
        )


def run_compare(args):
    """Compare runs on the same queries by intervals of differences and paired tests.

    For example:
      irmetrics compare qrels.txt bm25.run neural.run
      irmetrics compare qrels.txt bm25.run a.run b.run --baseline bm25.run -m ndcg@10
      irmetrics compare qrels.txt a.run b.run c.run --test tukey --format latex
      irmetrics compare qrels.txt a.run b.run -m ndcg@10 --by queries.csv:country
    """
    if len(args.runs) < 2:
        args.parser.error("the following arguments are required: a second RUN")
    if args.fail_unless_not_worse and args.margin is None:
        args.parser.error("argument --fail-unless-not-worse: needs --margin")
    lines = lines_of(args, COMPARED)
    runs, by = read_runs(args, lines), read_by(args)
    from sklearn_irmetrics.comparison import compare

    systems = on_common_queries(runs)
    is_gate = args.fail_if_worse or args.fail_unless_not_worse
    baseline = runs[0].name if is_gate else None
    if args.baseline is not None:
        baseline = find_run(args, "-b/--baseline", args.baseline, runs)
    results = {
        line.label: compare(
            systems,
            baseline=baseline,
            test=args.test,
            correction=args.correction,
            metric=line.label,
            by=by,
            margin=args.margin,
            bound=args.bound,
            confidence_level=args.confidence,
            random_state=args.seed,
        )
        for line in lines
    }
    for label, result in results.items():
        slices = {label: result}
        if by is not None:
            slices = {f"{label} of {group}": pairs for group, pairs in result.items()}
        for named, comparison in slices.items():
            _pass_comparison(args, named, comparison)
    return write_results(results, args.format)


def _pass_comparison(args, named, comparison):
    """Fail if a run is worse, or not shown to be harmless."""
    pairs = [*zip(comparison.system, comparison.versus, strict=True)]
    if args.fail_if_worse:
        for (system, versus), is_worse in zip(pairs, _worse(comparison), strict=True):
            if is_worse:
                fail(args, f"{named}: {system} is worse than {versus}")
    if args.fail_unless_not_worse:
        for (system, versus), verdict in zip(pairs, comparison.verdict, strict=True):
            if verdict not in _HARMLESS:
                fail(args, f"{named}: {system} versus {versus}: {verdict}")


def run_plan(args):
    """Calculate how many queries an experiment needs to detect an effect.

    The spread of the differences is given by --std or estimated from two or more runs.

    For example:
      irmetrics plan --effect 0.02 --std 0.1
      irmetrics plan --effect 0.02 --power 0.9 -m map qrels.txt bm25.run neural.run
      irmetrics plan --effect 0.05 --std 0.25 --test anova --systems 10
    """
    from sklearn_irmetrics.comparison import plan_queries

    _check_plan(args)
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
    try:
        plan = plan_queries(std=args.std or args.effect or 1.0, **options)
    except ValueError as error:
        args.parser.error(str(error))
    plans = {None: plan}
    if args.qrels is not None:
        lines = lines_of(args, COMPARED)
        pilot = on_common_queries(read_runs(args, lines))
        plans = {
            line.label: plan_queries(pilot, metric=line.label, **options)
            for line in lines
        }
    return write_results(plans, args.format)


def _check_plan(args):
    """Refuse a plan without the spread of differences, or with two, or for nothing."""
    if (args.qrels is None) == (args.std is None):
        args.parser.error("either --std or QRELS RUN RUN is required")
    if args.effect is None and args.margin is None:
        args.parser.error("--effect is required, or --margin with --test margin")
    if args.qrels is None:
        refuse_options(args, OF_RUNS, "without QRELS RUN RUN")
    elif len(args.runs) < 2:
        args.parser.error("the following arguments are required: two RUNs")


def _worse(comparison):
    """Return whether each system is shown to be worse than what it is compared to."""
    if comparison.verdict is not None:
        return [verdict == "worse" for verdict in comparison.verdict]
    is_shown = comparison.is_significant
    center = comparison.center
    if comparison.interval_of == "share of wins":
        return is_shown & (center < 0.5)
    center = comparison.estimate if center is None else center
    sign = 1 if comparison.greater_is_better else -1
    return is_shown & (sign * center < 0)


def run_agree(args):
    """Show how far two sets of judgments of the same documents agree.

    QRELS and OTHER_QRELS are, for example, grades by people and by a language model.

    For example:
      irmetrics agree people.txt model.txt
    """
    from sklearn_irmetrics.runs import agreement

    result = agreement(args.qrels, args.others, confidence_level=args.confidence)
    return write_results({None: result}, args.format)
