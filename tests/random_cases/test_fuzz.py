"""Anything at all as input: a right number, or an error that says what is wrong."""

import array
import ctypes
import inspect
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

pytest.importorskip("hypothesis")
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

import sklearn_irmetrics as irm
from oracles import reference as ref
from oracles.cases import Case
from oracles.fuzzing import REFUSED, answer, little_memory, no_warnings
from oracles.measures import ALIASES, METRICS
from oracles.strategies import CORNERS, plain_arrays

NAN, INF = float("nan"), float("inf")
MANY = settings(max_examples=6 * settings.default.max_examples)

# Strings that name measures -----------------------------------------------------------

VALUES = ["1.5", "0.5", "1e999", "-1e999", "-0.", "1j", "1+1j", "0x10", "1_0"]
VALUES += ["True", "False", "None", "...", "b'x'", "'log'", "'linear'", "'exponential'"]
VALUES += ["[]", "[0, 1]", "(0.5,)", "{}", "{1}", "{0: 0, 1: 3}", "{1: {2: [3]}}"]
VALUES += ["'macro'", "'stable'", "'relevant'", *map(str, range(-1, 9)), "9" * 400]
VALUES = {text: eval(text) for text in VALUES}
NOT_VALUES = ["nan", "inf", "x", "x.y", "1 + 1", "10**10000", "-'a'", "not 1", "f'{1}'"]
NOT_VALUES += ["(1", "1)", "1is 2", r"'\d'", r"'\ud800'", "'\0'", "1\\", "1 # ", "1, 2"]
NOT_VALUES += ["{[]: 1}", "{**{}}", "*[]", "yield", "await x", "x := 1", "lambda: 0"]
LITERALS = st.sampled_from([*VALUES, *VALUES, *NOT_VALUES])
NAMES = [*METRICS, *ALIASES, "NDCG", " Map ", "", "ndgc", "nd cg", "é", "９"]
SHORT = {"rel": "relevance_threshold"}
SHARED = ["ties", "average", "labels", "sample_weight", "qid", "y_true", "K", "self"]
SHARED += SHORT


@st.composite
def measure_strings(draw):
    """Draw a name, pairs of names and values, and what follows the @."""
    name = draw(st.sampled_from(NAMES))
    own = METRICS[name].parameters if name in METRICS else {}
    pair = st.tuples(
        st.sampled_from([*own, *own, *SHARED]) | st.text(max_size=4),
        LITERALS | st.text(max_size=8),
    )
    at = st.none() | LITERALS | st.text(max_size=4)
    return name, draw(st.lists(pair, max_size=2)), draw(at)


def grades_for(measure):
    return [[2], [0], [1]] if measure.metric.subtopics else [2, 0, 1]


def score_by_name(text):
    grades = grades_for(irm.Measure(text))
    return irm.score_queries(grades, [3, 2, 1], [text]).mean[text]


def check_measure_string(text):
    """Return the measure, where none of the readers of such strings refuses it."""
    parsed = answer(irm.Measure, text)
    scorer = answer(irm.get_scorer, text)
    score = answer(score_by_name, text)
    if parsed is REFUSED:
        assert score is REFUSED
        assert scorer is REFUSED or text.lower() == "cohen_kappa"
        return None
    assert irm.Measure(str(parsed)) == parsed
    arguments = parsed.arguments
    assert scorer is REFUSED or scorer._kwargs == arguments
    if score is not REFUSED:
        arguments = {"average": "macro", **arguments}
        if arguments["average"] is not None:
            is_set = parsed.metric.kind == "set" and arguments.get("pos_label") is None
            second = [1, 1, 1] if is_set else [3, 2, 1]
            grades = grades_for(parsed)
            same = answer(parsed.metric.function, grades, second, **arguments)
            np.testing.assert_equal(score, same)
    return parsed


@MANY
@given(measure_strings())
def test_strings_of_measures(drawn):
    name, pairs, at = drawn
    text = name
    if pairs:
        text += "(" + ", ".join(f"{key}={value}" for key, value in pairs) + ")"
    if at is not None:
        text += f"@{at}"
    measure = check_measure_string(text)
    if measure is not None and all(value in VALUES for _, value in pairs):
        lower = {key.lower(): VALUES[value] for key, value in pairs}
        given = {SHORT.get(key, key): value for key, value in lower.items()}
        assert measure == irm.Measure(name if at is None else f"{name}@{at}", **given)


