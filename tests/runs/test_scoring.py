"""Judgments and runs in every form that people hold, against pytrec_eval."""

import enum
import json
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from oracles.command import main
from oracles.run_forms import FORMS, Judged, Scored, as_file, as_pytrec_eval, rows_of
from sklearn_irmetrics import coverage_ratio_score, score_queries, score_run
from sklearn_irmetrics.comparison import compare
from sklearn_irmetrics.metrics import inferred_average_precision_score, silence_score
from sklearn_irmetrics.reports import QueryScores, RunScores
from sklearn_irmetrics.runs import Qrels, align, read_qrels, read_run

NAMES = {
    "map": "map",
    "ndcg@10": "ndcg_cut_10",
    "mrr": "recip_rank",
    "p@10": "P_10",
    "recall@100": "recall_100",
}
LIKE_PYTREC_EVAL = {
    "unmatched": "ignore",
    "missing": "skip",
    "ties": "stable",
    "replace_undefined_by": 0.0,
}


def draw(rng, kind):
    """A small collection: ties, missing queries, unjudged documents, odd ids."""

    def spell(i):
        if kind == "str" or (kind == "mixed" and i % 2):
            return f"d{i}" if i % 3 else f"é{i}"
        return np.int64(i) if kind == "numpy" else i

    n_docs = int(rng.integers(1, 30))
    qrels, run = {}, {}
    for query in range(int(rng.integers(1, 6))):
        judged = rng.permutation(n_docs)[: rng.integers(1, n_docs + 1)]
        listed = rng.permutation(n_docs)[: rng.integers(1, n_docs + 1)]
        score = rng.normal(size=len(listed))
        if rng.random() < 0.6:
            score = score.round(int(rng.integers(0, 2)))
        qid = spell(100 + query)
        qrels[qid] = {spell(d): int(rng.integers(0, 4)) for d in judged.tolist()}
        if rng.random() < 0.9 or query == 0:
            pairs = zip(listed.tolist(), score.tolist(), strict=True)
            run[qid] = {spell(d): s for d, s in pairs}
    return qrels, run


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_numbers_of_pytrec_eval(form):
    """300 random collections over all forms."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng = np.random.default_rng(list(form.encode()))
    for i in range(300 // len(FORMS) + 1):
        qrels, run = draw(rng, ("str", "int", "numpy", "mixed")[i % 4])
        theirs = pytrec_eval.RelevanceEvaluator(
            as_pytrec_eval(qrels, int), {"map", "recip_rank", "ndcg_cut", "P", "recall"}
        ).evaluate(as_pytrec_eval(run, float))
        make_qrels, make_run = FORMS[form]
        found = score_run(
            make_qrels(qrels),
            read_run(make_run(run), dtype=np.float32),
            [*NAMES],
            **LIKE_PYTREC_EVAL,
        )
        query_ids = list(map(str, found.query_ids))
        assert query_ids == sorted(theirs)
        for ours, name in NAMES.items():
            expected = [theirs[qid][name] for qid in query_ids]
            np.testing.assert_allclose(found.scores[ours], expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["int", "str"])
def test_readers_take_every_form(form, kind):
    make_qrels, make_run = FORMS[form]
    qrels, run = draw(np.random.default_rng(7), kind)
    names, options = ["map", "ndcg@3"], {"unmatched": "ignore"}
    expected = score_run(make_qrels(qrels), make_run(run), names, **options)
    read = read_qrels(make_qrels(qrels)), read_run(make_run(run))
    found = score_run(*read, names, **options)
    assert found.query_ids.tolist() == expected.query_ids.tolist()
    for name in names:
        np.testing.assert_array_equal(found.scores[name], expected.scores[name])


def test_readers_map_merge_and_round():
    run = {"q": {"d1#0": 0.1, "d1#1": 0.7, "d2#0": 0.5}}
    found = read_run(run, docno=lambda part: part.split("#")[0], merge="max")
    assert dict(zip(found.docno, found.score, strict=True)) == {"d1": 0.7, "d2": 0.5}
    run = {"q": {"a": 0.1, "b": np.nextafter(0.1, 1), "c": -1e300}}
    assert len({*read_run(run).score}) == 3
    rounded = read_run(run, dtype=np.float32).score
    assert rounded.tolist() == [float(np.float32(0.1))] * 2 + [np.finfo("f4").min]


@pytest.mark.parametrize(
    ("read", "data", "error", "message"),
    [
        (read_run, {"a": {"q": {"d": 1}}}, TypeError, "one run; got a dict of runs"),
        (read_run, {}, ValueError, "source must have a document"),
        (read_run, {"q": [("d", 1), ("d", 2)]}, ValueError, "again .*merge='max'"),
        (read_qrels, {}, ValueError, "source must hold a judgment"),
        (read_qrels, {"p": ["d"], "q": []}, ValueError, "got none for 'q'"),
        (read_qrels, 3, TypeError, "qrels must be a Qrels, a path, a table"),
    ],
)
def test_readers_refuse(read, data, error, message):
    with pytest.raises(error, match=message):
        read(data)


@pytest.mark.parametrize("ties", ["average", "optimistic", "pessimistic", "stable"])
@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("max_docs", [None, 1, 3])
def test_the_same_as_align_and_score_queries(ties, missing, max_docs):
    rng = np.random.default_rng(0)
    names = [*NAMES, "judged@5", *["infap"] * (ties in ("average", "stable"))]
    for _ in range(20):
        qrels, run = draw(rng, "str")
        options = {"missing": missing, "max_docs": max_docs}
        options["unmatched"] = "ignore"
        rows = align(qrels, run, **options)
        policy = {"ties": ties, "replace_undefined_by": 0.5}
        expected = score_queries(
            rows.y_true,
            rows.y_score,
            names,
            qid=rows.qid,
            marks={"pooled": rows.pooled},
            **policy,
        )
        found = score_run(qrels, run, names, **options, **policy)
        assert found.query_ids.tolist() == expected.query_ids.tolist()
        for name, values in expected.scores.items():
            np.testing.assert_allclose(found.scores[name], values, rtol=1e-12)


def test_lists_are_in_order_and_sets_are_relevant():
    run = {1: ["a", "b", "c"], "2": ("c", "a"), 3: np.array(["b"])}
    for gold in (
        {1: ["b"], 2: ["a"], 3: ["x", "b"]},
        {"1": {"b"}, "2": frozenset("a"), 3: ["x", "b"]},
    ):
        found = score_run(gold, run, ["mrr", "success@1"])
        assert found.scores["mrr"].tolist() == [0.5, 0.5, 1]
    as_ids = {1: ["ab", "cd"], 2: [("ef", 3)]}  # texts of two letters are no pairs
    assert score_run({1: ["cd"], 2: ["ef"]}, as_ids, "mrr").scores["mrr"].tolist() == [
        0.5,
        1,
    ]
    # One entry that is no pair makes them all documents, which tuples cannot be.
    with pytest.raises(TypeError, match="document ids of run must be .* got"):
        score_run({1: ["a"]}, {1: [("a", 1.0), "b"]}, "mrr")


def test_queries_that_lack_something_are_said_once():
    qrels = {"a": ["x"], "b": [], "c": {"y": 0}, "d": ["x"], "e": []}
    run = {"a": ["x"], "b": ["x"], "c": ["y"]}
    said = [
        "run has no documents for 2 queries ('d', 'e'): counted with nothing retrieved"
        ". Set missing to 'skip' to leave such queries out.",
        "map is undefined in 3 of 5 queries ('b', 'c', 'e') (usually because nothing "
        "is relevant), which are left out of the mean. Set replace_undefined_by to a "
        "number to include them.",
    ]
    for options in ({}, {"ties": "stable"}):
        with pytest.warns(UserWarning) as caught:
            found = score_run(qrels, run, ["p@1", "map"], **options)
        assert [str(warning.message) for warning in caught] == said
        assert found.query_ids.tolist() == ["a", "b", "c", "d", "e"]
        assert found.scores["p@1"].tolist() == [1, 0, 0, 0, 0]
        precision = [1, np.nan, np.nan, 0, np.nan]
        np.testing.assert_array_equal(found.scores["map"], precision)
    with pytest.warns(UserWarning, match="^run 'one': run has no") as caught:
        score_run({"a": ["x"], "b": ["x"]}, {"one": {"a": ["x"]}}, "p@1")
    assert len(caught) == 1
    found = score_run(qrels, run, "p@1", unmatched="ignore")
    assert found.mean == {"p@1": 0.2}


def test_undefined_queries_of_all_runs_are_said_once():
    """One warning names all measures that a cause concerns, and counts the runs."""
    qrels = {"a": ["x"], "b": [], "c": {"y": 0}}
    run = {"a": ["x"], "b": ["x"], "c": ["z", "y"]}
    runs = {"one": run, "two": run, "short": {"a": ["x"], "b": ["x"]}}
    measures = ["p@1", "map", "silence", "ndcg@5"]
    options = {"missing": "skip"}
    with pytest.warns(UserWarning) as caught:
        score_run(qrels, runs, measures, **options)
    assert [str(warning.message).split(", which")[0] for warning in caught] == [
        "map and ndcg@5 are undefined in up to 2 of 3 queries ('b', 'c') of all 3 runs "
        "(usually because nothing is relevant)",
        "silence is undefined in 1 of 3 queries ('a') of all 3 runs (something is "
        "relevant)",
    ]
    assert caught[0].filename == __file__
    runs["short"] = {"a": ["x"]}
    weights = {"a": 1.0, "b": 0.0, "c": 2.0}
    message = r"1 of 2 queries \('c'\) of 2 runs \('one', 'two'\) \(usually"
    with pytest.warns(UserWarning, match=f"^map is undefined in {message}") as caught:
        score_run(qrels, runs, "map", sample_weight=weights, **options)
    assert len(caught) == 1
    score_run(qrels, run, measures, replace_undefined_by=0.0)


@pytest.mark.parametrize("judged", [[], {}, {"x": 0}, {"x": 0, "y": -1}])
@pytest.mark.parametrize("retrieved", [[], {}, None, ["x"], ["z"]])
def test_a_run_keeps_silent_where_it_has_nothing(judged, retrieved):
    qrels = {"a": ["x"], "b": judged, "c": ["x"]}
    run = {"a": ["x"], "b": retrieved, "c": []}
    if retrieved is None:
        del run["b"]
    options = {"unmatched": "ignore", "replace_undefined_by": -1.0}
    measures = ["silence", "p@1", "set_recall", "recall@3"]
    expected = {
        "silence": [-1, 0 if retrieved else 1, -1],
        "p@1": [1, 0, 0],
        "set_recall": [1, -1, 0],
        "recall@3": [1, -1, 0],
    }
    for found in (
        score_run(qrels, run, measures, **options),
        score_run(qrels, {"one": run}, measures, ties="stable", **options)["one"],
    ):
        assert found.query_ids.tolist() == ["a", "b", "c"]
        assert {k: v.tolist() for k, v in found.scores.items()} == expected
    if not retrieved:
        skipped = score_run(qrels, run, measures, missing="skip", **options)
        assert skipped.query_ids.tolist() == ["a"]
        with pytest.raises(ValueError, match="run lacks 2 of 3 queries.*'b', 'c'"):
            score_run(qrels, run, measures, missing="raise", **options)
    aligned = align(qrels, run, unmatched="ignore")
    values = silence_score(
        aligned.y_true, aligned.y_score, qid=aligned.qid, average=None
    )
    np.testing.assert_array_equal(values, [np.nan, 0 if retrieved else 1, np.nan])


def test_silence_of_runs_that_only_keep_silent():
    found = score_run({"b": []}, {}, "silence", unmatched="ignore")
    assert found.mean == {"silence": 1.0}


@pytest.mark.parametrize("qrels", [{"b": []}, {"b": {}}, {"b": ["x"]}])
def test_no_judgment_of_any_query(qrels):
    options = {"exclude": {"b": ["x"]}, "unmatched": "ignore"}
    with pytest.warns(UserWarning, match="undefined in 1 of 1 queries|undefined: "):
        found = score_run(qrels, {"b": ["x", "y"]}, ["p@1", "map"], **options)
    assert found.scores["p@1"].tolist() == [0]
    assert np.isnan(found.mean["map"])


def test_queries_of_files_that_lack_something_are_noted(tmp_path, capsys):
    (tmp_path / "qrels").write_text(json.dumps({"a": ["x"], "b": [], "c": ["y"]}))
    (tmp_path / "run").write_text(json.dumps({"a": ["x"], "b": ["x"]}))
    paths = str(tmp_path / "qrels"), str(tmp_path / "run")
    assert main(["score", *paths, "-m", "p@1"]) == 0
    note = capsys.readouterr().err
    assert "no documents for 1 query (c): counted with nothing retrieved" in note
    assert "nothing relevant for 1 query (b)" in note


def test_several_runs(tmp_path):
    qrels = {f"q{i}": {"a": 1, "b": 0, "c": 2} for i in range(8)}
    one = {qid: {"a": 1.0, "b": 2.0, "c": float(i)} for i, qid in enumerate(qrels)}
    lists = {qid: ["c", "a"] for qid in qrels}
    path = tmp_path / "one"
    path.write_text(as_file(one, "{} Q0 {} 1 {} tag\n").getvalue())
    wanted = score_run(qrels, one, "ndcg")
    pd = pytest.importorskip("pandas")
    runs = {
        "dict": one,
        "lists": lists,
        "path": path,
        "text": str(path),
        "frame": pd.DataFrame(rows_of(one), columns=["qid", "docno", "score"]),
        "tuples": [Scored(*row) for row in rows_of(one)],
        "plain": rows_of(one),
        "one query": {"q0": ["a"]},
    }
    message = "run 'one query': run has no documents for 7 queries"
    with pytest.warns(UserWarning, match=message):
        found = score_run(qrels, runs, "ndcg")
    assert list(found) == list(runs)
    for name, scores in found.items():
        assert isinstance(scores, QueryScores)
        if name not in ("lists", "one query"):
            assert scores.mean == wanted.mean
    result = compare({name: found[name] for name in ("dict", "lists")})
    assert result.n_units == 8
    with pytest.raises(ValueError, match="run 'b': qrels and run must have a query in"):
        score_run(qrels, {"a": one, "b": {"x": {"a": 1}}}, "ndcg")
    with pytest.raises(ValueError, match="run 'q0': qrels and run must have a query"):
        score_run(qrels, {"q0": [("a", 1, 2)]}, "ndcg")
    with pytest.raises(TypeError, match="run 'q0': run must be a dict .* got int for"):
        score_run(qrels, {"q0": {"a": 1}, "p": path}, "ndcg")
    # Queries without documents do not make runs of queries.
    with pytest.warns(UserWarning, match="run has no documents for 1 query .'q7'."):
        found = score_run(qrels, {**one, "q7": {}}, "ndcg")
    assert found.scores["ndcg"][7] == 0


def test_general_arguments_hold_where_measures_have_them():
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": ["x", "a", "b"]}
    names = ["rr", "rr(relevance_threshold=1)", "rr(judged_only=False)", "ndcg@2"]
    general = {"relevance_threshold": 2, "judged_only": True}
    told = r"^relevance_threshold has no effect on ndcg@2: .*'rr\(relevance_threshold=2"
    with pytest.warns(UserWarning, match=told) as warned:
        found = score_run(qrels, {"a": run, "b": run}, names, **general)["a"].mean
    assert len(warned) == 1
    rows = align(qrels, run)
    with pytest.warns(UserWarning, match=told) as warned:
        arrays = score_queries(rows.y_true, rows.y_score, names, **general).mean
    assert len(warned) == 1 and arrays == pytest.approx(found)
    ideal = 2 + 1 / np.log2(3)
    expected = [1 / 2, 1, 1 / 3, (1 + 2 / np.log2(3)) / ideal]
    assert list(found.values()) == pytest.approx(expected)
    message = "relevance_threshold must be a parameter of one of .* ndcg"
    with pytest.raises(ValueError, match=message):
        score_run(qrels, run, "ndcg", relevance_threshold=2)


def test_sets_are_what_was_retrieved():
    found = score_run(
        {"q": {"a": 1, "b": 1, "c": 0}},
        {"q": {"a": 0, "c": 1}},
        ["set_p", "set_recall"],
    )
    assert found.mean == {"set_p": 0.5, "set_recall": 0.5}
    with pytest.raises(ValueError, match="metrics must be of rankings or sets"):
        score_run({"q": {"a": 1}}, {"q": {"a": 0}}, "scott_pi")


@pytest.mark.parametrize("form", ["dicts", "files"])
def test_documents_of_the_pool_have_negative_grades(form):
    qrels = {"q": {"a": 1, "b": -1, "c": 0, "d": 1, "e": -1}}
    run = {"q": dict(zip("bacdxe", range(6, 0, -1), strict=True))}
    aligned = align(qrels, run)
    arrays = aligned.y_true, aligned.y_score
    expected = inferred_average_precision_score(*arrays, pooled=aligned.pooled)
    assert expected != inferred_average_precision_score(*arrays)
    if form == "files":
        qrels = as_file(qrels, "{} 0 {} {}\n")
        run = as_file(run, "{} Q0 {} 1 {} tag\n")
    assert score_run(qrels, run, ["map", "infap"]).mean["infap"] == expected
    nobody = {"pooled": {"q": []}}
    if form == "dicts":
        unpooled = score_run(qrels, run, "infap", marks=nobody).mean["infap"]
        assert unpooled == inferred_average_precision_score(*arrays)


def test_marks_are_found_by_document():
    qrels = {"q": {"a": 1, "b": 1, "c": 1}, "p": {"a": 1, "z": 0}}
    run = {"q": ["x", "b", "a"], "p": ["z"]}
    with pytest.raises(ValueError, match="known.* must hold zeros and ones; got 0.5"):
        score_run(qrels, run, "coverage", marks={"known": {"q": {"a": 0.5}}})
    known = {"q": ["a", "c", "nowhere"], "p": {"a": 1, "z": 0}, "other": ["a"]}
    found = score_run(qrels, run, "coverage", marks={"known": known})
    expected = [
        coverage_ratio_score([0, 1], [1, -np.inf], known=[0, 1]),
        coverage_ratio_score([0, 1, 1, 1], [3, 2, 1, -np.inf], known=[0, 0, 1, 1]),
    ]
    assert found.scores["coverage"].tolist() == expected == [0, 0.5]


def test_marks_of_numbers_are_numbers():
    qrels = {"q": {"a": 1, "b": 0, "c": 1}}
    run = {"q": {"a": 3, "b": 2, "c": 1}}
    marks = {
        "popularity": {"q": {"c": 0.5, "b": 0.25, "a": 0.125, "other": 2}},
        "inverse_propensity": [("q", "a", 2), ("q", "b", 1.0), ("q", "c", 4.0)],
    }
    found = score_run(qrels, run, ["miuf@2", "psp@2", "miuf"], marks=marks).mean
    assert list(found.values()) == pytest.approx([2.5, 2 / 6, 2])
    with pytest.raises(ValueError, match="popularity must be above 0 and .*got 0"):
        score_run(qrels, run, "miuf", marks={"popularity": {"q": {"a": 0.5}}})
    with pytest.raises(TypeError, match="{qid: numbers for qid in qrels}"):
        score_run(qrels, run, "miuf", marks={"popularity": {"a": 0.5, "b": 0.5}})


GOOD = {"q": {"a": 1}}
TWICE = ["q", "q"], ["a", "a"], [1, 2]
QRELS_OF_ONE = Qrels(["q"], ["a"], [1])


@pytest.mark.parametrize("as_ints", [False, True])
@pytest.mark.parametrize(
    "options", [{}, {"max_docs": 2}, {"ties": "stable"}, {"docno": lambda id_: id_}]
)
def test_excluded_documents_are_as_if_removed(options, as_ints):
    rng, convert = np.random.default_rng(4), int if as_ints else str
    excluded = {convert(q): [*map(str, rng.permutation(9)[:3])] for q in range(9)}

    def draw(values, exclude):
        tables = {convert(q): dict.fromkeys(map(str, range(9))) for q in range(8)}
        full = {
            qid: {docno: float(rng.choice(values)) for docno in documents}
            for qid, documents in tables.items()
        }
        kept = {
            qid: {one: n for one, n in documents.items() if one not in exclude[qid]}
            for qid, documents in full.items()
        }
        return full, kept

    qrels, kept_qrels = draw([0, 0, 1, 2], excluded)
    run, kept_run = draw([0.5, 0.7, 0.9], excluded)
    names = ["map", "ndcg@3", "p@2", "bpref", "set_f1"]
    found = score_run(qrels, {"one": run}, names, exclude=excluded, **options)["one"]
    expected = score_run(kept_qrels, kept_run, names, **options)
    assert found.query_ids.tolist() == expected.query_ids.tolist()
    for name in names:
        np.testing.assert_array_equal(found.scores[name], expected.scores[name])
    nothing = score_run(qrels, run, names, exclude={0: {"7": 0}}, **options)
    assert nothing.mean == score_run(qrels, run, names, **options).mean


def test_exclusions_may_leave_nothing():
    qrels, run = {"a": {"x": 1}, "b": {"x": 1}}, {"a": {"x": 2}, "b": {"x": 2}}
    seen = {"a": ["x"]}
    with pytest.warns(UserWarning) as caught:
        found = score_run(qrels, run, ["map", "p@1", "silence"], exclude=seen)
    said = "no documents for 1 q", "map is undefined in 1 of 2 queries ('a')", "silence"
    for warning, text in zip(caught, said, strict=True):
        assert text in str(warning.message)
    assert found.query_ids.tolist() == ["a", "b"]
    assert found.mean == {"map": 1.0, "p@1": 0.5, "silence": 1.0}
    found = score_run(qrels, run, "map", exclude={})
    assert found.mean == {"map": 1.0}
    with pytest.raises(TypeError, match="exclude must be .*got int"):
        score_run(qrels, run, "map", exclude=3)


@pytest.mark.parametrize(
    ("run", "error", "message"),
    [
        (3, TypeError, "run must be a Run, a path, .* got int"),
        (QRELS_OF_ONE, TypeError, "run must be a Run, .* got Qrels"),
        ({"q": {"a", "b"}}, TypeError, "run must rank the .* of query 'q'; got a set"),
        ({"q": 3, "p": ["a"]}, TypeError, "run must be a dict .* got int for .*'q'"),
        ({"q": b"a"}, TypeError, "run must be a dict .* the text b'a' for query 'q'"),
        ({"q": 1.0}, TypeError, "run must be a dict .* got float for query 'q'"),
        ({"q": None}, TypeError, "run must be a dict .* got NoneType for query 'q'"),
        ({"q": {"a": np.nan}}, ValueError, "score of run must not be NaN; got nan"),
        ({"q": {"a": "x"}}, TypeError, "score of run must hold real numbers.*'x'"),
        ({"q": {"a": 10**400}}, TypeError, "score of run must hold real"),
        ({"q": ["a", "a"]}, ValueError, "run: expected each document once .* 'a'"),
        ({"q": [1, "1"]}, ValueError, "run: expected each document once .* '1'"),
        ({"q": {1: 0.5, "1": 0.7}}, ValueError, "got document '1' again"),
        (TWICE, ValueError, "run: expected each document once .* got .* 'a' again"),
        ({"q": [None]}, TypeError, "document ids of run must be .* got None"),
        ({"q": {None: 1}}, TypeError, "document ids of run must be .* got None"),
        ({1.5: {"a": 1}}, TypeError, "query ids of run must be .* got 1.5"),
        ({True: {"a": 1}}, TypeError, "query ids of run must be .* got True"),
        ((["q"], ["a", "b"], [1, 2]), ValueError, "must be 1-D and of one length"),
        ((["q"], ["a"], [[1]]), ValueError, "must be 1-D and of one length"),
        ([("q", "a", 1.0, 2)], TypeError, r"\(qid, docno, score\); got one of 4"),
        ([("q", "a", 1.0), ("q", "a")], TypeError, "run must hold .*; got one of 2"),
        ([("q", "a", 1.0), ["q", "a", 1]], TypeError, "run, if .*; got list"),
        ([["a"], ["b", "c"]], TypeError, r"got list.* pass dict\(enumerate\(run\)\).$"),
        (
            [Scored("q", "a", 1), Judged("q", "b", 1)],
            TypeError,
            "run, .* of one kind; got Scored and Judged",
        ),
        (
            [Judged("q", "a", 1)],
            ValueError,
            "run must have a column 'score'; got the columns .*'relevance'",
        ),
        ({"x": {"a": 1}}, ValueError, "in common; got 'q' in qrels and 'x' in run"),
    ],
)
def test_malformed_runs_are_refused(run, error, message):
    for score in align, partial(score_run, metrics="map"):
        with pytest.raises(error, match=message):
            score(GOOD, run)


@pytest.mark.parametrize("qid", ["q", 1])
@pytest.mark.parametrize("form", ["dict", "tuples", "table"])
def test_numbers_are_read_alike_in_all_forms(qid, form):
    pd = pytest.importorskip("pandas")

    def hold(first, second, value):
        if form == "dict":
            return {qid: {"a": first, "b": second}}
        if form == "tuples":
            return [(qid, "a", first), (qid, "b", second)]
        table = {"qid": [qid] * 2, "docno": ["a", "b"], value: [first, second]}
        return pd.DataFrame(table)

    grades, run = hold(Fraction(1), 0, "grade"), hold(Decimal("1.5"), 1, "score")
    assert score_run(grades, run, "mrr").mean == {"mrr": 1}
    large = 2**53 + 1
    assert score_run(grades, hold(1.0, float(large), "score"), "mrr").mean["mrr"] == 0.5
    with pytest.raises(ValueError, match=r"score of run must hold .* below 2\*\*53"):
        score_run(grades, hold(large, large - 1, "score"), "mrr")
    with pytest.raises(ValueError, match=r"grade of qrels must hold .* below 2\*\*53"):
        score_run(hold(large, large - 1, "grade"), run, "mrr")
    with pytest.raises(TypeError, match="score of run must hold real numbers"):
        score_run(grades, hold(1j, 1, "score"), "mrr")


@pytest.mark.parametrize(
    ("qrels", "error", "message"),
    [
        (3, TypeError, "qrels must be a Qrels, a path, .* got int"),
        ({1, 2}, TypeError, "qrels must be a Qrels, .* got set"),
        (np.ones(3), TypeError, "qrels must be a Qrels, .* got ndarray"),
        ({"q": "a"}, TypeError, "qrels must be a dict .* the text 'a' for query 'q'"),
        ([1], TypeError, r"qrels, .* a list, must hold tuples \(qid, docno, grade"),
        ({"a": {"b": {"c": 1}}}, TypeError, "grade of qrels must hold real numbers"),
        ({"q": {"a": np.inf}}, ValueError, "grade of qrels must be finite; got inf"),
        (TWICE, ValueError, "qrels: expected each document"),
    ],
)
def test_malformed_judgments_are_refused(qrels, error, message):
    for score in align, partial(score_run, metrics="map"):
        with pytest.raises(error, match=message):
            score(qrels, GOOD)


def test_columns_of_one_kind_are_told_apart_by_name():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"qid": ["q", "q"], "docno": ["a", "b"], "docid": [1, 2], "score": [2.0, 1.0]}
    )
    message = "run has several columns of one kind, 'docno' and 'docid'; choose one by"
    with pytest.raises(ValueError, match=message):
        score_run({"q": ["b"]}, frame, "mrr")
    assert score_run({"q": ["b"]}, frame, "mrr", columns={"docno": "docno"}).mean == {
        "mrr": 0.5
    }
    assert score_run({"q": [1]}, frame, "mrr", columns={"docno": "docid"}).mean == {
        "mrr": 1
    }
    judged = pd.DataFrame(
        {"qid": ["q"], "docno": ["b"], "rel": [0], "label": [1], "score": [9]}
    )
    with pytest.raises(ValueError, match="'rel' and 'label'; choose one by columns={'"):
        score_run(judged, {"q": ["a", "b"]}, "mrr")
    found = score_run(judged, {"q": ["a", "b"]}, "mrr", columns={"grade": "score"})
    assert found.mean == {"mrr": 0.5}
    # A slip took the column of a usual name instead.
    with pytest.raises(ValueError, match="run must have the column 'scoer', which col"):
        score_run(
            {"q": ["b"]}, frame, "mrr", columns={"docno": "docno", "score": "scoer"}
        )
    with pytest.raises(ValueError, match="qrels must have the column 'gain', which "):
        score_run(judged, {"q": ["b"]}, "mrr", columns={"grade": "gain"})
    shares = pd.DataFrame({"qid": ["q"], "docno": ["b"], "grade": [0.5]})
    marks = {"popularity": shares}
    options = {"columns": {"grade": "label"}, "replace_undefined_by": 0}
    assert score_run(judged, {"q": ["b"]}, "miuf", marks=marks, **options).mean == {
        "miuf": 1.0
    }
    # Beside a column of grades, scores of a table of judgments are none.
    assert score_run(judged.drop(columns="rel"), {"q": ["b"]}, "p@1").mean == {"p@1": 1}


def test_strings_are_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        score_run(GOOD, "nowhere", "map")
    with pytest.raises(FileNotFoundError, match="q 0 a 1"):
        score_run("q 0 a 1", GOOD, "map")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "tuple"])
def test_ids_keep_nul_at_their_ends(library):
    columns = {"qid": ("q", "q"), "docno": ("a\0", "b"), "score": (2.0, 1.0)}
    if library == "tuple":
        run = tuple(columns.values())
    else:
        module = pytest.importorskip(library)
        run = (module.table if library == "pyarrow" else module.DataFrame)(columns)
    scores = score_run({"q": {"a": 0, "a\0": 1}}, run, "mrr")
    assert scores.mean == {"mrr": 1.0}


def test_the_text_of_an_id_is_its_value():
    query, document = enum.Enum("Name", {"QUERY": "q", "DOCUMENT": "d"}, type=str)
    (number,) = enum.Enum("Number", {"ONE": 1}, type=int)
    for run in ({query: {document: 0.5}}, {query: [document]}):
        assert align({"q": {"d": 1}}, run).docno.tolist() == ["d"]
    assert align({"1": ["d"]}, {number: ["d"]}).qid.tolist() == ["1"]


INTEGERS = {qid: {7: 1} for qid in (10, 9, 2)}


@pytest.mark.parametrize(
    "make",
    [
        dict,
        lambda table: {qid: list(docs) for qid, docs in table.items()},
        rows_of,
        lambda table: tuple(map(np.array, zip(*rows_of(table), strict=True))),
        lambda table: Qrels(*map(np.array, zip(*rows_of(table), strict=True))),
        lambda table: pytest.importorskip("pandas").DataFrame(
            rows_of(table), columns=["qid", "docno", "grade"]
        ),
    ],
    ids=["dict", "lists", "tuples", "arrays", "ours", "pandas"],
)
def test_integer_ids_stay_integers(make):
    found = score_run(make(INTEGERS), INTEGERS, "mrr")
    ids = [(type(qid), qid) for qid in found.query_ids]
    assert ids == [(int, 10), (int, 2), (int, 9)]
    numbers = score_queries([1, 1, 1], [1, 1, 1], "mrr", qid=[2, 9, 10])
    assert compare({"a": found, "b": numbers}).p_value == [1]


def test_ids_that_are_text_stay_text():
    text = {str(qid): docs for qid, docs in INTEGERS.items()}
    for qrels in text, as_file(INTEGERS, "{} 0 {} {}\n"):
        found = score_run(qrels, INTEGERS, "mrr")
        assert found.query_ids.tolist() == ["10", "2", "9"]


def test_one_query_under_two_types_of_id_is_refused():
    one, two = {1: {"a": 1}, "1": {"b": 0}}, {"1": {"a": 2.0}}
    with pytest.raises(ValueError, match="qrels must have query ids .* '1' occurs as"):
        score_run(one, two, "map")
    with pytest.raises(ValueError, match="run must have query ids that differ"):
        score_run(two, one, "map")


def test_nothing_left_is_refused():
    qrels, silent = {"q": {"a": 1}}, {"unmatched": "ignore"}
    with pytest.raises(ValueError, match="run must have documents of a judged query"):
        score_run(qrels, {}, "map", missing="skip", **silent)
    for empty in {}, {"q": {}}, [], {"x": []}:
        with pytest.raises(ValueError, match="run must have a document; got none. If"):
            score_run(qrels, empty, "map")
        assert score_run(qrels, empty, "map", **silent).mean == {"map": 0}
    with pytest.raises(ValueError, match="run 'b': run must have a document"):
        score_run(qrels, {"a": {"q": ["a"]}, "b": {}}, "map")


# Judgments of which the ids have another order as text, runs and slices.
REORDERED = {f"q{i}": ["a"] for i in (1, 2, 10)}
TWO_RUNS = {
    "one": {"q1": ["a"], "q2": ["b", "a"], "q10": ["b"]},
    "two": {"q1": ["b"], "q2": ["a"], "q10": ["c", "a"]},
}
KINDS = {"q1": "x", "q2": "y", "q10": "y"}


def test_lists_of_slices_are_refused_in_another_order():
    scores = score_run(REORDERED, TWO_RUNS, "mrr", unmatched="ignore")
    found = scores["one"].report(by=KINDS).estimate
    assert found == {("mrr", "all"): 0.5, ("mrr", "x"): 1.0, ("mrr", "y"): 0.25}
    restored = QueryScores.from_dict(scores["one"].to_dict())
    for refuse in (
        lambda: scores["one"].report(by=[*KINDS.values()]),
        lambda: restored.report(groups=[*KINDS.values()]),
        lambda: scores["one"].interval(strata=[*KINDS.values()]),
        lambda: compare(scores, by=[*KINDS.values()], random_state=0),
    ):
        with pytest.raises(ValueError, match="must be a dict by query id, because sco"):
            refuse()
    in_order = score_run({"q1": ["a"], "q2": ["a"]}, TWO_RUNS["one"], "mrr")
    found = in_order.report(by=["x", "y"]).estimate
    assert found == {("mrr", "all"): 0.75, ("mrr", "x"): 1.0, ("mrr", "y"): 0.5}


def test_series_of_slices_need_ids_in_another_order():
    pd = pytest.importorskip("pandas")
    scores = score_run(REORDERED, TWO_RUNS["one"], "mrr", unmatched="ignore")
    found = scores.report(by=pd.Series(KINDS)).estimate
    assert found == {("mrr", "all"): 0.5, ("mrr", "x"): 1.0, ("mrr", "y"): 0.25}
    with pytest.raises(ValueError, match="must be a dict by query id, .*got a Series"):
        scores.report(by=pd.Series([*KINDS.values()]))  # numbered from 0


def runs_of(names):
    ids = ["y"], ["x"]
    return {name: {"a": ["x"], "b": ids[i % 2]} for i, name in enumerate(names)}


@pytest.mark.filterwarnings("ignore:first is undefined in")
def test_several_runs_are_a_mapping_with_their_means_side_by_side():
    qrels = {"a": ["x"], "b": ["y"]}
    scores = score_run(qrels, runs_of("pq"), {"MRR": "mrr", "first": "first_rank"})
    assert isinstance(scores, RunScores)
    assert list(scores) == ["p", "q"]
    assert scores["q"].mean == {"MRR": 0.5, "first": 1.0}
    assert repr(scores) == (
        "2 runs, 2 queries\n\n"
        "measure                      p      q      queries\n"
        "MRR                      1.000  0.500            2\n"
        "first (lower is better)  1.000  1.000  1 to 2 of 2"
    )
    assert "| MRR                     | **1.000** | 0.500 |" in scores.to_markdown()
    assert scores.to_csv().splitlines()[:2] == ["run,qid,MRR,first", "p,a,1.0,1.0"]


def test_many_runs_are_rows():
    qrels = {"a": ["x"], "b": ["y"]}
    lines = repr(score_run(qrels, runs_of("pqrstu"), ["mrr", "map"])).splitlines()
    assert lines[2].split() == ["run", "mrr", "map"]
    assert lines[4].split() == ["q", "0.500", "0.500"]
    assert lines[-1].split() == ["queries", "2", "2"]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_runs_of_different_queries_say_how_many():
    qrels = {"a": ["x"], "b": ["y"]}
    runs = {"p": {"a": ["x"], "b": ["y"]}, "q": {"a": ["x"]}}
    text = repr(score_run(qrels, runs, "mrr", missing="skip"))
    assert text.startswith("2 runs, 1 to 2 queries\n")
    assert text.endswith("1 to 2")
