"""The results as tables, and as two pages of the docs."""

import json
from datetime import date

from figure import draw

WRITTEN = """
<!-- Written by benchmarks/compare_tools.py --write: run it instead of changing this
page. -->
"""
HEAD = f"""# How fast it is
{WRITTEN}
These are times of this package and of other tools for the same numbers: medians of
several runs after a warm-up, in one process and on one core. Absolute times depend on
the machine; the ratios are what counts. In a checkout with `pip install ".[bench]"`,
`python benchmarks/compare_tools.py` repeats everything on your machine.

"""
FULL_HEAD = f"""# All times
{WRITTEN}
The [summary](benchmarks.md) has a figure, and the times of nDCG@10 alone.

"""
MORE = """
[All times](benchmarks_full.md) has every measure and shape, small calls, files, memory,
growth and threads, and says what was compared.

```{toctree}
:hidden:

benchmarks_full
```
"""
READING = """
The first column of times is ours, in milliseconds. The other columns say how many times
as long a tool takes for the same measures, in **bold** where the tool is faster. `≈`
marks a time that was measured on as many queries as fit into the time limit, and scaled
up with their number; that favours tools whose cost grows faster than that. `·` means
that the tool lacks the measure, or cannot take the data.
"""
FAVOURS = """
The comparison favours the other tools in these ways:

- The time in which a tool builds its dictionaries, tensors and objects is listed as
  *preparation* and not counted. ranx sorts the run there, and pytrec_eval reads its
  judgments.
- Our times are those of the defaults, which average tied documents over their orders.
  pytrec_eval, ranx, ir_measures and *scikit-learn, cheaper* take one of the orders.
- *scikit-learn* stands for `ndcg_score`, `dcg_score`, `average_precision_score` and
  `roc_auc_score`; *cheaper* stands for `ignore_ties=True`, `label_ranking_loss`,
  `label_ranking_average_precision_score` and `top_k_accuracy_score`. Queries of unequal
  length are passed one by one.
- In the rows of five and of thirty measures, each tool computes those that it has, in
  one call if it can. Their number is in parentheses, and the ratio refers to our time
  for the same measures.
"""

MEMORY = """
Two kinds of memory exceed the limit. The first is the result itself, with 8 bytes for
each query and measure: 229 MiB for thirty measures of a million queries. The second
comes from a ranking being a single block: integer grades become floats (8 bytes per
document), and measures of the whole order take 50 to 90 bytes per document.
"""


YARDSTICKS = """
One read consists of `y_true.sum()`, `y_score.sum()` and a comparison of adjacent query
ids in NumPy. Sorting the whole column stands for the work of ranking.
"""
SAME = """
This compares the means behind all times above with ours under the tool's preset, where
there is a preset and ties do not matter. torchmetrics computes in single precision.
"""
LIMIT = """
The most memory that NumPy held at once in addition to the inputs, in **bold** if it is
above 64 MiB and 5 % of the inputs.
"""
RESIDENT = """
The operating system sees the following for learning to rank, with a fresh process for
each tool: the data in the form in which the tool wants them, and the peak beyond them.
"""
GROWTH = """
Queries have 100 documents and `float32` scores. The slope of the logarithms is the
exponent of the growth.
"""
THREADS = """
Learning to rank, with one thread and with two.
"""
SMALL = """
Where data are small, the cost of a call counts. These are CPU times, the least of many;
*share* is the median ratio to the first line of each table. The four measures are
nDCG@10, MAP, MRR and P@10, and a `RankingEvaluator` has prepared the grades.
"""
DOORS = """
Five measures of a run of {n_queries:,} queries with {n_docs:,} documents each, read
from two files in a process of its own, imports included, or taken from dictionaries
that are there already. CPU times, the least of several.
"""
UNBROKEN = "\N{NO-BREAK SPACE}"  # cells do not break there
MANY = "five measures", "thirty measures"


