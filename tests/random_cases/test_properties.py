"""What must hold for every measure, on rankings that hypothesis draws.

A property of a measure is a function that yields claims: values that are equal to
others, or not above them. Where a measure lacks a property the table `EXCEPTIONS` says
why, and a counterexample proves it for every setting, so that no exception outlives its
reason.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
import pytest

pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from oracles import reference as ref
from oracles.cases import (
    ROWS,
    TIES,
    Case,
    Rankings,
    from_lists,
    queries_at_once,
    reproducer,
    sparse,
)
from oracles.hostile import ranks_in_queries
from oracles.strategies import close, picks, rankings, rising

pytestmark = pytest.mark.filterwarnings("ignore:y_true holds fractions")
TOLERANCE = 1e-12
MEASURES = {
    name: [Case(name, params) for params in cases]
    for name, cases in ref.SETTINGS.items()
}
# Twice per example, so that all settings of a measure have their turn.
N_SETTINGS = 2


class Claim(NamedTuple):
    """Values of queries of `rankings`, scored with `options`, against others."""

    left: np.ndarray
    relation: str
    right: np.ndarray
    rankings: Rankings
    options: dict
    queries: np.ndarray | None = None  # of each value; None: 0, 1, ...

    @property
    def deviations(self):
        """How far each value is off, as a share of values larger than 1."""
        left, right = np.broadcast_arrays(self.left, self.right)
        with np.errstate(invalid="ignore"):
            off = left - right
        off = np.maximum(off, 0.0) if self.relation == "<=" else np.abs(off)
        scale = np.maximum(1.0, np.abs(np.where(np.isfinite(right), right, 1.0)))
        off = np.where(np.isnan(left) & np.isnan(right), 0.0, off / scale)
        return np.where(np.isnan(off), np.inf, off)


def equal(left, right, where, queries=None, **options):
    return Claim(left, "==", right, where, options, queries)


def not_above(left, right, where, queries=None, **options):
    return Claim(left, "<=", right, where, options, queries)


def over(**strategies):
    """Draw rankings and two settings of every measure.

    What fails is shown as one short query, so that hypothesis need not look for smaller
    rankings, for which it would score all measures hundreds of times.
    """
    drawn = given(pick=picks, **strategies)
    as_drawn = settings(
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    return lambda test: as_drawn(drawn(test))


def check(prop, tally, pick, *inputs, names=MEASURES):
    """Hold every measure to a property, but for the exceptions."""
    for name in names:
        cases = MEASURES[name]
        for number in {pick % len(cases), pick // 7 % len(cases)}:
            measure = cases[number]
            if exempt(prop, measure):
                continue
            for claim in prop(measure, *inputs):
                off = claim.deviations
                tally("properties (see their tests)", off.size, off.max(initial=0.0))
                if off.max(initial=0.0) > TOLERANCE:
                    fail(prop, measure, claim)


def fail(prop, measure, claim):
    worst = int(np.argmax(claim.deviations))
    left, right = np.atleast_1d(claim.left)[worst], np.atleast_1d(claim.right)[worst]
    query = worst if claim.queries is None else int(claim.queries[worst])
    where = claim.rankings if claim.left.ndim == 0 else claim.rankings.query(query)
    pytest.fail(
        f"{prop.__name__} of {measure}: {left!r} must be {claim.relation} {right!r}; "
        f"{left!r} is printed by\n{reproducer(measure, where, **claim.options)}"
    )


def test_every_measure_is_here():
    assert set(MEASURES) == {name for name, row in ROWS.items() if not row.subtopics}
    assert {entry.name for entries in EXCEPTIONS.values() for entry in entries} <= set(
        MEASURES
    )


# Values -------------------------------------------------------------------------------


def in_range(measure, drawn, ties):
    options = measure.rule(ties)
    values = measure.score(drawn, **options)
    defined = ~np.isnan(values)
    low, high = measure.row.range
    queries = np.flatnonzero(defined)
    yield not_above(values[defined], np.float64(high), drawn, queries, **options)
    yield not_above(np.float64(low), values[defined], drawn, queries, **options)


@over(drawn=rankings(), ties=st.sampled_from(TIES))
def test_range(tally, drawn, pick, ties):
    check(in_range, tally, pick, drawn, ties)


def perfect(measure, drawn):
    """Rank all documents by gain, or retrieve the relevant ones."""
    if measure.is_set:
        relevant = measure.relevant(drawn.y_true)
        return drawn.scored(np.where(relevant, 1.0, -np.inf))
    return drawn.scored(measure.gain(drawn.y_true))


def perfect_is_best(measure, drawn):
    if not measure.is_set:
        retrieved = drawn.y_score > -np.inf
        drawn = drawn.scored(np.where(retrieved, drawn.y_score, -1.0))
    values, best = measure.score(drawn), measure.score(perfect(measure, drawn))
    defined = ~np.isnan(values) & ~np.isnan(best)
    sign = measure.sign
    queries = np.flatnonzero(defined)
    yield not_above(sign * values[defined], sign * best[defined], drawn, queries)


@over(drawn=rankings())
def test_no_ranking_beats_the_perfect_one(tally, drawn, pick):
    check(perfect_is_best, tally, pick, drawn)


def perfect_is_maximal(measure, drawn):
    best = perfect(measure, drawn)
    values = measure.score(best)
    defined = ~np.isnan(values)
    maximum = measure.row.range[int(measure.row.greater_is_better)]
    yield equal(values[defined], np.float64(maximum), best, np.flatnonzero(defined))


@over(drawn=rankings())
def test_the_perfect_ranking_scores_the_maximum(tally, drawn, pick):
    check(perfect_is_maximal, tally, pick, drawn)


def ups(drawn):
    """Let a better document move up, in one place of one query at a time.

    It changes places with one of the next higher score (unless it is not retrieved and
    one of them not judged), or leaves documents with its score behind that are no
    better. Yields rows of a query with their new scores.
    """
    worth = np.nan_to_num(drawn.y_true)
    drawn = drawn.scored(ranks_in_queries(drawn.y_score, drawn.qid))
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


def better_up_is_no_worse(measure, drawn):
    moved = list(ups(drawn))
    if not moved:
        return
    rows = np.concatenate([rows for rows, _ in moved])
    lengths = [len(rows) for rows, _ in moved]
    after = Rankings(
        drawn.y_true[rows],
        np.concatenate([scores for _, scores in moved]),
        np.repeat(np.arange(len(moved)), lengths),
        drawn.marked[rows],
    )
    queries = np.array([drawn.qid[rows[0]] for rows, _ in moved])
    before, after = measure.score(drawn)[queries], measure.score(after)
    defined = ~np.isnan(before)
    yield not_above(
        measure.sign * before[defined],
        measure.sign * after[defined],
        drawn,
        queries[defined],
    )


@over(drawn=rankings(tied=False))
def test_a_better_document_up_never_lowers_a_score(tally, drawn, pick):
    check(better_up_is_no_worse, tally, pick, drawn)


@over(drawn=rankings())
def test_a_better_document_out_of_a_tie_never_lowers_a_score(tally, drawn, pick):
    check(better_up_is_no_worse, tally, pick, drawn)


# Nothing changes ----------------------------------------------------------------------


def same_in_any_order(measure, drawn, order, ties):
    options = measure.rule(ties)
    expected = measure.score(drawn, **options)
    other = drawn.at(order)
    yield equal(measure.score(other, **options), expected, other, **options)


@over(
    drawn=rankings(),
    random=st.randoms(use_true_random=False),
    ties=st.sampled_from(["average", "optimistic", "pessimistic"]),
)
def test_row_order(tally, drawn, pick, random, ties):
    order = list(range(len(drawn.qid)))
    random.shuffle(order)
    check(same_in_any_order, tally, pick, drawn, np.array(order), ties)


def test_row_order_is_the_rule_of_stable_ties():
    drawn = from_lists(([1, 0], [1, 1]))
    measure = Case("reciprocal_rank_score")
    turned = drawn.at(np.array([1, 0]))
    assert measure.score(drawn, ties="stable") == [1.0]
    assert measure.score(turned, ties="stable") == [0.5]


def same_for_the_same_order(measure, drawn, levels, ties):
    levels = np.append(levels, -np.inf)
    ranks = ranks_in_queries(drawn.y_score, drawn.qid)
    place = np.where(ranks > -np.inf, ranks, -1).astype(int)
    options = measure.rule(ties)
    expected = measure.score(drawn, **options)
    other = drawn.scored(levels[place])
    yield equal(measure.score(other, **options), expected, other, **options)


@over(drawn=rankings(), levels=rising(4) | close(4), ties=st.sampled_from(TIES))
def test_monotone_transforms(tally, drawn, pick, levels, ties):
    check(same_for_the_same_order, tally, pick, drawn, levels, ties)


def same_in_any_precision(measure, drawn, levels, ties):
    ranks = ranks_in_queries(drawn.y_score, drawn.qid)
    place = np.where(ranks > -np.inf, ranks, 4).astype(int)
    double = drawn.scored(np.append(levels, -np.inf)[place])
    single = Rankings(
        double.y_true.astype(np.float32),
        double.y_score.astype(np.float32),
        double.qid,
        double.marked,
    )
    options = measure.rule(ties)
    expected = measure.score(double, **options)
    yield equal(measure.score(single, **options), expected, single, **options)


@over(drawn=rankings(), levels=rising(4, width=32), ties=st.sampled_from(TIES))
def test_float32(tally, drawn, pick, levels, ties):
    check(same_in_any_precision, tally, pick, drawn, levels, ties)


def same_when_repeated(measure, drawn, times):
    weights = np.array(times[: drawn.n_queries], dtype=float)
    again = [np.flatnonzero(drawn.qid == query) for query in range(drawn.n_queries)]
    copies = [rows for rows, n in zip(again, times, strict=False) for _ in range(n)]
    lengths = [len(rows) for rows in copies]
    rows = np.concatenate(copies)
    repeated = Rankings(
        drawn.y_true[rows],
        drawn.y_score[rows],
        np.repeat(np.arange(len(copies)), lengths),
        drawn.marked[rows],
    )
    averages = ["macro", "geometric"]
    # Without a relative weight of P and R there are no counts to add up.
    if measure.name in ref.MICRO and (
        measure.is_set or not {"alpha", "judged_only"} & measure.params.keys()
    ):
        averages.append("micro")
    values = measure.score(drawn, average=None, replace_undefined_by=0.25)
    for average in averages:
        if average == "geometric" and (values < 0.0).any():
            continue
        options = {"average": average, "replace_undefined_by": 0.25}
        weighted = measure.score(drawn, sample_weight=weights[drawn.qid], **options)
        expected = measure.score(repeated, **options)
        yield equal(np.float64(weighted), np.float64(expected), repeated, **options)


@over(drawn=rankings(), times=st.lists(st.integers(0, 3), min_size=5, max_size=5))
def test_a_query_twice_is_a_weight_of_two(tally, drawn, pick, times):
    assume(any(times[: drawn.n_queries]))
    check(same_when_repeated, tally, pick, drawn, times)


def same_with_more_left_out(measure, drawn, added, ties):
    """Add documents of grade 0 or without a judgment that are not retrieved."""
    queries = np.repeat(np.arange(drawn.n_queries), len(added))
    grades = np.tile(np.array(added, dtype=float), drawn.n_queries)
    more = Rankings(
        np.append(drawn.y_true, grades),
        np.append(drawn.y_score, np.full(len(grades), -np.inf)),
        np.append(drawn.qid, queries),
        np.append(drawn.marked, np.zeros(len(grades), dtype=bool)),
    )
    options = measure.rule(ties)
    expected = measure.score(drawn, **options)
    yield equal(measure.score(more, **options), expected, more, **options)


@over(
    drawn=rankings(),
    added=st.lists(st.sampled_from([0.0, np.nan]), min_size=1, max_size=4),
    ties=st.sampled_from(TIES),
)
def test_unretrieved_documents_of_no_use(tally, drawn, pick, added, ties):
    check(same_with_more_left_out, tally, pick, drawn, added, ties)


def same_in_any_form(measure, drawn, ties):
    y_true, y_score, marked = drawn.rectangle()
    y_true, y_score = measure.grades(y_true), measure.scores(y_score)
    marks = {ref.MARKS[measure.name]: marked} if measure.name in ref.MARKS else {}
    flat = Rankings(
        *(matrix.ravel() for matrix in drawn.rectangle()[:2]),
        np.repeat(np.arange(len(y_true)), y_true.shape[1]),
        marked.ravel(),
    )
    options = measure.rule(ties)
    call = partial(measure.function, average=None, **measure.params, **options)
    expected = measure.score(flat, **options)
    yield equal(call(y_true, y_score, **marks), expected, flat, **options)


@over(drawn=rankings(), ties=st.sampled_from(TIES))
def test_matrices_and_flat_rows(tally, drawn, pick, ties):
    check(same_in_any_form, tally, pick, drawn, ties)


def same_when_sparse(measure, drawn, ties):
    y_true, y_score, marked = drawn.rectangle()
    y_true, y_score = measure.grades(y_true), measure.scores(y_score)
    csr_true = sparse(y_true, 0)
    csr_score = sparse(y_score, 0 if measure.is_set else -np.inf)
    # Optional marks have no sparse form.
    required = measure.row.marks
    marks = {ref.MARKS[measure.name]: marked} if required else {}
    options = measure.rule(ties)
    call = partial(measure.function, average=None, **measure.params, **options)
    expected = call(y_true, y_score, **marks)
    for pair in ((csr_true, csr_score), (csr_true, y_score), (y_true, csr_score)):
        yield equal(call(*pair, **marks), expected, drawn, **options)


@over(drawn=rankings(), ties=st.sampled_from(TIES))
def test_sparse_matrices(tally, drawn, pick, ties):
    check(same_when_sparse, tally, pick, drawn, ties)


# Ties ---------------------------------------------------------------------------------


def between_the_extremes(measure, drawn):
    if not measure.rule("optimistic"):
        return
    low, average, high, stable = (
        measure.score(drawn, ties=ties)
        for ties in ("pessimistic", "average", "optimistic", "stable")
    )
    yield not_above(low, average, drawn, ties="pessimistic")
    yield not_above(average, high, drawn, ties="average")
    yield not_above(low, stable, drawn, ties="pessimistic")
    yield not_above(stable, high, drawn, ties="stable")


@over(drawn=rankings())
def test_ties_lie_between_the_worst_and_the_best_order(tally, drawn, pick):
    names = [name for name in MEASURES if Case(name).has_ties]
    check(between_the_extremes, tally, pick, drawn, names=names)


# Other queries ------------------------------------------------------------------------


def same_in_any_company(measure, drawn, chosen, ties):
    """Score some of many queries alone."""
    options = measure.rule(ties)
    expected = measure.score(drawn, **options)
    for query in chosen:
        alone = drawn.query(query)
        value = measure.score(alone, **options)
        yield equal(value, expected[[query]], alone, **options)


@over(
    seed=picks,
    lengths=st.lists(st.integers(1, 40), min_size=2, max_size=40),
    ties=st.sampled_from(TIES),
)
def test_other_queries(tally, seed, lengths, pick, ties):
    drawn = queries_at_once(np.random.default_rng(seed), lengths)
    chosen = {seed % len(lengths), pick % len(lengths)}
    check(same_in_any_company, tally, pick, drawn, chosen, ties)


# Exceptions ---------------------------------------------------------------------------


class Without(NamedTuple):
    """A measure that lacks a property, with which parameters, why, and where it shows.

    `where` holds what else the property takes: rankings first.
    """

    name: str
    why: str
    where: tuple
    when: object = lambda params: True


def cut(params):
    return params.get("k") is not None


def divided_by(*denominators, k=()):
    """Tell settings with one of these denominators, and a cutoff that is not in `k`."""
    return lambda params: (
        params.get("denominator", "relevant") in denominators and params["k"] not in k
    )


def with_option(name, value):
    return lambda params: params.get(name) is value


def with_unjudged(params):
    return not params.get("judged_only")


NOT_JUDGED = float("nan")
NOT_RETRIEVED = -np.inf
FALLING = range(20, 0, -1)
ONE_OF_TWO = from_lists(([3, 0], [2, 1]))
NONE = from_lists(([0, 0], [2, 1]))
TWELVE = from_lists(([3] * 12, FALLING[:12]))
TWELVE_OR_ONE = from_lists(([3] * 12, FALLING[:12]), ([3, 0], [2, 1]))
TWO_TIED = from_lists(([3, 3, 0], [1, 1, 0]))
SPAM = from_lists(([-1, 3], [1, NOT_RETRIEVED]))
WORST_FIRST = from_lists(([0, 3, 3], [3, 2, 1]))
KNOWN = from_lists(([3, 3], [2, 1], [1, 0]))
SPAM_FIRST = from_lists(([-1] + [NOT_JUDGED] * 10, FALLING[:11]))
UNJUDGED_FIRST = from_lists(([NOT_JUDGED] + [3] * 10, FALLING[:11]))
SPAM_BEFORE_UNJUDGED = from_lists(
    *(([NOT_JUDGED] * n + [-1, NOT_JUDGED], FALLING[: n + 2]) for n in range(9))
)
UNJUDGED_BEFORE_RELEVANT = from_lists(
    *(([0] * n + [NOT_JUDGED, 3], FALLING[: n + 2]) for n in range(9))
)
GRADES_TIED = from_lists(
    ([1, 1, 1, 0, 0, 1], [0, 0, 0, NOT_RETRIEVED, 0, 0]),
    ([3, -1, -1, 0, 0, 0, 0], [NOT_RETRIEVED, 0, NOT_RETRIEVED, 0, 0, 0, 0]),
    ([1, 3, 1, 0.5, 3, -1], [3, NOT_RETRIEVED, 2, 1, NOT_RETRIEVED, NOT_RETRIEVED]),
)
POOLED_ABOVE = "pooled documents above are held for relevant"
ANY_NUMBER = "has no largest value"
PLACES_COUNT = "counts ranks or documents besides the relevant ones"
ONE_MORE_FOUND = "one more found, at a low rank, lowers the mean over those found"
JUDGING = "says how much was judged, not how good it is"
PAIRS = "grades equal to others have no order to agree with"
EXCEPTIONS = {
    in_range: [
        Without(
            "ndcg_score",
            "negative gains are kept",
            (SPAM, "average"),
            with_option("negative_grades", "keep"),
        ),
        Without(
            "ndcg_score",
            "the worst order is of all documents",
            (from_lists(([3, 1], [NOT_RETRIEVED, 1])), "average"),
            with_option("negative_grades", "minmax"),
        ),
    ],
    perfect_is_best: [
        Without("judged_at_k_score", JUDGING, (SPAM_FIRST,), cut),
        Without("rank_biased_precision_residual", JUDGING, (UNJUDGED_FIRST,)),
    ],
    perfect_is_maximal: [
        Without("cumulative_gain_score", ANY_NUMBER, (ONE_OF_TWO,)),
        Without("dcg_score", ANY_NUMBER, (ONE_OF_TWO,)),
        Without("relative_recall_score", ANY_NUMBER, (ONE_OF_TWO,)),
        Without("set_cost_matrix_loss", "has no least value", (ONE_OF_TWO,)),
        Without("precision_at_k_score", PLACES_COUNT, (NONE,)),
        Without("fbeta_at_k_score", PLACES_COUNT, (TWELVE_OR_ONE,)),
        Without(
            "recall_at_k_score",
            "more to find than k",
            (TWELVE,),
            lambda params: cut(params) and not params["capped"],
        ),
        Without(
            "average_precision_score",
            "more to find than k",
            (TWELVE,),
            divided_by("relevant", k=[None]),
        ),
        Without(
            "average_precision_score",
            "less to find than k",
            (ONE_OF_TWO,),
            divided_by("k", k=[1]),
        ),
        Without(
            "q_measure_score",
            "more to find than k",
            (TWELVE,),
            divided_by("relevant", k=[None]),
        ),
        Without(
            "q_measure_score", "less to find than k", (ONE_OF_TWO,), divided_by("k")
        ),
        Without("recall_effort_score", "0 if there is not enough to find", (NONE,)),
        Without("rank_biased_precision_score", PLACES_COUNT, (ONE_OF_TWO,)),
        Without("rank_biased_precision_residual", JUDGING, (ONE_OF_TWO,)),
        Without("judged_at_k_score", JUDGING, (from_lists(([NOT_JUDGED], [1])),)),
        Without(
            "inferred_average_precision_score", "smooths its estimates", (TWO_TIED,)
        ),
        Without(
            "expected_reciprocal_rank_score",
            "no grade satisfies for certain",
            (ONE_OF_TWO,),
        ),
        Without("novelty_ratio_score", "is of what the user knew", (KNOWN,)),
        Without("kendall_tau_score", PAIRS, (TWO_TIED,), with_option("variant", "a")),
        Without(
            "average_precision_correlation_score",
            PAIRS,
            (TWO_TIED,),
            with_option("variant", "a"),
        ),
        Without("rank_biased_overlap_score", PAIRS, (TWO_TIED,)),
    ],
    better_up_is_no_worse: [
        Without(
            "average_precision_score",
            ONE_MORE_FOUND,
            (from_lists(([3, 0, 0, 3], [3, 2, 1, NOT_RETRIEVED])),),
            divided_by("retrieved", k=[1, 2]),
        ),
        Without(
            "q_measure_score",
            ONE_MORE_FOUND,
            (
                from_lists(
                    ([2, 0, 1, 3], [3, 2, 1, NOT_RETRIEVED]),
                    ([3, 0, 0, 3], [3, 2, 1, NOT_RETRIEVED]),
                ),
            ),
            divided_by("retrieved"),
        ),
        *(
            Without(
                name,
                "this gain of -1 is larger than that of 0",
                (from_lists(([-1, 0], [1, NOT_RETRIEVED])),),
                with_option("gain", ref.square),
            )
            for name in ("cumulative_gain_score", "dcg_score")
        ),
        Without(
            "inferred_average_precision_score",
            POOLED_ABOVE,
            (
                from_lists(
                    (
                        [3, *[NOT_JUDGED] * 5, 3],
                        FALLING[:7],
                        [0, 0, 0, 0, 0, 1, 0],
                    )
                ),
            ),
            with_unjudged,
        ),
        Without(
            "kendall_tau_score",
            "grades that stay tied count against broken ties",
            (GRADES_TIED,),
            with_option("variant", "b"),
        ),
        Without(
            "spearman_rho_score",
            "grades that stay tied count against broken ties",
            (GRADES_TIED,),
        ),
        Without(
            "average_precision_correlation_score",
            "grades that stay tied count against broken ties",
            (GRADES_TIED,),
            with_option("variant", "b"),
        ),
        Without(
            "average_precision_correlation_score",
            "who enters from a tie passes the others in it, and the better ones too",
            (GRADES_TIED,),
            with_option("variant", "a"),
        ),
        Without("judged_at_k_score", JUDGING, (SPAM_BEFORE_UNJUDGED,), cut),
        Without("rank_biased_precision_residual", JUDGING, (UNJUDGED_BEFORE_RELEVANT,)),
        Without(
            "coverage_ratio_score",
            "only documents that the user knew count",
            (from_lists(([2, 3], [1, NOT_RETRIEVED], [1, 0])),),
        ),
        Without(
            "novelty_ratio_score",
            "what the user knew lowers it",
            (from_lists(([2, 0, 3], [2, 1, NOT_RETRIEVED], [0, 0, 1])),),
        ),
    ],
    same_with_more_left_out: [
        Without(
            "rank_biased_overlap_score",
            "is of two lists, one of which is longer then",
            (WORST_FIRST, [0.0], "average"),
            lambda params: params["variant"] != "residual",
        ),
        Without(
            "rank_biased_overlap_score",
            "is undefined for two lists of nothing",
            (from_lists(([NOT_JUDGED], [1])), [0.0], "average"),
            lambda params: params["variant"] == "residual",
        ),
        Without(
            "ndcg_score",
            "spam is ranked last in the ideal, unless others take its place",
            (from_lists(([3, -1], [2, 1])), [0.0], "average"),
            with_option("negative_grades", "keep"),
        ),
        Without(
            "ndcg_score",
            "the worst order is of all documents",
            (from_lists(([3, -1, 1], [1, 2, 3])), [0.0, 0.0], "average"),
            with_option("negative_grades", "minmax"),
        ),
        *(
            Without(name, why, (WORST_FIRST, [0.0], "average"))
            for name, why in [
                ("roc_auc_score", "is of all pairs"),
                ("bpref_score", "counts the judged documents"),
                ("kendall_tau_score", "is of all pairs"),
                ("spearman_rho_score", "is of all ranks"),
                ("average_precision_correlation_score", "is of all pairs"),
                ("scott_pi_score", "left out and of no use is agreement"),
                ("set_accuracy_score", "left out and of no use is right"),
                ("set_specificity_score", "is of the documents of no use"),
                ("set_fallout_loss", "is of the documents of no use"),
            ]
        ),
        Without(
            "set_cost_matrix_loss",
            "is a cost per document",
            (WORST_FIRST, [0.0], "average"),
            with_option("normalize", True),
        ),
    ],
    same_when_sparse: [
        *(
            Without(name, why, (ONE_OF_TWO, "average"))
            for name, why in [
                ("kendall_tau_score", "takes dense scores"),
                ("spearman_rho_score", "takes dense scores"),
                ("average_precision_correlation_score", "takes dense scores"),
                ("rank_biased_overlap_score", "takes dense scores"),
                ("coverage_ratio_score", "known goes with dense input"),
                ("novelty_ratio_score", "known goes with dense input"),
                ("scott_pi_score", "takes dense labels"),
                ("set_cost_matrix_loss", "takes dense labels"),
            ]
        ),
    ],
}


def exempt(prop, measure):
    return any(
        entry.name == measure.name and entry.when(measure.params)
        for entry in EXCEPTIONS.get(prop, [])
    )


PROOFS = [
    pytest.param(prop, entry, measure, id=f"{prop.__name__}-{measure}")
    for prop, entries in EXCEPTIONS.items()
    for entry in entries
    for measure in MEASURES[entry.name]
    if entry.when(measure.params)
]


@pytest.mark.parametrize(("prop", "entry", "measure"), PROOFS)
def test_exceptions_are_needed(prop, entry, measure):
    try:
        deviations = [claim.deviations for claim in prop(measure, *entry.where)]
    except (TypeError, ValueError) as error:
        assert "sparse" in str(error)
    else:
        assert np.concatenate(deviations).max() > 1e-9, entry.why
