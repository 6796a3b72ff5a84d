"""Reproduce numbers that others have published; print and write the page of the docs.

Run from the root of the project: ``python tests/other_tools/published.py --download
--write``. Exits with 1 when a number differs by more than its printed digits allow. The
data are in ``../shared/data`` and in packages on PyPI, which ``--download`` fetches
with the setuptools (70.1 or newer) and the NumPy that are installed. Numbers without
their data are left out, with the reason.
"""

import argparse
import inspect
import os
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import sklearn_irmetrics as ir  # noqa: E402
from sklearn_irmetrics.datasets import load_letor  # noqa: E402

PAGE = ROOT / "docs" / "published.md"
SHARED = ROOT.parent / "shared" / "data"
CACHE = os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")
PACKAGES = Path(CACHE, "sklearn_irmetrics")
CAPREOLUS, RANKEVAL = "capreolus-0.2.6", "rankeval-0.8.2"


@dataclass(frozen=True)
class Row:
    """A number as it was printed, and ours."""

    what: str
    published: str
    ours: float

    @property
    def difference(self):
        """How far apart they are."""
        return abs(self.ours - float(self.published))

    @property
    def holds(self):
        """Whether ours rounds to what was printed; whole numbers are exact."""
        decimals = len(self.published.partition(".")[2])
        return self.difference <= bool(decimals) * 0.5 * 10.0**-decimals + 1e-9


# Data ---------------------------------------------------------------------------------


