"""Tensors give what NumPy arrays give: Python floats and NumPy arrays."""

import os
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_irmetrics as irm
from oracles import reference as ref
from oracles.cases import CLOSE, TIES, function, make_rankings, ready
from oracles.queries import FirstColumn
from sklearn_irmetrics import (
    get_scorer,
    ndcg_score,
    ranking_report,
    roc_auc_score,
    score_queries,
    set_precision_score,
)
from sklearn_irmetrics.comparison import compare
from sklearn_irmetrics.exceptions import LowPrecisionWarning
from sklearn_irmetrics.metrics import adjust_for_chance, chance_level

torch = pytest.importorskip("torch")

LENGTHS = [1, 2, 1, 40, 7, 5, 12, 1, 30, 9, 8, 100, 3, 6, 25, 2, 60]
RAGGED = make_rankings(1, LENGTHS)
RAGGED_TIED = make_rankings(2, LENGTHS, tied=True)


@pytest.fixture(
    params=["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
)
def send(request):
    """Bring everything that is an array to one device, by fixture parameter."""

    def bring(values):
        if isinstance(values, dict):
            return {name: bring(value) for name, value in values.items()}
        if not isinstance(values, np.ndarray):
            return values
        if values.dtype.kind == "U":  # ids by the number of their first row
            values = np.unique(values, return_inverse=True)[1]
        return torch.tensor(values, device=request.param)

    bring.device = torch.device(request.param)
    return bring


@pytest.fixture(autouse=True)
def _ties_and_undefined_queries_are_fine():
    with warnings.catch_warnings():
        for category in (UndefinedMetricWarning, LowPrecisionWarning):
            warnings.simplefilter("ignore", category)
        yield


def check_equal(metric, data, send, **options):
    """Compare values per query and their mean of arrays and tensors."""
    y_true, y_score, qid = data
    expected = metric(y_true, y_score, qid=qid, average=None, **options)
    tensors = send(y_true), send(y_score)
    options = send(options)
    ours = metric(*tensors, qid=send(qid), average=None, **options)
    assert type(ours) is np.ndarray
    np.testing.assert_array_equal(ours, expected)
    mean = metric(*tensors, qid=send(qid), **options)
    assert type(mean) is float
    if not np.isnan(expected).all():
        assert mean == pytest.approx(np.nanmean(expected), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", sorted(ref.RANKED))
def test_rankings(name, send):
    for params in ref.SETTINGS[name][::3]:
        y_true, options = ready(name, params, RAGGED_TIED[0])
        check_equal(function(name), (y_true, *RAGGED_TIED[1:]), send, **options)


@pytest.mark.parametrize(
    ("kind", "number"), [("bfloat16", 256), ("float16", 2048), ("float32", 2**24)]
)
def test_labels_stay_apart_that_a_narrower_type_makes_equal(kind, number, send):
    wide = send(np.array([number + 1, number, 5, 5]))
    narrow = send(np.array([number, number, 5, 5])).to(getattr(torch, kind))
    for first, second in [(wide, narrow), (narrow, wide), (wide.double(), narrow)]:
        found = irm.metrics.scott_pi_score(first, second)
        assert found == pytest.approx(11 / 19)
        costs = 1 - np.eye(3)
        assert irm.set_cost_matrix_loss(first, second, cost_matrix=costs) == 1.0


def test_large_labels_beside_floats_are_refused(send):
    labels = send(np.array([2**60, 2**60 + 1]))
    assert irm.metrics.scott_pi_score(labels, labels) == 1.0
    with pytest.raises(TypeError, match="y1 and y2 must be of one type where integers"):
        irm.metrics.scott_pi_score(labels, labels.double())


def test_another_default_device_is_not_used(send):
    y_true, y_score = send(np.array([1, 0, 2, 0])), send(np.array([4.0, 3.0, 2.0, 1.0]))
    options = {"qid": ["a", "a", "b", "b"], "sample_weight": [1, 1, 2, 2]}
    expected = score_queries(y_true, y_score, ["ndcg", "map", "tau"], **options).mean
    with torch.device("meta"):  # which holds no values
        found = score_queries(y_true, y_score, ["ndcg", "map", "tau"], **options).mean
    assert found == expected


def test_other_default_types_and_autocast_change_nothing(send):
    y_true, y_score = send(np.array([1, 0, 2, 0])), send(np.array([4.0, 3.0, 2.0, 1.0]))
    options = {"qid": ["a", "a", "a", "b"], "replace_undefined_by": 0.0}
    names = ["ndcg", "set_p(pos_label=1)", "map", "scott_pi"]
    expected = score_queries(y_true, y_score, names, **options).mean
    torch.set_default_dtype(torch.float16)
    try:
        with torch.autocast(send.device.type, dtype=torch.bfloat16):
            found = score_queries(y_true, y_score, names, **options).mean
    finally:
        torch.set_default_dtype(torch.float32)
    assert found == expected


# What is passed beside them -----------------------------------------------------------


def test_ids_keep_their_kind_and_order(send):
    y_true, y_score, qid = RAGGED
    by_name = score_queries(send(y_true), send(y_score), "map", qid=qid)
    assert by_name.query_ids.tolist() == list(dict.fromkeys(qid.tolist()))
    numbers = np.unique(qid, return_inverse=True)[1].astype(np.float64)
    by_number = score_queries(send(y_true), send(y_score), "map", qid=send(numbers))
    assert type(by_number.query_ids) is np.ndarray
    assert by_number.query_ids.tolist() == list(dict.fromkeys(numbers.tolist()))
    np.testing.assert_array_equal(by_name.scores["map"], by_number.scores["map"])


def test_callables_see_arrays(send):
    seen = []

    def gain(grades):
        seen.append(grades)
        return grades**2

    check_equal(
        ndcg_score,
        (np.abs(RAGGED[0]), *RAGGED[1:]),
        send,
        gain=gain,
        discount=lambda ranks: 1 / ranks,
    )
    assert {type(grades) for grades in seen} == {np.ndarray}
    assert all(len(set(grades.tolist())) == len(grades) for grades in seen)
    with pytest.raises(ValueError, match="discount must not increase"):
        ndcg_score(send(np.ones(3)), send(np.ones(3)), discount=lambda ranks: ranks)
    with pytest.raises(TypeError, match="the result of gain must hold real numb"):
        ndcg_score(send(np.ones(3)), send(np.ones(3)), gain=lambda grades: "many")


# Kinds of tensors ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64"])
def test_floats_of_any_width_rank_as_they_are(kind, send):
    rng = np.random.default_rng(7)
    y_true = send(rng.choice([0.0, 1.0, 3.0, np.nan], 300))
    qid = send(rng.integers(0, 9, 300))
    scores = send(rng.standard_normal(300)).to(getattr(torch, kind))
    scores[::7] = -torch.inf
    value = ndcg_score(y_true.to(scores.dtype), scores, qid=qid, k=10)
    assert value == ndcg_score(y_true, scores.double(), qid=qid, k=10)


def test_ties_of_half_floats_warn_alike(send):
    scores = np.linspace(1.0, 1.01, 20).astype(np.float16)
    messages = []
    for y_score in (scores, send(scores)):
        with pytest.warns(LowPrecisionWarning) as record:
            roc_auc_score(y_score > 1.005, y_score)
        messages.append(str(record[0].message))
    assert messages[0] == messages[1]


def test_tensors_with_gradient_and_of_inference(send):
    y_true, y_score = send(np.array([1.0, 0, 2])), send(np.array([0.1, 0.7, 0.3]))
    expected = ndcg_score(y_true, y_score)
    parameter = torch.nn.Parameter(y_score.clone())
    assert ndcg_score(y_true, parameter) == expected
    with torch.inference_mode():
        assert ndcg_score(y_true.clone(), y_score.clone()) == expected
        inferred = y_score.clone()
    assert ndcg_score(y_true, inferred) == expected


def test_views_and_inputs_stay_as_they_are(send):
    rng = np.random.default_rng(9)
    y_true, y_score = rng.integers(0, 3, (50, 8)).astype(float), rng.random((50, 8))
    kept = send(y_true.T).contiguous(), send(y_score.T).contiguous()
    given = kept[0].clone(), kept[1].clone()
    transposed = given[0].T, given[1].T
    assert not transposed[0].is_contiguous()
    value = ndcg_score(*transposed, k=3)
    assert value == pytest.approx(ndcg_score(y_true, y_score, k=3), rel=1e-12)
    sliced = ndcg_score(given[0].T[::2, 1:], given[1].T[::2, 1:])
    assert sliced == pytest.approx(ndcg_score(y_true[::2, 1:], y_score[::2, 1:]))
    assert torch.equal(given[0], kept[0])
    assert torch.equal(given[1], kept[1])


# Mistakes -----------------------------------------------------------------------------


def test_mixtures_are_scored(send):
    y_true, y_score = np.array([0.0, 1, 1]), np.array([0.3, 0.2, 0.1])
    expected = ndcg_score(y_true, y_score)
    assert ndcg_score(send(y_true), y_score) == expected
    assert ndcg_score(y_true.tolist(), send(y_score)) == expected
    assert set_precision_score(send(y_true), [1, 1, 0]) == 0.5


@pytest.mark.parametrize(
    ("tensor", "error", "message"),
    [
        (torch.ones(3).to_sparse(), TypeError, "y_true must be of a type"),
        (torch.ones(3, dtype=torch.complex64), TypeError, "y_true must hold real"),
        (torch.ones(3).to(torch.float8_e5m2), TypeError, "y_true must be of a type"),
        (torch.tensor(1.0), ValueError, "y_true must be 1-D or 2-D; got the scalar"),
    ],
    ids=str,
)
def test_tensors_of_other_kinds_are_refused(tensor, error, message):
    with pytest.raises(error, match=message):
        ndcg_score(tensor, torch.ones(tensor.shape))


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (([1.0, 2.0], [1.0, np.nan]), {}),
        (([1.0, np.inf], [1.0, 2.0]), {}),
        (([1.0, 2.0], [1.0, 2.0, 3.0]), {}),
        (([[[1.0]]], [[[1.0]]]), {}),
        (([-1.0, 2.0], [1.0, 2.0]), {}),
        (([1.0, 2.0], [1.0, 2.0]), {"qid": [1]}),
        (([1.0, 2.0], [1.0, 2.0]), {"qid": [[1, 2]]}),
        (([1.0, 2.0], [1.0, 2.0]), {"qid": [1.0, np.nan]}),
        (([[1.0, 2.0]], [[1.0, 2.0]]), {"qid": [1, 1]}),
        (([1.0, 2.0], [1.0, 2.0]), {"qid": [1, 1], "sample_weight": [1.0, 2.0]}),
        (([1.0, 2.0], [1.0, 2.0]), {"sample_weight": [1.0, -2.0]}),
        (([1.0, 2.0], [1.0, 2.0]), {"sample_weight": [1.0]}),
    ],
    ids=str,
)
def test_the_same_mistake_has_the_same_message(arguments, options, send):
    messages = []
    for bring in (np.array, lambda values: send(np.array(values))):
        with pytest.raises(ValueError) as info:
            ndcg_score(
                *map(bring, arguments),
                **{name: bring(value) for name, value in options.items()},
            )
        messages.append(str(info.value))
    assert messages[0] == messages[1]


