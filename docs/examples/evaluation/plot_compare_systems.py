"""
Find out which system is better
===============================

Five systems answer the same queries. Some of their differences are real and some are
due to chance, and the more pairs are compared, the more false alarms there are.
"""

# %%
# The systems are simulated, so that we know how good they are: each ranks by the true
# usefulness of the documents plus some noise. The first two are equally good.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_irmetrics import compare, ranking_report, score_queries
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.plot import EvaluationDisplay, QueryDifferenceDisplay

_, y, qid, usefulness = make_ranking(
    n_queries=50, n_docs=(20, 60), noise=0.5, return_score=True, random_state=0
)
rng = np.random.default_rng(0)
noise = {"baseline": 1.0, "equal": 1.0, "better": 0.8, "best": 0.5, "worse": 1.2}
runs = {
    name: usefulness + scale * rng.normal(size=len(y)) for name, scale in noise.items()
}
scores = {name: score_queries(y, run, "ndcg@10", qid=qid) for name, run in runs.items()}

# %%
# The intervals of the systems overlap, because some queries are harder than others.
# This does not mean that the systems are equally good.

report = ranking_report(y, runs, qid=qid, metrics="ndcg@10", chance=False)
_ = report.plot()

# %%
# Query by query, the difficulty cancels out, and ``compare`` tests the differences. The
# system that is as good as the baseline has a p-value below 0.05: a false alarm, which
# the adjustment for four comparisons corrects. The slightly better and the slightly
# worse system cannot be told from the baseline either: 50 queries are too few.

comparison = compare(scores, baseline="baseline", random_state=0)
comparison

# %%

_ = EvaluationDisplay.from_results(comparison)

# %%
# All ten pairs at once. The intervals hold for all of them simultaneously.

compare(scores, test="tukey", random_state=0)

# %%
# The mean hides which system wins on which queries.

_, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for ax, name in zip(axes, ["equal", "best"], strict=True):
    QueryDifferenceDisplay.from_predictions(
        y,
        runs[name],
        baseline=runs["baseline"],
        metric="ndcg@10",
        qid=qid,
        name=name,
        baseline_name="baseline",
        ax=ax,
    )

# %%
# ``to_latex()`` writes the table for a paper, with an asterisk at significant
# differences.

# sphinx_gallery_thumbnail_number = 2
print(comparison.to_latex())
