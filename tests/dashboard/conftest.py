"""Pages on a database of the test's own."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from structlog.testing import capture_logs

from arena.records import FinishedMatch, SignUp
from tests.dashboard.played import fill
from tests.scene import Scene, opened


@pytest.fixture(autouse=True, scope="session")
def _scanned_once() -> Iterator[None]:
    """Streamlit's tester reads the metadata of every installed package for every page: half of the
    time of these tests."""
    found = manifest_scanner.scan_component_manifests()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: found)
        yield


@pytest.fixture(autouse=True)
def _own_main_module() -> Iterator[None]:
    """Streamlit's runner leaves the page as the main module; processes started by later tests
    would run it."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(autouse=True)
def _own_caches() -> Iterator[None]:
    """The pages' caches do not name the database, which each test has for itself."""
    yield
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture
def arena(database: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of an empty arena that the pages read."""
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    return database


@pytest.fixture
async def scene(arena: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scene]:
    """A referee that the pages ask, where anybody may sign up."""
    with capture_logs():
        async with opened(arena, sign_up=SignUp.OPEN) as scene:
            monkeypatch.setenv("ARENA_ADDRESS", f"127.0.0.1:{scene.port}")
            yield scene


Filler = Callable[..., list[FinishedMatch]]


@pytest.fixture
def filled(arena: str) -> Filler:
    """Plays and records matches: `fill` without its first argument."""

    def filler(**plan: Any) -> list[FinishedMatch]:
        return asyncio.run(fill(arena, **plan))

    return filler
