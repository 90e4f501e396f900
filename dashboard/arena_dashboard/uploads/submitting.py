"""A bot that was just registered or uploaded: its starter, how to run it, and its first steps."""

import re
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from arena.builds.hosted import BuildState, HostedBuild
from arena.clients.owner_client import BotSeen
from arena.clients.referee_client import OwnerCallError
from arena.clients.upload_client import UploadClient
from arena.database.errors import StorageError
from arena.local.starters import LANGUAGES, starter_archive
from arena.rating.support import ENOUGH_CLUSTERS
from arena.server.results.match_search import MatchFilter
from arena.server.uploads.checks import RecordedCheck, check_in_words
from arena_dashboard.bots import bot_data
from arena_dashboard.owners import owners
from arena_dashboard.owners.owners import SignedIn
from arena_dashboard.parts.markup import Html, tag, together
from arena_dashboard.parts.tables import bot_link, replay_link
from arena_dashboard.reading import data

MADE = "made"
"""The key under which `owners.kept` has the bot that was registered on this page."""
NAMES: Final = {
    "python": "Python",
    "javascript": "JavaScript",
    "typescript": "TypeScript",
    "go": "Go",
    "rust": "Rust",
    "java": "Java",
    "cpp": "C++",
}
"""The display names of the starters' languages."""


@dataclass(frozen=True, slots=True)
class Made:
    """A version of a bot that was registered in this session."""

    bot: str
    version: str
    language: str
    token: str


@dataclass(frozen=True, slots=True)
class FirstStep:
    """A milestone of a new bot, such as its first match."""

    name: str
    done: bool
    words: Html | str = ""


def commands(made: Made, address: str) -> str:
    """Return the shell commands that start the bot."""
    return "\n".join(
        (
            f"export ARENA_ADDRESS={shlex.quote(address)}",
            f"export ARENA_TOKEN={shlex.quote(made.token)}",
            LANGUAGES[made.language].rpartition(" && ")[2],
        )
    )


def check_command(made: Made, address: str) -> str:
    """Return the command that checks the bot against the protocol and reports the outcome.

    It is for a shell in the folder of the starter.
    """
    run = LANGUAGES[made.language].rpartition(" && ")[2]
    return "\n".join((*commands(made, address).splitlines()[:-1], f"arena check -- {run}"))


def starter(made: Made, address: str) -> bytes:
    """Return the starter as a zip, with the address and the token in its run.sh."""
    return starter_archive(
        made.language,
        _folder(made),
        {"ARENA_ADDRESS": address, "ARENA_TOKEN": made.token},
    )


def file_name(made: Made) -> str:
    """Return the file name of the zip."""
    return f"{_folder(made)}.zip"


@dataclass(frozen=True, slots=True)
class StepsSeen:
    """The last known progress of a version."""

    steps: tuple[FirstStep, ...] = ()
    build: HostedBuild | None = None
    """The build of a version that was uploaded."""
    why_old: str = ""
    """Why the progress could not be updated; "" if it is current."""
    stranger: bool = False
    """Whether the owner's key is not valid any more."""

    @property
    def final(self) -> bool:
        """Whether the progress will never change again."""
        refused = self.build is not None and self.build.state is BuildState.REFUSED
        return self.stranger or (refused and not self.why_old)


class FirstSteps:
    """The progress of a version since its registration or upload. Threads may share it.

    An offer is over in a moment, so a step that was once seen as done stays done. While the referee
    or the database does not answer, the last known progress stays.
    """

    def __init__(
        self, client: UploadClient, key: str, bot: str, version: str, *, uploaded: bool
    ) -> None:
        self._client, self._key = client, key
        self.bot, self.version = bot, version
        self._uploaded = uploaded
        self._seen = StepsSeen()

    def look(self) -> StepsSeen:
        """Return the current progress."""
        if self._seen.stranger:  # more calls would use up the visitor's guesses of keys
            return self._seen
        try:
            self._seen = self._look()
        except OwnerCallError as error:
            self._seen = replace(self._seen, why_old=str(error), stranger=error.stranger)
        except StorageError as error:
            self._seen = replace(self._seen, why_old=data.why_nothing_is_read(error))
        return self._seen

    def _look(self) -> StepsSeen:
        """Raise OwnerCallError and StorageError."""
        bot = self._client.bot(self._key, self.bot)
        build = None
        if self._uploaded:
            builds = self._client.builds(self._key, self.bot)
            build = next(one for one in builds if one.version == self.version)
            if build.state is not BuildState.ACCEPTED:
                return StepsSeen(build=build)
        done = {step.name for step in self._seen.steps if step.done}
        return StepsSeen(steps(bot, self.version, done, self._check()), build)

    def _check(self) -> RecordedCheck | None:
        found = bot_data.profile(self.bot)
        versions = () if found is None else found.versions
        ids = [one.id for one in versions if one.version == self.version]
        return found.checks.get(ids[0]) if found is not None and ids else None


def first_steps(
    client: UploadClient, owner: SignedIn, bot: str, version: str, *, uploaded: bool = False
) -> FirstSteps:
    """Return the `FirstSteps` of a version, which this session keeps."""
    new = FirstSteps(client, owner.key, bot, version, uploaded=uploaded)
    # By the key, too: an owner may get a new one meanwhile.
    found: FirstSteps = owners.kept().setdefault((owner.key, bot, version), new)
    return found


def complete(found: StepsSeen) -> bool:
    """Return whether all steps are done, apart from the check, which is optional."""
    waited_for = [one for one in found.steps if one.name != "checked"]
    return bool(waited_for) and not found.why_old and all(one.done for one in waited_for)


def steps(
    bot: BotSeen, version: str, seen: Collection[str], check: RecordedCheck | None = None
) -> tuple[FirstStep, ...]:
    """Return the progress of a version; `seen` are the steps that it had done before."""
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
            "It is not connected now." if away else "",
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
    "connected": ("It has connected", "Waiting for it to connect"),
    "checked": (
        "It conforms to the protocol",
        "Not checked against the protocol, or the check failed",
    ),
    "offered": (
        "A match was offered to it",
        "Waiting for the first offer, which needs a free opponent",
    ),
    "played": ("Its first match is recorded", "Waiting for the end of its first match"),
    "rated": ("It has a rating", "Waiting for its first complete block of matches"),
}


def steps_in_html(found: Sequence[FirstStep]) -> Html:
    """Return the steps as a list that a screen reader follows."""
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


PROVISIONAL: Final = f", provisional until {ENOUGH_CLUSTERS} blocks link it to the others. "


def _rating(bot: str, version: str) -> Html | str:
    for _, lines in bot_data.ladders_of(bot):
        for line in lines:
            if line.version == version:
                low, high = line.interval
                words = f"Elo {line.elo:.0f} ({low:.0f} to {high:.0f})"
                words += PROVISIONAL if line.provisional else ". "
                return together(words, tag("a", "Its page", href=bot_link(bot)))
    return ""


def _folder(made: Made) -> str:
    """Return a name for files: ASCII, without characters special to shells or file systems."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", made.bot).strip("-.")
    return plain or f"{made.language}-bot"
