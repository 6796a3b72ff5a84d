"""The only place that touches private names of other libraries."""

from sklearn.metrics import make_scorer
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._response import _get_response_values as get_response_values
from sklearn.utils.validation import _check_response_method as check_response_method

# The class of what make_scorer returns; ranking scorers are a subclass of it.
Scorer = type(make_scorer(max))

__all__ = ["Scorer", "check_response_method", "get_response_values", "safe_indexing"]
