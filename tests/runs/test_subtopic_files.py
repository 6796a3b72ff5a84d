"""Judgments of subtopics in files and tables, as the diversity tasks of TREC have."""

import io
import json
from typing import NamedTuple

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from oracles.command import main
from sklearn_irmetrics import score_queries, score_run
from sklearn_irmetrics.runs import align, read_qrels

QRELS = """\
1 a d1 1
1 b d1 0
1 b d2 2
2 x d1 1
1 a d3 -2
2 y d9 0
2 z d1 1
"""
RUN = """\
1 Q0 d2 1 3 t
1 Q0 d1 2 5 t
1 Q0 d7 3 1 t
2 Q0 d9 1 2 t
"""
NAN = np.nan


def test_read():
    qrels = read_qrels(io.StringIO(QRELS), subtopics=True)
    assert qrels.subtopic.tolist() == list("abbxayz")
    pytest.importorskip("pandas")
    frame = qrels.to_frame()
    assert list(frame) == ["qid", "subtopic", "docno", "grade"]
    assert len(frame) == 7
    assert read_qrels(io.StringIO("1 0 d 1")).subtopic is None
    with pytest.raises(ValueError, match="document 'd1' again for query '1'"):
        read_qrels(io.StringIO(QRELS))
    twice = QRELS + "1 b d2 1\n"
    message = (
        "line 8: expected each document once per query and subtopic; got document 'd2' "
        r"again for query '1' and subtopic 'b' \(first in line 3\)"
    )
    with pytest.raises(ValueError, match=message):
        read_qrels(io.StringIO(twice), subtopics=True)
    with pytest.raises(ValueError, match="subtopics must be True or False"):
        read_qrels(io.StringIO(QRELS), subtopics="yes")


class TrecSubQrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: float
    subtopic_id: str


def forms():
    qrels = read_qrels(io.StringIO(QRELS), subtopics=True)
    yield io.StringIO(QRELS)
    yield qrels
    yield qrels.qid, qrels.subtopic.tolist(), qrels.docno, qrels.grade
    rows = [line.split() for line in QRELS.splitlines()]
    yield [TrecSubQrel(qid, docno, float(g), topic) for qid, topic, docno, g in rows]
    lines = [f"{qid},{topic},{docno},{g}\n" for qid, topic, docno, g in rows]
    yield io.StringIO("query_id,subtopic_id,doc_id,relevance\n" + "".join(lines))
    nested = {
        "1": {"a": {"d1": 1, "d3": -2}, "b": {"d1": 0, "d2": 2}},
        "2": {"x": ["d1"], "y": {"d9": 0}, "z": {"d1"}},
    }
    yield nested
    nested["2"]["z"] = ["d1"]
    yield io.StringIO(json.dumps(nested))
    pytest.importorskip("pandas")
    yield qrels.to_frame()
    names = {"subtopic": "subtopic_id", "docno": "doc_id", "grade": "relevance"}
    yield qrels.to_frame().rename(columns=names)


def test_every_form_is_scored_alike():
    aligned = align(io.StringIO(QRELS), io.StringIO(RUN), subtopics=True)
    measures = ["alpha_ndcg@5", "subtopic_recall@1", "mrr"]
    wanted = score_queries(aligned.y_true, aligned.y_score, measures, qid=aligned.qid)
    for qrels in forms():
        assert score_run(qrels, io.StringIO(RUN), measures).mean == wanted.mean
    with pytest.raises(TypeError, match="qrels must be a Qrels, read with"):
        score_run({"1": {"d1": 1}}, io.StringIO(RUN), "alpha_ndcg")


