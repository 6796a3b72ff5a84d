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

# By subject: the modules that define the functions and classes, with the page of the
# guide on them.
SUBJECTS = {
    "Sets and classes": {
        "metrics.sets": "guide/sets",
        "reports.contingency": "guide/classification",
        "reports.classes": "guide/ordinary_classification",
    },
    "Rankings by binary relevance": {"metrics.binary": "guide/rankings"},
    "Rankings by graded relevance": {
        "metrics.graded": "guide/graded",
        "metrics.cascade": "guide/graded",
    },
    "Curves and their areas": {
        "metrics.curves": "guide/curves",
        "metrics.gain_curves": "guide/curves",
    },
    "Diversity and subtopics": {"metrics.subtopics": "guide/subtopics"},
    "Coverage, novelty and relative recall": {"metrics.user": "guide/user_oriented"},
    "Agreement and rank correlation": {"metrics.agreement": "guide/agreement"},
    "Experimental measures": {"metrics.experimental": "guide/experimental"},
    "Chance": {"metrics.chance": "guide/chance"},
    "Names of measures and custom measures": {
        "metrics._measure": "guide/names",
        "metrics.custom": "guide/own_measure",
        "metrics.presets": "coming_from",
    },
    "Many measures, cutoffs and thresholds": {
        "reports": "guide/reports",
        "reports.query_scores": "guide/data",
        "reports.sampled": "guide/recommenders",
        "reports.evaluator": "guide/training_loops",
        "reports.thresholds": "guide/classification",
    },
    "Scorers": {"scorers": "guide/scorers"},
    "Splitters": {"model_selection.splitters": "guide/estimation"},
    "Estimates and learning curves": {
        "model_selection": "guide/estimation",
        "model_selection.learning_curve": "guide/training_data",
        "_statistics.intervals": "guide/intervals",
    },
    "Comparison, leaderboards, planning": {
        "comparison": "guide/comparing",
        "comparison.leaderboards": "guide/leaderboards",
        "comparison.planning": "guide/planning",
    },
    "Rankers and boosting libraries": {"estimators": "guide/rankers"},
    "Runs and qrels": {"runs": "guide/trec", "reports.aligned": "guide/trec"},
    "Data frames and clusters": {"frames": "guide/frames"},
    "Streams and processes": {
        "streaming": "guide/streams",
        "torch": "guide/distributed",
    },
    "LLM judges and human labels": {
        "judging": "guide/judging",
        "judging.planning": "guide/labelling",
        "judging.sampling": "guide/labelling",
    },
    "Plots": {"plot": "guide/reports"},
    "Data sets": {"datasets": "quickstart"},
    "Warnings and errors": {"exceptions": "faq"},
}
# Pages on single names.
PAGES = {
    "bpref_score": "guide/unjudged",
    "inferred_average_precision_score": "guide/unjudged",
    "judged_at_k_score": "guide/unjudged",
    "load_letor": "guide/rankers",
    "silence_score": "guide/no_answer",
    "set_cost_matrix_loss": "guide/classification",
    "ResampledSplit": "guide/training_data",
    "QueryTimeSeriesSplit": "guide/training_data",
    "AbstentionCurve": "guide/no_answer",
    "AbstentionDisplay": "guide/no_answer",
    "SilenceDisplay": "guide/no_answer",
    "abstention_curve": "guide/no_answer",
    "ClassReportDisplay": "guide/ordinary_classification",
    "ThresholdDisplay": "guide/classification",
    "LeaderboardDisplay": "guide/leaderboards",
    "QueryDifferenceDisplay": "guide/comparing",
    "QueryLearningCurveDisplay": "guide/training_data",
    "UndefinedScoreError": "guide/undefined",
    "UnmatchedIdsWarning": "guide/trec",
}
MODULES = (
    "metrics",
    "metrics.experimental",
    "scorers",
    "model_selection",
    "comparison",
    "reports",
    "estimators",
    "estimators.boosting",
    "runs",
    "frames",
    "plot",
    "streaming",
    "torch",
    "judging",
    "datasets",
    "exceptions",
)
ABOUT = """\
Everything public, by subject: functions first, then classes. A name without a dot is
imported from ``sklearn_irmetrics``, as in
``from sklearn_irmetrics import ndcg_score``; ``comparison.compare`` is imported from
``sklearn_irmetrics.comparison``. Each page links to the guide and to the source. What
is not listed here may change without notice.

- :doc:`measures` is a table of all measures with their names and ranges.
- :doc:`modules` says what each module is for.
"""
ABOUT_TOP = """\
What is used most: measures, scorers, reports, runs and tables. It also has
:class:`~sklearn_irmetrics.estimators.QueryRanker` and
:func:`sklearn.metrics.cohen_kappa_score`."""
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
AFTER_AT = {
    "k": "10",
    "recall_level": "0.9",
    "min_precision": "0.9",
    "max_fpr": "0.01",
}
INSIDE = ("metrics.experimental", "estimators.boosting")  # public, inside others
NEEDS = {"torch": "torchmetrics"}  # shown where that is installed
OBJECTS = ("scorers",)  # of one class, made when they are asked for
# Though the top level has them, too.
SHOWN_IN_MODULES = ("QueryKFold", "QueryRanker", "compare", "evaluate")


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
    } | {*INSIDE}
    return [*(m for m in MODULES if m in found), *sorted(found - set(MODULES))]


