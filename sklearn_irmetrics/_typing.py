"""The types of what public functions take and return, by the names signatures show."""

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray


class CSR(Protocol):
    """A sparse matrix or array of SciPy in CSR form."""

    @property
    def data(self) -> Any: ...

    @property
    def indices(self) -> Any: ...

    @property
    def indptr(self) -> Any: ...


class _Readable(Protocol):
    def read(self) -> Any: ...


class _Writable(Protocol):
    def write(self, text: Any, /) -> Any: ...


class _Frame(Protocol):
    @property
    def columns(self) -> Any: ...


Array: TypeAlias = NDArray[Any]
Rankings: TypeAlias = ArrayLike | CSR
Ids: TypeAlias = ArrayLike | Sequence[Hashable]
# A value per query: by id, in the order of queries, or per row.
PerQuery: TypeAlias = Mapping[Any, Any] | Ids | None
# A float, or an array with ``average=None``. To tell type checkers which, every
# signature would stand in the code three times.
Score: TypeAlias = Any
# Rankings, or an AlignedRun; the name is bound to its grades later.
RankingsOrRun: TypeAlias = Any
# Rankings, or a dict of them by system, of which the called function hears one by one.
Systems: TypeAlias = Any

Intervals: TypeAlias = Literal["auto", "t", "bca", "betting"]
# The range of values, or that of each measure by name.
Bounds: TypeAlias = tuple[float, float] | Mapping[str, tuple[float, float]] | None

Ties: TypeAlias = Literal["average", "optimistic", "pessimistic", "stable"]
PlainTies: TypeAlias = Literal["average", "stable"]
Average: TypeAlias = Literal["macro", "geometric"] | None
AverageOrMicro: TypeAlias = Literal["macro", "micro", "geometric"] | None
AverageOfSets: TypeAlias = (
    Literal["macro", "micro", "weighted", "samples", "geometric"] | None
)
Gain: TypeAlias = (
    Literal["linear", "exponential"] | Mapping[float, float] | Callable[[Array], Any]
)
Discount: TypeAlias = (
    Literal["log", "jarvelin_kekalainen", "reciprocal"] | Callable[[Array], Any]
)
NegativeGrades: TypeAlias = Literal["raise", "clip", "keep", "minmax"]
RecallRounding: TypeAlias = Literal["ceil", "trec_eval9", "trec_eval10"]


ResponseMethod: TypeAlias = str | Sequence[str]
QueryColumn: TypeAlias = str | int | Callable[[Any], Any] | None
RandomState: TypeAlias = int | np.random.RandomState | None
Stratify: TypeAlias = (
    Literal["n_relevant", "mean", "max", "size"] | bool | Callable[..., Any] | None
)

# Of runs and judgments
Source: TypeAlias = str | os.PathLike[str] | _Readable
Target: TypeAlias = str | os.PathLike[str] | _Writable
AnyTable: TypeAlias = Mapping[Any, Any] | Iterable[Any] | _Frame
