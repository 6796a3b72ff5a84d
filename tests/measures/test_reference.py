"""The naive twin earns its trust: it agrees with tools nobody here wrote."""

import random

import pytest
from scipy import stats
from sklearn import metrics

from oracles import reference as ref

pytrec_eval = pytest.importorskip("pytrec_eval")

CUTOFFS = (1, 3, 5, 10, 30)


def random_query(rng):
    """Judgments and a run of one query: ties, unjudged and unretrieved documents."""
    documents = [f"d{i:03d}" for i in rng.sample(range(1000), rng.randint(1, 40))]
    grades = rng.choice([(0, 1), (0, 0, 0, 1, 2, 3), (-2, -1, 0, 0, 1, 2)])
    qrels = {d: rng.choice(grades) for d in documents if rng.random() < 0.8}
    decimals = rng.choice([0, 1, 6])
    run = {d: round(rng.gauss(0, 2), decimals) for d in documents if rng.random() < 0.8}
    return qrels, run


@pytest.fixture(scope="module")
def queries():
    rng = random.Random(0)
    drawn = [random_query(rng) for _ in range(200)]
    return {f"q{i}": (qrels, run) for i, (qrels, run) in enumerate(drawn) if qrels}


def trec_values(ranked, unretrieved, threshold):
    """Every measure of trec_eval 9 that the twin has, by trec_eval's names."""
    relevance = {"relevance_threshold": threshold}
    rounding = {"recall_rounding": "trec_eval9"} | relevance
    ranking = (ranked, unretrieved)
    values = {
        "map": ref.average_precision(*ranking, **relevance),
        "Rprec": ref.r_precision(*ranking, **relevance),
        "recip_rank": ref.reciprocal_rank(*ranking, **relevance),
        "bpref": ref.bpref(*ranking, **relevance),
        "infAP": ref.inferred_average_precision(*ranking, **relevance),
        "11pt_avg": ref.eleven_point_precision(*ranking, **rounding),
        "ndcg": ref.ndcg(*ranking),
    }
    for k in CUTOFFS:
        at_k = {"k": k} | relevance
        values[f"P_{k}"] = ref.precision(*ranking, **at_k)
        values[f"recall_{k}"] = ref.recall(*ranking, **at_k)
        values[f"relative_P_{k}"] = ref.recall(*ranking, capped=True, **at_k)
        values[f"success_{k}"] = ref.success(*ranking, **at_k)
        values[f"map_cut_{k}"] = ref.average_precision(*ranking, **at_k)
        values[f"ndcg_cut_{k}"] = ref.ndcg(*ranking, k=k)
    for tenth in range(11):
        values[f"iprec_at_recall_{tenth / 10:.2f}"] = ref.interpolated_precision(
            *ranking, recall_level=tenth / 10, **rounding
        )
    found = ref.count_relevant(ranked, threshold)
    base = ref.recall_base(ranked, unretrieved, threshold)
    table = found, len(ranked) - found, base - found, 0
    values["set_P"] = ref.set_precision(*table)
    values["set_recall"] = ref.set_recall(*table)
    values["set_F"] = ref.set_fbeta(*table)
    return values


@pytest.mark.parametrize("threshold", [1, 2])
def test_trec_eval_9(queries, threshold):
    names = {"map", "Rprec", "recip_rank", "bpref", "infAP", "11pt_avg", "ndcg"}
    names |= {"iprec_at_recall", "set_P", "set_recall", "set_F"}
    for k in CUTOFFS:
        names |= {f"P_{k}", f"recall_{k}", f"relative_P_{k}", f"success_{k}"}
        names |= {f"map_cut_{k}", f"ndcg_cut_{k}"}
    evaluator = pytrec_eval.RelevanceEvaluator(
        {query: qrels for query, (qrels, _) in queries.items()},
        names,
        relevance_level=threshold,
    )
    theirs = evaluator.evaluate({query: run for query, (_, run) in queries.items()})
    assert len(theirs) > 150
    for query, expected in theirs.items():
        ours = trec_values(*ref.trec_ranking(*queries[query]), threshold)
        for name, value in expected.items():
            mine = ours.get(name)
            assert mine is not None, name
            mine = 0.0 if mine != mine else mine  # trec_eval's value of nothing
            assert mine == pytest.approx(value, abs=1e-9), (name, query)


