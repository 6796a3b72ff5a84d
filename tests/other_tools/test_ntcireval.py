"""The expected values of pyNTCIREVAL: one graded topic, four ways of evaluating it."""

import numpy as np
import pytest

import sklearn_irmetrics

LINEAR = {"L0": 0.0, "L1": 1.0, "L2": 2.0, "L3": 3.0}
SQUARE = {"L0": 0.0, "L1": 1.0, "L2": 4.0, "L3": 9.0}
ATTAINABLE = {"denominator": "attainable"}
ORIGINAL = {"discount": "jarvelin_kekalainen"}

# pyNTCIREVAL's name, our function and options; {top} is the gain of the highest level.
OVERALL = {
    "RR": ("reciprocal_rank_score", {}),
    "AP": ("average_precision_score", {}),
    "Q-measure": ("q_measure_score", {}),
    "RBP": ("rank_biased_precision_score", {"persistence": 0.95, "max_grade": "top"}),
    "ERR": ("expected_reciprocal_rank_score", {"gain": "linear", "max_grade": "top"}),
}
AT_CUTOFF = {
    "AP": ("average_precision_score", ATTAINABLE),
    "Q": ("q_measure_score", ATTAINABLE),
    "nDCG": ("ndcg_score", ORIGINAL),
    "MSnDCG": ("ndcg_score", {}),
    "P": ("precision_at_k_score", {}),
    "Hit": ("success_at_k_score", {}),
}
# The file, of which labels, gains and cutoff, and whether of judged documents only.
FILES = [
    ("res_test_compute.txt", "sample.lab", LINEAR, 1000, False),
    ("res_test_compute_cutoff.txt", "sample.lab", LINEAR, 2, False),
    ("res_test_compute_grade.txt", "sample.lab", SQUARE, 1000, False),
    # The condensed list: the file of labels lists judged documents only.
    ("res_test_compute_label_j.txt", "sample-j.lab", LINEAR, 1000, False),
    ("res_test_compute_label_j.txt", "sample.lab", LINEAR, 1000, True),
]


def read_pairs(path):
    """Read lines of a document and its level, None where it has none."""
    lines = path.read_text().splitlines()
    return {fields[0]: (fields + [None])[1] for fields in map(str.split, lines)}


@pytest.fixture
def topic(shared_data):
    def read(labels, gains):
        folder = shared_data("pyNTCIREVAL/tests/dat")
        retrieved = list(read_pairs(folder / labels))
        level = read_pairs(folder / "sample.rel")
        documents = retrieved + [doc for doc in level if doc not in retrieved]
        y_true = [gains[level[doc]] if doc in level else np.nan for doc in documents]
        y_score = np.full(len(documents), -np.inf)
        y_score[: len(retrieved)] = -np.arange(1.0, len(retrieved) + 1)
        return y_true, y_score

    return read


def expected_values(path):
    lines = [line.split("=") for line in path.read_text().splitlines()]
    return {
        line[0].strip(): float(line[1])
        for line in lines
        if len(line) == 2 and "#" not in line[0]
    }


def measures(top, k):
    for name, (function, options) in OVERALL.items():
        yield (
            name,
            function,
            {key: top if value == "top" else value for key, value in options.items()},
        )
    for name, (function, options) in AT_CUTOFF.items():
        yield f"{name}@{k:04d}", function, options | {"k": k}


@pytest.mark.parametrize(("file", "labels", "gains", "k", "judged_only"), FILES)
def test_expected_values(topic, shared_data, file, labels, gains, k, judged_only):
    expected = expected_values(shared_data("pyNTCIREVAL/tests/dat") / file)
    arrays = topic(labels, gains)
    for name, function, options in measures(gains["L3"], k):
        measure = getattr(sklearn_irmetrics, function)
        ours = measure(*arrays, judged_only=judged_only, **options)
        assert ours == pytest.approx(expected[name], abs=5.1e-5), name