def test_weights_of_subtopics():
    weights = {"1": {"a": 1, "b": 0.5}, "2": {"x": 0, "y": 3, "z": 1, "unjudged": 9}}
    lines = [
        f"{query} 0 {topic} {weight}\n"
        for query, listed in weights.items()
        for topic, weight in listed.items()
    ]
    names = ["subtopic_recall@1", "alpha_ndcg@2", "err_ia(normalize=True)"]
    rows = align(io.StringIO(QRELS), io.StringIO(RUN), subtopics=True)
    of_query = {"1": [1, 0.5, 0], "2": [0, 3, 1]}  # in the order of the judgments
    expected = score_queries(
        rows.y_true,
        rows.y_score,
        names,
        qid=rows.qid,
        marks={"subtopic_weight": [of_query[qid] for qid in rows.qid]},
    )
    for given in (weights, io.StringIO("".join(lines))):
        found = score_run(
            io.StringIO(QRELS),
            io.StringIO(RUN),
            names,
            marks={"subtopic_weight": given},
        )
        assert found.mean == pytest.approx(expected.mean)
    assert found.scores["subtopic_recall@1"].tolist() == [1 / 1.5, 0]
    equal = score_run(io.StringIO(QRELS), io.StringIO(RUN), names)
    assert equal.scores["subtopic_recall@1"].tolist() == [0.5, 0]
    for given, metric, message in [
        ({"1": weights["1"]}, "p_ia@2", "got none for 'x' of query '2'"),
        ({**weights, "1": {"a": -1, "b": 1}}, "p_ia@2", "must lie between 0 and inf"),
    ]:
        with pytest.raises(ValueError, match=message):
            score_run(
                io.StringIO(QRELS),
                io.StringIO(RUN),
                metric,
                marks={"subtopic_weight": given},
            )
    with pytest.raises(ValueError, match="requires a measure of subtopics; got p@2"):
        score_run(
            {"1": ["d1"]}, {"1": ["d1"]}, "p@2", marks={"subtopic_weight": weights}
        )


def test_align():
    for qrels in forms():
        rows = align(qrels, io.StringIO(RUN), subtopics=True)
        assert rows.qid.tolist() == ["1"] * 4 + ["2"] * 2
        assert rows.docno.tolist() == ["d7", "d3", "d2", "d1", "d9", "d1"]
        expected = [
            [NAN, NAN, NAN],
            [NAN, NAN, NAN],
            [NAN, 2, NAN],
            [1, 0, NAN],
            [NAN, 0, NAN],
            [1, NAN, 1],
        ]
        np.testing.assert_array_equal(rows.y_true, expected)
        np.testing.assert_array_equal(
            rows.y_score, np.float32([1, -np.inf, 3, 5, 2, -np.inf])
        )
        assert rows.pooled.tolist() == [False, True, False, False, False, False]
    assert list(rows.to_frame())[2:5] == ["y_true_0", "y_true_1", "y_true_2"]


def test_align_refuses_other_forms():
    run = io.StringIO(RUN)
    for qrels in ({"1": {"d": 1}}, (["1"], ["d"], [1]), Ellipsis):
        with pytest.raises(TypeError, match="qrels must be a Qrels, read with"):
            align(qrels, run, subtopics=True)
    plain = read_qrels(io.StringIO("1 0 d 1"))
    with pytest.raises(TypeError, match="qrels must be a Qrels, read with"):
        align(plain, run, subtopics=True)
    with pytest.raises(ValueError, match="ids and grade .* must be 1-D and of one l"):
        align((["1"], ["a", "b"], ["d"], [1]), run, subtopics=True)
    with pytest.raises(ValueError, match="once per query and subtopic"):
        align((["1"] * 2, ["a"] * 2, ["d"] * 2, [1, 0]), run, subtopics=True)
    with pytest.raises(ValueError, match="qrels were read with subtopics"):
        align(read_qrels(io.StringIO(QRELS), subtopics=True), run)
    with pytest.raises(ValueError, match="subtopics must be True or False"):
        align(plain, run, subtopics=1)


def test_commands(tmp_path, capsys):
    texts = {"qrels": QRELS, "one": RUN, "two": RUN.replace("1 3 t", "1 9 t")}
    paths = [str(tmp_path / name) for name in texts]
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    assert main(["score", *paths, "-m", "alpha_ndcg@5", "-m", "ndcg@5", "-J"]) == 0
    table = capsys.readouterr().out
    assert "alpha_ndcg@5" in table and "ndcg@5" in table
    assert main(["compare", *paths, "-m", "subtopic_recall@3"]) == 0
    assert "subtopic_recall@3" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["score", *paths, "-m", "p_ia@5", "--like", "trec_eval10"])
    assert "which trec_eval does not read" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["score", *paths, "-m", "p_ia(alpha=2)@5"])


