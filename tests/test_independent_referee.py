"""docs/transcript.md suffices: a program written from it alone agrees with the arena's records."""

import copy
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.games import make_game
from arena.games.game import AnyGame
from arena.match.clock import TimeControl
from arena.match.faults import Fault, FaultKind
from arena.match.flow import OpenTurn, Reply, TimedAction
from arena.match.replay import TranscriptError
from arena.match.result import Termination
from arena.match.transcript import Entrant, Setup
from arena.match.transcript_json import from_json, to_json
from arena.match.verify import verify
from arena.randomness import commitment, match_key
from tests.games.contract import HOOKS
from tests.independent_referee import GAMES, WrongError, check
from tests.match.matches import dealt

Document = dict[str, Any]

DOCS = Path(__file__).parents[1] / "docs"
PROGRAM = Path(__file__).with_name("independent_referee.py")

FEW_DRAWS = 8
"""So many discs that are lost may be the same by chance."""


def variants() -> list[Any]:
    return list(_variants())


def _variants() -> Iterator[Any]:
    for name, hooks in HOOKS.items():
        for options in ({}, *hooks.variants):
            game = make_game(name, options)
            for seats in sorted({game.seat_counts[0], 3, game.seat_counts[-1]}):
                if seats in game.seat_counts:
                    yield pytest.param(name, options, seats, id=f"{name}-{seats}-{options}")


def match(
    name: str, options: Any, seats: int, seed: int, faulty: float, deal_id: str = ""
) -> Document:
    """The JSON of a match among seats that answer at random, and badly now and then."""
    random = Random(seed)
    game = make_game(name, options)
    secret = random.randbytes(32)
    entropies = tuple(random.randbytes(random.randint(8, 64)) for _ in range(seats))
    match_id = f"00000000-0000-4000-8000-{seed:012}"
    setup = Setup(
        match_id=match_id,
        game=name,
        options=game.options,
        entrants=tuple(Entrant(f"bot-{seat}", "1", "somebody") for seat in range(seats)),
        time_control=TimeControl(),
        fault_limit=random.randint(1, 4),
        deal_id=deal_id,
    )
    transcript = dealt(setup, secret, entropies, lambda turn: reply(game, turn, random, faulty))
    # Through text, as an independent program would get it.
    return json.loads(json.dumps(to_json(transcript)))  # type: ignore[no-any-return]


@pytest.mark.parametrize(("name", "options", "seats"), variants())
def test_it_agrees_with_every_match(name: str, options: Any, seats: int) -> None:
    for seed in range(6):
        check(match(name, options, seats, seed, faulty=(0, 0, 0.02, 0.1, 0.3, 1)[seed]))


def judged(name: str, seats: int, **options: Any) -> Any:
    """The referee's own game, at its start."""
    return GAMES[name](make_game(name, options).options.model_dump(mode="json"), seats)


def test_it_lets_nobody_swap_who_owns_one_chip() -> None:  # BY-16
    game = judged("bluff_you", 2, swap_min_give=1)
    game.draw(lambda key, bound: 0)
    game.centre.remove(9)
    game.chips[0] = {9}
    with pytest.raises(WrongError, match="two own chips"):
        game.take(0, {"type": "swap", "give": [9], "take": 10})


def test_it_plays_for_a_silent_seat_what_may_be_announced() -> None:  # BO-12, BO-28
    game = judged("bloeff", 2, announce_range="any", limits=[99, 0])
    game.draw(lambda key, bound: bound - 1)
    game.hands[game.on_turn], game.total = [4, "skip"], 97
    default = game.default(game.on_turn)
    assert default["announce"] == 99
    game.take(game.on_turn, default)


def test_the_matches_hold_faults_forfeits_and_stand_ins() -> None:
    documents = [match("bluff", {}, 4, seed, faulty=0.1) for seed in range(20)]
    assert {document["result"]["termination"] for document in documents} == {
        termination.value for termination in Termination
    }
    steps = [step for document in documents for step in document["steps"]]
    assert {step.get("fault") for step in steps} == {None, "late", "illegal", "malformed", "absent"}
    assert any(step.get("stand_in") for step in steps)


