"""Measures as values: equal, hashable, pickled, named, callable."""

import ast
import pickle
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import sklearn_irmetrics as irm
import sklearn_irmetrics.model_selection
from oracles.measures import METRICS
from sklearn_irmetrics import Measure, score_queries

Y_TRUE, Y_SCORE, QID = [1, 0, 2, 0, 1], [0.3, 0.2, 0.1, 0.9, 0.4], [1, 1, 1, 2, 2]


def double(grades):
    return 2.0 * grades


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        (Measure("NDCG@10"), "ndcg@10"),
        (Measure("map"), "ap"),
        (Measure("ap", k=np.int64(7)), "ap@7"),
        (Measure("ap@100", relevance_threshold=2), "ap(relevance_threshold=2)@100"),
        (Measure("f1@5"), "f@5"),
        (Measure("f(beta=1)@5"), "f(beta=1)@5"),
        (Measure("gmap"), "ap(average='geometric')"),
        (Measure("ndcg(gain='linear')"), "ndcg(gain='linear')"),
        (Measure("dcg", gain={2: 3.0, 1: np.float64(1)}), "dcg(gain={1: 1, 2: 3})"),
        (Measure("11pt", recall_levels=np.array([0.0, 1.0])), None),
        (Measure("iprec", recall_level=0.5), "iprec@0.5"),
        (Measure("set_cost", cost_matrix=[[0, 1], [2, 0]]), None),
    ],
)
def test_names_parse_back(measure, name):
    assert name is None or str(measure) == name
    assert repr(measure) == f"Measure({str(measure)!r})"
    again = Measure(str(measure))
    assert again == measure
    assert hash(again) == hash(measure)
    assert pickle.loads(pickle.dumps(measure)) == measure
    assert pickle.loads(pickle.dumps(measure)).metric is measure.metric


def test_equal_where_metric_and_arguments_are():
    assert Measure("p@5") == Measure("precision", k=5) != Measure("p@6")
    assert Measure("p") != "p"
    assert len({Measure("ndcg@5"), Measure("ndcg(k=5)"), Measure("NDCG@5")}) == 1
    assert Measure("p", judged_only=True) != Measure("p")
    assert Measure("f1@5") == Measure("f@5")


@pytest.mark.parametrize(
    ("name", "default"),
    [
        ("f", {"beta": 1.0}),
        ("f", {"alpha": None}),
        ("ndcg", {"gain": "linear"}),
        ("ndcg", {"discount": "log"}),
        ("ap", {"k": None}),
        ("set_cost", {"normalize": False}),
    ],
)
def test_what_is_given_is_kept_even_if_it_is_the_default(name, default):
    explicit = Measure(name, **default)
    assert explicit != Measure(name)
    assert explicit.arguments == default
    assert explicit == Measure(str(explicit))
    assert irm.Measure(explicit).metric is Measure(name).metric


def test_data_that_are_none_are_no_argument():
    assert Measure("set_f1", labels=None, sample_weight=None) == Measure("set_f1")


@pytest.mark.parametrize("text", ["roc_auc(max_fpr=True)", "f(beta=True)"])
def test_booleans_are_no_numbers(text):
    with pytest.raises(ValueError, match="must not be a boolean; got True"):
        Measure(text)


@pytest.mark.parametrize(
    ("name", "parameter", "values"),
    [
        ("f", "beta", [2, 2.0, np.float32(2), np.longdouble(2), Fraction(2)]),
        ("f", "beta", [2, Decimal(2), np.array(2)]),
        ("ap", "relevance_threshold", [0, -0.0, False, np.bool_(False)]),
        ("ap", "relevance_threshold", [0.5, Fraction(1, 2), Decimal("0.5")]),
        ("ap", "relevance_threshold", [2**60, 2.0**60]),
        ("ap", "relevance_threshold", [2**60 + 1]),
        ("dcg", "gain", [{0: 0, 1: 2.0}, {1.0: 2, True * 0: -0.0}]),
        ("dcg", "gain", [{0: 1, 1: 2}, {0: np.longdouble(1), 1: 2}]),
        ("11pt", "recall_levels", [[0, 0.5], (0, 0.5), np.array([0, 0.5])]),
    ],
)
def test_numbers_are_frozen_to_plain_ones(name, parameter, values):
    measures = {Measure(name, **{parameter: value}) for value in values}
    assert len(measures) == 1
    assert len({str(Measure(name, **{parameter: value})) for value in values}) == 1
    again = Measure(str(measures.copy().pop()))
    assert measures == {again}
    assert ast.literal_eval(repr(again.arguments)) == again.arguments