@given(st.text())
def test_any_text_as_a_measure(text):
    check_measure_string(text)


ADVERSARIAL = [
    "ndcg@" + "9" * 5000,
    "iprec@" + "9" * 900,
    "rbp(persistence=" + "9" * 900 + ")",
    "recall_effort(n_expected=9e999)",
    "(" * 10**5,
    "ndcg@" * 10**5,
    "ndcg(k=" + "[" * 450 + "]" * 450 + ")",
    "ndcg(k=" + "-" * 900 + "1)",
    "ndcg(gain=" + "{1:" * 200 + "1" + "}" * 200 + ")",
    "p@" + "1+" * 400 + "1j",
    "ndcg(k=1, k=2)",
    "ndcg(**{'k': 1})",
    "ndcg(*[1])",
    "ndcg(k=1)(k=2)",
    "ndcg(k=1 # )@2",
    "ndcg(k=1);import os",
    "ndcg(k='\0')",
    "ndcg(k='\ud800')",
    "ndcg@１０",
    "ndcg(ｋ=1)",
    b"ndcg@10",
    None,
]


@pytest.mark.parametrize("text", ADVERSARIAL, ids=lambda text: repr(text)[:30])
def test_adversarial_strings_of_measures(text):
    check_measure_string(text)


PAYLOADS = [
    "open({path!r}, 'w')",
    "[open({path!r}, 'w') for x in [1]]",
    "(lambda: open({path!r}, 'w'))()",
    "f'{{open({path!r}, chr(119))}}'",
    "__import__('time').sleep(60)",
    "9**9**9",
]


@pytest.mark.parametrize("form", ["{}", "ndcg({})", "ndcg@{}", "p(k=1, {}=2)"])
def test_strings_are_never_evaluated(tmp_path, form):
    path = tmp_path / "made"
    for payload in PAYLOADS:
        assert check_measure_string(form.format(payload.format(path=str(path)))) is None
    assert not path.exists()


# Arrays -------------------------------------------------------------------------------


class Adversarial:
    """Has everything that an array has, and none of it works."""

    shape = property(lambda self: (3,))
    dtype = np.dtype(float)

    def __len__(self):
        return 3

    def __getitem__(self, key):
        raise IndexError("adversarial")


SPARSE = [np.eye(2, 3), np.zeros((0, 3)), np.zeros((2, 3), bool)]
SPARSE += [np.full((2, 3), NAN), np.full((2, 3), INF), np.eye(2, 3) * 1j]
ODD = [*CORNERS, range(3), {1, 2, 3}, {0: 1, 1: 2, 2: 3}, b"abc", bytearray(b"abc")]
ODD += [memoryview(b"abc"), array.array("d", [1, 2, 3]), (ctypes.c_double * 3)(1, 2, 3)]
ODD += [np.array([[1, 0, 2], [2, 1, 0]]).view(np.matrix)]
ODD += [np.rec.array([(1, 2.0), (2, 3.0), (3, 4.0)])]
ODD += [np.ma.array([1, 2, 3], mask=[0, 1, 0]), np.broadcast_to(1.0, (3,))]
ODD += [np.array([[1], [1, 2], [3]], dtype=object), np.frombuffer(b"\1\0\1", bool)]
ODD += [getattr(sparse, f"{kind}_array")(m) for kind in ["csr", "coo"] for m in SPARSE]
ODD += [sparse.csc_matrix(m) for m in SPARSE]
ODD += [
    getattr(sparse, f"{k}_array")(np.eye(2, 3)) for k in ["dok", "lil", "dia", "bsr"]
]
ODD += [sparse.coo_array(([1.0, 1.0], ([0, 0], [1, 1])), shape=(2, 3))]
ODD += [sparse.coo_array(np.array([1.0, 0, 2])), Adversarial()]
ANYTHING = st.one_of(
    plain_arrays(),
    st.sampled_from(ODD),
    st.lists(st.sampled_from(CORNERS), min_size=3, max_size=3),
    st.lists(st.lists(st.sampled_from(CORNERS), max_size=3), max_size=3),
    st.builds(iter, st.just([1, 2, 3])),
)
GOOD = [[2, 0, 1], [1.0, 1.0, 0.5], np.eye(2, 3), sparse.eye_array(2, 3)]
ARRAYS = ["y_true", "y_score", "qid", "sample_weight", "labels", "known", "pooled"]


