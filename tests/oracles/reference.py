"""Every measure once more: naive, in lists of floats, one query at a time.

The package is judged by these textbook forms, so nothing of it is imported here and
nothing is fast or clever. A ranking is ``(ranked, unretrieved)``: the grades of the
retrieved documents from rank 1 down, and the grades of the documents that have no rank.
A NaN grade is an unjudged document. The NaN object ``POOLED`` (told apart by identity)
is an unjudged document of the pool, which only inferred AP cares about. A measure
returns a float, NaN where it is undefined.
"""

import inspect
import itertools
import math
import operator
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from scipy import stats

from oracles import experimental
from oracles.experimental import orders_of
from oracles.grades import NAN, dcg_of_gains, divide, gain_of, is_judged, is_relevant

POOLED = float("nan")
EPSILON = 1e-5


# Ranked, binary relevance -------------------------------------------------------------


def count_relevant(grades, relevance_threshold=None):
    return sum(is_relevant(grade, relevance_threshold) for grade in grades)


def recall_base(ranked, unretrieved, relevance_threshold=None):
    return count_relevant(ranked + unretrieved, relevance_threshold)


def precision(ranked, unretrieved, *, k=None, adaptive=False, relevance_threshold=None):
    found = count_relevant(ranked[:k], relevance_threshold)
    places = len(ranked) if k is None else k
    if adaptive:
        places = min(places, len(ranked))
    return divide(found, places, undefined=0.0)


def recall(ranked, unretrieved, *, k=None, capped=False, relevance_threshold=None):
    found = count_relevant(ranked[:k], relevance_threshold)
    base = recall_base(ranked, unretrieved, relevance_threshold)
    if capped and k is not None:
        base = min(base, k)
    return divide(found, base)


def fbeta(
    ranked, unretrieved, *, k=None, beta=1.0, alpha=None, relevance_threshold=None
):
    found = count_relevant(ranked[:k], relevance_threshold)
    base = recall_base(ranked, unretrieved, relevance_threshold)
    places = len(ranked) if k is None else k
    if base == 0:
        return NAN
    if found == 0:
        return 0.0
    p, r = found / places, found / base
    if alpha is not None:
        return 1 / (alpha / p + (1 - alpha) / r)
    return (1 + beta**2) * p * r / (beta**2 * p + r)


def success(ranked, unretrieved, *, k=None, relevance_threshold=None):
    if recall_base(ranked, unretrieved, relevance_threshold) == 0:
        return NAN
    return float(count_relevant(ranked[:k], relevance_threshold) > 0)


def full_recall(ranked, unretrieved, *, k=None, relevance_threshold=None):
    base = recall_base(ranked, unretrieved, relevance_threshold)
    if base == 0:
        return NAN
    return float(count_relevant(ranked[:k], relevance_threshold) == base)


def silence(ranked, unretrieved, *, relevance_threshold=None):
    if recall_base(ranked, unretrieved, relevance_threshold) > 0:
        return NAN
    return float(not ranked)


def lift(ranked, unretrieved, *, k=None, relevance_threshold=None):
    base = recall_base(ranked, unretrieved, relevance_threshold)
    share = divide(base, len(ranked) + len(unretrieved))
    return divide(
        precision(ranked, unretrieved, k=k, relevance_threshold=relevance_threshold),
        share,
    )


def fallout(ranked, unretrieved, *, k=None, relevance_threshold=None):
    others = len(ranked) + len(unretrieved)
    others -= recall_base(ranked, unretrieved, relevance_threshold)
    seen = ranked[:k]
    return divide(len(seen) - count_relevant(seen, relevance_threshold), others)


def r_precision(ranked, unretrieved, *, relevance_threshold=None):
    base = recall_base(ranked, unretrieved, relevance_threshold)
    return divide(count_relevant(ranked[:base], relevance_threshold), base)


def reciprocal_rank(ranked, unretrieved, *, k=None, relevance_threshold=None):
    if recall_base(ranked, unretrieved, relevance_threshold) == 0:
        return NAN
    for rank, grade in enumerate(ranked[:k], start=1):
        if is_relevant(grade, relevance_threshold):
            return 1 / rank
    return 0.0


def first_rank(ranked, unretrieved, *, relevance_threshold=None):
    for rank, grade in enumerate(ranked, start=1):
        if is_relevant(grade, relevance_threshold):
            return float(rank)
    return NAN


def last_rank(ranked, unretrieved, *, relevance_threshold=None):
    base = recall_base(ranked, unretrieved, relevance_threshold)
    for rank in range(1, len(ranked) + 1):
        if base and count_relevant(ranked[:rank], relevance_threshold) == base:
            return float(rank)
    return NAN


def work_saved(ranked, unretrieved, *, recall_level=0.95, relevance_threshold=None):
    base, n = recall_base(ranked, unretrieved, relevance_threshold), len(ranked)
    n_documents = n + len(unretrieved)
    if base == 0:
        return NAN
    needed = n_documents
    for rank in range(n, 0, -1):
        found = count_relevant(ranked[:rank], relevance_threshold)
        if found >= round(recall_level * base, 9):
            needed = rank
    return (n_documents - needed) / n_documents - (1 - recall_level)


def ap_denominator(denominator, base, found, k):
    if denominator == "relevant":
        return base
    if denominator == "attainable":
        return base if k is None else min(base, k)
    if denominator == "k":
        return k
    assert denominator == "retrieved"
    return found


def average_precision(
    ranked, unretrieved, *, k=None, denominator="relevant", relevance_threshold=None
):
    base = recall_base(ranked, unretrieved, relevance_threshold)
    if base == 0:
        return NAN
    total, found = 0.0, 0
    for rank, grade in enumerate(ranked[:k], start=1):
        if is_relevant(grade, relevance_threshold):
            found += 1
            total += found / rank
    return divide(total, ap_denominator(denominator, base, found, k), undefined=0.0)