def test_series_are_frozen():
    pd = pytest.importorskip("pandas")
    assert str(Measure("dcg", gain=pd.Series([1.0, 2.0]))) == "dcg(gain={0: 1, 1: 2})"
    costs = pd.DataFrame([[0.0, 1.0], [2.0, 0.0]])
    measure = Measure("set_cost", cost_matrix=costs)
    assert str(measure) == "set_cost(cost_matrix=((0, 1), (2, 0)))"
    levels = pd.Series([0.0, 0.5])
    assert str(Measure("11pt", recall_levels=levels)) == "11pt(recall_levels=(0, 0.5))"


def test_tensors_are_frozen():
    torch = pytest.importorskip("torch")
    assert Measure("f", beta=torch.tensor(2.0)) == Measure("f", beta=2)
    levels = torch.tensor([0.0, 0.5])
    assert str(Measure("11pt", recall_levels=levels)) == "11pt(recall_levels=(0, 0.5))"


def test_frozen():
    levels = [0.0, 0.5]
    measure = Measure("11pt", recall_levels=levels)
    levels.append(1.0)
    assert measure.arguments == {"recall_levels": (0.0, 0.5)}
    measure.arguments["recall_levels"] = ()
    assert measure.arguments == {"recall_levels": (0.0, 0.5)}
    with pytest.raises(AttributeError):
        measure.metric = METRICS["p"]


def test_called_like_the_function():
    found = Measure("ndcg@2", gain="exponential")(Y_TRUE, Y_SCORE, qid=QID)
    assert found == irm.ndcg_score(Y_TRUE, Y_SCORE, qid=QID, k=2, gain="exponential")
    assert Measure("novelty")([1, 1], [2, 1], known=[1, 0]) == 0.5
    assert Measure("set_p")([1, 0], y_pred=[1, 1]) == 0.5
    for more in ([Y_TRUE], [[[1]], [1]]):  # as scikit-learn calls scorers
        with pytest.raises(TypeError, match="an estimator. Use .* get_scorer.*'ndcg"):
            Measure("ndcg@2")(irm.QueryRanker(None), *more)


def test_a_measure_is_formatted_and_takes_further_arguments():
    assert f"{Measure('ndcg', gain=np.sqrt)}" == "ndcg(gain=sqrt)"
    assert f"{Measure('ap@5'):>6}" == "  ap@5"
    assert Measure(Measure("ap@3"), k=5) == Measure("ap@5")
    with pytest.raises(ValueError, match="'ap' has no parameter 'depth'"):
        Measure(Measure("map"), depth=3)


@pytest.mark.parametrize("name", ["kendall_tau", "spearman_rho", "tau_ap", "dcg"])
def test_there_is_no_geometric_mean_of_negative_values(name):
    y_true, y_score = [-1, 0, -3, 5], [4.0, 3.0, 2.0, 1.0]
    message = "average='geometric' requires values >= 0, so a measure whose range "
    measure = Measure(name, average="geometric")
    for call in (measure, METRICS[name].function):
        with pytest.raises(ValueError, match=message):
            call(y_true, y_score, average="geometric")
    with pytest.raises(ValueError, match=message):
        score_queries(y_true, y_score, measure)


INF = float("inf")


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize(
    ("costs", "total"),
    [
        (None, (0, INF)),
        ([[0, 1], [5, 0]], (0, INF)),
        ([[0, 1], [5, -2]], (-INF, INF)),
        ([[-3, 0], [-1, -2]], (-INF, 0)),
        ([[2, 3], [5, 4]], (0, INF)),
        ([[0, 0], [0, 0]], (0, 0)),
    ],
)
def test_the_costs_decide_the_range(costs, total, normalize):
    measure = Measure("set_cost", cost_matrix=costs, normalize=normalize)
    labels = list(product([0, 1], repeat=4))
    found = [
        measure(y_true, y_pred, labels=[0, 1])
        for y_true, y_pred in product(labels, repeat=2)
    ]
    if normalize:
        assert measure.range == (min(found), max(found))
    else:
        low, high = measure.range
        assert (low, high) == total
        assert low <= min(found) <= max(found) <= high


