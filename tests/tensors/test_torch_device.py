"""On a device of their own, tensors stay there, and every array is made there."""

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_irmetrics as irm
from oracles.cases import call_of
from oracles.queries import FirstColumn
from sklearn_irmetrics._measures.registry import METRICS

torch = pytest.importorskip("torch")
torch_blocks = pytest.importorskip("sklearn_irmetrics._core.torch.blocks")
fake_device = pytest.importorskip("oracles.fake_device")

DEVICE = fake_device.DEVICE

N_DOCUMENTS, N_QUERIES = 5000, 40


@pytest.fixture(autouse=True)
def _device():
    """Let no more numbers come to the host than there are queries, and few more."""
    with warnings.catch_warnings(), fake_device.FakeDevice(most=5 * N_QUERIES):
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        yield


def documents(seed=0):
    """Grades, tied scores and ids in any order, on the host."""
    rng = np.random.default_rng(seed)
    return [torch.tensor(rng.integers(0, n, N_DOCUMENTS)) for n in (3, 99, N_QUERIES)]


def at_cutoffs(metric, *data, **options):
    return [irm.metric_at_cutoffs(metric, *data, [1, 7, 50], **options)]


def send(values):
    """Bring all tensors and arrays of a list, tuple or dict to the device."""
    if isinstance(values, dict):
        return {name: send(value) for name, value in values.items()}
    if isinstance(values, list | tuple):
        return [send(value) for value in values]
    if isinstance(values, np.ndarray):
        values = torch.tensor(values)
    return values.to(DEVICE) if isinstance(values, torch.Tensor) else values


def test_the_device_forbids_what_a_gpu_would():
    on_host = torch.ones(1000)
    there = on_host.to(DEVICE)
    assert float((there + there[:1]).sum()) == 2000.0
    assert (there[:3] + 1.0).tolist() == [2.0, 2.0, 2.0]
    for mistake in (
        lambda: there + on_host,
        lambda: torch.cat([there, on_host]),
        lambda: there + torch.arange(1000),
        there.cpu,
        there.tolist,
        lambda: there.to("cpu", torch.float64),
        lambda: np.asarray(there),
    ):
        with pytest.raises((AssertionError, RuntimeError, NotImplementedError)):
            mistake()


RULES = [
    (name, ties)
    for name, row in sorted(METRICS.items())
    for ties in (["average", "optimistic", "stable"] if row.ranks else [None])
    if row.extremes or ties != "optimistic"
]


