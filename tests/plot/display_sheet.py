"""Every display on data that are hard to draw, as pictures and one page of them.

    python tests/plot/display_sheet.py FOLDER [--quick]

The page is FOLDER/index.html. With --quick the large data are small.
"""

import argparse
import warnings
from contextlib import nullcontext
from html import escape
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from sklearn_irmetrics import plot, score_queries
from sklearn_irmetrics.comparison import compare

LONG_NAMES = [
    f"A ranker called {letter} by a name of just about sixty characters, 1"
    for letter in "ABC"
]
OPTIONS = {
    "EvaluationDisplay": {"metrics": ["ndcg@10", "map", "p@5"], "random_state": 0},
    "InterpolatedPrecisionRecallDisplay": {"random_state": 0},
    "PrecisionRecallDisplay": {"random_state": 0},
}

FROM_PREDICTIONS = [
    name
    for name in plot.__all__
    if hasattr(getattr(plot, name), "from_predictions") and name != "ClassReportDisplay"
]


def draw_queries(n_queries, n_documents=20):
    """Return grades, scores of three systems, and query ids."""
    rng = np.random.default_rng(0)
    shape = (n_queries, n_documents)
    y_true = rng.choice([0, 1, 2], p=[0.7, 0.2, 0.1], size=shape)
    y_true[:, 0] = 1
    noise = rng.normal(size=(4, *shape))
    scores = (y_true + noise[0] + 0.5 * noise[1:]).reshape(3, -1)
    return y_true.ravel(), scores, np.repeat(np.arange(n_queries), n_documents)


def cases(quick):
    """Yield what is hard: name, data, names of the systems, style."""
    yield "one query", draw_queries(1), [None], "default"
    yield "5000 queries", draw_queries(200 if quick else 5000), [None], "default"
    long = draw_queries(5, 200 if quick else 2000)
    yield "long rankings", long, [None], "default"
    y_true, scores, qid = draw_queries(8)
    ids = [f"query {i} with an id of just about sixty characters {i:09d}" for i in qid]
    yield "long names", (y_true, scores, np.array(ids)), LONG_NAMES[:1], "default"
    many = draw_queries(30)
    yield "shared axes, long names", many, LONG_NAMES, "default"
    yield (
        "nine systems",
        (many[0], np.tile(many[1], (3, 1)), many[2]),
        list("ABCDEFGHI"),
        "default",
    )
    same = np.tile([5.0, 4.0, 3.0, 2.0, 1.0], 12)
    constant = np.tile([1, 0, 1, 0, 0], 12), [same] * 3, np.repeat(range(12), 5)
    yield "constant values", constant, list("AB"), "default"
    y_true, scores, qid = many
    some = np.where(qid % 3 > 0, y_true, 0)
    yield "undefined in every third query", (some, scores, qid), list("AB"), "default"
    yield "undefined in all queries", (0 * y_true, scores, qid), [None], "default"
    if not quick:  # the others show it, too
        yield "two queries", draw_queries(2), [None], "default"
        yield "shared axes", many, list("ABC"), "default"
        yield "dark page", many, list("AB"), "dark_background"


def draw(name, data, systems):
    """Return a figure of a display."""
    kind = getattr(plot, name)
    y_true, scores, qid = data
    options = {"qid": qid, **OPTIONS.get(name, {})}
    if name == "QueryDifferenceDisplay":  # side by side, against the last
        figure, axes = plt.subplots(
            1,
            min(2, len(systems)),
            sharex=True,
            sharey=True,
            squeeze=False,
            layout="constrained",
        )
        options["baseline"] = scores[-1]
        options["baseline_name"] = systems[-1] if len(systems) > 1 else None
        axes = axes[0]
    else:
        figure, ax = plt.subplots(layout="constrained")
        axes = [ax] * len(systems)
    for ax, system, y_score in zip(axes, systems, scores, strict=False):
        try:
            kind.from_predictions(y_true, y_score, name=system, ax=ax, **options)
        except ValueError as error:  # a picture of nothing is refused
            ax.set_title(str(error), fontsize=8, wrap=True)
    return figure


