"""What happens when things break: folds, workers, Ctrl-C, full disks."""

import os
import re
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import warnings
from concurrent.futures import BrokenExecutor
from pathlib import Path

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import Ridge
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

from oracles.places import ROOT
from sklearn_irmetrics import score_queries
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import evaluate
from sklearn_irmetrics.runs import read_run, write_qrels, write_run

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


class Mean(RegressorMixin, BaseEstimator):
    """Learns the mean of `y`; where row 0 is not there to learn, `what` happens."""

    def __init__(self, what="raise", once=None):
        self.what = what
        self.once = once

    def fit(self, X, y):
        if X[:, 0].min() > 0 and not (self.once and os.path.exists(self.once)):
            if self.what == "raise":
                raise RuntimeError("row 0 is not here")
            os.kill(os.getpid(), signal.SIGKILL)
        self.mean_ = np.mean(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return np.column_stack([np.arange(40), rng.normal(size=40)]), rng.normal(size=40)


def folds(X, n_splits):
    """K folds, of which the last does not train on row 0."""
    return list(KFold(n_splits).split(X))[::-1]


@pytest.fixture
def workers():
    """Two processes of loky that can import this module, and end with the test."""
    with joblib.parallel_config(backend="loky", n_jobs=2):
        yield
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)


def notes_of(error):
    return "\n".join(error.__notes__)


# Folds ---------------------------------------------------------------------------


class MostRows(DummyRegressor):
    """Cannot learn from all rows at once."""

    def fit(self, X, y):
        if len(np.unique(X[:, 0])) == 40:
            raise RuntimeError("too much")
        return super().fit(X, y)


def test_a_failed_fit_on_all_data_is_no_split(rows):
    options = {"scoring": "r2", "method": "632+", "n_splits": 4, "random_state": 0}
    with pytest.raises(RuntimeError, match="too much") as raised:
        evaluate(MostRows(), *rows, error_score=np.nan, **options)
    assert raised.value.__notes__ == [
        "This happened in the fit on all data, for the apparent score."
    ]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_an_error_says_in_which_split(rows, n_jobs):
    method = folds(rows[0], 4)
    with pytest.raises(RuntimeError, match="row 0 is not here") as raised:
        evaluate(Mean(), *rows, scoring="r2", method=method, n_jobs=n_jobs)
    notes = notes_of(raised.value)
    assert "This happened in split 3. Set error_score=np.nan to leave" in notes


def test_errors_of_scikit_learn_name_the_estimator(rows):
    y = (rows[1] > 0).astype(int)
    with pytest.raises(AttributeError, match="^Mean has none of the following"):
        evaluate(Mean(once=os.devnull), rows[0], y, scoring="neg_log_loss")


# Measures ------------------------------------------------------------------------


@pytest.fixture
def classes():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    return X, (X[:, 0] + rng.normal(size=60) > 0).astype(int)


def flaky_at(row):
    """A measure that fails where a row is tested, or trained on."""

    def flaky(estimator, X, y):
        if row.tolist() in X.tolist():
            raise RuntimeError("boom")
        return 0.5

    return flaky


@pytest.mark.parametrize("error_score", [np.nan, 0.0])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_measure_fails_for_itself_only(classes, error_score, n_jobs):
    X, y = classes
    options = {"method": 5, "error_score": error_score, "n_jobs": n_jobs}
    alone = evaluate(GaussianNB(), X, y, scoring={"acc": "accuracy"}, **options)
    scoring = {"acc": "accuracy", "f": flaky_at(X[12])}
    with pytest.warns(FitFailedWarning, match="^f failed in 1 of 5 splits.(.|\n)*boom"):
        result = evaluate(GaussianNB(), X, y, scoring=scoring, **options)
    assert result.estimate["acc"] == alone.estimate["acc"] == pytest.approx(0.65)
    assert result.confidence_interval["acc"] == alone.confidence_interval["acc"]
    ((failed, text),) = result.failures.items()
    assert text.startswith("measure 'f':\nTraceback")
    expected = np.full(5, 0.5)
    expected[failed] = error_score
    assert_array_equal(result.split_scores["f"], expected)
    assert result.estimate["f"] == pytest.approx(np.nanmean(expected))
    assert set(result.predictions.split) == set(range(5))
    line = f"Measures failed in 1 of 5 splits ({failed}): see .failures."
    assert line in repr(result).splitlines()


