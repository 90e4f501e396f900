"""`AgentTools`: the tools by name; agents read their docstrings and annotations."""

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from threading import Lock
from typing import Annotated, Any, Final

from pydantic import Field

from arena.agents.account import AgentAccount
from arena.agents.documents import documents
from arena.agents.table import LONGEST_WAIT, TableError
from arena.bridge.schemas import schema
from arena.games import GAMES, make_game
from arena.lab.analysis import Grade, analyse
from arena.match.clock import TimeControl
from arena.match.fault_steps import turns_by_step
from arena.match.notes import note_to_json
from arena.match.transcript import Entrant
from arena.match.transcript_json import to_json
from arena.moments import iso_utc
from arena.person.play_endpoint import Wanted
from arena.showing.replay_in_words import replay_in_words

BANK_SECONDS: Final = 300
"""The time bank of an agent's match."""

_ANALYSING: Final = Lock()
"""Limits analyses to one at a time: each takes seconds of a processor that waiting agents need."""

Game = Annotated[str, Field(description="The game.", json_schema_extra={"enum": [*GAMES]})]
Table = Annotated[str, Field(description="The table, as `join` named it.")]
MatchId = Annotated[str, Field(description="The match's id.")]
Limit = Annotated[int, Field(ge=1, le=200, description="How many at most.")]


def rules(game: str) -> str:
    """Return a game's rules for players, as Markdown. Raises UnknownGameError."""
    make_game(game, {})
    return (files("arena.games") / game / "rules.md").read_text("utf-8")


def places(entrants: Sequence[Entrant], placing: Sequence[int]) -> list[dict[str, Any]]:
    """Return who came where in a match, by seat."""
    return [
        {"bot": one.bot, "version": one.version, "place": place}
        for one, place in zip(entrants, placing, strict=True)
    ]


@dataclass(frozen=True)
class AccountTools:
    """Tools of the account of each call."""

    account_of: Callable[[], AgentAccount]

    @property
    def account(self) -> AgentAccount:
        """The account of the call that is being answered."""
        return self.account_of()


