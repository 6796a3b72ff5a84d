"""The splitters: whole queries, reproducible, and resampled; at home in cv=."""

import pickle
from collections import Counter
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.pipeline import make_pipeline

from sklearn_irmetrics import get_scorer
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.model_selection import (
    BootstrapSplit,
    HoldoutSplit,
    QueryKFold,
    QueryTimeSeriesSplit,
    ResampledSplit,
    StratifiedQueryKFold,
    evaluate,
)

SPLITTERS = {
    "holdout": lambda **kw: HoldoutSplit(3, **kw),
    "holdout, stratified": lambda **kw: HoldoutSplit(3, stratify=True, **kw),
    "bootstrap": lambda **kw: BootstrapSplit(3, **kw),
    "bootstrap, stratified": lambda **kw: BootstrapSplit(3, stratify="size", **kw),
    "queries": lambda **kw: QueryKFold(3, shuffle=True, **kw),
    "stratified": lambda **kw: StratifiedQueryKFold(3, shuffle=True, **kw),
    "stratified by mean": lambda **kw: StratifiedQueryKFold(
        3, stratify="mean", shuffle=True, **kw
    ),
    "over": lambda **kw: ResampledSplit(GroupKFold(3), "over", **kw),
    "under": lambda **kw: ResampledSplit(GroupKFold(3), "under", **kw),
    "over groups": lambda **kw: ResampledSplit(3, "over", unit="group", **kw),
    "over a bootstrap": lambda **kw: ResampledSplit(
        BootstrapSplit(3, **kw), unit="group", **kw
    ),
}


def rows_of(qid, queries):
    return np.flatnonzero(np.isin(qid, queries))


def make_queries(n_queries=12, seed=0, shuffled=True):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 8, n_queries)
    qid = np.repeat(rng.permutation(n_queries) * 10, sizes)
    if shuffled:
        qid = rng.permutation(qid)
    y = rng.integers(0, 3, len(qid))
    return rng.normal(size=(len(qid), 2)), y, qid


@pytest.fixture(params=SPLITTERS)
def make_splitter(request):
    return SPLITTERS[request.param]


def assert_same_splits(splits, others):
    for one, other in zip(splits, others, strict=True):
        assert_array_equal(one[0], other[0])
        assert_array_equal(one[1], other[1])


@pytest.mark.parametrize("n_queries", [6, 7, 30])
@pytest.mark.parametrize("name", SPLITTERS)
def test_queries_are_never_split(name, n_queries, seed):
    X, y, qid = make_queries(n_queries, seed)
    size = Counter(qid.tolist())
    for train, test in SPLITTERS[name](random_state=seed).split(X, y, qid):
        assert len(train) and len(test)
        assert not set(qid[train]) & set(qid[test])
        assert_array_equal(test, np.unique(test))
        if name in ("over", "under"):  # of rows
            continue
        for rows in (train, test):
            assert all(n % size[q] == 0 for q, n in Counter(qid[rows].tolist()).items())
            copies = Counter(rows.tolist())
            assert all(
                copies[row] == copies[np.argmax(qid == qid[row])] for row in rows
            )


@pytest.mark.parametrize("grouped", [True, False])
@pytest.mark.parametrize("strategy", ["over", "under"])
def test_resampling_never_trains_on_a_test_row(strategy, grouped, seed):
    X, y, qid = make_queries(12, seed)
    groups = qid if grouped else None
    cv = GroupKFold(3) if grouped else KFold(3, shuffle=True, random_state=seed)
    resampled = ResampledSplit(cv, strategy, random_state=seed).split(X, y, groups)
    for (train, test), (drawn, same) in zip(
        cv.split(X, y, groups), resampled, strict=True
    ):
        assert_array_equal(test, same)
        assert set(drawn) <= set(train)
        counts = np.bincount(y[drawn])
        assert len(set(counts[counts > 0])) == 1
        if strategy == "over":
            assert set(drawn) == set(train)
        else:
            assert len(set(drawn)) == len(drawn)


def test_same_random_state_gives_the_same_splits(make_splitter):
    X, y, qid = make_queries(40)
    first, second, other = (
        [
            np.concatenate(split)
            for split in make_splitter(random_state=s).split(X, y, qid)
        ]
        for s in (0, 0, 1)
    )
    assert all(map(np.array_equal, first, second))
    assert not all(map(np.array_equal, first, other))


