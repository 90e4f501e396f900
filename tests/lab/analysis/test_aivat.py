"""AIVAT: the expectation of the result, exactly, with less variance; known play is checked."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import islice, product
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.bot import Bot, Turn
from arena.games import make_game
from arena.games.bluff import STAR, Bet, BluffView, Doubt
from arena.games.bluff.bets import track
from arena.games.game import DEALER, AnyGame
from arena.lab.analysis.aivat import Aivat, DeclaredPlayError
from arena.lab.analysis.bluff.fitted_play import decisions
from arena.lab.analysis.bluff.last_bet_play import Model
from arena.lab.analysis.bluff.pair_values import SETS, MatchValues, ValueSets
from arena.lab.analysis.bluff.solved_play import chosen
from arena.local.declared_play import declared_play
from arena.local.in_process import Contender, Seed, opened, play_match, play_series
from arena.local.loading import load_bot
from arena.local.match_luck import ESTIMATES, MODELS, MatchLuck, aivat_of
from arena.match.faults import FaultKind
from arena.match.result import Result, Termination
from arena.match.transcript import Opening, Step, Transcript
from arena.rating.luck import luck_adjusted

Policy: TypeAlias = Callable[[BluffView], Mapping[Any, float]]


@cache
def values() -> ValueSets:
    found = chosen()
    assert found is not None
    return ValueSets(found)


def aivat(bot: str, game: AnyGame) -> Aivat:
    return aivat_of(bot, values(), game)


def test_as_many_sets_of_values_as_are_told_estimate() -> None:
    assert {len(values().of(model)) for model in (None, *MODELS.values())} == {SETS}


def stranger(view: BluffView) -> Mapping[Any, float]:
    """Bluff the more, the lower the own die; never near equilibrium."""
    bets = track(sum(view.dice_counts))
    place = bets.index(view.bets[-1].bet) + 1 if view.bets else 0
    if place == len(bets):
        return {Doubt(): 1.0}
    bold = 0.2 + 0.1 * view.hidden_dice[0]
    raised = {bets[place]: bold, bets[min(place + 3, len(bets) - 1)]: 0.9 - bold}
    if len(raised) == 1:
        raised = {bets[place]: 0.9}
    if not view.bets:
        return {bet: share / 0.9 for bet, share in raised.items()}
    return {Doubt(): 0.1, **raised}


def declared(bot: str, game: AnyGame) -> Policy:
    play = declared_play(load_bot(bot), game, 2)
    assert play is not None
    return play


def every_match(
    game: AnyGame, policies: tuple[Policy, Policy], least: float = 0.0
) -> Iterator[tuple[float, Transcript]]:
    """Yield all courses of a match with their probabilities, those below `least` left out."""
    setup, secret = opened(game, ["first", "second"], Seed("all"), "match 0")

    def below(state: Any, steps: tuple[Step, ...], chance: float) -> Iterator[Any]:
        to_act = game.to_act(state)
        if to_act == ():
            placing = tuple(game.placing(state))
            result = Result(placing, None, Termination.FINISHED, (0, 0), (False, False))
            opening = Opening(secret, (b"", b""))
            yield chance, Transcript(setup, b"", steps, result, opening)
            return
        actor = DEALER if to_act is DEALER else to_act[0]
        outcomes = (
            game.chance_outcomes(state)
            if to_act is DEALER
            else policies[to_act[0]](game.view(state, to_act[0]))
        )
        assert isinstance(outcomes, Mapping)
        for action, share in outcomes.items():
            if share and chance * share > least:
                yield from below(
                    game.apply(state, actor, action),
                    (*steps, Step(actor, action)),
                    chance * float(share),
                )

    yield from below(game.start(2), (), 1.0)


@cache
def fitted(bot: str, other: str) -> tuple[MatchValues, MatchValues]:
    """Values by how both decided in some matches with one die each."""
    game = make_game("bluff", {"dice_per_player": 1, "start_mode": "seat"})
    policies = declared(bot, game), stranger if other == "stranger" else declared(other, game)
    seen = [match for _, match in islice(every_match(game, policies), 0, None, 40)]
    return values().fitted(
        *([each for match in seen for each in decisions(match, seat)] for seat in (0, 1))
    )


@cache
def all_estimates(known_bot: str, known: int) -> NDArray[np.float64]:
    """Probability, result and estimates of every match with one die each: [match, 2 + v]."""
    game = make_game("bluff", {"dice_per_player": 1, "start_mode": "seat"})
    policies = declared(known_bot, game), stranger
    estimator, more = aivat(known_bot, game), fitted(known_bot, "stranger")[0]
    return np.array(
        [
            (chance, one.result.placing[known] == 1, *estimator.estimates(one, known, more))
            for chance, one in every_match(game, policies if known == 0 else policies[::-1])
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize("known", [0, 1])
@pytest.mark.parametrize("bot", ["cfr", "bayes", "honest"])
def test_its_mean_over_all_matches_is_that_of_the_results(bot: str, known: int) -> None:
    chances, results, *estimates = all_estimates(bot, known).T
    assert chances.sum() == pytest.approx(1, abs=1e-9)
    assert len(estimates) == SETS + 1
    for each in estimates:
        assert chances @ each == pytest.approx(chances @ results, abs=1e-9)


@pytest.mark.parametrize("other", ["bayes", "honest"])
def test_it_varies_a_fifth_as_much_against_near_equilibrium_play(other: str) -> None:
    game, results, estimates = make_game("bluff", {"dice_per_player": 2}), [], []
    contenders = [Contender(name, load_bot(name)) for name in ("cfr", other)]
    estimator = aivat("cfr", game)
    for played in play_series(game, contenders, 200, "variance"):
        seat = played.contenders.index(0)
        results.append(played.result.placing[seat] == 1)
        estimates.append(estimator.estimates(played.transcript, seat)[0])
    assert np.var(estimates) < 0.2 * np.var(results)


@pytest.mark.slow
def test_intervals_of_its_means_cover_the_truth_in_a_thousand_leagues() -> None:
    chances, results, estimates = all_estimates("cfr", 0)[:, :3].T
    drawn = np.random.default_rng(7).choice(len(chances), (1000, 400), p=chances / chances.sum())
    found = estimates[drawn]
    means, errors = found.mean(1), found.std(1, ddof=1) / np.sqrt(found.shape[1])
    truth = chances @ results
    covered = np.mean(np.abs(means - truth) <= 1.96 * errors)
    assert 0.93 <= covered <= 0.97
    assert abs(means.mean() - truth) < 3 * means.std() / np.sqrt(1000)


@pytest.mark.parametrize("bot", ["cfr", "bayes", "honest"])
def test_so_do_those_of_results_regressed_on_the_luck_it_finds(bot: str) -> None:
    chances, results, *estimates = all_estimates(bot, 0).T
    luck = results[:, None] - np.transpose(estimates)
    drawn = np.random.default_rng(8).choice(len(chances), (1000, 400), p=chances / chances.sum())
    found = [luck_adjusted(results[one], luck[one]) for one in drawn]
    means = np.array([one.adjusted for one in found])
    errors = np.array([one.adjusted_se for one in found])
    truth = chances @ results
    assert 0.93 <= np.mean(np.abs(means - truth) <= 1.96 * errors) <= 0.97
    # The regression is biased by a part of an error, of order 1/n. The mean of 1,000 leagues has an
    # error of a thirtieth of one's.
    assert abs(means.mean() - truth) < 0.15 * means.std()


@pytest.mark.slow
def test_so_do_those_whose_values_were_fitted_to_the_same_series() -> None:
    game = make_game("bluff", {"dice_per_player": 1, "start_mode": "seat"})
    policies = declared("cfr", game), stranger
    courses = list(every_match(game, policies))
    chances = np.array([chance for chance, _ in courses])
    won = np.array([one.result.placing[1] == 1 for _, one in courses], float)
    luck, random = MatchLuck(values(), aivat("cfr", game)), np.random.default_rng(9)
    found = []
    for drawn in random.choice(len(courses), (60, 80), p=chances / chances.sum()):
        lucks = luck.of_blocks([[(1, courses[number][1])] for number in drawn])
        found.append(luck_adjusted(won[drawn], lucks))
    truth = chances @ won
    gaps = np.array([(one.adjusted - truth) / one.adjusted_se for one in found])
    assert np.mean(np.abs(gaps) <= 1.96) >= 0.9
    assert abs(gaps.mean()) < 3 / np.sqrt(len(gaps))
    assert np.mean([one.variance_factor for one in found]) < 0.6


@pytest.mark.slow
@pytest.mark.parametrize(
    "bots", [("cfr", "honest"), ("bayes", "cfr"), ("honest", "timid")], ids=str
)
def test_it_has_the_mean_of_the_results_in_matches_of_many_rounds(bots: tuple[str, str]) -> None:
    game = make_game("bluff", {"dice_per_player": 3})
    estimator = aivat(bots[0], game)
    contenders = [Contender(name, load_bot(name)) for name in bots]
    gaps = []
    for played in play_series(game, contenders, 800, "aivat"):
        seat = played.contenders.index(0)
        estimates = estimator.estimates(played.transcript, seat)
        gaps.append(estimates - (played.result.placing[seat] == 1))
    assert np.all(np.abs(np.mean(gaps, 0)) < 3.5 * np.std(gaps, 0) / np.sqrt(len(gaps)))


def test_so_has_it_for_both_seats_where_both_declare_their_play() -> None:
    game = make_game("bluff", {"dice_per_player": 1, "start_mode": "seat"})
    bots = "cfr", "bayes"
    estimators, more = [aivat(bot, game) for bot in bots], fitted(*bots)
    rows = [
        (
            chance,
            one.result.placing[0] == 1,
            *estimators[0].estimates(one, 0, more[0]),
            *(1 - estimators[1].estimates(one, 1, more[1])),
        )
        for chance, one in every_match(game, (declared("cfr", game), declared("bayes", game)))
    ]
    chances, results, *estimates = np.array(rows).T
    assert chances.sum() == pytest.approx(1, abs=1e-9)
    assert len(estimates) == 2 * (SETS + 1)
    for each in estimates:
        assert chances @ each == pytest.approx(chances @ results, abs=1e-9)


def test_so_has_the_luck_of_a_match_by_all_that_both_declare() -> None:
    game = make_game("bluff", {"dice_per_player": 1, "start_mode": "seat"})
    luck = MatchLuck(values(), aivat("bayes", game), aivat("cfr", game))
    more = fitted("cfr", "bayes")[::-1]
    rows = [
        (chance, *luck._of(one, 0, more))
        for chance, one in every_match(game, (declared("cfr", game), declared("bayes", game)))
    ]
    chances, *lucks = np.array(rows).T
    assert len(lucks) == 2 * (SETS + 1) + 1
    for each in lucks[:-1]:  # the luck column's own numbers are rounded
        assert chances @ each == pytest.approx(0, abs=1e-9)
    assert chances @ lucks[-1] == pytest.approx(0, abs=1e-4)
    # It is luck of the seat that is asked for: the better, the more is won.
    won = np.array(
        [
            one.result.placing[0] == 1
            for _, one in every_match(game, (declared("cfr", game), declared("bayes", game)))
        ]
    )
    for each in lucks:
        assert chances[won] @ each[won] > 0


def some_blocks(count: int, dice: int = 2) -> list[list[tuple[int, Transcript]]]:
    game = make_game("bluff", {"dice_per_player": dice})
    contenders = [Contender(name, load_bot(name)) for name in ("honest", "cfr")]
    return [
        [(match.contenders.index(0), match.transcript)]
        for match in play_series(game, contenders, count, "blocks")
    ]


@pytest.mark.slow
def test_the_luck_of_a_half_of_the_blocks_follows_from_the_decisions_in_the_other() -> None:
    *blocks, another = some_blocks(7)
    luck = MatchLuck(values(), aivat("cfr", make_game("bluff", {"dice_per_player": 2})))
    found = luck.of_blocks(blocks)
    assert found.shape == (6, ESTIMATES)
    assert {seat for block in blocks[:2] for seat, _ in block} == {0, 1}
    changed = luck.of_blocks([another, *blocks[1:]])
    first_half, second_half = [1, 4, 5], [2, 3]
    assert np.array_equal(changed[first_half], found[first_half])
    assert not np.array_equal(changed[second_half], found[second_half])
    double = luck.of_blocks([blocks[0] + blocks[1], blocks[1], *blocks[2:4]])
    same = luck.of_blocks([blocks[0], blocks[1], *blocks[2:4]])
    assert double[0] == pytest.approx((same[0] + same[1]) / 2)


def test_a_block_alone_and_matches_without_decisions_have_luck_too() -> None:
    luck = MatchLuck(values(), aivat("cfr", make_game("bluff", {"dice_per_player": 2})))
    (((seat, match),),) = some_blocks(1)
    at_fault = replace(
        match, steps=tuple(step._replace(fault=FaultKind.LATE) for step in match.steps)
    )
    forfeited = replace(match.result, placing=(1, 2), forfeited=(False, True))
    for each in (match, at_fault, replace(match, result=forfeited)):
        found = luck.of_blocks([[(seat, each)]])
        assert found.shape == (1, ESTIMATES)
        assert np.isfinite(found).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("known", "other"),
    [
        ("bayes", "cfr"),
        pytest.param("bayes", "bayes", marks=pytest.mark.slow),
        pytest.param("bayes", "honest", marks=pytest.mark.slow),
    ],
)
def test_a_fifth_of_the_variance_is_left_against_bayes_where_both_declare_their_play(
    known: str, other: str
) -> None:
    game = make_game("bluff", {"dice_per_player": 3})
    own, luck = aivat(other, game), aivat(known, game)
    alone, both = MatchLuck(values(), luck), MatchLuck(values(), luck, own)
    contenders = [Contender("other", load_bot(other)), Contender("known", load_bot(known))]
    blocks = [
        [(played.contenders.index(0), played.transcript)]
        for played in play_series(game, contenders, 200, "both")
    ]
    results = np.array([float(match.result.placing[seat] == 1) for ((seat, match),) in blocks])
    one, two = (luck_adjusted(results, each.of_blocks(blocks)) for each in (alone, both))
    assert two.variance_factor < min(0.2, one.variance_factor)


@pytest.mark.slow
def test_a_match_that_the_other_seat_forfeits_counts_as_its_result() -> None:
    class Silent(Bot[BluffView, Bet | Doubt]):
        def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
            raise RuntimeError

    game = make_game("bluff")
    estimator = aivat("cfr", game)
    estimates = []
    for number in range(200):
        contenders = [Contender("cfr", load_bot("cfr")), Contender("silent", Silent)]
        transcript, _ = play_match(game, contenders, Seed("forfeits"), number)
        # Some matches are lost by the rules before the third fault.
        estimates.append(
            estimator.estimates(transcript, 0)[0] - (transcript.result.placing[0] == 1)
        )
    assert abs(np.mean(estimates)) < 3.5 * np.std(estimates) / np.sqrt(len(estimates))


@pytest.mark.slow
def test_a_fault_of_the_known_seat_is_not_taken_for_its_play() -> None:
    game = make_game("bluff")
    contenders = [Contender(name, load_bot(name)) for name in ("honest", "cfr")]
    transcript, _ = play_match(game, contenders, Seed("fault"), 0)
    at, step = next((at, one) for at, one in enumerate(transcript.steps) if one.actor == 0)
    other = Bet(2, STAR) if step.action != Bet(2, STAR) else Bet(3, STAR)
    changed = (*transcript.steps[:at], step._replace(action=other))
    with pytest.raises(
        DeclaredPlayError,
        match=r"^honest 1 in match [-0-9a-f]+: it played .*, to which .* gives no chance\.$",
    ):
        aivat("honest", game).estimates(replace(transcript, steps=changed), 0)
    late = (*changed[:-1], changed[-1]._replace(fault=FaultKind.LATE))
    aivat("honest", game).estimates(replace(transcript, steps=late), 0)


@pytest.mark.parametrize(
    ("shares", "why"),
    [
        ({Bet(1, STAR): 0.7, Bet(2, STAR): 0.2}, "sum to 0.9, not to 1"),
        (
            {Bet(1, STAR): 1.2, Bet(2, STAR): -0.2},
            "the probability -0.2 for .*, which is no probability",
        ),
        ({Bet(1, STAR): float("nan"), Bet(2, STAR): 1.0}, "the probability nan for"),
        ({Bet(1, STAR): "all"}, "the probability all for .*, which is no probability"),
        ({Bet(1, STAR): 0.5, Doubt(): 0.5}, "the probability 0.5 for .*, which is not legal"),
        ({Bet(9, STAR): 1.0}, "which is not legal"),
    ],
)
def test_what_is_no_play_is_refused(shares: Mapping[Any, float], why: str) -> None:
    class Declaring(Bot[BluffView, Bet | Doubt]):
        def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
            return next(iter(turn.choices()))

        def probabilities(self, turn: Turn[BluffView, Bet | Doubt]) -> Mapping[Any, float]:
            return shares

    game = make_game("bluff", {"dice_per_player": 1})
    play = declared_play(Declaring, game, 2)
    assert play is not None
    estimator = Aivat(values().of(), values().most_dice, play)
    contenders = [Contender(name, load_bot("honest")) for name in ("first", "second")]
    transcript, _ = play_match(game, contenders, Seed("no play"), 0)
    opener = next(step.actor for step in transcript.steps if step.actor is not DEALER)
    assert isinstance(opener, int)
    bot = transcript.setup.entrants[opener]
    with pytest.raises(DeclaredPlayError, match=f"^{bot} in match .*: .* declared play .*{why}"):
        estimator.estimates(transcript, opener)


def test_the_play_of_a_turn_in_which_the_seat_was_at_fault_must_be_one_too() -> None:
    game = make_game("bluff", {"dice_per_player": 1})
    contenders = [Contender(name, load_bot("honest")) for name in ("first", "second")]
    transcript, _ = play_match(game, contenders, Seed("at fault"), 0)
    at, step = next((at, one) for at, one in enumerate(transcript.steps) if one.actor == 0)
    faulty = step._replace(fault=FaultKind.MALFORMED)
    match = replace(transcript, steps=(*transcript.steps[:at], faulty, *transcript.steps[at + 1 :]))
    estimator = Aivat(values().of(), values().most_dice, lambda _view: {})
    with pytest.raises(DeclaredPlayError, match="sum to 0, not to 1"):
        estimator.estimates(match, 0)


@pytest.mark.parametrize(
    ("returned", "why"),
    [
        (
            "None",
            "Declaring.probabilities returned NoneType, not a dict of probabilities by action",
        ),
        ("1 / 0", "Declaring.probabilities failed: ZeroDivisionError: "),
    ],
)
def test_a_declaration_that_fails_is_told(returned: str, why: str) -> None:
    class Declaring(Bot[BluffView, Bet | Doubt]):
        def act(self, turn: Turn[BluffView, Bet | Doubt]) -> Bet | Doubt:
            raise AssertionError

        def probabilities(self, turn: Turn[BluffView, Bet | Doubt]) -> Any:
            return eval(returned)

    game = make_game("bluff", {"dice_per_player": 1})
    play = declared_play(Declaring, game, 2)
    assert play is not None
    with pytest.raises(DeclaredPlayError, match=why):
        play(game.view(game.start(2), 0))


@pytest.mark.parametrize(
    ("options", "seats", "covered"),
    [
        ({}, 2, True),
        ({"dice_per_player": 1}, 2, True),
        ({"start_mode": "seat"}, 2, True),
        ({"dice_per_player": 6}, 2, False),
        ({"show_and_reroll": True}, 2, False),
        ({"bet_cap": "table"}, 2, False),
        ({}, 3, False),
    ],
)
def test_it_covers_what_the_tables_know(options: dict[str, Any], seats: int, covered: bool) -> None:
    game = make_game("bluff", options)
    assert aivat("cfr", make_game("bluff")).covers(game, seats) is covered


def test_it_covers_no_other_game() -> None:
    assert not aivat("cfr", make_game("bluff")).covers(make_game("bloeff"), 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("known", "other", "most"),
    [
        ("bayes", "honest", 0.2),
        ("cfr", "honest", 0.1),
        pytest.param("honest", "exploiter", 0.3, marks=pytest.mark.slow),
    ],
)
def test_values_fit_play_far_from_equilibrium(known: str, other: str, most: float) -> None:
    game = make_game("bluff", {"dice_per_player": 3})
    contenders = [Contender("other", load_bot(other)), Contender("known", load_bot(known))]
    blocks = [
        [(played.contenders.index(0), played.transcript)]
        for played in play_series(game, contenders, 200, "models")
    ]
    results = np.array([float(match.result.placing[seat] == 1) for ((seat, match),) in blocks])
    luck = MatchLuck(values(), aivat(known, game)).of_blocks(blocks)
    assert luck_adjusted(results, luck).variance_factor < most


@pytest.mark.parametrize("opener", [0, 1])
@pytest.mark.parametrize("known", [None, *MODELS.values()], ids=str)
def test_nobody_does_better_against_the_known_seat_than_its_response(
    known: Model | None, opener: int
) -> None:
    for dice in ((1, 1), (2, 1), (2, 2)):
        *others, response = [each.round(dice, opener).before_roll for each in values().of(known)]
        sign = 1 if opener == 0 else -1
        assert sign * response < min(sign * other for other in others) + 0.005


def test_the_response_knows_hands_by_all_that_the_known_seat_did() -> None:
    *_, response = values().of(Model.HONEST)
    round_values, three = response.round((1, 1), 0), 2
    by_last_bet = round_values.after_actions(0, 0, 1, three)
    gains = []
    for bet, hand in product(range(1, len(track(2)) + 1), range(6)):
        play = np.zeros_like(by_last_bet)
        play[bet, hand] = 1.0
        answers = round_values.after_actions(bet, 1, 0, hand)[:, three]
        after = round_values.after_play(0, 0, three, play)[bet, hand]
        assert after == pytest.approx(answers.min(), abs=0.02)
        gains.append(by_last_bet[bet, hand] - after)
    assert max(gains) > 0.1
