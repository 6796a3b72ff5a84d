"""One mean by a judge, by people, and by both, beside what people would find."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_irmetrics import score_queries
from sklearn_irmetrics.judging import score_judged

pairs = np.array(
    [[1521, 369, 88, 27], [579, 457, 157, 40], [189, 280, 270, 69], [46, 125, 93, 113]]
)
rng = np.random.default_rng(0)
shares = rng.dirichlet(6 * pairs.sum(axis=1) / pairs.sum(), size=200)
truth = np.array([rng.choice(4, size=30, p=share) for share in shares])
chances = pairs / pairs.sum(axis=1, keepdims=True)
y_judge = np.array([rng.choice(4, p=chances[grade]) for grade in truth.ravel()])
y_judge = y_judge.reshape(truth.shape)
systems = {
    "bm25": truth + rng.normal(scale=2, size=truth.shape),
    "neural": truth + rng.normal(scale=1.5, size=truth.shape),
}
drawn = rng.choice(200, size=30, replace=False)
y_true = np.full(truth.shape, np.nan)
y_true[drawn] = truth[drawn]

intervals, goals = {}, {}
_, panels = plt.subplots(2, 1, sharex=True, sharey=True, figsize=(5.6, 4.4))
for ax, (name, y_score) in zip(panels, systems.items(), strict=True):
    judge = score_queries(y_judge, y_score, "ndcg@10")
    people = score_queries(truth[drawn], y_score[drawn], "ndcg@10")
    both = score_judged(y_true, y_judge, y_score, "ndcg@10")
    ends = [judge.interval(), people.interval(), both.confidence_interval["ndcg@10"]]
    intervals[name] = [f"{low:.2f} to {high:.2f}" for low, high in ends]
    means = [judge.mean["ndcg@10"], people.mean["ndcg@10"], both.estimate["ndcg@10"]]
    for row, ((low, high), mean, marker) in enumerate(
        zip(ends, means, "osD", strict=True)
    ):
        ax.plot([low, high], [row, row], color=f"C{row}", linewidth=3)
        ax.plot(mean, row, marker, color=f"C{row}", markersize=8)
    goals[name] = score_queries(truth, y_score, "ndcg@10").mean["ndcg@10"]
    ax.axvline(goals[name], linestyle="--", color="grey", label="truth")
    ax.set(title=name, ylim=(-0.6, 2.6))
labels = ["judge alone,\n200 queries", "people alone,\n30 queries", "people and judge"]
panels[0].set_yticks(range(3), labels)
panels[0].legend(loc="lower right")
panels[1].set_xlabel("nDCG@10")
