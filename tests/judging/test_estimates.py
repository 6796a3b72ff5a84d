"""Whole queries labelled by people: `score_judged` and `compare_judged`."""

import numpy as np
import pytest

from oracles.judged import LLMJUDGE, judged_interval, make_judged, read_llmjudge, row_of
from sklearn_irmetrics import score_queries
from sklearn_irmetrics.judging import compare_judged, score_judged

METRICS = ["ndcg@10", "ap(relevance_threshold=2)", "rr", "p@3"]


def values(y_true, y_score, metric):
    return score_queries(y_true, y_score, metric, replace_undefined_by=0.0).scores[
        metric
    ]


def judged_values(y_true, y_judge, y_score, metric):
    labelled = ~np.isnan(y_true).any(axis=1)
    f, h = (values(y, y_score, metric) for y in (y_true, y_judge))
    return f[labelled], h[labelled], h.mean(), len(h)


@pytest.mark.parametrize("metric", [*METRICS, "dcg@10"])
@pytest.mark.parametrize("n_labelled", [3, 7, 20, 60])
def test_agrees_with_the_formula(metric, n_labelled):
    data = make_judged(seed=n_labelled, n_labelled=n_labelled)
    found = row_of(score_judged(*data, metric), metric)
    f, h, mean_all, n_all = judged_values(*data, metric)
    bounds = (-np.inf, np.inf) if metric == "dcg@10" else (0, 1)
    mean, ends, slope = judged_interval(f, h, mean_all, n_all, bounds)
    assert found.estimate == pytest.approx(mean)
    assert found.confidence_interval == pytest.approx(tuple(ends))
    assert found.judge_weight == pytest.approx(slope)
    _, alone, _ = judged_interval(f, h, mean_all, n_all, bounds, judge=False)
    ratio = np.ptp(alone) / np.ptp(ends)
    assert found.effective_labels == pytest.approx(n_labelled * ratio**2)
    size = bounds[1] - bounds[0]
    values, around, options = h - f, (-size, size), {}
    population = h - f, (mean_all - bounds[1], mean_all - bounds[0])
    if metric != "dcg@10" and 2 * max(sum(f <= 0.1), sum(f >= 0.9)) > n_labelled:
        # Most values lie at one end, and with them what the bias depends on.
        values, around = mean_all - f, (mean_all - 1, mean_all)
        options = {"slope": -slope}
    bias, ends, _ = judged_interval(
        values, h, mean_all, n_all, around, population=population, **options
    )
    assert found.judge == pytest.approx(mean_all)
    assert found.bias == pytest.approx(bias) == found.judge - found.estimate
    assert found.bias_interval == pytest.approx(tuple(ends))


def test_forms_of_input_agree():
    pytest.importorskip("pandas")
    y_true, y_judge, y_score = data = make_judged()
    expected = score_judged(*data, METRICS).to_frame()
    rng = np.random.default_rng(1)
    order = rng.permutation(y_true.size)
    qid = np.array([f"q{i}" for i in range(len(y_true))]).repeat(y_true.shape[1])
    rows = [a.ravel()[order] for a in (*data, qid)]
    found = score_judged(*rows[:3], METRICS, qid=rows[3]).to_frame()
    assert np.allclose(found, expected, rtol=1e-9)
    weights = np.full(len(y_true), 3.0)
    groups = np.arange(len(y_true))[::-1]
    found = score_judged(*data, METRICS, sample_weight=weights, groups=groups)
    assert np.allclose(found.to_frame(), expected, rtol=1e-9)
    assert found.unit == "group"


def test_all_labelled_is_the_mean_by_people():
    y_true, y_judge, y_score = make_judged(n_labelled=60)
    found = score_judged(y_true, y_judge, y_score, METRICS)
    for metric in METRICS:
        of_people = values(y_true, y_score, metric)
        assert found.estimate[metric] == pytest.approx(of_people.mean())
        error = of_people.std(ddof=1) / np.sqrt(60)
        assert found.standard_error[metric] == pytest.approx(error)
        assert found.effective_labels[metric] == pytest.approx(60, abs=1)


