"""Both twins of the array functions do the same, by one harness."""

import math
import random
import types

import numpy as np
import pytest

from oracles.hostile import LADDERS, ladder
from sklearn_irmetrics._core import arrays
from sklearn_irmetrics._core.namespace import namespace, to_numpy


def devices():
    """Return NumPy, the processor as torch sees it, and every GPU there is."""
    try:
        import torch
    except ImportError:
        skip = pytest.mark.skip(reason="torch is not installed")
        return ["numpy", pytest.param("cpu", marks=skip)]
    return ["numpy", "cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]


@pytest.fixture(params=devices())
def make(request):
    """Make an array of one kind from nested lists."""
    if request.param == "numpy":
        return np.array
    torch = pytest.importorskip("torch")
    return lambda values, **kwargs: torch.tensor(
        np.array(values, **kwargs), device=request.param
    )


def random_block(seed, height=7, width=12, levels=4):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, levels, (height, width)).astype(np.float64)
    scores[rng.random((height, width)) < 0.2] = -np.inf
    scores[0], scores[1, :] = -np.inf, 2.0
    return scores


def public_names(module):
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }


def test_same_names():
    torch_arrays = pytest.importorskip("sklearn_irmetrics._core.torch.arrays")
    only_torch = public_names(torch_arrays) - public_names(arrays)
    only_numpy = public_names(arrays) - public_names(torch_arrays)
    assert only_torch == {"check_tensor"}
    assert not only_numpy


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("depth", [1, 3, 11, 12])
@pytest.mark.parametrize("levels", [4, 10**6])
def test_order_by_score(make, depth, dtype, levels):
    check_order(make(random_block(depth, levels=levels), dtype=dtype), depth)


# Selection instead of sorting begins at 512 columns, for a quarter of them at most.
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("depth", [1, 2, 127, 128, 129, 300, 511])
@pytest.mark.parametrize("levels", [2, 40, 10**6])
@pytest.mark.parametrize("width", [511, 512, 613])
def test_order_of_wide_rows(make, width, depth, levels, dtype):
    scores = random_block(depth, height=3, width=width, levels=levels)
    check_order(make(scores, dtype=dtype), depth)


