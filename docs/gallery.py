"""What sphinx-gallery does between two examples."""

import sklearn


def reset_routing(gallery_conf, file_name):
    """Switch metadata routing off again, which an example may have switched on."""
    sklearn.set_config(enable_metadata_routing=False)


def make_figures_small(gallery_conf, file_name):
    """Make text large enough to be read in the thumbnails."""
    import matplotlib

    matplotlib.rcParams["figure.figsize"] = 5.6, 4.0
    matplotlib.rcParams["figure.dpi"] = 120
