"""What a measure is called and what is known of it, and what takes measures by name."""
