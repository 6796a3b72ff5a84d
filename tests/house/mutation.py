"""Break the code in small ways, one at a time, and count how often the tests notice.

Run from the root of the project, with cosmic-ray 8 and coverage installed::

    python tests/house/mutation.py metrics --sample 400 --seed 0 --state metrics.jsonl
    python tests/house/mutation.py metrics/_ranking/blocks.py _statistics --jobs 2

What is broken are modules or packages in those of `TESTS`; without ``--sample`` every
mutant is taken. All happens in copies of the checkout. The tests first run once
unchanged, which tells how long each takes and what lines it reaches; what fails there,
or is slow, is left out. A mutant meets the tests that reach its line until one fails:
first those that killed most mutants, then the quickest. A mutant that does not import,
takes ten times as long as the code does, or more memory than `MEMORY`, counts as
killed; one that no test reaches counts as a survivor.

Most mutants change the body of one function. For these, all tests are collected once;
each mutant is a fork of that process, in which the code of the function is replaced.
What runs on import is different: there, a new process imports a changed file.

Run again with the same ``--state`` to go on from there: what was killed is not tested
again, what survived is. Totals and survivors of each file go to ``mutation.json``
beside this file, and the totals to the table of ``docs/mutation.md``; why a mutant
survives, written there beside it, is kept.

With ``--anchor`` alone, nothing is broken: the survivors in ``mutation.json`` get the
places that their code has now, and those whose code has changed are left out. It exits
with 1 if any of them had another place, or none.

Mutants are all that cosmic-ray makes, except

- those that Python does not compile, those in annotations, and those that compile to
  the same;
- those that die of a TypeError nearly everywhere and would only raise the score:
  numbers combined as bits, bits combined as numbers, and None put in order;
- ``==`` made ``is``: the same for short strings and small numbers.

Exits with 1 when less than 90 % of the mutants are killed.
"""

import argparse
import ast
import contextlib
import difflib
import gc
import importlib
import inspect
import json
import os
import pkgutil
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date
from functools import _lru_cache_wrapper
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FunctionType

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).resolve().with_suffix(".json")
PAGE = ROOT / "docs" / "mutation.md"
PACKAGE = "sklearn_irmetrics"
COMMON = ["evaluate_every_measure", "worked_examples", "every_measure", "ranking"]
COMMON += ["properties", "presets", "averages", "agreement", "curves", "sets"]
COMMON += ["batch", "rows", "close_scores", "differential", "query_ids", "numbers"]
COMMON += ["evaluator", "parameter_candidates", "blocks", "measure", "subtopics"]
COMMON += ["scorer", "torch", "files", "threads", "bad_values", "streaming"]
COMMON += ["measure_defaults", "parameter_pos_label", "graded", "parameter_y_score"]
COMMON += ["report", "chance", "cutoffs", "contingency", "parameter_sample_weight"]
COMMON += ["cascade", "binary", "user"]
TESTS = {
    "metrics": [*COMMON]
    + ["random_subtopics", "parameter_negative_grades"]
    + ["experimental", "custom", "ndeval", "evaluate_subtopics", "subtopic_files"]
    + ["catalogue", "exposure", "lists", "propensity"],
    "_arrays": COMMON,
    "model_selection": ["splitters", "pairs", "results", "evaluation", "planning"]
    + ["evaluate_failures", "scorer_consumers", "bad_values", "contracts"]
    + ["evaluate_spread", "compare_strata", "evaluate_arguments", "learning_curve"]
    + ["evaluate_several", "intervals", "evaluate_parts", "evaluate_any_model"]
    + ["evaluate_rare_classes", "parameter_interval"],
    "reports": ["thresholds", "report", "evaluator", "sampled", "scoring"]
    + ["every_display", "bad_values", "presets", "classes", "query_scores"],
    "_statistics": ["pairs", "paired_tests", "intervals", "parameter_interval"]
    + ["compare_strata", "planning", "anytime", "compare_classifiers"]
    + ["evaluate_spread", "parameter_merge", "compare_evaluations"]
    + ["compare_adversarial", "results", "streaming", "evaluate_rare_classes"]
    + ["curves", "report", "bad_values", "pooling", "evaluate_several"],
}
LEAST = 0.9
COLLECTED = "what runs while tests are collected"
MEMORY = 8 * 2**30
# What tests import besides the package: read once, here, before mutants part from us.
PRELOADED = ["numpy.testing", "scipy.stats", "scipy.optimize", "scipy.sparse"]
PRELOADED += ["sklearn.ensemble", "sklearn.linear_model", "sklearn.model_selection"]
PRELOADED += ["sklearn.naive_bayes", "sklearn.neighbors", "sklearn.pipeline"]
PRELOADED += ["sklearn.svm", "sklearn.tree", "sklearn.utils.estimator_checks"]
PRELOADED += ["pandas", "matplotlib.pyplot", "hypothesis.strategies", "torch"]
NUMBERS = {"Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Pow"}
BITS = {"BitOr", "BitAnd", "BitXor"}
IDENTITY = {"Is", "IsNot"}


