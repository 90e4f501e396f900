"""`documents`: the pages of the documentation as Markdown, as `make docs` writes them.

They are in the package of the dashboard, which serves them; its dependencies are not needed here.
"""

import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Document:
    """A page of the documentation."""

    path: Path
    title: str
    about: str
    """Its first sentence."""

    def text(self) -> str:
        """Return the page as Markdown."""
        return self.path.read_text("utf-8")


_LINE = re.compile(r"^- \[(?P<title>.+)\]\((?P<path>[\w./-]+)\): (?P<about>.+)$", re.MULTILINE)


def documents(folder: Path | None = None) -> dict[str, Document]:
    """Return the pages that the folder's llms.txt lists, and the skill, by name (`play.md`).

    The folder is by default the dashboard's; the result is empty if that is not built.
    """
    folder = folder or _built()
    listing = None if folder is None else folder / "llms.txt"
    if folder is None or listing is None or not listing.is_file():
        return {}
    found = {
        one["path"]: Document(folder / one["path"], one["title"], one["about"])
        for one in _LINE.finditer(listing.read_text("utf-8"))
    }
    skill = Document(
        folder / "skill.md", "From nothing to a rated bot", "Commands, in their order."
    )
    return {"skill.md": skill, **found}


def _built() -> Path | None:
    dashboard = find_spec("arena_dashboard")
    return (
        None
        if dashboard is None or not dashboard.origin
        else Path(dashboard.origin).with_name("docs")
    )
