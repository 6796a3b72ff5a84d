"""The pages of the API reference, from what the package makes public."""

import importlib
import importlib.util
import inspect
import pkgutil
import re
from itertools import groupby
from pathlib import Path

import sklearn_irmetrics
from sklearn_irmetrics.metrics._registry import METRICS

# Titles of groups of names, by the module that defines them.
TITLES = {
    "metrics.sets": "Sets",
    "metrics.binary": "Binary relevance",
    "metrics.graded": "Graded relevance",
    "metrics.cascade": "Users who stop reading",
    "metrics.curves": "Curves and their areas",
    "metrics.agreement": "Agreement and rank correlation",
    "metrics.user": "User-oriented",
    "metrics.subtopics": "Subtopics",
    "metrics.experimental.exposure": "Experimental: exposure and fairness",
    "metrics.experimental.propensity": "Experimental: missing labels",
    "metrics.experimental.lists": "Experimental: lists of recommendations",
    "scorers.scorer": "Scorers",
    "reports.report": "Report",
    "reports.query_scores": "Many measures at once",
    "reports.evaluator": "Many rankings of the same documents",
    "reports.cutoffs": "Many cutoffs at once",
    "reports.thresholds": "Many thresholds at once",
    "reports.contingency": "Contingency tables",
    "reports.sampled": "Sampled negatives",
    "metrics.chance": "Chance",
    "metrics._measure": "A measure with its arguments",
    "metrics.custom": "A measure of your own",
    "metrics.presets": "Reproducing other tools",
    "runs.scoring": "Runs",
    "runs.fusion": "Fusion of runs",
    "frames.scoring": "Tables and clusters",
    "streaming.evaluator": "Streams",
    "streaming.summary": "Streams",
}
MODULES = {
    "metrics": "Further measures",
    "scorers": "Scorers to import",
    "model_selection": "Evaluation",
    "estimators": "Rankers",
    "estimators.boosting": "Metrics of boosting libraries",
    "comparison": "Comparison",
    "reports": "Further reports",
    "metrics.experimental": "Experimental measures",
    "runs": "Judgments and runs",
    "frames": "Tables, files, clusters",
    "plot": "Displays",
    "streaming": "Results of streams",
    "judging": "Judgments by people and by models",
    "torch": "Training in several processes",
    "datasets": "Data",
    "exceptions": "Warnings and errors",
}
TOP_SAYS = "Measures, scorers, reports, runs and tables: what is used most."
ABOUT_MEASURES = """\
All measures, with the names that :func:`~sklearn_irmetrics.get_scorer`,
:func:`~sklearn_irmetrics.score_queries`,
:func:`~sklearn_irmetrics.model_selection.evaluate` and others take. The page of each
function has the formula, when to use it, what its options change, and other tools that
compute it. :doc:`/guide/which_measure` recommends one for each task.

Case does not matter in names. The number after ``@`` is the cutoff, or the recall
level; other parameters go in parentheses, as in ``"ap(relevance_threshold=2)@100"``.
Ranges and undefined queries are those of the defaults. Higher is better unless the
range says otherwise; scorers negate measures for which lower is better.
"""
HEADINGS = "Measure", "Names", "What it rewards", "Range", "Undefined for a query"
# By the last word of the name of the function.
BETTER = {
    "loss": "; lower is better",
    "disparity": "; neither end is better",
    "residual": "; neither end is better",
}
AFTER_AT = {"k": "10", "recall_level": "0.1"}
NOT_PUBLIC = ()
INSIDE = ("metrics.experimental", "estimators.boosting")  # public, inside others
NEEDS = {"torch": "torchmetrics"}  # shown where that is installed
OBJECTS = ("scorers",)  # of one class, made when they are asked for
SHOWN_IN_MODULES = ("QueryRanker",)  # though the top level has them, too


