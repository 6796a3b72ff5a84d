"""Combine few labels by people with many judgments by a model.

A judge (a language model, as a rule) grades all documents, and people label some: whole
queries drawn at random, or documents drawn with known probabilities. ``score_judged``
and ``compare_judged`` correct what the judge says by what people say. No function calls
a model: its grades come as data. If what people labelled is not a random sample, no
method here is valid.
"""

from sklearn_irmetrics.judging._calibration import calibrate_grades
from sklearn_irmetrics.judging._estimates import JudgedEstimate
from sklearn_irmetrics.judging._expected import ExpectedScores, expected_scores
from sklearn_irmetrics.judging._files import JudgedRuns, align_judged
from sklearn_irmetrics.judging._inferred import inferred_scores, read_sampled_qrels
from sklearn_irmetrics.judging._plan import JudgmentPlan, plan_judgments
from sklearn_irmetrics.judging._results import JudgedComparison, JudgedScores
from sklearn_irmetrics.judging._sample import JudgmentSample, sample_judgments
from sklearn_irmetrics.judging._score import compare_judged, score_judged

__all__ = [
    "ExpectedScores",
    "JudgedComparison",
    "JudgedEstimate",
    "JudgedRuns",
    "JudgedScores",
    "JudgmentPlan",
    "JudgmentSample",
    "align_judged",
    "calibrate_grades",
    "compare_judged",
    "expected_scores",
    "inferred_scores",
    "plan_judgments",
    "read_sampled_qrels",
    "sample_judgments",
    "score_judged",
]
