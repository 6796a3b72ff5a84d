"""Every display through the same tests; what each draws is in a file of its own."""

import inspect
import re
import sys
import warnings

import numpy as np
import pytest
import sklearn.metrics
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    StratifiedKFold,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import label_binarize

from oracles.displays import (
    CASES,
    COSINE,
    MODEL,
    OTHER,
    QID,
    X,
    Y,
    from_estimator,
    from_predictions,
    grades,
    labels,
)
from oracles.intervals import naive_interval
from sklearn_irmetrics import Measure, plot
from sklearn_irmetrics.model_selection import QueryKFold, evaluate

plt = pytest.importorskip("matplotlib.pyplot")

# Bars of two comparisons on the same axes would hide one another.
ONE_PER_AXES = {"QueryDifferenceDisplay"}
ALL = sorted(CASES)
MANY = sorted(set(CASES) - ONE_PER_AXES)
WITH_CHANCE = sorted(set(MANY) - {"ThresholdDisplay"})
CURVES = sorted(set(MANY) - {"EvaluationDisplay"})


def assert_same_numbers(first, second):
    for parameter in set(parameters(first)) - {"name", "baseline_name"}:
        assert_equal(getattr(first, parameter), getattr(second, parameter))


def parameters(display):
    return list(inspect.signature(type(display)).parameters)


def test_every_display_is_tested():
    # In tests/reports/test_abstention.py, and beside this file.
    others = ["Abstention", "Leaderboard", "QueryLearningCurve", "ClassReport"]
    names = [f"{name}Display" for name in others]
    assert sorted(plot.__all__) == sorted([*ALL, *names])


@pytest.mark.parametrize("name", ALL)
def test_the_constructor_only_stores(name):
    kind = getattr(plot, name)
    given = {parameter: object() for parameter in inspect.signature(kind).parameters}
    assert vars(kind(**given)) == given


@pytest.mark.parametrize("name", ALL)
def test_from_estimator_is_from_predictions(name):
    first = from_estimator(name)
    baseline = {}
    if name == "QueryDifferenceDisplay":
        assert first.baseline_name == "LogisticRegression"
        baseline = {"baseline": OTHER.decision_function(X)}
    second = from_predictions(name, MODEL.predict(X), **baseline)
    assert first.name == "Ridge"
    assert second.name is None
    assert_same_numbers(first, second)


@pytest.mark.parametrize("name", ALL)
def test_artists_are_kept_as_the_docstring_says(name):
    display = from_predictions(name)
    section = inspect.getdoc(type(display)).split("Attributes\n")[1].split("\n\n")[0]
    documented = re.findall(r"^(\w[\w, ]*?)(?: :.*)?$", section, flags=re.MULTILINE)
    attributes = {one for line in documented for one in line.split(", ")} - {"-"}
    kept = {one for one in vars(display) if one.endswith("_")}
    assert kept == {one for one in attributes if not one.startswith("---")}
    assert display.figure_ is display.ax_.figure
    assert display.ax_.get_xlabel()
    for artist in kept - {"ax_", "figure_"}:
        found = getattr(display, artist)
        assert found is None or found.axes is display.ax_


@pytest.mark.parametrize("name", ALL)
def test_given_axes_are_used_and_new_ones_made(name):
    figure, (left, right) = plt.subplots(1, 2)
    display = from_predictions(name, ax=right)
    assert display.ax_ is right
    assert display.figure_ is figure
    assert not left.lines
    assert display.plot(left) is display
    assert display.ax_ is left
    assert display.plot().figure_ is not figure


@pytest.mark.parametrize("name", WITH_CHANCE)
def test_several_on_one_axes(name):
    first = from_estimator(name)
    drawn = [first.line_]
    for system, scores in (("B", COSINE), ("C", COSINE**2 - X[:, 0])):
        second = from_predictions(name, scores, ax=first.ax_, name=system)
        drawn.append(second.line_)
    assert len({line.get_color() for line in drawn}) == 3
    shown = labels(second)
    assert len(set(shown)) == len(shown)
    assert [label.split(" (")[0] for label in shown if "interval" not in label][:3] == [
        "Ridge",
        "B",
        "C",
    ]
    references = [line for line in first.ax_.lines if line.get_gid() == "Chance"]
    n_different = 3 if name == "SilenceDisplay" else 1  # of each system's own rankings
    assert len(references) == n_different
    assert shown.count("Chance") == 1
    assert shown[-1] == "Chance"


