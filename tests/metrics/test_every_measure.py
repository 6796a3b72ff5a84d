"""What every measure has in common; the registry says which measures there are."""

import inspect
import itertools
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_irmetrics as irm
from oracles import reference as ref
from oracles import subtopics
from oracles.cases import (
    CLOSE,
    TIES,
    Case,
    default_settings,
    function,
    make_rankings,
    queries_at_once,
    sparse,
    spelled,
    usual,
)
from oracles.measures import METRICS
from sklearn_irmetrics import Measure

RANKED = sorted(ref.RANKED)


def test_every_measure_has_a_reference():
    names = {row.function.__name__ for row in METRICS.values()}
    assert names == {*ref.MEASURES, *subtopics.MEASURES}


def test_every_parameter_is_varied():
    shared = {"y_true", "y_score", "qid", "labels", "sample_weight", "ties", "average"}
    shared |= {"replace_undefined_by", "epsilon", "pooled", "pos_label"}
    for name in RANKED:
        parameters = set(inspect.signature(function(name)).parameters) - shared
        varied = {key for params in ref.SETTINGS[name] for key in params}
        assert parameters == varied, name


# Package and reference ----------------------------------------------------------------

LENGTHS = [1, 2, 1, 40, 7, 5, 12, 1, 30, 9, 8, 99, 3, 6, 25, 2, 60]
RAGGED = make_rankings(1, LENGTHS)
RAGGED_TIED = make_rankings(2, LENGTHS, tied=True)


@pytest.mark.parametrize("name", sorted(ref.SETTINGS))
def test_mean_over_queries(name):
    drawn = queries_at_once(np.random.default_rng(3), [1, 2, 3, 4, 5] * 6)
    measure = Case(name, default_settings(name))
    in_order = list(dict.fromkeys(drawn.qid.tolist()))
    assert in_order != sorted(in_order)
    values = measure.score(drawn)
    weights = np.arange(drawn.n_queries) % 5 / 2 + 0.25
    weights[7] = 0.0

    def mean(**options):
        return measure.score(drawn, **{"average": "macro", **options})

    for sample_weight, more in (
        (None, {}),
        (weights, {"sample_weight": weights[drawn.qid]}),
    ):
        counted = True if sample_weight is None else weights > 0
        n_undefined = np.sum(np.isnan(values) & counted)
        if n_undefined:
            with pytest.warns(UndefinedMetricWarning, match=f"in {n_undefined} of"):
                ours = mean(**more)
        else:
            ours = mean(**more)
        assert type(ours) is float
        expected = ref.aggregate(values, sample_weight)
        assert ours == pytest.approx(expected, abs=1e-12)
        least = 1.0 if name in ("first_rank_loss", "last_rank_loss") else 0.0
        for stand_in in (least, 1.0):
            ours = mean(replace_undefined_by=stand_in, **more)
            expected = ref.aggregate(values, sample_weight, undefined=stand_in)
            assert ours == pytest.approx(expected, abs=1e-12)
        if np.nanmin(values) < 0.0:  # of which there is no geometric mean
            continue
        ours = mean(average="geometric", replace_undefined_by=least, **more)
        expected = ref.aggregate(
            values, sample_weight, undefined=least, average="geometric"
        )
        assert ours == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["first_rank", "last_rank"])
def test_finding_nothing_is_never_better_than_the_first_rank(name):
    found_nothing = ([[0, 0], [1, 0]], [[2, 1], [1, 2]])
    measure = Measure(name, replace_undefined_by=0)
    for ask in (
        lambda: measure(*found_nothing),
        lambda: irm.score_queries(*found_nothing, measure),
        lambda: irm.score_queries(
            *found_nothing, ["ndcg", name], replace_undefined_by=0.0
        ),
        lambda: irm.reports.RankingEvaluator(*found_nothing[:1], measure)(
            found_nothing[1]
        ),
        lambda: irm.get_scorer(measure),
    ):
        with pytest.raises(
            ValueError, match=f"must be at least 1 for {name}_loss.*'{name}\\("
        ):
            ask()
    assert Measure(name, replace_undefined_by=3)(*found_nothing) == 2.5
    options = {"average": None, "replace_undefined_by": -1}
    assert Measure(name)(*found_nothing, **options).tolist() == [-1, 2]


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


