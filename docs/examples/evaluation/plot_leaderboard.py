"""
Put many systems on a leaderboard
=================================

Eighteen ways to find images of the same digit, on real data. Which is the best, and how
certain are the ranks?
"""

# %%
# A query is an image of a handwritten digit, its documents are fifty others, and those
# that show the same digit are relevant. Each system ranks them by a distance, of the
# pixels or of their first principal components.

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from sklearn_irmetrics import score_queries
from sklearn_irmetrics.comparison import leaderboard
from sklearn_irmetrics.datasets import load_digits_ranking

data = load_digits_ranking(n_queries=100)
images = load_digits().data
forms = {
    "pixels": images,
    "8 components": PCA(8, random_state=0).fit_transform(images),
    "20 components": PCA(20, random_state=0).fit_transform(images),
}
distances = ["euclidean", "cityblock", "chebyshev", "cosine", "canberra", "braycurtis"]
queries = data.query_image.reshape(100, 50)[:, 0]
documents = data.document_image.reshape(100, 50)


def rank(form, distance):
    """Return the similarity of each document to its query."""
    distances = cdist(form[queries], form, distance)
    return -np.take_along_axis(distances, documents, axis=1).ravel()


systems = {
    f"{distance}, {name}": score_queries(
        data.target, rank(form, distance), ["ndcg@10", "map"], qid=data.qid
    )
    for name, form in forms.items()
    for distance in distances
}

# %%
# The rank intervals hold for all systems at once. Most neighbours share a letter: they
# cannot be told apart.

board = leaderboard(systems, metric="ndcg@10", random_state=0)
board

# %%
# Means with their intervals, and ranks with theirs. Intervals of means overlap even
# where the systems can be told apart: some images are harder for all of them.

_ = board.plot()

# %%
# The systems that are shown to be better than others:

_ = board.plot(kind="pairs")

# %%
# With several measures, you get a grid. Its marks show which systems may also be the
# best and which beat the baseline; ``to_latex()`` writes it for a paper.

leaderboard(systems, baseline="chebyshev, pixels", random_state=0)

# %%
# In the next leaderboard each digit is a data set, and a system's score is its mean
# over the ten digits. ``over="datasets"`` asks how well systems would do on other
# characters; ten digits are too few to answer that precisely.

digit = load_digits().target[queries]
datasets = {
    str(one): {
        name: scores.scores["map"][digit == one] for name, scores in systems.items()
    }
    for one in range(10)
}
by_digit = leaderboard(datasets, over="datasets", random_state=0)
print(f"{len(by_digit.best)} of {len(systems)} systems may be the best")
