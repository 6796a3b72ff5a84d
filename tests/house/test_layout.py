"""The floors of the package: who may import whom, and what an import costs."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import sklearn_irmetrics

PACKAGE = Path(sklearn_irmetrics.__file__).parent
# From the ground up; those of one line stand side by side and know nothing of another.
FLOORS = [
    ["exceptions", "_typing", "_compat", "_tables", "_files"],
    ["_core"],
    ["kernels"],
    ["metrics", "emerging"],
    ["_statistics"],
    ["_measures"],
    ["runs", "datasets", "boosting", "scorers", "torch"],
    ["estimators"],
    ["plot"],
    ["model_selection"],
    ["judging"],
    ["_cli"],
    ["__init__"],
    ["__main__"],
]
FLOOR = {name: i for i, names in enumerate(FLOORS) for name in names}
FILES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
        ".__init__"
    ): path
    for path in PACKAGE.rglob("*.py")
}


def room(module):
    """Return the part of the package that a module belongs to."""
    return (module.split(".") + ["__init__"])[1]


def imports(path):
    """Return the modules of the package that a file takes names from as it runs."""

    def visit(node):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            PACKAGE.name
        ):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in FILES else node.module
        elif isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.startswith(PACKAGE.name))
        for child in ast.iter_child_nodes(node):
            yield from visit(child)

    return set(visit(ast.parse(path.read_text(encoding="utf-8"))))


GRAPH = {module: imports(path) - {module} for module, path in FILES.items()}


def test_every_room_has_a_floor():
    assert {room(module) for module in FILES} <= set(FLOOR)


def test_no_room_imports_one_above_or_beside_it():
    steps_up = [
        (module, other)
        for module, others in GRAPH.items()
        for other in others
        if room(other) != room(module)
        and FLOOR[room(other)] >= FLOOR[room(module)]
        # The version and the names of the top level, for those who show them.
        and not (other == PACKAGE.name and room(module) in ("_cli", "__main__"))
    ]
    assert not steps_up


def test_no_file_imports_itself_by_way_of_others():
    reached = {module: set(others) for module, others in GRAPH.items()}
    changed = True
    while changed:
        changed = False
        for others in reached.values():
            more = set().union(*(reached.get(other, ()) for other in others)) - others
            changed |= bool(more)
            others |= more
    top = (PACKAGE.name,)  # it imports the faces of all
    assert not [m for m, others in reached.items() if m in others and m not in top]


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
        "from sklearn_irmetrics._cli.main import main; "
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
    names = "datasets, estimators, model_selection, plot, runs"
    ours = imported_by(f"from sklearn_irmetrics import {names}", OPTIONAL)
    # scikit-learn may bring pandas along where it is installed.
    theirs = imported_by("import sklearn.metrics, sklearn.model_selection", OPTIONAL)
    assert set(ours) <= set(theirs)


def test_every_name_is_there_when_asked_for():
    assert set(sklearn_irmetrics.__all__) <= set(dir(sklearn_irmetrics))
    for name in dir(sklearn_irmetrics):
        assert getattr(sklearn_irmetrics, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'unknown'"):
        sklearn_irmetrics.unknown  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'unknown'"):
        sklearn_irmetrics.metrics.unknown  # noqa: B018
