"""Log lines for people, and for programs that read one JSON object a line."""

import json
import subprocess
import sys

SCRIPT = """
import logging
import structlog
from arena.logs import configure_logs
from arena.settings import Settings
configure_logs(Settings())
log = structlog.get_logger()
log.debug("not shown")
log.info("bot connected", bot="eve\\x1b[2J", count=2)
try:
    secret = "the dice"
    raise ValueError("broken")
except ValueError:
    log.exception("match broken", match="m1")
logging.getLogger("psycopg.pool").info("not shown")
logging.getLogger("psycopg.pool").warning("error connecting: %s\\n\\tIs it up?\\x1b[2J", "refused")
"""


def lines(log_format: str) -> list[str]:
    environment = {"ARENA_LOG_FORMAT": log_format, "ARENA_LOG_LEVEL": "INFO"}
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environment, check=True
    )
    assert answer.stdout == ""
    return answer.stderr.splitlines()


def test_json_is_one_object_a_line_with_the_time_in_utc() -> None:
    connected, broken, _ = map(json.loads, lines("json"))
    assert connected.pop("timestamp").endswith("Z")
    expected = {"event": "bot connected", "level": "info", "bot": "eve\x1b[2J", "count": 2}
    assert connected == expected
    assert (broken["event"], broken["match"]) == ("match broken", "m1")
    assert "ValueError: broken" in broken["exception"]
    assert "the dice" not in broken["exception"].replace('secret = "the dice"', "")


def test_text_is_escaped_for_a_terminal() -> None:
    connected, *_ = lines("text")
    assert "bot connected" in connected and "\x1b[2J" not in connected


def test_what_libraries_log_is_a_line_of_the_same_form() -> None:
    *_, theirs = map(json.loads, lines("json"))
    assert theirs.pop("timestamp").endswith("Z")
    assert theirs == {
        "event": "error connecting: refused\n\tIs it up?\x1b[2J",
        "level": "warning",
        "logger": "psycopg.pool",
    }
    theirs_as_text = lines("text")[-1]
    assert "[warning  ] error connecting: refused\\n\\tIs it up?" in theirs_as_text
    assert "\x1b[2J" not in theirs_as_text
