"""Write what the package computes to a file, bit for bit, and compare two such files.

``python tests/house/dump_results.py before.json`` on one commit, the same with
``after.json`` on another, then ``python tests/house/dump_results.py --compare
before.json after.json``, which lists every difference and exits with 1 if there is one.
Only public names are used: measures by name, ties, forms of input, scorers, `evaluate`,
`compare`, reports and tables, runs and the command line. An error is a result too: its
type and message.
"""

import argparse
import contextlib
import io
import json
import sys
import tempfile
import warnings
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import cross_validate

import sklearn_irmetrics as irm
from sklearn_irmetrics import comparison, model_selection

TIES = ("average", "optimistic", "pessimistic", "stable")
RANKED = """p@1 p@5 p(adaptive=True)@5 recall@3 recall(capped=True)@2 f1@3 f(beta=2)@4
 success@1 success@3 rprec rr rr@3 ap ap@3 ap(denominator='attainable')@3
 ap(denominator='retrieved')@4 ap(relevance_threshold=2) ap(judged_only=True) gmap
 iprec@0.1 iprec@0.5 11pt pr_auc max_f1 roc_auc rbp rbp(persistence=0.5)@4
 rbp(max_grade=4) rbp_residual bpref infap judged@3 cg@3 dcg@5 dcg(gain='exponential')
 dcg(discount='jarvelin_kekalainen') dcg(discount='reciprocal')@3 ndcg ndcg@3
 ndcg(gain='exponential')@5 ndcg(negative_grades='clip') ndcg(negative_grades='keep')@4
 ndcg(negative_grades='minmax') err err(max_grade=5)@3 q q(beta=10)@4 recall_effort(
 n_expected=1) relative_recall(n_expected=2)@3 kendall_tau kendall_tau(variant='a')
 spearman_rho tau_ap rbo""".replace("(\n n", "(n")
RANKED = RANKED.split()
SETS = ["set_p", "set_recall", "set_f1", "set_f(beta=2)", "set_e", "set_accuracy"]
SETS += ["set_specificity", "set_fallout", "set_miss_rate", "set_false_alarm"]
SETS += ["set_detection_cost"]
SUBTOPICS = ["subtopic_recall@2", "err_ia@3", "nrbp", "map_ia", "p_ia@2"]
SCORERS = ["ndcg@5", "map", "mrr", "p@2", "recall@3", "rprec", "bpref", "err@4"]
METHODS = [
    "holdout",
    "subsampling",
    "kfold",
    "bootstrap",
    "bootstrap632",
    "bootstrap632+",
]
TESTS = ["permutation", "ttest", "wilcoxon", "sign", "bootstrap", "anytime"]


class Dump:
    """Results by name."""

    def __init__(self):
        self.found = {}

    def add(self, name, function, *arguments, **options):
        """Keep what a call returns, or the error that it raises."""
        try:
            result = function(*arguments, **options)
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
        self._keep(name, result)

    def _keep(self, name, result):
        if isinstance(result, dict):
            for key, value in result.items():
                self._keep(f"{name} | {key}", value)
        elif hasattr(result, "tolist") and np.ndim(result) and len(result) < 200:
            for i, value in enumerate(result.tolist()):
                self._keep(f"{name} [{i}]", value)
        elif name in self.found:
            raise ValueError(f"two results are called {name!r}")
        else:
            is_number = isinstance(result, float)
            self.found[name] = result.hex() if is_number else repr(result)


def draw(rng, n_queries, kind):
    """Return grades, scores and ids of ragged queries, rows in any order."""
    qid = rng.permutation(
        np.repeat(np.arange(n_queries), rng.integers(1, 9, n_queries))
    )
    n = len(qid)
    y_true = rng.integers(0, 5, n).astype(float)
    y_score = rng.normal(size=n)
    if "tied" in kind:
        y_score = rng.integers(0, 3, n).astype(float)
    if "unjudged" in kind:
        y_true[rng.random(n) < 0.2] = np.nan
    if "negative" in kind:
        y_true[rng.random(n) < 0.2] = -1.0
    if "unretrieved" in kind:
        y_score[rng.random(n) < 0.2] = -np.inf
    if "binary" in kind:
        y_true = (y_true > 2).astype(int)
    if "float32" in kind:
        y_score = y_score.astype(np.float32)
    return y_true, y_score, qid


KINDS = ("plain", "tied", "tied unjudged unretrieved", "negative tied", "binary tied")
KINDS += ("unretrieved float32", "binary unretrieved", "unjudged")


def measures(dump, rng):
    """Every measure, every rule for ties, every form of input."""
    for kind, n_queries, again in product(KINDS, (1, 2, 5, 9), range(3)):
        y_true, y_score, qid = draw(rng, n_queries, kind)
        where = f"{kind}, {n_queries} queries, {again}"
        for name, ties in product(RANKED, TIES):
            measure = irm.Measure(name)
            options = {"ties": ties} if "ties" in measure.metric.all_parameters else {}
            dump.add(
                f"{name} {ties}: {where}",
                measure,
                y_true,
                y_score,
                qid=qid,
                **{"average": None} | options,
            )
        dump.add(
            f"score_queries: {where}",
            lambda *data, **options: irm.score_queries(*data, **options).mean,
            y_true,
            y_score,
            RANKED[:30],
            qid=qid,
        )
        y_pred = y_score > 0
        for name, average in product(SETS, ("macro", "micro", None)):
            measure = irm.Measure(name)
            options = {"qid": qid, "average": average}
            dump.add(f"{name} {average}: {where}", measure, y_true, y_pred, **options)


