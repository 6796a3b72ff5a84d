"""The score function of a scorer, and the predictions that it scores."""

from functools import lru_cache
from threading import RLock
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np

from sklearn_irmetrics._compat import warn_caller
from sklearn_irmetrics._core.aggregate import collected
from sklearn_irmetrics._core.eligible import keep_candidates
from sklearn_irmetrics.exceptions import UndefinedScoreError

_TELLING = RLock()


def name_of(function):
    """Return the name of a function, or of the class of another callable."""
    return getattr(function, "__name__", type(function).__name__)


class Predictions(NamedTuple):
    """The predictions that a measure scores, of any estimator and fold.

    Attributes
    ----------
    y_true, y_score : array-like
        Targets and scores, or predicted labels.
    labels : ndarray or None
        The class of each column of `y_score`, or the classes of the labels.
    qid : array-like or None
        Query ids.
    """

    y_true: Any
    y_score: Any
    labels: Any = None
    qid: Any = None

    def only(self, candidates, **of_rows):
        """Return the candidates' predictions, and their other values."""
        if candidates is None:
            return self, of_rows
        of_rows = keep_candidates(candidates, **self._asdict(), **of_rows)
        kept = {name: of_rows.pop(name, None) for name in self._fields}
        return Predictions(**kept), of_rows


class QueryScore:
    """A metric that refuses to treat documents of many queries as one ranking.

    Some consumers rebuild a scorer from its score function, so everything that they
    must not lose is here: the demand for ids, the error if nothing is defined, and the
    list of warnings shown. `sample_weight` is not a parameter, because searches forward
    training weights to score functions that have it.

    Parameters
    ----------
    metric : callable
        Any measure.
    needs_ids : bool
        Whether 1-D input needs query ids.
    """

    def __init__(self, metric, *, needs_ids):
        self.metric = metric
        self.needs_ids = needs_ids
        self.token = uuid4().hex  # copies in other processes share it
        self.__name__ = name_of(metric)

    def __call__(self, y_true, y_score, *, qid=None, **kwargs):
        """Return the score of documents."""
        if qid is None and self.needs_ids and 1 in (np.ndim(y_true), np.ndim(y_score)):
            raise ValueError(
                f"{self.__name__} needs query ids (qid) and none arrived. Either (1) "
                "call sklearn.set_config(enable_metadata_routing=True) and pass qid=, "
                "as in "
                "cross_validate(..., params={'qid': qid}) or "
                "GridSearchCV(...).fit(X, y, qid=qid); or (2) name a column of X: "
                "get_scorer(..., qid='column'); or (3) declare that every fold is one "
                "ranking (or every sample, of classes): get_scorer(..., qid=None)."
            )
        if qid is not None:
            kwargs["qid"] = qid
        with collected() as notes:
            score = self.metric(y_true, y_score, **kwargs)
        if np.ndim(score) == 0 and score != score:
            raise UndefinedScoreError(
                f"{self.__name__} is undefined in all queries (or rows) that were "
                "scored. Use StratifiedQueryKFold, more queries per fold, or "
                "get_scorer(..., replace_undefined_by=0.0)."
            )
        self.warn_once(notes)
        return score

    def warn_once(self, notes):
        """Warn of each subject once per scorer and process."""
        for subject, message, category in notes:
            with _TELLING:  # otherwise two threads could warn
                if subject not in (told := _told(self.token)):
                    warn_caller(f"{message} Shown once per scorer.", category)
                    told.add(subject)  # unless a filter made it an error


@lru_cache(maxsize=1024)
def _told(token):
    """Return what the scorer with this token has warned of."""
    return set()
