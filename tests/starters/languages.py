"""The starters: how each is built, tested on the vectors and run. Built once, and kept by cargo,
Go, Maven, CMake and npm in the starter's own folder."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

SAMPLE_BOTS = Path(__file__).parents[2] / "sample_bots"


@dataclass(frozen=True)
class Language:
    """A starter. Commands are those of its README, with less load for the machine."""

    name: str
    tools: tuple[str, ...]
    build: tuple[str, ...]
    test: tuple[str, ...]
    run: tuple[str, ...]

    @property
    def folder(self) -> Path:
        return SAMPLE_BOTS / self.name

    def require(self) -> None:
        """Skip the test if a tool is missing; fail in CI."""
        missing = [tool for tool in self.tools if shutil.which(tool) is None]
        if missing and "CI" in os.environ:
            pytest.fail(f"{self.name} is required in CI: not installed: {', '.join(missing)}")
        if missing:
            pytest.skip(f"{self.name}: not installed: {', '.join(missing)}")

    def run_to_end(self, command: tuple[str, ...]) -> None:
        """Run a command in the folder. Raises AssertionError with its output if it fails."""
        done = subprocess.run(
            ["nice", *command],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, f"{' '.join(command)}:\n{done.stdout[-6000:]}"


LANGUAGES = {
    language.name: language
    for language in (
        Language(
            "go",
            ("go",),
            ("go", "build", "-o", "bot", "."),
            ("go", "test", "."),
            ("./bot",),
        ),
        Language(
            "rust",
            ("cargo",),
            ("cargo", "build", "--release", "--locked", "--jobs", "1"),
            ("cargo", "test", "--release", "--locked", "--jobs", "1"),
            ("target/release/arena-bot",),
        ),
        Language(
            "typescript",
            ("node", "npm"),
            ("sh", "-c", "npm ci --no-audit --no-fund && npm run build"),
            ("npm", "test"),
            ("node", "dist/main.js"),
        ),
        Language(
            "javascript",
            ("node", "npm"),
            ("npm", "ci", "--no-audit", "--no-fund"),
            ("npm", "test"),
            ("node", "main.js"),
        ),
        Language(
            "java",
            ("java", "mvn"),
            ("mvn", "-B", "-q", "package", "-DskipTests"),
            ("mvn", "-B", "-q", "test"),
            ("java", "-jar", "target/bot.jar"),
        ),
        Language(
            "cpp",
            ("cmake", "g++", "protoc", "grpc_cpp_plugin"),
            ("sh", "-c", "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build"),
            ("ctest", "--test-dir", "build", "--output-on-failure"),
            ("build/bot",),
        ),
    )
}
