"""Which of several systems is better, and what may be chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from sklearn_irmetrics._core.parameters import (
    check_confidence_level,
    check_count,
    check_flag,
    check_option,
)
from sklearn_irmetrics._measures.alignment import (
    align_queries,
    align_splits,
    check_undefined,
    greater_is_better_of,
    the_metric,
)
from sklearn_irmetrics._statistics.intervals import ConfidenceInterval
from sklearn_irmetrics._statistics.significance import (
    correct,
    effect_size,
    paired_differences,
    paired_test,
    tukey_test,
)
from sklearn_irmetrics._tables import PLURAL
from sklearn_irmetrics._typing import RandomState
from sklearn_irmetrics.model_selection._comparison import (
    CORRECTIONS,
    TESTS,
    ComparisonResult,
)

_LARGEST = 1e150


def compare(
    results: Mapping[str, Any] | Sequence[Any],
    *,
    baseline: str | None = None,
    test: str = "permutation",
    correction: Literal["holm", "bonferroni", "fdr_bh"] | None = "holm",
    metric: str | None = None,
    greater_is_better: bool | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: RandomState = None,
) -> ComparisonResult:
    """Compare systems on the same queries: differences, intervals, tests.

    Parameters
    ----------
    results : dict of str to system, or list of systems
        Two or more, each an :class:`EvaluationResult`, a
        :class:`~sklearn_irmetrics.QueryScores`, a pandas Series with query ids in its
        index, or an array of scores per query, in the same order for all. A query that
        was tested in several splits counts with its mean. Queries that `evaluate` kept
        together (`groups=`) are one unit of the tests and intervals.
    baseline : str or None, default=None
        Name of the system to compare all others with. None: all pairs.
    test : str, default="permutation"
        "permutation"
            Signs of the differences at random (Fisher's randomisation test).
        "ttest"
            Paired t.
        "wilcoxon"
            Signed ranks.
        "sign"
            Wins and losses only; queries without a difference are left out.
        "bootstrap"
            Queries drawn with repeats, differences shifted to mean 0, t statistics.
        "tukey"
            Randomised Tukey HSD: all systems at once; adjusted in itself.
        "corrected_ttest"
            Over splits rather than queries, corrected for shared training data
            (Nadeau & Bengio); needs results of `evaluate` on the same splits.
    correction : {"holm", "bonferroni", "fdr_bh"} or None, default="holm"
        Adjusts p-values for the number of comparisons. Holm and Bonferroni bound the
        chance of any false discovery, Benjamini-Hochberg the share of false ones.
    metric : str or None, default=None
        Which measure. None: the only one there is.
    greater_is_better : bool or None, default=None
        Who wins a query. None: as the measure says; True for arrays.
    confidence_level : float, default=0.95
        Of the intervals: t for the t-tests, simultaneous for "tukey", otherwise the
        BCa bootstrap over queries.
    n_resamples : int, default=9999
        Random draws of "permutation", "bootstrap" and "tukey". With few queries the
        permutation test is exact.
    random_state : int or None, default=None
        Seeds the draws.

    Returns
    -------
    ComparisonResult
        With `to_frame()`, `to_csv()`, `to_latex()` and `to_markdown()`.

    Raises
    ------
    TypeError, ValueError
        If systems were scored on other queries than the others (the message names
        them), or an argument breaks the rules above.

    Notes
    -----
    p-values are never 0: with random draws they are ``(count + 1) / (n_resamples +
    1)``.

    References
    ----------
    B. Carterette, "Multiple testing in statistical analysis of systems-based
    information retrieval experiments", TOIS 30 (2012).

    M. Smucker, J. Allan, B. Carterette, "A comparison of statistical significance
    tests for information retrieval evaluation", CIKM 2007.

    C. Nadeau and Y. Bengio, "Inference for the Generalization Error", Machine Learning
    52 (2003).

    Examples
    --------
    >>> from sklearn_irmetrics.model_selection import compare
    >>> old, new = [.2, .4, .1, .5, .3, .4], [.3, .6, .2, .5, .5, .8]
    >>> result = compare({"old": old, "new": new}, test="permutation")
    >>> round(float(result.difference[0]), 3), float(result.p_value[0])
    (0.167, 0.0625)
    """
    systems = _named(results)
    _check_options(systems, baseline, test, correction, greater_is_better)
    confidence_level = check_confidence_level(confidence_level)
    rng = _check_seed(random_state)
    n_resamples = check_count("n_resamples", n_resamples)
    metric = the_metric(systems, metric)
    align = align_splits if test == "corrected_ttest" else align_queries
    scores, unit, test_share = align(systems, metric)
    undefined = check_undefined(scores, list(systems), unit)
    values = scores.values[~undefined]
    if scores.groups is not None:
        values = _by_group(values, scores.groups[~undefined])
    if len(values) < 2:
        raise ValueError(
            f"results must share at least two {PLURAL[unit]} with defined scores; got "
            f"{len(values)}."
        )
    if abs(values).max() > _LARGEST:
        raise ValueError(
            f"results must be at most {_LARGEST:g} in size, so that their squares can "
            f"be added up; got {values.flat[abs(values).argmax()]:g}."
        )
    names = list(systems)
    column = {name: values[:, i] for i, name in enumerate(names)}
    if baseline is None:
        pairs = [(b, a) for i, a in enumerate(names) for b in names[i + 1 :]]
    else:
        pairs = [(name, baseline) for name in names if name != baseline]
    draws = {
        "n_resamples": n_resamples,
        "confidence_level": confidence_level,
        "rng": rng,
    }
    differences = [paired_differences(column[a], column[b]) for a, b in pairs]
    means = np.array([d.mean() for d in differences])
    if test == "tukey":
        p_of, reach = tukey_test(values, **draws)
        p_values = np.array([p_of(mean) for mean in means])
        p_adjusted, correction = p_values, None
        intervals = [
            ConfidenceInterval(float(m - reach), float(m + reach)) for m in means
        ]
    else:
        found = [
            paired_test(test, column[a], column[b], test_share=test_share, **draws)
            for a, b in pairs
        ]
        p_values = np.array([p_value for p_value, _ in found])
        intervals = [ends for _, ends in found]
        p_adjusted = correct(p_values, correction)
    if greater_is_better is None:
        greater_is_better = greater_is_better_of(systems, metric)
    sign = 1 if greater_is_better else -1
    return ComparisonResult(
        mean={name: float(column[name].mean()) for name in names},
        system=tuple(a for a, _ in pairs),
        versus=tuple(b for _, b in pairs),
        difference=means,
        confidence_interval=tuple(intervals),
        p_value=p_values,
        p_adjusted=p_adjusted,
        effect_size=np.array([effect_size(d) for d in differences]),
        wins=np.array([int((sign * d > 0).sum()) for d in differences]),
        ties=np.array([int((d == 0).sum()) for d in differences]),
        losses=np.array([int((sign * d < 0).sum()) for d in differences]),
        metric=metric or "score",
        test=test,
        correction=correction,
        greater_is_better=greater_is_better,
        confidence_level=confidence_level,
        unit=unit,
        n_units=len(values),
        n_undefined=int(undefined.sum()),
    )


def _by_group(values, groups):
    """Return the sums of groups, scaled to have the mean over queries as their mean."""
    _, codes = np.unique(groups, return_inverse=True)
    sums = np.zeros((codes.max(initial=-1) + 1, values.shape[1]))
    np.add.at(sums, codes, values)
    return sums * (len(sums) / max(len(values), 1))


def _named(results):
    if hasattr(results, "items"):
        systems = dict(results.items())
    elif isinstance(results, list | tuple):
        systems = {f"system {i}": one for i, one in enumerate(results, start=1)}
    else:
        raise TypeError(
            "results must be a dict or a list of systems; got "
            f"{type(results).__name__}."
        )
    if len(systems) < 2:
        raise ValueError(f"results must hold at least two systems; got {len(systems)}.")
    return systems


def _check_seed(random_state):
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ValueError(f"random_state must seed a generator: {error}.") from error


def _check_options(systems, baseline, test, correction, greater_is_better):
    if baseline is not None and baseline not in list(systems):
        raise ValueError(f"baseline must be one of {list(systems)}; got {baseline!r}.")
    check_option("test", test, TESTS)
    if correction is not None:
        check_option("correction", correction, [c for c in CORRECTIONS if c])
    if greater_is_better is not None:
        check_flag("greater_is_better", greater_is_better)