def reply(game: AnyGame, turn: OpenTurn, random: Random, faulty: float) -> Reply:
    """Some legal action, but with probability `faulty` a fault of any kind."""
    if random.random() >= faulty:
        # Of Bluff's many bets the lowest and the doubt, or matches would hardly last a round.
        most = 12 if game.name == "bluff" else 400
        return TimedAction(random.choice(list(islice(game.choices(turn.view), most))), 5)
    kind = random.choice(list(FaultKind))
    return TimedAction(object(), 3) if kind is FaultKind.ILLEGAL else Fault(kind, 7)


Tampering = Callable[[Document], None]


def first(document: Document, found: Callable[[Document], bool]) -> Document:
    step: Document = next(step for step in document["steps"] if found(step))
    return step


def secret_changed(document: Document) -> None:
    document["opening"]["secret"] = "00" * 32


def entropy_changed(document: Document) -> None:
    entropy = document["opening"]["entropies"][1]
    document["opening"]["entropies"][1] = f"{int(entropy[:2], 16) ^ 1:02x}" + entropy[2:]


def entropies_exchanged(document: Document) -> None:
    document["opening"]["entropies"].reverse()


def match_renamed(document: Document) -> None:
    document["match_id"] = document["match_id"][::-1]


def commitment_and_secret_changed(document: Document) -> None:
    secret = b"chosen after the entropies came "
    document["opening"]["secret"] = secret.hex()
    document["commitment"] = commitment(secret).hex()


def draw_changed(document: Document) -> None:
    dice = first(document, lambda step: step["action"]["type"] == "roll")["action"]["dice"]
    dice[0] = [1, 1, 1, 1, 1] if dice[0] != [1, 1, 1, 1, 1] else [2, 2, 2, 2, 2]


def step_left_out(document: Document) -> None:
    del document["steps"][-1]


def step_repeated(document: Document) -> None:
    document["steps"].append(document["steps"][-1])


def action_of_another_seat(document: Document) -> None:
    step = first(document, lambda step: step["actor"] != "dealer")
    step["actor"] = (step["actor"] + 1) % len(document["seats"])


def seat_named_by_a_boolean(document: Document) -> None:
    first(document, lambda step: step["actor"] == 1)["actor"] = True


def bet_beyond_the_dice(document: Document) -> None:
    step = first(document, lambda step: step["action"]["type"] == "bet" and "fault" not in step)
    step["action"]["quantity"] = 50


def dice_laid_out_without_the_extension(document: Document) -> None:
    step = first(document, lambda step: step["action"]["type"] == "bet" and "fault" not in step)
    step["action"]["show"] = [1]


def fault_hidden(document: Document) -> None:
    del first(document, lambda step: "fault" in step)["fault"]


def fault_invented(document: Document) -> None:
    step = first(document, lambda step: step["actor"] != "dealer" and "fault" not in step)
    step["fault"] = "late"


def fault_not_listed(document: Document) -> None:
    del document["faults"][0]


def fault_limit_raised(document: Document) -> None:
    document["fault_limit"] = 100


def stand_in_hidden(document: Document) -> None:
    del first(document, lambda step: "stand_in" in step)["stand_in"]


def places_exchanged(document: Document) -> None:
    document["result"]["placings"].reverse()


def score_raised(document: Document) -> None:
    scores = document["result"]["scores"]
    scores[scores.index(max(scores))] += 1


def forfeit_hidden(document: Document) -> None:
    document["result"]["forfeited"] = [False] * len(document["seats"])


def other_termination(document: Document) -> None:
    document["result"]["termination"] = "forfeit"


def option_changed(document: Document) -> None:
    document["options"]["dice_per_player"] = 4


