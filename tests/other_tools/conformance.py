"""Compare every preset with the tool it stands for, and write the table of the docs.

Run from the root of the project: ``python tests/other_tools/conformance.py``. Writes
``docs/conformance.md``; exits with 1 when a number differs or a tool is missing. It
needs the extras ``rankers``, ``frames`` and ``bench``, torchmetrics, python-terrier,
cwl-eval, pyndeval, allRank, LensKit, ml_metrics, Java and Perl.
"""

import argparse
import contextlib
import itertools
import random
import re
import sys
import textwrap
import warnings
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from types import SimpleNamespace

import numpy as np
from sklearn import metrics as sklearn_metrics

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import conformance_frameworks  # noqa: E402
import conformance_runs  # noqa: E402

from sklearn_irmetrics.metrics._measure import as_measure  # noqa: E402
from sklearn_irmetrics.metrics.presets import PRESETS, preset  # noqa: E402
from sklearn_irmetrics.runs import align, read_qrels, read_run  # noqa: E402

PAGE = ROOT / "docs" / "conformance.md"
EXPECTED = ROOT.parent / "shared" / "data" / "trec_eval" / "test"
CUTOFFS = (1, 2, 3, 5, 10, 30, 100)
EXACT, FOUR_DECIMALS = 1e-6, 5.01e-5


@dataclass
class Row:
    """One line of the table: a measure of ours against a name of the tool's."""

    tool: str
    measure: str
    theirs: str
    more: dict
    tolerance: float = EXACT
    n_values: int = 0
    difference: float = 0.0

    @property
    def arguments(self):
        """The preset, if there is one, with what this name of the tool's asks."""
        arguments = PRESETS.get(self.tool, {}).get(self.measure, {}) | self.more
        if "{}" in self.theirs:  # the cutoff of the name
            arguments.pop("k", None)
        return arguments


@dataclass
class Table:
    """What was compared so far, by tool, measure and name of the tool's."""

    rows: dict = field(default_factory=dict)

    def add(self, tool, name, theirs, ours, expected, more, tolerance=EXACT):
        """Take in values of ours and of the tool's."""
        key = (tool, name.partition("@")[0], theirs)
        row = self.rows.setdefault(key, Row(*key, more, tolerance))
        ours, expected = np.atleast_1d(ours), np.atleast_1d(expected)
        with np.errstate(invalid="ignore"):
            differences = np.abs(ours - expected)
        differences[np.isnan(ours) & np.isnan(expected)] = 0.0
        # A NaN on one side only must not be lost in a maximum.
        differences[np.isnan(differences)] = np.inf
        row.n_values += len(differences)
        row.difference = max(row.difference, float(differences.max(initial=0.0)))


def score(tool, name, data, *, more=None, average=None, **arguments):
    """Return our numbers for the preset of `tool`, per query unless told otherwise."""
    arguments = preset(tool, name) | {"average": average} | (more or {}) | arguments
    metric = as_measure("measure", name).metric
    y_score = data.y_score > -np.inf if name.startswith("set_") else data.y_score
    if name.startswith("infap"):
        arguments["pooled"] = data.pooled
    return metric.function(data.y_true, y_score, qid=data.qid, **arguments)