@pytest.mark.parametrize("name", sorted(ref.SETS))
def test_micro_of_sets_adds_the_counts(name):
    drawn = queries_at_once(np.random.default_rng(1), [1, 9, 20, 3, 40])
    weights = np.array([0.5, 1.0, 0.0, 2.5, 2.0])
    retrieved = drawn.y_score > -np.inf
    counts = np.array(
        [
            ref.confusion(np.nan_to_num(drawn.y_true[own]), retrieved[own])
            for own in (drawn.qid == query for query in range(5))
        ]
    )
    options = {"average": "micro", "sample_weight": weights[drawn.qid]}
    for params in ref.SETTINGS[name]:
        if not params.keys() & {"relevance_threshold", "judged_only"}:
            ours = Case(name, params).score(drawn, **options)
            expected = ref.SETS[name](*(weights @ counts), **params)
            assert ours == pytest.approx(expected, rel=1e-12), params


def test_micro_is_only_for_counts():
    for name in sorted(set(RANKED) - set(MICRO)):
        with pytest.raises(ValueError, match="average"):
            function(name)([1, 0], [1, 2], average="micro", **default_settings(name))


SETS = sorted(name for name, row in METRICS.items() if row.kind == "set")

COUNTED = ["p@2", "p", "recall@2", "recall", "f1@2", "f1", "f(beta=2)@3"]


@pytest.mark.parametrize("name", [*COUNTED, *SETS])
def test_micro_of_one_query_is_macro(name):
    of_sets = METRICS[Measure(name).metric.name].kind == "set"
    for n in (1, 2, 3):
        sides = [0, 1] if of_sets else [-np.inf, 1.0]
        for y_true in itertools.product([0, 1], repeat=n):
            for y_score in itertools.product(sides, repeat=n):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    macro = Measure(name)(y_true, y_score)
                    micro = Measure(name, average="micro")(y_true, y_score)
                assert micro == pytest.approx(macro, nan_ok=True, abs=1e-15)
                instead = Measure(name)(
                    y_true, y_score, average="micro", replace_undefined_by=-1
                )
                assert instead == pytest.approx(-1 if np.isnan(macro) else macro)


def test_micro_is_undefined_where_all_queries_are():
    rows, qid = ([0, 0, 0, 1], [2, 1, 1, 2]), [1, 1, 2, 3]
    assert irm.metrics.fbeta_at_k_score(*rows, k=1, qid=qid, average="micro") == 0.5
    weights = [1, 1, 1, 0]  # of the only query with something to find
    with pytest.warns(UserWarning, match="undefined in 3 of 3 queries"):
        found = irm.metrics.fbeta_at_k_score(
            *rows, k=1, qid=qid, average="micro", sample_weight=weights
        )
    assert np.isnan(found)


# Forms of input -----------------------------------------------------------------------


def rectangle(seed=6):
    rng = np.random.default_rng(seed)
    y_true = rng.choice([0, 0, 0, 1, 2, np.nan], (9, 12))
    y_score = np.round(rng.standard_normal((9, 12)), 1)
    y_score[rng.random((9, 12)) < 0.3] = -np.inf
    y_true[3] = 0
    y_score[5] = -np.inf
    return y_true, y_score


@pytest.mark.parametrize("name", RANKED)
def test_one_ranking_without_ids(name):
    y_true, y_score = rectangle()
    options = default_settings(name) | {"replace_undefined_by": 7.0}
    for grades, scores in zip(y_true[:3], y_score[:3], strict=True):
        alone = function(name)(grades, scores, **options)
        row = function(name)(grades[np.newaxis], scores[np.newaxis], **options)
        same_id = function(name)(grades, scores, qid=["x"] * 12, **options)
        assert alone == row == same_id


# Invariances --------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:y_true holds fractions")
@pytest.mark.parametrize("name", sorted(ref.SETTINGS))
def test_inputs_are_not_modified(name):
    drawn = queries_at_once(np.random.default_rng(0), [3, 1, 40, 7, 12])
    measure = Case(name, ref.SETTINGS[name][-1])
    arrays, marks = measure.arguments(drawn)
    options = {"sample_weight": np.ones(len(drawn.qid)), "replace_undefined_by": 1.0}
    grades, scores = rectangle()
    csr = sparse(measure.grades(grades), 0), sparse(scores, -np.inf)
    for array in (*arrays, *marks.values(), options["sample_weight"]):
        array.setflags(write=False)
    for matrix in csr:
        for part in (matrix.data, matrix.indices, matrix.indptr):
            part.setflags(write=False)
    for ties in TIES if measure.has_ties else [None]:
        rule = {} if ties is None else measure.rule(ties)
        measure.function(*arrays, **marks, **measure.params, **options, **rule)
        if name in RANKED and name not in ref.MARKS:
            measure.function(*csr, average=None, **measure.params, **rule)


