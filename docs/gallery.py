"""What sphinx-gallery does with figures, and between two examples."""

import re
import shutil
from pathlib import Path
from textwrap import fill

import sklearn
from sphinx_gallery.py_source_parser import extract_file_config
from sphinx_gallery.scrapers import matplotlib_scraper

from sklearn_irmetrics.plot._style import COLORS

SMALL = 2.9, 2.03  # inches, of a thumbnail
MOST_NAMES = 9  # of rows that a thumbnail can show
LETTERS = 13  # of labels that an inch can show
LARGEST_LEGEND = 0.2  # of the room inside the axes


def reset_routing(gallery_conf, file_name):
    """Switch metadata routing off again, which an example may have switched on."""
    sklearn.set_config(enable_metadata_routing=False)


def style_figures(gallery_conf, file_name):
    """Take a size that fits the column of text, and the colours of displays."""
    import matplotlib
    from cycler import cycler

    matplotlib.rcParams["axes.prop_cycle"] = cycler(color=COLORS)
    matplotlib.rcParams["figure.figsize"] = 5.6, 4.0
    matplotlib.rcParams["figure.dpi"] = 120


def scrape_figures(block, block_vars, gallery_conf):
    """Save the figures, each with an alternative text that says what it shows.

    One of them is saved again for the list of examples, so small that its text is as
    large there as the text around it.
    """
    from matplotlib import pyplot as plt

    figures = [plt.figure(number) for number in plt.get_fignums()]
    texts = iter([_describe(figure) for figure in figures])
    paths = block_vars["image_path_iterator"]
    n_before = len(paths)
    saved = matplotlib_scraper(block, block_vars, gallery_conf)
    script = Path(block_vars["src_file"])
    options = extract_file_config(script.read_text(encoding="utf-8"))
    chosen = options.get("thumbnail_number", 1) - 1 - n_before
    if 0 <= chosen < len(figures):
        folder = Path(paths.paths[0]).parent / "thumb"
        folder.mkdir(exist_ok=True)
        _save_small(figures[chosen], folder / f"small_{script.stem}.png")
    return re.sub("(?<=:alt: ).*", lambda _: next(texts), saved)


def use_small_figures(app):
    """Take figures that were saved small for the list, where figures were scaled."""
    for small in Path(app.srcdir, "auto_examples").rglob("thumb/small_*.png"):
        name = small.stem.removeprefix("small_")
        shutil.copyfile(small, small.with_name(f"sphx_glr_{name}_thumb.png"))


def _save_small(figure, path):
    """Draw the first panel again, without what has no room in the list of examples."""
    ax, *others = figure.axes
    for other in others:
        other.remove()
    ax.set_subplotspec(figure.add_gridspec(1, 1)[0])
    figure.set_layout_engine("constrained")
    figure.set_size_inches(*SMALL)
    ax.set_title("")
    if len(ax.get_yticks()) > MOST_NAMES:
        ax.set_yticks([])
    figure.draw_without_rendering()
    room, legend = ax.get_window_extent(), ax.get_legend()
    if legend is not None:
        box = legend.get_window_extent()
        if box.width * box.height > LARGEST_LEGEND * room.width * room.height:
            legend.remove()
    for axis, length in ((ax.xaxis, room.width), (ax.yaxis, room.height)):
        text = axis.label.get_text().partition("\n")[0]
        axis.set_label_text(fill(text, int(length / figure.dpi * LETTERS)))
    figure.savefig(path, dpi=200)


def _describe(figure):
    """Return the title, the axes and the names of each part of a figure."""
    parts = []
    for ax in figure.axes:
        legend = ax.get_legend()
        texts = [*ax.get_yticklabels(), *ax.get_xticklabels()]
        texts += legend.get_texts() if legend else []
        words = dict.fromkeys(text.get_text() for text in texts)
        names = ", ".join(word for word in words if re.match("[^\\W\\d]", word))
        shown = " by ".join(filter(None, [ax.get_ylabel(), ax.get_xlabel()]))
        parts.append(": ".join(filter(None, [ax.get_title(), shown, names])))
    return " ".join("; ".join(filter(None, parts)).split())
