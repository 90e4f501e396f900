"""`arena verify`: many transcripts, from files of one or of many and from the database."""

import asyncio
import json
import os
import tracemalloc
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from arena.commands.results.transcript_files import texts
from arena.match.transcript_json import to_json
from arena.signatures import Signer
from tests.commands.running import arena
from tests.dashboard.played import fill
from tests.databases import execute
from tests.games.contract import Case
from tests.match.matches import some_match


def documents(count: int) -> list[dict[str, Any]]:
    cases = [Case("bluff", (), 2), Case("bluff_you", (), 3), Case("bloeff", (), 4)]
    return [to_json(some_match(cases[seed % 3], seed, faulty=0.1)) for seed in range(count)]


def lines(file: Path, values: list[dict[str, Any]]) -> Path:
    file.write_text("".join(f"{json.dumps(value)}\n" for value in values))
    return file


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """One of twelve lines, and one of a transcript written over many lines."""
    one = tmp_path / "match.json"
    one.write_text(json.dumps(documents(1)[0], indent=2))
    return lines(tmp_path / "matches.jsonl", documents(12)), one


def test_one_transcript_is_verified_with_what_was_done(files: tuple[Path, Path]) -> None:
    done = arena("verify", files[1])
    assert done.exit_code == 0
    assert done.stdout.startswith("Verified: ")
    assert "the result follows" in done.stdout


def test_many_transcripts_of_many_files_are_verified_and_counted(
    files: tuple[Path, Path],
) -> None:
    done = arena("verify", *files)
    assert (done.exit_code, done.stdout) == (0, "13 transcripts: all verified, unsigned.\n")


def test_each_that_fails_is_named_by_its_file_and_line_and_the_rest_is_checked(
    files: tuple[Path, Path],
) -> None:
    values = documents(12)
    values[3]["result"]["placings"].reverse()
    values[7]["steps"][1]["ms"] = "3"
    file = lines(files[0], values)
    file.write_text("\n" + file.read_text() + "{torn\n")
    done = arena("verify", *files)
    assert done.exit_code == 1
    first, second, third, closing = done.stdout.splitlines()
    assert first.startswith(
        f"{file}:5: Match {values[3]['match_id']}: verification failed: result.placings[0] is "
    )
    assert second == (
        f'{file}:9: verification failed: steps[2].ms: found "3"; allowed is a whole number'
    )
    assert third.startswith(f"{file}:14: verification failed: not JSON: ")
    assert closing == "14 transcripts: 3 failed, 11 verified, unsigned."


def test_for_programs_each_transcript_is_a_line_of_json(files: tuple[Path, Path]) -> None:
    values = documents(2)
    values[1]["commitment"] = "00" * 32
    done = arena("verify", "--json", lines(files[0], values), files[1])
    assert done.exit_code == 1
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(one["file"], one["line"], one["verified"]) for one in told] == [
        (str(files[0]), 1, True),
        (str(files[0]), 2, False),
        (str(files[1]), None, True),
    ]
    assert [one["match_id"] for one in told[:2]] == [value["match_id"] for value in values]
    assert {one["signed_by"] for one in told} == {None}
    assert [one["error"] for one in told] == [
        None,
        "the opened secret does not match the commitment",
        None,
    ]


@pytest.mark.parametrize("content", ["", "\n\n", "[]", "[" * 100_000, "\ufeff{}", "{"], ids=repr)
def test_a_file_without_a_transcript_fails_in_a_sentence(tmp_path: Path, content: str) -> None:
    file = tmp_path / "nothing.json"
    file.write_text(content)
    done = arena("verify", file)
    assert done.exit_code == 1
    assert done.stdout.startswith((f"{file}: verification failed: ", f"{file}:1: verification"))
    assert done.stdout.endswith("\n1 transcript: 1 failed, 0 verified.\n")


