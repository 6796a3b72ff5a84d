"""The same input through every door gives one number, or is refused everywhere.

Doors are what a user may hand rankings or predictions to: functions, `Measure`,
`score_queries`, evaluators, streams, frames, reports, scorers with routing on and off,
`evaluate`, `compare`, runs, files and the command line.
"""

import io
import json
from contextlib import redirect_stdout

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.model_selection import cross_validate

from sklearn_irmetrics import Measure, get_scorer, score_queries, score_run
from sklearn_irmetrics._cli import main
from sklearn_irmetrics.comparison import compare
from sklearn_irmetrics.model_selection import evaluate
from sklearn_irmetrics.reports import RankingEvaluator, ranking_report
from sklearn_irmetrics.streaming import StreamingEvaluator

RANKED = ["ndcg@3", "ndcg(gain='exponential')", "map", "ap(denominator='attainable')@2"]
RANKED += [
    "mrr",
    "p@2",
    "recall@2",
    "f1@3",
    "success@1",
    "rprec",
    "bpref",
    "err",
    "q@3",
]
RANKED += ["dcg@2", "rbp", "roc_auc", "11pt", "judged@2", "kendall_tau", "first_rank"]
SETS = ["set_p", "set_recall", "set_f1", "set_e", "set_accuracy", "set_specificity"]
SETS += ["set_fallout", "set_miss_rate", "set_detection_cost"]
IGNORED = "ignore::sklearn.exceptions.UndefinedMetricWarning"


