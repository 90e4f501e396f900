"""Grades follow a rubric, and the sentence beside each says how."""

from dataclasses import replace
from typing import Any

import psycopg
import pytest

from arena.records import VersionId
from arena.scheduling.formats import FormatName
from arena.server.app.store import Store
from arena.server.events.grade_forms import Graded, canvas, moodle, plain
from arena.server.events.grades import (
    EXAMPLE,
    Achieved,
    HouseResult,
    Rubric,
    RubricError,
    excused,
    grade,
    read_rubric,
)
from tests.recorded_results import finished
from tests.server.events.cups import RULES, played_out
from tests.server.events.finals.test_finals import begun, released

RUBRIC = read_rubric(EXAMPLE)
GOOD = Achieved(
    "mine",
    "3",
    {
        "random": HouseResult(400, 300.0),
        "timid": HouseResult(100, 55.0),
        "honest": HouseResult(10, 10.0),
    },
    1.0,
    2,
    5,
    3,
)


def test_the_example_is_a_rubric() -> None:
    assert RUBRIC.most == 100
    assert RUBRIC.rungs == {"random": 10, "timid": 20, "honest": 30}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("rungs = ", "The rubric is not TOML"),
        ("", "gives no points for anything"),
        ("[faults]\neach = 1\nmost = 3", "gives no points for anything"),
        ("[rungs]\nrandom = -1", "rungs.random: found -1"),
        ("[loss]\nmost = 10\nnone_at = 0", "loss.none_at: found 0"),
        ("[prize]\nmost = 10", "prize: there is no such member"),
    ],
)
def test_what_is_wrong_with_a_rubric_is_named(text: str, why: str) -> None:
    with pytest.raises(RubricError, match=why):
        read_rubric(text)


def test_a_rung_counts_if_it_is_beaten_for_certain_however_many_others_there_are() -> None:
    found = grade(RUBRIC, GOOD)
    # random: 75 of 100 in 400 matches is certain; timid: 55 in 100 is not; honest: 10 of 10 is.
    assert found.points == 10 + 30 + 15 + 15 - 3
    assert found.most == 100
    for words in (
        "beats random for certain, 75.0% (70.5% to 79.0%, 400 matches): 10 of 10",
        "does not beat timid for certain, 55.0% (45.2% to 64.4%, 100 matches): 0 of 20",
        "beats honest for certain, 100.0% (72.2% to 100.0%, 10 matches): 30 of 30",
        "a decision costs 1.00 % of a match: 15 of 20",
        "place 2 of 5 in the final: 15 of 20",
        "3 faults in the final: -3",
        "In all 67 of 100.",
    ):
        assert words in found.explained


def test_the_last_place_and_costly_decisions_earn_nothing_and_faults_take_at_most_so_much() -> None:
    poor = replace(GOOD, met={}, loss=9.0, place=5, faults=50)
    found = grade(RUBRIC, poor)
    assert found.points == 0
    assert "50 faults in the final: -10" in found.explained
    assert "no match against random: 0 of 10" in found.explained


def test_points_for_loss_and_place_have_two_decimals() -> None:
    found = grade(RUBRIC, replace(GOOD, loss=1.2345, place=2, finalists=8)).criteria
    assert (found["loss"], found["place"]) == (13.83, 17.14)


def test_what_is_not_known_is_said_and_earns_nothing() -> None:
    unknown = replace(GOOD, loss=None, place=None, faults=0)
    found = grade(RUBRIC, unknown)
    assert found.points == 40
    assert "no decision is analysed: 0 of 20" in found.explained
    assert "no place in the final: 0 of 20" in found.explained
    assert grade(RUBRIC, None).explained == "No bot is entered."
    without = grade(RUBRIC, replace(GOOD, version=None))
    assert (without.points, without.explained) == (
        0,
        "mine had no accepted build at the freeze.",
    )


