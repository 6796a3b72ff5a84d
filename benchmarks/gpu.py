"""Time measures of torch tensors on one GPU, beside NumPy on one core.

Run ``python benchmarks/gpu.py`` from the checkout with torch installed; ``--quick``
takes small data, ``--device cpu`` times tensors on the processor. Data lie on the
device before the clock starts, and the device is waited for before it stops; times are
medians of warm runs. Ends with status 1 where tensors and arrays give other numbers.
"""

import argparse
import os
import sys
from functools import partial
from statistics import median

for pool in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(pool, "1")

import numpy as np  # noqa: E402 (after the thread limits)
import torch  # noqa: E402
from measuring import machine, times_of  # noqa: E402
from shapes import make_shape  # noqa: E402

from sklearn_irmetrics import score_queries  # noqa: E402

TEN = [
    *("ndcg@10", "ndcg", "map", "mrr", "p@10", "recall@100"),
    *("rprec", "rbp", "bpref", "success@10"),
]
MEASURES = {
    **{name: [name] for name in ("ndcg@10", "p@10", "map")},
    "ten measures": TEN,
}


def send(shape, device):
    """Return grades, scores and ids of a shape as tensors on a device."""
    parts = shape.y_true, shape.y_score, shape.qid
    return [part if part is None else torch.tensor(part).to(device) for part in parts]


def read(y_true, y_score, qid):
    """Read all inputs once."""
    values = [y_true.sum(), y_score.sum()]
    if qid is not None:
        values.append((qid[1:] != qid[:-1]).any())
    return [value.item() for value in values]


def tasks(data):
    """Return functions of the data by name; those of measures return means."""
    y_true, y_score, qid = data

    def means(names):
        options = {"qid": qid, "replace_undefined_by": 0.0}
        return score_queries(y_true, y_score, names, **options).mean

    measures = {title: partial(means, names) for title, names in MEASURES.items()}
    return {"one read": partial(read, *data), "argsort": y_score.argsort, **measures}


def synchronized(function, device):
    """Return the function, made to wait for all that the device was given."""
    if device.type != "cuda":
        return function

    def call():
        result = function()
        torch.cuda.synchronize(device)
        return result

    return call


def run_shape(shape, device, limit):
    """Print the times of a shape, and return whether all means agree."""
    size = " x ".join(f"{length:,}" for length in shape.y_true.shape)
    n_queries = f", {shape.n_units:,} queries" if shape.qid is not None else ""
    print(f"\n{shape.title}: {size}{n_queries}\n")
    ratio = f"NumPy / {device.type}"
    print(f"{'milliseconds':16}{'NumPy':>10}{device.type:>10}{ratio:>14}")
    data = send(shape, device)
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    agree = True
    of_tensors = tasks(data)
    for name, of_arrays in tasks((shape.y_true, shape.y_score, shape.qid)).items():
        calls = of_arrays, synchronized(of_tensors[name], device)
        expected, ours = (call() for call in calls)
        if isinstance(expected, dict):
            agree &= np.allclose(list(ours.values()), list(expected.values()), 1e-10)
        first, second = (1000 * median(times_of(call, limit)) for call in calls)
        print(f"{name:16}{first:10.2f}{second:10.2f}{first / second:14.2f}")
    if device.type == "cuda":
        beyond = torch.cuda.max_memory_allocated(device) - shape.n_bytes
        print(f"memory beyond the inputs: {beyond >> 20} of {shape.n_bytes >> 20} MiB")
        copy = synchronized(partial(send, shape, device), device)
        print(f"copy of the inputs: {1000 * median(times_of(copy, limit)):.2f}")
    return agree


def device_name(device):
    """Return what the device is."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return "the processor"


def main():
    """Print the machine, then the times of each shape."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cuda", help="cuda, cuda:1, cpu")
    parser.add_argument("--quick", action="store_true", help="take small data")
    parser.add_argument(
        "--limit", type=float, default=3.0, help="seconds for each time"
    )
    options = parser.parse_args()
    device = torch.device(options.device)
    if device.type == "cuda" and not torch.cuda.is_available():
        parser.error(
            "torch finds no CUDA device here; --device cpu times tensors on the "
            "processor."
        )
    facts = machine([]) | {
        "torch": torch.__version__,
        "threads of torch": torch.get_num_threads(),
        "device": device_name(device),
    }
    for name, fact in facts.items():
        print(f"{name}: {fact}")
    agree = [
        run_shape(make_shape(name, options.quick), device, options.limit)
        for name in ("ltr", "dense")
    ]
    if not all(agree):
        print("\nThe means of tensors differ from those of arrays.", file=sys.stderr)
    return 0 if all(agree) else 1


if __name__ == "__main__":
    sys.exit(main())
