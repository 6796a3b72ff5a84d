"""Names and properties of measures, and functions that take measures by name."""