def forms(dump, rng):
    """Matrices, sparse ones, weights, class labels, subtopics, threads."""
    for again in range(30):
        shape = int(rng.integers(1, 6)), int(rng.integers(2, 9))
        y_true = rng.integers(0, 3, shape) * (rng.random(shape) < 0.6)
        y_score = rng.integers(0, 4, shape) / 2 * (rng.random(shape) < 0.8)
        weight = rng.random(shape[0])
        sparse = csr_array(y_true.astype(float)), csr_array(y_score)
        for name in RANKED:
            measure = irm.Measure(name)
            dump.add(f"{name} 2-D {again}", measure, y_true, y_score)
            dump.add(
                f"{name} weights {again}",
                measure,
                y_true,
                y_score,
                sample_weight=weight,
            )
            dump.add(f"{name} sparse {again}", measure, *sparse)
            one = y_true.ravel(), y_score.ravel()
            dump.add(f"{name} one ranking {again}", measure, *one)
            dump.add(
                f"{name} chance {again}",
                irm.metrics.chance_level,
                name,
                one[0],
                random_state=0,
            )
        evaluator = irm.reports.RankingEvaluator(y_true, ["ndcg@3", "map", "mrr"])
        dump.add(f"evaluator {again}", evaluator, y_score)
        dump.add(f"labels {again}", irm.reciprocal_rank_score, y_true[:, 0], y_score)
        grades = rng.integers(0, 2, (12, 3))
        ids = rng.integers(0, 3, 12)
        for name in SUBTOPICS:
            measure = irm.Measure(name)
            scores = rng.integers(0, 5, 12) / 2
            dump.add(f"{name} {again}", measure, grades, scores, qid=ids, average=None)


def curves(dump, rng):
    """Curves, cutoffs, reports and tables."""
    for kind, n_queries in product(KINDS, (1, 3, 6)):
        y_true, y_score, qid = draw(rng, n_queries, kind)
        data, where = (y_true, y_score), f"{kind}, {n_queries} queries"
        for name in ("roc_curve", "precision_recall_curve"):
            dump.add(f"{name}: {where}", lambda f, *d, **o: vars(f(*d, **o)),
                     getattr(irm.metrics, name), *data, qid=qid)  # fmt: skip
        for kind_of_gain in ("cg", "dcg", "ndcg"):
            dump.add(f"gain {kind_of_gain}: {where}", irm.metrics.gain_curve, *data,
                     qid=qid, metric=kind_of_gain)  # fmt: skip
        for name in ("ndcg", "p", "map", "recall"):
            dump.add(f"{name} at cutoffs: {where}", irm.reports.metric_at_cutoffs, name,
                     *data, ks=[1, 2, 3], qid=qid)  # fmt: skip
        dump.add(f"report: {where}", irm.ranking_report, *data, qid=qid)
        scores = irm.score_queries(*data, ["map", "rr"], qid=qid)
        for form in ("__repr__", "_repr_html_", "to_csv", "to_latex", "to_markdown"):
            dump.add(f"{form}: {where}", getattr(scores, form, lambda: "none"))


def models(dump, rng):
    """Scorers in scikit-learn, `evaluate` with its methods, and comparisons."""
    for again, n_queries in product(range(3), (12, 20)):
        qid = np.repeat(np.arange(n_queries), rng.integers(3, 8, n_queries))
        X = np.c_[qid, rng.normal(size=(len(qid), 3))]
        y = np.clip(np.rint(X[:, 1] + rng.normal(size=len(qid))), 0, 3).astype(int)
        where = f"{n_queries} queries, {again}"
        for name in SCORERS:
            for model in (Ridge(), LogisticRegression()):
                scorer = irm.get_scorer(name, qid=0, replace_undefined_by=0.0)
                what = f"{name} {type(model).__name__}: {where}"
                dump.add(f"scorer {what}", scorer, model.fit(X, y), X, y)
            dump.add(
                f"cross_validate {name}: {where}",
                lambda *a, **o: cross_validate(*a, **o)["test_score"],
                Ridge(), X, y, scoring=scorer,
                cv=list(model_selection.QueryKFold(3).split(X, y, qid=qid)),
            )  # fmt: skip
        systems = {"ridge": Ridge(), "linear": LinearRegression(fit_intercept=False)}
        for method in METHODS:
            options = {"n_splits": 4} if method != "holdout" else {}
            options |= {"method": method, "qid": qid, "random_state": again}
            for scoring in (["ndcg@5", "map", "p@2"], "mrr"):
                what = f"{method} {scoring}: {where}"
                evaluated = partial_evaluate(systems, X, y, scoring, options)
                dump.add(f"evaluate {what}", lambda found=evaluated: describe(found()))
                if method in ("kfold", "holdout") and scoring == "mrr":
                    for test in TESTS:
                        dump.add(
                            f"compare {test} {what}",
                            lambda found=evaluated, test=test: repr(
                                found().compare(test=test, random_state=0)
                            ),
                        )
        binary = (y > 1).astype(int)
        for method in ("kfold", "loocv", "stratified", "bootstrap632"):
            for scoring in ("roc_auc", "average_precision", "accuracy", "set_f1"):
                options = {"method": method, "random_state": again}
                evaluated = partial_evaluate(
                    LogisticRegression(), X, binary, scoring, options
                )
                dump.add(
                    f"evaluate {method} {scoring}: {where}",
                    lambda found=evaluated: describe(found()),
                )
    for n, effect in product((3, 10, 50), (0.05, 0.2)):
        a, b = rng.random(n), rng.random(n) * (1 - effect)
        for test in TESTS:
            options = {"test": test, "random_state": 1}
            dump.add(f"compare {test} {n} {effect}",
                     lambda o=options, a=a, b=b: repr(
                         comparison.compare({"a": a, "b": b}, **o)))  # fmt: skip


