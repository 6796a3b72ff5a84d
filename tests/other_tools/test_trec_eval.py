"""The same numbers as trec_eval: NIST's expected files, and pytrec_eval."""

import random
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
    """Compute one measure of trec_eval, or return None where we do not have it."""
    function, options = translate(name, version)
    if function is None or not hasattr(sklearn_irmetrics, function):
        return None
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
    compared, absent = set(), set()
    for name, query, text in expected_rows(folder / file):
        if OTHERS.fullmatch(name):
            continue
        assert translate(name, 10)[0] is not None, name
        if query == "all":
            average = {} if name.startswith("gm_") else {"average": "macro"}
        else:
            average = {"average": None}
        value = evaluate(aligned, name, version=10, threshold=threshold, **average)
        if value is None:
            absent.add(name)
            continue
        value = value if query == "all" else value[queries.index(query)]
        assert value == pytest.approx(float(text), abs=5.01e-5), (name, query)
        compared.add(name)
    assert len(compared) + len(absent) == n_measures
    assert "map" in compared or "ndcg_cut_10" in compared


def test_rank_biased_precision_of_binary_grades(shared_data):
    # The only queries of which trec_eval 10-rc computes it from initialised memory.
    if not hasattr(sklearn_irmetrics, "rank_biased_precision_score"):
        return
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


# pytrec_eval (version 9) on random runs -----------------------------------------------

CUTOFFS = (1, 3, 5, 10, 30, 100)


def random_query(rng, n_documents):
    """Draw judgments and a run: ties, some of them made by float32 only."""
    documents = [f"D{i}" for i in rng.sample(range(10_000), n_documents)]
    levels = rng.choice([(0, 1), (0, 0, 0, 1, 2, 3), (-2, -1, 0, 0, 1, 2)])
    qrels = {d: rng.choice(levels) for d in documents if rng.random() < 0.7}
    decimals = rng.choice([0, 1, 12])
    run = {}
    for docno in documents:
        if rng.random() < 0.8:
            score = round(rng.gauss(0, 2), decimals)
            run[docno] = score + rng.choice([0, 1e-9, -1e-9])
    return qrels, run


@pytest.fixture(scope="module")
def random_runs():
    rng = random.Random(0)
    lengths = [rng.randint(1, 12) for _ in range(80)] + [rng.randint(50, 200)] * 20
    drawn = {f"q{i:03d}": random_query(rng, n) for i, n in enumerate(lengths)}
    drawn = {query: pair for query, pair in drawn.items() if all(pair)}
    qrels = {query: qrels for query, (qrels, _) in drawn.items()}
    return qrels, {query: run for query, (_, run) in drawn.items()}


def names_of_version_9():
    names = {"map", "Rprec", "bpref", "recip_rank", "infAP", "ndcg", "11pt_avg", *SETS}
    names |= {f"{base}_{k}" for base in AT_CUTOFF for k in CUTOFFS}
    return names | {f"iprec_at_recall_{tenth / 10:.2f}" for tenth in range(11)}


@pytest.mark.parametrize("threshold", [1, 2])
def test_pytrec_eval(random_runs, threshold):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = random_runs
    names = names_of_version_9()
    requested = {name for name in names if not name.startswith("iprec")}
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, requested | {"iprec_at_recall"}, relevance_level=threshold
    )
    expected = evaluator.evaluate(run)
    aligned = align(qrels, run, unmatched="ignore")
    queries = list(dict.fromkeys(aligned.qid))
    assert sorted(expected) == queries
    compared = 0
    for name in sorted(names):
        values = evaluate(aligned, name, version=9, threshold=threshold)
        if values is None:
            continue
        theirs = [expected[query][name] for query in queries]
        np.testing.assert_allclose(values, theirs, atol=1e-6, err_msg=name)
        compared += 1
    assert compared >= 40


def test_pytrec_eval_with_judged_documents_only(random_runs):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = random_runs
    # There a document with a negative grade is kept; here it is not judged.
    queries = [query for query in qrels if min(qrels[query].values()) >= 0]
    qrels = {query: qrels[query] for query in queries}
    run = {query: run[query] for query in queries}
    names = {"map", "P_5", "recip_rank", "ndcg", "ndcg_cut_10", "Rprec", "success_3"}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, names, judged_docs_only_flag=True)
    expected = evaluator.evaluate(run)
    aligned = align(qrels, run, unmatched="ignore")
    for name in names:
        values = evaluate(aligned, name, version=9, judged_only=True)
        theirs = [expected[query][name] for query in dict.fromkeys(aligned.qid)]
        np.testing.assert_allclose(values, theirs, atol=1e-6, err_msg=name)


def test_pytrec_eval_averages(random_runs):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = random_runs
    aligned = align(qrels, run, unmatched="ignore")
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut_10", "P_5"})
    expected = list(evaluator.evaluate(run).values())
    for name in ("map", "ndcg_cut_10", "P_5"):
        theirs = pytrec_eval.compute_aggregated_measure(
            name, [values[name] for values in expected]
        )
        ours = evaluate(aligned, name, version=9, average="macro")
        assert ours == pytest.approx(theirs, abs=1e-6)
