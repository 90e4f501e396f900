"""What a program prints is kept in bounded memory, each line after its time."""

import re

from arena.worker.printed import Printed


class Clock:
    """Shows a second more at each look."""

    def __init__(self) -> None:
        self.seconds = 0

    def __call__(self) -> float:
        self.seconds += 1
        return self.seconds - 0.5


def printed(*parts: bytes, most: int = 1024) -> Printed:
    made = Printed(Clock(), most)
    for part in parts:
        made.add(part)
    return made


def test_a_line_has_the_time_at_which_it_begins() -> None:
    assert printed(b"a\nb", b"c\n", b"\nd").text() == "0.500 a\n0.500 bc\n2.500 \n2.500 d"


def test_what_was_printed_is_counted_without_the_times() -> None:
    assert printed(b"a\n", b"b\n").total == 4


def test_the_first_and_the_last_lines_are_kept_and_the_rest_of_a_line_is_not() -> None:
    parts = [b"line %d\n" % number for number in range(100)]
    whole = sum(len(f"{number}.500 line {number}\n") for number in range(100))
    text = printed(*parts, most=100).text()
    first, gap, last = re.split(r"(\n… .+ bytes are left out …\n)", text)
    assert first.startswith("0.500 line 0\n1.500 line 1\n2.500 line 2\n")
    assert f"{whole - len(first) - len(last):,} bytes" in gap
    assert last == "97.500 line 97\n98.500 line 98\n99.500 line 99\n"


def test_without_a_clock_it_is_kept_as_it_was_printed() -> None:
    made = Printed(most=8)
    made.add(b"123456")
    made.add(b"7890")
    assert made.text() == "1234\n… 2 bytes are left out …\n7890"
