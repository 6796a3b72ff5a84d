import zlib

import numpy as np
import pytest

from oracles.cases import deviations

MORE_IF_THOROUGH = 10


@pytest.fixture
def rounds(request, seed):
    """Yield a generator of random numbers for each round: ``rounds(n)``."""
    rng = np.random.default_rng([seed, zlib.crc32(request.node.name.encode())])

    def repeat(n_rounds):
        for _ in range(n_rounds * (MORE_IF_THOROUGH if is_thorough else 1)):
            yield rng

    is_thorough = request.config.option.thorough
    return repeat


@pytest.fixture
def hold(tally):
    """Hold values of queries to those expected: ``hold(oracle, values, expected)``.

    A measure is shown with the rankings and options that it was called with if a value
    is off.
    """

    def hold(oracle, values, expected, *called, tolerance=1e-12, **options):
        off = deviations(values, expected)
        tally(oracle, off.size, off.max(initial=0.0))
        if not off.max(initial=0.0) > tolerance:
            return
        worst = int(off.argmax())
        value, wanted = np.ravel(values)[worst], np.ravel(expected)[worst]
        message = f"{oracle}: {value!r} must be {wanted!r}"
        if called:
            measure, rankings = called
            if np.ndim(values):
                rankings = rankings.query(worst)
            message += f"; {measure} with {options} of {rankings}"
        pytest.fail(message)

    return hold
