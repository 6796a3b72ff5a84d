"""What sphinx-gallery does with figures, and between two examples."""

import re

import sklearn
from sphinx_gallery.scrapers import matplotlib_scraper

from sklearn_irmetrics.plot._style import COLORS


def reset_routing(gallery_conf, file_name):
    """Switch metadata routing off again, which an example may have switched on."""
    sklearn.set_config(enable_metadata_routing=False)


def style_figures(gallery_conf, file_name):
    """Make text large enough for the thumbnails, and take the colours of displays."""
    import matplotlib
    from cycler import cycler

    matplotlib.rcParams["axes.prop_cycle"] = cycler(color=COLORS)
    matplotlib.rcParams["figure.figsize"] = 5.6, 4.0
    matplotlib.rcParams["figure.dpi"] = 120


def scrape_figures(block, block_vars, gallery_conf):
    """Save the figures, each with an alternative text that says what it shows."""
    from matplotlib import pyplot as plt

    texts = iter([_describe(plt.figure(number)) for number in plt.get_fignums()])
    saved = matplotlib_scraper(block, block_vars, gallery_conf)
    return re.sub("(?<=:alt: ).*", lambda _: next(texts), saved)


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
