"""A fresh list of the bots that a test makes."""

import pytest

from tests.bot.scribe import Scribe


@pytest.fixture
def scribes() -> list[Scribe]:
    Scribe.made = []
    return Scribe.made