def partial_evaluate(model, X, y, scoring, options):
    """Return a call of `evaluate`."""
    return lambda: model_selection.evaluate(model, X, y, scoring=scoring, **options)


def describe(found):
    """Return what an evaluation prints, and its frame."""
    frame = found.to_frame() if hasattr(found, "to_frame") else ""
    return {"repr": repr(found), "frame": str(getattr(frame, "values", frame))}


def runs(dump, rng):
    """Judgments and runs in dicts and files, and the command line."""
    for again in range(12):
        queries = [f"q{i}" for i in range(int(rng.integers(1, 6)))]
        qrels, run, other = {}, {}, {}
        for query in queries:
            docs = [f"d{i}" for i in rng.permutation(20)[: rng.integers(3, 15)]]
            qrels[query] = {doc: int(rng.integers(0, 3)) for doc in docs[:10]}
            for system in (run, other):
                system[query] = {doc: float(rng.integers(0, 9)) for doc in docs}
        names = ["map", "ndcg@5", "p@2", "bpref", "set_recall", "judged@5"]
        for judged_only, ties in product((False, True), TIES):
            what = f"score_run {judged_only} {ties} {again}"
            dump.add(
                what,
                lambda *a, **o: (found := irm.score_run(*a, **o)).scores | found.mean,
                qrels, run, names, judged_only=judged_only, ties=ties,
            )  # fmt: skip
        for method in ("rrf", "combsum", "combmnz"):
            fused = irm.runs.fuse_runs([run, other], method=method)
            dump.add(f"fuse {method} {again}", mean_of_run, qrels, fused, names)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            irm.runs.write_qrels(qrels, "judged.qrels")
            irm.runs.write_run(run, "a.run", tag="a")
            irm.runs.write_run(other, "b.run", tag="b")
            for arguments in COMMANDS:
                dump.add(f"irmetrics {arguments} {again}", command, arguments.split())


def mean_of_run(qrels, run, names):
    """Return the means of a run."""
    return irm.score_run(qrels, run, names).mean


COMMANDS = [
    "score judged.qrels a.run",
    "score judged.qrels a.run b.run",
    "score judged.qrels a.run -m map -m ndcg@5 --per-query",
    "score judged.qrels a.run --like trec_eval10",
    "score judged.qrels a.run --like trec_eval9 -q",
    "score judged.qrels a.run -m map --judged-only",
    "compare judged.qrels a.run b.run -m map --seed 0",
    "compare judged.qrels a.run b.run -m map --fail-if-worse --seed 0",
    "plan --effect 0.1 --std 0.3",
    "metrics",
]


def command(arguments):
    """Return what the command line prints, and its exit code."""
    from sklearn_irmetrics._cli import main

    printed, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
        try:
            code = main(arguments)
        except SystemExit as stop:
            code = stop.code
    return {"code": code, "stdout": printed.getvalue(), "stderr": said.getvalue()}


def compare(before, after):
    """Print each difference of two dumps, and return how many there are."""
    old, new = (json.loads(Path(path).read_text()) for path in (before, after))
    differences = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    for name in differences:
        print(f"{name}\n  - {old.get(name)}\n  + {new.get(name)}")
    kinds = Counter(name.split(":")[0] for name in differences)
    for kind, number in kinds.most_common():
        print(f"{number:>7,}  {kind}")
    print(f"{len(old):,} and {len(new):,} results, {len(differences):,} differ")
    return len(differences)


def main():
    """Write a file, or compare two."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--compare", action="store_true")
    options = parser.parse_args()
    if options.compare:
        sys.exit(compare(*options.files) > 0)
    dump = Dump()
    warnings.simplefilter("ignore")
    for part in (measures, forms, curves, models, runs):
        part(dump, np.random.default_rng(0))
        print(f"{len(dump.found):,} results after {part.__name__}")
    Path(options.files[0]).write_text(json.dumps(dump.found))


if __name__ == "__main__":
    main()
