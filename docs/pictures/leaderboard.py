"""A leaderboard of ten systems: means beside ranks, and who is better than whom."""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_irmetrics import score_queries
from sklearn_irmetrics.comparison import leaderboard
from sklearn_irmetrics.datasets import make_ranking

_, grades, qid, score = make_ranking(80, (20, 40), return_score=True, random_state=0)
rng = np.random.default_rng(0)
systems = {
    f"system {name}": score_queries(
        grades, score + noise * rng.normal(size=len(score)), "ndcg@10", qid=qid
    )
    for name, noise in zip("ABCDEFGHIJ", np.linspace(0.4, 1.6, 10), strict=True)
}
board = leaderboard(systems, random_state=0)
widths = 1 + np.ptp(board.rank_interval, axis=1)

_, (top, bottom) = plt.subplots(2, 1, figsize=(5.6, 7.4), height_ratios=[1, 1.2])
board.plot(ax=top)
board.plot(kind="pairs", ax=bottom)
