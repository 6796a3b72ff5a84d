"""Ids of queries and documents: their order in trec_eval, and each once only."""

from itertools import count

import numpy as np


def look_up(code_of, ids):
    """Return the code of each id, from a mapping, as an array."""
    return np.fromiter(map(code_of.__getitem__, ids), dtype=np.int64, count=len(ids))


def refuse_duplicates(qid, docno, name, lines=None, subtopic=None):
    """Raise if a (query, document) pair appears twice, under one subtopic if given."""
    if subtopic is not None:
        qid = list(zip(qid, subtopic, strict=True))
    # Equal pairs have equal hashes: a sort finds out whether a search is needed.
    hashes = np.fromiter(
        map(hash, zip(qid, docno, strict=True)), dtype=np.int64, count=len(qid)
    )
    hashes.sort()
    if not (hashes[1:] == hashes[:-1]).any():
        return
    first = {}
    for row, pair in enumerate(zip(qid, docno, strict=True)):
        if first.setdefault(pair, row) != row:
            where, before = name, ""
            if lines is not None:
                where = f"{name}, line {lines[row]}"
                before = f" (first in line {lines[first[pair]]})"
            of, named = "query", repr(pair[0])
            if subtopic is not None:
                of = "query and subtopic"
                named = f"{pair[0][0]!r} and subtopic {pair[0][1]!r}"
            raise ValueError(
                f"{where}: expected each document once per {of}; got document "
                f"{pair[1]!r} again for query {named}{before}."
            )


def in_trec_order(query, score, docno):
    """Order rows by query, decreasing score, decreasing document id."""
    order = np.lexsort((-score, query))
    query, score = query[order], score[order]
    same = (query[1:] == query[:-1]) & (score[1:] == score[:-1])
    if not same.any():
        return order
    tied = np.flatnonzero(np.append(same, False) | np.insert(same, 0, False))
    group = np.cumsum(np.insert(~same, 0, True))[tied]
    rows = order[tied]
    ids = docno[rows]
    place_of = dict(zip(reversed(in_byte_order(set(ids))), count()))
    order[tied] = rows[np.lexsort((look_up(place_of, ids), group))]
    return order


def ranks_in_queries(query):
    """Return ranks from 0 inside each query, whose rows are adjacent."""
    start = np.flatnonzero(np.diff(query, prepend=-1))
    return np.arange(len(query)) - np.repeat(
        start, np.diff(np.append(start, len(query)))
    )


def in_byte_order(ids):
    """Sort ids by their bytes in a file, as trec_eval compares them."""
    try:
        "\n".join(ids).encode()
    except UnicodeEncodeError:  # surrogates stand for bytes above those of their place
        return sorted(ids, key=_bytes_of)
    return sorted(ids)  # by code point, which is the byte order of UTF-8


def _bytes_of(text):
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # of no file
        return text.encode("utf-8", "surrogatepass")
