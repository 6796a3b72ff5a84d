"""What sphinx-gallery does between two examples."""

import sklearn


def reset_routing(gallery_conf, file_name):
    """Switch metadata routing off again, which an example may have switched on."""
    sklearn.set_config(enable_metadata_routing=False)
