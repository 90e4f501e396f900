"""Groups: who is in which, who goes on, and that every place is decided."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.scheduling.formats import FormatName, make_format
from arena.scheduling.groups import Groups
from arena.scheduling.knockout import Decision
from arena.scheduling.pairings import FormatError, Pairing, PlayedPairing
from tests.scheduling.playing import chance, drawn, entries, play_out, stronger_wins
from tests.thoroughness import tries


def groups(
    field: int, seats: int = 2, *, blocks: int = 1, number: int | None = None, go_on: int | None
) -> Groups:
    plan = make_format(
        FormatName.GROUPS,
        field=field,
        seats=seats,
        blocks=blocks,
        rounds=None,
        seed="s",
        groups=number,
        advance=go_on,
    )
    assert isinstance(plan, Groups)
    return plan


@st.composite
def plans(draw: st.DrawFn, seats: tuple[int, int] = (2, 5)) -> Groups:
    at_table = draw(st.integers(*seats))
    number = draw(st.integers(1, 5))
    go_on = draw(st.integers(-(-at_table // number), max(4, at_table)))
    least = number * max(at_table, go_on + 1)
    field = draw(st.integers(least, least + 9))
    return groups(field, at_table, blocks=draw(st.integers(1, 2)), number=number, go_on=go_on)


@pytest.mark.parametrize(
    ("field", "seats", "number", "go_on"),
    [
        (3, 2, 1, 2),
        (4, 2, 2, 1),
        (7, 2, 2, 1),
        (8, 2, 2, 2),
        (15, 2, 2, 2),
        (16, 2, 4, 2),
        (20, 2, 4, 2),
        (32, 2, 8, 2),
        (4, 3, 1, 3),
        (12, 3, 2, 2),
        (16, 4, 4, 2),
        (14, 6, 2, 3),
    ],
)
def test_without_more_said_the_bracket_is_full_and_groups_have_four_or_more(
    field: int, seats: int, number: int, go_on: int
) -> None:
    plan = groups(field, seats, go_on=None)
    assert (plan.groups, plan.advance) == (number, go_on)


def test_the_field_is_dealt_in_a_serpentine() -> None:
    plan = groups(10, number=3, go_on=1)
    assert plan.members == [[1, 6, 7], [2, 5, 8], [3, 4, 9, 10]]


@settings(max_examples=tries(60, quick=20))
@given(plans(), st.data())
def test_everybody_meets_the_own_group_and_every_place_is_given_once(
    plan: Groups, data: st.DataObject
) -> None:
    field = plan.field
    played = play_out(plan, field, chance(data))
    sizes = sorted(map(len, plan.members))
    assert sizes[-1] - sizes[0] <= 1
    assert sorted(entry for group in plan.members for entry in group) == list(range(1, field + 1))
    for group in plan.members:
        own = [one for one in played if plan.in_groups(one.pairing)]
        own = [one for one in own if one.pairing.entries[0] in group]
        met = {
            frozenset((one, two))
            for played in own
            for one in played.pairing.entries
            for two in played.pairing.entries
            if one != two
        }
        assert met == {frozenset((one, two)) for one in group for two in group if one != two}
        times = [sum(entry in one.pairing.entries for one in own) for entry in group]
        assert len(set(times)) == 1
    lines = plan.standings(field, played)
    assert [line.rank for line in lines] == list(range(1, field + 1))
    assert sorted(line.entry for line in lines) == list(range(1, field + 1))


def test_the_tables_of_a_round_are_numbered_from_1_over_all_groups() -> None:
    plan = groups(8, 2, number=2, go_on=2)
    found = plan.next_pairings(8, [])
    assert found is not None
    by_round = {
        one.round: [each.table for each in found if each.round == one.round] for one in found
    }
    assert by_round == {round_: [1, 2, 3, 4] for round_ in (1, 2, 3)}


@pytest.mark.slow
@settings(max_examples=tries(60, quick=20))
@given(plans(), st.data())
def test_the_best_of_each_group_go_on_and_rank_before_all_others(
    plan: Groups, data: st.DataObject
) -> None:
    played = play_out(plan, plan.field, chance(data))
    best = {line.entry for table in plan.group_standings(played) for line in table[: plan.advance]}
    seated = {
        entry for one in played if not plan.in_groups(one.pairing) for entry in one.pairing.entries
    }
    assert seated == best
    order = entries(plan, plan.field, played)
    assert set(order[: len(best)]) == best
    in_first_round = {
        entry
        for one in played
        if one.pairing.round == plan.group_rounds + 1
        for entry in one.pairing.entries
    }
    assert in_first_round == best


@pytest.mark.slow
@settings(max_examples=tries(60, quick=20))
@given(plans(), st.data())
def test_it_takes_the_blocks_that_were_planned_and_no_more_but_for_ties(
    plan: Groups, data: st.DataObject
) -> None:
    played = play_out(plan, plan.field, stronger_wins)
    assert sum(len(one.blocks) for one in played) == plan.expected_blocks(plan.field)
    by_chance = play_out(plan, plan.field, chance(data))
    extra = sum(len(one.blocks) for one in by_chance) - plan.expected_blocks(plan.field)
    assert extra >= 0
    assert all(len(one.blocks) == plan.blocks for one in by_chance if plan.in_groups(one.pairing))


@pytest.mark.slow
@settings(max_examples=tries(60, quick=20))
@given(plans(), st.data())
def test_the_order_in_which_pairings_are_decided_changes_nothing(
    plan: Groups, data: st.DataObject
) -> None:
    results: dict[Pairing, tuple[Fraction, ...]] = {}
    draw = chance(data)

    def fixed(pairing: Pairing) -> tuple[Fraction, ...]:
        return results.setdefault(pairing, draw(pairing))

    played = play_out(plan, plan.field, fixed)
    in_groups = [one for one in played if plan.in_groups(one.pairing)]
    shuffled = data.draw(st.permutations(in_groups))
    once = plan.next_pairings(plan.field, in_groups)
    assert plan.next_pairings(plan.field, shuffled) == once
    assert plan.standings(plan.field, [*shuffled]) == plan.standings(plan.field, in_groups)


@pytest.mark.slow
@settings(max_examples=tries(100, quick=30))
@given(st.integers(2, 9), st.integers(1, 5), st.integers(0, 8), st.data())
def test_bots_of_one_group_do_not_meet_in_the_first_round_of_the_knockout(
    number: int, go_on: int, more: int, data: st.DataObject
) -> None:
    plan = groups(number * (go_on + 1) + more, number=number, go_on=go_on)
    group_of = {entry: at for at, group in enumerate(plan.members) for entry in group}
    played = play_out(plan, plan.field, chance(data))
    for one in played:
        if one.pairing.round == plan.group_rounds + 1 and not one.pairing.is_bye:
            first, second = one.pairing.entries
            assert group_of[first] != group_of[second]


def test_the_best_of_a_group_meets_the_worst_that_go_on() -> None:
    plan = groups(8, number=2, go_on=2)
    played = play_out(plan, 8, stronger_wins)
    knockout = [one.pairing for one in played if not plan.in_groups(one.pairing)]
    assert [(one.round, set(one.entries)) for one in knockout] == [
        (4, {1, 3}),
        (4, {2, 4}),
        (5, {1, 2}),
    ]
    assert entries(plan, 8, played) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_equals_at_the_edge_of_a_group_are_ordered_by_the_seeding() -> None:
    plan = groups(8, number=2, go_on=2)
    played = play_out(plan, 8, drawn)
    tables = plan.group_standings(played)
    assert [[line.entry for line in table] for table in tables] == [[1, 4, 5, 8], [2, 3, 6, 7]]
    assert [[line.rank for line in table] for table in tables] == [[1, 2, 3, 4]] * 2


def test_equals_of_a_group_are_ordered_by_their_own_meeting_first() -> None:
    plan = groups(3, number=1, go_on=2)

    def upset(pairing: Pairing) -> tuple[Fraction, ...]:
        # 3 beats 2, 1 beats 3, and 1 and 2 are level: 1 has 1.5, 3 has 1, 2 has 0.5.
        points = {frozenset((2, 3)): 3, frozenset((1, 3)): 1}
        winner = points.get(frozenset(pairing.entries))
        return tuple(
            Fraction(1, 2) if winner is None else Fraction(one == winner) for one in pairing.entries
        )

    (table,) = plan.group_standings(play_out(plan, 3, upset))
    assert [line.entry for line in table] == [1, 3, 2]


def after_groups(plan: Groups) -> list[PlayedPairing]:
    paired = plan.next_pairings(plan.field, [])
    assert paired is not None
    return [PlayedPairing(one, (stronger_wins(one),) * plan.blocks) for one in paired]


def test_the_next_of_the_group_replaces_a_bot_that_withdrew() -> None:
    plan = groups(8, number=2, go_on=2)
    added = plan.next_pairings(8, after_groups(plan), withdrawn={1})
    assert added is not None
    assert {frozenset(one.entries) for one in added} == {frozenset({2, 5}), frozenset({3, 4})}


def test_the_best_of_the_other_groups_replace_those_whose_group_is_gone() -> None:
    plan = groups(8, number=2, go_on=2)
    added = plan.next_pairings(8, after_groups(plan), withdrawn={1, 4, 5})
    assert added is not None
    assert {entry for one in added for entry in one.entries} == {8, 2, 3, 6}


def test_the_groups_decide_if_fewer_are_left_than_the_knockout_takes() -> None:
    plan = groups(8, number=2, go_on=2)
    played = after_groups(plan)
    assert plan.next_pairings(8, played, withdrawn={1, 2, 3, 4, 5}) is None
    assert entries(plan, 8, played) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_a_pairing_of_a_group_decides_nothing_by_itself() -> None:
    plan = groups(8, number=2, go_on=2)
    played = play_out(plan, 8, drawn)
    for one in played:
        decided = plan.decided(one)
        assert (decided is None) == plan.in_groups(one.pairing)
        if decided is not None:
            assert (decided.winner, decided.by) == (min(one.pairing.entries), Decision.SEEDING)


@pytest.mark.parametrize(
    ("field", "seats", "number", "go_on", "sentence"),
    [
        (7, 2, 2, 3, "7 bots are too few for 2 groups: if 3 of each go on, .*at least 4"),
        (2, 2, None, None, "at least 3"),
        (9, 2, 1, 1, "1 bots go on from the groups, and a table has 2 seats"),
        (9, 4, 3, 1, "3 bots go on from the groups"),
        (500, 2, 1, 2, "is the most"),
    ],
)
def test_what_cannot_be_played_is_refused_with_what_can(
    field: int, seats: int, number: int | None, go_on: int | None, sentence: str
) -> None:
    with pytest.raises(FormatError, match=sentence):
        groups(field, seats, number=number, go_on=go_on)


@pytest.mark.parametrize("option", [{"groups": 2}, {"advance": 2}])
def test_other_formats_have_no_groups(option: dict[str, int]) -> None:
    with pytest.raises(FormatError, match="only the format groups"):
        make_format(FormatName.SWISS, field=8, seats=2, blocks=1, rounds=None, seed="s", **option)
