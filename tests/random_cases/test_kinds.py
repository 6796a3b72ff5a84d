"""Every kind of values, by every measure and rule for ties.

The judge is the same ranking as float64, its queries one after the other.
"""

from importlib.util import find_spec

import numpy as np
import pytest

from oracles import reference as ref
from oracles.cases import TIES, Case, sparse
from oracles.fuzzing import REFUSED, answer
from oracles.hostile import LADDERS, ladder

pytestmark = pytest.mark.filterwarnings("ignore")
TYPES = ["list", "object", "bool", "int8", "uint8", "int16", "int32", "int64", "uint64"]
TYPES += ["float16", "float32", "float64", "longdouble", ">f8"]
LENGTHS = [[1, 2, 5], [50, 60], [500, 3, 500], [2000], [2] * 50, [1, 2, 3] * 100]
LENGTHS += [[1] * 1500, [3, 3], [30, 1], [200]]
SCALES = [0.0, 5e-324, 1e-200, 1e-50, 1e-5, 0.1, 100.0, 1e6, 2.0**60, 1e200]


def levels_of(rng, lengths, n_levels=8):
    """Draw whole grades and scores, and the number of each row's query."""
    qid = np.repeat(np.arange(len(lengths)), lengths)
    return rng.integers(0, 4, len(qid)), rng.integers(0, n_levels, len(qid)), qid


def kinds(rng):
    """Yield grades, scores and options, and the same as plain arrays, with qid."""
    yield from kinds_of_arrays(rng)
    for scale in SCALES:
        grades, scores, qid = levels_of(rng, [5, 9, 1])
        scores = (scores - 3) * scale
        yield (grades, scores, {"qid": qid[::-1]}), (grades, scores, qid[::-1])
        if scale > 0:
            yield (grades * scale, scores, {"qid": qid}), (grades * scale, scores, qid)
    for kind in LADDERS:
        grades, ranks, qid = levels_of(rng, [40, 3, 20])
        scores = ladder(rng, 8, [kind])[ranks]
        yield (grades - 1, scores, {"qid": qid}), (grades - 1, ranks, qid)
    grades, ranks, qid = levels_of(rng, [40, 3, 20])
    scores = 1.0 + 50 * ranks * np.finfo(float).eps
    yield (grades, scores, {"qid": qid}), (grades, ranks, qid)
    unjudged = np.full(63, np.nan)
    yield (unjudged, scores, {"qid": qid}), (unjudged, ranks, qid)
    for number, lengths in enumerate(LENGTHS):
        grades, scores, qid = levels_of(rng, lengths, (1, 3, 5000)[number % 3])
        yield (grades, scores, {"qid": qid}), (grades, scores, qid)
    for find in (np.nan, 0.0, -1.0, 0.5):
        grades, scores, qid = levels_of(rng, [4, 20])
        grades = np.where(rng.random(24) < 0.5, find, grades * (find == 0.5))
        scores = np.where(scores == 0, -np.inf, np.where(scores == 7, np.inf, scores))
        places = np.where(scores == np.inf, 9.0, scores)
        places = np.where(places == 1, 0.0, places)
        zeros = np.where(places == 0, rng.choice([0.0, -0.0], 24), scores)
        yield (grades, zeros, {"qid": qid}), (grades, places, qid)
    whole = np.array([2**53 + 1, 0, 2**54, 3]), np.array([2**53, 2**53 + 1, 1, -5])
    yield (*whole, {"qid": [1, 1, 1, 1]}), (whole[0] * 1.0, [2, 3, 1, 0], [0, 0, 0, 0])
    yield from kinds_of_ids(rng)
    yield from kinds_of_weights(rng)


