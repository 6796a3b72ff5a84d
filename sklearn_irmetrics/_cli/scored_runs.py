"""Score the runs of files against judgments, for commands that show or compare them."""

import math
import os
import re
import warnings
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from sklearn_irmetrics._cli.options import MARKS
from sklearn_irmetrics._cli.output import note
from sklearn_irmetrics._results.tables import count
from sklearn_irmetrics._warnings import suppress_warnings
from sklearn_irmetrics.metrics._measure import Measure, as_averaged
from sklearn_irmetrics.reports.query_scores import QueryScores
from sklearn_irmetrics.runs import Run
from sklearn_irmetrics.runs._columns import round_scores
from sklearn_irmetrics.runs.matching import check_rules
from sklearn_irmetrics.runs.scoring import RunScorer

# Measures that trec_eval prints only for all queries together.
_NOT_BY_QUERY = ("gm_map", "gm_bpref")


@dataclass(frozen=True, eq=False)
class ScoredRun:
    """All lines of one run.

    Attributes
    ----------
    name, path, tag : str
        The name of the run in the output, its file, and the tag in that file.
    n_queries : int
        Number of queries in the means.
    scores : QueryScores
        By label; lines without scores of queries have only a mean, which for counts is
        a sum or a text.
    intervals : dict of str to tuple of float
        Confidence intervals of the means, if requested.
    missing, ignored : tuple of str
        Queries missing from the run, and from the judgments.
    irrelevant : tuple of str
        Judged queries without anything relevant.
    """

    name: str
    path: str
    tag: str
    n_queries: int
    scores: QueryScores
    intervals: dict
    missing: tuple
    ignored: tuple
    irrelevant: tuple

    @property
    def n_undefined(self):
        """The number of undefined queries of each measure that has any."""
        scores = self.scores
        n_undefined = {
            label: len(scores.query_ids) - n for label, n in scores.n_defined.items()
        }
        return {label: n for label, n in n_undefined.items() if n}


def take_queries(scores, wanted):
    """Return the scores of some queries, with the same means."""
    places = [qid in wanted for qid in scores.query_ids]
    by_label = {label: values[places] for label, values in scores.scores.items()}
    return QueryScores(scores.query_ids[places], by_label, scores.mean)


def read_by(args):
    """Return the group of each query that --by names, by query id; None without it."""
    if args.by is None:
        return None
    from sklearn_irmetrics.runs.query_groups import read_query_groups

    file, _, column = args.by.rpartition(":")
    if _is_file(args.by):
        return read_query_groups(args.by)
    if _is_file(file):
        return read_query_groups(file, column)
    if args.qrels == "-":
        args.parser.error("argument --by: needs a file if QRELS is standard input")
    try:
        return read_query_groups(args.qrels, args.by)
    except ValueError as error:
        raise ValueError(f"--by names no file, and {error}") from error


def _is_file(path):
    return os.path.exists(path) and not os.path.isdir(path)


# The default treatment of queries that are missing from a run.
_MISSING = {None: "zero", "trec_eval9": "skip", "trec_eval10": "raise"}


def read_runs(args, lines, where=""):
    """Read the files, and return a `ScoredRun` for each run.

    Notes begin with `where`, for commands that read several sets of judgments.
    """
    scorer = _make_scorer(args, lines)
    runs = [_score_file(scorer, path, lines, args) for path in args.runs]
    names = name_runs([run.tag for run in runs], args.runs)
    runs = [replace(run, name=name) for run, name in zip(runs, names, strict=True)]
    _note_queries(args, runs, scorer.rules.missing, where)
    if args.like == "trec_eval9":
        # It does not print queries that are missing from a run.
        there = [set(run.scores.query_ids).difference(run.missing) for run in runs]
        runs = [
            replace(run, scores=take_queries(run.scores, queries))
            for run, queries in zip(runs, there, strict=True)
        ]
    return runs


