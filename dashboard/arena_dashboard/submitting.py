"""A bot that was just registered: its starter, how to run it, and its first steps."""

import re
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from arena.boards.checks import check_in_words
from arena.home.starters import LANGUAGES, starter_archive
from arena.owner_client import BotSeen, OwnerCallError, OwnerClient
from arena.storage.checks import RecordedCheck
from arena.storage.match_search import MatchFilter
from arena_dashboard import bot_data, data
from arena_dashboard.markup import Html, tag, together
from arena_dashboard.tables import bot_link, replay_link

MADE = "made"
"""Under which the session's state holds the bot that was registered on this page."""
NAMES: Final = {
    "python": "Python",
    "javascript": "JavaScript",
    "typescript": "TypeScript",
    "go": "Go",
    "rust": "Rust",
    "java": "Java",
    "cpp": "C++",
}
"""The languages that starters are in, for people."""


@dataclass(frozen=True, slots=True)
class Made:
    """A version of a bot that was registered in this session."""

    bot: str
    version: str
    language: str
    token: str


@dataclass(frozen=True, slots=True)
class FirstStep:
    """Something that happens to a new bot sooner or later."""

    name: str
    done: bool
    words: Html | str = ""


def commands(made: Made, address: str) -> str:
    """What starts the bot, in a shell."""
    return "\n".join(
        (
            f"export ARENA_ADDRESS={shlex.quote(address)}",
            f"export ARENA_TOKEN={shlex.quote(made.token)}",
            LANGUAGES[made.language].rpartition(" && ")[2],
        )
    )


def check_command(made: Made, address: str) -> str:
    """What checks the bot against the protocol and reports what came of it, in a shell, in the
    folder of the starter."""
    run = LANGUAGES[made.language].rpartition(" && ")[2]
    return "\n".join((*commands(made, address).splitlines()[:-1], f"arena check -- {run}"))


def starter(made: Made, address: str) -> bytes:
    """The starter as a zip, with the address and the token in its run.sh."""
    return starter_archive(
        made.language,
        _folder(made),
        {"ARENA_ADDRESS": address, "ARENA_TOKEN": made.token},
    )


def file_name(made: Made) -> str:
    """What the browser is to call the zip."""
    return f"{_folder(made)}.zip"


class FirstSteps:
    """How far a version has come since it was registered. Threads may share it.

    An offer is over in a moment, so steps that were seen once stay done.
    """

    def __init__(self, client: OwnerClient, key: str, made: Made) -> None:
        self._client, self._key, self._made = client, key, made
        self._steps: tuple[FirstStep, ...] = ()

    def look(self) -> tuple[FirstStep, ...]:
        """The steps now. Raises OwnerCallError and StorageError."""
        (bot,) = self._client.bots(self._key, self._made.bot)
        done = {step.name for step in self._steps if step.done}
        self._steps = steps(bot, self._made.version, done, self._check())
        return self._steps

    def latest(self) -> tuple[FirstStep, ...]:
        """The same; what was seen last while the referee does not answer. Raises StorageError."""
        try:
            return self.look()
        except OwnerCallError:
            return self._steps

    def _check(self) -> RecordedCheck | None:
        found = bot_data.profile(self._made.bot)
        versions = () if found is None else found.versions
        ids = [one.id for one in versions if one.version == self._made.version]
        return found.checks.get(ids[0]) if found is not None and ids else None


def complete(found: Sequence[FirstStep]) -> bool:
    """Whether nothing is waited for any more; a check is the author's choice."""
    return all(step.done for step in found if step.name != "checked")


def steps(
    bot: BotSeen, version: str, seen: Collection[str], check: RecordedCheck | None = None
) -> tuple[FirstStep, ...]:
    """How far a version has come; `seen` are the steps that it had done before."""
    one = next(one for one in bot.versions if one.label == version)
    offered = one.playing > 0 or one.matches > 0 or "offered" in seen
    away = "connected" in seen and not one.connected
    match = None
    if one.matches:
        match = next(iter(data.find_matches(MatchFilter(bot=bot.name), limit=1)), None)
    rating = _rating(bot.name, version) if one.matches else ""
    watch = "" if match is None else tag("a", "Watch the latest", href=replay_link(match.match_id))
    faults = f"{one.faults} faults so far. " if one.faults else "No fault so far. "
    return (
        FirstStep(
            "connected",
            one.connected > 0 or "connected" in seen or one.matches > 0,
            "It is away now." if away else "",
        ),
        FirstStep(
            "checked",
            check is not None and not check.outcome.failed,
            "" if check is None else check_in_words(check),
        ),
        FirstStep("offered", offered),
        FirstStep(
            "played",
            one.matches > 0,
            together(f"{one.matches:,} recorded. ", faults, watch) if one.matches else "",
        ),
        FirstStep("rated", bool(rating), rating),
    )


_WORDS: Final = {
    "connected": ("It is connected", "Waiting for it to connect"),
    "checked": (
        "It conforms to the protocol",
        "Not checked against the protocol, or not with success",
    ),
    "offered": ("A match was offered to it", "Waiting for the first offer: a free opponent"),
    "played": ("Its first match is recorded", "Waiting for the end of its first match"),
    "rated": ("It has a rating", "Waiting for its first complete block of matches"),
}


def steps_in_html(found: Sequence[FirstStep]) -> Html:
    """The steps as a list that a screen reader follows."""
    return tag(
        "ol",
        *(
            tag(
                "li",
                tag("b", "✓ " if step.done else "… ", aria_hidden="true"),
                _WORDS[step.name][not step.done],
                ". ",
                step.words,
                class_="ba-done" if step.done else "ba-faint",
            )
            for step in found
        ),
        class_="ba-steps",
        role="status",
    )


def _rating(bot: str, version: str) -> Html | str:
    for _, lines in bot_data.ladders_of(bot):
        for line in lines:
            if line.version == version:
                low, high = line.interval
                words = f"Elo {line.elo:.0f} ({low:.0f} to {high:.0f}). "
                return together(words, tag("a", "Its page", href=bot_link(bot)))
    return ""


def _folder(made: Made) -> str:
    """A name for files: ASCII, without what a shell or a system minds."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", made.bot).strip("-.")
    return plain or f"{made.language}-bot"
