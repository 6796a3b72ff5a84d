"""The interval of an estimate: over units, over splits, or by leaving units out."""

import numpy as np

from sklearn_irmetrics._arrays.numbers import to_dense
from sklearn_irmetrics._arrays.rows import divide
from sklearn_irmetrics._statistics.classes import (
    ClassRatios,
    ClassTable,
    LikelihoodRatios,
    interval_of_class_means,
    interval_of_class_ratios,
    interval_of_class_table,
    interval_of_likelihood_ratio,
)
from sklearn_irmetrics._statistics.draws import batches
from sklearn_irmetrics._statistics.extremes import Errors, interval_of_median
from sklearn_irmetrics._statistics.intervals import (
    ConfidenceInterval,
    interval_of_geometric_mean,
    interval_of_influences,
    interval_of_mean,
    no_interval,
    percentile_interval,
    split_interval,
)
from sklearn_irmetrics._statistics.rankings import (
    AveragePrecisions,
    RocAreas,
    interval_of_areas,
    interval_of_average_precision,
)
from sklearn_irmetrics._statistics.units import means_of_groups
from sklearn_irmetrics.model_selection._inputs import Units, by_appearance

# What an interval may describe.
MODELS = "the models trained here"
TRAINING = "models trained this way on new data"
# Each block is a call of the scorer for each split in which it was tested.
_N_BLOCKS, _FEWEST_BLOCKS = 40, 10
_MOST_CALLS = 1000
# Kinds of predictions in a split, on average, each of which is a call of the scorer.
_MOST_KINDS = 10
_N_RESAMPLES = 999
# Of resamples of one ranking, of which few values say little.
_MOST_ALIKE = 0.2
# Where each resample is a call of the scorer.
_N_CALLS = 199


def interval_of(estimate):
    """Return standard error, interval, its name, and what it is about.

    1. After a bootstrap, or with ``interval="corrected_t"``: corrected t over splits.
    2. Means over queries, otherwise means over rows: an interval over these units.
    3. Scores that have a rule of their own: see `_RULES`.
    4. Other scores of pooled predictions or of one split: see `_interval_of_pool`.
    5. Means of other scores of splits: the jackknife over units, if it is possible,
       otherwise corrected t over splits.
    """
    # interval="auto" is resolved in two places. What an interval is over: here and in
    # `_interval_of_pool`. How it is computed from values of units: in
    # `interval_of_sample` and its neighbours, which get "auto" as their `method`.
    design = estimate.design
    if estimate.pool is None:
        why = "the measure failed in all splits"
        none = no_interval(why, confidence_level=estimate.evaluation.confidence_level)
        return *none, MODELS
    if design.is_bootstrap or design.interval == "corrected_t":
        return *_interval_over_splits(estimate), TRAINING
    if estimate.query_mean is not None:
        return *_interval_over_queries(estimate), MODELS
    if (over_rows := _interval_over_rows(estimate)) is not None:
        return *over_rows, MODELS
    if design.interval in ("auto", "t"):
        for rule in _RULES:
            if (interval := rule(estimate)) is not None:
                return *interval, MODELS
    if estimate.aggregate == "pooled" or len(design.splits) == 1:
        return *_interval_of_pool(estimate), MODELS
    if (by_jackknife := _interval_of_splits(estimate)) is not None:
        return *by_jackknife, MODELS
    return *_interval_over_splits(estimate), TRAINING


def _interval_over_splits(estimate):
    """Return the interval over splits, around the estimate of a bootstrap."""
    design, bounds = estimate.design, estimate.scorer.bounds
    split_scores, around, n_units = estimate.split_scores, None, None
    if estimate.scorer.is_sum:  # splits of any size, as if they had all rows
        n_rows = [estimate.scores.of_split(i).n_rows for i in range(len(split_scores))]
        split_scores = split_scores * divide(estimate.scores.n_rows, n_rows)
    if design.is_bootstrap:
        around, n_units = estimate.value, estimate.inputs.units.n_units
    return split_interval(
        split_scores,
        design.n_test / design.n_train,
        around=around,
        n_units=n_units,
        bounds=bounds,
        confidence_level=estimate.evaluation.confidence_level,
    )


