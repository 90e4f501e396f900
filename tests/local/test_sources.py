"""`source_files`: the project's own files in a folder, and nothing that somebody keeps there."""

import shutil
import subprocess
from pathlib import Path

import pytest

from arena.local.loading import SAMPLE_BOTS
from arena.local.sources import source_files

OURS = {"bot.py", "bot/Main.java", ".gitignore", ".streamlit/config.toml"}
PRIVATE = {
    *(
        "token.txt",
        "prod.env",
        ".env",
        "server.key",
        "id~",
        "bot/.key",
        ".arena/config/owners.json",
    ),
    *(".streamlit/secrets.toml", "mine/pyvenv.cfg", "mine/lib/site.py"),
}
BUILT = {"__pycache__/bot.pyc", "go/bot", "target/bot", "node_modules/grpc/index.js"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "package"
    for name in OURS | PRIVATE | BUILT:
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text("x")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.py").write_text("x")
    (made / "link.py").symlink_to(tmp_path / "outside" / "secret.py")
    (made / "inner.py").symlink_to("bot.py")
    (made / "linked").symlink_to(tmp_path / "outside")
    return made


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


def found(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in source_files(folder)}


def test_without_git_there_are_the_kinds_of_files_that_the_project_has(folder: Path) -> None:
    assert found(folder) == OURS


def test_of_a_checkout_there_is_what_git_tracks_but_links(folder: Path) -> None:
    git(folder, "init")
    (folder / "late.py").write_text("not tracked")
    (folder / "gone.py").write_text("tracked")
    git(folder, "add", "--force", *OURS, "gone.py", "link.py", "inner.py", "linked")
    (folder / "gone.py").unlink()
    assert found(folder) == OURS


def test_a_tracked_folder_that_became_a_link_leads_nowhere(folder: Path, tmp_path: Path) -> None:
    git(folder, "init")
    git(folder, "add", "--force", "bot.py", "bot/Main.java")
    shutil.move(folder / "bot", tmp_path / "outside" / "bot")
    (folder / "bot").symlink_to(tmp_path / "outside" / "bot")
    assert found(folder) == {"bot.py"}


def test_a_hook_of_another_repository_changes_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(folder, "init")
    git(folder, "add", "bot.py")
    git(tmp_path / "outside", "init")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "outside" / ".git"))
    assert found(folder) == {"bot.py"}


@pytest.mark.slow
def test_the_same_files_of_this_project_are_found_without_git(tmp_path: Path) -> None:
    checkout = SAMPLE_BOTS.parents[2]
    for folder in (
        checkout / "arena",
        checkout / "dashboard/arena_dashboard",
        SAMPLE_BOTS.parents[1],
    ):
        tracked = list(source_files(folder))
        for path in tracked:
            copy = tmp_path / folder.name / path.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        names = {path.relative_to(folder).as_posix() for path in tracked}
        assert found(tmp_path / folder.name) == names != set()


def test_there_is_nothing_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert found(tmp_path / "nowhere") == set()
