"""ROC and precision-recall curves, point by point and averaged over queries."""

import dataclasses

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import metrics as sk
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_irmetrics as irm
from oracles.cases import queries_at_once
from sklearn_irmetrics import plot
from sklearn_irmetrics.exceptions import LowPrecisionWarning

CURVES = {
    "roc_curve": (sk.roc_curve, [{}, {"drop_intermediate": False}]),
    "precision_recall_curve": (
        sk.precision_recall_curve,
        [{}, {"drop_intermediate": True}],
    ),
}
SCORES = [irm.roc_auc_score, irm.average_precision_score]
curves = pytest.mark.parametrize("name", CURVES)
undefined = pytest.mark.filterwarnings("ignore:.* undefined in")
NAN, INF = np.nan, np.inf
# The textbook's RNRNNNNNRR.
TEXTBOOK = [1, 0, 1, 0, 0, 0, 0, 0, 1, 1], range(10, 0, -1)


def draw(seed):
    """Draw documents of 40 queries, and a weight for each of these."""
    rng = np.random.default_rng(seed)
    drawn = queries_at_once(rng, rng.integers(1, 25, 40), n_levels=[15])
    return drawn.y_true, drawn.y_score, drawn.qid, rng.random(40)[drawn.qid]


# One ranking ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options"),
    [(name, options) for name, (_, every) in CURVES.items() for options in every],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_one_ranking_has_the_arrays_of_scikit_learn(name, options, weighted):
    function, _ = CURVES[name]
    rng = np.random.default_rng(0)
    for n_levels in (2, 5, 10_000):
        y_true = rng.integers(0, 2, 60)
        y_score = rng.integers(0, n_levels, 60) / 8
        weights = rng.random(60) * (rng.random(60) < 0.8) if weighted else None
        expected = function(y_true, y_score, sample_weight=weights, **options)
        found = getattr(irm.metrics, name)(
            y_true, y_score, sample_weight=weights, **options
        )
        for ours, theirs in zip(found, expected, strict=True):
            assert ours.dtype == np.float64
            if weighted:
                np.testing.assert_allclose(ours, theirs, rtol=1e-14, atol=1e-15)
            else:
                np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("weights", [None, [1, 2, 3, 4]])
@pytest.mark.parametrize("column", ["y_true", "y_score"])
@pytest.mark.parametrize(
    "function", [irm.roc_curve, irm.precision_recall_curve, *SCORES]
)
def test_a_column_beside_rows_is_one_ranking(function, column, weights):
    arrays = {"y_true": [1, 0, 1, 0], "y_score": [4, 6, 5, 1]}
    expected = function(**arrays, sample_weight=weights)
    arrays[column] = [[value] for value in arrays[column]]
    found = function(**arrays, sample_weight=weights)
    if isinstance(expected, float):
        found, expected = [found], [expected]
    for part, of_rows in zip(found, expected, strict=True):
        np.testing.assert_array_equal(part, of_rows)


@pytest.mark.parametrize("score", SCORES)
def test_weights_of_no_ranking(score):
    column = csr_array([[1.0], [0.0]])
    with pytest.raises(ValueError, match="y_true and y_score must have the same shape"):
        score(column, [2.0, 1.0], sample_weight=[1, 2])
    with pytest.raises(ValueError, match="at least one document"):
        score([], [], sample_weight=[])
    with pytest.raises(ValueError, match="y_score must be a rectangular array"):
        score([1, 0], [[2, 1], [1]], sample_weight=[1, 2])


@curves
def test_a_curve_is_named_unpacked_and_frozen(name):
    curve = getattr(irm.metrics, name)([1, 0], [2, 1])
    first, second, thresholds = curve
    fields = [field.name for field in dataclasses.fields(curve)]
    assert getattr(curve, fields[0]) is first and curve.thresholds is thresholds
    assert getattr(curve, fields[1]) is second
    with pytest.raises(dataclasses.FrozenInstanceError):
        curve.thresholds = None


