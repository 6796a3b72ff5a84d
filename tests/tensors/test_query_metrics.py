"""Metrics of torchmetrics, in one process and in several."""

import copy
import os
import pickle
import socket

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_irmetrics import Measure, score_queries
from sklearn_irmetrics.reports import RankingEvaluator

torch = pytest.importorskip("torch")
torchmetrics = pytest.importorskip("torchmetrics")
irm_torch = pytest.importorskip("sklearn_irmetrics.torch")
distributed = torch.distributed
data_of_torch = torch.utils.data
QueryMetrics, WholeQueries = irm_torch.QueryMetrics, irm_torch.WholeQueries

MEASURES = ["ndcg@5", "map", "p@3"]
N_ROWS = 45
pytestmark = [
    pytest.mark.filterwarnings("ignore:The ``compute`` method"),
    pytest.mark.filterwarnings("ignore:.* undefined in"),
]


def draw(seed=0, n_rows=N_ROWS, n_queries=9):
    """Return scores with ties, grades and ids of queries whose rows are mixed."""
    rng = np.random.default_rng(seed)
    preds = rng.integers(0, 6, n_rows) / 8
    target = rng.integers(0, 3, n_rows).astype(float)
    target[rng.random(n_rows) < 0.1] = np.nan
    return preds, target, rng.integers(0, n_queries, n_rows) + 2**60


def expected(preds, target, indexes, **options):
    return score_queries(target, preds, MEASURES, qid=indexes, **options).mean


def as_floats(found):
    return {name: float(value) for name, value in found.items()}


def fill(metric, data, batch_size, *, order=None, numbered=True):
    order = np.arange(len(data[0])) if order is None else order
    for rows in np.split(order, range(batch_size, len(order), batch_size)):
        batch = [torch.tensor(one[rows]) for one in data]
        metric.update(*batch, torch.tensor(rows) if numbered else None)
    return metric


@pytest.mark.parametrize("batch_size", [1, 7, 45])
@pytest.mark.parametrize("ties", ["average", "stable", "pessimistic"])
def test_batches_may_cut_queries(batch_size, ties):
    data = draw()
    metric = fill(QueryMetrics(MEASURES, ties=ties), data, batch_size, numbered=False)
    assert_equal(metric.compute(), expected(*data, ties=ties))


def assert_equal(found, means):
    assert list(found) == list(means)
    for name, value in found.items():
        assert value.dtype == torch.float64
        assert_allclose(float(value), means[name], rtol=1e-12, err_msg=name)


def test_rows_with_one_number_count_once():
    data = draw()
    order = np.random.default_rng(1).permutation(
        np.append(np.arange(N_ROWS), [3, 8, 3])
    )
    metric = fill(QueryMetrics(MEASURES, N_ROWS, ties="stable"), data, 6, order=order)
    assert_equal(metric.compute(), expected(*data, ties="stable"))


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_scores_and_grades_of_other_types(dtype):
    preds, target, indexes = draw()
    grades = np.nan_to_num(target).astype(int)
    metric = QueryMetrics(MEASURES)
    args = torch.tensor(preds, dtype=dtype), torch.tensor(grades), torch.tensor(indexes)
    metric.update(*(one.reshape(5, 9) for one in args))
    assert_equal(metric.compute(), expected(preds, grades, indexes))


def test_forward_returns_the_batch_and_keeps_all():
    data = draw()
    metric, halves = QueryMetrics(MEASURES), np.split(np.arange(N_ROWS), [20])
    for rows in halves:
        batch = [one[rows] for one in data]
        found = metric(*map(torch.tensor, batch))
        assert_equal(found, expected(*batch))
    assert_equal(metric.compute(), expected(*data))
    metric.reset()
    with pytest.raises(ValueError, match="at least one update"):
        metric.compute()


def test_in_a_collection_by_position_and_keyword():
    preds, target, indexes = map(torch.tensor, draw())
    collection = torchmetrics.MetricCollection(
        {"ours": QueryMetrics(["ndcg@5"]), "theirs": torchmetrics.MeanMetric()}
    )
    collection["theirs"].update(1.0)
    collection["ours"].update(preds, target, indexes=indexes)
    one = torchmetrics.MetricCollection([QueryMetrics(["ndcg@5"])])
    one.update(preds=preds, target=target, indexes=indexes)
    expected_value = expected(*draw())["ndcg@5"]
    for found in (collection.compute(), one.compute()):
        assert_allclose(float(found["ndcg@5"]), expected_value, rtol=1e-12)


@pytest.mark.parametrize("travel", [lambda m: pickle.loads(pickle.dumps(m)), copy.copy])
def test_it_travels(travel):
    metric = fill(QueryMetrics(MEASURES), draw(), 9)
    assert as_floats(travel(metric).compute()) == as_floats(metric.compute())


