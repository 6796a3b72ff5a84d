"""Measures that users make: equal at every door to those of this package."""

import json
import pickle
from copy import deepcopy

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.inspection import permutation_importance
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_validate

import sklearn_irmetrics as irm
from sklearn_irmetrics import Measure, get_scorer, make_metric, score_queries
from sklearn_irmetrics.comparison import compare, leaderboard
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.estimators.boosting import lightgbm_metric, xgboost_metric
from sklearn_irmetrics.frames import summarize_frame
from sklearn_irmetrics.judging import score_judged
from sklearn_irmetrics.model_selection import (
    EvaluationResult,
    QueryKFold,
    evaluate,
    query_learning_curve,
)
from sklearn_irmetrics.reports import score_sampled, threshold_curve
from sklearn_irmetrics.runs import leave_one_out_pool

pytestmark = pytest.mark.filterwarnings("ignore:.* undefined in")

NAN, INF = float("nan"), float("inf")


def hits_in_2(y_true, y_score):
    return np.count_nonzero((y_true[:2] > 0) & (y_score[:2] > -np.inf)) / 2


def inverse_rank(y_true, y_score):
    if not (y_true > 0).any():
        return NAN
    found = (y_true > 0) & (y_score > -np.inf)
    return 1 / (1 + found.argmax()) if found.any() else 0.0


def rank_of_first(y_true, y_score):
    found = (y_true > 0) & (y_score > -np.inf)
    return 1 + int(found.argmax()) if found.any() else NAN


HITS = make_metric(hits_in_2, name="hits", range=(0, 1))
RR = make_metric(inverse_rank, name="inverse_rank", range=(0, 1))
RANK = make_metric(rank_of_first, name="first", range=(1, INF), greater_is_better=False)
PAIRS = {"p@2": HITS, "mrr": RR, "first_rank": RANK}
OURS = {name: name for name in PAIRS}

# Scores without ties, some documents unjudged, some not retrieved.
rng = np.random.default_rng(0)
LENGTHS = rng.integers(1, 12, 60)
QID = np.repeat(np.arange(60), LENGTHS)
Y_TRUE = rng.choice([0.0, 0.0, 1.0, 3.0, NAN], len(QID))
Y_SCORE = rng.permutation(len(QID)).astype(float)
Y_SCORE[rng.random(len(QID)) < 0.15] = -INF
OTHER = rng.permutation(len(QID)).astype(float)
WEIGHTS = (1.0 + np.arange(60) % 3)[QID]
MATRIX = rng.integers(0, 3, (30, 8)), rng.permutation(240).reshape(30, 8)

X, Y, IDS = make_ranking(n_queries=30, n_docs=(3, 9), random_state=0)
TABLE = np.column_stack([IDS, X])


def scores(measures):
    return score_queries(Y_TRUE, Y_SCORE, measures, qid=QID)


def frame():
    import pandas as pd

    columns = {"query": QID, "grade": Y_TRUE, "score": Y_SCORE}
    return pd.DataFrame(columns), {
        "qid": "query",
        "y_true": "grade",
        "y_score": "score",
    }


def runs():
    qrels, run = {}, {}
    for i, query in enumerate(QID.tolist()):
        if Y_TRUE[i] == Y_TRUE[i]:
            qrels.setdefault(str(query), {})[f"d{i}"] = int(Y_TRUE[i])
        if Y_SCORE[i] > -INF:
            run.setdefault(str(query), {})[f"d{i}"] = float(Y_SCORE[i])
    return qrels, run


def by_function(measures):
    found = {}
    for name, measure in measures.items():
        made = Measure(measure)
        found[name] = [
            made(Y_TRUE, Y_SCORE, qid=QID),
            made(Y_TRUE, Y_SCORE, qid=QID, sample_weight=WEIGHTS),
            made(Y_TRUE, Y_SCORE, qid=QID, average="geometric"),
            made(Y_TRUE, Y_SCORE, qid=QID, replace_undefined_by=1.25),
            *made(Y_TRUE, Y_SCORE, qid=QID, average=None),
            made(*MATRIX),
            made(Y_TRUE, Y_SCORE, qid=QID, ties="stable"),
        ]
    return found


