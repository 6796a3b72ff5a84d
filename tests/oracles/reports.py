"""Reports as plain dicts, to compare them and their parts."""


def rows_of(report):
    """Return the columns of each row of a report, by measure (and slice)."""
    columns = {
        "estimate": report.estimate,
        "standard_error": report.standard_error,
        "low": {key: ends.low for key, ends in report.confidence_interval.items()},
        "high": {key: ends.high for key, ends in report.confidence_interval.items()},
        "interval": report.interval_method,
        "queries": report.n_defined,
        "undefined": report.n_undefined,
    }
    for name in ("chance", "pessimistic", "optimistic", "judged"):
        if getattr(report, name) is not None:
            columns[name] = getattr(report, name)
    return {
        key: {name: column[key] for name, column in columns.items()}
        for key in report.estimate
    }
