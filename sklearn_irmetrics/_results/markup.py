"""Writers of tables for pages and papers: HTML, LaTeX and Markdown."""

from __future__ import annotations

import re
from html import escape

from sklearn_irmetrics._results.tables import (
    MAY_BE_BEST,
    Interval,
    Name,
    Number,
    pad_rows,
    visible,
    write_text,
)

_SPECIAL = {char: "\\" + char for char in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "…": r"\ldots{}",
    "†": r"\textdagger{}",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "±": r"$\pm$",
}
_LATEX = re.compile(
    r"(?P<loss> \(lower is better\))"
    r"|(?P<relation>(?:\bp )?[<>≤≥±] ?\d+(?:\.\d+)?|\bp = \d+(?:\.\d+)?)"
    r"|(?P<minus>(?<![\w.)-])-(?=\d))"
    r"|(?P<unit>(?<=\d) %)"
    rf"|(?P<special>[{re.escape(''.join(_SPECIAL))}])"
)
# Numbers that siunitx aligns.
_DECIMAL = re.compile(r"([+-]?)(\d+)(?:\.(\d+))?")
# What begins a list or underlines a title where a line starts with it.
_MARKDOWN_BLOCK = re.compile(r"^(\d+(?=[.)](\s|$))|(?=[-+=]))")


def write_html(table, *, caption=None):
    """Return an HTML table that sets no colours, for light and dark pages.

    Parameters
    ----------
    table : Table
        The table.
    caption : str or None, default=None
        None: the title of the table.

    Returns
    -------
    str
    """
    sides = {"<": "left", ">": "right;white-space:nowrap"}

    def written(cell):
        text = escape(visible(str(cell)))
        if not isinstance(cell, Number):
            return text
        if cell.best:
            text = f"<b>{text}</b>"
        if MAY_BE_BEST in cell.mark:
            text = f"<u>{text}</u>"
        mark = escape(cell.mark.replace(MAY_BE_BEST, "").strip())
        return f"{text}<sup>{mark}</sup>" if mark else text

    def row(cells, tag, attributes=""):
        return "".join(
            f'<{tag}{attributes} style="text-align:{sides[side]};padding:.2em .8em">'
            f"{written(cell)}</{tag}>"
            for cell, side in zip(cells, table.sides, strict=True)
        )

    lines = table.title if caption is None else [caption]
    lines = [[line] if isinstance(line, str) else line for line in lines if line]
    title = "<br>".join("".join(map(written, line)) for line in lines)
    title = title and f'<caption style="text-align:left">{title}</caption>'
    header = row(table.header, "th", ' scope="col"')
    body = "".join(f"<tr>{row(cells, 'td')}</tr>" for cells in table.rows)
    notes = []
    for mark, meaning in table.marks.items():
        sign = "Underlined:" if mark == MAY_BE_BEST else f"<sup>{escape(mark)}</sup>"
        notes.append(f"{sign} {written(meaning)}")
    notes += [written(note) for note in table.notes if note]
    below = "".join(f"<p>{note}</p>" for note in notes)
    if table.details:
        details = "".join(f"<p>{written(sentence)}</p>" for sentence in table.details)
        summary = "<summary>How this was computed</summary>"
        below += f"<details>{summary}{details}</details>"
    return (
        '<figure style="margin:0;overflow-x:auto">'
        '<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">'
        f'{title}<thead style="border-bottom:1px solid currentColor"><tr>{header}</tr>'
        f"</thead><tbody>{body}</tbody></table>{below}</figure>"
    )


def write_latex(
    table, *, caption=None, label=None, decimal_align=False, environment=True
):
    r"""Return a table for the LaTeX package booktabs.

    Parameters
    ----------
    table : Table
        The table.
    caption, label : str or None, default=None
        LaTeX code. None: the first line of the title, and "tab:" with its words.
    decimal_align : bool, default=False
        Whether numbers are aligned by the package siunitx.
    environment : bool, default=True
        Whether the table floats, with caption and notes; False: the tabular alone.

    Returns
    -------
    str
    """
    kinds, columns = [], []
    for i, (heading, side) in enumerate(zip(table.header, table.sides, strict=True)):
        cells = [row[i] for row in table.rows]
        heading, kind = _latex_heading(heading), {"<": "l", ">": "r"}[side]
        if any(isinstance(cell, Interval) for cell in cells):
            kind = "c"
        texts = [_latex_cell(cell) for cell in cells]
        if decimal_align and (aligned := _align_decimals(cells)):
            kind, texts = aligned
            heading = f"{{{heading}}}"
        kinds.append(kind)
        columns.append([heading, *texts])
    # After the end of a row [ and * would be options of it.
    header, *rows = (
        " & ".join(re.sub(r"^[\[*]", r"{\g<0>}", text) for text in row) + r" \\"
        for row in zip(*columns, strict=True)
    )
    rows = [r"\toprule", header, r"\midrule", *rows, r"\bottomrule"]
    lines = [
        rf"\begin{{tabular}}{{{''.join(kinds)}}}",
        *(f"  {row}" for row in rows),
        r"\end{tabular}",
    ]
    if not environment:
        return "\n".join(lines)
    if caption is None:
        title = _first_line(table)
        caption = escape_latex(title) + "." if title else ""
        if label is None and title:
            label = "tab:" + re.sub("[^a-z0-9]+", "-", title.lower()).strip("-")
    start = [r"\centering"]
    start += [rf"\caption{{{caption}}}"] if caption else []
    start += [rf"\label{{{label}}}"] if label else []
    notes = []
    for mark, meaning in table.marks.items():
        sign = rf"$^{{{_latex_mark(mark)}}}$\,"
        sign = "Underlined: " if mark == MAY_BE_BEST else sign
        notes.append(sign + escape_latex(meaning))
    notes += [escape_latex(note) for note in table.notes if note]
    if notes:
        notes = [note if note.endswith((".", ":")) else f"{note}." for note in notes]
        lines += ["", r"\smallskip", rf"{{\footnotesize {' '.join(notes)}\par}}"]
    lines = [f"  {line}" if line else "" for line in (*start, *lines)]
    return "\n".join([r"\begin{table}", *lines, r"\end{table}"])


