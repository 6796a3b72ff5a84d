"""The splitters: whole queries, reproducible, at home wherever cv= is taken."""

import pickle
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn import config_context
from sklearn.base import clone
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
    cross_validate,
    train_test_split,
)

from sklearn_irmetrics.model_selection import (
    BootstrapSplit,
    HoldoutSplit,
    QueryKFold,
    ResampledSplit,
    StratifiedQueryKFold,
)
from sklearn_irmetrics.model_selection._split import StratifiedRowKFold
from sklearn_irmetrics.model_selection._units import (
    Units,
    count_values,
    is_discrete,
    spread_evenly,
    unit_strata,
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


@pytest.mark.parametrize("n_queries", [6, 7, 13, 30])
@pytest.mark.parametrize("name", SPLITTERS)
def test_queries_are_never_split(name, n_queries, seed):
    X, y, qid = make_queries(n_queries, seed)
    for train, test in SPLITTERS[name](random_state=seed).split(X, y, qid):
        assert len(train) and len(test)
        assert not set(qid[train]) & set(qid[test])


@pytest.mark.parametrize("more", range(4))
@pytest.mark.parametrize("name", sorted(set(SPLITTERS) - {"over", "under"}))
def test_queries_are_whole_on_their_side(name, seed, more):
    seed += more
    X, y, qid = make_queries(15, seed)
    size = Counter(qid.tolist())
    for train, test in SPLITTERS[name](random_state=seed).split(X, y, qid):
        for rows in (train, test):
            assert all(n % size[q] == 0 for q, n in Counter(qid[rows].tolist()).items())
            copies = Counter(rows.tolist())
            assert all(
                copies[row] == copies[np.argmax(qid == qid[row])] for row in rows
            )
        assert_array_equal(test, np.unique(test))


@pytest.mark.parametrize("more", range(10))
@pytest.mark.parametrize("grouped", [True, False])
@pytest.mark.parametrize("strategy", ["over", "under"])
def test_resampling_never_trains_on_a_test_row(strategy, grouped, seed, more):
    seed += more
    X, y, qid = make_queries(12, seed)
    groups = qid if grouped else None
    cv = GroupKFold(3) if grouped else KFold(3, shuffle=True, random_state=seed)
    plain = list(cv.split(X, y, groups))
    resampled = ResampledSplit(cv, strategy, random_state=seed)
    for (train, test), (train_, test_) in zip(
        plain, resampled.split(X, y, groups), strict=True
    ):
        assert_array_equal(test, test_)
        assert set(train_) <= set(train)
        counts = np.bincount(y[train_])
        assert len(set(counts[counts > 0])) == 1
        if strategy == "over":
            assert set(train_) == set(train)
        else:
            assert len(set(train_)) == len(train_)


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
        for mine, its in zip(
            splitter.split(X, y, qid), copy.split(X, y, qid), strict=True
        ):
            assert_array_equal(mine[0], its[0])


def test_works_in_cross_validate_and_searches(make_splitter):
    X, y, qid = make_queries()
    use = {"cv": make_splitter(random_state=0), "scoring": "neg_mean_squared_error"}
    scores = cross_validate(Ridge(), X, y, groups=qid, error_score="raise", **use)
    assert len(scores["test_score"]) == 3
    search = GridSearchCV(Ridge(), {"alpha": [1]}, error_score="raise", **use)
    search.fit(X, y, groups=qid)
    assert search.best_score_ == pytest.approx(scores["test_score"].mean())


@pytest.mark.parametrize("passed", ["qid", "groups", "both", "renamed"])
def test_ids_are_routed(make_splitter, passed):
    X, y, qid = make_queries()
    splitter = make_splitter(random_state=0)
    mse = "neg_mean_squared_error"
    params = {
        "qid": {"qid": qid},
        "groups": {"groups": qid},
        "both": {"groups": qid, "qid": np.arange(len(qid))},
        "renamed": {"qid": qid},
    }[passed]
    with config_context(enable_metadata_routing=True):
        cv = make_splitter(random_state=0)
        if passed == "renamed":
            cv.set_split_request(groups="qid")
        use = {"cv": cv, "scoring": mse, "error_score": "raise"}
        routed = cross_validate(Ridge(), X, y, params=params, **use)
        search = GridSearchCV(Ridge(), {"alpha": [1]}, **use).fit(X, y, **params)
    plain = cross_validate(Ridge(), X, y, cv=splitter, groups=qid, scoring=mse)
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
        for one, other in zip(first, cv.split(X, y, **(its or mine)), strict=True):
            assert_array_equal(one[0], other[0])
            assert_array_equal(one[1], other[1])


def test_ids_that_cannot_be(make_splitter):
    X, y, qid = make_queries()
    for ids, message in (
        ({"qid": qid, "groups": np.arange(len(qid))}, "groups must not divide a query"),
        ({"qid": qid[:-1]}, "qid must have one id per row"),
        ({"groups": qid[:-1]}, "groups must have one id per row"),
        ({"qid": np.where(qid > 20, np.nan, qid)}, "qid must not contain missing"),
    ):
        with pytest.raises(ValueError, match=message):
            next(make_splitter(random_state=0).split(X, y, **ids))


@pytest.mark.parametrize("Splitter", [QueryKFold, StratifiedQueryKFold])
def test_splitters_of_queries_need_ids(Splitter):
    X, y, _ = make_queries()
    with pytest.raises(ValueError, match=r"QueryKFold needs query ids .* groups=qid"):
        next(Splitter(3).split(X, y))
    for routing in (True, False):
        with (
            config_context(enable_metadata_routing=routing),
            pytest.raises(ValueError, match="QueryKFold needs query ids"),
        ):
            cross_validate(Ridge(), X, y, cv=Splitter(3), params={}, scoring="r2")


@pytest.mark.parametrize("shuffled", [{}, {"shuffle": True, "random_state": 3}])
def test_query_folds_are_those_of_group_k_fold(shuffled):
    X, y, qid = make_queries(20)
    ours, theirs = QueryKFold(4, **shuffled), GroupKFold(4, **shuffled)
    for mine, its in zip(
        ours.split(X, y, qid=qid), theirs.split(X, y, qid), strict=True
    ):
        assert_array_equal(mine[0], its[0])
        assert_array_equal(mine[1], its[1])


class TestHoldoutSplit:
    def test_defaults_hold_out_a_third(self):
        train, test = next(HoldoutSplit(random_state=0).split(np.zeros((30, 1))))
        assert (len(train), len(test)) == (20, 10)
        assert HoldoutSplit().get_n_splits() == 1

    def test_rows_are_those_of_train_test_split(self):
        rows = np.arange(50)
        train, test = next(HoldoutSplit(test_size=0.3, random_state=4).split(rows))
        expected = train_test_split(rows, test_size=0.3, random_state=4)
        assert_array_equal(train, expected[0])
        assert_array_equal(test, expected[1])

    def test_repeats_are_those_of_shuffle_split(self):
        X, y, qid = make_queries()
        ours = HoldoutSplit(4, test_size=0.25, random_state=3).split(X, y)
        theirs = ShuffleSplit(4, test_size=0.25, random_state=3).split(X, y)
        for mine, its in zip(ours, theirs, strict=True):
            assert_array_equal(mine[1], its[1])

    def test_groups_are_those_of_group_shuffle_split(self):
        X, y, qid = make_queries(20)
        ours = HoldoutSplit(4, test_size=0.25, random_state=3).split(X, y, qid)
        theirs = GroupShuffleSplit(4, test_size=0.25, random_state=3).split(X, y, qid)
        for mine, its in zip(ours, theirs, strict=True):
            assert_array_equal(mine[0], its[0])
            assert_array_equal(mine[1], its[1])

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

    @pytest.mark.parametrize("test_size", [0, 1.5, -1, 20])
    def test_size_out_of_range(self, test_size):
        with pytest.raises(ValueError, match="test_size"):
            next(HoldoutSplit(test_size=test_size).split(np.zeros((20, 1))))


class TestBootstrapSplit:
    def test_as_many_draws_as_units_and_the_rest_is_test(self):
        X = np.zeros((40, 1))
        for train, test in BootstrapSplit(20, random_state=0).split(X):
            assert len(train) == 40
            assert len(set(train)) < 40
            assert set(train) | set(test) == set(range(40))

    def test_share_left_out_is_e_to_minus_one(self):
        splits = BootstrapSplit(300, random_state=0).split(np.zeros((200, 1)))
        share = np.mean([len(test) / 200 for _, test in splits])
        assert share == pytest.approx((1 - 1 / 200) ** 200, abs=0.005)

    def test_redraws_when_nothing_is_left_out(self):
        # Two rows: half of all draws take both.
        for train, test in BootstrapSplit(50, random_state=0).split(np.zeros((2, 1))):
            assert train[0] == train[1] != test[0]

    def test_stratified_keeps_the_shares(self):
        y = np.repeat([0, 1], [30, 6])
        splitter = BootstrapSplit(10, stratify=True, random_state=0)
        for train, _ in splitter.split(np.zeros((36, 1)), y):
            assert_array_equal(np.bincount(y[train]), [30, 6])

    def test_strata_of_continuous_targets_hold_two(self):
        # Nothing to draw in a stratum of one, less variation in a larger one.
        splitter = BootstrapSplit(20, stratify=True, random_state=0)
        for train, _ in splitter.split(np.zeros((6, 1)), np.arange(6) / 7):
            assert_array_equal(np.bincount(train // 2), [2, 2, 2])

    def test_stratified_without_a_stratum_of_two(self):
        splitter = BootstrapSplit(stratify=True)
        with pytest.raises(ValueError, match="needs a stratum of at least two"):
            next(splitter.split(np.zeros((2, 1)), np.array(["a", "b"])))

    def test_one_group(self):
        with pytest.raises(ValueError, match="at least two rows or groups"):
            next(BootstrapSplit().split(np.zeros((3, 1)), groups=[1, 1, 1]))

    def test_draws_are_those_of_mlxtend(self):
        evaluate = pytest.importorskip("mlxtend.evaluate")
        X = np.zeros((25, 1))
        theirs = evaluate.BootstrapOutOfBag(5, random_seed=7).split(X)
        ours = BootstrapSplit(5, random_state=7).split(X)
        for mine, its in zip(ours, theirs, strict=True):
            assert_array_equal(mine[0], np.sort(its[0]))
            assert_array_equal(mine[1], its[1])


class TestStratifiedQueryKFold:
    def test_rows_with_classes_are_split_as_scikit_learn_does(self):
        X, y, _ = make_queries(20)
        ours = StratifiedRowKFold(3, shuffle=True, random_state=1).split(X, y)
        theirs = StratifiedKFold(3, shuffle=True, random_state=1).split(X, y)
        for mine, its in zip(ours, theirs, strict=True):
            assert_array_equal(mine[1], its[1])

    def test_folds_have_like_numbers_of_relevant_documents(self):
        rng = np.random.default_rng(0)
        qid = np.repeat(np.arange(100), 10)
        relevant = np.sort(rng.geometric(0.3, 100).clip(max=10))
        y = (np.tile(np.arange(10), 100) < relevant.repeat(10)).astype(int)
        X = np.zeros((1000, 1))
        stratified = StratifiedQueryKFold(5).split(X, y, qid)
        means = [y[test].mean() for _, test in stratified]
        shuffled = GroupKFold(5, shuffle=True, random_state=0).split(X, y, qid)
        assert np.ptp(means) < np.ptp([y[test].mean() for _, test in shuffled]) / 2

    def test_folds_have_like_numbers_of_each_grade_and_of_queries(self):
        rng = np.random.default_rng(0)
        qid = np.repeat(np.arange(60), rng.integers(5, 30, 60))
        easy = rng.beta(1, 3, 60)[qid]
        y = rng.binomial(4, easy)
        X = np.zeros((len(qid), 1))
        for folds, most in (
            (StratifiedQueryKFold(5), 0.05),
            (StratifiedQueryKFold(5, shuffle=True, random_state=0), 0.05),
        ):
            tests = [test for _, test in folds.split(X, y, qid)]
            assert {len(set(qid[test])) for test in tests} <= {11, 12, 13}
            counts = np.array([np.bincount(y[test], minlength=5) for test in tests])
            assert (np.ptp(counts, axis=0) / counts.mean(axis=0))[:4].max() < 0.25
            shares = counts / counts.sum(axis=1, keepdims=True)
            assert np.ptp(shares, axis=0).max() < most
        by_chance = GroupKFold(5, shuffle=True, random_state=0).split(X, y, qid)
        shares = [
            np.bincount(y[test], minlength=5) / len(test) for _, test in by_chance
        ]
        assert np.ptp(shares, axis=0).max() > 0.05

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
        for mine, its in zip(
            StratifiedQueryKFold(3).split(X, y, qid), by_mean, strict=True
        ):
            assert_array_equal(mine[1], its[1])

    def test_continuous_targets(self):
        y = np.random.default_rng(0).lognormal(size=200)
        folds = StratifiedRowKFold(5, shuffle=True, random_state=0)
        medians = [np.median(y[test]) for _, test in folds.split(np.zeros((200, 1)), y)]
        assert np.ptp(medians) < 0.3

    def test_few_continuous_targets_per_fold(self):
        y = np.linspace(0, 1, 7)
        folds = StratifiedRowKFold(3).split(np.zeros((7, 1)), y)
        assert sorted(len(test) for _, test in folds) == [2, 2, 3]

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

    def test_targets_of_another_length(self):
        splits = StratifiedRowKFold(2).split(np.zeros((5, 1)), [0, 1, 0, 1])
        with pytest.raises(ValueError, match="y must have one entry .* 5; got 4"):
            next(splits)

    def test_mixed_ids(self):
        X, y, qid = make_queries()
        ids = [("q", q) if q % 20 else str(q) for q in qid.tolist()]
        for train, test in StratifiedQueryKFold(3).split(X, y, ids):
            assert not set(qid[train]) & set(qid[test])

    def test_fewer_queries_than_folds(self):
        with pytest.raises(ValueError, match="n_splits=5 .* number of groups; got 2"):
            next(
                StratifiedQueryKFold(5).split(
                    np.zeros((4, 1)), [0, 1, 0, 1], [1, 1, 2, 2]
                )
            )

    def test_needs_targets(self):
        with pytest.raises(ValueError, match="stratify needs y"):
            next(StratifiedQueryKFold(2).split(np.zeros((4, 1)), qid=[1, 2, 3, 4]))

    def test_text_targets_have_no_mean(self):
        folds = StratifiedQueryKFold(2, stratify="mean")
        with pytest.raises(ValueError, match="stratify='mean' needs numeric"):
            next(folds.split(np.zeros((4, 1)), list("abab"), [1, 1, 2, 2]))


class TestStrata:
    """Targets into strata, as all stratified splitters do it."""

    def test_many_numbers_are_counted_in_bins(self):
        rng = np.random.default_rng(0)
        clicks = rng.integers(0, 3000, 20_000)
        units = Units(rng.integers(0, 500, 20_000), 20_000)
        counts = count_values(clicks, units)
        assert counts.shape[1] <= 100
        assert_array_equal(counts.sum(axis=1), units.sizes)
        folds = StratifiedQueryKFold(5).split(clicks[:, None], clicks, units.codes)
        means = [clicks[test].mean() for _, test in folds]
        assert np.ptp(means) < 60

    @pytest.mark.parametrize("more", range(8))
    @pytest.mark.parametrize("n_splits", range(2, 7))
    def test_spreading_leaves_no_fold_empty(self, n_splits, seed, more):
        seed += more
        rng = np.random.default_rng(seed)
        counts = rng.poisson(0.5, (rng.integers(n_splits, 20), 3))
        counts[:, counts.sum(axis=0) == 0] = 1
        folds = spread_evenly(counts, n_splits)
        assert set(folds) == set(range(n_splits))

    @pytest.mark.parametrize(
        ("y", "discrete"),
        [
            (["a", "b", "c"], True),
            ([True, False], True),
            ([0, 1, 1], True),
            ([0.0, 1.0, 1.0, 2.0, 2.0, 0.0], True),
            ([0.0, np.nan, 1.0, 1.0], True),
            ([0, 1, 2], False),
            ([0, 1, 2, 3, 4, 4, 4], False),
            ([0.5, 0.5, 0.5, 1.0], False),
        ],
    )
    def test_whole_grades_that_repeat_are_classes(self, y, discrete):
        assert is_discrete(np.asarray(y)) is discrete

    @pytest.mark.parametrize(
        ("values", "sizes"),
        [
            (np.arange(20) / 3, [2] * 10),
            (np.arange(21) / 3, [3] * 7),
            (np.arange(22) / 3, [3] * 6 + [4]),
            (np.arange(5) / 3, [1] * 5),
            (np.repeat(np.arange(16) / 3, [5] + [1] * 15), [5] + [2] * 6 + [3]),
        ],
    )
    def test_ten_bins_of_equal_counts_at_most(self, values, sizes):
        strata = unit_strata(values, Units(None, len(values)), True)
        assert_array_equal(np.bincount(strata), sizes)
        assert (np.diff(strata) >= 0).all()

    @pytest.mark.parametrize(("min_size", "sizes"), [(3, [3, 3, 4]), (6, [10])])
    def test_bins_of_a_least_size(self, min_size, sizes):
        units = Units(None, 10)
        strata = unit_strata(np.arange(10) / 3, units, True, min_size=min_size)
        assert_array_equal(np.bincount(strata), sizes)


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

    def test_an_int_keeps_groups_whole(self):
        X, y, qid = make_queries()
        for train, test in ResampledSplit(3).split(X, y, qid):
            assert not set(qid[train]) & set(qid[test])

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

    def test_a_splitter_that_cuts_queries_is_refused(self):
        X, y, qid = make_queries()
        cut = [(np.arange(5, len(y)), np.arange(5))]
        with pytest.raises(ValueError, match="puts groups on both sides"):
            next(ResampledSplit(cut).split(X, y, qid))

    def test_an_iterable_can_be_split_again(self):
        y = np.array([0, 0, 0, 1] * 3)
        cv = ResampledSplit(iter([(np.arange(8), np.arange(8, 12))]), random_state=0)
        first, again = (next(cv.split(y[:, None], y)) for _ in range(2))
        assert_array_equal(first[0], again[0])
        assert cv.get_n_splits() == 1

    def test_helps_a_classifier_on_rare_classes(self):
        rng = np.random.default_rng(0)
        y = np.repeat([0, 1], [570, 30])
        X = rng.normal(size=(600, 2)) + y[:, None]
        recall = {
            cv: cross_validate(
                LogisticRegression(), X, y, cv=cv, scoring="recall", error_score="raise"
            )["test_score"].mean()
            for cv in (StratifiedKFold(3), ResampledSplit(StratifiedKFold(3), "over"))
        }
        plain, balanced = recall.values()
        assert balanced > plain + 0.3

    def test_unjudged_rows_are_refused(self):
        with pytest.raises(ValueError, match="y must not contain NaN"):
            next(ResampledSplit(2).split(np.zeros((4, 1)), [0, 1, np.nan, 1]))

    @pytest.mark.parametrize("unit", ["group", "query"])
    def test_needs_ids_to_draw_whole_units(self, unit):
        with pytest.raises(ValueError, match=f"unit='{unit}' needs groups or qid"):
            next(ResampledSplit(2, unit=unit).split(np.zeros((4, 1)), [0, 1, 0, 1]))

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


def test_bad_groups_are_called_groups():
    for groups, message in (
        ([1, 1], "groups must have one id per row|inconsistent numbers"),
        ([1.0, np.nan, 2.0, 2.0], "groups must not contain missing"),
    ):
        with pytest.raises(ValueError, match=message):
            next(HoldoutSplit().split(np.zeros((4, 1)), groups=groups))


def test_leave_one_group_out_can_be_balanced():
    X, y, qid = make_queries()
    cv = ResampledSplit(LeaveOneGroupOut(), random_state=0)
    assert cv.get_n_splits(X, y, qid) == 12


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: HoldoutSplit(0), "n_splits must be an integer >= 1; got 0"),
        (lambda: HoldoutSplit(stratify="grade"), "stratify must be None, True"),
        (lambda: BootstrapSplit(1.5), "n_splits must be an integer >= 1; got 1.5"),
        (lambda: BootstrapSplit(True), "n_splits must be an integer >= 1; got True"),
        (lambda: QueryKFold(1), "n_splits must be an integer >= 2; got 1"),
        (lambda: QueryKFold(shuffle=1), "shuffle must be True or False; got 1"),
        (lambda: StratifiedQueryKFold(1), "n_splits must be an integer >= 2; got 1"),
        (lambda: StratifiedQueryKFold(stratify=None), "stratify must name what to"),
        (lambda: StratifiedQueryKFold(n_bins=0), "n_bins must be an integer >= 1"),
        (lambda: ResampledSplit(3, "both"), "strategy must be one of 'over', 'under'"),
        (
            lambda: ResampledSplit(3, unit="document"),
            "unit must be one of 'row', 'query', 'group'",
        ),
        (lambda: ResampledSplit(3, n_bins=1), "n_bins must be an integer >= 2"),
    ],
)
def test_bad_parameters(make, message):
    with pytest.raises(ValueError, match=message):
        make()