def test_a_matrix_of_costs_that_has_no_range():
    with pytest.raises(ValueError, match="cost_matrix must have a row and a column"):
        _ = Measure("set_cost", cost_matrix=[[0, 1, 2], [3, 0, 4]]).range


@pytest.mark.parametrize("costs", [{}, {"miss_cost": 10}, {"false_alarm_cost": 0}])
def test_the_costs_of_both_rates_decide_the_range(costs):
    measure = Measure("set_detection_cost", **costs)
    y_true = [1, 1, 0, 0]
    found = [
        measure(y_true, y_pred) for y_pred in product([0, 1], repeat=4) if any(y_pred)
    ]
    assert measure.range == (min(found), max(found))
    assert measure.range[1] == sum(
        {"miss_cost": 1, "false_alarm_cost": 1, **costs}.values()
    )


@pytest.mark.parametrize("name", list(METRICS))
def test_the_range_of_default_arguments_is_listed(name):
    metric = METRICS[name]
    assert Measure(metric).range == metric.range


class Items(list):
    """What has items, as a Series does, of which labels may be equal."""

    def items(self):
        return self


@pytest.mark.parametrize(
    "make",
    [
        lambda: Measure("ndcg(gain={1: 2, 1.0: 3})"),
        lambda: irm.score_queries([1, 0], [2, 1], "ndcg(gain={0: 0, 1: 2, 1: 3})@5"),
        lambda: irm.get_scorer("dcg(gain={1: 2, True: 3})"),
        lambda: Measure("ndcg", gain=Items([(1, 2), (1, 3), (0, 0)])),
    ],
)
def test_a_gain_names_each_grade_once(make):
    with pytest.raises(ValueError, match="gain must name 1 once; got it 2 times"):
        make()


def test_the_grades_of_a_gain_are_numbers():
    with pytest.raises(ValueError, match="gain must be a number .* got '1'"):
        Measure("ndcg", gain={1: 2, "1": 3})


def test_a_function_as_gain_has_no_name():
    measure = Measure("dcg@3", gain=double)
    assert repr(measure) == "Measure('dcg(gain=double)@3')"
    with pytest.raises(ValueError, match="whose gain is a function has no name"):
        str(measure)
    assert pickle.loads(pickle.dumps(measure)) == measure
    assert measure([1, 0], [2, 1]) == 2.0
    assert score_queries([1, 0], [2, 1], measure).mean == {"dcg(gain=double)@3": 2.0}
    assert score_queries([1, 0], [2, 1], {"mine": measure}).mean == {"mine": 2.0}


def test_a_function_as_gain_need_not_be_hashable():
    @dataclass
    class Scaled:
        by: float

        def __call__(self, values):
            return values * self.by

    gain = Scaled(3.0)
    found = irm.ndcg_score([1, 2], [2, 1], gain=gain)
    assert found == pytest.approx(irm.ndcg_score([1, 2], [2, 1]))
    measure = Measure("dcg@1", gain=gain)
    assert measure == Measure("dcg@1", gain=gain) != Measure("dcg@1", gain=Scaled(3.0))
    assert hash(measure) == hash(Measure("dcg@1", gain=gain))
    found = score_queries([1, 0], [2, 1], [measure, "ndcg"]).mean
    assert found == {"dcg(gain=Scaled)@1": 3.0, "ndcg": 1.0}
    assert irm.dcg_score([1, 0], [2, 1], discount=Scaled(0.0)) == 0.0


