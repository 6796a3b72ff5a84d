"""What `arrays`, `blocks` and `queries` do, for torch tensors."""
