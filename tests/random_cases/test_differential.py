"""The same numbers as other tools, and as the naive twin, for very many random cases.

A case is one query scored by one measure under one setting. The seed is printed at the
end and set by ``--seed``; ``--thorough`` compares more than a million cases.
"""

import zlib
from dataclasses import replace
from itertools import compress

import numpy as np
import pytest
from scipy import stats
from sklearn import config_context, metrics

from oracles import reference as ref
from oracles.cases import Case, Rankings, queries_at_once, ready, reproducer
from oracles.hostile import LADDERS, harden
from sklearn_irmetrics import preset
from sklearn_irmetrics._measures.measure import as_measure
from sklearn_irmetrics.runs import align

pytestmark = pytest.mark.filterwarnings("ignore:y_true holds fractions")

TOLERANCE = 1e-10
MORE_IF_THOROUGH = 10
CUTOFFS = (1, 2, 3, 5, 10, 30, 100)


@pytest.fixture
def rounds(request):
    """Yield a generator of random numbers for each round: ``rounds(n)``."""
    thorough = request.config.option.thorough
    name = zlib.crc32(request.node.name.encode())
    rng = np.random.default_rng([request.config.option.seed, name])

    def repeat(n_rounds):
        for _ in range(n_rounds * (MORE_IF_THOROUGH if thorough else 1)):
            yield rng

    return repeat


@pytest.fixture
def compare(tally):
    """Hold a measure's values of queries to those of a judge."""

    def compare(judge, measure, drawn, expected, **options):
        values = measure.score(drawn, **options)
        expected = np.asarray(expected, dtype=np.float64)
        with np.errstate(invalid="ignore"):
            off = np.abs(values - expected)
        off[np.isnan(values) & np.isnan(expected)] = 0.0
        off[np.isnan(off)] = np.inf
        tally(judge, off.size, off.max())
        if off.max() > TOLERANCE:
            query = int(off.argmax())
            pytest.fail(
                f"{measure}: {judge} computes {expected[query]!r}; of this query "
                f"{values[query]!r} is printed by\n"
                f"{reproducer(measure, drawn.query(query), **options)}"
            )

    return compare


def queries_of(drawn):
    """List grades and scores of each query."""
    rows = [np.flatnonzero(drawn.qid == query) for query in range(drawn.n_queries)]
    return [(drawn.y_true[at], drawn.y_score[at]) for at in rows]


# The naive twin -----------------------------------------------------------------------

TWIN = "the naive twin"
EACH = 12  # queries per setting, rule for ties and round


def ranked_by_twin(measure, drawn, ties):
    y_true, options = ready(measure.name, measure.params, drawn.y_true, drawn.marked)
    values = ref.per_query(
        ref.RANKED[measure.name],
        y_true.tolist(),
        drawn.y_score.tolist(),
        drawn.qid.tolist(),
        ties=ties,
        **options,
    )
    return np.array(values)[np.argsort(drawn.in_order)]


@pytest.mark.parametrize("name", sorted(ref.RANKED))
def test_ranking_measures_and_the_twin(name, rounds, compare):
    for rng in rounds(1):
        for params in ref.SETTINGS[name]:
            measure = Case(name, params)
            few = rng.integers(1, 6, EACH)  # every order of tied ones is enumerated
            drawn = queries_at_once(rng, few, n_levels=[1, 2, 3, 20])
            expected = ranked_by_twin(measure, drawn, "average")
            compare(TWIN, measure, drawn, expected, ties="average")
            many = rng.integers(1, 40, EACH)
            drawn = queries_at_once(rng, many, n_levels=None)
            expected = ranked_by_twin(measure, drawn, "stable")
            compare(TWIN, measure, drawn, expected)
            drawn = queries_at_once(rng, many)
            for ties in ("optimistic", "pessimistic", "stable"):
                if not measure.rule(ties):
                    continue
                expected = ranked_by_twin(measure, drawn, ties)
                compare(TWIN, measure, drawn, expected, ties=ties)


@pytest.mark.parametrize("name", sorted(ref.CORRELATIONS))
def test_correlations_and_the_twin(name, rounds, compare):
    for rng in rounds(10):
        for params in ref.SETTINGS[name]:
            lengths = rng.integers(1, 6, 3 * EACH)
            drawn = queries_at_once(rng, lengths, n_levels=[1, 2, 3, 20])
            twin = ref.CORRELATIONS[name]
            expected = [
                twin(*ref.judged_pairs(y_true.tolist(), y_score.tolist()), **params)
                for y_true, y_score in queries_of(drawn)
            ]
            compare(TWIN, Case(name, params), drawn, expected)


