"""What NumPy and pandas round or cut stays apart: large integers, NULs, tiny gains."""

import math
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

import sklearn_irmetrics as irm

BIG = 2**53

# Whole numbers that float64 cannot tell apart, in every form that holds them.
LARGE = [0, 2**53, 2**53 + 1]


def in_pandas(values):
    return pytest.importorskip("pandas").Series(values, dtype="Int64", index=[7] * 3)


def in_pandas_with_arrow(values):
    pytest.importorskip("pyarrow")
    return pytest.importorskip("pandas").Series(values, dtype="int64[pyarrow]")


def in_polars(values):
    return pytest.importorskip("polars").Series(values)


def in_arrow(values):
    return pytest.importorskip("pyarrow").array(values)


def in_torch(values):
    return pytest.importorskip("torch").tensor(values)


FORMS = {
    "list": list,
    "int64": np.array,
    "swapped": lambda values: np.array(values, ">i8"),
    "uint64": lambda values: np.array(values, np.uint64),
    "objects": lambda values: np.array(values, object),
    "numpy scalars": lambda values: np.array(list(map(np.int64, values)), object),
    "list with a float": lambda values: [value or 0.0 for value in values],
    "list with a null": lambda values: [value or None for value in values],
    "beyond 64 bits": lambda values: [2**64 * value for value in values],
    "negative": lambda values: [-value for value in values],
    "pandas": in_pandas,
    "pandas with a null": lambda values: in_pandas([None, *values[1:]]),
    "pandas with Arrow": in_pandas_with_arrow,
    "Polars": in_polars,
    "Polars with a null": lambda values: in_polars([None, *values[1:]]),
    "Arrow": in_arrow,
    "Arrow with a null": lambda values: in_arrow([None, *values[1:]]),
    "torch": in_torch,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["y_true", "y_score"])
def test_whole_numbers_that_floats_round_are_refused(name, form):
    values = FORMS[form](LARGE)
    other = in_torch([1.0, 0, 2]) if form == "torch" else [1.0, 0, 2]
    arguments = {"y_true": other, "y_score": other, name: values}
    with pytest.raises(ValueError, match=f"{name} must hold integers below 2"):
        irm.ndcg_score(**arguments)


def test_whole_numbers_at_the_edge_of_the_floats():
    edge = [2 - BIG, BIG - 1, 1 - BIG, BIG - 2]
    for best in range(4):
        y_true = np.arange(4) == best
        assert irm.reciprocal_rank_score(y_true, edge) == [1 / 3, 1, 1 / 4, 1 / 2][best]
    assert irm.kendall_tau_score(edge, [2, 4, 1, 3]) == 1.0
    assert irm.kendall_tau_score([float(BIG), 0.0], [2, 1]) == 1.0
    for large in (csr_array([[0, BIG]]), csr_array([[0, -BIG]])):
        for arguments in ((large, [[1, 2]]), (csr_array([[0, 1]]), large)):
            with pytest.raises(ValueError, match="must hold integers below 2"):
                irm.ndcg_score(*arguments)


def test_arrow_columns_of_codes_may_lack_some():
    """NumPy gets the first value for them from PyArrow."""
    pa = pytest.importorskip("pyarrow")
    grades = pa.chunked_array([[1.0, None], [0.0, None]]).dictionary_encode()
    assert irm.metrics.judged_at_k_score(grades, [4, 3, 2, 1], k=4) == 0.5
    with pytest.raises(ValueError, match="y_score must not contain NaN; got one in r"):
        irm.metrics.judged_at_k_score([1, 0, 1, 0], grades, k=4)


def test_decimals_and_fractions_are_floats():
    values = [Decimal("0.3"), Fraction(1, 3), 0.5]
    assert irm.kendall_tau_score(values, [1, 2, 3]) == 1.0
    assert irm.kendall_tau_score([1, 2, 3], values) == 1.0


@pytest.mark.parametrize("name", ["y_true", "y_score"])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Decimal("0.1"), Decimal("0.10000000000000000001")),
        (Fraction(1, 3), Fraction(10**20 // 3, 10**20)),
        (Fraction(1, 10), Decimal("0.10000000000000000001")),
    ],
)
def test_decimals_and_fractions_that_floats_round_are_refused(name, first, second):
    data = {"y_true": [1, 0, 0], "y_score": [0.3, 0.2, 0.1]}
    with pytest.raises(ValueError, match=f"{name} must hold numbers that floats can"):
        irm.kendall_tau_score(**data | {name: [first, second, 0]})
    assert irm.kendall_tau_score(**data | {name: [first, first, 0]}) > 0


def test_decimal_scores_do_not_say_what_was_retrieved():
    with pytest.raises(ValueError, match="gives every document a rank"):
        irm.score_queries([1, 0, 1], [Decimal(1), Decimal(0), Decimal(0)], "set_p")