def _make_scorer(args, lines):
    """Read the judgments; return what scores runs as the options say."""
    measures = {line.label: line.measure for line in lines if line.measure is not None}
    if args.judged_only:
        for label, measure in measures.items():
            if "judged_only" in measure.metric.parameters:
                arguments = {"judged_only": True} | measure.arguments
                measures[label] = Measure(measure, **arguments)
    rules = check_rules(
        missing=args.missing or _MISSING[args.like],
        max_docs=args.max_docs,
        unmatched=args.unmatched,
        columns=_given_once(args, "column", "KEY"),
        docno=args.docno_separator,
        merge=args.merge,
    )
    with _warnings_as_notes(args):
        scorer = RunScorer(
            args.qrels,
            measures,
            rules,
            marks=_given_once(args, "mark", "NAME"),
            exclude=None,
            sample_weight=None,
            ties=args.ties or ("stable" if args.like else "average"),
            replace_undefined_by=np.nan if args.undefined is None else args.undefined,
            n_jobs=None,
        )
    if args.like:  # trec_eval reads whole numbers
        grades = np.trunc(scorer.judged.numbers)
        scorer.judged = replace(scorer.judged, numbers=grades)
    return scorer


def _given_once(args, option, key):
    """Return the values of an option by their keys; refuse a key given twice."""
    pairs = getattr(args, option) or ()
    if len(dict(pairs)) < len(pairs):
        args.parser.error(f"argument --{option}: must be given once for each {key}")
    return dict(pairs)


def _score_file(scorer, path, lines, args):
    """Return the `ScoredRun` of a file, without a name; errors name the file."""
    try:
        retrieved = scorer.read(path)
    except ValueError as error:  # which names the file
        raise ValueError(_as_options(error)) from error
    if args.like == "trec_eval9":  # files hold decimals, which version 10 keeps
        retrieved = round_scores(retrieved, np.float32)
    try:
        with _warnings_as_notes(args, f"{path}: "):
            rows = scorer.join(retrieved)
        if args.judged_only and args.like:
            rows = rows.without_unjudged()
        return _score_lines(scorer, rows, path, lines, args)
    except ValueError as error:
        raise ValueError(f"{path}: {_as_options(error)}") from error