@pytest.mark.parametrize("name", sorted(ref.SETS))
def test_sets_and_the_twin(name, rounds, compare):
    for rng in rounds(10):
        drawn = queries_at_once(rng, rng.integers(1, 20, 3 * EACH))
        for params in ref.SETTINGS[name]:
            measure = Case(name, params)
            expected = []
            for y_true, y_score in queries_of(drawn):
                kept = ~np.isnan(y_true) | ("judged_only" not in params)
                relevant = measure.relevant(y_true)[kept]
                retrieved = (y_score > -np.inf)[kept]
                counts = ref.confusion(relevant.tolist(), retrieved.tolist())
                expected.append(ref.SETS[name](*counts, **ref.formula(params)))
            compare(TWIN, measure, drawn, expected)


@pytest.mark.parametrize("name", sorted(ref.USERS))
def test_what_users_knew_and_the_twin(name, rounds, compare):
    for rng in rounds(10):
        drawn = queries_at_once(rng, rng.integers(1, 20, 3 * EACH))
        for threshold in (None, 2):
            params = {"relevance_threshold": threshold}
            expected = [
                ref.USERS[name](y_true, y_score > -np.inf, marked, **params)
                for (y_true, y_score), marked in zip(
                    queries_of(drawn),
                    [drawn.marked[drawn.qid == q] for q in range(drawn.n_queries)],
                    strict=True,
                )
            ]
            compare(TWIN, Case(name, params), drawn, expected)


def test_classes_and_the_twin(rounds, compare):
    for rng in rounds(10):
        drawn = queries_at_once(rng, rng.integers(1, 20, 3 * EACH))
        classes = [
            (
                (y_true > 0).astype(int).tolist(),
                (y_score > -np.inf).astype(int).tolist(),
            )
            for y_true, y_score in queries_of(drawn)
        ]
        expected = [ref.scott_pi(*pair) for pair in classes]
        compare(TWIN, Case("scott_pi_score"), drawn, expected)
        for params in ref.SETTINGS["set_cost_matrix_loss"][1:]:
            expected = [ref.set_cost(*pair, **params) for pair in classes]
            compare(TWIN, Case("set_cost_matrix_loss", params), drawn, expected)


# trec_eval ----------------------------------------------------------------------------

TREC_EVAL = "trec_eval 9 by pytrec_eval (on scores that it rounds to float32)"
LEVELS = tuple(f"{tenth / 10:.2f}" for tenth in range(11))
# Our name, trec_eval's, what that asks besides the preset; {} stands for a cutoff.
THEIR_NAMES = [
    ("p@{}", "P_{}", {}),
    ("recall@{}", "recall_{}", {}),
    ("recall@{}", "relative_P_{}", {"capped": True}),
    ("success@{}", "success_{}", {}),
    ("rprec", "Rprec", {}),
    ("rr", "recip_rank", {}),
    ("ap", "map", {}),
    ("ap@{}", "map_cut_{}", {}),
    ("iprec@{}", "iprec_at_recall_{}", {}),
    ("11pt", "11pt_avg", {}),
    ("bpref", "bpref", {}),
    ("infap", "infAP", {}),
    ("ndcg", "ndcg", {}),
    ("ndcg@{}", "ndcg_cut_{}", {}),
    ("set_p", "set_P", {}),
    ("set_recall", "set_recall", {}),
    ("set_f1", "set_F", {}),
]


def trec_measures(threshold):
    """List measures of ours with trec_eval's names."""
    measures = []
    for ours, theirs, more in THEIR_NAMES:
        points = LEVELS if ours.startswith("iprec") else CUTOFFS
        for point in points if "{}" in ours else [""]:
            name = ours.format(point)
            params = preset("trec_eval9", name) | more
            if "relevance_threshold" in params:
                params["relevance_threshold"] = threshold
            function = as_measure(name).metric.function.__name__
            measures.append((Case(function, params), theirs.format(point)))
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
    aligned = align(qrels, run, unmatched="ignore")
    names, qid = np.unique(aligned.qid, return_inverse=True)
    return Rankings(aligned.y_true, aligned.y_score, qid, aligned.pooled), names


@pytest.mark.parametrize("threshold", [1, 2])
def test_pytrec_eval(threshold, rounds, compare):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    measures = trec_measures(threshold)
    asked = {"iprec_at_recall"}
    asked |= {name for _, name in measures if not name.startswith("iprec")}
    for rng in rounds(8):
        qrels, run = trec_queries(rng)
        judge = pytrec_eval.RelevanceEvaluator(qrels, asked, relevance_level=threshold)
        results = judge.evaluate(run)
        drawn, queries = aligned_rankings(qrels, run)
        for measure, theirs in measures:
            expected = [results[query][theirs] for query in queries]
            compare(TREC_EVAL, measure, drawn, expected)