@dataclass
class Mutant:
    """One change of one file, and the tests that might notice."""

    path: str
    line: int
    code: str
    diff: str  # no two mutants share it
    changed: dict | None  # code of functions and what takes its place, if that is all
    tests: list = field(default_factory=list)


def is_fair(operator):
    """Tell whether a kind of change says anything about tests."""
    kind, _, change = operator.partition("_")
    before, _, after = change.partition("_")
    if kind == "ReplaceBinaryOperator":
        return {before, after} <= NUMBERS or {before, after} <= BITS
    if kind == "ReplaceComparisonOperator":
        return (before in IDENTITY) == (after in IDENTITY)
    return True


def annotations(source):
    """Return where annotations begin and end, as pairs of (line, column)."""
    found = []
    for node in ast.walk(ast.parse(source)):
        for name in ("annotation", "returns"):
            part = getattr(node, name, None)
            if part is not None:
                start = (part.lineno, part.col_offset)
                found.append((start, (part.end_lineno, part.end_col_offset)))
    return found


def changes_of(source, path):
    """Return all fair changes of some code, as cosmic-ray describes them."""
    from cosmic_ray.commands.init import _all_work_items

    ignored = annotations(source)
    return [
        change
        for item in _all_work_items([path], {})
        for change in item.mutations
        if is_fair(change.operator_name.rpartition("/")[2])
        and not any(start <= change.start_pos < end for start, end in ignored)
    ]


def codes_in(code):
    """Return the code of what is defined directly inside."""
    return [const for const in code.co_consts if isinstance(const, CodeType)]


def apart_from_functions(code):
    """Return what some code does itself, apart from the functions that it defines."""
    consts = [repr(x) for x in code.co_consts if not isinstance(x, CodeType)]
    return code.co_code, code.co_names, consts, len(codes_in(code))


def changed_functions(code, other):
    """Return the new code of functions by their old code, None if more has changed."""
    changed = {}
    if code.co_flags & inspect.CO_OPTIMIZED:  # a function
        if code == other:
            return changed
        if code.co_freevars != other.co_freevars:
            return None
        changed[code] = other
    elif apart_from_functions(code) != apart_from_functions(other):
        return None
    for pair in zip(codes_in(code), codes_in(other), strict=False):
        deeper = changed_functions(*pair)
        if deeper is None:
            return None
        changed |= deeper
    return changed


