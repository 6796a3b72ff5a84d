"""Formulas only: a `Ranking` in, one value per query out, NaN where undefined."""
