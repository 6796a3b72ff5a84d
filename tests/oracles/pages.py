"""What a page of HTML shows."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """The texts by tag and those of cells in their order, and no tag left open."""

    def __init__(self, html):
        super().__init__()
        self.open, self.texts, self.cells = [], {}, []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        if tag != "br":
            self.open.append(tag)
            self.texts.setdefault(tag, []).append("")
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data):
        for tag in self.open[-1:]:
            self.texts[tag][-1] += data
        if {"td", "th"} & set(self.open):
            self.cells[-1] += data

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
