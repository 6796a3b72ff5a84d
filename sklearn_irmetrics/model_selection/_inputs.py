"""Check the data of an evaluation once."""

from collections.abc import Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from sklearn.utils import indexable

from sklearn_irmetrics._core.checks import check_weights, one_weight_per_query
from sklearn_irmetrics._core.foreign import to_dense
from sklearn_irmetrics._core.parameters import check_seed
from sklearn_irmetrics._core.queries import as_ids, group_rows
from sklearn_irmetrics._measures.column import Column
from sklearn_irmetrics.estimators._row_checks import check_lengths, count_rows
from sklearn_irmetrics.model_selection._scoring import (
    resolve_scoring,
    takes_subtopics,
)
from sklearn_irmetrics.model_selection._units import Units, check_coarser


@dataclass(frozen=True, eq=False)
class Inputs:
    """The data of an evaluation.

    Attributes
    ----------
    X, y : array-like
        The given data.
    target : ndarray
        y as an array; with subtopics, the largest grade of each document.
    units : Units
        The units to split.
    unit : {"query", "group", "row"}
        The name of a unit.
    queries : Units or None
        The queries, if there are query ids.
    qid : ndarray of shape (n_samples,) or None
        Query ids.
    metadata : dict of str to object
        For scorers.
    seed : int
        Random state of splits and intervals.
    """

    X: object
    y: object
    target: np.ndarray
    units: Units
    unit: str
    queries: Units | None
    qid: np.ndarray | None
    metadata: dict
    seed: int

    @property
    def coded_metadata(self):
        """Metadata in which queries are numbers from 0."""
        if self.queries is None:
            return self.metadata
        return {**self.metadata, "qid": self.queries.codes}

    def query_facts(self, of_rows):
        """Return id, weight, group and unit of each query, or of each row.

        Weights or groups are None if there are none.
        """
        first = np.arange(len(self.target)) if of_rows else self.queries.first_rows
        weights, units = self.metadata.get("sample_weight"), self.units.codes[first]
        return (
            first if of_rows else self.queries.ids,
            None if weights is None else np.asarray(weights)[first],
            self.units.ids[units] if self.unit == "group" else None,
            units,
        )


@contextmanager
def noting(note):
    """Add a note to errors."""
    try:
        yield
    except Exception as error:
        error.add_note(note)
        raise


def naming(name):
    """Add the name of the estimator to errors; None: there is only one."""
    if name is None:
        return nullcontext()
    return noting(f"This happened with the estimator {name!r}.")


def given_ids(qid):
    """Return the argument `qid`, None if it is "auto"."""
    return None if isinstance(qid, str) and qid == "auto" else qid


def check_inputs(
    estimators, X, y, scoring, *, qid, groups, sample_weight, params, random_state
):
    """Return the data of an evaluation and its measures.

    Parameters
    ----------
    estimators : dict of str to estimator
        What will be evaluated.
    X, y, scoring, qid, groups, sample_weight, params, random_state
        As in `evaluate`.

    Returns
    -------
    inputs : Inputs
    measures : dict of str to list of NamedScorer
        For each estimator.

    Raises
    ------
    TypeError, ValueError
        Naming the argument.
    """
    if y is None:
        raise ValueError("y must hold the targets; got None.")
    check_lengths(count_rows(X), y=y, sample_weight=sample_weight)
    X, y, sample_weight = indexable(X, y, sample_weight)
    target = np.asarray(to_dense(y))
    y = y if hasattr(y, "shape") else target
    if target.ndim not in (1, 2):
        raise ValueError(f"y must be 1-D or 2-D; got shape {target.shape}.")
    if not (params is None or isinstance(params, Mapping)):
        raise TypeError(f"params must be a dict or None; got {params!r}.")
    params = {} if params is None else dict(params)
    if taken := {"qid", "groups", "sample_weight"} & params.keys():
        raise ValueError(
            f"params must not hold {sorted(taken)}: they are arguments of their own."
        )
    n_samples = len(target)
    one_ranking, qid = qid is None, given_ids(qid)
    if isinstance(qid, str | Integral) and not isinstance(qid, bool):
        qid = Column(qid)
    qid = qid(X) if callable(qid) else qid
    qid = None if qid is None else as_ids(qid)
    measures, given = {}, qid
    for name, estimator in estimators.items():
        with naming(name):
            measures[name], qid, flat = resolve_scoring(
                scoring,
                estimator,
                X,
                target,
                qid=given,
                one_ranking=one_ranking,
                params=params,
            )
    if one_ranking and qid is not None:
        raise ValueError(
            "qid=None means that there are no queries, but a scorer takes them from X; "
            "leave out qid."
        )
    every = [measure for own in measures.values() for measure in own]
    if np.shape(y)[1:] == (1,) and not any(map(takes_subtopics, every)):
        y = flat
    target = flat
    in_queries = [measure for measure in every if measure.ranks == "queries"]
    if target.ndim == 2 and in_queries:
        raise ValueError(
            "qid must be None with 2-D y, because each row is a ranking already; use "
            "groups= to keep rows together."
        )
    weights = check_weights(sample_weight, n_samples, "row")
    queries = None if qid is None else Units(qid, n_samples, "qid")
    if any("sample_weight" in m.metadata for m in in_queries) and weights is not None:
        one_weight_per_query(weights, group_rows(qid, n_samples))
    units, unit = Units(groups, n_samples), "row"
    if groups is not None:
        unit = "group"
        check_coarser(units, queries)
    elif queries is not None:
        units, unit = queries, "query"
    metadata = {**params, "qid": qid, "sample_weight": sample_weight}
    metadata = {name: value for name, value in metadata.items() if value is not None}
    seed = check_seed(random_state)
    return Inputs(X, y, target, units, unit, queries, qid, metadata, seed), measures
