"""Judgments and runs: read, aligned into arrays, written (`sklearn_irmetrics.trec`)."""

from sklearn_irmetrics.runs._align import align
from sklearn_irmetrics.runs._forms import AlignedRun, Qrels, Run
from sklearn_irmetrics.runs._fuse import fuse_runs
from sklearn_irmetrics.runs._read import read_qrels, read_run
from sklearn_irmetrics.runs._score_run import score_run
from sklearn_irmetrics.runs._write import write_qrels, write_run

__all__ = [
    "AlignedRun",
    "Qrels",
    "Run",
    "align",
    "fuse_runs",
    "read_qrels",
    "read_run",
    "score_run",
    "write_qrels",
    "write_run",
]
