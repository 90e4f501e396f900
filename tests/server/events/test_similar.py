"""Sources that were copied are found, renamed or not; those that were not are not."""

import io
import re
import zipfile
from hashlib import sha256

import pytest

from arena.lab.analysis import Estimate, SoftPair
from arena.local.starters import first_bots
from arena.rating.agreement import Agreement
from arena.server.events.similarity.report import (
    AlikePair,
    Behaviour,
    JudgedBot,
    LeftOut,
    Similarity,
    SoftPlay,
    Sources,
    ToldPosition,
)
from arena.server.events.similarity.report_page import page
from arena.server.events.similarity.winnowing import Source, similar, source

pytest.importorskip("copydetect")

THINKER = """
from arena.bot import Bot
from arena.games.bluff import Bet, Doubt, Face


class Thinker(Bot):
    # Counts what the others have shown so far.
    def act(self, turn):
        view = turn.view
        expected = sum(face in view.own_dice for face in view.own_dice) / 3
        for quantity in range(1, 20):
            chance = 1.0
            for number in range(quantity):
                chance *= (view.dice_in_play - number) / (6 + number)
            if chance < 0.3 and view.can_doubt:
                return Doubt()
        return Bet(int(expected) + 1, Face(2))
"""
RENAMED = (
    THINKER.replace("Thinker", "MyOwnIdea")
    .replace("expected", "hoped_for")
    .replace("chance", "p")
    .replace("# Counts what the others have shown so far.", "# All mine.")
)
OTHER = """
from arena.bot import Bot


class Wild(Bot):
    def act(self, turn):
        if self.random.random() < 0.5:
            choices = list(turn.choices())
            return choices[len(choices) // 2]
        best = None
        for one in turn.choices():
            if best is None or str(one) > str(best):
                best = one
        return best
"""


def python(owner: str, text: str) -> Source:
    return source(f"bot-{owner}", owner, sha256(text.encode()).digest(), "bot.py", text.encode())


def test_a_copy_is_found_though_names_and_comments_were_changed() -> None:
    pairs = similar([python("ann", THINKER), python("bob", RENAMED), python("eve", OTHER)])
    first = pairs[0]
    assert {first.one.owner, first.other.owner} == {"ann", "bob"}
    assert min(first.share, first.share_of_other) > 0.9
    assert all(max(pair.share, pair.share_of_other) < 0.4 for pair in pairs[1:])


def test_the_first_bot_of_the_documentation_is_nobodys_copy() -> None:
    first_bot = first_bots()[0]
    two = [python("ann", first_bot), python("bob", first_bot.replace("class ", "# mine\nclass "))]
    assert similar(two)[0].share > 0.9
    assert similar(two, first_bots()) == []


def test_bots_of_one_owner_are_not_compared() -> None:
    ours = [python("ann", THINKER), python("ann", RENAMED)]
    assert similar(ours) == []


def test_files_of_an_archive_are_compared_with_those_of_others_and_binaries_by_their_bytes() -> (
    None
):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("bot.toml", "command = ['python', 'src/main.py']")
        archive.writestr("src/main.py", RENAMED)
        archive.writestr("model.bin", bytes(range(256)))
    zipped = source("zip", "zoe", bytes(32), "bot.zip", buffer.getvalue())
    assert [path for path, _ in zipped.files] == ["bot.toml", "src/main.py"]
    (pair,) = similar([python("ann", THINKER), zipped])
    assert pair.files == ("bot.py", "src/main.py")
    binary = [Source(name, name, b"same".ljust(32), ()) for name in ("one", "two")]
    (same,) = similar(binary)
    assert (same.identical, same.share) == (True, 0.0)


def test_the_report_marks_passages_and_escapes_what_owners_wrote() -> None:
    evil = THINKER + "\n# <script>alert(1)</script>\n"
    pairs = similar([python("<b>ann", evil), python("bob", "# mine\n" + RENAMED)])
    ann, bob = JudgedBot("<b>ann", "<i>team"), JudgedBot("bob", "bob")
    told = [ToldPosition('{"dice": "<u>"}', "7 × <u>", 0.013)]
    alike = Agreement(0, 1, 1_000, 0.9, 0.5, 1.0, 0.8, 0.7, 0.9, 1e-9, (), 2e-7)
    unlike = Agreement(0, 1, 1_000, 0.9, 0.9, 1.0, None, -1.0, 1.0, 1.0, ())
    loss = Estimate(0.09, 0.02)
    soft = SoftPair("<b>ann", "bob", 20, 1_400, loss, Estimate(0.03, 0.01), loss, 1e-7, 1e-5)
    behaviour = Behaviour(
        *(2, 1_000, 3, "<s>"),
        [AlikePair(ann, bob, alike, told), AlikePair(bob, ann, unlike, ())],
        ["<b>ann ended."],
    )
    found = Similarity("Cup & more", Sources(2, pairs), behaviour, SoftPlay(40, 40, [soft]))
    text = page(found, 20)
    assert "<mark>" in text
    assert text.count("<table>") == text.count("</table>") >= 3
    for evil in ("<script>", "<b>", "<i>", "<u>", "<s>"):
        assert evil not in text
    assert "Cup &amp; more" in text
    assert "0.80 (0.70 to 0.90)" in text
    assert "too little of their own" in text
    assert "9.00 ± 2.00" in text
    assert "1,400" in text
    assert "7 × &lt;u&gt;" in text and "1.3%" in text and "&lt;u&gt;&quot;}" in text
    marked = re.findall(r"<pre.*?<mark>(.*?)</mark>", text, re.DOTALL)
    assert [one.split()[:2] for one in marked] == [["from", "arena.bot"]] * 2


def test_a_part_that_was_not_examined_says_why() -> None:
    why = LeftOut("Nothing <here>.")
    text = page(Similarity("cup", why, why, why), 20)
    assert text.count("Not examined. Nothing &lt;here&gt;.") == 3


def test_a_part_that_found_nobody_says_so() -> None:
    text = page(Similarity("cup", LeftOut(""), LeftOut(""), SoftPlay(40, 40, [])), 20)
    assert "No two met often enough." in text