@pytest.mark.parametrize("name", MANY)
def test_a_dict_of_systems_is_drawn_on_the_same_axes(name):
    systems = {"1": COSINE, "first": X[:, 0]}
    displays = from_predictions(name, systems)
    assert list(displays) == ["1", "first"]
    for system, display in displays.items():
        assert_same_numbers(display, from_predictions(name, systems[system]))
        assert display.name == system
        assert display.ax_ is displays["1"].ax_
    assert [label.partition(" ")[0] for label in labels(display)][:2] == [*systems]
    _, ax = plt.subplots()
    assert from_predictions(name, systems, ax=ax)["first"].ax_ is ax
    for wrong, options, message in [
        ({}, {}, "must hold at least one system; got none"),
        ({1: COSINE, "1": COSINE}, {}, "names that differ as strings"),
        (systems, {"name": "both"}, "name must be None where systems have names"),
    ]:
        with pytest.raises(ValueError, match=message):
            from_predictions(name, wrong, **options)


@pytest.mark.parametrize(
    ("which", "points"),
    [
        ("CutoffDisplay", {"ks": [3, 1, 2]}),
        ("InterpolatedPrecisionRecallDisplay", {"recall_levels": [0.5, 0, 1]}),
        ("PrecisionRecallDisplay", {"grid": [0.5, 0, 1]}),
        ("RocDisplay", {"grid": [0.5, 0, 1]}),
    ],
)
def test_points_that_go_back_and_forth_are_no_curve(which, points):
    ((name, values),) = points.items()
    message = f"{name} must ascend or descend, as points of a curve do; got"
    with pytest.raises(ValueError, match=message):
        from_predictions(which, **points)
    assert not plt.get_fignums()
    assert from_predictions(which, **{name: sorted(values)[::-1]}).band_


def test_nothing_is_black_on_a_dark_page():
    with plt.style.context("dark_background"):
        ax = None
        for i in range(7):
            ax = from_predictions("RocDisplay", ax=ax, name=str(i)).ax_
        colors = {line.get_color() for line in ax.lines}
        mean = from_predictions("QueryDifferenceDisplay").line_
    assert "#000000" not in colors
    assert mean.get_color() == "white"


@pytest.mark.parametrize("name", ALL)
def test_names_can_be_given_and_changed(name):
    display = from_predictions(name, name="BM25")
    assert display.name == "BM25"
    assert any("BM25" in label for label in labels(display))
    other = display.plot(name="TF-IDF")
    assert any("TF-IDF" in label for label in labels(other))
    assert display.name == "BM25"


@pytest.mark.parametrize("name", MANY)
def test_the_look_of_the_curve_can_be_chosen(name):
    green = np.array([0.0, 0.5, 0.0])

    def draw(**look):
        options = look if name not in CURVES else {"curve_kwargs": look}
        return from_predictions(name, **options)

    for given in ({"color": "red"}, {"c": "red"}, {"color": green}):
        (expected,) = given.values()
        found = draw(**given).line_.get_color()
        assert_array_equal(found, expected)
    assert draw(zorder=7, lw=3).ax_.has_data()


@pytest.mark.parametrize("name", CURVES)
def test_what_a_curve_does_not_take_is_named(name):
    message = f"{name} takes .*; got 'lw'. Options of matplotlib go into curve_kwargs"
    with pytest.raises(TypeError, match=message):
        from_predictions(name, lw=3)


def test_the_look_of_the_bars_can_be_chosen():
    bars = from_predictions("QueryDifferenceDisplay", lw=2, fc="red").better_
    assert bars.get_linewidth() == [2]
    assert_array_equal(bars.get_facecolor(), [[1, 0, 0, 1]])


@pytest.mark.parametrize("name", WITH_CHANCE)
def test_the_chance_line_can_be_changed_or_left_out(name):
    display = from_predictions(name, chance_level_kw={"c": "red", "label": "random"})
    assert display.chance_level_.get_color() == "red"
    assert display.chance_level_.get_linestyle() == "--"
    assert "random" in labels(display)
    display = from_predictions(name, plot_chance_level=False)
    assert display.chance_level_ is None
    assert "Chance" not in labels(display)


@pytest.mark.parametrize("name", CURVES)
def test_edges_can_be_left_out_as_in_scikit_learn(name):
    for despine in (False, True):
        spines = from_predictions(name, despine=despine).ax_.spines
        shown = [side for side in spines if spines[side].get_visible()]
        assert len(shown) == (2 if despine else 4)
    with pytest.raises(ValueError, match="despine must be True or False"):
        from_predictions(name, despine="yes")


