"""A local server that speaks the chat-completions interface, as well or as badly as it is told."""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Request = dict[str, Any]
Behaviour = Callable[["Call"], None]


@dataclass
class ChatServer:
    """What it was asked, and how it answers: each behaviour once, the last from then on."""

    behaviours: Sequence[Behaviour]
    requests: list[Request] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)
    url: str = ""


class Call(BaseHTTPRequestHandler):
    """One request."""

    chat: ChatServer
    request_read: Request

    def do_POST(self) -> None:
        assert self.path == "/v1/chat/completions"
        self.request_read = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        number = len(self.chat.requests)
        self.chat.requests.append(self.request_read)
        self.chat.keys.append(self.headers["Authorization"])
        self.chat.behaviours[min(number, len(self.chat.behaviours) - 1)](self)

    def reply(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    @property
    def schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = self.request_read["response_format"]["json_schema"]["schema"]
        return schema


def first_of(schema: dict[str, Any]) -> dict[str, Any]:
    """The first action that a schema allows."""
    action = schema["properties"]["action"]["anyOf"][0]["properties"]
    return {name: one.get("const", one.get("enum", [None])[0]) for name, one in action.items()}


def says(text: str, tokens: int | None = 100) -> Behaviour:
    """Answers with this text."""
    answer: dict[str, Any] = {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text},
            }
        ],
    }
    if tokens is not None:
        answer["usage"] = {"prompt_tokens": tokens - 10, "completion_tokens": 10}
    return lambda call: call.reply(200, json.dumps(answer).encode())


def plays(action: Any, **more: Any) -> Behaviour:
    """Answers with this action."""
    return says(json.dumps({"thought": "t", "action": action}), **more)


def plays_the_first(call: Call) -> None:
    """Answers with the first legal action."""
    plays(first_of(call.schema))(call)


def sends(status: int, body: bytes) -> Behaviour:
    """Answers with these bytes, whatever they are."""
    return lambda call: call.reply(status, body)


def hangs(call: Call) -> None:
    """Never answers."""
    call.chat.closing.wait()


def drips(call: Call) -> None:
    """Sends a byte now and then, without end."""
    call.send_response(200)
    call.send_header("Content-Type", "application/json")
    call.end_headers()
    try:
        while not call.chat.closing.wait(0.05):
            call.wfile.write(b" ")
    except OSError:
        return


@contextmanager
def chat_server(*behaviours: Behaviour) -> Iterator[ChatServer]:
    """A server at a free port."""
    chat = ChatServer(behaviours)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("OwnCall", (Call,), {"chat": chat}))
    server.daemon_threads = True
    chat.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield chat
    finally:
        chat.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
