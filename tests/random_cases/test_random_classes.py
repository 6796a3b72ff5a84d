"""Classes in random orders, of any kind, seen or not: what plain code gives."""

import math
from contextlib import suppress
from functools import partial

import numpy as np
import pytest
import sklearn.metrics as skm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import sklearn_irmetrics as irm
from oracles import reference as ref
from oracles.classifiers import Reordered
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.model_selection import evaluate

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:.*classes of each row here and averages"),
    pytest.mark.filterwarnings("ignore:The y_prob values do not sum to one"),
    pytest.mark.filterwarnings("ignore:X does not have valid feature names"),
    pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true"),
]
KINDS = {
    "int": [0, 1, 2, 3],
    "gaps": [2, 3, 7, 11],
    "bool": [False, True],
    "float": [1.0, 2.0, 4.0, 8.0],
    "str": ["a", "b", "c", "d"],
    "digits": ["10", "100", "2", "30"],
}
NUMERIC = ["int", "gaps", "float"]


class Listed(ClassifierMixin, BaseEstimator):
    """Score each class by a column of X; the columns are of the ascending classes."""

    def __init__(self, classes, order, method):
        self.classes, self.order, self.method = classes, order, method

    def __getattribute__(self, name):
        if name in ("predict_proba", "decision_function") and name != self.method:
            raise AttributeError(name)
        return super().__getattribute__(name)

    def fit(self, X, y):
        self.classes_ = np.array(self.classes)[self.order]
        return self

    def _shares(self, X):
        scores = np.asarray(X)[:, : len(self.classes)]
        return (scores / scores.sum(axis=1, keepdims=True))[:, self.order]

    def predict(self, X):
        return self.classes_[self._shares(X).argmax(axis=1)]

    def predict_proba(self, X):
        return self._shares(X)

    def decision_function(self, X):
        shares = self._shares(X)
        return shares[:, 1] - shares[:, 0] if len(self.classes) == 2 else shares


def boosters(classes):
    """Yield constructors of installed boosters that take such classes."""
    with suppress(ImportError):
        from lightgbm import LGBMClassifier

        options = {"min_child_samples": 1, "verbose": -1, "n_jobs": 1}
        yield partial(LGBMClassifier, n_estimators=2, **options)
    if classes == list(range(len(classes))):
        with suppress(ImportError):
            from xgboost import XGBClassifier

            yield partial(XGBClassifier, n_estimators=2, n_jobs=1)


def catboost(listed):
    try:
        from catboost import CatBoostClassifier
    except ImportError:
        return None

    class Copied(CatBoostClassifier):  # scikit-learn's clone compares the lists
        def __sklearn_clone__(self):
            return type(self)(**self.get_params())

    return Copied(
        iterations=2,
        depth=2,
        class_names=listed,
        loss_function="Logloss" if len(listed) == 2 else "MultiClass",
        verbose=0,
        thread_count=1,
        allow_writing_files=False,
    )


