"""Which lines of a shift's log were printed in a time."""

import pytest

from arena.builds.shift_log import printed_between

LOG = "0.100 a\n1.000 b\n1.000 c\n\n… 99 bytes are left out …\n7.000 d\n8.000 e"
GAP = "\n… 99 bytes are left out …\n"


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (-1.0, 0.5, "0.100 a\n"),
        (0.5, 1.0, "1.000 b\n1.000 c\n" + GAP),
        (2.0, 3.0, GAP),
        (3.0, 7.0, GAP + "7.000 d\n"),
        (7.5, 60.0, "8.000 e"),
        (0.2, 0.3, ""),
        (9.0, 60.0, ""),
    ],
)
def test_lines_of_that_time_are_shown_and_what_may_be_left_out_of_it(
    start: float, end: float, expected: str
) -> None:
    assert printed_between(LOG, start, end) == expected


@pytest.mark.parametrize("end", ["\r", "\x0b", "\x85", "\u2028"])
def test_no_program_puts_a_time_before_a_line(end: str) -> None:
    assert printed_between(f"1.000 a{end}5.000 b\n", 4.0, 6.0) == ""


def test_nothing_was_printed() -> None:
    assert printed_between("", 0.0, 60.0) == ""