def test_marks_are_checked(send):
    metric = function("coverage_ratio_score")
    ones = np.ones(3)
    with pytest.raises(ValueError, match=r"known must have the shape of y_true"):
        metric(send(ones), send(ones), known=send(np.ones(2)))
    with pytest.raises(ValueError, match="known must hold booleans"):
        metric(send(ones), send(ones), known=send(ones + 1))


def test_undefined_queries_warn_alike(send):
    with pytest.warns(UndefinedMetricWarning, match="in 1 of 2 queries"):
        value = ndcg_score(send(np.array([[0, 0], [1, 0]])), send(np.eye(2)))
    assert value == pytest.approx(1 / np.log2(3))
    assert ndcg_score(send(np.zeros(2)), send(np.ones(2)), replace_undefined_by=1) == 1


# Many at once -------------------------------------------------------------------------

NAMES = ["ndcg@10", "map", "p@5", "gmap", "kendall_tau", "infap", "set_p", "f1@3"]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_score_queries(n_jobs, send):
    y_true, y_score, qid = np.abs(RAGGED_TIED[0]), RAGGED_TIED[1] > 0, RAGGED_TIED[2]
    pooled = np.random.default_rng(0).random(len(y_true)) < 0.5
    expected = score_queries(y_true, y_score, NAMES, qid=qid, marks={"pooled": pooled})
    ours = score_queries(
        send(y_true),
        send(y_score),
        NAMES,
        qid=qid,
        marks={"pooled": send(pooled)},
        n_jobs=n_jobs,
    )
    for name in NAMES:
        assert type(ours.scores[name]) is np.ndarray
        np.testing.assert_allclose(ours.scores[name], expected.scores[name], **CLOSE)
        assert ours.mean[name] == pytest.approx(expected.mean[name], rel=1e-12)
    assert repr(ours) == repr(expected)
    pd = pytest.importorskip("pandas")
    pd.testing.assert_frame_equal(ours.to_frame(), expected.to_frame())


