"""Tables of results in every form, with cells that would break it."""

import csv
import io
import json
import pickle
import re
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

from oracles.command import main
from oracles.pages import Page
from sklearn_irmetrics import ranking_report, score_queries
from sklearn_irmetrics._results.markup import WRITERS, write_latex, write_markdown
from sklearn_irmetrics._results.sentences import interval_details, interval_notes
from sklearn_irmetrics._results.tables import (
    Interval,
    Number,
    Table,
    decimals,
    format_p,
    mark_best,
    share,
    write_csv,
    write_text,
)
from sklearn_irmetrics.comparison import compare
from sklearn_irmetrics.model_selection import evaluate
from sklearn_irmetrics.reports import QueryScores

HOSTILE = [
    "a|b",
    "&%$#_{}~^\\",
    "<script>",
    "two\nlines\r\n",
    "\x1b[31m\x9b\u202e\x7f\udc9b",
    "[2pt] *x*",
    "*star",
    "=1+1",
    "`code` [link](x) ~~no~~",
    "",
]
UNSAFE = set("\x1b\x9b\u202e\x7f\udc9b\r")


def table_of(cells, **options):
    return Table(["title"], ("name", "value"), [(c, 1) for c in cells], "<>", **options)


def markdown_cells(text):
    """Rows of a table of pipes, as a reader of Markdown sees them."""
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    cells = [re.split(r"(?<!\\) \| ", row[2:-2]) for row in rows]
    return [[re.sub(r"\\(.)", r"\1", c.strip()) for c in row] for row in cells]


def shown(text):
    """What every form shows of text: escapes for what cannot be seen."""
    return re.sub(
        "[\x00-\x1f\x7f\x9b\u202e]", lambda c: ascii(c[0])[1:-1], text
    ).replace("\udc9b", r"\x9b")


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("form", WRITERS)
def test_no_cell_title_or_note_steers_a_terminal_or_breaks_a_line(text, form):
    table = Table([text, text], (text, text), [(text, text)], "<>", notes=[text])
    plain = Table(["t", "t"], ("h", "h"), [("c", "c")], "<>", notes=["n"])
    written = WRITERS[form](table)
    assert not UNSAFE & set(written)
    if text:  # an empty title is none
        assert written.count("\n") == WRITERS[form](plain).count("\n")


def test_text():
    lines = write_text(table_of(HOSTILE)).splitlines()
    assert lines[0] == "title"
    assert [line.rsplit(None, 1)[0].rstrip() for line in lines[3:-1]] == list(
        map(shown, HOSTILE[:-1])
    )


def test_text_has_gaps_between_title_rows_notes_and_details():
    table = table_of(["x"], notes=["note"], details=["computed so"])
    assert write_text(table) == "title\n\nname  value\nx         1\n\nnote"
    assert write_text(table, details=True) == f"{write_text(table)}\n\ncomputed so"


def test_long_notes_are_broken_between_words():
    words = " ".join(["word"] * 30)
    table = Table((), ("a",), [("b",)], "<", notes=[words], details=[words])
    lines = write_text(table, details=True).splitlines()
    assert max(map(len, lines)) <= 80
    assert " ".join(" ".join(lines).split()) == f"a b {words} {words}"
    path = "x" * 100
    assert path in write_text(Table((), ("a",), [("b",)], "<", notes=[f"{path} y"]))


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        (np.nan, 3),
        (0.0, 3),
        (0.03, 3),
        (0.005, 3),
        (0.0049, 4),
        (0.5, 3),
        (0.51, 2),
        ([0.004, 0.2], 4),
        ([np.nan, 0.0, 3.0], 2),
        ([], 3),
    ],
)
def test_decimals_follow_the_standard_error(errors, expected):
    assert decimals(errors) == expected


