"""What must hold for measures of subtopics, on rankings that hypothesis draws."""

import io

import numpy as np
import pytest

pytest.importorskip("hypothesis")
from hypothesis import given
from hypothesis import strategies as st

import sklearn_irmetrics as irm
from oracles import subtopics as oracle
from oracles.measures import METRICS
from oracles.strategies import picks

pytestmark = [
    pytest.mark.filterwarnings("ignore:y_true holds fractions"),
    pytest.mark.filterwarnings("ignore:.*undefined"),
]

lengths = st.lists(st.integers(1, 6), min_size=1, max_size=6)
n_columns = st.integers(1, 5)


def case_of(name, pick):
    cases = oracle.MEASURES[name][1]
    return cases[pick % len(cases)]


def values_of(name, y_true, y_score, qid, **options):
    """Return the value of each query, by rising id."""
    values = getattr(irm.metrics, name)(
        y_true, y_score, qid=qid, average=None, **options
    )
    return values[np.argsort(list(dict.fromkeys(qid.tolist())))]


@pytest.mark.parametrize("name", oracle.MEASURES)
@given(lengths=lengths, n_columns=n_columns, pick=picks)
def test_neither_columns_nor_rows_have_an_order(name, lengths, n_columns, pick):
    params, rng = case_of(name, pick), np.random.default_rng(pick)
    if params.get("subtopic_weight") is not None:
        n_columns = len(params["subtopic_weight"])
    y_true, y_score, qid = oracle.draw(rng, lengths, n_columns)
    expected = values_of(name, y_true, y_score, qid, **params)
    columns = np.column_stack([y_true, np.full(len(qid), -2.0)])
    order = rng.permutation(n_columns + 1)
    columns = columns[:, order]
    of_columns = dict(params)
    if params.get("subtopic_weight") is not None:
        of_columns["subtopic_weight"] = np.append(params["subtopic_weight"], 7.0)[order]
    columns[np.isnan(y_true).all(axis=1)] = np.nan
    ours = values_of(name, columns, y_score, qid, **of_columns)
    np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-12)
    if name != "alpha_ndcg_score":  # whose ideal takes the first row of equals
        rows = rng.permutation(len(qid))
        ours = values_of(name, y_true[rows], y_score[rows], qid[rows], **params)
        np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-12)


def draw_files(rng):
    """Draw lines of judgments of subtopics and of a run, and the arrays they mean."""
    judgments, run, rankings = [], [], {}
    for query in rng.permutation(12)[: rng.integers(1, 5)].astype(str).tolist():
        topics = [f"t{topic}" for topic in rng.permutation(4)[: rng.integers(1, 5)]]
        judged, scores = {}, {}
        for document in range(rng.integers(1, 7)):
            for topic in topics:
                if rng.random() < 0.6:
                    judged[topic, f"d{document}"] = int(rng.integers(-1, 3))
            if rng.random() < 0.7:
                scores[f"d{document + 1}"] = float(rng.integers(0, 5))
        if not judged:
            continue
        judgments += [f"{query} {t} {d} {g}\n" for (t, d), g in judged.items()]
        run += [f"{query} Q0 {d} 1 {score} tag\n" for d, score in scores.items()]
        documents = sorted({d for _, d in judged} | set(scores), reverse=True)
        grades = [[judged.get((t, d), -1.0) for t in topics] for d in documents]
        y_true = np.array(grades, dtype=float)
        y_true[y_true < 0] = np.nan
        rankings[query] = y_true, [scores.get(d, -np.inf) for d in documents]
    rng.shuffle(judgments)
    rng.shuffle(run)
    return "".join(judgments), "".join(run), rankings


@pytest.mark.parametrize("ties", ["average", "stable"])
def test_files_have_the_scores_of_references(seed, tally, ties):
    rng = np.random.default_rng([seed, ties == "stable"])
    measures = {row.function.__name__: name for name, row in METRICS.items()}
    for _ in range(40):
        judgments, run, rankings = draw_files(rng)
        if not run:
            continue
        for name in oracle.MEASURES:
            found = irm.score_run(
                io.StringIO(judgments),
                io.StringIO(run),
                {"ours": f"{measures[name]}@3"},
                ties=ties,
                unmatched="ignore",
            )
            assert found.query_ids.tolist() == sorted(rankings)
            expected = [
                oracle.per_query(name, *rankings[query], ties=ties, k=3)[0]
                for query in found.query_ids
            ]
            ours = found.scores["ours"]
            np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-12)
            deviation = np.abs(np.nan_to_num(ours - expected)).max()
            tally("references of subtopics, from files", len(ours), deviation)
