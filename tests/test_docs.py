"""What the documents say of the code is true: links, limits, settings, commands."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from arena.cli import application
from arena.games import GAMES, make_game
from arena.settings import Settings
from arena.v1 import game_pb2

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
    *ROOT.glob("sample_bots/README.md"),
    *ROOT.glob("sample_bots/*/README.md"),
    *ROOT.glob("sample_bots/python/arena_sample_bots/starters/*/README.md"),
]


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    text = re.sub(r"```.*?```", "", document.read_text(), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            found = target.read_text()
            anchors = {slug(h) for h in re.findall(r"^#+ (.+)$", found, re.MULTILINE)}
            anchors |= set(re.findall(r'<a id="([^"]+)">', found))
            assert anchor in anchors, link


@pytest.mark.parametrize("document", ["README.md", "docs/skill.md", "docs/write-a-bot.md"])
def test_everybody_is_shown_the_same_first_bot(document: str) -> None:
    examples = re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)
    assert (
        ROOT / "sample_bots/python/arena_sample_bots/starters/first_bot.py"
    ).read_text() in examples


def test_the_map_names_every_package_and_module_and_nothing_that_is_gone() -> None:
    map_ = (ROOT / "CONTRIBUTING.md").read_text().split("## Where things are")[1].split("```")[1]
    above: list[Path] = []
    named = set()
    for indent, name in re.findall(r"^( *)([\w/.]+)(?: |$)", map_, re.MULTILINE):
        if len(indent) > 4:  # a description goes on
            continue
        above[len(indent) // 2 :] = [Path(name)]
        named.add(Path(*above))
    for path in named:
        assert (ROOT / path).exists(), path
    packages = {init.parent.relative_to(ROOT) for init in ROOT.glob("arena/*/__init__.py")}
    packages |= {
        init.parent.relative_to(ROOT) for init in ROOT.glob("arena/commands/*/__init__.py")
    }
    assert packages <= named, packages - named
    modules = {path.name for path in ROOT.glob("arena/*.py") if not path.stem.startswith("__")}
    told = set(re.findall(r"\b\w+\.py\b", map_))
    assert modules <= told, modules - told


def test_every_setting_is_explained_with_its_default() -> None:
    text = (ROOT / "docs/operate.md").read_text().split("## Settings")[1].split("\n## ")[0]
    rows = dict(re.findall(r"^\| `ARENA_(\w+)` \| ([^|]+) \|", text, re.MULTILINE))
    assert set(rows) == {name.upper() for name in Settings.model_fields}
    for name, field in Settings.model_fields.items():
        default = field.default
        if isinstance(default, range):  # as an operator writes it
            default = f"{default[0]}-{default[-1]}"
        if default is not None:
            assert rows[name.upper()].strip() == f"`{default}`"


def wire(kind: str, game: str) -> Any:
    """The descriptor of a game's message: of its view, its options and so on."""
    return game_pb2.DESCRIPTOR.message_types_by_name[kind].fields_by_name[game].message_type


def section(game: str, heading: str) -> str:
    page = (ROOT / f"docs/games/{game}.md").read_text()
    return page.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


@pytest.mark.parametrize("game", GAMES)
def test_the_table_of_a_view_lists_just_what_is_on_the_wire(game: str) -> None:
    text = section(game, "What a bot sees" if game == "bluff" else "Views")
    table = re.split(r"\n\n", text.split("| --- | --- |\n", 1)[1], maxsplit=1)[0]
    told = [
        name for line in table.splitlines() for name in re.findall(r"`(\w+)`", line.split("|")[1])
    ]
    assert told == [field.name for field in wire("View", game).fields]


@pytest.mark.parametrize("game", GAMES)
def test_whatever_the_wire_names_otherwise_is_in_the_table_of_both(game: str) -> None:
    text = section(game, "Transcript and wire")
    options = {field.name for field in wire("Options", game).fields}
    told = set(re.findall(r"\b[a-z]\w+\b", text))
    own = set(make_game(game).options.model_dump())
    assert options - own <= told
    numbers = wire("Options", game).file.enum_types_by_name.values()
    values = {value.name for enum in numbers for value in enum.values}
    assert set(re.findall(r"`([A-Z]{3}[A-Z_0-9]+)`", text)) <= values


@pytest.mark.parametrize("game", GAMES)
def test_views_and_events_have_the_same_names_in_json_and_on_the_wire(game: str) -> None:
    """So says the row about them in the table of both."""
    definitions = GAMES[game].view_notation.definitions()
    view = set(definitions["view"]["properties"])
    left_out = view - {field.name for field in wire("View", game).fields}
    assert left_out <= {"seat", "to_act"}
    told = " and ".join(f"`{name}`" for name in sorted(left_out))
    assert f"the same names of members, but for {told} of a view" in " ".join(
        section(game, "Transcript and wire").split()
    )
    assert {field.name for field in wire("View", game).fields} <= view
    events = {field.name: field.message_type for field in wire("Event", game).fields}
    for reference in definitions["event"]["oneOf"]:
        members = dict(definitions[reference["$ref"].rpartition("/")[2]]["properties"])
        of_wire = events.pop(members.pop("type")["const"])
        assert set(members) == {field.name for field in of_wire.fields}
    assert not events


def commands() -> list[tuple[str, str]]:
    """Every `arena …` of a shell example, with the document it stands in."""
    found = []
    for document in DOCUMENTS:
        for block in re.findall(r"```(?:sh|)\n(.*?)```", document.read_text(), re.DOTALL):
            for line in block.replace("\\\n", " ").splitlines():
                told = line.partition("#")[0].removeprefix("$ ").removeprefix(".venv/bin/").strip()
                if told.startswith("arena "):
                    found.append((document.name, re.split(r"[|>&]", told)[0]))
    return found


def test_there_are_commands_to_check() -> None:
    assert len(commands()) > 5


@pytest.mark.parametrize(("document", "line"), commands())
def test_commands_exist_and_take_what_is_given(document: str, line: str) -> None:
    name, *arguments = shlex.split(line)
    command, context = typer.main.get_command(application(arguments)), None
    while hasattr(command, "resolve_command"):
        context = command.make_context(name, list(arguments), parent=context)
        name, command, arguments = command.resolve_command(context, arguments)
    assert command.make_context(name, list(arguments), parent=context), document
