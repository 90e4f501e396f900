"""Files are taken of owners whose page has an uploader, so many bytes of each and of all; and they
are gone with the page."""

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from arena_dashboard.uploads import upload_room as module
from arena_dashboard.uploads.upload_room import BESIDE_BYTES, OWNERS, UploadRoom

SIZE = 1 << 20


def put(files: MemoryUploadedFileManager, session: str, name: str, size: int = SIZE) -> None:
    files.add_file(session, UploadedFileRec(name, name, "", bytes(size)))


@pytest.fixture
def files() -> MemoryUploadedFileManager:
    return MemoryUploadedFileManager("/upload")


def test_a_page_without_an_uploader_takes_no_file(files: MemoryUploadedFileManager) -> None:
    room = UploadRoom(files)
    assert room.refusal("stranger", 1) == (403, "This page takes no files.")
    room.open("page", "ann", SIZE)
    assert room.refusal("stranger", 1) is not None
    assert room.refusal("page", SIZE) is None


def test_a_file_has_a_size_and_says_it(files: MemoryUploadedFileManager) -> None:
    room = UploadRoom(files)
    room.open("page", "ann", SIZE)
    too_large = room.refusal("page", SIZE + BESIDE_BYTES + 1)
    unsaid = room.refusal("page", None)
    assert too_large is not None and too_large[0] == 413
    assert unsaid is not None and unsaid[0] == 411


def test_an_owner_fills_so_much_in_all_sessions_together(files: MemoryUploadedFileManager) -> None:
    room = UploadRoom(files)
    for page in ("first", "second", "third"):
        room.open(page, "ann", SIZE)
    room.open("other", "ben", SIZE)
    put(files, "first", "a")
    with room.coming("second", SIZE):
        refused = room.refusal("third", SIZE)
        assert refused is not None and refused[0] == 429
        assert room.refusal("other", SIZE) is None
    assert room.refusal("third", SIZE) is None
    put(files, "second", "a")
    assert room.refusal("third", SIZE) is not None
    files.remove_file("first", "a")
    assert room.refusal("third", SIZE) is None


def test_empty_files_cost_memory_too(files: MemoryUploadedFileManager) -> None:
    room = UploadRoom(files)
    room.open("page", "ann", SIZE)
    taken = 0
    while room.refusal("page", 200) is None:
        put(files, "page", str(taken), 0)
        taken += 1
    assert taken <= 2 * SIZE / BESIDE_BYTES + 2


def test_all_owners_fill_so_much_together(files: MemoryUploadedFileManager) -> None:
    room = UploadRoom(files)
    for number in range(OWNERS):
        room.open(f"page {number}", f"owner {number}", SIZE)
        put(files, f"page {number}", "a")
        put(files, f"page {number}", "b")
    room.open("page", "ann", SIZE)
    refused = room.refusal("page", SIZE)
    assert refused is not None and refused[0] == 429
    room.close("page 0")
    assert room.refusal("page", SIZE) is None


def test_files_of_a_page_that_is_gone_are_forgotten_and_a_page_may_come_back(
    files: MemoryUploadedFileManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = UploadRoom(files)
    for page in ("stays", "leaves"):
        room.open(page, page, SIZE)
        put(files, page, "a")
    room.sweep(lambda page: page == "stays")
    assert set(files.file_storage) == {"stays", "leaves"}
    room.sweep(lambda page: True)
    clock = module.time.monotonic() + 2 * module.AWAY_SECONDS
    room.sweep(lambda page: page == "stays")
    monkeypatch.setattr(module.time, "monotonic", lambda: clock)
    room.sweep(lambda page: page == "stays")
    assert set(files.file_storage) == {"stays"}
    assert room.refusal("leaves", 1) is not None