@pytest.mark.parametrize(
    ("p_value", "alpha", "expected"),
    [
        (0.37, 0.05, "0.37"),
        (0.3, 0.05, "0.30"),
        (1.0, 0.05, "1.0"),
        (0.0075, 0.05, "0.0075"),
        (0.05, 0.05, "0.050"),
        (0.0496, 0.05, "0.050"),
        (0.0504, 0.05, "0.0504"),
        (0.05000001, 0.05, ">0.05"),
        (0.1499999998, 0.1499999999, "≤0.15"),
        (0.0999, 0.05, "0.100"),
        (0.001, 0.05, "0.0010"),
        (0.00099, 0.05, "<0.001"),
        (0.0, 0.05, "<0.001"),
        (0.0005, 1e-4, "0.00050"),
        (0.00005, 1e-4, "<0.0001"),
        (np.nan, 0.05, "–"),
    ],
)
def test_p_values_are_never_rounded_across_the_level(p_value, alpha, expected):
    assert format_p(p_value, alpha) == expected


def test_shares_are_shown_where_not_all_count():
    assert share(35, 40) == "35 of 40"
    assert share(40, 40) == "40"
    assert share(0, 2) == "0 of 2"


def test_markdown():
    header, rule, *rows = markdown_cells(write_markdown(table_of(HOSTILE)))
    assert header == ["name", "value"]
    assert [set(cell) for cell in rule] == [set(":-")] * 2
    assert [cell for cell, _ in rows] == list(map(shown, HOSTILE))


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("# no title", r"\# no title"),
        ("1. no list", r"1\. no list"),
        ("- no list", r"\- no list"),
        ("===", r"\==="),
        ("    no code", "no code"),
        ("28.6 %", "28.6 %"),
    ],
)
def test_lines_of_markdown_begin_nothing(line, written):
    text = write_markdown(Table(["above", line], ("a",), [], "<", notes=[line]))
    assert text == f"**above**\n\n| a   |\n| :-- |\n\n{written}"


def test_latex():
    r"""Every cell ends where it should: an & or \\ of its own is escaped."""
    text = write_latex(table_of(HOSTILE))
    rows = text.partition("\\midrule\n")[2].partition("\n    \\bottomrule")[0]
    rows = [row.strip() for row in rows.split("\n")]
    assert len(rows) == len(HOSTILE)
    for row in rows:
        assert len(re.findall(r"(?<!\\)&", row)) == 1
        assert f" {row}".endswith(r" & 1 \\")
        assert not re.search(r"(?<!\\)[%$#_]|[~^<>|]", row)
        assert row[0] not in "[*"  # options of the row above
    assert rows[1].startswith(
        r"\&\%\$\#\_\{\}\textasciitilde{}\textasciicircum{}\textbackslash{} & "
    )
    text = write_latex(Table((), ("a", "b"), [("x", 1)], "<>"))
    assert "caption" not in text and "label" not in text
    assert "  \\begin{tabular}{lr}\n    \\toprule\n    A & B \\\\\n    \\mid" in text


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@x", "'@x"),
        ("\t=1", "'\t=1"),
        ("'x", "''x"),
        ("＝1", "'＝1"),
        ("x\r=1", '"x\r=1"'),
        ('say "a"', '"say ""a"""'),
        ("a,b\n", '"a,b\n"'),
        ("1-1", "1-1"),
        (-0.5, "-0.5"),
        (0.1 + 0.2, "0.30000000000000004"),
        (np.float64(-1e-300), "-1e-300"),
        (np.float32(0.1), "0.1"),
        (np.float32(np.nan), ""),
        (None, ""),
        (-np.inf, "-inf"),
        (3, "3"),
    ],
)
def test_cells_of_csv(value, written):
    assert write_csv(["a", "b"], [["x", value]]) == f"a,b\nx,{written}\n"


