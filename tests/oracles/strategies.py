"""What hypothesis draws: rankings, rising scores, and anything at all."""

import math
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from oracles.adversarial import harden, ladder
from oracles.cases import Rankings

# Whatever hypothesis shrinks to comes first.
GRADES = np.array([0.0, 1.0, 2.0, 3.0, 0.5, 2.5, -1.0, math.nan])
LEVELS = np.array([0.0, 1.0, 2.0, 3.0, -math.inf])
KINDS = len(GRADES), len(LEVELS), 2
documents = st.integers(0, math.prod(KINDS) - 1)
picks = st.integers(0, 10**6)


def _decode(queries, seed, *, tied):
    """Read a grade, a score and a mark off each number."""
    numbers = np.array(sum(queries, []))
    grade, level, mark = np.unravel_index(numbers, KINDS)
    lengths = list(map(len, queries))
    y_score = LEVELS[level]
    if not tied:
        places = np.concatenate([np.arange(n, 0.0, -1) for n in lengths])
        y_score = np.where(y_score > -np.inf, places, -np.inf)
    qid = np.repeat(np.arange(len(queries)), lengths)
    y_score = harden(np.random.default_rng(seed), y_score, qid)
    return Rankings(GRADES[grade], y_score, qid, mark.astype(bool))


def rankings(*, tied=True, max_queries=5, max_length=7):
    """Draw queries: tied scores or none, unjudged, not retrieved, negative grades."""
    query = st.lists(documents, min_size=1, max_size=max_length)
    queries = st.lists(query, min_size=1, max_size=max_queries)
    return st.builds(partial(_decode, tied=tied), queries, picks)


def rising(n, **limits):
    """Draw n floats that rise strictly, of every magnitude there is."""
    floats = st.floats(allow_nan=False, allow_infinity=False, **limits)
    return st.lists(floats, min_size=n, max_size=n, unique=True).map(sorted)


def close(n):
    """Draw n floats that rise strictly, most by little."""
    return picks.map(lambda seed: ladder(np.random.default_rng(seed), n))


# Anything at all ----------------------------------------------------------------------

CORNERS = [0, 1, -1, 2, 0.5, math.nan, math.inf, -math.inf, -0.0, 5e-324, 1e300]
CORNERS += [1.7e308, 2**53 + 1, np.float16(1), np.timedelta64(1, "D")]
CORNERS += [2**63, 2**64, -(2**63) - 1, 10**30, 10**400, True, None, "a", "1", b"1"]
CORNERS += [1j, (), (1,), [], {}, Decimal("0.1"), Decimal("NaN"), Fraction(1, 3)]
CORNERS += [np.datetime64("NaT", "ns"), np.str_("x"), NotImplemented, int, math]
CORNERS += [date(2020, 1, 1), datetime(2020, 1, 1), object(), Ellipsis, frozenset([1])]
CORNERS += [np.array(1.0), np.array([1.0])]
DTYPES = (
    hnp.scalar_dtypes()
    | hnp.integer_dtypes(endianness="?")
    | hnp.floating_dtypes(endianness="?")
    | st.sampled_from(["g", "V2", "O", "i4,f8", "2i4", "S0"]).map(np.dtype)
)
SHAPES = st.sampled_from(
    [(3,), (3,), (3,), (2, 3), (3, 3), (0,), (), (1, 1, 3), (0, 3)]
)


@st.composite
def plain_arrays(draw):
    dtype, shape = draw(DTYPES), draw(SHAPES)
    if dtype.kind == "O":
        return draw(hnp.arrays(object, shape, elements=st.sampled_from(CORNERS)))
    if dtype.kind == "V":
        return np.zeros(shape, dtype)
    values = draw(hnp.arrays(dtype, shape))
    return values[::-1] if values.ndim and draw(st.booleans()) else values
