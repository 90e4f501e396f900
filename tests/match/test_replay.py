"""A transcript played again shows the match from before its first step to its end."""

from arena.match.replay import Frame, replay
from tests.games.contract import Case
from tests.match.matches import some_match


def test_every_moment_of_a_match_is_shown_from_before_its_first_step() -> None:
    transcript = some_match(Case("bluff", (), 2), seed=1)
    game = transcript.setup.make_game()
    first, *others = replay(transcript)
    assert first == Frame(0, None, game.start(2), ())
    assert [frame.index for frame in others] == list(range(1, len(transcript.steps) + 1))
    assert tuple(frame.step for frame in others) == transcript.steps
    assert game.placing(others[-1].state) == transcript.result.placing