@pytest.mark.parametrize("kind", ["Roc", "PrecisionRecall"])
def test_curves_take_what_those_of_scikit_learn_take(kind):
    ours = getattr(plot, f"{kind}Display")
    theirs = {"Roc": "RocCurve"}.get(kind, kind) + "Display"
    theirs = getattr(sklearn.metrics, theirs)
    rows = np.array([0, 0, 0, 1, 1, 1, 0, 1]), np.arange(8.0)
    for drop in (False, True):
        points = ours.from_predictions(*rows, drop_intermediate=drop).line_.get_xdata()
        expected = theirs.from_predictions(*rows, drop_intermediate=drop)
        assert_allclose(np.sort(points), np.sort(expected.line_.get_xdata()))
    results = validated(4, model=LogisticRegression(), y=Y > 0)
    look = {"chance_level_kwargs": {"color": "red"}, "despine": True}
    drawn = ours.from_cv_results(results, X, Y > 0, drop_intermediate=True, **look)
    assert drawn.chance_level_.get_color() == "red"
    assert not drawn.ax_.spines["top"].get_visible()


# Cross-validation -------------------------------------------------------------------


def validated(cv, model=MODEL, y=Y, **options):
    both = {"return_estimator": True, "return_indices": True}
    return cross_validate(model, X, y, cv=cv, **both, **options)


@pytest.mark.parametrize("name", CURVES)
def test_queries_of_test_data_are_ranked_by_the_model_of_their_split(name):
    results = validated(list(GroupKFold(5).split(X, Y, QID)))
    scores = np.empty(len(Y))
    for model, rows in zip(
        results["estimator"], results["indices"]["test"], strict=True
    ):
        scores[rows] = model.predict(X[rows])
    draw = getattr(plot, name).from_cv_results
    display = draw(results, X, grades(name), qid=QID, **CASES[name])
    expected = from_predictions(name, scores)
    x, y = (getattr(display, one) for one in display.points)
    assert_allclose(x, getattr(expected, expected.points[0]))
    assert_allclose(y, getattr(expected, expected.points[1]))
    ends = np.sort(display.confidence_interval, axis=0)
    assert_allclose(ends, np.sort(expected.confidence_interval, axis=0))
    assert display.name == "Ridge"
    assert display.band_ is not None and display.queries_ is None


def test_splits_without_queries_are_a_curve_each():
    results = validated(4, scoring="roc_auc", model=LogisticRegression(), y=Y > 0)
    draw = plot.RocDisplay.from_cv_results
    display = draw(results, X, Y > 0)
    assert display.per_query.shape[0] == 4
    assert len(display.queries_.get_segments()) == 4
    assert display.band_ is None  # training data of splits overlap
    assert display.roc_auc == pytest.approx(results["test_score"].mean())
    shown = draw(results, X, Y > 0, per_query=False, band=True, name="four")
    assert shown.queries_ is None and shown.band_ is not None
    weighted = draw(results, X, Y > 0, sample_weight=np.ones(len(Y)))
    assert weighted.roc_auc == pytest.approx(display.roc_auc)


def theirs_from_cv_results(display):
    """Return a display of scikit-learn, validated models and their data."""
    theirs = getattr(sklearn.metrics, display)
    if not hasattr(theirs, "from_cv_results"):
        pytest.skip(f"scikit-learn {sklearn.__version__} lacks {display}'s")
    # Scores without ties: ours are means over the orders of tied rows.
    return theirs, validated(4, model=LogisticRegression(), y=Y > 0), (X, Y > 0)


def test_roc_curves_of_splits_are_those_of_scikit_learn():
    theirs, results, data = theirs_from_cv_results("RocCurveDisplay")
    ours = plot.RocDisplay.from_cv_results(results, *data)
    expected = theirs.from_cv_results(results, *data)
    assert ours.roc_auc == pytest.approx(np.mean(expected.roc_auc))
    curves = zip(ours.per_query, expected.fpr, expected.tpr, strict=True)
    for curve, *points in curves:
        low, high = (np.interp(ours.grid + step, *points) for step in (-1e-9, 1e-9))
        assert ((low - 1e-6 <= curve) & (curve <= high + 1e-6)).all()