def test_pytrec_eval_with_judged_documents_only(rounds, compare):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    kinds = ("P_", "recall_", "map", "recip_rank", "Rprec", "success_", "ndcg")
    measures = [
        (Case(measure.name, measure.params | {"judged_only": True}), theirs)
        for measure, theirs in trec_measures(1)
        if theirs.startswith(kinds)
    ]
    for rng in rounds(4):
        drawn_qrels, run = trec_queries(rng)
        # There a document with a negative grade is kept; here it is not judged.
        qrels = {q: rows for q, rows in drawn_qrels.items() if min(rows.values()) >= 0}
        run = {query: run[query] for query in qrels}
        judge = pytrec_eval.RelevanceEvaluator(
            qrels, {theirs for _, theirs in measures}, judged_docs_only_flag=True
        )
        results = judge.evaluate(run)
        drawn, queries = aligned_rankings(qrels, run)
        for measure, theirs in measures:
            expected = [results[query][theirs] for query in queries]
            compare(TREC_EVAL, measure, drawn, expected)


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


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("name", ["dcg_score", "ndcg_score"])
def test_discounted_gains_of_sklearn(name, rounds, compare):
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
            expected = [
                theirs([row], [row_scores], **params)
                for row, row_scores in zip(grades, scores, strict=True)
            ]
            params |= preset("sklearn", name.removesuffix("_score"))
            compare(SKLEARN, Case(name, params), drawn, expected)


@pytest.mark.usefixtures("unchecked")
def test_average_precision_of_sklearn(rounds, compare):
    for rng in rounds(25):
        grades, scores, drawn = matrices(rng, tied=False)
        by_column = metrics.average_precision_score(grades.T, scores.T, average=None)
        measure = Case("average_precision_score", preset("sklearn", "ap"))
        compare(SKLEARN, measure, drawn, by_column)
        by_label = [
            metrics.label_ranking_average_precision_score([row], [row_scores])
            for row, row_scores in zip(grades, scores, strict=True)
        ]
        compare(SKLEARN, measure, drawn, by_label)


@pytest.mark.usefixtures("unchecked")
def test_pairs_of_sklearn(rounds, compare):
    for rng in rounds(25):
        grades, scores, drawn = matrices(rng)
        expected = metrics.roc_auc_score(grades.T, scores.T, average=None)
        measure = Case("roc_auc_score", preset("sklearn", "roc_auc"))
        compare(SKLEARN, measure, drawn, expected)
        wrong = [
            metrics.label_ranking_loss([row], [row_scores])
            for row, row_scores in zip(grades, scores, strict=True)
        ]
        measure = Case("roc_auc_score")
        compare(SKLEARN, measure, drawn, 1 - np.array(wrong), ties="pessimistic")


@pytest.mark.usefixtures("unchecked")
def test_coverage_of_sklearn(rounds, compare):
    for rng in rounds(25):
        grades, scores, drawn = matrices(rng)
        n_relevant = int(grades[0].sum())
        depths = [
            metrics.coverage_error([row], [row_scores])
            for row, row_scores in zip(grades, scores, strict=True)
        ]
        measure = Case("recall_effort_score", {"n_expected": n_relevant})
        expected = n_relevant / np.array(depths)
        compare(SKLEARN, measure, drawn, expected, ties="pessimistic")


@pytest.mark.usefixtures("unchecked")
def test_top_classes_of_sklearn(rounds, compare):
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
        compare(SKLEARN, Case("success_at_k_score", {"k": k}), drawn, expected)


