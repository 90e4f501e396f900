"""`BotTools`: the tools by which an agent enters programs; see `AgentTools` for all others."""

import asyncio
import threading
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final

from mcp.server.mcpserver import Context
from pydantic import Field

from arena.agents import trials
from arena.agents.table import LONGEST_WAIT, TableError
from arena.agents.tools import AccountTools, Game, places
from arena.bot.challenging import (
    ChallengeAccepted,
    ChallengeError,
    ChallengeNews,
    ChallengeOver,
    ChallengePlayed,
    Challenger,
    Wanted,
)
from arena.builds.hosted import BuildState
from arena.games import make_game
from arena.moments import iso_utc

LOOK_SECONDS: Final = 2.0
"""The interval between queries for the outcome of an upload's check."""

OwnBot = Annotated[str, Field(description="One of your bots, as BOT or BOT:VERSION.")]
File = Annotated[str, Field(description="The path of a .py file, or of a .zip with bot.toml.")]


class BotTools(AccountTools):
    """The tools to enter programs."""

    def submit(
        self,
        bot: Annotated[str, Field(description="The name of your bot.")],
        source: Annotated[
            str, Field(description="The text of a Python file with one bot; or else `file`.")
        ] = "",
        file: Annotated[
            str,
            Field(description="The path of a .py file, or of a .zip with bot.toml, over stdio."),
        ] = "",
        version: Annotated[str, Field(description="A label; else the next free number.")] = "",
    ) -> dict[str, Any]:
        """Upload a bot; the arena checks it, which `check` waits for, and then lets it play.

        The page skill.md of `docs` has a whole bot, write-a-bot.md all that it may do. Over stdio
        `check` and `test` try a file before it is uploaded.
        """
        if bool(source) == bool(file):
            raise TableError("Give either `source` or `file`.")
        if file:
            self._require_own_files("give the text in `source`")
        name, data = ("bot.py", source.encode()) if source else trials.read_file(Path(file))
        key = self.account.require_key()
        if wrong := trials.syntax_error(name, data):
            raise TableError(f"This is not Python, and was not uploaded: {wrong}.")
        made = self.account.uploads().upload(key, bot, name, data, version)
        return {"bot": made.bot, "version": made.version, "sha256": made.sha256} | (
            {"notices": list(made.notices)} if made.notices else {}
        )

    def builds(
        self, bot: Annotated[str, Field(description="One of your bots; empty for all.")] = ""
    ) -> dict[str, Any]:
        """List your uploaded builds: whether they were accepted, and why not."""
        found = [
            {
                "bot": one.bot,
                "version": one.version,
                "state": one.state.value,
                "reason": one.reason,
                "plays": one.plays,
            }
            for one in self.account.uploads().builds(self.account.require_key(), bot)
        ]
        return {"builds": found}

    def log(
        self, bot: Annotated[str, Field(description="The name of your hosted bot.")]
    ) -> dict[str, Any]:
        """Read what your hosted bot printed in its last run that is over, and how that ended.

        `running` says whether another run goes on; `ended` is null if none is over yet.
        """
        shifts = self.account.uploads().shifts(self.account.require_key(), bot)
        over = next((one for one in shifts if one.ended_at is not None), None)
        return {
            "running": any(one.ended_at is None for one in shifts),
            "ended": None if over is None or over.ended_at is None else iso_utc(over.ended_at),
            "check": over is not None and over.check,
            "outcome": "" if over is None else over.outcome,
            "log": "" if over is None else over.log,
        }

    async def check(
        self,
        ctx: Context[Any, Any],
        bot: Annotated[str, Field(description="An uploaded bot of yours; or else `file`.")] = "",
        version: Annotated[str, Field(description="Of that bot; else the newest.")] = "",
        file: File = "",
    ) -> dict[str, Any]:
        """Learn whether a bot follows the protocol: an upload of yours, or a file on your machine.

        Of an upload it waits for the arena's check. A file is checked here, before an upload, over
        stdio alone. `accepted` is null while a check is not over: call again.
        """
        if bool(bot) == bool(file):
            raise TableError("Give either `bot` or `file`.")
        if not file:
            return await self._checked_upload(ctx, bot, version)
        self._require_own_files("`submit` the program, and check it by its name")
        steps = 0

        async def tell(step: str) -> None:
            nonlocal steps
            steps += 1
            await ctx.report_progress(steps, message=step)

        return await trials.check(Path(file), tell)

    async def _checked_upload(
        self, ctx: Context[Any, Any], bot: str, version: str
    ) -> dict[str, Any]:
        key, uploads = self.account.require_key(), self.account.uploads()
        told = ""
        deadline = asyncio.get_running_loop().time() + LONGEST_WAIT
        while True:
            builds = await asyncio.to_thread(uploads.builds, key, bot)
            seen = next((one for one in builds if version in ("", one.version)), None)
            if seen is None:
                what = f"{bot!r} with the version {version!r}" if version else repr(bot)
                raise TableError(f"You have uploaded no {what}: `submit` it first.")
            over = seen.state is not BuildState.CHECKING
            if over or asyncio.get_running_loop().time() >= deadline:
                break
            if seen.in_words != told:
                told = seen.in_words
                await ctx.report_progress(0, message=told)
            await asyncio.sleep(LOOK_SECONDS)
        return {
            "bot": seen.bot,
            "version": seen.version,
            "accepted": seen.state is BuildState.ACCEPTED if over else None,
            "reason": seen.reason if over else seen.in_words,
        }

    async def test(
        self,
        ctx: Context[Any, Any],
        new: File,
        old: File,
        game: Game = "bluff",
        elo: Annotated[
            float,
            Field(gt=0, le=1000, description="What counts as better, in normalised Elo."),
        ] = 50,
        seconds: Annotated[
            float, Field(ge=1, le=3600, description="How long at most; then it is undecided.")
        ] = LONGEST_WAIT,
    ) -> dict[str, Any]:
        """Test whether a program is better than an old one, by matches here until that is clear.

        Over stdio alone. `elo_interval` and `mean_score_sequence` hold the truth in 95 % of tests.
        Progress tells of the state; cancelling ends it.
        """
        make_game(game, {})
        self._require_own_files("upload both as bots, and let one `challenge` the other")

        async def tell(state: dict[str, Any]) -> None:
            played, to_go = state["matches"], state["matches_to_go"]
            low, high = state["mean_score_sequence"]
            said = f"score {state['mean_score']:.1%} ({low:.1%} to {high:.1%} at every look)"
            await ctx.report_progress(played, None if to_go is None else played + to_go, said)

        return await trials.compare(
            *(Path(new), Path(old)), game=game, bounds=(0.0, elo), seconds=seconds, tell=tell
        )

    async def challenge(
        self,
        ctx: Context[Any, Any],
        bot: OwnBot,
        opponents: Annotated[list[str], Field(description="Bots that accept: see `opponents`.")],
        game: Game = "bluff",
        matches: Annotated[int, Field(ge=1, le=100, description="One after the other.")] = 1,
        options: Annotated[
            dict[str, Any] | None, Field(description="Options that differ from the game's own.")
        ] = None,
    ) -> dict[str, Any]:
        """Let a connected bot of yours, hosted or run by you, play unrated matches against others.

        Waits 50 s at most; matches that are not over then, or when the call is cancelled, go on,
        and `matches` lists them.
        """
        make_game(game, options or {})
        wanted = Wanted(game, tuple(opponents), options=options or {}, matches=matches, bot=bot)
        news = _news(self.account.challenger(), wanted)
        told: dict[str, Any] = {"matches": [], "over": False, "reason": "The matches go on."}
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_WAIT):
                while not told["over"]:
                    match await news.get():
                        case ChallengeAccepted() as accepted:
                            told["challenge"] = accepted.challenge_id
                            told["opponents"] = [str(one) for one in accepted.opponents]
                        case ChallengePlayed() as played:
                            told["matches"].append(_told(played))
                            await ctx.report_progress(len(told["matches"]), matches)
                        case ChallengeOver() as over:
                            told |= {"over": True, "reason": over.reason or "All were played."}
                        case ChallengeError() as error:
                            if "challenge" not in told:
                                raise error
                            told["reason"] = f"{error} The matches go on; `matches` lists them."
                            break
        return told

    def _require_own_files(self, instead: str) -> None:
        if not self.account.own_files:
            raise TableError(f"This server is not on your machine: {instead}.")


def _news(
    challenger: Challenger, wanted: Wanted
) -> "asyncio.Queue[ChallengeNews | ChallengeError]":
    """Return a queue to which a thread writes the news of a challenge."""
    loop = asyncio.get_running_loop()
    news: asyncio.Queue[ChallengeNews | ChallengeError] = asyncio.Queue()

    def listen() -> None:
        with suppress(RuntimeError):  # the loop has ended
            try:
                for told in challenger.challenge(wanted):
                    loop.call_soon_threadsafe(news.put_nowait, told)
            except ChallengeError as error:
                loop.call_soon_threadsafe(news.put_nowait, error)

    threading.Thread(target=listen, name="challenge", daemon=True).start()
    return news


def _told(played: ChallengePlayed) -> dict[str, Any]:
    return {"match": played.match_id, "places": places(played.entrants, played.placing)}
