"""Results that are shown as tables, can be drawn, or hold several results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from sklearn_irmetrics._checks import check_flag, check_text
from sklearn_irmetrics._results.files import check_target, write
from sklearn_irmetrics._results.markup import write_html, write_latex, write_markdown
from sklearn_irmetrics._results.portable import Portable
from sklearn_irmetrics._results.tables import (
    Cell,
    Column,
    Table,
    about_each,
    choose_columns,
    join_columns,
    make_frame,
    make_short_table,
    make_table,
    set_decimals,
    show_columns,
    write_csv,
    write_text,
)
from sklearn_irmetrics._typing import Target

if TYPE_CHECKING:
    from pandas import DataFrame

    from sklearn_irmetrics.plot import EvaluationDisplay

_Result = TypeVar("_Result", bound="Tabular")


class Printed:
    """A result that is shown as a table, as text and in notebooks.

    A class defines `_table` and, if it needs them, `_notes` and `_details`.
    """

    def _table(self) -> Table:
        raise NotImplementedError

    def _notes(self) -> Sequence[str]:
        """Return the lines below the table, which everybody should read."""
        return []

    def _details(self) -> Sequence[str]:
        """Return the sentences that say how the result was computed."""
        return []

    @property
    def notes(self) -> tuple[str, ...]:
        """How the result was computed: sentences, which ``print`` leaves out."""
        return tuple(self._details())

    def to_text(self, *, details: bool = False) -> str:
        """Return the table as text, as ``print`` shows it.

        Parameters
        ----------
        details : bool, default=False
            Whether to append `notes`, which say how the result was computed.

        Returns
        -------
        str
        """
        return write_text(self._table(), details=check_flag("details", details))

    def __repr__(self):
        """Show the table."""
        return self.to_text()

    def _repr_html_(self):
        return write_html(self._table())


class Rows(Printed):
    """A result with a row per query, rank or point, of which the ends are shown.

    A class defines `_arrays`, the columns of its data frame by name, and `_title`.
    """

    def _arrays(self) -> dict[str, Any]:
        raise NotImplementedError

    def _title(self) -> str:
        raise NotImplementedError

    def _table(self) -> Table:
        return make_short_table(
            self._arrays(), self._title(), self._notes(), self._details()
        )


class Tabular(Printed, Portable):
    """A result that is a list of columns, with lines above and below them.

    A class defines `_columns`, `_title` and, if it needs them, `_notes`, `_details` and
    `_marks`.
    Text, HTML, LaTeX and Markdown show the columns that are to be shown; data frames
    and CSV have all in full precision.
    """

    def _columns(self) -> Sequence[Column]:
        raise NotImplementedError

    def _title(self) -> Sequence[str | Sequence[Cell]]:
        """Return the lines above the table."""
        return []

    def _marks(self) -> dict[str, str]:
        """Return the meanings of the marks of numbers."""
        return {}

    def _table(self) -> Table:
        return make_table(
            self._columns(),
            self._title(),
            self._notes(),
            self._marks(),
            details=self._details(),
        )

    def _data(self) -> Sequence[tuple[str, Any]]:
        """Return the columns of data frames and CSV by name."""
        return [named for column in self._columns() for named in column.data()]

    def to_frame(self) -> DataFrame:
        """Return the rows in full precision as a pandas.DataFrame.

        The index holds what names the rows, such as query ids, if anything does.
        """
        return make_frame(self._columns())

    def _exported(self) -> Sequence[Column]:
        """Return the columns that a paper may show; by default, those it should."""
        columns, n_shown = [], 0
        for column in self._columns():
            n_shown += column.shown
            columns.append(column._replace(shown=column.shown and n_shown <= 5))
        return columns

    def _caption(self) -> str | Sequence[Cell]:
        """Return the line above tables in papers."""
        return next(iter(self._table().title), "")

    def _footnotes(self) -> Sequence[str]:
        """Return the lines below tables in papers."""
        return self._table().notes

    def _export(self, columns: Sequence[str] | None, digits: int | None) -> Table:
        """Return the table for papers: the named columns, or those it should show."""
        chosen = choose_columns(self._exported(), columns)
        table = replace(
            show_columns(self._table(), chosen),
            title=[self._caption()],
            notes=self._footnotes(),
        )
        return set_decimals(table, digits)

    def to_latex(
        self,
        *,
        columns: Sequence[str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        digits: int | None = None,
        decimal_align: bool = False,
        environment: bool = True,
    ) -> str:
        r"""Return a table for LaTeX, in the style of the package booktabs.

        The best value is in bold, ``$\downarrow$`` stands after measures of which
        smaller values are better, and notes below explain the marks.

        Parameters
        ----------
        columns : list of str or None, default=None
            Columns to show, by their names in `to_frame()` (for both ends of an
            interval, one of them) or in the printed table. None: at most five.
        caption, label : str or None, default=None
            LaTeX code of the caption and the label, "" for none. None: the subject of
            the table, and ``tab:`` with its words.
        digits : int or None, default=None
            Number of decimals of values and intervals, not of p-values and counts.
            None: as in the printed table.
        decimal_align : bool, default=False
            Whether to align decimal points with the package siunitx (version 3).
        environment : bool, default=True
            Whether to return a ``table`` that floats, with caption, label and notes;
            False: the ``tabular`` alone.

        Returns
        -------
        str

        Raises
        ------
        TypeError, ValueError
            If a column is unknown, or an argument breaks the rules above.

        Examples
        --------
        >>> from sklearn_irmetrics import score_queries
        >>> scores = score_queries([1, 0, 2], [3, 1, 2], ["p@1", "ndcg"])
        >>> print(scores.to_latex(caption="One query.", label="tab:one"))
        \begin{table}
          \centering
          \caption{One query.}
          \label{tab:one}
          \begin{tabular}{lrr}
            \toprule
            Measure & Mean & Queries \\
            \midrule
            p@1 & 1.000 & 1 \\
            ndcg & 0.860 & 1 \\
            \bottomrule
          \end{tabular}
        \end{table}
        """
        check_text("caption", caption)
        check_text("label", label)
        return write_latex(
            self._export(columns, digits),
            caption=caption,
            label=label,
            decimal_align=check_flag("decimal_align", decimal_align),
            environment=check_flag("environment", environment),
        )

    def to_markdown(
        self,
        *,
        columns: Sequence[str] | None = None,
        caption: str | None = None,
        digits: int | None = None,
    ) -> str:
        """Return a table for Markdown, with the marks of `to_latex`.

        Parameters
        ----------
        columns : list of str or None, default=None
            Columns to show, by their names in `to_frame()` (for both ends of an
            interval, one of them) or in the printed table. None: at most five.
        caption : str or None, default=None
            Markdown above the table, "" for none. None: the subject, in bold.
        digits : int or None, default=None
            Number of decimals of values and intervals, not of p-values and counts.
            None: as in the printed table.

        Returns
        -------
        str

        Raises
        ------
        TypeError, ValueError
            If a column is unknown, or an argument breaks the rules above.

        Examples
        --------
        >>> from sklearn_irmetrics import score_queries
        >>> print(score_queries([1, 0, 2], [3, 1, 2], ["p@1", "ndcg"]).to_markdown())
        **1 query**
        <BLANKLINE>
        | measure |  mean | queries |
        | :------ | ----: | ------: |
        | p@1     | 1.000 |       1 |
        | ndcg    | 0.860 |       1 |
        """
        check_text("caption", caption)
        return write_markdown(self._export(columns, digits), caption=caption)

    def to_html(
        self,
        *,
        columns: Sequence[str] | None = None,
        caption: str | None = None,
        digits: int | None = None,
    ) -> str:
        """Return a table for a page, as notebooks show it.

        It sets no colours, so it suits light and dark pages; how it was computed is
        folded away below it.

        Parameters
        ----------
        columns : list of str or None, default=None
            Columns to show, by their names in `to_frame()` (for both ends of an
            interval, one of them) or in the printed table. None: those of the latter.
        caption : str or None, default=None
            Text of the caption, "" for none. None: the lines above the printed table.
        digits : int or None, default=None
            Number of decimals of values and intervals, not of p-values and counts.
            None: as in the printed table.

        Returns
        -------
        str

        Raises
        ------
        TypeError, ValueError
            If a column is unknown, or an argument breaks the rules above.
        """
        check_text("caption", caption)
        table = self._table()
        if columns is not None:
            table = show_columns(table, choose_columns(self._exported(), columns))
        return write_html(set_decimals(table, digits), caption=caption)

    def _repr_html_(self):
        return self.to_html()

    def to_csv(self, path: Target | None = None) -> str | None:
        """Write the rows and columns of `to_frame()` as CSV, without pandas.

        Parameters
        ----------
        path : str, path or file object, default=None
            Where to write, in UTF-8; file objects may be of text or of bytes. A file
            appears (or is replaced) only when it is complete. None: return the text
            instead.

        Returns
        -------
        str or None
            The text if `path` is None. Numbers have full precision; undefined ones are
            empty cells. Text that a spreadsheet could read as a formula, or that begins
            with a single quote, gets a single quote in front.

        Raises
        ------
        TypeError, ValueError
            If `path` is none of these, or two columns have the same name.
        OSError
            If it cannot be written; an existing file is then unchanged.

        Examples
        --------
        >>> from sklearn_irmetrics import score_queries
        >>> scores = score_queries([1, 0, 2], [3, 1, 2], "ndcg", qid=["a", "a", "b"])
        >>> print(scores.to_csv())
        qid,ndcg
        a,1.0
        b,1.0
        <BLANKLINE>
        """
        check_target(path)
        names, columns = zip(*self._data(), strict=True)
        shown = [*map(str, names)]
        if twice := [name for name in shown if shown.count(name) > 1]:
            raise ValueError(
                "to_csv() needs a different name for each column; two are called "
                f"{twice[0]!r}. Give the measure another label."
            )
        return write(write_csv(names, zip(*columns, strict=True)), path)


class Drawable(Tabular):
    """A table of estimates or differences, which can be drawn with their intervals."""

    def plot(self, **kwargs: Any) -> EvaluationDisplay:
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


class Evaluated(Drawable):
    """What `evaluate` found of one model, as comparisons and plots recognise it."""


class Several(Tabular, Mapping[str, _Result]):
    """Results by name: a dataclass whose first field holds them.

    Its columns are theirs, one below the other, after one with their names. `by` is the
    name of that one, which replaces theirs of this name.
    """

    by = "name"

    # Like all results, equal only to themselves; a Mapping could not be hashed.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def _each(self) -> dict[str, _Result]:
        results: dict[str, _Result] = getattr(self, fields(self)[0].name)
        return results

    def _columns(self) -> Sequence[Column]:
        return self._join([result._columns() for result in self.values()])

    def _details(self) -> Sequence[str]:
        return about_each({name: result._details() for name, result in self.items()})

    def _join(self, parts: Sequence[Sequence[Column]]) -> list[Column]:
        """Return the rows of each result, one below the other, with its name."""
        n_rows = [len(columns[0].values) for columns in parts]
        named = zip(self, n_rows, strict=True)
        names = [name for name, n in named for _ in range(n)]
        joined = map(join_columns, zip(*parts, strict=True))
        others = [column for column in joined if column.name != self.by]
        return [Column(self.by, names), *others]

    def __getitem__(self, name: str) -> _Result:
        return self._each[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._each)

    def __len__(self) -> int:
        return len(self._each)
