"""`arena event similar`: programs of an event that resemble each other, for a person to judge."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.commands.errors import CommandError, cannot_be_written
from arena.commands.events.organising import EventName
from arena.commands.jobs_option import processor_count
from arena.commands.options import AsJson
from arena.commands.terminal import say, say_json

if TYPE_CHECKING:  # not at run time: an error in the arguments must not wait for SQLAlchemy
    from arena.commands.events.behaviour import JudgedBuild
    from arena.server.app.store import Store
    from arena.server.events.event import Event, Finalist
    from arena.server.events.similarity.report import Similarity, Sources
    from arena.server.events.similarity.winnowing import Source
    from arena.worker.kept_builds import KeptBuilds


def similar(
    name: EventName,
    top: Annotated[
        int, typer.Option(min=1, help="How many pairs of each part, the most similar first.")
    ] = 20,
    sources: Annotated[bool, typer.Option(help="Compare the sources.")] = True,
    behaviour: Annotated[
        bool, typer.Option(help="Ask the programs, in the sandbox, and compare their answers.")
    ] = True,
    soft_play: Annotated[
        bool, typer.Option(help="Look for pairs that lose to each other on purpose.")
    ] = True,
    positions: Annotated[
        int, typer.Option(min=100, max=10_000, help="How many positions each program is asked.")
    ] = 1_000,
    seed: Annotated[
        str | None, typer.Option(help="Ask the same positions again; by default they are new.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", min=1, help="How many programs run at a time; default: cores."
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write these pairs side by side to a page.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare the builds of an event's freeze: sources, answers, and losses to each other.

    Sources by common passages, without those of the documentation's first bots; answers by all
    programs in the same positions, also of binaries; losses in the matches of the final, before the
    results too, and in analysed ones of the ladder. No verdict: docs/events.md says how to read it.

    On the arena's machine alone, for the operator: it reads everybody's programs, and runs them.
    """
    from arena.commands.database import with_store
    from arena.commands.events import behaviour as asking
    from arena.commands.events import soft_play as losing
    from arena.commands.events.similar_printed import print_similarity, similarity_json
    from arena.server.events.similarity.report import LeftOut, Similarity
    from arena.worker.kept_builds import KeptBuilds
    from arena.worker.own_process import scratch_folder

    jobs = jobs or processor_count()
    not_wanted = LeftOut("It was not asked for.")
    with scratch_folder() as folder:

        async def read(store: "Store") -> Any:
            event, _ = await store.events.named(name)
            if event.frozen_at is None:
                raise CommandError(f"The builds of {event.name} are not fixed yet.")
            finalists = await store.finals.finalists(event)
            away = [one.registered.entrant.bot for one in finalists if one.sha256 is None]
            if away:
                say(f"Connected, without a build to compare: {', '.join(away)}.", err=True)
            finalists = [one for one in finalists if one.sha256 is not None]
            kept = KeptBuilds(folder / "builds", len(finalists) + 1)
            found = [
                await _fetched(store, event, one, kept if behaviour else None, sources)
                for one in finalists
            ]
            played = await losing.played(store, event, finalists) if soft_play else not_wanted
            return event, found, played

        event, found, played = with_store(read)
        builds = [build for _, build in found]
        similarity = Similarity(
            event.name,
            _compared([source for source, _ in found if source is not None])
            if sources
            else not_wanted,
            asking.behaviour(
                builds,
                event.terms.rules,
                seed=seed or secrets.token_hex(8),
                positions=positions,
                jobs=jobs,
            )
            if behaviour
            else not_wanted,
            losing.examined(played, [one.program.bot for one in builds], jobs),
        )
        if html is not None:
            _write(html, similarity, top)
    if as_json:
        say_json(similarity_json(similarity, top))
        return
    print_similarity(similarity, top)


async def _fetched(
    store: "Store",
    event: "Event",
    finalist: "Finalist",
    kept: "KeptBuilds | None",
    with_source: bool,
) -> "tuple[Source | None, JudgedBuild]":
    """Return the sources of a build, and the build unpacked to run."""
    from arena.builds.errors import BuildRefusedError
    from arena.commands.events.behaviour import JudgedBuild
    from arena.server.events.similarity import winnowing as comparing
    from arena.server.events.similarity.report import JudgedBot
    from arena.worker.program import command_of
    from arena.worker.sandbox import HostedProgram

    entrant = finalist.registered.entrant
    program = JudgedBot(entrant.bot, entrant.owner)
    assert finalist.sha256 is not None, "those without a build are left out"
    data = await store.finals.build_file(event.id, finalist.sha256)

    async def fetch() -> bytes:
        return data

    source = None
    if with_source:
        source = comparing.source(
            entrant.bot, entrant.owner, finalist.sha256, finalist.file_name, data
        )
    if kept is None:
        return source, JudgedBuild(program, None)
    build, folder = await kept.get(finalist.sha256, finalist.file_name, fetch)
    try:
        return source, JudgedBuild(program, HostedProgram(folder, command_of(build)))
    except BuildRefusedError as error:
        return source, JudgedBuild(program, None, f"cannot run here. {error}")


def _compared(sources: "Sequence[Source]") -> "Sources":
    from arena.local.starters import first_bots
    from arena.server.events.similarity import winnowing as comparing
    from arena.server.events.similarity.report import Sources

    return Sources(len(sources), comparing.similar(sources, first_bots()))


def _write(file: Path, found: "Similarity", top: int) -> None:
    from arena.server.events.similarity.report_page import page

    try:
        file.write_text(page(found, top), "utf-8")
    except OSError as error:
        raise cannot_be_written(file, error) from error
