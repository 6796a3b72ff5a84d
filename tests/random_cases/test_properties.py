"""What must hold for every measure, on rankings that hypothesis draws.

A property of a measure is a function that yields claims: rankings, options, the values
of their queries, and what these must be equal to. A form of input is a function that
brings rankings into that form. Measures that lack a property stand in `WITHOUT`, with
the reason.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from oracles import reference as ref
from oracles.cases import ROWS, TIES, Case, Rankings, marks_of, queries_at_once, sparse
from oracles.adversarial import ranks_in_queries
from oracles.strategies import close, picks, rankings, rising

pytestmark = pytest.mark.filterwarnings("ignore:y_true holds fractions")
MEASURES = {
    name: [Case(name, params) for params in cases]
    for name, cases in ref.SETTINGS.items()
}
ALL_TIES = st.sampled_from(TIES)
many_rankings = st.builds(
    lambda seed, lengths: queries_at_once(np.random.default_rng(seed), lengths),
    picks,
    st.lists(st.integers(1, 40), min_size=2, max_size=40),
)
# What fails is shown as one short query, so hypothesis need not look for smaller
# rankings, for which it would score all measures hundreds of times.
AS_DRAWN = settings(
    phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def check(claims_of, hold, pick, *drawn, without=()):
    """Hold two settings of every measure to a property."""
    for name, cases in MEASURES.items():
        for number in {pick % len(cases), pick // 7 % len(cases)}:
            measure = cases[number]
            if name in without and without[name](measure.params):
                continue
            for where, options, values, expected in claims_of(measure, *drawn):
                hold("properties", values, expected, measure, where, **options)


def test_every_measure_is_here():
    assert set(MEASURES) == {name for name, row in ROWS.items() if not row.subtopics}
    assert {name for names in WITHOUT.values() for name in names} <= set(MEASURES)


# Values -------------------------------------------------------------------------------


def in_range(measure, drawn, ties):
    options = measure.rule(ties)
    values = measure.score(drawn, **options)
    yield drawn, options, values, np.clip(values, *measure.measure.range)


def perfect(measure, drawn):
    """Rank all documents by gain, or retrieve the relevant ones."""
    if measure.is_set:
        relevant = measure.relevant(drawn.y_true)
        return drawn.scored(np.where(relevant, 1.0, -np.inf))
    return drawn.scored(measure.gain(drawn.y_true))


def no_better(measure, values, others):
    """Return values, replaced by others where these are worse."""
    limit = np.minimum if measure.row.greater_is_better else np.maximum
    defined = ~np.isnan(values) & ~np.isnan(others)
    return np.where(defined, limit(values, others), values)


def no_ranking_beats_the_perfect_one(measure, drawn):
    if not measure.is_set:
        retrieved = drawn.y_score > -np.inf
        drawn = drawn.scored(np.where(retrieved, drawn.y_score, -1.0))
    values, best = measure.score(drawn), measure.score(perfect(measure, drawn))
    yield drawn, {}, values, no_better(measure, values, best)


def the_perfect_ranking_scores_the_maximum(measure, drawn):
    best = perfect(measure, drawn)
    values = measure.score(best)
    maximum = measure.measure.range[int(measure.row.greater_is_better)]
    yield best, {}, values, np.where(np.isnan(values), np.nan, maximum)


def ups(drawn):
    """Let a better document move up, in one place of one query at a time.

    It changes places with one of the next higher score (unless it is not retrieved and
    one of them not judged), or leaves documents with its score behind that are no
    better. Yields rows of a query with their new scores.
    """
    worth = np.nan_to_num(drawn.y_true)
    for query in range(drawn.n_queries):
        rows = np.flatnonzero(drawn.qid == query)
        scores = drawn.y_score[rows]
        levels = np.unique(scores)
        for low, high in zip(levels[:-1], levels[1:], strict=True):
            above, below = rows[scores == high], rows[scores == low]
            if len(above) == 1 and (len(below) == 1 or low == -np.inf):
                for better in below:
                    pair = [above[0], better]
                    judged = not np.isnan(drawn.y_true[pair]).any()
                    if worth[better] > worth[above[0]] and (judged or low > -np.inf):
                        y_score = drawn.y_score.copy()
                        y_score[pair] = y_score[pair[::-1]]
                        yield rows, y_score[rows]
        for level in levels[levels > -np.inf]:
            tied = rows[scores == level]
            best = tied[np.argmax(worth[tied])]
            if worth[tied].min() < worth[best]:
                y_score = drawn.y_score.copy()
                y_score[best] += 0.5
                yield rows, y_score[rows]


def a_better_document_up_never_lowers_a_score(measure, drawn):
    drawn = drawn.scored(ranks_in_queries(drawn.y_score, drawn.qid))
    moved = list(ups(drawn))
    if not moved:
        return
    before = drawn.joined([rows for rows, _ in moved])
    after = before.scored(np.concatenate([scores for _, scores in moved]))
    values = measure.score(before)
    yield before, {}, values, no_better(measure, values, measure.score(after))


def ties_lie_between_the_worst_and_the_best_order(measure, drawn):
    if not measure.rule("optimistic"):
        return
    worst, best = (measure.score(drawn, ties=ties) for ties in TIES[2:0:-1])
    low, high = (worst, best) if measure.row.greater_is_better else (best, worst)
    for ties in ("average", "stable"):
        values = measure.score(drawn, ties=ties)
        yield drawn, {"ties": ties}, values, np.clip(values, low, high)


# Nothing changes ----------------------------------------------------------------------


def row_order(measure, drawn, random, ties):
    options = measure.rule(ties)
    order = list(range(len(drawn.qid)))
    random.shuffle(order)
    other = drawn.at(np.array(order))
    expected = measure.score(drawn, **options)
    yield other, options, measure.score(other, **options), expected


def test_row_order_is_the_rule_of_stable_ties():
    grades, tied = np.array([1.0, 0.0]), np.ones(2)
    drawn = Rankings(grades, tied, np.zeros(2, dtype=int), np.zeros(2, dtype=bool))
    measure = Case("reciprocal_rank_score")
    turned = drawn.at(np.array([1, 0]))
    assert measure.score(drawn, ties="stable") == [1.0]
    assert measure.score(turned, ties="stable") == [0.5]


def monotone_transforms(measure, drawn, levels, ties):
    options = measure.rule(ties)
    ranks = ranks_in_queries(drawn.y_score, drawn.qid)
    place = np.where(ranks > -np.inf, ranks, -1).astype(int)
    other = drawn.scored(np.append(levels, -np.inf)[place])
    expected = measure.score(drawn, **options)
    yield other, options, measure.score(other, **options), expected


def a_query_twice_is_a_weight_of_two(measure, drawn, times):
    times = np.array(times[: drawn.n_queries])
    if not times.any():
        return
    rows = [np.flatnonzero(drawn.qid == query) for query in range(drawn.n_queries)]
    repeated = drawn.joined(
        [rows[query] for query in np.repeat(range(len(rows)), times)]
    )
    averages = ["macro"]
    # Without a relative weight of P and R there are no counts to add up.
    if measure.name in ref.MICRO and (
        measure.is_set or not {"alpha", "judged_only"} & measure.params.keys()
    ):
        averages.append("micro")
    if not (measure.score(drawn, replace_undefined_by=1.25) < 0.0).any():
        averages.append("geometric")
    weights = times.astype(float)[drawn.qid]
    for average in averages:
        options = {"average": average, "replace_undefined_by": 1.25}
        weighted = measure.score(drawn, sample_weight=weights, **options)
        yield repeated, options, weighted, measure.score(repeated, **options)


def unretrieved_documents_of_no_use(measure, drawn, added, ties):
    """Add documents of grade 0 or without a judgment that are not retrieved."""
    options = measure.rule(ties)
    n = len(added) * drawn.n_queries
    more = Rankings(
        np.append(drawn.y_true, np.tile(np.array(added, dtype=float), drawn.n_queries)),
        np.append(drawn.y_score, np.full(n, -np.inf)),
        np.append(drawn.qid, np.repeat(np.arange(drawn.n_queries), len(added))),
        np.append(drawn.marked, np.zeros(n, dtype=bool)),
    )
    expected = measure.score(drawn, **options)
    yield more, options, measure.score(more, **options), expected


def other_queries(measure, drawn, pick, ties):
    """Score some of many queries alone."""
    options = measure.rule(ties)
    values = measure.score(drawn, **options)
    for query in {pick % drawn.n_queries, pick // 7 % drawn.n_queries}:
        alone = drawn.query(query)
        yield alone, options, measure.score(alone, **options), values[[query]]


PROPERTIES = [
    (in_range, rankings(), ALL_TIES),
    (no_ranking_beats_the_perfect_one, rankings()),
    (the_perfect_ranking_scores_the_maximum, rankings()),
    (a_better_document_up_never_lowers_a_score, rankings(tied=False)),
    (a_better_document_up_never_lowers_a_score, rankings()),
    (ties_lie_between_the_worst_and_the_best_order, rankings()),
    (
        row_order,
        rankings(),
        st.randoms(use_true_random=False),
        st.sampled_from(["average", "optimistic", "pessimistic"]),
    ),
    (monotone_transforms, rankings(), rising(4) | close(4), ALL_TIES),
    (
        a_query_twice_is_a_weight_of_two,
        rankings(),
        st.lists(st.integers(0, 3), min_size=5, max_size=5),
    ),
    (
        unretrieved_documents_of_no_use,
        rankings(),
        st.lists(st.sampled_from([0.0, np.nan]), min_size=1, max_size=4),
        ALL_TIES,
    ),
    (other_queries, many_rankings, picks, ALL_TIES),
]


@pytest.mark.parametrize(
    ("prop", "strategies"),
    [
        pytest.param(prop, strategies, id=prop.__name__)
        for prop, *strategies in PROPERTIES
    ],
)
@AS_DRAWN
@given(data=st.data(), pick=picks)
def test_property(prop, strategies, data, pick, hold):
    drawn = map(data.draw, strategies)
    check(prop, hold, pick, *drawn, without=WITHOUT.get(prop, {}))


# Measures without a property ----------------------------------------------------------


def always(params):
    return True


def cut(params):
    return params.get("k") is not None


def divided_by(*denominators, k=()):
    """Tell settings with one of these denominators, and a cutoff that is not in `k`."""
    return lambda params: (
        params.get("denominator", "relevant") in denominators and params["k"] not in k
    )


def with_option(name, *values):
    return lambda params: params.get(name) in values


def with_judged_only(params):
    return not params.get("judged_only")


# They look at more than grades.
OF_MARKS = dict.fromkeys(set(ref.EXPERIMENTAL) & set(ref.MARKS), always)
OF_EXPOSURE = dict.fromkeys(
    ("expected_exposure_loss", "expected_exposure_disparity"), always
)
WITHOUT = {
    in_range: {
        # Negative gains are kept, or the worst order is of all documents.
        "ndcg_score": with_option("negative_grades", "keep", "minmax")
    },
    no_ranking_beats_the_perfect_one: {
        # These say how much was judged, not how good it is.
        "judged_at_k_score": cut,
        "rank_biased_precision_residual": always,
        # It does not ask what the user knew.
        "coverage_ratio_score": cut,
        "novelty_ratio_score": cut,
        # The ideal policy has ties among relevant documents.
        **OF_MARKS,
        **OF_EXPOSURE,
        # A document of grade 0 is relevant, and tied with one that was not judged.
        "expected_exposure_relevance_score": with_option("relevance_threshold", 0.0),
    },
    the_perfect_ranking_scores_the_maximum: {
        # They have no largest value, or no least one.
        "cumulative_gain_score": always,
        "dcg_score": always,
        "relative_recall_score": always,
        "lift_at_k_score": always,
        "set_cost_matrix_loss": always,
        # They count ranks or documents besides the relevant ones.
        "precision_at_k_score": always,
        "fbeta_at_k_score": always,
        "rank_biased_precision_score": always,
        "fallout_at_k_loss": always,
        "last_rank_loss": always,
        "work_saved_score": always,
        # There is more to find than k, or less.
        "coverage_ratio_score": cut,
        "recall_at_k_score": lambda params: cut(params) and not params["capped"],
        "full_recall_at_k_score": cut,
        # What retrieves nothing is best.
        "silence_score": always,
        "average_precision_score": lambda params: (
            divided_by("relevant", k=[None])(params) or divided_by("k", k=[1])(params)
        ),
        "q_measure_score": lambda params: (
            divided_by("relevant", k=[None])(params) or divided_by("k")(params)
        ),
        "recall_effort_score": always,
        # They say how much was judged, estimate, or know no certainty.
        "rank_biased_precision_residual": always,
        "judged_at_k_score": always,
        "inferred_average_precision_score": always,
        "expected_reciprocal_rank_score": always,
        "novelty_ratio_score": always,
        # Equal grades have no order to agree with.
        "kendall_tau_score": with_option("variant", "a"),
        "average_precision_correlation_score": with_option("variant", "a"),
        "rank_biased_overlap_score": always,
        **dict.fromkeys(ref.EXPERIMENTAL, always),
    },
    a_better_document_up_never_lowers_a_score: {
        # One more found, at a low rank, lowers the mean over those found.
        "average_precision_score": divided_by("retrieved", k=[1, 2]),
        "q_measure_score": divided_by("retrieved"),
        # This gain of -1 is larger than that of 0.
        "cumulative_gain_score": with_option("gain", ref.square),
        "dcg_score": with_option("gain", ref.square),
        # Pooled documents above are held for relevant.
        "inferred_average_precision_score": with_judged_only,
        # Grades that stay tied count against broken ties.
        "kendall_tau_score": with_option("variant", "b"),
        "spearman_rho_score": always,
        "average_precision_correlation_score": always,
        "judged_at_k_score": cut,
        "rank_biased_precision_residual": always,
        # What the user knew counts, or counts against.
        "coverage_ratio_score": always,
        "novelty_ratio_score": always,
        # Ties are what makes exposure equal.
        **OF_MARKS,
        **OF_EXPOSURE,
    },
    unretrieved_documents_of_no_use: {
        # One of two lists gets longer.
        "rank_biased_overlap_score": always,
        # The ideal or the worst order is of all documents.
        "ndcg_score": with_option("negative_grades", "keep", "minmax"),
        # All documents should get attention.
        "expected_exposure_loss": always,
        "expected_exposure_relevance_score": always,
        "attention_weighted_rank_fairness_score": with_option("target", "all"),
        # Pairs, ranks or numbers of all documents count.
        "lift_at_k_score": always,
        "fallout_at_k_loss": always,
        "recall_at_fpr_score": always,
        "work_saved_score": always,
        "ordered_pairs_score": always,
        "roc_auc_score": always,
        "bpref_score": always,
        "kendall_tau_score": always,
        "spearman_rho_score": always,
        "average_precision_correlation_score": always,
        # It is right to leave them out.
        "scott_pi_score": always,
        "set_accuracy_score": always,
        "set_specificity_score": always,
        "set_fallout_loss": always,
        "set_cost_matrix_loss": with_option("normalize", True),
    },
}

# Forms of input -----------------------------------------------------------------------


def rows(measure, drawn):
    return drawn, *measure.arguments(drawn)


def lists(measure, drawn):
    arrays, keywords = measure.arguments(drawn)
    keywords = {name: array.tolist() for name, array in keywords.items()}
    return drawn, [array.tolist() for array in arrays], keywords


def float32(measure, drawn):
    retrieved = drawn.y_score > -np.inf
    single = np.where(retrieved, drawn.y_score.clip(-3e38, 3e38), -np.inf)
    single = Rankings(
        drawn.y_true.astype(np.float32),
        single.astype(np.float32),
        drawn.qid,
        drawn.marked,
    )
    return drawn.scored(single.y_score.astype(np.float64)), *measure.arguments(single)


def matrices(measure, drawn):
    y_true, y_score, marked = drawn.rectangle()
    flat = Rankings(
        y_true.ravel(),
        y_score.ravel(),
        np.repeat(np.arange(len(y_true)), y_true.shape[1]),
        marked.ravel(),
    )
    marks = marks_of(measure.name, marked)
    return flat, [measure.grades(y_true), measure.scores(y_score)], marks


def by_column(measure, drawn):
    flat, arrays, marks = matrices(measure, drawn)
    return flat, list(map(np.asfortranarray, arrays)), marks


def csr(measure, drawn, *, grades=True, scores=True):
    if not measure.row.marks:  # optional marks have no sparse form
        drawn = replace(drawn, marked=np.zeros_like(drawn.marked))
    flat, (y_true, y_score), marks = matrices(measure, drawn)
    if grades:
        y_true = sparse(y_true, 0)
    if scores:
        y_score = sparse(y_score, 0 if measure.is_set else -np.inf)
    return flat, [y_true, y_score], marks if measure.row.marks else {}


def tensors(measure, drawn, *, form):
    rng = np.random.default_rng(len(drawn.qid))
    base, arrays, keywords = form(measure, drawn)
    keywords = {name: as_tensor(rng, array) for name, array in keywords.items()}
    return base, [as_tensor(rng, array) for array in arrays], keywords


def as_tensor(rng, array):
    """Return a tensor with these values: a plain one, or a view of another."""
    torch = pytest.importorskip("torch")
    tensor = torch.tensor(array)
    form = rng.integers(4)
    if form == 1:
        return torch.stack([tensor, tensor], dim=1)[:, 0]
    if form == 2 and tensor.dtype == torch.float64:
        return tensor.requires_grad_()
    if form == 3:
        return torch.cat([tensor, tensor])[len(tensor) :]
    return tensor


FORMS = {
    "lists": lists,
    "float32": float32,
    "matrices": matrices,
    "matrices by column": by_column,
    "csr": csr,
    "csr grades": partial(csr, scores=False),
    "csr scores": partial(csr, grades=False),
    "tensors": partial(tensors, form=rows),
    "float32 tensors": partial(tensors, form=float32),
    "matrices of tensors": partial(tensors, form=matrices),
}
# Labels, or marks that go with dense input.
NOT_SPARSE = {"scott_pi_score", "set_cost_matrix_loss"}
NOT_SPARSE |= {name for name in ROWS if ROWS[name].marks}


def same_in_a_form(measure, drawn, form, ties):
    base, arrays, keywords = FORMS[form](measure, drawn)
    options = measure.rule(ties)
    call = partial(measure.function, *arrays, **keywords, **measure.params, **options)
    if measure.name in NOT_SPARSE and "csr" in form:
        _, arrays, keywords = csr(measure, drawn)
        with pytest.raises((TypeError, ValueError), match="sparse"):
            measure.function(*arrays, **keywords, **measure.params)
        return
    if measure.name in ref.CORRELATIONS and form in ("csr", "csr scores"):
        with pytest.raises(TypeError, match="y_score must be dense"):
            call()
        return
    keeps_negative = measure.params.get("negative_grades") in ("keep", "minmax")
    if keeps_negative and form in ("csr", "csr scores"):
        return  # `test_sparse_grades_below_0_are_refused`
    values = call(average=None)[np.argsort(base.in_order)]
    yield base, options, values, measure.score(base, **options)


@pytest.mark.parametrize("form", FORMS)
@settings(AS_DRAWN, max_examples=settings.default.max_examples // 3)
@given(drawn=many_rankings, pick=picks, ties=ALL_TIES)
def test_form_of_input(form, drawn, pick, ties, hold):
    check(same_in_a_form, hold, pick, drawn, form, ties)
