"""The twins of `arrays`, `blocks` and `queries` for torch tensors."""
