"""Time this package beside other tools, in one run.

Run ``python benchmarks/compare_tools.py`` from the checkout with the extra ``bench``
installed; ``--quick`` takes small data, ``--write`` renders two pages of the docs.
Every tool gets the same numbers, in one process and on one core, after a warm-up;
building the dictionaries that some of them want is timed apart. What counts are the
ratios of medians. A tool that is slow is measured on part of the queries, and scaled
up; one that is not installed is left out.
"""

import argparse
import json
import os
import sys
import warnings
from dataclasses import asdict, replace
from functools import cache, partial
from pathlib import Path

for pool in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(pool, "1")

import numpy as np  # noqa: E402 (after the thread limits)
from array_tools import ScikitLearn, ScikitLearnCheaper, TorchMetrics  # noqa: E402
from dictionary_tools import IrMeasures, PytrecEval, Ranx  # noqa: E402
from doors import best_runs  # noqa: E402
from measuring import (  # noqa: E402
    Row,
    Stages,
    machine,
    measure_time,
    peak_memory,
    resident_memory,
)
from page import overview, render, report, today  # noqa: E402
from scaling import LARGEST, SIZES, growth, slope, threads  # noqa: E402
from scipy import sparse  # noqa: E402
from shapes import SHAPES, make_shape  # noqa: E402
from small_calls import (  # noqa: E402
    SKLEARN,
    one_query,
    summary,
    thousand_queries,
)
from tool import Ours  # noqa: E402

from sklearn_irmetrics.metrics._measure import as_measure  # noqa: E402

OURS = Ours()
PEERS = {
    "pytrec_eval": PytrecEval(),
    "ranx": Ranx(),
    "ir_measures": IrMeasures(),
    "torchmetrics": TorchMetrics(),
    "sklearn": ScikitLearn(),
    "sklearn_cheaper": ScikitLearnCheaper(),
}
# What both sides have, one at a time.
MEASURES = [
    *("p@10", "recall@100", "f1@10", "success@10", "rprec", "mrr", "rr@10"),
    *("ap", "ap@100", "iprec@0.50", "11pt", "bpref", "roc_auc", "rbp", "err@20"),
    *("dcg@10", "ndcg@10", "ndcg"),
]
FIVE = ["ap", "ndcg@10", "mrr", "p@10", "recall@100"]
THIRTY = [
    *("p@1", "p@5", "p@10", "p@20", "recall@5", "recall@10", "recall@20", "recall@100"),
    *("f1@10", "success@1", "success@5", "success@10", "rprec", "mrr", "rr@10"),
    *("ap", "ap@10", "ap@100", "iprec@0.50", "11pt", "bpref", "roc_auc", "rbp"),
    *("err@20", "dcg@10", "ndcg@1", "ndcg@5", "ndcg@10", "ndcg@100", "ndcg"),
]
TOGETHER = {"nDCG@10": ["ndcg@10"], "five measures": FIVE, "thirty measures": THIRTY}


def yardsticks(shape, limit):
    """Return times of what any tool does at least."""
    y_true, y_score, qid = shape.y_true, shape.y_score, shape.qid

    def read():
        y_true.sum(), y_score.sum()
        if qid is not None:
            (qid[1:] != qid[:-1]).any()

    scores = y_score.data if sparse.issparse(y_score) else y_score
    calls = {"np.argsort(y_score)": lambda: np.argsort(scores), "one read": read}
    if scores.ndim == 2:
        calls["y_score.max(axis=1)"] = lambda: scores.max(axis=1)
    return [
        measure_time(call, limit, shape=shape.name, tool="yardstick", measure=name)
        for name, call in calls.items()
    ]


def our_times(shape, limit):
    """Return a function from measures to the `Row` of our time."""

    @cache
    def row(*measures):
        call = OURS.evaluation(shape, list(measures))
        facts = {"shape": shape.name, "tool": OURS.title, "measure": measures[0]}
        return measure_time(call, limit, **facts)

    return row


def compare(shape, tool, ours, limit):
    """Return the `Row` of everything that the tool can do with a shape."""
    stages = Stages(tool, shape, limit)
    asked = {measure: [measure] for measure in MEASURES}
    asked |= {title: TOGETHER[title] for title in ("five measures", "thirty measures")}
    rows = []
    for title, measures in asked.items():
        measures = [name for name in measures if tool.has(shape, name)]
        if not measures or len(measures) < min(2, len(asked[title])):
            continue
        row = Row(shape.name, tool.title, title, n_measures=len(measures))
        try:
            timed = one_row(stages, measures, row, limit)
            us = ours(*measures)
            rows.append(replace(timed, ours=us.seconds, our_least=us.least))
        except Exception as error:  # whatever keeps a tool from an answer is its answer
            why = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
            rows.append(replace(row, why=why[:150]))
            if not stages.parts:  # it does not take such data
                return [replace(row, measure="all", why=why[:150])]
    seconds, share = stages.preparation
    return [*rows, Row(shape.name, tool.title, "preparation", seconds, share=share)]


