"""What a viewpoint is handed, beyond its secrets."""

from dataclasses import replace

import pytest

from arena.lab.luck import luck_of
from arena.match.transcript import Entrant
from arena.signatures import Signer
from arena_dashboard.reading.watching import Onlooker, parse_viewpoint, watch, write_viewpoint
from tests.dashboard.test_scenes import match


@pytest.mark.parametrize("viewpoint", [0, 1, 2, *Onlooker])
def test_a_viewpoint_in_a_url_is_read_as_it_was_written(viewpoint: int | Onlooker) -> None:
    assert parse_viewpoint(write_viewpoint(viewpoint), 3) == viewpoint


@pytest.mark.parametrize(
    "text", ["3", "-1", "", "seat", "²", "1.0", "٣", pytest.param("9" * 4301, id="too long")]
)
def test_a_viewpoint_that_makes_no_sense_is_everything(text: str) -> None:
    assert parse_viewpoint(text, 3) is Onlooker.EVERYTHING


def test_a_played_match_is_verified_and_a_changed_one_is_not() -> None:
    transcript = match("bluff", 3)
    assert watch(transcript, 0).doubt is None
    forged = replace(transcript, result=replace(transcript.result, placing=(3, 1, 1)))
    assert "placing" in (watch(forged, 0).doubt or "")
    other = replace(transcript, commitment=b"c" * 32)
    assert "commitment" in (watch(other, 0).doubt or "")


def test_a_signed_match_names_the_key_of_the_arena_and_a_forged_one_does_not() -> None:
    transcript, signer = match("bluff", 3), Signer(bytes(range(32)))
    signed = signer.signed(transcript)
    assert watch(transcript, 0).signed_by is None
    assert watch(signed, 0).doubt is None
    assert watch(signed, 0).signed_by == signer.public_key.hex()
    setup = replace(
        signed.setup, entrants=(Entrant("another", "1", "us"), *signed.setup.entrants[1:])
    )
    forged = watch(replace(signed, setup=setup), 0)
    assert "the key did not sign this transcript" in (forged.doubt or "")


def test_luck_is_told_to_who_sees_everything_and_adds_up() -> None:
    for game, seats in (("bluff", 2), ("bluff_you", 2), ("bloeff", 3)):
        for number in range(5):
            transcript = match(game, number, seats=seats)
            expected = luck_of(transcript)
            watched = watch(transcript, Onlooker.EVERYTHING)
            assert watched.luck == expected.seats
            assert watch(replace(transcript, steps=()), Onlooker.EVERYTHING).luck is None
            told = {moment.step: moment.luck for moment in watched.moments if moment.luck}
            assert told == {draw.step: draw.seats for draw in expected.draws}
            for viewpoint in (*range(seats), Onlooker.SPECTATOR):
                other = watch(transcript, viewpoint)
                assert other.luck is None
                assert all(moment.luck is None for moment in other.moments)


def test_an_impossible_step_ends_the_replay_and_is_named() -> None:
    transcript = match("bluff", 3)
    steps = (*transcript.steps[:3], transcript.steps[0], *transcript.steps[3:])
    watched = watch(replace(transcript, steps=steps), 0)
    assert "step 4" in (watched.broken or "")
    assert watched.moments[-1].step == 3


def test_bots_are_told_apart_by_as_little_as_needed() -> None:
    def names(*entrants: Entrant) -> tuple[str, ...]:
        transcript = match("bluff", 1, seats=len(entrants))
        setup = replace(transcript.setup, entrants=entrants)
        return watch(replace(transcript, setup=setup), 0).names

    a, a2, b = Entrant("a", "1", "x"), Entrant("a", "2", "x"), Entrant("b", "1", "x")
    assert names(a, b) == ("a", "b")
    assert names(a, a2, b) == ("a 1", "a 2", "b")
    assert names(a, a) == ("a 1 (seat 0)", "a 1 (seat 1)")