def draw(seed, *, n_queries=60, levels=2, decimals=1, n_documents=(1, 30)):
    """Draw queries with tied float32 scores; some have nothing to find."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(*n_documents, n_queries)
    qid = np.repeat(np.arange(n_queries), lengths)
    y_true = rng.integers(0, levels, len(qid)) * (rng.random(len(qid)) < 0.5)
    y_true[np.isin(qid, np.arange(0, n_queries, 7))] = 0
    y_score = np.round(rng.standard_normal(len(qid)), decimals).astype(np.float32)
    return SimpleNamespace(
        y_true=y_true.astype(np.float64), y_score=y_score, qid=qid, lengths=lengths
    )


def by_query(data):
    """Return grades and scores of one query after the other."""
    ends = np.cumsum(data.lengths)[:-1]
    return zip(np.split(data.y_true, ends), np.split(data.y_score, ends), strict=True)


# trec_eval ----------------------------------------------------------------------------

# Our measure, trec_eval's name, what its name asks besides; {} stands for the cutoff.
TREC_EVAL = [
    ("p@{}", "P_{}", {}),
    ("recall@{}", "recall_{}", {}),
    ("recall@{}", "relative_P_{}", {"capped": True}),
    ("success@{}", "success_{}", {}),
    ("rprec", "Rprec", {}),
    ("rr", "recip_rank", {}),
    ("ap", "map", {}),
    ("ap@{}", "map_cut_{}", {}),
    ("gmap", "gm_map", {}),
    ("iprec@{}", "iprec_at_recall_{}", {}),
    ("11pt", "11pt_avg", {}),
    ("bpref", "bpref", {}),
    ("bpref", "gm_bpref", {"average": "geometric"}),
    ("infap", "infAP", {}),
    ("ndcg", "ndcg", {}),
    ("ndcg@{}", "ndcg_cut_{}", {}),
    ("set_p", "set_P", {}),
    ("set_recall", "set_recall", {}),
    ("set_f1", "set_F", {}),
    ("set_f", "set_F", {}),
]
RANK_BIASED = [("rbp", "rbp", {}), ("rbp_residual", "rbp_resid", {})]
LEVELS = tuple(f"{tenth / 10:.2f}" for tenth in range(11))


def spelled(ours, theirs, cutoffs):
    """Return the names at every cutoff, or at every recall level."""
    if "{}" not in ours:
        return [(ours, theirs)]
    points = LEVELS if ours.startswith("iprec") else cutoffs
    return [(ours.format(point), theirs.format(point)) for point in points]


def draw_trec(seed, n_queries=120):
    """Draw judgments and a run: ties, some by float32 only, and negative grades."""
    rng = random.Random(seed)
    qrels, run = {}, {}
    for query in range(n_queries):
        n_documents = rng.choice([1, 2, 5, 12, 12, 150])
        documents = [f"D{number}" for number in rng.sample(range(1000), n_documents)]
        levels = rng.choice([(0, 1), (0, 0, 0, 1, 2, 3), (-2, -1, 0, 0, 1, 2)])
        decimals = rng.choice([0, 1, 12])
        judged = {d: rng.choice(levels) for d in documents if rng.random() < 0.7}
        scores = {
            d: round(rng.gauss(0, 2), decimals) + rng.choice([0, 1e-9, -1e-9])
            for d in documents
            if rng.random() < 0.8
        }
        # pytrec_eval can crash on a query that has negative grades only.
        if scores and max(judged.values(), default=-1) >= 0:
            qrels[f"q{query:03d}"], run[f"q{query:03d}"] = judged, scores
    return qrels, run


def compare_trec_eval9(table):
    """Compare with pytrec_eval, which runs the code of trec_eval 9."""
    import pytrec_eval

    asked = {"iprec_at_recall"} | {
        name
        for ours, theirs, _ in TREC_EVAL
        for _, name in spelled(ours, theirs, CUTOFFS)
        if not name.startswith("iprec")
    }
    for seed in range(4):
        qrels, run = draw_trec(seed)
        rounded = read_run(run, dtype=np.float32)
        data = align(qrels, rounded, unmatched="ignore")
        results = pytrec_eval.RelevanceEvaluator(qrels, asked).evaluate(run)
        queries = list(dict.fromkeys(data.qid))
        for ours, theirs, more in TREC_EVAL:
            for name, their_name in spelled(ours, theirs, CUTOFFS):
                expected = np.array([results[query][their_name] for query in queries])
                average = None
                if their_name.startswith("gm_"):
                    expected, average = np.exp(expected.mean()), "geometric"
                values = score("trec_eval9", name, data, more=more, average=average)
                table.add("trec_eval9", name, theirs, values, expected, more)
        results = pytrec_eval.RelevanceEvaluator(qrels, {"set_F.4"}).evaluate(run)
        expected = [results[query]["set_F"] for query in queries]
        values = score("trec_eval9", "set_f", data, beta=2.0)
        table.add("trec_eval9", "set_f", "set_F.4", values, expected, {"beta": 2.0})


# Expected files of trec_eval 10: file, qrels, run, relevance level, documents used.
FILES = [
    ("out.test.aq", "qrels.test", "results.test", 1, None),
    ("out.test.aqcM", "qrels.test", "results.trunc", 1, 100),
    ("out.test.aql", "qrels.rel_level", "results.test", 2, None),
]
# Queries of binary grades: of others trec_eval 10-rc computes rbp of unset memory.
BINARY = {("out.test.aq", "301"), ("out.test.aq", "302")}
FILE_CUTOFFS = (1, 5, 10, 15, 20, 30, 100, 200, 500, 1000)


def compare_trec_eval10(table):
    """Compare with the files that trec_eval 10 comes with, of 4 decimals."""
    if not EXPECTED.is_dir():
        raise ImportError(f"the expected files are not in {EXPECTED}")
    for file, qrels, run, level, max_docs in FILES:
        data = align(
            read_qrels(EXPECTED / qrels), read_run(EXPECTED / run), max_docs=max_docs
        )
        queries = list(dict.fromkeys(data.qid))
        lines = (EXPECTED / file).read_text().splitlines()
        printed = {tuple(line.split()[:2]): line.split()[2] for line in lines}
        for ours, theirs, more in [*TREC_EVAL, *RANK_BIASED]:
            for name, their_name in spelled(ours, theirs, FILE_CUTOFFS):
                if (their_name, "all") not in printed:
                    continue
                arguments = dict(more)
                if level != 1 and not name.startswith(("ndcg", "rbp_residual")):
                    arguments["relevance_threshold"] = level
                if their_name.startswith("gm_"):
                    expected = [float(printed[their_name, "all"])]
                    arguments["average"] = "geometric"
                else:
                    expected = [float(printed[their_name, q]) for q in queries]
                values = np.atleast_1d(score("trec_eval10", name, data, more=arguments))
                if name.startswith("rbp"):
                    sound = [(file, query) in BINARY for query in queries]
                    values, expected = values[sound], np.array(expected)[sound]
                table.add(
                    "trec_eval10", name, theirs, values, expected, more, FOUR_DECIMALS
                )


# LightGBM and XGBoost -----------------------------------------------------------------


def draws(*, levels, n_queries=40):
    """Draw long queries, then queries with many, few and hardly any ties."""
    size = {"n_queries": n_queries // 3, "n_documents": (40, 100)}
    return [
        draw(3, levels=levels, decimals=1, **size),
        *(
            draw(seed, levels=levels, decimals=decimals, n_queries=n_queries)
            for seed, decimals in enumerate((0, 1, 6))
        ),
    ]


def lightgbm_results(names, queries):
    """Return LightGBM's values of each (grades, scores, group), by name.

    The scores are the initial scores of a model without trees.
    """
    import lightgbm

    options = {
        "objective": "lambdarank",
        "metric": names,
        "eval_at": list(CUTOFFS),
        "verbosity": -1,
        "num_threads": 1,
    }
    X = np.arange(100.0)[:, np.newaxis]
    train = lightgbm.Dataset(X, X[:, 0] % 2, group=[len(X)], params=options)
    model = lightgbm.Booster(options, train)
    for number, (y_true, y_score, group) in enumerate(queries):
        valid = train.create_valid(
            X[: len(y_true)], y_true, group=group, init_score=y_score, params=options
        )
        model.add_valid(valid, str(number))
    results = [{} for _ in queries]
    for number, name, value, *_ in model.eval_valid():
        results[int(number)][name] = value
    return results


def compare_lightgbm(table):
    """Compare with LightGBM's evaluation of validation sets of one query each."""
    for data in [*draws(levels=2), *draws(levels=5)]:
        queries = [(*query, [len(query[0])]) for query in by_query(data)]
        results = lightgbm_results(["ndcg", "map"], queries)
        for ours, theirs in (("ap@{}", "map@{}"), ("ndcg@{}", "ndcg@{}")):
            for name, their_name in spelled(ours, theirs, CUTOFFS):
                expected = [result[their_name] for result in results]
                values = score("lightgbm", name, data)
                table.add("lightgbm", name, theirs, values, expected, {})


