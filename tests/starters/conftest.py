"""Starters, built once for all tests."""

from collections.abc import Iterator

import pytest

from tests.starters.languages import LANGUAGES, Language


# Maven and bots that play for seconds end before it pays to optimise what they run: without it they
# take two thirds of the time.
@pytest.fixture(scope="session", autouse=True)
def plain_java() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        yield


@pytest.fixture(params=LANGUAGES.values(), ids=LANGUAGES, scope="session")
def language(request: pytest.FixtureRequest, plain_java: None) -> Language:
    """A starter, built."""
    language: Language = request.param
    language.require()
    language.build()
    return language


@pytest.fixture(scope="session")
def languages(plain_java: None) -> list[Language]:
    """All starters of which the tools are here, built."""
    found = [one for one in LANGUAGES.values() if one.here]
    for one in found:
        one.build()
    return found
