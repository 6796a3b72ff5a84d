"""Tables with rows of queries, and the numbers that arrays of the same rows have."""

import warnings

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_irmetrics import score_queries
from sklearn_irmetrics.frames import score_frame
from sklearn_irmetrics.streaming import ScoreSummary

COLUMNS = {"qid": "query", "y_true": "grade", "y_score": "score"}


def make_frame(seed=0, n_queries=60):
    """Rows of queries of 1 to 40 documents, the last one longer, ids in no order."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    lengths = np.append(rng.integers(1, 40, n_queries), 150)
    n_rows = int(lengths.sum())
    grades = rng.integers(0, 4, n_rows).astype(np.float64)
    grades[rng.random(n_rows) < 0.1] = np.nan
    scores = np.round(rng.normal(size=n_rows), 1)
    scores[rng.random(n_rows) < 0.1] = -np.inf
    return pd.DataFrame(
        {
            "unused": ["text"] * n_rows,
            "query": np.repeat(rng.permutation(n_queries + 1), lengths),
            "score": scores,
            "grade": grades,
            "weight": np.repeat(rng.integers(0, 3, n_queries + 1), lengths),
            "retrieved": rng.integers(0, 2, n_rows) > 0,
            "seen": np.arange(n_rows) % 3 == 0,
            "other": (np.arange(n_rows) % 4 == 0).astype(np.int8),
        }
    )


def as_arrow(frame):
    """Return a pandas DataFrame as a table of PyArrow."""
    import pyarrow

    return pyarrow.Table.from_pandas(frame, preserve_index=False)


def as_stream(frame, n_rows=10):
    """Return a pandas DataFrame as a stream of batches of so many rows."""
    return as_arrow(frame).to_reader(max_chunksize=n_rows)


def shuffled(frame):
    return frame.sample(frac=1, random_state=0).reset_index(drop=True)


def score_arrays(frame, metrics, *, sample_weight=None, marks=None, **options):
    """Return what `score_queries` makes of the columns of a pandas DataFrame."""
    options = {**COLUMNS, **options}
    qid, y_true, y_score = (frame[options.pop(name)] for name in COLUMNS)
    for of_frames in ("batch_size", "n_jobs"):
        options.pop(of_frames, None)
    if sample_weight is not None:
        options["sample_weight"] = frame[sample_weight]
    if marks is not None:
        options["marks"] = {name: frame[column] for name, column in marks.items()}
    return score_queries(y_true.to_numpy(), y_score, metrics, qid=qid, **options)


def check_frame(table, frame, metrics, **options):
    """Compare `score_frame` of a table with `score_queries` of the same DataFrame."""
    options = {**COLUMNS, "replace_undefined_by": 1.0, **options}
    got = score_frame(table, metrics, **options)
    want = score_arrays(frame, metrics, **options)
    assert_array_equal(got.query_ids, want.query_ids)
    assert list(got.scores) == list(got.mean) == list(want.scores)
    for label in want.scores:
        assert_allclose(got.scores[label], want.scores[label], rtol=0, atol=1e-12)
        assert_allclose(got.mean[label], want.mean[label], rtol=1e-12, atol=0)
    return got


def check_summary(found, want):
    """Compare a `ScoreSummary` with the `QueryScores` of the same rows."""
    assert isinstance(found, ScoreSummary)
    assert found.n_defined == want.n_defined
    for label, mean in want.mean.items():
        assert_allclose(found.mean[label], mean, rtol=1e-12, atol=0)
        ends = want.interval(label)
        assert_allclose(found.interval(label), ends, rtol=0, atol=1e-9)


def check_warnings(table, frame, metrics, kind=Warning, **options):
    """Compare what is warned of a table with what is warned of the same DataFrame."""
    texts = []
    for function, data in ((score_frame, table), (score_arrays, frame)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function(data, metrics, **{**COLUMNS, **options})
        caught = [one for one in caught if issubclass(one.category, kind)]
        assert function is score_arrays or {w.filename for w in caught} <= {__file__}
        texts.append([str(one.message) for one in caught])
    assert texts[0] == texts[1]
    return texts[0]