def recall_target(recall_level, base, recall_rounding):
    """Count how many relevant documents reach a recall level."""
    exact = recall_level * base
    if recall_rounding == "ceil":
        return math.ceil(round(exact, 9))
    if recall_rounding == "trec_eval9":
        return int(exact + 0.9)
    assert recall_rounding == "trec_eval10"
    return math.floor(exact) + (exact - math.floor(exact) >= 0.5)


def interpolated_precision(
    ranked,
    unretrieved,
    *,
    recall_level,
    recall_rounding="ceil",
    relevance_threshold=None,
):
    base = recall_base(ranked, unretrieved, relevance_threshold)
    if base == 0:
        return NAN
    target = recall_target(recall_level, base, recall_rounding)
    best, found = 0.0, 0
    for rank, grade in enumerate(ranked, start=1):
        found += is_relevant(grade, relevance_threshold)
        if found >= target:
            best = max(best, found / rank)
    return best


def eleven_point_precision(
    ranked,
    unretrieved,
    *,
    recall_levels=tuple(tenth / 10 for tenth in range(11)),
    recall_rounding="ceil",
    relevance_threshold=None,
):
    values = [
        interpolated_precision(
            ranked,
            unretrieved,
            recall_level=level,
            recall_rounding=recall_rounding,
            relevance_threshold=relevance_threshold,
        )
        for level in recall_levels
    ]
    return sum(values) / len(values)


def precision_recall_auc(ranked, unretrieved, *, relevance_threshold=None):
    base = recall_base(ranked, unretrieved, relevance_threshold)
    if base == 0:
        return NAN
    points, found = [], 0
    for rank, grade in enumerate(ranked, start=1):
        found += is_relevant(grade, relevance_threshold)
        points.append((found, found / rank))
    total = 0.0
    for wanted in range(1, base + 1):
        total += max((p for c, p in points if c >= wanted), default=0.0)
    return total / base


def max_fbeta(ranked, unretrieved, **params):
    ranks = range(1, len(ranked) + 1)
    if recall_base(ranked, unretrieved, params.get("relevance_threshold")) == 0:
        return NAN
    values = [fbeta(ranked, unretrieved, k=k, **params) for k in ranks]
    return max(values, default=0.0)


def recall_at_precision(
    ranked, unretrieved, *, min_precision=0.9, relevance_threshold=None
):
    """The best recall of a cutoff with a precision, compared without rounding."""
    base = recall_base(ranked, unretrieved, relevance_threshold)
    limit = Fraction(str(min_precision))
    best = 0
    for rank in range(1, len(ranked) + 1):
        found = count_relevant(ranked[:rank], relevance_threshold)
        if Fraction(found, rank) >= limit:
            best = max(best, found)
    return divide(best, base)


def recall_at_fpr(ranked, unretrieved, *, max_fpr=0.1, relevance_threshold=None):
    base = recall_base(ranked, unretrieved, relevance_threshold)
    others = len(ranked) + len(unretrieved) - base
    limit = Fraction(str(max_fpr)) * others
    best = 0
    for rank in range(1, len(ranked) + 1):
        found = count_relevant(ranked[:rank], relevance_threshold)
        if rank - found <= limit:
            best = max(best, found)
    return divide(best, base)


def roc_auc(ranked, unretrieved, *, max_fpr=None, relevance_threshold=None):
    if max_fpr is not None:
        return partial_auc(ranked, unretrieved, max_fpr, relevance_threshold)
    # Places, larger is better; all unretrieved documents share the last one.
    placed = [(len(ranked) - i, grade) for i, grade in enumerate(ranked)]
    placed += [(0, grade) for grade in unretrieved]
    relevant = [place for place, g in placed if is_relevant(g, relevance_threshold)]
    others = [place for place, g in placed if not is_relevant(g, relevance_threshold)]
    won = sum((a > b) + 0.5 * (a == b) for a in relevant for b in others)
    return divide(won, len(relevant) * len(others))


def partial_auc(ranked, unretrieved, max_fpr, relevance_threshold):
    """Add up the level of the curve above each other document, as by McClish.

    Each relevant document that was not retrieved is equally likely before, between and
    after the others that were not.
    """
    above, levels = 0, []
    for grade in ranked:
        if is_relevant(grade, relevance_threshold):
            above += 1
        else:
            levels.append(above)
    r = count_relevant(unretrieved, relevance_threshold)
    m = len(unretrieved) - r
    levels += [above + r * i / (m + 1) for i in range(1, m + 1)]
    if not levels or above + r == 0:
        return NAN
    width = 1 / len(levels)
    area = math.fsum(
        min(max(max_fpr - i * width, 0.0), width) * level / (above + r)
        for i, level in enumerate(levels)
    )
    least = max_fpr**2 / 2
    return 0.5 * (1 + (area - least) / (max_fpr - least))


def rank_biased_precision(
    ranked,
    unretrieved,
    *,
    k=None,
    persistence=0.8,
    max_grade=None,
    relevance_threshold=None,
):
    total = 0.0
    for rank, grade in enumerate(ranked[:k], start=1):
        if max_grade is None:
            utility = float(is_relevant(grade, relevance_threshold))
        else:
            utility = max(gain_of(grade), 0.0) / max_grade
        total += utility * persistence ** (rank - 1)
    return (1 - persistence) * total


def rank_biased_precision_residual(ranked, unretrieved, *, k=None, persistence=0.8):
    seen = ranked[:k]
    unjudged = sum(
        persistence**place for place, g in enumerate(seen) if not is_judged(g)
    )
    return (1 - persistence) * unjudged + persistence ** len(seen)