@pytest.mark.parametrize(("name", "ties"), RULES)
def test_every_measure_stays_on_the_device(name, ties):
    row = METRICS[name]
    data, options = call_of(name, N_DOCUMENTS, N_QUERIES)
    if ties is not None:
        options["ties"] = ties
    mean = row.function(*send(data), **send(options))
    assert type(mean) is float
    expected = row.function(*data, **options)
    assert mean == pytest.approx(expected, rel=1e-12, abs=1e-12)
    options["average"] = None
    values = row.function(*send(data), **send(options))
    assert values.device == DEVICE
    expected = row.function(*data, **options)
    np.testing.assert_allclose(values.cpu(), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("cells", [1000, 10**6])
def test_score_queries(cells, monkeypatch):
    monkeypatch.setattr(torch_blocks, "block_cells", lambda device: cells)
    y_true, y_score, qid = documents()
    names = ["ndcg@10", "map", "err", "gmap", "infap", "kendall_tau(variant='b')"]
    expected = irm.score_queries(y_true, y_score, names, qid=qid)
    weights = qid.double() + 1.0
    ours = irm.score_queries(*send([y_true, y_score]), names, qid=send(qid))
    assert ours.query_ids.device == DEVICE
    assert ours.query_ids.tolist() == expected.query_ids.tolist()
    for name in names:
        assert ours.scores[name].device == DEVICE
        values = ours.scores[name].cpu()
        np.testing.assert_allclose(values, expected.scores[name], rtol=1e-12)
    options = {"qid": qid, "sample_weight": weights, "k": 3}
    weighted = irm.ndcg_score(*send([y_true, y_score]), **send(options))
    assert weighted == pytest.approx(
        irm.ndcg_score(y_true, y_score, **options), rel=1e-12
    )


AT_CUTOFFS = ["p", "ap", "ap(denominator='retrieved')", "rr", "ndcg", "rbp", "q"]
CURVES = [
    irm.roc_curve,
    irm.precision_recall_curve,
    partial(irm.precision_recall_curve, interpolation="right"),
    partial(irm.precision_recall_curve, interpolation="window"),
]
OF_QUERIES = [
    irm.interpolated_precision_recall_curve,
    irm.gain_curve,
    *[partial(at_cutoffs, name) for name in [*AT_CUTOFFS, "err(max_grade=3)"]],
]


@pytest.mark.parametrize(
    "options",
    [
        {"qid": True},
        {"qid": True, "average": None},
        {"average": None},
        {"sample_weight": np.arange(N_DOCUMENTS) % 5.0},
    ],
)
def test_curves_and_cutoffs(options):
    y_true, y_score, qid = documents()
    if "qid" in options:
        options = options | {"qid": qid.numpy()}
    for curve in CURVES + OF_QUERIES * ("sample_weight" not in options):
        expected = curve(y_true.numpy(), y_score.numpy(), **options)
        # One value per query and place, some of which the test looks at.
        ours = curve(*send([y_true, y_score]), **send(options))
        for values, right in zip(ours, expected, strict=True):
            if right is None:
                assert values is None
                continue
            assert values.device == DEVICE
            values, right = values.ravel()[:100].cpu(), right.ravel()[:100]
            np.testing.assert_allclose(values, right, rtol=1e-12, atol=1e-12)


def test_table_of_ranks():
    y_true, y_score, qid = documents()
    expected = irm.precision_recall_at_ranks(y_true, y_score, qid=qid, k=4)
    table = irm.precision_recall_at_ranks(*send([y_true, y_score]), qid=send(qid), k=4)
    for name, values in vars(expected).items():
        np.testing.assert_allclose(getattr(table, name).cpu(), values, rtol=1e-12)


def test_dense_rows_and_class_labels():
    rng = np.random.default_rng(2)
    y_true = torch.tensor(rng.choice([0.0, 1.0, 2.0, np.nan], (30, 50)))
    y_score = torch.tensor(rng.random((30, 50), dtype=np.float32))
    for k in (None, 10):
        value = irm.ndcg_score(*send([y_true, y_score]), k=k)
        assert value == pytest.approx(irm.ndcg_score(y_true, y_score, k=k), rel=1e-12)
    classes = torch.tensor(rng.integers(0, 50, 30))
    labels = list(range(50))
    expected = irm.roc_auc_score(classes, y_score, labels=labels)
    value = irm.roc_auc_score(*send([classes, y_score]), labels=labels)
    assert value == pytest.approx(expected, rel=1e-12)


def test_ids_and_weights_of_the_host_are_brought_there():
    y_true, y_score, qid = documents()
    weights = qid + 1
    expected = irm.ndcg_score(y_true, y_score, qid=qid, sample_weight=weights)
    for ids in (qid, qid.numpy(), [f"q{number}" for number in qid.tolist()]):
        for given in (weights, weights.numpy(), weights.tolist()):
            value = irm.ndcg_score(
                *send([y_true, y_score]), qid=ids, sample_weight=given
            )
            assert value == pytest.approx(expected, rel=1e-12)


def test_scorers_bring_targets_to_the_predictions():
    y_true, y_score, qid = documents()
    X = torch.stack([y_score, qid], dim=1)
    expected = irm.ndcg_score(y_true, y_score, qid=qid, k=5)
    scorer = irm.get_scorer("ndcg@5", qid=lambda X: X[:, 1])
    for target in (y_true, y_true.numpy(), send(y_true)):
        value = scorer(FirstColumn(), send(X), target)
        assert value == pytest.approx(expected, rel=1e-12)


def test_blocks_of_a_gpu_fit_into_its_memory(monkeypatch):
    """A GPU is not at hand in most tests: what its memory tells is made up."""
    gpu = torch.device("cuda", 0)
    for free, reserved, used, cells in (
        (1 << 40, 0, 0, 1 << 23),
        (1 << 20, 1 << 20, 0, (2 << 20) // 512),
        (0, 5000, 5000, 1),
    ):
        made_up = {
            "mem_get_info": (free, 1 << 40),
            "memory_reserved": reserved,
            "memory_allocated": used,
        }
        for name, value in made_up.items():
            monkeypatch.setattr(torch.cuda, name, lambda device, value=value: value)
        assert torch_blocks.block_cells(gpu) == cells
