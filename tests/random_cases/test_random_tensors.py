"""Random rankings as tensors of every kind: the values of the arrays."""

import numpy as np
import pytest

from oracles import reference as ref
from oracles.cases import TIES, Case, queries_at_once
from sklearn_irmetrics._core.namespace import to_numpy

torch = pytest.importorskip("torch")
pytest.importorskip("sklearn_irmetrics._core.torch.blocks")
pytestmark = pytest.mark.filterwarnings("ignore:y_true holds fractions")


def as_tensor(rng, array):
    """Return a tensor with these values: a plain one, or a view of another."""
    tensor = torch.tensor(array)
    form = rng.integers(4)
    if form == 1:
        return torch.stack([tensor, tensor], dim=1)[:, 0]
    if form == 2 and tensor.dtype == torch.float64:
        return tensor.requires_grad_()
    if form == 3:
        return torch.cat([tensor, tensor])[len(tensor) :]
    return tensor


@pytest.mark.parametrize("name", ref.SETTINGS)
def test_tensors_and_arrays(name, seed, tally):
    rng = np.random.default_rng([seed, *map(ord, name)])
    for params in rng.permutation(ref.SETTINGS[name])[:3]:
        measure = Case(name, params)
        drawn = queries_at_once(rng, rng.integers(1, rng.choice([4, 12, 90]), 25))
        if rng.random() < 0.5:
            drawn = drawn.at(np.argsort(drawn.qid, kind="stable"))
        if rng.random() < 0.3:
            drawn = drawn.scored(drawn.y_score.clip(-3e38, 3e38).astype(np.float32))
        arrays, keywords = measure.arguments(drawn)
        options = measure.rule(str(rng.choice(TIES)))
        tensors = [as_tensor(rng, array) for array in arrays]
        marks = {key: as_tensor(rng, array) for key, array in keywords.items()}
        call = {"average": None, **measure.params, **options}
        expected = measure.function(*arrays, **keywords, **call)
        found = measure.function(*tensors, **marks, **call)
        assert isinstance(found, torch.Tensor)
        off = np.abs(to_numpy(found) - expected)
        both = np.isnan(to_numpy(found)) & np.isnan(expected)
        off = np.where(both, 0.0, off)
        tally("tensors and arrays", off.size, off.max())
        assert off.max() <= 1e-12, (str(measure), options)
