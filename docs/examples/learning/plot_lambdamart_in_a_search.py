"""
Tune LambdaMART in a pipeline
=============================

``LGBMRanker`` expects the number of rows of each query, which cross-validation cannot
split. Inside :class:`~sklearn_irmetrics.estimators.QueryRanker` it takes one query id
per row, and metadata routing carries the ids through the search.
"""

# %%
# With metadata routing on, ``qid=`` is all that you pass. The ranker, the scorer and
# the splitter request it themselves.

import sklearn
from lightgbm import LGBMRanker
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_irmetrics import QueryKFold, get_scorer, ndcg_score
from sklearn_irmetrics.datasets import load_digits_ranking
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.plot import InterpolatedPrecisionRecallDisplay

sklearn.set_config(enable_metadata_routing=True)

X, y, qid = load_digits_ranking(
    n_queries=120, n_candidates=40, return_X_y_qid=True, random_state=0
)
train = qid < 80
X_train, y_train, qid_train = X[train], y[train], qid[train]

# %%
# The ranker is the last step of a pipeline, and the names of parameters nest as usual.

ranker = QueryRanker(LGBMRanker(n_estimators=40, n_jobs=1, verbose=-1))
search = GridSearchCV(
    make_pipeline(StandardScaler(), ranker),
    {
        "queryranker__estimator__num_leaves": [4, 15],
        "queryranker__estimator__learning_rate": [0.05, 0.2],
    },
    scoring=get_scorer("ndcg@10"),
    cv=QueryKFold(3),
    error_score="raise",
)
search.fit(X_train, y_train, qid=qid_train)

for name, value in search.best_params_.items():
    print(f"{name} = {value}")
print(f"nDCG@10 in cross-validation  {search.best_score_:.3f}")

# %%
# Neither training nor the search has seen the 40 queries that were held out.

score = search.predict(X[~train])
print(f"nDCG@10 held out  {ndcg_score(y[~train], score, k=10, qid=qid[~train]):.3f}")

# %%
# For comparison: the distance between the images, which needs no training.

display = InterpolatedPrecisionRecallDisplay.from_predictions(
    y[~train], score, qid=qid[~train], name="LambdaMART", random_state=0
)
_ = InterpolatedPrecisionRecallDisplay.from_predictions(
    y[~train],
    -X[~train, -2],
    qid=qid[~train],
    name="distance",
    plot_chance_level=False,
    ax=display.ax_,
)
