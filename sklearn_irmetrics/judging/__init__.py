"""Combine few labels by people with many judgments by a model.

A judge (a language model, as a rule) grades all documents, and people label some: whole
queries drawn at random, or documents drawn with known probabilities. ``score_judged``
and ``compare_judged`` correct what the judge says by what people say. No function calls
a model: its grades come as data. If what people labelled is not a random sample, no
method here is valid.
"""

from sklearn_irmetrics.judging.documents import JudgedRuns, align_judged
from sklearn_irmetrics.judging.estimates import compare_judged, score_judged
from sklearn_irmetrics.judging.planning import JudgmentPlan, plan_judgments
from sklearn_irmetrics.judging.results import JudgedComparison, JudgedScores
from sklearn_irmetrics.judging.sampling import JudgmentSample, sample_judgments

__all__ = [
    "JudgedComparison",
    "JudgedRuns",
    "JudgedScores",
    "JudgmentPlan",
    "JudgmentSample",
    "align_judged",
    "compare_judged",
    "plan_judgments",
    "sample_judgments",
    "score_judged",
]
