"""What CI forgives: one failure of a browser or of a program, by name, and nothing else."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

CI = Path(__file__).parents[1] / ".ci"
RUN_FIRST = re.findall(r"\btests/([\w/]+)(?![.\w/{])", (CI / "run").read_text())
"""The folders that run before compiled rules are there, and again with all others."""
FOLDERS = ("browser", "end_to_end", "games", *RUN_FIRST)
PASSES = "def test_passes():\n    pass\n"
FAILS = "def test_fails():\n    assert False, 'ERROR tests/browser/test_looks_alike.py'\n"
FAILS_ONCE = """
from pathlib import Path

def test_fails_once():
    tries = Path(__file__).with_suffix(".tries")
    tries.write_text("x" + (tries.read_text() if tries.exists() else ""))
    assert tries.read_text() != "x"
"""
BREAKS_ONCE = FAILS_ONCE.replace(
    "def test_fails_once():", "import pytest\n@pytest.fixture\ndef it():"
)
BREAKS_ONCE += "\ndef test_with_it(it):\n    pass\n"
CONFTEST = f"""
import sys
from pathlib import Path

import pytest

sys.path.insert(0, {str(CI.parent)!r})
from tests.marks import mark

@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    mark(items, Path(__file__).parent / "tests")
"""
NEEDED = [
    "make",
    "chromium-headless-shell",
    "node",
    "npm",
    "java",
    "mvn",
    "g++",
    "cmake",
    "protoc",
    "grpc_cpp_plugin",
    "apt-get",
]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def ci(tmp_path: Path) -> Run:
    """Runs `.ci/run` on a small project, made of the files that are given by name."""
    shutil.copytree(CI, tmp_path / ".ci")
    tmp_path.joinpath("pytest.ini").write_text(
        "[pytest]\ntestpaths = tests\nmarkers =\n slow: as here\n alone: too\n system: too\n"
    )
    tmp_path.joinpath("conftest.py").write_text(CONFTEST)
    for program in NEEDED:
        executable(tmp_path / "bin" / program, 'case "$*" in *check) exit "$CHECKS" ;; esac')
    # Our plugins take longer to load than these tests to run: only the one that is needed.
    executable(
        tmp_path / ".venv/bin/python", f'exec "{sys.executable}" "$@" -p pytest_rerunfailures'
    )
    for folder in FOLDERS:
        made = tmp_path.joinpath("tests", folder)
        made.mkdir(parents=True)
        made.joinpath(f"test_{made.name}_passes.py").write_text(PASSES)

    def run(
        tests: dict[str, str], *words: str, checks: str = "0"
    ) -> subprocess.CompletedProcess[str]:
        for name, text in tests.items():
            tmp_path.joinpath("tests", name).write_text(text)
        environment = {
            "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
            "PYTHON": sys.executable,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "CHECKS": checks,
        }
        return subprocess.run(
            [tmp_path / ".ci" / "run", *words],
            env=os.environ | environment,
            capture_output=True,
            text=True,
        )

    return run


def executable(path: Path, line: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


def tries(tmp_path: Path, name: str) -> int:
    return len(tmp_path.joinpath("tests", name).with_suffix(".tries").read_text())


def test_every_test_is_counted_once_in_the_last_line(ci: Run) -> None:
    done = ci({})
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"= {len(FOLDERS)} passed in" in done.stdout.splitlines()[-1]


def test_some_tests_may_be_chosen(ci: Run) -> None:
    done = ci({}, "-k", "games")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"= 1 passed, {len(FOLDERS) - 1} deselected in" in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("folder", ["browser", "end_to_end"])
def test_a_browser_or_a_program_gets_a_second_try_and_is_named(ci: Run, folder: str) -> None:
    done = ci({f"{folder}/test_it.py": FAILS_ONCE, f"{folder}/test_this.py": BREAKS_ONCE})
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"RERUN tests/{folder}/test_it.py::test_fails_once\n" in done.stdout
    assert f"RERUN tests/{folder}/test_this.py::test_with_it\n" in done.stdout
    assert f"{len(FOLDERS) + 2} passed, 2 rerun in" in done.stdout.splitlines()[-1]


def test_what_fails_twice_has_failed(ci: Run) -> None:
    done = ci({"browser/test_it.py": FAILS_ONCE, "browser/test_this.py": FAILS})
    assert done.returncode == 1
    assert f"1 failed, {len(FOLDERS) + 1} passed, 2 rerun in" in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("text", [FAILS_ONCE, BREAKS_ONCE], ids=["fails", "breaks"])
@pytest.mark.parametrize("folder", ["games", "."])
def test_a_failure_anywhere_else_is_never_forgiven(
    ci: Run, tmp_path: Path, folder: str, text: str
) -> None:
    name = f"{folder}/test_it.py"
    assert ci({name: text}).returncode == 1
    assert tries(tmp_path, name) == 1


@pytest.mark.parametrize(
    ("tests", "words"),
    [
        ({}, ("-k", "nothing_of_that_name")),
        ({"browser/test_it.py": "import no_such_module"}, ()),
        ({"games/test_it.py": "import no_such_module"}, ("-k", "browser")),
    ],
    ids=["no tests", "tests that cannot be read", "others that cannot be read"],
)
def test_tests_that_were_not_run_are_no_success(
    ci: Run, tests: dict[str, str], words: tuple[str, ...]
) -> None:
    assert ci(tests, *words).returncode == 1


@pytest.mark.parametrize(
    ("checks", "tests", "code"), [("0", PASSES, 0), ("1", PASSES, 1), ("0", FAILS, 1)], ids=str
)
def test_the_whole_run_ends_with_the_closing_line_of_pytest(
    ci: Run, checks: str, tests: str, code: int
) -> None:
    done = ci({"games/test_it.py": tests}, checks=checks)
    assert done.returncode == code
    assert f"{len(FOLDERS) + 1} passed in" in done.stdout.splitlines()[-1] or code
    assert " in " in done.stdout.splitlines()[-1]
