"""Attack one area for a given time, and print how much was tried and what failed.

Run from the root of the project: ``python tests/random_cases/long_runs.py files
--minutes 60``. Areas of random cases repeat tests that draw them, each round with the
next seed, and print failures with the command that shows them again. ``threads`` lets
eight threads do different things at once, which must give the values of one thread.
``memory`` scores inputs of many shapes; the resident memory after each minute must not
exceed that after the first by more than 32 MiB. Exits with 1 if anything failed.
"""

import argparse
import contextlib
import gc
import io
import re
import resource
import secrets
import sys
import tempfile
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import csr_array as sparse_array
from sklearn.linear_model import Ridge

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import sklearn_irmetrics as irm  # noqa: E402
from oracles import reference as ref  # noqa: E402
from oracles.cases import TIES, Case, queries_at_once  # noqa: E402
from sklearn_irmetrics import runs  # noqa: E402
from sklearn_irmetrics.comparison import compare  # noqa: E402
from sklearn_irmetrics.datasets import make_ranking  # noqa: E402
from sklearn_irmetrics.model_selection import evaluate, query_learning_curve  # noqa: E402

MOST_GROWTH = 32  # MiB
N_THREADS = 8

# Files of tests/random_cases, and an expression that selects tests of them.
RANDOM_CASES = {
    "twins": (["differential", "close_scores"], "not torch"),
    "properties": (["properties", "random_subtopics"], ""),
    "names": (["fuzz"], "strings or text"),
    "arrays": (["fuzz"], "not strings and not text"),
    "files": (["fuzz_files"], "not command_line"),
    "command-line": (["fuzz_files"], "command_line"),
    "comparisons": (["random_comparisons"], ""),
    "searches": (["random_searches"], ""),
    "boosting": (["random_boosting"], ""),
    "tensors": (["properties", "close_scores"], "torch or tensors"),
}


# Tests, again and again ---------------------------------------------------------------


class Counts:
    """A plugin of pytest that counts cases, and ends the session when time is over."""

    def __init__(self, deadline):
        self.deadline = deadline
        self.cases, self.failed = 0, []

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self):
        """Draw more in each test than an ordinary run does."""
        from hypothesis import settings  # not before pytest, which rewrites it

        settings.register_profile("long", settings.default, max_examples=100)
        settings.load_profile("long")

    def pytest_runtest_logreport(self, report):
        """Count what a test compared, and keep what it says when it fails."""
        for name, counts in report.user_properties if report.when == "call" else ():
            if name == "compared":
                self.cases += sum(n_cases for n_cases, _ in counts.values())
        if report.failed:
            self.failed.append((report.nodeid, report.longreprtext))

    def pytest_runtest_teardown(self, item):
        """Count what hypothesis drew, of tests that do not count themselves."""
        if not any(counts for _, counts in item.user_properties):
            statistics = getattr(item, "hypothesis_statistics", "")
            self.cases += sum(map(int, re.findall(r"(\d+) passing", statistics)))
        if perf_counter() > self.deadline:
            item.session.shouldstop = "time is over"


def repeat_tests(names, expression, seed, deadline):
    """Return the number of cases, the number of seeds, and failures."""
    files = [str(ROOT / f"tests/random_cases/test_{name}.py") for name in names]
    arguments = ["-q", "-n0", "-p", "no:cacheprovider", "-k", expression, *files]
    cases, failures, first = 0, [], seed
    while perf_counter() < deadline:
        counts = Counts(deadline)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            status = pytest.main([f"--seed={seed}", *arguments], [counts])
        if "error" in printed.getvalue().splitlines()[-1] or status > 2:
            raise SystemExit(printed.getvalue())
        cases += counts.cases
        for node, text in counts.failed:
            failures.append(f"{node} --seed={seed}")
            if len(counts.failed) <= 3:
                print(f"\npytest -n0 '{node}' --seed={seed}\n{text}", flush=True)
        seed += 1
    return cases, seed - first, failures


# Different things at once -------------------------------------------------------------


def calls(rng, folder):
    """List calls without arguments, of many functions and shapes."""
    lengths = rng.integers(1, rng.choice([4, 40, 400]), rng.choice([1, 9, 60]))
    drawn = queries_at_once(rng, lengths)
    y_true, y_score, _ = drawn.rectangle()
    y_true = np.maximum(y_true, 0)
    arrays = np.maximum(drawn.y_true, 0), drawn.y_score
    by_query, seeded, metrics = (
        {"qid": drawn.qid},
        {"random_state": 0},
        ["ndcg@5", "map"],
    )
    columns = {"qid": drawn.qid, "grade": arrays[0], "score": arrays[1]}
    qrels = {f"q{i}": {"a": 1, "b": i % 3} for i in range(len(lengths))}
    run = {qid: {"a": float(i % 5), "c": 2.0} for i, qid in enumerate(qrels)}
    systems = list(rng.random((3, 25)))
    X, y, qid = make_ranking(12, n_docs=(2, 9), random_state=int(lengths[0]))
    learned = X, y, {"scoring": "ndcg@3", "qid": qid, **seeded}
    scored = partial(irm.score_queries, n_jobs=int(rng.choice([1, 2, 4])))
    listed = []
    for name, tried in ref.SETTINGS.items():
        measure = Case(name, tried[rng.integers(len(tried))])
        ties = {"ties": str(rng.choice(TIES))} if measure.has_ties else {}
        listed.append(partial(measure.score, drawn, **ties))
    return listed + [
        partial(scored, *arrays, metrics, **by_query),
        partial(scored, y_true, y_score, ["p@3", *metrics]),
        partial(scored, *arrays, "err(gain={0: 0, 1: 1})", **by_query),  # an error
        partial(irm.ndcg_score, sparse_array(y_true), y_score, average=None),
        partial(irm.reports.metric_at_cutoffs, "ndcg", *arrays, [1, 3, 9], **by_query),
        partial(irm.ranking_report, *arrays, metrics="map", **by_query, **seeded),
        partial(irm.metrics.gain_curve, *arrays, **by_query),
        partial(irm.score_run, qrels, run, metrics),
        partial(score_table, columns, metrics),
        partial(write_and_read, run, folder),
        partial(compare, systems, n_resamples=99, **seeded),
        partial(compare, systems, test="tukey", n_resamples=99, **seeded),
        partial(compare, systems, test="wilcoxon", correction="holm"),
        partial(learn, evaluate, {"a": Ridge(), "b": Ridge(9)}, *learned),
        partial(learn, query_learning_curve, Ridge(), *learned),
        partial(irm.Measure, f"rbp(persistence={rng.random():.3f})@{lengths[0]}"),
        partial(irm.get_scorer, "ndcg@0"),  # an error
    ]


