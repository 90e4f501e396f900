"""Directories for programs that may have to run as nobody."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def home() -> Iterator[Path]:
    """A home for an arena, not made yet. Not under pytest's own directory: see tests/conftest.py"""
    parent = Path(tempfile.mkdtemp(prefix="arena-end-to-end-"))
    parent.chmod(0o711)
    try:
        yield parent / "home"
    finally:
        shutil.rmtree(parent)
