"""Compare `score_run` with tools that score dictionaries and tables of runs."""

import contextlib
import io
import logging
import warnings

import numpy as np

from sklearn_irmetrics import Measure, score_run
from sklearn_irmetrics.runs import read_run

# What makes `score_run` read ties and undefined queries as these tools do.
LIKE_TREC_EVAL = {"ties": "stable", "replace_undefined_by": 0.0}

# The name there, what computes it there, and ours where that is another.
IR_MEASURES = [
    ("AP", "pytrec_eval", None),
    ("AP@10", "pytrec_eval", None),
    ("AP(rel=2)", "pytrec_eval", None),
    ("AP(judged_only=True)", "pytrec_eval", None),
    ("P@5", "pytrec_eval", None),
    ("P(rel=2)@5", "pytrec_eval", None),
    ("R@10", "pytrec_eval", None),
    ("RR", "pytrec_eval", None),
    ("Rprec", "pytrec_eval", None),
    ("Bpref", "pytrec_eval", None),
    ("infAP", "pytrec_eval", None),
    ("nDCG", "pytrec_eval", None),
    ("nDCG@10", "pytrec_eval", None),
    ("nDCG(judged_only=True)@10", "pytrec_eval", None),
    ("Success@5", "pytrec_eval", None),
    ("IPrec@0.1", "pytrec_eval", "iprec(recall_rounding='trec_eval9')@0.1"),
    ("SetP", "pytrec_eval", None),
    ("SetR", "pytrec_eval", None),
    ("SetF", "pytrec_eval", None),
    ("SetF(beta=4.0)", "pytrec_eval", "set_f(beta=2.0)"),
    ("nDCG(dcg='exp-log2')@10", "gdeval", "ndcg(gain='exponential')@10"),
    ("ERR@10", "gdeval", None),
    ("RR@10", "msmarco", None),
    ("Judged@10", "judged", None),
    ("RBP(p=0.8,rel=1)", "cwl_eval", None),
    ("alpha_nDCG@10", "pyndeval", None),
    ("alpha_DCG@10", "pyndeval", "alpha_ndcg(normalize=False)@10"),
    ("ERR_IA@10", "pyndeval", None),
    ("nERR_IA@10", "pyndeval", "err_ia(normalize=True)@10"),
    ("NRBP", "pyndeval", None),
    ("nNRBP", "pyndeval", "nrbp(normalize=True)"),
    ("P_IA@10", "pyndeval", None),
    ("AP_IA", "pyndeval", None),
    ("StRecall@10", "pyndeval", None),
]
# These break ties by decreasing document id, as `score_run` does with "stable".
ALIKE_IN_TIES = "pytrec_eval", "gdeval"
TOLERANCE = {"gdeval": 5.01e-6}  # it prints five decimals


def draw_collection(seed, *, ties, n_queries=40):
    """Draw judgments and a run, some queries of which are missing or find nothing."""
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    for query in range(n_queries):
        n_documents = int(rng.choice([1, 2, 5, 12, 30]))
        documents = [f"D{i}" for i in rng.choice(1000, n_documents, replace=False)]
        scores = rng.standard_normal(n_documents)
        scores = scores.round(int(rng.integers(2))) if ties else scores
        grades = rng.choice([0, 0, 1, 2, 3], n_documents).tolist()
        if rng.random() < 0.1:
            grades = [0] * n_documents
        judged = rng.random(n_documents) < 0.7
        judged[0] = True
        listed = rng.random(n_documents) < 0.8
        pairs = list(zip(documents, scores.tolist(), listed, strict=True))
        of_query = {document: score for document, score, kept in pairs if kept}
        qrels[str(query)] = {
            document: grade
            for document, grade, kept in zip(documents, grades, judged, strict=True)
            if kept
        }
        if of_query and rng.random() < 0.9:
            run[str(query)] = of_query
    return qrels, run


def draw_subtopics(seed, n_queries=30):
    """Draw judgments of three subtopics as ir_measures has them, and a run."""
    import ir_measures

    rng = np.random.default_rng(seed)
    documents = [f"D{i:02d}" for i in range(15)]
    qrels = [
        ir_measures.Qrel(str(query), document, int(rng.random() < 0.4), str(topic))
        for query in range(n_queries)
        for topic in range(3)
        for document in documents
        if rng.random() < 0.6
    ]
    scores = rng.standard_normal((n_queries, 15)).tolist()
    run = {
        str(query): dict(zip(documents, values, strict=True))
        for query, values in enumerate(scores)
    }
    return qrels, run


def ir_measures_values(name, provider, qrels, run):
    """Return by query what a provider of ir_measures says."""
    import ir_measures

    logging.getLogger("ir_measures").setLevel(logging.ERROR)
    source = getattr(ir_measures, provider)
    if not source.is_available():
        raise ImportError(f"ir_measures lacks what {provider} needs")
    measure = ir_measures.parse_measure(name)
    found = ir_measures.DefaultPipeline if provider == "pytrec_eval" else source
    return {one.query_id: one.value for one in found.iter_calc([measure], qrels, run)}


