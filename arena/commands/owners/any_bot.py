"""The operator's commands for bots of any owner.

They are `arena bot register`, `freeze`, `identical` and, with `--operator`, `list` and `show`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.commands.database import reading, with_store
from arena.commands.known_bots import require_bot
from arena.commands.listing import say_more_versions
from arena.commands.options import AsJson
from arena.commands.owners.operator import actor
from arena.commands.terminal import members, say, say_json, say_table
from arena.moments import in_utc, iso_utc
from arena.scheduling.bot_paces import pace_in_words

if TYPE_CHECKING:
    from arena.records import VersionId
    from arena.server.uploads.checks import RecordedCheck


def register(
    name: Annotated[str, typer.Argument(help="The bot's name.")],
    owner: Annotated[
        str, typer.Option(help="Its owner; bots of one owner never meet in rated matches.")
    ],
    version: Annotated[str, typer.Option(help="The release; each has its own rating.")] = "1",
) -> None:
    """As the operator, register a bot of any owner without limits, and print its token."""
    made, token = with_store(
        lambda store: store.register(name, owner, version, actor=actor()), begins=True
    )
    say(f"Registered {made.entrant} of {made.entrant.owner}.", err=True)
    tell_token(token)


def freeze(
    name: Annotated[str, typer.Argument(help="The bot's name.")],
    undo: Annotated[bool, typer.Option("--undo", help="Let it play again.")] = False,
) -> None:
    """As the operator, do not let a bot of any owner play for now. Its results stay."""
    with_store(lambda store: store.owners.freeze(name, actor(), frozen=not undo))
    say(f"{name} {'may play again' if undo else 'is frozen'}.", err=True)


def identical(
    as_json: AsJson = False,
    limit: Annotated[int, typer.Option(min=1, help="How many builds, the newest.")] = 50,
) -> None:
    """As the operator, list builds that several owners uploaded byte for byte, by SHA-256.

    The audit names the others at each such upload. They are not refused: a class begins with the
    same starter, and a byte more would be enough to pass.
    """
    rows = with_store(lambda store: store.builds.identical(limit))
    if as_json:
        say_json(
            [
                {
                    "sha256": bytes(row.sha256).hex(),
                    **members(row, "bot", "version", "owner"),
                    "uploaded": iso_utc(row.uploaded_at),
                }
                for row in rows
            ]
        )
        return
    if not rows:
        say("No build was uploaded by more than one owner.")
        return
    say_table(
        ("SHA-256", "bot", "version", "owner", "uploaded"),
        (
            (bytes(one.sha256).hex()[:16], one.bot, one.version, one.owner, in_utc(one.uploaded_at))
            for one in rows
        ),
    )


def any_bots(limit: int, search: str) -> tuple[list[dict[str, Any]], bool]:
    """Return the first versions of all owners' bots by name, as JSON, and whether more exist."""
    bots = with_store(lambda store: store.find_bots(search, limit + 1))
    return [
        {
            **members(bot, "bot", "version", "owner", "house"),
            "retired": bot.retired_at is not None,
            **_halted_json(bot),
            **members(bot, "pace", "matches"),
        }
        for bot in bots[:limit]
    ], len(bots) > limit


def show_bot(name: str, limit: int, *, as_json: bool) -> None:
    """Print a bot's newest versions, each with its last conformance check (`arena check`)."""
    from arena.server.accounts import bot_statements
    from arena.server.uploads.checks import check_in_words, last_checks

    with reading() as (read, _):
        every = read(bot_statements.bot_list(named=[name]))
        if not every:
            require_bot(read, name, "NAME")
        rows = every[: -limit - 1 : -1]
        checks = last_checks(read, [row.id for row in rows])
    if as_json:
        say_json(_bot_json(rows, checks))
        return
    newest = rows[0]
    marks = ["house"] * newest.house
    marks += ["frozen by the operator"] * (newest.frozen_at is not None)
    marks += ["paused by its owner"] * (newest.paused_at is not None)
    marks += ["its owner is banned"] * (newest.banned_at is not None)
    marks += [pace_in_words(newest.pace)] * (newest.pace is not None)
    say(", ".join([f"{newest.bot} by {newest.owner}", *marks]))
    lines = []
    for row in rows:
        check, retired = checks.get(row.id), "retired" * (row.retired_at is not None)
        checked = "Not checked." if check is None else check_in_words(check)
        lines.append((row.version, in_utc(row.created_at), row.matches, retired, checked))
    say_table(("version", "registered", "matches", "", "check"), lines)
    if len(every) > limit:
        say_more_versions(limit)


def _bot_json(rows: Sequence[Any], checks: "dict[VersionId, RecordedCheck]") -> dict[str, Any]:
    from arena.server.uploads.checks import check_json

    newest = rows[0]
    versions = []
    for row in rows:
        check = checks.get(row.id)
        versions.append(
            {
                "version": row.version,
                "registered_at": iso_utc(row.created_at),
                "retired": row.retired_at is not None,
                "matches": row.matches,
                "check": None if check is None else check_json(check),
            }
        )
    return {
        **members(newest, "bot", "owner", "house"),
        **_halted_json(newest),
        "pace": newest.pace,
        "versions": versions,
    }


def _halted_json(row: Any) -> dict[str, Any]:
    return {mark: getattr(row, f"{mark}_at") is not None for mark in ("frozen", "paused", "banned")}


def tell_token(token: str) -> None:
    """Print a token that cannot be read again."""
    say("Its token, shown only once (pass it to the bot as ARENA_TOKEN):", err=True)
    say(token)