def test_only_what_the_rubric_asks_for_is_explained() -> None:
    found = grade(Rubric(rungs={"random": 5}), GOOD)
    assert found.explained == (
        "mine 3: beats random for certain, 75.0% (70.5% to 79.0%, 400 matches): 5 of 5. "
        "In all 5 of 5."
    )


def graded(rubric: Rubric) -> list[Graded]:
    """Ann, who has a bot, and Bob, who is excused."""
    return [
        Graded(1, "Ann", "ann@example.org", "1001", "A", grade(rubric, GOOD)),
        Graded(2, "Bob", "bob@example.org", "1002", "A", excused(rubric)),
    ]


def test_files_have_the_columns_that_canvas_and_moodle_import_and_excuse_who_is_excused() -> None:
    people = graded(Rubric(rungs={"random": 5}))
    assert canvas("Bots", people) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Bots"],
        ["    Points Possible", "", "", "", "", "5"],
        ["Ann", "", "1001", "ann@example.org", "", "5"],
        ["Bob", "", "1002", "bob@example.org", "", "EX"],
    ]
    head, ann, bob = moodle("Bots", people)
    assert head == ["Full name", "Email address", "ID number", "Bots", "Bots (Feedback)"]
    assert ann == ["Ann", "ann@example.org", "1001", "5", people[0].grade.explained]
    assert bob == ["Bob", "bob@example.org", "1002", "", "Excused."]


def test_the_plain_form_has_a_column_for_each_criterion() -> None:
    head, ann, bob = plain(graded(RUBRIC))
    assert head == [
        *("name", "email", "number", "team", "random", "timid", "honest", "loss", "place"),
        *("faults", "points", "of", "explained"),
    ]
    assert ann[4:12] == ["10", "0", "30", "15", "15", "-3", "67", "100"]
    assert bob[4:] == ["", "", "", "", "", "", "", "100", "Excused."]
    faultless = grade(RUBRIC, replace(GOOD, faults=0))
    assert plain([Graded(1, "Ann", "", "", "A", faultless)])[1][9] == "0"


def test_points_are_the_sum_of_the_criteria_and_never_less_than_none() -> None:
    poor = replace(GOOD, met={}, loss=9.0, place=5, faults=50)
    for achieved in (GOOD, poor, None, replace(GOOD, version=None)):
        found = grade(RUBRIC, achieved)
        assert list(found.criteria) == RUBRIC.criteria
        assert found.points == max(0, sum(found.criteria.values()))


async def test_a_place_in_a_released_final_counts_and_rated_matches_against_the_house_at_its_table(
    store: Store, database: str, sql: "psycopg.Connection[Any]"
) -> None:
    rules = replace(RULES, format=FormatName.KNOCKOUT)
    event = await begun(store, database, sql, rules, names=("ann", "bob"))
    await played_out(store, sql, event)
    event = await released(store, sql)
    house = (await store.register("timid", "house", house=True))[0].version_id
    ann, bob = [
        VersionId(row[0])
        for row in sql.execute(
            "SELECT versions.id FROM versions JOIN bots ON bots.id = bot_id"
            " WHERE name LIKE 'bot-%' ORDER BY name"
        )
    ]
    pairs = [(ann, house), (house, ann), (ann, bob)]
    await store.record([finished(pair, dice_per_player=2) for pair in pairs])
    await store.record([finished((ann, house), dice_per_player=3)])  # another table
    rubric = read_rubric("[rungs]\ntimid = 10\n[place]\nmost = 10\n")
    graded, _ = await store.grading.grades(event, rubric)
    of_ann, of_bob = [one.grade.explained for one in graded]
    assert "timid for certain, 50.0%" in of_ann and ", 2 matches): 0 of 10" in of_ann
    assert "no match against timid" in of_bob
    placed = sorted(one.partition("place ")[2] for one in (of_ann, of_bob))
    assert placed[0].startswith("1 of 2 in the final: 10 of 10")
    assert placed[1].startswith("2 of 2 in the final: 0 of 10")
