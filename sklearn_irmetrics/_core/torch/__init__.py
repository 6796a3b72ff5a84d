"""The functions of `arrays`, `blocks` and `queries`, for torch tensors."""
