"""The command line, as a person or a script uses it."""

from pathlib import Path

import pytest

from oracles.command import main


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Write files, run a command beside them; return status, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(words, *more, **files):
        for name, text in files.items():
            Path(name).write_text(text)
        try:
            status = main([*words.split(), *map(str, more)])
        except SystemExit as error:
            status = error.code
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def out(run):
    """Run a command that works; return stdout."""

    def out(words, *more, **files):
        status, stdout, stderr = run(words, *more, **files)
        assert status == 0, stderr
        return stdout

    return out
