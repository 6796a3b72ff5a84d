import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LinearRegression

from sklearn_irmetrics.datasets import load_digits_ranking, make_ranking


def per_query(values, n_queries):
    return values.reshape(n_queries, -1)


def test_digits_pairs_are_what_they_say():
    bunch = load_digits_ranking(n_queries=30, n_candidates=20, random_state=1)
    images, digit = load_digits(return_X_y=True)
    query, document = bunch.query_image, bunch.document_image

    np.testing.assert_array_equal(bunch.qid, np.repeat(np.arange(30), 20))
    np.testing.assert_array_equal(bunch.target, digit[query] == digit[document])
    difference = np.abs(images[query] - images[document]) / 16
    np.testing.assert_array_equal(bunch.data[:, :64], difference)
    distance = np.sqrt((difference**2).sum(axis=1))
    np.testing.assert_allclose(bunch.data[:, 64], distance, rtol=1e-12)
    one = images[query[7]], images[document[7]]
    cosine = one[0] @ one[1] / np.sqrt((one[0] @ one[0]) * (one[1] @ one[1]))
    assert bunch.data[7, 65] == pytest.approx(cosine, abs=1e-12)
    assert len(bunch.feature_names) == bunch.data.shape[1]
    assert "digit" in bunch.DESCR


def test_digits_queries_share_no_image_with_documents():
    bunch = load_digits_ranking(n_queries=300)
    assert not np.intersect1d(bunch.query_image, bunch.document_image).size
    documents = per_query(bunch.document_image, 300)
    assert all(len(np.unique(row)) == 50 for row in documents)
    assert len(np.unique(bunch.query_image)) == 300


@pytest.mark.parametrize("n_candidates", [1, 3, 50])
def test_digits_every_query_has_a_relevant_document(n_candidates):
    bunch = load_digits_ranking(n_queries=400, n_candidates=n_candidates)
    assert per_query(bunch.target, 400).any(axis=1).all()


def test_digits_at_their_bounds():
    bunch = load_digits_ranking(n_queries=898, n_candidates=899)
    assert np.unique(bunch.document_image).size == 899
    for name, largest in (("n_queries", 898), ("n_candidates", 1597)):
        with pytest.raises(ValueError, match=f"{name} must .*; got {largest + 1}"):
            load_digits_ranking(**{name: largest + 1})


def test_digits_as_tuple_and_reproducible():
    X, y, qid = load_digits_ranking(n_queries=10, return_X_y_qid=True)
    bunch = load_digits_ranking(n_queries=10)
    np.testing.assert_array_equal(X, bunch.data)
    np.testing.assert_array_equal(y, bunch.target)
    np.testing.assert_array_equal(qid, bunch.qid)
    other = load_digits_ranking(n_queries=10, random_state=1)
    assert (other.query_image != bunch.query_image).any()


@pytest.mark.parametrize("n_docs", [7, (1, 40)])
def test_lengths(n_docs):
    X, y, qid = make_ranking(200, n_docs, n_features=3, random_state=0)
    low, high = n_docs if isinstance(n_docs, tuple) else (n_docs, n_docs)
    lengths = np.bincount(qid)
    assert lengths.shape == (200,)
    assert (lengths.min(), lengths.max()) == (low, high)
    assert X.shape == (lengths.sum(), 3)
    assert y.shape == qid.shape == (lengths.sum(),)


def test_each_grade_is_half_as_frequent_as_the_one_below():
    _, y, _ = make_ranking(100, 31, random_state=0)
    assert y.dtype == np.int64
    assert np.bincount(y).tolist() == [1600, 800, 400, 200, 100]


def test_without_noise_the_score_orders_the_grades():
    _, y, _, score = make_ranking(noise=0, return_score=True, random_state=0)
    assert (np.diff(y[np.argsort(score)]) >= 0).all()


def test_noise_decides_how_good_the_score_is():
    def correlation(noise):
        _, y, _, score = make_ranking(
            500, noise=noise, return_score=True, random_state=0
        )
        return np.corrcoef(y, score)[0, 1]

    assert correlation(0) > correlation(1) > correlation(10) > correlation(1000) - 0.05
    assert correlation(1000) < 0.05


@pytest.mark.parametrize("n_informative", [2, 30])
def test_the_score_is_linear_in_the_informative_features(n_informative):
    X, _, _, score = make_ranking(
        n_features=6, n_informative=n_informative, return_score=True, random_state=0
    )
    coef = LinearRegression().fit(X, score).coef_
    np.testing.assert_allclose(X @ coef, score, atol=1e-10)
    assert (np.abs(coef) > 1e-8).sum() == min(n_informative, 6)


@pytest.mark.parametrize("tie_share", [0, 0.3, 1])
def test_ties(tie_share):
    args = {"n_queries": 300, "n_docs": (2, 30), "return_score": True}
    _, _, qid, untied = make_ranking(random_state=0, **args)
    _, _, _, score = make_ranking(random_state=0, tie_share=tie_share, **args)

    order = np.lexsort((-untied, qid))
    same_query = np.diff(qid[order]) == 0
    tied = np.diff(score[order])[same_query] == 0
    assert tied.mean() == pytest.approx(tie_share, abs=0.02)
    assert (np.diff(score[order])[same_query] <= 0).all()
    first = order[np.flatnonzero(np.r_[True, ~same_query])]
    np.testing.assert_array_equal(score[first], untied[first])


@pytest.mark.parametrize(("share", "kept"), [(0.25, 8), (0.99, 1), (1, 0)])
def test_the_last_documents_are_not_retrieved(share, kept):
    _, _, _, score = make_ranking(
        50, 10, unretrieved_share=share, return_score=True, random_state=0
    )
    _, _, _, complete = make_ranking(50, 10, return_score=True, random_state=0)
    retrieved = per_query(score > -np.inf, 50)
    np.testing.assert_array_equal(retrieved.sum(axis=1), kept)
    places = (-per_query(complete, 50)).argsort(axis=1).argsort(axis=1)
    np.testing.assert_array_equal(retrieved, places < kept)


def test_shuffle_moves_whole_rows():
    plain = make_ranking(20, (1, 9), return_score=True, random_state=0)
    shuffled = make_ranking(20, (1, 9), shuffle=True, return_score=True, random_state=0)
    assert (np.diff(shuffled[2]) < 0).any()
    back = np.argsort(shuffled[3])
    rows = np.argsort(plain[3])
    for before, after in zip(plain, shuffled, strict=True):
        np.testing.assert_array_equal(before[rows], after[back])


def test_random_state():
    one, two = (make_ranking(random_state=3, tie_share=0.5) for _ in range(2))
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)
    rng = np.random.RandomState(3)
    np.testing.assert_array_equal(make_ranking(random_state=rng)[0], one[0])
    assert (make_ranking(random_state=rng)[0] != one[0]).any()
