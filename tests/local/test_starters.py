"""`copy_starter`: a complete folder, or an error that changes nothing."""

import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from stat import S_IMODE
from zipfile import ZipFile

import pytest

from arena.local.starters import LANGUAGES, StarterError, copy_starter, starter_archive
from tests.commands.running import arena


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_copy_has_its_readme_its_container_and_its_files(language: str, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "bot"
    assert copy_starter(language, folder) == language
    assert (folder / "README.md").is_file()
    assert (folder / "Dockerfile").is_file()
    if language != "python":
        assert (folder / "proto/arena/v1/referee.proto").is_file()
        assert (folder / "vectors/matches.jsonl").is_file()
    names = {file.name for file in folder.rglob("*")}
    assert not names & {"node_modules", "target", "__pycache__", "build"}


def test_an_empty_folder_will_do(tmp_path: Path) -> None:
    copy_starter("python", tmp_path)
    assert (tmp_path / "bot.py").is_file()


@pytest.mark.parametrize(
    ("name", "language"), [("C++", "cpp"), ("Rust", "rust"), ("TS", "typescript")]
)
def test_usual_names_are_understood(name: str, language: str, tmp_path: Path) -> None:
    assert copy_starter(name, tmp_path) == language


def test_an_unknown_language_is_refused_and_all_others_named(tmp_path: Path) -> None:
    with pytest.raises(
        StarterError, match=r"no starter in 'cobol'; there is one in python, .*cpp\."
    ):
        copy_starter("cobol", tmp_path / "bot")
    assert not (tmp_path / "bot").exists()


def test_an_unknown_language_is_named_before_a_folder_is_missed() -> None:
    for arguments, words in (
        (["cobol"], "There is no starter in 'cobol'; there is one in python"),
        (["c++"], "Missing argument 'DIR'"),
        ([], "Missing argument 'LANGUAGE'"),
    ):
        done = arena("new-bot", *arguments)
        assert (done.exit_code, words in done.stderr) == (2, True), done.stderr


def test_a_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(StarterError, match="is not empty: name a new or an empty folder"):
        copy_starter("go", tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(StarterError, match="is a file"):
        copy_starter("go", tmp_path / "mine.txt")


def test_a_python_starter_holds_the_sdk_that_it_needs(tmp_path: Path) -> None:
    copy_starter("python", tmp_path)
    (sdk,) = tmp_path.glob("bluff_arena-*.whl")
    with ZipFile(sdk) as packed:
        assert packed.testzip() is None
        assert {"arena/bot/__init__.py", "arena/v1/referee_pb2.py"} <= set(packed.namelist())


def test_a_script_uses_the_package_where_it_is_installed_and_installs_nothing(
    tmp_path: Path,
) -> None:
    token = {"ARENA_TOKEN": "no arena's", "ARENA_ADDRESS": "127.0.0.1:1"}
    with ZipFile(BytesIO(starter_archive("python", "fox", token))) as archive:
        archive.extractall(tmp_path)
    (tmp_path / "fox" / "bot.py").write_text("import arena.bot, os; print(os.environ)")
    here = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    started = subprocess.run(
        ["sh", "fox/run.sh"],
        cwd=tmp_path,
        env=os.environ | {"PATH": here},
        capture_output=True,
        text=True,
    )
    assert "no arena's" in started.stdout, started.stderr
    assert not (tmp_path / "fox" / ".venv").exists()


def test_an_archive_holds_the_starter_and_a_private_script_that_runs_it() -> None:
    for language, command in LANGUAGES.items():
        packed = starter_archive(language, "fox", {"ARENA_TOKEN": "it's secret"})
        with ZipFile(BytesIO(packed)) as archive:
            names = archive.namelist()
            script = archive.read("fox/run.sh").decode()
            mode = archive.getinfo("fox/run.sh").external_attr >> 16
        assert "fox/README.md" in names
        assert len(names) == len(set(names))
        assert not any("node_modules" in name or "/target/" in name for name in names)
        assert script.splitlines()[-1] == f"exec {command.rpartition(' && ')[2]}"
        assert """export ARENA_TOKEN='it'"'"'s secret'""" in script
        assert S_IMODE(mode) == 0o700