def mutant_of(source, path, change):
    """Return the mutant of a change, or None where it is no Python, or the same."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    operator = get_operator(change.operator_name)()
    code = mutate_code(source, operator, change.occurrence)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled = compile(code, path, "exec")
    except SyntaxError:
        return None
    changed = changed_functions(compile(source, path, "exec"), compiled)
    if changed == {}:
        return None
    line = change.start_pos[0]
    lines = source.splitlines(), code.splitlines()
    diff = list(difflib.unified_diff(*lines, lineterm="", n=1))[2:]
    diff.insert(0, f"{path}:{line} {change.operator_name.rpartition('/')[2]}")
    return Mutant(path, line, code, "\n".join(diff), changed)


def draw(sources, n_mutants, seed):
    """Return mutants drawn at random, all for 0, and the number there are."""
    changes = [
        (source, path, change)
        for path, source in sources.items()
        for change in changes_of(source, path)
    ]
    random.Random(seed).shuffle(changes)
    mutants = []
    for change in changes:
        mutant = mutant_of(*change)
        if mutant is not None:
            mutants.append(mutant)
            if len(mutants) == n_mutants:
                break
    return mutants, len(changes)


class Recorder:
    """Plugin of pytest: what failed, how long tests took, what lines they ran."""

    def __init__(self, coverage):
        self.coverage = coverage
        self.seconds = Counter()
        self.failed = set()
        self.caches = find_caches()

    def pytest_runtest_logstart(self, nodeid):
        """Attribute what runs now to this test."""
        self.coverage.switch_context(nodeid)
        for cached in self.caches:  # or later tests would not seem to need it
            cached.cache_clear()

    def pytest_runtest_logreport(self, report):
        """Add up setup, call and teardown."""
        self.seconds[report.nodeid] += report.duration
        if not report.passed:
            self.failed.add(report.nodeid)


class Watcher:
    """Plugin of pytest: run some tests only, none too long, and keep what fails."""

    def __init__(self, seconds, report):
        self.seconds = seconds
        self.report = report
        self.failed = []

    def pytest_collection_modifyitems(self, items):
        """Drop all others."""
        items[:] = [item for item in items if item.nodeid in self.seconds]

    def pytest_runtest_logstart(self, nodeid):
        """Die of a signal that nobody handles if the test takes far longer."""
        self.report.write_text(nodeid)
        limit_time(10 + 10 * self.seconds[nodeid])

    def pytest_collectreport(self, report):
        """Take a file that cannot be imported as one that fails."""
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_runtest_logreport(self, report):
        """Remember what failed."""
        if report.failed:
            self.failed.append(report.nodeid)


class Forks:
    """Plugin of pytest: collect all tests, then fork for each mutant."""

    def __init__(self, copy, mutants, seconds, jobs, keep):
        self.copy, self.mutants, self.seconds = copy, mutants, seconds
        self.jobs, self.keep = jobs, keep

    def pytest_runtestloop(self, session):
        """Test the mutants instead of what was collected."""
        self.items = {item.nodeid: item for item in session.items}
        self.functions = defaultdict(list)
        for found in gc.get_objects():
            if isinstance(found, FunctionType):
                self.functions[found.__code__].append(found)
        for cached in find_caches():  # what is kept hides a mutant
            cached.cache_clear()
        gc.freeze()
        # What fails in this order without a mutant would kill them all.
        chosen = {test for mutant in self.mutants for test in mutant.tests}
        chosen &= self.items.keys()
        everything = [test for test in self.seconds if test in chosen]
        nothing = Mutant("", 0, "", "", {}, everything)
        process = self.fork(nothing, self.copy.report, stop=False)
        status = os.waitpid(process, 0)[1]
        useless = killer_of(self.copy.report, status)
        print(f"left out, they fail unchanged: {useless or 'none'}", flush=True)
        useful = set(everything) - set(useless.split("\n"))
        kills = Counter()
        waiting, running = list(enumerate(self.mutants))[::-1], {}
        while waiting or running:
            while waiting and len(running) < self.jobs:
                number, mutant = waiting.pop()
                report = self.copy.path.with_name(f"report-{number}")
                mutant.tests = [test for test in mutant.tests if test in useful]
                mutant.tests.sort(key=lambda test: (-kills[test], self.seconds[test]))
                running[self.fork(mutant, report)] = mutant, report
            process, status = os.wait()
            end(process)
            mutant, report = running.pop(process)
            killer = killer_of(report, status)
            report.unlink(missing_ok=True)
            kills[killer.rpartition(" in ")[2]] += 1
            self.keep(mutant, killer)
        return True

    def fork(self, mutant, report, stop=True):
        """Start the tests of a mutant; return the id of the process."""
        process = os.fork()
        if process:
            return process
        try:
            os.setsid()
            for code, other in mutant.changed.items():
                for function in self.functions[code]:
                    function.__code__ = other
            items = [self.items[test] for test in mutant.tests]
            watcher = Watcher(self.seconds, report)
            if items:
                items[0].config.pluginmanager.register(watcher)
            for item, following in zip_longest(items, items[1:]):
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
                if stop and watcher.failed:
                    break
            report.write_text("\n".join(watcher.failed))
        except BaseException as error:  # a mutant may do anything
            print(repr(error), flush=True)
            os._exit(1)
        os._exit(0)


def find_caches():
    """Return the functions of the package that keep what they returned."""
    found = [x for x in gc.get_objects() if isinstance(x, _lru_cache_wrapper)]
    return [x for x in found if x.__module__.startswith(PACKAGE)]


class Copy:
    """A copy of the checkout, with processes that see no other."""

    def __init__(self, folder, seed):
        self.path, self.seed = folder / "main", seed
        self.report, self.log = folder / "report", folder / "log"
        self.original = folder / "original"
        ignored = shutil.ignore_patterns(".*", "__pycache__", "build", "_build")
        shutil.copytree(ROOT, self.path, ignore=ignored)
        data = ROOT.parent / "shared"
        if data.exists():
            (folder / "shared").symlink_to(data)

    def start(self, function, *args):
        """Run a function in a process of its own; return the process id."""
        self.report.unlink(missing_ok=True)
        process = os.fork()
        if process:
            return process
        try:
            self.enter()
            function(self, *args)
        except BaseException as error:  # a mutant may do anything
            print(repr(error))
            os._exit(1)
        os._exit(0)

    def enter(self):
        """Make this process the first of a group that works in the copy."""
        os.setsid()
        os.chdir(self.path)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        sys.path.insert(0, str(self.path))
        os.environ |= {"PYTHONPATH": str(self.path), "PYTHONDONTWRITEBYTECODE": "1"}
        sys.dont_write_bytecode = True
        output = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(output, stream)

    def pytest(self, files, *options, plugins=()):
        """Run pytest; return its exit status."""
        import pytest

        quiet = [
            "-q",
            "--tb=no",
            "--continue-on-collection-errors",
            "-W",
            "ignore::pytest.PytestAssertRewriteWarning",
        ]
        quiet += [f"-pno:{plugin}" for plugin in ("cacheprovider", "xdist", "cov")]
        quiet.append("--capture=sys")  # files would be shared by forks
        arguments = [*quiet, f"--rootdir={self.path}", f"--seed={self.seed}", *options]
        return pytest.main([*arguments, *files], plugins=list(plugins))


def limit_time(seconds):
    """Bound the time of the processor, and more generously that of the clock."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(60 + int(5 * seconds))


