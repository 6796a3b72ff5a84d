import pytest


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pytest.importorskip("matplotlib.pyplot").close("all")
