"""Conversion of the names of `--bots` to a tournament's entries, with checks and seeding.

A version that cannot play until someone changes something is refused; one that is only absent now
is admitted, because tournaments are created before their bots gather.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

from arena.commands.errors import CommandError
from arena.database.names import folded
from arena.database.rows import BotVersion
from arena.randomness import shuffled
from arena.records import VersionId
from arena.scheduling.formats import FormatName
from arena.scheduling.pairings import schedule_randomness
from arena.server.tournaments.participation import Participation
from arena.server.tournaments.tournaments import NewEntry


def bots_named(names: str) -> list[str]:
    """Return the bots of names as BOT or BOT:VERSION, separated by commas."""
    return [name.partition(":")[0].strip() for name in names.split(",") if name.strip()]


def versions_named(
    names: str,
    known: Sequence[BotVersion],
    participation: Mapping[VersionId, Participation],
) -> list[BotVersion]:
    """Return the versions named as BOT or BOT:VERSION, separated by commas.

    BOT stands for the playing version of a hosted bot, else for the newest in service. Raises
    CommandError, also for a version that cannot play.
    """
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    found = [_version_named(name, known, participation) for name in wanted]
    for one in found:
        if obstacle := participation[one.id].obstacle:
            raise CommandError(f"{one.bot} {one.version} {obstacle}.")
    for one, other in combinations(found, 2):
        if one.id == other.id:
            raise CommandError(f"{one.bot} {one.version} is named twice.")
    return found


def absent(
    entered: Sequence[BotVersion], participation: Mapping[VersionId, Participation]
) -> list[str]:
    """Return the versions that are not connected to play now, each with the reason."""
    reasons = ((one, participation[one.id].absence) for one in entered)
    return [f"{one.bot} {one.version} ({why})" for one, why in reasons if why]


def _version_named(
    name: str, known: Sequence[BotVersion], participation: Mapping[VersionId, Participation]
) -> BotVersion:
    bot, _, label = name.partition(":")
    versions = [one for one in known if folded(one.bot) == folded(bot)]
    versions = [one for one in versions if not label or one.version == label]
    in_service = [one for one in versions if one.retired_at is None]
    if in_service:
        for one in in_service:
            if not label and participation[one.id].plays == one.version:
                return one
        return max(in_service, key=lambda one: one.id)
    what = "is retired" if versions else "is not registered"
    raise CommandError(f"{name} {what}: see `arena bot list --operator`.")


def refuse_one_owner(entered: Sequence[BotVersion]) -> None:
    """Raise CommandError if two of a rated tournament's bots may not meet in rated matches."""
    for one, other in combinations(entered, 2):
        if folded(one.owner) == folded(other.owner) and not (one.house and other.house):
            raise CommandError(
                f"{one.bot} {one.version} and {other.bot} {other.version} both belong to "
                f"{one.owner}, and bots of one owner never meet in rated matches: leave one out, "
                "or add --unrated."
            )


def seeded(
    entered: Sequence[BotVersion],
    elo: Mapping[VersionId, float],
    format_name: FormatName,
    seed: str,
) -> list[NewEntry]:
    """Return the entries, best rated first.

    Bots without a rating come last, in random order by the seed. In a gauntlet the first named bot
    stays first: it is the one to be tested.
    """
    kept = 1 if format_name is FormatName.GAUNTLET else 0
    rest = sorted(entered[kept:], key=lambda one: one.id)
    drawn = shuffled(schedule_randomness(seed), "seeding", rest)
    ordered = sorted(drawn, key=lambda one: -elo.get(one.id, float("-inf")))
    return [NewEntry(one.id, elo.get(one.id)) for one in (*entered[:kept], *ordered)]
