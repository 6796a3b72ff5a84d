"""Tables for papers and pages: LaTeX, Markdown and HTML."""

import re

import numpy as np
import pytest

from oracles.pages import Page
from sklearn_irmetrics import score_queries
from sklearn_irmetrics._results.markup import write_html, write_latex, write_markdown
from sklearn_irmetrics._results.tables import (
    MAY_BE_BEST,
    Interval,
    Name,
    Number,
    Table,
    write_text,
)
from sklearn_irmetrics.comparison import compare, leaderboard


def one_cell(cell, **options):
    return Table((), ("a", "b"), [("x", cell)], "<>", **options)


def in_latex(cell):
    return re.search(r"x & (.*) \\\\", write_latex(one_cell(cell)))[1]


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        (Number(0.5, ".3f"), "0.500"),
        (Number(-0.152, ".3f"), "$-0.152$"),
        (Number(0.202, "+.3f", mark="*"), "$+0.202^{*}$"),
        (Number(0.202, "+.3f", mark="*", best=True), r"$\mathbf{+0.202}^{*}$"),
        (Number(0.5, ".1f", best=True), r"\textbf{0.5}"),
        (Number(0.5, ".1f", mark=MAY_BE_BEST), r"\underline{0.5}"),
        (Number(0.5, ".1f", mark="~*"), r"\underline{$0.5^{*}$}"),
        (Number(0.5, ".1f", mark="†"), r"$0.5^{\dagger}$"),
        (Number(0.5, ".1f", Interval(-0.1, 1, ".1f")), "0.5 $[-0.1, 1.0]$"),
        (Number(np.nan), "--"),
        (Number(-np.inf, ".1f"), r"$-\infty$"),
        (Number(1.5e7, ".2f"), r"$1.50 \times 10^{7}$"),
        (Interval(-0.1, 0.25, ".2f"), "$[-0.10, 0.25]$"),
        (Interval(np.nan, np.nan), "--"),
        (Interval(-np.inf, 1, ".1f"), r"$[-\infty, 1.0]$"),
        ("<0.001", "$<0.001$"),
        ("p ≤ 0.05, p = 0.5", r"$p \le 0.05$, $p = 0.5$"),
        ("within ±0.05", r"within $\pm 0.05$"),
        ("above -0.05, q-1, 1-2", "above $-$0.05, q-1, 1-2"),
        ("95 % of 40", r"95\,\% of 40"),
        ("first_rank (lower is better)", r"first\_rank $\downarrow$"),
    ],
)
def test_cells_of_latex(cell, written):
    assert in_latex(cell) == written


def test_what_stands_out_in_each_form():
    number = Number(0.5, ".1f", best=True, mark="*")
    table = one_cell(number, marks={"*": "p < 0.05"}, notes=["note"])
    assert r"x & $\mathbf{0.5}^{*}$ \\" in write_latex(table)
    assert r"{\footnotesize $^{*}$\,$p < 0.05$. note.\par}" in write_latex(table)
    assert r"| x   | **0.5**\* |" in write_markdown(table)
    assert write_markdown(table).endswith("\n\n\\* p \\< 0.05\\\nnote")
    assert "<b>0.5</b><sup>*</sup></td>" in write_html(table)
    assert "<p><sup>*</sup> p &lt; 0.05</p><p>note</p>" in write_html(table)
    assert write_text(table) == "a     b\nx  0.5*\n\n* p < 0.05\nnote"


def test_headings_are_capitalised_unless_they_are_names_of_the_users():
    table = Table((), ("mean", Name("bm25"), "p"), [], "<>>")
    assert r"Mean & bm25 & $p$ \\" in write_latex(table)
    assert "| mean | bm25 |" in write_markdown(table)


def test_decimals_are_aligned_by_siunitx():
    cells = [
        Number(-0.5, "+.2f", mark="*"),
        Number(10, ".2f", best=True),
        Number(0.1, ".2f", mark=MAY_BE_BEST),
        Number(np.nan),
    ]
    table = Table((), ("a", "b"), [("x", cell) for cell in cells], "<>")
    latex = write_latex(table, decimal_align=True, environment=False)
    column = "S[table-format=+2.2{$^{*}$},detect-weight,retain-explicit-plus]"
    assert latex.startswith(rf"\begin{{tabular}}{{l{column}}}")
    assert r"A & {B} \\" in latex
    assert r"x & -0.50{$^{*}$} \\" in latex
    assert r"x & \bfseries 10.00 \\" in latex
    assert r"x & {\underline{0.10}} \\" in latex
    assert r"x & {--} \\" in latex
    texts = Table((), ("a",), [("text",), (Number(0.5),)], "<")
    assert r"{l}" in write_latex(texts, decimal_align=True)


def test_pages_have_a_caption_headings_and_the_method_folded_away():
    table = one_cell(1, notes=["note"], details=["by t"])
    page = Page(write_html(table, caption="<caption>"))
    assert page.texts["caption"] == ["<caption>"]
    assert page.texts["summary"] == ["How this was computed"]
    assert page.texts["p"] == ["note", "by t"]
    assert write_html(table).count('<th scope="col"') == 2
    assert "tabular-nums" in write_html(table)
    assert "<details>" not in write_html(one_cell(1))
    assert "<caption" not in write_html(one_cell(1))


