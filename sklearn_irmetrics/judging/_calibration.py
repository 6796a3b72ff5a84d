"""Probabilities of people's grades, given the judge's."""

import numpy as np

from sklearn_irmetrics._core.parameters import check_count
from sklearn_irmetrics._typing import Array, ArrayLike, Ids, RandomState
from sklearn_irmetrics.judging._documents import check_documents


def calibrate_grades(
    y_true: ArrayLike,
    y_judge: ArrayLike,
    *,
    qid: Ids | None = None,
    n_splits: int = 5,
    random_state: RandomState = None,
) -> Array:
    """Turn a judge's grades into probabilities of the grades that people would give.

    Labelled queries are split into folds. The probabilities in a labelled query come
    from the other folds, so no label is used twice; those in other queries are the mean
    over all folds. Pass them to `score_judged` as `y_judge`.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents)
        Labels by people, whole grades from 0; NaN where there is none.
    y_judge : array-like of the shape of `y_true`
        The judge's grades, or scores.
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input.
    n_splits : int, default=5
        Number of folds of labelled queries.
    random_state : int or None, default=None
        Seeds the folds.

    Returns
    -------
    ndarray of the shape of `y_true` and an axis of n_grades
        Probabilities of the grades 0, 1, 2, ... up to the largest label.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    Notes
    -----
    The probability of a grade or a better one rises with the judge's grade, by isotonic
    regression for each grade.

    Examples
    --------
    >>> from sklearn_irmetrics.judging import calibrate_grades
    >>> y_true = [[0, 1], [0, 1], [1, 1], [float("nan")] * 2]
    >>> y_judge = [[0, 2], [1, 2], [1, 2], [0, 2]]
    >>> calibrate_grades(y_true, y_judge, n_splits=3, random_state=0)[-1].round(2)
    array([[0.83, 0.17],
           [0.  , 1.  ]])
    """
    from sklearn.isotonic import IsotonicRegression
    from sklearn.model_selection import GroupKFold

    documents = check_documents(y_true, y_judge, qid)
    labels, judge, query = documents.y_true, documents.y_judge, documents.query
    known = np.flatnonzero(documents.has_label)
    if judge.ndim > 1 or np.isnan(judge).any():
        raise ValueError("y_judge must hold one grade or score for every document.")
    if (labels[known] % 1 != 0).any() or (labels[known] < 0).any():
        raise ValueError("y_true must hold whole grades from 0, or NaN.")
    n_splits = check_count("n_splits", n_splits, 2)
    if (n_labelled := len(np.unique(query[known]))) < n_splits:
        raise ValueError(
            f"y_true must label at least n_splits={n_splits} queries; got {n_labelled}."
        )
    folds = GroupKFold(n_splits, shuffle=True, random_state=random_state)
    levels = np.arange(1, labels[known].max() + 1)
    found = np.zeros((len(judge), len(levels) + 1))
    unlabelled = ~np.isin(query, query[known])
    for train, test in folds.split(known, groups=query[known]):
        x, y = judge[known[train]], labels[known[train]]
        model = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
        # Chances of each grade or a better one.
        at_least = [model.fit(x, y >= grade).predict(judge) for grade in levels]
        p = -np.diff([np.ones(len(judge)), *at_least, np.zeros(len(judge))], axis=0).T
        left_out = np.isin(query, query[known[test]])
        found[left_out] = p[left_out]
        found[unlabelled] += p[unlabelled] / n_splits
    return found.reshape(*np.shape(y_true), -1)
