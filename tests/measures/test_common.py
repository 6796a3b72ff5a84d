"""What every measure has in common; the registry says which measures there are."""

import inspect
import math
import random

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import UndefinedMetricWarning

from oracles import reference as ref
from oracles import subtopics
from oracles.cases import (
    CASES,
    CLOSE,
    TIES,
    cases_of,
    default_settings,
    function,
    make_rankings,
    readable,
    ready,
    sparse,
    spelled,
    usual,
)
from oracles.hostile import harden, ranks_in_queries
from sklearn_irmetrics import (
    Measure,
    metric_at_cutoffs,
    precision_recall_at_ranks,
    score_queries,
)
from sklearn_irmetrics._core import blocks
from sklearn_irmetrics._measures.registry import METRICS

RANKED = sorted(ref.RANKED)


def test_every_measure_has_a_twin():
    names = {row.function.__name__ for row in METRICS.values()}
    assert names == {*ref.MEASURES, *subtopics.MEASURES}


def test_every_parameter_is_varied():
    shared = {"y_true", "y_score", "qid", "labels", "sample_weight", "ties", "average"}
    shared |= {"replace_undefined_by", "epsilon", "pooled", "pos_label"}
    for name in RANKED:
        parameters = set(inspect.signature(function(name)).parameters) - shared
        varied = {key for params in ref.SETTINGS[name] for key in params}
        assert parameters == varied, name


# Package and twin ---------------------------------------------------------------------

RAGGED = make_rankings(1, [1, 2, 1, 40, 7, 5, 12, 1, 30, 9, 8, 300, 3, 6, 25, 2, 90])
RAGGED_TIED = make_rankings(
    2, [1, 2, 1, 40, 7, 5, 12, 1, 30, 9, 8, 300, 3, 6, 25, 2, 90], decimals=1
)
SHORT_TIED = make_rankings(3, [1, 2, 3, 4, 5, 6, 7] * 4, decimals=0)


@pytest.mark.parametrize(("name", "params"), CASES, ids=readable)
def test_agrees_with_the_naive_twin(name, params):
    for ties, (y_true, y_score, qid) in (
        ("average", RAGGED),
        ("average", SHORT_TIED),
        ("optimistic", RAGGED_TIED),
        ("pessimistic", RAGGED_TIED),
        ("stable", RAGGED_TIED),
    ):
        y_true, options = ready(name, params, y_true)
        ours = function(name)(
            y_true, y_score, qid=qid, ties=ties, average=None, **options
        )
        expected = ref.per_query(
            ref.RANKED[name], y_true, y_score, qid, ties=ties, **options
        )
        np.testing.assert_allclose(ours, expected, err_msg=ties, **CLOSE)


