"""The usual model of how often labels are missing."""

import numpy as np

from sklearn_irmetrics._core.numbers import as_floats
from sklearn_irmetrics._core.parameters import check_count, check_positive
from sklearn_irmetrics._typing import Array, ArrayLike


def inverse_propensities(
    label_counts: ArrayLike, n_samples: int, *, a: float = 0.55, b: float = 1.5
) -> Array:
    r"""Inverse propensities of labels from how often they occur in training data.

    Parameters
    ----------
    label_counts : array-like of shape (n_labels,)
        Number of training samples in which each label occurs.
    n_samples : int
        The number of training samples, at least 3.
    a, b : float, default=0.55 and 1.5
        Constants of the data set: 0.5 and 0.4 for Wikipedia, 0.6 and 2.6 for Amazon in
        the Extreme Classification Repository, and the defaults otherwise.

    Returns
    -------
    ndarray of shape (n_labels,)
        At least 1, and larger for rarer labels.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    propensity_scored_precision_score : Takes them, one per document.

    Notes
    -----
    .. math::

       \frac{1}{p_l} = 1 + (\ln N - 1) (b + 1)^a (N_l + b)^{-a}

    where N is `n_samples` and :math:`N_l` the count of label l. The model was fitted to
    the two data sets for which more labels were known [1]_; it may not hold for others.

    References
    ----------
    .. [1] H. Jain, Y. Prabhu, M. Varma, "Extreme multi-label loss functions for
       recommendation, tagging, ranking & other missing label applications", KDD 2016.

    Examples
    --------
    >>> from sklearn_irmetrics.emerging import inverse_propensities
    >>> inverse_propensities([1, 10, 100], 1000).round(2)
    array([6.91, 3.55, 1.77])
    """
    counts = as_floats("label_counts", label_counts)
    n_samples = check_count("n_samples", n_samples, least=3)
    a = check_positive("a", a)
    b = check_positive("b", b)
    outside = ~((counts >= 0) & (counts <= n_samples))
    if outside.any():
        raise ValueError(
            f"label_counts must lie between 0 and n_samples, {n_samples}; got "
            f"{counts[outside][0]:g}."
        )
    scale = (np.log(n_samples) - 1.0) * (b + 1.0) ** a
    return 1.0 + scale * (counts + b) ** -a
