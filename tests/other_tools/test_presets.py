"""The same number as another tool, and a page of the docs that says how close."""

import importlib
import re

import numpy as np
import pytest

from oracles.measures import METRICS
from oracles.places import ROOT
from sklearn_irmetrics import Measure, get_scorer
from sklearn_irmetrics.metrics.presets import PRESETS, preset

PAGE = ROOT / "docs" / "conformance.md"
ENTRIES = [(tool, measure) for tool in PRESETS for measure in PRESETS[tool]]
# What has to be there for a comparison; None: nothing else.
NEEDED = {
    "trec_eval9": "pytrec_eval",
    "trec_eval10": None,
    "lightgbm": "lightgbm",
    "xgboost": "xgboost",
    "catboost": "catboost",
    "torchmetrics": "torchmetrics",
    "ranx": "ranx",
    "sklearn": None,
    "spark": "pyspark",
    "allrank": "allrank.models.metrics",
    "tf_ranking": None,
    "elasticsearch": None,
    "ml_metrics": "ml_metrics",
    "lenskit": "lenskit.metrics.ranking",
}


@pytest.fixture(scope="module")
def conformance():
    return importlib.import_module("conformance")


def compared(conformance, tool):
    """Return the rows of one tool."""
    if NEEDED[tool]:
        pytest.importorskip(NEEDED[tool])
    if tool == "trec_eval10" and not conformance.EXPECTED.is_dir():
        pytest.skip(f"the expected files are not in {conformance.EXPECTED}")
    rows, absent = conformance.compare([tool])
    if tool == "spark" and absent:
        pytest.skip(absent[tool])  # no Java
    assert not absent
    return rows


# The same number ----------------------------------------------------------------------


@pytest.mark.parametrize("tool", PRESETS)
def test_the_number_of_the_tool(conformance, tool):
    rows = compared(conformance, tool)
    # Printed numbers have 4 decimals; the others come from float64 arithmetic.
    tolerance = 5.01e-5 if tool == "trec_eval10" else 1e-6
    assert all(row.n_values > 0 for row in rows)
    assert not [row for row in rows if not row.difference <= tolerance]
    assert {row.measure for row in rows} == set(PRESETS[tool])


def test_catboost_compares_grades_in_single_precision():
    least = preset("catboost", "rr")["relevance_threshold"]
    assert np.float32(least) > 0.5
    assert np.float32(np.nextafter(least, 0)) == 0.5


@pytest.mark.parametrize("grade", [0.0, 0.5, 0.5000001, 0.6, 1.0])
def test_what_is_relevant_to_catboost(grade):
    evaluate = pytest.importorskip("catboost.utils").eval_metric
    y_true, y_score = [0.0, grade, 2.0], [1.0, 3.0, 2.0]
    for name, theirs in (("ap", "MAP"), ("rr", "MRR"), ("p@1", "PrecisionAt:top=1")):
        (expected,) = evaluate(y_true, y_score, theirs, group_id=[0, 0, 0])
        function = Measure(name).metric.function
        assert function(y_true, y_score, **preset("catboost", name)) == expected


@pytest.mark.parametrize(
    ("name", "theirs"), [("p", "pre"), ("ap", "map"), ("ndcg",) * 2]
)
def test_xgboost_cuts_long_rankings_where_no_cutoff_is_named(conformance, name, theirs):
    pytest.importorskip("xgboost")
    rng = np.random.default_rng(0)
    y_true = (rng.random(60) < 0.3).astype(float)
    y_score = rng.normal(size=60).astype(np.float32)
    (expected,) = conformance.xgboost_results([theirs], [(y_true, y_score)])
    function = Measure(name).metric.function
    value = function(y_true, y_score, **preset("xgboost", name))
    assert value == pytest.approx(expected[theirs], abs=1e-12)
    assert abs(function(y_true, y_score, k=60) - value) > 0.05
    assert preset("xgboost", f"{name}@10")["k"] == 10


# The dict and its helper --------------------------------------------------------------


@pytest.mark.parametrize(("tool", "measure"), ENTRIES)
def test_presets_suit_function_and_scorer(tool, measure):
    arguments = preset(tool, measure)
    assert PRESETS[tool][measure].items() <= arguments.items()
    y_score = [1, 1, 0] if measure.startswith("set_") else [3, 2, 1]
    value = Measure(measure).metric.function([1, 0, 1], y_score, **arguments)
    assert isinstance(value, float)
    if measure != "rbp_residual":
        cutoff = {} if METRICS[measure].ranks_without_k else {"k": 5}
        get_scorer(measure, **cutoff | arguments)