def _interval_over_queries(estimate):
    """Return the interval of the mean over queries; see `interval_of_mean`."""
    queries = estimate.query_mean
    return interval_of_mean(
        queries.values,
        weights=queries.weights,
        groups=queries.groups,
        bounds=estimate.scorer.bounds,
        # The seed itself, with which other doors draw for the same values alike.
        rng=estimate.inputs.seed,
        confidence_level=estimate.evaluation.confidence_level,
        method=estimate.design.interval,
    )


def _interval_over_rows(estimate):
    """Return an interval over the rows whose mean a score is, None for other scores."""
    scorer = estimate.scorer
    split, split_scores = estimate.pool.predictions.split, estimate.split_scores
    bounds = scorer.row_bounds(estimate.scores.predictions)
    if estimate.aggregate == "pooled" or scorer.is_sum:
        split, split_scores = np.zeros_like(split), np.array([estimate.value])
    if scorer.is_sum:
        bounds = tuple(np.multiply(bounds, estimate.scores.n_rows))
    units = units_of_mean(estimate, split, split_scores)
    if units is None:
        return None
    values, weights, classes = units
    if classes is not None:
        return interval_of_class_means(
            values,
            weights=weights,
            classes=classes,
            units=estimate.unit,
            confidence_level=estimate.evaluation.confidence_level,
            method=estimate.design.interval,
        )
    return interval_of_mean(
        values,
        weights=weights,
        bounds=bounds,
        rng=estimate.inputs.seed,
        units=estimate.unit,
        confidence_level=estimate.evaluation.confidence_level,
        method=estimate.design.interval,
    )


def units_of_mean(estimate, split, split_scores):
    """Return values, weights and classes of units, if scores are means over rows.

    With these weights, the mean over units is the mean of the scores of the splits.
    Classes are None unless the means of classes are averaged. None is returned for
    other scores, and if the means of the rows of a split differ from its score.

    Parameters
    ----------
    estimate : Estimate
        What was predicted.
    split : int array of shape (n_predictions,)
        The split of each prediction; with pooled scores, there is only one.
    split_scores : ndarray of shape (n_splits,)
        The scores of these splits.
    """
    scorer = estimate.scorer
    scores = estimate.scores
    rows = scorer.values_of_rows(scores.predictions, split, scores.classes)
    if rows is None:
        return None
    values, weights, classes = rows
    requested = scorer.take_requested(scores.inputs.metadata)
    sample_weight = requested.get("sample_weight")
    if sample_weight is not None:
        weights = weights * np.asarray(sample_weight)[scores.row]
    if estimate.is_of_pool and scores.repeats_rows:
        weights = weights / scores.times
    if scorer.is_sum:
        values = values * scores.n_rows
    totals = np.bincount(split, weights, minlength=len(split_scores))
    defined = totals > 0
    weights = divide(weights, totals[split] * defined.sum())
    means = np.bincount(split, weights * values, minlength=len(split_scores))
    means *= scorer.sign * defined.sum()
    means = np.where(defined, means, np.nan)
    if not np.allclose(means, split_scores, equal_nan=True):
        return None
    at = weights > 0
    values, units = scorer.sign * values[at], scores.units[at]
    if classes is None:
        return *means_of_groups(values, weights[at], units), None
    if len(np.unique(units)) < len(units):
        return None  # a unit may have rows of several classes
    return values, weights[at], classes[at]