@pytest.mark.parametrize("cells", [1, 10, 100, 1000])
@pytest.mark.parametrize("name", RANKED)
def test_agrees_with_the_naive_twin_in_blocks_of_any_size(name, cells, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_CELLS", cells)
    test_agrees_with_the_naive_twin(name, ref.SETTINGS[name][0])
    test_agrees_with_the_naive_twin(name, ref.SETTINGS[name][-1])


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("name", RANKED)
def test_many_blocks_equal_queries_one_at_a_time(name, ties):
    rng = np.random.default_rng(4)
    lengths = rng.integers(1, 301, size=700)
    y_true, y_score, qid = make_rankings(5, lengths, decimals=1)
    assert len(qid) > blocks.BLOCK_CELLS
    y_true, options = ready(name, default_settings(name), y_true)
    pooled = options.pop("pooled", None)

    def score(rows):
        marks = {} if pooled is None else {"pooled": pooled[rows]}
        return function(name)(
            y_true[rows],
            y_score[rows],
            qid=qid[rows],
            ties=ties,
            average=None,
            **options,
            **marks,
        )

    together = score(np.arange(len(qid)))
    ids = list(dict.fromkeys(qid))
    for place in rng.choice(len(ids), size=40, replace=False):
        alone = score(np.flatnonzero(qid == ids[place]))
        np.testing.assert_allclose(together[place], alone[0], **CLOSE)


@pytest.mark.parametrize("name", RANKED)
def test_mean_over_queries(name):
    y_true, y_score, qid = SHORT_TIED
    y_true, options = ready(name, default_settings(name), y_true)
    values = ref.per_query(ref.RANKED[name], y_true, y_score, qid, **options)
    first_rows = {q: i for i, q in reversed(list(enumerate(qid)))}
    assert list(first_rows) != sorted(first_rows)
    weight_of = {q: 0.5 + 0.25 * i for i, q in enumerate(sorted(first_rows))}
    in_order = list(dict.fromkeys(qid))
    weights = [weight_of[q] for q in in_order]
    per_row = [weight_of[q] for q in qid]
    undefined = any(math.isnan(value) for value in values)

    def mean(**more):
        return function(name)(y_true, y_score, qid=qid, **options, **more)

    for more, sample_weight in (({}, None), ({"sample_weight": per_row}, weights)):
        if undefined:
            n_undefined = sum(map(math.isnan, values))
            with pytest.warns(UndefinedMetricWarning, match=str(n_undefined)):
                ours = mean(**more)
        else:
            ours = mean(**more)
        assert type(ours) is float
        expected = ref.aggregate(values, sample_weight)
        assert ours == pytest.approx(expected, abs=1e-12)
        for stand_in in (0.0, 1.0):
            ours = mean(replace_undefined_by=stand_in, **more)
            expected = ref.aggregate(values, sample_weight, undefined=stand_in)
            assert ours == pytest.approx(expected, abs=1e-12)
        ours = mean(average="geometric", replace_undefined_by=0.0, **more)
        expected = ref.aggregate(
            values, sample_weight, undefined=0.0, average="geometric"
        )
        assert ours == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", RANKED)
def test_nothing_defined_is_nan(name):
    y_true, y_score = [0.0, np.nan, 0.0], [1.0, 2.0, -np.inf]
    options = default_settings(name)
    (value,) = ref.per_query(ref.RANKED[name], y_true, y_score, **options)
    ours = function(name)(y_true, y_score, average=None, **options)
    np.testing.assert_allclose(ours, [value], **CLOSE)
    if math.isnan(value):
        with pytest.warns(UndefinedMetricWarning, match=name):
            assert math.isnan(function(name)(y_true, y_score, **options))
        filled = function(name)(y_true, y_score, replace_undefined_by=0.5, **options)
        assert filled == 0.5


MICRO = sorted(ref.MICRO & set(RANKED))


@pytest.mark.parametrize("name", MICRO)
def test_micro_adds_the_counts(name):
    y_true, y_score, qid = RAGGED
    weight_of = {q: i % 3 + 0.5 for i, q in enumerate(dict.fromkeys(qid))}
    per_row = [weight_of[q] for q in qid]
    for params in ref.SETTINGS[name]:
        if params.keys() & {"judged_only", "alpha"}:
            continue
        options = {"qid": qid, "average": "micro", **params}
        ours = function(name)(y_true, y_score, **options)
        expected = ref.micro(name, y_true, y_score, qid, **params)
        assert ours == pytest.approx(expected, abs=1e-12), params
        ours = function(name)(y_true, y_score, sample_weight=per_row, **options)
        expected = ref.micro(
            name, y_true, y_score, qid, list(weight_of.values()), **params
        )
        assert ours == pytest.approx(expected, abs=1e-12), params


def test_micro_is_only_for_counts():
    for name in sorted(set(RANKED) - set(MICRO)):
        with pytest.raises(ValueError, match="average"):
            function(name)([1, 0], [1, 2], average="micro", **default_settings(name))


# Forms of input -----------------------------------------------------------------------


def rectangle(seed=6):
    rng = np.random.default_rng(seed)
    y_true = rng.choice([0, 0, 0, 1, 2, np.nan], (9, 12))
    y_score = np.round(rng.standard_normal((9, 12)), 1)
    y_score[rng.random((9, 12)) < 0.3] = -np.inf
    y_true[3] = 0
    y_score[5] = -np.inf
    return y_true, y_score


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("name", RANKED)
def test_flat_2d_and_csr_input_agree(name, ties):
    y_true, y_score = rectangle()
    options = default_settings(name) | {"ties": ties, "average": None}
    rows = function(name)(y_true, y_score, **options)
    flat = function(name)(
        y_true.ravel(), y_score.ravel(), qid=np.repeat(np.arange(9), 12), **options
    )
    np.testing.assert_allclose(flat, rows, **CLOSE)
    csr_true, csr_score = sparse(y_true, 0), sparse(y_score, -np.inf)
    assert csr_score.nnz < y_score.size
    for grades, scores in ((csr_true, csr_score), (csr_true, y_score)):
        np.testing.assert_allclose(
            function(name)(grades, scores, **options), rows, **CLOSE
        )
    np.testing.assert_allclose(
        function(name)(y_true, csr_score, **options), rows, **CLOSE
    )


@pytest.mark.parametrize("name", RANKED)
def test_order_in_memory_does_not_matter(name):
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 4, (30, 40)) / 3.0
    y_score = rng.integers(0, 20, y_true.shape).astype(float)
    options = default_settings(name) | {"average": None}
    options.pop("k", None)
    for scores in (y_score, y_true):
        expected = function(name)(y_true, scores, **options)
        by_column = np.asfortranarray(y_true), np.asfortranarray(scores)
        np.testing.assert_array_equal(function(name)(*by_column, **options), expected)