@pytest.mark.parametrize("max_fpr", [0.05, 0.1, 1 / 3, 0.5, 0.99, 1])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_beginning_of_a_roc_curve_has_the_area_of_scikit_learn(max_fpr, weighted):
    rng = np.random.default_rng(0)
    for n in (2, 5, 60):
        y_true = np.append(rng.integers(0, 2, n), [0, 1])
        y_score = rng.permutation(n + 2)
        if weighted:
            y_score = y_score // 3  # tie groups are straight lines there, too
        weights = rng.random(n + 2) + 0.1 if weighted else None
        options = {"max_fpr": max_fpr, "sample_weight": weights}
        ours = irm.roc_auc_score(y_true, y_score, **options)
        theirs = sk.roc_auc_score(y_true, y_score, **options)
        assert ours == pytest.approx(theirs, rel=1e-12)


def draw_rows(seed, weighted):
    """Draw labels, scores with ties, and weights, some of them 0."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    y_true = np.append(rng.integers(0, 2, n), [0, 1])
    y_score = rng.integers(0, rng.choice([2, 6, 1000]), n + 2) / 8
    weights = rng.integers(0, 4, n + 2) + np.append(np.zeros(n), [1, 1])
    return y_true, y_score, weights if weighted else None


@pytest.mark.parametrize("limit", [0.0, 0.1, 0.3, 0.5, 0.6, 0.75, 0.9, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_recall_at_a_limit_is_read_off_the_curves_of_scikit_learn(limit, weighted):
    for seed in range(60):
        *rows, weights = draw_rows(seed, weighted)
        precision, recall, _ = sk.precision_recall_curve(*rows, sample_weight=weights)
        fpr, tpr, _ = sk.roc_curve(
            *rows, sample_weight=weights, drop_intermediate=False
        )
        found = irm.metrics.recall_at_precision_score(
            *rows, min_precision=limit, sample_weight=weights
        )
        assert found == pytest.approx(recall[precision >= limit].max(), rel=1e-14)
        found = irm.metrics.recall_at_fpr_score(
            *rows, max_fpr=limit, sample_weight=weights
        )
        assert found == pytest.approx(tpr[fpr <= limit].max(), rel=1e-14)


@pytest.mark.parametrize("level", [0.0, 0.1, 0.3, 0.5, 0.6, 0.75, 0.9, 1.0])
def test_precision_at_a_recall_is_read_off_the_curve_of_scikit_learn(level):
    for seed in range(60):
        *rows, _ = draw_rows(seed, weighted=False)
        precision, recall, _ = sk.precision_recall_curve(*rows)
        reached = recall[:-1] >= level - 1e-12  # the last point is not of a threshold
        found = irm.metrics.interpolated_precision_score(*rows, recall_level=level)
        assert found == pytest.approx(precision[:-1][reached].max(), rel=1e-14)


def test_no_alarm_is_false_where_everything_is_relevant():
    recall = irm.metrics.recall_at_fpr_score
    assert recall([1, 1, 1], [2, 1, -INF], max_fpr=0.0) == pytest.approx(2 / 3)
    for weights in (None, [1, 2, 1]):
        options = {"max_fpr": 1.0, "sample_weight": weights}
        assert recall([1, 0, 1], [2, 1, -INF], **options) == 0.5  # never found


@pytest.mark.parametrize("name", ["recall_at_precision", "recall_at_fpr"])
def test_weights_of_documents_need_whole_tie_groups(name):
    score = getattr(irm.metrics, f"{name}_score")
    rows = {"y_true": [1, 0, 1], "y_score": [1, 1, 2], "sample_weight": [1, 2, 3]}
    with pytest.raises(ValueError, match=f"ties must be 'average' for {name}_score"):
        score(**rows, ties="optimistic")
    with pytest.raises(ValueError, match="between 0 and 1; got 2"):
        score(**rows, **{"max_fpr" if "fpr" in name else "min_precision": 2})


def test_the_beginning_of_a_roc_curve_within_queries():
    y_true, y_score, qid, _ = draw(1)
    y_score = np.argsort(np.argsort(y_score))  # no ties
    expected = []
    for query in dict.fromkeys(qid.tolist()):
        mine = qid == query
        if len(set(y_true[mine] > 0)) == 2:
            given = y_true[mine] > 0, y_score[mine]
            expected.append(sk.roc_auc_score(*given, max_fpr=0.2))
    with pytest.warns(UndefinedMetricWarning):
        found = irm.score_queries(y_true, y_score, "roc_auc(max_fpr=0.2)", qid=qid)
    (values,) = found.scores.values()
    np.testing.assert_allclose(values[~np.isnan(values)], expected, rtol=1e-12)


def test_what_was_not_retrieved_is_tied_at_the_end_of_a_partial_area():
    y_true, y_score, qid, _ = draw(2)
    tied = np.where(y_score > -INF, y_score, -1e9)
    assert (tied != y_score).any()
    options = {"max_fpr": 0.3, "qid": qid, "replace_undefined_by": 0.0}
    one, other = (
        irm.roc_auc_score(y_true, scores, average=None, **options)
        for scores in (y_score, tied)
    )
    np.testing.assert_allclose(one, other, rtol=1e-12)


def test_what_was_not_retrieved_is_the_last_step_of_a_roc_curve():
    y_true, y_score = [1, NAN, 1, 0], [3.0, 2.0, -INF, -INF]
    fpr, tpr, thresholds = irm.roc_curve(y_true, y_score)
    np.testing.assert_array_equal(fpr, [0, 0, 0.5, 1])
    np.testing.assert_array_equal(tpr, [0, 0.5, 0.5, 1])
    np.testing.assert_array_equal(thresholds, [INF, 3, 2, -INF])
    fpr, tpr, thresholds = irm.roc_curve(y_true, y_score, judged_only=True)
    np.testing.assert_array_equal(fpr, [0, 0, 1])
    np.testing.assert_array_equal(thresholds, [INF, 3, -INF])
    fpr, _, thresholds = irm.roc_curve([1, 0], [-INF, -INF])
    np.testing.assert_array_equal(fpr, [0, 1])
    np.testing.assert_array_equal(thresholds, [INF, -INF])


def test_what_was_not_retrieved_has_no_precision():
    y_true, y_score = [1, NAN, 1, 0], [3.0, 2.0, -INF, -INF]
    precision, recall, thresholds = irm.precision_recall_curve(y_true, y_score)
    np.testing.assert_array_equal(precision, [0.5, 1, 1])
    np.testing.assert_array_equal(recall, [0.5, 0.5, 0])
    np.testing.assert_array_equal(thresholds, [2, 3])
    curve = irm.precision_recall_curve(y_true, y_score, judged_only=True)
    np.testing.assert_array_equal(curve.thresholds, [3])
    precision, recall, thresholds = irm.precision_recall_curve([1, 0], [-INF, -INF])
    assert (precision.tolist(), recall.tolist(), len(thresholds)) == ([1], [0], 0)


def test_rules_for_ties_order_a_group():
    _, tpr, thresholds = irm.roc_curve([0, 1], [1, 1], ties="optimistic")
    np.testing.assert_array_equal(tpr, [0, 1, 1])
    np.testing.assert_array_equal(thresholds, [INF, 1, 1])
    _, tpr, _ = irm.roc_curve([0, 1], [1, 1], ties="stable")
    np.testing.assert_array_equal(tpr, [0, 0, 1])
    _, tpr, _ = irm.roc_curve([0, 1], [1, 1])
    np.testing.assert_array_equal(tpr, [0, 1])


@curves
def test_one_ranking_of_one_kind_is_undefined(name):
    function = getattr(irm.metrics, name)
    with pytest.warns(UndefinedMetricWarning, match=f"{name} is undefined in 1 of 1"):
        _, second, _ = function([0, 0], [2, 1])
    assert np.isnan(second).all()
    _, second, _ = function([0, 0], [2, 1], replace_undefined_by=0.25)
    assert (second == 0.25).all()
    if name == "roc_curve":
        with pytest.warns(UndefinedMetricWarning):
            fpr, tpr, _ = function([1, 1], [2, 1])
        assert np.isnan(fpr).all()
        np.testing.assert_array_equal(tpr, [0, 0.5, 1])


@curves
def test_the_table_of_a_curve(name):
    pytest.importorskip("pandas")
    curve = getattr(irm.metrics, name)([1, 0, 1], [3, 2, 1])
    frame = curve.to_frame()
    assert list(frame.columns) == [field.name for field in dataclasses.fields(curve)]
    assert len(frame) == 4
    options = {"qid": [1, 1, 2], "replace_undefined_by": 0.0}
    levels = getattr(irm.metrics, name)([1, 0, 1], [3, 2, 1], **options)
    assert "thresholds" not in levels.to_frame()
    each = getattr(irm.metrics, name)([1, 0, 1], [3, 2, 1], average=None, **options)
    with pytest.raises(ValueError, match="needs one curve; got one per query"):
        each.to_frame()


# Averages of ROC curves ------------------------------------------------------------


@undefined
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"judged_only": True},
        {"relevance_threshold": 2},
        {"ties": "optimistic"},
        {"ties": "stable"},
        {"replace_undefined_by": 0.25},
    ],
    ids=str,
)
def test_the_area_under_the_average_is_the_mean_area(options):
    for seed in range(20):
        y_true, y_score, qid, weights = draw(seed)
        shared = {"qid": qid, "sample_weight": weights, **options}
        fpr, tpr, thresholds = irm.roc_curve(y_true, y_score, **shared)
        assert thresholds is None
        assert (fpr[0], fpr[-1]) == (0, 1)
        assert (np.diff(fpr) >= 0).all() and (np.diff(tpr) >= -1e-12).all()
        area = irm.roc_auc_score(y_true, y_score, **shared)
        assert np.trapezoid(tpr, fpr) == pytest.approx(area, abs=1e-12)


def test_one_query_is_averaged_to_its_own_staircase():
    y_true, y_score = [0, 1, 1, 0, 0], [5, 4, 3, 2, 1]
    mean = irm.roc_curve([y_true, y_true], [y_score, y_score])
    corners = [[0, 0], [1 / 3, 0], [1 / 3, 1], [1, 1]]
    np.testing.assert_allclose(np.column_stack(list(mean)[:2]), corners, atol=1e-15)


@undefined
@pytest.mark.parametrize("average", ["macro", None])
def test_a_grid_reads_off_the_middle_of_vertical_parts(average):
    y_true, y_score, qid, weights = draw(3)
    shared = {"qid": qid, "sample_weight": weights}
    grid = np.sort([0, 0.123, 0.25, 1 / 3, 0.5, 0.7, 0.91, 1])
    fpr, tpr, _ = irm.roc_curve(y_true, y_score, **shared)
    found = irm.roc_curve(y_true, y_score, grid=grid, average=average, **shared)
    np.testing.assert_array_equal(found.false_positive_rate, grid)
    if average is None:
        assert len(found.true_positive_rate) == 40
        return
    for x, y in zip(grid, found.true_positive_rate, strict=True):
        ends = tpr[fpr == x]
        if x == 0 and len(ends) == 1:  # no query begins with a relevant document
            ends = np.zeros(1)
        middle = (ends[0] + ends[-1]) / 2 if len(ends) else np.interp(x, fpr, tpr)
        assert y == pytest.approx(middle, abs=1e-12)


def test_curves_per_query_have_a_hundred_steps():
    fpr, tpr, _ = irm.roc_curve([[1, 1, 0], [0, 0, 0]], [[3, 2, 1]] * 2, average=None)
    np.testing.assert_allclose(fpr, np.arange(101) / 100, atol=1e-15)
    np.testing.assert_array_equal(tpr[0], [0.5, *[1] * 100])
    assert np.isnan(tpr[1]).all()


def test_no_query_has_a_curve():
    with pytest.warns(UndefinedMetricWarning, match="undefined in 2 of 2"):
        fpr, tpr, _ = irm.roc_curve([[1, 1], [0, 0]], [[2, 1]] * 2)
    assert fpr.tolist() == [0, 1] and np.isnan(tpr).all()


# Chance --------------------------------------------------------------------------


def expected_of_random(n_others, x):
    """Mean over queries of (floor(N x) + 1) / (N + 1), half-way up at jumps."""
    place = np.outer(x, n_others)
    at_jump = np.isclose(place, np.round(place))
    steps = np.where(at_jump, np.round(place) + 0.5, np.floor(place) + 1)
    return (steps / (n_others + 1)).mean(axis=1)


def random_rankings(seed, n_queries=4000):
    rng = np.random.default_rng(seed)
    n_relevant, n_others = rng.integers(1, 4, (2, n_queries))
    qid = np.repeat(np.arange(n_queries), n_relevant + n_others)
    kinds = np.column_stack([n_relevant, n_others]).ravel()
    y_true = np.repeat(np.tile([1, 0], n_queries), kinds)
    return y_true, rng.random(len(qid)), qid, n_others


def test_the_chance_line_that_is_drawn():
    pytest.importorskip("matplotlib")
    y_true, y_score, qid, n_others = random_rankings(8, n_queries=200)
    display = plot.RocDisplay.from_predictions(y_true, y_score, qid=qid)
    x, y = display.chance_level
    places = np.array([0.05, 0.4, 0.55, 0.7])
    expected = expected_of_random(n_others, places)
    np.testing.assert_allclose(np.interp(places, x, y), expected, atol=1e-12)
    assert np.trapezoid(y, x) == pytest.approx(0.5, abs=1e-12)
    np.testing.assert_array_equal(
        display.chance_level_.get_xydata(), np.column_stack([x, y])
    )


def test_the_chance_line_weighs_queries():
    pytest.importorskip("matplotlib")
    display = plot.RocDisplay.from_predictions(
        [[1, 0, 0], [1, 1, 0]], np.zeros((2, 3)), sample_weight=[3, 1]
    )
    x, y = display.chance_level
    np.testing.assert_array_equal(x, [0, 0, 0.5, 0.5, 1, 1])
    expected = np.array([0, 9 / 24, 9 / 24, 15 / 24, 15 / 24, 1])
    np.testing.assert_allclose(y, expected, atol=1e-15)


# Precision at recall levels ---------------------------------------------------------


@pytest.mark.parametrize("form", ["one", "query", "weights"])
def test_interpolation_of_the_textbook(form):
    options = {"one": {}, "query": {"qid": [1] * 10}, "weights": {}}[form]
    if form == "weights":
        options = {"sample_weight": [2] * 10}
    right = irm.precision_recall_curve(*TEXTBOOK, interpolation="right", **options)
    third = 2 / 3
    expected = [1, 1, 1, third, third, third, 0.4, 0.4, 0.4, 0.4, 0.4]
    np.testing.assert_allclose(right.precision, expected, rtol=1e-15)
    window = irm.precision_recall_curve(*TEXTBOOK, interpolation="window", **options)
    expected = [NAN, NAN, 1, NAN, third, third, NAN, 1 / 3, NAN, 0.4, 0.4]
    np.testing.assert_allclose(window.precision, expected, rtol=1e-15)
    np.testing.assert_array_equal(window.recall, np.arange(11) / 10)


def test_ranks_above_the_first_relevant_one_have_recall_0():
    curve = irm.precision_recall_curve([0, 1], [2, 1], interpolation="window")
    assert curve.precision[0] == 0.0
    assert np.isnan(curve.precision[1:9]).all()
    assert curve.precision[-1] == 0.5


def naive_windows(y_true, y_score, levels):
    """Best precision of scikit-learn's points with a recall in each window."""
    precision, recall, _ = sk.precision_recall_curve(y_true, y_score)
    precision, recall = precision[:-1], recall[:-1]
    values = []
    for low, high in zip(levels, [*levels[1:], 1.0], strict=True):
        inside = (recall >= low - 1e-9) & (recall <= high + 1e-9)
        values.append(precision[inside].max() if inside.any() else np.nan)
    return values