class _TestedRows:
    """The rows that have weight, in the splits that have scores.

    Attributes
    ----------
    predictions : Predictions
        What the scorer scores.
    scores : ndarray of shape (n_splits,)
        The scores of these splits, or that of the pool.
    split, unit : int array of shape (n_rows,)
        Numbers from 0.
    weight : ndarray of shape (n_rows,)
        The weight in the score.
    """

    def __init__(self, estimate):
        scores, scorer = estimate.scores.weighed(), estimate.scorer
        is_pool = estimate.aggregate == "pooled"
        self.scores = np.array([estimate.value])
        split = np.zeros(len(scores.row), dtype=np.intp)
        if not is_pool:
            defined = np.flatnonzero(~np.isnan(estimate.split_scores))
            self.scores = estimate.split_scores[defined]
            kept = np.isin(scores.split, defined)
            if not kept.all():
                scores = scores.take(np.flatnonzero(kept))
            split = np.unique(scores.split, return_inverse=True)[1]
        self.predictions, self.split = scores.predictions, split
        self.unit = np.unique(scores.units, return_inverse=True)[1]
        self.weight = np.ones(len(scores.row))
        requested = scorer.take_requested(scores.inputs.metadata)
        if "sample_weight" in requested:
            weights = np.asarray(requested["sample_weight"], dtype=np.float64)
            self.weight = weights[scores.row]
        if is_pool and scores.repeats_rows:
            self.weight = self.weight / scores.times

    @property
    def columns(self):
        """Split and unit of each row, as rules take them."""
        return {"splits": self.split, "units": self.unit}

    def have_scores(self, scores):
        """Whether these are the scores of the splits."""
        return len(scores) == len(self.scores) and np.allclose(scores, self.scores)


def _interval_of_class_ratios(estimate):
    """Return the interval of a mean of ratios of classes, None for other scores."""
    scorer = estimate.scorer
    if not scorer.scores_labels:
        return None
    tested = _TestedRows(estimate)
    if (terms := scorer.class_terms(tested.predictions)) is None:
        return None
    rows, classes, *both = terms
    ratios = ClassRatios(
        *(tested.weight[rows] * values for values in both),
        classes=classes,
        splits=tested.split[rows],
        units=tested.unit[rows],
    )
    if np.isnan(ratios.influences).any():
        return None
    return _interval_by(interval_of_class_ratios, ratios, estimate, tested)


def _interval_of_class_table(estimate):
    """Return the interval of a measure of a table of classes, None for other scores."""
    scorer = estimate.scorer
    if scorer.class_table_measure(2) is None:
        return None
    tested = _TestedRows(estimate)
    both = np.asarray(tested.predictions.y_true), np.asarray(tested.predictions.y_score)
    if both[0].ndim != 1 or both[1].shape != both[0].shape:
        return None
    classes, codes = np.unique(np.concatenate(both), return_inverse=True)
    if len(classes) < 2:
        return None
    measure = scorer.class_table_measure(len(classes))
    true, predicted = np.split(codes, 2)
    table = ClassTable(
        measure, true, predicted, weights=tested.weight, **tested.columns
    )
    bounds = np.sort(scorer.sign * np.array(scorer.bounds))
    return _interval_by(interval_of_class_table, table, estimate, tested, bounds=bounds)


def _interval_of_area(estimate):
    """Return the interval of the area under the ROC curve of rows, or None."""
    tested = _ranked_rows(estimate, "area")
    if tested is None:
        return None
    areas = RocAreas(*tested.ranked, weights=tested.weight, **tested.columns)
    return _interval_by(interval_of_areas, areas, estimate, tested)


def _interval_of_average_precision(estimate):
    """Return the interval of the average precision of rows, None for other scores."""
    tested = _ranked_rows(estimate, "average precision")
    expected = estimate.scorer.exact_ties
    if tested is None or expected and np.ptp(tested.weight):
        return None
    rankings = AveragePrecisions(
        *tested.ranked, weights=tested.weight, expected=expected, **tested.columns
    )
    if np.isnan(rankings.influences).any():
        return None
    return _interval_by(interval_of_average_precision, rankings, estimate, tested)


