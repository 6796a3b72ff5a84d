"""The same judgments and runs through every door: one number, or one refusal."""

import gzip
import io
import json
import re
from contextlib import redirect_stderr, redirect_stdout
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from oracles.command import main
from sklearn_irmetrics import score_run
from sklearn_irmetrics.runs import Qrels, Run

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

MEASURES = ["map", "ndcg@3", "judged@2"]
N_SEEDS = 1  # each about a thousand cases
USUAL = {"grade": "relevance", "score": "score"}
NAN = float("nan")


class Row(NamedTuple):
    """A judgment, or a retrieved document."""

    qid: object
    docno: object
    number: object


def by_query(rows):
    queries = {}
    for row in rows:
        queries.setdefault(row.qid, []).append(row)
    return queries


def records_of(rows, key, **names):
    """Return records of documents; None in place of a number leaves the key out."""
    names = {"qid": "query_id", "docno": "doc_id"} | names
    return [
        {
            **{name: getattr(row, role) for role, name in names.items() if name},
            **({} if row.number is None else {key: row.number}),
        }
        for row in rows
    ]


def chunks(rows, key):
    return {
        qid: records_of(rows, key, qid=None, docno="id")
        for qid, rows in by_query(rows).items()
    }


def results(rows, key):
    return [
        {"query_id": qid, "text": "t", "results": records}
        for qid, records in chunks(rows, key).items()
    ]


def columns_of(rows, key):
    return {
        "query_id": [row.qid for row in rows],
        "doc_id": [row.docno for row in rows],
        key: [row.number for row in rows],
    }


def named_tuples(rows, key):
    Named = NamedTuple("Named", [("qid", str), ("docno", str), (key, float)])
    return [Named(*row) for row in rows]


def dict_of(rows, key):
    return {
        qid: {row.docno: row.number for row in rows}
        for qid, rows in by_query(rows).items()
    }


def pairs_of(rows, key):
    return {
        qid: [(row.docno, row.number) for row in rows]
        for qid, rows in by_query(rows).items()
    }


def of_ranx(rows, key):
    name = "run" if key == "score" else "qrels"
    return SimpleNamespace(**{name: None}, to_dict=lambda: dict_of(rows, key))


def held(rows, key):
    make = Run if key == "score" else Qrels
    return make(*map(np.array, columns_of(rows, key).values()))


def arrays(rows, key):
    return tuple(columns_of(rows, key).values())


# Forms in memory: those with names of numbers, and those without.
NAMED = {
    "chunks": chunks,
    "records": records_of,
    "records of queries": results,
    "named tuples": named_tuples,
    "pandas": lambda rows, key: pd.DataFrame(columns_of(rows, key)),
    "polars": lambda rows, key: pl.DataFrame(columns_of(rows, key), strict=False),
    "Arrow": lambda rows, key: pa.table(columns_of(rows, key)),
}
UNNAMED = {
    "dicts": dict_of,
    "pairs": pairs_of,
    "tuples": lambda rows, key: [tuple(row) for row in rows],
    "arrays": arrays,
    "Qrels and Run": held,
    "ranx": of_ranx,
}


def table_text(separator):
    def write(rows, key):
        names = "query_id", "doc_id", key
        lines = [separator.join(map(str, row)) for row in (names, *rows)]
        return "\n".join(lines) + "\n"

    return write


def trec_text(rows, key):
    form = "{} Q0 {} 1 {} tag\n" if key == "score" else "{} 0 {} {}\n"
    return "".join(form.format(*row) for row in rows)


def json_lines(make):
    return lambda rows, key: "\n".join(map(json.dumps, make(rows, key)))


def parquet(rows, key):
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns_of(rows, key)), stream := io.BytesIO())
    return stream.getvalue()


NAMED_FILES = {
    "csv": table_text(","),
    "semicolons": table_text(";"),
    "tsv": table_text("\t"),
    "JSON of chunks": lambda rows, key: json.dumps(chunks(rows, key)),
    "JSON of records": lambda rows, key: json.dumps(records_of(rows, key)),
    "JSON of queries": lambda rows, key: json.dumps(results(rows, key)),
    "lines of records": json_lines(records_of),
    "lines of queries": json_lines(results),
    "Parquet": parquet,
}
UNNAMED_FILES = {
    "TREC": trec_text,
    "JSON": lambda rows, key: json.dumps(dict_of(rows, key)),
    "JSON of pairs": lambda rows, key: json.dumps(pairs_of(rows, key)),
}


def doors(field, key, path):
    """Yield the name of each door, and a function that puts rows in it."""
    named = key != USUAL[field]
    for name, make in (NAMED if named else NAMED | UNNAMED).items():
        yield name, lambda rows, make=make: make(rows, key)

    def content(make, rows):
        text = make(rows, key)
        return text if isinstance(text, bytes) else text.encode()

    for name, make in (NAMED_FILES if named else NAMED_FILES | UNNAMED_FILES).items():
        yield f"{name}, binary", lambda rows, make=make: io.BytesIO(content(make, rows))
        if make is not parquet:
            yield f"{name}, text", lambda rows, make=make: io.StringIO(make(rows, key))

        def write(rows, make=make):
            path.write_bytes(content(make, rows))
            return path

        def write_packed(rows, make=make):
            path.write_bytes(gzip.compress(content(make, rows)))
            return str(path)

        yield f"{name}, path", write
        yield f"{name}, gzip", write_packed


