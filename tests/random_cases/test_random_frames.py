"""`score_frame` of random tables of every kind: the values of the arrays."""

from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from oracles.cases import TIES, queries_at_once, some_cases
from sklearn_irmetrics import score_frame, score_queries

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
pytestmark = [
    pytest.mark.filterwarnings("ignore:y_true holds fractions"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning"),
]

# Ids that look alike, by number; those of numbers in any column of an Arrow type.
IDS = {
    "int64": lambda i: 2**62 + i,
    "int8": lambda i: i - 64,
    "uint64": lambda i: 2**64 - 1 - i,
    "float64": lambda i: float(np.nextafter(0.3, 1) * 2**i) if i % 2 else 0.3 * 2.0**i,
    "string": lambda i: "a" + "\0" * (i % 3) + " " * (i // 3),
    "large_string": lambda i: ("\u00e9", "e\u0301", "E", "")[i % 4] + "1" * (i // 4),
    "binary": lambda i: b"\0" * i,
    "decimal128(38, 2)": lambda i: Decimal(f"{10**30 + i}.01"),
    "date32": lambda i: date.fromordinal(1 + i),
}
FORMS = {
    "pandas": lambda table, path: table.to_pandas(),
    "polars": lambda table, path: pl.from_arrow(table),
    "arrow": lambda table, path: table,
    "reader": lambda table, path: table.to_reader(max_chunksize=13),
    "lazy": lambda table, path: pl.from_arrow(table).lazy(),
    "parquet": lambda table, path: written(table, path),
}
IN_ANY_ORDER = "pandas", "polars", "arrow"


def written(table, path):
    import pyarrow.parquet as pq

    pq.write_table(table, path / "rows.parquet", row_group_size=17)
    return path / "rows.parquet"


def column_of_ids(kind, numbers):
    type_ = pa.decimal128(38, 2) if kind.startswith("dec") else getattr(pa, kind)()
    return pa.array([IDS[kind](number) for number in numbers.tolist()], type_)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", IDS)
def test_tables_and_arrays(kind, form, seed, tally, tmp_path):
    rng = np.random.default_rng([seed, *map(ord, kind + form)])
    drawn = queries_at_once(rng, rng.integers(1, rng.choice([3, 9, 60]), 20))
    drawn = drawn.scored(np.where(drawn.y_score == 0, 0.0, drawn.y_score))
    if form not in IN_ANY_ORDER:
        by_query = rng.permutation(drawn.n_queries)[drawn.qid]
        drawn = drawn.at(np.argsort(by_query, kind="stable"))
    grades = np.maximum(drawn.y_true, 0)
    weights = rng.choice([0.0, 0.5, 3.0, 1e-90], drawn.n_queries)[drawn.qid]
    columns = {
        "weight": weights,
        "qid": column_of_ids(kind, drawn.qid),
        "grade": pa.array(grades, from_pandas=bool(rng.integers(2))),
        "score": drawn.y_score,
    }
    cases, ties = list(some_cases(rng)), str(rng.choice(TIES))
    if not all(case.rule(ties) or not case.has_ties for case in cases):
        ties = "average"
    measures = [case.measure for case in cases]
    options = {"ties": ties, "replace_undefined_by": 0.25}
    found = score_frame(
        FORMS[form](pa.table(columns), tmp_path),
        measures,
        qid="qid",
        y_true="grade",
        y_score="score",
        sample_weight="weight",
        batch_size=int(rng.choice([1, 10, 100, 2**20])),
        n_jobs=int(rng.choice([1, 2])),
        **options,
    )
    arrays = {"qid": drawn.qid, "sample_weight": weights}
    expected = score_queries(grades, drawn.y_score, measures, **arrays, **options)
    ids = [IDS[kind](number) for number in expected.query_ids.tolist()]
    if kind == "date32":
        ids = np.array(ids, "datetime64[D]").tolist()
    assert found.query_ids.tolist() == ids
    for label, values in expected.scores.items():
        off = abs(found.scores[label] - values)
        tally("tables and arrays", off.size, off.max())
        assert off.max() <= 1e-12, label
        assert found.mean[label] == pytest.approx(expected.mean[label], abs=1e-12)