def test_a_file_that_cannot_be_read_is_refused_before_anything_is_checked(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    for missing in (tmp_path / "missing.json", tmp_path):
        done = arena("verify", files[1], missing)
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.startswith(f"arena: {missing} is neither a match id nor a file (")


def test_what_play_writes_is_verified(tmp_path: Path) -> None:
    for number, more in enumerate(([], ["--same-deals"])):
        file = tmp_path / f"{number}.jsonl"
        played = arena("play", "honest", "timid", "-n", "6", "--transcripts", file, *more)
        assert played.exit_code == 0, played.stderr
        done = arena("verify", file)
        assert (done.exit_code, done.stdout) == (0, "6 transcripts: all verified, unsigned.\n")


def test_what_export_writes_and_what_is_recorded_is_verified(
    database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", database)

    played = asyncio.run(fill(database, seats=3, blocks=2))
    ids = [match.transcript.setup.match_id for match in played]
    file = tmp_path / "transcripts.jsonl"
    assert arena("export", "--transcripts", file).exit_code == 0
    done = arena("verify", file)
    assert (done.exit_code, done.stdout) == (0, "6 transcripts: all verified, unsigned.\n")
    assert arena("verify", *ids, file).stdout == "12 transcripts: all verified, unsigned.\n"
    unknown = arena("verify", "00000000-0000-4000-8000-000000000000")
    assert (unknown.exit_code, unknown.stdout) == (2, "")
    assert "There is no match" in unknown.stderr

    execute(database, "ALTER TABLE transcripts DISABLE TRIGGER USER")
    execute(database, f"UPDATE transcripts SET sha256 = sha256('') WHERE match_id = '{ids[1]}'")
    damaged = arena("verify", *ids)
    assert damaged.exit_code == 1
    assert "verification failed: The transcript is not what was stored" in damaged.stdout
    assert damaged.stdout.endswith("6 transcripts: 1 failed, 5 verified, unsigned.\n")


def test_it_says_by_whom_transcripts_are_signed_and_demands_a_key(tmp_path: Path) -> None:
    ours, other = Signer(bytes(32)), Signer(bytes(range(32)))
    unsigned = some_match(Case("bluff", (), 2), 1)
    file = tmp_path / "matches.jsonl"
    mine, theirs = ours.public_key.hex(), other.public_key.hex()

    lines(file, [to_json(ours.signed(unsigned))])
    assert arena("verify", file).stdout.endswith(f"the result follows; signed by {mine}.\n")
    demanded = arena("verify", file, "--key", mine)
    assert (demanded.exit_code, demanded.stdout[:9]) == (0, "Verified:")

    lines(file, [to_json(of) for of in (ours.signed(unsigned), unsigned, other.signed(unsigned))])
    done = arena("verify", file)
    assert done.stdout == (
        f"3 transcripts: all verified, 1 signed by {mine}, 1 unsigned, 1 signed by {theirs}.\n"
    )
    told = [json.loads(line) for line in arena("verify", file, "--json").stdout.splitlines()]
    assert [one["signed_by"] for one in told] == [mine, None, theirs]
    demanded = arena("verify", file, "--key", mine.upper())
    assert demanded.exit_code == 1
    second, third, closing = demanded.stdout.splitlines()
    match = f"Match {unsigned.setup.match_id}: verification failed"
    assert second == f"{file}:2: {match}: signature is missing; it must be by the key {mine}"
    assert third.startswith(f"{file}:3: {match}: signature.key: found {theirs}; it must be")
    assert closing == f"3 transcripts: 2 failed, 1 verified, signed by {mine}."


@pytest.mark.parametrize("key", ["00", "x" * 64, "0" * 63, "00 " * 32])
def test_what_is_no_key_is_refused(files: tuple[Path, Path], key: str) -> None:
    done = arena("verify", files[1], "--key", key)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "a key is 64 hexadecimal digits, as `arena key` prints it" in done.stderr


def test_a_name_that_was_altered_is_found_by_the_signature(tmp_path: Path) -> None:
    document = to_json(Signer(bytes(32)).signed(some_match(Case("bluff", (), 2), 1)))
    document["seats"][0]["bot"] = "another"
    done = arena("verify", lines(tmp_path / "match.jsonl", [document]))
    assert done.exit_code == 1
    assert "signature: the key did not sign this transcript" in done.stdout


def test_a_long_file_takes_no_more_memory_than_a_line(tmp_path: Path) -> None:
    file = tmp_path / "long.jsonl"
    line = json.dumps(documents(1)[0]) + "\n"
    file.write_text(line * 2_000)
    tracemalloc.start()
    assert sum(1 for _ in texts(file)) == 2_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * len(line) + 200_000 < file.stat().st_size


def test_text_of_a_file_does_not_reach_the_terminal_unescaped(tmp_path: Path) -> None:
    document = documents(1)[0] | {"\x1b[2Jforged\n1 transcript: all verified": 0}
    done = arena("verify", lines(tmp_path / "a\x1b]0;b\nc.jsonl", [document]))
    assert done.exit_code == 1
    assert "\x1b" not in done.stdout
    assert len(done.stdout.splitlines()) == 2
    missing = arena("verify", tmp_path / "a\n\x1bb")
    assert missing.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["verify", "luck"])
def test_a_file_without_end_is_refused_in_a_sentence(command: str) -> None:
    done = arena(command, "/dev/zero")
    assert done.exit_code == 2
    assert done.stderr == "arena: /dev/zero: a transcript has at most 4 MiB.\n"


def test_results_without_end_are_refused_in_a_sentence() -> None:
    done = arena("rate", "/dev/zero")
    assert (done.exit_code, done.stderr) == (
        2,
        "arena: /dev/zero, line 1: a line has at most 1 MiB\n",
    )


def test_a_pipe_is_read_once(files: tuple[Path, Path], tmp_path: Path) -> None:
    for file in files:
        pipe = tmp_path / f"{file.name}.pipe"
        os.mkfifo(pipe)
        writer = Thread(target=pipe.write_bytes, args=(file.read_bytes(),), daemon=True)
        writer.start()
        done = arena("verify", pipe)
        writer.join()
        assert (done.exit_code, "erified" in done.stdout) == (0, True)


def test_a_file_that_fails_in_the_middle_is_an_error_in_a_sentence() -> None:
    done = arena("verify", "/proc/self/mem")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("arena: /proc/self/mem is neither a match id nor a file (")


def test_one_transcript_may_have_a_first_line_that_ends_in_a_brace(tmp_path: Path) -> None:
    document = documents(1)[0]
    text = json.dumps({"time_control": document.pop("time_control")} | document)
    file = tmp_path / "match.json"
    file.write_text(text.replace("},", "}\n,", 1))
    assert arena("verify", file).stdout.startswith("Verified: ")


def test_of_lines_a_damaged_first_one_does_not_hide_the_rest(files: tuple[Path, Path]) -> None:
    files[0].write_text("{torn}\n" + files[0].read_text() + '{"a":\n')
    first, last, closing = arena("verify", files[0]).stdout.splitlines()
    assert first.startswith(f"{files[0]}:1: verification failed: not JSON: ")
    assert last.startswith(f"{files[0]}:14: ")
    assert last.endswith("(line 1, column 6)")
    assert closing == "14 transcripts: 2 failed, 12 verified, unsigned."
