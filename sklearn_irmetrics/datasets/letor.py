"""Reader of learning-to-rank files in svmlight format."""

from __future__ import annotations

import bz2
import gzip
import os
import zlib
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike
from sklearn.datasets import load_svmlight_files
from sklearn.utils import Bunch

from sklearn_irmetrics._checks import check_count, check_flag
from sklearn_irmetrics._results.tables import visible

_MOST = 2**31 - 1  # columns
_OPENERS = {".gz": gzip.open, ".bz2": bz2.open}


def load_letor(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    n_features: int | None = None,
    zero_based: bool | Literal["auto"] = "auto",
    dtype: DTypeLike | None = None,
    sparse: bool = False,
) -> Any:
    r"""Load learning-to-rank data: grades, query ids, features and comments.

    The format is that of LETOR (MQ2007), MSLR-WEB10K and 30K, Yahoo! LTRC and
    Istella, svmlight with a query id on every line::

        <grade> qid:<query> <feature>:<value> ... # comment

    Where no line has a query id, as in LightGBM's and XGBoost's data, the sizes of the
    queries, one on each line, are read from the file beside it whose name ends in
    ``.query`` or ``.group``, such as ``rank.train.query``.

    Parameters
    ----------
    path : str, path-like, or list of these
        One file, or several that belong together, say training, validation and
        test part. Names that end in ``.gz`` or ``.bz2`` are decompressed.
    n_features : int, default=None
        The number of features. ``None``: the largest feature number found, in
        whichever of the files it stands, so that all of them get as many columns.
    zero_based : bool or "auto", default="auto"
        Whether features are numbered from 0 or from 1; ``"auto"`` takes them as
        numbered from 1 unless some file has a feature 0.
    dtype : dtype, default=None
        Type of ``data``; ``None`` is float64.
    sparse : bool, default=False
        Whether ``data`` is a CSR matrix, where a feature that a line leaves out is
        absent, or a dense array, where it is 0. Learners such as XGBoost take absent
        entries as missing values.

    Returns
    -------
    bunch : :class:`~sklearn.utils.Bunch`, or a list of them if ``path`` is a list
        One for each file, in the order given, with the attributes

        data : {ndarray, CSR} of shape (n_samples, n_features)
            The features.
        target : ndarray of shape (n_samples,)
            The grades, as floats.
        qid : ndarray of shape (n_samples,)
            The query of each row, an integer; 0, 1, ... with a file of sizes.
        comments : ndarray of shape (n_samples,), dtype object
            What stands after ``#``, usually the document id; ``""`` without any.

    Raises
    ------
    ValueError
        If a file has no rows, a line is not in this format, a file has more features
        than ``n_features``, or sizes do not add up to its rows. The message names file
        and line.
    OSError
        If a file cannot be read.

    See Also
    --------
    sklearn.datasets.load_svmlight_file : The parser underneath.

    Notes
    -----
    scikit-learn's own ``query_id=True`` takes time quadratic in the number of rows
    and drops the comments; here both are read along with the features.

    References
    ----------
    T. Qin, T.-Y. Liu, "Introducing LETOR 4.0 Datasets", 2013, arXiv:1306.2597.

    Examples
    --------
    >>> import os, tempfile
    >>> from sklearn_irmetrics.datasets import load_letor
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "train.txt")
    ...     with open(path, "w") as file:
    ...         _ = file.write("2 qid:7 1:0.5 2:1 # doc-a\n0 qid:7 2:0.25 # doc-b\n")
    ...     train = load_letor(path)
    >>> train.data
    array([[0.5 , 1.  ],
           [0.  , 0.25]])
    >>> train.target, train.qid, train.comments
    (array([2., 0.]), array([7, 7]), array(['doc-a', 'doc-b'], dtype=object))
    """
    check_flag("sparse", sparse)
    if n_features is not None:
        check_count("n_features", n_features, 1, _MOST)
    _check_dtype(dtype)
    single = isinstance(path, str | os.PathLike)
    paths: Any = [path] if single else path
    if not paths or not isinstance(paths, list | tuple):
        raise TypeError(f"path must be a path or a list of paths; got {path!r}.")
    files = [_File(p) for p in paths]
    parts = _parse(files, n_features=n_features, zero_based=zero_based, dtype=dtype)
    bunches = [
        Bunch(
            data=data if sparse else data.toarray(),
            target=target,
            qid=np.array(file.qid, dtype=np.int64),
            comments=np.array(file.comments, dtype=object),
        )
        for file, data, target in zip(files, parts[::2], parts[1::2], strict=True)
    ]
    return bunches[0] if single else bunches


