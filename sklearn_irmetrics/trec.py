"""Read, align and write the files of TREC: qrels (judgments) and runs (rankings).

``read_qrels`` and ``read_run`` read the files, ``align`` joins them into the arrays
that every metric takes, ``write_run`` and ``write_qrels`` write them. The rules are
those of trec_eval: ids are text, queries come in the byte order of their ids, documents
by decreasing score and, where scores are equal, by decreasing id. So the result of
``align`` with ``ties="stable"`` gives trec_eval's numbers.
"""

from sklearn_irmetrics.runs import (
    AlignedRun,
    Qrels,
    Run,
    align,
    read_qrels,
    read_run,
    write_qrels,
    write_run,
)

__all__ = [
    "AlignedRun",
    "Qrels",
    "Run",
    "align",
    "read_qrels",
    "read_run",
    "write_qrels",
    "write_run",
]
