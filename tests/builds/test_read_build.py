"""What owners hand in: harmless builds are read and unpacked, all else is refused in words."""

import io
import stat
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.builds.archive import MOST_FILES, MOST_UNPACKED_BYTES
from arena.builds.build import Build, read_build, unpack
from arena.builds.errors import BuildRefusedError
from arena.builds.manifest import Manifest, Protocol

TOML = b'command = ["node", "bot.js"]\n'


def packed(
    *files: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in files:
            archive.writestr(name, data, method)
    return buffer.getvalue()


def entry(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    return info


def renamed(data: bytes, old: bytes, new: bytes) -> bytes:
    """The same archive with another name: zipfile refuses to write some names."""
    assert len(old) == len(new) and old in data
    return data.replace(old, new)


def with_toml(*files: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    return packed(("bot.toml", TOML), ("bot.js", b"0"), *files)


def refused(data: bytes, file_name: str = "bot.zip") -> str:
    with pytest.raises(BuildRefusedError) as caught:
        read_build(file_name, data)
    return str(caught.value)


def test_a_python_file_is_a_build(tmp_path: Path) -> None:
    build = read_build("My Bot.PY", b"print('h\xc3\xa9')")
    assert (build.file_name, build.manifest) == ("bot.py", Manifest(("bot.py",)))
    unpack(build, tmp_path)
    assert (tmp_path / "bot.py").read_bytes() == build.data


def test_an_archive_is_read_and_unpacked(tmp_path: Path) -> None:
    toml = b'command=["./bot","-v"]\nprotocol="lines"\ngames=["bluff","bloeff"]\nmatches_at_once=4'
    elf = b"\x7fELF..."
    mark = b"\xef\xbb\xbf"  # as editors of Windows write
    data = packed(
        ("bot.toml", mark + toml), ("bot", elf), ("data/", b""), ("data/table.txt", b"1 2")
    )
    build = read_build("b.zip", data)
    assert build.manifest == Manifest(("bot", "-v"), Protocol.LINES, ("bluff", "bloeff"), 4)
    unpack(build, tmp_path)
    assert (tmp_path / "data" / "table.txt").read_bytes() == b"1 2"
    assert (tmp_path / "bot").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "bot.toml").stat().st_mode & 0o777 == 0o644


def test_a_folder_that_was_packed_with_its_files_is_the_top(tmp_path: Path) -> None:
    data = packed(
        ("mine/bot.toml", TOML),
        ("mine/bot.js", b"0"),
        ("__MACOSX/._mine", b"?"),
        ("mine/.DS_Store", b"?"),
    )
    unpack(read_build("mine.zip", data), tmp_path)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["bot.js", "bot.toml"]


MODES = {
    "a link": stat.S_IFLNK | 0o777,
    "neither a file nor a folder": stat.S_IFIFO | 0o644,
    "the setuid or setgid bit": stat.S_IFREG | 0o4755,
}


@pytest.mark.parametrize(("words", "mode"), MODES.items())
def test_links_devices_and_setuid_programs_are_refused(words: str, mode: int) -> None:
    assert words in refused(with_toml((entry("x", mode), b"/etc/passwd")))


@pytest.mark.parametrize(
    "path", ["../x1", "/etc/", "a/../b", "a//bcd", "C:/abc", "a\\..\\b", "./abcd", "a/./bc"]
)
def test_paths_that_climb_are_refused(path: str) -> None:
    held = ("q" * len(path), b"")
    data = renamed(with_toml(held), held[0].encode(), path.encode())
    assert "is not allowed: paths are relative" in refused(data)


def test_names_that_some_file_system_takes_for_one_are_refused() -> None:
    assert "whose names differ in case or form only" in refused(with_toml(("BOT.js", b"")))
    assert "whose names differ in case or form only" in refused(
        with_toml(("\u00e9", b""), ("e\u0301", b""))
    )
    assert "is a file and a folder" in refused(with_toml(("bot.js/x", b"")))
    with pytest.warns(UserWarning, match="Duplicate"):
        twice = with_toml(("x", b"1"), ("x", b"2"))
    assert "holds 'x' twice" in refused(twice)


def test_control_characters_and_long_or_deep_paths_are_refused() -> None:
    assert "control characters" in refused(with_toml(("a\x1bb", b"")))
    assert "too long or too deep" in refused(with_toml(("a" * 201, b"")))
    assert "too long or too deep" in refused(with_toml(("a/" * 16 + "b", b"")))


@pytest.mark.slow
def test_bombs_are_refused_before_anything_is_unpacked() -> None:
    many = [(f"{number}", b"") for number in range(MOST_FILES)]
    assert "too many files" in refused(with_toml(*many))
    part = bytes(MOST_UNPACKED_BYTES // 4)
    assert "too big when it is unpacked: 200 MiB" in refused(
        with_toml(*((f"z{n}", part) for n in range(5)))
    )


def lying(data: bytes, size: int, said: int) -> bytes:
    """The same archive, whose list of contents and the file's own head say another size."""
    return data.replace(struct.pack("<I", size), struct.pack("<I", said))


def most_memory(call: Callable[[], object]) -> int:
    """The most bytes that a call which is refused holds at a time."""
    tracemalloc.start()
    try:
        with pytest.raises(BuildRefusedError, match="damaged"):
            call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_file_that_is_bigger_than_the_list_says_is_not_unpacked_beyond_that(
    tmp_path: Path,
) -> None:
    size = 50_000_000
    build = read_build("bot.zip", lying(with_toml(("zeros", bytes(size))), size, 10))
    assert most_memory(lambda: unpack(build, tmp_path)) < size // 10
    assert (tmp_path / "zeros").stat().st_size <= 10


def test_a_manifest_that_is_bigger_than_the_list_says_takes_no_memory() -> None:
    size = 50_000_000
    data = lying(packed(("bot.toml", bytes(size))), size, len(TOML))
    assert most_memory(lambda: read_build("bot.zip", data)) < size // 10


def test_a_list_of_contents_that_counts_twice_is_refused() -> None:
    """Python reads the numbers of ZIP64, if there are any, instead of the usual ones."""
    entry = struct.pack("<4s4B4H3L5H2L", b"PK\1\2", 20, 3, 20, *(0,) * 8, 1, *(0,) * 6) + b"a"
    contents = entry * 10_000
    numbers = (10_000, 10_000, len(contents), 0)
    zip64 = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, *numbers)
    zip64 += struct.pack("<4sLQL", b"PK\6\7", 0, len(contents), 1)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(entry), 0, 0)
    assert "has the form ZIP64" in refused(contents + zip64 + end)


def test_other_compressions_and_encryption_are_refused() -> None:
    lzma = packed(("bot.toml", TOML), ("bot.js", b"0"), method=zipfile.ZIP_LZMA)
    assert "compressed in a way that is not allowed" in refused(lzma)
    data = bytearray(with_toml())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in refused(bytes(data))


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        (b"command", "bot.toml is not TOML"),
        (b"\xff", "bot.toml is not UTF-8"),
        (b"", "`command` is missing"),
        (b'command = "node bot.js"', "not a list of 1 to 32 words"),
        (b'command = ["node"]', "names no file for node"),
        (b'command = ["bash", "x"]', "may begin with `python`, `node`, or a file"),
        (b'command = ["perl", "bot.pl"]', "or a script whose first line begins with `#!`"),
        (b'command = ["../bot.js"]', "may begin with"),
        (TOML + b"matches = 3", "has a key 'matches'; there are command"),
        (TOML + b'protocol = "tcp"', '`protocol` is "grpc", or "lines"'),
        (TOML + b'games = ["chess"]', "`games` is a list of the games"),
        (TOML + b"games = []", "`games` is a list"),
        (TOML + b"matches_at_once = 65", "a number from 1 to 64"),
        (TOML + b"matches_at_once = true", "a number from 1 to 64"),
        (TOML + b"matches_at_once = " + b"9" * 4_000, "a number from 1 to 64"),
        (TOML + b"matches_at_once = 2024-01-01", "a number from 1 to 64"),
        (TOML + b"protocol = [1]", '`protocol` is "grpc", or "lines"'),
        (TOML + b"games = [[]]", "`games` is a list"),
        (b'command = ["node", "\\u0000"]', "not a list of 1 to 32 words"),
        # Nested too deeply, or not TOML where a library has raised the limit of recursion.
        (b"a = " + b"[" * 4_000, "bot.toml is n"),
        (b"a = " + b"9" * 4_090, "there are command"),
        (b"a." * 2_000 + b"a = 1", "bot.toml has a key of more than 10 parts"),
        (TOML + b"#" * 5_000, "bot.toml is too big: 4,096 bytes"),
    ],
)
def test_a_wrong_manifest_is_refused_with_what_is_allowed(toml: bytes, words: str) -> None:
    assert words in refused(packed(("bot.toml", toml), ("bot.js", b"0")))


