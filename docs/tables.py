"""Tables and names that fit: names may break, and phones show a row as a card."""

import html
import re
from itertools import count

TABLE = re.compile(r'<table class="(?:table|docutils)\b.*?</table>', re.DOTALL)
HEAD = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)
ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
CELL = re.compile(r"<td(?=\b[^>]*>(?:<p>)?([\d.,]+<)?)")
CODE = re.compile(r'(?<=<span class="pre">)[^<]{13,}')  # shorter names stay whole
LONG = re.compile(r'<span class="pre">([^<]{24,})')


def fit_tables(app, pagename, templatename, context, doctree):
    """Name the column of each cell, and let code break between its words."""
    if "body" in context:
        body = TABLE.sub(_fit, context["body"])
        context["body"] = LONG.sub(_mark_long, body)


def _fit(table):
    head, _, body = table[0].rpartition("</thead>")
    labels = [
        html.escape(" ".join(html.unescape(re.sub("<[^>]*>", "", cell)).split()))
        for cell in HEAD.findall(head)
    ]

    def label(row):
        column = count()

        def cell(tag):
            i = next(column)
            name = labels[i] if i < len(labels) else ""
            # A row begins with its name, unless that is a number.
            return f'<td data-label="{name}"' if name and (i or tag[1]) else "<td"

        return CELL.sub(cell, row[0])

    body = ROW.sub(label, body)
    body = CODE.sub(lambda code: _breakable(code[0]), body)
    return head + "</thead>" * bool(head) + body


def _mark_long(code):
    return f'<span class="pre long">{_breakable(code[1])}'


def _breakable(code):
    return re.sub(r"(?<=[\w&;])([_.=/,@(]+)(?=\w)", r"\1<wbr>", code)