# Where they are -----------------------------------------------------------------------


def test_reports_and_displays_work_on_the_host(send):
    """They take tensors as they take arrays."""
    y_true, y_score, qid = np.abs(RAGGED_TIED[0]), *RAGGED_TIED[1:]
    qid = np.unique(qid, return_inverse=True)[1]
    weights = qid + 1.0
    tensors = send(y_true), send(y_score)
    options = {"sample_weight": weights, "qid": qid}
    report = ranking_report(y_true, y_score, **options)
    ours = ranking_report(*tensors, **send(options))
    assert repr(ours.to_dict()) == repr(report.to_dict())
    for metric in ("ndcg@5", "11pt"):
        settings = {"n_permutations": 5, "random_state": 0}
        level = chance_level(metric, y_true, **options, **settings)
        assert chance_level(metric, tensors[0], **send(options), **settings) == level
    scores = ndcg_score(*tensors, qid=send(qid), average=None)
    above = adjust_for_chance(scores, send(np.array(0.25)))
    np.testing.assert_allclose(above, (scores - 0.25) / 0.75, rtol=1e-15)
    noise = np.random.default_rng(0).random(len(y_score))
    systems = [
        {
            name: score_queries(bring(y_true), bring(scores), "map", qid=bring(qid))
            for name, scores in (("ours", y_score), ("noise", noise))
        }
        for bring in (np.asarray, send)
    ]
    compared = [compare(results, random_state=0) for results in systems]
    assert repr(compared[0]) == repr(compared[1])


