"""Measures: metrics with their arguments, as values."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np

from sklearn_irmetrics._checks import check_count, check_flag, check_real
from sklearn_irmetrics._results.markup import write_html
from sklearn_irmetrics._results.portable import Portable
from sklearn_irmetrics._results.tables import Table
from sklearn_irmetrics._warnings import suppress_warnings, warn_of_data
from sklearn_irmetrics.metrics._names import check_distinct, parse_name
from sklearn_irmetrics.metrics._ranking.gains import hashable
from sklearn_irmetrics.metrics._ranking.marks import MARKS
from sklearn_irmetrics.metrics._registry import Metric, metric_of


class _Mapping(tuple):
    """The sorted items of a mapping."""

    __slots__ = ()

    def __repr__(self):
        return "{" + ", ".join(f"{key!r}: {value!r}" for key, value in self) + "}"


def freeze(name, value, default):
    """Return a frozen argument; refuse values that no function takes for it."""
    value = _unwrap(name, value)
    if isinstance(default, bool):
        return check_flag(name, value)
    if name in ("k", "n_expected") and value is not None:
        return check_count(name, value)
    if isinstance(value, bool) and name not in ("pos_label", "relevance_threshold"):
        raise ValueError(f"{name} must not be a boolean; got {value!r}.")
    return hashable(value) if callable(value) else _freeze(name, value)


def thaw(name, value):
    """Return a frozen argument in the form that functions take."""
    if name == "replace_undefined_by" and value is None:
        return np.nan
    return dict(value) if isinstance(value, _Mapping) else value


def spell(value):
    """Return a frozen argument as text, a function by its name."""
    if not callable(value):
        return repr(value)
    name = getattr(value, "__name__", "__call__")
    kind = type(getattr(value, "__self__", value))  # made hashable by `hashable`
    return kind.__name__ if name == "__call__" else name


def _unwrap(name, value):
    """Return an array, series or tensor of any number of axes as Python objects."""
    if name == "gain" and hasattr(value, "items"):  # as a series has
        return value
    value = value.to_numpy() if hasattr(value, "to_numpy") else value
    return value.tolist() if hasattr(value, "tolist") else value


def _freeze(name, value):
    value = _unwrap(name, value)
    if value is None or isinstance(value, (str, bytes)):
        return value
    if hasattr(value, "items"):
        items = [(_freeze_number(name, k), _freeze(name, v)) for k, v in value.items()]
        check_distinct(name, [key for key, _ in items])
        return _Mapping(sorted(items))
    if isinstance(value, Sequence):
        return tuple(_freeze(name, element) for element in value)
    return _freeze_number(name, value)


def _freeze_number(name, value):
    """Return the equal Python number: an int if whole and at most 2^53."""
    try:
        number = float(value)
    except OverflowError:
        number = np.inf
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} must be a number, a string, a function, or a list or mapping of "
            f"them, in a measure; got {value!r}."
        ) from None
    if isinstance(value, Integral) and number != value:  # the metric may refuse it
        return int(value)
    if np.isnan(number) and name == "replace_undefined_by":
        return None  # equal to itself, and a literal
    if not np.isfinite(number):
        raise ValueError(f"{name} must be finite in a measure; got {value!r}.")
    if number != value:
        raise ValueError(
            f"{name} must be a number that a float holds exactly in a measure; got "
            f"{value!r}."
        )
    return int(number) if number.is_integer() and abs(number) <= 2**53 else number


@dataclass(frozen=True, eq=False)
class UnknownFunction(Portable):
    """A function of which only the name was kept; it equals no other."""

    name: str

    @property
    def __name__(self):
        return self.name

    def __call__(self, *data):
        """Raise an error."""
        raise ValueError(
            f"the function {self.name!r} of a measure is unknown, because neither JSON "
            "nor pickle could hold it; make the measure again."
        )


# Arguments of a measure about how its values are averaged.
_AVERAGING = ("average", "epsilon", "replace_undefined_by")
# Arguments that belong to the data of a call. None says that there are none.
_DATA = ("labels", "sample_weight")


def averaging_of(measure, average, replace_undefined_by):
    """Return the average that the measure names, or else the requested one.

    With ``average=None``, they are not.
    """
    of_call = {"average": average, "replace_undefined_by": replace_undefined_by}
    own = measure.averaging | ({"average": None} if average is None else {})
    return of_call | own


def describe_measure(measure, **facts):
    """Return a table of a measure and its arguments, with more facts by name."""
    metric = measure.metric
    arguments = [(name, spell(value)) for name, value in measure._items]
    rows = [*arguments, *facts.items()]
    if metric.has_direction:
        rows.append(("better", "larger" if metric.greater_is_better else "smaller"))
    return Table([measure.label], ["function", metric.function.__name__], rows, "<<")


@dataclass(frozen=True, init=False, repr=False)
class Measure(Portable):
    """A metric with its arguments: a value that can be called, compared and kept.

    A measure is accepted wherever a name such as ``"ndcg@10"`` is. Two measures are
    equal if metric and arguments are: ``Measure("map") == Measure("ap")``. An argument
    that is given is kept, also if it is the default: ``Measure("ap",
    judged_only=False)`` differs from ``Measure("ap")``, because an argument of a call,
    such as ``judged_only=True`` of `score_queries`, holds only where a measure is
    silent.

    Parameters
    ----------
    name : str, Measure or Metric
        A name as for `score_queries`: ``"ndcg@10"``, ``"ap(relevance_threshold=2)"``;
        or a measure, such as one of `make_metric`, or its `metric`.
    **arguments
        Further arguments of the metric, which override those in the name. They are
        kept as plain numbers, strings, tuples and sorted mappings; gains and discounts
        may be functions.

    Attributes
    ----------
    metric : Metric
        The metric, with its function and facts about it.
    arguments : dict of str to object
        The given arguments, to be passed to the function.

    Raises
    ------
    TypeError, ValueError
        If there is no such name (the message lists the nearest names), the metric has
        no such parameter, or an argument is infinite, NaN, a fraction that no float
        equals, or of a kind that cannot be kept.

    See Also
    --------
    make_metric : A measure of a function of your own.
    get_scorer : A measure as a scorer, which takes an estimator.
    score_queries : Many measures at once.

    Examples
    --------
    >>> from sklearn_irmetrics import Measure
    >>> measure = Measure("AP@100", relevance_threshold=2)
    >>> measure
    Measure('ap(relevance_threshold=2)@100')
    >>> measure([1, 0, 2], [0.3, 0.2, 0.1])
    0.3333333333333333
    >>> Measure(str(measure)) == measure
    True
    >>> Measure("mrr@5") == Measure("rr", k=5)
    True
    """

    metric: Metric
    averaging: dict[str, Any] = field(compare=False)
    _items: tuple
    _given: dict[str, Any] = field(compare=False)

    def __init__(self, name: str | Measure | Metric, /, **arguments: Any) -> None:
        if isinstance(name, Measure):
            metric, named = name.metric, name.arguments
        elif isinstance(name, Metric):
            metric, named = name, {}
        else:
            metric, named = parse_name(name)
        metric.check_arguments(arguments, called=metric.name)
        arguments = named | arguments
        items, thawed, averaging = [], {}, {}
        for parameter in filter(arguments.__contains__, metric.all_parameters):
            default = metric.all_parameters[parameter].default
            value = freeze(parameter, arguments[parameter], default)
            if value is None and parameter in _DATA:
                continue
            items.append((parameter, value))
            thawed[parameter] = thaw(parameter, value)
            if parameter in _AVERAGING:
                averaging[parameter] = thawed[parameter]
        object.__setattr__(self, "metric", metric)
        object.__setattr__(self, "_items", tuple(items))
        object.__setattr__(self, "_given", thawed)
        object.__setattr__(self, "averaging", averaging)

    @property
    def arguments(self):
        """The given arguments by parameter."""
        return dict(self._given)

    def __call__(self, *data: Any, **options: Any) -> Any:
        """Call the function with these arguments and `options`."""
        if data and (hasattr(data[0], "fit") or hasattr(data[0], "predict")):
            raise TypeError(
                "a Measure takes y_true and y_score; got an estimator. Use the scorer "
                f"get_scorer({self.label!r}, qid=...) instead."
            )
        return self.metric.function(*data, **{**self.arguments, **options})

    def __str__(self):
        """Return the name of the measure."""
        functions = [name for name, value in self._items if callable(value)]
        if functions:
            raise ValueError(
                f"a measure whose {functions[0]} is a function has no name; use the "
                "Measure itself, under any label."
            )
        return self.label

    def __format__(self, spec):
        return format(self.label, spec)

    def __repr__(self):
        return f"Measure({self.label!r})"

    def _repr_html_(self):
        return write_html(describe_measure(self))

    @property
    def label(self) -> str:
        """Its name, or a similar text if an argument is a function."""
        values, at = dict(self._items), ""
        if isinstance(values.get(self.metric.at_parameter), (int, float)):
            at = f"@{values.pop(self.metric.at_parameter)!r}"
        inside = ", ".join(f"{name}={spell(value)}" for name, value in values.items())
        return f"{self.metric.name}({inside}){at}" if inside else self.metric.name + at

    def _fields(self):
        named = _name_functions(self, lambda function: True)
        metric, arguments = named.metric, named.arguments
        name = metric.function if metric.is_custom else metric.name
        return {"name": name, "arguments": arguments}

    @classmethod
    def _from_fields(cls, **parts):
        name = parts["name"]
        return cls(metric_of(name) or name, **parts["arguments"])

    @property
    def range(self):
        """The smallest and the largest value, which arguments may decide."""
        if self.metric.range_of is None:
            return self.metric.range
        return self.metric.range_of({**self.metric.parameters, **self._given})

    @property
    def average(self):
        """How its values are averaged over queries."""
        return self._given.get("average", "macro")


def measure_of_function(function):
    """Return the measure of a public function, None for those of other packages."""
    metric = metric_of(function)
    return None if metric is None else Measure(metric)


def formula_parameters(measure):
    """Return all parameters of the measure's formula, given or default ones.

    Raises
    ------
    ValueError
        If one is missing, or one is given that all measures of a call share.
    """
    arguments = measure._given
    shared = arguments.keys() & {"ties", "labels", "sample_weight"}
    if shared and measure.metric.kind != "labels":
        name = min(shared)
        hint = f": leave them out of {measure.label!r} and set those of the call"
        raise ValueError(
            f"{name} must be given for all measures, not for one"
            f"{hint if name == 'ties' else ''}."
        )
    check_complete(measure)
    parameters = {**measure.metric.parameters, **arguments}
    return {k: v for k, v in parameters.items() if k not in _AVERAGING}


def check_complete(measure):
    """Raise an error if an argument that the metric needs is missing."""
    if missing := set(measure.metric.required) - measure._given.keys():
        name, parameter = measure.metric.name, min(missing)
        raise ValueError(
            f"{name!r} needs {parameter}: write '{name}({parameter}=...)', or pass it "
            "as a keyword."
        )


@lru_cache(maxsize=1024)
def try_out(measure):
    """Raise an error if arguments are wrong whatever the documents are."""
    if measure.metric.is_custom:  # a user's function may need documents of its own kind
        return
    metric, label = measure.metric, measure.arguments.get("pos_label")
    marks = {name: [MARKS[name].example] * 2 for name in metric.marks}
    # Unjudged, so that no function meets a grade that need not occur.
    nothing = np.nan if metric.kind == "ranking" else 0
    grades = [nothing if label is None else label] * 2
    if metric.subtopics:
        weights = measure.arguments.get("subtopic_weight")
        grades = np.zeros((2, 1 if weights is None else np.shape(weights)[-1]))
    with suppress_warnings():
        classes = _classes_named(measure.arguments)
        if metric.judges_predictions and classes:
            measure(classes, classes)
        else:
            measure(grades, [0, 1], **marks)


def _classes_named(arguments):
    """Return labels of documents that arguments are about, None if about any."""
    if arguments.get("labels") is not None:
        return arguments["labels"]
    if arguments.get("pos_label") is not None:
        return [arguments["pos_label"]]
    if np.ndim(costs := arguments.get("cost_matrix")):
        return list(range(len(costs)))
    return None


def as_measure(parameter, measure):
    """Return a `Measure` or its name as a `Measure`.

    Parameters
    ----------
    parameter : str
        What it was given as, for messages; "" leaves it out.
    measure : str or Measure
        ``name``, ``name@number``, ``name(parameter=value, ...)`` or both; case does
        not matter. Values are Python literals; nothing is evaluated.

    Returns
    -------
    Measure

    Raises
    ------
    TypeError, ValueError
        If it is neither, names no measure or not its parameters.
    """
    if isinstance(measure, Measure):
        return measure
    try:
        return _named(measure) if type(measure) is str else Measure(measure)
    except (TypeError, ValueError) as error:
        where = f"{parameter}: " if parameter else ""
        raise type(error)(f"{where}{error}") from None


@lru_cache(maxsize=1024)
def _named(name):
    return Measure(name)


def as_label(metric):
    """Return the key of a measure in results: its label, or its name as it is."""
    return metric.label if isinstance(metric, Measure) else metric


def say_unequal(first, second):
    """Return unequal measures, or dicts of them, as texts, and a reason or "".

    The reason is given if the texts are equal.
    """
    first, second = _labels_of(first), _labels_of(second)
    return first, second, _ONE_LABEL * (first == second)


# What differs between measures of one label.
_ONE_LABEL = (
    " Their functions are different objects, or unknown because they were read from "
    "JSON."
)


def _labels_of(measures):
    if isinstance(measures, dict):
        measures = {label: as_label(measure) for label, measure in measures.items()}
    return repr(as_label(measures))


def picklable(measures):
    """Return measures by label, without functions that pickle cannot hold."""
    return measures and {
        label: _name_functions(measure, _cannot_pickle)
        if isinstance(measure, Measure)
        else measure
        for label, measure in measures.items()
    }


def _name_functions(measure, forgets):
    """Return a measure in which only the names of some functions are kept."""
    metric, arguments = measure.metric, measure.arguments
    for name, value in measure.arguments.items():
        if callable(value) and forgets(value):
            arguments[name] = UnknownFunction(spell(value))
    if metric.is_custom and forgets(metric.function.function):
        unknown = UnknownFunction(spell(metric.function.function))
        metric = metric_of(replace(metric.function, function=unknown))
    return Measure(metric, **arguments)


def _cannot_pickle(function):
    try:
        pickle.dumps(function)
    except (AttributeError, TypeError, pickle.PicklingError):
        return True
    return False


def as_measures(parameter, measures, convert=as_measure):
    """Return measures by the label that they go under.

    Parameters
    ----------
    parameter : str
        What they were given as, for messages.
    measures : str or Measure, iterable of them, or dict of str to them
        A dict gives labels; otherwise names are their own, as they were written.
    convert : callable, default=as_measure
        What makes one of them a measure, given `parameter` and it.

    Returns
    -------
    dict of str to Measure

    Raises
    ------
    TypeError, ValueError
        If there is none, one is not a measure, or several have the same label.
    """
    measures = [measures] if isinstance(measures, (str, Measure)) else measures
    try:
        if hasattr(measures, "keys"):
            pairs = [*dict(measures).items()]
        else:
            pairs = [(as_label(measure), measure) for measure in measures]
        named = dict.fromkeys(label for label, _ in pairs)
    except (TypeError, ValueError):
        raise TypeError(
            f"{parameter} must be the name of a measure, a list of names, or a dict of "
            f"labels and names; got {measures!r}."
        ) from None
    if not named:
        raise ValueError(f"{parameter} must name at least one measure; got none.")
    for label, name in pairs:
        measure = convert(parameter, name)
        if named[label] not in (None, measure):
            raise ValueError(
                f"{parameter} holds different measures that would both be called "
                f"{label!r}; pass a dict of labels and measures."
            )
        named[label] = measure
    return named


def as_averaged(parameter, measures, *, relevance_threshold=None, judged_only=False):
    """Return measures by label, as `as_measures`; refuse those that are not averaged.

    Each measure takes those further arguments that it has and does not set itself;
    None and False are ignored. A warning names the measures that do not have one.
    """
    named = as_measures(parameter, measures)
    for measure in named.values():
        if measure.average is None:
            raise ValueError(
                f"{parameter} must be averaged over queries; got {measure.label!r}."
            )
    general = {}
    if relevance_threshold is not None:
        check_real("relevance_threshold", relevance_threshold)
        general["relevance_threshold"] = relevance_threshold
    if check_flag("judged_only", judged_only):
        general["judged_only"] = True
    for name, value in general.items():
        takers = [
            label
            for label, measure in named.items()
            if name in measure.metric.parameters
        ]
        if not takers:
            raise ValueError(
                f"{name} must be a parameter of one of the measures; got "
                f"{value!r} for {', '.join(named)}."
            )
        if len(takers) < len(named):
            others = [label for label in named if label not in takers]
            alone = Measure(named[takers[0]], **{name: value}).label
            warn_of_data(
                f"{name} has no effect on {', '.join(others)}: no such parameter. If "
                f"that is intended, set it only where it has one: {alone!r}.",
                UserWarning,
                subject=name,
            )
        for label in takers:
            own = named[label].arguments
            named[label] = Measure(named[label], **{name: value, **own})
    return named


Measures: TypeAlias = (
    "str | Measure | Sequence[str | Measure] | Mapping[str, str | Measure]"
)