@pytest.fixture(scope="module")
def rich() -> Document:
    """A finished match of Bluff with faults, a forfeit by their number, and stand-ins for it."""
    for seed in range(10_000):
        document = match("bluff", {}, 3, seed, faulty=0.15)
        steps = document["steps"]
        if (
            document["result"]["termination"] == "finished"
            and any("stand_in" in step for step in steps)
            and not any(step.get("fault") == "absent" for step in steps)
            and any(step["action"]["type"] == "bet" and "fault" not in step for step in steps)
            and document["result"]["placings"] != document["result"]["placings"][::-1]
        ):
            return document
    raise AssertionError("no such match")


@pytest.mark.parametrize(
    "tamper",
    [
        secret_changed,
        entropy_changed,
        entropies_exchanged,
        match_renamed,
        commitment_and_secret_changed,
        draw_changed,
        step_left_out,
        step_repeated,
        action_of_another_seat,
        seat_named_by_a_boolean,
        bet_beyond_the_dice,
        dice_laid_out_without_the_extension,
        fault_hidden,
        fault_invented,
        fault_not_listed,
        fault_limit_raised,
        stand_in_hidden,
        places_exchanged,
        score_raised,
        forfeit_hidden,
        other_termination,
        option_changed,
    ],
)
def test_it_detects(tamper: Tampering, rich: Document) -> None:
    check(rich)
    tampered = copy.deepcopy(rich)
    tamper(tampered)
    assert json.dumps(tampered) != json.dumps(rich)
    with pytest.raises(WrongError):
        check(tampered)


@pytest.mark.parametrize(("name", "options", "seats"), variants())
def test_it_detects_any_other_draw(name: str, options: Any, seats: int) -> None:
    """Another match's opening does not fit the draws of this one, unless these are very few."""
    documents = [match(name, options, seats, seed, faulty=0) for seed in range(1, 9)]
    detected = 0
    for one, other in pairwise(documents):
        dealt = sum(step["actor"] == "dealer" for step in one["steps"])
        forged = {**one, "opening": other["opening"], "commitment": other["commitment"]}
        try:
            check(forged)
        except WrongError as error:
            detected += "the dealer draws" in str(error)
        else:
            assert dealt < FEW_DRAWS
    assert detected


def run(file: Path) -> subprocess.CompletedProcess[str]:
    # Isolated, so that nothing of the arena can be imported even by accident.
    return subprocess.run(
        [sys.executable, "-I", "-S", PROGRAM, file], capture_output=True, text=True, check=False
    )


def test_a_deal_that_several_matches_share_is_keyed_by_its_own_id(tmp_path: Path) -> None:
    deal_id = "00000000-0000-4000-8000-00000000dea1"
    first, second = (match("bluff", {}, 2, seed, 0.0, deal_id) for seed in (1, 2))
    for document in (first, second):
        check(document)
        verify(from_json(document))
    del first["deal_id"]
    with pytest.raises(WrongError):
        check(first)
    with pytest.raises(TranscriptError, match="the opening gives"):
        verify(from_json(first))


def test_it_runs_without_the_arena(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    document = match("bloeff", {}, 4, 7, faulty=0.02)
    file.write_text(json.dumps(document))
    assert run(file).stdout == "The transcript is in order.\n"
    document["result"]["placings"][0] += 1
    file.write_text(json.dumps(document))
    assert run(file).returncode == 1
    assert run(file).stderr.startswith("WRONG: the result is")


def test_the_worked_example_of_the_documentation_is_in_order() -> None:
    """The numbers in docs/transcript.md are those of a real match."""
    text = (DOCS / "transcript.md").read_text()
    example = json.loads(text.split("```json\n", 1)[1].split("```", 1)[0])
    check(example)
    key = match_key(
        bytes.fromhex(example["opening"]["secret"]),
        example["match_id"],
        [bytes.fromhex(entropy) for entropy in example["opening"]["entropies"]],
    )
    assert key.hex() in text
