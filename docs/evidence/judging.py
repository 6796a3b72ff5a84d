"""What `sklearn_irmetrics.judging` claims, simulated.

Run ``python docs/evidence/judging.py TABLE``. Tables:

- ``queries``: coverage and width of intervals from whole queries, for ten judges, four
  measures, one system and differences;
- ``sparse``: the same where one document of sixty is relevant;
- ``ends``: the same where most values lie at one end of the range, and for a judge that
  is exact but for lapses;
- ``chosen``: what happens where labels are no random sample;
- ``documents``: bias, coverage and width where documents are sampled;
- ``rare``: coverage where documents are sampled and few are relevant;
- ``plans``: planned widths beside those reached, also where few documents are relevant.

Judges: four language models by their confusion with people's grades
(``shared/data/llmjudge`` beside the checkout), one that is useless, one that is 97 %
right, one that favours system A, one that is a grade too high, one that finds nothing
at all in 5 % of the queries, and "in queries", which takes whole real queries with the
pairs of grades that they have, so that a judge's errors cling together.
"""

import argparse
import gzip
import warnings
from functools import cache
from pathlib import Path

import numpy as np

from sklearn_irmetrics import score_queries
from sklearn_irmetrics.judging import (
    JudgedScores,
    compare_judged,
    plan_judgments,
    sample_judgments,
    score_judged,
)
from sklearn_irmetrics.judging.regression import corrected_mean, judge_weight

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "llmjudge"
N_DOCUMENTS = 60
REAL = ["umbrela1", "fewself", "llama38b", "CoT"]
ARTIFICIAL = ["useless", "near perfect", "favours A", "shifted", "lapses", "in queries"]
MEASURES = [
    "ndcg@10",
    "ap(relevance_threshold=2)",
    "p(relevance_threshold=2)@10",
    "rr(relevance_threshold=2)",
]
SIZES = [6, 10, 15, 30, 100]


@cache
def real_grades():
    """Return the query of each pair, and the grades by people and by each judge."""

    def read(path):
        with gzip.open(path, "rt") as lines:
            rows = [line.split() for line in lines]
        return {(row[0], row[2]): int(row[3]) for row in rows}

    files = {name: read(next(DATA.glob(f"*{name}.qrels.gz"))) for name in REAL}
    people = read(DATA / "nist.qrels.gz")
    _, query = np.unique([one for one, _ in people], return_inverse=True)
    grades = {name: np.array([f[pair] for pair in people]) for name, f in files.items()}
    return query, np.array([*people.values()]), grades


def draw(rng, probabilities):
    """Return a category for each row of probabilities."""
    cumulated = probabilities.cumsum(axis=-1)[..., :-1]
    return (rng.random(cumulated.shape[:-1])[..., np.newaxis] > cumulated).sum(axis=-1)


