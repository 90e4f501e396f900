"""`arena ladder-climb`: lets an agent improve a bot, round by round, and says how far it came."""

import asyncio
import json
import secrets
import shlex
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from arena.builds.build import ZIP_FILE, Build, read_build
from arena.builds.errors import BuildRefusedError
from arena.builds.packing import pack
from arena.commands.climb.agent import run_agent
from arena.commands.climb.attempt import Attempt, attempt
from arena.commands.climb.climb import LADDER, Climb, ClimbFolder, next_rung
from arena.commands.climb.feedback import attempt_json, write_feedback, write_task
from arena.commands.climb.summary import best_round, score, summary_of, write_summary
from arena.commands.errors import CommandError
from arena.commands.experiments.folder import write_json
from arena.commands.options import TimeOption, time_control
from arena.commands.progress import progress
from arena.commands.terminal import say, say_json
from arena.local.benchmark import CERTIFIED, VALUED_MATCHES, Rung
from arena.local.loading import SAMPLE_BOTS
from arena.match.clock import TimeControl
from arena.worker.sandbox import why_not_here

_FIRST: Final = SAMPLE_BOTS / "starters" / "first_bot.py"
_MANIFEST: Final = 'command = ["bot.py"]\n'


def ladder_climb(
    agent: Annotated[
        str,
        typer.Argument(
            help="The command that improves the bot: it is run in a folder with TASK.md, bot/ and "
            "feedback/, once a round."
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where everything goes.")] = Path(
        "climb"
    ),
    start: Annotated[
        Path | None,
        typer.Option(
            help="The bot to begin with: a .py file, or a folder with bot.toml. By default that of "
            "the README."
        ),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, max=1000, help="The most rounds.")] = 10,
    matches: Annotated[
        int, typer.Option(min=40, help="The matches of an attempt at a rung.")
    ] = 400,
    round_seconds: Annotated[
        float, typer.Option(min=0.1, help="How long the agent may take in a round.")
    ] = 600.0,
    time_text: TimeOption = "",
    seed: Annotated[
        str,
        typer.Option(
            help="Decides all deals. By default each attempt draws a seed after the agent has "
            "ended, so that it cannot know it."
        ),
    ] = "",
    unconfined: Annotated[
        bool,
        typer.Option(
            "--unconfined",
            help="Run the agent's bot as an ordinary program, as `arena play` does, and not in the "
            "sandbox.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Let a coding agent climb the ladder of the house bots of Bluff: random, timid, honest, ….

    The same command goes on with a run that was interrupted.
    """
    climb = Climb(
        agent=_words(agent),
        rounds=rounds,
        matches=matches,
        round_seconds=round_seconds,
        time=time_text,
        seed=seed,
        confined=not unconfined,
    )
    control = time_control(time_text)
    if climb.confined and (why := asyncio.run(why_not_here())) is not None:
        raise CommandError(f"{why} --unconfined runs the agent's bot as an ordinary program.")
    beginning = _start(start)
    folder = ClimbFolder(out)
    if folder.open(climb):
        for name, data in beginning.items():
            (folder.bot / name).parent.mkdir(parents=True, exist_ok=True)
            (folder.bot / name).write_bytes(data)
        write_task(folder, climb)
    try:
        _climb(folder, climb, control)
        summary, drawn = _finish(folder, climb, control)
    except KeyboardInterrupt:
        say("Stopped. The same command goes on where it was.", err=True)
        raise
    if as_json:
        say_json(summary)
    else:
        say(f"{score(summary)} Everything is in {folder.path}.")
    if not drawn:
        say("Without PNG files: they need `pip install 'bluff-arena[figures]'`.", err=True)


def _words(agent: str) -> tuple[str, ...]:
    """Return the words of a command, existing files as absolute paths. Raises CommandError."""
    try:
        words = shlex.split(agent)
    except ValueError as error:
        raise CommandError(f"{agent!r} is no command: {error}.") from error
    if not words or (shutil.which(words[0]) is None and not Path(words[0]).is_file()):
        raise CommandError(f"There is no command {agent!r}.")
    return tuple(str(Path(word).absolute()) if Path(word).is_file() else word for word in words)


def _start(start: Path | None) -> dict[str, bytes]:
    """Return the files to begin with, by name. Raises CommandError and BuildRefusedError."""
    try:
        if start is None or not start.is_dir():
            data = (start or _FIRST).read_bytes()
            return {"bot.py": data, "bot.toml": _MANIFEST.encode()}
        pack(start)
        files = [file for file in sorted(start.rglob("*")) if file.is_file()]
        return {str(file.relative_to(start)): file.read_bytes() for file in files}
    except OSError as error:
        raise CommandError(f"{error.filename} cannot be read ({error.strerror}).") from error


def _climb(folder: ClimbFolder, climb: Climb, control: TimeControl) -> None:
    """Play the rounds that are missing."""
    for number in range(1 + sum(1 for _ in folder.rounds()), climb.rounds + 1):
        rung = next_rung(list(folder.rounds()))
        if rung == len(LADDER):
            return
        place = folder.round(number)
        if not (place / "agent.json").exists():
            say(f"Round {number}: the agent is at work; next rung: {LADDER[rung]}.", err=True)
            folder.work.mkdir(exist_ok=True)  # an agent may have removed it
            variables = {"ARENA_ROUND": str(number), "ARENA_RUNG": LADDER[rung]}
            ended = run_agent(
                climb.agent, folder.work, place / "agent.log", climb.round_seconds, variables
            )
            if ended["code"] != 0:
                say(f"Round {number}: the agent {ended['how']}: {place / 'agent.log'}.", err=True)
            ended["sha256"], ended["refused"] = _packed(folder.bot, place)
            write_json(place / "agent.json", ended)
        write_json(place / "round.json", _round(folder, climb, control, number, rung))


def _packed(bot: Path, place: Path) -> tuple[str | None, str]:
    """Store the agent's bot; return its hash and "", or None and why it is refused."""
    try:
        data = pack(bot)
        read_build(ZIP_FILE, data)
    except (BuildRefusedError, OSError) as error:
        return None, str(error)
    (place / ZIP_FILE).write_bytes(data)
    return sha256(data).hexdigest(), ""


def _round(
    folder: ClimbFolder, climb: Climb, control: TimeControl, number: int, rung: int
) -> dict[str, Any]:
    """Play a round's attempts, from a rung up to the first that is not beaten."""
    place = folder.round(number)
    ended = json.loads((place / "agent.json").read_text(encoding="utf-8"))
    refused, played, last = ended.pop("refused"), list[dict[str, Any]](), None
    if not refused:
        try:
            for name in LADDER[rung:]:
                last = _attempt(climb, control, place, number, Rung(name, -(-climb.matches // 2)))
                played.append(attempt_json(last))
                _say_attempt(number, last)
                if not last.beaten:
                    break
        except BuildRefusedError as error:
            refused = str(error)
    if refused:
        say(f"Round {number}: the bot is refused. {refused}", err=True)
    try:
        write_feedback(folder, place, last, refused)
    except OSError as error:  # caused by the agent; must not make the round be played again
        say(f"Round {number}: the feedback cannot be written ({error}).", err=True)
    sha = ended.pop("sha256")
    return {"round": number, "sha256": sha, "agent": ended, "refused": refused, "attempts": played}


def _attempt(climb: Climb, control: TimeControl, place: Path, number: int, rung: Rung) -> Attempt:
    seed = f"{climb.seed} round {number}" if climb.seed else secrets.token_hex(16)
    with progress(4 * rung.blocks, f"Round {number}, {rung.bot}") as advance:
        return attempt(
            _build(place),
            rung,
            seed,
            place,
            control,
            confined=climb.confined,
            z=climb.z,
            advance=advance,
        )


def _build(place: Path) -> Build:
    return read_build(ZIP_FILE, (place / ZIP_FILE).read_bytes())


def _say_attempt(number: int, one: Attempt) -> None:
    share = one.share
    if share is None:
        say(f"Round {number}: {one.rung} is not beaten. {one.why_not}", err=True)
        return
    beaten = "beaten" if one.beaten else "not beaten"
    interval = f"{share.share:.1%}, interval {share.low:.1%} to {share.high:.1%}"
    say(f"Round {number}: {one.rung} is {beaten} ({interval}).", err=True)


def _finish(folder: ClimbFolder, climb: Climb, control: TimeControl) -> tuple[dict[str, Any], bool]:
    """Measure the loss of the best version once, and write the summary."""
    rounds, file = list(folder.rounds()), folder.path / "final.json"
    best = best_round(rounds)
    if best is not None and not file.exists():
        place = folder.path / "final"
        place.mkdir(exist_ok=True)
        shutil.copy(folder.round(best["round"]) / ZIP_FILE, place)
        rung = Rung(CERTIFIED, -(-min(climb.matches, VALUED_MATCHES) // 2))
        measured = _attempt(climb, control, place, 0, rung)
        write_json(file, attempt_json(measured))
    final = json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
    summary = summary_of(climb, rounds, final)
    return summary, write_summary(folder, climb, summary)
