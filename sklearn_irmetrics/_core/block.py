"""Some queries as a dense block: what is ordered, and what kernels read."""

from dataclasses import dataclass, field, replace

import numpy as np

from sklearn_irmetrics._core.namespace import namespace


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
        Documents of each query, the implicit ones among them.
    n_implicit : int array of shape (n_queries,) or int
        Documents of grade 0, not retrieved, that have no column (sparse input).
    marks : dict of str to array of shape (n_queries, width) or (..., n_subtopics)
        Facts about documents.
    kept : dict
        What is known of the grades already, whatever the scores; see `Candidates`.
    kept_of_judged : dict
        The same of the block without its unjudged documents.
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
        """Whether documents may have no column."""
        return not isinstance(self.n_implicit, int)

    def condensed(self):
        """Return the block without its unjudged documents."""
        xp = namespace(self.grades)
        judged = ~xp.isnan(self.grades)
        return replace(
            self,
            scores=xp.where(judged, self.scores, -np.inf),
            n_documents=judged.sum(axis=1) + self.n_implicit,
            kept=self.kept_of_judged,
        )
