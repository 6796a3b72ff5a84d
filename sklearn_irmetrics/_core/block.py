"""Some queries as a dense block, which is ordered as a whole and read by kernels."""

from dataclasses import dataclass, field, replace

import numpy as np


@dataclass(frozen=True)
class Block:
    """Some queries as rows of equal width.

    Attributes
    ----------
    queries : int array of shape (n_queries,)
        Which queries the rows are.
    grades : float64 array of shape (n_queries, width)
        NaN where a document is unjudged, or where there is no document.
    scores : float32 or float64 array of shape (n_queries, width)
        -inf where a document was not retrieved, or where there is none.
    n_documents : int array of shape (n_queries,)
        Number of documents of each query, including implicit ones.
    n_implicit : int array of shape (n_queries,) or int
        Number of implicit documents (sparse input): not retrieved, of grade 0, and
        without a column.
    marks : dict of str to array of shape (n_queries, width) or (..., n_subtopics)
        Facts about documents.
    kept : dict
        Results that depend on grades only, for reuse; see `Candidates`.
    kept_of_judged : dict
        The same for the block without its unjudged documents.
    """

    queries: np.ndarray
    grades: np.ndarray
    scores: np.ndarray
    n_documents: np.ndarray
    n_implicit: object
    marks: dict
    kept: dict = field(default_factory=dict)
    kept_of_judged: dict = field(default_factory=dict)

    @property
    def has_implicit(self):
        """Whether there may be documents without a column."""
        return not isinstance(self.n_implicit, int)

    def condensed(self):
        """Return the block without its unjudged documents."""
        judged = ~np.isnan(self.grades)
        return replace(
            self,
            scores=np.where(judged, self.scores, -np.inf),
            n_documents=judged.sum(axis=1) + self.n_implicit,
            kept=self.kept_of_judged,
        )