@pytest.mark.parametrize("metric", [*METRICS, "dcg@10", "success@12"])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("weighted", [False, True])
def test_interval_of_all_labelled_is_that_of_the_scores(metric, level, weighted):
    y_true, y_judge, y_score = make_judged(n_labelled=60)
    weights = np.arange(60) % 4 + 1 if weighted else None
    options = {"sample_weight": weights, "confidence_level": level}
    found = score_judged(y_true, y_judge, y_score, metric, **options)
    options = {"sample_weight": weights, "replace_undefined_by": 0.0}
    scores = score_queries(y_true, y_score, metric, **options)
    expected = scores.interval(confidence_level=level)
    assert found.confidence_interval[metric] == pytest.approx(tuple(expected))


def test_what_nearly_all_queries_have_is_not_certain():
    truth, y_score = np.tile([1.0, 0, 0], (40, 1)), np.tile([3.0, 2, 1], (40, 1))
    expected = score_queries(truth, y_score, "mrr").interval()
    found = row_of(score_judged(truth, truth, y_score, "mrr"))
    assert found.confidence_interval == pytest.approx(expected)
    assert found.bias_interval.low <= 0 < found.bias_interval.high
    y_true = truth.copy()
    y_true[38:] = np.nan
    found = row_of(score_judged(y_true, truth, y_score, "mrr"))
    assert found.confidence_interval.low < 0.94


def test_no_difference_seen_is_the_whole_range():
    truth, y_score = np.tile([1.0, 0, 0], (40, 1)), np.tile([3.0, 2, 1], (40, 1))
    other = y_score.copy()
    other[30:] = [1, 2, 3]
    for labelled, second in ((40, y_score), (20, other)):
        y_true = np.where(np.arange(40)[:, None] < labelled, truth, np.nan)
        systems = {"a": y_score, "b": second}
        found = row_of(compare_judged(y_true, truth, systems, "mrr"))
        assert found.confidence_interval == (-1, 1)
        assert (found.estimate, found.p_value, found.bias_p_value) == (0, 1, 1)
        found = row_of(compare_judged(y_true, truth, systems, "dcg"))
        assert np.isnan(found.confidence_interval).all()


@pytest.mark.parametrize("n_different", [1, 2, 4, 5])
def test_few_differences_say_little_of_the_others(n_different):
    truth, first = np.tile([1.0, 0, 0], (400, 1)), np.tile([3.0, 2, 1], (400, 1))
    other, y_judge = first.copy(), truth.copy()
    # Systems differ in every fifth query, and the judge is wrong in every third.
    other[::5], y_judge[::3] = [1, 2, 3], [0, 0, 1]
    labelled = np.concatenate(
        [np.arange(0, 400, 5)[:n_different], np.arange(1, 400, 5)[: 10 - n_different]]
    )
    y_true = np.full(truth.shape, np.nan)
    y_true[labelled] = truth[labelled]
    systems = {"a": first, "b": other}
    found = row_of(compare_judged(y_true, y_judge, systems, "mrr"))
    assert (found.judge_weight == 0) == (n_different < 5)
    assert found.confidence_interval.low < 0.2 * 2 / 3 < found.confidence_interval.high
    f, h = (values(y, first, "mrr") - values(y, other, "mrr") for y in (truth, y_judge))
    _, ends, _ = judged_interval(
        f[labelled], h[labelled], h.mean(), 400, (-1, 1), is_difference=True
    )
    assert found.confidence_interval == pytest.approx(tuple(ends))


@pytest.mark.parametrize("judge", ["blind", "copies"])
def test_intervals_hold_what_few_queries_may_miss(judge):
    rng = np.random.default_rng(1)
    runs, n_queries = 100, 200
    covered = np.zeros(2)
    for _ in range(runs):
        # Every tenth query has nothing relevant, the others nearly only that.
        failing = rng.random(n_queries) < 0.1
        truth = (rng.random((n_queries, 20)) < 0.97) & ~failing[:, None]
        y_judge = truth
        if judge == "blind":
            y_judge = truth[rng.permutation(n_queries)]
        y_true = np.where(np.arange(n_queries)[:, None] < 10, truth, np.nan)
        y_score = rng.normal(size=truth.shape)
        found = row_of(score_judged(y_true, y_judge, y_score, "p@20"), "p@20")
        low, high = found.confidence_interval
        covered[0] += low <= 0.9 * 0.97 <= high
        covered[1] += found.bias_interval.low <= 0 <= found.bias_interval.high
        assert found.judge_weight == 0 or np.sum(truth[:10].mean(axis=1) < 0.9) > 4
    assert (covered / runs >= 0.95).all()