def test_the_error_of_a_measure_says_once_in_which_split(classes):
    X, y = classes
    scoring = ["accuracy", flaky_at(X[12])]
    with pytest.raises(RuntimeError, match="boom") as raised:
        evaluate(GaussianNB(), X, y, scoring=scoring, method=KFold(5))
    (note,) = raised.value.__notes__
    assert note.startswith("This happened in split 1.")


@pytest.mark.parametrize("error_score", [np.nan, 0.0])
def test_means_over_queries_beside_a_measure_that_fails(error_score):
    X, y, qid = make_ranking(n_queries=30, n_docs=8, random_state=0)

    options = {"qid": qid, "random_state": 0, "error_score": error_score}
    alone = evaluate(Ridge(), X, y, scoring=["map", "ndcg"], **options)
    scoring = {"map": "map", "ndcg": "ndcg", "f": flaky_at(X[0])}
    with pytest.warns(FitFailedWarning, match="boom"):
        result = evaluate(Ridge(), X, y, scoring=scoring, **options)
    for name in alone.estimate:
        assert result.estimate[name] == alone.estimate[name]
        assert result.confidence_interval[name] == alone.confidence_interval[name]
    assert len(result.query_scores.query_ids) == 30


@pytest.mark.parametrize("error_score", [np.nan, 0.0])
def test_queries_of_one_of_two_measures_that_fails(error_score):
    X, y, qid = make_ranking(n_queries=30, n_docs=8, random_state=0)
    y = y.astype(float)
    y[3] = -1  # nDCG has no gain for it
    options = {"qid": qid, "random_state": 0, "error_score": error_score}
    alone = evaluate(Ridge(), X, y, scoring="map", **options)
    with pytest.warns(FitFailedWarning, match="^ndcg failed in 1 of 5 splits"):
        result = evaluate(Ridge(), X, y, scoring=["ndcg", "map"], **options)
    assert result.estimate["map"] == alone.estimate["map"]
    assert result.confidence_interval["map"] == alone.confidence_interval["map"]
    (failed,), table = result.failures, result.query_scores
    values = table.scores["ndcg"]
    assert_array_equal(values[table.split == failed], np.full(6, error_score))
    assert result.estimate["ndcg"] == pytest.approx(np.nanmean(values))


class Labels(GaussianNB):
    """Has no probabilities if it did not learn from row 0."""

    def fit(self, X, y):
        self.knows_ = (X == FIRST).all(axis=1).any()
        return super().fit(X, y)

    def predict_proba(self, X):
        if not self.knows_:
            raise RuntimeError("boom")
        return super().predict_proba(X)


FIRST = np.random.default_rng(3).normal(size=3)


@pytest.mark.parametrize("error_score", [np.nan, 0.0])
@pytest.mark.parametrize("aggregate", ["per_split", "pooled"])
def test_predictions_of_one_measure_that_fail(classes, aggregate, error_score):
    X, y = classes
    options = {"method": KFold(5), "aggregate": aggregate, "random_state": 0}
    alone = evaluate(
        GaussianNB(), X, y, scoring=["accuracy", "neg_log_loss"], **options
    )
    loss = {"loss": "neg_log_loss", "accuracy": "accuracy"}
    with pytest.warns(FitFailedWarning, match="^loss failed in 1 of 5 splits"):
        result = evaluate(
            Labels(), X, y, scoring=loss, error_score=error_score, **options
        )
    assert result.estimate["accuracy"] == alone.estimate["accuracy"]
    interval = result.confidence_interval["accuracy"]
    assert interval == alone.confidence_interval["accuracy"]
    rest = alone.predictions.split > 0
    probability = alone.predictions.responses["predict_proba"][rest]
    of_others = -log_loss(alone.predictions.y_true[rest], probability)
    if aggregate == "per_split" and error_score == 0:
        of_others *= 0.8
    assert result.estimate["loss"] == pytest.approx(of_others)