def kinds_of_arrays(rng):
    for dtype in TYPES:
        grades, scores, qid = levels_of(rng, [6, 6, 6])
        if dtype == "bool":
            grades, scores = grades > 1, scores > 3
        pair = [
            array.tolist() if dtype == "list" else array.astype(dtype)
            for array in (grades, scores)
        ]
        yield (*pair, {"qid": qid}), (grades, scores, qid)
        square = [np.reshape(array, (3, 6)) for array in pair]
        if dtype == "list":
            square = [array.tolist() for array in square]
        yield (*square, {}), (grades, scores, qid)
        yield (pair[0][:6], pair[1][:6], {}), (grades[:6], scores[:6], qid[:6])
    grades, scores, qid = levels_of(rng, [6, 6, 6])
    matrices = grades.reshape(3, 6), scores.reshape(3, 6)
    yield (sparse(matrices[0], 0), sparse(matrices[1], -1), {}), (grades, scores, qid)
    labels = rng.integers(0, 6, 3)
    one_each = (labels[:, np.newaxis] == np.arange(6)).ravel()
    yield (labels, matrices[1] * 1.0, {"labels": range(6)}), (one_each, scores, qid)
    if find_spec("torch"):
        import torch

        tensors = [torch.tensor(array) for array in (grades, scores, qid)]
        yield (*tensors[:2], {"qid": tensors[2]}), (grades, scores, qid)


def kinds_of_ids(rng):
    names = np.array(["1", "1 ", "a"])
    objects = np.empty(3, dtype=object)
    objects[:] = ["a", 1, (1, 2)]
    for ids in (
        np.array([5, -7, 2**60]), np.uint64([2**64 - 1, 2**64 - 2, 1]), names,
        np.array([1.5, 1.0, -0.0]), np.array([True, False, True]), names.astype("S"),
        np.array(["2020-01", "2020-02", "1999-12"], "M8[M]"), objects,
    ):  # fmt: skip
        grades, scores, codes = levels_of(rng, [4, 5, 6])
        rows = rng.permutation(15)
        ids = ids[codes[rows]]
        plain = {id_: number for number, id_ in enumerate(dict.fromkeys(ids.tolist()))}
        qid = np.array([plain[id_] for id_ in ids.tolist()])
        pair = grades[rows], scores[rows]
        yield (*pair, {"qid": ids}), (*pair, qid)
        yield (*pair, {"qid": ids.tolist()}), (*pair, qid)
    for ids in ([(1, "a"), (1, "b")], [2**70, 2**70 + 1], ["a\0", "a"], [1.0, 2.5],
                [True, False]):  # fmt: skip
        grades, scores, codes = levels_of(rng, [4, 5])
        yield (
            (grades, scores, {"qid": [ids[i] for i in codes]}),
            (grades, scores, codes),
        )


def kinds_of_weights(rng):
    for weights in ([1, 1, 1], [1, 2, 3], [0, 5, 0.1], [5e-324, 1e-320, 0],
                    [1e308, 1e300, 1], [1e-200, 1e200, 1]):  # fmt: skip
        grades, scores, qid = levels_of(rng, [4, 5, 6])
        by_row = np.array(weights)[qid]
        yield (
            (grades, scores, {"qid": qid, "sample_weight": by_row}),
            (grades, scores, qid),
        )


def by_query(measure, y_true, y_score, **options):
    function = measure.function
    return answer(function, y_true, y_score, **measure.params, **options, average=None)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("name", sorted(set(ref.RANKED) - set(ref.MARKS)))
def test_every_kind_gives_what_plain_numbers_give(name, ties, seed, tally):
    rng = np.random.default_rng([seed, *map(ord, name + ties)])
    settings = ref.SETTINGS[name]
    for number, (given, plain) in enumerate(kinds(rng)):
        measure = Case(name, settings[number % len(settings)])
        *arrays, options = given
        y_true, y_score, qid = plain
        rows = np.argsort(qid, kind="stable")
        floats = [np.asarray(one, dtype=np.float64)[rows] for one in (y_true, y_score)]
        expected = by_query(measure, *floats, qid=np.asarray(qid)[rows], ties=ties)
        values = by_query(measure, *arrays, **options, ties=ties)
        assert (values is REFUSED) == (expected is REFUSED)
        if expected is REFUSED:
            continue
        appeared = np.argsort(list(dict.fromkeys(np.asarray(qid).tolist())))
        values = np.asarray(values)[appeared]
        off = np.abs(values - expected) / np.fmax(1.0, np.abs(expected))
        off[np.isnan(values) & np.isnan(expected)] = 0.0
        tally("plain numbers", off.size, off.max())
        assert off.max() <= 1e-12, (number, measure)