@contextmanager
def _warnings_as_notes(args, where=""):
    """Print warnings on stderr, in terms of options."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        yield
    for warning in caught:
        note(args, f"{where}{_as_options(warning.message)}")


def _score_lines(scorer, rows, path, lines, args):
    """Return the `ScoredRun` of joined documents."""
    mean, scores, intervals = {}, {}, {}
    if scorer.measures:
        measures = {
            label: _complete_gains(measure, rows)
            for label, measure in scorer.measures.items()
        }
        with suppress_warnings():
            query_scores = scorer.score(rows, as_averaged("metrics", measures))
        mean, scores = dict(query_scores.mean), dict(query_scores.scores)
    for label, name, measure in lines:
        if measure is None:
            mean[label], counts = _count(name, rows, args)
            scores |= {} if counts is None else {label: counts}
            continue
        if args.like and measure.average == "macro":
            mean[label] = _mean(scores[label])
        if args.command == "score" and args.confidence is not None:
            intervals[label] = _interval(scores[label], measure, args)
        if name in _NOT_BY_QUERY:
            del scores[label]
    return ScoredRun(
        name="",
        path=path,
        tag=rows.tag,
        n_queries=len(rows.queries),
        scores=QueryScores(np.array(rows.queries, dtype=object), scores, mean),
        intervals=intervals,
        missing=rows.missing,
        ignored=rows.ignored,
        irrelevant=rows.irrelevant,
    )


def _interval(scores, measure, args):
    from sklearn_irmetrics.metrics._intervals import measure_interval  # takes memory

    _, ends, _ = measure_interval(
        scores, measure, confidence_level=args.confidence, method=args.interval
    )
    return tuple(ends)


def _mean(scores):
    """Return the mean of a sequential sum, as in C: its last digit may be printed."""
    defined = scores[~np.isnan(scores)]
    return float(np.cumsum(defined)[-1] / len(defined)) if len(defined) else math.nan


def _complete_gains(measure, rows):
    """Set the gain of grades that have none to the grade."""
    gain = measure.arguments.get("gain")
    if not isinstance(gain, dict):
        return measure
    grades = np.unique(rows.y_true[~np.isnan(rows.y_true)]).tolist()
    own = dict(zip(grades, grades, strict=True))
    return Measure(measure, gain=own | gain)


def _count(name, rows, args):
    """Return the tag, or a count of queries or of documents, and counts by query."""
    if name in ("runid", "num_q"):
        return rows.tag if name == "runid" else len(rows.queries), None
    retrieved, unknown = rows.y_score > -np.inf, rows.unjudged()
    threshold = args.relevance_threshold
    relevant = rows.y_true >= (1 if threshold is None else threshold)
    documents = {
        "num_ret": retrieved,
        "num_rel": relevant,
        "num_rel_ret": relevant & retrieved,
        "num_nonrel_judged_ret": retrieved & ~relevant & ~unknown,
    }[name]
    # With -c, trec_eval counts relevant documents whatever the threshold.
    of_all = args.missing == "zero" and name == "num_rel"
    summed = rows.y_true > 0 if of_all else documents
    return int(summed.sum()), _by_query(rows, documents)


def _by_query(rows, documents):
    """Return how many of some documents are of each query."""
    return np.bincount(rows.query[documents], minlength=len(rows.queries))


def name_runs(tags, paths):
    """Return names for runs: their tags, or their files if tags are not unique."""
    files = [os.path.basename(path) for path in paths]
    for names in (files if Run.tag in tags else tags), files, paths:
        if len(set(names)) == len(names):
            return list(names)
    return [f"{path} ({i})" for i, path in enumerate(paths, start=1)]


def _as_options(error):  # or a warning
    """Return a message with options of the command line in place of arguments."""
    message = re.sub("(missing|merge)='([a-z]+)'", r"--\1 \2", str(error))
    message = message.replace("docno maps", "--docno-separator maps")
    message = re.sub(
        r"docno=lambda id: id\.split\(('.')\)\[0\],", r"--docno-separator \1", message
    )
    marks = "|".join(MARKS)
    message = re.sub(
        f"Functions of one measure take ({marks})=.*", r"Pass --mark \1=FILE.", message
    )
    return message.replace("set unmatched to 'ignore'", "pass --unmatched ignore")


def _note_queries(args, runs, missing, where):
    """Report on stderr what does not count as users might expect."""
    notes = defaultdict(list)
    treated = "counted with nothing retrieved (unless --missing skip)"
    if missing == "skip":
        treated = "left out (unless --missing zero)"
    for run in runs:
        if run.missing:
            notes[f"no documents for {_some(run.missing)}: {treated}"].append(run.name)
        if run.ignored:
            notes[f"no judgments for {_some(run.ignored)}: ignored"].append(run.name)
        labels_by_queries = defaultdict(list)
        for label in run.n_undefined:
            is_undefined = np.isnan(run.scores.scores[label])
            queries = tuple(run.scores.query_ids[is_undefined])
            labels_by_queries[queries].append(label)
        for queries, labels in labels_by_queries.items():
            is_explained = sorted(queries) == sorted(run.irrelevant)
            why = "nothing is relevant in" if is_explained else "undefined in"
            share = f"{len(queries)} of {count(run.n_queries, 'query')}"
            notes[
                f"{', '.join(labels)}: {why} {share} ({_first(queries)}); left out. "
                "--undefined 0 counts them as 0."
            ].append(run.name)
        explained = map(sorted, labels_by_queries)
        if run.irrelevant and sorted(run.irrelevant) not in explained:
            notes[f"nothing relevant for {_some(run.irrelevant)}"].append(run.name)
    for text, names in notes.items():
        of_runs = "" if len(names) == len(runs) else f"{', '.join(names)}: "
        note(args, f"{where}{of_runs}{text}")


def _some(ids):
    """Count queries, and list the first ones."""
    return f"{count(len(ids), 'query')} ({_first(ids)})"


def _first(ids, n=3):
    return ", ".join(ids[:n]) + (", ..." if len(ids) > n else "")


def on_common_queries(runs):
    """Return scores by name of the run, for the queries that all runs have."""
    from sklearn_irmetrics.comparison._alignment import check_plain_mean

    common = set.intersection(*(set(run.scores.query_ids) for run in runs))
    systems = {}
    for run in runs:
        for label, values in run.scores.scores.items():
            check_plain_mean(run.name, label, values, run.scores.mean[label])
        scores = take_queries(run.scores, common)
        systems[run.name] = replace(scores, mean={})
    return systems


def find_run(args, option, wanted, runs):
    """Return the name of the run that an option gives by file or by tag."""
    matching = [run.name for run in runs if run.name == wanted] or [
        run.name
        for run in runs
        if wanted in (run.name, run.path, os.path.basename(run.path), run.tag)
    ]
    if len(matching) == 1:
        return matching[0]
    names = ", ".join(run.name for run in runs)
    args.parser.error(f"argument {option}: must be one of {names}; got {wanted!r}")