@pytest.mark.parametrize(
    ("name", "arguments", "error", "message"),
    [
        ("ndcg", {"depth": 3}, ValueError, "'ndcg' has no parameter 'depth'; it has"),
        ("f", {"beta": np.inf}, ValueError, "beta must be finite in a .*; got inf"),
        ("f", {"beta": np.nan}, ValueError, "beta must be finite in a .*; got nan"),
        ("dcg", {"gain": {1: np.inf}}, ValueError, "gain must be finite in a measure"),
        ("ndcg@True", {}, ValueError, "k must be an integer >= 1; got True"),
        ("ap@5.0", {}, ValueError, "k must be an integer >= 1; got 5.0"),
        ("p", {"judged_only": 1}, ValueError, "judged_only must be True or False; got"),
        ("f", {"beta": Decimal("0.1")}, ValueError, "beta must be .* holds exactly"),
        ("f", {"beta": Fraction(1, 3)}, ValueError, "beta must be .* holds exactly"),
        ("f", {"beta": 1j}, TypeError, "beta must be a number, .*got 1j"),
        ("11pt", {"recall_levels": iter([0])}, TypeError, "recall_levels must be a n"),
        ("11pt", {"recall_levels": {0, 0.5}}, TypeError, "recall_levels must be a num"),
        ("dcg", {"gain": {1: double}}, TypeError, "gain must be a number, .*double"),
        ("11pt", {"recall_levels": [0, np.nan]}, ValueError, "recall_levels must be f"),
    ],
)
def test_what_is_no_measure(name, arguments, error, message):
    with pytest.raises(error, match=message):
        Measure(name, **arguments)


def test_taken_wherever_a_name_is():
    measure = Measure("ndcg@2")
    name = str(measure)
    data = Y_TRUE, Y_SCORE
    expected = irm.ndcg_score(*data, qid=QID, k=2)
    assert score_queries(*data, [measure, "map"], qid=QID).mean[name] == expected
    report = irm.ranking_report(*data, qid=QID, metrics=measure)
    assert report.estimate[name] == expected
    levels = [irm.metrics.chance_level(m, Y_TRUE, qid=QID) for m in (measure, name)]
    assert levels[0] == levels[1]
    assert irm.metrics.preset("lightgbm", measure) == irm.metrics.preset(
        "lightgbm", name
    )
    assert list(irm.get_scorers([measure])) == [name]
    scored = {
        m: irm.model_selection.evaluate(
            Ridge(),
            np.c_[Y_SCORE],
            Y_TRUE,
            qid=QID,
            scoring=m,
            method=irm.model_selection.HoldoutSplit(test_size=0.5, random_state=0),
        ).estimate
        for m in (measure, name)
    }
    assert list(scored[measure]) == [name]
    np.testing.assert_equal(scored[measure], scored[name])
    results = {"a": score_queries(*data, [measure, "map"], qid=QID)}
    results["b"] = score_queries(Y_TRUE, Y_TRUE, [measure, "map"], qid=QID)
    compared = irm.comparison.compare(results, metric=measure, test="ttest")
    assert compared.metric == name
    curves = [
        irm.reports.metric_at_cutoffs(m, *data, [1, 3], qid=QID)
        for m in ("p", Measure("p"))
    ]
    np.testing.assert_array_equal(*curves)


def test_different_measures_need_labels_of_their_own():
    measures = [Measure("dcg", gain=lambda g, n=n: g * n) for n in (3, 5)]
    for ask in (
        lambda m: score_queries([2, 0], [1, 2], m),
        lambda m: irm.ranking_report([2, 0], [1, 2], metrics=m),
        irm.get_scorers,
    ):
        with pytest.raises(ValueError, match="pass a dict of labels"):
            ask(measures)
    same = score_queries([2, 0], [1, 2], ["map", Measure("ap"), "map"])
    assert list(same.mean) == ["map", "ap"]


