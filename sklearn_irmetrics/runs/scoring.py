"""Score runs, from judgments and runs in any form."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np

from sklearn_irmetrics._arrays.numbers import as_floats
from sklearn_irmetrics._checks import TIES, check_option
from sklearn_irmetrics._results.tables import count
from sklearn_irmetrics._typing import AnyTable, Source, Ties
from sklearn_irmetrics._warnings import UndefinedMean, warn_of_data, warn_of_undefined
from sklearn_irmetrics.exceptions import UnmatchedIdsWarning
from sklearn_irmetrics.metrics._measure import Measures, as_averaged
from sklearn_irmetrics.metrics._per_query import check_rankings
from sklearn_irmetrics.metrics._ranking.averages import count_zero
from sklearn_irmetrics.metrics._ranking.judgments import Judgments
from sklearn_irmetrics.metrics._ranking.marks import MARKS, check_marks
from sklearn_irmetrics.reports.query_scores import (
    QueryScores,
    RunScores,
    score_rankings,
    undefined_queries,
    why_undefined,
)
from sklearn_irmetrics.runs._columns import map_documents, queries_of
from sklearn_irmetrics.runs._forms import Qrels, Run, several_runs
from sklearn_irmetrics.runs.files import (
    read_columns,
    read_judgments,
    read_retrieved,
)
from sklearn_irmetrics.runs.matching import (
    check_rules,
    join,
    leave_out,
    list_first,
    warn_of_missing,
)


class _Options(TypedDict, total=False):
    """Arguments of `score_run` that do not decide the type of its result."""

    relevance_threshold: float | None
    judged_only: bool
    marks: Mapping[str, Any] | None
    exclude: Qrels | Source | AnyTable | None
    missing: Literal["zero", "skip", "raise"]
    max_docs: int | None
    unmatched: Literal["warn", "raise", "ignore"]
    columns: Mapping[str, str] | None
    docno: Callable[[str], str | int] | None
    merge: Literal["max", "first", "sum"] | None
    sample_weight: Mapping[Any, float] | None
    ties: Ties
    replace_undefined_by: float
    n_jobs: int | None


@overload
def score_run(
    qrels: Qrels | Source | AnyTable,
    run: Run | Source,
    metrics: Measures,
    **options: Unpack[_Options],
) -> QueryScores: ...
@overload
def score_run(
    qrels: Qrels | Source | AnyTable,
    run: Mapping[str, Run | str | os.PathLike[str]],
    metrics: Measures,
    **options: Unpack[_Options],
) -> RunScores: ...
@overload  # a dict of queries, or of runs that are dicts
def score_run(
    qrels: Qrels | Source | AnyTable,
    run: AnyTable,
    metrics: Measures,
    **options: Unpack[_Options],
) -> QueryScores | Any: ...
def score_run(
    qrels: Qrels | Source | AnyTable,
    run: Run | Source | AnyTable,
    metrics: Measures,
    *,
    relevance_threshold: float | None = None,
    judged_only: bool = False,
    marks: Mapping[str, Any] | None = None,
    exclude: Qrels | Source | AnyTable | None = None,
    missing: Literal["zero", "skip", "raise"] = "zero",
    max_docs: int | None = None,
    unmatched: Literal["warn", "raise", "ignore"] = "warn",
    columns: Mapping[str, str] | None = None,
    docno: Callable[[str], str | int] | None = None,
    merge: Literal["max", "first", "sum"] | None = None,
    sample_weight: Mapping[Any, float] | None = None,
    ties: Ties = "average",
    replace_undefined_by: float = np.nan,
    n_jobs: int | None = None,
) -> QueryScores | RunScores:
    """Score one or several runs against judgments, in any common form.

    Documents are matched by query and document id, compared as text. Judged documents
    missing from the run are not retrieved, but still count as relevant if they are;
    documents without a judgment are unjudged; queries without judgments are left out.

    Parameters
    ----------
    qrels : dict, table, tuples, file or Qrels
        The judgments:

        - ``{qid: {doc: grade}}``; ``{qid: [doc, ...]}`` or sets of the relevant ones;
          ``{qid: [(doc, grade), ...]}``; ``{qid: [{"id": doc, "grade": grade}, ...]}``;
        - a DataFrame of pandas or Polars, or an Arrow table, with columns qid (or
          query_id, q_id, query-id), docno (doc_id, docid, corpus-id) and grade
          (relevance, rel, label, or score or rating if there is none of these), or a
          table of exactly two columns, query (user) and document (item): all pairs are
          relevant;
        - a list of records with the keys of such columns;
        - tuples ``(qid, doc, grade)``, or named tuples with such fields, as in
          ir_measures and ir_datasets; a tuple of three arrays;
        - `Qrels`, also those of ranx;
        - the path of a file, or an object with ``read``: see `read_qrels`.

        Measures of subtopics take files whose second field is the subtopic, tables and
        named tuples with a column subtopic (subtopic_id), or ``{qid: {subtopic:
        documents}}``.
    run : dict, table, tuples, file or Run, or dict of them
        The ranking, in the same forms with scores in place of grades; larger ranks
        higher. Tables without scores are ranked by their column rank; lists and pairs
        without either are in rank order. Or the predictions that sentence-transformers
        writes: records such as ``{"query_id": qid, "results": [{"corpus_id": doc,
        "score": score}]}``. A dict of runs, paths, tables or dicts of queries is scored
        run by run.
    metrics : str or Measure, list of them, or dict of str to them
        Names such as ``"ndcg@10"``, or measures of ir_measures, which are read by name;
        a dict sets their labels in the results.
    relevance_threshold : float, default=None
        The smallest grade of a relevant document, for all measures that have this
        parameter and do not set it themselves. None: any grade above 0.
    judged_only : bool, default=False
        Whether to drop unjudged documents, for all measures that have this parameter.
    marks : dict of str to judgments, default=None
        Facts about documents that some measures need, by name, in any form of `qrels`;
        documents that are not listed do not have the mark.
        ``{"known": {qid: [doc, ...]}}``: which documents the user knew. ``"pooled"``
        comes from negative grades. ``{"popularity": {qid: {doc: share}}}``, and
        ``"inverse_propensity"``: a number for each document of `qrels` and `run`.
        ``{"subtopic_weight": {qid: {subtopic: weight}}}``: a number for each subtopic
        of `qrels`, in place of a document, in files too.
    exclude : judgments, default=None
        Documents that are not candidates, such as items that a user has seen, in any
        form of `qrels`: ``{qid: [doc, ...]}``, with the ids of `qrels`. They are
        removed from `qrels` and `run` before anything else is done.
    missing : {"zero", "skip", "raise"}, default="zero"
        What to do with judged queries for which the run has no document: keep them
        with nothing retrieved, leave them out, or raise.
    max_docs : int, default=None
        Use only the first documents of each query. If documents are tied at the cut,
        those with the larger ids are used, whatever `ties` is.
    unmatched : {"warn", "raise", "ignore"}, default="warn"
        What to do if no retrieved document of a query was judged because the ids
        cannot match, as when a run has ids of passages (``"doc7#0"``) and the judgments
        have ids of documents (``"doc7"``; see `docno`): warn (`UnmatchedIdsWarning`),
        raise, or score such queries silently. Where the ids look alike, it is an
        ordinary miss, but if no query has a judged document, "warn" raises too. Unless
        it is "ignore", a run without any document raises, and queries for which the run
        has no document are warned of, as are `exclude` and marks that have no query of
        `qrels` (with "raise", they raise).
    columns : dict of str to str, default=None
        Names of columns, or keys of records, if they are not those above, by ``"qid"``,
        ``"docno"``, ``"grade"``, ``"score"`` and ``"subtopic"``.
    docno : callable, default=None
        Maps the id of each document of the run, as text, to the id that the judgments
        have: ``lambda passage: passage.split("#")[0]``.
    merge : {"max", "first", "sum"}, default=None
        How to score a document that a query lists several times, as it is or after
        `docno`: by the best of its scores, the one listed first, or the sum. None:
        raise an error.
    sample_weight : dict from query to float, default=None
        Weight of each query in the means; every query that counts must have one.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        The exact expectation over all orders of documents with equal scores, the best
        order, the worst order, or by decreasing document id, as in trec_eval.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns.
    n_jobs : int, default=None
        Number of threads: None is 1 outside a :obj:`joblib.parallel_config` context, -1
        all cores. The values are the same up to rounding.

    Returns
    -------
    QueryScores or RunScores
        Queries are in the byte order of their ids, which are integers if those of
        `qrels` are. If `qrels` have another order, groups, strata and slices of
        queries must be dicts by query id. For a dict of runs, the scores of each run
        by its name, which `compare` takes.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it. A document that
        occurs twice for a query is refused without `merge`, and so is a run without any
        query or document of `qrels`.
    OSError
        If a file cannot be read. A string is always a file name.

    See Also
    --------
    sklearn_irmetrics.runs.align : The arrays behind this, from judgments and run.
    score_queries : The same for arrays.

    Examples
    --------
    >>> from sklearn_irmetrics import score_run
    >>> qrels = {"q1": {"d1": 2, "d2": 1}, "q2": {"d7": 1}}
    >>> run = {"q1": {"d1": 0.9, "d4": 0.8, "d2": 0.3}, "q2": {"d5": 0.5, "d7": 0.4}}
    >>> score_run(qrels, run, ["map", "ndcg@10"])
    2 queries
    <BLANKLINE>
    measure   mean  queries
    map      0.667        2
    ndcg@10  0.791        2

    Lists of documents without scores, and lists of relevant documents:

    >>> gold = {"q1": ["d1", "d2"], "q2": ["d7"]}
    >>> retrievers = {
    ...     "bm25": {"q1": ["d1", "d4", "d2"], "q2": ["d5", "d7"]},
    ...     "dense": {"q1": ["d2", "d1", "d4"], "q2": ["d7", "d5"]},
    ... }
    >>> score_run(gold, retrievers, ["mrr", "map"])
    2 runs, 2 queries
    <BLANKLINE>
    measure   bm25  dense  queries
    mrr      0.750  1.000        2
    map      0.667  1.000        2
    """
    rules = check_rules(
        missing=missing,
        max_docs=max_docs,
        unmatched=unmatched,
        columns=columns,
        docno=docno,
        merge=merge,
    )
    check_option("ties", ties, TIES)
    measures = as_averaged(
        "metrics",
        _name_measures(metrics),
        relevance_threshold=relevance_threshold,
        judged_only=judged_only,
    )
    for label, measure in measures.items():
        if measure.metric.kind == "labels":
            raise ValueError(
                "metrics must be of rankings or sets, because a run has no class "
                f"labels; got {label!r}."
            )
    scorer = RunScorer(
        qrels,
        measures,
        rules,
        marks=marks,
        exclude=exclude,
        sample_weight=sample_weight,
        ties=ties,
        replace_undefined_by=replace_undefined_by,
        n_jobs=n_jobs,
    )
    runs = several_runs(run)
    if runs is None:
        scores = scorer(run)
        warn_of_undefined_runs({"": scores})
        return scores
    results = {}
    for name, documents in runs.items():
        try:
            results[name] = scorer(documents, f"run {name!r}: ")
        except (TypeError, ValueError) as error:
            raise type(error)(f"run {name!r}: {error}") from error
    warn_of_undefined_runs(results)
    return RunScores(results)


def warn_of_undefined_runs(results):
    """Warn of queries that the means of runs leave out, whatever the number of runs.

    Parameters
    ----------
    results : dict of str to QueryScores
        By name of the run.
    """
    left_out = defaultdict(dict)
    for name, scores in results.items():
        for label, queries in undefined_queries(scores).items():
            left_out[label][name] = scores.query_ids[queries].tolist()
    undefined = []
    for label, ids_by_run in left_out.items():
        name = max(ids_by_run, key=lambda name: len(ids_by_run[name]))
        scores, ids = results[name], ids_by_run[name]
        n_counted = len(scores.query_ids) - count_zero(scores.weights)
        is_same = all(others == ids for others in ids_by_run.values())
        up_to = "" if is_same else "up to "
        queries = f"{len(ids)} of {n_counted} queries ({list_first(ids, 3)})"
        in_runs = ""
        if len(ids_by_run) == len(results) > 1:
            in_runs = f" of all {len(results)} runs"
        elif len(results) > 1:
            runs = count(len(ids_by_run), "run")
            in_runs = f" of {runs} ({list_first([*ids_by_run], 3)})"
        undefined.append(
            UndefinedMean(
                label,
                why_undefined(scores, label),
                f"{up_to}{queries}{in_runs}",
            )
        )
    warn_of_undefined(undefined)


class RunScorer:
    """Judgments, and how runs are matched with them and scored.

    Parameters
    ----------
    qrels, marks, exclude, sample_weight, ties, replace_undefined_by, n_jobs
        As for `score_run`.
    measures : dict of str to Measure
        By label.
    rules : Rules
        How to match runs.

    Attributes
    ----------
    judged : Columns
        The judgments, without excluded documents.
    excluded : Columns or None
        Documents that are not candidates.
    marks : dict of str to Columns
        Facts about documents.
    subtopic_weights : ndarray of shape (n_queries, n_subtopics) or None
        The weights of the subtopics of each query of `judged`, NaN where one lacks, and
        0 where a query has fewer subtopics than others.
    weights : dict of str to float, or None
        Weight of each query.
    """

    def __init__(
        self,
        qrels,
        measures,
        rules,
        *,
        marks,
        exclude,
        sample_weight,
        ties,
        replace_undefined_by,
        n_jobs,
    ):
        self.measures, self.rules = measures, rules
        self.ties, self.n_jobs = ties, n_jobs
        self.replace_undefined_by = replace_undefined_by
        self.marks, self.excluded = {}, None
        for name, mark in check_marks(marks).items():
            called = f"marks[{name!r}]"
            self.marks[name] = read_columns(
                mark, called, "grade", columns=rules.columns
            )
            if MARKS[name].boolean:
                _refuse_other_numbers(self.marks[name], called)
        if exclude is not None:
            self.excluded = read_columns(
                exclude, "exclude", "grade", columns=rules.columns
            )
        subtopics = any(measure.metric.subtopics for measure in measures.values())
        self.judged = read_judgments(qrels, subtopics, rules.columns)
        for name, mark in self.marks.items():
            _check_queries(self.judged, mark, f"marks[{name!r}]", rules)
        self.subtopic_weights = None
        if "subtopic_weight" in self.marks:
            if not subtopics:
                raise ValueError(
                    "marks['subtopic_weight'] requires a measure of subtopics; got "
                    f"{', '.join(measures)}."
                )
            listed = self.marks.pop("subtopic_weight")
            self.subtopic_weights = _find_subtopic_weights(self.judged, listed)
        if self.excluded is not None:
            _check_queries(self.judged, self.excluded, "exclude", rules)
            self.judged = leave_out(self.judged, self.excluded)
        self.weights = _read_weights(sample_weight)

    def __call__(self, run, where=""):
        """Return the `QueryScores` of a run; warnings begin with `where`."""
        rows = self.join(self.read(run), where)
        if not len(rows.query):
            raise ValueError(
                "run must have documents of a judged query; got none, with missing="
                f"{self.rules.missing!r}."
            )
        if self.rules.unmatched != "ignore":
            warn_of_missing(rows, self.rules.missing, where)
        scores = self.score(rows)
        if self.judged.kind != "int":
            return scores
        ids = np.array([*map(int, scores.query_ids)], dtype=object)
        return replace(scores, query_ids=ids)

    def read(self, run):
        """Return the documents of a run as `Columns`."""
        return read_retrieved(run, "run", self.rules.merge, self.rules.columns)

    def join(self, retrieved, where=""):
        """Return the documents of a run and of the judgments as `Joined`."""
        retrieved = map_documents(retrieved, self.rules.docno, self.rules.merge)
        if self.excluded is not None:
            retrieved = leave_out(retrieved, self.excluded)
        return join(self.judged, retrieved, self.rules, where)

    def score(self, rows, measures=None):
        """Return the `QueryScores` of joined documents, in the order of the queries.

        `measures` take the place of those of the scorer.
        """
        measures = self.measures if measures is None else measures
        in_order = self.ties == "stable" or rows.y_true.ndim > 1
        order = rows.order() if in_order else slice(None)
        marks = {
            name: mark[order] for name, mark in self._marks_of(rows, measures).items()
        }
        weights = self._weights_of(rows, order)
        judgments = Judgments(rows.y_true[order], rows.query[order], weights, marks)
        y_score = rows.y_score[order]
        has_sets = any(measure.metric.kind == "set" for measure in measures.values())
        in_sets = y_score > -np.inf if has_sets else None
        raw, batch = check_rankings(measures, judgments, y_score, in_sets)
        scores = score_rankings(
            measures,
            raw,
            batch,
            ties=self.ties,
            replace_undefined_by=self.replace_undefined_by,
            n_jobs=self.n_jobs,
        )
        ids = np.array(rows.queries, dtype=object)[scores.query_ids]
        counted = set(ids)
        in_judgments = [qid for qid in self.judged.queries if qid in counted]
        return replace(scores, query_ids=ids, reordered=in_judgments != [*ids])

    def _marks_of(self, rows, measures):
        """Return the marks of the document of each row, by name."""
        marks = {}
        if any("pooled" in m.metric.all_parameters for m in measures.values()):
            marks["pooled"] = rows.pooled
        for name, listed in self.marks.items():
            values = rows.find(listed)
            marks[name] = values != 0 if MARKS[name].boolean else values
        if self.subtopic_weights is not None:
            marks["subtopic_weight"] = self._subtopic_weights_of(rows)
        return marks

    def _subtopic_weights_of(self, rows):
        """Return the weights of the subtopics of the query of each row."""
        place = {qid: number for number, qid in enumerate(self.judged.queries)}
        weights = self.subtopic_weights[[place[qid] for qid in rows.queries]]
        lacking = np.argwhere(np.isnan(weights))
        if len(lacking):
            query, column = lacking[0]
            qid = rows.queries[query]
            raise ValueError(
                "marks['subtopic_weight'] must have a weight for each judged subtopic; "
                f"got none for {self.judged.topics[place[qid]][column]!r} of query "
                f"{qid!r}."
            )
        return weights[rows.query]

    def _weights_of(self, rows, order):
        """Return the weight of the query of each row, or None."""
        if self.weights is None:
            return None
        lacking = [qid for qid in rows.queries if qid not in self.weights]
        if lacking:
            raise ValueError(
                f"sample_weight must have a weight for each query; got none for "
                f"{count(len(lacking), 'query')}, such as {lacking[0]!r}."
            )
        weights = np.array([self.weights[qid] for qid in rows.queries])
        return weights[rows.query[order]]


def _refuse_other_numbers(mark, name):
    """Refuse numbers but 0 and 1 for a mark that documents have or have not."""
    other = (mark.numbers != 0) & (mark.numbers != 1)
    if other.any():
        row = int(np.flatnonzero(other)[0])
        raise ValueError(
            f"{name} must hold zeros and ones; got {mark.numbers[row]:g} for query "
            f"{mark.qid[row]!r} and document {mark.docno.text([row])[0]!r}."
        )


def _check_queries(judged, listed, name, rules):
    """Warn of documents of other queries only, or raise, as if ids did not match."""
    if rules.unmatched == "ignore" or not listed.queries:
        return
    if set(listed.queries).isdisjoint(judged.queries):
        message = (
            f"{name} and qrels have no query in common: {name} has "
            f"{list_first(listed.queries, 1)}, qrels has "
            f"{list_first(judged.queries, 1)}. If these ids are right, set unmatched "
            "to 'ignore'."
        )
        if rules.unmatched == "raise":
            raise ValueError(message)
        warn_of_data(message, UnmatchedIdsWarning)


def _find_subtopic_weights(judged, listed):
    """Return the weights of the subtopics of each judged query, NaN for none."""
    pairs = zip(listed.qid, listed.docno.text(), strict=True)
    weight_of = dict(zip(pairs, listed.numbers.tolist(), strict=True))
    weights = np.zeros((len(judged.queries), judged.numbers.shape[1]))
    topics_of_queries = zip(judged.queries, judged.topics, strict=True)
    for place, (qid, topics) in enumerate(topics_of_queries):
        weights[place, : len(topics)] = [
            weight_of.get((qid, topic), np.nan) for topic in topics
        ]
    return weights


def _read_weights(sample_weight):
    """Return the weight of each query by its id as text, or None."""
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, Mapping):
        raise TypeError(
            "sample_weight must be a dict from query to weight, because a run has no "
            f"order of queries; got {type(sample_weight).__name__}."
        )
    qids, _ = queries_of(sample_weight, "sample_weight")
    weights = as_floats("sample_weight", list(sample_weight.values()))
    return dict(zip(qids, weights.tolist(), strict=True))


def _name_measures(metrics):
    """Return measures of ir_measures by name, others unchanged."""
    if type(metrics).__module__.partition(".")[0] == "ir_measures":
        name = str(metrics)
        if name.startswith("SetF(") and "beta" in name:
            raise ValueError(
                "metrics must not be SetF of ir_measures with its beta, which is the "
                f"square of the F measure's; got {name}. Write 'set_f(beta=...)' with "
                "the square root for the same values."
            )
        return name
    if isinstance(metrics, Mapping):
        return {label: _name_measures(metric) for label, metric in metrics.items()}
    if isinstance(metrics, list | tuple | set):
        return [_name_measures(metric) for metric in metrics]
    return metrics