# Exports of results -------------------------------------------------------------------


@pytest.fixture(scope="module")
def systems():
    rng = np.random.default_rng(0)
    base = rng.random(30)
    base[0] = np.nan
    changes = {"bm25": 0, "dense": 0.2, "hybrid": -0.1}
    return {
        name: base + change + rng.normal(0, 0.1, 30) for name, change in changes.items()
    }


def test_a_paper_has_five_columns_at_most_and_the_baseline_in_a_heading(systems):
    result = compare(systems, baseline="bm25", random_state=0)
    assert result.to_latex().startswith(
        "\\begin{table}\n"
        "  \\centering\n"
        "  \\caption{score on 29 of 30 queries.}\n"
        "  \\label{tab:score-on-29-of-30-queries}\n"
        "  \\begin{tabular}{lrcr}\n"
        "    \\toprule\n"
        "    System & Difference to bm25 & 95\\,\\% interval & $p$ \\\\\n"
        "    \\midrule\n"
        "    dense & $+0.1"
    )
    several = compare(systems, random_state=0).to_latex()
    assert r"System & Versus & Difference & 95\,\% interval & $p$ \\" in several
    pair = {name: systems[name] for name in ("bm25", "dense")}
    means = compare(pair, by=np.arange(30) % 2, random_state=0).to_markdown()
    assert "| slice |  queries | difference | 95 % interval |" in re.sub(
        "95 % interval +", "95 % interval ", re.sub(" +95 %", " 95 %", means)
    )


def test_columns_are_named_as_in_frames_or_as_printed(systems):
    result = compare(systems, random_state=0)
    names = ["system", "low", "high", "standard_error", "better/equal/worse", "p_value"]
    header = result.to_markdown(columns=names).splitlines()[2]
    assert re.split(r" *\| *", header)[1:-1] == [
        *("system", "95 % interval", "standard error", "better/equal/worse", "p value")
    ]
    effects = result.to_markdown(columns=["effect_low", "detectable_effect"])
    assert "95 % interval of the effect size" in effects
    message = "columns must be names among 'measure', 'system', .*; got 'std'"
    for export in (result.to_latex, result.to_markdown, result.to_html):
        with pytest.raises(ValueError, match=message):
            export(columns=["std"])
        with pytest.raises(TypeError, match="columns must be a list of names; got 'p'"):
            export(columns="p")
    boards = leaderboard({"a": systems["bm25"], "b": systems["dense"]}, metric=None)
    assert "| b      | " in boards.to_markdown(columns=["system", "mean"])


def test_captions_and_labels_are_as_given(systems):
    result = compare(systems, random_state=0)
    latex = result.to_latex(caption=r"\textsc{New} systems, 5\,\%.", label="tab:new")
    assert "\\caption{\\textsc{New} systems, 5\\,\\%.}\n  \\label{tab:new}\n" in latex
    bare = result.to_latex(caption="", label="")
    assert "caption" not in bare and "label" not in bare
    assert "\\label" not in result.to_latex(caption="Without a label.")
    tabular = result.to_latex(environment=False)
    assert tabular.startswith(r"\begin{tabular}") and tabular.endswith(r"\end{tabular}")
    assert result.to_markdown(caption="*New*").startswith("*New*\n\n| system")
    assert result.to_markdown(caption="").startswith("| system")
    assert Page(result.to_html(caption="New & old")).texts["caption"] == ["New & old"]


def test_digits_are_those_of_values_and_intervals(systems):
    result = compare(systems, baseline="bm25", random_state=0)
    text = result.to_markdown(digits=1)
    assert r" +0.2\* " in text and re.search(r"\| *\[0\.\d, 0\.\d\] \|", text)
    assert r"\<0.001" in text  # p-values keep theirs
    assert re.search(r"\[0\.\d{6}, 0\.\d{6}\]", result.to_html(digits=6))
    with pytest.raises(ValueError, match="digits must be an integer from 0 to 15"):
        result.to_latex(digits=-1)
    scores = score_queries([1, 0, 2], [3, 1, 2], ["p@1", "ndcg"])
    assert "| ndcg    | 0.86 |" in scores.to_markdown(digits=2)


@pytest.mark.parametrize("option", ["decimal_align", "environment"])
def test_switches_of_latex_are_true_or_false(systems, option):
    result = compare(systems, random_state=0)
    with pytest.raises(ValueError, match=f"{option} must be True or False; got 'yes'"):
        result.to_latex(**{option: "yes"})


def test_losses_point_downwards_in_latex():
    rng = np.random.default_rng(0)
    y, qid = np.tile([1, 0, 0, 0, 0], 20), np.repeat(np.arange(20), 5)
    runs = {
        name: score_queries(y, rng.random(100) + y * shift, "first_rank", qid=qid)
        for name, shift in (("old", 0), ("new", 1))
    }
    result = compare(runs, random_state=0)
    assert r"\caption{first\_rank $\downarrow$ on 20 queries.}" in result.to_latex()
    assert "new is better than old" in str(result)
    assert "| new    | $-" not in result.to_markdown()