def by_sparse_input(measures):
    from scipy.sparse import csr_array

    y_true, y_score = csr_array(MATRIX[0]), csr_array(np.maximum(MATRIX[1] - 90.0, 0))
    return score_queries(y_true, y_score, measures).scores


def by_threads(measures):
    y_true, y_score = np.tile(MATRIX[0], (300, 1)), np.tile(MATRIX[1], (300, 1))
    return score_queries(y_true, y_score, measures, n_jobs=2).mean


def by_evaluator(measures):
    evaluator = irm.reports.RankingEvaluator(
        Y_TRUE, measures, qid=QID, sample_weight=WEIGHTS
    )
    return {name: [value] for name, value in evaluator(Y_SCORE).items()}


def by_candidates(measures):
    first = np.append(True, QID[1:] != QID[:-1])
    options = {"qid": QID, "candidates": first | (np.arange(len(QID)) % 4 > 0)}
    return score_queries(Y_TRUE, Y_SCORE, measures, **options).scores


def by_intervals(measures):
    found = scores(measures)
    return {name: found.interval(name) for name in measures}


def by_report(measures):
    return irm.ranking_report(Y_TRUE, Y_SCORE, qid=QID, metrics=measures).estimate


def by_runs(measures):
    return irm.score_run(*runs(), measures, unmatched="ignore").scores


def by_pool(measures):
    qrels, run = runs()
    other = {query: dict([*found.items()][:1]) for query, found in run.items()}
    given = {"a": run, "b": other}
    found = leave_one_out_pool(qrels, given, measures, unmatched="ignore")
    return {"all": found.to_frame().select_dtypes("number")}


def by_frame(measures):
    rows, columns = frame()
    return irm.frames.score_frame(rows, measures, **columns, batch_size=64).scores


def by_sums(measures):
    rows, columns = frame()
    return summarize_frame(rows, measures, **columns, batch_size=64).mean


def by_stream(measures):
    parts = (
        irm.streaming.StreamingEvaluator(measures),
        irm.streaming.StreamingEvaluator(measures),
    )
    for part, rows in zip(parts, (QID < 20, QID >= 20), strict=True):
        part.update(Y_TRUE[rows], Y_SCORE[rows], qid=QID[rows])
    parts[0].merge(pickle.loads(pickle.dumps(parts[1])))
    return parts[0].compute().mean


def by_torch(measures):
    torch = pytest.importorskip("torch")
    pytest.importorskip("torchmetrics")
    from sklearn_irmetrics.torch import QueryMetrics

    metric = QueryMetrics(measures)
    rows = map(torch.tensor, (Y_SCORE, Y_TRUE))
    metric.update(*rows, torch.tensor(QID))
    return {name: float(value) for name, value in metric.compute().items()}


def by_cutoffs(measures):
    wanted = {name: one for name, one in measures.items() if name == "mrr"}
    return {
        name: irm.reports.metric_at_cutoffs(
            measure, Y_TRUE, Y_SCORE, [1, 2, 5], qid=QID
        )
        for name, measure in wanted.items()
    }


def by_thresholds(measures):
    scores = np.where(Y_SCORE > -INF, Y_SCORE, -1)
    return {
        name: threshold_curve(
            measure, Y_TRUE, scores, thresholds=[0, 100, 250], qid=QID, average=None
        ).values
        for name, measure in measures.items()
    }


def by_sampled_negatives(measures):
    single = np.arange(8) == np.zeros((30, 1))
    return score_sampled(single, MATRIX[1], measures, n_candidates=8).estimate


def by_scorer(measures):
    model = Ridge().fit(TABLE, Y)
    found = {}
    for name, measure in measures.items():
        scorer = get_scorer(measure, qid=0)
        again = pickle.loads(pickle.dumps(deepcopy(clone(scorer, safe=False))))
        assert again(model, TABLE, Y) == scorer(model, TABLE, Y)
        assert scorer.measure == Measure(measure)
        found[name] = [
            scorer(model, TABLE, Y),
            *permutation_importance(
                model, TABLE, Y, scoring=scorer, n_repeats=2, random_state=0
            ).importances.ravel(),
        ]
    return found


def by_search(measures):
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            Ridge(),
            {"alpha": [0.1, 1e3]},
            scoring=irm.get_scorers(measures),
            cv=QueryKFold(3),
            refit="first_rank",
            error_score="raise",
        ).fit(X, Y, qid=IDS)
    return {name: search.cv_results_[f"mean_test_{name}"] for name in measures}


