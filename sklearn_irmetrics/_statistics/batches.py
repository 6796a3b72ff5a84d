"""Split many draws into batches, so memory stays bounded."""

_BATCH_CELLS = 1_000_000


def batch_size(n_cells):
    """Return how many draws of so many cells to make at once."""
    return max(1, _BATCH_CELLS // n_cells)


def batches(n_draws, n_cells):
    """Yield slices of draws, each of `batch_size` or the rest."""
    size = batch_size(n_cells)
    for start in range(0, n_draws, size):
        yield slice(start, min(start + size, n_draws))