def public_objects():
    """Return the full name of everything public that is ours, with the object."""
    found = {f"{sklearn_irmetrics.__name__}.{n}": v for n, v in _top_names().items()}
    for module in (_module(name) for name in public_modules() if name not in OBJECTS):
        for name in _public_names(module):
            found[f"{module.__name__}.{name}"] = getattr(module, name)
    del found["sklearn_irmetrics.metrics.set_dice_score"]  # a name of set_f1_score
    return found


def public_modules():
    """Return the names of the public modules below the top level, in order."""
    found = {
        module.name
        for module in pkgutil.iter_modules(sklearn_irmetrics.__path__)
        if not module.name.startswith("_")
        and importlib.util.find_spec(NEEDS.get(module.name, "sklearn_irmetrics"))
    } - {*NOT_PUBLIC} | {*INSIDE}
    return [*(m for m in MODULES if m in found), *sorted(found - set(MODULES))]


def write_reference(folder):
    """Write ``index.rst``, ``measures.rst`` and a page per module."""
    folder.mkdir(exist_ok=True)
    public = public_objects()
    for page in (folder / "generated").glob("*.rst"):  # of an earlier build
        if page.stem not in public:
            page.unlink()
    modules = public_modules()
    pages = {"index": _index(modules), "measures": _measures(), "top": _top()}
    pages |= {name: _module_page(name) for name in modules}
    for name, lines in pages.items():
        _write(folder / f"{name}.rst", "\n".join(lines) + "\n")


def _index(modules):
    return [
        *_title("API reference", "="),
        "Everything public, by module. What is not listed here may change without",
        "notice.",
        "",
        ".. list-table::",
        "   :widths: 40 60",
        "",
        "   * - :doc:`sklearn_irmetrics <top>`",
        f"     - {TOP_SAYS}",
        *(line for name in modules for line in _module_row(name)),
        "",
        ".. toctree::",
        "   :maxdepth: 2",
        "",
        *(f"   {name}" for name in ("measures", "top", *modules)),
    ]


def _module_row(name):
    module = _module(name)
    says = " ".join(inspect.getdoc(module).partition("\n\n")[0].split())
    return [f"   * - :doc:`{module.__name__} <{name}>`", f"     - {says}"]


def _top():
    lines = [
        *_title("Measures, scorers, reports", "="),
        ".. module:: sklearn_irmetrics",
        "",
        "All of this is imported from ``sklearn_irmetrics``.",
        "",
    ]
    groups = {title: [] for title in TITLES.values()}
    for name, value in _top_names().items():
        groups[TITLES[_inside(value)]].append(name)
    for title, names in groups.items():
        if names:
            lines += [*_title(title, "-"), *_autosummary(sorted(names, key=str.lower))]
    lines += _title("From elsewhere", "-")
    for name in sorted(set(sklearn_irmetrics.__all__) - set(_top_names())):
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
        *(_scorers if name in OBJECTS else _autosummary)(_public_names(module)),
    ]


def _scorers(names):
    """Return a line for each scorer that can be imported."""
    measures = [getattr(_module("scorers"), name).measure for name in names]
    return [
        f'- ``{name}``: ``get_scorer("{measure}")``'
        for name, measure in zip(names, measures, strict=True)
    ]


def _measures():
    """Return the page with a table of all measures."""
    order = list(TITLES)
    rows = [HEADINGS]
    functions = dict.fromkeys(row.function for row in METRICS.values())
    ordered = sorted(functions, key=lambda function: order.index(_inside(function)))
    for home, group in groupby(ordered, key=_inside):
        rows += [(f"**{TITLES[home]}**", *[""] * (len(HEADINGS) - 1))]
        rows += [_row(measure_facts(function)) for function in group]
    lines = [*_title("Measures at a glance", "="), *ABOUT_MEASURES.splitlines(), ""]
    lines += [".. list-table::", "   :header-rows: 1", "   :widths: 23 19 24 13 21", ""]
    for row in rows:
        for i, cell in enumerate(row):
            lines += [f"   {' ' if i else '*'} - {cell}"]
    return lines


