"""What `evaluate` takes for its arguments, beside what scikit-learn makes of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_irmetrics import Measure, get_scorer
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import (
    BootstrapSplit,
    HoldoutSplit,
    QueryKFold,
    ResampledSplit,
    StratifiedQueryKFold,
    evaluate,
    query_learning_curve,
)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(61, 3))
    return X, rng.poisson(np.exp(X[:, 0]) / 2).clip(max=3)


@pytest.fixture(scope="module")
def queries():
    X, y, qid = make_ranking(n_queries=24, n_docs=(5, 9), random_state=0)
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order], qid[order]


class TestNumberOfFolds:
    @pytest.mark.parametrize("k", [2, 3, np.int64(5)])
    @pytest.mark.parametrize(
        ("model", "scoring"), [(Ridge(), "r2"), (LogisticRegression(), "accuracy")]
    )
    def test_rows_are_those_of_scikit_learn(self, rows, model, scoring, k):
        X, y = rows
        theirs = cross_validate(model, X, y, cv=k, scoring=scoring)["test_score"]
        result = evaluate(model, X, y, scoring=scoring, method=k, random_state=0)
        assert_array_equal(result.split_scores[scoring], theirs)
        Folds = KFold if scoring == "r2" else StratifiedKFold
        assert type(result.cv) is Folds

    @pytest.mark.parametrize("name", ["qid", "groups"])
    @pytest.mark.parametrize("model", [Ridge(), LogisticRegression(max_iter=5000)])
    def test_ids_are_kept_whole(self, queries, model, name):
        X, y, qid = queries
        y = (y > 1).astype(int)
        scoring = "neg_mean_squared_error"
        theirs = cross_validate(
            model, X, y, cv=GroupKFold(3), groups=qid, scoring=scoring
        )["test_score"]
        ids = {name: qid}
        result = evaluate(model, X, y, scoring=scoring, method=3, **ids)
        assert_array_equal(result.split_scores[scoring], theirs)

    def test_a_classifier_among_several_stratifies_for_all(self, rows):
        X, y = rows
        models = {"values": Ridge(), "classes": LogisticRegression()}
        results = evaluate(models, X, y, scoring="neg_max_error", method=3)
        for one in results.values():
            assert type(one.cv) is StratifiedKFold
        assert_array_equal(*(one.predictions.row for one in results.values()))

    def test_other_arguments_go_with_names(self, rows):
        with pytest.raises(ValueError, match="n_splits=3 requires .*got 3"):
            evaluate(Ridge(), *rows, scoring="r2", method=3, n_splits=3)

    def test_resampling_goes_around_them(self, rows):
        X, y = rows
        y = (y > 1).astype(int)
        method = ResampledSplit(3, "under")
        result = evaluate(LogisticRegression(), X, y, scoring="accuracy", method=method)
        assert "Training data balanced by under-sampling." in result.notes
        for (_, test), (_, its) in zip(
            result.cv.split(X, y), StratifiedKFold(3).split(X, y), strict=True
        ):
            assert_array_equal(test, its)


class TestSplittersOfMethods:
    """A splitter as `method` gives the same result as the name it stands for."""

    OF_ROWS = [
        ("holdout", None, HoldoutSplit()),
        ("subsampling", None, HoldoutSplit(10)),
        ("kfold", None, KFold(5, shuffle=True)),
        ("stratified", None, StratifiedKFold(5, shuffle=True)),
        ("loocv", None, LeaveOneOut()),
        ("bootstrap", 20, BootstrapSplit(20)),
    ]
    OF_QUERIES = [
        ("holdout", None, HoldoutSplit()),
        ("subsampling", None, HoldoutSplit(10)),
        ("kfold", None, QueryKFold(shuffle=True)),
        ("kfold", 3, GroupKFold(3, shuffle=True)),
        ("stratified", None, StratifiedQueryKFold(shuffle=True)),
        ("loocv", None, LeaveOneGroupOut()),
        ("bootstrap", 20, BootstrapSplit(20)),
    ]

    def check_alike(self, model, data, method, n_splits, cv, **options):
        options["random_state"] = 0
        named = evaluate(model, *data, method=method, n_splits=n_splits, **options)
        given = evaluate(model, *data, method=cv, **options)
        assert given.method == method
        assert str(given) == str(named)
        assert given.estimate == named.estimate
        assert given.standard_error == named.standard_error
        assert given.confidence_interval == named.confidence_interval
        assert given.interval_about == named.interval_about
        assert_array_equal(given.n_train, named.n_train)
        assert_array_equal(given.predictions.row, named.predictions.row)

    @pytest.mark.parametrize(("method", "n_splits", "cv"), OF_ROWS)
    def test_rows(self, rows, method, n_splits, cv):
        X, y = rows
        y, model = (y > 0).astype(int), LogisticRegression()
        options = {"scoring": ["accuracy", "neg_log_loss"]}
        self.check_alike(model, (X, y), method, n_splits, cv, **options)

    @pytest.mark.parametrize(("method", "n_splits", "cv"), OF_QUERIES)
    def test_queries(self, queries, method, n_splits, cv):
        X, y, qid = queries
        options = {"scoring": ["ndcg@3", "gmap"], "qid": qid}
        self.check_alike(Ridge(), (X, y), method, n_splits, cv, **options)

    def test_repeats(self, queries):
        X, y, qid = queries
        options = {"scoring": "ndcg@3", "interval": "corrected_t", "random_state": 0}
        for cv, text in (
            (
                QueryKFold(4, n_repeats=2, shuffle=True),
                "4-fold cross-validation by query 2 times",
            ),
            (
                StratifiedQueryKFold(4, n_repeats=2, shuffle=True),
                "stratified 4-fold cross-validation by query 2 times",
            ),
        ):
            result = evaluate(Ridge(), X, y, method=cv, qid=qid, **options)
            assert str(result).startswith(f"Ridge: {text}, 24 queries\n")
            by = result.interval_method["ndcg@3"]
            assert by == "corrected resampled t over 8 splits"

    def test_what_is_balanced_stands_for_the_same(self, rows):
        X, y = rows
        options = {"scoring": "accuracy", "random_state": 0, "qid": None}
        method = ResampledSplit(BootstrapSplit(20), "over")
        result = evaluate(LogisticRegression(), X, y > 0, method=method, **options)
        assert result.method == "bootstrap"
        assert "Training data balanced by over-sampling." in result.notes
        with pytest.raises(ValueError, match="interval='t' needs scores of units"):
            evaluate(
                LogisticRegression(), X, y > 0, method=method, interval="t", **options
            )


class TestRandomStatesOfSplitters:
    """Where a splitter draws without a random state, it gets that of `evaluate`."""

    DRAWING = [
        KFold(4, shuffle=True),
        HoldoutSplit(4),
        BootstrapSplit(9),
        ShuffleSplit(4),
        RepeatedKFold(n_splits=2, n_repeats=2),
        ResampledSplit(KFold(4, shuffle=True), "over"),
        ResampledSplit(KFold(4), "under"),
    ]

    def splits_of(self, rows, method, random_state):
        X, y = rows
        options = {"scoring": "neg_max_error", "random_state": random_state}
        result = evaluate(Ridge(), X, y, method=method, **options)
        return list(result.cv.split(X, y)), result

    @pytest.mark.parametrize("method", DRAWING)
    def test_those_without_are_reproducible(self, rows, method):
        before = repr(method)
        splits, first = self.splits_of(rows, method, 0)
        _, second = self.splits_of(rows, method, 0)
        assert first.estimate == second.estimate
        assert first.estimate != self.splits_of(rows, method, 1)[1].estimate
        assert repr(method) == before
        sizes = [len(test) for _, test in splits]
        assert_array_equal(first.n_test, sizes)
        tested = np.concatenate([test for _, test in splits])
        assert_array_equal(first.predictions.row, tested)

    def test_those_with_one_keep_it(self, rows):
        method = KFold(4, shuffle=True, random_state=7)
        for random_state in (0, 1, None):
            splits, result = self.splits_of(rows, method, random_state)
            assert result.cv is method
            for (_, test), (_, own) in zip(splits, method.split(*rows), strict=True):
                assert_array_equal(test, own)

    def test_those_that_do_not_draw_need_none(self, rows, queries):
        method = KFold(4)
        assert self.splits_of(rows, method, 0)[1].cv is method
        X, y, qid = queries
        for method in (QueryKFold(4), StratifiedQueryKFold(4)):
            result = evaluate(
                Ridge(), X, y, scoring="ndcg", qid=qid, method=method, random_state=0
            )
            assert result.cv is method


class TestPairs:
    """An iterable of training and test rows, in every form that has."""

    @pytest.mark.parametrize(
        "form",
        [
            list,
            tuple,
            iter,
            lambda pairs: ShuffleSplit(3, random_state=0),
            lambda pairs: [[a.tolist(), b.tolist()] for a, b in pairs],
            lambda pairs: [(np.isin(ROWS, a), np.isin(ROWS, b)) for a, b in pairs],
            lambda pairs: [(a - len(ROWS), b) for a, b in pairs],
        ],
        ids=["list", "tuple", "generator", "splitter", "lists", "masks", "from end"],
    )
    def test_they_are_those_of_scikit_learn(self, rows, form):
        X, y = rows
        pairs = list(ShuffleSplit(3, random_state=0).split(X))
        theirs = cross_validate(Ridge(), X, y, cv=form(pairs), scoring="r2")
        result = evaluate(Ridge(), X, y, method=form(pairs), scoring="r2")
        ours, theirs = result.split_scores["r2"], theirs["test_score"]
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
        assert_array_equal(result.n_train, [len(train) for train, _ in pairs])

    @pytest.mark.parametrize(
        ("method", "message"),
        [
            ([(1, 2)], r"got \[\(1, 2\)\]"),
            ([([0], [1], [2])], "an iterable of .train, test.; got"),
            (b"folds", "got b'folds'"),
            ([([0, 1], [99])], "method must yield row numbers below 61; index 99"),
            ([([0, 1], [2.5])], "method must yield row numbers below 61; arrays"),
            ([([0, 1], [])], "split 0 .* has no training rows or no test"),
            ([([0, 1], [1, 2])], r"method=\[\(.*1.*\)\] puts rows on both sides of"),
            ([(list(range(50)), [0])], r"method=.{,80} puts rows on both sides of"),
            (KFold, "method must be one of .* got <class 'skl.*KFold'>"),
        ],
    )
    def test_what_is_none(self, rows, method, message):
        with pytest.raises(ValueError, match=message):
            evaluate(Ridge(), *rows, scoring="r2", method=method)


ROWS = np.arange(61)


def test_a_generator_seeds_it(rows):
    def run(seed):
        result = evaluate(Ridge(), *rows, scoring="r2", random_state=seed)
        return result.predictions.row.tolist()

    assert run(np.random.default_rng(3)) == run(np.random.default_rng(3))
    rng = np.random.default_rng(3)
    assert run(rng) != run(rng)


class TestColumnOfIds:
    @pytest.mark.parametrize("kind", ["array", "list", "frame", "function"])
    def test_as_if_passed(self, queries, kind):
        X, y, qid = queries
        with_ids = np.column_stack([qid, X])
        model = make_pipeline(FunctionTransformer(without_first), Ridge())
        ids = 0
        if kind == "frame":
            pd = pytest.importorskip("pandas")
            with_ids = pd.DataFrame(with_ids, columns=list("qabcdefghij"))
            ids = "q"
        elif kind == "list":
            with_ids = with_ids.tolist()
        elif kind == "function":
            ids = first_column
        use = {"scoring": ["ndcg@5", "map"], "random_state": 0}
        passed = evaluate(Ridge(), X, y, qid=qid, **use)
        named = evaluate(model, with_ids, y, qid=ids, **use)
        assert named.estimate == pytest.approx(passed.estimate)
        assert named.unit == "query"
        assert_array_equal(named.predictions.row, passed.predictions.row)

    def test_the_column_stays_a_feature(self, queries):
        X, y, qid = queries
        with_ids = np.column_stack([qid, X])
        use = {"scoring": "ndcg", "random_state": 0}
        named = evaluate(Ridge(), with_ids, y, qid=0, **use)
        assert named.estimate == evaluate(Ridge(), with_ids, y, qid=qid, **use).estimate

    def test_of_scorer_and_evaluate(self, queries):
        X, y, qid = queries
        with_ids = np.column_stack([qid, X])
        scoring = get_scorer("ndcg", qid=0)
        use = {"scoring": scoring, "random_state": 0}
        both = evaluate(Ridge(), with_ids, y, qid=0, **use)
        one = evaluate(Ridge(), with_ids, y, **use)
        assert both.estimate == one.estimate
        with config_context(enable_metadata_routing=True):
            routed = evaluate(Ridge(), with_ids, y, qid=0, **use)
        assert routed.estimate == one.estimate

    @pytest.mark.parametrize(
        ("ids", "message"),
        [
            ("query", "qid='query' must name a column of X; got X of shape"),
            (99, "qid=99 must name a column of X"),
            (1, "qid=1 must name a column of query ids; it holds fractional"),
            (True, "qid must be 1-D"),
            (lambda X: X[:5, 0], "qid must have one id per row"),
        ],
    )
    def test_what_is_none(self, queries, ids, message):
        X, y, qid = queries
        with pytest.raises(ValueError, match=message):
            evaluate(Ridge(), np.column_stack([qid, X]), y, qid=ids, scoring="ndcg")

    def test_no_ids_beside_a_scorer_that_has_them(self, queries):
        X, y, qid = queries
        scoring = {"all": "ndcg", "inside": get_scorer("ndcg", qid=0)}
        with pytest.raises(ValueError, match="qid=None means that there are no quer"):
            evaluate(Ridge(), np.column_stack([qid, X]), y, qid=None, scoring=scoring)


def first_column(X):
    return X[:, 0].astype(int)


def without_first(X):
    return np.asarray(X)[:, 1:]


# Names from elsewhere ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"cv": 10}, r"evaluate has no argument 'cv': pass method=10\."),
        ({"cv": KFold(3)}, r"pass method=KFold\(n_split"),
        ({"fit_params": {"alpha": 1}}, r"pass params={'alpha': 1}\."),
        ({"verbose": 1}, r"pass progress=1\."),
        ({"sample_weight": [1, 2]}, r"pass params={.sample_weight.: \[1, 2\]}\."),
        ({"folds": 3}, "folds"),
    ],
)
def test_arguments_of_scikit_learn_lead_to_those_of_evaluate(rows, options, hint):
    for function in (evaluate, query_learning_curve):
        with pytest.raises(TypeError, match=hint):
            function(Ridge(), *rows, scoring="r2", **options)


@pytest.mark.parametrize(
    ("typed", "method", "n_splits"),
    [
        ("10-fold", "kfold", 10),
        ("3 folds", "kfold", 3),
        ("4-fold cross-validation", "kfold", 4),
        ("stratified 3-fold CV", "stratified", 3),
    ],
)
def test_a_number_of_folds_in_words(rows, typed, method, n_splits):
    X, y = rows
    options = {"scoring": "r2", "random_state": 0}
    result = evaluate(Ridge(), X, y, method=typed, **options)
    expected = evaluate(Ridge(), X, y, method=method, n_splits=n_splits, **options)
    assert (result.method, len(result.fit_time)) == (method, n_splits)
    assert result.estimate == expected.estimate
    with pytest.raises(ValueError, match=f"n_splits must be given once; .*{typed}"):
        evaluate(Ridge(), X, y, method=typed, n_splits=7, **options)
    with pytest.raises(ValueError, match="n_splits"):
        evaluate(Ridge(), X, y, method="1-fold", **options)


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("mcc", "'matthews_corrcoef'"),
        ("brier", "'neg_brier_score'"),
        ("brier_score", "'neg_brier_score'"),
        ("log_loss", "'neg_log_loss'"),
        ("LogLoss", "'neg_log_loss'"),
        ("cross-entropy", "'neg_log_loss'"),
        ("auroc", "'roc_auc'"),
        ("roc_auc_score", "'roc_auc'"),
        ("accuracy_score", "'accuracy'"),
        ("acc", "'accuracy'"),
        ("mse", "'neg_mean_squared_error'"),
        ("RMSE", "'neg_root_mean_squared_error'"),
        ("mae", "'neg_mean_absolute_error' or 'neg_median_absolute_error'"),
    ],
)
def test_names_that_people_type_lead_to_those_of_scikit_learn(rows, typed, names):
    X, y = rows
    with pytest.raises(ValueError, match=f"{typed}' is not a measure; .* {names},"):
        evaluate(LogisticRegression(), X, y, scoring=typed)


@pytest.mark.parametrize("name", ["matthews_corrcoef", "jaccard_macro", "f1_weighted"])
def test_names_of_scikit_learn_are_taken(rows, name):
    X, y = rows
    options = {"scoring": name, "method": 3}
    result = evaluate(LogisticRegression(), X, y, **options)
    theirs = cross_validate(LogisticRegression(), X, y, cv=3, scoring=name)
    assert_array_equal(result.split_scores[name], theirs["test_score"])


def test_the_area_under_the_curve_of_all_rows_has_a_name(rows):
    X, y = rows
    with pytest.raises(ValueError, match="For all rows of a classifier, write 'roc_a"):
        evaluate(LogisticRegression(), X, y > 0, scoring="auc")


@pytest.mark.parametrize(
    ("scoring", "of_more"),
    [
        ("roc_auc", "'roc_auc_ovr'"),
        ("f1", "'f1_macro'"),
        ("recall", "'recall_macro'"),
        (
            make_scorer(fbeta_score, beta=2),
            r"make_scorer\(fbeta_score, average='macro'\)",
        ),
    ],
)
def test_a_measure_of_two_classes_names_that_of_more(rows, scoring, of_more):
    X, y = rows[0], np.minimum(rows[1], 2)
    model = LogisticRegression()
    words = f"compares two classes, and y holds 3: write {of_more}"
    with pytest.raises(ValueError, match=words):
        evaluate(model, X, y, scoring=scoring)
    named = make_scorer(fbeta_score, beta=2, average="macro")
    names = ["roc_auc_ovr", "f1_macro", named]
    evaluate(model, X, y, scoring=names, method="stratified")
    evaluate(model, X, y > 0, scoring=scoring)


@pytest.mark.parametrize("name", ["accuracy", "f1", "matthews_corrcoef", "cohen_kappa"])
def test_a_measure_of_classes_refuses_scores(rows, name):
    X, y = rows[0], (rows[1] > 0) * 1
    model = LogisticRegression().fit(X, y)
    words = f"estimator must predict classes for {name}; predict_proba returns an array"
    with pytest.raises(ValueError, match=words):
        evaluate(model.predict_proba, X, y, scoring=name)
    with pytest.raises(ValueError, match=r"decision_function returns -?\d\.\d+\. Ret"):
        evaluate(model.decision_function, X, y, scoring=name)
    with pytest.raises(ValueError, match="LinearRegression returns"):
        evaluate(LinearRegression(), X, y, scoring=name)
    evaluate(model.predict, X, y * 1.0, scoring=name)


def test_pos_label_is_the_positive_class_of_measures_that_name_none(rows):
    X, y = rows[0], (rows[1] > 0) * 1
    names = np.where(y, "malignant", "other")  # the first in order
    model, options = LogisticRegression(), {"random_state": 0, "qid": None}
    scoring = ["f1", "precision", "recall", "jaccard", "average_precision", "accuracy"]
    scoring += ["neg_brier_score", "roc_auc", "set_f1", "set_recall", "ap", "rprec"]
    scoring += ["f1_macro", "matthews_corrcoef", "neg_log_loss", "set_accuracy"]
    by_name = evaluate(
        model, X, names, scoring=scoring, pos_label="malignant", **options
    )
    expected = evaluate(model, X, y, scoring=scoring, **options)
    assert [*by_name.estimate] == scoring
    assert_allclose([*by_name.estimate.values()], [*expected.estimate.values()])
    assert_allclose(
        [*by_name.confidence_interval.values()],
        [*expected.confidence_interval.values()],
    )
    # What a measure names itself stays.
    named = {
        "f1": make_scorer(fbeta_score, beta=1, pos_label="other"),
        "ours": Measure("set_f1", pos_label="other"),
    }
    other = evaluate(model, X, names, scoring=named, pos_label="malignant", **options)
    reverse = evaluate(model, X, 1 - y, scoring=["f1", "set_f1"], **options)
    assert_allclose([*other.estimate.values()], [*reverse.estimate.values()])
    with pytest.raises(ValueError, match="pos_label must be a class of 1-D y; got 'm'"):
        evaluate(model, X, names, scoring="f1", pos_label="m")
    with pytest.raises(ValueError, match="positive_likelihood_ratio has no pos_label"):
        evaluate(
            model, X, names, scoring="positive_likelihood_ratio", pos_label="other"
        )
    with pytest.raises(ValueError, match="write 'f1_macro'"):
        evaluate(model, *rows, scoring="f1", pos_label=1)


def test_a_scorer_of_pos_label_keeps_its_requests(rows):
    X, y = rows[0], (rows[1] > 0) * 1
    with config_context(enable_metadata_routing=True):
        scorers = [make_scorer(fbeta_score, beta=1), get_scorer("set_f1")]
        scorers = [scorer.set_score_request(sample_weight=True) for scorer in scorers]
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    options = {"random_state": 0, "params": {"sample_weight": weights}}
    model = LogisticRegression()
    expected = evaluate(model, X, y, scoring=scorers, **options)
    names = np.where(y, "malignant", "other")
    options["pos_label"] = "malignant"
    by_name = evaluate(model, X, names, scoring=scorers, **options)
    assert_allclose([*by_name.estimate.values()], [*expected.estimate.values()])


def test_the_note_names_measures_that_could_be_weighted_and_are_not(rows):
    X, y = rows[0], (rows[1] > 0) * 1
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    with config_context(enable_metadata_routing=True):
        scorer = get_scorer("set_f1").set_score_request(sample_weight=True)
    scoring = {"set_f1": scorer, "f1": "f1", "kappa": "cohen_kappa"}
    scoring["own"] = lambda model, X, y: 0.5
    model = LogisticRegression()
    weighted, plain = (
        evaluate(model, X, y, scoring=scoring, params=params, random_state=0)
        for params in ({"sample_weight": weights}, None)
    )
    sentence = (
        "not weighted: f1, kappa (pass scorers with "
        "set_score_request(sample_weight=True))"
    )
    assert sentence in weighted.note
    assert "\nNot weighted: f1, kappa (pass scorers with" in str(weighted)
    assert "weighted" not in plain.note
    given = evaluate(
        model.fit(X, y).predict,
        X,
        y,
        scoring=["set_f1", "recall"],
        params={"sample_weight": weights},
    )
    assert "not weighted: set_f1, recall (" in given.note


def test_weights_that_vary_inside_queries_are_none_of_a_ranking(rows):
    X, y = rows[:2]
    qid = np.arange(len(y)) // 5
    options = {"scoring": ["ndcg@3", "r2"], "qid": qid}
    for weights, names in ((qid + 1.0, "ndcg@3, r2"), (np.arange(len(y)) + 1.0, "r2")):
        result = evaluate(Ridge(), X, y, params={"sample_weight": weights}, **options)
        assert f"not weighted: {names} (" in result.note


@pytest.mark.parametrize("name", ["f1", "jaccard", "average_precision"])
def test_two_words_need_a_positive_class_of_scikit_learns_measures(rows, name):
    X, y = rows[0], np.where(rows[1] > 0, "sick", "healthy")
    model, options = LogisticRegression(), {"scoring": name, "random_state": 0}
    message = f"scoring: {name} needs a positive class: pass pos_label='healthy' or"
    for words in (y, y.astype(object)):
        with pytest.raises(ValueError, match=message):
            evaluate(model, X, words, **options)
    plain = evaluate(model, X, (y == "sick") * 1, **options)
    by_name = evaluate(model, X, y, pos_label=np.str_("sick"), **options)
    assert by_name.estimate == pytest.approx(plain.estimate)
    assert "np.str_" not in str(by_name.metrics)


@pytest.mark.parametrize("form", ["array", "list", "Series", "DataFrame"])
def test_predictions_are_no_estimator(rows, form):
    X, y = rows[0], (rows[1] > 0) * 1
    made = {"array": np.asarray, "list": list}
    if form not in made:
        made[form] = getattr(pytest.importorskip("pandas"), form)
    predictions = made[form](y)
    for given in (predictions, {"a": predictions}):
        with pytest.raises(TypeError, match="Score given predictions with class_repor"):
            evaluate(given, X, y, scoring="accuracy")