@pytest.mark.parametrize("name", RANKED)
def test_class_labels_are_one_relevant_column(name):
    rng = np.random.default_rng(14)
    labels = np.array(["cat", "ant", "dog", "bee", "cow"])
    y_true, y_score = rng.choice(labels, 30), np.round(rng.standard_normal((30, 5)), 1)
    options = default_settings(name) | {"average": None}
    ours = function(name)(y_true, y_score, labels=labels, **options)
    one_hot = (y_true[:, np.newaxis] == labels).astype(int)
    expected = function(name)(one_hot, y_score, **options)
    np.testing.assert_allclose(ours, expected, **CLOSE)


@pytest.mark.parametrize("name", RANKED)
def test_one_ranking_without_ids(name):
    y_true, y_score = rectangle()
    options = default_settings(name)
    for grades, scores in zip(y_true[:3], y_score[:3], strict=True):
        alone = function(name)(grades, scores, **options)
        row = function(name)(grades[np.newaxis], scores[np.newaxis], **options)
        same_id = function(name)(grades, scores, qid=["x"] * 12, **options)
        assert alone == row == same_id


@pytest.mark.parametrize("name", RANKED)
def test_ids_of_any_kind(name):
    y_true, y_score, qid = SHORT_TIED
    y_true, options = ready(name, default_settings(name), y_true)
    options["average"] = None
    expected = function(name)(y_true, y_score, qid=qid, **options)
    number = {q: i for i, q in enumerate(sorted(set(qid)))}
    kinds = [
        [number[q] - 3 for q in qid],
        np.array([number[q] for q in qid], dtype=np.uint8),
        np.array([number[q] / 2 for q in qid]),
        qid.astype("S"),
        [(q, 1) for q in qid],
        [number[q] if number[q] % 2 else q for q in qid],
    ]
    for ids in kinds:
        ours = function(name)(y_true, y_score, qid=ids, **options)
        np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("name", RANKED)
def test_lists_are_as_good_as_arrays(name):
    y_true, y_score, qid = SHORT_TIED
    y_true, options = ready(name, default_settings(name), y_true)
    options["replace_undefined_by"] = 0.0
    arrays = function(name)(y_true, y_score, qid=qid, **options)
    lists = function(name)(
        y_true.tolist(), y_score.tolist(), qid=qid.tolist(), **options
    )
    assert arrays == lists


# Invariances --------------------------------------------------------------------------


@pytest.mark.parametrize("name", RANKED)
def test_integer_weights_equal_repeated_queries(name):
    y_true, y_score, qid = RAGGED_TIED
    y_true, options = ready(name, default_settings(name), y_true)
    pooled = options.pop("pooled", None)
    options["replace_undefined_by"] = 0.25
    times = {q: i % 4 for i, q in enumerate(sorted(set(qid)))}
    copies = [(row, c) for row in range(len(qid)) for c in range(times[qid[row]])]
    rows = [row for row, _ in copies]

    def marks(rows):
        return {} if pooled is None else {"pooled": pooled[rows]}

    weighted = function(name)(
        y_true,
        y_score,
        qid=qid,
        sample_weight=[times[q] for q in qid],
        **options,
        **marks(np.arange(len(qid))),
    )
    repeated = function(name)(
        y_true[rows],
        y_score[rows],
        qid=[(qid[row], c) for row, c in copies],
        **options,
        **marks(rows),
    )
    assert weighted == pytest.approx(repeated, abs=1e-12)


@pytest.mark.parametrize("name", RANKED)
def test_weights_of_rows_of_a_matrix(name):
    y_true, y_score = rectangle()
    options = default_settings(name) | {"replace_undefined_by": 0.0}
    weights = np.arange(9.0)
    per_query = function(name)(y_true, y_score, average=None, **options)
    ours = function(name)(y_true, y_score, sample_weight=weights, **options)
    assert ours == pytest.approx(per_query @ weights / weights.sum(), abs=1e-12)
    scaled = function(name)(y_true, y_score, sample_weight=weights * 7, **options)
    assert scaled == pytest.approx(ours, abs=1e-12)


