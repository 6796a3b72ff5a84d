"""Entry point of `python -m sklearn_irmetrics`."""

import sys

from sklearn_irmetrics._cli import main

if __name__ == "__main__":
    sys.exit(main())
