"""The package as others get it: its metadata, its types, and its files."""

import hashlib
import inspect
import re
import subprocess
import sys
import tomllib
from importlib import resources
from pathlib import Path

import pytest

import sklearn_irmetrics
from oracles.places import ROOT

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def project():
    with open(ROOT / "pyproject.toml", "rb") as file:
        return tomllib.load(file)["project"]


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """Check files as a user's project would be: against what is installed."""
    pytest.importorskip("mypy")
    away = tmp_path_factory.mktemp(
        "mypy"
    )  # in the checkout mypy would check us as well
    command = sys.executable, "-m", "mypy", "--no-error-summary", "--strict"

    def check(path):
        checked = subprocess.run(
            [*command, "--ignore-missing-imports", str(path)],
            capture_output=True,
            text=True,
            cwd=away,
        )
        assert checked.stderr == ""
        return checked.stdout.splitlines()

    return check


def test_what_users_write_passes_the_strictest_check(mypy):
    assert mypy(HERE / "typed_usage.py") == []


def test_mistakes_are_found_where_they_are(mypy):
    path = HERE / "typed_mistakes.py"
    expected = {
        number: line.rpartition("# ")[2]
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if "  # " in line
    }
    found = {}
    for line in mypy(path):
        if match := re.search(r":(\d+): error: .*\[(.*)\]$", line):
            found.setdefault(int(match[1]), match[2])
    assert found == expected


def test_types_are_shipped():
    assert (resources.files(sklearn_irmetrics) / "py.typed").is_file()


@pytest.mark.parametrize("name", sorted(sklearn_irmetrics.__all__))
def test_every_parameter_of_the_public_functions_is_annotated(name):
    function = getattr(sklearn_irmetrics, name)
    if not callable(function) or not function.__module__.startswith("sklearn_irm"):
        pytest.skip("not a function of this package")
    if isinstance(function, type):
        function = function.__init__
    parameters = inspect.signature(function).parameters.values()
    bare = [p.name for p in parameters if p.annotation is p.empty]
    assert set(bare) <= {"self"}


def test_the_oldest_versions_are_the_ones_that_are_tested(project):
    script = (ROOT / ".ci" / "run").read_text()
    extras = project["optional-dependencies"]
    requirements = project["dependencies"] + sum(
        (extras[extra] for extra in ("plot", "frames", "rankers")), []
    )
    for requirement in requirements:
        name, version = requirement.partition(";")[0].split(">=")
        if name not in ("pyspark", "xgboost"):  # not on every machine
            wanted = re.escape(f"{name}=={version}")
            assert re.search(rf"(?<![\w-]){wanted}(\.\d+)*\b", script), requirement


def test_python_versions_agree(project):
    oldest = project["requires-python"].removeprefix(">=")
    listed = [
        classifier.rpartition(" ")[2]
        for classifier in project["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", classifier)
    ]
    assert listed[0] == oldest
    minors = [int(version.partition(".")[2]) for version in listed]
    assert minors == list(range(minors[0], minors[-1] + 1))


def test_workflows_run_the_scripts_on_every_python(project):
    folder = ROOT / ".github" / "workflows"
    if not folder.is_dir():
        pytest.skip("a source distribution has no workflows")
    text = "\n".join(path.read_text() for path in sorted(folder.iterdir()))
    for command in ".ci/run", ".ci/nightly", "python -m build", "pytest -n 2":
        assert re.search(rf"- run: {re.escape(command)}$", text, re.MULTILINE)
    (tested,) = re.findall(r"^ +python: \[(.*)\]$", text, re.MULTILINE)
    prefix = "Programming Language :: Python :: 3."
    for classifier in project["classifiers"]:
        if classifier.startswith(prefix):
            assert f'"3.{classifier.removeprefix(prefix)}"' in tested
    oldest, *_, newest = re.findall(r'"(.*?)"', tested)
    both = f"python-version: |\n            {oldest}\n            {newest}\n"
    assert both in text  # for .ci/run


RESULTS = """<testsuites><testsuite>
<testcase classname="tests.core.test_ids" name="test_passes" />
{}</testsuite></testsuites>"""
FAILED = """<testcase classname="tests.core.test_ids" name="test_{}[1]">
<failure message="assert" /></testcase>
"""


