"""Two systems, query by query: scores that vary, and differences that vary less."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_irmetrics import score_queries
from sklearn_irmetrics.datasets import make_ranking
from sklearn_irmetrics.model_selection import compare

_, grades, qid, score = make_ranking(40, (20, 40), return_score=True, random_state=0)
noise = np.random.default_rng(0).normal(size=len(score))
scores = {
    "old": score_queries(grades, score + noise, "ndcg@10", qid=qid),
    "new": score_queries(grades, score + 0.8 * noise, "ndcg@10", qid=qid),
}
old, new = (scores[name].scores["ndcg@10"] for name in scores)
found = compare(scores, baseline="old", random_state=0)
low, high = found.confidence_interval[0]

_, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6))
for name, values, marker in (("old", old, "o"), ("new", new, "D")):
    left.plot(np.sort(values)[::-1], marker, markersize=4, label=name)
left.set(xlabel="Queries, best first", ylabel="nDCG@10", ylim=(0, 1.05))
left.legend()
right.bar(np.arange(len(old)), np.sort(new - old)[::-1])
right.axhspan(low, high, color="C1", alpha=0.3, label="95 % interval of the mean")
right.axhline(found.difference[0], color="C1", label="mean difference")
right.set(xlabel="Queries, best first", ylabel="Difference in nDCG@10, new − old")
right.legend()
