"""How the time of every measure grows with the documents of one tie group.

Run ``python benchmarks/tie_scaling.py``; ``--measure``, ``--ties`` and ``--largest``
choose, ``--steep 1.3`` prints only what grows faster than that. All documents of one
query share a score. Their grades are 0 and 1, the same with half of the documents not
judged, or all different. The slope is that of the logarithms: 1 for a time that doubles
with the number of documents, 2 for one that is four times as long.
"""

import argparse
import warnings
from functools import partial

import numpy as np
from measuring import times_of

from sklearn_irmetrics.metrics._registry import METRICS

SIZES = [1000, 2000, 4000, 8000, 16_000]
LIMIT = 0.3  # seconds to measure one time
REQUIRED = {"recall_level": [0.5], "n_expected": [1, 100]}


def make_grades(n_documents):
    """Return grades by name, 4 at most."""
    rng = np.random.default_rng(0)
    two = (rng.random(n_documents) < 0.1) * 1.0
    return {
        "two": two,
        "half unjudged": np.where(rng.random(n_documents) < 0.5, two, np.nan),
        "different": rng.permutation(n_documents) / n_documents * 4.0,
    }


def settings(row):
    """Return the settings of a measure that take different paths, by what is shown."""
    parameters = row.parameters
    cases = [{}]
    for name, values in REQUIRED.items():
        if name in parameters:
            cases = [{name: value} for value in values]
    for name in ("denominator", "variant"):
        if name in parameters:
            values = {"denominator": ["relevant", "retrieved"], "variant": ["a", "b"]}
            if parameters[name] == "ext":  # of rank-biased overlap
                values["variant"] = ["ext", "residual"]
            cases = [case | {name: value} for case in cases for value in values[name]]
    if "k" in parameters:
        cases = [case | {"k": k} for case in cases for k in (10, None)]
        if "denominator" in parameters:  # a cutoff deep inside the group
            cases += [{"denominator": "retrieved", "k": 500}]
    return cases


def marks(row, n_documents):
    """Return what a measure takes for each document."""
    marked = np.arange(n_documents) % 2 == 0
    return {name: marked for name in ("known", "pooled") if name in row.takes}


def growth(row, case, kind, ties, sizes):
    """Return the least time at each size."""
    options = case | ({"ties": ties} if row.ranks else {})
    seconds = []
    for n_documents in sizes:
        call = partial(
            row.function,
            make_grades(n_documents)[kind],
            np.zeros(n_documents),
            **options,
            **marks(row, n_documents),
        )
        seconds.append(min(times_of(call, LIMIT)))
    return seconds


def slope(sizes, seconds):
    """Return the exponent of the growth."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def main():
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--measure", nargs="+", default=None, metavar="NAME")
    parser.add_argument("--ties", nargs="+", default=["average"])
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--steep", type=float, default=-np.inf, metavar="SLOPE")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # undefined values
    sizes = [size for size in SIZES if size <= arguments.largest]
    print("measure | grades | ties |", " | ".join(map(str, sizes)), "| slope")
    rows = {
        row.function: (name, row)
        for name, row in METRICS.items()
        if row.kind == "ranking" and not row.subtopics
    }
    for name, row in rows.values():
        if arguments.measure and name not in arguments.measure:
            continue
        for case in settings(row):
            for kind in make_grades(1):
                for ties in arguments.ties if row.ranks else ["-"]:
                    cut = "retrieved" in case.values() and case.get("k") is not None
                    if cut and ties in ("optimistic", "pessimistic"):
                        continue  # refused
                    seconds = growth(row, case, kind, ties, sizes)
                    exponent = slope(sizes, seconds)
                    if exponent < arguments.steep:
                        continue
                    shown = ",".join(f"{key}={value}" for key, value in case.items())
                    times = " | ".join(f"{1e3 * time:.1f}" for time in seconds)
                    print(
                        f"{name}({shown}) | {kind} | {ties} | {times} | {exponent:.2f}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