class TestSetsBesideRankings:
    def test_what_is_predicted_is_the_set(self):
        y_pred = np.array([0, 1, 1, 0, 1], dtype=bool)
        metrics = ["map", "set_f1", "set_accuracy(relevance_threshold=2)", "scott_pi"]
        found = score_queries(Y_TRUE, y_pred, metrics, qid=QID).mean
        assert found["set_f1"] == irm.set_f1_score(Y_TRUE, y_pred, qid=QID)
        assert found[metrics[2]] == irm.set_accuracy_score(
            Y_TRUE, y_pred, qid=QID, relevance_threshold=2
        )
        assert found["scott_pi"] == irm.metrics.scott_pi_score(Y_TRUE, y_pred, qid=QID)

    @pytest.mark.parametrize("average", ["macro", "micro"])
    def test_averages_are_those_of_the_function(self, average):
        y_pred = np.array([True, False, True, True, True])
        metric = f"set_p(average={average!r}, relevance_threshold=2)"
        found = score_queries(Y_TRUE, y_pred, {"p": metric}, qid=QID)
        options = {"qid": QID, "relevance_threshold": 2}
        expected = irm.set_precision_score(Y_TRUE, y_pred, average=average, **options)
        assert found.mean["p"] == expected
        expected = irm.set_precision_score(Y_TRUE, y_pred, average=None, **options)
        np.testing.assert_array_equal(found.scores["p"], expected)

    def test_costs_have_no_micro_average_beside_others(self):
        with pytest.raises(ValueError, match="average='micro'.*set_cost_matrix_loss"):
            score_queries(Y_TRUE, [1, 0, 2, 0, 1], "set_cost(average='micro')", qid=QID)

    @pytest.mark.parametrize("metric", ["scott_pi", "set_cost", "set_p(pos_label=1)"])
    def test_scores_are_no_labels(self, metric):
        for scores in ([0.3, 1, 0, 0, 1], [-np.inf, 1, 0, 0, 1]):
            with pytest.raises(
                ValueError, match=r"y_score must hold labels.*got (0\.3|-inf)"
            ):
                score_queries(Y_TRUE, scores, metric)
        for labels in ([2.0, 1, 0, 0, 1], [True, False, True, True, False]):
            measure = Measure(metric)
            found = score_queries(Y_TRUE, labels, metric).mean[metric]
            expected = measure.metric.function(Y_TRUE, labels, **measure.arguments)
            assert found == expected


def test_what_get_scorer_alone_takes_is_said():
    irm.get_scorer("cohen_kappa")
    with pytest.raises(
        ValueError, match="compares the labels of all rows: call cohen_kappa"
    ):
        irm.score_run({"q": {"d": 1}}, {"q": {"d": 1}}, "cohen_kappa")


def test_marks_reach_the_measures_that_need_them():
    marks = {"known": [1, 0, 0, 1, 1], "pooled": None}
    found = score_queries(Y_TRUE, Y_SCORE, ["novelty", "map"], qid=QID, marks=marks)
    assert found.mean["novelty"] == irm.novelty_ratio_score(
        Y_TRUE, Y_SCORE, qid=QID, known=marks["known"]
    )
    with pytest.raises(ValueError, match=r"known is required: .* knew.*marks=\{'known"):
        score_queries(Y_TRUE, Y_SCORE, "novelty", qid=QID)
    with pytest.raises(ValueError, match="marks must hold only 'known', 'pooled', "):
        score_queries(Y_TRUE, Y_SCORE, "map", qid=QID, marks={"novel": Y_TRUE})
    with pytest.raises(TypeError, match="marks must be a dict from names of marks"):
        score_queries(Y_TRUE, Y_SCORE, "map", qid=QID, marks=[1, 0])
    with pytest.raises(ValueError, match="known must have the shape of y_true"):
        score_queries(Y_TRUE, Y_SCORE, "map", qid=QID, marks={"known": [1]})


def test_functions_are_asked_each_time():
    scale = 1.0

    def gain(grades):
        return grades * scale

    measure = Measure("dcg@2", gain=gain)
    scored = score_queries([1, 0], [2, 1], measure)
    scale = 3.0
    assert score_queries([1, 0], [2, 1], measure).mean["dcg(gain=gain)@2"] == 3.0
    assert scored.mean["dcg(gain=gain)@2"] == 1.0


def test_another_function_of_the_same_name_is_another_measure():
    def make(factor):
        def gain(grades):
            return grades * factor

        return gain

    one, two = (Measure("dcg", gain=make(factor)) for factor in (1.0, 2.0))
    assert one != two
    assert one([1], [1]) * 2.0 == two([1], [1]) == 2.0
