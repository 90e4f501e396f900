"""An event.toml is read, or refused with what is wrong with it."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from arena.errors import UserError
from arena.scheduling.formats import FormatName
from arena.server.events.event import Admission, EntryLimits, LadderRules
from arena.server.events.event_file import EXAMPLE, read_event

CUP = 'title = "Cup"\ngame = "bluff"'
DATES = """
[dates]
opens = 2026-12-01T08:00:00Z
freeze = 2026-12-02T08:00:00Z
final = 2026-12-02T08:00:00Z
results = 2026-12-03T08:00:00Z
"""


def test_the_example_is_an_event() -> None:
    event = read_event(EXAMPLE)
    assert event.title == "Bluff in autumn"
    assert event.rules.format is FormatName.ROUND_ROBIN
    assert (event.rules.seats, event.rules.blocks) == (2, 20)
    zone = timezone(timedelta(hours=1))
    assert event.dates.freezes == datetime(2026, 12, 18, 18, tzinfo=zone)
    assert event.practice
    assert event.entry is Admission.OPEN
    assert event.limits == EntryLimits(members=4, builds=10, bots=60)


def test_what_is_left_out_has_a_default() -> None:
    event = read_event(f"{CUP}{DATES}")
    assert (event.rules.game, event.rules.seats, event.rules.blocks) == ("bluff", 2, 20)
    assert not event.practice
    assert event.limits == EntryLimits()
    assert event.ladder is None
    assert read_event(f"{CUP}\n[ladder]{DATES}").ladder == LadderRules((), pace=600, enough=200)
    assert not event.live
    assert event.dates.opens == datetime(2026, 12, 1, 8, tzinfo=UTC)


def test_a_final_has_options_and_a_time_control() -> None:
    event = read_event(
        f"{CUP}\n[options]\ndice_per_player = 3\n[final]\nseats = 3\n"
        f'time = "turn=1s"\nscore = "winner"\n{DATES}'
    )
    assert event.rules.options == {"dice_per_player": 3}
    assert event.rules.time_control.turn_ms == 1000


def test_a_text_is_as_long_as_it_may_be_in_any_form() -> None:
    text = "A sentence, and more. " * 900
    for written in (json.dumps(text), f"'''{text}'''", f'"""{text}"""'):
        assert read_event(f"{CUP}\ntext = {written}{DATES}").text == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("title = ", "^The file is not TOML: "),
        (f'game = "bluff"{DATES}', "^title is missing"),
        (f'title = "Cap"{DATES}', "^game is missing"),
        (f"{CUP}\n[limits]\nbuilds = 0{DATES}", "^limits.builds: "),
        (f"{CUP}\n[limits]\nteams = 3{DATES}", "^limits.teams: there is no such member"),
        (f'title = ""\ngame = "bluff"{DATES}', '^title: found ""'),
        (f'title = " "\ngame = "bluff"{DATES}', "^title: .*one line that is not blank"),
        (f'title = "a\\nb"\ngame = "bluff"{DATES}', "^title: .*one line that is not blank"),
        (f'title = "a\\u001b[31m"\ngame = "bluff"{DATES}', "^title: .*cannot be shown"),
        (f'{CUP}\ntext = "a\\u0000b"{DATES}', "^text: .*cannot be shown"),
        (f"{CUP}\ntile = 1{DATES}", "^tile: there is no such member"),
        (f'title = "Cup"\ngame = "chess"{DATES}', "chess"),
        (f"{CUP}\noptions = {{dice = 3}}{DATES}", "dice"),
        (
            f'{CUP}\nentry = "all"{DATES}',
            '^entry is "all": say one of open, code, roster',
        ),
        (
            f"{CUP}\n[final]\nseats = 9{DATES}",
            r"^final.seats is 9: Bluff is played by",
        ),
        (f"{CUP}\n[final]\nblocks = 0{DATES}", "^final.blocks: found 0"),
        (
            f'{CUP}\n[final]\nformat = "swish"{DATES}',
            '^final.format is "swish": say one',
        ),
        (
            f'{CUP}\n[final]\nformat = "gauntlet"{DATES}',
            "A gauntlet has one bot",
        ),
        (f'{CUP}\n[final]\ntime = "fast"{DATES}', "^final.time: "),
        (f'{CUP}\n[ladder]\nhouse = ["deep"]{DATES}', "^ladder.house names deep: there are bayes"),
        (
            f'{CUP}\n[ladder]\nhouse = ["skull_honest"]{DATES}',
            "^ladder.house names skull_honest, which does not play bluff",
        ),
        (f"{CUP}\n[ladder]\npace = 0{DATES}", "^ladder.pace: found 0"),
        (f"{CUP}\nprivate = true{DATES}", 'entry is "code" or "roster"'),
        (
            f'{CUP}\nprivate = true\nentry = "code"\n[final]\nlive = true{DATES}',
            "^final.live is for everybody to see",
        ),
        (CUP, "^dates is missing"),
        (
            f"{CUP}{DATES}".replace("freeze = 2026-12-02", "freeze = 2026-12-05"),
            "^Opens, freeze, final and results must follow each other; they are opens 2026-12-01",
        ),
        (
            f"{CUP}{DATES}".replace("08:00:00Z", "08:00:00"),
            "^Opens has no time zone: write it as in 2026-12-01T18:00:00",
        ),
        (
            f"{CUP}{DATES}".replace("2026-12-01T08:00:00Z", "0001-01-01T00:00:00+23:59"),
            "^Opens is not in the years 1 to 9999 of UTC",
        ),
        (
            f"{CUP}{DATES}".replace("2026-12-03T08:00:00Z", "9999-12-31T23:59:59-23:59"),
            "^Results is not in the years 1 to 9999 of UTC",
        ),
        (f"{CUP}\npractice = {'[' * 5_000}", "^The file is n(ested too deeply|ot TOML)"),
        (f"{CUP}\npractice = {'9' * 5_000}", "^The file is not TOML: "),
        (f"{'a.' * 5_000}a = 1\n{CUP}", "^The file has a key of more than"),
        (
            f"{CUP}{DATES}".replace("2026-12-03T08:00:00Z", "1"),
            "^dates.results: found 1",
        ),
    ],
)
def test_what_is_wrong_is_named(text: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        read_event(text)