def test_precision_and_recall_of_splits_are_those_of_scikit_learn():
    theirs, results, data = theirs_from_cv_results("PrecisionRecallDisplay")
    expected = theirs.from_cv_results(results, *data)
    ours = plot.PrecisionRecallDisplay.from_cv_results(results, *data)
    assert ours.average_precision == pytest.approx(np.mean(expected.average_precision))
    ours = plot.InterpolatedPrecisionRecallDisplay.from_cv_results(results, *data)
    for curve, recall, precision in zip(
        ours.per_query, expected.recall, expected.precision, strict=True
    ):  # whose last point, of recall 0, is not interpolated
        reached = recall[:-1, None] >= ours.recall - 1e-9
        assert_allclose(curve, (precision[:-1, None] * reached).max(axis=0))


# A split alone need not have a query without an answer.
@pytest.mark.parametrize("name", sorted(set(CURVES) - {"SilenceDisplay"}))
@pytest.mark.parametrize("weighted", [False, True])
def test_a_query_in_several_splits_is_one_query(name, weighted):
    results = validated(list(GroupShuffleSplit(6, random_state=0).split(X, Y, QID)))
    weights = 1.0 + QID % 3 if weighted else None
    draw = getattr(plot, name).from_cv_results
    display = draw(results, X, Y, qid=QID, sample_weight=weights, **CASES[name])
    values, points = {}, None
    tests = results["indices"]["test"]
    for model, rows in zip(results["estimator"], tests, strict=True):
        one = from_predictions(name, model.predict(X[rows]), Y[rows], qid=QID[rows])
        points = getattr(one, one.points[0]) if one.grid is None else one.grid
        _, first = np.unique(QID[rows], return_index=True)
        for query, curve in zip(QID[rows][np.sort(first)], one.per_query, strict=True):
            values.setdefault(query, []).append(curve)
    assert 1 < max(map(len, values.values())) > min(map(len, values.values()))
    per_query = np.array([np.mean(curves, axis=0) for curves in values.values()])
    assert_allclose(display.per_query, per_query)
    weights = 1.0 + np.array([*values]) % 3 if weighted else None
    mean = np.average(per_query, axis=0, weights=weights)
    x, y = (getattr(display, one) for one in display.points)
    if display.grid is None:
        assert_allclose(y, mean)
    else:  # the mean of a ROC curve has corners of its own, where it may jump
        low, high = (np.interp(points + step, x, y) for step in (-1e-9, 1e-9))
        assert ((low - 1e-6 <= mean) & (mean <= high + 1e-6)).all()
    assert display.band_ is not None
    if name != "GainCurveDisplay":  # DCG has no range
        each = [naive_interval(one, weights, (0.0, 1.0), 0.95) for one in per_query.T]
        ends, end = display.confidence_interval, -1 if name == "RocDisplay" else None
        assert_allclose(ends.T[:end], each[:end])  # all ROC curves end in 1


@pytest.mark.parametrize("name", CURVES)
def test_the_band_does_not_shrink_with_every_repeat(name):
    splits = list(GroupKFold(5).split(X, Y, QID))
    draw = getattr(plot, name).from_cv_results
    once, often = (
        draw(validated(splits * n), X, grades(name), qid=QID, **CASES[name])
        for n in (1, 4)
    )
    assert_allclose(often.per_query, once.per_query)
    assert_allclose(often.confidence_interval, once.confidence_interval)
    for point in once.points:
        assert_allclose(getattr(often, point), getattr(once, point))
    assert often.band_ is not None


def test_the_band_of_repeated_splits_is_the_interval_of_evaluate():
    query = np.repeat(np.arange(10), 2)
    documents, grades = np.tile([[1.0], [0.0]], (10, 1)), np.r_[[1, 0] * 6, [0, 1] * 4]
    splits = [*QueryKFold(5).split(documents, grades, query)] * 10
    both = {"return_estimator": True, "return_indices": True}
    results = cross_validate(Ridge(), documents, grades, cv=splits, **both)
    options = {"qid": query, "metric": "p", "ks": [1]}
    draw = plot.CutoffDisplay.from_cv_results
    display = draw(results, documents, grades, **options)
    expected = evaluate(
        Ridge(), documents, grades, qid=query, method=splits, scoring="p@1"
    )
    ends = display.confidence_interval[:, 0]
    assert_allclose(ends, expected.confidence_interval["p@1"])
    assert display.per_query.shape == (10, 1)
    assert display.score[0] == pytest.approx(expected.estimate["p@1"])