def score(measure, y_true, y_score, **options):
    """Score with the setting of the measure, and with the options that it takes."""
    accepted = inspect.signature(measure.function).parameters
    options = {name: v for name, v in options.items() if name in accepted}
    return measure.function(y_true, y_score, **measure.params | options)


FIRST = {name: Case(name, cases[0]) for name, cases in ref.SETTINGS.items()}
MEASURES = st.sampled_from(sorted(FIRST)).map(FIRST.get)


def check_arrays(measure, good, odd):
    """Score the good array against itself, but for those that are odd."""
    known = np.ones(np.shape(good), dtype=bool)
    arguments = {"y_true": good, "y_score": good, "known": known, **odd}
    found = answer(score, measure, **arguments)
    if found is not REFUSED:
        assert isinstance(found, float)
        least, largest = measure.measure.range
        assert math.isnan(found) or least - 1e-9 <= found <= largest + 1e-9


@MANY
@given(
    MEASURES,
    st.sampled_from(GOOD),
    st.dictionaries(st.sampled_from(ARRAYS), ANYTHING, min_size=1, max_size=3),
)
def test_any_arrays(measure, good, odd):
    check_arrays(measure, good, odd)


@pytest.mark.parametrize("place", ARRAYS)
@pytest.mark.parametrize(
    "name", ["ndcg", "infap", "coverage", "set_recall", "set_cost"]
)
def test_one_odd_array(name, place):
    measure = FIRST[METRICS[name].function.__name__]
    for good in GOOD[::2]:
        for odd in [*ODD, *([value, 1, 0] for value in CORNERS)]:
            check_arrays(measure, good, {place: odd})


# The same numbers in other clothes ----------------------------------------------------

WHOLE = ["int8", "int16", "int32", "int64", "uint8", "uint64", "bool"]
CLOTHES = {name: lambda values, name=name: values.astype(name) for name in WHOLE}
CLOTHES |= {
    "list": np.ndarray.tolist,
    "tuple": lambda values: tuple(values.tolist()),
    "scalars": list,
    "strided": lambda values: np.repeat(values, 2)[::2],
    "reversed": lambda values: np.ascontiguousarray(values[::-1])[::-1],
    "read-only": lambda values: np.frombuffer(values.tobytes(), values.dtype),
    "swapped": lambda values: values.astype(values.dtype.newbyteorder()),
    "objects": lambda values: values.astype(object),
    "fractions": lambda values: [Fraction(v) if np.isfinite(v) else v for v in values],
    "decimals": lambda values: [Decimal(v) for v in values.tolist()],
    "array.array": lambda values: array.array("d", values),
    "memoryview": lambda values: memoryview(values.astype(np.float64)),
    "ctypes": lambda values: (ctypes.c_double * len(values))(*values),
    "float16": lambda values: values.astype(np.float16),
    "float32": lambda values: values.astype(np.float32),
}


@MANY
@given(
    st.sampled_from(["average_precision_score", "dcg_score", "bpref_score"]),
    st.sampled_from(sorted(CLOTHES)),
    st.sampled_from(sorted(CLOTHES)),
    st.data(),
)
def test_the_same_numbers_in_other_clothes(name, of_grades, of_scores, data):
    n = data.draw(st.integers(1, 12))

    def draw(kind, special):
        whole = st.integers(0, 1 if kind == "bool" else 3)
        halves = whole.map(lambda number: number / 2) | st.just(special)
        values = whole if kind in WHOLE else halves
        return np.array(data.draw(st.lists(values, min_size=n, max_size=n)), float)

    grades, scores = draw(of_grades, NAN), draw(of_scores, -INF)
    ids = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    arguments = CLOTHES[of_grades](grades), CLOTHES[of_scores](scores)
    with no_warnings():
        found = getattr(irm.metrics, name)(*arguments, qid=ids, average=None)
    expected = ref.per_query(ref.RANKED[name], grades, scores, ids.tolist())
    assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


