"""The same numbers as other tools, and as the naive reference, for many random cases.

A case is one query scored by one measure under one setting. The seed is printed at the
end and set by ``--seed``; ``--thorough`` compares more than a million cases.
"""

import re
from itertools import compress

import numpy as np
import pytest
from sklearn import config_context, metrics

from oracles import reference as ref
from oracles.cases import Case, Rankings, queries_at_once
from oracles.adversarial import LADDERS, harden
from sklearn_irmetrics import Measure
from sklearn_irmetrics.metrics import preset
from sklearn_irmetrics.runs import align, read_run

pytestmark = pytest.mark.filterwarnings("ignore:y_true holds fractions")

CUTOFFS = (1, 2, 3, 5, 10, 30, 100)


@pytest.fixture
def agree(hold):
    """Hold a measure to an oracle: ``agree(oracle, measure, drawn, expected)``."""

    def agree(oracle, measure, drawn, expected, **options):
        values = measure.score(drawn, **options)
        hold(oracle, values, expected, measure, drawn, **options)

    return agree


# The naive reference ------------------------------------------------------------------

REFERENCE = "the naive reference"
EACH = 12  # queries per setting, rule for ties and round


@pytest.mark.parametrize("name", sorted(ref.RANKED))
def test_measures_of_ranks_and_the_reference(name, rounds, agree):
    for rng in rounds(1):
        for params in ref.SETTINGS[name]:
            measure = Case(name, params)
            few = rng.integers(1, 6, EACH)  # every order of tied ones is enumerated
            drawn = queries_at_once(rng, few, n_levels=[1, 2, 3, 20])
            agree(REFERENCE, measure, drawn, measure.expected(drawn))
            many = rng.integers(1, 40, EACH)
            drawn = queries_at_once(rng, many, n_levels=None)
            agree(REFERENCE, measure, drawn, measure.expected(drawn, "stable"))
            drawn = queries_at_once(rng, many)
            for ties in ("optimistic", "pessimistic", "stable"):
                if measure.rule(ties):
                    expected = measure.expected(drawn, ties)
                    agree(REFERENCE, measure, drawn, expected, ties=ties)


@pytest.mark.parametrize("name", sorted(set(ref.SETTINGS) - set(ref.RANKED)))
def test_other_measures_and_the_reference(name, rounds, agree):
    # Every order of tied documents is enumerated, but by SciPy.
    of_scipy = name in ("kendall_tau_score", "spearman_rho_score")
    in_orders = name in {*ref.CORRELATIONS, *ref.OF_MARKED_ORDERS} and not of_scipy
    longest = 5 if in_orders else 20
    for rng in rounds(10):
        drawn = queries_at_once(
            rng, rng.integers(1, longest + 1, 3 * EACH), n_levels=[1, 2, 3, 20]
        )
        for params in ref.SETTINGS[name]:
            measure = Case(name, params)
            agree(REFERENCE, measure, drawn, measure.expected(drawn))
            few = drawn.at(drawn.qid < EACH)
            for ties in ("optimistic", "pessimistic", "stable"):
                if measure.rule(ties):
                    agree(
                        REFERENCE, measure, few, measure.expected(few, ties), ties=ties
                    )


# trec_eval ----------------------------------------------------------------------------

TREC_EVAL = "trec_eval 9 by pytrec_eval (on scores that it rounds to float32)"
TREC_NAMES = ["Rprec", "recip_rank", "map", "11pt_avg", "bpref", "infAP", "ndcg"]
TREC_NAMES += ["set_P", "set_recall", "set_F"]
TREC_NAMES += [
    f"{name}_{k}"
    for name in ("P", "recall", "relative_P", "success", "map_cut", "ndcg_cut")
    for k in CUTOFFS
]
TREC_NAMES += [f"iprec_at_recall_{tenth / 10:.2f}" for tenth in range(11)]


def trec_measures(threshold):
    """List measures of ours with trec_eval's names."""
    measures = []
    for name in TREC_NAMES:
        params = preset("trec_eval9", name)
        if "relevance_threshold" in params:
            params["relevance_threshold"] = threshold
        function = Measure(name).metric.function.__name__
        measures.append((Case(function, params), name))
    return measures