def test_queries_that_folds_cut_are_refused():
    draw = plot.CutoffDisplay.from_cv_results
    every, query = np.arange(len(Y)), QID[15]
    rest, part = every[query != QID], every[query == QID]
    cut = [(np.r_[rest, part[:9]], part[9:])]
    message = (
        rf"cv_results puts queries on both sides of a split: {query}\. Use a splitter "
        "that keeps them whole, such as QueryKFold"
    )
    with pytest.raises(ValueError, match=message):
        draw(validated(cut), X, Y, qid=QID)
    message = r"both sides of a split: 0, 1, 2, 3, 4, \.\.\.\. Use"
    with pytest.raises(ValueError, match=message):
        draw(validated(KFold(3, shuffle=True, random_state=0)), X, Y, qid=QID)
    message = (
        rf"puts parts of queries in the test data of several splits: {query}\. Use"
    )
    for parts in ((part[:9], part[9:]), (part, part[9:])):
        results = validated([(rest, rows) for rows in parts])
        with pytest.raises(ValueError, match=message):
            draw(results, X, Y, qid=QID)
        del results["indices"]["train"]
        with pytest.raises(ValueError, match=message):
            draw(results, X, Y, qid=QID)
    # The rest of a query is on no side, or both sides have the same rows.
    for kept in ((rest, part[9:]), (every, every)):
        assert draw(validated([kept]), X, Y, qid=QID).line_ is not None


def test_rows_of_test_data_rank_their_classes():
    iris, y = load_iris(return_X_y=True)
    both = {"return_estimator": True, "return_indices": True}
    results = cross_validate(GaussianNB(), iris, y, **both)
    display = plot.CutoffDisplay.from_cv_results(results, iris, y, metric="success")
    assert display.score[0] == pytest.approx(results["test_score"].mean())
    assert len(display.per_query) == 150
    splits = list(StratifiedKFold(5).split(iris, y))
    often = cross_validate(GaussianNB(), iris, y, cv=splits * 3, **both)
    again = plot.CutoffDisplay.from_cv_results(often, iris, y, metric="success")
    assert_allclose(again.per_query, display.per_query)
    assert_allclose(again.confidence_interval, display.confidence_interval)


def test_results_of_a_cross_validation_must_hold_models_and_rows():
    draw = plot.RocDisplay.from_cv_results
    for wrong in (cross_validate(MODEL, X, Y), 3, {}):
        with pytest.raises(ValueError, match="cv_results must be what cross_validate"):
            draw(wrong, X, Y)
    results = validated(2, model=GaussianNB(), y=Y)
    results["estimator"][1] = GaussianNB().fit(X, Y + 1)
    with pytest.raises(ValueError, match="estimators of the same classes"):
        plot.CutoffDisplay.from_cv_results(results, X, Y)


@pytest.mark.parametrize("name", ALL)
def test_what_is_missing_without_matplotlib_is_told(name, monkeypatch):
    display = from_predictions(name)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    message = rf"{name}.plot\(\) needs matplotlib: pip install matplotlib"
    with pytest.raises(ImportError, match=message):
        display.plot()


@pytest.mark.parametrize("name", ALL)
def test_undefined_queries_are_told_of_once_and_left_out(name):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        from_predictions(name, y_true=np.where(QID[0] == QID, 0, Y))
    # DCG is never undefined, and a picture of silence is about such queries.
    expected = 0 if name in ("GainCurveDisplay", "SilenceDisplay") else 1
    told = [str(one.message) for one in caught]
    assert len(told) == expected
    assert all(" undefined in 1 of 40 queries" in one for one in told)
    assert all(one.filename == inspect.getfile(from_predictions) for one in caught)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.filterwarnings("ignore:.*(is|are) undefined")
def test_nothing_at_all_is_defined(name):
    display = from_predictions(name, [4, 3, 2, 1], [0, 0, 0, 0], qid=[1, 1, 2, 2])
    display.figure_.canvas.draw()


@pytest.mark.filterwarnings("ignore:.*not one-vs-rest")
@pytest.mark.parametrize("name", sorted(set(ALL) - {"SilenceDisplay"}))
def test_classes_of_a_sample_are_ranked_without_query_ids(name):
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X, y)
    other = LogisticRegression(C=0.01).fit(X, y)
    found = from_estimator(name, (model, X, y), other, qid=None)
    of_class, options = label_binarize(y, classes=[0, 1, 2]), {"qid": None}
    if name == "QueryDifferenceDisplay":
        options["baseline"] = other.decision_function(X)
    assert_same_numbers(
        found,
        from_predictions(
            name,
            model.decision_function(X),
            of_class,
            **options,
        ),
    )