def population(judge, n_queries, seed, relevant=None):
    """Return grades by people and the judge, and scores of the systems A and B.

    `relevant` is the share of documents with a grade above 0; None: the real one.
    """
    rng = np.random.default_rng(seed)
    query, people, by_judge = real_grades()
    frequencies = np.bincount(people) / len(people)
    if relevant is not None:
        frequencies[1:] *= relevant / frequencies[1:].sum()
        frequencies[0] = 1 - relevant
    shape = n_queries, N_DOCUMENTS
    if judge == "in queries":
        members = [np.flatnonzero(query == one) for one in range(query.max() + 1)]
        rows = np.array(
            [
                rng.choice(members[one], N_DOCUMENTS, replace=False)
                for one in rng.integers(0, len(members), n_queries)
            ]
        )
        grades, labels = people[rows], by_judge["umbrela1"][rows]
    else:
        shares = rng.dirichlet(frequencies * 6, n_queries)
        grades = draw(rng, np.broadcast_to(shares[:, np.newaxis], (*shape, 4)))
    noise = rng.normal(size=shape)
    hard = np.exp(0.3 * rng.normal(size=(n_queries, 1)))
    system_a = 0.8 * grades + noise * hard
    other = 0.5 * noise + 0.866 * rng.normal(size=shape)
    system_b = 0.7 * grades + other * hard
    if judge == "useless":
        labels = rng.choice(by_judge["umbrela1"], shape)
    elif judge == "near perfect":
        off = grades + rng.choice([-1, 1], shape)
        labels = np.where(rng.random(shape) < 0.97, grades, off)
    elif judge != "in queries":
        confusion = np.zeros((4, 4))
        base = by_judge[judge if judge in REAL else "umbrela1"]
        np.add.at(confusion, (people, base), 1)
        confusion /= confusion.sum(axis=1, keepdims=True)
        labels = draw(rng, confusion[grades])
    if judge == "favours A":
        first = np.argsort(np.argsort(-system_a, axis=1), axis=1) < 10
        labels = labels + (first & (rng.random(shape) < 0.35))
    elif judge == "shifted":
        labels = labels + 1
    elif judge == "lapses":
        labels = np.where(rng.random((n_queries, 1)) < 0.05, 0, labels)
    return grades.clip(0, 3), labels.clip(0, 3), system_a, system_b


def values_of(grades, labels, systems, metric):
    """Return values by people and by the judge of each system."""
    return [
        score_queries(y, s, metric, replace_undefined_by=0.0).scores[metric]
        for s in systems
        for y in (grades, labels)
    ]


