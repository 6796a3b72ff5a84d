"""Runs that become one, beside a naive reference."""

import itertools
from functools import partial

import numpy as np
import pytest

from oracles.run_forms import as_dict
from sklearn_irmetrics import score_run
from sklearn_irmetrics.runs import Run, fuse_runs

METHODS = ["rrf", "combsum", "combmnz", "combanz", "combmax", "isr", "log_isr", "borda"]
OF_RANKS = "rrf", "isr", "log_isr", "borda"
WEIGHTS = [0.5, 0.3, 1.2]
NORMS = ["min-max", "sum", "zmuv", None]
RUNS = [
    {"q1": {"d3": -1.81, "d6": 7.37, "d4": 1.12, "d5": 0.15, "d2": -0.61, "d1": 7.68}},
    {"q1": {"d4": 4.54, "d7": 2.86, "d1": 5.58, "d5": 9.95, "d3": 8.92}},
    {"q1": {"d3": 5.24, "d0": 9.17, "d4": 4.83}},
]


def draw(rng, values):
    run = {}
    for qid in rng.permutation(["q1", "q2", "q3"])[: rng.integers(1, 4)].tolist():
        docs = rng.permutation(list("abcdefgh"))[: rng.integers(1, 9)].tolist()
        run[qid] = {doc: float(rng.choice(values)) for doc in docs}
    return run


def scaled(score, scores, normalize):
    low, mean, deviation = min(scores), np.mean(scores), np.std(scores)
    shift, scale = {
        "min-max": (low, max(scores) - low),
        "sum": (low, sum(one - low for one in scores)),
        "zmuv": (mean, deviation if max(scores) > low else 0),
        None: (0, 1),
    }[normalize]
    return (score - shift) / scale if scale else 0


def naive(runs, method, normalize, k=60, weights=None):
    """Fuse document by document; ties by all orders of the tied."""
    weights = [1] * len(runs) if weights is None else weights
    fused = {qid: {} for run in runs for qid, documents in run.items() if documents}
    for qid, found in fused.items():
        for docno in {docno for run in runs for docno in run.get(qid, {})}:
            everything = {docno for run in runs for docno in run.get(qid, {})}
            shares, own = [], []
            for run, weight in zip(runs, weights, strict=True):
                documents = run.get(qid, {})
                if docno not in documents:
                    if method == "borda":
                        rest = len(everything) - len(documents)
                        points = np.mean(np.arange(1, rest + 1))
                        shares.append(points)
                        own.append(weight)
                    continue
                scores, score = list(documents.values()), documents[docno]
                better = sum(one > score for one in scores)
                tied = sum(one == score for one in scores)
                ranks = np.arange(better + 1, better + tied + 1)
                give = {
                    "rrf": lambda rank: 1 / (k + rank),
                    "isr": lambda rank: 1 / rank**2,
                    "log_isr": lambda rank: 1 / rank**2,
                    "borda": partial(np.subtract, len(everything) + 1),
                }
                if method in give:
                    shares.append(np.mean(give[method](ranks)))
                else:
                    shares.append(scaled(score, scores, normalize))
                own.append(weight)
            weighed = [w * share for w, share in zip(own, shares, strict=True)]
            found[docno] = {
                "combmnz": sum(shares) * sum(own),
                "combanz": sum(weighed) / sum(own) if sum(own) else 0,
                "combmax": max(weighed),
                "isr": sum(weighed) * len(own),
                "log_isr": sum(weighed) * np.log(len(own)),
            }.get(method, sum(weighed))
    return fused


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("normalize", NORMS)
@pytest.mark.parametrize("method", METHODS)
def test_the_naive_reference(method, normalize, weighted):
    if method in OF_RANKS and normalize != "min-max":
        return
    rng = np.random.default_rng(0)
    for i in range(20):
        values = rng.normal(size=20) if i % 2 else [-1, 0, 0.5, 2]
        runs = [draw(rng, values) for _ in range(rng.integers(1, 5))]
        weights = None
        if weighted:
            weights = [1.0, *rng.choice([0, 0.5, 3], len(runs) - 1)]
        shared = {"normalize": normalize}
        if method == "rrf":
            shared["k"] = float(rng.integers(0, 100))
        found = as_dict(fuse_runs(runs, method, weights=weights, **shared))
        wanted = naive(runs, method, weights=weights, **shared)
        assert {q: set(ds) for q, ds in found.items()} == {
            q: set(ds) for q, ds in wanted.items()
        }
        for qid, documents in wanted.items():
            assert found[qid] == pytest.approx(documents, rel=1e-10, abs=1e-10)


def test_weights_by_name():
    runs = dict(zip("abc", RUNS, strict=True))
    by_name = {"c": 1.2, "a": 0.5, "b": 0.3}
    wanted = as_dict(fuse_runs(RUNS, "combsum", weights=WEIGHTS))
    assert as_dict(fuse_runs(runs, "combsum", weights=by_name)) == wanted
    assert as_dict(fuse_runs(runs, "combsum", weights=tuple(WEIGHTS))) == wanted
    ones = as_dict(fuse_runs(RUNS, "combmnz", weights=[1, 1, 1]))
    assert as_dict(fuse_runs(RUNS, "combmnz")) == ones


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], r"one number per run, 3; got shape \(2,\)"),
        (1.0, "one number per run, 3"),
        ([1, -1, 1], "non-negative"),
        ([0, 0, 0], "not all zero"),
        ([1, np.nan, 1], "finite"),
        ({"a": 1, "b": 1, "c": 1}, "dict only if runs is a dict"),
    ],
)
def test_weights_that_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        fuse_runs(RUNS, weights=weights)
    with pytest.raises(ValueError, match="dict with the same names"):
        fuse_runs(dict(zip("abc", RUNS, strict=True)), weights={"a": 1, "b": 2})


