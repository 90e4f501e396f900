"""The starters: how each is built, tested on the vectors and run, by the commands of its README.

What Go, Maven, CMake and npm build stays in the folder of the starter. What cargo builds is kept
for later runs of any clone; ccache does so for C++, if it is installed."""

import fcntl
import os
import re
import shlex
import shutil
import subprocess
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from tests.bot_programs import bot_program
from tests.turns import file_of_this_run

SAMPLE_BOTS = Path(__file__).parents[2] / "sample_bots"

_KEPT = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bluff-arena-tests"
_CARGO = _KEPT / "cargo"

_CCACHE = {
    "CMAKE_CXX_COMPILER_LAUNCHER": "ccache",
    "CCACHE_BASEDIR": str(SAMPLE_BOTS),  # where a clone lies makes no difference
    "CCACHE_NOHASHDIR": "1",
}
_SPARING = {
    "CARGO_BUILD_JOBS": "1",
    "CARGO_PROFILE_RELEASE_OPT_LEVEL": "0",  # half of the time
    "CMAKE_BUILD_PARALLEL_LEVEL": "1",
    "CMAKE_BUILD_TYPE": "None",  # without optimisation: a third of the time
    "CARGO_TARGET_DIR": str(_CARGO),
    "GOMAXPROCS": "2",
    # One kind of program for all tests, as the sandbox takes it; not optimised, too.
    "CGO_ENABLED": "0",
    "GOFLAGS": f"{os.environ.get('GOFLAGS', '')} '-gcflags=all=-N -l'",
    # Half of the time. What is set may lead to a proxy.
    "MAVEN_OPTS": f"{os.environ.get('MAVEN_OPTS', '')} -XX:TieredStopAtLevel=1",
} | (_CCACHE if shutil.which("ccache") else {})
"""Builds share a small machine with other tests."""


@dataclass(frozen=True)
class Language:
    """A starter, and the tools that it needs."""

    name: str
    tools: tuple[str, ...]

    @property
    def folder(self) -> Path:
        return SAMPLE_BOTS / self.name

    @cached_property
    def _commands(self) -> dict[str, str]:
        """The commands of its README by what stands behind them."""
        blocks = re.findall(r"```sh\n(.*?)```", (self.folder / "README.md").read_text(), re.DOTALL)
        found = re.findall(r"^(.+?) +# (\w+)", "\n".join(blocks), re.MULTILINE)
        return {what: command.removeprefix("ARENA_TOKEN=… ") for command, what in found}

    @property
    def commands(self) -> tuple[str, str]:
        """How it is built, and run."""
        return self._commands["build"], self._commands["play"]

    @property
    def run(self) -> list[str]:
        """The command that plays."""
        return shlex.split(self._commands["play"])

    def playing(self, address: str) -> AbstractContextManager["subprocess.Popen[str]"]:
        """Start the program at a referee; it is killed at the end."""
        return bot_program(self.run, address, cwd=self.folder)

    def build(self) -> None:
        """Build the program, once for all processes of a run: a second build would replace what
        other tests are running."""
        with file_of_this_run(f"{self.name}-is-built").open("ab") as built:
            fcntl.flock(built, fcntl.LOCK_EX)
            if os.fstat(built.fileno()).st_size == 0:
                self._build()
                built.write(b"built\n")

    def _build(self) -> None:
        if self.name != "rust":
            self.run_to_end(self._commands["build"])
            return
        _KEPT.mkdir(parents=True, exist_ok=True)
        program = self.folder / self.run[0]
        with (_KEPT / "cargo.lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # another clone would put its program there
            # Cargo takes what another clone has built since these files were written for theirs.
            for source in ("build.rs", "src/main.rs"):
                (self.folder / source).touch()
            self.run_to_end(self._commands["build"])
            program.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(_CARGO / program.relative_to(self.folder / "target"), program)

    def test(self) -> None:
        """Test it on the vectors."""
        self.run_to_end(self._commands["the"])

    @property
    def here(self) -> bool:
        """Whether its tools are installed; in CI they must be."""
        return not self._missing or "CI" in os.environ

    @property
    def _missing(self) -> list[str]:
        return [tool for tool in self.tools if shutil.which(tool) is None]

    def require(self) -> None:
        """Skip the test if a tool is missing; fail in CI."""
        missing = ", ".join(self._missing)
        if missing and "CI" in os.environ:
            pytest.fail(f"{self.name} is required in CI: not installed: {missing}")
        if missing:
            pytest.skip(f"{self.name}: not installed: {missing}")

    def run_to_end(self, command: str) -> None:
        """Run a command in the folder. Raises AssertionError with its output if it fails."""
        done = subprocess.run(
            ["nice", "sh", "-c", command],
            cwd=self.folder,
            env=os.environ | _SPARING,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, f"{command}:\n{done.stdout[-6000:]}"


LANGUAGES = {
    language.name: language
    for language in (
        Language("go", ("go",)),
        Language("rust", ("cargo",)),
        Language("typescript", ("node", "npm")),
        Language("javascript", ("node", "npm")),
        Language("java", ("java", "mvn")),
        Language("cpp", ("cmake", "g++", "protoc", "grpc_cpp_plugin")),
    )
}