def download():
    """Fetch the source distributions that hold data."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--no-binary", ":all:", "--no-build-isolation", "--dest", PACKAGES]
    names = [package.replace("-", "==") for package in (CAPREOLUS, RANKEVAL)]
    subprocess.run([*command, *names], check=True)


def unpack(package, paths, folder):
    """Return the paths of files of a source distribution, unpacked into `folder`."""
    archive = PACKAGES / f"{package}.tar.gz"
    if not archive.exists():
        raise FileNotFoundError(f"{archive} is not here; --download fetches it")
    files = [Path(folder, Path(path).name) for path in paths]
    with tarfile.open(archive) as opened:
        for path, file in zip(paths, files, strict=True):
            file.write_bytes(opened.extractfile(f"{package}/{path}").read())
    return files


def shared(path):
    """Return the path of a file of the shared data."""
    if not (SHARED / path).exists():
        raise FileNotFoundError(f"{SHARED / path} is not here")
    return SHARED / path


# Evaluations --------------------------------------------------------------------------


def robust04():
    """Score the BM25+RM3 run of two papers on the topics of TREC 2004 Robust.

    The baseline of W. Yang, H. Zhang and J. Lin (arXiv:1903.10972), tuned in five
    folds. The numbers are those of `reproduce_arxiv.md` in castorini/birch, commit
    2dd0401; run and judgments are in capreolus 0.2.6, as the tuned run of W. Yang et
    al., SIGIR 2019. Of its 250 topics, 249 are judged.
    """
    names = ["qrels.robust2004.txt", "rob04_yang19_rm3.run"]
    paths = [f"capreolus/data/{name}" for name in names]
    like_trec_eval = {"ties": "stable", "dtype": np.float32}
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = unpack(CAPREOLUS, paths, folder)
        means = ir.score_run(qrels, run, ["map", "P_20"], **like_trec_eval).mean
    return [Row("AP", "0.3033", means["map"]), Row("P@20", "0.3974", means["P_20"])]


THERE = {"ndcg": "ndcg(gain='exponential')", "map": "ap(denominator='attainable')"}
CUTOFFS = 1, 5, 10
MEASURES = {f"{n}@{k}": f"{ours}@{k}" for n, ours in THERE.items() for k in CUTOFFS}


def lightgbm(train, test):
    """Train ten trees; return what LightGBM reports about them, beside ours."""
    import lightgbm

    parts, reports, sets, rows = {"training": train, "test": test}, {}, [], []
    for part in parts.values():
        ends = np.flatnonzero(np.diff(part.qid, prepend=np.nan, append=np.nan))
        sets.append(lightgbm.Dataset(part.data, part.target, group=np.diff(ends)))
    options = {"objective": "lambdarank", "metric": [*THERE], "eval_at": CUTOFFS}
    booster = lightgbm.train(
        options | {"num_threads": 1, "verbosity": -1},
        sets[0],
        num_boost_round=10,
        valid_sets=sets,
        valid_names=[*parts],
        callbacks=[lightgbm.record_evaluation(reports)],
    )
    options = {"ties": "stable", "replace_undefined_by": 1.0}
    for name, part in parts.items():
        arrays = part.target, booster.predict(part.data)
        means = ir.score_queries(*arrays, MEASURES, qid=part.qid, **options).mean
        reported = {what: f"{reports[name][what][-1]:.6f}" for what in means}
        rows += [Row(f"{w}, {name}", reported[w], ours) for w, ours in means.items()]
    return rows


def mslr():
    """Train on rows of MSLR-WEB30K.

    The first 5000 rows of the training and the test part of fold 1, in rankeval 0.8.2:
    what LightGBM reports after ten trees. It depends on the version of LightGBM. Many
    scores are tied, and two training queries have nothing relevant.
    """
    paths = [f"rankeval/test/data/msn1.fold1.{p}.5k.txt" for p in ("train", "test")]
    with tempfile.TemporaryDirectory() as folder:
        return lightgbm(*load_letor(unpack(RANKEVAL, paths, folder)))


def clueweb():
    """Train on rankings of ClueWeb09.

    The same for two folds of M. Fröbe et al., SIGIR 2020, with twelve queries each.
    """
    paths = [f"webis_cw09_ltr/Fold{fold}.test.txt.gz" for fold in (1, 2)]
    return lightgbm(*load_letor([*map(shared, paths)]))


# Examples -----------------------------------------------------------------------------

VECTORS = {  # grades in this order, and the vector
    "DCG": ("3230012230", "3 5 6.89 6.89 6.89 7.28 7.99 8.66 9.61 9.61"),
    "ideal DCG": ("3332221111", "3 6 7.89 8.89 9.75 10.52 10.88 11.21 11.53 11.83"),
}
SAKAI = {
    "RR": "rr",
    "AP": "ap",
    "Q-measure": "q",
    "RBP": "rbp(persistence=0.95, max_grade=3)",
    "ERR": "err(gain='linear', max_grade=3)",
    "AP@0002": "ap(denominator='attainable')@2",
    "Q@0002": "q(denominator='attainable')@2",
    "nDCG@0002": "ndcg(discount='jarvelin_kekalainen')@2",
    "MSnDCG@0002": "ndcg@2",
    "P@0002": "p@2",
    "Hit@0002": "success@2",
}


def in_order(grades):
    """Return grades, and scores of documents in this order."""
    return [float(grade) for grade in grades], -np.arange(len(grades))


def jarvelin_kekalainen():
    """Compute the vectors as the paper does.

    Vectors of sections 2.1 to 2.3, from nine secondary sources that agree. The paper
    adds up terms rounded to two decimals, and so do these rows; `dcg_score` itself
    gives 10.53 for ideal DCG[6] and 11.22 for ideal DCG[8].
    """
    dcg, rows = "dcg(discount='jarvelin_kekalainen')", []
    ranks = {f"[{k}]": f"{dcg}@{k}" for k in range(1, 11)}
    for vector, (grades, printed) in VECTORS.items():
        exact = [*ir.score_queries(*in_order(grades), ranks).mean.values()]
        sums = np.cumsum(np.round(np.diff(exact, prepend=0), 2))
        rows += map(Row, [vector + rank for rank in ranks], printed.split(), sums)
    return rows


def ntcireval():
    """Score the sample topic of NTCIREVAL.

    `res_test_compute_cutoff.txt` of mpkato/pyNTCIREVAL, with gains 1, 2 and 3.
    """
    names = "sample.rel", "sample.lab", "res_test_compute_cutoff.txt"
    paths = [shared(f"pyNTCIREVAL/tests/dat/{name}") for name in names]
    judged, labelled, printed = (path.read_text().splitlines() for path in paths)
    level = dict(map(str.split, judged))
    shown = [line.split()[0] for line in labelled]
    documents = [*shown, *(name for name in level if name not in shown)]
    y_true, y_score = in_order([level.get(name, "Lnan")[1:] for name in documents])
    y_score = np.where(np.isin(documents, shown), y_score, -np.inf)
    means, rows = ir.score_queries(y_true, y_score, SAKAI).mean, []
    for line in printed:
        name, _, value = map(str.strip, line.partition("="))
        if name in SAKAI:
            rows.append(Row(name.replace("000", ""), value, means[name]))
    return rows


# The page -----------------------------------------------------------------------------

SOURCES = {  # the rest of the docstring is on the page
    "TREC 2004 Robust: BM25+RM3": robust04,
    "LightGBM on MSLR-WEB30K": mslr,
    "LightGBM on ClueWeb09": clueweb,
    "Järvelin and Kekäläinen, TOIS 20(4), 2002": jarvelin_kekalainen,
    "Sakai's NTCIREVAL": ntcireval,
}
HEAD = """# Numbers that others published

