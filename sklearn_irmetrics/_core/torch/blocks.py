"""How large blocks of tensors are."""

import torch

# Beyond so many cells a block neither starts faster nor fits caches any better
# (measured on a processor; on a GPU so many keep all its units busy).
_CPU_CELLS = 1 << 18
_GPU_CELLS = 1 << 23
_BYTES_PER_CELL = 512  # of all that is kept for thirty measures at once


def block_cells(device):
    """Return how many cells a block should have."""
    if device.type != "cuda":
        return _CPU_CELLS
    free = torch.cuda.mem_get_info(device)[0] + (
        torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    )
    return max(1, min(_GPU_CELLS, free // _BYTES_PER_CELL))
