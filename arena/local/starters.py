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
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from arena.errors import UserError
from arena.local.loading import SAMPLE_BOTS
from arena.local.sources import source_files
from arena.local.wheel import wheel, wheel_name

_INSTALLED = SAMPLE_BOTS / "starters"
_CHECKOUT = SAMPLE_BOTS.parents[1]
"""The folder of the starters in other languages in a checkout, beside the Python bots."""

LANGUAGES: Mapping[str, str] = {
    "python": "pip install bluff_arena-*.whl && python bot.py",
    "javascript": "npm ci && node main.js",
    "typescript": "npm ci && npm run build && node dist/main.js",
    "go": "go build -o bot . && ./bot",
    "rust": "cargo build --release && target/release/arena-bot",
    "java": "mvn -q package -DskipTests && java -jar target/bot.jar",
    "cpp": "cmake -S . -B build && cmake --build build && build/bot",
}
"""The commands that build and run a starter, by language."""

_PYTHON_SETUP = """\
PATH="$PWD/.venv/bin:$PATH"
if ! python -c 'import arena.bot' 2>/dev/null; then
    echo "Installing the SDK into $PWD/.venv" >&2
    "${PYTHON:-python3}" -m venv --clear .venv
    .venv/bin/pip install --quiet --disable-pip-version-check bluff_arena-*.whl
fi
"""
"""The setup in an archive's run.sh. If the package is not installed yet, it goes into a virtual
environment, as systems refuse to mix packages with their own; Python's name may be `python3`."""

_WITH_SDK = frozenset({"python"})

_NAMES = {"c++": "cpp", "js": "javascript", "ts": "typescript", "py": "python", "golang": "go"}


class StarterError(UserError, ValueError):
    """The starter cannot be copied; the message says what is allowed."""


def first_bots() -> list[str]:
    """Return the source texts of the Python bots that authors start from."""
    return [file.read_text("utf-8") for file in first_bot_files()]


def first_bot_files() -> list[Path]:
    """Return the files of the Python bots that authors start from."""
    return [_INSTALLED / name for name in ("first_bot.py", "python/bot.py")]


def require_sdk(language: str) -> None:
    """Raise NoWheelError if the starter of a language needs the SDK's wheel, which cannot be made.

    `language` is a key of LANGUAGES.
    """
    if language in _WITH_SDK:
        wheel_name()


def language_named(word: str) -> str:
    """Return the language's name in LANGUAGES. Raises StarterError."""
    name = _NAMES.get(word.lower(), word.lower())
    if name not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise StarterError(f"There is no starter in {word!r}; there is one in {known}.")
    return name


def copy_starter(language: str, directory: Path) -> str:
    """Copy the starter of a language into a new or empty folder.

    Also copies the test vectors, or for Python the SDK's wheel. Returns the language's name in
    LANGUAGES. Raises StarterError, and NoWheelError before anything is written.
    """
    name = language_named(language)
    if directory.exists() and not directory.is_dir():
        raise StarterError(f"{directory} is a file: name a new or an empty folder.")
    if directory.is_dir() and any(directory.iterdir()):
        raise StarterError(f"{directory} is not empty: name a new or an empty folder.")
    sdk = {wheel_name(): wheel()} if name in _WITH_SDK else {}
    try:
        _copy(_folder(name), directory)
        if name != "python":
            _copy(_folder("vectors"), directory / "vectors")
        for file, content in sdk.items():
            (directory / file).write_bytes(content)
    except OSError as error:
        raise StarterError(f"{directory} cannot be written: {error}.") from error
    return name


def _copy(folder: Path, directory: Path) -> None:
    for path in source_files(folder):
        copy = directory / path.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)


def starter_archive(language: str, folder: str, environment: Mapping[str, str]) -> bytes:
    """Return a zip with the starter of a language in a folder, and a run.sh.

    run.sh sets the environment, builds the bot and runs it. Raises StarterError and NoWheelError.
    """
    packed = BytesIO()
    with TemporaryDirectory() as made, ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        copied = Path(made) / "starter"
        name = copy_starter(language, copied)
        for path in sorted(copied.rglob("*")):
            if path.is_file():
                packing = ZIP_STORED if path.suffix == ".whl" else ZIP_DEFLATED
                archive.write(path, f"{folder}/{path.relative_to(copied)}", packing)
        script = ZipInfo(f"{folder}/run.sh", (2026, 1, 1, 0, 0, 0))
        script.external_attr = 0o100700 << 16  # only for its owner, as it contains a secret
        exports = "".join(
            f"export {variable}={shlex.quote(value)}\n" for variable, value in environment.items()
        )
        *steps, start = LANGUAGES[name].split(" && ")
        setup = _PYTHON_SETUP if name == "python" else "".join(f"{step}\n" for step in steps)
        # With `exec`, a signal to the script reaches the bot.
        lines = f'#!/bin/sh\nset -e\ncd "$(dirname "$0")"\n{exports}{setup}exec {start}\n'
        archive.writestr(script, lines, ZIP_DEFLATED)
    return packed.getvalue()


def _folder(name: str) -> Path:
    installed = _INSTALLED / name
    return installed if installed.is_dir() else _CHECKOUT / name
