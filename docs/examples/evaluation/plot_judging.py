"""
Combine judgments by people and by models
=========================================

A language model has graded all documents, and people label a random sample of queries.
How many must they label, and how much do the model's grades help?
"""

# %%
# The simulated judge is based on real data: how often NIST's assessors (rows) and a
# language model (columns) gave the grades 0 to 3 to the same passages of TREC Deep
# Learning 2023 (data: LLMJudge, https://github.com/llm4eval/LLMJudge). We draw queries
# with such grades and let the judge make errors at the same rates.

import matplotlib.pyplot as plt
import numpy as np

from sklearn_irmetrics import score_queries
from sklearn_irmetrics.judging import compare_judged, score_judged

pairs = np.array(
    [[1521, 369, 88, 27], [579, 457, 157, 40], [189, 280, 270, 69], [46, 125, 93, 113]]
)
n_queries, n_documents = 400, 40
rng = np.random.default_rng(3)
shares = rng.dirichlet(6 * pairs.sum(axis=1) / pairs.sum(), size=n_queries)
truth = np.array([rng.choice(4, size=n_documents, p=share) for share in shares])
chances = pairs / pairs.sum(axis=1, keepdims=True)
y_judge = np.array([rng.choice(4, p=chances[grade]) for grade in truth.ravel()])
y_judge = y_judge.reshape(truth.shape)
y_score = truth + rng.normal(scale=2, size=truth.shape)

# %%
# The more queries people label, the closer the estimate comes to the truth. The judge
# alone is precise but wrong. ``effective_labels`` is the number of queries that people
# would have to label to get an interval of the same width without the judge.

metric = "p(relevance_threshold=2)@10"
order = rng.permutation(n_queries)
sizes = np.array([10, 20, 40, 80, 160])
results = []
for size in sizes:
    y_true = np.full(truth.shape, np.nan)
    y_true[order[:size]] = truth[order[:size]]
    results.append(score_judged(y_true, y_judge, y_score, metric))
estimates = np.array([result.estimate[metric] for result in results])
low, high = np.array([result.confidence_interval[metric] for result in results]).T

fig, ax = plt.subplots(layout="constrained")
ax.errorbar(
    sizes,
    estimates,
    [estimates - low, high - estimates],
    fmt="o",
    capsize=3,
    label="both, with 95 % interval",
)
ax.axhline(
    score_queries(truth, y_score, metric).mean[metric], color="black", label="truth"
)
judge = results[0].judge[metric]
ax.axhline(judge, color="C1", linestyle="--", label="the judge alone")
ax.set(xscale="log", xlabel="Queries labelled by people", ylabel="P@10")
ax.set_xticks(sizes, sizes)
ax.minorticks_off()
ax.legend()
for size, result in zip(sizes, results, strict=True):
    effective = result.effective_labels[metric]
    print(f"{size:4d} labelled queries, as good as {effective:.0f} by people alone")

# %%
# A judge may favour a system. Here it raises the grades of documents that the new
# system ranks high. The comparison corrects the difference and reports the bias.

systems = {
    "new": y_score,
    "old": truth + rng.normal(scale=2, size=truth.shape),
}
likes = np.argsort(np.argsort(-systems["new"], axis=1), axis=1) < 10
biased = np.clip(y_judge + (likes & (rng.random(truth.shape) < 0.5)), 0, 3)
y_true = np.full(truth.shape, np.nan)
y_true[order[:80]] = truth[order[:80]]
print(compare_judged(y_true, biased, systems, metric))
