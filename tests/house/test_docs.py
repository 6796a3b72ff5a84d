"""The documentation: its code runs, and leaves out nothing public.

The build of the documentation runs the examples of the gallery.
"""

import doctest
import importlib.util
import inspect
import pkgutil
import re
import sys
import warnings
from collections import Counter
from dataclasses import is_dataclass

import numpy as np
import pytest
from sklearn import config_context

import sklearn_irmetrics
from oracles.code_blocks import Reader, find_blocks
from oracles.measures import METRICS, SHARED_PARAMETERS
from oracles.places import ROOT
from sklearn_irmetrics.metrics.presets import PRESETS

DOCS = ROOT / "docs"
WRITTEN_BY_SPHINX = {DOCS / "api", DOCS / "auto_examples", DOCS / "_build"}
PAGES = [
    page
    for page in sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.rst"), *DOCS.rglob("*.md")])
    if not WRITTEN_BY_SPHINX & set(page.parents)
]
WITH_OTHERS = {
    "recipes",
    "training_loops",
    "distributed",
    "neighbours",
}  # libraries that warn of each other
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(
        sklearn_irmetrics.__path__, "sklearn_irmetrics."
    )
    if not module.name.endswith("__main__")
)
MEASURES = list(dict.fromkeys(row.function for row in METRICS.values()))
ENDS = {(0.0, 1.0): "0 to 1", (-1.0, 1.0): "-1 to 1"}
TOOLS = {
    "trec_eval10": "trec_eval",
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
    "catboost": "CatBoost",
    "torchmetrics": "torchmetrics",
    "ranx": "ranx",
    "sklearn": "scikit-learn",
    "spark": "Spark",
    "allrank": "allRank",
    "tf_ranking": "TF-Ranking",
    "elasticsearch": "Elasticsearch",
    "ml_metrics": "ml_metrics",
    "lenskit": "LensKit",
}


