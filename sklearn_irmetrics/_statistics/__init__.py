"""Numbers in, numbers out: intervals and tests, which know nothing of estimators."""