def milliseconds(seconds):
    """Return a time of three digits, in milliseconds."""
    value = seconds * 1e3
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def times_sign(size):
    """Return the size of a matrix as it is printed."""
    return size.replace(" x ", " × ")


def today():
    """Return the date as pages write it."""
    day = date.today()
    return f"{day:%B} {day.day}, {day.year}"


def table(columns, rows):
    """Return a table of Markdown, numbers to the right."""
    rule = ["---", *["---:"] * (len(columns) - 1)]
    lines = [columns, rule, *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def cell(row):
    """Return how many times as long as ours a tool takes, or its time alone."""
    if row is None:
        return "·"
    if row["seconds"] is None:
        return "fails"
    mark = f"≈{UNBROKEN}" if row["share"] < 1 else ""
    if row["ours"] is None:
        return f"{mark}{milliseconds(row['seconds'])}{UNBROKEN}ms"
    ratio = row["seconds"] / row["ours"]
    count = f" ({row['n_measures']})" if row["n_measures"] > 1 else ""
    text = (
        f"{mark}{ratio:.1f}{UNBROKEN}×"
        if ratio < 10
        else f"{mark}{ratio:,.0f}{UNBROKEN}×"
    )
    return f"**{text}**{count}" if ratio < 1 else text + count


def our_cell(row):
    """Return our time."""
    return "·" if row is None else milliseconds(row["seconds"])


def by_shape(results):
    """Return for each shape its rows by tool and measure."""
    found = {name: {} for name in results["shapes"]}
    for row in results["rows"]:
        found[row["shape"]][row["tool"], row["measure"]] = row
    return found


def machine_table(results):
    """Return what the results depend on."""
    return table(["", ""], [[n, v] for n, v in results["machine"].items()])


def our_times(results):
    """Yield the facts about each shape, all times by measure, and ours alone."""
    for name, rows in by_shape(results).items():
        times = {measure: row["seconds"] for (_, measure), row in rows.items()}
        ours = {m: row["seconds"] for (t, m), row in rows.items() if t == tool(results)}
        yield results["shapes"][name], times, ours


def yardsticks(results):
    """Return the table of our times beside the yardsticks."""
    lines = []
    for facts, times, ours in our_times(results):
        one = ours["ndcg@10"]
        largest = times.get("y_score.max(axis=1)")
        lines.append(
            [
                facts["title"],
                times_sign(facts["size"]),
                f"{facts['bytes'] / 2**20:,.0f}",
                milliseconds(one),
                f"{one / times['one read']:.1f} ×",
                f"{one / times['np.argsort(y_score)']:.2f} ×",
                f"{ours['p@10'] / largest:.1f} ×" if largest else "·",
            ]
        )
    columns = ["shape", "size", "MiB", "nDCG@10, ms", "nDCG@10 / one read"]
    return table([*columns, "nDCG@10 / argsort", "p@10 / maxima of rows"], lines)


def many_measures(results):
    """Return the table of our times of one, five and thirty measures."""
    lines = [
        [
            facts["title"],
            *(milliseconds(ours[m]) for m in ("ndcg@10", *MANY)),
            f"{ours[MANY[1]] / ours['ndcg@10']:.1f} ×",
        ]
        for facts, _, ours in our_times(results)
    ]
    return table(["ms", "nDCG@10", *MANY, "thirty / nDCG@10"], lines)


def tool(results):
    """Return the name of this package."""
    return results["tools"][0]


def shape_table(results, name):
    """Return one shape's times of all tools, and why some have none."""
    rows = by_shape(results)[name]
    ours, *peers = results["tools"]
    refused = {t: rows[t, "all"]["why"] for t in peers if (t, "all") in rows}
    peers = [peer for peer in peers if peer not in refused]
    measures = [measure for (t, measure) in rows if t == ours] + ["preparation"]
    lines = [
        [measure, our_cell(rows.get((ours, measure)))]
        + [cell(rows.get((peer, measure))) for peer in peers]
        for measure in measures
    ]
    text = table(["", "ours, ms", *peers], lines)
    notes = [f"{peer}: {why}" for peer, why in refused.items()]
    notes += [
        f"{row['tool']}, {row['measure']}: {row['why']}"
        for (_, measure), row in rows.items()
        if row["why"] and measure != "all"
    ]
    return text + "".join(f"\n- {note}" for note in notes) + "\n"


def exceptions(results):
    """Return a line for every time of a tool below ours."""
    return [
        f"{results['shapes'][row['shape']]['title']}, {row['measure']}: {row['tool']} "
        f"{milliseconds(row['seconds'])} ms (least {milliseconds(row['least'])}), "
        f"ours {milliseconds(row['ours'])} ms (least {milliseconds(row['our_least'])})"
        for row in results["rows"]
        if row["ours"] and row["seconds"] and row["seconds"] < row["ours"]
    ]


def memory_table(results):
    """Return the most memory that NumPy took beyond the inputs, in MiB."""
    lines = []
    for name, facts in results["shapes"].items():
        allowed = 64 + 0.05 * facts["bytes"] / 2**20
        peaks = [taken[name] / 2**20 for taken in results["memory"].values()]
        lines.append(
            [facts["title"], f"{facts['bytes'] / 2**20:,.0f}", f"{allowed:.0f}"]
            + [f"{p:.0f}" if p <= allowed else f"**{p:.0f}**" for p in peaks]
        )
    return table(["MiB", "inputs", "64 + 5 %", *results["memory"]], lines)


def resident_table(results):
    """Return what processes took, in MiB."""
    lines = [
        [name, *(f"{taken / 2**20:,.0f}" for taken in both)]
        for name, both in results["resident"].items()
    ]
    return table(["MiB", "its data", "nDCG@10 beyond these"], lines)


def growth_table(results):
    """Return times by number of documents."""
    titles = list(results["growth"])
    lines = [
        [f"{documents:,}", milliseconds(seconds), milliseconds(other)]
        for (documents, seconds), (_, other) in zip(
            *results["growth"].values(), strict=True
        )
    ]
    slopes = ["slope from 100,000", *(f"{results['slopes'][t]:.3f}" for t in titles)]
    return table(["documents", *(f"{title}, ms" for title in titles)], [*lines, slopes])


def threads_table(results):
    """Return times of one and two threads."""
    lines = [
        [title, *map(milliseconds, times), f"{times[0] / times[1]:.2f} ×"]
        for title, times in results["threads"].items()
    ]
    return table(["ms", "n_jobs=1", "n_jobs=2", "faster"], lines)


def differences_table(results):
    """Return by tool how many means were compared, and the largest difference."""
    lines = []
    for name in results["tools"][1:]:
        found = [
            row["difference"]
            for row in results["rows"]
            if row["tool"] == name and row["difference"] is not None
        ]
        if found:
            lines.append([name, len(found), f"{max(found):.0e}"])
    return table(["tool", "times", "largest difference"], lines)


def small_table(calls):
    """Return the times of small calls."""
    lines = [
        [name, f"{1e3 * seconds:.3g}", f"{share:.2f}"]
        for name, (seconds, share) in calls.items()
    ]
    return table(["", "ms", "share"], lines)


def doors_table(tasks):
    """Return times from files and dictionaries on."""
    lines = [
        [task, f"{peer:.2f}", f"{ours:.2f}", f"{ours / peer:.2f}"]
        for task, (peer, ours) in tasks.items()
    ]
    return table(["", "pytrec_eval, s", "ours, s", "share"], lines)


def pictures(results):
    """Return the figure in both themes, with a text that says what it shows."""
    ratios = [
        row["seconds"] / row["ours"]
        for row in results["rows"]
        if row["measure"] == "ndcg@10" and row["seconds"] and row["ours"]
    ]
    text = (
        "Above, times of nDCG@10 by shape and tool, on a logarithmic axis: the other "
        f"tools take {min(ratios, default=1):.1f} to {max(ratios, default=1):.0f} "
        "times as long as this package."
    )
    if "growth" in results:
        slopes = " and ".join(f"{slope:.2f}" for slope in results["slopes"].values())
        text += (
            " Below, its times grow with the number of documents: on logarithmic axes, "
            f"with slopes of {slopes}."
        )
    return "".join(
        f"```{{image}} _static/benchmarks-{theme}.svg\n"
        f":alt: {text}\n:class: only-{theme}\n```\n\n"
        for theme in ("light", "dark")
    )


def overview_table(results):
    """Return the times of nDCG@10 of all tools by shape."""
    ours, *peers = results["tools"]
    lines = [
        [results["shapes"][name]["title"], our_cell(rows.get((ours, "ndcg@10")))]
        + [cell(rows.get((peer, "ndcg@10"))) for peer in peers]
        for name, rows in by_shape(results).items()
    ]
    return table(["nDCG@10", "ours, ms", *peers], lines)


def overview(results):
    """Return one table, and where another tool is faster, as Markdown."""
    parts = [f"## Beside other tools\n\n{overview_table(results)}{READING}"]
    slower = exceptions(results)
    parts.append("\n## Where another tool is faster\n\n")
    parts.append("".join(f"- {line}\n" for line in slower) or "Nowhere.\n")
    if "note" in results:
        parts.append(f"\n{results['note']}\n")
    return "".join(parts)


def report(results):
    """Return all tables as Markdown."""
    parts = [f"## Beside other tools, in full\n{READING}{FAVOURS}\n"]
    for name, facts in results["shapes"].items():
        title = facts["title"]
        parts.append(f"### {title[0].upper()}{title[1:]}\n\n")
        scored = f"{facts['documents']:,}"
        size = "" if facts["size"] == scored else f"{times_sign(facts['size'])}, "
        parts.append(f"{size}{scored} scored documents.\n\n")
        parts.append(f"{shape_table(results, name)}\n")
    if "small" in results:
        parts.append(f"### Small calls\n{SMALL}\n")
        for title, calls in results["small"].items():
            parts.append(f"{title[0].upper()}{title[1:]}:\n\n{small_table(calls)}\n")
    if "doors" in results:
        doors = results["doors"]
        text = DOORS.format(**doors)
        parts.append(f"### Files and dictionaries\n{text}\n")
        parts.append(f"{doors_table(doors['tasks'])}\n")
    parts.append(f"### The same numbers\n{SAME}\n{differences_table(results)}")
    parts.append(
        f"\n## Beside the speed of memory\n{YARDSTICKS}\n{yardsticks(results)}\n"
    )
    parts.append(f"Times of several measures in one call:\n\n{many_measures(results)}")
    parts.append(f"\n## Memory\n{LIMIT}\n{memory_table(results)}{MEMORY}")
    if results["resident"]:
        parts.append(f"{RESIDENT}\n{resident_table(results)}")
    if "growth" in results:
        parts.append(f"\n## Growth\n{GROWTH}\n{growth_table(results)}")
    if "threads" in results:
        parts.append(f"\n## Threads\n{THREADS}\n{threads_table(results)}")
    parts.append(f"\n## The machine\n\n{machine_table(results)}")
    return "".join(parts)


def render(results, docs):
    """Write both pages, the figures and the results."""
    static = docs / "_static"
    pages = {
        "benchmarks.md": HEAD + pictures(results) + overview(results) + MORE,
        "benchmarks_full.md": FULL_HEAD + report(results),
    }
    for name, text in pages.items():
        (docs / name).write_text(text, encoding="utf-8")
    (static / "benchmarks.json").write_text(
        json.dumps(results, indent=1) + "\n", encoding="utf-8"
    )
    for theme in ("light", "dark"):
        draw(results, theme, static / f"benchmarks-{theme}.svg")