@pytest.mark.parametrize("kind", LADDERS)
@pytest.mark.parametrize("width", [1, 2, 12, 511, 512, 613])
def test_order_of_close_scores(make, width, kind):
    rng = np.random.default_rng(width)
    for n_levels in {1, 2, 3, 20, width}:
        for depth in {1, min(2, width), 1 + width // 5, width}:
            levels = rng.integers(0, n_levels, (1, width))
            check_order(make(ladder(rng, n_levels, [kind])[levels]), depth)


@pytest.mark.parametrize("depth", [2, 3, 6, 12])
def test_near_scores_above_many_ties(make, depth):
    scores = np.zeros((1, 12))
    scores[0, ::2] = [0.6, np.nextafter(1.0, 2.0), 0.7, 1.0, 0.8, 0.9]
    check_order(make(scores), depth)


def check_order(block, depth):
    order = namespace(block).order_by_score(block, depth)
    columns, equal, retrieved, cut = map(to_numpy, order)
    assert columns.shape == retrieved.shape == (len(block), depth)
    assert equal.shape == (len(block), depth - 1)
    for i, row in enumerate(block.tolist()):
        best = sorted(row, reverse=True)
        ranked = [row[column] for column in columns[i]]
        assert ranked == best[:depth]
        assert len(set(columns[i].tolist())) == depth
        assert retrieved[i].tolist() == [score > -math.inf for score in ranked]
        assert equal[i].tolist() == [
            a == b > -math.inf for a, b in zip(ranked, ranked[1:], strict=False)
        ]
        goes_on = depth < len(row) and best[depth - 1] == best[depth] > -math.inf
        assert (i in cut.tolist()) == goes_on


def test_negative_zero_ties_with_zero(make):
    block = make([[-0.0, 1.0, 0.0, -0.0]])
    xp = namespace(block)
    assert to_numpy(xp.stable_order(block).columns).tolist() == [[1, 0, 2, 3]]
    for order in (xp.stable_order(block), xp.order_by_score(block, 4)):
        assert to_numpy(order.equal).tolist() == [[False, True, True]]


def test_stable_order(make):
    scores = random_block(0)
    block = make(scores)
    order = namespace(block).stable_order(block)
    for i, row in enumerate(scores.tolist()):
        expected = sorted(range(len(row)), key=lambda j: -row[j])
        assert to_numpy(order.columns)[i].tolist() == expected


def test_gather_and_scatter(make):
    values = random_block(1)
    order = np.argsort(np.random.default_rng(0).random(values.shape), axis=1)
    block, columns = make(values), make(order)
    xp = namespace(block)
    gathered = xp.gather(block, columns)
    np.testing.assert_array_equal(
        to_numpy(gathered), np.take_along_axis(values, order, axis=1)
    )
    np.testing.assert_array_equal(to_numpy(xp.scatter(gathered, columns)), values)


@pytest.mark.parametrize("depth", [1, 4, 12, 40])
def test_top_positive(make, depth):
    values = random_block(2)
    values[2, ::2] = np.nan
    block = make(values)
    top = to_numpy(namespace(block).top_positive(block, depth))
    positive = np.fmax(values, 0.0)
    np.testing.assert_array_equal(top, -np.sort(-positive, axis=1)[:, :depth])


@pytest.mark.parametrize("depth", [1, 2, 127, 128, 129, 300, 600])
@pytest.mark.parametrize("levels", [2, 40, 10**6])
@pytest.mark.parametrize("width", [511, 512, 613])
def test_top_positive_of_wide_rows(make, width, depth, levels):
    values = random_block(depth, height=3, width=width, levels=levels) - 1.0
    values[values == 0] = np.nan
    block = make(values)
    found = to_numpy(namespace(block).top_positive(block, depth))
    expected = -np.sort(-np.fmax(values, 0.0), axis=1)[:, :depth]
    np.testing.assert_array_equal(found, expected)


def test_sort_within(make):
    rng = np.random.default_rng(3)
    groups = np.sort(rng.integers(0, 4, (5, 20)), axis=1)
    keys = rng.integers(0, 3, (5, 20)).astype(np.float64)
    order = namespace(make(keys)).sort_within(make(groups), make(keys))
    for i in range(5):
        expected = sorted(range(20), key=lambda j: (groups[i, j], keys[i, j]))
        assert to_numpy(order)[i].tolist() == expected


@pytest.mark.parametrize("values", [[[1, 0, 1, 1]], [[0.1, 0.2, 0.7, 1e9]]])
def test_sums_along_rows(make, values):
    dtype = bool if values[0][1] == 0 else np.float64
    block = make(values, dtype=dtype)
    xp = namespace(block)
    expected = np.cumsum(np.array(values, dtype=np.float64), axis=1)
    for sums, right in (
        (xp.running_sum(block), expected),
        (xp.sum_before(block), expected - values),
        (xp.row_sum(block), expected[:, -1]),
    ):
        assert sums.dtype == xp.float64
        np.testing.assert_allclose(to_numpy(sums), right, rtol=1e-15)


def test_sums_of_runs(make):
    values = np.arange(10.0)
    for shape in ((10,), (10, 1)):
        array = make(values.reshape(shape))
        sums = namespace(array).sum_runs(array, make([0, 1, 4]))
        assert to_numpy(sums).ravel().tolist() == [0.0, 6.0, 39.0]
    mask = make([True, False, True, True])
    assert to_numpy(namespace(mask).sum_runs(mask, make([0, 3]))).tolist() == [2.0, 1.0]


def test_add_up(make):
    values = make([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    sums = namespace(values).add_up(make([[0, 0, 2], [1, 3, 1]]), values, 4)
    assert to_numpy(sums).tolist() == [[3.0, 0.0, 3.0, 0.0], [0.0, 10.0, 0.0, 5.0]]


def test_along_rows(make):
    block = make([[0.0, 3.0, 1.0, 2.0], [0.0, 0.0, 0.0, 0.0]])
    xp = namespace(block)
    assert to_numpy(xp.largest_from(block)).tolist() == [[3, 3, 2, 2], [0] * 4]
    assert to_numpy(xp.first_true(block)).tolist() == [1, 0]
    assert to_numpy(xp.first_true(block > 1.5)).tolist() == [1, 0]
    kept = xp.keep_where(block > 1.5, block)
    assert to_numpy(kept).tolist() == [[0, 3, 0, 2], [0] * 4]
    assert xp.keep_where(block > 1.5, block > 2.5).dtype == xp.bool


def test_side_by_side(make):
    values = make([[5.0, 3.0, 1.0], [4.0, 2.0, 7.0], [6.0, 8.0, 9.0]])
    xp = namespace(values)
    packed = xp.side_by_side(make([[1, 0, 1], [0] * 3, [0, 1, 0]], dtype=bool), values)
    assert to_numpy(packed).tolist() == [[5.0, 1.0], [0.0, 0.0], [8.0, 0.0]]
    nothing = xp.side_by_side(make([[0] * 3] * 3, dtype=bool), values)
    assert to_numpy(nothing).tolist() == [[0.0]] * 3


def test_divide(make):
    numerator, denominator = make([1.0, 0.0, 3.0]), make([0.0, 0.0, 4.0])
    xp = namespace(numerator)
    np.testing.assert_array_equal(
        to_numpy(xp.divide(numerator, denominator)), [np.nan, np.nan, 0.75]
    )
    np.testing.assert_array_equal(
        to_numpy(xp.divide_or_zero(numerator, denominator)), [0.0, 0.0, 0.75]
    )
    shares = xp.divide_or_zero(1.0, make([0, 3]))
    assert to_numpy(shares).tolist() == [0.0, 1 / 3]


@pytest.mark.parametrize(
    "values, expected",
    [
        ([math.nan, -2.0, 5.0], (-2.0, 5.0)),
        ([math.nan], (0.0, 0.0)),
        ([3, 1], (1.0, 3.0)),
    ],
)
def test_value_range(make, values, expected):
    array = make(values)
    assert namespace(array).value_range(array) == expected


def test_kind(make):
    for values, kind in (([True], "b"), ([1], "i"), ([1.0], "f"), ([1j], "c")):
        array = make(values)
        assert namespace(array).kind(array) == kind
    array = make([1], dtype=np.uint8)
    assert namespace(array).kind(array) == "u"


def test_numbers_are_float64(make):
    like = make([1.0])
    mask, counts = make([True, False]), make([1, 2])
    xp = namespace(like)
    for array in (
        xp.arange(3.0, like=like),
        xp.zeros(2, like=like),
        xp.ones(2, like=like),
        xp.empty(2, like=like),
        xp.where(mask, 0.1, 0.2),
        xp.where(mask, counts, 0.1),
        xp.divide(counts, counts),
        xp.average(like),
    ):
        assert array.dtype == xp.float64
    assert to_numpy(xp.where(mask, 0.1, 0.2)).tolist() == [0.1, 0.2]
    assert to_numpy(xp.where(mask, counts, 0.1)).tolist() == [1.0, 0.1]
    assert to_numpy(xp.arange(3, like=like)).tolist() == [0, 1, 2]
    assert xp.arange(3, like=like).dtype == xp.int64


def test_shared_functions(make):
    values, other = make([[3.0, math.nan, -1.0]]), make([[2.0, 2.0, 2.0]])
    xp = namespace(values)
    for result, expected in (
        (xp.minimum(values, 1), [[1.0, math.nan, -1.0]]),
        (xp.maximum(values, other), [[3.0, math.nan, 2.0]]),
        (xp.fmax(values, 0.0), [[3.0, 0.0, 0.0]]),
        (xp.clip(other, 0.0, make([[1.0, 5.0, -1.0]])), [[1.0, 2.0, -1.0]]),
        (xp.sort(values, axis=1), [[-1.0, 3.0, math.nan]]),
        (xp.round(other / 3.0, 3), [[0.667] * 3]),
        (xp.nonzero(other > values), [[0], [2]]),
        (xp.flatnonzero(other > values), [2]),
        (xp.searchsorted(make([1, 3, 3]), make([3, 0]), side="right"), [3, 0]),
        (xp.repeat(make([7, 8]), make([2, 1])), [7, 7, 8]),
        (xp.asarray([1, 2], dtype=xp.float64, like=values), [1.0, 2.0]),
        (xp.average(make([1.0, 5.0]), weights=make([3.0, 1.0])), 2.0),
    ):
        if isinstance(result, tuple):
            result = np.stack([to_numpy(part) for part in result])
        np.testing.assert_array_equal(to_numpy(result), expected)


def tie_groups(make, seed, depth):
    """Tie groups of a random block, and the same as lists of documents per row."""
    scores = random_block(seed)
    block = make(scores)
    xp = namespace(block)
    order = xp.order_by_score(block, depth)
    starts = xp.ones_like(order.retrieved)
    starts[:, 1:] = ~order.equal
    groups = xp.TieGroups(starts)
    if len(order.cut):
        last = xp.gather(block[order.cut], order.columns[order.cut, -1:])
        groups.close_cut_groups(order.cut, block[order.cut] == last)
    by_rank = []
    for i, columns in enumerate(to_numpy(order.columns)):
        members = []
        for rank, column in enumerate(columns):
            if rank and scores[i, column] == scores[i, columns[rank - 1]] > -np.inf:
                members.append(members[-1])
            elif scores[i, column] > -np.inf:
                members.append(np.flatnonzero(scores[i] == scores[i, column]).tolist())
            else:
                members.append([int(column)])
        by_rank.append(members)
    return xp, order, groups, by_rank


@pytest.mark.parametrize("depth", [1, 5, 12])
@pytest.mark.parametrize("seed", range(3))
def test_tie_groups(make, seed, depth):
    xp, order, groups, by_rank = tie_groups(make, seed, depth)
    values = np.random.default_rng(seed).integers(0, 3, (7, 12)).astype(np.float64)
    by_document = make(values)
    ranked = xp.gather(by_document, order.columns)
    totals = groups.totals(ranked, lambda rows: by_document[rows])

    def per_rank(function):
        return [[function(i, g) for g in row] for i, row in enumerate(by_rank)]

    sizes = groups.spread(groups.sizes())
    assert to_numpy(sizes).tolist() == per_rank(lambda i, g: len(g))
    assert to_numpy(groups.spread(totals)).tolist() == per_rank(
        lambda i, g: values[i, g].sum()
    )
    assert groups.is_cut == (len(order.cut) > 0)
    for column in range(depth):
        ends = [
            max(r for r in range(depth) if row[r] == row[column]) for row in by_rank
        ]
        assert groups.end_at(column) == max(ends) + 1
    places = [
        [sum(g == other for other in row[: rank + 1]) for rank, g in enumerate(row)]
        for row in by_rank
    ]
    assert to_numpy(groups.place()).tolist() == places
    before = to_numpy(groups.spread(groups.totals_before(totals)))
    for i, row in enumerate(by_rank):
        for rank, group in enumerate(row):
            start = rank + 1 - places[i][rank]
            above = to_numpy(order.columns)[i, :start]
            assert before[i, rank] == values[i, above].sum()
            assert len(group) >= places[i][rank]
    first, rise = totals, totals * 0.5
    expected = to_numpy(groups.spread(first)) + to_numpy(groups.spread(rise)) * (
        np.array(places) - 1.0
    )
    np.testing.assert_allclose(to_numpy(groups.along(first, rise)), expected)
    columns = np.arange(len(by_rank)) % len(by_rank[0])
    at, above = map(to_numpy, groups.at(make(columns)))
    rows = np.arange(len(by_rank))
    assert (at == to_numpy(groups.index())[rows, columns]).all()
    assert (above == columns + 1 - np.array(places)[rows, columns]).all()
    index = to_numpy(groups.index())
    assert (np.diff(index, axis=1) == (np.diff(places, axis=1) <= 0)).all()
    np.testing.assert_array_equal(
        to_numpy(groups.spread(groups.at_first(ranked), 1)), to_numpy(ranked)[:, :1]
    )


@pytest.mark.parametrize("seed", range(3))
def test_mixed_groups(make, seed):
    xp, order, groups, by_rank = tie_groups(make, seed, 12)
    values = np.random.default_rng(seed).integers(0, 2, (7, 12)).astype(np.float64)
    ranked = xp.gather(make(values), order.columns)
    found = set()
    for positions, present in groups.mixed(ranked):
        for cells, there in zip(to_numpy(positions), to_numpy(present), strict=True):
            found.add(tuple(cells[there].tolist()))
    columns = to_numpy(order.columns)
    expected = set()
    for i, row in enumerate(by_rank):
        for group in row:
            if len(set(values[i, group].tolist())) > 1:
                ranks = [r for r in range(12) if columns[i, r] in group]
                expected.add(tuple(i * 12 + r for r in ranks))
    assert found == expected
    assert expected


def test_running_maxima(make):
    block = random_block(0)
    running = namespace(make(block)).running_max(make(block))
    np.testing.assert_array_equal(
        to_numpy(running), np.maximum.accumulate(block, axis=1)
    )
    assert (to_numpy(running)[:, -1] == block.max(axis=1)).all()


def test_chosen_groups(make):
    groups = tie_groups(make, 1, 12)[2]
    index = to_numpy(groups.index())
    chosen = np.arange(index.max() + 1) % 3 == 0
    found = [
        tuple(cells[there].tolist())
        for positions, present in groups.cells(make(chosen))
        for cells, there in zip(to_numpy(positions), to_numpy(present), strict=True)
    ]
    expected = [
        tuple(np.flatnonzero(index.ravel() == group).tolist())
        for group in np.flatnonzero(chosen)
    ]
    assert sorted(found) == expected


def test_hypergeometric(make):
    from scipy.stats import hypergeom

    from sklearn_irmetrics.kernels._common import hypergeometric

    rng = random.Random(0)
    rows = [(1, 0, 1), (1, 1, 1), (5, 5, 3), (40, 1, 39), (100_000, 500, 20_000)]
    for _ in range(200):
        n = rng.choice([3, 10, 100, 2000])
        rows.append((n, rng.randint(0, n), rng.randint(1, n)))
    n, r, m = (
        np.array(column, dtype=np.float64)[:, None]
        for column in zip(*rows, strict=True)
    )
    found = np.arange(2001.0)
    chance = hypergeometric(make(found), make(n), make(r), make(m))
    expected = hypergeom.pmf(found, n, r, m)
    np.testing.assert_allclose(to_numpy(chance), expected, rtol=1e-12, atol=1e-200)


@pytest.mark.parametrize("mask", [[[]], [[False, False]], [[False, True]], [[True]]])
def test_holds(make, mask):
    found = namespace(make([0])).holds(make(mask, dtype=bool))
    assert found == any(map(any, mask))


def test_only_zero_is_no_denominator():
    found = arrays.divide(np.array([1.0, 1.0, 1.0]), np.array([-2.0, 0.0, 4.0]))
    np.testing.assert_array_equal(found, [-0.5, np.nan, 0.25])
