"""`arena rate` and `arena sprt` as a person or a script calls them."""

import json
import math
from pathlib import Path

import pytest

from arena.rating.elo import Z_95
from tests.commands.running import arena


def line(match: str, *seats: tuple[str, int], block: str | None = None) -> str:
    row: dict[str, object] = {
        "match": match,
        "seats": [{"bot": bot, "placing": placing} for bot, placing in seats],
    }
    if block is not None:
        row["block"] = block
    return json.dumps(row)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    file = tmp_path / "results.jsonl"
    rows = [
        line("1", ("A", 1), ("B", 2), block="x"),
        line("2", ("B", 2), ("A", 1), block="x"),
        line("3", ("A", 2), ("B", 1), block="y"),
        line("4", ("A", 1), ("B", 1), block="y"),
        "",
        line("5", ("A", 1), ("B", 2), ("C", 2)),
        line("6", ("C", 1), ("B", 2)),
    ]
    file.write_text("\n".join(rows) + "\n")
    return file


def test_the_answer_is_one_json_object_with_every_bot_and_pair(results: Path) -> None:
    answer = json.loads(arena("rate", results, "--json").stdout)
    assert [sorted(bot) for bot in answer["bots"]] == [
        ["bot", "elo", "flags", "interval", "matches", "rank_high", "rank_low", "se"]
    ] * 3
    bots = {bot["bot"]: bot for bot in answer["bots"]}
    assert {name: bot["matches"] for name, bot in bots.items()} == {"A": 5, "B": 6, "C": 2}
    assert sum(bot["elo"] for bot in bots.values()) == pytest.approx(0.0, abs=1e-9)
    pairs = {(pair["bot"], pair["opponent"]): pair for pair in answer["pairs"]}
    assert list(pairs) == [("A", "B"), ("A", "C"), ("B", "C")]
    first = pairs["A", "B"]
    assert (first["wins"], first["ties"], first["losses"]) == (3, 1, 1)
    assert first["difference"] == pytest.approx(bots["A"]["elo"] - bots["B"]["elo"])
    expected = 0.5 * math.erfc(-first["difference"] / first["se"] / math.sqrt(2))
    assert first["los"] == pytest.approx(expected)
    for bot in bots.values():
        reach = Z_95 * bot["se"]
        assert bot["interval"] == pytest.approx([bot["elo"] - reach, bot["elo"] + reach])


def test_two_bots_in_blocks_are_rated_as_by_hand(tmp_path: Path) -> None:
    # Blocks of A against B, ten times each: (1, 1), (1, 0), (0, 0), (1, 1/2): 4.5 of 8 points, no
    # prior.
    file = tmp_path / "hand.jsonl"
    points = 10 * [(1, 1), (1, 0), (0, 0), (1, 0.5)]
    places = {1: (1, 2), 0: (2, 1), 0.5: (1, 1)}
    file.write_text(
        "\n".join(
            line(f"{b}{m}", ("A", places[s][0]), ("B", places[s][1]), block=str(b))
            for b, block in enumerate(points)
            for m, s in enumerate(block)
        )
    )
    words = ("rate", file, "--json", "--prior-sd", "none")
    answer = json.loads(arena(*words, "--anchor", "B=1000").stdout)
    p = 4.5 / 8
    per_nat = 400 / math.log(10)
    theta = math.log(p / (1 - p))
    middle = sum((sum(block) - 2 * p) ** 2 for block in points)
    se = per_nat * math.sqrt(middle) / (80 * p * (1 - p))
    first, second = answer["bots"]
    assert first["bot"] == "A"
    assert first["elo"] == pytest.approx(1000 + per_nat * theta)
    assert first["se"] == pytest.approx(se)
    assert (second["elo"], second["se"]) == (pytest.approx(1000), 0)
    by_match = json.loads(arena(*words, "--clusters", "match").stdout)
    middle = sum((s - p) ** 2 for block in points for s in block)
    assert by_match["pairs"][0]["se"] == pytest.approx(
        per_nat * math.sqrt(middle) / (80 * p * (1 - p))
    )


def test_the_options_reach_the_ratings(results: Path) -> None:
    plain = json.loads(arena("rate", results, "--json").stdout)
    for words in (
        ("--prior-sd", "100"),
        ("--anchor", "A=1500"),
        ("--score", "winner"),
        ("--clusters", "pair"),
    ):
        other = json.loads(arena("rate", results, "--json", *words).stdout)
        assert other["bots"] != plain["bots"]


