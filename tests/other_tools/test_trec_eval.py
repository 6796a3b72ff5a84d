"""The same numbers as trec_eval: NIST's expected files, and pytrec_eval."""

import re

import numpy as np
import pytest

import sklearn_irmetrics
from sklearn_irmetrics.runs import align, read_qrels, read_run

# Measures of trec_eval that the package does not have, and rows that are no measures.
# rbp and its residual and unj_k are left out because trec_eval 10-rc gets them wrong.
OTHERS = re.compile(
    r"runid|num_.*|Rprec_mult_.*|utility.*|binG|G|ndcg_rel|Rndcg|relstring.*"
    r"|set_relative_P|set_map|rbp|rbp_resid|unj_\d+"
)
EVERYWHERE = {
    "map": "average_precision_score",
    "gm_map": "average_precision_score",
    "Rprec": "r_precision_score",
    "bpref": "bpref_score",
    "gm_bpref": "bpref_score",
    "recip_rank": "reciprocal_rank_score",
    "infAP": "inferred_average_precision_score",
    "ndcg": "ndcg_score",
}
AT_CUTOFF = {
    "P": ("precision_at_k_score", {}),
    "recall": ("recall_at_k_score", {}),
    "relative_P": ("recall_at_k_score", {"capped": True}),
    "success": ("success_at_k_score", {}),
    "map_cut": ("average_precision_score", {}),
    "ndcg_cut": ("ndcg_score", {}),
}
SETS = {
    "set_P": "set_precision_score",
    "set_recall": "set_recall_score",
    "set_F": "set_f1_score",
}


def translate(name, version):
    """Return the function and the options that a name of trec_eval stands for."""
    rounding = {"recall_rounding": f"trec_eval{version}"}
    if name in EVERYWHERE:
        average = {"average": "geometric"} if name.startswith("gm_") else {}
        return EVERYWHERE[name], average
    if name in SETS:
        return SETS[name], {}
    base, _, parameter = name.rpartition("_")
    if base in AT_CUTOFF and parameter.isdigit():
        function, options = AT_CUTOFF[base]
        return function, {"k": int(parameter)} | options
    if base == "iprec_at_recall":
        level = {"recall_level": float(parameter)}
        return "interpolated_precision_score", level | rounding
    if name.startswith("11pt_avg"):
        levels = name.removeprefix("11pt_avg").removeprefix("_")
        options = {"recall_levels": eval_levels(levels)} if levels else {}
        return "eleven_point_precision_score", options | rounding
    if name.startswith("ndcg_"):  # gains of some levels; the others keep their grade
        pairs = [pair.split("=") for pair in parameter.split(",")]
        gains = {grade: float(grade) for grade in range(10)}
        gains |= {int(grade): float(gain) for grade, gain in pairs}
        return "ndcg_score", {"gain": gains}
    return None, {}


def eval_levels(text):
    return tuple(map(float, text.split(",")))


def evaluate(aligned, name, *, version, threshold=None, average=None, **more):
    """Compute one measure of trec_eval."""
    function, options = translate(name, version)
    options = {
        "qid": aligned.qid,
        "average": average,
        "replace_undefined_by": 0.0,
        **options,
        **more,
    }
    y_true, y_score = aligned.y_true, aligned.y_score
    if function.startswith("set_"):
        y_true = y_true >= (threshold or 1)
        y_score = y_score > -np.inf
    else:
        options["ties"] = "stable"
        if threshold is not None and function != "ndcg_score":
            options["relevance_threshold"] = threshold
    if function == "inferred_average_precision_score":
        options["pooled"] = aligned.pooled
    return getattr(sklearn_irmetrics, function)(y_true, y_score, **options)


# NIST's expected files, written by version 10 -----------------------------------------


def expected_rows(path):
    """Read the rows (measure, query, value); values may be text."""
    return [line.split() for line in path.read_text().splitlines()]


# File, qrels, run, relevance level, options of align, how many measures it holds.
TEST, TRUNCATED = ("qrels.test", "results.test"), ("qrels.test", "results.trunc")
COMMENT = ("qrels.comment.test.gz", "results.comment.test.gz")
FILES = [
    ("out.test", *TEST, None, {}, 25),
    ("out.test.a", *TEST, None, {}, 71),
    ("out.test.aq", *TEST, None, {}, 71),
    ("out.test.aqc", *TRUNCATED, None, {}, 71),
    ("out.test.aqcM", *TRUNCATED, None, {"max_docs": 100}, 71),
    ("out.test.aql", "qrels.rel_level", "results.test", 2, {}, 71),
    ("out.test.meas_params", *TEST, None, {}, 18),
    ("out.comment.test", *COMMENT, None, {}, 25),
]


@pytest.mark.parametrize(
    ("file", "qrels", "run", "threshold", "options", "n_measures"), FILES
)
def test_expected_files(shared_data, file, qrels, run, threshold, options, n_measures):
    folder = shared_data("trec_eval/test")
    aligned = align(read_qrels(folder / qrels), read_run(folder / run), **options)
    queries = list(dict.fromkeys(aligned.qid))
    compared = set()
    for name, query, text in expected_rows(folder / file):
        if OTHERS.fullmatch(name):
            continue
        assert translate(name, 10)[0] is not None, name
        if query == "all":
            average = {} if name.startswith("gm_") else {"average": "macro"}
        else:
            average = {"average": None}
        value = evaluate(aligned, name, version=10, threshold=threshold, **average)
        value = value if query == "all" else value[queries.index(query)]
        assert value == pytest.approx(float(text), abs=5.01e-5), (name, query)
        compared.add(name)
    assert len(compared) == n_measures


def test_rank_biased_precision_of_binary_grades(shared_data):
    # The only queries of which trec_eval 10-rc computes it from initialised memory.
    folder = shared_data("trec_eval/test")
    aligned = align(folder / "qrels.test", folder / "results.test")
    expected = {
        query: float(text)
        for name, query, text in expected_rows(folder / "out.test.aq")
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
