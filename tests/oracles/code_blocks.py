"""Blocks of code in pages and docstrings, in the order in which a reader meets them."""

import ast
import doctest
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import tomllib
from collections import Counter
from dataclasses import dataclass

from oracles.command import main
from oracles.places import ROOT

DIRECTIVE = re.compile(
    r"[\s*-]*\.\. (?:(?:code-block|code|sourcecode):: *(\w+)|parsed-literal::)$"
)
# The build of the documentation runs the scripts of pictures.
OTHER = re.compile(
    r"\s*\.\. (?:plot:: *$|(?:prompt|ipython|literalinclude|testcode)::)|.*<pre"
)
FENCE = re.compile(r"\s*(`{3,}|~{3,}) *(\{[\w-]+\})? *(\w*)")
PROMPTS = "pycon", "python", "doctest"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
DATA = {"bibtex", "json", "text", "toml"}  # shown, and no code
CODE = re.compile(r"\s*(>>> |\$ |import \w|from \w+ import|irmetrics |pip |python )")
# Too late for what is imported here, or not to outlive its block.
ALONE = re.compile(r"^os\.environ\[|\bSparkSession\b", re.M)
OF_SPARK = {
    "PYSPARK_PYTHON": sys.executable,
    "PYSPARK_SUBMIT_ARGS": "--master local[1] --conf spark.ui.enabled=false "
    "--conf spark.sql.shuffle.partitions=1 --conf spark.sql.codegen.wholeStage=false "
    "--driver-java-options -XX:TieredStopAtLevel=1 pyspark-shell",
    "SPARK_LOCAL_IP": "127.0.0.1",
}
# Commands of a checkout: what they name must exist; .ci/run runs them.
OF_A_CHECKOUT = {
    ".ci/run",
    "codespell",
    "mypy",
    "pre-commit",
    "pytest",
    "ruff",
    "sphinx-build",
}


@dataclass(frozen=True)
class Block:
    """A piece of code, its language as the page names it, and the line of its start."""

    language: str
    line: int
    code: str

    @property
    def reason(self):
        """Why the page itself says that it is not run, or None."""
        first = self.code.lstrip().partition("\n")[0]
        mark = re.fullmatch(r"(?:>>> )?# Not run: (\S.*)", first)
        return mark and mark[1]


def find_blocks(text, *, markdown=False, line=1):
    """Return the blocks of a page, or of a docstring, whose first line has a number."""
    find = _in_markdown if markdown else _in_rst
    return list(find(text.splitlines(), line))


def _indent(text):
    return len(text) - len(text.lstrip())


def _block(language, line, lines):
    code = textwrap.dedent("\n".join(lines)).strip("\n") + "\n"
    if language in PROMPTS and code.startswith(">>>"):
        language = "doctest"
    return Block(language, line, code)


def _in_rst(lines, first):
    at = 0
    while at < len(lines):
        line, start = lines[at], at
        at += 1
        directive = DIRECTIVE.fullmatch(line)
        literal = line.rstrip().endswith("::") and not re.match(r"\s*\.\.( |$)", line)
        if line.lstrip().startswith(">>> "):
            while at < len(lines) and lines[at].strip():
                at += 1
            yield _block("doctest", first + start, lines[start:at])
        elif directive or literal:
            margin = line.index(".. ") if directive else _indent(line)
            while at < len(lines) and (
                not lines[at].strip() or _indent(lines[at]) > margin
            ):
                at += 1
            content = lines[start + 1 : at]
            while content and (not content[0].strip() or content[0].strip()[0] == ":"):
                content = content[1:]
                start += 1
            if content:  # a paragraph may end with the sign and bring nothing
                language = directive and directive[1] or "text"
                yield _block(language, first + start + 1, content)
        elif OTHER.match(line):
            yield Block(line.strip(), first + start, line)


def _in_markdown(lines, first):
    at = 0
    while at < len(lines):
        opening = FENCE.match(lines[at])
        at += 1
        if not opening:
            continue
        start = at
        fence, directive, language = opening.groups()
        while at < len(lines) and lines[at].strip() != fence:
            at += 1
        content = lines[start:at]
        at += 1
        if directive in (None, "{code-block}", "{code}"):
            yield _block(language or "text", first + start, content)
        elif directive == "{eval-rst}":
            yield from _in_rst(content, first + start)
        else:
            yield from _in_markdown(content, first + start)


def find_commands(block):
    """Return pairs of a command, as a list of words, and what it prints, or None."""
    code = block.code.replace("\\\n", " ")
    if block.language == "console":
        runs = re.split(r"^\$ ", code, flags=re.M)[1:]
        pairs = [run.split("\n", 1) for run in runs]
    else:
        pairs = [(line, None) for line in code.splitlines()]
    commands = []
    for line, output in pairs:
        words = shlex.split(line, comments=True)
        while "&&" in words:
            commands.append((words[: words.index("&&")], None))
            words = words[words.index("&&") + 1 :]
        if words:
            commands.append((words, output))
    return commands