# Our measure, XGBoost's name, what its name asks besides, largest grade it takes.
XGBOOST = [
    ("p", "pre", {}, 1),
    ("p@{}", "pre@{}", {}, 1),
    ("ap", "map", {}, 1),
    ("ap@{}", "map@{}", {}, 1),
    ("ap@{}", "map@{}-", {"replace_undefined_by": 0.0}, 1),
    ("ndcg", "ndcg", {}, 4),
    ("ndcg@{}", "ndcg@{}", {}, 4),
    ("ndcg@{}", "ndcg@{}-", {"replace_undefined_by": 0.0}, 4),
]


def xgboost_results(names, queries):
    """Return XGBoost's values of each (grades, scores), by name.

    The scores are the base margin of a model without trees.
    """
    import xgboost

    rows = [
        xgboost.DMatrix(
            np.zeros((len(y_true), 1)),
            y_true,
            base_margin=y_score,
            qid=np.zeros(len(y_true), dtype=int),
            nthread=1,
        )
        for y_true, y_score in queries
    ]
    options = {"objective": "rank:ndcg", "eval_metric": names, "nthread": 1}
    model = xgboost.train(options, rows[0], num_boost_round=0)
    printed = [model.eval(query, name="").split()[1:] for query in rows]
    return [
        {name.removeprefix("-"): float(value) for name, value in pairs}
        for pairs in ([item.rsplit(":", 1) for item in line] for line in printed)
    ]


def compare_xgboost(table):
    """Compare with XGBoost's evaluation of one query each."""
    for largest in (1, 4):
        named = [
            (name, their_name, theirs, more)
            for ours, theirs, more, grades in XGBOOST
            if largest <= grades
            for name, their_name in spelled(ours, theirs, CUTOFFS)
        ]
        for data in draws(levels=largest + 1):
            results = xgboost_results([n for _, n, _, _ in named], list(by_query(data)))
            for name, their_name, theirs, more in named:
                expected = [result[their_name] for result in results]
                values = score("xgboost", name, data, more=more)
                table.add("xgboost", name, theirs, values, expected, more)


# Our measure, CatBoost's name, what its name asks besides, largest grade it takes.
CATBOOST = [
    ("p@{}", "PrecisionAt:top={}", {}, 4),
    ("recall@{}", "RecallAt:top={}", {}, 4),
    ("rr", "MRR", {}, 4),
    ("rr@{}", "MRR:top={}", {}, 4),
    ("ap", "MAP", {}, 4),
    ("ap@{}", "MAP:top={}", {}, 4),
    ("ap@{}", "MAP:top={};border=1.5", {"relevance_threshold": 2}, 4),
    ("roc_auc", "QueryAUC", {}, 1),
    ("dcg", "DCG", {}, 4),
    ("dcg@{}", "DCG:top={}", {}, 4),
    ("ndcg", "NDCG", {}, 4),
    ("ndcg@{}", "NDCG:top={}", {}, 4),
    ("ndcg@{}", "NDCG:top={};type=Exp", {"gain": "exponential"}, 4),
    ("ndcg@{}", "NDCG:top={};denominator=Position", {"discount": "reciprocal"}, 4),
]


def catboost_value(name, y_true, y_score):
    """Return CatBoost's value of one query."""
    from catboost.utils import eval_metric

    one = np.zeros(len(y_true), dtype=int)
    return eval_metric(y_true, y_score.astype(np.float64), name, group_id=one)[0]


def compare_catboost(table):
    """Compare with CatBoost's evaluation of one query each."""
    for largest in (1, 4):
        for data in draws(levels=largest + 1, n_queries=15):
            for ours, theirs, more, grades in CATBOOST:
                if largest > grades:
                    continue
                for name, their_name in spelled(ours, theirs, CUTOFFS):
                    expected = [catboost_value(their_name, *q) for q in by_query(data)]
                    values = score("catboost", name, data, more=more)
                    table.add("catboost", name, theirs, values, expected, more)


# scikit-learn -------------------------------------------------------------------------