def bpref(ranked, unretrieved, *, relevance_threshold=None):
    documents = ranked + unretrieved
    base = count_relevant(documents, relevance_threshold)
    if base == 0:
        return NAN
    nonrelevant = sum(map(is_judged, documents)) - base
    above, total = 0, 0.0
    for grade in ranked:
        if is_relevant(grade, relevance_threshold):
            lost = min(above, base) / min(nonrelevant, base) if above else 0.0
            total += 1 - lost
        elif is_judged(grade):
            above += 1
    return total / base


def inferred_average_precision(ranked, unretrieved, *, relevance_threshold=None):
    base = recall_base(ranked, unretrieved, relevance_threshold)
    if base == 0:
        return NAN
    total = 0.0
    relevant = nonrelevant = pooled = 0
    for above, grade in enumerate(ranked):
        if is_relevant(grade, relevance_threshold):
            total += 1 / (above + 1)
            if above:
                in_pool = (relevant + nonrelevant + pooled) / above
                guess = (relevant + EPSILON) / (relevant + nonrelevant + 2 * EPSILON)
                total += above / (above + 1) * in_pool * guess
            relevant += 1
        elif is_judged(grade):
            nonrelevant += 1
        elif grade is POOLED:
            pooled += 1
    return total / base


def judged(ranked, unretrieved, *, k=None):
    seen = ranked[:k]
    return divide(sum(map(is_judged, seen)), len(seen), undefined=0.0)


# Graded relevance ---------------------------------------------------------------------


def cumulative_gain(ranked, unretrieved, *, k=None, gain="linear"):
    return sum((gain_of(grade, gain) for grade in ranked[:k]), start=0.0)


def dcg(ranked, unretrieved, *, k=None, gain="linear", discount="log", log_base=2.0):
    gains = [gain_of(grade, gain) for grade in ranked]
    return dcg_of_gains(gains[:k], discount, log_base)


def ndcg(
    ranked,
    unretrieved,
    *,
    k=None,
    gain="linear",
    discount="log",
    log_base=2.0,
    negative_grades="raise",
):
    if negative_grades == "raise" and any(g < 0 for g in ranked + unretrieved):
        raise ValueError("negative grade")

    def worth_of(grade):
        if negative_grades == "clip" and grade < 0:
            return 0.0
        return gain_of(grade, gain)

    def value(gains):
        return dcg_of_gains(gains[:k], discount, log_base)

    gained = value([worth_of(grade) for grade in ranked])
    best = sorted(map(worth_of, ranked + unretrieved), reverse=True)
    n = len(ranked)
    # A ranking of n documents can leave out those that do harm, and no others.
    ideal = value(best[:n] + [max(g, 0.0) for g in best[n:]])
    nothing = 1e-13 * value(list(map(abs, best)))  # a sum that rounding keeps from 0
    if negative_grades == "minmax":
        worst = value(best[::-1])
        if value(best) - worst <= nothing:
            return NAN
        return (gained - worst) / (ideal - worst)
    return divide(gained, ideal) if ideal > nothing else NAN


def expected_reciprocal_rank(
    ranked,
    unretrieved,
    *,
    k=None,
    gain="exponential",
    max_grade=4,
    relevance_threshold=None,
):
    if recall_base(ranked, unretrieved, relevance_threshold) == 0:
        return NAN
    total, still_looking = 0.0, 1.0
    for rank, grade in enumerate(ranked[:k], start=1):
        satisfied = max(gain_of(grade, gain), 0.0) / (gain_of(max_grade, gain) + 1)
        total += still_looking * satisfied / rank
        still_looking *= 1 - satisfied
    return total


def q_measure(
    ranked,
    unretrieved,
    *,
    k=None,
    beta=1.0,
    gain="linear",
    denominator="relevant",
    relevance_threshold=None,
):
    base = recall_base(ranked, unretrieved, relevance_threshold)
    if base == 0:
        return NAN
    best = [
        gain_of(grade, gain)
        for grade in ranked + unretrieved
        if is_relevant(grade, relevance_threshold)
    ]
    best.sort(reverse=True)
    total, found, gained = 0.0, 0, 0.0
    for rank, grade in enumerate(ranked[:k], start=1):
        if is_relevant(grade, relevance_threshold):
            found += 1
            gained += gain_of(grade, gain)
            total += (found + beta * gained) / (rank + beta * sum(best[:rank]))
    return divide(total, ap_denominator(denominator, base, found, k), undefined=0.0)


def count_pairs(ranked, unretrieved):
    """Right pairs of all pairs of different grades; the unretrieved share a place."""
    placed = [(len(ranked) - i, gain_of(grade)) for i, grade in enumerate(ranked)]
    placed += [(0, gain_of(grade)) for grade in unretrieved]
    pairs = [(a, b) for (a, g), (b, h) in itertools.product(placed, placed) if g > h]
    return sum((a > b) + 0.5 * (a == b) for a, b in pairs), len(pairs)


def ordered_pairs(ranked, unretrieved):
    return divide(*count_pairs(ranked, unretrieved))


# User-oriented ------------------------------------------------------------------------


def recall_effort(ranked, unretrieved, *, n_expected, relevance_threshold=None):
    found = 0
    for rank, grade in enumerate(ranked, start=1):
        found += is_relevant(grade, relevance_threshold)
        if found == n_expected:
            return n_expected / rank
    return 0.0


def relative_recall(
    ranked, unretrieved, *, n_expected, k=None, relevance_threshold=None
):
    return count_relevant(ranked[:k], relevance_threshold) / n_expected


# Measures whose value under ties is not the mean over the orders of tied documents:
# a maximum has no simple expectation, so a tie group is one step of the curve.
# Measures that take tied documents as one step: `exact_ties` of their rows is False.
ONE_STEP = {
    interpolated_precision,
    eleven_point_precision,
    precision_recall_auc,
    max_fbeta,
    recall_at_precision,
    recall_at_fpr,
}