def test_weights_count_and_zero_weight_removes():
    y_true, y_judge, y_score = data = make_judged()
    weights = np.random.default_rng(0).choice([0, 1, 4], len(y_true))
    found = row_of(score_judged(*data, "ndcg@10", sample_weight=weights), "ndcg@10")
    kept = [a[weights > 0] for a in data]
    same = score_judged(*kept, "ndcg@10", sample_weight=weights[weights > 0])
    assert found == row_of(same, "ndcg@10")
    h = values(y_judge, y_score, "ndcg@10")
    assert found.judge == pytest.approx(np.average(h, weights=weights))
    labelled = ~np.isnan(y_true).any(axis=1)
    f, w = values(y_true, y_score, "ndcg@10")[labelled], weights[labelled]
    cov = np.cov(f, h[labelled], aweights=w)
    e = f - cov[0, 1] / cov[1, 1] * (h[labelled] - found.judge)
    assert found.estimate == pytest.approx(np.average(e, weights=w))


def test_groups_are_the_units():
    y_true, y_judge, y_score = data = make_judged(n_labelled=30)
    labelled = ~np.isnan(y_true).any(axis=1)
    groups = np.empty(60, int)
    groups[labelled], groups[~labelled] = np.arange(30) // 2, 100 + np.arange(30) // 2
    result = score_judged(*data, "p@3", groups=groups)
    assert (result.n_labelled, result.n_units, result.unit) == (15, 30, "group")
    f, h = (values(y, y_score, "p@3") for y in (y_true, y_judge))
    f = f[labelled].reshape(-1, 2).mean(axis=1)
    mean, ends, _ = judged_interval(
        f, h[labelled].reshape(-1, 2).mean(axis=1), h.mean(), 30, (0, 1)
    )
    assert row_of(result, "p@3").confidence_interval == pytest.approx(tuple(ends))
    groups[np.flatnonzero(labelled)[0]] = 100
    with pytest.raises(ValueError, match="all queries of a group, or none"):
        score_judged(*data, "p@3", groups=groups)


def test_labels_that_are_no_random_sample_are_remarked_on():
    y_true, y_judge, y_score = make_judged(n_labelled=60)
    easy = np.argsort(y_judge.sum(axis=1)) >= 40
    best = np.isin(np.arange(60), np.argsort(y_judge.sum(axis=1))[-20:])
    assert easy.sum() == best.sum()
    y_true[~best] = np.nan
    y_judge[:, 0] = 3
    # The judge says the same of all queries in the first measure.
    result = score_judged(y_true, y_judge, y_score, ["success", "p@3"])
    assert np.isnan(row_of(result, "success").random_p_value)
    assert row_of(result, "p@3").random_p_value < 0.01
    assert "do not look like a random sample" in repr(result)
    assert "random sample" not in repr(score_judged(*make_judged(), "p@3"))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("metric", ["p@3", "rr", "dcg"])
def test_comparison_agrees_with_its_interval(seed, metric):
    y_true, y_judge, y_score = make_judged(seed, n_labelled=8)
    rng = np.random.default_rng(seed)
    other = y_score + rng.normal(scale=rng.choice([0.1, 2]), size=y_score.shape)
    systems = {"a": y_score, "b": other}
    pair = "a", "b"
    p = row_of(compare_judged(y_true, y_judge, systems, metric), pair).p_value
    for level in (0.5, 0.8, 0.95, 0.99, 1 - p * 1.001, 1 - p * 0.999):
        if not 0 < level < 1:
            continue
        one = row_of(
            compare_judged(y_true, y_judge, systems, metric, confidence_level=level)
        )
        outside = one.confidence_interval.low > 0 or one.confidence_interval.high < 0
        assert outside == (p <= 1 - level)
        beside = one.bias_interval.low > 0 or one.bias_interval.high < 0
        assert beside == (one.bias_p_value <= 1 - level)


