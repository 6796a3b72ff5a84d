"""Data to rank that are made here: pairs of digit images, and generated queries."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.utils import Bunch, check_random_state

from sklearn_irmetrics._checks import check_count, check_flag, check_real
from sklearn_irmetrics._typing import Array, RandomState

_BELOW_0 = np.nextafter(0.0, -1.0)
_DIGITS_DESCRIPTION = """\
Query by example on scikit-learn's digits: every query is one 8x8 image of a
handwritten digit, its documents are other images, and a document is relevant when
it shows the same digit. Query images and documents are disjoint, so no pair of a
held-out query is seen in training, in either direction.

A row describes one pair: the absolute difference of each of the 64 pixels (0 to 1),
then the Euclidean distance and the cosine similarity of the two images.
"""


def load_digits_ranking(
    *,
    n_queries: int = 200,
    n_candidates: int = 50,
    return_X_y_qid: bool = False,
    random_state: RandomState = 0,
) -> Any:
    """Load a query-by-example task on the digits of scikit-learn.

    A query is the image of a digit, its documents are other images, and those that
    show the same digit are relevant. Each row describes a pair of images; about one
    pair in ten is relevant, and every query has at least one relevant document.
    Nothing is downloaded.

    Parameters
    ----------
    n_queries : int, default=200
        Number of query images, drawn from the 1797 images.
    n_candidates : int, default=50
        Number of documents of each query, drawn from the images that are not queries.
    return_X_y_qid : bool, default=False
        Return `(X, y, qid)` instead of a Bunch.
    random_state : int, RandomState instance or None, default=0
        Determines which images are drawn.

    Returns
    -------
    data : :class:`~sklearn.utils.Bunch`
        With the attributes

        data : ndarray of shape (n_queries * n_candidates, 66)
            One row per pair: the absolute difference of each pixel, the Euclidean
            distance and the cosine similarity of the two images.
        target : ndarray of shape (n_queries * n_candidates,)
            1 where both images show the same digit, else 0.
        qid : ndarray of shape (n_queries * n_candidates,)
            The query of each row, 0 to `n_queries - 1`, in order.
        query_image, document_image : ndarray of shape (n_queries * n_candidates,)
            Rows of :func:`sklearn.datasets.load_digits` that were compared.
        feature_names : list of str
            Names of the columns of `data`.
        DESCR : str
            Description of the task.
    (X, y, qid) : tuple of ndarray
        `data`, `target` and `qid`, if `return_X_y_qid=True`.

    Raises
    ------
    ValueError
        If `n_queries` or `n_candidates` is not such an integer, or more than there are
        images: 898 queries at most, and the images left for the candidates.

    Examples
    --------
    >>> from sklearn_irmetrics.datasets import load_digits_ranking
    >>> X, y, qid = load_digits_ranking(return_X_y_qid=True)
    >>> X.shape, y.shape, qid.shape
    ((10000, 66), (10000,), (10000,))
    """
    digits = load_digits()
    images = digits.data / 16
    n_images = len(images)
    check_count("n_queries", n_queries, 1, n_images // 2)
    check_count("n_candidates", n_candidates, 1, n_images - n_queries)
    check_flag("return_X_y_qid", return_X_y_qid)
    rng = check_random_state(random_state)

    shuffled = rng.permutation(n_images)
    queries, corpus = shuffled[:n_queries], shuffled[n_queries:]
    same_digit = digits.target[queries][:, None] == digits.target[corpus]
    priority = rng.uniform(size=same_digit.shape)
    one_relevant = np.where(same_digit, priority, -1).argmax(axis=1)
    priority[np.arange(n_queries), one_relevant] = 1  # so that no query is undefined
    drawn = np.argpartition(priority, -n_candidates, axis=1)[:, -n_candidates:]

    document_image = np.sort(corpus[drawn], axis=1).ravel()
    query_image = np.repeat(queries, n_candidates)
    queried, candidates = images[query_image], images[document_image]
    cosine = (queried * candidates).sum(axis=1) / (
        np.linalg.norm(queried, axis=1) * np.linalg.norm(candidates, axis=1)
    )
    X = np.column_stack(
        [
            np.abs(queried - candidates),
            np.linalg.norm(queried - candidates, axis=1),
            cosine,
        ]
    )
    y = (digits.target[query_image] == digits.target[document_image]).astype(np.int64)
    qid = np.repeat(np.arange(n_queries), n_candidates)
    if return_X_y_qid:
        return X, y, qid
    return Bunch(
        data=X,
        target=y,
        qid=qid,
        query_image=query_image,
        document_image=document_image,
        feature_names=[
            *(name.replace("pixel", "difference") for name in digits.feature_names),
            "euclidean_distance",
            "cosine_similarity",
        ],
        DESCR=_DIGITS_DESCRIPTION,
    )


def make_ranking(
    n_queries: int = 100,
    n_docs: int | tuple[int, int] = 20,
    *,
    n_features: int = 10,
    n_informative: int = 5,
    n_grades: int = 5,
    noise: float = 1.0,
    tie_share: float = 0.0,
    unretrieved_share: float = 0.0,
    shuffle: bool = False,
    return_score: bool = False,
    random_state: RandomState = None,
) -> tuple[Array, ...]:
    """Generate queries with lengths, grades and ties under control.

    The usefulness of a document is a random linear combination of its informative
    features plus noise. Grades cut the usefulness of all documents into classes;
    the score of a document, which ranks it, is its usefulness without the noise,
    that is the best that a model can learn.

    Parameters
    ----------
    n_queries : int, default=100
        Number of queries.
    n_docs : int or tuple (low, high), default=20
        Number of documents of each query, or the smallest and the largest number,
        both included, between which it is drawn.
    n_features : int, default=10
        Number of features.
    n_informative : int, default=5
        Number of features that bear on the grades; at most all of them do.
    n_grades : int, default=5
        Number of grades, which are 0 to `n_grades - 1`; each is half as frequent as the
        one below.
    noise : float, default=1.0
        Standard deviation of the noise beside a usefulness of standard deviation 1.
        Without noise the score ranks every document perfectly.
    tie_share : float, default=0.0
        Probability that a document has the same score as the one ranked just above
        it in its query; 0 leaves no ties, 1 ties all documents of a query.
    unretrieved_share : float, default=0.0
        Share of each query, rounded down, that its ranked list leaves out: the
        documents ranked last get the score `-inf`.
    shuffle : bool, default=False
        Shuffle the rows, so that the documents of a query are not adjacent.
    return_score : bool, default=False
        Return the scores too.
    random_state : int, RandomState instance or None, default=None
        Determines the data; pass an int for reproducible output.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,)
        Grades, integers.
    qid : ndarray of shape (n_samples,)
        Query of each row, 0 to `n_queries - 1`.
    score : ndarray of shape (n_samples,)
        Score of each row, the larger the better, if `return_score=True`.

    Raises
    ------
    ValueError
        If a parameter is of the wrong kind or out of its range.

    See Also
    --------
    load_digits_ranking : A task on real images.
    load_letor : Learning-to-rank data from files.

    Examples
    --------
    >>> from sklearn_irmetrics.datasets import make_ranking
    >>> X, y, qid = make_ranking(3, n_docs=(2, 4), random_state=0)
    >>> X.shape
    (7, 10)
    >>> qid
    array([0, 0, 1, 1, 1, 2, 2])

    Scores with ties, and the last document of each query not retrieved:

    >>> X, y, qid, score = make_ranking(
    ...     2, 5, tie_share=0.5, unretrieved_share=0.2, return_score=True,
    ...     random_state=0,
    ... )
    >>> score.round(2)
    array([0.8 , 0.8 , 1.39, 0.8 , -inf, 1.39, -inf, 1.39, 1.39, 1.39])
    """
    check_count("n_queries", n_queries)
    is_pair = isinstance(n_docs, tuple) and len(n_docs) == 2
    bounds: Any = n_docs if is_pair else (n_docs, n_docs)
    low, high = bounds
    check_count("n_docs", low)
    check_count("n_docs", high, low)
    check_count("n_features", n_features)
    check_count("n_informative", n_informative)
    check_count("n_grades", n_grades)
    check_real("noise", noise, _BELOW_0, np.inf, "a finite number >= 0")
    for name, share in [
        ("tie_share", tie_share),
        ("unretrieved_share", unretrieved_share),
    ]:
        check_real(name, share, _BELOW_0, np.nextafter(1.0, 2.0), "from 0 to 1")
    check_flag("shuffle", shuffle)
    check_flag("return_score", return_score)
    rng = check_random_state(random_state)

    lengths = rng.randint(low, high + 1, size=n_queries)
    qid = np.repeat(np.arange(n_queries), lengths)
    n_samples = len(qid)
    X = rng.standard_normal((n_samples, n_features))
    coef = np.zeros(n_features)
    informative = rng.permutation(n_features)[:n_informative]
    coef[informative] = rng.uniform(0.5, 1, size=len(informative))
    score = X @ (coef / np.linalg.norm(coef))
    usefulness = score + noise * rng.standard_normal(n_samples)

    shares = 0.5 ** np.arange(n_grades)
    last_of_grade = np.cumsum(shares / shares.sum()) * n_samples
    y = np.empty(n_samples, dtype=np.int64)
    y[np.argsort(usefulness)] = np.searchsorted(
        np.round(last_of_grade[:-1]), np.arange(n_samples), side="right"
    )

    order = np.lexsort((-score, qid))  # each query from its best document to its last
    start = np.repeat(np.cumsum(lengths) - lengths, lengths)
    place = np.arange(n_samples)
    leads = (place == start) | (rng.uniform(size=n_samples) >= tie_share)
    ranked = score[order][np.maximum.accumulate(np.where(leads, place, 0))]
    n_retrieved = lengths - np.floor(unretrieved_share * lengths).astype(np.int64)
    ranked[place - start >= np.repeat(n_retrieved, lengths)] = -np.inf
    score[order] = ranked

    columns = (X, y, qid, score) if return_score else (X, y, qid)
    if shuffle:
        rows = rng.permutation(n_samples)
        columns = tuple(column[rows] for column in columns)
    return columns