def test_numbers():
    assert str(Number(np.nan)) == "–"
    assert str(Number(0.5, "+.2f")) == "+0.50"
    assert str(Number(999999.75)) == "999999.7500"
    assert str(Number(-1e300, ".3f")) == "-1.000e+300"
    assert str(Interval(0, 1.5e6, ".1f")) == "[0.0, 1.5e+06]"
    assert str(Interval(0, 1, ".1f")) == "[0.0, 1.0]"
    assert str(Interval(np.nan, np.nan)) == "–"
    assert str(Interval(-np.inf, 1.0, ".1f")) == "[-inf, 1.0]"
    assert str(Interval(-np.inf, np.inf)) == "–"
    assert str(Number(0.5, ".1f", Interval(0, 1, ".0f"))) == "0.5 [0, 1]"
    assert str(Number(0.5, ".1f", Interval(np.nan, np.nan))) == "0.5"


@pytest.mark.parametrize(
    ("values", "greater_is_better", "best"),
    [
        ([0.1, 0.3, 0.2], True, [1]),
        ([0.1, 0.3, 0.2], False, [0]),
        ([0.3, 0.1, 0.3], True, [0, 2]),
        ([0.1, np.nan, 0.2], False, [0]),
        ([0.2, 0.2, 0.2], True, []),
        ([0.2, np.nan], True, []),
        ([0.2], True, []),
        ([0.1, 0.2], None, []),
        ([-0.0, 0.0, -1.0], True, [0, 1]),
        ([np.inf, 1.0], True, [0]),
    ],
)
def test_the_best_are_marked(values, greater_is_better, best):
    cells = mark_best([*map(Number, values), "text"], greater_is_better)
    assert [i for i, cell in enumerate(cells[:-1]) if cell.best] == best
    assert cells[-1] == "text"


def test_digits_of_marked_and_other_numbers_are_aligned_in_text():
    numbers = [Number(0.5, ".1f", mark="**"), Number(0.25, ".2f"), Number(1, ".1f")]
    table = Table((), ("a",), [(number,) for number in numbers], ">")
    assert write_text(table) == "     a\n 0.5**\n0.25\n 1.0"


@pytest.mark.parametrize("form", WRITERS)
def test_tables_without_rows(form):
    text = WRITERS[form](Table((), ("measure", "mean"), [], "<>"))
    assert "measure" in text.lower() and "mean" in text.lower()
    assert write_csv(["a", "b"], []) == "a,b\n"


# Results ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def results():
    from sklearn.linear_model import Ridge

    rng = np.random.default_rng(0)
    X, y = rng.random((40, 2)), rng.integers(0, 3, 40)
    scores = {"a|_1": rng.random(30), "b&": rng.random(30), "=c": rng.random(30)}
    return {
        "QueryScores": score_queries(
            y, X[:, 0], ["ndcg", "p@1"], qid=np.arange(40) // 8
        ),
        "EvaluationResult": evaluate(Ridge(), X, y, scoring={"-r2|": "r2"}),
        "EvaluationResults": evaluate(
            {"a|_1": Ridge(), "=c": Ridge(9)},
            X,
            y,
            scoring=["r2", "neg_root_mean_squared_error"],
        ),
        "ComparisonResult": compare(scores, test="ttest"),
    }


RESULTS = ["QueryScores", "EvaluationResult", "EvaluationResults", "ComparisonResult"]


@pytest.mark.parametrize("name", RESULTS)
def test_every_form_of_a_result_has_the_same_cells(name, results):
    result = results[name]
    page = Page(result._repr_html_())
    printed = page.texts["th"]
    header, _, *rows = markdown_cells(result.to_markdown(columns=printed))
    cells, width = page.cells, len(header)
    assert [cells[i : i + width] for i in range(0, len(cells), width)] == [
        [cell.replace("**", "") for cell in row] for row in (header, *rows)
    ]
    assert result.to_latex().count(r" \\") == 1 + len(rows)
    parts = repr(result).split("\n\n")
    table = next((part for part in parts if part.startswith(printed[0])), parts[-1])
    lines = table.splitlines()[-len(rows) :]
    for line, row in zip(lines, rows, strict=True):
        plain = [cell.rstrip("†").strip("*") for cell in row if cell]
        assert re.split(r" {2,}", line.strip()) == plain


