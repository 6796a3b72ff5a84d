"""Leaderboards: their numbers by hand, what ranks hold, and what is refused."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LogisticRegression, Ridge

from oracles.queries import graded_queries
from sklearn_irmetrics import score_run
from sklearn_irmetrics._statistics.paired_tests import groups_alike, rank_intervals
from sklearn_irmetrics.comparison import Leaderboard, Leaderboards, compare, leaderboard
from sklearn_irmetrics.model_selection import evaluate
from sklearn_irmetrics.reports import QueryScores

SEEDED = {"random_state": 0, "n_resamples": 999}


def draw(n=60, shifts=(0.0, 0.1, 0.11, 0.3), seed=0):
    """Return scores between 0 and 1 by system, "s0" and so on."""
    rng = np.random.default_rng(seed)
    base = rng.beta(3, 3, n)
    return {
        f"s{i}": (0.6 * base + shift + rng.normal(0, 0.05, n)).clip(0, 1)
        for i, shift in enumerate(shifts)
    }


def scored(values, ids=None, name="ndcg"):
    ids = np.arange(len(values)) if ids is None else ids
    return QueryScores(ids, {name: values}, {name: float(np.nanmean(values))})


def by_pair(board):
    """Return adjusted p-values by the pair of systems."""
    return {
        frozenset((one, other)): board.p_adjusted[i, j]
        for i, one in enumerate(board.system)
        for j, other in enumerate(board.system)
        if i != j
    }


@pytest.mark.parametrize("correction", ["maxt", "bonferroni", "holm"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"groups": np.arange(60) // 3},
        {"strata": np.arange(60) % 4},
        {"strata": np.arange(60) % 4, "groups": np.arange(60) % 20},
    ],
    ids=["plain", "groups", "strata", "both"],
)
def test_pairs_are_those_of_compare(correction, options):
    options = {"correction": correction, **options, **SEEDED}
    board = leaderboard(draw(), **options)
    found = compare(draw(), test="ttest", **options)
    pairs = by_pair(board)
    least = 2.0 ** (1 - found.wins - found.losses)
    for one, other, p in zip(
        found.system, found.versus, np.maximum(found.p_adjusted, least), strict=True
    ):
        assert pairs[frozenset((one, other))] == p
    assert dict(zip(board.system, board.estimate.tolist(), strict=True)) == found.mean
    assert board.n_draws == found.n_draws
    assert (board.unit, board.n_units) == (found.unit, found.n_units)


@pytest.mark.parametrize(
    "options",
    [{}, {"groups": np.arange(60) // 3}, {"strata": np.arange(60) % 4}],
    ids=["plain", "groups", "strata"],
)
def test_intervals_are_those_of_each_system_alone(options):
    systems = {name: scored(values) for name, values in draw().items()}
    board = leaderboard(systems, confidence_level=0.9, **options, **SEEDED)
    for name, ends in zip(board.system, board.confidence_interval, strict=True):
        own = systems[name].interval(confidence_level=0.9, **options)
        assert_allclose(ends, own, rtol=1e-12)


def test_ranks_letters_and_who_may_be_first():
    board = leaderboard(draw(), **SEEDED)
    assert board.system == ("s3", "s2", "s1", "s0")
    assert_array_equal(board.rank_interval, [[1, 1], [2, 3], [2, 3], [4, 4]])
    assert board.best == ("s3",)
    assert board.letters == ("a", "b", "b", "c")
    assert_array_equal(board.better, np.triu(np.ones((4, 4)), 1) - (_pair(1, 2) > 0))
    frame = board.to_frame()
    assert frame["system"].tolist() == list(board.system)
    assert frame["rank_low"].tolist() == [1, 2, 2, 4]
    assert "ndcg" not in str(board)
    lines = str(board).splitlines()
    assert lines[0] == "score on 60 queries, 4 systems"
    assert re.split("  +", lines[2]) == [
        *("#", "system", "mean", "95 % interval", "possible ranks", "group")
    ]
    assert lines[-2].startswith("The best is s3. Systems with a common letter are not")
    assert lines[-1] == "All possible ranks hold together with 95 % confidence."


def _pair(i, j):
    found = np.zeros((4, 4))
    found[i, j] = 1
    return found


def test_worse_is_better_of_losses():
    found = leaderboard(draw(), greater_is_better=False, **SEEDED)
    assert found.system == ("s0", "s1", "s2", "s3")
    mirrored = {name: -values for name, values in draw().items()}
    other = leaderboard(mirrored, **SEEDED)
    assert other.system == found.system
    assert_array_equal(other.rank_interval, found.rank_interval)
    loss = leaderboard(draw(), metric="set_miss_rate", **SEEDED)
    assert loss.system == found.system
    assert all(0 <= low <= high <= 1 for low, high in loss.confidence_interval)


def my_rank_sets(estimates, errors, level, *, both_sides, draws=20_000, seed=0):
    """Rank sets of Mogstad et al. for independent normal estimates, step by step.

    One-sided tests of all ordered pairs: those rejected leave, and the limit is drawn
    again from the rest, until none leaves. With `both_sides` a pair leaves in both
    directions, as its direction is known then.
    """
    rng = np.random.default_rng(seed)
    m = len(estimates)
    spread = np.hypot.outer(errors, errors)
    noise = errors * rng.normal(size=(draws, m))
    ratios = (noise[:, :, np.newaxis] - noise[:, np.newaxis, :]) / spread
    seen = np.subtract.outer(estimates, estimates) / spread
    better = np.zeros((m, m), dtype=bool)
    while True:
        decided = better | better.T if both_sides else better
        open_ = ~decided & ~np.eye(m, dtype=bool)
        limit = np.quantile(ratios[:, open_].max(axis=1), level)
        new = open_ & (seen > limit)
        if not new.any():
            break
        better |= new
    low = [1 + sum(better[k, j] for k in range(m)) for j in range(m)]
    high = [m - sum(better[j, k] for k in range(m)) for j in range(m)]
    return np.array([low, high]).T


# Mathematics in PISA 2018, means and standard errors: the example of csranks 1.2.3,
# whose vignette says that Chile, Mexico and Colombia overlap no one above them, and
# that Germany and Korea may both have rank 7.
PISA = {
    "Japan": (526.9733, 2.4715),
    "Korea": (525.9330, 3.1214),
    "Estonia": (523.4146, 1.7436),
    "Netherlands": (519.2310, 2.6323),
    "Poland": (515.6479, 2.6021),
    "Switzerland": (515.3147, 2.9080),
    "Canada": (512.0169, 2.3575),
    "Belgium": (508.0703, 2.2627),
    "Austria": (498.9423, 2.9710),
    "Australia": (491.3600, 1.9398),
    "Chile": (417.4066, 2.4159),
    "Colombia": (390.9323, 2.9896),
}


def test_ranks_are_those_of_csranks():
    n, rng = 400, np.random.default_rng(0)
    estimates, errors = np.array(list(PISA.values())).T
    noise, _ = np.linalg.qr(np.column_stack([np.ones(n), rng.normal(size=(n, 12))]))
    values = estimates + noise[:, 1:] * errors * np.sqrt(n * (n - 1))
    assert_allclose(stats.sem(values), errors)
    systems = dict(zip(PISA, values.T, strict=True))
    board = leaderboard(systems, random_state=0)
    assert board.system == tuple(PISA)  # given in their order
    found = board.rank_interval
    expected = my_rank_sets(estimates, errors, 0.95, both_sides=True)
    assert_array_equal(found, expected)
    low, high = my_rank_sets(estimates, errors, 0.95, both_sides=False).T
    assert (low <= found[:, 0]).all()
    assert (high >= found[:, 1]).all()
    assert_array_equal(found[-2:], [[11, 11], [12, 12]])


@given(arrays(bool, st.integers(2, 9).map(lambda m: (m, m))))
@settings(max_examples=60, deadline=None)
def test_letters_are_shared_exactly_by_those_alike(better):
    better = np.triu(better, 1)
    groups = groups_alike(better)
    for i in range(len(better)):
        assert any(i in group for group in groups)
        for j in range(i):
            share = any(i in group and j in group for group in groups)
            assert share != better[j, i]
    low, high = rank_intervals(better).T
    assert (low <= np.arange(1, len(better) + 1)).all()
    assert (high >= np.arange(1, len(better) + 1)).all()


def test_more_than_52_letters_are_left_out():
    values = np.arange(60)[:, np.newaxis] + np.random.default_rng(0).normal(
        0, 1e-3, (60, 20)
    )
    board = leaderboard({f"s{i}": one for i, one in enumerate(values)}, **SEEDED)
    assert set(board.letters) == {""}
    assert "Groups would need more than 52 letters." in str(board)
    assert_array_equal(board.rank_interval[:, 0], np.arange(1, 61))


def test_a_system_that_is_equal_to_another_shares_its_ranks():
    systems = draw() | {"twin": draw()["s1"]}
    board = leaderboard(systems, **SEEDED)
    ranks = dict(zip(board.system, board.rank_interval.tolist(), strict=True))
    assert ranks["twin"] == ranks["s1"]
    assert by_pair(board)[frozenset(("twin", "s1"))] == 1.0


@pytest.mark.parametrize(("n", "shown"), [(5, False), (6, True)])
@pytest.mark.parametrize("n_equal", [0, 3])
def test_five_queries_that_differ_show_nothing(n, shown, n_equal):
    noise = np.random.default_rng(0).normal(0, 0.01, (3, n + n_equal))
    noise[:, n:] = 0.5  # where all are alike
    steps = np.r_[np.ones(n), np.zeros(n_equal)]
    systems = {f"s{i}": one + i * steps for i, one in enumerate(noise)}
    board = leaderboard(systems, random_state=0)
    assert board.p_adjusted.min() >= 2.0 ** (1 - n)
    if n_equal == 0:
        assert len(board.best) == (1 if shown else 3)
    assert shown or len(board.best) == 3


def test_the_order_of_rows_and_systems_does_not_matter():
    systems = {name: scored(values) for name, values in draw().items()}
    order = np.random.default_rng(1).permutation(60)
    shuffled = {
        name: scored(one.scores["ndcg"][order], order)
        for name, one in reversed(systems.items())
    }
    one, other = leaderboard(systems, **SEEDED), leaderboard(shuffled, **SEEDED)
    assert one.system == other.system
    assert_allclose(one.estimate, other.estimate)
    assert_allclose(one.confidence_interval, other.confidence_interval)


# What people hold ---------------------------------------------------------------------


def test_results_of_evaluate():
    X, y, qid = graded_queries(30, 8)
    results = evaluate(
        {"ridge": Ridge(), "mean": DummyRegressor()},
        X,
        y,
        qid=qid,
        scoring="ndcg",
        random_state=0,
    )
    board = leaderboard(results, **SEEDED)
    for name, mean, ends in zip(
        board.system, board.estimate, board.confidence_interval, strict=True
    ):
        assert_allclose(mean, results[name].estimate["ndcg"])
        assert_allclose(ends, results[name].confidence_interval["ndcg"], rtol=1e-6)


@pytest.mark.filterwarnings("ignore:.*undefined")
def test_results_of_evaluate_by_a_loss():
    X, y, qid = graded_queries(30, 8)
    models = {
        "fitted": LogisticRegression(),
        "all": DummyClassifier(strategy="constant", constant=1),
    }
    options = {"qid": qid, "scoring": "set_fallout", "random_state": 0}
    board = leaderboard(evaluate(models, X, y > 0, **options), **SEEDED)
    assert board.system == ("fitted", "all")
    assert board.estimate[1] == 1
    assert not board.greater_is_better
    assert all(0 <= low <= high <= 1 for low, high in board.confidence_interval)


def test_runs():
    rng = np.random.default_rng(0)
    qrels = {f"q{i}": {f"d{j}": int(j < 3) for j in range(9)} for i in range(12)}
    runs = {
        name: {
            q: {d: g + noise * rng.normal() for d, g in of.items()}
            for q, of in qrels.items()
        }
        for name, noise in (("good", 0.1), ("poor", 9.0))
    }
    board = leaderboard(score_run(qrels, runs, ["ndcg@5", "map"]), **SEEDED)
    assert isinstance(board, Leaderboards)
    assert board["map"].system == ("good", "poor")


def test_undefined_queries_are_left_out_and_counted():
    values = draw()
    for one in values.values():
        one[:2] = np.nan
    board = leaderboard(values, **SEEDED)
    assert (board.n_units, board.n_undefined) == (58, 2)
    assert str(board).startswith("score on 58 of 60 queries")
    values["s0"][5] = np.nan
    with pytest.raises(ValueError, match=r"no score for query 5 in 's0'"):
        leaderboard(values)


# Several measures ---------------------------------------------------------------------


def several():
    one, other = draw(), draw(seed=1, shifts=(0.3, 0.0, 0.01, 0.02))
    return {
        name: QueryScores(
            np.arange(60),
            {"ndcg": one[name], "map": other[name]},
            {"ndcg": one[name].mean(), "map": other[name].mean()},
        )
        for name in one
    }


def test_a_grid_of_measures():
    boards = leaderboard(several(), baseline="s1", **SEEDED)
    assert list(boards) == ["ndcg", "map"]
    alone = leaderboard(several(), metric="map", baseline="s1", **SEEDED)
    assert isinstance(alone, Leaderboard)
    assert_array_equal(boards["map"].p_adjusted, alone.p_adjusted)
    lines = str(boards).splitlines()
    rows = [line.split() for line in lines[4:8]]
    assert lines[:2] == ["4 systems by 2 measures: means", "60 queries"]
    assert [row[0] for row in rows] == list(boards["ndcg"].system)
    marks = {row[0]: [re.sub("[0-9.]", "", cell) for cell in row[1:]] for row in rows}
    assert marks == {
        "s3": ["*", "*"],
        "s2": ["", ""],
        "s1": ["", ""],
        "s0": ["", "*"],
    }
    assert "* shown to be better than s1" in lines
    assert "~" not in str(boards)  # one system is the best by each measure
    # Numbers stand below each other, whatever their marks.
    dots = [line.index(".") for line in lines[4:8]]
    assert len(set(dots)) == 1
    frame = boards.to_frame()
    assert frame["measure"].tolist() == ["ndcg"] * 4 + ["map"] * 4


def test_a_grid_in_every_format():
    boards = leaderboard(several(), baseline="s1", **SEEDED)
    latex = boards.to_latex()
    assert r"s3 & $\mathbf{" in latex
    assert r"$^{*}$\,shown to be better than s1" in latex
    assert r"**\* |" in boards.to_markdown()
    assert "</b><sup>*</sup>" in boards.to_html()
    assert r"\* shown to be better than s1" in boards.to_markdown()


def test_means_that_may_be_the_best_are_marked_in_every_format():
    rng = np.random.default_rng(0)
    base = rng.random(30)
    noise = rng.normal(0, 0.05, (2, 30))
    systems = {"a": base, "b": base + noise[0] + 0.1, "c": base + noise[1] + 0.1}
    boards = leaderboard({k: scored(v) for k, v in systems.items()}, metric=["ndcg"])
    best, other, worst = boards["ndcg"].system
    assert boards["ndcg"].best == (best, other)
    mean = f"{boards['ndcg'].estimate[1]:.3f}"
    assert f"{mean}~" in str(boards) and "~ may also be the best" in str(boards)
    assert rf"{other} & \underline{{{mean}}} \\" in boards.to_latex()
    assert "Underlined: may also be the best" in boards.to_latex()
    assert rf"{mean}\~ |" in boards.to_markdown()
    assert f"<u>{mean}</u>" in boards.to_html()


# Several data sets --------------------------------------------------------------------

SIZES = {"nq": 20, "fever": 60, "scifact": 35, "fiqa": 12}


def on_datasets(sizes=SIZES, shifts=(0.0, 0.02, 0.1)):
    return {
        key: {name: scored(values) for name, values in draw(n, shifts, seed=n).items()}
        for key, n in sizes.items()
    }


def test_over_queries_data_sets_are_strata():
    datasets = on_datasets()
    board = leaderboard(datasets, **SEEDED)
    names = list(datasets["nq"])
    values = {
        name: np.concatenate([one[name].scores["ndcg"] for one in datasets.values()])
        for name in names
    }
    strata = np.repeat(list(SIZES), list(SIZES.values()))
    ids = np.arange(len(strata))
    flat = {name: scored(one, ids) for name, one in values.items()}
    expected = leaderboard(flat, strata=strata, **SEEDED)
    assert board.system == expected.system
    assert_allclose(board.p_adjusted, expected.p_adjusted)
    assert_allclose(board.confidence_interval, expected.confidence_interval)
    for name, mean in zip(board.system, board.estimate, strict=True):
        means = [one[name].mean["ndcg"] for one in datasets.values()]
        assert_allclose(mean, np.mean(means))
    assert "127 queries of 4 data sets, 3 systems" in str(board)
    assert "new queries of these data sets" in str(board)


def test_over_datasets_means_are_what_is_tested():
    datasets = on_datasets()
    board = leaderboard(datasets, over="datasets", **SEEDED)
    means = {
        name: [one[name].mean["ndcg"] for one in datasets.values()]
        for name in datasets["nq"]
    }
    found = compare(means, test="ttest", correction="holm")
    pairs = by_pair(board)
    for one, other, p in zip(found.system, found.versus, found.p_adjusted, strict=True):
        assert_allclose(pairs[frozenset((one, other))], p)
    for name, ends in zip(board.system, board.confidence_interval, strict=True):
        assert_allclose(ends, scored(np.array(means[name])).interval())
    assert (board.unit, board.n_units, board.n_draws) == ("data set", 4, 0)
    assert "other data sets of the same kind, not only these" in str(board)


def test_ranks_by_data_set_stand_beside_the_mean():
    datasets = on_datasets(shifts=(0.0, 0.2, 0.1))
    datasets["nq"]["s0"] = scored(np.full(20, 0.99))
    board = leaderboard(datasets, **SEEDED)
    assert board.system[0] == "s1"
    place = board.system.index("s0")
    assert board.dataset_rank["nq"][place] == 1
    assert board.dataset_mean["nq"][place] == pytest.approx(0.99)
    frame = board.to_frame()
    assert frame["rank nq"].tolist() == board.dataset_rank["nq"].tolist()
    assert frame["mean nq"].tolist() == board.dataset_mean["nq"].tolist()
    header = str(board).splitlines()[2].split()
    assert header[-4:] == list(SIZES)


def test_a_missing_cell_is_listed_and_never_0():
    datasets = on_datasets()
    del datasets["fever"]["s2"], datasets["nq"]["s2"], datasets["nq"]["s0"]
    with pytest.raises(
        ValueError, match=r"missing: 's1'|missing: 's0' on 'nq'; 's2' on 'nq', 'fever'"
    ):
        leaderboard(datasets)
    with pytest.raises(ValueError, match="at least two systems; got 1"):
        leaderboard(datasets, missing="drop-system")
    datasets = on_datasets()
    del datasets["fever"]["s2"]
    board = leaderboard(datasets, missing="drop-system", **SEEDED)
    assert board.dropped == ("s2",)
    assert sorted(board.system) == ["s0", "s1"]
    assert "Left out, because a data set lacks them: s2." in str(board)
    with pytest.raises(ValueError, match=r"baseline must be one of \['s0', 's1'\]"):
        leaderboard(datasets, missing="drop-system", baseline="s2")


@pytest.mark.parametrize("rank", [compare, leaderboard])
def test_baselines_are_named(rank):
    scores = {name: np.arange(9.0) ** k for name, k in (("a", 1), ("b", 2))}
    with pytest.raises(ValueError, match=r"baseline must be one of \['a', 'b'\]"):
        rank(scores, baseline=scores["a"])


@pytest.mark.parametrize("over", ["queries", "datasets"])
def test_means_do_not_depend_on_the_pool(over):
    datasets = on_datasets()
    board = leaderboard(datasets, over=over, **SEEDED)
    fewer = {key: {n: one[n] for n in ("s0", "s2")} for key, one in datasets.items()}
    other = leaderboard(fewer, over=over, **SEEDED)
    for name, mean, ends in zip(
        other.system, other.estimate, other.confidence_interval, strict=True
    ):
        place = board.system.index(name)
        assert mean == board.estimate[place]
        assert ends == board.confidence_interval[place]


@pytest.mark.parametrize("over", ["queries", "datasets"])
def test_groups_of_several_data_sets(over):
    sizes = {key: n for key, n in SIZES.items() if n % 2 == 0}
    datasets, halved, groups = on_datasets(sizes), {}, {}
    for key, systems in datasets.items():
        ids = [f"{key} {i}" for i in range(sizes[key])]
        groups |= {qid: i // 2 for i, qid in enumerate(ids)}
        values = {name: one.scores["ndcg"] for name, one in systems.items()}
        datasets[key] = {name: scored(one, ids) for name, one in values.items()}
        halved[key] = {
            name: scored(one.reshape(-1, 2).mean(axis=1))
            for name, one in values.items()
        }
    board = leaderboard(datasets, over=over, groups=groups, **SEEDED)
    other = leaderboard(halved, over=over, **SEEDED)
    assert_allclose(board.estimate, other.estimate)
    assert_allclose(board.p_adjusted, other.p_adjusted)
    assert_allclose(board.confidence_interval, other.confidence_interval)


def test_one_data_set_is_as_good_as_none():
    board, plain = leaderboard({"nq": draw()}, **SEEDED), leaderboard(draw(), **SEEDED)
    assert "60 queries of 1 data set, 4 systems" in str(board)
    assert_array_equal(board.rank_interval, plain.rank_interval)
    assert_allclose(board.estimate, plain.estimate)
    assert_allclose(board.confidence_interval, plain.confidence_interval)


def test_undefined_queries_of_data_sets_are_counted():
    datasets = on_datasets()
    for one in datasets["nq"].values():
        one.scores["ndcg"][:3] = np.nan
    datasets["nq"] = {
        k: scored(one.scores["ndcg"]) for k, one in datasets["nq"].items()
    }
    for over in ("queries", "datasets"):
        board = leaderboard(datasets, over=over, **SEEDED)
        assert board.n_undefined == 3


@pytest.mark.parametrize(
    ("results", "options", "message"),
    [
        ({"a": draw(), "b": [0.1, 0.2]}, {}, "got some of both"),
        ({"nq": draw()}, {"over": "datasets"}, "at least two data sets"),
        (draw(), {"over": "datasets"}, "over must be 'queries' with one data set"),
        ({"a": draw(), "b": draw()}, {"strata": [1]}, "strata must be None"),
        ({"a": draw(), "b": draw()}, {"groups": [1]}, "groups must be a dict by query"),
        ({"a": draw(), "b": draw()}, {"groups": {3: 1}}, "groups must name every quer"),
        ({"a": draw(), "b": {}}, {}, "missing: 's0' on 'b'"),
        ({"a": [0.1, 0.2]}, {}, "at least two systems"),
        (
            {"a": "a.run", "b": "b.run"},
            {},
            r"first: pass score_run\(qrels, {...}, metr",
        ),
    ],
)
def test_what_is_refused(results, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        leaderboard(results, **options)


def test_errors_name_the_data_set():
    datasets = on_datasets()
    datasets["fever"]["s1"] = scored(np.ones(7))
    with pytest.raises(ValueError, match="must cover the same queries") as caught:
        leaderboard(datasets)
    assert caught.value.__notes__ == ["This happened on the data set 'fever'."]
    datasets = on_datasets()
    datasets["fever"] = {
        name: scored(one.scores["ndcg"], name="map")
        for name, one in datasets["fever"].items()
    }
    with pytest.raises(ValueError, match="scored by the same measures"):
        leaderboard(datasets)


@pytest.mark.parametrize(
    ("change", "n_concentrated"),
    [
        (np.full(10, 0.1), 0),
        (np.r_[-0.9, np.full(9, 0.02)], 2),
        (np.r_[-0.9, np.zeros(9)], 0),
    ],
    ids=["the same but for rounding", "one rare loss", "losses of one size"],
)
def test_a_board_warns_where_few_queries_make_most_of_the_spread(
    change, n_concentrated
):
    base = np.random.default_rng(4).normal(0, 0.2, 10)
    board = leaderboard({"a": base, "b": base, "c": base + change}, **SEEDED)
    assert board.n_concentrated == n_concentrated
    is_noted = "1 of 10 queries cause most of the variation" in str(board)
    assert is_noted == (n_concentrated > 0 and board.better.any())


@pytest.mark.parametrize("correction", ["maxt", "holm"])
def test_a_board_of_accuracies_does_not_warn_of_rare_failures(correction):
    fails = np.random.default_rng(0).random((200, 4)) < 0.03
    systems = dict(zip("abcd", 1.0 - fails.T, strict=True))
    board = leaderboard(systems, correction=correction, **SEEDED)
    assert board.n_concentrated == 0
    assert "cause most of the variation" not in str(board)
    strata = np.repeat(["few", "many"], [20, 180])
    board = leaderboard(systems, correction=correction, strata=strata, **SEEDED)
    assert board.n_concentrated > 0  # a win in one need not offset a loss in another


def test_a_board_counts_pairs_of_equal_differences():
    old = np.random.default_rng(0).random(20)
    board = leaderboard({"old": old, "new": old + 0.1, "other": old[::-1]}, **SEEDED)
    assert board.n_constant == 1
    note = "All 20 differences of 1 pair are equal, so the data cannot show how much"
    assert note in str(board)
    few = leaderboard({"old": old[:5], "new": old[:5] + 0.1}, **SEEDED)
    assert few.n_constant == 0 and "are equal" not in str(few)