@pytest.mark.parametrize("value", [10**400, Fraction(10**400)])
@pytest.mark.parametrize("name", ["y_true", "y_score"])
def test_numbers_that_no_float_holds_are_refused(name, value):
    good = {"y_true": [1, 0], "y_score": [2, 1]}
    with pytest.raises(TypeError, match=f"{name} must hold real numbers.*"):
        irm.ndcg_score(**good | {name: [value, 1]})


@pytest.mark.skipif(np.longdouble().itemsize < 9, reason="no wider than float64")
def test_long_doubles_are_refused():
    with pytest.raises(TypeError, match="of type float128. Floats may have at most 64"):
        irm.reciprocal_rank_score([0, 1], np.array([1, 2], np.longdouble))


# Iterables ----------------------------------------------------------------------------

NO_SEQUENCES = {
    "generator": lambda: (value for value in (1, 0)),
    "map": lambda: map(int, "10"),
    "set": lambda: {1, 0},
    "dict": lambda: {1: 1, 0: 0},
    "dict_values": lambda: {1: 1, 2: 0}.values(),
    "list_iterator": lambda: iter([1, 0]),
    "zip": lambda: zip([1, 0]),  # noqa: B905
}


@pytest.mark.parametrize("kind", NO_SEQUENCES)
@pytest.mark.parametrize("name", ["y_true", "y_score", "qid", "sample_weight"])
def test_what_is_no_sequence_is_named(name, kind):
    arguments = {"y_true": [1, 0], "y_score": [2, 1], name: NO_SEQUENCES[kind]()}
    message = f"{name} must be an array or a sequence; got a {kind}"
    with pytest.raises(TypeError, match=message):
        irm.ndcg_score(**arguments)


@pytest.mark.parametrize("kind", NO_SEQUENCES)
def test_no_classes_without_a_sequence(kind):
    message = f"must be an array or a sequence; got a {kind}"
    for arguments in (([1, 0],), ()):
        values = [*arguments, NO_SEQUENCES[kind](), [1, 0]][:2]
        with pytest.raises(TypeError, match=f"y[12] {message}"):
            irm.metrics.scott_pi_score(*values)
    with pytest.raises(TypeError, match=f"y_pred {message}"):
        irm.set_precision_score([1, 0], NO_SEQUENCES[kind]())
    with pytest.raises(TypeError, match=f"labels {message}"):
        irm.set_f1_score([0, 1], [0, 1], labels=NO_SEQUENCES[kind]())


# Class labels -------------------------------------------------------------------------

ALIKE = [
    ["a", "a\0"],
    [b"\x01", b"\x01\0"],
    [5, 2**63 + 1, 2**63 + 2],
    [1, 2**64, 2**64 + 1],
    [BIG, BIG + 1, -1],
]


@pytest.mark.parametrize("labels", ALIKE, ids=repr)
def test_labels_that_look_alike_are_different_classes(labels):
    n = len(labels)
    turned = labels[1:] + labels[:1]
    # None agrees, and each class is there twice.
    chance = n * (2 / (2 * n)) ** 2
    assert irm.metrics.scott_pi_score(labels, turned) == pytest.approx(
        -chance / (1 - chance)
    )
    costs = np.arange(n * n).reshape(n, n)
    cost = irm.set_cost_matrix_loss(labels, turned, cost_matrix=costs, labels=labels)
    pairs = [(i, (i + 1) % n) for i in range(n)]
    assert cost == pytest.approx(sum(costs[pair] for pair in pairs))


def test_labels_of_two_types_keep_apart():
    signed, unsigned = np.array([2**60, 2**60 + 1]), np.array([2**60 + 1, 2**60], "u8")
    for call in (
        lambda: irm.metrics.scott_pi_score(signed, unsigned),
        lambda: irm.metrics.set_cost_matrix_loss(unsigned, signed),
    ):
        with pytest.raises(TypeError, match="of one type where integers are beyond"):
            call()
    for first, second in (([1], ["1"]), (["a"], [b"a"]), ([1, "1"], ["1", 1])):
        with pytest.raises(TypeError, match="labels of one kind"):
            irm.metrics.scott_pi_score(first, second)
    with pytest.raises(TypeError, match="y1 must not be a masked array"):
        irm.metrics.scott_pi_score(np.ma.array([1, 2], mask=[0, 1]), [1, 2])


# Exponential gains --------------------------------------------------------------------

GRADES = [1e-300, 1e-17, 1e-9, 0.1, 0.5, 0.999999999999, 1 - 2**-53, 1.5, 2.25, 30.3]
GRADES += [-grade for grade in GRADES]


def exact_gain(grade):
    with localcontext(getcontext()) as context:
        context.prec = 400
        return float(Decimal(2) ** Decimal(grade) - 1)


