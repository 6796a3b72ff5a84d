"""What trec_eval 10 prints and the command line leaves out, as it is wrong elsewhere.

Every other line of NIST's expected files is in ``tests/runs/test_cli.py``.
"""

import pytest

import sklearn_irmetrics
from sklearn_irmetrics.runs import align


def test_rank_biased_precision_of_binary_grades(shared_data):
    # The only queries of which trec_eval 10-rc computes it from initialised memory.
    folder = shared_data("trec_eval/test")
    aligned = align(folder / "qrels.test", folder / "results.test")
    lines = (folder / "out.test.aq").read_text().splitlines()
    expected = {
        query: float(text)
        for name, query, text in map(str.split, lines)
        if name == "rbp" and query in ("301", "302")
    }
    assert len(expected) == 2
    values = sklearn_irmetrics.rank_biased_precision_score(
        aligned.y_true,
        aligned.y_score,
        qid=aligned.qid,
        persistence=0.9,
        ties="stable",
        average=None,
    )
    for query, value in zip(dict.fromkeys(aligned.qid), values, strict=True):
        if query in expected:
            assert value == pytest.approx(expected[query], abs=5.1e-5)