def by_cross_validation(measures):
    found = cross_validate(
        Ridge(),
        TABLE,
        Y,
        scoring=irm.get_scorers(measures, qid=0),
        cv=QueryKFold(3).split(TABLE, qid=IDS),
        error_score="raise",
    )
    return {name: found[f"test_{name}"] for name in measures}


def by_evaluation(method, **options):
    def door(measures):
        found = evaluate(
            Ridge(),
            X,
            Y,
            scoring=measures,
            qid=IDS,
            method=method,
            random_state=0,
            **options,
        )
        again = EvaluationResult.from_dict(json.loads(json.dumps(found.to_dict())))
        assert again.estimate == found.estimate
        return {
            name: [
                found.estimate[name],
                found.standard_error[name],
                *found.confidence_interval[name],
            ]
            for name in measures
        }

    return door


def by_learning_curve(measures):
    found = query_learning_curve(
        Ridge(), X, Y, scoring=measures, qid=IDS, random_state=0
    )
    table = found.to_frame()
    return {"all": table.select_dtypes("number").to_numpy()}


def systems(measures):
    return {
        "a": score_queries(Y_TRUE, Y_SCORE, measures, qid=QID, replace_undefined_by=9),
        "b": score_queries(Y_TRUE, OTHER, measures, qid=QID, replace_undefined_by=9),
    }


def by_comparison(measures):
    found = {}
    for name in measures:
        test = compare(systems(measures), metric=name, random_state=0)
        found[name] = np.r_[test.estimate, test.p_value, *test.confidence_interval]
    return found


def by_leaderboard(measures):
    found = {}
    for name in measures:
        board = leaderboard(systems(measures), metric=name, random_state=0)
        order = [[*"ab"].index(system) for system in board.system]
        found[name] = [*order, *board.estimate, *np.ravel(board.p_adjusted)]
    return found


def by_judging(measures):
    labels = np.where(QID % 2 > 0, np.nan_to_num(Y_TRUE), NAN)
    y_judge, options = np.nan_to_num(Y_TRUE), {"qid": QID, "replace_undefined_by": 1}
    return score_judged(labels, y_judge, OTHER, measures, **options).estimate


def by_display(measures):
    pytest.importorskip("matplotlib")
    from sklearn_irmetrics.plot import (
        CutoffDisplay,
        EvaluationDisplay,
        QueryDifferenceDisplay,
    )

    rows = np.nan_to_num(Y_TRUE), Y_SCORE
    drawn = {}
    for name, measure in measures.items():
        shown = QueryDifferenceDisplay.from_predictions(
            *rows, baseline=OTHER, metric=measure, qid=QID
        )
        drawn[name] = shown.differences
    ranks = measures["mrr"]
    shown = CutoffDisplay.from_predictions(
        *rows, qid=QID, metric=ranks, plot_chance_level=False
    )
    drawn["cutoffs"] = shown.score
    shown = EvaluationDisplay.from_predictions(*rows, qid=QID, metrics=measures)
    drawn["evaluation"] = [*shown.estimates]
    return drawn


def by_lightgbm(measures):
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMRanker(n_estimators=3, min_child_samples=2, verbose=-1)
    sizes = np.unique(IDS, return_counts=True)[1]
    metric, log = lightgbm_metric(measures, ties="stable"), {}
    model.fit(
        X,
        Y,
        group=sizes,
        eval_X=(X,),
        eval_y=(Y,),
        eval_group=[sizes],
        eval_metric=metric,
        callbacks=[lightgbm.record_evaluation(log)],
    )
    (found,) = log.values()
    return {name: found[name] for name in measures}


def by_xgboost(measures):
    xgboost = pytest.importorskip("xgboost")
    data = xgboost.DMatrix(X, Y, qid=IDS)
    metric, log = xgboost_metric(measures, ties="stable"), {}
    assert metric.greater_is_better
    xgboost.train(
        {"objective": "rank:ndcg", "nthread": 1},
        data,
        3,
        evals=[(data, "valid")],
        custom_metric=metric,
        evals_result=log,
        verbose_eval=False,
    )
    return {name: log["valid"][name] for name in measures}


