"""Tables as people read them: text, HTML, and pandas where it is there."""

import re
from html import escape

import numpy as np

# Control characters, those that turn the direction of text, and what is no text; the
# surrogates up to U+DC9F stand for bytes that are control characters in Latin-1.
_UNSEEN = re.compile(
    "[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ud800-\udc9f\udd00-\udfff]"
)


def visible(text):
    r"""Return text with escapes such as ``\x1b`` for what would steer a terminal."""
    return _UNSEEN.sub(lambda found: escape_character(found[0]), text)


def escape_character(char):
    """Return a character as Python escapes it, a byte that is not UTF-8 as the byte."""
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        char = chr(code - 0xDC00)
    return char.encode("unicode_escape").decode()


def number(value):
    """Return a number as people read it."""
    return "–" if np.isnan(value) else f"{value:.4f}"


def interval(ends):
    """Return an interval as people read it."""
    low, high = ends
    return "–" if np.isnan(low) and np.isnan(high) else f"[{low:.4f}, {high:.4f}]"


def render_text(title, header, rows, alignment):
    """Return a plain table; `alignment` has one of "<", ">" per column."""
    cells = [list(map(visible, row)) for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(
            f"{cell:{side}{width}}"
            for cell, side, width in zip(row, alignment, widths, strict=True)
        ).rstrip()
        for row in cells
    ]
    return "\n".join([*map(visible, title), *("  " + line for line in lines)])


def render_html(title, header, rows, alignment):
    """Return an HTML table without colours of its own, for light and dark pages."""
    sides = {"<": "left", ">": "right;white-space:nowrap"}

    def line(tag, row):
        return "".join(
            f'<{tag} style="text-align:{sides[side]};padding:.2em .8em">'
            f"{escape(cell)}</{tag}>"
            for cell, side in zip(row, alignment, strict=True)
        )

    caption = "<br>".join(map(escape, title))
    body = "".join(f"<tr>{line('td', row)}</tr>" for row in rows)
    return (
        '<div style="overflow-x:auto"><table style="border-collapse:collapse">'
        f'<caption style="text-align:left;color:inherit">{caption}</caption>'
        f'<thead style="border-bottom:1px solid currentColor"><tr>{line("th", header)}'
        f"</tr></thead><tbody>{body}</tbody></table></div>"
    )


def import_pandas():
    """Import pandas, or say that it is needed."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("to_frame() needs pandas: pip install pandas.") from error
    return pd


def escape_latex(text):
    """Return text as LaTeX prints it."""
    text = visible(text)
    replacements = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}"}
    replacements |= {"^": r"\textasciicircum{}", "–": "--"}
    replacements |= {char: "\\" + char for char in "&%$#_{}"}
    escaped = "".join(replacements.get(char, char) for char in text)
    # After the end of a row these would be options of it.
    return f"{{{escaped[0]}}}{escaped[1:]}" if escaped[:1] in ("[", "*") else escaped
