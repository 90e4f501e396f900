"""A folder packed as a build: what is left out, and what is refused with its number."""

from pathlib import Path
from zipfile import ZipFile

import pytest

from arena.builds import packing
from arena.builds.build import read_build
from arena.builds.errors import BuildRefusedError
from arena.builds.packing import pack

MANIFEST = 'command = ["python", "main.py"]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "mine"
    for name in (
        "main.py", "bot.toml", "nets/two.onnx", "node_modules/a/index.js",
        ".git/config", ".arena/config/owners.json", ".env", "__pycache__/main.pyc",
        "nets/__pycache__/x.pyc", "venv/pyvenv.cfg", "venv/lib/python3/site.py",
    ):  # fmt: skip
        path = found / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(MANIFEST if name == "bot.toml" else name)
    return found


def test_what_no_bot_needs_is_left_out(folder: Path, tmp_path: Path) -> None:
    data = pack(folder)
    (tmp_path / "mine.zip").write_bytes(data)
    names = ZipFile(tmp_path / "mine.zip").namelist()
    assert names == ["bot.toml", "main.py", "nets/two.onnx", "node_modules/a/index.js"]
    assert read_build("mine.zip", data).manifest.command == ("python", "main.py")


def test_the_same_files_have_the_same_hash_whenever_they_are_packed(folder: Path) -> None:
    first = pack(folder)
    (folder / "main.py").touch()
    (folder / ".git" / "more").write_text("x")
    assert pack(folder) == first


@pytest.mark.slow
def test_too_much_is_refused_with_the_number(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (folder / "nets" / "two.onnx").open("wb") as file:
        file.truncate(201 * 1024 * 1024)
    with pytest.raises(BuildRefusedError, match=r"The largest: nets/two.onnx \(210,763,776\)"):
        pack(folder)
    (folder / "nets" / "two.onnx").unlink()
    for number in range(packing.MOST_FILES):
        (folder / f"{number}").touch()
    with pytest.raises(BuildRefusedError, match=r"has 2,003 files; 2,000 are allowed"):
        pack(folder)


def test_a_folder_without_a_manifest_and_a_link_are_refused(folder: Path) -> None:
    (folder / "link").symlink_to("/etc/passwd")
    with pytest.raises(BuildRefusedError, match=r"link is a link"):
        pack(folder)
    (folder / "bot.toml").unlink()
    with pytest.raises(BuildRefusedError, match=r"has no bot.toml"):
        pack(folder)