def test_judgments_of_subtopics_name_the_way_out(run):
    files = {"qrels": "1 a d1 1\n1 b d1 1\n", "one": "1 Q0 d1 1 3 t\n"}
    code, _, err = run("score qrels one -m map", **files)
    assert code == 1
    assert "again for query '1' (first in line 1). If the second field is a" in err
    assert "such as 'alpha_ndcg@10'" in err
    words = "score qrels one -m map -m alpha_ndcg@10 -f csv"
    assert run(words)[1] == "run,map,alpha_ndcg@10\nt,1.0,1.0\n"
    twice = "1 Q0 d1 1 3 t\n1 Q0 d1 1 3 t\n"
    assert "subtopic" not in run("score qrels one", one=twice, qrels="1 0 d 1")[2]


def test_pairs_in_files_are_no_judgments_of_subtopics(tmp_path):
    (tmp_path / "pairs").write_text("q\td\nq\te\n")
    path = str(tmp_path / "pairs")
    message = "line 1: expected 4 fields .query, iteration, document, grade., .* got 2"
    for read in (
        lambda: read_qrels(path, subtopics=True),
        lambda: score_run(path, {"q": ["d"]}, "alpha_ndcg"),
    ):
        with pytest.raises(ValueError, match=message):
            read()


@pytest.mark.parametrize("nothing", [{}, {"t": []}])
def test_a_query_without_judgments_counts(nothing):
    qrels = {"a": {"t": ["d"]}, "b": nothing}
    with pytest.warns(UndefinedMetricWarning):
        scores = score_run(qrels, {"a": ["d"], "b": ["e"]}, "alpha_ndcg@5")
    np.testing.assert_array_equal(scores.query_ids, ["a", "b"])
    np.testing.assert_array_equal(scores.scores["alpha_ndcg@5"], [1.0, np.nan])


def test_queries_of_subtopics_that_are_alike_as_text_are_refused():
    with pytest.raises(ValueError, match="differ as text; '1' occurs"):
        score_run({1: {"t": ["d"]}, "1": {"t": ["e"]}}, {"1": ["d"]}, "alpha_ndcg")


def test_commands_take_weights_of_subtopics(tmp_path, capsys):
    weights = {"1": {"a": 1, "b": 0.5}, "2": {"x": 0, "y": 3, "z": 1}}
    lines = [
        f"{query} 0 {topic} {weight}\n"
        for query, listed in weights.items()
        for topic, weight in listed.items()
    ]
    texts = {"qrels": QRELS, "run": RUN, "weights": "".join(lines)}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    qrels, run, listed = (str(tmp_path / name) for name in texts)
    metrics = ["subtopic_recall@1", "alpha_ndcg@2"]
    options = [word for name in metrics for word in ("-m", name)]
    marks = {"subtopic_weight": listed}
    main(["score", qrels, run, *options, "-f", "json", "--mark", *_pairs(marks)])
    (found,) = json.loads(capsys.readouterr().out)
    expected = score_run(qrels, run, metrics, marks=marks)
    assert found["scores"] == pytest.approx(expected.mean)
    main(["score", qrels, run, *options, "-f", "json"])
    (plain,) = json.loads(capsys.readouterr().out)
    assert plain["scores"] != found["scores"]
    for given, message in [
        (["weight=w.txt"], "must be NAME=FILE with NAME one of known, popularity"),
        (["known="], "must be NAME=FILE"),
        ([*_pairs(marks), "--mark", *_pairs(marks)], "once for each NAME"),
    ]:
        with pytest.raises(SystemExit):
            main(["score", qrels, run, "-m", "alpha_ndcg", "--mark", *given])
        assert message in capsys.readouterr().err


def _pairs(marks):
    return [f"{name}={path}" for name, path in marks.items()]
