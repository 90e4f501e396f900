"""Fresh virtual environments with the wheel in them, on the Pythons that this machine has."""

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CLAIMED = tuple(
    claim.removeprefix("Programming Language :: Python :: ")
    for claim in PROJECT["classifiers"]
    if claim.startswith("Programming Language :: Python :: 3.")
)
"""The Pythons that the package says it runs on, oldest first."""

RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"

# Ends a program that opens anything of the checkout, whoever would catch an exception.
GUARD = """
import os, sys
def look(event, details):
    if event == "open" and str(details[0]).startswith({root!r}):
        os.write(2, f"opens {{details[0]}} of the checkout\\n".encode())
        os._exit(3)
sys.addaudithook(look)
"""


def uv(*arguments: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run the uv that `make setup` installed, or one on the PATH; its output is captured."""
    installed = [str(path) for path in ROOT.glob(".tools/uv-*/bin/uv")]
    program = next(iter(installed), None) or shutil.which("uv")
    assert program, "make setup installs uv"
    of_callers = ("VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT", "UV_PYTHON", "PYTHONPATH")
    environment = {name: value for name, value in os.environ.items() if name not in of_callers}
    return subprocess.run(
        [program, *arguments],
        cwd=cwd,
        env=environment | {"UV_PYTHON_DOWNLOADS": "never"},
        capture_output=True,
        text=True,
        check=False,
    )


def uv_succeeds(*arguments: str | Path, cwd: Path = ROOT) -> str:
    """What uv printed; fails the test with its complaint if it did not end with 0."""
    done = uv(*arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


@cache
def interpreter(version: str) -> str | None:
    """The path of an installed Python of a version such as `3.13`, or None."""
    if version == RUNNING:
        return sys.executable
    found = uv("python", "find", "--no-project", version)
    if found.returncode == 0:
        return found.stdout.strip()
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    installed = sorted(pyenv.glob(f"versions/{version}.*/bin/python"))
    return str(installed[-1]) if installed else None


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment with the wheel, and an empty directory to run its programs in."""

    home: Path
    python: Path

    def run(
        self, program: str, *arguments: str | Path, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run one of its programs in the directory, without any other variable of ours."""
        return subprocess.run(
            [self.python.with_name(program), *arguments],
            cwd=self.home,
            env={"PATH": os.defpath, "HOME": str(self.home), "LANG": "C.UTF-8"} | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


def install(place: Path, wheel: str, extra: str, python: str, *besides: str) -> Environment:
    """Make an environment below `place` and install the wheel at an address with an extra ("" for
    none) in it.

    All versions are those of uv.lock.
    """
    place.mkdir(parents=True)
    lock = place / "lock.txt"
    uv_succeeds(
        *("export", "--quiet", "--frozen", "--all-extras", "--no-emit-local", "--no-hashes"),
        *("--output-file", lock),
    )
    uv_succeeds("venv", "--quiet", "--python", python, place / "env")
    environment = Environment(place / "empty", place / "env" / "bin" / "python")
    environment.home.mkdir()
    wanted = f"bluff-arena[{extra}] @ {wheel}"
    uv_succeeds(
        *("pip", "install", "--quiet", "--python", environment.python, "--only-binary", ":all:"),
        *("--constraints", lock, wanted, *besides),
        cwd=place,
    )
    (site,) = (place / "env").glob("lib/python*/site-packages")
    (site / "sitecustomize.py").write_text(GUARD.format(root=f"{ROOT}{os.sep}"))
    return environment