def test_a_nightly_run_says_what_changed(tmp_path):
    state, versions, results = (tmp_path / name for name in ("state", "v", "r.xml"))

    def run(libraries, *failing):
        versions.write_text("".join(f"{line}\n" for line in libraries))
        results.write_text(RESULTS.format("".join(map(FAILED.format, failing))))
        command = [sys.executable, ROOT / ".ci" / "changes", state, versions, results]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.strip().splitlines()

    assert run(["numpy==2.4.5", "scipy==1.17.1", "joblib==1.6"])[0].startswith(
        "No earl"
    )
    test = "tests.core.test_ids::test_{}[1]".format
    expected = [
        "Libraries that changed since every test passed: 3",
        "- joblib 1.6 -> absent",
        "- numpy 2.4.5 -> 2.5.0rc1",
        "- tqdm was absent -> 4.7",
        "",
        "Tests that newly fail: 1",
        f"- {test('one')}",
        "",
        "Tests that failed before, too: 0",
        "",
        "Tests that no longer fail: 0",
    ]
    libraries = ["numpy==2.5.0rc1", "scipy==1.17.1", "tqdm==4.7"]
    assert run(libraries, "one") == expected
    # The next night compares with the last run in which every test passed.
    again = run(libraries, "one", "two")
    assert again[:4] == expected[:4]
    assert again[5:9] == [expected[5], f"- {test('two')}", "", expected[8][:-1] + "1"]
    assert run(libraries)[-3:] == ["Tests that no longer fail: 2"] + [
        f"- {test(name)}" for name in ("one", "two")
    ]
    assert run(libraries)[0] == expected[0][:-1] + "0"


def test_the_conda_recipe_agrees_with_the_metadata(project):
    recipe = ROOT / "recipe" / "recipe.yaml"
    if not recipe.is_file():
        pytest.skip("a source distribution has no recipe")
    text = recipe.read_text()
    (needed,) = re.findall(r"^  run:\n((?:    - .*\n)+)", text, re.MULTILINE)
    python, *others = re.findall(r"- (.*)", needed)
    assert python == "python >=${{ python_min }}"
    assert others == [name.replace(">=", " >=") for name in project["dependencies"]]
    assert f'python_min: "{project["requires-python"].removeprefix(">=")}"' in text
    assert f'version: "{sklearn_irmetrics.__version__}"' in text
    ((command, function),) = project["scripts"].items()
    assert f"- {command} = {function}\n" in text
    assert f"summary: {project['description']}\n" in text
    assert f"license: {project['license']}\n" in text
    (license_file,) = project["license-files"]
    assert f"license_file: {license_file}\n" in text
    assert (ROOT / license_file).is_file()


def make_recipe(*arguments):
    if not (ROOT / "recipe").is_dir():
        pytest.skip("a source distribution has no recipe")
    command = [sys.executable, ROOT / ".ci" / "recipe", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8")


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / f"sklearn_irmetrics-{sklearn_irmetrics.__version__}.tar.gz"
    path.write_bytes(b"as it was published")
    return path


def test_the_conda_recipe_of_a_release_names_what_was_published(archive):
    home = "https://example.org"
    people = ["--maintainer", "one", "--maintainer", "two"]
    address = f"{home}/{archive.name}"
    done = make_recipe(archive, "--url", address, "--homepage", home, *people)
    assert done.stderr == ""
    assert "<" not in done.stdout
    assert f"  url: {home}/sklearn_irmetrics-${{{{ version }}}}.tar.gz\n" in done.stdout
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert f"  sha256: {digest}\n" in done.stdout
    assert f"  homepage: {home}\n" in done.stdout
    assert "  recipe-maintainers:\n    - one\n    - two\n" in done.stdout


def test_a_conda_recipe_can_be_tried_without_a_release(archive):
    done = make_recipe(archive)
    assert "conda-forge also wants --homepage and --maintainer" in done.stderr
    assert "  url: file://" in done.stdout
    assert "homepage" not in done.stdout


def test_the_archive_of_a_conda_recipe_is_of_its_version(archive):
    other = archive.rename(archive.with_name("sklearn_irmetrics-9.9.tar.gz"))
    done = make_recipe(other)
    assert done.returncode == 2
    assert f"ARCHIVE must end in {archive.name}" in done.stderr


def test_the_citation_names_this_package(project):
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    fields = dict(re.findall(r"^([a-z-]+): *\"?(.*?)\"?$", text, re.MULTILINE))
    assert fields["title"].startswith("sklearn_irmetrics")
    assert fields["version"] == sklearn_irmetrics.__version__
    assert fields["license"] == project["license"]
    people = re.findall(r'^  - name: "(.*)"$', text, re.MULTILINE)
    assert people == [one["name"] for one in project["authors"]]


def test_classifiers_exist(project):
    known = pytest.importorskip("trove_classifiers")
    assert set(project["classifiers"]) <= known.classifiers
    assert not set(project["classifiers"]) & known.deprecated_classifiers.keys()


def test_the_changelog_begins_with_this_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first, date = re.search(r"^## \[(.*?)\](?: - (.*))?$", text, re.MULTILINE).groups()
    if first != "Unreleased":
        assert first == sklearn_irmetrics.__version__
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", date)
