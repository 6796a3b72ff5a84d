"""
Return nothing where nothing is relevant
========================================

Some searches have no answer. Above which score should a system return documents, so
that it is silent there, and still answers the others?
"""

# %%
# A query is an image of a handwritten digit, its documents are fifty others, and those
# that show the same digit are relevant. For every third query we take the relevant
# images away: nothing can be found there.

import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.preprocessing import normalize

from sklearn_irmetrics import score_queries
from sklearn_irmetrics.datasets import load_digits_ranking
from sklearn_irmetrics.plot import SilenceDisplay
from sklearn_irmetrics.reports import threshold_curve

data = load_digits_ranking(n_queries=300, random_state=0)
kept = (data.qid % 3 > 0) | (data.target == 0)
y_true, qid = data.target[kept], data.qid[kept]
images = normalize(load_digits().data)
queries, documents = images[data.query_image[kept]], images[data.document_image[kept]]
cosine = np.sum(queries * documents, axis=1)

# %%
# All documents have a score, so the system is never silent. Each of the two measures is
# undefined for the queries of the other, which we expect here.

warnings.simplefilter("ignore", UndefinedMetricWarning)
train, test = qid < 150, qid >= 150
score_queries(y_true[test], cosine[test], ["success@1", "silence"], qid=qid[test])

# %%
# We want silence for 80 % of the queries without an answer. Of the thresholds that
# reach it on training queries, the lowest one answers most of the others.

thresholds = np.linspace(0.7, 1, 61)
silence = threshold_curve(
    "silence", y_true[train], cosine[train], thresholds=thresholds, qid=qid[train]
).values
chosen = thresholds[np.argmax(silence >= 0.8)]
print(f"threshold {chosen:.3f}")

# %%
# On other queries, fewer answers come first, and silence is below the 80 % for which
# the threshold was chosen:

returned = np.where(cosine >= chosen, cosine, -np.inf)
score_queries(y_true[test], returned[test], ["success@1", "silence"], qid=qid[test])

# %%
# The curves show all thresholds. Scores that are divided by the best of their query
# give the same rankings, but cannot tell which queries have an answer: the first
# document always has a score of 1.

best = np.zeros(300)
np.maximum.at(best, qid, cosine)
_ = SilenceDisplay.from_predictions(
    y_true[test],
    {"cosine": cosine[test], "share of the best": (cosine / best[qid])[test]},
    metric="success@1",
    qid=qid[test],
)
