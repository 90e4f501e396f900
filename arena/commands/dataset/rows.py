"""The rows of a data set of decisions: one for each decision of a match, in order."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final, TypeAlias, cast

from arena.commands.dataset.pyarrow_module import pyarrow_modules
from arena.commands.dataset.typed import Typed, action_columns, view_columns
from arena.commands.errors import CommandError
from arena.commands.terminal import json_text
from arena.games import GAMES
from arena.games.claims import claims_of
from arena.games.encoding import Encoding, EncodingError, encoding
from arena.games.game import DEALER
from arena.lab.analysis import AnalysedDecision, kept_form
from arena.match.replay import TranscriptError, replay
from arena.match.transcript import Step
from arena.rating.ladder_id import LadderId
from arena.server.boards.board import table_sizes
from arena.server.boards.ratings_then import RatingsThen
from arena.server.results.export import ExportedMatch

Rows: TypeAlias = list[tuple[Any, ...]]

_OF_MATCH: Final = {
    "match_id": ("string", "the id of the match"),
    "block_id": ("string", "the id of its block: the same bots once per rotation of the seats"),
    "game": ("string", "the game"),
    "options": ("string", "the options that differ from the defaults, as JSON"),
    "seats": ("int16", "the number of seats"),
    "turn_ms": ("int32", "the time limit of a turn, in milliseconds"),
    "bank_ms": ("int32", "the time bank of a seat, in milliseconds"),
    "started_at": ("time", "when the match began, in UTC"),
    "finished_at": ("time", "when it ended, in UTC"),
    "rated": ("bool", "whether it counts for the ratings"),
    "voided": ("bool", "whether it was declared void"),
    "termination": ("string", "finished, or forfeit"),
    "bots": ("strings", "the bots by seat, as NAME VERSION"),
    "placings": ("int16s", "the result: the place of each seat; 1 is best, equal places are ties"),
    "ratings": (
        "float64s",
        "the Elo of each seat's bot on the match's ladder before the match; null for a bot that "
        "was not rated then",
    ),
}
_OF_SEAT: Final = {
    "seat": ("int16", "the seat that decided, from 0"),
    "bot": ("string", "the name of its bot"),
    "version": ("string", "the bot's version; each release has a rating of its own"),
    "owner": ("string", "the bot's owner"),
    "placing": ("int16", "the place of the seat at the end"),
    "score": ("int64", "its points, as the rules count them; null after a forfeit"),
    "forfeited": ("bool", "whether the seat forfeited the match"),
    "rating": ("float64", "the bot's Elo before the match, as in ratings"),
}
_OF_DECISION: Final = {
    "step": ("int32", "the position of the action in the transcript, from 1"),
    "milliseconds": ("int32", "the time that the answer took"),
    "fault": ("string", "late, illegal, malformed or absent; null for a valid answer"),
    "forced": ("bool", "whether the action was played for the seat, after a fault or a forfeit"),
    "claim": (
        "float64",
        "the probability that the claim it answers is true, by what the seat saw; null without one",
    ),
    "claim_read": ("float64", "the same, with what the others' bets say about their dice"),
    "win": ("float64", "the chance to win after the action, from 0 to 1; null without a value"),
    "loss": ("float64", "what the action cost, in chances to win: the best action minus its own"),
    "grade": ("string", "best, fine, inaccurate, mistake or blunder"),
    "source": ("string", "where the value comes from: tables or search"),
}
FIXED: Final = _OF_MATCH | _OF_SEAT | _OF_DECISION
"""The columns of all games: their types and meanings by name."""

_ENCODED: Final = {
    "encoding": ("string", "the encoding of the next three, as bluff-obs/1; null without one"),
    "observation": ("float32s", "the view as numbers, see the page Learn"),
    "mask": ("uint8s", "1 for each action that was legal, else 0, by the number of the action"),
    "action_id": ("int32", "the number of the action taken"),
}
_ACTIONS: Final = {
    "action": "of the action taken; null if it has none",
    "better": "of the best action; null if that is the one taken, or unknown",
}


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of one game's decisions."""

    schema: Any
    """The Arrow schema; each field's metadata has its meaning, as `description`."""
    action: Sequence[Typed]
    view: Sequence[tuple[str, Sequence[Typed]]]
    """The columns of each member of the view, without the seat."""
    arrays: Sequence[int]
    """The indexes of the columns that hold arrays, all of one size within a match."""