def test_others_are_merged_even_after_a_result():
    data = draw()
    parts = [
        fill(QueryMetrics(MEASURES), data, 9, order=order)
        for order in np.split(np.arange(N_ROWS), [17])
    ]
    parts[0].compute()
    parts[0].merge_state(parts[1])
    assert_equal(parts[0].compute(), expected(*data))
    with pytest.raises(ValueError, match="incoming_state must have the same measures"):
        parts[0].merge_state(QueryMetrics("mrr"))
    gains = [Measure("dcg", gain=one) for one in (lambda g: g, lambda g: g**2)]
    with pytest.raises(ValueError, match="Their functions are different objects"):
        QueryMetrics(gains[0]).merge_state(QueryMetrics(gains[1]))
    with pytest.raises(ValueError, match="must not be the metric itself"):
        parts[0].merge_state(parts[0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": torch.zeros(3)}, "must have the same shape"),
        ({"indexes": torch.zeros(2)}, "indexes must hold integers"),
        ({"preds": torch.tensor([True, False])}, r"preds must .* got torch\.bool\."),
        (
            {"preds": torch.tensor([1j, 0])},
            "preds must hold real scores; got torch.com",
        ),
        ({"rows": torch.tensor([0, -1])}, "rows must have a number of 0 or more"),
        ({"rows": torch.tensor([0])}, "rows must have a number of 0 or more"),
        ({"rows": torch.tensor([0.0, 1.0])}, "rows must hold integers"),
    ],
)
def test_wrong_batches_change_nothing(change, message):
    batch = {
        "preds": torch.tensor([0.5, 0.2]),
        "target": torch.tensor([1, 0]),
        "indexes": torch.tensor([1, 1]),
    }
    metric = QueryMetrics("mrr")
    metric.update(**batch)
    with pytest.raises(ValueError, match=message):
        metric.update(**batch | change)
    assert float(metric.compute()["mrr"]) == 1.0


def test_what_is_wrong_is_told():
    with pytest.raises(ValueError, match="n_rows"):
        QueryMetrics("mrr", n_rows=0)
    with pytest.raises(ValueError, match="ndgc"):
        QueryMetrics("ndgc@10")
    metric = fill(QueryMetrics(MEASURES, n_rows=46), draw(), 9)
    with pytest.raises(ValueError, match="got 46 and 45 different rows"):
        metric.compute()
    metric = fill(fill(QueryMetrics(MEASURES), draw(), 9), draw(), 9, numbered=False)
    with pytest.raises(ValueError, match="rows must be given in all batches"):
        metric.compute()


@pytest.mark.parametrize("one_query", [True, False])
def test_rows_numbered_in_each_batch_are_refused(one_query):
    """The first batch gave the result, as if the others had not been there."""
    preds, target = torch.tensor([0.9, 0.1]), torch.tensor([1, 0])
    metric = QueryMetrics("mrr")
    for batch in range(3):
        ids = torch.full_like(target, 0 if one_query else batch)
        grades = target.flip(0) if batch else target
        metric.update(preds, grades, ids, torch.arange(2))
    with pytest.raises(ValueError, match="rows must be .* not in the batch; got 0 for"):
        metric.compute()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_an_evaluator_of_arrays_takes_tensors(dtype):
    preds, target, indexes = draw()
    evaluator = RankingEvaluator(target, MEASURES, qid=indexes)
    scores = torch.tensor(preds, dtype=dtype, requires_grad=True)
    assert evaluator(scores) == evaluator(preds)
    found = evaluator.score_queries(scores)
    assert found.mean == evaluator.score_queries(preds).mean


@pytest.mark.parametrize("batch_size", [1, 4, 100])
@pytest.mark.parametrize("num_replicas", [1, 2, 5])
def test_whole_queries(batch_size, num_replicas):
    _, _, qid = draw(n_queries=7)
    samplers = [
        WholeQueries(qid, batch_size, rank=rank, num_replicas=num_replicas)
        for rank in range(num_replicas)
    ]
    batches = [batch for sampler in samplers for batch in sampler]
    assert sorted(row for batch in batches for row in batch) == list(range(N_ROWS))
    assert sum(map(len, samplers)) == len(batches)
    where = [(qid[row], i) for i, batch in enumerate(batches) for row in batch]
    assert len(set(where)) == len(set(qid.tolist()))  # each in one batch
    for batch in batches:
        assert len(batch) <= batch_size or len(set(qid[batch])) == 1
    with pytest.raises(ValueError, match="rank must be"):
        WholeQueries(qid, batch_size, rank=num_replicas, num_replicas=num_replicas)


def in_process(rank, world, port, folder):
    """Score the rows that the samplers of one of several processes give it."""
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    distributed.init_process_group("gloo", rank=rank, world_size=world)
    data, found = draw(), {}
    for shuffle in (False, True):
        metric = QueryMetrics(MEASURES, N_ROWS)
        sampler = data_of_torch.DistributedSampler(range(N_ROWS), shuffle=shuffle)
        for rows in data_of_torch.DataLoader(
            range(N_ROWS), batch_size=7, sampler=sampler
        ):
            metric(*(torch.tensor(one[rows.numpy()]) for one in data), rows)
        assert len(sampler) == 23  # 46 in both
        found[shuffle] = as_floats(metric.compute())
    alone = QueryMetrics(MEASURES)
    if rank == 0:  # the other sees nothing
        fill(alone, data, 9)
    found["one process has all rows"] = as_floats(alone.compute())
    try:
        fill(alone, data, 9, numbered=False)
    except ValueError as error:
        found["error"] = str(error)
    with open(folder / f"{rank}.pickle", "wb") as file:
        pickle.dump(found, file)
    distributed.destroy_process_group()


def test_two_processes_give_the_number_of_one(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    torch.multiprocessing.spawn(in_process, (2, port, tmp_path), nprocs=2)
    means = expected(*draw())
    for rank in range(2):
        found = pickle.loads((tmp_path / f"{rank}.pickle").read_bytes())
        assert "samplers repeat" in found.pop("error")
        assert len(found) == 3
        for how, values in found.items():
            for name, value in values.items():
                assert_allclose(value, means[name], rtol=1e-12, err_msg=f"{how} {name}")
