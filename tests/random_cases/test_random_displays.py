"""Displays of random rankings: they draw the numbers of twins, and can be read."""

import numpy as np
import pytest

from oracles import reference as ref
from oracles.cases import TIES, queries_at_once, scorable_cases
from oracles.pictures import check_picture
from sklearn_irmetrics import plot

plt = pytest.importorskip("matplotlib.pyplot")
pytestmark = [
    # Old matplotlib calls new pyparsing by deprecated names.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:y_true holds fractions"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning"),
]
NAMES = [
    None,
    "A",
    "$x_1$ and 50 % of {}",
    "a ranker that is called by a name of just about sixty characters",
    "<b>\u00e4</b>",
]
NOTHING = "undefined|no query|nothing|must hold|at least"


class Drawing:
    """Rankings with options, and what twins make of them."""

    def __init__(self, rng):
        lengths = rng.integers(1, rng.choice([3, 6]), int(rng.choice([1, 3, 12, 40])))
        drawn = queries_at_once(rng, lengths, n_levels=(2, 9))
        self.drawn = drawn
        self.y_true = np.maximum(drawn.y_true, 0)
        self.ties = str(rng.choice(TIES))
        self.options = {"qid": drawn.qid, "ties": self.ties}
        self.weights = None
        if rng.integers(2):
            self.weights = rng.choice([0.5, 1.0, 4.0], drawn.n_queries)
            self.options["sample_weight"] = self.weights[drawn.qid]
        self.filled = np.nan
        if rng.integers(2):
            self.filled = 0.25
            self.options["replace_undefined_by"] = 0.25
        self.name = NAMES[rng.integers(len(NAMES))]

    def values(self, twin, y_true=None, y_score=None, **params):
        """Return the value of each query, by number."""
        y_true = self.y_true if y_true is None else y_true
        y_score = self.drawn.y_score if y_score is None else y_score
        params = {"ties": self.ties, **params}
        values = ref.per_query(twin, y_true, y_score, self.drawn.qid.tolist(), **params)
        return np.array(values)[np.argsort(self.drawn.in_order)]

    def mean(self, twin, y_true=None, **params):
        """Return the mean over queries."""
        values = self.values(twin, y_true, **params)
        return ref.aggregate(values, self.weights, undefined=self.filled)

    def draw(self, display, /, **options):
        """Return a display of its own figure, None where there is nothing to draw."""
        ax = plt.subplots(layout="constrained")[1]
        options = {**self.options, "name": self.name, "ax": ax, **options}
        y_score = self.drawn.y_score
        try:
            return display.from_predictions(self.y_true, y_score, **options)
        except ValueError as error:
            assert any(word in str(error) for word in NOTHING.split("|")), error
            return None


def cutoffs(drawing, rng):
    name = str(rng.choice(["p", "recall", "ndcg", "rr", "ap"]))
    twin = {
        "p": ref.precision,
        "recall": ref.recall,
        "ndcg": ref.ndcg,
        "rr": ref.reciprocal_rank,
        "ap": ref.average_precision,
    }[name]
    ks = np.sort(rng.choice(9, int(rng.integers(1, 5)), replace=False) + 1)
    display = drawing.draw(plot.CutoffDisplay, metric=name, ks=ks.tolist())
    yield display, lambda: (display.score, [drawing.mean(twin, k=int(k)) for k in ks])
    yield display, lambda: (display.line_.get_data(), [display.cutoffs, display.score])


def gains(drawing, rng):
    kind = str(rng.choice(["cg", "dcg", "ndcg"]))
    twin = {"cg": ref.cumulative_gain, "dcg": ref.dcg, "ndcg": ref.ndcg}[kind]
    gain = str(rng.choice(["linear", "exponential"]))
    display = drawing.draw(plot.GainCurveDisplay, kind=kind, gain=gain)
    yield (
        display,
        lambda: (
            display.gain,
            [drawing.mean(twin, k=int(k), gain=gain) for k in display.cutoffs],
        ),
    )
    yield display, lambda: (display.line_.get_ydata()[-1], display.gain[-1])


def rows(drawing, rng):
    cases = {str(case.measure): case for case in scorable_cases(rng, 6)}
    options = {key: drawing.options[key] for key in ("qid", "sample_weight")
               if key in drawing.options}  # fmt: skip
    ax = plt.subplots(layout="constrained")[1]
    display = plot.EvaluationDisplay.from_predictions(
        drawing.y_true,
        drawing.drawn.y_score,
        metrics=[case.measure for case in cases.values()],
        name=drawing.name,
        ax=ax,
        random_state=0,
        **options,
    )

    def compared():
        found = dict(zip(display.rows, display.estimates, strict=True))
        expected = []
        for case in cases.values():
            values = drawing.values(
                ref.MEASURES[case.name].twin,
                case.grades(drawing.y_true),
                ties="average",
                **case.params,
            )
            expected.append(ref.aggregate(values, drawing.weights))
        return [found[name] for name in cases], expected

    yield display, compared


def levels(drawing, rng):
    rounding = str(rng.choice(["ceil", "trec_eval9", "trec_eval10"]))
    display = drawing.draw(
        plot.InterpolatedPrecisionRecallDisplay,
        recall_rounding=rounding,
        random_state=0,
    )

    def compared():
        expected = [
            drawing.mean(
                ref.interpolated_precision,
                recall_level=i / 10,
                recall_rounding=rounding,
            )
            for i in range(11)
        ]
        return display.precision, expected

    yield display, compared


def differences(drawing, rng):
    drawing.options.pop("sample_weight", None)
    other = rng.integers(0, 4, len(drawing.y_true)) * 1.0
    display = drawing.draw(
        plot.QueryDifferenceDisplay, baseline=other, metric="ndcg@3", baseline_name="B"
    )

    def compared():
        values = [
            np.where(np.isnan(one), drawing.filled, one)
            for one in (
                drawing.values(ref.ndcg, k=3),
                drawing.values(ref.ndcg, y_score=other, k=3),
            )
        ]
        expected = np.subtract(*values)
        return display.differences, expected[display.query_ids]

    yield display, compared


def roc(drawing, rng):
    display = drawing.draw(plot.RocDisplay)
    yield display, lambda: (display.roc_auc, drawing.mean(ref.roc_auc))


def precision_recall(drawing, rng):
    display = drawing.draw(plot.PrecisionRecallDisplay, random_state=0)
    yield (
        display,
        lambda: (display.average_precision, drawing.mean(ref.average_precision)),
    )


KINDS = [cutoffs, gains, rows, levels, differences, roc, precision_recall]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_displays_and_twins(kind, seed, tally):
    rng = np.random.default_rng([seed, *map(ord, kind.__name__)])
    for _ in range(3):
        for display, compared in kind(Drawing(rng), rng):
            if display is None:
                continue
            found, expected = map(np.asarray, compared())
            off = np.nan_to_num(abs(found - expected))
            tally("displays and twins", off.size, off.max(initial=0.0))
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
            check_picture(display.figure_)
        plt.close("all")