def write_reference(folder):
    """Write the index by subject, the table of measures, and the page on modules."""
    folder.mkdir(exist_ok=True)
    public = public_objects()
    for page in (folder / "generated").glob("*.rst"):  # of an earlier build
        if page.stem not in public:
            page.unlink()
    pages = {"index": _index(public), "measures": _measures(), "modules": _modules()}
    for page in folder.glob("*.rst"):
        if page.stem not in pages:
            page.unlink()
    for name, lines in pages.items():
        _write(folder / f"{name}.rst", "\n".join(lines) + "\n")


def guide_pages():
    """Return the page of the guide on everything public, by full name."""
    return {name: _page(value) for name, value in public_objects().items()}


def _page(value):
    subject, module = _subject(value)
    return PAGES.get(getattr(value, "__name__", None), SUBJECTS[subject][module])


def _subject(value):
    """Return the title of the subject of something public, and its module there."""
    home = f"{_inside(value)}."
    found = [
        (title, module)
        for title, modules in SUBJECTS.items()
        for module in modules
        if home.startswith(f"{module}.")
    ]
    if not found:
        raise LookupError(f"SUBJECTS must hold every module; got {_inside(value)!r}.")
    return max(found, key=lambda pair: len(pair[1]))


def _index(public):
    lines = [*_title("API reference", "="), *ABOUT.splitlines(), ""]
    lines += [".. toctree::", "   :hidden:", "", "   measures", "   modules", ""]
    links = [f":ref:`api-{_slug(subject)}`" for subject in SUBJECTS]
    lines += [" · ".join(links), "", ".. currentmodule:: sklearn_irmetrics", ""]
    for subject in SUBJECTS:
        values = {n: v for n, v in public.items() if _subject(v)[0] == subject}
        lines += [f".. _api-{_slug(subject)}:", "", *_title(subject, "-")]
        pages = dict.fromkeys(map(_page, values.values()))
        lines += ["Guide: " + ", ".join(f":doc:`/{page}`" for page in pages), ""]
        lines += _autosummary(sorted(values, key=_functions_first), subject)
    return lines


def _functions_first(name):
    last = name.rpartition(".")[2]
    return last[0].isupper() and not last.isupper(), last.lower()


def _slug(title):
    return "-".join(re.findall(r"\w+", title.lower()))


def _modules():
    lines = [*_title("Modules", "="), ":doc:`index` lists what each holds.", ""]
    lines += [*_title("sklearn_irmetrics", "-"), ".. module:: sklearn_irmetrics", ""]
    lines += [ABOUT_TOP, ""]
    for name in public_modules():
        module = _module(name)
        lines += [*_title(name, "-"), f".. module:: {module.__name__}", ""]
        lines += [*inspect.getdoc(module).splitlines(), ""]
        lines += _scorers(_public_names(module)) if name in OBJECTS else []
    return lines


def _scorers(names):
    """Return a line for each scorer that can be imported."""
    measures = [getattr(_module("scorers"), name).measure for name in names]
    lines = [
        f'- ``{name}``: ``get_scorer("{measure}")``'
        for name, measure in zip(names, measures, strict=True)
    ]
    return [*lines, ""]


def _measures():
    """Return the page with a table of all measures."""
    order = list(SUBJECTS)
    rows = [HEADINGS]
    functions = dict.fromkeys(row.function for row in METRICS.values())
    ordered = sorted(functions, key=lambda value: order.index(_subject(value)[0]))
    for subject, group in groupby(ordered, key=lambda value: _subject(value)[0]):
        rows += [(f"**{subject}**", *[""] * (len(HEADINGS) - 1))]
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


def _autosummary(names, caption):
    lines = [".. autosummary::", "   :toctree: generated", f"   :caption: {caption}"]
    shown = [name.removeprefix("sklearn_irmetrics.") for name in names]
    return [*lines, "   :nosignatures:", "", *(f"   {name}" for name in shown), ""]


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