def our_values(name, qrels, run):
    """Return what `score_run` says, by query."""
    options = dict(LIKE_TREC_EVAL)
    if isinstance(qrels, list):
        options["columns"] = {"subtopic": "iteration"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of queries that lack something
        found = score_run(qrels, read_run(run, dtype=np.float32), name, **options)
    (values,) = found.scores.values()
    return dict(zip(found.query_ids.tolist(), values.tolist(), strict=True))


def compare_ir_measures(table):
    """Compare with ir_measures, over collections with ties where it has a rule."""
    for name, provider, ours in IR_MEASURES:
        for seed in range(4):
            if provider == "pyndeval":
                qrels, run = draw_subtopics(seed)
            else:
                ties = provider in ALIKE_IN_TIES and seed % 2 == 0
                qrels, run = draw_collection(seed, ties=ties)
            theirs = ir_measures_values(name, provider, qrels, run)
            found = our_values(ours or name, qrels, run)
            assert found.keys() == theirs.keys()
            table.add(
                "ir_measures",
                Measure(ours or name).metric.name,
                f"{name}` of `{provider}",
                list(found.values()),
                [theirs[query] for query in found],
                Measure(ours or name).arguments,
                TOLERANCE.get(provider, 1e-6),
            )


PYTERRIER = ["map", "ndcg_cut_10", "AP(rel=2)@10", "P@5", "R@10", "RR", "Rprec"]


def as_frames(qrels, run):
    """Return topics, judgments and a run as PyTerrier has them."""
    import pandas as pd

    def rows(table):
        return [(q, d, n) for q, inside in table.items() for d, n in inside.items()]

    topics = pd.DataFrame({"qid": list(qrels), "query": "words"})
    return (
        topics,
        pd.DataFrame(rows(qrels), columns=["qid", "docno", "label"]),
        pd.DataFrame(rows(run), columns=["qid", "docno", "score"]),
    )


def pyterrier_values(names, topics, qrels, run):
    """Return what `pt.Experiment` says, by name and query."""
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        import ir_measures
        import pyterrier as pt

        measures = [
            name if name.islower() else ir_measures.parse_measure(name)
            for name in names
        ]
        found = pt.Experiment([run], topics, qrels, measures, ["run"], perquery=True)
    rows = zip(found.measure, found.qid, found.value, strict=True)
    return {(name, query): value for name, query, value in rows}


def compare_pyterrier(table):
    """Compare with the experiments of PyTerrier: tables, with and without ties."""
    for seed in range(4):
        topics, qrels, run = as_frames(*draw_collection(seed, ties=seed % 2 == 0))
        theirs = pyterrier_values(PYTERRIER, topics, qrels, run)
        for name in PYTERRIER:
            measure = Measure(name)
            found = our_values(name, qrels, run)
            expected = [theirs[name, query] for query in found]
            values = list(found.values())
            table.add(
                "pyterrier",
                measure.metric.name,
                name,
                values,
                expected,
                measure.arguments,
            )


def remaining():
    """Return rows as `conformance.remaining` does."""
    tied = {"1": {"b": 1}}, {"1": {"a": 0.5, "b": 0.5}}
    pooled = {"1": {"a": -1, "b": 1}}, {"1": {"a": 0.5}}
    beta = {"1": {"a": 1, "b": 1}}, {"1": {"a": 0.5}}

    def both(name, provider, data):
        theirs = ir_measures_values(name, provider, *data)["1"]
        return our_values(name, *data)["1"], theirs

    return [
        (
            "ir_measures",
            "RR@k, Judged@k",
            "put tied documents in increasing order of their ids, where pytrec_eval "
            "and `score_run` take the decreasing order: compared without ties",
            *both("RR@1", "msmarco", tied),
        ),
        (
            "ir_measures",
            "RBP, measures of subtopics",
            "take tied documents in the order in which the run lists them: compared "
            "without ties",
            *both("RBP(p=0.8,rel=1)", "cwl_eval", tied),
        ),
        (
            "ir_measures",
            "SetF(beta=...)",
            "takes its `beta` for β²: compared with the square of our `beta`",
            *both("SetF(beta=2.0)", "pytrec_eval", beta),
        ),
        (
            "ir_measures",
            "Judged@k",
            "counts documents with a negative grade, which `score_run` takes for "
            "pooled and not judged: compared without negative grades",
            *both("Judged@1", "judged", pooled),
        ),
        (
            "ir_measures",
            "nDCG(dcg='exp-log2')@k, ERR@k",
            "come from a Perl script that prints five decimals and takes numbers as "
            "query ids only",
            None,
            None,
        ),
        (
            "pyterrier",
            "all",
            "queries of the judgments that are not among the topics are left out; with "
            "`score_run`, leave them out of the judgments",
            None,
            None,
        ),
    ]
