"""What displays draw of data that are hard to draw: nothing is hidden or cut."""

import importlib
import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from oracles.pictures import check_picture
from sklearn_irmetrics import plot

plt = pytest.importorskip("matplotlib.pyplot")

LONG = "A ranker that is called by a name of just about sixty characters"


def difference(values, **options):
    ids = np.arange(len(values))
    options = {"query_ids": ids, "metric": "map", **options}
    return plot.QueryDifferenceDisplay(differences=np.asarray(values), **options)


def rows(labels, name=None, ax=None, level=0.95, **options):
    n = len(labels)
    options = {"intervals": np.tile([0.4, 0.6], (n, 1)), **options}
    return plot.EvaluationDisplay(
        rows=labels, estimates=np.full(n, 0.5), confidence_level=level, **options
    ).plot(ax=ax, name=name)


def test_every_picture_of_the_sheet_can_be_read():
    sheet, seen = importlib.import_module("display_sheet"), set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of queries that are undefined
        for name, case, figure in sheet.pictures(quick=True):
            try:
                check_picture(figure)
            except AssertionError as error:
                raise AssertionError(f"{name}, {case}: {error}") from error
            plt.close(figure)
            seen.add(name)
    assert seen == {*sheet.FROM_PREDICTIONS, "Of results"}


def test_markers_are_at_their_labels_unless_they_share_a_row():
    first = rows(["a"], "A")
    second = rows(["b"], "B", ax=first.ax_)
    third = rows(["c", "a"], "C", ax=first.ax_)
    assert_allclose(second.line_.get_ydata(), [1])
    assert_allclose(first.line_.get_ydata(), [-0.1])
    assert_allclose(third.line_.get_ydata(), [2, 0.1])
    for one in (first, second, third):
        ends = one.intervals_.get_ydata().reshape(-1, 3)
        assert_array_equal(ends[:, 0], one.line_.get_ydata())
        assert np.isnan(ends[:, 2]).all()
    assert [text.get_text() for text in first.ax_.get_yticklabels()] == list("abc")


def test_axes_side_by_side_know_the_rows_of_each_other():
    _, (left, right) = plt.subplots(1, 2, sharey=True)
    rows(["a", "b"], ax=left)
    other = rows(["c", "b"], ax=right)
    assert_array_equal(other.line_.get_ydata(), [2, 1])
    assert [text.get_text() for text in left.get_yticklabels()] == list("abc")


def test_an_interval_is_named_where_it_is_drawn():
    none = {"intervals": [(np.nan, np.nan)]}
    display = rows(["a"], **none)
    assert display.ax_.get_xlabel() == "Estimate"
    rows(["a"], ax=display.ax_)
    assert display.ax_.get_xlabel() == "Estimate with 95 % interval"
    rows(["a"], ax=display.ax_, **none)
    assert display.ax_.get_xlabel() == "Estimate with 95 % interval"


def test_no_difference_is_one_line_through_all_rows():
    given = {"chance_levels": [0.0], "chance_name": "No difference"}
    first = rows(["B − A"], **given)
    second = rows(["C − A"], ax=first.ax_, **given)
    assert second.chance_level_ is first.chance_level_
    assert_array_equal(first.chance_level_.get_xydata(), [[0, -0.5], [0, 1.5]])


def test_long_names_are_folded_and_whole():
    display = rows([LONG + " 1", "x" * 60], LONG)
    check_picture(display.figure_)
    texts = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert [text.replace("\n", " ") for text in texts[:1]] == [LONG + " 1"]
    assert texts[1].replace("\n", "") == "x" * 60


def test_names_that_matplotlib_would_hide_are_in_the_legend():
    """It leaves out labels that begin with an underscore."""
    y_true, scores = [[1, 0, 1]] * 4, [[3, 2, 1]] * 2 + [[1, 3, 2]] * 2
    drawn = [
        plot.CutoffDisplay.from_predictions(y_true, {"_a": scores, "b": scores})["b"],
        plot.RocDisplay.from_predictions(y_true, scores, name="_a"),
        rows(["map"], "_a"),
        difference([0.1, -0.2], name="_a", baseline_name="_b").plot(),
        plot.QueryLearningCurveDisplay(
            train_sizes=[1, 2],
            estimates=[0.1, 0.2],
            intervals=[(0, 0.5)] * 2,
            train_scores=[0.5, 0.6],
            metric="map",
            name="_a",
        ).plot(),
        plot.AbstentionDisplay(rates=[0, 0.1], estimate=[0.5, 0.6], name="_a").plot(),
    ]
    for display in drawn:
        texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
        assert any("_a" in text for text in texts), (type(display), texts)