class Case:
    """A fitted classifier, test rows, and their scores by class, in plain lists."""

    def __init__(self, rng, *, numeric=False, n_classes=None, proba=False, unseen=None):
        kinds = list(NUMERIC) if numeric else list(KINDS)
        if n_classes != 2:
            kinds = [kind for kind in kinds if kind != "bool"]
        elif numeric:
            kinds.append("bool")
        self.kind = str(rng.choice(kinds))
        names = KINDS[self.kind]
        self.n = n_classes or int(rng.integers(2, len(names) + 1))
        self.classes = sorted(names[i] for i in rng.permutation(len(names))[: self.n])
        self.order = rng.permutation(self.n)
        self.method = str(rng.choice(["predict_proba", "decision_function"]))
        self.method = "predict_proba" if proba else self.method
        n_train, n_test = 6 * self.n, int(rng.integers(8, 20))
        numbers = np.concatenate([np.arange(self.n)] * 6)
        drawn = rng.integers(0, self.n, n_test)
        self.X = rng.uniform(0.1, 1.0, (n_train + n_test, self.n + 1))
        self.y = np.array(self.classes)[np.concatenate([numbers, drawn])]
        self.train, self.test = np.arange(n_train), n_train + np.arange(n_test)
        self.model = self._model(rng).fit(self.X[self.train], self.y[self.train])
        others = [name for name in names if name not in self.classes]
        if unseen is None:
            unseen = bool(rng.random() < 0.4)
        self.unseen = bool(others) and unseen
        if self.unseen:
            self.y[self.test[: int(rng.integers(1, 3))]] = others[0]
        self.y_test = self.y[self.test].tolist()
        self.X_test = self.X[self.test]
        self.all_classes = sorted({*self.classes, *self.y_test})
        self.qid = rng.permutation(np.arange(n_test) % 4)
        self.predicted = np.ravel(self.model.predict(self.X_test)).tolist()
        self.scores = self._scores()

    def _model(self, rng):
        listed = [self.classes[i] for i in self.order]
        chosen = rng.random()
        if chosen < 0.7:
            return Listed(self.classes, self.order, self.method)
        if chosen < 0.8 and self.kind != "bool" and (model := catboost(listed)):
            self.method = "predict_proba"
            return model
        linear = partial(LogisticRegression, max_iter=20)
        makers = [linear]
        if self.method == "predict_proba":
            tree = partial(DecisionTreeClassifier, max_depth=2, random_state=0)
            makers += [GaussianNB, tree, *boosters(self.classes)]
        model = makers[rng.integers(len(makers))]()
        return Reordered(model, list(self.order), (self.method,))

    def _scores(self):
        """The scores of each row by class."""
        output = getattr(self.model, self.method)(self.X_test)
        self.dtype, output = output.dtype, output.tolist()
        listed = np.asarray(self.model.classes_).tolist()
        if self.n == 2 and self.method == "decision_function":
            return [{listed[0]: -value, listed[1]: value} for value in output]
        return [dict(zip(listed, row, strict=True)) for row in output]

    def of_class(self, label):
        return [row[label] for row in self.scores]

    def __repr__(self):
        return (
            f"{self.model!r} of classes {list(self.model.classes_)}, {self.method}, "
            f"y {self.y_test}"
        )


def ranked(grades, scores):
    """Grades from rank 1 down; equal scores keep their order."""
    at = sorted(range(len(grades)), key=lambda i: -scores[i])
    retrieved = [float(grades[i]) for i in at if scores[i] > -math.inf]
    return retrieved, [float(grades[i]) for i in at if scores[i] == -math.inf]


RANKINGS = {
    "map": ref.average_precision,
    "mrr": ref.reciprocal_rank,
    "success@1": partial(ref.success, k=1),
    "success@2": partial(ref.success, k=2),
    "p@2": partial(ref.precision, k=2),
    "ndcg@3": partial(ref.ndcg, k=3),
}


def mean_over(queries, measure):
    """The mean over queries of grades and scores; undefined ones count as 0."""
    values = [RANKINGS[measure](*ranked(*query)) for query in queries]
    return sum(0.0 if value != value else value for value in values) / len(values)


def by_query(grades, scores, qid):
    return [
        (
            [g for g, q in zip(grades, qid, strict=True) if q == one],
            [s for s, q in zip(scores, qid, strict=True) if q == one],
        )
        for one in sorted(set(qid.tolist()))
    ]


def of_rows(case):
    """Each row ranks the classes; those that training lacked have no rank."""
    return [
        (
            [float(label == true) for label in case.all_classes],
            [row.get(label, -math.inf) for label in case.all_classes],
        )
        for row, true in zip(case.scores, case.y_test, strict=True)
    ]


def f_of(relevant, predicted):
    hits = sum(a and b for a, b in zip(relevant, predicted, strict=True))
    total = sum(relevant) + sum(predicted)
    return 2 * hits / total if total else 0.0


