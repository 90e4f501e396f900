"""Text from outside is shown on a terminal and not obeyed by it."""

import io
import logging
import sys

import pytest
import structlog

from arena.commands.terminal import Terminal, say
from arena.logs import configure_logs
from arena.printable import printable
from arena.settings import Settings

NASTY = "\x1b[2J[red]bot[/red]:smile:\x9b31m\u202e\x07"
SHOWN = r"\x1b[2J[red]bot[/red]:smile:\x9b31m\u202e\x07"


@pytest.mark.parametrize("text", ["honest", "Käthe's bot 3×★", "計算機", ""])
def test_what_is_printed_as_itself_stays(text: str) -> None:
    assert printable(text) == text


def test_control_characters_escape_sequences_and_reversals_are_escaped() -> None:
    assert printable(NASTY) == SHOWN
    assert printable("one\ntwo") == r"one\ntwo"
    assert printable("one\ntwo\r", keep="\n") == "one\ntwo\\r"
    assert printable("\ud800") == r"\ud800"


def test_a_sentence_and_a_table_show_names_as_they_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from rich.table import Table

    say(NASTY)
    table = Table("bot")
    table.add_row(NASTY)
    Terminal().print_table(table)
    said = capsys.readouterr().out
    assert said.count(SHOWN) == 2
    assert "\x1b" not in said


def test_a_log_line_shows_what_a_bot_calls_its_client(monkeypatch: pytest.MonkeyPatch) -> None:
    said = io.StringIO()
    monkeypatch.setattr(sys, "stderr", said)
    before = structlog.get_config()
    try:
        configure_logs(Settings())
        structlog.get_logger().info("bot connected", client=NASTY)
    finally:
        structlog.configure(**before)
        logging.getLogger().handlers.clear()
    assert SHOWN in said.getvalue()
    assert "\x1b" not in said.getvalue()