@pytest.mark.parametrize("method", [m for m in METHODS if m != "rrf"])
def test_only_rrf_has_a_constant(method):
    with pytest.raises(ValueError, match=f"k must be None with method='{method}'; got"):
        fuse_runs(RUNS, method, k=1)


def test_what_got_the_same_is_tied():
    shares = [0.1, 0.2, 0.3, 0.7]
    orders = list(itertools.permutations(shares))
    runs = [
        {"q": {f"d{i}": order[j] for i, order in enumerate(orders)}} for j in range(4)
    ]
    assert len(set(fuse_runs(runs, "combsum", normalize=None).score)) == 1
    lists = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]]
    fused = fuse_runs([{"q": docs} for docs in lists])
    assert len(set(fused.score)) == 1
    assert fused.docno.tolist() == ["c", "b", "a"]
    weights = [0.8, 0.1, 0.4, 0.8]
    lists = [{"q": {"a": 1, "b": 1}}] * 4
    lists[0], lists[3] = {"q": {"a": 1}}, {"q": {"b": 1}}
    for method in ("combmnz", "combanz"):
        fused = fuse_runs(lists, method, weights=weights, normalize=None)
        assert len(set(fused.score)) == 1
    # Tied documents share what their ranks give.
    tied = fuse_runs([{"q": {"a": 1, "b": 1, "c": 0}}], k=0)
    assert tied.score.tolist() == [0.75, 0.75, 1 / 3]


def test_forms_of_runs():
    first, second = {1: {"a": 1.0, "b": 2.0}}, {"1": ["a"], "2": ["c"]}
    wanted = as_dict(fuse_runs([first, second]))
    for runs in (
        {"bm25": first, "dense": second},
        (first, second),
        iter([[("1", "a", 1.0), ("1", "b", 2.0)], second]),
        [Run(np.array(["1", "1"]), np.array(["a", "b"]), np.array([1.0, 2.0])), second],
    ):
        fused = fuse_runs(runs)
        assert as_dict(fused) == wanted
        assert fused.tag == "rrf"
    assert score_run({"1": ["a"], "2": ["c"]}, fused, "mrr").mean == {"mrr": 1.0}
    assert len(fuse_runs([{}])) == 0
    assert len(fuse_runs([{}], "combsum")) == 0


@pytest.mark.parametrize("normalize", NORMS)
def test_adversarial_scores(normalize):
    huge = {"q": {"a": 1.7e308, "b": -1.7e308, "c": 0.0}}
    if normalize is not None:
        score = as_dict(fuse_runs([huge], "combsum", normalize=normalize))["q"]
        assert score["a"] > score["c"] > score["b"]
        assert np.isfinite(list(score.values())).all()
        constant = {"q": {"a": 3.3, "b": 3.3, "c": 3.3}}
        fused = fuse_runs([constant], "combsum", normalize=normalize)
        assert fused.score.tolist() == [0, 0, 0]
    infinite = {"q": {"a": np.inf, "b": 1.0}}
    assert fuse_runs([infinite], k=0).score.tolist() == [1, 0.5]
    with pytest.raises(ValueError, match="score of runs must be finite; got inf for"):
        fuse_runs([infinite], "combsum", normalize=normalize)


@pytest.mark.parametrize("method", ["combsum", "combmnz"])
@pytest.mark.parametrize(
    ("first", "second"), [(1.7e308, 1.7e308), (-1.7e308, -1.7e308), (9e307, 8e307)]
)
def test_sums_that_no_number_can_hold_are_refused(method, first, second):
    runs = [{"q": {"a": 1, "b": first}}, {"q": {"b": second}}]
    if method == "combsum" and first == 9e307:  # the sum is in range, not its double
        assert as_dict(fuse_runs(runs, method, normalize=None))["q"]["b"] == 1.7e308
        return
    with pytest.raises(ValueError, match="finite sum.*query 'q' and document 'b'"):
        fuse_runs(runs, method, normalize=None)


@pytest.mark.parametrize("size", [5e-324, 1e-200, 1.0, 1e200, 1e300])
def test_unit_variance_holds_at_any_size_of_scores(size):
    run = {"q": {"a": 2 * size, "b": size, "c": 0.0}}
    fused = fuse_runs([run], "combsum", normalize="zmuv")
    assert fused.docno.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(fused.score, [1.5**0.5, 0, -(1.5**0.5)], atol=1e-12)


@pytest.mark.parametrize("normalize", ["min-max", "sum", "zmuv"])
def test_huge_scores_of_one_query_leave_tiny_ones_of_another(normalize):
    tiny = {"a": 2e-200, "b": 1e-200, "c": 0.0}
    alone = fuse_runs([{"q": tiny}], "combsum", normalize=normalize)
    beside = fuse_runs(
        [{"q": tiny, "r": {"a": 1e308, "b": -1e308}}], "combsum", normalize=normalize
    )
    assert as_dict(beside)["q"] == as_dict(alone)["q"]
    assert len(set(as_dict(alone)["q"].values())) == 3
