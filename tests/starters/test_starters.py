"""Every starter is built, agrees with the vectors, and plays all games without a fault."""

import os
import shlex
from pathlib import Path

import pytest

from arena.conformance.report import check
from tests.starters.languages import LANGUAGES, SAMPLE_BOTS, Language
from tests.starters.league import play_league

MATCHES = int(os.environ.get("STARTER_MATCHES", "60"))
"""Of each game and starter."""

TABLES = (("bluff", 2), ("bluff_you", 3), ("bloeff", 3))


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_it_agrees_with_the_vectors(language: Language) -> None:
    language.test()


@pytest.mark.slow
@pytest.mark.timeout(600 + MATCHES)
async def test_it_plays_without_a_fault_and_leaves_at_the_first_interrupt(
    language: Language, database: str
) -> None:
    played = await play_league(database, [language], TABLES, MATCHES)
    told = "\n".join(f"--- {name}\n{log}" for name, log in played.logs.items())
    assert not played.faults, "\n".join([*played.faults, told])
    for game, _ in TABLES:
        assert played.matches[language.name, game] >= MATCHES, told
    assert "verification failed" not in told
    assert "Fault" not in told
    assert set(played.codes.values()) == {0}, f"{played.codes}\n{told}"


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_it_conforms(language: Language, tmp_path: Path) -> None:
    run = shlex.join(language.run)
    command = ["sh", "-c", f"cd {shlex.quote(str(language.folder))} && exec {run}"]
    outcomes = await check(command, tmp_path)
    assert [(one.scenario.name, one.seen) for one in outcomes if not one.met] == []


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_the_page_of_languages_has_its_commands(language: Language) -> None:
    page = (SAMPLE_BOTS.parent / "docs" / "languages.md").read_text()
    for command in language.commands:
        assert f"| `{command}` |" in page