@pytest.mark.parametrize("name", RANKED)
def test_row_order_does_not_matter_when_ties_are_averaged(name):
    y_true, y_score, qid = RAGGED_TIED
    y_true, options = ready(name, default_settings(name), y_true)
    options["replace_undefined_by"] = 0.0
    expected = function(name)(y_true, y_score, qid=qid, **options)
    for seed in range(3):
        rows = np.random.default_rng(seed).permutation(len(qid))
        marks = {"pooled": options["pooled"][rows]} if "pooled" in options else {}
        ours = function(name)(
            y_true[rows], y_score[rows], qid=qid[rows], **options | marks
        )
        assert ours == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("name", RANKED)
def test_only_the_order_of_scores_matters(name, ties):
    y_true, y_score, qid = RAGGED_TIED
    y_true, options = ready(name, default_settings(name), y_true)
    options |= {"average": None, "qid": qid, "ties": ties}
    expected = function(name)(y_true, y_score, **options)
    ranks = ranks_in_queries(y_score, qid)
    for scores in (
        ranks,
        ranks * 3 - 100,
        harden(np.random.default_rng(6), ranks, qid),
    ):
        ours = function(name)(y_true, scores, **options)
        np.testing.assert_allclose(ours, expected, **CLOSE)


@pytest.mark.parametrize(
    "dtype", [bool, np.int8, np.uint8, np.int32, np.int64, np.uint64, np.float32]
)
@pytest.mark.parametrize("name", RANKED)
def test_scores_of_any_number_type(name, dtype):
    rng = random.Random(7)
    scores = np.array([rng.randint(0, 3) for _ in range(60)]).astype(dtype)
    grades = np.array([rng.choice([0, 0, 1, 2]) for _ in range(60)])
    qid = np.arange(60) // 6
    options = default_settings(name) | {"qid": qid, "average": None}
    expected = ref.per_query(
        ref.RANKED[name], grades.tolist(), scores.astype(float), **options_of(options)
    )
    for y_true in (grades, grades.astype(np.float32), grades.astype(np.uint8)):
        ours = function(name)(y_true, scores, **options)
        np.testing.assert_allclose(ours, expected, **CLOSE)
    as_bool = function(name)(grades > 0, scores, **options)
    as_int = function(name)((grades > 0).astype(int), scores, **options)
    np.testing.assert_array_equal(as_bool, as_int)


def options_of(options):
    return {name: value for name, value in options.items() if name != "average"}


@pytest.mark.parametrize("name", RANKED)
def test_scores_keep_their_own_precision(name):
    # 2**53 + 1 is no float64 and 1 + 1e-12 no float32; both are ties once rounded.
    y_true = [0, 1, 0, 2]
    options = default_settings(name)
    expected = function(name)(y_true, [1, 2, 3, 4], **options)
    exact = [
        np.array([0, 1, 2, 3]) + 2**60,
        np.array([0, 1, 2, 3], dtype=np.uint64) + np.uint64(2**63),
        1 + np.array([0, 1, 2, 3]) * 1e-12,
    ]
    for scores in exact:
        assert function(name)(y_true, scores, **options) == expected
    tied = function(name)(y_true, np.zeros(4), **options)
    rounded = np.float32(1 + np.array([0, 1, 2, 3]) * 1e-12)
    assert function(name)(y_true, rounded, **options) == tied


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("name", RANKED)
def test_inputs_are_not_modified(name, ties):
    y_true, y_score, qid = (array.copy() for array in RAGGED_TIED)
    y_true, options = ready(name, default_settings(name), y_true)
    weights = np.ones(len(qid))
    for array in (y_true, y_score, qid, weights):
        array.setflags(write=False)
    options |= {"ties": ties, "average": None}
    function(name)(y_true, y_score, qid=qid, sample_weight=weights, **options)
    grades, scores = rectangle()
    csr = sparse(grades, 0), sparse(scores, -np.inf)
    copies = [matrix.copy() for matrix in csr]
    for matrix in csr:
        for part in (matrix.data, matrix.indices, matrix.indptr):
            part.setflags(write=False)
    options.pop("pooled", None)
    function(name)(*csr, **options)
    for matrix, copy in zip(csr, copies, strict=True):
        np.testing.assert_array_equal(matrix.data, copy.data)
        np.testing.assert_array_equal(matrix.indices, copy.indices)


