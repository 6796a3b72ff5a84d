"""What sphinx-gallery does between two examples."""

import sklearn

from sklearn_irmetrics.plot._shared import COLORS


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