def end(process):
    """End what a process left behind."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)


def compile_tests(copy, files):
    """Keep what Python compiles, so that each mutant compiles one file only."""
    sys.dont_write_bytecode = False
    copy.pytest(files, "--collect-only")
    found = Path(importlib.import_module(PACKAGE).__file__)
    if copy.path not in found.parents:
        raise RuntimeError(f"The tests import {found}, not what is in {copy.path}.")


def import_all():
    """Import the package with all its parts that can be imported."""
    package = importlib.import_module(PACKAGE)
    for part in pkgutil.walk_packages(package.__path__, f"{PACKAGE}."):
        if not part.name.endswith("__main__"):
            with contextlib.suppress(ImportError):
                importlib.import_module(part.name)


def run_unchanged(copy, files):
    """Run all tests once; report the seconds of each and the tests of each line."""
    import coverage

    source = [str(copy.path / PACKAGE)]
    data = coverage.Coverage(data_file=None, source=source, config_file=False)
    data.start()
    import_all()
    recorder = Recorder(data)
    data.switch_context(COLLECTED)
    copy.pytest(files, plugins=[recorder])
    data.stop()
    lines, first = {}, {}
    for path in data.get_data().measured_files():
        reached = data.get_data().contexts_by_lineno(path)
        name = str(Path(path).relative_to(copy.path))
        lines[name] = {
            n: [t for t in tests if "::" in t] for n, tests in reached.items()
        }
        first[name] = [n for n, tests in reached.items() if "" in tests]
    facts = {"seconds": recorder.seconds, "failed": sorted(recorder.failed)}
    copy.report.write_text(json.dumps(facts | {"lines": lines, "first": first}))


def run_mutant(copy, mutant, seconds):
    """Run the tests of a mutant file by file, the quickest first, until one fails."""
    by_file = {}
    for test in mutant.tests:
        by_file.setdefault(test.partition("::")[0], {})[test] = seconds[test]
    for name in sorted(by_file, key=lambda name: sum(by_file[name].values())):
        watcher = Watcher(by_file[name], copy.report)
        copy.report.write_text(name)
        limit_time(60)
        code = copy.pytest([name], "-x", plugins=[watcher])
        if code not in (0, 5):  # 5: the tests are gone since their lines were kept
            failed = watcher.failed or [f"{name}: exit status {code}"]
            copy.report.write_text(failed[0])
            return
    copy.report.write_text("")


def run_forks(copy, files, mutants, seconds, jobs, keep):
    """Test mutants that change functions only."""
    import_all()  # what is imported later would not be changed
    copy.pytest(files, plugins=[Forks(copy, mutants, seconds, jobs, keep)])


def killer_of(report, status):
    """Return what killed a mutant, "" if nothing did."""
    seen = report.read_text() if report.exists() else "start"
    if os.WIFSIGNALED(status):
        return f"{signal.Signals(os.WTERMSIG(status)).name} in {seen}"
    return f"died in {seen}" if status else seen


def measure(copies, files, kept):
    """Return what the tests do to the code as it is."""
    for copy in copies:
        os.waitpid(copy.start(compile_tests, files), 0)
    if not kept.exists():
        process = copies[0].start(run_unchanged, files)
        os.waitpid(process, 0)
        end(process)
        print(copies[0].log.read_text()[-500:], flush=True)
        shutil.copy(copies[0].report, kept)
    return json.loads(kept.read_text())


def scopes(source):
    """Return first and last lines of functions and classes, the innermost first."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]
    spans = [
        (min([n.lineno, *(d.lineno for d in n.decorator_list)]), n.end_lineno)
        for n in found
    ]
    return sorted(spans, key=lambda span: span[1] - span[0])


