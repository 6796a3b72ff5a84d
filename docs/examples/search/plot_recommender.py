"""
Score a recommender on sparse matrices
======================================

Users are queries, items are documents, and most cells are empty. Ratings and
recommendations both stay sparse: a missing rating is a grade of 0, and a missing score
is an item that was *not recommended*.
"""

# %%
# The ratings of 400 items by 300 users follow a few tastes and the popularity of the
# items. One rating in four is held out.

import numpy as np
from scipy.sparse import csr_array
from sklearn.decomposition import TruncatedSVD

from sklearn_irmetrics import compare, ranking_report, score_queries
from sklearn_irmetrics.plot import QueryDifferenceDisplay

rng = np.random.default_rng(0)
n_users, n_items, n_tastes = 300, 400, 6
tastes = rng.gamma(0.3, size=(n_users, n_tastes))
items = rng.gamma(0.3, size=(n_tastes, n_items))
popularity = rng.gamma(0.5, size=n_items)
appeal = tastes @ items * (0.2 + popularity)
chance_to_rate = appeal / appeal.sum(axis=1, keepdims=True) * 40
rated = rng.random(appeal.shape) < chance_to_rate
ratings = np.where(rated, 1 + rng.binomial(4, 0.6, size=appeal.shape), 0)

held_out = rated & (rng.random(rated.shape) < 0.25)
train = csr_array(np.where(held_out, 0, ratings))
test = csr_array(np.where(held_out, ratings, 0))
users = np.flatnonzero(test.sum(axis=1))  # who have something held out
train, test = train[users], test[users]
print(f"{train.nnz} ratings to learn from, {test.nnz} held out, {len(users)} users")

# %%
# Each system recommends 20 items that the user has not rated yet. The other cells stay
# empty.


def recommend(scores, n=20):
    """Return the best `n` new items of each user."""
    scores = np.where(train.toarray() > 0, -np.inf, scores)
    best = np.argpartition(-scores, n, axis=1)[:, :n]
    rows = np.repeat(np.arange(len(scores)), n)
    values = scores[rows, best.ravel()]
    return csr_array((values, (rows, best.ravel())), shape=scores.shape)


svd = TruncatedSVD(n_tastes, random_state=0)
popular = np.tile((train > 0).sum(axis=0), (train.shape[0], 1))
systems = {
    "popular": recommend(popular),
    "SVD": recommend(svd.fit_transform(train) @ svd.components_),
}
measures = ["ndcg@10", "recall@20", "mrr", "hit_rate@10", "map"]
results = {name: score_queries(test, run, measures) for name, run in systems.items()}
for name, result in results.items():
    print(f"{name:8s} " + "  ".join(f"{m} {v:.3f}" for m, v in result.mean.items()))

# %%
# Many items are equally popular, so there are ties. The report shows how much they
# matter. ``chance=False`` leaves out the chance level, which would count items that the
# user has already rated as candidates.

ranking_report(test, systems["popular"], metrics=measures, chance=False)

# %%
# Both systems recommend to the same users, so we compare them user by user.

compare(results, metric="ndcg@10", random_state=0)

# %%

_ = QueryDifferenceDisplay.from_results(
    results["SVD"],
    results["popular"],
    metric="ndcg@10",
    name="SVD",
    baseline_name="popular",
)