# Sets: labels are relevant or not, predictions are retrieved or not -------------------


def confusion(y_true, y_pred):
    """Count true positives, false positives, false negatives, true negatives."""
    n = Counter((t > 0, p > 0) for t, p in zip(y_true, y_pred, strict=True) if t == t)
    return n[True, True], n[False, True], n[True, False], n[False, False]


def set_precision(tp, fp, fn, tn):
    return divide(tp, tp + fp)


def set_recall(tp, fp, fn, tn):
    return divide(tp, tp + fn)


def set_fbeta(tp, fp, fn, tn, *, beta=1.0, alpha=None):
    if alpha is not None:
        return divide(tp, alpha * (tp + fp) + (1 - alpha) * (tp + fn))
    return divide((1 + beta**2) * tp, (1 + beta**2) * tp + beta**2 * fn + fp)


def set_e_measure(tp, fp, fn, tn, *, beta=1.0, alpha=None):
    return 1 - set_fbeta(tp, fp, fn, tn, beta=beta, alpha=alpha)


def set_accuracy(tp, fp, fn, tn):
    return divide(tp + tn, tp + fp + fn + tn)


def set_specificity(tp, fp, fn, tn):
    return divide(tn, tn + fp)


def set_fallout(tp, fp, fn, tn):
    return divide(fp, fp + tn)


def set_miss_rate(tp, fp, fn, tn):
    return divide(fn, tp + fn)


def set_false_alarm(tp, fp, fn, tn):
    return divide(fp, tp + fp)


def set_detection_cost(tp, fp, fn, tn, *, miss_cost=1.0, false_alarm_cost=1.0):
    return miss_cost * set_miss_rate(
        tp, fp, fn, tn
    ) + false_alarm_cost * set_false_alarm(tp, fp, fn, tn)


def set_cost(
    y_true, y_pred, *, cost_matrix=((0, 1), (1, 0)), normalize=False, labels=None
):
    labels = sorted({*y_true, *y_pred}) if labels is None else list(labels)
    costs = [
        cost_matrix[labels.index(t)][labels.index(p)]
        for t, p in zip(y_true, y_pred, strict=True)
    ]
    return sum(costs) / len(costs) if normalize else float(sum(costs))


# Agreement and correlation ------------------------------------------------------------


def kendall_tau(x, y, *, variant="b"):
    """Of SciPy, which has tau-c in place of tau-a: other shares of one balance."""
    n, fewest = len(x), min(len(set(x)), len(set(y)))
    if n < 2:
        return NAN
    if variant == "b":
        return stats.kendalltau(x, y).statistic
    if fewest == 1:
        return 0.0
    tau_c = stats.kendalltau(x, y, variant="c").statistic
    return tau_c * n * (fewest - 1) / (fewest * (n - 1))


def spearman_rho(x, y):
    if min(len(set(x)), len(set(y))) < 2:
        return NAN
    return stats.pearsonr(stats.rankdata(x), stats.rankdata(y)).statistic


def tau_ap(x, order):
    """AP correlation of an order with the true scores x (Yilmaz et al. 2008).

    A pair tied in x may be either way round, so it is half concordant.
    """
    n = len(x)
    if n < 2:
        return NAN
    total = 0.0
    for place in range(1, n):
        this = x[order[place]]
        above = [x[i] for i in order[:place]]
        total += sum((a > this) + 0.5 * (a == this) for a in above) / place
    return 2 * total / (n - 1) - 1


def tau_ap_a(x, y):
    """Mean of tau_ap over all orders by y (Urbano and Marrero 2017)."""
    values = [tau_ap(x, order) for order in orders_of(y)]
    return sum(values) / len(values)


def tau_ap_b(x, y):
    """Symmetric agreement with ties on both sides (Urbano and Marrero 2017)."""

    def one_way(x, y):
        total, terms = 0.0, 0
        for i in range(len(y)):
            above = [j for j in range(len(y)) if y[j] > y[i]]
            if above:
                total += sum(x[j] > x[i] for j in above) / len(above)
                terms += 1
        return divide(2 * total, terms) - 1

    return (one_way(x, y) + one_way(y, x)) / 2


def average_precision_correlation(x, y, *, variant="a"):
    return tau_ap_a(x, y) if variant == "a" else tau_ap_b(x, y)