def f_of_class(case, label):
    return f_of(
        [true == label for true in case.y_test],
        [pred == label for pred in case.predicted],
    )


def draw_measure(rng, *, binary=True):
    names = [name for name in RANKINGS if binary or name != "ndcg@3"]
    return str(rng.choice(names))


def binary_in_queries(rng):
    case = Case(rng, numeric=True, n_classes=2)
    low, high = case.classes
    is_relevant = [y > 0 if low == 0 else y >= high for y in case.y_test]
    name = draw_measure(rng)
    grades = case.y_test if low == 0 else is_relevant
    expected = mean_over(by_query(grades, case.of_class(high), case.qid), name)
    return case, name, {"qid": "ids"}, expected


def binary_in_one_ranking(rng):
    case = Case(rng, numeric=True, n_classes=2, unseen=False)
    name, high = draw_measure(rng), case.classes[1]
    relevant = [y == high for y in case.y_test]
    return case, name, {"qid": None}, mean_over([(relevant, case.of_class(high))], name)


def one_class(rng):
    case = Case(rng)
    label = case.classes[rng.integers(case.n)]
    relevant = [true == label for true in case.y_test]
    name, scores = draw_measure(rng, binary=False), case.of_class(label)
    if rng.random() < 0.5:
        expected = mean_over([(relevant, scores)], name)
        return case, name, {"qid": None, "pos_label": label}, expected
    expected = mean_over(by_query(relevant, scores, case.qid), name)
    return case, name, {"qid": "ids", "pos_label": label}, expected


def classes_of_rows(rng):
    case = Case(rng, n_classes=int(rng.integers(3, 5)))
    name = draw_measure(rng)
    return case, name, {"qid": None}, mean_over(of_rows(case), name)


def expected_grades(rng):
    are_close = True
    while are_close:  # rounding would decide what is tied
        case = Case(rng, numeric=True, n_classes=int(rng.integers(3, 5)), proba=True)
        grades = [sum(p * label for label, p in row.items()) for row in case.scores]
        gaps = np.diff(np.sort(grades))
        are_close = ((gaps > 0) & (gaps < 1e-9)).any()
    name = draw_measure(rng)
    expected = mean_over(by_query(case.y_test, grades, case.qid), name)
    options = {"qid": "ids", "response_method": "predict_proba"}
    return case, name, options, expected


def sets(rng):
    case = Case(rng)
    right = [a == b for a, b in zip(case.y_test, case.predicted, strict=True)]
    options = {}
    if rng.random() < 0.3:
        return case, "set_accuracy", options, sum(right) / len(right)
    if rng.random() < 0.5 or (len(case.all_classes) == 2 and "str" in case.kind):
        label = case.classes[rng.integers(case.n)]
        return case, "set_f1", {"pos_label": label}, f_of_class(case, label)
    if len(case.all_classes) > 2 or rng.random() < 0.5:
        options["average"] = "macro"
        # As in scikit-learn: classes of these rows, of predictions, or of training.
        labels = case.all_classes
    elif case.kind in ("str", "digits"):
        return (
            case,
            "set_f1",
            {"pos_label": case.classes[0]},
            f_of_class(case, case.classes[0]),
        )
    else:
        return case, "set_f1", options, f_of_class(case, case.classes[1])
    each = [f_of_class(case, label) for label in labels]
    return case, "set_f1", options, sum(each) / len(each)


DRAWS = [binary_in_queries, binary_in_one_ranking, one_class, classes_of_rows]
DRAWS += [expected_grades, sets]


def make_scorer(name, options, **qid):
    ties = {} if name.startswith("set_") else {"ties": "stable"}
    return irm.get_scorer(name, **options, **ties, **qid, replace_undefined_by=0.0)


