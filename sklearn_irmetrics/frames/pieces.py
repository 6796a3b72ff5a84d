"""Score tables in memory, files and streams, piece by piece."""

from sklearn_irmetrics.frames.measures import refuse_empty
from sklearn_irmetrics.frames.sources import read_pieces
from sklearn_irmetrics.reports.query_scores import concatenate, repeated_id
from sklearn_irmetrics.streaming.state import State


def collect_scores(frame, columns, measures, batch_size):
    """Return the `Scored` of all queries, in order of first appearance."""
    pieces, repeated = read_pieces(frame, columns, batch_size)
    parts, n_queries, n_checked = [], 0, 0
    for _, scored in _score_pieces(pieces, measures):
        parts.append(scored)
        n_queries += len(scored.query_ids)
        if n_queries >= 2 * n_checked:  # checks cost no more than the one at the end
            n_checked = n_queries
            _refuse_repeated([part.query_ids for part in parts], repeated)
    refuse_empty(n_queries)
    _refuse_repeated([part.query_ids for part in parts], repeated)
    return concatenate(parts, release=True)


def collect_sums(frame, columns, measures, batch_size):
    """Return the `State` of all queries, of which no more than two pieces are held.

    Of ids, only those of the first piece and of the one before are kept. Rows that are
    in no order meet them.
    """
    pieces, repeated = read_pieces(frame, columns, batch_size)
    state, known = None, []
    for rows, scored in _score_pieces(pieces, measures):
        sums = measures.sum_up(rows, scored)
        state = sums if state is None else State.merge([state, sums])
        known = [*known[:1], *known[1:][-1:], scored.query_ids]
        _refuse_repeated(known, repeated)
    refuse_empty(len(known))
    return state


def _score_pieces(pieces, measures):
    """Yield the pieces with their `Scored`; errors say from where rows are counted."""
    n_rows = 0
    for rows in pieces:
        try:
            scored = measures.score(rows)
        except (TypeError, ValueError) as error:
            error.add_note(f"Rows are counted from row {n_rows} of the frame.")
            raise
        n_rows += len(rows)
        yield rows, scored


def _refuse_repeated(ids, message):
    again = repeated_id(ids) if len(ids) > 1 else None
    if again is not None:
        raise ValueError(message.format(again))
