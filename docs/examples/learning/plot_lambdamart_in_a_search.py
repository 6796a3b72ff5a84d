"""
LambdaMART in a pipeline, tuned for nDCG@10
===========================================

``LGBMRanker`` wants to hear how many rows each query has, which no cross-validation
can cut. Inside :class:`~sklearn_irmetrics.estimators.QueryRanker` it takes one query
id per row, and the ids travel through the search on their own.
"""

# %%
# With metadata routing on, ``qid=`` is all that is passed: the ranker and the scorer
# ask for it by themselves, the splitter is told to group by it.

import sklearn
from lightgbm import LGBMRanker
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_irmetrics import get_scorer, ndcg_score
from sklearn_irmetrics.datasets import load_digits_ranking
from sklearn_irmetrics.estimators import QueryRanker
from sklearn_irmetrics.model_selection import QueryKFold
from sklearn_irmetrics.plot import InterpolatedPrecisionRecallDisplay

sklearn.set_config(enable_metadata_routing=True)

X, y, qid = load_digits_ranking(
    n_queries=120, n_candidates=40, return_X_y_qid=True, random_state=0
)
train = qid < 80
X_train, y_train, qid_train = X[train], y[train], qid[train]

# %%
# The pipeline stands around the ranker here; names nest as usual.

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
# The 40 queries held out were never seen, neither in training nor in the search.

score = search.predict(X[~train])
print(f"nDCG@10 held out  {ndcg_score(y[~train], score, k=10, qid=qid[~train]):.3f}")

# %%
# Beside the distance of the images, which needs no training.

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
