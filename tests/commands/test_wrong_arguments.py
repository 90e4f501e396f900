"""Arguments that are refused are repeated, with what is allowed."""

import pytest

from tests.commands.running import arena


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            "play honest honest --matches 0",
            "'--matches' / '-n': found \"0\"; allowed is 1 or more.",
        ),
        ("play honest honest -n many", 'found "many"; allowed is a whole number.'),
        ("solve --width 5", "'--width': found \"5\"; allowed is 1 or less."),
        ("solve --seconds soon", "'--seconds': found \"soon\"; allowed is a number."),
        ("exploit honest --dice 6", "'--dice': found \"6\"; allowed is 5 or less."),
        ("invite withdraw x", 'found "x"; allowed is a whole number.'),
        ("bot list --limit 0", "'--limit': found \"0\"; allowed is 1 or more."),
        ("tournament create cup --format x", "'--format': 'x' is not one of 'round-robin'"),
    ],
)
def test_a_number_is_repeated_with_what_is_allowed(
    words: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    done = arena(*words.split())
    assert done.exit_code == 2
    assert "Invalid value for " in done.stderr
    assert sentence in done.stderr