@pytest.mark.parametrize("as_input", [np.array, pytest.param("torch", id="torch")])
def test_functions_that_work_in_place_change_nothing(as_input):
    if as_input == "torch":
        as_input = pytest.importorskip("torch").tensor

    def halve(values):
        values *= 0.5
        return values

    def fall(ranks):
        ranks *= -1.0
        ranks += 10.0
        return ranks

    y_true = as_input([1.0, 0.0, 2.0])
    y_score = as_input([3.0, 2.0, 1.0])
    for name in ("ndcg", "q", "dcg"):
        discount = {} if name == "q" else {"discount": fall}
        measure = Measure(name, gain=halve, **discount)
        first = measure(y_true, y_score)
        assert y_true.tolist() == [1.0, 0.0, 2.0]
        assert measure(y_true, y_score) == first > 0


# The registry -------------------------------------------------------------------------

NAMED = sorted(
    name for name, row in METRICS.items() if row.function.__name__ in ref.RANKED
)


@pytest.mark.parametrize("ties", TIES)
def test_score_queries_equals_the_functions(ties):
    y_true, y_score, qid = RAGGED_TIED
    y_true = np.abs(y_true)
    named = {}
    for name in NAMED:
        named[name] = spelled(name)
        if METRICS[name].at == "k" and "k" in METRICS[name].parameters:
            named[name + " at 3"] = spelled(name) + "@3"
    scores = score_queries(
        y_true, y_score, named, qid=qid, ties=ties, replace_undefined_by=0.0
    )
    assert scores.query_ids.tolist() == list(dict.fromkeys(qid))
    for label in named:
        name = label.removesuffix(" at 3")
        row = METRICS[name]
        options = row.arguments | usual(name)
        if label.endswith(" at 3"):
            options["k"] = 3
        options |= {"qid": qid, "ties": ties, "replace_undefined_by": 0.0}
        mean = row.function(y_true, y_score, **options)
        assert scores.mean[label] == pytest.approx(mean, abs=1e-12), label
        values = row.function(y_true, y_score, **options | {"average": None})
        np.testing.assert_allclose(scores.scores[label], values, **CLOSE)


@pytest.mark.parametrize("name", NAMED)
def test_the_registry_knows_which_measures_take_a_tie_group_as_one_step(name):
    row = METRICS[name]
    assert row.exact_ties == (ref.RANKED[row.function.__name__] not in ref.ONE_STEP)


@pytest.mark.parametrize("name", NAMED)
def test_values_lie_in_the_range_of_the_registry(name):
    row = METRICS[name]
    low, high = row.range
    for y_true, y_score, qid in (RAGGED, RAGGED_TIED, SHORT_TIED):
        values = row.function(
            np.abs(y_true), y_score, qid=qid, average=None, **usual(name)
        )
        values = values[~np.isnan(values)]
        assert low <= values.min() <= values.max() <= high + 1e-12


@pytest.mark.parametrize(("name", "grade"), [("ndcg", 0.1), ("recall", 1.0)])
def test_rounding_lifts_nothing_above_one(name, grade):
    for n in range(2, 60):
        for y_true in (np.full(n, grade), grade * (np.arange(n) % 3 == 0)):
            value = METRICS[name].function(y_true, np.ones(n))
            assert 0.0 < value <= 1.0


@pytest.mark.parametrize("name", NAMED)
def test_graded_measures_are_those_that_tell_grades_apart(name):
    row = METRICS[name]
    options = usual(name)
    if "max_grade" in row.parameters:
        options["max_grade"] = 4
    y_score = [3, 2, 1, 4]
    low, high = (row.function([1, g, 0, 0], y_score, **options) for g in (1, 3))
    assert (low != high) == row.graded


# Sets, correlations and users ---------------------------------------------------------


def is_formula(params):
    return params == ref.formula(params)


