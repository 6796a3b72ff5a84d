"""The demonstration: a ranking model tuned and evaluated with scikit-learn's tools."""

import sys
from contextlib import contextmanager
from time import perf_counter

from sklearn import config_context
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.feature_selection import VarianceThreshold
from sklearn.model_selection import GridSearchCV, ParameterGrid, cross_validate
from sklearn.pipeline import Pipeline

from sklearn_irmetrics._measures.rankings import score_queries
from sklearn_irmetrics._measures.scorer import get_scorer, get_scorers
from sklearn_irmetrics.datasets import load_digits_ranking
from sklearn_irmetrics.model_selection import QueryKFold, evaluate

MEASURES = ("ndcg@10", "map", "mrr", "p@5", "recall@10", "rprec")
METHODS = {
    "holdout": {},
    "subsampling": {},
    "kfold": {},
    "stratified": {},
    "loocv": {},
    "bootstrap": {"n_splits": 20},
    "bootstrap632": {"n_splits": 20},
    "bootstrap632+": {"n_splits": 20},
}
_FEW_QUERIES = 30  # leaving one query out fits as many models
PARAM_GRID = {"model__max_features": [0.1, 0.3], "model__min_samples_leaf": [1, 5]}


def run_demo(n_queries=300):
    """Tune on one half of the queries, evaluate on the other, print two tables."""
    digits = load_digits_ranking(n_queries=n_queries)
    X, y, qid = digits.data, digits.target, digits.qid
    tuning = qid < n_queries // 2
    X_new, y_new, qid_new = X[~tuning], y[~tuning], qid[~tuning]
    print(
        f"Query by example on digit images: {n_queries} queries, {len(y)} pairs, "
        f"{y.mean():.0%} of them relevant",
        flush=True,
    )

    pipeline = Pipeline(
        [
            ("varying", VarianceThreshold()),
            ("model", ExtraTreesRegressor(n_estimators=50, random_state=0)),
        ]
    )
    with config_context(enable_metadata_routing=True):
        folds = QueryKFold(5)
        search = GridSearchCV(
            pipeline,
            PARAM_GRID,
            scoring=get_scorer("ndcg@10"),
            cv=folds,
            error_score="raise",
        )
        n_settings = len(ParameterGrid(PARAM_GRID))
        with _progress(f"Tuning by ndcg@10: {n_settings} settings, 5 folds of queries"):
            search.fit(X[tuning], y[tuning], qid=qid[tuning])
        with _progress("Cross-validating the best on the other queries"):
            folds_of_new = cross_validate(
                search.best_estimator_,
                X_new,
                y_new,
                scoring=get_scorers(MEASURES),
                cv=folds,
                params={"qid": qid_new},
                error_score="raise",
            )

    best = ", ".join(
        f"{name.removeprefix('model__')}={value}"
        for name, value in search.best_params_.items()
    )
    print(f"Best settings: {best} (ndcg@10 {search.best_score_:.3f})\n")
    distance = X_new[:, digits.feature_names.index("euclidean_distance")]
    untrained = score_queries(y_new, -distance, MEASURES, qid=qid_new).mean
    print(f"{'measure':<10}{'mean':>8}{'std':>8}{'distance alone':>17}")
    for name in MEASURES:
        scores = folds_of_new[f"test_{name}"]
        print(
            f"{name:<10}{scores.mean():8.3f}{scores.std():8.3f}{untrained[name]:17.3f}"
        )
    few = qid_new < n_queries // 2 + _FEW_QUERIES
    _estimate(search.best_estimator_, X_new[few], y_new[few], qid_new[few])


def _estimate(model, X, y, qid):
    """Estimate the model by every method, a row each."""
    results = {}
    n_queries = len(set(qid.tolist()))
    with _progress(f"Estimating it on {n_queries} queries by {len(METHODS)} methods"):
        for method, options in METHODS.items():
            results[method] = evaluate(
                model,
                X,
                y,
                scoring="ndcg@10",
                method=method,
                qid=qid,
                random_state=0,
                **options,
            )
    print(f"\n{'method':<16}{'ndcg@10':>8}{'95 % interval':>17}   interval by")
    for method, result in results.items():
        estimate = result.estimate["ndcg@10"]
        low, high = result.confidence_interval["ndcg@10"]
        how = result.interval_method["ndcg@10"]
        print(f"{method:<16}{estimate:8.3f}   [{low:.3f}, {high:.3f}]   {how}")


@contextmanager
def _progress(step):
    """Say on stderr what is being done, and then how long it took."""
    print(f"{step} ...", end=" ", file=sys.stderr, flush=True)
    start = perf_counter()
    try:
        yield
    finally:
        print(f"{perf_counter() - start:.1f} s", file=sys.stderr, flush=True)
