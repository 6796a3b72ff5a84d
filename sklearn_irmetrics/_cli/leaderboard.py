"""The command `leaderboard`: rank runs."""

import os
from argparse import Namespace
from dataclasses import replace

from sklearn_irmetrics._cli.lines import lines_of
from sklearn_irmetrics._cli.options import COMPARED, refuse_options
from sklearn_irmetrics._cli.output import fail, write_results
from sklearn_irmetrics._cli.scored_runs import find_run, on_common_queries, read_runs


def run_leaderboard(args):
    """Rank runs, with intervals of their means and ranks.

    For several data sets, pass folders. Each holds its judgments, in a file whose name
    begins with qrels, and one file per run, which has the same name in all folders.

    For example:
      irmetrics leaderboard qrels.txt a.run b.run c.run -m ndcg@10
      irmetrics leaderboard qrels.txt a.run b.run --fail-unless-first b.run
      irmetrics leaderboard nq hotpotqa fever --over datasets
    """
    lines = lines_of(args, COMPARED)
    runs, results = _read_results(args, lines)
    first, baseline = args.fail_unless_first, args.baseline
    if first is not None:
        first = find_run(args, "--fail-unless-first", first, runs)
    if baseline is not None:
        baseline = find_run(args, "-b/--baseline", baseline, runs)
    from sklearn_irmetrics.comparison import leaderboard

    names = [line.label for line in lines]
    try:
        board = leaderboard(
            results,
            metric=names if len(names) > 1 else names[0],
            over=args.over,
            missing="drop-system" if args.drop_incomplete else "raise",
            baseline=baseline,
            confidence_level=args.confidence,
            random_state=args.seed,
        )
    except ValueError as error:
        message = str(error).replace("missing='drop-system'", "--drop-incomplete")
        raise ValueError(message) from error
    boards = board.values() if len(names) > 1 else [board]
    for name, metric_board in zip(names, boards, strict=True):
        if first is not None and first not in metric_board.best:
            fail(args, f"{name}: {first} is shown to be worse than another run")
    return write_results({None: board}, args.format)


def _read_results(args, lines):
    """Return the runs, and their scores by name, or by data set and name."""
    if os.path.isdir(args.qrels):
        datasets = {
            name: _read_folder(args, lines, name, path)
            for name, path in _name_folders(args).items()
        }
        results = {name: on_common_queries(runs) for name, runs in datasets.items()}
        return next(iter(datasets.values())), results
    if len(args.runs) < 2:
        args.parser.error("the following arguments are required: a second RUN")
    refuse_options(args, ["drop_incomplete"], "without folders")
    runs = read_runs(args, lines)
    return runs, on_common_queries(runs)


def _name_folders(args):
    """Return folders by name, or by path if names are not unique."""
    paths = [os.path.normpath(path) for path in (args.qrels, *args.runs)]
    real = list(map(os.path.realpath, paths))
    for path, folder in zip(paths, real, strict=True):
        if real.count(folder) > 1:
            args.parser.error(f"folders must differ; got {path!r} twice")
    named = {os.path.basename(path): path for path in paths}
    return named if len(named) == len(paths) else {path: path for path in paths}


def _read_folder(args, lines, key, path):
    """Return the runs of one data set, named after their files."""
    files = sorted(entry.name for entry in os.scandir(path) if entry.is_file())
    files = [name for name in files if not name.startswith(".")]
    qrels = [name for name in files if name.startswith("qrels")]
    if len(qrels) != 1:
        raise ValueError(
            f"{path}: a data set needs one file of judgments, whose name begins with "
            f"qrels; got {len(qrels)}"
        )
    if len(files) == 1:
        raise ValueError(f"{path}: a data set needs a file for each run; got none")
    paths = {
        "qrels": os.path.join(path, qrels[0]),
        "runs": [os.path.join(path, name) for name in files if name not in qrels],
    }
    runs = read_runs(Namespace(**{**vars(args), **paths}), lines, f"{key}: ")
    return [replace(run, name=os.path.basename(run.path)) for run in runs]