def _ranked_rows(estimate, measure):
    """Return tested rows that are ranked by a measure, with relevance and scores."""
    scorer = estimate.scorer
    if scorer.row_measure != measure or _ranks_models_together(estimate):
        return None
    tested = _TestedRows(estimate)
    if not len(tested.scores) or not len(tested.split):
        return None
    tested.ranked = scorer.ranked_rows(tested.predictions)
    return None if tested.ranked is None else tested


def _interval_of_median(estimate):
    """Return the interval of the median error of rows, None for other scores."""
    rows = _single_rows(estimate, "median error")
    if rows is None:
        return None
    values = np.abs(rows.predictions.y_true - rows.predictions.y_score)
    errors = Errors(values, **rows.columns)
    return _interval_by(interval_of_median, errors, estimate, rows)


def _interval_of_largest(estimate):
    """Return that the largest error of rows has no interval, None for other scores."""
    if estimate.scorer.row_measure != "largest error":
        return None
    why = "the largest error seen does not bound those to come"
    return no_interval(why, confidence_level=estimate.evaluation.confidence_level)


def _interval_of_likelihood_ratio(estimate):
    """Return the interval of a likelihood ratio of classes, None for other scores."""
    for side in ("positives", "negatives"):
        rows = _single_rows(estimate, f"likelihood ratio of {side}")
        if rows is None or np.bincount(rows.unit).max() > 1:
            continue
        y_true, predicted = rows.predictions.y_true, rows.predictions.y_score
        positive = np.unique(np.append(y_true, predicted))[-1]
        ratios = LikelihoodRatios(
            y_true == positive,
            predicted == positive,
            splits=rows.split,
            of_positives=side == "positives",
        )
        return _interval_by(interval_of_likelihood_ratio, ratios, estimate, rows)
    return None


def _single_rows(estimate, measure):
    """Return tested rows if they have this measure, are units, and weigh the same."""
    if estimate.scorer.row_measure != measure or np.isnan(estimate.value):
        return None
    rows = _TestedRows(estimate)
    y_true, predicted = map(np.asarray, rows.predictions[:2])
    if y_true.ndim != 1 or predicted.shape != y_true.shape:
        return None
    in_split = rows.split * (rows.unit.max() + 1) + rows.unit
    if len(np.unique(in_split)) < len(in_split) or np.ptp(rows.weight):
        return None
    rows.predictions = rows.predictions._replace(y_true=y_true, y_score=predicted)
    return rows


def _ranks_models_together(estimate):
    """Whether rows are ranked together that different models scored."""
    is_pool = estimate.aggregate == "pooled" and len(estimate.design.splits) > 1
    return estimate.scorer.ranks_rows and estimate.evaluation.trains and is_pool


def _interval_by(rule, parts, estimate, tested, **options):
    """Return the interval by a rule, None if its parts are not those of the score."""
    sign = estimate.scorer.sign
    if not tested.have_scores(sign * parts.split_scores):
        return None
    error, ends, how = rule(
        parts,
        confidence_level=estimate.evaluation.confidence_level,
        units=estimate.unit,
        method=estimate.design.interval,
        **options,
    )
    if sign < 0:
        ends = ConfidenceInterval(0.0 - ends.high, 0.0 - ends.low)
    return error, ends, how


# For scores that are no means over rows; each returns None for scores of other kinds.
_RULES = (
    _interval_of_class_ratios,
    _interval_of_class_table,
    _interval_of_area,
    _interval_of_average_precision,
    _interval_of_median,
    _interval_of_largest,
    _interval_of_likelihood_ratio,
)