def compare_sklearn(table):
    """Compare with scikit-learn, a query at a time where it has no queries."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # its own for undefined queries
        _compare_sklearn_rows(table)
        _compare_sklearn_rankings(table)
        _compare_sklearn_sets(table)


def _compare_sklearn_rows(table):
    for seed, decimals in enumerate((0, 1, 6)):
        rng = np.random.default_rng(seed)
        grades = rng.integers(0, 5, (40, 15)) * (rng.random((40, 15)) < 0.4)
        grades[::7] = 0
        scores = np.round(rng.standard_normal(grades.shape), decimals)
        data = SimpleNamespace(y_true=grades, y_score=scores, qid=None)
        for base in ("dcg", "ndcg"):
            theirs = getattr(sklearn_metrics, f"{base}_score")
            for k in (*CUTOFFS, None):
                name = base if k is None else f"{base}@{k}"
                expected = [
                    theirs([row], [scored], k=k)
                    for row, scored in zip(grades, scores, strict=True)
                ]
                ours = score("sklearn", name, data)
                table.add("sklearn", name, f"{base}_score", ours, expected, {})
    # Without ties, which it takes as one step.
    binary = SimpleNamespace(y_true=(grades > 0) * 1, y_score=scores, qid=None)
    theirs = sklearn_metrics.label_ranking_average_precision_score
    expected = [
        theirs([row], [scored])
        for row, scored in zip(binary.y_true, scores, strict=True)
    ]
    more = {"replace_undefined_by": 1.0}
    ours = score("sklearn", "ap", binary, more=more)
    table.add("sklearn", "ap", theirs.__name__, ours, expected, more)
    classes = np.arange(15)
    labels = rng.integers(0, 15, 40)
    of_class = labels[:, np.newaxis] == classes
    one_relevant = SimpleNamespace(y_true=of_class, y_score=scores, qid=None)
    for k in (1, 2, 5):
        theirs = sklearn_metrics.top_k_accuracy_score
        expected = theirs(labels, scores, k=k, labels=classes)
        ours = score("sklearn", f"success@{k}", one_relevant, average="macro")
        table.add("sklearn", "success", theirs.__name__, ours, expected, {})


def _compare_sklearn_rankings(table):
    for data in draws(levels=2):
        expected = [sklearn_metrics.roc_auc_score(*query) for query in by_query(data)]
        ours = score("sklearn", "roc_auc", data)
        table.add("sklearn", "roc_auc", "roc_auc_score", ours, expected, {})
    theirs = sklearn_metrics.average_precision_score  # the last draw has no ties
    expected = [theirs(*query) for query in by_query(data)]
    table.add(
        "sklearn", "ap", theirs.__name__, score("sklearn", "ap", data), expected, {}
    )


def _compare_sklearn_sets(table):
    rng = np.random.default_rng(0)
    for share in (0.0, 0.3, 0.6, 1.0):
        for retrieved in (0.0, 0.5, 1.0):
            y_true = (rng.random(30) < share).astype(int)
            y_pred = rng.random(30) < retrieved
            data = SimpleNamespace(
                y_true=y_true, y_score=np.where(y_pred, 0.0, -np.inf), qid=None
            )
            for measure, theirs, more in SKLEARN_SETS:
                expected = getattr(sklearn_metrics, theirs)(y_true, y_pred, **more)
                ours = score("sklearn", measure, data, more=more)
                table.add("sklearn", measure, theirs, ours, expected, more)


SKLEARN_SETS = [
    ("set_p", "precision_score", {}),
    ("set_recall", "recall_score", {}),
    ("set_f1", "f1_score", {}),
    ("set_f", "fbeta_score", {"beta": 2.0}),
    ("set_accuracy", "accuracy_score", {}),
]


# ranx ---------------------------------------------------------------------------------

RANX = [
    ("p", "precision", {}),
    ("p@{}", "precision@{}", {}),
    ("recall", "recall", {}),
    ("recall@{}", "recall@{}", {}),
    ("f1", "f1", {}),
    ("f1@{}", "f1@{}", {}),
    ("success", "hit_rate", {}),
    ("success@{}", "hit_rate@{}", {}),
    ("rprec", "r-precision", {}),
    ("rr", "mrr", {}),
    ("rr@{}", "mrr@{}", {}),
    ("ap", "map", {}),
    ("ap@{}", "map@{}", {}),
    ("ap", "map-l2", {"relevance_threshold": 2}),
    ("bpref", "bpref", {}),
    ("rbp", "rbp.80", {"persistence": 0.8}),
    ("dcg", "dcg", {}),
    ("dcg@{}", "dcg@{}", {}),
    ("dcg", "dcg_burges", {"gain": "exponential"}),
    ("ndcg", "ndcg", {}),
    ("ndcg@{}", "ndcg@{}", {}),
    ("ndcg@{}", "ndcg_burges@{}", {"gain": "exponential"}),
]


def draw_pool(seed, grades, *, n_queries=60, both_kinds=False):
    """Draw queries without ties, some documents unjudged, some not retrieved."""
    rng = np.random.default_rng(seed)
    y_true, y_score, lengths = [], [], []
    while len(lengths) < n_queries:
        n_documents = rng.integers(1, 40)
        judged = np.where(
            rng.random(n_documents) < 0.7, rng.choice(grades, n_documents), np.nan
        )
        scores = np.where(
            rng.random(n_documents) < 0.8, rng.standard_normal(n_documents), -np.inf
        )
        kinds = set((judged[~np.isnan(judged)] >= 1).tolist())
        if kinds and (scores > -np.inf).any() and (len(kinds) == 2 or not both_kinds):
            y_true.append(judged)
            y_score.append(scores)
            lengths.append(n_documents)
    return SimpleNamespace(
        y_true=np.concatenate(y_true),
        y_score=np.concatenate(y_score),
        qid=np.repeat(np.arange(n_queries), lengths),
        lengths=np.array(lengths),
    )


def ranx_results(names, qrels, run):
    """Return ranx's values per query, by name."""
    import ranx

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numba's, about casts in ranx
        qrels, run = ranx.Qrels(qrels), ranx.Run(run)
        ranx.evaluate(qrels, run, list(dict.fromkeys(names)))
    return {name: np.array(list(run.scores[name].values())) for name in names}