@pytest.mark.parametrize("name", ["Cutoff", "GainCurve", "PrecisionRecall", "Roc"])
def test_displays_hold_arrays(name, send):
    pytest.importorskip("matplotlib")
    from sklearn_irmetrics import plot

    display = getattr(plot, f"{name}Display")
    data = [np.abs(RAGGED_TIED[0]), RAGGED_TIED[1]]
    qid = np.unique(RAGGED_TIED[2], return_inverse=True)[1]
    drawn = name == "PrecisionRecall"
    options = {"random_state": 0} if drawn else {}
    of_arrays = display.from_predictions(*data, qid=qid, **options)
    of_tensors = display.from_predictions(*map(send, data), qid=send(qid), **options)
    for attribute, values in vars(of_arrays).items():
        if isinstance(values, np.ndarray):
            ours = getattr(of_tensors, attribute)
            assert isinstance(ours, np.ndarray)
            np.testing.assert_array_equal(ours, values)


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_torch_is_not_imported_for_arrays():
    done = run_python(
        """
        import sys
        from sklearn_irmetrics import ndcg_score, score_queries, set_f1_score
        ndcg_score([1, 0], [2, 1], qid=[1, 1])
        score_queries([1, 0], [1, 0], ["map", "set_f1", "kendall_tau"])
        assert "torch" not in sys.modules
        """
    )
    assert done.returncode == 0, done.stderr


# Scorers ------------------------------------------------------------------------------


def test_scorers_of_tensors_without_dispatch(send):
    """An estimator of tensors that scikit-learn knows nothing of."""

    y_true, y_score, qid = RAGGED
    X = send(np.stack([np.nan_to_num(y_score, neginf=-9.0)], axis=1))
    expected = ndcg_score(np.abs(y_true), X[:, 0].cpu().numpy(), qid=qid, k=5)
    scorer = get_scorer("ndcg@5", qid=lambda X: qid)
    target = np.abs(y_true)
    for features, y in (
        (X, target),
        (X, send(target)),
        (X.cpu().numpy(), send(target)),
    ):
        value = scorer(FirstColumn(), features, y)
        assert value == pytest.approx(expected, rel=1e-12)


