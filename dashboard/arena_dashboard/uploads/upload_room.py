"""`UploadRoom`: who may put files into the dashboard's memory, and how much of it.

Streamlit takes a file for any open page, with an uploader or without one, as often as somebody
sends one. Here a session may send files once its page has an uploader for the owner who is signed
in; an owner may fill so much, in all sessions together, and all owners so much.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

from streamlit.runtime import exists, get_instance
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

FILES_OF_AN_OWNER: Final = 2
"""The one that is chosen, and the one before until the browser has it removed."""
OWNERS: Final = 16
"""Owners who may fill all that they may at once, with builds of the largest size here."""
BESIDE_BYTES: Final = 64 << 10
"""What a file costs beside its content, the frame of its form among it: empty ones fill memory
too."""
AWAY_SECONDS: Final = 60.0
"""How long files outlive the connection of their page. A phone that changes its network is back
sooner."""


class UploadRoom:
    """The files of a manager. Pages' threads open it, the server's loop does all else."""

    def __init__(self, files: MemoryUploadedFileManager) -> None:
        self._files = files
        self._owners: dict[str, tuple[str, int]] = {}
        self._coming: Counter[str] = Counter()
        self._away_since: dict[str, float] = {}

    def open(self, session: str, owner: str, file_bytes: int) -> None:
        """Let a session of an owner send files of up to so many bytes."""
        self._owners[session] = owner, file_bytes

    def close(self, session: str) -> None:
        """Take no more files of a session, and forget those that it sent."""
        self._owners.pop(session, None)
        self._away_since.pop(session, None)
        self._files.remove_session_files(session)

    def refusal(self, session: str, size: int | None) -> tuple[int, str] | None:
        """Return the HTTP status and reason why a session may not send `size` bytes."""
        if session not in self._owners:
            return 403, "This page takes no files."
        if size is None:
            return 411, "Say how long the file is."
        owner, file_bytes = self._owners[session]
        if size > file_bytes + BESIDE_BYTES:
            return 413, "The file is too large."
        most = FILES_OF_AN_OWNER * (file_bytes + BESIDE_BYTES)
        held = self.held()
        if held[owner] + size > most or held.total() + size > OWNERS * most:
            return 429, "Too many files are being uploaded. Try again later."
        return None

    @contextmanager
    def coming(self, session: str, size: int) -> Iterator[None]:
        """Count a file of a session while it arrives."""
        owner, _ = self._owners[session]
        self._coming[owner] += size
        try:
            yield
        finally:
            self._coming[owner] -= size
            if self._coming[owner] <= 0:
                del self._coming[owner]

    def held(self) -> Counter[str]:
        """Return the bytes that owners' files take, those that are arriving among them."""
        held = Counter(self._coming)
        for session, (owner, _) in list(self._owners.items()):
            kept = list(self._files.file_storage.get(session, {}).values())
            held[owner] += sum(len(file.data) + BESIDE_BYTES for file in kept)
        return held

    def sweep(self, connected: Callable[[str], bool]) -> None:
        """Close the sessions that have been away for AWAY_SECONDS."""
        now = time.monotonic()
        for session in {*self._owners, *self._files.file_storage}:
            if connected(session):
                self._away_since.pop(session, None)
            elif now - self._away_since.setdefault(session, now) >= AWAY_SECONDS:
                self.close(session)


@cache
def upload_room() -> UploadRoom:
    """Return the room of this process."""
    files = _files()
    assert files is not None  # asked for by a server
    return UploadRoom(files)


def _files() -> MemoryUploadedFileManager | None:
    """Return the server's uploads; None where a page runs without one, which takes no files."""
    found = get_instance().uploaded_file_mgr if exists() else None
    return found if isinstance(found, MemoryUploadedFileManager) else None


def take_files(owner: str, file_bytes: int) -> None:
    """Let the page that runs now send files of up to so many bytes of an owner."""
    context = get_script_run_ctx()
    if context is not None and _files() is not None:
        upload_room().open(context.session_id, owner, file_bytes)