def results():
    """Yield further figures, of results: name and figure."""
    y_true, scores, qid = draw_queries(30)
    systems = {
        name: score_queries(y_true, one, "ndcg@10", qid=qid)
        for name, one in zip(LONG_NAMES, scores, strict=True)
    }
    comparison = compare(systems, random_state=0)
    short = compare(dict(zip("ABC", systems.values(), strict=True)), random_state=0)
    kind = plot.EvaluationDisplay
    yield "comparison", kind.from_results(short).figure_
    yield "comparison, long names", kind.from_results(comparison).figure_
    figure, axes = plt.subplots(1, 2, sharey=True, layout="constrained")
    for ax in axes:
        kind.from_results(comparison, ax=ax)
    yield "comparisons side by side", figure
    figure, ax = plt.subplots(layout="constrained")
    for name, metrics in zip("AB", (["map"], ["map", "p@5"]), strict=True):
        kind.from_predictions(
            y_true, scores[0], qid=qid, metrics=metrics, name=name, ax=ax
        )
    yield "different rows", figure
    many = [f"p@{k}" for k in range(1, 41)]
    display = kind.from_predictions(y_true, scores[0], qid=qid, metrics=many)
    yield "forty rows", display.figure_
    tiny = plot.QueryDifferenceDisplay(
        differences=np.array([0.0005]), query_ids=["a"], metric="map"
    )
    yield "one small difference", tiny.plot().figure_
    figure, ax = plt.subplots(layout="constrained")
    for name, height in zip(LONG_NAMES, (0.3, 0.5, 0.9), strict=True):
        plot.QueryLearningCurveDisplay(
            train_sizes=[5, 50, 500],
            estimates=np.full(3, height),
            intervals=height + np.array([[-0.2, 0.1]] * 3),
            train_scores=[1.0, 0.9, 0.8],
            metric="ndcg@10",
            name=name,
        ).plot(ax)
    yield "learning curves", figure
    odd = ["$a^$", "<script>", "a\nb", "\ud800", "_x", "50 % of {}"]
    display = plot.QueryDifferenceDisplay(
        differences=np.linspace(-1, 1, 6), query_ids=odd, metric="map"
    )
    yield "odd ids", display.plot().figure_


def pictures(quick=False):
    """Yield every picture: display, case and figure."""
    for case, data, systems, style in cases(quick):
        for name in FROM_PREDICTIONS:
            with plt.style.context(style) if style != "default" else nullcontext():
                yield name, case, draw(name, data, systems)
    for case, figure in results():
        yield "Of results", case, figure


def write_page(folder, *, quick=False):
    """Write the pictures and the page that shows them; return how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    sections = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of queries that are undefined
        for name, case, figure in pictures(quick):
            file = f"{name}-{case}.png".replace(" ", "-").replace(",", "")
            figure.savefig(folder / file, dpi=80)
            plt.close(figure)
            sections.setdefault(name, []).append(
                f'<figure><img src="{file}" alt=""><figcaption>{escape(case)}'
                "</figcaption></figure>"
            )
    body = "\n".join(
        f"<h2>{name}</h2>\n<div>{''.join(found)}</div>"
        for name, found in sections.items()
    )
    style = "div{display:flex;flex-wrap:wrap}figure{margin:.5em}img{max-width:100%}"
    (folder / "index.html").write_text(
        f'<!doctype html><meta charset="utf-8"><title>Displays</title><style>{style}'
        f"</style>\n<h1>Displays on data that are hard to draw</h1>\n{body}\n",
        encoding="utf-8",
    )
    return sum(map(len, sections.values()))


def main():
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    plt.switch_backend("agg")
    n_pictures = write_page(arguments.folder, quick=arguments.quick)
    print(f"{n_pictures} pictures in {arguments.folder / 'index.html'}")


if __name__ == "__main__":
    main()