def compare_ranx(table):
    """Compare with ranx, which compiles for half a minute at its first use."""
    signed, unsigned, binary = (-1, 0, 0, 1, 2, 3), (0, 0, 1, 2, 3), (0, 0, 1)
    for seed, (grades, both_kinds) in enumerate(
        [(signed, False), (signed, True), (unsigned, False), (binary, False)]
    ):
        data = draw_pool(seed, grades, both_kinds=both_kinds)
        qrels, run = {}, {}
        for query, (judged, scores) in enumerate(by_query(data)):
            qrels[f"q{query:03d}"] = {
                f"d{i}": int(grade)
                for i, grade in enumerate(judged)
                if not np.isnan(grade)
            }
            run[f"q{query:03d}"] = {
                f"d{i}": float(s) for i, s in enumerate(scores) if s > -np.inf
            }
        named = [
            (name, their_name, theirs, more)
            for ours, theirs, more in RANX
            if (both_kinds or not ours.startswith("bpref"))
            and (min(grades) >= 0 or not ours.startswith("dcg"))
            and (grades == binary or not ours.startswith("rbp"))
            for name, their_name in spelled(ours, theirs, CUTOFFS)
        ]
        results = ranx_results(
            [their_name for _, their_name, _, _ in named], qrels, run
        )
        for name, their_name, theirs, more in named:
            values = score("ranx", name, data, more=more)
            table.add("ranx", name, theirs, values, results[their_name], more)


# torchmetrics and Spark ---------------------------------------------------------------


TORCHMETRICS = [
    ("p", "precision"),
    ("p@{}", "precision"),
    ("recall", "recall"),
    ("recall@{}", "recall"),
    ("success", "hit_rate"),
    ("success@{}", "hit_rate"),
    ("rprec", "r_precision"),
    ("rr", "reciprocal_rank"),
    ("rr@{}", "reciprocal_rank"),
    ("ap", "average_precision"),
    ("ap@{}", "average_precision"),
    ("roc_auc", "auroc"),
    ("ndcg", "normalized_dcg"),
    ("ndcg@{}", "normalized_dcg"),
]


def torchmetrics_values(name, data, k=None):
    """Return torchmetrics' value of every query, in single precision."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch
        from torchmetrics.functional import retrieval

    function = getattr(retrieval, f"retrieval_{name}")
    options = {} if k is None else {"top_k": k}
    return [
        float(function(torch.tensor(scores), torch.tensor(grades).long(), **options))
        for grades, scores in by_query(data)
    ]


def compare_torchmetrics(table):
    """Compare with torchmetrics: positive scores without ties, nDCG with ties, too."""
    for levels, decimals in itertools.product((2, 5), (6, 0)):
        data = draw(levels, levels=levels, decimals=decimals)
        data.y_score = np.exp(data.y_score)  # it takes scores <= 0 for not retrieved
        for ours, theirs in TORCHMETRICS:
            knows_ties = theirs in ("auroc", "normalized_dcg")
            if (levels > 2 and ours[:4] != "ndcg") or (not decimals and not knows_ties):
                continue
            for name, _ in spelled(ours, "", CUTOFFS):
                k = as_measure("measure", name).arguments.get("k")
                expected = torchmetrics_values(theirs, data, k)
                values = score("torchmetrics", name, data)
                table.add(
                    "torchmetrics", name, f"retrieval_{theirs}", values, expected, {}
                )


def torchmetrics_by_ties():
    """Return both values of MRR@3 of the query in which ties tell most."""
    data = draw(2, levels=2, decimals=0)
    data.y_score = np.exp(data.y_score)
    theirs = np.array(torchmetrics_values("reciprocal_rank", data, 3))
    ours = score("torchmetrics", "rr@3", data)
    worst = np.abs(ours - theirs).argmax()
    return ours[worst], theirs[worst]


SPARK = [
    ("p@{}", "precisionAt"),
    ("recall@{}", "recallAt"),
    ("ap", "meanAveragePrecision"),
    ("ap@{}", "meanAveragePrecisionAt"),
    ("ndcg@{}", "ndcgAt"),
]


@contextlib.contextmanager
def spark_context():
    """Yield the context of a small Spark, which needs Java."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[1]")
        for name, value in {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
            "spark.sql.codegen.wholeStage": "false",
            "spark.pyspark.python": sys.executable,
            "spark.log.level": "ERROR",
        }.items():
            builder = builder.config(name, value)
        try:
            session = builder.getOrCreate()
        except Exception as error:
            raise ImportError(f"Spark does not start: {error}") from error
        try:
            yield session.sparkContext
        finally:
            session.stop()


def spark_metrics(context, queries, *, relevance):
    """Return Spark's RankingMetrics of queries: documents ranked, relevant, grades.

    PySpark passes no grades on, so `relevance` takes the class of the JVM itself.
    """
    if not relevance:
        from pyspark.mllib.evaluation import RankingMetrics

        return RankingMetrics(context.parallelize([query[:2] for query in queries]))
    jvm, new_array = context._jvm, context._gateway.new_array
    rows = jvm.java.util.ArrayList()
    for query in queries:
        arrays = []
        for values, kind in zip(
            query, [jvm.java.lang.Object] * 2 + [jvm.double], strict=True
        ):
            arrays.append(new_array(kind, len(values)))
            for place, value in enumerate(values):
                arrays[-1][place] = value
        rows.add(jvm.scala.Tuple3(*arrays))
    return jvm.org.apache.spark.mllib.evaluation.RankingMetrics(
        context._jsc.parallelize(rows).rdd(), jvm.scala.reflect.ClassTag.Any()
    )


