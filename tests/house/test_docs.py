"""The documentation: its code runs, and leaves out nothing public."""

import doctest
import importlib.util
import re
import runpy
import shlex

import pytest
from sklearn import config_context

import sklearn_irmetrics
from oracles.places import ROOT
from sklearn_irmetrics._cli.main import main
from sklearn_irmetrics._measures.registry import METRICS

DOCS = ROOT / "docs"
PAGES = [
    page
    for page in sorted([*DOCS.glob("*.rst"), *DOCS.glob("guide/*.rst")])
    if ">>>" in page.read_text(encoding="utf-8")
]
RANKERS = re.compile("lightgbm|xgboost|catboost")  # run where these are tested
EXAMPLES = [
    example
    for example in sorted(DOCS.glob("examples/plot_*.py"))
    if not RANKERS.search(example.read_text(encoding="utf-8"))
]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def load_reference():
    spec = importlib.util.spec_from_file_location("reference", DOCS / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def console_blocks(page):
    """Return the commands of a page, each with what it prints."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(
        r"^\.\. code-block:: console\n\n(.*?)(?=^\S)", text, re.M | re.S
    )
    runs = [run for block in blocks for run in block.split("   $ ")[1:]]
    return [run.split("\n", 1) for run in runs]


def name_of(path):
    return path.stem


def test_there_are_pages_and_examples():
    assert len(PAGES) > 15
    assert sum(len(console_blocks(page)) for page in PAGES) > 3
    assert len(EXAMPLES) > 7


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_of_pages(page, tmp_path, monkeypatch, capsys):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    with config_context():  # some pages switch metadata routing on
        failed, attempted = doctest.testfile(
            str(page), module_relative=False, optionflags=FLAGS, encoding="utf-8"
        )
    assert attempted
    assert not failed, capsys.readouterr().out
    for command, output in console_blocks(page):
        assert main(shlex.split(command)[1:]) == 0
        assert capsys.readouterr().out.split() == output.split()


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_examples_run(example, monkeypatch, capsys):
    plt = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    with config_context():  # the examples switch metadata routing on
        runpy.run_path(str(example))
    plt.close("all")
    assert capsys.readouterr().out


def test_reference_has_everything_public():
    pytest.importorskip("matplotlib")
    reference = load_reference()
    names = reference.public_objects()
    for row in METRICS.values():
        assert f"sklearn_irmetrics.{row.function.__name__}" in names
    listed = [id(value) for value in names.values()]
    assert len(listed) == len(set(listed))  # nothing twice
    for name in set(sklearn_irmetrics.__all__) - {"cohen_kappa_score"}:
        assert id(getattr(sklearn_irmetrics, name)) in listed
    assert {name.split(".")[1] for name in names if name.count(".") > 1} == {
        "boosting",
        "datasets",
        "estimators",
        "exceptions",
        "model_selection",
        "plot",
        "trec",
    }


def test_reference_is_written(tmp_path):
    pytest.importorskip("matplotlib")
    reference = load_reference()
    reference.write_reference(tmp_path / "api")
    pages = {
        page.stem: page.read_text(encoding="utf-8")
        for page in (tmp_path / "api").iterdir()
    }
    listed = set(re.findall(r"^   (\w+)$", "\n".join(pages.values()), re.M))
    for name in reference.public_objects():
        assert name.rpartition(".")[2] in listed
    for name, row in METRICS.items():
        for alias in (name, *row.aliases):
            assert f"``{alias}``" in pages["measures"]


def test_see_also_names_something_public():
    pytest.importorskip("matplotlib")
    public = load_reference().public_objects()
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


def test_markdown_pages_have_one_title():
    for page in DOCS.glob("*.md"):
        assert len(re.findall(r"^# ", page.read_text(encoding="utf-8"), re.M)) == 1