MAIN = {
    "CutoffDisplay": "score",
    "EvaluationDisplay": "estimates",
    "GainCurveDisplay": "gain",
    "InterpolatedPrecisionRecallDisplay": "precision",
    "PrecisionRecallDisplay": "precision",
    "RocDisplay": "tpr",
    "SilenceDisplay": "score",
    "ThresholdDisplay": "score",
}


@pytest.mark.parametrize("name", MANY)
def test_queries_of_weight_0_do_not_count(name):
    half = QID < 20
    found = from_predictions(name, sample_weight=half.astype(float))
    expected = from_predictions(name, COSINE[half], grades(name)[half], qid=QID[half])
    interval = "intervals" if name == "EvaluationDisplay" else "confidence_interval"
    for part in (MAIN[name], interval):
        assert_allclose(getattr(found, part), getattr(expected, part), atol=1e-12)


NUMBER = MAIN | {"PrecisionRecallDisplay": "average_precision", "RocDisplay": "roc_auc"}
NUMBER |= {"QueryDifferenceDisplay": "differences"}
OF_RULES = sorted(set(NUMBER) - {"EvaluationDisplay"})


@pytest.mark.parametrize("name", OF_RULES)
def test_rules_for_ties_reach_the_measure(name):
    coarse, options = np.round(COSINE, 1), {}
    if name == "QueryDifferenceDisplay":
        options["baseline"] = COSINE
    if name in ("SilenceDisplay", "ThresholdDisplay"):
        options["thresholds"] = [0.45, 0.75, 0.95]  # between the scores
    for ties, sign in (("optimistic", 1), ("pessimistic", -1)):
        found = from_predictions(name, coarse, ties=ties, **options)
        expected = from_predictions(name, coarse + sign * 1e-3 * Y, **options)
        numbers = [getattr(one, NUMBER[name]) for one in (found, expected)]
        assert_allclose(*numbers, atol=1e-12)


@pytest.mark.parametrize("name", sorted(set(OF_RULES) - ONE_PER_AXES))
@pytest.mark.filterwarnings("ignore:.* undefined in 1 of 40 queries")
def test_what_stands_for_undefined_queries_counts(name):
    y_true = np.where(QID[0] == QID, 0, Y)
    without = getattr(from_predictions(name, y_true=y_true), NUMBER[name])
    found = from_predictions(name, y_true=y_true, replace_undefined_by=0.0)
    share = 1 if name == "GainCurveDisplay" else 39 / 40  # DCG is always defined
    assert_allclose(getattr(found, NUMBER[name]), share * np.asarray(without))


@pytest.mark.parametrize(
    "name", ["InterpolatedPrecisionRecallDisplay", "PrecisionRecallDisplay"]
)
def test_systems_share_a_chance_line_without_a_seed(name):
    first = from_predictions(name, random_state=0)
    draw = getattr(plot, name).from_predictions
    second = draw(Y, -X[:, 0], qid=QID, ax=first.ax_)
    assert second.chance_level_ is first.chance_level_


def test_one_ranking_has_no_band():
    for kind in (plot.RocDisplay, plot.CutoffDisplay, plot.GainCurveDisplay):
        assert kind.from_predictions([1, 0, 1], [3, 2, 1]).band_ is None


@pytest.mark.filterwarnings("ignore:recall.* is undefined")
@pytest.mark.parametrize("name", ["SilenceDisplay", "CutoffDisplay"])
def test_measures_name_the_relevant_class_of_an_estimator(name):
    rng = np.random.default_rng(0)
    X, relevant = rng.normal(size=(90, 2)), rng.random(90) < 0.3
    qid = np.repeat(np.arange(30), 3)
    relevant[:6] = False
    words = np.where(relevant, "yes", "no")
    classifier = LogisticRegression()
    fitted = classifier.fit(X, words)
    metric = Measure("recall", pos_label="yes")
    display = getattr(plot, name)
    shown = display.from_estimator(fitted, X, words, qid=qid, metric=metric)
    scores = fitted.decision_function(X)
    expected = display.from_predictions(relevant, scores, qid=qid, metric="recall")
    assert_allclose(shown.score, expected.score)
    found = cross_validate(
        classifier,
        X,
        words,
        cv=list(QueryKFold(3).split(X, words, qid)),
        return_estimator=True,
        return_indices=True,
    )
    shown = display.from_cv_results(found, X, words, qid=qid, metric=metric)
    assert shown.per_query.shape[0] == 30
    message = "got 'pos_label'.* arguments of the measure into metric"
    with pytest.raises(TypeError, match=message):
        display.from_estimator(fitted, X, words, metric="recall", pos_label="yes")
