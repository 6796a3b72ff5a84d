"""The score function of a scorer, and what it is computed of."""

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
    """Return the name of a function, or of the class of what else can be called."""
    return getattr(function, "__name__", type(function).__name__)


class Predictions(NamedTuple):
    """What a measure is computed of, whatever estimator or fold it comes from.

    Attributes
    ----------
    y_true, y_score : array-like
        Targets and scores, or predicted labels.
    labels : ndarray or None
        Classes of the columns of `y_score`, or of the labels.
    qid : array-like or None
        Query ids.
    """

    y_true: Any
    y_score: Any
    labels: Any = None
    qid: Any = None

    def only(self, candidates, **of_rows):
        """Return them without documents that are no candidates, and what rows have."""
        if candidates is None:
            return self, of_rows
        of_rows = keep_candidates(candidates, **self._asdict(), **of_rows)
        kept = {name: of_rows.pop(name, None) for name in self._fields}
        return Predictions(**kept), of_rows


class QueryScore:
    """A metric that refuses to take documents of many queries for one ranking.

    What no consumer may lose stands here, because some rebuild a scorer from its score
    function: the demand for ids, the error where nothing is defined, and what was
    warned of. `sample_weight` is no parameter: searches forward training weights to
    score functions that show it.

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
        self.token = uuid4().hex  # of its copies, too, which go to other processes
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
                "get_scorer(..., qid='column'); or (3) say that every fold is one "
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
        """Warn of each subject that this scorer has not warned of in this process."""
        for subject, message, category in notes:
            with _TELLING:  # lest two threads find that nobody has
                if subject not in (told := _told(self.token)):
                    warn_caller(f"{message} Shown once per scorer.", category)
                    told.add(subject)  # unless a filter made it an error


@lru_cache(maxsize=1024)
def _told(token):
    """Return what the scorer with this token has warned of."""
    return set()
