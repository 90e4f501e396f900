"""What pages show of owners' bots: escaped text, links that lead out safely, the first steps."""

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.clients.owner_client import BotSeen, VersionSeen
from arena.records import CheckOrigin, CheckOutcome
from arena.server.uploads.checks import RecordedCheck
from arena.settings import Settings, SettingsError
from arena_dashboard.bots import bot_tables, own_tables
from arena_dashboard.bots.bot_data import Profile
from arena_dashboard.owners import owners
from arena_dashboard.parts.markup import in_markdown, with_code
from arena_dashboard.parts.url_choice import shortened
from arena_dashboard.uploads import submitting
from arena_dashboard.uploads.submitting import Made

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
HOSTILE = "<script>alert(1)</script>"


def profile(**said: Any) -> Profile:
    row = SimpleNamespace(
        **{"text": "", "language": "", "link": "", "frozen_at": None, "paused_at": None}
        | {"banned_at": None, "pace": None}
        | {"id": 1, "version": "1", "created_at": NOON, "retired_at": None}
        | said
    )
    return Profile("fox", "Ann", False, [row], {})


def seen(**facts: Any) -> BotSeen:
    given = {"matches": 0, "faults": 0, "connected": 0, "playing": 0, "retired": False} | facts
    return BotSeen("fox", "", "", "", False, False, (VersionSeen("1", NOON, **given),))


def test_a_profile_shows_text_and_link_escaped_and_follows_no_link() -> None:
    shown = bot_tables.said(profile(text=HOSTILE, link='https://x.example/"onclick="x'))
    assert shown is not None
    assert "<script" not in shown
    assert 'href="https://x.example/&quot;onclick=&quot;x"' in shown
    assert 'rel="nofollow noopener noreferrer"' in shown
    assert HOSTILE not in bot_tables.facts(profile(language=HOSTILE))
    assert "frozen" in bot_tables.facts(profile(frozen_at=NOON))
    assert "banned" in bot_tables.facts(profile(banned_at=NOON))
    assert "plays at most 60 rated matches an hour" in bot_tables.facts(profile(pace=60))


def test_a_name_or_a_word_of_a_url_is_no_markdown() -> None:
    assert in_markdown("__x__ 1.0-rc") == r"\_\_x\_\_ 1.0-rc"
    link = "[Sign in](https://x.example)"
    assert shortened(link) == "\\[Sign in\\](https\u2060://x.example)"
    assert shortened("x" * 99) == "x" * 60 + "…"


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("www.evil.com", "www\u2060.evil.com"),
        ("WWW.evil.com", "WWW\u2060.evil.com"),
        ("http://evil.com", "http\u2060://evil.com"),
        ("https://evil.com", "https\u2060://evil.com"),
        ("me@evil.com", "me@\u2060evil.com"),
        ("wwwolf 1.0 http 2", "wwwolf 1.0 http 2"),
    ],
)
def test_an_address_in_markdown_is_no_link(text: str, broken: str) -> None:
    assert in_markdown(text) == broken


def test_what_a_sentence_names_as_code_is_code_and_all_else_text() -> None:
    assert with_code("start `arena work`, <b>") == "start <code>arena work</code>, &lt;b&gt;"
    assert with_code("`<x>`") == "<code>&lt;x&gt;</code>"
    assert with_code("it printed ` alone") == "it printed ` alone"


@pytest.mark.parametrize("link", ["", "javascript:alert(1)", "data:text/html,x", "//x.example"])
def test_a_link_of_another_scheme_is_never_one(link: str) -> None:
    assert bot_tables.said(profile(link=link)) is None


