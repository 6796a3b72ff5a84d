"""The command line, run in this process."""

from sklearn_irmetrics._cli.main import main

__all__ = ["main"]
