"""The figure of the docs: times by shape and tool, and the growth of the cost."""

from sklearn_irmetrics.plot._style import COLORS as DISPLAY_COLORS
from sklearn_irmetrics.plot._style import GREY

INK = {"light": "#333333", "dark": "#dddddd"}
COLORS = *DISPLAY_COLORS, GREY
MARKERS = "osD^vPX"


def draw(results, theme, path):
    """Write the figure in the colours of one theme, on no ground."""
    import matplotlib.pyplot as plt

    ink = INK[theme]
    colored = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color")
    style = dict.fromkeys([*colored, "ytick.color"], ink)
    style |= {"axes.spines.top": False, "axes.spines.right": False}
    style |= {"font.size": 10, "svg.hashsalt": "benchmarks"}
    with plt.rc_context(style):
        figure, (top, bottom) = plt.subplots(
            2, 1, figsize=(5.6, 7.4), height_ratios=(3, 2), layout="constrained"
        )
        _draw_tools(top, results)
        figure.legend(loc="outside upper center", ncols=3, frameon=False)
        if "growth" in results:
            _draw_growth(bottom, results)
        figure.savefig(path, transparent=True, metadata={"Date": None})
        plt.close(figure)


def _draw_tools(ax, results):
    places = {name: -place for place, name in enumerate(results["shapes"])}
    for tool, color, marker in zip(results["tools"], COLORS, MARKERS, strict=False):
        rows = [
            row
            for row in results["rows"]
            if (row["tool"], row["measure"]) == (tool, "ndcg@10") and row["seconds"]
        ]
        ours = tool == results["tools"][0]
        ax.scatter(
            [row["seconds"] for row in rows],
            [places[row["shape"]] for row in rows],
            s=70 if ours else 36,
            c=color,
            marker=marker,
            label=tool,
            zorder=3 if ours else 2,
        )
    titles = [facts["title"] for facts in results["shapes"].values()]
    ax.set_yticks(list(places.values()), titles)
    ax.set_xscale("log")
    ax.set_xlabel("seconds for nDCG@10")
    ax.grid(axis="x", alpha=0.25)


def _draw_growth(ax, results):
    for (title, times), color in zip(
        results["growth"].items(), COLORS[:2], strict=False
    ):
        exponent = results["slopes"][title]
        ax.plot(
            *zip(*times, strict=True),
            "o-",
            color=color,
            label=f"{title}: slope {exponent:.2f}",
        )
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("documents, in queries of 100")
    ax.set_ylabel("seconds")
    ax.grid(alpha=0.25)
    ax.legend(frameon=False)