def test_people_get_a_table(results: Path) -> None:
    answer = arena("rate", results, "--anchor", "A=1500")
    assert answer.exit_code == 0
    assert "1500.0" in answer.stdout
    assert "provisional" in answer.stdout
    assert "Cannot be told apart" in answer.stdout


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        ("{", "JSON"),
        ('{"match": "m", "match": "n", "seats": []}', "match occurs twice"),
        (
            '{"match": "m", "seats": [{"bot": "A", "placing": 1}, '
            '{"bot": "B", "placing": 1, "placing": 2}]}',
            "seats[1].placing occurs twice",
        ),
        ('{"match": "m", "seats": [{"bot": "\\ud800", "placing": 1}]}', "seats[0].bot: "),
        ("[]", "object"),
        ('{"match": "m"}', "seats"),
        ('{"match": null, "seats": []}', "match"),
        (line("m", ("A", 1)), "at least two"),
        (line("m", ("A", 1), ("A", 2)), "two seats"),
        (line("m", ("A", 1), ("B", 4)), "outside 1 to 2"),
        (line("m", ("A", 2), ("B", 2)), "nobody in first place"),
        (line("1", ("A", 1), ("B", 2)), "comes twice"),
        (
            '{"match": "m", "seats": [{"bot": "A", "placing": 1.5}]}',
            "seats[0].placing: found 1.5; ",
        ),
        (
            '{"match": "m", "seats": [{"bot": "A", "placing": true}]}',
            "found true; allowed is a whole",
        ),
        ('{"match": "m", "seats": [{"bot": "", "placing": 1}]}', "a text of 1 or more characters"),
        ('{"match": "m", "blok": "b", "seats": []}', "blok: there is no such member"),
        ('{"match": "m", "block": 1.5, "seats": []}', "allowed is a text or a whole number"),
    ],
)
def test_a_malformed_line_is_named_and_nothing_is_printed(
    results: Path, bad: str, fault: str
) -> None:
    with results.open("a") as file:
        file.write(bad + "\n")
    answer = arena("rate", results, "--json")
    assert answer.exit_code == 2
    assert answer.stdout == ""
    assert f"{results}, line 8: " in answer.stderr
    assert fault in answer.stderr


def test_a_byte_order_mark_in_front_changes_nothing(results: Path) -> None:
    plain = arena("rate", results, "--json").stdout
    results.write_bytes(b"\xef\xbb\xbf" + results.read_bytes())
    assert arena("rate", results, "--json").stdout == plain
    results.write_bytes(results.read_text(encoding="utf-8-sig").encode("utf-16"))
    assert "line 1: not JSON: the text is UTF-16; allowed is UTF-8" in arena("rate", results).stderr


def test_bytes_that_are_no_text_are_a_malformed_line(tmp_path: Path) -> None:
    file = tmp_path / "latin.jsonl"
    file.write_bytes(b'{"match": "\xe9", "seats": []}\n')
    answer = arena("rate", file)
    assert answer.exit_code == 2
    assert "line 1" in answer.stderr


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("--prior-sd", "much"), "--prior-sd"),
        (("--prior-sd", "nan"), "--prior-sd"),
        (("--prior-sd", "-3"), "from 1 to 100,000 Elo"),
        (("--anchor", "A"), "--anchor"),
        (("--anchor", "A=high"), "--anchor"),
        (("--anchor", "Z=1500"), "Z"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(
    results: Path, words: tuple[str, str], fault: str
) -> None:
    answer = arena("rate", results, *words)
    assert answer.exit_code == 2
    assert answer.stdout == ""
    assert fault in answer.stderr


def test_files_without_results_and_ratings_without_limit_are_refused(tmp_path: Path) -> None:
    empty, perfect = tmp_path / "empty.jsonl", tmp_path / "perfect.jsonl"
    empty.write_text("\n")
    perfect.write_text(line("m", ("A", 1), ("B", 2)))
    for words, fault in (
        ((empty,), "holds no results"),
        ((tmp_path / "missing.jsonl",), "No such file"),
        ((perfect, "--prior-sd", "none"), "B"),
    ):
        answer = arena("rate", *words)
        assert answer.exit_code == 2
        assert answer.stdout == ""
        assert fault in answer.stderr


def test_a_sequential_test_is_told_in_json_and_in_words() -> None:
    words = ("sprt", "--pairs", "365,16618,36229,16974,390", "--bounds", "0,2")
    answer = json.loads(arena(*words, "--model", "normalized", "--json").stdout)
    assert answer["llr"] == pytest.approx(2.25, abs=0.005)
    assert (answer["lower"], answer["upper"]) == pytest.approx((-2.9444, 2.9444), abs=1e-4)
    assert answer["state"] == "continue"
    assert {"elo", "nelo", "los"} <= answer.keys()
    assert "matches to go" in arena(*words).stdout
    stopped = arena("sprt", "--pairs", "1,2,3,400,500", "--bounds", "-5,5")
    assert "accept" in stopped.stdout
    found = json.loads(arena("sprt", "--pairs", "10,200,300,400,100", "--json").stdout)
    assert found["state"] == "accept"
    assert found["elo_interval"][0] < found["elo"] < found["raw_elo"] < found["elo_interval"][1]


@pytest.mark.parametrize(
    "words",
    [
        ("--pairs", "1,2,3"),
        ("--pairs", "1,2,3,4,x"),
        ("--pairs", "1,2,3,4,-5"),
        ("--pairs", f"1,2,3,4,{'9' * 400}"),
        ("--pairs", f"1,2,3,4,{'9' * 5000}"),
        ("--pairs", "1,2,3,4,5", "--bounds", "5"),
        ("--pairs", "1,2,3,4,5", "--bounds", "5,0"),
        ("--pairs", "1,2,3,4,5", "--bounds", "0,inf"),
        ("--pairs", "1,2,3,4,5", "--model", "bayesian"),
    ],
)
def test_a_sequential_test_that_makes_no_sense_is_refused(words: tuple[str, ...]) -> None:
    answer = arena("sprt", *words)
    assert answer.exit_code == 2
    assert answer.stdout == ""


def test_a_match_of_thousands_of_seats_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    for seats in (100, 101, 3_000):
        crowd = [(f"bot{number}", number + 1) for number in range(seats)]
        file.write_text(line("small", ("A", 1), ("B", 2)) + "\n" + line("crowd", *crowd) + "\n")
        answer = arena("rate", file)
        if seats == 100:
            assert answer.exit_code == 0
        else:
            assert answer.exit_code == 2
            assert f"line 2: a match has at most 100 seats, not {seats}" in answer.output
