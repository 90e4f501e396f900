"""The settings of the bot, from environment variables."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class SettingError(Exception):
    """A setting is missing or malformed; the message names it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of the model's server, and the limits of its use."""

    base_url: str
    model: str
    key: str = field(repr=False)
    seconds: float
    """The most seconds for one turn; the turn's clock may allow less."""
    match_tokens: int
    """The most tokens for one match, prompts included."""
    answer_tokens: int
    input_price: float
    """US dollars for a million tokens of prompts, or millionths of a dollar for a token."""
    output_price: float
    """The same for tokens of answers."""
    extra: Mapping[str, Any]
    """Further members of each request."""
    log: Path
    prompt: str
    """What the model is told after the rules."""

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> "Settings":
        """Return the settings of an environment. Raises SettingError."""

        def number(name: str, default: str) -> float:
            text = environment.get(name) or default
            if not text.replace(".", "", 1).isdecimal() or not (float(text) or default == "0"):
                allowed = "a number" if default == "0" else "a number above 0"
                raise SettingError(f"{name} is {text!r}; allowed is {allowed}.")
            return float(text)

        for name in ("LLM_BASE_URL", "LLM_MODEL"):
            if not environment.get(name):
                raise SettingError(
                    f"{name} is not set. LLM_BASE_URL is where the model answers, such as "
                    "http://127.0.0.1:8080/v1, LLM_MODEL its name, LLM_API_KEY the key if it needs "
                    "one."
                )
        try:
            extra = json.loads(environment.get("LLM_EXTRA") or "{}")
        except ValueError:
            extra = None
        if not isinstance(extra, dict):
            raise SettingError('LLM_EXTRA is not a JSON object such as {"temperature": 0.5}.')
        return cls(
            base_url=environment["LLM_BASE_URL"],
            model=environment["LLM_MODEL"],
            key=environment.get("LLM_API_KEY", ""),
            seconds=number("LLM_SECONDS", "600"),
            match_tokens=int(number("LLM_MATCH_TOKENS", "100000")),
            answer_tokens=int(number("LLM_ANSWER_TOKENS", "1000")),
            input_price=number("LLM_INPUT_PRICE", "0"),
            output_price=number("LLM_OUTPUT_PRICE", "0"),
            extra=extra,
            log=Path(environment.get("LLM_LOG") or "llm-logs"),
            prompt=_text(environment.get("LLM_PROMPT", "")),
        )


def _text(file: str) -> str:
    """Return the text of LLM_PROMPT's file, or none without a file. Raises SettingError."""
    try:
        return Path(file).read_text("utf-8").strip() if file else ""
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(f"LLM_PROMPT is {file!r}, which cannot be read: {error}.") from error
