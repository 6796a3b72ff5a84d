"""What the guide says about several processes, on two real ones that talk by gloo."""

import doctest
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from oracles.code_blocks import find_blocks
from oracles.places import ROOT
from sklearn_irmetrics import score_queries

torch = pytest.importorskip(
    "torch", reason="torch is not installed: no recipe runs on two processes"
)
if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
    pytest.skip("this torch has no gloo", allow_module_level=True)

METRICS = ["p@5", "ndcg@10", "mrr", "map"]

SHARE = """
import json, sys
path, rank = sys.argv[1], int(sys.argv[2])
distributed.init_process_group(
    "gloo", init_method=f"file://{path}/meet", rank=rank, world_size=2
)
from torch.utils.data import DataLoader, TensorDataset
y_true, y_score, qid = torch.from_numpy(np.load(f"{path}/rows.npy"))
rows = TensorDataset(torch.arange(len(qid)), y_true, y_score, qid)
shared = list(DataLoader(rows, 4, sampler=DistributedSampler(rows, shuffle=False)))
alone = list(DataLoader(rows, 4)) if rank == 0 else []
found = [score_all(batches, %r) for batches in (shared, alone)]
n_shared = sum(len(batch[0]) for batch in shared)
open(f"{path}/found{rank}", "w").write(json.dumps([n_shared, found]))
distributed.destroy_process_group()
"""


def code_of(title):
    """Return the code of a section of the page about several processes as a script."""
    page = (ROOT / "docs/guide/distributed.rst").read_text(encoding="utf-8")
    section = page.split(f"\n{title}\n{'-' * len(title)}\n")[1].split("\n---")[0]
    parser = doctest.DocTestParser()
    return "".join(
        example.source
        for block in find_blocks(section)
        for example in parser.get_examples(block.code)
    )


@pytest.fixture
def start(tmp_path):
    """Start a script in processes that see this checkout, and wait for them."""

    def start(script, *arguments, **environment):
        path = tmp_path / "script.py"
        path.write_text(script, encoding="utf-8")
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment |= {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
        started = [
            subprocess.Popen(
                [sys.executable, str(path), *map(str, words)],
                env={**os.environ, **environment},
                cwd=tmp_path,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for words in arguments
        ]
        try:
            said = [process.communicate(timeout=300)[0] for process in started]
        finally:
            for process in started:
                process.kill()
        assert not any(process.returncode for process in started), "\n".join(said)
        return said

    return start


def test_two_processes_give_the_values_of_one(start, tmp_path):
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 3, 45), rng.normal(size=45).round(1)
    qid = np.arange(45) // 9 % 4  # queries are cut
    np.save(tmp_path / "rows.npy", [y_true, y_score, qid])
    script = code_of("Without torchmetrics") + SHARE % METRICS
    start(script, (tmp_path, 0), (tmp_path, 1))
    expected = score_queries(y_true, y_score, METRICS, qid=qid).mean
    for rank in (0, 1):
        n_shared, found = json.loads((tmp_path / f"found{rank}").read_text())
        assert n_shared == 23  # of 46, as the sampler pads
        for values in found:  # one process may also have everything
            assert list(values) == METRICS
            assert_allclose(list(values.values()), list(expected.values()), rtol=1e-12)