@pytest.mark.parametrize(
    ("file_name", "data", "words"),
    [
        ("bot.zip", b"PK", "not a .zip that can be read"),
        ("bot.zip", packed(("bot.js", b"")), "holds no bot.toml: it must lie at its top"),
        ("bot.zip", packed(), "holds no bot.toml"),
        ("bot.py", b"", "empty"),
        ("bot.py", b"\xff", "not UTF-8"),
        ("bot.py", b"\0", "null character"),
        ("bot.py", b"#" * 1_100_000, "1,048,576 are allowed: put tables into files of their own"),
        ("bot.tar.gz", b"x", "neither a .py file with one bot nor a .zip with bot.toml"),
        ("bot", b"x", "neither a .py file"),
    ],
)
def test_what_is_no_build_is_refused(file_name: str, data: bytes, words: str) -> None:
    assert words in refused(data, file_name)


@pytest.mark.parametrize(
    ("file_name", "most_bytes", "words"),
    [
        ("bot.zip", 1_572_864, "The build has 2,000,000 bytes, and 1,572,864 are allowed."),
        ("bot.py", 1_572_864, "The .py file has 2,000,000 bytes, and 1,048,576 are allowed: put"),
        ("bot.py", 1_000, "The .py file has 2,000,000 bytes, and 1,000 are allowed."),
    ],
)
def test_the_operators_limit_of_bytes_counts_and_that_of_the_files_kind(
    file_name: str, most_bytes: int, words: str
) -> None:
    with pytest.raises(BuildRefusedError) as found:
        read_build(file_name, b"#" * 2_000_000, most_bytes)
    assert words in str(found.value)


@pytest.mark.slow
@given(st.binary(max_size=60), st.integers(0, 400), st.binary(max_size=8))
def test_damaged_archives_are_refused_and_break_nothing(
    tail: bytes, where: int, other: bytes
) -> None:
    data = bytearray(with_toml(("x", b"abc")) + tail)
    data[where : where + len(other)] = other
    try:
        build = read_build("bot.zip", bytes(data))
    except BuildRefusedError:
        return
    assert isinstance(build, Build)
