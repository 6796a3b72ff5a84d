"""The size of blocks of tensors."""

import torch

# With more cells, blocks are no faster (measured on a CPU; on a GPU, this many keep all
# units busy).
_CPU_CELLS = 1 << 18
_GPU_CELLS = 1 << 23
_BYTES_PER_CELL = 512  # for all that thirty measures keep


def block_cells(device):
    """Return how many cells a block should have."""
    if device.type != "cuda":
        return _CPU_CELLS
    free = torch.cuda.mem_get_info(device)[0] + (
        torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    )
    return max(1, min(_GPU_CELLS, free // _BYTES_PER_CELL))