def trec_queries(rng, n_queries=60):
    """Draw judgments and a run: ties, some by float32 only, and negative grades."""
    qrels, run = {}, {}
    for query in range(n_queries):
        n = rng.choice([1, 2, 5, 12, 12, 150])
        documents = [f"D{number}" for number in rng.choice(1000, n, replace=False)]
        levels = ((0, 1), (0, 0, 0, 1, 2, 3), (-2, -1, 0, 0, 1, 2))[rng.integers(3)]
        grades = rng.choice(levels, n).tolist()
        scores = np.round(rng.normal(0, 2, n), rng.choice([0, 1, 12]))
        scores = (scores + rng.choice([0, 1e-9, -1e-9], n)).tolist()
        if rng.random() < 0.3:
            scores = harden(rng, np.array(scores), np.zeros(n)).tolist()
        known, found = rng.random(n) < 0.7, rng.random(n) < 0.8
        judged = dict(compress(zip(documents, grades, strict=True), known))
        ranked = dict(compress(zip(documents, scores, strict=True), found))
        # pytrec_eval can crash on a query that has negative grades only.
        if ranked and max(judged.values(), default=-1) >= 0:
            qrels[f"q{query:03d}"], run[f"q{query:03d}"] = judged, ranked
    return qrels, run


def aligned_rankings(qrels, run):
    """Return rankings of aligned rows, and the names of their queries."""
    rounded = read_run(run, dtype=np.float32)
    aligned = align(qrels, rounded, unmatched="ignore")
    names, qid = np.unique(aligned.qid, return_inverse=True)
    return Rankings(aligned.y_true, aligned.y_score, qid, aligned.pooled), names


JUDGED_ONLY = ("P_", "recall_", "map", "recip_rank", "Rprec", "success_", "ndcg")


@pytest.mark.parametrize(
    ("threshold", "judged_only"), [(1, False), (2, False), (1, True)]
)
def test_pytrec_eval(threshold, judged_only, rounds, agree):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    measures = trec_measures(threshold)
    if judged_only:
        measures = [
            (Case(measure.name, measure.params | {"judged_only": True}), theirs)
            for measure, theirs in measures
            if theirs.startswith(JUDGED_ONLY)
        ]
    asked = {re.sub(r"^(iprec_at_recall).*", r"\1", theirs) for _, theirs in measures}
    for rng in rounds(8):
        qrels, run = trec_queries(rng)
        if judged_only:
            # There a document with a negative grade is kept; here it is not judged.
            qrels = {q: rows for q, rows in qrels.items() if min(rows.values()) >= 0}
            run = {query: run[query] for query in qrels}
        oracle = pytrec_eval.RelevanceEvaluator(
            qrels, asked, relevance_level=threshold, judged_docs_only_flag=judged_only
        )
        results = oracle.evaluate(run)
        drawn, queries = aligned_rankings(qrels, run)
        for measure, theirs in measures:
            expected = [results[query][theirs] for query in queries]
            agree(TREC_EVAL, measure, drawn, expected)


# scikit-learn -------------------------------------------------------------------------

SKLEARN = "scikit-learn"
# There differences of scores must be finite.
BELOW_OVERFLOW = [
    kind for kind in LADDERS if kind not in ("largest", "at_any_magnitude")
]


@pytest.fixture
def unchecked():
    """Spare scikit-learn checks of arrays that are known to be good."""
    with config_context(assume_finite=True, skip_parameter_validation=True):
        yield


def matrices(rng, *, n_queries=50, n_relevant=None, n_grades=2, tied=True):
    """Draw queries of one length, each with relevant and other documents.

    Returns grades and scores, a row per query, and rankings of them.
    """
    width = int(rng.integers(2, 30))
    n_relevant = n_relevant or int(rng.integers(1, width))
    grades = np.zeros((n_queries, width))
    grades[:, : min(n_relevant, width - 1)] = rng.integers(1, n_grades)
    grades = rng.permuted(grades, axis=1)
    scores = np.argsort(rng.random(grades.shape), axis=1) / 4.0
    if tied:
        scores = np.floor(scores * rng.choice([0, 1, 2], (n_queries, 1)))
    queries = as_rankings(grades, scores)
    scores = harden(rng, scores.ravel(), queries.qid, kinds=BELOW_OVERFLOW)
    scores = scores.reshape(grades.shape)
    return grades, scores, as_rankings(grades, scores)


def as_rankings(grades, scores):
    return Rankings(
        grades.ravel(),
        scores.ravel(),
        np.repeat(np.arange(len(grades)), grades.shape[1]),
        np.zeros(grades.size, dtype=bool),
    )


