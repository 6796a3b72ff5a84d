"""pandas DataFrames."""

import numpy as np

from sklearn_irmetrics._frames._measures import refuse_empty
from sklearn_irmetrics._frames._rows import Rows, check_columns, refuse_null_ids


def score_pandas(frame, columns, measures, batch_size):
    """Return the values of all queries; rows may stand in any order."""
    check_columns(columns, frame.columns)
    refuse_empty(len(frame))
    return measures.score(rows_of(frame, columns))


def rows_of(frame, columns):
    """Return all rows of a DataFrame that is not empty."""
    taken = {parameter: frame[name] for parameter, name in columns.items()}
    ids, lengths = _ids(taken.pop("qid"))
    return Rows(ids, lengths, **taken)


def _ids(column):
    """Return ids that NumPy knows as they are, others run by run."""
    if isinstance(column.dtype, np.dtype):
        return column.to_numpy(), None
    codes, names = column.factorize()
    refuse_null_ids(column.name, int((codes < 0).sum()))
    runs = Rows(codes, None, None, codes).by_run()
    return np.asarray(names)[runs.ids], runs.lengths
