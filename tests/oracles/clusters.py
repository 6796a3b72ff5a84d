"""Rows of queries for clusters, and what every cluster must make of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from oracles.frames import COLUMNS, check_summary, make_frame
from sklearn_irmetrics.exceptions import FractionalGradesWarning
from sklearn_irmetrics.frames import score_frame, summarize_frame

pytest.importorskip("pandas")

MEASURES = ["ndcg@10", "map", "gmap", "f(average='micro')@5", "rbp(max_grade=3)"]
GRADES = make_frame().dropna(subset="grade").reset_index(drop=True)
# For every kind of cluster: measures, and what `score_frame` is told of them.
CASES = {
    "weights": (MEASURES, {"sample_weight": "weight"}),
    "marks": ("novelty", {"marks": {"known": "seen"}}),
    "subtopics": (["alpha_ndcg@3", "ndcg@3"], {"y_true": ["grade", "other"]}),
}
cases = pytest.mark.parametrize("case", CASES)
COUNTRIES = np.array(["uk", "de", None], dtype=object)
SUMS = {**COLUMNS, "sample_weight": "weight"}
LAZY = {**COLUMNS, "by": "country"}
functions = pytest.mark.parametrize("function", [score_frame, summarize_frame])
undefined = pytest.mark.filterwarnings("ignore:.* undefined in")


def with_countries(frame):
    country = COUNTRIES[frame["query"] % 3]
    region = [name or "fr" for name in country]
    return frame.assign(country=country, region=region)


def check_sums(table, frame):
    """Compare what a cluster sums up with the scores of the same DataFrame."""
    found = summarize_frame(table, MEASURES, **SUMS)
    want = score_frame(frame, MEASURES, **COLUMNS, sample_weight="weight")
    check_summary(found, want)
    found = summarize_frame(table, "map", **SUMS, by="region").mean
    want = summarize_frame(frame, "map", **SUMS, by="region").mean
    assert set(found) == set(want) == {("map", name) for name in ("uk", "de", "fr")}
    for key, mean in want.items():
        assert_allclose(found[key], mean, rtol=1e-12)
    with pytest.raises(Exception, match="doc must name each document of a query once"):
        summarize_frame(table, "map", **SUMS, doc="seen")


def check_doubts(table):
    """Check that grades that look like scores are warned of once."""
    for function in (score_frame, summarize_frame):
        with pytest.warns(FractionalGradesWarning, match="all above 0") as caught:
            function(table, "map", **COLUMNS)
        assert [one.category for one in caught].count(FractionalGradesWarning) == 1


def check_lazy(found, frame):
    """Compare a pandas DataFrame of scores of queries with those of the same rows."""
    want = score_frame(frame, MEASURES, **COLUMNS)
    assert list(found.columns) == ["query", "country", *MEASURES]
    found = found.set_index("query").loc[want.query_ids]
    for label in MEASURES:
        assert_allclose(found[label], want.scores[label], rtol=1e-12)
    first = frame.drop_duplicates("query").set_index("query")["country"]
    assert found["country"].fillna("").tolist() == first.fillna("").tolist()
