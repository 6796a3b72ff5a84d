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
        0 when all went well, 1 when the input cannot be used, which one line on
        stderr explains, 130 when the user interrupts it. Wrong usage exits with 2, as
        argparse does. Where --fail-if-worse or --fail-unless-not-worse asks a
        question, 1 is its answer, and 2 what else went wrong.
    """
    try:  # to import takes longest, and may be interrupted too
        from sklearn_irmetrics._cli.program import run

        return run(argv)
    except KeyboardInterrupt:
        return 130
