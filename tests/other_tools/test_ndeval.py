"""The measures of subtopics against TREC's ndeval, of the package pyndeval."""

import numpy as np
import pytest

import sklearn_irmetrics as irm

pyndeval = pytest.importorskip("pyndeval")

N_QUERIES = 300
KS = (1, 2, 5, 10, 20)
# Their name, ours, and whether there is a cutoff.
PAIRS = [
    ("alpha-nDCG", "alpha_ndcg", True),
    ("alpha-DCG", "alpha_ndcg(normalize=False)", True),
    ("strec", "subtopic_recall", True),
    ("ERR-IA", "err_ia", True),
    ("nERR-IA", "err_ia(normalize=True)", True),
    ("P-IA", "p_ia", True),
    ("NRBP", "nrbp", False),
    ("nNRBP", "nrbp(normalize=True)", False),
    ("MAP-IA", "map_ia", False),
]


@pytest.fixture(scope="module")
def rankings():
    """Queries without tied scores, rows by falling document number."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 41, N_QUERIES)
    qid = np.repeat(np.arange(N_QUERIES), lengths)
    document = np.concatenate([np.arange(n)[::-1] for n in lengths])
    density = rng.choice([0.05, 0.2, 0.5], N_QUERIES)[qid]
    y_true = (rng.random((len(qid), 6)) < density[:, np.newaxis]).astype(int)
    y_true[rng.random(len(qid)) < 0.2] *= 2  # grades
    y_score = rng.permutation(len(qid)).astype(float)
    y_score[rng.random(len(qid)) < 0.2] = -np.inf
    return y_true, y_score, qid, document


@pytest.mark.parametrize(
    ("alpha", "beta", "level"), [(0.5, 0.5, 1), (0.25, 0.8, 1), (1.0, 0.5, 2)]
)
def test_numbers_of_ndeval(rankings, alpha, beta, level, tally):
    y_true, y_score, qid, document = rankings
    names = [f"doc{number:03}" for number in document]
    qrels = [
        (str(qid[row]), str(subtopic), names[row], int(y_true[row, subtopic]))
        for row in range(len(qid))
        for subtopic in range(6)
    ]
    run = [
        (str(qid[row]), names[row], float(y_score[row]))
        for row in np.lexsort((-y_score, qid))
        if y_score[row] > -np.inf
    ]
    theirs = [
        f"{name}@{k}" if cut else name
        for name, _, cut in PAIRS
        for k in (KS if cut else (None,))
    ]
    evaluator = pyndeval.RelevanceEvaluator(
        qrels, theirs, relevance_level=level, alpha=alpha, beta=beta
    )
    expected = evaluator.evaluate(run)
    named = {}
    for name, ours, cut in PAIRS:
        arguments = {"relevance_threshold": level}
        parameters = irm.Measure(ours).metric.parameters
        if "alpha" in parameters:
            arguments["alpha"] = alpha
        if "persistence" in parameters:
            arguments["persistence"] = beta
        for k in KS if cut else (None,):
            label = f"{name}@{k}" if cut else name
            named[label] = irm.Measure(ours, **arguments, **({"k": k} if cut else {}))
    found = irm.score_queries(
        y_true, y_score, named, qid=qid, ties="stable", replace_undefined_by=0.0
    )
    for label, values in found.scores.items():
        if label in ("ERR-IA@1", "alpha-DCG@1"):  # ndeval does not divide these
            continue
        theirs = [expected.get(str(q), {}).get(label, 0.0) for q in found.query_ids]
        theirs = np.nan_to_num(theirs)  # nNRBP is NaN where nothing is relevant
        off = np.abs(values - theirs)
        tally("ndeval", len(off), off.max())
        np.testing.assert_allclose(values, theirs, rtol=0, atol=1e-9, err_msg=label)