def test_scorers_respect_array_api_dispatch():
    """In cross-validation and searches, on tensors, as on arrays."""
    code = """
        import warnings
        import numpy as np, torch
        from sklearn import config_context
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
        from sklearn.linear_model import Ridge
        from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
        from sklearn_irmetrics import get_scorer, get_scorers

        try:
            with config_context(array_api_dispatch=True):
                Ridge(solver="svd").fit(torch.eye(3), torch.ones(3))
        except ImportError as error:
            print("SKIP", error)
            raise SystemExit
        rng = np.random.default_rng(0)
        qid = np.repeat(np.arange(40), 10)
        X = rng.normal(size=(400, 4))
        grades = np.clip(np.round(X[:, 0] + rng.normal(size=400)), 0, 3)

        def run(X, y, qid, estimator, grid, **config):
            with (
                config_context(enable_metadata_routing=True, **config),
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("ignore")
                cv = GroupKFold(4).set_split_request(groups="qid")
                scorers = get_scorers(["ndcg@5", "map", "roc_auc", "kendall_tau"])
                folds = cross_validate(
                    estimator, X, y, scoring=scorers, cv=cv, params={"qid": qid},
                    error_score="raise",
                )
                search = GridSearchCV(
                    estimator, grid, scoring=get_scorer("ndcg@5"), cv=cv,
                    error_score="raise",
                ).fit(X, y, qid=qid)
                by_column = get_scorer("ndcg", qid=lambda X: np.repeat(range(40), 10))
                return [
                    *(folds[f"test_{name}"] for name in scorers),
                    search.cv_results_["mean_test_score"],
                    by_column(search.best_estimator_, X, y),
                ]

        n = 0
        for estimator, grid, y in (
            (Ridge(solver="svd"), {"alpha": [0.1, 100.0]}, grades),
            (LinearDiscriminantAnalysis(), {"tol": [1e-4]}, (grades > 1).astype(int)),
            (LinearDiscriminantAnalysis(), {"tol": [1e-4]}, grades.astype(int)),
        ):
            expected = run(X, y, qid, estimator, grid)
            for ids in (qid, torch.tensor(qid)):
                ours = run(
                    torch.tensor(X), torch.tensor(y), ids, estimator, grid,
                    array_api_dispatch=True,
                )
                for theirs, values in zip(expected, ours, strict=True):
                    np.testing.assert_allclose(values, theirs, rtol=1e-10)
                    n += 1
        print("COMPARED", n)
        """
    done = run_python(code, SCIPY_ARRAY_API="1")
    if done.stdout.startswith("SKIP"):
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "COMPARED 36"


def test_column_of_ids_in_a_tensor(send):
    X = np.array([[0.1, 7], [0.2, 7], [0.3, 8], [0.1, 8]])
    y = np.array([0, 1, 1, 0])
    assert get_scorer("map", qid=-1)(FirstColumn(), send(X), send(y)) == 1.0
    with pytest.raises(ValueError, match="fractional"):
        get_scorer("map", qid=0)(FirstColumn(), send(X), send(y))


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-60, 1e59])
@pytest.mark.parametrize("name", ["ndcg", "dcg", "q", "cg", "ap", "bpref"])
def test_extreme_grades_give_what_numpy_gives(send, name, scale):
    rng = np.random.default_rng(3)
    y_true = rng.integers(0, 4, (5, 30)) * scale
    y_score = rng.integers(0, 9, (5, 30)) / 8
    measures = [name, f"{name}@7"] if name != "bpref" else [name]
    for ties in TIES:
        for weights in (None, np.arange(5.0)):
            expected, found = (
                score_queries(
                    *map(bring, (y_true, y_score)),
                    measures,
                    ties=ties,
                    sample_weight=None if weights is None else bring(weights),
                )
                for bring in (np.asarray, send)
            )
            for measure in measures:
                values = found.scores[measure]
                assert type(values) is np.ndarray
                np.testing.assert_allclose(values, expected.scores[measure], rtol=1e-12)
                assert found.mean[measure] == pytest.approx(expected.mean[measure])


@pytest.mark.parametrize("on_device", [False, True])
def test_candidates(send, on_device):
    rng = np.random.default_rng(5)
    grades, scores = rng.integers(0, 3, (20, 9)), rng.random((20, 9)).round(1)
    chosen, weights = rng.random((20, 9)) < 0.7, rng.random(20)
    chosen[:, 4] = True
    names = ["ndcg@3", "map", "mrr", "roc_auc", "bpref"]
    shared = {"sample_weight": weights, "candidates": chosen}
    expected = score_queries(grades, scores, names, **shared)
    if on_device:
        shared["candidates"] = send(chosen)
    found = score_queries(send(grades), send(scores), names, **shared)
    evaluator = irm.reports.RankingEvaluator(send(grades), names, **shared)
    for one in (found, evaluator.score_queries(send(scores))):
        assert one.mean == pytest.approx(expected.mean, rel=1e-12)
    qid = np.repeat([f"q{i}" for i in range(20)], 9)
    flat = score_queries(
        send(grades).ravel(),
        send(scores).ravel(),
        names,
        qid=qid,
        candidates=shared["candidates"].ravel(),
    )
    for name in names:
        np.testing.assert_allclose(flat.scores[name], found.scores[name])
