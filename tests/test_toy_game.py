"""A game that declares nothing but its rules goes through all that asks for no messages of its own.

The wire alone needs a kit's codec: without one the arena refuses to play it with remote bots.
"""

import json
from typing import Literal

import pytest

import arena.games
from arena.bot import AnyAction, Bot, Turn
from arena.bridge.schemas import schema
from arena.codec.game_codec import CODECS
from arena.conformance.options import variants
from arena.conformance.playing import Matches
from arena.games import KITS, make_game
from arena.lab.analysis import has_values
from arena.lab.analysis.decisions import decisions
from arena.lab.luck import luck_of, table_of
from arena.local.in_process import Contender, play_series
from arena.match.transcript import Transcript
from arena.match.transcript_json import read_json, to_json
from arena.match.verify import verify
from arena.scheduling.ladder import TableType
from arena.server.boards.board import Board
from arena.server.results.bluffing import bluffing_of
from arena.showing.scenes import SCENES
from arena_dashboard.playing.controls import controls
from arena_dashboard.playing.game_options import choices
from arena_dashboard.playing.reveals import shown
from arena_dashboard.playing.story import frame
from arena_dashboard.reading.frames import match_json, packed
from arena_dashboard.reading.watching import Onlooker, watch
from tests.dashboard.test_playing import leaves
from tests.toy_game import KIT, ToyGame, ToyOptions

NAME = ToyGame.name


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(arena.games._kits, NAME, KIT)
    monkeypatch.setitem(arena.games._games, NAME, ToyGame)


class Guesses(Bot):
    """Plays at random, by what it is offered."""

    games = (NAME,)

    def act(self, turn: Turn) -> AnyAction:
        return self.random.choice(list(turn.choices()))


def played(matches: int = 20) -> list[Transcript]:
    contenders = [Contender(f"guesses {number}", Guesses) for number in (1, 2)]
    return [one.transcript for one in play_series(make_game(NAME), contenders, matches, "seed")]


def test_matches_are_played_at_home_and_every_draw_is_verified() -> None:
    transcripts = played()
    assert {len(one.steps) for one in transcripts} == {3, 4}
    for transcript in transcripts:
        verify(transcript)
        assert transcript.result is not None and transcript.result.placing in ((1, 2), (2, 1))


def test_a_transcript_is_exported_and_read_again() -> None:
    (transcript,) = played(1)
    text = json.dumps(to_json(transcript))
    assert read_json(text.encode()) == transcript


def test_a_replay_shows_what_each_seat_knew_in_words() -> None:
    for transcript in played(5):
        for viewpoint in (0, 1, *Onlooker):
            watched = watch(transcript, viewpoint)
            assert watched.broken is None and watched.doubt is None
            content = match_json(watched)
            assert packed(content)
            told = [one["told"] for one in content["frames"]]
            assert all(told)
            assert any("Acted: guesses 1" in sentence for said in told for sentence in said)
            cards = {one["table"]["facts"][1] for one in content["frames"][1:]}
            hand = transcript.steps[0].action.cards
            own = viewpoint if isinstance(viewpoint, int) else 0
            assert cards == {"card: –" if viewpoint is Onlooker.SPECTATOR else f"card: {hand[own]}"}


def test_a_person_is_offered_every_action_in_its_words() -> None:
    game = make_game(NAME)
    (transcript,) = played(1)
    state = game.apply(game.start(2), transcript.steps[0].actor, transcript.steps[0].action)
    view = game.view(state, 0)
    assert [leaf["words"] for leaf in leaves(controls(game, view, ["a", "b"]))] == ["pass", "bet"]
    assert list(choices(game)) == []
    (now,) = shown((), view, None, game)
    assert frame(now, SCENES[NAME], game, 0, [])["table"]["seats"]["0"]["act"]


def test_it_has_no_luck_no_claims_and_no_values() -> None:
    (transcript,) = played(1)
    assert table_of(NAME) is None
    assert luck_of(transcript).seats == (0.0, 0.0)
    assert bluffing_of(transcript).decisions == ()
    assert not has_values(make_game(NAME))
    assert [one.values for one in decisions(transcript)] == [None] * (len(transcript.steps) - 1)


def test_it_has_a_ladder_without_an_anchor_and_is_checked_by_random() -> None:
    TableType(NAME, make_game(NAME).options, 2)
    assert Board(NAME).anchor({}) is None
    assert KITS[NAME].opponent == "random"
    assert list(variants(NAME)) == [{}]


class OptionsForThree(ToyOptions):
    players_min: Literal[3] = 3  # type: ignore[assignment]
    players_max: Literal[4] = 4  # type: ignore[assignment]


class ForThree(ToyGame):
    """The game as if it needed three seats."""

    options_type = OptionsForThree


def test_a_bot_is_checked_at_the_smallest_table_of_a_game_for_three(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(arena.games._games, NAME, ForThree)
    sizes = [len(match.setup.entrants) for match in Matches().largest_and_smallest(NAME)]
    assert sizes == [4, 3]


def test_programs_that_read_lines_get_its_schema() -> None:
    definitions = schema(NAME)["$defs"]
    assert {"Act", "CardDealt", "Acted"} <= set(definitions)


def test_remote_bots_cannot_play_it_without_messages() -> None:
    with pytest.raises(KeyError, match=r"game\.proto: Options has no member toy_game"):
        CODECS[NAME]
