"""The results of `evaluate` for several estimators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sklearn_irmetrics._tables import Table, about_each, count, import_pandas, mark_best
from sklearn_irmetrics.model_selection._compare import compare
from sklearn_irmetrics.model_selection._drawable import Drawable, Several
from sklearn_irmetrics.model_selection._results import EvaluationResult, name_intervals

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationResults(Drawable, Several[EvaluationResult]):
    """How good several models are, on the same splits.

    A read-only mapping: ``results["ridge"]`` is the :class:`EvaluationResult` of the
    estimator of that name.

    Attributes
    ----------
    results : dict of str to EvaluationResult
        The result of each estimator.
    """

    results: dict[str, EvaluationResult]

    def to_frame(self) -> DataFrame:
        """Return the estimates as a table.

        Returns
        -------
        pandas.DataFrame
            One row per measure and estimator, with the columns of
            :meth:`EvaluationResult.to_frame`.
        """
        pd = import_pandas()
        return pd.DataFrame(dict(self._data())).set_index(["measure", "estimator"])

    def compare(self, **kwargs: Any) -> Any:
        """Test which estimator is better, and which differences may be chance.

        Parameters
        ----------
        **kwargs
            Passed to :func:`compare`.

        Returns
        -------
        ComparisonResult or ComparisonResults
        """
        return compare(self, **kwargs)

    def _table(self):
        tables = {name: one._whole_table() for name, one in self.items()}
        first = next(iter(tables.values()))
        cells = {}
        for name, table in tables.items():
            for measure, *rest in table.rows:
                cells.setdefault(measure, []).append([name, *rest])
        rows = []
        for measure, of_estimators in cells.items():
            best = mark_best([estimate for _, estimate, *_ in of_estimators], True)
            for (name, _, *rest), estimate in zip(of_estimators, best, strict=True):
                rows.append((measure, name, estimate, *rest))
        one = next(iter(self.values()))
        many = f"{count(len(self), 'estimator')}, {one._method_text()}"
        notes = dict.fromkeys(n for table in tables.values() for n in table.notes)
        whole = Table(
            [many, *about_each({name: one.title[1:] for name, one in tables.items()})],
            (first.header[0], "estimator", *first.header[1:]),
            rows,
            f"{first.sides[0]}<{first.sides[1:]}",
            list(notes),
        )
        return name_intervals(whole)

    def _data(self):
        columns = {name: dict(one._data()) for name, one in self.items()}
        measures = dict.fromkeys(m for own in columns.values() for m in own["measure"])
        places = [
            (own, name, own["measure"].index(measure))
            for measure in measures
            for name, own in columns.items()
            if measure in own["measure"]
        ]
        first, *others = next(iter(columns.values()))
        return [
            (first, [own[first][i] for own, _, i in places]),
            ("estimator", [name for _, name, _ in places]),
            *((key, [own[key][i] for own, _, i in places]) for key in others),
        ]
