"""Which class is relevant, by name: words, numbers and booleans beside 0 and 1."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array

import sklearn_irmetrics as irm
from oracles.cases import marks_of_all, spelled
from oracles.measures import METRICS
from sklearn_irmetrics import Measure, score_queries
from sklearn_irmetrics.reports import RankingEvaluator

pytestmark = pytest.mark.filterwarnings("ignore:.* undefined in")

RNG = np.random.default_rng(0)
QID = np.repeat(np.arange(12), 6)
SCORES = RNG.integers(0, 5, 72) / 8
KNOWN = RNG.integers(0, 2, 72) > 0


BINARY = [
    name
    for name, row in METRICS.items()
    if row.kind == "ranking" and "pos_label" in row.all_parameters
]
TRUE = RNG.integers(0, 2, 72)
TRUE[QID == 3] = 0
WORDS = np.where(TRUE, "good", "poor")
FORMS = [
    ("good", WORDS),
    ("good", WORDS.tolist()),
    ("good", WORDS.astype(object)),
    (b"good", WORDS.astype("S")),
    (2, TRUE + 1),
    (0, 1 - TRUE),
    (True, TRUE.astype(bool)),
    (0.5, TRUE / 2),
]
CURVES = [
    (irm.roc_curve, {}),
    (irm.roc_curve, {"qid": QID}),
    (irm.roc_curve, {"qid": QID, "grid": [0, 0.5, 1]}),
    (irm.precision_recall_curve, {}),
    (irm.precision_recall_curve, {"qid": QID}),
    (irm.precision_recall_curve, {"qid": QID, "interpolation": "window"}),
    (irm.metrics.interpolated_precision_recall_curve, {"qid": QID}),
    (irm.metrics.precision_recall_at_ranks, {"qid": QID}),
    (irm.average_precision_score, {"sample_weight": np.arange(72)}),
    (irm.roc_auc_score, {"sample_weight": np.arange(72)}),
]


def test_every_measure_of_relevance_alone_takes_a_label():
    with_threshold = {
        name
        for name, row in METRICS.items()
        if row.kind == "ranking" and "relevance_threshold" in row.all_parameters
    }
    graded = {name for name in with_threshold if "gain" in METRICS[name].all_parameters}
    of_subtopics = {name for name in with_threshold if METRICS[name].subtopics}
    assert set(BINARY) == with_threshold - graded - of_subtopics


@pytest.mark.parametrize("ties", ["average", "optimistic", "pessimistic", "stable"])
@pytest.mark.parametrize("name", BINARY)
def test_labels_are_zeros_and_ones(name, ties):
    if ties in ("optimistic", "pessimistic") and not METRICS[name].extremes:
        return
    measure = Measure(spelled(name))
    marks = marks_of_all([name], KNOWN)
    rule = {"ties": ties} if METRICS[name].ranks else {}
    options = {"qid": QID, "average": None, **rule, **marks}
    expected = measure(TRUE, SCORES, **options)
    for label, y_true in FORMS:
        found = measure(y_true, SCORES, pos_label=label, **options)
        np.testing.assert_array_equal(found, expected)
        named = Measure(measure, pos_label=label)
        assert named == pickle.loads(pickle.dumps(named)) == Measure(str(named))
        shared = {"qid": QID, "ties": ties, "marks": marks}
        result = score_queries(y_true, SCORES, {"m": named}, **shared)
        np.testing.assert_array_equal(result.scores["m"], expected)
        evaluator = RankingEvaluator(y_true, {"m": named}, **shared)
        assert evaluator(SCORES) == result.mean


@pytest.mark.parametrize(("function", "options"), CURVES)
def test_curves_and_weights_of_labels(function, options):
    expected = function(TRUE, SCORES, **options)
    for label, y_true in FORMS:
        found = function(y_true, SCORES, pos_label=label, **options)
        pairs = [(found, expected)]
        if hasattr(found, "to_frame"):
            pairs = [(vars(found)[name], vars(expected)[name]) for name in vars(found)]
        for ours, theirs in pairs:
            np.testing.assert_array_equal(ours, theirs)


def test_labels_wherever_measures_are():
    options = {"qid": QID, "random_state": 0}
    for name in ("ap", "11pt"):
        levels = [
            irm.metrics.chance_level(name, y_true, **options, **more)
            for y_true, more in ((TRUE, {}), (WORDS, {"pos_label": "good"}))
        ]
        assert levels[0] == levels[1]
    curves = [
        irm.reports.metric_at_cutoffs(metric, y_true, SCORES, [1, 3], qid=QID)
        for metric, y_true in (("p", TRUE), ("p(pos_label='good')", WORDS))
    ]
    np.testing.assert_array_equal(*curves)
    reports = [
        irm.ranking_report(y, SCORES, metrics={"ap": m}, qid=QID)
        for m, y in (("ap", TRUE), ("ap(pos_label='good')", WORDS))
    ]
    np.testing.assert_equal(*(report.to_dict() for report in reports))
    both = score_queries(WORDS, SCORES, ["p(pos_label='good')", "p(pos_label='poor')"])
    assert sum(both.mean.values()) == pytest.approx(1.0)
    beside = score_queries(TRUE, SCORES, ["ap(pos_label=1)", "ndcg", "ap"], qid=QID)
    assert beside.mean["ap(pos_label=1)"] == beside.mean["ap"]


def test_labels_of_matrices_and_missing_labels():
    matrix, scores = WORDS.reshape(12, 6), SCORES.reshape(12, 6)
    expected = irm.average_precision_score(TRUE.reshape(12, 6), scores)
    assert irm.average_precision_score(matrix, scores, pos_label="good") == expected
    for missing in (None, np.nan):
        y_true = ["good", missing, "poor", "good"]
        for metric in (irm.metrics.bpref_score, irm.average_precision_score):
            for judged_only in (True, False):
                options = {"judged_only": judged_only}
                found = metric(y_true, [4, 3, 2, 1], pos_label="good", **options)
                assert found == metric([1, np.nan, 0, 1], [4, 3, 2, 1], **options)


def test_labels_as_tensors():
    torch = pytest.importorskip("torch")
    y_true, y_score = torch.tensor(TRUE + 1), torch.tensor(SCORES)
    found = irm.average_precision_score(y_true, y_score, pos_label=2)
    assert found == pytest.approx(irm.average_precision_score(TRUE, SCORES))


def test_a_batch_of_the_other_class_is_undefined():
    for y_true, label in (
        (["poor"] * 3, "good"),
        ([None] * 3, "good"),
        ([0, 0, 0], 1),
        ([0, 0, np.nan], 1),
    ):
        assert np.isnan(irm.roc_auc_score(y_true, [1, 2, 3], pos_label=label))


@pytest.mark.parametrize(
    ("y_true", "options", "message"),
    [
        (WORDS, {}, r"labels \['good', 'poor'\]. Pass the relevant one as"),
        (WORDS, {"pos_label": "bad"}, r"got 'bad' for the classes \['good', 'poor'\]"),
        (WORDS, {"pos_label": 1}, r"got 1 for the classes \['good', 'poor'\]"),
        (WORDS, {"pos_label": ["good"]}, r"got \['good'\] for the classes"),
        (["poor"] * 72, {"pos_label": 1}, r"got 1 for the classes \['poor'\]"),
        (TRUE, {"pos_label": "good"}, r"got 'good' for the classes \[0, 1\]"),
        (TRUE, {"pos_label": 3}, r"got 3 for the classes \[0, 1\]"),
        ([1, *WORDS[1:]], {"pos_label": "good"}, "y_true must hold labels of one kind"),
        (
            WORDS,
            {"pos_label": "good", "relevance_threshold": 1},
            "relevance_threshold .* require grades in y_true; got pos_label='good'",
        ),
    ],
)
def test_labels_that_are_not_meant(y_true, options, message):
    for ask in (
        lambda: irm.average_precision_score(y_true, SCORES, **options),
        lambda: irm.roc_curve(y_true, SCORES, **options),
        lambda: irm.metrics.precision_recall_at_ranks(y_true, SCORES, **options),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            ask()


def test_where_labels_have_no_meaning():
    named = "ap(pos_label='good')"
    names = r"labels \['good', 'poor'\]. Pass the relevant one as pos_label.*numbers"
    for ask in (
        lambda: irm.ndcg_score(WORDS, SCORES),
        lambda: irm.metrics.gain_curve(WORDS, SCORES),
        lambda: score_queries(WORDS, SCORES, [named, "ndcg"]),
        lambda: RankingEvaluator(WORDS, [named, "map"]),
    ):
        with pytest.raises(TypeError, match=names):
            ask()
    with pytest.raises(ValueError, match="max_grade require grades in y_true"):
        irm.metrics.rank_biased_precision_score(TRUE, SCORES, pos_label=1, max_grade=1)
    for y_true, y_score, label, message in (
        (["a", "b", "c"], np.eye(3), "a", "same shape; .*one-vs-rest"),
        (csr_array([[0, 1]]), [[1, 2]], 1, "pos_label requires dense input, with a"),
    ):
        with pytest.raises(ValueError, match=message):
            irm.metrics.success_at_k_score(y_true, y_score, pos_label=label)
    frame = pytest.importorskip("pandas").DataFrame({"q": QID, "y": TRUE, "s": SCORES})
    with pytest.raises(ValueError, match="a column of zeros and ones for 'ap"):
        irm.frames.score_frame(
            frame, "ap(pos_label=1)", qid="q", y_true="y", y_score="s"
        )
