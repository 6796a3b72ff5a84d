"""Random trainings: what libraries log, and where they stop, is what loops give."""

from functools import partial

import numpy as np
import pytest

from oracles import reference as ref
from oracles.boosters import LIBRARIES, ROUNDS, make_model, predict_after
from oracles.cases import scorable_cases
from sklearn_irmetrics import QueryRanker

pytestmark = [
    pytest.mark.filterwarnings("ignore:.* undefined in"),
    pytest.mark.filterwarnings("ignore:y_true holds fractions"),
    pytest.mark.filterwarnings("ignore:Failed to import numba"),
    pytest.mark.filterwarnings("ignore:Can't optimize"),
    pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated"),
]
IDS = {
    "int": lambda i: 7 - 3 * i,
    "str": lambda i: "q" * (1 + i % 3) + str(i),
    "float": lambda i: float(np.nextafter(0.5, 1) + i),
}


def draw_part(rng, n_queries):
    """Draw features, grades, ids and weights of queries; rows come in any order."""
    lengths = rng.integers(1, rng.choice([3, 7]), n_queries)
    qid = rng.permutation(np.repeat(np.arange(n_queries), lengths))
    y = rng.choice([0, 0, 0, 1, 2, 3], len(qid)).astype(float)
    y[np.isin(qid, rng.integers(n_queries, size=2))] = 0
    X = rng.integers(0, 4, (len(qid), 3)) + 0.5 * y[:, np.newaxis]
    return X, y, qid, rng.choice([0.5, 1.0, 3.0], n_queries)[qid]


def by_loops(case, y, y_score, qid, weights):
    """Return the mean over queries; ties by their expectation."""
    reference = ref.MEASURES[case.name].reference
    values = ref.per_query(
        reference, case.grades(y), y_score, qid.tolist(), **case.params
    )
    first = [rows[0] for rows in ref.query_rows(qid.tolist(), len(y)).values()]
    return ref.aggregate(values, None if weights is None else weights[first])


@pytest.mark.parametrize("kind", ["Ranker", "Regressor"])
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("ids", IDS)
def test_trainings_and_loops(library, kind, ids, seed, tally):
    rng = np.random.default_rng([seed, *map(ord, library + kind + ids)])
    train, valid = draw_part(rng, 40), draw_part(rng, int(rng.integers(5, 25)))
    cases = {str(case.measure): case for case in scorable_cases(rng, 6)}
    names = [*cases][: 1 if library == "catboost" else None]
    params = {"use_best_model": False} if library == "catboost" else {}
    X, y, qid, weights = valid
    weighted = bool(rng.integers(2))
    more = {"eval_sample_weight": [weights]} if weighted else {}
    model = make_model(library, kind=kind, **params)
    ranker = QueryRanker(model, eval_metric=names if len(names) > 1 else names[0])
    fit = partial(
        ranker.fit,
        train[0],
        train[1],
        qid=np.array([IDS[ids](i) for i in train[2]]),
        eval_set=[(X, y)],
        eval_qid=[np.array([IDS[ids](i) for i in qid])],
        **more,
    )
    judged = by_loops(cases[names[0]], y, np.zeros(len(y)), qid, weights)
    if library == "catboost" and np.isnan(judged):
        # CatBoost at times wraps what a metric raises in an error of its own.
        with pytest.raises(Exception, match="CatBoost cannot log NaN"):
            fit()
        return
    fit()
    (log,) = (log for part, log in ranker.evals_result_.items() if part != "learn")
    for i in range(ROUNDS):
        y_score = predict_after(ranker.estimator_, X, i + 1)
        for name in names:
            case = cases[name]
            found = log[name][i]
            expected = by_loops(case, y, y_score, qid, weights if weighted else None)
            off = np.nan_to_num(abs(found - expected))
            tally(f"trainings of {library} and loops", 1, off)
            assert off <= 1e-9 * max(1, abs(expected)), (name, i)
            assert np.isnan(found) == np.isnan(expected)
