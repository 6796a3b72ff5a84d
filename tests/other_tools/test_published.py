"""The numbers of others: ``tests/other_tools/published.py`` and its page."""

import importlib
import re

import pytest

from oracles.places import ROOT

PAGE = ROOT / "docs" / "published.md"
N_NUMBERS = {"robust04": 2, "mslr": 12, "clueweb": 12, "ntcireval": 11}
N_NUMBERS |= {"jarvelin_kekalainen": 20}


@pytest.fixture(scope="module")
def published():
    return importlib.import_module("published")


@pytest.mark.parametrize("source", N_NUMBERS)
def test_the_numbers_are_the_published_ones(published, source):
    if source in ("mslr", "clueweb"):
        pytest.importorskip("lightgbm")
    try:
        rows = getattr(published, source)()
    except FileNotFoundError as why:
        pytest.skip(str(why))
    assert len(rows) == N_NUMBERS[source]
    assert [row for row in rows if not row.holds] == []


def test_every_source_is_tested(published):
    assert {one.__name__ for one in published.SOURCES.values()} == set(N_NUMBERS)


@pytest.mark.parametrize(
    ("printed", "ours", "holds"),
    [
        ("0.30", 0.3049, True),
        ("0.30", 0.3051, False),
        ("0.300", 0.3049, False),
        ("3", 3.01, False),
        ("0.5", float("nan"), False),
    ],
)
def test_printed_digits_must_agree(published, printed, ours, holds):
    assert published.Row("p@1", printed, ours).holds is holds


def test_the_page_shows_every_number(published):
    if not PAGE.exists():
        pytest.skip("docs/published.md is not here")
    page = PAGE.read_text(encoding="utf-8")
    assert page.startswith(published.HEAD)
    assert page.endswith(published.TAIL)
    n_rows = len(
        re.findall(r"^\| \S.* \| [\d.]+ \| [\d.]+ \| \de[+-]\d\d \|$", page, re.M)
    )
    assert n_rows == sum(N_NUMBERS.values())
    for title in published.SOURCES:
        assert f"\n## {title}\n" in page
