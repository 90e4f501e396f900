"""Names in any script: what is allowed, how they are found, and which look alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.database.errors import NameRefusedError
from arena.database.keys import _CODE_LENGTH, code_hash, new_code
from arena.database.names import (
    LONGEST,
    check_name,
    check_not_reserved,
    folded,
    normal_name,
    skeleton,
)


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("mine", "mine"),
        ("A.b_c-9", "A.b_c-9"),
        ("Bad Bluff", "Bad Bluff"),
        ("  Zoë ", "Zoë"),
        ("Zoe\u0308", "Zoë"),
        ("Лиса 2", "Лиса 2"),
        ("嘘つき", "嘘つき"),
        ("كاذب", "كاذب"),
        ("झूठा", "झूठा"),
        ("ｆｏｘ", "fox"),
        ("x" * LONGEST, "x" * LONGEST),
    ],
)
def test_a_name_in_any_script_is_stored_normalised(given: str, stored: str) -> None:
    assert normal_name("bot", given) == stored
    assert normal_name("bot", stored) == stored


@pytest.mark.parametrize(
    "name",
    [
        *("...", "x" * (LONGEST + 1), "x" * 100_000, "a  b", "a\tb", "fox\n", "a/b"),
        *("<b>", "a:b", "a,b", "fuchs§", "🦊", "fox\u200b", "\u202efox", "fo\u200dx", "fox\x00"),
        *("\u3164", "fox\u115f", "fox\ufe0f", "Z" + 5 * "\u0308", "a#1", "a'b", 'a"b', "ﷺ" * 9),
    ],
)
def test_a_name_that_is_not_allowed_is_told_what_is(name: str) -> None:
    allowed = "cannot name the bot: use 1 to 40 letters of any script, digits, dots"
    with pytest.raises(NameRefusedError, match=allowed) as caught:
        normal_name("bot", name)
    assert len(str(caught.value)) < 1_500


@pytest.mark.parametrize("name", ["", " ", "\t"])
def test_a_missing_name_is_told_what_is_allowed(name: str) -> None:
    with pytest.raises(NameRefusedError, match="name of the bot is missing: use 1 to 40 lett"):
        normal_name("bot", name)
    with pytest.raises(NameRefusedError, match="name of the version is missing: use 1 to 40"):
        check_name("version", name)


@pytest.mark.parametrize("name", [".", "..", "---", "_", "a b", "a/b", "é", "x" * (LONGEST + 1)])
def test_a_label_is_short_and_ascii_with_a_letter_or_a_digit(name: str) -> None:
    with pytest.raises(NameRefusedError, match="of which one is a letter or a digit"):
        check_name("event", name)
    for good in ("1", "v1.2-beta_3", "..a", "x" * LONGEST):
        check_name("event", good)


def test_a_refused_name_is_repeated_up_to_twice_the_longest() -> None:
    for length, shown in ((2 * LONGEST, "x" * 80), (2 * LONGEST + 1, "x" * 80 + "…")):
        with pytest.raises(NameRefusedError, match=f"^'{shown}' cannot name the bot"):
            normal_name("bot", "x" * length)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("fox", "fох"),  # Cyrillic о and х
        ("PAYPAL", "РАУРАL"),
        ("bot1", "botl"),
        ("bot1", "botI"),
        ("bot0", "bOtO"),
        ("mine", "rnine"),
        ("Omega", "Οmega"),  # Greek Omicron
        ("Ann", "ANN"),
    ],
)
def test_names_that_look_alike_have_one_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(
    ("one", "other"), [("fox", "foxx"), ("Zoë", "Zoe"), ("bot1", "bot2"), ("лиса", "лес")]
)
def test_names_that_do_not_look_alike_have_different_skeletons(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


@given(st.text(max_size=LONGEST))
def test_what_is_stored_once_is_stored_the_same_again_and_found_in_any_case(text: str) -> None:
    try:
        name = normal_name("bot", text)
    except NameRefusedError:
        return
    assert normal_name("bot", name) == name
    assert 1 <= len(name) <= LONGEST
    assert folded(name) == folded(name.upper()) or name.upper().casefold() != name.casefold()
    assert folded(folded(name)) == folded(name)
    assert skeleton(name)
    assert "#" not in skeleton(name)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "house",
            "HOUSE",
            "hоuse",
            "Operator",
            "0perator",
            "admin",
            "oper.ator",
            "o p e r a t o r",
        ),
        *("Operator 2", "admin-1", "Bluff Arena", "аdministrator", "ARENA_"),
        *("housė", "HOUSÉ", "ho\u0338use", "ḣøuse", "адмін", "админ 7", "оператор", "αδμιν"),
        *("ADMIN", "АДМІН", "AdmIn", "ADMINISTRATOR", "admin1strator"),
    ],
)
def test_nobody_signs_up_under_a_name_of_the_operator(name: str) -> None:
    with pytest.raises(NameRefusedError, match="is the operator's: choose another one"):
        check_not_reserved(name)


def test_an_invite_is_the_same_however_it_is_typed() -> None:
    code = new_code()
    assert code_hash(code) == code_hash(f" {code.lower().replace('-', ' ')} ")
    assert code_hash(code) != code_hash(new_code())


@pytest.mark.parametrize("name", ["Arenas", "Housemartin", "Zoë from 3b", "operetta", "Adminka 7"])
def test_other_names_are_everybodys(name: str) -> None:
    check_not_reserved(name)


def test_an_invite_is_typed_in_groups_of_four() -> None:
    assert all(1 <= len(group) <= 4 for group in new_code().split("-"))
    assert len(new_code().replace("-", "")) == _CODE_LENGTH


@pytest.mark.parametrize("code", [0xFE00, 0xFE0F, 0xE0100, 0xE01EF, 0x3164])
def test_what_nobody_sees_is_in_no_name(code: int) -> None:
    with pytest.raises(NameRefusedError):
        normal_name("bot", f"fox{chr(code)}")