def rank_biased_overlap(first, second, *, persistence=0.9, variant="ext"):
    """Overlap of two lists of items without ties (Webber et al. 2010)."""
    p = persistence
    short, long = sorted([first, second], key=len)
    s, n = len(short), len(long)
    if not n:
        return NAN

    def overlap(depth):
        return len(set(short[:depth]) & set(long[:depth]))

    def sizes(begin, end):
        return sum(p**d / d for d in range(begin + 1, end + 1))

    everything = -math.log(1 - p)
    if variant == "min":
        seen = sum((overlap(d) - overlap(n)) * p**d / d for d in range(1, n + 1))
        return (1 - p) / p * (seen + overlap(n) * everything)
    if variant == "residual":
        whole = s + n - overlap(n)
        lost = s * sizes(s, whole) + n * sizes(n, whole)
        lost += overlap(n) * (everything - sizes(0, whole))
        return p**s + p**n - p**whole - (1 - p) / p * lost
    assert variant == "ext"
    if not s:
        return 0.0
    seen = sum(overlap(d) / d * p**d for d in range(1, n + 1))
    beyond = sum(overlap(s) * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    tail = (overlap(n) - overlap(s)) / n + overlap(s) / s
    return (1 - p) / p * (seen + beyond) + tail * p**n


def mean_rank_biased_overlap(x, y, **params):
    """Mean of rank_biased_overlap over all orders by x and by y.

    The list by y does not hold items of y < 0.
    """
    y = [place if place >= 0 else -math.inf for place in y]
    pairs = itertools.product(orders_of(x), orders_of(y))
    values = [rank_biased_overlap(*pair, **params) for pair in pairs]
    return sum(values) / len(values)


def judged_pairs(y_true, y_score):
    """Grades and places by score of judged documents; unretrieved ones share -1."""
    kept = [(t, s) for t, s in zip(y_true, y_score, strict=True) if is_judged(t)]
    rising = sorted({s for _, s in kept if s > -math.inf})
    places = {s: float(place) for place, s in enumerate(rising)} | {-math.inf: -1.0}
    return [t for t, _ in kept], [places[s] for _, s in kept]


def scott_pi(first, second):
    n = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    pooled = Counter([*first, *second])
    chance = sum((count / (2 * n)) ** 2 for count in pooled.values())
    return divide(observed - chance, 1 - chance)


# Every measure, and how package and reference are compared ----------------------------


@dataclass(frozen=True)
class Tried:
    """A reference, and what its measure is called with.

    Attributes
    ----------
    reference : callable
        For a ranking, ``f(ranked, unretrieved, **parameters)``, as above, without
        `judged_only`, which `ranking` adds to settings and `per_query` applies.
    settings : list of dict
        Every parameter with each value that it branches on.
    kind : str
        What is scored: a "ranking", a "set", two lists of "classes", a "correlation" of
        grades and scores, what a "user" knew, or what an "experimental" measure sees.
    adversarial : list of dict
        Settings that are harder on rules for ties.
    usual : dict
        What is passed where parameters do not matter: those that have no default.
    mark : str or None
        The fact per document that the measure takes.
    micro : bool
        Whether it takes ``average="micro"``. The counts that are added up over queries
        are then told in `micro` below.
    """

    reference: Callable
    settings: list
    kind: str = "ranking"
    adversarial: list = field(default_factory=list)
    usual: dict = field(default_factory=dict)
    mark: str | None = None
    micro: bool = False


def settings(**options):
    """List every combination of the options, each option a list of values."""
    return [
        dict(zip(options, values, strict=True))
        for values in itertools.product(*options.values())
    ]


GAINS = {-1: -2.0, 0.5: 0.25, 1: 1.0, 2: 1.0, 2.5: 3.0, 3: 9.0}
FLAT = GAINS | {-1: -0.5, 0.5: 0.0, 1: 0.0}


def square(grade):
    return grade**2 * 0.5


def steep(rank):
    return 1.0 / rank**2


CUTOFFS = {"k": [None, 1, 2, 3, 5, 9]}
RELEVANCE = {"relevance_threshold": [None, 2]}
SPAM = {"relevance_threshold": [-1.0]}
DENOMINATORS = {"denominator": ["relevant", "attainable", "retrieved"]}
ROUNDINGS = {"recall_rounding": ["ceil", "trec_eval9", "trec_eval10"]}
BALANCES = [{}, *settings(beta=[0.0, 0.5, 2.0]), *settings(alpha=[0.0, 0.3, 1.0])]
COSTS = {"cost_matrix": [[0, 1], [5, -2]], "labels": [0, 1]}


def ranking(reference, *groups, adversarial=None, **facts):
    cases = sum(groups, [])
    if adversarial is None:
        low = settings(relevance_threshold=[-1.0, 0.0])
        adversarial = low if "relevance_threshold" in cases[0] else []
    if reference not in (judged, silence, rank_biased_precision_residual):
        cases = cases + [case | {"judged_only": True} for case in (cases[0], cases[-1])]
    return Tried(reference, cases, adversarial=adversarial, **facts)


def of_sets(reference, cases=({},), kind="set", micro=True, **facts):
    which = {}, {"relevance_threshold": 2}, {"judged_only": True}
    cases = [case | documents for case in cases for documents in which]
    return Tried(reference, cases, kind, micro=micro, **facts)


def of_known(reference):
    cases = settings(k=[None, 1, 2, 4])
    return of_sets(reference, cases, kind="user", mark="known", micro=False)


def of_experimental(reference, *groups, mark=None, **facts):
    return Tried(reference, sum(groups, []), "experimental", mark=mark, **facts)


def of_propensity(reference, *groups, **facts):
    cases = sum(groups, [])
    cases += [case | {"judged_only": True} for case in (cases[0], cases[-1])]
    return of_experimental(reference, cases, mark="inverse_propensity", **facts)


def correlation(reference, cases=({},)):
    return Tried(reference, [*cases], "correlation")


MEASURES = {
    "precision_at_k_score": ranking(
        precision, settings(**CUTOFFS, **RELEVANCE, adaptive=[False, True]), micro=True
    ),
    "recall_at_k_score": ranking(
        recall, settings(**CUTOFFS, **RELEVANCE, capped=[False, True]), micro=True
    ),
    "fbeta_at_k_score": ranking(
        fbeta,
        settings(**CUTOFFS, **RELEVANCE, beta=[1.0, 2.0]),
        settings(k=[None, 2], beta=[0.0, 0.5]),
        settings(k=[2, 9], alpha=[0.0, 0.2, 1.0]),
        micro=True,
    ),
    "success_at_k_score": ranking(success, settings(**CUTOFFS, **RELEVANCE)),
    "full_recall_at_k_score": ranking(full_recall, settings(**CUTOFFS, **RELEVANCE)),
    "lift_at_k_score": ranking(lift, settings(**CUTOFFS, **RELEVANCE)),
    "fallout_at_k_loss": ranking(fallout, settings(**CUTOFFS, **RELEVANCE), micro=True),
    "r_precision_score": ranking(r_precision, settings(**RELEVANCE)),
    "reciprocal_rank_score": ranking(reciprocal_rank, settings(**CUTOFFS, **RELEVANCE)),
    "first_rank_loss": ranking(first_rank, settings(**RELEVANCE)),
    "last_rank_loss": ranking(last_rank, settings(**RELEVANCE)),
    "average_precision_score": ranking(
        average_precision,
        settings(**CUTOFFS, **RELEVANCE, **DENOMINATORS),
        settings(k=[1, 3, 9], **RELEVANCE, denominator=["k"]),
        adversarial=settings(k=[None, 1, 2, 4], **SPAM, **DENOMINATORS),
    ),
    "interpolated_precision_score": ranking(
        interpolated_precision,
        settings(recall_level=[0, 0.1, 1 / 3, 0.5, 0.7, 1], **ROUNDINGS, **RELEVANCE),
        adversarial=settings(recall_level=[0.5], **SPAM),
        usual={"recall_level": 0.4},
    ),
    "eleven_point_precision_score": ranking(
        eleven_point_precision,
        settings(**ROUNDINGS, **RELEVANCE),
        [{"recall_levels": (0.25, 0.5, 0.75)}],
    ),
    "precision_recall_auc_score": ranking(precision_recall_auc, settings(**RELEVANCE)),
    "max_fbeta_score": ranking(
        max_fbeta,
        settings(beta=[0.0, 0.5, 1.0, 2.0], **RELEVANCE),
        settings(alpha=[0.0, 0.2, 1.0]),
    ),
    "recall_at_precision_score": ranking(
        recall_at_precision, settings(min_precision=[0.9, 0.5, 0, 1, 0.6], **RELEVANCE)
    ),
    "recall_at_fpr_score": ranking(
        recall_at_fpr, settings(max_fpr=[0.1, 0.5, 0, 1, 0.6], **RELEVANCE)
    ),
    "roc_auc_score": ranking(
        roc_auc, settings(**RELEVANCE), settings(max_fpr=[0.1, 0.5, 1.0], **RELEVANCE)
    ),
    "rank_biased_precision_score": ranking(
        rank_biased_precision,
        settings(**CUTOFFS, **RELEVANCE, persistence=[0.8, 0.95]),
        settings(k=[None, 2], max_grade=[3, 5.5]),
    ),
    "rank_biased_precision_residual": ranking(
        rank_biased_precision_residual, settings(**CUTOFFS, persistence=[0.8, 0.5])
    ),
    "bpref_score": ranking(bpref, settings(**RELEVANCE)),
    "inferred_average_precision_score": ranking(
        inferred_average_precision, settings(**RELEVANCE), mark="pooled"
    ),
    "silence_score": ranking(silence, [*settings(relevance_threshold=[None, 2])]),
    "judged_at_k_score": ranking(judged, settings(**CUTOFFS)),
    "cumulative_gain_score": ranking(
        cumulative_gain,
        settings(**CUTOFFS, gain=["linear", "exponential", GAINS | {0: -0.5}, square]),
    ),
    "dcg_score": ranking(
        dcg,
        settings(**CUTOFFS, gain=["linear", "exponential"]),
        settings(
            k=[None, 2], discount=["log", "jarvelin_kekalainen"], log_base=[1.5, 3.0]
        ),
        settings(
            k=[None, 3], gain=[GAINS, square], discount=["reciprocal", steep, "log"]
        ),
        adversarial=settings(k=[None, 3], gain=[FLAT, square, operator.neg]),
    ),
    "ndcg_score": ranking(
        ndcg,
        settings(**CUTOFFS, gain=["linear", "exponential"]),
        settings(
            k=[None, 2],
            negative_grades=["clip", "keep", "minmax"],
            gain=["linear", GAINS],
        ),
        settings(
            k=[None, 3],
            discount=["log", "jarvelin_kekalainen", "reciprocal", steep],
            log_base=[2.0, 4.0],
        ),
        [{"gain": square, "k": 4}],
        adversarial=settings(
            k=[None, 3], gain=[FLAT, square], negative_grades=["clip", "keep", "minmax"]
        ),
    ),
    "expected_reciprocal_rank_score": ranking(
        expected_reciprocal_rank,
        settings(**CUTOFFS, gain=["linear", "exponential"]),
        settings(k=[None, 3], max_grade=[3, 3.5]),
        settings(gain=[GAINS | {4: 9.5}], **RELEVANCE),
        adversarial=settings(k=[None, 3], gain=[FLAT | {4: 10.0}, square], **SPAM),
    ),
    "q_measure_score": ranking(
        q_measure,
        settings(**CUTOFFS, **RELEVANCE),
        settings(k=[None, 3], beta=[0.0, 10.0], gain=["linear", "exponential", GAINS]),
        settings(k=[2, 4], denominator=["attainable", "k", "retrieved"]),
        adversarial=settings(
            k=[None, 1, 2, 4],
            gain=["linear", "exponential", FLAT],
            beta=[1.0, 10.0],
            **DENOMINATORS,
        ),
    ),
    "ordered_pairs_score": ranking(ordered_pairs, [{}], micro=True),
    "work_saved_score": ranking(
        work_saved,
        settings(recall_level=[0.95, 0.5, 1 / 3, 0.01, 1], **RELEVANCE),
    ),
    "recall_effort_score": ranking(
        recall_effort,
        settings(n_expected=[1, 2, 3], **RELEVANCE),
        adversarial=settings(n_expected=[2], **SPAM),
        usual={"n_expected": 2},
    ),
    "relative_recall_score": ranking(
        relative_recall,
        settings(n_expected=[1, 3], **RELEVANCE),
        settings(n_expected=[2], k=[1, 3]),
        adversarial=settings(n_expected=[2], **SPAM),
        usual={"n_expected": 2},
    ),
    "coverage_ratio_score": of_known(experimental.coverage_ratio),
    "novelty_ratio_score": of_known(experimental.novelty_ratio),
    "expected_exposure_loss": of_experimental(
        experimental.expected_exposure_loss,
        settings(persistence=[0.5, 0.8], relevance_threshold=[None, 2, 0.0]),
    ),
    "expected_exposure_disparity": of_experimental(
        experimental.expected_exposure_disparity, settings(persistence=[0.5, 0.8])
    ),
    "expected_exposure_relevance_score": of_experimental(
        experimental.expected_exposure_relevance,
        settings(persistence=[0.5, 0.8], relevance_threshold=[None, 2, 0.0]),
    ),
    "attention_weighted_rank_fairness_score": of_experimental(
        experimental.rank_fairness,
        settings(
            k=[None, 1, 3], target=["relevant", "all", (0.7, 0.3)], jsd_base=[2.0, 5.0]
        ),
        settings(
            k=[3],
            target=["relevant"],
            discount=["jarvelin_kekalainen", "reciprocal", "log"],
            log_base=[2.0, 3.0],
            relevance_threshold=[2],
        ),
        mark="membership",
        usual={"target": "relevant"},
    ),
    "propensity_scored_precision_score": of_propensity(
        experimental.psp, settings(**CUTOFFS, **RELEVANCE), micro=True
    ),
    "propensity_scored_dcg_score": of_propensity(
        experimental.psdcg, settings(**CUTOFFS, **RELEVANCE)
    ),
    "propensity_scored_ndcg_score": of_propensity(
        experimental.psndcg, settings(**CUTOFFS, **RELEVANCE)
    ),
    "self_information_score": of_experimental(
        experimental.self_information, settings(**CUTOFFS), mark="popularity"
    ),
    "intra_list_diversity_score": of_experimental(
        experimental.intra_list_diversity, settings(**CUTOFFS), mark="vectors"
    ),
    "kendall_tau_score": correlation(kendall_tau, settings(variant=["a", "b"])),
    "spearman_rho_score": correlation(spearman_rho),
    "average_precision_correlation_score": correlation(
        average_precision_correlation, settings(variant=["a", "b"])
    ),
    "rank_biased_overlap_score": correlation(
        mean_rank_biased_overlap,
        settings(persistence=[0.9, 0.5], variant=["ext", "min", "residual"]),
    ),
    "set_precision_score": of_sets(set_precision),
    "set_recall_score": of_sets(set_recall),
    "set_fbeta_score": of_sets(set_fbeta, BALANCES),
    "set_f1_score": of_sets(set_fbeta),
    "set_e_measure_loss": of_sets(set_e_measure, BALANCES),
    "set_accuracy_score": of_sets(set_accuracy),
    "set_specificity_score": of_sets(set_specificity),
    "set_fallout_loss": of_sets(set_fallout),
    "set_miss_rate_loss": of_sets(set_miss_rate),
    "set_false_alarm_loss": of_sets(set_false_alarm),
    "set_detection_cost_loss": of_sets(
        set_detection_cost, [{}, *settings(miss_cost=[0, 10], false_alarm_cost=[1.5])]
    ),
    "scott_pi_score": Tried(scott_pi, [{}], "classes"),
    "set_cost_matrix_loss": Tried(
        set_cost,
        [{}, COSTS, COSTS | {"normalize": True}],
        "classes",
        usual={"cost_matrix": [[0, 1], [5, -1]]},
        micro=True,
    ),
}


def references(kind):
    return {
        name: tried.reference for name, tried in MEASURES.items() if tried.kind == kind
    }


RANKED, SETS, CLASSES = references("ranking"), references("set"), references("classes")
CORRELATIONS, EXPERIMENTAL = references("correlation"), references("experimental")
OF_MARKED_ORDERS = EXPERIMENTAL | references("user")
SETTINGS = {name: tried.settings for name, tried in MEASURES.items()}
MARKS = {name: tried.mark for name, tried in MEASURES.items() if tried.mark}
MICRO = {name for name, tried in MEASURES.items() if tried.micro}


# Orders of tied documents -------------------------------------------------------------


def tie_groups(grades, scores):
    """Grades of the documents sharing a score, from the best score down."""
    groups = {}
    for grade, score in zip(grades, scores, strict=True):
        if score != -math.inf:
            groups.setdefault(score, []).append(grade)
    return [groups[score] for score in sorted(groups, reverse=True)]


def unretrieved_grades(grades, scores):
    return [g for g, s in zip(grades, scores, strict=True) if s == -math.inf]


def distinct_orders(group):
    """Yield every distinguishable order of a group, all of them equally likely."""
    kinds = {}
    for grade in group:
        kind = "pooled" if grade is POOLED else repr(grade)
        kinds.setdefault(kind, []).append(grade)

    def extend(prefix):
        if len(prefix) == len(group):
            yield prefix
        for kind in kinds.values():
            if kind:
                grade = kind.pop()
                yield from extend([*prefix, grade])
                kind.append(grade)

    yield from extend([])


def values_over_orders(f, grades, scores, **params):
    """List the values of a measure for all orders of the tied documents."""
    groups = [list(distinct_orders(group)) for group in tie_groups(grades, scores)]
    unretrieved = unretrieved_grades(grades, scores)
    return [
        f(list(itertools.chain(*orders)), unretrieved, **params)
        for orders in itertools.product(*groups)
    ]


def mean_over_orders(f, grades, scores, **params):
    """Mean of a measure over all orders of the tied documents."""
    values = values_over_orders(f, grades, scores, **params)
    return math.fsum(values) / len(values)


def worth(f, grade, params):
    """Return what a document of this grade adds, larger for more.

    Its gain where the reference takes a `gain`, otherwise whether it is relevant.
    """
    if f is judged:
        return is_judged(grade)
    if f is rank_biased_precision_residual:
        return not is_judged(grade)
    relevant = is_relevant(grade, params.get("relevance_threshold"))
    gain = gain_of(grade, params.get("gain", "linear"))
    if f is q_measure:
        return relevant, gain
    if f is ordered_pairs:
        return gain
    if "gain" in inspect.signature(f).parameters or params.get("max_grade") is not None:
        return gain
    return relevant


# Measures that refuse the best and the worst order: `extremes` of their rows is False.
NO_EXTREMES = {
    "inferred_average_precision_score",
    "expected_exposure_loss",
    "expected_exposure_disparity",
    "expected_exposure_relevance_score",
    "attention_weighted_rank_fairness_score",
    "intra_list_diversity_score",
}


def has_extremes(name, params):
    """Whether the package finds the best and the worst order of tied documents."""
    if params.get("denominator") == "retrieved" and params.get("k") is not None:
        return False
    return name not in NO_EXTREMES


def extreme(f, grades, scores, *, best, **params):
    """Value of a measure for the best or the worst order of tied documents.

    By falling or rising worth. Relevant documents must not count less than none.
    """
    ranked = [
        sorted(group, key=lambda grade: worth(f, grade, params), reverse=best)
        for group in tie_groups(grades, scores)
    ]
    return f(sum(ranked, []), unretrieved_grades(grades, scores), **params)


def stable_order(f, grades, scores, **params):
    """Value with tied documents in the order of the input."""
    ranked = sum(tie_groups(grades, scores), [])
    return f(ranked, unretrieved_grades(grades, scores), **params)


def under_ties(f, grades, scores, ties="average", **params):
    """Value of one query under a tie rule, or the list of values of all orders."""
    if ties == "all":
        return values_over_orders(f, grades, scores, **params)
    if ties == "stable":
        return stable_order(f, grades, scores, **params)
    if ties == "optimistic":
        return extreme(f, grades, scores, best=True, **params)
    if ties == "pessimistic" or f in ONE_STEP:
        return extreme(f, grades, scores, best=False, **params)
    assert ties == "average"
    return mean_over_orders(f, grades, scores, **params)


# Many queries -------------------------------------------------------------------------


def query_rows(qid, n_rows):
    """Rows of each query, in order of first appearance."""
    rows = {}
    for row in range(n_rows):
        rows.setdefault(0 if qid is None else qid[row], []).append(row)
    return rows


def pick(values, rows):
    return [values[row] for row in rows]


def per_query(
    f,
    y_true,
    y_score,
    qid=None,
    *,
    ties="average",
    judged_only=False,
    pooled=None,
    **params,
):
    """List the value of each query, in order of first appearance."""
    values = []
    for rows in query_rows(qid, len(y_true)).values():
        if judged_only:
            rows = [row for row in rows if is_judged(y_true[row])]
        grades = [
            POOLED
            if pooled is not None and pooled[row] and not is_judged(y_true[row])
            else float(y_true[row])
            for row in rows
        ]
        scores = [float(score) for score in pick(y_score, rows)]
        values.append(under_ties(f, grades, scores, ties, **params))
    return values


def aggregate(values, weights=None, *, average="macro", undefined=NAN, epsilon=1e-5):
    """Mean over queries; undefined ones are left out or replaced."""
    if weights is None:
        weights = [1.0] * len(values)
    kept = [
        (value if is_judged(value) else undefined, weight)
        for value, weight in zip(values, weights, strict=True)
        if is_judged(value) or is_judged(undefined)
    ]
    total = sum(weight for _, weight in kept)
    if average == "geometric":
        logs = sum(weight * math.log(max(value, epsilon)) for value, weight in kept)
        return math.exp(logs / total) if kept else NAN
    return divide(sum(value * weight for value, weight in kept), total)


def micro(name, y_true, y_score, qid, weights=None, **params):
    """Ratio of the counts of all queries added up (no ties)."""
    k = params.get("k")
    threshold = params.get("relevance_threshold")
    sums = Counter()
    for query, rows in enumerate(query_rows(qid, len(y_true)).values()):
        grades, scores = pick(y_true, rows), pick(y_score, rows)
        ranked = sum(tie_groups(grades, scores), [])
        places = len(ranked) if k is None else k
        base = count_relevant(grades, threshold)
        if params.get("adaptive"):
            places = min(places, len(ranked))
        if params.get("capped") and k is not None:
            base = min(base, k)
        weight = 1 if weights is None else weights[query]
        sums["found"] += weight * count_relevant(ranked[:k], threshold)
        sums["places"] += weight * places
        sums["base"] += weight * base
        n_others = len(grades) - count_relevant(grades, threshold)
        sums["others"] += weight * n_others
        sums["missed"] += weight * (
            len(ranked[:k]) - count_relevant(ranked[:k], threshold)
        )
        right, pairs = count_pairs(ranked, unretrieved_grades(grades, scores))
        sums["right"] += weight * right
        sums["pairs"] += weight * pairs
    if name == "precision_at_k_score":
        return divide(sums["found"], sums["places"], undefined=0.0)
    if name == "recall_at_k_score":
        return divide(sums["found"], sums["base"])
    if name == "fallout_at_k_loss":
        return divide(sums["missed"], sums["others"])
    if name == "ordered_pairs_score":
        return divide(sums["right"], sums["pairs"])
    if name != "fbeta_at_k_score":
        raise NotImplementedError(f"say here what {name} adds up over queries")
    square = params.get("beta", 1.0) ** 2
    return divide((1 + square) * sums["found"], square * sums["base"] + sums["places"])
