"""The demonstration: a ranking model tuned and evaluated with scikit-learn's tools."""

import sys
from contextlib import contextmanager
from time import perf_counter

from sklearn import config_context
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.feature_selection import VarianceThreshold
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import Pipeline

from sklearn_irmetrics._cli.output import write_json
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


def show_demo(n_queries, layout):
    """Tune on one half of the queries, evaluate on the other; show two tables.

    The "table" layout prints each as soon as it is known; "json" returns all numbers.
    """
    show = print if layout == "table" else lambda *texts, **options: None
    digits = load_digits_ranking(n_queries=n_queries)
    X, y, qid = digits.data, digits.target, digits.qid
    tuning = qid < n_queries // 2
    X_new, y_new, qid_new = X[~tuning], y[~tuning], qid[~tuning]
    show(
        f"Images of digits, ranked by likeness: {n_queries} queries, "
        f"{len(y):,} pairs,\n{y.mean():.0%} of them relevant.",
        flush=True,
    )
    search = _tune(X[tuning], y[tuning], qid[tuning])
    model = search.best_estimator_
    folds = _cross_validate(model, X_new, y_new, qid_new)
    best = ", ".join(
        f"{name.removeprefix('model__')}={value}"
        for name, value in search.best_params_.items()
    )
    show(f"Best settings: {best} (ndcg@10 {search.best_score_:.3f})\n")
    distance = X_new[:, digits.feature_names.index("euclidean_distance")]
    untrained = score_queries(y_new, -distance, MEASURES, qid=qid_new).mean
    validated = [
        {
            "measure": name,
            "mean": float(folds[f"test_{name}"].mean()),
            "std": float(folds[f"test_{name}"].std()),
            "distance_alone": untrained[name],
        }
        for name in MEASURES
    ]
    rows = [
        [name, *(Number(value, ".3f") for value in values)]
        for name, *values in map(dict.values, validated)
    ]
    header = ("measure", "mean", "std", "distance alone")
    show(write_text(Table((), header, rows, "<>>>")), end="\n\n")
    few = qid_new < n_queries // 2 + _FEW_QUERIES
    estimates = _estimate(model, X_new[few], y_new[few], qid_new[few])
    show(write_text(_table_of_estimates(estimates)))
    if layout == "json":
        return write_json(
            {
                "n_queries": n_queries,
                "best_params": search.best_params_,
                "best_score": search.best_score_,
                "cross_validation": validated,
                "estimates": estimates,
            }
        )
    return NEXT_STEPS


def _tune(X, y, qid):
    """Return the search for the best settings of a pipeline, fitted."""
    trees = ExtraTreesRegressor(n_estimators=20, random_state=0)
    search = GridSearchCV(
        Pipeline([("varying", VarianceThreshold()), ("model", trees)]),
        PARAM_GRID,
        scoring=get_scorer("ndcg@10"),
        cv=QueryKFold(5),
        error_score="raise",
    )
    with (
        config_context(enable_metadata_routing=True),
        _step("Tuning: 4 settings, 5 folds"),
    ):
        return search.fit(X, y, qid=qid)


def _cross_validate(model, X, y, qid):
    """Return the scores of all measures by fold."""
    with (
        config_context(enable_metadata_routing=True),
        _step("Cross-validating on other queries"),
    ):
        return cross_validate(
            model,
            X,
            y,
            scoring=get_scorers(MEASURES),
            cv=QueryKFold(5),
            params={"qid": qid},
            error_score="raise",
        )


def _estimate(model, X, y, qid):
    """Estimate the model by every method, and return a row for each."""
    n_queries = len(set(qid.tolist()))
    rows = []
    with _step(f"Estimating by {len(METHODS)} methods, {n_queries} queries"):
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
            low, high = result.confidence_interval["ndcg@10"]
            rows.append(
                {
                    "method": method,
                    "ndcg@10": result.estimate["ndcg@10"],
                    "low": low,
                    "high": high,
                    "interval": result.interval_method["ndcg@10"],
                }
            )
    return rows


def _table_of_estimates(estimates):
    """Return the table of estimates by every method."""
    rows = [
        (
            row["method"],
            Number(row["ndcg@10"], ".3f"),
            Interval(row["low"], row["high"], ".3f"),
            row["interval"].partition(",")[0].removesuffix(" and range limits"),
        )
        for row in estimates
    ]
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