def in_shell(files, columns):
    """Return the means that the command line prints, or its error."""
    words = ["score", *map(str, files), "-f", "json"]
    words += [word for name in MEASURES for word in ("-m", name)]
    words += [word for pair in columns.items() for word in ("--column", "=".join(pair))]
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(words)
    if status == 0:
        return json.loads(out.getvalue())[0]["scores"]
    return next(line for line in err.getvalue().splitlines() if ": error: " in line)


def outcome(qrels, run, columns):
    """Return the means, or the error."""
    try:
        return score_run(qrels, run, MEASURES, columns=columns).mean
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def random_data(rng):
    """Return judgments and a run of some queries, with ties and unjudged documents."""
    qrels, run = [], []
    for query in range(rng.integers(2, 5)):
        for docno in rng.permutation(9)[: rng.integers(2, 7)]:
            grade = 1 if not len(qrels) else int(rng.integers(0, 3))
            qrels.append(Row(f"q{query}", f"d{docno}", grade))
        listed = {qrels[-1].docno, *(f"d{one}" for one in rng.permutation(9)[:5])}
        scores = rng.choice([-1.5, 0, 0.25, 3], len(listed)).tolist()
        for docno, score in zip(sorted(listed), scores, strict=True):
            run.append(Row(f"q{query}", docno, score))
    return {"grade": qrels, "score": run}


def change(rows, **parts):
    """Return rows of which the first has other parts."""
    return [rows[0]._replace(**parts), *rows[1:]]


# What is wrong, by the change of the rows and what every refusal of it says.
FAULTS = {
    "nothing": (lambda rows: rows, None),
    "not a number": (
        lambda rows: change(rows, number=NAN),
        "must (not be NaN|be finite|be a (finite )?number)",
    ),
    "text": (
        lambda rows: change(rows, number="many"),
        "must hold real numbers|must be a (finite )?number|got .'d.', 'many'",
    ),
    "a document twice": (
        lambda rows: [*rows, rows[0]],
        "expected each document once per query; got document 'd",
    ),
    "other queries": (
        lambda rows: [row._replace(qid=f"x{row.qid}") for row in rows],
        "must have a query in common",
    ),
    "parts of documents": (
        lambda rows: [row._replace(docno=f"{row.docno}#0") for row in rows],
        r"no document in common .* If the.*docno",
    ),
    "a number that lacks": (
        lambda rows: change(rows, number=None),
        "all have a|same keys|record with the keys|real numbers|must (not be NaN|be )",
    ),
}
# Dicts have each document once, and columns of these tables have one type.
CANNOT = {
    "a document twice": ("dicts", "ranx", "JSON,"),
    "text": ("polars", "Arrow", "Parquet", "Qrels"),
    "a number that lacks": ("polars", "Arrow", "Qrels"),
}
OTHER = ["gain", "similarity", "_score", "is_relevant"]


def pass_through(door, field, rows, other, columns, path):
    """Return the outcome of a door, by the command line too if it is a file."""
    name, put = door
    other_field = "grade" if field == "score" else "score"
    pair = {field: put(rows), other_field: dict_of(other, "")}
    yield name, outcome(pair["grade"], pair["score"], columns)
    if "path" in name:
        (plain := path.with_name("other")).write_text(json.dumps(dict_of(other, "")))
        files = {field: path, other_field: plain}
        yield (
            f"{name}, shell",
            in_shell([files["grade"], files["score"]], columns or {}),
        )


@pytest.mark.parametrize("seed", range(N_SEEDS))
@pytest.mark.parametrize("field", USUAL)
@pytest.mark.parametrize("fault", FAULTS)
def test_every_door_gives_one_number_or_one_refusal(fault, field, seed, tmp_path):
    data = random_data(np.random.default_rng(seed))
    spoil, message = FAULTS[fault]
    wanted = score_run(*(dict_of(data[one], "") for one in USUAL), MEASURES).mean
    other = data["grade" if field == "score" else "score"]
    for door in doors(field, USUAL[field], path := tmp_path / "file"):
        if f"{door[0]},".startswith(CANNOT.get(fault, ())):
            continue
        rows = spoil(data[field])
        for name, found in pass_through(door, field, rows, other, None, path):
            check(found, wanted, message, name)


@pytest.mark.parametrize("seed", range(N_SEEDS))
@pytest.mark.parametrize("field", USUAL)
@pytest.mark.parametrize("key", OTHER)
def test_every_door_refuses_numbers_of_other_names(key, field, seed, tmp_path):
    data = random_data(np.random.default_rng(seed))
    wanted = score_run(*(dict_of(data[one], "") for one in USUAL), MEASURES).mean
    other = data["grade" if field == "score" else "score"]
    named = re.escape(f"columns={{{field!r}: {key!r}}}")
    refusal = f"must have a column '.*'{key}'.*({named}|--column {field}={key})"
    for door in doors(field, key, path := tmp_path / "file"):
        if door[0] == "named tuples" and key.startswith("_"):
            continue  # Python has no such fields
        for columns, message in (None, refusal), ({field: key}, None):
            rows = data[field]
            for name, found in pass_through(door, field, rows, other, columns, path):
                check(found, wanted, message, name)


def check(found, wanted, message, name):
    """Compare an outcome with the means, or with the message of a refusal."""
    if message is None:
        assert found == pytest.approx(wanted, abs=1e-12), name
    else:
        assert isinstance(found, str), (name, found)
        assert re.search(message, found), (name, found)