class AgentTools(AccountTools):
    """The tools to play, and to read results."""

    def rules(self, game: Game) -> str:
        """Read the rules of a game, for players."""
        return rules(game)

    def action_schema(self, game: Game) -> dict[str, Any]:
        """Read the JSON Schema of a game's actions (`action`), views (`view`) and events."""
        make_game(game, {})
        return dict(schema(game)["$defs"])

    def docs(
        self, page: Annotated[str, Field(description="A page's name; empty for a list.")] = ""
    ) -> str:
        """Read a page of the documentation, such as skill.md, write-a-bot.md or games/bluff.md."""
        known = documents()
        if not page:
            return "\n".join(f"{name}: {one.about}" for name, one in known.items())
        if page not in known:
            raise TableError(
                f"There is no page {page[:40]!r}; there are {', '.join(known) or 'none here'}."
            )
        return known[page].text()

    def opponents(self) -> dict[str, Any]:
        """List the bots that can be played against now."""
        found = [
            {**asdict(one.entrant), "games": list(one.games), "free": one.free}
            for one in self.account.play().rivals()
        ]
        return {"opponents": found}

    async def join(
        self,
        bot: Annotated[
            str,
            Field(description="The name of your bot for this; it is registered if it is new."),
        ],
        game: Game = "bluff",
        opponents: Annotated[
            list[str] | None, Field(description="Bots to play against; else the referee chooses.")
        ] = None,
        options: Annotated[
            dict[str, Any] | None, Field(description="Options that differ from the game's own.")
        ] = None,
        turn_seconds: Annotated[
            int, Field(ge=1, le=600, description="Time to think for each turn.")
        ] = 120,
    ) -> dict[str, Any]:
        """Sit down at a table and ask for an unrated match.

        Then call wait_for_turn and act until the match is over.
        """
        rules_of_match = make_game(game, options or {}).options.model_dump(mode="json")
        control = TimeControl(1000 * turn_seconds, 1000 * BANK_SECONDS)
        wanted = Wanted(game, tuple(opponents or ()), options=options or {}, time_control=control)
        token = await asyncio.to_thread(self.account.token, bot)
        table = await self.account.join(token, wanted)
        return {"table": table, "options": rules_of_match}

    async def wait_for_turn(
        self,
        table: Table,
        seconds: Annotated[
            float, Field(ge=0, le=LONGEST_WAIT, description="How long to wait.")
        ] = LONGEST_WAIT,
    ) -> dict[str, Any]:
        """Wait until it is your turn or the match is over.

        The answer has what happened since the last call in words, your view as JSON, the legal
        actions, and the seconds left. `state` is `your_turn`, `waiting` (call again), `over` or
        `no_match`.
        """
        return await self.account.table(table).wait_for_turn(seconds)

    async def act(
        self,
        table: Table,
        turn: Annotated[int, Field(description="The number of the open turn.")],
        action: Annotated[
            dict[str, Any], Field(description="One of legal_actions, or another legal one.")
        ],
        note: Annotated[
            str,
            Field(
                description="What you think; `notes` shows it after the match, to your owner alone "
                "unless the owner shares it."
            ),
        ] = "",
    ) -> dict[str, Any]:
        """Play an action, and wait for what comes of it as wait_for_turn does."""
        seat = self.account.table(table)
        await seat.act(turn, action, note)
        return await seat.wait_for_turn(LONGEST_WAIT)

    async def play_again(self, table: Table) -> dict[str, Any]:
        """Ask for another match at the same table, once one is over."""
        seat = self.account.table(table)
        await seat.play_again()
        return await seat.wait_for_turn(LONGEST_WAIT)

    async def leave(self, table: Table) -> str:
        """Leave a table; a running match is forfeited."""
        self.account.leave(table)
        return "You have left."

    def leaderboard(
        self,
        game: Game = "bluff",
        seats: Annotated[
            int, Field(ge=0, le=6, description="The table size; 0: the one most played.")
        ] = 0,
        limit: Limit = 20,
    ) -> dict[str, Any]:
        """Read the best ratings of a game, with their 95 % intervals.

        `rank` is null while a bot is provisional; the anchor has a fixed Elo.
        """
        size, found = self.account.results().leaderboard(game, seats, limit)
        ratings = [
            {
                "rank": None if "provisional" in one.marks else rank,
                **asdict(one.entrant),
                "elo": round(one.elo, 1),
                "interval": [round(bound, 1) for bound in one.interval],
                "matches": one.matches,
                "marks": [*one.marks, *(["anchor"] if one.anchor else [])],
            }
            for rank, one in enumerate(found, start=1)
        ]
        return {"game": game, "seats": size, "ratings": ratings}

    def matches(
        self,
        bot: Annotated[str, Field(description="One bot's name; empty for all.")] = "",
        limit: Limit = 20,
        page: Annotated[str, Field(description="`next_page` of the page before.")] = "",
        won: Annotated[
            bool | None, Field(description="Only those that the bot has won (true) or not (false).")
        ] = None,
        rated: Annotated[bool, Field(description="Only rated matches.")] = False,
    ) -> dict[str, Any]:
        """List finished matches, newest first. `next_page` is empty after the last."""
        results = self.account.results()
        found, more = results.matches_page(bot, limit, page, won=won, rated=rated)
        matches = [
            {
                "match": one.match_id,
                "game": one.game,
                "finished": iso_utc(one.finished),
                "rated": one.rated,
                "places": places(one.entrants, one.placing),
                "faults": list(one.faults),
            }
            for one in found
        ]
        return {"matches": matches, "next_page": more}

    def replay(self, match: MatchId) -> dict[str, Any]:
        """Read a finished match step by step in words, with all secrets open, and its faults.

        What was rolled, dealt or drawn is an action of the game as JSON.
        """
        return replay_in_words(self.account.results().transcript(match))

    def notes(self, match: MatchId) -> dict[str, Any]:
        """Read what bots noted beside their answers in a finished match: yours, and shared ones.

        `turn` is that of the decision in `analyse`.
        """
        found = self.account.results().notes(match, self.account.key or None)
        return {"notes": [note_to_json(one) for one in found]}

    def transcript(self, match: MatchId) -> dict[str, Any]:
        """Read the whole record of a finished match, as JSON."""
        return dict(to_json(self.account.results().transcript(match)))

    def analyse(self, match: MatchId) -> dict[str, Any]:
        """Read what each graded decision of a finished match cost, in chances to win.

        `step` is that of `replay`, `turn` that of `notes`. `claim_true` is how likely the claim was
        that the action answered, by what its seat saw; `win` the chance after the action; `loss`
        what it gave away against `better`, the best action, null if that was played. Bluff without
        its extension has losses; other games have only `claim_true`. `seats` has sums by seat.
        """
        transcript = self.account.results().transcript(match)
        notation = transcript.setup.make_game().notation
        names = [str(entrant) for entrant in transcript.setup.entrants]
        if not _ANALYSING.acquire(blocking=False):
            raise TableError("Another match is being analysed here: ask again in a moment.")
        try:
            found = analyse(transcript)
        finally:
            _ANALYSING.release()
        turns = turns_by_step(transcript)
        decisions = [
            {
                "step": one.step,
                "turn": turns.get(one.step),
                "bot": names[one.seat],
                "action": notation.to_json(one.action),
                "claim_true": _rounded(one.unread),
                "win": _rounded(one.win),
                "loss": _rounded(one.loss),
                "grade": None if one.grade is None else Grade(one.grade).value,
                "better": notation.to_json(one.best) if one.loss else None,
            }
            for one in found.decisions
        ]
        seats = [
            {
                "bot": name,
                "graded": len(seat.decisions),
                "mistakes": seat.mistakes,
                "loss": _rounded(sum(seat.losses)),
            }
            for name, seat in zip(names, found.seats, strict=True)
        ]
        return {"seats": seats, "decisions": decisions}


def _rounded(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(value, 4)
