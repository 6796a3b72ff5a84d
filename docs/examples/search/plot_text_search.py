"""
Search texts with TF-IDF
========================

A search engine in a few lines: scikit-learn's ``TfidfVectorizer`` turns documents and
queries into vectors, and the documents are ranked by their cosine similarity.
"""

# %%
# The documents are paragraphs from the descriptions of scikit-learn's data sets. The
# queries name the data sets, and the paragraphs of a description are relevant to its
# name.

import matplotlib.pyplot as plt
import numpy as np
from sklearn import datasets
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from sklearn_irmetrics import ranking_report, score_queries
from sklearn_irmetrics.plot import GainCurveDisplay

loaders = {
    "iris flower measurements": datasets.load_iris,
    "breast cancer diagnosis": datasets.load_breast_cancer,
    "wine cultivars chemical analysis": datasets.load_wine,
    "handwritten digits images": datasets.load_digits,
    "diabetes patients progression": datasets.load_diabetes,
    "physical exercise of men": datasets.load_linnerud,
}
documents, source = [], []
for number, load in enumerate(loaders.values()):
    for paragraph in load().DESCR.split("\n\n"):
        if len(paragraph.split()) >= 8:
            documents.append(paragraph)
            source.append(number)
queries, source = list(loaders), np.array(source)
y_true = (source == np.arange(len(queries))[:, np.newaxis]).astype(int)
print(f"{len(queries)} queries, {len(documents)} documents")
print(f"relevant per query: {y_true.sum(axis=1)}")

# %%
# The scores have a row per query and a column per document, so no query ids are needed.
# Documents that share no word with the query have a similarity of 0. A score of
# ``-inf`` says that they are not retrieved.


def search(vectorizer):
    """Return the score of every document for every query."""
    vectors = vectorizer.fit_transform(documents)
    scores = cosine_similarity(vectorizer.transform(queries), vectors)
    return np.where(scores > 0, scores, -np.inf)


systems = {
    "counts": search(CountVectorizer()),
    "TF-IDF": search(TfidfVectorizer()),
    "TF-IDF, no stop words": search(TfidfVectorizer(stop_words="english")),
    "TF-IDF, parts of words": search(
        TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    ),
}
measures = ["p@5", "mrr", "map", "recall@20", "ndcg@10"]
for name, scores in systems.items():
    means = score_queries(y_true, scores, measures).mean
    print(f"{name:24s} " + "  ".join(f"{m} {v:.3f}" for m, v in means.items()))

# %%
# The best answer to each query:

best = systems["TF-IDF, parts of words"]
for query, scores in zip(queries, best, strict=True):
    first = " ".join(documents[scores.argmax()].split())
    print(f"{query}:\n    {first[:70]}...")

# %%
# A report on one system. With six queries, the intervals are wide.

ranking_report(y_true, best, metrics=measures)

# %%

_, ax = plt.subplots()
for name in ("counts", "TF-IDF, parts of words"):
    GainCurveDisplay.from_predictions(
        y_true,
        systems[name],
        k=15,
        name=name,
        ax=ax,
        plot_chance_level=name == "counts",
    )
