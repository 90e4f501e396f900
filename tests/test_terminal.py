"""Tables on wide and narrow terminals and in pipes: no word of them is cut."""

import json

import pytest
from rich.table import Column, Table

from arena.commands.terminal import Terminal, excess, say_json

NAME = "a-name-of-forty-characters-as-long-as-is"


def test_json_is_for_people_and_obeyed_by_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"bot": "Лиса \U0001f98a", "log": "a\nb\x1b[2J\x9b2J\u202e"}
    say_json(value)
    said = capsys.readouterr().out
    assert json.loads(said) == value
    assert "Лиса \U0001f98a" in said
    assert r"a\nb\u001b[2J\u009b2J\u202e" in said


def table() -> Table:
    found = Table("#", Column("bot", no_wrap=True), "owner", "Elo", "mean place")
    found.add_row("1", f"{NAME} 1", f"owner-of-{NAME}", "1500 anchor", "1.25")
    return found


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    Terminal().print_table(table(), lesser=("mean place", "owner"))
    return capsys.readouterr().out


def test_a_pipe_has_no_width(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    said = printed(capsys)
    assert f"│ 1 │ {NAME} 1 │ owner-of-{NAME} │ 1500 anchor │ 1.25       │" in said
    assert max(map(len, said.splitlines())) > 100


@pytest.mark.parametrize(
    ("width", "left"),
    [(200, {"owner", "mean"}), (125, {"owner", "mean"}), (80, set()), (20, set())],
)
def test_a_narrow_terminal_shows_fewer_columns_and_whole_names(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    width: int,
    left: set[str],
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    said = printed(capsys)
    assert f"{NAME} 1 " in said
    assert "1500" in said and "anchor" in said
    assert {head for head in ("owner", "mean") if head in said} == left
    if width >= 80:
        assert max(map(len, said.splitlines())) <= width


def test_what_a_terminal_lacks_for_a_table_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    narrow = excess(Terminal(), table())
    monkeypatch.setenv("COLUMNS", str(100 + narrow))
    assert narrow > 0
    assert excess(Terminal(), table()) == 0
