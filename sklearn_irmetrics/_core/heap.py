"""Free memory that stays in the process as long as a call takes."""

import numpy as np

# Arrays of 128 KiB and more come from the system, if the heap has no room for them.
_PIECE = 100_000
# What the ordering of a block and the kernels hold at once, but for many kernels.
_BYTES_PER_CELL = 96


def keep_room(n_cells):
    """Return an object that keeps free memory for a block of so many cells.

    glibc gives what is free at the end of its heap back to the system. So each block
    would get new pages, and clearing these takes longer than the block. What is free
    before something in use stays: here, before the last of some arrays that reach up to
    the end. They are never written to, so that room that nobody uses takes no memory.
    No setting changes, and without the object all goes back. Under other allocators it
    does nothing. Where memory is short there is nothing to keep: None.
    """
    n_pieces = n_cells * _BYTES_PER_CELL // _PIECE
    try:
        pieces = [np.empty(_PIECE, dtype=np.uint8) for _ in range(n_pieces)]
    except MemoryError:
        return None
    return pieces.pop() if pieces else None
