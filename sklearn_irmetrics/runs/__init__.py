"""Read, align, score, fuse and write judgments (qrels) and runs (rankings).

``read_qrels`` and ``read_run`` read files of TREC and other formats, ``align`` joins
them into the arrays that every metric takes, ``write_run`` and ``write_qrels`` write
them; ``score_records`` scores logs, with a record for each question. The rules are
those of trec_eval: ids are text, queries are in the byte order of their ids, and
documents are in the order of decreasing score, then decreasing id. The result of
``align`` with ``ties="stable"`` therefore gives trec_eval's numbers.
"""

from sklearn_irmetrics.reports.aligned import AlignedRun
from sklearn_irmetrics.runs._forms import Qrels, Run
from sklearn_irmetrics.runs.agreement import Agreement, agreement
from sklearn_irmetrics.runs.files import read_qrels, read_run, write_qrels, write_run
from sklearn_irmetrics.runs.fusion import fuse_runs
from sklearn_irmetrics.runs.matching import align
from sklearn_irmetrics.runs.pooling import LeaveOneOutPool, leave_one_out_pool, pool
from sklearn_irmetrics.runs.records import score_records
from sklearn_irmetrics.runs.scoring import score_run

__all__ = [
    "Agreement",
    "AlignedRun",
    "LeaveOneOutPool",
    "Qrels",
    "Run",
    "agreement",
    "align",
    "fuse_runs",
    "leave_one_out_pool",
    "pool",
    "read_qrels",
    "read_run",
    "score_records",
    "score_run",
    "write_qrels",
    "write_run",
]