class Reader:
    """Runs the blocks of one page in their order, and counts what became of them."""

    def __init__(self, path, names, capsys):
        self.path, self.names, self.capsys = path, names, capsys
        self.counts = Counter()
        self.missing = {}  # names, and the library that their block lacked
        self.status = 0

    def read(self, blocks):
        for block in blocks:
            try:
                outcome = self.outcome(block)
            except (Exception, SystemExit) as error:
                raise AssertionError(f"{self.path}:{block.line}: {error}") from error
            self.counts[outcome] += 1

    def outcome(self, block):
        if block.reason:
            return "marked as not run"
        assert "+SKIP" not in block.code, "say why, visibly: # Not run: ..."
        if block.language in DATA:
            assert not CODE.match(block.code), "this is code: say of which language"
            return "no code"
        if block.language in ("console", "bash", "sh"):
            return self.shell(block)
        assert block.language in ("doctest", "python"), f"unknown: {block.language}"
        test = doctest.DocTestParser().get_doctest(
            block.code, self.names, self.path, self.path, block.line - 1
        )
        test.globs = self.names  # not a copy: later blocks go on with them
        source = "".join(example.source for example in test.examples) or block.code
        library = self.library_that_lacks(source)
        if not library:
            try:
                return self.run(block, test)
            except ImportError as error:
                needs = re.search(r"needs ([\w-]+)", str(error))
                library = needs[1] if needs else error.name or str(error)
        self.missing |= dict.fromkeys(stored(source), library)
        return f"without {library}"

    def run(self, block, test):
        if ALONE.search(block.code):
            if "pyspark" in block.code and not shutil.which("java"):
                raise ImportError(name="java")
            environment = {**os.environ, **OF_SPARK, "PYTHONPATH": str(ROOT)}
            subprocess.run(
                [sys.executable, "-c", block.code], check=True, env=environment
            )
        elif block.language == "python":
            code = "\n" * (block.line - 1) + block.code
            exec(compile(code, self.path, "exec"), self.names)
        else:
            try:
                doctest.DebugRunner(optionflags=FLAGS).run(test, clear_globs=False)
            except doctest.UnexpectedException as error:
                raise error.exc_info[1] from None
            except doctest.DocTestFailure as error:
                expected, got = error.example.want, error.got
                raise AssertionError(
                    f"line {block.line + error.example.lineno}: {error.example.source}"
                    f"expected:\n{expected}got:\n{got}"
                ) from None
        return "run"

    def library_that_lacks(self, source):
        tree = ast.parse(source)
        for node in ast.walk(tree):
            modules = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = [node.module]
            for module in modules:
                top = module.partition(".")[0]
                if not importlib.util.find_spec(top):
                    return top
        own = stored(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in self.missing.keys() - own:
                return self.missing[node.id]
        for name in own:
            self.missing.pop(name, None)
        return None

    def shell(self, block):
        commands = find_commands(block)
        assert commands, "a block of commands without commands"
        outcomes = set()
        for command, output in commands:
            asked = command == ["echo", "$?"]
            assert asked or self.status == 0, f"exit status {self.status}"
            outcomes.add(self.command(command, output))
        assert self.status == 0 or asked, f"exit status {self.status}"
        self.status = 0
        return "run" if "run" in outcomes else "commands looked over"

    def command(self, words, output):
        if words[:3] == ["python", "-m", "sklearn_irmetrics"]:
            words = ["irmetrics", *words[3:]]
        if words == ["echo", "$?"]:
            assert output.strip() == str(self.status)
            self.status = 0
        elif words[0] == "irmetrics" and words[1] != "demo":  # test_demo.py runs it
            self.capsys.readouterr()
            self.status = main(words[1:])
            printed = self.capsys.readouterr()
            alike = doctest.OutputChecker().check_output
            shown = printed.out
            if self.status:
                why = printed.err.replace("python -m sklearn_irmetrics", "irmetrics")
                shown = why + shown
            assert output is None or alike(output, shown, FLAGS), shown
            assert not printed.err or self.status, printed.err
        else:
            look_over(words)
            return "commands looked over"
        return "run"


def stored(source):
    """Return the names that a piece of code binds."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
    return names


def look_over(words):
    """Check that what a command names is there, where it is not run."""
    command, *words = words
    if command == "python" and words[:2] == ["-m", "venv"] or command == ".":
        return
    if command == "python" and words[0] == "-m":
        assert words[1:3] == ["sklearn_irmetrics", "demo"]
    elif command == "python":
        script = (ROOT / words[0]).read_text(encoding="utf-8")
        options = {word for word in words if word.startswith("--")}
        assert all(f'"{option}"' in script for option in options)
    elif command == "pip":
        with open(ROOT / "pyproject.toml", "rb") as file:
            known = tomllib.load(file)["project"]["optional-dependencies"]
        asked = [word[2:-1].split(",") for word in words if word.startswith(".[")]
        assert words[0] == "install" and {*sum(asked, [])} <= set(known)
        assert "sklearn-irmetrics" not in words  # no index has it yet
    elif command != "irmetrics":
        assert command in OF_A_CHECKOUT, f"{command} is not known"
        paths = [word for word in words if "/" in word and "_build" not in word]
        assert all((ROOT / path).exists() for path in paths if path[0] != "-")
