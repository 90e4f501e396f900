"""`UploadRoom`, the limits on who may put files into the dashboard's memory, and how much.

Streamlit accepts any number of files for any open page, with or without an uploader. Here a session
may send files only once its page has an uploader for the owner who is signed in. The bytes are
limited per owner, over all of the owner's sessions, and for all owners together.
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
"""The file that is chosen, and the one before it until the browser has it removed."""
OWNERS: Final = 16
"""The number of owners who can reach their limit at once, with builds of the largest size."""
BESIDE_BYTES: Final = 64 << 10
"""The overhead counted for a file, such as the frame of its form: empty files fill memory, too."""
AWAY_SECONDS: Final = 60.0
"""How long files outlive the connection of their page. A phone that changes its network reconnects
sooner."""


class UploadRoom:
    """The limits on a manager's files. Pages' threads call `open`, the server's loop all else."""

    def __init__(self, files: MemoryUploadedFileManager) -> None:
        self._files = files
        self._owners: dict[str, tuple[str, int]] = {}
        self._coming: Counter[str] = Counter()
        self._away_since: dict[str, float] = {}

    def open(self, session: str, owner: str, file_bytes: int) -> None:
        """Let a session of an owner send files of up to `file_bytes`."""
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
        """Return the bytes of files by owner, including files that are arriving."""
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
    assert files is not None  # only a server calls this
    return UploadRoom(files)


def _files() -> MemoryUploadedFileManager | None:
    """Return the server's file manager; None without a server, where pages take no files."""
    found = get_instance().uploaded_file_mgr if exists() else None
    return found if isinstance(found, MemoryUploadedFileManager) else None


def take_files(owner: str, file_bytes: int) -> None:
    """Let the page that runs now send an owner's files of up to `file_bytes`."""
    context = get_script_run_ctx()
    if context is not None and _files() is not None:
        upload_room().open(context.session_id, owner, file_bytes)