def test_differences_are_corrected_as_differences():
    y_true, y_judge, y_score = make_judged()
    other = y_score + np.random.default_rng(0).normal(size=y_score.shape)
    found = compare_judged(y_true, y_judge, {"a": y_score, "b": other}, "ndcg@10")
    labelled = ~np.isnan(y_true).any(axis=1)
    f, h = (
        values(y, y_score, "ndcg@10") - values(y, other, "ndcg@10")
        for y in (y_true, y_judge)
    )
    mean, ends, _ = judged_interval(
        f[labelled], h[labelled], h.mean(), 60, (-1, 1), is_difference=True
    )
    one = row_of(found, ("a", "b"))
    assert one.estimate == pytest.approx(mean)
    assert one.confidence_interval == pytest.approx(tuple(ends))


def test_bonferroni_holds_for_all_pairs():
    y_true, y_judge, y_score = make_judged()
    rng = np.random.default_rng(0)
    systems = {
        name: y_score + rng.normal(scale=scale, size=y_score.shape)
        for name, scale in [("a", 0), ("b", 1), ("c", 2)]
    }
    options = {"baseline": "c"}
    both = compare_judged(y_true, y_judge, systems, "rr", **options)
    assert (both.system, both.versus) == (("a", "b"), ("c", "c"))
    alone = compare_judged(
        y_true,
        y_judge,
        systems,
        "rr",
        correction="none",
        confidence_level=0.975,
        **options,
    )
    all_pairs = compare_judged(y_true, y_judge, systems, "rr")
    assert (all_pairs.system, all_pairs.versus) == (("a", "a", "b"), ("b", "c", "c"))
    for pair in zip(both.system, both.versus, strict=True):
        one = row_of(both, pair)
        assert one.confidence_interval == pytest.approx(
            row_of(alone, pair).confidence_interval
        )
        assert one.p_value == min(1, 2 * row_of(alone, pair).p_value)


@pytest.mark.parametrize("metric", ["ndcg@10", "set_miss_rate"])
def test_judge_that_favours_a_system_is_told_of(metric):
    pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, (100, 20)).astype(float)
    systems = {"new": rng.normal(size=truth.shape), "old": rng.normal(size=truth.shape)}
    y_judge = np.where(systems["new"] > 0.5, 1.0, truth)
    if metric == "set_miss_rate":
        systems = {n: np.where(s > 0.5, s, -np.inf) for n, s in systems.items()}
    truth[30:] = np.nan
    result = compare_judged(truth, y_judge, systems, metric)
    assert "The judge alone favours new over old." in repr(result)
    assert row_of(result, ("new", "old")).bias_p_value < 0.001
    frame = result.to_frame()
    assert frame.loc[0, ["system", "versus"]].tolist() == ["new", "old"]


