"""Check the built documentation: links, search words, and every page at two widths.

``python docs/check_pages.py docs/_build/html`` lists links that lead nowhere,
words whose search does not begin with the page that answers, pages that are wider than
their window, or whose tables, names, formulas or pictures are wider than their column,
and pages of the guide that are too long. Without Chromium it looks words up in the
index of the search, does not check widths and lengths, and says so.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

WIDTHS = 1280, 390
LONGEST = 6000  # px that a page of the guide may be high on a desktop
# What people type into the search, and the page that answers: one of its index entries.
WORDS = {
    "AUC": "guide/curves",
    "average over queries": "guide/averages",
    "abstention": "guide/no_answer",
    "average precision": "guide/rankings",
    "bootstrap": "guide/estimation",
    "Brier score": "guide/names",
    "break-even": "guide/curves",
    "capture rate": "guide/names",
    "chance": "guide/chance",
    "chunk": "guide/rag",
    "compare models": "guide/comparing",
    "confidence interval": "guide/intervals",
    "cost matrix": "guide/classification",
    "coverage": "guide/user_oriented",
    "cross-validation": "guide/estimation",
    "custom metric": "guide/own_measure",
    "diversity": "guide/subtopics",
    "early stopping": "guide/training_loops",
    "equivalence": "guide/margins",
    "F-score": "guide/sets",
    "F1": "guide/sets",
    "GAUC": "guide/names",
    "GridSearchCV": "guide/scorers",
    "hit rate": "guide/rankings",
    "holdout": "guide/estimation",
    "how many queries": "guide/planning",
    "kappa": "guide/agreement",
    "label ranking loss": "guide/names",
    "LaTeX": "guide/reports",
    "leave-one-out": "guide/estimation",
    "lecture": "lecture",
    "lift": "guide/names",
    "LightGBM": "guide/rankers",
    "learning curve": "guide/training_data",
    "LLM judge": "guide/judging",
    "logs of retrieval": "guide/rag",
    "LOOCV": "guide/estimation",
    "LRAP": "guide/names",
    "macro average": "guide/averages",
    "macro F1": "guide/classification",
    "MAP": "guide/rankings",
    "MCC": "guide/names",
    "mean reciprocal rank": "guide/rankings",
    "MRR": "guide/rankings",
    "multiple comparisons": "guide/comparing_many",
    "NaN": "guide/undefined",
    "nDCG": "guide/graded",
    "nDCG by hand": "by_hand",
    "novelty": "guide/user_oriented",
    "optimal threshold": "guide/classification",
    "p-value": "guide/comparing",
    "partial AUC": "guide/names",
    "precision at recall": "guide/curves",
    "pandas": "guide/frames",
    "qrels": "guide/trec",
    "RAG": "guide/rag",
    "random subsampling": "guide/estimation",
    "recall at precision": "guide/curves",
    "run file": "guide/trec",
    "sample size": "guide/planning",
    "significance": "guide/comparing",
    "speed": "guide/scale",
    "threshold": "guide/classification",
    "ties": "guide/ties",
    "top-k accuracy": "guide/names",
    "trec_eval": "coming_from",
    "true negative rate": "guide/sets",
    "work saved over sampling": "guide/user_oriented",
}
# The same for what is no entry of the index.
PHRASES = {
    "cost of a false alarm": "guide/classification",
    "coverage novelty": "guide/user_oriented",
    "evaluate": "api/generated/sklearn_irmetrics.model_selection.evaluate",
    "How do I compute MAP@10 for a pandas frame?": "guide/frames",
    "how many queries do I need": "faq",
    "Is A better than B?": "guide/comparing",
    "leave one out": "guide/estimation",
    "macro or micro F": "guide/classification",
    "MAP@10": "guide/rankings",
    "nDCG in GridSearchCV with groups": "guide/scorers",
    "ndcg_score": "api/generated/sklearn_irmetrics.ndcg_score",
    "RAG recall of chunks": "guide/rag",
    "why is my score NaN": "faq",
}
BROWSERS = "chromium", "chromium-browser", "google-chrome", "chrome"
# Pages are opened in frames of each width, and what is too large in them is sent back.
# Code and what programs print may scroll in their boxes on a phone; nothing else may.
# Words are typed into the search, and the first hits sent back.
MEASURE = """<!doctype html><meta charset="utf-8"><body><script>
const jobs = JOBS, queries = QUERIES, wide = [], hits = {};
function tooWide(page, width, frame) {
  const doc = frame.contentDocument, root = doc.documentElement;
  const seen = [];
  const note = (what, excess) => excess > 1 && seen.push([page, width, what, excess]);
  note("page", root.scrollWidth - root.clientWidth);
  const article = doc.querySelector("article");
  if (!article) return seen;
  const right = article.getBoundingClientRect().right;
  for (const node of article.querySelectorAll("code, table, img, svg, math")) {
    const box = node.parentElement.closest(
      ".pst-scrollable-table-container, .math, .text_cell, div.highlight");
    if (width < 600 && node.closest(".output_html")) continue;
    const name = node.localName;
    const near = node.closest("section")?.id || "";
    let excess = box ? box.scrollWidth - box.clientWidth : 0;
    if (!box || getComputedStyle(box).overflowX === "visible")
      excess = node.getBoundingClientRect().right - right;
    if (node.getClientRects().length) note(`${name} in #${near}`, Math.round(excess));
  }
  return seen;
}
function open(frame, address) {
  return new Promise((loaded) => { frame.onload = loaded; frame.src = address; });
}
async function firstHit(frame, query) {
  await open(frame, "/search.html?q=" + encodeURIComponent(query));
  for (let tries = 0; tries < 100; tries++) {
    const link = frame.contentDocument.querySelector("ul.search a");
    if (link) return new URL(link.href).pathname;
    await new Promise((wake) => setTimeout(wake, 50));
  }
  return "nothing";
}
async function work() {
  const frame = document.body.appendChild(document.createElement("iframe"));
  frame.style.height = "900px";
  while (queries.length) {
    const query = queries.pop();
    hits[query] = await firstHit(frame, query);
  }
  while (jobs.length) {
    const [page, width] = jobs.pop();
    frame.style.width = width + "px";
    await open(frame, "/" + page);
    const excess = frame.contentDocument.documentElement.scrollHeight - LONGEST;
    if (width > 1000 && page.startsWith("guide/") && excess > 0)
      wide.push([page, width, "height", excess]);
    frame.contentDocument.querySelectorAll("details").forEach((d) => d.open = true);
    await frame.contentDocument.fonts.ready;
    wide.push(...tooWide(page, width, frame));
  }
}
Promise.all([work(), work()]).then(
  () => fetch("/found", { method: "POST", body: JSON.stringify({ wide, hits }) }));
