"""Leave-pair-out: one row of each of two classes is tested at a time."""

import numpy as np
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state

_MOST_PAIRS = 10_000


class LeavePairOut(BaseCrossValidator):
    """Test on one row of each class, and train on the others.

    The mean of the AUC of such pairs is an AUC in which no predictions of different
    models are compared.

    Parameters
    ----------
    n_splits : int or None
        Number of pairs to draw. None: all, up to 10,000.
    random_state : int, RandomState instance or None
        Controls the draws.

    References
    ----------
    A. Airola, T. Pahikkala, W. Waegeman, B. De Baets and T. Salakoski, "An Experimental
    Comparison of Cross-Validation Techniques for Estimating the Area under the ROC
    Curve", Computational Statistics & Data Analysis 55 (2011).
    """

    def __init__(self, n_splits=None, *, random_state=None):
        self.n_splits = n_splits
        self.random_state = random_state

    def get_n_splits(self, X=None, y=None, groups=None):
        """Return the number of pairs."""
        first, second = _sides(y)
        return self.n_splits or len(first) * len(second)

    def _iter_test_indices(self, X=None, y=None, groups=None):
        first, second = _sides(y)
        n_pairs = len(first) * len(second)
        if self.n_splits is None and n_pairs > _MOST_PAIRS:
            raise ValueError(
                f"method='lpocv' would train a model for each of {n_pairs} pairs: set "
                "n_splits to draw fewer of them."
            )
        if self.n_splits is not None and self.n_splits > n_pairs:
            raise ValueError(
                f"n_splits must be at most the number of pairs, {n_pairs}; got "
                f"{self.n_splits}."
            )
        if self.n_splits is None:
            pairs = np.arange(n_pairs)
        else:
            rng = check_random_state(self.random_state)
            pairs = _spread(len(first), len(second), self.n_splits, rng)
        for i, j in zip(*np.divmod(pairs, len(second)), strict=True):
            yield np.array([first[i], second[j]])


def _spread(n_first, n_second, n_pairs, rng):
    """Return distinct pairs in which all rows occur about equally often."""
    i, j = np.arange(n_pairs) % n_first, np.arange(n_pairs) % n_second
    # When both have run through all rows together, shift the second by one.
    j = (j + np.arange(n_pairs) // np.lcm(n_first, n_second)) % n_second
    return rng.permutation(n_first)[i] * n_second + rng.permutation(n_second)[j]


def _sides(y):
    """Return the rows of each class."""
    classes, codes = np.unique(y, return_inverse=True)
    if np.ndim(y) != 1 or len(classes) != 2:
        raise ValueError(
            f"method='lpocv' pairs rows of two classes; got {len(classes)} classes in "
            f"y of shape {np.shape(y)}."
        )
    return np.flatnonzero(codes == 1), np.flatnonzero(codes == 0)