@pytest.mark.parametrize("name", RESULTS)
def test_csv_and_frame_of_a_result_are_the_same(name, results, tmp_path):
    pytest.importorskip("pandas")
    result = results[name]
    text = result.to_csv()
    frame = result.to_frame()
    frame = frame.reset_index() if any(frame.index.names) else frame
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    assert header == list(frame)
    for row, expected in zip(rows, frame.to_dict("records"), strict=True):
        for cell, value in zip(row, expected.values(), strict=True):
            kind = str if isinstance(value, bool) else type(value)
            value = str(value) if kind is str else value
            assert (cell.removeprefix("'") if kind is str else kind(cell)) == value

    stream = io.StringIO()
    assert result.to_csv(stream) is None
    assert result.to_csv(tmp_path / "path.csv") is None
    assert result.to_csv(str(tmp_path / "name.csv")) is None
    assert stream.getvalue() == text
    binary = io.BytesIO()
    result.to_csv(binary)
    assert binary.getvalue() == text.encode()
    for file in tmp_path.iterdir():
        assert file.read_bytes() == text.encode()


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_frozen_and_equal_to_themselves(name, results):
    result = results[name]
    assert result == result
    assert len({result, result}) == 1
    again = pickle.loads(pickle.dumps(result))
    assert again != result
    assert repr(again) == repr(result)
    with pytest.raises(FrozenInstanceError):
        setattr(result, fields(result)[0].name, {})


def test_names_of_files_are_what_the_system_can_encode(results):
    with pytest.raises(ValueError, match="surrogates not allowed"):
        results["QueryScores"].to_csv("a\ud800")


def test_a_folder_that_is_missing_is_no_file(results, tmp_path):
    with pytest.raises(FileNotFoundError, match="new"):
        results["QueryScores"].to_csv(f"{tmp_path}/new/")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("labels", [["qid"], [1, "1"]])
def test_columns_of_csv_have_names_of_their_own(labels):
    scores = score_queries(
        [1, 0], [2, 1], dict(zip(labels, ["map", "p"], strict=False))
    )
    with pytest.raises(ValueError, match=f"a different name.*'{labels[-1]}'"):
        scores.to_csv()