def _interval_of_pool(estimate):
    """Return the interval of the score of one pool of predictions.

    Of a geometric mean of queries, it is over these. If a single rank decides the
    score, "auto" is the percentile bootstrap over units, because the jackknife fails.
    Of other scores, it is the jackknife over blocks of units, which needs few calls of
    the scorer and is valid even if almost all predictions are right.
    """
    scorer = estimate.scorer
    if _ranks_models_together(estimate):
        why = "different models are ranked together"
        return no_interval(why, confidence_level=estimate.evaluation.confidence_level)
    if estimate.aggregate != "pooled" and not _is_of_predictions(estimate):
        why = "the scorer asks for more than predictions"
        return no_interval(why, confidence_level=estimate.evaluation.confidence_level)
    values = _values_of_geometric_mean(estimate.scores)
    if values is not None:
        return interval_of_geometric_mean(
            **values,
            floor=scorer.floor,
            bounds=scorer.bounds,
            rng=estimate.inputs.seed,
            confidence_level=estimate.evaluation.confidence_level,
            method=estimate.design.interval,
        )
    scores = estimate.scores.weighed()
    with scorer.suppress_warnings():
        if scorer.cuts_ranks and estimate.design.interval == "auto":
            drawn_from = Units(_units_by_content(scores)[scores.units], len(scores.row))
            how = f"percentile bootstrap over {drawn_from.n_units} {estimate.unit}"
            replicates = _scores_of_draws(scores, drawn_from)
            level = estimate.evaluation.confidence_level
            if scorer.ranks == "fold":
                return _rough_interval(replicates, level, how)
            return percentile_interval(replicates, level, how)
        content = _units_by_content(scores)
        influences, are_blocks = jackknife([scores], [estimate.value], content)
    return _interval_by_jackknife(estimate, scores, influences, are_blocks)


def _is_of_predictions(estimate):
    """Whether the score of one split follows from its predictions alone.

    A callable may ask the model for anything.
    """
    with estimate.scorer.suppress_warnings():
        try:
            score = estimate.scores.score()
        except Exception:
            return False
    return bool(np.isclose(score, estimate.value, equal_nan=True))


def _interval_of_splits(estimate):
    """Return the interval of a mean of scores of splits by the jackknife, or None.

    It is over blocks of units, each of which changes the scores of the splits that test
    it. Scores of few splits may happen to be nearly equal, so an interval over them is
    the last resort, where this one is None: for callables, which may score anything but
    predictions, if a single rank decides the score, and if the score of a split is
    undefined without one of the blocks.
    """
    scorer = estimate.scorer
    if scorer.cuts_ranks and scorer.ranks in ("fold", None):
        return None
    scores = estimate.scores.weighed()
    if scores.predictions is None:
        return None
    splits = np.flatnonzero(~np.isnan(estimate.split_scores))
    if not np.isin(splits, scores.split).all():  # error_score is the score of some
        return None
    with scorer.suppress_warnings():
        parts = [scores.of_split(split) for split in splits]
        wholes = [part.score_if_defined() for part in parts]
        if not np.allclose(wholes, estimate.split_scores[splits]):
            return None
        content = _units_by_content(scores)
        influences, are_blocks = jackknife(parts, wholes, content)
    if np.isnan(influences).any():
        return None
    return _interval_by_jackknife(estimate, scores, influences, are_blocks)


def _interval_by_jackknife(estimate, scores, influences, are_blocks):
    """Return the interval by the influences that `jackknife` returned."""
    return interval_of_influences(
        estimate.value,
        influences[~np.isnan(influences)],
        n_units=_count_units(scores),
        bounds=estimate.scorer.bounds,
        units="blocks" if are_blocks else estimate.unit,
        how="jackknife ",
        confidence_level=estimate.evaluation.confidence_level,
        method=estimate.design.interval,
    )


