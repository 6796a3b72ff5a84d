"""What every kernel stands on: inputs, blocks, rankings, averages."""