def test_windows_are_those_of_the_points_of_scikit_learn():
    rng = np.random.default_rng(5)
    y_true, y_score = rng.integers(0, 2, (30, 12)), rng.integers(0, 6, (30, 12))
    y_true[:, 0] = 1
    for grid in (np.arange(11) / 10, [0.0, 0.3, 0.5], [0.5]):
        options = {"interpolation": "window", "grid": grid}
        each = irm.precision_recall_curve(y_true, y_score, average=None, **options)
        expected = [
            naive_windows(*pair, list(grid))
            for pair in zip(y_true, y_score, strict=True)
        ]
        np.testing.assert_allclose(each.precision, expected, atol=1e-15)
        for row, pair in enumerate(zip(y_true, y_score, strict=True)):
            weighted = irm.precision_recall_curve(
                *pair, sample_weight=[0.5] * 12, average=None, **options
            )
            np.testing.assert_allclose(weighted.precision[0], expected[row], atol=1e-14)
        counted = ~np.isnan(expected).all(axis=0)
        mean = irm.precision_recall_curve(y_true, y_score, **options).precision
        np.testing.assert_allclose(
            mean[counted], np.nanmean(np.array(expected)[:, counted], axis=0)
        )


@undefined
def test_levels_of_queries_are_the_interpolated_curve():
    y_true, y_score, qid, weights = draw(4)
    for options in ({}, {"judged_only": True, "average": None}, {"ties": "stable"}):
        shared = {"qid": qid, "sample_weight": weights, **options}
        found = irm.precision_recall_curve(y_true, y_score, **shared)
        precision, recall = irm.metrics.interpolated_precision_recall_curve(
            y_true, y_score, **shared
        )
        np.testing.assert_array_equal(found.precision, precision)
        np.testing.assert_array_equal(found.recall, recall)