def test_what_the_name_says_is_returned_too():
    ndcg = {"gain": "exponential", "ties": "stable", "replace_undefined_by": 1.0}
    assert preset("lightgbm", "ndcg") == ndcg
    assert preset("lightgbm", "NDCG@10") == {**ndcg, "k": 10}
    assert preset("lightgbm", "ndcg(gain='linear')@3")["gain"] == "linear"
    assert preset("xgboost", "map@2") == preset("xgboost", "ap@2")
    assert preset("trec_eval9", "iprec@0.1")["recall_level"] == 0.1
    assert preset("trec_eval9", "gmap")["average"] == "geometric"


def test_whatever_a_preset_sets_can_be_written_out():
    assert preset("spark", "ap(denominator='relevant')")["denominator"] == ("relevant")
    assert preset("ranx", "f@5") == preset("ranx", "f1@5")
    with pytest.raises(ValueError, match="metric must be one that 'ranx' has"):
        preset("ranx", "f(beta=2)@5")


def test_each_call_returns_a_new_dict():
    preset("sklearn", "ndcg")["gain"] = "exponential"
    assert preset("sklearn", "ndcg")["gain"] == "linear"


@pytest.mark.parametrize(
    ("tool", "measure", "error", "message"),
    [
        ("lightgmb", "ndcg", ValueError, r"tool must .*'lightgbm'.*; got 'lightgmb'\."),
        ("xgboost", "ncdg", ValueError, "'ncdg' is not a measure; .*'ndcg'"),
        ("xgboost", "infap", ValueError, "'p', 'ap', 'ndcg'; got 'infap'"),
        ("lightgbm", "rbp@3", ValueError, r"'lightgbm' has: 'ap', 'ndcg'; got 'rbp@3'"),
        ("xgboost", "ndcg(gian=1)", ValueError, "no parameter 'gian'"),
        ("xgboost", 5, TypeError, "named by a string"),
    ],
)
def test_unknown_names(tool, measure, error, message):
    with pytest.raises(error, match=message):
        preset(tool, measure)


# The page of the docs -----------------------------------------------------------------

ROW = re.compile(r"\| `(\w+)` \| `([^`]+)` \| (\d+) \| (\S+) \| (.*?) ?\|")


def rows_of(page):
    """Return tool, measure, number of values, difference and arguments of each row."""
    rows = []
    for section in page.split("\n## ")[1:]:
        tool = re.match(r".*\(`(\w+)`\)\n", section)
        found = map(ROW.fullmatch, section.splitlines()) if tool else ()
        for row in filter(None, found):
            measure, _, n_values, difference, arguments = row.groups()
            arguments = arguments.replace("`", "")
            rows.append((tool[1], measure, int(n_values), float(difference), arguments))
    return rows


@pytest.fixture(scope="module")
def page():
    if not PAGE.exists():
        pytest.skip("docs/conformance.md is not here")
    return PAGE.read_text(encoding="utf-8")


def test_the_page_lists_every_preset(page):
    rows = rows_of(page)
    assert {(tool, measure) for tool, measure, *_ in rows} == set(ENTRIES)
    for tool, measure, _, _, arguments in rows:
        shown = set(re.findall(r"(\w+)=", arguments))
        assert shown | {"k"} >= PRESETS[tool][measure].keys()
    exact = {
        (tool, measure)
        for tool, measure, _, _, arguments in rows
        if arguments == listed(PRESETS[tool][measure])
    }
    # These have a number only with an argument that the tool asks for, too.
    asked = {("ranx", "rbp"), ("sklearn", "set_f"), ("elasticsearch", "err")}
    assert set(ENTRIES) - exact <= asked


def listed(arguments):
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items())


def test_the_numbers_on_the_page_are_small(page):
    for tool, measure, n_values, difference, _ in rows_of(page):
        limit = 1e-4 if tool == "trec_eval10" else 1e-6
        assert n_values > 0, (tool, measure)
        assert difference <= limit, (tool, measure)


def test_the_page_explains_what_remains(conformance, page):
    for tool, (title, _) in conformance.TOOLS.items():
        section = page.partition(f"\n## {title}")[2].partition("\n## ")[0]
        assert section.count("\n| `") > 1, tool
        assert "\nDifferences that remain:\n\n- " in section, tool
