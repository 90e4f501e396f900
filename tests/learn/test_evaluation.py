"""What is measured of a policy: its wins, its losses by the tables, and how exploitable it is."""

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.learn import (
    ActionPolicy,
    EncodingError,
    PolicyError,
    encoding,
    evaluate,
    policy_exploitability,
    uniform,
)
from arena.learn.policies import Masks, Observations, probabilities
from arena.learn.response import ResponseLearner


def lowest(observations: Observations, masks: Masks) -> NDArray[np.integer]:
    """Doubt where that is legal, else bet as little as possible."""
    return masks.argmax(axis=1)


def test_equal_seeds_evaluate_alike_and_policies_beat_worse_ones() -> None:
    first, against_itself = evaluate(
        lowest, [uniform, lowest], matches=40, seed="a", dice_per_player=2
    )
    assert evaluate(lowest, [uniform], matches=40, seed="a", dice_per_player=2) == (first,)
    assert evaluate(lowest, [uniform], matches=40, seed="b", dice_per_player=2) != (first,)
    assert first.opponents == ("uniform",)
    assert first.matches == 40
    assert 0.5 < first.share.low < first.share.value < first.share.high <= 1
    assert first.adjusted_share.low > 0.5
    assert first.mean_placing == pytest.approx(2 - first.share.value)
    assert first.loss is not None and 0 < first.loss.low < first.loss.high < 0.5
    # On the same deals, equal players without chance of their own win half of each block.
    assert against_itself.share.value == 0.5
    assert against_itself.share.high - against_itself.share.low < 0.1


def test_fresh_deals_and_larger_tables_are_played_in_whole_blocks() -> None:
    (found,) = evaluate(
        lowest, [["honest", uniform]], matches=16, seats=3, same_deals=False, dice_per_player=1
    )
    assert found.matches == 18
    assert found.opponents == ("honest", "uniform")
    assert found.loss is None
    (twice,) = evaluate(lowest, ["honest"], matches=1, seats=3, dice_per_player=1)
    assert twice.opponents == ("honest", "honest 2")
    # Of so few matches luck is not taken out.
    assert twice.adjusted_share == twice.share and twice.share.low < twice.share.high


def test_the_uniform_policy_is_as_exploitable_as_openspiel_says() -> None:
    for history in (False, True):
        found = policy_exploitability(uniform, dice=1, history=history)
        assert found.exact and found.low == found.nash_conv == found.high
        # The NashConv of liars_dice with a die each, where a win counts 1 and a loss -1.
        assert 2 * found.nash_conv == pytest.approx(1.561488646384479, abs=1e-7)
        assert found.values is not None and 0 < found.values.low < 251 / 516 < found.values.high


def test_a_later_round_is_part_of_the_match_that_it_belongs_to() -> None:
    seen = set()

    def by_round(observations: Observations, masks: Masks) -> Observations:
        seen.update(observations[:, encoded.fields["round"]].ravel().round(6).tolist())
        seen.update(observations[:, encoded.fields["hidden_dice"]].sum(axis=1).tolist())
        return uniform(observations, masks)

    encoded = encoding("bluff", 2, dice_per_player=4)
    found = policy_exploitability(by_round, dice=(1, 1), dice_per_player=4)
    assert found.dice == (1, 1)
    # Six of eight dice are lost, one in each round.
    assert seen == {7 / 8, 1 / 4}


@pytest.mark.system  # a minute or more on a slow machine
def test_a_response_that_is_found_reaches_a_part_of_the_exact_result() -> None:
    exact = policy_exploitability(lowest, dice=1)
    told: list[int] = []
    arguments = {"dice": 1, "exact": False, "train": 80_000, "matches": 200}
    found = policy_exploitability(lowest, progress=told.append, **arguments)
    assert found.response in ("trained", "local") and not found.exact and found.values is None
    assert 0.5 * exact.nash_conv < found.nash_conv
    assert found.low < exact.nash_conv
    assert 80_000 <= sum(told) < 85_000
    assert policy_exploitability(lowest, **arguments) == found


@pytest.mark.system  # computes for long
def test_a_response_learns_to_play_as_the_policy_does_and_then_to_beat_it() -> None:
    encoded = encoding("bluff", 2, history=True, dice_per_player=2)
    learner, shares = ResponseLearner(lowest, encoded, encoded, "chances", 1), []
    for parts in (np.zeros(5), np.linspace(0.2, 1, 25)):
        for part in parts:
            learner.improve(part)
        table = {"matches": 60, "losses": False, "history": True, "dice_per_player": 2}
        (found,) = evaluate(learner.policy(), [lowest], **table)
        shares.append(found.share)
    assert shares[0].low < 0.5 < shares[0].high
    assert shares[1].low > 0.7


def test_with_more_dice_a_response_gives_a_lower_bound() -> None:
    found = policy_exploitability(lowest, dice=5, train=4_000, matches=20)
    assert not found.exact and found.values is None
    assert -1 <= found.low < found.nash_conv <= found.high <= 1


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        (lambda seen, masks: masks.argmin(axis=1), "chose action .*, which is not legal"),
        (lambda seen, masks: np.full(len(masks), 99), "ids are not in 0 to 12"),
        (lambda seen, masks: seen, "this one returned float32 of shape"),
        (lambda seen, masks: np.zeros(masks.shape), "not 0 for all legal actions"),
        (lambda seen, masks: -masks.astype(np.float32), "0 or more"),
        (lambda seen, masks: masks * np.float32(np.nan), "finite"),
    ],
)
def test_a_policy_that_does_not_choose_legal_actions_is_refused(
    policy: ActionPolicy, why: str
) -> None:
    with pytest.raises(PolicyError, match=why):
        policy_exploitability(policy, dice=1)
    with pytest.raises(PolicyError, match=why):
        evaluate(policy, ["random"], matches=2, dice_per_player=1)


def test_weights_are_normalised_over_legal_actions() -> None:
    masks = np.array([[1, 0, 1], [0, 0, 1]], np.uint8)
    weights = np.array([[1, 5, 3], [1, 1, 0.5]], np.float32)
    found = probabilities(lambda seen, legal: weights, np.zeros((2, 1), np.float32), masks)
    assert found.tolist() == [[0.25, 0, 0.75], [0, 0, 1]]


def test_the_page_shows_code_that_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "learn.md").read_text()
    (code,) = re.findall(r"```python\n(from arena.learn import evaluate.*?)```", page, re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out.splitlines()[-1].startswith("0.7807")


def test_what_is_not_supported_is_refused_in_a_sentence() -> None:
    with pytest.raises(PolicyError, match="matches is 0"):
        evaluate(uniform, ["honest"], matches=0)
    with pytest.raises(EncodingError, match="skull has no encoding"):
        evaluate(uniform, ["random"], matches=1, game="skull", seats=3)
    with pytest.raises(PolicyError, match="dice are 0 and 0; allowed are 1 to 5"):
        policy_exploitability(uniform, dice=0)
    with pytest.raises(PolicyError, match=r"more than 3 dice in play.* of a match: 3 dice each"):
        policy_exploitability(uniform, dice=(2, 3))
    with pytest.raises(PolicyError, match="train is 0; allowed is more than 0"):
        policy_exploitability(uniform, dice=2, train=0)
    with pytest.raises(PolicyError, match="without show_and_reroll"):
        policy_exploitability(uniform, dice=1, dice_per_player=2, show_and_reroll=True)
    with pytest.raises(PolicyError, match="at most 1 dice"):
        policy_exploitability(uniform, dice=(1, 2), dice_per_player=1)