def escape_latex(text):
    """Return text as LaTeX prints it, with formulas for relations and minus signs."""

    def command(match):
        kind, text = match.lastgroup, match[0]
        if kind == "special":
            return _SPECIAL[text]
        if kind == "relation":
            for sign, name in (("≤", r"\le "), ("≥", r"\ge "), ("±", r"\pm ")):
                text = text.replace(f"{sign} ", sign).replace(sign, name)
            return f"${text}$"
        return {"loss": r" $\downarrow$", "minus": "$-$", "unit": r"\,\%"}[kind]

    return _LATEX.sub(command, visible(str(text)))


def _latex_heading(heading):
    """Return a heading of ours with a capital, and a name of the user's as it is."""
    if heading == "p":
        return "$p$"
    if not isinstance(heading, Name):
        heading = heading[:1].upper() + heading[1:]
    return escape_latex(heading)


def _latex_mark(mark):
    return mark.replace("†", r"\dagger")


def _latex_cell(cell):
    """Return a cell, with a formula for signed and marked numbers and intervals."""

    def formula(text):
        text = re.sub(r"e\+?(-?)0*(\d+)", r" \\times 10^{\1\2}", text)
        return text.replace("inf", r"\infty").replace("–", r"\mbox{--}")

    if str(cell) == "–":
        return "--"
    if isinstance(cell, Interval):
        return f"${formula(str(cell))}$"
    if not isinstance(cell, Number):
        return escape_latex(cell)
    number, _, interval = str(cell).partition(" ")
    mark = cell.mark.replace(MAY_BE_BEST, "").strip()
    is_plain = re.fullmatch(r"[\d.]+", number) and not mark
    number = formula(number)
    if cell.best:
        number = rf"\textbf{{{number}}}" if is_plain else rf"\mathbf{{{number}}}"
    if not is_plain:
        raised = f"^{{{_latex_mark(mark)}}}" if mark else ""
        number = f"${number}{raised}$"
    if MAY_BE_BEST in cell.mark:
        number = rf"\underline{{{number}}}"
    return f"{number} ${formula(interval)}$" if interval else number


def _align_decimals(cells):
    """Return a column of siunitx and its cells; None unless all are plain numbers."""
    known = [cell for cell in cells if str(cell) != "–"]
    numbers = [
        _DECIMAL.fullmatch(str(cell)) if isinstance(cell, Number) else None
        for cell in known
    ]
    if not known or None in numbers:
        return None
    signs, whole, decimals = zip(*(m.groups("") for m in numbers), strict=True)
    marks = [cell.mark.replace(MAY_BE_BEST, "").strip() for cell in known]
    marks = [f"{{$^{{{_latex_mark(mark)}}}$}}" if mark else "" for mark in marks]
    size = "+" * any(signs) + str(max(map(len, whole)))
    if any(decimals):
        size += f".{max(map(len, decimals))}"
    size += max(marks, key=len)
    texts = iter(
        rf"{{\underline{{{cell}}}{mark}}}"
        if MAY_BE_BEST in cell.mark
        else rf"\bfseries {cell}{mark}"
        if cell.best
        else f"{cell}{mark}"
        for cell, mark in zip(known, marks, strict=True)
    )
    column = f"S[table-format={size},detect-weight,retain-explicit-plus]"
    return column, ["{--}" if str(cell) == "–" else next(texts) for cell in cells]


def write_markdown(table, *, caption=None):
    """Return a table in the pipe syntax of GitHub and others.

    Parameters
    ----------
    table : Table
        The table.
    caption : str or None, default=None
        Markdown above the table. None: the first line of the title, in bold.

    Returns
    -------
    str
    """

    def written(cell):
        text = escape_markdown(cell)
        if not isinstance(cell, Number):
            return text
        text = f"**{text}**" if cell.best else text
        return text + escape_markdown(cell.mark.strip())

    if caption is None:
        title = escape_markdown(_first_line(table))
        caption = f"**{title}**" if title else ""
    texts = [list(map(written, row)) for row in (table.header, *table.rows)]
    header, *rows = pad_rows(texts, table.sides, least=3)
    rule = [
        f":{'-' * (len(cell) - 1)}" if side == "<" else f"{'-' * (len(cell) - 1)}:"
        for cell, side in zip(header, table.sides, strict=True)
    ]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in (header, rule, *rows))
    notes = [
        f"{escape_markdown(mark)} {escape_markdown(meaning)}"
        for mark, meaning in table.marks.items()
    ]
    notes += [
        _MARKDOWN_BLOCK.sub(r"\1\\", escape_markdown(note.strip()))
        for note in table.notes
        if note
    ]
    return "\n\n".join(filter(None, [caption, lines, "\\\n".join(notes)]))


def escape_markdown(cell):
    """Return a cell as Markdown prints it."""
    if isinstance(cell, int | Number | Interval):
        return str(cell)
    return re.sub(r"([\\`*_\[\]<>#|~^&$])", r"\\\1", visible(str(cell)))


def _first_line(table):
    """Return the first line of a title without the period at its end."""
    line = next(iter(table.title), "")
    line = line if isinstance(line, str) else "".join(map(str, line))
    return line.strip().rstrip(".")


# By their public names.
WRITERS = {
    "text": write_text,
    "html": write_html,
    "latex": write_latex,
    "markdown": write_markdown,
}
