"""Queries that were kept together are one unit of intervals and tests."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge
from sklearn.model_selection import PredefinedSplit

from oracles.queries import FirstColumn
from sklearn_irmetrics import QueryScores, ranking_report, score_queries
from sklearn_irmetrics._statistics.intervals import interval_of_mean
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import compare, evaluate


def draw(rng, n_groups, largest=8):
    """Return the group of each query; a query has two documents."""
    return np.repeat(np.arange(n_groups), rng.integers(1, largest, n_groups))


def run(rng, group, **options):
    """Evaluate a system that is right on a query as often as its group says."""
    n = len(group)
    is_right = rng.random(n) < rng.random(group.max() + 1)[group]
    scores = np.column_stack([np.where(is_right, 2.0, 0.0), np.ones(n)]).ravel()
    return evaluate(
        FirstColumn(),
        scores[:, np.newaxis],
        np.tile([1, 0], n),
        scoring="p@1",
        qid=np.repeat(np.arange(n), 2),
        **{"groups": np.repeat(group, 2), "random_state": 0, **options},
    )


@pytest.mark.parametrize("n_groups", [5, 12, 30])
def test_the_interval_is_of_the_means_of_groups(n_groups):
    rng = np.random.default_rng(n_groups)
    group = draw(rng, n_groups)
    result = run(rng, group)
    ids, values, _ = result.query_scores.mean_of_splits("p@1")
    sizes = np.bincount(group)
    means = np.bincount(group[ids], values) / sizes
    error, ends, how = interval_of_mean(
        means, weights=sizes, bounds=(0, 1), confidence_level=0.95, rng=0
    )
    assert result.estimate["p@1"] == pytest.approx(values.mean())
    assert result.standard_error["p@1"] == pytest.approx(error)
    assert result.confidence_interval["p@1"] == pytest.approx(ends)
    assert result.interval_method["p@1"] == how.replace("queries", "groups")
    assert f"over {n_groups} groups" in repr(result)


def test_groups_of_one_query_change_nothing():
    group = np.arange(25)
    alone = run(np.random.default_rng(0), group, groups=None)
    grouped = run(np.random.default_rng(0), group)
    assert alone.confidence_interval == grouped.confidence_interval
    assert alone.standard_error == grouped.standard_error


def test_comparisons_are_of_groups():
    rng = np.random.default_rng(1)
    group = draw(rng, 12)
    systems = {name: run(rng, group) for name in "ab"}
    found = compare(systems, test="ttest")
    assert (found.unit, found.n_units) == ("group", 12)
    sums = {}
    for name, system in systems.items():
        ids, values, _ = system.query_scores.mean_of_splits("p@1")
        sums[name] = np.bincount(group[ids], values) * 12 / len(group)
        assert found.mean[name] == pytest.approx(values.mean())
    expected = compare(sums, test="ttest")
    np.testing.assert_allclose(found.p_value, expected.p_value)
    np.testing.assert_allclose(found.difference, expected.difference)


def test_systems_must_keep_the_same_queries_together():
    rng = np.random.default_rng(2)
    first, second = np.repeat(np.arange(6), 4), np.repeat(np.arange(8), 3)
    with pytest.raises(ValueError, match="groups of queries; those of 'a' and 'b'"):
        compare({"a": run(rng, first), "b": run(rng, second)})
    folds = {"method": PredefinedSplit(np.repeat(first % 2, 2))}
    renamed = run(rng, 5 - first, **folds)
    assert compare({"a": run(rng, first, **folds), "b": renamed}).n_units == 6


# Groups of scores that exist already --------------------------------------------------


def variants(rng, n_topics=10, n_variants=10, spread=0.1):
    """Return scores of two equal systems on variants of topics, which are alike."""
    shared = np.repeat(rng.normal(0, spread, (n_topics, 2)), n_variants, axis=0)
    scores = 0.5 + shared + rng.normal(0, 0.02, shared.shape)
    return scores.T, np.repeat(np.arange(n_topics), n_variants)


@pytest.mark.parametrize("test", ["permutation", "ttest", "wilcoxon", "bootstrap"])
def test_groups_are_compared_by_their_means(test):
    scores, topics = variants(np.random.default_rng(0))
    found = compare(list(scores), test=test, groups=topics, random_state=0)
    means = [[one[topics == topic].mean() for topic in range(10)] for one in scores]
    expected = compare(means, test=test, random_state=0)
    assert_allclose(found.p_value, expected.p_value)
    assert_allclose(found.confidence_interval, expected.confidence_interval)
    assert (found.unit, found.n_units) == ("group", 10)


def test_groups_by_query_id_and_groups_of_which_nothing_is_defined():
    (old, new), topics = variants(np.random.default_rng(0))
    old[topics == 3] = new[topics == 3] = old[0] = new[0] = np.nan
    ids = np.arange(100) + 7
    tables = [QueryScores(ids, {"mine": one}, {}) for one in (old, new)]
    by_id = {int(key): f"t{topic}" for key, topic in zip(ids, topics, strict=True)}
    found = compare(tables, groups=by_id, random_state=0)
    expected = compare(tables, groups=topics, random_state=0)
    assert found.p_value == expected.p_value
    assert (found.n_units, found.n_undefined) == (9, 1)  # groups, not 11 queries
    with pytest.raises(ValueError, match="groups must name every query"):
        compare(tables, groups={7: "t0"})
    X, y, qid = make_ranking(12, random_state=0)
    options = {"groups": qid // 2, "scoring": "mrr", "random_state": 0}
    grouped = [evaluate(Ridge(a), X, y, qid=qid, **options) for a in (1, 100)]
    with pytest.raises(ValueError, match="groups must be None where results have"):
        compare(grouped, groups=np.arange(12))


def test_intervals_of_a_report_are_over_groups():
    rng = np.random.default_rng(0)
    grades, scores = rng.integers(0, 2, (20, 5)), rng.random((20, 5))
    grades[:, 0] = 1
    topics = np.repeat(list("abcde"), 4)
    options = {"metrics": "mrr", "output": "dict"}
    row = ranking_report(grades, scores, groups=topics, **options)["measures"]["mrr"]
    assert row["interval"] == "t over 5 groups and the range, which decides its width"
    values = score_queries(grades, scores, "mrr")
    assert (row["low"], row["high"]) == values.interval(groups=topics)


@pytest.mark.parametrize("test", ["ttest", "bootstrap"])
def test_intervals_hold_where_small_groups_differ_more(test):
    rng = np.random.default_rng(5)
    n_held = 0
    for _ in range(100):
        sizes = rng.choice([1, 2, 4, 8, 16], 20)
        differences = np.repeat(0.8 / sizes, sizes)
        differences += rng.normal(0, 0.05, len(differences))
        found = compare(
            [np.zeros(len(differences)), differences],
            groups=np.repeat(np.arange(20), sizes),
            test=test,
            n_resamples=499,
            random_state=rng,
        )
        low, high = found.confidence_interval[0]
        n_held += low <= 0.8 / 6.2 <= high
    assert n_held >= 88  # sums of groups with plain intervals: 10


def test_the_t_interval_of_groups_holds_what_its_test_does_not_reject():
    rng = np.random.default_rng(6)
    group = draw(rng, 9)
    scores = rng.normal(0.1, 0.3, (2, len(group)))

    def compared(shift):
        return compare([scores[0] + shift, scores[1]], groups=group, test="ttest")

    ends = np.array(compared(0.0).confidence_interval[0])
    for shift in (ends - 1e-9 * np.array([1, -1]), ends + 1e-9 * np.array([1, -1])):
        is_inside = (ends[0] <= shift) & (shift <= ends[1])
        found = [compared(one).p_value[0] > 0.05 for one in shift]
        assert found == is_inside.tolist()


def test_dicts_name_queries_of_evaluate_and_series_go_by_their_index():
    pd = pytest.importorskip("pandas")
    X, y, qid = make_ranking(n_queries=12, n_docs=20, random_state=0)
    results = evaluate(
        {"a": Ridge(), "b": Ridge(1000)}, X, y, qid=qid, scoring="map", random_state=0
    )
    by = {query: ["even", "odd"][query % 2] for query in range(12)}
    for name in ("groups", "by"):
        with pytest.raises(ValueError, match=f"{name} must be a dict by query id"):
            compare(results, **{name: list(by.values())})
        given = compare(results, **{name: by}, test="ttest")
        shuffled = pd.Series(by).sample(frac=1, random_state=0)
        assert repr(compare(results, **{name: shuffled}, test="ttest")) == repr(given)


def test_slices_may_be_dates():
    days = np.repeat(np.array(["2026-01-01", "2026-02-01"], "datetime64[ns]"), 5)
    scores = np.random.default_rng(0).random((2, 10))
    found = compare(list(scores), by=days, test="ttest")
    assert "2026-02-01" in repr(found)
    assert type(found).from_dict(found.to_dict()).keys() == found.keys()


@pytest.mark.parametrize(
    ("without", "n_undefined", "said"),
    [
        (range(12), 3, "3 groups undefined, left out"),
        (range(4), 1, "1 group undefined, left out"),
        ((0, 1, 5), 0, None),  # each group has something defined
    ],
)
def test_undefined_groups_are_counted_as_groups(without, n_undefined, said):
    X, y, qid = make_ranking(n_queries=40, n_docs=8, random_state=0)
    y = np.maximum(y, np.arange(len(y)) % 8 == 0)  # something to find in every query
    y[np.isin(qid, list(without))] = 0
    with pytest.warns(UserWarning, match="undefined"):
        models = {"weak": Ridge(1e5), "strong": Ridge()}
        options = {"scoring": "ndcg@10", "random_state": 0, "groups": qid // 4}
        results = evaluate(models, X, y, qid=qid, **options)
    found = results.compare(random_state=0)
    assert found.unit == "group"
    assert (found.n_units, found.n_undefined) == (10 - n_undefined, n_undefined)
    assert ("undefined" in repr(found)) == bool(said)
    assert said is None or said in repr(found)


@pytest.mark.parametrize("name", ["groups", "strata", "by"])
def test_labels_of_queries_that_contradict_themselves_are_refused(name):
    pd = pytest.importorskip("pandas")
    ids = np.arange(8)
    systems = [
        QueryScores(ids, {"map": row}, {})
        for row in np.random.default_rng(0).random((2, 8))
    ]
    by = {query: query % 2 for query in range(8)}
    for given, message in (
        (pd.concat([pd.Series(by), pd.Series({3: 0})]), "once; got 9 entries for 8"),
        ({str(query): label for query, label in by.items()}, "got 8 ids, without 0, 1"),
        ({query: by[query] for query in range(7)}, "got 7 ids, without 7"),
        (by | {5: "1"}, "labels that read alike, as 1 and '1'"),
    ):
        with pytest.raises(ValueError, match=f"{name} must .*{message}"):
            compare(systems, **{name: given})


def test_a_series_in_another_order_is_refused_where_the_order_counts():
    pd = pytest.importorskip("pandas")
    labels = pd.Series(np.arange(8) % 2)
    y_true, y_score = np.random.default_rng(0).integers(0, 2, (2, 8, 5))
    scores = score_queries(y_true, y_score, "dcg")
    report = {"metrics": "dcg", "output": "dict"}
    for ask in (
        lambda groups: compare([np.arange(8.0), np.ones(8)], groups=groups),
        lambda groups: scores.interval(groups=groups),
        lambda groups: ranking_report(y_true, y_score, groups=groups, **report),
    ):
        assert repr(ask(labels)) == repr(ask(labels.tolist()))
        with pytest.raises(ValueError, match="groups must be in the order of the que"):
            ask(labels[::-1])
