"""The results as tables, and as the page of the docs."""

import json

from figure import draw

HEAD = """# How fast it is

<!-- Written by benchmarks/compare_tools.py --write: run it instead of changing this
page. -->

Times of this package beside other tools: the same numbers, one process, one core, after
a warm-up, medians of several runs. Absolute times depend on the machine; what counts
are the ratios. `python benchmarks/compare_tools.py` in a checkout, with
`pip install ".[bench]"`, repeats all of it on yours.

```{image} _static/benchmarks-light.svg
:alt: Times of nDCG@10 by shape and tool, and growth of the cost with the documents
:class: only-light
```

```{image} _static/benchmarks-dark.svg
:alt: Times of nDCG@10 by shape and tool, and growth of the cost with the documents
:class: only-dark
```

"""
READING = """
A tool's time is followed by its ratio to ours for the same measures; **bold** where the
tool is faster. `≈`: measured on the largest part of the queries that fits the time
limit, and scaled up with their number, which favours the tool wherever its cost grows
faster. `·`: the tool does not have the measure. What the peers get for free:

- Building dictionaries, tensors and objects of the tools is listed as *preparation*
  and not counted. ranx sorts the run there, and pytrec_eval reads its judgments.
- Ours are the defaults: tied documents are averaged over their orders. pytrec_eval,
  ranx, ir_measures and *scikit-learn, cheaper* take some order instead.
- *scikit-learn* stands for `ndcg_score`, `dcg_score`, `average_precision_score` and
  `roc_auc_score`; *cheaper* for `ignore_ties=True`, `label_ranking_loss`,
  `label_ranking_average_precision_score` and `top_k_accuracy_score`. Queries of unequal
  length go in one by one.
- Five and thirty measures: those of them that the tool has, their number in
  parentheses, in one call where it has such a call.
"""

MEMORY = """
16 MiB of it are set aside and not touched: a hint to the C library to keep what blocks
free. What is above the limit is of two kinds. The values of every query are the result,
8 bytes for each query and measure: 229 MiB for thirty measures of a million queries.
And one ranking is one block: integer grades become floats (8 bytes a document), and
measures of its whole order take 50 to 90 bytes a document.
"""


def milliseconds(seconds):
    """Return a time of three digits, in milliseconds."""
    value = seconds * 1e3
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(columns, rows):
    """Return a table of Markdown, numbers to the right."""
    rule = ["---", *["---:"] * (len(columns) - 1)]
    lines = [columns, rule, *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def cell(row):
    """Return a tool's time and its ratio to ours."""
    if row is None:
        return "·"
    if row["seconds"] is None:
        return "fails"
    mark = "≈ " if row["share"] < 1 else ""
    text = f"{mark}{milliseconds(row['seconds'])}"
    if row["ours"] is None:
        return text
    ratio = row["seconds"] / row["ours"]
    count = f" ({row['n_measures']})" if row["n_measures"] > 1 else ""
    text += f" ({ratio:.1f} ×)" if ratio < 10 else f" ({ratio:,.0f} ×)"
    return f"**{text}**{count}" if ratio < 1 else text + count


def by_shape(results):
    """Return for each shape its rows by tool and measure."""
    found = {name: {} for name in results["shapes"]}
    for row in results["rows"]:
        found[row["shape"]][row["tool"], row["measure"]] = row
    return found


def machine_table(results):
    """Return what the results depend on."""
    return table(["", ""], [[n, v] for n, v in results["machine"].items()])


def summary(results):
    """Return the table of our times beside the yardsticks."""
    lines = []
    for name, rows in by_shape(results).items():
        facts = results["shapes"][name]
        times = {measure: row["seconds"] for (_, measure), row in rows.items()}
        ours = {m: row["seconds"] for (t, m), row in rows.items() if t == tool(results)}
        one, read = ours["ndcg@10"], times["one read"]
        largest = times.get("y_score.max(axis=1)")
        lines.append(
            [
                facts["title"],
                facts["size"],
                f"{facts['bytes'] / 2**20:,.0f}",
                milliseconds(one),
                f"{one / read:.1f} ×",
                f"{one / times['np.argsort(y_score)']:.2f} ×",
                f"{ours['p@10'] / largest:.1f} ×" if largest else "·",
                milliseconds(ours["five measures"]),
                milliseconds(ours["thirty measures"]),
                f"{ours['thirty measures'] / one:.1f} ×",
            ]
        )
    columns = ["shape", "size", "MiB", "nDCG@10, ms", "of one read", "of an argsort"]
    columns += ["p@10, of the rows' maxima", "five, ms", "thirty, ms"]
    return table([*columns, "thirty, of nDCG@10"], lines)


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
        [measure, cell(rows.get((ours, measure)))]
        + [cell(rows.get((peer, measure))) for peer in peers]
        for measure in measures
    ]
    text = table(["ms", ours, *peers], lines)
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


def report(results):
    """Return all tables as Markdown."""
    parts = [f"## The machine\n\n{machine_table(results)}\n"]
    parts.append(
        "## Beside the memory\n\nOne read: `y_true.sum()`, `y_score.sum()` and a "
        "comparison of adjacent query ids, in NumPy. The sort of the whole column "
        f"stands for the work of ranking.\n\n{summary(results)}\n"
    )
    parts.append(f"## Beside other tools\n{READING}\n")
    for name, facts in results["shapes"].items():
        title = facts["title"]
        parts.append(f"### {title[0].upper()}{title[1:]}\n\n")
        scored = f"{facts['documents']:,}"
        size = "" if facts["size"] == scored else f"{facts['size']}, "
        parts.append(f"{size}{scored} scored documents.\n\n")
        parts.append(f"{shape_table(results, name)}\n")
    slower = exceptions(results)
    parts.append("### Where another tool is faster\n\n")
    parts.append("".join(f"- {line}\n" for line in slower) or "Nowhere.\n")
    parts.append(
        "\n### The same numbers\n\nMeans of every time above against ours with the "
        "tool's preset, where there is one and ties do not decide. torchmetrics "
        f"computes in single precision.\n\n{differences_table(results)}"
    )
    parts.append(
        "\n## Memory\n\nThe most that NumPy held at once beyond the inputs; bold where "
        f"above 64 MiB and 5 % of the inputs.\n\n{memory_table(results)}{MEMORY}"
    )
    if results["resident"]:
        parts.append(
            "\nAs the system sees it, for learning to rank, a fresh process each: the "
            f"data as the tool wants them, and the peak beyond.\n\n"
            f"{resident_table(results)}"
        )
    if "growth" in results:
        parts.append(
            "\n## Growth\n\nQueries of 100 documents, `float32` scores; the slope of "
            "the logarithms is the exponent of the growth.\n\n"
            f"{growth_table(results)}"
        )
    if "threads" in results:
        parts.append(f"\n## Threads\n\nLearning to rank.\n\n{threads_table(results)}")
    return "".join(parts)


def render(results, docs):
    """Write the page, its figures and the results."""
    static = docs / "_static"
    (docs / "benchmarks.md").write_text(HEAD + report(results), encoding="utf-8")
    (static / "benchmarks.json").write_text(
        json.dumps(results, indent=1) + "\n", encoding="utf-8"
    )
    for theme in ("light", "dark"):
        draw(results, theme, static / f"benchmarks-{theme}.svg")
