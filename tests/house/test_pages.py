"""The program that checks the built documentation finds what is wrong with it."""

import importlib.util
import json
import sys

import pytest

from oracles.places import ROOT

CHECK = ROOT / "benchmarks" / "check_pages.py"
pytestmark = pytest.mark.skipif(
    not CHECK.exists(), reason="benchmarks/ is not part of an installed package"
)
PAGE = '<meta name="viewport" content="width=device-width"><article>{}</article>'


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def folder(tmp_path):
    pages = {
        "index.html": '<a href="good.html#here"></a> <a href="https://e.org/no">',
        "good.html": '<p id="here"><a href="index.html">',
        "lost.html": '<a href="good.html#there"></a> <a href="no.html"></a>',
        "wide.html": '<table style="width: 700px"><tr><td>a</table>',
        "wider.html": '<pre style="width: 1300px">a</pre>',
        "box.html": '<section id="box"><div class="pst-scrollable-table-container"'
        ' style="overflow-x: auto"><table style="width: 900px"><tr><td>a</table></div>',
    }
    for name, text in pages.items():
        (tmp_path / name).write_text(PAGE.format(text), encoding="utf-8")
    return tmp_path


def test_links_that_lead_nowhere(folder):
    broken = load(CHECK).broken_links(folder)
    assert broken == [("lost.html", "good.html#there"), ("lost.html", "no.html")]


def test_words_that_search_does_not_find(tmp_path):
    check = load(CHECK)
    places = {word: [[i, "", True]] for i, word in enumerate(check.WORDS)}
    places["nan"][0][2] = False  # such entries come after all other results
    del places["ndcg"]
    index = {"docnames": list(check.WORDS.values()), "indexentries": places}
    text = f"Search.setIndex({json.dumps(index)})"
    (tmp_path / "searchindex.js").write_text(text, encoding="utf-8")
    lost = [("nan", "guide/undefined"), ("ndcg", "guide/graded")]
    assert check.lost_words(tmp_path) == lost


def test_pages_that_are_too_wide(folder):
    check = load(CHECK)
    browser = check.find_browser()
    if browser is None:
        pytest.skip("no Chromium")
    found = {row[:3] for row in check.too_wide(folder, browser, patience=120)}
    assert {("wide.html", 390, "page"), ("wider.html", 1280, "page")} <= found
    assert {page for page, *_ in found} == {"wide.html", "wider.html", "box.html"}
    assert ("box.html", 390, "table in #box") in found
    assert ("box.html", 390, "page") not in found
    assert ("wide.html", 1280, "page") not in found


def test_cells_of_tables_have_the_name_of_their_column():
    tables = load(ROOT / "docs" / "tables.py")
    cell = '<td><p><code><span class="pre">{}</span></code></p></td>'
    table = (
        '<table class="table"><thead><tr><th class="head"><p>Name</p></th><th>At &amp;'
        " <em>k</em></th></tr></thead><tbody><tr>"
        f"{cell.format('f(a_b=1)')}<td>2</td></tr>"
        "<tr><td><p>7</p></td><td>2</td></tr></tbody></table>"
    )
    plain = '<table class="dataframe"><tr><td>2</td></tr></table>'
    context = {"body": f"{table}\n{plain}"}
    tables.fit_tables(None, "page", "page.html", context, None)
    named = (
        table.replace("<td>2", '<td data-label="At &amp; k">2')
        .replace("<td><p>7", '<td data-label="Name"><p>7')
        .replace("f(a_b=1)", "f(<wbr>a_<wbr>b=<wbr>1)")
    )
    assert context["body"] == f"{named}\n{plain}"
    nothing = {}
    tables.fit_tables(None, "search", "search.html", nothing, None)
    assert nothing == {}