def simulate_queries(f_all, h_all, bounds, n, n_all, runs, usual=None, seed=1):
    """Return coverage with the judge and alone, width with it and over that alone."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, len(f_all), (runs, n_all))
    every = h_all[rows]
    f, h, mean_all = f_all[rows[:, :n]], every[:, :n], every.mean(axis=1)
    weights, off = np.ones(n), h - mean_all[:, np.newaxis]
    weight = judge_weight(f, h, weights, bounds, usual)[:, np.newaxis]
    found = []
    for much, lost in ((weight, 2), (0.0, 1)):
        one = corrected_mean(
            f, f - much * off, weights, n_all, bounds, 0.95, lost, usual=usual
        )
        inside = (one.low <= f_all.mean()) & (f_all.mean() <= one.high)
        found += [inside.mean(), (one.high - one.low).mean()]
    return found[0], found[2], found[3] and found[1] / found[3], found[1]


def show_queries(runs):
    """Print coverage and width for each judge, and the least of all."""
    header = f"{'judge':<13} {'measure':<28} {'of':<4} {'N':>5}"
    print(header, *(f"      n={n:<4}" for n in SIZES), "(coverage/width over people's)")
    least = {n: [] for n in SIZES}
    for judge in [*REAL, *ARTIFICIAL]:
        grades, labels, *systems = population(judge, 20_000, seed=0)
        for metric in MEASURES:
            fa, ha, fb, hb = values_of(grades, labels, systems, metric)
            for of, f, h, bounds, usual in (
                ("A", fa, ha, (0, 1), None),
                ("A-B", fa - fb, ha - hb, (-1, 1), 0.0),
            ):
                for n_all in (200, 1000):
                    cells = [
                        simulate_queries(f, h, bounds, n, n_all, runs, usual)
                        for n in SIZES
                    ]
                    for n, cell in zip(SIZES, cells, strict=True):
                        least[n].append((judge, *cell))
                    text = [f"{c:.3f}/{ratio:.3f}" for c, _, ratio, _ in cells]
                    print(f"{judge:<13} {metric:<28} {of:<4} {n_all:>5}", *text)
    print("\nn: least coverage, cells below .94 (people alone); width over people's")
    for n, cells in least.items():
        names, covered, alone, ratio, _ = (
            np.array(c) for c in zip(*cells, strict=True)
        )
        real = np.isin(names, REAL)
        print(
            f"{n:>4}: {covered.min():.3f} ({alone.min():.3f}), {sum(covered < 0.94)} "
            f"({sum(alone < 0.94)}) of {len(cells)}; most {ratio.max():.3f}, mean "
            f"{ratio.mean():.3f}, real judges {ratio[real].mean():.3f}, best of them "
            f"{ratio[real].min():.3f}"
        )


def show_sparse(runs):
    """Print the same where one document of sixty is relevant."""
    rng = np.random.default_rng(5)
    grades = np.zeros((20_000, N_DOCUMENTS))
    grades[:, 0] = 1
    labels = rng.random(grades.shape) < np.where(grades, 0.7, 0.03)
    print("system   n  coverage  people alone  width over people's")
    for name, strength in (("poor", 0.7), ("good", 3.0)):
        system = strength * grades + rng.normal(size=grades.shape)
        f, h = values_of(grades, labels * 1.0, [system], "rr")
        for n in SIZES:
            covered, alone, ratio, _ = simulate_queries(f, h, (0, 1), n, 1000, runs)
            print(f"{name:<6} {n:>4}  {covered:>8.3f}  {alone:>12.3f}  {ratio:>8.3f}")


def show_ends(runs):
    """Print the same for nearly perfect systems, and for an exact judge with lapses."""
    rng = np.random.default_rng(3)
    n = 20_000
    good, bad = rng.uniform(0.93, 0.99, n), rng.uniform(0, 0.02, n)
    perfect = np.where(rng.random(n) < 0.9, good, bad)
    items = np.where(rng.random(n) < 0.03, 1, 1 / rng.integers(20, 200, n))
    found = [
        ("nearly perfect, blind judge", perfect, rng.permutation(perfect)),
        ("known items, blind judge", items, rng.permutation(items)),
    ]
    metric = "success(relevance_threshold=2)@1"
    for judge in REAL:
        grades, labels, *_ = population(judge, n, seed=0)
        noise = np.random.default_rng(1).normal(size=grades.shape)
        for strength in (1, 1.5, 2.5):
            f, h = values_of(grades, labels, [strength * grades + noise], metric)
            found.append((f"success@1 {f.mean():.2f}, {judge}", f, h))
    for name, f in (
        ("success@1 0.50", 1.0 * (rng.random(n) < 0.5)),
        ("beta(2, 2)", rng.beta(2, 2, n)),
    ):
        for share in (0.02, 0.05, 0.1):
            lapses = np.where(rng.random(n) < share, 0.0, f)
            found.append((f"{name}, exact but {share:g} lapses", f, lapses))
    sizes = [n for n in SIZES if n >= 10]
    print(f"{'values, judge':<36}", *(f"n={n:<9}" for n in sizes), "(people alone)")
    for name, f, h in found:
        cells = [simulate_queries(f, h, (0, 1), n, 1000, runs) for n in sizes]
        print(f"{name:<36}", *(f"{c:.3f} ({alone:.3f})" for c, alone, *_ in cells))


def show_chosen(runs):
    """Print bias and coverage where the labelled queries were chosen, and the check."""
    metrics = ["ndcg@10", "p(relevance_threshold=2)@10"]
    grades, labels, system, _ = population("umbrela1", 20_000, seed=0)
    truth = score_queries(grades, system, metrics, replace_undefined_by=0.0).mean
    rng = np.random.default_rng(8)
    found = {}
    for _ in range(runs):
        rows = rng.integers(0, len(grades), 200)
        order = np.argsort(-labels[rows].mean(axis=1))  # the richest by the judge
        for name, chosen in (
            ("at random", rng.permutation(200)[:30]),
            ("of the poorer half", rng.permutation(order[100:])[:30]),
            ("the richest", order[:30]),
        ):
            y_true = np.full(grades[rows].shape, np.nan)
            y_true[chosen] = grades[rows][chosen]
            result = score_judged(y_true, labels[rows], system[rows], metrics)
            noted = "do not look like a random sample" in repr(result)
            for metric, estimate in result.estimate.items():
                low, high = result.confidence_interval[metric]
                row = estimate - truth[metric], low <= truth[metric] <= high, noted
                found.setdefault((name, metric), []).append(row)
    print("30 of 200 queries   measure                      bias    coverage  noted")
    for (name, metric), rows in found.items():
        bias, covered, noted = np.mean(rows, axis=0)
        print(f"{name:<19} {metric:<28} {bias:+.3f}  {covered:>8.3f}  {noted:.3f}")


def the_only(result):
    """Return estimate, ends and effective labels of the only measure or pair."""
    found = [result.estimate, result.confidence_interval, result.effective_labels]
    if isinstance(result, JudgedScores):
        found = [[*one.values()] for one in found]
    estimate, (low, high), effective = (one[0] for one in found)
    return estimate, low, high, effective


def widths(judge_data, rows, budget, several, rng):
    """Return estimate, ends and effective labels of each design on some queries."""
    grades, labels, a, b = (one[rows] for one in judge_data)
    systems = {"A": a, "B": b} if several else a
    score = compare_judged if several else score_judged
    per_query = 20 if several else 10
    found = {}
    for name, n, options in (
        ("whole queries", max(budget // per_query, 4), {"design": "queries"}),
        ("documents", budget, {"n_queries": len(rows)}),
        ("of a fifth", budget, {"n_queries": len(rows) // 5}),
    ):
        sample = sample_judgments(
            systems, n, metric="dcg@10", random_state=rng, **options
        )
        y_true = np.where(sample.selected, grades, np.nan)
        result = score(y_true, labels, systems, "dcg@10", inclusion=sample.inclusion)
        found[name] = the_only(result)
    return found


def show_documents(runs):
    """Print bias, coverage and width of sampled documents, and the effective labels."""
    print(
        "judge         of   labels design         bias (z)   coverage  width  effective"
    )
    for judge in ["umbrela1", "CoT", "in queries", "useless", "near perfect"]:
        data = population(judge, 10_000, seed=7)
        fa, _, fb, _ = values_of(*data[:2], data[2:], "dcg@10")
        for of, truth in (("A", fa.mean()), ("A-B", (fa - fb).mean())):
            for budget in (200, 600, 1200):
                rng = np.random.default_rng([budget, 2])
                found = {}
                for _ in range(runs):
                    rows = rng.integers(0, 10_000, 500)
                    for name, one in widths(data, rows, budget, of != "A", rng).items():
                        estimate, low, high, effective = one
                        inside = low <= truth <= high
                        row = estimate - truth, inside, high - low, effective
                        found.setdefault(name, []).append(row)
                for name, row in found.items():
                    bias, covered, width, effective = np.mean(row, axis=0)
                    z = bias / (np.std(row, axis=0)[0] / np.sqrt(runs))
                    print(
                        f"{judge:<13} {of:<4} {budget:>6} {name:<14} {bias:+.3f} "
                        f"({z:+.1f}) {covered:>9.3f} {width:>6.3f} {effective:>6.0f}",
                        flush=True,
                    )


def show_rare(runs):
    """Print coverage of sampled documents where few are relevant."""
    print("judge         relevant  of   labels  coverage")
    for judge in ["umbrela1", "useless"]:
        for share in (0.02, 0.05):
            data = population(judge, 10_000, seed=7, relevant=share)
            fa, _, fb, _ = values_of(*data[:2], data[2:], "dcg@10")
            for of, truth in (("A", fa.mean()), ("A-B", (fa - fb).mean())):
                score = score_judged if of == "A" else compare_judged
                for budget in (100, 200, 600):
                    rng = np.random.default_rng([budget, 2])
                    inside = np.zeros(runs)
                    for i in range(runs):
                        rows = rng.integers(0, 10_000, 500)
                        grades, labels, a, b = (one[rows] for one in data)
                        systems = a if of == "A" else {"A": a, "B": b}
                        sample = sample_judgments(
                            systems, budget, metric="dcg@10", random_state=rng
                        )
                        y_true = np.where(sample.selected, grades, np.nan)
                        result = score(
                            *(y_true, labels, systems, "dcg@10"),
                            inclusion=sample.inclusion,
                        )
                        _, low, high, _ = the_only(result)
                        inside[i] = low <= truth <= high
                    print(
                        f"{judge:<13} {share:>8}  {of:<4} {budget:>6}  "
                        f"{inside.mean():>8.3f}",
                        flush=True,
                    )


def reached_widths(data, rows, metric, several, width, rng):
    """Return the width that a plan reaches over that asked for, by design."""
    grades, labels, a, b = (one[rows] for one in data)
    systems = {"A": a, "B": b} if several else a
    first = np.flatnonzero(np.argsort(np.argsort(-a, axis=1), axis=1) < 10)
    pilot = np.full(grades.size, np.nan)
    chosen = rng.choice(first, 100, replace=False)
    pilot[chosen] = grades.ravel()[chosen]
    plan = plan_judgments(
        pilot.reshape(grades.shape),
        labels,
        systems,
        metric,
        width=width,
        n_runs=5,
        random_state=rng.integers(2**31),
    )
    score = compare_judged if several else score_judged
    found = {}
    for design, n in zip(plan.design[1::2], plan.n[1::2], strict=True):
        design = design.split(",")[0]
        if not np.isfinite(n) or n <= LEAST[design]:
            continue  # as many as are always labelled may be more than enough
        sample = sample_judgments(
            systems, int(n), metric=metric, design=design, random_state=rng
        )
        y_true = np.where(sample.selected, grades, np.nan)
        result = score(y_true, labels, systems, metric, inclusion=sample.inclusion)
        _, low, high, _ = the_only(result)
        found[design] = n, (high - low) / width
    return found


# Judges, and shares of relevant documents (None: the real one).
PLANNED = [(judge, None) for judge in (*REAL[:2], "useless", "in queries")]
PLANNED += [("near perfect", None), ("umbrela1", 0.05), ("umbrela1", 0.1)]
# The fewest that are planned.
LEAST = {"queries": 10, "documents": 100}


def show_plans(runs):
    """Print the width reached with the planned number of labels over that asked for.

    Plans of the smallest number of labels are left out.
    """
    print(
        "judge         relevant  of   metric    width  design         n  reached/asked"
    )
    for judge, share in PLANNED:
        data = population(judge, 3000, seed=21, relevant=share)
        rarely = 1.0 if share is None else np.sqrt(share / 0.5)
        for metric, several, width in (
            ("dcg@10", False, 0.7 * rarely),
            ("dcg@10", True, 0.65 * rarely),
            ("ndcg@10", False, 0.08 if share is None else 0.15),
        ):
            rng = np.random.default_rng(6)
            found = {}
            for _ in range(runs):
                rows = rng.integers(0, 3000, 500)
                reached = reached_widths(data, rows, metric, several, width, rng)
                for design, pair in reached.items():
                    found.setdefault(design, []).append(pair)
            for design, pairs in found.items():
                n, ratio = np.transpose(pairs)
                of = "A-B" if several else "A"
                print(
                    f"{judge:<13} {share or 'real':>8}  {of:<4} "
                    f"{metric:<8} {width:>6.2f}  {design:<9} {n.mean():>6.0f}  "
                    f"{ratio.mean():.2f}, {ratio.min():.2f} to {ratio.max():.2f} "
                    f"({len(pairs)} plans)",
                    flush=True,
                )


TABLES = {
    "queries": (show_queries, 2000),
    "sparse": (show_sparse, 2000),
    "ends": (show_ends, 2000),
    "chosen": (show_chosen, 1000),
    "documents": (show_documents, 300),
    "rare": (show_rare, 300),
    "plans": (show_plans, 8),
}


def main():
    """Print the table asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--runs", type=int)
    options = parser.parse_args()
    show, runs = TABLES[options.table]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        show(options.runs or runs)


if __name__ == "__main__":
    main()