@cache
def columns_of(game: str) -> Columns:
    """Return the columns of a game's decisions. Raises CommandError without pyarrow."""
    pyarrow, _ = pyarrow_modules()
    numbers = ("uint8", "int16", "int32", "int64", "float32", "float64")
    kinds = {name: getattr(pyarrow, name)() for name in ("string", *numbers)}
    kinds |= {f"{name}s": pyarrow.list_(kind) for name, kind in kinds.items()}
    kinds["bool"] = pyarrow.bool_()
    kinds["time"] = pyarrow.timestamp("us", tz="UTC")
    view = view_columns(GAMES[game])
    del view["seat"]

    def field(name: str, kind: Any, words: str) -> Any:
        return pyarrow.field(name, kind, metadata={"description": words})

    schema = [field(name, kinds[kind], words) for name, (kind, words) in (FIXED | _ENCODED).items()]
    for name, words in _ACTIONS.items():
        columns = action_columns(GAMES[game], name)
        schema += [field(key, one.arrow, words + _numbers(one)) for key, one in columns.items()]
    for member, columns in view.items():
        words = f"{member} in the seat's view before the action"
        schema += [field(key, one.arrow, words + _numbers(one)) for key, one in columns.items()]
    return Columns(
        pyarrow.schema(schema),
        tuple(action_columns(GAMES[game], "").values()),
        tuple((member, tuple(columns.values())) for member, columns in view.items()),
        tuple([*FIXED, *_ENCODED].index(name) for name in ("observation", "mask")),
    )


def _numbers(column: Typed) -> str:
    return f"; {column.words}" if column.words else ""


def rows_of(played: ExportedMatch, ratings: RatingsThen) -> tuple[Rows, int]:
    """Return the rows of a match, and how many decisions are left out because they are not shared.

    Raises CommandError if the transcript contradicts the rules.
    """
    match, transcript = played.match, played.transcript
    if not any(played.shared):
        return [], sum(step.actor is not DEALER for step in transcript.steps)
    control = match.time_control
    ladder = LadderId.of(
        match.game, match.options, table_sizes(match.seat_count), time_control=control
    )
    versions = [seat.version_id for seat in match.seats]
    elo = ratings.before(ladder, played.rating_event, versions)
    of_match = (
        *(match.match_id, match.block_id, match.game, json_text(match.options, sort_keys=True)),
        *(match.seat_count, control.turn_ms, control.bank_ms),
        *(match.started_at, match.finished_at, match.rated, match.voided, match.termination),
        [f"{seat.bot} {seat.version}" for seat in match.seats],
        [seat.placing for seat in match.seats],
        elo,
    )
    of_seats = [
        (
            *(number, seat.bot, seat.version, seat.owner, seat.placing, seat.score),
            *(seat.forfeited, elo[number]),
        )
        for number, seat in enumerate(match.seats)
    ]
    rows: Rows = []
    left_out = 0
    try:
        for seat, decision in _decisions(played):
            if played.shared[seat]:
                rows.append((*of_match, *of_seats[seat], *decision))
            else:
                left_out += 1
    except TranscriptError as error:
        raise CommandError(f"{match.match_id} cannot be replayed: {error}.") from error
    return rows, left_out


def _decisions(played: ExportedMatch) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield the seat and the values of each decision's own columns. Raises TranscriptError."""
    setup = played.transcript.setup
    encoded = _encoding(setup.game, len(setup.entrants), json_text(setup.options.changed()))
    game, claims, columns = setup.make_game(), claims_of(setup.game), columns_of(setup.game)
    analysed: Mapping[int, AnalysedDecision] = {}
    if played.analysis is not None:
        kept = kept_form.from_json(played.analysis, game.notation)
        analysed = {one.step: one for one in kept}
    for frame in replay(played.transcript):
        step = frame.step
        if step is not None and step.actor is not DEALER:
            view = game.view(frame.before, step.actor)
            claim = None if claims is None else claims.chance(view, game.options)
            values = _values(analysed.get(frame.index))
            yield (
                step.actor,
                (
                    *(frame.index, step.milliseconds, step.fault and step.fault.value),
                    *(
                        step.fault is not None or step.stand_in,
                        None if claim is None else float(claim),
                    ),
                    *values[:5],
                    *_encoded(encoded, view, step),
                    *[one.cell(step.action) for one in columns.action],
                    *[one.cell(values[5]) for one in columns.action],
                    *[
                        one.cell(getattr(view, member))
                        for member, found in columns.view
                        for one in found
                    ],
                ),
            )


@lru_cache(64)
def _encoding(game: str, seats: int, options: str) -> Encoding | None:
    """Return the encoding of a variant, whose options are JSON; None if there is none."""
    try:
        return encoding(game, seats, **json.loads(options))
    except EncodingError:
        return None


def _encoded(encoded: Encoding | None, view: Any, step: Step) -> tuple[Any, ...]:
    """Return the values of the columns of `_ENCODED`."""
    if encoded is None:
        return (None, None, None, None)
    number = encoded.id(step.action, cast("int", step.actor))
    return (encoded.version, encoded.observe(view), encoded.mask(view), number)


def _values(found: AnalysedDecision | None) -> tuple[Any, ...]:
    """Return claim_read, win, loss, grade, source and the better action."""
    if found is None or found.values is None:
        return (None if found is None else found.read, None, None, None, None, None)
    grade, best = found.grade, found.best
    return (
        *(found.read, found.win, found.loss, grade and grade.value, found.source),
        None if best == found.action else best,
    )