def _row(facts):
    page = f"/api/generated/{facts['name']}"
    cells = [f":doc:`{facts['title']} <{page}>`", facts["names"]]
    return [*cells, facts["says"], facts["range"], facts["undefined"]]


def measure_facts(function):
    """Return what the registry and the docstring say of a measure, by field."""
    rows = [row for row in METRICS.values() if row.function is function]
    docstring = inspect.getdoc(function)
    summary = " ".join(docstring.partition("\n\n")[0].split())
    title, _, says = summary.partition(": ")
    returns = re.search(r"\nReturns\n-+\n.*\n((?: .*\n)+)", docstring)[1]
    ends, _, undefined = " ".join(returns.split()).partition("; ")
    is_at_the_top = function.__name__ in _top_names()
    home = "sklearn_irmetrics" if is_at_the_top else _public_home(function)
    better = BETTER.get(function.__name__.rpartition("_")[2], "")
    return {
        "name": f"{home}.{function.__name__}",
        "title": title,
        "says": says if says.startswith("nDCG") else f"{says[0].upper()}{says[1:]}",
        "names": _names(rows),
        "range": _shorten(ends) + better,
        "undefined": _shorten(undefined),
    }


def index_entries():
    """Return the words that find the page of a measure, by its full name."""
    found = {}
    for function in dict.fromkeys(row.function for row in METRICS.values()):
        facts = measure_facts(function)
        words = re.split(r"[()]", facts["title"].removesuffix(" of a retrieved set"))
        for row in METRICS.values():
            if row.function is function:
                words += [row.name, *row.aliases]
        words = dict.fromkeys(word.strip().lower() for word in words if word.strip())
        found[facts["name"]] = ", ".join(f"! {word}" for word in words)
    return found


def _shorten(text):
    """Leave out what holds of options only, and the query, which is in the heading."""
    text = re.sub(r" \([^)]*\)", "", text.partition(". ")[0]).removesuffix(".")
    text = text.removeprefix("undefined ").removeprefix("for a query ")
    text = re.sub(r"^Between (\S+) and (\S+)", r"\1 to \2", text)
    return text.replace("defined for every query", "never")


def _names(rows):
    """Return all names of a function, and what they stand for."""
    texts = []
    for row in rows:
        text = ", ".join(f"``{name}``" for name in (row.name, *row.aliases))
        fixed = ", ".join(f"``{k}={v!r}``" for k, v in row.arguments.items())
        texts += [f"{text} for {fixed}" if fixed else text]
    at = rows[0].at_parameter
    if at in rows[0].parameters:
        texts[0] += f", as in ``{rows[0].name}@{AFTER_AT[at]}``"
    return "; ".join(texts)


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
    names = set(getattr(module, "__all__", own)) - set(_top_names())
    return sorted(
        name
        for name in names
        if not _home(getattr(module, name)).startswith("sklearn.")
    )


def _home(value):
    """Return the module that defines a function or class; data are ours."""
    return getattr(value, "__module__", None) or "sklearn_irmetrics.metrics.presets"


def _inside(value):
    """Return the module that defines it, without the name of the package."""
    return _home(value).removeprefix(f"{sklearn_irmetrics.__name__}.")


def _top_names():
    """Return what the pages show of the top level, by name."""
    return {
        name: value
        for name in sklearn_irmetrics.__all__
        if name not in SHOWN_IN_MODULES
        and not _home(value := getattr(sklearn_irmetrics, name)).startswith("sklearn.")
    }


def _public_home(value):
    # A file of a package is not public: the package shows what it holds.
    shown = (f"sklearn_irmetrics.{name}" for name in (*MODULES, "metrics"))
    inside = [name for name in shown if f"{_home(value)}.".startswith(f"{name}.")]
    return max(inside, key=len, default="sklearn_irmetrics")


def _write(path, text):
    """Write a file only if it changed, so that Sphinx need not read it again."""
    if not Path(path).exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
