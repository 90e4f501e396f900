"""Starters, built once for all tests."""

import pytest

from tests.starters.languages import LANGUAGES, Language


@pytest.fixture(params=LANGUAGES.values(), ids=LANGUAGES, scope="session")
def language(request: pytest.FixtureRequest) -> Language:
    """A starter, built."""
    language: Language = request.param
    language.require()
    language.build()
    return language


@pytest.fixture(scope="session")
def languages() -> list[Language]:
    """All starters of which the tools are here, built."""
    found = [one for one in LANGUAGES.values() if one.here]
    for one in found:
        one.build()
    return found