class Given(BaseEstimator):
    """An estimator whose predictions are the first column of X."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


def only(values):
    """Return the value of a dict of one measure."""
    (value,) = values.values()
    return value


def split_of_all(n):
    """Return one split, whose test data are all rows."""
    rows = np.arange(n)
    return [(rows, rows)]


def by_function(measure, y_true, y_score, qid):
    arguments = dict(measure.arguments)
    return measure.metric.function(y_true, y_score, qid=qid, **arguments)


def by_stream(measure, y_true, y_score, qid):
    stream = StreamingEvaluator([measure])
    ids = np.asarray(qid)
    for part in np.array_split(np.unique(ids), 2):
        rows = np.isin(ids, part)
        stream.update(
            np.asarray(y_true)[rows], np.asarray(y_score)[rows], qid=ids[rows]
        )
    return only(stream.compute().mean)


def by_frame(measure, y_true, y_score, qid):
    pd = pytest.importorskip("pandas")
    from sklearn_irmetrics.frames import score_frame

    frame = pd.DataFrame({"q": qid, "t": y_true, "s": y_score})
    scores = score_frame(frame, [measure], qid="q", y_true="t", y_score="s")
    return only(scores.mean)


def by_report(measure, y_true, y_score, qid):
    return only(ranking_report(y_true, y_score, metrics=[measure], qid=qid).estimate)


def by_routing(measure, y_true, y_score, qid):
    X = np.asarray(y_score).reshape(-1, 1)
    scorer = get_scorer(measure)
    with config_context(enable_metadata_routing=True):
        scores = cross_validate(
            Given(),
            X,
            y_true,
            scoring=scorer,
            cv=split_of_all(len(X)),
            params={"qid": qid},
            error_score="raise",
        )["test_score"]
    return float(scores[0]) * scorer._sign


def by_column(measure, y_true, y_score, qid):
    codes = np.unique(qid, return_inverse=True)[1]
    X = np.column_stack([y_score, codes])
    scorer = get_scorer(measure, qid=1)
    cv = split_of_all(len(X))
    scores = cross_validate(
        Given(), X, y_true, scoring=scorer, cv=cv, error_score="raise"
    )["test_score"]
    return float(scores[0]) * scorer._sign


def by_evaluate(measure, y_true, y_score, qid):
    X = np.asarray(y_score).reshape(-1, 1)
    result = evaluate(lambda X: X[:, 0], X, y_true, scoring=measure, qid=qid)
    return only(result.estimate)


def by_compare(measure, y_true, y_score, qid):
    systems = {
        "given": score_queries(y_true, y_score, [measure], qid=qid),
        "other": score_queries(y_true, np.zeros(len(y_true)), [measure], qid=qid),
    }
    return compare(systems).means["given"]


ARRAYS = {
    "function": by_function,
    "Measure": lambda measure, *rows: measure(*rows[:2], qid=rows[2]),
    "score_queries": lambda measure, *rows: only(
        score_queries(*rows[:2], [measure], qid=rows[2]).mean
    ),
    "RankingEvaluator": lambda measure, *rows: only(
        RankingEvaluator(rows[0], [measure], qid=rows[2])(rows[1])
    ),
    "StreamingEvaluator": by_stream,
    "score_frame": by_frame,
    "ranking_report": by_report,
    "scorer, routing on": by_routing,
    "scorer, routing off": by_column,
    "evaluate": by_evaluate,
}


def as_dicts(y_true, y_score, qid):
    """Return judgments and a run; what is not judged or retrieved is left out."""
    qrels = {str(query): {} for query in qid}
    run = {query: {} for query in qrels}
    rows = zip(y_true, y_score, map(str, qid), strict=True)
    for row, (grade, score, query) in enumerate(rows):
        if not np.isnan(grade):
            qrels[query][f"d{row}"] = int(grade)
        if score > -np.inf:
            run[query][f"d{row}"] = float(score)
    return qrels, run


def by_records(measure, qrels, run, folder):
    rows = [
        {"qid": query, "docno": doc, "score": score}
        for query, scores in run.items()
        for doc, score in scores.items()
    ]
    return only(score_run(qrels, rows, [measure]).mean)


def by_table(measure, qrels, run, folder):
    pd = pytest.importorskip("pandas")
    rows = [(q, d, s) for q, scores in run.items() for d, s in scores.items()]
    table = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    return only(score_run(qrels, table, [measure]).mean)


def write_files(qrels, run, folder):
    with open(folder / "qrels", "w") as file:
        for query, grades in qrels.items():
            file.writelines(f"{query} 0 {doc} {g}\n" for doc, g in grades.items())
    with open(folder / "run", "w") as file:
        for query, scores in run.items():
            file.writelines(
                f"{query} Q0 {doc} 1 {s!r} x\n" for doc, s in scores.items()
            )
    return str(folder / "qrels"), str(folder / "run")


def by_files(measure, qrels, run, folder):
    return only(score_run(*write_files(qrels, run, folder), [measure]).mean)


def by_json(measure, qrels, run, folder):
    for name, mapping in (("qrels.json", qrels), ("run.json", run)):
        (folder / name).write_text(json.dumps(mapping))
    paths = folder / "qrels.json", folder / "run.json"
    return only(score_run(*paths, [measure]).mean)


def by_shell(measure, qrels, run, folder):
    files = write_files(qrels, run, folder)
    with redirect_stdout(io.StringIO()) as output, pytest.raises(SystemExit) as exit_:
        raise SystemExit(main(["score", *files, "-m", str(measure), "-f", "json"]))
    assert not exit_.value.code
    (run,) = json.loads(output.getvalue())
    return only(run["scores"])


RUNS = {
    "dicts": lambda measure, qrels, run, folder: only(
        score_run(qrels, run, [measure]).mean
    ),
    "records": by_records,
    "table": by_table,
    "files": by_files,
    "JSON": by_json,
    "shell": by_shell,
}


def draw(rng, *, is_set=False):
    """Draw documents of a few queries: ties, unjudged, unretrieved, rows in any order.

    Every query has a document of grade 0 and one of a higher grade that are retrieved.
    """
    n_queries = int(rng.integers(2, 6))
    lengths = rng.integers(2, 8, n_queries)
    qid = np.repeat([f"q{number}" for number in range(n_queries)], lengths)
    y_true = rng.integers(0, 4, len(qid)).astype(float)
    y_score = rng.integers(0, 6, len(qid)) / 4
    firsts = np.cumsum(lengths) - lengths
    y_true[firsts], y_true[firsts + 1] = 0, rng.integers(1, 4, n_queries)
    others = np.setdiff1d(np.arange(len(qid)), [*firsts, *firsts + 1])
    if is_set:
        y_true, y_score = (y_true > 0).astype(int), rng.integers(0, 2, len(qid))
        y_score[firsts], y_score[firsts + 1] = rng.permutation([0, 1])
        y_score[firsts + 1] = 1
    elif rng.random() < 0.5:
        y_true[rng.permutation(others)[:2]] = np.nan
        y_score[rng.permutation(others)[:2]] = -np.inf
    order = rng.permutation(len(qid))
    return y_true[order], y_score[order], qid[order]


def value_at(door, *arguments):
    """Return what comes through a door: a number, or that it was refused."""
    try:
        return door(*arguments)
    except (TypeError, ValueError):
        return "refused"


@pytest.mark.parametrize("name", RANKED)
@pytest.mark.filterwarnings(IGNORED)
def test_rankings_have_one_value_at_all_doors(name, rounds, hold, tmp_path):
    measure = Measure(name)
    for rng in rounds(3):
        rows = draw(rng)
        expected = by_function(measure, *rows)
        for door in ARRAYS.values():
            hold("the function", door(measure, *rows), expected)
        for door in RUNS.values():
            hold("the function", door(measure, *as_dicts(*rows), tmp_path), expected)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.filterwarnings(IGNORED)
def test_predicted_sets_have_one_value_at_all_doors(name, rounds, hold):
    measure = Measure(name)
    for rng in rounds(5):
        y_true, y_pred, qid = draw(rng, is_set=True)
        expected = by_function(measure, y_true, y_pred, qid)
        for where, door in ARRAYS.items():
            # Where scores are taken, too, booleans say what was retrieved.
            takes_labels = where in ("function", "Measure", "evaluate")
            labels = y_pred if takes_labels or "scorer" in where else y_pred > 0
            hold("the function", door(measure, y_true, labels, qid), expected)


def second(values, value):
    """Return values of which the second was replaced."""
    return np.where(np.arange(len(values)) == 1, value, values)


HOSTILE = {
    "NaN as a score": lambda y, s, q: (y, second(s, np.nan), q),
    "an infinite grade": lambda y, s, q: (second(y, np.inf), s, q),
    "scores as text": lambda y, s, q: (y, s.astype(str), q),
    "complex scores": lambda y, s, q: (y, s + 1j, q),
    "scores as times": lambda y, s, q: (y, s.astype("datetime64[s]"), q),
    "objects as scores": lambda y, s, q: (y, np.array([{}] * len(s)), q),
    "no rows": lambda y, s, q: (y[:0], s[:0], q[:0]),
    "two columns of scores": lambda y, s, q: (y, np.column_stack([s, s]), q),
    "an id that is missing": lambda y, s, q: (y, s, second(q.astype(object), None)),
    "one score too few": lambda y, s, q: (y, s[:-1], q),
    "one id too few": lambda y, s, q: (y, s, q[:-1]),
}
# What a door cannot be handed: it takes whole columns, or makes the ids itself.
CANNOT = {
    ("StreamingEvaluator", "one score too few"),
    ("StreamingEvaluator", "one id too few"),
    ("scorer, routing off", "an id that is missing"),
    ("scorer, routing off", "two columns of scores"),
    ("scorer, routing on", "two columns of scores"),
    ("evaluate", "two columns of scores"),
}


@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize("name", ["ndcg@3", "map", "p@2", "roc_auc", "set_f1"])
@pytest.mark.filterwarnings("ignore")
def test_what_is_refused_at_one_door_is_refused_at_all(name, what, rounds, tally):
    measure = Measure(name)
    for rng in rounds(1):
        rows = HOSTILE[what](*draw(rng, is_set=name.startswith("set")))
        for where, door in ARRAYS.items():
            if (where, what) not in CANNOT:
                assert value_at(door, measure, *rows) == "refused", where
                tally("refused at every door", 1, 0.0)