def test_panels_that_share_an_axis_show_all_bars():
    figure, axes = plt.subplots(2, 1, sharex=True, layout="constrained")
    large = difference([0.9, 0.1, -0.8], name=LONG).plot(axes[0])
    difference([0.01, -0.01]).plot(axes[1])
    low, high = axes[0].get_xlim()
    assert low < -0.8 and high > 0.9
    check_picture(figure)
    assert large.better_.get_datalim(axes[0].transData).x1 == 0.9


def test_long_ids_are_shortened():
    ids = [f"{i} {LONG} {i}" for i in range(3)]
    ax = difference([0.3, 0.2, 0.1], query_ids=ids).plot().ax_
    shown = [text.get_text() for text in ax.get_yticklabels()]
    assert shown[1] == "1 A ranke…aracters 1"
    check_picture(ax.figure)


@pytest.mark.parametrize("metric", ["map", "ndcg@10"])
def test_a_small_difference_looks_small(metric):
    display = difference([0.0005], metric=metric).plot()
    low, high = display.ax_.get_xlim()
    assert high - low > 0.04
    bottom, top = display.ax_.get_ylim()
    assert bottom - top > 4
    assert display.line_.get_label() == "Mean: +0.0005"


def test_measures_of_unknown_range_keep_their_scale():
    for metric in ("cg", "my own measure"):
        low, high = difference([1e-6, -1e-6], metric=metric).plot().ax_.get_xlim()
        assert high - low < 1e-5


def test_odd_ids_are_drawn_as_they_are():
    ids = ["$a^$", "a\nb", "\ud800"]
    display = difference([0.3, 0.2, 0.1], query_ids=ids).plot()
    display.figure_.canvas.draw()
    shown = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert shown == ["$a^$", "a\\nb", "\\ud800"]


@pytest.mark.parametrize("kind", [plot.CutoffDisplay, plot.GainCurveDisplay])
@pytest.mark.parametrize(("n", "scale"), [(100, "linear"), (101, "log")])
def test_the_top_of_many_ranks_has_room(kind, n, scale):
    values = {"cutoffs": np.arange(1, n + 1)}
    if kind is plot.CutoffDisplay:
        values |= {"score": np.ones(n), "metric": "ndcg"}
    else:
        values |= {"gain": np.ones(n)}
    ax = kind(**values).plot().ax_
    assert ax.get_xscale() == scale
    ax.figure.canvas.draw()
    left, right = ax.transData.transform([[1, 0], [10, 0]])[:, 0]
    assert ((right - left) / ax.bbox.width > 0.3) == (scale == "log")
    low, high = ax.get_xlim()
    ticks = [tick for tick in ax.get_xticks() if low <= tick <= high]
    assert len(ticks) > 2
    assert all(tick == int(tick) for tick in ticks)


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("CutoffDisplay", "undefined"),
        ("GainCurveDisplay", "undefined"),
        ("InterpolatedPrecisionRecallDisplay", "11-pt mean undefined"),
        ("PrecisionRecallDisplay", "AP undefined"),
        ("RocDisplay", "AUC undefined"),
    ],
)
def test_what_is_undefined_is_called_so(name, label):
    kind = getattr(plot, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        display = kind.from_predictions([0, 0, 0], [3, 2, 1], qid=[1, 1, 2])
    assert display.line_.get_label() == label
    assert display.chance_level_ is None
    low, high = display.ax_.get_xlim()
    assert low < 1 <= high


def test_roc_of_no_judgments_is_undefined():
    options = {"judged_only": True, "sample_weight": [0, 1, 2]}
    rows = [1, np.nan, np.nan], [3, 2, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        display = plot.RocDisplay.from_predictions(*rows, **options)
    assert display.line_.get_label() == "AUC undefined"


def test_curves_of_one_colour_differ_in_style():
    ax = None
    for i in range(9):
        display = plot.CutoffDisplay(cutoffs=[1, 2], score=[0, i / 9], metric="p")
        ax = display.plot(ax=ax).ax_
    looks = [(line.get_color(), line.get_linestyle()) for line in ax.lines]
    assert len(set(looks)) == 9


def test_axes_of_every_kind_are_drawn_on():
    figure = plt.figure(layout="constrained")
    left, right = figure.subfigures(1, 2)
    for ax in (left.subplots(), right.subplots(), figure.add_axes((0, 0, 0.3, 0.3))):
        rows(["a", LONG], LONG, ax=ax)
    check = plot.CutoffDisplay(cutoffs=[1, 2], score=[0.1, 0.9], metric="p", name=LONG)
    check.plot(plt.subplots(3, 3, layout="tight")[1][1, 1])
    check.plot(plt.figure().add_subplot().twinx())
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()


def test_what_was_drawn_can_be_pickled():
    for display in (rows(["a", "b"]), difference([0.5, -0.5])):
        ax = display.plot().ax_
        again = pickle.loads(pickle.dumps(ax.figure)).axes[0]
        assert again.get_ylim() == ax.get_ylim()
