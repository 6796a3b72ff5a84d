"""Displays of random rankings: they draw the numbers of references, and can be read."""

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
    """Rankings with options, and what references make of them."""

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

    def values(self, reference, y_true=None, y_score=None, **params):
        """Return the value of each query, by number."""
        y_true = self.y_true if y_true is None else y_true
        y_score = self.drawn.y_score if y_score is None else y_score
        params = {"ties": self.ties, **params}
        values = ref.per_query(
            reference, y_true, y_score, self.drawn.qid.tolist(), **params
        )
        return np.array(values)[np.argsort(self.drawn.in_order)]

    def mean(self, reference, y_true=None, **params):
        """Return the mean over queries."""
        values = self.values(reference, y_true, **params)
        return ref.aggregate(values, self.weights, undefined=self.filled)

    def draw(self, display, /, **options):
        """Return a display of its own figure."""
        ax = plt.subplots(layout="constrained")[1]
        options = {**self.options, "name": self.name, "ax": ax, **options}
        y_score = self.drawn.y_score
        try:
            return display.from_predictions(self.y_true, y_score, **options)
        except ValueError as error:
            assert any(word in str(error) for word in NOTHING.split("|")), error
            raise NothingToDraw from error


class NothingToDraw(Exception):
    pass


# Each draws a display, and returns its numbers beside those of references.


def cutoffs(drawing, rng):
    references = {
        "p": ref.precision,
        "recall": ref.recall,
        "ndcg": ref.ndcg,
        "rr": ref.reciprocal_rank,
        "ap": ref.average_precision,
    }
    name = str(rng.choice([*references]))
    ks = np.sort(rng.choice(9, int(rng.integers(1, 5)), replace=False) + 1)
    display = drawing.draw(plot.CutoffDisplay, metric=name, ks=ks.tolist())
    found = [display.score, *display.line_.get_data()]
    score = [drawing.mean(references[name], k=int(k)) for k in ks]
    return display, found, [score, ks, score]


def gains(drawing, rng):
    references = {"cg": ref.cumulative_gain, "dcg": ref.dcg, "ndcg": ref.ndcg}
    kind = str(rng.choice([*references]))
    gain = str(rng.choice(["linear", "exponential"]))
    display = drawing.draw(plot.GainCurveDisplay, kind=kind, gain=gain)
    means = [
        drawing.mean(references[kind], k=int(k), gain=gain) for k in display.cutoffs
    ]
    return display, [display.gain, display.line_.get_ydata()], [means, means]


def rows(drawing, rng):
    cases = {str(case.measure): case for case in scorable_cases(rng, 6)}
    shared = ("qid", "sample_weight")
    display = plot.EvaluationDisplay.from_predictions(
        drawing.y_true,
        drawing.drawn.y_score,
        metrics=[case.measure for case in cases.values()],
        name=drawing.name,
        ax=plt.subplots(layout="constrained")[1],
        random_state=0,
        **{key: drawing.options[key] for key in shared if key in drawing.options},
    )
    found = dict(zip(display.rows, display.estimates, strict=True))
    expected = []
    for case in cases.values():
        reference, grades = (
            ref.MEASURES[case.name].reference,
            case.grades(drawing.y_true),
        )
        values = drawing.values(reference, grades, ties="average", **case.params)
        expected.append(ref.aggregate(values, drawing.weights))
    return display, [found[name] for name in cases], expected


def levels(drawing, rng):
    rounding = str(rng.choice(["ceil", "trec_eval9", "trec_eval10"]))
    options = {"recall_rounding": rounding, "random_state": 0}
    display = drawing.draw(plot.InterpolatedPrecisionRecallDisplay, **options)
    reference, how = ref.interpolated_precision, {"recall_rounding": rounding}
    expected = [drawing.mean(reference, recall_level=i / 10, **how) for i in range(11)]
    return display, display.precision, expected


def differences(drawing, rng):
    drawing.options.pop("sample_weight", None)
    other = rng.integers(0, 4, len(drawing.y_true)) * 1.0
    options = {"baseline": other, "metric": "ndcg@3", "baseline_name": "B"}
    display = drawing.draw(plot.QueryDifferenceDisplay, **options)
    first, second = (
        np.where(np.isnan(values), drawing.filled, values)
        for values in (
            drawing.values(ref.ndcg, k=3),
            drawing.values(ref.ndcg, y_score=other, k=3),
        )
    )
    return display, display.differences, (first - second)[display.query_ids]


def roc(drawing, rng):
    display = drawing.draw(plot.RocDisplay)
    return display, display.roc_auc, drawing.mean(ref.roc_auc)


def precision_recall(drawing, rng):
    display = drawing.draw(plot.PrecisionRecallDisplay, random_state=0)
    expected = drawing.mean(ref.average_precision)
    return display, display.average_precision, expected


KINDS = [cutoffs, gains, rows, levels, differences, roc, precision_recall]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_displays_and_references(kind, seed, tally):
    rng = np.random.default_rng([seed, *map(ord, kind.__name__)])
    for _ in range(3):
        try:
            display, *compared = kind(Drawing(rng), rng)
        except NothingToDraw:
            continue
        found, expected = map(np.asarray, compared)
        off = np.nan_to_num(abs(found - expected))
        tally("displays and references", off.size, off.max(initial=0.0))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
        check_picture(display.figure_)
        plt.close("all")
