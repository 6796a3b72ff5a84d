"""The rooms of the package: who may import whom, and what an import costs."""

import ast
import re
import subprocess
import sys
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
# Methods of results that import what they call, when they are called.
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
    return set()


def imports(module):
    """Yield each import of a file as the module that runs, and whether it runs late.

    With a module run the faces of the packages that hold it, other than those that hold
    the file. Imports for annotations count.
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
        for child in ast.iter_child_nodes(node):
            yield from visit(child, late)

    tree = ast.parse(FILES[module].read_text(encoding="utf-8"))
    return {(other, late) for other, late in visit(tree, False) if other != module}


GRAPH = {module: imports(module) for module in FILES if module != TOP}


def circles(graph):
    """Return what can be reached from itself."""
    reached = {node: set(others) for node, others in graph.items()}
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
    assert {room(module) for module in GRAPH} == GROUND | set(MAY_IMPORT)


def test_rooms_import_what_they_may():
    """The mission imports no extra, except in the methods that are listed above."""
    assert not [
        (module, other)
        for module, others in GRAPH.items()
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
        for module, others in GRAPH.items()
        for other, late in others
        if late
    }
    assert late >= METHODS


def test_no_file_and_no_room_imports_itself_by_way_of_others():
    files, rooms = {}, {}
    for module, others in GRAPH.items():
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
