"""Propensity-scored measures: the numbers of napkinXC."""

import numpy as np
import pytest

from sklearn_irmetrics import Measure
from sklearn_irmetrics.metrics import experimental

LABELS = np.array(
    [
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 1, 1],
        [1, 0, 0, 0, 0, 0, 0, 0],
        [1, 0, 1, 0, 0, 0, 1, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 1, 0, 0, 1, 1],
    ]
)
LABEL_SCORES = [
    [40, 24, 19, 46, 8, 37, 44, 1],
    [28, 7, 31, 10, 27, 32, 30, 33],
    [2, 39, 18, 26, 22, 25, 0, 38],
    [9, 5, 17, 16, 29, 21, 13, 34],
    [23, 43, 15, 47, 36, 45, 3, 41],
    [6, 4, 11, 20, 42, 12, 35, 14],
]
INVERSE = [2.7427651156943007, 2.371696177249267, 2.371696177249267, 2.290298981748819]
INVERSE += [2.0635422929368223, 1.803041431468464, 1.8687989776745877]
INVERSE += [1.7191266042109095]
# By measure, at 1 to 5; napkinXC divides DCG by k.
NAPKINXC = {
    "psp": [0.17824705838309476, 0.22993258845470724, 0.3062823468806157]
    + [0.6168058594052951] * 2,
    "psndcg": [0.17824705838309476, 0.19148759705753143, 0.2379668694820511]
    + [0.38445296648836536] * 2,
    "psdcg": [0.28652110070181824, 0.2415172902224774, 0.22463094297467437]
    + [0.2754177650078166, 0.22033421200625328],
}


@pytest.mark.parametrize("name", NAPKINXC)
def test_propensity_scores_of_napkinxc(name):
    weights = np.broadcast_to(INVERSE, LABELS.shape)
    average = "macro" if name == "psdcg" else "micro"
    for k, expected in enumerate(NAPKINXC[name], start=1):
        measure = Measure(name, k=k, average=average)
        found = measure(LABELS, LABEL_SCORES, inverse_propensity=weights)
        assert found / (k if name == "psdcg" else 1) == pytest.approx(
            expected, abs=1e-12
        )


def test_inverse_propensities_of_napkinxc():
    found = experimental.inverse_propensities([1, 3, 10, 25], 30)
    expected = [3.401197381662155, 2.7379128057309217, 2.037315945070935]
    np.testing.assert_allclose(found, [*expected, 1.6554048264283183], rtol=1e-12)
    found = experimental.inverse_propensities([1, 3, 10, 25], 30, a=0.5, b=0.4)
    expected = [3.4011973816621555, 2.5408218215864418, 1.8809985818104835]
    np.testing.assert_allclose(found, [*expected, 1.5637350278048023], rtol=1e-12)
