"""Ticks of displays, apart since matplotlib is imported when something is drawn."""

from matplotlib.ticker import AutoLocator


class TicksUpTo(AutoLocator):
    """The usual ticks, up to a largest one."""

    def __init__(self, last):
        super().__init__()
        self.last = last

    def __call__(self):
        """Return the ticks of the present limits."""
        ticks = super().__call__()
        return ticks[ticks <= self.last + 1e-9 * abs(self.last)]
