"""Runs fused as ranx fuses them."""

import numpy as np
import pytest

from oracles.run_forms import as_dict
from sklearn_irmetrics import fuse_runs

ranx = pytest.importorskip("ranx")

WEIGHTED = {"combsum": "wsum", "combmnz": "wmnz", "borda": "w_bordafuse"}
PLAIN = {"rrf": "rrf", "combsum": "sum", "combmnz": "mnz", "combanz": "anz"}
PLAIN |= {"combmax": "max", "isr": "isr", "log_isr": "log_isr", "borda": "bordafuse"}
OF_SCORES = "combsum", "combmnz", "combanz", "combmax"


def draw(rng):
    """Draw runs of the same queries without ties, whose order ranx invents."""
    queries = [f"q{i}" for i in range(4)]
    docs = [*"abcdefghijkl"]  # ranx 0.3.21 loses points of ids of several lengths
    return [
        {
            qid: {doc: float(rng.normal()) for doc in rng.permutation(docs)[:size]}
            for qid, size in zip(queries, rng.integers(2, 12, 4), strict=True)
        }
        for _ in range(3)
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("norm", ["min-max", "sum", "zmuv"])
@pytest.mark.parametrize(
    ("method", "weighted"),
    [*((name, False) for name in PLAIN), *((name, True) for name in WEIGHTED)],
)
def test_fused_runs(method, weighted, norm):
    rng = np.random.default_rng(6)
    for _ in range(5):
        runs = draw(rng)
        weights = rng.random(3).round(2).tolist() if weighted else None
        theirs = ranx.fuse(
            [ranx.Run(run) for run in runs],
            norm=norm if method in OF_SCORES else None,
            method=(WEIGHTED if weighted else PLAIN)[method],
            params={"weights": weights} if weighted else {},
        )
        ours = as_dict(fuse_runs(runs, method, normalize=norm, weights=weights))
        assert ours.keys() == theirs.to_dict().keys()
        for qid, documents in theirs.to_dict().items():
            assert ours[qid] == pytest.approx(documents, abs=1e-9, rel=1e-9)
