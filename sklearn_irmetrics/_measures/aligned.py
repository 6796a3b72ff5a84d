"""Accept runs joined with their judgments in place of grades and scores."""

from collections.abc import Mapping

from sklearn_irmetrics._measures.systems import refuse_names_alike

_FIELDS = {"y_true", "y_score", "qid", "pooled"}


def is_aligned(value):
    """Whether a value is an `AlignedRun`, by its fields."""
    return set(getattr(type(value), "__dataclass_fields__", ())) >= _FIELDS


def unpack(y_true, y_score, qid, marks=None):
    """Return grades, scores, query ids and marks, given or from an `AlignedRun`.

    Raises
    ------
    TypeError
        If scores are missing, or scores or ids are given with a run that has them.
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
                f"{name} must be None if y_true is an AlignedRun, which has its own; "
                f"got a {type(value).__name__}."
            )
    run = y_true
    if run.pooled.any():
        marks = {"pooled": run.pooled, **(marks or {})}
    return run.y_true, run.y_score, run.qid, marks


def by_system(y_true, y_score):
    """Return grades and scores by name of the system, None if it has no name.

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