def as_spark_queries(data):
    """Return documents ranked, those relevant by falling grade, and their grades."""
    queries = []
    for judged, scores in by_query(data):
        known = np.nan_to_num(judged)
        ranked = np.argsort(-scores)[: (scores > -np.inf).sum()]
        relevant = np.argsort(-known, kind="stable")[: (known > 0).sum()]
        grades = known[relevant].tolist()
        queries.append((ranked.tolist(), relevant.tolist(), grades))
    return queries


def compare_spark(table):
    """Compare with Spark: means over queries, some with nothing to find."""
    with spark_context() as context:
        for relevance, grades in ((False, (0, 0, 1)), (True, (0, 0, 1, 2, 3))):
            data = draw_pool(relevance, grades)
            queries = sorted(as_spark_queries(data), key=lambda query: -len(query[1]))
            known = spark_metrics(context, queries, relevance=relevance)
            for ours, theirs in SPARK:
                if relevance and theirs != "ndcgAt":
                    continue
                for name, _ in spelled(ours, "", CUTOFFS):
                    k = as_measure("measure", name).arguments.get("k")
                    expected = getattr(known, theirs)
                    expected = expected if k is None else expected(k)
                    values = score("spark", name, data, average="macro")
                    shown = f"{theirs}, grades in Scala" if relevance else theirs
                    table.add("spark", name, shown, values, expected, {})


# Differences that remain --------------------------------------------------------------


def number(tool, name, y_true, y_score, **more):
    """Return our number of one ranking."""
    metric = as_measure("measure", name).metric
    return metric.function(y_true, y_score, **preset(tool, name) | more)


def remaining():
    """Return rows of tool, name there, what it does, our and its number (or None)."""
    tied, equal, three = [1, 0, 0, 1, 0], [1.0] * 5, [[1.0, 1.0, 0.0]]
    two_queries = ([1, 0, 1, 0], [2.0, 1.0, 0.2, 0.1])
    one_found = ([1.0, 0.0, 0.0, 0.0], [4.0, 1.0, 2.0, 3.0])
    run = {"a": {"x": 2.0, "y": 1.0}, "b": {"x": 2.0, "y": 1.0}}
    nothing_first = {"a": {"x": 0, "y": 0}, "b": {"x": 1, "y": 0}}
    many = {f"d{i}": int(i == 0) for i in range(30)}
    (lightgbm,) = lightgbm_results(["auc"], [(*two_queries, [2, 2])])
    (xgboost,) = xgboost_results(["auc"], [one_found])
    negative = SimpleNamespace(
        y_true=np.array([1.0, 0.0]), y_score=np.array([-1.0, -2.0]), lengths=[2]
    )
    with spark_context() as context:
        graded = [([1, 2], [2, 1], [3.0, 1.0])]
        in_python = spark_metrics(context, graded, relevance=False).ndcgAt(2)
        graded = [([1, 2], [2, 1], [1.0, 3.0])]
        unordered = spark_metrics(context, graded, relevance=True).ndcgAt(2)

    def ranx(name, qrels, run=run):
        run = {query: run[query] for query in qrels}
        return ranx_results([name], qrels, run)[name][-1]

    return [
        (
            "trec_eval9",
            "all",
            "a query of the qrels that the run lacks is left out of the mean; "
            '`align(..., missing="skip")` does the same',
            None,
            None,
        ),
        (
            "trec_eval9",
            "all, in pytrec_eval",
            "can crash on a query whose grades are all negative",
            None,
            None,
        ),
        (
            "trec_eval10",
            "rbp",
            "reads uninitialised memory unless all grades are 0 and 1: compared for "
            "such queries only",
            None,
            None,
        ),
        (
            "trec_eval10",
            "rbp_resid",
            "leaves out the tail pⁿ unless it met an unjudged document, and a query "
            "that the run lacks has 0: compared for long rankings only",
            number("trec_eval10", "rbp_residual", [1], [-np.inf]),
            0.0,
        ),
        (
            "lightgbm",
            "auc, average_precision",
            "take all rows for one ranking: leave out `qid`",
            number("sklearn", "roc_auc", *two_queries, qid=[1, 1, 2, 2]),
            lightgbm["auc"],
        ),
        (
            "xgboost",
            "auc",
            "also counts pairs of equal grades, by their place in the data",
            number("sklearn", "roc_auc", *one_found),
            xgboost["auc"],
        ),
        (
            "catboost",
            "ERR",
            "takes grades for probabilities, of whatever size, so that it can exceed "
            "1: no preset",
            as_measure("measure", "err").metric.function([3, 0], [1.0, 2.0]),
            catboost_value("ERR", np.array([3.0, 0.0]), np.array([1.0, 2.0])),
        ),
        (
            "torchmetrics",
            "all but retrieval_auroc and retrieval_normalized_dcg",
            "have no rule for ties, whose order is up to the sort of torch: compared "
            "without ties",
            *torchmetrics_by_ties(),
        ),
        (
            "torchmetrics",
            "retrieval_precision, _recall, _reciprocal_rank, _average_precision",
            "ignore documents with a score of 0 or less: compared with positive scores",
            number("torchmetrics", "rr", [1, 0], [-1.0, -2.0]),
            torchmetrics_values("reciprocal_rank", negative)[0],
        ),
        (
            "ranx",
            "all",
            "has no rule for ties, whose order is up to a quicksort: mrr of 30 "
            "documents with equal scores",
            number("ranx", "rr", list(many.values()), [1.0] * 30),
            ranx("mrr", {"a": many}, {"a": dict.fromkeys(many, 1.0)}),
        ),
        (
            "ranx",
            "bpref",
            "is NaN where no document was judged non-relevant",
            number("ranx", "bpref", [1, 1], [2.0, 1.0]),
            ranx("bpref", {"a": {"x": 1, "y": 1}}),
        ),
        (
            "ranx",
            "bpref",
            "is 0 for queries that follow one without relevant documents: compared "
            "where every query has both kinds",
            number("ranx", "bpref", [1, 0], [2.0, 1.0]),
            ranx("bpref", nothing_first),
        ),
        (
            "ranx",
            "rbp",
            "adds up the grades themselves, not their shares of the largest one: "
            "compared for grades 0 and 1",
            number("ranx", "rbp", [3, 0], [2.0, 1.0], persistence=0.8, max_grade=3),
            ranx("rbp.80", {"a": {"x": 3, "y": 0}}),
        ),
        (
            "ranx",
            "dcg, ndcg",
            "drop grades below 1: dcg was compared without negative grades",
            number("ranx", "dcg", [-1, 1], [2.0, 1.0]),
            ranx("dcg", {"a": {"x": -1, "y": 1}}),
        ),
        (
            "sklearn",
            "average_precision_score, label_ranking_average_precision_score",
            "take tied documents as one step: compared without ties",
            number("sklearn", "ap", tied, equal),
            sklearn_metrics.average_precision_score(tied, equal),
        ),
        (
            "sklearn",
            "top_k_accuracy_score",
            "puts the later of tied classes first: compared without ties",
            number("sklearn", "success@1", [[1, 0, 0]], three),
            sklearn_metrics.top_k_accuracy_score([0], three, k=1, labels=[0, 1, 2]),
        ),
        (
            "spark",
            "ndcgAt of PySpark",
            "ignores the grades that it is given, and says so in its docstring: pass "
            "`y_true > 0`. Compared for grades 0 and 1",
            number("spark", "ndcg@2", [1, 3], [2.0, 1.0]),
            in_python,
        ),
        (
            "spark",
            "ndcgAt of Scala",
            "takes the ideal in the order in which the relevant documents are given, "
            "so that it can exceed 1: compared with falling grades",
            number("spark", "ndcg@2", [3, 1], [2.0, 1.0]),
            unordered,
        ),
        *conformance_runs.remaining(),
        *conformance_frameworks.remaining(),
    ]