<!-- Written by tests/other_tools/published.py --write: run it instead of changing this
page. -->

`python tests/other_tools/published.py --download` computes these numbers again, from
data that packages on PyPI or the project's test data hold. It fails if one of them
differs by more than its printed digits allow. [Conformance](conformance.md) compares
many more values, trec_eval's own expected output among them.
"""
TAIL = """
## Not reproduced

- LightGBM's *Experiments* page prints an nDCG@10 of 0.527371 for MSLR-WEB30K. It takes
  2.3 million rows for training alone, and no package that we found holds them.
- The tests of QuickRank quote an nDCG@10 of 0.3706 for the 5000 test rows used above.
  Its training takes a validation part that no package that we found holds.
- The R tests of LightGBM expect nDCG@1 to @3 of 0.775, 0.745986 and 0.7351959 for
  mushroom data of its R package, which is not on PyPI.
- Some course notes print an nDCG of 0.76 at rank 4 of the vectors of Järvelin and
  Kekäläinen with the ideal of the retrieved documents; 6.89 / 8.89 is 0.78.
- The books and papers of Sakai were not at hand, only the output of his program.
"""


def today():
    """Return the date as pages write it."""
    day = date.today()
    return f"{day:%B} {day.day}, {day.year}"


def table(columns, rows):
    """Return a table of Markdown, numbers to the right."""
    rule = ["---", *["---:"] * (len(columns) - 1)]
    lines = [columns, rule, *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def render(found):
    """Return the page."""
    n_numbers = sum(map(len, found.values()))
    parts = [HEAD, f"\nOn {today()}, all {n_numbers} numbers were computed again.\n"]
    for title, rows in found.items():
        note = inspect.getdoc(SOURCES[title]).partition("\n\n")[2]
        parts.append(f"\n## {title}\n\n{note}\n\n")
        lines = [
            [row.what, row.published, f"{row.ours:.6f}", f"{row.difference:.0e}"]
            for row in rows
        ]
        parts.append(table(["number", "published", "here", "difference"], lines))
    return "".join([*parts, TAIL])


def main(arguments=None):
    """Print the page and what is missing or differs; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--download", action="store_true", help="fetch the packages")
    parser.add_argument("--write", action="store_true", help="write the page, if whole")
    options = parser.parse_args(arguments)
    if options.download:
        download()
    found, absent = {}, {}
    for title, compute in SOURCES.items():
        try:
            found[title] = compute()
        except (FileNotFoundError, ImportError) as why:
            absent[title] = why
    print(render(found))
    for title, why in absent.items():
        print(f"not compared: {title}: {why}", file=sys.stderr)
    wrong = [row for rows in found.values() for row in rows if not row.holds]
    for row in wrong:
        print(f"differs: {row}", file=sys.stderr)
    if options.write and not (wrong or absent):
        PAGE.write_text(render(found), encoding="utf-8")
    return 1 if wrong or (options.write and absent) else 0


if __name__ == "__main__":
    sys.exit(main())