def test_trec_eval_9_condensed_list(queries):
    names = {"map", "P_5", "ndcg", "recip_rank"}
    evaluator = pytrec_eval.RelevanceEvaluator(
        {query: qrels for query, (qrels, _) in queries.items()},
        names,
        judged_docs_only_flag=True,
    )
    theirs = evaluator.evaluate({query: run for query, (_, run) in queries.items()})
    for query, expected in theirs.items():
        qrels, run = queries[query]
        if min(qrels.values()) < 0:
            continue  # a negative grade counts as judged there
        ranked, unretrieved = ref.trec_ranking(qrels, run)
        ours = trec_values(list(filter(ref.is_judged, ranked)), unretrieved, 1)
        for name, value in expected.items():
            mine = 0.0 if ours[name] != ours[name] else ours[name]
            assert mine == pytest.approx(value, abs=1e-9), (name, query)


def random_ranking(rng, n, levels=(0, 0, 1, 2, 3)):
    grades = [float(rng.choice(levels)) for _ in range(n)]
    return grades, [float(rng.randint(0, 2 * n)) for _ in range(n)]


def by_score(grades, scores):
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    return [grades[i] for i in order]


def test_scikit_learn_dcg_and_ndcg_with_ties():
    rng = random.Random(1)
    for _ in range(60):
        grades, scores = random_ranking(rng, rng.randint(2, 7))
        for k in (None, 1, 3):
            options = {"k": k}
            expected = metrics.dcg_score([grades], [scores], **options)
            assert ref.mean_over_orders(
                ref.dcg, grades, scores, **options
            ) == pytest.approx(expected, abs=1e-12)
            if sum(grades):
                expected = metrics.ndcg_score([grades], [scores], **options)
                assert ref.mean_over_orders(
                    ref.ndcg, grades, scores, **options
                ) == pytest.approx(expected, abs=1e-12)


def test_scikit_learn_dcg_with_another_base():
    rng = random.Random(2)
    grades, scores = random_ranking(rng, 6)
    expected = metrics.dcg_score([grades], [scores], log_base=3)
    mine = ref.mean_over_orders(ref.dcg, grades, scores, log_base=3.0)
    assert mine == pytest.approx(expected, abs=1e-12)


def test_scikit_learn_average_precision_and_roc_auc():
    rng = random.Random(3)
    for _ in range(100):
        n = rng.randint(2, 25)
        grades = [float(rng.random() < 0.4) for _ in range(n)]
        if len(set(grades)) < 2:
            continue
        scores = [float(s) for s in rng.sample(range(100), n)]
        ranked = by_score(grades, scores)
        assert ref.average_precision(ranked, []) == pytest.approx(
            metrics.average_precision_score(grades, scores), abs=1e-12
        )
        assert ref.roc_auc(ranked, []) == pytest.approx(
            metrics.roc_auc_score(grades, scores), abs=1e-12
        )


