"""TOML from outside is read, or refused before it costs time."""

import pytest

from arena.toml_text import MOST_CHARACTERS, MOST_PARTS, TomlError, read_toml

LONG = "a." * 2_000


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"{LONG}b = 1", f"has a key of more than {MOST_PARTS} parts"),
        (f"x = 1\n\t{LONG}b = 1", "parts"),
        (f"x = 1\r\n{LONG}b = 1", "parts"),
        (f"[{LONG}b]\nx = 1", "parts"),
        (f"[[ {LONG}b ]]", "parts"),
        (f"x = {{{LONG}b = 1}}", "parts"),
        (f"x = {{y = 1, {LONG}b = 1}}", "parts"),
        ('"a\\"." . ' * 2_000 + "b = 1", "parts"),
        ("'a{,'\t.\t" * 2_000 + "b = 1", "parts"),
        ("#" * (MOST_CHARACTERS + 1), "has more than 32,768 characters"),
        # Not TOML where a library has raised the limit of recursion.
        ("x = " + "[" * 10_000, "is (nested too deeply|not TOML)"),
        ("x = " + "{a = " * 5_000, "is (nested too deeply|not TOML)"),
        ("x = " + "9" * 5_000, "is not TOML: Exceeds the limit"),
        ("x = 2026-13-01T00:00:00Z", "is not TOML: "),
        ("x", "is not TOML: "),
    ],
)
def test_a_text_that_takes_long_or_is_none_is_refused(text: str, why: str) -> None:
    with pytest.raises(TomlError, match=why):
        read_toml(text)


@pytest.mark.parametrize(
    "text",
    [
        "This is a sentence, of several. " * 1_000,
        "See https://www.example.org/a.b/c.d.html, e.g. at 1.5, 2.5, 3.5 or 4.5 ... " * 400,
        "Ünï. çö. dé. " * 2_000,
    ],
)
def test_prose_may_have_as_many_dots_as_it_wants(text: str) -> None:
    assert read_toml(f'text = """{text}"""\n') == {"text": text}


def test_a_key_may_have_as_many_parts_as_are_allowed() -> None:
    key = ".".join(map(str, range(MOST_PARTS)))
    found = read_toml(f"{key} = {{deepest = true}}\n[b.c]\nd = {{e.f = 2}}\n")
    assert found["b"] == {"c": {"d": {"e": {"f": 2}}}}
    for part in key.split("."):
        found = found[part]
    assert found == {"deepest": True}