def test_ids_of_bytes_that_are_no_text_are_saved_as_these_bytes(tmp_path):
    scores = QueryScores(np.array(["a\udce9"], dtype=object), {"m": np.ones(1)}, {})
    scores.to_csv(tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_bytes() == b"qid,m\na\xe9,1.0\n"
    with pytest.raises(UnicodeEncodeError):
        QueryScores(np.array(["\ud800"]), {}, {}).to_csv(tmp_path / "new.csv")
    assert not (tmp_path / "new.csv").exists()


@pytest.mark.parametrize("kind", [object, "S3"])
def test_results_with_ids_of_bytes_come_back(kind):
    ids = np.array([b"a\xe9", b"a\xe9", b"b\0c"], dtype=kind)
    scores = score_queries([1, 0, 1], [1, 2, 3], "map", qid=ids)
    again = QueryScores.from_dict(json.loads(scores.to_json()))
    assert again.query_ids.dtype == scores.query_ids.dtype
    assert again.query_ids.tolist() == scores.query_ids.tolist() == [*ids[[0, 2]]]


@pytest.mark.filterwarnings("ignore:.* undefined in")
def test_means_over_different_queries_are_marked():
    data = [0, 0, 1, 0, 1, 2], [1, 2, 3, 4, 5, 6]
    qid = [1, 1, 2, 2, 3, 3]
    scores = score_queries(*data, ["p@1", "mrr", "roc_auc"], qid=qid)
    assert scores.n_defined == {"p@1": 3, "mrr": 2, "roc_auc": 1}
    assert repr(scores) == (
        "3 queries\n\n"
        "measure   mean  queries\n"
        "p@1      0.333        3\n"
        "mrr      0.750   2 of 3\n"
        "roc_auc  0.000   1 of 3"
    )
    assert "| mrr      | 0.750 |  2 of 3 |" in scores.to_markdown()
    alike = score_queries(*data, ["mrr", "ndcg"], qid=qid)
    assert alike.n_defined == {"mrr": 2, "ndcg": 2}
    assert "\nmrr      0.750   2 of 3\n" in repr(alike)
    filled = score_queries(
        *data, ["p@1", "mrr", "roc_auc"], qid=qid, replace_undefined_by=0.0
    )
    assert set(filled.n_defined.values()) == {3}


def test_scores_of_queries_without_measures_and_undefined():
    empty = QueryScores(np.array(["a"]), {}, {})
    assert repr(empty) == "1 query\n\nmeasure  mean  queries"
    assert empty.to_csv() == "qid\na\n"
    assert empty.to_markdown().endswith(
        "| measure | mean | queries |\n| :------ | ---: | ------: |"
    )
    undefined = QueryScores(
        np.array([1]), {"\x1b": np.array([np.nan])}, {"\x1b": np.nan}
    )
    assert repr(undefined) == (
        "1 query\n\nmeasure  mean  queries\n\\x1b        –   0 of 1"
    )
    assert undefined.to_csv() == "qid,\x1b\n1,\n"


def test_comparison_marks_differences_that_are_no_chance():
    rng = np.random.default_rng(0)
    old = rng.random(30)
    systems = {"old": old, "new": old + 0.1 + rng.random(30) / 9, "same": old}
    result = compare(systems, baseline="old", test="ttest")
    assert repr(result).startswith("score on 30 queries: 1 of 2 systems differ from")
    assert repr(result).count("*") == 2  # one row, and the note
    assert result.to_latex().count("^{*}") == 2
    assert result.to_markdown().count(r"\*") == 2
    assert result.to_html().count("<sup>*</sup>") == 2
    equal = compare({"a": old, "b": old}, test="ttest")
    assert "*" not in repr(equal) + equal.to_latex() + equal.to_html()


@pytest.mark.parametrize("level", [0.95, 0.9, 0.99, 0.999])
def test_the_level_of_the_mark_is_what_it_says(level):
    from dataclasses import replace

    result = compare({"a": [1, 2, 3], "b": [2, 1, 1]}, confidence_level=level)
    alpha = float(f"{1 - level:.6g}")
    for p, is_marked in [(alpha, True), (np.nextafter(alpha, 1), False), (1.0, False)]:
        text = repr(replace(result, p_adjusted=np.array([p])))
        assert ("*" in text) == is_marked
        assert (f"(paired permutation test, p ≤ {alpha:g})" in text) == is_marked


@pytest.mark.parametrize("name", RESULTS)
def test_text_is_the_print_and_has_details_on_request(name, results):
    result = results[name]
    assert result.to_text() == repr(result)
    details = result._table().details
    assert details or not name.startswith("Evaluation")
    shown = result.to_text(details=True).removeprefix(repr(result)).strip()
    assert " ".join(shown.split()) == " ".join(details)


# Reports and the command line ---------------------------------------------------------


def test_reports_in_every_form():
    y, score, qid = [1, 0, 0, 1, 1, 0], [3, 2, 2, 1, 5, 4], ["a"] * 4 + ["b"] * 2
    found = ranking_report(y, score, qid=qid, metrics={"a|p": "map", "=r": "rr"})
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [row["measure"] for row in rows] == ["a|p", "'=r"]
    for row, label in zip(rows, found.estimate, strict=True):
        assert float(row["estimate"]) == found.estimate[label]
        assert float(row["standard_error"]) == found.standard_error[label]
        assert int(row["queries"]) == found.n_defined[label]
        assert row["interval"] == found.interval_method[label]
        assert row["low"] == row["high"] == ""
        assert float(row["chance"]) == found.chance[label]
    header, _, first, second = markdown_cells(found.to_markdown())
    assert [cell for cell, *_ in (first, second)] == ["a|p", "=r"]
    page = Page(found.to_html(columns=["measure", "estimate", "low"]))
    assert page.cells == [cell for row in (header, first, second) for cell in row[:3]]
    latex = found.to_latex()
    assert latex.startswith(
        "\\begin{table}\n  \\centering\n  \\caption{2 queries, 6 documents (6 judged"
    )
    assert "%" not in latex.replace(r"\%", "")
    assert r"No interval: fewer than three queries." in latex
    for text in (str(found), found._repr_html_(), latex, found.to_markdown()):
        assert f"{found.estimate['a|p']:.3f}" in text


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("".join(f"q{i} 0 d 1\n" for i in range(9)))
    lines = "".join(f"q{i} Q0 d 1 1 a|b\nq{i} Q0 e 2 0 a|b\n" for i in range(9))
    (tmp_path / "good").write_text(lines)
    lines = lines.replace("1 1 a|b", "1 -1 c_d")
    (tmp_path / "bad").write_text(lines.replace("2 0 a|b", "2 0 c_d"))


def test_formats_of_the_command_line(files, capsys):
    argv = ["qrels", "good", "bad", "-m", "rr", "-m", "p@1"]
    assert main(["score", *argv, "-f", "markdown"]) == 0
    header, _, *rows = markdown_cells(capsys.readouterr().out)
    assert header == ["run", "rr", "p@1"]
    assert rows == [["a|b", "**1.0000**", "**1.0000**"], ["c_d", "0.5000", "0.0000"]]
    assert main(["score", *argv, "-f", "html", "-q"]) == 0
    cells = Page(capsys.readouterr().out).cells
    assert cells[:4] == ["query", "run", "rr", "p@1"]
    assert cells[-4:] == ["all", "c_d", "0.5000", "0.0000"]
    for form in ("markdown", "html", "latex"):
        assert main(["compare", *argv, "-f", form]) == 0
        text = capsys.readouterr().out
        mark = {"latex": "^{*}", "html": "<sup>*</sup>", "markdown": r"\*"}[form]
        assert text.count(mark) == 4  # in two tables, and in their notes
    assert main(["score", *argv, "-m", "set_e", "-f", "latex"]) == 0
    assert r"a\textbar{}b & \textbf{1.0000} & \textbf{1.0000} &" in (
        capsys.readouterr().out
    )


# Sentences about intervals ------------------------------------------------------------


def test_intervals_that_lack_are_explained_once_for_each_reason():
    methods = {"a": "none: one score", "b": "none: one score", "c": "t over 9 rows"}
    assert interval_notes(methods) == ["No interval for a and b: one score."]
    assert interval_notes({"a": "none: one score"}) == ["No interval: one score."]
    assert interval_notes({"c": "t over 9 rows"}) == []
    few = {"x": "t over 40 queries, of which a tenth makes most of the spread"}
    assert interval_notes(few) == [
        "A tenth of the queries causes most of the variation, so the interval may be "
        "too narrow. Look at them, or add queries."
    ]
    assert interval_details(few) == ["Interval: Student's t over 40 queries."]


def test_how_intervals_were_made_is_said_in_words():
    ends = "with one extra value at each end of the measure's range (Agresti-Coull)"
    methods = {
        "a": "t over 9 rows and range limits",
        "b": "t over 3 rows, widened by the measure's range",
        "c": "jackknife t over 40 blocks",
        "d": "none: one score",
    }
    assert interval_details(methods) == [
        f"Interval of a: Student's t over 9 rows, {ends}.",
        f"Interval of b: Student's t over 3 rows, {ends}, which more than doubles its "
        "width: more data would help.",
        "Interval of c: jackknife t over 40 blocks.",
    ]
