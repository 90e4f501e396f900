"""What the documents say of the code is true: links, limits, settings, commands."""

import importlib
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from arena.cli import application
from arena.settings import Settings

ROOT = Path(__file__).parents[1]
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "sample_bots/README.md"]


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


@pytest.mark.parametrize("document", ["README.md", "docs/write-a-bot.md"])
def test_everybody_is_shown_the_same_first_bot(document: str) -> None:
    examples = re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)
    assert (
        ROOT / "sample_bots/python/arena_sample_bots/starters/first_bot.py"
    ).read_text() in examples


def constant(path: str) -> Any:
    """The value of `module.NAME`, or of a field's default: `module.Class.field`."""
    parts = path.split(".")
    cut = len(parts) - (2 if parts[-2][0].isupper() else 1)
    found: Any = importlib.import_module(".".join(parts[:cut]))
    for name in parts[cut:]:
        found = getattr(found() if isinstance(found, type) else found, name)
    return found


def test_limits_are_those_of_the_code() -> None:
    text = (ROOT / "docs/protocol.md").read_text()
    limits = re.findall(r"\| ([\d.]+) \| `([\w.]+)` \|", text)
    assert len(limits) > 10
    for value, path in limits:
        assert constant(path) == float(value), path


def test_every_setting_is_explained_with_its_default() -> None:
    text = (ROOT / "docs/operate.md").read_text().split("## Settings")[1].split("\n## ")[0]
    rows = dict(re.findall(r"^\| `ARENA_(\w+)` \| ([^|]+) \|", text, re.MULTILINE))
    assert set(rows) == {name.upper() for name in Settings.model_fields}
    for name, field in Settings.model_fields.items():
        if field.default is not None:
            assert rows[name.upper()].strip() == f"`{field.default}`"


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
