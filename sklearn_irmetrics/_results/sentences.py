"""Sentences about intervals: what they are about, how they were made, why one lacks."""

from __future__ import annotations

_NONE = "none: "
_ENDS = "with one extra value at each end of the measure's range (Agresti-Coull)"
# How the names of methods go on, and what that means.
_MEANINGS = {
    " and range limits": f", {_ENDS}",
    ", widened by the measure's range": (
        f", {_ENDS}, which more than doubles its width: more data would help"
    ),
}
_CONCENTRATED = ", of which a tenth makes most of the spread"
_FEW_IN_STRATUM = ", inaccurate as one has only "


def capitalise(text):
    """Return text with a capital letter at its start, otherwise as it is."""
    return text[:1].upper() + text[1:]


def join_names(names):
    """Return names as a list in words, such as "a, b and c"."""
    *others, last = map(str, names)
    return f"{', '.join(others)} and {last}" if others else last


def _by_value(values):
    """Return the names by value of what has values by name."""
    names = {}
    for name, value in values.items():
        names.setdefault(value, []).append(name)
    return names


def interval_notes(methods):
    """Return sentences about intervals that lack or mislead.

    Parameters
    ----------
    methods : dict of str to str
        How each interval was made, by the name of its measure: as in `interval_method`
        of results.
    """
    notes = []
    for how, names in _by_value(methods).items():
        subject = "" if len(names) == len(methods) else f" for {join_names(names)}"
        if how.startswith(_NONE):
            notes.append(f"No interval{subject}: {how.removeprefix(_NONE)}.")
        elif how.endswith(_CONCENTRATED):
            units = how.removesuffix(_CONCENTRATED).rpartition(" ")[2]
            notes.append(
                f"A tenth of the {units} causes most of the variation{subject}, so the "
                f"interval may be too narrow. Look at them, or add {units}."
            )
        elif _FEW_IN_STRATUM in how:
            n_units = how.partition(_FEW_IN_STRATUM)[2]
            notes.append(
                f"The smallest stratum has only {n_units} values{subject}, so the "
                "interval may be inaccurate: merge strata."
            )
    return notes


def interval_details(methods):
    """Return sentences that say how intervals were computed; see `interval_notes`."""
    sentences = []
    for how, names in _by_value(methods).items():
        if how.startswith(_NONE):
            continue
        text = how.removesuffix(_CONCENTRATED).partition(_FEW_IN_STRATUM)[0]
        for ending, meaning in _MEANINGS.items():
            if text.endswith(ending):
                text = text.removesuffix(ending) + meaning
        if text.startswith("t over"):
            text = f"Student's {text}"
        subject = "" if len(names) == len(methods) else f" of {join_names(names)}"
        sentences.append(f"Interval{subject}: {text}.")
    return sentences
