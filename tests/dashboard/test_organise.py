"""What an organiser sees of who takes part: filters, escaped text, CSV; and the form of events."""

import csv
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from streamlit.testing.v1 import AppTest

from arena.builds.hosted import BuildState
from arena.clients.organiser_client import NewKey, ParticipantSeen, PersonSeen
from arena.server.events.event import Admission
from arena.server.events.event_file import read_event
from arena.server.events.roster_file import Enrollee
from arena_dashboard.events import event_forms
from arena_dashboard.events.organise_tables import Show, chosen, keys_csv, participants_csv, table
from tests.dashboard.test_owner_pages import visitor
from tests.dashboard.test_private_event_pages import at
from tests.scene import Scene
from tests.server.events.cups import said

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
HOSTILE = "<script>alert(1)</script>"
ANN = PersonSeen(1, "Ann Archer", "ann@example.org", "1001", captain=True, excused=False)
BOB = PersonSeen(2, "=HYPERLINK(1)", "", "1002", captain=False, excused=True)
TEAM = ParticipantSeen(
    owner="Aces",
    bot="ace",
    team="Aces",
    entered=NOON,
    version="",
    sha256="",
    withdrawn=False,
    plays="3",
    newest="4",
    state=BuildState.REFUSED,
    reason=f"It ended.\n{HOSTILE}",
    last_seen=NOON,
    matches=1200,
    faults=2,
    people=(ANN, BOB),
)
ABSENT = ParticipantSeen(
    "Cooks", "", "", None, "", "", False, "", "", None, "", None, 0, 0, (replace(ANN, name="Carl"),)
)
WITHOUT = replace(TEAM, owner="Dicers", bot="die", plays="", faults=0, people=())
ALL = (TEAM, ABSENT, WITHOUT)
RATINGS = {("ace", "3"): 1512.4}


@pytest.mark.parametrize(
    ("show", "search", "owners"),
    [
        (Show.ALL, "", ["Aces", "Cooks", "Dicers"]),
        (Show.NOT_ENTERED, "", ["Cooks"]),
        (Show.NO_BUILD, "", ["Dicers"]),
        (Show.FAULTS, "", ["Aces"]),
        (Show.ALL, " ARCHER ", ["Aces"]),
        (Show.ALL, "1001", ["Aces", "Cooks"]),
        (Show.NOT_ENTERED, "ace", []),
    ],
)
def test_participants_are_found_by_what_is_missing_and_by_words(
    show: Show, search: str, owners: list[str]
) -> None:
    assert [one.owner for one in chosen(ALL, show, search)] == owners


def test_a_withdrawn_bot_has_no_build() -> None:
    assert chosen([replace(TEAM, withdrawn=True)], Show.NO_BUILD, "") != []


def test_the_table_has_all_that_is_known_as_text() -> None:
    shown = table(ALL, RATINGS)
    assert "<script" not in shown
    for words in ("v3", "v4 refused", "It ended.", "not entered", "never", "1,200", ">1512<"):
        assert words in shown, words
    assert "Ann Archer" in shown and "1002 · excused" in shown


def test_the_csv_has_a_line_for_each_person_and_no_formula() -> None:
    lines = list(csv.DictReader(participants_csv(ALL, RATINGS).splitlines()))
    assert [(one["team"], one["name"]) for one in lines] == [
        ("Aces", "Ann Archer"),
        ("Aces", "'=HYPERLINK(1)"),
        ("Cooks", "Carl"),
        ("Dicers", ""),
    ]
    ann, bob, *_ = lines
    assert (ann["build"], ann["rating"], ann["matches"]) == ("3", "1512", "1200")
    assert (ann["role"], bob["role"], bob["excused"]) == ("captain", "member", "True")


def test_keys_are_written_as_the_command_writes_them() -> None:
    key = NewKey(Enrollee("Ann", "", "1", ""), "cup 1", True, "arena_owner_x")
    assert keys_csv([key]) == (
        "name,email,number,team,role,key\nAnn,,1,cup 1,captain,arena_owner_x\n"
    )


def test_the_form_of_an_event_becomes_an_event_whatever_is_written_in_it() -> None:
    title = 'A "cup" \\ for 😀 all'
    fields = {
        "title": title,
        "text": 'Line\n"""\nmore',
        "game": "bluff",
        "entry": "roster",
        "final.format": "swiss",
        "final.seats": 3,
        "final.blocks": 5,
        **{
            f"dates.{name}": NOON + timedelta(days=at)
            for at, name in enumerate(("opens", "freeze", "final", "results"))
        },
    }
    event = read_event(event_forms.toml_of(fields))
    assert (event.title, event.text) == (title, 'Line\n"""\nmore')
    assert (event.entry, event.rules.seats, event.rules.blocks) == (Admission.ROSTER, 3, 5)
    assert event.dates.opens == NOON


def test_the_example_of_the_page_is_an_event_that_is_still_to_come() -> None:
    event = read_event(event_forms.example(NOON))
    assert event.dates.opens == NOON
    assert event.dates.freezes == NOON + timedelta(days=14)


@dataclass
class Shown:
    """What the form to move dates reads of an event."""

    name: str = "cup"
    opens: datetime = NOON
    freezes: datetime = NOON + timedelta(days=1)
    final: datetime = NOON + timedelta(days=2)
    results: datetime = NOON + timedelta(days=3)


@dataclass
class Mover:
    """A client that only notes which dates are moved."""

    moved: list[dict[str, datetime | None]] = field(default_factory=list)

    def move(self, _name: str, **dates: datetime | None) -> None:
        self.moved.append(dates)


def test_a_date_that_somebody_else_moved_meanwhile_is_not_moved_back() -> None:
    def page(client: object, event: object) -> None:
        from arena_dashboard.events import event_forms

        event_forms.move(client, event)  # type: ignore[arg-type]

    client, event = Mover(), Shown()
    app = AppTest.from_function(page, args=(client, event), default_timeout=60).run()
    event.freezes += timedelta(days=7)
    app.button[0].click().run()
    assert client.moved == []
    assert "No date was changed." in app.info[0].value
    event.final += timedelta(days=7)
    results = event.results + timedelta(days=7)
    app.datetime_input[3].set_value(results.replace(tzinfo=None))
    app.button[0].click().run()
    assert client.moved == [{"opens": None, "freezes": None, "final": None, "results": results}]
    event.name = "another"
    app.run()
    shown = [one.value for one in app.datetime_input]
    assert shown[3] == event.results.replace(tzinfo=None)


async def test_new_keys_wait_on_the_page_of_their_event_alone(scene: Scene) -> None:
    await scene.key("root")
    await scene.arena.store.owners.make_operator("root", "operator")
    for name in ("cup", "mug"):
        await scene.arena.store.events.create(name, said(), "me")
    root = await visitor(scene, "submit", "root")
    assert "are new" not in await at(root, "organise", event="cup")
    (roster,) = [one for one in root.app.text_area if one.label == "The roster as CSV"]
    roster.set_value("name\nAnn Archer")
    await root.press("Make keys for new people")
    assert "**1 are new.**" in root.sees
    assert "are new" not in await at(root, "organise", event="mug")
    assert "**1 are new.**" in await at(root, "organise", event="cup")
    await root.press("I have stored them: add these people")
    assert [one.value for one in root.app.success] == ["1 are on the roster now."]