def one_row(stages, measures, row, limit):
    """Return the row with times, and how far the values are from ours."""
    part, function, (result, warm) = stages.evaluation(measures)
    share = stages.share(part)
    times = measure_time(
        function, limit, warm, shape=row.shape, tool=row.tool, measure=row.measure
    )
    values = stages.tool.means(result, measures)
    differences = [
        abs(value - expected)
        for value, expected in zip(
            values, map(partial(same_number, stages.tool, part), measures), strict=True
        )
        if expected is not None
    ]
    return replace(
        row,
        seconds=times.seconds / share,
        least=times.least / share,
        repeats=times.repeats,
        share=share,
        difference=float(max(differences)) if differences else None,
    )


def same_number(tool, shape, measure):
    """Return our value of what the tool computes, None where nothing gives it."""
    arguments = tool.same_number(shape, measure)
    if arguments is None:
        return None
    metric = as_measure("measure", measure).metric
    return metric.function(shape.y_true, shape.y_score, **shape.options | arguments)


def run(options):
    """Return all results."""
    peers = {name: PEERS[name] for name in options.tool}
    for name, tool in list(peers.items()):
        if tool.versions is None:
            print(f"{tool.title} is not installed: left out", file=sys.stderr)
            del peers[name]
    results = {
        "machine": {"measured on": today()} | machine(peers.values()),
        "tools": [OURS.title, *(tool.title for tool in peers.values())],
        "limit": options.limit,
        "shapes": {},
        "rows": [],
        "memory": {},
        "resident": {},
    }
    for name in options.shape:
        run_shape(make_shape(name, options.quick), peers, results, options.limit)
    if "ltr" in options.shape:
        make = partial(make_shape, "ltr", options.quick)
        results["threads"] = threads(make(), TOGETHER, options.limit)
        for tool in [OURS, *peers.values()] if not options.quick else []:
            taken = resident_memory(make, tool, ["ndcg@10"])
            results["resident"] |= {tool.title: taken} if taken else {}
    if options.small:
        results |= small_work(peers, options.quick)
    sizes = [size for size in [*SIZES, LARGEST] if size <= options.largest]
    if sizes:
        by_title = {title: TOGETHER[title] for title in ("nDCG@10", "five measures")}
        results["growth"] = growth(by_title, sizes, options.limit)
        results["slopes"] = {t: slope(times) for t, times in results["growth"].items()}
    return results


def small_work(peers, quick):
    """Return the times of small calls, and of the way from files and dictionaries."""
    rounds = {"rounds": 3} if quick else {}
    small = {
        "one query of 10 documents": one_query(**rounds),
        "1,000 queries of 100 documents": thousand_queries(**rounds),
    }
    results = {"small": {name: summary(t, SKLEARN) for name, t in small.items()}}
    if "pytrec_eval" in peers:
        n_queries, n_docs, repeat = (20, 100, 1) if quick else (2000, 1000, 3)
        tasks = {
            task: [seconds for seconds, _, _ in tools]
            for task, _, *tools in best_runs(n_queries, n_docs, repeat)
        }
        results["doors"] = {"n_queries": n_queries, "n_docs": n_docs, "tasks": tasks}
    return results


def run_shape(shape, peers, results, limit):
    """Add the results of one shape."""
    print(f"{shape.title} ...", file=sys.stderr)
    results["shapes"][shape.name] = {
        "title": shape.title,
        "size": " x ".join(f"{n:,}" for n in shape.y_true.shape),
        "documents": shape.n_documents,
        "bytes": shape.n_bytes,
    }
    ours = our_times(shape, limit)
    rows = yardsticks(shape, limit) + [ours(measure) for measure in MEASURES]
    for title, measures in TOGETHER.items():
        if len(measures) > 1:
            rows.append(
                replace(ours(*measures), measure=title, n_measures=len(measures))
            )
        call = OURS.evaluation(shape, measures)
        results["memory"].setdefault(title, {})[shape.name] = peak_memory(call)
    for tool in peers.values():
        print(f"  {tool.title} ...", file=sys.stderr)
        rows += compare(shape, tool, ours, limit)
    results["rows"] += map(asdict, rows)


def main():
    """Run what was asked for, and print it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small data")
    parser.add_argument("--shape", nargs="*", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--tool", nargs="*", choices=PEERS, default=list(PEERS))
    parser.add_argument(
        "--limit", type=float, help="seconds for one time (default: 2; quick: 0.05)"
    )
    parser.add_argument(
        "--largest", type=int, help="documents at the end of the growth (0: none)"
    )
    parser.add_argument(
        "--no-small",
        dest="small",
        action="store_false",
        help="leave out small calls, files and dictionaries",
    )
    parser.add_argument("--json", type=Path, help="write the results there, too")
    parser.add_argument("--write", action="store_true", help="write the pages of docs/")
    options = parser.parse_args()
    if options.limit is None:
        options.limit = 0.05 if options.quick else 2.0
    if options.largest is None:
        options.largest = SIZES[2] if options.quick else LARGEST
    warnings.simplefilter("ignore")  # of undefined queries, and of peers' own
    results = run(options)
    print(overview(results), report(results), sep="\n")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1), encoding="utf-8")
    if options.write:
        render(results, Path(__file__).resolve().parents[1] / "docs")


if __name__ == "__main__":
    main()