def _values_of_geometric_mean(scores):
    """Return values and weights of queries, if each was tested once, or None."""
    scorer, inputs = scores.scorer, scores.inputs
    is_of_queries = scorer.floor is not None and inputs.unit == "query"
    if not is_of_queries or scores.times.max() > 1:
        return None
    queries = by_appearance(inputs.queries.codes[scores.row])
    with scorer.suppress_warnings():
        values = scores.score(average=None)
    if len(values) > len(queries):  # some were split
        return None
    counted, weights = ~np.isnan(values), None
    if "sample_weight" in scorer.requested & inputs.metadata.keys():
        weights = inputs.query_facts(of_rows=False).weights[queries]
        counted &= weights > 0
        weights = weights[counted]
    return {"values": values[counted], "weights": weights}


def _count_units(scores):
    """Return how many units count; one of them is compared with an added value.

    Those of the rarer class if both are needed. If classes count alike, however small
    they are, the effective number of units of a mean of the means of classes, in which
    the units of a class weigh ``1 / size``.
    """
    units, y_true = scores.units, np.asarray(to_dense(scores.inputs.y))[scores.row]
    n_units = len(np.unique(units))
    counts_classes = scores.scorer.counts_classes_alike(scores.predictions)
    if y_true.ndim != 1 or not (scores.scorer.needs_both_classes or counts_classes):
        return n_units
    classes, codes = np.unique(y_true, return_inverse=True)
    sizes = [len(np.unique(units[codes == code])) for code in range(len(classes))]
    if counts_classes:
        return len(classes) ** 2 / np.reciprocal(sizes, dtype=float).sum()
    return min(sizes) if len(classes) == 2 else n_units


def _units_by_content(scores):
    """Return a number for each unit of the data, by what was predicted of its rows.

    With these numbers, draws of units do not depend on the order of the rows. Callables
    have no predictions that could be compared: their units keep their numbers.
    """
    numbers = np.arange(scores.inputs.units.n_units)
    if scores.predictions is None or isinstance(scores.predictions.y_score, list):
        return numbers
    requested = scores.scorer.take_requested(scores.inputs.metadata)
    # Scores first: the order of classes would depend on their names.
    columns = [scores.predictions.y_score, scores.predictions.y_true]
    if "sample_weight" in requested:
        columns.append(np.asarray(requested["sample_weight"])[scores.row])
    flat = [np.asarray(to_dense(part)).reshape(len(scores.row), -1) for part in columns]
    codes = [
        np.unique(column, return_inverse=True)[1] for part in flat for column in part.T
    ]
    _, row = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    row, n = row.ravel() + 1.0, len(numbers)
    keys = [np.bincount(scores.units, row**power, minlength=n) for power in (2, 1, 0)]
    numbers[np.lexsort(keys)] = np.arange(n)
    return numbers


def _rough_interval(replicates, confidence_level, how):
    """Return the percentile interval of one ranking, none if its values are too few."""
    replicates = replicates[~np.isnan(replicates)]
    _, counts = np.unique(replicates, return_counts=True)
    share = counts.max(initial=0) / max(len(replicates), 1)
    if _MOST_ALIKE < share < 1:
        why = f"{share:.0%} of the resamples of one ranking have the same score"
        return no_interval(why, confidence_level=confidence_level)
    return percentile_interval(replicates, confidence_level, f"rough: {how}")


