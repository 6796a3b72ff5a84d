"""What is no candidate counts nowhere, as if its rows had been removed by hand."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import label_binarize

import sklearn_irmetrics as irm
from oracles import reference as ref
from oracles.cases import ROWS, Case
from oracles.measures import METRICS
from sklearn_irmetrics.model_selection import QueryKFold, evaluate

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

NAMES = ["ndcg@3", "map", "mrr", "roc_auc", "bpref", "p@2", "recall@2", "set_f1"]
RNG = np.random.default_rng(7)
GRADES = RNG.choice([0.0, 0.0, 1.0, 2.0, np.nan], (9, 8))
SCORES = RNG.choice([-np.inf, 0.0, 0.5, 0.7, 2.0], (9, 8))
KNOWN = RNG.random((9, 8)) < 0.3
CHOSEN = RNG.random((9, 8)) < 0.6
CHOSEN[:, 5] = True
QID = CHOSEN.nonzero()[0]
SHUFFLED = RNG.permutation(GRADES.size)
ROW_QID = np.repeat(np.arange(9) * 3, 8)[SHUFFLED]
WEIGHTS = np.arange(1.0, 10.0)


def equal(found, expected):
    assert found.scores.keys() == expected.scores.keys()
    for label, values in expected.scores.items():
        np.testing.assert_array_equal(found.scores[label], values, err_msg=label)
    assert found.mean == pytest.approx(expected.mean, nan_ok=True, abs=0)


@pytest.mark.parametrize("ties", ["average", "stable"])
@pytest.mark.parametrize("subtopics", [False, True])
def test_every_measure_equals_removed_rows(subtopics, ties):
    measures = {
        str(case): case.measure
        for name, row in ROWS.items()
        if row.kind == "ranking" and row.subtopics is subtopics
        for case in (
            [Case(name, params) for params in ref.SETTINGS[name]]
            if name in ref.SETTINGS
            else [Case(name, {})]
        )
    }
    y_true, y_score, known, chosen = (
        table.ravel()[SHUFFLED] for table in (GRADES, SCORES, KNOWN, CHOSEN)
    )
    chosen[np.unique(ROW_QID, return_index=True)[1]] = True  # no query moves back
    if subtopics:
        y_true = np.column_stack([y_true, np.roll(y_true, 3)])
    marks = {"known": known}
    if not subtopics:
        marks |= {
            "pooled": np.isnan(y_true) & ~known,
            "inverse_propensity": 1.0 + np.arange(len(y_true)),
            "popularity": (1.0 + np.arange(len(y_true))) / 100,
            "membership": np.eye(2)[SHUFFLED % 2],
            "vectors": np.eye(4)[SHUFFLED % 4] + 0.1,
        }
    found = irm.score_queries(
        y_true,
        y_score,
        measures,
        qid=ROW_QID,
        marks=marks,
        candidates=chosen,
        ties=ties,
    )
    marks = {name: mark[chosen] for name, mark in marks.items()}
    expected = irm.score_queries(
        y_true[chosen],
        y_score[chosen],
        measures,
        qid=ROW_QID[chosen],
        marks=marks,
        ties=ties,
    )
    equal(found, expected)


def csr(table):
    return csr_array(np.nan_to_num(table, neginf=0.0))


@pytest.mark.parametrize(
    ("form", "form_of_scores", "form_of_candidates"),
    [
        (np.asarray, np.asarray, np.asarray),
        (np.asarray, np.asarray, csr_array),
        (csr, np.asarray, np.asarray),
        (csr, csr, np.ndarray.tolist),
        (csr, csr, csr_array),
    ],
)
def test_a_query_per_row(form, form_of_scores, form_of_candidates):
    names = NAMES if form is np.asarray else NAMES[:-1]
    y_true = GRADES if form is np.asarray else np.nan_to_num(GRADES)
    y_score = SCORES
    if form_of_scores is csr:
        y_score = np.where(SCORES == 0, -np.inf, SCORES)
    expected = irm.score_queries(
        y_true[CHOSEN], y_score[CHOSEN], names, qid=QID, sample_weight=WEIGHTS[QID]
    )
    shared = {"sample_weight": WEIGHTS, "candidates": form_of_candidates(CHOSEN)}
    given, scores = form(GRADES), form_of_scores(SCORES)
    equal(irm.score_queries(given, scores, names, **shared), expected)
    evaluator = irm.reports.RankingEvaluator(given, names, **shared)
    equal(evaluator.score_queries(scores), expected)
    assert evaluator(scores) == pytest.approx(expected.mean, nan_ok=True, abs=0)
    levels = irm.score_queries(
        y_true[CHOSEN], 0 * QID, names[:5], qid=QID, sample_weight=WEIGHTS[QID]
    )
    for name in names[:5]:
        assert irm.metrics.chance_level(name, given, **shared) == levels.mean[name]


def test_classes_that_a_sample_may_have():
    classes = np.array(["z", "x", "y", "x", "z"])
    of_class = label_binarize(classes, classes=["x", "y", "z"])
    scores = np.array([[1, 2, 3], [3, 2, 1], [2, 2, 2], [1, 3, 2], [3, 1, 2]]) / 4
    allowed = np.ones((5, 3), dtype=bool)
    allowed[0, 1] = allowed[3, 1] = allowed[4, 2] = False
    found = irm.score_queries(of_class, scores, "mrr", candidates=allowed)
    np.testing.assert_allclose(
        found.scores["mrr"], [1, 1, (1 + 1 / 2 + 1 / 3) / 3, 1 / 2, np.nan], rtol=1e-15
    )


def test_labels_and_predicted_sets():
    y_true, chosen = np.nan_to_num(GRADES[0]), CHOSEN[0]
    y_pred = SCORES[0] > 0
    found = irm.score_queries(y_true > 0, y_pred, "set_f1", candidates=chosen)
    assert found.mean == {
        "set_f1": irm.set_f1_score(y_true[chosen] > 0, y_pred[chosen])
    }
    ids = np.repeat(["a", "b"], 4)
    found = irm.score_queries(
        y_true, y_true[::-1], "scott_pi", qid=ids, candidates=chosen
    )
    expected = METRICS["scott_pi"].function(
        y_true[chosen], y_true[::-1][chosen], qid=ids[chosen], average=None
    )
    np.testing.assert_array_equal(found.scores["scott_pi"], expected)


def test_queries_stay_in_the_order_of_all_documents():
    qid, chosen = list("abbcca"), [0, 1, 1, 1, 1, 1]
    rows = {"qid": qid, "candidates": chosen}
    y_true, y_score = [1, 1, 0, 0, 1, 1], [9, 2, 1, 2, 1, 1]
    evaluator = irm.reports.RankingEvaluator(y_true, "mrr", **rows)
    for found in (
        irm.score_queries(y_true, y_score, "mrr", **rows),
        evaluator.score_queries(y_score),
    ):
        assert found.query_ids.tolist() == ["a", "b", "c"]
        assert found.scores["mrr"].tolist() == [1.0, 1.0, 0.5]
    levels = irm.metrics.chance_level("mrr", y_true, average=None, **rows)
    assert levels.tolist() == [1.0, 0.75, 0.75]
    means = {"a": 1.0, "b": 1.0, "c": 0.5}
    for by in (["a", "b", "c"], {"c": "c", "a": "a", "b": "b"}, qid):
        report = irm.ranking_report(y_true, y_score, metrics="mrr", by=by, **rows)
        expected = {("mrr", name): mean for name, mean in means.items()}
        assert report.estimate == {("mrr", "all"): 2.5 / 3} | expected
    stream = irm.streaming.StreamingEvaluator("mrr")
    stream.update(y_true, y_score, by=qid, **rows)
    frame = stream.compute().to_frame()
    assert dict(zip(frame["segment"], frame["mean"], strict=True)) == means


def test_report():
    options = {"metrics": NAMES[:3], "by": np.arange(9) % 2}
    found = irm.ranking_report(GRADES, SCORES, candidates=CHOSEN, **options)
    expected = irm.ranking_report(GRADES[CHOSEN], SCORES[CHOSEN], qid=QID, **options)
    assert found.to_dict() == expected.to_dict()
    assert found.counts["documents"] == CHOSEN.sum()


def test_nothing_of_other_documents_is_looked_at():
    broken = np.where(CHOSEN, SCORES, np.nan)
    found = irm.score_queries(GRADES, broken, "map", candidates=CHOSEN)
    equal(found, irm.score_queries(GRADES, SCORES, "map", candidates=CHOSEN))
    everything = np.ones_like(CHOSEN)
    equal(
        irm.score_queries(GRADES, SCORES, NAMES, candidates=everything),
        irm.score_queries(
            GRADES.ravel(), SCORES.ravel(), NAMES, qid=np.repeat(np.arange(9), 8)
        ),
    )


def refuse(message, y_true=GRADES, y_score=SCORES, **options):
    for call in (
        lambda: irm.score_queries(y_true, y_score, "map", **options),
        lambda: irm.reports.RankingEvaluator(y_true, "map", **options)(y_score),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_what_is_refused():
    refuse(r"shape of y_score, \(9, 8\); got \(9,\)", candidates=CHOSEN[:, 0])
    refuse("candidates must hold booleans.*got 0.5", candidates=CHOSEN / 2)
    refuse("qid must be None with 2-D", candidates=CHOSEN, qid=np.arange(9))
    refuse("one value per row", candidates=CHOSEN, sample_weight=WEIGHTS[1:])
    none = CHOSEN.copy()
    none[[3, 6]] = False
    refuse(r"none for 2 of 9 queries, the first of them 3\. Leave", candidates=none)
    flat, scores = GRADES.ravel(), SCORES.ravel()
    few = np.zeros(flat.size, dtype=bool)
    refuse(r"candidates must hold a document; got none\.", flat, scores, candidates=few)
    few[9] = True
    qid = np.repeat(list("abcdefghi"), 8)
    first = "none for 8 of 9 queries, the first of them 'a'"
    refuse(first, flat, scores, candidates=few, qid=qid)
    refuse("qid must have one id per row", flat, scores, candidates=few, qid=qid[1:])
    marks = {"known": KNOWN[1:]}
    refuse(r"known must have the shape of candidates", candidates=CHOSEN, marks=marks)
    with pytest.raises(ValueError, match=r"y_true must have the shape of candidates"):
        irm.score_queries(GRADES[1:], SCORES, "map", candidates=CHOSEN)
    evaluator = irm.reports.RankingEvaluator(GRADES, "map", candidates=CHOSEN)
    with pytest.raises(ValueError, match=r"y_score must have the shape of candidates"):
        evaluator(SCORES[CHOSEN])


@pytest.mark.parametrize(
    "door",
    [
        lambda y, s, c: irm.score_queries(y, s, "ndcg", candidates=c),
        lambda y, s, c: irm.score_queries(y, s, "ndcg", candidates=c[:, 0]),
        lambda y, s, c: irm.reports.RankingEvaluator(y, "ndcg", candidates=c),
        lambda y, s, c: irm.ranking_report(y, s, candidates=c),
        lambda y, s, c: irm.metrics.chance_level("ndcg", y, candidates=c),
        lambda y, s, c: irm.streaming.StreamingEvaluator("ndcg").update(
            y, s, candidates=c
        ),
    ],
)
def test_one_row_of_a_column_is_no_query(door):
    column, chosen = np.array([[0.0], [1.0]]), np.array([[True], [False]])
    with pytest.raises(ValueError, match=r"more than one column; got shape \(2, 1\)"):
        door(column, column, chosen)
    with pytest.raises(ValueError, match=r"more than one column; got shape \(2, 1\)"):
        door(column, column, ~chosen | chosen)


def test_csr_of_one_column_has_a_query_per_row():
    y_true, y_score, chosen = np.array([1, 0, 2]), np.array([3, 2, 1]), np.ones(3, bool)
    rows = [csr_array(one[:, np.newaxis]) for one in (y_true, y_score, chosen)]
    expected = irm.score_queries(*rows[:2], "map", replace_undefined_by=0)
    for candidates in (rows[2], chosen[:, np.newaxis], [[True], [True], [True]]):
        options = {"candidates": candidates, "replace_undefined_by": 0}
        assert irm.score_queries(*rows[:2], "map", **options).mean == expected.mean
    few = csr_array([[1], [0], [1]])
    refuse("none for 1 of 3 queries", *rows[:2], candidates=few)
    refuse(r"y_score, \(3, 1\); got \(3,\)", *rows[:2], candidates=chosen)
    message = "must have the shape of (candidates|y_score)"
    for given in ((rows[0], y_score), (y_true, rows[1])):
        with pytest.raises(ValueError, match=message):
            irm.score_queries(*given, "map", candidates=chosen)


def test_scorers_get_them_by_routing():
    X, y = RNG.random((60, 3)), RNG.integers(0, 3, 60)
    qid, chosen = np.repeat(np.arange(12), 5), RNG.random(60) < 0.8
    chosen[::5] = True
    model = Ridge().fit(X, y)
    expected = irm.ndcg_score(y[chosen], model.predict(X)[chosen], k=3, qid=qid[chosen])
    scorer = irm.get_scorer("ndcg@3")
    with config_context(enable_metadata_routing=True):
        assert scorer(model, X, y, qid=qid, candidates=chosen) == expected
        cv = QueryKFold(3)
        search = GridSearchCV(Ridge(), {"alpha": [1.0]}, scoring=scorer, cv=cv)
        found = search.fit(X, y, qid=qid, candidates=chosen).best_score_
    folds, ranked = [], np.full(60, -np.inf)
    for train, test in cv.split(X, y, qid):
        ranked[test] = Ridge().fit(X[train], y[train]).predict(X[test])
        test = test[chosen[test]]
        folds.append(irm.ndcg_score(y[test], ranked[test], k=3, qid=qid[test]))
    assert found == pytest.approx(np.mean(folds))
    names = ["ndcg@3", "ap@4", "rprec"]
    params = {"candidates": chosen}
    shared = {"qid": qid, "scoring": names, "params": params, "method": cv}
    result = evaluate(Ridge(), X, y, **shared)
    by_hand = irm.score_queries(y, ranked, names, qid=qid, candidates=chosen)
    assert result.estimate == pytest.approx(by_hand.mean)
    pooled = evaluate(Ridge(), X, y, **shared, aggregate="pooled")
    assert pooled.estimate == pytest.approx(by_hand.mean)


def test_chance_of_subtopics():
    qid, chosen = np.repeat(np.arange(9), 8), CHOSEN.ravel()
    topics = np.column_stack([GRADES.ravel(), np.roll(GRADES, 3).ravel()])
    found = irm.metrics.chance_level(
        "subtopic_recall@2", topics, qid=qid, candidates=chosen
    )
    options = {"qid": qid[chosen]}
    assert found == irm.metrics.chance_level(
        "subtopic_recall@2", topics[chosen], **options
    )