def by_scorer(case, name, options, in_queries):
    qid = None if not name.startswith("set_") else "auto"
    qid = (lambda X: case.qid) if in_queries else qid
    scorer = make_scorer(name, options, qid=qid)
    return scorer(case.model, case.X_test, case.y[case.test])


def by_evaluate(case, name, options, in_queries):
    ids = np.concatenate([9 + case.train, case.qid]) if in_queries else None
    qid = {} if in_queries or name.startswith("set_") else {"qid": None}
    result = evaluate(
        case.model,
        case.X,
        case.y,
        qid=ids,
        scoring={name: make_scorer(name, options, **qid)},
        method=[(case.train, case.test)],
    )
    return result.estimate[name]


@pytest.fixture
def hold_case(hold):
    def hold_case(oracle, found, expected, case, *facts):
        try:
            hold(oracle, found, expected, tolerance=1e-9)
        except BaseException as error:
            error.add_note(f"{facts}: {case}")
            raise

    return hold_case


@pytest.mark.parametrize("draw", DRAWS)
def test_scorers(draw, rounds, hold_case):
    for rng in rounds(25):
        case, name, options, expected = draw(rng)
        in_queries = options.pop("qid", None) == "ids"
        found = by_scorer(case, name, options, in_queries)
        hold_case("classes by scorers", found, expected, case, name, options)


@pytest.mark.parametrize("draw", DRAWS)
def test_evaluate(draw, rounds, hold_case):
    for rng in rounds(3):
        case, name, options, expected = draw(rng)
        in_queries = options.pop("qid", None) == "ids"
        if len(set(case.y_test)) == 1:
            continue  # a ranking of them has no meaning
        found = by_evaluate(case, name, options, in_queries)
        hold_case("classes by evaluate", found, expected, case, name, options)


THEIRS = {
    "accuracy": skm.accuracy_score,
    "f1_macro": partial(skm.f1_score, average="macro"),
    "balanced_accuracy": skm.balanced_accuracy_score,
    "roc_auc": skm.roc_auc_score,
    "average_precision": skm.average_precision_score,
    "neg_log_loss": lambda *given, **labels: -skm.log_loss(*given, **labels),
    "roc_auc_ovr": partial(skm.roc_auc_score, multi_class="ovr"),
}
OF_LABELS = ["accuracy", "f1_macro", "balanced_accuracy"]


def test_scorers_of_scikit_learn(rounds, hold_case):
    for rng in rounds(12):
        case = Case(rng, proba=True, unseen=False)
        usual = ["neg_log_loss", *(["roc_auc"] if case.n == 2 else ["roc_auc_ovr"])]
        if case.classes == [0, 1]:
            usual.append("average_precision")
        name = str(rng.choice([*OF_LABELS, *usual]))
        every_class = len(set(case.y_test)) == case.n
        if name not in OF_LABELS and not every_class:
            continue
        found = evaluate(
            case.model, case.X, case.y, scoring=name, method=[(case.train, case.test)]
        )
        scores = np.array([case.of_class(label) for label in case.classes], case.dtype)
        is_pair = case.n == 2 and name != "neg_log_loss"
        scores = scores[1] if is_pair else scores.T
        given = case.predicted if name in OF_LABELS else scores
        expected = THEIRS[name](case.y_test, given)
        hold_case("scikit-learn's scorers", found.estimate[name], expected, case, name)


def test_query_rankers(rounds, hold_case):
    for rng in rounds(20):
        case = Case(rng, numeric=True, unseen=False)
        if case.n > 2 and case.method != "predict_proba":
            continue  # there is no expected grade
        ranker = QueryRanker(case.model)
        ranker.fit(case.X[case.train], case.y[case.train], qid=case.train)
        expected = case.of_class(case.classes[-1])
        if case.method == "predict_proba":
            expected = [sum(c * p for c, p in row.items()) for row in case.scores]
        found = ranker.predict(case.X_test)
        off = np.abs(found - np.array(expected, dtype=float)).max()
        hold_case("expected grades", off, 0.0, case)