def test_the_steps_of_a_new_bot_are_waited_for_one_by_one_and_stay_done() -> None:
    def done(bot: BotSeen, *before: str) -> list[str]:
        return [one.name for one in submitting.steps(bot, "1", before) if one.done]

    assert done(seen()) == []
    assert done(seen(connected=1)) == ["connected"]
    assert done(seen(connected=1, playing=1), "connected") == ["connected", "offered"]
    checks = [CheckOutcome(3, 20, (), ()), CheckOutcome(3, 19, ("drain",), ())]
    recorded = [RecordedCheck(one, CheckOrigin.AUTHOR, NOON) for one in checks]
    told = [submitting.steps(seen(), "1", (), one)[1] for one in recorded]
    assert [(step.name, step.done) for step in told] == [("checked", True), ("checked", False)]
    assert "failed: drain" in told[1].words
    away = submitting.steps(seen(), "1", ("connected", "offered"))
    assert [one.name for one in away if one.done] == ["connected", "offered"]
    assert "It is not connected now" in submitting.steps_in_html(away)
    assert "Waiting for the end of its first match" in submitting.steps_in_html(away)


def test_a_line_of_my_bots_says_whether_it_plays_and_links_to_its_faults() -> None:
    table = own_tables.versions([seen(connected=1, playing=3, matches=9, faults=2)], {})
    assert "plays 3" in table
    assert 'href="bot?bot=fox&amp;faults=1"' in table
    assert "away" in own_tables.versions([seen()], {})
    assert "retired" in own_tables.versions([seen(retired=True)], {})
    assert "refused" in own_tables.versions([seen(refused=True)], {})


@pytest.mark.parametrize(
    ("bot", "file"),
    [("fox", "fox.zip"), ("../../x", "x.zip"), ("Лиса", "go-bot.zip"), ("Bad Fox", "Bad-Fox.zip")],
)
def test_the_name_of_a_starter_is_safe_for_files(bot: str, file: str) -> None:
    assert submitting.file_name(Made(bot, "1", "go", "arena_x")) == file


@pytest.mark.parametrize(
    ("public", "host", "page", "shown"),
    [
        (
            "https://play.example.org:443",
            "127.0.0.1",
            "https://x.org/",
            "https://play.example.org:443",
        ),
        ("play.example.org:61-68", "10.0.0.1", "https://x.org/", "play.example.org:61"),
        (None, "10.0.0.1", "https://x.org/", "10.0.0.1:7"),
        (None, "0.0.0.0", "https://x.org/submit", "x.org:7"),
        (None, "0.0.0.0", "http://[2001:db8::1]:8501/submit", "[2001:db8::1]:7"),
        (None, "0.0.0.0", "", "localhost:7"),
        (None, "127.0.0.1", "http://localhost:8501/submit", "127.0.0.1:7"),
        # To a visitor of another machine, 127.0.0.1 is that other machine.
        (None, "127.0.0.1", "http://arena.example.org:8501/", "arena.example.org:7"),
        ("https://127.0.0.1:51", "0.0.0.0", "https://x.org/", "https://x.org:51"),
    ],
)
def test_authors_are_shown_the_address_by_which_they_reach_the_referee(
    public: str | None, host: str, page: str, shown: str
) -> None:
    settings = Settings(public_address=public, host=host, port=7)
    assert owners.address_for(page, settings) == shown


@pytest.mark.parametrize("public", ["play.example.org:99999", "nowhere", "play.example.org:61-9"])
def test_authors_are_shown_no_malformed_address(public: str) -> None:
    with pytest.raises(SettingsError, match="ARENA_PUBLIC_ADDRESS is malformed"):
        owners.address_for("https://x.org/", Settings(public_address=public))


def test_the_address_of_a_referee_with_a_certificate_says_so(tmp_path: Path) -> None:
    settings = Settings(host="10.0.0.1", port=7, tls_cert=tmp_path)
    assert owners.address_for("", settings) == "https://10.0.0.1:7"


def test_commands_are_quoted_for_the_shell() -> None:
    made = Made("fox", "1", "python", "arena_$(x)")
    assert "export ARENA_TOKEN='arena_$(x)'" in submitting.commands(made, "127.0.0.1:50051")
