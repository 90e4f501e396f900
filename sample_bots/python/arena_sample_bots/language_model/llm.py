"""All games: a bot that asks a language model, over the usual chat-completions interface.

The model gets the rules in words, the seat's view, the events, and the legal actions as a JSON
Schema. If its answer is not legal it gets the reason and is asked once more; then, and whenever
time or tokens run out or the model fails, the honest sample bot of the game plays in its stead.
Every question and answer is written to a file per match. docs/llm-bot.md has the settings.
"""

import json
import os
import sys
import time
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

from arena.bot import Bot, Usage, run
from arena.games.notation import NotationError
from arena_sample_bots.bloeff_honest import BloeffHonest
from arena_sample_bots.bluff_you_honest import BluffYouHonest
from arena_sample_bots.honest import Honest
from arena_sample_bots.language_model.asking import LanguageModel, NotAnsweredError, action_in
from arena_sample_bots.language_model.settings import SettingError, Settings
from arena_sample_bots.language_model.wording import (
    AnyTurn,
    answer_schema,
    events_of,
    question,
    task,
)
from arena_sample_bots.skull_honest import SkullHonest

STAND_INS: dict[str, type[Bot[Any, Any, Any, Any]]] = {
    "bluff": Honest,
    "bluff_you": BluffYouHonest,
    "bloeff": BloeffHonest,
    "skull": SkullHonest,
}
"""The bots that play if the model does not, by game."""
BANK_SHARE = 1 / 8
"""The part of the bank that one turn may use: long thoughts stay possible to the end."""
MARGIN = 0.9
"""The part of the time that the model may use; the rest is for the transmission to the referee."""
LEAST_SECONDS = 0.3
"""The time left below which the model is not asked."""
ATTEMPTS = 2


class LLM(Bot):
    """A bot that asks a language model."""

    games = tuple(STAND_INS)
    max_matches = 1
    """One match at once, because the model answers slowly."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self._settings = Settings.read(os.environ)
        self._model = LanguageModel(self._settings)
        self._tokens = 0
        self._usage = Usage()
        """The usage of this turn so far."""

    def act(self, turn: AnyTurn) -> Any:
        """Return the model's action, or that of the stand-in if the model gives none in time."""
        deadline = time.monotonic() + self._seconds(turn)
        self._usage = Usage()
        schema = answer_schema(turn)
        asked = question(turn, events_of(turn), schema)
        messages = [
            {"role": "system", "content": task(turn, self._settings.prompt)},
            {"role": "user", "content": asked},
        ]
        for attempt in range(1, ATTEMPTS + 1):
            left = deadline - time.monotonic()
            if left < LEAST_SECONDS:
                return self._stand_in(turn, "no time is left")
            if self._tokens >= self._settings.match_tokens:
                return self._stand_in(turn, "the match's tokens are used up")
            said = ""
            try:
                said = self._ask(messages, schema, left)
                value, thought = action_in(said)
                action = _legal(turn, value)
            except NotAnsweredError as error:
                self._log_attempt(turn, attempt, messages, said, str(error))
                refusal = f"This did not count: {error}. Answer again, as the schema says."
                messages = [
                    *messages[:2],
                    {"role": "assistant", "content": said or "(nothing)"},
                    {"role": "user", "content": refusal},
                ]
            else:
                self._log_attempt(turn, attempt, messages, said, "")
                self._tell_owner(thought)
                return action
        return self._stand_in(turn, f"{ATTEMPTS} answers did not count")

    def _ask(self, messages: list[dict[str, str]], schema: dict[str, Any], seconds: float) -> str:
        """Return the model's answer, and count its usage. Raises NotAnsweredError."""
        began = time.monotonic()
        try:
            answer = self._model.ask(messages, schema, seconds)
        except NotAnsweredError:
            self._count(0, 0, time.monotonic() - began)
            raise
        self._count(answer.input_tokens, answer.output_tokens, time.monotonic() - began)
        return answer.text

    def _count(self, read: int, written: int, seconds: float) -> None:
        settings, before = self._settings, self._usage
        self._tokens += read + written
        self._usage = Usage(
            before.input_tokens + read,
            before.output_tokens + written,
            before.cost_microusd
            + round(read * settings.input_price + written * settings.output_price),
            before.latency_ms + round(1000 * seconds),
        )

    def _tell_owner(self, thought: str) -> None:
        """Send the model's thought and its usage as a note, for the bot's owner alone."""
        key = self._settings.key
        self.note(thought.replace(key, "[the key]") if key else thought, self._usage)

    def _seconds(self, turn: AnyTurn) -> float:
        milliseconds = turn.turn_ms + BANK_SHARE * turn.bank_ms
        return min(self._settings.seconds, MARGIN * milliseconds / 1000)

    def _stand_in(self, turn: AnyTurn, why: str) -> Any:
        action = STAND_INS[turn.game.name](self.random).act(turn)
        played = turn.game.notation.to_json(action)
        self._write(turn, {"turn": turn.number, "stand_in": played, "because": why})
        self._tell_owner(f"The stand-in plays, because {why}.")
        return action

    def _log_attempt(
        self, turn: AnyTurn, attempt: int, prompt: list[dict[str, str]], said: str, wrong: str
    ) -> None:
        noted = {"turn": turn.number, "attempt": attempt, "prompt": prompt, "answer": said}
        self._write(turn, noted | {"wrong": wrong, "tokens": self._tokens})

    def _write(self, turn: AnyTurn, noted: dict[str, Any]) -> None:
        """Add a line to the match's log, with the key removed even if an answer repeats it."""
        line = json.dumps(noted, ensure_ascii=False)
        if self._settings.key:
            line = line.replace(json.dumps(self._settings.key)[1:-1], "[the key]")
        folder = Path(self._settings.log)
        folder.mkdir(parents=True, exist_ok=True)
        # The id comes from the referee: only a UUID may become a file name.
        name = f"{UUID(turn.match_id)}-{turn.seat}.jsonl"
        with folder.joinpath(name).open("a", encoding="utf-8") as log:
            log.write(line + "\n")


def _legal(turn: AnyTurn, value: Any) -> Any:
    """Return the legal action of a JSON value. Raises NotAnsweredError."""
    try:
        action = turn.game.notation.from_json(value, ("action",))
    except NotationError as error:
        raise NotAnsweredError(str(error)) from error
    if not any(action == legal for legal in turn.choices()):
        raise NotAnsweredError(f"{json.dumps(value)} is not legal now")
    return action


if __name__ == "__main__":
    try:
        Settings.read(os.environ)
    except SettingError as error:
        sys.exit(str(error))
    run(LLM)
