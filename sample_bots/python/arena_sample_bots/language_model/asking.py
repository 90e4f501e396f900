"""Requests to the model over the chat-completions interface, with a time limit and token counts."""

import json
import queue
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openai import APITimeoutError, OpenAI, OpenAIError

from arena_sample_bots.language_model.settings import Settings


class NotAnsweredError(Exception):
    """The model gave no answer that can be read; the message says why."""


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The text of the model's answer, and the tokens that it took."""

    text: str
    input_tokens: int
    """The tokens of the prompt."""
    output_tokens: int
    """The tokens of the answer, reasoning included."""


class LanguageModel:
    """The language model that the settings name."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        # No retries by the library, because they take an unknown time.
        self._client = OpenAI(
            base_url=settings.base_url, api_key=settings.key or "none", max_retries=0
        )

    def ask(
        self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], seconds: float
    ) -> ModelAnswer:
        """Return the answer to a conversation, within `seconds`. Raises NotAnsweredError."""
        heard: queue.Queue[ModelAnswer | Exception] = queue.Queue()

        def call() -> None:
            try:
                heard.put(self._call(messages, schema, seconds))
            except Exception as error:  # the bot must play, whatever fails there
                heard.put(error)

        # The library's timeout applies to each read: a server that sends a byte now and then would
        # never reach it.
        threading.Thread(target=call, daemon=True).start()
        try:
            answer = heard.get(timeout=seconds)
        except queue.Empty:
            answer = TimeoutError()
        if isinstance(answer, (TimeoutError, APITimeoutError)):
            raise NotAnsweredError(f"no answer within {seconds:.1f} s")
        if isinstance(answer, NotAnsweredError):
            raise answer
        if isinstance(answer, Exception):
            what = answer if isinstance(answer, OpenAIError) else type(answer).__name__
            raise NotAnsweredError(f"the request failed: {what}") from answer
        return answer

    def _call(
        self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, Any], seconds: float
    ) -> ModelAnswer:
        settings = self._settings
        body = {"max_tokens": settings.answer_tokens, **settings.extra}
        if "max_completion_tokens" in settings.extra:
            del body["max_tokens"]
        turns: Any = list(messages)  # the roles are right
        answer = self._client.chat.completions.create(
            model=settings.model,
            messages=turns,
            response_format={
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": dict(schema), "strict": True},
            },
            extra_body=body,
            timeout=seconds,
        )
        # Servers differ in what they leave out.
        choices = getattr(answer, "choices", None)
        text = choices[0].message.content if choices else None
        if not isinstance(text, str) or not text:
            raise NotAnsweredError("the answer holds no text")
        usage = getattr(answer, "usage", None)
        return ModelAnswer(
            text,
            _tokens(usage, "prompt_tokens", *(message["content"] for message in messages)),
            _tokens(usage, "completion_tokens", text),
        )


def _tokens(usage: Any, name: str, *texts: str) -> int:
    """Return the tokens of texts; where the server does not count, four characters are one."""
    counted = getattr(usage, name, None)
    return counted if isinstance(counted, int) else sum(map(len, texts)) // 4


def action_in(text: str) -> tuple[Any, str]:
    """Return the JSON value of the member `action` of an answer, and its `thought`.

    Text around the object is ignored, because some models always write some. Raises
    NotAnsweredError.
    """
    start, end = text.find("{"), text.rfind("}")
    try:
        value = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        raise NotAnsweredError("the answer is not a JSON object") from None
    if not isinstance(value, dict) or "action" not in value:
        raise NotAnsweredError("the answer has no member `action`")
    thought = value.get("thought")
    return value["action"], thought if isinstance(thought, str) else ""