@pytest.mark.usefixtures("unchecked")
def test_sets_of_sklearn(rounds, compare):
    for rng in rounds(50):
        shape = int(rng.integers(2, 60)), int(rng.integers(1, 20))
        y_true, y_pred = rng.random((2, *shape)) < rng.random((2, shape[0], 1)) * 1.2
        drawn = as_rankings(y_true * 1.0, np.where(y_pred, 1.0, -np.inf))
        columns = y_true.T.astype(int), y_pred.T.astype(int)
        options = {"average": None, "zero_division": np.nan}
        beta = float(rng.choice([0.5, 1, 2]))
        f1 = metrics.f1_score(*columns, **options)
        fbeta = metrics.fbeta_score(*columns, beta=beta, **options)
        tn, fp, fn, tp = metrics.multilabel_confusion_matrix(*columns).reshape(-1, 4).T
        specificity = metrics.recall_score(*(1 - c for c in columns), **options)
        miss_rate = 1 - metrics.recall_score(*columns, **options)
        false_alarm = 1 - metrics.precision_score(*columns, **options)
        for name, params, expected in [
            ("set_precision_score", {}, 1 - false_alarm),
            ("set_recall_score", {}, 1 - miss_rate),
            ("set_f1_score", {}, f1),
            ("set_fbeta_score", {"beta": beta}, fbeta),
            ("set_e_measure_loss", {"beta": beta}, 1 - fbeta),
            ("set_accuracy_score", {}, (tp + tn) / shape[1]),
            ("set_specificity_score", {}, specificity),
            ("set_fallout_loss", {}, 1 - specificity),
            ("set_miss_rate_loss", {}, miss_rate),
            ("set_false_alarm_loss", {}, false_alarm),
            ("set_detection_cost_loss", {"miss_cost": 3}, 3 * miss_rate + false_alarm),
            (
                "set_cost_matrix_loss",
                {"cost_matrix": [[1, 2], [7, -3]], "labels": [0, 1]},
                tn + 2 * fp + 7 * fn - 3 * tp,
            ),
        ]:
            compare(SKLEARN, Case(name, params), drawn, expected)


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


def test_ties_of_tie_aware_retrieval_metrics(rounds, compare):
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
                compare(TIE_AWARE, Case(name, {"k": k}), drawn, expected, ties=ties)


# SciPy --------------------------------------------------------------------------------

SCIPY = "SciPy"


def comparable(pair):
    """Tell whether SciPy gives a coefficient and a p-value without complaint."""
    return len(pair[0]) > 2 and all(len(set(side)) > 1 for side in pair)


def kendall_a(x, y):
    """Undo what tau-c divides the same balance of pairs by."""
    n, m = len(x), min(len(set(x)), len(set(y)))
    tau_c = stats.kendalltau(x, y, variant="c", method="asymptotic").statistic
    return tau_c * n * (m - 1) / (m * (n - 1))


SCIPY_CORRELATIONS = [
    (Case("kendall_tau_score", {"variant": "a"}), kendall_a),
    (
        Case("kendall_tau_score", {"variant": "b"}),
        lambda x, y: stats.kendalltau(x, y, method="asymptotic").statistic,
    ),
    (
        Case("kendall_tau_score", {"variant": "b"}),
        lambda x, y: stats.weightedtau(x, y, rank=False, weigher=one).statistic,
    ),
    (Case("spearman_rho_score"), lambda x, y: stats.spearmanr(x, y).statistic),
]


def one(rank):
    return 1.0


def test_correlations_of_scipy(rounds, compare):
    for rng in rounds(20):
        drawn = queries_at_once(rng, rng.integers(2, 40, 40))
        pairs = [
            ref.judged_pairs(y_true.tolist(), y_score.tolist())
            for y_true, y_score in queries_of(drawn)
        ]
        kept = [query for query, pair in enumerate(pairs) if comparable(pair)]
        drawn = drawn.at(np.isin(drawn.qid, kept))
        drawn = replace(drawn, qid=np.searchsorted(kept, drawn.qid))
        for measure, correlation in SCIPY_CORRELATIONS:
            expected = [correlation(*pairs[query]) for query in kept]
            compare(SCIPY, measure, drawn, expected)


def test_rank_sums_of_scipy(rounds, compare):
    for rng in rounds(25):
        grades, scores, drawn = matrices(rng)
        shape = len(grades), -1
        above, below = scores[grades > 0], scores[grades == 0]
        above, below = above.reshape(shape), below.reshape(shape)
        test = stats.mannwhitneyu(above, below, axis=1, method="asymptotic")
        expected = test.statistic / (above.shape[1] * below.shape[1])
        compare(SCIPY, Case("roc_auc_score"), drawn, expected)


def test_geometric_means_of_scipy(rounds, tally):
    for rng in rounds(25):
        _, _, drawn = matrices(rng)
        measure = Case("average_precision_score")
        weights = rng.integers(1, 9, drawn.n_queries).astype(float)
        values = np.maximum(measure.score(drawn), 1e-5)
        expected = stats.gmean(values, weights=weights)
        mean = measure.score(
            drawn, average="geometric", sample_weight=weights[drawn.qid]
        )
        tally(SCIPY, 1, abs(mean - expected))
        assert abs(mean - expected) <= TOLERANCE