def test_f_of_an_infinite_beta_is_recall():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, (30, 8)), rng.integers(0, 4, (30, 8))
    y_true[:, 0], y_pred = 1, y_score > 1
    assert irm.metrics.fbeta_at_k_score(
        y_true, y_score, k=3, beta=np.inf
    ) == irm.recall_at_k_score(y_true, y_score, k=3)
    recall = irm.set_recall_score(y_true, y_pred)
    assert irm.set_fbeta_score(y_true, y_pred, beta=np.inf) == recall
    assert irm.set_e_measure_loss(y_true, y_pred, beta=np.inf) == pytest.approx(
        1 - recall, abs=1e-15
    )
    assert irm.metrics.max_fbeta_score(y_true, y_score, beta=np.inf) == 1.0


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
        measure = irm.Measure(name, gain=halve, **discount)
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
        if ties in ("optimistic", "pessimistic") and not METRICS[name].extremes:
            continue
        named[name] = spelled(name)
        if METRICS[name].at_parameter == "k" and "k" in METRICS[name].parameters:
            named[name + " at 3"] = spelled(name) + "@3"
    scores = irm.score_queries(
        y_true, y_score, named, qid=qid, ties=ties, replace_undefined_by=1.0
    )
    assert scores.query_ids.tolist() == list(dict.fromkeys(qid))
    for label in named:
        name = label.removesuffix(" at 3")
        row = METRICS[name]
        options = row.arguments | usual(name)
        if label.endswith(" at 3"):
            options["k"] = 3
        options |= {"qid": qid, "replace_undefined_by": 1.0}
        if row.ranks:
            options["ties"] = ties
        mean = row.function(y_true, y_score, **options)
        assert scores.mean[label] == pytest.approx(mean, abs=1e-12), label
        values = row.function(y_true, y_score, **options | {"average": None})
        np.testing.assert_allclose(scores.scores[label], values, **CLOSE)


@pytest.mark.parametrize("name", NAMED)
def test_the_registry_knows_which_measures_take_a_tie_group_as_one_step(name):
    row = METRICS[name]
    assert row.exact_ties == (ref.RANKED[row.function.__name__] not in ref.ONE_STEP)


@pytest.mark.parametrize(("name", "grade"), [("ndcg", 0.1), ("recall", 1.0)])
def test_rounding_lifts_nothing_above_one(name, grade):
    for n in range(2, 60):
        for y_true in (np.full(n, grade), grade * (np.arange(n) % 3 == 0)):
            value = METRICS[name].function(y_true, np.ones(n))
            assert 0.0 < value <= 1.0


@pytest.mark.parametrize("name", NAMED)
def test_graded_measures_are_those_that_tell_grades_apart(name):
    row = METRICS[name]
    options = usual(name) | {"replace_undefined_by": 7.0}
    if "max_grade" in row.parameters:
        options["max_grade"] = 4
    cutoffs = [{}, {"k": 2}, {"k": 3}] if "k" in row.parameters else [{}]
    low, high = (
        [
            row.function([1, g, 0, 0], [3, 2, 1, 4], **options | cutoff)
            for cutoff in cutoffs
        ]
        for g in (1, 3)
    )
    assert (low != high) == row.graded


# Sets, correlations and users ---------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_whole_tie_groups_are_counted_exactly(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        n = int(rng.integers(3, 40))
        y_true = rng.integers(0, 2, (2, n)) | np.eye(1, n, dtype=int)
        y_score = rng.integers(0, int(rng.integers(1, 6)), (2, n)) * 1.0
        share = y_true.mean(axis=1)
        measures = ["recall", f"recall@{n}", "recall@1000", f"p@{n}"]
        recall, at_n, below, precision = irm.score_queries(
            y_true, y_score, measures
        ).scores.values()
        assert (recall == 1.0).all() and (at_n == 1.0).all() and (below == 1.0).all()
        assert_array_equal(precision, share)
        assert (
            irm.metrics.precision_recall_at_ranks(y_true[0], y_score[0]).recall[-1]
            == 1.0
        )
        assert (
            irm.reports.metric_at_cutoffs("recall", y_true, y_score, [1, n, 1000])[-1]
            == 1.0
        )
