"""How two judges agree: published examples, other tools, naive formulas."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import cohen_kappa_score

from oracles.intervals import naive_interval
from sklearn_irmetrics.runs import agreement, read_qrels, write_qrels

# K. Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), examples A and
# B: two observers, and alpha of classes.
PUBLISHED = {
    0.095: ([0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]),
    0.692: ("aabbdcccedda", "babbbccceddd"),
}


def as_qrels(grades, n_queries=1):
    rows = [(f"q{i % n_queries}", f"d{i}", g) for i, g in enumerate(grades)]
    return {
        q: {d: g for one, d, g in rows if one == q} for q in {row[0] for row in rows}
    }


def draw(seed, n=40):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, n)
    return first, (first + rng.choice([-1, 0, 0, 1], n)).clip(0, 3)


def naive_alpha(first, second, level):
    """Return alpha from all pairs of values, written out."""
    units = [*zip(first, second, strict=True)]
    values = [*first, *second]
    counts = {one: values.count(one) for one in values}

    def apart(c, k):
        if level == "nominal":
            return float(c != k)
        if level == "interval":
            return (c - k) ** 2
        low, high = min(c, k), max(c, k)
        between = sum(n for one, n in counts.items() if low <= one <= high)
        return (between - (counts[c] + counts[k]) / 2) ** 2

    observed = np.mean([apart(c, k) for c, k in units])
    expected = np.mean([apart(c, k) for c, k in permutations(values, 2)])
    return 1 - observed / expected


@pytest.mark.parametrize("alpha", PUBLISHED)
def test_published_examples(alpha):
    first, second = PUBLISHED[alpha]
    if isinstance(first, str):
        first, second = ([ord(one) for one in all_] for all_ in (first, second))
    found = agreement(as_qrels(first), as_qrels(second), level="nominal")
    assert found.estimate["alpha"] == pytest.approx(alpha, abs=0.0006)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weights", ["linear", "quadratic"])
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_agrees_with_other_tools_and_formulas(seed, weights, level):
    first, second = draw(seed)
    found = agreement(as_qrels(first), as_qrels(second), weights=weights, level=level)
    expected = {
        "equal": np.mean(first == second),
        "kappa": cohen_kappa_score(first, second),
        "weighted_kappa": cohen_kappa_score(first, second, weights=weights),
        "alpha": naive_alpha(first.tolist(), second.tolist(), level),
    }
    assert found.estimate == pytest.approx(expected)
    assert found.table.tolist() == [
        [np.sum((first == a) & (second == b)) for b in found.grades]
        for a in found.grades
    ]


def test_values_of_queries_and_intervals():
    first, second = draw(0, 960)
    found = agreement(as_qrels(first, 48), as_qrels(second, 48))
    query = np.arange(960) % 48
    for qid, kappa in zip(found.query_ids, found.by_query["kappa"], strict=True):
        here = query == int(qid[1:])
        assert kappa == pytest.approx(cohen_kappa_score(first[here], second[here]))
    pseudo = []
    for left_out in range(48):
        kept = query != left_out
        without = cohen_kappa_score(first[kept], second[kept])
        pseudo.append(48 * found.estimate["kappa"] - 47 * without)
    # t of the pseudo-values, centred on the estimate, and one more at each end.
    values = pseudo - np.mean(pseudo) + found.estimate["kappa"]
    expected = naive_interval(values, None, (-1.0, 1.0), 0.95)
    assert_allclose(found.confidence_interval["kappa"], expected)
    for name, ends in found.confidence_interval.items():
        assert ends.low < found.estimate[name] < ends.high


def test_only_documents_that_both_judge_count():
    first = {"q": {"a": 1, "b": 0, "c": 2, "d": -1}, "r": {"a": 1}}
    second = {"q": {"a": 1, "b": 1, "d": 0, "e": 2}, "s": {"a": 1}}
    found = agreement(first, second)
    assert found.table.tolist() == [[0, 1], [0, 1]]
    assert found.query_ids.tolist() == ["q"]
    other = agreement(second, first)
    assert other.table.tolist() == [[0, 0], [1, 1]]


def test_undefined():
    found = agreement({"q": {"a": 1, "b": 1}}, {"q": {"a": 1, "b": 1}})
    assert found.estimate["equal"] == 1
    assert np.isnan(found.estimate["kappa"]) and np.isnan(found.estimate["alpha"])


def test_forms_and_table(tmp_path):
    first, second = draw(1)
    one, other = (as_qrels(g.tolist(), 4) for g in (first, second))
    expected = agreement(one, other)
    for name, qrels in (("a.qrels", one), ("b.qrels", other)):
        write_qrels(qrels, tmp_path / name)
    found = agreement(tmp_path / "a.qrels", read_qrels(tmp_path / "b.qrels"))
    assert found.estimate == expected.estimate
    title, axes, grades, *counts = repr(found).partition("\n\n")[0].splitlines()
    assert title == "40 documents of 4 queries judged by both"
    assert axes == "Rows: grades in the first set, columns: grades in the second"
    assert grades.split() == [f"{grade:g}" for grade in found.grades]
    assert [[int(n) for n in line.split()] for line in counts] == [
        [int(grade), *row]
        for grade, row in zip(found.grades, found.table.tolist(), strict=True)
    ]
    pytest.importorskip("pandas")
    assert found.to_frame()["measure"].tolist() == [*found.estimate]


def test_nothing_in_common():
    with pytest.raises(ValueError, match="must judge a document in common"):
        agreement({"q": {"a": 1}}, {"q": {"z": 1}})