def test_levels_that_are_never_reached_and_queries_that_find_nothing():
    data = [[1, 1, 0], [0, 0, 0]], [[3, -INF, 2], [3, 2, 1]]
    for options in ({"interpolation": "window"}, {}):
        with pytest.warns(UndefinedMetricWarning, match="undefined in 1 of 2"):
            curve = irm.precision_recall_curve(*data, grid=[0.5, 0.9], **options)
        expected = [1, NAN if options else 0]
        np.testing.assert_array_equal(curve.precision, expected)
        curve = irm.precision_recall_curve(
            *data, grid=[0.5, 0.9], replace_undefined_by=0.5, **options
        )
        np.testing.assert_array_equal(curve.precision, [0.75, 0.5 if options else 0.25])
    with pytest.warns(UndefinedMetricWarning):
        curve = irm.precision_recall_curve(
            [0, 0], [2, 1], interpolation="right", sample_weight=[1, 2]
        )
    assert np.isnan(curve.precision).all()


# The best F ----------------------------------------------------------------------


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0, 2.0])
def test_the_best_f_is_that_of_the_points_of_scikit_learn(beta):
    rng = np.random.default_rng(6)
    y_true, y_score = rng.integers(0, 2, (50, 20)), rng.integers(0, 9, (50, 20))
    y_true[:, 0] = 1
    found = irm.metrics.max_fbeta_score(y_true, y_score, beta=beta, average=None)
    for value, pair in zip(found, zip(y_true, y_score, strict=True), strict=True):
        precision, recall, _ = (
            values[:-1] for values in sk.precision_recall_curve(*pair)
        )
        below = beta**2 * precision + recall
        f = (1 + beta**2) * precision * recall / np.where(below > 0, below, 1)
        assert value == pytest.approx(f.max(), abs=1e-15)


