"""What the benchmark asks of a tool, and this package as one."""

from functools import partial
from importlib.metadata import PackageNotFoundError, version

import sklearn_irmetrics as irm
from sklearn_irmetrics.metrics._measure import as_measure


class Tool:
    """What the benchmark asks of a tool.

    `names` holds, by our name, the name of the same measure of the tool; a name that
    ends in ``@`` is one with a cutoff, which takes the place of ``{}``.
    """

    title = ""
    distributions = ()  # what to install
    preset = None  # whose arguments give the same number
    arguments = {}  # by measure: what the same number takes besides
    names = {}
    ties = ()  # measures with exact ties
    differs = ()  # measures that have no preset

    @property
    def versions(self):
        """Names and versions of what is installed; None unless all is there."""
        try:
            return {name: version(name) for name in self.distributions}
        except PackageNotFoundError:
            return None

    def name_of(self, measure):
        """Return the tool's name of a measure, None where it lacks it."""
        base, at, k = measure.partition("@")
        name = self.names.get(base + at)
        return name.format(k) if isinstance(name, str) else name and partial(name, k=k)

    def has(self, shape, measure):
        """Tell whether the tool has the measure, for such data."""
        return self.name_of(measure) is not None

    def same_number(self, shape, measure):
        """Return the arguments that give the tool's number; None: nothing does."""
        base = measure.partition("@")[0]
        if base in self.differs or (shape.tied and base not in self.ties):
            return None
        return irm.metrics.preset(self.preset, measure) | self.arguments.get(base, {})

    def prepare(self, shape):
        """Return the data as the tool wants them."""
        raise NotImplementedError

    def evaluation(self, prepared, measures):
        """Return a function that computes the measures."""
        raise NotImplementedError

    def means(self, result, measures):
        """Return what the function returned as one number for each measure."""
        raise NotImplementedError


class Ours(Tool):
    """Our package: its function for one measure, `score_queries` for more."""

    title = "sklearn_irmetrics"

    def name_of(self, measure):
        """Return the name."""
        return measure

    def prepare(self, shape):
        """Return the shape."""
        return shape

    def evaluation(self, prepared, measures, **options):
        """Return a function that computes the measures."""
        data, options = (prepared.y_true, prepared.y_score), options | prepared.options
        if len(measures) > 1:
            return lambda: irm.score_queries(*data, measures, **options)
        measure = as_measure("measure", measures[0])
        return lambda: measure(*data, **options)

    def means(self, result, measures):
        """Return one number for each measure."""
        return [result] if len(measures) == 1 else [result.mean[m] for m in measures]