def test_interface(make_splitter):
    X, y, qid = make_queries()
    splitter = make_splitter(random_state=0)
    assert splitter.get_n_splits(X, y, qid) == len(list(splitter.split(X, y, qid))) == 3
    assert repr(splitter).startswith(type(splitter).__name__ + "(")
    assert "random_state=0" in repr(splitter)
    for copy in (pickle.loads(pickle.dumps(splitter)), clone(splitter, safe=False)):
        assert_same_splits(splitter.split(X, y, qid), copy.split(X, y, qid))


@pytest.mark.parametrize("passed", ["both", "renamed"])  # one: in test_contracts
def test_ids_are_routed(make_splitter, passed):
    X, y, qid = make_queries()
    mse = "neg_mean_squared_error"
    params = {"qid": qid}
    if passed == "both":
        params = {"groups": qid, "qid": np.arange(len(qid))}
    with config_context(enable_metadata_routing=True):
        cv = make_splitter(random_state=0)
        if passed == "renamed":
            cv.set_split_request(groups="qid")
        use = {"cv": cv, "scoring": mse, "error_score": "raise"}
        routed = cross_validate(Ridge(), X, y, params=params, **use)
        search = GridSearchCV(Ridge(), {"alpha": [1]}, **use).fit(X, y, **params)
    use["cv"] = make_splitter(random_state=0)
    plain = cross_validate(Ridge(), X, y, groups=qid, **use)
    assert_array_equal(routed["test_score"], plain["test_score"])
    assert search.best_score_ == pytest.approx(plain["test_score"].mean())


def test_qid_is_groups_where_there_are_none(make_splitter):
    X, y, qid = make_queries()
    coarse = qid // 20
    for mine, its in (
        ({"qid": qid}, {"groups": qid}),
        ({"qid": qid, "groups": coarse}, {"groups": coarse}),
        ({"qid": [("q", q) for q in qid.tolist()]}, None),
    ):
        first = list(make_splitter(random_state=0).split(X, y, **mine))
        cv = make_splitter(random_state=0)
        assert cv.get_n_splits(X, y, **mine) == len(first)
        assert_same_splits(first, cv.split(X, y, **(its or mine)))


def test_ids_that_cannot_be(make_splitter):
    X, y, qid = make_queries()
    missing = np.where(qid > 20, np.nan, qid)
    for ids, message in (
        ({"qid": qid, "groups": np.arange(len(qid))}, "groups must not divide a query"),
        ({"qid": qid[:-1]}, "qid must have one id per row"),
        ({"groups": qid[:-1]}, "groups must have one id per row"),
        ({"qid": missing}, "qid must not contain missing"),
        ({"groups": missing}, "groups must not contain missing"),
    ):
        with pytest.raises(ValueError, match=message):
            next(make_splitter(random_state=0).split(X, y, **ids))


@pytest.mark.parametrize("shuffled", [{}, {"shuffle": True, "random_state": 3}])
def test_query_folds_are_those_of_group_k_fold(shuffled):
    X, y, qid = make_queries(20)
    ours, theirs = QueryKFold(4, **shuffled), GroupKFold(4, **shuffled)
    assert_same_splits(ours.split(X, y, qid=qid), theirs.split(X, y, qid))


