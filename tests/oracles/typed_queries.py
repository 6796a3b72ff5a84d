"""Queries of two types, and what commands print of them."""

import io
import json

import pytest

from sklearn_irmetrics import score_run

MEASURES = ["ndcg@10", "map"]
WITH_MEASURES = " ".join(f"-m {name}" for name in MEASURES)
TYPES = {f"q{i}": "how" if i % 3 else "what" for i in range(12)}


def scores(*names):
    """Return the scores of runs by name."""
    return score_run("qrels.txt", {name: f"{name}.run" for name in names}, MEASURES)


def read_csv(text):
    """Return the rows of CSV, with NaN for empty cells."""
    pd = pytest.importorskip("pandas")
    return pd.read_csv(io.StringIO(text))


def assert_data(out, words, frame):
    """Check the CSV and JSON of a command against a data frame of the library."""
    pd = pytest.importorskip("pandas")
    if any(frame.index.names):
        frame = frame.reset_index()
    wanted = frame.to_dict("list")
    as_csv = read_csv(out(f"{words} -f csv"))
    as_json = pd.DataFrame(json.loads(out(f"{words} -f json")))
    for found in as_csv, as_json:
        assert [name for name in found if name in wanted] == list(wanted)
        for name, values in wanted.items():
            assert same(found[name].tolist(), values), name


def same(found, wanted):
    """Whether values are equal, up to what pandas rounds where it reads CSV."""
    known = [None if value != value else value for value in wanted]
    got = [None if value != value else value for value in found]
    return got == [
        pytest.approx(value, rel=1e-14) if isinstance(value, float) else value
        for value in known
    ]
