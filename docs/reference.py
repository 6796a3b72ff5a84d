"""The pages of the API reference, from what the package makes public."""

import importlib
import inspect
import pkgutil
from itertools import groupby
from pathlib import Path

import sklearn_irmetrics
from sklearn_irmetrics._measures.registry import METRICS

# Titles of the groups on the page of the top level, by the file that defines a name.
TITLES = {
    "_sets": "Sets",
    "_binary": "Rankings of relevant and other documents",
    "_graded": "Graded gains",
    "_cascade": "Users who stop",
    "_curve": "Curves and their areas",
    "_ranks": "Rank by rank",
    "_correlation": "Agreement and rank correlation",
    "_user": "User-oriented",
    "_subtopics": "Subtopics",
    "_score_run": "Runs",
    "_fuse": "Fusion",
    "evaluator": "Many measures at once",
    "query_scores": "Scores of queries",
    "cutoffs": "Many cutoffs at once",
    "frames": "Tables, streams, clusters",
    "report": "Report",
    "chance": "Chance",
    "scorer": "Scorers",
    "presets": "The number of another tool",
}
MODULES = {
    "model_selection": "Estimation and comparison",
    "estimators": "Rankers",
    "boosting": "Metrics of boosting libraries",
    "datasets": "Data",
    "trec": "TREC files",
    "plot": "Displays",
    "exceptions": "Warnings",
}
ABOUT_NAMES = """\
What :func:`~sklearn_irmetrics.get_scorer`, :func:`~sklearn_irmetrics.score_queries`,
:func:`~sklearn_irmetrics.model_selection.evaluate` and others take. Case does not
matter. What stands after ``@`` is the parameter of that column; others go in
parentheses, as in ``"ap(relevance_threshold=2)@100"``. Tied documents are averaged over
all their orders, exactly, or taken as one step: :doc:`/guide/ties`. Those of subtopics
take a column of grades for each: :doc:`/guide/subtopics`. The direction is
that of the function; scorers negate what is better when lower.
"""
BETTER = {"score": "higher", "loss": "lower"}  # by the last word of the name
NOT_PUBLIC = ("kernels",)  # formulas behind the measures; they validate nothing
SHOWN_ELSEWHERE = ("metrics", "runs")  # at the top level, as `trec`


def public_objects():
    """Return the full name of everything public that is ours, with the object."""
    found = {f"{sklearn_irmetrics.__name__}.{n}": v for n, v in _top_names().items()}
    for module in map(_module, public_modules()):
        for name in _public_names(module):
            found[f"{module.__name__}.{name}"] = getattr(module, name)
    return found


def public_modules():
    """Return the names of the public modules below the top level, in order."""
    found = {
        module.name
        for module in pkgutil.iter_modules(sklearn_irmetrics.__path__)
        if not module.name.startswith("_")
    } - {*NOT_PUBLIC, *SHOWN_ELSEWHERE}
    return [*(m for m in MODULES if m in found), *sorted(found - set(MODULES))]


def write_reference(folder):
    """Write ``index.rst``, ``measures.rst`` and a page per module."""
    folder.mkdir(exist_ok=True)
    public = public_objects()
    for page in (folder / "generated").glob("*.rst"):  # of an earlier build
        if page.stem not in public:
            page.unlink()
    modules = public_modules()
    pages = {"index": _index(modules), "measures": _measures(), "metrics": _top()}
    pages |= {name: _module_page(name) for name in modules}
    for name, lines in pages.items():
        _write(folder / f"{name}.rst", "\n".join(lines) + "\n")


def _index(modules):
    return [
        *_title("API reference", "="),
        "Everything public, by module. What is not listed here may change without",
        "notice.",
        "",
        ".. toctree::",
        "   :maxdepth: 2",
        "",
        *(f"   {name}" for name in ("measures", "metrics", *modules)),
    ]