@pytest.mark.parametrize(
    "change, message",
    [
        ({"y_true": "two"}, "label at least 3 queries; got 2"),
        ({"y_true": "part"}, r"in query 0 it labels 2, and not 10 others"),
        ({"metrics": "gmap"}, "'gmap' has average='geometric'"),
        ({"y_judge": np.zeros((60, 3))}, "y_judge must have the shape of y_true"),
        ({"qid": np.arange(60)}, "y_true must have a row per query, or be 1-D with"),
        (
            {"y_true": "three", "sample_weight": np.arange(60) > 2},
            "label at least 3 queries; got 0",
        ),
        ({"y_true": "three", "groups": np.arange(60) // 3}, "at least 3 groups; got 1"),
        ({"y_judge": np.full((60, 12), -1.0)}, "y_judge must not hold negative grades"),
    ],
)
def test_mistakes(change, message):
    y_true, y_judge, y_score = make_judged(n_labelled=60)
    if "y_true" in change:
        y_true[3:] = np.nan
        if change["y_true"] == "two":
            y_true[2] = np.nan
        elif change["y_true"] == "part":
            y_true[0, 2:] = np.nan
    arguments = {"y_judge": y_judge, "y_score": y_score, "metrics": "ndcg@10"} | change
    arguments["y_true"] = y_true
    with pytest.raises(ValueError, match=message):
        score_judged(**arguments)


def test_undefined_queries_have_a_value_of_the_measure():
    y_true, y_judge, y_score = make_judged()
    y_true[0] = y_judge[0] = 0
    message = "replace_undefined_by must .* 'first_rank' is from 1 to inf; got 0"
    with pytest.raises(ValueError, match=message):
        score_judged(y_true, y_judge, y_score, ["p@3", "first_rank"])
    with pytest.raises(ValueError, match=message):
        compare_judged(y_true, y_judge, {"a": y_score, "b": -y_score}, "first_rank")
    worst = 13.0  # behind the last document
    found = score_judged(
        y_true, y_judge, y_score, "first_rank", replace_undefined_by=worst
    )
    expected = score_queries(y_judge, y_score, "first_rank", replace_undefined_by=worst)
    assert found.judge == pytest.approx(expected.mean)
    assert found.confidence_interval["first_rank"].low >= 1


def test_silence_is_no_mean_over_all_queries():
    y_true, y_judge, y_score = make_judged()
    message = "must not hold 'silence', .* which of the unlabelled queries these are"
    with pytest.raises(ValueError, match=message):
        score_judged(y_true, y_judge, y_score, ["p@3", "silence"])
    with pytest.raises(ValueError, match=message):
        compare_judged(y_true, y_judge, {"a": y_score, "b": -y_score}, "silence")


@pytest.mark.parametrize("name", ["sample_weight", "groups"])
def test_what_varies_inside_a_query_is_refused_with_its_id(name):
    rows = [a.ravel() for a in make_judged()]
    qid = np.array([f"q{i}" for i in range(60)]).repeat(12)
    values = np.ones(720)
    values[30] = 2
    with pytest.raises(ValueError, match=f"{name} must be constant .* query 'q2'"):
        score_judged(*rows, "p@3", qid=qid, **{name: values})


def test_mistakes_in_systems():
    y_true, y_judge, y_score = make_judged()
    with pytest.raises(ValueError, match="two systems or more"):
        compare_judged(y_true, y_judge, {"a": y_score}, "rr")
    with pytest.raises(
        ValueError, match="^y_scores must have names that differ as strings"
    ):
        compare_judged(y_true, y_judge, {1: y_score, "1": y_score}, "rr")
    systems = {"a": y_score, "b": y_score}
    same = row_of(compare_judged(y_true, y_judge, systems, "rr"), ("a", "b"))
    assert (same.estimate, same.p_value) == (0, 1)


def test_results_are_drawn():
    pytest.importorskip("matplotlib")
    y_true, y_judge, y_score = make_judged()
    scores = score_judged(y_true, y_judge, y_score, METRICS)
    display = scores.plot()
    assert display.line_.get_xdata() == pytest.approx([*scores.estimate.values()])
    assert display.rows == METRICS
    names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert names == ["Judge alone"]
    systems = {"a": y_score, "b": -y_score}
    compared = compare_judged(y_true, y_judge, systems, "p@3")
    display = compared.plot()
    assert display.line_.get_xdata() == pytest.approx(compared.estimate)
    assert display.ax_.get_xlabel() == "Difference in p@3 with 95 % interval"


def test_documents_that_nobody_would_label_may_lack_grades():
    y_true, y_judge, y_score = make_judged(n_labelled=60)
    y_true[20:] = np.nan
    beyond = y_score < np.sort(y_score, axis=1)[:, [-5]]
    y_true[beyond] = y_judge[beyond] = np.nan
    found = row_of(score_judged(y_true, y_judge, y_score, "p@3"), "p@3")
    assert (
        found.confidence_interval.low < found.estimate < found.confidence_interval.high
    )


@pytest.mark.skipif(not LLMJUDGE.exists(), reason="shared/data/llmjudge is missing")
def test_real_judges():
    for judge in ("umbrela1", "CoT"):
        people, grades, qid = read_llmjudge(judge)
        y_score = people + np.random.default_rng(0).normal(scale=2, size=len(people))
        truth = score_queries(people, y_score, "ndcg@10", qid=qid).mean["ndcg@10"]
        y_true = np.where(np.isin(qid, np.unique(qid)[::2]), people, np.nan)
        found = score_judged(y_true, grades, y_score, "ndcg@10", qid=qid)
        one = row_of(found, "ndcg@10")
        assert (found.n_labelled, found.n_units) == (13, 25)
        assert one.confidence_interval.low < truth < one.confidence_interval.high
