"""`arena bot builds`, `roll-back` and `logs`: hosted bots, by their owners."""

from typing import Annotated

import typer

from arena.addresses import DEFAULT_ADDRESS
from arena.builds.hosted import BuildState
from arena.commands.errors import CommandError
from arena.commands.options import AddressOption, AsJson
from arena.commands.owners.logins import client_of, login_at
from arena.commands.terminal import members, say, say_json, say_table
from arena.moments import in_utc, iso_utc


def builds(
    name: Annotated[str, typer.Argument(help="One bot's name; without it, all of yours.")] = "",
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: AsJson = False,
) -> None:
    """List the builds that you uploaded, and what became of each."""
    found = client_of(address).builds(login_at(address).key, name)
    if name and not found:
        raise CommandError(f"You have uploaded no bot {name}: `arena bot builds` lists yours.")
    if as_json:
        lines = [
            {
                **members(one, "bot", "version"),
                "sha256": one.sha256.hex(),
                "bytes": one.size,
                "uploaded": iso_utc(one.uploaded_at),
                "state": one.state.value,
                **members(one, "reason", "plays", "kept", "running"),
            }
            for one in found
        ]
        say_json(lines)
        return
    rows = []
    for one in found:
        size = f"{one.size / 1000:,.1f}"
        words = one.in_words + ("" if one.kept else ", not kept any more")
        uploaded = in_utc(one.uploaded_at)
        rows.append((one.bot, one.version, uploaded, size, one.sha256.hex()[:12], words))
    say_table(("bot", "version", "uploaded", "kB", "SHA-256", ""), rows)
    for one in found:
        if one.state is BuildState.REFUSED:
            say(f"{one.bot} {one.version} was refused. {one.reason}")
        elif one.plays and one.reason:
            say(f"{one.bot} {one.version}: {one.reason}.")


def roll_back(
    name: Annotated[str, typer.Argument(help="The bot's name.")],
    version: Annotated[str, typer.Argument(help="The label of the version that is to play.")],
    address: AddressOption = DEFAULT_ADDRESS,
) -> None:
    """Let another accepted build of your bot play, from its next shift on."""
    client_of(address).roll_back(login_at(address).key, name, version)
    say(f"{name} plays with version {version} from its next shift on.", err=True)


def logs(
    name: Annotated[str, typer.Argument(help="The bot's name.")],
    version: Annotated[
        str, typer.Option(help="A version's label; by default the newest that you uploaded.")
    ] = "",
    limit: Annotated[int, typer.Option(min=1, help="How many shifts, the last that are over.")] = 1,
    match: Annotated[
        str, typer.Option(help="A match's id: only what it printed while it played that.")
    ] = "",
    address: AddressOption = DEFAULT_ADDRESS,
    as_json: AsJson = False,
) -> None:
    """Print what your hosted bot printed in its last shifts, and how they ended.

    Each line begins with the seconds since the shift began. What it prints in a running shift is
    known when that is over.
    """
    if match:
        _match_log(name, match, address, as_json=as_json)
        return
    shifts = client_of(address).shifts(login_at(address).key, name, version)
    running = [one for one in shifts if one.ended_at is None]
    found = running + [one for one in shifts if one.ended_at is not None][:limit]
    if as_json:
        lines = [
            {
                "began": iso_utc(one.began_at),
                "ended": one.ended_at and iso_utc(one.ended_at),
                **members(one, "check", "outcome"),
                "matches": one.match_ids,
                "log": one.log,
            }
            for one in found
        ]
        say_json(lines)
        return
    if not found:
        say("It has not run yet.")
    for one in reversed(found):
        what = "check" if one.check else "shift"
        say(f"--- {in_utc(one.began_at)}, {what}: {one.outcome or 'it runs.'}")
        say(one.log.rstrip("\n"))


def _match_log(name: str, match: str, address: str, *, as_json: bool) -> None:
    found = client_of(address).match_log(login_at(address).key, name, match)
    if as_json:
        line = {
            "version": found.version,
            "shift_began": iso_utc(found.shift_began_at),
            "started": iso_utc(found.started_at),
            "finished": iso_utc(found.finished_at),
            "other_matches": found.other_matches,
            "log": found.log,
        }
        say_json(line)
        return
    times = [
        (one - found.shift_began_at).total_seconds()
        for one in (found.started_at, found.finished_at)
    ]
    say(
        f"--- version {found.version}, {in_utc(found.started_at)}, from {times[0]:.3f} to "
        f"{times[1]:.3f} s of its shift. {found.in_words}"
    )
    say(found.log.rstrip("\n"))