def by_catboost(measures):
    catboost = pytest.importorskip("catboost")
    from sklearn_irmetrics.estimators.boosting import catboost_metric

    found = {}
    for name, measure in measures.items():
        metric = catboost_metric({name: measure}, [(Y, IDS)], ties="stable")
        model = catboost.CatBoostRanker(
            iterations=3,
            eval_metric=metric,
            verbose=0,
            thread_count=1,
            allow_writing_files=False,
        )
        model.fit(X, Y, group_id=IDS, eval_set=catboost.Pool(X, Y, group_id=IDS))
        found[name] = model.evals_result_["validation"][name]
    return found


def by_early_stopping(measures):
    lightgbm = pytest.importorskip("lightgbm")
    found = {}
    for name, measure in measures.items():
        model = QueryRanker(
            lightgbm.LGBMRanker(
                n_estimators=40, min_child_samples=2, verbose=-1, early_stopping_round=2
            ),
            eval_metric=measure,
            validation_fraction=0.3,
            random_state=0,
        )
        found[name] = clone(model).fit(X, Y, qid=IDS).predict(X)
    return found


DOORS = {
    name.removeprefix("by_"): door
    for name, door in list(globals().items())
    if name.startswith("by_") and name != "by_evaluation"
}
DOORS |= {
    method: by_evaluation(method)
    for method in ("kfold", "holdout", "bootstrap", "loocv")
}
DOORS["corrected_t"] = by_evaluation("kfold", interval="corrected_t")
DOORS["betting"] = by_evaluation("kfold", interval="betting")


@pytest.mark.parametrize("name", DOORS)
def test_equal_to_what_it_is_made_like(name):
    door = DOORS[name]
    made, ours = (_values(door(measures)) for measures in (PAIRS, OURS))
    assert made.keys() == ours.keys()
    for key in ours:
        assert_allclose(made[key], ours[key], rtol=1e-9, atol=1e-12, err_msg=key)


def _values(found):
    return {name: np.asarray(value, dtype=float) for name, value in found.items()}


# What users may get wrong -------------------------------------------------------------


def spoil(y_true, y_score):
    value = hits_in_2(y_true, y_score)
    y_true[:] = y_score[:] = 7
    return value


@pytest.mark.parametrize("measure", ["hits", Measure("p@2"), HITS])
def test_a_function_may_change_what_it_gets(measure):
    spoiling = make_metric(spoil, name="spoiling")
    beside = measure if isinstance(measure, Measure) else spoiling
    before = Y_TRUE.copy(), Y_SCORE.copy()
    found = scores({"a": spoiling, "b": beside, "c": "p@2"}).scores
    assert_allclose(found["a"], found["c"])
    assert_allclose(found["b"], found["c"])
    assert_allclose(Y_TRUE, before[0])
    assert_allclose(Y_SCORE, before[1])


class Odd:
    """A number to nobody but itself."""

    __array_priority__ = 1

    def __repr__(self):
        return "Odd()"


@pytest.mark.parametrize(
    "value",
    [None, True, np.True_, "0.5", [0.5], np.array([0.5]), np.zeros(0), 0.5j, Odd()]
    + [INF, -INF, 1.1, -0.1, np.float32(2), 10**400, {"value": 0.5}, np.array(0.5)],
    ids=repr,
)
def test_what_is_no_number_in_the_range_is_refused_by_name_and_query(value):
    bad = make_metric(
        lambda y_true, y_score: value if y_true[0] == 3 else 0.5,
        name="bad",
        range=(0, 1),
    )
    message = (
        "^the result of 'bad' must be a finite number from 0 to 1, or NaN; got .*, in "
        "query 'second'.$"
    )
    rows = [1, 0, 3, 0], [4, 3, 2, 1]
    queries = ["first", "first", "second", "second"]
    for door in (bad, lambda *rows, qid: score_queries(*rows, ["mrr", bad], qid=qid)):
        with pytest.raises(ValueError, match=message):
            door(*rows, qid=queries)
    with pytest.raises(ValueError, match="a finite number, or NaN; got .*, in query"):
        make_metric(lambda y_true, y_score: None, name="bad")(*rows)