# Adversarial sizes --------------------------------------------------------------------

HUGE = [10**18, 2**63, 2**64, 10**30, 10**300, 10**400, 10**5000]
LARGE = [1e18, 1e300, 1.7e308, 5e-324, *HUGE]
UNITS = [np.linspace(0, 1, 10**4), [5e-324, 1 - 1e-16]]
SIZES = {
    **dict.fromkeys(["k", "n_expected"], HUGE),
    **dict.fromkeys(["alpha", "beta", "epsilon", "max_grade", "recall_level"], LARGE),
    **dict.fromkeys(["false_alarm_cost", "miss_cost", "relevance_threshold"], LARGE),
    **dict.fromkeys(["recall_levels", "fpr"], UNITS),
    "replace_undefined_by": LARGE,
    "persistence": [math.nextafter(1, 0), *LARGE],
    "log_base": [math.nextafter(1, 2), *LARGE],
    "gain": [{0: 0, 1: 1e300, 2: 1e308, 3: 1.7e308}, "exponential"],
    "labels": [[0, 10**18], [-(2**63), 2**64 - 1]],
}


@pytest.mark.parametrize("ties", ["average", "stable"])
@pytest.mark.parametrize("name", FIRST)
def test_parameters_of_any_size(name, ties):
    measure = FIRST[name]
    y_true, y_score = [1, 0, 1, 1, 0], [5.0, 4.0, 4.0, 2.0, -INF]
    options = {"known": [1, 0, 0, 1, 0], "ties": ties}
    for parameter in {*measure.row.parameters, "replace_undefined_by"} & {*SIZES}:
        for value in SIZES[parameter]:
            options_ = {**options, parameter: value}
            with little_memory():
                found = answer(
                    score,
                    measure,
                    y_true,
                    measure.scores(np.array(y_score)),
                    **options_,
                )
            assert found is REFUSED or not math.isinf(found)


@pytest.mark.parametrize("k", HUGE, ids=int.bit_length)
def test_cutoffs_of_any_size(k):
    y_true, y_score = [1, 0, 2, 1], [4, 3, 3, 1]
    with little_memory():
        for name in ("ndcg", "p", "recall", "err", "ap(denominator='retrieved')", "rr"):
            found = answer(irm.reports.metric_at_cutoffs, name, y_true, y_score, [1, k])
            if found is not REFUSED and name != "p":
                expected = irm.reports.metric_at_cutoffs(name, y_true, y_score, [1, 4])
                assert_allclose(found, expected, rtol=1e-14)
        found = answer(irm.metrics.gain_curve, y_true, y_score, k=k)
        assert found is REFUSED or found[0].tolist() == [1, 2, 3, 4]
        found = answer(irm.metrics.precision_recall_at_ranks, y_true, y_score, k=k)
        assert found is REFUSED or found.rank.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("far", [2**62, 2**63 - 1, -(2**63)])
def test_ids_far_apart_take_little_memory(far):
    with little_memory():
        found = irm.dcg_score([1, 2, 3], [1, 2, 3], qid=[0, far, 0], average=None)
    assert_allclose(found, [3 + 1 / math.log2(3), 2], rtol=1e-14)


@pytest.mark.parametrize(
    "name", ["ndcg_score", "average_precision_score", "bpref_score"]
)
def test_wide_sparse_rows_take_little_memory(name):
    shape = 2, 10**9
    grades = sparse.csr_array(([1.0, 2.0], ([0, 1], [5, 10**9 - 1])), shape=shape)
    scores = sparse.csr_array(([1.0, 2.0], ([0, 1], [7, 10**9 - 1])), shape=shape)
    with little_memory():
        found = getattr(irm.metrics, name)(grades, scores, average=None)
    assert found.tolist() == [0, 1]
