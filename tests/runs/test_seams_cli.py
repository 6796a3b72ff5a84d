"""The command line beside trec_eval, other tools' names, and interrupts."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

from oracles.run_forms import trec_values
from sklearn_irmetrics import Measure, get_scorer, score_run
from sklearn_irmetrics.comparison import compare

# trec_eval ----------------------------------------------------------------------------


@pytest.mark.parametrize("like", ["trec_eval9", "trec_eval10"])
def test_all_queries_have_relevant_documents_above_0(like, run):
    # Printed by trec_eval 9.0.8 and 10.0: -c looks at all judgments, and not at -l.
    files = {
        "qrels": "a 0 d1 2\na 0 d2 1\nb 0 d1 1\nb 0 d3 0\n",
        "one": "a Q0 d1 1 2 t\na Q0 d2 2 1 t\n",
    }
    words = f"score --like {like} -c -l 2 -q -m num_rel qrels one"
    found = trec_values(run(words, **files)[1])
    assert found["num_rel", "a"] == "1"
    assert found["num_rel", "all"] == "3"


@pytest.mark.parametrize("like", ["trec_eval9", "trec_eval10"])
def test_means_are_added_up_one_by_one(like, run):
    # trec_eval prints .5063 for these eight queries, whose mean is .50625.
    found = [7, 7, 18, 4, 11, 12, 4, 18]
    judgments = [f"q{i} 0 d{j} 1\n" for i, n in enumerate(found) for j in range(n)]
    lines = [f"q{i} Q0 d{j} 1 {-j} t\n" for i in range(8) for j in range(20)]
    files = {"qrels": "".join(judgments), "one": "".join(lines)}
    _, out, _ = run(f"score --like {like} -m P.20 qrels one", **files)
    total = 0.0
    for n in found:
        total += n / 20
    assert out == f"P_20                  \tall\t{total / 8:.4f}\n"
    assert out.endswith("0.5063\n")


def test_the_trec_format_holds_one_run(run):
    files = {"qrels": "a 0 d1 1\n", "one": "a Q0 d1 1 2 t\n", "two": "a Q0 d1 1 2 u\n"}
    for options in "--like trec_eval10", "-f trec":
        code, out, err = run(f"score {options} qrels one two", **files)
        assert (code, out) == (2, "")
        assert "does not name the run of a line: score one RUN" in err
    words = "score --like trec_eval10 -f csv -m map qrels one two"
    assert run(words)[1] == "run,map\nt,1.0\nu,1.0\n"


def test_a_query_left_without_documents_counts_as_0_and_not_as_nan(run):
    files = {"qrels": "a 0 d1 1\nb 0 d1 1\n", "one": "a Q0 d1 1 2 t\nb Q0 d7 1 1 t\n"}
    words = "score --like trec_eval10 -J -m iprec_at_recall.0 -m 11pt_avg qrels one"
    _, out, _ = run(words, **files)
    assert list(trec_values(out).values()) == ["0.5000", "0.5000"]


# The same as in Python ----------------------------------------------------------------


def test_no_correction_has_one_name():
    rng = np.random.default_rng(1)
    systems = {name: rng.random(20) for name in "abc"}
    found, alone = (
        compare(systems, test="ttest", correction=name) for name in ("none", None)
    )
    assert repr(found) == repr(alone)
    np.testing.assert_array_equal(found.p_adjusted, found.p_value)
    with pytest.raises(ValueError, match="correction must be .*'none'"):
        compare(systems, correction="None")


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


# Names --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Accuracy", "Accuracy@10", "Accuracy(rel=2)@10"])
def test_a_name_that_means_another_measure_in_ir_measures_is_refused(name, run):
    message = "'Accuracy' in ir_measures is .* 'roc_auc'.* 'set_accuracy'"
    with pytest.raises(ValueError, match=message):
        score_run({"q": {"d": 1}}, {"q": {"d": 1}}, name)
    files = {"qrels": "a 0 d1 1\n", "one": "a Q0 d1 1 2 t\n"}
    code, _, err = run(f"score qrels one -m {name}", **files)
    assert code == 2
    assert re.search(message, err)
    assert Measure("accuracy") == Measure("set_accuracy")


def test_what_get_scorer_alone_takes_is_said():
    get_scorer("cohen_kappa")
    with pytest.raises(ValueError, match="compares labels, and only get_scorer takes"):
        score_run({"q": {"d": 1}}, {"q": {"d": 1}}, "cohen_kappa")


# Interrupts ---------------------------------------------------------------------------

# As the script does, with an interrupt as soon as a module is looked for.
INTERRUPTED = """
import os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
from sklearn_irmetrics._cli.main import main
sys.exit(main(["plan", "--effect", "0.1", "--std", "0.1"]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize(
    "module",
    ["numpy", "sklearn_irmetrics.metrics", "sklearn_irmetrics._cli.program", "sklearn"],
)
def test_an_interrupt_while_modules_are_imported_is_quiet(module):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(module=module)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
