"""Each table is written by one room of the server, as docs/architecture.md lists them."""

import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text()
SHARED = {"blocks", "bots", "recorded_batches", "tournament_entries", "tournament_pairings"}


def tables() -> dict[str, str]:
    """The tables' names by those of their variables."""
    found = {}
    for path in (ROOT / "arena" / "database" / "tables").glob("*.py"):
        found.update(re.findall(r'^(\w+) = Table\(\s*"(\w+)"', path.read_text(), re.MULTILINE))
    return found


def writers() -> dict[str, set[str]]:
    """The rooms whose statements insert, update or delete rows, by table."""
    names = tables()
    found: dict[str, set[str]] = defaultdict(set)
    server = ROOT / "arena" / "server"
    for path in server.rglob("*.py"):
        room, text = path.relative_to(server).parts[0], path.read_text()
        for variable in re.findall(r"\b(?:insert|update|delete)\((\w+)\)", text):
            if variable in names:
                found[names[variable]].add(room)
        for name in re.findall(r"\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+(\w+)", text):
            if name in names.values():
                found[name].add(room)
    return found


def listed() -> dict[str, str]:
    """The rooms of the page's list, by table."""
    section = PAGE.partition("## Who writes which table")[2]
    rows = re.findall(r"^\| (\w+) \| (`.+`) \|$", section, re.MULTILINE)
    return {name: room for room, names in rows for name in re.findall(r"`(\w+)`", names)}


def test_each_table_is_written_by_the_room_that_the_page_names() -> None:
    found = writers()
    assert {name: {room} for name, room in listed().items()} == {
        name: rooms for name, rooms in found.items() if name not in SHARED
    }
    assert all(len(found[name]) > 1 for name in SHARED)


def test_the_page_names_every_table() -> None:
    assert all(f"`{name}`" in PAGE for name in tables().values() if name != "signing_key")
