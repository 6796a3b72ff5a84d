from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data():
    """Find a file or folder of the test data, or skip: ``shared_data("hello_ltr")``."""

    def locate(name):
        path = SHARED_DATA / name
        if not path.exists():
            pytest.skip(f"the test data {name!r} is not in {SHARED_DATA}")
        return path

    return locate
