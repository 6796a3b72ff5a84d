"""Runs joined with their judgments, in the place of grades and scores."""

from collections.abc import Mapping

from sklearn_irmetrics._measures.systems import refuse_names_alike

_FIELDS = {"y_true", "y_score", "qid", "pooled"}


def is_aligned(value):
    """Whether it is an `AlignedRun`, by what it holds."""
    return set(getattr(type(value), "__dataclass_fields__", ())) >= _FIELDS


def unpack(y_true, y_score, qid, marks=None):
    """Return grades, scores, query ids and marks, as given or of an `AlignedRun`.

    Raises
    ------
    TypeError
        If scores are missing, or scores or ids are given beside a run that has them.
    """
    if not is_aligned(y_true):
        if y_score is None:
            raise TypeError(
                "y_score must be given unless y_true is an AlignedRun; got None."
            )
        return y_true, y_score, qid, marks
    for name, value in (("y_score", y_score), ("qid", qid)):
        if value is not None:
            raise TypeError(
                f"{name} must be None where y_true is an AlignedRun, which has its "
                f"own; got a {type(value).__name__}."
            )
    run = y_true
    if run.pooled.any():
        marks = {"pooled": run.pooled, **(marks or {})}
    return run.y_true, run.y_score, run.qid, marks


def by_system(y_true, y_score):
    """Return grades and scores by the name of their system, None where it has none.

    Several systems are a dict of scores, or of `AlignedRun`s.
    """
    if isinstance(y_score, Mapping):
        systems = {name: (y_true, scores) for name, scores in y_score.items()}
    elif isinstance(y_true, Mapping):
        systems = {name: (run, y_score) for name, run in y_true.items()}
    else:
        return {None: (y_true, y_score)}
    if not systems:
        raise ValueError("y_true and y_score must hold at least one system; got none.")
    refuse_names_alike("y_true and y_score", systems)
    return systems
