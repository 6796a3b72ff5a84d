"""The demonstration: a ranking model tuned and evaluated with scikit-learn's tools."""

import sys
from contextlib import contextmanager
from time import perf_counter

from sklearn import config_context
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.feature_selection import VarianceThreshold
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import Pipeline

from sklearn_irmetrics._results.tables import Interval, Number, Table, write_text
from sklearn_irmetrics.datasets import load_digits_ranking
from sklearn_irmetrics.model_selection import QueryKFold, evaluate
from sklearn_irmetrics.reports.query_scores import score_queries
from sklearn_irmetrics.scorers.scorer import get_scorer, get_scorers

MEASURES = ("ndcg@10", "map", "mrr", "p@5", "recall@10", "rprec")
_FEW_QUERIES = 30  # leaving one query out fits as many models
METHODS = (
    *("holdout", "subsampling", "kfold", "stratified", "loocv"),
    *("bootstrap", "bootstrap632", "bootstrap632+"),
)
PARAM_GRID = {"model__max_features": [0.1, 0.3], "model__min_samples_leaf": [1, 5]}
NEXT_STEPS = """
Next steps:
  irmetrics score QRELS RUN    measure your own run, with intervals
  irmetrics metrics            list the measures and their names
  irmetrics compare --help     find out which of several runs is better"""


def show_demo(n_queries=300):
    """Tune on one half of the queries, evaluate on the other, print two tables."""
    digits = load_digits_ranking(n_queries=n_queries)
    X, y, qid = digits.data, digits.target, digits.qid
    tuning = qid < n_queries // 2
    X_new, y_new, qid_new = X[~tuning], y[~tuning], qid[~tuning]
    print(
        f"Images of digits, ranked by likeness: {n_queries} queries, {len(y)} pairs,\n"
        f"{y.mean():.0%} of them relevant.",
        flush=True,
    )
    trees = ExtraTreesRegressor(n_estimators=20, random_state=0)
    pipeline = Pipeline([("varying", VarianceThreshold()), ("model", trees)])
    folds = QueryKFold(5)
    search = GridSearchCV(
        pipeline,
        PARAM_GRID,
        scoring=get_scorer("ndcg@10"),
        cv=folds,
        error_score="raise",
    )
    with config_context(enable_metadata_routing=True):
        with _step("Tuning: 4 settings, 5 folds"):
            search.fit(X[tuning], y[tuning], qid=qid[tuning])
        model = search.best_estimator_
        with _step("Cross-validating on other queries"):
            folds_of_new = cross_validate(
                model,
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
    rows = []
    for name in MEASURES:
        scores = folds_of_new[f"test_{name}"]
        mean, std, alone = float(scores.mean()), float(scores.std()), untrained[name]
        rows.append([name, *(Number(n, ".3f") for n in (mean, std, alone))])
    header = ("measure", "mean", "std", "distance alone")
    print(write_text(Table((), header, rows, "<>>>")), end="\n\n")
    few = qid_new < n_queries // 2 + _FEW_QUERIES
    print(write_text(_estimate(model, X_new[few], y_new[few], qid_new[few])))
    return NEXT_STEPS


def _estimate(model, X, y, qid):
    """Estimate the model by every method, and return a table with one row each."""
    n_queries = len(set(qid.tolist()))
    rows = []
    with _step(f"Estimating in {len(METHODS)} ways, {n_queries} queries"):
        for method in METHODS:
            options = {"n_splits": 20} if "bootstrap" in method else {}
            result = evaluate(
                model,
                X,
                y,
                scoring="ndcg@10",
                method=method,
                qid=qid,
                random_state=0,
                **options,
            )
            how = result.interval_method["ndcg@10"].split(" and the range")[0]
            ends = Interval(*result.confidence_interval["ndcg@10"], ".3f")
            rows.append((method, Number(result.estimate["ndcg@10"], ".3f"), ends, how))
    header = ("method", "ndcg@10", "95 % interval", "interval by")
    notes = ["Intervals also use the range of the measure."]
    return Table((), header, rows, "<>><", notes)


@contextmanager
def _step(about):
    """Report on stderr what is being done, and how long it took."""
    start = perf_counter()
    print(f"{about} ...", end="", file=sys.stderr, flush=True)
    yield
    print(f" {perf_counter() - start:.1f} s", file=sys.stderr)
