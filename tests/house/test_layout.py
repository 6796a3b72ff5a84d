"""The rooms of the package: who may import whom, what tests them, what imports cost."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import sklearn_irmetrics

PACKAGE = Path(sklearn_irmetrics.__file__).parent
TOP = PACKAGE.name
# What everything stands on.
GROUND = {"_arrays", "_checks", "_compat", "_results", "_typing", "_warnings"}
GROUND |= {"_statistics", "exceptions"}
# Which rooms each of the other rooms may import, the ground aside.
MAY_IMPORT = {
    # The mission: a metric, its scorer, an estimate, and estimators that rank.
    "metrics": set(),
    "scorers": {"metrics"},
    "model_selection": {"metrics", "scorers"},
    "estimators": {"metrics", "scorers", "model_selection", "reports"},
    # How sure.
    "reports": {"metrics"},
    "comparison": {"metrics", "scorers", "reports"},
    # Extras.
    "datasets": set(),
    "runs": {"metrics", "reports"},
    "streaming": {"metrics", "reports"},
    "frames": {"metrics", "reports", "streaming"},
    "torch": {"metrics", "streaming"},
    "plot": {"metrics", "scorers", "model_selection", "reports", "comparison"},
    "judging": {"metrics", "reports", "runs"},
    "_cli": {
        *("metrics", "scorers", "model_selection", "reports", "comparison"),
        *("datasets", "runs", "judging"),
    },
    "__main__": {"_cli"},
}
EXTRAS = {"datasets", "runs", "streaming", "frames", "torch", "plot", "judging", "_cli"}
# Methods of results that import what they call, when they are called, and the type of
# what they return.
METHODS = {
    ("_results.tabular", "plot"),  # result.plot()
    ("reports.query_scores", "plot"),
    ("comparison.leaderboards", "plot"),
    ("judging.results", "plot"),
    ("model_selection.learning_curve", "plot"),
    ("model_selection.learning_curve", "comparison"),  # result.compare()
    ("model_selection.results", "comparison"),
    ("model_selection.results", "reports"),  # result.class_report()
    ("reports.abstention", "plot"),
    ("reports.classes", "plot"),
    ("reports.thresholds", "plot"),
}
FILES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
        ".__init__"
    ): path
    for path in PACKAGE.rglob("*.py")
}


def room(module):
    """Return the part of the package that a module belongs to."""
    return (module.split(".") + [""])[1]


def named(node):
    """Return the modules of the package that an import statement names."""
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(TOP):
        inner = {f"{node.module}.{alias.name}" for alias in node.names}
        return inner & set(FILES) or {node.module}
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names if alias.name.startswith(TOP)}
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_module":
        return {
            argument.value
            for argument in node.args
            if isinstance(argument, ast.Constant) and argument.value in FILES
        }
    return set()


def imports(module):
    """Yield each import of a file as the module that runs, and whether it runs late.

    With a module run the faces of the packages that hold it, other than those that hold
    the file. Imports for annotations count; those under TYPE_CHECKING never run, and
    are late.
    """

    def visit(node, late):
        for other in named(node):
            yield other, late
            parts = other.split(".")
            for n in range(2, len(parts)):
                face = ".".join(parts[:n])
                if not f"{module}.".startswith(f"{face}."):
                    yield face, late
        late = late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if isinstance(node, ast.If):
            late = late or getattr(node.test, "id", "") == "TYPE_CHECKING"
        for child in ast.iter_child_nodes(node):
            yield from visit(child, late)

    tree = ast.parse(FILES[module].read_text(encoding="utf-8"))
    return {(other, late) for other, late in visit(tree, False) if other != module}


@cache
def graph():
    """Return what each module imports, by module."""
    return {module: imports(module) for module in FILES if module != TOP}


def circles(targets):
    """Return what can be reached from itself."""
    reached = {node: set(others) for node, others in targets.items()}
    changed = True
    while changed:
        changed = False
        for others in reached.values():
            more = set().union(*(reached.get(other, ()) for other in others)) - others
            changed |= bool(more)
            others |= more
    return {node for node, others in reached.items() if node in others}


def of_method(module, other):
    """Whether a method of a result may import another room."""
    return (module.removeprefix(f"{TOP}."), room(other)) in METHODS


def test_every_room_has_a_place():
    assert {room(module) for module in graph()} == GROUND | set(MAY_IMPORT)


def test_rooms_import_what_they_may():
    """The mission imports no extra, except in the methods that are listed above."""
    assert not [
        (module, other)
        for module, others in graph().items()
        for other, late in others
        if room(other) not in {room(module), *GROUND, *MAY_IMPORT.get(room(module), ())}
        and not (late and of_method(module, other))
        # The version and the names of the top level, for those who show them.
        and not (other == TOP and room(module) in ("_cli", "__main__"))
    ]
    mission = ("metrics", "scorers", "model_selection", "estimators")
    assert not any(MAY_IMPORT[name] & EXTRAS for name in mission)


def test_the_methods_that_import_late_are_those_that_do():
    late = {
        (module.removeprefix(f"{TOP}."), room(other))
        for module, others in graph().items()
        for other, late in others
        if late
    }
    assert late >= METHODS


def test_no_file_and_no_room_imports_itself_by_way_of_others():
    files, rooms = {}, {}
    for module, others in graph().items():
        for other, late in others:
            if other != TOP and not (late and of_method(module, other)):
                files.setdefault(module, set()).add(other)
                if room(module) != room(other):
                    rooms.setdefault(room(module), set()).add(room(other))
    assert not circles(files)
    assert not circles(rooms)


def test_private_names_of_other_libraries_are_in_one_file():
    for module, path in FILES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and not named(node):
                words = [*node.module.split("."), *(alias.name for alias in node.names)]
                private = [word for word in words if re.match("_(?!_)", word)]
                assert not private or module == f"{TOP}._compat", (module, private)


# Tests ------------------------------------------------------------------------------


TESTS = Path(__file__).resolve().parents[1]
# The folder of tests of a room, where it is not called as the room is.
FOLDER_OF = {
    "": "house",
    "_arrays": "core",
    "_cli": "command_line",
    "_results": "house",
    "_statistics": "statistics",
    "datasets": "data_sets",
    "estimators.boosting": "estimators",
    "metrics._ranking": "core",
    "metrics.experimental": "metrics",
}
# Files whose tests are not in `test_<name of the file>.py` of that folder.
TESTED_IN = {
    "_arrays.query_values": "core/batch core/query_ids",
    "_checks": "house/bad_values",
    "_cli.commands": "command_line/cli command_line/cli_systems",
    "_cli.judged": "judging/align_judged",
    "_cli.leaderboard": "command_line/cli_systems",
    "_cli.lines": "command_line/cli",
    "_cli.options": "command_line/cli command_line/cli_systems",
    "_cli.output": "command_line/cli command_line/cli_data",
    "_cli.program": "command_line/cli",
    "_cli.scored_runs": "command_line/cli command_line/query_groups",
    "_compat": "estimators/ranker other_tools/scikit_learn",
    "_results.files": "model_selection/results",
    "_results.portable": "model_selection/results",
    "_results.sentences": "house/tables",
    "_results.tabular": "house/tables",
    "_statistics.anytime": "comparison/anytime",
    "_statistics.bootstrap632": "model_selection/evaluate_spread",
    "_statistics.classes": "model_selection/evaluate_spread_classes reports/classes",
    "_statistics.dirichlet": "comparison/anytime statistics/parameter_interval",
    "_statistics.draws": "comparison/compare_strata statistics/paired_tests",
    "_statistics.extremes": "model_selection/evaluate_spread_errors",
    "_statistics.moments": "statistics/intervals streaming/state",
    "_statistics.pairs": "statistics/paired_tests",
    "_statistics.power": "comparison/planning",
    "_statistics.rank_tests": "statistics/paired_tests",
    "_statistics.rankings": "model_selection/evaluate_spread_rankings",
    "_statistics.ratios": "reports/classes",
    "_statistics.swaps": "comparison/compare_swap",
    "_statistics.tables": "model_selection/evaluate_spread_classes",
    "_statistics.units": "model_selection/evaluate_spread",
    "_typing": "house/packaging",
    "_warnings": "house/exceptions house/threads",
    "comparison._alignment": "comparison/pairs comparison/compare_evaluations",
    "comparison._predictions": "comparison/compare_swap",
    "comparison._systems": "comparison/leaderboards comparison/pairs",
    "comparison._tested_pairs": "comparison/compare_strata comparison/compare_tables",
    "estimators._libraries": "estimators/ranker_libraries",
    "estimators._rows": "estimators/ranker",
    "estimators.boosting._metrics": "estimators/boosting",
    "estimators.boosting._xgboost_callback": "estimators/boosting",
    "frames.rows": "frames/score_frame frames/arrow",
    "frames.scoring": "frames/score_frame",
    "judging.planning": "judging/sampling",
    "judging.results": "judging/estimates",
    "metrics._formulas": "random_cases/properties",
    "metrics._intervals": "statistics/parameter_interval",
    "metrics._names": "metrics/measure",
    "metrics._per_query": "metrics/every_measure reports/query_scores",
    "metrics._points": "metrics/curve_points",
    "metrics._ranking.compute": "core/blocks core/averages",
    "metrics._ranking.custom": "metrics/custom",
    "metrics._ranking.gains": "metrics/graded metrics/parameter_negative_grades",
    "metrics._ranking.judgments": "metrics/parameter_pos_label",
    "metrics._ranking.marks": "metrics/parameter_candidates",
    "metrics._ranking.parameters": "house/bad_values",
    "metrics._ranking.sets": "metrics/sets",
    "metrics._registry": "metrics/every_measure",
    "metrics.presets": "other_tools/presets",
    "model_selection._estimates": "model_selection/evaluate_parts",
    "model_selection._inputs": "model_selection/evaluate_arguments",
    "model_selection._intervals": "model_selection/evaluate_spread",
    "model_selection._plan": "model_selection/evaluate_arguments",
    "model_selection._pool": "model_selection/evaluate_parts",
    "model_selection._scorers": "model_selection/evaluate_every_measure",
    "model_selection._splits": "model_selection/evaluate_failures",
    "plot._curves": "plot/every_display",
    "plot._style": "plot/hard_pictures",
    "plot.abstention": "reports/abstention",
    "plot.evaluation": "plot/evaluation_display",
    "plot.learning_curve": "plot/query_learning_curve",
    "reports.aligned": "runs/aligned plot/display_inputs",
    "reports.results": "reports/report model_selection/results",
    "runs._columns": "runs/forms",
    "runs._ids": "runs/matching runs/scoring",
    "runs.agreement": "runs/pool_agreement",
    "runs.query_groups": "command_line/query_groups",
    "scorers._query_ids": "scorers/scorer",
    "scorers._responses": "scorers/scorer_labels scorers/every_order_of_classes",
    "scorers._row_values": "scorers/scorer",
    "streaming.evaluator": "streaming/streaming",
    "torch": "tensors/torch",
}


def test_every_file_of_the_package_has_a_file_of_tests():
    """One of its own name in the folder of its room, or those that are listed."""
    names = [path.name for path in TESTS.rglob("test_*.py")]
    assert len(names) == len(set(names))  # a file of tests is imported by its name
    by_rule = set()
    for path in PACKAGE.rglob("*.py"):
        if path.stem not in ("__init__", "__main__"):
            room, _, stem = (
                ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
            ).rpartition(".")
            name = f"{room}.{stem}".removeprefix(".")
            folder = TESTS / FOLDER_OF.get(room, room)
            if (folder / f"test_{stem.removeprefix('_')}.py").exists():
                by_rule.add(name)
            else:
                assert name in TESTED_IN, f"{name} has no tests: list them in TESTED_IN"
    assert not by_rule & set(TESTED_IN), "these have a file of their own name"
    assert set(TESTED_IN) <= {module.removeprefix(f"{TOP}.") for module in FILES}
    for name, files in TESTED_IN.items():
        for file in files.split():
            folder, _, stem = file.partition("/")
            assert (TESTS / folder / f"test_{stem}.py").exists(), (name, file)


# Imports ----------------------------------------------------------------------------


# They take longer to import than most calls take.
HEAVY = ("sklearn", "pandas", "joblib", "scipy.sparse", "scipy.stats", "matplotlib")
OPTIONAL = ("pandas", "matplotlib", "tqdm", "polars", "pyarrow", "dask", "pyspark")
OPTIONAL += ("torch", "lightgbm")
SCRIPT = """
import sys
{script}
print(*(name for name in {heavy!r} if name in sys.modules))
"""


def imported_by(script, heavy=HEAVY):
    words = [sys.executable, "-c", SCRIPT.format(script=script, heavy=heavy)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()


@pytest.mark.parametrize(
    "script",
    [
        "import sklearn_irmetrics",
        "from sklearn_irmetrics import ndcg_score; ndcg_score([1, 0], [2, 1])",
        "from sklearn_irmetrics import score_run; "
        "score_run({1: ['a']}, {1: ['b', 'a']}, ['ndcg@10', 'map'])",
        "from sklearn_irmetrics._cli import main; "
        "main(['score', {qrels!r}, {run!r}, '-m', 'ndcg@10', '-m', 'recall@5'])",
    ],
)
def test_what_scores_needs_numpy_only(script, tmp_path):
    qrels, run = str(tmp_path / "qrels"), str(tmp_path / "run")
    Path(qrels).write_text("q 0 d 1\n")
    Path(run).write_text("q Q0 d 1 0.5 tag\n")
    script = script.replace("{qrels!r}", repr(qrels)).replace("{run!r}", repr(run))
    assert imported_by(script) == []


def test_submodules_bring_no_optional_library():
    names = "comparison, datasets, estimators, model_selection, plot, runs"
    ours = imported_by(f"from sklearn_irmetrics import {names}", OPTIONAL)
    # scikit-learn may bring pandas along where it is installed.
    theirs = imported_by("import sklearn.metrics, sklearn.model_selection", OPTIONAL)
    assert set(ours) <= set(theirs)


def test_the_top_level_has_what_is_used_most():
    names = sklearn_irmetrics.__all__
    assert len(names) == len(set(names)) <= 40
    assert {"evaluate", "compare", "ranking_report", "QueryKFold"} <= {*names}
    for rare in ("RocCurve", "ContingencyTable", "intent_aware_precision_score"):
        assert rare not in names


def test_every_name_is_there_when_asked_for():
    assert set(sklearn_irmetrics.__all__) <= set(dir(sklearn_irmetrics))
    for name in dir(sklearn_irmetrics):
        assert getattr(sklearn_irmetrics, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'unknown'"):
        sklearn_irmetrics.unknown  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'unknown'"):
        sklearn_irmetrics.metrics.unknown  # noqa: B018