def by_row(function, grades, scores, **options):
    """Call a function of scikit-learn with each row alone."""
    rows = zip(grades, scores, strict=True)
    return np.array([function([row], [its], **options) for row, its in rows])


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("name", ["dcg_score", "ndcg_score"])
def test_discounted_gains_of_sklearn(name, rounds, agree):
    theirs = getattr(metrics, name)
    for rng in rounds(25):
        grades, scores, _ = matrices(rng, n_grades=2)
        grades = grades * rng.choice([0.5, 1, 2, 3], grades.shape)
        grades[::9] = 0  # nothing to find
        drawn = as_rankings(grades, scores)
        for k in (None, int(rng.integers(1, 12))):
            params = {"k": k}
            if name == "dcg_score":
                params["log_base"] = float(rng.choice([1.5, 2, 10]))
            expected = by_row(theirs, grades, scores, **params)
            params |= preset("sklearn", name.removesuffix("_score"))
            agree(SKLEARN, Case(name, params), drawn, expected)


@pytest.mark.usefixtures("unchecked")
def test_average_precision_of_sklearn(rounds, agree):
    for rng in rounds(25):
        grades, scores, drawn = matrices(rng, tied=False)
        by_column = metrics.average_precision_score(grades.T, scores.T, average=None)
        measure = Case("average_precision_score", preset("sklearn", "ap"))
        agree(SKLEARN, measure, drawn, by_column)
        theirs = metrics.label_ranking_average_precision_score
        by_label = by_row(theirs, grades, scores)
        agree(SKLEARN, measure, drawn, by_label)


@pytest.mark.usefixtures("unchecked")
def test_pairs_of_sklearn(rounds, agree):
    for rng in rounds(25):
        grades, scores, drawn = matrices(rng)
        expected = metrics.roc_auc_score(grades.T, scores.T, average=None)
        measure = Case("roc_auc_score", preset("sklearn", "roc_auc"))
        agree(SKLEARN, measure, drawn, expected)
        wrong = by_row(metrics.label_ranking_loss, grades, scores)
        agree(SKLEARN, Case("roc_auc_score"), drawn, 1 - wrong, ties="pessimistic")


@pytest.mark.usefixtures("unchecked")
def test_coverage_of_sklearn(rounds, agree):
    for rng in rounds(25):
        grades, scores, drawn = matrices(rng)
        n_relevant = int(grades[0].sum())
        measure = Case("recall_effort_score", {"n_expected": n_relevant})
        expected = n_relevant / by_row(metrics.coverage_error, grades, scores)
        agree(SKLEARN, measure, drawn, expected, ties="pessimistic")


@pytest.mark.usefixtures("unchecked")
def test_top_classes_of_sklearn(rounds, agree):
    for rng in rounds(25):
        grades, scores, drawn = matrices(rng, n_relevant=1, tied=False)
        columns = np.arange(grades.shape[1])
        k = int(rng.integers(1, len(columns)))
        if len(columns) == 2:  # there scores of the larger label only
            continue
        expected = [
            metrics.top_k_accuracy_score([label], [row_scores], k=k, labels=columns)
            for label, row_scores in zip(grades.argmax(axis=1), scores, strict=True)
        ]
        agree(SKLEARN, Case("success_at_k_score", {"k": k}), drawn, expected)


# tie-aware-retrieval-metrics ----------------------------------------------------------

TIE_AWARE = "tie-aware-retrieval-metrics"
WITH_TIES = {
    "hits": "cumulative_gain_score",
    "precision": "precision_at_k_score",
    "recall": "recall_at_k_score",
    "f1": "fbeta_at_k_score",
    "ndcg": "ndcg_score",
    "mrr": "reciprocal_rank_score",
    "map": "average_precision_score",
}


def test_ties_of_tie_aware_retrieval_metrics(rounds, agree):
    trm = pytest.importorskip("trm")
    for rng in rounds(25):
        grades, scores, drawn = matrices(rng)
        k = int(rng.integers(1, grades.shape[1] + 1))
        judged = trm.evaluate(scores.tolist(), (grades > 0).tolist(), [*WITH_TIES], [k])
        for theirs, name in WITH_TIES.items():
            values = judged.per_query[theirs][k]
            for ties, which in (
                ("average", "expected"),
                ("optimistic", "maximum"),
                ("pessimistic", "minimum"),
            ):
                expected = [getattr(value, which) for value in values]
                agree(TIE_AWARE, Case(name, {"k": k}), drawn, expected, ties=ties)
