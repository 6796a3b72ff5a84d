"""scikit-learn as it will be with a public `BaseScorer`: import this before ours.

`make_scorer` returns its instances. Their attributes are public, beside deprecated
aliases with an underscore, of which reading one from our code is an error.
"""

import warnings

import sklearn.metrics

ATTRIBUTES = "score_func", "sign", "kwargs", "response_method"


def deprecated_alias(attribute):
    def read(scorer):
        message = f"_{attribute} is deprecated; use {attribute}."
        warnings.warn(message, FutureWarning, stacklevel=2)
        return getattr(scorer, attribute)

    return property(read)


class BaseScorer(type(sklearn.metrics.make_scorer(max))):
    """Keep the parts of a scorer in public attributes."""

    _deprecation_msg = None  # what scikit-learn 1.6 and 1.7 expect

    def __init__(self, score_func, sign, kwargs, response_method="predict"):
        self.score_func = score_func
        self.sign = sign
        self.kwargs = kwargs
        self.response_method = response_method


for attribute in ATTRIBUTES:
    setattr(BaseScorer, f"_{attribute}", deprecated_alias(attribute))


class MadeScorer(BaseScorer):
    """What `make_scorer` returns."""


def make_scorer(
    score_func, *, response_method="predict", greater_is_better=True, **kwargs
):
    """Make a scorer with public attributes."""
    sign = 1 if greater_is_better else -1
    return MadeScorer(score_func, sign, kwargs, response_method)


sklearn.metrics.BaseScorer = BaseScorer
sklearn.metrics.make_scorer = make_scorer
warnings.filterwarnings(
    "ignore", message=".*is deprecated; use", category=FutureWarning
)
warnings.filterwarnings(
    "error",
    message=".*is deprecated; use",
    category=FutureWarning,
    module="sklearn_irmetrics",
)
