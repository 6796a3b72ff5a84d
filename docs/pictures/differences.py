"""Two systems, query by query: scores that vary, and differences that vary less."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_irmetrics import compare, score_queries
from sklearn_irmetrics.datasets import make_ranking

_, grades, qid, score = make_ranking(40, (20, 40), return_score=True, random_state=0)
noise = np.random.default_rng(0).normal(size=len(score))
scores = {
    "old": score_queries(grades, score + noise, "ndcg@10", qid=qid),
    "new": score_queries(grades, score + 0.8 * noise, "ndcg@10", qid=qid),
}
old, new = (scores[name].scores["ndcg@10"] for name in scores)
comparison = compare(scores, baseline="old", random_state=0)
low, high = comparison.confidence_interval[0]

_, (top, bottom) = plt.subplots(2, 1, figsize=(5.6, 5.8))
# The same order of queries for both systems, and in both panels.
order = np.argsort(old - new)
places = np.arange(len(order))
for name, values, marker in (("old", old, "o"), ("new", new, "D")):
    top.plot(places, values[order], marker, markersize=4, label=name)
top.vlines(places, old[order], new[order], color="grey", linewidth=0.8, zorder=0)
top.set(xlabel="Queries, by difference", ylabel="nDCG@10", ylim=(0, 1.05))
top.legend()
bottom.bar(places, (new - old)[order])
bottom.axhspan(low, high, color="C1", alpha=0.3, label="95 % interval of the mean")
bottom.axhline(comparison.estimate[0], color="C1", label="mean difference")
bottom.set(xlabel="Queries, by difference", ylabel="Difference, new − old")
bottom.legend()
