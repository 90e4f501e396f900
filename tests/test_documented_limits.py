"""What docs/limits.md and docs/protocol.md tell bot authors is what code and wire say."""

import importlib
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def constant(path: str) -> Any:
    """The value of `module.NAME`, or of a field's default: `module.Class.field`."""
    parts = path.split(".")
    cut = len(parts) - (2 if parts[-2][0].isupper() else 1)
    found: Any = importlib.import_module(".".join(parts[:cut]))
    for name in parts[cut:]:
        found = getattr(found() if isinstance(found, type) else found, name)
    return found


def test_limits_are_those_of_the_code() -> None:
    text = "".join((ROOT / f"docs/{page}.md").read_text() for page in ("limits", "notes"))
    limits = re.findall(r"\| ([\d.]+) \| `([\w.]+)` \|", text)
    assert len(limits) > 10
    for value, path in limits:
        assert constant(path) == float(value), path


def test_all_services_are_named_at_the_top() -> None:
    top = (ROOT / "docs/protocol.md").read_text().partition("\n## ")[0]
    named = re.findall(r"`(arena\.v1\.\w+)`", top)
    files = (ROOT / "proto/arena/v1").glob("*.proto")
    services = [
        f"arena.v1.{name}"
        for file in files
        for name in re.findall(r"^service (\w+)", file.read_text(), re.MULTILINE)
    ]
    assert sorted(named) == sorted(services)
