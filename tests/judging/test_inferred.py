"""Inferred AP and nDCG with strata, beside the numbers of sample_eval.pl."""

import gzip
import io

import numpy as np
import pytest

from sklearn_irmetrics import score_run
from sklearn_irmetrics.judging import inferred_scores, read_sampled_qrels
from sklearn_irmetrics.runs import read_qrels

# Drawn at random: query, document, stratum and grade; query, document and score (two
# documents are tied).
QRELS = """
1 d00 3 -1; 1 d02 1 0; 1 d03 3 -1; 1 d04 2 0; 1 d06 2 -1; 1 d07 2 2; 1 d08 3 1; 1 d10
3 -1; 1 d11 2 2; 1 d12 1 2; 1 d13 1 1; 2 d00 1 0; 2 d01 2 -1; 2 d02 3 -1; 2 d03 3 -1; 2
d05 1 0; 2 d06 3 -1; 2 d08 1 2; 2 d09 2 2; 2 d10 3 0; 2 d11 3 -1; 2 d12 3 0; 2 d13 3 -1
"""
RUN = """
1 d07 7.26; 1 d03 5.07; 1 d12 6.12; 1 d09 8.71; 1 d00 6.86; 1 d04 3.61; 1 d01 6.43; 1
d10 5.98; 1 d06 1.08; 1 d08 0.59; 1 d02 6.6; 1 d11 3.87; 1 d05 5.98; 1 d13 3.23; 2 d11
1.08; 2 d13 6.57; 2 d03 7.27; 2 d02 4.28; 2 d01 0.79; 2 d10 5.23; 2 d05 4.33; 2 d00
8.72; 2 d12 6.82; 2 d06 3.44; 2 d07 0.58; 2 d09 5.9; 2 d08 2.79; 2 d04 6.83
"""
# What `perl sample_eval.pl -q` (NIST, as of 10 Oct 2011) prints of them.
PRINTED = {"infap": [0.4512, 0.1717], "infndcg": [0.6543, 0.4652]}


def rows(text):
    return [row.split() for row in text.split(";")]


def qrels_file():
    return "".join(f"{q} 0 {d} {s} {g}\n" for q, d, s, g in rows(QRELS))


def run():
    found = {}
    for query, document, score in rows(RUN):
        found.setdefault(query, {})[document] = float(score)
    return found


def test_agrees_with_sample_eval():
    found = inferred_scores(io.StringIO(qrels_file()), run())
    for name, values in PRINTED.items():
        assert found.scores[name] == pytest.approx(values, abs=6e-5)
        assert found.mean[name] == pytest.approx(np.mean(values), abs=6e-5)
    assert found.query_ids.tolist() == ["1", "2"]


def draw(seed, n_queries=30, n_documents=60, rates=(1.0,)):
    """Return sampled and full judgments, and a run."""
    rng = np.random.default_rng(seed)
    sampled, full, system = [], {}, {}
    for i in range(n_queries):
        grades = rng.choice([0, 0, 0, 1, 2], n_documents)
        scores = grades + rng.normal(scale=2, size=n_documents)
        stratum = rng.integers(0, len(rates), n_documents)
        judged = rng.random(n_documents) < np.array(rates)[stratum]
        ids = [f"d{j}" for j in range(n_documents)]
        full[f"q{i}"] = dict(zip(ids, grades.tolist(), strict=True))
        system[f"q{i}"] = dict(zip(ids, scores.tolist(), strict=True))
        sampled += [
            f"q{i} 0 {one} s{s} {g if known else -1}\n"
            for one, s, g, known in zip(ids, stratum, grades, judged, strict=True)
        ]
    return io.StringIO("".join(sampled)), full, system


def test_all_judged_is_ap_and_ndcg():
    sampled, full, system = draw(0, rates=(1.0, 1.0, 1.0))
    found = inferred_scores(sampled, system)
    expected = score_run(full, system, ["ap", "ndcg"], replace_undefined_by=0)
    assert found.scores["infap"] == pytest.approx(expected.scores["ap"], abs=1e-3)
    assert found.scores["infndcg"] == pytest.approx(expected.scores["ndcg"])


def test_mean_over_samples_is_close_to_the_truth():
    found = []
    for seed in range(20):
        sampled, full, system = draw(seed, rates=(1.0, 0.5, 0.3))
        scores = inferred_scores(sampled, system)
        truth = score_run(full, system, ["ap", "ndcg"]).mean
        ends = scores.interval("infap")
        assert ends[0] < scores.mean["infap"] < ends[1]
        found.append(
            [
                scores.mean["infap"] - truth["ap"],
                scores.mean["infndcg"] - truth["ndcg"],
                ends[0] - 0.04 < truth["ap"] < ends[1] + 0.04,
            ]
        )
    off_ap, off_ndcg, inside = np.mean(found, axis=0)
    assert abs(off_ap) < 0.05  # a ratio: sample_eval has this bias, too
    assert abs(off_ndcg) < 0.02
    assert inside > 0.9


def test_queries_without_results_or_relevant_documents():
    lines = io.StringIO("a 0 x 1 1\nb 0 x 1 1\nc 0 x 1 0\nd 0 x 1 -1\n")
    system = {"a": ["x"], "c": ["x"], "d": ["x"]}
    qrels = read_sampled_qrels(lines)
    found = inferred_scores(qrels, system)
    assert found.scores["infap"].tolist() == [1, 0, 0, 0]
    skipped = inferred_scores(qrels, system, missing="skip")
    assert skipped.query_ids.tolist() == ["a", "c", "d"]
    with pytest.raises(ValueError, match="run lacks 1 of 4 queries"):
        inferred_scores(qrels, system, missing="raise")


def test_only_the_first_thousand_ranks_count():
    lines = "".join(f"q 0 d{i:04d} 1 {int(i in (0, 1050))}\n" for i in range(1100))
    system = {"q": [f"d{i:04d}" for i in range(1100)]}
    found = inferred_scores(io.StringIO(lines), system)
    assert found.mean["infap"] == pytest.approx(0.5, abs=1e-4)
    discounts = 1 / np.log2([2, 3])
    assert found.mean["infndcg"] == pytest.approx(1 / discounts.sum())


def test_files(tmp_path):
    path = tmp_path / "sampled.qrels.gz"
    path.write_bytes(gzip.compress(qrels_file().encode()))
    qrels = read_sampled_qrels(path)
    assert qrels.subtopic[:3].tolist() == ["3", "1", "3"]
    assert qrels.grade[:3].tolist() == [-1, 0, -1]
    assert inferred_scores(path, run()).mean == inferred_scores(qrels, run()).mean


@pytest.mark.parametrize(
    "text, message",
    [
        ("1 0 a 1 1\n1 0 b 1\n", "line 2 must have five fields .*; got 4"),
        ("1 0 a 1 x\n", "grade"),
        ("1 0 a 1 1\n1 0 a 1 1\n", "a"),
    ],
)
def test_wrong_files(text, message):
    with pytest.raises(ValueError, match=message):
        read_sampled_qrels(io.StringIO(text))


def test_judgments_without_strata():
    qrels = read_qrels(io.StringIO("1 0 a 1\n"))
    with pytest.raises(ValueError, match="qrels must have strata"):
        inferred_scores(qrels, {"1": ["a"]})