class TestHoldoutSplit:
    def test_defaults_hold_out_a_third(self):
        train, test = next(HoldoutSplit(random_state=0).split(np.zeros((30, 1))))
        assert (len(train), len(test)) == (20, 10)
        assert HoldoutSplit().get_n_splits() == 1

    @pytest.mark.parametrize("Splitter", [ShuffleSplit, GroupShuffleSplit])
    def test_splits_are_those_of_scikit_learn(self, Splitter):
        X, y, qid = make_queries(20)
        groups = qid if Splitter is GroupShuffleSplit else None
        options = {"test_size": 0.25, "random_state": 3}
        ours = HoldoutSplit(4, **options).split(X, y, groups)
        theirs = list(Splitter(4, **options).split(X, y, groups))
        if groups is None:  # whose rows come in any order
            theirs = [(np.sort(train), np.sort(test)) for train, test in theirs]
            ours = [(np.sort(train), np.sort(test)) for train, test in ours]
        assert_same_splits(ours, theirs)

    def test_stratifies_classes(self):
        y = np.repeat(["a", "b"], [90, 30])
        splitter = HoldoutSplit(stratify=True, random_state=0)
        _, test = next(splitter.split(np.zeros((120, 1)), y))
        assert Counter(y[test]) == {"a": 30, "b": 10}

    def test_stratifies_continuous_targets(self):
        y = np.arange(30) / 7
        splitter = HoldoutSplit(5, stratify=True, random_state=0)
        for _, test in splitter.split(np.zeros((30, 1)), y):
            assert_array_equal(np.bincount(test // 3), np.ones(10))

    def test_train_size_alone(self):
        splitter = HoldoutSplit(test_size=None, train_size=5, random_state=0)
        train, test = next(splitter.split(np.zeros((20, 1))))
        assert (len(train), len(test)) == (5, 15)


class TestBootstrapSplit:
    def test_as_many_draws_as_units_and_the_rest_is_test(self):
        X = np.zeros((40, 1))
        for train, test in BootstrapSplit(20, random_state=0).split(X):
            assert len(train) == 40
            assert len(set(train)) < 40
            assert set(train) | set(test) == set(range(40))

    def test_redraws_when_nothing_is_left_out(self):
        # Two rows: half of all draws take both.
        for train, test in BootstrapSplit(50, random_state=0).split(np.zeros((2, 1))):
            assert train[0] == train[1] != test[0]

    def test_strata_of_continuous_targets_hold_two(self):
        # Nothing to draw in a stratum of one, less variation in a larger one.
        splitter = BootstrapSplit(20, stratify=True, random_state=0)
        for train, _ in splitter.split(np.zeros((6, 1)), np.arange(6) / 7):
            assert_array_equal(np.bincount(train // 2), [2, 2, 2])

    def test_draws_are_those_of_mlxtend(self):
        evaluate = pytest.importorskip("mlxtend.evaluate")
        X = np.zeros((25, 1))
        theirs = evaluate.BootstrapOutOfBag(5, random_seed=7).split(X)
        ours = BootstrapSplit(5, random_state=7).split(X)
        for mine, its in zip(ours, theirs, strict=True):
            assert_array_equal(mine[0], np.sort(its[0]))
            assert_array_equal(mine[1], its[1])


class TestQueryTimeSeriesSplit:
    @pytest.mark.parametrize(
        "options", [{}, {"test_size": 2, "gap": 1}, {"max_train_size": 3}]
    )
    def test_splits_are_those_of_scikit_learn_over_queries(self, options):
        X, _, qid = make_queries(n_queries=20, shuffled=False)
        in_time = list(dict.fromkeys(qid.tolist()))
        theirs = TimeSeriesSplit(4, **options).split(in_time)
        ours = QueryTimeSeriesSplit(4, **options).split(X, qid=qid)
        for (train, test), (earlier, later) in zip(ours, theirs, strict=True):
            assert_array_equal(train, rows_of(qid, np.array(in_time)[earlier]))
            assert_array_equal(test, rows_of(qid, np.array(in_time)[later]))

    def test_groups_go_forward_in_time_where_they_are_given(self):
        qid, week = np.repeat(np.arange(6), 2), np.repeat([3, 1, 2], 4)
        for train, test in QueryTimeSeriesSplit(2).split(qid, groups=week, qid=qid):
            assert train.max() < test.min()
            assert not set(week[train]) & set(week[test])

    def test_rows_of_a_query_must_be_adjacent(self):
        with pytest.raises(ValueError, match="adjacent.*rows 1 and 3 have"):
            next(QueryTimeSeriesSplit(2).split(range(5), qid=["a", "b", "c", "b", "d"]))

    @pytest.mark.parametrize("size", [0, 1.5, "2"])
    @pytest.mark.parametrize("name", ["max_train_size", "test_size"])
    def test_sizes_count_queries(self, name, size):
        with pytest.raises(ValueError, match=f"{name} must be an integer >= 1; got"):
            QueryTimeSeriesSplit(**{name: size})

    @pytest.mark.parametrize(
        ("options", "n_queries", "least"),
        [
            ({}, 4, 5),
            ({"test_size": 2}, 8, 9),
            ({"gap": 1}, 5, 6),
            ({"test_size": 2, "gap": 3}, 5, 12),
        ],
    )
    def test_too_few_queries(self, options, n_queries, least):
        splitter = QueryTimeSeriesSplit(4, **options)
        message = rf"n_splits=4, .* at least {least} queries .* got {n_queries}\."
        with pytest.raises(ValueError, match=message):
            next(splitter.split(range(n_queries), qid=range(n_queries)))
        assert len(list(splitter.split(range(least), qid=range(least)))) == 4

    def test_the_heading_of_a_result_is_one_line(self):
        X, y, qid = make_queries(n_queries=30, shuffled=False)
        forward = QueryTimeSeriesSplit(4, gap=2)
        options = {"scoring": "r2", "qid": qid, "method": forward}
        heading, *_ = repr(evaluate(Ridge(), X, y, **options)).splitlines()
        assert heading.endswith("qid=None, test_size=None), 30 queries")
        assert "  " not in heading

    def test_in_evaluate_and_in_a_search(self):
        X, y, qid = make_queries(n_queries=30, shuffled=False)
        forward = QueryTimeSeriesSplit(4)
        y[np.r_[0, np.flatnonzero(np.diff(qid)) + 1]] = 2
        options = {"scoring": "ndcg@5", "qid": qid}
        result = evaluate(Ridge(), X, y, method=forward, **options)
        splits = list(forward.split(X, qid=qid))
        assert result.split_scores["ndcg@5"].shape == (4,)
        tested = np.concatenate([test for _, test in splits])
        assert set(result.query_scores.query_ids) == set(qid[tested])
        with pytest.raises(ValueError, match="both sides of a split.*in time, QueryT"):
            evaluate(Ridge(), X, y, method=TimeSeriesSplit(4), **options)
        search = GridSearchCV(
            Ridge(), {"alpha": [1, 9]}, scoring=get_scorer("ndcg@5"), cv=forward
        )
        with config_context(enable_metadata_routing=True):
            assert search.fit(X, y, qid=qid).n_splits_ == 4

    def test_a_ranker_tells_that_rows_were_cut(self):
        X, _, qid = make_queries(n_queries=9, shuffled=False)
        y = np.arange(len(qid)) % 2 + 1
        with (
            config_context(enable_metadata_routing=True),
            pytest.warns(
                UserWarning, match="cut through queries.*QueryTimeSeriesSplit"
            ),
        ):
            cross_validate(
                QueryRanker(Ridge()),
                X,
                y,
                scoring=get_scorer("ndcg@5"),
                cv=TimeSeriesSplit(3),
                params={"qid": qid},
            )


class TestStratifiedQueryKFold:
    @pytest.mark.parametrize("shuffled", [{}, {"shuffle": True, "random_state": 0}])
    def test_folds_have_like_numbers_of_each_grade_and_of_queries(self, shuffled):
        rng = np.random.default_rng(0)
        qid = np.repeat(np.arange(60), rng.integers(5, 30, 60))
        y = rng.binomial(4, rng.beta(1, 3, 60)[qid])
        X = np.zeros((len(qid), 1))
        tests = [t for _, t in StratifiedQueryKFold(5, **shuffled).split(X, y, qid)]
        assert {len(set(qid[test])) for test in tests} <= {11, 12, 13}
        counts = np.array([np.bincount(y[test], minlength=5) for test in tests])
        assert (np.ptp(counts, axis=0) / counts.mean(axis=0))[:4].max() < 0.25
        shares = counts / counts.sum(axis=1, keepdims=True)
        assert np.ptp(shares, axis=0).max() < 0.05

    def test_folds_of_groups_have_classes_as_scikit_learn_has_them(self):
        """As alike as those of StratifiedGroupKFold, and of as many groups."""
        rng = np.random.default_rng(3)
        groups = np.repeat(np.arange(50), rng.integers(2, 25, 50))
        y = np.array(list("abc"))[
            (rng.random(len(groups)) < rng.dirichlet([4, 2, 0.4], 50)[groups].T).argmax(
                0
            )
        ]
        X = np.zeros((len(y), 1))
        spread = {}
        for cv in (StratifiedGroupKFold(5), StratifiedQueryKFold(5)):
            sides = [test for _, test in cv.split(X, y, groups)]
            shares = [[np.mean(y[test] == c) for c in "abc"] for test in sides]
            spread[type(cv).__name__] = np.std(shares, axis=0).max()
        assert spread["StratifiedQueryKFold"] <= spread["StratifiedGroupKFold"] + 0.005

    def test_a_rare_class_is_in_as_many_folds_as_can_be(self):
        groups = np.repeat(np.arange(30), 4)
        y = np.ones(120, dtype=int)
        y[[3, 50, 77, 101]] = 2
        for _, test in StratifiedQueryKFold(4).split(np.zeros((120, 1)), y, groups):
            assert (y[test] == 2).sum() == 1

    def test_continuous_targets_of_queries_are_stratified_by_their_mean(self):
        X, _, qid = make_queries(30)
        y = np.random.default_rng(0).lognormal(size=len(qid))
        by_mean = StratifiedQueryKFold(3, stratify="mean").split(X, y, qid)
        assert_same_splits(StratifiedQueryKFold(3).split(X, y, qid), by_mean)

    def test_continuous_targets_of_rows(self):
        X, y = np.zeros((200, 1)), np.random.default_rng(0).lognormal(size=200)
        folds = StratifiedQueryKFold(5, shuffle=True, random_state=0)
        splits = folds.split(X, y, np.arange(200))
        assert np.ptp([np.median(y[test]) for _, test in splits]) < 0.3

    def test_classes_of_groups(self):
        groups = np.repeat(np.arange(12), 3)
        y = np.repeat(["sick", "well", "well"] * 4, 3)
        folds = StratifiedQueryKFold(4).split(np.zeros((36, 1)), y, groups)
        assert all((y[test] == "sick").sum() == 3 for _, test in folds)

    def test_unjudged_documents_are_not_relevant(self):
        y = np.tile([np.nan, 1.0, 0.0], 6)
        folds = StratifiedQueryKFold(3).split(
            np.zeros((18, 1)), y, np.repeat(range(6), 3)
        )
        assert sum(len(test) for _, test in folds) == 18

    def test_labels_of_groups(self):
        def language(targets):
            return "en" if (targets > 0).all() else "other"

        groups = np.repeat(np.arange(8), 2)
        y = np.repeat([1, 0, 1, 0, 1, 0, 1, 0], 2)
        folds = StratifiedQueryKFold(2, stratify=language)
        for _, test in folds.split(np.zeros((16, 1)), y, groups):
            assert y[test].mean() == 0.5


class TestStrata:
    def test_many_numbers_are_counted_in_bins(self):
        rng = np.random.default_rng(0)
        clicks, qid = rng.integers(0, 3000, 20_000), rng.integers(0, 500, 20_000)
        folds = StratifiedQueryKFold(5).split(clicks[:, None], clicks, qid)
        assert np.ptp([clicks[test].mean() for _, test in folds]) < 60

    @pytest.mark.parametrize("n_splits", range(2, 7))
    def test_no_fold_is_empty(self, n_splits, seed):
        rng = np.random.default_rng(seed)
        for _ in range(8):
            sizes = rng.integers(2, 4, rng.integers(n_splits, 20))
            qid = np.repeat(np.arange(len(sizes)), sizes)
            y = rng.poisson(0.5, len(qid))
            splits = StratifiedQueryKFold(n_splits).split(y[:, None], y, qid)
            assert all(len(test) for _, test in splits)


class TestResampledSplit:
    def test_continuous_targets_are_balanced_in_bins_of_equal_width(self):
        y = np.concatenate([np.linspace(0, 0.19, 90), np.linspace(0.8, 1, 10)])
        cv = KFold(2, shuffle=True, random_state=0)
        for train, _ in ResampledSplit(cv, "over", random_state=0).split(y[:, None], y):
            assert (y[train] < 0.5).sum() == (y[train] > 0.5).sum()

    def test_bins_can_be_asked_for(self):
        y = np.repeat(np.arange(10), [30, 30, 2, 2, 2, 2, 2, 2, 2, 2])
        cv = ResampledSplit(KFold(2, shuffle=True, random_state=0), n_bins=2)
        for train, _ in cv.split(y[:, None], y):
            assert (y[train] < 4.5).sum() == (y[train] > 4.5).sum()

    @pytest.mark.parametrize("n_bins", [None, 2])
    def test_queries_are_balanced_in_bins_of_equal_width(self, n_bins):
        quantity = np.where(np.arange(60) % 10, 0.0, 9.0) + np.linspace(0, 1, 60)
        qid, options = np.repeat(np.arange(60), 4), {"unit": "query", "n_bins": n_bins}
        for spread in (0.0, 0.01):  # inside each query
            y = quantity[qid] + spread * np.tile([1, -1, 2, -2], 60)
            cv = ResampledSplit(QueryKFold(3), "over", random_state=0, **options)
            for train, _ in cv.split(y[:, None], y, qid):
                assert (y[train] < 5).sum() == (y[train] > 5).sum()

    def test_bins_of_whole_numbers_go_for_queries_too(self):
        qid = np.repeat(np.arange(24), 2)
        y = np.array([0, 1, 9] * 8)[qid]
        cv = ResampledSplit(QueryKFold(2), unit="query", n_bins=2, random_state=0)
        for train, _ in cv.split(y[:, None], y, qid):
            assert (y[train] < 5).sum() == (y[train] > 5).sum()

    def test_text_has_no_bins(self):
        y = np.array(["a", "b", "b"] * 4)
        with pytest.raises(ValueError, match="n_bins must be None .* got 2 with .*'a'"):
            next(ResampledSplit(2, n_bins=2).split(np.zeros((12, 1)), y))

    def test_sides_may_be_masks(self):
        y = np.array([0, 0, 0, 1] * 3)
        in_train = np.arange(12) < 8
        rows = [(np.flatnonzero(in_train), np.flatnonzero(~in_train))]
        masks, expected = (
            next(ResampledSplit(cv, random_state=0).split(y[:, None], y))
            for cv in ([(in_train, ~in_train)], rows)
        )
        assert_array_equal(masks[0], expected[0])
        assert_array_equal(masks[1], expected[1])

    def test_groups_are_balanced_by_their_class(self):
        groups = np.repeat(np.arange(12), 3)
        y = np.repeat(["sick", "well", "well", "well"] * 3, 3)
        cv = ResampledSplit(3, "over", unit="group", random_state=0)
        for train, _ in cv.split(np.zeros((36, 1)), y, groups):
            assert (y[train] == "sick").sum() == (y[train] == "well").sum()

    @pytest.mark.parametrize(("n_shared", "more"), [(5, ""), (6, ", ...")])
    def test_queries_on_both_sides_are_named(self, n_shared, more):
        groups = np.arange(20) // 2
        train, test = np.arange(0, 20, 2), np.arange(1, 2 * n_shared, 2)
        with pytest.raises(ValueError, match="sides") as caught:
            next(ResampledSplit([(train, test)]).split(groups[:, None], groups, groups))
        assert f"of a split: 0, 1, 2, 3, 4{more}. Use" in str(caught.value)

    def test_an_iterable_can_be_split_again(self):
        y = np.array([0, 0, 0, 1] * 3)
        cv = ResampledSplit(iter([(np.arange(8), np.arange(8, 12))]), random_state=0)
        first, again = (next(cv.split(y[:, None], y)) for _ in range(2))
        assert_array_equal(first[0], again[0])
        assert cv.get_n_splits() == 1

    @pytest.mark.parametrize("strategy", ["over", "under"])
    @pytest.mark.parametrize("grouped", [True, False])
    def test_whole_queries_are_drawn_inside_groups(self, strategy, grouped):
        X, y, qid = make_queries(40)
        first = np.unique(qid, return_index=True)[1]
        y = np.zeros(len(qid), dtype=int)
        y[first] = 1 + (np.unique(qid) % 40 == 0)  # one query in four has the grade 2
        ids = {"qid": qid, "groups": qid // 20} if grouped else {"qid": qid}
        cv = ResampledSplit(3, strategy, unit="query", random_state=0)
        sizes = Counter(qid.tolist())
        holds = {q: 2 in y[qid == q] for q in sizes}
        for train, test in cv.split(X, y, **ids):
            assert_array_equal(test, np.unique(test))
            copies = {q: n / sizes[q] for q, n in Counter(qid[train].tolist()).items()}
            assert all(n == int(n) for n in copies.values())
            rare = sum(n for q, n in copies.items() if holds[q])
            assert rare == sum(copies.values()) - rare
            if grouped:
                assert not set(qid[train] // 20) & set(qid[test] // 20)
            assert set(copies).isdisjoint(qid[test].tolist())


@pytest.mark.parametrize("Folds", [KFold, QueryKFold, StratifiedQueryKFold])
def test_folds_that_are_not_shuffled_take_no_random_state(Folds):
    for random_state in (0, np.random.RandomState(0)):
        with pytest.raises(ValueError, match=r"random_state .* shuffle=True\."):
            Folds(3, random_state=random_state)
        assert Folds(3, shuffle=True, random_state=random_state)
    assert Folds(3, random_state=None)


@pytest.mark.parametrize("stratify", ["none", True, "mean"])
def test_repeated_folds(stratify):
    X, y, qid = make_queries()

    def folds(n_repeats, **options):
        options = {"n_repeats": n_repeats, "shuffle": True, **options}
        if stratify == "none":
            return QueryKFold(3, **options)
        return StratifiedQueryKFold(3, stratify=stratify, **options)

    repeated = folds(4, random_state=0)
    assert repeated.get_n_splits(X, y, qid) == 12
    tests = [test for _, test in repeated.split(X, y, qid)]
    assert len(tests) == 12
    for start in range(0, 12, 3):
        assert sorted(np.concatenate(tests[start : start + 3])) == list(range(len(qid)))
    sides = {tuple(test) for test in tests}
    assert len(sides) > 6
    rng = np.random.RandomState(0)
    once = folds(1, random_state=rng)
    by_hand = [test for _ in range(4) for _, test in once.split(X, y, qid)]
    for test, expected in zip(tests, by_hand, strict=True):
        assert_array_equal(test, expected)


@pytest.mark.parametrize("Folds", [QueryKFold, StratifiedQueryKFold])
def test_repeats_need_shuffled_folds(Folds):
    with pytest.raises(ValueError, match=r"n_repeats=2 needs shuffle=True, because"):
        Folds(3, n_repeats=2)


def test_values_to_stratify_by_take_the_place_of_the_target():
    message = r"method=list\(splitter.split\(X, values, groups\)\)"
    with pytest.raises(ValueError, match=message):
        HoldoutSplit(stratify=[1, 2])


STRATIFIED = StratifiedQueryKFold(2)
BY_MEAN = StratifiedQueryKFold(2, stratify="mean")


@pytest.mark.parametrize(
    ("splitter", "y", "groups", "message"),
    [
        *((HoldoutSplit(test_size=n), None, None, "test_size") for n in (4, 9)),
        (BootstrapSplit(stratify=True), list("abcd"), None, "stratum of at least two"),
        (BootstrapSplit(), None, [1] * 4, "at least two rows or groups"),
        (STRATIFIED, [0, 1, 0], [1, 1, 2, 2], "y must have one .* of X: expected 4"),
        (StratifiedQueryKFold(5), [0, 1] * 2, [1, 1, 2, 2], "n_splits=5 .* got 2"),
        (STRATIFIED, None, [1, 2, 3, 4], "stratify needs y"),
        (BY_MEAN, list("abab"), [1, 1, 2, 2], "stratify='mean' needs numeric"),
        (ResampledSplit(2), [0, 1, np.nan, 1], None, "y must not contain NaN"),
        *(
            (ResampledSplit(2, unit=u), [0, 1, 0, 1], None, f"unit='{u}' needs groups")
            for u in ("group", "query")
        ),
    ],
)
def test_data_that_cannot_be_split(splitter, y, groups, message):
    with pytest.raises(ValueError, match=message):
        next(splitter.split(np.zeros((4, 1)), y, groups))


# Resampling -------------------------------------------------------------------------


METHODS = {
    "holdout": HoldoutSplit(),
    "subsampling": HoldoutSplit(4),
    "kfold": QueryKFold(shuffle=True),
    "stratified": StratifiedQueryKFold(shuffle=True),
    "loocv": LeaveOneGroupOut(),
    "bootstrap": BootstrapSplit(4),
}
SEEN = []


class Ranker(RegressorMixin, BaseEstimator):
    """Keeps what it was fitted on."""

    def fit(self, X, y, qid=None):
        SEEN.append((X[:, 0].astype(int), np.asarray(y), qid))
        self.fitted_ = True
        return self

    def predict(self, X):
        return X[:, 1]


@pytest.fixture(scope="module")
def queries():
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(30), rng.integers(4, 9, 30))
    y = rng.poisson(0.4, len(qid)).clip(max=1)
    y[qid % 5 == 0] *= 2
    y[np.unique(qid, return_index=True)[1]] = 1
    rows = np.arange(len(qid))
    return np.column_stack([rows, rng.normal(size=len(qid)) + y]), y, qid


WAYS = [*product(METHODS, [None, "over", "under"])]
WAYS += [("bootstrap632", None), ("bootstrap632+", None)]


@pytest.mark.parametrize(("method", "resample"), WAYS)
def test_rankers_get_whole_queries(queries, method, resample):
    X, y, qid = queries
    options = {"qid": qid, "scoring": "ndcg", "random_state": 0}
    named = options | {"method": method}
    if "bootstrap" in method or method == "subsampling":
        named["n_splits"] = 4
    plain = evaluate(Ranker(), X, y, **named)
    SEEN.clear()
    if resample:
        folds = ResampledSplit(METHODS[method], resample, unit="query")
        result = evaluate(Ranker(), X, y, method=folds, **options)
    else:
        result = evaluate(make_pipeline("passthrough", Ranker()), X, y, **named)
    assert result.method == plain.method
    sizes = Counter(qid.tolist())
    for rows, grades, ids in SEEN:
        assert_array_equal(grades, y[rows])
        for query in set(ids.tolist()):
            own = rows[ids == query]
            (original,) = set(qid[own].tolist())
            # A copy is a query of its own, with all its documents, once.
            assert len(own) == len(set(own.tolist())) == sizes[original]
        if resample is None and method == "bootstrap":
            assert len(set(ids.tolist())) == 30 > len(set(qid[rows].tolist()))
    for split in range(len(result.fit_time)):
        tested = Counter(qid[result.predictions.row[result.predictions.split == split]])
        assert not tested.keys() & set(qid[SEEN[split][0]])
        assert tested == {query: sizes[query] for query in tested}
    assert_array_equal(result.predictions.row, plain.predictions.row)
    assert result.estimate == plain.estimate
    if "bootstrap" not in method:  # whose intervals look at what was drawn
        assert result.confidence_interval == plain.confidence_interval


def test_grades_are_balanced_by_whole_queries(queries):
    X, y, qid = queries
    SEEN.clear()
    method = ResampledSplit(QueryKFold(shuffle=True), "over", unit="query")
    evaluate(Ranker(), X, y, qid=qid, scoring="ndcg", method=method, random_state=0)
    for _, grades, ids in SEEN:
        rarest = [2 in grades[ids == query] for query in set(ids.tolist())]
        assert sum(rarest) == len(rarest) / 2


def test_copies_are_no_further_data():
    """Nadeau and Bengio's share is of distinct rows, or oversampling narrows it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + rng.normal(size=300) > 1.5).astype(int)
    use = {"scoring": "balanced_accuracy", "interval": "corrected_t"}
    use["random_state"] = 0
    folds = StratifiedKFold(5, shuffle=True)
    plain, over, under = (
        evaluate(LogisticRegression(), X, y, method=method, **use)
        for method in (
            "stratified",
            ResampledSplit(folds, "over"),
            ResampledSplit(folds, "under"),
        )
    )
    assert_array_equal(over.n_train, plain.n_train)
    assert (under.n_train < plain.n_train / 2).all()
    for result in (plain, over, under):
        scores = result.split_scores["balanced_accuracy"]
        share = 1 / len(scores) + np.mean(result.n_test / result.n_train)
        error = np.sqrt(share * scores.var(ddof=1))
        assert result.standard_error["balanced_accuracy"] == pytest.approx(error)


@pytest.mark.parametrize("n_splits", [3, 20])
def test_a_bootstrap_has_as_many_rows_as_are_distinct(n_splits):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.normal(size=50)
    found = evaluate(Ridge(), X, y, scoring="r2", method="bootstrap", n_splits=n_splits)
    assert_array_equal(found.n_train + found.n_test, 50)