def gains_of(grades):
    options = {"qid": range(len(grades)), "gain": "exponential", "average": None}
    return irm.cumulative_gain_score(grades, grades, k=1, **options)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_exponential_gains_keep_all_digits(library):
    torch = pytest.importorskip("torch") if library == "torch" else None
    grades = torch.tensor(GRADES, dtype=float) if torch else np.array(GRADES)
    found = gains_of(grades).tolist()
    expected = [exact_gain(grade) for grade in GRADES]
    assert found == pytest.approx(expected, rel=1e-15, abs=0)
    whole = torch.arange(54.0, dtype=float) if torch else np.arange(54.0)
    assert gains_of(whole).tolist() == [2.0**g - 1 for g in range(54)]
    rising = np.sort(np.nextafter(1.0, 0.0) - np.arange(1000) * 2**-53)
    rising = np.append(rising, 1.0)
    gains = gains_of(torch.tensor(rising) if torch else rising)
    assert (np.diff(gains) >= 0).all()


def test_tiny_grades_have_exponential_gains():
    found = irm.ndcg_score([0, 1e-17], [2, 1], gain="exponential")
    assert found == pytest.approx(1 / math.log2(3), rel=1e-15)
    found = irm.ndcg_score([0, 5e-324], [1, 2], gain="exponential")
    assert found == 1.0


def test_mappings_of_gains_name_each_grade_once():
    with pytest.raises(ValueError, match="all of them numbers that a float can hold"):
        irm.ndcg_score([3, 0], [2, 1], gain={0: 0, BIG: 1, BIG + 1: 2})
    tiny = {0: 0, 5e-324: 1e-300, 1e-310: 2e-300}
    found = irm.ndcg_score([5e-324, 1e-310, 0], [3, 2, 1], gain=tiny)
    gained, ideal = 1 + 2 / math.log2(3), 2 + 1 / math.log2(3)
    assert found == pytest.approx(gained / ideal, rel=1e-14)


@pytest.mark.filterwarnings("ignore:y_true holds fractions, some of them negative")
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_the_least_grade_is_relevant(library):
    torch = pytest.importorskip("torch") if library == "torch" else None
    y_true, y_score = np.array([0, 5e-324, -5e-324]), np.array([3.0, 2.0, 1.0])
    if torch:
        y_true, y_score = torch.tensor(y_true), torch.tensor(y_score)
    assert irm.reciprocal_rank_score(y_true, y_score) == 0.5
    assert irm.ndcg_score(y_true, y_score, negative_grades="clip") > 0


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.longdouble])
@pytest.mark.parametrize(
    ("metric", "name", "value"),
    [
        (irm.metrics.fbeta_at_k_score, "beta", 0),
        (irm.metrics.fbeta_at_k_score, "alpha", 0),
        (irm.metrics.fbeta_at_k_score, "alpha", 1),
        (irm.metrics.interpolated_precision_score, "recall_level", 0),
        (irm.metrics.interpolated_precision_score, "recall_level", 1),
        (irm.precision_at_k_score, "relevance_threshold", 2),
        (irm.metrics.expected_reciprocal_rank_score, "max_grade", 2),
        (irm.average_precision_score, "replace_undefined_by", -1),
    ],
)
def test_parameters_of_any_precision(metric, name, value, kind):
    expected = metric([1, 0, 2], [3, 2, 1], **{name: value})
    assert metric([1, 0, 2], [3, 2, 1], **{name: kind(value)}) == expected


@pytest.mark.parametrize(
    ("metric", "name", "value"),
    [
        (
            irm.metrics.rank_biased_precision_score,
            "persistence",
            1 - Fraction(1, 10**30),
        ),
        (irm.metrics.rank_biased_precision_score, "persistence", Fraction(1, 10**400)),
        (irm.ndcg_score, "log_base", 1 + Fraction(1, 10**30)),
        (irm.precision_at_k_score, "relevance_threshold", Fraction(10**400)),
        (irm.precision_at_k_score, "relevance_threshold", np.timedelta64(1, "s")),
        (irm.precision_at_k_score, "k", np.timedelta64(1, "s")),
    ],
)
def test_parameters_are_checked_as_floats_hold_them(metric, name, value):
    with pytest.raises(ValueError, match=f"{name} must be "):
        metric([1, 0, 2], [3, 2, 1], **{name: value})


@pytest.mark.parametrize("values", [["a", "b"], [1, "b"], [[1, 2], [3, "b"]]])
def test_text_is_named_whatever_holds_it(values):
    y_true = np.ones(np.shape(values), dtype=int)
    with pytest.raises(TypeError, match=r"y_score must hold real numbers; got text: '"):
        irm.score_queries(y_true, np.array(values, dtype=object), "ap")