def _top():
    lines = [
        *_title("Measures, scorers, reports", "="),
        ".. module:: sklearn_irmetrics",
        "",
        "All of this is imported from ``sklearn_irmetrics``.",
        "",
    ]
    by_file = {}
    for name, value in _top_names().items():
        by_file.setdefault(_home(value).rpartition(".")[2], []).append(name)
    order = [*(f for f in TITLES if f in by_file), *sorted(set(by_file) - set(TITLES))]
    for file in order:
        lines += _title(TITLES.get(file, file.strip("_").capitalize()), "-")
        lines += _autosummary(sorted(by_file[file], key=str.lower))
    lines += _title("From elsewhere", "-")
    for name in sorted(set(_public_names(sklearn_irmetrics)) - set(_top_names())):
        home = _public_home(getattr(sklearn_irmetrics, name))
        lines += [f"- ``{name}`` is `{home}.{name}`"]
    return lines


def _module_page(name):
    module = _module(name)
    return [
        *_title(MODULES.get(name, name), "="),
        f".. module:: {module.__name__}",
        "",
        *inspect.getdoc(module).splitlines(),
        "",
        *_autosummary(_public_names(module)),
    ]


def _measures():
    lines = [
        *_title("Names of measures", "="),
        *ABOUT_NAMES.splitlines(),
        "",
    ]

    def file(item):
        return _home(item[1].function).rpartition(".")[2]

    order = list(TITLES)
    rows = sorted(METRICS.items(), key=lambda item: order.index(file(item)))
    for home, group in groupby(rows, key=file):
        lines += _title(TITLES[home], "-")
        table = [("Name", "Function", "``@``", "Range", "Better", "Ties")]
        table += [_measure(name, row) for name, row in group]
        columns = list(zip(*table, strict=True))
        used = [column for column in columns if set(column[1:]) != {"–"}]
        lines += [".. list-table::", "   :header-rows: 1", ""]
        lines += [line for cells in zip(*used, strict=True) for line in _row(*cells)]
        lines += [""]
    return lines


def _measure(name, row):
    function = f":func:`~sklearn_irmetrics.{row.function.__name__}`"
    fixed = ", ".join(f"``{k}={v!r}``" for k, v in row.arguments.items())
    low, high = (
        f"{end:.3g}".replace("inf", "∞").replace("-", "−") for end in row.range
    )
    return (
        ", ".join(f"``{n}``" for n in (name, *row.aliases)),
        f"{function} with {fixed}" if fixed else function,
        f"``{row.at}``" if row.at in row.parameters else "–",
        f"{low} to {high}",
        BETTER.get(row.function.__name__.rpartition("_")[2], "–"),
        _ties(row),
    )


def _ties(row):
    if not row.ranks:
        return "–" if row.response_method == "predict" else "in the formula"
    return "averaged" if row.exact_ties else "one step"


def _row(*cells):
    return [f"   {'* -' if i == 0 else '  -'} {c}" for i, c in enumerate(cells)]


def _autosummary(names):
    lines = [".. autosummary::", "   :toctree: generated", "   :nosignatures:", ""]
    return [*lines, *(f"   {name}" for name in names), ""]


def _title(text, line):
    return [text, line * len(text), ""]


def _module(name):
    return importlib.import_module(f"sklearn_irmetrics.{name}")


def _public_names(module):
    """Return ``__all__``, or what a module without it defines itself."""
    own = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and _home(value) == module.__name__
    ]
    return list(getattr(module, "__all__", own))


def _home(value):
    """Return the module that defines a function or class; data are ours."""
    return getattr(value, "__module__", None) or "sklearn_irmetrics._measures.presets"


def _top_names():
    """Return what the top level has and neither scikit-learn nor a public module."""
    elsewhere = ("sklearn.", *(f"sklearn_irmetrics.{m}" for m in public_modules()))
    names = _public_names(sklearn_irmetrics)
    values = {name: getattr(sklearn_irmetrics, name) for name in names}
    return {n: v for n, v in values.items() if not _home(v).startswith(elsewhere)}


def _public_home(value):
    return ".".join(p for p in _home(value).split(".") if not p.startswith("_"))


def _write(path, text):
    """Write a file only if it changed, so that Sphinx need not read it again."""
    if not Path(path).exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