@pytest.mark.parametrize("value", [NAN, np.float32("nan"), np.float64("nan")])
def test_nan_is_undefined(value):
    made = make_metric(
        lambda y_true, y_score: value if y_true[0] else 1, name="made", range=(0, 1)
    )
    with pytest.warns(UndefinedMetricWarning, match="made_score is undefined in 1 of"):
        assert made([[1, 0], [0, 1]], [[2, 1], [2, 1]]) == 1.0
    assert made([[1, 0]], [[2, 1]], replace_undefined_by=0.5) == 0.5


def test_rounding_does_not_leave_the_range():
    made = make_metric(lambda *_: 0.1 * 3 / 0.3, name="made", range=(0, 1))
    assert 0.1 * 3 / 0.3 > 1
    assert made([1, 0], [2, 1]) == 1.0


@pytest.mark.parametrize(
    ("ends", "value", "nearest"),
    [
        *(((0, 1), 1 + 0.9e-12, 1), ((0, 1), -0.9e-12, 0)),
        *(((0, 0.1), 0.1 + 0.9e-12, 0.1), ((0, 1000), 1000 + 0.9e-9, 1000)),
        *(((-1000, 1), 1 + 0.9e-9, 1), ((1000, INF), 1000 - 0.9e-9, 1000)),
    ],
)
def test_rounding_is_a_part_of_a_millionth_of_a_millionth(ends, value, nearest):
    made = make_metric(lambda *_: value, name="made", range=ends)
    assert made([1, 0], [2, 1]) == nearest
    beyond = nearest + 1.2 * (value - nearest)
    made = make_metric(lambda *_: beyond, name="made", range=ends)
    with pytest.raises(ValueError, match="the result of 'made' must be a finite"):
        made([1, 0], [2, 1])


def fails(y_true, y_score):
    if len(y_true) == 3:
        raise KeyError("price")
    return 0.5