def choose_tests(mutant, source, facts, slow, budget):
    """Return tests that reach a mutant: at most `budget` seconds of them."""
    lines = {int(n): tests for n, tests in facts["lines"].get(mutant.path, {}).items()}
    # What runs on import (defaults, constants) goes to the tests of what is around it.
    around = [span for span in scopes(source) if span[0] <= mutant.line <= span[1]]
    reached = set()
    for first, last in [
        (mutant.line, mutant.line),
        *around,
        (1, max(lines, default=0)),
    ]:
        reached.update(*(lines.get(n, ()) for n in range(first, last + 1)))
        if reached:
            break
    reached -= set(facts["failed"])
    seconds, chosen = facts["seconds"], []
    for test in sorted(reached, key=lambda test: (seconds[test], test)):
        budget -= seconds[test]
        if budget < 0 or seconds[test] > slow:
            break
        chosen.append(test)
    return chosen


def run_copies(mutants, copies, seconds, keep):
    """Test mutants that change what runs on import."""
    waiting, free, running = mutants[::-1], list(copies), {}
    while waiting or running:
        while waiting and free:
            copy, mutant = free.pop(), waiting.pop()
            os.replace(copy.path / mutant.path, copy.original)
            (copy.path / mutant.path).write_text(mutant.code)
            running[copy.start(run_mutant, mutant, seconds)] = copy, mutant
        process, status = os.wait()
        end(process)
        copy, mutant = running.pop(process)
        os.replace(copy.original, copy.path / mutant.path)
        free.append(copy)
        keep(mutant, killer_of(copy.report, status))