def load(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def run_all(tmp_path, monkeypatch, capsys, record_property):
    """Run texts where they may write, leave no trace, and skip saying what lacks."""

    def run(texts):
        counts = Counter()
        for path, blocks, names in texts:
            reader = Reader(str(path), names, capsys)
            reader.read(blocks)
            counts += reader.counts
        record_property("blocks of code", dict(counts))
        lacking = [f"{n} {key}" for key, n in counts.items() if "without " in key]
        if lacking:
            pytest.skip(f"blocks left out: {', '.join(lacking)}; the others pass")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    with config_context(), np.printoptions():  # pages switch metadata routing on
        yield run
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def test_there_are_pages():
    assert len(PAGES) > 30
    assert len(MODULES) > 60


@pytest.mark.parametrize(
    "text",
    [
        ">>> 1 + 1\n3",
        ".. code-block:: python\n\n   nowhere",
        ".. code-block:: python\n\n   nowhere  # doctest: +SKIP",
        ".. code-block:: console\n\n   $ irmetrics metrics ndcg\n   something else",
        ".. code-block:: console\n\n   $ irmetrics metrics nowhere",
        ".. code-block:: bash\n\n   nowhere --force",
        ".. code-block:: bash\n\n   pip install .[nowhere]",
        ".. code-block:: bash\n\n   python benchmarks/merging.py --nowhere",
        ".. code-block:: text\n\n   irmetrics metrics",
        ".. tab-item:: One\n\n   .. code-block:: ruby\n\n      nowhere",
        "So it goes::\n\n   >>> 1 + 1\n   3",
        ".. plot::\n\n   nowhere",
    ],
)
def test_mistakes_in_blocks_are_found(text, run_all):
    with pytest.raises(AssertionError):
        run_all([("page", find_blocks(text), {})])


def test_what_is_not_run_is_told(capsys):
    texts = (
        "```python\nimport nowhere\nx = 1\n```\n\n```python\nprint(x)\n```",
        "```python\nx = 2\n```\n\n```python\nassert x == 2\n```",
        "```python\n# Not run: it never ends\nnowhere\n```",
        "```text\nnowhere\n```",
    )
    reader = Reader("page", {}, capsys)
    reader.read(find_blocks("\n\n".join(texts), markdown=True))
    assert reader.counts == {
        "without nowhere": 2,
        "run": 2,
        "marked as not run": 1,
        "no code": 1,
    }


@pytest.mark.parametrize("page", sorted(DOCS.glob("guide/*.rst")), ids=lambda p: p.stem)
def test_pages_of_the_guide_are_short(page):
    assert len(page.read_text(encoding="utf-8").split()) <= 2500


@pytest.mark.filterwarnings("ignore:Failed to import numba")  # CatBoost
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_of_pages(page, run_all):
    if page.stem in WITH_OTHERS:
        warnings.simplefilter("ignore")
    text = page.read_text(encoding="utf-8")
    blocks = find_blocks(text, markdown=page.suffix == ".md")
    run_all([(page, blocks, {"__name__": "__main__"})])


@pytest.mark.parametrize("name", MODULES)
def test_code_of_docstrings(name, run_all):
    module = pytest.importorskip(name)
    objects = doctest.DocTestFinder(exclude_empty=False).find(module)
    run_all(
        (one.name, find_blocks(one.docstring, line=(one.lineno or 0) + 1), one.globs)
        for one in objects
    )


WIDEST = 88


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_printed_line_of_a_page_is_wide(page):
    text = page.read_text(encoding="utf-8")
    wide = [
        line
        for block in find_blocks(text, markdown=page.suffix == ".md")
        if block.language == "doctest"
        for example in doctest.DocTestParser().get_examples(block.code)
        if not example.exc_msg and "to_markdown(" not in example.source
        for line in example.want.splitlines()
        if len(line) > WIDEST
    ]
    assert not wide


def test_reference_has_everything_public():
    pytest.importorskip("matplotlib")
    reference = load("reference")
    names = reference.public_objects()
    found = list(names.values())
    for row in METRICS.values():
        assert row.function in found
    listed = [id(value) for value in names.values()]
    assert len(listed) == len(set(listed))  # nothing twice
    for name in sklearn_irmetrics.__all__:
        assert id(getattr(sklearn_irmetrics, name)) in listed
    public = {name.split(".")[1] for name in MODULES if "._" not in name}
    modules = {name.split(".")[1] for name in names if name.count(".") > 1}
    assert modules - {"torch"} == public - {"torch", "scorers"}


def test_reference_is_written(tmp_path):
    pytest.importorskip("matplotlib")
    reference = load("reference")
    reference.write_reference(tmp_path / "api")
    pages = {
        page.stem: page.read_text(encoding="utf-8")
        for page in (tmp_path / "api").iterdir()
    }
    listed = re.findall(r"^   ([\w.]+)$", pages["index"], re.M)
    names = [f"sklearn_irmetrics.{name}" for name in listed[2:]]  # after two pages
    assert sorted(names) == sorted(reference.public_objects())
    for page in reference.guide_pages().values():
        assert (DOCS / f"{page}.rst").exists()
    for name, row in METRICS.items():
        for alias in (name, *row.aliases):
            assert f"``{alias}``" in pages["measures"]
    for function in MEASURES:
        facts = reference.measure_facts(function)
        link = f":doc:`{facts['title']} </api/generated/{facts['name']}>`"
        assert pages["measures"].count(link) == 1


@pytest.mark.parametrize("function", MEASURES, ids=lambda function: function.__name__)
def test_docstring_of_measure(function):
    facts = load("reference").measure_facts(function)
    assert facts["says"].endswith(".")
    docstring = inspect.getdoc(function)
    assert "\n\nUse it " in docstring
    assert "\nNotes\n-----\n.. math::\n\n   " in docstring
    assert "\nSee Also\n" in docstring
    elsewhere = docstring.partition("\nElsewhere: ")[2].partition("\n\n")[0]
    rows = [row for row in METRICS.values() if row.function is function]
    assert facts["range"].startswith(ENDS.get(rows[0].range, ("A", "In ")))
    assert PRESETS.keys() == TOOLS.keys() | {"trec_eval9"}
    for tool, name in TOOLS.items():
        if any(row.name in PRESETS[tool] for row in rows):
            assert name in " ".join(elsewhere.split())


# What they are given is labels, or two lists of scores.
DESCRIBE_DATA = {"set_cost_matrix_loss", "rank_biased_overlap_score"}


def test_shared_parameters_are_described_in_the_same_words():
    docscrape = pytest.importorskip("numpydoc.docscrape")
    shared = {*SHARED_PARAMETERS, "k", "pos_label", "relevance_threshold"}
    shared |= {"y_true", "y_score", "y_pred", "judged_only"}
    texts = {}
    for function in MEASURES:
        for parameter in docscrape.FunctionDoc(function)["Parameters"]:
            if parameter.name in shared:
                text = parameter.name, parameter.type, *parameter.desc
                texts.setdefault(text, []).append(function.__name__)
    alone = {names[0]: text for text, names in texts.items() if len(names) == 1}
    assert alone.keys() <= DESCRIBE_DATA, alone


def own_methods(value):
    for name, method in inspect.getmembers(value, inspect.isfunction):
        ours = method.__module__.startswith("sklearn_irmetrics")
        if ours and not name.startswith("_") and "\n" in inspect.getdoc(method):
            yield name


def test_docstrings_are_complete():
    validate = pytest.importorskip("numpydoc.validate").validate
    docscrape = pytest.importorskip("numpydoc.docscrape")
    pytest.importorskip("matplotlib")
    # Docstrings may be short (ES01) and without relatives (SA01); summaries of measures
    # are their names (SS05), and what is returned may have a name, too (RT02).
    ignored = {"ES01", "SA01", "SS05", "RT02"}
    of_results = {"PR01", "EX01"}  # they come from functions, and list attributes
    of_methods = {"EX01", "RT01", "RT03"}  # the class has them, the summary says it
    found = []
    for name, value in load("reference").public_objects().items():
        is_class = inspect.isclass(value)
        kinds = tuple, Exception
        is_result = is_dataclass(value) or (is_class and issubclass(value, kinds))
        allowed = ignored | (of_results if is_result else set())
        checks = [(name, allowed)] if callable(value) else []
        if is_class:
            methods = [f"{name}.{method}" for method in own_methods(value)]
            checks += [(method, allowed | of_methods) for method in methods]
        elif callable(value) and inspect.signature(value).parameters:
            assert docscrape.get_doc_object(value)["Raises"], name
        for checked, codes in checks:
            errors = validate(checked)["errors"]
            found += [(checked, *error) for error in errors if error[0] not in codes]
    assert not found


def test_see_also_names_something_public():
    pytest.importorskip("matplotlib")
    public = load("reference").public_objects()
    short = {name.rpartition(".")[2] for name in public}
    for name, value in public.items():
        section = re.search(
            r"See Also\n\s*-+\n(.*?)(?:\n\n|\Z)", value.__doc__ or "", re.S
        )
        for target in re.findall(
            r"^\s*([\w.]+) :", section[1] if section else "", re.M
        ):
            known = target in public or target in short or target.startswith("sklearn.")
            assert known, f"{name} refers to {target}"


def test_figures_of_the_readme_are_those_of_the_pages():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (checked,) = re.findall(r"^- \*\*Checked\*\* .*?\n(?=\n|- )", text, re.M | re.S)
    names = "conformance.md", "trust.rst"
    pages = [(DOCS / name).read_text(encoding="utf-8") for name in names]
    figures = re.findall(r"\d[\d,]*", checked)
    assert len(figures) == 3
    for figure in figures:
        assert any(f"{figure} " in page for page in pages), figure


def test_markdown_pages_have_one_title():
    for page in DOCS.glob("*.md"):
        assert len(re.findall(r"^# ", page.read_text(encoding="utf-8"), re.M)) == 1


def test_cells_of_tables_have_the_name_of_their_column_and_long_names_break():
    tables = load("tables")
    cell = '<td><p><code><span class="pre">{}</span></code></p></td>'
    table = (
        '<table class="table"><thead><tr><th class="head"><p>Name</p></th><th>At &amp;'
        " <em>k</em></th></tr></thead><tbody><tr>"
        f"{cell.format('func(long_name=1)')}<td>2</td></tr>"
        f"<tr>{cell.format('set_p')}<td>2</td></tr>"
        "<tr><td><p>7</p></td><td>2</td></tr></tbody></table>"
    )
    plain = '<table class="dataframe"><tr><td>2</td></tr></table>'
    long = f"a_{'b' * 30}"
    context = {"body": f'{table}\n{plain}<span class="pre">{long}</span>'}
    tables.fit_tables(None, "page", "page.html", context, None)
    named = (
        table.replace("<td>2", '<td data-label="At &amp; k">2')
        .replace("<td><p>7", '<td data-label="Name"><p>7')
        .replace("func(long_name=1)", "func(<wbr>long_<wbr>name=<wbr>1)")
    )
    marked = f'<span class="pre long">a_<wbr>{long[2:]}</span>'
    assert context["body"] == f"{named}\n{plain}{marked}"
    nothing = {}
    tables.fit_tables(None, "search", "search.html", nothing, None)
    assert nothing == {}
