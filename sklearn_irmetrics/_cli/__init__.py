"""The command line: `irmetrics`, or `python -m sklearn_irmetrics`."""


def main(argv=None):
    """Run one command.

    Parameters
    ----------
    argv : list of str, default=None
        The arguments; those of the process by default.

    Returns
    -------
    int
        0 for success, 1 if the input cannot be used (a line on stderr explains why),
        130 if the user interrupts it. Wrong usage exits with 2, as in argparse. With
        options that begin with --fail, 1 means that the condition failed, and 2 any
        other error.
    """
    try:  # importing takes longest, and may also be interrupted
        from sklearn_irmetrics._cli.program import run

        return run(argv)
    except KeyboardInterrupt:
        return 130