def jackknife(parts, wholes, content):
    """Return how far units, or blocks of them, move a mean of scores, and if blocks do.

    For a mean over units, the influences of a block sum to ``(value - mean) /
    n_units``. Influences are NaN if a score is undefined without the block.

    Parameters
    ----------
    parts : list of Scores
        Predictions; units may have some in several parts.
    wholes : list of float
        Their scores.
    content : ndarray of shape (n_units_of_data,)
        A number for each unit of the data, in the order in which blocks are drawn.
    """
    codes = [content[part.units] for part in parts]
    sizes = list(map(len, codes))
    units, first, codes = np.unique(
        np.concatenate(codes), return_index=True, return_inverse=True
    )
    n_units, kinds = len(units), [part.kinds() for part in parts]
    blocks = np.arange(n_units)
    if n_units > _N_BLOCKS:
        known = [np.inf if kind is None else len(np.unique(kind)) for kind in kinds]
        # Otherwise so few kinds of predictions are left out once each.
        if sum(known) > max(_N_BLOCKS, _MOST_KINDS * len(kinds)):
            first_part = np.repeat(np.arange(len(parts)), sizes)[first]
            blocks = _draw_blocks(first_part, len(parts))
    n_blocks = blocks.max() + 1
    influences = np.zeros(n_blocks)
    tested = np.split(codes, np.cumsum(sizes)[:-1])
    for i, (part, whole) in enumerate(zip(parts, wholes, strict=True)):
        counts = np.bincount(blocks[np.unique(tested[i])], minlength=n_blocks)
        present = np.flatnonzero(counts)
        left = _scores_without(part, blocks[tested[i]], present, kinds[i])
        # The variance inside a part is that of its own blocks.
        freedom = (1 - 1 / n_blocks) / (1 - 1 / max(len(present), 2))
        shares = counts[present] / counts.sum()
        change = (whole - left) * (1 - shares) * np.sqrt(freedom)
        influences[present] += change / len(parts)
    return influences, n_blocks < n_units


def _draw_blocks(first_part, n_parts):
    """Return a block for each unit, by the part in which it is tested first.

    The units of a block are tested first in the same part, so that the scores of few
    others change without them. The draw is the same in every call.
    """
    rng = np.random.default_rng(0)
    n_blocks = min(_N_BLOCKS, max(_MOST_CALLS // n_parts, _FEWEST_BLOCKS))
    blocks, n = np.empty(len(first_part), dtype=int), 0
    present = np.unique(first_part)
    for part in present:
        at = np.flatnonzero(first_part == part)
        n_here = min(len(at), max(n_blocks // len(present), 2))
        blocks[at] = n + rng.permutation(np.arange(len(at)) % n_here)
        n += n_here
    return blocks


def _scores_without(scores, block, blocks, kinds):
    """Return the scores without each of some blocks; NaN if they are undefined.

    Predictions of one kind change the score alike, so only one of them is left out.
    """
    if len(blocks) == 1:  # nothing would be left
        return np.array([np.nan])
    alike = np.arange(len(blocks))
    if kinds is not None and len(block) == len(blocks):
        alike = kinds[np.argsort(block)]
    _, first, alike = np.unique(alike, return_index=True, return_inverse=True)
    kept = [np.flatnonzero(block != number) for number in blocks[first]]
    if ranked := scores.as_one_ranking():
        y_true, y_score, score = ranked
        rows = np.concatenate(kept)
        qid = np.repeat(np.arange(len(kept)), [len(at) for at in kept])
        left = score(y_true[rows], y_score[rows], qid=qid)
    else:
        left = np.array([scores.take(at).score_if_defined() for at in kept])
    return left[alike]


def _scores_of_draws(scores, units):
    """Return scores of resampled units, all at once if units are rows.

    The draws are the same in every call.
    """
    rng = np.random.default_rng(0)
    n, ranked = units.n_units, None
    if n == len(units.codes):
        ranked = scores.as_one_ranking()
    if ranked is None:
        replicates = []
        for _ in range(_N_CALLS if n > 1 else 0):
            draw = rng.integers(n, size=n)
            copies = np.repeat(np.arange(n), units.sizes[draw])
            drawn = scores.take(units.rows(draw), copies)
            replicates.append(drawn.score_if_defined())
        return np.array(replicates)
    y_true, y_score, score = ranked
    by_content = np.argsort(units.codes)
    y_true, y_score = y_true[by_content], y_score[by_content]
    replicates = []
    for part in batches(_N_RESAMPLES, n):
        rows = rng.integers(n, size=(part.stop - part.start, n))
        replicates.append(score(y_true[rows], y_score[rows]))
    return np.concatenate(replicates)