def read_state(path):
    """Return what killed which mutant in earlier runs."""
    if not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {row["diff"]: row["killer"] for row in rows}


def anchored(diff, sources):
    """Return a mutant with the place that its code has now, None if it has none.

    It is found by the lines that change and those around them, otherwise by the former
    alone: in its file, or in another one if only one place of the package has them.
    """
    header, hunk, *lines = diff.split("\n")
    place, _, operator = header.partition(" ")
    path, _, line = place.rpartition(":")
    offset = int(line) - int(re.match(r"@@ -(\d+)", hunk)[1])
    changing = [i for i, text in enumerate(lines) if text[:1] in ("-", "+")]
    for first, last in ((0, len(lines)), (changing[0], changing[-1] + 1)):
        before, after = (
            [text[1:] for text in lines[first:last] if text[:1] in (" ", sign)]
            for sign in "-+"
        )
        places = [
            (file, present, start)
            for file, present in sources.items()
            for start in range(len(present) - len(before) + 1)
            if present[start : start + len(before)] == before
        ]
        places = [place for place in places if place[0] == path] or places
        if len(places) == 1:
            ((file, present, start),) = places
            changed = [*present[:start], *after, *present[start + len(before) :]]
            described = difflib.unified_diff(present, changed, lineterm="", n=1)
            here = f"{file}:{start + 1 + offset - first} {operator}"
            return "\n".join([here, *list(described)[2:]])
    return None


def anchor():
    """Move survivors to the places of their code; return how many had others."""
    known, n_moved = json.loads(RESULTS.read_text()), 0
    sources = {
        str(path.relative_to(ROOT)): path.read_text().splitlines()
        for path in sorted((ROOT / PACKAGE).rglob("*.py"))
    }
    for path, facts in known.items():
        survivors = {}
        for diff, reason in facts["survivors"].items():
            place = anchored(diff, sources)
            n_moved += place != diff
            if place is not None:
                survivors[place] = reason
        n_gone = len(facts["survivors"]) - len(survivors)
        print(f"{path}: {len(survivors)} survivors, {n_gone} are left out")
        facts["survivors"] = survivors
    RESULTS.write_text(json.dumps(known, indent=1) + "\n")
    return n_moved


def write_results(results):
    """Replace what is known of some files; keep why a mutant survives."""
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    reasons = {}
    for facts in known.values():
        reasons |= facts["survivors"]
    for found in results.values():
        found["survivors"] = {
            diff: reasons.get(diff, "") for diff in found["survivors"]
        }
    known |= results
    RESULTS.write_text(json.dumps(known, indent=1) + "\n")
    page = PAGE.read_text()
    PAGE.write_text(re.sub(r"\| file \|[^#]*\| all \|.*\n", table(known), page))


def table(results):
    """Return the totals as a table of Markdown."""
    lines = ["| file | tested on | mutants | killed | share |"]
    lines += ["|---|---|---:|---:|---:|"]
    totals = Counter()
    for path, found in sorted(results.items()):
        name = f"`{path.removeprefix(f'{PACKAGE}/')}`"
        kind = "drawn" if found["sampled"] else "all"
        counts = Counter({key: found[key] for key in ("mutants", "killed")})
        lines.append(line_of(name, f"{found['on']}, {kind}", counts))
        totals += counts
    return "\n".join([*lines, line_of("all", "", totals), ""])


def line_of(name, tested, counts):
    """Return a line of the table."""
    mutants, killed = counts["mutants"], counts["killed"]
    share = f"{100 * killed / mutants:.1f} %"
    return f"| {name} | {tested} | {mutants:,} | {killed:,} | {share} |"


