"""From checked input to rankings with ties, and back to averages."""
