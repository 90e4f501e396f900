"""Directories for programs that may have to run as nobody."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@pytest.fixture
def home() -> Iterator[Path]:
    """A home for an arena, not made yet."""
    with new_home() as found:
        yield found


@contextmanager
def new_home() -> Iterator[Path]:
    """The same, until the block ends. Not under pytest's own directory: see tests/conftest.py"""
    parent = Path(tempfile.mkdtemp(prefix="arena-end-to-end-"))
    parent.chmod(0o711)
    try:
        yield parent / "home"
    finally:
        shutil.rmtree(parent)