def test_set_measures_agree_with_the_naive_twin():
    rng = np.random.default_rng(8)
    qid = rng.integers(0, 12, size=60)
    y_true, y_pred = rng.integers(0, 2, size=(2, 60))
    y_true[qid == 3] = 0
    y_pred[qid == 4] = 0
    y_true[qid == 5] = 1
    for name in sorted(ref.SETS):
        for params in filter(is_formula, ref.SETTINGS[name]):
            for ids, average in ((qid, None), (qid, "micro"), (None, "micro")):
                ours = function(name)(
                    y_true, y_pred, qid=ids, average=average, **params
                )
                expected = ref.set_measure(
                    ref.SETS[name], y_true, y_pred, ids, average, **params
                )
                np.testing.assert_allclose(ours, expected, err_msg=name, **CLOSE)
            mean = function(name)(
                y_true, y_pred, qid=qid, replace_undefined_by=0.5, **params
            )
            values = ref.set_measure(
                ref.SETS[name], y_true, y_pred, qid, average=None, **params
            )
            expected = ref.aggregate(values, undefined=0.5)
            assert mean == pytest.approx(expected, abs=1e-12), name


def test_cost_matrix_agrees_with_the_naive_twin():
    rng = np.random.default_rng(9)
    y_true, y_pred = rng.integers(0, 3, size=(2, 40))
    cost_matrix = [[0, 1.5, 2], [3, -1, 0.5], [10, 0, 1]]
    for normalize in (False, True):
        options = {"cost_matrix": cost_matrix, "normalize": normalize}
        ours = function("set_cost_matrix_loss")(y_true, y_pred, **options)
        expected = ref.set_cost(y_true.tolist(), y_pred.tolist(), **options)
        assert ours == pytest.approx(expected)


def short_tied_pairs(rng, n_queries=60):
    """Draw a few documents per query: ties on both sides, unjudged, unretrieved."""
    y_true, y_score, qid = [], [], []
    for query in range(n_queries):
        n = rng.randint(1, 6)
        n_values = rng.choice([1, 3, 20])
        y_true += [rng.choice([math.nan, *range(n_values)]) for _ in range(n)]
        y_score += [rng.choice([-math.inf, *range(n_values)]) for _ in range(n)]
        qid += [query] * n
    return y_true, y_score, qid


def test_correlations_agree_with_the_naive_twin():
    y_true, y_score, qid = short_tied_pairs(random.Random(10))
    pairs = [
        ref.judged_pairs(ref.pick(y_true, rows), ref.pick(y_score, rows))
        for rows in ref.query_rows(qid, len(qid)).values()
    ]
    for name, params in cases_of(ref.CORRELATIONS):
        expected = [ref.CORRELATIONS[name](*pair, **params) for pair in pairs]
        ours = function(name)(y_true, y_score, qid=qid, average=None, **params)
        np.testing.assert_allclose(ours, expected, err_msg=f"{name} {params}", **CLOSE)
        assert sum(map(math.isnan, expected)) < 40


def test_scott_pi_agrees_with_the_naive_twin():
    rng = np.random.default_rng(12)
    for _ in range(20):
        first, second = rng.integers(0, 3, size=(2, 15))
        expected = ref.scott_pi(first.tolist(), second.tolist())
        ours = function("scott_pi_score")(first, second)
        assert ours == pytest.approx(expected, abs=1e-12)


def test_user_measures_agree_with_the_naive_twin():
    rng = np.random.default_rng(13)
    y_true = rng.choice([0.0, 1.0, 2.0, np.nan], 80)
    y_score = np.where(rng.random(80) < 0.4, -np.inf, rng.random(80))
    known = rng.random(80) < 0.4
    qid = rng.integers(0, 15, size=80)
    rows = ref.query_rows(qid, 80).values()
    for name, twin in ref.USERS.items():
        ours = function(name)(y_true, y_score, known=known, qid=qid, average=None)
        expected = [twin(y_true[r], y_score[r] > -np.inf, known[r]) for r in rows]
        np.testing.assert_allclose(ours, expected, err_msg=name, **CLOSE)


@pytest.mark.parametrize("seed", range(3))
def test_whole_tie_groups_are_counted_exactly(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        n = int(rng.integers(3, 40))
        y_true = rng.integers(0, 2, (2, n)) | np.eye(1, n, dtype=int)
        y_score = rng.integers(0, int(rng.integers(1, 6)), (2, n)) * 1.0
        share = y_true.mean(axis=1)
        measures = ["recall", f"recall@{n}", "recall@1000", f"p@{n}"]
        recall, at_n, below, precision = score_queries(
            y_true, y_score, measures
        ).scores.values()
        assert (recall == 1.0).all() and (at_n == 1.0).all() and (below == 1.0).all()
        assert_array_equal(precision, share)
        assert precision_recall_at_ranks(y_true[0], y_score[0]).recall[-1] == 1.0
        assert metric_at_cutoffs("recall", y_true, y_score, [1, n, 1000])[-1] == 1.0