# The page -----------------------------------------------------------------------------

COMPARISONS = {
    "trec_eval9": compare_trec_eval9,
    "trec_eval10": compare_trec_eval10,
    "ir_measures": conformance_runs.compare_ir_measures,
    "pyterrier": conformance_runs.compare_pyterrier,
    "lightgbm": compare_lightgbm,
    "xgboost": compare_xgboost,
    "catboost": compare_catboost,
    "torchmetrics": compare_torchmetrics,
    "ranx": compare_ranx,
    "sklearn": compare_sklearn,
    "spark": compare_spark,
    "allrank": conformance_frameworks.compare_allrank,
    "tf_ranking": conformance_frameworks.compare_tf_ranking,
    "elasticsearch": conformance_frameworks.compare_elasticsearch,
    "ml_metrics": conformance_frameworks.compare_ml_metrics,
    "lenskit": conformance_frameworks.compare_lenskit,
}
INTRODUCTION = """# The same number as another tool

<!-- Written by tests/other_tools/conformance.py: run it instead of changing this page.
-->

`preset("lightgbm", "ndcg@10")` returns the arguments with which this package gives
the number of another tool. For each tool, a table lists the measures that were
compared, the number of values, the largest difference and the arguments. Below it are
the differences that no argument removes, with the values for a small example.

[Numbers that others published](published.md) are on a page of their own.

```{toctree}
:hidden:

published
```
"""
# By tool: how the page calls it, and what was compared.
TOOLS = {
    "trec_eval9": (
        "trec_eval 9 and pytrec_eval",
        "{pytrec-eval-terrier}, which runs the code of trec_eval 9, on random runs "
        "with tied scores (some only in float32), unjudged documents and negative "
        "grades. The rows are those of `runs.align`.",
    ),
    "trec_eval10": (
        "trec_eval 10",
        "The expected output that comes with its source, which has four decimals.",
    ),
    "ir_measures": (
        "ir_measures",
        "{ir-measures}, on random collections in which some queries are missing "
        "from the run or have nothing to find. There is no preset: "
        '`score_run(qrels, read_run(run, dtype=np.float32), name, ties="stable", '
        "replace_undefined_by=0.0)` gives its numbers. Behind each name stands the "
        "provider that computes it. Those of pytrec_eval and gdeval were compared "
        "with ties, the others without.",
    ),
    "pyterrier": (
        "PyTerrier",
        "{pyterrier}: `pt.Experiment` of result tables, with ties. It calls "
        "ir_measures, so the same `score_run` gives its numbers.",
    ),
    "lightgbm": (
        "LightGBM",
        "{lightgbm}: what it reports for validation sets of one query each, with "
        "given initial scores; many ties, and queries with nothing to find.",
    ),
    "xgboost": (
        "XGBoost",
        "{xgboost}: what it reports for one query at a time, with given base "
        "margins; many ties, and queries with nothing to find. Measures without a "
        "cutoff are cut at rank 32 there, and so by the presets.",
    ),
    "catboost": (
        "CatBoost",
        "{catboost}: `catboost.utils.eval_metric` of one query at a time; many "
        "ties, and queries with nothing to find. A grade is relevant there if it is "
        "above 0.5 in single precision.",
    ),
    "torchmetrics": (
        "torchmetrics",
        "{torchmetrics}, which computes in single precision: positive scores; ties "
        "for AUROC and nDCG only.",
    ),
    "ranx": (
        "ranx",
        "{ranx}: documents unjudged or not retrieved, queries with nothing to find; "
        "no ties.",
    ),
    "sklearn": (
        "scikit-learn",
        "{scikit-learn}: queries with nothing to find; ties for dcg, ndcg and roc_auc.",
    ),
    "spark": (
        "Spark",
        "{pyspark}: means of `RankingMetrics` over 60 queries, with documents "
        "unjudged or not retrieved and queries with nothing to find. Graded "
        "relevance was compared through the class of the JVM.",
    ),
    "allrank": (
        "allRank",
        "{allrank}, which computes in single precision: queries with nothing to find; "
        "no ties.",
    ),
    "tf_ranking": (
        "TF-Ranking",
        "The values in the tests that come with its source, version 0.5.5. Run on "
        "NumPy in the place of TensorFlow, its classes returned the same numbers as "
        "these presets, in single precision, for 200 random lists with padding.",
    ),
    "elasticsearch": (
        "Elasticsearch",
        "The values in the tests that come with the source of its module `rank-eval`. "
        "Pass the hits with falling scores, and rated documents that are no hits with "
        "the score −inf.",
    ),
    "ml_metrics": (
        "Kaggle's ml_metrics",
        "{ml_metrics}: lists of 8 documents, and users with nothing to find.",
    ),
    "lenskit": (
        "LensKit",
        "{lenskit}: lists of 8 items, and users with up to 6 test items, not all of "
        "them in the lists; ratings as gains of dcg and ndcg.",
    ),
}
COLUMNS = """
| measure | its name | values | difference | arguments |
|---|---|---:|---:|---|
"""
NOT_COVERED = """
## What is not here

These measures have no counterpart in this package, and so no preset:

- trec_eval: `G`, `binG`, `ndcg_rel`, `Rndcg`, `Rprec_mult`, `set_map`,
  `set_relative_P`, `utility`, `unj` and the preference measures.
- ir_measures: `Accuracy`, `BPM`, `Compat`, `INSQ`, `INST`, the `NERR` family, `SDCG`,
  `SetAP`, `NumQ`, `NumRel` and `NumRet`.
- LightGBM: `average_precision`. XGBoost: `aucpr` and `ams`. CatBoost: `PFound`, `ERR`,
  `QueryAverage` and `FilteredDCG`.
- torchmetrics: `retrieval_fall_out` and the precision-recall curve. scikit-learn:
  `coverage_error` and `label_ranking_loss`.
- TF-Ranking: `ARPMetric`, `OPAMetric` and `PWAMetric`.
"""


