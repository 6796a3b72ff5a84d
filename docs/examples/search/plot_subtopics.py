"""
Cover the senses of a word
==========================

Two search engines answer queries whose word has several senses. One repeats the most
common sense, the other alternates. nDCG prefers the first, measures of subtopics prefer
the second.
"""

# %%
# The data are forty made-up words with two to five senses. Each page is about one sense
# at most, and most relevant pages are about the most common one.

import numpy as np

from sklearn_irmetrics import compare, score_queries
from sklearn_irmetrics.plot import CutoffDisplay

rng = np.random.default_rng(0)
n_words, n_pages, n_senses = 40, 30, 5
word = np.repeat(np.arange(n_words), n_pages)
senses_of_word = rng.integers(2, n_senses + 1, n_words)
about = rng.geometric(0.5, len(word)) - 1  # 0 is the common sense
about[(about >= senses_of_word[word]) | (rng.random(len(word)) < 0.4)] = -1
y_true = (about[:, np.newaxis] == np.arange(n_senses)).astype(int)
print(f"pages about each sense: {y_true.sum(axis=0)}")

# %%
# The first system ranks by how likely a page is to be relevant. The second lowers these
# scores by the number of better pages about the same sense.

relevance = (about >= 0) + 0.4 * rng.normal(size=len(word)) - 0.1 * about
better_of_sense = np.array(
    [
        np.sum((word == word[i]) & (about == about[i]) & (relevance > relevance[i]))
        for i in range(len(word))
    ]
)
systems = {"by relevance": relevance, "in turns": relevance - 0.5 * better_of_sense}

# %%
# Measures of subtopics take one column of grades per sense. nDCG only sees whether a
# page is about any of them.

names = ["ndcg@5", "subtopic_recall@5", "alpha_ndcg@5", "err_ia@5", "nrbp"]
scores = {
    system: score_queries(y_true, y_score, names, qid=word)
    for system, y_score in systems.items()
}
print(f"{'':18s}" + "".join(f"{system:>14s}" for system in scores))
for name in names:
    means = "".join(f"{result.mean[name]:14.3f}" for result in scores.values())
    print(f"{name:18s}{means}")

# %%
# Could the difference be due to chance?

compare(scores, metric="alpha_ndcg@5", random_state=0)

# %%
# The share of the possible senses that a user has met by each rank, compared with a
# random order of the pages.

ax = None
for system, y_score in systems.items():
    display = CutoffDisplay.from_predictions(
        y_true,
        y_score,
        qid=word,
        metric="subtopic_recall",
        ks=range(1, 11),
        name=system,
        plot_chance_level=ax is None,
        ax=ax,
    )
    ax = display.ax_