@pytest.mark.parametrize("error_score", [np.nan, 0.25])
def test_the_score_of_test_sides_without_a_class(classes, error_score):
    X, _ = classes
    y = np.repeat([0, 1, 0, 1], [3, 9, 40, 8])
    options = {"method": KFold(5), "error_score": error_score}
    scoring = ["roc_auc", "accuracy"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = evaluate(GaussianNB(), X, y, scoring=scoring, **options)
    scores = result.split_scores["roc_auc"]
    assert_array_equal(scores[1:4], np.full(3, error_score))
    assert scores[[0, 4]].min() >= 0
    assert result.estimate["roc_auc"] == np.nanmean(scores)
    assert list(result.failures) == ([] if np.isnan(error_score) else [1, 2, 3])
    assert not np.isnan(result.split_scores["accuracy"]).any()


@pytest.mark.parametrize("error_score", [np.nan, 0.0])
@pytest.mark.parametrize("aggregate", ["auto", "per_split"])
def test_measures_that_fail_in_all_splits(error_score, aggregate):
    X, y, qid = make_ranking(n_queries=20, n_docs=5, random_state=0)
    y = y.astype(float)
    y[::5] = -1  # nDCG has no gain for it

    def never(estimator, X, y):
        raise RuntimeError("boom")

    options = {"qid": qid, "aggregate": aggregate, "error_score": error_score}
    with pytest.warns(FitFailedWarning, match="ndcg, never failed in 5 of 5 splits"):
        result = evaluate(Ridge(), X, y, scoring=["ndcg", never, "r2"], **options)
    for name in ("ndcg", "never"):
        assert_array_equal(result.estimate[name], error_score)
        assert_array_equal(result.split_scores[name], np.full(5, error_score))
        assert np.isnan(result.confidence_interval[name]).all()
        assert result.interval_method[name] == "none: the measure failed in all splits"
    assert -np.inf < result.estimate["r2"] < 1
    assert "Measures failed in 5 of 5 splits (0, 1, 2, 3, 4)" in repr(result)


@pytest.mark.parametrize("error_score", [np.nan, 0.0])
def test_the_scores_of_a_callable_fail_together(classes, error_score):
    X, y = classes
    flaky = flaky_at(X[12])

    def two(estimator, X, y):
        return {"one": flaky(estimator, X, y), "two": 1.0}

    options = {"scoring": [two, "accuracy"], "error_score": error_score}
    with pytest.warns(FitFailedWarning, match="^two failed in 1 of 5 splits"):
        result = evaluate(GaussianNB(), X, y, method=5, **options)
    (failed,) = result.failures
    for name, score in {"one": 0.5, "two": 1.0}.items():
        expected = np.full(5, score)
        expected[failed] = error_score
        assert_array_equal(result.split_scores[name], expected)


# Workers -------------------------------------------------------------------------


def test_a_split_that_always_kills_its_process(rows, workers):
    options = {"scoring": "r2", "method": folds(rows[0], 4), "error_score": np.nan}
    with pytest.raises(BrokenExecutor, match="unexpectedly terminated"):
        evaluate(Mean("kill"), *rows, **options)
    # The next call is not troubled by what happened.
    assert evaluate(Mean(once=os.devnull), *rows, **options).failures == {}


# Ctrl-C --------------------------------------------------------------------------

COMMAND = [sys.executable, "-m", "sklearn_irmetrics"]


@pytest.fixture
def heeds_ctrl_c():
    """Let a process take Ctrl-C, even if this one was started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_ctrl_c")
def test_ctrl_c_while_the_command_line_reads(tmp_path):
    run = tmp_path / "run"
    run.write_text("q Q0 a 1 1 t\n")
    process = subprocess.Popen(
        [*COMMAND, "score", "-", str(run)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    # More than a pipe holds: when all of it is taken, the command is reading.
    process.stdin.write(b"q 0 a 1\n" * 20_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"")


@pytest.mark.usefixtures("heeds_ctrl_c")
def test_ctrl_c_while_the_command_line_computes(tmp_path):
    files = [tmp_path / name for name in ("qrels", "one", "two")]
    files[0].write_text("".join(f"q{i} 0 a 1\n" for i in range(100)))
    for i, path in enumerate(files[1:]):
        write_run({f"q{j}": {"a": 1, "b": j % 3 + i} for j in range(100)}, path)
    program = f"""
        import os, signal, sys, threading
        import sklearn_irmetrics.comparison as home
        from sklearn_irmetrics._cli import main

        def compare(*args, **kwargs):
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
            return inner(*args, **kwargs | {{"n_resamples": 10_000_000}})

        inner, home.compare = home.compare, compare
        files = {[str(path) for path in files]!r}
        sys.exit(main(["compare", *files]))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        env=ENVIRONMENT,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


# As the script does, with an interrupt as soon as a module is looked for.
INTERRUPTED = """
import os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
from sklearn_irmetrics._cli import main
sys.exit(main(["plan", "--effect", "0.1", "--std", "0.1"]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize(
    "module",
    ["numpy", "sklearn_irmetrics.metrics", "sklearn_irmetrics._cli.program", "sklearn"],
)
def test_ctrl_c_while_modules_are_imported(module):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(module=module)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


# Disks ---------------------------------------------------------------------------

RUN = {f"q{i}": {f"d{j}": j / 7 for j in range(50)} for i in range(50)}
SMALL = {"q": {"d": 1}}


def limited(n_bytes):
    """Let no file of this process, and of those that it starts, grow beyond."""
    resource = pytest.importorskip("resource")

    class Limit:
        def __enter__(self):
            self.before = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, self.before[1]))

        def __exit__(self, *error):
            resource.setrlimit(resource.RLIMIT_FSIZE, self.before)

    return Limit()


def write_scores(run, path):
    """Write a file of results, with a row for each document of a run."""
    n_rows = sum(map(len, run.values()))
    ones = np.ones(n_rows)
    score_queries(ones, ones, "mrr", qid=np.arange(n_rows)).to_csv(path)


WRITERS = {"run": write_run, "run.gz": write_run, "qrels": write_qrels}
WRITERS["scores.csv"] = write_scores


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("there", ["nothing", "a file", "a link"])
def test_no_room_leaves_what_was_there(tmp_path, there, name):
    path, write = tmp_path / name, WRITERS[name]
    if there != "nothing":
        write(SMALL, path)
    if there == "a link":
        (link := tmp_path / f"link-{name}").symlink_to(path)
        path = link
    before = [(p.name, p.read_bytes()) for p in tmp_path.iterdir()]
    with limited(1000), pytest.raises(OSError, match="File too large"):
        write(RUN, path)
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == before
    write(RUN, path)
    if write is write_run:
        assert len(read_run(path)) == 2500


@pytest.mark.parametrize("name", ["run.gz", "scores.csv"])
def test_a_process_that_is_killed_while_it_writes_leaves_what_was_there(tmp_path, name):
    pytest.importorskip("resource")
    path = tmp_path / name
    WRITERS[name](SMALL, path)
    before = path.read_bytes()
    program = f"""
        import resource, signal
        from pathlib import Path
        from test_evaluate_failures import RUN, WRITERS, limited

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # What writes beyond the limit is killed, in the midst of the file.
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        with limited(1000):
            WRITERS[{name!r}](RUN, Path({str(path)!r}))
    """
    folders = ROOT, ROOT / "tests", Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))},
        stderr=subprocess.PIPE,
        timeout=60,
    )
    assert done.returncode == -signal.SIGXFSZ, done.stderr
    assert path.read_bytes() == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipes_stay_pipes(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=write_run, args=(RUN, pipe))
    writer.start()
    assert len(read_run(pipe)) == 2500
    writer.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("n_queries", [1, 5000])
def test_the_command_line_on_a_full_disk(tmp_path, n_queries):
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("".join(f"q{i} 0 a 1\n" for i in range(n_queries)))
    write_run({f"q{i}": {"a": 1} for i in range(n_queries)}, run)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, "score", "-q", str(qrels), str(run)],
            stdout=full,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr == (
        "python -m sklearn_irmetrics score: error: [Errno 28] No space left on device\n"
    )


@pytest.mark.parametrize("bad", [None, "1", 1j, {1}])
def test_scores_that_are_no_numbers(rows, bad):
    message = re.escape(f"scoring must return numbers; mine returned {bad!r}.")

    def mine(estimator, X, y):
        return bad

    with pytest.raises(ValueError, match=message):
        evaluate(Mean(once=os.devnull), *rows, scoring=mine)


@pytest.mark.parametrize("bad", [np.inf, -np.inf])
@pytest.mark.parametrize("as_dict", [False, True])
def test_infinite_scores_of_a_callable(rows, bad, as_dict):
    def score(estimator, X, y):
        return {"mine": bad} if as_dict else bad

    message = rf"finite numbers or NaN; (mine|score|callable).* returned {bad:g}"
    with pytest.raises(ValueError, match=message):
        evaluate(Mean(once=os.devnull), *rows, scoring=score)


@pytest.mark.parametrize(
    ("scoring", "bad", "ends"),
    [
        ("ndcg", -0.1, "between 0 and 1"),
        ("ndcg", 1.5, "between 0 and 1"),
        ("kendall", -2, "between -1 and 1"),
        (["p@5", "neg_mean_squared_error"], 0.5, "neg_mean_squared_error"),
        ("r2", np.inf, "r2 can have"),
        (lambda estimator, X, y: 0.0, -np.inf, "between -inf and inf; got -inf"),
    ],
)
def test_an_error_score_that_no_score_can_be(rows, scoring, bad, ends):
    X, y = rows
    options = {"scoring": scoring, "qid": np.arange(len(y)) // 4, "error_score": bad}
    with pytest.raises(ValueError, match=f"error_score must .*{ends}"):
        evaluate(Mean(), X, y, **options)