def test_scikit_learn_roc_auc_with_ties_and_unretrieved_documents():
    rng = random.Random(4)
    for _ in range(40):
        grades, scores = random_ranking(rng, 7, levels=(0, 1))
        if len(set(grades)) < 2:
            continue
        scores = [s // 4 for s in scores]
        expected = metrics.roc_auc_score(grades, scores)
        unretrieved = [s if s > 0 else -ref.math.inf for s in scores]
        for case in (scores, unretrieved):
            mine = ref.mean_over_orders(ref.roc_auc, grades, case)
            assert mine == pytest.approx(expected, abs=1e-12)


def test_scikit_learn_sets():
    rng = random.Random(5)
    for _ in range(50):
        y_true = [rng.randint(0, 1) for _ in range(12)]
        y_pred = [rng.randint(0, 1) for _ in range(12)]
        if len({*y_true}) < 2 or len({*y_pred}) < 2:
            continue
        counts = ref.confusion(y_true, y_pred)
        expected = metrics.confusion_matrix(y_true, y_pred, labels=[1, 0])
        tp, fn, fp, tn = map(int, expected.ravel())
        assert counts == (tp, fp, fn, tn)
        pairs = [
            (ref.set_precision, metrics.precision_score(y_true, y_pred)),
            (ref.set_recall, metrics.recall_score(y_true, y_pred)),
            (ref.set_fbeta, metrics.f1_score(y_true, y_pred)),
            (ref.set_accuracy, metrics.accuracy_score(y_true, y_pred)),
            (ref.set_specificity, metrics.recall_score(y_true, y_pred, pos_label=0)),
            (ref.set_fallout, fp / (fp + tn)),
            (ref.set_miss_rate, fn / (tp + fn)),
            (ref.set_false_alarm, fp / (tp + fp)),
        ]
        for f, value in pairs:
            assert f(*counts) == pytest.approx(value), f
        f2 = metrics.fbeta_score(y_true, y_pred, beta=2)
        assert ref.set_fbeta(*counts, beta=2) == pytest.approx(f2)
        assert ref.set_fbeta(*counts, alpha=0.2) == pytest.approx(f2)
        assert ref.set_e_measure(*counts, alpha=0.2) == pytest.approx(1 - f2)
        kappa = metrics.cohen_kappa_score(y_true, y_pred)
        assert ref.cohen_kappa(y_true, y_pred) == pytest.approx(kappa)
        cost = ref.set_cost(y_true, y_pred, cost_matrix=[[1, 2], [3, 5]])
        assert cost == tn + 2 * fp + 3 * fn + 5 * tp


def test_scipy_rank_correlations():
    rng = random.Random(6)
    for _ in range(60):
        n = rng.randint(3, 15)
        x = [float(rng.randint(0, 6)) for _ in range(n)]
        y = [float(rng.randint(0, 6)) for _ in range(n)]
        if len({*x}) < 2 or len({*y}) < 2:
            continue
        tau = stats.kendalltau(x, y).statistic
        assert ref.kendall_tau(x, y) == pytest.approx(tau, abs=1e-12)
        rho = stats.spearmanr(x, y).statistic
        assert ref.spearman_rho(x, y) == pytest.approx(rho, abs=1e-12)


# Vectors and values of the tests of the R package ircor, by the authors of the paper
# "The treatment of ties in AP correlation" (Urbano and Marrero, ICTIR 2017).
IRCOR = [
    {
        "x": (0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992),
        "y": (0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988),
        "x_ties": (0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1),
        "y_ties": (0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1),
        "tau_ap": 0.8519,
        "tau_ap_a": 0.7454,
        "tau_ap_b": 0.8333,
        "tau_ap_b_ties": 0.7321,
    },
    {
        "x": (0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38),
        "y": (0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644),
        "x_ties": (0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4),
        "y_ties": (0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6),
        "tau_ap": 0.2504,
        "tau_ap_a": 0.2692,
        "tau_ap_b": 0.2880,
        "tau_ap_b_ties": 0.297,
    },
    {
        "x": (0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445),
        "y": (0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25),
        "x_ties": (0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4),
        "y_ties": (0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2),
        "tau_ap": -0.6971,
        "tau_ap_a": -0.5558,
        "tau_ap_b": -0.668,
        "tau_ap_b_ties": -0.7047,
    },
]


@pytest.mark.parametrize("case", IRCOR)
def test_ap_correlation_of_its_authors(case):
    x, y, x_ties, y_ties = (case[name] for name in ("x", "y", "x_ties", "y_ties"))
    close = {"abs": 5.1e-5}
    (order,) = ref.orders_by(y)
    assert ref.tau_ap(x, order) == pytest.approx(case["tau_ap"], **close)
    assert ref.tau_ap_a(x, y) == pytest.approx(case["tau_ap"], **close)
    assert ref.tau_ap_a(x, y_ties) == pytest.approx(case["tau_ap_a"], **close)
    assert ref.tau_ap_b(x, y) == pytest.approx(case["tau_ap_b"], **close)
    for pair in ((x_ties, y_ties), (y_ties, x_ties)):
        assert ref.tau_ap_b(*pair) == pytest.approx(case["tau_ap_b_ties"], **close)


def test_rank_biased_overlap_by_hand():
    # Identical lists agree fully, disjoint ones not at all, whatever their length.
    assert ref.rank_biased_overlap("abc", "abc") == pytest.approx(1)
    assert ref.rank_biased_overlap("abc", "def") == 0
    # abc, bac: overlaps 0, 2, 3 at depths 1, 2, 3.
    p = 0.9
    expected = (1 - p) / p * (p**2 + p**3) + p**3
    assert ref.rank_biased_overlap("abc", "bac") == pytest.approx(expected)
    # Tied items are in either order: the mean over all of them.
    mean = (
        ref.rank_biased_overlap("ab", "ab") + ref.rank_biased_overlap("ab", "ba")
    ) / 2
    assert ref.mean_rank_biased_overlap([2, 1], [1, 1]) == pytest.approx(mean)
    # a, ab: beyond the short list its agreement of 1 is extrapolated.
    assert ref.rank_biased_overlap("a", "ab") == pytest.approx(1)


def test_scott_pi_by_hand():
    # Manning et al., Introduction to Information Retrieval, table 8.2: 400 documents,
    # 300 both yes, 20 and 10 disputed, 70 both no; pooled marginals.
    first = [1] * 300 + [1] * 20 + [0] * 10 + [0] * 70
    second = [1] * 300 + [0] * 20 + [1] * 10 + [0] * 70
    assert ref.scott_pi(first, second) == pytest.approx(0.776, abs=5e-4)


def test_orders_of_tied_documents():
    grades, scores = [1.0, 0.0, 2.0, 0.0, 3.0], [5.0, 5.0, 7.0, 5.0, -ref.math.inf]
    assert ref.tie_groups(grades, scores) == [[2.0], [1.0, 0.0, 0.0]]
    orders = {tuple(order) for order in ref.distinct_orders([1.0, 0.0, 0.0])}
    assert orders == {(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)}
    # 5! / (3! 2!) orders of a multiset; two kinds of unjudged documents are two kinds.
    assert len(list(ref.distinct_orders([1.0] * 3 + [0.0] * 2))) == 10
    assert len(list(ref.distinct_orders([ref.NAN, ref.POOLED, 0.0]))) == 6
    assert len(list(ref.distinct_orders([ref.NAN, float("nan")]))) == 1
    # Second relevant document at rank 2, 3 or 4, R = 3.
    mean = ref.mean_over_orders(ref.average_precision, grades, scores)
    assert mean == pytest.approx(sum((1 + 2 / r) / 3 for r in (2, 3, 4)) / 3)
    best, worst = (
        ref.extreme(ref.average_precision, grades, scores, best=best)
        for best in (True, False)
    )
    assert (best, worst) == (pytest.approx((1 + 1) / 3), pytest.approx((1 + 1 / 2) / 3))
    stable = ref.stable_order(ref.average_precision, grades, scores)
    assert stable == pytest.approx(best)


def test_pooled_documents_differ_from_other_unjudged_ones():
    ranking = [ref.POOLED, 1.0], []
    other = [ref.NAN, 1.0], []
    assert ref.inferred_average_precision(*other) == pytest.approx(0.5)
    assert ref.inferred_average_precision(*ranking) == pytest.approx(0.5 + 0.25)


def test_mean_over_queries():
    values = [0.5, ref.NAN, 0.25]
    assert ref.aggregate(values) == pytest.approx(0.375)
    assert ref.aggregate(values, undefined=0.0) == pytest.approx(0.25)
    assert ref.aggregate(values, [1, 9, 3]) == pytest.approx(1.25 / 4)
    assert ref.aggregate([0.5, 0.0], average="geometric") == pytest.approx(
        (0.5 * 1e-5) ** 0.5
    )


@pytest.mark.parametrize(
    ("name", "levels", "k", "condensed"),
    [
        ("res_test_compute.txt", (0, 1, 2, 3), 1000, False),
        ("res_test_compute_cutoff.txt", (0, 1, 2, 3), 2, False),
        ("res_test_compute_grade.txt", (0, 1, 4, 9), 1000, False),
        ("res_test_compute_label_j.txt", (0, 1, 2, 3), 1000, True),
    ],
)
def test_ntcireval(shared_data, name, levels, k, condensed):
    lines = (shared_data("pyNTCIREVAL/tests/dat") / name).read_text().splitlines()
    expected = {
        line.split("=")[0].strip(): float(line.split("=")[1])
        for line in lines
        if "#" not in line and "=" in line
    }
    # Documents 11, 1, 12 (unjudged), 4 of ten relevant ones: three each of L3, L2 and
    # four of L1.
    _, low, middle, high = map(float, levels)
    ranked = [0.0, high, middle] if condensed else [0.0, high, ref.NAN, middle]
    unretrieved = [high] * 2 + [middle] * 2 + [low] * 4
    ranking = (ranked, unretrieved)
    at_k = {"k": k}
    attainable = {"denominator": "attainable"} | at_k
    original = {"discount": "jarvelin_kekalainen"} | at_k
    cutoff = f"@{k:04d}"
    values = {
        "RR": ref.reciprocal_rank(*ranking),
        "AP": ref.average_precision(*ranking),
        "Q-measure": ref.q_measure(*ranking),
        "RBP": ref.rank_biased_precision(*ranking, persistence=0.95, max_grade=high),
        "ERR": ref.expected_reciprocal_rank(*ranking, gain="linear", max_grade=high),
        "AP" + cutoff: ref.average_precision(*ranking, **attainable),
        "Q" + cutoff: ref.q_measure(*ranking, **attainable),
        "nDCG" + cutoff: ref.ndcg(*ranking, **original),
        "MSnDCG" + cutoff: ref.ndcg(*ranking, **at_k),
        "P" + cutoff: ref.precision(*ranking, **at_k),
        "Hit" + cutoff: ref.success(*ranking, **at_k),
    }
    for measure, value in values.items():
        assert value == pytest.approx(expected[measure], abs=5.1e-5), measure
