"""
Score TREC runs like trec_eval
==============================

Judgments and two runs in TREC files, scored with the conventions of trec_eval and with
the defaults of this package.
"""

# %%
# We make up small files: 25 queries, grades from 0 to 2, and runs of 30 documents with
# rounded scores, so that there are ties. Some judged documents are not retrieved, and
# some retrieved documents were never judged. The second run lacks one query.

import tempfile
from pathlib import Path

import numpy as np

from sklearn_irmetrics import average_precision_score, compare, score_queries
from sklearn_irmetrics.metrics import preset
from sklearn_irmetrics.plot import InterpolatedPrecisionRecallDisplay
from sklearn_irmetrics.runs import align, write_run

rng = np.random.default_rng(0)
folder = Path(tempfile.mkdtemp())
lines, runs = [], {"first": ([], [], []), "second": ([], [], [])}
noise = {"first": 1.0, "second": 0.7}
for query in range(301, 326):
    usefulness = rng.normal(size=60)
    grades = np.digitize(usefulness, [1.0, 2.0])
    for doc in np.flatnonzero(rng.random(60) < 0.7):
        lines.append(f"{query} 0 D{doc:02d} {grades[doc]}\n")
    for name, (qid, docno, score) in runs.items():
        if name == "second" and query == 325:
            continue
        scores = (usefulness + noise[name] * rng.normal(size=60)).round(1)
        for doc in np.argsort(-scores)[:30]:
            qid.append(str(query))
            docno.append(f"D{doc:02d}")
            score.append(scores[doc])
(folder / "qrels").write_text("".join(lines))
for name, run in runs.items():
    write_run(run, folder / name, tag=name)
for name in ("qrels", "first"):
    print("\n".join((folder / name).read_text().splitlines()[:3]))

# %%
# ``align`` joins judgments and run into arrays for any measure, in the order of
# trec_eval.

aligned = {name: align(folder / "qrels", folder / name) for name in runs}
aligned["second"].to_frame().tail(3)

# %%
# The query that is missing from the second run counts as an empty result, as with
# ``trec_eval -c``.

aligned["second"].missing

# %%
# ``preset`` returns trec_eval's conventions as arguments. Here is how much ties matter:

first = aligned["first"]
data = {"y_true": first.y_true, "y_score": first.y_score, "qid": first.qid}
arguments = preset("trec_eval10", "map")
print(arguments)
print(f"as trec_eval           {average_precision_score(**data, **arguments):.4f}")
for ties in ("average", "pessimistic", "optimistic"):
    ap = average_precision_score(**data, **{**arguments, "ties": ties})
    print(f"with ties {ties:12s} {ap:.4f}")

# %%
# The keys are names of trec_eval, the values measures of this package.

names = {
    "map": "map",
    "Rprec": "rprec",
    "bpref": "bpref",
    "recip_rank": "mrr",
    "P_10": "p@10",
    "recall_30": "recall@30",
    "ndcg_cut_10": "ndcg@10",
}
scores = {
    name: score_queries(
        run.y_true,
        run.y_score,
        names,
        qid=run.qid,
        ties="stable",
        replace_undefined_by=0.0,
    )
    for name, run in aligned.items()
}
print(f"{'':12s}" + "".join(f"{name:>10s}" for name in scores))
for label in names:
    means = "".join(f"{result.mean[label]:10.4f}" for result in scores.values())
    print(f"{label:12s}{means}")

# %%
# The second run has the better mean, even though a query is missing. With 25 queries,
# this may be due to chance.

compare(scores, metric="map", random_state=0)

# %%

ax = None
for name, run in aligned.items():
    display = InterpolatedPrecisionRecallDisplay.from_predictions(
        run.y_true,
        run.y_score,
        qid=run.qid,
        name=name,
        ax=ax,
        plot_chance_level=False,
    )
    ax = display.ax_
