"""Columns become the bytes of a file, in the format that its name promises."""

import csv
import io
import json
import os

from sklearn_irmetrics.runs._files import BY_SUFFIX, split_name
from sklearn_irmetrics.runs._lines import encode

_BY_SUFFIX = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
}
# What others write, so that a name with it would promise what is not there.
_NOT_WRITTEN = {".feather", ".arrow", ".orc", ".avro", ".xlsx", ".xls", ".h5", ".hdf5"}
_NOT_WRITTEN |= {".pkl", ".pickle", ".npz", ".npy", ".xml", ".yaml", ".yml", ".html"}
_NOT_WRITTEN |= {".zip", ".7z", ".rar", ".tar", ".tgz", ".tbz2", ".txz", ".z", ".lz4"}
_NOT_WRITTEN |= {".lz", ".lzma", ".br", ".sz", ".zstd"}
_BEIR = {"qid": "query-id", "docno": "corpus-id", "grade": "score"}


def format_of_name(path):
    """Return the format that the name of a file promises, "trec" by default.

    Raises
    ------
    ValueError
        If it promises what cannot be written.
    """
    stem, compression = split_name(path)
    suffix = os.path.splitext(stem)[1].lower()
    if suffix in _NOT_WRITTEN:
        raise ValueError(
            "path must not have the suffix of a format or compression other than "
            f"{', '.join([*_BY_SUFFIX, *BY_SUFFIX])} and those of TREC; got "
            f"{os.path.basename(os.fsdecode(path))!r}."
        )
    found = _BY_SUFFIX.get(suffix, "trec")
    if found == "parquet" and compression:
        raise ValueError(
            f"path must not name compressed Parquet, which is already; got {stem!r}."
        )
    return found


def lay_out(kind, columns):
    """Return columns as the bytes of a file that is not of TREC.

    Parameters
    ----------
    kind : {"json", "jsonl", "csv", "tsv", "parquet"}
        The format.
    columns : dict of str to list
        Query ids, subtopics where there are any, document ids and numbers.
    """
    if kind == "parquet":
        return _parquet(columns)
    rows = zip(*columns.values(), strict=True)
    if kind in ("json", "jsonl"):
        queries = {}
        for qid, *topic, docno, number in rows:
            inside = queries.setdefault(qid, {})
            for name in topic:
                inside = inside.setdefault(name, {})
            inside[docno] = number
        dicts = [queries] if kind == "json" else [{q: d} for q, d in queries.items()]
        return "".join([json.dumps(one) + "\n" for one in dicts]).encode()
    if kind == "csv":
        text = io.StringIO()
        # Only what ends lines has quotes: "\r" in an id needs them too.
        writer = csv.writer(text, lineterminator="\r\n")
        writer.writerow(columns)
        writer.writerows(rows)
        return encode(text.getvalue())
    header = [_BEIR.get(name, name) for name in columns]
    lines = ["\t".join(map(str, row)) for row in (header, *rows)]
    for line in lines:
        if line.count("\t") != len(header) - 1 or set(line) & {"\n", "\r", "\0"}:
            raise ValueError(
                f"ids must not hold tabs, ends of lines or NUL for .tsv; got {line!r}."
            )
    return encode("".join([line + "\n" for line in lines]))


def _parquet(columns):
    try:
        import pyarrow as pa
        from pyarrow.parquet import write_table
    except ImportError as error:
        raise ImportError("path names a Parquet file, which needs pyarrow.") from error
    file = io.BytesIO()
    try:
        *_, value = columns  # of grades some are whole numbers
        table = columns | {value: [*map(float, columns[value])]}
        write_table(pa.table(table), file)
    except UnicodeEncodeError as error:
        raise ValueError(
            f"ids must be valid UTF-8 for Parquet; got {error.object!r}."
        ) from error
    return file.getvalue()
