"""Starters: complete bots in several languages, to be copied and changed.

UserError
└── StarterError    no such starter, or a folder that is in use
"""

import shlex
import shutil
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from arena.errors import UserError
from arena.home.loading import SAMPLE_BOTS

_INSTALLED = SAMPLE_BOTS / "starters"
_CHECKOUT = SAMPLE_BOTS.parents[1]
"""In a checkout the starters of other languages are beside the Python bots."""

LANGUAGES: Mapping[str, str] = {
    "python": "pip install bluff_arena-*.whl && python bot.py",
    "javascript": "npm ci && node main.js",
    "typescript": "npm ci && npm run build && node dist/main.js",
    "go": "go build -o bot . && ./bot",
    "rust": "cargo build --release && target/release/arena-bot",
    "java": "mvn -q package -DskipTests && java -jar target/bot.jar",
    "cpp": "cmake -S . -B build && cmake --build build && build/bot",
}
"""How a starter is built and run, by language."""

_PYTHON_SETUP = """\
if ! python -c 'import arena.bot' 2>/dev/null; then
    set -- bluff_arena-*.whl
    if [ ! -e "$1" ]; then
        echo "bluff-arena is not installed: activate the environment that has it (in a checkout" \\
            "'. .venv/bin/activate'), or put its wheel ('make wheel') beside run.sh." >&2
        exit 1
    fi
    pip install "$1"
fi
"""
"""In an archive's run.sh: the package may be installed already, and no index has it."""

_NAMES = {"c++": "cpp", "js": "javascript", "ts": "typescript", "py": "python", "golang": "go"}

# What builds leave in a checkout.
_BUILT = shutil.ignore_patterns(
    "bin", "bot", "build", "dist", "node_modules", "target", "wire", "__pycache__"
)


class StarterError(UserError, ValueError):
    """The starter cannot be copied; the message says what is allowed."""


def copy_starter(language: str, directory: Path) -> str:
    """Copy the starter of a language, with the test vectors, into a new or empty folder.

    Returns its name in LANGUAGES. Raises StarterError, having written nothing.
    """
    name = _NAMES.get(language.lower(), language.lower())
    if name not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise StarterError(f"There is no starter in {language!r}; there is one in {known}.")
    if directory.exists() and not directory.is_dir():
        raise StarterError(f"{directory} is a file: name a new or an empty folder.")
    if directory.is_dir() and any(directory.iterdir()):
        raise StarterError(f"{directory} is not empty: name a new or an empty folder.")
    source, vectors = _folder(name), _folder("vectors")
    # The Java package is a folder called `bot`, as the program of Go is.
    ignored = shutil.ignore_patterns("target") if name == "java" else _BUILT
    try:
        shutil.copytree(source, directory, ignore=ignored, dirs_exist_ok=True)
        if name != "python":
            shutil.copytree(vectors, directory / "vectors")
    except OSError as error:
        raise StarterError(f"{directory} cannot be written: {error}.") from error
    return name


def starter_archive(language: str, folder: str, environment: Mapping[str, str]) -> bytes:
    """A zip with the starter of a language in a folder, and a run.sh that sets the environment,
    builds the bot and runs it. Raises StarterError."""
    packed = BytesIO()
    with TemporaryDirectory() as made, ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        copied = Path(made) / "starter"
        name = copy_starter(language, copied)
        for path in sorted(copied.rglob("*")):
            if path.is_file():
                archive.write(path, f"{folder}/{path.relative_to(copied)}")
        script = ZipInfo(f"{folder}/run.sh", (2026, 1, 1, 0, 0, 0))
        script.external_attr = 0o100700 << 16  # it holds a secret
        exports = "".join(
            f"export {variable}={shlex.quote(value)}\n" for variable, value in environment.items()
        )
        *steps, start = LANGUAGES[name].split(" && ")
        setup = _PYTHON_SETUP if name == "python" else "".join(f"{step}\n" for step in steps)
        # A signal to the script is one to the bot.
        lines = f'#!/bin/sh\nset -e\ncd "$(dirname "$0")"\n{exports}{setup}exec {start}\n'
        archive.writestr(script, lines, ZIP_DEFLATED)
    return packed.getvalue()


def _folder(name: str) -> Path:
    installed = _INSTALLED / name
    return installed if installed.is_dir() else _CHECKOUT / name