def score_table(columns, metrics):
    """Score a data frame, as it is and in batches."""
    frame = pd.DataFrame(columns).sort_values("qid")
    names = {"qid": "qid", "y_true": "grade", "y_score": "score"}
    tables = frame, pa.Table.from_pandas(frame).to_reader(max_chunksize=50)
    return [irm.frames.score_frame(t, metrics, **names, batch_size=64) for t in tables]


def write_and_read(run, folder):
    """Return what comes back from files, compressed or not."""
    back = []
    for ending in ("txt", "run", "txt.gz"):
        path = Path(folder, f"{threading.get_ident()}.{ending}")
        runs.write_run(run, path, tag="t")
        back.append(runs.read_run(path))
    return back


def learn(function, models, X, y, options):
    """Return what does not depend on the clock."""
    result = function(models, X, y, **options)
    results = result.values() if hasattr(result, "values") else [result]
    return [(one.estimate, one.confidence_interval) for one in results]


def outcome(call):
    """Return what a call gives, or its error, in a form that == compares exactly."""

    def plain(value):
        if isinstance(value, np.ndarray):
            return str(value.dtype), value.shape, repr(value.tolist())
        if isinstance(value, dict):
            return [(repr(key), plain(entry)) for key, entry in value.items()]
        if isinstance(value, list | tuple):
            return list(map(plain, value))
        return plain(vars(value)) if hasattr(value, "__dict__") else repr(value)

    try:
        return plain(call())
    except (TypeError, ValueError) as error:
        return repr(error)


def run_threads(seed, deadline):
    """Return the number of calls, the number of seeds, and failures."""
    n_calls, failures, first = 0, [], seed
    sys.setswitchinterval(1e-5)
    with tempfile.TemporaryDirectory() as folder:
        while perf_counter() < deadline:
            rng = np.random.default_rng(seed)
            listed = calls(rng, folder)
            expected = [outcome(call) for call in listed]
            orders = [rng.permutation(len(listed)) for _ in range(N_THREADS)]

            def work(order, listed=listed, expected=expected, seed=seed):
                for i in order:
                    found = outcome(listed[i])
                    if found != expected[i]:
                        failures.append(
                            f"seed {seed}, {listed[i]}: {found} for {expected[i]}"
                        )

            with ThreadPoolExecutor(N_THREADS) as pool:
                list(pool.map(work, orders))
            n_calls += N_THREADS * len(listed)
            seed += 1
    return n_calls, seed - first, failures


# Memory -------------------------------------------------------------------------------


def resident():
    """Return the resident memory of this process, in MiB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


def watch_memory(seed, deadline):
    """Return the number of calls, the number of seeds, and growth as a failure."""
    n_calls, first, after = 0, seed, []
    minute = perf_counter() + 60
    with tempfile.TemporaryDirectory() as folder:
        while perf_counter() < deadline:
            rng = np.random.default_rng(seed)
            listed = calls(rng, folder)
            for call in listed:
                outcome(call)
            n_calls += len(listed)
            seed += 1
            if perf_counter() > minute:
                minute += 60
                gc.collect()
                after.append(resident())
                print(f"minute {len(after)}: {after[-1]:.0f} MiB", flush=True)
    growth = max(after, default=0) - after[0] if after else 0
    failures = [f"{growth:.0f} MiB more than after a minute"] * (growth > MOST_GROWTH)
    return n_calls, seed - first, failures


def main():
    """Print one line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("area", choices=[*RANDOM_CASES, "threads", "memory"])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None, help="the first one")
    args = parser.parse_args()
    seed = secrets.randbelow(2**31) if args.seed is None else args.seed
    start = perf_counter()
    deadline = start + 60 * args.minutes
    if args.area in RANDOM_CASES:
        names, expression = RANDOM_CASES[args.area]
        cases, rounds, failures = repeat_tests(names, expression, seed, deadline)
    else:
        warnings.simplefilter("ignore")
        run = run_threads if args.area == "threads" else watch_memory
        cases, rounds, failures = run(seed, deadline)
    for failure in failures:
        print(failure)
    print(
        f"{args.area}: {perf_counter() - start:.0f} s, {cases:,} cases, "
        f"seeds {seed} to {seed + rounds - 1}, {len(failures)} failures"
    )
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