def compare(tools=COMPARISONS):
    """Return the rows of the table, and why some tools were not compared."""
    table, absent = Table(), {}
    for tool in tools:
        try:
            COMPARISONS[tool](table)
        except ImportError as error:
            absent[tool] = str(error)
    return list(table.rows.values()), absent


def today():
    """Return the date as pages write it."""
    day = date.today()
    return f"{day:%B} {day.day}, {day.year}"


def page(rows, differences):
    """Return the text of the page."""
    n_values = sum(row.n_values for row in rows)
    parts = [INTRODUCTION]
    parts += [f"\nOn {today()}, {len(rows)} measures and {n_values:,} values agreed.\n"]
    for tool, (title, how) in TOOLS.items():
        name = f" (`{tool}`)" if tool in PRESETS else ""
        parts.append(f"\n## {title}{name}\n\n{_filled(_with_versions(how))}\n{COLUMNS}")
        parts += [_line(row) for row in rows if row.tool == tool]
        remain = [row[1:] for row in differences if row[0] == tool]
        parts.append("\nDifferences that remain:\n\n" if remain else "")
        parts += [_item(*one) for one in remain]
    return "".join([*parts, NOT_COVERED])


def _line(row):
    """Return a line of a table; arguments are apart, so that they may be broken."""
    arguments = ", ".join(f"`{name}={v!r}`" for name, v in row.arguments.items())
    difference = f"{row.difference:.0e}" if row.difference else "0"
    cells = [f"`{row.measure}`", f"`{row.theirs}`".replace("{}", "k")]
    cells += [str(row.n_values), difference, arguments]
    return f"| {' | '.join(cells)} |\n"


def _item(theirs, what, ours, value):
    example = "" if ours is None else f" (here {ours:.4g}, there {value:.4g})"
    return _filled(f"- {theirs}: {what}{example}.", "  ") + "\n"


def _filled(text, indent=""):
    return textwrap.fill(
        text,
        88,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _with_versions(how):
    for name in re.findall("{(.*?)}", how):
        how = how.replace(f"{{{name}}}", _installed(name))
    return how


def _installed(name):
    for distribution in (name, f"{name}-cpu"):
        with contextlib.suppress(PackageNotFoundError):
            return f"{name} {version(distribution)}"
    raise ImportError(f"{name} is not installed")


def main():
    """Print what differs or is missing; return the exit status."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    start = perf_counter()
    rows, absent = compare()
    for tool, why in absent.items():
        print(f"{tool} was not compared: {why}", file=sys.stderr)
    worse = [row for row in rows if not row.difference <= row.tolerance]
    for row in worse:
        print(f"differs: {row}", file=sys.stderr)
    compared = {(row.tool, row.measure) for row in rows}
    missing = [
        f"{tool} {measure}"
        for tool, measures in PRESETS.items()
        for measure in measures
        if tool not in absent and (tool, measure) not in compared
    ]
    if missing:
        print(f"not compared: {', '.join(missing)}", file=sys.stderr)
    if absent or worse or missing:
        return 1
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(rows, remaining()), encoding="utf-8")
    n_values = sum(row.n_values for row in rows)
    print(f"{len(rows)} rows, {n_values} values, {perf_counter() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