def test_the_best_f_of_the_textbook():
    y_true = [1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, *[1] * 5]
    y_score = [*range(15, 0, -1), *[-INF] * 5]
    at_ranks = [
        irm.metrics.fbeta_at_k_score(y_true, y_score, k=k) for k in range(1, 16)
    ]
    assert irm.metrics.max_fbeta_score(y_true, y_score) == max(at_ranks)
    assert irm.score_queries(y_true, y_score, "max_f1").mean["max_f1"] == max(at_ranks)
    assert irm.metrics.max_fbeta_score([1, 0], [-INF, -INF]) == 0.0
    tied = irm.metrics.max_fbeta_score([1, 0, 0], [1, 1, 1])
    assert tied == pytest.approx(0.5)
    assert irm.metrics.max_fbeta_score([1, 0, 0], [1, 1, 1], ties="optimistic") == 1.0


@curves
@pytest.mark.parametrize("qid", [None, [1, 1, 1]])
def test_ties_among_scores_of_16_bits_are_warned_of_once(name, qid):
    with pytest.warns(LowPrecisionWarning, match="y_score is float16") as caught:
        getattr(irm.metrics, name)([1, 0, 1], np.float16([2, 2, 1]), qid=qid)
    assert len(caught) == 1


@curves
def test_weights_of_queries_must_not_vary(name):
    with pytest.raises(ValueError, match="constant inside a query"):
        getattr(irm.metrics, name)(
            [1, 0, 1], [3, 2, 1], qid=[1, 1, 2], sample_weight=[1, 2, 3]
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grid": [2]}, "grid must be between 0 and 1; got 2"),
        (
            {"grid": [0.5, 0.1], "interpolation": "window"},
            "grid must increase with interpolation='window'; got .0.5, 0.1.",
        ),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        irm.precision_recall_curve([1, 0], [2, 1], **options)
    if "interpolation" not in options:
        with pytest.raises(ValueError, match=message):
            irm.roc_curve([1, 0], [2, 1], **options)