def _check_dtype(dtype):
    try:
        if np.dtype(dtype).kind in "biuf":
            return
    except TypeError:
        pass
    raise TypeError(f"dtype must be a type of real numbers; got {dtype!r}.")


def _parse(files, *, n_features, zero_based, dtype):
    """Features and grades of every file, alternating."""
    try:
        # query_id=True appends to an array once per row, quadratic in their number:
        # the ids are taken from the lines as they pass by.
        parts = load_svmlight_files(
            files, n_features=n_features, zero_based=zero_based, dtype=np.dtype(dtype)
        )
    except (ValueError, OverflowError, EOFError, OSError, zlib.error) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # it cannot be read
        where = next(
            (file.describe() for file in files if file.reading),
            ", ".join(file.name for file in files),
        )
        raise ValueError(f"{where}: {error}") from error
    for file in files:
        if not file.comments:
            raise ValueError(f"{file.name}: expected at least one row; got none.")
        if not file.qid:
            file.qid = _number_queries(file.sizes, len(file.comments))
        elif len(file.qid) < len(file.comments):
            raise ValueError(f"{file.name}: expected a qid on every line or on none.")
    return parts


def _number_queries(path, n_rows):
    """Return the query of each row by a file of numbers of rows."""
    try:
        sizes = np.loadtxt(path, dtype=np.int64, ndmin=1)
    except ValueError as error:
        raise ValueError(f"{visible(str(path))}: {error}") from error
    if sizes.ndim > 1 or (sizes < 1).any() or sizes.sum() != n_rows:
        raise ValueError(
            f"{visible(str(path))}: expected the number of rows of each query, a "
            f"positive integer on each line, {n_rows} in all; got {sizes.sum()}, the "
            f"least of them {sizes.min(initial=n_rows)}."
        )
    return np.repeat(np.arange(len(sizes)), sizes)


class _File:
    """The lines of one file; ids and comments are kept as they pass by."""

    read = None  # what has it is taken for an open file, and iterated over

    def __init__(self, path):
        self.path = Path(path)
        self.name = visible(str(self.path))
        self.line_number = 0
        self.line = b""
        self.reading = False
        self.qid = array("q")
        self.comments = []
        beside = (Path(f"{self.path}{ending}") for ending in (".query", ".group"))
        self.sizes = next(filter(Path.exists, beside), None)

    def __iter__(self):
        self.reading = True
        with _OPENERS.get(self.path.suffix, open)(self.path, "rb") as lines:
            for self.line in lines:
                self.line_number += 1
                row, _, comment = self.line.partition(b"#")
                if fields := row.split(None, 2):
                    if b"_" in row:  # Python takes 1_000 for a number
                        raise ValueError("an underscore is not part of a number")
                    label, _, number = b"".join(fields[1:2]).partition(b":")
                    if label == b"qid":
                        self.qid.append(int(number))
                    elif self.sizes is None:
                        raise ValueError("no qid after the grade")
                    self.comments.append(comment.strip().decode(errors="replace"))
                    yield row
        self.reading = False

    def describe(self):
        return (
            f"{self.name}, line {self.line_number}: expected "
            "'<grade> qid:<integer> <feature>:<value> ... # comment'; "
            f"got {self.line[:60]!r}"
        )
