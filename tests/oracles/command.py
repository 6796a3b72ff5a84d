"""The command line, run in this process."""

from sklearn_irmetrics._cli import main

__all__ = ["main"]
