"""Builds the documentation site into a folder: `python -m tools.docs_site FOLDER`.

The pages are the Markdown files of the checkout, with README.md as the first one. A copy of them is
laid out for Zensical: docs/ at the top, so that addresses are short, all else below source/. Other
files that pages link to are there, too, as text. A link that leads nowhere fails the build.

Beside them are the pages as Markdown, llms.txt, which lists them for programs that read
(https://llmstxt.org), and llms-full.txt, which holds all that a bot's author needs.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
_LINK = re.compile(
    r"\[(?P<text>[^\[\]]*)\]\((?!https?:|mailto:|#)(?P<path>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)"
)
CODE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
_PICTURES = (".png", ".svg", ".webp")
_FOR_OPERATORS = frozenset(
    {
        *("architecture.md", "add-a-game.md", "expose-an-arena.md", "operate.md"),
        *("operate-data.md", "operate-deploy.md", "operate-growth.md", "skill.md"),
        *("speed.md", "speed-notes.md", "threat-model.md"),
    }
)
"""The pages that a bot's author does not need, or that llms-full.txt begins with."""
_DIRECTORY_PAGES = ("README.md", "__init__.py")
"""The pages to which a link to a directory leads; without one the link becomes plain text."""


def place(source: PurePosixPath) -> PurePosixPath:
    """Return the path of a checkout's file in the site's folder of pages."""
    if source == PurePosixPath("README.md"):
        return PurePosixPath("index.md")
    if source.is_relative_to("docs"):
        return source.relative_to("docs")
    # A browser shows files of these kinds; others it would download.
    shown = source.suffix in (".md", ".json", *_PICTURES)
    name = source.name if shown else f"{source.name}.txt"
    return PurePosixPath("source") / source.with_name(name)


def pages() -> dict[PurePosixPath, str]:
    """Return the text of each page by its path in the checkout, and of the files they link to."""
    found: dict[PurePosixPath, str] = {}
    waiting = [PurePosixPath("README.md")]
    waiting += [PurePosixPath(path.relative_to(ROOT)) for path in ROOT.glob("docs/**/*.md")]
    while waiting:
        source = waiting.pop()
        if source in found:
            continue
        found[source] = (ROOT / source).read_text()
        if source.suffix == ".md":
            waiting += [one for one in targets(source, found[source]) if is_text(one)]
    return found


def targets(source: PurePosixPath, text: str) -> Iterator[PurePosixPath]:
    """Yield the files of the checkout that a page links to. Raises SystemExit for a missing one."""
    for link in _LINK.finditer(CODE.sub("", text)):
        target = resolved(source, link["path"])
        if target is not None:
            if not (ROOT / target).exists():
                sys.exit(f"{source} links to {target}, which does not exist.")
            yield target


def resolved(source: PurePosixPath, link: str) -> PurePosixPath | None:
    """Return the file that a page's link leads to; None if it is a directory without a page."""
    path = PurePosixPath(os.path.normpath(source.parent / link))
    if not (ROOT / path).is_dir():
        return path
    inside = (path / name for name in _DIRECTORY_PAGES)
    return next((one for one in inside if (ROOT / one).exists()), None)


def is_text(source: PurePosixPath) -> bool:
    """Return whether a file is copied as text; pictures are copied with their folder."""
    return source.suffix not in _PICTURES


def rewritten(source: PurePosixPath, text: str) -> str:
    """Return a page with its links adapted to the places of files in the site."""

    def link(found: re.Match[str]) -> str:
        target = resolved(source, found["path"])
        if target is None:
            return found["text"]
        to = os.path.relpath(place(target), place(source).parent)
        return f"[{found['text']}]({to}{found['anchor'] or ''})"

    parts = CODE.split(text)
    return "".join(
        part if number % 2 else _LINK.sub(link, part) for number, part in enumerate(parts)
    )


def lay_out(folder: Path) -> None:
    """Write all pages, with their pictures, into a folder."""
    known = pages()
    for source, text in known.items():
        copy = folder / place(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(rewritten(source, text) if source.suffix == ".md" else text)
    for source, text in known.items():
        if source.suffix == ".md":
            for picture in targets(source, text):
                if not is_text(picture):
                    copy = folder / place(picture)
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(ROOT / picture, copy)


def write_for_programs(pages_at: Path, site: Path) -> None:
    """Write the pages as Markdown, llms.txt and llms-full.txt into a built site."""
    for path in pages_at.rglob("*.md"):
        shutil.copyfile(path, site / path.relative_to(pages_at))
    listed, whole = [], []
    for path in sorted(pages_at.glob("*.md")) + sorted(pages_at.glob("games/*.md")):
        name, text = path.relative_to(pages_at).as_posix(), path.read_text()
        title, first = _title_and_first_sentence(text)
        if name not in ("index.md", "skill.md"):
            listed.append(f"- [{title}]({name}): {first}")
        if name not in _FOR_OPERATORS:
            whole.append(text)
    skill = (ROOT / "docs/skill.md").read_text().split("---\n", 2)[2]
    head = (ROOT / "README.md").read_text().split("\n\n")[1]
    listing = "\n".join(listed)
    site.joinpath("llms.txt").write_text(
        f"# Bluff Arena\n\n> {head}\n\nFrom nothing to a rated bot: [skill.md](skill.md)\n\n"
        "All that a bot's author needs, in one file: [llms-full.txt](llms-full.txt)\n\n"
        f"## Pages\n\n{listing}\n"
    )
    site.joinpath("llms-full.txt").write_text("\n\n".join((skill, *whole)))


def _title_and_first_sentence(text: str) -> tuple[str, str]:
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    assert title is not None
    paragraphs = text[title.end() :].strip().split("\n\n")
    paragraph = next(one for one in paragraphs if re.match(r"(?!```)[^#|!<>-]", one))
    plain = re.sub(r"\[([^\[\]]*)\]\([^)]*\)", r"\1", paragraph.replace("\n", " "))
    return title[1], re.split(r"(?<=[.:]) ", plain)[0]


def main() -> None:
    """Build the site into the folder in the arguments, in place of what is there."""
    (into,) = map(Path, sys.argv[1:])
    with TemporaryDirectory() as temporary:
        home = Path(temporary)
        lay_out(home / "docs")
        shutil.copyfile(ROOT / "docs/zensical.toml", home / "zensical.toml")
        built = subprocess.run(
            [Path(sys.executable).with_name("zensical"), "build", "--strict"],
            cwd=home,
            capture_output=True,
            text=True,
        )
        if built.returncode:
            sys.exit(built.stdout + built.stderr)
        write_for_programs(home / "docs", home / "site")
        shutil.rmtree(into, ignore_errors=True)
        shutil.copytree(home / "site", into)


if __name__ == "__main__":
    main()