</script>"""


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Note where a tag leads, and what leads to it."""
        attrs = dict(attrs)
        self.anchors |= {attrs[key] for key in ("id", "name") if attrs.get(key)}
        for key in ("href", "src"):
            if attrs.get(key):
                self.links.add(attrs[key])


def broken_links(folder):
    """Return (page, link) for each link inside `folder` that leads nowhere."""
    pages = {
        path.relative_to(folder).as_posix(): Page(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.html"))
        if "_static" not in path.parts
    }
    broken = []
    for name, page in pages.items():
        for link in sorted(page.links):
            address, anchor = urldefrag(urljoin(f"http://docs/{name}", link))
            if not address.startswith("http://docs/"):
                continue  # somewhere else, or no address of a page
            target = unquote(address.removeprefix("http://docs/").partition("?")[0])
            known = target in pages and (
                not anchor or unquote(anchor) in pages[target].anchors
            )
            if not known and (target in pages or not (folder / target).is_file()):
                broken.append((name, link))
    return broken


def lost_words(folder):
    """Return (word, page) where no main index entry leads from the word to the page."""
    wanted = {(word.lower(), page) for word, page in WORDS.items()}
    text = (folder / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    found = {
        (word, index["docnames"][page])
        for word, places in index["indexentries"].items()
        for page, _, is_main in places
        if is_main
    }
    return sorted(wanted - found)


class Handler(SimpleHTTPRequestHandler):
    """Serves the pages, and the program that measures them."""

    def do_GET(self):
        """Answer with a page, or with what measures the pages."""
        if self.path != "/measure":
            with suppress(ConnectionError):  # a search left before its summaries came
                super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.server.program.encode())

    def do_POST(self):
        """Take what is too large, and the first hits."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()
        self.server.found = json.loads(body)
        self.server.done.set()

    def log_message(self, *args):
        """Say nothing of single requests."""


def find_browser():
    """Return the path of Chromium, or None."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def look(folder, browser, widths=WIDTHS, patience=600):
    """Open all pages and search for all words.

    Returns (page, width, what, excess in px) of whatever is too large, and (word, page,
    first hit) of searches that begin with something else.
    """
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*.html")]
    jobs = [(name, width) for name in sorted(names, reverse=True) for width in widths]
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Handler, directory=str(folder))
    )
    wanted = WORDS | PHRASES
    program = MEASURE.replace("JOBS", json.dumps(jobs))
    program = program.replace("LONGEST", str(LONGEST))
    server.program = program.replace("QUERIES", json.dumps(list(wanted)))
    server.found, server.done = {}, threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        window = subprocess.Popen(
            [
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                f"--user-data-dir={profile}",
                "--remote-debugging-port=0",
                "--window-size=1400,1000",
                f"http://127.0.0.1:{server.server_port}/measure",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            if not server.done.wait(patience):
                raise TimeoutError(f"{browser} did not answer in {patience} s.")
        finally:
            window.terminate()
            window.wait()
            server.shutdown()
            server.server_close()
    hits = server.found["hits"]
    missed = [
        (word, page, hits[word].strip("/"))
        for word, page in wanted.items()
        if hits[word] != f"/{page}.html"
    ]
    return sorted({tuple(row) for row in server.found["wide"]}), missed


def main(argv=None):
    """Print what is broken, lost or too large, and return how many there are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="the HTML that Sphinx has built")
    parser.add_argument("--browser", default=find_browser(), help="path of Chromium")
    args = parser.parse_args(argv)
    broken = broken_links(args.folder)
    for name, link in broken:
        print(f"{name}: {link} leads nowhere")
    lost = lost_words(args.folder)
    for word, page in lost:
        print(f"{page}: {word!r} is no main index entry of it (build afresh: -E)")
    if args.browser is None:
        print("No Chromium was found: neither searches nor widths were checked.")
        return len(broken) + len(lost)
    wide, missed = look(args.folder, args.browser)
    for word, page, hit in missed:
        print(f"{page}: a search for {word!r} begins with {hit}")
    for name, width, what, excess in wide:
        print(f"{name} at {width} px: {what} is {excess} px too large")
    n_pages = len(list(args.folder.rglob("*.html")))
    print(
        f"{n_pages} pages: {len(broken)} broken links, {len(wide)} times too large; "
        f"{len(WORDS | PHRASES)} searches, {len(missed)} with another first hit."
    )
    return len(broken) + len(lost) + len(missed) + len(wide)


if __name__ == "__main__":
    sys.exit(bool(main()))
