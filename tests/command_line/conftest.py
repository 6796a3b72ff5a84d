import json

import numpy as np
import pytest

from oracles.typed_queries import TYPES


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Judgments with a column of types, two runs, and types in files of their own."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    judged, lines, runs = ["qid,docno,grade,type"], [], {"one": [], "two": []}
    for qid, kind in TYPES.items():
        for doc in range(12):
            grade = int(rng.integers(3))
            judged.append(f"{qid},d{doc},{grade},{kind}")
            lines.append(f"{qid} 0 d{doc} {grade}")
            for name, noise in ("one", 0.5), ("two", 2):
                score = float(np.round(grade + rng.normal() * noise, 3))
                runs[name].append(f"{qid} Q0 d{doc} 0 {score} {name}")
    queries = [f"{qid}\tsome text\t{kind}" for qid, kind in TYPES.items()]
    texts = {
        "qrels.csv": judged,
        "qrels.txt": lines,
        "other.txt": [line[:-1] + str(int(line[-1]) // 2) for line in lines],
        "one.run": runs["one"],
        "two.run": runs["two"],
        "types.csv": ["qid,type", *(f"{q},{kind}" for q, kind in TYPES.items())],
        "types.txt": [f"{qid} {kind}" for qid, kind in TYPES.items()],
        "queries.tsv": ["query_id\ttext\ttype", *queries],
        "types.json": [json.dumps(TYPES)],
        "types.jsonl": [
            json.dumps({"qid": qid, "type": kind}) for qid, kind in TYPES.items()
        ],
    }
    for name, rows in texts.items():
        (tmp_path / name).write_text("\n".join(rows) + "\n")
    return tmp_path