def parse_arguments():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="*", help="modules or packages, as in TESTS")
    parser.add_argument("--anchor", action="store_true", help="find survivors again")
    parser.add_argument("--sample", type=int, default=0, help="mutants; 0 for all")
    parser.add_argument("--seed", type=int, default=0, help="of sample and of tests")
    parser.add_argument("--jobs", type=int, default=1, help="mutants tested at once")
    parser.add_argument("--slow", type=float, default=5, help="leave out longer tests")
    parser.add_argument("--budget", type=float, default=60, help="seconds per mutant")
    parser.add_argument("--tests", nargs="*", help="names of test files; others wait")
    parser.add_argument("--lines", type=Path, help="file to keep the unchanged run in")
    parser.add_argument("--state", type=Path, help="file to go on from, JSON lines")
    return parser.parse_args()


def main():
    """Make mutants, test them and print the score and the survivors."""
    options = parse_arguments()
    if options.anchor:
        return 1 if anchor() else 0
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    os.environ.setdefault("MPLBACKEND", "agg")
    for name in PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.freeze()  # mutants need not look through all that
    packages = dict.fromkeys(Path(path).parts[0] for path in options.paths)
    names = options.tests or [name for part in packages for name in TESTS[part]]
    files = [
        str(path.relative_to(ROOT))
        for name in dict.fromkeys(names)
        for path in ROOT.glob(f"tests/*/test_{name}.py")
    ]
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        state = (options.state or scratch / "state").absolute()
        kept = (options.lines or scratch / "lines").absolute()
        copies = [Copy(scratch / str(i), options.seed) for i in range(options.jobs)]
        os.chdir(copies[0].path)
        sources = {
            str(file): file.read_text()
            for path in (Path(PACKAGE, path) for path in options.paths)
            for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path])
        }
        mutants, n_mutants = draw(sources, options.sample, options.seed)
        print(f"{n_mutants} changes, {len(mutants)} mutants drawn", flush=True)
        facts = measure(copies, files, kept)
        killers, rest = read_state(state), {True: [], False: []}
        for mutant in mutants:
            source = sources[mutant.path]
            mutant.tests = choose_tests(
                mutant, source, facts, options.slow, options.budget
            )
            if not killers.get(mutant.diff):
                first = mutant.line in facts["first"].get(mutant.path, ())
                rest[first or mutant.changed is None].append(mutant)

        def keep(mutant, killer):
            with open(state, "a") as file:
                print(json.dumps({"diff": mutant.diff, "killer": killer}), file=file)

        print(f"{len(rest[False])} in functions, {len(rest[True])} not", flush=True)
        arguments = files, rest[False], facts["seconds"], options.jobs, keep
        os.waitpid(copies[0].start(run_forks, *arguments), 0)
        run_copies(rest[True], copies, facts["seconds"], keep)
        killers = read_state(state)
    survivors = [mutant for mutant in mutants if not killers[mutant.diff]]
    for mutant in sorted(survivors, key=lambda mutant: (mutant.path, mutant.line)):
        print(f"\nsurvived {len(mutant.tests)} tests: {mutant.diff}")
    minutes = (time.monotonic() - start) / 60
    print(f"\n{minutes:.0f} minutes, seed {options.seed}")
    drawn, alive = [Counter(m.path for m in ms) for ms in (mutants, survivors)]
    facts = {"on": str(date.today()), "sampled": options.sample > 0}
    results = {}
    for path, n_drawn in drawn.items():
        killed = n_drawn - alive[path]
        print(f"{path}: {killed} of {n_drawn} killed, {killed / n_drawn:.1%}")
        diffs = sorted(m.diff for m in survivors if m.path == path)
        counts = {"mutants": n_drawn, "killed": killed}
        results[path] = facts | counts | {"survivors": diffs}
    write_results(results)
    return 0 if len(survivors) <= (1 - LEAST) * len(mutants) else 1


if __name__ == "__main__":
    sys.exit(main())
