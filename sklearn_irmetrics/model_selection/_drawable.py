"""Results that can be drawn, and collections of several results."""

from collections.abc import Iterator, Mapping
from dataclasses import Field, fields
from typing import Any, ClassVar, TypeVar

from sklearn_irmetrics._measures.tabular import Tabular

_Result = TypeVar("_Result")


class Drawable(Tabular):
    """A table of estimates or differences, which can be drawn with their intervals."""

    def plot(self, **kwargs: Any) -> Any:
        """Draw the table with its intervals; needs matplotlib.

        Parameters
        ----------
        **kwargs
            Passed to :meth:`sklearn_irmetrics.plot.EvaluationDisplay.from_results`,
            such as `metric` where there are several.

        Returns
        -------
        sklearn_irmetrics.plot.EvaluationDisplay
        """
        from sklearn_irmetrics.plot import EvaluationDisplay

        return EvaluationDisplay.from_results(self, **kwargs)


class Several(Mapping[str, _Result]):
    """Results by name: a dataclass whose first field holds them."""

    # Like all results, equal only to themselves; a Mapping could not be hashed.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def _each(self) -> dict[str, _Result]:
        found: dict[str, _Result] = getattr(self, fields(self)[0].name)
        return found

    def __getitem__(self, name: str) -> _Result:
        return self._each[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._each)

    def __len__(self) -> int:
        return len(self._each)
