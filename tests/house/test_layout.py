"""The floors of the package: who may import whom."""

import ast
from pathlib import Path

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
