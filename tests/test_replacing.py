"""A file is replaced as a whole, or stays as it was."""

import stat
from pathlib import Path

import pytest

from arena.replacing import replacing


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "results.json"
    file.write_text("old")
    return file


def test_the_file_is_replaced_when_the_new_one_is_complete(file: Path) -> None:
    with replacing(file) as new:
        new.write_text("new")
        assert file.read_text() == "old"
    assert file.read_text() == "new"
    assert list(file.parent.iterdir()) == [file]


def test_after_an_error_the_file_is_as_before_and_nothing_is_left(file: Path) -> None:
    def write() -> None:
        with replacing(file) as new:
            new.write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write()
    assert file.read_text() == "old"
    assert list(file.parent.iterdir()) == [file]


def test_two_may_write_the_same_file_at_the_same_time(file: Path) -> None:
    with replacing(file) as one:
        one.write_text("one")
        with replacing(file) as other:
            other.write_text("other")
        assert file.read_text() == "other"
    assert file.read_text() == "one"


def test_the_mode_holds_from_the_beginning(file: Path) -> None:
    with replacing(file, mode=0o600) as new:
        assert stat.S_IMODE(new.stat().st_mode) == 0o600