def test_errors_of_the_function_are_the_cause():
    failing = make_metric(fails, name="failing")
    message = r"the function of 'failing' raised KeyError\('price'\), in query 8"
    with pytest.raises(ValueError, match=message) as caught:
        failing([1, 0, 1, 0], [4, 3, 2, 1], qid=[7, 8, 8, 8])
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(ValueError, match="'failing' raised KeyError"):
        evaluate(Ridge(), X[:30], Y[:30], scoring=failing, qid=np.arange(30) // 3)


def test_functions_run_under_the_usual_rules_for_overflow():
    grows = make_metric(lambda y_true, y_score: 1 / np.exp(y_score[0]), name="grows")
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert grows([1, 0], [1e4, 1]) == 0.0


def test_it_is_called_once_for_each_query_and_ranking():
    calls = []

    def count(y_true, y_score):
        calls.append(y_score.tolist())
        return 0.5

    made = make_metric(count, name="made")
    evaluator = irm.reports.RankingEvaluator([1, 0, 1], {"made": made, "rr": "mrr"})
    get_scorer(made), lightgbm_metric(made)
    assert not calls
    evaluator([1.0, 3.0, 2.0])
    assert calls == [[3.0, 2.0, 1.0]]


def test_documents_come_in_the_order_of_the_ranking():
    seen = {}

    def see(y_true, y_score):
        seen[len(y_true)] = y_true.tolist(), y_score.tolist()
        return 0.0

    see_all = make_metric(see, name="see")
    qid = [1, 2, 1, 1, 1, 2, 1]
    y_score = np.array([2, 0, -INF, 2, 3, 1, 2], dtype=np.float32)
    see_all([1, 5, 2, 3, NAN, 6, 4], y_score, qid=qid)
    assert seen[2] == ([6, 5], [1, 0])
    assert repr(seen[5]) == repr(
        ([NAN, 1.0, 3.0, 4.0, 2.0], [3.0, 2.0, 2.0, 2.0, -INF])
    )
    Measure(see_all, k=2)([1, 2, 3], [1, 2, 3])
    assert seen[3] == ([3, 2, 1], [3, 2, -INF])


def test_other_orders_of_ties_are_refused():
    for ties in ("optimistic", "pessimistic"):
        with pytest.raises(ValueError, match=f"ties must be .* for 'hits'.*'{ties}'"):
            HITS([1, 0], [1, 1], ties=ties)
    assert HITS([1, 0, 0], [1, 1, 1]) == HITS([1, 0, 0], [1, 1, 1], ties="stable")


@pytest.mark.parametrize(
    "name",
    ["ndcg", "MAP", "hit_rate", "P_10", "cohen_kappa", "set_f1", "Recall_100"],
)
def test_names_of_measures_are_taken(name):
    with pytest.raises(ValueError, match=f"name must be new, but '{name}' is"):
        make_metric(hits_in_2, name=name)


@pytest.mark.parametrize(
    "name", ["", "p@2", "two words", "2nd", "a(b)", None, 3, "a-b"]
)
def test_names_are_words(name):
    with pytest.raises(ValueError, match="name must consist of letters, digits and"):
        make_metric(hits_in_2, name=name)


@pytest.mark.parametrize(
    "bounds", [(1, 0), (0, 0), 1, "ab", (0, NAN), (INF, INF), (0, 1, 2), (None, 1)]
)
def test_a_range_has_two_ends(bounds):
    with pytest.raises(ValueError, match="range must be the smallest and the largest"):
        make_metric(hits_in_2, name="hits", range=bounds)


def test_a_function_is_called_with_two_arrays():
    with pytest.raises(TypeError, match=r"function must be callable, as function\(y_"):
        make_metric("p@2", name="hits")
    with pytest.raises(ValueError, match="greater_is_better must be True or False"):
        make_metric(hits_in_2, name="hits", greater_is_better=1)


# What it is ---------------------------------------------------------------------------


def test_it_is_a_measure():
    assert isinstance(HITS, Measure)
    assert repr(HITS) == "Measure('hits')"
    assert str(HITS) == f"{HITS}" == HITS.label == "hits"
    assert Measure(HITS, k=1).label == "hits@1"
    assert make_metric(hits_in_2, name="hits", range=[0.0, 1.0]) == HITS
    assert len({HITS, make_metric(hits_in_2, name="hits", range=(0, 1)), RR}) == 2
    others = [
        make_metric(hits_in_2, name="hits"),
        make_metric(hits_in_2, name="others", range=(0, 1)),
        make_metric(hits_in_2, name="hits", range=(0, 1), greater_is_better=False),
        make_metric(lambda *_: 0, name="hits", range=(0, 1)),
        Measure(HITS, k=1),
        Measure("p@2"),
    ]
    assert HITS not in others
    for name in ("hits", "hits@1"):
        with pytest.raises(ValueError, match="'hits' is not a measure"):
            Measure(name)


def test_it_has_the_parameters_of_all_measures_and_a_cutoff():
    for name in ("relevance_threshold", "judged_only", "gain"):
        with pytest.raises(ValueError, match=f"'hits' has no parameter '{name}'; it "):
            Measure(HITS, **{name: 1})
    with pytest.raises(ValueError, match="average must be one of"):
        HITS([1, 0], [2, 1], average="micro")
    with pytest.raises(ValueError, match="without a value for it"):
        irm.reports.metric_at_cutoffs(Measure(HITS, k=2), [1, 0], [2, 1], [1])
    with pytest.raises(TypeError, match="y_true must hold grades; got the labels"):
        HITS(["a", "b"], [2, 1])
    for metric in (HITS, Measure(HITS, k=2)):
        with pytest.raises(ValueError, match="one that 'trec_eval10' has: .*'hits"):
            irm.metrics.preset("trec_eval10", metric)


def test_a_cutoff_hides_what_is_below():
    for k in (1, 2, 3, 100):
        assert_allclose(
            scores({"made": Measure(RR, k=k)}).scores["made"],
            scores({"ours": f"mrr@{k}"}).scores["ours"],
        )


def test_chance_is_a_mean_over_random_orders():
    options = {"n_permutations": 2000, "random_state": 0}
    found = irm.metrics.chance_level(RR, [1, 0, 0, 1, 0], **options)
    assert found == pytest.approx(
        irm.metrics.chance_level("rr", [1, 0, 0, 1, 0]), abs=0.02
    )
    assert "inverse_rank" in str(irm.ranking_report(*MATRIX, metrics=[RR, "mrr"]))


def test_losses_are_losses_everywhere():
    assert not RANK.metric.greater_is_better
    model = Ridge().fit(TABLE, Y)
    loss = -get_scorer(RANK, qid=0)(model, TABLE, Y)
    assert loss == RANK(Y, model.predict(TABLE), qid=IDS)
    found = evaluate(Ridge(), X, Y, scoring=RANK, qid=IDS, random_state=0)
    assert found.estimate["first"] >= 1
    assert found.confidence_interval["first"].low >= 1
    named = systems({"first": RANK})
    better = min(named, key=lambda name: named[name].mean["first"])
    assert leaderboard(named).system[0] == better


@pytest.mark.parametrize("measure", [RANK, Measure("first_rank")])
def test_a_scorer_of_a_measure_knows_its_direction(measure):
    with pytest.raises(TypeError, match="score_func must be a function; .*get_scorer"):
        irm.make_ranking_scorer(measure)


def test_the_range_narrows_intervals():
    def interval(bounds):
        made = make_metric(lambda *_: 0.5, name="made", range=bounds)
        return score_queries(*MATRIX, made).interval("made")

    low, high = interval((0, 1))
    assert 0 <= low < 0.5 < high <= 1
    assert interval((0.4, 1)).low >= 0.4
    assert np.isnan(interval(None)).all()


class Hits:
    """A function with a state, which cannot be hashed."""

    __hash__ = None

    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return isinstance(other, Hits) and self.n == other.n

    def __call__(self, y_true, y_score):
        return np.mean(y_true[: self.n] > 0)


def test_functions_with_a_state():
    function = Hits(2)
    made = make_metric(function, name="hits")
    assert (
        made == make_metric(function, name="hits") != make_metric(Hits(2), name="hits")
    )
    assert made([1, 0, 1], [3, 2, 1]) == 0.5
    again = pickle.loads(pickle.dumps(made))
    assert again([1, 0, 1], [3, 2, 1]) == 0.5
    assert get_scorer(made)._score_func.__name__ == "hits_score"


def test_pickled_where_the_function_can_be():
    assert pickle.loads(pickle.dumps(HITS)) == HITS == deepcopy(HITS)
    assert pickle.loads(pickle.dumps(HITS)).metric.greater_is_better
    local = make_metric(lambda *_: 0.5, name="local", range=(0, 1))
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(local)
    found = scores([local, "mrr"])
    again = pickle.loads(pickle.dumps(found))
    assert again.mean == found.mean
    assert again.interval("local") == found.interval("local")
    with pytest.raises(ValueError, match="the function '<lambda>' of a measure is"):
        again.metrics["local"]([1, 0], [2, 1])


def test_results_are_read_from_json_without_the_function():
    found = scores([RANK, HITS])
    again = irm.reports.QueryScores.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.mean == found.mean
    assert again.interval("first") == found.interval("first")
    measure = again.metrics["first"]
    assert measure.label == "first"
    assert measure.metric.range == (1, INF)
    assert not measure.metric.greater_is_better
    with pytest.raises(ValueError, match="the function 'rank_of_first' of a measure"):
        measure([1, 0], [2, 1])
    with pytest.raises(ValueError, match="unknown because they were read from JSON"):
        compare({"a": found, "b": again}, metric="hits")


def test_documents_that_sparse_input_does_not_store():
    from scipy.sparse import csr_array

    counts = make_metric(
        lambda y_true, y_score: len(y_true) + (y_score > -INF).sum() / 10 + y_true[-1],
        name="counts",
    )
    y_true, y_score = np.zeros((2, 3, 50))
    y_true[0, :3] = y_true[1, 7] = 1
    y_score[0, 2:9] = y_score[2, 0] = 1
    found = counts(csr_array(y_true), csr_array(y_score), average=None)
    assert_allclose(found, [50.7, 50.0, 50.1])
    dense = np.where(y_score > 0, y_score, -INF)
    assert_allclose(counts(y_true, dense, average=None)[1:], found[1:])


def test_only_names_reach_the_command_line(tmp_path, capsys):
    from sklearn_irmetrics._cli import main

    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2.0 me\n")
    files = str(tmp_path / "qrels"), str(tmp_path / "run")
    with pytest.raises(SystemExit):
        main(["score", *files, "-m", "hits"])
    assert "'hits' is not a measure" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["set_mine", "roc_mine", "silence_of_mine"])
def test_the_reason_of_undefined_queries_is_not_that_of_a_measure_named_alike(name):
    mine = make_metric(lambda grades, scores: np.nan, name=name)
    with pytest.warns(UndefinedMetricWarning, match="usually because nothing is rel"):
        mine([1, 0], [2, 1])
