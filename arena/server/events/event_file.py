"""`read_event`: an event from the text of an `event.toml`."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from arena.builds.house import games_of, house_bots
from arena.errors import UserError
from arena.games import make_game
from arena.match.clock import TimeControlError, read_time_control
from arena.match.score_rule import ScoreRule
from arena.scheduling.formats import FormatName
from arena.server.events.event import (
    Admission,
    Dates,
    EntryLimits,
    FinalRules,
    LadderRules,
    NewEvent,
)
from arena.toml_text import TomlError, read_toml
from arena.validation_errors import error_text
from arena.wording import span

EXAMPLE = """\
title = "Bluff in autumn"
text = \"\"\"
A contest for bots at two seats. **Everybody** may enter one bot.
\"\"\"
game = "bluff"             # or bluff_you, bloeff, skull
entry = "open"             # or "code", which is printed once; or "roster": see `roster`
practice = true            # new builds between the freeze and the results
private = false            # true: its members alone see it
connected = false          # true: bots may also connect from their owners' machines

[ladder]                   # its own, apart from the public one; leave it out if you want none
house = ["random", "timid", "honest"]   # house bots that play on it
pace = 600                 # the most matches an hour

[limits]
members = 4                # people in a team
builds = 10                # per bot and day (UTC), with those that are refused
bots = 60                  # in all

[final]
format = "round-robin"     # or swiss, knockout, groups
seats = 2
blocks = 20                # of a pairing; in each a deal is played once from every seat
live = false               # true: everybody sees its matches as they are played

[dates]
opens   = 2026-12-01T08:00:00+01:00
freeze  = 2026-12-18T18:00:00+01:00   # the builds that play then are those of the final
final   = 2026-12-18T18:10:00+01:00
results = 2026-12-19T18:00:00+01:00   # before it nobody sees the seed, nor a final that is not live
"""
"""An event.toml, as `arena event example` prints it."""


class EventFileError(UserError):
    """The text is not a valid event; the message says what is wrong with it."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Final(_Part):
    format: str = "round-robin"
    seats: Annotated[int, Field(ge=2)] = 2
    blocks: Annotated[int, Field(ge=1, le=1000)] = 20
    rounds: Annotated[int, Field(ge=1, le=1000)] | None = None
    groups: Annotated[int, Field(ge=1, le=1000)] | None = None
    advance: Annotated[int, Field(ge=1, le=1000)] | None = None
    score: str = "placement"
    time: str = ""
    live: bool = False


_Limit = Annotated[int, Field(ge=1, le=10_000)] | None


class _Limits(_Part):
    members: _Limit = None
    builds: _Limit = None
    bots: _Limit = None


class _Dates(_Part):
    opens: datetime
    freeze: datetime
    final: datetime
    results: datetime


class _Ladder(_Part):
    house: Annotated[list[str], Field(max_length=20)] = []
    pace: Annotated[int, Field(ge=1, le=100_000)] = 600
    blocks: Annotated[int, Field(ge=1, le=10_000)] = 200


def _shown(text: str) -> str:
    if not all(one.isprintable() or one in "\n\t" for one in text):
        raise ValueError("it holds characters that cannot be shown")
    return text


def _line(text: str) -> str:
    if not text.strip() or "\n" in text or "\t" in text:
        raise ValueError("it must be one line that is not blank")
    return _shown(text)


class _EventFile(_Part):
    title: Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_line)]
    text: Annotated[str, Field(max_length=20_000), AfterValidator(_shown)] = ""
    game: str
    options: dict[str, Any] = {}
    entry: str = "open"
    practice: bool = False
    limits: _Limits = _Limits()
    private: bool = False
    connected: bool = False
    ladder: _Ladder | None = None
    final: _Final = _Final()
    dates: _Dates


def read_event(text: str) -> NewEvent:
    """Return the event of an event.toml.

    Raises EventFileError, and UnknownGameError and OptionsError of the game.
    """
    try:
        found = _EventFile.model_validate(read_toml(text))
    except TomlError as error:
        raise EventFileError(f"The file {error}.") from error
    except ValidationError as error:
        raise EventFileError(f"{error_text(error, whole='the event')}.") from error
    game, final = make_game(found.game, found.options), found.final
    if final.seats not in game.seat_counts:
        allowed = span(game.seat_counts[0], game.seat_counts[-1])
        raise EventFileError(f"final.seats is {final.seats}: {game.title} is played by {allowed}.")
    try:
        control = read_time_control(final.time)
    except TimeControlError as error:
        raise EventFileError(f"final.time: {error}.") from error
    dates = Dates(found.dates.opens, found.dates.freeze, found.dates.final, found.dates.results)
    if why := dates.why_refused:
        raise EventFileError(f"{why[0].upper()}{why[1:]}.")
    rules = FinalRules(
        format=_format(final.format),
        game=game.name,
        options=game.options.changed(),
        seats=final.seats,
        blocks=final.blocks,
        rounds=final.rounds,
        score=_named(ScoreRule, "final.score", final.score),
        time_control=control,
        groups=final.groups,
        advance=final.advance,
    )
    entry: Admission = _named(Admission, "entry", found.entry)
    limits = EntryLimits(**found.limits.model_dump())
    if found.private and entry is Admission.OPEN:
        raise EventFileError(
            'A private event is for those whom its organiser lets in: entry is "code" or "roster".'
        )
    if found.private and final.live:
        raise EventFileError(
            "final.live is for everybody to see, and a private event is not: leave one of them out."
        )
    if found.connected and not final.live:
        raise EventFileError(
            "A bot that connects sees its own matches, so a final with connected bots cannot be "
            "blind: say live = true in [final], or connected = false."
        )
    ladder = _ladder(found.ladder, game.name)
    if found.private and ladder is None:
        ladder = LadderRules((), _Ladder().pace, _Ladder().blocks)
    return NewEvent(
        *(found.title, found.text, rules, dates, entry, found.practice, limits, final.live),
        *(ladder, found.private, found.connected),
    )


def _ladder(found: _Ladder | None, game: str) -> LadderRules | None:
    if found is None:
        return None
    known = house_bots()
    for name in found.house:
        if name not in known:
            raise EventFileError(f"ladder.house names {name[:40]}: there are {', '.join(known)}.")
        if game not in games_of(name):
            raise EventFileError(f"ladder.house names {name}, which does not play {game}.")
    return LadderRules(tuple(dict.fromkeys(found.house)), found.pace, found.blocks)


def _format(value: str) -> FormatName:
    found: FormatName = _named(FormatName, "final.format", value)
    if found is FormatName.GAUNTLET:
        raise EventFileError("A gauntlet has one bot that meets all others: it is no final.")
    return found


def _named(kind: Any, member: str, value: str) -> Any:
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(one.value for one in kind)
        raise EventFileError(f'{member} is "{value}": say one of {known}.') from None
