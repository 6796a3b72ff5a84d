"""Arguments of one measure that equal its defaults, beside arguments of all."""

import pickle

import numpy as np
import pytest

from oracles.cases import marks_of_all, spelled
from oracles.measures import METRICS
from sklearn_irmetrics import Measure, score_queries
from sklearn_irmetrics.reports import RankingEvaluator

pytestmark = pytest.mark.filterwarnings("ignore:.* undefined in")

RNG = np.random.default_rng(0)
QID = np.repeat(np.arange(12), 6)
GRADES = np.where(RNG.random(72) < 0.3, np.nan, RNG.integers(0, 4, 72))
GRADES[QID == 3] = 0.0  # nothing to find
SCORES = RNG.integers(0, 5, 72) / 8
SCORES[5] = -np.inf  # which says that all others were retrieved
KNOWN = RNG.integers(0, 2, 72) > 0
GENERAL = {"relevance_threshold": 2, "judged_only": True, "replace_undefined_by": 1.25}


def data_of(name):
    """Return judgments, and the marks that a measure needs."""
    grades = GRADES
    if METRICS[name].subtopics:
        grades = np.stack([GRADES, RNG.permutation(GRADES)], axis=1)
    return grades, marks_of_all([name], KNOWN)


def with_general():
    """Yield each measure with each argument of all measures and its own default."""
    for name, row in METRICS.items():
        for general in GENERAL:
            if general in row.all_parameters and row.kind != "labels":
                yield name, general, row.all_parameters[general].default


@pytest.mark.parametrize(("name", "general", "default"), list(with_general()))
class TestAnExplicitDefault:
    def test_is_part_of_the_measure(self, name, general, default):
        silent, explicit = Measure(spelled(name)), spelled(name)
        explicit = Measure(explicit, **{general: default})
        assert explicit != silent
        assert hash(explicit) != hash(silent)
        assert str(explicit) != str(silent)
        assert general in repr(explicit)
        assert f"{explicit}" == str(explicit) == explicit.label
        for again in (
            Measure(str(explicit)),
            Measure(explicit),
            Measure(silent, **{general: default}),
            pickle.loads(pickle.dumps(explicit)),
        ):
            assert (again, hash(again)) == (explicit, hash(explicit))
            np.testing.assert_equal(again.arguments, explicit.arguments)

    def test_goes_before_the_argument_for_all(self, name, general, default):
        silent = Measure(spelled(name))
        explicit = Measure(silent, **{general: default})
        other = Measure(silent, **{general: GENERAL[general]})
        grades, marks = data_of(name)
        options = {"qid": QID, "marks": marks}
        alone = [
            score_queries(grades, SCORES, [m], **options) for m in (explicit, other)
        ]
        options[general] = GENERAL[general]
        for measures in ([silent, explicit], [explicit, silent]):
            found = score_queries(grades, SCORES, measures, **options)
            assert [*found.mean] == [m.label for m in measures]
            for measure, expected in zip((explicit, silent), alone, strict=True):
                assert found.mean[measure.label] == pytest.approx(
                    *expected.mean.values(), nan_ok=True
                )
            evaluator = RankingEvaluator(grades, measures, **options)
            assert evaluator(SCORES) == pytest.approx(found.mean, nan_ok=True)
